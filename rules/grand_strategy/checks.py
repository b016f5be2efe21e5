"""`check`: what the rules, as far as a player can know, object to; commands are judged as if carried out (chapter 3)."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.types import Problem, Severity
from rules.base import Command
from rules.grand_strategy import commands as c
from rules.grand_strategy import window
from rules.grand_strategy.data import table
from rules.grand_strategy.orders import condition_met, execute
from rules.grand_strategy.play import Play, Refusal
from rules.grand_strategy.view import View


def check(view: View, kind: str | None, commands: Sequence[Command]) -> list[Problem]:
    """Warnings for refused commands, in order; a refused one changes nothing for the later ones."""
    faction = view.faction
    if faction is None or not commands:
        return []
    play = _scratch(view, kind, faction)
    problems: list[Problem] = []
    results: list[bool | None] = []
    orders = [x for x in commands if isinstance(x, c.Order)]
    for index, command in enumerate(commands):
        if not isinstance(command, c.Order) or isinstance(command, c.GmOrder):
            results.append(True)
            continue
        try:
            if command.condition is not None:
                _condition(play, command.condition, index + 1, results)
            if command.condition is not None and command.condition.outcome == "fail":
                # Until the dice fall both branches are possible; the order is judged in its own.
                _judge(_branch(view, kind, faction, orders[:index], command.condition), faction, command, orders[:index])
            else:
                _judge(play, faction, command, orders[:index])
            results.append(True)
        except Refusal as refusal:
            results.append(False)
            problems.append(_problem(index, refusal))
    return problems


def _branch(view: View, kind: str | None, faction: str, earlier: Sequence[c.Order], condition: c.Condition) -> Play:
    """The state in which the condition's outcome has come true: without the orders of the other branch."""
    play = _scratch(view, kind, faction)
    for index, command in enumerate(earlier):
        mine = command.condition
        if mine is not None and (mine.ref == condition.ref) != (mine.outcome == condition.outcome):
            continue
        try:
            _judge(play, faction, command, earlier[:index])
        except Refusal:
            continue
    return play


def _scratch(view: View, kind: str | None, faction: str) -> Play:
    """The view's state as if the step of that kind were open for this faction."""
    g = view.state.copy()
    play = Play(g)
    window.newcomer(g, faction)
    kind = kind or ("turn" if g.phase == "turn" and g.active == faction else {"cards": "battle"}.get(g.phase, "other_turn"))
    if kind == "turn":
        play.turn_of = faction
        if g.phase != "turn" or g.active != faction:
            g.phase, g.active = "turn", faction
            for unit in g.units_of(faction):
                unit.moved, unit.steps, unit.stopped = None, 0, None
    elif kind == "window":
        play.between = True
    elif kind == "other_turn" and g.active == faction:
        play.turn_of = next((p for p in g.order() if p != faction), "")
    return play


def _condition(play: Play, condition: c.Condition, number: int, results: list[bool | None]) -> None:
    """Before the dice either outcome is possible: only the reference itself is judged."""
    if condition.ref >= number or condition.ref > len(results):
        condition_met(play, condition, number)


def _judge(play: Play, faction: str, command: c.Order, earlier: Sequence[c.Order]) -> None:
    g = play.g
    if isinstance(command, c.JoinGame):
        me = g.players.get(faction)
        left = any(isinstance(x, c.LeaveGame) for x in earlier)
        if me is not None and (left or me.status == "left"):
            back = (me.left_tour if me.status == "left" and me.left_tour else g.tour) + g.settings.rejoin_skip_years + 1
            if g.tour < back:
                raise Refusal("rejoin_too_early", year=back)
        window.check_join(play, faction, command)
        return
    if isinstance(command, c.LeaveService | c.DismissVassal | c.SetTurnOrder):
        window.check_now(play, faction, command)
        if window.slot_started(g, faction, command):
            raise Refusal("too_late")
        return
    if command.group == c.WINDOW:
        window.check_now(play, faction, command)
        return
    if isinstance(command, c.EndTurn | c.Pass | c.PlayNow):
        if play.active != faction:
            play.own_turn(faction)
        return
    if g.players[faction].status != "in":
        play.not_the_turn_of(faction)
    execute(play, faction, command)


def _problem(index: int, refusal: Refusal) -> Problem:
    rule = table("rulings").get("code", {}).get(refusal.code)
    return Problem(refusal.code, Severity.WARNING, refusal.message, command=index, rule=rule)
