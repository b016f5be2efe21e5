"""The state of a game: players, troops, buildings, effects, the open turn; JSON and back.

A state is never changed once it has left this package: `resolve` works on a copy.
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from parsers.types import Json
from rules.base import RulesError
from rules.complaints import complaint
from rules.grand_strategy.board import Board, MapData

Phase = Literal["turn", "cards", "window", "over"]
Mark = tuple[int, str | None]
"""A moment: the tour, and whose turn (None: outside any turn)."""


class Fixed:
    """Mixin of immutable parts: copies of a state share them."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self


_PLAIN = frozenset({str, int, bool, float, type(None)})


def _copied(value: Any) -> Any:
    """A deep copy of a state's parts, quicker than `copy.deepcopy`: a state is a tree, nothing stands in it twice."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is dict:
        return {key: inner if type(inner) in _PLAIN else _copied(inner) for key, inner in value.items()}
    if kind is list:
        return [inner if type(inner) in _PLAIN else _copied(inner) for inner in value]
    if kind is tuple:
        return tuple(_copied(inner) for inner in value)
    if hasattr(kind, "__deepcopy__") or not is_dataclass(kind):
        return copy.deepcopy(value)
    made = object.__new__(kind)
    vars(made).update({key: inner if type(inner) in _PLAIN else _copied(inner) for key, inner in vars(value).items()})
    return made


@dataclass(frozen=True)
class Settings(Fixed):
    """The `[settings]` of the scenario; see docs of each ruling."""

    turn_mode: Literal["sequential", "batch"] = "sequential"
    turn_deadline_hours: int = 48
    battle_deadline_hours: int = 24
    window_deadline_hours: int = 24
    max_missed_turns: int = 3
    adjacency: Literal[4, 8] = 8
    goal_share_percent: int = 50
    income_timing: Literal["year_start", "turn_start"] = "year_start"
    income_in_first_year: bool = False
    cap_check: Literal["before_income", "turn_start", "both"] = "before_income"
    treasury_ruler: int = 50
    treasury_commander: int = 100
    treasury_per_fortress: int = 10
    start_money_ruler: int = 50
    start_money_commander: int = 15
    personal_upkeep_ruler: int = 0
    personal_upkeep_commander: int = 1
    personal_value: int = 100
    personal_value_mithril: int = 150
    mithril_cost: int = 50
    prize_divisor: int = 5
    transfer_tax: tuple[int, int] = (1, 5)
    embark_cost: int = 5
    upgrade_cost: int = 25
    half_chance_success_from: int = 4
    personal_restore_years: int = 5
    rejoin_skip_years: int = 5
    min_cells_between_buildings: int = 3
    min_cells_between_outposts: int = 1
    siege_range: int = 2
    mine_fail_refund: bool = False
    building_is_bridge: bool = False
    neutral_decay: bool = False
    missing_cards: Literal["random", "attack", "defend", "shoot"] = "random"
    dragon_advantage_only_at_lair: bool = True
    dragon_penalty: int = 3
    public_treasury: bool = False
    fair_wind_range: int = 5
    tireless_range: int = 5
    prize_counts_levels: bool = False
    interrupts_enabled: bool = True
    start_house: str = "city"
    start_lands: int = 1
    enchanted_weapon_duration: Literal["circle_or_first_battle", "turn_or_first_battle"] = "circle_or_first_battle"
    goal_text: str = ""


@dataclass(frozen=True)
class UnitType(Fixed):
    """A kind of troop (table of units)."""

    id: str
    name_ru: str
    kind: Literal["infantry", "knights", "mage", "ship", "magic", "custom"]
    strength: int
    move_land: int
    move_water: int
    cost: int
    upkeep: int
    hire_level: int = 0
    """Lowest house level that hires it; 0: never."""
    home: str | None = None
    always_advantage: bool = False
    no_terrain_stop: bool = False
    act_every_years: int = 1
    even_with_dragon: bool = False
    advantage_actions: tuple[str, ...] = ()

    @property
    def magic(self) -> bool:
        """Zombies and dragons (R55)."""
        return self.kind == "magic"

    @property
    def free_mover(self) -> bool:
        """Not stopped by terrain and rivers (R42)."""
        return self.kind in ("ship", "mage", "magic") or self.no_terrain_stop


@dataclass(frozen=True)
class BuildingType(Fixed):
    """A kind of building (tables of buildings and mines)."""

    id: str
    name_ru: str
    klass: Literal["lord_house", "fortress", "outpost", "mine"]
    level: int
    cost: int
    upkeep: int
    garrison: int
    walls: Literal["", "+", "++"]
    income: int

    @property
    def house(self) -> bool:
        """A дом лорда (R74)."""
        return self.klass == "lord_house"

    @property
    def mine(self) -> bool:
        """A рудник."""
        return self.klass == "mine"


@dataclass
class Permit:
    """A guest's right to stand on a building's cell (R32)."""

    units: list[str] | None = None
    """None: all his troops."""
    walls: bool = True


@dataclass
class Unit:
    """A troop on the map; a tamed dragon that hasn't appeared yet isn't one."""

    id: str
    type: str
    cell: str
    owner: str | None = None
    name: str = ""
    school: str | None = None
    personal: bool = False
    mithril: bool = False
    afloat: bool = False
    blocked: Mark | None = None
    """АД spent or lost then (R8)."""
    controller: str | None = None
    """The mage of zombies or a dragon (R154)."""
    lair: str | None = None
    """A dragon's mountain."""
    moved: Mark | None = None
    """The turn in which it last moved."""
    steps: int = 0
    """Steps made in that turn (R42)."""
    stopped: str | None = None
    """Why its movement ended in that turn: `terrain`, `river`, `sea_river`, `shore`."""
    siege: str | None = None
    """The besieged house."""
    intruder: bool = False
    """Entered by assault; stays on a foreign building without permission (R122)."""
    fly_after: str | None = None
    """A freed dragon: flies home after this player's next turn (R167)."""
    leaving: bool = False
    """A dragon that flies home after the current turn (R162, R179)."""


