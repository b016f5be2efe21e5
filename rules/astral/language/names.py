"""Entries of everything that has a name in a view: owners, shards, units, items, specialists, features, runes."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from parsers.atoms import Atom
from parsers.lexicon import Entry, entries_from_table
from parsers.reading_atoms import preposition
from parsers.structure import Layout
from parsers.types import Span
from rules.astral.view import View


@cache
def tables() -> dict[str, Any]:
    """`data/language.toml`."""
    return tomllib.loads(files("rules.astral").joinpath("data/language.toml").read_text("utf-8"))


@cache
def harmless_words() -> frozenset[str]:
    """Lemmas that change no order."""
    return frozenset(tables()["harmless"]["words"])


@cache
def beside(key: str) -> frozenset[str]:
    """Words of `[beside]` in `data/language.toml`."""
    return frozenset(tables()["beside"][key])


def entries(view: View) -> list[Entry]:
    """Every name and word that the reader's posts may use. Hidden things of the view are named too: names are public data of
    the game; what somebody holds is not asked here."""
    out = entries_from_table(tables()["words"])
    out.extend(Entry("times", int(count), tuple(names)) for count, names in tables()["times"].items())
    out.extend(Entry("number", int(value), tuple(names)) for value, names in tables()["numbers"].items())
    out.extend(Entry("ordinal", int(value), tuple(names)) for value, names in tables()["ordinals"].items())
    game, catalog = view.game, view.catalog
    for ident, owner in game.owners.items():
        out.append(Entry("owner", ident, (owner.name, *owner.aliases), label=owner.name, weight=1.05))
    for ident, shard in game.shards.items():
        out.append(Entry("shard", ident, (shard.name,), partial=True, label=shard.label))
    slang = tables()["slang"]
    for ident, unit in catalog.units.items():
        out.append(Entry(unit.slot, ident, (unit.name_ru, *unit.aliases, *slang.get(ident, ())), label=unit.name_ru, weight=1.02))
    for ident, item in catalog.items.items():
        out.append(Entry("item", ident, (item.name_ru, *item.aliases), partial=True, label=item.name_ru))
    for ident, specialist in catalog.specialists.items():
        out.append(Entry("specialist", ident, (specialist.name_ru, *specialist.aliases), partial=True, label=specialist.name_ru))
    for ident, feature in catalog.features.items():
        out.append(Entry("feature", ident, (feature.name_ru, *feature.aliases), partial=True, label=feature.name_ru))
    for ident, rune in catalog.runes.items():
        names = {n.removeprefix("руна ").removeprefix("за ") for n in (rune.name_ru.lower(), *rune.aliases)}
        out.append(Entry("rune", ident, tuple(sorted(n for n in names if n)), label=rune.name_ru, weight=0.98))
    return out


def with_words_before(layout: Layout, atom: Atom, count: int) -> Atom:
    """The atom with the words right before it that say how it is meant («любую атаку», «обоих осколках»)."""
    first = atom.first - count
    span = Span(layout.tokens[first].start, atom.span.end)
    data = {**atom.data, "parts": ((first, atom.last),)}
    text = layout.text[span.start : span.end]
    return replace(atom, first=first, span=span, text=text, data=data, prep=preposition(layout.tokens, first))
