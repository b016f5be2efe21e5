"""The course of a game: years, windows, turns, card windows, battles, works (chapter 4 of the specification)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from rules.base import GM, Outcome, RulesError, Sheet, command_to_json
from rules.dice import Dice
from rules.grand_strategy import battles, dragons, gm, window, year
from rules.grand_strategy import commands as c
from rules.grand_strategy.actions import declare_garrison
from rules.grand_strategy.data import word
from rules.grand_strategy.orders import run_sheet
from rules.grand_strategy.play import Play, Refusal
from rules.grand_strategy.standing import seats_from_active
from rules.grand_strategy.state import Building, Mark, State, Unit
from rules.grand_strategy.steps import all_cards_in

WINDOW_ORDER = ("leave_game", "join_game", "leave_service", "dismiss_vassal", "set_turn_order")
JOIN_WINDOWS = 2
"""Windows a `join_game` waits for `allow_spawn` (a turn lies between two, so at least the 24 hours of R195)."""


def open_game(state: State) -> State:
    """Opens the first turn of year 1."""
    play = Play(state)
    state.active = next((p for p in state.order() if has_pieces(state, p)), state.order()[0] if state.order() else None)
    if state.active is None:
        state.phase = "window"
        return state
    order = state.order()
    state.played = order[: order.index(state.active)]
    _start(play)
    return state


def has_pieces(g: State, player: str) -> bool:
    """Has a troop or a building (R183)."""
    return any(u.owner == player for u in g.units.values()) or any(b.owner == player for b in g.buildings.values())


def resolve(state: State, sheets: Sequence[Sheet], dice: Dice, *, closing: bool) -> Outcome:
    """Carries the sheets out; `closing` closes the open step and runs on until somebody is awaited."""
    play = Play(state.copy(), dice)
    g = play.g
    if g.shown:
        g.paths, g.clashes, g.shown = [], [], False
    before = len(dice.draws)
    for sheet in sheets:
        if sheet.issuer == GM:
            closing = gm.run(play, [x for x in sheet.commands if isinstance(x, c.GmOrder)]) or closing
    rest = [s for s in sheets if s.issuer != GM]
    if g.phase == "turn":
        _turn_sheets(play, rest, closing)
    elif g.phase != "over":
        for sheet in rest:
            player = _issuer(play, sheet)
            run_sheet(play, player, _outsider(play, player, _orders(sheet)))
    if closing and g.phase != "over":
        _close(play, rest)
    elif any(s.issuer == g.active for s in rest):
        g.portions += 1
    return Outcome(g, tuple(play.events), tuple(dice.draws[before:]))


def _orders(sheet: Sheet) -> list[c.Order]:
    return [x for x in sheet.commands if isinstance(x, c.Order) and not isinstance(x, c.GmOrder)]


def _issuer(play: Play, sheet: Sheet) -> str:
    """The sheet's player; somebody unknown is on the roster from now on, outside the game."""
    if sheet.issuer not in play.g.players:
        window.newcomer(play.g, sheet.issuer)
    return sheet.issuer


def _turn_sheets(play: Play, sheets: Sequence[Sheet], closing: bool) -> None:
    """Sheets of an open turn in their order of arrival; «+» posted before the active player's orders come before them, those
    posted after them at the closing (R6, R184). Among the others seat order counts."""
    g = play.g
    if g.settings.turn_mode == "batch" and g.batch is None and closing:
        g.batch = {s.issuer: [command_to_json(x) for x in _orders(s)] for s in sheets if s.issuer != g.active}
    batch = g.batch is not None
    own = next((i for i, s in enumerate(sheets) if s.issuer == g.active), len(sheets))
    order = seats_from_active(play)

    def rank(sheet: Sheet) -> int:
        return order.index(sheet.issuer) if sheet.issuer in order else len(order)

    early = sorted((s for s in sheets[:own]), key=rank)
    late = sorted((s for s in sheets[own + 1 :]), key=rank)
    for sheet in [*early, *sheets[own : own + 1], *late]:
        if batch and sheet.issuer != g.active:
            continue
        player = _issuer(play, sheet)
        run_sheet(play, player, _outsider(play, player, _orders(sheet)))


