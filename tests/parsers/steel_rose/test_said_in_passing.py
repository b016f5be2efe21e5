"""What is put right, denied, supposed or only told of: kinds of speech, each with several examples."""

from __future__ import annotations

from typing import Any

import pytest

from tests.parsers.steel_rose.test_battle_steps import deployed, maneuver, read, sure


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Центральный арьергард стреляет в левый авангард… тьфу, в центральный авангард врага",
         maneuver("CR", "bombard", target="CV")),
        ("Центральный арьергард обстреливает левый, нет, центральный авангард", maneuver("CR", "bombard", target="CV")),
        ("Центральный арьергард обстреливает левый авангард, нет, центральный", maneuver("CR", "bombard", target="CV")),
        ("Левый, ой, правый авангард в укрытие", maneuver("RV", "cover")),
        ("Центральный авангард прикрывает левый арьергард, вернее, центральный", maneuver("CV", "defend", target="CR")),
        ("Левый авангард переходит в левый арьергард, нет, в центральный авангард", maneuver("LV", "move", path=["CV"])),
    ],
)  # fmt: skip
def test_places_put_right(text: str, said: dict[str, Any]) -> None:
    assert sure(text, "planning") == [said]


def test_number_broken_off_and_said_anew() -> None:
    assert sure("Нанять 6, нет, 8 копейщиков", "orders") == [{"type": "hire", "unit": "spearman", "count": 8}]
    assert sure("Барак, нет, ферма в Кронвике", "orders") == [{"type": "build", "city": "kronvik", "building": "farmland"}]


@pytest.mark.parametrize("head", ["План такой, друзья:", "План:", "Наш план на бой:"])
def test_plan_heads_the_orders(head: str) -> None:
    assert sure(f"{head}\n1) левый авангард в укрытие", "planning") == [maneuver("LV", "cover")]


@pytest.mark.parametrize("head", ["Планы:", "План на следующий ход:", "Мысли:"])
def test_plans_for_later_order_nothing(head: str) -> None:
    assert not read(f"{head}\n- барак в столице", "orders").readings


@pytest.mark.parametrize("text", ["Обстреливать никого не будем.", "Ни обстрелов, ни натисков;"])
def test_denied_maneuvers_ask_nothing(text: str) -> None:
    parse = read(f"{text} Левый авангард в укрытие.", "planning")
    assert [r.command for r in parse.readings] == [maneuver("LV", "cover")]
    assert not parse.problems


def test_what_is_shielded_does_nothing_itself() -> None:
    parse = read("Центральный авангард прикрывает центральный арьергард и уходит в укрытие.", "planning")
    assert not parse.readings
    assert [p.code for p in parse.problems] == ["E_TWO_MANEUVERS"]


@pytest.mark.parametrize(
    "text",
    [
        "Нападут князья — сидим в Кронвике",
        "Вздумают ушастые полезть на Вальдхейм, тогда армия обороняет Вальдхейм",
        "Ударят по Броду — перебрось армию туда",
    ],
)
def test_conditions_without_if(text: str) -> None:
    parse = read(text, "orders")
    assert not parse.readings
    assert "conditional" in [p.code for p in parse.problems]


@pytest.mark.parametrize(
    "text", ["Прошлой осенью наши полки осаждали Ормис.", "Наши полки в прошлом году штурмовали Ормис и ушли ни с чем"]
)
def test_armies_of_the_past(text: str) -> None:
    assert not read(text, "orders").readings


@pytest.mark.parametrize("text", ["Княжеству союз не предлагаем, а эльфам — да.", "С ограми мир не заключаем, эльфам — да."])
def test_offered_to_one_and_not_to_the_other(text: str) -> None:
    assert sure(text, "orders") == [{"type": "propose_alliance", "faction": "elves"}]


def test_tables_in_wide_blanks_and_slashes() -> None:
    table = "лев.     центр              прав.\nавангард  5 копий   8 луков, 3 копья   4 копья\nарьергард —    2 лука     —"
    assert deployed(table) == {
        "LV": {"spearman": 5}, "CV": {"archer": 8, "spearman": 3}, "RV": {"spearman": 4}, "CR": {"archer": 2},
    }  # fmt: skip
    (guessed,) = read("Авангард: 2 копья / 2 копья / 2 копья\nАрьергард: - / 4 лука / -", "deployment").readings
    assert not guessed.certain
    assert guessed.command["positions"]["RV"] == {"spearman": 2}


def test_the_rest_of_a_half() -> None:
    said = "Половина копейщиков в левый авангард, остальные в правый авангард, луки в центр"
    assert deployed(said) == {"LV": {"spearman": "half"}, "RV": {"spearman": "rest"}, "CV": {"archer": "all"}}


def test_stress_takes_nothing_back() -> None:
    (command,) = sure("Армия нападает на Пик кошмаров, разграбим нафиг", "orders")
    assert command["on_capture"] == "plunder"


def test_a_building_with_its_city_is_guessed() -> None:
    (guessed,) = read("Вальдхейм обзаводится дозорным пунктом", "orders").readings
    assert guessed.command == {"type": "build", "city": "valdheim", "building": "watch_post"}
    assert not guessed.certain
