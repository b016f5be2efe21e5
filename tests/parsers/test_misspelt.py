"""A word of no dictionary that nothing explains makes the order next to it ask, also behind a comma or a dash."""

from __future__ import annotations

import pytest

from parsers.text import from_text
from tests.parsers.test_any_text import language


def certain(text: str, game: str = "steel_rose", faction: str = "empire", step: str = "orders") -> list[bool]:
    return [r.certain for r in language(game, faction, step).parse(from_text(text)).readings]


@pytest.mark.parametrize(
    "text",
    [
        "Нанять 5 копейщиков, 4 лучника, конинца.",
        "Нанять 5 копейщиков, всабников.",
        "Эльфам и ограм предлагаем союз, Культу — ниеего.",
        "НАНЯТЬ 5 КОПЕЙЩИКОВ, КОНТИЦА",
    ],
)
def test_a_strange_word_makes_the_order_beside_it_ask(text: str) -> None:
    assert False in certain(text)


@pytest.mark.parametrize(
    "text",
    [
        "Нанять 5 копейщиков, плз.",
        "Нанять 5 копейщиков, чмоки!",
        "Нанять 5 копейщиков, старый Кулгу проследит.",
        "Нанять 5 копейщиков. Конинца взлабыркнулась.",
        "Нанять сколько-нибудь? Нет: нанять 5 копейщиков.",
    ],
)
def test_slang_names_and_other_sentences_ask_nothing(text: str) -> None:
    assert certain(text) == [True]


def test_the_cards_of_a_battle_ask_where_one_is_misspelt() -> None:
    text = "Битва 1: Железная стража - атака, оборона, осбтрел. Перестановку не меняю."
    assert True not in certain(text, "grand_strategy", "thorgrim", "battle")
