"""Spells, rituals, the ogres' city, the camp, and the rest of a turn's orders (§3.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Fill, Match, Output
from parsers.russian import ORDERING, Verb
from parsers.types import Problem, Severity
from rules.steel_rose.data import game_data
from rules.steel_rose.language.cohesion import AFTER, LEAD
from rules.steel_rose.language.common import (
    CITY,
    ask,
    called,
    city_of,
    has,
    nearby,
    only_some,
    refusal,
    unknown_city,
    unknown_name,
    values,
)
from rules.steel_rose.language.diplomacy import named_factions
from rules.steel_rose.language.fates import CAPTURES
from rules.steel_rose.language.joins import ARMIES
from rules.steel_rose.language.names import CULT, tables
from rules.steel_rose.language.senses import number_of, unit_of
from rules.steel_rose.language.units import bad_number, count_problem, counted
from rules.steel_rose.refusals import listed, refuse


def make_strange_magic(match: Match, context: Context) -> Iterable[Output]:
    """A spell or a ritual that the game doesn't have."""
    kind, name = values(match, "badmagic")[0]
    if kind == "ritual":
        known = listed(r.name_ru for r in game_data().rituals.values())
        return [refusal(context, match, refuse("E_UNKNOWN_RITUAL", x=name, list=known), Severity.ERROR)]
    known = listed(s.name_ru for s in game_data().spells.values())
    return [refusal(context, match, refuse("E_UNKNOWN_SPELL", x=name, list=known), Severity.ERROR)]


def make_spell(match: Match, context: Context) -> Iterable[Output]:
    spell = values(match, "spell")[0]
    target = game_data().spells[spell].target
    command: dict[str, Any] = {"type": "cast_spell", "spell": spell}
    if target in ("own_city", "own_ruins"):
        city = city_of(context, match)
        if isinstance(city, Problem):
            return [city]
        if city is None:
            if not any(a.has("cast") for a in match.atoms) and match.triggers and not match.triggers[0].bold:
                return []
            return [ask(context, match, "spell_where", spell=context.title("spell", spell))]
        named = [f.value for f in match.slots.get("city", ()) if not f.ref and f.atom.prep not in {"от", "из", "у", "с"}]
        return [context.reading(match, {**command, "city": c}) for c in (dict.fromkeys(named) or [city])]
    if target == "own_army":
        numbers = values(match, "army", "armynumber")
        return [context.reading(match, {**command, "army": numbers[0] if numbers else 1})]
    factions = named_factions(match, context)
    if not factions:
        return [ask(context, match, "spell_whom", spell=context.title("spell", spell))]
    return [context.reading(match, {**command, "faction": f}) for f in factions]


def score_spell(fill: Fill) -> float | None:
    spells = [s for a in fill.atoms for s in [a.get("spell")] if s is not None]
    if not spells:
        return None
    target = game_data().spells[spells[0].value].target
    if len({f.atom.data.get("sentence") for f in fill.slots.get("city", ()) if not f.ref}) > 1:
        return None  # «Роща — в небо. Ручей пусть стоит»
    word = next(a for a in fill.atoms if a.has("spell"))
    behind = [f.atom for f in fill.slots.get("city", ()) if f.atom.first > word.first and not f.ref]
    if behind and word.data.get(AFTER) == "." and behind[0].data.get("sentence") != word.data.get("sentence"):
        return -1.5
    if target in ("own_city", "own_ruins"):
        raised = 1.2 if called(fill, "restore", "ruins") else 0.6  # «восстановить руины Рощи зовом леса»
        return raised if "city" in fill.slots else -1.6
    if target == "own_army":
        return 0.6
    return 0.6 if "faction" in fill.slots else -1.6


def score_ritual(fill: Fill) -> float | None:
    rituals = [s for a in fill.atoms for s in [a.get("ritual")] if s is not None]
    if not rituals:
        return None
    kind = game_data().rituals[rituals[0].value]
    if "squads" in fill.slots and kind.table is None and rituals[0].value != "teleport":
        return None
    units = [unit_of(f.atom) for f in fill.slots.get("squads", ())]
    if units and kind.table is not None and not any(u in game_data().units and game_data().units[u].demon for u in units if u):
        return None  # «призвать шестерых культистов»
    if kind.target is not None and "city" not in fill.slots:
        return -1.6 if called(fill, "ritualword") else None
    return 1.2 if kind.table is not None and "squads" in fill.slots else 0.6


