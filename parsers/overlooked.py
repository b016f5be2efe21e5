"""Sentences that order something although no order was read in them: what the game doesn't have, and what was not understood.

An order must never be lost silently: a part of a post in which the game's own things stand as orders name them, and that nothing
has explained, is asked about. Stories and sums are left alone. `EVIDENCE` and the weights below say how much is enough.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from parsers import typos
from parsers.atoms import Atom
from parsers.context import Context
from parsers.coverage import Outputs
from parsers.discourse import WITHDRAW
from parsers.frames import Match
from parsers.harmless import harmless
from parsers.russian import Verb, closed_class, info, normal, words
from parsers.structure import Layout, Sentence, Status, inside, phrases, starts_with
from parsers.tokens import Kind
from parsers.types import Ignored, Problem, Reading, Severity, Span
from parsers.unknown import idle

if TYPE_CHECKING:
    from parsers.language import Language

EVIDENCE = 2.0
"""A part whose words are worth so much may be an order."""
NAME, AMOUNT, CALL, VERB = 1.0, 1.0, 1.0, 1.0
"""A thing of the game, a number, a word that calls for an order, a verb in a form that orders are given in."""
NOTHING_ELSE = 1.0
"""For a part that holds no word but such; in proportion less where it does."""
TOLD = -0.6
"""A verb in the third person or the past that calls for nothing: somebody tells."""
LEAST = 2
"""So many things, numbers or calls must be there; one will do for a sentence that holds no other word."""
TERSE = 4
"""A part of no more words is an order in short, not a story."""
SHORT = 2
"""A part of so few words beside an order goes on with it."""
_ORDERED = (Verb.ORDER, Verb.INFINITIVE, Verb.IMPERATIVE)
_TOLD = (Verb.THIRD, Verb.PAST)
_SHOWN = 120
"""Characters of the player's words that a message repeats."""


def taken(context: Context, outputs: Outputs, problems: Iterable[Problem], superseded: Iterable[Ignored]) -> bytearray:
    """By token, whether a reading, a problem, something taken back, or an order that the game dropped knowingly explains it."""
    layout = context.layout
    out = bytearray(len(layout.tokens) + 1)
    starts = [t.start for t in layout.tokens]
    spans = [p.span for p in problems if p.span is not None]
    spans += [part.span for part in superseded]
    for i in context.read:
        out[i] = 1
    for i, status in enumerate(layout.status):
        if status is Status.REPAIR:
            out[i] = 1
    for match, made in outputs:
        for output in made:
            if isinstance(output, Reading):
                spans += [output.span, *output.extra_spans]
            elif output.span is not None:
                spans.append(output.span)
        for atom in match.atoms if made else ():
            out[atom.first : atom.last] = b"\1" * (atom.last - atom.first)
    for span in spans:
        first, last = bisect_left(starts, span.start), bisect_left(starts, span.end)
        out[first:last] = b"\1" * (last - first)
    return out


def overlooked(language: Language, context: Context, explained: bytearray) -> list[Problem]:
    """What may be an order that was not understood, one question a part."""
    layout = context.layout
    out: list[Problem] = []
    for first, last in _suspicious(language, context, explained):
        span = _trimmed(layout, first, last)
        text = " ".join(context.text(span).split())[:_SHOWN]
        message = language.overlooked_message.format(text=text)
        if out and out[-1].span is not None and layout.text[out[-1].span.end : span.start].strip(" ,") == "":
            span = out.pop().span.cover(span)  # type: ignore[union-attr]
            message = language.overlooked_message.format(text=" ".join(context.text(span).split())[:_SHOWN])
        out.append(Problem(language.ambiguous_code, Severity.QUESTION, message, span))
    return out


def suspects(language: Language, context: Context, explained: bytearray) -> Iterable[tuple[int, int, list[Atom]]]:
    """Each part that no order explains and nothing speaks against, with its atoms: there an order may be guessed."""
    layout = context.layout
    for index, sentence in enumerate(layout.sentences):
        atoms = context.by_sentence.get(index)
        if not atoms or inside(layout.italic, layout.tokens[sentence.first].start):
            continue
        for first, last in _runs(_parts(layout, sentence), explained):
            tokens = layout.tokens[first:last]
            if any(layout.status[i] is not Status.LIVE for i in range(first, last)) or _gives_reason(layout, first, last):
                continue
            if any(t.norm in _denials() for t in tokens) or tokens[-1].norm == ":":
                continue
            yield first, last, [a for a in atoms if first <= a.first and a.last <= last]


