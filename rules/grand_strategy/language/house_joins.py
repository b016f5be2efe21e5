"""Joins of what houses become: «быть», «сделать» and the like call for an order only beside a house and its new step."""

from __future__ import annotations

from parsers.atoms import Atom
from parsers.structure import Layout

RANKS = ("tower", "manor", "castle", "city")
"""Steps of a дом лорда, from the lowest (R79)."""


def becoming(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """The atoms without «быть» and «сделать» where they say nothing of houses."""
    out: list[Atom] = []
    for here in atoms:
        if here.has("become"):
            beside = [a for a in atoms if layout.sentence_of[a.first] == layout.sentence_of[here.first]]
            house = any(a.has("house", "cell") for a in beside)
            step = any(s.value in RANKS for a in beside for s in a.all("btype"))
            if not (house and step):
                continue
        out.append(here)
    return out
