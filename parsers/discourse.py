"""What a post takes back or puts right within itself: «отмена п. 2», «UPD: …», «в п. 3 вместо 2э — 3э», «жертву отменяю».

The later word counts; what it replaces is ignored as superseded, never lost.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from parsers.atoms import Atom, Sense
from parsers.context import Context
from parsers.frames import Match, Output
from parsers.numerals import find_numerals
from parsers.russian import words
from parsers.segments import Stretch
from parsers.structure import Layout, Status
from parsers.types import Ignored, IgnoredReason, Problem, Reading, Severity, Span

if TYPE_CHECKING:
    from parsers.language import Language

WITHDRAW = "~withdraw"
NEAREST = 6
"""Of several signs of correction before an order only so many are looked at."""
Outputs = list[tuple[Match, list[Output]]]


def in_force(layout: Layout, corrections: Sequence[int], live: Sequence[Atom], stretch: Stretch) -> list[int]:
    """The signs of correction that govern a stretch: one at the head of a line governs the rest of its paragraph, one inside a
    line the rest of that line."""
    start = live[stretch.first].first
    out: list[int] = []
    end = bisect_right(corrections, start)
    for at in corrections[max(0, end - NEAREST) : end]:
        sentence = layout.sentence_of[at]
        line = layout.sentences[sentence].line
        opening = layout.lines[line]
        if any(layout.tokens[i].norm in _adding() for i in range(max(at, start - 3), live[stretch.last - 1].last)):
            continue  # «UPD: ещё 6 копейщиков» replaces nothing
        if start < opening.last:
            out.append(at)
            continue
        heads = at - opening.first <= 2
        below = layout.lines[line + 1 :]
        paragraph_end = opening.last
        for following in below:
            if following.first >= following.last:
                break
            paragraph_end = following.last
        if heads and start < paragraph_end:
            out.append(at)
    return out


@lru_cache(maxsize=1)
def _adding() -> frozenset[str]:
    return frozenset(words()["correction"]["adding"])


def settle(language: Language, context: Context) -> tuple[Outputs, list[Ignored]]:
    """Carries out the corrections and withdrawals of a post, in the order of its text."""
    kept: Outputs = []
    superseded: list[Ignored] = []
    context.outputs = _with_replacements(language, context, superseded)
    for match, outputs in _put_right(language, context, superseded):
        if match.frame.id == WITHDRAW:
            _withdraw(language, context, match, kept, superseded)
            continue
        corrected = [o for o in outputs if isinstance(o, Reading)]
        if match.correcting and corrected:
            keys = {_key(match, o.command) for o in corrected}
            before = len(superseded)
            for earlier in kept:
                gone: list[Output] = [o for o in earlier[1] if isinstance(o, Reading) and _key(earlier[0], o.command) in keys]
                gone += [o for o in earlier[1] if isinstance(o, Problem) and o.draft and _draft_replaced(earlier[0], o, keys)]
                for output in gone:
                    earlier[1].remove(output)
                    superseded.append(Ignored(output.span or earlier[0].span, IgnoredReason.SUPERSEDED))
            if len(superseded) == before and kept:
                kept[-1] = _shaken(context, kept[-1], match)
        kept.append((match, outputs))
    return [(m, o) for m, o in kept if o], superseded


def _shaken(context: Context, earlier: tuple[Match, list[Output]], match: Match) -> tuple[Match, list[Output]]:
    """The order right before a correction inside its sentence that replaced nothing («дозорка в Крон — стоп, лучше ферма»): it
    may be taken back, so it asks."""
    old, made = earlier
    marks = [a for a in context.by_sentence.get(match.sentence, ()) if a.has("~correction") and old.last <= a.first < match.first]
    if old.sentence != match.sentence or not marks:
        return earlier
    note = f"после него стоит «{marks[0].text}»: приказ исправлен?"
    return old, [replace(o, certain=False, note=note) if isinstance(o, Reading) and o.certain else o for o in made]


def _key(match: Match, command: Mapping[str, Any]) -> Any:
    key = match.frame.key
    if key is not None:
        return (match.frame.id, repr(key(command)))
    return (command.get("type"),)


def _draft_replaced(match: Match, problem: Problem, keys: set[Any]) -> bool:
    try:
        return problem.draft is not None and _key(match, problem.draft) in keys
    except KeyError:
        return False


def _withdraw(language: Language, context: Context, match: Match, kept: Outputs, superseded: list[Ignored]) -> None:
    items = {item for filled in match.slots.get("items", ()) for item in filled.value}
    kinds = {s.kind for filled in match.slots.get("what", ()) for s in filled.atom.senses}
    values = {repr(s.value) for filled in match.slots.get("which", ()) for s in filled.senses}
    gone: list[Span] = []
    for earlier, outputs in kept:
        if items:
            if earlier.item not in items:
                continue
        elif not kinds & set(earlier.frame.triggers):
            continue
        elif values:
            held = {repr(s.value) for v in earlier.slots.values() for f in v for s in f.senses}
            if not values & held:
                continue
        for output in outputs:
            gone.append(output.span or earlier.span)
            superseded.append(Ignored(output.span or earlier.span, IgnoredReason.SUPERSEDED))
        outputs.clear()
    if gone:
        superseded.append(Ignored(match.span, IgnoredReason.SUPERSEDED))
    elif language.take_back is not None:
        kept.append((match, list(language.take_back(context, match))))


def _with_replacements(language: Language, context: Context, superseded: list[Ignored]) -> Outputs:
    """Applies «в п. 3 вместо 2э — 3э», «п. 1: вместо воина — командир»: the item is read again with one in the other's place."""
    layout = context.layout
    outputs = list(context.outputs)
    for index, inside in sorted(context.by_sentence.items()):
        sentence = layout.sentences[index]
        item = next((a for a in inside if a.has("~item")), None)
        instead = next((a for a in inside if a.has("~instead")), None)
        if item is None or instead is None:
            continue
        numbers = [a for a in inside if a is not item and isinstance(a.senses[0].value, int)]
        if not numbers:
            numbers = [a for a in inside if a not in (item, instead) and _has_value(a)]
        alike = len(numbers) == 2 and (isinstance(numbers[0].senses[0].value, int) or numbers[0].kinds & numbers[1].kinds)
        if not alike or item.first > instead.first:
            continue
        if numbers[0].first < instead.first:  # «п. 3: 4э вместо 2э»
            numbers.reverse()
        wanted = item.get("~item")
        assert wanted is not None
        old_values = [(m, o) for m, o in outputs if m.item in wanted.value and m.first < sentence.first]
        place = next(
            (
                a
                for m, _ in old_values
                for a in context.atoms
                if m.span.start <= a.span.start < m.span.end and a.senses[0].value == numbers[0].senses[0].value
            ),
            None,
        )
        if place is None:
            continue
        owner = next(layout.sentences[m.sentence] for m, _ in old_values)
        last = max(owner.last, *(m.last for m, _ in old_values if layout.sentences[m.sentence] is owner))
        span = Span(layout.tokens[owner.first].start, layout.tokens[last - 1].end)
        text = layout.text[span.start : place.span.start] + context.text(numbers[1].span) + layout.text[place.span.end : span.end]
        note_span = Span(layout.tokens[sentence.first].start, layout.tokens[sentence.last - 1].end)
        renewed: Outputs = []
        for match, made in language.read_line(text):
            moved = [replace(o, span=span, fields={}, extra_spans=(note_span,)) for o in made if isinstance(o, Reading)]
            renewed.append(
                (replace(match, item=wanted.value[0], first=owner.first, last=last, span=span, sentence=-1), list(moved))
            )
        if any(made for _, made in renewed):
            outputs = [(m, o) for m, o in outputs if not (m.item in wanted.value and m.first < sentence.first)]
            outputs = [
                (m, o)
                for m, o in outputs
                if not sentence.first <= m.first < sentence.last or (m.frame.id == WITHDRAW and m.first > numbers[-1].first)
            ]
            outputs.extend(renewed)
            superseded.append(Ignored(note_span, IgnoredReason.SUPERSEDED))
    return outputs


