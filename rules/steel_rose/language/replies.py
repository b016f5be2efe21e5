"""Answers to other powers: whom a deed is for where nobody is named, and what is said of one power beside another."""

from __future__ import annotations

from collections.abc import Iterable

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Frame, Match, Output
from parsers.russian import info
from parsers.structure import Status
from parsers.tokens import Kind, Token
from parsers.types import Problem, Severity, Span
from rules.steel_rose.language.common import ask, has, refusal
from rules.steel_rose.language.names import HEARD, tables
from rules.steel_rose.language.outcome import Outputs
from rules.steel_rose.language.senses import plain_noun
from rules.steel_rose.refusals import refuse

_ENDS = frozenset({",", ";", ".", "!", "?", "а", "но"})
_OFFERS = ("faction", "alliance", "propose", "accept", "~person")
_BEHIND = 5
"""So many words behind a name a refusal is looked for."""
_SHORT = 6
"""So many tokens an offer without a verb may have."""
_NEAR = 1
"""So many lines above a deed he may have been called whom it is for."""


def stretch(context: Context, atom: Atom) -> tuple[int, int]:
    """The part of the sentence between commas that an atom stands in, as token indices; a dash parts nothing here."""
    layout = context.layout
    sentence = layout.sentences[layout.sentence_of[atom.first]]
    first, last = atom.first, atom.last
    while first > sentence.first and layout.tokens[first - 1].norm not in _ENDS:
        first -= 1
    while last < sentence.last and layout.tokens[last].norm not in _ENDS:
        last += 1
    return first, last


def refused(context: Context, atom: Atom) -> bool:
    """«Культу от нас — нет», «огры пусть подождут», «всем, кроме Культа»: nothing is offered to this one."""
    tokens = context.layout.tokens
    first, last = stretch(context, atom)
    words = tables()["answers"]
    if {t.norm for t in tokens[first : atom.first]} & set(words["except"]):
        return True
    if atom.last < last and tokens[atom.last].norm in words["let"]:
        return True
    behind = any(t.norm in words["no"] for t in tokens[atom.last : min(last, atom.last + _BEHIND)])
    return behind and "нет" not in {t.norm for t in tokens[first : atom.first]}


def goes_on(context: Context, atom: Atom) -> bool:
    """«… и эльфам», «также ограм»: a power in the dative goes on from an offer before only where nothing else is said of it."""
    first, last = stretch(context, atom)
    tokens = context.layout.tokens
    words = [tokens[i] for i in range(first, last) if not atom.first <= i < atom.last and tokens[i].kind is Kind.WORD]
    said = [a for a in context.by_sentence.get(context.layout.sentence_of[atom.first], ()) if a.has(*_OFFERS)]
    offers = {context.layout.tokens[i].norm for a in said for i in a.tokens()}
    return all(t.norm in tables()["answers"]["more"] or t.norm in offers for t in words)


def beside(context: Context, atom: Atom, deeds: list[Atom], factions: Iterable[Atom]) -> list[Atom]:
    """The words of deeds that may be about this power: those of its own part, else those of no other power's."""
    first, last = stretch(context, atom)
    own = [d for d in deeds if first <= d.first < last]
    if own:
        return own
    others = [stretch(context, f) for f in factions if f is not atom]
    free = [d for d in deeds if not any(a <= d.first < b for a, b in others)]
    said = context.by_sentence.get(context.layout.sentence_of[atom.first], ())
    offered = any(a.has("alliance") and first <= a.first < last for a in said)
    return free if free or offered else deeds


