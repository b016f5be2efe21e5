"""Orders that leave open what they mean: «Аэлин или Торгриму 5 монет», «всем, кроме Радомира». They become a question."""

from __future__ import annotations

from collections.abc import Container
from functools import lru_cache

from parsers.context import Context
from parsers.frames import Match, Output, choice
from parsers.retractions import doubting
from parsers.types import Problem, Reading

NEAR = 4
"""So many tokens on either side of «или» the two things stand that it parts."""


def left_open(context: Context, match: Match, made: list[Output], explained: Container[int]) -> Problem | None:
    """The question instead of an order with «или» or «кроме» that nothing has explained. `explained`: tokens of other things."""
    tokens = context.layout.tokens
    reading = next((o for o in made if isinstance(o, Reading)), None)
    if reading is None or not match.atoms:
        return None
    first, last = min(a.first for a in match.atoms), max(a.last for a in match.atoms)
    for i in range(first, min(last + 2, len(tokens))):
        norm = tokens[i].norm
        if i in explained or context.layout.sentence_of[i] != match.sentence:
            continue
        if norm in _words("except"):
            text = f"Кому, где и что, поимённо? Слово «{norm}» понять не могу."
            return context.problem(match, context.ambiguous_code, text, reading.span, draft=reading.command)
        if norm in _words("either"):
            names = _two(match, i)
            if names:
                text = f"Что из двух: {' или '.join(names)}?"
                choices = [choice(name) for name in names]
                return context.problem(match, context.ambiguous_code, text, reading.span, choices=choices, draft=reading.command)
    return None


def _two(match: Match, at: int) -> list[str]:
    """The two things of one kind that «или» parts; empty: it parts something else."""
    left = next((a for a in reversed(match.atoms) if a.last <= at), None)
    right = next((a for a in match.atoms if a.first > at), None)
    if left is None or right is None or left.kinds.isdisjoint(right.kinds) or right.first - at > NEAR or at - left.last > NEAR:
        return []
    return [left.text, right.text]


@lru_cache(maxsize=8)
def _words(table: str) -> frozenset[str]:
    return frozenset(doubting()[table]["words"])
