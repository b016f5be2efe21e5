"""The project's own small face of signs: stars, triangles, boxes, swords that the text faces lack.

Outlines are computed here and shipped as `data/signs.ttf`; one face serves Pillow and WeasyPrint, follows the text's colour and
stays selectable. `python -m renderers.signs` writes the file anew; a test proves that file and outlines agree.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

FAMILY = "Forum GM Signs"
FILE = Path(__file__).parent / "data" / "signs.ttf"
UNSUPPORTED = "\u25a1"
"""Stands for a character that no shipped face has."""

_UPM = 1000
_MID = 350
"""Signs are centred on the middle of capital letters."""

Contour: TypeAlias = list[tuple[float, float]]
Shape: TypeAlias = list[Contour]


def _regular(cx: float, cy: float, radius: float, corners: int, turn: float = 90) -> Contour:
    """A regular polygon, clockwise (TrueType fills clockwise contours)."""
    return [
        (
            cx + radius * math.cos(math.radians(turn - 360 * i / corners)),
            cy + radius * math.sin(math.radians(turn - 360 * i / corners)),
        )
        for i in range(corners)
    ]


def _star(cx: float, cy: float, outer: float, inner: float, points: int = 5) -> Contour:
    out: Contour = []
    for i in range(2 * points):
        radius, angle = (outer if i % 2 == 0 else inner), math.radians(90 - 180 * i / points)
        out.append((cx + radius * math.cos(angle), cy + radius * math.sin(angle)))
    return out


def _box(x0: float, y0: float, x1: float, y1: float) -> Contour:
    return [(x0, y0), (x0, y1), (x1, y1), (x1, y0)]


def _hole(contour: Contour) -> Contour:
    return contour[::-1]


def _stroke(points: Sequence[tuple[float, float]], width: float) -> Shape:
    """A broken line drawn as one rectangle per stretch."""
    out: Shape = []
    for (x0, y0), (x1, y1) in pairwise(points):
        length = math.hypot(x1 - x0, y1 - y0)
        nx, ny = -(y1 - y0) / length * width / 2, (x1 - x0) / length * width / 2
        out.append([(x0 + nx, y0 + ny), (x1 + nx, y1 + ny), (x1 - nx, y1 - ny), (x0 - nx, y0 - ny)])
    return [c if _clockwise(c) else c[::-1] for c in out]


def _clockwise(contour: Contour) -> bool:
    following = contour[1:] + contour[:1]
    return sum((x1 - x0) * (y1 + y0) for (x0, y0), (x1, y1) in zip(contour, following, strict=True)) > 0


def _circle(radius: float, cx: float = 400, cy: float = _MID) -> Contour:
    return _regular(cx, cy, radius, 40)


def _triangle(turn: float) -> Shape:
    return [_regular(400, _MID - 40 * math.sin(math.radians(turn)), 370, 3, turn)]


def _hollow(turn: float) -> Shape:
    cy = _MID - 40 * math.sin(math.radians(turn))
    return [_regular(400, cy, 370, 3, turn), _hole(_regular(400, cy, 240, 3, turn))]


def _arrow(turn: float) -> Shape:
    """An arrow pointing along `turn` degrees."""
    shape = _stroke([(-320, 0), (300, 0)], 80) + _stroke([(120, 210), (330, 0)], 80) + _stroke([(330, 0), (120, -210)], 80)
    cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    return [[(400 + x * cos - y * sin, _MID + x * sin + y * cos) for x, y in c] for c in shape]


def _swords() -> Shape:
    one: Shape = [
        [(80, 640), (80, 700), (140, 700), (600, 240), (540, 180)],
        *_stroke([(420, 140), (640, 360)], 70),
        *_stroke([(580, 200), (720, 60)], 90),
    ]
    one = [c if _clockwise(c) else c[::-1] for c in one]
    mirrored = [[(800 - x, y) for x, y in c][::-1] for c in one]
    return one + mirrored


def _heart() -> Contour:
    out = []
    for i in range(48):
        t = 2 * math.pi * i / 48
        x = 16 * math.sin(t) ** 3
        y = 13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)
        out.append((400 + x * 21, 370 + y * 21))
    return out if _clockwise(out) else out[::-1]


def _skull() -> Shape:
    return [
        _circle(290, 400, 420),
        _box(270, 20, 530, 240),
        _hole(_circle(80, 290, 400)),
        _hole(_circle(80, 510, 400)),
        _hole([(400, 300), (440, 230), (360, 230)]),
    ]


def _bolt() -> Contour:
    return [(470, 760), (170, 330), (380, 330), (300, -40), (630, 430), (420, 430), (560, 760)]


def _flag() -> Shape:
    return [_box(180, -40, 250, 740), [(250, 740), (680, 590), (250, 430)]]


def _house() -> Shape:
    return [
        [(60, 330), (400, 690), (740, 330), (740, 290), (630, 290), (630, 0), (170, 0), (170, 290), (60, 290)],
        _hole(_box(330, 0, 470, 220)),
    ]


def _moon() -> Contour:
    outer = [(400 + 340 * math.cos(math.radians(a)), _MID + 340 * math.sin(math.radians(a))) for a in range(60, 301, 8)]
    inner = [(520 + 290 * math.cos(math.radians(a)), _MID + 290 * math.sin(math.radians(a))) for a in range(260, 99, -8)]
    contour = outer + inner
    return contour if _clockwise(contour) else contour[::-1]


def _sun() -> Shape:
    rays = [s for a in range(0, 360, 45) for s in _stroke([_polar(250, a), _polar(360, a)], 70)]
    return [_circle(190), *rays]


def _polar(radius: float, angle: float) -> tuple[float, float]:
    return 400 + radius * math.cos(math.radians(angle)), _MID + radius * math.sin(math.radians(angle))


def _shield() -> Shape:
    return [[(110, 690), (690, 690), (690, 340), (600, 150), (400, -20), (200, 150), (110, 340)]]


def _crown() -> Shape:
    return [[(70, 560), (250, 360), (400, 700), (550, 360), (730, 560), (660, 60), (140, 60)]]


SIGNS: dict[str, Callable[[], Shape]] = {
    "\u2010": lambda: [_box(60, 210, 340, 290)],
    "★": lambda: [_star(400, 330, 400, 160)],
    "☆": lambda: [_star(400, 330, 400, 160), _hole(_star(400, 330, 290, 116))],
    "✦": lambda: [_star(400, _MID, 400, 130, 4)],
    "▲": lambda: _triangle(90),
    "▼": lambda: _triangle(270),
    "►": lambda: _triangle(0),
    "▶": lambda: _triangle(0),
    "◄": lambda: _triangle(180),
    "◀": lambda: _triangle(180),
    "△": lambda: _hollow(90),
    "▽": lambda: _hollow(270),
    "●": lambda: [_circle(320)],
    "⚫": lambda: [_circle(320)],
    "○": lambda: [_circle(320), _hole(_circle(250))],
    "◉": lambda: [_circle(340), _hole(_circle(280)), _circle(170)],
    "■": lambda: [_box(90, 40, 710, 660)],
    "□": lambda: [_box(120, 20, 680, 680), _hole(_box(180, 80, 620, 620))],
    "▪": lambda: [_box(220, 170, 580, 530)],
    "▫": lambda: [_box(220, 170, 580, 530), _hole(_box(280, 230, 520, 470))],
    "◆": lambda: [_regular(400, _MID, 370, 4)],
    "◇": lambda: [_regular(400, _MID, 370, 4), _hole(_regular(400, _MID, 270, 4))],
    "✓": lambda: _stroke([(90, 330), (310, 90), (720, 640)], 90),
    "✔": lambda: _stroke([(90, 330), (310, 90), (720, 640)], 130),
    "✗": lambda: _stroke([(140, 90), (660, 610)], 90) + _stroke([(140, 610), (660, 90)], 90),
    "✘": lambda: _stroke([(140, 90), (660, 610)], 130) + _stroke([(140, 610), (660, 90)], 130),
    "✖": lambda: _stroke([(140, 90), (660, 610)], 130) + _stroke([(140, 610), (660, 90)], 130),
    "⚔": _swords,
    "☠": _skull,
    "💀": _skull,
    "♥": lambda: [_heart()],
    "❤": lambda: [_heart()],
    "♦": lambda: [_regular(400, _MID, 370, 4)],
    "⚡": lambda: [_bolt()],
    "⚑": _flag,
    "⌂": _house,
    "☾": lambda: [_moon()],
    "☀": _sun,
    "🛡": _shield,
    "👑": _crown,
    "♛": _crown,
    "→": lambda: _arrow(0),
    "↑": lambda: _arrow(90),
    "←": lambda: _arrow(180),
    "↓": lambda: _arrow(270),
    "↗": lambda: _arrow(45),
    "↘": lambda: _arrow(315),
    "↔": lambda: _arrow(0) + [[(800 - x, y) for x, y in c][::-1] for c in _arrow(0)],
    "⇒": lambda: _arrow(0),
}
"""Sign → its outline."""


def build() -> bytes:
    """The face as a TrueType file; the same bytes at every call."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    names = [".notdef", "space", *(f"u{ord(sign):04X}" for sign in SIGNS)]
    outlines: list[Shape] = [SIGNS[UNSUPPORTED](), [], *(make() for make in SIGNS.values())]
    glyphs: dict[str, Any] = {}
    widths: dict[str, tuple[int, int]] = {}
    for name, shape in zip(names, outlines, strict=True):
        pen = TTGlyphPen(None)
        points = [(round(x), round(y)) for contour in shape for x, y in contour]
        for contour in shape:
            start, *rest = [(round(x), round(y)) for x, y in contour]
            pen.moveTo(start)
            for point in rest:
                pen.lineTo(point)
            pen.closePath()
        glyphs[name] = pen.glyph()
        width = 250 if name == "space" else 400 if name == "u2010" else 800
        widths[name] = (width, min((x for x, _ in points), default=0))
    builder = FontBuilder(_UPM, isTTF=True)
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({32: "space", **{ord(sign): f"u{ord(sign):04X}" for sign in SIGNS}})
    builder.setupGlyf(glyphs)
    builder.setupHorizontalMetrics(widths)
    builder.setupHorizontalHeader(ascent=900, descent=-250)
    builder.setupNameTable(
        {
            "familyName": FAMILY,
            "styleName": "Regular",
            "uniqueFontIdentifier": "forum-gm-signs-1",
            "fullName": FAMILY,
            "psName": "ForumGMSigns",
            "version": "Version 1.000",
        }
    )
    builder.setupOS2(sTypoAscender=900, sTypoDescender=-250, usWinAscent=900, usWinDescent=250, sCapHeight=700, sxHeight=500)
    builder.setupPost()
    builder.font["head"].created = builder.font["head"].modified = 0
    builder.font.recalcTimestamp = False
    out = io.BytesIO()
    builder.save(out)
    return out.getvalue()


if __name__ == "__main__":
    FILE.write_bytes(build())
