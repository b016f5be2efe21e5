"""The interface between a game's rules and everything else: Ruleset, Step, Wait, Sheet, Outcome, Event, Audience.

A campaign is a list of steps; the service knows only these types (promises 5, 7 and 8 of the design rest on them).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict

from parsers.text import PostText
from parsers.types import Json, Parse, Problem
from rules.acts import Act
from rules.dice import Dice, Draw
from rules.maps import MapModel
from rules.report import Report

FactionId: TypeAlias = str
"""Identifier of a side of the game, as in its scenario. The GM's orders are issued by `GM`."""

GM: FactionId = "gm"
StepKind: TypeAlias = str
State: TypeAlias = Any
"""A ruleset's own immutable state; opaque outside its package. `dump`/`load` turn it into JSON and back."""
View: TypeAlias = Any
"""A ruleset's own picture of a state as one audience may know it; opaque outside its package."""


class RulesError(Exception):
    """A broken scenario or state file, or a call the rules can't answer. The message is one Russian sentence."""


# ------------------------------------------------------------------------------------------------ who may know


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may know a thing: everyone, some factions (the GM always too), or the GM alone."""

    factions: frozenset[FactionId] | None = None
    """None: everyone. Empty: the GM alone."""

    def includes(self, reader: Audience) -> bool:
        """True when `reader` may see something meant for this audience. A reader is `EVERYONE` (the public), `GM_ONLY` (the
        GM, who sees all) or one faction."""
        if self.factions is None or reader == GM_ONLY:
            return True
        return reader.factions is not None and bool(reader.factions) and reader.factions <= self.factions

    def to_json(self) -> Json:
        """`"all"`, `"gm"`, or a sorted list of faction ids."""
        if self.factions is None:
            return "all"
        return sorted(self.factions) or "gm"

    @staticmethod
    def from_json(value: Json) -> Audience:
        """The inverse of `to_json`."""
        if value == "all":
            return EVERYONE
        return GM_ONLY if value == "gm" else Audience(frozenset(value))


EVERYONE = Audience(None)
GM_ONLY = Audience(frozenset())


def only(*factions: FactionId) -> Audience:
    """The audience of these factions (and the GM)."""
    return Audience(frozenset(factions))


# ------------------------------------------------------------------------------------------------ commands


class Command(BaseModel):
    """Base of a ruleset's typed commands. Each subclass fixes `type` with a `Literal`; fields are the specification's."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    title: ClassVar[str] = ""
    """Short Russian name of the order («атака осколка»)."""
    by_gm: ClassVar[bool] = False
    """True for `gm_*` commands."""
    one_per: ClassVar[tuple[str, ...] | None] = None
    """The fields of which each value holds one such command («one a city»: `("city",)`; `()`: one at all). None: they add up."""
    at_once: ClassVar[bool] = False
    """Asks that what its author has ordered so far be carried out while the step stays open."""
    slot_name: ClassVar[str] = ""
    """Shared by types that replace each other («allow» and «deny»); default: the type."""

    def slot(self) -> Hashable | None:
        """The slot it fills. Of two posts' commands in one slot the later counts; None: such commands add up."""
        if self.one_per is None:
            return None
        return (self.slot_name or type(self).model_fields["type"].default, *(getattr(self, field) for field in self.one_per))

    def slot_in(self, sheet: Sequence[Command]) -> Hashable | None:
        """The slot it fills in a sheet made of all these commands, for games where that depends on the others."""
        return self.slot()

    def act(self) -> Act | None:
        """What the service does for it instead of the rules; None: the rules carry it out."""
        return None

    def withdraws(self, earlier: Command) -> bool:
        """True when this command, standing in a later post, takes back `earlier`, sent in an earlier one."""
        return False


class CommandTypes:
    """The command types of a ruleset by their `type`."""

    def __init__(self, models: Iterable[type[Command]]) -> None:
        self._by_type: dict[str, type[Command]] = {}
        for model in models:
            self._by_type[str(model.model_fields["type"].default)] = model

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_type)

    def __getitem__(self, type_name: str) -> type[Command]:
        return self._by_type[type_name]

    def __contains__(self, type_name: object) -> bool:
        return type_name in self._by_type

    def parse(self, raw: Mapping[str, Json]) -> Command:
        """The typed command of a JSON object.

        Raises `pydantic.ValidationError` for wrong fields, `RulesError` for an unknown type."""
        name = raw.get("type")
        if not isinstance(name, str) or name not in self._by_type:
            raise RulesError(f"Неизвестный тип приказа: {name!r}.")
        return self._by_type[name].model_validate(dict(raw))

    def schema(self) -> dict[str, Json]:
        """JSON Schema of every type, for `rules commands --json`."""
        return {name: model.model_json_schema() for name, model in self._by_type.items()}


