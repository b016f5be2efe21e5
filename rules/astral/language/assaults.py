"""«Если нападут», «на случай атаки», «если кто полезет»: what reserves and tactics are for anyway, and so no condition."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache

from parsers.atoms import Atom, Sense
from parsers.russian import info
from parsers.structure import Layout, Status, phrases, starts_with
from parsers.tokens import Kind, Token
from parsers.types import Span
from rules.astral.language.names import beside, tables

_ENDS = frozenset({",", "-", ":", "(", ";", ".", "то"})
_UNITS = 2
"""So many units make a tactic."""


def expected(tokens: Sequence[Token]) -> bool:
    """True for a condition that only says that somebody attacks, and an order of defence (not: two, or what else to do)."""
    found = list(_clauses(tokens))
    if len(found) != 1:
        return False
    rest = [t for k, t in enumerate(tokens) if not found[0][0] <= k < found[0][1] and t.kind is Kind.WORD]
    if any(t.norm in {"если", "иначе", "нет"} for t in rest):
        return False
    lemmas = [info(t.norm).lemmas | {t.norm} for t in rest]
    if any(said & _kept() for said in lemmas):
        return True  # a reserve is for nothing else; a tactic under «если» may be meant for that alone
    at_all = tokens[found[0][0]].norm == "в"
    return at_all and (any(said & _held() for said in lemmas) or sum(bool(said & beside("units")) for said in lemmas) >= _UNITS)


def assaults(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """The atoms with one for each such clause in the place of what stands in it («если нападут» calls for no attack)."""
    tokens = layout.tokens
    out: list[Atom] = []
    at = 0
    for first, last in _clauses(tokens):
        if layout.status[first] not in (Status.LIVE, Status.CONDITIONAL):
            continue
        begin = bisect_left(atoms, first, lo=at, key=lambda a: a.first)
        out += atoms[at:begin]
        span = Span(tokens[first].start, tokens[last - 1].end)
        out.append(Atom(first, last, span, (Sense("if_attacked", "if_attacked"),), text=layout.text[span.start : span.end]))
        at = bisect_left(atoms, last, lo=begin, key=lambda a: a.first)
    return [*out, *atoms[at:]]


def _clauses(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where such clauses stand."""
    starts, nouns = phrases("conditional", "starts"), tuple(beside("blows"))
    i = 0
    while i < len(tokens):
        led = _led(tokens, i)
        if led and i + led < len(tokens) and tokens[i + led].norm.startswith(nouns) and not _counted(tokens, i + led + 1):
            yield i, i + led + 1
            i += led + 1
            continue
        length = starts_with(tokens, i, len(tokens), starts) if tokens[i].kind is Kind.WORD else 0
        end = _behind(tokens, i + length) if length else 0
        if end:
            yield i, end
            i = end
            continue
        i += 1


def _behind(tokens: Sequence[Token], first: int) -> int:
    """Where a clause that says no more than that somebody attacks ends; 0: it says more, or less."""
    assault, somebody = beside("assault"), beside("anybody")
    attacked = False
    for i in range(first, len(tokens) + 1):
        if i == len(tokens) or _parts(tokens, i):
            return i if attacked else 0
        if tokens[i].kind is Kind.WORD:
            said = info(tokens[i].norm).lemmas | {tokens[i].norm}
            if said.isdisjoint(assault) and said.isdisjoint(somebody):
                return 0
            attacked = attacked or not said.isdisjoint(assault)
    return 0


def _parts(tokens: Sequence[Token], i: int) -> bool:
    """True for what ends a clause; the hyphen of «кто-то» doesn't."""
    if tokens[i].norm in {"-", "то"} and (tokens[i].glued or tokens[i - 1].norm == "-"):
        return False
    return tokens[i].kind is Kind.LINE or tokens[i].norm in _ENDS


def _led(tokens: Sequence[Token], i: int) -> int:
    """The length of «на случай», «в случае», «при» here."""
    if tokens[i].norm == "при":
        return 1
    two = tokens[i].norm in {"на", "в"} and i + 1 < len(tokens) and tokens[i + 1].norm in {"случай", "случае"}
    return 2 if two else 0


def _counted(tokens: Sequence[Token], i: int) -> bool:
    """«при атаке №1»: that one is meant."""
    if i >= len(tokens):
        return False
    energy = i + 1 < len(tokens) and tokens[i + 1].norm in tables()["units"]["energy"]
    return (tokens[i].kind is Kind.NUMBER and not energy) or tokens[i].norm == "№" or tokens[i].norm.startswith("перв")


@cache
def _kept() -> frozenset[str]:
    """Words of reserves."""
    table = tables()["words"]
    return frozenset(w.removeprefix("=") for key in ("reserve", "keep") for w in table[key])


@cache
def _held() -> frozenset[str]:
    """Words of tactics."""
    return frozenset(w.removeprefix("=") for w in tables()["words"]["tactic"])
