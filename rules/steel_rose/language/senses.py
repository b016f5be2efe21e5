"""What an atom means: its unit, its best value of some kinds."""

from __future__ import annotations

from typing import Any

from parsers.atoms import Atom
from parsers.harmless import harmless
from parsers.russian import Verb, closed_class, info
from rules.steel_rose.data import game_data
from rules.steel_rose.language.names import OGRES


def unit_of(atom: Atom) -> str | None:
    """The unit an atom names."""
    sense = atom.get("squad", "unit")
    if sense is None:
        return None
    return str(sense.value[0] if sense.kind == "squad" else sense.value)


def is_ogre(unit: str | None) -> bool:
    """True for a unit of the ogres."""
    known = game_data().units.get(unit or "")
    return known is not None and known.faction == OGRES


def value_of(atom: Atom, *kinds: str) -> Any:
    """The best value of these kinds."""
    sense = atom.get(*kinds)
    return None if sense is None else sense.value


_ADJECTIVE = ("ый", "ий", "ой", "ая", "яя", "ое", "ее", "ые", "ие", "ого", "его", "ых", "их", "ую", "юю")


def plain_noun(word: str, *cases: str) -> bool:
    """True for a word that may be a noun in one of these cases and is no verb, adjective or function word."""
    known = info(word)
    said = known.verb is Verb.NONE and word not in closed_class() and not word.endswith(_ADJECTIVE) and word.isalpha()
    return said and bool(known.cases & set(cases)) and not harmless(word)


def number_of(atom: Atom) -> int:
    sense = atom.get("number", "ordinal")
    return int(sense.value) if sense is not None and sense.value == int(sense.value) else 0
