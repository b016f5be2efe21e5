"""The build of a post: lines, list items, sentences, and for each token whether orders may stand there.

Serves the accounting: whatever is no order here has a reason (quote, struck-out, out of character, conditional, wish, question).
`parsers.layout` works it out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache

from parsers.russian import words
from parsers.tokens import Kind, Token
from parsers.types import Ignored, IgnoredReason, Span


class Status(IntEnum):
    """Whether a token may be part of an order."""

    LIVE = 0
    CONDITIONAL = 1
    QUESTION = 2
    IRREAL = 3
    """A wish, a plan, a guess, the past."""
    SPEECH = 4
    """Somebody's words in quotation marks."""
    SUMMARY = 5
    OOC = 6
    SIGNATURE = 7
    LIST_MARK = 8
    """«1.», «а)», «•»."""
    HEDGED = 9
    """Said as likely, or as what others say: an order in it is asked about."""
    REPAIR = 10
    """A correction that was carried out where it belongs."""


REASONS = {
    Status.SUMMARY: IgnoredReason.SUMMARY,
    Status.OOC: IgnoredReason.OOC,
    Status.SIGNATURE: IgnoredReason.SIGNATURE,
    Status.LIST_MARK: IgnoredReason.SEPARATOR,
    Status.REPAIR: IgnoredReason.SUPERSEDED,
}


@dataclass(slots=True)
class Line:
    """One line of the post, as token indices."""

    first: int
    last: int
    item: str = ""
    """Number or letter of the list item that begins here («2»)."""
    bullet: bool = False
    """A list item begins here."""
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class Sentence:
    """A sentence, as token indices; never longer than its line."""

    first: int
    last: int
    line: int
    item: str = ""
    """Number of the list item it belongs to."""


@dataclass(slots=True)
class Layout:
    """Everything found out about a post's build."""

    text: str
    tokens: list[Token]
    status: list[Status]
    lines: list[Line]
    sentences: list[Sentence]
    sentence_of: list[int]
    """Index of the sentence of each token; -1 for line ends."""
    ignored: list[Ignored] = field(default_factory=list)
    conditionals: list[tuple[int, int]] = field(default_factory=list)
    """Conditional stretches, as token indices."""
    bold: list[Span] = field(default_factory=list)
    italic: list[Span] = field(default_factory=list)
    item_starts: frozenset[int] = frozenset()
    """Indices of tokens right after a list mark."""


Phrases = Mapping[str, Sequence[tuple[str, ...]]]


@lru_cache(maxsize=64)
def phrases(*path: str) -> Phrases:
    """A list of phrases of `data/russian.toml`, by their first word, longest first."""
    table: object = words()
    for key in path:
        table = table[key]  # type: ignore[index]
    assert isinstance(table, list)
    out: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted((tuple(p.replace("-", " ").split()) for p in table), key=len, reverse=True):
        out.setdefault(phrase[0], []).append(phrase)
    return out


def starts_with(tokens: Sequence[Token], at: int, last: int, phrases: Phrases) -> int:
    """The length in tokens of the longest phrase that stands at `at`, signs between its words not counted; 0: none."""
    for phrase in phrases.get(tokens[at].norm, ()) if at < last else ():
        i = at
        for n, word in enumerate(phrase):
            while n and i < last and tokens[i].norm in {"-", "."}:
                i += 1
            if i >= last or tokens[i].norm != word:
                break
            i += 1
        else:
            return i - at
    return 0


def inside(spans: Sequence[Span], offset: int) -> bool:
    """True when one of these sorted, disjoint spans holds the offset."""
    at = bisect_right(spans, offset, key=lambda s: s.start) - 1
    return at >= 0 and offset < spans[at].end


def clauses(layout: Layout, sentence: Sentence) -> list[tuple[int, int]]:
    """The clauses of a sentence: parts between commas, colons, dashes with blanks, brackets."""
    tokens = layout.tokens
    out: list[tuple[int, int]] = []
    first = sentence.first
    for i in range(sentence.first, sentence.last):
        norm = tokens[i].norm
        dash = norm == "-" and not tokens[i].glued
        if tokens[i].kind is Kind.SIGN and (norm in ",:;()→" or dash):
            if first < i:
                out.append((first, i))
            first = i + 1
        elif norm == "но" and i > first:
            out.append((first, i))
            first = i
    if first < sentence.last:
        out.append((first, sentence.last))
    return out


def set_status(layout: Layout, first: int, last: int, status: Status) -> None:
    """Gives tokens a status; list marks keep theirs."""
    for k in range(first, last):
        if layout.status[k] is not Status.LIST_MARK:
            layout.status[k] = status


def first_word(layout: Layout, sentence: Sentence) -> int:
    """Index of the sentence's first token that is no sign and no list mark; `last` where there is none."""
    i = sentence.first
    while i < sentence.last and (layout.status[i] is Status.LIST_MARK or layout.tokens[i].kind is Kind.SIGN):
        i += 1
    return i
