"""Building, selling, raising, restoring and cleansing of cities (§3.1)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Fill, Match, Output
from parsers.russian import ORDERING
from parsers.tokens import Kind
from parsers.types import Problem, Reading, Severity, Span
from rules.steel_rose.data import game_data
from rules.steel_rose.language.cohesion import AFTER, LEAD
from rules.steel_rose.language.common import (
    CITY,
    EVERYWHERE,
    ask,
    called,
    city_of,
    has,
    nearby,
    own_cities,
    refusal,
    unknown_city,
    unknown_name,
)
from rules.steel_rose.language.names import OGRES, beginnings, tables
from rules.steel_rose.language.references import ASIDE
from rules.steel_rose.language.senses import plain_noun, value_of
from rules.steel_rose.refusals import listed, refuse


def make_build(match: Match, context: Context) -> Iterable[Output]:
    buildings = match.slots.get("building", ())
    if context.view.faction == OGRES and buildings:
        name = context.title("building", buildings[0].value)
        return [refusal(context, match, refuse("E_FACTION_BUILDING", building=name, list="—"), Severity.ERROR)]
    for filled in buildings:
        if len(filled.senses) > 1:
            return [context.which(match, "building", filled)]
    cities: list[Any] = []
    for filled in match.slots.get("city", ()):
        if filled.ref:
            if all(f.ref for f in match.slots["city"]):  # «здесь, в Ормисе»
                found = context.before(filled.atom.span.start, *CITY)
                cities += [found.value] if found is not None else []
        elif len(filled.senses) > 1:
            return [context.which(match, "city", filled)]
        elif not _next_heading(filled.atom, match, context) and not _of_what_is_replaced(filled.atom, match):
            cities.append(filled.value)
    if has(match, "too", "~same", "~once_more") and not buildings:
        if not context.outputs or context.outputs[-1][0].frame.id != match.frame.id:
            return []
        found = context.before(match.span.start, "building")
        if found is None:
            return []
        same = _all_before(context) if has(match, "~same") else [found.value]
        return [context.reading(match, {"type": "build", "city": c, "building": b}) for c in cities for b in same]
    if not buildings and _told_strange(match):
        known_ = game_data().buildings.get(context.view.faction or "", {})
        out_ = refuse("E_FACTION_BUILDING", building=_told_strange(match), list=listed(b.name_ru for b in known_.values()))
        return [refusal(context, match, out_, Severity.ERROR)]
    if not cities and has(match, *EVERYWHERE):
        named = [str(r.command["city"]) for r in context.readings if r.command["type"] == "build"]
        cities = list(own_cities(context, match, named))
    if not cities:
        span = unknown_name(context, match, CITY)
        if span is not None:
            return [unknown_city(context, match, span)]
        before = context.before(match.span.start, "city", live=True) if match.inherited else None
        told = _told_city(match, context)
        if told is not None and buildings:
            instead = any(_in_its_place(a) for a in match.triggers)
            notes = (
                match.notes()
                if instead
                else [*match.notes(), tables()["asks"]["same_city"].format(city=context.title("city", told))]
            )
            return [
                context.reading(match, {"type": "build", "city": told, "building": f.value}, span=f.atom.span, notes=notes)
                for f in buildings
            ]
        heading = _heading_city(match, context)
        if heading is not None:
            return [
                context.reading(match, {"type": "build", "city": heading, "building": f.value}, span=f.atom.span)
                for f in buildings
            ]
        if before is None:
            if not any(a.has("build") for a in match.triggers) and not match.inherited:
                return []
            own = [c.name_ru for c in context.view.state.cities.values() if c.owner == context.view.faction]
            name = context.title("building", buildings[0].value) if buildings else match.triggers[0].text
            return [ask(context, match, "which_city", own, building=name)]
        cities = [before.value]
    if context.view.faction in game_data().factions:
        known = game_data().buildings.get(context.view.faction, {})
        strange = next((f for f in buildings if f.value not in known), None)
        if strange is not None:
            name, names_ = context.title("building", strange.value), listed(b.name_ru for b in known.values())
            return [refusal(context, match, refuse("E_FACTION_BUILDING", building=name, list=names_), Severity.ERROR)]
    out: list[Output] = []
    start = match.span.start
    pairs = [(f, c) for c in cities for f in buildings]
    for n, (filled, city) in enumerate(pairs):
        end = match.span.end if n == len(pairs) - 1 else max(filled.atom.span.end, start)
        span = Span(min(start, filled.atom.span.start), end)
        out.append(context.reading(match, {"type": "build", "city": city, "building": filled.value}, span=span))
    return out


def _told_strange(match: Match) -> str:
    """What a building is called that the game doesn't have; empty where none is named."""
    return str(match.triggers[0].data.get(AFTER, "")) if match.triggers and not has(match, "building") else ""


