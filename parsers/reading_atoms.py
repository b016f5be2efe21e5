"""From tokens to atoms: names of the lexicon, numbers and a language's own recognisers, the best cover of the text by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from parsers import typos
from parsers.atoms import Atom, Sense
from parsers.lexicon import Entry, Lexicon
from parsers.numerals import find_numerals
from parsers.russian import Verb, info, words
from parsers.structure import Layout, Status, clauses, inside
from parsers.tokens import Kind, Token
from parsers.types import Span

PREPOSITIONS = frozenset(
    [
        "в",
        "во",
        "на",
        "за",
        "под",
        "над",
        "к",
        "ко",
        "от",
        "ото",
        "до",
        "из",
        "изо",
        "с",
        "со",
        "у",
        "о",
        "об",
        "обо",
        "при",
        "про",
        "для",
        "без",
        "через",
        "между",
        "перед",
        "против",
        "по",
        "у",
        "та",
    ]
)
_SKIPPED_BEFORE = frozenset(
    [
        "мой",
        "моя",
        "мое",
        "мои",
        "моего",
        "моей",
        "моему",
        "моих",
        "моим",
        "свой",
        "своя",
        "свое",
        "свои",
        "своего",
        "своей",
        "своему",
        "своих",
        "его",
        "ее",
        "их",
        "этот",
        "эту",
        "этой",
        "всю",
        "весь",
        "все",
        "всех",
    ]
)
_MODALS = frozenset(
    ["буду", "будем", "хочу", "хотим", "стану", "станем", "надо", "нужно", "могу", "можем", "собираюсь", "планирую", "будет"]
)


@dataclass(frozen=True, slots=True)
class Recognised:
    """Something a language's own recogniser found in the tokens `first <= i < last` (a cell «Г7», a number of a shard)."""

    first: int
    last: int
    sense: Sense
    weight: float = 2.0
    """Against other readings of the same words; a name of one word weighs 1."""


_ORDERS = (Verb.ORDER, Verb.INFINITIVE, Verb.IMPERATIVE)

Recogniser = Callable[[Sequence[Token], Sequence[Status]], Iterable[Recognised]]
Composite = Callable[[Layout, list[Atom]], list[Atom]]
"""Joins neighbouring atoms into a larger one («1» + «на дорогу» → price of the way)."""


def general_entries() -> list[Entry]:
    """Words that every language has: references, signs of correction, withdrawals. Their kinds begin with `~`."""
    table = words()
    out = [Entry(f"~{kind}", kind, _strict(names)) for kind, names in table["reference"].items()]
    out.append(Entry("~correction", "correction", _strict(table["correction"]["marks"])))
    out.append(Entry("~instead", "instead", tuple("=" + n for n in table["correction"]["instead"])))
    names = (*table["withdrawal"]["lemmas"], *_strict(table["withdrawal"]["forms"]))
    out.append(Entry("~withdraw", "withdraw", names))
    return out


def _strict(names: Iterable[str]) -> tuple[str, ...]:
    """The names as they are, without their other forms."""
    return tuple(" ".join("=" + w for w in n.replace("-", " ").split()) for n in names)


def read_atoms(
    layout: Layout,
    lexicon: Lexicon,
    units: Mapping[str, frozenset[str]],
    recognisers: Sequence[Recogniser],
    composites: Sequence[Composite],
    past_kinds: frozenset[str],
) -> list[Atom]:
    """All atoms of a post in order, not overlapping. `past_kinds`: kinds whose words count in the past tense too (names); words
    of other kinds in the past tell a story."""
    tokens = layout.tokens
    spans: dict[tuple[int, int], list[tuple[float, Sense]]] = {}
    data: dict[tuple[int, int], dict[str, object]] = {}
    for found in lexicon.find(tokens):
        if layout.sentence_of[found.first] != layout.sentence_of[found.last - 1]:
            continue  # «… аванпост. Следопытов 15»: no name goes on behind the end of a sentence
        spans.setdefault((found.first, found.last), []).append((found.weight, found.sense))
    for numeral in find_numerals(tokens, units):
        if any(layout.status[i] is Status.LIST_MARK for i in range(numeral.first, numeral.last)):
            continue
        place = (numeral.first, numeral.last)
        weight = 1.3 * (numeral.last - numeral.first) ** 0.9 + (40.0 if numeral.kind == "sum" else 0.0)
        spans.setdefault(place, []).append((weight, Sense(numeral.kind, numeral.value)))
        data[place] = {"old": numeral.old, "negative": numeral.negative}
    for i, token in enumerate(tokens[:-1]):
        if token.norm == "→" or (token.norm == "-" and tokens[i + 1].norm == ">" and tokens[i + 1].glued):
            spans.setdefault((i, i + (1 if token.norm == "→" else 2)), []).append((1.0, Sense("arrow", "->")))
    for recogniser in recognisers:
        for hit in recogniser(tokens, layout.status):
            spans.setdefault((hit.first, hit.last), []).append((hit.weight, hit.sense))
    chosen = _cover(len(tokens), spans)
    atoms = [_atom(layout, place, spans[place], data.get(place, {}), past_kinds) for place in chosen]
    atoms = _without_number_runs([a for a in atoms if a.senses])
    atoms = _items(layout, atoms)
    for composite in composites:
        atoms = composite(layout, atoms)
    return _negations(layout, atoms)


