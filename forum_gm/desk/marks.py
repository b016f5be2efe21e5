"""A post's text cut into stretches, each with the strongest of the marks over it: no part is shown twice, none is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from forum_gm.pipeline.review import Mark

STRENGTH = {"error": 6, "question": 5, "unsure": 4, "warning": 3, "order": 2, "ignored": 1}


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of the text with one look."""

    text: str
    kind: str
    """A kind of `Mark`, or empty."""
    detail: str
    """The mark's detail."""
    ends: bool
    """The mark ends here: the place for its number."""


def stretches(text: str, marks: Iterable[Mark]) -> Iterator[Stretch]:
    """The whole text in pieces, in order; joined they are the text."""
    known = [m for m in marks if m.kind in STRENGTH and m.start < m.end]
    cuts = sorted({0, len(text), *(p for m in known for p in (m.start, m.end) if 0 <= p <= len(text))})
    pieces: list[tuple[int, int, Mark | None]] = []
    for start, end in pairwise(cuts):
        over = [m for m in known if m.start <= start and end <= m.end]
        best = max(over, key=lambda m: (STRENGTH[m.kind], -(m.end - m.start)), default=None)
        if pieces and pieces[-1][2] is best:
            pieces[-1] = (pieces[-1][0], end, best)
        else:
            pieces.append((start, end, best))
    last = {id(mark): index for index, (_, _, mark) in enumerate(pieces) if mark is not None}
    for index, (start, end, mark) in enumerate(pieces):
        kind, detail = (mark.kind, mark.detail) if mark is not None else ("", "")
        yield Stretch(text[start:end], kind, detail, mark is not None and last[id(mark)] == index)
