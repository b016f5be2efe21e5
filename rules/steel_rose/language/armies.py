"""Armies formed and sent (§3.1, R87–R89)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Fill, Match, Output
from parsers.russian import Verb, closed_class, info
from parsers.tokens import Kind
from parsers.types import Problem, Severity
from rules.steel_rose.language.cohesion import AFTER, BEFORE
from rules.steel_rose.language.common import (
    CITY,
    TOWN,
    ask,
    called,
    city_of,
    has,
    only_some,
    refusal,
    unknown_city,
    unknown_name,
    values,
)
from rules.steel_rose.language.joins import NAME
from rules.steel_rose.language.names import OGRES, beginnings, tables
from rules.steel_rose.language.senses import unit_of
from rules.steel_rose.language.units import bad_number, count_problem, singular
from rules.steel_rose.refusals import refuse


def score_army(fill: Fill) -> float | None:
    army = called(fill, "army", "armyword", "armynumber", "botharmies")
    filled = "squads" in fill.slots or "everyone" in fill.slots
    city = "city" in fill.slots
    act = called(fill, "attack", "defend")
    if filled and army and not _beside(fill):
        return None
    if city and act and any(_singly_behind(fill, f.atom) for f in fill.slots.get("squads", ()) if f.sense.kind == "unit"):
        return None
    if called(fill, "disperse"):
        orders = any(a.has("disperse") and a.verb in (Verb.ORDER, Verb.INFINITIVE, Verb.IMPERATIVE) for a in fill.triggers)
        home = any(a.has("disperse") and a.text.lower().startswith(beginnings("troops")) for a in fill.atoms)
        return 0.3 if army or orders or home or "~same" in {k for a in fill.atoms for k in a.kinds} else None
    if fill.slots.get("squads") and not army and not called(fill, "gather"):
        return 0.4 if city and _marching(fill) else None
    if fill.slots.get("squads") and not city and not act and _troops(fill):
        return None  # «Войска: 6 копейщиков»: who is hired
    if "everyone" in fill.slots and not city and not act and not _named(fill) and not fill.slots.get("squads"):
        whole = fill.slots["everyone"][-1].atom.data.get(AFTER) in {".", ";", "!", "", "\n"} and army
        return 0.2 if whole and fill.atoms[0].has("armyword") else None  # «армия: все …»: goes on
    verbs = [a for a in fill.triggers if a.has("attack", "defend", "target")]
    if not army and not filled and verbs and all(a.text.lower().startswith(beginnings("sending_first")) for a in verbs):
        return None  # «отправить гонца в Ормис»
    if city and (act or called(fill, "target")):
        own = 0.4 if army else 0.0 if act else -0.5  # «Цель — Кронвик» may be a ritual's
        return own if verbs or army else None
    if city and not army and "everyone" in fill.slots and not fill.slots.get("squads"):
        return -0.2 if fill.slots["city"][0].atom.prep == "на" else None  # «Все на Кронвик»
    if city and army:
        if fill.slots["city"][0].atom.prep in {"из", "с", "от", "под", "о", "за", "у"}:
            return None
        return 0.0 if any(f.atom.prep in {"на", "в", "к"} or not f.atom.prep for f in fill.slots["city"]) else None
    if filled and (army or (called(fill, "gather") and "everyone" in fill.slots)):
        goes = any(a.has("attack") and a.verb is not Verb.NONE for a in fill.triggers)
        return -1.0 if goes else 0.2  # «Армия — все остальные. Бьёт Альтенград»: the next order
    if army and act and not city and called(fill, "attack"):
        return -1.9
    if called(fill, "defend") and not city and ("everyone" in fill.slots or army) and len(fill.atoms) <= 3:
        return -1.2
    return None


def _marching(fill: Fill) -> bool:
    """«6 копейщиков и 4 лучника идут на …», «отправить 6 копейщиков на …»: the units themselves go."""
    place = next((n for n, a in enumerate(fill.atoms) if a.has("attack", "defend")), None)
    if place is None:
        return False
    verb = fill.atoms[place]
    before = fill.atoms[place - 1] if place else None
    after = fill.atoms[place + 1] if place + 1 < len(fill.atoms) else None
    goes = before is not None and before.has("squad") and before.last == verb.first and verb.verb is Verb.THIRD
    goes = goes and fill.atoms[0].data.get(BEFORE) not in {"и", "да"}  # the rest of «армия из 6 копейщиков и 4 лучников идёт …»
    sent = verb.text.lower().startswith(beginnings("sending"))
    behind = fill.atoms[place + 2] if after is not None and after.has("city") and place + 2 < len(fill.atoms) else None
    led = behind is not None and behind.has("squad") and after is not None and behind.first == after.last
    return goes or (sent and after is not None and after.has("squad") and after.first == verb.last) or (sent and led)


def _singly_behind(fill: Fill, unit: Atom) -> bool:
    """«… на Чёрный Камень, град сей разрушить»: one thing behind the target is nobody who goes there."""
    return unit.first > fill.slots["city"][0].atom.first and "ablt" not in unit.cases and singular(unit)


def _troops(fill: Fill) -> bool:
    called_ = [a for a in fill.atoms if a.has("army", "armyword", "armynumber")]
    return all(a.text.lower().startswith(("войск", "сил")) and not a.prep for a in called_) and bool(called_)


def _named(fill: Fill) -> bool:
    """An army is filled: it has a number, or «в армию», or a word of gathering."""
    return called(fill, "army", "armynumber", "gather") or any(a.has("armyword") and _inside(a) for a in fill.atoms)


def _inside(army: Atom) -> bool:
    """«в армию», «в армии»."""
    return army.prep in {"в", "во"} or army.text.lower().startswith("в ")


def _beside(fill: Fill) -> bool:
    """Units belong to an army named before them, or right behind or «в» it: not to one that opens the next sentence."""
    place = next(n for n, a in enumerate(fill.atoms) if a.has("army", "armyword", "armynumber", "botharmies"))
    ahead = [n for n in range(place) if fill.atoms[n].has("squad", "unit", "~all", "~rest")]
    army = fill.atoms[place]
    if not ahead or _inside(army):
        return True
    if ahead[-1] != place - 1:
        return False  # «десяток копий за 150, и пусть армия …»
    before = fill.atoms[place - 1]
    if before.has("~all") and any(a.has("squad") for a in fill.atoms[:place]):
        return False  # «щитов 4. Всей армией …»
    dashed = army.first - before.last == 1 and army.data.get(BEFORE) in {"-", ":", "=", "→"}
    after = str(army.data.get(AFTER, ""))
    sent = before.has("squad") and after in {"на", "в", "во", "к"}
    goes = sent or info(after).verb in (Verb.THIRD, Verb.ORDER, Verb.INFINITIVE, Verb.IMPERATIVE)
    following = fill.atoms[place + 1] if place + 1 < len(fill.atoms) else None
    goes = goes or (following is not None and following.has("attack", "defend") and following.first == army.last)
    goes = goes or (following is None and after.isalpha() and after not in closed_class())  # «… 5 луков армия деф Кронвик»
    return (army.first == before.last and not goes) or dashed  # «10 копий армия идёт на …»


def make_army(match: Match, context: Context) -> Iterable[Output]:
    army = _which_army(match, context)
    city = city_of(context, match, kinds=TOWN)
    if isinstance(city, Problem):
        return [city]
    if context.view.faction == OGRES and has(match, "ruins") and city is not None and not has(match, "defend"):
        return [refusal(context, match, refuse("E_OGRES_NO_CAPTURE"), Severity.ERROR)]
    out: list[Output] = []
    attack, defend, disperse = has(match, "attack", "target"), has(match, "defend"), has(match, "disperse")
    if defend and not attack and _their_own(match, context, city):
        return []
    if not (attack or defend or disperse) and _told_of(match, context):
        return []
    units = _composition(match, context)
    if isinstance(units, Problem):
        return [units]
    walking = units is not None and not has(match, "army", "armynumber", "armyword", "gather") and _own(context, city)
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
        why = [*match.notes(), *([tables()["asks"]["units_walk"]] if walking else []), *only_some(match, context)]
        named_so = next((a.data[NAME] for a in match.atoms if NAME in a.data), None)
        given = {"name": named_so} if named_so else {}
        out.append(context.reading(match, {"type": "form_army", "army": army, "units": units, **given}, notes=why))
    if disperse:
        for number in (1, 2) if has(match, "botharmies") else (army,):
            out.append(context.reading(match, {"type": "army_order", "army": number, "order": "disperse"}))
    elif city is not None:
        owned = _own(context, city)
        taken = attack or any(a.has("hire", "seize") for a in match.atoms)  # «под Белый Брод, взять и удержать»
        order = "defend" if defend and (owned or not taken) else "attack"
        notes = [*match.notes(), *([tables()["asks"]["units_walk"]] if walking else [])]
        if not attack and not defend:
            order = "defend" if owned else "attack"
            if owned:
                notes.append(tables()["asks"]["taken_as_defence"])
        elif owned and order == "attack" and not any(_plainly_hostile(a) for a in match.atoms):
            order = "defend"
            notes.append(tables()["asks"]["taken_as_defence"])
        notes += only_some(match, context)
        both = (1, 2) if has(match, "botharmies") else (army,)
        for number in both:
            out.append(context.reading(match, {"type": "army_order", "army": number, "order": order, "city": city}, notes=notes))
    elif defend and not attack and not out and (has(match, "army", "armynumber", "armyword") or units is not None):
        own = [c.name_ru for c in context.view.state.cities.values() if c.owner == context.view.faction]
        return [ask(context, match, "defend_what", own)]
    elif attack and not out:
        span = unknown_name(context, match, CITY, 4)
        if span is not None:
            return [unknown_city(context, match, span)]
        return [] if not has(match, "army") else [ask(context, match, "attack_what", code="E_UNKNOWN_CITY")]
    context.memory["army"], context.memory["army_sentence"] = army, match.sentence
    return out


def _their_own(match: Match, context: Context, city: Any) -> bool:
    """«Сидите в своём Ормисе», «обороняйте ваш Брод»: told to those whose city it is, not to an army of ours."""
    place = match.first_of("city")
    if place is None or not place.atom.first or _own(context, city) or has(match, "army", "armynumber", "armyword"):
        return False
    return context.layout.tokens[place.atom.first - 1].norm.startswith(beginnings("of_others"))


def _told_of(match: Match, context: Context) -> bool:
    """«Наши полки осаждали Ормис», «армия брала Морвен, да не взяла»: a verb of the past between an army and a city."""
    army = next((a for a in match.atoms if a.has("army", "armyword")), None)
    city = match.first_of("city")
    if army is None or city is None or has(match, "gather"):
        return False
    first, last = sorted((army.first, city.atom.first))
    return any(info(t.norm).verb is Verb.PAST and t.kind is Kind.WORD for t in context.layout.tokens[first:last])


def _own(context: Context, city: Any) -> bool:
    known = context.view.state.cities.get(city) if isinstance(city, str) else None
    return known is not None and known.owner == context.view.faction


def _plainly_hostile(atom: Atom) -> bool:
    return atom.has("attack") and atom.text.lower().startswith(beginnings("hostile"))


def _which_army(match: Match, context: Context) -> int:
    numbers = values(match, "army", "armynumber")
    if numbers:
        return int(numbers[0])
    if context.memory.get("army_sentence") == match.sentence:
        return int(context.memory["army"])
    tokens = context.layout.tokens
    begin = context.layout.sentences[match.sentence].first
    said = {t.norm for t in tokens[begin : match.last]}
    if said & {"она", "та", "ей", "ею", "её", "ее"} or has(match, "~same"):
        return int(context.memory.get("army", 1))
    return 1


def _composition(match: Match, context: Context) -> Any:
    """Units of an army: a dict, `all`, `rest` or None."""
    filled = match.slots.get("squads", ())
    everyone = match.slots.get("everyone", ())
    if not filled:
        if not everyone:
            return None
        return "rest" if any(f.sense.kind == "~rest" for f in everyone) else "all"
    out: dict[str, Any] = {}
    stay = {a.first for a in match.atoms if a.has("stay")}
    going = [item for item in filled if item.sense.kind == "squad" or item.atom.last not in stay]
    each: Any = None
    for item in going or filled:  # «всех копейщиков, лучники остаются»
        if len(item.senses) > 1:
            return context.which(match, "squads", item)
        unit = unit_of(item.atom)
        assert unit is not None
        count: Any = item.value[1] if item.sense.kind == "squad" else each or (1 if singular(item.atom) else "all")
        if item.sense.kind == "squad":
            each = count if item.atom.data.get("each") else None  # «по 3 лучника и копейщика»
        if item.sense.kind == "squad" and bad_number(count):
            return count_problem(match, context, unit, item.atom, count, "form_army")
        out[unit] = count
    return out
