"""Joins of permissions: «хода нет», «не входить», «волен являться», «стен ему не давать», «разрешение отзываю», «согласна, чтобы
… высадился»."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from parsers.atoms import Atom, Sense, within
from parsers.reading_atoms import preposition
from parsers.russian import info
from parsers.structure import Layout, Sentence, clauses
from parsers.tokens import Kind
from parsers.types import Span
from rules.grand_strategy.language.names import tables

_WORDS = {key: frozenset(words) for key, words in tables()["passing"].items()}
_COMING = _WORDS["entering"] | _WORDS["appearing"]
_PLACES = frozenset({"house", "btype", "province", "mine_land", "land_word", "garrison", "~place"})
_WHO = frozenset({"player", "unit", "utype", "everyone", "~all", "~person", "commander_word"})
_NEAR = 3
"""Tokens that part «может» from what one may do at most."""


class Passes:
    """What lets in or keeps out as `allow` and `deny`, whatever the words, for the reader `me`; only where a place and somebody
    are named in the sentence."""

    def __init__(self, me: str | None) -> None:
        self._me = me

    def __call__(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        tokens = layout.tokens
        atoms = [a for a in atoms if not (a.has("allow") and a.first and tokens[a.first - 1].norm in _WORDS["polite"])]
        inside: dict[int, set[str]] = {}
        for atom in atoms:
            inside.setdefault(layout.sentence_of[atom.first], set()).update(atom.kinds)
        for index, sentence in enumerate(layout.sentences):
            kinds = inside.get(index, set())
            if kinds & _PLACES and kinds & (_WHO | {"troops"}):
                atoms = self._own(layout, _free(atoms, sentence), sentence)
            if kinds & (_PLACES | {"cell"}) and kinds & _WHO:
                atoms = _agreed(layout, atoms, sentence)
            if kinds & _PLACES and kinds & _WHO:
                for first, last in clauses(layout, sentence):
                    for read in (_walls, _revoked, _barred, _may):
                        found = read(layout, atoms, first, last)
                        if found is not atoms:
                            atoms = found
                            break
        return atoms

    def _own(self, layout: Layout, atoms: list[Atom], sentence: Sentence) -> list[Atom]:
        """«Мои войска могут заходить …»: the reader himself, where a permission is spoken of and nobody else's troops are."""
        here = [a for a in atoms if sentence.first <= a.first < sentence.last]
        told = any(a.has("allow", "deny") for a in here)
        if self._me is None or not told or any(a.has("player", "unit", "utype") for a in here):
            return atoms
        for atom in here:
            owner = layout.tokens[atom.first - 1] if atom.first > sentence.first else None
            if atom.has("troops") and owner is not None and info(owner.norm).lemmas & _WORDS["own"]:
                own = replace(atom, senses=(Sense("player", self._me),), data={**atom.data, "own": True})
                return [own if a is atom else a for a in atoms]
        return atoms


def _free(atoms: list[Atom], sentence: Sentence) -> list[Atom]:
    """«Гхашу вход закрыт, Аэлин — свободен»: the entry is free, and nobody dismissed."""
    here = [a for a in atoms if sentence.first <= a.first < sentence.last]
    if not any(a.has("entry", "door") for a in here) or any(a.has("service") for a in here):
        return atoms
    freed = [a for a in here if a.has("fire") and a.text.lower() in _WORDS["free"]]
    return [replace(a, senses=(Sense("allow", "allow"),)) if any(a is b for b in freed) else a for a in atoms]


def _agreed(layout: Layout, atoms: list[Atom], sentence: Sentence) -> list[Atom]:
    """«Согласна, чтобы Радомир высадился …», «не против, чтоб он зашёл»: the thing agreed to, in whatever tense."""
    parts = clauses(layout, sentence)
    for (_, before), (first, last) in itertools.pairwise(parts):
        if layout.tokens[first].norm not in _WORDS["so_that"]:
            continue
        answers = [a for a in atoms if sentence.first <= a.first < before and a.has("agree", "allow", "deny", "refuse")]
        if not answers and (no := _find(layout, sentence.first, before, "against")) is not None:
            atoms = _put(layout, atoms, "deny", no, no + 1)  # «против того, чтобы …»
            answers = [a for a in atoms if a.first == no]
        verb = _find(layout, first + 1, last, "entering")
        if verb is None:
            verb = _find(layout, first + 1, last, "appearing")
        if not answers or verb is None:
            continue
        spawning = bool(info(layout.tokens[verb].norm).lemmas & _WORDS["appearing"])
        atoms = _put(layout, atoms, "spawn" if spawning else "entry", verb, verb + 1)
        verdict = "deny" if any(a.has("deny", "refuse") or a.negated for a in answers) else "allow"
        atoms = _put(layout, atoms, verdict, answers[-1].first, answers[-1].last)
    return atoms