def _of_what_is_replaced(city: Atom, match: Match) -> bool:
    """«Вместо барака в Ормисе — мануфактура в Хольмгарде»: where the other thing was to stand, and another place is told."""
    at = match.atoms.index(city)
    aside = at > 0 and match.atoms[at - 1].has(ASIDE)
    return aside and any(a.has("city") for a in match.atoms[at + 1 :])


def _all_before(context: Context) -> list[str]:
    """The buildings ordered last for one city («Кронвик: барак и ферма, Вальдхейм — то же самое»)."""
    built = [r.command for r in context.readings if r.command["type"] == "build"]
    return [str(c["building"]) for c in built if c["city"] == built[-1]["city"]]


def atoms_between(context: Context, first: int, last: int) -> Sequence[Atom]:
    """The atoms that begin at the tokens `first <= i < last`."""
    begin, end = (bisect_left(context.atoms, at, key=lambda a: a.first) for at in (first, last))
    return context.atoms[begin:end]


def _next_heading(city: Atom, match: Match, context: Context) -> bool:
    """«- ферма», «Кронвик:»: the heading of the list that follows is not the place of the item before it."""
    layout = context.layout
    index = layout.sentences[layout.sentence_of[city.first]].line
    buildings = [a for a in match.atoms if a.has("building")]
    if city.first != layout.lines[index].first or not buildings or buildings[-1].last > city.first:
        return False
    behind = layout.tokens[city.last].norm if city.last < len(layout.tokens) else ""
    return behind == ":" or city.last >= layout.lines[index].last


def _told_city(match: Match, context: Context) -> str | None:
    """The city that the order before in this sentence is about («апнуть Кронвик, потом в нём казарму»)."""
    if not context.outputs or match.inherited:
        return None
    before, made = context.outputs[-1]
    near = before.sentence == match.sentence and before.frame.id in ("upgrade_city", "sell_building", "restore_ruins")
    cities = [o.command["city"] for o in made if isinstance(o, Reading) and "city" in o.command]
    return str(cities[-1]) if near and cities else None


def _heading_city(match: Match, context: Context) -> str | None:
    """The city of the heading that the list stands under («Альтенград:», «• барак», «• ферма»)."""
    layout = context.layout
    index = layout.sentences[match.sentence].line
    before = atoms_between(context, layout.lines[index].first, match.first)
    if before and before[0].has("build"):
        before = before[1:]
    if before and before[0].has("city") and all(a.has("building") for a in before[1:]):
        return str(value_of(before[0], "city"))  # «ШИПОВНИК. Мануфактура. Дозорный пункт.»
    if match.first - layout.lines[index].first > 3:
        return None
    for above in range(index - 1, max(-1, index - 12), -1):
        line = layout.lines[above]
        if line.first >= line.last:
            return None
        inside = atoms_between(context, line.first, line.last)
        cities = [value_of(a, "city") for a in inside if a.has("city")]
        words = sum(t.kind is Kind.WORD for t in layout.tokens[line.first : line.last])
        if cities:
            alone = len(cities) == 1 and words <= 3 and not any(a.has("building", "squad") for a in inside)
            return str(cities[0]) if alone else None
        if not any(a.has("building") for a in inside):
            return None
    return None


