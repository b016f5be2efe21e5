"""Which function carries out which order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.base import Command
from rules.grand_strategy import actions, magic, moves, players
from rules.grand_strategy import commands as c
from rules.grand_strategy.play import Play, Refusal

Handler = Callable[[Play, str, Any], Any]

HANDLERS: dict[type[Command], Handler] = {
    c.SendMoney: players.send_money,
    c.AllowEntry: players.allow_entry,
    c.DenyEntry: players.deny_entry,
    c.AllowSpawn: players.allow_spawn,
    c.DenySpawn: players.allow_spawn,
    c.OfferService: players.offer_service,
    c.AcceptService: players.accept_service,
    c.DeclineService: players.accept_service,
    c.Consent: players.consent,
    c.Move: moves.move,
    c.Embark: moves.embark,
    c.Disembark: moves.disembark,
    c.Attack: actions.attack,
    c.JoinConsent: players.join_consent,
    c.JointDefense: players.joint_defense,
    c.Siege: actions.siege,
    c.LiftSiege: actions.lift_siege,
    c.Build: actions.build,
    c.ForgeMithril: actions.forge_mithril,
    c.Annex: actions.annex,
    c.Disband: actions.disband,
    c.Cast: magic.cast,
    c.Upgrade: actions.upgrade,
    c.Deepen: actions.deepen,
    c.Downgrade: actions.downgrade,
    c.Hire: actions.hire,
    c.GarrisonAttack: actions.garrison_attack,
    c.BattleCards: players.battle_cards,
    c.BattleOrder: players.battle_order,
    c.VictoryChoice: players.victory_choice,
    c.DefaultCards: players.default_cards,
    c.StandingOrder: players.standing_order,
    c.CancelOrder: players.cancel_order,
    c.DisbandPriority: players.disband_priority,
}
"""Orders that are carried out at once; window orders wait (R195), the turn's own marks do nothing here."""


def execute(play: Play, player: str, order: c.Order) -> bool:
    """Carries one order out, or keeps it for a window. Raises `Refusal`; then nothing has changed (R188)."""
    from rules.grand_strategy import window

    if isinstance(order, c.PlayNow | c.EndTurn | c.Pass):
        play.own_turn(player)
        return True
    if order.group == c.WINDOW:
        window.wait(play, player, order)
        return True
    handler = HANDLERS.get(type(order))
    if handler is None:
        raise Refusal("gm_bad", text="Так приказывает только мастер.")
    result = handler(play, player, order)
    return result is not False


def run_sheet(play: Play, player: str, orders: list[c.Order]) -> None:
    """A sheet in its order: conditions, refusals told to the player alone (R3, R182, R188)."""
    play.hired, play.results = {}, []
    for number, order in enumerate(orders, start=1):
        play.results.append(one(play, player, order, number))


def one(play: Play, player: str, order: c.Order, number: int) -> bool | None:
    """One order of a sheet: True or False for conditions, None when it was skipped."""
    from rules.base import command_to_json

    try:
        if order.condition is not None:
            condition_met(play, order.condition, number)
        return execute(play, player, order)
    except Refusal as refusal:
        play.private(player, "refused", "R188", number=number, command=command_to_json(order), code=refusal.code,
                     message=refusal.message)  # fmt: skip
        return None if refusal.code == "condition_not_met" else False


def condition_met(play: Play, condition: c.Condition, number: int) -> None:
    """Refuses an order whose condition isn't met (R182)."""
    if condition.ref >= number or condition.ref > len(play.results):
        raise Refusal("bad_condition", n=condition.ref)
    result = play.results[condition.ref - 1]
    if result is None or result != (condition.outcome == "success"):
        word = {True: "удался", False: "не удался", None: "не исполнялся"}[result]
        raise Refusal("condition_not_met", n=condition.ref, outcome=word)
