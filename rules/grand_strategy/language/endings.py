"""How a turn ends, goes on or is left out, in whatever words: «ход за мной закончен», «разыграйте это», «ничего не строим»."""

from __future__ import annotations

from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.harmless import harmless
from parsers.reading_atoms import preposition
from parsers.russian import Verb, info
from parsers.structure import Layout, Status, clauses
from parsers.tokens import Kind
from parsers.types import Span
from rules.grand_strategy.language.names import tables

_WORDS = {key: frozenset(words) for key, words in tables()["ending"].items()}
_SHORT = 8
"""Tokens of a sentence that is looked at as a whole too («Исполните, пожалуйста, прямо сейчас»)."""
_NEAR = 5
"""Tokens between «ход» and what becomes of it at most."""
_THINGS = frozenset({"cell", "path", "coins", "utype", "house", "spell", "cards", "siege", "btype"})
_SAID = frozenset({"end_turn", "pass", "play_now"})


class Endings:
    """A join for the reader `me`: what is said of others' turns is nobody's end."""

    def __init__(self, me: str | None) -> None:
        self._me = me

    def __call__(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        if self._me is None:
            return atoms  # the GM's own words: «закрыть ход»
        for index, sentence in enumerate(layout.sentences):
            if any(t.norm == "?" for t in layout.tokens[sentence.first : sentence.last]):
                continue
            inside = [a for a in atoms if layout.sentence_of[a.first] == index]
            whole = [(sentence.first, sentence.last)] if sentence.last - sentence.first <= _SHORT else []
            for first, last in [*clauses(layout, sentence), *whole]:
                here = [a for a in inside if first <= a.first < last]
                live = (Status.LIVE, Status.LIST_MARK)
                if any(layout.status[i] not in live for i in range(first, last)) or any(a.has(*_SAID) for a in here):
                    continue
                found = (
                    self._end(layout, here, first, last) or _play(layout, here, first, last) or _idle(layout, here, first, last)
                )
                if found is not None:
                    atoms = _put(atoms, found)
        return atoms

    def _end(self, layout: Layout, here: list[Atom], first: int, last: int) -> Atom | None:
        """«Ход Лесного королевства окончен», «хот сдал», «Гхаш, твой ход»."""
        tokens = layout.tokens
        turn = next((i for i in range(first, last) if tokens[i].norm in _WORDS["turn"]), None)
        if turn is None or any(tokens[i].norm in _WORDS["denials"] for i in range(first, last)):
            return None
        if any(a.has("player") and any(s.value != self._me for s in a.all("player")) and not a.prep for a in here):
            return None
        for i in range(max(first, turn - _NEAR), min(last, turn + _NEAR + 1)):
            word = info(tokens[i].norm) if tokens[i].kind is Kind.WORD else None
            if word is None or not (word.lemmas & _WORDS["over"] or tokens[i].norm in _WORDS["over"]) or i == turn:
                continue
            low, high = sorted((i, turn))
            if not any(a.has(*_THINGS) and not a.has("player") for a in here if low <= a.first <= high):
                return _made(layout, "end_turn", low, high + 1)
        return None


def _play(layout: Layout, here: list[Atom], first: int, last: int) -> Atom | None:
    """«Разыграйте сейчас», «сыграйте пока это», «жду результатов»."""
    tokens = layout.tokens
    if any(tokens[i].norm in _WORDS["denials"] for i in range(first, last)) or any(not a.kinds <= _WORDS["empty"] for a in here):
        return None
    for i in range(first, last):
        if tokens[i].kind is not Kind.WORD:
            continue
        word = info(tokens[i].norm)
        done = word.lemmas & _WORDS["doing"] and any(tokens[k].norm in _WORDS["now"] for k in range(first, last))
        played = word.verb in (Verb.IMPERATIVE, Verb.INFINITIVE, Verb.SECOND) and (word.lemmas & _WORDS["playing"] or done)
        others = [k for k in range(first, last) if k != i and tokens[k].kind is Kind.WORD]
        if played:
            when = next((k for k in others if tokens[k].norm in _WORDS["at_once"]), None)
            when = _parted(layout, last) if when is None else when
        elif tokens[i].norm in _WORDS["waiting"]:
            when = next((k for k in others if k > i and info(tokens[k].norm).lemmas & _WORDS["outcomes"]), None)
        else:
            continue
        if when is not None:
            low, high = sorted((i, when))
            return _made(layout, "play_now", low, high + 1)
    return None


def _parted(layout: Layout, last: int) -> int | None:
    """«Исполните, пожалуйста, прямо сейчас»: the word behind commas and courtesies."""
    for k in range(last, min(last + 6, len(layout.tokens))):
        token = layout.tokens[k]
        if token.kind is Kind.WORD and token.norm in _WORDS["at_once"]:
            return k
        if not (token.norm == "," or harmless(token.norm) or token.norm in _WORDS["right"]):
            return None
    return None


def _idle(layout: Layout, here: list[Atom], first: int, last: int) -> Atom | None:
    """«Ничего не предпринимаю», «никуда не идём»: a pass, where nothing else is ordered."""
    tokens = layout.tokens
    for i in range(first, last - 2):
        if tokens[i].norm not in _WORDS["nothing"] or tokens[i + 1].norm != "не":
            continue
        if info(tokens[i + 2].norm).verb is Verb.ORDER and not any(
            a.has("player", "unit", "house", "utype", "victory", "battle", "no_capture", "no_raze") for a in here
        ):
            made = _made(layout, "pass", i, i + 3)
            return replace(made, data={"saving": True})
    return None


def _made(layout: Layout, kind: str, first: int, last: int) -> Atom:
    span = Span(layout.tokens[first].start, layout.tokens[last - 1].end)
    text = layout.text[span.start : span.end]
    return Atom(first, last, span, (Sense(kind, kind),), preposition(layout.tokens, first), text=text)


def _put(atoms: list[Atom], made: Atom) -> list[Atom]:
    kept = [a for a in atoms if a.last <= made.first or a.first >= made.last]
    at = sum(a.first < made.first for a in kept)
    return [*kept[:at], made, *kept[at:]]
