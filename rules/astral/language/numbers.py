"""Which attack on one's world a number means: «первая атака», «1 и 2 атаки», «на все», «первые три», «резерв-1»."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.context import Context
from parsers.frames import Filled, Match
from parsers.reading_atoms import between, joined
from parsers.structure import Layout
from rules.astral.language.names import beside, with_words_before

MOST = 9
"""No world is attacked more often than that in one turn."""


def attack_numbers(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """Joins ordinals and numbers with the attacks that they count, or makes them such numbers beside a reserve or a tactic."""
    out: list[Atom] = []
    i = 0
    while i < len(atoms):
        made, taken = _whole(layout, atoms, i) or _number(layout, out, atoms, i) or _all(layout, out, atoms, i) or (atoms[i], 1)
        out.append(made)
        i += taken
    return [a for a in out if not a.kinds <= {"blow"}]


Made = tuple[Atom, int]
"""An atom and how many it takes the place of."""


def _whole(layout: Layout, atoms: Sequence[Atom], i: int) -> Made | None:
    """A number or several with the noun that they count."""
    atom = atoms[i]
    if atom.has("~all", "~rest"):
        following = atoms[i + 1] if i + 1 < len(atoms) else None
        if atom.has("~all") and following is not None and following.has("~rest") and not between(layout, atom, following):
            third = atoms[i + 2] if i + 2 < len(atoms) else None  # «от всех остальных (атак)»
            if third is not None and _counted(layout, third) and not between(layout, following, third):
                return joined(layout, [atom, following, third], Sense("attack_no", "all")), 3
            if atom.prep in beside("against"):
                return joined(layout, [atom, following], Sense("ordinal_no", "all")), 2
        if following is not None and _counted(layout, following) and not between(layout, atom, following):
            return joined(layout, [atom, following], Sense("attack_no", "all")), 2
        return None
    if _counted(layout, atom):
        return _noun_first(layout, atoms, i)
    if not atom.has("ordinal", "number") or atom.has("shard"):
        return None
    group = [atom]
    j = i
    while j + 1 < len(atoms) and atoms[j + 1].has("ordinal", "number") and not atoms[j + 1].has("shard"):
        gap = between(layout, atoms[j], atoms[j + 1])
        through = gap == ["по"] and atom.prep in {"с", "со"}
        first_few = not gap and atoms[j].has("ordinal") and atoms[j].senses[0].value == 1 and atoms[j + 1].has("number")
        again = bool(atom.prep) and gap in (["и", atom.prep], [",", atom.prep])  # «на первую и на вторую атаку»
        if gap not in (["и"], [","], ["-"], [",", "и"]) and not through and not first_few and not again:
            break
        j += 1
        group.append(atoms[j])
        if through or first_few:
            last = int(group[-1].senses[0].value)
            first = int(group[-2].senses[0].value)
            if not first <= last <= MOST:
                return None
            values = tuple(range(first, last + 1))
            noun = atoms[j + 1] if j + 1 < len(atoms) else None
            if noun is not None and _counted(layout, noun) and not between(layout, atoms[j], noun):
                group.append(noun)
            elif first_few:
                return None
            return joined(layout, group, Sense("attack_no", values)), len(group)
    noun = atoms[j + 1] if j + 1 < len(atoms) else None
    if noun is None or not _counted(layout, noun) or between(layout, atoms[j], noun) not in ([], ["-"], ["по"], ["-", "я"]):
        return None
    before = layout.tokens[atom.first - 1].norm if atom.first else ""
    if before in beside("both") and len(group) == 1 and atom.senses[0].value == 1:
        return with_words_before(layout, joined(layout, [atom, noun], Sense("attack_no", (1, 2))), 1), 2
    if before in beside("minus"):
        return with_words_before(layout, joined(layout, [*group, noun], Sense("attack_no", (-1,))), 1), len(group) + 1
    numbers = [a for a in group if a.has("ordinal")] if not atom.has("number") or len(group) == 1 else group
    values = tuple(int(a.senses[0].value) for a in (numbers or group))
    if len(values) == 2 and between(layout, group[0], group[-1]) == ["-"] and values[0] < values[1] <= MOST:
        values = tuple(range(values[0], values[1] + 1))
    if "blow" in noun.kinds and not atom.has("ordinal"):
        return None  # «2 раза»
    return joined(layout, [*group, noun], Sense("attack_no", values)), len(group) + 1


def _noun_first(layout: Layout, atoms: Sequence[Atom], i: int) -> Made | None:
    """«атака 1», «атака №2»; «любая атака», «обе атаки»."""
    atom = atoms[i]
    before = layout.tokens[atom.first - 1].norm if atom.first else ""
    if before in beside("any"):
        return with_words_before(layout, replace(atom, senses=(Sense("attack_no", "all"),)), 1), 1
    if before in beside("both"):
        return with_words_before(layout, replace(atom, senses=(Sense("attack_no", (1, 2)),)), 1), 1
    group: list[Atom] = [atom]
    values: list[int] = []
    for following in atoms[i + 1 : i + 1 + MOST]:
        gap = between(layout, group[-1], following)
        value = _listed(following, first=not values)
        if value is None or gap not in (([], ["№"]) if not values else (["и"], [","], [",", "и"], ["-"], ["и", "№"])):
            break
        if gap == ["-"] and following.has("number") and not values[-1] < value:
            break
        values.extend(range(values[-1] + 1, value + 1) if gap == ["-"] else [value])
        group.append(following)
    if not values or "blow" in atom.kinds:
        return None
    return joined(layout, group, Sense("attack_no", tuple(values))), len(group)


def _listed(atom: Atom, *, first: bool) -> int | None:
    """The number of an attack behind its noun: «атака 1», «атака №2», «атака первая»; «атака вторым» is a place in a group."""
    if atom.has("ordinal") and first:
        value = atom.get("ordinal")
        feminine = atom.text.lower().endswith(("ая", "ую", "ой", "ья", "ью", "ьей", "ых"))
        return int(value.value) if value is not None and feminine else None
    digits = atom.text.lstrip("№ ")
    if atom.has("number", "shard", "shard_unknown") and digits.isdigit() and len(digits) == 1:
        return int(digits)
    return None


def _number(layout: Layout, before: Sequence[Atom], atoms: Sequence[Atom], i: int) -> Made | None:
    """A number without a noun: an ordinal may count attacks; beside a reserve or a tactic a plain number does."""
    atom = atoms[i]
    following = atoms[i + 1] if i + 1 < len(atoms) else None
    if atom.has("shard", "shard_unknown") and atom.text.startswith("№") and before and before[-1].has("reserve", "tactic"):
        digits = atom.text.lstrip("№ ")
        if digits.isdigit() and len(digits) == 1 and before[-1].last == atom.first:
            return replace(atom, senses=(Sense("attack_no", (int(digits),)),)), 1
    if not atom.has("ordinal", "number") or atom.has("shard"):
        return None
    if atom.has("ordinal"):
        value = atom.get("ordinal")
        assert value is not None
        position = _position(layout, atom)
        if before and before[-1].has("reserve") and atom.has("number"):
            position = False
        senses = (*atom.senses, Sense("ordinal_no", (value.value,)))
        several = None if position else _several(layout, atoms, i)
        return several or (replace(atom, senses=(Sense("position", value.value),) if position else senses), 1)
    if _told_before(layout, before, atom):
        several = _several(layout, atoms, i)
        return several or (replace(atom, senses=(Sense("attack_no", (int(atom.senses[0].value),)),)), 1)
    if _bare_number(layout, before, atom, following):
        return replace(atom, senses=(Sense("attack_no", (int(atom.senses[0].value),)),)), 1
    return None


def _several(layout: Layout, atoms: Sequence[Atom], i: int) -> Made | None:
    """«(в резерв) на первую и вторую», «на 1 и на 2»: several without a noun."""
    atom = atoms[i]
    group = [atom]
    if atom.prep not in beside("against"):
        return None
    for following in atoms[i + 1 : i + MOST]:
        gap = between(layout, group[-1], following)
        alike = following.has("ordinal") if atom.has("ordinal") else following.has("number")
        if not alike or following.has("shard") or gap not in (["и"], ["и", atom.prep], [","], [",", atom.prep]):
            break
        if gap[0] == "," and atom.prep not in gap and not atom.has("ordinal"):
            break
        group.append(following)
    if len(group) < 2:
        return None
    values = tuple(int(a.senses[0].value) for a in group)
    kind = "ordinal_no" if atom.has("ordinal") else "attack_no"
    return joined(layout, group, Sense(kind, values)), len(group)


def _told_before(layout: Layout, before: Sequence[Atom], atom: Atom) -> bool:
    """«резерв по 3э на 1 и на 2»: behind a reserve and its energy, numbers with «на» count attacks."""
    value = atom.senses[0].value
    if (
        atom.senses[0].kind != "number"
        or not isinstance(value, int)
        or not 0 <= value <= MOST
        or atom.prep not in beside("against")
    ):
        return False
    here = [a for a in before[-3:] if layout.sentence_of[a.first] == layout.sentence_of[atom.first]]
    return len(here) > 1 and here[-1].has("energy") and here[-2].has("reserve")


def _all(layout: Layout, before: Sequence[Atom], atoms: Sequence[Atom], i: int) -> Made | None:
    """«на все», «на остальные», without a noun."""
    atom = atoms[i]
    if not atom.has("~all", "~rest"):
        return None
    here = layout.sentence_of[atom.first]
    tactical = any(a.has("tactic") and layout.sentence_of[a.first] == here for a in before[-3:])
    if atom.prep in beside("against") or (atom.has("~rest") and tactical):
        return replace(atom, senses=(Sense("ordinal_no", "all"), *atom.senses)), 1
    return None


def _bare_number(layout: Layout, before: Sequence[Atom], atom: Atom, following: Atom | None) -> bool:
    """«резерв 1 - 3э», «резерв-1: 2э», «Тактика 2: …», «рез 1-2э, 2-2э»: the number of an attack."""
    value = atom.senses[0].value
    if atom.senses[0].kind != "number" or not isinstance(value, int) or not 0 <= value <= MOST or not before:
        return False
    if before[-1].has("reserve") and len(before) > 1 and before[-2].has("energy") and not between(layout, before[-1], atom):
        return True  # «2э резерв 1»
    if following is None:
        return False
    amount = following.has("number", "energy", "troop", "magic", "attack_no", "~same", "~reverse")
    near = set(between(layout, before[-1], atom)) <= {"-", "№"}
    if before[-1].has("defence") and following.has("troop", "magic", "~same", "~reverse") and near:
        return True  # «деф 1: пех 60 …», «деф-2: те же доли»
    if before[-1].has("reserve", "tactic") and amount:
        return set(between(layout, before[-1], atom)) <= {"-", "№", "на"}
    chain = any(a.has("reserve") and _line(layout, a) == _line(layout, atom) for a in before[-9:])
    return chain and following.has("energy", "number") and between(layout, atom, following) == ["-"]


def _line(layout: Layout, atom: Atom) -> int:
    return layout.sentences[layout.sentence_of[atom.first]].line


def _position(layout: Layout, atom: Atom) -> bool:
    words = [t.norm for t in layout.tokens[max(0, atom.first - 2) : atom.first]]
    if atom.text.lower().endswith(("ым", "им", "ьим")) or (bool(words) and words[-1] in beside("place")):
        return True
    around = {*words, *(t.norm for t in layout.tokens[atom.last : atom.last + 2])}
    return bool(around & beside("queue"))  # «в очереди второй», «мой номер третий», «первый в строю»


def _counted(layout: Layout, atom: Atom) -> bool:
    """True for a noun that says «attack»; «раз», «враг» only where a defence is spoken of."""
    if atom.has("blow"):
        return True
    del layout
    return atom.has("attack") and atom.text.lower().replace("ё", "е").startswith(tuple(beside("blows")))


def headed(match: Match, context: Context) -> Filled | None:
    """«Первая атака: резерв 3э, тактика …»: the attack that heads the sentence of an order without number."""
    inside = context.by_sentence.get(match.sentence, [])
    head = inside[0] if inside else None
    if head is None or head.first >= match.first or not head.has("attack_no", "ordinal_no"):
        return None
    tokens = context.layout.tokens
    if head.last >= len(tokens) or tokens[head.last].norm not in {":", "-"}:
        return None
    senses = tuple(head.all("attack_no", "ordinal_no"))
    return Filled(head, senses[:1])
