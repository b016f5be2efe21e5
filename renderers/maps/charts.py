"""Line charts (values over turns) and bars (histograms, shares), direct labels instead of a legend."""

from __future__ import annotations

import math
from collections.abc import Sequence

from renderers.fonts import Face
from renderers.maps.canvas import Box, Canvas
from renderers.palette import ACCENT, FAINT, INK, LINE, MUTED, PAPER, WARM, legible
from rules.maps import Bars, LineChart

_WIDTH = 760.0


def number(value: float) -> str:
    """A figure for people: thousands apart, comma, no idle zeros."""
    if not math.isfinite(value):
        return "—"
    text = f"{value:,.2f}".rstrip("0").rstrip(".") if value % 1 else f"{value:,.0f}"
    return text.replace(",", "\u00a0").replace(".", ",").replace("-", "−")


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round values from at or below `low` to at or above `high`."""
    span = max(high - low, 1e-9)
    raw = span / max(1, most - 1)
    unit = 10 ** math.floor(math.log10(raw))
    step = next(unit * m for m in (1, 2, 2.5, 5, 10) if unit * m >= raw - 1e-12)
    first = math.floor(low / step + 1e-9)
    out = [first * step]
    while out[-1] < high - 1e-9:
        out.append((first + len(out)) * step)
    return [round(t, 10) for t in out]


def _title(canvas: Canvas, title: str, unit: str) -> None:
    canvas.text(canvas.shorten(title, 22, _WIDTH - 28, Face.SERIF_BOLD), (14, 28), 22, INK, Face.SERIF_BOLD)
    if unit:
        canvas.text(canvas.shorten(unit, 14, _WIDTH - 28), (14, 55), 14, MUTED)


def draw_lines(model: LineChart, scale: float = 1.9) -> Canvas:
    """One line a side, named at its end; names that would collide are moved apart."""
    canvas = Canvas(_WIDTH, 440, scale, smooth=3)
    _title(canvas, model.title, model.unit)
    values = [v for _, _, series in model.series for v in series if math.isfinite(v)] or [0.0, 1.0]
    marks = ticks(min(0.0, *values), max(values) if max(values) > min(0.0, *values) else 1.0)
    names = max(
        (canvas.text_width(canvas.shorten(n, 14.5, 150, Face.SANS_BOLD), 14.5, Face.SANS_BOLD) for n, _, _ in model.series),
        default=0,
    )
    last = max((canvas.text_width(number(s[-1]), 14.5) for _, _, s in model.series if s), default=0)
    left = 22 + max(canvas.text_width(number(m), 13.5) for m in marks)
    box = Box(left, 82, _WIDTH - names - last - 38, 396)
    count = max(2, len(model.x_labels))

    def place(index: int, value: float) -> tuple[float, float]:
        share = (value - marks[0]) / (marks[-1] - marks[0])
        return box.x0 + (box.x1 - box.x0) * index / (count - 1), box.y1 - (box.y1 - box.y0) * share

    for mark in marks:
        y = place(0, mark)[1]
        canvas.line([(box.x0, y), (box.x1, y)], FAINT if mark == 0 else LINE, 1.1)
        canvas.text(number(mark), (box.x0 - 8, y), 13.5, MUTED, anchor="rm")
    _x_axis(canvas, model.x_labels, box, count)
    ends: list[tuple[float, str, str, str]] = []
    for name, colour, series in model.series:
        points = [place(i, v) for i, v in enumerate(series[:count]) if math.isfinite(v)]
        if len(points) > 1:
            canvas.line(points, PAPER, 5)
            canvas.line(points, colour, 2.8)
        for x, y in points if count <= 40 else points[-1:]:
            canvas.circle((x, y), 4.2, PAPER)
            canvas.circle((x, y), 3.2, colour)
        if points:
            ends.append((points[-1][1], name, colour, number(series[len(points) - 1])))
    ends.sort()
    for y, (at, name, colour, value) in zip(_apart([e[0] for e in ends], 18.5, box.y0 - 8, box.y1 + 8), ends, strict=True):
        canvas.line([(box.x1 + 6, at), (box.x1 + 14, y)], colour, 1.2)
        shown = canvas.text(
            canvas.shorten(name, 14.5, 150, Face.SANS_BOLD), (box.x1 + 18, y), 14.5, legible(colour), Face.SANS_BOLD
        )
        canvas.text(value, (shown.x1 + 6, y), 14.5, MUTED)
    return canvas


def _x_axis(canvas: Canvas, labels: Sequence[str], box: Box, count: int) -> None:
    """As many labels as fit."""
    widest = max((canvas.text_width(label, 13.5) for label in labels), default=0) + 14
    every = max(1, math.ceil(widest / ((box.x1 - box.x0) / max(1, count - 1))))
    for index, label in enumerate(labels):
        if index % every == 0:
            x = box.x0 + (box.x1 - box.x0) * index / (count - 1)
            canvas.text(canvas.shorten(label, 13.5, 120), (x, box.y1 + 20), 13.5, MUTED, anchor="mm")


def _apart(values: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Sorted positions moved as little as needed to be `gap` apart, within low..high where that's possible."""
    out = list(values)
    for _ in range(60):
        moved = False
        for i in range(len(out) - 1):
            short = gap - (out[i + 1] - out[i])
            if short > 0.01:
                out[i] -= short / 2
                out[i + 1] += short / 2
                moved = True
        if out and out[0] < low:
            out[0], moved = low, True
        if out and out[-1] > high:
            out[-1], moved = high, True
        if not moved:
            break
    for i in range(len(out) - 1):
        out[i + 1] = max(out[i + 1], out[i] + gap)
    return out


