"""`check`: what the rules object to in commands that were read but not yet carried out; from the view alone (§8)."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.types import Problem, Severity
from rules.astral import gm
from rules.astral.context import Account, Context
from rules.astral.judging import judge
from rules.astral.messages import Fault
from rules.astral.view import View
from rules.base import Command
from rules.dice import scripted_dice


def check(view: View, commands: Sequence[Command]) -> list[Problem]:
    """Problems of a sheet, in the order of its commands, with running totals of the energy.

    For the GM's view: objections to his own commands; for the public's: nobody who may order."""
    if view.gm:
        return _check_gm(view, commands)
    if view.me is None:
        return [Fault("E_NOT_PLAYER").problem(index) for index in range(len(commands))]
    judgement = judge(view, commands)
    found = [(verdict.index, 0, verdict.fault) for verdict in judgement.verdicts if verdict.fault is not None]
    found += [(index, 1, fault) for index, fault in judgement.warnings]
    found.sort(key=lambda entry: entry[:2])
    return [fault.problem(index) for index, _, fault in found]


def _check_gm(view: View, commands: Sequence[Command]) -> list[Problem]:
    """Tries the GM's commands on a scratch copy, one after the other."""
    dice, _ = scripted_dice([])
    ctx = Context(view.game.model_copy(deep=True), dice)
    ctx.accounts = {ident: Account(owner.energy) for ident, owner in ctx.state.owners.items()}
    problems = []
    for index, command in enumerate(commands):
        text = gm.objection(ctx, command)
        if text is not None:
            problems.append(Problem("gm_refused", Severity.WARNING, text, command=index))
    return problems