def _outsider(play: Play, player: str, commands: list[c.Order]) -> list[c.Order]:
    """Who isn't in the game may only ask to join it (R14)."""
    if play.g.players[player].status == "in":
        return commands
    kept: list[c.Order] = []
    for number, order in enumerate(commands, start=1):
        if isinstance(order, c.JoinGame):
            kept.append(order)
        else:
            play.private(player, "refused", "R14", number=number, command=command_to_json(order), code="not_your_turn",
                         message="Вы не в игре: сейчас можно только вступить в неё.")  # fmt: skip
    return kept


# ------------------------------------------------------------------------------------------------ closing


def _close(play: Play, sheets: Sequence[Sheet]) -> None:
    g = play.g
    if g.phase == "turn":
        silent = all(s.issuer != g.active for s in sheets) and g.portions == 0 and g.active is not None
        _end_orders(play, silent)
    elif g.phase == "cards":
        _finish_turn(play)
    elif g.phase == "window":
        _window(play, asked=True)
    _advance(play)


def _end_orders(play: Play, silent: bool) -> None:
    """The turn is closed: the last interrupts, then the battles' cards (R6, R186)."""
    g = play.g
    assert g.active is not None
    me = g.players[g.active]
    if silent:
        me.missed += 1
        play.emit("missed", "R183", player=g.active, times=me.missed)
        if me.missed >= g.settings.max_missed_turns:
            message = word("ask", "leave").format(player=me.name, times=me.missed)
            play.events.append(_gm_note("ask_leave", "R183", player=g.active, times=me.missed, message=message))
    else:
        me.missed = 0
    play.happened("turn_end", player=g.active)
    battles.form(play)
    if g.battles and not all_cards_in(g):
        g.phase, g.portions = "cards", 0
        return
    _finish_turn(play)


def _gm_note(kind: str, rule: str, **data: Any) -> Any:
    from rules.base import GM_ONLY, Event

    return Event(kind, data, rule, GM_ONLY)


def _finish_turn(play: Play) -> None:
    """Battles, works, the end of effects, flights, goal (steps 5–9 of a turn)."""
    g = play.g
    player = g.active
    battles.fight_all(play)
    _works(play)
    g.effects = [e for e in g.effects if e.until != "turn"]
    dragons.after_battles(play)
    g.attacks, g.works, g.battles = [], [], []
    for other in g.players.values():
        other.cards, other.regroup, other.line, other.victory, other.join = {}, {}, {}, {}, {}
        # Answers given in advance hold until the end of the named player's next turn (R194).
        if player is not None and other.answers.get(player) is not None:
            other.answers.pop(player, None)
    if player is not None and player not in g.played:
        g.played.append(player)
    g.last_turn = (g.tour, player)
    g.phase, g.portions = "window", 0
    year.goal(play)
    play.emit("turn_ended", "R2", player=player, tour=g.tour)


def _works(play: Play) -> None:
    """Constructions, upgrades, deepenings, downgrades in the order given (R112)."""
    g = play.g
    attacked_units = {a.target for a in g.attacks if a.target_kind == "unit"}
    attacked_cells = {a.target for a in g.attacks if a.target_kind == "building"}
    for battle in g.battles:
        for key in battle.defenders:
            kind, _, name = key.partition(":")
            (attacked_units if kind == "unit" else attacked_cells).add(name)
    for work in g.works:
        building = g.buildings.get(work.cell)
        data: dict[str, Any] = {"kind": work.kind, "cell": work.cell, "player": work.player, "what": work.what, "paid": work.paid}
        die = None
        if work.kind == "build":
            result, die = _build(play, work, work.unit in attacked_units)
        elif building is None or building.owner != work.player:
            result = "lost"
        elif work.kind == "downgrade":
            result = play.lower(building) or "removed"
        elif work.cell in attacked_cells:
            result = "interrupted"
        elif work.kind == "upgrade":
            from rules.grand_strategy.actions import next_house

            building.type = next_house(g, building) or building.type
            result = building.type
        else:
            won, die = play.half(f"рудник, {work.cell}")
            result = work.what if won else "failed_roll"
            if won:
                building.type = work.what
        if result == "failed_roll" and g.settings.mine_fail_refund:
            g.players[work.player].money += work.paid
            data["refund"] = work.paid
        rule = {"build": "R112", "upgrade": "R81", "deepen": "R82", "downgrade": "R83"}[work.kind]
        play.emit("work", rule, result=result, die=die, **data)


