"""The GM's orders."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AliasChoices, Field, model_validator

from rules.acts import Act, Edit, Reject, Reroll, SetDeadline, Undo
from rules.grand_strategy.commands.order import Order, School


class GmOrder(Order):
    """Base of the GM's commands; each leaves a public entry with its reason (R189)."""

    by_gm = True
    group = "gm"
    reason: str | None = None


class GmAdmitVagabond(GmOrder):
    """Lets a бродяга into the game (R13, R30)."""

    type: Literal["gm_admit_vagabond"] = "gm_admit_vagabond"
    title = "мастер: принять бродягу"
    player: str
    params: dict[str, Any] = Field(default_factory=dict)
    """`cell`, `unit`, `treasury`, `income`, `personal_upkeep`, `money`, `name`, `state`."""


class GmConsent(GmOrder):
    """Records agreements given elsewhere (R187)."""

    type: Literal["gm_consent"] = "gm_consent"
    title = "мастер: согласие"
    topic: Literal["annex", "smuta_all", "service", "battle", "entry", "spawn", "join"]
    players: tuple[str, ...]
    """Who agrees, then with whom."""
    value: bool = True
    unit: str | None = None
    building: str | None = None
    province: int | None = None


class GmResolveDispute(GmOrder):
    """Gives a thing in dispute to a player (R117)."""

    type: Literal["gm_resolve_dispute"] = "gm_resolve_dispute"
    title = "мастер: решить спор"
    object: str
    player: str


class GmSetMoney(GmOrder):
    """Sets a treasury, or adds to it."""

    type: Literal["gm_set_money"] = "gm_set_money"
    title = "мастер: казна"
    player: str
    amount: int | None = Field(default=None, ge=0)
    add: int | None = None

    @model_validator(mode="after")
    def _one_number(self) -> GmSetMoney:
        if (self.amount is None) == (self.add is None):
            raise ValueError("нужно ровно одно из: amount, add")
        return self


class GmPlaceUnit(GmOrder):
    """Puts a troop on the map."""

    type: Literal["gm_place_unit"] = "gm_place_unit"
    title = "мастер: поставить войско"
    unit_type: str
    cell: str
    owner: str | None = None
    id: str | None = None
    name: str | None = None
    school: School | None = None
    personal: bool = False
    mithril: bool = False
    afloat: bool = False
    controller: str | None = None


class GmMoveUnit(GmOrder):
    """Moves a troop."""

    type: Literal["gm_move_unit"] = "gm_move_unit"
    title = "мастер: переставить войско"
    unit: str
    cell: str


class GmRemove(GmOrder):
    """Takes a troop or a building off the map."""

    type: Literal["gm_remove"] = "gm_remove"
    title = "мастер: убрать"
    unit: str | None = None
    building: str | None = None


class GmSetOwner(GmOrder):
    """Gives a troop or a building another owner."""

    type: Literal["gm_set_owner"] = "gm_set_owner"
    title = "мастер: хозяин"
    object: str
    owner: str | None = None


class GmSetBuilding(GmOrder):
    """Puts a building on the map or changes it."""

    type: Literal["gm_set_building"] = "gm_set_building"
    title = "мастер: строение"
    cell: str
    what: str = Field(validation_alias=AliasChoices("what", "building_type"))
    owner: str | None = None
    name: str | None = None


class GmSetRule(GmOrder):
    """Changes a setting of the scenario."""

    type: Literal["gm_set_rule"] = "gm_set_rule"
    title = "мастер: правило"
    setting: str
    value: Any


class GmReroll(GmOrder):
    """Asks for another roll; the service re-runs the step with a new attempt number (R189)."""

    type: Literal["gm_reroll"] = "gm_reroll"
    title = "мастер: переброс"
    event: str = ""
    """Words of the roll's purpose («шторм»), or a step; empty: the last roll."""

    def act(self) -> Act:
        """The step anew, with other dice."""
        return Reroll(self.event)


class GmSetDeadline(GmOrder):
    """Another deadline; kept by the service (R180)."""

    type: Literal["gm_set_deadline"] = "gm_set_deadline"
    title = "мастер: срок"
    when: str
    """«воскресенье», «05.12 21:00», «+12» (hours)."""

    def act(self) -> Act:
        """Another end for the open step."""
        return SetDeadline(self.when)


class GmSkipTurn(GmOrder):
    """The player's open turn is passed (R183)."""

    type: Literal["gm_skip_turn"] = "gm_skip_turn"
    title = "мастер: пропустить ход"
    player: str


class GmCloseTurn(GmOrder):
    """Closes the open step at once."""

    type: Literal["gm_close_turn"] = "gm_close_turn"
    title = "мастер: закрыть ход"


class GmUndo(GmOrder):
    """Back to an earlier event; done by the service."""

    type: Literal["gm_undo"] = "gm_undo"
    title = "мастер: откат"
    to_event: str
    """A step by number, id or title, or words of a roll in it."""

    def act(self) -> Act:
        """Back to that step."""
        return Undo(self.to_event)


class GmEndGame(GmOrder):
    """Ends the game (R1)."""

    type: Literal["gm_end_game"] = "gm_end_game"
    title = "мастер: конец игры"
    winner: str | None = None


class GmReject(GmOrder):
    """Rejects a player's command; done by the service (R189)."""

    type: Literal["gm_reject"] = "gm_reject"
    title = "мастер: отклонить приказ"
    command: str
    """`ghash:2`, or words of the order."""

    def act(self) -> Act:
        """The order isn't carried out."""
        return Reject(self.command)


class GmEdit(GmOrder):
    """Edits a player's command; done by the service (R189)."""

    type: Literal["gm_edit"] = "gm_edit"
    title = "мастер: исправить приказ"
    command: str
    fields: dict[str, Any]

    def act(self) -> Act:
        """The order with other fields."""
        return Edit(self.command, self.fields)


class GmSetLair(GmOrder):
    """Sets a lair's dragon: asleep at home, dead, or tamed by a mage."""

    type: Literal["gm_set_lair"] = "gm_set_lair"
    title = "мастер: логово"
    cell: str
    state: Literal["home", "dead"]
