"""Reads a scenario (TOML with a hand-drawn text grid), explains its mistakes in Russian, sets up the first state.

The grid is drawn with one character a cell; `[map].legend` names the terrains, `provinces` repeats the grid with the characters
of the provinces.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from parsers.types import Json
from rules.base import RulesError, Scenario
from rules.grand_strategy.board import LETTERS, MapData, Province, River, column_names
from rules.grand_strategy.data import word
from rules.grand_strategy.scenario_places import with_lines
from rules.grand_strategy.state import Building, BuildingType, Lair, Personal, Player, Settings, State, Unit, UnitType

TERRAINS = ("field", "forest", "desert", "mountain", "sea")
LEVELS = ("silver", "gold", "mithril")
SCHOOLS = ("plains", "desert", "mountain", "forest", "dead")
NO_LAND = " _"
"""Characters of the province grid that mean «no province» besides that of the sea."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid")


class MetaTable(_Table):
    ruleset: Literal["grand_strategy"] = "grand_strategy"
    title: str = "Великая Стратегическая"
    version: int = 1
    id: str = "scenario"


class UnitTable(_Table):
    id: str
    name_ru: str
    kind: Literal["infantry", "knights", "mage", "ship", "magic", "custom"]
    strength: Annotated[int, Field(ge=1, le=20)]
    move_land: Annotated[int, Field(ge=0, le=50)]
    move_water: Annotated[int, Field(ge=0, le=50)]
    cost: Annotated[int, Field(ge=0)]
    upkeep: Annotated[int, Field(ge=0)]
    hire_level: Annotated[int, Field(ge=0)] = 0
    home: Literal["field", "forest", "desert", "mountain"] | None = None
    always_advantage: bool = False
    no_terrain_stop: bool = False
    act_every_years: Annotated[int, Field(ge=1)] = 1
    even_with_dragon: bool = False
    advantage_actions: list[Literal["attack", "defend", "shoot"]] = []


class BuildingTable(_Table):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)
    id: str
    name_ru: str
    klass: Literal["lord_house", "fortress", "outpost", "mine"] = Field(alias="class")
    level: int
    cost: Annotated[int, Field(ge=0)]
    upkeep: Annotated[int, Field(ge=0)]
    garrison: Annotated[int, Field(ge=0, le=20)]
    walls: Literal["", "+", "++"]
    income: Annotated[int, Field(ge=0)]


class RiverTable(_Table):
    name: str
    cells: list[str]
    mouth: str | None = None


class MapTable(_Table):
    columns: str | int | list[str] | None = None
    rows: int | None = None
    legend: dict[str, str] = {".": "field", "f": "forest", "d": "desert", "m": "mountain", "~": "sea"}
    terrain: list[str]
    provinces: list[str]
    river: list[RiverTable] = []


class ProvinceTable(_Table):
    number: Annotated[int, Field(ge=1)]
    char: Annotated[str, Field(min_length=1, max_length=1)]
    name: str
    capital: str | None = None
    aliases: list[str] = []


class SiteTable(_Table):
    cell: str
    max_level: Literal["silver", "gold", "mithril"]


class LairTable(_Table):
    cell: str
    name: str = ""


class PlayerTable(_Table):
    id: str
    name: str
    state: str = ""
    aliases: list[str] = []
    color: str = "#888888"
    entry: Literal["ruler", "commander", "later"] = "later"
    province: int | None = None
    house: str | None = None
    cell: str | None = None
    money: Annotated[int, Field(ge=0)] | None = None
    personal_type: str = "knights"
    school: Literal["plains", "desert", "mountain", "forest", "dead"] | None = None


class ArmyTable(_Table):
    id: str
    owner: str = ""
    type: str
    cell: str
    name: str = ""
    school: Literal["plains", "desert", "mountain", "forest", "dead"] | None = None
    personal: bool = False
    mithril: bool = False
    afloat: bool = False


class HouseTable(_Table):
    owner: str = ""
    type: str
    cell: str
    name: str = ""


class VagabondTable(_Table):
    id: str
    name: str
    state: str = ""
    aliases: list[str] = []
    color: str = "#7b4fa3"
    unit: str | None = None
    treasury: int = 50
    income: int = 0
    personal_upkeep: int = 0
    admitted: bool = False