def command_to_json(command: Command) -> dict[str, Json]:
    """`type` first, then the fields that are set; optional fields at None are left out."""
    data = command.model_dump(mode="json", exclude_none=True, by_alias=True)
    return {"type": data.pop("type"), **data}


@dataclass(frozen=True, slots=True)
class Sheet:
    """One issuer's commands of a step, in order."""

    issuer: FactionId
    """A faction, or `GM`."""
    commands: tuple[Command, ...]
    """Empty: he wrote, but nothing was valid. (No sheet at all: silent.)"""
    arrived: int = 0
    """Rank of his last counted post; sheets are passed in this order, which breaks ties in some games."""


# ------------------------------------------------------------------------------------------------ steps


@dataclass(frozen=True, slots=True)
class Wait:
    """One thing awaited of one faction."""

    id: str
    """Unique within the step, stable while it is open (`orders:empire`, `deploy:battle-2:cult`)."""
    faction: FactionId
    title: str
    """What is awaited, in Russian («заявка», «расстановка: бой за Ормис»)."""
    types: tuple[str, ...]
    """Command types that answer it."""
    secret: bool
    """The content of the answer is secret."""
    hours: int
    """How long, in hours from the opening of the wait."""
    known_to: Audience = EVERYONE
    """Who may know that it is awaited."""
    silence: str = ""
    """What silence means, in Russian («без приказов: армия рассредоточена»)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One stretch of waiting."""

    id: str
    """Unique in the campaign and the same until the step closes (`t03`, `t03.w1.deployment`)."""
    kind: StepKind
    title: str
    """For players, without secrets («Ход 3: заявки»)."""
    waits: tuple[Wait, ...]
    """Never empty."""
    anytime: Mapping[FactionId, tuple[str, ...]] = field(default_factory=dict)
    """Types that anyone may send out of turn, by faction."""

    @property
    def secret(self) -> bool:
        """True when any answer is secret."""
        return any(wait.secret for wait in self.waits)

    @property
    def awaits(self) -> dict[FactionId, list[str]]:
        """Types awaited of each faction, in the order of the waits."""
        out: dict[FactionId, list[str]] = {}
        for wait in self.waits:
            known = out.setdefault(wait.faction, [])
            known.extend(t for t in wait.types if t not in known)
        return out

    def to_json(self) -> dict[str, Json]:
        """The `rules step --json` form of the contract."""
        return {
            "id": self.id,
            "kind": self.kind,
            "title": self.title,
            "awaits": self.awaits,
            "secret": self.secret,
            "anytime": {f: list(t) for f, t in self.anytime.items()},
            "waits": [
                {
                    "id": w.id,
                    "faction": w.faction,
                    "title": w.title,
                    "types": list(w.types),
                    "secret": w.secret,
                    "hours": w.hours,
                    "known_to": w.known_to.to_json(),
                    "silence": w.silence,
                }
                for w in self.waits
            ],
        }


# ------------------------------------------------------------------------------------------------ outcomes


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, for one audience. A happening told differently to different readers is several events with one
    `about`; each reader gets the fullest that he may see."""

    kind: str
    """`battle`, `capture`, `refused`, …: the ruleset's own words."""
    data: Mapping[str, Json]
    """JSON facts, enough to write the report line; rationals as `"p/q"` strings."""
    rule: str
    """The ruling that produced it, e.g. `R53`."""
    audience: Audience = EVERYONE
    about: str | None = None
    """Identifies the happening when several events tell it."""
    detail: int = 0
    """Among events with one `about` that a reader may see, the greatest `detail` is shown."""

    def to_json(self) -> dict[str, Json]:
        """JSON form, with every key."""
        return {
            "kind": self.kind,
            "rule": self.rule,
            "audience": self.audience.to_json(),
            "about": self.about,
            "detail": self.detail,
            "data": dict(self.data),
        }

    @staticmethod
    def from_json(raw: Mapping[str, Json]) -> Event:
        """The inverse of `to_json`."""
        return Event(
            raw["kind"], raw["data"], raw["rule"], Audience.from_json(raw["audience"]), raw.get("about"), raw.get("detail", 0)
        )


