"""What a post takes back, puts right, asks, wishes or makes conditional, told by the posts of `astral`."""

from __future__ import annotations

from typing import Any

import pytest

from parsers.bbcode import from_bbcode
from parsers.types import IgnoredReason, Parse
from tests.parsers.test_any_text import language

ATTACK = "атака 002: 7э, пехота 4, свет 3, воин"


def read(text: str) -> Parse:
    return language().parse(from_bbcode(text))


def kinds(text: str) -> list[Any]:
    return [c["type"] for c in read(text).commands]


@pytest.mark.parametrize(
    "text",
    [
        f"[quote=Каэль]{ATTACK}[/quote]",
        f"[s]{ATTACK}[/s]",
        f"[code]{ATTACK}[/code]",
        f"(({ATTACK}))",
        f"офф: {ATTACK}",
        f"> {ATTACK}",
        "не атакую 002",
        "я бы атаковал 002, да нечем",
        "в следующем ходу атакую 002: 7э, пехота 4, свет 3, воин",
        "Возможно, атакую 002: 7э, пехота 4, свет 3, воин",
        "Атаковать 002: 7э, пехота 4, свет 3, воин?",
        "Каэль кричал: «Атакую мельницу, 7э, пехота 4, свет 3, воин!»",
        "в прошлый раз мы атаковали 002",
    ],
)
def test_what_is_no_order_is_none(text: str) -> None:
    assert read(text).commands == ()
    assert read(text).uncovered() == []


def test_order_inside_a_spoiler_counts() -> None:
    assert kinds(f"[spoiler=тайна]{ATTACK}[/spoiler]") == ["attack_neutral"]


def test_cancelled_item_is_superseded() -> None:
    parse = read(f"1) {ATTACK}\n2) в защиту 3э\n\nотмена п. 2")
    assert [c["type"] for c in parse.commands] == ["attack_neutral"]
    assert any(
        (i.reason is IgnoredReason.SUPERSEDED and "в защиту" in parse.text[i.span.start : i.span.end])
        or "защиту 3э" in parse.text[i.span.start : i.span.end]
        for i in parse.ignored
    )


@pytest.mark.parametrize("line", ["В п. 2 вместо 3э — 5э.", "п.2: 5э вместо 3э"])
def test_number_of_an_item_is_replaced(line: str) -> None:
    assert [c.get("energy") for c in read(f"1) {ATTACK}\n2) в защиту 3э\n\n{line}").commands] == [7, 5]


def test_update_replaces_the_slot() -> None:
    (command,) = read("резерв на первую атаку 3э\nUPD: резерв на первую атаку 5э").commands
    assert command["energy"] == 5


def test_correction_of_one_thing() -> None:
    (command,) = read(f"{ATTACK}. Вернее, не 002, а 003.").commands
    assert command["shard"] == "n003"


def test_correction_that_is_not_understood_asks() -> None:
    parse = read(f"{ATTACK}. Вернее, Каэль и Тишина.")
    assert not parse.readings[0].certain
    assert any("исправление" in p.message for p in parse.problems)


def test_repeat_without_a_sign_of_correction_asks_R115() -> None:
    parse = read("голос за Дань\nголос за Изобилие")
    assert parse.commands == ()
    assert [p.code for p in parse.problems] == ["E_DUPLICATE", "E_DUPLICATE"]
    assert len(parse.problems[0].choices) == 2


def test_conditional_is_a_question() -> None:
    parse = read("Если Каэль нападёт — 4э в резерв на первую атаку.")
    assert parse.commands == ()
    assert [p.code for p in parse.problems] == ["conditional"]


def test_politeness_is_no_condition() -> None:
    assert kinds("голос за Изобилие, если можно") == ["vote_rune"]


def test_unknown_order_comes_back() -> None:
    parse = read("строю казарму в Янтарном Порту")
    assert [p.code for p in parse.problems] == ["unknown_order"]


def test_typo_is_repaired_but_asks() -> None:
    (reading,) = read("отакую 001, 8э, пихота 5, некра 3, воин").readings
    assert not reading.certain
    assert reading.note is not None
    assert "отакую" in reading.note


def test_leftover_amount_casts_doubt() -> None:
    (reading,) = read("отдать Морвену рог и ещё эти 3 энергии").readings
    assert not reading.certain


def test_ambiguous_name_asks_with_choices() -> None:
    parse = read("Атакую Заставу: 9э, кава 5, некра 4, воин")
    assert parse.commands == ()
    assert parse.problems[0].code == "E_AMBIGUOUS"
    assert len(parse.problems[0].choices) == 2


def test_what_is_taken_back_is_neither_left_over_nor_unknown() -> None:
    apart = read("Передаю Аскольду 3э. Точнее, передаю Аскольду 2э.")
    beside = read("Передаю Аскольду 3э, вернее передаю Аскольду 2э")
    for parse in (apart, beside):
        assert [dict(reading.command) for reading in parse.readings] == [{"type": "transfer_energy", "to": "askold", "amount": 2}]
        assert parse.readings[0].certain
        assert not parse.problems


def test_a_treasury_that_tells_may_order_and_one_that_counts_may_not() -> None:
    assert kinds("Казна велит: три энергии в защиту") == ["invest_defence"]
    assert kinds("Казна составляет 16 энергии, защита 3") == []


@pytest.mark.parametrize(
    "text",
    [
        "голосовать за Дань не буду",
        "За Дань голосовать не стану.",
        "атаковать 002 не хочу",
        "Морвену рог отдавать не собираюсь",
        "В защиту вкладывать 3э не могу",
    ],
)
def test_a_denial_behind_its_verb_denies_it(text: str) -> None:
    assert kinds(text) == []


def test_a_denial_behind_one_verb_leaves_the_other() -> None:
    assert kinds("голосовать за Дань не буду, голос за Изобилие") == ["vote_rune"]


def test_a_correction_that_replaces_nothing_shakes_the_order_before_it() -> None:
    parse = read("голос за Дань, стоп, отдать Морвену рог")
    assert [(r.command["type"], r.certain) for r in parse.readings] == [("vote_rune", False), ("transfer_item", True)]


def test_a_correction_at_the_head_of_a_line_may_add() -> None:
    parse = read("голос за Дань\nUPD: отдать Морвену рог")
    assert all(r.certain for r in parse.readings)
    assert len(parse.readings) == 2


@pytest.mark.parametrize(
    "text",
    [
        "1. атака 002: 7э, пехота 4, свет 3, воин. 2. защита +3э. 3. голос за Дань. Пункт 2 отменяю.",
        "Приказы: 1) атака 002: 7э, пехота 4, свет 3, воин; 2) защита +3э; 3) голос за Дань. П. 2 отмена.",
    ],
)
def test_items_of_a_list_in_one_line_can_be_taken_back(text: str) -> None:
    assert kinds(text) == ["attack_neutral", "vote_rune"]


def test_numbers_of_a_line_that_is_no_list_number_nothing() -> None:
    assert kinds("Голос за Дань. Защита: 2) и точка.") == kinds("Голос за Дань. Защита: 2 и точка.")
