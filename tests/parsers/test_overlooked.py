"""What looks like an order and was not understood is asked about; stories, sums and denials are left alone."""

from __future__ import annotations

import pytest

from tests.parsers.reading import read

ORDERS = [
    ("steel_rose", "Построить барак в Кронвике, конных 4", "конных 4"),
    ("steel_rose", "В Кронвике заложите барак", "В Кронвике заложите барак"),
    ("steel_rose", "Нанять 10 копейщиков. Десять.", "Десять"),
    ("grand_strategy", "Аэлин тоже восемь", "Аэлин тоже восемь"),
    ("grand_strategy", "Стража на Г8. Гномам держать Д9", "Гномам держать Д9"),
    ("astral", "Голос за Дань. Каэлю и Морвену по рогу", "Каэлю и Морвену по рогу"),
]
TALK = [
    ("steel_rose", "Хольмгард уже близко, и ветер пахнет дымом."),
    ("steel_rose", "Альтенград проснулся рано."),
    ("steel_rose", "Барак в Кронвике строить не буду."),
    ("grand_strategy", "Ход Торгрима, год 1"),
    ("grand_strategy", "Гномы пьют пиво и поют."),
    ("grand_strategy", "Летопись Каменного Трона\nНад Лориэном вороньё."),
    ("astral", "Буйный, ход 1"),
    ("astral", "Морвен молчит, и ветер стих."),
]


@pytest.mark.parametrize(("ruleset", "text", "part"), ORDERS)
def test_a_part_that_names_what_orders_name_is_never_lost(ruleset: str, text: str, part: str) -> None:
    parse = read(ruleset, text)
    at = text.index(part)
    touched = [p for p in parse.problems if p.span is not None and p.span.start < at + len(part) and at < p.span.end]
    touched += [r for r in parse.readings if r.span.start < at + len(part) and at < r.span.end]
    assert touched


SHORT = [
    ("grand_strategy", "Стража на Г8\nГхашу гостинец"),
    ("grand_strategy", "Шмотов в Трон"),
    ("grand_strategy", "Стража на Г8, трон: квалмы"),
    ("steel_rose", "Лоптак в Кронвик"),
    ("steel_rose", "Хольмгард: сверкый пункт"),
    ("steel_rose", "Построить барак в Кронвике. 10 мурзов"),
    ("astral", "Голос за Дань. 8э в мурзту"),
    ("astral", "Голос за Дань. Дрынта слободе рубак"),
]
"""Orders in two or three words, one of which nobody knows."""


@pytest.mark.parametrize(("ruleset", "text"), SHORT)
def test_an_order_in_short_with_a_word_that_nobody_knows_asks(ruleset: str, text: str) -> None:
    parse = read(ruleset, text)
    at = max(text.rfind("\n"), text.rfind(". "), text.rfind(", "), -2) + 2
    asked = [p.span for p in parse.problems] + [r.span for r in parse.readings if not r.certain]
    assert any(span is not None and span.end > at for span in asked)


@pytest.mark.parametrize(("ruleset", "text"), TALK)
def test_talk_is_left_alone(ruleset: str, text: str) -> None:
    parse = read(ruleset, text)
    assert (parse.readings, parse.problems) == ((), ())


@pytest.mark.parametrize(
    ("ruleset", "text", "part"),
    [
        ("astral", "отдать Морвену рог и 3 энергии", "3 энергии"),
        ("grand_strategy", "Стража на восток на клетку, потом ещё на одну", "потом ещё на одну"),
        ("steel_rose", "Нанять 10 копейщиков, и ещё Хольмгард", "Хольмгард"),
    ],
)
def test_what_is_added_to_an_order_is_not_lost(ruleset: str, text: str, part: str) -> None:
    parse = read(ruleset, text)
    at = text.index(part)
    assert any(p.span is not None and p.span.start < at + len(part) and at < p.span.end for p in parse.problems)


@pytest.mark.parametrize(
    ("ruleset", "text"),
    [
        ("steel_rose", "Приказ по Империи, ход 1.\nПостроить барак в Кронвике"),
        ("steel_rose", "Ход 3, Империя\nПостроить барак в Кронвике"),
        ("grand_strategy", "Аэлин, год 1.\nРадомиру 5 монет"),
        ("grand_strategy", "Ход Подгорного царства. Радомиру 5 монет"),
    ],
)
def test_a_title_asks_nothing(ruleset: str, text: str) -> None:
    parse = read(ruleset, text)
    assert [p.message for p in parse.problems] == []
    assert len(parse.readings) == 1


def test_a_title_that_names_a_thing_of_the_game_is_no_title() -> None:
    parse = read("steel_rose", "Приказ: барак, Кронвик 2")
    assert parse.problems or parse.readings


def test_the_own_side_may_be_called_and_another_may_not() -> None:
    assert [r.certain for r in read("steel_rose", "Империя, атакуй Хольмгард!", "empire").readings] == [True]
    assert not any(r.certain for r in read("steel_rose", "Княжество, атакуй Хольмгард!", "empire").readings)


def test_what_was_decided_behind_a_wish_is_asked_about() -> None:
    parse = read("steel_rose", "Хотел нанять 10 лучников, но денег жалко, так что 5.")
    assert [p.severity.value for p in parse.problems] == ["question"]
    assert not parse.readings


@pytest.mark.parametrize(
    ("ruleset", "text"),
    [
        ("steel_rose", "Построить барак в Кронвике. Ещё бы всадников штук пять"),
        ("steel_rose", "Барак бы в Кронвике"),
        ("grand_strategy", "Орков бы в Стан"),
        ("grand_strategy", "Аэлин бы пять монет"),
    ],
)
def test_a_wish_without_a_verb_may_be_an_order(ruleset: str, text: str) -> None:
    assert read(ruleset, text).problems


@pytest.mark.parametrize(
    "text", ["Нанял бы 10 копейщиков, да денег нет", "Эх, если бы у меня было 10 лучников", "Вот бы город был побольше"]
)
def test_a_dream_is_none(text: str) -> None:
    parse = read("steel_rose", text)
    assert (parse.readings, parse.problems) == ((), ())
