"""What a clause takes back or puts right within itself: «строить не буду», «повысить некуда», «не Д5, а Г5»."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from parsers.atoms import Atom, Sense, within
from parsers.russian import Verb, info
from parsers.structure import Layout, clauses, phrases
from parsers.tokens import Kind
from parsers.types import Span
from rules.grand_strategy.language.names import is_noun, tables
from rules.grand_strategy.language.way_joins import follows

_DEEDS = ("go", "attack", "build", "hire", "siege", "disband", "upgrade", "downgrade", "deepen", "give", "forge", "annex")
_MODALS = frozenset(tables()["path"]["refusals"])
_ENOUGH = frozenset(tables()["impossible"]["enough"])
_UNDOABLE = frozenset(tables()["impossible"]["words"]) | _ENOUGH


def denied(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«рудник строить не буду», «не буду строить крепость», «улучшений не надо»: a refusal takes the deed and its clause with it;
    so does «некуда»."""
    tokens = layout.tokens
    out = _impossible(layout, atoms)
    of_sentence: dict[int, list[int]] = {}
    for n, a in enumerate(out):
        of_sentence.setdefault(layout.sentence_of[a.first], []).append(n)
    earlier = _Named(out)
    for index, sentence in enumerate(layout.sentences):
        inside = of_sentence.get(index, [])
        for first, last in clauses(layout, sentence):
            here = [n for n in inside if first <= out[n].first < last]
            refusal = next((i for i in range(first, last - 1) if tokens[i].norm == "не" and tokens[i + 1].norm in _MODALS), None)
            if refusal is None and not earlier.named_before(here):
                words = (i for i in range(first, last) if tokens[i].kind is Kind.WORD)
                refusal = next((i for i in words if info(tokens[i].norm).lemmas & _DROPPED), None)
            back = any(out[n].has("~withdraw", "drop") and tokens[out[n].first].norm != "не" for n in here)
            back = back and not _kept_up([out[n] for n in here])
            if refusal is None and _not_hired([out[n] for n in here]):
                refusal = first  # «рыцарей в столицу не берём»
            if (
                refusal is None
                or back
                or any(out[n].has(*_ANSWERED) for n in here)
                or _declined([out[n] for n in here])
                or not _called_off(layout, [out[n] for n in here])
            ):
                continue
            for n in here:
                out[n] = replace(out[n], negated=True)
    return out


_DROPPED = frozenset(tables()["impossible"]["dropped"])


class _Named:
    """What the atoms of a post name, asked from its beginning on."""

    def __init__(self, atoms: Sequence[Atom]) -> None:
        self._atoms = atoms
        self._seen: set[tuple[str, str]] = set()
        self._until = 0

    def named_before(self, here: Sequence[int]) -> bool:
        """True where something of a clause was named before it: «передумал нанимать гномов» takes back an order."""
        if not here:
            return False
        for a in self._atoms[self._until : here[0]]:
            self._seen.update((s.kind, repr(s.value)) for s in a.senses if s.kind in _NAMED)
        self._until = max(self._until, here[0])
        return any((s.kind, repr(s.value)) in self._seen for n in here for s in self._atoms[n].senses if s.kind in _NAMED)


def _kept_up(here: Sequence[Atom]) -> bool:
    """«Снимать осаду не буду»: a siege that goes on."""
    return any(a.has("lift") and a.verb is Verb.INFINITIVE for a in here) and any(a.has("siege") for a in here)


def _declined(here: Sequence[Atom]) -> bool:
    """«Вместе с Гхашем биться отказываюсь»: an answer to an ally, where nobody is named to be fought; «больше осаждать не будем»
    lifts."""
    if any(a.has("siege") and a.has("lift") for a in here):
        return True
    return any(a.has("ally") for a in here) and not any(a.has("unit", "utype", "house", "btype", "cell") for a in here)


_ANSWERED = ("service", "swear", "together", "defend_together", "apart", "smuta", "not_fight", "pass_over", "default", "pass")
"""Where a refusal is an answer, and no denial of a deed."""


def _not_hired(here: Sequence[Atom]) -> bool:
    denied_ = any(a.has("no_capture", "refuse") and a.text.lower().startswith("не ") for a in here)
    return denied_ and any(a.has("utype") for a in here) and any(a.has("house", "btype") for a in here)


def _called_off(layout: Layout, here: list[Atom]) -> bool:
    """True where a deed is named that nobody does: in the infinitive, or as a noun."""
    if _not_hired(here):
        return True
    deeds = [a for a in here if a.has(*_DEEDS)]
    done = any(a.verb in (Verb.ORDER, Verb.IMPERATIVE, Verb.THIRD) and not a.has("refuse") for a in deeds)
    named = [
        a
        for a in deeds
        if a.verb is Verb.INFINITIVE or (a.verb is Verb.NONE and a.cases and is_noun(layout.tokens[a.first].norm))
    ]
    return bool(named) and not done


