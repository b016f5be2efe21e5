"""The clauses of a post by token: which verb is whose, how far a word reaches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parsers.atoms import Atom
from parsers.context import Context
from parsers.structure import clauses

_KEY = "parts"


class Parts:
    """The clauses of a post."""

    def __init__(self, context: Context) -> None:
        self.layout = context.layout
        self.spans: list[tuple[int, int]] = []
        self.of: dict[int, int] = {}
        for sentence in self.layout.sentences:
            for first, last in clauses(self.layout, sentence):
                for k in range(first, last):
                    self.of[k] = len(self.spans)
                self.spans.append((first, last))

    def around(self, atoms: Sequence[Atom]) -> list[tuple[int, int]]:
        """The clauses that these atoms stand in."""
        return [self.spans[k] for k in sorted({self.of[a.first] for a in atoms if a.first in self.of})]

    def nearest(self, atom: Atom, others: Iterable[Atom]) -> Atom | None:
        """Of several words (verbs) the one that an atom belongs to: of its own clause, else of the clause nearest before it."""
        here = self.of.get(atom.first, -1)

        def far(other: Atom) -> tuple[int, int, int]:
            there = self.of.get(other.first, -1)
            return abs(here - there), int(there > here), abs(other.first - atom.first)

        return min(others, key=far, default=None)


def parts_of(context: Context) -> Parts:
    """The clauses of the post that is read, found out once."""
    found: Parts | None = context.memory.get(_KEY)
    if found is None:
        found = context.memory[_KEY] = Parts(context)
    return found
