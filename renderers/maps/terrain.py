"""The ground of the grid map: soft-edged terrain with small signs (trees, peaks, dunes, tufts, waves), tinted by its owner."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from renderers.palette import RGB, mix, rgb
from rules.maps import GridMap

TERRAINS = ("field", "forest", "desert", "mountain", "sea")
GROUND: dict[str, str] = {
    "field": "#dfe8c4",
    "forest": "#b5cfa2",
    "desert": "#f0e0b6",
    "mountain": "#d3cec8",
    "sea": "#b4d3e6",
}
"""Base colour of each terrain; light, so that banners and names stand out."""
_SIGN: dict[str, str] = {"field": "#bccb94", "forest": "#6f9a68", "desert": "#d2b878", "mountain": "#948d86", "sea": "#8fb9d4"}
_VARIANTS = 4
_TINT = 0.2
"""Share of the owner's colour in his land."""


def ground(model: GridMap, cell: int) -> Image.Image:
    """The terrain at `cell` pixels to a cell."""
    height, width = len(model.rows), len(model.columns)
    kinds = np.full((height, width), TERRAINS.index("sea"), dtype=np.int16)
    owners = np.zeros((height, width), dtype=np.int16)
    colours = sorted(set(model.owners.values()))
    for y, row in enumerate(model.rows):
        for x, spot in enumerate(row[:width]):
            kinds[y, x] = TERRAINS.index(spot.terrain) if spot.terrain in TERRAINS else 0
            if spot.province is not None and spot.province in model.owners:
                owners[y, x] = 1 + colours.index(model.owners[spot.province])
    table = [rgb(GROUND[t]) if c is None else mix(GROUND[t], c, _TINT) for t in TERRAINS for c in (None, *colours)]
    index = _softened(kinds, cell) * (len(colours) + 1) + _spread(owners, cell)
    if len(table) <= 256:
        image = Image.fromarray(index.astype(np.uint8), "P")
        image.putpalette([part for colour in table for part in colour])
        image = image.convert("RGB")
    else:
        image = Image.fromarray(np.array(table, dtype=np.uint8)[index], "RGB")
    if cell >= 12:
        _signs(image, kinds, cell)
    return image


def _softened(kinds: NDArray[np.int16], cell: int) -> NDArray[np.int16]:
    """Terrain per pixel with gently winding edges: each pixel asks a slightly displaced place."""
    height, width = kinds.shape
    if cell < 10:
        return _spread(kinds, cell)
    ys = np.arange(height * cell, dtype=np.float32)[:, None] / cell
    xs = np.arange(width * cell, dtype=np.float32)[None, :] / cell
    # Sums of sines that depend on both coordinates: cheap, seamless and the same everywhere.
    dx = 0.055 * _sine(ys * 5.1, 1.7 * np.sin(xs * 1.3)) + 0.04 * _sine(ys * 11.3, xs * 2.1)
    dy = 0.055 * _sine(xs * 4.7, 1.9 * np.sin(ys * 1.1)) + 0.04 * _sine(xs * 10.7, ys * -2.3)
    # The displacement is less than a cell, so one cell of margin keeps every place within the array.
    padded = np.pad(kinds, 1, mode="edge")
    column = (xs + dx + 1).astype(np.int32)
    line = (ys + dy + 1).astype(np.int32)
    return np.asarray(padded.ravel()[line * (width + 2) + column], dtype=np.int16)


def _sine(a: NDArray[np.floating], b: NDArray[np.floating]) -> NDArray[np.floating]:
    """sin(a + b) of a column and a row, by products: no sine is taken pixel by pixel."""
    return np.asarray(np.sin(a) * np.cos(b) + np.cos(a) * np.sin(b))


def _spread(values: NDArray[np.int16], cell: int) -> NDArray[np.int16]:
    """Each value as a square of pixels."""
    return np.repeat(np.repeat(values, cell, axis=0), cell, axis=1)


def _signs(image: Image.Image, kinds: NDArray[np.int16], cell: int) -> None:
    for y in range(kinds.shape[0]):
        for x in range(kinds.shape[1]):
            tile, mask = _tile(TERRAINS[int(kinds[y, x])], cell, (x * 7 + y * 13 + x * y) % _VARIANTS)
            image.paste(tile, (x * cell, y * cell), mask)


