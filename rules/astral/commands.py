"""The commands of §3: what owners and the GM may order, as typed models.

Values that a player may get wrong (an unknown unit, a negative number) pass here and are judged by the rules (§8).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from rules.astral.catalog import catalog
from rules.base import Command, CommandTypes, command_to_json

Amount: TypeAlias = int | float
"""An amount of energy as it was ordered; only whole numbers are accepted (R8)."""
Percent: TypeAlias = int | float | str
"""A share in percent; decimals are taken as they are written (R56)."""


class Attack(Command):
    """What both attacks have in common: energy, tactic, split and battle items (R12, R26)."""

    energy: Amount | None = None
    troop: str | None = None
    magic: str | None = None
    hero: str | None = None
    troop_energy: Amount | None = None
    magic_energy: Amount | None = None
    troop_share: Percent | None = None
    magic_share: Percent | None = None
    items: tuple[str, ...] = ()
    group: str | None = None
    slot_name = "main"
    one_per = ()

    def slot_in(self, sheet: Sequence[Command]) -> Hashable | None:
        """With an extra main action in the sheet the two attacks are two slots (R113)."""
        return ("main", type(self).__name__) if any(grants_extra(command) for command in sheet) else self.slot()


class AttackNeutral(Attack):
    """Attack a neutral shard (R34–R41)."""

    title: ClassVar[str] = "атака осколка"
    type: Literal["attack_neutral"] = "attack_neutral"
    shard: str


class AttackOwner(Attack):
    """Attack a world: its outer shard (R43–R53)."""

    title: ClassVar[str] = "атака мира"
    type: Literal["attack_owner"] = "attack_owner"
    target: str
    group_position: int | None = None


class EnterNothing(Command):
    """Go into Nothing (R70)."""

    title: ClassVar[str] = "уход в Ничто"
    slot_name = "main"
    one_per = ()
    type: Literal["enter_nothing"] = "enter_nothing"


class ExitNothing(Command):
    """Come back from Nothing (R70)."""

    title: ClassVar[str] = "выход из Ничто"
    slot_name = "main"
    one_per = ()
    type: Literal["exit_nothing"] = "exit_nothing"


class Pass(Command):
    """Nothing to do, but not a missed turn (R73)."""

    title: ClassVar[str] = "пропуск хода"
    type: Literal["pass"] = "pass"


class InvestDefence(Command):
    """Raise the world's Защита (R50)."""

    title: ClassVar[str] = "вложение в защиту"
    type: Literal["invest_defence"] = "invest_defence"
    energy: Amount


class SetReserve(Command):
    """Keep energy for the n-th attack on the world (R52)."""

    title: ClassVar[str] = "резерв на атаку"
    one_per = ("attack_no",)
    type: Literal["set_reserve"] = "set_reserve"
    attack_no: Amount
    energy: Amount


class SetDefenceTactic(Command):
    """Defence tactic against the n-th attack or all of them (R54–R56)."""

    title: ClassVar[str] = "тактика защиты"
    one_per = ("attack_no",)
    type: Literal["set_defence_tactic"] = "set_defence_tactic"
    attack_no: Amount | Literal["all"]
    troop: str | None = None
    troop_share: Percent | None = None
    magic: str | None = None
    magic_share: Percent | None = None
    hero: str | None = None
    items: tuple[str, ...] = ()


class Care(Command):
    """Care for a shard (R60)."""

    title: ClassVar[str] = "забота об осколке"
    type: Literal["care"] = "care"
    shard: str


class Sacrifice(Command):
    """Sacrifice a shard's people (R64)."""

    title: ClassVar[str] = "жертва населения"
    type: Literal["sacrifice"] = "sacrifice"
    shard: str


class VoteRune(Command):
    """Vote for a rune on the board (R81)."""

    title: ClassVar[str] = "голос за руну"
    one_per = ()
    type: Literal["vote_rune"] = "vote_rune"
    rune: str


class TransferEnergy(Command):
    """Give energy to another owner (R57)."""

    title: ClassVar[str] = "передача энергии"
    type: Literal["transfer_energy"] = "transfer_energy"
    to: str
    amount: Amount


class TransferItem(Command):
    """Give an item to another owner (R59)."""

    title: ClassVar[str] = "передача предмета"
    type: Literal["transfer_item"] = "transfer_item"
    to: str
    item: str


