"""«Война Стальной Розы»: five factions fight over fifteen cities in nine turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rules.base import Ruleset

    RULESET: Ruleset

__all__ = ["RULESET"]


def __getattr__(name: str) -> Any:
    """The ruleset is loaded when it is asked for: a forecast needs the battle alone."""
    if name != "RULESET":
        raise AttributeError(name)
    from rules.steel_rose.ruleset import SteelRose

    globals()[name] = SteelRose()
    return globals()[name]
