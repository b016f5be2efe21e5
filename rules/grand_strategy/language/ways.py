"""Ways: the cells of a movement, and the way to a deed that is said in one breath with it («на З8, там садимся на плоты»)."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.atoms import Atom
from parsers.types import Reading
from rules.grand_strategy.language.said import FROM, Said


def steps(said: Said, unit: str, among: Sequence[Atom] | None = None) -> list[str]:
    """The path: cells in their order («через» first), without the start; ways are counted from where it stands. `among`: these
    words alone."""
    start = said.at(unit)
    path: list[str] = []
    through: list[str] = []
    for atom in said.match.atoms if among is None else among:
        if atom.has("way") and not atom.has("cell"):
            way, count = atom.get("way").value  # type: ignore[union-attr]
            if count == 1 and not path and start is not None and _next_named(said, atom) in said.state.board.near(start):
                continue  # «на восток: Г4, …»: only the direction
            if count == 1 and path and "nomn" in atom.cases and atom.last - atom.first == 1 and not atom.prep:
                continue  # «С9-Р10-П11 | юг»: whither, not one step more
            from_ = path[-1] if path else start
            if from_ is not None:
                path += said.along(from_, way, count)
        elif any(atom is f for f in said.atoms("cells")):
            way_points = atom.get("path")
            points = way_points.value if way_points is not None else ((said.cell_of(atom), atom.prep),)
            via = ""
            places = [*said.atoms("cells"), *said.atoms("places")]
            elsewhere = any(a is not atom and a.prep not in FROM | {"через"} for a in places)
            for cell, prep in points:
                via = prep or via
                if prep == "через" or (via == "через" and prep not in TO and (elsewhere or atom is not said.match.atoms[-1])):
                    through.append(cell)
                    continue
                if prep in FROM and not path and not through:
                    continue
                path.append(cell)
        elif any(atom is f for f in said.atoms("places")):
            cell = said.cell_of(atom)
            if atom.prep in FROM:
                continue
            if atom.prep in {"к", "ко"}:
                if said.atoms("cells") or said.atoms("way"):
                    continue  # only the direction: the cells are named
                said.unsure(f"«к» понято как «на {cell}»")
            path.append(cell)
    path = through + path
    if path and path[0] == start:
        path = path[1:]
    out: list[str] = []
    for cell in path:
        if not out or out[-1] != cell:
            out.append(cell)
    return out


def walk(said: Said, unit: str, *deeds: str, keep: Sequence[str] = ()) -> list[Reading]:
    """The movement to the place of a deed: cells named before the verb of the deed where the troop doesn't stand, but for those
    that are the deed's own (`keep`). «орки Р7» without a preposition says where they stand."""
    verbs = [a.first for a in said.match.triggers if a.has(*deeds)]
    verb = min(verbs, default=said.match.last)
    spots = [a for a in said.atoms("cells") if a.first < verb and a.prep not in FROM and not a.has("house")]
    spots = [a for a in spots if not _stands_there(said, a)]
    spots = [a for a in spots if a.has("path") or said.cell_of(a) not in keep]
    going = any(a.has("path") or a.prep in TO for a in spots) or said.has("go") or bool(said.atoms("there"))
    tokens = said.context.layout.tokens
    going = going or any(a.first and tokens[a.first - 1].norm in _LEADING for a in spots)
    going = going or any(led_to(said, a, unit) for a in spots)
    path = steps(said, unit, spots) if going and said.mine(unit) else []
    if not path:
        return []
    reading = said.read({"type": "move", "unit": unit, "path": path})
    said.put(unit, path[-1])
    return [reading]


def led_to(said: Said, spot: Atom, unit: str) -> bool:
    """«Стража В10, копает рудник»: a cell right behind a troop that stands elsewhere, and a comma or a dash."""
    tokens = said.context.layout.tokens
    behind = spot.has("cell") and spot.last < len(tokens) and tokens[spot.last].norm in {",", "-"}
    return (
        behind and said.at(unit) != said.cell_of(spot) and any(a.last == spot.first and not a.prep for a in said.atoms("units"))
    )


def _next_named(said: Said, way: Atom) -> str | None:
    """The cell named next behind a direction."""
    behind = next((a for a in said.atoms("cells") if a.first >= way.last), None)
    if behind is None:
        return None
    cells = behind.get("path")
    return str(cells.value[0][0]) if cells is not None else said.cell_of(behind)


def _stands_there(said: Said, spot: Atom) -> bool:
    """«Радомир на Г4 — Аэлин атакует»: where somebody else stands."""
    before = next((a for a in reversed(said.match.atoms) if a.first < spot.first), None)
    beside = before is not None and spot.first - before.last <= 1 and not before.prep
    return beside and before is not None and before.has("player") and said.player_of(before) not in (None, said.me)


_LEADING = frozenset({"-", "→", ">", ":"})
TO = frozenset({"на", "в", "во", "до", "к", "ко", "через"})
"""Prepositions of a place that one goes to."""
