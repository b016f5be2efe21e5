"""Entering and leaving the game, смута, the end of a turn."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rules.grand_strategy.commands.order import WINDOW, Order, School


class JoinGame(Order):
    """Enters the game (R11, R12, R13) or returns to it (R14)."""

    type: Literal["join_game"] = "join_game"
    title = "приход в игру"
    group = WINDOW
    one_per = ()
    entry: Literal["ruler", "commander", "vagabond"] = Field(alias="as")
    province: int | None = None
    cell: str | None = None
    personal_type: str | None = None
    school: School | None = None
    state_name: str | None = None


class LeaveGame(Order):
    """Leaves the game (R14)."""

    type: Literal["leave_game"] = "leave_game"
    title = "выход из игры"
    group = WINDOW
    one_per = ()
    confirm: bool = True


class Smuta(Order):
    """The commander's claim to a beaten ruler's state (R33, R34)."""

    type: Literal["smuta"] = "smuta"
    title = "смута"
    group = WINDOW
    one_per = ("ruler",)
    ruler: str
    mode: Literal["each", "all"] = "each"
    decline: bool = False


class PlayNow(Order):
    """«Исполнить сейчас»: the commands before it are a portion (R182)."""

    type: Literal["play_now"] = "play_now"
    title = "исполнить сейчас"
    at_once = True


class EndTurn(Order):
    """Closes the turn early (R181)."""

    type: Literal["end_turn"] = "end_turn"
    title = "конец хода"
    slot_name = "end"
    one_per = ()


class Pass(Order):
    """Does nothing this turn (R183)."""

    type: Literal["pass"] = "pass"
    title = "пас"
    slot_name = "end"
    one_per = ()
