"""Sentences that ask."""

from __future__ import annotations

from parsers.russian import Verb, closed_class, info, words
from parsers.structure import (
    Layout,
    Sentence,
    first_word,
    phrases,
    starts_with,
)
from parsers.tokens import Kind


def asks(layout: Layout, sentence: Sentence, first: int) -> bool:
    """True when the sentence is a question, by its sign or by how it begins (`first`: its first word)."""
    tokens = layout.tokens
    if any(tokens[k].norm == "?" for k in range(max(first, sentence.last - 3), sentence.last)):
        return True
    at = first
    leading = frozenset(words()["question"]["leading"])
    while at < sentence.last and (tokens[at].norm in leading or tokens[at].norm in {",", ":"}):
        if starts_with(tokens, at, sentence.last, phrases("question", "starts")):
            return True
        at += 1
    asked = starts_with(tokens, at, sentence.last, phrases("question", "starts"))
    if asked and tokens[at].norm in {"скажите", "скажи"} and at + 1 < sentence.last:
        told = tokens[at + 1].norm  # «Скажите Радомиру, что …»: a message, no question
        return told in {"мне", "нам"} or "datv" not in info(told).cases
    return bool(asked)


def question_end(layout: Layout, sentence: Sentence) -> int:
    """Where the question ends: «Кто хочет меня нанять, пишите: принимаю службу у Гхаша» calls somebody and then tells."""
    tokens, table = layout.tokens, words()["question"]
    inside = range(first_word(layout, sentence), sentence.last)
    calls = bool(inside) and tokens[inside.start].norm in table["calls"]
    if not calls or any(tokens[k].norm == "?" or tokens[k].norm in table["words"] for k in inside):
        return sentence.last
    for k in inside[:-1]:
        if tokens[k].norm == ":" and tokens[k + 1].kind is Kind.WORD and info(tokens[k + 1].norm).verb is Verb.ORDER:
            return k + 1
    return sentence.last


def question_start(layout: Layout, sentence: Sentence) -> int:
    """Where the question begins: «Мир возвращается — соскучились?» asks with its last words only."""
    tokens = layout.tokens
    for k in range(sentence.last - 1, sentence.first, -1):
        if tokens[k].norm == "-" and not tokens[k].glued:
            behind = [t for t in tokens[k + 1 : sentence.last] if t.kind is Kind.WORD]
            parted = any(t.norm == "," for t in tokens[k + 1 : sentence.last])  # «О Шпиле — забота, слышишь?»
            if (
                1 <= len(behind) <= 3
                and not parted
                and any(info(t.norm).verb is not Verb.NONE or t.norm in ("верно", "да", "правда") for t in behind)
            ):
                return k
            break
    return _asked_behind(layout, sentence)


def _asked_behind(layout: Layout, sentence: Sentence) -> int:
    """«Вылезаю из Ничто, соскучились?»: one verb in the past behind the last comma asks, the deed before it is told."""
    tokens = layout.tokens
    commas = [k for k in range(sentence.first, sentence.last) if tokens[k].norm == ","]
    if commas:
        behind = [t for t in tokens[commas[-1] + 1 : sentence.last] if t.kind is Kind.WORD]
        before = [t for t in tokens[sentence.first : commas[-1]] if t.kind is Kind.WORD]
        told = any(info(t.norm).verb is Verb.ORDER for t in before)
        verbs = {info(t.norm).verb for t in before}
        begged = told or (Verb.IMPERATIVE in verbs and Verb.INFINITIVE not in verbs)  # «дай мне встать на Г3, а?» asks for leave
        if begged and len(behind) == 1 and behind[0].norm in words()["question"]["tags"]:
            return commas[-1]  # «Продайте нам троих, а?»
        if told and len(behind) == 1 and info(behind[0].norm).verb is Verb.PAST:
            return commas[-1]
        if _asks_for_itself(layout, sentence, commas[-1]):
            return commas[-1]
    return sentence.first


def _asks_for_itself(layout: Layout, sentence: Sentence, comma: int) -> bool:
    """«Забота слободе, у меня ж хватает?»: before the comma something is told; behind it stands a clause of its own, with a verb
    that orders nothing."""
    behind = _words(layout, comma + 1, sentence.last)
    if set(behind) & {*words()["question"]["words"], *words()["question"]["doubts"]}:
        return False
    return _tells(layout, sentence, comma) and any(info(w).verb in (Verb.THIRD, Verb.SECOND, Verb.PAST) for w in behind)


def told_before(layout: Layout, sentence: Sentence) -> int:
    """Where the last clause of a question begins if what stands before it only tells: «5э в защиту, так можно?», «голос за
    Изобилие, да?» may be orders. `sentence.first`: it doesn't."""
    tokens = layout.tokens
    commas = [k for k in range(sentence.first, sentence.last) if tokens[k].norm == ","]
    return commas[-1] if commas and _tells(layout, sentence, commas[-1]) else sentence.first


def _tells(layout: Layout, sentence: Sentence, comma: int) -> bool:
    """True when nothing before the comma asks, weighs, or tells of what others do."""
    asking = words()["question"]
    before = _words(layout, sentence.first, comma)
    if len(before) < 2 or set(before) & {*asking["words"], "или", *asking["doubts"]}:
        return False
    if any(starts_with(layout.tokens, k, comma, phrases("question", "starts")) for k in range(sentence.first, comma)):
        return False
    return all(info(w).verb in (Verb.NONE, Verb.ORDER, Verb.IMPERATIVE) for w in before if w not in closed_class())


def _words(layout: Layout, first: int, last: int) -> list[str]:
    return [t.norm for t in layout.tokens[first:last] if t.kind is Kind.WORD]
