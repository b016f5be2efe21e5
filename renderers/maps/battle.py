"""A battle as boards of 3×2 places a side: the attacker below, the defender above, flanks of one name facing each other."""

from __future__ import annotations

import math
from dataclasses import dataclass

from renderers.fonts import Face
from renderers.maps.canvas import XY, Box, Canvas
from renderers.palette import FAINT, INK, LINE, MUTED, PAPER, WARM, WASH, hexa, legible, mix
from rules.maps import BattleFigure, Board, Manoeuvre, Squad

_WIDTH = 760.0
_FLANKS = {"L": ("левый", 0), "C": ("центр", 1), "R": ("правый", 2)}
_ROWS = {(1, "R"): 0, (1, "V"): 1, (0, "V"): 2, (0, "R"): 3}
"""Side and row of a place → line of the board, from above."""
_LINES = ("арьергард", "авангард", "авангард", "арьергард")
_KINDS = {
    "move": "переход",
    "forced_march": "форсированный марш",
    "defend": "защита соседа",
    "cover": "укрытие",
    "charge": "натиск",
    "bombard": "обстрел",
    "long_bombard": "дальний обстрел",
}
_TEXT, _LEAD = 12.5, 14.0
_LANES = 14.0
"""Room for arrows at the right edge of a place, on boards that have any."""
_SQUEEZE = 1.14
_MOST = 7
"""Lines of text in a place."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where a board's places are."""

    x: float
    y: float
    cell: float
    """Width of a place."""
    rows: tuple[float, ...]
    """Heights of the four lines from above."""
    gap: tuple[float, float]
    front: float
    """Between the two sides."""

    def box(self, side: int, place: str) -> Box:
        line = _ROWS[(side, place[1])]
        x = self.x + _FLANKS[place[0]][1] * (self.cell + self.gap[0])
        y = self.y + sum(self.rows[:line]) + line * self.gap[1] + (self.front if line > 1 else 0)
        return Box(x, y, x + self.cell, y + self.rows[line])

    @property
    def width(self) -> float:
        return 3 * self.cell + 2 * self.gap[0]

    @property
    def height(self) -> float:
        return sum(self.rows) + 3 * self.gap[1] + self.front


