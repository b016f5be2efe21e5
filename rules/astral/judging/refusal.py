"""How a judge refuses a command."""

from __future__ import annotations

from typing import Any, NoReturn

from rules.astral.messages import Fault


class Refused(Exception):
    """Carries the fault of a command out of its judge; never leaves this package."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.code)
        self.fault = fault


def refuse(code: str, variant: str = "text", at: str | None = None, **params: Any) -> NoReturn:
    """Refuses the command for this reason; `at`: the field to blame, `params`: what fills the message in. Raises `Refused`."""
    raise Refused(Fault(code, params, variant, at))
