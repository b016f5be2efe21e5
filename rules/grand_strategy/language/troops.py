"""What troops do: movement, water, sieges, building, mithril, annexation, disbanding (§3)."""

from __future__ import annotations

from collections.abc import Iterable

from parsers.frames import Fill, Frame, Output, Slot, choice
from parsers.russian import Verb
from parsers.types import Severity
from rules.grand_strategy.language.said import FROM, Said, maker, text_of
from rules.grand_strategy.language.slots import (
    BAD,
    BTYPE,
    CELLS,
    LAND,
    LEVEL,
    MONEY,
    PATH,
    PLACES,
    UNITS,
    called,
    needs,
)

# ------------------------------------------------------------------------------------------------ movement


def _move_score(fill: Fill) -> float | None:
    slots = fill.slots
    if not slots.keys() & {"cells", "way", "places", "bad"}:
        return None
    if not fill.triggers and not fill.inherited and "units" in slots:
        where = [f.atom.first for n in ("cells", "way", "bad") for f in slots.get(n, ())]
        if where and min(where) < slots["units"][0].atom.first:
            return None
    if "places" in slots and not fill.triggers and any(f.atom.prep not in {"к", "ко", "до"} for f in slots["places"]):
        return None
    if "units" not in slots and not fill.triggers and not fill.inherited:
        return None
    for place in slots.get("places", ()):
        if place.atom.prep in {"в", "во", "на"} and place.atom.cases and "accs" not in place.atom.cases:
            return None  # «в Стане»: where, not whither
    if "bad" in slots and not fill.triggers and "units" not in slots:
        return None
    if slots.keys() == {"places"} and not called(fill, "go"):
        return None
    return 0.2


@maker
def _move(said: Said) -> Iterable[Output]:
    said.check_cells()
    if said.atoms("garrison") and not said.atoms("units"):
        text = "Гарнизон не ходит; он может атаковать только войско на своей клетке."
        raise said.stop("unknown_order", text, severity=Severity.ERROR, draft={})
    unit_atoms = said.atoms("units")
    units = [said.unit(a, _first_cell(said)) for a in unit_atoms]
    units = list(dict.fromkeys(units))
    mine = [u for u in units if said.mine(u)]
    foreign = [u for u in units if not said.mine(u)]
    if units and not mine:
        at = unit_atoms[0]
        third = any(a.verb in (Verb.THIRD, Verb.PAST) for a in said.match.triggers)
        towards = at.prep in {"к", "ко", "на"}
        if third and not towards:
            return []  # a story: somebody else's troops
        if towards:
            mine = [said.default_actor()]
    if foreign and mine:
        units = mine
    elif not units:
        mine = [said.default_actor()]
    units = mine or units
    steps = _steps(said, units[0])
    if not steps:
        return []
    if len(units) > 1:
        if len(steps) == len(units):
            return [
                said.read({"type": "move", "unit": u, "path": [_arrive(said, u, c)]}) for u, c in zip(units, steps, strict=True)
            ]
        names = [said.unit_title(u) for u in units]
        raise said.stop(
            "ambiguous",
            f"На одной клетке может быть только одно войско. Кого поставить на {steps[-1]}?",
            choices=[choice(n) for n in names],
        )
    unit = units[0]
    command = {"type": "move", "unit": unit, "path": steps}
    reading = said.read(command)
    said.put(unit, steps[-1])
    return [reading]


def _arrive(said: Said, unit: str, cell: str) -> str:
    said.put(unit, cell)
    return cell


def _first_cell(said: Said) -> str | None:
    cells = said.atoms("cells")
    if not cells:
        return None
    way = cells[0].get("path")
    return str(way.value[0][0]) if way is not None else said.cell_of(cells[0])


def _steps(said: Said, unit: str) -> list[str]:
    """The path: cells in their order («через» first), without the start; ways are counted from where it stands."""
    start = said.at(unit)
    path: list[str] = []
    through: list[str] = []
    for atom in said.match.atoms:
        if atom.has("way") and not atom.has("cell"):
            way, steps = atom.get("way").value  # type: ignore[union-attr]
            from_ = path[-1] if path else start
            if from_ is not None:
                path += said.along(from_, way, steps)
        elif any(atom is f for f in said.atoms("cells")):
            way_points = atom.get("path")
            points = way_points.value if way_points is not None else ((said.cell_of(atom), atom.prep),)
            via = ""
            for cell, prep in points:
                via = prep or via
                if prep == "через" or (via == "через" and atom is not said.match.atoms[-1]):
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


@maker
def _embark(said: Said) -> Iterable[Output]:
    return _one_unit(said, "embark")


@maker
def _disembark(said: Said) -> Iterable[Output]:
    return _one_unit(said, "disembark")


def _one_unit(said: Said, kind: str) -> list[Output]:
    units = said.named() or [said.default_actor()]
    return [said.read({"type": kind, "unit": u}) for u in dict.fromkeys(units)]


