"""Words in quotation marks that somebody says."""

from __future__ import annotations

from parsers.russian import Verb, closed_class, info
from parsers.structure import (
    Layout,
    Status,
    inside,
    set_status,
)
from parsers.tokens import Kind

_OPENERS = {"«": "»", "“": "”", "„": "“", '"': '"'}
_CLAUSE_ENDS = frozenset(",;:.!?…")


def mark_speech(layout: Layout) -> None:
    """Words in quotation marks that say something (they hold a verb) are somebody's speech, not an order."""
    tokens = layout.tokens
    i = 0
    while i < len(tokens):
        closer = _OPENERS.get(tokens[i].norm) if tokens[i].kind is Kind.SIGN else None
        if closer is None:
            i += 1
            continue
        j = i + 1
        while j < len(tokens) and j - i < 80 and tokens[j].norm != closer and tokens[j].kind is not Kind.LINE:
            j += 1
        if j < len(tokens) and tokens[j].norm == closer:
            said = [t for t in tokens[i + 1 : j] if t.kind is Kind.WORD]
            spoken = any(info(t.norm).verb not in (Verb.NONE, Verb.INFINITIVE) for t in said if t.norm not in closed_class())
            if len(said) >= 3 and spoken:
                shown = _shown(layout, i + 1, j)
                plain = [k for k in range(i, j + 1) if k not in shown]
                # What is set in bold inside a speech is what its author wants to be read.
                quiet = plain if any(tokens[k].kind is Kind.WORD for k in plain) or _alone(layout, i, j) else range(i, j + 1)
                for k in quiet:
                    set_status(layout, k, k + 1, Status.SPEECH)
            i = j + 1
        else:
            i += 1


def _shown(layout: Layout, first: int, last: int) -> frozenset[int]:
    """Tokens of the clauses that have something set in bold: «Передайте Каэлю **пять энергии**, — сказало эхо»."""
    tokens = layout.tokens
    out: set[int] = set()
    begin = first
    for k in range(first, last + 1):
        if k == last or (tokens[k].kind is Kind.SIGN and tokens[k].norm in _CLAUSE_ENDS):
            if any(inside(layout.bold, tokens[m].start) for m in range(begin, k)):
                out.update(range(begin, k))
            begin = k + 1
    return frozenset(out)


def _alone(layout: Layout, first: int, last: int) -> bool:
    """True for a quotation that is a whole line: set in bold, it is a letter of orders."""
    tokens = layout.tokens
    before, behind = first - 1, last + 1
    while before >= 0 and tokens[before].kind is Kind.SIGN:
        before -= 1
    while behind < len(tokens) and tokens[behind].kind is Kind.SIGN:
        behind += 1
    begins = before < 0 or tokens[before].kind is Kind.LINE
    return begins and (behind >= len(tokens) or tokens[behind].kind is Kind.LINE)
