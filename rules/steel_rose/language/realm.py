"""Frames of the orders of a turn (§3.1): cities, hiring, armies, diplomacy, the powers of each faction."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from parsers.atoms import Atom, Sense
from parsers.context import Context
from parsers.frames import Fill, Frame, Match, Output, Slot, choice
from parsers.russian import Verb, closed_class, info
from parsers.tokens import Kind
from parsers.types import Problem, Reading, Severity, Span
from rules.steel_rose.commands import MOBILE_CITY
from rules.steel_rose.data import game_data
from rules.steel_rose.language.joins import is_ogre, unit_of, value_of
from rules.steel_rose.language.names import CULT, OGRES, tables
from rules.steel_rose.refusals import Refusal, listed, refuse

Score = Callable[[Fill], float | None]
MOST = 1_000_000_000
"""A larger number of units is a slip of the finger or a joke."""
CITY = ("city",)
TOWN = ("city", "mobile")
SQUADS = Slot("squads", ("squad", "unit"), many=True)
MONEY = Slot("money", ("gold", "honor", "mana", "hunger"), many=True, weight=0.2)
LEVEL = Slot("level", ("level",), weight=0.4)
RIVALS = Slot("faction", ("faction",), refs=("~person",))


# ------------------------------------------------------------------------------------------------ helpers


def refusal(context: Context, match: Match, out: Refusal, severity: Severity, span: Span | None = None, **more: Any) -> Problem:
    """A refusal's sentence as a problem of a match."""
    return context.problem(match, out.code, out.message, span, severity=severity, rule=out.rule, **more)


def ask(context: Context, match: Match, key: str, choices: Iterable[str] = (), code: str = "ambiguous", **values: Any) -> Problem:
    """A question of the language (`[asks]` of the data)."""
    text = tables()["asks"][key].format_map(values)
    return context.problem(match, code, text, choices=[choice(c) for c in choices])


def has(match: Match, *kinds: str) -> bool:
    """True when a word of one of these kinds stands in the match."""
    return any(a.has(*kinds) for a in match.atoms)


def values(match: Match, *kinds: str) -> list[Any]:
    """The values of these kinds in the order of the text, each once."""
    out: list[Any] = []
    for atom in match.atoms:
        value = value_of(atom, *kinds)
        if value is not None and value not in out:
            out.append(value)
    return out


def nearby(context: Context, match: Match, *kinds: str) -> list[Atom]:
    """Atoms of these kinds in the sentence of a match."""
    return [a for a in context.by_sentence.get(match.sentence, []) if a.has(*kinds)]


def unknown_name(context: Context, match: Match, kinds: Sequence[str], reach: int = 3) -> Span | None:
    """A word that stands where a name should, but is none we know: before a colon or dash, or after «в», «на»."""
    tokens = context.layout.tokens
    sentence = context.layout.sentences[match.sentence]
    for token in context.unknown_words(max(sentence.first, match.first - reach), min(sentence.last, match.last + reach)):
        at = tokens.index(token)
        known = info(token.norm)
        if len(token.norm) < 4 or known.verb is not Verb.NONE:
            continue
        capital = context.layout.text[token.start].isupper()
        behind = tokens[at + 1].norm if at + 1 < len(tokens) else ""
        before = tokens[at - 1].norm if at else ""
        if (capital and (behind in {":", "-"} or before in {"в", "на", "во", "-", "→", ">", "из"})) or (
            before in {"в", "во", "на"} and not known.known
        ):
            return token.span
    return None


def unknown_city(context: Context, match: Match, span: Span) -> Problem:
    """«Не знаю город «…»»."""
    near = context.lexicon.suggest(context.text(span), CITY)
    hint = tables()["asks"]["nearest"].format(list=", ".join(near)) if near else ""
    out = refuse("E_UNKNOWN_CITY", x=context.text(span), nearest=hint)
    return refusal(context, match, out, Severity.ERROR, span, choices=[choice(n) for n in near])


def city_of(context: Context, match: Match, name: str = "city", kinds: Sequence[str] = CITY) -> Any:
    """The city of a slot: its id; a `Problem` where it is not unique; None where there is none."""
    filled = match.first_of(name)
    if filled is None:
        return None
    if filled.ref:
        found = context.before(filled.atom.span.start, *kinds)
        return None if found is None else found.value
    if len(filled.senses) > 1:
        return context.which(match, name, filled)
    return filled.value


def wants(*groups: tuple[str, ...], bonus: float = 0.0) -> Score:
    """The stretch must hold a slot of every group."""

    def score(fill: Fill) -> float | None:
        return bonus if all(any(n in fill.slots for n in group) for group in groups) else None

    return score


def called(fill: Fill, *kinds: str) -> bool:
    """A word of one of these kinds stands in the stretch."""
    return any(a.has(*kinds) for a in fill.atoms)


# ------------------------------------------------------------------------------------------------ cities


