"""Numbers as players write them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from parsers.numerals import find_numerals
from parsers.tokens import tokenise

UNITS = {"energy": frozenset({"э", "эн", "энергии", "ед"})}
CASES: list[tuple[str, list[tuple[str, Any]]]] = [
    ("14э", [("energy", 14)]),
    ("14 э. в бой", [("energy", 14)]),
    ("5 ед. энергии", [("energy", 5)]),
    ("десятку", [("number", 10)]),
    ("10-ку", [("number", 10)]),
    ("пяток", [("number", 5)]),
    ("полтора десятка эн", [("energy", 15)]),
    ("два десятка", [("number", 20)]),
    ("дюжина", [("number", 12)]),
    ("двадцать пять", [("number", 25)]),
    ("сто двадцать три", [("number", 123)]),
    ("1 000 и 2 011", [("number", 1000), ("number", 2), ("number", 11)]),
    ("х5", [("number", 5)]),
    ("5х", [("number", 5)]),
    ("×6", [("number", 6)]),
    ("5 шт.", [("number", 5)]),
    ("0,6", [("number", Fraction(3, 5))]),
    ("5.5э", [("energy", Fraction(11, 2))]),
    ("60/40", [("ratio", (60, 40))]),
    ("60%", [("percent", 60)]),
    ("45 %", [("percent", 45)]),
    ("шесть десятых", [("number", Fraction(3, 5))]),
    ("1-й", [("ordinal", 1)]),
    ("2ю", [("ordinal", 2)]),
    ("первую и третьей", [("ordinal", 1), ("ordinal", 3)]),
    ("1я4 2я2", [("ordinal", 1), ("number", 4), ("ordinal", 2), ("number", 2)]),
    ("два раза", [("times", 2)]),
    ("-5э", [("energy", -5)]),
    ("семь, нет, восемь", [("number", 8)]),
    ("восемь нет давай девять", [("number", 9)]),
    ("не 10, а 8", [("number", 8)]),
    ("12 + 2 + 1 = 15", [("sum", None)]),
    ("4 э. => 24 + (1 + 0,15*2)*4 = 29,2", [("energy", 4), ("sum", None)]),
    ("000.Таверна", [("number", 0)]),
    ("во-первых", []),
    ("п'ять", [("number", 5)]),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_numbers(text: str, expected: list[tuple[str, Any]]) -> None:
    found = find_numerals(tokenise(text, 0, len(text)), UNITS)
    assert [(n.kind, n.value) for n in found] == expected


def test_a_corrected_number_knows_the_old_one() -> None:
    text = "не 10, а 8"
    (numeral,) = find_numerals(tokenise(text, 0, len(text)), UNITS)
    assert (numeral.old, numeral.value) == (10, 8)
