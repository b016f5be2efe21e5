"""The shared look: one restrained, colour-blind-safe palette for maps, charts, PDF and posts."""

from __future__ import annotations

import re
from typing import TypeAlias

RGB: TypeAlias = tuple[int, int, int]

INK = "#1d2733"
"""Text and main lines."""
MUTED = "#5d6b7a"
"""Secondary text."""
FAINT = "#8e9aa6"
"""Citations, marks on axes."""
LINE = "#d5dbe1"
"""Hairlines and grids."""
WASH = "#f3f5f7"
"""Quiet areas."""
PAPER = "#ffffff"
ACCENT = "#1f5f8b"
"""Headings' rule, links: a blue that all kinds of sight tell from the ink."""
WARM = "#c8641b"
"""The one warm accent: battles, marks."""
STAR = "#e0a100"
NEUTRAL = "#9aa4ae"
"""What belongs to nobody."""

_HEX = re.compile(r"#[0-9a-fA-F]{6}")


def is_colour(text: str) -> bool:
    """True for `#rrggbb`."""
    return _HEX.fullmatch(text) is not None


def rgb(colour: str) -> RGB:
    """`#rrggbb` as numbers. Anything else counts as neutral grey: a picture never fails for a colour."""
    text = colour if is_colour(colour) else NEUTRAL
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def hexa(colour: RGB) -> str:
    """Numbers as `#rrggbb`."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def mix(a: str | RGB, b: str | RGB, share: float) -> RGB:
    """`a` with `share` (0..1) of `b` in it."""
    one, two = (rgb(c) if isinstance(c, str) else c for c in (a, b))
    red, green, blue = (round(x + (y - x) * share) for x, y in zip(one, two, strict=True))
    return red, green, blue


def luminance(colour: str | RGB) -> float:
    """Relative luminance of WCAG, 0..1."""
    parts = [c / 255 for c in (rgb(colour) if isinstance(colour, str) else colour)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str | RGB, b: str | RGB) -> float:
    """Contrast ratio of WCAG, 1..21."""
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def on(colour: str | RGB) -> RGB:
    """White or ink, whichever is easier to read on the colour."""
    return rgb(PAPER) if contrast(colour, PAPER) >= contrast(colour, INK) * 0.72 else rgb(INK)


def legible(colour: str | RGB, ratio: float = 4.5) -> RGB:
    """The colour, darkened just enough to be read on white paper."""
    base = rgb(colour) if isinstance(colour, str) else colour
    for step in range(0, 101, 4):
        darker = mix(base, (0, 0, 0), step / 100)
        if contrast(darker, PAPER) >= ratio:
            return darker
    return rgb(INK)
