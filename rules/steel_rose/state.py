"""The state of a campaign as typed JSON: cities, factions, armies, the phase of the turn and its battles (§4.1).

`resolve` copies a state before it works on it; nobody else changes one. Mappings are put into a fixed order when a state is
read, so that a state dumped with sorted keys plays on exactly as the original (draws follow the order of units and cities).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, ValidationError

from parsers.types import Json
from rules.base import FactionId, RulesError
from rules.complaints import complaint
from rules.steel_rose import data as game
from rules.steel_rose.data import CityId, Counts, Settings, game_data


def _exact(value: Any) -> Fraction:
    return value if isinstance(value, Fraction) else Fraction(str(value))


def number(value: Fraction | int) -> int | float:
    """An exact tenth as a JSON number: 33, 33.6."""
    value = Fraction(value)
    return int(value) if value.denominator == 1 else float(value)


Amount = Annotated[Fraction, BeforeValidator(_exact), PlainSerializer(number)]
"""An amount of a unique resource; exact (a dead horseman gives 0.8 of honour)."""


def ordered(counts: Mapping[str, int]) -> Counts:
    """Unit counts in the order of the data file, without zeros. Unknown types come last, by name."""
    rank = _unit_rank()
    return {u: counts[u] for u in sorted(counts, key=lambda u: (rank.get(u, len(rank)), u)) if counts[u]}


@cache
def _unit_rank() -> dict[str, int]:
    return {unit: i for i, unit in enumerate(game_data().units)}


@cache
def faction_order() -> tuple[FactionId, ...]:
    """All factions in the order in which draws are taken (§4.2)."""
    return tuple(game_data().factions)


Units = Annotated[Counts, AfterValidator(ordered)]
Pair = tuple[str, str]
Places = list[tuple[str, list[tuple[str, int | str]] | str]]
"""A deployment with its written order kept: position → (unit type → a number, `all`, `rest` or `half`), or `rest`."""
Status = Literal["playing", "eliminated", "won"]
PhaseName = Literal["orders", "deployment", "planning", "capture", "over"]


def pair(a: str, b: str) -> Pair:
    """Two names in a fixed order."""
    return (a, b) if a <= b else (b, a)


class Model(BaseModel):
    """Base of the parts of a state."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


class City(Model):
    """A city or its ruins."""

    name_ru: str
    aliases: list[str] = []
    order: int
    """Place in the scenario's list: «map order»."""
    type: Literal["small", "large"]
    x: float
    y: float
    start_owner: FactionId | None = None
    owner: FactionId | None = None
    level: int = Field(default=1, ge=1, le=3)
    ruin: bool = False
    buildings: list[str] = []
    garrison: Units = {}
    """What is left of it now; refilled when a turn starts (R91)."""
    garrison_for: str = ""
    """What it was filled for and with; a city edited by hand is known by it."""
    preset: Places | None = None
    """The garrison's deployment (R20)."""
    corruption: int = Field(default=0, ge=0)
    known_corruption: int | None = None
    """What the owner's buildings found (R106)."""
    captured_before: bool = False
    """Ever captured (R99)."""
    just_taken: bool = False
    """Gained this turn (R161)."""
    no_income: bool = False
    """Gives nothing at this turn's production (R96, R98)."""
    defended: bool = False
    """An own army was ordered to defend it this turn (R85)."""
    floating: bool = False
    floated: bool = False
    """Floated during the turn before; public (R100)."""

    @property
    def large(self) -> bool:
        return self.type == "large"

    def has(self, building: str) -> bool:
        return building in self.buildings


class Army(Model):
    """An army of this turn (R87)."""

    units: Units = {}
    name: str | None = None
    order: Literal["disperse", "defend", "attack"] = "disperse"
    city: str | None = None
    on_capture: str | None = None
    keep_ruins: bool = True
    favored: bool = False
    """Небесное благоволение (R119)."""
    teleported: bool = False
    """Sent by the ritual (R135)."""


class Snapshot(Model):
    """What Прорицание shows: the end of the previous turn (R120)."""

    gold: int
    res: Amount
    units: Units


class Line(Model):
    """A line of a faction's ledger."""

    kind: str
    data: dict[str, Any] = {}
    gold: int = 0
    res: Amount = Fraction(0)
    units: dict[str, int] = {}
    """Change of units by type."""


