"""What is said as likely, told of others or said to others is no certain order, and is not lost either."""

from __future__ import annotations

import pytest

from tests.parsers.reading import certain, read

UNSURE = [
    ("steel_rose", "Наверное, найму 10 копейщиков"),
    ("steel_rose", "Скорее всего построю барак в Кронвике"),
    ("steel_rose", "Пожалуй, 10 копейщиков"),
    ("steel_rose", "Хвастались, что наймут 10 рыцарей"),
    ("steel_rose", "Мне донесли, что строят барак в Кронвике"),
    ("grand_strategy", "Может быть, стража идёт на Г8"),
    ("grand_strategy", "Думаю, Радомиру 5 монет"),
    ("grand_strategy", "Говорят, стража идёт на Г8"),
    ("grand_strategy", "Радомир, иди на север!"),
    ("grand_strategy", "Гхаш, построй башню на Г8"),
    ("astral", "Вероятно, голос за Дань"),
    ("astral", "Ходят слухи, что передаю Морвену рог"),
    ("astral", "Каэль обещал, что передаст Морвену рог"),
]


@pytest.mark.parametrize(("ruleset", "text"), UNSURE)
def test_what_is_likely_or_told_asks(ruleset: str, text: str) -> None:
    parse = read(ruleset, text)
    assert not [r for r in parse.readings if r.certain]
    assert parse.readings or parse.problems


@pytest.mark.parametrize(
    ("ruleset", "text", "kind"),
    [
        ("steel_rose", "Нанять 10 копейщиков, думаю, хватит", "hire"),
        ("steel_rose", "Разведка донесла, что огры близко, поэтому нанять 10 копейщиков", "hire"),
        ("grand_strategy", "Стража идёт на Г8, наверное, зря", "move"),
        ("astral", "голос за Дань, хотя Каэль обещал, что поможет", "vote_rune"),
    ],
)
def test_a_guess_beside_an_order_is_no_guess_of_it(ruleset: str, text: str, kind: str) -> None:
    assert certain(ruleset, text) == [kind]


@pytest.mark.parametrize("ruleset", ["steel_rose", "grand_strategy", "astral"])
@pytest.mark.parametrize("text", ["Строю кабак", "Стрю кабак", "Построю дирижабль", "Построить пивоварню", "• куплю корову"])
def test_a_line_that_is_a_deed_and_its_thing_is_never_prose(ruleset: str, text: str) -> None:
    parse = read(ruleset, text)
    assert [p.code for p in parse.problems] == ["unknown_order"]


@pytest.mark.parametrize("ruleset", ["steel_rose", "grand_strategy", "astral"])
@pytest.mark.parametrize(
    "text", ["Жду ответа.", "Прошу прощения.", "Пью эль.", "Люблю весну.", "Игра стоит свеч.", "Вчера построил дом."]
)
def test_a_line_about_something_else_stays_prose(ruleset: str, text: str) -> None:
    parse = read(ruleset, text)
    assert (parse.readings, parse.problems) == ((), ())
