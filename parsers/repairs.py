"""Self-repairs: «10 копейщиков, то есть 12», «барак в Кронвике… хотя нет, в Белом Броде», «8 лучников (нет, 6)».

Linguists call the parts reparandum, editing term and repair. A repair that is no order by itself but only names things of the
same kinds as the order before it takes their place there, before anything is joined or cut into orders: all games read it alike.
What is no such plain case is left to `discourse`, which asks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.coverage import harmless
from parsers.reading_atoms import PREPOSITIONS
from parsers.russian import closed_class
from parsers.structure import Layout, Status, phrases, starts_with
from parsers.tokens import Kind

MOST = 4
"""A repair of more things is an order of its own."""
REACH = 12
"""So many atoms before an editing term are looked at."""
_BOUNDS = frozenset(",.…!?;:()-")
_OPEN, _CLOSE = "(", ")"


def repaired(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """The atoms with what was corrected in the place of what was wrong. Tokens of the repair get `Status.REPAIR`."""
    out = list(atoms)
    i = 0
    while i < len(layout.tokens):
        end = _editing_term(layout, i)
        if not end:
            i += 1
            continue
        last = _end_of_repair(layout, end)
        changed = _carried_out(layout, out, i, end, last)
        if changed is not None and (again := _said_again(layout, out, end, last)):
            last = again
            changed = [a for a in changed if not end <= a.first < last]
        if changed is not None:
            out = changed
            own = {k for a in out if i < a.last and a.first < last for k in range(a.first, a.last)}
            for k in range(i, last):
                if k not in own and layout.status[k] is Status.LIVE:  # the full stop of «10 мон.» is a part of it
                    layout.status[k] = Status.REPAIR
                    # Its words have been heard: «нет», «не 10, а» deny nothing any more.
                    layout.tokens[k] = replace(layout.tokens[k], kind=Kind.SIGN, norm="")
            i = last
        else:
            i = end
    return out


def _editing_term(layout: Layout, at: int) -> int:
    """The token behind an editing term that begins here with its signs and fillers; 0: none does."""
    tokens = layout.tokens
    if layout.status[at] is not Status.LIVE:
        return 0
    i, signed, plain, strong = at, False, False, False
    while i < len(tokens) and layout.status[i] is Status.LIVE and tokens[i].kind is not Kind.LINE:
        if tokens[i].kind is Kind.SIGN:
            if tokens[i].norm not in _BOUNDS or tokens[i].norm == _CLOSE:
                break
            signed = True
            i += 1
            continue
        length = starts_with(tokens, i, len(tokens), phrases("repair", "strong"))
        if length:
            strong = True
        elif signed and (length := starts_with(tokens, i, len(tokens), phrases("repair", "terms"))):
            plain = True
        elif (signed or strong) and (length := starts_with(tokens, i, len(tokens), phrases("repair", "words"))):
            if not (plain or strong) and not _marked_off(layout, i + length):
                return 0
            plain = True
        elif not (signed or strong) or not (length := starts_with(tokens, i, len(tokens), phrases("repair", "fillers"))):
            break
        i += length
    return i if plain or strong else 0


def _marked_off(layout: Layout, at: int) -> bool:
    """«Нет», «лучше» mean other things too: as editing terms they have a sign, a preposition or another term behind them."""
    tokens, last = layout.tokens, len(layout.tokens)
    if at >= last or tokens[at].kind is not Kind.WORD:
        return at < last and tokens[at].kind is Kind.SIGN
    lists = ("terms", "strong", "words")
    return tokens[at].norm in PREPOSITIONS or any(starts_with(tokens, at, last, phrases("repair", name)) for name in lists)


def _end_of_repair(layout: Layout, first: int) -> int:
    tokens = layout.tokens
    i = first
    while i < len(tokens) and tokens[i].kind is not Kind.LINE:
        if (tokens[i].kind is Kind.SIGN and tokens[i].norm in _BOUNDS - {"-", "."}) or tokens[i].norm in {"и", "а", "но"}:
            break
        if tokens[i].norm == "." and i + 1 < len(tokens) and layout.sentence_of[i + 1] != layout.sentence_of[i]:
            break
        if tokens[i].norm == "-" and not tokens[i].glued:
            break
        i += 1
    return i


def _carried_out(layout: Layout, atoms: list[Atom], start: int, first: int, last: int) -> list[Atom] | None:
    """The atoms with the repair `first <= i < last` put in the place of what stands before the editing term at `start`."""
    begin, end = (bisect_left(atoms, at, key=lambda a: a.first) for at in (first, last))
    new = atoms[begin:end]
    if not 0 < len(new) <= MOST or any(_in_a_word(layout, a) for a in new) or not _plain(layout, new, first, last):
        return None
    before = bisect_left(atoms, start, key=lambda a: a.first)
    old = _reparanda(layout, atoms[max(0, before - REACH) : before], start)
    pairs = _aligned(old, new)
    if pairs is None:
        return None
    whole = [(start, last)]
    put = {
        id(wrong): replace(
            wrong,
            senses=_in_place_of(wrong, right),
            cases=right.cases or wrong.cases,
            prep=right.prep or wrong.prep,
            data={**right.data, **wrong.data, **_sign(right), "parts": (*wrong.parts, *whole), "repair": True},
        )
        for wrong, right in pairs
    }
    return [put.get(id(a), a) for a in [*atoms[:begin], *atoms[end:]] if not start <= a.first < first]


def _said_again(layout: Layout, atoms: Sequence[Atom], first: int, last: int) -> int:
    """«… Нет, рыцарей. Рыцарей, точно»: the end of the next sentence where it only says the repair once more; 0 where not."""
    start = last
    while start < len(layout.tokens) and layout.tokens[start].kind is Kind.SIGN:
        start += 1
    if start >= len(layout.tokens) or layout.sentence_of[start] < 0 or layout.sentence_of[start] == layout.sentence_of[first]:
        return 0
    end = layout.sentences[layout.sentence_of[start]].last
    new, more = ([a for a in atoms if f <= a.first < e] for f, e in ((first, last), (start, end)))
    more = [a for a in more if not all(harmless(layout.tokens[i].norm) for i in a.tokens())]  # «точно»
    told = bool(more) and all(any(_same(a, b) for b in new) for a in more)
    return end if told and _plain(layout, more, start, end) else 0


def _plain(layout: Layout, new: Sequence[Atom], first: int, last: int) -> bool:
    """Nothing but the things themselves, prepositions and words that mean nothing."""
    held = {i for a in new for i in a.tokens()}
    if any(a.kinds <= {"~correction"} or any(k.startswith("~") for k in a.kinds) for a in new):
        return False
    for i in range(first, last):
        token = layout.tokens[i]
        if layout.status[i] is not Status.LIVE:
            return False
        if i in held or token.kind is Kind.SIGN:
            continue
        if token.norm in {"не", "ни", "без"} or token.kind is Kind.NUMBER:
            return False
        if token.norm not in closed_class() and token.norm not in PREPOSITIONS and not harmless(token.norm):
            return False
    return True


def _reparanda(layout: Layout, before: Sequence[Atom], start: int) -> list[Atom]:
    """What may be wrong: the atoms of the same sentence, or of the one before where the editing term opens its own."""
    sentence = _sentence(layout, start)
    here = [a for a in before if layout.sentence_of[a.first] == sentence]
    if not here:
        line = layout.sentences[sentence].line
        here = [a for a in before if layout.sentence_of[a.first] == sentence - 1 and layout.sentences[sentence - 1].line == line]
    return [a for a in here if not _in_a_word(layout, a) and all(layout.status[i] is Status.LIVE for i in a.tokens())]


def _in_a_word(layout: Layout, atom: Atom) -> bool:
    """A bare number that is a part of something written in one («В10»)."""
    tokens = layout.tokens
    before = tokens[atom.first].glued and atom.first > 0 and tokens[atom.first - 1].kind is Kind.WORD
    behind = atom.last < len(tokens) and tokens[atom.last].glued and tokens[atom.last].kind is Kind.WORD
    return atom.kinds <= {"number"} and (before or behind)


def _sentence(layout: Layout, at: int) -> int:
    while layout.sentence_of[at] < 0:
        at += 1
    return layout.sentence_of[at]


def _aligned(old: Sequence[Atom], new: Sequence[Atom]) -> list[tuple[Atom, Atom]] | None:
    """Each right thing with the wrong one it replaces; None where it isn't plain."""
    anchors = [n for n, a in enumerate(old) if any(_same(a, b) for b in new)] if len(new) > 1 else []
    near = list(range(len(old) - 1, -1, -1))
    pairs: list[tuple[Atom, Atom]] = []
    used: set[int] = set()
    for right in sorted(new, key=lambda a: not any(_same(a, b) for b in old)):
        fitting = [n for n in near if n not in used and _alike(old[n], right)]
        if not fitting:
            return None
        if anchors:  # «10 копейщиков и 4 лучника, нет, 6 копейщиков»: beside the thing that is named again, on the same side
            at, held = anchors[-1], next(n for n, b in enumerate(new) if _same(old[anchors[-1]], b))
            left = new.index(right) < held
            fitting.sort(key=lambda n: (not _same(old[n], right), abs(n - at), (n > at) is left))
        elif len(new) == 1 and len(fitting) > 1 and fitting[0] != len(old) - 1:
            return None  # two things of the kind, and neither stands right before the correction
        used.add(fitting[0])
        pairs.append((old[fitting[0]], right))
    return pairs if any(not _same(*p) for p in pairs) else None


def _values(atom: Atom) -> set[tuple[str, str]]:
    return {(s.kind, repr(s.value)) for s in atom.senses}


def _same(left: Atom, right: Atom) -> bool:
    return left.kinds == right.kinds and bool(_values(left) & _values(right))


def _alike(wrong: Atom, right: Atom) -> bool:
    shared = {k for k in wrong.kinds & right.kinds if not k.startswith("~")}
    if any(k != v for k in shared for s in right.all(k) for v in (s.value,)):
        return True
    return right.kinds <= {"number"} and isinstance(wrong.senses[0].value, int)


def _in_place_of(wrong: Atom, right: Atom) -> tuple[Sense, ...]:
    if right.kinds & wrong.kinds:
        return right.senses
    value = right.senses[0].value
    return tuple(replace(s, value=value) for s in wrong.senses if isinstance(s.value, int))


def _sign(number: Atom) -> dict[str, object]:
    return {key: number.data.get(key) if key == "negative" else None for key in ("negative", "old") if key in number.data}
