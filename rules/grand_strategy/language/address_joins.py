"""A player who is spoken to: «тебе, Радомир, …», «Радомир, тебе …» name him once."""

from __future__ import annotations

from dataclasses import replace

from parsers.atoms import Atom
from parsers.reading_atoms import between, joined
from parsers.structure import Layout
from rules.grand_strategy.language.names import tables

_YOU = frozenset(tables()["pronouns"]["you"])


def addressed(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """The name and the pronoun beside it, over a comma, as one atom in the case of the pronoun."""
    out: list[Atom] = []
    for here in atoms:
        before = out[-1] if out else None
        if before is not None and between(layout, before, here) == [","]:
            name, pronoun = (before, here) if before.has("player") else (here, before)
            called = name.has("player") and not name.prep and (not name.cases or name.cases & {"nomn", "same"})
            if called and pronoun.has("~person") and pronoun.text.lower() in _YOU:
                made = joined(layout, [before, here], name.all("player")[0])
                out[-1] = replace(made, cases=pronoun.cases, prep=pronoun.prep)
                continue
        out.append(here)
    return out
