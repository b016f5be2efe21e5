"""The state of a game: owners, shards, runes, who knows what. A view holds the same types with its secrets taken out.

Values are mutable while a resolution works on its own deep copy; nothing outside ever changes one. `dump`/`load` turn it into
canonical JSON with the path names of the specification (`owners.kael.defence`, `shards.n004.care`, `runes.board`, …).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from rules.astral.catalog import Catalog, Effect, Settings, catalog, problem_place
from rules.astral.numbers import Rational, rational
from rules.base import FactionId, RulesError

ShardId = str


class Part(BaseModel):
    """Base of the parts of a state."""

    model_config = ConfigDict(extra="forbid")


class Held(Part):
    """An item in somebody's hands."""

    uses: int = 0
    """Charges left; 0: unlimited."""
    ready: int = 0
    """The turn from which it can be used again; 0: at once."""


class Tactic(Part):
    """A defence tactic in force (R54)."""

    troop: str
    magic: str
    hero: str
    troop_share: Rational
    """Percent of the defence energy that goes to the troops."""
    items: list[str] = Field(default_factory=list)
    turn: int = 0
    """The turn of the sheet it stems from (R119)."""


class LordTactic(Part):
    """The tactic of a shard's Местный Лорд (R19)."""

    troop: str
    troop_level: int = 0
    magic: str
    magic_level: int = 0
    hero: str
    troop_share: Rational


class TimedEffect(Part):
    """A continuous effect that lasts some turns."""

    effect: Effect
    source: str
    """Id of the item or feature it comes from, or `gm`."""
    until: int | None
    """Last turn; None: to the end of the game."""
    hidden: bool = False


class Intel(Part):
    """What an owner found out about another owner's secrets, as it was then (R110)."""

    turn: int
    subject: FactionId
    what: str
    data: Any


