"""The rule engines: pure functions of state, orders and dice."""
