"""A TOML document that still knows its text, so that a mistake in it can be told with its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence

from parsers.types import Json

_HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_.\-]+)\s*\]\]?")
_KEY = re.compile(r"\s*([A-Za-z0-9_\-]+|\"[^\"]*\")\s*=")
_ITEM = re.compile(r"\s*[\"'{]")


class TomlText(dict[str, Json]):
    """The document as a mapping, with its text."""

    text: str = ""

    @classmethod
    def read(cls, text: str) -> TomlText:
        """Raises `tomllib.TOMLDecodeError`."""
        document = cls(tomllib.loads(text))
        document.text = text
        return document


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """The line (from 1) of a path: a table (`"map"`), the n-th of several (`"army", 2`), a key in it, the n-th string of a list
    that has a line for each (`"map", "terrain", 4`). Of a path that leads further than the text can be followed, the last line
    found; None: not even its beginning is there."""
    found: int | None = None
    rest = list(path)
    lines = text.splitlines()
    at = 0
    if rest and isinstance(rest[0], str) and (table := _table(lines, rest)) is not None:
        at, used = table
        found, rest = at + 1, rest[used:]
    if rest and isinstance(rest[0], str):
        key = _key(lines, at if found else -1, rest[0])
        if key is not None:
            found, at, rest = key + 1, key, rest[1:]
            if rest and isinstance(rest[0], int):
                item = _item(lines, at, rest[0])
                found = item + 1 if item is not None else found
    return found


def _table(lines: Sequence[str], path: Sequence[str | int]) -> tuple[int, int] | None:
    """Where the table of a path's beginning stands, and how many steps of the path that was."""
    name, number = str(path[0]), path[1] if len(path) > 1 and isinstance(path[1], int) else 0
    headers = [(i, match[2]) for i, line in enumerate(lines) if (match := _HEADER.match(line))]
    same = [i for i, found in headers if found == name]
    if not same:
        return None
    several = len(path) > 1 and isinstance(path[1], int)
    return (same[min(number, len(same) - 1)], 2 if several else 1)


def _key(lines: Sequence[str], header: int, name: str) -> int | None:
    """The line of a key within the table that begins after a header's line (−1: before any table)."""
    for i in range(header + 1, len(lines)):
        if _HEADER.match(lines[i]) and not _ITEM.match(lines[i]):
            return None
        if (match := _KEY.match(lines[i])) and match[1].strip('"') == name:
            return i
    return None


def _item(lines: Sequence[str], key: int, number: int) -> int | None:
    """The line of the n-th item of a list written one to a line."""
    if _ITEM.match(lines[key].partition("=")[2].lstrip().removeprefix("[")):
        return None
    seen = -1
    for i in range(key + 1, len(lines)):
        if _ITEM.match(lines[i]):
            seen += 1
            if seen == number:
                return i
        elif lines[i].strip().startswith("]"):
            return None
    return None
