"""The cult's rituals (R133-R141) and its corruption (R132)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from parsers.types import Json
from rules.base import FactionId, only
from rules.steel_rose import economy
from rules.steel_rose.commands import MOBILE_CITY, Ritual
from rules.steel_rose.data import Counts, RitualData, game_data
from rules.steel_rose.economy import CULT
from rules.steel_rose.orders.armies import attack_legality, preview
from rules.steel_rose.orders.base import afford, find_city, only_for, order, own_city, take
from rules.steel_rose.orders.diplomacy import to_cult
from rules.steel_rose.refusals import Refusal, faction_name, listed, phrase, refuse, units_text
from rules.steel_rose.state import City, FactionState
from rules.steel_rose.turn import Turn, gain


@dataclass(frozen=True, slots=True)
class Rite:
    """A ritual about to be held."""

    turn: Turn
    command: Ritual
    ritual: RitualData

    @property
    def cult(self) -> FactionState:
        return self.turn.state.factions[CULT]

    def tell(self, **facts: Json) -> None:
        """The cult's own event."""
        data: dict[str, Json] = {"ritual": self.ritual.id, "hunger": self.ritual.hunger, "gold": -self.ritual.gold, **facts}
        self.turn.tell("ritual", RULES[self.ritual.id], only(CULT), **data)


@order(9, Ritual)
def hold(turn: Turn, faction: FactionId, command: Ritual) -> Refusal | None:
    """Holds a ritual: a slot, gold, hunger; refused, it costs nothing (R133, R134)."""
    refused = only_for(faction, CULT)
    if refused is not None:
        return refused
    rituals = game_data().rituals
    if command.ritual not in rituals:
        return refuse("E_UNKNOWN_RITUAL", field="ritual", x=command.ritual, list=listed(r.name_ru for r in rituals.values()))
    ritual = rituals[command.ritual]
    cult = turn.state.factions[CULT]
    if ritual.id in cult.rituals:
        return refuse("E_SAME_RITUAL", ritual=ritual.name_ru)
    if len(cult.rituals) >= cult.ritual_slots:
        most = max(r.max_rituals for r in rituals.values())
        return refuse("E_RITUAL_CAP" if cult.ritual_slots >= most else "E_RITUAL_LIMIT", n=cult.ritual_slots)
    rite = Rite(turn, command, ritual)
    objection, perform = RITUALS[ritual.id]
    refused = objection(rite) or afford(turn, CULT, phrase("ritual", ritual=ritual.name_ru), gold=ritual.gold)
    if refused is not None:
        return refused
    cult.rituals.append(ritual.id)
    turn.pay(CULT, "ritual", gold=-ritual.gold, res=ritual.hunger, ritual=ritual.id)
    perform(rite)
    return None


# ------------------------------------------------------------------------------------------------ targets


def _foreign(rite: Rite) -> City | Refusal:
    """A foreign city that a ritual may strike."""
    state = rite.turn.state
    city = find_city(rite.turn, rite.command.city)
    if isinstance(city, Refusal):
        return city
    if city.owner == CULT:
        return refuse("E_OWN_CITY", field="city", city=city.name_ru)
    if city.owner is not None and state.factions[city.owner].status == "won":
        return refuse("E_WINNER_CITY", field="city", faction=faction_name(city.owner), city=city.name_ru)
    return city


def _infect_objection(rite: Rite) -> Refusal | None:
    city = _foreign(rite)
    if isinstance(city, Refusal):
        return city
    if city.ruin:
        return refuse("E_RUIN", field="city", city=city.name_ru)
    near = economy.neighbours(rite.turn.state, CULT)
    if rite.command.city not in near:
        names = listed(rite.turn.state.cities[c].name_ru for c in near if not rite.turn.state.cities[c].ruin)
        return refuse("E_NOT_ADJACENT", field="city", city=city.name_ru, list=names)
    if city.floating:
        return refuse("E_FLOATING", field="city", city=city.name_ru)
    return None


def _infect(rite: Rite) -> None:
    """+1к12+12 to a small city, +1к6+6 to a large one; at 20 it falls to the cult (R132, R134)."""
    turn, city_id = rite.turn, rite.command.city or ""
    if turn.dice is None:
        return
    city = turn.state.cities[city_id]
    die = rite.ritual.large if city.large else rite.ritual.small
    if die is None:
        raise AssertionError("a ritual that infects has its dice in the data")
    stream = turn.dice.stream(phrase("stream_infect", city=city.name_ru), secret=True)
    added = stream.roll(die.die) + die.add
    city.corruption += added
    corruption, owner = city.corruption, city.owner
    full = corruption >= game_data().hunger.corruption_full
    if full:
        turn.transfer(city_id, CULT)
        turn.hunger_to_zero("hunger_city", how="corruption")
        to_cult(turn, city_id, owner, "corruption")
    rite.tell(city=city_id, added=added, corruption=0 if full else corruption, taken=full)


def _teleport_objection(rite: Rite) -> Refusal | None:
    target = rite.command.city
    refused = attack_legality(rite.turn, CULT, target, teleport=True)
    if refused is not None:
        return refused
    army = rite.command.army or 1
    units = preview(rite.turn, CULT).get(army)
    if units is None:
        return refuse("E_NO_ARMY", field="army", n=army)
    if rite.command.units is not None:
        part, short = take(units, rite.command.units)
        if short is not None:
            return short
        if not part:
            return refuse("E_NO_ARMY", field="army", n=army)
    return None


