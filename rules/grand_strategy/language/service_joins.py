"""Joins of service: who leaves whom, told by the case and the person and not by the verb («Гхаша из вассалов выписываю»)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parsers.atoms import Atom, Sense, within
from parsers.reading_atoms import preposition
from parsers.russian import Verb, info
from parsers.structure import Layout, Sentence, clauses
from parsers.tokens import Kind
from parsers.types import Span
from rules.grand_strategy.language.names import pronouns, tables

_WORDS = {key: frozenset(words) for key, words in tables()["serving"].items()}
_MATTER = ("service", "swear")
_MESSAGES = ("refuse_verb", "refuse_all", "offer_noun")
_FROM = frozenset({"из", "с", "со", "изо"})
_INTO = frozenset({"в", "на", "во"})
_OURSELVES = pronouns("i")


def served(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """The atoms with `fire`, `quit`, `to_me` and `refuse` where a sentence about service says so in other words."""
    for index in sorted({layout.sentence_of[a.first] for a in atoms if a.has(*_MATTER, *_MESSAGES)}):
        sentence = layout.sentences[index]
        atoms = _sent_word(layout, atoms, sentence)
        if not any(a.has(*_MATTER) for a in within(atoms, sentence.first, sentence.last)):
            continue
        atoms = _waved_away(layout, _told_to_say(layout, atoms, sentence), sentence)
        for first, last in clauses(layout, sentence):
            here = list(within(atoms, first, last))
            if not any(a.has(*_MATTER) for a in here):
                continue
            for read in (_sent_away, _no_more, _to_me):
                found = read(layout, atoms, here, first, last)
                if found is not atoms:
                    atoms = found
                    break
    return atoms


def _sent_word(layout: Layout, atoms: list[Atom], sentence: Sentence) -> list[Atom]:
    """«Гхашу передай отказ», «передайте Гхашу: служить не стану»: what is sent is an answer and no money."""
    inside = [a for a in atoms if sentence.first <= a.first < sentence.last]
    if any(a.has("coins", "number") for a in inside):
        return atoms
    sent = [a for a in inside if a.has("give") and info(layout.tokens[a.first].norm).lemmas & _WORDS["sending"]]
    return [replace(a, senses=(Sense("answer", "answer"),)) if any(a is b for b in sent) else a for a in atoms]


def _told_to_say(layout: Layout, atoms: list[Atom], sentence: Sentence) -> list[Atom]:
    """«Торгрима на службу зову, скажи да»: a «да» that another is to say answers nothing; nor does «соглашайся»."""
    out: list[Atom] = []
    for atom in atoms:
        before = info(layout.tokens[atom.first - 1].norm) if atom.first > sentence.first else None
        bidden = before is not None and before.verb in (Verb.IMPERATIVE, Verb.SECOND) and bool(before.lemmas & _WORDS["saying"])
        own = atom.verb in (Verb.IMPERATIVE, Verb.SECOND)
        if sentence.first <= atom.first < sentence.last and atom.has("agree", "yes_word") and (bidden or own):
            at = atom.first - bidden
            span = Span(layout.tokens[at].start, atom.span.end)
            atom = replace(atom, first=at, span=span, senses=(Sense("answer", "answer"),))
        out.append(atom)
    return out


def _waved_away(layout: Layout, atoms: list[Atom], sentence: Sentence) -> list[Atom]:
    """«Насчёт службы: мимо», «на службу к Гхашу — никогда», «лучше сдохну, чем служить Гхашу»: a refusal."""
    out = list(atoms)
    for n, atom in enumerate(atoms):
        if sentence.first <= atom.first < sentence.last and atom.has("pass") and not atom.has("allow"):
            out[n] = replace(atom, senses=(Sense("refuse", "refuse"),))
    for first, last in clauses(layout, sentence):
        service = any(a.has(*_MATTER) for a in within(out, first, last))
        for i in range(first, last):
            than = i == first > sentence.first and service and layout.tokens[i].norm in _WORDS["than"]
            if than or layout.tokens[i].norm in _WORDS["never"]:
                modal = than and info(layout.tokens[i + 1].norm).verb is Verb.ORDER
                out = _put(layout, out, "refuse", i, i + 1 + modal)
    return out


def _sent_away(layout: Layout, atoms: list[Atom], here: list[Atom], first: int, last: int) -> list[Atom]:
    """«Гхаша из вассалов вычёркиваю», «Торгрим вассалом больше не числится»: somebody else's service ends."""
    leaving = next((a for a in here if a.has("service") and a.prep in _FROM), None)
    people = [a for a in here if a.has("player") and not a.prep]
    if _denied(layout, here, first, last) and not _more(layout, first, last):
        return atoms
    if leaving is not None and any(_sent(a) for a in people) and not any(a.has("fire") for a in here):
        behind = info(layout.tokens[leaving.last].norm).verb if leaving.last < last else Verb.NONE
        end = leaving.last + (behind in (Verb.ORDER, Verb.INFINITIVE))  # whatever the verb
        return _put(layout, atoms, "fire", leaving.first, end, *leaving.senses)
    subject = any("nomn" in a.cases for a in people)
    verb = _no_verb(layout, first, last, Verb.THIRD)
    if subject and verb is not None and not any(layout.tokens[i].norm in _OURSELVES for i in range(first, last)):
        at_mine = [a for a in here if a.has("mine_land")]  # «… у меня больше не числится»
        atoms = [a for a in atoms if not any(a is b for b in at_mine)]
        return _put(layout, atoms, "fire", _begin(layout, verb), verb + 1)
    return atoms


