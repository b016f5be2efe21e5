"""What cities yield and cost: nominal income, upgrades, slots, garrisons, training, upkeep (R78-R83, R91, R105).

Pure questions about a state; nothing here changes one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import floor

from rules.base import FactionId
from rules.steel_rose.data import BuildingData, CityId, Counts, UnitId, UnitType, game_data
from rules.steel_rose.state import City, State, ordered

CULT = "cult"
OGRES = "ogres"
Part = tuple[str, str | None, int]
"""A part of a ledger line's sum: its kind, the building or unit it is about, the amount."""


def building_of(city: City, building: str) -> BuildingData:
    """The data of a building that stands in a city."""
    found = building_by_id(city.owner, building)
    if found is None:
        raise KeyError(building)
    return found


def building_by_id(faction: FactionId | None, building: str) -> BuildingData | None:
    """A faction's building, or, of a taken-over scenario, anybody's with that id."""
    tables = game_data().buildings
    if faction is not None and building in tables.get(faction, {}):
        return tables[faction][building]
    return next((table[building] for table in tables.values() if building in table), None)


def standing(city: City) -> list[BuildingData]:
    """The data of all buildings in a city."""
    return [building_of(city, b) for b in city.buildings]


def base_income(city: City) -> int:
    """150 × level, or 300 × level (R78)."""
    numbers = game_data().economy
    return (numbers.income_large if city.large else numbers.income_small) * city.level


def nominal_income(city: City) -> int:
    """«Доход города»: (base + flat bonuses) × factors, rounded down; ruins: 0 (R78)."""
    if city.ruin:
        return 0
    total = Fraction(base_income(city) + sum(b.income for b in standing(city)))
    for building in standing(city):
        total *= building.income_factor
    return floor(total)


def congestion(city: City) -> int:
    """What a defending army costs this turn's income (R85)."""
    return game_data().economy.congestion * city.level if city.defended else 0


def produced(city: City) -> int:
    """This turn's income before Закат doubles it (R78, R85, R96)."""
    if city.ruin or city.no_income:
        return 0
    return max(0, nominal_income(city) - congestion(city))


def income_parts(city: City, factor: int = 1) -> list[Part]:
    """What this turn's income of a city is made of, part by part: the city, its buildings, a defending army, Закат by `factor`
    (R78, R85, R155). Sums to `factor * produced(city)`."""
    if city.ruin or city.no_income:
        return []
    parts: list[Part] = [("city", None, base_income(city))]
    parts += [("building", b.id, b.income) for b in standing(city)]
    total = Fraction(sum(value for _, _, value in parts))
    for building in standing(city):
        lost = floor(total * building.income_factor) - floor(total)
        total *= building.income_factor
        parts.append(("building", building.id, lost))
    nominal = floor(total)
    parts.append(("congestion", None, produced(city) - nominal))
    parts.append(("sunset", None, (factor - 1) * produced(city)))
    return joined(parts)


def unit_parts(units: Mapping[str, int], price: Callable[[UnitId], int]) -> list[Part]:
    """What each unit type costs a turn."""
    return joined(("unit", unit, -price(unit) * count) for unit, count in units.items())


def hunger_parts(state: State) -> list[Part]:
    """What the cult's passive hunger is made of (R125, R155). Sums to `passive_hunger(state)`."""
    numbers = game_data().hunger
    cities = [state.cities[c] for c in state.owned(CULT)]
    parts: list[Part] = [("hunger", None, numbers.passive), ("hunger_cities", None, numbers.per_city * len(cities))]
    parts += [("building", b.id, -b.hunger_reduction) for c in cities for b in standing(c)]
    told = sum(value for _, _, value in parts)
    parts.append(("floor", None, max(0, told) - told))
    parts.append(("sunset", None, passive_hunger(state) - max(0, told)))
    return joined(parts)


def joined(parts: Iterable[Part]) -> list[Part]:
    """Parts without zeros, those of the same thing as one."""
    sums: dict[tuple[str, str | None], int] = {}
    for kind, ident, value in parts:
        sums[kind, ident] = sums.get((kind, ident), 0) + value
    return [(kind, ident, value) for (kind, ident), value in sums.items() if value]


def upgrade_price(city: City) -> int:
    """Three nominal incomes (R79)."""
    return game_data().economy.upgrade_factor * nominal_income(city)


def restore_price(city: City) -> int:
    """300 or 900 (R98)."""
    numbers = game_data().economy
    return numbers.restore_large if city.large else numbers.restore_small


def slots(city: City) -> int:
    """Building slots (R80)."""
    numbers = game_data().economy
    return numbers.slots_large if city.large else numbers.slots_small


def full_garrison(city: City) -> Counts:
    """The garrison of the owner's faction and the city's level, large cities double, buildings added (R91)."""
    if city.ruin or city.owner is None:
        return {}
    levels = game_data().garrisons.get(city.owner)
    if levels is None:
        return {}
    factor = game_data().economy.garrison_large_factor if city.large else 1
    out = {unit: count * factor for unit, count in levels[city.level].items()}
    for building in standing(city):
        for unit, count in building.garrison.items():
            out[unit] = out.get(unit, 0) + count
    return ordered(out)


def garrison_basis(city: City) -> str:
    """What a garrison depends on: owner, level, ruin, buildings."""
    return "/".join((city.owner or "", str(city.level), "ruin" if city.ruin else "", *sorted(city.buildings)))


def fill_garrison(city: City) -> None:
    """The full garrison, at once (R91)."""
    city.garrison = full_garrison(city)
    note_garrison(city)