@dataclass
class Building:
    """A building on the map."""

    cell: str
    type: str
    owner: str | None = None
    name: str = ""
    blocked: Mark | None = None
    permits: dict[str, Permit] = field(default_factory=dict)


@dataclass
class Lair:
    """A dragon sign (R166)."""

    cell: str
    name: str = ""
    state: Literal["home", "tamed", "away", "dead"] = "home"
    """`tamed`: still in the mountain, appears when the mage leaves; `away`: on the map."""
    tamer: str | None = None
    """The mage who tamed it, while it hasn't appeared."""


@dataclass
class Effect:
    """A spell that lasts."""

    spell: str
    caster: str
    """The player: «круг» ends with his next turn (R153)."""
    unit: str | None = None
    player: str | None = None
    value: int = 0
    actions: list[str] = field(default_factory=list)
    until: Literal["turn", "circle"] = "circle"
    first_battle: bool = False
    """Ends with the unit's next battle."""


@dataclass
class Personal:
    """What is fixed by agreement for a бродяга (R30)."""

    treasury: int = 50
    income: int = 0
    personal_upkeep: int = 0
    unit: str | None = None


@dataclass
class StandingRule:
    """A standing order that waits for its trigger (R184)."""

    id: int
    trigger: str
    filter: dict[str, Any]
    action: dict[str, Any]
    once: bool = True


