"""Orders that hang on a condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parsers.russian import Verb, info, words
from parsers.structure import (
    Layout,
    Phrases,
    Status,
    clauses,
    first_word,
    phrases,
    starts_with,
)
from parsers.tokens import Kind, Token

_ORDERED = (Verb.ORDER, Verb.INFINITIVE, Verb.IMPERATIVE)
_NUMERALS = frozenset(words()["numerals"]["values"])
_LEADS = frozenset(words()["conditional"]["leads"])


def mark_conditionals(layout: Layout, keeps: Callable[[Sequence[Token]], bool] | None) -> None:
    """Stretches under a condition, unless the game's orders know it (`keeps`); «тогда …» goes on with the one before it."""
    tokens = layout.tokens
    starts, polite, goes_on = (phrases("conditional", k) for k in ("starts", "polite", "continues"))
    open_end = -1
    for index, sentence in enumerate(layout.sentences):
        first = first_word(layout, sentence)
        begin = -1
        if open_end == index - 1 and index and starts_with(tokens, first, sentence.last, goes_on):
            begin = first
        else:
            parts = clauses(layout, sentence)
            for n, (a, b) in enumerate(parts):
                at = next((k for k in range(a, b) if _begins_condition(tokens, k, a, b, starts, polite)), None)
                if at is None or layout.status[at] is not Status.LIVE:
                    continue
                initial = all(tokens[k].norm in _LEADS for k in range(a, at) if tokens[k].kind is Kind.WORD)
                if initial and n:
                    n -= 1
                    while n and tokens[parts[n][0] - 1].norm in {"-", ":"}:
                        n -= 1  # «голос — Штиль, если …»: the dash parts nothing
                    begin = parts[n][0]
                else:
                    begin = at
                break
        if begin < 0:
            continue
        end = sentence.last
        if keeps is not None and keeps(tokens[begin:end]):
            continue
        open_end = index
        layout.conditionals.append((begin, end))
        for k in range(begin, end):
            if layout.status[k] is Status.LIVE:
                layout.status[k] = Status.CONDITIONAL


def _begins_condition(
    tokens: Sequence[Token],
    k: int,
    first: int,
    last: int,
    starts: Phrases,
    polite: Phrases,
) -> bool:
    if tokens[k].kind is not Kind.WORD or not starts_with(tokens, k, last, starts):
        return False
    if tokens[k].norm in {"когда", "как", "иначе"} and k != first:
        return False
    if tokens[k].norm == "иначе" and k and tokens[k - 1].norm == "," and not _does_something(tokens, k, last):
        return False  # «голос за войну, иначе какая это партия» gives a reason
    return not starts_with(tokens, k, last, polite)


def _does_something(tokens: Sequence[Token], first: int, last: int) -> bool:
    """True where an amount or a verb of order stands: «…, иначе 5э Морвену», «…, иначе отдай мечникам»."""
    return any(
        t.kind is Kind.NUMBER or t.norm in _NUMERALS or (t.kind is Kind.WORD and info(t.norm).verb in _ORDERED)
        for t in tokens[first:last]
    )
