"""Words of no dictionary beside an order: «5 щитовиков, 4 стрелка, конинца» lost its third item to a slip of the keyboard.

A word that neither Russian nor the game knows and that no order took may be a part of the nearest order in its sentence, also
behind a comma or a dash where known words would be talk; so that order asks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Sequence

from parsers.context import Context
from parsers.frames import Match, Output
from parsers.russian import closed_class, info
from parsers.structure import Layout, Status, inside, phrases, starts_with
from parsers.tokens import Kind
from parsers.types import Reading

REACH = 6
"""So many tokens from an order's nearest word a strange word still counts."""
SHORTEST = 4
"""Shorter ones are abbreviations and sighs as often as slips."""


def strange_words(
    context: Context, outputs: Sequence[tuple[Match, list[Output]]], used: Container[int], known: Callable[[str], bool]
) -> dict[int, str]:
    """By the number of an output, the strange word nearest to it. `used`: tokens that something explains; `known`: words that may
    stand anywhere."""
    layout = context.layout
    orders = [(n, m) for n, (m, made) in enumerate(outputs) if m.atoms and any(isinstance(o, Reading) for o in made)]
    places = sorted((i, n) for n, m in orders for a in m.atoms for i in a.tokens())
    out: dict[int, str] = {}
    for i, token in enumerate(layout.tokens):
        if i in used or token.kind is not Kind.WORD or layout.status[i] is not Status.LIVE or not _strange(token.norm, known):
            continue
        if _named(layout, i) or _hyphened(layout, i) or inside(layout.italic, token.start):
            continue
        at = bisect_right(places, (i, -1))
        near = [p for p in places[max(0, at - 1) : at + 1] if layout.sentence_of[p[0]] == layout.sentence_of[i]]
        best = min(near, key=lambda p: (abs(p[0] - i), p[0] > i), default=None)
        if best is not None and abs(best[0] - i) <= REACH and not _told_why(layout, outputs[best[1]][0], best[0], i):
            out.setdefault(best[1], layout.text[token.start : token.end])
    return out


def _told_why(layout: Layout, match: Match, order: int, at: int) -> bool:
    """True behind a word of purpose («3 энергии на опохмел», «…, чтоб не кукожились»)."""
    last = len(layout.tokens)
    return any(
        layout.tokens[i].norm in match.frame.asides or starts_with(layout.tokens, i, last, phrases("reason", "starts"))
        for i in range(order + 1, at)
    )


def _strange(norm: str, known: Callable[[str], bool]) -> bool:
    return (
        len(norm) >= SHORTEST and not norm.isascii() and not info(norm).known and norm not in closed_class() and not known(norm)
    )


def _named(layout: Layout, at: int) -> bool:
    """A name of somebody's own («Кулгу», «Вейл»): a capital inside a sentence that isn't written in capitals."""
    written = layout.text[layout.tokens[at].start : layout.tokens[at].end]
    if not written[:1].isupper():
        return False
    sentence = layout.sentences[layout.sentence_of[at]]
    said = layout.text[layout.tokens[sentence.first].start : layout.tokens[sentence.last - 1].end]
    return written != written.upper() or said != said.upper()


def _hyphened(layout: Layout, at: int) -> bool:
    """«как-нибудь»: a particle behind its word."""
    return at > 1 and layout.tokens[at].glued and layout.tokens[at - 1].norm == "-" and layout.tokens[at - 1].glued
