"""Standing orders and the scan after each happening (R184, R185)."""

from __future__ import annotations

from typing import Any

from rules.base import RulesError
from rules.grand_strategy.commands import COMMANDS, PLUS_ACTIONS, Order
from rules.grand_strategy.play import Play, Refusal
from rules.grand_strategy.state import Player, StandingRule, Unit

DEPTH = 12
"""Interrupts within interrupts; each fired order spends an АД or money, so this is never reached by honest orders."""


def seats_from_active(play: Play) -> list[str]:
    """Players in seat order, starting with the active one (R6)."""
    order = play.g.order()
    if play.g.active in order:
        i = order.index(play.g.active)
        order = order[i:] + order[:i]
    return order


def scan(play: Play, trigger: str, facts: dict[str, Any]) -> None:
    """Fires what waits for this happening, one order at a time, in seat order (R185)."""
    if play.depth >= DEPTH:
        return
    fired: set[tuple[str, int]] = set()
    play.depth += 1
    try:
        while (found := _next(play, trigger, facts, fired)) is not None:
            player, rule = found
            fired.add((player.id, rule.id))
            if rule.once:
                player.standing.remove(rule)
            _fire(play, player, rule, facts)
    finally:
        play.depth -= 1


def _next(play: Play, trigger: str, facts: dict[str, Any], fired: set[tuple[str, int]]) -> tuple[Player, StandingRule] | None:
    for name in seats_from_active(play):
        player = play.g.players[name]
        for rule in player.standing:
            if (name, rule.id) not in fired and _matches(play, player, rule, trigger, facts):
                return player, rule
    return None


def _matches(play: Play, player: Player, rule: StandingRule, trigger: str, facts: dict[str, Any]) -> bool:
    g, wanted = play.g, rule.filter
    if trigger == "arrived":
        unit = g.units.get(str(facts.get("unit")))
        if unit is None or not _right_unit(play, player, unit, wanted):
            return False
        if rule.trigger == "unit_adjacent":
            mine = str(wanted.get("mine", ""))
            at = g.units[mine].cell if mine in g.units else mine if mine in g.buildings else None
            owner = g.units[mine].owner if mine in g.units else g.buildings[mine].owner if at else None
            return at is not None and owner == player.id and (unit.cell in g.board.near(at) or unit.cell == at)
        if rule.trigger == "unit_on_cell":
            return unit.cell == wanted.get("cell")
        if rule.trigger == "unit_on_building":
            building = g.buildings.get(unit.cell)
            return building is not None and building.owner == player.id and wanted.get("cell", unit.cell) == unit.cell
        return False
    if rule.trigger != trigger:
        return False
    if trigger == "attack_declared_on":
        return facts.get("target") == wanted.get("target", wanted.get("mine", wanted.get("cell")))
    if trigger in ("turn_start", "turn_end"):
        return wanted.get("player", facts.get("player")) == facts.get("player")
    if trigger == "money_received":
        sender = wanted.get("from", wanted.get("player", facts.get("sender")))
        return facts.get("receiver") == player.id and sender == facts.get("sender")
    return False


def _right_unit(play: Play, player: Player, unit: Unit, wanted: dict[str, Any]) -> bool:
    if unit.owner == player.id:
        return False
    if wanted.get("player") not in (None, "all", unit.owner):
        return False
    if wanted.get("unit") not in (None, unit.id):
        return False
    types = wanted.get("types")
    return not types or unit.type in types or (unit.personal and "personal" in types)


def _fire(play: Play, player: Player, rule: StandingRule, facts: dict[str, Any]) -> None:
    from rules.grand_strategy.orders import execute

    action = _filled(rule.action, str(facts.get("unit", "")))
    play.emit("standing_fired", "R184", owner=player.id, id=rule.id, trigger=rule.trigger, action=action)
    try:
        command = parse_action(action)
        execute(play, player.id, command)
    except Refusal as refusal:
        play.private(player.id, "standing_dropped", "R184", id=rule.id, action=action, code=refusal.code, message=refusal.message)


def _filled(value: Any, unit: str) -> Any:
    if isinstance(value, dict):
        return {k: _filled(v, unit) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_filled(v, unit) for v in value]
    return unit if value == "<trigger unit>" else value


def parse_action(action: dict[str, Any]) -> Order:
    """The command of a standing order: one of the five «+» (R184). Refuses anything else with `bad_standing`."""
    kind = action.get("type")
    if kind not in PLUS_ACTIONS:
        raise Refusal(
            "bad_standing", text="можно только переслать деньги, разрешить или запретить вход, напасть, бить гарнизоном"
        )
    try:
        command = COMMANDS.parse(action)
    except (RulesError, ValueError) as error:
        raise Refusal("bad_standing", text="приказ неполон") from error
    assert isinstance(command, Order)
    return command
