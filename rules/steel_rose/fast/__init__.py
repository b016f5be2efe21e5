"""The fast battle engine: the same algorithm as `battle`, compiled, for forecasts by the ten thousand."""
