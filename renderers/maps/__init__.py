"""Pillow drawings of every map and figure model, as PNG; only shipped faces, no clock, the same bytes every time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from renderers.maps.battle import draw_battle
from renderers.maps.canvas import Canvas, png
from renderers.maps.charts import draw_bars, draw_lines
from renderers.maps.grid import draw_grid
from renderers.maps.heights import draw_heights
from renderers.maps.outlook import draw_outlook
from renderers.maps.roads import draw_roads
from rules.maps import Bars, BattleFigure, Figure, GraphMap, GridMap, HeightMap, LineChart, Outlook

_DRAWERS: Mapping[type, Callable[[Any], Canvas]] = {
    HeightMap: draw_heights,
    GraphMap: draw_roads,
    GridMap: draw_grid,
    BattleFigure: draw_battle,
    Bars: draw_bars,
    Outlook: draw_outlook,
    LineChart: draw_lines,
}


def canvas_of(figure: Figure) -> Canvas:
    """The figure drawn on a canvas, which still knows its labels."""
    return _DRAWERS[type(figure)](figure)


def draw_png(figure: Figure, max_bytes: int = 256 * 1024) -> bytes:
    """The figure as a PNG file of at most `max_bytes`."""
    # Models frozen all through; a map of roads often shows the same to several readers and after several steps.
    if isinstance(figure, GraphMap | BattleFigure):
        return _kept(figure, max_bytes)
    return png(canvas_of(figure).finish(), max_bytes)


@lru_cache(maxsize=24)
def _kept(figure: GraphMap | BattleFigure, max_bytes: int) -> bytes:
    return png(canvas_of(figure).finish(), max_bytes)


def forget_pictures() -> None:
    """Draws everything anew from here on: for measurements."""
    _kept.cache_clear()
