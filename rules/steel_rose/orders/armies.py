"""Armies: their composition and orders, and where they may go (R87-R90, R135, R146, R147)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.base import FactionId, only
from rules.steel_rose import economy
from rules.steel_rose.commands import MOBILE_CITY, AllocatePowder, ArmyOrder, CaptureChoice, FormArmy, Pass, Ritual, SkipPlanning
from rules.steel_rose.data import Counts, game_data
from rules.steel_rose.economy import CULT, OGRES
from rules.steel_rose.orders.base import find_city, only_for, order, take
from rules.steel_rose.refusals import Refusal, epoch_name, faction_name, listed, refuse, unit_name
from rules.steel_rose.state import Allocation, Army, Choice, ordered
from rules.steel_rose.turn import Turn

TELEPORT = 100
"""Number of the first teleported part among a faction's armies."""


# ------------------------------------------------------------------------------------------------ composition


@order(10, FormArmy)
def form(turn: Turn, faction: FactionId, command: FormArmy) -> Refusal | None:
    """Checks one army's composition against the units that earlier orders of the sheet have left."""
    limit = turn.state.max_armies
    plan = turn.plan(faction)
    if not 1 <= command.army <= limit:
        plan.refused_forms.add(command.army)
        return refuse("E_ARMY_LIMIT", field="army", epoch=epoch_name(turn.state.epoch), n=limit)
    if isinstance(command.units, dict):
        pool = dict(turn.state.factions[faction].units)
        for army in compositions(turn, faction, plan.forms, explicit_only=True)[0].values():
            for unit, count in army.items():
                pool[unit] = pool.get(unit, 0) - count
        _, refused = take(pool, command.units)
        if refused is not None:
            return refused
    plan.forms.append(command)
    return None


def compositions(
    turn: Turn, faction: FactionId, forms: list[FormArmy], *, explicit_only: bool = False
) -> tuple[dict[int, Counts], Counts]:
    """What the orders put into each army, and the units that nobody named. `rest` is served after all that is explicit."""
    pool = dict(turn.state.factions[faction].units)
    armies: dict[int, Counts] = {}

    def put(number: int, units: Mapping[str, int]) -> None:
        into = armies.setdefault(number, {})
        for unit, count in units.items():
            into[unit] = into.get(unit, 0) + count
            pool[unit] -= count

    for late in (False,) if explicit_only else (False, True):
        for command in forms:
            if isinstance(command.units, dict):
                wanted = {u: c for u, c in command.units.items() if (c == "rest") == late}
                units, refused = take(pool, wanted)
                put(command.army, units if refused is None else {})
            elif late:
                put(command.army, {u: c for u, c in pool.items() if c})
    return armies, ordered(pool)


def preview(turn: Turn, faction: FactionId, forms: list[FormArmy] | None = None) -> dict[int, Counts]:
    """The armies as they would be formed now: units that nobody names join army 1 (R87). Without `forms`, by all wishes of
    the sheet, as far as they can be carried out."""
    limit = turn.state.max_armies
    wanted = turn.plan(faction).wishes if forms is None else forms
    armies, rest = compositions(turn, faction, [f for f in wanted if 1 <= f.army <= limit])
    if rest:
        first = dict(armies.get(1, {}))
        for unit, count in rest.items():
            first[unit] = first.get(unit, 0) + count
        armies[1] = first
    return {number: ordered(units) for number, units in sorted(armies.items()) if any(units.values())}


def muster(turn: Turn, faction: FactionId) -> None:
    """Forms the faction's armies for this turn, with the parts that teleport and the blessed ones (R87, R119, R135)."""
    owner, plan = turn.state.factions[faction], turn.plan(faction)
    names = {f.army: f.name for f in plan.forms if f.name}
    owner.armies = {
        number: Army(units=units, name=names.get(number), favored=number in plan.favors)
        for number, units in preview(turn, faction, plan.forms).items()
    }
    part = TELEPORT
    for ritual in plan.teleports:
        _teleport(turn, faction, ritual, part)
        part += 1


