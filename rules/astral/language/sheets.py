"""What is said of an earlier sheet: «мой утренний пост», «старая моя писанина», «заявка от утра», «всё, что я писал раньше»."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import preposition
from parsers.russian import Verb, info
from parsers.structure import Layout
from parsers.tokens import Kind, Token
from parsers.types import Span
from rules.astral.language.names import beside

_REACH = 3
"""So many words may stand between a sheet and the word that tells which."""
_GIVEN_UP = frozenset({"sheet", "sheet_old", "ordinal", "number", "~place"})
"""Kinds of words that such a name may be made of."""


def earlier_sheets(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """The atoms, with one for each earlier sheet that is spoken of."""
    tokens = layout.tokens
    out = list(atoms)
    for sentence in layout.sentences:
        i = sentence.first
        while i < sentence.last:
            if tokens[i].kind is not Kind.WORD:
                i += 1
                continue
            end = _named(tokens, i, sentence.last) or _told(tokens, i, sentence.last)
            if end:
                out = _put(layout, out, i, end)
                i = end
            else:
                i += 1
    return out


def _named(tokens: Sequence[Token], i: int, last: int) -> int:
    """Where «старый мой ход», «ход мой старый», «заявка от утра», «пост выше» ends; 0: it doesn't stand here."""
    said = _said(tokens[i])
    former, first = said & beside("former"), said & beside("first")
    sheet, post = said & beside("sheets"), said & beside("posts")
    if not (former or first or sheet or post):
        return 0
    if post and i + 1 < last and tokens[i + 1].kind is Kind.NUMBER:
        return _numbered(tokens, i + 1, last)
    for k in range(i + 1, min(i + 1 + _REACH, last)):
        other = _said(tokens[k])
        known = other & beside("posts") or (other & beside("sheets") and former)
        if (former or first) and known:
            return k + 1
        if (sheet or post) and (other & beside("former") or tokens[k].norm in beside("earlier")):
            return k + 1
        if (sheet or post) and tokens[k].norm == "от" and k + 1 < last and tokens[k + 1].norm in beside("moments"):
            return k + 2
        if tokens[k].norm not in beside("mine") | beside("own") | {"весь", "все", "всю"} and not other & beside("telling"):
            return 0
    return 0


def _numbered(tokens: Sequence[Token], i: int, last: int) -> int:
    """Where «(версии) 1 и 2» ends."""
    while i + 2 < last and tokens[i + 1].norm in {"и", ",", "-"} and tokens[i + 2].kind is Kind.NUMBER:
        i += 2
    return i + 1


def _told(tokens: Sequence[Token], i: int, last: int) -> int:
    """Where «(всё), что я писал раньше» ends."""
    if tokens[i].norm not in {"что", "чего"}:
        return 0
    for k in range(i + 1, min(i + 1 + _REACH, last)):
        if info(tokens[k].norm).verb is Verb.PAST and _said(tokens[k]) & beside("telling"):
            end = k + 1
            while end < last and end <= k + 2 and tokens[end].norm in beside("earlier") | {"до", "этого", "я", "тут"}:
                end += 1
            return end
    return 0


def _said(token: Token) -> frozenset[str]:
    return info(token.norm).lemmas | {token.norm} if token.kind is Kind.WORD else frozenset()


def _put(layout: Layout, atoms: list[Atom], first: int, last: int) -> list[Atom]:
    span = Span(layout.tokens[first].start, layout.tokens[last - 1].end)
    text = layout.text[span.start : span.end]
    made = Atom(first, last, span, (Sense("sheet_old", "sheet_old"),), preposition(layout.tokens, first), text=text)
    kept = [a for a in atoms if a.last <= first or a.first >= last]
    lost = (s for a in atoms if a.first < last and a.last > first for s in a.senses)
    if any(s.kind not in _GIVEN_UP and not s.partial for s in lost):
        return atoms
    return sorted([*kept, made], key=lambda a: a.first)