def _put_right(language: Language, context: Context, superseded: list[Ignored]) -> Outputs:
    """«… Вернее, не 002, а 003»: a correction that is no order by itself changes one thing of the order before it, which is read
    again so. Where it can't be told which, it asks, and the order before it is not certain."""
    layout = context.layout
    outputs = _with_items(language, context, list(context.outputs), superseded)
    for mark in context.atoms:
        if not mark.has("~correction") or layout.status[mark.first] is not Status.LIVE:
            continue
        if any(mark.span.start in part.span for part in superseded):
            continue  # «поправка: в п. 1 вместо …» is carried out already
        sentence = layout.sentences[layout.sentence_of[mark.first]]
        own = any(_has_value(a) for a in context.by_sentence.get(layout.sentence_of[mark.first], []) if a.first > mark.first)
        last = sentence.last if own else layout.lines[sentence.line].last
        begin, end = (bisect_left(context.atoms, at, key=lambda a: a.first) for at in (mark.last, last))
        after = [a for a in context.atoms[begin:end] if _has_value(a)]
        if not after or any(mark.first < m.last and m.first < last for m, _ in outputs):
            continue
        before = [(m, o) for m, o in outputs if m.last <= mark.first and layout.sentences[m.sentence].line >= sentence.line - 1]
        items = {item for a in context.atoms[begin:end] for s in a.all("~item") for item in s.value}
        if items:
            before = [(m, o) for m, o in outputs if m.item in items and m.last <= mark.first]
        if not before:
            continue
        match, made = before[-1]
        span = Span(mark.span.start, layout.tokens[last - 1].end)
        renewed = _reread(language, context, match, after, span)
        place = outputs.index((match, made))
        if renewed is not None:
            outputs[place] = renewed
            superseded.append(Ignored(span, IgnoredReason.SUPERSEDED))
            continue
        note = f"не понял исправление «{context.text(span)}»"
        unsure: list[Output] = [replace(o, certain=False, note=note) if isinstance(o, Reading) else o for o in made]
        message = f"Не понял исправление: «{context.text(span)}». Напишите строку приказа целиком."
        unsure.append(Problem(language.ambiguous_code, Severity.QUESTION, message, span))
        outputs[place] = (match, unsure)
    return outputs


