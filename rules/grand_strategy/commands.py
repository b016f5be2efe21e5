"""The typed orders of «Великая Стратегическая» (chapter 3 of its specification): fields, slots, who may give them.

Units are named by id (or `<hired TYPE>`, `<trigger unit>`), buildings and garrisons by their cell, players by id.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator

from rules.base import Command, CommandTypes

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


# ------------------------------------------------------------------------------------------------ «+»


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
    player: str
    province: int | None = None
    cell: str | None = None

    def slot(self) -> Hashable:
        return ("spawn", self.player, self.province, self.cell)


class DenySpawn(Order):
    """Forbids a new commander to appear on one's land (R12)."""

    type: Literal["deny_spawn"] = "deny_spawn"
    title = "запрет появляться"
    group = PLUS
    player: str
    province: int | None = None
    cell: str | None = None

    def slot(self) -> Hashable:
        return ("spawn", self.player, self.province, self.cell)


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


class Consent(Order):
    """Agreement to an annexation (R70) or to a смута decided by one die (R34)."""

    type: Literal["consent"] = "consent"
    title = "согласие"
    group = PLUS
    topic: Literal["annex", "smuta_all"]
    player: str
    unit: str | None = None
    agree: bool = True

    def slot(self) -> Hashable:
        return ("consent", self.topic, self.player, self.unit)


class JoinConsent(Order):
    """Agreement to attack together with another player (R103)."""

    type: Literal["join_consent"] = "join_consent"
    title = "согласие на общий бой"
    group = BATTLE
    player: str
    battle: int | None = None
    agree: bool = True

    def slot(self) -> Hashable:
        return ("join", self.player, self.battle)


class JointDefense(Order):
    """Whether a troop or garrison defends together with those on its cell (R104)."""

    type: Literal["joint_defense"] = "joint_defense"
    title = "совместная оборона"
    group = SECRET
    object: str
    with_: str | None = Field(default=None, alias="with")
    allowed: bool

    def slot(self) -> Hashable:
        return ("joint_defense", self.object, self.with_)


# ------------------------------------------------------------------------------------------------ service


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
    player: str

    def slot(self) -> Hashable:
        return ("service", self.player)


class DeclineService(Order):
    """Refuses an offer of service (R194)."""

    type: Literal["decline_service"] = "decline_service"
    title = "отказ служить"
    group = PLUS
    player: str

    def slot(self) -> Hashable:
        return ("service", self.player)


class LeaveService(Order):
    """A vassal leaves his suzerain (R39)."""

    type: Literal["leave_service"] = "leave_service"
    title = "уход со службы"
    group = WINDOW

    def slot(self) -> Hashable:
        return "leave_service"


class DismissVassal(Order):
    """A suzerain dismisses a vassal (R39)."""

    type: Literal["dismiss_vassal"] = "dismiss_vassal"
    title = "увольнение вассала"
    group = WINDOW
    player: str

    def slot(self) -> Hashable:
        return ("dismiss", self.player)


class SetTurnOrder(Order):
    """The order of turns inside a suzerain's slot (R38)."""

    type: Literal["set_turn_order"] = "set_turn_order"
    title = "очерёдность"
    group = WINDOW
    order: tuple[str, ...]

    def slot(self) -> Hashable:
        return "set_turn_order"


# ------------------------------------------------------------------------------------------------ in, out, смута


class JoinGame(Order):
    """Enters the game (R11, R12, R13) or returns to it (R14)."""

    type: Literal["join_game"] = "join_game"
    title = "приход в игру"
    group = WINDOW
    entry: Literal["ruler", "commander", "vagabond"] = Field(alias="as")
    province: int | None = None
    cell: str | None = None
    personal_type: str | None = None
    school: School | None = None
    state_name: str | None = None

    def slot(self) -> Hashable:
        return "join_game"


class LeaveGame(Order):
    """Leaves the game (R14)."""

    type: Literal["leave_game"] = "leave_game"
    title = "выход из игры"
    group = WINDOW
    confirm: bool = True

    def slot(self) -> Hashable:
        return "leave_game"


class Smuta(Order):
    """The commander's claim to a beaten ruler's state (R33, R34)."""

    type: Literal["smuta"] = "smuta"
    title = "смута"
    group = WINDOW
    ruler: str
    mode: Literal["each", "all"] = "each"
    decline: bool = False

    def slot(self) -> Hashable:
        return ("smuta", self.ruler)


# ------------------------------------------------------------------------------------------------ troops


class Move(Order):
    """Moves cell by cell; one far cell means the shortest way (R41)."""

    type: Literal["move"] = "move"
    title = "передвижение"
    unit: str
    path: tuple[str, ...]
    """Without the cell it starts from."""
    assault: bool = False


class Embark(Order):
    """Sets a troop afloat on a river or in a port (R52)."""

    type: Literal["embark"] = "embark"
    title = "посадка на воду"
    unit: str


class Disembark(Order):
    """Brings a troop ashore (R52)."""

    type: Literal["disembark"] = "disembark"
    title = "высадка"
    unit: str


class Siege(Order):
    """Besieges a дом лорда (R63)."""

    type: Literal["siege"] = "siege"
    title = "осада"
    unit: str
    building: str


class LiftSiege(Order):
    """Ends a siege (R64)."""

    type: Literal["lift_siege"] = "lift_siege"
    title = "снятие осады"
    unit: str
    building: str | None = None


class Build(Order):
    """Builds on the troop's own cell (R65)."""

    type: Literal["build"] = "build"
    title = "строительство"
    unit: str
    what: Literal["outpost", "tower", "fortress", "mine", "manor", "castle", "city"]
    level: MineLevel | None = None


