"""Finds rulesets by id through the entry points `forum_gm.rulesets`; the three shipped games use the same door as anyone's."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import cast

from rules.base import RulesError, Ruleset

GROUP = "forum_gm.rulesets"


def available() -> list[str]:
    """Ids of all installed rulesets, sorted."""
    return sorted({point.name for point in entry_points(group=GROUP)})


@cache
def get(ruleset_id: str) -> Ruleset:
    """The ruleset with this id.

    Raises `RulesError` when there is none or it can't be imported."""
    points: dict[str, EntryPoint] = {point.name: point for point in entry_points(group=GROUP)}
    if ruleset_id not in points:
        raise RulesError(f"Нет правил «{ruleset_id}». Установлены: {', '.join(sorted(points))}.")
    try:
        return cast(Ruleset, points[ruleset_id].load())
    except ImportError as error:
        raise RulesError(f"Правила «{ruleset_id}» не загружаются: {error}.") from error


def package(ruleset_id: str) -> Traversable:
    """The folder of the package that declares the ruleset: its data and templates. Raises `RulesError` as `get` does."""
    get(ruleset_id)
    point = next(point for point in entry_points(group=GROUP) if point.name == ruleset_id)
    return files(point.module)
