"""Parts of a post that are no order by their marks: quotes, struck-out text, code, signatures, «((…))»."""

from __future__ import annotations

import re

from parsers.text import Mark, PostText
from parsers.types import Ignored, IgnoredReason, Span

_HOLES = {
    Mark.QUOTE: IgnoredReason.QUOTE,
    Mark.STRUCK: IgnoredReason.STRUCK,
    Mark.CODE: IgnoredReason.CODE,
    Mark.SIGNATURE: IgnoredReason.SIGNATURE,
    Mark.OOC: IgnoredReason.OOC,
}

_RULE = re.compile(r"^[ \t]*_{5,}[ \t]*$|^--[ ]?$", re.MULTILINE)

_QUOTED_LINE = re.compile(r"^[ \t]*(?:>|&gt;).*$", re.MULTILINE)


def find_holes(post: PostText) -> tuple[list[Span], list[Ignored]]:
    """The parts that are cut out before anything is read, sorted and disjoint, and why each is no order."""
    found: list[tuple[Span, IgnoredReason]] = [
        (m.span, _HOLES[m.mark]) for m in post.marks if m.mark in _HOLES and m.span.start < m.span.end
    ]
    text = post.text
    found.extend((Span(m.start(), m.end()), IgnoredReason.QUOTE) for m in _QUOTED_LINE.finditer(text))
    rule = next(iter([*_RULE.finditer(text)][-1:]), None)
    if rule is not None and text.count("\n", rule.end()) <= 8 and text[: rule.start()].strip():
        found.append((Span(rule.start(), len(text)), IgnoredReason.SIGNATURE))
    at = 0
    while (start := text.find("((", at)) >= 0:
        end = text.find("))", start)
        if end < 0:
            break
        found.append((Span(start, end + 2), IgnoredReason.OOC))
        at = end + 2
    found.sort(key=lambda f: (f[0].start, -f[0].end))
    spans: list[Span] = []
    ignored: list[Ignored] = []
    for span, reason in found:
        if spans and span.start < spans[-1].end:
            if span.end <= spans[-1].end:
                continue
            span = Span(spans[-1].end, span.end)
        spans.append(span)
        ignored.append(Ignored(span, reason))
    return spans, ignored
