"""A canvas in design units: smooth shapes (drawn large, then reduced) and crisp text on top, whose boxes are kept for checks."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from PIL import Image, ImageDraw

from renderers.fonts import Face, pillow_font, runs
from renderers.palette import INK, PAPER, RGB, rgb

XY: TypeAlias = tuple[float, float]
Colour: TypeAlias = str | RGB


def as_rgb(colour: Colour) -> RGB:
    """Either form of a colour as numbers."""
    return rgb(colour) if isinstance(colour, str) else colour


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in design units."""

    x0: float
    y0: float
    x1: float
    y1: float

    def overlaps(self, other: Box, gap: float = 0) -> bool:
        """True when the two, kept `gap` apart, share some area."""
        return self.x0 < other.x1 + gap and other.x0 < self.x1 + gap and self.y0 < other.y1 + gap and other.y0 < self.y1 + gap

    def overlap_area(self, other: Box) -> float:
        """Shared area."""
        return max(0.0, min(self.x1, other.x1) - max(self.x0, other.x0)) * max(
            0.0, min(self.y1, other.y1) - max(self.y0, other.y0)
        )

    def inside(self, other: Box) -> bool:
        """True when it lies within `other`."""
        return other.x0 <= self.x0 and other.y0 <= self.y0 and self.x1 <= other.x1 and self.y1 <= other.y1

    def shifted(self, dx: float, dy: float) -> Box:
        """The same rectangle elsewhere."""
        return Box(self.x0 + dx, self.y0 + dy, self.x1 + dx, self.y1 + dy)

    def grown(self, by: float) -> Box:
        """Larger by `by` on every side."""
        return Box(self.x0 - by, self.y0 - by, self.x1 + by, self.y1 + by)


@dataclass(frozen=True, slots=True)
class Label:
    """A text that was drawn."""

    text: str
    box: Box


@dataclass(slots=True)
class _Text:
    text: str
    at: XY
    face: Face
    size: float
    colour: RGB
    halo: RGB | None
    halo_width: float