class Allocation(Model):
    """A wish for powder (R109)."""

    battle: str | None = None
    order: list[str] | None = None
    units: dict[str, int | str] | None = None


class Choice(Model):
    """The victor's choice."""

    choice: str
    keep_ruins: bool = True


class FactionState(Model):
    """A faction: what it has, and what it has chosen in advance."""

    name_ru: str
    status: Status = "playing"
    gold: int = Field(default=0, ge=0)
    res: Amount = Fraction(0)
    """The unique resource: честь, порох, мана, голод пустоты, мясо."""
    units: Units = {}
    """All units but those in the mobile city's garrison."""
    armies: dict[int, Army] = {}
    """This turn's, from the close of the orders to production. Numbers above 100: parts that teleport."""
    opening_gold: int = 0
    opening_res: Amount = Fraction(0)
    ledger: list[Line] = []
    """Since the start of the turn; opening + lines = now."""
    snapshot: Snapshot
    powder: list[Allocation] = []
    choices: dict[str, Choice] = {}
    """City → the victor's choice made in advance (R94), this turn."""
    skips: list[str] = []
    """Cities against which planning is to be skipped (R42), this turn; `*`: everywhere."""
    demons: str | None = None
    """The kind wanted from an allied cult (R130)."""
    discount_used: int = 0
    """Of the ogre ally's discount, this turn (R151)."""
    max_hunger: int = 0
    ritual_slots: int = 1
    summon_ready: int = 1
    """First turn on which Призыв may be held again (R137)."""
    cursed_uses: int = 0
    rituals: list[str] = []
    """Held this turn."""
    oath: bool = False
    oath_kept: bool = False
    feed: str | None = None
    """Kind of demons wanted by Скормить демонам, while it waits for the first raid (R141); `*`: the first of the row."""
    float_casts: int = 0
    """Casts of Парящий город in the unbroken series (R116)."""
    float_turn: int = 0
    raids: list[CityId] = []
    """Cities plundered or destroyed (R143)."""

    @property
    def playing(self) -> bool:
        return self.status == "playing"


class MobileCity(Model):
    """The ogres' city (R144)."""

    name_ru: str
    aliases: list[str] = []
    road: Pair
    garrison: Units = {}
    needs_road: bool = False
    """Its road vanished with the cult's cities; the GM places it anew (R124)."""


class Attack(Model):
    """Who goes where (R90)."""

    attacker: FactionId
    target: str
    """City id or `mobile_city`."""
    armies: list[int]


class Group(Model):
    """Units that fight together but are counted separately (R4, R119)."""

    source: str
    """`army:1`, `garrison`, or `reserve` (ogres around their city)."""
    units: Units
    benched: Units = {}
    """Without powder (R109)."""
    favored: bool = False

    @property
    def garrison(self) -> bool:
        return self.source == "garrison"


class Order(Model):
    """One manoeuvre, as ordered."""

    position: str
    maneuver: str | None = None
    target: str | None = None
    path: list[str] | None = None
    free_move: str | None = None


class Side(Model):
    """One side of a battle."""

    faction: FactionId | None
    groups: list[Group] = []
    asked: bool = True
    """It writes a deployment; a garrison alone is not asked."""
    places: Places | None = None
    """The deployment as posted."""
    board: list[dict[str, Any]] = []
    """The revealed deployment: what the battle engine made of it, position by position."""
    orders: list[Order] = []

    def total(self) -> Counts:
        """All its units."""
        out: Counts = {}
        for group in self.groups:
            for unit, count in group.units.items():
                out[unit] = out.get(unit, 0) + count
        return ordered(out)