def score_build(fill: Fill) -> float | None:
    buildings, cities = len(fill.slots.get("building", ())), len(fill.slots.get("city", ())) or called(fill, *EVERYWHERE)
    if called(fill, "too", "~same", "~once_more") and not buildings:
        one_more = fill.atoms[0].has("~once_more") and len(fill.atoms) == 2  # «— ещё одна в Хольмгард»
        return 0.0 if cities and (fill.inherited or one_more) else None
    if not buildings:
        return -1.9 if _strange_building(fill) else None
    if buildings > 1 and cities > 1:
        return None
    led = [(a, b) for a, b in pairwise(fill.atoms) if b.has("city", "building") and b.data.get(LEAD) == "а"]
    if any(not a.has(ASIDE) for a, _ in led):
        return None  # «…, а в Белом Броде …» begins the next order
    for n, filled in enumerate(fill.slots["building"]):
        if n and filled.atom.prep in {"с", "со"}:  # «барак с мануфактурой»
            continue
        if not fill.triggers and filled.atom.prep in {"под", "у", "за", "из", "от", "с", "о", "к"}:
            return None
        oblique = (
            filled.atom.prep != "по"
            and filled.sense.quality > 0.99
            and filled.atom.cases
            and not filled.atom.cases & {"nomn", "accs"}
            and " " not in filled.atom.text
        )
        if not fill.triggers and oblique and not fill.inherited:
            return None
    if not cities and not fill.triggers and not fill.inherited:
        return -0.5
    if cities > 1 and fill.atoms[0].has("city"):
        return -0.6 if fill.atoms[1].has("city") else None
    if buildings > 1 and cities and _in_the_middle(fill):
        return -0.8
    if not cities and any(_in_its_place(a) for a in fill.triggers):
        return 0.2  # … of what is sold there
    return 0.0 if cities else -1.4


def _strange_building(fill: Fill) -> bool:
    """«строю мост в Хольмгарде»: between the verb and the place one noun that is no building."""
    if len(fill.atoms) != 2 or not fill.triggers or "city" not in fill.slots or fill.triggers[0].verb not in ORDERING:
        return False
    verb, city = fill.triggers[0], fill.slots["city"][0].atom
    said = str(verb.data.get(AFTER, ""))
    return plain_noun(said, "accs") and city.prep in {"в", "во", "на"} and city.data.get(LEAD) == said


def _in_its_place(trigger: Atom) -> bool:
    """«вместо неё», «на его месте»."""
    return trigger.text.lower().startswith(beginnings("in_its_place"))


def _in_the_middle(fill: Fill) -> bool:
    """«ферму, в Кронвике часовню»: the place begins the next order rather than standing inside one."""
    at = [n for n, a in enumerate(fill.atoms) if a.has("building")]
    return any(at[0] < n < at[-1] for n, a in enumerate(fill.atoms) if a.has("city"))


def score_upgrade(fill: Fill) -> float | None:
    if "city" not in fill.slots or called(fill, "ruins", "building"):
        return None
    if not fill.triggers and not fill.inherited:
        if "level" in fill.slots or ("ordinal" in fill.slots and called(fill, "levelword")):
            return 0.2
        ranks = fill.slots.get("ordinal", [])
        masculine = ranks and ranks[0].sense.kind == "ordinal" and ranks[0].atom.text.lower().endswith(("й", "го"))
        return 0.0 if masculine and ranks[0].atom.prep in {"на", "до"} else None
    if all(f.atom.prep in {"в", "во"} for f in fill.slots["city"]) and any(_grows(a) for a in fill.triggers):
        return None  # «в Крепости вырастет аванпост»
    if not called(fill, "upgrade") and called(fill, "rebuild"):  # «поднять» alone raises ruins
        return 1.0 if "level" in fill.slots or called(fill, "levelword") else None
    return 0.0


def _grows(atom: Atom) -> bool:
    return atom.has("upgrade") and atom.text.lower().startswith(beginnings("grows"))


def make_upgrade(match: Match, context: Context) -> Iterable[Output]:
    wanted = _wanted_level(match)
    out: list[Output] = []
    for filled in match.slots.get("city", ()):
        if len(filled.senses) > 1:
            return [context.which(match, "city", filled)]
        city = filled.value
        if filled.ref:
            found = context.before(filled.atom.span.start, *CITY)
            if found is None:
                continue
            city = found.value
        command: dict[str, Any] = {"type": "upgrade_city", "city": city}
        known = context.view.state.cities.get(city)
        if isinstance(wanted, int) and known is not None:
            more = wanted if _by(match) else wanted - known.level
            if more > 1:
                command["levels"] = more
        out.append(context.reading(match, command))
    return out