def _teleport(rite: Rite) -> None:
    """The army, or the units named, will strike anywhere (R135); armies are formed after the rituals."""
    rite.turn.plan(CULT).teleports.append(rite.command)
    rite.tell(city=rite.command.city, army=rite.command.army or 1, mobile=rite.command.city == MOBILE_CITY)


def _deal_objection(rite: Rite) -> Refusal | None:
    city = _foreign(rite)
    if isinstance(city, Refusal):
        return city
    if city.large or city.ruin or city.owner is None:
        return refuse("E_SMALL_CITY_ONLY", field="city", city=city.name_ru)
    if rite.turn.state.allied(CULT, city.owner):
        return refuse("E_ALLY", field="city", faction=faction_name(city.owner))
    if city.floating:
        return refuse("E_FLOATING", field="city", city=city.name_ru)
    return None


def _deal(rite: Rite) -> None:
    """Any small city at once, at level 1; the maximum of hunger shrinks for ever; demons come (R136)."""
    turn, city_id = rite.turn, rite.command.city or ""
    city = turn.state.cities[city_id]
    owner = city.owner
    rite.cult.max_hunger = max(0, rite.cult.max_hunger + rite.ritual.max_hunger)
    turn.transfer(city_id, CULT)
    city.level = 1
    turn.hunger_to_zero("hunger_city", how="deal")
    turn.units(CULT, "demons", rite.ritual.units, ritual=rite.ritual.id)
    to_cult(turn, city_id, owner, "deal")
    rite.tell(city=city_id, max_hunger=rite.cult.max_hunger, units=dict(rite.ritual.units))


# ------------------------------------------------------------------------------------------------ demons


def demon_objection(turn: Turn, wanted: str | None, table: str) -> Refusal | None:
    """Whether this turn's row has the kind wanted."""
    row = economy.demon_row(table, turn.state.turn)
    if wanted is None or wanted in row:
        return None
    return refuse("E_DEMON_KIND", field="demons", list=listed(units_text({u: n}) for u, n in row.items()))


def demons(turn: Turn, wanted: str | None, table: str) -> Counts:
    """The demons of this turn's row: the kind wanted, or the first (R137)."""
    row = economy.demon_row(table, turn.state.turn)
    kind = wanted if wanted in row else next(iter(row), None)
    return {kind: row[kind]} if kind is not None else {}


def _summon_objection(rite: Rite) -> Refusal | None:
    if rite.turn.state.turn < rite.cult.summon_ready:
        return refuse("E_COOLDOWN", t=rite.cult.summon_ready)
    return demon_objection(rite.turn, rite.command.demons, rite.ritual.table or "ritual")


def _summon(rite: Rite) -> None:
    """Demons into the reserve at once; again two turns later (R137)."""
    called = demons(rite.turn, rite.command.demons, rite.ritual.table or "ritual")
    rite.cult.summon_ready = rite.turn.state.turn + rite.ritual.cooldown_turns
    rite.turn.units(CULT, "demons", called, ritual=rite.ritual.id)
    rite.tell(units=called, ready=rite.cult.summon_ready)


def _feed_objection(rite: Rite) -> Refusal | None:
    return demon_objection(rite.turn, rite.command.demons, rite.ritual.table or "ritual")


def _feed(rite: Rite) -> None:
    """The first raid of this turn will give gold and demons (R141)."""
    rite.cult.feed = rite.command.demons or "*"
    rite.tell(demons=rite.command.demons)


# ------------------------------------------------------------------------------------------------ the others


def _free(rite: Rite) -> Refusal | None:
    return None


def _gold(rite: Rite) -> None:
    """300, then 250, 200 …; doubled at Закат (R138, R155)."""
    given = gain(rite.turn.state, max(0, rite.ritual.gives_gold - rite.ritual.decrease * rite.cult.cursed_uses))
    rite.cult.cursed_uses += 1
    rite.turn.pay(CULT, "cursed_gold", gold=given)
    rite.tell(gives=given)


def _oath(rite: Rite) -> None:
    """A city captured by an army this turn will raise the maximum (R139)."""
    rite.cult.oath = True
    rite.tell()


def _sacrifice_objection(rite: Rite) -> Refusal | None:
    city = own_city(rite.turn, CULT, rite.command.city)
    return city if isinstance(city, Refusal) else None


def _sacrifice(rite: Rite) -> None:
    """An own city becomes own ruins; one more ritual a turn, at once, up to three (R140)."""
    city_id = rite.command.city or ""
    rite.turn.ruin(city_id, CULT)
    rite.cult.ritual_slots = min(rite.ritual.max_rituals, rite.cult.ritual_slots + rite.ritual.extra_rituals)
    rite.turn.tell("sacrificed", "R140", city=city_id)
    rite.tell(city=city_id, slots=rite.cult.ritual_slots)


RITUALS: dict[str, tuple[Callable[[Rite], Refusal | None], Callable[[Rite], None]]] = {
    "infect": (_infect_objection, _infect),
    "teleport": (_teleport_objection, _teleport),
    "devils_deal": (_deal_objection, _deal),
    "summon": (_summon_objection, _summon),
    "cursed_gold": (_free, _gold),
    "oath": (_free, _oath),
    "sacrifice_city": (_sacrifice_objection, _sacrifice),
    "feed_demons": (_feed_objection, _feed),
}
"""Ritual → what forbids it, what it does."""
RULES: dict[str, str] = {
    "infect": "R134",
    "teleport": "R135",
    "devils_deal": "R136",
    "summon": "R137",
    "cursed_gold": "R138",
    "oath": "R139",
    "sacrifice_city": "R140",
    "feed_demons": "R141",
}