class Battle(Model):
    """A battle of the current wave."""

    id: str
    """The target: a city id or `mobile_city`; unique within its wave."""
    attack: Attack
    attacker: Side
    defender: Side
    skip_planning: bool = False
    rerolls: int = 0
    winner: FactionId | None = None
    decided: bool = False
    """Over, fought or not."""
    walkover: bool = False
    """Nobody defended: taken without a battle (R93)."""
    powder: dict[str, int] = {}
    """Faction → powder it spent on this battle (R109)."""

    def side(self, faction: FactionId) -> Side | None:
        """The side of a faction, None if it doesn't take part."""
        if self.attacker.faction == faction:
            return self.attacker
        return self.defender if self.defender.faction == faction else None

    @property
    def sides(self) -> tuple[FactionId, ...]:
        """The factions that fight it."""
        return tuple(f for f in (self.attacker.faction, self.defender.faction) if f is not None)

    @property
    def garrison_only(self) -> bool:
        return all(group.garrison for group in self.defender.groups)

    @property
    def open(self) -> bool:
        """Its orders are still awaited."""
        return not self.decided


class March(Model):
    """An attack of this turn, for the map (R100): who went where, and what came of it."""

    attacker: FactionId
    defender: FactionId | None
    target: str
    at: str | Pair
    """Where the target is: a city, or the road of the ogres' city."""
    start: str | Pair | None
    """The attacker's nearest city, the road of the ogres' city; None: from nowhere that everybody knows."""
    until: Literal["wave", "turn"] = "wave"
    """When everybody learns of it; its two sides know at once."""
    result: Literal["", "won", "lost"] = ""
    """Empty: not fought yet."""
    public: bool = False


class News(Model):
    """An event that is told when its wave or turn is over."""

    until: Literal["wave", "turn"]
    event: dict[str, Any]


class Book(Model):
    """What the public knows of an earlier turn: cities and status by faction, for charts."""

    turn: int
    cities: dict[FactionId, int]


class State(Model):
    """A campaign."""

    scenario: str
    title: str
    turn: int = Field(default=1, ge=1)
    phase: PhaseName = "orders"
    wave: int = 0
    settings: dict[str, Any] = {}
    """The scenario's and GM's own values; the rest is the ruleset's."""
    factions: dict[FactionId, FactionState]
    cities: dict[CityId, City]
    roads: list[Pair]
    mobile_city: MobileCity | None = None
    camp: Pair | None = None
    """The camp of a cult without cities (R128)."""
    alliances: list[Pair] = []
    ending_alliances: list[Pair] = []
    """(who leaves, whom): they end with the turn (R157)."""
    waves: list[list[Attack]] = []
    """Still to be fought."""
    battles: list[Battle] = []
    """Of the current wave."""
    news: list[News] = []
    marches: list[March] = []
    """Attacks of this turn, or, while orders are awaited, of the turn before."""
    skip_phases: list[str] = []
    """Phases that the GM leaves out this turn."""
    hours: dict[str, int] = {}
    """The GM's own hours for phases, this turn."""
    rerolls: dict[str, int] = {}
    """City → number of re-rolls of its next battle this turn."""
    vanished: dict[str, str] = {}
    """Names of cities that are gone from the map, the mobile city too (R124, R146)."""
    winners: list[FactionId] = []
    history: list[Book] = []

    # -- reading

    @property
    def rules(self) -> Settings:
        """The settings in force."""
        return rules_from(settings_text(self.settings))

    @property
    def epoch(self) -> str:
        """`twilight`, `dawn`, `day`, `sunset` or `midnight` (R153)."""
        rules = self.rules
        return rules.epochs.get(str(self.turn), rules.epochs[max(rules.epochs, key=int)])

    @property
    def max_level(self) -> int:
        """The epoch's limit of city levels."""
        levels = self.rules.max_city_level
        return levels.get(self.epoch, max(levels.values()))

    @property
    def max_armies(self) -> int:
        armies = self.rules.max_armies
        return armies.get(self.epoch, max(armies.values()))

    @property
    def sunset(self) -> int:
        """What receipts are multiplied by (R155)."""
        return self.rules.sunset_factor if self.epoch == "sunset" else 1

    def owned(self, faction: FactionId | None, *, ruins: bool = False) -> list[CityId]:
        """The faction's cities in map order; with `ruins`, its ruins too."""
        return [c for c, city in self.cities.items() if city.owner == faction and (ruins or not city.ruin)]

    def allied(self, a: FactionId, b: FactionId) -> bool:
        return pair(a, b) in self.alliances

    def allies(self, faction: FactionId) -> list[FactionId]:
        return [f for f in self.factions if f != faction and self.allied(f, faction)]

    def playing(self) -> list[FactionId]:
        return [f for f, s in self.factions.items() if s.playing]

    def battle(self, battle_id: str) -> Battle | None:
        return next((b for b in self.battles if b.id == battle_id), None)

    def target_name(self, target: str) -> str:
        """Russian name of a city or of the mobile city."""
        if target in self.cities:
            return self.cities[target].name_ru
        if target in self.vanished:
            return self.vanished[target]
        return self.mobile_city.name_ru if self.mobile_city is not None else target


