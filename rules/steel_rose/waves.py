"""Who attacks whom and when: the schedule of waves, and what becomes of each attack when its wave comes (R89-R93, R146)."""

from __future__ import annotations

from collections.abc import Iterable
from math import hypot

from rules.base import FactionId, only
from rules.steel_rose.battle.model import GARRISON
from rules.steel_rose.bombardment import bombard
from rules.steel_rose.commands import MOBILE_CITY
from rules.steel_rose.economy import OGRES
from rules.steel_rose.orders.armies import mobile_in_reach
from rules.steel_rose.refusals import phrase
from rules.steel_rose.state import Army, Attack, Battle, Group, March, Pair, Side
from rules.steel_rose.turn import Turn


def schedule(turn: Turn) -> None:
    """Each target's attackers in a random order, one a wave; the mobile city's first, ogres only after those (R92)."""
    targets: dict[str, dict[FactionId, list[int]]] = {}
    for faction, owner in turn.state.factions.items():
        for number, army in owner.armies.items():
            if army.order != "attack" or army.city is None or not army.units:
                continue
            if army.city == MOBILE_CITY and not army.teleported and not mobile_in_reach(turn, faction):
                turn.tell("found_nothing", "R146", only(faction), army=number, target=army.city)
                army.order, army.city = "disperse", None
                continue
            targets.setdefault(army.city, {}).setdefault(faction, []).append(number)
    waves: list[list[Attack]] = []
    until_mobile = len(targets.get(MOBILE_CITY, {}))
    for target in sorted(targets):
        place = -1
        for faction in _in_random_order(turn, target, sorted(targets[target])):
            place = max(place + 1, until_mobile if faction == OGRES else 0)
            while len(waves) <= place:
                waves.append([])
            waves[place].append(Attack(attacker=faction, target=target, armies=targets[target][faction]))
    turn.state.waves = [wave for wave in waves if wave]


def _in_random_order(turn: Turn, target: str, attackers: list[FactionId]) -> list[FactionId]:
    if turn.dice is None:
        raise AssertionError("waves are never scheduled in a check")
    stream = turn.dice.stream(phrase("stream_order", city=turn.state.target_name(target)), secret=True)
    return [attackers[i] for i in stream.shuffle(len(attackers))]


def begin(turn: Turn) -> None:
    """The next wave: attacks that have lost their sense are cancelled, floating cities shoot, the rest become battles."""
    state = turn.state
    state.wave += 1
    state.battles = []
    for attack in sorted(state.waves.pop(0), key=lambda a: a.target):
        battle = _battle(turn, attack)
        if battle is not None:
            state.battles.append(battle)
            sides = only(*battle.sides)
            turn.tell(
                "battle_found",
                "R92",
                sides,
                battle=battle.id,
                wave=state.wave,
                attacker=attack.attacker,
                defender=battle.defender.faction,
                walkover=battle.walkover,
            )


def _battle(turn: Turn, attack: Attack) -> Battle | None:
    state = turn.state
    reason = _void(turn, attack)
    if reason is not None:
        if state.factions[attack.attacker].playing:
            turn.tell("attack_cancelled", "R92", only(attack.attacker), target=attack.target, reason=reason)
        _send_home(_armies(turn, attack.attacker, attack.armies))
        return None
    floating = attack.target != MOBILE_CITY and state.cities[attack.target].floating
    _march(turn, attack, floating=floating)
    if floating:
        bombard(turn, attack)
        _send_home(_armies(turn, attack.attacker, attack.armies))
        return None
    own = _groups(turn, attack.attacker, attack.armies)
    owner = OGRES if attack.target == MOBILE_CITY else state.cities[attack.target].owner
    defence = _defence(turn, attack.target, owner)
    battle = Battle(
        id=attack.target,
        attack=attack,
        attacker=Side(faction=attack.attacker, groups=own),
        defender=Side(faction=owner, groups=defence, asked=any(not g.garrison for g in defence)),
        rerolls=state.rerolls.pop(attack.target, 0),
    )
    if not defence:
        battle.walkover, battle.decided, battle.winner = True, True, attack.attacker
    return battle


