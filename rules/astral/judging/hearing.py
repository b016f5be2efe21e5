"""A sheet under judgement: what its owner has, and the verdicts so far."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TypeVar, cast

from rules.astral.judging.expected import extra_main, planned_heights
from rules.astral.judging.refusal import refuse
from rules.astral.judging.verdicts import Judged, Judgement, Plan, Share
from rules.astral.messages import Fault
from rules.astral.view import View
from rules.base import Command, FactionId

C = TypeVar("C", bound=Command)


class Hearing:
    """One sheet, judged from the first command to the last as if the accepted ones so far were carried out.

    What those use up (main action, slots, uses, lessons) is read off their verdicts; there are no other accounts."""

    def __init__(self, view: View, commands: Sequence[Command], incoming: Set[str]) -> None:
        """Opens it. `incoming`: items that other sheets of this turn transfer to the owner. Raises `ValueError` for a
        view that is no owner's."""
        if view.me is None:
            raise ValueError("a sheet is judged from its owner's view")
        self.view = view
        self.commands = tuple(commands)
        self.incoming = incoming
        self.game = view.game
        self.me = view.me
        self.me_id = cast(FactionId, view.reader)
        self.heights = planned_heights(view, self.commands)
        """Of all owners, before the battles (R9)."""
        self.extra = extra_main(view, self.commands, incoming)
        """An extra main action is there (R4)."""
        self.free = self.me.energy
        """Energy not reserved yet."""
        self._verdicts: list[Judged] = []
        self._warnings: list[tuple[int, Fault]] = []

    @property
    def index(self) -> int:
        """Place in the sheet of the command being judged."""
        return len(self._verdicts)

    def accept(
        self,
        command: Command,
        cost: int = 0,
        *,
        plan: Plan | None = None,
        share: Share | None = None,
        unit: str | None = None,
    ) -> Judged:
        """The verdict that accepts the command being judged; refuses it where the energy does not suffice (R7)."""
        if cost > self.free:
            refuse("E_ENERGY", need=cost, free=self.free)
        return Judged(self.index, command, cost=cost, plan=plan, share=share, unit=unit)

    def record(self, verdict: Judged) -> None:
        """Adds the verdict on the command being judged and goes on to the next."""
        self.free -= verdict.cost
        self._verdicts.append(verdict)

    def warn(self, index: int, fault: Fault) -> None:
        """Adds a warning about the command with this index."""
        self._warnings.append((index, fault))

    def accepted(self, *kinds: type[Command]) -> list[Judged]:
        """The verdicts on the commands of these types accepted so far, in order."""
        return [verdict for verdict in self._verdicts if verdict.accepted and isinstance(verdict.command, kinds)]

    def given(self, kind: type[C]) -> list[C]:
        """The commands of a type accepted so far, in order."""
        return [verdict.command for verdict in self._verdicts if verdict.accepted and isinstance(verdict.command, kind)]

    def not_refused(self) -> list[Command]:
        """All commands of the sheet except those refused so far."""
        refused = {verdict.index for verdict in self._verdicts if not verdict.accepted}
        return [command for index, command in enumerate(self.commands) if index not in refused]

    def judgement(self) -> Judgement:
        """The verdict on the whole sheet, the warnings by command."""
        warnings = sorted(self._warnings, key=lambda entry: entry[0])
        return Judgement(tuple(self._verdicts), tuple(warnings), self.free, self.extra)
