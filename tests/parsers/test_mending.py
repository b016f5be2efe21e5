"""A misspelt order comes with a line to paste that reads for certain as it was understood; carets stand under the wrong words."""

from __future__ import annotations

import pytest

from forum_gm.diagnostics import problem_lines
from parsers.mending import MOST
from parsers.types import parse_to_json
from tests.parsers.reading import read

MISSPELT = [
    ("steel_rose", "Нанять 10 копейшиков", "Нанять 10 копейщиков"),
    ("steel_rose", "Строю барак в Кронвеке", "Строю барак в Кронвике"),
    ("steel_rose", "Атакую Хольмград", "Атакую Хольмгард"),
    ("steel_rose", "Строю бараг в Кронвике и ферму в Альтенграде", "Строю барак в Кронвике и ферму в Альтенграде"),
    ("grand_strategy", "Железная стажа идёт на Г8", "Железная стража идёт на Г8"),
    ("grand_strategy", "Шлю Радамиру 5 монет", "Шлю Радомиру 5 монет"),
    ("astral", "атака на Пьяный Дркон: 9э, пехота 5, некра 4, воин", "атака на Пьяный Дракон: 9э, пехота 5, некра 4, воин"),
    ("astral", "голос за изабилие", "голос за изобилие"),
    ("astral", "голос за руну Изоблия", "голос за руну Изобилия"),
]


@pytest.mark.parametrize(("ruleset", "text", "right"), MISSPELT)
def test_a_misspelt_order_is_offered_put_right(ruleset: str, text: str, right: str) -> None:
    unsure = [r for r in read(ruleset, text).readings if not r.certain]
    assert {r.correction for r in unsure} == {right}
    again = read(ruleset, right)
    assert again.problems == ()
    assert all(r.certain for r in again.readings)
    commands = [dict(r.command) for r in again.readings]
    assert all(dict(r.command) in commands for r in unsure)


@pytest.mark.parametrize(
    ("ruleset", "text"),
    [
        ("steel_rose", "Нанять 10 копейщиков и гоблинов"),
        ("steel_rose", "Строю барак в Кронвике или Альтенграде"),
        ("grand_strategy", "Радомиру 5 монет и корову"),
        ("astral", "голос за Дань или за Изобилие"),
    ],
)
def test_what_cannot_be_known_is_not_put_right(ruleset: str, text: str) -> None:
    parse = read(ruleset, text)
    assert all(r.correction is None for r in parse.readings)
    assert all(p.correction is None for p in parse.problems)


@pytest.mark.parametrize(
    ("ruleset", "text", "word"),
    [
        ("steel_rose", "Строю барак в Мордоре", "Мордоре"),
        ("steel_rose", "Строю барак в Штальборге", "Штальборге"),
        ("astral", "Атака на Мордор: 9э, пехота 5, некра 4, воин", "Мордор"),
    ],
)
def test_carets_stand_under_the_unknown_word_alone(ruleset: str, text: str, word: str) -> None:
    parse = read(ruleset, text)
    (problem,) = parse.problems
    lines = list(problem_lines(parse.text, problem))
    carets = next(line for line in lines if "^" in line)
    shown = lines[lines.index(carets) - 1]
    assert shown[carets.index("^") : carets.rindex("^") + 1] == word
    focus = parse_to_json(parse)["problems"][0]["focus"]
    assert text[focus["start"] : focus["end"]] == word
    assert parse.uncovered() == []


def test_only_so_many_lines_of_a_post_are_put_right() -> None:
    parse = read("steel_rose", "\n".join(f"Нанять {n} копейшиков" for n in range(1, MOST + 4)))
    assert sum(r.correction is not None for r in parse.readings) == MOST
