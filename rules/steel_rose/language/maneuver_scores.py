"""When a stretch is a manoeuvre: it begins with its squad and reaches for its target."""

from __future__ import annotations

from collections.abc import Callable

from parsers.atoms import Atom
from parsers.frames import Fill, Filled
from rules.steel_rose.language.cohesion import AFTER, BEFORE, LEAD, OBJECT

MANEUVERS = ("m_move", "m_swap", "m_march", "m_defend", "m_cover", "m_charge", "m_bombard", "m_long", "m_none")
_TOWARDS = frozenset({"на", "по", "в", "во", "к", "через", "до"})
_AIMED = ("m_swap", "m_march", "m_charge", "m_bombard", "m_long", "m_move")
_AT = frozenset({"m_defend", "m_bombard", "m_long", "m_charge"})
SUBJECTLESS, AIMLESS = -2.8, -1.0
"""A manoeuvre without a squad hardly stands alone; one that needs a target reaches for it."""
FRESH = 0.6
"""A place in the nominative behind the manoeuvre opens the next one."""


ATTACKS = -0.4
"""«Лучники бьют по центру»: no name of a manoeuvre."""
AGAIN = 0.0
"""A squad and its target alone, behind a manoeuvre («…, правый авангард — правый арьергард»)."""


def score_maneuver(weight: float) -> Callable[[Fill], float | None]:
    """A manoeuvre begins with its squad and reaches for its target; a word without either goes on with the one before."""

    def score(fill: Fill) -> float | None:
        if fill.inherited and not fill.triggers:
            return _score_again(fill)
        kinds = _called(fill)
        if not kinds or (fill.atoms[0].has("cell") and fill.atoms[0].data.get(OBJECT)):
            return None  # «… прикрывает левый арьергард и уходит в укрытие»: the object of the verb before does nothing itself
        places, units = fill.slots.get("place", ()), fill.slots.get("units", ())
        if not places and not units and "everyone" not in fill.slots:
            return -1.25 - weight if kinds - {"m_none", "m_move"} else None
        if len(kinds) == 1 and kinds & {"m_cover", "m_none"} and len(places) > 1 and _first_trigger(fill):
            return None
        acting = "everyone" in fill.slots or any(_acts(fill, f) for f in (*places, *units))
        alone = len(places) == 1 and not _first_trigger(fill)
        alone = alone and not any("ablt" in f.atom.cases or by_means(f.atom, f.atom) for f in (*places, *units))
        if alone and kinds <= _AT:
            acting = False  # «защищать левый арьергард»: whom, not who
        aims = len(places) + len(units) - acting + any(a.has("~same") for a in fill.atoms)
        out = 0.5 if acting else 0.5 + SUBJECTLESS
        behind = [
            a
            for n, a in enumerate(fill.atoms)
            if a.has("cell") and n > _first_trigger(fill) and not by_means(a, fill.atoms[n - 1])
        ]
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
        if not any(a.has(*MANEUVERS) for a in fill.triggers):
            if fill.triggers[0].has("attack") and not any(
                a.has("cell", "flank", "unit") for a in fill.atoms[: _first_trigger(fill)]
            ):
                return None
            if fill.triggers[0].has("free") and fill.atoms[0].prep in _TOWARDS:
                return None
            out += ATTACKS
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


def _acts(fill: Fill, filled: Filled) -> bool:
    """Whether a place or a unit may be who acts: said before the manoeuvre, or behind it as one that does («силами лучников»)."""
    atom = filled.atom
    if atom.first < fill.triggers[0].first:
        return filled.sense.kind in ("unit", "squad") or (atom.prep not in _TOWARDS and not filled.ref)
    if filled.sense.kind in ("unit", "squad"):
        return "ablt" in atom.cases
    return atom.prep not in _TOWARDS and not filled.ref and (atom.cases != {"gent"} or by_means(atom, _led_by(fill, atom)))


def _led_by(fill: Fill, atom: Atom) -> Atom:
    return fill.atoms[max(0, fill.atoms.index(atom) - 1)]


def by_means(atom: Atom, before: Atom) -> bool:
    """Who acts, said behind the manoeuvre: «защищаем центр левым арьергардом», «прикрыть тыл — левому авангарду», «обстрел
    силами левого арьергарда»."""
    if atom.prep in {"из", "с", "со"}:
        return True
    aimed = before is not atom and (before.has("enemy") or before.prep in _TOWARDS)
    if aimed and not atom.prep and atom.data.get(BEFORE) == "-" and "nomn" in atom.cases:
        return True  # «натиск на правый арьергард врага — правый авангард»
    if atom.prep or (before.has("enemy") and before is not atom):
        return False
    return atom.cases in ({"ablt"}, {"datv"}) or before.has("armyword")


def _called(fill: Fill) -> set[str]:
    """The manoeuvres named; a free move or an attack where none is."""
    kinds = {k for a in fill.triggers for k in MANEUVERS if a.has(k)}
    if not kinds and any(a.has("free") for a in fill.triggers):
        return {"m_move"}
    return kinds or ({"m_charge"} if fill.triggers else set())


def _score_again(fill: Fill) -> float | None:
    """A squad with its target, or with «тоже», that goes on with the manoeuvre before."""
    squad, *rest = fill.atoms
    places = [a for a in rest if a.has("cell", "flank")]
    named = not squad.prep and squad.has("cell", "flank") and squad.cases != {"gent"}
    if not named or fill.slots.keys() - {"place"} or len(places) > 1:
        return None
    if not all(a.has("cell", "flank", "~place", "too", "~same", "target", "enemy") for a in rest):
        return None
    if places:
        return (
            AGAIN if places[0].data.get(BEFORE if not places[0].prep else LEAD) in {"-", squad.text.split()[-1].lower()} else None
        )
    closed = rest and rest[-1].data.get(AFTER, "") in {"", ".", ",", ";", "!", "\n"}
    return AGAIN if closed and any(a.has("~place", "too", "~same") for a in rest) else None


def _first_trigger(fill: Fill) -> int:
    return next(i for i, a in enumerate(fill.atoms) if a is fill.triggers[0])


def _verb_first(fill: Fill, behind: list[Atom]) -> bool:
    """«Обстрел: ЦАр → ЦАв», «натиск: правый авангард на правый арьергард»."""
    aimed = len(behind) == 2 and (
        behind[1].prep in _TOWARDS or behind[1].data.get(BEFORE) in {"-", "("} or any(a.has("arrow") for a in fill.atoms)
    )
    return aimed and _first_trigger(fill) == 0 and not behind[0].prep
