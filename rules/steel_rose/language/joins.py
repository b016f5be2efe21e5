"""Neighbouring words as one thing: «армия 2», «столица эльфов», «дорога Кронвик — Морвен»; places and squads have modules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from rapidfuzz.distance import OSA

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import between, joined
from parsers.russian import Verb, info, normal
from parsers.structure import Layout
from parsers.tokens import Kind
from parsers.typos import ONE_OFF
from rules.steel_rose.data import game_data
from rules.steel_rose.language.choices import denied_fates
from rules.steel_rose.language.cohesion import with_sentences
from rules.steel_rose.language.halves import apart
from rules.steel_rose.language.headings import headed
from rules.steel_rose.language.letters import lettered
from rules.steel_rose.language.names import tables
from rules.steel_rose.language.places import places
from rules.steel_rose.language.references import (
    edited,
    instead,
    only_placed,
    pronouns,
    said_anew,
    set_aside,
    skipped_turns,
    sums_beside,
    were,
    widened,
)
from rules.steel_rose.language.senses import number_of
from rules.steel_rose.language.squads import Squads
from rules.steel_rose.view import View

_NUMBERED = 9
"""Behind «армия» a number up to this one is the army's, though there may be none so high."""
ARMIES = 3
"""Highest number an army has."""
NAME = "name"
"""Key of an army atom's data: the name that is given to it."""
_LONGEST_NAME = 6
_QUOTES = '«“„"»”'
_LINKS = frozenset({"", "-", "№", "номер", "n", "#", "(", "."})


