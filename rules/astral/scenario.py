"""Scenarios: reading, validating and turning one into the first state (§7)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rules.astral.catalog import TABLES, Catalog, catalog, problem_place, settings
from rules.astral.numbers import Rational
from rules.astral.state import Held, LordTactic, Owner, Runes, Shard, State
from rules.base import RulesError, Scenario
from rules.dice import seeded_dice


class Table(BaseModel):
    """Base of the scenario's tables."""

    model_config = ConfigDict(extra="forbid")


class Meta(Table):
    """Whose game it is and how long it lasts."""

    id: str
    ruleset: str = "astral"
    title_ru: str
    subtitle_ru: str = ""
    seed: int | str | None = None
    turns: int | None = Field(default=None, ge=1)
    gm: str = ""


class Start(Table):
    """What every owner begins with."""

    energy: int = Field(ge=0)
    height: int
    defence: Rational


class RuneStart(Table):
    """The first board and the deck (R80)."""

    initial: list[str] = Field(default_factory=list)
    deck: list[str] = Field(default_factory=list)


class OwnerTable(Table):
    """One `[[owners]]`."""

    id: str
    name_ru: str
    name_gen_ru: str = ""
    aliases: list[str] = Field(default_factory=list)
    color: str = Field(pattern=r"^#[0-9a-fA-F]{6}$")
    x: float = 0
    shards: list[str]
    energy: int | None = Field(default=None, ge=0)
    height: int | None = None
    defence: Rational | None = None
    items: list[str] = Field(default_factory=list)
    levels: dict[str, int] = Field(default_factory=dict)


class HomeTable(Table):
    """One `[[home_shards]]`."""

    id: str
    name_ru: str
    size: int
    defence: Rational
    features: list[str] = Field(default_factory=list)
    specialists: list[str] = Field(default_factory=list)


class NeutralTable(Table):
    """One `[[neutral]]`."""

    id: str
    number: str
    name_ru: str
    size: int
    height: int
    defence: Rational
    x: float | None = None
    tactic: LordTactic
    trophies: list[str] = Field(default_factory=list)
    features: list[str] = Field(default_factory=list)
    specialists: list[str] = Field(default_factory=list)


class ScenarioTable(Table):
    """A whole scenario file."""

    meta: Meta
    settings: dict[str, Any] = Field(default_factory=dict)
    visibility: dict[str, Any] = Field(default_factory=dict)
    start: Start
    runes_start: RuneStart = Field(alias="runes")
    map: dict[str, Any] = Field(default_factory=dict)
    owners: list[OwnerTable] = Field(min_length=1)
    home_shards: list[HomeTable]
    neutral: list[NeutralTable]


def default_text() -> str:
    """The default scenario's commented TOML."""
    return files("rules.astral").joinpath("data", "scenario.toml").read_text("utf-8")


def load_scenario(source: Mapping[str, Any] | None) -> Scenario:
    """A validated scenario; None: the default one. Raises `RulesError` naming the place."""
    data = dict(source) if source is not None else tomllib.loads(default_text())
    table, _, _ = parts(data)
    return Scenario(table.meta.id, table.meta.title_ru, data)


def parts(data: Mapping[str, Any]) -> tuple[ScenarioTable, dict[str, dict[str, Any]], Catalog]:
    """The scenario's tables, its additions to the game's data, and the resulting data. Raises `RulesError`."""
    data = dict(data)
    overrides: dict[str, dict[str, Any]] = {}
    for name in TABLES:
        if name == "runes":
            raw = dict(data.get("runes", {}))
            extra = {key: value for key, value in raw.items() if key not in ("initial", "deck")}
            data["runes"] = {key: value for key, value in raw.items() if key not in extra}
        else:
            extra = data.pop(name, {})
        if extra:
            overrides[name] = extra
    try:
        table = ScenarioTable.model_validate(data)
    except ValidationError as error:
        raise RulesError(f"Ошибка в сценарии: {problem_place(error)}.") from error
    tables = catalog(overrides)
    _check(table, tables)
    return table, overrides, tables


