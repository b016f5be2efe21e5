"""What troops do where they stand: sieges, building, mithril, annexation, disbanding (§3)."""

from __future__ import annotations

from collections.abc import Iterable

from parsers.frames import Fill, Frame, Output, Slot, choice
from parsers.harmless import harmless
from parsers.russian import Verb, closed_class, info
from parsers.tokens import Kind
from parsers.types import Severity
from rules.grand_strategy.language.levels import BY_TROOPS, up_to
from rules.grand_strategy.language.making import maker
from rules.grand_strategy.language.said import Said, text_of
from rules.grand_strategy.language.slots import (
    BAD,
    BTYPE,
    CELLS,
    LAND,
    LEVEL,
    MONEY,
    PLACES,
    UNITS,
    called,
    needs,
)
from rules.grand_strategy.language.ways import TO, led_to, walk


def _asked_before(said: Said) -> str | None:
    """«Лориэн осаждать будем ли? Будем: дружина, в осаду.»: the house of the question that this answers."""
    index = said.match.sentence - 1
    sentence = said.context.layout.sentences[max(0, index)]
    asked = said.context.by_sentence.get(index, []) if index >= 0 else []
    mark = any(t.norm == "?" for t in said.context.layout.tokens[sentence.first : sentence.last])
    houses = [a for a in asked if a.has("house")]
    return said.cell_of(houses[0]) if mark and len(houses) == 1 and any(a.has("siege") for a in asked) else None


@maker
def _siege(said: Said) -> Iterable[Output]:
    said.check_cells()
    building = said.building(foreign=True) or said.building(slots=("which",), foreign=True)
    if building is None and said.has("~person"):
        before = said.context.before(said.match.span.start, "house")
        same = before is not None and said.context.layout.sentence_of[before.atom.first] == said.match.sentence
        building = str(before.value) if before is not None and same else None  # «подходим к Бродам и осаждаем их»
    named = [said.unit(a) for a in said.atoms("units") if building is None or not a.has("~person")]
    units = [u for u in named if said.mine(u)] or named
    beside = said.context.layout.tokens[max(0, said.match.first - 1) : said.match.last + _OVER]
    lifted = bool(said.words("lift", "~withdraw")) or any(t.norm in _ENDS for t in beside)
    if lifted:
        unit = units[0] if units else said.default_actor()
        behind = said.near("house", behind=1) if building is None else None
        if behind is not None and behind.prep in {"с", "со", "от"}:
            building = said.cell_of(behind)  # «снимает осаду с Лориэна и уходит»
        if building is None:
            found = said.unit_object(unit)
            building = found.siege if found is not None else None
        return [said.read({"type": "lift_siege", "unit": unit, "building": building})]
    unit = units[0] if units else said.default_actor()
    building = building or _asked_before(said)
    if building is None or (building not in said.state.buildings and not said.words_after("siege", "cells")):
        raise said.stop("ambiguous", "Какой дом лорда осадить?", draft={"type": "siege", "unit": unit})
    gone = walk(said, unit, "siege", keep=[building])
    command = {"type": "siege", "unit": unit, "building": building}
    if any(dict(r.command) == command for r in said.context.readings):
        return gone  # «Осадить Устье! Дружина берёт башню в кольцо.»: said twice
    return [*gone, said.read(command)]


_ENDS = frozenset({"конец", "финиш"})
_OVER = 2
"""Tokens behind a siege that may tell its end («осаде Бродов пришёл конец»)."""
lift = _siege
"""The `make` of a siege, for a withdrawal («снимаю осаду»)."""


def _siege_score(fill: Fill) -> float | None:
    besieged = [f.atom.first for f in fill.slots.get("places", ())]
    gone = [f.atom.first for f in fill.slots.get("cells", ()) if f.atom.prep in {"на", "до"}]
    if besieged and gone and max(gone) > max(besieged):
        return None  # «осаду с Лориэна снять, дружину на З7»
    if called(fill, "siege"):
        dropped = "lifting" in fill.slots or called(fill, "lift")
        lifted = 1.0 if dropped else 0.0
        return 0.5 + lifted if dropped or fill.slots.keys() & {"places", "cells", "units", "btype", "lifting", "bad"} else None
    # «отпускаем Кровавый Стан»
    return 0.0 if "places" in fill.slots and called(fill, "lift") and not fill.slots.keys() & {"units"} else None


# ------------------------------------------------------------------------------------------------ works


