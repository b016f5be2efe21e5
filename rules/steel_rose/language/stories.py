"""Whether a match is an order at all, or a story and what others do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from parsers.context import Context
from parsers.frames import Match
from parsers.retractions import doubting
from parsers.russian import Verb, closed_class, info
from parsers.structure import Layout, Status, clauses, phrases, starts_with
from parsers.tokens import Kind, Token
from rules.steel_rose.language.cities import atoms_between
from rules.steel_rose.language.names import tables

_TELLING = (Verb.THIRD, Verb.PAST, Verb.SECOND)
_NEAR = 60
"""Tokens around a bare list of units or buildings that tell whether it is one."""
_MANY_STRANGERS = 7
"""So many words of no game meaning around a bare number of units are a story."""


def refused(layout: Layout) -> list[tuple[int, int]]:
    """Clauses that tell what can't be done («10 копейщиков нанять не получится»): no orders, whatever they name."""
    found = phrases_of(tables()["refused"]["phrases"])
    back = phrases_of(tables()["refused"]["backward"])
    tokens = layout.tokens
    out: list[tuple[int, int]] = []
    for sentence in layout.sentences:
        own = range(sentence.first, sentence.last)
        said = (k for k in own if starts_with(tokens, k, sentence.last, back) and (k == 0 or tokens[k - 1].norm != "не"))
        forgotten = next(said, None)
        if forgotten is not None:
            first = layout.lines[sentence.line].first if forgotten == sentence.first else sentence.first
            while first > layout.lines[sentence.line].first and _dots(tokens, first):
                first = _sentence_before(layout, first)
            out = [c for c in out if c[0] < first]
            out.append((first, sentence.last))
            continue
        for first, last in clauses(layout, sentence):
            conditional = any(
                starts_with(tokens, k, last, phrases("conditional", "starts")) for k in range(first, min(first + 2, last))
            )
            if not conditional and any(starts_with(tokens, k, last, found) for k in range(first, last)):
                out.append((first, last))
    return out


def _dots(tokens: Sequence[Token], at: int) -> bool:
    """True when dots stand before this token: the thought goes on."""
    return tokens[at - 1].norm == "…" or (at > 1 and tokens[at - 1].norm == tokens[at - 2].norm == ".")


def _sentence_before(layout: Layout, first: int) -> int:
    return layout.sentences[layout.sentence_of[first - 1]].first


@cache
def _phrases(name: tuple[str, ...]) -> dict[str, list[tuple[str, ...]]]:
    out: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted((tuple(p.split()) for p in name), key=len, reverse=True):
        out.setdefault(phrase[0], []).append(phrase)
    return out


def phrases_of(names: Iterable[str]) -> dict[str, list[tuple[str, ...]]]:
    """Phrases by their first word, longest first, as `starts_with` wants them."""
    return _phrases(tuple(names))


def allows(context: Context, match: Match) -> bool:
    """No order: what the text says others do («князья идут на Брод»), or units in a story («гибель одного копейщика»)."""
    sentence = context.layout.sentence_of[match.first]
    if any(a.bold for a in match.atoms):
        return True
    if match.frame.id in ("hire", "build") and not match.triggers and not match.inherited and not match.correcting:
        return _listed(context, match, sentence)
    if match.frame.id == "alliance" and any(a.has("accept") and a.verb is Verb.ORDER for a in match.atoms):
        return True  # «Культ предлагает союз — принимаем»
    third = [a for a in match.triggers if a.verb in _TELLING]
    if not third or match.frame.id in ("maneuver", "cast_spell", "ritual", "capture_choice") or any(a.bold for a in match.atoms):
        return True
    me = context.view.faction
    for atom in context.by_sentence.get(sentence, []):
        faction = atom.get("faction")
        if faction is None or atom.prep or faction.value == me or atom.has("squad"):
            continue
        opens = atom.first == context.layout.sentences[sentence].first
        actor = "nomn" in atom.cases and ("accs" not in atom.cases or opens)
        if actor and 0 < third[0].first - atom.first <= 4:
            return False
    return True


def _listed(context: Context, match: Match, sentence: int) -> bool:
    """Units and numbers as a list has them, not in a sentence that tells something."""
    layout = context.layout
    part = layout.sentences[sentence]
    strangers = 0
    first, last = max(part.first, match.first - _NEAR), min(part.last, match.last + _NEAR)
    around = atoms_between(context, first, last)
    used = {i for a in around for i in range(a.first, a.last)}
    colons = [i for i in range(first, match.first) if layout.tokens[i].norm == ":"]
    first = colons[-1] if colons else first
    if any(t.norm in tables()["stock"]["words"] for t in layout.tokens[part.first : match.first]):
        return False  # «Имеем: 5 щитовиков, 4 стрелка»
    neutral = frozenset(tables()["neutral"]["words"])
    # In a list things of the game stand on both sides: what is told beyond them is another part's matter.
    things = [a for a in around if a.has(*_LISTED)]
    before = [a.last for a in things if a.last <= match.first]
    after = [a.first for a in things if a.first >= match.last]
    near = (before[-1] if before else first, after[0] if after else last)
    for i in range(first, last):
        token = layout.tokens[i]
        if token.kind is not Kind.WORD or layout.status[i] is Status.LIST_MARK:
            continue
        if token.norm in closed_class() or token.norm in neutral:
            continue
        let = any(t.norm in _LET for t in layout.tokens[max(part.first, i - 4) : i])
        verb = Verb.NONE if let else info(token.norm).verb
        beside = near[0] <= i < near[1]
        if verb in _TELLING and i not in used and abs(i - match.first) < 12 and beside:
            return False
        strangers += i not in used and beside
    return strangers < _MANY_STRANGERS and strangers <= 2 + 2 * len(match.atoms)


_LET = frozenset(doubting()["let"]["words"])
_LISTED = ("squad", "unit", "building", "number")