LONGEST_NUMBER_RUN = 10
"""More bare numbers in a row than that are a table or a joke, no order."""


def _without_number_runs(atoms: list[Atom]) -> list[Atom]:
    out: list[Atom] = []
    run: list[Atom] = []
    for atom in [*atoms, None]:
        if atom is not None and atom.kinds <= {"number", "ordinal"}:
            run.append(atom)
            continue
        if len(run) <= LONGEST_NUMBER_RUN:
            out.extend(run)
        run = []
        if atom is not None:
            out.append(atom)
    return out


def _cover(size: int, spans: Mapping[tuple[int, int], list[tuple[float, Sense]]]) -> list[tuple[int, int]]:
    """Not overlapping places of the greatest total weight."""
    by_end: dict[int, list[tuple[int, float]]] = {}
    for (first, last), found in spans.items():
        by_end.setdefault(last, []).append((first, max(w for w, _ in found)))
    best = [0.0] * (size + 1)
    step: list[int] = [-1] * (size + 1)
    for end in range(1, size + 1):
        best[end] = best[end - 1]
        for first, weight in by_end.get(end, ()):
            if best[first] + weight > best[end] + 1e-9:
                best[end], step[end] = best[first] + weight, first
    out: list[tuple[int, int]] = []
    end = size
    while end > 0:
        if step[end] < 0:
            end -= 1
        else:
            out.append((step[end], end))
            end = step[end]
    return out[::-1]


def _atom(
    layout: Layout, place: tuple[int, int], found: list[tuple[float, Sense]], data: dict[str, object], past_kinds: frozenset[str]
) -> Atom:
    tokens = layout.tokens
    first, last = place
    words_here = [t for t in tokens[first:last] if t.kind is Kind.WORD]
    infos = [info(t.norm) for t in words_here]
    verb = next((i.verb for i in infos if i.verb is not Verb.NONE), Verb.NONE)
    best_of: dict[tuple[str, str], Sense] = {}
    for _, sense in sorted(found, key=lambda f: (f[1].partial, -f[1].quality, -f[0])):
        best_of.setdefault((sense.kind, repr(sense.value)), sense)
    order = {id(s): n for n, (_, s) in enumerate(sorted(found, key=lambda f: -f[0]))}
    senses = sorted(best_of.values(), key=lambda s: order[id(s)])
    best = max(s.quality for s in senses)
    senses = [s for s in senses if s.quality >= min(best, typos.CERTAIN) - typos.AMBIGUITY_MARGIN]
    if verb is Verb.PAST:
        senses = [s for s in senses if s.kind in past_kinds]
    cases = infos[-1].cases if infos else frozenset()
    for other in infos[:-1]:
        if other.cases & cases:
            cases = cases & other.cases
    span = Span(tokens[first].start, tokens[last - 1].end)
    bold = inside(layout.bold, span.start)
    return Atom(
        first,
        last,
        span,
        tuple(senses),
        preposition(tokens, first),
        cases,
        verb,
        False,
        bold,
        layout.text[span.start : span.end],
        dict(data),
    )


def preposition(tokens: Sequence[Token], first: int) -> str:
    """The preposition before a token, over one possessive."""
    for back in (1, 2):
        i = first - back
        if i < 0 or tokens[i].kind is not Kind.WORD:
            return ""
        if tokens[i].norm in PREPOSITIONS:
            return tokens[i].norm
        if tokens[i].norm not in _SKIPPED_BEFORE:
            return ""
    return ""


def joined(layout: Layout, atoms: Sequence[Atom], sense: Sense, **data: object) -> Atom:
    """One atom over several neighbouring ones."""
    first, last = atoms[0], atoms[-1]
    start = min(a.first for a in atoms)
    end = max(a.last for a in atoms)
    span = Span(min(a.span.start for a in atoms), max(a.span.end for a in atoms))
    return replace(
        first,
        first=start,
        last=end,
        span=span,
        senses=(sense,),
        cases=last.cases,
        text=layout.text[span.start : span.end],
        data={**first.data, **data, "parts": tuple(part for a in atoms for part in a.parts)},
        prep=preposition(layout.tokens, start),
    )