def _build_score(fill: Fill) -> float | None:
    if up_to(fill):
        return None
    if not fill.slots.keys() & {"btype", "level"}:
        return None
    if not fill.triggers and not fill.inherited:
        return _bare_build(fill)
    if "btype" not in fill.slots and not called(fill, "build"):
        return None
    if fill.triggers and _goes_first(fill):
        return None
    if called(fill, "grow") and not called(fill, "build"):
        return 0.8 if _grows(fill) else None
    return 0.2


def _grows(fill: Fill) -> bool:
    """«на С9 вырастает застава», «тут быть башне»: a work that comes to stand by itself, where it is told."""
    works = fill.slots.get("btype", ())
    if len(works) != 1 or works[0].value not in BY_TROOPS or works[0].atom.prep or not fill.slots.keys() & {"cells", "there"}:
        return False
    be = any(a.verb is Verb.INFINITIVE for a in fill.triggers)  # «быть заставе»
    placed = all(f.atom.prep in {"на", "в"} for f in fill.slots.get("cells", ()))
    return placed and bool(works[0].atom.cases & ({"datv"} if be else {"nomn"}))


def _bare_build(fill: Fill) -> float | None:
    """Without a verb: «стража: застава», «башню на С8», «там мифрил»."""
    slots = fill.slots
    what = slots["btype"][0].value if "btype" in slots else None
    if what is not None and what not in BY_TROOPS:
        return None
    named = slots["btype" if what is not None else "level"][0].atom
    if named.prep or (named.cases and not named.cases & {"accs", "nomn"}):
        return None
    if "units" in slots:
        told = what is not None or " " in named.text  # «серебряный рудник — стражей»
        return -0.4 if told else None
    if what == "mine" and "level" in slots:
        return -0.6
    if what is None:
        return -0.2 if "there" in slots else None
    return -0.4 if slots.keys() & {"cells", "there"} else None


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
    if cell in said.state.buildings and said.has("grow") and not said.has("build"):
        return [said.read({"type": "upgrade", "building": cell})]  # «на З10 вырастает башня»
    if not said.match.triggers and not said.match.inherited and _told_of(said, cell):
        return []
    if _several(said):
        raise said.stop("ambiguous", "За ход войско строит что-то одно. Что и где?", draft={"type": "build", "what": what})
    if what in ("manor", "castle", "city", "lord_house"):
        title = next((a.text for a in said.atoms("btype")), "")
        raise said.stop("cannot_build_directly", text_of("cannot_build_directly", what=title), severity=Severity.ERROR)
    units = said.named()
    if units:
        unit = units[0]
    else:
        there = [u for u in said.own() if cell is not None and said.at(u) == cell]
        unit = there[0] if len(there) == 1 else said.default_actor()
    goes = said.has("go")
    gone = walk(said, unit, *(() if goes else ("build",))) if said.mine(unit) and not _at_place(said, unit) else []
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
    return [*gone, said.read({"type": "build", "unit": unit, "what": what, "level": level if what == "mine" else None})]


def _several(said: Said) -> bool:
    """«две заставы»: a number right before what is built."""
    works = {a.first for a in said.atoms("btype")}
    counted = (a for a in said.atoms("money") if a.has("number") and a.last in works)
    return any(isinstance(s.value, int) and 1 < s.value < _MANY for a in counted for s in a.all("number"))


_MANY = 10
"""From this number on it is a sum."""


def _at_place(said: Said, unit: str) -> bool:
    """«заставу на Ж5 эльфами», «возводят на С9 заставу»: the cell is the work's place, not a way."""
    if said.has("go") or said.atoms("there") or any(led_to(said, a, unit) for a in said.atoms("cells")):
        return False
    units = said.atoms("units")
    if not said.match.triggers and units and any(a.first > units[0].first and a.prep in TO for a in said.atoms("cells")):
        return False  # «стража на Г8, заставу»
    tokens = said.context.layout.tokens
    return not any(a.first and tokens[a.first - 1].norm in {"-", "→", ">"} for a in said.atoms("cells"))


