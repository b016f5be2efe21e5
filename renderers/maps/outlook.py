"""What is to be expected of a battle: a bar of the outcomes, a small histogram for every number that is spread."""

from __future__ import annotations

import math

from renderers.fonts import Face
from renderers.maps.canvas import Box, Canvas
from renderers.maps.charts import number
from renderers.palette import FAINT, INK, LINE, MUTED, legible
from rules.maps import Outlook, Spread

_WIDTH = 760.0
_MARGIN = 14.0
_BAR = 30.0
_ROW = 66.0
_COLUMNS = 60
"""More values than this are put together, several to a column."""


def draw_outlook(model: Outlook, scale: float = 1.9) -> Canvas:
    """Title, bar of outcomes, then the groups with a row for each spread; all histograms of the picture end at one line."""
    top = 76.0 if model.subtitle else 56.0
    rows = sum(len(spreads) for _, _, spreads in model.groups)
    height = top + _BAR + 34 + sum(42.0 for _ in model.groups) + _ROW * rows + 8
    canvas = Canvas(_WIDTH, height, scale, smooth=2)
    room = _WIDTH - 2 * _MARGIN
    canvas.text(canvas.shorten(model.title, 22, room, Face.SERIF_BOLD), (_MARGIN, 28), 22, INK, Face.SERIF_BOLD)
    if model.subtitle:
        canvas.text(canvas.shorten(model.subtitle, 14, room), (_MARGIN, 55), 14, MUTED)
    _outcomes(canvas, model, Box(_MARGIN, top, _WIDTH - _MARGIN, top + _BAR))
    y = top + _BAR + 34
    widest = max(
        (canvas.text_width(s.label, 15) for _, _, spreads in model.groups for s in spreads),
        default=0.0,
    )
    left = _MARGIN + min(widest, 240) + 16
    for heading, colour, spreads in model.groups:
        canvas.text(canvas.shorten(heading, 16, room, Face.SANS_BOLD), (_MARGIN, y + 20), 16, legible(colour), Face.SANS_BOLD)
        y += 42
        for spread in spreads:
            _row(canvas, spread, colour, Box(left, y, _WIDTH - _MARGIN, y + _ROW))
            y += _ROW
    return canvas


def _outcomes(canvas: Canvas, model: Outlook, box: Box) -> None:
    """The parts of the bar; each is named under it where there is room, the narrow ones at the end of the line."""
    x = box.x0
    free = box.x0
    for place, (name, share, colour) in enumerate(model.outcomes):
        end = x + (box.x1 - box.x0) * share
        if share > 0:
            canvas.rectangle(Box(x, box.y0, max(end, x + 1), box.y1), colour)
        text = f"{name} {number(round(100 * share, 1))} %"
        width = canvas.text_width(text, 14.5, Face.SANS_BOLD)
        after = sum(
            canvas.text_width(f"{n} {number(round(100 * s, 1))} %", 14.5, Face.SANS_BOLD) + 18
            for n, s, _ in model.outcomes[place + 1 :]
        )
        at = max(free, min(x, box.x1 - width - after))
        canvas.text(text, (at, box.y1 + 17), 14.5, legible(colour), Face.SANS_BOLD)
        free = at + width + 18
        x = end


def _row(canvas: Canvas, spread: Spread, colour: str, box: Box) -> None:
    """A label, its histogram over 0 … most, and the note above the columns."""
    base = box.y1 - 19
    canvas.text(canvas.shorten(spread.label, 15, box.x0 - _MARGIN - 12), (box.x0 - 12, base - 11), 15, INK, anchor="rm")
    size = max(1, math.ceil(len(spread.shares) / _COLUMNS))
    columns = [sum(spread.shares[i : i + size]) for i in range(0, len(spread.shares), size)]
    step = (box.x1 - box.x0) / max(len(columns), 12)
    high = max([*columns, 1e-9])
    canvas.line([(box.x0, base), (box.x0 + step * len(columns), base)], FAINT, 1.2)
    for index, share in enumerate(columns):
        x = box.x0 + step * index
        tall = 24.0 * share / high
        if share > 0:
            canvas.rectangle(Box(x + step * 0.08, base - max(tall, 0.8), x + step * 0.92, base), colour)
        else:
            canvas.line([(x + step * 0.3, base - 0.8), (x + step * 0.7, base - 0.8)], LINE, 1)
    every = max(1, math.ceil(34 / step))
    for index in range(0, len(columns), every):
        name = number(index * size) if size == 1 else f"{index * size}–{min((index + 1) * size, len(spread.shares)) - 1}"
        canvas.text(name, (box.x0 + step * (index + 0.5), base + 9), 12, MUTED, anchor="mm")
    canvas.text(canvas.shorten(spread.note, 13, box.x1 - box.x0), (box.x1, box.y0 + 11), 13, MUTED, anchor="rm")
