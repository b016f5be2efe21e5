"""Joins atoms that only together mean something in this game: «1-я атака», «1 на дорогу», «группа Клык», «Пехота-2»."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import Recognised, between, joined
from parsers.russian import Verb, info
from parsers.structure import Layout, Status
from parsers.tokens import Kind, Token
from parsers.types import Span
from rules.astral.language.assaults import assaults
from rules.astral.language.meanings import Meanings, placed
from rules.astral.language.names import beside, with_words_before
from rules.astral.language.numbers import attack_numbers
from rules.astral.language.sheets import earlier_sheets
from rules.astral.view import View

_ROAD = 24
"""Between a price and the road that it is paid for stand no more characters."""


def shard_numbers(view: View) -> tuple[dict[str, str], frozenset[str]]:
    """Shards by their number without leading zeros; and owner ids, for nothing else."""
    by_number = {s.number.lstrip("0") or "0": ident for ident, s in view.game.shards.items() if s.number is not None}
    return by_number, frozenset(view.game.owners)


class ShardNumbers:
    """Recognises «012», «№12», «осколок 12», «012.Склеп»."""

    def __init__(self, view: View) -> None:
        self._by_number, _ = shard_numbers(view)

    def __call__(self, tokens: Sequence[Token], status: Sequence[Status]) -> Iterator[Recognised]:
        for i, token in enumerate(tokens):
            if token.kind is not Kind.NUMBER or status[i] is Status.LIST_MARK:
                continue
            before = tokens[i - 1].norm if i else ""
            earlier = tokens[i - 2].norm if i > 1 else ""
            called = before.startswith("оскол") or before in {"№", "оск", "шард", "номер"} or (before == "." and earlier == "оск")
            padded = len(token.norm) == 3 and token.norm.startswith("0")
            plain = len(token.norm) == 3 and not token.glued
            following = tokens[i + 1].norm if i + 1 < len(tokens) else ""
            if following in {"э", "эн", "%", "энергии"} and not called:
                continue
            if not called and not padded and not (plain and (token.norm.lstrip("0") or "0") in self._by_number):
                continue
            if (len(token.norm) > 3 and not called) or (before == "-" and not padded and not called):
                continue
            number = token.norm.lstrip("0") or "0"
            ident = self._by_number.get(number)
            first = i - 1 if before == "№" else i
            if ident is None:
                yield Recognised(first, i + 1, Sense("shard_unknown", token.norm), 6.0)
            else:
                yield Recognised(first, i + 1, Sense("shard", ident), 6.0)


class Composites:
    """The game's compound atoms, in the order in which they build on each other."""

    def __init__(self, view: View) -> None:
        self._me = view.reader
        self._outer = view.outer(view.reader) if view.reader is not None else None
        self._meanings = Meanings(view)

    def __call__(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        atoms = [_whole(atom) for atom in atoms]
        for step in (
            self._numbered_names,
            self._own_name,
            earlier_sheets,
            assaults,
            self._meanings.before,
            attack_numbers,
            self._meanings.behind,
            self._roads,
            self._levels,
            self._groups,
            self._outers,
        ):
            atoms = step(layout, atoms)
        return [placed(layout, atom) for atom in atoms]

    def _numbered_names(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«012.Склеп Отличников», «Склеп Отличников (012)»: one shard named twice."""
        out: list[Atom] = []
        for atom in atoms:
            if out and out[-1].has("shard") and atom.has("shard") and len(between(layout, out[-1], atom)) <= 2:
                left, right = out[-1].all("shard"), atom.all("shard")
                shared = [s for s in left if any(s.value == r.value for r in right)]
                numbered = any(c.isdigit() for c in out[-1].text + atom.text)
                gap = set(between(layout, out[-1], atom))
                named = all(c.isdigit() or c in "№ " for c in out[-1].text) or all(c.isdigit() or c in "№ " for c in atom.text)
                tool = out[-1].has("feature") and not out[-1].has("shard_word")  # «Обсерваторией 027»
                if gap <= {".", "(", "-", ",", "«", "№"} and (shared or (numbered and named and not tool)):
                    digits = out[-1] if any(c.isdigit() for c in out[-1].text) else atom
                    sense = shared[0] if shared else digits.all("shard")[0]
                    good = max((s.quality for s in (*left, *right) if s.value == sense.value), default=1.0)
                    out[-1] = joined(
                        layout,
                        [out[-1], atom],
                        replace(sense, partial=False, quality=good, note=None if good > 0.9 else sense.note),
                    )
                    continue
            out.append(atom)
        return out

    def _own_name(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """One's own name in the nominative is a signature, not a target."""
        out: list[Atom] = []
        for atom in atoms:
            sense = atom.get("owner")
            if sense is not None and sense.value == self._me and not sense.partial:
                nominative = not atom.cases or "nomn" in atom.cases
                if nominative or (atom.prep in {"", "от"} and "gent" in atom.cases and "accs" not in atom.cases):
                    out.append(
                        replace(
                            atom, senses=(Sense("self", self._me), *(s for s in atom.senses if s.kind not in {"owner", "shard"}))
                        )
                    )
                    continue
            out.append(atom)
        del layout
        return out

    def _roads(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«1 на дорогу», «(2 перемещ.)», «путь 3», «перемещение 0 э.»: the price of the way, which the rules count themselves."""
        out: list[Atom] = []
        i = 0
        while i < len(atoms):
            atom = atoms[i]
            if atom.has("road"):
                if len(out) > 1 and out[-1].text.lower().replace("ё", "е") in beside("road") and out[-2].has("number", "energy"):
                    out.pop()  # «2 уйдёт на дорогу», «две энергии возьмёт перелёт»
                left = out[-1] if out else None
                right = atoms[i + 1] if i + 1 < len(atoms) else None
                if left is not None and right is not None and _another_matter(layout, out, left, atom, right):
                    left = None
                before = between(layout, left, atom) if left is not None and left.has("number", "energy") else None
                after = between(layout, atom, right) if right is not None and right.has("number", "energy") else None
                near = (
                    left is not None
                    and len(layout.text[left.span.end : atom.span.start]) <= _ROAD
                    and "  " not in layout.text[left.span.end : atom.span.start]
                )
                closed = before == ["("] and atom.last < len(layout.tokens) and layout.tokens[atom.last].norm == ")"
                # «1 (полёт)»
                told = before is not None and (closed or set(before) - {"."} <= beside("road"))
                if near and told and left is not None:
                    way = _whole_way(joined(layout, [left, atom], Sense("move", left.senses[0].value)))
                    said = layout.tokens[way.first - 1].norm if way.first else ""
                    out[-1] = with_words_before(layout, way, 1) if said in beside("minus") else way
                elif after is not None and right is not None and set(after) - set(":=-.") <= beside("road"):
                    out.append(_whole_way(joined(layout, [atom, right], Sense("move", right.senses[0].value))))
                    i += 1
                else:
                    out.append(replace(atom, senses=(Sense("move", None),)))
            else:
                out.append(atom)
            i += 1
        return out

    def _levels(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«Пехота-2 (6)», «[пехота-2](6)», «Воин-2»: a level where an amount of its own follows."""
        tokens = layout.tokens
        out: list[Atom] = []
        i = 0
        while i < len(atoms):
            atom = atoms[i]
            following = atoms[i + 1] if i + 1 < len(atoms) else None
            if (
                following is not None
                and atom.has("troop", "magic", "hero")
                and following.has("number")
                and isinstance(following.senses[0].value, int)
            ):
                gap = between(layout, atom, following)
                third = atoms[i + 2] if i + 2 < len(atoms) else None
                glued = tokens[following.first].glued and ((gap == ["-"] and tokens[following.first - 1].glued) or gap == [])
                own = (
                    third is not None
                    and third.has("number", "percent", "energy")
                    and not set(between(layout, following, third)) & {",", "и", ";", "/", "+"}
                    and ("-" not in between(layout, following, third) or not tokens[third.first - 1].glued)
                    and layout.sentence_of[third.first] == layout.sentence_of[atom.first]
                )
                if glued and (atom.has("hero") or own) and abs(following.senses[0].value) <= 9:
                    made = joined(layout, [atom, following], atom.senses[0], level=abs(following.senses[0].value))
                    out.append(replace(made, senses=atom.senses))
                    i += 2
                    continue
            out.append(atom)
            i += 1
        return out

    def _groups(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«в группе «Клык»», «(группа Клык, …)», «вместе с Морвеном и Тишиной», «в группе с Кротом»."""
        tokens = layout.tokens
        out: list[Atom] = []
        i = 0
        while i < len(atoms):
            atom = atoms[i]
            if atom.has("group"):
                label = _label(layout, atom)
                if label is not None:
                    span, last = label
                    text = layout.text[span.start : span.end]
                    end = tokens[last - 1].end
                    made = replace(atom, last=last, span=Span(atom.span.start, end), senses=(Sense("group_label", text),))
                    out.append(replace(made, text=layout.text[made.span.start : end]))
                    i += 1
                    while i < len(atoms) and atoms[i].first < last:
                        i += 1
                    continue
            if atom.has("group") and _companions(layout, out):
                mates: list[Atom] = []
                while _companions(layout, out) and (
                    not mates or between(layout, out[-1], mates[0]) in (["и"], [","], ["и", "с"])
                ):
                    mates.insert(0, out.pop())
                values = tuple(str(a.senses[0].value) for a in mates)
                out.append(joined(layout, [*mates, atom], Sense("partners", values)))
                i += 1
                continue
            if atom.has("owner") and atom.prep in {"с", "со"} and "ablt" in atom.cases and _joins_attack(layout, atoms, atom):
                allies = [atom]
                while i + len(allies) < len(atoms) and atoms[i + len(allies)].has("owner"):
                    following = atoms[i + len(allies)]
                    if between(layout, allies[-1], following) not in (["и"], [","]) or "ablt" not in following.cases:
                        break
                    allies.append(following)
                out.append(joined(layout, allies, Sense("partners", tuple(str(a.senses[0].value) for a in allies))))
                i += len(allies)
                continue
            if atom.has("together", "group"):
                partners: list[Atom] = []
                j = i + 1
                while (
                    j < len(atoms)
                    and atoms[j].has("owner", "self")
                    and set(between(layout, atoms[j - 1], atoms[j])) <= {"и", ",", "с", "со", "владыкой"}
                ):
                    partners.append(atoms[j])
                    j += 1
                pronoun = layout.tokens[atom.last].norm if atom.last < len(layout.tokens) else ""
                if not partners and pronoun in beside("them"):
                    named = [
                        a for a in out if a.has("owner") and layout.sentence_of[atom.first] - layout.sentence_of[a.first] <= 2
                    ]
                    values = tuple(str(a.senses[0].value) for a in named[-1:])
                    made = joined(layout, [atom], Sense("partners", values))
                    end = layout.tokens[atom.last].end
                    text = layout.text[made.span.start : end]
                    out.append(replace(made, last=atom.last + 1, span=Span(made.span.start, end), text=text))
                    i += 1
                    continue
                if partners:
                    values = tuple(str(a.senses[0].value) for a in partners)
                    out.append(joined(layout, [atom, *partners], Sense("partners", values)))
                    i = j
                    continue
            out.append(atom)
            i += 1
        return out

    def _outers(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«внешний осколок» without an owner's name is one's own."""
        out: list[Atom] = []
        for i, atom in enumerate(atoms):
            if atom.has("outer"):
                beside = atoms[i + 1] if i + 1 < len(atoms) else None
                foreign = beside is not None and beside.has("owner") and len(between(layout, atom, beside)) <= 2
                if not foreign and self._outer is not None:
                    atom = replace(atom, senses=(Sense("shard", self._outer), Sense("outer", "outer")))
            out.append(atom)
        return out


def _whole(atom: Atom) -> Atom:
    """An owner's or a unit's own name is not a part of a longer name («Буйный» is no «Цитадель Буйного»)."""
    if any(s.kind in ("owner", "troop", "magic", "hero") and not s.partial for s in atom.senses):
        return replace(atom, senses=tuple(s for s in atom.senses if not s.partial))
    words = atom.text.lower().replace("ё", "е")
    if atom.has("road") or (not atom.cases and info(words).known):  # «дорого», «тихо»: no names
        return replace(atom, senses=tuple(s for s in atom.senses if s.kind != "shard" or not s.partial))
    return atom


def _joins_attack(layout: Layout, atoms: Sequence[Atom], ally: Atom) -> bool:
    """«Атакую с Морвеном Буйного»: an attack on somebody else, and no deal, in the sentence."""
    here = [a for a in atoms if layout.sentence_of[a.first] == layout.sentence_of[ally.first]]
    called = any(a.has("attack") and a.verb in (Verb.ORDER, Verb.INFINITIVE) for a in here)
    aimed = any(a.has("owner") and a.prep not in {"с", "со"} and a is not ally for a in here)
    return called and aimed and not any(a.has("exchange", "want", "offer", "tell", "group", "together") for a in here)


def _companions(layout: Layout, before: Sequence[Atom]) -> bool:
    """«с Морвеном и Тишиной в группе»: whether the last thing said is one of those with whom."""
    if not before or not before[-1].has("owner") or "ablt" not in before[-1].cases:
        return False
    words = [t.norm for t in layout.tokens[max(0, before[-1].first - 1) : before[-1].first]]
    return bool(words) and words[-1] in {"с", "со", "и", ","}


def _whole_energy_before(layout: Layout, before: Sequence[Atom], left: Atom, road: Atom, right: Atom) -> bool:
    """«12э дорога 2 пех 5 …»: of two numbers beside the road the first of the sentence is the whole energy."""
    if not right.has("number", "energy") or right.has("shard") or between(layout, road, right):
        return False
    if between(layout, left, road) and not (set(between(layout, left, road)) <= beside("into") and _more(left, right)):
        return False
    here = layout.sentence_of[left.first]
    return not any(
        a is not left and a.has("number", "energy") and not a.has("shard") and layout.sentence_of[a.first] == here for a in before
    )


def _another_matter(layout: Layout, before: Sequence[Atom], left: Atom, road: Atom, right: Atom) -> bool:
    """True when the number before the word of the way isn't its price."""
    return _whole_energy_before(layout, before, left, road, right) or _of_a_unit(layout, before, left, road, right)


def _more(left: Atom, right: Atom) -> bool:
    values = left.senses[0].value, right.senses[0].value
    return all(isinstance(v, int) for v in values) and values[0] > values[1]


def _of_a_unit(layout: Layout, before: Sequence[Atom], left: Atom, road: Atom, right: Atom) -> bool:
    """«… свет 5 дорога 1 маг»: the number before the road is a unit's, the one behind it is the price."""
    if len(before) < 2 or not before[-2].has("troop", "magic") or before[-2].last != left.first:
        return False
    return left.last == road.first and right.has("number", "energy") and not right.has("shard") and right.first == road.last


def _whole_way(atom: Atom) -> Atom:
    """A joined atom that holds the words between its parts too."""
    return replace(atom, data={**atom.data, "parts": ((atom.first, atom.last),)})


def _label(layout: Layout, atom: Atom) -> tuple[Span, int] | None:
    tokens = layout.tokens
    i = atom.last
    if i < len(tokens) and tokens[i].norm in {":", "-"}:
        i += 1
    if i >= len(tokens):
        return None
    if tokens[i].norm in {"«", '"', "“", "„", "'"}:
        closing = {"«": "»", "“": "”", "„": "“"}.get(tokens[i].norm, tokens[i].norm)
        for j in range(i + 1, min(len(tokens), i + 8)):
            if tokens[j].norm == closing or tokens[j].norm in {'"', "»", "”"}:
                return Span(tokens[i + 1].start, tokens[j - 1].end), j + 1
        return None
    if tokens[i].kind is Kind.WORD and layout.text[tokens[i].start].isupper():
        return Span(tokens[i].start, tokens[i].end), i + 1
    return None