@dataclass(slots=True)
class Canvas:
    """What is drawn on. All lengths are design units; `scale` pixels to a unit in the finished picture."""

    width: float
    height: float
    scale: float = 1.6
    smooth: int = 2
    """Shapes are drawn this many times larger and reduced."""
    background: Colour = PAPER
    labels: list[Label] = field(default_factory=list)
    """Every text drawn, for tests of legibility."""
    _image: Image.Image = field(init=False)
    _draw: ImageDraw.ImageDraw = field(init=False)
    _texts: list[_Text] = field(default_factory=list)

    def __post_init__(self) -> None:
        factor = self.scale * self.smooth
        size = (max(1, round(self.width * self.scale) * self.smooth), max(1, round(self.height * self.scale) * self.smooth))
        self._image = Image.new("RGB", size, as_rgb(self.background))
        self._draw = ImageDraw.Draw(self._image)
        assert factor > 0

    @property
    def box(self) -> Box:
        """The whole canvas."""
        return Box(0, 0, self.width, self.height)

    @property
    def factor(self) -> float:
        """Pixels of the large picture to a unit."""
        return self.scale * self.smooth

    @property
    def large(self) -> Image.Image:
        """The large picture, for textures; not yet reduced."""
        return self._image

    # -------------------------------------------------------------------------------------------- shapes

    def _points(self, points: Iterable[XY]) -> list[XY]:
        return [(x * self.factor, y * self.factor) for x, y in points]

    def line(self, points: Sequence[XY], colour: Colour, width: float = 1, *, dash: tuple[float, float] | None = None) -> None:
        """A line through the points with round joints; dashed where `dash` gives stroke and gap."""
        pieces = [list(points)] if dash is None else list(dashes(points, *dash))
        pixels = max(1, round(width * self.factor))
        for piece in pieces:
            scaled = self._points(piece)
            self._draw.line(scaled, fill=as_rgb(colour), width=pixels, joint="curve")
            if pixels > 3:
                for x, y in (scaled[0], scaled[-1]):
                    self._draw.ellipse((x - pixels / 2, y - pixels / 2, x + pixels / 2, y + pixels / 2), fill=as_rgb(colour))

    def polygon(self, points: Sequence[XY], fill: Colour | None, outline: Colour | None = None, width: float = 1) -> None:
        """A filled polygon."""
        scaled = self._points(points)
        if fill is not None:
            self._draw.polygon(scaled, fill=as_rgb(fill))
        if outline is not None:
            self.line([*points, points[0]], outline, width)

    def rectangle(
        self, box: Box, fill: Colour | None, outline: Colour | None = None, width: float = 1, radius: float = 0
    ) -> None:
        """A rectangle, perhaps with round corners."""
        f = self.factor
        self._draw.rounded_rectangle(
            (box.x0 * f, box.y0 * f, box.x1 * f, box.y1 * f),
            radius=radius * f,
            fill=None if fill is None else as_rgb(fill),
            outline=None if outline is None else as_rgb(outline),
            width=max(1, round(width * f)),
        )

    def circle(self, at: XY, radius: float, fill: Colour | None, outline: Colour | None = None, width: float = 1) -> None:
        """A circle; the outline lies within the radius."""
        f, (x, y) = self.factor, at
        self._draw.ellipse(
            ((x - radius) * f, (y - radius) * f, (x + radius) * f, (y + radius) * f),
            fill=None if fill is None else as_rgb(fill),
            outline=None if outline is None else as_rgb(outline),
            width=max(1, round(width * f)),
        )

    def dashed_circle(self, at: XY, radius: float, colour: Colour, width: float, parts: int = 14) -> None:
        """A circle's outline in `parts` strokes."""
        f, (x, y) = self.factor, at
        box = ((x - radius) * f, (y - radius) * f, (x + radius) * f, (y + radius) * f)
        for part in range(parts):
            start = 360 * part / parts
            self._draw.arc(box, start, start + 220 / parts, fill=as_rgb(colour), width=max(1, round(width * f)))

    def arrow(self, points: Sequence[XY], colour: Colour, width: float, head: float) -> None:
        """A line with a solid head at its end."""
        (x0, y0), (x1, y1) = points[-2], points[-1]
        length = max(1e-6, ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5)
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        neck = (x1 - ux * head * 0.8, y1 - uy * head * 0.8)
        self.line([*points[:-1], neck], colour, width)
        base = (x1 - ux * head, y1 - uy * head)
        half = head * 0.52
        self.polygon(
            [(x1, y1), (base[0] - uy * half, base[1] + ux * half), neck, (base[0] + uy * half, base[1] - ux * half)], colour
        )

    # -------------------------------------------------------------------------------------------- text

    def text_width(self, text: str, size: float, face: Face = Face.SANS) -> float:
        """Width of a text on one line."""
        pixels = size * self.scale
        return sum(pillow_font(run.face, pixels).getlength(run.text) for run in runs(text, face)) / self.scale

    def shorten(self, text: str, size: float, room: float, face: Face = Face.SANS) -> str:
        """The text, cut with «…» where it is wider than `room`."""
        text = " ".join(text.split())
        if self.text_width(text, size, face) <= room:
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if self.text_width(text[:middle].rstrip() + "…", size, face) <= room:
                low = middle
            else:
                high = middle - 1
        return text[:low].rstrip() + "…"

    def wrap(self, text: str, size: float, room: float, face: Face = Face.SANS, most: int = 2) -> list[str]:
        """The text in at most `most` lines no wider than `room`."""
        lines: list[str] = []
        words = text.split()
        while words and len(lines) < most:
            line = words.pop(0)
            while words and self.text_width(f"{line} {words[0]}", size, face) <= room:
                line += " " + words.pop(0)
            lines.append(line)
        if words:
            lines[-1] = " ".join([lines[-1], *words])
        return [self.shorten(line, size, room, face) for line in lines]

    def text_box(self, text: str, at: XY, size: float, face: Face = Face.SANS, anchor: str = "lm") -> Box:
        """Where a text would stand. Anchor: `l m r` across, `t m b s` (s: baseline) down; `m` is the middle of capitals."""
        width = self.text_width(text, size, face)
        x = at[0] - {"l": 0, "m": width / 2, "r": width}[anchor[0]]
        top = at[1] - {"t": 0.0, "m": size * 0.56, "b": size * 1.16, "s": size * 0.91}[anchor[1]]
        return Box(x, top, x + width, top + size * 1.16)

    def text(
        self,
        text: str,
        at: XY,
        size: float,
        colour: Colour = INK,
        face: Face = Face.SANS,
        anchor: str = "lm",
        *,
        halo: Colour | None = None,
        halo_width: float = 1.6,
    ) -> Box:
        """Draws a text on one line, above all shapes; returns where it stands."""
        text = " ".join(text.split())
        box = self.text_box(text, at, size, face, anchor)
        if text:
            baseline = (box.x0, box.y0 + size * 0.91)
            self._texts.append(
                _Text(text, baseline, face, size, as_rgb(colour), None if halo is None else as_rgb(halo), halo_width)
            )
            self.labels.append(Label(text, box))
        return box

    # -------------------------------------------------------------------------------------------- result

    def finish(self) -> Image.Image:
        """The picture at its final size."""
        image = self._image.reduce(self.smooth) if self.smooth > 1 else self._image
        draw = ImageDraw.Draw(image)
        for item in self._texts:
            if item.halo is not None:
                self._put(draw, item, item.halo, max(1, round(item.halo_width * self.scale)))
        for item in self._texts:
            self._put(draw, item, item.colour, 0)
        return image

    def _put(self, draw: ImageDraw.ImageDraw, item: _Text, colour: RGB, stroke: int) -> None:
        x, y = item.at[0] * self.scale, round(item.at[1] * self.scale)
        for run in runs(item.text, item.face):
            font = pillow_font(run.face, item.size * self.scale)
            draw.text(
                (x, y), run.text, fill=colour, font=font, anchor="ls", stroke_width=stroke, stroke_fill=colour if stroke else None
            )
            x += font.getlength(run.text)


