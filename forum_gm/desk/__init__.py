"""The GM's review desk and the public archive: plain forms that work without JavaScript."""
