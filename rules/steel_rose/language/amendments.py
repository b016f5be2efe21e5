"""The last look, what is said further down: an item of the player's list put right, a thing moved to another place, one city of
several kept, a choice between two fates, a number that may be another unit's."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Output
from parsers.structure import Status
from parsers.tokens import Kind
from parsers.types import Problem, Reading
from rules.steel_rose.language.corrections import by_sentence, near
from rules.steel_rose.language.fates import CAPTURES
from rules.steel_rose.language.names import tables
from rules.steel_rose.language.outcome import Outputs, cover, readings
from rules.steel_rose.language.references import ASIDE

_COUNTED = ("hire", "hire_mercenary", "disband")
_LONE = 2
"""So many words may stand beside a number by itself, and so many sentences between it and the order that it may put right."""
_BEFORE = 4
"""So many words before a thing a word like «только», «ещё» or «то ли» is looked for."""


def items_put_right(context: Context, outputs: Outputs, used: frozenset[int]) -> None:
    """«В пункте 3 не 20, а 15»: the number of an item of the player's own list; where it can't be told which, the item asks."""
    layout = context.layout
    for index, inside in context.by_sentence.items():
        item = next((a for a in inside if a.has("~item") and layout.status[a.first] is Status.LIVE), None)
        if item is None or any(a.has("~withdraw", "~instead") or a.first in used for a in inside):
            continue
        numbers = [s.value for a in inside if a is not item and a.has("number") and not a.negated for s in a.all("number")]
        old = [v for a in inside if a.has(ASIDE) for kind, v in a.data["aside"] if kind == "number"]
        things = any(a.has("city", "building", "unit", "squad", ASIDE) for a in inside)
        if not numbers and not old and not things:
            continue
        wanted = {n for s in item.all("~item") for n in s.value}
        held = [(made, r) for m, made in outputs if m.item in wanted and m.sentence != index for r in readings(made)]
        counted = [(made, r) for made, r in held if r.command["type"] in _COUNTED and (not old or r.command["count"] in old)]
        if len(counted) == 1 and len(numbers) == 1:
            made, reading = counted[0]
            spans = (*reading.extra_spans, *(a.span for a in inside))
            made[made.index(reading)] = replace(reading, command={**reading.command, "count": numbers[0]}, extra_spans=spans)
            context.read |= frozenset(i for a in inside for i in a.tokens())
            continue
        for made, reading in held:
            made[made.index(reading)] = replace(reading, certain=False, note=tables()["asks"]["item_changed"])


def moved(context: Context, outputs: Outputs) -> None:
    """«ПРАВКА: барак всё-таки в Вальдхейм»: a building ordered once before is to stand elsewhere; said without such a word
    behind a sign of correction, the one before asks."""
    layout = context.layout
    words = frozenset(tables()["after_all"]["words"])
    for match, made in outputs:
        cities = [a for a in match.atoms if a.has("city")]
        for left, right in pairwise(cities):
            if not words & {t.norm for t in layout.tokens[left.last : right.first]}:
                continue
            gone = [r for r in readings(made) if r.command["type"] == "build" and r.command["city"] in _values(left)]
            if gone and any(r.command.get("city") in _values(right) for r in readings(made)):
                made[:] = [o for o in made if o not in gone]
                cover(made, gone)
    ordered: dict[str, list[tuple[list[Output], Reading]]] = {}
    for match, made in outputs:
        for reading in readings(made):
            if reading.command["type"] != "build":
                continue
            named = str(reading.command["building"])
            before = ordered.setdefault(named, [])
            first = layout.sentences[match.sentence].first
            said = {t.norm for t in layout.tokens[max(first, match.first - _BEFORE) : match.last]}
            fresh = [(m, r) for m, r in before if any(r is o for o in m) and r.command["city"] != reading.command["city"]]
            fresh = [(m, r) for m, r in fresh if not r.span.touches(reading.span)]
            more = said & frozenset(tables()["again"]["words"])
            if len(fresh) == 1 and not more and words & said:
                holder, old = fresh[0]
                holder.remove(old)
                cover(made, [old])
            elif fresh and match.correcting and not more:
                for holder, old in fresh:
                    holder[holder.index(old)] = replace(old, certain=False, note=tables()["asks"]["withdrawn"])
            before += [(made, r) for r in readings(made) if r.command == reading.command]


def _values(atom: Atom) -> set[object]:
    return {s.value for s in atom.all("city")}


def kept_city(context: Context, outputs: Outputs) -> None:
    """«предаём, берём Рощу и Ручей… хотя нет, только Рощу»: of several cities of one order the one named alone stays."""
    layout = context.layout
    words = frozenset(tables()["only"]["words"])
    said_in = by_sentence(outputs)
    for atom in context.atoms:
        if not atom.has("city") or not {t.norm for t in layout.tokens[max(0, atom.first - 2) : atom.first]} & words:
            continue
        named = {s.value for s in atom.all("city")}
        for _, made in near(said_in, layout.sentence_of[atom.first], atom.first):
            for reading in readings(made):
                cities = reading.command.get("cities", [])
                kept = [c for c in cities if c in named]
                if kept and len(cities) > 1 and reading.span.start < atom.span.start:
                    spans = (*reading.extra_spans, atom.span)
                    made[made.index(reading)] = replace(reading, command={**reading.command, "cities": kept}, extra_spans=spans)
                    context.read |= frozenset(atom.tokens())


def either_fate(context: Context, outputs: Outputs) -> None:
    """«то ли разграбить, то ли разрушить»: a choice between two fates is none yet; every fate of the sentence asks."""
    layout = context.layout
    words = frozenset(tables()["either"]["words"])
    said_in = by_sentence(outputs)
    for index, inside in context.by_sentence.items():
        fates = [a for a in inside if a.has(*CAPTURES) and not a.negated]
        if len(fates) < 2:
            continue
        for left, right in pairwise(fates):
            gap = [t.norm for t in layout.tokens[left.last : right.first]]
            if not words & set(gap) and ("то", "ли") not in set(pairwise(gap)):
                continue
            texts = " / ".join(a.text for a in (left, right))
            note = tables()["asks"]["either"].format(list=texts)
            found = [
                (match, made, r)
                for match, made in (*said_in.get(index - 1, []), *said_in.get(index, []))
                for r in readings(made)
                if r.command["type"] == "capture_choice" and (r.span.touches(left.span) or r.span.touches(right.span))
            ]
            if not found:
                continue
            match, made, first = found[0]
            span = left.span.cover(right.span)
            for _, _, reading in found:
                span = span.cover(reading.span)
            made[made.index(first)] = context.problem(match, context.ambiguous_code, note, span)
            for _, rest, reading in found[1:]:
                rest.remove(reading)


def unread_turn(context: Context, outputs: Outputs) -> None:
    """«ЦАр: обстрел ЦАв. Нет, …» and the rest is not understood: what stood before may be taken back, so it asks too."""
    layout = context.layout
    turns = frozenset(tables()["turns"]["words"])
    said_in = by_sentence(outputs)
    for match, made in outputs:
        if not any(isinstance(o, Problem) for o in made) or readings(made):
            continue
        opening = layout.tokens[layout.sentences[match.sentence].first : match.last]
        word = next((t.norm for t in opening if t.kind is Kind.WORD), "")
        held = [e for e in said_in.get(match.sentence - 1, []) if e[0].frame.id == match.frame.id and readings(e[1])]
        if word in turns and held:
            _shake(held[-1][1])
    for index, inside in context.by_sentence.items():
        sentence = layout.sentences[index]
        opening = layout.tokens[sentence.first : sentence.last]
        if next((t.norm for t in opening if t.kind is Kind.WORD), "") not in turns:
            continue
        if not any(a.has("number", "city", "building", "unit", "squad", *CAPTURES) for a in inside):
            continue
        here = [r for _, made in said_in.get(index, []) for r in readings(made)]
        held = [e for e in said_in.get(index - 1, []) if readings(e[1])]
        if not held or layout.sentences[index - 1].line != sentence.line or any(r.extra_spans for r in here):
            continue
        start = layout.tokens[sentence.first].start
        if any(s.end > start for _, made in held for r in readings(made) for s in (r.span, *r.extra_spans)):
            continue  # it was carried out
        types = {r.command["type"] for r in here}
        for _, made in held if not here else [e for e in held if types & {r.command["type"] for r in readings(e[1])}]:
            _shake(made)


def _shake(made: list[Output]) -> None:
    note = tables()["asks"]["withdrawn"]
    made[:] = [replace(o, certain=False, note=note) if isinstance(o, Reading) and o.certain else o for o in made]


def _lone_numbers(context: Context, outputs: Outputs) -> None:
    """«10 копейщиков. Хм, мало. 15.»: a number by itself may be another than that of the order before, which asks."""
    layout = context.layout
    used = {i for m, made in outputs if made for a in m.atoms for i in a.tokens()} | set(context.read)
    said_in = by_sentence(outputs)
    for index, inside in context.by_sentence.items():
        numbers = [a for a in inside if a.has("number") and a.first not in used and layout.status[a.first] is Status.LIVE]
        if not numbers or any(a not in numbers and not a.has("~correction", "propose", "~rest") for a in inside):
            continue
        sentence = layout.sentences[index]
        words = [t for t in layout.tokens[sentence.first : sentence.last] if t.kind is Kind.WORD]
        held = next((said_in[k] for k in range(index - 1, max(-1, index - 1 - _LONE), -1) if k in said_in), [])
        counted = [made for _, made in held if any(r.command["type"] in _COUNTED for r in readings(made))]
        near_ = counted and layout.sentences[held[-1][0].sentence].line == sentence.line
        if len(words) <= _LONE and near_:
            _shake(counted[-1])


def uncounted_beside(context: Context, outputs: Outputs) -> None:
    """«культистов берём девять просветлённых парочку»: beside a unit without a number, whose the number was is not certain."""
    _lone_numbers(context, outputs)
    asked = [o.span for _, made in outputs for o in made if isinstance(o, Problem) and o.code == "E_COUNT" and o.span is not None]
    for _, made in outputs:
        for reading in readings(made):
            near_ = [s for s in asked if reading.span.touches(s) and s.start < reading.span.start]
            loose = [s for s in near_ if not set(",;\n") & set(context.layout.text[s.start : reading.span.end])]
            if reading.certain and reading.command["type"] in _COUNTED and loose:
                made[made.index(reading)] = replace(reading, certain=False, note=tables()["asks"]["whose_number"])
