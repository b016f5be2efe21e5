"""Battles told in plain Russian: whose side is whose, units, deployment, manoeuvres; nothing is lost and nothing is guessed unseen."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.types import Severity, Span
from rules.base import RulesError
from rules.steel_rose.battle.model import GARRISON, ManeuverOrder, SideSetup
from rules.steel_rose.data import counted, game_data
from rules.steel_rose.fast.description import NotUnderstood, from_toml, read_battle


def told(side: SideSetup) -> dict[str, dict[str, int]]:
    """Place → unit → number."""
    return {place: {g.unit: g.count for g in groups} for place, groups in side.squads.items()}


def refused(text: str) -> NotUnderstood:
    with pytest.raises(NotUnderstood) as caught:
        read_battle(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "factions", "attacker", "defender"),
    [
        (
            "10 копейщиков и 3 рыцаря против 8 щитовиков и 4 стрелков",
            ("empire", "principality"),
            {"CV": {"spearman": 10, "knight": 3}},
            {"CV": {"shieldman": 8}, "CR": {"rifleman": 4}},
        ),
        (
            "двадцать копий, пяток луков против дюжины культистов",
            ("empire", "cult"),
            {"CV": {"spearman": 20}, "CR": {"archer": 5}},
            {"CV": {"cultist": 12}},
        ),
        ("герой, 18 тяжей против героя и 9 тяжей", ("empire", "empire"), {"CV": {"hero": 1, "heavy_infantry": 18}}, None),
        (
            "Империя: 10 копий против Культа: 8 культистов и 2 просветлённых",
            ("empire", "cult"),
            {"CV": {"spearman": 10}},
            {"CV": {"cultist": 8}, "CR": {"enlightened": 2}},
        ),
        ("Империя 5 рыцарей vs Культ пустоты 5 рыцарей", ("empire", "cult"), {"CV": {"knight": 5}}, {"CV": {"void_knight": 5}}),
        (
            "Атака: 10 копий, 5 луков\nОборона: 8 щитов",
            ("empire", "principality"),
            {"CV": {"spearman": 10}, "CR": {"archer": 5}},
            {"CV": {"shieldman": 8}},
        ),
        ("наши 3 энта атакуют 8 щитов", ("elves", "principality"), {"CV": {"ent": 3}}, {"CV": {"shieldman": 8}}),
        ("10 копий (Империя) против 8 щитов?", ("empire", "principality"), {"CV": {"spearman": 10}}, {"CV": {"shieldman": 8}}),
        (
            "Обороняется Культ: 8 культистов\nНападает Империя: 10 копий",
            ("empire", "cult"),
            {"CV": {"spearman": 10}},
            {"CV": {"cultist": 8}},
        ),
        (
            "Огры: 3 быка\nЭльфы: 4 энта в центре, 6 чародеев за ними",
            ("ogres", "elves"),
            {"CV": {"ogre_bull": 3}},
            {"CV": {"ent": 4}, "CR": {"wizard": 6}},
        ),
        (
            "Империя:\nПравый фланг:\nАвангард - 5 копейщиков и 3 рыцаря\nАрьергард - 3 лучника\nЦентральный фланг:\nАвангард - 10 копий\n\nКняжество:\n10 щитов, 5 стрелков. Стрелки — центральный арьергард, остальные в центр",
            ("empire", "principality"),
            {"CV": {"spearman": 10}, "RV": {"spearman": 5, "knight": 3}, "RR": {"archer": 3}},
            {"CV": {"shieldman": 10}, "CR": {"rifleman": 5}},
        ),
    ],
)
def test_sides_units_and_places(text, factions, attacker, defender):
    battle = read_battle(text)
    assert (battle.setup.attacker.faction, battle.setup.defender.faction) == factions
    assert told(battle.setup.attacker) == attacker
    if defender is not None:
        assert told(battle.setup.defender) == defender
    assert [p for p in battle.problems if p.severity is not Severity.WARNING] == []


def test_the_same_unit_on_several_places_is_counted_once_each():
    battle = read_battle(
        "Империя: 3 копья\nКульт: левый авангард 10 культистов, 6 низших демонов, 3 заразителя; левый арьергард 4 просветлённых; "
        "центральный авангард 9 низших демонов; центральный арьергард 5 просветлённых; правый авангард 6 культистов"
    )
    assert told(battle.setup.defender) == {
        "LV": {"cultist": 10, "lower_demon": 6, "infector": 3},
        "LR": {"enlightened": 4},
        "CV": {"lower_demon": 9},
        "CR": {"enlightened": 5},
        "RV": {"cultist": 6},
    }


def test_manoeuvres_of_both_sides_and_what_is_said_of_a_side():
    battle = read_battle(
        "Империя: центр — авангард 6 копейщиков; левый авангард — 3 всадника. Всадники — натиск на центральный арьергард.\n"
        "Империя не дремлет\nпротив\n"
        "Княжества (гарнизон, стены и бастион): центральный авангард 7 щитовиков, центральный арьергард 6 стрелков."
        " Щитовики прикрывают центральный арьергард."
    )
    attacker, defender = battle.setup.sides
    assert attacker.maneuvers == (ManeuverOrder("LV", "charge", "CR"),)
    assert defender.maneuvers == (ManeuverOrder("CV", "defend", "CR"),)
    assert {g.origin for _, g in defender.groups()} == {GARRISON}
    assert defender.shot_bonus == pytest.approx(0.6)
    assert [p.message for p in battle.problems] == ["Пропущено: «Империя не дремлет»."]
    assert "левый авангард — натиск: центральный арьергард" in "\n".join(battle.understood)


def test_the_same_battle_in_prose_and_in_toml():
    prose = read_battle(
        "Империя: центральный авангард 6 копейщиков, левый авангард 3 всадника; всадники — натиск на центральный арьергард\n"
        "Княжество: центральный авангард 7 щитов, центральный арьергард 6 стрелков; щиты в укрытие"
    )
    table = {
        "attacker": {
            "faction": "empire",
            "positions": {"CV": {"spearman": 6}, "LV": {"horseman": 3}},
            "maneuvers": {"LV": {"maneuver": "charge", "target": "CR"}},
        },
        "defender": {
            "faction": "principality",
            "positions": {"CV": {"shieldman": 7}, "CR": {"rifleman": 6}},
            "maneuvers": {"CV": {"maneuver": "cover"}},
        },
    }
    assert prose.setup == from_toml(table).setup


@pytest.mark.parametrize(
    ("text", "code", "words", "where"),
    [
        ("10 копий", "ambiguous", "две стороны", "10 копий"),
        ("", "ambiguous", "две стороны", ""),
        ("10 копий против 5 щитов против 3 энтов", "ambiguous", "две стороны", None),
        ("Империя: 5 копий\nКульт: 3 культиста\nОгры: 1 бык", "ambiguous", "больше", "Огры:"),
        ("5 рыцарей против 8 щитов", "ambiguous", "Чьи это войска", "5 рыцарей"),
        ("10 копий против 8 гоблинов", "ambiguous", "ни одного юнита", "8 гоблинов"),
        ("10 копий против 8 щитов, энты", "ambiguous", "Не понял", "энты"),
        ("5 копий; слева 6 копий против 8 щитов", "E_NOT_ENOUGH_UNITS", "есть 5, указано 6", None),
        ("Империя: центр копейщики\nКульт: 8 культистов", "E_COUNT", "Сколько", None),
        ("10 копий против 0 щитов", "ambiguous", "Не понял", "0 щитов"),
        ("Империя: в центре 10 копий; копья в натиск на центральный арьергард\nКульт: 8 культистов, 2 просветлённых",
         "E_CANNOT_CHARGE", "натиск", None),
        ("Империя: в центре 10 копий, слева 2 героя\nКульт: 8 культистов", "E_MAX_PER_SQUAD", "только один: Герой", None),
    ],
)  # fmt: skip
def test_what_is_wrong_is_shown_at_its_place(text, code, words, where):
    error = refused(text)
    found = [p for p in error.problems if p.code == code and words in p.message]
    assert found, [(p.code, p.message) for p in error.problems]
    if where is not None:
        span = found[0].span or Span(0, 0)
        assert error.text[span.start : span.end].strip() == where


def test_rears_that_step_up_are_a_warning_and_told():
    battle = read_battle("Империя: правый арьергард — 3 лучника, центр 5 копий\nКульт: 8 культистов")
    assert told(battle.setup.attacker) == {"CV": {"spearman": 5}, "RV": {"archer": 3}}
    assert [p.code for p in battle.problems] == ["W_REAR_WITHOUT_VANGUARD"]


def test_broken_toml_is_called_so():
    with pytest.raises(RulesError, match="TOML"):
        read_battle('[attacker]\nfaction = "empire')


def test_absurd_numbers_are_refused():
    side = 'faction = "empire"\npositions = {CV = {spearman = 999999999}}\n'
    with pytest.raises(RulesError, match="много юнитов"):
        read_battle(f"[attacker]\n{side}[defender]\n{side}")
    with pytest.raises(RulesError, match="много юнитов"):
        read_battle("999999999 копий против 2 щитов")


def test_every_unit_is_understood_in_its_faction():
    data = game_data()
    for faction in data.factions:
        units = [u for u in data.units.values() if u.faction == faction]
        for unit in units:
            count = 1 if unit.max_per_squad else 7
            name = data.factions[faction].name_ru
            battle = read_battle(f"{name}: {counted(count, unit)}\nпротив\nКняжество: 3 щитовика")
            assert [g.unit for _, g in battle.setup.attacker.groups()] == [unit.id], unit.id
            assert sum(g.count for _, g in battle.setup.attacker.groups()) == count


WORDS = st.sampled_from(
    [
        "10",
        "3",
        "0",
        "-5",
        "копейщиков",
        "рыцаря",
        "щиты",
        "все",
        "против",
        "Империя:",
        "Культ:",
        "\n",
        ".",
        ",",
        ";",
        "—",
        "(",
        "«",
        "центр",
        "левый",
        "авангард",
        "арьергард",
        "натиск",
        "в",
        "на",
        "укрытие",
        "гарнизон)",
    ]
)


@settings(max_examples=25, deadline=None)
@given(st.lists(WORDS, max_size=14))
def test_any_text_is_a_battle_or_says_why_not(words):
    text = " ".join(words)
    try:
        battle = read_battle(text)
    except NotUnderstood as error:
        said = [p.message for p in error.problems]
    else:
        said = ["/".join(told(side)) for side in battle.setup.sides]
    assert said
    assert all(said)
