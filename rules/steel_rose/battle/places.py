"""The six places of a side and who is whose neighbour (R15, R16, R34, R35, R38)."""

from __future__ import annotations

from typing import Literal, TypeAlias

Place: TypeAlias = Literal["LV", "LR", "CV", "CR", "RV", "RR"]
"""Flank (left, centre, right) and row (vanguard, rear), each side's own view: flanks of one name face each other."""
Flank: TypeAlias = Literal["L", "C", "R"]

PLACES: tuple[Place, ...] = ("LV", "LR", "CV", "CR", "RV", "RR")
"""The order in which everything is done: flank by flank, vanguard before rear."""
FLANKS: tuple[Flank, ...] = ("L", "C", "R")


def flank(place: Place) -> Flank:
    """The flank of a place."""
    return FLANKS[PLACES.index(place) // 2]


def is_rear(place: Place) -> bool:
    """True for the three rear places."""
    return place[1] == "R"


def vanguard(of: Flank) -> Place:
    """The front place of a flank."""
    return PLACES[FLANKS.index(of) * 2]


def rear(of: Flank) -> Place:
    """The back place of a flank."""
    return PLACES[FLANKS.index(of) * 2 + 1]


def near(a: Flank, b: Flank) -> bool:
    """True when the flanks are the same or adjacent: what a charge or an ordinary barrage reaches."""
    return abs(FLANKS.index(a) - FLANKS.index(b)) <= 1


def neighbours(place: Place) -> tuple[Place, ...]:
    """Places one cell away on the own side: same row and adjacent flank, or same flank and other row (R16)."""
    return tuple(other for other in PLACES if adjacent(place, other))


def adjacent(a: Place, b: Place) -> bool:
    """True when the two cells of one side touch."""
    flanks, rows = abs(FLANKS.index(flank(a)) - FLANKS.index(flank(b))), is_rear(a) != is_rear(b)
    return flanks + rows == 1
