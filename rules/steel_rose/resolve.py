"""The state machine of a turn: orders → waves of battles → production, phase by phase (§3.6, §4.1, §4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rules.base import GM, Command, FactionId, Outcome, Sheet, command_to_json, only
from rules.dice import Dice
from rules.steel_rose import capture, economy, fighting, production, waves
from rules.steel_rose.commands import (
    MOBILE_CITY,
    AllocatePowder,
    ArmyOrder,
    CaptureChoice,
    Deploy,
    FormArmy,
    GmClosePhase,
    Maneuver,
    Pass,
    Ritual,
    SkipPlanning,
)
from rules.steel_rose.orders import armies, cities, diplomacy, gm, ogres, rituals, spells
from rules.steel_rose.orders.base import EXECUTORS, run, step_of
from rules.steel_rose.refusals import Refusal, faction_name, listed, phase_name, refuse
from rules.steel_rose.state import Battle, Order, State, copy_of
from rules.steel_rose.turn import Turn

FAMILIES = (armies, cities, diplomacy, ogres, rituals, spells)
"""Imported for their executors."""
CONCLUDE, MUSTER = 3, 10
"""After this step of the resolution alliances are concluded; after this one armies are formed (§4.2)."""
PHASE_TYPES: dict[str, tuple[type[Command], ...]] = {
    "deployment": (Deploy, SkipPlanning, AllocatePowder, CaptureChoice, Pass),
    "planning": (Maneuver, SkipPlanning, CaptureChoice, Pass),
    "capture": (CaptureChoice, Pass),
}
"""What each phase of a battle takes."""
ANSWERS: dict[str, tuple[type[Command], ...]] = {
    "deployment": (Deploy,),
    "planning": (Maneuver, SkipPlanning),
    "capture": (CaptureChoice,),
}
"""What answers each phase's waits, besides `pass`."""
ADVANCE: tuple[type[Command], ...] = (CaptureChoice, SkipPlanning)
"""Choices that may be made before their phase (§3.2)."""


def resolve(state: State, sheets: Sequence[Sheet], dice: Dice, *, closing: bool) -> Outcome:
    """Carries the sheets out, the GM's first; `closing`: closes the phase and runs on until somebody is awaited again."""
    turn = Turn(copy_of(state), dice)
    start = len(dice.draws)
    for sheet in sheets:
        if sheet.issuer == GM:
            for command in sheet.commands:
                gm.carry_out(turn, command)
                closing = closing or (isinstance(command, GmClosePhase) and command.phase == state.phase)
    orders = {sheet.issuer: sheet.commands for sheet in sheets if sheet.issuer != GM}
    if closing and turn.state.phase != "over":
        CLOSE[turn.state.phase](turn, orders)
        run_on(turn)
    elif not closing:
        _portion(turn, orders)
    return Outcome(turn.state, tuple(turn.events), tuple(dice.draws[start:]))


def _portion(turn: Turn, orders: dict[FactionId, tuple[Command, ...]]) -> None:
    """While a phase is open only choices in advance are kept; everything else waits for its close."""
    for faction, commands in orders.items():
        for index, command in enumerate(commands):
            if isinstance(command, ADVANCE) and turn.state.phase != "orders":
                _note(turn, faction, index, command, run(turn, faction, command))
            else:
                turn.tell("waits", "R14", only(faction), index=index, command=command_to_json(command))


def run_on(turn: Turn) -> None:
    """Closes every phase that awaits nobody, or that the GM leaves out."""
    while turn.state.phase not in ("orders", "over"):
        phase = turn.state.phase
        if awaited(turn.state) and phase not in turn.state.skip_phases:
            return
        CLOSE[phase](turn, {})


# ------------------------------------------------------------------------------------------------ who is awaited


def awaited(state: State) -> list[tuple[Battle | None, FactionId]]:
    """Who is awaited in the present phase, battle by battle (§4.1)."""
    if state.phase == "orders":
        return [(None, faction) for faction in state.playing()]
    if state.phase == "over":
        return []
    out: list[tuple[Battle | None, FactionId]] = []
    for battle in state.battles:
        if state.phase == "capture":
            if capture.needs_choice(Turn(state, None), battle):
                out.append((battle, battle.attack.attacker))
        elif not battle.decided and not (state.phase == "planning" and battle.skip_planning):
            out.append((battle, battle.attack.attacker))
            if battle.defender.faction is not None and (state.phase == "planning" or battle.defender.asked):
                out.append((battle, battle.defender.faction))
    return out


