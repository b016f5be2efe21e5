"""The judging of a whole sheet: which function judges which command."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any

from rules.astral import commands as c
from rules.astral.judging import attacks, deals, defence, shards, specialists, usables, votes
from rules.astral.judging.hearing import Hearing
from rules.astral.judging.refusal import Refused, refuse
from rules.astral.judging.verdicts import Judged, Judgement
from rules.astral.view import View
from rules.base import Command


def judge(view: View, commands: Sequence[Command], incoming: Set[str] = frozenset()) -> Judgement:
    """The verdict on a sheet of the view's owner. `incoming`: items that other sheets of this turn transfer to him.

    Raises `ValueError` for a view that is no owner's."""
    hearing = Hearing(view, commands, incoming)
    for command in hearing.commands:
        hearing.record(_verdict(hearing, command))
    shards.warn_of_sacrifice(hearing)
    return hearing.judgement()


def _verdict(hearing: Hearing, command: Command) -> Judged:
    try:
        if command.by_gm:
            refuse("E_NOT_PLAYER", "gm")
        _status(hearing, command)
        return JUDGES[type(command)](hearing, command)
    except Refused as refusal:
        return Judged(hearing.index, command, refusal.fault)


def _status(hearing: Hearing, command: Command) -> None:
    """What an owner may order in his state: eliminated nothing, in Nothing hardly anything (R70)."""
    status = hearing.me.status
    if status == "eliminated":
        refuse("E_ELIMINATED")
    voting = isinstance(command, c.VoteRune) and hearing.game.settings.nothing_can_vote
    allowed = isinstance(command, c.ExitNothing | c.Pass | c.CancelOrders) or voting
    if status == "nothing" and not allowed:
        refuse("E_IN_NOTHING")
    if status == "active" and isinstance(command, c.ExitNothing):
        refuse("E_NOT_IN_NOTHING")


def _always(hearing: Hearing, command: Command) -> Judged:
    """Nothing can be wrong with it."""
    return hearing.accept(command)


JUDGES: dict[type[Command], Callable[[Hearing, Any], Judged]] = {
    c.AttackNeutral: attacks.attack_neutral,
    c.AttackOwner: attacks.attack_owner,
    c.EnterNothing: attacks.nothing,
    c.ExitNothing: attacks.nothing,
    c.Pass: _always,
    c.CancelOrders: _always,
    c.InvestDefence: defence.invest,
    c.SetReserve: defence.reserve,
    c.SetDefenceTactic: defence.tactic,
    c.Care: shards.care,
    c.Sacrifice: shards.sacrifice,
    c.VoteRune: votes.vote,
    c.TransferEnergy: deals.transfer_energy,
    c.TransferItem: deals.transfer_item,
    c.Exchange: deals.exchange,
    c.ShareInfo: deals.share_info,
    c.UseItem: usables.use_item,
    c.UseFeature: usables.use_feature,
    c.HireSpecialist: specialists.hire,
}
"""Every command of an owner; a judge returns the verdict or raises `Refused`."""