def _march(turn: Turn, attack: Attack, *, floating: bool) -> None:
    """Remembers an attack for the map. A floating city turns it back; the rest is known after the battle."""
    state = turn.state
    mobile = state.mobile_city if attack.target == MOBILE_CITY else None
    state.marches.append(
        March(
            attacker=attack.attacker,
            defender=OGRES if attack.target == MOBILE_CITY else state.cities[attack.target].owner,
            target=attack.target,
            at=mobile.road if mobile is not None else attack.target,
            start=_start(turn, attack),
            until="turn" if floating else "wave",
            result="lost" if floating else "",
        )
    )


def _start(turn: Turn, attack: Attack) -> str | Pair | None:
    """Where an attack seems to come from, by what everybody knows: cities have no armies of their own (R87)."""
    state = turn.state
    if attack.attacker == OGRES:
        return state.mobile_city.road if state.mobile_city is not None else None
    if attack.target == MOBILE_CITY:
        ends = state.mobile_city.road if state.mobile_city is not None else ()
        aims, near = [state.cities[c] for c in ends if c in state.cities], set(ends)
    else:
        aims = [state.cities[attack.target]]
        near = {c for road in state.roads if attack.target in road for c in road if c != attack.target}
    own = state.owned(attack.attacker, ruins=True)
    reach = [c for c in own if c in near] or own
    return min(
        reach,
        key=lambda c: min((hypot(state.cities[c].x - a.x, state.cities[c].y - a.y) for a in aims), default=0.0),
        default=None,
    )


def mark(turn: Turn) -> None:
    """What came of the wave's attacks, on the map."""
    for battle in turn.state.battles:
        for march in turn.state.marches:
            if (march.target, march.attacker, march.result) == (battle.id, battle.attack.attacker, ""):
                march.result = "won" if battle.winner == march.attacker else "lost"


def _void(turn: Turn, attack: Attack) -> str | None:
    """Why an attack has lost its sense meanwhile (R92, R147)."""
    state = turn.state
    if not state.factions[attack.attacker].playing or not any(a.units for a in _armies(turn, attack.attacker, attack.armies)):
        return "nobody_left"
    if attack.target == MOBILE_CITY:
        return None if state.mobile_city is not None and state.factions[OGRES].playing else "target_gone"
    city = state.cities.get(attack.target)
    if city is None:
        return "target_gone"
    if city.owner == attack.attacker:
        return "own"
    if city.owner is not None and state.allied(city.owner, attack.attacker):
        return "allied"
    return "ruined" if city.ruin and attack.attacker == OGRES else None


def _armies(turn: Turn, faction: FactionId, numbers: Iterable[int]) -> list[Army]:
    armies = turn.state.factions[faction].armies
    return [armies[n] for n in numbers if n in armies]


def _send_home(armies: Iterable[Army]) -> None:
    for army in armies:
        army.order, army.city = "disperse", None


def _groups(turn: Turn, faction: FactionId, numbers: Iterable[int]) -> list[Group]:
    """Several armies of one faction fight as one force (R90)."""
    armies = turn.state.factions[faction].armies
    return [
        Group(source=f"army:{n}", units=armies[n].units, favored=armies[n].favored)
        for n in numbers
        if n in armies and armies[n].units
    ]


def _defence(turn: Turn, target: str, owner: FactionId | None) -> list[Group]:
    """Garrison and armies; of the ogres' city, all ogre units (R91, R92, R146)."""
    state = turn.state
    if target == MOBILE_CITY:
        armies = list(state.factions[OGRES].armies)
        garrison = state.mobile_city.garrison if state.mobile_city is not None else {}
    else:
        garrison = state.cities[target].garrison
        held = state.factions[owner].armies if owner is not None else {}
        armies = [n for n, army in held.items() if army.order == "defend" and army.city == target]
    groups = _groups(turn, owner, armies) if owner is not None else []
    return [*groups, *([Group(source=GARRISON, units=garrison)] if garrison else [])]
