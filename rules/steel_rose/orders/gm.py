"""The GM's commands: they may break limits, but not the invariants of the game (§3.3, §6)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar, cast

from pydantic import ValidationError

from rules.base import EVERYONE, GM, GM_ONLY, Command, RulesError, command_to_json
from rules.steel_rose import data as game
from rules.steel_rose import economy
from rules.steel_rose.commands import (
    GmAnnounce,
    GmClosePhase,
    GmCommand,
    GmGiveUnits,
    GmPlaceMobileCity,
    GmReroll,
    GmSetCity,
    GmSetDeadline,
    GmSetResource,
    GmSetSetting,
    GmSetStatus,
)
from rules.steel_rose.data import game_data
from rules.steel_rose.economy import CULT, OGRES
from rules.steel_rose.orders.base import find_city, find_faction
from rules.steel_rose.refusals import Refusal, phrase, refuse, unit_name
from rules.steel_rose.state import pair
from rules.steel_rose.turn import Turn
from rules.steel_rose.victory import leave

G = TypeVar("G", bound=GmCommand)
Handler = Callable[[Turn, Any], Refusal | None]
HANDLERS: dict[type[Command], Handler] = {}


def gm(model: type[G]) -> Callable[[Callable[[Turn, G], Refusal | None]], Handler]:
    """Registers the handler of a GM command."""

    def register(function: Callable[[Turn, G], Refusal | None]) -> Handler:
        HANDLERS[model] = cast(Handler, function)
        return HANDLERS[model]

    return register


def carry_out(turn: Turn, command: Command) -> None:
    """Carries a GM command out and logs it, to everybody or to the GM alone."""
    handler = HANDLERS.get(type(command))
    if handler is None or not isinstance(command, GmCommand):
        raise RulesError(f"«{type(command).title}» — не приказ мастера.")
    refused = handler(turn, command)
    if refused is not None:
        turn.tell(
            "refused",
            refused.rule,
            GM_ONLY,
            issuer=GM,
            code=refused.code,
            message=refused.message,
            command=command_to_json(command),
        )
        return
    facts = command_to_json(command)
    turn.tell("gm", "", EVERYONE if command.public else GM_ONLY, command=facts)


@gm(GmClosePhase)
def close_phase(turn: Turn, command: GmClosePhase) -> Refusal | None:
    """Closing the present phase is done by `resolve`; a later one of this turn will be left out."""
    if command.phase != turn.state.phase and command.phase not in turn.state.skip_phases:
        turn.state.skip_phases.append(command.phase)
    return None


@gm(GmSetDeadline)
def set_deadline(turn: Turn, command: GmSetDeadline) -> Refusal | None:
    """Other hours for a phase of this turn."""
    turn.state.hours[command.phase] = command.hours
    return None


@gm(GmSetResource)
def set_resource(turn: Turn, command: GmSetResource) -> Refusal | None:
    """Sets gold, the unique resource, the maximum of hunger; a ledger line says so."""
    unknown = find_faction(turn, command.faction, playing=False)
    if unknown is not None:
        return unknown
    owner = turn.state.factions[command.faction]
    if (command.gold or 0) < 0 or (command.res or 0) < 0 or (command.max_hunger or 0) < 0:
        return refuse("E_INVARIANT", what=phrase("invariant_negative"))
    gold = owner.gold if command.gold is None else command.gold
    res = owner.res if command.res is None else Fraction(str(command.res))
    turn.pay(command.faction, "gm", gold=gold - owner.gold, res=res - owner.res)
    if command.max_hunger is not None:
        owner.max_hunger = command.max_hunger
    return None


@gm(GmGiveUnits)
def give_units(turn: Turn, command: GmGiveUnits) -> Refusal | None:
    """Gives units into the reserve, or takes them from it."""
    unknown = find_faction(turn, command.faction, playing=False)
    if unknown is not None:
        return unknown
    if command.unit not in game_data().units:
        return refuse("E_FACTION_UNIT", field="unit", unit=command.unit, list=phrase("nothing"))
    have = turn.state.factions[command.faction].units.get(command.unit, 0)
    if have + command.count < turn.in_armies(command.faction).get(command.unit, 0):
        return refuse("E_NOT_ENOUGH_UNITS", field="count", unit=unit_name(command.unit), n=have, m=-command.count)
    turn.units(command.faction, "gm", {command.unit: command.count})
    return None


@gm(GmSetCity)
def set_city(turn: Turn, command: GmSetCity) -> Refusal | None:
    """Changes a city, within the invariants."""
    city = find_city(turn, command.city)
    if isinstance(city, Refusal):
        return city
    owner = city.owner if command.owner is None else None if command.owner == "none" else command.owner
    if owner is not None and (owner not in turn.state.factions or owner == OGRES):
        return refuse("E_INVARIANT", what=phrase("invariant_owner"))
    ruin = city.ruin if command.ruin is None else command.ruin
    if owner is None and not ruin:
        return refuse("E_INVARIANT", what=phrase("invariant_owner"))
    level = city.level if command.level is None else command.level
    buildings = city.buildings if command.buildings is None else command.buildings
    if command.buildings is None and (ruin or owner != city.owner):
        buildings = []
    table = game_data().buildings.get(owner or "", {})
    top = max(turn.state.rules.max_city_level.values())
    if not 1 <= level <= top or not 0 <= (command.corruption or 0) < game_data().hunger.corruption_full:
        return refuse("E_INVARIANT", what=phrase("invariant_range"))
    if len(buildings) != len(set(buildings)) or any(b not in table for b in buildings) or len(buildings) > economy.slots(city):
        return refuse("E_INVARIANT", what=phrase("invariant_buildings"))
    if ruin and buildings:
        return refuse("E_INVARIANT", what=phrase("invariant_buildings"))
    city.owner, city.ruin, city.level, city.buildings = owner, ruin, level, list(buildings)
    if command.corruption is not None:
        city.corruption = command.corruption
        city.known_corruption = None
    economy.fill_garrison(city)
    return None


@gm(GmPlaceMobileCity)
def place_mobile(turn: Turn, command: GmPlaceMobileCity) -> Refusal | None:
    """Puts the mobile city on a road (R124)."""
    mobile = turn.state.mobile_city
    road = next((r for r in turn.state.roads if pair(*r) == pair(*command.road)), None)
    if mobile is None:
        return refuse("E_NO_CITY")
    if road is None:
        a, b = (turn.state.target_name(c) for c in command.road)
        return refuse("E_NO_ROAD", field="road", a=a, b=b, list="")
    mobile.road, mobile.needs_road = road, False
    return None


@gm(GmSetSetting)
def set_setting(turn: Turn, command: GmSetSetting) -> Refusal | None:
    """Changes a setting; one that can't be is refused."""
    changed = {**turn.state.settings, command.key: command.value}
    try:
        game.settings(changed)
    except ValidationError:
        return refuse("E_INVARIANT", what=phrase("invariant_setting", name=command.key))
    turn.state.settings = changed
    return None


