"""Battles: declared, planned, settled, and what happens without asking (standing orders)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Literal

from pydantic import Field, model_validator

from rules.grand_strategy.commands.order import BATTLE, PLUS, SECRET, Card, Order, Trigger


class Attack(Order):
    """Declares battle on one adjacent troop or building (R60)."""

    type: Literal["attack"] = "attack"
    title = "объявление боя"
    group = PLUS
    unit: str
    target: str
    """A unit id, or the cell of a building."""
    ally: tuple[str, ...] | None = None
    """Players beside whom it agrees to fight (R103)."""
    capture: bool = True
    preserve: bool = True
    cards: tuple[Card, ...] | None = None


class GarrisonAttack(Order):
    """The garrison attacks a troop on its own cell (R89)."""

    type: Literal["garrison_attack"] = "garrison_attack"
    title = "атака гарнизона"
    group = PLUS
    building: str
    target: str


class BattleCards(Order):
    """Cards for the squads of a battle (R119)."""

    type: Literal["battle_cards"] = "battle_cards"
    title = "карточки"
    group = BATTLE
    battle: int | None = None
    cards: dict[str, tuple[Card, ...]] | tuple[Card, ...]
    """Participant (unit id, or the building's cell for a garrison) → cards; a list where only one of his fights."""
    regroup: Literal["keep", "reverse"] | None = None

    def slot(self) -> Hashable:
        who = tuple(sorted(self.cards)) if isinstance(self.cards, dict) else None
        return ("cards", self.battle, who)


class BattleOrder(Order):
    """The line order of one's troops in a battle (R118)."""

    type: Literal["battle_order"] = "battle_order"
    title = "порядок в строю"
    group = BATTLE
    one_per = ("battle",)
    battle: int | None = None
    order: tuple[str, ...]


class VictoryChoice(Order):
    """What to do with a building after a victory (R114, R115)."""

    type: Literal["victory_choice"] = "victory_choice"
    title = "выбор победителя"
    group = BATTLE
    one_per = ("battle",)
    battle: int | None = None
    capture: bool | None = None
    preserve: bool | None = None


class DefaultCards(Order):
    """Cards that count when none are sent (R120)."""

    type: Literal["default_cards"] = "default_cards"
    title = "карточки по умолчанию"
    group = SECRET
    one_per = ("key",)
    unit: str | None = None
    building: str | None = None
    all: bool | None = None
    cards: tuple[Card, ...]

    @model_validator(mode="after")
    def _one_object(self) -> DefaultCards:
        if (self.unit is not None) + (self.building is not None) + bool(self.all) != 1:
            raise ValueError("нужно ровно одно из: unit, building, all")
        return self

    @property
    def key(self) -> str:
        """Unit id, building cell or `all`."""
        return self.unit or self.building or "all"


class StandingOrder(Order):
    """«+» carried out when something happens (R184)."""

    type: Literal["standing_order"] = "standing_order"
    title = "условный приказ"
    group = SECRET
    trigger: Trigger
    filter: dict[str, Any] = Field(default_factory=dict)
    """`mine`, `player`, `types`, `cell`, `target`, `from` — as far as the trigger has them."""
    action: dict[str, Any]
    """A whole «+» command; `<trigger unit>` stands for the troop that set it off."""
    once: bool = True


class CancelOrder(Order):
    """Takes back standing orders (R184)."""

    type: Literal["cancel_order"] = "cancel_order"
    title = "отмена условного приказа"
    group = SECRET
    id: int | None = None
    all: bool | None = None


class DisbandPriority(Order):
    """Who is disbanded first when money runs out (R24)."""

    type: Literal["disband_priority"] = "disband_priority"
    title = "очередь роспуска"
    group = SECRET
    one_per = ()
    units: tuple[str, ...]
