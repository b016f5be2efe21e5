"""Numbers in a text, in digits and words: «14», «десятку», «полтора десятка», «1-й», «60/40», «0,6», «х5», «шесть десятых»."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from parsers.russian import words
from parsers.tokens import Kind, Token

Number = int | Fraction


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number found in the tokens `first <= i < last`."""

    first: int
    last: int
    kind: str
    """`number`, `ordinal`, `percent`, `ratio` (a pair), `times` («два раза»), `sum` (the player's own arithmetic), or a unit of
    the language (`energy`)."""
    value: Any
    old: Number | None = None
    """The number that this one corrects («не 10, а 8»)."""
    negative: bool = False
    repaired: bool = False


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    raw = words()["numerals"]
    ordinals: dict[str, int] = {}
    for stem, value in raw["ordinals"].items():
        for ending in raw["ordinal_endings"]:
            ordinals[stem + ending] = value
    for word in raw["values"]:
        ordinals.pop(word, None)
    return {
        **{k: frozenset(v) for k, v in raw.items() if isinstance(v, list)},
        "values": raw["values"],
        "dozens": raw["dozens"],
        "ordinals": ordinals,
        "tenths": raw["tenths"],
    }


_INLINE = frozenset(words()["correction"]["inline"])
_OPERATORS = frozenset("+*/×·-=<>()")


def find_numerals(tokens: Sequence[Token], units: Mapping[str, frozenset[str]]) -> list[Numeral]:
    """All numbers of the tokens, in order, not overlapping. `units` maps a unit's kind to its words («э», «эн», «энергии»)."""
    tables = _tables()
    unit_of = {word: kind for kind, names in units.items() for word in names}
    sums = _sums(tokens, unit_of)
    out: list[Numeral] = []
    i = 0
    while i < len(tokens):
        if i in sums:
            out.append(Numeral(i, sums[i], "sum", None))
            i = sums[i]
            continue
        numeral = _numeral(tokens, i, tables, unit_of)
        if numeral is None:
            i += 1
            continue
        out.append(numeral)
        i = numeral.last
    return _corrected(tokens, out)


def _at(tokens: Sequence[Token], i: int) -> str:
    return tokens[i].norm if 0 <= i < len(tokens) else ""


def _glued(tokens: Sequence[Token], i: int) -> bool:
    return i < len(tokens) and tokens[i].glued


def _numeral(tokens: Sequence[Token], i: int, tables: dict[str, Any], unit_of: Mapping[str, str]) -> Numeral | None:
    token = tokens[i]
    if token.kind is Kind.NUMBER:
        return _digits(tokens, i, tables, unit_of)
    if token.kind is Kind.SIGN:
        if token.norm in "×*" and i + 1 < len(tokens) and tokens[i + 1].kind is Kind.NUMBER and token.norm == "×":
            return _with_unit(tokens, i, i + 2, int(_limited(tokens[i + 1].norm)), tables, unit_of)
        return None
    if token.kind is not Kind.WORD:
        return None
    if token.norm in ("х", "x") and i + 1 < len(tokens) and tokens[i + 1].kind is Kind.NUMBER:
        return _with_unit(tokens, i, i + 2, int(_limited(tokens[i + 1].norm)), tables, unit_of)
    return _worded(tokens, i, tables, unit_of)


def _limited(digits: str) -> str:
    return digits[:40]