# ------------------------------------------------------------------------------------------------ sieges


@maker
def _siege(said: Said) -> Iterable[Output]:
    said.check_cells()
    building = said.building(foreign=True) or said.building(slots=("which",), foreign=True)
    units = [u for u in said.named() if said.mine(u)] or said.named()
    lifted = said.words("lift", "~withdraw")
    if lifted:
        unit = units[0] if units else said.default_actor()
        if building is None:
            found = said.unit_object(unit)
            building = found.siege if found is not None else None
        return [said.read({"type": "lift_siege", "unit": unit, "building": building})]
    unit = units[0] if units else said.default_actor()
    if building is None:
        raise said.stop("ambiguous", "Какой дом лорда осадить?", draft={"type": "siege", "unit": unit})
    return [said.read({"type": "siege", "unit": unit, "building": building})]


lift = _siege
"""The `make` of a siege, for a withdrawal («снимаю осаду»)."""


def _siege_score(fill: Fill) -> float | None:
    if called(fill, "siege"):
        lifted = 1.0 if "lifting" in fill.slots else 0.0
        return 0.5 + lifted if fill.slots.keys() & {"places", "cells", "units", "btype", "lifting", "bad"} else None
    # «отпускаем Кровавый Стан»
    return 0.0 if "places" in fill.slots and called(fill, "lift") and not fill.slots.keys() & {"units"} else None


# ------------------------------------------------------------------------------------------------ works


def _build_score(fill: Fill) -> float | None:
    if not fill.slots.keys() & {"btype", "level"}:
        return None
    if not fill.triggers and not fill.inherited:
        what = fill.slots["btype"][0].value if "btype" in fill.slots else None
        return -0.4 if "units" in fill.slots and what in ("outpost", "tower", "fortress", "mine") else None
    if "btype" not in fill.slots and not called(fill, "build"):
        return None
    if fill.triggers and _goes_first(fill):
        return None
    return 0.2


def _goes_first(fill: Fill) -> bool:
    """«стража на В8 роет рудник»: a way and then a work."""
    called_at = fill.triggers[0].first
    return any(
        unit.atom.first < cell.atom.first < called_at and cell.atom.prep in {"на", "в", "к"}
        for unit in fill.slots.get("units", ())
        for cell in fill.slots.get("cells", ())
    )


@maker
def _build(said: Said) -> Iterable[Output]:
    said.check_cells()
    kinds = [str(a.get("btype").value) for a in said.atoms("btype") if a.has("btype") and a.prep not in {"в", "из"}]  # type: ignore[union-attr]
    level = next((str(a.get("level").value) for a in said.atoms("level")), None)  # type: ignore[union-attr]
    what = kinds[0] if kinds else "mine" if level else None
    if what is None:
        raise said.stop("ambiguous", "Что построить: заставу, башню, крепость или рудник?")
    cell = next((said.cell_of(a) for a in said.atoms("cells")), None)
    if what in ("manor", "castle", "city", "lord_house"):
        title = next((a.text for a in said.atoms("btype")), "")
        raise said.stop("cannot_build_directly", text_of("cannot_build_directly", what=title), severity=Severity.ERROR)
    units = said.named()
    if units:
        unit = units[0]
    else:
        there = [u for u in said.own() if cell is not None and said.at(u) == cell]
        unit = there[0] if len(there) == 1 else said.default_actor()
    place = said.at(unit)
    if cell is not None and place is not None and place != cell:
        said.unsure(f"строят на клетке, где стоит войско ({place}), а не на {cell}")
    if what == "mine" and level is None:
        site = said.state.board.data.sites.get(place or "")
        if site == "silver":
            level = site
        elif site is not None:
            raise said.stop(
                "ambiguous",
                "Какой рудник: серебряный, золотой или мифриловый?",
                draft={"type": "build", "unit": unit, "what": "mine"},
                choices=[choice("серебряный"), choice("золотой"), choice("мифриловый")],
            )
    return [said.read({"type": "build", "unit": unit, "what": what, "level": level if what == "mine" else None})]


@maker
def _forge(said: Said) -> Iterable[Output]:
    units = [u for u in said.named() if said.mine(u)] or said.named()
    unit = units[0] if units else said.personal() or said.default_actor()
    return [said.read({"type": "forge_mithril", "unit": unit})]


# ------------------------------------------------------------------------------------------------ annexation, disbanding


def _annex_score(fill: Fill) -> float | None:
    if not fill.slots.keys() & {"units", "cells"}:
        return None
    taken = any(a.has("take", "pass_over") for a in fill.atoms)
    return 0.3 if called(fill, "annex") or (taken and "units" in fill.slots) else None


