"""The orders of a turn: one module per family, each with what an order needs, when it is refused, and what it does (§3.1)."""
