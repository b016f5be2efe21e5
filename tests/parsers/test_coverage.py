"""An order is certain only when everything beside it is explained; what changes nothing doesn't make it ask."""

from __future__ import annotations

import pytest

from parsers import coverage
from tests.parsers.reading import certain, read

STRANGERS = [
    ("steel_rose", "Нанять 10 копейщиков и 5 гоблинов", "гоблинов"),
    ("steel_rose", "Нанять 10 копейщиков, 5 гоблинов", "гоблинов"),
    ("steel_rose", "Нанять 10 копейщиков и гоблинов", "гоблинов"),
    ("steel_rose", "Нанять 10 хрустальных копейщиков", "хрустальных"),
    ("steel_rose", "Построить барак и виселицу в Кронвике", "виселицу"),
    ("steel_rose", "Армия через болото атакует Хольмгард", "болото"),
    ("steel_rose", "Построить барак в Кронвике кроме Альтенграда", "кроме"),
    ("grand_strategy", "Радомиру 5 монет и корову", "корову"),
    ("grand_strategy", "Стража тайком на Г8", "тайком"),
    ("astral", "отдать Морвену рог и 3 энергии", "3 энергии"),
    ("astral", "голос за Дань или за Изобилие", "Изобилие"),
    ("astral", "отдать Морвену рог и кошелёк", "кошелёк"),
]
PLAIN = [
    ("steel_rose", "Прошу немедленно нанять 10 храбрых копейщиков, пожалуйста"),
    ("steel_rose", "Мастер, строим барак в Кронвике!"),
    ("steel_rose", "Итак, приказываю: построить в Кронвике барак"),
    ("grand_strategy", "Ну что, стража идёт на Г8, как договаривались"),
    ("grand_strategy", "Радомиру 5 монет на пиво"),
    ("grand_strategy", "Радомиру сразу 5 монет за молчание"),
    ("astral", "сразу голосую за Дань, спасибо"),
    ("astral", "отдаю Морвену 3 энергии на опохмел"),
    ("astral", "Итак, отдать Морвену рог в знак дружбы"),
]


@pytest.mark.parametrize(("ruleset", "text", "word"), STRANGERS)
def test_a_word_that_nothing_explains_makes_the_order_ask_and_is_named(ruleset: str, text: str, word: str) -> None:
    parse = read(ruleset, text)
    assert not [r for r in parse.readings if r.certain]
    said = " ".join([*(r.note or "" for r in parse.readings), *(p.message for p in parse.problems)])
    assert f"«{word}»" in said


@pytest.mark.parametrize(("ruleset", "text"), PLAIN)
def test_courtesy_and_manner_and_purpose_change_nothing(ruleset: str, text: str) -> None:
    parse = read(ruleset, text)
    assert [r.certain for r in parse.readings] == [True], [r.note for r in parse.readings]


@pytest.mark.parametrize("distance", [coverage.AFTER - 1, coverage.AFTER])
def test_a_word_so_far_behind_an_order_still_bears_on_it_and_farther_off_no_more(distance: int) -> None:
    text = "голос за Дань " + "сразу " * distance + "виселица"
    assert bool(certain("astral", text)) is (distance >= coverage.AFTER)


@pytest.mark.parametrize("distance", [coverage.BEFORE - 1, coverage.BEFORE])
def test_the_same_before_an_order(distance: int) -> None:
    text = "виселица " + "сразу " * distance + "голос за Дань"
    assert bool(certain("astral", text)) is (distance >= coverage.BEFORE)


@pytest.mark.parametrize("wall", [", ", ": ", " — ", " (", "; ", ". ", "\t"])
def test_another_clause_or_column_is_no_part_of_the_order(wall: str) -> None:
    assert certain("astral", f"голос за Дань{wall}виселица") == ["vote_rune"]


def test_a_note_names_the_first_few_words() -> None:
    (reading,) = read("astral", "голос за Дань виселица корова гвоздь ножницы").readings
    assert reading.note == "не понял слова «виселица», «корова», «гвоздь»"
    (reading,) = read("astral", "голос за Дань виселица").readings
    assert reading.note == "не понял слово «виселица»"


def test_what_another_order_explains_is_no_leftover() -> None:
    assert certain("steel_rose", "Построить барак в Кронвике и нанять 10 копейщиков") == ["build", "hire"]


def test_no_name_goes_on_behind_the_end_of_a_sentence() -> None:
    parse = read("steel_rose", "Построить в Серебряном Ручье аванпост. Следопытов 8", "elves")
    assert [r.command["type"] for r in parse.readings] == ["build", "hire"]


CORRECTED = [
    ("astral", "3э в защиту… нет, 4э."),
    ("astral", "Голос за Дань. Нет, за Изобилие!"),
    ("steel_rose", "Часовню строим в Кронвике. Ой, в Вальдхейме!"),
    ("steel_rose", "Нанять 10 копейщиков. Стоп, 8"),
    ("grand_strategy", "Стража на В10. Ой, на Г9."),
    ("grand_strategy", "5 монет Радомиру. Тьфу, Гхашу!"),
]
"""What is said, corrected behind the end of its clause."""


@pytest.mark.parametrize(("ruleset", "text"), CORRECTED)
def test_an_order_corrected_behind_its_end_is_put_right_or_asks(ruleset: str, text: str) -> None:
    before = text.replace("…", ".").split(".")[0]
    first = [r.command for r in read(ruleset, before).readings]
    parse = read(ruleset, text)
    assert first
    assert not [r for r in parse.readings if r.certain and r.command in first], [r.note for r in parse.readings]


@pytest.mark.parametrize("text", ["3э в защиту. Нет, десять не дам.", "3э в защиту. Давай, голос за Дань"])
def test_what_corrects_nothing_shakes_nothing(text: str) -> None:
    assert certain("astral", text)[0] == "invest_defence"


def test_a_lone_verb_with_an_object_of_its_own_asks() -> None:
    assert certain("grand_strategy", "Пропускаю.") == ["pass"]
    assert certain("grand_strategy", "Пропускаю угрозы") == []


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("Предлагаю союз ограм!\nИ эльфам.", False),
        ("Предлагаю союз ограм\nи эльфам", True),
        ("Предлагаю союз ограм. И эльфам.", True),
        ("Предлагаю союз ограм и эльфам.", True),
    ],
)
def test_a_verb_taken_from_a_sentence_that_ended_a_line_above_asks(text: str, sure: bool) -> None:
    parse = read("steel_rose", text)
    assert [(r.command["type"], r.certain) for r in parse.readings] == [("propose_alliance", True), ("propose_alliance", sure)]
