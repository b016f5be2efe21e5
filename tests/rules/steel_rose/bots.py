"""Simple players for random campaigns: legal-looking orders from what they may know, every kind of order now and then."""

from __future__ import annotations

import random
from typing import Any

from rules.base import Outcome, Sheet, Step, only
from rules.dice import seeded_dice
from rules.steel_rose import RULESET, economy
from rules.steel_rose.data import game_data
from rules.steel_rose.state import State
from rules.steel_rose.view import View

Command = dict[str, Any]


def orders(view: View, rng: random.Random) -> list[Command]:
    """A turn's orders of a faction."""
    state, faction = view.state, view.faction
    assert faction is not None
    data = game_data()
    own = state.owned(faction)
    out: list[Command] = []
    others = [f for f in state.playing() if f != faction]
    for city in own:
        table = list(data.buildings.get(faction, {}))
        if table and rng.random() < 0.5:
            out.append({"type": "build", "city": city, "building": rng.choice(table)})
        if rng.random() < 0.2:
            out.append({"type": "upgrade_city", "city": city, "levels": rng.choice([1, 1, 2])})
        if state.cities[city].buildings and rng.random() < 0.1:
            out.append({"type": "sell_building", "city": city, "building": rng.choice(state.cities[city].buildings)})
        if rng.random() < 0.1:
            out.append({"type": "cleanse_corruption", "city": city, "pay": rng.choice(["gold", "honor", "mana"])})
    for city in state.owned(faction, ruins=True):
        if state.cities[city].ruin and rng.random() < 0.6:
            out.append({"type": "restore_ruins", "city": city})
    for _ in range(rng.randint(0, 4)):
        out.append({"type": "hire", "unit": rng.choice(data.units_of(faction)).id, "count": rng.randint(1, 9)})
    if rng.random() < 0.3:
        out.append({"type": "hire_mercenary", "unit": rng.choice(data.units_of("ogres")).id, "count": rng.randint(1, 4)})
    units = list(state.factions[faction].units)
    if units and rng.random() < 0.1:
        out.append({"type": "disband", "unit": rng.choice(units), "count": 1})
    for other in others:
        if rng.random() < 0.2:
            out.append({"type": "propose_alliance", "faction": other})
        if rng.random() < 0.08:
            out.append({"type": "break_alliance", "faction": other})
    out += POWERS.get(faction, lambda *_: [])(view, rng)
    for army in range(2, state.max_armies + 1):
        if units and rng.random() < 0.5:
            out.append({"type": "form_army", "army": army, "units": {rng.choice(units): rng.choice(["all", "half"])}})
    targets = economy.neighbours(state, faction)
    for army in range(1, state.max_armies + 1):
        throw = rng.random()
        if throw < 0.55 and targets:
            capture = rng.choice(["colonize", "plunder", "destroy", None])
            out.append(
                {"type": "army_order", "army": army, "order": "attack", "city": rng.choice(targets), "on_capture": capture}
            )
        elif throw < 0.62:
            out.append({"type": "army_order", "army": army, "order": "attack", "city": "mobile_city"})
        elif throw < 0.8 and own:
            out.append({"type": "army_order", "army": army, "order": "defend", "city": rng.choice(own)})
    if rng.random() < 0.2:
        out.append({"type": "skip_planning"})
    return [{k: v for k, v in c.items() if v is not None} for c in out]


def _elves(view: View, rng: random.Random) -> list[Command]:
    state, own = view.state, view.state.owned("elves", ruins=True)
    out: list[Command] = []
    if own and rng.random() < 0.4:
        out.append({"type": "cast_spell", "spell": rng.choice(["float_city", "forest_call"]), "city": rng.choice(own)})
    if rng.random() < 0.2:
        out.append({"type": "cast_spell", "spell": "heavenly_favor", "army": 1})
    if rng.random() < 0.2:
        out.append({"type": "cast_spell", "spell": "divination", "faction": rng.choice(list(state.factions))})
    return out


