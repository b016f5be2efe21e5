"""Lines of a post and the list items that begin in them."""

from __future__ import annotations

from bisect import bisect_left

from parsers.structure import (
    Layout,
    Line,
    Status,
)
from parsers.text import Mark, PostText
from parsers.tokens import Kind

_BULLETS = frozenset("•*-+·●▪◦►→‣>")


def find_lines(layout: Layout, post: PostText) -> None:
    """Fills in the lines with their list items, and the tokens that begin something new."""
    tokens = layout.tokens
    first = 0
    offset = 0
    for i in range(len(tokens) + 1):
        if i == len(tokens) or tokens[i].kind is Kind.LINE:
            end = tokens[i].start if i < len(tokens) else len(layout.text)
            layout.lines.append(Line(first, i, start=offset, end=end))
            first, offset = i + 1, end + 1
    numbers = {m.span.start: m.detail for m in post.marks if m.mark is Mark.ITEM}
    starts: set[int] = set()
    plain = _plain_numbering(layout)
    for index, line in enumerate(layout.lines):
        if line.first < line.last:
            _list_mark(layout, line, numbers, starts, plain.get(index))
    rows = {m.span.start for m in post.marks if m.mark is Mark.ROW}
    starts.update(i for i, t in enumerate(tokens) if t.start in rows)
    blocks = (Mark.ITEM, Mark.SPOILER, Mark.QUOTE, Mark.HEADING, Mark.CODE)
    for mark in post.marks:
        if mark.mark in blocks:  # what follows a block is no part of its last order
            at = bisect_left(tokens, mark.span.end, key=lambda t: t.start)
            while at < len(tokens) and tokens[at].kind is Kind.LINE:
                at += 1
            starts.add(at)
    layout.item_starts = frozenset(starts)


def _plain_numbering(layout: Layout) -> dict[int, int]:
    """Lines numbered «1 …», «2 …» without a dot: the numbers must run on from 1."""
    out: dict[int, int] = {}
    expected = 1
    for index, line in enumerate(layout.lines):
        if line.first < line.last and layout.tokens[line.first].kind is Kind.NUMBER:
            norm = layout.tokens[line.first].norm
            following = layout.tokens[line.first + 1] if line.first + 1 < line.last else None
            if norm == str(expected) and following is not None and following.kind is Kind.WORD and not following.glued:
                out[index] = expected
                expected += 1
    return out if len(out) >= 3 else {}


def _list_mark(layout: Layout, line: Line, numbers: dict[int, str], starts: set[int], plain: int | None) -> None:
    tokens, status = layout.tokens, layout.status
    i = line.first
    token = tokens[i]
    if token.start in numbers or any(line.start <= s <= token.start for s in (token.start,) if s in numbers):
        line.bullet, line.item = True, numbers[token.start]
        starts.add(i)
    following = tokens[i + 1] if i + 1 < line.last else None
    marked = 0
    if token.kind is Kind.NUMBER and len(token.norm) <= 2 and following is not None:
        closes = following.norm in {".", ")"} and following.glued
        then = tokens[i + 2] if i + 2 < line.last else None
        if closes and not (following.norm == "." and then is not None and then.glued and then.kind is Kind.NUMBER):
            marked, line.item = 2, token.norm
        elif plain is not None:
            marked, line.item = 1, str(plain)
    elif token.kind is Kind.WORD and len(token.norm) == 1 and following is not None and following.norm == ")" and following.glued:
        marked, line.item = 2, token.norm
    elif token.kind is Kind.SIGN and token.norm in _BULLETS and following is not None:
        marked = 1 if token.norm != "-" or following.kind is not Kind.NUMBER or not following.glued else 0
    if marked:
        line.bullet = True
        for k in range(i, i + marked):
            status[k] = Status.LIST_MARK
        starts.add(i + marked)
    if not marked:
        _inline_numbering(layout, line, i, 0, starts)
    elif token.kind is Kind.NUMBER:
        _inline_numbering(layout, line, i + marked, int(token.norm), starts)


def _inline_numbering(layout: Layout, line: Line, at: int, number: int, starts: set[int]) -> None:
    """«1. … 2. … 3. …» in one line, whose head may be other words («Приказы: 1) … 2) …») if it runs on from one to two."""
    found: list[int] = []
    for i in range(at, line.last - 1):
        if layout.tokens[i].norm == str(number + len(found) + 1) and _numbers_item(layout, i, line.last):
            found.append(i)
    if number or len(found) > 1:
        for i in found:
            layout.status[i] = layout.status[i + 1] = Status.LIST_MARK
            starts.add(i + 2)


def _numbers_item(layout: Layout, i: int, last: int) -> bool:
    """True for a number with a bracket or a full stop behind it and a sign before it, inside a line."""
    tokens = layout.tokens
    closes = tokens[i + 1].norm in {".", ")"} and tokens[i + 1].glued
    parted = i > 0 and tokens[i - 1].norm in {".", ";", ",", ":", "!", ")", "…"}
    decimal = i + 2 < last and tokens[i + 2].glued and tokens[i + 2].kind is Kind.NUMBER
    return tokens[i].kind is Kind.NUMBER and not tokens[i].glued and closes and parted and not decimal
