"""Entries of everything that has a name in a view, the reader's own faction first (§3)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from parsers.lexicon import Entry, entries_from_table
from parsers.russian import Verb, info, normal
from rules.steel_rose.commands import MOBILE_CITY
from rules.steel_rose.data import game_data
from rules.steel_rose.view import View

OGRES = "ogres"
CULT = "cult"
HEARD = "heard"
"""Key of a context's memory: tokens of denials that an order explains."""


@cache
def tables() -> dict[str, Any]:
    """`data/language.toml`."""
    return tomllib.loads(files("rules.steel_rose").joinpath("data/language.toml").read_text("utf-8"))


@cache
def beginnings(name: str) -> tuple[str, ...]:
    """Beginnings of verbs by their name in `[beginnings]` of the data."""
    return tuple(tables()["beginnings"][name])


def _plain(names: Iterable[str]) -> tuple[str, ...]:
    """Names as the lexicon wants them: a short one that looks like a verb («пал») has no other forms."""
    out: list[str] = []
    for name in names:
        single = normal(name.strip(" ."))
        if name.endswith(".") and " " not in single:
            out.append(f"={single}")
            continue
        strict = " " not in single and not single.startswith("=") and len(single) <= 4 and info(single).verb is not Verb.NONE
        out.append(f"={single}" if strict else name)
    return tuple(dict.fromkeys(out))


def _head(name: str) -> str:
    """A name as it is looked up: a single word by its dictionary form («рыцари» is «рыцарь»)."""
    word = normal(name).lstrip("=")
    lemmas = sorted(info(word).lemmas - {word}) if " " not in word else []
    return lemmas[0] if len(lemmas) == 1 else word


def _own_first(kind: str, things: Iterable[tuple[str, str, tuple[str, ...], bool]], weight: float) -> list[Entry]:
    """Entries of things by (id, name, aliases, own): a name that an own thing bears means it alone."""
    things = list(things)
    own = {_head(n) for _, name, aliases, mine in things if mine for n in (name, *aliases)}
    out = []
    for ident, name, aliases, mine in things:
        names = [n for n in (name, *aliases) if mine or _head(n) not in own]
        if names:
            out.append(Entry(kind, ident, _plain(names), label=name, weight=weight))
    return out


def entries(view: View) -> list[Entry]:
    """Every name and word that the reader's posts may use."""
    table, data, me = tables(), game_data(), view.faction
    more = table["more"]
    out = entries_from_table(dict(table["words"].items()))
    out = [replace(e, value=MOBILE_CITY) if e.kind == "mobile" else e for e in out]
    for group, kind in (("flanks", "flank"), ("rows", "row"), ("cells", "cell")):
        out += [Entry(kind, (value,) if kind == "cell" else value, tuple(names)) for value, names in table[group].items()]
    out.append(Entry("~person", "person", ("=им", "=вам", "=вами", "=ваш", "=вашу", "=ваше", "=ней", "=нею", "=ними", "=ним")))
    out.append(Entry("~same", "same", tuple(table["same"]["words"])))
    if view.all_seeing:
        out += entries_from_table(table["gm"])
    out += [Entry("capital", "capital", tuple(table["capital"]["words"]), weight=1.1)]
    units = [(i, u.name_ru, (*u.aliases, *more["unit"].get(i, ())), me is None or u.faction == me) for i, u in data.units.items()]
    out += _own_first("unit", units, 1.02)
    buildings: list[tuple[str, str, tuple[str, ...], bool]] = []
    seen: dict[str, set[str]] = {}
    for faction, table_ in data.buildings.items():
        for ident, b in table_.items():
            mine = me is None or faction == me
            names = {b.name_ru, *b.aliases, *more["building"].get(ident, ())}
            if ident in seen and not mine:
                continue
            seen.setdefault(ident, set()).update(names)
            buildings.append((ident, b.name_ru, tuple(sorted(names)), mine))
    if me == CULT:  # whose camp is no building
        camps = {normal(w) for w in table["words"]["camp"]}
        buildings = [(i, n, tuple(a for a in al if normal(a) not in camps), mine) for i, n, al, mine in buildings]
    out += _own_first("building", buildings, 1.05)
    for ident, city in view.state.cities.items():
        names_ = (city.name_ru, *city.aliases, *more["city"].get(ident, ()))
        out.append(Entry("city", ident, tuple(dict.fromkeys(names_)), label=city.name_ru, weight=1.04))
    out += [Entry("city", ident, (name,), label=name) for ident, name in view.state.vanished.items() if ident != MOBILE_CITY]
    mobile = view.state.mobile_city
    if mobile is not None:
        out.append(Entry("mobile", MOBILE_CITY, (mobile.name_ru, *mobile.aliases), label=mobile.name_ru, weight=1.06))
    for ident, f in data.factions.items():
        out.append(Entry("faction", ident, (f.name_ru, *f.aliases, *more["faction"].get(ident, ())), label=f.name_ru))
    for ident, spell in data.spells.items():
        out.append(Entry("spell", ident, (spell.name_ru, *spell.aliases, *more["spell"].get(ident, ())), label=spell.name_ru))
    for ident, ritual in data.rituals.items():
        names_ = (ritual.name_ru, *ritual.aliases, *more["ritual"].get(ident, ()))
        if me != CULT:  # elsewhere «порча» is what is cleansed
            names_ = tuple(n for n in names_ if normal(n).strip("=") not in {"порча", "порчу", "заражение"})
        out.append(Entry("ritual", ident, names_, label=ritual.name_ru, weight=1.01))
    return out
