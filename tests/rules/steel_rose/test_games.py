"""Short recorded games (games/*.toml): every victory condition and every way out of the game, and nine turns to a victory."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from rules.base import EVERYONE, GM, Sheet, visible
from rules.dice import seeded_dice
from rules.steel_rose import RULESET
from rules.steel_rose.state import State

GAMES = sorted(Path(__file__).with_name("games").glob("*.toml"))


def sheets(orders: dict[str, list[dict[str, Any]]]) -> list[Sheet]:
    return [Sheet(f, tuple(RULESET.commands.parse(c) for c in commands)) for f, commands in orders.items()]


def start(record: dict[str, Any]) -> State:
    source = tomllib.loads(RULESET.default_scenario_text()) | {"turn": record.get("turn", 1)}
    state: State = RULESET.new_game(RULESET.load_scenario(source))
    if record["setup"]:
        prepared = RULESET.resolve(state, sheets({GM: record["setup"]}), seeded_dice("setup"), closing=False)
        assert not [e.data for e in prepared.events if e.kind == "refused"]
        state = prepared.state
    return state


@pytest.mark.parametrize("path", GAMES, ids=lambda p: p.stem)
def test_recorded_game_R77_R156_R158(path):
    record = tomllib.loads(path.read_text(encoding="utf-8"))
    state = start(record)
    for number, wanted in enumerate(record["step"]):
        step = RULESET.step(state)
        assert step is not None
        assert step.kind == wanted["phase"], f"step {number}"
        given = sheets(wanted.get("orders", {}))
        outcome = RULESET.resolve(state, given, seeded_dice(record["seed"], step.id), closing=True)
        refused = [e.data["code"] for e in outcome.events if e.kind == "refused"]
        assert refused == [e["code"] for e in wanted.get("events", []) if e["kind"] == "refused"]
        for event in wanted.get("events", []):
            facts = {k: v for k, v in event.items() if k != "kind"}
            assert any(e.kind == event["kind"] and all(e.data.get(k) == v for k, v in facts.items()) for e in outcome.events), (
                f"step {number}: {event} not among {[(e.kind, dict(e.data)) for e in outcome.events if e.kind == event['kind']]}"
            )
        assert RULESET.report(RULESET.view(outcome.state, EVERYONE), visible(outcome.events, EVERYONE), step=step).title
        state = RULESET.load(RULESET.dump(outcome.state))
    end = record["end"]
    assert (state.turn, state.phase) == (end["turn"], end["phase"])
    assert {f: state.factions[f].status for f in end["status"]} == end["status"]
    for city, owner in end.get("owners", {}).items():
        assert state.cities[city].owner == (None if owner == "nobody" else owner)
    assert not set(end.get("gone", [])) & set(state.cities)
    assert state.winners == end["winners"]


def test_every_victory_and_every_way_out_has_a_game():
    names = {path.stem for path in GAMES}
    assert {f"victory_{f}" for f in RULESET.load_scenario(None).data["start"]} <= names
    assert {"victory_midnight", "out_last_city", "out_mobile_city", "out_hunger", "out_gm"} <= names