def _make_build(match: Match, context: Context) -> Iterable[Output]:
    buildings = match.slots.get("building", ())
    for filled in buildings:
        if len(filled.senses) > 1:
            return [context.which(match, "building", filled)]
    cities: list[Any] = []
    for filled in match.slots.get("city", ()):
        if filled.ref:
            found = context.before(filled.atom.span.start, *CITY)
            cities += [found.value] if found is not None else []
        elif len(filled.senses) > 1:
            return [context.which(match, "city", filled)]
        elif not _next_heading(filled.atom, match, context):
            cities.append(filled.value)
    if has(match, "too") and not buildings:
        found = context.before(match.span.start, "building")
        if found is None:
            return []
        return [context.reading(match, {"type": "build", "city": c, "building": found.value}) for c in cities]
    if not cities:
        span = unknown_name(context, match, CITY)
        if span is not None:
            return [unknown_city(context, match, span)]
        before = context.before(match.span.start, "city", live=True) if match.inherited else None
        told = _told_city(match, context)
        if told is not None and buildings:
            instead = any(a.text.lower().startswith("вместо") for a in match.triggers)
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


def _score_build(fill: Fill) -> float | None:
    buildings, cities = len(fill.slots.get("building", ())), len(fill.slots.get("city", ()))
    if called(fill, "too") and not buildings:
        return 0.0 if cities and fill.inherited else None
    if not buildings:
        return None
    if buildings > 1 and cities > 1:
        return None
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
    return 0.0 if cities else -1.4


def _in_the_middle(fill: Fill) -> bool:
    """«ферму, в Кронвике часовню»: the place begins the next order rather than standing inside one."""
    at = [n for n, a in enumerate(fill.atoms) if a.has("building")]
    return any(at[0] < n < at[-1] for n, a in enumerate(fill.atoms) if a.has("city"))


def _score_upgrade(fill: Fill) -> float | None:
    if "city" not in fill.slots or called(fill, "ruins", "building"):
        return None
    if not fill.triggers and not fill.inherited:
        if "level" in fill.slots or ("ordinal" in fill.slots and called(fill, "levelword")):
            return 0.2
        ranks = fill.slots.get("ordinal", [])
        masculine = ranks and ranks[0].sense.kind == "ordinal" and ranks[0].atom.text.lower().endswith(("й", "го"))
        return 0.0 if masculine and ranks[0].atom.prep in {"на", "до"} else None
    only_rebuild = all(a.has("rebuild") and not a.has("upgrade") for a in fill.triggers)
    if only_rebuild:
        return 0.3 if "level" in fill.slots or called(fill, "levelword") else None
    return 0.0


def _make_upgrade(match: Match, context: Context) -> Iterable[Output]:
    wanted = match.value("level") or match.value("ordinal")
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
        if isinstance(wanted, int) and known is not None and wanted - known.level > 1:
            command["levels"] = wanted - known.level
        out.append(context.reading(match, command))
    return out


def _make_restore(match: Match, context: Context) -> Iterable[Output]:
    city = city_of(context, match)
    if city is None or isinstance(city, Problem):
        return [city] if city is not None else []
    return [context.reading(match, {"type": "restore_ruins", "city": city})]


def _score_restore(fill: Fill) -> float | None:
    if "city" not in fill.slots:
        return None
    if called(fill, "restore") or (called(fill, "ruins") and called(fill, "rebuild")):
        return 0.4
    return 0.0 if called(fill, "rebuild") else None


def _make_sell(match: Match, context: Context) -> Iterable[Output]:
    if match.inherited and context.outputs and context.outputs[-1][0].sentence != match.sentence:
        return _make_build(match, context)  # a new line after a sale is a building again
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


def _make_cleanse(match: Match, context: Context) -> Iterable[Output]:
    data = game_data().factions
    me = context.view.faction
    own = data[me].resource if me in data else ""
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
        tokens = context.layout.tokens[
            context.layout.sentences[match.sentence].first : context.layout.sentences[match.sentence].last
        ]
        said = {t.norm for t in tokens}
        pay = "gold"
        if nearby(context, match, "honor") or said & {"честь", "честью", "чести"}:
            pay = "honor"
        elif nearby(context, match, "mana") or said & {"мана", "маной", "ману", "маны"}:
            pay = "mana"
        if pay != "gold" and pay != own:
            pay = pay if pay in ("honor", "mana") else "gold"
        out.append(context.reading(match, {"type": "cleanse_corruption", "city": city, "pay": pay}))
    return out


def _score_cleanse(fill: Fill) -> float | None:
    if "city" not in fill.slots:
        return None
    both = called(fill, "corruption") and called(fill, "cleanse")
    strong = any(a.text.lower().startswith(("дезинф", "обнул", "очи", "почист", "чист", "вычи")) for a in fill.triggers)
    return 0.6 if both else 0.0 if strong else None


# ------------------------------------------------------------------------------------------------ units


