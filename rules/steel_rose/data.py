"""The numbers and names of «Война Стальной Розы», read from `data/*.toml` and checked: units, buildings, magic, settings.

Everything that the rules count with lives in those files; code only knows the keys."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from parsers.types import Json
from rules.base import FactionId

UnitId: TypeAlias = str
BuildingId: TypeAlias = str
CityId: TypeAlias = str
Counts: TypeAlias = dict[UnitId, int]
"""Unit type → number."""

Exact = Annotated[Fraction, BeforeValidator(lambda value: Fraction(str(value)))]
"""A share or probability written as a decimal, kept exactly."""


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Named(_Data):
    """Something with a Russian name and the stems by which players call it."""

    id: str
    name_ru: str
    aliases: tuple[str, ...] = ()


class FactionData(Named):
    """A faction."""

    colour: str
    resource: str
    """Id of its unique resource: `honor`, `powder`, `mana`, `hunger`, `meat`."""
    resource_ru: str
    resource_aliases: tuple[str, ...]
    victory: dict[str, Any]


class UnitType(Named):
    """A kind of unit. Percentages are fractions added to 1 (0.25 = +25 %)."""

    forms: tuple[str, str, str]
    """«1 копейщик», «2 копейщика», «5 копейщиков»."""
    plural: str
    """«копейщики»."""
    faction: FactionId
    level: int = Field(ge=1, le=3)
    attack: int = Field(ge=0)
    hp: int = Field(ge=1)
    armor: int = Field(ge=0)
    cost_gold: int = 0
    cost_honor: int = 0
    cost_mana: int = 0
    hunger_on_hire: int = 0
    upkeep_gold: int = 0
    upkeep_meat: int = 0
    ranged: int = 0
    """Strength of a shot; 0: no shooter."""
    volley: int = 0
    """Shots of one unit in a barrage; 0: can't take part."""
    long_range: bool = False
    """May bombard any squad (R35)."""
    powder: int = 0
    """Needed per battle (R109)."""
    can_charge: bool = False
    free_move: bool = False
    """One free change of position per battle (R31)."""
    attacks: int = 1
    """Blows when drawn (R49)."""
    max_per_squad: int | None = None
    rescue: Exact | None = None
    """Share of the fallen that returns; None: the setting `rescue_share`."""
    no_hire: bool = False
    demon: bool = False
    traits: Mapping[str, Json] = MappingProxyType({})
    """Abilities by key, as written; `battle.abilities` turns them into objects."""


class BuildingData(Named):
    """A building of one faction."""

    faction: FactionId
    level: int
    cost_gold: int
    cost_mana: int = 0
    trains: tuple[UnitId, ...] = ()
    garrison: Counts = {}
    """Added to the city's garrison, not doubled in large cities."""
    free_units: Counts = {}
    """Into the reserve at each production."""
    income: int = 0
    income_factor: Exact = Fraction(1)
    res: int = 0
    """Own unique resource per turn."""
    detect: Exact = Fraction(0)
    """Chance to detect corruption (R106)."""
    cleanse_gold: int | None = None
    """Price per level of the infected city (R107)."""
    cleanse_res: int | None = None
    garrison_shot_bonus: float = 0.0
    float_discount: int = 0
    hunger_reduction: int = 0
    raid_bonus: int = 0
    corruption_on_loss: int = 0


class SpellData(Named):
    """A spell of the elves."""

    mana: int
    target: Literal["own_city", "own_ruins", "own_army", "faction"]
    repeat_surcharge: int = 0
    out: float = 0.0
    in_: float = Field(default=0.0, alias="in")


class DieData(_Data):
    """1к`die` + `add`."""

    die: int
    add: int


class RitualData(Named):
    """A ritual of the cult."""

    hunger: int
    gold: int = 0
    target: Literal["adjacent_city", "army_and_any_city", "any_small_city", "own_city"] | None = None
    small: DieData | None = None
    large: DieData | None = None
    max_hunger: int = 0
    units: Counts = {}
    cooldown_turns: int = 0
    table: Literal["ritual", "alliance"] | None = None
    gives_gold: int = 0
    decrease: int = 0
    max_hunger_on_capture: int = 0
    extra_rituals: int = 0
    max_rituals: int = 0
    raid_gold: int = 0


class MercenaryData(_Data):
    """Prices of hired ogres (R150, R151)."""

    price_factor: int
    ogre_share: Exact
    discount: dict[str, int]
    """By epoch."""
    alliance_income_share: Exact


class Quest(_Data):
    """A reward of the Empire (R104)."""

    city: CityId
    honor: int
    units: Counts


class Settings(_Data):
    """What a scenario may override."""

    victory_mode: Literal["all", "any"]
    ruins_count_as_city: bool
    rescue_share: Exact
    rescue_rounding: Literal["half_up", "floor", "random"]
    max_rounds_charge: int = Field(ge=1)
    max_rounds_clash: int = Field(ge=1)
    max_rounds_final: int = Field(ge=1)
    garrison_refill: Literal["full", "none"]
    unpaid_upkeep: Literal["desert"]
    meat_per_kill: int
    sunset_factor: int
    sunset_doubles_hunger: bool
    max_armies: dict[str, int]
    max_city_level: dict[str, int]
    last_turn: int
    epochs: dict[str, str]
    epoch_gift: dict[str, int]
    gift_excluded: tuple[FactionId, ...]
    gift_tie: Literal["levels_gold_random"]
    city_levels_public: bool
    archpriest_requires: BuildingId
    wolf_requires: BuildingId | Literal[""]
    oath_once_per_turn: bool
    mercenary_meat_upkeep: bool
    floating_bombard: bool
    ogre_raids_distinct: bool
    summoned_persist: bool
    default_capture: dict[FactionId, str]
    deadline_hours: dict[str, int]
    special_quests: tuple[Quest, ...]


