"""Phase 0, the choice of a rune, and the one-shot effects of acting runes (R80–R87)."""

from __future__ import annotations

from rules.astral import commands as c
from rules.astral.context import Context, Fired
from rules.astral.state import ActiveRune


def choose(ctx: Context) -> None:
    """Counts the votes, activates the winner, refills the board (R82–R85)."""
    state = ctx.state
    votes: dict[str, int] = dict.fromkeys(state.runes.board, 0)
    for owner in ctx.owners_in_order():
        for verdict in ctx.orders(owner, c.VoteRune):
            assert isinstance(verdict.command, c.VoteRune)
            votes[verdict.command.rune] += 1
    before = list(state.runes.board)
    by_gm = state.pending.rune is not None
    chosen = state.pending.rune if by_gm else _winner(ctx, votes)
    if chosen is None:
        ctx.tell("rune", "R83", {"chosen": None, "votes": votes, "board": before, "new": None, "by_gm": False})
        return
    rune = state.catalog.runes[chosen]
    start = state.turn + (1 if rune.timing == "next_turn" else 0)
    until = start + rune.duration - 1 if rune.duration else None
    state.runes.active.append(ActiveRune(rune=chosen, start=start, until=until))
    new = _refill(ctx, chosen)
    data = {"chosen": chosen, "name": rune.name_ru, "votes": votes, "from": start, "until": until, "new": new, "by_gm": by_gm}
    ctx.tell("rune", "R82", {**data, "board": list(state.runes.board)})


def _winner(ctx: Context, votes: dict[str, int]) -> str | None:
    """Plurality; then the rune that lies longer on the board; then a die (R82). No votes: R83."""
    runes, turn = ctx.state.runes, ctx.state.turn
    best = max(votes.values(), default=0)
    if best == 0:
        if ctx.state.settings.rune_no_votes == "random" and runes.board:
            return runes.board[ctx.dice.stream(f"руна без голосов, ход {turn}").roll(len(runes.board)) - 1]
        return None
    tied = [rune for rune in runes.board if votes[rune] == best]
    oldest = min(runes.since.get(rune, 0) for rune in tied)
    tied = [rune for rune in tied if runes.since.get(rune, 0) == oldest]
    if len(tied) == 1:
        return tied[0]
    return tied[ctx.dice.stream(f"руна при равенстве, ход {turn}").roll(len(tied)) - 1]


def _refill(ctx: Context, chosen: str) -> str | None:
    """The chosen rune leaves the board; a random one of the deck takes the last place (R85)."""
    runes = ctx.state.runes
    if chosen in runes.board:
        runes.board.remove(chosen)
        runes.since.pop(chosen, None)
    elif chosen in runes.deck:
        runes.deck.remove(chosen)
    new = None
    if len(runes.board) < ctx.state.settings.rune_board_size:
        if not runes.deck and ctx.state.settings.rune_reuse:
            runes.deck = [rune for rune in runes.used if rune != chosen and rune not in runes.board]
            runes.used = []
        if runes.deck:
            new = runes.deck.pop(ctx.dice.stream(f"новая руна, ход {ctx.state.turn}").roll(len(runes.deck)) - 1)
            runes.board.append(new)
            runes.since[new] = ctx.state.turn + 1
    if chosen not in runes.used:
        runes.used.append(chosen)
    return new


def fire(ctx: Context, phase: int) -> None:
    """One-shot effects of the acting runes in a phase, on all active owners in roster order (R84, R87)."""
    for ident in ctx.state.acting_runes():
        rune = ctx.state.catalog.runes[ident]
        for effect in rune.effects:
            if not effect.continuous and effect.phase == phase:
                for owner in ctx.state.active():
                    ctx.apply([effect], Fired(owner, rune.name_ru, ident, rule="R84"))
