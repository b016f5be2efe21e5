"""What owners give and tell each other (R57–R59, R108)."""

from __future__ import annotations

from rules.astral import commands as c
from rules.astral.judging.amounts import whole
from rules.astral.judging.equipment import own_item
from rules.astral.judging.hearing import Hearing
from rules.astral.judging.refusal import refuse
from rules.astral.judging.targets import require_owner
from rules.astral.judging.verdicts import Judged


def transfer_energy(hearing: Hearing, command: c.TransferEnergy) -> Judged:
    """A gift of energy (R57)."""
    require_owner(hearing, command.to, "to")
    return hearing.accept(command, whole(command.amount, 1, "amount"))


def transfer_item(hearing: Hearing, command: c.TransferItem) -> Judged:
    """A gift of an item (R59)."""
    require_owner(hearing, command.to, "to")
    _require_given(hearing, command.item, "item")
    return hearing.accept(command)


def exchange(hearing: Hearing, command: c.Exchange) -> Judged:
    """An exchange (R58): his own side is judged; whether the partner has what is wanted is not his to know."""
    require_owner(hearing, command.partner, "with")
    for name in command.give.items:
        _require_given(hearing, name, "give")
    for subject in command.give.info:
        _require_known(hearing, subject, "give")
    for goods, at in ((command.give, "give"), (command.want, "want")):
        if goods.energy is not None:
            whole(goods.energy, 1, at)
    return hearing.accept(command, int(command.give.energy or 0))


def share_info(hearing: Hearing, command: c.ShareInfo) -> Judged:
    """Telling what one knows (R108)."""
    require_owner(hearing, command.to, "to")
    _require_known(hearing, command.subject, "subject")
    return hearing.accept(command)


def _require_given(hearing: Hearing, name: str, at: str) -> None:
    """An item that he has and that may change hands."""
    if not own_item(hearing, name, at).transferable:
        refuse("E_ITEM_LOCKED", at=at)


def _require_known(hearing: Hearing, subject: str, at: str) -> None:
    if not hearing.view.knows_subject(subject):
        refuse("E_INFO_UNKNOWN", at=at)