def draw_bars(model: Bars, scale: float = 1.9) -> Canvas:
    """Horizontal bars; many narrow ones with numbers for names become an upright histogram."""
    upright = len(model.labels) > 7 and all(len(label) <= 4 for label in model.labels)
    return _histogram(model, scale) if upright else _rows(model, scale)


def _colour(model: Bars, index: int) -> str:
    return model.colours[index % len(model.colours)] if model.colours else ACCENT


def _rows(model: Bars, scale: float) -> Canvas:
    row, top = 34.0, 78.0 if model.unit else 56.0
    if model.marks:
        top += 22
    canvas = Canvas(_WIDTH, top + row * max(1, len(model.labels)) + 16, scale, smooth=2)
    _title(canvas, model.title, model.unit)
    names = [canvas.shorten(label, 15, 240) for label in model.labels]
    left = 26 + max((canvas.text_width(name, 15) for name in names), default=0)
    widest = max((canvas.text_width(number(v), 14.5, Face.SANS_BOLD) for v in model.values), default=0)
    right = _WIDTH - widest - 26
    high = max([v for v in model.values if math.isfinite(v)] + [m for m, _ in model.marks] + [1e-9])
    for index, (name, value) in enumerate(zip(names, model.values, strict=True)):
        y = top + row * (index + 0.5)
        canvas.text(name, (left - 12, y), 15, INK, anchor="rm")
        end = left + (right - left) * max(0.0, value if math.isfinite(value) else 0) / high
        canvas.rectangle(Box(left, y - 11, max(end, left + 1.5), y + 11), _colour(model, index), radius=2)
        canvas.text(number(value), (max(end, left) + 8, y), 14.5, INK, Face.SANS_BOLD)
    for value, text in model.marks:
        x = left + (right - left) * value / high
        canvas.line([(x, top - 6), (x, top + row * len(names))], WARM, 1.8, dash=(5, 4))
        width = canvas.text_width(text, 13.5, Face.SANS_BOLD)
        canvas.text(
            text, (min(max(x, left + width / 2), _WIDTH - 14 - width / 2), top - 16), 13.5, legible(WARM), Face.SANS_BOLD, "mm"
        )
    return canvas


def _histogram(model: Bars, scale: float) -> Canvas:
    canvas = Canvas(_WIDTH, 400, scale, smooth=2)
    _title(canvas, model.title, model.unit)
    marks = ticks(0, max([*model.values, 1e-9]))
    left = 22 + max(canvas.text_width(number(m), 13.5) for m in marks)
    box = Box(left, 108, _WIDTH - 16, 358)
    for mark in marks:
        y = box.y1 - (box.y1 - box.y0) * mark / marks[-1]
        canvas.line([(box.x0, y), (box.x1, y)], LINE, 1.1)
        canvas.text(number(mark), (box.x0 - 8, y), 13.5, MUTED, anchor="rm")
    step = (box.x1 - box.x0) / len(model.labels)
    widest = max(canvas.text_width(label, 13.5) for label in model.labels) + 8
    every = max(1, math.ceil(widest / step))
    for index, (label, value) in enumerate(zip(model.labels, model.values, strict=True)):
        x = box.x0 + step * index
        top = box.y1 - (box.y1 - box.y0) * value / marks[-1]
        if value > 0:
            canvas.rectangle(Box(x + step * 0.1, top, x + step * 0.9, box.y1), _colour(model, index), radius=min(2.5, step * 0.2))
        if index % every == 0:
            canvas.text(label, (x + step / 2, box.y1 + 18), 13.5, MUTED, anchor="mm")
    canvas.line([(box.x0, box.y1), (box.x1, box.y1)], FAINT, 1.4)
    for value, text in model.marks:
        x = min(max(_position(model.labels, value), 0), len(model.labels)) * step + box.x0
        canvas.line([(x, box.y0 - 12), (x, box.y1)], WARM, 2, dash=(6, 4))
        width = canvas.text_width(text, 14.5, Face.SANS_BOLD)
        canvas.text(
            text, (min(max(x, box.x0 + width / 2), box.x1 - width / 2), box.y0 - 22), 14.5, legible(WARM), Face.SANS_BOLD, "mm"
        )
    return canvas


def _position(labels: Sequence[str], value: float) -> float:
    """Where a value lies among numbered columns, in columns from the left; the middle of its own column."""
    try:
        numbers = [float(label.replace(",", ".")) for label in labels]
    except ValueError:
        return value + 0.5
    for index in range(len(numbers) - 1):
        low, high = numbers[index], numbers[index + 1]
        if low <= value <= high and high > low:
            return index + 0.5 + (value - low) / (high - low)
    return 0.5 if value < numbers[0] else len(numbers) - 0.5