def score_foreign_ritual(fill: Fill) -> float | None:
    """A ritual of somebody who has none: called one, or ordered with its target; else it is but a word."""
    named = [a for a in fill.atoms for s in a.all("ritual") if game_data().rituals[s.value].target]
    aimed = [a for a in named if a.verb in ORDERING or called(fill, "target")]
    ordered = bool(aimed) and "city" in fill.slots
    return score_ritual(fill) if ordered or called(fill, "ritualword") else None


def make_ritual(match: Match, context: Context) -> Iterable[Output]:
    ritual = values(match, "ritual")[0]
    kind = game_data().rituals[ritual]
    command: dict[str, Any] = {"type": "ritual", "ritual": ritual}
    city = city_of(context, match)
    if isinstance(city, Problem):
        return [city]
    units = [(unit_of(f.atom), f) for f in match.slots.get("squads", ())]
    if kind.target is not None:
        if city is None:
            span = unknown_name(context, match, CITY)
            if span is not None:
                return [unknown_city(context, match, span)]
            return [ask(context, match, "ritual_where", ritual=context.title("ritual", ritual))]
        command["city"] = city
        named = [f.value for f in match.slots.get("city", ()) if not f.ref and len(f.senses) == 1]
        if len(named) > 1 and ritual != "teleport":
            return [context.reading(match, {**command, "city": c}) for c in dict.fromkeys(named)]
    if ritual == "teleport":
        numbers = values(match, "army", "armynumber")
        behind = [a for a in match.atoms if a.has("number") and any(t.last == a.first for t in match.triggers)]
        numbers = numbers or [n for n in map(number_of, behind) if 1 <= n <= ARMIES]  # «телепортация армии 2»
        command["army"] = numbers[0] if numbers else 1
        parts = {u: f.value[1] for u, f in units if u is not None and f.sense.kind == "squad"}
        if parts:
            command["units"] = parts
        order = {"type": "army_order", "army": command["army"], "order": "attack", "city": city}
        if context.view.faction != CULT:
            return [context.reading(match, command)]  # is refused: nobody goes there on foot instead
        if parts and not any(_fate_near(context, match, n) for n in (0, 1)):
            return [context.reading(match, command)]  # the rest of the army keeps its own order
        return [context.reading(match, command), context.reading(match, order)]
    if kind.table is not None:
        demons = [u for u, _ in units if (u is not None and game_data().units[u].demon) or u == "demonologist"]
        if not demons and ritual == "summon":
            demons = _called_up(context, match)
        if demons:
            command["demons"] = demons[0]
    return [context.reading(match, command)]


def _called_up(context: Context, match: Match) -> list[str]:
    """«Призыв; и придут пятнадцать низших демонов»: who is told to come in the rest of the sentence or in the next."""
    behind = [
        a for n in (0, 1) for a in context.by_sentence.get(match.sentence + n, ()) if a.first >= match.last and not a.negated
    ]
    called_ = {u for u in map(unit_of, behind) if u is not None and game_data().units[u].demon}
    return list(called_) if len(called_) == 1 else []


def _fate_near(context: Context, match: Match, further: int) -> bool:
    """A city's fate is told in the sentence of a match, or so many sentences further."""
    inside = context.by_sentence.get(match.sentence + further, [])
    return any(a.has(*CAPTURES) and a.first > match.first for a in inside)


def _left_behind(road: Atom) -> bool:
    """«с дороги Вальдхейм–Роща на …»: where the city comes from."""
    return road.prep in {"с", "со", "из"} or (road.prep == "" and road.data.get(LEAD) == "дороги")


def make_mobile(match: Match, context: Context) -> Iterable[Output]:
    roads = [list(f.value) for f in match.slots.get("roads", ()) if not _left_behind(f.atom)]
    if roads:
        return [context.reading(match, {"type": "move_mobile_city", "path": roads})]
    if has(match, "stay"):
        if any(a.has("go", "attack", "move") and a.negated for a in nearby(context, match, "go", "attack")):
            return []  # «город стоит, никуда не едет»: told, not ordered
        return [context.reading(match, {"type": "move_mobile_city", "path": []})]
    cities = [f.value for f in match.slots.get("city", ())]
    if not cities:
        return [ask(context, match, "which_road")]
    state = context.view.state
    ways = [f"{state.cities[a].name_ru} — {state.cities[b].name_ru}" for a, b in state.roads if cities[0] in (a, b)]
    return [ask(context, match, "which_road", ways)]


