"""Deployments and the presets of garrisons: when a stretch is one (§3.1, §3.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from parsers.context import Context
from parsers.frames import Fill, Match, Output
from rules.steel_rose.language.battlefield import battle_fields
from rules.steel_rose.language.common import called, has
from rules.steel_rose.language.placed import PLACES


def score_deploy(weight: float) -> Callable[[Fill], float | None]:
    def score(fill: Fill) -> float | None:
        if "who" not in fill.slots or not called(fill, *PLACES):
            return None
        return weight

    return score


def make_deploy(match: Match, context: Context) -> Iterable[Output]:
    return [context.reading(match, {"type": "deploy", **battle_fields(match), "positions": {}}, notes=[])]


def score_garrison(fill: Fill) -> float | None:
    if "city" not in fill.slots and not called(fill, "everywhere", "garrison", "garrisons"):
        return None
    if called(fill, "default") and called(fill, "garrison", "garrisons"):
        return 0.5
    if called(fill, "~same") and called(fill, "garrison") and "city" in fill.slots and "who" not in fill.slots:
        return 0.4  # «гарнизон Ормиса такой же»
    if not called(fill, "garrison", "garrisons"):
        return 0.3 if "who" in fill.slots and "place" in fill.slots and "city" in fill.slots else None
    return 0.7 if "who" in fill.slots and "place" in fill.slots else None


def make_garrison(match: Match, context: Context) -> Iterable[Output]:
    cities: list[Any] = []
    for filled in match.slots.get("city", ()):
        if len(filled.senses) > 1:
            return [context.which(match, "city", filled)]
        cities.append(filled.value)
    if has(match, "everywhere", "garrisons") or not cities:
        cities = ["all"]
    return [context.reading(match, {"type": "set_garrison_deployment", "city": c, "positions": {}}, notes=[]) for c in cities]
