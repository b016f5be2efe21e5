"""A unit with its number: «10 копейщиков», «копы х12», «щиты все», «хилы — двое»."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from parsers.atoms import Atom
from parsers.reading_atoms import between, joined
from parsers.russian import Verb, closed_class, info, normal
from parsers.structure import Layout, Status
from parsers.tokens import Kind
from rules.steel_rose.data import game_data
from rules.steel_rose.language.names import tables
from rules.steel_rose.language.references import ASIDE, widened

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
        "с",
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


class Squads:
    """Joins units and numbers."""

    def __init__(self) -> None:
        self._last = 0
        """The number said last, for «столько же»."""
        self.faction_words = {w for f in game_data().factions.values() for w in normal(f.name_ru).split()}

    def read(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
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
                gap = between(layout, before, atom)
                if all(g in _BEFORE_GAP for g in gap) or _described(gap, atom):
                    out[-1] = self._squad(layout, [before, atom], before, atom)
                    i += 1
                    continue
            taken_up = self._over_a_verb(layout, atoms, i)
            if taken_up is not None:
                out += [taken_up, atoms[i + 1]]
                i += 3
                continue
            times = self._multiple(layout, atoms, i)
            if times is not None:
                while out and out[-1].first >= times.first:
                    out.pop()
                out.append(times)
                i += 1
                while i < len(atoms) and atoms[i].first < times.last:
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
        return _all_of_them(layout, out)

    def _over_a_verb(self, layout: Layout, atoms: list[Atom], i: int) -> Atom | None:
        """«волков возьмите двенадцать следопытов шесть»: the number behind the verb is of the unit before it."""
        if i + 2 >= len(atoms):
            return None
        unit, verb, count = atoms[i : i + 3]
        beside = unit.last == verb.first and verb.last == count.first
        if (
            not beside
            or not verb.has("hire", "disband")
            or verb.verb is Verb.NONE
            or not count.has("number")
            or count.has("unit")
        ):
            return None
        following = atoms[i + 3] if i + 3 < len(atoms) else None
        if (
            following is not None
            and following.has("unit")
            and following.first == count.last
            and not self._after(layout, atoms, i + 3)
        ):
            return None  # whose number it is can't be told
        made = self._squad(layout, [unit, count], count, unit)
        return replace(made, last=unit.last, span=unit.span, text=unit.text)

    def _multiple(self, layout: Layout, atoms: list[Atom], i: int) -> Atom | None:
        """«5 следопытов и вдвое больше волков»: so many times the number said last."""
        unit, tokens = atoms[i], layout.tokens
        if not self._last:
            return None
        for phrase, factor in tables()["multiples"].items():
            words = phrase.split()
            before, behind = unit.first - len(words), unit.last + len(words)
            if before >= 0 and [t.norm for t in tokens[before : unit.first]] == words:
                first, last = before, unit.last
            elif [t.norm for t in tokens[unit.last : behind]] == words:
                first, last = unit.first, behind
            else:
                continue
            number = self._last * factor
            compared = (
                last < len(tokens) and tokens[last].norm in {"чем", ","} and "чем" in {t.norm for t in tokens[last : last + 2]}
            )
            if compared or number != int(number):
                return None
            self._last = int(number)
            senses = tuple(replace(s, kind="squad", value=(s.value, int(number))) for s in unit.senses if s.kind == "unit")
            return widened(layout, replace(unit, senses=senses), first, last)
        return None

    def _pieces(self, layout: Layout, before: Atom, atom: Atom) -> bool:
        """«десять человек»: no people of the Empire."""
        word = normal(atom.text)
        return word in tables()["pieces"]["words"] and before.has("number", "squad") and not between(layout, before, atom)

    def _counted(self, layout: Layout, atoms: list[Atom], i: int) -> bool:
        left = atoms[i - 1] if i else None
        beside = left is not None and left.has("number") and not between(layout, left, atoms[i])
        return beside or (bool(self._after(layout, atoms, i)) and atoms[i + self._after(layout, atoms, i)].has("number"))

    def _after(self, layout: Layout, atoms: list[Atom], i: int) -> int:
        """How many atoms on the number of a unit stands that follows it; 0: none."""
        unit = atoms[i]
        at = i + 1
        while at < len(atoms) and atoms[at].has("too", "~once_more", ASIDE) and not atoms[at].has("number", "unit"):
            at += 1  # «кровогриф тоже десять», «быков ещё 5»
        if at + 1 < len(atoms) and atoms[at].has(*_MONEY) and atoms[at + 1].has("number"):
            gaps = [*between(layout, unit, atoms[at]), *between(layout, atoms[at], atoms[at + 1])]
            at += all(g in _UNIT_GAP | {"/"} for g in gaps)
        if at >= len(atoms) or not _countable(atoms[at]) or (atoms[at].has("~rest") and not atoms[at].has("number")):
            return 0
        count = atoms[at]
        if (
            layout.sentence_of[unit.first] != layout.sentence_of[count.first] and not _in_a_row(layout, unit, count)
        ) or Status.LIST_MARK in layout.status[unit.last : count.first]:
            return 0
        gap = between(layout, unit, count)
        if at > i + 1:  # over the price: «Копейщик 15з x 8»
            gap = [g for left, right in pairwise(atoms[i : at + 1]) for g in between(layout, left, right) if g not in _OVER]
        if _in_a_row(layout, unit, count):
            return at - i
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
            link = between(layout, count, following)
            if all(
                g in _BEFORE_GAP or g == ":" for g in link
            ):  # «луки 5 копья»: the number is the next one's unless that has its own
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
        costs = count.has("number") and count.prep == "на" and count.first < unit.first  # «на 300 копейщиков»: for so much gold
        plus = bool(count.first) and layout.tokens[count.first - 1].norm == "+" and count is not unit and count.first > unit.first
        said = {"each": each, "minus": minus, "plus": plus, "upto": upto, "costs": costs, "old": count.data.get("old")}
        made = joined(layout, parts, senses[0], reckoned=_reckoned(layout, count), **said)
        return replace(made, senses=senses, prep=unit.prep if unit is parts[0] else made.prep)


def _described(gap: Sequence[str], unit: Atom) -> bool:
    """«восемь братьев-культистов», «десять славных копейщиков»: one word that agrees with the unit."""
    said = [g for g in gap if g != "-"]
    if len(said) != 1 or "gent" not in unit.cases or said[0] in closed_class():
        return False
    known = info(said[0])
    return known.verb is Verb.NONE and "gent" in known.cases and "plur" in known.genders


_RECKONING = frozenset({"-", "+", "х", "x", "*", "×"})


def _reckoned(layout: Layout, count: Atom) -> str:
    """«8-10», «5+3»: a number beside another asks how many; «2 × 15 = 30» reckons a price."""
    tokens = layout.tokens
    if not count.has("number"):
        return ""
    for sign, other in ((count.last, count.last + 1), (count.first - 1, count.first - 2)):
        beside = 0 <= other < len(tokens) and tokens[sign].norm in _RECKONING and tokens[other].kind is Kind.NUMBER
        beside = beside and layout.sentence_of[sign] == layout.sentence_of[count.first] == layout.sentence_of[other]
        marked = beside and layout.status[other] is Status.LIST_MARK
        priced = beside and any(t.norm == "=" for t in tokens[other : other + 4])
        if beside and not marked and not priced:
            first, last = sorted((count.first, other))
            return layout.text[tokens[first].start : tokens[max(last, count.last - 1)].end]
    return ""


def _all_of_them(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«стрелки в центральный арьергард все, щиты …»: «все» behind the place of a kind of unit is said of it alone."""
    out: list[Atom] = []
    for atom in atoms:
        ends = atom.last >= len(layout.tokens) or layout.tokens[atom.last].kind is not Kind.WORD
        place = out[-1] if len(out) > 1 and atom.kinds == {"~all"} and ends else None
        if place is None or not place.has("cell", "flank", "row") or not out[-2].has("unit") or place.last != atom.first:
            out.append(atom)
            continue
        out[-1] = widened(layout, place, place.first, atom.last)
    return out


_LEADERS = 3
"""So many dots in a row lead from one column of a list to the next."""


def _in_a_row(layout: Layout, unit: Atom, count: Atom) -> bool:
    """«Лучник;8», «лучники ..... 8»: a table's row of these two alone."""
    line = layout.lines[layout.sentences[layout.sentence_of[unit.first]].line]
    gap = between(layout, unit, count)
    apart = gap == [";"] or (len(gap) >= _LEADERS and set(gap) <= {".", "…"}) or gap == ["…"]
    return apart and unit.first == line.first and count.last == line.last


def _countable(atom: Atom) -> bool:
    if atom.has("squad"):
        return False
    return atom.has("number", "~all", "~half", "~rest", "~amount") and not atom.has("unit")


def _abbreviated(layout: Layout, unit: Atom) -> bool:
    return layout.tokens[unit.last - 1].norm in frozenset(tables()["abbreviations"]["words"])