def _build(play: Play, work: Any, attacked: bool) -> tuple[str, int | None]:
    g = play.g
    if attacked:
        return "interrupted", None
    if work.cell in g.buildings:
        return "occupied", None
    kind = g.building_types[work.what]
    die = None
    if kind.mine and not work.sure:
        won, die = play.half(f"рудник, {work.cell}")
        if not won:
            return "failed_roll", die
    building = Building(work.cell, work.what, work.player)
    play.block(building)
    g.buildings[work.cell] = building
    if kind.mine:
        g.veins.pop(work.cell, None)
    return "built", die


# ------------------------------------------------------------------------------------------------ running on


def _advance(play: Play) -> None:
    """Runs on until somebody is awaited: window, next turn, passing those who have nothing."""
    g = play.g
    passed = 0
    while g.phase == "window":
        following, same_slot = _next(g)
        if following is None:
            passed += 1
            if passed > 2 and not any(has_pieces(g, p) for p in g.order()):
                play.emit("stalemate", "R183")
                g.phase = "over"
                return
            if not _new_year(play):
                return
            continue
        unanswered = [r for r in g.smuta if not _answer(g, r.commander, r.ruler)]
        if unanswered and not all(r.asked for r in g.smuta):
            for right in g.smuta:
                right.asked = True
            return
        _window(play, only_smuta=same_slot)
        following, _ = _next(g)
        if following is None:
            continue
        g.active, g.phase = following, "turn"
        g.shown = True
        _start(play)
        batch = g.batch.pop(following, []) if g.batch is not None else None
        if not has_pieces(g, following):
            play.emit("passed", "R183", player=following, tour=g.tour)
            battles.form(play)
            _finish_turn(play)
        elif batch is not None:
            run_sheet(play, following, _stored(play, following, batch))
            _end_orders(play, silent=not batch)
            if _waits_for_cards(g):
                return


def _waits_for_cards(g: State) -> bool:
    return g.phase == "cards"


def pieces(g: State) -> list[Unit | Building]:
    """All troops and buildings."""
    return [*g.units.values(), *g.buildings.values()]


def _stored(play: Play, player: str, raw: list[dict[str, Any]]) -> list[c.Order]:
    out = []
    for item in raw:
        command = c.COMMANDS.parse(item)
        assert isinstance(command, c.Order)
        out.append(command)
    return out


def _answer(g: State, commander: str, ruler: str) -> bool:
    return any(w.get("type") == "smuta" and w.get("ruler") == ruler for w in g.players[commander].waiting)


def _next(g: State) -> tuple[str | None, bool]:
    """Who plays next in this tour, and whether in the same slot as the last turn."""
    for slot in g.slots:
        for player in slot:
            if player not in g.played:
                last = g.last_turn[1] if g.last_turn is not None else None
                return player, last in slot and last is not None and g.last_turn is not None and g.last_turn[0] == g.tour
    return None, False


def _new_year(play: Play) -> bool:
    """Year start: slots merge, neutral decay, payout, goal (chapter 4). False when nobody is left to play."""
    g = play.g
    if not g.slots and _joins(g):
        _window(play)
    if not g.slots:
        play.emit("stalemate", "R14")
        g.phase = "over"
        return False
    g.tour += 1
    g.played = []
    g.batch = None
    _merge_slots(g)
    for thing in pieces(g):
        if thing.blocked is not None:
            tour, who = thing.blocked
            if (who is None and g.tour > tour) or (who is not None and who not in g.order() and g.tour >= tour + 2):
                thing.blocked = None
    if g.settings.neutral_decay:
        year.decay(play)
    if g.settings.income_timing == "year_start" and (g.tour > 1 or g.settings.income_in_first_year):
        for player in g.order():
            year.pay(play, player)
    year.goal(play)
    play.emit("year", "R2", tour=g.tour, order=[list(s) for s in g.slots])
    return True


def _joins(g: State) -> list[str]:
    return [p.id for p in g.players.values() if any(w.get("type") == "join_game" for w in p.waiting)]


def _merge_slots(g: State) -> None:
    """New vassals move into their suzerain's slot, after those who came before (R37, R38)."""
    for player in sorted(g.players.values(), key=lambda p: p.joined_service):
        if player.suzerain is None:
            continue
        home = next((s for s in g.slots if player.suzerain in s), None)
        if home is not None and player.id not in home:
            for slot in g.slots:
                if player.id in slot:
                    slot.remove(player.id)
            home.append(player.id)
    g.slots = [s for s in g.slots if s]