def counted(match: Match, context: Context) -> tuple[list[tuple[str, Any, Atom]], Problem | None]:
    """(unit, number, atom) of a match; number None: none said, a singular is 1. A lone number beside a lone unit is its."""
    out: list[tuple[str, Any, Atom]] = []
    filled_units = match.slots.get("squads", ())
    for filled in filled_units:
        atom = filled.atom
        senses = [s for s in filled.senses if s.kind == filled.senses[0].kind]
        own_units = [s for s in senses if _mine(context, unit_of_sense(s))]
        if len(senses) > 1 and not own_units:
            senses = senses[:1]  # nobody here can have it, whichever is meant
        if len(senses) > 1:
            return [], context.which(match, "squads", filled, "E_AMBIGUOUS" if context.ambiguous_code == "E_AMBIGUOUS" else "")
        value = filled.value
        if filled.sense.kind == "squad":
            out.append((value[0], value[1], atom))
        else:
            each = out[-1][1] if out and out[-1][2].data.get("each") else None  # «по 5 копейщиков и лучников»
            out.append((value, each or (1 if singular(atom) else None), atom))
    numbers = match.slots.get("number", ())
    unsaid = [n for n, (_, count, _) in enumerate(out) if count is None]
    if len(out) > 1 and len(unsaid) == len(numbers) == 1 and numbers[0].sense.kind == "number":
        unit, _, atom = out[unsaid[0]]  # «волков нанять 10, следопытов 5»
        if 0 < numbers[0].atom.first - atom.last <= 2:
            out[unsaid[0]] = (unit, numbers[0].value, atom)
    if len(out) == 1 and filled_units[0].sense.kind == "unit" and numbers:
        unit, _, atom = out[0]
        number: Any = numbers[0].value
        if numbers[0].sense.kind == "~amount":
            before = context.before(numbers[0].atom.span.start, "squad")
            number = before.value[1] if before is not None else None
        elif numbers[0].sense.kind in ("~all", "~half"):
            number = numbers[0].sense.kind[1:]
        out = [(unit, number, atom)]
    return out, None


def unit_of_sense(sense: Sense) -> str:
    """The unit that a sense of a squad or a unit names."""
    return str(sense.value[0] if sense.kind == "squad" else sense.value)


def _mine(context: Context, unit: str) -> bool:
    known = game_data().units.get(unit)
    return known is not None and known.faction == context.view.faction


def singular(atom: Atom) -> bool:
    """«героя»: one; «копейщиков» and «конница» (a whole kind) are not."""
    said = atom.text.lower().replace("ё", "е").split()
    word = said[-1].strip(".")
    if {said[0].strip("."), word} & set(tables()["collective"]["words"]) or said[-1].endswith("."):
        return False
    known = info(word)
    unit = game_data().units.get(unit_of(atom) or "")
    forms = {f.lower().replace("ё", "е").split()[-1] for f in unit.forms[:2]} if unit is not None else set()
    if word in forms and ("plur" not in known.genders or not known.known):
        return True
    return bool(known.genders) and "plur" not in known.genders and not word.endswith(("ов", "ев", "ей"))


def bad_number(count: Any) -> bool:
    """Zero, negative, absurd or broken."""
    return isinstance(count, bool) or not isinstance(count, int | str) or (isinstance(count, int) and not 1 <= count < MOST)


def _count_problem(match: Match, context: Context, unit: str, atom: Atom, count: Any, type_: str) -> Problem:
    name = game_data().units[unit].forms[2]
    draft = {"type": type_, "unit": unit}
    if count is None:
        text = tables()["asks"]["how_many"].format(unit=name)
        return context.problem(match, "E_COUNT", text, atom.span, draft=draft)
    out = refuse("E_COUNT")
    return Problem("E_COUNT", Severity.ERROR, out.message, atom.span, draft=draft, rule=out.rule)


def _make_hire(match: Match, context: Context) -> Iterable[Output]:
    me = context.view.faction
    found, problem = counted(match, context)
    if problem is not None:
        return [problem]
    mercenary = has(match, "mercenary") and me != OGRES
    out: list[Output] = []
    start = match.span.start
    for n, (unit, count, atom) in enumerate(found):
        hired = me != OGRES and (mercenary or is_ogre(unit))
        type_ = "hire_mercenary" if hired else "hire"
        if has(match, "money") and count in (None, 1, "all"):
            afford = _affordable(context, unit)
            text = tables()["asks"]["all_money"].format(n=afford)
            if afford:
                out.append(context.reading(match, {"type": type_, "unit": unit, "count": afford}, notes=[*match.notes(), text]))
            continue
        if count is None or bad_number(count) or isinstance(count, str):
            if not match.triggers and count is None:
                continue
            out.append(_count_problem(match, context, unit, atom, None if isinstance(count, str) else count, type_))
            start = atom.span.end
            continue
        end = match.span.end if n == len(found) - 1 else atom.span.end
        span = Span(min(start, atom.span.start), max(atom.span.end, end))
        command = {"type": type_, "unit": unit, "count": count}
        out.append(context.reading(match, command, span=span, fields={"unit": atom.span, "count": atom.span}))
        start = atom.span.end
    return out


def _affordable(context: Context, unit: str) -> int:
    own = context.view.own
    cost = game_data().units[unit].cost_gold
    if own is None or not cost:
        return 0
    data = game_data()
    spent = 0
    for reading in context.readings:
        command = reading.command
        if command["type"] == "hire" and isinstance(command.get("count"), int):
            spent += data.units[command["unit"]].cost_gold * command["count"]
        elif command["type"] == "build":
            known = data.buildings.get(context.view.faction or "", {}).get(command["building"])
            spent += known.cost_gold if known is not None else 0
    return max(0, int(own.gold) - spent) // cost


def _score_hire(fill: Fill) -> float | None:
    if "squads" not in fill.slots:
        return None
    filled = fill.slots["squads"]
    if fill.triggers or fill.inherited:
        if fill.inherited and not any(f.sense.kind == "squad" for f in filled):
            return -0.9 if len(filled) == 1 else None
        if all(a.has("mercenary") for a in fill.triggers) and not any(f.sense.kind == "squad" for f in filled):
            return None
        return 0.0
    counted_ = [f.sense.kind == "squad" for f in filled]
    return -0.3 if counted_[0] and all(c or singular(f.atom) for c, f in zip(counted_, filled, strict=True)) else None