@cache
def _tile(terrain: str, cell: int, variant: int) -> tuple[RGB, Image.Image]:
    """A terrain's signs in one cell: their colour and a mask."""
    factor = 4
    mask = Image.new("L", (cell * factor, cell * factor), 0)
    draw = ImageDraw.Draw(mask)
    unit = cell * factor / 100
    for x, y in _SPOTS[terrain][variant]:
        _DRAWERS[terrain](draw, x * unit, y * unit, unit)
    # A few steps of softness: the eye sees no difference, the file is much smaller.
    return rgb(_SIGN[terrain]), mask.reduce(factor).point([round(v / 85) * 85 for v in range(256)])


_SPOTS: dict[str, tuple[tuple[tuple[float, float], ...], ...]] = {
    "field": (((24, 30), (70, 74)), ((66, 26), (30, 70)), ((50, 22), (22, 76), (80, 60)), ((28, 50), (76, 34))),
    "forest": (
        ((20, 26), (52, 18), (82, 32), (34, 58), (70, 66), (18, 84), (52, 88)),
        ((26, 18), (60, 28), (86, 18), (18, 54), (50, 62), (82, 68), (32, 90)),
        ((16, 34), (46, 24), (78, 22), (30, 66), (62, 58), (88, 58), (56, 90)),
        ((30, 30), (68, 18), (14, 62), (48, 56), (82, 50), (28, 90), (70, 86)),
    ),
    "desert": (((28, 34), (68, 72)), ((64, 28), (30, 68)), ((40, 24), (70, 56), (26, 80)), ((26, 50), (72, 40))),
    "mountain": (((30, 44), (68, 76)), ((66, 40), (32, 80)), ((48, 36), (24, 78), (78, 80)), ((28, 40), (70, 56), (36, 88))),
    "sea": (((28, 30), (70, 68)), ((68, 26), (32, 66)), ((46, 40), (78, 82)), ((24, 56), (70, 36))),
}


def _tuft(draw: ImageDraw.ImageDraw, x: float, y: float, u: float) -> None:
    for dx in (-4, 0, 4):
        draw.line((x + dx * u * 0.5, y + 4 * u, x + dx * u * 1.3, y - 4 * u), fill=200, width=max(1, round(1.8 * u)))


def _tree(draw: ImageDraw.ImageDraw, x: float, y: float, u: float) -> None:
    draw.polygon([(x, y - 11 * u), (x - 8 * u, y + 6 * u), (x + 8 * u, y + 6 * u)], fill=220)
    draw.rectangle((x - 1.4 * u, y + 6 * u, x + 1.4 * u, y + 10 * u), fill=220)


def _dune(draw: ImageDraw.ImageDraw, x: float, y: float, u: float) -> None:
    draw.arc((x - 14 * u, y - 5 * u, x + 14 * u, y + 12 * u), 200, 340, fill=210, width=max(1, round(2.4 * u)))
    draw.ellipse((x + 15 * u, y + 6 * u, x + 18 * u, y + 9 * u), fill=210)


def _peak(draw: ImageDraw.ImageDraw, x: float, y: float, u: float) -> None:
    draw.polygon([(x, y - 22 * u), (x + 20 * u, y + 10 * u), (x + 5 * u, y + 10 * u), (x + 1 * u, y - 4 * u)], fill=215)
    draw.line(
        [(x - 20 * u, y + 10 * u), (x, y - 22 * u), (x + 20 * u, y + 10 * u)],
        fill=230,
        width=max(1, round(2.6 * u)),
        joint="curve",
    )


def _wave(draw: ImageDraw.ImageDraw, x: float, y: float, u: float) -> None:
    points = [(x + (i - 8) * 1.9 * u, y + 3 * u * math.sin(i / 16 * 4 * math.pi)) for i in range(17)]
    draw.line(points, fill=210, width=max(1, round(2.2 * u)), joint="curve")


_DRAWERS = {"field": _tuft, "forest": _tree, "desert": _dune, "mountain": _peak, "sea": _wave}