def _sent(person: Atom) -> bool:
    """An object: «Гхаша», «Аэлин» (which has no cases)."""
    return bool(person.cases & {"accs", "gent"}) and not person.cases & {"nomn", "datv"}


def _no_more(layout: Layout, atoms: list[Atom], here: list[Atom], first: int, last: int) -> list[Atom]:
    """«Вассалом Торгрима быть перестаю», «под началом Гхаша больше не хожу»: one's own service ends."""
    for i in range(first, last):
        word = info(layout.tokens[i].norm) if layout.tokens[i].kind is Kind.WORD else None
        if word is not None and word.lemmas & _WORDS["ceasing"] and word.verb is Verb.ORDER:
            return _put(layout, atoms, "quit", i, i + 1)
    verb = _no_verb(layout, first, last, Verb.ORDER) if _more(layout, first, last) else None
    towards = any(a.has("player") and a.prep in {"к", "ко"} for a in here)
    if verb is None or towards or any(a.has("own_man", "quit", "fire") for a in here):
        return atoms
    return _put(layout, atoms, "quit", _begin(layout, verb), verb + 1)


def _begin(layout: Layout, verb: int) -> int:
    """Where «больше не хожу» begins."""
    return verb - 2 if verb > 1 and layout.tokens[verb - 2].norm in _WORDS["no_more"] else verb - 1


def _to_me(layout: Layout, atoms: list[Atom], here: list[Atom], first: int, last: int) -> list[Atom]:
    """«Радомир приглашается в мои вассалы»: to the reader; «записывай меня в вассалы»: the reader himself."""
    if any(a.has("service") and a.prep in _INTO for a in here) and not any(a.has("take", "swear") for a in here):
        for i in range(first, last - 1):
            asked = info(layout.tokens[i].norm).verb in (Verb.IMPERATIVE, Verb.SECOND)
            if asked and layout.tokens[i + 1].norm in pronouns("me"):
                return _put(layout, atoms, "swear", i, i + 2)
    for atom in here:
        begin = atom.first - 1
        if not (atom.has("service") and begin > 0 and layout.tokens[begin - 1].norm in _INTO):
            continue
        if info(layout.tokens[begin].norm).lemmas & _WORDS["mine"] and not any(a.has("to_me") for a in here):
            return _put(layout, atoms, "to_me", begin, begin + 1)
    return atoms


def _more(layout: Layout, first: int, last: int) -> bool:
    return any(layout.tokens[i].norm in _WORDS["no_more"] for i in range(first, last))


def _denied(layout: Layout, here: Sequence[Atom], first: int, last: int) -> bool:
    return any(layout.tokens[i].norm == "не" for i in range(first, last)) and not any(a.has("fire", "own_man") for a in here)


def _no_verb(layout: Layout, first: int, last: int, person: Verb) -> int | None:
    """The verb behind «не» in a clause, of a person."""
    for i in range(first, last - 1):
        if layout.tokens[i].norm == "не" and info(layout.tokens[i + 1].norm).verb is person:
            return i + 1
    return None


def _put(layout: Layout, atoms: Sequence[Atom], kind: str, first: int, last: int, *more: Sense) -> list[Atom]:
    span = Span(layout.tokens[first].start, layout.tokens[last - 1].end)
    text = layout.text[span.start : span.end]
    made = Atom(first, last, span, (*more, Sense(kind, kind)), preposition(layout.tokens, first), text=text)
    kept = [a for a in atoms if a.last <= first or a.first >= last]
    at = sum(a.first < first for a in kept)
    return [*kept[:at], made, *kept[at:]]
