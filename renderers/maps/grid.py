"""The grid map: terrain, rivers as smooth curves, province borders and names, buildings by level, mines, banners, paths, battles.

Coordinates stand on all four edges; battles are shown once more, enlarged, below the map.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from PIL import Image

from renderers.fonts import Face
from renderers.maps.buildings import draw_building
from renderers.maps.canvas import XY, Box, Canvas
from renderers.maps.terrain import ground
from renderers.palette import INK, MUTED, PAPER, RGB, WARM, hexa, legible, mix, on, rgb
from rules.maps import Cell, Clash, GridMap, Troop

_WIDEST = 1300
"""Pixels across that the cells of a small map may take."""
_EDGE = 30.0
_RIVER, _RIVER_BANK = "#5b9cc6", "#3f7ca5"
_BORDER = "#4a4f55"
_INSET = 5
"""Cells across an enlarged battle."""
_INSET_CELL = 62
_MOST_INSETS = 8


class _Taken:
    """Areas that are taken, found by place."""

    def __init__(self) -> None:
        self._by_square: dict[tuple[int, int], list[Box]] = defaultdict(list)

    def _squares(self, box: Box) -> list[tuple[int, int]]:
        columns = range(int(box.x0 // 64), int(box.x1 // 64) + 1)
        return [(x, y) for x in columns for y in range(int(box.y0 // 64), int(box.y1 // 64) + 1)]

    def append(self, box: Box) -> None:
        """Takes an area."""
        for square in self._squares(box):
            self._by_square[square].append(box)

    def free(self, box: Box) -> bool:
        """True when nothing overlaps it."""
        return not any(box.overlaps(other, 1) for square in self._squares(box) for other in self._by_square.get(square, ()))


class _Grid:
    """A drawing in progress: the canvas, the size of a cell and what is taken."""

    def __init__(self, model: GridMap, canvas: Canvas, cell: int, left: float, top: float) -> None:
        self.model = model
        self.canvas = canvas
        self.cell = float(cell)
        self.left = left
        self.top = top
        self.taken = _Taken()

    def corner(self, x: float, y: float) -> XY:
        """A cell's north-west corner."""
        return self.left + x * self.cell, self.top + y * self.cell

    def centre(self, x: float, y: float) -> XY:
        """A cell's centre."""
        return self.corner(x + 0.5, y + 0.5)


