"""Facts as Russian words: names of cities, units, buildings, roads, and sentences of `data/texts.toml` filled with them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from parsers.types import Json
from rules.steel_rose import economy
from rules.steel_rose.data import counted, game_data, raw
from rules.steel_rose.refusals import amount, epoch_name, faction_name, listed, unit_name, units_text
from rules.steel_rose.state import State


@cache
def texts() -> Mapping[str, Any]:
    """The sentences."""
    return raw("texts")


def word(section: str, key: str, **values: object) -> str:
    """A text of a section, filled."""
    text: str = texts()[section][key]
    return text.format_map(values)


def place_name(state: State, target: str) -> str:
    """A city's or the mobile city's name; without one, the identifier."""
    return state.target_name(target)


def building_name(building: str) -> str:
    """«Барак»."""
    known = economy.building_by_id(None, building)
    return known.name_ru if known is not None else building


def road_name(state: State, road: Any) -> str:
    """«Кронвик — Морвен»."""
    return " — ".join(state.target_name(c) for c in road)


def counts(units: Any) -> str:
    """Units with numbers or words: «5 копейщиков, лучники (все)»."""
    if isinstance(units, str):
        return word("words", units)
    types = game_data().units
    parts = []
    for unit, count in units.items():
        garrison = unit.startswith("g:")
        unit = unit.removeprefix("g:")
        known = types.get(unit)
        if isinstance(count, str):
            text = f"{known.plural if known is not None else unit} ({word('words', count)})"
        else:
            text = counted(count, known) if known is not None else f"{count} {unit}"
        parts.append(word("report", "garrison_mark", unit=text) if garrison else text)
    return listed(parts)


def positions_text(positions: Mapping[str, Any]) -> str:
    """«центральный авангард — 5 копейщиков; …»."""
    places = game_data().places
    return "; ".join(f"{places[p][0] if p in places else p} — {counts(u)}" for p, u in positions.items()) or word(
        "words", "default"
    )


def facts(state: State, data: Mapping[str, Json]) -> dict[str, str]:
    """An event's or line's facts as words, by the names of their keys."""
    out = {key: _fact(state, key, value) for key, value in data.items()}
    if "unit" in data and isinstance(data.get("count"), int):
        out["count_unit"] = units_text({str(data["unit"]): int(data["count"])})
    target = next((data[k] for k in ("city", "faction") if data.get(k)), None)
    if target is not None:
        out["at"] = word("words", "at", target=_fact(state, "city" if data.get("city") else "faction", target))
    elif data.get("army"):
        out["at"] = word("words", "at", target=word("words", "army", n=data["army"]))
    else:
        out["at"] = ""
    return out


FACTIONS = {"faction", "attacker", "defender", "by", "before", "offered_by", "offered_to", "divination", "owner"}
CITIES = {"city", "battle", "place", "target"}
UNITS = {"units", "dead", "out", "fielded"}


def _fact(state: State, key: str, value: Json) -> str:
    if value is None:
        return word("report", "nobody")
    if key in FACTIONS and isinstance(value, str):
        return faction_name(value)
    if key in CITIES and isinstance(value, str):
        return place_name(state, value)
    if key in UNITS and isinstance(value, Mapping):
        return units_text(value)
    if key in TRANSLATE:
        return str(TRANSLATE[key](state, value))
    if isinstance(value, bool):
        return str(value)
    return amount(value) if isinstance(value, int | float) else str(value)


def _choice(state: State, value: Json) -> str:
    return word("choice", value)


TRANSLATE: dict[str, Any] = {
    "factions": lambda state, value: listed(faction_name(f) for f in value),
    "winners": lambda state, value: listed(faction_name(f) for f in value),
    "cities": lambda state, value: listed(place_name(state, c) for c in value),
    "building": lambda state, value: building_name(value),
    "unit": lambda state, value: unit_name(value),
    "demons": lambda state, value: unit_name(value),
    "road": road_name,
    "spell": lambda state, value: game_data().spells[value].name_ru,
    "ritual": lambda state, value: game_data().rituals[value].name_ru,
    "reason": lambda state, value: texts()["elimination"].get(value) or texts()["reason"].get(value, value),
    "choice": _choice,
    "epoch": lambda state, value: epoch_name(value),
}
"""Fact → its wording."""
