"""The elves' spells (R115-R120)."""

from __future__ import annotations

from collections.abc import Callable

from parsers.types import Json
from rules.base import FactionId, only
from rules.steel_rose import economy
from rules.steel_rose.commands import CastSpell
from rules.steel_rose.data import SpellData, game_data
from rules.steel_rose.orders.armies import preview
from rules.steel_rose.orders.base import afford, find_faction, only_for, order, own_city
from rules.steel_rose.orders.cities import rebuild
from rules.steel_rose.refusals import Refusal, listed, phrase, refuse
from rules.steel_rose.state import City, FactionState, State, number
from rules.steel_rose.turn import Turn

ELVES = "elves"


@order(7, CastSpell)
def cast(turn: Turn, faction: FactionId, command: CastSpell) -> Refusal | None:
    """Casts a spell; any number a turn (R115)."""
    refused = only_for(faction, ELVES)
    if refused is not None:
        return refused
    spells = game_data().spells
    if command.spell not in spells:
        return refuse("E_UNKNOWN_SPELL", field="spell", x=command.spell, list=listed(s.name_ru for s in spells.values()))
    return SPELLS[command.spell](turn, faction, command, spells[command.spell])


def _paid(turn: Turn, faction: FactionId, spell: SpellData, price: int, /, **facts: Json) -> Refusal | None:
    poor = afford(turn, faction, phrase("spell", spell=spell.name_ru), res=price)
    if poor is None:
        turn.pay(faction, "spell", res=-price, spell=spell.id, **facts)
    return poor


def series(state: State, elves: FactionState) -> int:
    """Casts of Парящий город so far in the unbroken series (R116)."""
    return elves.float_casts if elves.float_turn >= state.turn - 1 else 0


def float_price(state: State, city: City) -> int:
    """100 + 50 for each earlier cast of the series, less the city's discounts (R116)."""
    spell = game_data().spells["float_city"]
    discount = sum(b.float_discount for b in economy.standing(city))
    return max(0, spell.mana + spell.repeat_surcharge * series(state, state.factions[ELVES]) - discount)


def _float(turn: Turn, faction: FactionId, command: CastSpell, spell: SpellData) -> Refusal | None:
    city = own_city(turn, faction, command.city)
    if isinstance(city, Refusal):
        return city
    if city.floating:
        return refuse("E_ALREADY_FLOATING", field="city", city=city.name_ru)
    price = float_price(turn.state, city)
    poor = _paid(turn, faction, spell, price, city=command.city or "")
    if poor is not None:
        return poor
    elves = turn.state.factions[faction]
    elves.float_casts = series(turn.state, elves) + 1
    elves.float_turn = turn.state.turn
    city.floating = True
    about = f"float:{turn.state.turn}:{command.city}"
    turn.tell("spell", "R116", only(faction), spell=spell.id, city=command.city, mana=price)
    turn.later("turn", "floating", "R116", about=about, city=command.city, faction=faction)
    return None


def _forest(turn: Turn, faction: FactionId, command: CastSpell, spell: SpellData) -> Refusal | None:
    city = own_city(turn, faction, command.city, ruins=True)
    if isinstance(city, Refusal):
        return city
    if not city.ruin:
        return refuse("E_NOT_RUIN", field="city", city=city.name_ru)
    poor = _paid(turn, faction, spell, spell.mana, city=command.city or "")
    if poor is not None:
        return poor
    rebuild(city)
    turn.tell("spell", "R118", only(faction), spell=spell.id, city=command.city, mana=spell.mana)
    turn.tell("restored", "R118", city=command.city, faction=faction)
    return None


def _favor(turn: Turn, faction: FactionId, command: CastSpell, spell: SpellData) -> Refusal | None:
    army = command.army or 1
    if army not in preview(turn, faction) or army in turn.plan(faction).favors:
        return refuse("E_NO_ARMY", field="army", n=army)
    poor = _paid(turn, faction, spell, spell.mana, army=army)
    if poor is not None:
        return poor
    turn.plan(faction).favors.append(army)
    turn.tell("spell", "R119", only(faction), spell=spell.id, army=army, mana=spell.mana)
    return None


def _divine(turn: Turn, faction: FactionId, command: CastSpell, spell: SpellData) -> Refusal | None:
    unknown = find_faction(turn, command.faction)
    if unknown is not None or command.faction is None:
        return unknown
    poor = _paid(turn, faction, spell, spell.mana, faction=command.faction)
    if poor is not None:
        return poor
    seen = turn.state.factions[command.faction].snapshot
    turn.tell(
        "divination",
        "R120",
        only(faction),
        divination=command.faction,
        gold=seen.gold,
        res=number(seen.res),
        units=dict(seen.units),
        mana=spell.mana,
    )
    return None


SPELLS: dict[str, Callable[[Turn, FactionId, CastSpell, SpellData], Refusal | None]] = {
    "float_city": _float,
    "forest_call": _forest,
    "heavenly_favor": _favor,
    "divination": _divine,
}
"""Spell → what it does. A new spell is one function and its table in `magic.toml`."""
