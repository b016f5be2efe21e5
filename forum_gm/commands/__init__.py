"""One module per command of `forum-gm`; loaded only when called, so that start-up stays short."""
