"""What the victor does with a city, and all that follows from it (R93-R99, R104, R126, R139, R141-R142, R147-R149)."""

from __future__ import annotations

from rules.base import FactionId, only
from rules.steel_rose import economy
from rules.steel_rose.commands import MOBILE_CITY
from rules.steel_rose.data import game_data
from rules.steel_rose.economy import CULT, OGRES
from rules.steel_rose.losses import EMPIRE
from rules.steel_rose.orders.rituals import demons
from rules.steel_rose.state import Battle, Choice
from rules.steel_rose.turn import Turn, gain


def options(turn: Turn, battle: Battle) -> list[str]:
    """What the victor may choose; empty: there is nothing to choose (R94, R98)."""
    city = turn.state.cities.get(battle.id)
    if not battle.decided or battle.winner != battle.attack.attacker or city is None or city.ruin:
        return []
    return ["plunder", "destroy"] if battle.attack.attacker in (CULT, OGRES) else ["colonize", "plunder", "destroy"]


def advance_choice(turn: Turn, battle: Battle) -> Choice | None:
    """The choice made in advance: for this city, with its army's order, or for any (R94)."""
    victor = turn.state.factions[battle.attack.attacker]
    allowed = options(turn, battle)
    found = [victor.choices.get(battle.id)]
    for number in battle.attack.armies:
        army = victor.armies.get(number)
        if army is not None and army.on_capture is not None:
            found.append(Choice(choice=army.on_capture, keep_ruins=army.keep_ruins))
    found.append(victor.choices.get("*"))
    return next((c for c in found if c is not None and c.choice in allowed), None)


def needs_choice(turn: Turn, battle: Battle) -> bool:
    """The victor has to be asked."""
    return bool(options(turn, battle)) and advance_choice(turn, battle) is None


def apply_all(turn: Turn) -> None:
    """Carries out the choices of the wave, the default where none was made (R94)."""
    for battle in sorted(turn.state.battles, key=lambda b: b.id):
        if battle.winner != battle.attack.attacker:
            continue
        if battle.id == MOBILE_CITY:
            _home(turn, battle)
            turn.later("wave", "mobile_lost", "R146", attacker=battle.attack.attacker)
            turn.eliminate(OGRES, "mobile_city", "R146")
        else:
            _capture(turn, battle)


def _capture(turn: Turn, battle: Battle) -> None:
    state = turn.state
    victor, city_id = battle.attack.attacker, battle.id
    city = state.cities[city_id]
    before, first = city.owner, not city.captured_before
    nominal, catacombs = economy.nominal_income(city), _catacombs(turn, city_id)
    chosen = advance_choice(turn, battle) or Choice(choice=state.rules.default_capture[victor])
    choice = "take_ruins" if city.ruin else chosen.choice
    gold = 0
    if choice in ("plunder", "destroy"):
        gold = _loot(turn, victor, city_id, choice, nominal)
    keeper: FactionId | None = victor
    if choice == "plunder":
        keeper = before
        turn.clear(city)
        city.level = max(1, city.level - 1)
        city.no_income = True
        city.defended = False
        turn.disperse(city_id)
    elif choice == "destroy":
        keeper = victor if chosen.keep_ruins and victor != OGRES else before
        turn.disperse(city_id)
        turn.ruin(city_id, keeper)
    else:
        turn.transfer(city_id, victor, corruption=catacombs if choice == "colonize" and before == CULT else 0)
    city.captured_before = True
    _armies(turn, battle, holds=keeper == victor)
    turn.later(
        "wave",
        "capture",
        {"colonize": "R95", "plunder": "R96", "destroy": "R97", "take_ruins": "R98"}[choice],
        about=f"capture:{state.turn}:{state.wave}:{city_id}",
        city=city_id,
        by=victor,
        before=before,
        choice=choice,
        owner=city.owner,
        level=city.level,
        ruin=city.ruin,
        walkover=battle.walkover,
    )
    if gold or choice in ("plunder", "destroy"):
        turn.tell("loot", "R96" if choice == "plunder" else "R97", only(victor), city=city_id, choice=choice, gold=gold)
    _rewards(turn, victor, before, city_id, choice, first)