class ScenarioFile(_Table):
    """A whole scenario file."""

    meta: MetaTable = MetaTable()
    settings: dict[str, Any] = {}
    unit: list[UnitTable]
    building: list[BuildingTable]
    map: MapTable
    province: list[ProvinceTable]
    mine_site: list[SiteTable] = []
    dragon_lair: list[LairTable] = []
    player: list[PlayerTable]
    army: list[ArmyTable] = []
    house: list[HouseTable] = []
    vagabond: list[VagabondTable] = []


_SETTINGS: TypeAdapter[Settings] = TypeAdapter(Settings)
_KINDS = {
    "missing": "этого поля не хватает",
    "extra_forbidden": "такого поля нет (опечатка?)",
    "int_type": "нужно целое число",
    "int_parsing": "нужно целое число",
    "string_type": "нужна строка в кавычках",
    "bool_type": "нужно true или false",
    "list_type": "нужен список",
    "greater_than_equal": "число слишком мало",
    "less_than_equal": "число слишком велико",
}


def _explain(error: ValidationError, table: str = "") -> list[str]:
    out = []
    for item in error.errors():
        parts = [table] if table else []
        for part in item["loc"]:
            parts.append(f"№{part + 1}" if isinstance(part, int) else str(part))
        kind = _KINDS.get(item["type"])
        if kind is None and item["type"] in ("literal_error", "enum"):
            kind = f"допустимо: {item.get('ctx', {}).get('expected', '')}"
        out.append(f"{' → '.join(parts)}: {kind or item['msg']}")
    return out


def settings_of(raw: Mapping[str, Json]) -> Settings:
    """The settings of a `[settings]` table. Raises `RulesError`."""
    known = set(Settings.__dataclass_fields__)
    unknown = [key for key in raw if key not in known]
    if unknown:
        raise RulesError(f"settings: таких настроек нет: {', '.join(unknown)}.")
    try:
        return _SETTINGS.validate_python(dict(raw))
    except ValidationError as error:
        raise RulesError("; ".join(_explain(error, "settings")) + ".") from error


def read(source: Mapping[str, Json]) -> tuple[ScenarioFile, list[str]]:
    """The file and everything wrong with it, each mistake one Russian sentence with its place.

    Raises `RulesError` when the tables themselves can't be read."""
    try:
        file = ScenarioFile.model_validate(dict(source))
    except ValidationError as error:
        raise RulesError(mistakes(_explain(error), source)) from error
    try:
        settings_of(file.settings)
    except RulesError as error:
        raise RulesError(mistakes(str(error).split("; "), source)) from error
    problems: list[str] = []
    _check_grid(file, problems)
    if not problems:
        _check_places(file, problems)
    return file, problems


def mistakes(problems: list[str], source: Mapping[str, Json]) -> str:
    """All of them under one heading, with their lines."""
    return "В сценарии ошибки:\n" + "\n".join(with_lines(problems, source))


def scenario_of(source: Mapping[str, Json]) -> Scenario:
    """A checked scenario. Raises `RulesError` that lists all mistakes."""
    file, problems = read(source)
    if problems:
        raise RulesError(mistakes(problems, source))
    return Scenario(file.meta.id, file.meta.title, dict(source))


def columns_of(table: MapTable) -> tuple[str, ...]:
    """Column names: as given, or А, Б, В … to the width of the grid."""
    if isinstance(table.columns, list):
        return tuple(table.columns)
    if isinstance(table.columns, str):
        return tuple(table.columns)
    return column_names(table.columns if table.columns is not None else max((len(row) for row in table.terrain), default=0))


