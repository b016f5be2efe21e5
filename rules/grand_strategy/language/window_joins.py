"""Joins of what is decided between turns: leaving the game, who goes after whom, standing orders told by their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import preposition
from parsers.russian import Verb, info
from parsers.structure import Layout, Sentence, Status
from parsers.tokens import Kind
from parsers.types import Span
from rules.grand_strategy.language.names import pronouns, tables

_WORDS = {key: frozenset(words) for key, words in tables()["window"].items()}
_REACH = 6
"""Tokens between «из игры» and the verb that leaves it at most."""
_PLACES = ("first", "then", "behind", "last_place")


def between_turns(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """All joins of this kind."""
    atoms = _left(layout, atoms)
    told: dict[int, list[Atom]] = {}
    for atom in atoms:
        told.setdefault(layout.sentence_of[atom.first], []).append(atom)
    for index, here in told.items():
        _taking_turns(here)
        sentence = layout.sentences[index]
        lapsed = _lapsed(layout, atoms, sentence)
        if lapsed is not atoms or any(a.has("drop", "~withdraw", "lift") for a in here):
            atoms = _numbered(layout, lapsed, sentence)
    return atoms


def _left(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Из игры выхожу насовсем», «Ухожу. Из партии, из чата», «удалите меня из партии»: `leave_game`, whatever the order."""
    tokens = layout.tokens
    for i in range(1, len(tokens)):
        game = tokens[i].kind is Kind.WORD and info(tokens[i].norm).lemmas & _WORDS["game"]
        if not game or tokens[i - 1].norm not in _WORDS["out_of"] or layout.status[i] is not Status.LIVE:
            continue
        if any(a.first <= i < a.last and a.has("leave_game") for a in atoms):
            continue
        for k in range(max(0, i - _REACH), min(len(tokens), i + _REACH)):
            word = info(tokens[k].norm) if tokens[k].kind is Kind.WORD and layout.status[k] is Status.LIVE else None
            if word is None or (k and tokens[k - 1].norm == "не"):
                continue
            asked = word.verb in (Verb.IMPERATIVE, Verb.SECOND, Verb.INFINITIVE) and word.lemmas & _WORDS["removing"]
            me = any(tokens[m].norm in pronouns("me") for m in range(max(0, k - 2), min(len(tokens), k + 3)))
            if (word.verb is Verb.ORDER and word.lemmas & _WORDS["leaving"]) or (asked and me):
                low, high = (k, i) if k < i else (i - 1, k)
                return _put(layout, atoms, "leave_game", low, high + 1)
    return atoms


def _taking_turns(here: Sequence[Atom]) -> None:
    """«Торгрим ходит первым, следом я, замыкает Аэлин»: the places are those of turns and not of a battle line."""
    people = sum(a.has("player", "me") for a in here)
    if (
        people > 1
        and any(a.has("turn_order") for a in here)
        and not any(a.has("battle", "battle_word", "garrison") for a in here)
    ):
        for atom in here:
            if atom.has(*_PLACES):
                atom.data["turns"] = True


def _lapsed(layout: Layout, atoms: list[Atom], sentence: Sentence) -> list[Atom]:
    """«Приказ №2 утратил силу»: what is told of an order in the past takes it back."""
    for i in range(sentence.first, sentence.last - 1):
        if info(layout.tokens[i].norm).lemmas & _WORDS["losing"] and layout.tokens[i + 1].norm in _WORDS["force"]:
            return _put(layout, atoms, "drop", i, i + 2)
    return atoms


def _numbered(layout: Layout, atoms: list[Atom], sentence: Sentence) -> list[Atom]:
    """«Распоряжение за номером 5 утратило силу», «условные, а точнее номер 1 и номер 2, снять»: `standing_no`."""
    tokens = layout.tokens
    spoken = [
        i
        for i in range(sentence.first, sentence.last)
        if tokens[i].kind is Kind.WORD and info(tokens[i].norm).lemmas & _WORDS["orders"]
    ]
    if not spoken and not any(a.has("standing") for a in atoms if sentence.first <= a.first < sentence.last):
        return atoms
    out: list[Atom] = []
    for atom in atoms:
        inside = sentence.first <= atom.first < sentence.last
        sense = atom.get("number")
        if inside and sense is not None and atom.first and tokens[atom.first - 1].norm in _WORDS["number"]:
            atom = replace(atom, senses=(Sense("standing_no", int(sense.value)),))
        out.append(atom)
    if not any(a.has("standing_no") for a in out if sentence.first <= a.first < sentence.last):
        return atoms
    return [a for a in out if not (sentence.first <= a.first < sentence.last and a.has("~correction", "~rest", "~all"))]


def _put(layout: Layout, atoms: Sequence[Atom], kind: str, first: int, last: int) -> list[Atom]:
    span = Span(layout.tokens[first].start, layout.tokens[last - 1].end)
    text = layout.text[span.start : span.end]
    made = Atom(first, last, span, (Sense(kind, kind),), preposition(layout.tokens, first), text=text)
    kept = [a for a in atoms if a.last <= first or a.first >= last]
    at = sum(a.first < first for a in kept)
    return [*kept[:at], made, *kept[at:]]