@dataclass
class Player:
    """A player, in the game or not."""

    id: str
    name: str
    state: str = ""
    color: str = "#888888"
    aliases: list[str] = field(default_factory=list)
    status: Literal["in", "out", "left"] = "in"
    """`out`: hasn't entered yet; `left`: gone (R14)."""
    money: int = 0
    vagabond: Personal | None = None
    suzerain: str | None = None
    joined_service: int = 0
    """Counts the entries into service, for the order inside a slot (R38)."""
    personal_type: str = "knights"
    personal_school: str | None = None
    personal_lost: int | None = None
    """Tour in which the личное войско was lost (R57)."""
    left_tour: int | None = None
    missed: int = 0
    default_cards: dict[str, list[str]] = field(default_factory=dict)
    standing: list[StandingRule] = field(default_factory=list)
    standing_count: int = 0
    disband_priority: list[str] = field(default_factory=list)
    joint_defense: dict[str, bool] = field(default_factory=dict)
    """`object` or `object|player` → allowed (R104)."""
    consents: dict[str, bool] = field(default_factory=dict)
    """`annex|player|unit`, `smuta_all|player` → agreed (R187)."""
    spawn: dict[str, bool] = field(default_factory=dict)
    """`player|province|cell` → allowed (R12)."""
    join: dict[str, bool] = field(default_factory=dict)
    """`player` or `player|battle` → fights together (R103); for the open turn."""
    offers: list[str] = field(default_factory=list)
    """Offers of service that stand (R194)."""
    answers: dict[str, bool] = field(default_factory=dict)
    """Answers to offers, perhaps in advance (R194)."""
    waiting: list[dict[str, Any]] = field(default_factory=list)
    """Commands that wait for a window (R195); `_age` counts the windows they have seen."""
    cards: dict[str, list[str]] = field(default_factory=dict)
    """`battle|participant` or `|participant` or `battle|` → cards given for the open turn (R119)."""
    regroup: dict[str, str] = field(default_factory=dict)
    """`battle` or empty → keep or reverse (R109)."""
    line: dict[str, list[str]] = field(default_factory=dict)
    victory: dict[str, dict[str, bool]] = field(default_factory=dict)
    goal_announced: bool = False


@dataclass
class Declared:
    """A declared attack of the open turn (R60)."""

    kind: Literal["unit", "garrison", "lair"]
    attacker: str
    """Unit id, building cell or lair cell."""
    owner: str | None
    target_kind: Literal["unit", "building"]
    target: str
    capture: bool = True
    preserve: bool = True
    ally: list[str] = field(default_factory=list)
    cards: list[str] | None = None


@dataclass
class Work:
    """A construction that appears after the battles (R112)."""

    kind: Literal["build", "upgrade", "deepen", "downgrade"]
    cell: str
    player: str
    what: str = ""
    """Building type to appear (build, deepen)."""
    unit: str | None = None
    paid: int = 0
    sure: bool = False
    """No roll: the vein was found (R67)."""


@dataclass
class Battle:
    """A battle formed at the closing of a turn; its number is public (R186)."""

    number: int
    attackers: list[str]
    """Participants in order of entry: `unit:K`, `garrison:Т8`, `dragon:У11`."""
    defenders: list[str]
    """`unit:E`, `building:О5`."""
    target: str
    cell: str
    capture: dict[str, bool] = field(default_factory=dict)
    """Attacking participant → takes the building (R115)."""
    preserve: dict[str, bool] = field(default_factory=dict)
    ally: dict[str, list[str]] = field(default_factory=dict)
    cards: dict[str, list[str]] = field(default_factory=dict)
    """Cards that came with the attack orders."""
    merged: list[int] = field(default_factory=list)


@dataclass
class SmutaRight:
    """A commander's right to a смута in the window after this turn (R33)."""

    commander: str
    ruler: str
    asked: bool = False


@dataclass
class Fallen:
    """A troop that a battle took off the map."""

    cell: str
    type: str
    owner: str | None


@dataclass
class Fought:
    """A battle of this turn, for the map."""

    cell: str
    number: int
    result: str | None = None
    """`att`, `def` or `draw`."""
    attackers: list[tuple[str, str | None]] = field(default_factory=list)
    """Where the attacking troops stood, and whose they were."""
    fallen: list[Fallen] = field(default_factory=list)


