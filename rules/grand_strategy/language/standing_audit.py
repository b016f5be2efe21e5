"""Doubts about a standing order: what its condition or its deed says and the game's order cannot hold.

A standing order acts while its player sleeps, so one that says less than he did asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from parsers.atoms import Atom
from parsers.russian import info
from rules.grand_strategy.language.audit import held_by, says
from rules.grand_strategy.language.events import EVENTS
from rules.grand_strategy.language.names import tables
from rules.grand_strategy.language.said import Said

_WORDS = {key: frozenset(words) for key, words in tables()["standing_audit"].items()}
_OF_TURNS = {
    trigger: frozenset(tables()["head"][key]) for trigger, key in (("turn_start", "turn_begins"), ("turn_end", "turn_ends"))
}
_DENIALS = _WORDS["denials"] | frozenset(tables()["except"]["words"])
MEASURES = frozenset({"coins", "number", "squads", "ordinal", "first", "last_place", "direction", "times", "steps", "siege"})
"""How many, which one, from where: no event of the game tells it."""
_TROOPS = ("unit", "utype")
_ARRIVALS = frozenset({"unit_adjacent", "unit_on_cell", "unit_on_building"})


def denied(said: Said, where: Sequence[Atom], condition: tuple[int, int]) -> bool:
    """«Если Гхаш не нападёт», «если никто не подойдёт», «закончит без нападения»: what doesn't happen sets nothing off."""
    tokens = said.context.layout.tokens
    if any(a.negated or a.prep in _WORDS["lacking"] for a in where):
        return True
    return any(tokens[i].norm in _DENIALS and not said.inside(i) for i in range(*condition))


def turned_round(mine: Sequence[Atom], foreign: Sequence[Atom]) -> bool:
    """«Если стража подойдёт к Гхашу»: one's own troop does it, and the game waits for others' deeds alone."""
    own = any(not a.prep and "nomn" in a.cases for a in mine)
    return own and bool(foreign) and all(a.prep and "nomn" not in a.cases for a in foreign)


def unheld(said: Said, where: Sequence[Atom], deed: Sequence[Atom], command: Mapping[str, Any]) -> Atom | None:
    """The first word of the condition or the deed that the standing order doesn't hold."""
    held, prices = held_by(said, [command])
    filter_: Mapping[str, Any] = command["filter"]
    named: set[Any] = set()
    for value in filter_.values():
        named.update(value if isinstance(value, list) else [value])
    for atom in where:
        if atom.has("btype") and not {b.cell for s in atom.all("btype") for b in said.buildings(str(s.value), said.me)} & named:
            return atom
        if atom.has("house", "cell", "path") and not named & {s.value for s in atom.senses} and not _stands_at(said, where, atom):
            return atom
        if atom.has(*EVENTS) and not atom.has("player", *_TROOPS):
            continue
        if atom.has("last_place") and command["trigger"] == "turn_end":
            continue  # «в конце хода»
        if _tells_of_turn(atom, str(command["trigger"])):
            continue  # «начинает ход»
        if not atom.kinds.isdisjoint(MEASURES) and not any(s.value == 1 for s in atom.all("number")):
            return atom
        if not says(said, atom, held, prices):
            return atom
    if command["trigger"] == "attack_declared_on":
        attacker = next((a for a in where if a.has("player", *_TROOPS) and _others(said, a)), None)
        if attacker is not None:
            return attacker  # whoever attacks sets it off
    action = command["action"]
    for atom in deed:
        aimed = action["type"] == "attack" and atom.has(*_TROOPS) and not (atom.has("player") and not atom.has("utype"))
        aimed = aimed and _others(said, atom)
        types = {said.type_of(u) for u in said.candidates(atom)} | {str(s.value) for s in atom.all("utype")}
        if aimed and not types <= set(filter_.get("types", ())):
            return atom
        if not says(said, atom, held, prices):
            return atom
    return None


def _tells_of_turn(atom: Atom, trigger: str) -> bool:
    told = _OF_TURNS.get(trigger)
    return told is not None and bool(info(atom.text.lower()).lemmas & told)


def _stands_at(said: Said, where: Sequence[Atom], place: Atom) -> bool:
    """«эльфам на О7»: where a troop named right before stands."""
    troop = next((a for a in where if a.has(*_TROOPS, "personal") and 0 <= place.first - a.last <= 2), None)
    return troop is not None and any(said.at(u) == place.senses[0].value for u in said.candidates(troop))


def limited(said: Said, deed: tuple[int, int]) -> bool:
    """«…, атаковать, если у него орки», «…, но не в лесу»: a condition within the deed."""
    tokens = said.context.layout.tokens
    return any(tokens[i].norm in _WORDS["limits"] or (tokens[i].norm in _DENIALS and not said.inside(i)) for i in range(*deed))


def nobody(said: Said, where: Sequence[Atom], condition: tuple[int, int], command: Mapping[str, Any]) -> bool:
    """«Гхашу 5 монет, если встанет на С9»: the condition leaves out who does it; «если подойдут» is said of anybody."""
    filter_: Mapping[str, Any] = command["filter"]
    if command["trigger"] not in _ARRIVALS or filter_.get("player") or filter_.get("types"):
        return False
    tokens = said.context.layout.tokens
    anybody = any(info(tokens[i].norm).lemmas & _WORDS["anybody"] for i in range(*condition))
    plural = any(tokens[k].norm.endswith(("ут", "ют", "ат", "ят", "ли")) for a in where if a.has(*EVENTS) for k in a.tokens())
    return not anybody and not plural


def _others(said: Said, atom: Atom) -> bool:
    if atom.has("unit", "utype", "personal"):
        return not any(said.mine(u) for u in said.candidates(atom))
    return said.player_of(atom) not in (None, said.me)
