"""The end of a turn: timers run, the victory check (R100–R103), the next turn."""

from __future__ import annotations

from collections.abc import Callable

from rules.astral import effects
from rules.astral.context import Context
from rules.astral.numbers import Number
from rules.astral.state import Finish, Pending, State
from rules.base import FactionId

TIE_BREAK: dict[str, Callable[[State, FactionId], Number]] = {
    "income": effects.income,
    "energy": lambda state, owner: state.owners[owner].energy,
    "defence": lambda state, owner: state.owners[owner].defence,
}


def close_turn(ctx: Context) -> None:
    """Victory check, timers, next turn."""
    state = ctx.state
    finish = check(state) if state.finished is None else None
    if finish is not None:
        end(ctx, finish)
    _tick(state)
    state.pending = Pending()
    state.turn += 1


def end(ctx: Context, finish: Finish) -> None:
    """The game is over."""
    ctx.state.finished = finish
    data = {name: value for name, value in finish.model_dump(mode="json").items() if value is not None}
    rule = {"last_active": "R100", "size": "R100", "all_perished": "R101", "gm": "R100"}[finish.reason]
    ctx.tell("finished", "R103" if finish.reason == "size" and len(finish.winners) > 1 else rule, data)


def check(state: State) -> Finish | None:
    """R100–R103; None: the game goes on."""
    living = [ident for ident in state.roster if state.owners[ident].status != "eliminated"]
    active = living if state.settings.nothing_counts_as_active else state.active()
    if not living:
        died = [ident for ident in state.roster if state.owners[ident].died == state.turn]
        return Finish(reason="all_perished", winners=died)
    if len(active) == 1:
        return Finish(reason="last_active", winners=list(active))
    if state.turn < state.settings.last_turn:
        return None
    rivals = living if state.settings.nothing_counts_at_end else state.active()
    size = max((state.size(ident) for ident in rivals), default=0)
    winners = [ident for ident in rivals if state.size(ident) == size]
    for criterion in state.settings.tie_break:
        value = TIE_BREAK[criterion]
        best = max((value(state, ident) for ident in winners), default=0)
        winners = [ident for ident in winners if value(state, ident) == best]
    return Finish(reason="size", winners=winners, size=size)


def _tick(state: State) -> None:
    """Durations count game turns, in Nothing too (R72)."""
    for owner in state.owners.values():
        owner.effects = [timed for timed in owner.effects if timed.until is None or timed.until > state.turn]
        if not state.settings.tactics_persist:
            owner.tactics = {}
    state.runes.active = [rune for rune in state.runes.active if rune.until is None or rune.until > state.turn]
