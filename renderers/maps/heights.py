"""The astral side view: worlds as chains of circles at their heights, free shards as grey circles, Nothing as a strip below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from renderers.fonts import Face
from renderers.maps.canvas import XY, Box, Canvas
from renderers.palette import FAINT, INK, LINE, MUTED, NEUTRAL, PAPER, STAR, WASH, hexa, legible, mix, on, rgb
from rules.maps import FreeShard, HeightMap, Shard, World

WIDTH = 760.0
"""Narrow, so that a phone shows the texts large enough."""
_LEFT, _RIGHT, _TOP = 54.0, 26.0, 104.0
_LEVEL = 60.0
"""Least room of a height."""
_BOTTOM = 30.0
_DORMANT = 100.0
"""Height of a line of dormant worlds."""
_LABEL = 16.0
"""Size of a world's name."""


@dataclass(frozen=True, slots=True)
class _Chain:
    """A world's circles, broken into rows and shrunk where the chain is long."""

    world: World
    rows: tuple[tuple[Shard, ...], ...]
    scale: float
    title: str
    note: str
    width: float
    """Of circles and texts, whichever is wider."""

    @property
    def height(self) -> float:
        """From the top of the name to the foot of the last row."""
        return _NAME + sum(self._row_height(row) for row in self.rows) + _ROW_GAP * (len(self.rows) - 1)

    def _row_height(self, row: Sequence[Shard]) -> float:
        return 2 * max(_radius(s.size) for s in row) * self.scale + 4

    def circles(self, left: float, top: float) -> list[tuple[XY, float, Shard]]:
        """Every shard's circle, inner to outer, for the name's corner at `left`, `top`."""
        out: list[tuple[XY, float, Shard]] = []
        y = top + _NAME
        for row in self.rows:
            tall = self._row_height(row)
            x = left
            for shard in row:
                radius = _radius(shard.size) * self.scale
                out.append(((x + radius, y + tall / 2), radius, shard))
                x += 2 * radius + _GAP * self.scale
            y += tall + _ROW_GAP
        return out


@dataclass(slots=True)
class _Track:
    """One line of a level: what stands on it can't collide."""

    height: float
    chains: list[tuple[float, _Chain]] = field(default_factory=list)
    """Left edge and chain."""
    free: list[tuple[float, FreeShard]] = field(default_factory=list)
    """Centre and shard."""

    def spans(self) -> list[tuple[float, float]]:
        """The stretches that are taken."""
        radii = [(x, _radius(f.shard.size) + 3) for x, f in self.free]
        return [(x - 4, x + c.width + 8) for x, c in self.chains] + [(x - r, x + r) for x, r in radii]


_GAP = 5.0
_ROW_GAP = 2.0
_NAME = 24.0
"""Room of a world's name above its circles."""


def _radius(size: int) -> float:
    return 9.5 + 5.2 * math.sqrt(max(1, min(size, 16)))


def draw_heights(model: HeightMap, scale: float = 1.9) -> Canvas:
    """Draws the model; the canvas still holds its labels for checks."""
    ruler = Canvas(1, 1, scale, smooth=1)
    levels = {h: _level(ruler, model, h) for h in _range(model)}
    strip = _strip_height(model)
    height = _TOP + sum(_band(tracks) for tracks in levels.values()) + strip + _BOTTOM
    canvas = Canvas(WIDTH, height, scale, smooth=2)
    _head(canvas, model)
    y = _TOP
    for h, tracks in levels.items():
        _draw_level(canvas, h, tracks, y)
        y += _band(tracks)
    if strip:
        _draw_dormant(canvas, model, y, strip)
    return canvas


def _range(model: HeightMap) -> range:
    """Heights from the top of the picture to its foot."""
    heights = [w.height for w in model.worlds if not w.dormant] + [f.height for f in model.free]
    return range(max([model.high, *heights]), min([model.low, *heights]) - 1, -1)


# ------------------------------------------------------------------------------------------------ layout


def _level(ruler: Canvas, model: HeightMap, height: int) -> list[_Track]:
    """What stands at a height, on as many lines as it takes: free shards keep their places, worlds move up where they must."""
    base = _Track(0)
    for free in sorted((f for f in model.free if f.height == height), key=lambda f: (f.x, f.shard.label)):
        radius = _radius(free.shard.size)
        home = _LEFT + min(max(free.x, 0), 1) * (WIDTH - _RIGHT - _LEFT)
        base.free.append((_nearest(base.spans(), home - radius, 2 * radius, WIDTH)[0] + radius, free))
        base.height = max(base.height, 2 * radius + 20)
    tracks = [base]
    for world in sorted((w for w in model.worlds if w.height == height and not w.dormant), key=lambda w: (w.x, w.name)):
        chain = _chain(ruler, world, WIDTH - _RIGHT - _LEFT + 20)
        lane = _LEFT + min(max(world.x, 0), 1) * (WIDTH - _RIGHT - _LEFT)
        for track in tracks:
            left, moved = _nearest(track.spans(), lane, chain.width, 28 if track is base else 70)
            if moved is not None:
                break
        else:
            track = _Track(0)
            tracks.append(track)
            left = _nearest([], lane, chain.width, WIDTH)[0]
        track.chains.append((left, chain))
        track.height = max(track.height, chain.height + 14)
    return tracks[:0:-1] + tracks[:1]


