"""Orders judged on what their issuer may know, by the same executors that carry them out (§3, «checked twice»)."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.types import Choice, Problem
from rules.base import GM, Command, FactionId, command_to_json
from rules.steel_rose.battle.deployment import Force, deploy
from rules.steel_rose.battle.maneuvers import Checked, check_maneuvers
from rules.steel_rose.battle.model import Group
from rules.steel_rose.battle.places import FLANKS, PLACES, rear, vanguard
from rules.steel_rose.commands import AllocatePowder, ArmyOrder, CaptureChoice, Deploy, GmCommand, Maneuver, Pass, SkipPlanning
from rules.steel_rose.data import game_data
from rules.steel_rose.economy import CULT, OGRES
from rules.steel_rose.fighting import posted, squads_of
from rules.steel_rose.orders import armies, cities
from rules.steel_rose.orders.base import EXECUTORS, run, step_of
from rules.steel_rose.refusals import Refusal, faction_name, phrase, refuse, severity
from rules.steel_rose.resolve import MUSTER, PHASE_TYPES, battle_of, look_ahead, wrong_phase
from rules.steel_rose.state import Battle, copy_of
from rules.steel_rose.turn import Turn
from rules.steel_rose.view import View, army_defends
from rules.steel_rose.wording import word


def check(view: View, kind: str | None, commands: Sequence[Command]) -> list[Problem]:
    """What the rules object to, as far as the view's faction can know."""
    faction = view.faction
    if faction is None or faction == GM or faction not in view.state.factions:
        return []
    if not view.state.factions[faction].playing:
        out = refuse("E_OUT_OF_GAME", faction=faction_name(faction))
        return [problem(i, out, command) for i, command in enumerate(commands)]
    found: list[tuple[int, Refusal]] = []
    strategic: list[tuple[int, Command]] = []
    tactical: list[tuple[int, Command]] = []
    phase = kind or view.state.phase
    for index, command in enumerate(commands):
        if isinstance(command, GmCommand):
            found.append((index, refuse("E_FACTION", faction=phrase("gm"))))
        elif phase == "orders" and type(command) in EXECUTORS:
            strategic.append((index, command))
        elif phase in PHASE_TYPES and isinstance(command, PHASE_TYPES[phase]):
            tactical.append((index, command))
        elif kind is None and type(command) in EXECUTORS:
            strategic.append((index, command))
        elif kind is None and isinstance(command, (Deploy, Maneuver)):
            tactical.append((index, command))
        else:
            state = view.state.model_copy(update={"phase": phase})
            found.append((index, wrong_phase(state, command)))
    found += _orders(view, faction, strategic)
    found += _battle_orders(view, faction, tactical)
    return [problem(index, refusal, commands[index]) for index, refusal in sorted(found, key=lambda item: item[0])]


def problem(index: int, refusal: Refusal, command: Command) -> Problem:
    """A refusal as a problem of a command, with the choices that are left."""
    choices: tuple[Choice, ...] = ()
    if refusal.code == "E_CANNOT_COLONIZE" and refusal.field is not None:
        raw, captures = command_to_json(command), ("plunder", "destroy")
        choices = tuple(Choice(word("words", c), {**raw, refusal.field: c}) for c in captures)
    return Problem(
        code=refusal.code,
        severity=severity(refusal.code),
        message=refusal.message,
        command=index,
        field=refusal.field,
        rule=refusal.rule,
        choices=choices,
    )


# ------------------------------------------------------------------------------------------------ orders of the turn


def _orders(view: View, faction: FactionId, commands: Sequence[tuple[int, Command]]) -> list[tuple[int, Refusal]]:
    """Carried out one after another, in the order of the resolution, on a copy of what is known."""
    turn = Turn(copy_of(view.state), None)
    out: list[tuple[int, Refusal]] = []
    for _, command in commands:
        look_ahead(turn, faction, command)
    mustered = False
    for index, command in sorted(commands, key=lambda item: (step_of(item[1]), item[0])):
        if step_of(command) > MUSTER and not mustered:
            armies.muster(turn, faction)
            mustered = True
        refused = run(turn, faction, command)
        told = isinstance(command, ArmyOrder) and command.army in turn.plan(faction).refused_forms
        if refused is not None and not (told and refused.code == "E_NO_ARMY"):
            out.append((index, refused))
    return out


# ------------------------------------------------------------------------------------------------ a battle's orders


def _battle_orders(view: View, faction: FactionId, commands: Sequence[tuple[int, Command]]) -> list[tuple[int, Refusal]]:
    out: list[tuple[int, Refusal]] = []
    maneuvers: dict[str, list[tuple[int, Maneuver, Battle | None]]] = {}
    for index, command in commands:
        battle: Battle | None = None
        if view.state.battles and not isinstance(command, (Pass, AllocatePowder)):
            found = battle_of(view.state, faction, command)
            if isinstance(found, Refusal):
                out.append((index, found))
                continue
            battle = found
        if isinstance(command, Maneuver):
            maneuvers.setdefault(battle.id if battle is not None else "", []).append((index, command, battle))
            continue
        out += [(index, refusal) for refusal in _one(view, faction, command, battle)]
    for group in maneuvers.values():
        checked = _maneuvers(view, faction, [m for _, m, _ in group], group[0][2])
        out += [(group[i][0], refusal) for i, refusal in checked.refusals]
    return out


def _one(view: View, faction: FactionId, command: Command, battle: Battle | None) -> list[Refusal]:
    turn = Turn(copy_of(view.state), None)
    if isinstance(command, AllocatePowder):
        refused = run(turn, faction, command)
        return [refused] if refused is not None else []
    if isinstance(command, SkipPlanning) and battle is not None:
        if battle.attack.attacker != faction:
            return [refuse("E_NOT_ATTACKER")]
        return [refuse("E_SKIP_ARMY")] if army_defends(battle) else []
    if isinstance(command, CaptureChoice):
        if command.choice == "colonize" and faction in (CULT, OGRES):
            return [refuse("E_CANNOT_COLONIZE", field="choice")]
        return []
    if isinstance(command, Deploy):
        return _deploy(faction, command, battle)
    return []


def _deploy(faction: FactionId, command: Deploy, battle: Battle | None) -> list[Refusal]:
    wanted = cities.places(command.positions)
    if isinstance(wanted, Refusal):
        return [wanted]
    side = battle.side(faction) if battle is not None else None
    if side is not None:
        return list(deploy([Force(g.source, g.units, g.favored) for g in side.groups], posted(wanted)).refusals)
    given = {place for place, units in wanted if units}
    names = game_data().places
    return [
        refuse("W_REAR_WITHOUT_VANGUARD", field="positions", position=names[rear(f)][0])
        for f in FLANKS
        if rear(f) in given and vanguard(f) not in given
    ]


def _maneuvers(view: View, faction: FactionId, orders: Sequence[Maneuver], battle: Battle | None) -> Checked:
    """On the revealed boards; without a battle, only what is wrong whoever stands there."""
    side = battle.side(faction) if battle is not None else None
    if battle is not None and side is not None and side.board:
        enemy = battle.defender if side is battle.attacker else battle.attacker
        stock = int(view.state.factions[faction].res) if faction == "principality" else None
        return check_maneuvers(squads_of(side), squads_of(enemy), orders, stock)
    anybody = next(iter(game_data().units.values())).model_copy(
        update={"can_charge": True, "volley": 1, "long_range": True, "free_move": True, "powder": 0}
    )
    everywhere = {place: (Group(anybody.id, 1),) for place in PLACES}
    return check_maneuvers(everywhere, everywhere, orders, None, {anybody.id: anybody})