def _check_grid(file: ScenarioFile, problems: list[str]) -> None:
    table = file.map
    columns = columns_of(table)
    if bad := [c for c in columns if not re.fullmatch(f"[{LETTERS}]{{1,2}}", c)]:
        problems.append(f"map.columns: «{''.join(bad)}» не годится для столбца; буквы столбцов: {LETTERS}.")
    if len(set(columns)) != len(columns):
        problems.append("map.columns: буквы столбцов повторяются.")
    if table.rows is not None and table.rows != len(table.terrain):
        problems.append(f"map.terrain: строк {len(table.terrain)}, а rows = {table.rows}.")
    if len(table.provinces) != len(table.terrain):
        problems.append(f"map.provinces: строк {len(table.provinces)}, а в terrain {len(table.terrain)}.")
    for char, terrain in table.legend.items():
        if len(char) != 1 or terrain not in TERRAINS:
            problems.append(f"map.legend: «{char}» = «{terrain}»: местность бывает {', '.join(TERRAINS)}.")
    chars = {p.char for p in file.province}
    for name, rows, known in (("terrain", table.terrain, set(table.legend)), ("provinces", table.provinces, None)):
        for y, row in enumerate(rows, start=1):
            if len(row) != len(columns):
                problems.append(f"map.{name}, строка {y}: клеток {len(row)}, а столбцов {len(columns)}.")
            for x, char in enumerate(row[: len(columns)]):
                if known is not None and char not in known:
                    problems.append(f"map.{name}, клетка {columns[x]}{y}: знака «{char}» нет в legend.")
    if problems:
        return
    sea = {char for char, terrain in table.legend.items() if terrain == "sea"}
    for y, row in enumerate(table.terrain):
        for x, char in enumerate(row):
            mark = table.provinces[y][x]
            place = f"map.provinces, клетка {columns[x]}{y + 1}"
            if char in sea and mark in chars:
                problems.append(f"{place}: в море провинции не бывает, а стоит «{mark}».")
            elif char not in sea and mark not in chars and mark not in NO_LAND:
                problems.append(f"{place}: на суше стоит «{mark}», такой провинции в [[province]] нет.")
    numbers = [p.number for p in file.province]
    for what, values in (
        ("number", numbers),
        ("char", [p.char for p in file.province]),
        ("name", [p.name for p in file.province]),
    ):
        if len(set(values)) != len(values):
            problems.append(f"province: {what} повторяется.")


def map_of(file: ScenarioFile, adjacency: int = 8) -> MapData:
    """The map of a checked file."""
    table = file.map
    number = {p.char: p.number for p in file.province}
    terrain = tuple(tuple(table.legend[char] for char in row) for row in table.terrain)
    provinces = tuple(
        tuple(number.get(char, 0) if terrain[y][x] != "sea" else 0 for x, char in enumerate(row))
        for y, row in enumerate(table.provinces)
    )
    return MapData(
        columns=columns_of(table),
        terrain=terrain,
        province_rows=provinces,
        provinces=tuple(Province(p.number, p.name, p.capital, tuple(p.aliases)) for p in file.province),
        rivers=tuple(River(r.name, tuple(r.cells), r.mouth) for r in table.river),
        sites={s.cell: s.max_level for s in file.mine_site},
        lairs={lair.cell: lair.name for lair in file.dragon_lair},
        adjacency=adjacency,
    )


def _check_places(file: ScenarioFile, problems: list[str]) -> None:
    """Everything that stands somewhere stands on a fitting cell."""
    for where, cell in _all_cells(file):
        if not re.fullmatch(f"[{LETTERS}]{{1,2}}[1-9][0-9]*", cell):
            problems.append(f"{where}: «{cell}» — не клетка; пишите букву столбца и номер строки, например Г7.")
    if problems:
        return
    board = map_of(file).board
    for where, cell in _all_cells(file):
        if cell not in board:
            problems.append(f"{where}: клетки {cell} на карте нет.")
    if problems:
        return
    for river in file.map.river:
        for cell in river.cells:
            if board.is_sea(cell):
                problems.append(f"map.river «{river.name}»: река течёт по суше, а {cell} — море.")
        for a, b in zip(river.cells, [*river.cells[1:], *([river.mouth] if river.mouth else [])], strict=False):
            if board.gap(a, b) != 1:
                problems.append(f"map.river «{river.name}»: {b} не соседняя с {a}.")
        if river.mouth and not board.is_sea(river.mouth):
            problems.append(f"map.river «{river.name}»: устье {river.mouth} должно быть морем.")
    for number, cells in ((p.number, board.province_cells(p.number)) for p in file.province):
        if not cells:
            problems.append(f"province {number}: на карте нет ни одной её клетки.")
    for province in file.province:
        if province.capital and board.province[province.capital] != province.number:
            problems.append(f"province {province.number} «{province.name}»: столица {province.capital} не на её земле.")
    for where, cell in [(f"mine_site {s.cell}", s.cell) for s in file.mine_site] + [
        (f"dragon_lair {lair.cell}", lair.cell) for lair in file.dragon_lair
    ]:
        if board.terrain[cell] != "mountain":
            problems.append(
                f"{where}: жилы и логова бывают только в горах, а на {cell} — {word('terrain', board.terrain[cell])}."
            )
    sites = {s.cell for s in file.mine_site}
    for lair in file.dragon_lair:
        if lair.cell not in sites:
            problems.append(
                f'dragon_lair {lair.cell}: под драконом должна быть жила (добавьте mine_site с max_level = "mithril").'
            )
    _check_pieces(file, board, problems)


