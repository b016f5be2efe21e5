"""Doubts about one order: what its words name and its command doesn't hold, «или», «кроме», a refusal right behind.

Serves the promise that nothing a player wrote is dropped silently.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from parsers.atoms import Atom
from parsers.frames import Output
from parsers.retractions import doubting
from parsers.types import Reading
from rules.grand_strategy.language.said import Said


def unused(said: Said, outputs: Iterable[Output]) -> Atom | None:
    """The first word of a match that its commands don't hold in any form; None: all went in."""
    commands = [o.command for o in outputs if isinstance(o, Reading)]
    if not commands or any(not isinstance(o, Reading) for o in outputs):
        return None
    held, prices = held_by(said, commands)
    return next((atom for atom in said.match.atoms if not says(said, atom, held, prices)), None)


def held_by(said: Said, commands: Iterable[Mapping[str, Any]]) -> tuple[set[Any], set[int]]:
    """All that commands hold, and what the things in them cost."""
    held: set[Any] = set()
    for command in commands:
        _flatten(command, held)
    held.update(said.start_of(str(u)) for u in list(held))
    held.update(said.at(str(u)) for u in list(held))
    return held, _prices(said, held)


def _flatten(value: Any, into: set[Any]) -> None:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            into.add(key)
            _flatten(inner, into)
    elif isinstance(value, list | tuple):
        for inner in value:
            _flatten(inner, into)
    elif value is not None:
        into.add(value)
        if isinstance(value, str) and value.startswith("<hired "):
            into.add(value.removeprefix("<hired ").removesuffix(">"))


_OF_COURSE = {
    "victory_choice": frozenset({"house", "cell", "player"}),
    "leave_service": frozenset({"player"}),
    "join_game": frozenset({"personal"}),
    "hire": frozenset({"personal"}),
}
"""What some orders name without a field for it."""
_TOWARDS = frozenset(doubting()["towards"]["words"])
_CELLS = frozenset({"cell", "path", "house", "over"})
_PEOPLE = frozenset({"player", "ally"})
_TROOPS = frozenset({"unit", "utype", "personal"})


def says(said: Said, atom: Atom, held: set[Any], prices: set[int]) -> bool:
    """True for a word that commands holding this say too, and for one that names nothing."""
    kinds = atom.kinds
    if atom.negated or kinds.isdisjoint(_WATCHED) or any(a is atom for a in (*said.match.triggers, *said.settled)):
        return True
    if held & _OF_COURSE.keys() and kinds & _OF_COURSE[next(iter(held & _OF_COURSE.keys()))]:
        return True
    if atom.prep in _TOWARDS and "move" in held:
        return True  # «к Бродам через З6»: only the direction
    state = said.state
    buildings = {c for c in held if c in state.buildings}
    if not kinds.isdisjoint(_TROOPS):
        if any(u in held for u in said.candidates(atom)) or any(s.value in held for s in atom.senses):
            return True
        kinds_held = {state.unit_types[str(t)].kind for t in held if t in state.unit_types}
        if "infantry" in kinds_held and any(s.value == "infantry_any" for s in atom.senses):
            return True
        if held & set(state.board.data.lairs) and any(s.value == "dragon" for s in atom.senses):
            return True
        owners = {state.units[u].owner for u in said.candidates(atom) if u in state.units}
        race = {said.of_race(str(s.value)) for s in atom.all("utype")}
        if held & (owners | race) - {None}:
            return True
    if not kinds.isdisjoint(_PEOPLE):
        people = {str(s.value) for s in atom.all("player", "ally")}
        if people & held or said.me in people or "all" in held:
            return True
        owned = {u for u in held if u in state.units and state.units[str(u)].owner in people}
        if owned or any(state.buildings[str(b)].owner in people for b in buildings):
            return True
    if not kinds.isdisjoint(_CELLS):
        cells = {str(s.value) for s in atom.all("cell", "house", "over")}
        cells |= {str(c) for s in atom.all("path") for c, _ in s.value}
        if cells <= held:
            return True
        lands = {state.board.province.get(c) for c in cells}
        if lands & held - {None}:
            return True
    if "province" in kinds:
        lands = {s.value for s in atom.all("province")}
        if lands & held or any(state.board.province.get(str(c)) in lands for c in held):
            return True
    if "coins" in kinds and any(s.value in held | prices for s in atom.all("coins", "number")):
        return True
    return "spell" in kinds and any(s.value in held for s in atom.all("spell"))


def _prices(said: Said, held: set[Any]) -> set[int]:
    """What the things of a command cost: such a sum is no further order."""
    state, settings = said.state, said.state.settings
    out = {state.unit_types[str(t)].cost for t in held if t in state.unit_types}
    out |= {b.cost for b in state.building_types.values() if b.id in held or (b.mine and held & {"mine", "deepen"})}
    return out | {settings.embark_cost, settings.upgrade_cost, settings.mithril_cost}


_WATCHED = _CELLS | _PEOPLE | _TROOPS | {"province", "coins", "spell"}
