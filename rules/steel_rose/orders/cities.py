"""Building, selling, upgrading, restoring, hiring, disbanding, garrison presets, cleansing (R79-R84, R98, R20, R107)."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor

from rules.base import FactionId, only
from rules.steel_rose import economy
from rules.steel_rose.battle.places import PLACES
from rules.steel_rose.commands import (
    Build,
    CleanseCorruption,
    Disband,
    Hire,
    RestoreRuins,
    SellBuilding,
    SetGarrisonDeployment,
    UpgradeCity,
)
from rules.steel_rose.data import game_data
from rules.steel_rose.economy import OGRES
from rules.steel_rose.orders.base import afford, covering, order, own_city, own_unit
from rules.steel_rose.refusals import (
    Refusal,
    epoch_name,
    faction_name,
    listed,
    phrase,
    refuse,
    resource_name,
    unit_name,
    units_text,
)
from rules.steel_rose.state import City, Places
from rules.steel_rose.turn import Turn, res_json


@order(4, Build)
def build(turn: Turn, faction: FactionId, command: Build) -> Refusal | None:
    """Puts a building up at once (R80)."""
    city = own_city(turn, faction, command.city)
    if isinstance(city, Refusal):
        return city
    table = game_data().buildings.get(faction, {})
    if command.building not in table:
        known = economy.building_by_id(None, command.building)
        name = known.name_ru if known is not None else command.building
        return refuse("E_FACTION_BUILDING", field="building", building=name, list=listed(b.name_ru for b in table.values()))
    building = table[command.building]
    if building.level > city.level:
        return refuse(
            "E_BUILDING_LEVEL", field="building", building=building.name_ru, n=building.level, city=city.name_ru, m=city.level
        )
    if city.has(building.id):
        return refuse("E_DUPLICATE_BUILDING", field="building", building=building.name_ru, city=city.name_ru)
    slots = economy.slots(city)
    if len(city.buildings) >= slots:
        return refuse(
            "E_NO_SLOT",
            field="city",
            city=city.name_ru,
            size=phrase("large" if city.large else "small"),
            slots=phrase(f"slots_{slots}"),
            list=listed(b.name_ru for b in economy.standing(city)),
        )
    poor = afford(turn, faction, phrase("build", building=building.name_ru), gold=building.cost_gold, res=building.cost_mana)
    if poor is not None:
        return poor
    before = economy.full_garrison(city)
    turn.pay(faction, "build", gold=-building.cost_gold, res=-building.cost_mana, city=command.city, building=building.id)
    city.buildings.append(building.id)
    turn.refill(city, before)
    turn.tell("built", "R80", only(faction), city=command.city, building=building.id, gold=building.cost_gold)
    return None


@order(4, SellBuilding)
def sell(turn: Turn, faction: FactionId, command: SellBuilding) -> Refusal | None:
    """Sells a building for half of its gold and mana (R80)."""
    city = own_city(turn, faction, command.city)
    if isinstance(city, Refusal):
        return city
    if not city.has(command.building):
        known = economy.building_by_id(faction, command.building)
        name = known.name_ru if known is not None else command.building
        return refuse("E_NO_SUCH_BUILDING", field="building", city=city.name_ru, building=name)
    building = economy.building_of(city, command.building)
    share = game_data().economy.sale_share
    gold, mana = floor(building.cost_gold * share), floor(building.cost_mana * share)
    before = economy.full_garrison(city)
    city.buildings.remove(building.id)
    turn.refill(city, before)
    turn.pay(faction, "sale", gold=gold, res=mana, city=command.city, building=building.id)
    turn.tell("sold", "R80", only(faction), city=command.city, building=building.id, gold=gold)
    return None


@order(4, UpgradeCity)
def upgrade(turn: Turn, faction: FactionId, command: UpgradeCity) -> Refusal | None:
    """Raises the level for three nominal incomes each (R79), within the epoch's limit (R153)."""
    city = own_city(turn, faction, command.city)
    if isinstance(city, Refusal):
        return city
    if command.levels <= 0:
        return refuse("E_COUNT", field="levels")
    top = max(turn.state.rules.max_city_level.values())
    if city.level + command.levels > top:
        return refuse("E_MAX_LEVEL", field="city", city=city.name_ru, n=top)
    if city.level + command.levels > turn.state.max_level:
        return refuse("E_EPOCH_LEVEL", field="city", epoch=epoch_name(turn.state.epoch), n=turn.state.max_level)
    price = 0
    raised = city.model_copy()
    for _ in range(command.levels):
        price += economy.upgrade_price(raised)
        raised.level += 1
    poor = afford(turn, faction, phrase("upgrade", city=city.name_ru), gold=price)
    if poor is not None:
        return poor
    before = economy.full_garrison(city)
    turn.pay(faction, "upgrade", gold=-price, city=command.city, level=raised.level)
    city.level = raised.level
    turn.refill(city, before)
    turn.tell("upgraded", "R79", only(faction), city=command.city, level=city.level, gold=price)
    return None


