"""The game's shipped data files: default scenario, vocabulary, error texts, words, spells, rulings."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table(name: str) -> dict[str, Any]:
    """The TOML file `data/<name>.toml`."""
    return tomllib.loads(text(name))


@cache
def text(name: str) -> str:
    """The source of `data/<name>.toml`."""
    return files(__package__).joinpath("data", f"{name}.toml").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Spell:
    """A spell of the book (chapter 7 of the rules)."""

    id: str
    name: str
    school: str
    rule: str
    result: tuple[str, ...]
    """What a modified d6 of 1…6 gives."""
    range: int | None = None
    """Cells from the mage; None: any, or his own cell."""


@cache
def spells() -> dict[str, Spell]:
    """All spells by id."""
    rows = table("spells")["spell"]
    return {key: Spell(key, r["name"], r["school"], r["rule"], tuple(r["result"]), r.get("range")) for key, r in rows.items()}


@cache
def opposite(school: str) -> tuple[str, ...]:
    """The schools opposed to a mage's school (R151)."""
    return tuple(table("spells")["opposite"].get(school, ()))


def word(group: str, key: str, form: int = 0) -> str:
    """A word of `words.toml`; the key itself where there is none."""
    found = table("words").get(group, {}).get(key, key)
    return str(found[min(form, len(found) - 1)]) if isinstance(found, list) else str(found)


def plural(count: int, key: str) -> str:
    """The noun's form after a number: 1 монета, 2 монеты, 5 монет."""
    one, few, many = table("words")["plural"][key]
    n = abs(count)
    if n % 10 == 1 and n % 100 != 11:
        return str(one)
    return str(few if n % 10 in (2, 3, 4) and n % 100 not in (12, 13, 14) else many)


def counted(count: int, key: str) -> str:
    """«3 монеты»."""
    return f"{count} {plural(count, key)}"