@dataclass
class State:
    """Everything about a game."""

    title: str
    settings: Settings
    unit_types: dict[str, UnitType]
    building_types: dict[str, BuildingType]
    map: MapData
    tour: int = 1
    phase: Phase = "turn"
    active: str | None = None
    """Whose turn is open (or, in a window, has just ended)."""
    slots: list[list[str]] = field(default_factory=list)
    """Seats: each a suzerain with his vassals in their order (R38)."""
    played: list[str] = field(default_factory=list)
    """Who has had his turn in this tour."""
    last_turn: Mark | None = None
    """The turn that ended last."""
    players: dict[str, Player] = field(default_factory=dict)
    units: dict[str, Unit] = field(default_factory=dict)
    buildings: dict[str, Building] = field(default_factory=dict)
    """By cell."""
    lairs: dict[str, Lair] = field(default_factory=dict)
    veins: dict[str, str] = field(default_factory=dict)
    """Found veins: cell → level (R173)."""
    effects: list[Effect] = field(default_factory=list)
    attacks: list[Declared] = field(default_factory=list)
    works: list[Work] = field(default_factory=list)
    battles: list[Battle] = field(default_factory=list)
    smuta: list[SmutaRight] = field(default_factory=list)
    paths: list[list[str]] = field(default_factory=list)
    """This turn's movements for the map: unit's owner, then cells."""
    clashes: list[Fought] = field(default_factory=list)
    """This turn's battles for the map."""
    shown: bool = False
    """The paths and clashes belong to the turn before: they are kept for its map and cleared by the next resolution."""
    portions: int = 0
    """Portions that the active player has sent in the open turn; none and silence at the close: a missed turn (R183)."""
    counter: int = 0
    """For ids of new units."""
    services: int = 0
    batch: dict[str, list[dict[str, Any]]] | None = None
    """In `batch` mode: the orders of those who haven't played yet."""
    winner: str | None = None
    dispute: dict[str, str] = field(default_factory=dict)
    """The GM's rulings on disputes: object → player (R117)."""

    @property
    def board(self) -> Board:
        """The map's look-up tables."""
        return self.map.board

    def copy(self) -> State:
        """An independent copy (the map and the tables are shared)."""
        copied: State = _copied(self)
        return copied

    def utype(self, unit: Unit) -> UnitType:
        """The type of a troop."""
        return self.unit_types[unit.type]

    def btype(self, building: Building) -> BuildingType:
        """The type of a building."""
        return self.building_types[building.type]

    def units_at(self, cell: str) -> list[Unit]:
        """The troops on a cell, by id."""
        return [u for u in self.units.values() if u.cell == cell]

    def units_of(self, player: str | None) -> list[Unit]:
        """A player's troops by id, numbers inside ids as numbers (R34)."""
        return sorted((u for u in self.units.values() if u.owner == player), key=lambda u: natural(u.id))

    def buildings_of(self, player: str | None) -> list[Building]:
        """A player's buildings in reading order."""
        found = [b for b in self.buildings.values() if b.owner == player]
        return sorted(found, key=lambda b: self.board.order(b.cell))

    def houses_of(self, player: str | None) -> list[Building]:
        """A player's дома лорда in reading order."""
        return [b for b in self.buildings_of(player) if self.btype(b).house]

    def house_in(self, province: int) -> Building | None:
        """The дом лорда of a province (R79)."""
        for building in self.buildings.values():
            if self.btype(building).house and self.board.province[building.cell] == province:
                return building
        return None

    def ladder(self, klass: str) -> list[BuildingType]:
        """The building types of a class from the lowest level."""
        return sorted((t for t in self.building_types.values() if t.klass == klass), key=lambda t: t.level)

    def personal_of(self, player: str) -> Unit | None:
        """A player's личное войско (R56)."""
        return next((u for u in self.units.values() if u.owner == player and u.personal), None)

    def is_ruler(self, player: str | None) -> bool:
        """Owns a дом лорда and is no бродяга (R15)."""
        found = self.players.get(player) if player else None
        return found is not None and found.vagabond is None and bool(self.houses_of(player))

    def is_commander(self, player: str | None) -> bool:
        """In the game without a дом лорда, no бродяга (R15)."""
        found = self.players.get(player) if player else None
        return found is not None and found.status == "in" and found.vagabond is None and not self.houses_of(player)

    def order(self) -> list[str]:
        """All seats in their order."""
        return [p for slot in self.slots for p in slot]

    def vassals_of(self, player: str) -> list[str]:
        """His vassals in order of joining."""
        found = [p for p in self.players.values() if p.suzerain == player and p.status == "in"]
        return [p.id for p in sorted(found, key=lambda p: p.joined_service)]

    def mage_school(self, player: str | None, *, without: str | None = None) -> str | None:
        """The school of a player's mages (R155)."""
        for unit in self.units.values():
            if unit.owner == player and unit.id != without and self.utype(unit).kind == "mage" and unit.school:
                return unit.school
        return None


