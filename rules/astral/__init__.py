"""«Завоевание Астрала: Печати Хаоса»: the whole game as data and pure functions. `RULESET` is its door."""

from rules.astral.ruleset import Astral
from rules.base import Ruleset

RULESET: Ruleset = Astral()
