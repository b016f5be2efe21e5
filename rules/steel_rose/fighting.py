"""From the close of the deployments to the end of a battle (§4.3): powder, boards, manoeuvres, the fight, the books."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from parsers.types import Json
from rules.base import FactionId, only
from rules.steel_rose import economy
from rules.steel_rose.battle import deployment, powder
from rules.steel_rose.battle.engine import fight
from rules.steel_rose.battle.maneuvers import check_maneuvers
from rules.steel_rose.battle.model import GARRISON, BattleResult, BattleSetup, Group, ManeuverOrder, SideSetup, Squads
from rules.steel_rose.commands import MOBILE_CITY
from rules.steel_rose.data import game_data
from rules.steel_rose.economy import CULT
from rules.steel_rose.losses import bury, honour, meat
from rules.steel_rose.refusals import Refusal, phrase
from rules.steel_rose.retelling import recipe
from rules.steel_rose.state import Allocation, Battle, Order, Places, Side, ordered
from rules.steel_rose.turn import Turn

PRINCIPALITY = "principality"


# ------------------------------------------------------------------------------------------------ deployment


def forces_of(side: Side) -> list[deployment.Force]:
    """A side's groups as the battle knows them."""
    return [deployment.Force(g.source, g.units, g.favored) for g in side.groups]


def posted(places: Places) -> deployment.Posted:
    """A deployment kept in the state, as a post."""
    return cast(deployment.Posted, {place: units if isinstance(units, str) else dict(units) for place, units in places})


def board_json(squads: Squads) -> list[dict[str, Any]]:
    """A board for the state: place by place, in order."""
    return [
        {"place": place, "groups": [{"unit": g.unit, "count": g.count, "origin": g.origin, "favored": g.favored} for g in groups]}
        for place, groups in squads.items()
    ]


def squads_of(side: Side) -> Squads:
    """The board of a side, from the state."""
    return {
        cell["place"]: tuple(Group(g["unit"], g["count"], g["origin"], g["favored"]) for g in cell["groups"])
        for cell in side.board
    }


def lock(turn: Turn) -> None:
    """Deployments are closed: powder is given out, boards made and shown to both sides (R19, R20, R24, R109)."""
    for battle in sorted(turn.state.battles, key=lambda b: b.id):
        if battle.decided:
            continue
        for side in (battle.attacker, battle.defender):
            _give_powder(turn, battle, side)
            _line_up(turn, battle, side)
        if not battle.attacker.board or not battle.defender.board:
            _without_a_fight(turn, battle)
            continue
        _skip(turn, battle)
        turn.tell(
            "boards",
            "R24",
            only(*battle.sides),
            battle=battle.id,
            attacker=battle.attacker.faction,
            defender=battle.defender.faction,
            boards={"A": shown(squads_of(battle.attacker)), "B": shown(squads_of(battle.defender))},
            skipped=battle.skip_planning,
        )


def shown(squads: Squads) -> dict[str, dict[str, int]]:
    """A board as readers see it: place → unit → number, a garrison's units as `g:unit`."""
    out: dict[str, dict[str, int]] = {}
    for place, groups in squads.items():
        cell = out.setdefault(place, {})
        for group in groups:
            key = f"g:{group.unit}" if group.origin == GARRISON else group.unit
            cell[key] = cell.get(key, 0) + group.count
    return out


