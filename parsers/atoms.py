"""Atoms: the stretches of a post that mean something to a game (a number, a unit, a verb of order), with their senses.

Segmentation works on atoms only; everything between them is a gap.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import Any

from parsers.russian import Verb
from parsers.types import Span


@dataclass(frozen=True, slots=True)
class Sense:
    """One thing an atom can mean."""

    kind: str
    """Kind of thing: `number`, `energy`, `shard`, or the name of a group of words (`attack`)."""
    value: Any
    quality: float = 1.0
    """See `parsers.typos`; below `typos.CERTAIN` the reading asks."""
    partial: bool = False
    """A part of a longer name («Прииск» for «Эфирный Прииск»)."""
    note: str | None = None
    """How it was understood, in Russian, where that is not plain."""


@dataclass(frozen=True)
class Atom:
    """A stretch of tokens with its senses."""

    first: int
    """Index of its first token."""
    last: int
    """Index behind its last token."""
    span: Span
    senses: tuple[Sense, ...]
    prep: str = ""
    """Preposition right before it, or none."""
    cases: frozenset[str] = frozenset()
    """Grammatical cases its head word can be in."""
    verb: Verb = Verb.NONE
    """What kind of verb form it is."""
    negated: bool = False
    """«не» stands right before it."""
    bold: bool = False
    text: str = ""
    """As written."""
    data: dict[str, Any] = field(default_factory=dict)
    """Further facts for hooks (`old`: the number that was corrected)."""

    @property
    def parts(self) -> tuple[tuple[int, int], ...]:
        """The tokens that it was made of, as ranges: an atom joined over a gap does not explain the words in the gap."""
        found: tuple[tuple[int, int], ...] = self.data.get("parts", ((self.first, self.last),))
        return found

    def tokens(self) -> Iterator[int]:
        """The indices of those tokens."""
        for first, last in self.parts:
            yield from range(first, last)

    def all(self, *kinds: str) -> list[Sense]:
        """Its senses of these kinds, best first."""
        return [s for s in self.senses if s.kind in kinds]

    def get(self, *kinds: str) -> Sense | None:
        """Its best sense of these kinds."""
        for sense in self.senses:
            if sense.kind in kinds:
                return sense
        return None

    def has(self, *kinds: str) -> bool:
        """True when it can mean one of these kinds."""
        return not self.kinds.isdisjoint(kinds)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Kinds of all its senses."""
        return frozenset(s.kind for s in self.senses)

    @cached_property
    def memo(self) -> dict[tuple[str, ...], tuple[Sense, ...]]:
        """For `frames.candidates`."""
        return {}

    @cached_property
    def suits(self) -> dict[int, Any]:
        """For `frames.suitability`: by the frame's identity."""
        return {}

    def only(self, *kinds: str) -> Atom:
        """The same atom with its senses of these kinds alone."""
        return replace(self, senses=tuple(s for s in self.senses if s.kind in kinds))


_FIRST = attrgetter("first")


def within(atoms: Sequence[Atom], first: int, last: int) -> Sequence[Atom]:
    """The atoms, which are in the order of the text, that begin in the tokens `first <= i < last`; found without going through
    all of a long post."""
    begin = bisect_left(atoms, first, key=_FIRST)
    return atoms[begin : bisect_left(atoms, last, begin, key=_FIRST)]
