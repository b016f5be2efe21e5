"""Joins of what comes to be: «быть», «сделать», «вырасти» call for an order only beside a house and its new step, or a
work and its place."""

from __future__ import annotations

from dataclasses import replace

from parsers.atoms import Atom
from parsers.structure import Layout

RANKS = ("tower", "manor", "castle", "city")
"""Steps of a дом лорда, from the lowest (R79)."""


def becoming(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """The atoms without «быть» and «вырасти» where they say nothing of houses, or of what is to stand somewhere."""
    out: list[Atom] = []
    for here in atoms:
        if here.has("become", "grow"):
            beside = [a for a in atoms if layout.sentence_of[a.first] == layout.sentence_of[here.first]]
            kinds = {s.value for a in beside for s in a.all("btype")}
            step = any(a.has("house", "cell") for a in beside) and not kinds.isdisjoint(RANKS)
            work = any(a.has("cell", "there") for a in beside) and bool(kinds)
            senses = tuple(s for s in here.senses if {"become": step, "grow": work}.get(s.kind, True))
            if not senses:
                continue
            here = replace(here, senses=senses)
        out.append(here)
    return out
