"""The road map: cities as castles and houses in their owners' colours, roads, ruins, camps, wagons, marches as curved arrows."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import pairwise

from renderers.fonts import Face
from renderers.maps.canvas import XY, Box, Canvas
from renderers.palette import INK, MUTED, NEUTRAL, PAPER, hexa, legible, luminance, mix, on
from rules.maps import Arrow, GraphMap, Node, Token

_WIDTH = 900.0
_GROUND = "#f4f5f1"
_ROAD = "#c9c5ba"
_NAME = 16.5
_SHORE = 58.0
"""From the outermost cities to the edge."""
_SHORT_ARROW = 70.0
_ROMAN = ("", "I", "II", "III", "IV", "V")


class _Map:
    """A drawing in progress: where things are and which areas are taken."""

    def __init__(self, model: GraphMap, scale: float) -> None:
        self.model = model
        self.top = 82.0 if model.subtitle else 62.0
        self.legend = _legend_rows(model, scale)
        self.factor = (_WIDTH - 60) / max(1.0, model.width)
        # The ground ends a little beyond the outermost cities, whatever the model's own height.
        self.north = min((n.at[1] for n in model.nodes), default=0.0)
        south = max((n.at[1] for n in model.nodes), default=model.height)
        area = (south - self.north) * self.factor + 2 * _SHORE
        self.canvas = Canvas(_WIDTH, self.top + area + 8 + len(self.legend) * 26 + 12, scale, smooth=3)
        self.area = Box(6, self.top, _WIDTH - 6, self.top + area)
        self.nodes = {node.id: node for node in model.nodes}
        self.taken: list[Box] = []
        self.lines: list[tuple[XY, XY]] = []

    def at(self, point: XY) -> XY:
        """A map point on the canvas."""
        return 30 + point[0] * self.factor, self.top + _SHORE + (point[1] - self.north) * self.factor


def draw_roads(model: GraphMap, scale: float = 1.6) -> Canvas:
    """Draws the model; the canvas still holds its labels for checks."""
    work = _Map(model, scale)
    canvas = work.canvas
    canvas.text(canvas.shorten(model.title, 25, _WIDTH - 32, Face.SERIF_BOLD), (16, 32), 25, INK, Face.SERIF_BOLD)
    if model.subtitle:
        canvas.text(canvas.shorten(model.subtitle, 15, _WIDTH - 32), (16, 60), 15, MUTED)
    canvas.rectangle(work.area, _GROUND, radius=10)
    _roads(work)
    for node in model.nodes:
        half = _half(node)
        x, y = work.at(node.at)
        work.taken.append(Box(x - half - 3, y - half - 4, x + half + 3, y + half + 4))
    for arrow in model.arrows:
        _arrow(work, arrow)
    for node in model.nodes:
        _city(work, node)
    _tokens(work)
    for node in sorted(model.nodes, key=lambda n: (not n.large, n.at[1], n.id)):
        _name(work, node)
    _legend(work)
    return canvas


def _half(node: Node) -> float:
    return 23.0 if node.large else 16.0


def _roads(work: _Map) -> None:
    for edge in work.model.edges:
        if edge.a in work.nodes and edge.b in work.nodes:
            a, b = work.at(work.nodes[edge.a].at), work.at(work.nodes[edge.b].at)
            work.lines.append((a, b))
            work.canvas.line([a, b], _ROAD, 6)
    for edge in work.model.edges:
        if edge.a in work.nodes and edge.b in work.nodes:
            dash = None if edge.kind == "road" else (9.0, 7.0)
            work.canvas.line([work.at(work.nodes[edge.a].at), work.at(work.nodes[edge.b].at)], PAPER, 2.6, dash=dash)


def _city(work: _Map, node: Node) -> None:
    canvas, (x, y) = work.canvas, work.at(node.at)
    half = _half(node)
    fill = hexa(mix(NEUTRAL, PAPER, 0.35)) if node.ruin else node.colour
    edge = mix(fill, (0, 0, 0), 0.45)
    if node.floating:
        for dx, dy, r in ((-0.62, 0.78, 0.42), (0.0, 0.9, 0.52), (0.62, 0.78, 0.42)):
            canvas.circle((x + dx * half, y + dy * half), r * half + 1.6, mix("#7fa8c9", PAPER, 0.2))
        for dx, dy, r in ((-0.62, 0.78, 0.42), (0.0, 0.9, 0.52), (0.62, 0.78, 0.42)):
            canvas.circle((x + dx * half, y + dy * half), r * half, "#eef5fb")
    shape = _ruin(x, y, half) if node.ruin else _castle(x, y, half) if node.large else _house(x, y, half)
    canvas.polygon(shape, PAPER, PAPER, 5)
    canvas.polygon(shape, fill, edge, 1.8)
    numeral = _ROMAN[node.size] if 0 < node.size < len(_ROMAN) else str(node.size)
    if not node.ruin:
        canvas.text(numeral, (x, y + half * 0.3), half * 0.82, on(fill), Face.SERIF_BOLD, "mm")
    if node.capital:
        canvas.text(
            "★", (x + half + 1, y - half * 0.85), 16, hexa(legible(node.colour, 3)), anchor="mm", halo=PAPER, halo_width=1.8
        )


def _castle(x: float, y: float, h: float) -> list[XY]:
    """Two towers and a wall with teeth between them."""
    t = h * 0.42
    raw = [(-h, h), (-h, -h * 0.78), (-h + t, -h * 0.78), (-h + t, -h * 0.3)]
    for i in range(5):
        left = -h + t + (2 * h - 2 * t) * i / 5
        right = -h + t + (2 * h - 2 * t) * (i + 1) / 5
        level = -h * 0.48 if i % 2 == 0 else -h * 0.26
        raw += [(left, level), (right, level)]
    raw += [(h - t, -h * 0.3), (h - t, -h * 0.78), (h, -h * 0.78), (h, h)]
    peaks = [(-h, h), (-h, -h * 0.72), (-h + t / 2, -h * 1.12), (-h + t, -h * 0.72)]
    raw = peaks + raw[3:-3] + [(h - t, -h * 0.72), (h - t / 2, -h * 1.12), (h, -h * 0.72), (h, h)]
    return [(x + dx, y + dy) for dx, dy in raw]


def _house(x: float, y: float, h: float) -> list[XY]:
    raw = [
        (-h * 0.86, h),
        (-h * 0.86, -h * 0.2),
        (-h * 1.08, -h * 0.2),
        (0, -h * 1.05),
        (h * 1.08, -h * 0.2),
        (h * 0.86, -h * 0.2),
        (h * 0.86, h),
    ]
    return [(x + dx, y + dy) for dx, dy in raw]


def _ruin(x: float, y: float, h: float) -> list[XY]:
    """Broken walls."""
    raw = [
        (-h, h),
        (-h, -h * 0.6),
        (-h * 0.7, -h * 0.15),
        (-h * 0.45, -h * 0.5),
        (-h * 0.1, h * 0.3),
        (h * 0.2, h * 0.05),
        (h * 0.4, -h * 0.35),
    ]
    raw += [(h * 0.65, h * 0.1), (h, -h * 0.2), (h, h)]
    return [(x + dx, y + dy) for dx, dy in raw]


# ------------------------------------------------------------------------------------------------ arrows, tokens


def _curve(a: XY, b: XY, bend: float) -> list[XY]:
    mx, my = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
    length = max(1e-6, math.dist(a, b))
    c = (mx - (b[1] - a[1]) / length * bend, my + (b[0] - a[0]) / length * bend)
    return [
        ((1 - t) ** 2 * a[0] + 2 * t * (1 - t) * c[0] + t * t * b[0], (1 - t) ** 2 * a[1] + 2 * t * (1 - t) * c[1] + t * t * b[1])
        for t in (i / 20 for i in range(21))
    ]


def _end(work: _Map, at: str | tuple[str, str]) -> tuple[XY, float] | None:
    """Where an arrow ends, and how near it may come: a city, or the middle of a road; None: not on the map."""
    if isinstance(at, str):
        node = work.nodes.get(at)
        return None if node is None else (work.at(node.at), _half(node))
    if at[0] not in work.nodes or at[1] not in work.nodes:
        return None
    (ax, ay), (bx, by) = work.at(work.nodes[at[0]].at), work.at(work.nodes[at[1]].at)
    return ((ax + bx) / 2, (ay + by) / 2), 11.0


def _arrow(work: _Map, arrow: Arrow) -> None:
    first, last = _end(work, arrow.start), _end(work, arrow.end)
    if first is None or last is None or arrow.start == arrow.end:
        return
    (start, start_half), (end, end_half) = first, last
    points = [
        p
        for p in _curve(start, end, min(34.0, math.dist(start, end) * 0.16))
        if math.dist(p, start) > start_half + 5 and math.dist(p, end) > end_half + 7
    ]
    if len(points) < 3:
        return
    colour = hexa(legible(arrow.colour, 3.2))
    work.canvas.line(points[:-1], PAPER, 8)
    work.canvas.arrow(points, colour, 4.6, 17)
    work.lines += list(pairwise(points[::3]))
    middle = points[len(points) // 2]
    mark = {"won": "✔", "lost": "✗"}.get(arrow.result, "")
    if mark and math.dist(points[0], points[-1]) < _SHORT_ARROW:
        # The whole of a short arrow is needed for its head: the mark stands beside it.
        dx, dy = points[-1][0] - points[0][0], points[-1][1] - points[0][1]
        length = max(1e-6, math.hypot(dx, dy))
        middle = (middle[0] - dy / length * 20, middle[1] + dx / length * 20)
    if mark:
        work.canvas.circle(middle, 10.5, PAPER, colour, 2)
        work.canvas.text(mark, middle, 14, colour, anchor="mm")
        work.taken.append(Box(middle[0] - 11, middle[1] - 11, middle[0] + 11, middle[1] + 11))
    if arrow.label:
        text = work.canvas.shorten(arrow.label, 13.5, 170, Face.SANS_BOLD)
        _set(work, text, middle, 13 if mark else 9, 13.5, colour, Face.SANS_BOLD)


def _tokens(work: _Map) -> None:
    at_city: dict[str, list[Token]] = defaultdict(list)
    on_road: dict[tuple[str, str], list[Token]] = defaultdict(list)
    for token in work.model.tokens:
        if isinstance(token.at, str):
            at_city[token.at].append(token)
        else:
            on_road[(min(token.at), max(token.at))].append(token)
    for city, tokens in at_city.items():
        if city in work.nodes:
            node = work.nodes[city]
            x, y = work.at(node.at)
            for number, token in enumerate(tokens):
                _banner(work, token, (x + _half(node) + 8, y - _half(node) - 6 + number * 20))
    for (a, b), tokens in on_road.items():
        if a in work.nodes and b in work.nodes:
            (ax, ay), (bx, by) = work.at(work.nodes[a].at), work.at(work.nodes[b].at)
            for number, token in enumerate(tokens):
                share = (number + 1) / (len(tokens) + 1)
                _standing(work, token, (ax + (bx - ax) * share, ay + (by - ay) * share))


def _banner(work: _Map, token: Token, at: XY) -> None:
    """A small flag with a text, beside a city."""
    if token.shape == "wagon":
        _standing(work, token, (at[0] + 14, at[1]))
        return
    canvas = work.canvas
    text = canvas.shorten(token.label, 13, 150, Face.SANS_BOLD)
    width = canvas.text_width(text, 13, Face.SANS_BOLD) + 14
    x = at[0] if at[0] + width < work.area.x1 - 6 else at[0] - width - 56
    sign = 16.0 if token.shape == "camp" else 0.0
    box = Box(x, at[1] - 9, x + width + sign, at[1] + 9)
    canvas.rectangle(box, token.colour, PAPER, 1.4, radius=3)
    if sign:
        _tent(canvas, (x + 12, at[1]), 8, on(token.colour))
    canvas.text(text, (x + 7 + sign, at[1]), 13, on(token.colour), Face.SANS_BOLD)
    work.taken.append(box)


def _tent(canvas: Canvas, at: XY, h: float, colour: str | tuple[int, int, int]) -> None:
    x, y = at
    canvas.polygon(
        [
            (x - h, y + h * 0.75),
            (x, y - h * 0.85),
            (x + h, y + h * 0.75),
            (x + h * 0.3, y + h * 0.75),
            (x, y),
            (x - h * 0.3, y + h * 0.75),
        ],
        colour,
    )


def _standing(work: _Map, token: Token, at: XY) -> None:
    """A wagon, a camp or a banner on a road."""
    canvas, (x, y) = work.canvas, at
    edge = mix(token.colour, (0, 0, 0), 0.4)
    if token.shape == "wagon":
        body = [(x - 19, y + 6), (x - 15, y - 5), (x + 15, y - 5), (x + 19, y + 6)]
        roof = [(x - 15, y - 5), (x - 12, y - 17), (x, y - 20), (x + 12, y - 17), (x + 15, y - 5)]
        canvas.polygon([*roof, (x + 19, y + 8), (x - 19, y + 8)], PAPER, PAPER, 6)
        canvas.polygon(roof, mix(token.colour, PAPER, 0.55), edge, 1.6)
        canvas.polygon(body, token.colour, edge, 1.6)
        for dx in (-10, 10):
            canvas.circle((x + dx, y + 9), 6, PAPER, edge, 2.4)
        work.taken.append(Box(x - 21, y - 22, x + 21, y + 16))
        drop = 21.0
    elif token.shape == "camp":
        canvas.circle((x, y), 14, PAPER, token.colour, 2)
        _tent(canvas, (x, y), 9, token.colour)
        work.taken.append(Box(x - 14, y - 14, x + 14, y + 14))
        drop = 16.0
    else:
        canvas.line([(x, y + 12), (x, y - 16)], edge, 2.2)
        canvas.polygon([(x + 1, y - 16), (x + 22, y - 10), (x + 1, y - 3)], token.colour, edge, 1.2)
        work.taken.append(Box(x - 3, y - 18, x + 23, y + 13))
        drop = 15.0
    _set(
        work, canvas.shorten(token.label, 14.5, 180, Face.SANS_BOLD), at, drop, 14.5, hexa(legible(token.colour)), Face.SANS_BOLD
    )


# ------------------------------------------------------------------------------------------------ labels


def _set(
    work: _Map, text: str, at: XY, away: float, size: float, colour: str, face: Face = Face.SANS_BOLD, lines: tuple[str, ...] = ()
) -> None:
    """A label (smaller lines below it) at the best side of a point: what is taken, roads and the edge count against a side."""
    canvas = work.canvas
    if not text:
        return
    small = [canvas.shorten(line, size - 3, 190, Face.SANS_ITALIC) for line in lines]
    width = max([canvas.text_width(text, size, face), *(canvas.text_width(line, size - 3, Face.SANS_ITALIC) for line in small)])
    height = size * 1.2 + len(small) * (size - 1.5)
    x, y = at
    spots = [
        (x - width / 2, y + away),
        (x - width / 2, y - away - height),
        (x + away + 2, y - height / 2),
        (x - away - 2 - width, y - height / 2),
    ]
    for sx in (1, -1):
        for sy in (1, -1):
            spots.append(
                (x + away * 0.7 if sx > 0 else x - away * 0.7 - width, y + away * 0.75 if sy > 0 else y - away * 0.75 - height)
            )
    spots += [(x - width / 2, y + away + 14), (x - width / 2, y - away - height - 14), (x - width / 2, y + away + 30)]

    def cost(index: int) -> float:
        box = Box(spots[index][0] - 3, spots[index][1] - 1, spots[index][0] + width + 3, spots[index][1] + height + 1)
        edge = 0.0 if box.inside(work.area) else 5000.0
        shared = sum(box.overlap_area(other) for other in work.taken)
        crossed = sum(1 for line in work.lines if _crosses(line, box))
        return edge + shared * 6 + crossed * 40 + index * 9

    best = min(range(len(spots)), key=lambda i: (cost(i), i))
    bx, by = spots[best]
    bx = min(max(bx, work.area.x0 + 4), work.area.x1 - width - 4)
    by = min(max(by, work.area.y0 + 2), work.area.y1 - height - 2)
    work.taken.append(Box(bx - 3, by - 1, bx + width + 3, by + height + 1))
    centre = bx + width / 2
    canvas.text(text, (centre, by + size * 0.6), size, colour, face, "mm", halo=_GROUND, halo_width=2.4)
    for number, line in enumerate(small):
        canvas.text(
            line,
            (centre, by + size * 1.2 + (number + 0.5) * (size - 1.5)),
            size - 3,
            MUTED,
            Face.SANS_ITALIC,
            "mm",
            halo=_GROUND,
            halo_width=2,
        )


def _crosses(line: tuple[XY, XY], box: Box) -> bool:
    """True when the line passes through the box (tested at short steps)."""
    (ax, ay), (bx, by) = line
    if max(ax, bx) < box.x0 or min(ax, bx) > box.x1 or max(ay, by) < box.y0 or min(ay, by) > box.y1:
        return False
    steps = max(2, int(math.dist(*line) / 6))
    return any(
        box.x0 < ax + (bx - ax) * i / steps < box.x1 and box.y0 < ay + (by - ay) * i / steps < box.y1 for i in range(steps + 1)
    )


def _name(work: _Map, node: Node) -> None:
    size = _NAME + (1.5 if node.large else 0)
    text = work.canvas.shorten(node.name, size, 210, Face.SANS_BOLD)
    away = _half(node) + (9 if node.floating else 4)
    colour = hexa(legible(node.colour, 5.5)) if not node.ruin and luminance(node.colour) < 0.9 else MUTED
    _set(work, text, work.at(node.at), away, size, colour, Face.SANS_BOLD, (", ".join(node.badges),) if node.badges else ())


def _legend_rows(model: GraphMap, scale: float) -> list[list[tuple[float, str, str]]]:
    """Legend entries as rows of x, text, colour."""
    ruler = Canvas(1, 1, scale, smooth=1)
    rows: list[list[tuple[float, str, str]]] = []
    x = _WIDTH
    for item in model.legend:
        text = ruler.shorten(item.text, 14.5, 260)
        width = ruler.text_width(text, 14.5) + 44
        if x + width > _WIDTH:
            rows.append([])
            x = 16.0
        rows[-1].append((x, text, item.colour))
        x += width
    return rows


def _legend(work: _Map) -> None:
    for number, entries in enumerate(work.legend):
        y = work.area.y1 + 22 + number * 26
        for x, text, colour in entries:
            work.canvas.rectangle(Box(x, y - 7, x + 16, y + 7), colour, mix(colour, (0, 0, 0), 0.35), 1, radius=3)
            work.canvas.text(text, (x + 23, y), 14.5, INK)