def _wanted_level(match: Match) -> Any:
    """The level that is meant, not the one it had («с 1 уровня сразу до 3»)."""
    told = [f for name in ("level", "ordinal") for f in match.slots.get(name, ()) if f.atom.prep not in {"с", "со", "из"}]
    return told[-1].value if told else None


def _by(match: Match) -> bool:
    """«на 2 уровня»: so many levels more; «на 2 уровень», «до 2 уровня»: that very level."""
    ends = tuple(tables()["levels_more"]["ends"])
    return any(f.atom.prep == "на" and f.atom.text.lower().endswith(ends) for f in match.slots.get("level", ()))


def make_restore(match: Match, context: Context) -> Iterable[Output]:
    city = city_of(context, match)
    if city is None or isinstance(city, Problem):
        return [city] if city is not None else []
    raised = all(a.text.lower().startswith(beginnings("raised")) for a in match.triggers) and not _ruined(context, city)
    notes = [*match.notes(), *([tables()["asks"]["raised"]] if raised else [])]
    return [context.reading(match, {"type": "restore_ruins", "city": city}, notes=notes)]


def _ruined(context: Context, city: str) -> bool:
    known = context.view.state.cities.get(city)
    return known is not None and known.ruin


def score_restore(fill: Fill) -> float | None:
    if "city" not in fill.slots:
        return None
    if called(fill, "restore") or (called(fill, "ruins") and called(fill, "rebuild")):
        return 0.4
    return 0.0 if called(fill, "rebuild") else None


def make_sell(match: Match, context: Context) -> Iterable[Output]:
    if match.inherited and context.outputs and context.outputs[-1][0].sentence != match.sentence:
        return make_build(match, context)  # a new line after a sale is a building again
    city = city_of(context, match)
    if isinstance(city, Problem):
        return [city]
    if city is None:
        span = unknown_name(context, match, CITY)
        if span is not None:
            return [unknown_city(context, match, span)]
        own = [c.name_ru for c in context.view.state.cities.values() if c.owner == context.view.faction]
        return [ask(context, match, "which_city", own, building=context.title("building", match.value("building")))]
    out: list[Output] = []
    for filled in match.slots.get("building", ()):
        if len(filled.senses) > 1:
            return [context.which(match, "building", filled)]
        out.append(context.reading(match, {"type": "sell_building", "city": city, "building": filled.value}))
    return out


def make_cleanse(match: Match, context: Context) -> Iterable[Output]:
    out: list[Output] = []
    for filled in match.slots.get("city", ()):
        if len(filled.senses) > 1:
            return [context.which(match, "city", filled)]
        city = filled.value
        if filled.ref:
            found = context.before(filled.atom.span.start, *CITY)
            if found is None:
                continue
            city = found.value
        pay = _payment(context, match, filled.atom)
        out.append(context.reading(match, {"type": "cleanse_corruption", "city": city, "pay": pay}))
    return out


def _payment(context: Context, match: Match, city: Atom) -> str:
    """What is paid with: said behind the city before the next one, else anywhere in the sentence; gold where nothing is said."""
    layout = context.layout
    sentence = layout.sentences[match.sentence]
    words: dict[str, str] = {w: kind for kind, names in tables()["payments"].items() for w in names}
    told = [
        (i, words[t.norm]) for i, t in enumerate(layout.tokens[sentence.first : sentence.last], sentence.first) if t.norm in words
    ]
    told += [(a.first, a.senses[0].kind) for a in nearby(context, match, "honor", "mana", "gold")]
    others = [a.first for a in nearby(context, match, "city") if a.first > city.first]
    own = [kind for i, kind in sorted(told) if city.first < i < (others[0] if others else sentence.last)]
    return (own or [kind for _, kind in sorted(told)] or ["gold"])[0]


def score_cleanse(fill: Fill) -> float | None:
    if "city" not in fill.slots:
        return None
    both = called(fill, "corruption") and called(fill, "cleanse")
    strong = any(a.text.lower().startswith(("дезинф", "обнул", "очи", "почист", "чист", "вычи")) for a in fill.triggers)
    return 0.6 if both else 0.0 if strong else None