def names_thing(language: Language, atom: Atom) -> bool:
    """True for a thing of the game or an amount: no guess may leave it out."""
    return _is(atom, language.names | language.strong | language.amounts)


def _suspicious(language: Language, context: Context, explained: bytearray) -> Iterable[tuple[int, int]]:
    layout = context.layout
    for index, sentence in enumerate(layout.sentences):
        atoms = context.by_sentence.get(index)
        if not atoms or inside(layout.italic, layout.tokens[sentence.first].start):
            continue
        if starts_with(layout.tokens, _head(layout, sentence), sentence.last, phrases("summary", "weak")):
            continue
        if _titles(language, layout, atoms, sentence):
            continue
        whole = not any(explained[sentence.first : sentence.last])
        for first, last in _runs(_parts(layout, sentence), explained):
            if _may_order(language, layout, atoms, first, last, whole):
                yield first, last


def _titles(language: Language, layout: Layout, atoms: Sequence[Atom], sentence: Sentence) -> bool:
    """True for a line's title that says whose orders of which turn follow («Приказ по Империи, ход 1»)."""
    title = frozenset(words()["title"]["lemmas"])
    if layout.lines[sentence.line].first != sentence.first:
        return False
    named = False
    for i in range(sentence.first, sentence.last):
        token = layout.tokens[i]
        if token.kind is Kind.NUMBER:
            beside = (layout.tokens[k].norm for k in (i - 1, i + 1) if sentence.first <= k < sentence.last)
            if not any(info(norm).lemmas & title for norm in beside):
                return False
        elif token.kind is Kind.WORD and info(token.norm).lemmas & title:
            named = True
        elif token.kind is Kind.WORD and token.norm not in closed_class() and not _names_person(language, atoms, i):
            return False
    return named


def _names_person(language: Language, atoms: Sequence[Atom], i: int) -> bool:
    return any(i in atom.tokens() and _is(atom, language.persons) for atom in atoms)


def hinted(language: Language, context: Context, explained: bytearray) -> list[Problem]:
    """Whole orders that are only said to be likely, said by somebody else, or wished for without a verb («Ещё бы пять лучников»):
    they may be meant, so they ask."""
    layout = context.layout
    out: list[Problem] = []
    for atoms in context.by_sentence.values():
        for status in (Status.HEDGED, Status.SPEECH, Status.IRREAL):
            said = [
                a for a in atoms if all(layout.status[i] is status for i in range(a.first, a.last)) and not explained[a.first]
            ]
            if not said or (status is Status.SPEECH and _told_of_others(language, layout, atoms, said[0].first)):
                continue
            if status is Status.IRREAL and _dreamt(layout, said[0].first):
                continue
            found = [m for m in language.matches(layout, said) if m.frame.id != WITHDRAW and _whole(m)]
            if not found:
                continue
            span = _trimmed(layout, min(m.first for m in found), max(m.last for m in found))
            text = " ".join(context.text(span).split())[:_SHOWN]
            out.append(Problem(language.ambiguous_code, Severity.QUESTION, language.hinted_message.format(text=text), span))
    return out


def turned(language: Language, context: Context, explained: bytearray) -> list[Problem]:
    """«Хотел нанять 10 лучников, но жалко, так что 5»: behind a wish stands what was decided, and no order took it."""
    layout = context.layout
    out: list[Problem] = []
    for atoms in context.by_sentence.values():
        wished = [a for a in atoms if layout.status[a.first] is Status.IRREAL and not explained[a.first]]
        if not wished:
            continue
        decided = [
            a
            for a in atoms
            if a.first > wished[0].first
            and layout.status[a.first] is Status.LIVE
            and not (explained[a.first] or a.negated or _counts_turns(layout, a))
            and _is(a, language.names | language.amounts)
            and (_is(a, language.amounts) or any(a.kinds & w.kinds for w in wished))
        ]
        if not decided or not any(m.triggers or _whole(m) for m in language.matches(layout, wished)):
            continue
        span = _trimmed(layout, wished[0].first, decided[-1].last)
        text = " ".join(context.text(span).split())[:_SHOWN]
        out.append(Problem(language.ambiguous_code, Severity.QUESTION, language.hinted_message.format(text=text), span))
    return out


