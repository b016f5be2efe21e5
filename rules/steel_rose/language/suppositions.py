"""Conditions without «если»: «Нападут князья — сидим в Кронвике», «Сунутся на Брод, тогда армия туда»."""

from __future__ import annotations

from parsers.context import Context
from parsers.structure import Status, first_word
from parsers.types import Problem, Severity, Span
from rules.steel_rose.language.names import tables
from rules.steel_rose.language.outcome import Outputs

_LONGEST = 120


def supposed(context: Context, outputs: Outputs) -> Outputs:
    """What is ordered behind a sentence's opening verb of what others may do is asked about."""
    layout = context.layout
    table = tables()["supposing"]
    openers, turns = frozenset(table["words"]), frozenset(table["then"])
    spans: dict[int, Span] = {}
    for index, sentence in enumerate(layout.sentences):
        first = first_word(layout, sentence)
        if first >= sentence.last or layout.tokens[first].norm not in openers or layout.status[first] is not Status.LIVE:
            continue
        turn = next((k for k in range(first + 1, sentence.last - 1) if layout.tokens[k].norm in turns), 0)
        ours = any(a.has("army", "armyword", "~all", "squad") for a in context.by_sentence.get(index, ()) if a.first < turn)
        if turn and not ours:  # «Пойдут все войска на Морвен, город сжечь»
            spans[index] = Span(layout.tokens[first].start, layout.tokens[sentence.last - 1].end)
    if not spans:
        return outputs
    out: Outputs = []
    asked: set[int] = set()
    for match, made in outputs:
        if match.sentence not in spans or not made:
            out.append((match, made))
        elif match.sentence not in asked:
            asked.add(match.sentence)
            span = spans[match.sentence]
            text = tables()["asks"]["conditional"].format(text=" ".join(context.text(span).split())[:_LONGEST])
            out.append((match, [Problem("conditional", Severity.QUESTION, text, span)]))
    return out
