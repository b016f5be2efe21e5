"""The map as a grid of named cells: terrain, provinces, rivers, distances (R17, R18). Immutable and shared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

LETTERS = "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ"
"""Column letters (R18): no Ё Й Ъ Ы Ь."""
SEA = "sea"


def column_names(count: int) -> tuple[str, ...]:
    """The first `count` column names: А…Я, then АА, АБ, … (R18)."""
    names = list(LETTERS)
    names += [a + b for a in LETTERS for b in LETTERS]
    return tuple(names[:count])


@dataclass(frozen=True)
class River:
    """A chain of land cells from the source to the mouth."""

    name: str
    cells: tuple[str, ...]
    mouth: str | None = None
    """The sea cell it flows into."""


@dataclass(frozen=True)
class Province:
    """A земля (R19)."""

    number: int
    name: str
    capital: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class MapData:
    """The map as stored: plain rows of names."""

    columns: tuple[str, ...]
    terrain: tuple[tuple[str, ...], ...]
    """Rows of terrain ids, north to south."""
    province_rows: tuple[tuple[int, ...], ...]
    """Rows of province numbers; 0 for none."""
    provinces: tuple[Province, ...] = ()
    rivers: tuple[River, ...] = ()
    sites: dict[str, str] = field(default_factory=dict)
    """Mine sites: cell → deepest level (`silver`, `gold`, `mithril`)."""
    lairs: dict[str, str] = field(default_factory=dict)
    """Dragon signs: cell → name of the mountain."""
    adjacency: int = 8

    def __deepcopy__(self, memo: dict[int, Any]) -> MapData:
        return self

    @cached_property
    def board(self) -> Board:
        """The look-up tables."""
        return Board(self)


class Board:
    """Fast look-ups on a map; cells are names like `Г7`."""

    def __init__(self, data: MapData) -> None:
        self.data = data
        self.columns = data.columns
        self.width = len(data.columns)
        self.height = len(data.terrain)
        self.xy: dict[str, tuple[int, int]] = {}
        self.terrain: dict[str, str] = {}
        self.province: dict[str, int] = {}
        for y, row in enumerate(data.terrain):
            for x, terrain in enumerate(row):
                cell = self.name(x, y)
                self.xy[cell] = (x, y)
                self.terrain[cell] = terrain
                self.province[cell] = data.province_rows[y][x]
        self.provinces = {p.number: p for p in data.provinces}
        self.rivers: set[str] = set()
        self.river_links: dict[str, set[str]] = {}
        self.mouths: dict[str, str] = {}
        for river in data.rivers:
            self.rivers.update(river.cells)
            chain = [*river.cells, *([river.mouth] if river.mouth else [])]
            for a, b in pairwise(chain):
                self.river_links.setdefault(a, set()).add(b)
                self.river_links.setdefault(b, set()).add(a)
            if river.mouth:
                for cell in river.cells:
                    self.mouths.setdefault(cell, river.mouth)
        self._near: dict[str, tuple[str, ...]] = {}
        self._by_province: dict[int, tuple[str, ...]] | None = None

    def __contains__(self, cell: object) -> bool:
        return cell in self.xy

    def __iter__(self) -> Iterator[str]:
        """All cells in reading order."""
        return iter(self.xy)

    def name(self, x: int, y: int) -> str:
        """The name of the cell in column x, row y, both from 0."""
        return f"{self.columns[x]}{y + 1}"

    def order(self, cell: str) -> tuple[int, int]:
        """Sort key of reading order: row, then column (R16)."""
        x, y = self.xy[cell]
        return (y, x)

    def is_sea(self, cell: str) -> bool:
        """True for a sea cell."""
        return self.terrain[cell] == SEA

    def near(self, cell: str) -> tuple[str, ...]:
        """Its neighbours in reading order (R17)."""
        known = self._near.get(cell)
        if known is None:
            x, y = self.xy[cell]
            known = tuple(
                self.name(x + dx, y + dy)
                for dy in (-1, 0, 1)
                for dx in (-1, 0, 1)
                if (dx or dy)
                and (self.data.adjacency == 8 or not (dx and dy))
                and 0 <= x + dx < self.width
                and 0 <= y + dy < self.height
            )
            self._near[cell] = known
        return known

    def square(self, cell: str) -> tuple[str, ...]:
        """The 3×3 square around a cell, in reading order, itself included."""
        x, y = self.xy[cell]
        return tuple(
            self.name(x + dx, y + dy)
            for dy in (-1, 0, 1)
            for dx in (-1, 0, 1)
            if 0 <= x + dx < self.width and 0 <= y + dy < self.height
        )

    def distance(self, a: str, b: str) -> int:
        """King moves (or, with four neighbours, rook steps) from a to b."""
        (ax, ay), (bx, by) = self.xy[a], self.xy[b]
        if self.data.adjacency == 4:
            return abs(ax - bx) + abs(ay - by)
        return max(abs(ax - bx), abs(ay - by))

    def gap(self, a: str, b: str) -> int:
        """Distance as the rules for buildings and spells count it: always king moves."""
        (ax, ay), (bx, by) = self.xy[a], self.xy[b]
        return max(abs(ax - bx), abs(ay - by))

    def linked(self, a: str, b: str) -> bool:
        """True when b follows a along a river, its mouth included (R50)."""
        return b in self.river_links.get(a, ())

    def coast(self, cell: str) -> bool:
        """True for a land cell with a sea neighbour."""
        return not self.is_sea(cell) and any(self.is_sea(c) for c in self.near(cell))

    def province_cells(self, number: int) -> tuple[str, ...]:
        """The land cells of a province in reading order."""
        if self._by_province is None:
            found: dict[int, list[str]] = {}
            for cell, owner in self.province.items():
                if owner:
                    found.setdefault(owner, []).append(cell)
            self._by_province = {n: tuple(cells) for n, cells in found.items()}
        return self._by_province.get(number, ())