def _told_of(said: Said, cell: str | None) -> bool:
    """«Башня на З10 пустует»: what stands there already, or a clause with a verb of its own, orders nothing."""
    if cell is not None and cell in said.state.buildings:
        return True
    layout = said.context.layout
    sentence = layout.sentences[said.match.sentence]
    works = said.atoms("btype")
    if said.atoms("there") and works and "nomn" in works[0].cases and not said.inside(works[0].last):
        behind = info(layout.tokens[min(works[0].last, sentence.last - 1)].norm)
        if "nomn" in behind.cases and behind.colours:
            return True  # «(там башня нейтральная)»
    for i in range(sentence.first, sentence.last):
        if i - said.match.first >= -6 and i - said.match.last <= 4 and layout.tokens[i].kind is Kind.WORD:
            norm = layout.tokens[i].norm
            verb = info(norm).verb if norm not in closed_class() else Verb.NONE
            if verb in (Verb.THIRD, Verb.PAST) and not said.inside(i):
                return True
            told = verb in (Verb.INFINITIVE, Verb.ORDER, Verb.IMPERATIVE) and 0 <= i - said.match.last <= 1
            ordered = any(
                a.first <= i < a.last and not a.has("deny", "lift") for a in said.context.by_sentence[said.match.sentence]
            )
            if told and not ordered and not harmless(norm):
                return True  # «рудник на В10 закрыть»: another verb's object
    return False


@maker
def _forge(said: Said) -> Iterable[Output]:
    units = [u for u in said.named() if said.mine(u)] or said.named()
    unit = units[0] if units else said.personal() or said.default_actor()
    return [said.read({"type": "forge_mithril", "unit": unit})]


# ------------------------------------------------------------------------------------------------ annexation, disbanding


def _annex_score(fill: Fill) -> float | None:
    if not fill.slots.keys() & {"units", "cells"}:
        return None
    taken = any(a.has("take", "pass_over", "let") for a in fill.atoms)
    return 0.3 if called(fill, "annex") or (taken and "units" in fill.slots) else None


@maker
def _annex(said: Said) -> Iterable[Output]:
    named = said.named()
    cells = said.cells()
    mine = [u for u in named if said.mine(u)]
    others = [u for u in named if not said.mine(u)]
    if not others and cells:
        others = [u.id for u in said.state.units.values() if u.cell in cells and u.owner != said.me]
    guest = next((p for a in said.atoms("players") if (p := said.player_of(a)) not in (None, said.me)), None)
    if not others and mine and guest is not None:  # «Радомир может присоединить этих эльфов»
        denial = said.near("deny", "refuse", behind=2)
        here = denial is not None and said.context.layout.sentence_of[denial.first] == said.match.sentence
        agree = False if here else None  # «… присоединить моё войско не позволю»
        return [said.read({"type": "consent", "topic": "annex", "player": guest, "unit": mine[0], "agree": agree})]
    if not others:
        raise said.stop("no_such_unit", "Какое войско присоединить? Назовите его или клетку.", draft={"type": "annex"})
    unit = mine[0] if mine else said.personal() or said.default_actor()
    agreed = said.near("agree", behind=6) is not None
    return [said.read({"type": "annex", "unit": unit, "target": others[0], "consent": True if agreed else None})]


def _confirmed(said: Said) -> bool:
    """«подтверждаю» beside it, or in the sentences behind that tell of these troops alone («Да, то самое. Уверен.»)."""
    if said.near("confirm", behind=6) is not None:
        return True
    for index in range(said.match.sentence + 1, said.match.sentence + 1 + _CONFIRMED_IN):
        atoms = said.context.by_sentence.get(index, [])
        if not all(a.has("confirm", "unit", "personal", "utype", "troops", "agree", "me", "~person") for a in atoms):
            return False
        if any(a.has("confirm") and not a.negated for a in atoms):
            return True
    return False


_CONFIRMED_IN = 3
"""Sentences behind a disbanding that may confirm it."""


@maker
def _disband(said: Said) -> Iterable[Output]:
    named = list(dict.fromkeys(said.named()))
    if not named:
        named = [said.default_actor()]
    out: list[Output] = []
    for unit in named:
        found = said.unit_object(unit)
        if found is not None and found.personal and found.owner == said.me and not _confirmed(said):
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
        ("build", "grow"),
        (UNITS, BTYPE, LEVEL, CELLS, BAD, LAND, MONEY, Slot("there", ("~place", "there"), weight=0.5)),
        bare=(
            frozenset({"units", "btype"}),
            frozenset({"units", "level"}),
            frozenset({"cells", "btype"}),
            frozenset({"there", "btype"}),
            frozenset({"btype", "level"}),
            frozenset({"there", "level"}),
        ),
        noise=frozenset({"go", "troops", "me", "cell_word", "give", "first", "then", "mine_land"}),
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
        noise=frozenset({"troops", "take", "pass_over", "agree", "me", "let", "go", "allow"}),
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