def natural(text: str) -> tuple[tuple[int, int | str], ...]:
    """Sort key in which numbers inside ids compare as numbers (R34)."""
    return tuple((0, int(part)) if part.isdigit() else (1, part) for part in re.split(r"(\d+)", text) if part)


_ADAPTER: TypeAdapter[State] = TypeAdapter(State)
FORMAT = 1


def dump(state: State) -> dict[str, Json]:
    """Canonical JSON; fields at their default are left out of units, buildings and players."""
    raw = _ADAPTER.dump_python(state, mode="json")
    for group, model in (("units", Unit), ("buildings", Building), ("players", Player)):
        empty = {f.name: _default(f) for f in fields(model)}
        for item in raw[group].values():
            for key, value in list(item.items()):
                if key not in ("owner", "money", "status") and key in empty and value == empty[key]:
                    del item[key]
    raw["map"] = _dump_map(state.map)
    return {"ruleset": "grand_strategy", "format": FORMAT, **raw}


def _default(item: Any) -> Any:
    if item.default_factory is not None and callable(item.default_factory):
        return item.default_factory()
    return item.default


def _dump_map(data: MapData) -> dict[str, Json]:
    # Rows as comma-joined text keep a 200×200 map readable and small.
    return {
        "columns": ",".join(data.columns),
        "terrain": [",".join(row) for row in data.terrain],
        "province_rows": [",".join(map(str, row)) for row in data.province_rows],
        "provinces": [
            {"number": p.number, "name": p.name, "capital": p.capital, "aliases": list(p.aliases)} for p in data.provinces
        ],
        "rivers": [{"name": r.name, "cells": list(r.cells), "mouth": r.mouth} for r in data.rivers],
        "sites": dict(data.sites),
        "lairs": dict(data.lairs),
        "adjacency": data.adjacency,
    }


def load(raw: dict[str, Json]) -> State:
    """The inverse of `dump`. Raises `RulesError` naming the first wrong place."""
    if not isinstance(raw, dict) or raw.get("ruleset") != "grand_strategy":
        raise RulesError("Это не состояние игры «Великая Стратегическая».")
    if raw.get("format") != FORMAT:
        raise RulesError(f"Состояние записано в другом формате ({raw.get('format')!r}), нужен {FORMAT}.")
    data = {key: value for key, value in raw.items() if key not in ("ruleset", "format")}
    try:
        plain = dict(data["map"])
        plain["columns"] = plain["columns"].split(",")
        plain["terrain"] = [row.split(",") for row in plain["terrain"]]
        plain["province_rows"] = [row.split(",") for row in plain["province_rows"]]
        state = _ADAPTER.validate_python({**data, "map": plain})
    except (KeyError, AttributeError, TypeError) as error:
        raise RulesError(f"Состояние повреждено: нет или не того вида {error}.") from error
    except ValidationError as error:
        place, reason = complaint(error)
        raise RulesError(f"Состояние повреждено: {place}: {reason}.") from error
    for group in (state.units.values(), state.buildings.values()):
        for item in group:
            if item.cell not in state.board:
                raise RulesError(f"Состояние повреждено: клетки {item.cell} на карте нет.")
    return state
