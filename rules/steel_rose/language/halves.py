"""Self-repairs of places: «обстрел по левому авангарду… нет, по центральному», «левый, ой, правый арьергард».

The engine puts a right thing into the place of a wrong one of its kind; a flank and a row are two words and one thing. So while
it looks for repairs a place is one atom (`whole`), and afterwards what nothing was put into is two words again (`apart`).
"""

from __future__ import annotations

from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import between, joined
from parsers.structure import Layout
from rules.steel_rose.language.senses import value_of

_SPOT = "spot"
"""Kind that a whole place and half of one share."""
_HALVES = "halves"
_LISTED = frozenset({"и", "+", "/", ",", "|"})


def whole(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """The atoms with «левый авангард» as one, and with half a place as something that a whole one may stand for."""
    out: list[Atom] = []
    i = 0
    while i < len(atoms):
        atom, following = atoms[i], atoms[i + 1] if i + 1 < len(atoms) else None
        if following is not None and _one(layout, atoms, i):
            cell = f"{value_of(atom, 'flank')}{value_of(following, 'row')}"
            made = joined(layout, [atom, following], Sense("cell", (cell,)))
            out.append(replace(made, senses=(*made.senses, Sense(_SPOT, cell)), data={**made.data, _HALVES: (atom, following)}))
            i += 2
            continue
        if atom.has("flank", "row") and not atom.has("cell"):
            atom = replace(atom, senses=(*atom.senses, Sense(_SPOT, str(value_of(atom, "flank", "row")))))
        out.append(atom)
        i += 1
    return out


def _one(layout: Layout, atoms: list[Atom], i: int) -> bool:
    """A flank with its row right behind it, neither of them one of several («левый и правый авангард»)."""
    flank, row = atoms[i], atoms[i + 1]
    if not flank.has("flank") or flank.has("cell", "row") or not row.has("row") or row.has("cell") or flank.last != row.first:
        return False
    before, behind = (atoms[i - 1] if i else None), (atoms[i + 2] if i + 2 < len(atoms) else None)
    return not (_listed(layout, before, flank) or _listed(layout, row, behind))


def _listed(layout: Layout, left: Atom | None, right: Atom | None) -> bool:
    if left is None or right is None or not (left.has("flank", "row") and right.has("flank", "row")):
        return False
    return set(between(layout, left, right)) <= _LISTED


def apart(atoms: list[Atom]) -> list[Atom]:
    """The atoms with every place that was not put right as its two words."""
    out: list[Atom] = []
    for atom in atoms:
        halves: tuple[Atom, ...] = atom.data.get(_HALVES, ())
        changed = "repair" in atom.data
        if halves and not changed:
            out += halves
        elif atom.has(_SPOT):
            senses = tuple(s for s in atom.senses if s.kind != _SPOT)
            if changed and halves and not atom.has("cell"):  # «левый арьергард… нет, центральный»: the row stays
                flank = value_of(atom, "flank") or value_of(halves[0], "flank")
                senses = (Sense("cell", (f"{flank}{value_of(atom, 'row') or value_of(halves[1], 'row')}",)),)
            out.append(replace(atom, senses=senses))
        else:
            out.append(atom)
    return out
