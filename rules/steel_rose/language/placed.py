"""What a deployment says: squads, places, and what was read of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from parsers.atoms import Atom
from parsers.types import Problem

PLACES = ("cell", "flank", "row", "they", "badplace", "reserve", "~place")
WHO = ("squad", "unit", "~rest", "~all", "nobody", "number", "~half")
OTHER = ("evenly", "~correction", "minus", "~same")
REST = "*"
BEHIND = frozenset({"за", "позади", "сзади"})


@dataclass
class Who:
    """Some units: a type (`*`: whoever is left) and how many."""

    unit: str
    count: Any
    atom: Atom
    each: bool = False


@dataclass
class Spot:
    """Cells named together."""

    cells: tuple[str, ...]
    atom: Atom
    bad: bool = False
    each: bool = False
    """«на каждый фланг»: the number is that of each."""
    loose: bool = False
    """A row alone («в тылу»), its flank being understood."""


@dataclass
class Placed:
    """What was read."""

    positions: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    """Notes that cast no doubt."""
    atoms: list[Atom] = field(default_factory=list)
