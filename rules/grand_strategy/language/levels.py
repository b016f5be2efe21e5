"""What becomes of houses and mines: their levels, up and down (§3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parsers.atoms import Atom
from parsers.frames import Fill, Frame, Output, Slot
from parsers.types import Severity
from rules.grand_strategy.language.house_joins import RANKS
from rules.grand_strategy.language.making import maker
from rules.grand_strategy.language.said import Said
from rules.grand_strategy.language.slots import BAD, BTYPE, CELLS, LAND, LEVEL, MONEY, PLACES, called

_HOUSES = ("tower", "manor", "castle", "city", "lord_house")
_LEVELS = ("silver", "gold", "mithril")
BY_TROOPS = ("outpost", "tower", "fortress", "mine")
"""What troops build where they stand."""
_RAISED = tuple(kind for kind in BY_TROOPS if kind != "mine")
"""What may be «raised» anew; of a mine the word tells its level."""


@maker
def _upgrade(said: Said) -> Iterable[Output]:
    said.check_cells()
    state = said.state
    spots = [a for a in said.atoms("places") + said.atoms("cells") + said.atoms("btype") if a.prep != "до"]
    named = said.building(foreign=True) if spots else None
    if named is None:
        named = said.building(default_own=not spots)
    raised = _raised(said, named, spots)
    if raised is not None:
        return [raised]
    if named is None:
        raise said.stop("ambiguous", "Какой дом лорда повысить?", draft={"type": "upgrade"})
    for atom in said.atoms("btype"):
        if atom.prep == "до" and atom.senses[0].value not in _HOUSES:
            said.unsure(f"«{atom.text}» — не ступень дома лорда")
    building = state.buildings.get(named)
    if building is not None and state.building_types[building.type].mine:
        level = next((str(a.get("level").value) for a in said.atoms("level")), None)  # type: ignore[union-attr]
        if level is not None:
            return [said.read({"type": "deepen", "building": named, "level": level})]
    return [said.read({"type": "upgrade", "building": named})]


def _raised(said: Said, cell: str | None, spots: Sequence[Atom]) -> Output | None:
    """«Поднять башню на Ж9», «там поднимут башню»: a new work where none stands, or only another's; asked."""
    works = [str(s.value) for a in said.atoms("btype") if a.prep != "до" for s in a.all("btype") if s.value in _RAISED]
    house = said.state.buildings.get(cell or "")
    named = any(a.has("cell", "house", "garrison") for a in spots)
    held = house is not None and (house.owner == said.me or any(said.at(u) == cell for u in said.own()))
    if len(works) != 1 or held or (named and house is not None):
        return None
    said.unsure("построить новое или повысить то, что стоит?")
    return said.read({"type": "build", "unit": said.default_actor(), "what": works[0]})


def _become_score(fill: Fill) -> float | None:
    """«Трону быть замком», «из Трона сделать замок»: a house and what it is to be."""
    slots = fill.slots
    kinds = slots.get("btype", ())
    if not called(fill, "become") or not kinds or not slots.keys() & {"places", "cells"}:
        return None
    return 0.6 if _becomes(tuple(f.atom for f in kinds)) is not None else None


def _becomes(kinds: Sequence[Atom]) -> Atom | None:
    houses = [a for a in kinds if any(s.value in RANKS for s in a.all("btype")) and a.prep != "из"]
    return next((a for a in houses if "ablt" in a.cases or a.prep in {"в", "до"}), houses[-1] if len(houses) == 1 else None)


@maker
def _become(said: Said) -> Iterable[Output]:
    aim = _becomes(said.atoms("btype"))
    building = said.building(slots=("places", "cells"))
    house = said.state.buildings.get(building or "")
    wanted = str(aim.get("btype").value) if aim is not None else ""  # type: ignore[union-attr]
    if house is None or house.type not in RANKS or wanted == house.type:
        raise said.stop("ambiguous", "Повысить или понизить этот дом?", draft={"type": "upgrade"})
    step = RANKS.index(wanted) - RANKS.index(house.type)
    if abs(step) > 1:
        said.unsure("за ход дом меняется на одну ступень")
    return [said.read({"type": "upgrade" if step > 0 else "downgrade", "building": house.cell})]


def _upgrade_score(fill: Fill) -> float | None:
    slots = fill.slots
    if up_to(fill):
        return None  # «рудник на В10 поднять до золотого»
    if not called(fill, "upgrade"):
        if called(fill, "gain") and any(f.atom.has("level_word") for f in slots.get("level", ())):
            return 0.6 if slots.keys() & {"places", "cells", "btype"} else None  # «Трон прибавляет уровень»
        # «строю поместье вместо башни в Устье»
        if called(fill, "build") and called(fill, "instead_of") and slots.keys() & {"places", "cells"}:
            return 1.0
        return None
    return 0.3 if slots.keys() & {"places", "cells", "btype", "bad"} else None


