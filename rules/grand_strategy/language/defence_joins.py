"""Joins of a common defence and of a siege given up: «стены Трона держим вместе», «гарнизон отбивается сам», «с Гхашем вместе
не дерусь», «больше Броды не осаждаем»."""

from __future__ import annotations

import itertools
from dataclasses import replace

from parsers.atoms import Atom, Sense, within
from parsers.russian import Verb, info
from parsers.structure import Layout, clauses
from parsers.tokens import Kind
from rules.grand_strategy.language.names import tables
from rules.grand_strategy.language.spots import atom, merged

_WORDS = {key: frozenset(words) for key, words in tables()["defence"].items()}
_MODALS = frozenset(tables()["path"]["refusals"])
_REACH = 2
"""Words between a defence and «сам» at most."""


def held_walls(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Стены Трона держим вместе с Радомиром»: walls and their holding, apart, are a defence."""
    found: list[Atom] = []
    known = {i for a in atoms if a.has("defend_together") for i in a.tokens()}
    for sentence in layout.sentences:
        for first, last in clauses(layout, sentence):
            words = [i for i in range(first, last) if layout.tokens[i].kind is Kind.WORD]
            wall = next((i for i in words if info(layout.tokens[i].norm).lemmas & _WORDS["walls"]), -1)
            held = next((i for i in words if info(layout.tokens[i].norm).lemmas & _WORDS["holding"]), -1)
            here = within(atoms, first, last)
            if wall < 0 and any(a.has("house") for a in here) and any(a.has("together", "apart") for a in here):
                wall = held  # «Трон держим заодно с Радомиром»
            if min(wall, held) < 0 or known & {wall, held}:
                continue
            sense = Sense("defend_together", "defend_together")
            found += [atom(layout, i, i + 1, sense) for i in sorted({wall, held})]
    return merged(atoms, found) if found else atoms


def by_oneself(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«гарнизон отбивается сам», «пусть Радомир сам обороняется»: nobody stands by him."""
    out: list[Atom] = []
    for here in atoms:
        alone = here.text.lower() in _WORDS["alone"] and not here.prep
        defence = alone and any(
            a.has("defend_together")
            and layout.sentence_of[a.first] == layout.sentence_of[here.first]
            and (0 <= here.first - a.last <= _REACH or 0 <= a.first - here.last <= _REACH)
            for a in atoms
        )
        out.append(replace(here, senses=(Sense("apart", "apart"),)) if defence else here)
    return out


def unjoined(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«С Гхашем вместе не дерусь», «совместной обороны с Гхашем не будет»: a common fight denied sets apart."""
    out = list(atoms)
    tokens = layout.tokens
    for sentence in layout.sentences:
        for first, last in clauses(layout, sentence):
            here = within(out, first, last)
            if not any(a.has("together", "ally", "defend_together") for a in here) or not any(
                a.has("player", "ally", "~person") for a in here
            ):
                continue
            absent = next(
                (i for i in range(first + 1, last) if tokens[i - 1].norm == "не" and tokens[i].norm in _WORDS["absent"]), 0
            )
            if absent and any(a.has("together", "ally", "defend_together") and a.verb is Verb.NONE for a in here):
                out = merged(out, [atom(layout, absent - 1, absent + 1, Sense("apart", "apart"))])
                continue
            for deed in here:
                fights = deed.has("attack", "defend_together") and deed.verb and deed.first > first
                if fights and any(a.has("together", "ally") for a in here) and layout.tokens[deed.first - 1].norm == "не":
                    made = atom(layout, deed.first - 1, deed.last, Sense("apart", "apart"))
                    out = merged(out, [made])
                    break
    return out


def no_more(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Больше Броды не осаждаем»: a siege denied behind «больше» is lifted."""
    out = list(atoms)
    tokens = layout.tokens
    for sentence in layout.sentences:
        for first, last in clauses(layout, sentence):
            more = next((i for i in range(first, last) if tokens[i].norm == "больше"), -1)
            deed = next((a for a in within(out, first + 1, last) if a.has("siege") and a.verb), None)
            if more < 0 or deed is None or deed.has("lift"):
                continue
            plain = tokens[deed.first - 1].norm == "не"
            if not plain and not any(a.norm == "не" and b.norm in _MODALS for a, b in itertools.pairwise(tokens[first:last])):
                continue
            senses = (Sense("lift", "lift"), Sense("siege", "siege"))
            out = merged(out, [atom(layout, deed.first - plain, deed.last, *senses)])
            out = [replace(a, negated=False) if first <= a.first < last else a for a in out]
    return out
