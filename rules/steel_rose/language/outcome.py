"""What was made of a post, for the last look: pairs of a match and its readings and problems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parsers.frames import Match, Output
from parsers.types import Reading

Outputs = list[tuple[Match, list[Output]]]


def readings(made: Sequence[Output]) -> list[Reading]:
    return [o for o in made if isinstance(o, Reading)]


def cover(made: list[Output], gone: Sequence[Reading]) -> None:
    """The first reading also stands where the orders stood that it replaces."""
    first = next(iter(readings(made)), None)
    if first is not None and gone:
        spans = (*first.extra_spans, *(r.span for r in gone))
        made[made.index(first)] = replace(first, extra_spans=spans)