def note_garrison(city: City) -> None:
    """Notes what the present garrison belongs to."""
    city.garrison_for = f"{garrison_basis(city)}|{_listing(city.garrison)}"


def suit_garrison(city: City) -> None:
    """A city edited by hand, its garrison left as it was, gets the garrison that belongs to it."""
    basis, _, listing = city.garrison_for.partition("|")
    if basis != garrison_basis(city) and listing == _listing(city.garrison):
        fill_garrison(city)


def _listing(units: Mapping[str, int]) -> str:
    return ",".join(f"{unit}={count}" for unit, count in units.items())


def garrison_change(before: Counts, after: Counts, now: Counts) -> Counts:
    """The present garrison after the full one changed: what was lost stays lost, what was added comes (R91)."""
    out = dict(now)
    for unit in {*before, *after}:
        change = after.get(unit, 0) - before.get(unit, 0)
        out[unit] = max(0, min(out.get(unit, 0) + change, after.get(unit, 0)))
    return ordered(out)


def shot_bonus(city: City) -> float:
    """Bonus to the shots of all defenders (R112)."""
    return sum(b.garrison_shot_bonus for b in standing(city))


def trainers(state: State, faction: FactionId, unit: UnitType) -> list[str]:
    """Ids of the buildings that train a unit type (R105, R122); empty: none is needed."""
    if unit.id == "archpriest":
        return [state.rules.archpriest_requires] if state.rules.archpriest_requires else []
    if unit.id == "wolf":
        return [state.rules.wolf_requires] if state.rules.wolf_requires else []
    return [b.id for b in game_data().buildings.get(faction, {}).values() if unit.id in b.trains]


def can_train(state: State, faction: FactionId, unit: UnitType) -> bool:
    """One training building in an own city that was not gained this turn (R82, R161)."""
    needed = trainers(state, faction, unit)
    cities = [state.cities[c] for c in state.owned(faction) if not state.cities[c].just_taken]
    if not needed:
        return bool(cities)
    return any(city.has(b) for city in cities for b in needed)


def is_gift(faction: FactionId, unit_id: str) -> bool:
    """A demon given by an allied cult: no upkeep, vanishes with the alliance (R130, R131)."""
    return faction != CULT and game_data().units[unit_id].faction == CULT


def upkeep_gold(faction: FactionId, unit_id: str) -> int:
    """Gold a turn for one unit (R83, R130)."""
    return 0 if is_gift(faction, unit_id) else game_data().units[unit_id].upkeep_gold


def upkeep_meat(state: State, faction: FactionId, unit_id: str) -> int:
    """Meat a turn for one unit (R148, R151)."""
    if faction != OGRES and not state.rules.mercenary_meat_upkeep:
        return 0
    return game_data().units[unit_id].upkeep_meat


def kept_units(state: State, faction: FactionId) -> Counts:
    """All units but city garrisons: reserve, armies, and the mobile city's garrison (R83)."""
    total = dict(state.factions[faction].units)
    if faction == OGRES and state.mobile_city is not None:
        for unit, count in state.mobile_city.garrison.items():
            total[unit] = total.get(unit, 0) + count
    return ordered(total)


def total_upkeep(faction: FactionId, units: Mapping[str, int]) -> int:
    """Gold a turn for all of them."""
    return sum(upkeep_gold(faction, unit) * count for unit, count in units.items())


def passive_hunger(state: State) -> int:
    """+10 + 15 × cities − 5 × altars, at Закат doubled (R125, R155)."""
    numbers = game_data().hunger
    cities = [state.cities[c] for c in state.owned(CULT)]
    gain = numbers.passive + numbers.per_city * len(cities) - sum(b.hunger_reduction for c in cities for b in standing(c))
    factor = state.sunset if state.rules.sunset_doubles_hunger else 1
    return max(0, gain) * factor


def demon_row(table: str, turn: int) -> Counts:
    """The kinds and numbers of demons of a turn (R130, R137)."""
    rows = game_data().demon_tables[table]
    for turns, row in rows.items():
        low, _, high = turns.removesuffix("+").partition("-")
        if turns.endswith("+") and turn >= int(low):
            return row
        if not turns.endswith("+") and int(low) <= turn <= int(high or low):
            return row
    return {}


def roads_at(state: State, city: CityId) -> list[CityId]:
    """Cities one road away, in map order."""
    near = {b if a == city else a for a, b in state.roads if city in (a, b)}
    return [c for c in state.cities if c in near]


def neighbours(state: State, faction: FactionId) -> list[CityId]:
    """Cities adjacent to the faction's cities and ruins, to the cult's camp, or (ogres) at the ends of the mobile city's road
    (R89, R128, R147), own ones left out; in map order."""
    near: set[CityId] = set()
    if faction == OGRES:
        if state.mobile_city is not None:
            near.update(state.mobile_city.road)
    else:
        for city in state.owned(faction, ruins=True):
            near.update(roads_at(state, city))
        if faction == CULT and state.camp is not None:
            near.update(state.camp)
    return [c for c in state.cities if c in near and state.cities[c].owner != faction]


def mobile_at(state: State, faction: FactionId) -> bool:
    """The mobile city stands on a road that ends at a non-ruin city of the faction (R151)."""
    if state.mobile_city is None:
        return False
    return any(
        c in state.cities and state.cities[c].owner == faction and not state.cities[c].ruin for c in state.mobile_city.road
    )


def capital(state: State, faction: FactionId) -> list[CityId]:
    """«Столица»: the faction's large city, its starting one first; several: all of them."""
    large = [c for c in state.owned(faction) if state.cities[c].large]
    start = [c for c in large if state.cities[c].start_owner == faction]
    return start or large
