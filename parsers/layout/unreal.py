"""What is only thought, wished, guessed, told of others or taken back."""

from __future__ import annotations

from itertools import pairwise

from parsers.russian import Verb, info, words
from parsers.structure import (
    Layout,
    Sentence,
    Status,
    clauses,
    first_word,
    phrases,
    set_status,
    starts_with,
)
from parsers.tokens import Kind

_TURNS = frozenset({"но", "поэтому", "однако", "значит", "итак", "теперь", "сейчас"})
"""Words after which a sentence leaves what is only thought or told."""


def mark_unreal(layout: Layout, sentence: Sentence, real_words: frozenset[str]) -> None:
    """Clauses that wish, plan or guess, and those after them until the sentence turns («но», «поэтому»)."""
    tokens = layout.tokens
    single = frozenset(words()["irreal"]["words"]) - real_words
    asking = frozenset(words()["question"]["words"])
    likely = frozenset(words()["hedge"]["words"]) - real_words
    found, likely_found = phrases("irreal", "phrases"), phrases("hedge", "phrases")
    supposing, real = phrases("conditional", "starts"), phrases("irreal", "real")
    carried = Status.LIVE
    wished = False
    for first, last in clauses(layout, sentence):
        opener = tokens[first].norm
        if opener in _TURNS or (wished and _does(layout, first, last)):
            carried = Status.LIVE
        hit = carried
        for k in range(first, last):
            norm = tokens[k].norm
            if layout.status[k] is Status.LIST_MARK or (k > first and starts_with(tokens, k - 1, last, real)):
                continue
            if norm in asking and first < k <= first + 4 and info(tokens[k - 1].norm).verb is not Verb.NONE:
                set_status(layout, first, last, Status.QUESTION)  # «спросил, не поставить ли крепость»
                break
            supposed = len(norm) > len("бы") and k > first and bool(starts_with(tokens, k - 1, last, supposing))  # «если вдруг …»
            undone = k > first and tokens[k - 1].norm == "не"  # «больше ничего не планирую»
            if (norm in single and not supposed and not undone) or starts_with(tokens, k, last, found):
                if hit is Status.LIVE and _added(layout, first, k):
                    set_status(layout, k - 1, last, Status.IRREAL)
                    break
                hit = Status.IRREAL
                wished = info(norm).verb is Verb.PAST and any(
                    info(tokens[m].norm).verb is Verb.INFINITIVE for m in range(k, last)
                )
                break
            if norm == "может" and not (k == first or (k + 1 < last and tokens[k + 1].norm == "быть")):
                continue
            if hit is Status.LIVE and (norm in likely or starts_with(tokens, k, last, likely_found)):
                hit = Status.HEDGED
        if hit is not Status.LIVE:
            set_status(layout, first, last, hit)
            carried = hit


def _added(layout: Layout, first: int, at: int) -> bool:
    """«нападаю на 035 … воин а вдруг»: without a comma, a conjunction behind an order begins the thought."""
    tokens = layout.tokens
    joined = at - 1 > first and tokens[at - 1].norm in {"а", "но", "и", "хотя"}
    return joined and any(info(t.norm).verb is Verb.ORDER for t in tokens[first : at - 1] if t.kind is Kind.WORD)


def _does(layout: Layout, first: int, last: int) -> bool:
    """«Хотел послать 5 монет, пошлю 3»: behind what was only wished to be done, what is done."""
    verbs = (info(t.norm).verb for t in layout.tokens[first:last] if t.kind is Kind.WORD)
    return next((v for v in verbs if v is not Verb.NONE), Verb.NONE) is Verb.ORDER


