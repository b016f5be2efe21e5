"""Kinds of speech in «Завоевание Астрала», each in wordings of its own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.parsers.reading import read


def _orders(text: str, faction: str = "buyny") -> list[tuple[Any, ...]]:
    """Type and the fields beside it, of all readings."""
    commands = [r.command for r in read("astral", text, faction).readings]
    return [(c["type"], *(v for k, v in sorted(c.items()) if k not in ("type", "items"))) for c in commands]


def _codes(text: str) -> list[str]:
    return [p.code for p in read("astral", text).problems]


@pytest.mark.parametrize(
    "text",
    [
        "Атакую 001 12 пехота 7 некра 5 воин",
        "на 001 12 энергии пехота 7 энергии некра 5 энергии воин",
        "001: 12 энергии всего, семь пехоте, пять некре, воин",
        "иду на 001 пехота 7 некра 5 воин итого 12",
    ],
)
def test_the_number_that_can_hold_the_others_is_the_whole(text: str) -> None:
    command = read("astral", text).readings[0].command
    assert [command[k] for k in ("energy", "troop_energy", "magic_energy")] == [12, 7, 5]


@pytest.mark.parametrize(
    "text",
    [
        "Старый мой ход в утиль. 5э в защиту",
        "Пост от вторника недействителен. 5э в защиту",
        "Всё, что я накатал утром, забудьте. 5э в защиту",
        "Первый вариант стереть, этот принять: 5э в защиту",
        "Переигрываю ход заново, старое забудьте: 5э в защиту",
    ],
)
def test_earlier_sheets_are_cancelled_once(text: str) -> None:
    assert [o[0] for o in _orders(text)] == ["cancel_orders", "invest_defence"]


def test_an_earlier_sheet_that_is_only_spoken_of_stays() -> None:
    assert [o[0] for o in _orders("Старый пост в силе, добавляю 5э в защиту")] == ["invest_defence"]


@pytest.mark.parametrize("text", ["если нападут, держу 5э в резерве на первую", "на случай атаки 5э в резерв на первую атаку"])
def test_a_reserve_in_case_of_an_attack_is_no_condition(text: str) -> None:
    assert _orders(text) == [("set_reserve", 1, 5)]


@pytest.mark.parametrize("text", ["Если Каэль нападёт, резерв на первую 5э", "Если нападут, то 5э в защиту"])
def test_other_conditions_ask(text: str) -> None:
    assert not _orders(text)
    assert _codes(text) == ["conditional"]


@pytest.mark.parametrize("text", ["Морвену 3, Тишине 2", "Морвену 3 и Тишине 2", "Подарки: Морвену — 3, Тишине — 2"])
def test_numbers_for_somebody_are_guessed(text: str) -> None:
    assert _orders(text) == [("transfer_energy", 3, "morwen"), ("transfer_energy", 2, "tishina")]
    assert not any(r.certain for r in read("astral", text).readings)


def test_what_is_only_weighed_gives_way_to_a_pass() -> None:
    assert [o[0] for o in _orders("Вложение 16 э. в стены даст 20 защиты — избыточно. Ход пропускаю.")] == ["pass"]
    assert not any(r.certain for r in read("astral", "16 э. в стены — избыточно").readings)


@pytest.mark.parametrize("text", ["по 2э в резерв на первую и вторую", "резерв по 2э на 1 и на 2"])
def test_several_attacks_without_a_noun(text: str) -> None:
    assert _orders(text) == [("set_reserve", 1, 2), ("set_reserve", 2, 2)]


def test_what_is_said_of_an_item_above_changes_it() -> None:
    text = "1) 2 э. в защиту\n2) Перевод Морвену — 2 э.\nВ пункте 2 получатель — владыка Каэль, сумма прежняя."
    assert _orders(text) == [("invest_defence", 2), ("transfer_energy", 2, "kael")]


@pytest.mark.parametrize("text", ["Отдам Морвену 5э за Перо Левитации", "Даю Тишине 4э за описание 031"])
def test_something_for_something_is_an_exchange(text: str) -> None:
    assert [o[0] for o in _orders(text)] == ["exchange"]


def test_a_gift_for_help_stays_a_gift() -> None:
    assert _orders("Передаю Каэлю 3э за помощь") == [("transfer_energy", 3, "kael")]


@pytest.mark.parametrize("text", ["Пост от утра — мимо", "Моя утренняя заявка — мимо", "Вчерашний пост мимо"])
def test_an_earlier_sheet_passed_by_is_no_certain_pass(text: str) -> None:
    assert all(not r.certain for r in read("astral", text).readings if r.command["type"] == "pass")


@pytest.mark.parametrize(
    "text",
    [
        "Нападаю на Янтарный Порт, пора им цены сбить: 13 эн, кав 6, стих 5, маг, и трублю в Рог Сбора.",
        "Луки и стихия выступают, а я трублю в Рог Сбора",
    ],
)
def test_a_battle_item_beside_units_that_no_order_took_asks(text: str) -> None:
    assert all(not r.certain for r in read("astral", text).readings if r.command["type"] == "use_item")


@pytest.mark.parametrize("text", ["п'ять енергії в захист світу", "5 енергії на захист", "пятерик в оборону"])
def test_defence_in_ukrainian_and_in_nicknames_of_numbers(text: str) -> None:
    assert _orders(text) == [("invest_defence", 5)]
