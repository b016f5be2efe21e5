"""What is awaited now: a step per player turn, one for its battles' cards, one for a window that asks (R180–R186)."""

from __future__ import annotations

from collections.abc import Sequence

from rules.base import Sheet, Step, Wait
from rules.grand_strategy.commands import BATTLE, PLUS, SECRET, TURN, WINDOW, BattleCards, EndTurn, Pass, Smuta, types_of
from rules.grand_strategy.names import player_name
from rules.grand_strategy.state import State
from rules.grand_strategy.strength import missing_cards

ALWAYS = types_of(PLUS, SECRET, BATTLE, WINDOW)
"""What anyone in the game may send at any time; what can't be done now waits or is refused."""
ENTRY = ("join_game",)
CARDS = ("battle_cards", "battle_order", "victory_choice", "join_consent", "default_cards", "joint_defense")


def current_step(state: State) -> Step | None:
    """The open step; None when the game is over."""
    if state.phase == "over" or state.active is None:
        return None
    settings = state.settings
    name = player_name(state, state.active)
    base = f"y{state.last_turn[0] if state.phase == 'window' and state.last_turn else state.tour}.{state.active}"
    if state.phase == "turn":
        waiting = [state.active]
        if state.settings.turn_mode == "batch" and state.batch is None:
            waiting = [p for p in state.order() if p not in state.played]
        waits = tuple(
            Wait(
                f"turn:{p}",
                p,
                "ход",
                types_of(TURN, PLUS, SECRET, BATTLE, WINDOW),
                False,
                settings.turn_deadline_hours,
                silence="пас: войска стоят",
            )
            for p in waiting
        )
        return Step(base, "turn", f"Ход: {name} (год {state.tour})", waits, _anytime(state, waiting))
    if state.phase == "cards":
        waits = tuple(
            Wait(
                f"cards:{p}",
                p,
                "карточки к битвам: " + ", ".join(f"№{n}" for n in numbers),
                CARDS,
                True,
                settings.battle_deadline_hours,
                silence="карточки по умолчанию, иначе жребий",
            )
            for p, numbers in card_players(state).items()
        )
        return Step(f"{base}.battles", "battle", f"Битвы хода: {name} (год {state.tour})", waits, _anytime(state, []))
    waits = tuple(
        Wait(
            f"smuta:{right.commander}:{right.ruler}",
            right.commander,
            f"смута: {player_name(state, right.ruler)}",
            ("smuta",),
            False,
            settings.window_deadline_hours,
            silence="смуты нет",
        )
        for right in state.smuta
    )
    return Step(f"{base}.window", "window", f"Окно после хода: {name}", waits, _anytime(state, []))


def card_players(state: State) -> dict[str, list[int]]:
    """Players with squads that need cards, and the numbers of their battles."""
    out: dict[str, list[int]] = {}
    for battle in state.battles:
        for owner in missing_cards(state, battle, given=False):
            if battle.number not in out.setdefault(owner, []):
                out[owner].append(battle.number)
    order = state.order()
    return dict(sorted(out.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)))


def _anytime(state: State, turn_of: list[str]) -> dict[str, tuple[str, ...]]:
    out: dict[str, tuple[str, ...]] = {}
    for player in state.players.values():
        if player.id in turn_of:
            continue
        out[player.id] = ALWAYS if player.status == "in" else ENTRY
    return out


def missing_waits(state: State, sheets: Sequence[Sheet]) -> list[Wait]:
    """Waits not yet answered: a turn without «конец хода» or «пас», squads without cards, a смута without a word."""
    step = current_step(state)
    if step is None:
        return []
    by_issuer = {sheet.issuer: sheet for sheet in sheets}
    out = []
    for wait in step.waits:
        sheet = by_issuer.get(wait.faction)
        commands = sheet.commands if sheet else ()
        if state.phase == "turn":
            done = any(isinstance(c, EndTurn | Pass) for c in commands)
        elif state.phase == "window":
            ruler = wait.id.rpartition(":")[2]
            done = any(isinstance(c, Smuta) and c.ruler == ruler for c in commands) or _answered(state, wait.faction, ruler)
        else:
            done = not _lacks_cards(state, wait.faction, [c for c in commands if isinstance(c, BattleCards)])
        if not done:
            out.append(wait)
    return out


def _answered(state: State, player: str, ruler: str) -> bool:
    return any(c.get("type") == "smuta" and c.get("ruler") == ruler for c in state.players[player].waiting)


def _lacks_cards(state: State, player: str, sent: Sequence[BattleCards]) -> bool:
    return any(player in missing_cards(state, battle, given=True, sent={player: sent}) for battle in state.battles)


def all_cards_in(state: State) -> bool:
    """True when no player's squad of the formed battles lacks a card that he sent himself."""
    return not any(missing_cards(state, battle, given=True) for battle in state.battles)
