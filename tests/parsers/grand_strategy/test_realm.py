"""Kinds of speech about the realm: ways said anew, works that come to stand, spells told in parts, sums counted up aloud."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from forum_gm.understand import understand
from parsers.bbcode import from_bbcode
from rules import registry
from rules.grand_strategy.state import State
from tests.parsers.reading import read

RULES = registry.get("grand_strategy")


@cache
def start() -> State:
    state: State = RULES.new_game(RULES.load_scenario(None))
    return state


def commands(faction: str, text: str) -> list[dict[str, Any]]:
    parse = understand(RULES, start(), faction, "turn", from_bbcode(text))
    return [{k: v for k, v in c.items() if k != "text"} for c in parse.commands]


def money(to: str, amount: int) -> dict[str, Any]:
    return {"type": "send_money", "to": to, "amount": amount}


@pytest.mark.parametrize(
    "text",
    [
        "конница т9 потом т10 нет стойте лучше с8 и р7",
        "иду всадниками т9 т10 ой нет с8 р7",
        "Всадники на Т9, Т10… нет, погодите: С8, Р7.",
        "всадники первым шагом на с8, вторым на р7",
    ],
)
def test_a_way_said_anew_takes_the_place_of_the_whole_way(text: str) -> None:
    assert commands("ghash", text) == [{"type": "move", "unit": "G1", "path": ["С8", "Р7"]}]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Всадники: С9, Р9.\nНа Р9 ими же ставится застава.", "outpost"),
        ("Всадники: С9, Р9. На Р9 вырастает застава.", "outpost"),
        ("Всадники идут на С9, Р9. Там появится башня.", "tower"),
        ("Всадники: С9, Р9. Быть тут башне!", "tower"),
    ],
)
def test_works_come_to_stand_by_themselves(text: str, what: str) -> None:
    moved, built = commands("ghash", text)
    assert moved == {"type": "move", "unit": "G1", "path": ["С9", "Р9"]}
    assert built == {"type": "build", "unit": "G1", "what": what}


@pytest.mark.parametrize("text", ["Трон прибавляет уровень", "Накинуть Трону уровень", "Каменный Трон получает ещё одну ступень"])
def test_a_house_gains_a_level(text: str) -> None:
    assert commands("thorgrim", text) == [{"type": "upgrade", "building": "В9"}]


@pytest.mark.parametrize("text", ["Стража на Д8 (там башня нейтральная)", "Стража на Д8. Тут быть беде."])
def test_what_is_told_of_a_place_builds_nothing(text: str) -> None:
    assert commands("thorgrim", text) == [{"type": "move", "unit": "T1", "path": ["Д8"]}]


@pytest.mark.parametrize(
    ("text", "sums"),
    [
        ("Гхашу и Аэлин по пять монет, всего десять.", [("ghash", 5), ("aelin", 5)]),
        ("Гхашу 2, Аэлин 3 — итого 5", [("ghash", 2), ("aelin", 3)]),
        ("Радомиру 5 монет (дойдёт 4).", [("radomir", 5)]),
        ("А тебе, Радомир, так и быть, семёрка.", [("radomir", 7)]),
        ("Аэлин, тебе 5.", [("aelin", 5)]),
    ],
)
def test_sums_counted_up_and_players_called(text: str, sums: list[tuple[str, int]]) -> None:
    assert commands("thorgrim", text) == [money(*s) for s in sums]


def cast(spell: str, **fields: Any) -> dict[str, Any]:
    return {"type": "cast", "mage": "A1", "spell": spell, **fields}


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("зачаровываю оружие дружины Радомира: сперва на защиту, потом на стрельбу", ("enchanted_weapon", "R1")),
        ("Заговорить топоры дружины: щит, потом лук", ("enchanted_weapon", "R1")),
    ],
)
def test_actions_of_a_weapon_told_one_by_one(text: str, command: tuple[str, str]) -> None:
    spell, target = command
    assert commands("aelin", text) == [cast(spell, target=target, actions=["defend", "shoot"])]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("A1: призыв дракона", cast("call_dragon")),
        ("Маг насылает бурю: шторм, центр Б1.", cast("storm", cell="Б1")),
        ("Колдую себе щит ярости", cast("rage_shield", target="A1")),
        ("Аэлин насылает на Гхаша дорожные тревоги", cast("road_troubles", player="ghash")),
        ("зомби поднимаем на г4, лишние идут на в4", cast("raise_zombies", cell="Г4", overflow="В4")),
    ],
)
def test_spells_in_other_words(text: str, command: dict[str, Any]) -> None:
    assert commands("aelin", text) == [command]


@pytest.mark.parametrize(
    "text",
    ["орки в стан, потом на У8", "орков в столицу, затем на У8", "Стан принимает орков. Орки на У8"],
)
def test_a_hired_troop_goes_on(text: str) -> None:
    hired = {"type": "hire", "building": "Т8", "unit_type": "orcs"}
    assert commands("ghash", text) == [hired, {"type": "move", "unit": "<hired orcs>", "path": ["У8"]}]


def test_an_item_put_right_by_its_number() -> None:
    text = "1) Всадники: С7.\n2) Аэлин 4 монеты.\nВ п. 1 вместо С7 — У7."
    assert {"type": "move", "unit": "G1", "path": ["У7"]} in commands("ghash", text)


def test_plain_ukrainian_words() -> None:
    moved, closed, ended = commands("thorgrim", "Стража йде на Г8. Гхашу вхід у Трон заборонено, кінець ходу.")
    assert moved == {"type": "move", "unit": "T1", "path": ["Г8"]}
    assert (closed["type"], closed["player"]) == ("deny_entry", "ghash")
    assert ended["type"] == "end_turn"


@pytest.mark.parametrize(
    ("text", "place"),
    [("Поднять башню на Ж9", "tower"), ("там поднимут башню за 25 монет", "tower"), ("Поднимаю башню на С9", "tower")],
)
def test_a_work_raised_where_none_stands_is_no_certain_upgrade(text: str, place: str) -> None:
    (reading,) = understand(RULES, start(), "ghash", "turn", from_bbcode(text)).readings
    assert (reading.command["type"], reading.command["what"], reading.certain) == ("build", place, False)


@pytest.mark.parametrize("text", ["Всадники: С9\nТ8: рыцари", "G1 - С9\nТ8 - рыцари", "Всадники → С9\nТ8: рыцари"])
def test_a_house_and_a_kind_of_troops_in_a_list_of_ways_hire(text: str) -> None:
    hired = {"type": "hire", "building": "Т8", "unit_type": "knights"}
    assert commands("ghash", text) == [{"type": "move", "unit": "G1", "path": ["С9"]}, hired]


@pytest.mark.parametrize(
    "text",
    [
        "Распускаю личное войско. Да, именно его. Подтверждаю.",
        "Личное войско распустить. Уверен.",
        "Распускаю Волчьих всадников. Да, именно их. Подтверждаю.",
    ],
)
def test_disbanding_confirmed_in_a_sentence_of_its_own(text: str) -> None:
    assert {"type": "disband", "unit": "G1"} in commands("ghash", text)


@pytest.mark.parametrize("tail", ["Предыдущие приказы не исполнять.", "Прежние приказы не выполнять."])
def test_what_a_later_line_takes_back_is_not_certain(tail: str) -> None:
    parse = understand(RULES, start(), "ghash", "turn", from_bbcode("Всадники на С9.\n" + tail))
    moved = next(r for r in parse.readings if r.command["type"] == "move")
    assert not moved.certain


def test_who_may_not_annex_gets_no_consent() -> None:
    """The denial stands behind the troop; one of the next sentence is another order."""
    for text in ("Торгриму присоединить моё личное войско не позволю", "Торгриму присоединить моё личное войско не разрешаю"):
        (reading,) = read("grand_strategy", text, faction="aelin").readings
        assert reading.command["agree"] is False
    free = read("grand_strategy", "Радомир может присоединить моё личное войско. Не пускаю Гхаша в Лориэн", faction="aelin")
    assert [r.command.get("agree") for r in free.readings if r.command["type"] == "consent"] == [None]
