"""«Война Стальной Розы»: five factions fight over fifteen cities in nine turns."""

from rules.base import Ruleset
from rules.steel_rose.ruleset import SteelRose

RULESET: Ruleset = SteelRose()

__all__ = ["RULESET"]
