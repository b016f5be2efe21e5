"""A battle described in a file of `forum-gm forecast`: TOML, checked, with Russian answers to mistakes; prose: see `prose`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from parsers.types import Problem
from rules.base import FactionId, RulesError
from rules.steel_rose.battle.deployment import Force, deploy
from rules.steel_rose.battle.maneuvers import check_maneuvers
from rules.steel_rose.battle.model import GARRISON, BattleSetup, SideSetup
from rules.steel_rose.battle.places import PLACES
from rules.steel_rose.data import UnitId, game_data
from rules.steel_rose.data import settings as make_settings

MOST_UNITS = 20_000
"""Units of both sides together: more is a slip of the pen, and would fill the memory."""
_TABLE = re.compile(r"^\s*(\[[\w.]+\]|[\w.]+\s*=)", re.MULTILINE)
"""What makes a text TOML rather than prose: a table's head or a key."""


class NotUnderstood(RulesError):
    """A told battle that can't be fought as it stands."""

    def __init__(self, text: str, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(problem.message for problem in problems))
        self.text = text
        """What the spans of the problems refer to."""
        self.problems = tuple(problems)


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ManeuverTable(_Table):
    """One squad's manoeuvre, as in the `maneuver` command."""

    maneuver: str | None = None
    target: str | None = None
    path: list[str] | None = None
    free_move: str | None = None


class SideTable(_Table):
    """One side."""

    faction: FactionId
    positions: dict[str, dict[UnitId, int]]
    maneuvers: dict[str, ManeuverTable] = {}
    garrison: bool = False
    """The units are a city's garrison."""
    favored: bool = False
    """Under Небесное благоволение (R119)."""
    shot_bonus: float = Field(default=0.0, ge=0, le=5)
    """Walls and bastion: 0.25, 0.35 or 0.6 (R112)."""


class BattleTable(_Table):
    """The whole file."""

    ruleset: str = "steel_rose"
    attacker: SideTable
    defender: SideTable
    settings: dict[str, Any] = {}
    """Settings of the scenario that differ from the usual."""


@dataclass(frozen=True)
class Described:
    """A battle and what its author should know."""

    setup: BattleSetup
    warnings: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    """Doubts about a text, each with its place in `text`."""
    text: str = ""
    understood: tuple[str, ...] = ()
    """How a text was read, side by side."""


@dataclass(frozen=True)
class _Order:
    position: str
    maneuver: str | None
    target: str | None
    path: list[str] | None
    free_move: str | None


def read_battle(source: str) -> Described:
    """The battle of a file's text: TOML, or plain Russian.

    Raises `NotUnderstood` for a text that is no battle yet, `RulesError` with a Russian sentence that names the place for
    TOML; and for more than `MOST_UNITS` units."""
    described = _described(source)
    count = sum(group.count for side in described.setup.sides for _, group in side.groups())
    if count > MOST_UNITS:
        raise RulesError(f"Слишком много юнитов: {count}. Прогноз считает до {MOST_UNITS}.")
    return described


def _described(source: str) -> Described:
    if not _TABLE.search(source):
        from rules.steel_rose.fast.prose import read_prose  # the order language takes its time to load

        return read_prose(source)
    try:
        return from_toml(tomllib.loads(source))
    except tomllib.TOMLDecodeError as error:
        raise RulesError(f"Описание боя — не TOML: {error}.") from error


def from_toml(raw: Mapping[str, Any]) -> Described:
    """The battle of parsed TOML. Raises `RulesError`."""
    try:
        table = BattleTable.model_validate(dict(raw))
        settings = make_settings(table.settings)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "описание боя"
        raise RulesError(f"Описание боя, «{place}»: {_reason(first)}.") from error
    if table.ruleset != "steel_rose":
        raise RulesError(f"Прогноз есть только для steel_rose, а в файле — {table.ruleset}.")
    warnings: list[str] = []
    sides = [side_of(table.attacker, "attacker", warnings), side_of(table.defender, "defender", warnings)]
    placed = []
    for index, (own, given) in enumerate(zip(sides, (table.attacker, table.defender), strict=True)):
        orders = [_Order(place, m.maneuver, m.target, m.path, m.free_move) for place, m in given.maneuvers.items()]
        checked = check_maneuvers(own.squads, sides[1 - index].squads, orders)
        for at, refusal in checked.refusals:
            where = f"{('attacker', 'defender')[index]}.maneuvers.{orders[at].position}"
            if not refusal.kept:
                raise RulesError(f"{where}: {refusal.message}")
            warnings.append(f"{where}: {refusal.message}")
        placed.append(SideSetup(own.faction, own.squads, checked.orders, own.shot_bonus))
    return Described(BattleSetup(placed[0], placed[1], settings), tuple(warnings))


def side_of(table: SideTable, name: str, warnings: list[str]) -> SideSetup:
    """A side without its manoeuvres."""
    data = game_data()
    if table.faction not in data.factions:
        raise RulesError(f"{name}.faction: нет фракции «{table.faction}». Есть: {', '.join(data.factions)}.")
    totals: dict[UnitId, int] = {}
    for place, units in table.positions.items():
        if place not in PLACES:
            raise RulesError(f"{name}.positions: нет позиции «{place}». Есть: {', '.join(PLACES)}.")
        for unit, count in units.items():
            if unit not in data.units:
                raise RulesError(f"{name}.positions.{place}: нет юнита «{unit}».")
            if count < 1:
                raise RulesError(f"{name}.positions.{place}.{unit}: число должно быть больше нуля.")
            totals[unit] = totals.get(unit, 0) + count
    force = Force(GARRISON if table.garrison else "army", totals, table.favored)
    deployment = deploy([force], {place: units for place, units in table.positions.items() if units})
    for refusal in deployment.refusals:
        if not deployment.accepted:
            raise RulesError(f"{name}.positions: {refusal.message}")
        warnings.append(f"{name}.positions: {refusal.message}")
    return SideSetup(table.faction, deployment.squads, shot_bonus=table.shot_bonus)


def _reason(error: Any) -> str:
    """What pydantic found, in Russian."""
    known = {
        "missing": "не хватает этого поля",
        "extra_forbidden": "лишнее поле",
        "int_type": "нужно целое число",
        "int_from_float": "нужно целое число",
        "int_parsing": "нужно целое число",
        "dict_type": "нужна таблица",
        "model_type": "нужна таблица",
        "string_type": "нужен текст",
        "bool_type": "нужно true или false",
        "bool_parsing": "нужно true или false",
    }
    return known.get(error["type"], "значение не подходит")