class Goods(BaseModel):
    """One side of an exchange."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    energy: Amount | None = None
    items: tuple[str, ...] = ()
    info: tuple[str, ...] = ()
    """Items or shards whose description is told."""

    def key(self) -> tuple[Amount, tuple[str, ...], tuple[str, ...]]:
        """For comparing mirror deals (R58)."""
        return (self.energy or 0, tuple(sorted(self.items)), tuple(sorted(self.info)))


class Exchange(Command):
    """An exchange; happens only if the other side ordered the mirror deal (R58)."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
    title: ClassVar[str] = "обмен"
    type: Literal["exchange"] = "exchange"
    partner: str = Field(alias="with")
    give: Goods = Goods()
    want: Goods = Goods()


class ShareInfo(Command):
    """Tell another owner what an item does or what is known of a shard (R108)."""

    title: ClassVar[str] = "передача сведений"
    type: Literal["share_info"] = "share_info"
    to: str
    subject: str


class UseItem(Command):
    """Use an item with an action (R90)."""

    title: ClassVar[str] = "применение предмета"
    type: Literal["use_item"] = "use_item"
    item: str
    target_owner: str | None = None
    target_shard: str | None = None
    position: int | None = None


class UseFeature(Command):
    """Use an особенность of an own shard (R98)."""

    title: ClassVar[str] = "применение особенности"
    type: Literal["use_feature"] = "use_feature"
    shard: str
    feature: str
    target_owner: str | None = None
    target_shard: str | None = None
    position: int | None = None


class HireSpecialist(Command):
    """A lesson: +1 level of a unit (R94)."""

    title: ClassVar[str] = "урок у специалиста"
    type: Literal["hire_specialist"] = "hire_specialist"
    specialist: str
    unit: str | None = None


class CancelOrders(Command):
    """Take back orders of earlier posts: all, or those that match the given fields (R114)."""

    title: ClassVar[str] = "отмена прежних приказов"
    type: Literal["cancel_orders"] = "cancel_orders"
    orders: tuple[dict[str, Any], ...] | None = None

    def withdraws(self, earlier: Command) -> bool:
        if self.orders is None:
            return True
        fields = command_to_json(earlier)
        return any(all(fields.get(name) == value for name, value in partial.items()) for partial in self.orders)


# ------------------------------------------------------------------------------------------------ the GM's


class GmCommand(Command):
    """Base of the GM's commands that change the state (§3.2)."""

    by_gm: ClassVar[bool] = True


class GmGrantItem(GmCommand):
    """Give an owner an item."""

    title: ClassVar[str] = "мастер: выдать предмет"
    type: Literal["gm_grant_item"] = "gm_grant_item"
    owner: str
    item: str


class GmRemoveItem(GmCommand):
    """Take an item away."""

    title: ClassVar[str] = "мастер: забрать предмет"
    type: Literal["gm_remove_item"] = "gm_remove_item"
    owner: str
    item: str


class GmSetParam(GmCommand):
    """Correct a value of an owner or a shard."""

    title: ClassVar[str] = "мастер: исправить параметр"
    type: Literal["gm_set_param"] = "gm_set_param"
    owner: str | None = None
    shard: str | None = None
    field: str
    """`energy`, `height`, `defence`, `missed`, `level` (with `unit`); `size`, `care`, `care_count`, `sacrifice`, `name`, …"""
    value: int | float | str | bool
    unit: str | None = None
    """For `level`."""


class GmApplyEffect(GmCommand):
    """Apply an effect: «особые ходы», events of Chaos (R47, R99)."""

    title: ClassVar[str] = "мастер: применить эффект"
    type: Literal["gm_apply_effect"] = "gm_apply_effect"
    effect: dict[str, Any]
    owner: str | None = None
    """Owner id; absent and no shard: all active owners."""
    shard: str | None = None
    """For `reorder_shard` and `reveal`."""
    duration: int = Field(default=1, ge=0)
    """Turns of a continuous effect; 0: to the end of the game."""
    hidden: bool = False
    text: str = ""
    """What the players are told."""


class GmPlaceShard(GmCommand):
    """A new neutral shard."""

    title: ClassVar[str] = "мастер: новый осколок"
    type: Literal["gm_place_shard"] = "gm_place_shard"
    shard: dict[str, Any]
    """A table like the scenario's `[[neutral]]`."""


class GmRemoveShard(GmCommand):
    """Take a shard out of the game or make it neutral."""

    title: ClassVar[str] = "мастер: убрать осколок"
    type: Literal["gm_remove_shard"] = "gm_remove_shard"
    shard: str
    fate: Literal["destroyed", "neutral"] = "destroyed"


