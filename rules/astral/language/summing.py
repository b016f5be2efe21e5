"""«Итого: 5э в защиту, 4э Морвену»: a sum that tells of orders which the post doesn't give may be meant as them, so it asks."""

from __future__ import annotations

from parsers.context import Context
from parsers.frames import Match, Output
from parsers.language import Language
from parsers.structure import Status
from parsers.types import Reading, Severity, Span

Outputs = list[tuple[Match, list[Output]]]
_FRAMES = frozenset({"attack", "invest_defence", "set_reserve", "transfer_energy", "care", "sacrifice", "vote_rune"})
"""Frames that sums tell of."""


def summed_up(language: Language, context: Context, outputs: Outputs) -> Outputs:
    """The outputs, and a question for each sum with an order of its own."""
    layout = context.layout
    given = [o.command for _, made in outputs for o in made if isinstance(o, Reading)]
    drafts = [o.draft for _, made in outputs for o in made if not isinstance(o, Reading)]
    out = list(outputs)
    for index, inside in sorted(context.by_sentence.items()):
        atoms = [a for a in inside if layout.status[a.first] is Status.SUMMARY]
        if not atoms:
            continue
        fresh: list[Match] = []
        for match in language.matches(layout, atoms):
            if match.frame.id not in _FRAMES or match.frame.make is None:
                continue
            told = [o.command for o in match.frame.make(match, context) if isinstance(o, Reading)]
            if told and not any(command in given or command in drafts for command in told):
                fresh.append(match)
        if not fresh:
            continue
        sentence = layout.sentences[index]
        span = Span(layout.tokens[sentence.first].start, layout.tokens[sentence.last - 1].end)
        text = "Это итог или приказ? Если приказ — скажите его отдельной строкой."
        problem = context.problem(fresh[0], "E_AMBIGUOUS", text, span, severity=Severity.QUESTION, draft={})
        out.append((fresh[0], [problem]))
    return out
