"""A post as plain text with its structure kept beside it: bold, struck-out, quotes, lists, tables, spoilers by span.

BBCode source, HTML and plain text give the same order text; every offset refers to `PostText.text`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from parsers.types import Span


class Mark(StrEnum):
    """What a stretch of a post is."""

    BOLD = "bold"
    ITALIC = "italic"
    UNDERLINE = "underline"
    HEADING = "heading"
    STRUCK = "struck"
    QUOTE = "quote"
    CODE = "code"
    SPOILER = "spoiler"
    OOC = "ooc"
    SIGNATURE = "signature"
    ITEM = "item"
    CELL = "cell"
    ROW = "row"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Marked:
    """A marked stretch."""

    span: Span
    mark: Mark
    detail: str = ""
    """Spoiler title, quote author, link address, list number."""


@dataclass(frozen=True, slots=True)
class PostText:
    """The plain text of a post and its marks, sorted by start."""

    text: str
    marks: tuple[Marked, ...] = ()

    def marked(self, mark: Mark) -> list[Span]:
        """The spans with this mark."""
        return [m.span for m in self.marks if m.mark is mark]


def from_text(source: str) -> PostText:
    """A plain text post: line ends normalised, nothing else."""
    return PostText(source.replace("\r\n", "\n").replace("\r", "\n"))
