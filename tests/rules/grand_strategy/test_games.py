"""Short recorded games, and a whole seeded game that a settler wins by building houses."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from rules.base import EVERYONE, Sheet, visible
from rules.dice import seeded_dice
from rules.grand_strategy import RULESET
from rules.grand_strategy.actions import room
from rules.grand_strategy.moves import reachable
from rules.grand_strategy.play import Play, Refusal
from rules.grand_strategy.state import State
from tests.rules.grand_strategy.story import Story, Teller, stories

GAMES = [s for path in sorted((Path(__file__).parent / "games").glob("*.txt")) for s in stories(path)]


@pytest.mark.parametrize("story", GAMES, ids=[s.name for s in GAMES])
def test_game(story: Story) -> None:
    Teller().play(story.lines)


def good_place(g: State, cell: str) -> bool:
    """A tower may stand here."""
    if g.board.is_sea(cell) or cell in g.buildings or g.board.province[cell] == 0 or cell in g.map.lairs:
        return False
    if g.house_in(g.board.province[cell]) is not None:
        return False
    try:
        room(g, g.building_types["tower"], cell)
    except Refusal:
        return False
    return True


def settler(g: State, player: str) -> list[dict[str, Any]]:
    """Hires, walks to the nearest free land and builds towers there."""
    out: list[dict[str, Any]] = []
    taken: set[int] = set()
    for unit in g.units_of(player):
        places = [c for c in g.board if good_place(g, c) and g.board.province[c] not in taken]
        if not places:
            break
        goal = min(places, key=lambda c: (g.board.gap(unit.cell, c), g.board.order(c)))
        taken.add(g.board.province[goal])
        ways = reachable(Play(g, turn_of=player), unit)
        if goal != unit.cell and ways:
            near = min(ways, key=lambda c: (g.board.gap(c, goal), len(ways[c]), g.board.order(c)))
            out.append({"type": "move", "unit": unit.id, "path": ways[near]})
        out.append({"type": "build", "unit": unit.id, "what": "tower"})
    if len(g.units_of(player)) < 4:
        out += [{"type": "hire", "building": b.cell, "unit_type": "elves"} for b in g.houses_of(player)]
    return [*out, {"type": "end_turn"}]


def whole_game(seed: str) -> tuple[State, list[str], list[Any]]:
    state = RULESET.new_game(RULESET.load_scenario(None))
    told, digests = [], []
    for _ in range(400):
        step = RULESET.step(state)
        if step is None or state.winner is not None:
            break
        sheets = []
        if step.kind == "turn":
            player = state.active or ""
            raw = settler(state, player) if player in ("aelin", "thorgrim") else [{"type": "pass"}]
            sheets = [Sheet(player, tuple(RULESET.commands.parse(c) for c in raw))]
        outcome = RULESET.resolve(state, sheets, seeded_dice(seed, step.id), closing=True)
        state = outcome.state
        told += list(outcome.events)
        digests.append(hashlib.sha256(json.dumps(RULESET.dump(state), sort_keys=True).encode()).hexdigest())
        RULESET.report(RULESET.view(state, EVERYONE), visible(outcome.events, EVERYONE), step=step)
    return state, digests, told


def test_R1_a_settler_wins_the_whole_game_and_it_replays() -> None:
    state, digests, told = whole_game("settlers")
    assert state.winner in ("aelin", "thorgrim")
    assert len(state.houses_of(state.winner)) >= 6
    assert sum(e.kind == "goal" for e in told) == 1
    assert 3 < state.tour < 40
    again = whole_game("settlers")
    assert again[1] == digests