def _digits(tokens: Sequence[Token], i: int, tables: dict[str, Any], unit_of: Mapping[str, str]) -> Numeral | None:
    raw = _limited(tokens[i].norm)
    value: Number = int(raw)
    last = i + 1
    negative = _at(tokens, i - 1) == "-" and tokens[i].glued and not (tokens[i - 1].glued and i >= 2)
    # 1 000
    if not raw.startswith("0") and len(raw) <= 3:
        while (
            last < len(tokens) and tokens[last].kind is Kind.NUMBER and len(tokens[last].norm) == 3 and tokens[last].norm == "000"
        ):
            value = int(value) * 1000
            last += 1
    # 0,6  5.5
    if (
        _at(tokens, last) in {",", "."}
        and _glued(tokens, last)
        and last + 1 < len(tokens)
        and tokens[last + 1].kind is Kind.NUMBER
        and tokens[last + 1].glued
        and not raw.startswith("00")
    ):
        digits = _limited(tokens[last + 1].norm)
        value = int(value) + Fraction(int(digits), 10 ** len(digits))
        if isinstance(value, Fraction) and value.denominator == 1 and digits.strip("0") == "":
            value = int(value)
        last += 2
        return _with_unit(tokens, i, last, -value if negative else value, tables, unit_of, negative=negative)
    # 60/40  6:4
    if (
        _at(tokens, last) in {"/", ":"}
        and last + 1 < len(tokens)
        and tokens[last + 1].kind is Kind.NUMBER
        and (tokens[last + 1].glued or _at(tokens, last) == "/")
        and _at(tokens, last + 2) not in {"/", ":", "="}
    ):
        return Numeral(i, last + 2, "ratio", (int(value), int(_limited(tokens[last + 1].norm))))
    # 1-й  2ю  10-ку  5-ти
    at = last
    if _at(tokens, at) == "-" and _glued(tokens, at):
        at += 1
    if at < len(tokens) and tokens[at].kind is Kind.WORD and tokens[at].glued:
        ending = tokens[at].norm
        if at == last and ending in ("х", "x"):
            return _with_unit(tokens, i, at + 1, value, tables, unit_of)
        if ending in tables["digit_endings"] and (at > last or ending not in unit_of):
            return Numeral(i, at + 1, "ordinal", int(value))
        if at > last and ending in tables["noun_endings"]:
            return _with_unit(tokens, i, at + 1, value, tables, unit_of)
    return _with_unit(tokens, i, last, -value if negative else value, tables, unit_of, negative=negative)


