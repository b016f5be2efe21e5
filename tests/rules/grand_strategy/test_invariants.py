"""Random games keep the invariants of the rules; replays are identical; nobody sees what he may not."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from typing import Any

import pytest

from rules.base import EVERYONE, GM_ONLY, only, visible
from rules.dice import scripted_dice, seeded_dice
from rules.grand_strategy import RULESET
from rules.grand_strategy.state import State
from rules.grand_strategy.strength import in_water
from tests.rules.grand_strategy import bot

SEEDS = range(8)
STEPS = 60


@pytest.fixture(scope="module", params=SEEDS)
def game(request: pytest.FixtureRequest) -> list[tuple[State, Any]]:
    return bot.play(request.param, STEPS)


def test_R40_R56_R74_R155_board_stays_sound(game: list[tuple[State, Any]]) -> None:
    for state, _ in game:
        board = state.board
        assert all(p.money >= 0 for p in state.players.values())
        by_cell: dict[str, list[Any]] = {}
        for unit in state.units.values():
            by_cell.setdefault(unit.cell, []).append(unit)
            if board.is_sea(unit.cell):
                assert unit.afloat or unit.type == "dragon"
            if unit.afloat and not board.is_sea(unit.cell):
                assert unit.cell in board.rivers or unit.cell in state.buildings or board.coast(unit.cell)
            assert unit.owner is None or state.players[unit.owner].status == "in"
            if unit.type == "dragon" and unit.owner is not None:
                assert unit.controller in state.units
            assert in_water(state, unit) == (unit.afloat or board.is_sea(unit.cell))
        for found in by_cell.values():
            assert len(found) == 1 or (
                len(found) == 2 and {u.type for u in found} == {"zombies"} and found[0].owner == found[1].owner
            )
        houses: dict[int, str] = {}
        for building in state.buildings.values():
            assert not board.is_sea(building.cell)
            if state.btype(building).house:
                assert board.province[building.cell] not in houses
                houses[board.province[building.cell]] = building.cell
            assert not (state.btype(building).mine and building.cell not in state.map.sites)
        for player in state.players:
            mine = [u for u in state.units.values() if u.owner == player]
            assert sum(u.personal for u in mine) <= 1
            assert len({u.school for u in mine if u.school}) <= 1


def test_R75_R76_distances_hold(game: list[tuple[State, Any]]) -> None:
    state = game[-1][0]
    built = [b for b in state.buildings.values() if not state.btype(b).mine]
    for i, one in enumerate(built):
        for two in built[i + 1 :]:
            outposts = (state.btype(one).klass == "outpost") + (state.btype(two).klass == "outpost")
            gap = state.board.gap(one.cell, two.cell)
            assert gap >= (4 if outposts == 0 else 2 if outposts == 2 else 1)


def test_R31_R28_money_changes_are_told(game: list[tuple[State, Any]]) -> None:
    for (before, _), (after, outcome) in pairwise(game):
        change = 0
        for event in outcome.events:
            data = event.data
            if event.kind == "payout":
                change += data["income"] - data["confiscated"]
            elif event.kind == "money_sent":
                change -= data["tax"]
            elif event.kind in ("move", "embark", "disembark", "hire", "mithril", "work_ordered"):
                change -= data["cost"]
            elif event.kind == "battle" and data["prize"]:
                change += data["prize"]["amount"]
            elif event.kind == "left":
                change -= data["money_lost"]
            elif event.kind == "joined":
                change += 50 if data["entry"] == "ruler" else 15
        old = sum(p.money for p in before.players.values())
        new = sum(p.money for p in after.players.values())
        assert new - old == change


def test_R8_one_active_action_a_turn(game: list[tuple[State, Any]]) -> None:
    for _, outcome in game[1:]:
        spent: set[tuple[Any, ...]] = set()
        turn = 0
        for event in outcome.events:
            if event.kind == "turn_started":
                turn += 1
            actor = event.data.get("unit") or event.data.get("mage")
            if event.kind in ("attack_declared", "siege", "cast", "annex", "mithril") and actor:
                assert (turn, actor) not in spent
                spent.add((turn, actor))


def test_R188_replay_is_identical_and_json_keeps_everything() -> None:
    one, two = bot.play(3, 25), bot.play(3, 25)
    for (a, oa), (b, ob) in zip(one, two, strict=True):
        assert json.dumps(RULESET.dump(a), sort_keys=True) == json.dumps(RULESET.dump(b), sort_keys=True)
        if oa is not None:
            assert [e.to_json() for e in oa.events] == [e.to_json() for e in ob.events]
    state = one[-1][0]
    raw = json.loads(json.dumps(RULESET.dump(state)))
    assert RULESET.dump(RULESET.load(raw)) == RULESET.dump(state)


def test_reports_and_views_work_everywhere(game: list[tuple[State, Any]]) -> None:
    for (before, _), (after, outcome) in list(pairwise(game))[::5]:
        step = RULESET.step(before)
        assert step is not None
        for reader in (EVERYONE, GM_ONLY, only("aelin")):
            view = RULESET.view(after, reader)
            report = RULESET.report(view, visible(outcome.events, reader), step=step)
            assert report.sections
            assert RULESET.map(view) is not None
            assert "None" not in str(report.summary)


def test_R193_R188_refused_orders_change_nothing() -> None:
    rng = random.Random(5)
    state = bot.play(5, 20)[-1][0]
    refused = 0
    for player in state.order():
        for raw in bot.orders(state, player, rng):
            if player == state.active:
                continue
            sheet = bot.Sheet(player, (RULESET.commands.parse(raw),))
            outcome = RULESET.resolve(state, [sheet], scripted_dice([])[0], closing=False)
            if any(e.kind == "refused" for e in outcome.events):
                refused += 1
                before, after = RULESET.dump(state), RULESET.dump(outcome.state)
                for marks in (before, after):
                    marks.update(portions=0, shown=False, paths=[], clashes=[])
                assert before == after
    assert refused > 3


SECRETS: tuple[tuple[str, Any], ...] = (
    ("money", 7),
    ("default_cards", {"all": ["attack"]}),
    ("disband_priority", ["G1"]),
    ("joint_defense", {"Т8": False}),
    ("answers", {"thorgrim": True}),
    ("waiting", [{"type": "leave_game", "confirm": True, "_age": 0}]),
    ("cards", {"|G1": ["attack"]}),
    ("consents", {"smuta_all|radomir": True}),
    ("offers", ["thorgrim"]),
)


@pytest.mark.parametrize(("field", "value"), SECRETS)
def test_views_hide_what_is_secret(field: str, value: Any) -> None:
    state = RULESET.new_game(RULESET.load_scenario(None))
    raw = RULESET.dump(state)
    raw["players"]["ghash"][field] = value
    other = RULESET.load(raw)
    for reader in (EVERYONE, only("aelin")):
        assert RULESET.dump(RULESET.view(state, reader).state) == RULESET.dump(RULESET.view(other, reader).state)
        assert RULESET.standings(RULESET.view(state, reader)) == RULESET.standings(RULESET.view(other, reader))
    assert RULESET.dump(RULESET.view(other, only("ghash")).state) != RULESET.dump(RULESET.view(state, only("ghash")).state)


def test_R121_secret_orders_leave_no_trace_for_others() -> None:
    state = RULESET.new_game(RULESET.load_scenario(None))
    parse = RULESET.commands.parse
    action = {"type": "send_money", "to": "aelin", "amount": 5}
    secret = [
        {"type": "standing_order", "trigger": "turn_start", "filter": {"player": "radomir"}, "action": action},
        {"type": "default_cards", "all": True, "cards": ["attack"]},
        {"type": "send_money", "to": "aelin", "amount": 500},
    ]
    seen = []
    for orders in ([], secret):
        sheet = bot.Sheet("ghash", tuple(parse(c) for c in orders))
        outcome = RULESET.resolve(state, [sheet], seeded_dice("x"), closing=True)
        view = RULESET.view(outcome.state, only("aelin"))
        seen.append((RULESET.dump(view.state), [e.to_json() for e in visible(outcome.events, only("aelin"))]))
    assert seen[0] == seen[1]