def between(layout: Layout, left: Atom, right: Atom) -> list[str]:
    """The tokens between two atoms."""
    return [t.norm for t in layout.tokens[left.last : right.first]]


def _items(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«п. 3», «пункты 2 и 4» → items of the player's own list."""
    item_words = frozenset(words()["withdrawal"]["item_words"]) - {"№", "номер"}
    tokens = layout.tokens
    out: list[Atom] = []
    i = 0
    while i < len(atoms):
        atom = atoms[i]
        before = list(range(max(0, atom.first - 2), atom.first))
        word = next((k for k in reversed(before) if tokens[k].norm in item_words), None)
        only_dot = word is not None and all(tokens[k].norm == "." for k in range(word + 1, atom.first))
        if word is not None and only_dot and atom.has("number", "ordinal") and not (out and out[-1].last > word):
            group = [atom]
            while (
                i + 1 < len(atoms) and atoms[i + 1].has("number") and set(between(layout, group[-1], atoms[i + 1])) <= {",", "и"}
            ):
                if not between(layout, group[-1], atoms[i + 1]):
                    break
                i += 1
                group.append(atoms[i])
            values = tuple(str(a.senses[0].value) for a in group)
            made = joined(layout, group, Sense("~item", values))
            out.append(replace(made, first=word, span=Span(tokens[word].start, made.span.end)))
        else:
            out.append(atom)
        i += 1
    return out


def _opposed(layout: Layout, first: int, last: int) -> list[tuple[int, int]]:
    """The parts of a clause written without commas that «а» sets against each other: «волки слева а справа никого не ставим»."""
    turns = [i for i in range(first + 1, last - 1) if layout.tokens[i].norm == "а" and layout.tokens[i + 1].norm != "не"]
    return list(pairwise([first, *turns, last]))


def _negations(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """Marks atoms that «не» denies: the word right behind it, and the whole clause where all its verbs are denied."""
    tokens = layout.tokens
    spoken = {i for a in atoms for i in range(a.first, a.last)}
    affirmed = frozenset(words()["negation"]["affirmed"])
    denied: set[int] = set()
    clause_of: dict[int, int] = {}
    all_denied: set[int] = set()
    number = 0
    for sentence in layout.sentences:
        parts = [part for clause in clauses(layout, sentence) for part in _opposed(layout, *clause)]
        for first, last in parts:
            number += 1
            nots, positive = 0, 0
            infinitives = 0
            k = first
            while k < last:
                token = tokens[k]
                clause_of[k] = number
                if token.norm == "не" and k + 1 < last and k not in spoken:
                    following = tokens[k + 1].norm
                    if info(following).lemmas & affirmed:  # «не забудьте построить»
                        k += 2
                        continue
                    reach = k + 1
                    if following in _MODALS and k + 2 < last:
                        clause_of[k + 1] = number
                        reach = k + 2
                        nots += 1
                    elif info(following).verb in _ORDERS and tokens[k + 1].kind is Kind.WORD:
                        nots += 1
                    if following in _MODALS and infinitives and (k + 2 >= last or info(tokens[k + 2].norm).verb is Verb.NONE):
                        positive -= 1  # «барак строить не буду»: the denial stands behind its verb
                        infinitives -= 1
                    denied.add(reach)
                    denied.add(k + 1)
                    if following in PREPOSITIONS and k + 2 < last:
                        denied.add(k + 2)  # «в Кронвик, не в Вальдхейм»
                    for m in range(k, min(reach + 1, last)):
                        clause_of[m] = number
                    k = reach + 1
                    continue
                if token.norm == "нет" and k not in spoken and k > first and (k + 1 == last or tokens[k + 1].kind is Kind.SIGN):
                    nots += 1
                elif token.kind is Kind.WORD and info(token.norm).verb in _ORDERS:
                    positive += 1
                    infinitives += info(token.norm).verb is Verb.INFINITIVE
                k += 1
            if nots and not positive:
                all_denied.add(number)
    if not denied and not all_denied:
        return atoms
    out: list[Atom] = []
    for atom in atoms:
        negated = atom.first in denied or clause_of.get(atom.first, 0) in all_denied
        if negated and atom.has("~withdraw") and not atom.text.lower().startswith("не "):
            negated = atom.first in denied
        if atom.text.lower().startswith("не "):
            negated = False
        out.append(replace(atom, negated=True) if negated else atom)
    return out
