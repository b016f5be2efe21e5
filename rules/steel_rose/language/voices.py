"""Orders in the mouth of somebody: an answer to a question («— Сколько стрелков? — Десять.»), words in quotation marks.

Such stretches are no plain orders to the engine; here they are read as orders of their own. An answer is as certain as an order;
words in quotation marks ask, and count at all only where the step awaits little else or nothing else was ordered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Filled, Match, Output, candidates
from parsers.language import Language
from parsers.russian import words
from parsers.structure import Layout, Sentence, Status
from parsers.tokens import Kind, Token
from parsers.types import Reading
from rules.steel_rose.language.names import tables

SPOKEN = "spoken"
"""Key of `Context.memory`: the matches read from words in quotation marks."""
_LONGEST_ANSWER = 4
"""Words of an answer that is no sentence of its own."""


def answers(layout: Layout) -> list[tuple[int, int]]:
    """Questions with the short answer right behind them, as token indices."""
    out: list[tuple[int, int]] = []
    sentences = [s for s in layout.sentences if any(_is_word(t) for t in layout.tokens[s.first : s.last])]
    for question, answer in pairwise(sentences):
        if layout.tokens[question.last - 1].norm != "?" and "?" not in {
            t.norm for t in layout.tokens[max(question.first, question.last - 3) : question.last]
        }:
            continue
        if answer.line - question.line > 2 or layout.status[answer.last - 1] is Status.QUESTION:
            continue
        if _answers(layout, question, answer):
            out.append((question.first, answer.last))
    return out


def _is_word(token: Token) -> bool:
    return token.kind is Kind.WORD or token.kind is Kind.NUMBER


def _answers(layout: Layout, question: Sentence, answer: Sentence) -> bool:
    table = tables()["dialogue"]
    asked = {t.norm for t in layout.tokens[question.first : question.last]}
    said = [t for t in layout.tokens[answer.first : answer.last] if _is_word(t)]
    if not said or len(said) > _LONGEST_ANSWER:
        return False
    if asked & set(table["how_many"]):
        return said[0].kind is Kind.NUMBER or said[0].norm in words()["numerals"]["values"]
    stems = tuple(table["army_stems"])
    return any(w.startswith(stems) for w in asked) and said[0].norm in {"на", "в", "к"}


def spoken(layout: Layout) -> list[tuple[int, int]]:
    """Sentences of words in quotation marks, as token indices."""
    out: list[tuple[int, int]] = []
    start = -1
    for i in range(len(layout.tokens) + 1):
        inside = i < len(layout.tokens) and layout.status[i] is Status.SPEECH
        if inside and start < 0:
            start = i
        elif not inside and start >= 0:
            out.append((start, i))
            start = -1
    return out


def _answered(language: Language, context: Context, first: int, last: int) -> list[tuple[Match, list[Output]]]:
    """«Сколько стрелков? — Десять.»: the number is of the unit asked about; «А войско? — На Эльвендар.»: the army goes there."""
    inside = [a for a in context.atoms if first <= a.first < last]
    sentence_of = context.layout.sentence_of
    answer = [a for a in inside if sentence_of[a.first] == sentence_of[last - 1]]
    asked = [a for a in inside if a not in answer]
    unit = next((a for a in reversed(asked) if a.has("unit")), None)
    number = next((a for a in answer if a.has("number", "squad")), None)
    city = next((a for a in answer if a.has("city")), None)
    army = next((a for a in asked if a.has("army", "armyword", "armynumber")), None)
    if number is not None and number.has("squad"):
        return _made(language, context, "hire", (number,), {"squads": number})
    if unit is not None and number is not None:
        return _made(language, context, "hire", (unit, number), {"squads": unit, "number": number})
    if army is not None and city is not None:
        return _made(language, context, "army_order", (army, city), {"city": city})
    return []


def _made(
    language: Language, context: Context, frame_id: str, atoms: tuple[Atom, ...], slots: dict[str, Atom]
) -> list[tuple[Match, list[Output]]]:
    frame = next((f for f in language.frames if f.id == frame_id), None)
    if frame is None or frame.make is None:
        return []
    filled: dict[str, tuple[Filled, ...]] = {}
    for name, atom in slots.items():
        slot = next(s for s in frame.slots if s.name == name)
        filled[name] = (Filled(atom, candidates(atom, slot.kinds)),)
    span = atoms[0].span.cover(atoms[-1].span)
    place = context.layout.sentence_of[atoms[-1].first]
    triggers = tuple(a for a in atoms if a.has(*frame.triggers))
    match = Match(frame, atoms, triggers, filled, False, span, atoms[0].first, atoms[-1].last, place, "")
    outputs = list(frame.make(match, context))
    return [(match, outputs)]


def read_voice(language: Language, context: Context, first: int, last: int) -> Sequence[tuple[Match, list[Output]]]:
    """The orders in such a stretch. One of words in quotation marks asks."""
    quoted = any(context.layout.text[t.start] in '«“„"»”' for t in context.layout.tokens[first:last])
    if not quoted:
        return _answered(language, context, first, last)
    made = list(language.read_part(context, first, last))
    note = tables()["asks"]["spoken"]
    out: list[tuple[Match, list[Output]]] = []
    for match, outputs in made:
        unsure = [replace(o, certain=False, note=note) for o in outputs if isinstance(o, Reading)]
        if unsure:
            out.append((match, list(unsure)))
    context.memory.setdefault(SPOKEN, []).extend(m for m, _ in out)
    return out
