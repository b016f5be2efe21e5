"""The last steps of a reading: orders that the game doesn't have, leftovers that cast doubt, the account of every character."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from parsers import typos
from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Match, Output
from parsers.russian import Verb, closed_class, info
from parsers.structure import REASONS, Layout, Sentence, Status, inside, starts_with
from parsers.structure import phrases as _phrases
from parsers.tokens import Kind
from parsers.types import Ignored, IgnoredReason, Parse, Problem, Reading, Severity, Span

if TYPE_CHECKING:
    from parsers.language import Language

Outputs = list[tuple[Match, list[Output]]]

_OR = frozenset({"или", "либо"})


def doubtful_leftovers(context: Context, outputs: Outputs, strong: frozenset[str], superseded: Sequence[Ignored]) -> Outputs:
    """Game words left over in the sentence of an order (a second amount, a unit) make its readings ask; so does any
    alternative to one of its words («за Дань или за Изобилие»). What was taken back is not left over."""
    layout = context.layout
    used = [a.first for m, _ in outputs for a in m.atoms]
    taken = set(used)
    covered = bytearray(len(layout.text) + 1)
    for match, made in outputs:
        if made:
            covered[match.span.start : match.span.end] = b"\1" * (match.span.end - match.span.start)
    for part in superseded:
        covered[part.span.start : part.span.end] = b"\1" * (part.span.end - part.span.start)
    out: Outputs = []
    left: dict[int, Atom] = {}
    instead: dict[int, Atom] = {}
    for atom in context.atoms:
        if atom.first in taken or atom.negated or any(layout.status[i] is not Status.LIVE for i in range(atom.first, atom.last)):
            continue
        if any(layout.tokens[i].norm in _OR for i in range(max(0, atom.first - 2), atom.first)):
            instead.setdefault(layout.sentence_of[atom.first], atom)
        sense = atom.get(*strong)
        if sense is None or sense.partial or sense.quality < typos.CERTAIN:
            continue
        if covered[atom.span.start] and covered[atom.span.end - 1]:
            continue
        left.setdefault(layout.sentence_of[atom.first], atom)
    for match, made in outputs:
        atom_left = left.get(match.sentence)
        other = instead.get(match.sentence)
        if other is not None and other.first >= match.last and any(a.kinds & other.kinds for a in match.atoms):
            atom_left = other
        if atom_left is None or match.sentence < 0 or abs(atom_left.span.start - match.span.end) > 60:
            out.append((match, made))
            continue
        note = f"рядом осталось непонятое: «{atom_left.text}»"
        out.append(
            (
                match,
                [
                    replace(o, certain=False, note=f"{o.note}; {note}" if o.note else note)
                    if isinstance(o, Reading) and o.certain
                    else o
                    for o in made
                ],
            )
        )
    return out


def unknown_orders(
    language: Language, context: Context, outputs: Outputs, problems: Sequence[Problem], superseded: Sequence[Ignored]
) -> list[Problem]:
    """Sentences that order something the game doesn't have: a verb of order at their head and a thing of the game, or one of the
    game's own verbs of order at the head of a line («Построить пивоварню»). What was taken back is an order of the game."""
    layout = context.layout
    needs = language.unknown_needs or (language.strong | language.names)
    busy: set[int] = set()
    starts = [t.start for t in layout.tokens]
    for match, _ in outputs:
        busy.update(layout.sentence_of[i] for i in range(match.first, min(match.last, len(layout.sentence_of))))
    for span in (*(p.span for p in problems if p.span is not None), *(part.span for part in superseded)):
        at = bisect_left(starts, span.start)
        while at < len(starts) and starts[at] < span.end:
            busy.add(layout.sentence_of[at])
            at += 1
    out: list[Problem] = []
    by_sentence: dict[int, list[Atom]] = {}
    for atom in context.atoms:
        by_sentence.setdefault(layout.sentence_of[atom.first], []).append(atom)
    for index, sentence in enumerate(layout.sentences):
        if index in busy or not _orders(layout, sentence):
            continue
        atoms = [a for a in by_sentence.get(index, ()) if not a.negated and layout.status[a.first] is Status.LIVE]
        named = any(s.kind in needs and s.quality >= typos.CERTAIN and not s.partial for a in atoms for s in a.senses)
        if not named and not _begins_line_with(layout, sentence, atoms, language.triggers):
            continue
        span = _live_span(layout, sentence)
        text = " ".join(context.text(span).split())
        out.append(Problem("unknown_order", Severity.ERROR, language.unknown_message.format(text=text[:120]), span))
    return out


def _orders(layout: Layout, sentence: Sentence) -> bool:
    """True when the sentence begins as an order does: its first verb is in the first person, infinitive or imperative."""
    if inside(layout.italic, layout.tokens[sentence.first].start):
        return False
    seen = 0
    for i in range(sentence.first, sentence.last):
        token = layout.tokens[i]
        if layout.status[i] is Status.LIST_MARK or token.kind is not Kind.WORD:
            continue
        if layout.status[i] is not Status.LIVE or token.norm == "не":
            return False
        verb = info(token.norm).verb if token.norm not in closed_class() else Verb.NONE
        seen += 1
        if verb in (Verb.ORDER, Verb.INFINITIVE, Verb.IMPERATIVE):
            return True
        if verb is not Verb.NONE or seen > 3:
            return False
    return False


