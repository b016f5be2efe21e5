"""Things told by their number: «битва 1», «первая битва», «земля 4», «условный приказ №2»."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import between, joined
from parsers.russian import info
from parsers.structure import Layout, first_word
from parsers.types import Span
from rules.grand_strategy.language.names import stems, tables
from rules.grand_strategy.language.sum_joins import number

_BATTLE_NOUNS = stems("battle_nouns")
_FIRST = frozenset(tables()["count"]["one"])
_ORDINALS = {word: n for n, word in enumerate(tables()["card_places"]["ordinals"], 1)}


def numbered(lands: Collection[int], layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«битва 1», «первая битва», «земля 4», «условный приказ №2», «третий условный приказ»."""
    out: list[Atom] = []
    i = 0
    while i < len(atoms):
        here = atoms[i]
        following = atoms[i + 1] if i + 1 < len(atoms) else None
        gap = set(between(layout, here, following)) if following is not None else {"?"}
        if following is not None and gap <= {"№", "номер", ".", "#", "n", ":"}:
            pair: tuple[Atom, str] | None = None
            value = number(following)
            if value is not None and here.has("battle_word", "land_word", "mine_land", "standing") and ":" not in gap:
                pair = (following, "after")
            elif following.has("battle_word") and _noun_battle(following) and not gap and _ordinal(layout, here):
                value, pair = _ordinal(layout, here), (here, "before")  # «во второй битве»
            elif (following.has("battle_word", "standing") and here.has("ordinal")) or (
                following.has("battle_word") and here.has("number") and not gap and _noun_battle(following)
            ):
                value, pair = number(here), (here, "before")
            if pair is not None and value is not None:
                word = here if pair[1] == "after" else following
                if word.has("land_word", "mine_land") and value in lands:
                    out.append(joined(layout, [here, following], Sense("province", value)))
                    i += 2
                    continue
                if word.has("standing"):
                    out.append(joined(layout, [here, following], Sense("standing_no", value)))
                    i += 2
                    continue
                if word.has("battle_word") and (not word.has("attack") or _noun_battle(word)):
                    out.append(joined(layout, [here, following], Sense("battle", value)))
                    i += 2
                    continue
        if here.has("ordinal", "then") and any(a.has("battle") for a in out) and _of_a_battle(layout, here):
            value = number(here) or _ordinal(layout, here)
            if value is not None:
                here = replace(here, senses=(Sense("battle", value),))
        if here.has("battle_word") and _noun_battle(here) and layout.tokens[here.last : here.last + 1]:
            token = layout.tokens[here.last]
            if token.norm in _FIRST:  # «битва раз»
                span = Span(here.span.start, token.end)
                text = layout.text[span.start : span.end]
                here = replace(here, senses=(Sense("battle", 1),), last=here.last + 1, span=span, text=text)
        out.append(here)
        i += 1
    return out


def _of_a_battle(layout: Layout, here: Atom) -> bool:
    """«Первая битва: С. Вторая: О О А.»: a rank of her own at the head of a sentence, and a colon or a dash."""
    first = first_word(layout, layout.sentences[layout.sentence_of[here.first]])
    behind = layout.tokens[here.last].norm if here.last < len(layout.tokens) else ""
    return here.first - bool(here.prep) == first and behind in {":", "-"} and here.text.lower().endswith(_HER)


_HER = ("ая", "ья", "ой", "ей")
"""Endings of the rank of a battle."""


def _ordinal(layout: Layout, here: Atom) -> int | None:
    """The number that the last word of an atom of rank names («во второй», «первым»)."""
    if not here.has("first", "then", "last_place") or here.has("ordinal"):
        return None
    lemmas = info(layout.tokens[here.last - 1].norm).lemmas
    return next((n for word, n in _ORDINALS.items() if word in lemmas), None)


def _noun_battle(here: Atom) -> bool:
    return here.text.lower().startswith(_BATTLE_NOUNS)
