"""A command as one short Russian line, for «понял так» and the desk."""

from __future__ import annotations

from typing import Any

from rules.base import Command, command_to_json
from rules.steel_rose.commands import GmCommand
from rules.steel_rose.data import game_data
from rules.steel_rose.refusals import listed, resource_name, unit_name
from rules.steel_rose.view import View
from rules.steel_rose.wording import counts, facts, place_name, positions_text, road_name, texts, word


def describe(view: View, command: Command) -> str:
    """One line."""
    if isinstance(command, GmCommand):
        details = {k: v for k, v in command_to_json(command).items() if k not in ("type", "public")}
        return word("describe", "gm", title=f"{type(command).title} ({listed(f'{k} = {v}' for k, v in details.items())})")
    raw = {"levels": 1, **command_to_json(command)}
    values: dict[str, Any] = {**facts(view.state, {k: v for k, v in raw.items() if k not in SPECIAL}), **_special(view, raw)}
    return word("describe", str(raw["type"]), **values)


SPECIAL = {
    "units",
    "positions",
    "path",
    "choice",
    "order",
    "maneuver",
    "position",
    "cities",
    "count",
    "direction",
    "demons",
    "pay",
}


def _special(view: View, raw: dict[str, Any]) -> dict[str, Any]:
    """Fields that are worded apart."""
    state, data = view.state, game_data()
    out: dict[str, Any] = {"units": counts(raw["units"]) if "units" in raw else "", "capture": "", "goal": "", "troops": ""}
    if raw["type"] == "army_order" and raw.get("city"):
        out["goal"] = word("words", "goal", city=place_name(state, raw["city"]))
    if raw.get("ritual") == "teleport":
        part = f", {out['units']}" if raw.get("units") else ""
        out["troops"] = word("words", "troops", n=raw.get("army", 1), units=part)
    if "unit" in raw and "count" in raw:
        out["count_unit"] = counts({raw["unit"]: raw["count"]})
    if "positions" in raw:
        out["positions"] = positions_text(raw["positions"])
        out["city"] = word("words", "everywhere") if raw.get("city") == "all" else place_name(state, raw.get("city") or "")
    if "battle" in raw and "city" not in raw:
        out["at"] = word("words", "at", target=place_name(state, raw["battle"]))
    if "path" in raw and raw["type"] == "move_mobile_city":
        out["path"] = "; ".join(road_name(state, road) for road in raw["path"]) or word("words", "stays")
    if isinstance(raw.get("order"), str):
        out["order"] = word("words", raw["order"])
    elif raw["type"] == "allocate_powder" and raw.get("order"):
        types = data.units
        names = listed(types[u].plural if u in types else u for u in raw["order"])
        out["units"] = word("words", "powder_order", list=names)
    if raw.get("on_capture"):
        out["capture"] = f", {word('words', raw['on_capture'])}"
    if raw.get("keep_ruins") is False:
        out["capture"] += f", {word('words', 'no_ruins')}"
    if "choice" in raw:
        out["choice"] = word("words", raw["choice"]) + out["capture"]
    if "direction" in raw:
        out["direction"] = word("words", raw["direction"])
    if "demons" in raw:
        out["demons"] = unit_name(raw["demons"])
        out["at"] = out.get("at", "") or word("words", "at", target=out["demons"])
    if raw["type"] == "betray_ally":
        out["cities"] = (
            listed(place_name(state, c) for c in raw.get("cities") or ()) if raw.get("cities") else word("words", "any")
        )
    if "pay" in raw:
        known = view.faction is not None and raw["pay"] != "gold"
        out["pay"] = resource_name(view.faction) if known and view.faction is not None else texts()["words"]["gold"]
    if "position" in raw:
        places = data.places
        out["position"] = places[raw["position"]][0] if raw["position"] in places else raw["position"]
        known_maneuver = data.maneuvers.get(raw.get("maneuver") or "")
        out["maneuver"] = known_maneuver.name_ru if known_maneuver is not None else ""
        goals = [raw["target"]] if raw.get("target") else list(raw.get("path") or ())
        out["target"] = f" — {listed(places[g][0] if g in places else g for g in goals)}" if goals else ""
        if raw.get("free_move"):
            free = raw["free_move"]
            out["target"] += "; " + word("words", "free_move", place=places[free][0] if free in places else free)
    return out