def dashes(points: Sequence[XY], stroke: float, gap: float) -> Iterable[list[XY]]:
    """The line cut into strokes."""
    drawing, left = True, stroke
    piece = [points[0]]
    for (x0, y0), (x1, y1) in pairwise(points):
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        done = 0.0
        while length - done > left:
            done += left
            at = (x0 + (x1 - x0) * done / length, y0 + (y1 - y0) * done / length)
            if drawing:
                yield [*piece, at]
            drawing, left, piece = not drawing, (gap if drawing else stroke), [at]
        left -= length - done
        if drawing:
            piece.append((x1, y1))
    if drawing and len(piece) > 1:
        yield piece


def png(image: Image.Image, max_bytes: int = 256 * 1024) -> bytes:
    """The picture as PNG with a palette; fewer colours, then fewer pixels, where the file would be larger than `max_bytes`."""
    while True:
        for colours in (256, 80):
            data = _encode(image, colours)
            if len(data) <= max_bytes:
                return data
        share = min(0.92, 0.96 * (max_bytes / len(data)) ** 0.5)
        image = image.resize((max(1, round(image.width * share)), max(1, round(image.height * share))), Image.Resampling.LANCZOS)


def _encode(image: Image.Image, colours: int) -> bytes:
    out = io.BytesIO()
    image.quantize(colours, palette=_palette(image, colours), dither=Image.Dither.NONE).save(out, "PNG", compress_level=7)
    return out.getvalue()


def _palette(image: Image.Image, colours: int) -> Image.Image:
    """The commonest colours exactly as they are (grounds, sides), then such as cover the rest (small marks keep their hue).

    Colours closer than `_APART` to a commoner one are left out: Pillow finds the nearest entry only to within a few steps, and
    would show white as an off-white."""
    # A quarter of the pixels is enough to count; areas that matter are larger than two pixels.
    sample = image.resize((max(1, image.width // 2), max(1, image.height // 2)), Image.Resampling.NEAREST)
    counted: list[tuple[int, RGB]] = sample.getcolors(sample.width * sample.height) or []  # type: ignore[assignment]
    common = [colour for _, colour in sorted(counted, key=lambda item: (-item[0], item[1]))[:3000]]
    spread = sample.quantize(colours // 2, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).getpalette() or []
    covering = list(zip(spread[::3], spread[1::3], spread[2::3], strict=True))
    candidates = np.array([*common, *covering], dtype=np.int16)
    free = np.ones(len(candidates), dtype=bool)
    chosen = np.empty((256, 3), dtype=np.int16)
    count = 0
    ends = len(common), len(candidates)
    for first, last, most in ((0, ends[0], colours * 5 // 8), (ends[0], ends[1], colours), (0, ends[0], colours)):
        at = first
        while count < most and (left := free[at:last]).any():
            at += int(left.argmax())
            chosen[count] = candidates[at]
            free &= np.abs(candidates - chosen[count]).max(axis=1) >= _APART
            count += 1
    chosen[count:] = chosen[0]
    out = Image.new("P", (1, 1))
    out.putpalette(chosen.astype(np.uint8).tobytes())
    return out


_APART = 9