def visible(events: Iterable[Event], reader: Audience) -> tuple[Event, ...]:
    """The events that `reader` may see, in order; of several about one happening only the fullest."""
    seen = [e for e in events if e.audience.includes(reader)]
    best: dict[str, int] = {}
    for event in seen:
        if event.about is not None:
            best[event.about] = max(event.detail, best.get(event.about, event.detail))
    out: list[Event] = []
    told: set[str] = set()
    for event in seen:
        if event.about is not None:
            if event.detail != best[event.about] or event.about in told:
                continue
            told.add(event.about)
        out.append(event)
    return tuple(out)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a resolution made: the new state, what happened, and every draw of the dice."""

    state: State
    events: tuple[Event, ...]
    draws: tuple[Draw, ...]


@dataclass(frozen=True, slots=True)
class Faction:
    """A side of the game, as the service needs it."""

    id: FactionId
    name: str
    """As shown to people («Владыка Каэль»)."""
    colour: str
    """`#rrggbb`, for maps and tables."""
    active: bool = True
    """False: out of the game."""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario as read from TOML, validated by its ruleset."""

    id: str
    title: str
    data: Mapping[str, Json]


# ------------------------------------------------------------------------------------------------ the interfaces


class OrderLanguage(Protocol):
    """How one faction's posts are read against what it may know."""

    def parse(self, text: PostText) -> Parse:
        """Reads a post. Never raises on any text; accounts for every non-blank character."""
        ...


class Ruleset(Protocol):
    """A game. All methods are pure: no clock, no disk beyond the package's own data, no randomness but `dice`."""

    id: str
    version: str
    title: str
    """Russian title for readers."""
    commands: CommandTypes
    templates: Path
    """Folder of the game's report texts (Jinja2)."""

    def load_scenario(self, source: Mapping[str, Json] | None) -> Scenario:
        """A scenario from parsed TOML; None: the default one. Raises `RulesError` with a Russian sentence naming the place."""
        ...

    def default_scenario_text(self) -> str:
        """The default scenario's commented TOML, for `forum-gm init`."""
        ...

    def new_game(self, scenario: Scenario) -> State:
        """The first state."""
        ...

    def dump(self, state: State) -> dict[str, Json]:
        """State as canonical JSON (same state, same bytes after `json.dumps(sort_keys=True)`)."""
        ...

    def load(self, raw: Mapping[str, Json]) -> State:
        """The inverse of `dump`. Raises `RulesError`."""
        ...

    def factions(self, state: State) -> tuple[Faction, ...]:
        """All sides in roster order, those out of the game too."""
        ...

    def step(self, state: State) -> Step | None:
        """What is awaited now; never a step that awaits nobody. None: the game is over."""
        ...

    def missing(self, state: State, sheets: Sequence[Sheet]) -> list[Wait]:
        """Waits not yet answered by these sheets; none: the step may close early."""
        ...

    def resolve(self, state: State, sheets: Sequence[Sheet], dice: Dice, *, closing: bool) -> Outcome:
        """Carries the sheets out, the GM's first. `closing`: closes the step and runs on until somebody is awaited again.
        Otherwise (a portion) the step stays open with the same id."""
        ...

    def view(self, state: State, audience: Audience) -> View:
        """What that audience may know: `EVERYONE`, `only(faction)` or `GM_ONLY`. Two states that differ only in what it may
        not know give equal views."""
        ...

    def order_language(self, view: View, kind: StepKind | None) -> OrderLanguage:
        """Reader of posts by the view's faction; `kind` says which step is likely."""
        ...

    def check(self, view: View, kind: StepKind | None, commands: Sequence[Command]) -> list[Problem]:
        """What the rules, as far as the view's faction can know, object to. Problems carry `command` (index) and perhaps
        `field`; commands are judged in order, as if the earlier ones were carried out."""
        ...

    def describe(self, view: View, command: Command) -> str:
        """The command as one short Russian line, for «понял так» and the desk."""
        ...

    def map(self, view: View) -> MapModel | None:
        """The map as that view shows it."""
        ...

    def report(self, view: View, events: Sequence[Event], *, step: Step) -> Report:
        """The report of a closed `step` (or portion) for the view's audience: `events` already filtered by `visible`."""
        ...

    def standings(self, view: View) -> Report:
        """The state of the game as tables (chronicle, desk, archive)."""
        ...

    def rule_text(self, rule: str) -> str | None:
        """One or two Russian sentences that say what ruling `R53` is, for citations. None: not known."""
        ...