def _make_disband(match: Match, context: Context) -> Iterable[Output]:
    found, problem = counted(match, context)
    if problem is not None:
        return [problem]
    out: list[Output] = []
    for unit, count, atom in found:
        if count is not None and has(match, "minus") and isinstance(count, int):
            count = abs(count)
        if count is None:
            before = _count_problem(match, context, unit, atom, None, "disband")
            out.append(before)
        elif bad_number(count):
            out.append(_count_problem(match, context, unit, atom, count, "disband"))
        else:
            out.append(context.reading(match, {"type": "disband", "unit": unit, "count": "all" if count == "rest" else count}))
    return out


# ------------------------------------------------------------------------------------------------ armies


def _score_army(fill: Fill) -> float | None:
    army = called(fill, "army", "armyword", "armynumber")
    filled = "squads" in fill.slots or "everyone" in fill.slots
    city = "city" in fill.slots
    act = called(fill, "attack", "defend")
    if filled and army and not _beside(fill):
        return None
    if called(fill, "disperse"):
        return 0.3 if army or "~same" in {k for a in fill.atoms for k in a.kinds} else None
    if fill.slots.get("squads") and not army and not called(fill, "gather"):
        return 0.4 if city and _marching(fill) else None
    if fill.slots.get("squads") and not city and not act and _troops(fill):
        return None  # «Войска: 6 копейщиков»: who is hired
    if "everyone" in fill.slots and not city and not act and not _named(fill) and not fill.slots.get("squads"):
        return None  # «армия: все …»: goes on
    verbs = [a for a in fill.triggers if a.has("attack", "defend", "target")]
    if not army and not filled and verbs and all(a.text.lower().startswith(_SENDING[:3]) for a in verbs):
        return None  # «отправить гонца в Ормис»
    if city and (act or called(fill, "target")):
        own = 0.4 if army else 0.0
        return own if verbs or army else None
    if city and not army and "everyone" in fill.slots and not fill.slots.get("squads"):
        return -0.2 if fill.slots["city"][0].atom.prep == "на" else None  # «Все на Кронвик»
    if city and army:
        if fill.slots["city"][0].atom.prep in {"из", "с", "от", "под", "о", "за", "у"}:
            return None
        return 0.0 if any(f.atom.prep in {"на", "в", "к"} or not f.atom.prep for f in fill.slots["city"]) else None
    if filled and (army or (called(fill, "gather") and "everyone" in fill.slots)):
        return 0.2
    if army and act and not city and called(fill, "attack"):
        return -1.9
    return None


_SENDING = ("отправ", "посыл", "посл", "шлю", "шлем", "двин", "вед", "бросаем", "бросить")


def _marching(fill: Fill) -> bool:
    """«6 копейщиков и 4 лучника идут на …», «отправить 6 копейщиков на …»: the units themselves go."""
    place = next((n for n, a in enumerate(fill.atoms) if a.has("attack", "defend")), None)
    if place is None:
        return False
    verb = fill.atoms[place]
    before = fill.atoms[place - 1] if place else None
    after = fill.atoms[place + 1] if place + 1 < len(fill.atoms) else None
    goes = before is not None and before.has("squad") and before.last == verb.first and verb.verb is Verb.THIRD
    sent = verb.text.lower().startswith(_SENDING)
    return goes or (sent and after is not None and after.has("squad") and after.first == verb.last)


def _troops(fill: Fill) -> bool:
    called_ = [a for a in fill.atoms if a.has("army", "armyword", "armynumber")]
    return all(a.text.lower().startswith(("войск", "сил")) and not a.prep for a in called_) and bool(called_)


def _named(fill: Fill) -> bool:
    """An army is filled: it has a number, or «в армию», or a word of gathering."""
    return called(fill, "army", "armynumber", "gather") or any(a.has("armyword") and a.prep in {"в", "во"} for a in fill.atoms)


def _beside(fill: Fill) -> bool:
    """Units belong to an army named before them, or right behind or «в» it: not to one that opens the next sentence."""
    place = next(n for n, a in enumerate(fill.atoms) if a.has("army", "armyword", "armynumber"))
    if not place or not fill.atoms[place - 1].has("squad", "unit", "~all", "~rest"):
        return True
    army, before = fill.atoms[place], fill.atoms[place - 1]
    if before.has("~all") and any(a.has("squad") for a in fill.atoms[:place]):
        return False  # «щитов 4. Всей армией …»
    dashed = army.first - before.last == 1 and army.span.start - before.span.end >= 3  # « — », not a comma or a new line
    return army.prep in {"в", "во"} or army.first == before.last or dashed