def _teleport(turn: Turn, faction: FactionId, ritual: Ritual, number: int) -> None:
    owner = turn.state.factions[faction]
    source = owner.armies.get(ritual.army or 1)
    if source is None:
        return
    if ritual.units is None:
        source.order, source.city, source.teleported = "attack", ritual.city, True
        return
    units, refused = take(source.units, ritual.units)
    if refused is not None or not units:
        return
    source.units = ordered({u: c - units.get(u, 0) for u, c in source.units.items()})
    owner.armies[number] = Army(units=units, order="attack", city=ritual.city, teleported=True)
    if not source.units:
        del owner.armies[ritual.army or 1]


# ------------------------------------------------------------------------------------------------ orders


@order(11, ArmyOrder)
def army_order(turn: Turn, faction: FactionId, command: ArmyOrder) -> Refusal | None:
    """Disperse, defend or attack (R88, R89)."""
    army = turn.army(faction, command.army) or _beside_teleport(turn, faction, command)
    if army is None:
        limit = turn.state.max_armies
        if command.army > limit and command.army not in turn.plan(faction).refused_forms:
            return refuse("E_ARMY_LIMIT", field="army", epoch=epoch_name(turn.state.epoch), n=limit)
        return refuse("E_NO_ARMY", field="army", n=command.army)
    if army.teleported and turn.army(faction, command.army) is army:
        return _teleported(turn, faction, army, command)
    if command.order == "disperse":
        army.order, army.city = "disperse", None
        return None
    refused = _defend(turn, faction, command) if command.order == "defend" else attack_legality(turn, faction, command.city)
    if refused is not None:
        return refused
    army.order, army.city = command.order, command.city
    return _choose(turn, faction, army, command)


def _beside_teleport(turn: Turn, faction: FactionId, command: ArmyOrder) -> Army | None:
    """An order to an army that has left whole by teleport stands beside the ritual (R135)."""
    parts = [a for n, a in turn.state.factions[faction].armies.items() if n >= TELEPORT and a.city == command.city]
    return parts[0] if parts and command.order == "attack" else None


def _teleported(turn: Turn, faction: FactionId, army: Army, command: ArmyOrder) -> Refusal | None:
    """The ritual prevails; an order for the same city may say what to do with it (R135)."""
    if command.order == "attack" and command.city == army.city:
        return _choose(turn, faction, army, command)
    turn.tell("teleport_prevails", "R135", only(faction), army=command.army, city=army.city)
    return None


def _choose(turn: Turn, faction: FactionId, army: Army, command: ArmyOrder) -> Refusal | None:
    if command.order != "attack":
        return None
    for part in turn.state.factions[faction].armies.values():
        if part is army or (part.teleported and part.city == command.city):
            part.keep_ruins = command.keep_ruins
            if command.on_capture is not None and (command.on_capture != "colonize" or faction not in (CULT, OGRES)):
                part.on_capture = command.on_capture
    if command.on_capture == "colonize" and faction in (CULT, OGRES):
        return refuse("E_CANNOT_COLONIZE", field="on_capture", kept=True)
    return None


def _defend(turn: Turn, faction: FactionId, command: ArmyOrder) -> Refusal | None:
    if command.city == MOBILE_CITY and faction == OGRES:
        return None
    city = find_city(turn, command.city)
    if isinstance(city, Refusal):
        return city
    if city.owner != faction:
        return refuse("E_NOT_OWNER", field="city", city=city.name_ru)
    return None


