"""Collects the plain text of a post while a markup reader walks it, and the marks with it.

Both readers (BBCode and HTML) write through this one class, so that equal posts give equal text.
"""

from __future__ import annotations

from parsers.text import Mark, Marked, PostText
from parsers.types import Span

CELL_BREAK = "\t"
"""Stands between two cells of a table row: blank, so that it needs no accounting."""


class TextBuilder:
    """Appends text and opens and closes marks; block marks begin and end on a line of their own."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._solid = 0
        self._last = "\n"
        self._open: list[tuple[Mark, int, str]] = []
        self._marks: list[Marked] = []

    def write(self, text: str) -> None:
        """Appends text as it is."""
        if text:
            self._parts.append(text)
            self._length += len(text)
            self._last = text[-1]
            solid = len(text.rstrip())
            if solid:
                self._solid = self._length - len(text) + solid

    def new_line(self) -> None:
        """Starts a new line unless at the start of one."""
        if self._length and self._last != "\n":
            self.write("\n")

    def blank(self) -> None:
        """Parts two words that stood in different elements."""
        if self._length and not self._last.isspace():
            self.write(" ")

    @property
    def at_line_start(self) -> bool:
        """True where nothing has been written on the present line."""
        return self._last == "\n"

    def open(self, mark: Mark, detail: str = "") -> None:
        """Begins a marked stretch here."""
        self._open.append((mark, self._length, detail))

    def close(self, mark: Mark) -> None:
        """Ends the innermost open stretch with this mark; nothing where none is open."""
        for i in range(len(self._open) - 1, -1, -1):
            kind, start, detail = self._open[i]
            if kind is mark:
                del self._open[i]
                if start < self._solid:  # blanks at the end are not part of it
                    self._marks.append(Marked(Span(start, self._solid), mark, detail))
                return

    def is_open(self, mark: Mark) -> bool:
        """True inside such a stretch."""
        return any(kind is mark for kind, _, _ in self._open)

    def finish(self) -> PostText:
        """The text with its marks sorted by start; open marks end with the text."""
        while self._open:
            self.close(self._open[-1][0])
        text = "".join(self._parts)
        marks = sorted(self._marks, key=lambda m: (m.span.start, -m.span.end, m.mark.value))
        return PostText(text, tuple(marks))
