"""Pillow drawings of every map and figure model, as PNG; only shipped faces, no clock, the same bytes every time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from renderers.maps.canvas import Canvas, png
from renderers.maps.charts import draw_bars, draw_lines
from renderers.maps.heights import draw_heights
from rules.maps import Bars, Figure, HeightMap, LineChart

_DRAWERS: Mapping[type, Callable[[Any], Canvas]] = {
    HeightMap: draw_heights,
    Bars: draw_bars,
    LineChart: draw_lines,
}


def canvas_of(figure: Figure) -> Canvas:
    """The figure drawn on a canvas, which still knows its labels."""
    return _DRAWERS[type(figure)](figure)


def draw_png(figure: Figure, max_bytes: int = 256 * 1024) -> bytes:
    """The figure as a PNG file of at most `max_bytes`."""
    return png(canvas_of(figure).finish(), max_bytes)