def draw_grid(model: GridMap) -> Canvas:
    """Draws the model; the canvas still holds its labels for checks."""
    width, height = len(model.columns), len(model.rows)
    cell = max(8, min(68, _WIDEST // max(1, width), (_WIDEST + 200) // max(1, height)))
    insets = model.clashes[:_MOST_INSETS] if cell < _INSET_CELL or model.clashes else ()
    across = max(640.0, width * cell + 2 * _EDGE)
    big = across > 900
    head = (96.0 if model.subtitle else 66.0) if big else (74.0 if model.subtitle else 50.0)
    per_row = max(1, int((across - 20) // (_INSET * _INSET_CELL + 40)))
    inset_rows = math.ceil(len(insets) / per_row)
    legend_rows = _legend_rows(model, across, 18.0 if big else 15.0)
    below = 26 + len(legend_rows) * 32 + (inset_rows * (_INSET * _INSET_CELL + 70) if insets else 0)
    canvas = Canvas(across, head + height * cell + 2 * _EDGE + below, 1.0, smooth=2)
    size = 32.0 if big else 22.0
    canvas.text(
        canvas.shorten(model.title, size, across - 32, Face.SERIF_BOLD), (16, 36 if big else 26), size, INK, Face.SERIF_BOLD
    )
    if model.subtitle:
        canvas.text(canvas.shorten(model.subtitle, size * 0.6, across - 32), (17, 74 if big else 54), size * 0.6, MUTED)
    grid = _Grid(model, canvas, cell, (across - width * cell) / 2, head + _EDGE)
    _all_layers(grid)
    _coordinates(grid)
    bottom = grid.top + height * cell + _EDGE
    _legend(canvas, legend_rows, bottom + 22, 18.0 if big else 15.0)
    for index, clash in enumerate(insets):
        x = 16 + (index % per_row) * (_INSET * _INSET_CELL + 40)
        y = bottom + 22 + len(legend_rows) * 32 + (index // per_row) * (_INSET * _INSET_CELL + 70)
        _inset(canvas, model, clash, x, y)
    return canvas


def _all_layers(grid: _Grid) -> None:
    canvas, cell = grid.canvas, int(grid.cell)
    picture = ground(grid.model, cell)
    factor = round(canvas.factor)
    canvas.large.paste(
        picture.resize((picture.width * factor, picture.height * factor), Image.Resampling.NEAREST),
        (round(grid.left * factor), round(grid.top * factor)),
    )
    _lines(grid)
    _rivers(grid)
    _borders(grid)
    for path in grid.model.paths:
        _path(grid, path.cells, path.colour)
    _things(grid)
    _names(grid)


def _lines(grid: _Grid) -> None:
    """Hairlines between cells, where cells are large enough to need them."""
    if grid.cell < 14:
        return
    width, height = len(grid.model.columns), len(grid.model.rows)
    (x0, y0), (x1, y1) = grid.corner(0, 0), grid.corner(width, height)
    tone = "#c3c9bd"
    for x in range(width + 1):
        grid.canvas.line([(x0 + x * grid.cell, y0), (x0 + x * grid.cell, y1)], tone, 0.5)
    for y in range(height + 1):
        grid.canvas.line([(x0, y0 + y * grid.cell), (x1, y0 + y * grid.cell)], tone, 0.5)


def _rivers(grid: _Grid) -> None:
    for chain in grid.model.rivers:
        points = [grid.centre(x, y) for x, y in chain]
        if len(points) < 2:
            continue
        curve = spline(points)
        width = max(1.4, grid.cell * 0.13)
        grid.canvas.line(curve, _RIVER_BANK, width + max(1, grid.cell * 0.04))
        grid.canvas.line(curve, _RIVER, width)


def spline(points: Sequence[XY], steps: int = 8) -> list[XY]:
    """A smooth curve through all points (Catmull–Rom)."""
    padded = [points[0], *points, points[-1]]
    out: list[XY] = []
    for i in range(1, len(padded) - 2):
        p0, p1, p2, p3 = padded[i - 1 : i + 3]
        for k in range(steps):
            t = k / steps
            out.append(tuple(_catmull(a, b, c, d, t) for a, b, c, d in zip(p0, p1, p2, p3, strict=True)))  # type: ignore[arg-type]
    out.append(points[-1])
    return out


def _catmull(a: float, b: float, c: float, d: float, t: float) -> float:
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t**3)


def _province(grid: _Grid, x: int, y: int) -> int | None:
    rows = grid.model.rows
    return rows[y][x].province if 0 <= y < len(rows) and 0 <= x < len(rows[y]) else None


def _borders(grid: _Grid) -> None:
    """Province borders, with a band of the owner's colour on his side."""
    canvas, model = grid.canvas, grid.model
    band = grid.cell * 0.09
    edges: list[tuple[XY, XY]] = []
    for y, row in enumerate(model.rows):
        for x, spot in enumerate(row):
            if spot.province is None:
                continue
            owner = model.owners.get(spot.province)
            x0, y0 = grid.corner(x, y)
            x1, y1 = x0 + grid.cell, y0 + grid.cell
            for (nx, ny), strip, edge in (
                ((x, y - 1), Box(x0, y0, x1, y0 + band), ((x0, y0), (x1, y0))),
                ((x, y + 1), Box(x0, y1 - band, x1, y1), ((x0, y1), (x1, y1))),
                ((x - 1, y), Box(x0, y0, x0 + band, y1), ((x0, y0), (x0, y1))),
                ((x + 1, y), Box(x1 - band, y0, x1, y1), ((x1, y0), (x1, y1))),
            ):
                other = _province(grid, nx, ny)
                if other == spot.province:
                    continue
                if owner is not None and (other is None or model.owners.get(other) != owner):
                    canvas.rectangle(strip, owner)
                if other is None or other > spot.province:
                    edges.append(edge)
    for a, b in edges:
        canvas.line([a, b], _BORDER, max(1.0, grid.cell * 0.035))


# ------------------------------------------------------------------------------------------------ things


def _path(grid: _Grid, cells: Sequence[tuple[int, int]], colour: str) -> None:
    if len(cells) < 2:
        return
    # A little off the centre, so that two paths of opposite ways stay apart and banners don't hide the line.
    points = spline([_shift(grid.centre(x, y), grid.cell * 0.12) for x, y in cells], 6)
    dark = hexa(legible(colour, 3.6))
    width = max(1.6, grid.cell * 0.06)
    canvas = grid.canvas
    canvas.line(points[:-3], PAPER, width * 2.1)
    canvas.line(points[:-3], dark, width, dash=(grid.cell * 0.16, grid.cell * 0.1))
    canvas.arrow(points[-5:], dark, width, max(5.0, grid.cell * 0.24))


def _shift(point: XY, by: float) -> XY:
    return point[0] + by, point[1] + by


def _things(grid: _Grid) -> None:
    model = grid.model
    troops: dict[tuple[int, int], list[Troop]] = defaultdict(list)
    for troop in model.troops:
        troops[(troop.x, troop.y)].append(troop)
    built = {(b.x, b.y) for b in model.buildings}
    for building in model.buildings:
        shared = (building.x, building.y) in troops
        x, y = grid.centre(building.x, building.y)
        half = grid.cell * (0.29 if shared else 0.37)
        at = (x - grid.cell * 0.17, y - grid.cell * 0.17) if shared else (x, y)
        draw_building(grid.canvas, building, at, half)
        grid.taken.append(Box(at[0] - half, at[1] - half, at[0] + half, at[1] + half))
    for (cx, cy), standing in troops.items():
        for number, troop in enumerate(standing[:2]):
            x, y = grid.centre(cx, cy)
            if (cx, cy) in built:
                x, y = x + grid.cell * 0.16, y + grid.cell * 0.2
            elif len(standing) > 1:
                x += grid.cell * (0.2 if number else -0.2)
            _troop(grid, troop, (x, y), 0.8 if (cx, cy) in built or len(standing) > 1 else 1.0)
    for clash in model.clashes:
        _clash(grid, clash)


def _troop(grid: _Grid, troop: Troop, at: XY, share: float) -> None:
    """A banner with the troop's letters; its strength on a disc at the foot."""
    canvas, (x, y) = grid.canvas, at
    unit = grid.cell * share
    if grid.cell < 18:
        half = grid.cell * 0.3
        canvas.rectangle(Box(x - half, y - half, x + half, y + half), troop.colour, PAPER, 0.8, radius=grid.cell * 0.1)
        grid.taken.append(Box(x - half, y - half, x + half, y + half))
        return
    w, top, foot = unit * 0.3, y - unit * 0.36, y + unit * 0.2
    edge: RGB = rgb("#12b5cb") if troop.mithril else mix(troop.colour, (0, 0, 0), 0.5)
    if troop.afloat:
        hull = [
            (x - unit * 0.42, y + unit * 0.14),
            (x + unit * 0.42, y + unit * 0.14),
            (x + unit * 0.28, y + unit * 0.38),
            (x - unit * 0.28, y + unit * 0.38),
        ]
        canvas.polygon(hull, "#7b5a3a", PAPER, max(1.0, unit * 0.04))
        foot = y + unit * 0.16
    flag = [(x - w, top), (x + w, top), (x + w, foot), (x, foot + unit * 0.12), (x - w, foot)]
    canvas.polygon(flag, PAPER, PAPER, max(2.0, unit * 0.11))
    canvas.polygon(flag, troop.colour, edge, max(1.0, unit * (0.07 if troop.mithril else 0.04)))
    text = " ".join(troop.label.split())[:2]
    canvas.text(text, (x, y - unit * 0.1), unit * (0.36 if len(text) < 2 else 0.3), on(troop.colour), Face.SANS_BOLD, "mm")
    spot = (x + unit * 0.27, y + unit * 0.27)
    radius = unit * 0.175
    canvas.circle(spot, radius, PAPER, edge, max(0.8, unit * 0.03))
    canvas.text(str(troop.strength), spot, unit * 0.26, INK, Face.SANS_BOLD, "mm")
    grid.taken.append(Box(x - w, top, x + unit * 0.46, foot + unit * 0.14))


def _clash(grid: _Grid, clash: Clash) -> None:
    canvas, (x, y) = grid.canvas, grid.centre(clash.x, clash.y)
    half = grid.cell / 2
    canvas.rectangle(Box(x - half, y - half, x + half, y + half), None, WARM, max(1.4, grid.cell * 0.06), radius=grid.cell * 0.1)
    if grid.cell < 18:
        return
    radius = max(8.0, grid.cell * 0.2)
    spot = (x + half - radius * 0.5, y - half + radius * 0.5)
    canvas.circle(spot, radius, WARM, PAPER, max(1.0, grid.cell * 0.03))
    canvas.text(str(clash.number), spot, radius * 1.25, PAPER, Face.SANS_BOLD, "mm")
    grid.taken.append(Box(spot[0] - radius, spot[1] - radius, spot[0] + radius, spot[1] + radius))


def _names(grid: _Grid) -> None:
    """Names of buildings that have one, then of provinces where they are free of everything else."""
    if grid.cell < 18:
        size = 12.0
    else:
        size = max(12.0, min(19.0, grid.cell * 0.3))
    for building in grid.model.buildings:
        if building.name and grid.cell >= 24:
            x, y = grid.centre(building.x, building.y)
            _name(
                grid,
                building.name,
                [(x, y + grid.cell * 0.56), (x, y - grid.cell * 0.56)],
                size * 0.86,
                INK,
                Face.SANS_BOLD,
                must=False,
            )
    cells: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for y, row in enumerate(grid.model.rows):
        for x, spot in enumerate(row):
            if spot.province is not None:
                cells[spot.province].append((x, y))
    for province, places in sorted(cells.items(), key=lambda item: (-len(item[1]), item[0])):
        name = grid.model.provinces.get(province)
        if not name:
            continue
        mx = sum(x for x, _ in places) / len(places)
        my = sum(y for _, y in places) / len(places)
        order = sorted(places, key=lambda p: ((p[0] - mx) ** 2 + 1.4 * (p[1] - my) ** 2, p))
        spots = [grid.centre(mx, my)] if len(places) > 2 else []
        near = order[:12] if grid.cell >= 18 else order[:4]
        if grid.cell < 18 and grid.canvas.text_width(name, size, Face.SERIF_BOLD_ITALIC) > grid.cell * (
            1 + max(x for x, _ in places) - min(x for x, _ in places)
        ):
            continue
        spots += [
            grid.centre(x + dx, y + dy)
            for x, y in near
            for dx, dy in ((0.0, 0.0), (0.0, 0.5), (0.5, 0.0), (0.0, -0.5), (-0.5, 0.0))
        ]
        spots += [grid.centre(x, y) for x, y in order[len(near) : 40]]
        _name(grid, name, spots, size, "#3a4148", Face.SERIF_BOLD_ITALIC, must=False)


def _name(grid: _Grid, text: str, spots: Sequence[XY], size: float, colour: str, face: Face, *, must: bool) -> None:
    """Sets a name at the first spot where it covers nothing; else smaller; else, unless it must stand, not at all."""
    canvas = grid.canvas
    frame = Box(grid.left + 2, grid.top + 2, *grid.corner(len(grid.model.columns), len(grid.model.rows)))
    for wanted in (size, size * 0.82):
        if wanted < 9:
            break
        shown = canvas.shorten(text, wanted, max(grid.cell * 4, 90), face)
        box = canvas.text_box(shown, (0, 0), wanted, face, "mm")
        for x, y in spots:
            placed = box.shifted(x, y)
            if placed.inside(frame) and grid.taken.free(placed):
                canvas.text(shown, (x, y), wanted, colour, face, "mm", halo=PAPER, halo_width=1.8)
                grid.taken.append(placed)
                return
    if must and spots:
        canvas.text(text, spots[0], size, colour, face, "mm", halo=PAPER)


# ------------------------------------------------------------------------------------------------ frame


def _coordinates(grid: _Grid) -> None:
    """Letters and numbers on all four edges; where cells are small, only some of them."""
    canvas, model = grid.canvas, grid.model
    width, height = len(model.columns), len(model.rows)
    (x0, y0), (x1, y1) = grid.corner(0, 0), grid.corner(width, height)
    canvas.rectangle(Box(x0 - 1, y0 - 1, x1 + 1, y1 + 1), None, INK, 1.6)
    size = max(12.0, min(18.0, grid.cell * 0.42))
    widest = max((canvas.text_width(c, size, Face.SANS_BOLD) for c in model.columns), default=size) + 4
    every = max(1, math.ceil(widest / grid.cell))
    for x in range(0, width, every):
        at = x0 + (x + 0.5) * grid.cell
        for y in (y0 - _EDGE / 2, y1 + _EDGE / 2):
            canvas.text(model.columns[x], (at, y), size, MUTED, Face.SANS_BOLD, "mm")
    every = max(1, math.ceil((size + 2) / grid.cell))
    for y in range(0, height, every):
        at = y0 + (y + 0.5) * grid.cell
        for side in (x0 - _EDGE / 2, x1 + _EDGE / 2):
            canvas.text(str(y + 1), (side, at), min(size, 15.0), MUTED, Face.SANS_BOLD, "mm")


def _inset(canvas: Canvas, model: GridMap, clash: Clash, x: float, y: float) -> None:
    """A battle's surroundings, enlarged."""
    width, height = len(model.columns), len(model.rows)
    left = min(max(0, clash.x - _INSET // 2), max(0, width - _INSET))
    top = min(max(0, clash.y - _INSET // 2), max(0, height - _INSET))
    part = cut(model, left, top, min(_INSET, width), min(_INSET, height))
    text = f"{clash.number}. {clash.title}"
    canvas.text(canvas.shorten(text, 17, _INSET * _INSET_CELL, Face.SANS_BOLD), (x, y + 12), 17, legible(WARM), Face.SANS_BOLD)
    grid = _Grid(part, canvas, _INSET_CELL, x + 22, y + 46)
    _all_layers(grid)
    (x0, y0), (x1, y1) = grid.corner(0, 0), grid.corner(len(part.columns), len(part.rows))
    canvas.rectangle(Box(x0 - 1, y0 - 1, x1 + 1, y1 + 1), None, INK, 1.4)
    for number, name in enumerate(part.columns):
        canvas.text(name, (grid.centre(number, 0)[0], y0 - 10), 13, MUTED, Face.SANS_BOLD, "mm")
    for number in range(len(part.rows)):
        canvas.text(str(top + number + 1), (x0 - 12, grid.centre(0, number)[1]), 13, MUTED, Face.SANS_BOLD, "mm")


def cut(model: GridMap, left: int, top: int, width: int, height: int) -> GridMap:
    """A part of the map with everything that lies in it."""

    def inside(x: int, y: int) -> bool:
        return left <= x < left + width and top <= y < top + height

    def pieces(chain: Sequence[tuple[int, int]]) -> list[tuple[tuple[int, int], ...]]:
        """The stretches of a chain within the part."""
        out: list[list[tuple[int, int]]] = [[]]
        for x, y in chain:
            if inside(x, y):
                out[-1].append((x - left, y - top))
            elif out[-1]:
                out.append([])
        return [tuple(piece) for piece in out if len(piece) > 1]

    rows: tuple[tuple[Cell, ...], ...] = tuple(row[left : left + width] for row in model.rows[top : top + height])
    return replace(
        model,
        columns=model.columns[left : left + width],
        rows=rows,
        rivers=tuple(piece for chain in model.rivers for piece in pieces(chain)),
        provinces={},
        buildings=tuple(replace(b, x=b.x - left, y=b.y - top) for b in model.buildings if inside(b.x, b.y)),
        troops=tuple(replace(t, x=t.x - left, y=t.y - top) for t in model.troops if inside(t.x, t.y)),
        paths=tuple(replace(p, cells=piece) for p in model.paths for piece in pieces(p.cells)),
        clashes=tuple(replace(c, x=c.x - left, y=c.y - top) for c in model.clashes if inside(c.x, c.y)),
    )


def _legend_rows(model: GridMap, across: float, size: float) -> list[list[tuple[float, str, str]]]:
    ruler = Canvas(1, 1, 1.0, smooth=1)
    rows: list[list[tuple[float, str, str]]] = []
    x = across
    for item in model.legend:
        text = ruler.shorten(item.text, size, 320)
        width = ruler.text_width(text, size) + 52
        if x + width > across:
            rows.append([])
            x = 16.0
        rows[-1].append((x, text, item.colour))
        x += width
    return rows


def _legend(canvas: Canvas, rows: Sequence[Sequence[tuple[float, str, str]]], top: float, size: float) -> None:
    for number, entries in enumerate(rows):
        y = top + number * 32
        for x, text, colour in entries:
            canvas.rectangle(Box(x, y - 8, x + 18, y + 8), colour, mix(colour, (0, 0, 0), 0.35), 1, radius=3)
            canvas.text(text, (x + 26, y), size, INK)
