"""Orders of things that the game doesn't have: «Построить пивоварню», «строю казарму в Янтарном Порту»."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from parsers import typos
from parsers.atoms import Atom
from parsers.context import Context
from parsers.coverage import Outputs
from parsers.harmless import harmless
from parsers.reading_atoms import PREPOSITIONS
from parsers.russian import Verb, closed_class, forms_of_order, info, words
from parsers.structure import Layout, Sentence, Status, inside
from parsers.tokens import Kind
from parsers.types import Ignored, Problem, Severity, Span

if TYPE_CHECKING:
    from parsers.language import Language

LONGEST = 3
"""Words of a line that is no more than a deed and its thing."""
_ORDERED = (Verb.ORDER, Verb.INFINITIVE, Verb.IMPERATIVE)


def unknown_orders(
    language: Language, context: Context, outputs: Outputs, problems: Sequence[Problem], superseded: Sequence[Ignored]
) -> list[Problem]:
    """Sentences that order something the game doesn't have: a verb of order at their head and a thing of the game, or one of the
    game's own verbs of order at the head of a line («Построить пивоварню»). What was taken back is an order of the game."""
    layout = context.layout
    needs = language.unknown_needs or (language.strong | language.names)
    busy: set[int] = set()
    starts = [t.start for t in layout.tokens]
    busy.update(layout.sentence_of[i] for i in context.read)
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
        if index in busy:
            continue
        if not _orders(layout, sentence):
            if _lone_deed(layout, sentence):
                out.append(_problem(language, context, sentence))
            continue
        atoms = [a for a in by_sentence.get(index, ()) if not a.negated and layout.status[a.first] is Status.LIVE]
        if atoms and all(any(s.kind in language.opens for s in a.senses) for a in atoms):
            continue  # «Строимся, братцы.»: it announces what follows
        named = any(s.kind in needs and s.quality >= typos.CERTAIN and not s.partial for a in atoms for s in a.senses)
        if not named and not _begins_line_with(layout, sentence, atoms, language.triggers) and not _lone_deed(layout, sentence):
            continue
        out.append(_problem(language, context, sentence))
    return out


def _problem(language: Language, context: Context, sentence: Sentence) -> Problem:
    span = _live_span(context.layout, sentence)
    text = " ".join(context.text(span).split())
    return Problem("unknown_order", Severity.ERROR, language.unknown_message.format(text=text[:120]), span)


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
    said = _line_words(layout, sentence)
    if len(said) < 2 or info(layout.tokens[said[0]].norm).verb not in (Verb.INFINITIVE, Verb.ORDER):
        return False
    if idle(layout.tokens[said[0]].norm):
        return False
    return any(a.first == said[0] and any(s.kind in kinds and s.quality >= typos.CERTAIN for s in a.senses) for a in atoms)


def _lone_deed(layout: Layout, sentence: Sentence) -> bool:
    """True for a line that is no more than a deed and its thing, misspelt or not: «построю казарму», «Стрю кабак»."""
    said = _line_words(layout, sentence)
    while said and layout.tokens[said[0]].norm in words()["going_on"]["words"]:
        said = said[1:]  # «и ещё строю башню в слободе»
    said = [i for i in said if layout.tokens[i].norm not in PREPOSITIONS]
    if not 2 <= len(said) <= LONGEST or any(layout.status[i] is not Status.LIVE for i in range(said[0], sentence.last)):
        return False
    first, *rest = (layout.tokens[i].norm for i in said)
    if any(word in closed_class() or info(word).verb is not Verb.NONE for word in rest):
        return False
    return (info(first).verb in _ORDERED and bool(info(first).lemmas & _deeds())) or (
        not info(first).known and bool(_deed_forms().near(first))
    )


def _line_words(layout: Layout, sentence: Sentence) -> list[int]:
    """The words of a sentence that opens its line; none of another."""
    if any(t.kind is Kind.WORD for t in layout.tokens[layout.lines[sentence.line].first : sentence.first]):
        return []
    said = [i for i in range(sentence.first, sentence.last) if layout.tokens[i].kind is Kind.WORD]
    return [i for i in said if layout.status[i] is not Status.LIST_MARK]


def idle(word: str) -> bool:
    """True for a verb that opens talk as often as an order («жду ответа», «прошу прощения»)."""
    return harmless(word) or bool(info(word).lemmas & _idle())


@lru_cache(maxsize=1)
def _idle() -> frozenset[str]:
    return frozenset(words()["deeds"]["idle"])


@lru_cache(maxsize=1)
def _deeds() -> frozenset[str]:
    return frozenset(words()["deeds"]["lemmas"])


@lru_cache(maxsize=1)
def _deed_forms() -> typos.TypoIndex:
    """Forms in which deeds are ordered, to find misspelt ones."""
    return typos.TypoIndex({form: () for lemma in _deeds() for form in forms_of_order(lemma)})


def _live_span(layout: Layout, sentence: Sentence) -> Span:
    first = sentence.first
    while first < sentence.last - 1 and layout.status[first] is Status.LIST_MARK:
        first += 1
    last = sentence.last
    while last > first + 1 and layout.tokens[last - 1].kind is Kind.SIGN:
        last -= 1
    return Span(layout.tokens[first].start, layout.tokens[last - 1].end)
