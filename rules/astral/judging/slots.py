"""R115: of the commands that fill one slot a sheet may hold one."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from parsers.types import Choice
from rules.astral import commands as c
from rules.astral.describe import describe
from rules.astral.judging.hearing import Hearing
from rules.astral.judging.refusal import Refused
from rules.astral.messages import Fault
from rules.base import Command

C = TypeVar("C", bound=Command)


def earlier_in_slot(hearing: Hearing, command: C) -> C | None:
    """The accepted command of the same type that fills this one's slot."""
    slot = command.slot()
    return next((earlier for earlier in hearing.given(type(command)) if earlier.slot() == slot), None)


def refuse_second(hearing: Hearing, earlier: Command, command: Command, variant: str, **params: Any) -> NoReturn:
    """Refuses a command whose slot is filled and offers both. Raises `Refused`."""
    choices = tuple(Choice(describe(hearing.view, either), c.as_json(either)) for either in (earlier, command))
    raise Refused(Fault("E_DUPLICATE", params, variant, None, choices))
