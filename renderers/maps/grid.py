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
from renderers.maps.grid_legend import attack_arrow, cross, draw_legend, lay_out
from renderers.maps.grid_names import draw_names
from renderers.maps.sheet import STEPS, Grid, ribbon, spline
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
_INSET_CELLS = (82, 62)
"""Size of a cell in an enlarged battle: of few, and of many."""
_FEW_INSETS = 3
_INSET_MARGIN = 94
"""Room for an enlarged battle's title, result and coordinates."""
_MOST_INSETS = 8


def draw_grid(model: GridMap) -> Canvas:
    """Draws the model; the canvas still holds its labels for checks."""
    width, height = len(model.columns), len(model.rows)
    cell = max(8, min(68, _WIDEST // max(1, width), (_WIDEST + 200) // max(1, height)))
    insets = _by_cell(model.clashes)[:_MOST_INSETS]
    inset_cell = _INSET_CELLS[len(insets) > _FEW_INSETS or width * cell < 900]
    inset = float(_INSET * inset_cell)
    across = max(640.0, width * cell + 2 * _EDGE)
    big = across > 900
    head = (96.0 if model.subtitle else 66.0) if big else (74.0 if model.subtitle else 50.0)
    per_row = max(1, int((across - 20) // (inset + 40)))
    inset_rows = math.ceil(len(insets) / per_row)
    legend = lay_out(model, across, 18.0 if big else 15.0)
    below = 26 + legend.height + (inset_rows * (inset + _INSET_MARGIN) if insets else 0)
    canvas = Canvas(across, head + height * cell + 2 * _EDGE + below, 1.0, smooth=2)
    size = 32.0 if big else 22.0
    canvas.text(
        canvas.shorten(model.title, size, across - 32, Face.SERIF_BOLD), (16, 36 if big else 26), size, INK, Face.SERIF_BOLD
    )
    if model.subtitle:
        canvas.text(canvas.shorten(model.subtitle, size * 0.6, across - 32), (17, 74 if big else 54), size * 0.6, MUTED)
    grid = Grid(model, canvas, cell, (across - width * cell) / 2, head + _EDGE)
    _all_layers(grid)
    _coordinates(grid)
    bottom = grid.top + height * cell + _EDGE
    draw_legend(canvas, legend, bottom + 22)
    for index, clashes in enumerate(insets):
        x = 16 + (index % per_row) * (inset + 40)
        y = bottom + 22 + legend.height + (index // per_row) * (inset + _INSET_MARGIN)
        _inset(canvas, model, clashes, x, y, inset_cell)
    return canvas


def _all_layers(grid: Grid) -> None:
    canvas, cell = grid.canvas, int(grid.cell)
    picture = ground(grid.model, cell)
    factor = round(canvas.factor)
    canvas.large.paste(
        picture.resize((picture.width * factor, picture.height * factor), Image.Resampling.NEAREST),
        (round(grid.left * factor), round(grid.top * factor)),
    )
    _lines(grid)
    curves = _rivers(grid)
    _borders(grid)
    for path in grid.model.paths:
        _path(grid, path.cells, path.colour)
    _things(grid)
    draw_names(grid, curves)


def _lines(grid: Grid) -> None:
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


def _rivers(grid: Grid) -> list[list[XY]]:
    """Rivers grow from their sources and end a little beyond the shore. Returns their curves."""
    curves = []
    for chain in grid.model.rivers:
        if len(chain) < 2:
            curves.append([grid.centre(x, y) for x, y in chain])
            continue
        curve = spline([grid.centre(x, y) for x, y in chain])
        x, y = chain[-1]
        if grid.model.rows[y][x].terrain == "sea":
            curve = curve[: -max(2, STEPS * 3 // 10)]
        curves.append(curve)
        wide = max(1.4, grid.cell * 0.15)
        for colour, extra in ((_RIVER_BANK, max(1.0, grid.cell * 0.04)), (_RIVER, 0.0)):
            # Full width is reached after some cells, however long the river is.
            widths = [wide * (0.4 + 0.6 * min(1.0, i / (4 * STEPS))) + extra for i in range(len(curve))]
            grid.canvas.polygon(ribbon(curve, widths), colour)
            for end in (0, -1):
                grid.canvas.circle(curve[end], widths[end] / 2, colour)
    return curves


def _borders(grid: Grid) -> None:
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
                other = grid.province(nx, ny)
                if other == spot.province:
                    continue
                if owner is not None and (other is None or model.owners.get(other) != owner):
                    canvas.rectangle(strip, owner)
                if other is None or other > spot.province:
                    edges.append(edge)
    for a, b in edges:
        canvas.line([a, b], _BORDER, max(1.0, grid.cell * 0.035))


# ------------------------------------------------------------------------------------------------ things


def _path(grid: Grid, cells: Sequence[tuple[int, int]], colour: str) -> None:
    if len(cells) < 2:
        return
    # A little off the centre, so that two paths of opposite ways stay apart and banners don't hide the line.
    points = _short_of(spline([_shift(grid.centre(x, y), grid.cell * 0.12) for x, y in cells], 14), grid.cell * 0.4)
    dark = hexa(legible(colour, 3.6))
    width = max(1.6, grid.cell * 0.06)
    canvas = grid.canvas
    canvas.line(points[:-3], PAPER, width * 2.1)
    canvas.line(points[:-3], dark, width, dash=(grid.cell * 0.16, grid.cell * 0.1))
    canvas.arrow(points[-5:], dark, width, max(5.0, grid.cell * 0.24))


def _short_of(points: list[XY], by: float) -> list[XY]:
    """The line without its last stretch, so that its head isn't under the troop that stands at its end."""
    (x1, y1) = points[-1]
    kept = [(x, y) for x, y in points if (x - x1) ** 2 + (y - y1) ** 2 >= by * by]
    return kept if len(kept) > 6 else points


def _shift(point: XY, by: float) -> XY:
    return point[0] + by, point[1] + by


def _things(grid: Grid) -> None:
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
    for clashes in _by_cell(model.clashes):
        _clash(grid, clashes)


def _troop(grid: Grid, troop: Troop, at: XY, share: float) -> None:
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


def _by_cell(clashes: Sequence[Clash]) -> list[tuple[Clash, ...]]:
    """Battles of one cell together, in the order of their numbers."""
    cells: dict[tuple[int, int], list[Clash]] = defaultdict(list)
    for clash in clashes:
        cells[clash.x, clash.y].append(clash)
    return [tuple(found) for found in cells.values()]


def _clash(grid: Grid, clashes: Sequence[Clash]) -> None:
    """The attacks on a cell, who fell there, and the numbers of its battles."""
    canvas, first = grid.canvas, clashes[0]
    x, y = grid.centre(first.x, first.y)
    half = grid.cell / 2
    canvas.rectangle(Box(x - half, y - half, x + half, y + half), None, WARM, max(1.4, grid.cell * 0.06), radius=grid.cell * 0.1)
    if grid.cell < 18:
        return
    standing = {(t.x, t.y) for t in grid.model.troops}
    for troop in (t for clash in clashes for t in clash.fallen):
        _fallen(grid, troop, alone=(troop.x, troop.y) not in standing)
    for ax, ay, colour in (attack for clash in clashes for attack in clash.attacks):
        (x0, y0), (dx, dy) = grid.centre(ax, ay), (first.x - ax, first.y - ay)
        near = grid.cell * 0.34 / max(abs(dx), abs(dy), 1)
        far = grid.cell * 0.2 / max(abs(dx), abs(dy), 1)
        attack_arrow(canvas, (x0 + dx * near, y0 + dy * near), (x - dx * far, y - dy * far), colour, grid.cell * 0.36)
    radius = max(8.0, grid.cell * 0.2)
    sides = [(ax - first.x, ay - first.y) for clash in clashes for ax, ay, _ in clash.attacks]
    # The corner from which nobody attacks, the north-eastern one if there are several.
    corner = min(((1, -1), (-1, -1), (1, 1), (-1, 1)), key=lambda c: sum((c[0] == dx) + (c[1] == dy) for dx, dy in sides))
    spot = (x + corner[0] * (half - radius * 0.5), y + corner[1] * (half - radius * 0.5))
    text = ",".join(str(clash.number) for clash in clashes)
    canvas.circle(spot, radius, WARM, PAPER, max(1.0, grid.cell * 0.03))
    size = radius * (1.25 if len(text) < 2 else 0.9)
    canvas.text(text, spot, size, PAPER, Face.SANS_BOLD, "mm")
    grid.taken.append(Box(spot[0] - radius, spot[1] - radius, spot[0] + radius, spot[1] + radius))


def _fallen(grid: Grid, troop: Troop, *, alone: bool) -> None:
    """A pale banner, crossed; small in a corner where somebody stands now."""
    x, y = grid.centre(troop.x, troop.y)
    unit = grid.cell if alone else grid.cell * 0.5
    if not alone:
        x, y = x - grid.cell * 0.28, y - grid.cell * 0.22
    w, top, foot = unit * 0.3, y - unit * 0.36, y + unit * 0.2
    flag = [(x - w, top), (x + w, top), (x + w, foot), (x, foot + unit * 0.12), (x - w, foot)]
    pale = mix(troop.colour, PAPER, 0.6)
    grid.canvas.polygon(flag, pale, PAPER, max(1.6, unit * 0.09))
    text = " ".join(troop.label.split())[:2]
    if alone:
        grid.canvas.text(
            text,
            (x, y - unit * 0.1),
            unit * (0.36 if len(text) < 2 else 0.3),
            mix(troop.colour, PAPER, 0.1),
            Face.SANS_BOLD,
            "mm",
        )
    cross(grid.canvas, (x, y - unit * 0.06), unit * 0.26)
    grid.taken.append(Box(x - w, top, x + w, foot + unit * 0.14))


# ------------------------------------------------------------------------------------------------ frame


def _coordinates(grid: Grid) -> None:
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


def _inset(canvas: Canvas, model: GridMap, clashes: Sequence[Clash], x: float, y: float, cell: int) -> None:
    """The surroundings of a cell's battles, enlarged, with how they ended."""
    width, height = len(model.columns), len(model.rows)
    clash = clashes[0]
    left = min(max(0, clash.x - _INSET // 2), max(0, width - _INSET))
    top = min(max(0, clash.y - _INSET // 2), max(0, height - _INSET))
    part = cut(model, left, top, min(_INSET, width), min(_INSET, height))
    room = float(_INSET * cell)
    text = f"{clash.number}. {clash.title}" if len(clashes) == 1 else "; ".join(f"{c.number}. {c.title}" for c in clashes)
    canvas.text(canvas.shorten(text, 17, room + 20, Face.SANS_BOLD), (x, y + 12), 17, legible(WARM), Face.SANS_BOLD)
    results = "; ".join(c.result for c in clashes if c.result)
    if results:
        canvas.text(canvas.shorten(results, 14, room + 20), (x, y + 33), 14, MUTED)
        y += 22
    grid = Grid(part, canvas, cell, x + 22, y + 46)
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
        river_names=(),
        buildings=tuple(replace(b, x=b.x - left, y=b.y - top) for b in model.buildings if inside(b.x, b.y)),
        troops=tuple(replace(t, x=t.x - left, y=t.y - top) for t in model.troops if inside(t.x, t.y)),
        paths=tuple(replace(p, cells=piece) for p in model.paths for piece in pieces(p.cells)),
        clashes=tuple(_moved(c, -left, -top) for c in model.clashes if inside(c.x, c.y)),
    )


def _moved(clash: Clash, dx: int, dy: int) -> Clash:
    """A battle in shifted coordinates."""
    return replace(
        clash,
        x=clash.x + dx,
        y=clash.y + dy,
        attacks=tuple((x + dx, y + dy, colour) for x, y, colour in clash.attacks),
        fallen=tuple(replace(troop, x=troop.x + dx, y=troop.y + dy) for troop in clash.fallen),
    )
