"""Self-repairs: «10 копейщиков, то есть 12», «барак в Кронвике… хотя нет, в Белом Броде», «8 лучников (нет, 6)».

Linguists call the parts reparandum, editing term and repair. A repair that is no order by itself but only names things of the
same kinds as the order before it takes their place there, before anything is joined or cut into orders: all games read it alike.
What is no such plain case is left to `discourse`, which asks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from parsers.alignment import aligned, broken_off, put_in_place, same
from parsers.atoms import Atom
from parsers.harmless import harmless
from parsers.reading_atoms import PREPOSITIONS
from parsers.russian import closed_class, words
from parsers.structure import Layout, Status, phrases, starts_with
from parsers.tokens import Kind

MOST = 4
"""A repair of more things is an order of its own."""
REACH = 12
"""So many atoms before an editing term are looked at."""
LEAD = 6
"""At most so many signs and fillers stand before the first word of an editing term."""
_BOUNDS = frozenset(",.…!?;:()-")
_CLOSE = ")"
_MATTERS = frozenset(words()["repair"]["more"])
"""Words with which something is denied or added: no plain repair."""


@lru_cache(maxsize=1)
def _opening_words() -> frozenset[str]:
    """The first words of all editing terms."""
    return frozenset(first for name in ("heads", "strong", "terms", "words") for first in phrases("repair", name))


def repaired(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """The atoms with what was corrected in the place of what was wrong. Tokens of the repair get `Status.REPAIR`."""
    out = list(atoms)
    opening = [i for i, token in enumerate(layout.tokens) if token.norm in _opening_words()]
    i = 0
    while i < len(layout.tokens):
        near = bisect_left(opening, i)
        if near == len(opening) or opening[near] - i > LEAD:
            i = opening[near] - LEAD if near < len(opening) else len(layout.tokens)
            continue
        heads = _head(layout, i)
        end = heads or (0 if _within_signs(layout, i) else _editing_term(layout, i))
        if not end:
            i += 1
            continue
        begin = i
        for last in _ends(layout, end, whole=bool(heads)):
            changed = _carried_out(layout, out, (i, end, last), far=bool(heads))
            if changed is None and not heads:
                begin, changed = _begun_again(layout, out, (i, end, last))
            if changed is not None:
                break
        if changed is not None and (again := _said_again(layout, out, end, last)):
            last = again
            changed = [a for a in changed if not end <= a.first < last]
        if changed is not None:
            out = changed
            own = {k for a in out if begin < a.last and a.first < last for k in range(a.first, a.last)}
            for k in range(begin, last):
                if k not in own and layout.status[k] is Status.LIVE:  # the full stop of «10 мон.» is a part of it
                    layout.status[k] = Status.REPAIR
                    # Its words have been heard: «нет», «не 10, а» deny nothing any more.
                    layout.tokens[k] = replace(layout.tokens[k], kind=Kind.SIGN, norm="")
            i = last
        else:
            i = end
    return out


def _head(layout: Layout, at: int) -> int:
    """The token behind a sign of correction at the head of a line («UPD: хранителей не пять, а шесть»); 0: none is here."""
    tokens, sentence = layout.tokens, layout.sentence_of[at]
    if sentence < 0 or layout.status[at] is not Status.LIVE or tokens[at].kind is not Kind.WORD:
        return 0
    opening = layout.sentences[sentence]
    if any(tokens[k].kind is Kind.WORD and layout.status[k] is Status.LIVE for k in range(opening.first, at)):
        return 0
    length = starts_with(tokens, at, opening.last, phrases("repair", "heads"))
    if not length:
        return 0
    end = at + length
    while end < opening.last and (
        tokens[end].kind is Kind.SIGN or starts_with(tokens, end, opening.last, phrases("repair", "fillers"))
    ):
        end += 1
    return end


def _within_signs(layout: Layout, at: int) -> bool:
    """True behind another sign of a run: an editing term here would have begun there."""
    if at == 0:
        return False
    pair = layout.tokens[at - 1 : at + 1]
    signs = all(t.kind is Kind.SIGN and t.norm in _BOUNDS and t.norm != _CLOSE for t in pair)
    return signs and layout.status[at - 1] is layout.status[at] is Status.LIVE


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
        elif signed and tokens[i].norm == "не" and i + 1 < len(tokens) and tokens[i + 1].norm == ",":
            length, plain = 1, True  # «3э… не, 4»
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


def _ends(layout: Layout, first: int, *, whole: bool) -> list[int]:
    """Where a repair may end: its sentence, or (not where the sentence is `whole` a correction) the clause."""
    tokens = layout.tokens
    out: list[int] = []
    i = first
    while i < len(tokens) and tokens[i].kind is not Kind.LINE and layout.sentence_of[i] == layout.sentence_of[first]:
        ends = (tokens[i].kind is Kind.SIGN and tokens[i].norm in _BOUNDS - {"-", "."}) or tokens[i].norm in {"и", "а", "но"}
        if (ends or (tokens[i].norm == "-" and not tokens[i].glued)) and not out:
            out.append(i)
        i += 1
    while i > first and tokens[i - 1].kind is Kind.SIGN and tokens[i - 1].norm in _BOUNDS - {_CLOSE}:
        i -= 1
    return [i] if whole or not out or out[0] >= i else [i, out[0]]


def _carried_out(layout: Layout, atoms: list[Atom], place: tuple[int, int, int], *, far: bool) -> list[Atom] | None:
    """The atoms with a repair put in the place of what was wrong. `place`: where the editing term begins, where the repair begins
    and ends. `far`: the wrong may stand anywhere before."""
    start, first, last = place
    begin, end = (bisect_left(atoms, at, key=lambda a: a.first) for at in (first, last))
    found = atoms[begin:end]
    if not 0 < len(found) <= MOST or any(_in_a_word(layout, a) for a in found):
        return None
    new, denied, spoken = _contrasted(layout, found)
    if not _plain(layout, found, first, last, spoken):
        return None
    before = bisect_left(atoms, start, key=lambda a: a.first)
    old = _live(layout, atoms[:before]) if far else _reparanda(layout, atoms[max(0, before - REACH) : before], start)
    lines = (lambda atom: layout.sentences[layout.sentence_of[atom.first]].line) if far else None
    pairs = aligned(old, new, denied, line_of=lines)
    if pairs is None or any(_refused(layout, wrong) for wrong, _ in pairs):
        return None
    if _answers(layout, start, first) and (
        _goes_on(layout, first, last) or not any(wrong is a for wrong, _ in pairs for a in old[-2:])
    ):
        return None
    put = {id(wrong): put_in_place(wrong, right, (start, last)) for wrong, right in pairs}
    return [put.get(id(a), a) for a in [*atoms[:begin], *atoms[end:]] if not start <= a.first < first]


def _begun_again(layout: Layout, atoms: list[Atom], place: tuple[int, int, int]) -> tuple[int, list[Atom] | None]:
    """«обстрел по левому… нет, по центральному авангарду», «6, нет, 8 копейщиков»: what was broken off is said anew and whole.
    Where the wrong begins, and the atoms without it; None where it isn't plain. `place` as in `_carried_out`."""
    start, first, last = place
    begin, end = (bisect_left(atoms, at, key=lambda a: a.first) for at in (first, last))
    new = atoms[begin:end]
    before = bisect_left(atoms, start, key=lambda a: a.first)
    old = _reparanda(layout, atoms[max(0, before - REACH) : before], start)
    size = broken_off(old, new)
    wrong = old[len(old) - size :]
    if not size or not 0 < len(new) <= MOST or any(_in_a_word(layout, a) for a in new) or _answers(layout, start, first):
        return start, None
    if wrong[-1].last != start or layout.sentence_of[wrong[0].first] != layout.sentence_of[first]:
        return start, None
    if not _plain(layout, new, first, last, set()) or any(_refused(layout, a) for a in wrong):
        return start, None
    right = replace(new[0], prep=new[0].prep or wrong[0].prep, cases=new[0].cases or wrong[0].cases)
    gone = {id(a) for a in wrong}
    left = [a for a in atoms[:begin] if id(a) not in gone and not start <= a.first < first]
    return wrong[0].first, [*left, right, *new[1:], *atoms[end:]]


