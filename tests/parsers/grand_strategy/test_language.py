"""What the corpus can't show of the language: spellings of cells, references into the state, restarts, hostile text, steps."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forum_gm.understand import understand
from parsers.bbcode import from_bbcode
from parsers.language import Language
from parsers.text import from_text
from parsers.types import Parse
from rules import registry
from rules.base import only
from rules.grand_strategy.state import StandingRule, State, Unit

RULES = registry.get("grand_strategy")


@cache
def start() -> State:
    state: State = RULES.new_game(RULES.load_scenario(None))
    return state


def read(text: str, faction: str = "thorgrim", step: str | None = "turn", state: State | None = None) -> Parse:
    return understand(RULES, state or start(), faction, step, from_bbcode(text))


def commands(text: str, faction: str = "thorgrim", **more: Any) -> list[dict[str, Any]]:
    return [dict(c) for c in read(text, faction, **more).commands]


def codes(text: str, faction: str = "thorgrim", **more: Any) -> list[str]:
    return [p.code for p in read(text, faction, **more).problems]


@pytest.mark.parametrize(
    "spelling",
    ["Г8", "г8", "Г-8", "Г 8", "Г.8", "(Г8)", "8Г", "клетку Г8", "кл. Г8", "Г8-ю", "8г"],
)
def test_R18_cells_are_read_in_every_spelling(spelling: str) -> None:
    assert commands(f"стража на {spelling}") == [{"type": "move", "unit": "T1", "path": ["Г8"]}]


def test_R18_latin_look_alikes_are_the_column() -> None:
    latin = "B10"
    assert commands(f"стража на {latin}") == [{"type": "move", "unit": "T1", "path": ["В10"]}]


@pytest.mark.parametrize(("written", "likely"), [("G8", "Г8"), ("D8", "Д8"), ("Z8", "З8"), ("L8", "Л8"), ("I8", "И8")])
def test_R18_other_letters_are_refused_with_a_hint(written: str, likely: str) -> None:
    problem = read(f"стража на {written}").problems[0]
    assert problem.code == "bad_cell"
    assert likely in problem.message


def test_R18_cells_outside_the_map_are_told_apart() -> None:
    assert codes("стража на Щ8") == ["no_such_cell"]
    assert codes("стража на Г99") == ["no_such_cell"]


@pytest.mark.parametrize(("digits", "likely"), [("37", "З7"), ("07", "О7")])
def test_R18_digits_alone_are_asked(digits: str, likely: str) -> None:
    problem = read(f"стража на {digits}").problems[0]
    assert (problem.code, problem.severity.value) == ("bad_cell", "question")
    assert [c.text for c in problem.choices] == [likely]


def test_R18_an_id_in_latin_is_the_troop_and_not_the_cell() -> None:
    assert commands("T1: В10")[0] == {"type": "move", "unit": "T1", "path": ["В10"]}


def test_ways_are_counted_from_where_the_troop_stands_by_then() -> None:
    assert commands("стража на Г9\nстража на восток на две клетки")[1]["path"] == ["Д9", "Е9"]


@pytest.mark.parametrize("head", ["Отменяю приказы", "Приказы заново", "Ход заново:"])
def test_R181_a_post_may_take_back_the_earlier_ones(head: str) -> None:
    parse = read(f"{head}\nстража на В10")
    assert parse.restart
    assert len(parse.commands) == 1
    assert not read("стража на В10").restart


def test_R182_both_branches_of_a_condition_begin_at_the_same_place() -> None:
    text = "Туман сна на R1. Если не выйдет, маг на север на клетку. Если выйдет, маг на восток на клетку."
    first, second, third = commands(text, "aelin")
    assert first["spell"] == "sleep_fog"
    assert second == {"type": "move", "unit": "A1", "path": ["Г2"], "condition": {"ref": 1, "outcome": "fail"}}
    assert third == {"type": "move", "unit": "A1", "path": ["Д3"], "condition": {"ref": 1, "outcome": "success"}}


def test_R182_a_condition_without_an_uncertain_order_asks() -> None:
    assert codes("если не выйдет, стража на В10") == ["conditional"]


def with_elves(*cells: str) -> State:
    state = start().copy()
    for number, cell in enumerate(cells, 1):
        state.units[f"E{number}"] = Unit(f"E{number}", "elves", cell, "aelin")
    return state


def test_two_troops_of_a_kind_are_asked_never_guessed() -> None:
    state = with_elves("Д4", "Г6")
    problem = read("эльфы на Д5", "aelin", state=state).problems[0]
    assert problem.code == "ambiguous"
    assert len(problem.choices) == 2
    assert commands("эльфы Г6 на Г5", "aelin", state=state) == [{"type": "move", "unit": "E2", "path": ["Г5"]}]


def test_a_sole_troop_of_a_kind_needs_no_cell() -> None:
    assert commands("эльфы на Д5", "aelin", state=with_elves("Д4")) == [{"type": "move", "unit": "E1", "path": ["Д5"]}]


def test_R184_standing_orders_are_found_by_what_they_watch() -> None:
    state = start().copy()
    rule = StandingRule(
        7, "unit_on_cell", {"cell": "Д4"}, {"type": "garrison_attack", "building": "Г3", "target": "<trigger unit>"}
    )
    state.players["aelin"].standing = [rule]
    assert commands("отбой по засаде на Д4", "aelin", state=state) == [{"type": "cancel_order", "id": 7}]
    assert codes("отбой по засаде на Д5", "aelin", state=state) == ["ambiguous"]


def test_R194_an_answer_without_a_name_goes_to_the_only_offer() -> None:
    state = start().copy()
    state.players["aelin"].offers = ["radomir"]
    assert commands("служить не буду", "radomir", state=state) == [{"type": "decline_service", "player": "aelin"}]


def test_R120_cards_outside_a_battle_are_cards_by_default() -> None:
    text = "Гарнизону Трона: О, О, С."
    assert commands(text, step="turn")[0]["type"] == "default_cards"
    battle = commands(text, step="battle")[0]
    assert battle["type"] == "battle_cards"
    assert {k: list(v) for k, v in battle["cards"].items()} == {"В9": ["defend", "defend", "shoot"]}


def test_R69_the_own_personal_troop_is_disbanded_only_when_confirmed() -> None:
    assert commands("распускаю личное войско") == []
    assert codes("распускаю личное войско") == ["not_confirmed"]
    assert commands("распускаю личное войско, подтверждаю") == [{"type": "disband", "unit": "T1"}]


@pytest.mark.parametrize(
    "text",
    [
        "Радомир идёт на Г5, Торгрим молчит.",
        "Гхаш строит башню.",
        "стража не идёт на В10",
        "рудник копать не буду",
        "может быть, построю крепость",
        "на следующий год построю крепость",
        "Торгрим обещал 5 монет.",
        "[quote]стража на В10[/quote]",
        "[s]Аэлин 5 монет[/s]",
    ],
)
def test_what_is_no_order_gives_none(text: str) -> None:
    assert commands(text, "thorgrim" if "Торгрим" not in text else "aelin") == []


PIECES = [
    "стража ", "маг ", "Аэлин ", "Торгриму ", "5 монет ", "на ", "с ", "Г7", "g7", "А О С ", "ААО ", "гарнизон ", "Лориэна ", "битва 1 ", "если ",
    "не ", "то ", "иначе ", " — ", "→ ", ": ", ", ", ". ", "\n", "осада ", "снимаю ", "туман сна ", "не вышел ", "подойдёт к ", "бить ", "его ",
    "3.1 ", "земля 4 ", "на север ", "две клетки ", "рудник ", "мифрил ", "Броды ", "туда же ", "столько же ", "тоже ", "нанять ", "орков ", "всё",
    "UPD ", "п. 2 ", "отмена ", "усл. приказ №2 ", "вместе с ", "не буду ", "пусть ", "кто встанет ", "[b]", "[/b]", "«", "»", "07 ", "Ы ", "Щ9999",
]  # fmt: skip


@cache
def language(faction: str) -> Language:
    made: Language = RULES.order_language(RULES.view(start(), only(faction)), "turn")  # type: ignore[assignment]
    return made


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40), st.sampled_from(["aelin", "thorgrim", "ghash", "radomir"]))
def test_any_words_of_the_game_are_accounted_for(pieces: list[str], faction: str) -> None:
    parse = language(faction).parse(from_text("".join(pieces)))
    assert parse.uncovered() == []
    for reading in parse.readings:
        RULES.commands.parse(reading.command)


def test_the_gm_and_strangers_are_read_without_a_faction_of_their_own() -> None:
    assert read("стража на В10", "kulg").uncovered() == []
    from rules.base import GM_ONLY

    made: Any = RULES.order_language(RULES.view(start(), GM_ONLY), None)
    assert made.parse(from_text("Гхашу 10 монет, эльфы на Г4, если что")).uncovered() == []


def test_names_of_another_scenario_are_known() -> None:
    state = start().copy()
    state.buildings["Г3"] = replace(state.buildings["Г3"], name="Семь Дубов")
    assert commands("понизить Семь Дубов", "aelin", state=state) == [{"type": "downgrade", "building": "Г3"}]


@pytest.mark.parametrize(
    "text",
    [
        "Я тут впервые, не смейтесь) Железная стража идёт на Г8",
        "Привет всем (и мастеру) :) Железная стража идёт на Г8",
        "Торгрим спросил, не поставить ли крепость, и ушёл. Железная стража идёт на Г8",
    ],
)
def test_what_stands_before_an_order_is_no_part_of_it(text: str) -> None:
    parse = read(text)
    assert [dict(c) for c in parse.commands] == [{"type": "move", "unit": "T1", "path": ["Г8"]}]
    assert parse.text[parse.readings[0].span.start :].startswith("Железная")


def test_an_order_behind_a_signature_in_its_line_is_read() -> None:
    assert commands("Аэлин 5 монет.\nС уважением, Подгорное царство. Ход окончен.")[-1] == {"type": "end_turn"}