def attack_legality(turn: Turn, faction: FactionId, target: str | None, *, teleport: bool = False) -> Refusal | None:
    """Whether the faction may attack a target now (R89, R135, R146, R147, R157, R162)."""
    state = turn.state
    if target == MOBILE_CITY:
        if OGRES not in state.factions or not state.factions[OGRES].playing or state.mobile_city is None:
            return refuse("E_OUT_OF_GAME", field="city", faction=faction_name(OGRES))
        if faction == OGRES:
            return refuse("E_OWN_CITY", field="city", city=state.mobile_city.name_ru)
        return refuse("E_ALLY", field="city", faction=faction_name(OGRES)) if state.allied(faction, OGRES) else None
    city = find_city(turn, target)
    if isinstance(city, Refusal):
        return city
    if city.owner == faction:
        return refuse("E_OWN_CITY", field="city", city=city.name_ru)
    if city.owner is not None and state.factions[city.owner].status == "won":
        return refuse("E_WINNER_CITY", field="city", faction=faction_name(city.owner), city=city.name_ru)
    if city.owner is not None and state.allied(faction, city.owner):
        return refuse("E_ALLY", field="city", faction=faction_name(city.owner))
    if city.ruin and faction == OGRES:
        return refuse("E_OGRES_NO_CAPTURE", field="city")
    near = economy.neighbours(state, faction)
    if not teleport and target not in near and not (turn.checking and faction == OGRES and turn.plan(faction).mobile_steps):
        open_to = [c for c in near if not _closed(turn, faction, c)]
        return refuse("E_NOT_ADJACENT", field="city", city=city.name_ru, list=listed(state.cities[c].name_ru for c in open_to))
    return None


def _closed(turn: Turn, faction: FactionId, city_id: str) -> bool:
    city = turn.state.cities[city_id]
    if city.owner is None:
        return city.ruin and faction == OGRES
    return turn.state.factions[city.owner].status == "won" or turn.state.allied(faction, city.owner)


def mobile_in_reach(turn: Turn, faction: FactionId) -> bool:
    """After its move an end of the mobile city's road is the faction's city (R146); own ruins count (R89)."""
    mobile = turn.state.mobile_city
    return mobile is not None and any(c in turn.state.cities and turn.state.cities[c].owner == faction for c in mobile.road)


# ------------------------------------------------------------------------------------------------ choices in advance


@order(11, CaptureChoice)
def capture_choice(turn: Turn, faction: FactionId, command: CaptureChoice) -> Refusal | None:
    """The victor's choice, kept until it is needed (R94)."""
    target = command.city or command.battle
    if command.choice == "colonize" and faction in (CULT, OGRES):
        return refuse("E_CANNOT_COLONIZE", field="choice")
    if target is not None and target not in turn.state.cities:
        unknown = find_city(turn, target)
        return unknown if isinstance(unknown, Refusal) else None
    turn.state.factions[faction].choices[target or "*"] = Choice(choice=command.choice, keep_ruins=command.keep_ruins)
    return None


@order(11, SkipPlanning)
def skip_planning(turn: Turn, faction: FactionId, command: SkipPlanning) -> Refusal | None:
    """The attacker's wish to skip planning, kept until the battle (R42). Whether an army defends isn't known yet."""
    if command.battle is not None and command.battle != MOBILE_CITY:
        city = find_city(turn, command.battle)
        if isinstance(city, Refusal):
            return city
        if city.owner == faction:
            return refuse("E_NOT_ATTACKER", field="battle")
    skips = turn.state.factions[faction].skips
    wish = command.battle or "*"
    if wish not in skips:
        skips.append(wish)
    return None


@order(11, AllocatePowder)
def allocate_powder(turn: Turn, faction: FactionId, command: AllocatePowder) -> Refusal | None:
    """Whom powder goes to, in all battles or in one (R109)."""
    refused = only_for(faction, "principality")
    if refused is not None:
        return refused
    data = game_data()
    for unit in (*(command.order or ()), *(command.units or {})):
        if unit not in data.units or data.units[unit].faction != faction:
            own = listed(u.name_ru for u in data.units_of(faction) if u.powder)
            return refuse("E_FACTION_UNIT", field="units", unit=unit_name(unit), list=own)
    owner = turn.state.factions[faction]
    if command.units is not None:
        need = sum(data.units[u].powder * c for u, c in command.units.items() if isinstance(c, int))
        if need > owner.res:
            return refuse("E_NO_POWDER", field="units", a=need, b=int(owner.res))
    owner.powder = [a for a in owner.powder if a.battle != command.battle]
    owner.powder.append(Allocation(battle=command.battle, order=command.order, units=command.units))
    return None


@order(12, Pass)
def nothing(turn: Turn, faction: FactionId, command: Pass) -> Refusal | None:
    """An explicit «nothing»."""
    return None