def _answers(layout: Layout, start: int, first: int) -> bool:
    """«тыл — нет», «тыл: нет»: there is none of what stands before the sign, unless that itself is put right."""
    said = [t.norm for t in layout.tokens[start:first] if t.kind is Kind.WORD]
    return said == ["нет"] and layout.tokens[start].norm in {"-", ":"}


def _goes_on(layout: Layout, first: int, last: int) -> bool:
    """«тыл — нет, центр — …»: what seems to be the repair heads the next entry of a list."""
    return any(t.norm in {"-", ":"} for t in layout.tokens[first : last + 1])


def _refused(layout: Layout, atom: Atom) -> bool:
    """«Не буду голосовать за Дань, лучше за Изобилие»: what is refused isn't put right."""
    at = atom.first - 1
    while at >= 0 and layout.tokens[at].kind is Kind.WORD:
        if layout.tokens[at].norm == "не":
            return True
        at -= 1
    return False


def _contrasted(layout: Layout, found: Sequence[Atom]) -> tuple[list[Atom], dict[int, Atom], set[int]]:
    """«не в Кронвике, а в Броде», «в Броде, а не в Кронвике»: the right things, the wrong one by the index of the right one, and
    the tokens of «не»."""
    right: list[Atom] = []
    denied: dict[int, Atom] = {}
    spoken: set[int] = set()
    wrong: Atom | None = None
    for atom in found:
        no, but = (_word_before(layout, atom, word) for word in ("не", "а"))
        if no >= 0 and right and layout.tokens[no - 1].norm == "а" and right[-1].kinds & atom.kinds:
            denied[len(right) - 1] = atom
            spoken.add(no)
        elif no >= 0 and wrong is None:
            wrong = atom
            spoken.add(no)
        else:
            if wrong is not None and but >= 0 and wrong.kinds & atom.kinds:
                denied[len(right)] = wrong
                wrong = None
            right.append(atom)
    if wrong is not None:
        return list(found), {}, set()
    return right, denied, spoken


