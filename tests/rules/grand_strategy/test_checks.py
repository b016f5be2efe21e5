"""`check` judges a post's orders in their order, as if carried out; the first failing check is told in Russian."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rules.base import only
from rules.grand_strategy import RULESET
from rules.grand_strategy.play import Play, Refusal
from rules.grand_strategy.window import check_join

CASES = json.loads((Path(__file__).parent / "checks.json").read_text(encoding="utf-8"))


def judge(faction: str, kind: str | None, commands: list[dict[str, Any]]) -> list[tuple[int | None, str, str]]:
    state = RULESET.new_game(RULESET.load_scenario(None))
    parsed = [RULESET.commands.parse(c) for c in commands]
    view = RULESET.view(state, only(faction))
    before = RULESET.dump(view.state)
    problems = RULESET.check(view, kind, parsed)
    assert RULESET.dump(view.state) == before
    for command in parsed:
        assert RULESET.describe(view, command)
    return [(p.command, p.code, p.message) for p in problems]


@pytest.mark.parametrize("case", CASES, ids=[c["name"] for c in CASES])
def test_check(case: dict[str, Any]) -> None:
    found = judge(case["faction"], case["kind"], case["commands"])
    assert [[index, code] for index, code, _ in found] == case["problems"]
    assert all(message and "{" not in message and "?" not in message for _, _, message in found)


def test_R73_only_mages_cast_and_R55_magic_troops_cannot_besiege() -> None:
    fog = {"type": "cast", "mage": "T1", "spell": "sleep_fog", "target": "R1"}
    assert judge("thorgrim", "turn", [fog])[0][1:] == ("mage_only", "Колдовать могут только маги.")


def test_R193_no_orders_no_problems() -> None:
    assert judge("aelin", "turn", []) == []


def test_R4_message_names_the_active_player() -> None:
    hire = {"type": "hire", "building": "Т8", "unit_type": "orcs"}
    assert judge("ghash", "other_turn", [hire])[0][2].startswith("Сейчас ход игрока Аэлин. Вне своего хода")


def test_R4_who_has_no_turn_is_not_told_of_a_turn_of_nobody() -> None:
    """Between turns, and while the cards of one's own turn are awaited, there is no other player to name."""
    play = Play(RULESET.new_game(RULESET.load_scenario(None)))
    for active, expected in (
        ("aelin", "Сейчас ваш ход не идёт."),
        (None, "Сейчас ваш ход не идёт."),
        ("ghash", "Сейчас ход игрока Гхаш."),
    ):
        play.g.active = active
        with pytest.raises(Refusal) as refused:
            play.not_the_turn_of("aelin")
        assert refused.value.message.startswith(f"{expected} Вне своего хода доступны только действия с «+»")


def test_R11_land_with_a_house_of_nobody_is_refused_in_words_of_its_own() -> None:
    play = Play(RULESET.new_game(RULESET.load_scenario(None)))
    cell, house = next((cell, b) for cell, b in play.g.buildings.items() if b.owner == "aelin")
    province = play.g.board.province[cell]
    join = RULESET.commands.parse({"type": "join_game", "as": "ruler", "province": province})
    for owner, expected in (("aelin", "Земля занята правителем Аэлин."), (None, "В этой земле стоит ничей дом лорда.")):
        house.owner = owner
        with pytest.raises(Refusal) as refused:
            check_join(play, "newcomer", join)
        assert refused.value.message == f"{expected} Назовите другую или не называйте никакой: она достанется по жребию."


@pytest.mark.parametrize(
    ("faction", "command", "message"),
    [
        ("aelin", {"type": "send_money", "to": "ghash", "amount": 60}, "Нужно 60, в казне 50."),
        ("aelin", {"type": "send_money", "to": "ghash", "amount": -5}, "Сумма должна быть больше нуля."),
        (
            "thorgrim",
            {"type": "hire", "building": "В9", "unit_type": "dwarves"},
            "В доме В9 уже стоит «Железная стража»: сначала выведите войско.",
        ),
        ("aelin", {"type": "upgrade", "building": "Г3"}, "Выше города уровня нет."),
        (
            "radomir",
            {"type": "move", "unit": "R1", "path": ["З7", "И7", "К7"]},
            "Передвижение войска «Дружина Радомира» закончено на И7: вошли в реку.",
        ),
        (
            "radomir",
            {"type": "attack", "unit": "R1", "target": "N1"},
            "У войска «Дружина Радомира» нет активного действия (восстановится с начала года 2).",
        ),
    ],
)  # fmt: skip
def test_messages(faction: str, command: dict[str, Any], message: str) -> None:
    assert judge(faction, "turn", [command])[0][2] == message


def test_R182_both_branches_of_a_condition_are_possible() -> None:
    cast = {"type": "cast", "mage": "A1", "spell": "safe_road", "player": "ghash"}
    fail = {"type": "move", "unit": "A1", "path": ["Г2"], "condition": {"ref": 1, "outcome": "fail"}}
    luck = {"type": "move", "unit": "A1", "path": ["Г4", "Д5"], "condition": {"ref": 1, "outcome": "success"}}
    assert judge("aelin", "turn", [cast, fail, luck]) == []
    bad = {"type": "move", "unit": "A1", "path": ["Г2"], "condition": {"ref": 5, "outcome": "fail"}}
    assert judge("aelin", "turn", [bad])[0][1] == "bad_condition"


def test_newcomers_are_checked_too() -> None:
    join = {"type": "join_game", "as": "commander", "cell": "М8"}
    hire = {"type": "hire", "building": "Т8", "unit_type": "orcs"}
    assert [code for _, code, _ in judge("olaf", "window", [join, hire])] == ["not_your_turn"]