def rebuild(city: City) -> None:
    """Ruins become a city of level 1, empty, without income this turn, its garrison at once (R98, R91)."""
    city.ruin = False
    city.level = 1
    city.buildings = []
    city.no_income = True
    city.garrison = economy.full_garrison(city)


@order(4, RestoreRuins)
def restore(turn: Turn, faction: FactionId, command: RestoreRuins) -> Refusal | None:
    """Restores own ruins for gold (R98)."""
    if faction == OGRES:
        return refuse("E_FACTION", faction=listed(faction_name(f) for f in turn.state.factions if f != OGRES))
    city = own_city(turn, faction, command.city, ruins=True)
    if isinstance(city, Refusal):
        found = turn.state.cities.get(command.city)
        if found is not None and not found.ruin:
            return refuse("E_NOT_RUIN", field="city", city=found.name_ru)
        return city
    if not city.ruin:
        return refuse("E_NOT_RUIN", field="city", city=city.name_ru)
    price = economy.restore_price(city)
    poor = afford(turn, faction, phrase("restore", city=city.name_ru), gold=price)
    if poor is not None:
        return poor
    turn.pay(faction, "restore", gold=-price, city=command.city)
    rebuild(city)
    turn.tell("restored", "R98", city=command.city, faction=faction)
    return None


@order(4, Hire)
def hire(turn: Turn, faction: FactionId, command: Hire) -> Refusal | None:
    """Hires into the reserve; needs a training building (R82, R105, R122, R142, R144)."""
    unit = own_unit(faction, command.unit)
    if isinstance(unit, Refusal):
        return unit
    if unit.no_hire:
        return refuse("E_RITUAL_ONLY", field="unit", unit=unit.name_ru)
    if command.count <= 0:
        return refuse("E_COUNT", field="count")
    if faction == OGRES:
        if turn.state.mobile_city is None:
            return refuse("E_NO_CITY")
        if unit.level > turn.state.max_level:
            return refuse("E_MOBILE_LEVEL", field="unit", n=turn.state.max_level, unit=unit.name_ru, m=unit.level)
    else:
        if not turn.state.owned(faction):
            return refuse("E_NO_CITY")
        if not economy.can_train(turn.state, faction, unit):
            table = game_data().buildings[faction]
            needed = [table[b] for b in economy.trainers(turn.state, faction, unit)]
            return refuse(
                "E_NO_BUILDING",
                field="unit",
                unit=unit.name_ru,
                list=listed(f"«{b.name_ru}» ({b.level} ур., {b.cost_gold}з)" for b in needed),
            )
    count = command.count
    cost, own = unit.cost_gold * count, unit.cost_honor + unit.cost_mana
    poor = afford(turn, faction, units_text({unit.id: count}), gold=cost, res=own * count, each=(unit.cost_gold, own))
    if poor is not None:
        return poor
    turn.pay(faction, "hire", gold=-cost, res=-own * count, unit=unit.id, count=count)
    turn.units(faction, "hired", {unit.id: count})
    if unit.hunger_on_hire:
        turn.hunger(unit.hunger_on_hire * count, "hire_hunger", unit=unit.id, count=count)
    turn.tell("hired", "R82", only(faction), unit=unit.id, count=count, gold=cost, res=res_json(own * count))
    return None


