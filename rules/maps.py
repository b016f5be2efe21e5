"""What a map or figure shows, as plain data: a ruleset fills these models from a view, renderers draw them.

Every coordinate is abstract; colours are `#rrggbb`; texts are plain. A model never holds anything its view may not know.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class LegendItem:
    """An entry of the legend."""

    text: str
    colour: str


# ------------------------------------------------------------------------------------------------ heights (astral)


@dataclass(frozen=True, slots=True)
class Shard:
    """A piece of a world or a free one."""

    label: str
    """Short text in or beside the circle («012» or a name)."""
    size: int
    starred: bool = False
    """Has особенности."""
    name: str = ""


@dataclass(frozen=True, slots=True)
class FreeShard:
    """A neutral shard at its place."""

    shard: Shard
    x: float
    """0..1 across the chart."""
    height: int


@dataclass(frozen=True, slots=True)
class World:
    """An owner's world: a chain of shards, inner to outer, at one height."""

    name: str
    colour: str
    x: float
    """Lane: 0..1 across the chart, where the chain begins."""
    height: int
    shards: tuple[Shard, ...]
    dormant: bool = False
    """In Nothing: drawn dashed on the strip below."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class HeightMap:
    """A side view: y = height, low at the bottom."""

    title: str
    low: int
    high: int
    free: tuple[FreeShard, ...]
    worlds: tuple[World, ...]
    dormant_label: str = ""
    subtitle: str = ""


# ------------------------------------------------------------------------------------------------ roads (steel_rose)


@dataclass(frozen=True, slots=True)
class Node:
    """A city."""

    id: str
    name: str
    at: Point
    """0..1000 × 0..700, y grows downwards."""
    colour: str
    """Its owner's; grey for nobody."""
    size: int
    """Level 1..3."""
    large: bool = False
    ruin: bool = False
    capital: bool = False
    badges: tuple[str, ...] = ()
    """Short marks beside it («парит», «порча»)."""
    floating: bool = False
    """Drawn above a cloud."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A road."""

    a: str
    b: str
    kind: str = "road"


@dataclass(frozen=True, slots=True)
class Token:
    """Something standing at a city or on a road: an army, the mobile city, a camp."""

    label: str
    colour: str
    at: str | tuple[str, str]
    """City id, or the road's two city ids."""
    shape: str = "banner"
    """`banner`, `wagon`, `camp`."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """A march or an attack from one city to another."""

    start: str | tuple[str, str]
    """City id, or the two city ids of the road where it begins."""
    end: str | tuple[str, str]
    colour: str
    label: str = ""
    result: str = ""
    """`won`, `lost` or empty."""


@dataclass(frozen=True, slots=True)
class GraphMap:
    """Cities and roads."""

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    tokens: tuple[Token, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    legend: tuple[LegendItem, ...] = ()
    subtitle: str = ""
    width: float = 1000
    height: float = 700


# ------------------------------------------------------------------------------------------------ cells (grand_strategy)


@dataclass(frozen=True, slots=True)
class Cell:
    """A square of the grid."""

    terrain: str
    """`field`, `forest`, `desert`, `mountain`, `sea`."""
    province: int | None = None


@dataclass(frozen=True, slots=True)
class Building:
    """A building or a mine on a cell."""

    x: int
    y: int
    kind: str
    """`outpost`, `fortress`, `tower`, `manor`, `castle`, `city`, `mine_silver`, `mine_gold`, `mine_mithril`, `mine_site` or
    `lair`."""
    colour: str
    name: str = ""
    besieged: bool = False


@dataclass(frozen=True, slots=True)
class Troop:
    """A troop on a cell."""

    x: int
    y: int
    kind: str
    """Unit type (`elves`, `dragon`, …) for its sign."""
    label: str
    """One or two letters for the banner."""
    colour: str
    strength: int
    afloat: bool = False
    mithril: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class Path:
    """A movement of this turn, cell by cell with its start."""

    cells: tuple[tuple[int, int], ...]
    colour: str


@dataclass(frozen=True, slots=True)
class Clash:
    """A battle of this turn, at a cell."""

    x: int
    y: int
    title: str
    number: int
    result: str = ""
    """How it ended, in words."""
    attacks: tuple[tuple[int, int, str], ...] = ()
    """Cells from which it was attacked, each with the attacker's colour."""
    fallen: tuple[Troop, ...] = ()
    """Troops that it took off the map, where they stood."""


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign of the map explained: a kind of building, `path`, `attack`, `fallen` or `siege`."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class GridMap:
    """The grid; (0, 0) is the north-west cell."""

    title: str
    columns: tuple[str, ...]
    """Column letters, west to east."""
    rows: tuple[tuple[Cell, ...], ...]
    """North to south."""
    rivers: tuple[tuple[tuple[int, int], ...], ...] = ()
    """Chains of cells, from the source; a last one in the sea is the mouth."""
    provinces: dict[int, str] = field(default_factory=dict)
    owners: dict[int, str] = field(default_factory=dict)
    """Province → its owner's colour."""
    buildings: tuple[Building, ...] = ()
    troops: tuple[Troop, ...] = ()
    paths: tuple[Path, ...] = ()
    clashes: tuple[Clash, ...] = ()
    legend: tuple[LegendItem, ...] = ()
    subtitle: str = ""
    river_names: tuple[str, ...] = ()
    """In the order of `rivers`."""
    signs: tuple[Sign, ...] = ()
    """What the signs on it mean."""