@maker
def _deepen(said: Said) -> Iterable[Output]:
    said.check_cells()
    state = said.state
    cells = said.cells() or [c for c in (said.building(),) if c]
    if not cells:
        own = said.buildings("mine", said.me)
        if len(own) != 1:
            raise said.stop("ambiguous", "Какой рудник углубить? Назовите клетку.", draft={"type": "deepen"})
        cells = [own[0].cell]
    levels = [str(a.get("level").value) for a in said.atoms("level")]  # type: ignore[union-attr]
    if levels:
        level = levels[-1]
    elif said.has("to_limit"):
        level = state.board.data.sites.get(cells[0], "mithril")
    else:
        building = state.buildings.get(cells[0])
        now = state.building_types[building.type].level if building and state.building_types[building.type].mine else 1
        if building is None or now >= len(_LEVELS):
            raise said.stop("ambiguous", "До какого уровня углубить?", draft={"type": "deepen", "building": cells[0]})
        level = _LEVELS[now]
        said.unsure(f"уровень не назван: следующий, {said.context.title('level', level)}")
    return [said.read({"type": "deepen", "building": cells[0], "level": level})]


def _deepen_score(fill: Fill) -> float | None:
    slots = fill.slots
    levels = slots.get("level", ())
    if called(fill, "deepen") and called(fill, "upgrade", "downgrade"):
        return None
    if up_to(fill) and "places" not in slots and slots.keys() & {"cells", "btype"}:
        return 0.7 if fill.triggers else 0.3
    if called(fill, "deepen"):
        return 0.5 if slots.keys() & {"cells", "places", "btype", "level", "bad"} else None
    if fill.inherited:
        return 0.0 if "cells" in slots and "level" in slots else None
    if fill.triggers:
        return None
    if len(levels) == 2 and "cells" in slots:
        return 0.4
    return 0.2 if "limit" in slots and slots.keys() & {"cells"} and "btype" in slots else None


def up_to(fill: Fill) -> bool:
    """«рудник копать до золота»: a mine that is there already, by the level it is to reach."""
    return any(f.atom.has("level") and f.atom.prep == "до" for f in fill.slots.get("level", ()))


def _downgrade_score(fill: Fill) -> float | None:
    named = bool(fill.slots.keys() & {"places", "cells", "btype", "bad", "level"})
    if up_to(fill):
        return None  # «шахту В10 опустить до золота»
    if called(fill, "downgrade"):
        return 0.4 if named else None
    taken = fill.has("level") and bool(fill.slots.keys() & {"places", "cells", "btype"})
    return 0.9 if taken and called(fill, "lift") else None  # «снять с Лориэна уровень»


@maker
def _downgrade(said: Said) -> Iterable[Output]:
    said.check_cells()
    building = said.building(foreign=True)
    if building is None and said.memory.get("house"):
        building = None
    if building is None:
        before = said.context.before(said.match.span.start, "house", live=True)
        near = (
            before is not None
            and said.context.layout.sentence_of[said.match.first] - said.context.layout.sentence_of[before.atom.first] <= 1
        )
        if not said.atoms("btype") and before is not None and near:
            building = str(before.value)
    if building is None:
        raise said.stop("ambiguous", "Какое строение понизить?", draft={"type": "downgrade"}, severity=Severity.QUESTION)
    return [said.read({"type": "downgrade", "building": building})]


FRAMES = (
    Frame(
        "upgrade",
        ("upgrade", "build", "instead_of", "gain"),
        (PLACES, CELLS, BTYPE, BAD, LAND, Slot("level", ("level_word", "level"), many=True, weight=0.4), MONEY),
        noise=frozenset({"me", "troops"}),
        at_most={"cells": 1, "btype": 2, "money": 1, "places": 1, "level": 2},
        score=_upgrade_score,
        make=_upgrade,
    ),
    Frame(
        "become",
        ("become",),
        (PLACES, CELLS, BTYPE, MONEY),
        noise=frozenset({"me", "upgrade", "downgrade"}),
        at_most={"cells": 1, "btype": 2, "money": 1, "places": 1},
        score=_become_score,
        make=_become,
        inherits=False,
    ),
    Frame(
        "deepen",
        ("deepen", "build", "upgrade", "downgrade"),
        (CELLS, PLACES, BTYPE, LEVEL, BAD, Slot("limit", ("to_limit",), weight=0.6), MONEY),
        bare=(frozenset({"cells", "level"}), frozenset({"cells", "limit"})),
        noise=frozenset({"build", "upgrade", "downgrade", "arrow", "go", "level_word"}),
        at_most={"cells": 1, "btype": 1, "money": 1, "level": 2},
        score=_deepen_score,
        make=_deepen,
        weight=0.2,
    ),
    Frame(
        "downgrade",
        ("downgrade", "lift"),
        (
            PLACES,
            CELLS,
            BTYPE,
            BAD,
            LAND,
            Slot("level", ("level_word",), weight=0.5),
            Slot("drop", ("~withdraw",), weight=0.4),
            MONEY,
        ),
        noise=frozenset({"me", "to_limit"}),
        at_most={"cells": 1, "btype": 3, "places": 1, "money": 1},
        score=_downgrade_score,
        make=_downgrade,
        inherits=False,
        weight=0.2,
    ),
)