class ForgeMithril(Order):
    """Mithril armour or amulet for the личное войско (R71)."""

    type: Literal["forge_mithril"] = "forge_mithril"
    title = "обмифриливание"
    unit: str


class Annex(Order):
    """The личное войско takes a neighbouring troop into service (R70)."""

    type: Literal["annex"] = "annex"
    title = "присоединение войска"
    unit: str
    target: str
    consent: bool | None = None
    """The asking player's word that the owner agrees; shown to the GM only (R187)."""


class Disband(Order):
    """Disbands a troop (R69)."""

    type: Literal["disband"] = "disband"
    title = "роспуск"
    unit: str


class Cast(Order):
    """A mage's spell (R73)."""

    type: Literal["cast"] = "cast"
    title = "колдовство"
    mage: str
    spell: str
    target: str | None = None
    cell: str | None = None
    player: str | None = None
    targets: tuple[str, ...] | None = None
    actions: tuple[Card, ...] | None = None
    overflow: str | None = None


# ------------------------------------------------------------------------------------------------ buildings


class Upgrade(Order):
    """One level more for a дом лорда (R81)."""

    type: Literal["upgrade"] = "upgrade"
    title = "повышение уровня"
    building: str


class Deepen(Order):
    """Deepens a mine (R82)."""

    type: Literal["deepen"] = "deepen"
    title = "углубление рудника"
    building: str
    level: MineLevel


class Downgrade(Order):
    """One level less (R83)."""

    type: Literal["downgrade"] = "downgrade"
    title = "понижение на уровень"
    building: str


class Hire(Order):
    """Hires a troop in a дом лорда (R84)."""

    type: Literal["hire"] = "hire"
    title = "наём"
    building: str
    unit_type: str
    school: School | None = None
    afloat: bool = False
    personal_for: str | None = None


# ------------------------------------------------------------------------------------------------ battles


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
    battle: int | None = None
    order: tuple[str, ...]

    def slot(self) -> Hashable:
        return ("order", self.battle)


class VictoryChoice(Order):
    """What to do with a building after a victory (R114, R115)."""

    type: Literal["victory_choice"] = "victory_choice"
    title = "выбор победителя"
    group = BATTLE
    battle: int | None = None
    capture: bool | None = None
    preserve: bool | None = None

    def slot(self) -> Hashable:
        return ("victory", self.battle)


class DefaultCards(Order):
    """Cards that count when none are sent (R120)."""

    type: Literal["default_cards"] = "default_cards"
    title = "карточки по умолчанию"
    group = SECRET
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

    def slot(self) -> Hashable:
        return ("default_cards", self.key)


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
    units: tuple[str, ...]

    def slot(self) -> Hashable:
        return "disband_priority"


# ------------------------------------------------------------------------------------------------ the turn itself


class PlayNow(Order):
    """«Исполнить сейчас»: the commands before it are a portion (R182)."""

    type: Literal["play_now"] = "play_now"
    title = "исполнить сейчас"


class EndTurn(Order):
    """Closes the turn early (R181)."""

    type: Literal["end_turn"] = "end_turn"
    title = "конец хода"

    def slot(self) -> Hashable:
        return "end"


class Pass(Order):
    """Does nothing this turn (R183)."""

    type: Literal["pass"] = "pass"
    title = "пас"

    def slot(self) -> Hashable:
        return "end"


# ------------------------------------------------------------------------------------------------ the GM


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
    event: str


class GmSetDeadline(GmOrder):
    """Another deadline; kept by the service (R180)."""

    type: Literal["gm_set_deadline"] = "gm_set_deadline"
    title = "мастер: срок"
    when: str


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


class GmEdit(GmOrder):
    """Edits a player's command; done by the service (R189)."""

    type: Literal["gm_edit"] = "gm_edit"
    title = "мастер: исправить приказ"
    command: str
    fields: dict[str, Any]


class GmSetLair(GmOrder):
    """Sets a lair's dragon: asleep at home, dead, or tamed by a mage."""

    type: Literal["gm_set_lair"] = "gm_set_lair"
    title = "мастер: логово"
    cell: str
    state: Literal["home", "dead"]


MODELS: tuple[type[Order], ...] = (
    SendMoney, AllowEntry, DenyEntry, AllowSpawn, DenySpawn, OfferService, AcceptService, DeclineService, LeaveService,
    DismissVassal, SetTurnOrder, JoinGame, LeaveGame, Smuta, Consent, Move, Embark, Disembark, Attack, JoinConsent,
    JointDefense, Siege, LiftSiege, Build, ForgeMithril, Annex, Disband, Cast, Upgrade, Deepen, Downgrade, Hire,
    GarrisonAttack, BattleCards, BattleOrder, VictoryChoice, DefaultCards, StandingOrder, CancelOrder, DisbandPriority,
    PlayNow, EndTurn, Pass,
    GmAdmitVagabond, GmConsent, GmResolveDispute, GmSetMoney, GmPlaceUnit, GmMoveUnit, GmRemove, GmSetOwner, GmSetBuilding,
    GmSetRule, GmSetLair, GmReroll, GmSetDeadline, GmSkipTurn, GmCloseTurn, GmUndo, GmEndGame, GmReject, GmEdit,
)  # fmt: skip
COMMANDS = CommandTypes(MODELS)


def types_of(*groups: str) -> tuple[str, ...]:
    """The player command types of these groups, in the order of the specification."""
    return tuple(str(m.model_fields["type"].default) for m in MODELS if m.group in groups and not m.by_gm)


PLUS_ACTIONS = ("send_money", "allow_entry", "deny_entry", "attack", "garrison_attack")
"""What a standing order may do (R184)."""
