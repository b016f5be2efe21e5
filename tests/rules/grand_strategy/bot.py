"""Random players: legal-looking and foolish orders from a seed, to try the engine's invariants."""

from __future__ import annotations

import random
from typing import Any

from rules.base import Sheet
from rules.dice import seeded_dice
from rules.grand_strategy import RULESET
from rules.grand_strategy.data import spells
from rules.grand_strategy.state import State, Unit

CARDS = ("attack", "defend", "shoot")


def orders(g: State, player: str, rng: random.Random) -> list[dict[str, Any]]:
    """Some orders of a player in his own turn."""
    out: list[dict[str, Any]] = []
    for building in g.buildings_of(player):
        kind = g.btype(building)
        if kind.house:
            hireable = [
                t.id for t in g.unit_types.values() if t.hire_level and (t.home in (None, g.board.terrain[building.cell]))
            ]
            out.append({"type": "hire", "building": building.cell, "unit_type": rng.choice(hireable), "school": "forest"})
            if rng.random() < 0.3:
                out.append({"type": "upgrade", "building": building.cell})
        elif kind.mine and rng.random() < 0.5:
            out.append({"type": "deepen", "building": building.cell, "level": rng.choice(["gold", "mithril"])})
        if rng.random() < 0.05:
            out.append({"type": "downgrade", "building": building.cell})
        for unit in g.units_at(building.cell):
            if unit.owner != player and rng.random() < 0.5:
                out.append({"type": "garrison_attack", "building": building.cell, "target": unit.id})
    for unit in g.units_of(player):
        out += _unit_orders(g, player, unit, rng)
    others = [p for p in g.order() if p != player]
    if others and rng.random() < 0.3:
        out.append({"type": "send_money", "to": rng.choice(others), "amount": rng.randint(0, 12)})
    if others and rng.random() < 0.1:
        out.append({"type": "offer_service", "player": rng.choice(others)})
    if rng.random() < 0.2:
        out.append({"type": "default_cards", "all": True, "cards": [rng.choice(CARDS)]})
    rng.shuffle(out)
    return out


def _unit_orders(g: State, player: str, unit: Unit, rng: random.Random) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    board = g.board
    cell, path = unit.cell, []
    for _ in range(rng.randint(0, 5)):
        cell = rng.choice(board.near(cell))
        path.append(cell)
    if path:
        out.append({"type": "move", "unit": unit.id, "path": path, "assault": rng.random() < 0.4})
    targets = [u.id for u in g.units.values() if u.id != unit.id and board.gap(u.cell, unit.cell) <= 2 and rng.random() < 0.6]
    targets += [b.cell for b in g.buildings.values() if board.gap(b.cell, unit.cell) <= 2 and b.owner != player]
    kind = g.utype(unit)
    choice = rng.random()
    if targets and choice < 0.6:
        target = rng.choice(targets)
        if target in g.units and g.units[target].owner == player and rng.random() < 0.9:
            return out
        out.append({"type": "attack", "unit": unit.id, "target": target, "cards": [rng.choice(CARDS)]})
    elif kind.kind == "mage":
        spell = rng.choice(sorted(spells()))
        near = [u.id for u in g.units.values() if board.gap(u.cell, unit.cell) <= 6]
        cast: dict[str, Any] = {"type": "cast", "mage": unit.id, "spell": spell, "actions": ["attack"]}
        if spell in ("safe_road", "road_troubles"):
            cast["player"] = rng.choice(g.order())
        elif spell in ("storm", "raise_zombies", "earthquake"):
            cast["cell"] = rng.choice([*board.near(unit.cell), *g.buildings])
        elif near:
            cast["target"] = rng.choice(near)
        out.append(cast)
    elif choice < 0.8:
        what = rng.choice(["outpost", "tower", "fortress", "mine"])
        out.append({"type": "build", "unit": unit.id, "what": what, "level": "silver"})
    elif choice < 0.9:
        out.append({"type": rng.choice(["embark", "disembark", "disband", "forge_mithril"]), "unit": unit.id})
    else:
        houses = [b.cell for b in g.buildings.values()]
        out.append({"type": "siege", "unit": unit.id, "building": rng.choice(houses)} if houses else {"type": "pass"})
    return out


def outside(g: State, player: str, rng: random.Random) -> list[dict[str, Any]]:
    """Some «+», secret and window orders out of turn."""
    out: list[dict[str, Any]] = []
    mine = g.units_of(player)
    if mine and rng.random() < 0.3:
        unit = rng.choice(mine)
        action = {"type": "attack", "unit": unit.id, "target": "<trigger unit>"}
        out.append({"type": "standing_order", "trigger": "unit_adjacent", "filter": {"mine": unit.id}, "action": action})
    if mine and rng.random() < 0.2:
        unit = rng.choice(mine)
        near = [u.id for u in g.units.values() if u.owner != player and u.cell in g.board.near(unit.cell)]
        if near:
            out.append({"type": "attack", "unit": unit.id, "target": rng.choice(near)})
    roll = rng.random()
    others = [p for p in g.order() if p != player]
    if roll < 0.05 and others:
        out.append({"type": "accept_service", "player": rng.choice(others)})
    elif roll < 0.07:
        out.append({"type": "leave_service"})
    elif roll < 0.08:
        out.append({"type": "leave_game"})
    elif roll < 0.5 and g.phase == "window":
        out += [{"type": "smuta", "ruler": r.ruler} for r in g.smuta if r.commander == player]
    return out


def sheets(g: State, rng: random.Random) -> list[Sheet]:
    """Everybody's orders for the open step."""
    out = []
    for player in g.players:
        if g.players[player].status != "in":
            if rng.random() < 0.3:
                cell = rng.choice(list(g.board))
                raw = [{"type": "join_game", "as": "commander", "cell": cell, "personal_type": "knights"}]
                out.append(Sheet(player, tuple(RULESET.commands.parse(c) for c in raw)))
            continue
        raw = orders(g, player, rng) if g.phase == "turn" and g.active == player else outside(g, player, rng)
        if raw or rng.random() < 0.3:
            out.append(Sheet(player, tuple(RULESET.commands.parse(c) for c in raw)))
    rng.shuffle(out)
    return out


def play(seed: int, steps: int) -> list[tuple[State, Any]]:
    """A random game: each state with the outcome that made it."""
    rng = random.Random(seed)
    state = RULESET.new_game(RULESET.load_scenario(None))
    out: list[tuple[State, Any]] = [(state, None)]
    for number in range(steps):
        step = RULESET.step(state)
        if step is None:
            break
        closing = rng.random() < 0.8
        outcome = RULESET.resolve(state, sheets(state, rng), seeded_dice(f"{seed}.{number}", step.id), closing=closing)
        state = outcome.state
        out.append((state, outcome))
    return out
