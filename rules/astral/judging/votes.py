"""Votes for a rune (R81)."""

from __future__ import annotations

from rules.astral import commands as c
from rules.astral.judging.hearing import Hearing
from rules.astral.judging.refusal import refuse
from rules.astral.judging.slots import earlier_in_slot, refuse_second
from rules.astral.judging.verdicts import Judged


def vote(hearing: Hearing, command: c.VoteRune) -> Judged:
    """A vote for a rune on the board, one a sheet."""
    runes, board = hearing.view.catalog.runes, hearing.game.runes.board
    if command.rune not in board:
        variant = "text" if board else "empty"
        refuse("E_RUNE_NOT_ON_BOARD", variant, "rune", runes=", ".join(runes[rune].short for rune in board))
    earlier = earlier_in_slot(hearing, command)
    if earlier is not None:
        first, second = runes[earlier.rune].word_ru, runes[command.rune].word_ru
        refuse_second(hearing, earlier, command, "vote", first=first, second=second)
    return hearing.accept(command)
