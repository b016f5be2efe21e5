"""A hand on the game for the tests: patch a state, give orders, close phases, look at what happened."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from rules.base import GM, GM_ONLY, Event, Sheet, only
from rules.dice import scripted_dice, seeded_dice
from rules.steel_rose import RULESET
from rules.steel_rose.state import State

Orders = Mapping[str, Sequence[Mapping[str, Any]]]


def sheets(orders: Orders) -> list[Sheet]:
    """Typed sheets of plain commands."""
    return [Sheet(f, tuple(RULESET.commands.parse(c) for c in commands), i) for i, (f, commands) in enumerate(orders.items())]


class Game:
    """A campaign under test."""

    def __init__(self) -> None:
        self.state: State = RULESET.new_game(RULESET.load_scenario(None))
        self.events: list[Event] = []
        self.all: list[Event] = []
        self.seed = "test"

    # -- setting up

    def turn(self, number: int) -> Game:
        self.state.turn = number
        return self

    def city(self, city: str, **changes: Any) -> Game:
        for key, value in changes.items():
            setattr(self.state.cities[city], key, value)
        return self

    def faction(self, faction: str, **changes: Any) -> Game:
        from fractions import Fraction

        for key, value in changes.items():
            setattr(self.state.factions[faction], key, Fraction(str(value)) if key == "res" else value)
        owner = self.state.factions[faction]
        owner.opening_gold, owner.opening_res = owner.gold, owner.res
        return self

    def ally(self, a: str, b: str) -> Game:
        self.state.alliances = sorted({*self.state.alliances, (min(a, b), max(a, b))})
        return self

    # -- playing

    def close(self, orders: Orders | None = None, rolls: Sequence[Any] | None = None) -> list[Event]:
        """Closes the present phase; gives its events."""
        step = RULESET.step(self.state)
        assert step is not None
        dice = seeded_dice(self.seed, step.id) if rolls is None else scripted_dice(rolls)[0]
        # A state must survive its own JSON at every step.
        assert RULESET.load(RULESET.dump(self.state)) == self.state
        outcome = RULESET.resolve(self.state, sheets(orders or {}), dice, closing=True)
        self.state, self.events = outcome.state, list(outcome.events)
        self.all += self.events
        return self.events

    def play(self, orders: Orders | None = None, rolls: Sequence[Any] | None = None, later: Orders | None = None) -> list[Event]:
        """Plays a whole turn: these orders, then `later` (or silence) in every further phase. `rolls` serve the first step."""
        turn = self.state.turn
        happened = list(self.close(orders, rolls))
        while self.state.phase not in ("orders", "over"):
            happened += self.close(later or {})
        assert self.state.turn == turn + 1 or self.state.phase == "over"
        self.events = happened
        return happened

    # -- looking

    def named(self, kind: str, **facts: Any) -> list[Event]:
        return [e for e in self.events if e.kind == kind and all(e.data.get(k) == v for k, v in facts.items())]

    def codes(self, faction: str) -> list[str]:
        return [e.data["code"] for e in self.events if e.kind == "refused" and e.data.get("issuer") == faction]

    def told(self, kind: str) -> dict[str, Any]:
        """The fullest telling of the only such event."""
        found = [e for e in self.events if e.kind == kind]
        assert found, f"no {kind} among {[e.kind for e in self.events]}"
        return dict(max(found, key=lambda e: e.detail).data)

    def gold(self, faction: str) -> int:
        return self.state.factions[faction].gold

    def res(self, faction: str) -> float:
        return float(self.state.factions[faction].res)

    def units(self, faction: str) -> dict[str, int]:
        return dict(self.state.factions[faction].units)

    def ledger(self, faction: str) -> list[dict[str, Any]]:
        (event,) = (e for e in self.events if e.kind == "ledger" and e.data["faction"] == faction)
        return list(event.data["lines"])

    def line(self, faction: str, kind: str, what: str = "gold") -> float:
        return sum(x[what] for x in self.ledger(faction) if x["kind"] == kind)


@pytest.fixture
def game() -> Game:
    """A new game by the default scenario."""
    return Game()


@pytest.fixture
def new_game() -> Callable[[], Game]:
    """Maker of new games."""
    return Game


CAMPAIGNS, PARTS = 200, 8
"""Random campaigns played in the tests, about a seventh of a second each; each part of them stays within one worker."""


@pytest.fixture(
    scope="session", params=[pytest.param(i, marks=pytest.mark.xdist_group(f"steel-rose-campaigns-{i}")) for i in range(PARTS)]
)
def campaigns(request: pytest.FixtureRequest) -> list[list[tuple[Any, Any, Any]]]:
    """A part of the random campaigns: (state before, step, outcome) of every step of each."""
    bots = runpy.run_path(str(Path(__file__).with_name("bots.py")))
    play = bots["campaign"]
    return [play(seed) for seed in range(request.param, CAMPAIGNS, PARTS)]


__all__ = ["GM", "GM_ONLY", "only"]