def _dreamt(layout: Layout, at: int) -> bool:
    """True for a wish with a verb («построил бы барак») or none that is said with «бы»."""
    sentence = layout.sentences[layout.sentence_of[at]]
    wished = [i for i in range(sentence.first, sentence.last) if layout.status[i] is Status.IRREAL]
    norms = [layout.tokens[i].norm for i in wished if layout.tokens[i].kind is Kind.WORD]
    return not set(norms) & set(words()["irreal"]["wishing"]) or any(info(norm).verb is not Verb.NONE for norm in norms)


def _whole(match: Match) -> bool:
    """True for an order that lacks nothing and says what it is about («кажется, ухожу из игры» is about the game)."""
    spoken = bool(match.slots) or (not match.frame.slots and any(a.verb is not Verb.NONE for a in match.triggers))
    return spoken and all(not slot.required or slot.name in match.slots for slot in match.frame.slots)


def _told_of_others(language: Language, layout: Layout, atoms: Sequence[Atom], first: int) -> bool:
    """True when the words that lead a speech name somebody («Каэль кричал: «…»»)."""
    return any(a.first < first and layout.status[a.first] is Status.LIVE and _is(a, language.names) for a in atoms)


def _head(layout: Layout, sentence: Sentence) -> int:
    at = sentence.first
    while at < sentence.last - 1 and (layout.status[at] is Status.LIST_MARK or layout.tokens[at].kind is Kind.SIGN):
        at += 1
    return at


def _parts(layout: Layout, sentence: Sentence) -> list[tuple[int, int]]:
    """The parts of a sentence between commas, brackets and «но»; a colon, a dash or an arrow joins."""
    out: list[tuple[int, int]] = []
    first = _head(layout, sentence)
    for i in range(first, sentence.last):
        norm = layout.tokens[i].norm
        if norm in {",", ";", "(", ")", "но"}:
            if first < i:
                out.append((first, i))
            first = i + 1
    if first < sentence.last:
        out.append((first, sentence.last))
    return out


def _runs(parts: Iterable[tuple[int, int]], explained: bytearray) -> Iterable[tuple[int, int]]:
    """What is unexplained of each part: before, between and behind its orders."""
    for first, last in parts:
        begin = first
        for i in range(first, last + 1):
            if i == last or explained[i]:
                if begin < i:
                    yield begin, i
                begin = i + 1


def _may_order(language: Language, layout: Layout, atoms: Sequence[Atom], first: int, last: int, whole: bool) -> bool:
    if layout.tokens[last - 1].norm == ":" or any(layout.status[i] is not Status.LIVE for i in range(first, last)):
        return False
    mine = [a for a in atoms if first <= a.first and a.last <= last and not a.negated]
    known = {i for a in mine for i in range(a.first, a.last)}
    if any(layout.tokens[i].norm in _denials() and i not in known for i in range(first, last)):
        return False  # «рудник на В10 строить не буду»
    things = {a.first: a for a in mine if _is(a, language.names | language.strong)}
    amounts = {a.first: a for a in mine if _is(a, language.amounts) and not _counts_turns(layout, a)}
    calls = {a.first: a for a in mine if _is(a, language.triggers) and not idle(normal(a.text))}
    signs = {**things, **amounts, **calls}
    content = [i for i in range(first, last) if _says_something(layout, i)]
    if whole and mine and _is(mine[0], language.opens):
        return False
    if _terse(layout, mine, content, list(things.values()), bool(signs), whole):
        return True
    if not signs:
        return False
    strange = [i for i in content if i not in known]
    if not whole and amounts and len(strange) == 1 and len(content) <= SHORT:
        return True  # «барак в Сталеваре, конных 4»: it goes on with something that the game may not have
    verbs = [info(layout.tokens[i].norm).verb for i in strange if not idle(layout.tokens[i].norm)]
    if _gives_reason(layout, first, last) and any(v in _TOLD for v in (*verbs, *(a.verb for a in mine))):
        return False
    alone = not strange and bool(things or amounts)
    alone = alone and (
        (not whole and _goes_on(layout, first)) or (whole and _answers(layout, next(iter(signs.values())), language.amounts))
    )
    if len(signs) + any(v in _ORDERED for v in verbs) < LEAST and not alone:
        return False
    ordered = any(v in _ORDERED for v in (*verbs, *(a.verb for a in calls.values())))
    worth = NAME * len(things) + AMOUNT * len(amounts) + CALL * len(calls.keys() - things.keys()) + VERB * ordered
    worth += TOLD * sum(v in _TOLD for v in verbs) + NOTHING_ELSE * (1 - len(strange) / max(1, len(content)))
    return worth >= EVIDENCE


