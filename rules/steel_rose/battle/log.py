"""The protocol of a battle, blow by blow: who, raw roll, defence, every modifier with its ruling, result.

Entries stand in the order in which things happened; a `Note` opens each phase, flank fight and round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from parsers.types import Json
from rules.steel_rose.data import UnitId

BlowKind: TypeAlias = Literal["melee", "shot", "bombard"]
"""A blow in melee, a shot from the rear in the clash, a shot of the barrage before it."""


@dataclass(frozen=True, slots=True)
class Who:
    """One unit of a battle."""

    side: int
    unit: UnitId
    number: int
    """From 1, among the units of its type on its side."""


@dataclass(frozen=True, slots=True)
class Modifier:
    """One percentage or factor of a damage."""

    key: str
    """`fatigue`, `outnumbered`, or the key of an ability."""
    value: float
    """Added to 1 in its sum; for `times`, the factor itself."""
    rule: str
    how: Literal["out", "in", "times"]
    """Σ of the attacker, Σ of the target, or a factor of its own (R9)."""


@dataclass(frozen=True, slots=True)
class Strike:
    """A blow or a shot that was made."""

    kind: BlowKind
    attacker: Who
    target: Who
    strength: int
    roll: int
    """0: no die was rolled (strength 0)."""
    armor: float
    minimum: int
    """Least damage after armour (R8)."""
    base: float
    modifiers: tuple[Modifier, ...]
    damage: float
    hp_before: float
    hp_after: float
    """0 for a dead unit."""
    rule: str


@dataclass(frozen=True, slots=True)
class Effect:
    """Something done to a unit otherwise than by a strike."""

    kind: str
    """`heal`, `shred`, `burn`, `poison`, `belch`, `weaken`, `growth`, `blessed` (a healer's stack), `summon`, `sacrifice`,
    `hit` (by a sacrifice), `tick`, `regen`, `death`."""
    who: Who
    amount: float
    rule: str
    by: Who | None = None
    rounds: int = 0
    hp_after: float | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """A happening that concerns squads or the whole battle."""

    kind: str
    """`phase`, `flank`, `round`, `covered`, `defends`, `stepped_up`, `bombard`, `charge`, `charge_cancelled`, `charge_end`,
    `moved`, `blocked`, `lost_move`, `outnumbered`, `flanked`, `cap`."""
    rule: str
    data: Mapping[str, Json] = field(default_factory=dict)


Entry: TypeAlias = Strike | Effect | Note
