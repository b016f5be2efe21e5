"""How many squads a participant of a battle has, with what advantage, and their cards (R49, R77, R105, R119)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rules.grand_strategy.commands import BattleCards
from rules.grand_strategy.state import Battle, State, Unit


@dataclass(frozen=True)
class Squad:
    """One отряд in a battle, for the column fight."""

    name: str
    """`unit:K#1`."""
    card: str
    advantage: bool
    """[+] with this card."""
    dragon: bool = False
    even: bool = False
    """Belongs to a troop that meets dragons on equal terms (R30)."""
    participant: str = ""


def participant(key: str) -> tuple[str, str]:
    """Kind (`unit`, `building`, `garrison`, `dragon`) and id or cell."""
    kind, _, name = key.partition(":")
    return kind, name


def owner_of(state: State, key: str) -> str | None:
    """The owner of a participant; None for neutrals and a sleeping dragon."""
    kind, name = participant(key)
    if kind == "unit":
        unit = state.units.get(name)
        return unit.owner if unit else None
    if kind in ("building", "garrison"):
        building = state.buildings.get(name)
        return building.owner if building else None
    return None


def exists(state: State, key: str) -> bool:
    """True while the participant is on the map (a lair's dragon: at home)."""
    kind, name = participant(key)
    if kind == "unit":
        return name in state.units
    if kind == "dragon":
        return state.lairs[name].state == "home"
    return name in state.buildings


def in_water(state: State, unit: Unit) -> bool:
    """On the sea or afloat on a river or in a port (R49)."""
    return unit.afloat or state.board.is_sea(unit.cell)


def strength(state: State, unit: Unit, *, attacking: Unit | None = None) -> int:
    """Squads of a troop; `attacking`: the troop it attacks. Ghosts come after the caps (R105)."""
    kind = state.utype(unit)
    squads = kind.strength
    seaborne = kind.kind == "ship" or unit.type == "dragon"
    if kind.kind == "ship" and not in_water(state, unit):
        squads = min(squads, 1)
    if not seaborne and in_water(state, unit):
        squads = 1
    if attacking is not None and not seaborne:
        target = state.utype(attacking)
        if target.kind == "ship" or (in_water(state, attacking) and attacking.type != "dragon"):
            squads = 1
    ghosts = sum(e.value for e in state.effects if e.spell == "ghost_warrior" and e.unit == unit.id)
    return squads + ghosts


def squads_of(state: State, battle: Battle, key: str) -> int:
    """How many squads, and so cards, a participant has in this battle."""
    kind, name = participant(key)
    if kind == "unit":
        unit = state.units.get(name)
        if unit is None:
            return 0
        target = None
        if key in battle.attackers and battle.target.startswith("unit:"):
            target = state.units.get(participant(battle.target)[1])
        return strength(state, unit, attacking=target)
    if kind == "dragon":
        return state.unit_types["dragon"].strength
    building = state.buildings.get(name)
    return state.btype(building).garrison if building else 0


def needs_no_cards(state: State, battle: Battle) -> bool:
    """One side has no squads at all (R78)."""
    return any(
        sum(squads_of(state, battle, key) for key in side if exists(state, key)) == 0
        for side in (battle.attackers, battle.defenders)
    )


def card_key(key: str) -> str:
    """How cards name a participant: unit id, or the building's cell (contract)."""
    return participant(key)[1]


def given_cards(state: State, battle: Battle, key: str, sent: Sequence[BattleCards] = ()) -> list[str]:
    """The cards its owner gave for this battle: for this number, else for no number, else with the attack order."""
    owner = owner_of(state, key)
    if owner is None or owner not in state.players:
        return []
    name = card_key(key)
    numbers = [str(n) for n in [battle.number, *battle.merged]]
    mine = [k for k in [*battle.attackers, *battle.defenders] if owner_of(state, k) == owner and squads_of(state, battle, k) > 0]
    for command in reversed(sent):
        if command.battle is not None and str(command.battle) not in numbers:
            continue
        if isinstance(command.cards, dict):
            if name in command.cards:
                return list(command.cards[name])
        elif len(mine) == 1:
            return list(command.cards)
    known = state.players[owner].cards
    for number in [*numbers, ""]:
        if (found := known.get(f"{number}|{name}")) is not None:
            return list(found)
        if len(mine) == 1 and (found := known.get(f"{number}|")) is not None:
            return list(found)
    return list(battle.cards.get(key, []))


def missing_cards(
    state: State, battle: Battle, *, given: bool, sent: Mapping[str, Sequence[BattleCards]] | None = None
) -> list[str]:
    """Players of a battle whose squads need cards; `given`: only those who haven't sent enough."""
    if needs_no_cards(state, battle):
        return []
    out: list[str] = []
    for key in [*battle.attackers, *battle.defenders]:
        owner = owner_of(state, key)
        if owner is None or owner in out or not exists(state, key):
            continue
        if owner not in state.players or state.players[owner].status != "in":
            continue
        need = squads_of(state, battle, key)
        if need and (not given or len(given_cards(state, battle, key, (sent or {}).get(owner, ()))) < need):
            out.append(owner)
    return out


# ------------------------------------------------------------------------------------------------ advantage


def attacks_now(state: State, unit_id: str) -> bool:
    """True when the troop has declared a battle in the open turn."""
    return any(a.kind == "unit" and a.attacker == unit_id for a in state.attacks)


def walls_for(state: State, unit: Unit, battle: Battle | None = None) -> bool:
    """Wall advantage of a troop on its cell (R77, R89, R122)."""
    building = state.buildings.get(unit.cell)
    if building is None:
        return False
    walls = state.btype(building).walls
    if not walls or (walls == "+" and attacks_now(state, unit.id)):
        return False
    if battle is not None and f"garrison:{unit.cell}" in battle.attackers:
        return False
    if any(a.kind == "unit" and a.attacker == unit.id and a.target == unit.cell for a in state.attacks):
        return False
    if building.owner == unit.owner or building.owner is None:
        return True
    permit = building.permits.get(unit.owner or "")
    return permit is not None and permit.walls and (permit.units is None or unit.id in permit.units)


def advantage(state: State, battle: Battle, key: str, card: str) -> bool:
    """True when the participant's squads with this card are [+] (R77, R72, R166, R171, R172)."""
    kind, name = participant(key)
    if kind == "dragon":
        return True
    if kind in ("building", "garrison"):
        building = state.buildings[name]
        walls = state.btype(building).walls
        return walls == "++" or (walls == "+" and key in battle.defenders)
    unit = state.units[name]
    unit_type = state.utype(unit)
    if unit_type.always_advantage or card in unit_type.advantage_actions:
        return True
    if unit.mithril and unit_type.kind != "mage":
        return True
    if unit.type == "dragon" and (unit.cell == unit.lair or not state.settings.dragon_advantage_only_at_lair):
        return True
    for effect in state.effects:
        if effect.unit == unit.id and (
            effect.spell == "rage_shield" or (effect.spell == "enchanted_weapon" and card in effect.actions)
        ):
            return True
    return walls_for(state, unit, battle)