class Joins:
    """The composites of the language."""

    def __init__(self, view: View, kind: str | None) -> None:
        self.me = view.faction
        self.planning = kind == "planning"
        self.capitals: dict[str, list[str]] = {}
        for ident, city in view.state.cities.items():
            if city.type == "large" and city.owner is not None:
                self.capitals.setdefault(city.owner, []).append(ident)
        for owner, cities in self.capitals.items():
            cities.sort(key=lambda c: view.state.cities[c].start_owner != owner)
        self.faction_words = {w for f in game_data().factions.values() for w in normal(f.name_ru).split()}
        self.collective = frozenset(tables()["collective"]["words"])

    def __call__(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        atoms = [a for a in apart(atoms) if not (a.has("~same") and _inside_word(layout, a))]  # «кому-то же»
        atoms = _army_names(layout, self._armies(layout, edited(layout, denied_fates(layout, atoms))))
        atoms = self._capitals(layout, atoms)
        never = frozenset(tables()["never_names"]["words"])
        atoms = [_town(layout, _origin(a)) for a in atoms if normal(a.text) not in never]
        atoms = places(layout, lettered(layout, atoms))
        atoms = headed(layout, atoms) if self.planning else atoms
        atoms = were(layout, set_aside(layout, atoms))
        atoms = self._roads(layout, atoms)
        atoms = sums_beside(layout, said_anew(layout, Squads().read(layout, atoms)))
        atoms = _strange_magic(layout, atoms)
        return with_sentences(layout, only_placed(layout, pronouns(layout, instead(layout, skipped_turns(layout, atoms)))))

    # -------------------------------------------------------------------------------------------- armies

    def _armies(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        tokens = layout.tokens
        out: list[Atom] = []
        i = 0
        while i < len(atoms):
            atom = atoms[i]
            following = atoms[i + 1] if i + 1 < len(atoms) else None
            if atom.has("armyword"):
                before = out[-1] if out else None
                if before is not None and _numbers(before, atom) and not _gap(layout, before, atom):
                    out[-1] = joined(layout, [before, atom], Sense("army", number_of(before)))
                    i += 1
                    continue
                guessed = _ordinal_like(tokens[atom.first - 1].norm) if atom.first and not atom.data.get("numbered") else 0
                if guessed and (before is None or before.last <= atom.first - 1):
                    note = tables()["asks"]["army_like"].format(word=tokens[atom.first - 1].norm, n=guessed)
                    made = joined(layout, [atom], Sense("army", guessed, ONE_OFF, False, note))
                    out.append(widened(layout, made, atom.first - 1, atom.last))
                    i += 1
                    continue
                if following is not None and following.has("number", "ordinal") and 1 <= number_of(following) <= _NUMBERED:
                    gap = set(_gap(layout, atom, following))
                    then = atoms[i + 2] if i + 2 < len(atoms) else None
                    counted = (
                        then is not None and then.has("unit") and not _gap(layout, following, then) and following.has("number")
                    )
                    if gap <= _LINKS and not counted:
                        out.append(joined(layout, [atom, following], Sense("army", number_of(following))))
                        i += 2
                        continue
            elif atom.has("number") and 1 <= number_of(atom) <= ARMIES and atom.first and tokens[atom.first].glued:
                left = tokens[atom.first - 1]
                opens = not left.glued or atom.first < 2 or tokens[atom.first - 2].kind is Kind.LINE
                if left.norm == "а" and left.kind is Kind.WORD and opens:
                    made = joined(layout, [atom], Sense("army", number_of(atom)))
                    out.append(widened(layout, made, atom.first - 1, atom.last))
                    i += 1
                    continue
            elif (
                atom.has("ordinal")
                and 1 <= number_of(atom) <= ARMIES
                and _feminine(atom.text)
                and not _of_a_noun(layout, atom, following)
            ):
                out.append(replace(atom, senses=(*atom.senses, Sense("armynumber", number_of(atom)))))
                i += 1
                continue
            out.append(atom)
            i += 1
        return out

    # -------------------------------------------------------------------------------------------- cities

    def _capitals(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        out: list[Atom] = []
        skip = False
        for i, atom in enumerate(atoms):
            if skip:
                skip = False
                continue
            if not atom.has("capital"):
                out.append(atom)
                continue
            following = atoms[i + 1] if i + 1 < len(atoms) else None
            owner, parts = self.me, [atom]
            if (
                following is not None
                and following.has("faction")
                and not _gap(layout, atom, following)
                and "gent" in following.cases
            ):
                owner = following.get("faction").value  # type: ignore[union-attr]
                parts.append(following)
                skip = True
            cities = self.capitals.get(owner or "", [])
            if cities:
                made = joined(layout, parts, Sense("city", cities[0]))
                out.append(replace(made, cases=atom.cases, prep=atom.prep or made.prep))
            else:
                out.extend(parts)
        return out

    def _roads(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        out: list[Atom] = []
        i = 0
        while i < len(atoms):
            first = atoms[i]
            second = atoms[i + 1] if i + 1 < len(atoms) else None
            if second is not None and first.has("city") and second.has("city"):
                gap = _gap(layout, first, second)
                dashed = gap == ["-"]
                named = (out and out[-1].has("roadword") and gap in ([], ["и"], ["в"], ["до"])) or (
                    first.prep == "между" and gap == ["и"]
                )
                same_line = layout.sentence_of[first.first] == layout.sentence_of[second.first]
                if same_line and (dashed or named or gap == ["до"]):
                    pair = (_city(first), _city(second))
                    note = next((s.note for a in (first, second) for s in a.senses if s.kind == "city" and s.note), None)
                    quality = min(a.get("city").quality for a in (first, second))  # type: ignore[union-attr]
                    out.append(joined(layout, [first, second], Sense("road", pair, quality, False, note)))
                    i += 2
                    continue
            out.append(first)
            i += 1
        return out


def _gap(layout: Layout, left: Atom, right: Atom) -> list[str]:
    return between(layout, left, right)


def _inside_word(layout: Layout, atom: Atom) -> bool:
    return atom.first > 0 and layout.tokens[atom.first].glued and layout.tokens[atom.first - 1].norm == "-"


def _origin(atom: Atom) -> Atom:
    """«из Кронвика» is where an army comes from, never where it goes."""
    if atom.prep in {"из", "изо"} and atom.has("city"):
        return replace(atom, senses=tuple(replace(s, kind="origin") if s.kind == "city" else s for s in atom.senses))
    return atom


def _strange_magic(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«ритуал Вечной Ночи», «заклинание «Огненный дождь»»: a name that is none of the game's, behind the word for it."""
    out: list[Atom] = []
    until = 0
    for atom in atoms:
        if atom.first < until:
            continue
        kind = "ritual" if atom.has("ritualword") else "spell" if atom.has("cast") and atom.verb is Verb.NONE else ""
        quoted = _quoted(layout, atom.last) if kind else None
        last, name = quoted or (_capitals(layout, atoms, atom.last) if kind else (0, ""))
        if not name or any(a.has("spell", "ritual", "city") and atom.last <= a.first < last for a in atoms):
            out.append(atom)
            continue
        until = last
        out.append(widened(layout, replace(atom, senses=(Sense("badmagic", (kind, name)),)), atom.first, last))
    return out


def _capitals(layout: Layout, atoms: Sequence[Atom], at: int) -> tuple[int, str]:
    """Where words with capital letters that name nothing known end, and their text."""
    known = {i for a in atoms for i in a.tokens()}
    last = at
    while last < len(layout.tokens) and layout.tokens[last].kind is Kind.WORD and last not in known:
        word = layout.text[layout.tokens[last].start : layout.tokens[last].end]
        if not word[0].isupper() or word.isupper():
            break
        last += 1
    return (last, layout.text[layout.tokens[at].start : layout.tokens[last - 1].end]) if last > at else (0, "")


def _of_a_noun(layout: Layout, ordinal: Atom, following: Atom | None) -> bool:
    """«на второй уровень», «второй ритуал»: it counts something that is no army."""
    if ordinal.last >= len(layout.tokens) or (
        following is not None and following.first == ordinal.last and following.has("city")
    ):
        return False
    known = info(layout.tokens[ordinal.last].norm)
    return bool(known.cases) and not known.colours and known.verb is Verb.NONE and known.known


def _town(layout: Layout, atom: Atom) -> Atom:
    """«град сей»: an old word for a town that is also the name of a unit."""
    table = tables()["old_towns"]
    if not atom.has("unit") or normal(atom.text) not in table["words"]:
        return atom
    beside = {layout.tokens[i].norm for i in (atom.first - 1, atom.last) if 0 <= i < len(layout.tokens)}
    return replace(atom, senses=(Sense("town", "town"),)) if beside & set(table["beside"]) else atom


def _army_names(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Армия 1 «Соколы»», «армию 1 назовём «Кулак»»: the name in quotation marks right behind an army is the army's."""
    out: list[Atom] = []
    until = 0
    for atom in atoms:
        if atom.first < until:
            continue
        quoted = _quoted(layout, atom.last) if atom.has("army", "armyword", "armynumber") else None
        if quoted is not None:
            until, name = quoted
            atom = widened(layout, replace(atom, data={**atom.data, NAME: name}), atom.first, until)
        out.append(atom)
    return out


def _quoted(layout: Layout, at: int) -> tuple[int, str] | None:
    """Where a name in quotation marks that begins here ends, and the name."""
    tokens, text = layout.tokens, layout.text
    naming = frozenset(tables()["naming"]["words"])
    while at < len(tokens) and tokens[at].norm in naming:
        at += 1
    if at >= len(tokens) or text[tokens[at].start] not in _QUOTES:
        return None
    for end in range(at + 1, min(at + 2 + _LONGEST_NAME, len(tokens))):
        if tokens[end].kind is Kind.LINE:
            return None
        if text[tokens[end].start] in _QUOTES and end > at + 1:
            return end + 1, text[tokens[at].end : tokens[end].start].strip()
    return None


@cache
def _ordinal_like(word: str) -> int:
    """The number of an army whose ordinal is misspelt so («втарая»); 0: none."""
    if info(word).known or len(word) < 5:
        return 0
    for number, forms in enumerate(tables()["army_ordinals"]["forms"], 1):
        if any(OSA.distance(word, form) == 1 for form in forms):
            return number
    return 0


def _city(atom: Atom) -> str:
    sense = atom.get("city")
    assert sense is not None
    return str(sense.value)


def _numbers(number: Atom, army: Atom) -> bool:
    """«вторая армия», «2 армия»; «2 армии» are two of them."""
    if number.has("ordinal"):
        return number_of(number) > 0
    return number.has("number") and 1 <= number_of(number) <= _NUMBERED and "gent" not in army.cases


def _feminine(text: str) -> bool:
    return (
        text.lower()
        .rstrip(".")
        .endswith(
            (
                "ая",
                "ую",
                "ой",
                "-я",
                "-ю",
                "1я",
                "2я",
                "3я",
                "2ю",
                "1ю",
                "3ю",
                "1-й",
                "2-й",
                "3-й",
                "тья",
                "тью",
                "тьей",
                "1й",
                "2й",
            )
        )
    )
