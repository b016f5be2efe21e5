"""Ways: «на север на две клетки», «с Р7 на П6», «на Ж8, оттуда на Ж9», «кому не хватит места, пусть встаёт на Д4»."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import between, joined
from parsers.russian import closed_class, info
from parsers.structure import Layout
from rules.grand_strategy.language.names import tables

_PATH_WORDS = frozenset(tables()["path"]["words"])
"""Words and signs that may stand between the cells of one way."""


def ways(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«на север на две клетки», «две клетки на юг», «на восток» → `way` (direction, steps)."""
    out: list[Atom] = []
    i = 0
    while i < len(atoms):
        here = atoms[i]
        following = atoms[i + 1] if i + 1 < len(atoms) else None
        near = following is not None and set(between(layout, here, following)) <= {"на", "к", ",", "еще"}
        pair = [here, following] if following is not None and near else [here]
        direction = next((s for a in pair for s in a.all("direction")), None)
        steps = next((s for a in pair for s in a.all("steps")), None)
        if direction is None or not (here.has("direction") or here.has("steps")):
            out.append(here)
            i += 1
            continue
        if steps is not None and not (pair[-1].has("direction") and here.has("direction")):
            out.append(joined(layout, [a for a in pair if a is not None], Sense("way", (direction.value, steps.value))))
            i += 2
            continue
        if here.has("direction") and here.prep not in {"с", "со"} and not _describes(layout, here):
            here = replace(here, senses=(Sense("way", (here.all("direction")[0].value, 1)),))
        out.append(here)
        i += 1
    return out


def paths(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Г7–Г8–Д8», «с Р7 на П6», «г9, потом д9», «на Ж8, оттуда на Ж9» → one `path` of cells with their prepositions."""
    out: list[Atom] = []
    i = 0
    while i < len(atoms):
        here = atoms[i]
        if not here.has("cell"):
            out.append(here)
            i += 1
            continue
        group = [here]
        j = i + 1
        while j < len(atoms):
            if atoms[j].has("cell"):
                going = {i for a in atoms[i:j] if a.has("go") for i in a.tokens()} if group[-1].prep == "через" else set()
                if not follows(layout, group[-1], atoms[j], going):
                    break
                group.append(atoms[j])
                j += 1
            elif (
                atoms[j].has("then", "arrow", "~place", "go", "reverse", "first", "last_place", "ordinal")
                and j + 1 < len(atoms)
                and atoms[j + 1].has("cell")
            ):
                j += 1
            else:
                break
        group = [a for a in group if a.has("cell")]
        if len(group) > 1:
            steps = tuple((str(a.all("cell")[0].value), a.prep) for a in group)
            made = joined(layout, [a for a in atoms[i:j] if group[0].first <= a.first < group[-1].last], Sense("path", steps))
            out.append(replace(made, prep=group[0].prep))
            while i < len(atoms) and atoms[i].first < made.last:
                i += 1
        else:
            out.append(here)
            i += 1
    return out


def follows(layout: Layout, left: Atom, right: Atom, passed: Set[int] = frozenset()) -> bool:
    """True where the way goes on from one cell to the next. `passed`: tokens that part them as little as a comma («через С7
    выходят на Р6»)."""
    if layout.sentence_of[left.first] != layout.sentence_of[right.first] or right.first - left.last > 6:
        return False
    if layout.tokens[left.first - (2 if left.prep else 1)].norm in {"не", "вместо"} and left.first:
        return False  # «не на Г8, а на Д8», «вместо С7 — У7»
    begin = right.first - (1 if right.prep else 0)
    return all(i in passed or layout.tokens[i].norm in _PATH_WORDS for i in range(left.last, begin))


def overflow(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«кому не хватит места, пусть встаёт на Д4» → `over` with its cell."""
    out: list[Atom] = []
    i = 0
    while i < len(atoms):
        here = atoms[i]
        if here.has("overflow"):
            cell = next((k for k in range(i, min(len(atoms), i + 5)) if atoms[k].has("cell")), None)
            if cell is not None and atoms[cell].first - here.last <= 6:
                out.append(joined(layout, [here, atoms[cell]], Sense("over", atoms[cell].all("cell")[0].value)))
                i = cell + 1
                continue
        out.append(here)
        i += 1
    return out


def _describes(layout: Layout, here: Atom) -> bool:
    """«на В10, что южнее ворот»: where a place lies, and no step."""
    following = layout.tokens[here.last].norm if here.last < len(layout.tokens) else ""
    compared = here.text.lower().endswith(("нее", "ней"))
    return compared and "gent" in info(following).cases and following not in closed_class()
