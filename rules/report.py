"""A report as a small document: sections of paragraphs, tables, ledgers and figures, without any markup language.

A ruleset writes it once from a view and the filtered events; renderers turn it into BBCode, HTML, PDF, plain text and JSON.
All strings are plain text: every renderer escapes them, so a player's words can't become markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rules.maps import Figure


@dataclass(frozen=True, slots=True)
class Strong:
    """Emphasised text."""

    text: str


@dataclass(frozen=True, slots=True)
class Emphasis:
    """Text in italics: story, descriptions, a player's own words."""

    text: str


@dataclass(frozen=True, slots=True)
class Coloured:
    """Text in a faction's colour (`#rrggbb`); always legible without the colour too."""

    text: str
    colour: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A citation of a ruling, e.g. `R53`."""

    rule: str


Inline: TypeAlias = str | Strong | Emphasis | Coloured | Rule
Rich: TypeAlias = tuple[Inline, ...]


def rich(*parts: Inline | Iterable[Inline]) -> Rich:
    """A rich text of the parts, flattened."""
    out: list[Inline] = []
    for part in parts:
        if isinstance(part, str | Strong | Emphasis | Coloured | Rule):
            out.append(part)
        else:
            out.extend(part)
    return tuple(out)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    text: Rich


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of short items."""

    items: tuple[Rich, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines that must stay as they are, one below the other (a battle's two formula lines); not monospaced unless `mono`."""

    lines: tuple[Rich, ...]
    mono: bool = False
    post_limit: int | None = None
    """Most lines that a forum post shows (it says how many are left out); None: all. Other renderings have them all."""


@dataclass(frozen=True, slots=True)
class Column:
    """A table column."""

    title: str
    numeric: bool = False
    """Right-aligned figures."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table; boards without tables get it as aligned text or as a list."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Rich, ...], ...]
    caption: str = ""
    total: tuple[Rich, ...] | None = None
    """A closing row of sums."""


@dataclass(frozen=True, slots=True)
class FigureBlock:
    """A picture drawn from a model."""

    figure: Figure
    caption: str
    alt: str = ""
    """What it shows, in words."""


Block: TypeAlias = "Paragraph | Bullets | Lines | Table | FigureBlock | Section"


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part."""

    title: str
    blocks: tuple[Block, ...]
    details: bool = False
    """Details that a forum post may fold away (spoiler); the PDF prints them."""
    id: str = ""
    """Stable anchor."""


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report: first the short summary that every reader sees, then the sections."""

    title: str
    """«Ход 3»."""
    summary: tuple[Block, ...]
    sections: tuple[Section, ...]
    subtitle: str = ""


def para(*parts: Inline | Iterable[Inline]) -> Paragraph:
    """A paragraph of the parts."""
    return Paragraph(rich(*parts))


def row(*cells: Inline | Sequence[Inline]) -> tuple[Rich, ...]:
    """A table row of cells, each a text or a sequence of inlines."""
    return tuple(rich(cell) for cell in cells)
