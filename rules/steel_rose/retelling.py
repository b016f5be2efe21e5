"""A battle fought again from its event: the protocol keeps the setup and every roll, so blows and odds need no storing (R160)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any

from parsers.types import Json
from rules.base import RulesError
from rules.dice import DiceError, Draw, scripted_dice
from rules.steel_rose.battle.engine import fight
from rules.steel_rose.battle.model import BattleResult, BattleSetup, Group, ManeuverOrder, SideSetup
from rules.steel_rose.state import State, rules_from, settings_text

BATTLES = 2000
"""Battles fought for the odds: the attacker's chance is right within 2 percent points."""


@dataclass(frozen=True, slots=True)
class Odds:
    """What was to be expected of a battle, and how it compares."""

    attacker: float
    """Chance of victory, 0..1."""
    defender: float
    percentile: float
    """How good the outcome was for the attacker, 0..100; for the defender it is the rest."""


def recipe(setup: BattleSetup, draws: Iterable[Draw]) -> dict[str, Json]:
    """What an event keeps of a battle: enough to fight it again, blow for blow."""
    rolls = [list(d.result) if isinstance(d.result, tuple) else d.result for d in draws]
    return {"setup": [_side_json(side) for side in setup.sides], "rolls": rolls}


def fought(state: State, data: Mapping[str, Json]) -> BattleResult | None:
    """The battle of a protocol with its blows; None where it wasn't fought, or by other rules than today's."""
    if "rolls" not in data:
        return None
    return _again(json.dumps([data["setup"], data["rolls"]]), settings_text(state.settings))


def odds(state: State, data: Mapping[str, Json]) -> Odds | None:
    """The odds of the battle as it was deployed and planned; None where they can't be counted fast.

    The forecast's own dice follow from the setup: the same battle always has the same odds, and never touches the campaign's."""
    if "rolls" not in data:
        return None
    return _odds(json.dumps([data["setup"], data["rolls"]]), settings_text(state.settings))


@lru_cache(maxsize=32)
def _again(text: str, settings: str) -> BattleResult | None:
    setup, rolls = json.loads(text)
    dice, source = scripted_dice(rolls)
    try:
        result = fight(_setup(setup, settings), dice.stream("battle"))
    except (DiceError, RulesError):
        return None
    return None if source.left else result


@lru_cache(maxsize=256)
def _odds(text: str, settings: str) -> Odds | None:
    result = _again(text, settings)
    if result is None:
        return None
    # The compiled engine is loaded for the first report that needs it, never for a resolution.
    from rules.steel_rose.fast.encode import UnsupportedAbility, encode
    from rules.steel_rose.fast.forecast import forecast

    setup = _setup(json.loads(text)[0], settings)
    try:
        encode(setup)
    except UnsupportedAbility:
        return None
    seed = int.from_bytes(sha256(json.dumps(json.loads(text)[0]).encode()).digest()[:7], "big")
    made = forecast(setup, BATTLES, seed, threads=1)
    return Odds(made.attacker_wins, made.defender_wins, made.percentile(result))


# ------------------------------------------------------------------------------------------------ as JSON


def _side_json(side: SideSetup) -> dict[str, Json]:
    return {
        "faction": side.faction,
        "squads": {place: [[g.unit, g.count, g.origin, g.favored] for g in groups] for place, groups in side.squads.items()},
        "maneuvers": [[o.place, o.kind, o.target, list(o.path), o.free_move] for o in side.maneuvers],
        "shot_bonus": side.shot_bonus,
    }


def _setup(raw: Any, settings: str) -> BattleSetup:
    attacker, defender = (_side(item) for item in raw)
    return BattleSetup(attacker, defender, rules_from(settings))


def _side(raw: Any) -> SideSetup:
    return SideSetup(
        faction=raw["faction"],
        squads={place: tuple(Group(*group) for group in groups) for place, groups in raw["squads"].items()},
        maneuvers=tuple(
            ManeuverOrder(place, kind, target, tuple(path), free) for place, kind, target, path, free in raw["maneuvers"]
        ),
        shot_bonus=raw["shot_bonus"],
    )
