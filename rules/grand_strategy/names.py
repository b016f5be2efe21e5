"""Names of things in Russian messages: troops, buildings, players, cells."""

from __future__ import annotations

from rules.grand_strategy.data import word
from rules.grand_strategy.state import Building, State, Unit


def unit_name(state: State, unit: Unit | str, form: int = 0) -> str:
    """A troop: its proper name, or its type and cell. Form 0 nominative, 1 genitive, 2 accusative."""
    found = state.units.get(unit) if isinstance(unit, str) else unit
    if found is None:
        return str(unit)
    kind = type_name(state, found.type, form)
    if found.name:
        return f"«{found.name}»" if form == 0 else f"войска «{found.name}»" if form == 1 else f"войско «{found.name}»"
    return f"{kind} ({found.cell})"


def type_name(state: State, type_id: str, form: int = 0) -> str:
    """A kind of troop in a case form; types a scenario adds have one form only."""
    known = word("unit", type_id, form)
    if known == type_id and type_id in state.unit_types:
        return state.unit_types[type_id].name_ru
    return known


def building_name(state: State, building: Building | str, form: int = 0) -> str:
    """A building with its cell: «город Лориэн (Г3)»."""
    found = state.buildings.get(building) if isinstance(building, str) else building
    if found is None:
        return str(building)
    kind = building_type_name(state, found.type, form)
    return f"{kind} {found.name} ({found.cell})" if found.name else f"{kind} {found.cell}"


def building_type_name(state: State, type_id: str, form: int = 0) -> str:
    """A kind of building in a case form."""
    known = word("building", type_id, form)
    if known == type_id and type_id in state.building_types:
        return state.building_types[type_id].name_ru
    return known


def player_name(state: State, player: str | None) -> str:
    """A player's name; «ничьё» for nobody."""
    if player is None:
        return "никто"
    found = state.players.get(player)
    return found.name if found else player


def object_name(state: State, key: str, form: int = 0) -> str:
    """A troop by id or a building by cell."""
    if key in state.units:
        return unit_name(state, key, form)
    return building_name(state, key, form)


def participant_name(state: State, key: str, form: int = 0) -> str:
    """A participant of a battle: `unit:K`, `building:О5`, `garrison:Т8`, `dragon:У11`."""
    kind, _, name = key.partition(":")
    if kind == "unit":
        return unit_name(state, name, form)
    if kind == "dragon":
        return ("дракон в горе " + name, "дракона в горе " + name, "дракона в горе " + name)[form]
    guard = ("гарнизон", "гарнизона", "гарнизон")[form]
    building = state.buildings.get(name)
    return f"{guard} {building.name or name}" if building else f"{guard} {name}"
