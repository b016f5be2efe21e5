"""The end of a turn, in its exact order: eliminations, hunger, income, upkeep, resources, free units, detection, victory,
the next turn (§4.4)."""

from __future__ import annotations

from collections.abc import Callable
from math import floor

from rules.base import FactionId, only
from rules.steel_rose import economy, victory
from rules.steel_rose.data import Counts, UnitId, game_data
from rules.steel_rose.economy import CULT, OGRES
from rules.steel_rose.orders.base import covering
from rules.steel_rose.orders.rituals import demons
from rules.steel_rose.refusals import phrase
from rules.steel_rose.state import Book, Snapshot, ordered
from rules.steel_rose.turn import Turn, gain, res_json


def produce(turn: Turn) -> None:
    """Steps 1-14 of §4.4."""
    eliminations(turn)
    hunger_check(turn)
    city_income(turn)
    gold_upkeep(turn)
    resources(turn)
    free_units(turn)
    gifts_of_darkness(turn)
    detection(turn)
    for a, b in list(turn.state.ending_alliances):
        if turn.state.allied(a, b):
            turn.end_alliance(a, b, "left")
    victory.check(turn)
    ledgers(turn)
    next_turn(turn)


def eliminations(turn: Turn) -> None:
    """A faction without any city is out; the cult lives on, the ogres as long as their city (R77)."""
    state = turn.state
    for faction in state.playing():
        if faction == CULT:
            continue
        if faction == OGRES:
            if state.mobile_city is None:
                turn.eliminate(faction, "mobile_city", "R77")
        elif not state.owned(faction, ruins=state.rules.ruins_count_as_city):
            turn.eliminate(faction, "no_cities", "R77")


def hunger_check(turn: Turn) -> None:
    """Too much hunger: it falls to 0, and a random own city to ruins; no city: the cult is out (R127)."""
    state = turn.state
    if CULT not in state.factions or not state.factions[CULT].playing:
        return
    cult = state.factions[CULT]
    cities = state.owned(CULT)
    if cities:
        state.camp = None
    if cult.res <= cult.max_hunger:
        return
    turn.hunger_to_zero("hunger_burst")
    if not cities:
        turn.eliminate(CULT, "hunger", "R127")
        return
    if turn.dice is None:
        raise AssertionError("production is never part of a check")
    lost = cities[turn.dice.stream(phrase("stream_hunger")).pick(len(cities))]
    turn.ruin(lost, None)
    state.cities[lost].just_taken = False
    turn.tell("hunger_burst", "R127", city=lost)


def city_income(turn: Turn) -> None:
    """Income of each city, Закат doubled; a tenth of its ally's gross income to the ogres (R78, R85, R96, R150, R155)."""
    state = turn.state
    for faction in state.playing():
        gross = 0
        for city_id in state.owned(faction):
            city = state.cities[city_id]
            income = gain(state, economy.produced(city))
            gross += income
            turn.pay(
                faction,
                "income",
                gold=income,
                city=city_id,
                parts=economy.income_parts(city, state.sunset),
            )
        if faction != OGRES and OGRES in state.factions and state.allied(faction, OGRES):
            share = floor(gross * game_data().mercenary.alliance_income_share)
            turn.pay(faction, "ogre_share_paid", gold=-share)
            turn.pay(OGRES, "ogre_share", gold=share, faction=faction)


def _desert(turn: Turn, faction: FactionId, price: Callable[[UnitId], int], purse: int, kind: str, rule: str) -> None:
    """Units leave, dearest first, one at a time, until the rest can be paid (R83, R148)."""
    left = dict(economy.kept_units(turn.state, faction))
    due = sum(price(unit) * count for unit, count in left.items())
    gone: Counts = {}
    while due > purse:
        unit = min((u for u, n in left.items() if n and price(u)), key=lambda u: (-price(u), u))
        left[unit] -= 1
        gone[unit] = gone.get(unit, 0) + 1
        due -= price(unit)
    if not gone:
        return
    mobile = turn.state.mobile_city if faction == OGRES else None
    own = turn.state.factions[faction].units
    from_reserve = {u: min(n, own.get(u, 0)) for u, n in gone.items()}
    turn.units(faction, kind, {u: -n for u, n in from_reserve.items()})
    if mobile is not None:
        rest = {u: n - from_reserve[u] for u, n in gone.items()}
        mobile.garrison = ordered({u: n - rest.get(u, 0) for u, n in mobile.garrison.items()})
        turn.book(faction, kind, {u: -n for u, n in rest.items()})
    turn.tell("deserted", rule, only(faction), units=ordered(gone), reason=kind)


def gold_upkeep(turn: Turn) -> None:
    """Upkeep after income; who can't be paid deserts (R83)."""
    for faction in turn.state.playing():
        owner = turn.state.factions[faction]
        _desert(turn, faction, lambda u, f=faction: economy.upkeep_gold(f, u), owner.gold, "deserted_gold", "R83")  # type: ignore[misc]
        kept = economy.kept_units(turn.state, faction)
        parts = economy.unit_parts(kept, lambda u, f=faction: economy.upkeep_gold(f, u))  # type: ignore[misc]
        turn.pay(faction, "upkeep", gold=-economy.total_upkeep(faction, kept), of=kept, parts=parts)


