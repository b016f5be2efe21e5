"""What all orders have in common: the moments they belong to, cards, conditions."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from rules.base import Command

Card = Literal["attack", "defend", "shoot"]
MineLevel = Literal["silver", "gold", "mithril"]
School = Literal["plains", "desert", "mountain", "forest", "dead"]
Trigger = Literal[
    "unit_adjacent", "unit_on_cell", "unit_on_building", "attack_declared_on", "turn_start", "turn_end", "money_received"
]

PLUS = "plus"
TURN = "turn"
WINDOW = "window"
SECRET = "secret"
BATTLE = "battle"


class Condition(BaseModel):
    """«Если вышло / не вышло»: depends on an earlier command of the same post (R182)."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    ref: int = Field(ge=1)
    """Number of the command in the post, from 1."""
    outcome: Literal["success", "fail"]


class Order(Command):
    """Base of all orders here."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
    group: ClassVar[str] = TURN
    """`turn`: in one's own turn; `plus`: at any moment («+»); `window`: waits for a window between turns; `battle`: notes for
    the battles of this turn; `secret`: private provisions, at any time."""
    condition: Condition | None = None
    text: str | None = None
    """Words around the order; the rules ignore them."""
