"""Slots and scores that many frames share."""

from __future__ import annotations

from collections.abc import Callable

from parsers.frames import Fill, Slot

UNIT_KINDS = ("unit", "utype", "personal")
UNITS = Slot("units", UNIT_KINDS, many=True, refs=("~person",))
CELLS = Slot("cells", ("cell",), many=True)
PATH = Slot("cells", ("cell", "path"), many=True)
BAD = Slot("bad", ("badcell", "nocell"), many=True)
PLACES = Slot("places", ("house",), many=True)
BTYPE = Slot("btype", ("btype",), many=True)
LAND = Slot("land", ("province",), many=True)
PLAYERS = Slot("players", ("player",), many=True, refs=("~person",))
CARDS = Slot("cards", ("cards", "card", "badcard"), many=True)
GARRISON = Slot("garrison", ("garrison",), many=True)
LEVEL = Slot("level", ("level",), many=True)
SCHOOL = Slot("school", ("school",))
MONEY = Slot("money", ("coins", "number"), many=True, weight=0.3)
BATTLE = Slot("battle", ("battle",))

COMMON = frozenset(
    {"everyone", "only", "from_now", "troops", "me", "commander_word", "cell_word", "then", "behind", "first", "also", "now"}
)
"""Words that may stand inside any order."""

Score = Callable[[Fill], float | None]


def needs(*groups: tuple[str, ...], bonus: float = 0.0) -> Score:
    """At least one slot of every group must be filled."""

    def score(fill: Fill) -> float | None:
        return bonus if all(any(name in fill.slots for name in group) for group in groups) else None

    return score


def called(fill: Fill, *kinds: str) -> bool:
    """True when one of these words calls for the frame."""
    return any(a.has(*kinds) for a in fill.triggers)
