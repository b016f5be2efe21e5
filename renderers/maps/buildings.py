"""Signs of buildings by their level, of mines and lairs, for the grid map."""

from __future__ import annotations

from renderers.maps.canvas import XY, Box, Canvas
from renderers.palette import INK, PAPER, RGB, WARM, mix
from rules.maps import Building

_MINES = {"mine_silver": "#c3ccd6", "mine_gold": "#f0b400", "mine_mithril": "#59c9de", "mine_site": "#ffffff"}

_SHAPES: dict[str, tuple[XY, ...]] = {
    "outpost": ((-0.5, 0.9), (-0.5, 0.0), (-0.65, 0.0), (-0.65, -0.3), (0.65, -0.3), (0.65, 0.0), (0.5, 0.0), (0.5, 0.9)),
    "fortress": (
        (-1, 0.85),
        (-1, -0.6),
        (-0.72, -0.6),
        (-0.72, -0.4),
        (-0.42, -0.4),
        (-0.42, -0.15),
        (-0.15, -0.15),
        (-0.15, -0.35),
        (0.15, -0.35),
        (0.15, -0.15),
        (0.42, -0.15),
        (0.42, -0.4),
        (0.72, -0.4),
        (0.72, -0.6),
        (1, -0.6),
        (1, 0.85),
    ),
    "tower": (
        (-0.42, 0.95),
        (-0.36, -0.35),
        (-0.56, -0.35),
        (-0.56, -0.75),
        (0, -1.05),
        (0.56, -0.75),
        (0.56, -0.35),
        (0.36, -0.35),
        (0.42, 0.95),
    ),
    "manor": ((-1, 0.85), (-1, 0.1), (-0.5, -0.35), (-0.5, -0.35), (0, -0.85), (0.5, -0.35), (1, 0.1), (1, 0.85)),
    "castle": (
        (-1, 0.9),
        (-1, -0.5),
        (-0.78, -0.95),
        (-0.56, -0.5),
        (-0.56, -0.1),
        (-0.3, -0.1),
        (-0.3, -0.35),
        (-0.1, -0.35),
        (-0.1, -0.1),
        (0.1, -0.1),
        (0.1, -0.35),
        (0.3, -0.35),
        (0.3, -0.1),
        (0.56, -0.1),
        (0.56, -0.5),
        (0.78, -0.95),
        (1, -0.5),
        (1, 0.9),
    ),
    "city": (
        (-1, 0.9),
        (-1, 0.0),
        (-0.78, -0.25),
        (-0.56, 0.0),
        (-0.56, -0.45),
        (-0.35, -0.95),
        (-0.14, -0.45),
        (-0.14, -0.2),
        (0.14, -0.2),
        (0.14, -0.6),
        (0.36, -1.1),
        (0.58, -0.6),
        (0.58, 0.0),
        (0.8, -0.25),
        (1, 0.0),
        (1, 0.9),
    ),
}
"""Outlines in a square from −1 to 1, y downwards."""

_LEVELS = {"tower": 1, "manor": 2, "castle": 3, "city": 4}


def draw_building(canvas: Canvas, building: Building, at: XY, half: float) -> None:
    """The building's sign around `at`, `half` units to each side."""
    x, y = at
    edge = mix(building.colour, (0, 0, 0), 0.55)
    if building.besieged:
        canvas.dashed_circle(at, half * 1.32, WARM, max(1.4, half * 0.14), 10)
    if building.kind in _MINES:
        _mine(canvas, building, at, half)
    elif building.kind == "lair":
        _lair(canvas, at, half)
    else:
        shape = [(x + dx * half * 0.92, y + dy * half * 0.92) for dx, dy in _SHAPES.get(building.kind, _SHAPES["outpost"])]
        canvas.polygon(shape, PAPER, PAPER, max(1.6, half * 0.22))
        canvas.polygon(shape, building.colour, edge, max(0.9, half * 0.09))
        _details(canvas, building, at, half, edge)


def _details(canvas: Canvas, building: Building, at: XY, half: float, edge: RGB) -> None:
    """A gate, and one dot for each level of a lord's house."""
    x, y = at
    if half < 8:
        return
    door = half * 0.17
    canvas.rectangle(Box(x - door, y + half * 0.38, x + door, y + half * 0.8), edge)
    if building.kind == "outpost":
        canvas.line([(x, y - half * 0.3), (x, y - half * 0.98)], edge, max(0.9, half * 0.09))
        canvas.polygon(
            [(x, y - half * 0.98), (x + half * 0.55, y - half * 0.8), (x, y - half * 0.6)],
            building.colour,
            edge,
            max(0.7, half * 0.05),
        )
    level = _LEVELS.get(building.kind, 0)
    if half >= 12:
        for i in range(level):
            spot = (x + (i - (level - 1) / 2) * half * 0.34, y + half * 1.02)
            canvas.circle(spot, half * 0.14, PAPER)
            canvas.circle(spot, half * 0.11, INK)


def _mine(canvas: Canvas, building: Building, at: XY, half: float) -> None:
    """A cut stone in the metal's colour on the owner's ground; a site not yet opened is hollow."""
    x, y = at
    size = half * 0.78
    stone = [
        (x, y - size),
        (x + size, y - size * 0.2),
        (x + size * 0.6, y + size * 0.85),
        (x - size * 0.6, y + size * 0.85),
        (x - size, y - size * 0.2),
    ]
    site = building.kind == "mine_site"
    canvas.polygon(stone, PAPER, PAPER, max(1.6, half * 0.24))
    if site:
        canvas.line([*stone, stone[0]], "#7a828b", max(1.0, half * 0.1), dash=(half * 0.24, half * 0.16))
        return
    canvas.polygon(stone, _MINES[building.kind], mix(building.colour, (0, 0, 0), 0.25), max(1.2, half * 0.16))
    if half >= 8:
        shine = mix(_MINES[building.kind], PAPER, 0.6)
        canvas.polygon([stone[0], stone[4], (x - size * 0.1, y + size * 0.1)], shine)


def _lair(canvas: Canvas, at: XY, half: float) -> None:
    """A cave with two eyes."""
    x, y = at
    hill = [
        (x - half, y + half * 0.8),
        (x - half * 0.7, y - half * 0.3),
        (x, y - half * 0.85),
        (x + half * 0.7, y - half * 0.3),
        (x + half, y + half * 0.8),
    ]
    canvas.polygon(hill, "#7d756c", PAPER, max(1.4, half * 0.16))
    mouth = [
        (x - half * 0.5, y + half * 0.8),
        (x - half * 0.4, y),
        (x, y - half * 0.3),
        (x + half * 0.4, y),
        (x + half * 0.5, y + half * 0.8),
    ]
    canvas.polygon(mouth, "#2a2422")
    if half >= 6:
        for dx in (-0.17, 0.17):
            canvas.circle((x + dx * half, y + half * 0.22), half * 0.09, "#ffb02e")
