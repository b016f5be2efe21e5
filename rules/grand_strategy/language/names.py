"""Entries of everything that has a name in a view: players, troops, houses, lands, kinds of troops and buildings, spells."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from parsers.lexicon import Entry, entries_from_table
from parsers.russian import analyser, normal
from rules.grand_strategy.data import spells, table
from rules.grand_strategy.state import State
from rules.grand_strategy.view import View


@cache
def tables() -> dict[str, Any]:
    """`data/language.toml`."""
    return tomllib.loads(files("rules.grand_strategy").joinpath("data/language.toml").read_text("utf-8"))


def entries(view: View, only: frozenset[str] | None = None) -> list[Entry]:
    """Every name and word that the reader's posts may use; all of it is public. `only`: words of these kinds alone, the GM's
    among them."""
    words = tables()
    table = words["words"] if only is None else {k: v for k, v in {**words["words"], **words["gm"]}.items() if k in only}
    out = entries_from_table(table)
    out += [Entry("direction", way, tuple(names), weight=1.1) for way, names in words["direction"].items()]
    out += [Entry("level", level, tuple(names)) for level, names in words["level"].items()]
    out.append(Entry("~person", "person", tuple(" ".join("=" + w for w in n.split()) for n in words["persons"]["words"])))
    out += list(_vocabulary(view.state))
    out += list(_names(view.state))
    return out


def _vocabulary(state: State) -> Iterator[Entry]:
    alias, more = table("vocabulary")["alias"], tables()["more"]
    for ident, names in alias["unit"].items():
        kind = "personal" if ident == "personal" else "utype"
        title = state.unit_types[ident].name_ru if ident in state.unit_types else names[0]
        yield Entry(kind, ident, _plain(names, more["unit"].get(ident, ())), label=title)
    for ident, unit_type in state.unit_types.items():
        if ident not in alias["unit"]:
            yield Entry("utype", ident, (unit_type.name_ru,), label=unit_type.name_ru)
    for ident, names in alias["building"].items():
        if not ident.startswith("mine_"):
            yield Entry("btype", ident, _plain(names, more["building"].get(ident, ())), label=names[0])
    for ident, names in alias["card"].items():
        yield Entry("card", ident, tuple(more["card"].get(ident, ())), label=names[1])
    for ident, names in more["school"].items():
        yield Entry("school", ident, tuple(names), label=str(names[0]), weight=0.9)
    book = spells()
    for ident, names in more["spell"].items():
        if ident in book:
            told = [n for n in alias["spell"].get(ident, ()) if " " in n]  # one word of them means other things too
            yield Entry("spell", ident, tuple(dict.fromkeys([*names, *told])), label=book[ident].name, weight=1.05)


def _plain(*groups: Sequence[str]) -> tuple[str, ...]:
    """Whole words of the lists: the game's own name first; letters and numbers are recognised elsewhere."""
    return tuple(dict.fromkeys(n for group in groups for n in group if len(n) > 1))


def _names(state: State) -> Iterator[Entry]:
    in_units = {word for u in state.units.values() for word in normal(u.name).split()}
    for player in state.players.values():
        stem = normal(player.name)
        owners = _owned_by(stem) if len(stem) > 3 and stem.isalpha() else ()
        whole = (player.name, *filter(None, (player.state,)), *player.aliases)
        yield Entry("player", player.id, (*whole, *owners), label=player.name, weight=1.05)
        first = player.name.replace("-", " ").split()
        if len(first) > 1:
            yield Entry("player", player.id, (first[0],), label=player.name)
        for word in normal(player.state).split():
            parse = analyser().parse(word)[0]
            if parse.tag.POS == "NOUN" and parse.tag.case == "nomn" and word not in in_units:
                yield Entry("player", player.id, (word,), label=player.name, weight=0.9)
    for unit in state.units.values():
        if unit.name:
            yield Entry("unit", unit.id, (unit.name,), partial=True, label=unit.name, weight=1.05)
    for building in state.buildings.values():
        if building.name:
            yield Entry("house", building.cell, (building.name,), partial=True, label=building.name, weight=1.05)
    for province in state.board.data.provinces:
        yield Entry("province", province.number, (province.name, *province.aliases), label=province.name, weight=1.05)


def _owned_by(stem: str) -> tuple[str, ...]:
    """«Радомиров», «Радомировых»: every form, so that one misspelt is known too."""
    suffixes = ("ов", "ев", "ин")
    return (*(f"{stem}{s}*" for s in suffixes), *(f"={stem}{suffixes[0]}{ending}" for ending in _OWN_ENDINGS))


_OWN_ENDINGS = ("а", "у", "ы", "ых", "ым", "ыми", "ой", "ом")


@cache
def pronouns(group: str) -> frozenset[str]:
    """A group of `[pronouns]`."""
    return frozenset(tables()["pronouns"][group])


@cache
def stems(key: str) -> tuple[str, ...]:
    """Beginnings of words, a group of `[stems]`."""
    return tuple(tables()["stems"][key])


@lru_cache(maxsize=4096)
def is_noun(word: str) -> bool:
    """True for a word that is, most likely, a noun."""
    return str(analyser().parse(word)[0].tag.POS) == "NOUN"


@lru_cache(maxsize=4096)
def is_name(word: str) -> bool:
    """True for a word of no dictionary, or one that names a person."""
    tag = analyser().parse(word)[0].tag
    return not analyser().word_is_known(word) or "Name" in tag or "Surn" in tag


def school_of(text: str) -> str | None:
    """The school that a mage's name tells («некромант»)."""
    found = tables()["school_of"]
    word = normal(text)
    return next((str(school) for name, school in found.items() if word.startswith(name)), None)