def answers(state: State, battle: Battle | None, faction: FactionId, commands: Sequence[Command]) -> bool:
    """Whether a sheet's commands answer a wait."""
    if battle is None:
        return bool(commands)
    wanted = ANSWERS[state.phase]
    for command in commands:
        if isinstance(command, Pass):
            return True
        if isinstance(command, wanted) and battle_of(state, faction, command) in (battle, None):
            return True
    return False


# ------------------------------------------------------------------------------------------------ orders


def close_orders(turn: Turn, orders: dict[FactionId, tuple[Command, ...]]) -> None:
    """Each step of the resolution for all factions, then the next (§4.2)."""
    state = turn.state
    state.marches = []
    for city in state.cities.values():
        economy.suit_garrison(city)
    for owner in state.factions.values():
        # A treasury edited by hand still has a ledger that adds up.
        owner.opening_gold = owner.gold - sum(line.gold for line in owner.ledger)
        owner.opening_res = owner.res - sum((line.res for line in owner.ledger), Fraction(0))
    queue: list[tuple[int, FactionId, int, Command]] = []
    for faction in [*state.factions, *(f for f in orders if f not in state.factions)]:
        for index, command in enumerate(orders.get(faction, ())):
            if faction not in state.factions or not state.factions[faction].playing:
                _note(turn, faction, index, command, refuse("E_OUT_OF_GAME", faction=faction_name(faction)))
            elif type(command) not in EXECUTORS:
                _note(turn, faction, index, command, wrong_phase(state, command))
            else:
                queue.append((step_of(command), faction, index, command))
                look_ahead(turn, faction, command)
    ranks = {faction: rank for rank, faction in enumerate(state.factions)}
    for step in range(MUSTER + 3):
        for _, faction, index, command in sorted((q for q in queue if q[0] == step), key=lambda q: (ranks[q[1]], q[2])):
            _note(turn, faction, index, command, run(turn, faction, command))
        if step == CONCLUDE:
            diplomacy.conclude(turn)
        if step == MUSTER:
            for faction in state.playing():
                armies.muster(turn, faction)
    for faction in state.playing():
        _defended(turn, faction)
        _tell_armies(turn, faction)
    waves.schedule(turn)
    next_wave(turn)


def look_ahead(turn: Turn, faction: FactionId, command: Command) -> None:
    """What earlier steps have to know of later ones: compositions, attacks, teleports (R119, R135, R151)."""
    plan = turn.plan(faction)
    if isinstance(command, FormArmy):
        plan.wishes.append(command)
    elif isinstance(command, ArmyOrder) and command.order == "attack":
        plan.attacks.append(command)
    elif isinstance(command, Ritual) and command.ritual == "teleport" and command.city == MOBILE_CITY:
        plan.attacks.append(ArmyOrder(army=command.army or 1, order="attack", city=MOBILE_CITY))


def _note(turn: Turn, faction: FactionId, index: int, command: Command, refused: Refusal | None) -> None:
    if refused is not None:
        turn.tell(
            "refused",
            refused.rule,
            only(faction),
            issuer=faction,
            index=index,
            code=refused.code,
            message=refused.message,
            kept=refused.kept,
            command=command_to_json(command),
        )


def wrong_phase(state: State, command: Command) -> Refusal:
    """An order of another phase."""
    due = next((phase for phase, types in PHASE_TYPES.items() if isinstance(command, types)), "orders")
    return refuse("E_PHASE", now=phase_name(state.phase), due=phase_name(due))


def _defended(turn: Turn, faction: FactionId) -> None:
    """Marks cities that an own army defends: their income suffers, once (R85)."""
    for army in turn.state.factions[faction].armies.values():
        if army.order == "defend" and army.city in turn.state.cities and army.units:
            turn.state.cities[army.city].defended = True


def _tell_armies(turn: Turn, faction: FactionId) -> None:
    owner = turn.state.factions[faction]
    if owner.armies:
        listing = {
            str(number): {"units": dict(army.units), "order": army.order, "city": army.city, "name": army.name}
            for number, army in owner.armies.items()
        }
        turn.tell("armies", "R87", only(faction), armies=listing)


def next_wave(turn: Turn) -> None:
    """The next wave that has a battle or a capture; after the last, production."""
    while turn.state.waves:
        waves.begin(turn)
        if turn.state.battles:
            turn.state.phase = "deployment"
            return
        turn.release("wave")
    turn.state.battles = []
    production.produce(turn)


# ------------------------------------------------------------------------------------------------ a battle's phases


