"""An offer to a people that isn't in the game is refused by name, with a verb or without one."""

from __future__ import annotations

import pytest

from tests.parsers.steel_rose.test_kinds_of_phrases import read


@pytest.mark.parametrize(
    "text",
    [
        "гномам союз",
        "гномам — союз",
        "Союз с гномами.",
        "с троллями мир",
        "Союз кентаврам!",
        "Барак в Кронвике, а ещё гномам союз",
    ],
)
def test_an_offer_to_nobody_known_is_named(text: str) -> None:
    parse = read(text, "empire")
    assert "E_UNKNOWN_FACTION" in [p.code for p in parse.problems]
    assert not [r for r in parse.readings if r.command["type"] == "propose_alliance"]


@pytest.mark.parametrize("text", ["Мир вам, соседи!", "Мир вашему дому", "союз с соседями не нужен", "эльфам союз"])
def test_other_words_of_peace_are_none(text: str) -> None:
    assert not read(text, "empire").problems
