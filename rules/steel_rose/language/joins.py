"""Neighbouring words as one thing: «армия 2», «левый авангард», «дорога Кронвик — Морвен», «10 копейщиков»."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

from rapidfuzz.distance import OSA

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import between, joined
from parsers.russian import Verb, closed_class, info, normal
from parsers.structure import Layout, Status
from parsers.tokens import Kind
from parsers.typos import ONE_OFF
from rules.steel_rose.data import game_data
from rules.steel_rose.language.cohesion import with_sentences
from rules.steel_rose.language.names import OGRES, tables
from rules.steel_rose.language.references import ASIDE, edited, instead, only_placed, pronouns, set_aside, skipped_turns, were
from rules.steel_rose.view import View

FLANKS = {"A": "LCR", "B": "LR"}
"""Words that mean several flanks: every one, both wings."""
ALL_FLANKS = "LCR"
ARMIES = 3
"""Highest number an army has."""
_LINKS = frozenset({"", "-", "№", "номер", "n", "#", "(", "."})
_PLACE_GAP = frozenset(
    {"-", ",", "(", ".", "в", "на", "фланг", "фланга", "фланге", "фл", "по", "его", "наш", "наши", "свой", "/", "их", "во", "|"}
)
_UNIT_GAP = frozenset(
    {
        "+",
        ":",
        "-",
        ",",
        "(",
        "—",
        "=",
        "по",
        "тоже",
        "еще",
        "же",
        "|",
        ".",
        "штук",
        "штука",
        "штуки",
        "человек",
        "чел",
        "единиц",
        "голов",
        "рыл",
        "в",
        "количестве",
        "х",
        "x",
        "*",
        "наших",
        "своих",
        "также",
    }
)
_BEFORE_GAP = frozenset(
    {
        "штук",
        "штуки",
        "штука",
        "-",
        "наших",
        "своих",
        "моих",
        "ещё",
        "еще",
        "х",
        "x",
        "новых",
        "же",
        "*",
        "шт",
        ".",
        "этих",
        "лишних",
        "отряда",
        "отряд",
        "наши",
        "те",
        "мои",
        "до",
        "единого",
        "наличных",
        "имеющихся",
        "славных",
        "бравых",
        "верных",
        "самых",
        "храбрых",
    }
)
_OVER = frozenset({"/", ",", "а", "не", "было", "был", "были", "пусть", "будет", "стало", "станет", "теперь"})
"""What may stand between a unit and its number when something lies between them that doesn't count."""
_AND = frozenset({"и", ",", "&", "+", "/", "а", "затем", "потом"})
_NUMBERS = ("number",)
_MONEY = ("gold", "honor", "mana", "hunger")


