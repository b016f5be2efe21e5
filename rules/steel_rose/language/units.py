"""Numbers of units; hiring and disbanding (§3.1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from parsers.atoms import Atom, Sense
from parsers.context import Context
from parsers.frames import Fill, Match, Output
from parsers.russian import ORDERING, Verb, info
from parsers.types import Problem, Severity, Span
from rules.steel_rose.data import game_data
from rules.steel_rose.language.cohesion import AFTER, BEFORE
from rules.steel_rose.language.common import MOST, has
from rules.steel_rose.language.names import OGRES, tables
from rules.steel_rose.language.senses import is_ogre, plain_noun, unit_of
from rules.steel_rose.refusals import listed, refuse

_LET = frozenset({"пусть", "пускай"})


def counted(match: Match, context: Context) -> tuple[list[tuple[str, Any, Atom]], list[Problem]]:
    """(unit, number, atom) of a match; number None: none said, a singular is 1. A lone number beside a lone unit is its. And a
    question for each unit that may be several."""
    out: list[tuple[str, Any, Atom]] = []
    questions: list[Problem] = []
    shared_number: Any = None
    filled_units = match.slots.get("squads", ())
    for filled in filled_units:
        atom = filled.atom
        senses = [s for s in filled.senses if s.kind == filled.senses[0].kind]
        own_units = [s for s in senses if _mine(context, unit_of_sense(s))]
        if len(senses) > 1 and not own_units:
            senses = senses[:1]  # nobody here can have it, whichever is meant
        if len(senses) > 1:
            question = context.which(match, "squads", filled)
            questions.append(replace(question, span=atom.span))
            continue
        value = filled.value
        if filled.sense.kind == "squad":
            out.append((value[0], value[1], atom))
            shared_number = value[1] if atom.data.get("each") else None
        else:
            carried = shared_number if out else None  # «по 5 копейщиков и лучников»
            out.append((value, carried or (1 if singular(atom) else None), atom))
    shared = [count for _, count, atom in out if atom.data.get("each")]
    if shared and len(shared) == 1 and out[-1][2].data.get("each"):
        out = [(unit, shared[0] if count is None else count, atom) for unit, count, atom in out]
    numbers = match.slots.get("number", ())
    unsaid = [n for n, (_, count, _) in enumerate(out) if count is None]
    if len(out) > 1 and len(unsaid) == len(numbers) == 1 and numbers[0].sense.kind == "number":
        unit, _, atom = out[unsaid[0]]  # «волков нанять 10, следопытов 5»
        if 0 < numbers[0].atom.first - atom.last <= 2:
            out[unsaid[0]] = (unit, numbers[0].value, atom)
    added = len(out) == 1 and out[0][2].cases == {"datv"} and len(numbers) == 1 and numbers[0].sense.kind == "number"
    if added and filled_units[0].sense.kind == "squad":
        return [(out[0][0], numbers[0].value, out[0][2])], questions  # «к имеющимся 6 копейщикам добавить ещё 4»
    if len(out) == 1 and filled_units[0].sense.kind == "unit" and numbers:
        unit, _, atom = out[0]
        number: Any = numbers[0].value
        if numbers[0].sense.kind == "~amount":
            before = context.before(numbers[0].atom.span.start, "squad")
            number = before.value[1] if before is not None else None
        elif numbers[0].sense.kind in ("~all", "~half"):
            number = numbers[0].sense.kind[1:]
        out = [(unit, number, atom)]
    return out, questions


def unit_of_sense(sense: Sense) -> str:
    """The unit that a sense of a squad or a unit names."""
    return str(sense.value[0] if sense.kind == "squad" else sense.value)


def _mine(context: Context, unit: str) -> bool:
    known = game_data().units.get(unit)
    return known is not None and known.faction == context.view.faction


def singular(atom: Atom) -> bool:
    """«героя»: one; «копейщиков» and «конница» (a whole kind) are not."""
    said = atom.text.lower().replace("ё", "е").split()
    unit = game_data().units.get(unit_of(atom) or "")
    tails = {f.lower().replace("ё", "е").split()[-1] for f in unit.forms} if unit is not None else set()
    at = 0 if len(said) > 1 and tails == {said[-1]} else -1  # «клык скорби»: the first word tells
    word = said[at].strip(".")
    if {said[0].strip("."), word} & set(tables()["collective"]["words"]) or said[-1].endswith("."):
        return False
    known = info(word)
    forms = {f.lower().replace("ё", "е").split()[at] for f in unit.forms[:2]} if unit is not None else set()
    if word in forms and ("plur" not in known.genders or not known.known):
        return True
    return bool(known.genders) and "plur" not in known.genders and not word.endswith(("ов", "ев", "ей"))


def bad_number(count: Any) -> bool:
    """Zero, negative, absurd or broken."""
    return isinstance(count, bool) or not isinstance(count, int | str) or (isinstance(count, int) and not 1 <= count < MOST)


def count_problem(match: Match, context: Context, unit: str, atom: Atom, count: Any, type_: str) -> Problem:
    name = game_data().units[unit].forms[2]
    draft = {"type": type_, "unit": unit}
    if count is None:
        text = tables()["asks"]["how_many"].format(unit=name)
        return context.problem(match, "E_COUNT", text, atom.span, draft=draft)
    out = refuse("E_COUNT")
    return Problem("E_COUNT", Severity.ERROR, out.message, atom.span, draft=draft, rule=out.rule)


def _conjured(atom: Atom) -> bool:
    known = game_data().units.get(unit_of(atom) or "")
    return known is not None and known.demon


def make_hire(match: Match, context: Context) -> Iterable[Output]:
    me = context.view.faction
    if not match.slots.get("squads"):
        return _hire_of_before(match, context)
    found, questions = counted(match, context)
    mercenary = has(match, "mercenary") and me != OGRES
    out: list[Output] = list(questions)
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
            out.append(count_problem(match, context, unit, atom, None if isinstance(count, str) else count, type_))
            start = atom.span.end
            continue
        end = match.span.end if n == len(found) - 1 else atom.span.end
        span = Span(min(start, atom.span.start), max(atom.span.end, end))
        command = {"type": type_, "unit": unit, "count": count}
        notes = match.notes()
        numbers = match.slots.get("number", ())
        if atom.data.get("upto") or (numbers and numbers[0].atom.prep == "до"):
            notes.append(tables()["asks"]["up_to"].format(n=count))
        if atom.data.get("reckoned"):
            notes.append(tables()["asks"]["reckoned"].format(text=atom.data["reckoned"]))
        if atom.data.get("costs"):
            notes.append(tables()["asks"]["for_gold"].format(n=count))
        more = [f.atom.text for f in numbers if f.atom.data.get(BEFORE) == "еще"]
        if not match.triggers and atom.data.get(AFTER) in _LET:
            notes.append(tables()["asks"]["left_over"].format(text=atom.data[AFTER]))  # «два волка пусть уйдут …»
        if more and filled_number(match):
            notes.append(tables()["asks"]["left_over"].format(text=more[0]))
        out.append(context.reading(match, command, notes=notes, span=span, fields={"unit": atom.span, "count": atom.span}))
        start = atom.span.end
    return out


def filled_number(match: Match) -> bool:
    """Every unit has its number already: a further one is something else («волков десять и ещё два»)."""
    return all(f.sense.kind == "squad" for f in match.slots.get("squads", ()))


def _pieces(word: str) -> bool:
    return bool(info(word).lemmas & set(tables()["harmless"]["words"])) or word in tables()["pieces"]["words"]


def _hire_of_before(match: Match, context: Context) -> Iterable[Output]:
    """«10 копейщиков не потяну, возьму 5»: a number alone is of the unit named just before it."""
    number = match.first_of("number")
    if number is None or number.sense.kind != "number":
        return []
    beside = [str(number.atom.data.get(AFTER, "")), *(str(a.data.get(AFTER, "")) for a in match.triggers)]
    strange = next((w for w in beside if plain_noun(w, "gent") and "plur" in info(w).genders and not _pieces(w)), None)
    if strange is not None:
        own = [u.forms[0] for u in game_data().units.values() if u.faction == context.view.faction]
        out = refuse("E_FACTION_UNIT", unit=strange, list=listed(own))
        return [Problem(out.code, Severity.ERROR, out.message, match.span, rule=out.rule)]
    before = context.before(number.atom.span.start, "squad", "unit")
    if before is None:
        return []
    near = context.layout.sentence_of[before.atom.first] - match.sentence
    if near not in (0, -1):
        return []
    unit, count = unit_of_sense(before.sense), number.value
    if bad_number(count):
        return [count_problem(match, context, unit, number.atom, count, "hire")]
    type_ = "hire_mercenary" if context.view.faction != OGRES and is_ogre(unit) else "hire"
    notes = (
        match.notes() if near == 0 else [*match.notes(), tables()["asks"]["same_unit"].format(unit=context.title("unit", unit))]
    )
    return [context.reading(match, {"type": type_, "unit": unit, "count": count}, notes=notes)]


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


def score_hire(fill: Fill) -> float | None:
    if "squads" not in fill.slots:
        ordered = [a for a in fill.triggers if a.has("hire") and a.verb in (Verb.ORDER, Verb.INFINITIVE, Verb.IMPERATIVE)]
        return -1.4 if ordered and "number" in fill.slots and len(fill.atoms) == 2 else None
    filled = fill.slots["squads"]
    places = [f.atom.data.get("sentence") for f in filled]
    if any(f.sense.kind == "unit" and places[n] != places[n - 1] for n, f in enumerate(filled) if n):
        return None  # «… шесть сабель. Тьфу, сабли — это у огров»
    theirs = [a for a in fill.triggers if a.has("mercenary")]
    if (
        theirs
        and len(theirs) == len(fill.triggers)
        and theirs[0].data.get("sentence") != places[0]
        and theirs[0].first > filled[-1].atom.first
    ):
        return None  # «… шесть сабель. Тьфу, сабли — у огров»
    if all(_conjured(f.atom) and f.sense.kind == "unit" for f in filled):
        return -1.6  # «призыв, хочу низших»: whom a ritual brings
    if fill.triggers or fill.inherited:
        if fill.inherited and not any(f.sense.kind == "squad" for f in filled):
            return -0.9 if len(filled) == 1 else None
        if all(a.has("mercenary") for a in fill.triggers) and not any(f.sense.kind == "squad" for f in filled):
            return None
        return 0.0
    counted_ = [f.sense.kind == "squad" for f in filled]
    if counted_[0] and filled[0].atom.data.get("each") and all("gent" in f.atom.cases for f in filled):
        return -0.3  # «по десятку копейщиков и лучников»
    if any(f.atom.data.get("each") for f in filled[1:]) and not any(counted_[:-1]):
        return -0.3  # «копейщиков и лучников по восемь»
    return -0.3 if counted_[0] and all(c or singular(f.atom) for c, f in zip(counted_, filled, strict=True)) else None


def score_disband(fill: Fill) -> float | None:
    """Units, and none of them with a plus («быков +5»)."""
    squads = fill.slots.get("squads", [])
    if not squads and "number" in fill.slots and len(fill.atoms) == 2:
        return -1.2 if any(a.has("disband") and a.verb in ORDERING for a in fill.atoms) else None  # «остальных распустить»
    return 0.3 if squads and not any(f.atom.data.get("plus") for f in squads) else None


def _heads(match: Match, context: Context) -> bool:
    """«Распустить:» above: the list goes on."""
    tokens, lines, sentences = context.layout.tokens, context.layout.lines, context.layout.sentences
    for index in range(sentences[match.sentence].line - 1, -1, -1):
        line = lines[index]
        if line.first >= line.last:
            return False
        if tokens[line.last - 1].norm == ":":
            return True
        if not line.bullet and not any(m.sentence >= 0 and sentences[m.sentence].line == index for m, _ in context.outputs):
            return False
    return False


def make_disband(match: Match, context: Context) -> Iterable[Output]:
    if match.inherited and context.outputs and context.outputs[-1][0].sentence != match.sentence and not _heads(match, context):
        return make_hire(match, context)  # a new line after «5 волков распустить» is a list of units again
    if not match.slots.get("squads"):
        text = tables()["asks"]["disband_whom"]
        return [context.problem(match, "ambiguous", text)]
    found, questions = counted(match, context)
    out: list[Output] = list(questions)
    for unit, count, atom in found:
        if atom.data.get("plus"):
            continue
        if count is not None and has(match, "minus") and isinstance(count, int):
            count = abs(count)
        if count is None:
            before = count_problem(match, context, unit, atom, None, "disband")
            out.append(before)
        elif bad_number(count):
            out.append(count_problem(match, context, unit, atom, count, "disband"))
        else:
            out.append(context.reading(match, {"type": "disband", "unit": unit, "count": "all" if count == "rest" else count}))
    return out
