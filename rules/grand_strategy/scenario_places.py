"""Where in a scenario's file a mistake stands: every mistake's text begins with its place, as `scenario` writes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from parsers.types import Json
from rules.toml_lines import TomlText, line_of

_NAMED = {
    "army": ("id",),
    "player": ("id",),
    "vagabond": ("id",),
    "unit": ("id",),
    "building": ("id",),
    "province": ("number",),
    "mine_site": ("cell",),
    "dragon_lair": ("cell",),
    "house": ("name", "cell", "type"),
}
"""By which fields the tables of a kind are named in mistakes."""


def with_lines(problems: list[str], source: Mapping[str, Json]) -> list[str]:
    """The mistakes, each with its line where the source still knows its text."""
    if not isinstance(source, TomlText):
        return problems
    out = []
    for problem in problems:
        line = line_of(source.text, place_of(problem, source))
        out.append(f"строка {line}: {problem}" if line is not None else problem)
    return out


def place_of(problem: str, source: Mapping[str, Any]) -> tuple[str | int, ...]:
    """The path that a mistake's beginning names."""
    if match := re.match(r"map\.(terrain|provinces), (?:строка|клетка [^\d\s]+)\s*(\d+)", problem):
        return ("map", match[1], int(match[2]) - 1)
    if match := re.match(r"map\.river «(.*?)»", problem):
        rivers = source.get("map", {}).get("river", [])
        number = next((i for i, river in enumerate(rivers) if river.get("name") == match[1]), 0)
        return ("map", "river", number)
    if match := re.match(r"settings: таких настроек нет: (\w+)", problem):
        return ("settings", match[1])
    head = problem.partition(": ")[0]
    if " → " in head or "." in head.partition(" ")[0]:
        steps = re.split(r" → |\.", head)
        return tuple(int(step[1:]) - 1 if re.fullmatch(r"№\d+", step) else step for step in steps)
    kind, _, name = head.partition(" ")
    kind = kind.partition("/")[0]
    if kind not in _NAMED:
        return (kind,)
    again = re.search(r": «(.+?)» записано дважды", problem)
    return (kind, *_number(source.get(kind, []), _NAMED[kind], again[1] if again else name, last=again is not None))


def _number(rows: list[Any], fields: tuple[str, ...], name: str, *, last: bool) -> tuple[int, ...]:
    """Which of the tables has this name («2 «Железные горы»» too); the last of several where it stands twice."""
    wanted = {name.strip("«»"), name.partition(" «")[0].strip("«»")}
    found = [i for i, row in enumerate(rows) if any(str(row.get(field, "")) in wanted for field in fields)]
    return (found[-1 if last else 0],) if found else ()