class GmSetRuneBoard(GmCommand):
    """Lay out the rune board by hand."""

    title: ClassVar[str] = "мастер: руны на столе"
    type: Literal["gm_set_rune_board"] = "gm_set_rune_board"
    runes: tuple[str, ...]


class GmChooseRune(GmCommand):
    """Choose this turn's rune instead of the vote (R82)."""

    title: ClassVar[str] = "мастер: выбрать руну"
    one_per = ()
    type: Literal["gm_choose_rune"] = "gm_choose_rune"
    rune: str


class GmSetGroupOrder(GmCommand):
    """The order of attacks inside a group (R33)."""

    title: ClassVar[str] = "мастер: порядок в группе"
    type: Literal["gm_set_group_order"] = "gm_set_group_order"
    group: str
    target: str | None = None
    """The attacked owner; absent: the group whatever its target."""
    owners: tuple[str, ...]


class GmExcuseMissed(GmCommand):
    """One missed turn less."""

    title: ClassVar[str] = "мастер: простить пропуск"
    type: Literal["gm_excuse_missed"] = "gm_excuse_missed"
    owner: str


class GmForceNothing(GmCommand):
    """Send an owner into Nothing (R70)."""

    title: ClassVar[str] = "мастер: отправить в Ничто"
    type: Literal["gm_force_nothing"] = "gm_force_nothing"
    owner: str


class GmRelease(GmCommand):
    """Bring an owner back from Nothing (R70)."""

    title: ClassVar[str] = "мастер: вернуть из Ничто"
    type: Literal["gm_release"] = "gm_release"
    owner: str


class GmEliminate(GmCommand):
    """Take an owner out of the game."""

    title: ClassVar[str] = "мастер: владыка гибнет"
    type: Literal["gm_eliminate"] = "gm_eliminate"
    owner: str
    fate: Literal["destroyed", "neutral"] = "destroyed"
    """What becomes of his shards."""


class GmReveal(GmCommand):
    """Let an owner know a description or a shard's secrets (R108)."""

    title: ClassVar[str] = "мастер: открыть сведения"
    type: Literal["gm_reveal"] = "gm_reveal"
    owner: str
    subject: str


class GmEndGame(GmCommand):
    """End the game."""

    title: ClassVar[str] = "мастер: завершить игру"
    type: Literal["gm_end_game"] = "gm_end_game"
    winners: tuple[str, ...]
    reason: str = ""


MAIN_ACTIONS = frozenset({"attack_neutral", "attack_owner", "enter_nothing", "exit_nothing"})
"""R4: one of these per owner and turn."""

PLAYER_MODELS: tuple[type[Command], ...] = (
    AttackNeutral,
    AttackOwner,
    EnterNothing,
    ExitNothing,
    Pass,
    InvestDefence,
    SetReserve,
    SetDefenceTactic,
    Care,
    Sacrifice,
    VoteRune,
    TransferEnergy,
    TransferItem,
    Exchange,
    ShareInfo,
    UseItem,
    UseFeature,
    HireSpecialist,
    CancelOrders,
)
GM_MODELS: tuple[type[GmCommand], ...] = (
    GmGrantItem,
    GmRemoveItem,
    GmSetParam,
    GmApplyEffect,
    GmPlaceShard,
    GmRemoveShard,
    GmSetRuneBoard,
    GmChooseRune,
    GmSetGroupOrder,
    GmExcuseMissed,
    GmForceNothing,
    GmRelease,
    GmEliminate,
    GmReveal,
    GmEndGame,
)
COMMANDS = CommandTypes((*PLAYER_MODELS, *GM_MODELS))
PLAYER_TYPES: tuple[str, ...] = tuple(str(model.model_fields["type"].default) for model in PLAYER_MODELS)
GM_TYPES: tuple[str, ...] = tuple(str(model.model_fields["type"].default) for model in GM_MODELS)
NOTHING_TYPES = ("exit_nothing", "pass", "cancel_orders")
"""All that an owner in Nothing may send (R72)."""


def grants_extra(command: Command) -> bool:
    """True when the command uses something that allows a second main action (R4)."""
    tables = catalog()
    if isinstance(command, UseItem):
        return command.item in tables.items and tables.items[command.item].has("extra_main_action")
    if isinstance(command, UseFeature):
        return command.feature in tables.features and tables.features[command.feature].has("extra_main_action")
    return False


def as_json(command: Command) -> Mapping[str, Any]:
    """The command as in the contract: set fields only, empty lists left out."""
    return {name: value for name, value in command_to_json(command).items() if value not in ([], {})}
