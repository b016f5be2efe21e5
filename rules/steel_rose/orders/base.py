"""What all order families share: the register of executors, and the checks of cities, counts and money."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeAlias, TypeVar, cast

from rules.base import Command, FactionId
from rules.steel_rose import economy
from rules.steel_rose.data import CityId, Counts, UnitType, game_data
from rules.steel_rose.refusals import Refusal, amount, faction_name, listed, nearest, phrase, refuse, resource_name, unit_name
from rules.steel_rose.state import City
from rules.steel_rose.turn import Turn

C = TypeVar("C", bound=Command)
Executor: TypeAlias = Callable[[Turn, FactionId, Command], Refusal | None]

EXECUTORS: dict[type[Command], tuple[int, Executor]] = {}
"""Command type → its step of the resolution (§4.2) and its executor."""


def order(step: int, model: type[C]) -> Callable[[Callable[[Turn, FactionId, C], Refusal | None]], Executor]:
    """Registers the executor of a command type at a step of the resolution."""

    def register(function: Callable[[Turn, FactionId, C], Refusal | None]) -> Executor:
        executor = cast(Executor, function)
        EXECUTORS[model] = (step, executor)
        return executor

    return register


def run(turn: Turn, faction: FactionId, command: Command) -> Refusal | None:
    """Carries one order out, or says why not."""
    if not turn.state.factions[faction].playing:
        return refuse("E_OUT_OF_GAME", faction=faction_name(faction))
    return EXECUTORS[type(command)][1](turn, faction, command)


def step_of(command: Command) -> int:
    """The step of the resolution at which an order is carried out."""
    return EXECUTORS[type(command)][0]


# ------------------------------------------------------------------------------------------------ shared checks


def find_city(turn: Turn, city_id: str | None, field: str = "city") -> City | Refusal:
    """A city by id."""
    cities = turn.state.cities
    if city_id is not None and city_id in cities:
        return cities[city_id]
    if city_id is not None and city_id in turn.state.vanished:
        return refuse("E_UNKNOWN_CITY", field=field, text="E_UNKNOWN_CITY_GONE", city=turn.state.vanished[city_id])
    names = {c: [city.name_ru, *city.aliases] for c, city in cities.items()}
    found = nearest(city_id or "", names)
    hint = phrase("nearest", list=listed(cities[c].name_ru for c in found)) if found else ""
    return refuse("E_UNKNOWN_CITY", field=field, x=city_id or "…", nearest=hint)


def own_city(turn: Turn, faction: FactionId, city_id: str | None, *, ruins: bool = False) -> City | Refusal:
    """An own city that takes orders: not gained this turn, no ruins unless they are wanted (R161)."""
    city = find_city(turn, city_id)
    if isinstance(city, Refusal):
        return city
    if city.owner != faction:
        return refuse("E_NOT_OWNER", field="city", city=city.name_ru)
    if city.ruin and not ruins:
        return refuse("E_RUIN", field="city", city=city.name_ru)
    if city.just_taken:
        return refuse("E_JUST_TAKEN", field="city", city=city.name_ru)
    return city


def find_faction(turn: Turn, faction: str | None, *, playing: bool = True) -> Refusal | None:
    """Whether such a faction exists and still plays (R162)."""
    factions = turn.state.factions
    if faction is None or faction not in factions:
        names = {f: [data.name_ru, *data.aliases] for f, data in game_data().factions.items() if f in factions}
        found = nearest(faction or "", names)
        hint = phrase("nearest", list=listed(faction_name(f) for f in found)) if found else ""
        return refuse("E_UNKNOWN_FACTION", field="faction", x=faction or "…", nearest=hint)
    if playing and not factions[faction].playing:
        return refuse("E_OUT_OF_GAME", field="faction", faction=faction_name(faction))
    return None


def only_for(faction: FactionId, *allowed: FactionId) -> Refusal | None:
    """An order of one faction alone."""
    if faction in allowed:
        return None
    return refuse("E_FACTION", faction=listed(faction_name(f) for f in allowed))


def own_unit(faction: FactionId, unit: str) -> UnitType | Refusal:
    """A unit type of the faction's own list."""
    data = game_data()
    if unit not in data.units or data.units[unit].faction != faction:
        own = listed(u.name_ru for u in data.units_of(faction) if not u.no_hire)
        return refuse("E_FACTION_UNIT", field="unit", unit=unit_name(unit), list=own)
    return data.units[unit]


def afford(
    turn: Turn, faction: FactionId, what: str, *, gold: int = 0, res: Fraction | int = 0, each: tuple[int, int] | None = None
) -> Refusal | None:
    """Whether the treasury suffices; with `each` = (gold, resource) of one unit, the answer names how many it would pay for."""
    owner = turn.state.factions[faction]
    enough = ""
    if each is not None:
        limits = [owner.gold // each[0]] if each[0] else []
        if each[1]:
            limits.append(int(owner.res // each[1]))
        most = min(limits) if limits else 0
        enough = phrase("afford", n=most) if most else phrase("afford_none")
    if owner.gold < gold:
        spent = -sum(line.gold for line in owner.ledger if line.gold < 0)
        running = phrase("running", spent=spent + gold, had=owner.opening_gold) if spent else ""
        short = gold - owner.gold
        return refuse("E_NO_GOLD", what=what, a=gold, b=owner.gold, short=short, afford=enough + running)
    if owner.res < res:
        return refuse("E_NO_RESOURCE", what=what, a=amount(res), res=resource_name(faction), b=amount(owner.res), afford=enough)
    return None


def take(available: Mapping[str, int], wanted: Mapping[str, int | str], *, rest: bool = True) -> tuple[Counts, Refusal | None]:
    """Units picked from those at hand: numbers, `all`, `rest` (all that are left) or `half` (rounded down)."""
    out: Counts = {}
    for unit, count in wanted.items():
        have = available.get(unit, 0)
        if isinstance(count, int):
            if count <= 0:
                return {}, refuse("E_COUNT", field="units")
            if count > have:
                return {}, refuse("E_NOT_ENOUGH_UNITS", field="units", unit=unit_name(unit), n=have, m=count)
            number = count
        else:
            number = have // 2 if count == "half" else have
        if number:
            out[unit] = number
    return out, None


def covering(turn: Turn, faction: FactionId, city_id: CityId) -> list[tuple[str, str]]:
    """(city, building) of the faction that watch over a city: in it, or in an own city one road away (R106)."""
    state = turn.state
    table = game_data().buildings.get(faction, {})
    out = []
    for place in (city_id, *economy.roads_at(state, city_id)):
        if state.cities[place].owner == faction and not state.cities[place].ruin:
            out += [(place, b) for b in state.cities[place].buildings if b in table and table[b].detect > 0]
    return out
