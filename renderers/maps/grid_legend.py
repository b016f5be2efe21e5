"""The legend of the grid map: whose colours they are, and what the signs mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from renderers.maps.buildings import draw_building
from renderers.maps.canvas import XY, Box, Canvas
from renderers.palette import INK, MUTED, PAPER, WARM, mix
from rules.maps import Building, GridMap

_ROW = 32.0
_PLAIN = "#8d949c"
"""The colour of signs that stand for anybody's."""
_MINES = ("mine_silver", "mine_gold", "mine_mithril")


@dataclass(frozen=True, slots=True)
class _Entry:
    """One explanation: how wide its sign is, how it is drawn (canvas, left end of its middle line), its text."""

    width: float
    draw: Callable[[Canvas, XY], None]
    text: str


@dataclass(frozen=True, slots=True)
class Legend:
    """A legend laid out in rows."""

    rows: tuple[tuple[tuple[float, _Entry], ...], ...]
    size: float

    @property
    def height(self) -> float:
        """Room it takes."""
        return len(self.rows) * _ROW


def lay_out(model: GridMap, across: float, size: float) -> Legend:
    """Sides first, on a row of their own, then the signs."""
    sides = [_Entry(18, _swatch(item.colour), item.text) for item in model.legend]
    signs = [_Entry(*_DRAWN[sign.kind], sign.text) for sign in model.signs if sign.kind in _DRAWN]
    return Legend((*_rows(sides, across, size), *_rows(signs, across, size * 0.86)), size)


def _rows(entries: Sequence[_Entry], across: float, size: float) -> list[tuple[tuple[float, _Entry], ...]]:
    ruler = Canvas(1, 1, 1.0, smooth=1)
    rows: list[list[tuple[float, _Entry]]] = []
    x = across
    for entry in entries:
        entry = _Entry(entry.width, entry.draw, ruler.shorten(entry.text, size, 340))
        width = entry.width + 10 + ruler.text_width(entry.text, size) + 24
        if x + width > across:
            rows.append([])
            x = 16.0
        rows[-1].append((x, entry))
        x += width
    return [tuple(row) for row in rows]


def draw_legend(canvas: Canvas, legend: Legend, top: float) -> None:
    """Draws it; `top` is the middle of its first row."""
    for number, row in enumerate(legend.rows):
        y = top + number * _ROW
        for x, entry in row:
            entry.draw(canvas, (x, y))
            sides = entry.width == 18
            canvas.text(
                entry.text, (x + entry.width + 8, y), legend.size if sides else legend.size * 0.86, INK if sides else MUTED
            )


def _swatch(colour: str) -> Callable[[Canvas, XY], None]:
    def draw(canvas: Canvas, at: XY) -> None:
        x, y = at
        canvas.rectangle(Box(x, y - 8, x + 18, y + 8), colour, mix(colour, (0, 0, 0), 0.35), 1, radius=3)

    return draw


def _kinds(*kinds: str) -> tuple[float, Callable[[Canvas, XY], None]]:
    """The signs of these kinds of building, side by side."""

    def draw(canvas: Canvas, at: XY) -> None:
        for number, kind in enumerate(kinds):
            draw_building(canvas, Building(0, 0, kind, _PLAIN), (at[0] + 13 + number * 30, at[1] - 2), 12)

    return 30.0 * len(kinds) - 4, draw


def _strength(canvas: Canvas, at: XY) -> None:
    x, y = at[0] + 10, at[1]
    flag = [(x - 8, y - 11), (x + 8, y - 11), (x + 8, y + 5), (x, y + 9), (x - 8, y + 5)]
    canvas.polygon(flag, _PLAIN, mix(_PLAIN, (0, 0, 0), 0.5), 1.2)
    canvas.circle((x + 8, y + 7), 5.5, PAPER, INK, 1)


def _siege(canvas: Canvas, at: XY) -> None:
    canvas.dashed_circle((at[0] + 12, at[1]), 11, WARM, 2, 10)


def _path(canvas: Canvas, at: XY) -> None:
    x, y = at
    canvas.line([(x, y), (x + 22, y)], MUTED, 2.4, dash=(6, 4))
    canvas.arrow([(x + 20, y), (x + 32, y)], MUTED, 2.4, 9)


def _attack(canvas: Canvas, at: XY) -> None:
    attack_arrow(canvas, at, (at[0] + 32, at[1]), _PLAIN, 14)


def _fallen(canvas: Canvas, at: XY) -> None:
    cross(canvas, (at[0] + 9, at[1]), 8)


def attack_arrow(canvas: Canvas, start: XY, end: XY, colour: str, thick: float) -> None:
    """A broad arrow, slender at its start."""
    (x0, y0), (x1, y1) = start, end
    length = max(1e-6, ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5)
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    head = min(length * 0.5, thick)
    bx, by = x1 - ux * head, y1 - uy * head

    def beside(x: float, y: float, by_: float) -> XY:
        return x - uy * by_, y + ux * by_

    wide, slim = thick * 0.26, thick * 0.09
    shape = [
        beside(x0, y0, slim), beside(bx, by, wide), beside(bx, by, thick * 0.55), (x1, y1),
        beside(bx, by, -thick * 0.55), beside(bx, by, -wide), beside(x0, y0, -slim),
    ]  # fmt: skip
    canvas.polygon(shape, PAPER, PAPER, max(2.0, thick * 0.14))
    canvas.polygon(shape, colour, mix(colour, (0, 0, 0), 0.45), max(0.8, thick * 0.05))


def cross(canvas: Canvas, at: XY, half: float) -> None:
    """The mark of what has fallen."""
    x, y = at
    for dy in (1, -1):
        ends = [(x - half, y - half * dy), (x + half, y + half * dy)]
        canvas.line(ends, PAPER, half * 0.62)
    for dy in (1, -1):
        ends = [(x - half, y - half * dy), (x + half, y + half * dy)]
        canvas.line(ends, WARM, half * 0.34)


_DRAWN: dict[str, tuple[float, Callable[[Canvas, XY], None]]] = {
    "lord_house": _kinds("tower", "manor", "castle", "city"),
    "fortress": _kinds("fortress"),
    "outpost": _kinds("outpost"),
    "mine": _kinds(*_MINES),
    "mine_site": _kinds("mine_site"),
    "lair": _kinds("lair"),
    "strength": (24.0, _strength),
    "siege": (25.0, _siege),
    "path": (33.0, _path),
    "attack": (33.0, _attack),
    "fallen": (19.0, _fallen),
}
