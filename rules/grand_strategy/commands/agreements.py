"""Orders between players: money, leave to enter or appear, consent, service."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rules.grand_strategy.commands.order import BATTLE, PLUS, SECRET, WINDOW, Order


class SendMoney(Order):
    """Sends coins to another player; the receiver gets them less the tax (R31)."""

    type: Literal["send_money"] = "send_money"
    title = "пересылка денег"
    group = PLUS
    to: str
    amount: int


class AllowEntry(Order):
    """Lets a player's troops stand on the cell of a building (R32)."""

    type: Literal["allow_entry"] = "allow_entry"
    title = "разрешение на вход"
    group = PLUS
    building: str
    player: str
    """A player, or `all`."""
    unit: str | None = None
    walls: bool = True


class DenyEntry(Order):
    """Takes that permission back (R32)."""

    type: Literal["deny_entry"] = "deny_entry"
    title = "запрет на вход"
    group = PLUS
    building: str
    player: str
    unit: str | None = None


class AllowSpawn(Order):
    """Lets a new commander appear on one's land (R12)."""

    type: Literal["allow_spawn"] = "allow_spawn"
    title = "разрешение появиться"
    group = PLUS
    slot_name = "spawn"
    one_per = ("player", "province", "cell")
    player: str
    province: int | None = None
    cell: str | None = None


class DenySpawn(Order):
    """Forbids a new commander to appear on one's land (R12)."""

    type: Literal["deny_spawn"] = "deny_spawn"
    title = "запрет появляться"
    group = PLUS
    slot_name = "spawn"
    one_per = ("player", "province", "cell")
    player: str
    province: int | None = None
    cell: str | None = None


class Consent(Order):
    """Agreement to an annexation (R70) or to a смута decided by one die (R34)."""

    type: Literal["consent"] = "consent"
    title = "согласие"
    group = PLUS
    one_per = ("topic", "player", "unit")
    topic: Literal["annex", "smuta_all"]
    player: str
    unit: str | None = None
    agree: bool = True


class JoinConsent(Order):
    """Agreement to attack together with another player (R103)."""

    type: Literal["join_consent"] = "join_consent"
    title = "согласие на общий бой"
    group = BATTLE
    one_per = ("player", "battle")
    player: str
    battle: int | None = None
    agree: bool = True


class JointDefense(Order):
    """Whether a troop or garrison defends together with those on its cell (R104)."""

    type: Literal["joint_defense"] = "joint_defense"
    title = "совместная оборона"
    group = SECRET
    one_per = ("object", "with_")
    object: str
    with_: str | None = Field(default=None, alias="with")
    allowed: bool


class OfferService(Order):
    """Offers a place as vassal (R37)."""

    type: Literal["offer_service"] = "offer_service"
    title = "приём на службу"
    player: str


class AcceptService(Order):
    """Accepts an offer of service, perhaps in advance (R194)."""

    type: Literal["accept_service"] = "accept_service"
    title = "согласие служить"
    group = PLUS
    slot_name = "service"
    one_per = ("player",)
    player: str


class DeclineService(Order):
    """Refuses an offer of service (R194)."""

    type: Literal["decline_service"] = "decline_service"
    title = "отказ служить"
    group = PLUS
    slot_name = "service"
    one_per = ("player",)
    player: str


class LeaveService(Order):
    """A vassal leaves his suzerain (R39)."""

    type: Literal["leave_service"] = "leave_service"
    title = "уход со службы"
    group = WINDOW
    one_per = ()


class DismissVassal(Order):
    """A suzerain dismisses a vassal (R39)."""

    type: Literal["dismiss_vassal"] = "dismiss_vassal"
    title = "увольнение вассала"
    group = WINDOW
    one_per = ("player",)
    player: str


class SetTurnOrder(Order):
    """The order of turns inside a suzerain's slot (R38)."""

    type: Literal["set_turn_order"] = "set_turn_order"
    title = "очерёдность"
    group = WINDOW
    one_per = ()
    order: tuple[str, ...]
