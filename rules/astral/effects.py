"""Which effects bear on an owner, and the numbers that follow from them: prices, income, defence (R88, R89).

Everything here works on a state and equally on a view's redacted copy of one (then it knows what that reader knows).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import floor, prod

from rules.astral.catalog import Effect
from rules.astral.state import State
from rules.base import FactionId


def bearing(state: State, owner: FactionId) -> Iterator[Effect]:
    """All continuous effects on an active owner: items, features inner to outer, timed effects, acting runes (R88)."""
    me = state.owners[owner]
    if me.status != "active":
        return
    tables = state.catalog
    for item in me.items:
        if tables.items[item].activation == "passive":
            yield from (effect for effect in tables.items[item].effects if effect.continuous)
    for shard in me.shards:
        for feature in state.shards[shard].features:
            if tables.features[feature].activation == "passive":
                yield from (effect for effect in tables.features[feature].effects if effect.continuous)
    for timed in me.effects:
        if timed.until is None or state.turn <= timed.until:
            yield timed.effect
    for rune in state.acting_runes():
        yield from (effect for effect in tables.runes[rune].effects if effect.continuous)


def total(state: State, owner: FactionId, op: str, vs: str = "any") -> Fraction:
    """The sum of one op's values (R89); `vs`: only those that hold against this kind of opponent."""
    return sum(
        (effect.value for effect in bearing(state, owner) if effect.op == op and (vs == "any" or effect.vs in ("any", vs))),
        Fraction(0),
    )


def whole(state: State, owner: FactionId, op: str, vs: str = "any") -> int:
    """The same for ops whose values are whole numbers."""
    return int(total(state, owner, op, vs))


def product(state: State, owner: FactionId, op: str) -> Fraction:
    """The product of one op's values (R89)."""
    return prod((effect.value for effect in bearing(state, owner) if effect.op == op), start=Fraction(1))


def untargetable(state: State, owner: FactionId) -> bool:
    """True when the world can't be attacked now (R30)."""
    return any(effect.op == "untargetable" for effect in bearing(state, owner))


def openly_untargetable(state: State, owner: FactionId) -> bool:
    """The same as far as everybody may know it: not by a hidden item (R109)."""
    me = state.owners[owner]
    tables = state.catalog
    hidden = [item for item in me.items if tables.items[item].hidden]
    if not hidden and not any(timed.hidden for timed in me.effects):
        return untargetable(state, owner)
    bare = me.model_copy(
        update={
            "items": {item: held for item, held in me.items.items() if item not in hidden},
            "effects": [timed for timed in me.effects if not timed.hidden],
        }
    )
    return untargetable(state.model_copy(update={"owners": {**state.owners, owner: bare}}), owner)


def income(state: State, owner: FactionId) -> int:
    """Доход Мира (R76, R77); effects of an owner in Nothing rest."""
    me, rules = state.owners[owner], state.settings
    base = Fraction(0)
    for shard in me.shards:
        place = state.shards[shard]
        base += place.size + rules.care_income * place.care + rules.sacrifice_income * place.sacrifice
    factor = Fraction(1)
    for effect in bearing(state, owner):
        if effect.op == "income_bonus":
            base += effect.value * (len(me.shards) if effect.scope == "shard" else 1)
        elif effect.op == "income_multiplier":
            factor *= effect.value
    return max(rules.income_floor, floor(base * factor))


def effective_defence(state: State, owner: FactionId) -> Fraction:
    """Защита divided by the number of shards, times the multipliers (R51); 0 for a world without shards."""
    me = state.owners[owner]
    if not me.shards:
        return Fraction(0)
    return me.defence / len(me.shards) * product(state, owner, "effective_defence_multiplier")


def defence_rate(state: State, owner: FactionId) -> Fraction:
    """How much Защита one invested э. gives now: 1 + 0,15·k and bonuses (R50)."""
    me = state.owners[owner]
    return 1 + state.settings.defence_invest_rate * len(me.shards) + total(state, owner, "defence_rate_bonus")


def move_price(
    state: State, attacker: FactionId, here: int, there: int, target: FactionId | None = None, *, own_effects_only: bool = False
) -> int:
    """The price of the way between two heights; `target`: the attacked owner, None for a neutral shard (R34).

    `own_effects_only`: without what the target does to it, as at the writing of orders (R9)."""
    price = abs(there - here)
    if target is None:
        price += whole(state, attacker, "move_cost_change", "neutral")
    else:
        price += state.settings.owner_attack_base_cost + whole(state, attacker, "move_cost_change", "owner")
        if not own_effects_only:
            price += whole(state, target, "attackers_move_cost")
    return max(0, price)


def care_price(state: State, owner: FactionId, shard: str, more: int = 0) -> int:
    """The price of a care for this shard; `more`: cares already ordered for it in the same sheet (R61, R63)."""
    rules, place = state.settings, state.shards[shard]
    done = place.care_count if rules.care_price_counts == "all" else place.care
    price = rules.care_base_price + rules.care_price_step * (done + more) + whole(state, owner, "care_price_change")
    return max(0, price)


def sacrifice_energy(state: State, owner: FactionId) -> int:
    """What a sacrifice brings (R64)."""
    return max(0, state.settings.sacrifice_energy + whole(state, owner, "sacrifice_energy_change"))


def lesson_price(state: State, specialist: str, level: int) -> int:
    """The price of a lesson at a level (R94)."""
    teacher = state.catalog.specialists[specialist]
    return teacher.price_base + teacher.price_step * level


def clamp_height(state: State, height: int) -> int:
    """A height inside the range (R39)."""
    return max(state.settings.height_min, min(state.settings.height_max, height))