class Joins:
    """The composites of the language."""

    def __init__(self, view: View) -> None:
        self.me = view.faction
        self.capitals: dict[str, list[str]] = {}
        for ident, city in view.state.cities.items():
            if city.type == "large" and city.owner is not None:
                self.capitals.setdefault(city.owner, []).append(ident)
        for owner, cities in self.capitals.items():
            cities.sort(key=lambda c: view.state.cities[c].start_owner != owner)
        self.faction_words = {w for f in game_data().factions.values() for w in normal(f.name_ru).split()}
        self.collective = frozenset(tables()["collective"]["words"])

    def __call__(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        self._last = 0
        atoms = self._armies(layout, edited(layout, atoms))
        atoms = self._capitals(layout, atoms)
        atoms = [_origin(a) for a in atoms]
        atoms = self._places(layout, atoms)
        atoms = were(layout, set_aside(layout, atoms))
        atoms = self._roads(layout, atoms)
        atoms = self._squads(layout, atoms)
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
                if before is not None and before.has("ordinal") and _number(before) and not _gap(layout, before, atom):
                    out[-1] = joined(layout, [before, atom], Sense("army", _number(before)))
                    i += 1
                    continue
                guessed = _ordinal_like(tokens[atom.first - 1].norm) if atom.first and not atom.data.get("numbered") else 0
                if guessed and (before is None or before.last <= atom.first - 1):
                    note = tables()["asks"]["army_like"].format(word=tokens[atom.first - 1].norm, n=guessed)
                    made = joined(layout, [atom], Sense("army", guessed, ONE_OFF, False, note))
                    start = tokens[atom.first - 1].span
                    out.append(replace(made, first=atom.first - 1, span=start.cover(atom.span)))
                    i += 1
                    continue
                if following is not None and following.has("number", "ordinal") and 1 <= _number(following) <= ARMIES:
                    gap = set(_gap(layout, atom, following))
                    then = atoms[i + 2] if i + 2 < len(atoms) else None
                    counted = (
                        then is not None and then.has("unit") and not _gap(layout, following, then) and following.has("number")
                    )
                    if gap <= _LINKS and not counted:
                        out.append(joined(layout, [atom, following], Sense("army", _number(following))))
                        i += 2
                        continue
            elif atom.has("number") and 1 <= _number(atom) <= ARMIES and atom.first and tokens[atom.first].glued:
                left = tokens[atom.first - 1]
                opens = not left.glued or atom.first < 2 or tokens[atom.first - 2].kind is Kind.LINE
                if left.norm == "а" and left.kind is Kind.WORD and opens:
                    made = joined(layout, [atom], Sense("army", _number(atom)))
                    out.append(replace(made, first=atom.first - 1, span=left.span.cover(atom.span), text=f"А{atom.text}"))
                    i += 1
                    continue
            elif atom.has("ordinal") and 1 <= _number(atom) <= ARMIES and _feminine(atom.text):
                out.append(replace(atom, senses=(*atom.senses, Sense("armynumber", _number(atom)))))
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

    # -------------------------------------------------------------------------------------------- places

    def _places(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«левый авангард», «авангард слева», «левый и правый авангард», «ЛФ ав.» → cells."""
        out: list[Atom] = []
        i = 0
        while i < len(atoms):
            run = [atoms[i]]
            following = atoms[i + 1] if i + 1 < len(atoms) else None
            three = _number(atoms[i]) == len(ALL_FLANKS) and following is not None and following.has("row")
            if three and following is not None and not _gap(layout, atoms[i], following):  # «все три авангарда»
                cells = tuple(f + str(value_of(following, "row")) for f in ALL_FLANKS)
                before = [out.pop()] if out and out[-1].has("~all") and not _gap(layout, out[-1], atoms[i]) else []
                out.append(joined(layout, [*before, atoms[i], following], Sense("cell", cells)))
                i += 2
                continue
            if not atoms[i].has("flank", "row"):
                out.append(atoms[i])
                i += 1
                continue
            while i + len(run) < len(atoms):
                following = atoms[i + len(run)]
                gap = _gap(layout, run[-1], following)
                if not following.has("flank", "row") or any(g not in _PLACE_GAP | {"и", "+"} for g in gap):
                    break
                run.append(following)
            made, used = self._cell(layout, run)
            out.append(made)
            i += used
        return self._pairs(layout, out)

    def _pairs(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«левый авангард и правый авангард …» at the head of a clause: both do the same."""
        out: list[Atom] = []
        for atom in atoms:
            left = out[-1] if out else None
            if left is None or not (left.has("cell") and atom.has("cell")) or _gap(layout, left, atom) != ["и"]:
                out.append(atom)
                continue
            before = out[-2] if len(out) > 1 else None
            heads = before is None or layout.sentence_of[before.first] != layout.sentence_of[left.first]
            heads = heads or bool(set(_gap(layout, before, left)) & {",", "-", ":"}) if before is not None else heads
            if not heads or left.prep or atom.prep:
                out.append(atom)
                continue
            both = (*value_of(left, "cell"), *value_of(atom, "cell"))
            out[-1] = joined(layout, [left, atom], Sense("cell", both))
        return out

    def _cell(self, layout: Layout, run: Sequence[Atom]) -> tuple[Atom, int]:
        """The longest beginning of a run of flanks and rows that is one place (or several alike)."""
        kinds = "".join("F" if a.has("flank") else "W" for a in run)
        gaps = [set(_gap(layout, a, b)) for a, b in pairwise(run)]

        def flank(n: int) -> str:
            return str(run[n].get("flank").value)  # type: ignore[union-attr]

        def row(n: int) -> str:
            return str(run[n].get("row").value)  # type: ignore[union-attr]

        def cells(flanks: str, rows: str) -> tuple[str, ...]:
            flat = "".join(FLANKS.get(f, f) for f in flanks)
            return tuple(f + r for f in flat for r in rows)

        if kinds.startswith("FFW") and gaps[0] & {"и", "+", "/"} and not gaps[1]:
            return joined(layout, run[:3], Sense("cell", cells(flank(0) + flank(1), row(2)))), 3
        if kinds.startswith("WFF") and "и" in gaps[1] and "и" not in gaps[0] and not kinds.startswith("WFFW"):
            return joined(layout, run[:3], Sense("cell", cells(flank(1) + flank(2), row(0))), rowfirst=True), 3
        if kinds.startswith("FF") and not kinds.startswith("FFW") and gaps[0] & {"и", "+"}:
            pair = flank(0) + flank(1)
            sense = Sense("flank", "B") if set(pair) == {"L", "R"} else Sense("cell", cells(pair, "V"))
            return joined(layout, run[:2], sense), 2
        if kinds.startswith("FWW") and gaps[1] & {"и"} and not kinds.startswith("FWWF"):
            return joined(layout, run[:3], Sense("cell", cells(flank(0), row(1) + row(2))), both=True), 3
        if kinds.startswith("FW") and "и" not in gaps[0]:
            header = bool(gaps[0] & {"(", ","}) and len(run) > 3
            return joined(layout, run[:2], Sense("cell", cells(flank(0), row(1))), flankfirst=not header), 2
        loose = not (kinds.startswith("WFW") and len(gaps) > 1 and not gaps[1])
        if kinds.startswith("WF") and not gaps[0] & {"и", "|"} and loose and not kinds.startswith("WFF"):
            belongs = "по" in gaps[0] or (not gaps[0] and run[1].cases == {"gent"})  # «тыл центра» heads no row
            return joined(layout, run[:2], Sense("cell", cells(flank(1), row(0))), rowfirst=not belongs), 2
        return run[0], 1

    # -------------------------------------------------------------------------------------------- roads

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

    # -------------------------------------------------------------------------------------------- squads

    def _squads(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """A unit with its number: «10 копейщиков», «копы х12», «щиты все», «хилы — двое»."""
        out: list[Atom] = []
        i = 0
        while i < len(atoms):
            atom = atoms[i]
            if atom.has("faction") and out and self._pieces(layout, out[-1], atom):
                i += 1
                continue
            if not atom.has("unit") or (atom.has("city", "building", "cell", "spell") and not self._counted(layout, atoms, i)):
                out.append(atom)
                i += 1
                continue
            before = out[-1] if out else None
            if before is not None and _countable(before) and layout.sentence_of[before.first] == layout.sentence_of[atom.first]:
                gap = _gap(layout, before, atom)
                if all(g in _BEFORE_GAP for g in gap) or _described(gap, atom):
                    out[-1] = self._squad(layout, [before, atom], before, atom)
                    i += 1
                    continue
            taken = self._after(layout, atoms, i)
            if taken:
                count = atoms[i + taken]
                out.append(self._squad(layout, atoms[i : i + taken + 1], count, atom))
                i += taken + 1
                continue
            if atom.has("faction") and info(normal(atom.text.split()[0])).lemmas & self.faction_words:
                atom = replace(atom, senses=tuple(s for s in atom.senses if s.kind != "unit"))
            out.append(atom)
            i += 1
        return out

    def _pieces(self, layout: Layout, before: Atom, atom: Atom) -> bool:
        """«десять человек»: no people of the Empire."""
        word = normal(atom.text)
        return word in tables()["pieces"]["words"] and before.has("number", "squad") and not _gap(layout, before, atom)

    def _counted(self, layout: Layout, atoms: list[Atom], i: int) -> bool:
        left = atoms[i - 1] if i else None
        beside = left is not None and left.has("number") and not _gap(layout, left, atoms[i])
        return beside or (bool(self._after(layout, atoms, i)) and atoms[i + self._after(layout, atoms, i)].has("number"))

    def _after(self, layout: Layout, atoms: list[Atom], i: int) -> int:
        """How many atoms on the number of a unit stands that follows it; 0: none."""
        unit = atoms[i]
        at = i + 1
        while at < len(atoms) and atoms[at].has("too", "~once_more", ASIDE) and not atoms[at].has("number", "unit"):
            at += 1  # «кровогриф тоже десять», «быков ещё 5»
        if at + 1 < len(atoms) and atoms[at].has(*_MONEY) and atoms[at + 1].has("number"):
            gaps = [*_gap(layout, unit, atoms[at]), *_gap(layout, atoms[at], atoms[at + 1])]
            at += all(g in _UNIT_GAP | {"/"} for g in gaps)
        if at >= len(atoms) or not _countable(atoms[at]) or (atoms[at].has("~rest") and not atoms[at].has("number")):
            return 0
        count = atoms[at]
        if (
            layout.sentence_of[unit.first] != layout.sentence_of[count.first]
            or Status.LIST_MARK in layout.status[unit.last : count.first]
        ):
            return 0
        gap = _gap(layout, unit, count)
        if at > i + 1:  # over the price: «Копейщик 15з x 8»
            gap = [g for left, right in pairwise(atoms[i : at + 1]) for g in _gap(layout, left, right) if g not in _OVER]
        if any(g not in _UNIT_GAP for g in gap) or ("." in gap and not _abbreviated(layout, unit)):
            return 0
        if not count.has("number") and gap not in ([], ["-"], [","], ["."]):
            return 0
        following = atoms[at + 1] if at + 1 < len(atoms) else None
        if (
            following is not None
            and following.has("unit")
            and layout.sentence_of[following.first] == layout.sentence_of[count.first]
        ):
            link = _gap(layout, count, following)
            if all(g in _BEFORE_GAP for g in link):  # «луки 5 копья»: the number is the next one's unless that has its own
                glued = not gap and not self._after(layout, atoms, at + 1)
                if gap or glued:
                    return 0
        return at - i

    def _squad(self, layout: Layout, parts: Sequence[Atom], count: Atom, unit: Atom) -> Atom:
        number: int | str
        if count.has("~amount"):
            number = self._last
        elif count.has("number"):
            value = count.get("number").value  # type: ignore[union-attr]
            number = int(value) if value == int(value) else -1
            if count.data.get("negative"):
                number = -abs(number)
        elif count.has("~half"):
            number = "half"
        else:
            number = "rest" if count.has("~rest") else "all"
        self._last = number if isinstance(number, int) else 0
        senses = tuple(replace(s, kind="squad", value=(s.value, number), note=s.note) for s in unit.senses if s.kind == "unit")
        each = bool(count.first) and layout.tokens[count.first - 1].norm == "по"
        minus = bool(count.first) and layout.tokens[count.first - 1].norm == "минус"
        upto = count.has("number") and count.prep == "до"
        plus = bool(count.first) and layout.tokens[count.first - 1].norm == "+" and count is not unit and count.first > unit.first
        made = joined(layout, parts, senses[0], each=each, minus=minus, plus=plus, upto=upto, old=count.data.get("old"))
        return replace(made, senses=senses, prep=unit.prep if unit is parts[0] else made.prep)


def _described(gap: Sequence[str], unit: Atom) -> bool:
    """«восемь братьев-культистов», «десять славных копейщиков»: one word that agrees with the unit."""
    said = [g for g in gap if g != "-"]
    if len(said) != 1 or "gent" not in unit.cases or said[0] in closed_class():
        return False
    known = info(said[0])
    return known.verb is Verb.NONE and "gent" in known.cases and "plur" in known.genders


def _gap(layout: Layout, left: Atom, right: Atom) -> list[str]:
    return between(layout, left, right)


def _origin(atom: Atom) -> Atom:
    """«из Кронвика» is where an army comes from, never where it goes."""
    if atom.prep in {"из", "изо"} and atom.has("city"):
        return replace(atom, senses=tuple(replace(s, kind="origin") if s.kind == "city" else s for s in atom.senses))
    return atom


@cache
def _ordinal_like(word: str) -> int:
    """The number of an army whose ordinal is misspelt so («втарая»); 0: none."""
    if info(word).known or len(word) < 5:
        return 0
    for number, forms in enumerate(tables()["army_ordinals"]["forms"], 1):
        if any(OSA.distance(word, form) == 1 for form in forms):
            return number
    return 0


def _number(atom: Atom) -> int:
    sense = atom.get("number", "ordinal")
    return int(sense.value) if sense is not None and sense.value == int(sense.value) else 0


def _city(atom: Atom) -> str:
    sense = atom.get("city")
    assert sense is not None
    return str(sense.value)


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


def _countable(atom: Atom) -> bool:
    if atom.has("squad"):
        return False
    return atom.has("number", "~all", "~half", "~rest", "~amount") and not atom.has("unit")


def _abbreviated(layout: Layout, unit: Atom) -> bool:
    return layout.tokens[unit.last - 1].norm in frozenset(tables()["abbreviations"]["words"])


def unit_of(atom: Atom) -> str | None:
    """The unit an atom names."""
    sense = atom.get("squad", "unit")
    if sense is None:
        return None
    return str(sense.value[0] if sense.kind == "squad" else sense.value)


def is_ogre(unit: str | None) -> bool:
    """True for a unit of the ogres."""
    known = game_data().units.get(unit or "")
    return known is not None and known.faction == OGRES


def value_of(atom: Atom, *kinds: str) -> Any:
    """The best value of these kinds."""
    sense = atom.get(*kinds)
    return None if sense is None else sense.value
