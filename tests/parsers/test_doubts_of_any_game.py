"""Safety nets that every ruleset has without a word of its own: withdrawals, «или», «кроме», answers to oneself."""

from __future__ import annotations

import pytest

from tests.parsers.reading import certain, read

OPEN = [
    ("astral", "8 энергии Каэлю. А нет, не надо."),
    ("grand_strategy", "Аэлин 5 монет. Хотя нет, не надо."),
    ("grand_strategy", "Стража на Г8, а нет, пусть стоит"),
    ("grand_strategy", "Аэлин или Радомиру 5 монет"),
    ("astral", "Отдать Морвену или Каэлю 3 энергии"),
]
ANSWERS = [
    ("grand_strategy", "Аэлин 5 монет? Шлём."),
    ("steel_rose", "Лучников бы ещё пятерых — наймите."),
    ("steel_rose", "Барак в Броде? Да, строим."),
    ("astral", "Напасть бы на Мельницу ветров — напади."),
]


@pytest.mark.parametrize(("ruleset", "text"), OPEN)
def test_what_may_be_taken_back_or_leaves_open_what_is_meant_asks(ruleset: str, text: str) -> None:
    assert not certain(ruleset, text)
    assert read(ruleset, text).readings or read(ruleset, text).problems


@pytest.mark.parametrize(("ruleset", "text"), ANSWERS)
def test_a_bare_verb_that_answers_a_question_or_a_wish_asks(ruleset: str, text: str) -> None:
    assert read(ruleset, text).problems


@pytest.mark.parametrize("text", ["На следующий год построю крепость.", "Думал построить крепость, через год построю башню."])
def test_a_plan_is_no_answer(text: str) -> None:
    assert not read("grand_strategy", text).problems


def test_a_plain_denial_orders_nothing() -> None:
    assert read("grand_strategy", "Стража на Г8 не идёт").readings == ()


@pytest.mark.parametrize("change", ["В п. 1 вместо Г8 — Д9", "П. 1: там же, но Д9 вместо того"])
def test_an_item_of_which_more_is_said_asks(change: str) -> None:
    parse = read("grand_strategy", f"1. Стража на Г8\n2. Аэлин 5 монет\n{change}")
    sure = [r.command["type"] for r in parse.readings if r.certain]
    assert "move" not in sure or any(r.command.get("path") == ["Д9"] for r in parse.readings)


@pytest.mark.parametrize(
    ("ruleset", "text"),
    [
        ("steel_rose", "Шмотал: проклятое золото"),
        ("steel_rose", "Лоптрд — построить барак в Кронвике"),
        ("grand_strategy", "Сверкся колдовство — Радомиру 6 монет"),
        ("grand_strategy", "Мага Квала в Лориэн"),
        ("astral", "Таркую за руну Дани"),
    ],
)
def test_a_word_in_no_dictionary_before_an_order_or_at_its_thing_asks(ruleset: str, text: str) -> None:
    assert not certain(ruleset, text)


def test_who_speaks_before_an_order_changes_nothing() -> None:
    assert certain("steel_rose", "Хрумза велит: построить барак в Кронвике")