def _begins_line_with(layout: Layout, sentence: Sentence, atoms: Sequence[Atom], kinds: frozenset[str]) -> bool:
    """True when the first word of a line is a verb of order of these kinds."""
    words = [i for i in range(sentence.first, sentence.last) if layout.tokens[i].kind is Kind.WORD]
    words = [i for i in words if layout.status[i] is not Status.LIST_MARK]
    if len(words) < 2 or any(t.kind is Kind.WORD for t in layout.tokens[layout.lines[sentence.line].first : sentence.first]):
        return False
    if info(layout.tokens[words[0]].norm).verb not in (Verb.INFINITIVE, Verb.ORDER):
        return False
    return any(a.first == words[0] and any(s.kind in kinds and s.quality >= typos.CERTAIN for s in a.senses) for a in atoms)


def _live_span(layout: Layout, sentence: Sentence) -> Span:
    first = sentence.first
    while first < sentence.last - 1 and layout.status[first] is Status.LIST_MARK:
        first += 1
    last = sentence.last
    while last > first + 1 and layout.tokens[last - 1].kind is Kind.SIGN:
        last -= 1
    return Span(layout.tokens[first].start, layout.tokens[last - 1].end)


def account(layout: Layout, outputs: Outputs, problems: Iterable[Problem], superseded: Sequence[Ignored]) -> Parse:
    """The parse, with every non-blank character in a reading, a problem or an ignored part."""
    readings: list[Reading] = []
    found: list[Problem] = list(problems)
    for _, made in outputs:
        for output in made:
            if isinstance(output, Reading):
                readings.append(output)
            else:
                found.append(output)
    readings.sort(key=lambda r: (r.span.start, r.span.end))
    found.sort(key=lambda p: p.span.start if p.span else 0)
    ignored = [*layout.ignored, *superseded]
    covered = bytearray(len(layout.text) + 1)
    spans = [s for r in readings for s in (r.span, *r.extra_spans)]
    spans += [p.span for p in found if p.span is not None]
    spans += [i.span for i in ignored]
    for span in spans:
        covered[span.start : span.end] = b"\1" * (span.end - span.start)
    busy_lines = _lines_of(layout, [*(r.span for r in readings), *(p.span for p in found if p.span is not None)])
    pending: tuple[int, int, IgnoredReason] | None = None
    line = 0
    facts = _facts(layout)
    for i, token in enumerate(layout.tokens):
        if token.kind is Kind.LINE:
            line += 1
            continue
        if all(covered[token.start : token.end]):
            continue
        reason = _reason(layout, i, line, busy_lines, facts)
        if (
            pending is not None
            and pending[2] is reason
            and not any(covered[pending[1] : token.start])
            and layout.text[pending[1] : token.start].strip() == ""
        ):
            pending = (pending[0], token.end, reason)
            continue
        if pending is not None:
            ignored.append(Ignored(Span(pending[0], pending[1]), pending[2]))
        pending = (token.start, token.end, reason)
    if pending is not None:
        ignored.append(Ignored(Span(pending[0], pending[1]), pending[2]))
    ignored.sort(key=lambda i: (i.span.start, i.span.end))
    return Parse(layout.text, tuple(readings), tuple(found), tuple(ignored))


def _lines_of(layout: Layout, spans: Sequence[Span]) -> set[int]:
    starts = [line.start for line in layout.lines]
    out: set[int] = set()
    for span in spans:
        first = bisect_right(starts, span.start) - 1
        last = bisect_right(starts, max(span.start, span.end - 1)) - 1
        out.update(range(first, last + 1))
    return out


@dataclass(frozen=True, slots=True)
class _LineFacts:
    """What the reason of a line's leftovers hangs on."""

    wordless: bool
    numbered: bool
    heading: bool
    """Short, and ends with a colon."""


def _facts(layout: Layout) -> list[_LineFacts]:
    out: list[_LineFacts] = []
    for line in layout.lines:
        inside_line = layout.tokens[line.first : line.last]
        out.append(
            _LineFacts(
                not any(t.kind in (Kind.WORD, Kind.NUMBER) for t in inside_line),
                any(t.kind is Kind.NUMBER for t in inside_line),
                bool(inside_line) and inside_line[-1].norm == ":" and len(inside_line) <= 12,
            )
        )
    return out


def _reason(layout: Layout, i: int, line: int, busy: set[int], facts: Sequence[_LineFacts]) -> IgnoredReason:
    status = layout.status[i]
    if status in REASONS:
        return REASONS[status]
    known = facts[min(line, len(facts) - 1)]
    if known.wordless or (layout.tokens[i].kind is Kind.SIGN and line in busy):
        return IgnoredReason.SEPARATOR
    if line not in busy:
        sentence = layout.sentence_of[i]
        if sentence >= 0 and known.numbered:
            first, last = layout.sentences[sentence].first, layout.sentences[sentence].last
            if starts_with(layout.tokens, first, last, _phrases("summary", "weak")):
                return IgnoredReason.SUMMARY
        if known.heading:
            return IgnoredReason.HEADING
    return IgnoredReason.PROSE
