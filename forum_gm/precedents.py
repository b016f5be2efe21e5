"""The GM's rulings on phrases: «кабаны» = огры-быки. A ruling is read as if the player had written its meaning, with certainty;
all places still refer to the words he wrote."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from parsers.text import Marked, PostText
from parsers.types import Ignored, Parse, Problem, Reading, Span


@dataclass(frozen=True, slots=True)
class Ruling:
    """A phrase and the words it stands for."""

    phrase: str
    meaning: str


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the rewritten text and where it comes from."""

    start: int
    old: Span
    ruling: Ruling | None


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A text with rulings applied, and the way back."""

    post: PostText
    pieces: tuple[_Piece, ...]
    original: PostText

    def back(self, span: Span) -> Span:
        """The player's own characters for a span of the rewritten text."""
        return Span(self._back(span.start, end=False), self._back(span.end, end=True))

    def used(self, span: Span) -> list[Ruling]:
        """The rulings applied inside a span of the rewritten text."""
        ends = [piece.start for piece in self.pieces[1:]] + [len(self.post.text)]
        return [
            piece.ruling
            for piece, end in zip(self.pieces, ends, strict=True)
            if piece.ruling is not None and piece.start < span.end and span.start < end
        ]

    def _back(self, offset: int, *, end: bool) -> int:
        starts = [piece.start for piece in self.pieces]
        index = max(0, bisect_right(starts, offset - 1 if end and offset else offset) - 1)
        piece = self.pieces[index]
        if piece.ruling is not None:
            return piece.old.end if end else piece.old.start
        return min(piece.old.end, piece.old.start + offset - piece.start)


def _pattern(phrase: str) -> str:
    words = [re.escape(word).replace("ё", "[её]").replace("е", "[её]") for word in phrase.casefold().replace("ё", "е").split()]
    return r"(?<!\w)" + r"\s+".join(words) + r"(?!\w)"


def rewrite(post: PostText, rulings: Sequence[Ruling]) -> Rewritten:
    """The post with every ruled phrase replaced by its meaning; longer phrases first. Letter case and ё/е don't matter."""
    rulings = sorted((r for r in rulings if r.phrase.split()), key=lambda r: (-len(r.phrase), r.phrase, r.meaning))
    if not rulings:
        return Rewritten(post, (_Piece(0, Span(0, len(post.text)), None),), post)
    pattern = re.compile("|".join(f"({_pattern(r.phrase)})" for r in rulings), re.IGNORECASE)
    text: list[str] = []
    pieces: list[_Piece] = []
    at = length = 0
    for match in pattern.finditer(post.text):
        ruling = rulings[(match.lastindex or 1) - 1]
        for part, old, by in (
            (post.text[at : match.start()], Span(at, match.start()), None),
            (ruling.meaning, Span(match.start(), match.end()), ruling),
        ):
            if part:
                pieces.append(_Piece(length, old, by))
                text.append(part)
                length += len(part)
        at = match.end()
    if at < len(post.text) or not pieces:
        pieces.append(_Piece(length, Span(at, len(post.text)), None))
        text.append(post.text[at:])
    made = Rewritten(PostText("".join(text)), tuple(pieces), post)
    marks = tuple(Marked(_forward(mark.span, pieces, len(made.post.text)), mark.mark, mark.detail) for mark in post.marks)
    return replace(made, post=replace(made.post, marks=marks))


def _forward(span: Span, pieces: Sequence[_Piece], length: int) -> Span:
    """Where a span of the old text lies in the new one; a replaced phrase belongs wholly or not at all."""

    def place(offset: int, *, end: bool) -> int:
        for piece, following in zip(pieces, [*(p.start for p in pieces[1:]), length], strict=True):
            inside = piece.old.start < offset <= piece.old.end if end else piece.old.start <= offset < piece.old.end
            if inside:
                if piece.ruling is not None:
                    return following if end else piece.start
                return piece.start + offset - piece.old.start
        return length if offset else 0

    start, stop = place(span.start, end=False), place(span.end, end=True)
    return Span(start, max(start, stop))


def restore(parse: Parse, made: Rewritten) -> Parse:
    """The parse of a rewritten text, with its places in the player's own words; readings name the rulings they rest on."""

    def reading(r: Reading) -> Reading:
        used = made.used(r.span)
        note = r.note
        if used:
            by = "по решению мастера: " + ", ".join(f"«{ruling.phrase}» — {ruling.meaning}" for ruling in used)
            note = f"{note}; {by}" if note else by
        return replace(
            r,
            span=made.back(r.span),
            note=note,
            fields={name: made.back(span) for name, span in r.fields.items()},
            extra_spans=tuple(made.back(span) for span in r.extra_spans),
        )

    def problem(p: Problem) -> Problem:
        return p if p.span is None else p.at(made.back(p.span))

    return replace(
        parse,
        text=made.original.text,
        readings=tuple(reading(r) for r in parse.readings),
        problems=tuple(problem(p) for p in parse.problems),
        ignored=tuple(Ignored(made.back(i.span), i.reason) for i in parse.ignored),
    )
