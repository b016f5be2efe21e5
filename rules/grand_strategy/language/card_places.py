"""Cards told place by place: «первый отряд щит, остальные атака», «1 — А, 2 — О, 3 — С»."""

from __future__ import annotations

from dataclasses import dataclass, field

from parsers.atoms import Atom, Sense
from parsers.russian import info
from parsers.structure import Layout
from parsers.tokens import Kind
from rules.grand_strategy.language.card_words import card_at
from rules.grand_strategy.language.names import tables
from rules.grand_strategy.language.spots import atom, merged

_WORDS = tables()["card_places"]
_ORDINALS = {word: place for place, word in enumerate(_WORDS["ordinals"], 1)}
_REST, _LAST, _SQUADS = (frozenset(_WORDS[k]) for k in ("rest", "last", "squads"))
_SIGNS = frozenset({"-", ":", ")", "→", "="})
_APART = frozenset({",", ";", "и", "а"})


@dataclass
class _Places:
    """What was told so far: by place from 0, for the last and for all others."""

    cards: dict[int, str] = field(default_factory=dict)
    rest: str = ""
    last: str = ""
    groups: int = 0

    def whole(self) -> bool:
        """True where every place up to the highest is told, or the rest is."""
        if self.rest:
            return bool(self.cards or self.last)
        return bool(self.cards) and sorted(self.cards) == list(range(len(self.cards)))


def placed(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """The join: one atom of cards in the order of their places."""
    by_first = {a.first: a for a in atoms}
    battles = {i for a in atoms if a.has("battle") for i in a.tokens()}
    found: list[Atom] = []
    i = 0
    while i < len(layout.tokens):
        hit = _run(layout, by_first, i) if i not in battles else None  # «Битва 1: первый ряд …»
        if hit is not None:
            found.append(hit)
        i = hit.last if hit is not None else i + 1
    return merged(atoms, found) if found else atoms


def _run(layout: Layout, by_first: dict[int, Atom], first: int) -> Atom | None:
    told = _Places()
    i = end = first
    while (behind := _group(layout, by_first, i, told)) is not None:
        i = end = behind
        while i < len(layout.tokens) and layout.tokens[i].norm in _APART:
            i += 1
    if told.groups < 2:
        return None
    if not told.whole():
        return atom(layout, first, end, Sense("badcard", layout.text[layout.tokens[first].start : layout.tokens[end - 1].end]))
    cards = tuple(told.cards.get(n, told.rest) for n in range(max(told.cards, default=-1) + 1))
    return atom(layout, first, end, Sense("cards", cards), words=told.groups, rest=told.rest, last_card=told.last)


def _group(layout: Layout, by_first: dict[int, Atom], at: int, told: _Places) -> int | None:
    """«первый и второй отряды — щит»: one group from token `at`; the token behind it, or None."""
    tokens = layout.tokens
    places: list[int] = []
    rest = last = numbered = signed = False
    i = at
    while i < len(tokens):
        token = tokens[i]
        lemmas = info(token.norm).lemmas if token.kind is Kind.WORD else frozenset()
        if token.kind is Kind.NUMBER and token.norm.isdigit() and 0 < int(token.norm) < 10 and not places:
            places, numbered = [int(token.norm) - 1], True
        elif (ordinal := next((_ORDINALS[w] for w in lemmas if w in _ORDINALS), 0)) > 0:
            count = by_first.get(i + 1)
            told_many = count.get("number", "squads") if ordinal == 1 and count is not None else None
            many = int(told_many.value) if told_many is not None else 1
            places += range(ordinal - 1, ordinal - 1 + min(many, 9))
            i = count.last - 1 if many > 1 and count is not None else i
        elif lemmas & _REST:
            rest = True
        elif lemmas & _LAST:
            last = True
        elif i > at and i in by_first and by_first[i].has("card"):
            break  # «первый отряд в атаку»
        elif i == at:
            return None  # «Карты: первая …» begins with no place
        elif token.norm in _SIGNS:
            signed = True
        elif not (lemmas & _SQUADS or (token.norm == "и" and places) or token.norm in {"в", "на"}):
            break
        i += 1
    card = card_at(layout, by_first, i) if places or rest or last else None
    if card is None or len(card[0]) != 1 or (numbered and not signed) or (rest or last) + bool(places) != 1:
        return None
    for place in places:
        if told.cards.setdefault(place, card[0][0]) != card[0][0]:
            return None
    told.rest = card[0][0] if rest else told.rest
    told.last = card[0][0] if last else told.last
    told.groups += 1
    return card[1]
