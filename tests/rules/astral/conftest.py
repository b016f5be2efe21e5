"""What all tests of the game share: the examples' fixture, playing a turn from JSON orders, reading facts by path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from rules.astral import RULESET
from rules.astral import state as states
from rules.astral.state import State
from rules.base import GM, Event, Sheet
from rules.dice import scripted_dice, seeded_dice


def set_path(raw: dict[str, Any], path: str, value: Any) -> None:
    """Sets `a.b.0.c` inside JSON."""
    *parents, last = path.split(".")
    place: Any = raw
    for name in parents:
        place = place[int(name)] if isinstance(place, list) else place[name]
    place[last] = value


def fixture_state(patches: Mapping[str, Any] | None = None) -> State:
    """The fixture of the worked examples: the default scenario with energy 20 and defence 10, then the patches."""
    raw = RULESET.dump(RULESET.new_game(RULESET.load_scenario(None)))
    for owner in raw["owners"].values():
        owner["energy"], owner["defence"] = 20, 10
    for path, value in (patches or {}).items():
        set_path(raw, path, value)
    return states.load(raw)


@dataclass
class Played:
    """A turn as it was played."""

    before: State
    state: State
    events: list[Event]
    left: int = 0
    """Scripted rolls that nobody used."""

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The data of all events of a kind."""
        return [dict(event.data) for event in self.events if event.kind == kind]

    def one(self, kind: str) -> dict[str, Any]:
        """The data of the only event of a kind."""
        (data,) = self.of(kind)
        return data

    @property
    def battles(self) -> list[dict[str, Any]]:
        """Attack records in the order of execution."""
        return self.of("battle")

    @property
    def rejected(self) -> list[list[str]]:
        """Owner, type and code of every refusal."""
        return [[data["owner"], data["type"], data["code"]] for data in self.of("refused")]


def sheets_of(orders: Mapping[str, Sequence[Mapping[str, Any]]], submitted: Mapping[str, int] | None = None) -> list[Sheet]:
    """JSON orders as sheets in the order of their arrival."""
    submitted = submitted or {}
    arrival = {owner: submitted.get(owner, index) for index, owner in enumerate(orders)}
    out = []
    for owner in sorted(orders, key=lambda name: (name != GM, arrival[name])):
        out.append(Sheet(owner, tuple(RULESET.commands.parse(raw) for raw in orders[owner]), arrival[owner]))
    return out


def play(
    state: State,
    orders: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    *,
    dice: Sequence[Any] | None = None,
    submitted: Mapping[str, int] | None = None,
    seed: str = "test",
    closing: bool = True,
) -> Played:
    """Plays one turn. `dice`: scripted rolls; else a seed."""
    if dice is None:
        rolls, left = seeded_dice(seed), None
    else:
        rolls, left = scripted_dice(dice)
    outcome = RULESET.resolve(state, sheets_of(orders or {}, submitted), rolls, closing=closing)
    return Played(state, outcome.state, list(outcome.events), left.left if left is not None else 0)


@dataclass
class World:
    """A state under a test's hands."""

    state: State = field(default_factory=fixture_state)

    def set(self, **patches: Any) -> World:
        """Patches paths; `__` stands for the dot."""
        raw = states.dump(self.state)
        for path, value in patches.items():
            set_path(raw, path.replace("__", "."), value)
        self.state = states.load(raw)
        return self

    def own(self, owner: str, *shards: str) -> World:
        """Gives an owner these shards beside his own."""
        raw = states.dump(self.state)
        raw["owners"][owner]["shards"] += list(shards)
        for shard in shards:
            raw["shards"][shard].update(owner=owner, status="owned", trophies_taken=True)
        self.state = states.load(raw)
        return self

    def hold(self, owner: str, *items: str) -> World:
        """Gives an owner items with full charges."""
        raw = states.dump(self.state)
        for item in items:
            raw["owners"][owner]["items"][item] = {"uses": self.state.catalog.items[item].uses, "ready": 0}
        self.state = states.load(raw)
        return self

    def rune(self, *runes: str) -> World:
        """Runes that act this turn only."""
        raw = states.dump(self.state)
        turn = raw["turn"]
        raw["runes"]["active"] = [{"rune": rune, "from": turn, "until": turn} for rune in runes]
        self.state = states.load(raw)
        return self

    def play(self, orders: Mapping[str, Sequence[Mapping[str, Any]]] | None = None, **options: Any) -> Played:
        """Plays a turn and goes on from its result."""
        played = play(self.state, orders, **options)
        self.state = played.state
        return played


@pytest.fixture
def world() -> World:
    """The examples' fixture state."""
    return World()


def attack(shard: str, t: int = 4, m: int = 4, **more: Any) -> dict[str, Any]:
    """An attack on a neutral shard, infantry and necromancy and a warrior unless said otherwise."""
    base = {"type": "attack_neutral", "shard": shard, "troop": "infantry", "magic": "necromancy", "hero": "warrior"}
    return {**base, "troop_energy": t, "magic_energy": m, **more}


def assault(target: str, t: int = 4, m: int = 4, **more: Any) -> dict[str, Any]:
    """An attack on a world."""
    base = {"type": "attack_owner", "target": target, "troop": "infantry", "magic": "necromancy", "hero": "warrior"}
    return {**base, "troop_energy": t, "magic_energy": m, **more}