class ManeuverData(Named):
    """A manoeuvre."""

    fatigue: int = 0
    bombard_factor: float = 1.0


class Combat(_Data):
    """Constants of battle."""

    dead_below: float
    outnumber_ratio: int
    outnumbered_in: float
    flanked_in: float
    fatigue_out: float
    squeamish_out: float
    favor_out: float
    favor_in: float


class Economy(_Data):
    """Numbers of cities and raids (`economy.toml`)."""

    income_small: int
    income_large: int
    slots_small: int
    slots_large: int
    sale_share: Exact
    upgrade_factor: int
    restore_small: int
    restore_large: int
    congestion: int
    garrison_large_factor: int
    plunder_factor: int
    ogre_plunder_factor: int
    meat_plunder_divisor: int
    meat_destroy_divisor: int
    honor_upkeep_divisor: int
    mana_per_turn: int
    powder_return_below: int
    """Rounds: a garrison that wins in fewer gets its powder back (R110)."""
    mobile_steps: int


class Hunger(_Data):
    """Numbers of the cult's hunger, corruption and betrayal (`economy.toml`)."""

    passive: int
    per_city: int
    own_city_lost: int
    raid: int
    defended: int
    dead_per_point: int
    corruption_full: int
    betray_small: int
    betray_large: int


@dataclass(frozen=True)
class GameData:
    """All of it. Mappings keep the order of the files."""

    settings: Settings
    factions: Mapping[FactionId, FactionData]
    units: Mapping[UnitId, UnitType]
    garrisons: Mapping[FactionId, Mapping[int, Counts]]
    """Faction → level → units, for a small city (R91). Ogres have none."""
    buildings: Mapping[FactionId, Mapping[BuildingId, BuildingData]]
    spells: Mapping[str, SpellData]
    rituals: Mapping[str, RitualData]
    demon_tables: Mapping[str, Mapping[str, Counts]]
    """`ritual`, `alliance` → turns («1-2», «3-4», «5+») → kind → number; the receiver picks one kind."""
    mercenary: MercenaryData
    maneuvers: Mapping[str, ManeuverData]
    combat: Combat
    economy: Economy
    hunger: Hunger
    places: Mapping[str, tuple[str, str]]
    """`LV` … `RR` → nominative, genitive."""

    def units_of(self, faction: FactionId) -> tuple[UnitType, ...]:
        """The faction's unit types in the order of the file."""
        return tuple(unit for unit in self.units.values() if unit.faction == faction)


def plural(count: int, forms: tuple[str, str, str]) -> str:
    """The right form for a number: 1 лучник, 2 лучника, 5 лучников, 21 лучник."""
    n = abs(count) % 100
    if 11 <= n <= 14 or n % 10 == 0 or n % 10 >= 5:
        return forms[2]
    return forms[0] if n % 10 == 1 else forms[1]


def counted(count: int, unit: UnitType) -> str:
    """«5 лучников»."""
    return f"{count} {plural(count, unit.forms)}"


def raw(name: str) -> dict[str, Any]:
    """A data file as it is. Raises `FileNotFoundError` for a wrong name."""
    return tomllib.loads(files("rules.steel_rose").joinpath("data", f"{name}.toml").read_text(encoding="utf-8"))


def _named(table: Mapping[str, Any], **extra: Any) -> list[dict[str, Any]]:
    return [{"id": key, **value, **extra} for key, value in table.items()]


def unit_type(unit_id: UnitId, table: Mapping[str, Any]) -> UnitType:
    """A unit type from its TOML table; keys that are no field are its abilities."""
    own = {key: value for key, value in table.items() if key in UnitType.model_fields}
    traits = {key: value for key, value in table.items() if key not in UnitType.model_fields}
    return UnitType.model_validate({"id": unit_id, **own, "traits": traits})


def settings(overrides: Mapping[str, Any] | None = None) -> Settings:
    """The settings, with a scenario's own values. Raises `pydantic.ValidationError`."""
    return Settings.model_validate({**raw("settings")["settings"], **(overrides or {})})


@cache
def game_data() -> GameData:
    """The shipped data, read once."""
    magic, battle, economy = raw("magic"), raw("battle"), raw("economy")
    buildings: dict[FactionId, dict[BuildingId, BuildingData]] = {}
    for faction, table in raw("buildings")["buildings"].items():
        buildings[faction] = {item["id"]: BuildingData.model_validate(item) for item in _named(table, faction=faction)}
    return GameData(
        settings=settings(),
        factions={item["id"]: FactionData.model_validate(item) for item in _named(raw("factions")["factions"])},
        units={key: unit_type(key, table) for key, table in raw("units")["units"].items()},
        garrisons={
            faction: {int(level): dict(counts) for level, counts in table.items()}
            for faction, table in raw("garrisons")["garrisons"].items()
        },
        buildings=buildings,
        spells={item["id"]: SpellData.model_validate(item) for item in _named(magic["spells"])},
        rituals={item["id"]: RitualData.model_validate(item) for item in _named(magic["rituals"])},
        demon_tables=magic["demon_tables"],
        mercenary=MercenaryData.model_validate(magic["mercenary"]),
        maneuvers={item["id"]: ManeuverData.model_validate(item) for item in _named(battle["maneuvers"])},
        combat=Combat.model_validate(battle["combat"]),
        economy=Economy.model_validate(economy["economy"]),
        hunger=Hunger.model_validate(economy["hunger"]),
        places={key: (names[0], names[1]) for key, names in battle["places"].items()},
    )
