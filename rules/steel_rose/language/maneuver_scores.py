"""When a stretch is a manoeuvre: it begins with its squad and reaches for its target."""

from __future__ import annotations

from collections.abc import Callable

from parsers.atoms import Atom
from parsers.frames import Fill
from rules.steel_rose.language.cohesion import BEFORE

MANEUVERS = ("m_move", "m_swap", "m_march", "m_defend", "m_cover", "m_charge", "m_bombard", "m_long", "m_none")
_TOWARDS = frozenset({"на", "по", "в", "во", "к", "через", "до"})
_AIMED = ("m_swap", "m_march", "m_charge", "m_bombard", "m_long", "m_move")
SUBJECTLESS, AIMLESS = -2.8, -1.0
"""A manoeuvre without a squad hardly stands alone; one that needs a target reaches for it."""
FRESH = 0.6
"""A place in the nominative behind the manoeuvre opens the next one."""


def score_maneuver(weight: float) -> Callable[[Fill], float | None]:
    """A manoeuvre begins with its squad and reaches for its target; a word without either goes on with the one before."""

    def score(fill: Fill) -> float | None:
        kinds = {k for a in fill.triggers for k in MANEUVERS if a.has(k)}
        if not kinds:
            return None
        places, units = fill.slots.get("place", ()), fill.slots.get("units", ())
        if not places and not units and "everyone" not in fill.slots:
            return -1.25 - weight if kinds - {"m_none", "m_move"} else None
        if len(kinds) == 1 and kinds & {"m_cover", "m_none"} and len(places) > 1 and _first_trigger(fill):
            return None
        acting = bool(units) or "everyone" in fill.slots or any(f.atom.prep not in _TOWARDS and not f.ref for f in places)
        aims = len(places) + len(units) - acting
        out = 0.5 if acting else 0.5 + SUBJECTLESS
        behind = [a for n, a in enumerate(fill.atoms) if a.has("cell") and n > _first_trigger(fill)]
        ahead = [a for n, a in enumerate(fill.atoms) if a.has("cell") and n < _first_trigger(fill)]
        marked = any(a.has("enemy", "attack", "m_defend", "arrow") for a in fill.atoms[1 : _first_trigger(fill)])
        if len(ahead) > 1 and "m_swap" not in kinds and not marked:
            return None  # «… левый арьергард центральный арьергард стреляет …»: the first ended the order before
        if any(
            f.atom.data.get(BEFORE) == "," and "nomn" in f.atom.cases and f.atom.first > fill.triggers[0].first for f in units
        ):
            return None  # «… в тыл, пехота держит …»: the next squad begins
        several = bool(kinds & {"m_move", "m_swap", "m_march"}) or any(a.has("free") for a in fill.atoms)
        listed = kinds == {"m_cover"} and _first_trigger(fill) == 0  # «В укрытие: левый авангард, правый авангард»
        if len(behind) > 1 and not several and not listed and not _verb_first(fill, behind):
            return None  # «натиск на левый арьергард центральный арьергард …»: the second begins the next order
        if kinds == {"m_none"}:
            out -= 2.5
        if kinds & set(_AIMED) and aims < 1:
            out += AIMLESS
        first = next(i for i, a in enumerate(fill.atoms) if a is fill.triggers[0])
        spots = [i for i, a in enumerate(fill.atoms) if a.has("cell", "flank", "row")]
        if len(spots) > 1 and spots[-1] > first:
            last, before = fill.atoms[spots[-1]], fill.atoms[spots[-1] - 1]
            led = last.prep or "m_march" in kinds or before.has("enemy", "target", "through", "m_defend", "m_bombard", "m_long")
            out -= 0.0 if led or "nomn" not in last.cases else FRESH
        return out

    return score


def _first_trigger(fill: Fill) -> int:
    return next(i for i, a in enumerate(fill.atoms) if a is fill.triggers[0])


def _verb_first(fill: Fill, behind: list[Atom]) -> bool:
    """«Обстрел: ЦАр → ЦАв», «натиск: правый авангард на правый арьергард»."""
    aimed = len(behind) == 2 and (behind[1].prep in _TOWARDS or any(a.has("arrow") for a in fill.atoms))
    return aimed and _first_trigger(fill) == 0 and not behind[0].prep