def to_whom(match: Match, context: Context) -> list[Output]:
    """«Эльфы, мир? Предлагаем союз.», «Культ предлагает союз. Согласны.»: for the one power named right before."""
    offers = has(match, "propose", "alliance")
    if not offers and not has(match, "accept"):
        return []
    layout = context.layout
    line = layout.sentences[match.sentence].line
    called: dict[str, Span] = {}
    back = match.sentence - 1
    while back > 0 and not context.by_sentence.get(back):
        back -= 1  # «Имперцы хотят союза? Пусть. Принимаем.»
    taken = {a.first for m, made in context.outputs if made and m.frame.id != "alliance" for a in m.atoms}
    for index in (back, match.sentence):
        inside = context.by_sentence.get(index, [])
        if index < 0 or line - layout.sentences[index].line > _NEAR:
            continue
        if index != match.sentence and not any(a.has("alliance", "propose") for a in inside):
            continue
        for atom in inside:
            sense = atom.get("faction")
            elsewhere = atom.first in taken and index == match.sentence
            if elsewhere:
                continue  # «прорицание по ограм, хочу знать, сколько их»
            if sense is not None and atom.first < match.first and sense.value != context.view.faction and not atom.negated:
                called[str(sense.value)] = atom.span
    type_ = "accept_alliance" if has(match, "accept") else "propose_alliance"
    if len(called) == 1:
        faction, span = next(iter(called.items()))
        first = layout.tokens[layout.sentences[layout.sentence_of[_at(context, span)]].first].start
        return [context.reading(match, {"type": type_, "faction": faction}, extra=[Span(first, span.end)])]
    if not has(match, "alliance"):
        return []
    sentence = layout.sentences[match.sentence]
    for token in context.unknown_words(sentence.first, sentence.last):
        if _some_power(token):
            return [_unheard_of(context, match, token)]
    return [ask(context, match, "which_faction")]


def _some_power(token: Token) -> bool:
    """«гномам», «с кентаврами»: may be the name of a people."""
    return plain_noun(token.norm, "datv", "ablt") and "plur" in info(token.norm).genders


def _unheard_of(context: Context, match: Match, token: Token) -> Problem:
    out = refuse("E_UNKNOWN_FACTION", x=context.text(token.span), nearest="")
    return refusal(context, match, out, Severity.ERROR, token.span)


def unheard_of(context: Context, outputs: Outputs, frame: Frame) -> Outputs:
    """«Эльфам предложить союз. И гномам союз тоже»: an offer without a verb, to a people that isn't in the game."""
    layout = context.layout
    out: Outputs = []
    taken = {a.first for m, made in outputs if made for a in m.atoms}
    for atom in context.atoms:
        if not atom.has("alliance") or atom.negated or atom.first in taken or layout.status[atom.first] is not Status.LIVE:
            continue
        first, last = stretch(context, atom)
        inside = context.by_sentence.get(layout.sentence_of[atom.first], ())
        alone = not any(first <= a.first < last and a is not atom and not a.has("propose") for a in inside)
        said = context.unknown_words(first, last) if alone and last - first <= _SHORT else []
        if len(said) == 1 and _some_power(said[0]):
            match = Match(frame, (atom,), (atom,), {}, False, atom.span, first, last, layout.sentence_of[atom.first], "")
            context.memory.setdefault(HEARD, set()).update(range(first, last))
            out.append((match, [_unheard_of(context, match, said[0])]))
    return sorted([*outputs, *out], key=lambda item: item[0].first) if out else outputs


def affirmed(context: Context, outputs: Outputs, frame: Frame) -> Outputs:
    """«Княжеству союз не предлагаем, а эльфам — да»: offered to one power what is denied to another."""
    tokens = context.layout.tokens
    out: Outputs = []
    taken = {a.first for m, made in outputs if made for a in m.atoms}
    for index, inside in context.by_sentence.items():
        denied = [a for a in inside if a.negated and a.has("alliance", "propose")]
        for atom in inside:
            sense = atom.get("faction")
            if (
                sense is None
                or sense.value == context.view.faction
                or atom.first in taken
                or atom.prep
                or "datv" not in atom.cases
            ):
                continue
            last = atom.last + 2
            closed = last >= len(tokens) or tokens[last].norm in _ENDS
            yes = closed and [t.norm for t in tokens[atom.last : last]] == ["-", "да"]
            if not yes or not denied or denied[0].first > atom.first:
                continue
            match = Match(frame, (denied[0], atom), (denied[0],), {}, False, atom.span, denied[0].first, last, index, "")
            heard = range(context.layout.sentences[index].first, last)
            context.memory.setdefault(HEARD, set()).update(heard)
            out.append((match, [context.reading(match, {"type": "propose_alliance", "faction": sense.value})]))
    return sorted([*outputs, *out], key=lambda item: item[0].first) if out else outputs


def _at(context: Context, span: Span) -> int:
    return next(a.first for a in context.atoms if a.span == span)
