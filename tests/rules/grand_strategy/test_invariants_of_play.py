"""More invariants of random games: nothing comes from nowhere, nobody acts out of turn, battles are fought to their end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from rules.base import Event
from rules.grand_strategy.state import State
from tests.rules.grand_strategy import bot

SEEDS = range(20, 28)
STEPS = 60
OWN_TURN = ("move", "hire", "siege", "work_ordered", "cast", "annex", "mithril", "embark", "disembark", "siege_lifted")
"""What only the active player's troops and buildings do (R4)."""


@pytest.fixture(scope="module", params=SEEDS)
def game(request: pytest.FixtureRequest) -> list[tuple[State, Any]]:
    return bot.play(request.param, STEPS)


def turns(game: list[tuple[State, Any]]) -> Iterator[tuple[str | None, Event]]:
    """Every event with the player whose turn it was told in."""
    active: str | None = game[0][0].active
    for _, outcome in game[1:]:
        for event in outcome.events:
            if event.kind == "turn_started":
                active = event.data["player"]
            yield active, event
            if event.kind == "turn_ended":
                active = None


def came(events: tuple[Event, ...]) -> set[str]:
    """Troops that these events put on the map."""
    out: set[str] = set()
    for event in events:
        if event.kind in ("hire", "joined", "dragon_appeared"):
            out.add(event.data["unit"])
        elif event.kind == "cast":
            out |= {unit for unit, _ in event.data.get("placed", ())}
    return out


def went(events: tuple[Event, ...]) -> set[str]:
    """Troops that these events took off it."""
    out: set[str] = set()
    for event in events:
        data = event.data
        if event.kind == "battle":
            out |= {key.partition(":")[2] for key in data["dead"] if key.startswith("unit:")}
        elif event.kind in ("disbanded", "crumbled", "vanished"):
            out.add(data["unit"])
        elif event.kind == "left" and data["personal"]:
            out.add(data["personal"])
        elif event.kind == "dragon_flight":
            out.add(data["dragon"])
        elif event.kind == "cast":
            out |= set(data.get("units", ())) if data["outcome"] in ("sunk", "freed", "1", "2", "3") else set()
            out |= {data["mage"]} if data["outcome"] == "mage_dead" else set()
    return out


def test_R84_R110_R164_R176_no_troop_comes_or_goes_untold(game: list[tuple[State, Any]]) -> None:
    for (before, _), (after, outcome) in pairwise(game):
        appeared, gone = came(outcome.events), went(outcome.events)
        assert set(after.units) - set(before.units) <= appeared
        assert set(before.units) - set(after.units) <= gone


def test_R4_R5_only_the_active_player_moves_builds_hires_and_casts(game: list[tuple[State, Any]]) -> None:
    seen = 0
    for active, event in turns(game):
        if event.kind in OWN_TURN:
            seen += 1
            # A commander's личное войско may be restored by a ruler, who pays (R57).
            assert active in (event.data.get("owner"), event.data.get("payer")), event
    assert seen > 40


def test_R42_R62_no_troop_makes_more_steps_than_it_has(game: list[tuple[State, Any]]) -> None:
    steps: Counter[str] = Counter()
    kinds = {unit.id: unit.type for state, _ in game for unit in state.units.values()}
    types = game[0][0].unit_types
    for _, event in turns(game):
        if event.kind == "turn_started":
            steps.clear()
        elif event.kind == "move":
            unit = event.data["unit"]
            steps[unit] += len(event.data["path"]) - 1
            kind = types[kinds[unit]] if unit in kinds else types["dragon"]
            assert steps[unit] <= max(kind.move_land, kind.move_water, 5)


def test_R100_R108_every_declared_battle_is_fought_or_called_off_in_its_turn(game: list[tuple[State, Any]]) -> None:
    open_battles: list[int] = []
    fought = 0
    for _, event in turns(game):
        if event.kind == "battle_announced":
            open_battles.append(event.data["number"])
        elif event.kind in ("battle", "battle_cancelled") and event.data["number"] in open_battles:
            open_battles.remove(event.data["number"])
            fought += event.kind == "battle"
        elif event.kind == "turn_ended":
            # Merged battles keep the first one's number (R103).
            open_battles.clear()
    assert fought > 0
    for state, _ in game:
        assert state.phase != "window" or not state.battles


def test_R102_R109_clashes_of_a_battle_account_for_every_squad(game: list[tuple[State, Any]]) -> None:
    for _, event in turns(game):
        if event.kind != "battle":
            continue
        data = event.data
        died: list[str] = []
        for _, _, attacker, _, defender, _, dead in data["log"]:
            died += [attacker] if dead in ("A", "both") else []
            died += [defender] if dead in ("D", "both") else []
        squads = [name for side in data["squads"].values() for name, _, _ in side]
        left = [*data["survivors"]["attackers"], *data["survivors"]["defenders"]]
        assert len(died) == len(set(died))
        if squads:
            assert sorted([*died, *left]) == sorted(squads)
        assert not (data["survivors"]["attackers"] and data["survivors"]["defenders"])
        assert len(data["log"]) <= len(squads)


def test_R113_R114_R115_a_beaten_garrison_costs_a_level_or_the_building(game: list[tuple[State, Any]]) -> None:
    ladder = ["removed", "tower", "manor", "castle", "city"]
    mines = ["removed", "mine_silver", "mine_gold", "mine_mithril"]
    for _, event in turns(game):
        for change in event.data["buildings"] if event.kind == "battle" else ():
            for levels in (ladder, mines):
                if change["before"] in levels and change["after"] in levels:
                    assert levels.index(change["before"]) - levels.index(change["after"]) in (0, 1)
            if event.data["result"] == "draw":
                assert not change["captured"]
                assert change["lowered"]
            assert change["lowered"] or change["side"] != {"att": "att", "def": "def"}.get(event.data["result"])


def test_R1_the_goal_is_announced_once(game: list[tuple[State, Any]]) -> None:
    goals = Counter(event.data["player"] for _, event in turns(game) if event.kind == "goal")
    assert all(count == 1 for count in goals.values())


def test_R33_no_smuta_without_a_beaten_ruler(game: list[tuple[State, Any]]) -> None:
    rights: set[tuple[str, str]] = set()
    for _, outcome in game[1:]:
        for event in outcome.events:
            if event.kind == "smuta_right":
                battle = [e for e in outcome.events if e.kind == "battle"]
                assert battle
                rights.add((event.data["commander"], event.data["ruler"]))
            elif event.kind == "smuta":
                assert (event.data["commander"], event.data["ruler"]) in rights


def test_R8_R90_neutral_things_never_act(game: list[tuple[State, Any]]) -> None:
    for (before, _), (_, outcome) in pairwise(game):
        if any(event.kind in ("annex", "smuta", "joined", "hire") for event in outcome.events):
            continue
        neutral = {unit.id for unit in before.units.values() if unit.owner is None and unit.type != "dragon"}
        for event in outcome.events:
            if event.kind in ("move", "attack_declared", "siege", "work_ordered", "cast"):
                assert event.data.get("unit") not in neutral or event.data.get("kind") == "upgrade"
