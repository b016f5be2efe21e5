"""Verbs of order whose things stand where no order may: «Барак в столице? Строим.», «Лучников бы пятерых — наймите».

The question or the wish itself orders nothing; the verb behind it names nothing. Together they may be an order, so they ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers import typos
from parsers.atoms import Atom
from parsers.context import Context
from parsers.russian import Verb, normal
from parsers.structure import Status, clauses, inside
from parsers.types import Problem, Severity, Span
from parsers.unknown import idle

if TYPE_CHECKING:
    from parsers.language import Language

NEAR = 20
"""So many things of the question before are looked at."""
_ORDERING = (Verb.IMPERATIVE, Verb.ORDER)
_SPOKEN = (Status.LIVE, Status.IRREAL, Status.CONDITIONAL)
"""A wish and its verb are often one clause; «если да — строим» is a condition."""
_SHOWN = 120


def answered(language: Language, context: Context, explained: bytearray) -> list[Problem]:
    """Questions about bare verbs of order beside a question or a wish that names things of the game."""
    layout = context.layout
    out: list[Problem] = []
    for atom in context.atoms:
        if atom.verb not in _ORDERING or atom.negated or explained[atom.first] or not _calls(language, atom):
            continue
        plans = atom.verb is Verb.ORDER and layout.status[atom.first] is Status.IRREAL  # «через год построю башню»
        if plans or layout.status[atom.first] not in _SPOKEN or inside(layout.italic, atom.span.start):
            continue
        if not _meant(language, context, atom, explained):
            continue
        sentence = layout.sentences[layout.sentence_of[atom.first]]
        first, last = next(c for c in clauses(layout, sentence) if c[0] <= atom.first < c[1])
        span = Span(layout.tokens[first].start, layout.tokens[last - 1].end)
        text = " ".join(context.text(span).split())[:_SHOWN]
        message = language.overlooked_message.format(text=text)
        out.append(Problem(language.ambiguous_code, Severity.QUESTION, message, span))
    return out


def _calls(language: Language, atom: Atom) -> bool:
    sure = {s.kind for s in atom.senses if s.quality >= typos.CERTAIN and not s.kind.startswith("~")}
    calls = sure & language.triggers or (sure - language.names and atom.verb is Verb.IMPERATIVE)
    return bool(calls) and (atom.verb is Verb.IMPERATIVE or not idle(normal(atom.text)))


def _meant(language: Language, context: Context, atom: Atom, explained: bytearray) -> bool:
    """True when no thing stands beside the verb where orders may, but one does in a wish or a question."""
    layout = context.layout
    things = language.names | language.strong
    index = layout.sentence_of[atom.first]
    here: Sequence[Atom] = context.by_sentence.get(index, ())
    before: Sequence[Atom] = context.by_sentence.get(index - 1, ())[-NEAR:]
    if any(a is not atom and a.has(*things) and layout.status[a.first] is Status.LIVE for a in here):
        return False
    doubtful = [a for a in here if layout.status[a.first] is Status.IRREAL]
    doubtful += [a for a in before if layout.status[a.first] is Status.QUESTION]
    return any(a.has(*things) and not explained[a.first] for a in doubtful)
