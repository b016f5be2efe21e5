"""The worked examples of the specification, exactly: state, figures, report lines. Each test's id names its rulings."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from rules.astral import effects
from rules.astral import state as states
from tests.rules.astral.conftest import Played, fixture_state, play

EXAMPLES = [
    example
    for name in ("battles", "worlds", "turns", "more")
    for example in json.loads((Path(__file__).parent / "examples" / f"{name}.json").read_text("utf-8"))
]
RATIONAL = re.compile(r"^-?\d+(/\d+)?$")


def played_turns(example: dict[str, Any]) -> list[Played]:
    """All turns of an example, one after the other."""
    state, out = fixture_state(example["set"]), []
    for turn in example["turns"]:
        orders = {"gm": turn["gm"], **turn["orders"]} if turn["gm"] else turn["orders"]
        played = play(state, orders, dice=turn["dice"], submitted=turn["submitted"])
        assert played.left == 0, "unused dice"
        state = played.state
        out.append(played)
    return out


def facts(played: Played) -> dict[str, Any]:
    """Everything the examples' paths may name, after one turn."""
    raw = states.dump(played.state)
    uses = {i: {k: held["uses"] for k, held in owner["items"].items()} for i, owner in raw["owners"].items()}
    for owner in raw["owners"].values():
        owner["items"] = list(owner["items"])
    return {
        **raw,
        "battles": played.battles,
        "rejected": played.rejected,
        "warnings": [[data["owner"], data["code"]] for data in played.of("warned")],
        "incomes": {data["owner"]: data["income"] for data in played.of("income")},
        "effective": {ident: str(effects.effective_defence(played.state, ident)) for ident in played.state.roster},
        "item_uses": uses,
        "queue3": played.one("queue")["order"],
        "chosen": played.one("rune")["chosen"],
    }


def look_up(data: Any, path: str) -> Any:
    """The value at `a.b.0.c`."""
    for name in path.split("."):
        data = data[int(name)] if isinstance(data, list) else data[name]
    return data


def plain(value: Any) -> Any:
    """Rationals as fractions, so that 6 and "6" are one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, str) and RATIONAL.match(value):
        return Fraction(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value


@pytest.mark.parametrize("example", EXAMPLES, ids=[f"{e['id']}-{e['rulings'].replace(' ', '')}" for e in EXAMPLES])
def test_worked_example(example: dict[str, Any]) -> None:
    turns = played_turns(example)
    found = [facts(played) for played in turns]
    everything = {**found[-1], "turns": found}
    for path, expected in example["expect"]:
        assert plain(look_up(everything, path)) == plain(expected), path
    if "lines" in example:
        lines = []
        for battle in (battle for played in turns for battle in played.battles if "line_a" in battle):
            lines += [battle["line_a"], battle["line_d"]]
        assert lines == example["lines"]


def narrated(played: Played) -> list[str]:
    """The happenings of a turn as the specification's full game tells them."""
    out = []
    names = {ident: owner.name for ident, owner in played.state.owners.items()}
    for event in played.events:
        if event.kind == "rune" and event.data["chosen"]:
            out.append(f"Выбрана {event.data['name']}")
        elif event.kind == "battle" and "header" in event.data:
            out += [event.data["header"], event.data["line_a"], event.data["line_d"], event.data["verdict"]]
        elif event.kind == "nothing_entered":
            out.append(f"Владыка {names[event.data['owner']]} ушёл в Ничто")
    out.append("--")
    found = facts(played)
    for ident, owner in found["owners"].items():
        out.append(
            f"{ident}: {owner['status']}, energy {owner['energy']}, height {owner['height']}, defence {owner['defence']}, "
            f"shards {owner['shards']}, items {owner['items']}, income {found['incomes'][ident]}"
        )
    out.append(f"rejected: {found['rejected']}")
    out.append(f"phase-3 order: {found['queue3']}")
    out.append(f"rune chosen: {found['chosen']}; board {found['runes']['board']}; active {found['runes']['active']}")
    return out


def test_R1_R103_full_game_start_is_told_line_by_line() -> None:
    (example,) = (example for example in EXAMPLES if "results" in example)
    for played, expected in zip(played_turns(example), example["results"], strict=True):
        assert narrated(played) == expected
