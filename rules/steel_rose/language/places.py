"""Flanks and rows as places of the field: «левый авангард», «авангард слева», «левый и правый авангард», «все три тыла»."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import between, joined
from parsers.structure import Layout
from rules.steel_rose.language.senses import number_of, value_of

FLANKS = {"A": "LCR", "B": "LR"}
"""Words that mean several flanks: every one, both wings."""
ALL_FLANKS = "LCR"
_EVERY = frozenset({"каждый", "каждом", "каждому", "каждого"})
_PLACE_GAP = frozenset(
    {"-", ",", "(", ".", "в", "на", "фланг", "фланга", "фланге", "фл", "по", "его", "наш", "наши", "свой", "/", "их", "во", "|"}
)


def places(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«левый авангард», «авангард слева», «левый и правый авангард», «ЛФ ав.» → cells."""
    out: list[Atom] = []
    i = 0
    while i < len(atoms):
        run = [atoms[i]]
        following = atoms[i + 1] if i + 1 < len(atoms) else None
        three = number_of(atoms[i]) == len(ALL_FLANKS) and following is not None and following.has("row")
        if three and following is not None and not between(layout, atoms[i], following):  # «все три авангарда»
            cells = tuple(f + str(value_of(following, "row")) for f in ALL_FLANKS)
            before = [out.pop()] if out and out[-1].has("~all") and not between(layout, out[-1], atoms[i]) else []
            named = _named(layout, atoms, i + 1)
            out.append(joined(layout, [*before, *atoms[i : i + 2 + named]], Sense("cell", cells)))
            i += 2 + named
            continue
        every = atoms[i].has("row") and atoms[i].first > 0 and layout.tokens[atoms[i].first - 1].norm in _EVERY
        if every:  # «в каждый авангард по два копейщика»
            cells = tuple(f + str(value_of(atoms[i], "row")) for f in ALL_FLANKS)
            out.append(joined(layout, [atoms[i]], Sense("cell", cells), each_flank=True))
            i += 1
            continue
        if _mere_preposition(layout, atoms[i], following):
            i += 1
            continue
        if not atoms[i].has("flank", "row"):
            out.append(atoms[i])
            i += 1
            continue
        while i + len(run) < len(atoms):
            following = atoms[i + len(run)]
            gap = between(layout, run[-1], following)
            apart = layout.sentence_of[run[-1].first] != layout.sentence_of[following.first]  # «… в тылу. Правый фланг: …»
            if apart or not following.has("flank", "row") or any(g not in _PLACE_GAP | {"и", "+"} for g in gap):
                break
            run.append(following)
        made, used = _cell(layout, run)
        out.append(made)
        i += used
    return _pairs(layout, _towards(out))


def _towards(atoms: list[Atom]) -> list[Atom]:
    """«по ихнему центральному авангарду»: the preposition stands before the word for the enemy."""
    return [
        replace(atom, prep=before.prep)
        if before is not None
        and before.has("enemy")
        and before.prep
        and before.last == atom.first
        and atom.has("cell")
        and not atom.prep
        else atom
        for before, atom in zip([None, *atoms], atoms, strict=False)
    ]


def _named(layout: Layout, atoms: Sequence[Atom], row: int) -> int:
    """«все три авангарда — левый, центральный, правый»: so many atoms behind the row only name them all."""
    behind = atoms[row + 1 : row + 1 + len(ALL_FLANKS)]
    if {str(value_of(a, "flank")) for a in behind if a.has("flank")} != set(ALL_FLANKS):
        return 0
    gaps = [g for left, right in pairwise([atoms[row], *behind]) for g in between(layout, left, right)]
    return len(behind) if all(g in {"-", ",", "(", ":", "и"} for g in gaps) else 0


def _mere_preposition(layout: Layout, atom: Atom, following: Atom | None) -> bool:
    """«па левому авангарду»: two letters that would be a place of their own are a misspelt «по» before another."""
    if len(atom.text) != 2 or not atom.has("cell") or following is None or not following.has("flank"):
        return False
    return not between(layout, atom, following) and "datv" in following.cases


def _pairs(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«левый авангард и правый авангард …» at the head of a clause: both do the same."""
    out: list[Atom] = []
    for atom in atoms:
        left = out[-1] if out else None
        if left is None or not (left.has("cell") and atom.has("cell")) or between(layout, left, atom) != ["и"]:
            out.append(atom)
            continue
        before = out[-2] if len(out) > 1 else None
        heads = before is None or layout.sentence_of[before.first] != layout.sentence_of[left.first]
        heads = heads or bool(set(between(layout, before, left)) & {",", "-", ":"}) if before is not None else heads
        if not heads or left.prep or atom.prep:
            out.append(atom)
            continue
        both = (*value_of(left, "cell"), *value_of(atom, "cell"))
        out[-1] = joined(layout, [left, atom], Sense("cell", both))
    return out


def _cell(layout: Layout, run: Sequence[Atom]) -> tuple[Atom, int]:
    """The longest beginning of a run of flanks and rows that is one place (or several alike)."""
    kinds = "".join("F" if a.has("flank") else "W" for a in run)
    gaps = [set(between(layout, a, b)) for a, b in pairwise(run)]

    def flank(n: int) -> str:
        return str(run[n].get("flank").value)  # type: ignore[union-attr]

    def row(n: int) -> str:
        return str(run[n].get("row").value)  # type: ignore[union-attr]

    def cells(flanks: str, rows: str) -> tuple[str, ...]:
        flat = "".join(FLANKS.get(f, f) for f in flanks)
        return tuple(f + r for f in flat for r in rows)

    if kinds.startswith("FFW") and gaps[0] & {"и", "+", "/"} and not gaps[1]:
        return joined(layout, run[:3], Sense("cell", cells(flank(0) + flank(1), row(2)))), 3
    if kinds.startswith("WFF") and "и" in gaps[1] and "и" not in gaps[0] and not kinds.startswith("WFFW"):
        return joined(layout, run[:3], Sense("cell", cells(flank(1) + flank(2), row(0))), rowfirst=True), 3
    if kinds.startswith("FF") and not kinds.startswith("FFW") and gaps[0] & {"и", "+"}:
        pair = flank(0) + flank(1)
        sense = Sense("flank", "B") if set(pair) == {"L", "R"} else Sense("cell", cells(pair, "V"))
        return joined(layout, run[:2], sense), 2
    if kinds.startswith("FWW") and gaps[1] & {"и"} and not kinds.startswith("FWWF"):
        return joined(layout, run[:3], Sense("cell", cells(flank(0), row(1) + row(2))), both=True), 3
    if kinds.startswith("FW") and "и" not in gaps[0]:
        header = bool(gaps[0] & {"(", ","}) and len(run) > 3
        return joined(layout, run[:2], Sense("cell", cells(flank(0), row(1))), flankfirst=not header), 2
    loose = not (kinds.startswith("WFW") and len(gaps) > 1 and not gaps[1])
    if kinds.startswith("WF") and not gaps[0] & {"и", "|"} and loose and not kinds.startswith("WFF"):
        belongs = "по" in gaps[0] or (not gaps[0] and run[1].cases == {"gent"})  # «тыл центра» heads no row
        return joined(layout, run[:2], Sense("cell", cells(flank(1), row(0))), rowfirst=not belongs), 2
    return run[0], 1