@order(4, Disband)
def disband(turn: Turn, faction: FactionId, command: Disband) -> Refusal | None:
    """Sends units home, no refund (R84)."""
    have = turn.state.factions[faction].units.get(command.unit, 0)
    if isinstance(command.count, int):
        count = command.count
        if count <= 0:
            return refuse("E_COUNT", field="count")
    else:
        count = have // 2 if command.count == "half" else have
    if count > have or have == 0:
        return refuse("E_NOT_ENOUGH_UNITS", field="count", unit=unit_name(command.unit), n=have, m=max(count, 1))
    turn.units(faction, "disbanded", {command.unit: -count})
    turn.tell("disbanded", "R84", only(faction), unit=command.unit, count=count)
    return None


def places(positions: Mapping[str, Mapping[str, int | str] | str]) -> Places | Refusal:
    """Positions of a post as the state keeps them, their order included."""
    out: Places = []
    for place, units in positions.items():
        if place not in PLACES:
            return refuse("E_POSITION", field="positions")
        if isinstance(units, str):
            out.append((place, units))
            continue
        for unit, count in units.items():
            data = game_data().units.get(unit)
            if isinstance(count, int) and count <= 0:
                return refuse("E_COUNT", field="positions")
            if data is not None and data.max_per_squad is not None and isinstance(count, int) and count > data.max_per_squad:
                return refuse("E_MAX_PER_SQUAD", field="positions", unit=data.name_ru)
        out.append((place, list(units.items())))
    return out


@order(4, SetGarrisonDeployment)
def preset(turn: Turn, faction: FactionId, command: SetGarrisonDeployment) -> Refusal | None:
    """Presets a garrison's deployment, in one city or in all (R20)."""
    wanted = places(command.positions)
    if isinstance(wanted, Refusal):
        return wanted
    if command.city == "all":
        targets = [c for c in turn.state.owned(faction) if not turn.state.cities[c].just_taken]
        if not targets:
            return refuse("E_NO_CITY")
    else:
        city = own_city(turn, faction, command.city)
        if isinstance(city, Refusal):
            return city
        targets = [command.city]
    for target in targets:
        turn.state.cities[target].preset = wanted or None
    turn.tell("garrison_preset", "R20", only(faction), cities=targets, positions=dict(command.positions))
    return None


@order(8, CleanseCorruption)
def cleanse(turn: Turn, faction: FactionId, command: CleanseCorruption) -> Refusal | None:
    """Sets a detected corruption to 0; the cheapest building that watches over the city sets the price (R107)."""
    city = own_city(turn, faction, command.city)
    if isinstance(city, Refusal):
        return city
    table = game_data().buildings.get(faction, {})
    able = [table[b] for _, b in covering(turn, faction, command.city) if table[b].cleanse_gold is not None]
    if not able:
        needed = listed(f"«{b.name_ru}»" for b in table.values() if b.cleanse_gold is not None)
        return refuse("E_NO_BUILDING", text="E_NO_BUILDING_CLEANSE", field="city", city=city.name_ru, list=needed)
    if city.known_corruption is None:
        return refuse("E_NOT_DETECTED", field="city", city=city.name_ru)
    resource = game_data().factions[faction].resource
    gold_prices = [b.cleanse_gold for b in able if b.cleanse_gold is not None]
    res_prices = [b.cleanse_res for b in able if b.cleanse_res is not None]
    ways = ["gold", *([resource] if res_prices else [])]
    if command.pay not in ways:
        return refuse("E_PAYMENT", field="pay", list=listed(_way(way, faction) for way in ways))
    gold = min(gold_prices) * city.level if command.pay == "gold" else 0
    res = 0 if command.pay == "gold" else min(res_prices) * city.level
    poor = afford(turn, faction, phrase("cleanse", city=city.name_ru), gold=gold, res=res)
    if poor is not None:
        return poor
    turn.pay(faction, "cleanse", gold=-gold, res=-res, city=command.city)
    city.corruption = 0
    city.known_corruption = None
    turn.tell("cleansed", "R107", only(faction), city=command.city, gold=gold, res=res)
    return None


def _way(way: str, faction: FactionId) -> str:
    return phrase("gold") if way == "gold" else resource_name(faction)