# ------------------------------------------------------------------------------------------------ figures


@dataclass(frozen=True, slots=True)
class Squad:
    """Who stands on one of the six places."""

    place: str
    """`LV LR CV CR RV RR`."""
    lines: tuple[str, ...]
    """«10 копейщиков», «3 рыцаря»."""
    alive: int
    total: int


@dataclass(frozen=True, slots=True)
class Manoeuvre:
    """An arrow between places: own → own (move, defend) or own → enemy (charge, bombard)."""

    side: int
    """0 attacker, 1 defender."""
    start: str
    end: str
    target_side: int
    kind: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Board:
    """One stage of a battle: both sides' places."""

    title: str
    sides: tuple[tuple[Squad, ...], tuple[Squad, ...]]
    manoeuvres: tuple[Manoeuvre, ...] = ()


@dataclass(frozen=True, slots=True)
class BattleFigure:
    """A battle as a row of boards, phase by phase."""

    title: str
    names: tuple[str, str]
    colours: tuple[str, str]
    boards: tuple[Board, ...]
    result: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """A horizontal bar chart or histogram."""

    title: str
    labels: tuple[str, ...]
    values: tuple[float, ...]
    colours: tuple[str, ...]
    unit: str = ""
    marks: tuple[tuple[float, str], ...] = ()
    """Vertical marks with a text («вышло»)."""


@dataclass(frozen=True, slots=True)
class Spread:
    """How a number is spread: the shares of 0, 1, 2, …"""

    label: str
    shares: tuple[float, ...]
    note: str = ""
    """In words: the mean, a bound."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is to be expected: one bar cut into the outcomes, and under it how numbers are spread, group by group."""

    title: str
    subtitle: str
    outcomes: tuple[tuple[str, float, str], ...]
    """Name, share, colour; the shares add up to 1."""
    groups: tuple[tuple[str, str, tuple[Spread, ...]], ...]
    """Heading, colour, rows."""


@dataclass(frozen=True, slots=True)
class LineChart:
    """Values over turns, one line a faction."""

    title: str
    x_labels: tuple[str, ...]
    series: tuple[tuple[str, str, tuple[float, ...]], ...]
    """Name, colour, values."""
    unit: str = ""


MapModel: TypeAlias = HeightMap | GraphMap | GridMap
Figure: TypeAlias = HeightMap | GraphMap | GridMap | BattleFigure | Bars | Outlook | LineChart
