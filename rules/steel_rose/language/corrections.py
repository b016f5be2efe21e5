"""The last look: what a post says again or puts in the place of something else."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Match, Output, choice
from parsers.structure import Status
from parsers.tokens import Kind
from parsers.types import Problem, Reading
from rules.steel_rose.language.names import tables
from rules.steel_rose.language.outcome import Outputs, cover, readings
from rules.steel_rose.language.references import ASIDE


def said_again(context: Context, outputs: Outputs) -> Outputs:
    """«5 копейщиков … нет, 7 копейщиков»: a line that begins with «нет» puts the number before it right."""
    for n, (match, made) in enumerate(outputs):
        sentence = context.layout.sentences[match.sentence]
        opening = next((t.norm for t in context.layout.tokens[sentence.first : match.first] if t.kind is Kind.WORD), "")
        before_ = {t.norm for t in context.layout.tokens[max(sentence.first, match.first - 3) : match.first]}
        again = ("то" in before_ and "есть" in before_) or "т" in before_
        if not again and (opening != "нет" or match.first - sentence.first > 3):
            continue
        units = {r.command.get("unit") for r in readings(made) if r.command["type"] in ("hire", "hire_mercenary", "disband")}
        for _, before in outputs[:n]:
            gone = [r for r in readings(before) if r.command.get("unit") in units - {None}]
            before[:] = [o for o in before if o not in gone]
            cover(made, gone)
    return outputs


def instead(context: Context, outputs: Outputs) -> Outputs:
    """«вместо лучников 4 — лучники 6»: what stands behind «вместо» is no order, and an order for it before is taken back."""
    orders: dict[str, list[tuple[list[Output], Reading]]] = {}
    for _, made in outputs:
        for reading in readings(made):
            if reading.command["type"] in ("hire", "build", "hire_mercenary"):
                named = repr(reading.command.get("unit") or reading.command.get("building"))
                orders.setdefault(named, []).append((made, reading))
    if not orders:
        return outputs
    for atom in context.atoms:
        if not atom.has(ASIDE):
            continue
        sentence = context.layout.sentence_of[atom.first]
        here = {v for a in context.by_sentence.get(sentence, []) for v in a.all("city")}
        cities = {s.value for s in here}
        for kind, value in atom.data["aside"]:
            named = repr(value[0] if kind == "squad" else value)
            left = []
            for made, reading in orders.get(named, ()):
                elsewhere = cities and reading.command.get("city") not in cities | {None}
                if reading.span.end <= atom.span.start and not elsewhere:
                    made.remove(reading)
                    _in_its_stead(context, outputs, made, reading, atom)
                else:
                    left.append((made, reading))
            orders[named] = left
    return outputs


def _in_its_stead(context: Context, outputs: Outputs, made: list[Output], gone: Reading, aside: Atom) -> None:
    """«вместо барака мануфактура»: what stands behind and was ordered nowhere goes where the other was to stand."""
    if gone.command["type"] != "build":
        return
    behind = context.by_sentence.get(context.layout.sentence_of[aside.first], [])
    new = next((a for a in behind if a.first >= aside.last and a.has("building")), None)
    built = {r.command.get("building") for _, others in outputs for r in readings(others)}
    if new is not None and not built & {s.value for s in new.all("building")}:
        command = {**gone.command, "building": new.all("building")[0].value}
        made.append(replace(gone, command=command, extra_spans=(*gone.extra_spans, aside.span, new.span)))


def replaced(context: Context, outputs: Outputs) -> Outputs:
    """«…, нет, просто в укрытие»: the manoeuvre of the same squad before it is taken back; two in one breath ask."""
    gone = context.memory.get("replaced", [])
    for match in gone:
        positions = {r.command.get("position") for m, made in outputs if m is match for r in readings(made)}
        for earlier, made in outputs:
            if earlier.first < match.first:
                kept = [
                    o
                    for o in made
                    if not (isinstance(o, Reading) and o.command.get("position") in positions and o.command["type"] == "maneuver")
                ]
                taken = [o for o in made if o not in kept]
                if taken:
                    made[:] = kept
                    for other, later in outputs:
                        if other is match:
                            later[:] = [
                                replace(o, extra_spans=(*o.extra_spans, *(t.span for t in taken if t.span is not None)))
                                if isinstance(o, Reading)
                                else o
                                for o in later
                            ]
    for match, made in outputs:
        for problem in [o for o in made if isinstance(o, Problem) and o.code == "E_TWO_MANEUVERS"]:
            position = (problem.draft or {}).get("position")
            for earlier, before in outputs:
                same = [
                    r
                    for r in readings(before)
                    if r.command["type"] == "maneuver"
                    and r.command.get("position") == position
                    and earlier.sentence == match.sentence
                ]
                for reading in same:
                    before.remove(reading)
                    assert problem.span is not None
                    made[made.index(problem)] = problem = problem.at(reading.span.cover(problem.span))
    return outputs


_NEAR = 60
"""So many tokens before a word its order is looked for."""
Spoken = dict[int, list[tuple[Match, list[Output]]]]


def by_sentence(outputs: Outputs) -> Spoken:
    """The outputs by their sentence, in the order of the text."""
    out: Spoken = {}
    for match, made in outputs:
        out.setdefault(match.sentence, []).append((match, made))
    for held in out.values():
        held.sort(key=lambda item: item[0].first)
    return out


def near(spoken: Spoken, sentence: int, token: int) -> list[tuple[Match, list[Output]]]:
    """The outputs of a sentence and the one before it, not far from a token."""
    out = []
    for index in (sentence - 1, sentence):
        held = spoken.get(index, [])
        begin = bisect_left(held, token - _NEAR, key=lambda item: item[0].first)
        end = bisect_left(held, token + _NEAR, key=lambda item: item[0].first)
        out += held[begin:end]
    return out


def only(context: Context, outputs: Outputs) -> Outputs:
    """«в Крепость и Эльвендар — нет, только в Крепость»: of the places of one order the one named alone stays."""
    layout = context.layout
    words = frozenset(tables()["only"]["words"])
    said_in = by_sentence(outputs)
    dropped: set[int] = set()
    for atom in context.atoms:
        if not atom.has("city") or not {t.norm for t in layout.tokens[max(0, atom.first - 2) : atom.first]} & words:
            continue
        city = next(s.value for s in atom.all("city"))
        index = layout.sentence_of[atom.first]
        before = [
            (made, r)
            for match, made in near(said_in, index, atom.first)
            if match.last <= atom.first
            for r in readings(made)
            if r.command["type"] in ("build", "upgrade_city")
        ]
        if not before or not any(r.command["city"] == city for _, r in before):
            continue
        last = before[-1][1].command
        for made, reading in before:
            same = reading.command.get("building") == last.get("building")
            if same and reading.command["city"] != city:
                made.remove(reading)
            elif same:
                made[made.index(reading)] = replace(reading, extra_spans=(*reading.extra_spans, atom.span))
        dropped.add(atom.first)
    if not dropped:
        return outputs
    places = ("build", "upgrade_city")
    return [(m, made) for m, made in outputs if m.frame.id in places or not dropped & {a.first for a in m.atoms}]


_SAME_THING = {"build": "city", "hire": None, "army_order": "army", "upgrade_city": None, "hire_mercenary": None}
"""What two orders share of which the second puts the first right."""


def put_right(context: Context, outputs: Outputs) -> Outputs:
    """«дозорка в Крон — стоп, нет, в Крон лучше ферма»: behind a sign of correction inside a line stands what counts."""
    layout = context.layout
    marks = [a for a in context.atoms if a.has("~correction") and not a.negated and layout.status[a.first] is Status.LIVE]
    for mark in marks:
        line = layout.lines[layout.sentences[layout.sentence_of[mark.first]].line]
        before = [(m, made) for m, made in outputs if line.first <= m.first and m.last <= mark.first and readings(made)]
        after = [(m, made) for m, made in outputs if mark.first < m.first < line.last and readings(made)]
        if not before or not after:
            continue
        wrong, right = readings(before[-1][1])[-1], readings(after[0][1])[0]
        if wrong.command["type"] != right.command["type"] or right.command["type"] not in _SAME_THING:
            continue
        shared = _SAME_THING[right.command["type"]]
        if wrong.command == right.command or (shared and wrong.command.get(shared) != right.command.get(shared)):
            continue
        before[-1][1].remove(wrong)
        cover(after[0][1], [wrong])
    return outputs


_CHOSEN = {"city": "city", "building": "building", "unit": "unit", "squad": "unit", "faction": "faction"}


def either(context: Context, outputs: Outputs) -> None:
    """«Атакуем либо Хольмгард, либо Пик»: an order for one of several is none yet; it asks which."""
    layout = context.layout
    words = frozenset(tables()["either"]["words"])
    said_in = by_sentence(outputs)
    for n, atom in enumerate(context.atoms):
        between_ = [t.norm for t in layout.tokens[context.atoms[n - 1].last : atom.first]] if n else []
        if not words & set(between_) or layout.status[atom.first] is not Status.LIVE:
            continue
        other = context.atoms[n - 1]
        kinds = [k for k in _CHOSEN if atom.has(k) and other.has(k)]
        if not kinds or layout.sentence_of[other.first] != layout.sentence_of[atom.first]:
            continue
        both = [other, atom]
        named = {s.value[0] if s.kind == "squad" else s.value for a in both for s in a.all(kinds[0])}
        found = [
            (match, made, r)
            for match, made in near(said_in, layout.sentence_of[atom.first], atom.first)
            if match.sentence == layout.sentence_of[atom.first]
            for r in readings(made)
            if r.command.get(_CHOSEN[kinds[0]]) in named
        ]
        if not found:
            continue
        match, made, first = found[0]
        span = first.span.cover(other.span).cover(atom.span)
        choices = [choice(a.text) for a in both]
        text = tables()["asks"]["either"].format(list=" / ".join(a.text for a in both))
        question = context.problem(match, context.ambiguous_code, text, span, choices=choices)
        made[made.index(first)] = question
        for _, rest, reading in found[1:]:
            rest.remove(reading)


_FIELDS = {"city": "city", "building": "building", "faction": "faction"}


def restated(context: Context, outputs: Outputs, used: frozenset[int]) -> None:
    """«идёт на Морвен, ой, нет, на Хольмгард»: a thing of the same kind behind such a word takes the place of the one before."""
    layout = context.layout
    turns = frozenset(tables()["turns"]["words"])
    said_in = by_sentence(outputs)
    for atom in context.atoms:
        kind = next((k for k in _FIELDS if atom.has(k)), "")
        if not kind or atom.first in used or atom.negated or layout.status[atom.first] is not Status.LIVE:
            continue
        if not {t.norm for t in layout.tokens[max(0, atom.first - 4) : atom.first]} & turns:
            continue
        index = layout.sentence_of[atom.first]
        before = [
            (made, r)
            for m, made in near(said_in, index, atom.first)
            if m.last <= atom.first
            for r in readings(made)
            if _FIELDS[kind] in r.command
        ]
        if not before:
            continue
        made, reading = before[-1]
        value = next(s.value for s in atom.all(kind))
        command = {**reading.command, _FIELDS[kind]: value}
        context.read |= frozenset(atom.tokens())
        made[made.index(reading)] = replace(reading, command=command, extra_spans=(*reading.extra_spans, atom.span))


def one_target(context: Context, outputs: Outputs) -> None:
    """One army goes to one place: behind «ой», «нет» the second counts; said twice without, both ask."""
    layout = context.layout
    turns = frozenset(tables()["turns"]["words"])
    last: dict[int, tuple[Match, list[Output], Reading]] = {}
    for match, made in outputs:
        for reading in [r for r in readings(made) if r.command["type"] == "army_order"]:
            army = int(reading.command["army"])
            before = last.get(army)
            last[army] = (match, made, reading)
            if before is not None and _target(before[2]) == _target(reading):
                _merge(before, (match, made, reading))
                last[army] = (before[0], before[1], readings(before[1])[-1]) if readings(before[1]) else last[army]
                continue
            if before is None:
                continue
            between_ = {t.norm for t in layout.tokens[before[0].last : match.first]}
            if between_ & turns and match.sentence - before[0].sentence <= 2:
                before[1].remove(before[2])
                cover(made, [before[2]])
                continue
            note = tables()["asks"]["two_targets"].format(n=army)
            for holder, one in ((before[1], before[2]), (made, reading)):
                if one in holder and one.certain:
                    holder[holder.index(one)] = replace(one, certain=False, note=note)


def _merge(first: tuple[Match, list[Output], Reading], second: tuple[Match, list[Output], Reading]) -> None:
    """«идём к Хольмгарду и штурмуем его»: one order said twice."""
    _, made, old = first
    if old not in made:
        return
    command = {**second[2].command, **old.command}
    certain, note = old.certain and second[2].certain, old.note or second[2].note
    spans = (*old.extra_spans, *second[2].extra_spans, second[2].span)
    made[made.index(old)] = replace(old, command=command, certain=certain, note=note, extra_spans=spans)
    second[1].remove(second[2])


def _target(reading: Reading) -> tuple[object, object]:
    return reading.command.get("order"), reading.command.get("city")


_AGAIN_WITHIN = 4
"""So many words before a building a word like «ещё» is looked for."""


def duplicates(context: Context, outputs: Outputs) -> Outputs:
    """The same choice said twice («Грабить! … грабим») is one; «ещё один барак» is another order (the rules refuse it)."""
    again = frozenset(tables()["again"]["words"])
    seen: set[str] = set()
    for match, made in outputs:
        said = context.layout.tokens[max(0, match.first - _AGAIN_WITHIN) : match.first + 2]
        more = any(t.norm in again for t in said)
        for output in list(readings(made)):
            if output.command["type"] in ("hire", "disband", "hire_mercenary"):
                continue
            key = repr(sorted(output.command.items(), key=lambda i: i[0]))
            if key in seen and not (more and output.command["type"] == "build"):
                made.remove(output)
            seen.add(key)
    return outputs
