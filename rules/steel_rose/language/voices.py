"""Orders in the mouth of somebody: an answer to a question («— Сколько стрелков? — Десять.»), words in quotation marks.

Such stretches are no plain orders to the engine; here they are read as orders of their own. An answer is as certain as an order;
words in quotation marks ask, and count at all only where the step awaits little else or nothing else was ordered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from parsers.context import Context
from parsers.frames import Match, Output
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


def read_voice(language: Language, context: Context, first: int, last: int) -> Sequence[tuple[Match, list[Output]]]:
    """The orders in such a stretch. One of words in quotation marks asks."""
    quoted = any(context.layout.text[t.start] in '«“„"»”' for t in context.layout.tokens[first:last])
    made = list(language.read_part(context, first, last))
    if not quoted:
        return made
    note = tables()["asks"]["spoken"]
    out: list[tuple[Match, list[Output]]] = []
    for match, outputs in made:
        unsure = [replace(o, certain=False, note=note) for o in outputs if isinstance(o, Reading)]
        if unsure:
            out.append((match, list(unsure)))
    context.memory.setdefault(SPOKEN, []).extend(m for m, _ in out)
    return out
