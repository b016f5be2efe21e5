"""The typed orders of «Великая Стратегическая» (chapter 3 of its specification): fields, slots, who may give them.

Units are named by id (or `<hired TYPE>`, `<trigger unit>`), buildings and garrisons by their cell, players by id.
"""

from __future__ import annotations

from rules.base import CommandTypes
from rules.grand_strategy.commands.agreements import (
    AcceptService,
    AllowEntry,
    AllowSpawn,
    Consent,
    DeclineService,
    DenyEntry,
    DenySpawn,
    DismissVassal,
    JoinConsent,
    JointDefense,
    LeaveService,
    OfferService,
    SendMoney,
    SetTurnOrder,
)
from rules.grand_strategy.commands.battles import (
    Attack,
    BattleCards,
    BattleOrder,
    CancelOrder,
    DefaultCards,
    DisbandPriority,
    GarrisonAttack,
    StandingOrder,
    VictoryChoice,
)
from rules.grand_strategy.commands.game import EndTurn, JoinGame, LeaveGame, Pass, PlayNow, Smuta
from rules.grand_strategy.commands.gm import (
    GmAdmitVagabond,
    GmCloseTurn,
    GmConsent,
    GmEdit,
    GmEndGame,
    GmMoveUnit,
    GmOrder,
    GmPlaceUnit,
    GmReject,
    GmRemove,
    GmReroll,
    GmResolveDispute,
    GmSetBuilding,
    GmSetDeadline,
    GmSetLair,
    GmSetMoney,
    GmSetOwner,
    GmSetRule,
    GmSkipTurn,
    GmUndo,
)
from rules.grand_strategy.commands.order import BATTLE, PLUS, SECRET, TURN, WINDOW, Condition, Order
from rules.grand_strategy.commands.realm import (
    Annex,
    Build,
    Cast,
    Deepen,
    Disband,
    Disembark,
    Downgrade,
    Embark,
    ForgeMithril,
    Hire,
    LiftSiege,
    Move,
    Siege,
    Upgrade,
)

__all__ = [
    "BATTLE",
    "COMMANDS",
    "MODELS",
    "PLUS",
    "PLUS_ACTIONS",
    "SECRET",
    "TURN",
    "WINDOW",
    "AcceptService",
    "AllowEntry",
    "AllowSpawn",
    "Annex",
    "Attack",
    "BattleCards",
    "BattleOrder",
    "Build",
    "CancelOrder",
    "Cast",
    "Condition",
    "Consent",
    "DeclineService",
    "Deepen",
    "DefaultCards",
    "DenyEntry",
    "DenySpawn",
    "Disband",
    "DisbandPriority",
    "Disembark",
    "DismissVassal",
    "Downgrade",
    "Embark",
    "EndTurn",
    "ForgeMithril",
    "GarrisonAttack",
    "GmAdmitVagabond",
    "GmCloseTurn",
    "GmConsent",
    "GmEdit",
    "GmEndGame",
    "GmMoveUnit",
    "GmOrder",
    "GmPlaceUnit",
    "GmReject",
    "GmRemove",
    "GmReroll",
    "GmResolveDispute",
    "GmSetBuilding",
    "GmSetDeadline",
    "GmSetLair",
    "GmSetMoney",
    "GmSetOwner",
    "GmSetRule",
    "GmSkipTurn",
    "GmUndo",
    "Hire",
    "JoinConsent",
    "JoinGame",
    "JointDefense",
    "LeaveGame",
    "LeaveService",
    "LiftSiege",
    "Move",
    "OfferService",
    "Order",
    "Pass",
    "PlayNow",
    "SendMoney",
    "SetTurnOrder",
    "Siege",
    "Smuta",
    "StandingOrder",
    "Upgrade",
    "VictoryChoice",
    "types_of",
]  # fmt: skip

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