# ------------------------------------------------------------------------------------------------ windows


def _window(play: Play, *, only_smuta: bool = False, asked: bool = False) -> None:
    """What waits for a window, in the order of chapter 4 (R195)."""
    g = play.g
    _run_waiting(play, ("smuta",))
    g.smuta = []
    if only_smuta or asked:
        return
    for name in WINDOW_ORDER[:2]:
        _run_waiting(play, (name,))
    for name in WINDOW_ORDER[2:]:
        _run_waiting(play, (name,))


def _run_waiting(play: Play, types: tuple[str, ...]) -> None:
    g = play.g
    order = [*g.order(), *(p for p in g.players if p not in g.order())]
    for player in order:
        me = g.players[player]
        for raw in [w for w in me.waiting if w["type"] in types]:
            if raw not in me.waiting:
                continue
            me.waiting.remove(raw)
            try:
                command = c.COMMANDS.parse({k: v for k, v in raw.items() if k != "_age"})
            except (RulesError, ValidationError):
                continue
            _waited(play, player, command, raw)


def _waited(play: Play, player: str, command: Any, raw: dict[str, Any]) -> None:
    g = play.g
    if isinstance(command, c.LeaveService | c.DismissVassal | c.SetTurnOrder):
        # Only before the suzerain's slot of this tour (R39).
        suzerain = g.players[player].suzerain if isinstance(command, c.LeaveService) else player
        slot = next((s for s in g.slots if suzerain in s), [])
        if any(p in g.played for p in slot):
            g.players[player].waiting.append(raw)
            return
    handlers: dict[type, Any] = {
        c.Smuta: window.smuta,
        c.LeaveGame: window.leave_game,
        c.JoinGame: window.join_game,
        c.LeaveService: window.leave_service,
        c.DismissVassal: window.dismiss_vassal,
        c.SetTurnOrder: window.set_turn_order,
    }
    try:
        if isinstance(command, c.Smuta) and command.decline:
            play.emit("smuta_declined", "R33", commander=player, ruler=command.ruler)
            return
        handlers[type(command)](play, player, command)
    except Refusal as refusal:
        if isinstance(command, c.JoinGame) and refusal.code == "no_consent" and command.entry == "commander":
            age = int(raw.get("_age", 0)) + 1
            if age < JOIN_WINDOWS:
                g.players[player].waiting.append({**raw, "_age": age})
                play.private(player, "waits", "R195", command=command_to_json(command), too_late=False)
                return
        play.private(player, "refused", "R195", number=0, command=command_to_json(command), code=refusal.code,
                     message=refusal.message)  # fmt: skip


# ------------------------------------------------------------------------------------------------ turn start


def _start(play: Play) -> None:
    """Start of a turn: effects end, movement and АД come back, orphans crumble, garrisons attack (chapter 4, R8, R10, R91)."""
    g = play.g
    player = g.active
    assert player is not None
    g.effects = [e for e in g.effects if not (e.until == "circle" and e.caster == player)]
    me = g.players[player]
    me.offers = []
    for thing in pieces(g):
        if thing.blocked is not None and thing.blocked[1] == player and thing.blocked[0] < g.tour:
            thing.blocked = None
    for unit in g.units_of(player):
        if unit.moved is not None and _circle_passed(g, unit.moved, player):
            unit.moved, unit.steps, unit.stopped = None, 0, None
    dragons.crumble_orphans(play, player)
    if play.dice is not None:
        if g.settings.cap_check in ("turn_start", "both"):
            year.cap(play, player)
        if g.settings.income_timing == "turn_start" and (g.tour > 1 or g.settings.income_in_first_year):
            year.pay(play, player)
    play.emit("turn_started", "R2", player=player, tour=g.tour)
    for building in g.buildings_of(player):
        if building.blocked is not None or g.btype(building).mine:
            continue
        for unit in g.units_at(building.cell):
            if unit.owner is None or g.utype(unit).magic:
                declare_garrison(play, building, unit, "R91")
                break
    play.happened("turn_start", player=player)


def _circle_passed(g: State, moved: Mark, player: str) -> bool:
    """A круг since the turn in which it moved (R10)."""
    tour, who = moved
    if g.tour == tour:
        return False
    if g.tour >= tour + 2 or who == player or who is None:
        return True
    order = g.order()
    return who not in order or order.index(who) <= order.index(player)
