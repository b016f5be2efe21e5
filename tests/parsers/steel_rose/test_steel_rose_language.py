"""What the corpus can't show of the language: a revealed board, restarts, several squads at once, any text, who reads."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forum_gm.understand import audience_of, understand
from parsers.bbcode import from_bbcode
from parsers.language import Language
from parsers.text import from_text
from parsers.types import Parse, Severity
from rules import registry
from rules.base import GM
from rules.steel_rose.state import Attack, Battle, Side, State

RULES = registry.get("steel_rose")
FACTIONS = ("empire", "principality", "elves", "cult", "ogres")


@cache
def start() -> State:
    state: State = RULES.new_game(RULES.load_scenario(None))
    return state


def read(text: str, faction: str = "empire", step: str | None = "orders", state: State | None = None) -> Parse:
    return understand(RULES, state or start(), faction, step, from_bbcode(text))


def commands(text: str, faction: str = "empire", step: str | None = "orders", state: State | None = None) -> list[dict[str, Any]]:
    return [dict(r.command) for r in read(text, faction, step, state).readings]


def codes(text: str, faction: str = "empire", step: str | None = "orders") -> list[str]:
    return [p.code for p in read(text, faction, step).problems]


def cells(**units: str) -> list[dict[str, Any]]:
    return [
        {"place": place, "groups": [{"unit": unit, "count": 5, "origin": "army", "favored": False}]}
        for place, unit in units.items()
    ]


@cache
def planning() -> State:
    """Empire at Holmgard, both boards revealed."""
    state = start().model_copy(deep=True)
    state.phase, state.wave = "planning", 1
    attack = Attack.model_validate({"attacker": "empire", "target": "holmgard", "armies": [1]})
    ours = Side(faction="empire", board=cells(LV="horseman", CV="spearman", CR="archer"))
    theirs = Side(faction="principality", board=cells(CV="shieldman", CR="rifleman"))
    state.battles = [Battle(id="holmgard", attack=attack, attacker=ours, defender=theirs)]
    return state


@pytest.mark.parametrize(
    ("text", "position", "maneuver", "target"),
    [
        ("лучники обстреливают центр", "CR", "bombard", "CV"),
        ("конница в натиск на центральный тыл врага", "LV", "charge", "CR"),
        ("копейщики прикрывают лучников", "CV", "defend", "CR"),
    ],
)
def test_R27_a_squad_named_by_its_units_stands_where_the_board_shows_it(
    text: str, position: str, maneuver: str, target: str
) -> None:
    found = [(c.get("position"), c.get("maneuver"), c.get("target")) for c in commands(text, step="planning", state=planning())]
    assert found == [(position, maneuver, target)]


TEMPLATE = """Правый фланг:
Авангард - 5 копейщиков и 3 рыцаря
Арьергард - 3 лучника
Центральный фланг:
Авангард - 10 копий
Арьергард - хилы все
{} фланг:
Авангард - конница 2
Арьергард - пусто"""
DEPLOYED = {"RV": {"spearman": 5, "knight": 3}, "RR": {"archer": 3}, "CV": {"spearman": 10}, "CR": {"healer": "all"}}


def test_R23_the_template_of_the_rules_is_a_deployment() -> None:
    (command,) = commands(TEMPLATE.format("Левый"), step="deployment", state=planning())
    assert command["positions"] == {**DEPLOYED, "LV": {"horseman": 2}}


def test_R23_of_two_centres_the_last_is_the_left_flank_and_the_reply_says_so() -> None:
    (reading,) = read(TEMPLATE.format("Центральный"), step="deployment", state=planning()).readings
    assert reading.command["positions"] == {**DEPLOYED, "LV": {"horseman": 2}}
    assert "лев" in (reading.note or "").casefold()


def test_R23_two_centres_beside_a_left_flank_ask() -> None:
    parse = read(TEMPLATE.format("Центральный") + "\nЛевый фланг:\nАвангард - 1 рыцарь", step="deployment", state=planning())
    assert not any(r.certain for r in parse.readings)
    assert [p for p in parse.problems if p.severity is Severity.QUESTION]


@pytest.mark.parametrize("word", ["Отмена хода, заново:", "Отменяю весь ход."])
def test_a_restart_takes_back_the_posts_before(word: str) -> None:
    parse = read(f"{word}\nбарак в Альтенграде")
    assert parse.restart
    assert [r.command["type"] for r in parse.readings] == ["build"]
    assert not read("барак в Альтенграде").restart


def test_one_order_for_two_squads_is_two_manoeuvres() -> None:
    found = commands("правый и левый авангард в укрытие", step="planning")
    assert [(c["position"], c["maneuver"]) for c in found] == [("RV", "cover"), ("LV", "cover")]


def test_a_name_a_letter_away_from_two_things_asks() -> None:
    parse = read("барак и рудник в столице")
    assert "gold_mine" not in str([r.command for r in parse.readings])
    assert any("рудник" in p.message for p in parse.problems)


@pytest.mark.parametrize(("faction", "building"), [("elves", "magic_workshop"), ("principality", "gun_workshop")])
def test_a_name_means_the_readers_own_thing_first(faction: str, building: str) -> None:
    city = {"elves": "Крепости", "principality": "Ормисе"}[faction]
    assert commands(f"мастерскую в {city}", faction)[0]["building"] == building


def test_typos_ask_before_they_are_orders() -> None:
    reading = read("строим барак в Кронвеке").readings[0]
    assert reading.command["city"] == "kronvik"
    assert not reading.certain
    assert reading.note


@pytest.mark.parametrize(
    "text",
    [
        "мы атаковали Хольмгард в прошлом ходу",
        "Князья идут на Белый Брод.",
        "Может быть, на следующий ход построим казарму в столице.",
        "Мастер, сколько стоит барак в Кронвике?",
        "(ооц: завтра не будет меня, барак подождёт)",
    ],
)
def test_stories_questions_and_plans_are_no_orders(text: str) -> None:
    assert commands(text) == []


@pytest.mark.parametrize("faction", [*FACTIONS, GM])
def test_anybody_reads_a_post(faction: str) -> None:
    view = RULES.view(start(), audience_of(faction))
    language = RULES.order_language(view, None)
    assert isinstance(language, Language)
    assert language.parse(from_text("барак в столице, 10 копейщиков")).text


_WORDS = st.sampled_from(
    [
        "барак",
        "столица",
        "Кронвик",
        "армия",
        "1",
        "все",
        "10",
        "копейщиков",
        "левый",
        "авангард",
        "натиск",
        "грабим",
        "нет",
        "если",
        "вместо",
        "—",
        ":",
        ",",
        ".",
        "\n",
        "порох",
        "ритуал",
        "союз",
        "эльфам",
        "дорога",
        "Роща-Пик",
        "х5",
        "UPD:",
        "остальные",
        "в",
        "укрытие",
        "гарнизон",
        "сжечь",
        "руины",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_WORDS, max_size=40), st.sampled_from(FACTIONS), st.sampled_from(["orders", "deployment", "planning", "capture"]))
def test_any_mixture_of_its_words_is_read_and_accounted_for(words: list[str], faction: str, step: str) -> None:
    text = " ".join(words)
    parse = read(text, faction, step)
    covered = [False] * len(parse.text)
    spans = [s for r in parse.readings for s in (r.span, *r.extra_spans)]
    spans += [p.span for p in parse.problems if p.span is not None] + [i.span for i in parse.ignored]
    for span in spans:
        covered[span.start : span.end] = [True] * (span.end - span.start)
    assert all(c.isspace() or done for c, done in zip(parse.text, covered, strict=True))
