"""The ogres' city and its mercenaries (R144-R145, R151); the camp of a cult without cities (R128)."""

from __future__ import annotations

from math import floor

from rules.base import FactionId, only
from rules.steel_rose import economy
from rules.steel_rose.commands import MOBILE_CITY, GarrisonMobile, HireMercenary, MoveCamp, MoveMobileCity
from rules.steel_rose.data import game_data
from rules.steel_rose.economy import CULT, OGRES
from rules.steel_rose.orders.base import afford, only_for, order, take
from rules.steel_rose.refusals import Refusal, faction_name, listed, phrase, refuse, unit_name, units_text
from rules.steel_rose.state import Pair, ordered, pair
from rules.steel_rose.turn import Turn


@order(5, HireMercenary)
def mercenaries(turn: Turn, faction: FactionId, command: HireMercenary) -> Refusal | None:
    """Hires ogres for double price; the ally's discount first, half of what is paid goes to the ogres (R151)."""
    if faction == OGRES:
        return refuse("E_FACTION", faction=listed(faction_name(f) for f in turn.state.factions if f != OGRES))
    state, data = turn.state, game_data()
    unit = data.units.get(command.unit)
    if unit is None or unit.faction != OGRES:
        return refuse("E_NOT_OGRE_UNIT", field="unit", unit=unit_name(command.unit))
    if command.count <= 0:
        return refuse("E_COUNT", field="count")
    if OGRES not in state.factions or not state.factions[OGRES].playing or state.mobile_city is None:
        return refuse("E_OUT_OF_GAME", faction=faction_name(OGRES))
    if not economy.mobile_at(state, faction):
        return refuse("E_MOBILE_FAR")
    if unit.level > state.max_level:
        return refuse("E_MOBILE_LEVEL", field="unit", n=state.max_level, unit=unit.name_ru, m=unit.level)
    if at_war(turn, faction):
        return refuse("E_AT_WAR")
    owner = state.factions[faction]
    full = data.mercenary.price_factor * unit.cost_gold * command.count
    left = data.mercenary.discount.get(state.epoch, 0) - owner.discount_used if state.allied(faction, OGRES) else 0
    discount = min(max(0, left), full)
    price = full - discount
    each = (data.mercenary.price_factor * unit.cost_gold, 0)
    poor = afford(turn, faction, phrase("mercenaries", units=units_text({unit.id: command.count})), gold=price, each=each)
    if poor is not None:
        return poor
    share = floor(price * data.mercenary.ogre_share)
    owner.discount_used += discount
    turn.pay(faction, "mercenaries", gold=-price, unit=unit.id, count=command.count)
    turn.pay(OGRES, "mercenary_share", gold=share, faction=faction, unit=unit.id, count=command.count)
    turn.units(faction, "mercenary_units", {unit.id: command.count})
    turn.tell("mercenaries", "R151", only(faction), unit=unit.id, count=command.count, gold=price, discount=discount)
    turn.tell("mercenary_share", "R151", only(OGRES), faction=faction, unit=unit.id, count=command.count, gold=share)
    return None


def at_war(turn: Turn, faction: FactionId) -> bool:
    """An attack between the faction and the ogres is ordered this turn, teleport included (R151)."""
    plan = turn.plan(faction)
    if any(a.city == MOBILE_CITY for a in plan.attacks) or any(r.city == MOBILE_CITY for r in plan.teleports):
        return True
    return any(a.city in turn.state.owned(faction) for a in turn.plan(OGRES).attacks)


@order(6, MoveMobileCity)
def move_mobile_city(turn: Turn, faction: FactionId, command: MoveMobileCity) -> Refusal | None:
    """Moves the mobile city, all the path or not at all; two steps a turn (R144)."""
    refused = only_for(faction, OGRES)
    if refused is not None:
        return refused
    mobile = turn.state.mobile_city
    if mobile is None:
        return refuse("E_NO_CITY")
    steps = turn.plan(faction).mobile_steps
    most = game_data().economy.mobile_steps
    if steps + len(command.path) > most:
        return refuse("E_TOO_FAR", field="path", n=most)
    road = mobile.road
    for wanted in command.path:
        bad = _step(turn, road, wanted)
        if bad is not None:
            return bad
        road = wanted
    if not command.path:
        return None
    turn.plan(faction).mobile_steps = steps + len(command.path)
    mobile.road = _as_drawn(turn, road)
    mobile.needs_road = False
    turn.tell("mobile_moved", "R144", road=list(mobile.road))
    return None


def _as_drawn(turn: Turn, road: Pair) -> Pair:
    return next((r for r in turn.state.roads if pair(*r) == pair(*road)), road)


def _step(turn: Turn, road: Pair, wanted: Pair) -> Refusal | None:
    """Whether a road exists and shares an end with the present one (R144, R128)."""
    if pair(*wanted) not in {pair(*r) for r in turn.state.roads}:
        a, b = (turn.state.target_name(c) for c in wanted)
        ways = [turn.state.cities[c].name_ru for c in economy.roads_at(turn.state, wanted[0])]
        hint = phrase("roads", list=listed(f"{a} — {c}" for c in ways)) if ways else ""
        return refuse("E_NO_ROAD", field="path", a=a, b=b, list=hint)
    if not set(wanted) & set(road):
        a, b = (turn.state.target_name(c) for c in wanted)
        return refuse("E_ROAD_NOT_ADJACENT", field="path", a=a, b=b)
    return None


@order(6, GarrisonMobile)
def garrison_mobile(turn: Turn, faction: FactionId, command: GarrisonMobile) -> Refusal | None:
    """Moves units into or out of the mobile city's garrison (R145)."""
    refused = only_for(faction, OGRES)
    if refused is not None:
        return refused
    mobile = turn.state.mobile_city
    if mobile is None:
        return refuse("E_NO_CITY")
    owner = turn.state.factions[faction]
    source = owner.units if command.direction == "in" else mobile.garrison
    wanted = dict.fromkeys(source, "all") if isinstance(command.units, str) else dict(command.units)
    units, short = take(source, wanted)
    if short is not None:
        return short
    sign = 1 if command.direction == "in" else -1
    mobile.garrison = ordered({u: mobile.garrison.get(u, 0) + sign * units.get(u, 0) for u in {*mobile.garrison, *units}})
    owner.units = ordered({u: owner.units.get(u, 0) - sign * units.get(u, 0) for u in {*owner.units, *units}})
    turn.tell("mobile_garrison", "R145", only(faction), units=dict(mobile.garrison))
    return None


@order(6, MoveCamp)
def move_camp(turn: Turn, faction: FactionId, command: MoveCamp) -> Refusal | None:
    """Places the camp anywhere, later moves it by one road a turn; hidden (R128)."""
    refused = only_for(faction, CULT)
    if refused is not None:
        return refused
    if turn.state.owned(faction):
        return refuse("E_HAS_CITY")
    here = turn.state.camp
    bad = _step(turn, here if here is not None else command.road, command.road)
    if bad is not None:
        return bad
    if turn.plan(faction).mobile_steps and here is not None and pair(*here) != pair(*command.road):
        return refuse("E_TOO_FAR", field="road", n=1)
    turn.plan(faction).mobile_steps = 1
    turn.state.camp = _as_drawn(turn, command.road)
    turn.tell("camp", "R128", only(faction), road=list(turn.state.camp))
    return None
