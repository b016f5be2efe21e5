"""What houses do: hiring (§3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from parsers.atoms import Atom
from parsers.frames import Fill, Frame, Output, Slot, choice
from parsers.russian import info
from parsers.types import Severity
from rules.grand_strategy.language.making import maker
from rules.grand_strategy.language.names import school_of, stems
from rules.grand_strategy.language.said import Said, text_of
from rules.grand_strategy.language.slots import (
    BAD,
    BTYPE,
    CELLS,
    LAND,
    PLACES,
    SCHOOL,
    called,
)
from rules.grand_strategy.names import building_name

_INTO = {"places": {"в", "во", "на", ""}, "btype": {"в", "во"}, "cells": {"в", "во", "на"}}
_HOUSES = ("tower", "manor", "castle", "city", "lord_house")


def _hire_score(fill: Fill) -> float | None:
    slots = fill.slots
    kinds = slots.get("units", ())
    if not kinds and called(fill, "hire") and slots.keys() & {"places", "btype"}:
        return -0.8
    if not any(f.sense.kind in ("utype", "personal") for f in kinds):
        return None
    if "school" in slots and not any(f.value == "mage" for f in kinds):
        return None  # «эльфы кругом леса»
    if "players" in slots and not any(a.has("restore", "personal") for a in fill.atoms):
        return None  # «нанять орков в Стане, Аэлин 5 монет»
    if "cells" in slots and called(fill, "build"):
        return None  # «орков нанять, поставить на Т9»
    if "cells" in slots and slots.keys() & {"places", "btype"} and slots["cells"][0].atom.prep in {"на", "до"}:
        return None  # «орков в Стан, сразу на С9»
    if "places" in slots and any(f.value not in _HOUSES for f in slots.get("btype", ())):
        return None  # «На месте застава. Набор в Лориэн: эльфы.»
    works = [f.atom.first for f in slots.get("btype", ()) if not f.atom.prep]
    if kinds and works and "places" in slots and works[0] < kinds[0].atom.first < slots["places"][0].atom.first:
        return None  # «там башня орков в Стан»: a work and then a hire
    if called(fill, "takes_in") and not called(fill, "hire"):
        housed = slots.keys() & {"places", "btype"} and any(f.value != "personal" for f in kinds)
        return 0.4 if housed else None  # «Трон пускай примет отряд гномов»
    if fill.triggers and not called(fill, "hire"):
        ships = any(f.value == "ship" for f in kinds)
        return 0.6 if ships and slots.keys() & {"places", "btype", "cells"} else None  # «строим корабль в Устье»
    if fill.triggers:
        return 0.4
    if kinds and not any(f.sense.kind == "utype" for f in kinds):
        return None  # «личка пусть на У8 сходит»
    if fill.inherited:
        taught = "school" not in slots or any(f.value in ("mage", "personal") for f in kinds)
        return 0.0 if taught else None  # «Эльфы вокруг горы: В4, В5»
    placed = [f for n in ("places", "btype", "cells") for f in slots.get(n, ()) if f.atom.prep in _INTO[n]]
    first_unit = kinds[0].atom.first if kinds else 0
    placed += [f for f in slots.get("btype", ()) if not f.atom.prep and f.atom.first < first_unit and f.value in _HOUSES]
    placed += [f for f in slots.get("cells", ()) if not f.atom.prep and f.atom.first < first_unit]
    placed += [*slots.get("place_ref", ()), *slots.get("vacancy", ())]
    if not placed:
        return None
    if any(a.has("first", "behind", "last_place") for a in fill.atoms):
        return None  # «впереди Стан, потом всадники»
    named = [f.atom for f in kinds]
    if all(a.cases and not a.cases & {"accs", "gent"} for a in named) and all(
        f.atom.cases and not f.atom.cases & {"accs", "nomn"} for f in placed
    ):
        # «в городе орда жиреет» tells, «Эльфы в Лориэне.» orders
        return -0.5 if all(a.data.get("bare") for a in fill.atoms) else None
    into = any(f.atom.prep in {"в", "во"} for f in placed)
    if "cells" in slots and not into and slots["cells"][0].atom.first > first_unit:
        return None
    if "cells" in slots and slots["cells"][0].atom.last <= first_unit and len(slots["cells"]) == 1 == len(kinds):
        return 0.2 if not slots["cells"][0].atom.prep else 0.1 if into else -0.5  # «Т8: орки» in a list of ways
    return 0.1 if into else -0.5


@maker
def _hire(said: Said) -> Iterable[Output]:
    said.check_cells()
    state = said.state
    tokens = said.context.layout.tokens
    if said.match.inherited and any(t.norm == "не" for t in tokens[said.match.last : said.match.last + 2]):
        return []  # «эльфы никуда не идут»
    named = said.atoms("units") or _spoken_of(said)
    if not named:
        return [_guessed(said)]
    kind_atom = next(a for a in named if a.has("utype", "personal"))
    kinds = [a for a in named if a.has("utype")]
    private = [a for a in named if a.has("personal")]
    personal = said.has("restore") or (bool(private) and (bool(said.match.triggers) or not kinds or _says_private(private)))
    kind = str(kinds[0].get("utype").value) if kinds else ""  # type: ignore[union-attr]
    refs = said.atoms("place_ref")
    building = said.building()
    if building is None and refs:
        before = said.context.before(refs[0].span.start, "house")
        building = str(before.value) if before is not None else None
    called_for = bool(said.match.triggers)
    if refs and not called_for and said.last.get("type") != "hire":
        raise said.stop("ambiguous", f"Непонятно, куда: «{refs[0].text}».", draft={"type": "hire", "unit_type": kind})
    if not called_for and kind and not said.match.inherited and building is not None:
        owned = [u for u in said.own() if said.type_of(u) == kind]
        house = state.buildings.get(building)
        own_house = house is not None and house.owner == said.me
        if owned and not own_house and len(owned) == 1 and not _price(said, kind):
            reading = said.read({"type": "move", "unit": owned[0], "path": [building]})
            said.put(owned[0], building)
            return [reading]
        if owned and not _hires(said, kind_atom, kind, owned, building):
            names = [f"нанять {said.context.title('utype', kind)}", f"перевести: {said.unit_title(owned[0])}"]
            text = f"Непонятно: {' или '.join(names)}?"
            raise said.stop("ambiguous", text, choices=[choice(n) for n in names])
    if not called_for and building is not None and building not in state.buildings:
        owned = [u for u in said.own() if said.type_of(u) == kind]
        if len(owned) == 1 and said.cells():  # «Орки | С9»: those that serve already
            reading = said.read({"type": "move", "unit": owned[0], "path": said.cells()})
            said.put(owned[0], said.cells()[-1])
            return [reading]
        return [said.stop("no_building", text_of("no_building", cell=building), severity=Severity.ERROR).problem]
    mages = kind == "mage" and len(kinds) > 1 and not personal  # «некроманта и мага Леса», but «мага-некроманта»
    mages = mages and not all(tokens[a.last].norm == "-" for a in kinds[:-1]) and not _one_mage(said, kinds)
    if mages or len({a.senses[0].value for a in kinds}) > 1:
        names = [said.context.title("utype", a.senses[0].value) for a in kinds]
        raise said.stop("ambiguous", "За год дом лорда нанимает одно войско. Какое?", choices=[choice(n) for n in names])
    if building is None:
        building = said.building(default_own=True)
    if building is None:
        own = said.buildings("lord_house", said.me)
        names = [building_name(state, b) for b in own]
        if not own:
            raise said.stop("ambiguous", "В каком доме лорда нанять?", draft={"type": "hire", "unit_type": kind})
        raise said.stop("ambiguous", text_of("ambiguous", options=" или ".join(names)), choices=[choice(n) for n in names])
    if kind == "infantry_any":
        terrain = state.board.terrain.get(building)
        kind = next((t.id for t in state.unit_types.values() if t.kind == "infantry" and t.home == terrain), "")
        if not kind:
            raise said.stop("ambiguous", "Какую пехоту нанять?", draft={"type": "hire", "building": building})
    if personal and not kind:
        kind = state.players[said.me].personal_type if said.me in state.players else "knights"
    count = _count(said, kind_atom)
    if count is not None and count != 1:
        title = said.context.title("utype", kind)
        draft = {"type": "hire", "building": building, "unit_type": kind}
        raise said.stop(
            "ambiguous",
            f"За год дом лорда нанимает одно войско. Нанять одно войско ({title}) в {building_name(state, building)}?",
            draft=draft,
            choices=[choice("Да, одно", draft)],
        )
    command: dict[str, Any] = {"type": "hire", "building": building, "unit_type": kind}
    if kind == "mage":
        school = said.school()
        have = [u.school for u in state.units.values() if u.owner == said.me and u.school]
        if school is not None:
            command["school"] = school
        elif not have:
            raise said.stop("school_needed", text_of("school_needed"), draft=command)
    if said.has("afloat", "embark"):
        command["afloat"] = True
    if personal:
        players = [p for p in (said.player_of(a) for a in said.atoms("players")) if p]
        command["personal_for"] = players[0] if players else said.me
    return [said.read(command)]


def _one_mage(said: Said, kinds: list[Atom]) -> bool:
    """«мага школы Пустынь, шаман будет»: named twice, of one school."""
    schools = {school_of(a.text) for a in kinds} | {str(s.value) for a in said.atoms("school") for s in a.all("school")}
    apart = any(t.norm == "," for t in said.context.layout.tokens[kinds[0].last : kinds[-1].first])
    return apart and len(schools - {None}) == 1


def _says_private(named: list[Atom]) -> bool:
    """«личное войско: рыцари», but not «сам»."""
    return any(a.text.lower().startswith(stems("private")) for a in named)


def _spoken_of(said: Said) -> list[Atom]:
    """«Эльфы нужны. Нанимаем их в городе»: the kind named just before."""
    if not said.atoms("they"):
        return []
    before = said.context.before(said.match.span.start, "utype", live=True)
    near = before is not None and said.match.sentence - said.context.layout.sentence_of[before.atom.first] <= 1
    return [before.atom] if before is not None and near else []


def _hires(said: Said, named: Atom, kind: str, owned: list[str], house: str) -> bool:
    """Whether «рыцари в Стан» hires although there are such troops: the price is named, «рыцарей», the house stands as the one
    that hires («Стан: рыцари»), or the troops are in it already."""
    if _price(said, kind) or said.atoms("school"):
        return True
    places = said.atoms("places") + said.atoms("btype") + said.atoms("cells")
    leads = any(not a.prep and a.first < named.first for a in places)
    hirable = "gent" in named.cases and "nomn" not in named.cases
    return leads or hirable or any(said.at(u) == house for u in owned)


def _price(said: Said, kind: str) -> bool:
    """Whether the price of that kind of troop is named."""
    known = said.state.unit_types.get(kind)
    return known is not None and any(s.value == known.cost for a in said.atoms("count") for s in a.senses)


def _guessed(said: Said) -> Output:
    """The kind is misspelt into another word («арков»): the likeliest kind, never certain."""
    for token in said.context.unknown_words(said.match.first, said.match.last):
        for sense in said.context.lexicon.guess(token.norm, "utype"):
            building = said.building() or said.building(default_own=True)
            if building is not None and sense.note:
                said.unsure(sense.note)
                return said.read({"type": "hire", "building": building, "unit_type": sense.value})
    raise said.stop("ambiguous", "Кого нанять?", draft={"type": "hire"})


def _count(said: Said, kind: Any) -> int | None:
    """How many troops were asked for; sums of money are none."""
    layout = said.context.layout
    for atom in said.atoms("count"):
        pieces = atom.has("squads") or any(info(layout.tokens[i].norm).lemmas & _PIECES for i in atom.tokens())
        beside = atom.last <= kind.first <= atom.last + 1 or (
            0 <= atom.first - kind.last <= 1 and atom.text[:1].lower() in "хx×*"
        )
        if not (beside or pieces):  # «эльфов в Лориэн, три штуки»
            continue
        if any(layout.tokens[i].norm in {"за", "(", ":"} for i in range(max(0, atom.first - 1), atom.first)):
            continue
        value = atom.senses[0].value
        if isinstance(value, int) and 1 < value < 10:
            return value
    return None


_PIECES = frozenset({"штука", "штук", "экземпляр", "отряд"})


FRAMES = (
    Frame(
        "hire",
        ("hire", "build", "takes_in"),
        (
            Slot("units", ("utype", "personal"), many=True, weight=1.15),
            PLACES,
            BTYPE,
            CELLS,
            BAD,
            LAND,
            SCHOOL,
            Slot("count", ("number", "squads", "coins"), many=True, weight=0.3),
            Slot("place_ref", ("~place",), weight=0.8),
            Slot("afloat", ("afloat", "embark"), many=True, weight=0.7),
            Slot("players", ("player",), weight=0.6),
            Slot("they", ("~person",), weight=0.3),
            Slot("vacancy", ("vacancy",), weight=0.8),
        ),
        bare=(
            frozenset({"units", "places"}),
            frozenset({"units", "btype"}),
            frozenset({"units", "place_ref"}),
            frozenset({"units", "cells"}),
            frozenset({"units", "vacancy"}),
        ),
        bare_partial=True,
        noise=frozenset(
            {
                "afloat",
                "embark",
                "troops",
                "me",
                "~once_more",
                "times",
                "restore",
                "give",
                "take",
                "service",
                "entry",
                "to_me",
                "cast",
                "enter_game",
            }
        ),
        at_most={"units": 2, "count": 3, "cells": 1, "places": 1, "btype": 1},
        score=_hire_score,
        make=_hire,
    ),
)
