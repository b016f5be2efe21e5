"""Data of the order engine that belongs to Russian and not to a game."""
