"""Names on the grid map: of buildings, rivers and provinces, each at the best free place or nowhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from renderers.fonts import Face
from renderers.maps.canvas import XY, Box
from renderers.maps.sheet import Grid, Taken
from renderers.palette import INK, PAPER

_RIVER = "#2f6c96"
_PROVINCE = "#3a4148"
_SMALLER = (1.0, 0.86)
"""Sizes tried, as shares of the wanted one."""


def draw_names(grid: Grid, curves: Sequence[Sequence[XY]]) -> None:
    """Names of buildings first, then of provinces, then of rivers (`curves`: their lines)."""
    small = grid.cell < 18
    size = 12.0 if small else max(12.0, min(19.0, grid.cell * 0.3))
    if grid.cell >= 24:
        for building in grid.model.buildings:
            if building.name:
                _building(grid, building.name, building.x, building.y, size * 0.86)
    water = Taken()
    for curve in curves:
        for x, y in curve:
            water.append(Box(x - 3, y - 3, x + 3, y + 3))
    for province, places in sorted(_cells(grid).items(), key=lambda item: (-len(item[1]), item[0])):
        name = grid.model.provinces.get(province)
        if name:
            _province(grid, name, province, places, size, water)
    if not small:
        for name, curve in zip(grid.model.river_names, curves, strict=False):
            _river(grid, name, curve, size * 0.82, water)


def _cells(grid: Grid) -> dict[int, list[tuple[int, int]]]:
    """Province → its cells."""
    cells: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for y, row in enumerate(grid.model.rows):
        for x, spot in enumerate(row):
            if spot.province is not None:
                cells[spot.province].append((x, y))
    return cells


def _building(grid: Grid, name: str, x: int, y: int, size: float) -> None:
    """Below, above, at the right, at the left: the first that covers nothing."""
    cx, cy = grid.centre(x, y)
    aside = grid.canvas.text_width(name, size, Face.SANS_BOLD) / 2 + grid.cell * 0.52
    near, far = grid.cell * 0.56, grid.cell * 0.7
    spots = [(cx, cy + near), (cx, cy - near), (cx, cy + far), (cx, cy - far), (cx - aside, cy), (cx + aside, cy)]
    _set(grid, name, spots, size, INK, Face.SANS_BOLD)


def _province(grid: Grid, name: str, province: int, places: Sequence[tuple[int, int]], size: float, water: Taken) -> None:
    """Near the middle of the province: within its borders and off the rivers where that is possible, else where it is free."""
    mx = sum(x for x, _ in places) / len(places)
    my = sum(y for _, y in places) / len(places)
    order = sorted(places, key=lambda p: ((p[0] - mx) ** 2 + 1.4 * (p[1] - my) ** 2, p))
    if grid.cell < 18 and grid.canvas.text_width(name, size, Face.SERIF_BOLD_ITALIC) > grid.cell * (
        1 + max(x for x, _ in places) - min(x for x, _ in places)
    ):
        return
    shifts = ((0.0, 0.0), (0.0, 0.5), (0.5, 0.0), (0.0, -0.5), (-0.5, 0.0), (0.5, 0.5), (-0.5, -0.5), (0.0, 0.25), (0.0, -0.25))
    near = order[:24] if grid.cell >= 18 else order[:4]
    spots = [grid.centre(mx, my)] if len(places) > 2 else []
    spots += [grid.centre(x + dx, y + dy) for x, y in near for dx, dy in shifts]
    spots += [grid.centre(x, y) for x, y in order[len(near) : 40]]

    def at_home(box: Box) -> bool:
        return all(grid.province_at(x, y) == province for x, y in _edge(box))

    def dry(box: Box) -> bool:
        return water.free(box)

    wishes: list[Callable[[Box], bool]] = [lambda box: at_home(box) and dry(box), at_home, dry, lambda box: True]
    for wish in wishes if grid.cell >= 18 else wishes[-1:]:
        if _set(grid, name, spots, size, _PROVINCE, Face.SERIF_BOLD_ITALIC, wish):
            return


def _edge(box: Box) -> Iterable[XY]:
    """Points around a text, close enough that no cell slips between them."""
    steps = max(2, round((box.x1 - box.x0) / 20))
    tall = (box.y1 - box.y0) * 0.2
    for i in range(steps + 1):
        x = box.x0 + (box.x1 - box.x0) * i / steps
        yield x, box.y0 + tall
        yield x, box.y1 - tall


def _river(grid: Grid, name: str, curve: Sequence[XY], size: float, water: Taken) -> None:
    """Beside the river, near the middle of its way."""
    if not name or len(curve) < 2:
        return
    half = grid.canvas.text_width(name, size, Face.SERIF_ITALIC) / 2 + grid.cell * 0.2
    order = sorted(range(len(curve)), key=lambda i: abs(i - len(curve) / 2))[::3]
    spots = [(curve[i][0] + side * half, curve[i][1]) for i in order for side in (1, -1)]
    spots += [(curve[i][0], curve[i][1] + side * (size * 0.6 + grid.cell * 0.1)) for i in order for side in (1, -1)]
    _set(grid, name, spots, size, _RIVER, Face.SERIF_ITALIC, water.free)


def _set(
    grid: Grid,
    text: str,
    spots: Sequence[XY],
    size: float,
    colour: str,
    face: Face,
    wish: Callable[[Box], bool] = lambda box: True,
) -> bool:
    """Sets a name at the first spot that it may take and where it covers nothing; else smaller. False: nowhere."""
    canvas = grid.canvas
    frame = Box(grid.left + 2, grid.top + 2, *grid.corner(len(grid.model.columns), len(grid.model.rows)))
    for share in _SMALLER:
        wanted = size * share
        if wanted < 9:
            break
        shown = canvas.shorten(text, wanted, max(grid.cell * 4, 90), face)
        box = canvas.text_box(shown, (0, 0), wanted, face, "mm")
        for x, y in spots:
            placed = box.shifted(x, y)
            if placed.inside(frame) and grid.taken.free(placed) and wish(placed):
                canvas.text(shown, (x, y), wanted, colour, face, "mm", halo=PAPER, halo_width=1.8)
                grid.taken.append(placed)
                return True
    return False