def score_mobile(fill: Fill) -> float | None:
    if called(fill, "garrison"):
        return None
    if not called(fill, "mobile", "town", "go", "roadword") and not fill.inherited:
        return None
    if "roads" in fill.slots:
        return 0.4
    if called(fill, "stay"):
        return 0.0 if called(fill, "mobile", "town") and len(fill.atoms) <= 3 else None
    moves = called(fill, "go", "roadword") and called(fill, "mobile", "town")
    if "city" in fill.slots:
        return -1.0 if moves else None
    rides = any(a.has("go") and a.verb is not Verb.NONE for a in fill.atoms) and fill.atoms[0].has("mobile", "town")
    return -1.2 if rides and not fill.inherited else None


def make_garrison_mobile(match: Match, context: Context) -> Iterable[Output]:
    found, questions = counted(match, context)
    if questions:
        return questions
    garrison = next((a for a in match.atoms if a.has("garrison", "town", "mobile")), None)
    prep = garrison.prep if garrison is not None else ""
    out_ = prep in {"из", "с"} or (has(match, "out") and prep not in {"в", "во", "на"})
    units: Any = {}
    for unit, count, atom in found:
        if count is not None and bad_number(count):
            return [count_problem(match, context, unit, atom, count, "garrison_mobile")]
        units[unit] = count if count is not None else "all"
    before = context.before(garrison.span.start, "squad") if garrison is not None and _them(garrison) else None
    if not units and before is not None:
        units = {before.value[0]: before.value[1]}  # «четверо гнобларов моют посуду: их в гарнизон»
    if not units:
        units = "all"
    notes = [*match.notes(), *only_some(match, context)]
    return [
        context.reading(match, {"type": "garrison_mobile", "units": units, "direction": "out" if out_ else "in"}, notes=notes)
    ]


def _them(garrison: Atom) -> bool:
    """«их в гарнизон»: units named before."""
    return garrison.data.get(LEAD) in {"их", "этих"} and garrison.prep in {"в", "во", "из"}


def score_garrison_mobile(fill: Fill) -> float | None:
    """A garrison is filled or emptied, or units stay in or guard «город»: the ogres have but one."""
    garrison = next((a for a in fill.atoms if a.has("garrison")), None)
    if "squads" not in fill.slots:
        if garrison is None:
            return None
        emptied = called(fill, "out") and garrison.prep in {"из", "с"} and "number" in fill.slots
        return 0.4 if emptied or (_them(garrison) and len(fill.triggers) == 1) else None
    if garrison is not None:
        return 0.8
    town = next((a for a in fill.atoms if a.has("town", "mobile")), None)
    if town is None:
        return None
    if town.prep in {"в", "во"} and (called(fill, *_KEEPING) or fill.slots["squads"][0].sense.kind == "squad"):
        return 0.6
    if town.prep in {"из", "с"} and called(fill, "out", "seize"):
        return 0.6
    guarded = town.prep == "" and any(a.has("defend", "stay") and a.first < town.first for a in fill.atoms)
    return 0.6 if guarded and fill.slots["squads"][0].sense.kind == "squad" else None


_KEEPING = ("defend", "stay", "wanted", "build")


def make_camp(match: Match, context: Context) -> Iterable[Output]:
    road = match.value("roads")
    if road is None:
        cities = [f.value for f in match.slots.get("city", ())]
        if not cities:
            return []
        state = context.view.state
        ways = [f"{state.cities[a].name_ru} — {state.cities[b].name_ru}" for a, b in state.roads if cities[0] in (a, b)]
        return [ask(context, match, "which_road", ways)]
    return [context.reading(match, {"type": "move_camp", "road": list(road)})]


def score_transfer(fill: Fill) -> float | None:
    goods = {"money", "squads"} & set(fill.slots) or called(fill, "powder")
    if "faction" in fill.slots:
        return 0.3 if goods else None
    return -0.4 if "money" in fill.slots and not all(f.sense.kind == "number" for f in fill.slots["money"]) else None


def make_transfer(match: Match, context: Context) -> Iterable[Output]:
    return [refusal(context, match, refuse("E_NO_TRANSFER"), Severity.ERROR)]


def make_retreat(match: Match, context: Context) -> Iterable[Output]:
    text = tables()["asks"]["unknown"].format(text=context.text(match.span))
    return [context.problem(match, "unknown_order", text, severity=Severity.ERROR, draft={})]


def make_restart(match: Match, context: Context) -> Iterable[Output]:
    context.memory["restart"] = True
    context.memory["restart_span"] = match.span
    return []


def make_pass(match: Match, context: Context) -> Iterable[Output]:
    return [context.reading(match, {"type": "pass"})]


def make_last_turn(match: Match, context: Context) -> Iterable[Output]:
    return [ask(context, match, "last_turn")]