class Owner(Part):
    """A владыка and his world (R2)."""

    name: str
    name_gen: str = ""
    """Genitive («Каэля»); empty where the scenario gives none."""
    aliases: list[str] = Field(default_factory=list)
    color: str
    x: float = 0
    """Lane on the map, 0..100."""
    status: Literal["active", "nothing", "eliminated"] = "active"
    energy: int = Field(ge=0)
    height: int
    defence: Rational
    shards: list[ShardId] = Field(default_factory=list)
    """Inner to outer."""
    items: dict[str, Held] = Field(default_factory=dict)
    levels: dict[str, int] = Field(default_factory=dict)
    unlocked: list[str] = Field(default_factory=list)
    missed: int = 0
    tactics: dict[str, Tactic] = Field(default_factory=dict)
    """By attack number, or `all`."""
    effects: list[TimedEffect] = Field(default_factory=list)
    intel: list[Intel] = Field(default_factory=list)
    died: int | None = None
    """The turn of elimination."""

    @field_validator("items", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return {item: {} for item in value} if isinstance(value, list) else value


class Shard(Part):
    """A shard: home, neutral, captured or destroyed (R3)."""

    number: str | None = None
    """Three digits; None for home shards."""
    name: str
    size: int
    height: int | None = None
    """Where it lies while neutral; a shard in a world has no height of its own (R39)."""
    defence: Rational
    x: float | None = None
    """Place on the map, 0..100."""
    status: Literal["owned", "neutral", "destroyed"]
    owner: FactionId | None = None
    care: int = 0
    care_count: int = 0
    """All cares that ever took place here; sets the price (R63)."""
    sacrifice: int = 0
    tactic: LordTactic | None = None
    tactic_known: bool = False
    """Everybody saw the Lord's tactic in a battle (R106)."""
    trophies: list[str] = Field(default_factory=list)
    trophies_taken: bool = False
    features: list[str] = Field(default_factory=list)
    specialists: list[str] = Field(default_factory=list)
    ready: dict[str, int] = Field(default_factory=dict)
    """The turn from which a feature with a cooldown can be used again."""

    @property
    def label(self) -> str:
        """`000.Таверна Пьяный Дракон`, or a home shard's name alone (R3)."""
        return f"{self.number}.{self.name}" if self.number is not None else self.name


class ActiveRune(Part):
    """A chosen rune (R84)."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)
    rune: str
    start: int = Field(alias="from")
    """First turn it acts."""
    until: int | None = None
    """Last turn; None: to the end of the game."""

    def acts(self, turn: int) -> bool:
        """True when it acts in this turn."""
        return self.start <= turn and (self.until is None or turn <= self.until)


class Runes(Part):
    """The rune board and the deck (R80, R85)."""

    board: list[str] = Field(default_factory=list)
    deck: list[str] = Field(default_factory=list)
    used: list[str] = Field(default_factory=list)
    active: list[ActiveRune] = Field(default_factory=list)
    since: dict[str, int] = Field(default_factory=dict)
    """The turn from which a rune lies on the board."""


class GroupOrder(Part):
    """The GM's order inside a group (R33)."""

    group: str
    target: FactionId | None = None
    owners: list[FactionId]


class Pending(Part):
    """The GM's decisions that wait for the close of this turn."""

    rune: str | None = None
    groups: list[GroupOrder] = Field(default_factory=list)


class Finish(Part):
    """How the game ended (R100)."""

    reason: Literal["last_active", "size", "all_perished", "gm"]
    winners: list[FactionId]
    size: int | None = None
    note: str | None = None


class State(Part):
    """One moment of a game, between two resolutions."""

    scenario: str
    title: str
    subtitle: str = ""
    turn: int = Field(ge=1)
    settings: Settings
    visibility: dict[str, Any] = Field(default_factory=dict)
    overrides: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """The scenario's own items, units, runes, …"""
    owners: dict[FactionId, Owner]
    """In roster order."""
    roster: list[FactionId]
    """The order of owners (JSON objects have none of their own)."""
    shards: dict[ShardId, Shard]
    runes: Runes
    known: dict[FactionId, list[str]] = Field(default_factory=dict)
    """Ids of items whose description, and shards whose secrets, an owner knows (R108); `n035.tactic` for a part of them."""
    pending: Pending = Field(default_factory=Pending)
    finished: Finish | None = None

    @property
    def catalog(self) -> Catalog:
        """The game's tables."""
        return catalog(self.overrides)

    def active(self) -> list[FactionId]:
        """Active owners in roster order."""
        return [ident for ident in self.roster if self.owners[ident].status == "active"]

    def size(self, owner: FactionId) -> int:
        """Размер Мира: the sum of the shards' sizes (R2)."""
        return sum(self.shards[shard].size for shard in self.owners[owner].shards)

    def acting_runes(self) -> list[str]:
        """Ids of the runes that act this turn."""
        return [entry.rune for entry in self.runes.active if entry.acts(self.turn)]

    def knows(self, owner: FactionId, subject: str, what: str) -> bool:
        """True when that owner knows this part of a subject."""
        known = self.known.get(owner, ())
        return subject in known or f"{subject}.{what}" in known


def dump(state: State) -> dict[str, Any]:
    """The state as JSON."""
    raw: dict[str, Any] = state.model_dump(mode="json", by_alias=True)
    if raw["finished"] is not None:
        raw["finished"] = {name: value for name, value in raw["finished"].items() if value is not None}
    return raw


def load(raw: Mapping[str, Any]) -> State:
    """The inverse of `dump`. Raises `RulesError`."""
    try:
        state = State.model_validate(dict(raw))
    except ValidationError as error:
        raise RulesError(f"Файл состояния повреждён: {problem_place(error)}.") from error
    check_consistent(state)
    order = {ident: state.owners[ident] for ident in state.roster}
    return state.model_copy(update={"owners": order, "shards": dict(sorted(state.shards.items()))})


def check_consistent(state: State) -> None:
    """Owners and shards agree, every id exists (invariant 2). Raises `RulesError`."""
    if sorted(state.roster) != sorted(state.owners):
        raise RulesError("Файл состояния повреждён: список владык не совпадает с их порядком.")
    tables = state.catalog
    held: dict[ShardId, FactionId] = {}
    for ident, owner in state.owners.items():
        for shard in owner.shards:
            if shard not in state.shards or shard in held:
                raise RulesError(f"Файл состояния повреждён: осколок {shard!r} у владыки {ident!r} лишний.")
            held[shard] = ident
        for item in owner.items:
            if item not in tables.items:
                raise RulesError(f"Файл состояния повреждён: у владыки {ident!r} неизвестный предмет {item!r}.")
    for ident, place in state.shards.items():
        if place.status == "neutral" and (place.height is None or place.tactic is None):
            raise RulesError(f"Файл состояния повреждён: у нейтрального осколка {ident!r} нет высоты или тактики.")
        if ident in held and place.status == "destroyed":
            raise RulesError(f"Файл состояния повреждён: уничтоженный осколок {ident!r} принадлежит владыке {held[ident]!r}.")
    # The worlds' lists are the truth: a hand-written patch may change them alone.
    for ident, place in state.shards.items():
        if ident in held:
            place.owner, place.status = held[ident], "owned"
        elif place.status == "owned":
            place.owner, place.status = None, "destroyed"
        else:
            place.owner = None


def initial_charges(state: State, item: str) -> Held:
    """A new item as it comes into somebody's hands."""
    return Held(uses=state.catalog.items[item].uses)


ZERO = rational(0)
