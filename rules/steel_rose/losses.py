"""What a fight leaves: dead units leave their armies and garrisons; honour and meat are earned (R4, R5, R103, R148)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from rules.base import FactionId, only
from rules.steel_rose.battle.model import GARRISON, BattleResult, Tally
from rules.steel_rose.commands import MOBILE_CITY
from rules.steel_rose.data import Counts, game_data
from rules.steel_rose.economy import OGRES
from rules.steel_rose.state import Side, ordered
from rules.steel_rose.turn import Turn, res_json

EMPIRE = "empire"


def bury(turn: Turn, side: Side, tallies: Iterable[Tally], target: str) -> Counts:
    """Takes a side's dead out of its armies and garrison; gives the dead by type."""
    total: Counts = {}
    for group in side.groups:
        mine = [t for t in tallies if t.origin == group.source]
        dead = {t.unit: t.dead for t in mine if t.dead}
        for unit, count in dead.items():
            total[unit] = total.get(unit, 0) + count
        group.units = ordered({u: c - dead.get(u, 0) for u, c in group.units.items()})
        if side.faction is not None:
            _take(turn, side.faction, group.source, dead, target)
    return ordered(total)


def _take(turn: Turn, faction: FactionId, source: str, dead: Counts, target: str) -> None:
    state = turn.state
    losses = {unit: -count for unit, count in dead.items()}
    if source != GARRISON:
        number = int(source.split(":")[1])
        army = state.factions[faction].armies.get(number)
        if army is not None:
            army.units = ordered({u: c - dead.get(u, 0) for u, c in army.units.items()})
        turn.units(faction, "dead", losses, place=target)
    elif target == MOBILE_CITY and state.mobile_city is not None:
        mobile = state.mobile_city
        mobile.garrison = ordered({u: c - dead.get(u, 0) for u, c in mobile.garrison.items()})
        turn.book(faction, "dead", losses, place=target)
    else:
        city = state.cities[target]
        city.garrison = ordered({u: c - dead.get(u, 0) for u, c in city.garrison.items()})


def honour(turn: Turn, faction: FactionId | None, dead: Counts, target: str) -> None:
    """Each dead imperial unit of the Empire's side gives a tenth of its upkeep (R103, R155)."""
    if faction != EMPIRE or not turn.state.factions[EMPIRE].playing:
        return
    data = game_data()
    divisor = data.economy.honor_upkeep_divisor
    gained = sum(
        (Fraction(data.units[u].upkeep_gold * n, divisor) for u, n in dead.items() if data.units[u].faction == EMPIRE),
        Fraction(0),
    )
    gained *= turn.state.sunset
    if gained:
        turn.pay(EMPIRE, "honour", res=gained, place=target)
        turn.tell("honour", "R103", only(EMPIRE), place=target, honor=res_json(gained), dead=dict(dead))


def meat(turn: Turn, result: BattleResult, target: str) -> None:
    """A side with an ogre alive or rescued gives the ogres 4 meat per dead enemy (R148)."""
    state = turn.state
    if OGRES not in state.factions or not state.factions[OGRES].playing:
        return
    units = game_data().units
    gained = 0
    for own, enemy in ((0, 1), (1, 0)):
        side: list[Tally] = [t for t in result.tallies if t.side == own]
        if any(units[t.unit].faction == OGRES and t.returning > 0 for t in side):
            gained += state.rules.meat_per_kill * sum(t.dead for t in result.tallies if t.side == enemy)
    gained *= state.sunset
    if gained:
        turn.pay(OGRES, "meat_battle", res=gained, place=target)
        turn.tell("meat", "R148", only(OGRES), place=target, meat=gained)
