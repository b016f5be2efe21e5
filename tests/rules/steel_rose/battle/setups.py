"""Battles that between them use every unit, ability and manoeuvre, for the comparison of the two engines."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from rules.steel_rose.battle.model import BattleSetup, Group, ManeuverOrder, SideSetup
from rules.steel_rose.battle.places import Place
from rules.steel_rose.data import game_data
from rules.steel_rose.fast.description import from_toml

M = ManeuverOrder


@cache
def distributions() -> dict[str, Any]:
    """The reference distributions."""
    return tomllib.loads((Path(__file__).parent / "distributions.toml").read_text("utf-8"))


def of_table(key: str) -> BattleSetup:
    """The battle of a reference distribution."""
    return from_toml(distributions()[key]["battle"]).setup


def per_unit(unit_id: str, index: int) -> BattleSetup:
    """A battle around one unit type: it stands in front, in the rear and on a wing, and does whatever it can."""
    units = game_data().units
    unit = units[unit_id]
    others = list(units)
    friend, foe, far = (others[(index * step + add) % len(others)] for step, add in ((5, 7), (11, 3), (17, 20)))
    few = 1 if unit.max_per_squad or unit.hp >= 150 else 3
    orders: list[ManeuverOrder] = []
    if unit.can_charge:
        orders.append(M("LV", "charge", "CR", free_move="LR" if unit.free_move else None))
    elif unit.free_move:
        orders.append(M("LV", "forced_march", path=("LR", "CR"), free_move="CV"))
    else:
        orders.append(M("LV", "move", path=("LR",)))
    if unit.long_range:
        orders.append(M("CR", "long_bombard", "CR"))
    elif unit.volley:
        orders.append(M("CR", "bombard", "CV"))
    else:
        orders.append(M("CR", "forced_march", path=("RR", "RV")))
    attacker: dict[Place, tuple[Group, ...]] = {
        "LV": (Group(unit_id, few),),
        "CV": (Group(friend, 4), Group(unit_id, few, favored=index % 3 == 0)),
        "CR": (Group(unit_id, 1 if unit.max_per_squad else 2),),
    }
    guard = "paladin" if index % 2 else "spearman"
    defender: dict[Place, tuple[Group, ...]] = {
        "LV": (Group(foe, 3),),
        "CV": (Group(guard, 3), Group(foe, 2)),
        "CR": (Group(far, 2), Group("archer", 3)),
        "RV": (Group(unit_id, 2, "garrison", index % 5 == 0),),
    }
    answers = [M("CV", "defend", "CR")] if index % 2 else [M("CV", "cover"), M("RV", "forced_march", path=("RR", "CR"))]
    a = SideSetup(unit.faction, attacker, tuple(orders))
    b = SideSetup("elves" if index % 4 == 0 else "empire", defender, tuple(answers), 0.25 * (index % 3))
    return BattleSetup(a, b) if index % 2 else BattleSetup(b, a)


@cache
def all_setups() -> dict[str, BattleSetup]:
    """All of them by name: 22 of the table, one for each unit type, and a crowd that area shots can't strike whole."""
    out = {key: of_table(key) for key in distributions()}
    guns: dict[Place, tuple[Group, ...]] = {"CV": (Group("shieldman", 8),), "CR": (Group("fire_hail", 1), Group("cannon", 1))}
    crowd: dict[Place, tuple[Group, ...]] = {"CV": (Group("gnoblar", 60),)}
    out["crowd"] = BattleSetup(SideSetup("principality", guns, (M("CR", "long_bombard", "CV"),)), SideSetup("ogres", crowd))
    for index, unit in enumerate(game_data().units):
        out[unit] = per_unit(unit, index)
    return out
