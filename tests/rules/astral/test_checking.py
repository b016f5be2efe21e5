"""What a player is told before the step closes (§8): messages, rulings, corrections; from his own view alone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from parsers.types import Severity
from rules.astral import RULESET
from rules.astral.catalog import raw_data
from rules.base import EVERYONE, only
from tests.rules.astral.conftest import World, assault, attack


def problems(world: World, *raw: dict[str, Any], owner: str = "buyny") -> list[Any]:
    commands = [RULESET.commands.parse(entry) for entry in raw]
    return RULESET.check(RULESET.view(world.state, only(owner)), "turn", commands)


def tactic(**more: Any) -> dict[str, Any]:
    base = {"type": "set_defence_tactic", "attack_no": 1, "troop": "infantry", "magic": "sacred", "hero": "warrior"}
    return {**base, "troop_share": 50, "magic_share": 50, **more}


MESSAGES = json.loads((Path(__file__).parent / "messages.json").read_text("utf-8"))
"""Code, what the state needs, the sheet, and the message: the table of §8."""


def prepared(how: str) -> World:
    """The fixture with what a case needs."""
    world = World()
    if how == "destroyed":
        world.set(shards__n012__status="destroyed")
    elif how == "kael011":
        world.own("kael", "n011")
    elif how in ("own007", "own007_low"):
        level = 4 if how == "own007" else 0
        world.own("buyny", "n007").set(owners__buyny__energy=60, owners__buyny__levels={"infantry": level})
    elif how.startswith("own"):
        world.own("buyny", f"n{how[3:]}")
    elif how == "asleep":
        world.set(owners__buyny__status="nothing")
    elif how == "tishina":
        world.set(owners__tishina__status="nothing")
    elif how == "dead":
        world.set(owners__rzhavy__status="eliminated", owners__rzhavy__shards=[])
    elif how == "gone":
        world.set(owners__buyny__status="eliminated", owners__buyny__shards=[])
    elif how == "truce":
        world.rune("truce")
    elif how:
        world.hold("buyny", how)
    return world


@pytest.mark.parametrize("case", MESSAGES, ids=[f"{case['code']}-{number}" for number, case in enumerate(MESSAGES)])
def test_message(case: dict[str, Any]) -> None:
    found = [problem for problem in problems(prepared(case["state"]), *case["orders"]) if problem.code == case["code"]]
    assert [problem.message for problem in found] == [case["message"]]
    assert RULESET.rule_text(str(found[0].rule))


def test_every_code_of_the_messages_is_known_to_a_ruling() -> None:
    for code, entry in raw_data("messages").items():
        if code != "words":
            assert re.match(r"[EW]_[A-Z_]+$", code)
            assert RULESET.rule_text(entry["rule"])
            Severity(entry["severity"])


def test_R26_split_comes_with_a_correction(world: World) -> None:
    (problem,) = problems(world, attack("n000", 7, 5, energy=15))
    assert problem.correction == "Атака осколка 000.Таверна Пьяный Дракон: 15э, Пехота 8 – Некромантия 5 – Воин"
    (choice,) = problem.choices
    assert problems(world, dict(choice.command)) == []


def test_R7_energy_is_counted_in_the_sheets_order(world: World) -> None:
    orders = [{"type": "invest_defence", "energy": energy} for energy in (15, 6, 5, 1)]
    assert [(p.command, p.code) for p in problems(world, *orders)] == [(1, "E_ENERGY"), (3, "E_ENERGY")]


def test_R124_an_item_on_its_way_is_only_warned_of_before_the_close(world: World) -> None:
    world.hold("morwen", "rally_horn")
    (problem,) = problems(world, attack("n001", items=["rally_horn"]))
    assert (problem.code, problem.severity) == ("E_ITEM_NOT_YOURS", Severity.WARNING)


def test_the_public_may_order_nothing(world: World) -> None:
    command = RULESET.commands.parse({"type": "pass"})
    assert [p.code for p in RULESET.check(RULESET.view(world.state, EVERYONE), "turn", [command])] == ["E_NOT_PLAYER"]


def test_a_gms_order_is_none_of_an_owners(world: World) -> None:
    (problem,) = problems(world, {"type": "gm_choose_rune", "rune": "tribute"})
    assert problem.code == "E_NOT_PLAYER"


SAMPLES: dict[str, dict[str, Any]] = {
    "attack_neutral": attack("n000", 6, 6, energy=14, items=["rally_horn"]),
    "attack_owner": assault("kael", 6, 6, group="«Клык»", group_position=2),
    "set_reserve": {"attack_no": 12, "energy": 3},
    "invest_defence": {"energy": 2},
    "set_defence_tactic": tactic(attack_no="all", troop_share=33.3, magic_share=None),
    "care": {"shard": "n001"},
    "sacrifice": {"shard": "h_kael_1"},
    "vote_rune": {"rune": "tribute"},
    "transfer_energy": {"to": "kael", "amount": 3},
    "transfer_item": {"to": "kael", "item": "rally_horn"},
    "exchange": {"with": "kael", "give": {"energy": 3, "info": ["n035"]}, "want": {"items": ["rally_horn"]}},
    "share_info": {"to": "kael", "subject": "plague_box"},
    "use_item": {"item": "astral_leech", "target_owner": "kael"},
    "use_feature": {"shard": "n022", "feature": "shipyard", "target_shard": "n022"},
    "hire_specialist": {"specialist": "sergeant"},
    "cancel_orders": {"orders": [{"type": "care"}]},
    "gm_grant_item": {"owner": "kael", "item": "rally_horn"},
    "gm_remove_item": {"owner": "kael", "item": "rally_horn"},
    "gm_set_param": {"owner": "kael", "field": "level", "unit": "infantry", "value": 2},
    "gm_apply_effect": {"effect": {"op": "height_set", "value": 3}},
    "gm_place_shard": {"shard": {"number": "099", "name_ru": "Новый"}},
    "gm_remove_shard": {"shard": "n001"},
    "gm_set_rune_board": {"runes": ["storm"]},
    "gm_choose_rune": {"rune": "storm"},
    "gm_set_group_order": {"group": "Клык", "owners": ["kael", "buyny"]},
    "gm_excuse_missed": {"owner": "kael"},
    "gm_force_nothing": {"owner": "kael"},
    "gm_release": {"owner": "kael"},
    "gm_eliminate": {"owner": "kael"},
    "gm_reveal": {"owner": "kael", "subject": "n035"},
    "gm_end_game": {"winners": ["kael"]},
}


@pytest.mark.parametrize("kind", list(RULESET.commands))
def test_every_command_is_described_in_russian(world: World, kind: str) -> None:
    command = RULESET.commands.parse({"type": kind, **SAMPLES.get(kind, {})})
    line = RULESET.describe(RULESET.view(world.state, only("buyny")), command)
    assert re.search("[А-Яа-я]", line)
    assert not re.search(r"[{}_]|None|h_kael|n0\d\d", line)
    assert command.title


def test_describe_shows_unknown_names_as_they_are(world: World) -> None:
    view = RULESET.view(world.state, only("buyny"))
    for raw in (attack("n777", troop="драконы"), {"type": "use_item", "item": "?"}, {"type": "care", "shard": "?"}):
        assert RULESET.describe(view, RULESET.commands.parse(raw))


def test_data_files_hold_no_unused_words() -> None:
    code = "".join(path.read_text("utf-8") for path in (Path(__file__).parents[3] / "rules" / "astral").glob("*.py"))
    for name in raw_data("report")["gm"]:
        assert f'"{name}"' in code, name