def _cult(view: View, rng: random.Random) -> list[Command]:
    state = view.state
    out: list[Command] = []
    cities = list(state.cities)
    for _ in range(rng.randint(0, 3)):
        name = rng.choice(list(game_data().rituals))
        command: Command = {"type": "ritual", "ritual": name}
        if name in ("infect", "teleport", "devils_deal"):
            command["city"] = rng.choice(economy.neighbours(state, "cult") or cities) if name == "infect" else rng.choice(cities)
        elif name == "sacrifice_city":
            command["city"] = rng.choice(state.owned("cult") or cities)
        out.append(command)
    for ally in state.allies("cult"):
        if rng.random() < 0.4:
            out.append({"type": "betray_ally", "faction": ally})
    if not state.owned("cult"):
        out.append({"type": "move_camp", "road": list(rng.choice(state.roads))})
    return out


def _ogres(view: View, rng: random.Random) -> list[Command]:
    state = view.state
    out: list[Command] = []
    if state.mobile_city is not None and rng.random() < 0.6:
        near = [list(r) for r in state.roads if set(r) & set(state.mobile_city.road)]
        if near:
            out.append({"type": "move_mobile_city", "path": [rng.choice(near)]})
    units = list(state.factions["ogres"].units)
    if units and rng.random() < 0.3:
        out.append({"type": "garrison_mobile", "units": {rng.choice(units): "half"}, "direction": "in"})
    return out


def _principality(view: View, rng: random.Random) -> list[Command]:
    return [{"type": "allocate_powder", "order": ["cannon", "rifleman"]}] if rng.random() < 0.3 else []


POWERS = {"elves": _elves, "cult": _cult, "ogres": _ogres, "principality": _principality}


def battle_orders(view: View, kind: str, rng: random.Random) -> list[Command]:
    """Orders of a battle's phase; often none."""
    faction = view.faction
    assert faction is not None
    out: list[Command] = []
    for battle in view.state.battles:
        side = battle.side(faction)
        if side is None or rng.random() < 0.4:
            continue
        if kind == "deployment" and not battle.decided:
            cells: dict[str, dict[str, int | str]] = {}
            for unit in side.total():
                cells.setdefault(rng.choice(["CV", "CV", "CR", "LV", "RV", "RR"]), {})[unit] = "all"
            out.append({"type": "deploy", "battle": battle.id, "positions": cells})
        elif kind == "planning":
            for cell in side.board:
                maneuver = rng.choice(["cover", "bombard", "charge", "defend"])
                command: Command = {"type": "maneuver", "battle": battle.id, "position": cell["place"], "maneuver": maneuver}
                if maneuver != "cover":
                    command["target"] = {"bombard": "CV", "charge": "CR", "defend": cell["place"][0] + "R"}[maneuver]
                out.append(command)
        elif kind == "capture":
            out.append({"type": "capture_choice", "battle": battle.id, "choice": rng.choice(["plunder", "destroy"])})
    return out


def sheets(state: State, step: Step, rng: random.Random) -> list[Sheet]:
    """Everybody's orders for the present step; one in ten is silent."""
    out = []
    for faction in dict.fromkeys(w.faction for w in step.waits):
        if rng.random() < 0.1:
            continue
        view = RULESET.view(state, only(faction))
        commands = orders(view, rng) if step.kind == "orders" else battle_orders(view, step.kind, rng)
        out.append(Sheet(faction, tuple(RULESET.commands.parse(c) for c in commands)))
    return out


def campaign(seed: int) -> list[tuple[State, Step, Outcome]]:
    """A whole random campaign: (state before, step, outcome) of every step."""
    rng = random.Random(seed)
    state: State = RULESET.new_game(RULESET.load_scenario(None))
    out: list[tuple[State, Step, Outcome]] = []
    while (step := RULESET.step(state)) is not None:
        outcome = RULESET.resolve(state, sheets(state, step, rng), seeded_dice(f"bots-{seed}", step.id), closing=True)
        out.append((state, step, outcome))
        state = outcome.state
    return out