def _nearest(spans: Sequence[tuple[float, float]], left: float, width: float, most: float) -> tuple[float, float | None]:
    """The left edge nearest to `left` where `width` is free, and how far it was moved; None: no place within `most`."""
    low, high = _LEFT - 6, max(_LEFT - 6, WIDTH - _RIGHT + 14 - width)
    wish = min(max(left, low), high)
    places = [wish, *(start - width for start, _ in spans), *(end for _, end in spans)]
    fitting = [p for p in places if low <= p <= high and all(p + width <= s or p >= e for s, e in spans)]
    if not fitting:
        return wish, None
    best = min(fitting, key=lambda p: (abs(p - wish), p))
    return best, (abs(best - wish) if abs(best - wish) <= most else None)


def _band(tracks: Sequence[_Track]) -> float:
    return max(_LEVEL, sum(t.height for t in tracks) + 8)


def _strip_height(model: HeightMap) -> float:
    dormant = [w for w in model.worlds if w.dormant]
    if not dormant:
        return 24.0 if model.dormant_label else 0.0
    return _DORMANT * math.ceil(len(dormant) / 3) + 8


def _head(canvas: Canvas, model: HeightMap) -> None:
    room = WIDTH - 28
    canvas.text(canvas.shorten(model.title, 25, room, Face.SERIF_BOLD), (14, 30), 25, INK, Face.SERIF_BOLD)
    if model.subtitle:
        canvas.text(canvas.shorten(model.subtitle, 15, room), (14, 58), 15, MUTED)
    canvas.text("высота", (14, _TOP - 14), 13, FAINT)
    _key(canvas)


def _draw_level(canvas: Canvas, height: int, tracks: Sequence[_Track], top: float) -> None:
    band = _band(tracks)
    if height % 2:
        canvas.rectangle(Box(0, top, WIDTH, top + band), WASH)
    canvas.text(str(height), (_LEFT - 16, top + band / 2), 18, MUTED, Face.SANS_BOLD, "rm")
    y = top + (band - sum(t.height for t in tracks)) / 2
    for track in tracks:
        middle = y + track.height / 2 + (_NAME / 2 if track.chains else 0)
        canvas.line([(_LEFT - 8, middle), (WIDTH - _RIGHT + 12, middle)], LINE, 1.2)
        for x, free in track.free:
            _draw_free(canvas, free, (x, middle))
        for left, chain in track.chains:
            _draw_chain(canvas, chain, left, middle - (chain.height - _NAME) / 2 - _NAME)
        y += track.height


def _key(canvas: Canvas) -> None:
    """A small legend under the title: what a grey circle, a ring and a star mean."""
    x, y, size = WIDTH - 14, _TOP - 14, 13.0
    for text, kind in (("особенности", "star"), ("внешний осколок", "ring"), ("ничей осколок: номер и размер", "free")):
        x -= canvas.text_width(text, size)
        canvas.text(text, (x, y), size, MUTED)
        x -= 14
        if kind == "star":
            canvas.text("★", (x, y), 15, STAR, anchor="mm")
        elif kind == "ring":
            canvas.circle((x, y), 7.5, mix(INK, PAPER, 0.55), INK, 2.4)
        else:
            canvas.circle((x, y), 7.5, "#e4e8ec", NEUTRAL, 1.2)
        x -= 22


def _chain(ruler: Canvas, world: World, room: float) -> _Chain:
    rows, shrink = _rows(world.shards, room)
    title, note = _label(ruler, world, min(room, 300)), ""
    texts = ruler.text_width(title, _LABEL, Face.SANS_BOLD)
    if world.note:
        note = ruler.shorten(world.note, 13, max(60, min(170, room - texts - 10)))
        texts += 8 + ruler.text_width(note, 13, Face.SANS_ITALIC)
    circles = max(sum(2 * _radius(s.size) + _GAP for s in row) - _GAP for row in rows) * shrink
    return _Chain(world, rows, shrink, title, note, max(texts, circles))


def _rows(shards: Sequence[Shard], room: float) -> tuple[tuple[tuple[Shard, ...], ...], float]:
    """The chain in one row, shrunk a little or broken in two where it is long."""
    if not shards:
        return ((Shard("", 1),),), 1.0
    length = sum(2 * _radius(s.size) + _GAP for s in shards)
    if length <= room * 0.9:
        return (tuple(shards),), 1.0
    if length * 0.72 <= room * 0.95:
        return (tuple(shards),), room * 0.95 / length
    count = math.ceil(length * 0.72 / (room * 0.95))
    size = math.ceil(len(shards) / count)
    rows = tuple(tuple(shards[i : i + size]) for i in range(0, len(shards), size))
    longest = max(sum(2 * _radius(s.size) + _GAP for s in row) for row in rows)
    return rows, min(0.72, room * 0.95 / longest)