def _catacombs(turn: Turn, city_id: str) -> int:
    city = turn.state.cities[city_id]
    return max((b.corruption_on_loss for b in economy.standing(city)), default=0)


def _loot(turn: Turn, victor: FactionId, city_id: str, choice: str, nominal: int) -> int:
    """Three nominal incomes; the ogres twice that and meat; the cult's prisons add (R96, R97, R149, R142, R155)."""
    state, numbers = turn.state, game_data().economy
    city = state.cities[city_id]
    gold = 0 if choice == "plunder" and city.no_income else numbers.plunder_factor * nominal
    if victor == OGRES:
        gold *= numbers.ogre_plunder_factor
        divisor = numbers.meat_plunder_divisor if choice == "plunder" else numbers.meat_destroy_divisor
        meat = gain(state, gold // divisor)
        turn.pay(OGRES, "meat_raid", res=meat, city=city_id)
        raids = state.factions[OGRES].raids
        if city_id not in raids or not state.rules.ogre_raids_distinct:
            raids.append(city_id)
        turn.tell("meat", "R149", only(OGRES), place=city_id, meat=meat)
    gold = gain(state, gold)
    turn.pay(victor, choice, gold=gold, city=city_id)
    bonus = 0
    if victor == CULT:
        bonus = gain(state, sum(b.raid_bonus for c in state.owned(CULT) for b in economy.standing(state.cities[c])))
        turn.pay(CULT, "raid_bonus", gold=bonus, city=city_id)
    return gold + bonus


def _armies(turn: Turn, battle: Battle, *, holds: bool) -> None:
    """The captors stay to hold what is theirs now (R92); otherwise they go home."""
    if not holds:
        _home(turn, battle)
        return
    for number in battle.attack.armies:
        army = turn.army(battle.attack.attacker, number)
        if army is not None:
            army.order, army.city = "defend", battle.id


def _home(turn: Turn, battle: Battle) -> None:
    for number in battle.attack.armies:
        army = turn.army(battle.attack.attacker, number)
        if army is not None:
            army.order, army.city = "disperse", None


def _rewards(turn: Turn, victor: FactionId, before: FactionId | None, city_id: str, choice: str, first: bool) -> None:
    """Quests, oath, feeding, hunger: what a capture brings besides (§4.3)."""
    numbers = game_data().hunger
    if victor == EMPIRE and first:
        _quest(turn, city_id)
    if victor == CULT and choice != "take_ruins":
        _oath(turn)
    if victor == CULT and choice in ("plunder", "destroy"):
        _feed(turn, city_id)
        turn.hunger(-numbers.raid, "hunger_raid", city=city_id)
    if before == CULT and choice != "take_ruins":
        turn.hunger(-numbers.own_city_lost, "hunger_lost", city=city_id)


def _quest(turn: Turn, city_id: str) -> None:
    for quest in turn.state.rules.special_quests:
        if quest.city == city_id:
            honor = gain(turn.state, quest.honor)
            turn.pay(EMPIRE, "quest", res=honor, city=city_id)
            turn.units(EMPIRE, "quest", quest.units, city=city_id)
            turn.tell("quest", "R104", only(EMPIRE), city=city_id, honor=honor, units=dict(quest.units))


def _oath(turn: Turn) -> None:
    cult = turn.state.factions[CULT]
    if cult.oath and not (cult.oath_kept and turn.state.rules.oath_once_per_turn):
        cult.oath_kept = True
        cult.max_hunger += game_data().rituals["oath"].max_hunger_on_capture
        turn.tell("oath_kept", "R139", only(CULT), max_hunger=cult.max_hunger)


def _feed(turn: Turn, city_id: str) -> None:
    cult = turn.state.factions[CULT]
    if cult.feed is None:
        return
    wanted = None if cult.feed == "*" else cult.feed
    cult.feed = None
    ritual = game_data().rituals["feed_demons"]
    gold = gain(turn.state, ritual.raid_gold)
    called = demons(turn, wanted, ritual.table or "ritual")
    turn.pay(CULT, "feed", gold=gold, city=city_id)
    turn.units(CULT, "demons", called, ritual=ritual.id)
    turn.tell("fed", "R141", only(CULT), city=city_id, gold=gold, units=called)
