"""Gunpowder before a battle: who gets it, who sits out, what a barrage costs (R109)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rules.steel_rose.battle.deployment import Force
from rules.steel_rose.battle.model import Group
from rules.steel_rose.data import Counts, UnitId, UnitType, game_data


@dataclass(frozen=True, slots=True)
class Allotment:
    """Who may fight."""

    forces: tuple[Force, ...]
    """The same forces without those left without powder."""
    benched: tuple[Force, ...]
    """Those left without; the same order, empty where none."""
    spent: int
    """Powder taken from the stock."""


def allocate(
    stock: int,
    forces: Sequence[Force],
    priority: Sequence[UnitId] = (),
    limits: Mapping[UnitId, int] | None = None,
    types: Mapping[UnitId, UnitType] | None = None,
) -> Allotment:
    """Gives powder type by type: first those of `priority`, then the cheapest; within a type the garrison first.

    `limits`: so many of these types and no others; where all its numbers are 0, none of these and the others as usual."""
    data = types or game_data().units
    need = sorted(
        {unit for force in forces for unit, count in force.units.items() if count > 0 and data[unit].powder},
        key=lambda unit: (priority.index(unit) if unit in priority else len(priority), data[unit].powder, list(data).index(unit)),
    )
    left = stock
    fielded: list[Counts] = [dict(force.units) for force in forces]
    benched: list[Counts] = [{} for _ in forces]
    for unit in need:
        allowed = sum(force.units.get(unit, 0) for force in forces)
        if limits:
            allowed = min(allowed, limits.get(unit, 0 if any(limits.values()) else allowed))
        number = min(allowed, left // data[unit].powder)
        left -= number * data[unit].powder
        for i in sorted(range(len(forces)), key=lambda i: not forces[i].garrison):
            have = forces[i].units.get(unit, 0)
            part = min(number, have)
            number -= part
            fielded[i][unit] = part
            if have > part:
                benched[i][unit] = have - part
    return Allotment(
        forces=tuple(replace(f, units={u: n for u, n in fielded[i].items() if n}) for i, f in enumerate(forces)),
        benched=tuple(replace(f, units=benched[i]) for i, f in enumerate(forces)),
        spent=stock - left,
    )


def barrage_cost(squad: Iterable[Group], types: Mapping[UnitId, UnitType] | None = None) -> int:
    """Powder that a squad's barrage takes beyond what it got to fight («удваивается»)."""
    data = types or game_data().units
    return sum(group.count * data[group.unit].powder for group in squad)
