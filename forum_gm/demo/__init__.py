"""The demo: an embedded board and campaigns that play themselves on it."""