def _terse(
    layout: Layout, mine: Sequence[Atom], content: Sequence[int], things: Sequence[Atom], signed: bool, whole: bool
) -> bool:
    """«Шмотов в Трон», «Гхашу трояк»: a few words, one of which no dictionary knows beside one of the game's, or which say to
    whom or whereto."""
    sure = {i for a in mine if not all(s.partial or s.quality < typos.CERTAIN for s in a.senses) for i in a.tokens()}
    strange = [layout.tokens[i].norm for i in content if i not in sure]
    if not strange or len(content) > TERSE:
        return False
    if any(info(word).known and info(word).verb in (*_TOLD, Verb.SECOND) for word in strange):
        return False
    if any(not info(word).known and not word.isascii() for word in strange):
        return signed or not sure.isdisjoint(content)
    return whole and len(content) < TERSE and any(_receives(layout, a) for a in things)


def _receives(layout: Layout, atom: Atom) -> bool:
    """True for a thing in the place where orders name it: «Гхашу …», «… в Трон», «руна: Дань», «Ормис: …»."""
    beside = {layout.tokens[i].norm for i in (atom.first - 1, atom.last) if 0 <= i < len(layout.tokens)}
    if not beside.isdisjoint({":", "-"}):
        return True
    return "datv" in atom.cases if not atom.prep else atom.prep in _TO and "accs" in atom.cases


_TO = frozenset({"в", "во", "на", "к", "ко"})


def _gives_reason(layout: Layout, first: int, last: int) -> bool:
    """«…: порча ползёт от Морвена», «…, ибо огры близко»."""
    while first < last and layout.tokens[first].kind is Kind.SIGN:
        if layout.tokens[first].norm == ":":
            return True
        first += 1
    return bool(starts_with(layout.tokens, first, last, phrases("reason", "starts")))


def _goes_on(layout: Layout, first: int) -> bool:
    """«…, потом ещё на одну», «… и 3 энергии»: what begins so adds to the order before it."""
    return layout.tokens[first].norm in words()["going_on"]["words"]


def _says_something(layout: Layout, i: int) -> bool:
    token = layout.tokens[i]
    return token.kind is Kind.WORD and token.norm not in closed_class() and not harmless(token.norm)


def _counts_turns(layout: Layout, atom: Atom) -> bool:
    """«ход 1», «за 1-й ход», «год 2»."""
    beside = {layout.tokens[i].norm for i in (atom.first - 1, atom.last) if 0 <= i < len(layout.tokens)}
    return any(info(word).lemmas & _turns() for word in beside)


def _answers(layout: Layout, atom: Atom, amounts: frozenset[str]) -> bool:
    """True when one thing alone is a whole sentence: where to («на Г11»), what («оружейную мастерскую»), how many («десять»)."""
    if atom.has(*amounts):
        return atom.has("number") and layout.tokens[atom.first].kind is Kind.WORD
    sure = info(layout.tokens[atom.last - 1].norm).known and bool(atom.cases)
    return bool(atom.prep) or (sure and "nomn" not in atom.cases)


@lru_cache(maxsize=1)
def _denials() -> frozenset[str]:
    return frozenset(words()["negation"]["words"]) - {"без"}


@lru_cache(maxsize=1)
def _turns() -> frozenset[str]:
    return frozenset(words()["turns"]["lemmas"])


def _is(atom: Atom, kinds: frozenset[str]) -> bool:
    return any(s.kind in kinds and s.quality >= typos.CERTAIN and not s.partial for s in atom.senses)


def _trimmed(layout: Layout, first: int, last: int) -> Span:
    while first < last - 1 and layout.tokens[first].kind is Kind.SIGN:
        first += 1
    while last > first + 1 and layout.tokens[last - 1].kind is Kind.SIGN:
        last -= 1
    return Span(layout.tokens[first].start, layout.tokens[last - 1].end)
