"""What the judging of a sheet comes to."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from rules.astral.messages import Fault
from rules.base import Command


@dataclass(frozen=True, slots=True)
class Plan:
    """An accepted attack: its energy, the planned way and the split (R9, R26)."""

    energy: int
    move: int
    """Planned price of the way."""
    ratio: tuple[Fraction, Fraction]
    """The declared ratio troops : magic."""
    split: tuple[int, int] | None
    """What goes to troops and magic if the price stays as planned; None: only the ratio is known (R34)."""

    @property
    def additional(self) -> int:
        """Planned additional energy; negative where the way is dearer than the energy."""
        return self.energy - self.move


@dataclass(frozen=True, slots=True)
class Share:
    """A judged defence tactic's split."""

    troop: Fraction


@dataclass(frozen=True, slots=True)
class Judged:
    """One command with its verdict."""

    index: int
    command: Command
    fault: Fault | None = None
    cost: int = 0
    """Energy reserved for it."""
    plan: Plan | None = None
    share: Share | None = None
    unit: str | None = None
    """The unit that a lesson is for."""

    @property
    def accepted(self) -> bool:
        """True when it will be carried out."""
        return self.fault is None


@dataclass(frozen=True, slots=True)
class Judgement:
    """A whole sheet's verdict."""

    verdicts: tuple[Judged, ...]
    warnings: tuple[tuple[int, Fault], ...]
    """Index of the command and the warning."""
    free: int
    """Energy that stays unreserved."""
    extra: bool
    """The sheet uses an extra main action (R4)."""

    def accepted(self) -> list[Judged]:
        """The accepted commands in order."""
        return [verdict for verdict in self.verdicts if verdict.accepted]