def _make_army(match: Match, context: Context) -> Iterable[Output]:
    army, sure = _which_army(match, context)
    city = city_of(context, match, kinds=TOWN)
    if isinstance(city, Problem):
        return [city]
    out: list[Output] = []
    attack, defend, disperse = has(match, "attack", "target"), has(match, "defend"), has(match, "disperse")
    units = _composition(match, context)
    if isinstance(units, Problem):
        return [units]
    first = next((a for a in match.atoms if a.has("army", "armynumber", "armyword", "gather")), None)
    if first is None and isinstance(units, dict):
        first = match.atoms[0]  # the units that go are the army
    named = (
        has(match, "army", "armynumber")
        or has(match, "gather")
        or (units not in (None, "all", "rest") and has(match, "armyword"))
    )
    into = units in ("all", "rest") and (named or not (attack or defend or disperse or city))
    if units is not None and first is not None and (into or units not in ("all", "rest")) and (units != "all" or named):
        out.append(context.reading(match, {"type": "form_army", "army": army, "units": units}))
    if disperse:
        out.append(context.reading(match, {"type": "army_order", "army": army, "order": "disperse"}))
    elif city is not None:
        owned = context.view.state.cities.get(city) is not None and context.view.state.cities[city].owner == context.view.faction
        order = "defend" if defend and not (attack and not owned) else "attack"
        notes = list(match.notes())
        if not attack and not defend:
            order = "defend" if owned else "attack"
            if owned:
                notes.append(tables()["asks"]["taken_as_defence"])
        elif owned and order == "attack" and not any(_plainly_hostile(a) for a in match.atoms):
            order = "defend"
            notes.append(tables()["asks"]["taken_as_defence"])
        if not sure:
            notes = notes or []
        out.append(context.reading(match, {"type": "army_order", "army": army, "order": order, "city": city}, notes=notes))
    elif attack and not out:
        span = unknown_name(context, match, CITY, 4)
        if span is not None:
            return [unknown_city(context, match, span)]
        return [] if not has(match, "army") else [ask(context, match, "attack_what", code="E_UNKNOWN_CITY")]
    context.memory["army"], context.memory["army_sentence"] = army, match.sentence
    return out


_HOSTILE = ("атак", "напад", "нападе", "штурм", "захват", "бьем", "бьём", "громи", "удар")


def _plainly_hostile(atom: Atom) -> bool:
    return atom.has("attack") and atom.text.lower().startswith(_HOSTILE)


def _which_army(match: Match, context: Context) -> tuple[int, bool]:
    numbers = values(match, "army", "armynumber")
    if numbers:
        return int(numbers[0]), True
    if context.memory.get("army_sentence") == match.sentence:
        return int(context.memory["army"]), True
    tokens = context.layout.tokens
    begin = context.layout.sentences[match.sentence].first
    said = {t.norm for t in tokens[begin : match.last]}
    if said & {"она", "та", "ей", "ею", "её", "ее"} or has(match, "~same"):
        return int(context.memory.get("army", 1)), True
    return 1, has(match, "armyword")


def _composition(match: Match, context: Context) -> Any:
    """Units of an army: a dict, `all`, `rest` or None."""
    filled = match.slots.get("squads", ())
    everyone = match.slots.get("everyone", ())
    if not filled:
        if not everyone:
            return None
        return "rest" if any(f.sense.kind == "~rest" for f in everyone) else "all"
    out: dict[str, Any] = {}
    for item in filled:
        if len(item.senses) > 1:
            return context.which(match, "squads", item)
        unit = unit_of(item.atom)
        assert unit is not None
        count: Any = item.value[1] if item.sense.kind == "squad" else 1 if singular(item.atom) else "all"
        if item.sense.kind == "squad" and bad_number(count):
            return _count_problem(match, context, unit, item.atom, count, "form_army")
        out[unit] = count
    return out


# ------------------------------------------------------------------------------------------------ diplomacy


def _score_alliance(fill: Fill) -> float | None:
    if "faction" not in fill.slots:
        alone = called(fill, "break") and called(fill, "alliance")
        return -0.5 if alone else None
    verb = called(fill, "propose", "accept", "break")
    noun = called(fill, "alliance")
    proposal = any(a.text.lower().startswith(("предложен", "предлаг", "предлож")) for a in fill.atoms if a.has("propose"))
    if noun and verb:
        return 0.5
    if called(fill, "break") and noun:
        return 0.5
    if proposal and called(fill, "accept"):
        return 0.3
    if noun and fill.triggers and fill.triggers[0].has("alliance"):
        return 0.0 if len(fill.atoms) <= 3 else None
    return None


def _make_alliance(match: Match, context: Context) -> Iterable[Output]:
    if any(a.has("decline") for a in nearby(context, match, "decline")):
        return []
    factions = [f for f in _factions(match, context) if not _refused(match, context, f)]
    if not factions:
        if has(match, "break") and not match.slots.get("faction"):
            mine = context.view.own.alliances if hasattr(context.view.own, "alliances") else ()
            return [ask(context, match, "which_ally", [context.title("faction", f) for f in mine])]
        return []
    type_ = "propose_alliance"
    if has(match, "break"):
        type_ = "break_alliance"
    elif has(match, "accept"):
        type_ = "accept_alliance"
    return [context.reading(match, {"type": type_, "faction": f}) for f in factions]


def _refused(match: Match, context: Context, faction: str) -> bool:
    """«Культу от нас — нет»."""
    for filled in match.slots.get("faction", ()):
        if filled.value != faction or filled.ref:
            continue
        tokens = context.layout.tokens[filled.atom.last : filled.atom.last + 4]
        if any(t.norm in {"нет", "ничего", "никогда"} for t in tokens) and "нет" not in {
            t.norm for t in context.layout.tokens[match.first : filled.atom.first]
        }:
            return True
    return False


def _factions(match: Match, context: Context) -> list[str]:
    out: list[str] = []
    for filled in match.slots.get("faction", ()):
        value: Any = filled.value
        if filled.ref:
            found = context.before(filled.atom.span.start, "faction")
            value = found.value if found is not None else None
        if value is not None and value != context.view.faction and value not in out:
            out.append(str(value))
    return out


