"""Who has won: the factions' lists, the end of the game at midnight (R102, R108, R114, R124, R143, R156, R158)."""

from __future__ import annotations

from fractions import Fraction

from rules.base import FactionId
from rules.steel_rose.data import game_data
from rules.steel_rose.economy import CULT, OGRES
from rules.steel_rose.state import State
from rules.steel_rose.turn import Turn


def conditions(state: State, faction: FactionId) -> dict[str, bool]:
    """The bullets of a faction's list and whether each is fulfilled now."""
    owner = state.factions[faction]
    wanted = game_data().factions[faction].victory
    resource = game_data().factions[faction].resource
    out: dict[str, bool] = {}
    for key, value in wanted.items():
        if key == "destroy":
            out[key] = value not in state.factions or state.factions[value].status == "eliminated"
        elif key == "cities":
            held = state.owned(faction)
            must = wanted.get("must_hold")
            out[key] = len(held) >= value and (must is None or must in held)
        elif key == "gold":
            out[key] = owner.gold >= value
        elif key == "raids":
            out[key] = len(owner.raids) >= value
        elif key == resource:
            out[key] = owner.res >= value
    return out


def has_won(state: State, faction: FactionId) -> bool:
    """All bullets, or any, as the setting says (R158)."""
    met = conditions(state, faction).values()
    return any(met) if state.rules.victory_mode == "any" else all(met)


def check(turn: Turn) -> None:
    """Once, at the end of production; several may win together (R158)."""
    for faction in [f for f in turn.state.playing() if has_won(turn.state, f)]:
        leave(turn, faction)


def leave(turn: Turn, faction: FactionId) -> None:
    """A winner leaves the game: its cities can't be attacked, its alliances end (R102, R124, R143)."""
    state = turn.state
    owner = state.factions[faction]
    owner.status = "won"
    state.winners.append(faction)
    turn.tell("victory", RULES[faction], faction=faction, conditions=conditions(state, faction))
    turn.end_alliances(faction, "victory")
    if faction == OGRES:
        wanted = game_data().factions[OGRES].victory
        turn.pay(
            OGRES,
            "victory_price",
            gold=-min(owner.gold, int(wanted["gold"])),
            res=-min(owner.res, Fraction(wanted["meat"])),
        )
        turn.remove_mobile_city()
    if faction == CULT:
        _vanish(turn)
        state.camp = None


def _vanish(turn: Turn) -> None:
    """The cult's cities, ruins and their roads are gone from the map (R124)."""
    state = turn.state
    gone = set(state.owned(CULT, ruins=True))
    state.vanished |= {c: state.cities[c].name_ru for c in sorted(gone)}
    state.cities = {c: city for c, city in state.cities.items() if c not in gone}
    state.roads = [r for r in state.roads if not gone & set(r)]
    mobile = state.mobile_city
    if mobile is not None and gone & set(mobile.road):
        mobile.needs_road = True
        turn.tell("mobile_needs_road", "R124", road=list(mobile.road))
    turn.tell("cities_vanished", "R124", cities=sorted(gone))


def strength(state: State, faction: FactionId) -> tuple[int, int, int]:
    """(cities, total levels, gold): what midnight and the gods' gift compare; the mobile city counts as one (R154, R156)."""
    held = [state.cities[c] for c in state.owned(faction)]
    count, levels = len(held), sum(c.level for c in held)
    if faction == OGRES and state.mobile_city is not None:
        count, levels = count + 1, levels + state.max_level
    return count, levels, state.factions[faction].gold


def midnight(turn: Turn) -> None:
    """Turn 9 begins: all are destroyed but the faction with most cities, which wins; a full tie wins jointly (R156)."""
    state = turn.state
    left = state.playing()
    best = max((strength(state, f) for f in left), default=None)
    winners = [f for f in left if strength(state, f) == best]
    turn.tell("midnight", "R156", winners=winners)
    for faction in left:
        if faction in winners:
            state.factions[faction].status = "won"
            state.winners.append(faction)
            turn.tell("victory", "R156", faction=faction, conditions={})
    for faction in left:
        if faction not in winners:
            turn.eliminate(faction, "midnight", "R156", keep_cities=True)
    for faction in winners:
        turn.end_alliances(faction, "victory")
    state.phase = "over"


RULES = {"empire": "R102", "principality": "R108", "elves": "R114", "cult": "R124", "ogres": "R143"}