def _word_before(layout: Layout, atom: Atom, word: str) -> int:
    """The token right before an atom and its preposition, where it is this word; -1 where not."""
    at = atom.first - 1
    if at >= 0 and layout.tokens[at].norm in PREPOSITIONS:
        at -= 1
    return at if at >= 0 and layout.tokens[at].norm == word else -1


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
    told = bool(more) and all(any(same(a, b) for b in new) for a in more)
    return end if told and _plain(layout, more, start, end, set()) else 0


def _plain(layout: Layout, new: Sequence[Atom], first: int, last: int, spoken: set[int]) -> bool:
    """Nothing but the things themselves, prepositions and words that mean nothing. `spoken`: what was heard besides."""
    held = {i for a in new for i in a.tokens()}
    if any(a.kinds <= {"~correction"} or any(k.startswith("~") for k in a.kinds) for a in new):
        return False
    for i in range(first, last):
        token = layout.tokens[i]
        if layout.status[i] is not Status.LIVE:
            return False
        if i in held or i in spoken or token.kind is Kind.SIGN:
            continue
        if token.norm in _MATTERS or token.kind is Kind.NUMBER:
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
    return _live(layout, here)


def _live(layout: Layout, atoms: Sequence[Atom]) -> list[Atom]:
    return [a for a in atoms if not _in_a_word(layout, a) and all(layout.status[i] is Status.LIVE for i in a.tokens())]


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