def _make_betray(match: Match, context: Context) -> Iterable[Output]:
    factions = _factions(match, context)
    cities: list[str] = []
    for filled in match.slots.get("city", ()):
        if len(filled.senses) > 1:
            return [context.which(match, "city", filled)]
        if filled.value not in cities:
            cities.append(filled.value)
    if not factions and cities:
        owners = {context.view.state.cities[c].owner for c in cities if c in context.view.state.cities}
        factions = [o for o in owners if o is not None]
    if not factions:
        return [ask(context, match, "betray_whom")] if match.triggers else []
    command: dict[str, Any] = {"type": "betray_ally", "faction": factions[0]}
    if cities:
        command["cities"] = cities
    return [context.reading(match, command)]


def _make_demons(match: Match, context: Context) -> Iterable[Output]:
    if context.view.faction == CULT:
        return []
    units = [unit_of(f.atom) for f in match.slots.get("squads", ())]
    demons = [u for u in units if (u is not None and game_data().units[u].demon) or u == "demonologist"]
    if not demons:
        return []
    return [context.reading(match, {"type": "choose_demons", "demons": demons[0]})]


# ------------------------------------------------------------------------------------------------ magic


def _make_spell(match: Match, context: Context) -> Iterable[Output]:
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
    factions = _factions(match, context)
    if not factions:
        return [ask(context, match, "spell_whom", spell=context.title("spell", spell))]
    return [context.reading(match, {**command, "faction": factions[0]})]


def _score_spell(fill: Fill) -> float | None:
    spells = [s for a in fill.atoms for s in [a.get("spell")] if s is not None]
    if not spells:
        return None
    target = game_data().spells[spells[0].value].target
    if target in ("own_city", "own_ruins"):
        return 0.6 if "city" in fill.slots else -1.6
    if target == "own_army":
        return 0.6
    return 0.6 if "faction" in fill.slots else -1.6


def _score_ritual(fill: Fill) -> float | None:
    rituals = [s for a in fill.atoms for s in [a.get("ritual")] if s is not None]
    if not rituals:
        return None
    kind = game_data().rituals[rituals[0].value]
    if "squads" in fill.slots and kind.table is None and rituals[0].value != "teleport":
        return None
    if kind.target is not None and "city" not in fill.slots:
        return -1.6 if called(fill, "ritualword") else None
    return 0.6


def _make_ritual(match: Match, context: Context) -> Iterable[Output]:
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
    if ritual == "teleport":
        numbers = values(match, "army", "armynumber")
        command["army"] = numbers[0] if numbers else 1
        parts = {u: f.value[1] for u, f in units if u is not None and f.sense.kind == "squad"}
        if parts:
            command["units"] = parts
        order = {"type": "army_order", "army": command["army"], "order": "attack", "city": city}
        return [context.reading(match, command), context.reading(match, order)]
    if kind.table is not None:
        demons = [u for u, _ in units if (u is not None and game_data().units[u].demon) or u == "demonologist"]
        if demons:
            command["demons"] = demons[0]
    return [context.reading(match, command)]


# ------------------------------------------------------------------------------------------------ ogres and camp


def _make_mobile(match: Match, context: Context) -> Iterable[Output]:
    roads = [list(f.value) for f in match.slots.get("roads", ())]
    if roads:
        return [context.reading(match, {"type": "move_mobile_city", "path": roads})]
    if has(match, "stay"):
        return [context.reading(match, {"type": "move_mobile_city", "path": []})]
    cities = [f.value for f in match.slots.get("city", ())]
    if not cities:
        return []
    state = context.view.state
    ways = [f"{state.cities[a].name_ru} — {state.cities[b].name_ru}" for a, b in state.roads if cities[0] in (a, b)]
    return [ask(context, match, "which_road", ways)]


def _score_mobile(fill: Fill) -> float | None:
    if called(fill, "garrison"):
        return None
    if not called(fill, "mobile", "town", "go", "roadword") and not fill.inherited:
        return None
    if "roads" in fill.slots:
        return 0.4
    if called(fill, "stay"):
        return 0.0 if called(fill, "mobile", "town") and len(fill.atoms) <= 3 else None
    moves = called(fill, "go", "roadword") and called(fill, "mobile", "town")
    return -1.0 if "city" in fill.slots and moves else None


def _make_garrison_mobile(match: Match, context: Context) -> Iterable[Output]:
    found, problem = counted(match, context)
    if problem is not None:
        return [problem]
    garrison = next((a for a in match.atoms if a.has("garrison")), None)
    out_ = has(match, "out") or (garrison is not None and garrison.prep in {"из", "с"})
    units: Any = {}
    for unit, count, atom in found:
        if count is not None and bad_number(count):
            return [_count_problem(match, context, unit, atom, count, "garrison_mobile")]
        units[unit] = count if count is not None else "all"
    if not units:
        units = "all"
    return [context.reading(match, {"type": "garrison_mobile", "units": units, "direction": "out" if out_ else "in"})]


def _make_camp(match: Match, context: Context) -> Iterable[Output]:
    road = match.value("roads")
    if road is None:
        cities = [f.value for f in match.slots.get("city", ())]
        if not cities:
            return []
        state = context.view.state
        ways = [f"{state.cities[a].name_ru} — {state.cities[b].name_ru}" for a, b in state.roads if cities[0] in (a, b)]
        return [ask(context, match, "which_road", ways)]
    return [context.reading(match, {"type": "move_camp", "road": list(road)})]