def supposed(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Случись смута, пусть Радомир наследует всё разом», «на случай смуты: …»: the first смута only says when."""
    out: list[Atom] = []
    for n, here in enumerate(atoms):
        if not here.has("smuta"):
            out.append(here)
            continue
        index = layout.sentence_of[here.first]
        more = any(a.has("smuta", "at_once") and layout.sentence_of[a.first] == index for a in atoms[n + 1 :])
        before = {t.norm for t in layout.tokens[max(layout.sentences[index].first, here.first - 3) : here.first]}
        if not (here.verb is Verb.NONE and more and before & _SUPPOSING):
            out.append(here)
    return out


_SUPPOSING = frozenset(tables()["supposing"]["words"])


def meanwhile(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Гномов в Трон, пока стража гуляет»: a clause that only tells what goes on orders nothing."""
    tokens = layout.tokens
    out = list(atoms)
    for sentence in layout.sentences:
        for first, last in clauses(layout, sentence):
            if tokens[first].norm not in _WHILE or sentence.first == first:
                continue
            verbs = [info(tokens[i].norm).verb for i in range(first + 1, last) if tokens[i].kind is Kind.WORD]
            if Verb.THIRD in verbs and not {Verb.ORDER, Verb.INFINITIVE, Verb.IMPERATIVE} & set(verbs):
                out = [replace(a, negated=True) if first <= a.first < last else a for a in out]
    return out


_WHILE = frozenset(tables()["supposing"]["meanwhile"])


def refused(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«На службу к Гхашу не иду, к Торгриму тоже не пойду», «не бывать мне вассалом»: what is denied of service is a refusal,
    what is denied of a common battle or wall sets apart; so it is in the clauses behind that go on."""
    tokens = layout.tokens
    out = list(atoms)
    for index, sentence in enumerate(layout.sentences):
        before = ""
        for first, last in clauses(layout, sentence):
            here = list(within(atoms, first, last))
            kind = _denied_kind(here, before)
            before = ""
            if not kind:
                continue
            for i in range(first, last - 1):
                known = any(a.first <= i < a.last for a in out if layout.sentence_of[a.first] == index)
                own = info(tokens[i + 1].norm).verb in (Verb.ORDER, Verb.INFINITIVE)
                if tokens[i].norm != "не" or known or not own or any(t.norm == "больше" for t in tokens[first:i]):
                    continue
                span = Span(tokens[i].start, tokens[i + 1].end)
                made = Atom(i, i + 2, span, (Sense(kind, kind),), text=layout.text[span.start : span.end])
                out = sorted([*(a for a in out if a.last <= i or a.first >= i + 2), made], key=lambda a: a.first)
                before = kind
                break
    return out


def _denied_kind(here: list[Atom], before: str) -> str:
    """What a denial in a clause means: `refuse`, `apart`, or nothing of these."""
    if any(a.has("service", "swear") for a in here):
        return "refuse"
    if any(a.has("defend_together", "together") for a in here) and any(a.has("player", "~person") for a in here):
        return "apart"
    goes_on = before == "refuse" and any(a.has("player") and a.prep in {"к", "ко", "у"} for a in here)
    return before if goes_on else ""


def _impossible(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Повысить Стан некуда», «хватит копать»: an infinitive that nobody carries out takes its clause with it."""
    tokens = layout.tokens
    marked = {layout.sentence_of[i] for i, t in enumerate(tokens) if t.norm in _UNDOABLE or info(t.norm).lemmas & _MONEY}
    if not marked:
        return atoms
    out = list(atoms)
    for index in marked:
        for first, last in clauses(layout, layout.sentences[index]):
            signs = {tokens[i].norm for i in range(first, last)} & _UNDOABLE
            here = [n for n, a in enumerate(atoms) if first <= a.first < last]
            if _no_money(layout, first, last):
                out = [replace(a, negated=True) if first <= a.first < last and a.prep == "на" else a for a in out]
            called_off = bool(signs & _ENOUGH)
            if any(tokens[i].norm == "сколько" for i in range(first, last)):
                continue
            if not signs or not any(atoms[n].verb is Verb.INFINITIVE for n in here):
                continue
            if called_off and (any(atoms[n].has("siege") for n in here) or tokens[first].norm not in _ENOUGH):
                continue
            for n in here:
                out[n] = replace(atoms[n], negated=True)
    return out


def _no_money(layout: Layout, first: int, last: int) -> bool:
    """«На некроманта в Лориэн денег уже нет», «на башню не хватает»."""
    norms = [layout.tokens[i].norm for i in range(first, last)]
    money = any(info(n).lemmas & _MONEY for n in norms)
    return (money and "нет" in norms) or any(a == "не" and b.startswith("хват") for a, b in itertools.pairwise(norms))


_MONEY = frozenset(tables()["supposing"]["money"])


def renamed(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«орков, нет, рыцарей»: the later name counts."""
    tokens = layout.tokens
    out: list[Atom] = []
    for n, here in enumerate(atoms):
        left = next((a for a in reversed(out) if not _only_slips(layout, a)), None)
        spelt = next((a for a in reversed(out) if not a.has("refuse", "no_word", "~correction")), None)
        if spelt is not None and spelt.has("badcell", "nocell") and here.has("cell") and not here.negated:
            said = {t.norm for t in tokens[spelt.last : here.first - bool(here.prep)]}
            if said & _NO and said <= _SLIPS:  # «на D4… тьфу, на Д4»
                place = out.index(spelt)
                out = [*out[:place], replace(spelt, senses=here.senses)]
                continue
        if left is not None and not here.negated and not left.kinds.isdisjoint(here.kinds & _NAMED):
            between = [t.norm for t in tokens[left.last : here.first - bool(here.prep)]]
            slip = max((i for i, word in enumerate(between) if word in _NO), default=-1)
            way = here.has("cell") and n + 1 < len(atoms) and atoms[n + 1].has("cell") and follows(layout, here, atoms[n + 1])
            if slip >= 0 and set(between) <= (_TERMS if way else _SLIPS) | {"-"} and "-" not in between[slip:]:
                wrong = out.index(left)
                out = out[: _way_begins(layout, out, wrong) if way else wrong]  # «т9, потом т10, нет, стойте, лучше с8 и р7»
        out.append(here)
    return out


def _way_begins(layout: Layout, atoms: Sequence[Atom], last: int) -> int:
    """Where the way begins that ends with this cell."""
    first = last
    for n in range(last - 1, -1, -1):
        if atoms[n].has("cell") and follows(layout, atoms[n], atoms[first]):
            first = n
        elif not atoms[n].has("then", "arrow", "~place"):
            break
    return first


def _only_slips(layout: Layout, here: Atom) -> bool:
    """«нет», «стойте»: words of a slip of the tongue and nothing else."""
    return here.has("refuse", "no_word") or all(layout.tokens[i].norm in _TERMS for i in here.tokens())


_NAMED = frozenset({"utype", "unit", "cell", "player", "house", "btype", "spell", "level", "coins", "number"})
_THAN = frozenset({"чем", "нежели"})
_NO = frozenset(tables()["slips"]["words"])
_SLIPS = _NO | {",", ".", "…", "!"}
_TERMS = _SLIPS | {p[0] for n in ("terms", "words") for group in phrases("repair", n).values() for p in group if len(p) == 1}
"""What may stand between two ways, the second of which counts."""


def replaced(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Вместо эльфов рыцари в Лориэн»: what something else of the kind takes the place of is not wanted."""
    tokens = layout.tokens
    out: list[Atom] = []
    until = -1
    items = {layout.sentence_of[a.first] for a in atoms if a.has("~item")}
    for here in atoms:
        index = layout.sentence_of[here.first]
        if index in items:
            out.append(here)  # «в п. 1 вместо С7 — У7»: the engine reads the item again
            continue
        if here.first and tokens[here.first - 1].norm == "вместо" and here.verb is Verb.NONE and here.has(*_DEEDS):
            until = next(last for first, last in clauses(layout, layout.sentences[index]) if first <= here.first < last)
            if out and out[-1].last == here.first:
                out.pop()
        if here.first < until:
            out.append(replace(here, negated=True))  # «вместо найма гномов — 20 монет Аэлин»
            continue
        if here.first and tokens[here.first - 1].norm in _THAN and not here.kinds.isdisjoint(_NAMED):
            here = replace(here, negated=True)  # «заставу: всё дешевле, чем башня»
        elif here.first and tokens[here.first - 1].norm == "вместо" and not here.kinds.isdisjoint(_NAMED - {"btype"}):
            others = (a for a in atoms if a is not here and layout.sentence_of[a.first] == index)
            if any(not a.kinds.isdisjoint(here.kinds & _NAMED) for a in others):
                if out and out[-1].last == here.first:
                    out.pop()
                here = replace(here, negated=True)
        out.append(here)
    return out


def exchanged(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Правка: Аэлин не Д5, а Г5» says itself what takes whose place: the sign of correction is no more needed."""
    tokens = layout.tokens
    exchanges = {
        layout.sentence_of[right.first]
        for left, right in itertools.pairwise(atoms)
        if left.first
        and tokens[left.first - (2 if left.prep else 1)].norm == "не"
        and tokens[right.first - (2 if right.prep else 1)].norm == "а"
        and not left.kinds.isdisjoint(right.kinds)
    }
    return [a for a in atoms if not (a.has("~correction") and layout.sentence_of[a.first] in exchanges)]
