"""Reads a post at the start of the default scenario, for the tests of the engine over all games."""

from __future__ import annotations

from functools import cache
from typing import Any

from forum_gm.understand import audience_of
from parsers.bbcode import from_bbcode
from parsers.language import Language
from parsers.types import Parse
from rules import registry

PLAYER = {"steel_rose": "empire", "grand_strategy": "thorgrim", "astral": "buyny"}
"""A player of each game whose orders the examples are."""


@cache
def language(ruleset: str, faction: str, kind: str | None = None) -> Language:
    """The order language of a faction."""
    rules: Any = registry.get(ruleset)
    made: Language = rules.order_language(rules.view(rules.new_game(rules.load_scenario(None)), audience_of(faction)), kind)
    return made


def read(ruleset: str, text: str, faction: str = "", kind: str | None = None) -> Parse:
    """What the order language makes of a post."""
    return language(ruleset, faction or PLAYER[ruleset], kind).parse(from_bbcode(text))


def certain(ruleset: str, text: str, faction: str = "") -> list[Any]:
    """The types of the orders that are carried out without asking."""
    return [r.command["type"] for r in read(ruleset, text, faction).readings if r.certain]