def settings_text(overrides: Mapping[str, Any]) -> str:
    """A state's own settings as text."""
    if not overrides:
        return "{}"
    return json.dumps(overrides, sort_keys=True, ensure_ascii=False)


@cache
def rules_from(text: str) -> Settings:
    """The settings in force where a state's own are these (`settings_text`)."""
    return game.settings(json.loads(text))


def copy_of(state: State) -> State:
    """A copy to work on."""
    copied: State = _copy(state)
    return copied


def _copy(value: Any) -> Any:
    """A deep copy of a state's parts, some ten times faster than `copy.deepcopy`: a state is a tree of models, lists, mappings
    and immutable values."""
    kind: Any = type(value)
    if kind is dict:
        return {key: item if type(item) in FIXED else _copy(item) for key, item in value.items()}
    if kind is list:
        return [item if type(item) in FIXED else _copy(item) for item in value]
    if kind is tuple:
        return tuple([item if type(item) in FIXED else _copy(item) for item in value])
    # What `model_copy` does, in one go: no part of a state has extra fields or private attributes.
    made: Any = object.__new__(kind)
    fields = value.__dict__.copy()
    for name, plain in _changeable(kind):
        item = fields[name]
        if type(item) not in FIXED:
            fields[name] = item.copy() if plain and type(item) is not tuple else _copy(item)
    object.__setattr__(made, "__dict__", fields)
    object.__setattr__(made, "__pydantic_fields_set__", value.__pydantic_fields_set__.copy())
    object.__setattr__(made, "__pydantic_extra__", None)
    object.__setattr__(made, "__pydantic_private__", None)
    return made


@cache
def _changeable(kind: type[BaseModel]) -> tuple[tuple[str, bool], ...]:
    """The fields of a model whose values can be changed in place; true where only the value itself can be, and none of its
    parts."""
    found = []
    for name, field in kind.model_fields.items():
        types = [t for t in _alternatives(field.annotation) if not _unchangeable(t)]
        if types:
            found.append((name, all(get_origin(t) in (dict, list) and all(map(_unchangeable, get_args(t))) for t in types)))
    return tuple(found)


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) is Annotated:
        return _alternatives(get_args(annotation)[0])
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)


def _unchangeable(annotation: Any) -> bool:
    alternatives = _alternatives(annotation)
    if alternatives != (annotation,):
        return all(map(_unchangeable, alternatives))
    if get_origin(annotation) is tuple:
        return all(part is ... or _unchangeable(part) for part in get_args(annotation))
    return annotation in FIXED or get_origin(annotation) is Literal


FIXED = frozenset((str, int, float, bool, type(None), Fraction))
"""Types of values that nobody can change."""


def dump(state: State) -> dict[str, Json]:
    """Canonical JSON."""
    return state.model_dump(mode="json")


def load(raw: Mapping[str, Json]) -> State:
    """The inverse of `dump`. Raises `RulesError` with a Russian sentence."""
    try:
        state = State.model_validate(raw)
        _ = state.rules
    except ValidationError as error:
        place, reason = complaint(error)
        raise RulesError(f"Состояние игры испорчено, поле «{place}»: {reason}.") from error
    state.factions = in_order(state.factions)
    state.cities = dict(sorted(state.cities.items(), key=lambda item: item[1].order))
    for faction in state.factions.values():
        faction.armies = dict(sorted(faction.armies.items()))
    return state


def in_order(factions: Mapping[FactionId, FactionState]) -> dict[FactionId, FactionState]:
    """Factions in drawing order; those that only a scenario knows come last."""
    known: Iterable[FactionId] = (*(f for f in faction_order() if f in factions), *sorted(set(factions) - set(faction_order())))
    return {f: factions[f] for f in known}