def _all_cells(file: ScenarioFile) -> list[tuple[str, str]]:
    out = [(f"map.river «{r.name}»", cell) for r in file.map.river for cell in [*r.cells, *([r.mouth] if r.mouth else [])]]
    out += [(f"province {p.number}", p.capital) for p in file.province if p.capital]
    out += [(f"mine_site {s.cell}", s.cell) for s in file.mine_site]
    out += [(f"dragon_lair {lair.cell}", lair.cell) for lair in file.dragon_lair]
    out += [(f"army {a.id}", a.cell) for a in file.army]
    out += [(f"house {h.name or h.type}", h.cell) for h in file.house]
    out += [(f"player {p.id}", p.cell) for p in file.player if p.cell]
    return out


def _check_pieces(file: ScenarioFile, board: Any, problems: list[str]) -> None:
    ids = [p.id for p in file.player] + [v.id for v in file.vagabond]
    units, buildings = {u.id: u for u in file.unit}, {b.id: b for b in file.building}
    for what, values in (
        ("player/vagabond", ids),
        ("army", [a.id for a in file.army]),
        ("unit", [u.id for u in file.unit]),
        ("building", [b.id for b in file.building]),
        ("mine_site", [s.cell for s in file.mine_site]),
        ("house", [h.cell for h in file.house]),
    ):
        for value in sorted({v for v in values if values.count(v) > 1}):
            problems.append(f"{what}: «{value}» записано дважды.")
    for wanted in ("zombies", "dragon"):
        if wanted not in units:
            problems.append(f"unit: нет «{wanted}»: без него не работают правила о магии.")
    for wanted in ("outpost", "fortress", "tower", "mine_silver", "mine_gold", "mine_mithril"):
        if wanted not in buildings:
            problems.append(f"building: нет «{wanted}».")
    for player_id in ids:
        if not re.fullmatch(r"[a-z][a-z0-9_-]*", player_id) or player_id in ("gm", "all"):
            problems.append(f"player «{player_id}»: имя из строчных латинских букв, не gm и не all.")
    for player in file.player:
        if not re.fullmatch(r"#[0-9a-fA-F]{6}", player.color):
            problems.append(f"player {player.id}: цвет пишется как #rrggbb, а не «{player.color}».")
        if player.personal_type not in units or units[player.personal_type].kind == "magic":
            problems.append(f"player {player.id}: личное войско «{player.personal_type}» невозможно.")
        if player.province is not None and player.province not in board.provinces:
            problems.append(f"player {player.id}: земли {player.province} нет.")
        if player.entry == "ruler" and not any(h.owner == player.id for h in file.house) and player.province is None:
            problems.append(f"player {player.id}: правителю нужна province или [[house]].")
        if player.entry == "commander" and not any(a.owner == player.id for a in file.army) and player.cell is None:
            problems.append(f"player {player.id}: полководцу нужна cell или [[army]].")
    standing: dict[str, list[ArmyTable]] = {}
    for army in file.army:
        where = f"army {army.id}"
        if army.owner and army.owner not in ids:
            problems.append(f"{where}: игрока «{army.owner}» нет.")
        if army.type not in units:
            problems.append(f"{where}: войска «{army.type}» нет в [[unit]].")
            continue
        if units[army.type].kind == "mage" and army.school is None:
            problems.append(f"{where}: у мага должна быть школа (school).")
        if army.personal and (not army.owner or units[army.type].kind == "magic"):
            problems.append(f"{where}: личное войско бывает только у игрока и немагическое.")
        standing.setdefault(army.cell, []).append(army)
    for cell, found in standing.items():
        if len(found) > 1 and not (
            len(found) == 2 and all(a.type == "zombies" for a in found) and found[0].owner == found[1].owner
        ):
            problems.append(f"army {found[1].id}: клетка {cell} уже занята войском {found[0].id}.")
    for owner in ids:
        if sum(a.owner == owner and a.personal for a in file.army) > 1:
            problems.append(f"army: у игрока {owner} два личных войска.")
        if len({a.school for a in file.army if a.owner == owner and a.school}) > 1:
            problems.append(f"army: у игрока {owner} маги двух школ.")
    houses: dict[int, str] = {}
    for house in file.house:
        where = f"house {house.name or house.cell}"
        if house.owner and house.owner not in ids:
            problems.append(f"{where}: игрока «{house.owner}» нет.")
        if house.type not in buildings:
            problems.append(f"{where}: строения «{house.type}» нет в [[building]].")
            continue
        if board.is_sea(house.cell):
            problems.append(f"{where}: строения бывают только на суше, а {house.cell} — море.")
            continue
        if buildings[house.type].klass == "lord_house":
            number = board.province[house.cell]
            if number in houses:
                problems.append(f"{where}: на земле {number} уже есть дом лорда ({houses[number]}).")
            houses[number] = house.cell
        if buildings[house.type].klass == "mine" and house.cell not in {s.cell for s in file.mine_site}:
            problems.append(f"{where}: рудник бывает только на жиле (mine_site).")
    for vagabond in file.vagabond:
        if vagabond.unit and vagabond.unit not in units:
            problems.append(f"vagabond {vagabond.id}: войска «{vagabond.unit}» нет в [[unit]].")