def _label(canvas: Canvas, world: World, room: float) -> str:
    total = f" · {sum(s.size for s in world.shards)}"
    return canvas.shorten(world.name, _LABEL, room - canvas.text_width(total, _LABEL, Face.SANS_BOLD), Face.SANS_BOLD) + total


# ------------------------------------------------------------------------------------------------ drawing


def _draw_chain(canvas: Canvas, chain: _Chain, left: float, top: float, *, dashed: bool = False) -> None:
    world, circles = chain.world, chain.circles(left, top)
    fill = mix(world.colour, PAPER, 0.72) if dashed else rgb(world.colour)
    edge = mix(world.colour, (0, 0, 0), 0.35)
    for ((x0, y0), _, _), ((x1, y1), _, _) in pairwise(circles):
        if y0 == y1:
            canvas.line([(x0, y0), (x1, y1)], edge, 4)
    for index, ((x, y), radius, shard) in enumerate(circles):
        outer = index == len(circles) - 1
        if outer and not dashed:
            canvas.circle((x, y), radius + 3.6, edge)
            canvas.circle((x, y), radius + 0.6, PAPER)
            canvas.circle((x, y), radius - 1.2, fill)
        else:
            canvas.circle((x, y), radius, fill, None if dashed else edge, 1.2)
        if dashed:
            canvas.dashed_circle((x, y), radius, edge, 1.6)
        _inside(canvas, (x, y), radius, shard, hexa(on(fill)))
        if shard.starred:
            canvas.text("★", (x + radius * 0.86, y - radius * 0.86), 14, STAR, anchor="mm", halo=PAPER, halo_width=1.4)
    ink = legible(world.colour, 5.5)
    title = canvas.text(chain.title, (left, top + _NAME / 2 - 2), _LABEL, ink, Face.SANS_BOLD)
    if chain.note:
        canvas.text(chain.note, (title.x1 + 8, top + _NAME / 2 - 1.5), 13, MUTED, Face.SANS_ITALIC)


def _inside(canvas: Canvas, at: XY, radius: float, shard: Shard, colour: str) -> None:
    """Number and size within a circle; a home shard shows a house instead of a number."""
    x, y = at
    size = max(10.5, radius * 0.62)
    short = shard.label if 0 < len(shard.label) <= 3 else "⌂"
    if radius >= 17:
        canvas.text(short, (x, y - radius * 0.24), size if short != "⌂" else size * 1.05, colour, Face.SANS_BOLD, "mm")
        canvas.text(str(shard.size), (x, y + radius * 0.44), size * 0.92, colour, Face.SANS, "mm")
    else:
        canvas.text(short, (x, y - radius * 0.26), min(size, radius * 0.8), colour, Face.SANS_BOLD, "mm")
        canvas.text(str(shard.size), (x, y + radius * 0.46), min(size, radius * 0.76), colour, Face.SANS, "mm")


def _draw_free(canvas: Canvas, free: FreeShard, at: XY) -> None:
    radius = _radius(free.shard.size)
    canvas.circle(at, radius, "#e4e8ec", NEUTRAL, 1.4)
    _inside(canvas, at, radius, free.shard, INK)
    if free.shard.starred:
        canvas.text("★", (at[0] + radius * 0.86, at[1] - radius * 0.86), 15, STAR, anchor="mm", halo=PAPER, halo_width=1.4)


def _draw_dormant(canvas: Canvas, model: HeightMap, top: float, strip: float) -> None:
    canvas.rectangle(Box(0, top, WIDTH, top + strip + _BOTTOM), "#e6e9ee")
    canvas.line([(0, top), (WIDTH, top)], NEUTRAL, 1.4, dash=(7, 5))
    label = model.dormant_label or "Ничто"
    canvas.text(canvas.shorten(label, 17, 110, Face.SERIF_BOLD_ITALIC), (16, top + 22), 17, MUTED, Face.SERIF_BOLD_ITALIC)
    dormant = sorted((w for w in model.worlds if w.dormant), key=lambda w: (w.x, w.name))
    if not dormant:
        canvas.text("никого", (118, top + 22), 14, MUTED, Face.SANS_ITALIC)
    for index, world in enumerate(dormant):
        column, line = index % 3, index // 3
        cell = (WIDTH - 130) / 3
        chain = _chain(canvas, world, cell - 14)
        if chain.height > _DORMANT:
            shrink = chain.scale * (_DORMANT - _NAME) / (chain.height - _NAME)
            chain = replace(chain, scale=shrink)
        _draw_chain(canvas, chain, 118 + column * cell, top + 8 + line * _DORMANT, dashed=True)