def _check(table: ScenarioTable, tables: Catalog) -> None:
    """Every id that is named exists, and none is given twice."""
    shards = [shard.id for shard in table.home_shards] + [shard.id for shard in table.neutral]
    _unique("осколок", shards)
    _unique("владыка", [owner.id for owner in table.owners])
    _unique("номер осколка", [shard.number for shard in table.neutral])
    homes = {shard.id for shard in table.home_shards}
    placed = [shard for owner in table.owners for shard in owner.shards]
    _unique("родной осколок", placed)
    for shard in placed:
        _known("осколок", shard, homes)
    for owner in table.owners:
        if not owner.shards:
            raise RulesError(f"Ошибка в сценарии: у владыки {owner.id!r} нет осколков.")
        for item in owner.items:
            _known("предмет", item, tables.items)
        for unit in owner.levels:
            _known("войско", unit, tables.units)
    places: list[HomeTable | NeutralTable] = [*table.home_shards, *table.neutral]
    for place in places:
        for feature in place.features:
            _known("особенность", feature, tables.features)
        for specialist in place.specialists:
            _known("специалист", specialist, tables.specialists)
    for neutral in table.neutral:
        for item in neutral.trophies:
            _known("предмет", item, tables.items)
        for slot in ("troop", "magic", "hero"):
            unit = getattr(neutral.tactic, slot)
            _known("войско", unit, tables.units)
            if tables.units[unit].slot != slot:
                raise RulesError(f"Ошибка в сценарии: тактика осколка {neutral.id!r}: {unit!r} не на своём месте.")
    runes = [*table.runes_start.initial, *table.runes_start.deck]
    _unique("руна", runes)
    for rune in runes:
        _known("руна", rune, tables.runes)


def _unique(what: str, idents: list[str]) -> None:
    for ident in idents:
        if idents.count(ident) > 1:
            raise RulesError(f"Ошибка в сценарии: {what} {ident!r} указан дважды.")


def _known(what: str, ident: str, known: Any) -> None:
    if ident not in known:
        raise RulesError(f"Ошибка в сценарии: {what} {ident!r} неизвестен.")


def new_game(scenario: Scenario) -> State:
    """The first state of a scenario. Raises `RulesError`."""
    table, overrides, tables = parts(scenario.data)
    rules = dict(table.settings)
    if table.meta.turns is not None:
        rules.setdefault("last_turn", table.meta.turns)
    owners, shards = {}, {}
    for home in table.home_shards:
        shards[home.id] = Shard(
            name=home.name_ru,
            size=home.size,
            defence=home.defence,
            status="destroyed",
            features=list(home.features),
            specialists=list(home.specialists),
            trophies_taken=True,
        )
    for neutral in table.neutral:
        shards[neutral.id] = neutral_shard(neutral)
    start_units = [ident for ident, unit in tables.units.items() if unit.start]
    for row in table.owners:
        owner = Owner(
            name=row.name_ru,
            name_gen=row.name_gen_ru,
            aliases=list(row.aliases),
            color=row.color,
            x=row.x,
            energy=table.start.energy if row.energy is None else row.energy,
            height=table.start.height if row.height is None else row.height,
            defence=table.start.defence if row.defence is None else row.defence,
            shards=list(row.shards),
            levels={ident: row.levels.get(ident, 0) for ident, unit in tables.units.items() if unit.slot != "hero"},
            unlocked=list(start_units),
        )
        owners[row.id] = owner
        for shard in row.shards:
            shards[shard].status, shards[shard].owner = "owned", row.id
    state = State(
        scenario=table.meta.id,
        title=table.meta.title_ru,
        subtitle=table.meta.subtitle_ru,
        turn=1,
        settings=settings(rules),
        visibility=dict(table.visibility),
        overrides=overrides,
        owners=owners,
        roster=list(owners),
        shards=dict(sorted(shards.items())),
        runes=Runes(
            board=list(table.runes_start.initial),
            deck=list(table.runes_start.deck),
            since=dict.fromkeys(table.runes_start.initial, 1),
        ),
        known={ident: [] for ident in owners},
    )
    for row in table.owners:
        for item in row.items:
            state.owners[row.id].items[item] = Held(uses=tables.items[item].uses)
            state.known[row.id].append(item)
    if not state.runes.board:
        _first_board(state, table.meta)
    return state


def _first_board(state: State, meta: Meta) -> None:
    """Without `runes.initial` the first board is drawn from the deck by the scenario's own seed (R80)."""
    stream = seeded_dice(str(meta.seed if meta.seed is not None else meta.id)).stream("руны первого дня")
    drawn = stream.sample(len(state.runes.deck), state.settings.rune_board_size)
    state.runes.board = [state.runes.deck[index] for index in drawn]
    state.runes.deck = [rune for rune in state.runes.deck if rune not in state.runes.board]
    state.runes.since = dict.fromkeys(state.runes.board, 1)


def neutral_shard(table: NeutralTable) -> Shard:
    """A neutral shard of its table."""
    return Shard(
        number=table.number,
        name=table.name_ru,
        size=table.size,
        height=table.height,
        defence=table.defence,
        x=table.x,
        status="neutral",
        tactic=table.tactic.model_copy(),
        trophies=list(table.trophies),
        features=list(table.features),
        specialists=list(table.specialists),
    )