def draw_battle(model: BattleFigure, scale: float = 1.9) -> Canvas:
    """Boards in reading order, two abreast; a single one takes the whole width."""
    single = len(model.boards) < 2
    columns = 1 if single else 2
    margin, between = (86.0, 0.0) if single else (16.0, 26.0)
    width = (_WIDTH - 2 * margin - between * (columns - 1)) / columns
    gap = (10.0, 7.0)
    cell = (width - 2 * gap[0]) / 3
    front = 40.0
    measure = Canvas(1, 1, scale)
    lines = tuple(34.0 + 14.5 * _tallest(measure, model, cell, line) for line in range(4))
    board_height = sum(lines) + 3 * gap[1] + front
    rows = math.ceil(len(model.boards) / columns)
    kinds = list(dict.fromkeys(m.kind for board in model.boards for m in board.manoeuvres))
    top = 112.0
    foot = 44.0 if kinds else 14.0
    canvas = Canvas(_WIDTH, top + rows * (board_height + 52) + foot, scale, smooth=3)
    _head(canvas, model)
    for index, board in enumerate(model.boards):
        x = margin + (index % columns) * (width + between)
        y = top + (index // columns) * (board_height + 52)
        canvas.text(canvas.shorten(board.title, 16, width, Face.SANS_BOLD), (x, y), 16, INK, Face.SANS_BOLD)
        _board(canvas, _Frame(x, y + 18, cell, lines, gap, front), model, board, margins=single)
    _key(canvas, model, kinds, top + rows * (board_height + 52) + 8)
    return canvas


def _tallest(canvas: Canvas, model: BattleFigure, cell: float, line: int) -> int:
    """Most lines of text in a line of places, 1 to `_MOST`."""
    counts = [
        len(_texts(canvas, squad, _room(cell, board)))
        for board in model.boards
        for side, squads in enumerate(board.sides)
        for squad in squads
        if _ROWS.get((side, squad.place[-1:])) == line
    ]
    return min(_MOST, max([1, *counts]))


def _room(cell: float, board: Board) -> float:
    """Width of the text in a place."""
    return cell - 14 - (_LANES if board.manoeuvres else 0)


def _texts(canvas: Canvas, squad: Squad, room: float) -> list[str]:
    """A squad's lines; a long one goes on in a second. One that is hardly too long is drawn a little smaller instead."""
    return [part for text in squad.lines for part in canvas.wrap(text, _TEXT, room * _SQUEEZE)]


def _head(canvas: Canvas, model: BattleFigure) -> None:
    canvas.text(canvas.shorten(model.title, 22, _WIDTH - 28, Face.SERIF_BOLD), (14, 28), 22, INK, Face.SERIF_BOLD)
    x = 14.0
    for side, words in ((0, "нападает"), (1, "обороняется")):
        colour = model.colours[side]
        canvas.circle((x + 6, 60), 6.5, colour)
        name = canvas.text(
            canvas.shorten(model.names[side], 15, 210, Face.SANS_BOLD), (x + 19, 60), 15, legible(colour), Face.SANS_BOLD
        )
        x = canvas.text(words, (name.x1 + 6, 60), 14, MUTED).x1 + 24
    if model.result:
        canvas.text(canvas.shorten(model.result, 15, _WIDTH - 28, Face.SANS_BOLD), (14, 84), 15, INK, Face.SANS_BOLD)


def _board(canvas: Canvas, frame: _Frame, model: BattleFigure, board: Board, *, margins: bool) -> None:
    for number, squads in enumerate(board.sides):
        standing = {squad.place: squad for squad in squads}
        for flank in _FLANKS:
            for row in "VR":
                place = flank + row
                _place(canvas, frame.box(number, place), standing.get(place), model.colours[number], _room(frame.cell, board))
    middle = (frame.box(1, "CV").y1 + frame.box(0, "CV").y0) / 2
    canvas.line([(frame.x, middle), (frame.x + frame.width, middle)], FAINT, 1.2, dash=(6, 5))
    for name, column in _FLANKS.values():
        x = frame.x + column * (frame.cell + frame.gap[0]) + frame.cell / 2
        width = canvas.text_width(name, 12.5)
        canvas.rectangle(Box(x - width / 2 - 6, middle - 9, x + width / 2 + 6, middle + 9), PAPER)
        canvas.text(name, (x, middle), 12.5, MUTED, anchor="mm")
    if margins:
        for (side, row), at in _ROWS.items():
            box = frame.box(side, "L" + row)
            canvas.text(_LINES[at], (frame.x - 10, (box.y0 + box.y1) / 2), 13, MUTED, anchor="rm")
    for number, manoeuvre in enumerate(board.manoeuvres):
        if _known(manoeuvre):
            _arrow(canvas, frame, model, manoeuvre, number)


def _known(manoeuvre: Manoeuvre) -> bool:
    return all(len(p) == 2 and p[0] in _FLANKS and p[1] in "VR" for p in (manoeuvre.start, manoeuvre.end))


def _place(canvas: Canvas, box: Box, squad: Squad | None, colour: str, inner: float) -> None:
    if squad is None:
        canvas.rectangle(box, None, LINE, 1, radius=5)
        return
    gone = squad.alive <= 0
    canvas.rectangle(box, WASH if gone else mix(colour, PAPER, 0.86), FAINT if gone else colour, 1.2, radius=5)
    count = f"{squad.alive} из {squad.total}" if squad.alive != squad.total else str(squad.total)
    canvas.text(count, (box.x0 + 7, box.y0 + 13), 13, FAINT if gone else legible(colour, 5), Face.SANS_BOLD)
    room = int((box.y1 - box.y0 - 30) // 14.4)
    lines = _texts(canvas, squad, inner)
    if len(lines) > room:
        lines = [*lines[: room - 1], "и другие"]
    for number, text in enumerate(lines):
        at = (box.x0 + 7, box.y0 + 29 + number * _LEAD)
        size = min(_TEXT, _TEXT * inner / max(1.0, canvas.text_width(text, _TEXT)))
        canvas.text(text, at, size, FAINT if gone else INK)
    if gone:
        canvas.text("✗", (box.x1 - 8, box.y0 + 13), 13, FAINT, anchor="rm")
    bar = Box(box.x0 + 7, box.y1 - 7.5, box.x1 - 7, box.y1 - 4)
    canvas.rectangle(bar, mix(colour, PAPER, 0.7) if not gone else LINE, radius=1.5)
    if squad.total and squad.alive > 0:
        share = min(1.0, squad.alive / squad.total)
        canvas.rectangle(Box(bar.x0, bar.y0, bar.x0 + max(3, (bar.x1 - bar.x0) * share), bar.y1), colour, radius=1.5)


def _arrow(canvas: Canvas, frame: _Frame, model: BattleFigure, manoeuvre: Manoeuvre, number: int) -> None:
    start, end = frame.box(manoeuvre.side, manoeuvre.start), frame.box(manoeuvre.target_side, manoeuvre.end)
    colour = _arrow_colour(model, manoeuvre)
    if start == end:
        at = (start.x1 - 20, start.y0 + 13)
        canvas.circle(at, 9, PAPER, colour, 1.4)
        canvas.text("🛡", at, 11, colour, anchor="mm")
        return
    # At the right edge, where there is no text; several arrows from or to one place leave and arrive side by side.
    apart = (_LANES - 3) / 2 if manoeuvre.target_side != manoeuvre.side else 9
    shift = frame.cell / 2 - 5 - (number % 3) * apart
    a, b = _middle(start), _middle(end)
    a, b = (a[0] + shift, a[1]), (b[0] + shift, b[1])
    if abs(a[1] - b[1]) < 1:
        lift = start.y0 + 8 if manoeuvre.side == 1 else start.y1 - 8
        points = [(start.x1 - 6 if b[0] > a[0] else start.x0 + 6, lift), (end.x0 + 6 if b[0] > a[0] else end.x1 - 6, lift)]
    else:
        down = b[1] > a[1]
        first = (a[0], start.y1 - 5 if down else start.y0 + 5)
        last = (b[0], end.y0 + 4 if down else end.y1 - 4)
        if manoeuvre.kind == "charge":
            points = _around(frame, first, end, manoeuvre, down)
        elif manoeuvre.start[1] == "R" and manoeuvre.start[0] != manoeuvre.end[0]:
            # Past the own vanguard before it turns to another flank.
            front = frame.box(manoeuvre.side, manoeuvre.start[0] + "V")
            points = [first, (a[0], front.y1 + 3 if down else front.y0 - 3), last]
        else:
            points = [first, last]
    if manoeuvre.kind in ("bombard", "long_bombard"):
        canvas.line(points, PAPER, 4.5)
        canvas.line([*points[:-1], _short(points[-2], points[-1], 8)], colour, 2.4, dash=(7, 4))
        canvas.arrow([_short(points[-2], points[-1], 14), points[-1]], colour, 2.4, 12)
    else:
        width = 3.4 if manoeuvre.kind == "charge" else 2.4
        canvas.line([*points[:-1], _short(points[-2], points[-1], 6)], PAPER, width + 2.4)
        canvas.arrow(points, colour, width, 13 if manoeuvre.kind == "charge" else 11)


def _around(frame: _Frame, first: XY, end: Box, manoeuvre: Manoeuvre, down: bool) -> list[XY]:
    """Past the vanguard, through the gap between the flanks on the nearer side, into the rear from its side."""
    flank = manoeuvre.end[0]
    left = flank == "R" or (flank == "C" and manoeuvre.start[0] == "L")
    lane = end.x0 - frame.gap[0] / 2 if left else end.x1 + frame.gap[0] / 2
    front = frame.box(manoeuvre.target_side, flank + "V")
    gate = front.y0 - 4 if down else front.y1 + 4
    middle = (first[1] + gate) / 2
    inside = end.y1 - 13
    tip = (end.x0 + 7, inside) if left else (end.x1 - 7, inside)
    return [*_smooth([first, (first[0], middle), (lane, middle), (lane, gate)]), (lane, inside), tip]


def _arrow_colour(model: BattleFigure, manoeuvre: Manoeuvre) -> str:
    if manoeuvre.kind in ("bombard", "long_bombard"):
        return WARM
    return hexa(legible(model.colours[manoeuvre.side], 5.5))


def _middle(box: Box) -> XY:
    return (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2


def _short(a: XY, b: XY, by: float) -> XY:
    """The point of a–b that is `by` before b."""
    length = max(1e-6, math.dist(a, b))
    share = max(0.0, 1 - by / length)
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share


def _smooth(points: list[XY]) -> list[XY]:
    """A Bézier curve of four points."""
    out = []
    for i in range(17):
        t = i / 16
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        out.append(
            (
                sum(w * p[0] for w, p in zip(weights, points, strict=True)),
                sum(w * p[1] for w, p in zip(weights, points, strict=True)),
            )
        )
    return out


def _key(canvas: Canvas, model: BattleFigure, kinds: list[str], y: float) -> None:
    """What the arrows mean; only those that are there."""
    labels = {m.kind: m.label for board in model.boards for m in board.manoeuvres if m.label}
    x = 16.0
    for kind in kinds:
        text = canvas.shorten(labels.get(kind, _KINDS.get(kind, kind)), 13.5, 160)
        if x + 46 + canvas.text_width(text, 13.5) > _WIDTH - 14:
            break
        if kind == "cover":
            canvas.circle((x + 15, y), 9, PAPER, INK, 1.4)
            canvas.text("🛡", (x + 15, y), 11, INK, anchor="mm")
        elif kind in ("bombard", "long_bombard"):
            canvas.line([(x, y), (x + 20, y)], WARM, 2.4, dash=(7, 4))
            canvas.arrow([(x + 18, y), (x + 32, y)], WARM, 2.4, 12)
        else:
            heavy = kind == "charge"
            canvas.arrow([(x, y), (x + 32, y)], INK, 3.4 if heavy else 2.4, 13 if heavy else 11)
        x = canvas.text(text, (x + 39, y), 13.5, MUTED).x1 + 20
