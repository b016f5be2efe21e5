"""Places of a plan whose other half stands in a heading: «Правый фланг: авангард — натиск, арьергард — обстрел»."""

from __future__ import annotations

from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.structure import Layout
from parsers.tokens import Kind
from rules.steel_rose.language.senses import value_of

_OPEN = frozenset({",", ";", ":", ".", "-", "и", "а", "•", "|", "*"})
"""What a squad's place may stand behind."""


def headed(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """The atoms with the rows below a heading that names a flank, and the flanks below one that names a row, as places."""
    out: list[Atom] = []
    head: Atom | None = None
    for n, atom in enumerate(atoms):
        half = _half(atom)
        if half and _opens(layout, atom) and _heads(layout, atom):
            following = next((a for a in atoms[n + 1 :] if a.has("flank", "row", "cell")), None)
            head = atom if following is not None and _half(following) not in ("", half) and _opens(layout, following) else None
            if head is not None:
                continue
        if head is not None and half and half != _half(head) and _opens(layout, atom):
            flank, row = (head, atom) if half == "row" else (atom, head)
            sense = Sense("cell", (f"{value_of(flank, 'flank')}{value_of(row, 'row')}",))
            atom = replace(atom, senses=(sense,))
        out.append(atom)
    return out


def _half(atom: Atom) -> str:
    """`flank` or `row` for a place that is but one of them and stands alone."""
    if atom.prep or atom.has("cell") or (atom.cases and "nomn" not in atom.cases):
        return ""
    if atom.has("flank"):
        return "flank" if value_of(atom, "flank") in ("L", "C", "R") else ""
    return "row" if atom.has("row") else ""


def _opens(layout: Layout, atom: Atom) -> bool:
    """Whether a clause or a line begins with it."""
    before = layout.tokens[atom.first - 1] if atom.first else None
    return before is None or before.kind is Kind.LINE or before.norm in _OPEN


def _heads(layout: Layout, atom: Atom) -> bool:
    """«Центр:», or a line of its own."""
    after = layout.tokens[atom.last] if atom.last < len(layout.tokens) else None
    return after is None or after.norm == ":" or after.kind is Kind.LINE
