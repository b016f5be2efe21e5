"""Self-repairs: «10 копейщиков, то есть 12» is an order for twelve, in all games alike; what only looks like a repair is none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from parsers.text import from_text
from tests.parsers.test_any_text import language

TERMS = ["нет", "то есть", "вернее", "точнее", "тьфу", "ой, нет", "стоп, лучше", "нет, лучше", "хотя нет", "ай", "вру", "пардон"]
OPENINGS = [", ", "... ", " — ", ". "]
PLACES = ["steel_rose", "empire", "orders"], ["grand_strategy", "thorgrim", "turn"]


def said(text: str, game: str = "steel_rose", faction: str = "empire", step: str | None = "orders") -> list[Any]:
    """Commands without their sources, and whether each is certain."""
    parse = language(game, faction, step).parse(from_text(text))
    assert parse.uncovered() == []
    return [({k: v for k, v in r.command.items() if k != "type"}, r.certain) for r in parse.readings]


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(TERMS), st.sampled_from(OPENINGS), st.integers(2, 60), st.integers(2, 60))
def test_a_number_put_right_is_the_one_that_counts(term: str, opening: str, wrong: int, right: int) -> None:
    assume(wrong != right)
    term = term.capitalize() if opening == ". " else term
    assert said(f"Нанять {wrong} копейщиков{opening}{term}, {right}.") == said(f"Нанять {right} копейщиков.")


@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize(
    ("wrong", "right", "meant"),
    [
        ("Построить барак в Кронвике", "в Белом Броде", "Построить барак в Белом Броде"),
        ("Построить барак в Кронвике", "ферму", "Построить ферму в Кронвике"),
        ("Нанять 10 копейщиков", "12 лучников", "Нанять 12 лучников"),
        ("Предлагаю союз эльфам", "ограм", "Предлагаю союз ограм"),
    ],
)
def test_a_thing_put_right_takes_the_place_of_its_like(wrong: str, right: str, meant: str, term: str) -> None:
    expected = [command for command, _ in said(meant)]
    assert [command for command, _ in said(f"{wrong}, {term}, {right}.")] == expected
    assert [command for command, _ in said(f"{wrong} ({term}, {right}).")] == expected


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Стража на В10. Нет, лучше на В8.", "Стража на В8."),
        ("Аэлин 10 монет. Ой, не 10, а 5!", "Аэлин 5 монет."),
        ("Гномы в Каменный Трон.\nАэлин 10 мон. Ой, 5!", "Гномы в Каменный Трон.\nАэлин 5 мон."),
    ],
)
def test_cells_and_coins_of_another_game_are_repaired_alike(text: str, meant: str) -> None:
    place = ("grand_strategy", "thorgrim", "turn")
    assert said(text, *place) == said(meant, *place)


def test_the_repair_goes_beside_the_thing_that_it_names_again() -> None:
    orders = [command for command, _ in said("Нанять 10 копейщиков и 4 лучника, нет, 6 копейщиков.")]
    assert orders == [{"unit": "spearman", "count": 6}, {"unit": "archer", "count": 4}]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Нанять 5 копейщиков. Нет, лучников не надо.", {"unit": "spearman", "count": 5}),
        ("Нанять 5 копейщиков, лучников нет.", {"unit": "spearman", "count": 5}),
        ("Нанять 5 копейщиков, то есть на 75 золота.", {"unit": "spearman", "count": 5}),
        ("Нанять 5 копейщиков и 4 лучника. Нет, 6.", {"unit": "spearman", "count": 5}),
    ],
)
def test_what_is_no_plain_repair_changes_nothing_without_asking(text: str, kept: dict[str, Any]) -> None:
    made = said(text)
    assert kept in [command for command, _ in made]
    assert all(command != {"unit": "spearman", "count": 6} for command, _ in made)


def test_one_of_two_numbers_put_right_asks() -> None:
    made = said("Нанять 5 копейщиков и 4 лучника. Нет, 6.")
    assert ({"unit": "archer", "count": 4}, True) not in made


LIST = "Построить барак в Кронвике, ферму в Альтенграде.\nНанять 5 лучников и 7 копейщиков.\n"


@pytest.mark.parametrize(
    ("correction", "wrong", "right"),
    [
        ("UPD: лучников не 5, а 6", "5 лучников", "6 лучников"),
        ("Правка: копейщиков 8", "7 копейщиков", "8 копейщиков"),
        ("UPD. Барак не в Кронвике, а в Белом Броде", "барак в Кронвике", "барак в Белом Броде"),
        ("Уточнение — ферму в Кронвике, а не в Альтенграде.", "ферму в Альтенграде", "ферму в Кронвике"),
    ],
)
def test_a_correction_below_reaches_what_it_names_again(correction: str, wrong: str, right: str) -> None:
    assert said(LIST + correction) == said(LIST.replace(wrong, right))


def test_a_correction_below_that_only_adds_replaces_nothing() -> None:
    counts = [c["count"] for c, _ in said(LIST + "UPD: ещё 6 копейщиков") if c.get("unit") == "spearman"]
    assert counts == [7, 6]