# ------------------------------------------------------------------------------------------------ the rest


def _score_transfer(fill: Fill) -> float | None:
    goods = {"money", "squads"} & set(fill.slots) or called(fill, "powder")
    if "faction" in fill.slots:
        return 0.3 if goods else None
    return -0.4 if "money" in fill.slots and not all(f.sense.kind == "number" for f in fill.slots["money"]) else None


def _make_transfer(match: Match, context: Context) -> Iterable[Output]:
    return [refusal(context, match, refuse("E_NO_TRANSFER"), Severity.ERROR)]


def _make_retreat(match: Match, context: Context) -> Iterable[Output]:
    text = tables()["asks"]["unknown"].format(text=context.text(match.span))
    return [context.problem(match, "unknown_order", text, severity=Severity.ERROR, draft={})]


def _make_restart(match: Match, context: Context) -> Iterable[Output]:
    context.memory["restart"] = True
    context.memory["restart_span"] = match.span
    return []


def _make_pass(match: Match, context: Context) -> Iterable[Output]:
    return [context.reading(match, {"type": "pass"})]


def _make_last_turn(match: Match, context: Context) -> Iterable[Output]:
    return [ask(context, match, "last_turn")]


def _key(*names: str) -> Callable[[Any], Any]:
    return lambda command: (command.get("type"), *(command.get(n) for n in names))


