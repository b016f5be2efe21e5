"""Deployments and the presets of garrisons: when a stretch is one (§3.1, §3.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Fill, Match, Output
from parsers.structure import Status
from rules.steel_rose.language.battlefield import battle_fields
from rules.steel_rose.language.cohesion import HEADING
from rules.steel_rose.language.common import called, has
from rules.steel_rose.language.placed import PLACES

PRESET = "set_garrison_deployment"


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
    return [context.reading(match, {"type": PRESET, "city": c, "positions": {}}, notes=[]) for c in cities]


def preset_above(context: Context, match: Match) -> list[str]:
    """The cities of a heading («Гарнизон Кронвика:») that stands right above these places; empty: none does."""
    index = match.sentence - 1
    while index >= 0 and not _live(context, index):
        index -= 1
    head = _live(context, index) if index >= 0 else []
    if not head or not head[0].data.get(HEADING) or not any(a.has("garrison", "garrisons") for a in head):
        return []
    if any(a.has("garrisons", "everywhere") for a in head):
        return ["all"]
    return [str(s.value) for a in head for s in a.all("city")[:1]]


def _live(context: Context, index: int) -> list[Atom]:
    status = context.layout.status
    return [a for a in context.by_sentence.get(index, ()) if status[a.first] is Status.LIVE]
