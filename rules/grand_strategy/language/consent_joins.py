"""Joins of смута and of troops that change hands: who may and may not, whose state is meant, «в орду» as «к себе»."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import preposition
from parsers.russian import Verb, info, normal
from parsers.structure import Layout, Sentence, clauses
from parsers.tokens import Kind
from parsers.types import Span
from rules.grand_strategy.language.names import tables
from rules.grand_strategy.view import View

_WORDS = {key: frozenset(words) for key, words in tables()["consenting"].items()}
_MAY = frozenset(tables()["passing"]["may"])
_ALLOWING = frozenset(tables()["passing"]["allowing"])
_SO_THAT = frozenset(tables()["passing"]["so_that"])
_REVOLT = frozenset({"smuta", "at_once"})
_TROOPS = frozenset({"unit", "utype", "personal"})


class ConsentJoins:
    """Joins for the players of a view and its reader."""

    def __init__(self, view: View) -> None:
        self._me = view.faction
        self._realms = {p.id: frozenset(normal(p.state).split()) for p in view.state.players.values() if p.state}

    def __call__(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        told: dict[int, set[str]] = {}
        for atom in atoms:
            told.setdefault(layout.sentence_of[atom.first], set()).update(atom.kinds)
        for index, kinds in told.items():
            sentence = layout.sentences[index]
            if kinds & _REVOLT:
                _together(atoms, sentence)
                atoms = self._realm(layout, _verdicts(layout, atoms, sentence), sentence)
            if kinds & _TROOPS and kinds & {"pass_over", "annex"}:
                atoms = _forbidden(layout, atoms, sentence)
            if kinds & _TROOPS:
                atoms = _agreed(layout, self._homewards(layout, atoms, sentence), sentence)
        return atoms

    def _realm(self, layout: Layout, atoms: list[Atom], sentence: Sentence) -> list[Atom]:
        """«Государство Лесное наследую», «смута в Подгорном»: an adjective of a state's name, where no player is named."""
        here = [a for a in atoms if sentence.first <= a.first < sentence.last]
        if any(a.has("player") for a in here):
            return atoms
        for i in range(sentence.first, sentence.last):
            if layout.tokens[i].kind is not Kind.WORD:
                continue
            lemmas = info(layout.tokens[i].norm).lemmas
            owners = [p for p, words in self._realms.items() if any(info(w).lemmas & lemmas for w in words)]
            if len(owners) == 1:
                return _put(layout, atoms, "player", i, i + 1, owners[0])
        return atoms

    def _homewards(self, layout: Layout, atoms: list[Atom], sentence: Sentence) -> list[Atom]:
        """«Забираю вольных варваров в орду»: into one's own state is to oneself."""
        here = [a for a in atoms if sentence.first <= a.first < sentence.last]
        if not any(a.has("annex", "take", "pass_over") for a in here):
            return atoms
        out: list[Atom] = []
        for atom in atoms:
            inside = sentence.first <= atom.first < sentence.last
            if inside and atom.prep in {"в", "во"} and any(s.value == self._me for s in atom.all("player")):
                atom = replace(atom, senses=(Sense("to_me", "to_me"),))
            out.append(atom)
        return out


def _together(atoms: list[Atom], sentence: Sentence) -> None:
    """Notes what goes on about a смута already named («наследую смутой», «… одним броском»): no order by itself."""
    here = [a for a in atoms if sentence.first <= a.first < sentence.last and a.has("smuta", "at_once")]
    named = any(a.has("smuta") for a in here)
    ends = {a.last for a in here if a.has("smuta")}
    for atom in here:
        atom.data["goes_on"] = named and (atom.first in ends or not atom.has("smuta"))


def _verdicts(layout: Layout, atoms: list[Atom], sentence: Sentence) -> list[Atom]:
    """«Радомир может кинуть один кубик на всё», «против смуты одним броском»: allowed or not, whatever the words."""
    tokens = layout.tokens
    for i in range(sentence.first, sentence.last):
        if any(a.first <= i < a.last and a.has("allow", "deny", "refuse", "agree") for a in atoms):
            continue
        no = i > sentence.first and tokens[i - 1].norm == "не"
        if tokens[i].norm in _MAY:
            atoms = _put(layout, atoms, "deny" if no else "allow", i - no, i + 1)
        elif tokens[i].norm in _WORDS["against"] and not no:
            atoms = _put(layout, atoms, "deny", i, i + 1)
    return atoms


def _forbidden(layout: Layout, atoms: list[Atom], sentence: Sentence) -> list[Atom]:
    """«Радомиру стражу забрать не позволю»: `deny`."""
    for i in range(sentence.first, sentence.last - 1):
        if layout.tokens[i].norm == "не" and info(layout.tokens[i + 1].norm).lemmas & _ALLOWING:
            return _put(layout, atoms, "deny", i, i + 2)
    return atoms


def _agreed(layout: Layout, atoms: list[Atom], sentence: Sentence) -> list[Atom]:
    """«Согласна, чтобы Радомир присоединил моего мага»: what is agreed to, in whatever tense."""
    for (_, before), (first, last) in itertools.pairwise(clauses(layout, sentence)):
        if layout.tokens[first].norm not in _SO_THAT:
            continue
        if not any(a.has("agree", "refuse", "allow", "deny") for a in atoms if sentence.first <= a.first < before):
            continue
        for i in range(first + 1, last):
            word = info(layout.tokens[i].norm)
            if word.verb is not Verb.NONE and word.lemmas & _WORDS["taking"]:
                return _put(layout, atoms, "pass_over", i, i + 1)
    return atoms


def _put(layout: Layout, atoms: Sequence[Atom], kind: str, first: int, last: int, value: str = "") -> list[Atom]:
    span = Span(layout.tokens[first].start, layout.tokens[last - 1].end)
    text = layout.text[span.start : span.end]
    made = Atom(first, last, span, (Sense(kind, value or kind),), preposition(layout.tokens, first), text=text)
    kept = [a for a in atoms if a.last <= first or a.first >= last]
    at = sum(a.first < first for a in kept)
    return [*kept[:at], made, *kept[at:]]