# ------------------------------------------------------------------------------------------------ the first state


def first_state(scenario: Scenario) -> State:
    """The start of a game: everybody on the map, the first seat's turn open. Commanders' troops have no АД yet (R8, R12)."""
    file, problems = read(scenario.data)
    if problems:
        raise RulesError("В сценарии ошибки:\n" + "\n".join(problems))
    settings = settings_of(file.settings)
    state = State(
        title=file.meta.title,
        settings=settings,
        unit_types={u.id: _unit_type(u) for u in file.unit},
        building_types={b.id: BuildingType(**b.model_dump()) for b in file.building},
        map=map_of(file, settings.adjacency),
    )
    for lair in file.dragon_lair:
        state.lairs[lair.cell] = Lair(lair.cell, lair.name)
    for row in file.player:
        _add_player(state, row)
    for vagabond in file.vagabond:
        _add_vagabond(state, vagabond)
    for house in file.house:
        state.buildings[house.cell] = Building(house.cell, house.type, house.owner or None, house.name)
    for army in file.army:
        state.units[army.id] = Unit(
            army.id,
            army.type,
            army.cell,
            army.owner or None,
            army.name,
            school=army.school,
            personal=army.personal,
            mithril=army.mithril,
            afloat=army.afloat or state.board.is_sea(army.cell),
        )
    for row in file.player:
        _place(state, row)
    return state


def _unit_type(row: UnitTable) -> UnitType:
    data = row.model_dump()
    return UnitType(**{**data, "advantage_actions": tuple(data["advantage_actions"])})


def _add_player(state: State, row: PlayerTable) -> None:
    player = Player(
        row.id,
        row.name,
        row.state,
        row.color,
        list(row.aliases),
        status="out" if row.entry == "later" else "in",
        personal_type=row.personal_type,
        personal_school=row.school,
    )
    if row.entry != "later":
        start = state.settings.start_money_ruler if row.entry == "ruler" else state.settings.start_money_commander
        player.money = row.money if row.money is not None else start
        state.slots.append([row.id])
    state.players[row.id] = player


def _add_vagabond(state: State, row: VagabondTable) -> None:
    personal = Personal(row.treasury, row.income, row.personal_upkeep, row.unit)
    player = Player(row.id, row.name, row.state, row.color, list(row.aliases), "in" if row.admitted else "out", vagabond=personal)
    if row.admitted:
        state.slots.append([row.id])
    state.players[row.id] = player


def _place(state: State, row: PlayerTable) -> None:
    """House and личное войско of a starting player, where the scenario doesn't list them."""
    cell = row.cell
    if row.entry == "ruler" and row.province is not None and not state.houses_of(row.id):
        cell = cell or state.board.provinces[row.province].capital or state.board.province_cells(row.province)[0]
        state.buildings[cell] = Building(cell, row.house or state.settings.start_house, row.id)
    if row.entry != "later" and state.personal_of(row.id) is None and cell is not None and not state.units_at(cell):
        state.counter += 1
        unit_id = f"u{state.counter}"
        state.units[unit_id] = Unit(unit_id, row.personal_type, cell, row.id, school=row.school, personal=True)
    if row.entry == "commander" and (personal := state.personal_of(row.id)) is not None:
        personal.blocked = (1, None)


def with_setting(settings: Settings, name: str, value: Json) -> Settings:
    """The settings with one changed. Raises `RulesError`."""
    if name not in Settings.__dataclass_fields__:
        raise RulesError(f"Настройки «{name}» нет.")
    settings_of({name: value})
    checked = settings_of({name: value})
    return replace(settings, **{name: getattr(checked, name)})
