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
        made = None if _told(context.layout, first, last) else _guess(language, context, atoms)
        if made is not None:
            match, outputs = made
            at = sum(m.first <= match.first for m, _ in context.outputs)
            context.outputs.insert(at, (match, outputs))


def _told(layout: Layout, first: int, last: int) -> bool:
    """«Каэль бродил по Саду Костей»: somebody tells of what was."""
    return any(info(t.norm).verb is Verb.PAST for t in layout.tokens[first:last])


def _guess(language: Language, context: Context, atoms: list[Atom]) -> tuple[Match, list[Output]] | None:
    layout = context.layout
    found = segment(layout, atoms, language.guesses_by_kind, frozenset(), frozenset())
    if len(found) != 1:
        return None
    match = materialise(layout, atoms, found[0], ())
    taken = {a.first for a in match.atoms}
    things = [a for a in atoms if overlooked.names_thing(language, a)]
    if any(a.first not in taken for a in things):
        return None
    made = list((match.frame.make or make_simple)(match, context))
    readings = [o for o in made if isinstance(o, Reading)]
    if not readings or len(readings) < len(made):
        return None
    return match, [replace(o, certain=False, note=f"{NOTE}; {o.note}" if o.note else NOTE) for o in readings]
