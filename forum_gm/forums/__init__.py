"""One module per forum engine behind one small interface: read a topic, post, edit, upload, message."""
