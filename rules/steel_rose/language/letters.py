"""«Авангард: Л – 3 щита, Ц – 5 щитов, П – 2 конных»: a letter for a flank, where a line has several."""

from __future__ import annotations

from parsers.atoms import Atom, Sense
from parsers.russian import Verb
from parsers.structure import Layout, Status
from parsers.tokens import Kind
from rules.steel_rose.language.names import tables

_BEHIND = frozenset("-:/|=(")
"""Signs that stand behind a letter that heads its squads."""


def lettered(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """The atoms with those of letters for flanks."""
    letters = tables()["letters"]
    taken = {i for a in atoms for i in a.tokens()}
    by_sentence: dict[int, list[int]] = {}
    for i, token in enumerate(layout.tokens):
        if token.kind is Kind.WORD and token.norm in letters and i not in taken and layout.status[i] is Status.LIVE:
            by_sentence.setdefault(layout.sentence_of[i], []).append(i)
    found: list[Atom] = []
    for places in by_sentence.values():
        heads = [i for i in places if i + 1 < len(layout.tokens) and _heads(layout, i + 1)]
        if len({layout.tokens[i].norm for i in heads}) < 2:
            continue
        for i in heads:
            sense = Sense("flank", letters[layout.tokens[i].norm])
            text = layout.tokens[i].norm
            found.append(Atom(i, i + 1, layout.tokens[i].span, (sense,), "", frozenset(), Verb.NONE, False, False, text, {}))
    return sorted([*atoms, *found], key=lambda a: a.first) if found else atoms


def _heads(layout: Layout, at: int) -> bool:
    token = layout.tokens[at]
    return token.norm in _BEHIND or token.kind is Kind.NUMBER