def _give_powder(turn: Turn, battle: Battle, side: Side) -> None:
    if side.faction != PRINCIPALITY:
        return
    owner = turn.state.factions[PRINCIPALITY]
    wish = next((a for a in owner.powder if a.battle == battle.id), None) or next(
        (a for a in owner.powder if a.battle is None), Allocation()
    )
    total = side.total()
    limits = {u: c if isinstance(c, int) else total.get(u, 0) // (2 if c == "half" else 1) for u, c in (wish.units or {}).items()}
    allotted = powder.allocate(int(owner.res), forces_of(side), wish.order or (), limits or None)
    for group, fielded, benched in zip(side.groups, allotted.forces, allotted.benched, strict=True):
        group.units, group.benched = ordered(fielded.units), ordered(benched.units)
    if allotted.spent:
        turn.pay(PRINCIPALITY, "powder", res=-allotted.spent, place=battle.id)
        battle.powder[PRINCIPALITY] = battle.powder.get(PRINCIPALITY, 0) + allotted.spent
    out: dict[str, int] = {}
    for group in side.groups:
        for unit, count in group.benched.items():
            out[unit] = out.get(unit, 0) + count
    turn.tell("powder", "R109", only(PRINCIPALITY), battle=battle.id, spent=allotted.spent, fielded=side.total(), out=out)


def _line_up(turn: Turn, battle: Battle, side: Side) -> None:
    forces = [f for f in forces_of(side) if f.units]
    city = turn.state.cities.get(battle.id)
    preset = city.preset if city is not None and side is battle.defender else None
    if side.places is not None:
        made = deployment.deploy(forces, _within(posted(side.places), side))
        for refusal in made.refusals:
            _refused(turn, side.faction, refusal, battle.id)
    else:
        made = deployment.default_deployment(forces, posted(preset) if preset else None)
    side.board = board_json(made.squads)


def _within(places: deployment.Posted, side: Side) -> deployment.Posted:
    """A post without the units that got no powder: positions are filled in the written order (R109)."""
    benched: dict[str, int] = {}
    for group in side.groups:
        for unit, count in group.benched.items():
            benched[unit] = benched.get(unit, 0) + count
    if not benched:
        return places
    left: dict[str, int] = side.total()
    out: dict[str, Any] = {}
    for place, units in places.items():
        if isinstance(units, str):
            out[place] = units
            continue
        cell: dict[str, Any] = {}
        for unit, amount in units.items():
            cell[unit] = amount
            if unit in benched and isinstance(amount, int):
                part = min(amount, left.get(unit, 0))
                left[unit] = left.get(unit, 0) - part
                cell[unit] = part
            if not cell[unit]:
                del cell[unit]
        if cell:
            out[place] = cell
    return cast(deployment.Posted, out)


def _refused(turn: Turn, faction: FactionId | None, refusal: Refusal, battle: str) -> None:
    if faction is not None:
        turn.tell("refused", refusal.rule, only(faction), code=refusal.code, message=refusal.message, battle=battle)


def _skip(turn: Turn, battle: Battle) -> None:
    """Planning is skipped where the attacker wished it and a garrison alone defends (R42)."""
    wishes = turn.state.factions[battle.attack.attacker].skips
    if battle.id in wishes or "*" in wishes:
        battle.skip_planning = battle.garrison_only
        if not battle.garrison_only and battle.id in wishes:
            turn.tell("skip_refused", "R42", only(battle.attack.attacker), battle=battle.id, code="E_SKIP_ARMY")


def _without_a_fight(turn: Turn, battle: Battle) -> None:
    """A side with no units able to fight loses at once, unharmed (R73)."""
    battle.decided = True
    won = bool(battle.attacker.board)
    battle.winner = battle.attack.attacker if won else battle.defender.faction
    turn.later(
        "wave",
        "battle",
        "R73",
        about=_about(turn, battle),
        battle=battle.id,
        wave=turn.state.wave,
        attacker=battle.attack.attacker,
        defender=battle.defender.faction,
        winner="A" if won else "B",
        fought=False,
    )
    _go_home(turn, battle, won)


# ------------------------------------------------------------------------------------------------ planning, battle


def plan(turn: Turn) -> None:
    """Manoeuvres are closed: judged on the revealed boards, the barrages' powder paid (R25, R42, R109)."""
    for battle in sorted(turn.state.battles, key=lambda b: b.id):
        if battle.decided:
            continue
        for side, enemy in ((battle.attacker, battle.defender), (battle.defender, battle.attacker)):
            if battle.skip_planning:
                side.orders = []
            stock = int(turn.state.factions[PRINCIPALITY].res) if side.faction == PRINCIPALITY else None
            checked = check_maneuvers(squads_of(side), squads_of(enemy), side.orders, stock)
            for _, refusal in checked.refusals:
                _refused(turn, side.faction, refusal, battle.id)
            if checked.powder and side.faction is not None:
                turn.pay(side.faction, "powder_bombard", res=-checked.powder, place=battle.id)
                battle.powder[side.faction] = battle.powder.get(side.faction, 0) + checked.powder
            side.orders = [_order(o) for o in checked.orders]


def _order(order: ManeuverOrder) -> Order:
    return Order(
        position=order.place,
        maneuver=order.kind,
        target=order.target,
        path=list(order.path) or None,
        free_move=order.free_move,
    )


def _legal(orders: Sequence[Order]) -> tuple[ManeuverOrder, ...]:
    return tuple(
        ManeuverOrder(
            place=cast(Any, o.position),
            kind=cast(Any, o.maneuver),
            target=cast(Any, o.target),
            path=cast(Any, tuple(o.path or ())),
            free_move=cast(Any, o.free_move),
        )
        for o in orders
    )


def setup_of(turn: Turn, battle: Battle) -> BattleSetup:
    """The battle as the engine wants it."""
    city = turn.state.cities.get(battle.id)
    bonus = economy.shot_bonus(city) if city is not None and not city.ruin else 0.0
    return BattleSetup(
        attacker=SideSetup(battle.attack.attacker, squads_of(battle.attacker), _legal(battle.attacker.orders)),
        defender=SideSetup(battle.defender.faction or "", squads_of(battle.defender), _legal(battle.defender.orders), bonus),
        settings=turn.state.rules,
    )


def fight_all(turn: Turn) -> None:
    """All battles of the wave, each with its own dice (R160)."""
    for battle in sorted(turn.state.battles, key=lambda b: b.id):
        if not battle.decided:
            _fight(turn, battle)


def _fight(turn: Turn, battle: Battle) -> None:
    if turn.dice is None:
        raise AssertionError("no battle is fought in a check")
    key = "stream_reroll" if battle.rerolls else "stream_battle"
    name = phrase(key, city=turn.state.target_name(battle.id), n=battle.rerolls)
    setup, before = setup_of(turn, battle), len(turn.dice.draws)
    result = fight(setup, turn.dice.stream(name, secret=True), detailed=False)
    again = recipe(setup, turn.dice.draws[before:])
    battle.decided = True
    won = result.winner == 0
    battle.winner = battle.attack.attacker if won else battle.defender.faction if result.winner == 1 else None
    _report(turn, battle, result, again)
    dead = (
        bury(turn, battle.attacker, result.tally(0), battle.id),
        bury(turn, battle.defender, result.tally(1), battle.id),
    )
    for side, losses in ((battle.attacker, dead[0]), (battle.defender, dead[1])):
        honour(turn, side.faction, losses, battle.id)
    meat(turn, result, battle.id)
    _hunger(turn, battle, result)
    _powder_back(turn, battle, result)
    _go_home(turn, battle, won)


def _hunger(turn: Turn, battle: Battle, result: BattleResult) -> None:
    """A won battle feeds the gods with half the enemy's dead; a city held, with 20 more (R126)."""
    numbers = game_data().hunger
    cult_side = 0 if battle.attack.attacker == CULT else 1 if battle.defender.faction == CULT else None
    if cult_side is None:
        return
    if result.winner == cult_side:
        enemy = result.dead(1 if cult_side == 0 else 0)
        turn.hunger(-(enemy // numbers.dead_per_point), "hunger_battle", place=battle.id)
    city = turn.state.cities.get(battle.id)
    if cult_side == 1 and result.winner != 0 and city is not None and not city.ruin:
        turn.hunger(-numbers.defended, "hunger_defended", place=battle.id)


def _powder_back(turn: Turn, battle: Battle, result: BattleResult) -> None:
    """A defence with a garrison won in fewer than five rounds costs no powder (R110)."""
    spent = battle.powder.get(PRINCIPALITY, 0)
    with_garrison = any(g.garrison for g in battle.defender.groups)
    quick = result.rounds < game_data().economy.powder_return_below
    if spent and battle.defender.faction == PRINCIPALITY and with_garrison and result.winner == 1 and quick:
        turn.pay(PRINCIPALITY, "powder_back", res=spent, place=battle.id)
        turn.tell("powder_back", "R110", only(PRINCIPALITY), battle=battle.id, powder=spent, rounds=result.rounds)


def _go_home(turn: Turn, battle: Battle, won: bool) -> None:
    """Those without powder come back to their groups; beaten attackers go home, and after a draw both sides do (R73)."""
    if not won:
        for number in battle.attack.armies:
            army = turn.army(battle.attack.attacker, number)
            if army is not None:
                army.order, army.city = "disperse", None
        if battle.winner is None and battle.id != MOBILE_CITY:
            turn.disperse(battle.id)


def _about(turn: Turn, battle: Battle) -> str:
    return f"battle:{turn.state.turn}:{turn.state.wave}:{battle.id}"


def _report(turn: Turn, battle: Battle, result: BattleResult, again: dict[str, Json]) -> None:
    """The public line, and the protocol for the two sides (R101)."""
    winner = {0: "A", 1: "B", None: None}[result.winner]
    facts: dict[str, Json] = {
        "battle": battle.id,
        "wave": turn.state.wave,
        "attacker": battle.attack.attacker,
        "defender": battle.defender.faction,
        "winner": winner,
        "fought": True,
    }
    turn.later("wave", "battle", "R73", about=_about(turn, battle), **facts)
    protocol: dict[str, Json] = {
        **facts,
        **again,
        "rounds": result.rounds,
        "flanks": {f.flank: f.rounds for f in result.flank_rounds},
        "final": result.final_rounds,
        "flanked": {0: "A", 1: "B", None: None}[result.flanked],
        "skipped": battle.skip_planning,
        "boards": {"A": shown(squads_of(battle.attacker)), "B": shown(squads_of(battle.defender))},
        "maneuvers": {
            "A": [o.model_dump(exclude_none=True) for o in battle.attacker.orders],
            "B": [o.model_dump(exclude_none=True) for o in battle.defender.orders],
        },
        "losses": {"A": _losses(result, 0), "B": _losses(result, 1)},
        "dead": {"A": _dead(result, 0), "B": _dead(result, 1)},
        "stages": [
            {
                "id": stage.id,
                "sides": [
                    [{"place": s.place, "alive": dict(s.alive), "total": s.total, "fatigue": s.fatigue} for s in squads]
                    for squads in stage.squads
                ],
            }
            for stage in result.stages
        ],
    }
    turn.tell("battle", "R73", only(*battle.sides), about=_about(turn, battle), detail=1, **protocol)


def _losses(result: BattleResult, side: int) -> list[dict[str, Json]]:
    return [
        {
            "unit": t.unit,
            "garrison": t.origin == GARRISON,
            "fielded": t.fielded,
            "standing": t.standing,
            "rescued": t.rescued,
            "dead": t.dead,
        }
        for t in result.tallies
        if t.side == side
    ]


def _dead(result: BattleResult, side: int) -> dict[str, int]:
    out: dict[str, int] = {}
    for t in result.tallies:
        if t.side == side and t.dead:
            key = f"g:{t.unit}" if t.origin == GARRISON else t.unit
            out[key] = out.get(key, 0) + t.dead
    return out
