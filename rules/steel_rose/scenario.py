"""Scenarios: a map, its owners and the treasuries, checked and made into the first state (§7)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from parsers.types import Json
from rules.base import FactionId, RulesError, Scenario
from rules.complaints import complaint
from rules.steel_rose import data as game
from rules.steel_rose.data import Counts, game_data
from rules.steel_rose.economy import fill_garrison
from rules.steel_rose.state import City, FactionState, MobileCity, Pair, Snapshot, State, in_order, ordered, pair

CULT, OGRES = "cult", "ogres"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class CityStart(_Part):
    """A city of the map."""

    name_ru: str
    aliases: list[str] = []
    type: Literal["small", "large"]
    owner: FactionId | None = None
    x: float
    y: float
    level: int = Field(default=1, ge=1, le=3)
    ruin: bool = False
    buildings: list[str] = []
    corruption: int = Field(default=0, ge=0, lt=20)


class FactionStart(_Part):
    """A faction's beginning."""

    gold: int = Field(ge=0)
    res: float = Field(default=0, ge=0)
    units: Counts = {}
    max_hunger: int = 100
    road: Pair | None = None
    mobile_city_name_ru: str = "Передвижной город"
    mobile_city_aliases: list[str] = []
    mobile_garrison: Counts = {}


class Roads(_Part):
    """The roads."""

    roads: list[Pair]


class ScenarioFile(_Part):
    """The whole file."""

    id: str
    name_ru: str
    ruleset: Literal["steel_rose"] = "steel_rose"
    turn: int = Field(default=1, ge=1)
    settings: dict[str, Any] = {}
    cities: dict[str, CityStart]
    map: Roads
    start: dict[FactionId, FactionStart]
    alliances: list[Pair] = []


def default_text() -> str:
    """The default scenario's commented TOML."""
    return files("rules.steel_rose").joinpath("data", "scenario.toml").read_text(encoding="utf-8")


def load_scenario(source: Mapping[str, Json] | None) -> Scenario:
    """A checked scenario; None: the default one. Raises `RulesError` naming the place."""
    raw = tomllib.loads(default_text()) if source is None else dict(source)
    parsed = _parse(raw)
    return Scenario(id=parsed.id, title=parsed.name_ru, data=raw)


def _parse(raw: Mapping[str, Json]) -> ScenarioFile:
    try:
        scenario = ScenarioFile.model_validate(raw)
        game.settings(scenario.settings)
    except ValidationError as error:
        place, reason = complaint(error)
        raise RulesError(f"Сценарий: поле «{place}» неверно ({reason}).") from error
    data = game_data()
    for city_id, city in scenario.cities.items():
        if city.owner is not None and city.owner not in scenario.start:
            raise RulesError(f"Сценарий: у города «{city.name_ru}» неизвестный владелец «{city.owner}».")
        for building in city.buildings:
            if city.owner is None or building not in data.buildings.get(city.owner, {}):
                raise RulesError(f"Сценарий: постройка «{building}» города «{city_id}» не подходит его владельцу.")
    for a, b in scenario.map.roads:
        for end in (a, b):
            if end not in scenario.cities:
                raise RulesError(f"Сценарий: дорога {a} — {b} ведёт в неизвестный город «{end}».")
    for faction, start in scenario.start.items():
        if faction not in data.factions:
            raise RulesError(f"Сценарий: неизвестная фракция «{faction}».")
        for unit in (*start.units, *start.mobile_garrison):
            if unit not in data.units:
                raise RulesError(f"Сценарий: у фракции «{faction}» неизвестный юнит «{unit}».")
        roads = {pair(*road) for road in scenario.map.roads}
        if faction == OGRES and (start.road is None or pair(*start.road) not in roads):
            raise RulesError("Сценарий: передвижной город огров должен стоять на дороге карты (start.ogres.road).")
    return scenario


def new_game(scenario: Scenario) -> State:
    """The first state of a scenario."""
    source = _parse(scenario.data)
    data = game_data()
    cities = {
        city_id: City(
            name_ru=city.name_ru,
            aliases=city.aliases,
            order=order,
            type=city.type,
            x=city.x,
            y=city.y,
            start_owner=city.owner,
            owner=city.owner,
            level=city.level,
            ruin=city.ruin,
            buildings=city.buildings,
            corruption=city.corruption,
        )
        for order, (city_id, city) in enumerate(source.cities.items())
    }
    factions: dict[FactionId, FactionState] = {}
    mobile: MobileCity | None = None
    for faction, start in source.start.items():
        units = ordered(start.units)
        known = dict(units)
        for unit, count in start.mobile_garrison.items():
            known[unit] = known.get(unit, 0) + count
        factions[faction] = FactionState(
            name_ru=data.factions[faction].name_ru,
            gold=start.gold,
            res=start.res,
            units=units,
            opening_gold=start.gold,
            opening_res=start.res,
            max_hunger=start.max_hunger if faction == CULT else 0,
            snapshot=Snapshot(gold=start.gold, res=start.res, units=known),
        )
        if faction == OGRES and start.road is not None:
            mobile = MobileCity(
                name_ru=start.mobile_city_name_ru,
                aliases=start.mobile_city_aliases,
                road=start.road,
                garrison=start.mobile_garrison,
            )
    state = State(
        scenario=source.id,
        title=source.name_ru,
        turn=source.turn,
        settings=source.settings,
        factions=in_order(factions),
        cities=cities,
        roads=source.map.roads,
        mobile_city=mobile,
        alliances=sorted(pair(*p) for p in source.alliances),
    )
    for city in state.cities.values():
        fill_garrison(city)
    return state