@maker
def _annex(said: Said) -> Iterable[Output]:
    named = said.named()
    cells = said.cells()
    mine = [u for u in named if said.mine(u)]
    others = [u for u in named if not said.mine(u)]
    if not others and cells:
        others = [u.id for u in said.state.units.values() if u.cell in cells and u.owner != said.me]
    if not others:
        raise said.stop("no_such_unit", "Какое войско присоединить? Назовите его или клетку.", draft={"type": "annex"})
    unit = mine[0] if mine else said.personal() or said.default_actor()
    agreed = said.near("agree", behind=6) is not None
    return [said.read({"type": "annex", "unit": unit, "target": others[0], "consent": True if agreed else None})]


@maker
def _disband(said: Said) -> Iterable[Output]:
    named = list(dict.fromkeys(said.named()))
    if not named:
        named = [said.default_actor()]
    out: list[Output] = []
    for unit in named:
        found = said.unit_object(unit)
        if found is not None and found.personal and found.owner == said.me and said.near("confirm", behind=6) is None:
            draft = {"type": "disband", "unit": unit}
            raise said.stop(
                "not_confirmed",
                "Распустить личное войско? Подтвердите: восстановить его можно будет только через пять лет.",
                draft=draft,
                choices=[choice("Да, подтверждаю", draft)],
            )
        out.append(said.read({"type": "disband", "unit": unit}))
    return out


FRAMES = (
    Frame(
        "move",
        ("go",),
        (
            UNITS,
            PATH,
            BAD,
            Slot("way", ("way",), many=True),
            Slot("garrison", ("garrison",)),
            Slot(
                "places",
                ("house",),
                many=True,
                preps=frozenset({"в", "во", "к", "ко", "на", "из", "с", "до", "через", "от"}),
                strict=True,
            ),
            Slot("coin", ("coins",), weight=0.1),
        ),
        bare=(
            frozenset({"units", "cells"}),
            frozenset({"units", "bad"}),
            frozenset({"units", "way"}),
            frozenset({"units", "places"}),
        ),
        bare_partial=True,
        noise=frozenset(
            {"btype", "cell_word", "arrow", "troops", "then", "first", "me", "each_word", "stay", "commander_word", "landing"}
        ),
        at_most={"units": 3, "cells": 14, "places": 2},
        score=_move_score,
        make=_move,
    ),
    Frame(
        "embark",
        ("embark",),
        (UNITS, CELLS, MONEY),
        noise=frozenset({"go", "troops"}),
        score=lambda fill: 0.3,
        make=_embark,
        inherits=False,
        at_most={"cells": 1, "money": 1, "units": 2},
    ),
    Frame(
        "disembark",
        ("disembark",),
        (UNITS, CELLS),
        noise=frozenset({"go", "embark", "troops"}),
        score=lambda fill: 0.3,
        make=_disembark,
        inherits=False,
        at_most={"cells": 1, "units": 2},
    ),
    Frame(
        "siege",
        ("siege", "lift"),
        (
            UNITS,
            PLACES,
            Slot("cells", ("cell",), many=True),
            BAD,
            BTYPE,
            LAND,
            Slot("lifting", ("lift", "~withdraw"), many=True, weight=0.6),
            Slot("coin", ("coins",), weight=0.1),
        ),
        alone=("siege",),
        noise=frozenset({"take", "go", "then", "disband"}),
        at_most={"units": 2, "cells": 2},
        score=_siege_score,
        make=_siege,
        weight=0.3,
        inherits=False,
    ),
    Frame(
        "build",
        ("build",),
        (UNITS, BTYPE, LEVEL, CELLS, BAD, LAND, MONEY),
        bare=(frozenset({"units", "btype"}),),
        noise=frozenset({"troops", "me", "cell_word", "give", "first", "then", "mine_land"}),
        at_most={"units": 2, "cells": 1, "btype": 2, "money": 2},
        score=_build_score,
        make=_build,
    ),
    Frame(
        "forge_mithril",
        ("forge",),
        (UNITS, MONEY, Slot("level", ("level",), many=True, weight=0.3), Slot("dress", ("forge",), many=True, weight=0.2)),
        noise=frozenset({"troops", "me", "build"}),
        at_most={"units": 2, "money": 1},
        score=lambda fill: 0.5,
        make=_forge,
        inherits=False,
        weight=0.3,
    ),
    Frame(
        "annex",
        ("annex", "to_me"),
        (UNITS, CELLS, Slot("players", ("player",)), Slot("self", ("to_me",), many=True, weight=0.4)),
        noise=frozenset({"troops", "take", "pass_over", "agree", "me"}),
        at_most={"units": 3, "cells": 2},
        score=_annex_score,
        make=_annex,
        inherits=False,
    ),
    Frame(
        "disband",
        ("disband",),
        (UNITS, CELLS),
        noise=frozenset({"confirm", "troops", "go", "me"}),
        at_most={"units": 3, "cells": 1},
        score=needs(("units",), bonus=0.2),
        make=_disband,
    ),
)