def frames(me: str | None) -> tuple[Frame, ...]:
    """The frames of a turn's orders for a reader of this faction."""
    out = [
        Frame(
            "build",
            ("build", "rebuild"),
            (
                Slot("building", ("building",), many=True, weight=1.1),
                Slot("city", CITY, many=True, refs=("~place",), preps=frozenset({"в", "на", "-", "во"}), weight=1.5),
                MONEY,
            ),
            bare=(frozenset({"building"}),),
            noise=frozenset({"too", "number", "~once_more", "level", "arrow", "alliance"}),
            score=_score_build,
            make=_make_build,
            key=_key("city", "building"),
        ),
        Frame(
            "sell_building",
            ("sell", "minus"),
            (
                Slot("building", ("building",), required=True, many=True, weight=0.7),
                Slot("city", CITY, refs=("~place",), preps=frozenset({"в", "на", "-", "во"}), weight=1.5),
                MONEY,
            ),
            make=_make_sell,
            score=wants(("building",), bonus=0.3),
            key=_key("city", "building"),
        ),
        Frame(
            "upgrade_city",
            ("upgrade", "rebuild", "levelword"),
            (
                Slot("city", CITY, many=True, refs=("~place",)),
                LEVEL,
                Slot("ordinal", ("ordinal", "number"), weight=0.4),
                MONEY,
            ),
            bare=(frozenset({"city", "level"}), frozenset({"city", "ordinal"})),
            noise=frozenset({"levelword", "arrow", "town", "gold"}),
            score=_score_upgrade,
            make=_make_upgrade,
            key=_key("city"),
        ),
        Frame(
            "restore_ruins",
            ("restore", "rebuild", "ruins"),
            (Slot("city", CITY, required=True, refs=("~place",)), MONEY),
            score=_score_restore,
            make=_make_restore,
            key=_key("city"),
        ),
        Frame(
            "cleanse_corruption",
            ("cleanse", "corruption"),
            (Slot("city", CITY, many=True, refs=("~place",)), MONEY),
            noise=frozenset({"pay", "ritual", "unit", "building"}),
            score=_score_cleanse,
            make=_make_cleanse,
            key=_key("city"),
        ),
        Frame(
            "hire",
            ("hire", "mercenary", "money"),
            (SQUADS, Slot("number", ("number", "~amount"), weight=0.8), MONEY),
            bare=(frozenset({"squads"}),),
            noise=frozenset({"town", "too", "faction", "mobile", "money", "~once_more", "gold"}),
            score=_score_hire,
            make=_make_hire,
            key=_key("unit"),
        ),
        Frame(
            "disband",
            ("disband", "minus"),
            (SQUADS, Slot("number", ("number", "~all", "~half"), weight=0.8), MONEY),
            score=wants(("squads",), bonus=0.3),
            make=_make_disband,
            key=_key("unit"),
        ),
        Frame(
            "army_order",
            ("army", "armyword", "armynumber", "attack", "defend", "disperse", "target", "gather"),
            (
                SQUADS,
                Slot("everyone", ("~all", "~rest"), many=True, weight=0.5),
                Slot("city", CITY if me == OGRES else TOWN, refs=("~place",), weight=1.5),
            ),
            bare=(frozenset({"city", "squads"}), frozenset({"city", "everyone"})),
            noise=frozenset(
                {
                    "arrow",
                    "hire",
                    "stay",
                    "wanted",
                    "origin",
                    "ruins",
                    "army",
                    "armyword",
                    "armynumber",
                    "attack",
                    "defend",
                    "gather",
                    "~same",
                    "target",
                    "town",
                    "first",
                    "number",
                    "faction",
                }
            ),
            inherits=False,
            score=_score_army,
            make=_make_army,
            key=_key("army"),
        ),
        Frame(
            "alliance",
            ("alliance", "propose", "accept", "break"),
            (Slot("faction", ("faction",), many=True, refs=("~person",), weight=1.5),),
            noise=frozenset({"propose", "accept", "break", "alliance", "hire", "enemy"}),
            at_most={"faction": 3},
            inherits=False,
            score=_score_alliance,
            make=_make_alliance,
            key=_key("faction"),
        ),
        Frame(
            "betray_ally",
            ("betray",),
            (
                Slot("faction", ("faction",), many=True, refs=("~person",), weight=1.2),
                Slot("city", CITY, many=True, weight=1.2),
            ),
            noise=frozenset({"betray", "seize", "hire", "alliance", "allyword", "enemy", "mercenary"}),
            inherits=False,
            make=_make_betray,
            score=wants(("faction", "city"), bonus=0.6),
            key=_key("faction"),
        ),
        Frame(
            "transfer",
            ("transfer",),
            (
                Slot("money", ("gold", "honor", "mana", "hunger", "number"), many=True),
                SQUADS,
                Slot("faction", ("faction",), refs=("~person",), weight=1.2),
            ),
            noise=frozenset({"powder"}),
            inherits=False,
            score=_score_transfer,
            make=_make_transfer,
        ),
        Frame(
            "cast_spell",
            ("spell",),
            (
                Slot("city", CITY, many=True, refs=("~place",), weight=1.4),
                Slot("army", ("army", "armynumber", "armyword"), weight=1.2),
                Slot("faction", ("faction",), weight=1.4),
                MONEY,
            ),
            noise=frozenset({"cast", "origin", "ruins", "rebuild", "target", "spell"}),
            inherits=False,
            score=_score_spell,
            make=_make_spell,
            key=_key("spell", "city"),
        ),
        Frame("pass", ("pass",), (), inherits=False, make=_make_pass, noise=frozenset({"planning"})),
        Frame("last_turn", ("lastturn",), (Slot("rest", ("~rest", "~all")),), inherits=False, make=_make_last_turn),
        Frame("retreat", ("retreat",), (), inherits=False, make=_make_retreat, weight=-1.0),
        Frame("restart", ("restart",), (), inherits=False, make=_make_restart, weight=0.5),
    ]
    if me == CULT:
        out.append(
            Frame(
                "ritual",
                ("ritual",),
                (
                    SQUADS,
                    Slot("city", CITY, refs=("~place",), weight=1.5),
                    Slot("army", ("army", "armynumber", "armyword"), weight=1.2),
                    Slot("everyone", ("~all",), weight=0.3),
                    MONEY,
                ),
                noise=frozenset({"ritualword", "target", "~once_more", "cast", "ritual", "corruption"}),
                inherits=False,
                score=_score_ritual,
                make=_make_ritual,
                key=_key("ritual", "city"),
            )
        )
    else:
        out.append(
            Frame(
                "choose_demons",
                ("gift", "demonword", "hire", "propose"),
                (SQUADS, Slot("faction", ("faction",), weight=0.5), Slot("turn", ("number",), weight=0.1)),
                noise=frozenset({"hire", "gift", "demonword", "town", "propose", "free"}),
                inherits=False,
                score=_score_demons,
                make=_make_demons,
                key=_key(),
            )
        )
    if me == OGRES:
        out += [
            Frame(
                "move_mobile_city",
                ("mobile", "town", "go", "roadword"),
                (Slot("roads", ("road",), many=True, weight=1.5), Slot("city", CITY, many=True, weight=0.6)),
                at_most={"roads": 4},
                noise=frozenset({"number", "attack", "go", "stay", "roadword", "mobile", "town", "arrow", "first"}),
                score=_score_mobile,
                make=_make_mobile,
                key=_key(),
            ),
            Frame(
                "garrison_mobile",
                ("garrison",),
                (SQUADS, Slot("number", ("number", "~all"), weight=0.5)),
                noise=frozenset({"wanted", "stay", "mobile", "town", "out", "rebuild", "build", "seize", "hire"}),
                score=lambda fill: 0.8 if "squads" in fill.slots else None,
                inherits=False,
                make=_make_garrison_mobile,
                key=_key("direction"),
            ),
        ]
    if me == CULT:
        out.append(
            Frame(
                "move_camp",
                ("camp",),
                (Slot("roads", ("road",), weight=1.5), Slot("city", CITY, many=True, weight=0.6)),
                noise=frozenset({"build", "roadword", "hire", "attack", "go", "faction"}),
                score=wants(("roads", "city"), bonus=0.4),
                make=_make_camp,
                key=_key(),
            )
        )
    return tuple(out)


def _score_demons(fill: Fill) -> float | None:
    if "squads" not in fill.slots or not any(_demonic(f.atom) for f in fill.slots["squads"]):
        return None
    if len(fill.slots["squads"]) > 1:
        return None
    if called(fill, "gift", "demonword") or any(f.value == CULT for f in fill.slots.get("faction", ())):
        return 1.2
    plain = fill.slots["squads"][0].sense.kind == "unit"
    return 0.6 if plain and called(fill, "hire", "propose") else None


def _demonic(atom: Atom) -> bool:
    unit = unit_of(atom)
    return unit is not None and (game_data().units[unit].demon or unit == "demonologist")


def is_live_word(context: Context, index: int) -> bool:
    """A word that is no function word."""
    token = context.layout.tokens[index]
    return token.kind is Kind.WORD and token.norm not in closed_class()


__all__ = ["MOBILE_CITY", "frames", "listed"]