def battle_of(state: State, faction: FactionId, command: Command) -> Battle | Refusal | None:
    """The battle that a command means; None: a choice in advance, for none of these."""
    mine = [b for b in state.battles if b.side(faction) is not None]
    if state.phase == "capture":
        mine = [b for b in mine if b.attack.attacker == faction and b.winner == faction]
    elif not isinstance(command, CaptureChoice):
        mine = [b for b in mine if not b.decided]
    wanted = getattr(command, "battle", None) or getattr(command, "city", None)
    if wanted is not None:
        found = next((b for b in mine if b.id == wanted), None)
        if found is None and not isinstance(command, ADVANCE):
            return refuse("E_NO_BATTLE")
        if found is None and state.phase == "capture":
            return refuse("E_NOT_WINNER", city=state.target_name(wanted))
        return found
    if not isinstance(command, CaptureChoice | AllocatePowder):
        # Where only one of his battles awaits him, he means that one.
        mine = [b for b, who in awaited(state) if b is not None and who == faction and b in mine] or mine
    if len(mine) == 1:
        return mine[0]
    if isinstance(command, CaptureChoice) and len(mine) > 1 and state.phase != "capture":
        return None
    return refuse("E_AMBIGUOUS_BATTLE", list=listed(state.target_name(b.id) for b in mine)) if mine else refuse("E_NO_BATTLE")


def _take(turn: Turn, orders: dict[FactionId, tuple[Command, ...]]) -> None:
    """Takes in what a phase's sheets say."""
    state = turn.state
    order = {f: i for i, f in enumerate(state.factions)}
    for faction in sorted(orders, key=lambda f: order.get(f, len(order))):
        for index, command in enumerate(orders[faction]):
            _note(turn, faction, index, command, _accept(turn, faction, command))


def _accept(turn: Turn, faction: FactionId, command: Command) -> Refusal | None:
    state = turn.state
    if faction not in state.factions or not state.factions[faction].playing:
        return refuse("E_OUT_OF_GAME", faction=faction_name(faction))
    if not isinstance(command, PHASE_TYPES[state.phase]):
        return wrong_phase(state, command)
    if isinstance(command, Pass):
        return None
    if isinstance(command, AllocatePowder):
        return run(turn, faction, command)
    battle = battle_of(state, faction, command)
    if isinstance(battle, Refusal):
        return battle
    if isinstance(command, CaptureChoice):
        named = command if battle is None else command.model_copy(update={"city": battle.id})
        return run(turn, faction, named)
    if battle is None:
        return run(turn, faction, command)
    side = battle.side(faction)
    if side is None:
        return refuse("E_NO_BATTLE")
    if isinstance(command, SkipPlanning):
        return _skip(state, battle, faction)
    if isinstance(command, Deploy):
        if side is battle.defender and not side.asked:
            return refuse("E_NO_BATTLE")
        wanted = cities.places(command.positions)
        if isinstance(wanted, Refusal):
            return wanted
        side.places = wanted
    if isinstance(command, Maneuver):
        side.orders.append(
            Order(
                position=command.position,
                maneuver=command.maneuver,
                target=command.target,
                path=command.path,
                free_move=command.free_move,
            )
        )
    return None


def _skip(state: State, battle: Battle, faction: FactionId) -> Refusal | None:
    if battle.attack.attacker != faction:
        return refuse("E_NOT_ATTACKER")
    if not battle.garrison_only:
        return refuse("E_SKIP_ARMY")
    if state.phase == "planning":
        battle.skip_planning = True
    else:
        state.factions[faction].skips.append(battle.id)
    return None


def close_deployment(turn: Turn, orders: dict[FactionId, tuple[Command, ...]]) -> None:
    """Deployments are locked and shown (R24)."""
    _take(turn, orders)
    fighting.lock(turn)
    turn.state.phase = "planning"


def close_planning(turn: Turn, orders: dict[FactionId, tuple[Command, ...]]) -> None:
    """All battles of the wave are fought."""
    _take(turn, orders)
    fighting.plan(turn)
    fighting.fight_all(turn)
    waves.mark(turn)
    turn.state.phase = "capture"


def close_capture(turn: Turn, orders: dict[FactionId, tuple[Command, ...]]) -> None:
    """The victors' choices are carried out; on to the next wave (R94)."""
    _take(turn, orders)
    capture.apply_all(turn)
    turn.release("wave")
    turn.state.battles = []
    next_wave(turn)


CLOSE = {
    "orders": close_orders,
    "deployment": close_deployment,
    "planning": close_planning,
    "capture": close_capture,
}
