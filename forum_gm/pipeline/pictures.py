"""Which pictures belong to a telling, and under which file names: the public's, and those that only one faction may see
(promise 5). A picture is compared by what it is drawn from, so nobody gets a second file of what everybody has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from renderers.document import figures as figures_of
from rules.maps import Figure
from rules.report import Report

PUBLIC = "all"
"""The public as a file's reader."""


@dataclass(frozen=True, slots=True)
class Telling:
    """An outcome as one reader is told it."""

    reader: str
    """`all`, `gm` or a faction."""
    report: Report
    map: Figure | None


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture to be drawn for a reader."""

    name: str
    """File name shown to readers."""
    kind: str
    """`map` or `figure`."""
    reader: str
    figure: Figure


def drawings(stem: str, told: Telling, known: Sequence[Drawing] = ()) -> list[Drawing]:
    """The pictures of a telling, its map first, but for those that are `known` already. `stem`: how the names begin."""
    tail = "" if told.reader == PUBLIC else f"-{told.reader}"
    out: list[Drawing] = []
    if told.map is not None and name_of(told.map, known) is None:
        out.append(Drawing(f"{stem}-map{tail}.png", "map", told.reader, told.map))
    for number, block in enumerate(figures_of(told.report), start=1):
        if name_of(block.figure, (*known, *out)) is None:
            out.append(Drawing(f"{stem}-fig{number}{tail}.png", "figure", told.reader, block.figure))
    return out


def name_of(figure: Figure, among: Iterable[Drawing]) -> str | None:
    """The file that shows a figure. (A figure may hold tables, so it is compared, never hashed.)"""
    return next((drawing.name for drawing in among if drawing.figure == figure), None)
