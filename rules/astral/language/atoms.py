"""Joins atoms that only together mean something in this game: «1-я атака», «1 на дорогу», «группа Клык», «Пехота-2»."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import Recognised, between, joined
from parsers.structure import Layout, Status
from parsers.tokens import Kind, Token
from parsers.types import Span
from rules.astral.view import View

_BEFORE_ALL = frozenset({"на", "против", "от", "для", "при"})
_POSITION_WORDS = frozenset({"иду", "я", "хожу", "пойду", "бью", "буду", "иди", "пойдем", "атакую"})


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

    def __call__(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        atoms = [_whole(atom) for atom in atoms]
        for step in (
            self._numbered_names,
            self._own_name,
            self._attack_numbers,
            self._roads,
            self._levels,
            self._groups,
            self._outers,
        ):
            atoms = step(layout, atoms)
        return atoms

    def _numbered_names(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«012.Склеп Отличников», «Склеп Отличников (012)»: one shard named twice."""
        out: list[Atom] = []
        for atom in atoms:
            if out and out[-1].has("shard") and atom.has("shard") and len(between(layout, out[-1], atom)) <= 2:
                left, right = out[-1].all("shard"), atom.all("shard")
                shared = [s for s in left if any(s.value == r.value for r in right)]
                numbered = any(c.isdigit() for c in out[-1].text + atom.text)
                gap = set(between(layout, out[-1], atom))
                if gap <= {".", "(", "-", ",", "«", "№"} and (shared or numbered):
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

    def _attack_numbers(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«первая атака», «1 и 2 атаки», «на все», «на остальные», «резерв-1»."""
        out: list[Atom] = []
        i = 0
        while i < len(atoms):
            atom = atoms[i]
            following = atoms[i + 1] if i + 1 < len(atoms) else None
            gap = between(layout, atom, following) if following is not None else ["?"]
            if atom.has("ordinal", "number") and not atom.has("shard"):
                group = [atom]
                j = i
                while (
                    j + 1 < len(atoms)
                    and atoms[j + 1].has("ordinal", "number")
                    and between(layout, atoms[j], atoms[j + 1]) in (["и"], [","], ["-"])
                ):
                    j += 1
                    group.append(atoms[j])
                if (
                    j + 1 < len(atoms)
                    and atoms[j + 1].has("attack")
                    and _noun(atoms[j + 1])
                    and between(layout, atoms[j], atoms[j + 1]) in ([], ["-"], ["по"])
                ):
                    numbers = [a for a in group if a.has("ordinal")] if not atom.has("number") or len(group) == 1 else group
                    if atom.has("ordinal") or atom.has("number"):
                        values = tuple(int(a.senses[0].value) for a in (numbers or group))
                        whole = [*group, atoms[j + 1]]
                        out.append(joined(layout, whole, Sense("attack_no", values)))
                        i = j + 2
                        continue
                if atom.has("ordinal"):
                    value = atom.get("ordinal")
                    assert value is not None
                    position = self._position(layout, atom)
                    if out and out[-1].has("reserve") and atom.has("number"):
                        position = False
                    senses = (*atom.senses, Sense("ordinal_no", (value.value,)))
                    out.append(replace(atom, senses=(Sense("position", value.value),) if position else senses))
                    i += 1
                    continue
                if self._bare_number(layout, out, atom, following):
                    out.append(replace(atom, senses=(Sense("attack_no", (int(atom.senses[0].value),)),)))
                    i += 1
                    continue
            if (
                atom.has("attack")
                and _noun(atom)
                and following is not None
                and following.has("number", "shard", "shard_unknown")
                and gap in ([], ["№"])
                and following.text.lstrip("№").isdigit()
                and len(following.text.lstrip("№")) <= 1
            ):
                out.append(joined(layout, [atom, following], Sense("attack_no", (int(following.text.lstrip("№")),))))
                i += 2
                continue
            if atom.has("~all", "~rest"):
                if following is not None and following.has("attack") and _noun(following) and gap == []:
                    out.append(joined(layout, [atom, following], Sense("attack_no", "all")))
                    i += 2
                    continue
                here = layout.sentence_of[atom.first]
                tactical = any(a.has("tactic") and layout.sentence_of[a.first] == here for a in out[-3:])
                if atom.prep in _BEFORE_ALL or (atom.has("~rest") and tactical):
                    senses = (Sense("ordinal_no", "all"), *atom.senses)
                    out.append(replace(atom, senses=senses))
                    i += 1
                    continue
            out.append(atom)
            i += 1
        return out

    def _bare_number(self, layout: Layout, before: list[Atom], atom: Atom, following: Atom | None) -> bool:
        """«резерв 1 - 3э», «резерв-1: 2э», «Тактика 2: …», «рез 1-2э, 2-2э»: the number of an attack."""
        value = atom.senses[0].value
        if atom.senses[0].kind != "number" or not isinstance(value, int) or not 0 <= value <= 9 or not before:
            return False
        if before[-1].has("reserve") and len(before) > 1 and before[-2].has("energy") and not between(layout, before[-1], atom):
            return True  # «2э резерв 1»
        if following is None:
            return False
        amount = following.has("number", "energy", "troop", "magic", "attack_no")
        if before[-1].has("reserve", "tactic") and amount:
            return set(between(layout, before[-1], atom)) <= {"-", "№", "на"}
        here = layout.sentence_of[atom.first]
        chain = any(a.has("reserve") and layout.sentence_of[a.first] == here for a in before[-6:])
        return chain and following.has("energy", "number") and between(layout, atom, following) == ["-"]

    def _position(self, layout: Layout, atom: Atom) -> bool:
        words = [t.norm for t in layout.tokens[max(0, atom.first - 2) : atom.first]]
        return atom.text.lower().endswith(("ым", "им", "ьим")) or (bool(words) and words[-1] in _POSITION_WORDS)

    def _roads(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«1 на дорогу», «(2 перемещ.)», «путь 3», «перемещение 0 э.»: the price of the way, which the rules count themselves."""
        out: list[Atom] = []
        i = 0
        while i < len(atoms):
            atom = atoms[i]
            if atom.has("road"):
                left = out[-1] if out else None
                right = atoms[i + 1] if i + 1 < len(atoms) else None
                before = between(layout, left, atom) if left is not None and left.has("number", "energy") else None
                after = between(layout, atom, right) if right is not None and right.has("number", "energy") else None
                near = (
                    left is not None
                    and len(layout.text[left.span.end : atom.span.start]) <= 5
                    and "  " not in layout.text[left.span.end : atom.span.start]
                )
                if (
                    near
                    and before is not None
                    and [w for w in before if w != "."] in ([], ["на"], ["за"], ["в"])
                    and left is not None
                ):
                    out[-1] = joined(layout, [left, atom], Sense("move", left.senses[0].value))
                elif (
                    after is not None
                    and right is not None
                    and [w for w in after if w not in ":=-."] in ([], ["за"], ["на"], ["стоит"])
                ):
                    out.append(joined(layout, [atom, right], Sense("move", right.senses[0].value)))
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
                    and not set(between(layout, following, third)) & {",", "и", ";", "/", "+", "-"}
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
    return atom


def _noun(atom: Atom) -> bool:
    text = atom.text.lower()
    return text.startswith(("атак", "напад", "нашеств", "штурм", "удар", "набег"))


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
