"""Parts of a post that are no order by their marks: quotes, struck-out text, code, signatures, «((…))»."""

from __future__ import annotations

import re
from collections.abc import Iterator

from parsers.russian import info, words
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

_QUOTED = re.compile(r"(?:^[ \t]*(?:>|&gt;).*$\n?)+", re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]+")


def find_holes(post: PostText) -> tuple[list[Span], list[Ignored]]:
    """The parts that are cut out before anything is read, sorted and disjoint, and why each is no order."""
    found: list[tuple[Span, IgnoredReason]] = [
        (m.span, _HOLES[m.mark]) for m in post.marks if m.mark in _HOLES and m.span.start < m.span.end
    ]
    text = post.text
    found.extend((span, IgnoredReason.QUOTE) for span in _quoted(text))
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


def _quoted(text: str) -> Iterator[Span]:
    """Lines behind «>» are a quote, but some write their lists so: several such lines below a head that announces them («Мой
    ход:») and names no speaker, or alone in the post."""
    for found in _QUOTED.finditer(text):
        lines = found.group().rstrip("\n")
        end = found.start()
        while end and text[end - 1].isspace():
            end -= 1
        alone = end == 0 and not text[found.end() :].strip()
        announced = end > 0 and text[end - 1] == ":" and not _names_speaker(text[text.rfind("\n", 0, end) + 1 : end])
        if "\n" not in lines or not (alone or announced):
            yield Span(found.start(), found.start() + len(lines))


def _names_speaker(head: str) -> bool:
    said = frozenset(words()["reported"]["lemmas"])
    return any(info(word.lower()).lemmas & said for word in _WORD.findall(head))