def _with_items(language: Language, context: Context, outputs: Outputs, superseded: list[Ignored]) -> Outputs:
    """«В пункте 4 получатель — владыка Буйный»: what is said of an item above, and is no order by itself, changes its order."""
    layout = context.layout
    for mark in context.atoms:
        wanted = mark.get("~item")
        if wanted is None or layout.status[mark.first] is not Status.LIVE:
            continue
        inside = context.by_sentence.get(layout.sentence_of[mark.first], [])
        behind = [a for a in inside if a.first >= mark.last]
        stop = next((a.first for a in behind if a.has("~item")), layout.sentences[layout.sentence_of[mark.first]].last)
        after = [a for a in behind if a.first < stop and _has_value(a)]
        other = any(a.has("~instead", WITHDRAW, "~correction") and not a.negated for a in inside if a.first < stop)
        if not after or other or any(mark.first <= m.first < stop for m, _ in outputs):
            continue
        before = [k for k, (m, made) in enumerate(outputs) if m.item in wanted.value and m.last <= mark.first and made]
        if len(before) != 1:
            continue
        match, made = outputs[before[0]]
        span = Span(mark.span.start, layout.tokens[stop - 1].end)
        renewed = _reread(language, context, match, after, span)
        if renewed is not None:
            outputs[before[0]] = renewed
            superseded.append(Ignored(span, IgnoredReason.SUPERSEDED))
        else:
            note = f"не понял исправление «{context.text(span)}»"
            unsure: list[Output] = [replace(o, certain=False, note=note) if isinstance(o, Reading) else o for o in made]
            outputs[before[0]] = (match, unsure)
    return outputs


def _has_value(atom: Atom) -> bool:
    return any(not s.kind.startswith("~") and s.kind != s.value for s in atom.senses)


def _reread(
    language: Language, context: Context, match: Match, after: Sequence[Atom], span: Span
) -> tuple[Match, list[Output]] | None:
    """The order before, with one atom exchanged for the correct one."""
    layout = context.layout
    wrong = [a for a in after if a.negated]
    right = [a for a in after if not a.negated]
    if len(right) != 1:
        return None
    new = right[0]
    if wrong:
        values = {repr(s.value) for s in wrong[0].senses}
        old = [a for a in match.atoms if values & {repr(s.value) for s in a.senses}]
    else:
        old = [a for a in match.atoms if a.kinds & new.kinds]
        if not old and new.has("number"):
            old = [a for a in match.atoms if isinstance(a.senses[0].value, int)] or _numbers_inside(language, context, match)
    if len(old) != 1:
        return None
    place = old[0].span
    text = layout.text[match.span.start : place.start] + new.text + layout.text[place.end : match.span.end]
    found = [(m, o) for m, o in language.read_line(text) if o]
    if len(found) != 1:
        return None
    readings = [o for o in found[0][1] if isinstance(o, Reading)]
    first = _commands(language, context.text(match.span))
    earlier = [o for m, made in context.outputs if m is match for o in made if isinstance(o, Reading)]
    if len(readings) == len(first) == len(earlier) == 1 and first[0].get("type") == earlier[0].command.get("type"):
        # What the order took from the orders around it (the army that «она» is) stays.
        changed = {k: v for k, v in readings[0].command.items() if first[0].get(k) != v}
        readings = [replace(readings[0], command={**earlier[0].command, **changed})]
    made: list[Output] = [replace(o, span=match.span, fields={}, extra_spans=(span,)) for o in readings]
    return (match, made) if made else None


def _commands(language: Language, text: str) -> list[Mapping[str, Any]]:
    return [o.command for _, made in language.read_line(text) for o in made if isinstance(o, Reading)]


def _numbers_inside(language: Language, context: Context, match: Match) -> list[Atom]:
    """The numbers that went into joined atoms («10 копейщиков»), as atoms of their own."""
    layout = context.layout
    out: list[Atom] = []
    for atom in match.atoms:
        if isinstance(atom.senses[0].value, tuple):
            for numeral in find_numerals(layout.tokens[atom.first : atom.last], language.units):
                if numeral.kind == "number":
                    first, last = atom.first + numeral.first, atom.first + numeral.last
                    place = Span(layout.tokens[first].start, layout.tokens[last - 1].end)
                    out.append(replace(atom, first=first, last=last, span=place, senses=(Sense("number", numeral.value),)))
    return out
