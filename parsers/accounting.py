"""The last step of a reading: the account of every character."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from parsers.frames import Match, Output
from parsers.structure import REASONS, Layout, starts_with
from parsers.structure import phrases as _phrases
from parsers.tokens import Kind
from parsers.types import Ignored, IgnoredReason, Parse, Problem, Reading, Span

Outputs = list[tuple[Match, list[Output]]]


def account(layout: Layout, outputs: Outputs, problems: Iterable[Problem], superseded: Sequence[Ignored]) -> Parse:
    """The parse, with every non-blank character in a reading, a problem or an ignored part."""
    readings: list[Reading] = []
    found: list[Problem] = list(problems)
    for _, made in outputs:
        for output in made:
            if isinstance(output, Reading):
                readings.append(output)
            else:
                found.append(output)
    readings.sort(key=lambda r: (r.span.start, r.span.end))
    found.sort(key=lambda p: p.span.start if p.span else 0)
    ignored = [*layout.ignored, *superseded]
    covered = bytearray(len(layout.text) + 1)
    spans = [s for r in readings for s in (r.span, *r.extra_spans)]
    spans += [p.span for p in found if p.span is not None]
    spans += [i.span for i in ignored]
    for span in spans:
        covered[span.start : span.end] = b"\1" * (span.end - span.start)
    busy_lines = _lines_of(layout, [*(r.span for r in readings), *(p.span for p in found if p.span is not None)])
    pending: tuple[int, int, IgnoredReason] | None = None
    line = 0
    facts = _facts(layout)
    for i, token in enumerate(layout.tokens):
        if token.kind is Kind.LINE:
            line += 1
            continue
        if all(covered[token.start : token.end]):
            continue
        reason = _reason(layout, i, line, busy_lines, facts)
        if (
            pending is not None
            and pending[2] is reason
            and not any(covered[pending[1] : token.start])
            and layout.text[pending[1] : token.start].strip() == ""
        ):
            pending = (pending[0], token.end, reason)
            continue
        if pending is not None:
            ignored.append(Ignored(Span(pending[0], pending[1]), pending[2]))
        pending = (token.start, token.end, reason)
    if pending is not None:
        ignored.append(Ignored(Span(pending[0], pending[1]), pending[2]))
    ignored.sort(key=lambda i: (i.span.start, i.span.end))
    return Parse(layout.text, tuple(readings), tuple(found), tuple(ignored))


def _lines_of(layout: Layout, spans: Sequence[Span]) -> set[int]:
    starts = [line.start for line in layout.lines]
    out: set[int] = set()
    for span in spans:
        first = bisect_right(starts, span.start) - 1
        last = bisect_right(starts, max(span.start, span.end - 1)) - 1
        out.update(range(first, last + 1))
    return out


@dataclass(frozen=True, slots=True)
class _LineFacts:
    """What the reason of a line's leftovers hangs on."""

    wordless: bool
    numbered: bool
    heading: bool
    """Short, and ends with a colon."""


def _facts(layout: Layout) -> list[_LineFacts]:
    out: list[_LineFacts] = []
    for line in layout.lines:
        inside_line = layout.tokens[line.first : line.last]
        out.append(
            _LineFacts(
                not any(t.kind in (Kind.WORD, Kind.NUMBER) for t in inside_line),
                any(t.kind is Kind.NUMBER for t in inside_line),
                bool(inside_line) and inside_line[-1].norm == ":" and len(inside_line) <= 12,
            )
        )
    return out


def _reason(layout: Layout, i: int, line: int, busy: set[int], facts: Sequence[_LineFacts]) -> IgnoredReason:
    status = layout.status[i]
    if status in REASONS:
        return REASONS[status]
    known = facts[min(line, len(facts) - 1)]
    if known.wordless or (layout.tokens[i].kind is Kind.SIGN and line in busy):
        return IgnoredReason.SEPARATOR
    if line not in busy:
        sentence = layout.sentence_of[i]
        if sentence >= 0 and known.numbered:
            first, last = layout.sentences[sentence].first, layout.sentences[sentence].last
            if starts_with(layout.tokens, first, last, _phrases("summary", "weak")):
                return IgnoredReason.SUMMARY
        if known.heading:
            return IgnoredReason.HEADING
    return IgnoredReason.PROSE
