"""A parse as text for a terminal or a post: orders, then problems, each with the player's own line and carets under his words."""

from __future__ import annotations

from collections.abc import Iterator

from parsers.types import Parse, Problem, Severity, Span, line_of
from rules.base import Ruleset, View

SIGNS = {Severity.ERROR: "ошибка", Severity.WARNING: "внимание", Severity.QUESTION: "вопрос"}


def excerpt(text: str, span: Span, width: int = 100) -> tuple[str, str]:
    """The line on which `span` begins, cut to `width` around it, and a line of carets under the span's part of it."""
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.start)
    end = len(text) if end < 0 else end
    line, left, right = text[start:end], span.start - start, min(span.end, end) - start
    if len(line) > width:
        cut = max(0, min(left - width // 3, len(line) - width))
        line, left, right = line[cut : cut + width], left - cut, min(right - cut, width)
    return line.replace("\t", " "), " " * left + "^" * max(1, right - left)


def problem_lines(text: str, problem: Problem) -> Iterator[str]:
    """One problem: its line number and sentence, the player's line with carets, the choices, a corrected line."""
    span = problem.span or Span(0, 0)
    rule = f" [{problem.rule}]" if problem.rule else ""
    yield f"строка {line_of(text, span.start)}, {SIGNS[problem.severity]}: {problem.message}{rule}"
    line, carets = excerpt(text, problem.focus or span)
    if line.strip():
        yield f"    {line}"
        yield f"    {carets}"
    for number, choice in enumerate(problem.choices, 1):
        yield f"    {number}) {choice.text}"
    if problem.correction:
        yield f"    можно так: {problem.correction}"


def parse_lines(ruleset: Ruleset, view: View, parse: Parse) -> Iterator[str]:
    """The whole parse for a reader: orders in words, then problems."""
    for reading in parse.readings:
        command = ruleset.commands.parse(reading.command)
        sign = "понял так" if reading.certain else "кажется, так"
        note = f" ({reading.note})" if reading.note else ""
        yield f"{sign}: {ruleset.describe(view, command)}{note}"
        if reading.correction:
            yield f"    можно так: {reading.correction}"
    if not parse.readings:
        yield "приказов не найдено"
    for problem in parse.problems:
        yield ""
        yield from problem_lines(parse.text, problem)
