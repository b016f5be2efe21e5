"""A grid map being drawn: where its cells lie, which areas are taken, smooth curves through cells."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from renderers.maps.canvas import XY, Box, Canvas
from rules.maps import GridMap

STEPS = 8
"""Points of a curve from one cell to the next."""


class Taken:
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


class Grid:
    """A drawing in progress: the canvas, the size of a cell and what is taken."""

    def __init__(self, model: GridMap, canvas: Canvas, cell: int, left: float, top: float) -> None:
        self.model = model
        self.canvas = canvas
        self.cell = float(cell)
        self.left = left
        self.top = top
        self.taken = Taken()

    def corner(self, x: float, y: float) -> XY:
        """A cell's north-west corner."""
        return self.left + x * self.cell, self.top + y * self.cell

    def centre(self, x: float, y: float) -> XY:
        """A cell's centre."""
        return self.corner(x + 0.5, y + 0.5)

    def province(self, x: int, y: int) -> int | None:
        """The province of a cell; None beyond the map and in the sea."""
        rows = self.model.rows
        return rows[y][x].province if 0 <= y < len(rows) and 0 <= x < len(rows[y]) else None

    def province_at(self, x: float, y: float) -> int | None:
        """The province at a point of the canvas."""
        return self.province(int((x - self.left) // self.cell), int((y - self.top) // self.cell))


def spline(points: Sequence[XY], steps: int = STEPS) -> list[XY]:
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


def ribbon(points: Sequence[XY], widths: Sequence[float]) -> list[XY]:
    """The outline of a line that is `widths` wide at its points."""
    left: list[XY] = []
    right: list[XY] = []
    for i, (x, y) in enumerate(points):
        (x0, y0), (x1, y1) = points[max(0, i - 1)], points[min(len(points) - 1, i + 1)]
        length = max(1e-6, ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5)
        nx, ny = (y0 - y1) / length * widths[i] / 2, (x1 - x0) / length * widths[i] / 2
        left.append((x + nx, y + ny))
        right.append((x - nx, y - ny))
    return left + right[::-1]
