"""Orders guessed from what they are about, where the words that call for them were not understood.

«В Троне пусть встанет на довольствие отряд гномов» names a house and a kind of troop: it can hardly be anything but hiring.
Where a sentence may be an order and no frame took it, the game's `guesses` are tried on its things. One that takes all of them is
read, is never certain, and says that it was guessed: the GM confirms it with one click instead of typing it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from parsers import overlooked
from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Match, Output, make_simple
from parsers.russian import Verb, info
from parsers.segments import materialise, segment
from parsers.structure import Layout
from parsers.types import Reading

if TYPE_CHECKING:
    from parsers.language import Language

NOTE = "слов приказа не понял, догадался по тому, о чём речь"


def guessed(language: Language, context: Context, explained: bytearray) -> None:
    """Adds to the outputs what can be guessed, each in its place in the text."""
    if not language.guesses:
        return
    for first, last, atoms in overlooked.suspects(language, context, explained):
        if _told(context.layout, first, last) or _called_otherwise(language, atoms):
            continue
        for match, outputs in _guess(language, context, [a for a in atoms if overlooked.names_thing(language, a)]):
            at = sum(m.first <= match.first for m, _ in context.outputs)
            context.outputs.insert(at, (match, outputs))


def _told(layout: Layout, first: int, last: int) -> bool:
    """«Каэль бродил по Саду Костей»: somebody tells of what was."""
    return any(info(t.norm).verb is Verb.PAST for t in layout.tokens[first:last])


def _called_otherwise(language: Language, atoms: list[Atom]) -> bool:
    """«Пусть маг остаётся в Лориэне»: a verb that calls for an order was understood, so what it calls for was not said."""
    return any(a.verb is not Verb.NONE and a.has(*language.triggers) and not overlooked.names_thing(language, a) for a in atoms)


def _guess(language: Language, context: Context, atoms: list[Atom]) -> list[tuple[Match, list[Output]]]:
    """One order, or several of one kind («Ржавому 2 и Тишине 3»), that take all these things."""
    layout = context.layout
    matches = [
        materialise(layout, atoms, s, ()) for s in segment(layout, atoms, language.guesses_by_kind, frozenset(), frozenset())
    ]
    if len({m.frame.id for m in matches}) != 1:
        return []
    taken = {a.first for m in matches for a in m.atoms}
    if any(a.first not in taken for a in atoms):
        return []
    out: list[tuple[Match, list[Output]]] = []
    for match in matches:
        made = list((match.frame.make or make_simple)(match, context))
        readings = [o for o in made if isinstance(o, Reading)]
        if not readings or len(readings) < len(made):
            return []
        out.append((match, [replace(o, certain=False, note=f"{NOTE}; {o.note}" if o.note else NOTE) for o in readings]))
    return out
