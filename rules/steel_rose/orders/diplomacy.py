"""Alliances, their end, betrayal, and the demons an ally of the cult wants (R130, R131, R157)."""

from __future__ import annotations

from rules.base import FactionId, only
from rules.steel_rose import economy
from rules.steel_rose.commands import AcceptAlliance, BetrayAlly, BreakAlliance, ChooseDemons, ProposeAlliance
from rules.steel_rose.data import CityId, game_data
from rules.steel_rose.economy import CULT, OGRES
from rules.steel_rose.orders.base import find_faction, only_for, order
from rules.steel_rose.refusals import Refusal, faction_name, listed, refuse, units_text
from rules.steel_rose.state import pair
from rules.steel_rose.turn import Turn


@order(1, BreakAlliance)
def break_alliance(turn: Turn, faction: FactionId, command: BreakAlliance) -> Refusal | None:
    """Leaves an alliance; it ends with the turn (R157)."""
    unknown = find_faction(turn, command.faction, playing=False)
    if unknown is not None:
        return unknown
    if not turn.state.allied(faction, command.faction):
        return refuse("E_NOT_ALLIED", field="faction", faction=faction_name(command.faction))
    leaving = (faction, command.faction)
    if leaving not in turn.state.ending_alliances:
        turn.state.ending_alliances.append(leaving)
    turn.tell("alliance_leaving", "R157", only(faction), faction=command.faction)
    return None


@order(2, BetrayAlly)
def betray(turn: Turn, faction: FactionId, command: BetrayAlly) -> Refusal | None:
    """The cult betrays: the alliance ends at once, every third small and every second large city is taken (R131)."""
    refused = only_for(faction, CULT) or find_faction(turn, command.faction, playing=False)
    if refused is not None:
        return refused
    ally = command.faction
    if not turn.state.allied(faction, ally):
        return refuse("E_NOT_ALLIED", field="faction", faction=faction_name(ally))
    taken, unwanted = stolen(turn, ally, command.cities or [])
    turn.end_alliance(faction, ally, "betrayed")
    for city in taken:
        turn.transfer(city, CULT)
        to_cult(turn, city, ally, "betrayal")
    if taken:
        turn.hunger_to_zero("hunger_city", how="betrayal")
    turn.tell("betrayal", "R131", only(faction), faction=ally, cities=taken, unwanted=unwanted)
    return None


def stolen(turn: Turn, ally: FactionId, wanted: list[CityId]) -> tuple[list[CityId], list[CityId]]:
    """The cities a betrayal takes, and wishes that were no right: small ones first, the wanted before map order."""
    state, numbers = turn.state, game_data().hunger
    owned = state.owned(ally)
    taken: list[CityId] = []
    for large, share in ((False, numbers.betray_small), (True, numbers.betray_large)):
        kind = [c for c in owned if state.cities[c].large == large]
        right = len(kind) // share
        wishes = [c for c in dict.fromkeys(wanted) if c in kind]
        taken += [*wishes, *(c for c in kind if c not in wishes)][:right]
    return taken, [c for c in wanted if c not in taken]


def to_cult(turn: Turn, city: CityId, owner: FactionId | None, how: str) -> None:
    """«Город перешёл к Культу»: public; how it happened only the cult knows (§4.6)."""
    about = f"to_cult:{turn.state.turn}:{city}"
    turn.tell("to_cult", "R132", about=about, city=city, owner=owner)
    turn.tell("to_cult", "R132", only(CULT), about=about, detail=1, city=city, owner=owner, how=how)


def _propose(turn: Turn, faction: FactionId, other: FactionId) -> Refusal | None:
    unknown = find_faction(turn, other)
    if unknown is not None:
        return unknown
    if {faction, other} == {CULT, OGRES}:
        return refuse("E_CULT_OGRES", field="faction")
    if other == faction:
        return refuse("E_UNKNOWN_FACTION", field="faction", x=faction_name(other), nearest="")
    if turn.state.allied(faction, other):
        return refuse("E_ALREADY_ALLIED", field="faction", faction=faction_name(other))
    turn.proposals.add((faction, other))
    return None


@order(3, ProposeAlliance)
def propose(turn: Turn, faction: FactionId, command: ProposeAlliance) -> Refusal | None:
    """Proposes an alliance (R157)."""
    return _propose(turn, faction, command.faction)


@order(3, AcceptAlliance)
def accept(turn: Turn, faction: FactionId, command: AcceptAlliance) -> Refusal | None:
    """Accepts one; without a proposal it is a proposal (R157)."""
    return _propose(turn, faction, command.faction)


def conclude(turn: Turn) -> None:
    """Alliances that both sides wanted this turn; proposals without an answer reach their addressee (R157)."""
    order = {f: i for i, f in enumerate(turn.state.factions)}
    for a, b in sorted(turn.proposals, key=lambda p: (order[p[0]], order[p[1]])):
        if (b, a) in turn.proposals:
            if not turn.state.allied(a, b):
                turn.state.alliances = sorted({*turn.state.alliances, pair(a, b)})
                turn.tell("alliance", "R157", factions=sorted((a, b)))
        else:
            turn.tell("alliance_offer", "R157", only(a, b), offered_by=a, offered_to=b)


@order(4, ChooseDemons)
def choose_demons(turn: Turn, faction: FactionId, command: ChooseDemons) -> Refusal | None:
    """Which demons an ally of the cult wants at production (R130). The cult's answer may still be awaited."""
    hoped = turn.checking and (faction, CULT) in turn.proposals
    if faction == CULT or not (turn.state.allied(faction, CULT) or hoped):
        return refuse("E_NOT_ALLIED", faction=faction_name(CULT))
    row = economy.demon_row("alliance", turn.state.turn)
    turn.state.factions[faction].demons = command.demons
    if command.demons not in row:
        kinds = listed(units_text({unit: count}) for unit, count in row.items())
        return refuse("E_DEMON_KIND", field="demons", kept=True, list=kinds)
    turn.tell("demons_chosen", "R130", only(faction), demons=command.demons)
    return None
