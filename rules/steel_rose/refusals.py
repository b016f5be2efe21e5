"""Why an order is refused: a code with its Russian sentence, ruling and weight, from `data/messages.toml` (§3.7, §8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from rapidfuzz import fuzz, process

from parsers.types import Severity
from rules.base import FactionId
from rules.steel_rose.data import UnitId, counted, game_data, raw


@dataclass(frozen=True, slots=True)
class Refusal:
    """An order the rules don't allow. Costs nothing and changes nothing."""

    code: str
    """The specification's code."""
    message: str
    """One or two Russian sentences."""
    rule: str
    """The ruling, e.g. `R80`."""
    field: str | None = None
    """The command's field that is to blame."""
    kept: bool = False
    """True: only the field was refused, the order itself stands (a capture choice that can't be)."""


@cache
def _texts() -> Mapping[str, Any]:
    return raw("messages")


def refuse(code: str, *, field: str | None = None, kept: bool = False, text: str | None = None, **values: object) -> Refusal:
    """The refusal of a code; `text`: another template of the same code; `values` fill the template."""
    template: str = _texts()["text"][text or code]
    message = template.format_map(values)
    rule = _texts()["rule"].get(text or code, "R81")
    return Refusal(code, message[:1].upper() + message[1:], rule, field, kept)


def severity(code: str) -> Severity:
    """How a refusal of this code is shown before the step closes."""
    if code in _texts()["severity"]["error"]:
        return Severity.ERROR
    return Severity.QUESTION if code in _texts()["severity"]["question"] else Severity.WARNING


def phrase(key: str, **values: object) -> str:
    """A part of a message."""
    text: str = _texts()["phrases"][key]
    return text.format_map(values)


def phase_name(phase: str) -> str:
    """«фаза заявок»."""
    return str(_texts()["phase"][phase])


def epoch_name(epoch: str) -> str:
    """«Сумерки»."""
    return str(_texts()["epochs"][epoch])


def faction_name(faction: FactionId) -> str:
    """The faction's Russian name; an unknown id as it is."""
    known = game_data().factions.get(faction)
    return known.name_ru if known is not None else faction


def resource_name(faction: FactionId) -> str:
    """«честь»."""
    return game_data().factions[faction].resource_ru


def unit_name(unit: UnitId) -> str:
    """«Копейщик»; an unknown id as it is."""
    known = game_data().units.get(unit)
    return known.name_ru if known is not None else unit


def units_text(counts: Mapping[str, int]) -> str:
    """«5 копейщиков, 1 рыцарь»; «никого»."""
    data = game_data().units
    parts = [counted(count, data[unit]) if unit in data else f"{count} {unit}" for unit, count in counts.items() if count]
    return ", ".join(parts) or phrase("nobody")


def listed(names: Iterable[str]) -> str:
    """«a, b, c»; «ничего»."""
    return ", ".join(names) or phrase("nothing")


def amount(value: object) -> str:
    """A number as people write it: 33,5."""
    text = f"{float(value):.1f}" if not isinstance(value, int) else str(value)  # type: ignore[arg-type]
    return text.removesuffix(".0").replace(".", ",")


def nearest(word: str, names: Mapping[str, Iterable[str]], limit: int = 3) -> list[str]:
    """Ids whose names or aliases look like the word, the likeliest first."""
    choices = {(key, alias): alias.casefold() for key, aliases in names.items() for alias in aliases}
    found = process.extract(word.casefold(), choices, scorer=fuzz.WRatio, limit=12, score_cutoff=60)
    out: list[str] = []
    for _, _, (key, _alias) in found:
        if key not in out:
            out.append(key)
    return out[:limit]