def _worded(tokens: Sequence[Token], i: int, tables: dict[str, Any], unit_of: Mapping[str, str]) -> Numeral | None:
    norm = tokens[i].norm
    values: Mapping[str, int] = tables["values"]
    if norm in tables["one_and_half"]:
        dozen = tables["dozens"].get(_at(tokens, i + 1))
        if dozen:
            return _with_unit(tokens, i, i + 2, dozen * 3 // 2, tables, unit_of)
        return _with_unit(tokens, i, i + 1, Fraction(3, 2), tables, unit_of)
    if norm in tables["ordinals"]:
        if _at(tokens, i - 1) == "-" and _at(tokens, i - 2) in {"во", "в", "по"}:
            return None
        return Numeral(i, i + 1, "ordinal", tables["ordinals"][norm])
    if norm not in values:
        return None
    value: Number = values[norm]
    last = i + 1
    if norm in tables["hundreds"] or norm in tables["tens"]:
        while last < len(tokens) and tokens[last].kind is Kind.WORD and _at(tokens, last) in values:
            word = _at(tokens, last)
            step = values[word]
            if (norm in tables["tens"] and 1 <= step <= 9) or (norm in tables["hundreds"] and 1 <= step <= 99):
                value = int(value) + step
                norm = word
                last += 1
                if norm not in tables["tens"]:
                    break
            else:
                break
        if _at(tokens, last) in tables["ordinals"] and norm in tables["tens"] and 1 <= tables["ordinals"][_at(tokens, last)] <= 9:
            return Numeral(i, last + 1, "ordinal", int(value) + tables["ordinals"][_at(tokens, last)])
    elif _at(tokens, last) in tables["dozens"] and 2 <= value <= 9:
        value = int(value) * tables["dozens"][_at(tokens, last)]
        last += 1
    elif _at(tokens, last) in tables["tenths"]:
        return Numeral(i, last + 1, "number", Fraction(int(value), tables["tenths"][_at(tokens, last)]))
    return _with_unit(tokens, i, last, value, tables, unit_of)


def _with_unit(
    tokens: Sequence[Token],
    first: int,
    last: int,
    value: Number,
    tables: dict[str, Any],
    unit_of: Mapping[str, str],
    *,
    negative: bool = False,
) -> Numeral:
    if negative and _at(tokens, first - 1) == "-":
        first -= 1
    at = last
    if _at(tokens, at) in tables["pieces"] and not (at < len(tokens) and _at(tokens, at) in unit_of):
        at += 1
        if _at(tokens, at) == "." and _glued(tokens, at):
            at += 1
        return Numeral(first, at, "number", value, negative=negative)
    if _at(tokens, at) == "%" or _at(tokens, at).startswith("процент"):
        return Numeral(first, at + 1, "percent", value, negative=negative)
    if _at(tokens, at) in {"раз", "раза"}:
        return Numeral(first, at + 1, "times", value)
    kind = unit_of.get(_at(tokens, at))
    if kind is not None:
        at += 1
        if _at(tokens, at) == "." and _glued(tokens, at) and (at + 1 >= len(tokens) or not _glued(tokens, at + 1) or True):
            at += 1
        if unit_of.get(_at(tokens, at)) == kind:  # «ед. энергии»
            at += 1
        return Numeral(first, at, kind, value, negative=negative)
    return Numeral(first, last, "number", value, negative=negative)


def _sums(tokens: Sequence[Token], unit_of: Mapping[str, str]) -> dict[int, int]:
    """Arithmetic that the player wrote out: runs of numbers and signs with an equals sign and an operation."""
    out: dict[int, int] = {}
    i = 0
    while i < len(tokens):
        if tokens[i].kind is not Kind.NUMBER and tokens[i].norm not in _OPERATORS:
            i += 1
            continue
        j = i
        while j < len(tokens) and (
            tokens[j].kind is Kind.NUMBER
            or tokens[j].norm in _OPERATORS
            or (tokens[j].norm in {",", "."} and j > i and (tokens[j - 1].kind is Kind.NUMBER or tokens[j - 1].norm in unit_of))
            or (j > i and tokens[j].norm in unit_of and tokens[j - 1].kind is Kind.NUMBER)
        ):
            j += 1
        run = tokens[i:j]
        equals = [k for k, t in enumerate(run) if t.norm == "="]
        if equals:
            numbers = [k for k, t in enumerate(run) if t.kind is Kind.NUMBER]
            before = [k for k in numbers if k < equals[-1]]
            operations = any(
                t.norm in "+*/×·-" and k and k + 1 < len(run) and before and k > before[0] for k, t in enumerate(run)
            )
            if len(before) >= 2 and operations and any(k > equals[-1] for k in numbers):
                start = i
                for k in range(1, equals[-1]):
                    if run[k].kind is Kind.NUMBER and run[k - 1].kind is Kind.NUMBER:
                        start = i + k  # «3   24 + 1,3*3 = 27,9»: the first number stands by itself
                while start < j and tokens[start].norm in {"-", ")", ",", "."}:
                    start += 1
                # «4 э. => 24 + …»: what stands before the first arrow is the order's own number
                arrow = next((k for k in range(start, j - 1) if tokens[k].norm == "=" and tokens[k + 1].norm == ">"), None)
                if arrow is not None:
                    start = arrow
                stop = j
                while stop > start and tokens[stop - 1].norm in {"(", ",", ".", "-"}:
                    stop -= 1
                out[start] = stop
        i = max(j, i + 1)
    return out


def _corrected(tokens: Sequence[Token], found: list[Numeral]) -> list[Numeral]:
    """Joins a number with the one that takes its place: «восемь, нет, давай девять», «не 10, а 8»."""
    out: list[Numeral] = []
    for numeral in found:
        before = out[-1] if out else None
        if (
            before is not None
            and before.kind != "sum"
            and numeral.kind in {before.kind, "number"} | ({numeral.kind} if before.kind == "number" else set())
        ):
            between = [t.norm for t in tokens[before.last : numeral.first] if t.norm not in {",", ".", "-", "…"}]
            start = before.first
            negated = start > 0 and tokens[start - 1].norm == "не"
            kind = numeral.kind if numeral.kind != "number" else before.kind
            if negated and between == ["а"]:
                out[-1] = Numeral(start - 1, numeral.last, kind, numeral.value, old=before.value)
                continue
            if between and len(between) <= 3 and all(w in _INLINE for w in between):
                out[-1] = Numeral(start, numeral.last, kind, numeral.value, old=before.value)
                continue
        out.append(numeral)
    return out