def resources(turn: Turn) -> None:
    """Honour, powder, mana; the cult's passive hunger; the ogres' meat (R76, R115, R125, R148, R155)."""
    state, data = turn.state, game_data()
    for faction in state.playing():
        if faction == CULT:
            turn.pay(CULT, "hunger_passive", res=economy.passive_hunger(state), parts=economy.hunger_parts(state))
            continue
        for city_id in state.owned(faction):
            for building in economy.standing(state.cities[city_id]):
                turn.pay(faction, "resource", res=gain(state, building.res), city=city_id, building=building.id)
        if data.factions[faction].resource == "mana":
            turn.pay(faction, "mana", res=gain(state, data.economy.mana_per_turn))
        meat_eaters = faction == OGRES or state.rules.mercenary_meat_upkeep
        if meat_eaters and faction == OGRES:
            purse = int(state.factions[faction].res)
            _desert(turn, faction, lambda u, f=faction: economy.upkeep_meat(state, f, u), purse, "deserted_meat", "R148")  # type: ignore[misc]
            units = economy.kept_units(state, faction)
            parts = economy.unit_parts(units, lambda u, f=faction: economy.upkeep_meat(state, f, u))  # type: ignore[misc]
            turn.pay(faction, "meat_upkeep", res=sum(value for _, _, value in parts), of=units, parts=parts)


def free_units(turn: Turn) -> None:
    """Portals, rifts, recruiting offices, workshops, woods (R113, R122, R142)."""
    state = turn.state
    for faction in state.playing():
        for city_id in state.owned(faction):
            for building in economy.standing(state.cities[city_id]):
                if building.free_units:
                    turn.units(faction, "free_units", building.free_units, city=city_id, building=building.id)


def gifts_of_darkness(turn: Turn) -> None:
    """Each ally of the cult gets demons of one kind (R130)."""
    state = turn.state
    if CULT not in state.factions or not state.factions[CULT].playing:
        return
    for ally in state.allies(CULT):
        if state.factions[ally].playing:
            given = demons(turn, state.factions[ally].demons, "alliance")
            turn.units(ally, "alliance_demons", given)
            turn.tell("alliance_demons", "R130", only(ally), units=given)


def detection(turn: Turn) -> None:
    """One roll for each watching building of each infected city; success tells its owner the exact corruption (R106)."""
    state = turn.state
    for faction in state.playing():
        for city_id in state.owned(faction):
            city = state.cities[city_id]
            if not city.corruption or turn.dice is None:
                continue
            stream = turn.dice.stream(phrase("stream_detect", city=city.name_ru), secret=True)
            table = game_data().buildings[faction]
            found = [stream.chance(table[b].detect) for _, b in covering(turn, faction, city_id)]
            if any(found):
                city.known_corruption = city.corruption
                turn.tell("detected", "R106", only(faction), city=city_id, corruption=city.corruption)


def ledgers(turn: Turn) -> None:
    """Closes the books: each faction's ledger, line by line, and the snapshot that Прорицание will show (R120)."""
    state = turn.state
    for faction, owner in state.factions.items():
        if owner.ledger or owner.playing:
            turn.tell(
                "ledger",
                "R83",
                only(faction),
                turn=state.turn,
                faction=faction,
                opening={"gold": owner.opening_gold, "res": res_json(owner.opening_res)},
                closing={"gold": owner.gold, "res": res_json(owner.res)},
                lines=[line.model_dump(mode="json") for line in owner.ledger],
            )
        owner.ledger = []
        owner.opening_gold, owner.opening_res = owner.gold, owner.res
        owner.snapshot = Snapshot(gold=owner.gold, res=owner.res, units=turn.snapshot_units(faction))


def next_turn(turn: Turn) -> None:
    """Marks are cleared, garrisons refilled, a new turn begins: gift, midnight (R91, R154, R156)."""
    state = turn.state
    turn.release("turn")
    state.history.append(Book(turn=state.turn, cities={f: victory.strength(state, f)[0] for f in state.factions}))
    if not state.playing():
        state.phase = "over"
        return
    before = state.epoch
    state.turn += 1
    state.phase, state.wave, state.battles, state.waves = "orders", 0, [], []
    state.skip_phases, state.hours, state.rerolls = [], {}, {}
    for city in state.cities.values():
        city.floated, city.floating = city.floating, False
        city.defended = city.no_income = city.just_taken = False
        if state.rules.garrison_refill == "full":
            economy.fill_garrison(city)
        economy.note_garrison(city)
    for owner in state.factions.values():
        owner.armies, owner.choices, owner.skips, owner.rituals, owner.powder = {}, {}, [], [], []
        owner.discount_used, owner.oath, owner.oath_kept, owner.feed = 0, False, False, None
    if state.epoch != before:
        turn.tell("epoch", "R153", epoch=state.epoch, turn=state.turn)
    gift(turn)
    if state.turn > state.rules.last_turn:
        victory.midnight(turn)


def gift(turn: Turn) -> None:
    """The gods' gift to the faction with fewest cities; ties by levels, gold, chance (R154)."""
    state = turn.state
    value = state.rules.epoch_gift.get(str(state.turn))
    candidates = [f for f in state.playing() if f not in state.rules.gift_excluded]
    if value is None or not candidates or turn.dice is None:
        return
    least = min(victory.strength(state, f) for f in candidates)
    tied = [f for f in candidates if victory.strength(state, f) == least]
    receiver = tied[turn.dice.stream(phrase("stream_gift"), secret=True).pick(len(tied))]
    turn.pay(receiver, "gift", gold=value)
    turn.tell("gift", "R154", faction=receiver, gold=value)