@gm(GmReroll)
def reroll(turn: Turn, command: GmReroll) -> Refusal | None:
    """Another stream of dice for a battle that is still to be fought this turn."""
    battle = turn.state.battle(command.battle)
    if battle is not None and not battle.decided:
        battle.rerolls += 1
    elif battle is not None:
        return refuse("E_SERVICE", what=GmReroll.title)
    else:
        turn.state.rerolls[command.battle] = turn.state.rerolls.get(command.battle, 0) + 1
    return None


@gm(GmSetStatus)
def set_status(turn: Turn, command: GmSetStatus) -> Refusal | None:
    """Takes a faction out of the game, as a loser or a winner, or back into it."""
    unknown = find_faction(turn, command.faction, playing=False)
    if unknown is not None:
        return unknown
    owner = turn.state.factions[command.faction]
    if command.status == "playing":
        if command.faction != CULT and not turn.state.owned(command.faction) and command.faction != OGRES:
            return refuse("E_INVARIANT", what=phrase("invariant_owner"))
        owner.status = "playing"
        turn.state.winners = [f for f in turn.state.winners if f != command.faction]
    elif owner.playing and command.status == "eliminated":
        turn.eliminate(command.faction, "gm", "R77")
    elif owner.playing:
        leave(turn, command.faction)
    return None


@gm(GmAnnounce)
def announce(turn: Turn, command: GmAnnounce) -> Refusal | None:
    """A text for the report."""
    return None