def mark_reported(layout: Layout, sentence: Sentence) -> None:
    """What others say or are said to do: «хвастались, что наймут …», «говорят, Борис строит …»."""
    tokens = layout.tokens
    table = words()["reported"]
    tellers, links = frozenset(table["lemmas"]), frozenset(table["links"])
    for k in range(sentence.first, sentence.last):
        if layout.status[k] is not Status.LIVE or tokens[k].kind is not Kind.WORD:
            continue
        begin = -1
        opens = starts_with(tokens, k, sentence.last, phrases("reported", "openers"))
        if opens and all(tokens[m].kind is not Kind.WORD for m in range(first_word(layout, sentence), k)):
            begin = k + opens
        elif info(tokens[k].norm).verb in (Verb.PAST, Verb.THIRD) and info(tokens[k].norm).lemmas & tellers:
            reach = range(k + 1, min(k + 5, sentence.last - 1))
            begin = next((m + 2 for m in reach if tokens[m].norm == "," and tokens[m + 1].norm in links), -1)
        if begin >= 0:
            turns = (a for a, _ in clauses(layout, sentence) if a > begin and tokens[a].norm in _TURNS)
            set_status(layout, k, next(turns, sentence.last), Status.HEDGED)
            return


def mark_taken_back(layout: Layout) -> None:
    """«…, но не сейчас» takes back what was said before it in its sentence; as a sentence of its own, the one before it."""
    tokens = layout.tokens
    found = phrases("irreal", "backward")
    items = frozenset(words()["withdrawal"]["item_words"])
    for index, sentence in enumerate(layout.sentences):
        if any(t.norm in items for t in tokens[sentence.first : sentence.first + 2]):
            continue  # «Пункт 3 вычёркиваю»: a withdrawal of that item
        for k in range(sentence.first, sentence.last):
            if not starts_with(tokens, k, sentence.last, found) or any(t.norm in items for t in tokens[max(0, k - 4) : k]):
                continue  # «…, п. 4 вычёркиваю»
            before = layout.sentences[index - 1] if index else sentence
            opens = sum(1 for m in range(sentence.first, k) if tokens[m].kind is Kind.WORD) <= 1
            set_status(layout, before.first if opens and before.line == sentence.line else sentence.first, k, Status.IRREAL)


def mark_headed_lists(layout: Layout) -> None:
    """A list under «Посчитал варианты:» is thoughts, not orders."""
    tokens = layout.tokens
    heads, agenda, later, plan = (frozenset(words()["irreal"][key]) for key in ("headings", "agenda", "later", "plan"))
    _mark_options(layout, heads)
    for index, line in enumerate(layout.lines):
        if line.first >= line.last or tokens[line.last - 1].norm != ":":
            continue
        said = [t.norm for t in tokens[line.first : line.last] if t.kind is Kind.WORD]
        told = {lemma for norm in said for lemma in info(norm).lemmas}
        planned = told & plan and (told & agenda or not told.isdisjoint(plan & set(said)))
        if not told & (heads | plan) or (planned and not told & (heads | later)):
            continue  # «План на ход:», «План такой:» are the orders themselves, «Планы:» and «План на следующий ход:» are not
        for below in layout.lines[index + 1 :]:
            if below.first >= below.last or not below.bullet:
                break
            set_status(layout, below.first, below.last, Status.IRREAL)


def _mark_options(layout: Layout, heads: frozenset[str]) -> None:
    """«Варианты: 1) …; 2) …. Решил: пасую»: so does a list in one line; what follows it without a number is no part of it."""
    tokens = layout.tokens
    for head, sentence in pairwise(layout.sentences):
        if head.line != sentence.line or tokens[head.last - 1].norm != ":" or not _listed(layout, sentence):
            continue
        if not any(info(t.norm).lemmas & heads for t in tokens[head.first : head.last] if t.kind is Kind.WORD):
            continue
        for other in layout.sentences[layout.sentence_of[sentence.first] :]:
            if other.line != sentence.line or not _listed(layout, other):
                break
            set_status(layout, other.first, other.last, Status.IRREAL)


def _listed(layout: Layout, sentence: Sentence) -> bool:
    return layout.status[sentence.first] is Status.LIST_MARK
