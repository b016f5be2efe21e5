"""«Война Стальной Розы»: five factions fight over fifteen cities in nine turns."""

from rules.steel_rose.ruleset import SteelRose

RULESET = SteelRose()

__all__ = ["RULESET"]