def _walls(layout: Layout, atoms: list[Atom], first: int, last: int) -> list[Atom]:
    """«…, но на стены его не пускать», «без права на стены»: `no_walls`."""
    wall = _find(layout, first, last, "walls")
    no = next((i for i in range(first, last) if layout.tokens[i].norm in _WORDS["denials"]), None)
    if wall is None or no is None:
        return atoms
    sentence = layout.sentence_of[first]
    here = within(atoms, first, last)
    if any(a.has("allow", "let") and not a.has("deny") for a in here):
        return _put(layout, atoms, "no_walls", min(wall, no), max(wall, no) + 1)
    if any(a.has("player", "entry") for a in here):
        return _put(layout, atoms, "no_walls", min(wall, no), max(wall, no) + 1)
    if any(a.has("allow", "let", "entry") for a in atoms if layout.sentence_of[a.first] == sentence):
        return _put(layout, atoms, "no_walls", first, last)
    return atoms


def _revoked(layout: Layout, atoms: list[Atom], first: int, last: int) -> list[Atom]:
    """«разрешение … отзываю» and «не даю разрешения» keep out, «даю добро» and «пропуск в Лориэн» let in."""
    ban, verb = _find(layout, first, last, "bans"), _find(layout, first, last, "revoking")
    if ban is not None and verb is not None:
        return _put(layout, _put(layout, atoms, "entry", ban, ban + 1), "allow", verb, verb + 1)
    noun = _find(layout, first, last, "permissions")
    if noun is None or layout.tokens[noun].norm in _WORDS["good"]:
        noun = noun if noun is not None and _find(layout, first, last, "giving") is not None else None
    if noun is None:
        return atoms
    no = next((i for i in range(first, last) if layout.tokens[i].norm in _WORDS["denials"] and i != noun), None)
    if no is None:
        no = _find(layout, first, last, "refusing")  # «отказано в праве появиться»
    if verb is not None and no is None:
        return _put(layout, _put(layout, atoms, "entry", noun, noun + 1), "deny", verb, verb + 1)
    giving = _find(layout, first, last, "giving")
    if no is not None:
        end = giving + 1 if giving == no + 1 else no + 1
        return _put(layout, _put(layout, atoms, "entry", noun, noun + 1), "deny", no, end)
    if giving is not None:
        atoms = _put(layout, atoms, "entry", giving, giving + 1)
    return _put(layout, atoms, "allow", noun, noun + 1)


def _barred(layout: Layout, atoms: list[Atom], first: int, last: int) -> list[Atom]:
    """«хода нет», «не входить», «ноги … не будет»: `deny`; a way that is open or closed is nothing more than the entry."""
    tokens = layout.tokens
    for i in range(first, last - 1):
        if tokens[i].norm == "не" and info(tokens[i + 1].norm).lemmas & _WORDS["allowing"]:
            return _put(layout, atoms, "deny", i, i + 2)  # «появляться не позволю»
    way = _find(layout, first, last, "ways")
    no = next((i for i in range(first, last) if tokens[i].norm == "нет"), None)
    if way is not None and no is not None:
        return _put(layout, _put(layout, atoms, "entry", way, way + 1), "deny", no, no + 1)
    verdicts = [a for a in atoms if a.has("allow", "deny") and first <= a.first < last]
    if way is not None and verdicts and not any(a.first <= way < a.last for a in verdicts):
        return _put(layout, atoms, "entry", way, way + 1)
    for i in range(first, last - 1):
        if tokens[i].norm != "не" or any(a.first <= i < a.last for a in atoms):
            continue
        lemmas = info(tokens[i + 1].norm).lemmas
        foot = _find(layout, first, last, "feet")
        if foot is not None and lemmas & _WORDS["being"]:
            return _put(layout, _put(layout, atoms, "entry", foot, foot + 1), "deny", i, i + 2)
        if lemmas & _WORDS["entering"]:
            return _put(layout, atoms, "deny", i, i + 2)
    return atoms


def _may(layout: Layout, atoms: list[Atom], first: int, last: int) -> list[Atom]:
    """«может войти», «не могут ночевать», «вправе стоять», «волен являться»."""
    tokens = layout.tokens
    for i in range(first, last):
        if tokens[i].norm not in _WORDS["may"] or any(a.first <= i < a.last and a.has("allow", "deny") for a in atoms):
            continue
        ahead = range(i + 1, min(last, i + 1 + _NEAR))
        if any(
            tokens[k].kind is Kind.WORD and info(tokens[k].norm).lemmas & (_WORDS["entering"] | _WORDS["appearing"])
            for k in ahead
        ):
            no = i > first and tokens[i - 1].norm == "не"
            return _put(layout, atoms, "deny" if no else "allow", i - no, i + 1)
    return atoms


def _find(layout: Layout, first: int, last: int, group: str) -> int | None:
    """The first token of a group of words."""
    for i in range(first, last):
        token = layout.tokens[i]
        if token.kind is Kind.WORD and info(token.norm).lemmas & _WORDS[group]:
            return i
    return None


def _put(layout: Layout, atoms: Sequence[Atom], kind: str, first: int, last: int) -> list[Atom]:
    """The atoms with one of a kind in the place of those that stand there."""
    span = Span(layout.tokens[first].start, layout.tokens[last - 1].end)
    made = Atom(
        first, last, span, (Sense(kind, kind),), preposition(layout.tokens, first), text=layout.text[span.start : span.end]
    )
    kept = [a for a in atoms if a.last <= first or a.first >= last]
    at = sum(a.first < first for a in kept)
    return [*kept[:at], made, *kept[at:]]
