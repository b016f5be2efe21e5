"""What stands in an order's place and no order took: it asks, and shakes the order beside it.

Serves the promise that nothing a player wrote is dropped silently.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from parsers import typos
from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Frame, Match, Output
from parsers.reading_atoms import PREPOSITIONS, preposition
from parsers.retractions import doubting
from parsers.russian import Verb, closed_class, info
from parsers.structure import Layout, Status, inside
from parsers.tokens import Kind
from parsers.types import Problem, Reading, Severity, Span
from rules.grand_strategy.language.names import is_name, is_noun, tables
from rules.grand_strategy.language.said import text_of
from rules.grand_strategy.language.sentences import FILLERS
from rules.grand_strategy.names import unit_name
from rules.grand_strategy.state import Unit

Outputs = list[tuple[Match, list[Output]]]

_NEAR = 9
"""Tokens that part two leftovers of one order at most."""
_OBJECTS = frozenset({"unit", "utype", "personal", "house", "btype", "player", "level", "garrison", "cell", "path", "way"})
_ALWAYS = frozenset({"~item", "cell", "path", "badcell", "nocell", "spell", "cards", "by_force"})
_MATTERS = frozenset(
    {
        *("service", "swear", "offer_noun", "spawn", "siege", "smuta", "embark", "disembark", "forge", "annex", "disband"),
        *(
            "deepen",
            "downgrade",
            "default",
            "shortage",
            "victory",
            "standing",
            "hire_told",
            "defend_together",
            "together",
            "apart",
            "door",
        ),
    }
)
"""Words of orders that are hardly ever said but in one."""
_COMPARED = frozenset(tables()["comparative"]["words"])
_WANTING = frozenset({"attack", "hire", "build", "siege", "upgrade", "downgrade", "deepen", "disband", "give"})
"""Verbs of order that say nothing without their object."""
_TOLD = (Verb.ORDER, Verb.INFINITIVE, Verb.IMPERATIVE)


def left_over(context: Context, outputs: Outputs, deeds: frozenset[str], things: frozenset[str]) -> Outputs:
    """Problems for what reads like an order and is in none: a cell, a spell, cards, coins for somebody, a verb of order with its
    object. `deeds`: kinds of the verbs of order. A whole sentence that orders something with one of the `things` is the
    engine's `unknown_order`."""
    layout = context.layout
    taken = bytearray(len(layout.tokens) + 1)
    for match in [*(m for m, _ in context.outputs), *(m for m, _ in outputs), *context.memory.get("stories", ())]:
        taken[match.first : match.last] = b"\1" * (match.last - match.first)
    spans = [o.span for _, made in outputs for o in made if o.span is not None]
    spans += [e for _, made in outputs for o in made if isinstance(o, Reading) for e in o.extra_spans]
    busy = {layout.sentence_of[a.first] for m, made in outputs if made for a in m.atoms}
    out: Outputs = []
    for index, atoms in sorted(context.by_sentence.items()):
        whole = index not in busy and any(a.has(*things) for a in atoms)
        if whole and _begins_as_order(layout, index) and not _denies(layout, index):
            continue
        group: list[Atom] = []
        for atom in [*atoms, None]:
            free = (
                atom is not None
                and not atom.negated
                and layout.status[atom.first] is Status.LIVE
                and not any(taken[atom.first : atom.last])
                and not any(s.touches(atom.span) for s in spans)
                and not inside(layout.italic, atom.span.start)
            )
            near = atom is not None and group and atom.first - group[-1].last <= _NEAR
            if group and (not free or not near or any(taken[group[-1].last : atom.first])):  # type: ignore[union-attr]
                if _orders(context, group, deeds, index in busy):
                    out.append(_asked(context, index, group))
                group = []
            if free and atom is not None:
                group.append(atom)
    return out


def shaken(context: Context, outputs: Outputs) -> Outputs:
    """The outputs with each made uncertain right beside which something of the game is left over: it may belong there."""
    layout = context.layout
    taken: set[int] = set()
    for match in [*(m for m, _ in context.outputs), *(m for m, _ in outputs), *context.memory.get("stories", ())]:
        taken.update(range(match.first, match.last))
    free = [
        a
        for a in context.atoms
        if (a.has(*_DOUBTFUL) or (a.has("number") and a.prep == "на"))
        and not a.negated
        and a.first not in taken
        and layout.status[a.first] is Status.LIVE
    ]
    firsts = [a.first for a in free]
    out: Outputs = []
    for match, made in outputs:
        at = bisect_left(firsts, match.first)
        near = [a for a in free[max(0, at - 1) : at + 1] if _touching(layout, match, a)]
        near = [a for a in near if match.frame.id == "move" or not a.has("number")]
        sure = any(isinstance(o, Reading) and o.certain for o in made)
        if near and sure:
            note = f"рядом осталось непонятое: «{near[0].text}»"
            made = [replace(o, certain=False, note=note) if isinstance(o, Reading) and o.certain else o for o in made]
        out.append((match, made))
    return out


_DOUBTFUL = frozenset({"way", "direction", "cell", "path", "coins", "spell", "cards"})
_RECEIVERS = frozenset(doubting()["towards"]["receivers"])
_EACH = frozenset({"по"})
_BESIDE = 3
"""Tokens between an order and what may belong to it."""
_FURTHER = 6
"""The same for steps that a way goes on («на восток на клетку, потом ещё на одну»)."""


def _touching(layout: Layout, match: Match, atom: Atom) -> bool:
    first, last = (atom.last, match.first) if atom.first < match.first else (match.last, atom.first - bool(atom.prep))
    between = layout.tokens[first:last]
    reach = _FURTHER if atom.has("number") else _BESIDE
    if not 0 <= last - first <= reach or layout.sentence_of[atom.first] != match.sentence:
        return False
    part = any(t.kind is Kind.SIGN and t.norm in ";:.!?" for t in between)
    return not part and not any(t.kind is Kind.LINE for t in between)


def _denies(layout: Layout, index: int) -> bool:
    """«сколько не жалко»: to the engine a sentence with a denial orders nothing."""
    sentence = layout.sentences[index]
    return any(t.norm == "не" for t in layout.tokens[sentence.first : sentence.last])


def _begins_as_order(layout: Layout, index: int) -> bool:
    sentence = layout.sentences[index]
    words = [t for t in layout.tokens[sentence.first : sentence.last] if t.kind is Kind.WORD][:4]
    verbs = [info(t.norm).verb for t in words if t.norm not in closed_class()]
    first = next((v for v in verbs if v is not Verb.NONE), Verb.NONE)
    return first in _TOLD


def _orders(context: Context, group: Sequence[Atom], deeds: frozenset[str], beside: bool) -> bool:
    known = [s for a in group for s in a.senses if not s.partial and s.quality >= typos.CERTAIN]
    kinds = {s.kind for s in known}
    if kinds & _ALWAYS or ("way" in kinds and (beside or all(a.data.get("bare") for a in group))):
        return True
    if {"there", "btype"} <= kinds:
        return True  # «… О12 там башня орков в Стан»
    if "coins" in kinds and any(a.has("~person") for a in group):
        return True  # «Вот твои 12 монет»
    if ("level" in kinds and beside) or any(a.has("coins") and a.prep in _EACH for a in group):
        return True
    if kinds <= {"coins", "give", "~each"} and "coins" in kinds:
        return _unknown_receiver(context, group) is not None
    if "coins" in kinds and kinds & {"utype", "btype", "level"}:
        return True
    if kinds & {"both", "everyone"} and any(a.has("give") and a.verb in _TOLD for a in group):
        return True  # «обоим шлю по монете»
    receiver = any(a.has("player") and ("datv" in a.cases or a.prep in _RECEIVERS) for a in group)
    if receiver and kinds & {"coins", "number", "~rest", "~all", "~half"}:
        return True
    if len(group) == 1 and group[0].has(*_WANTING) and group[0].verb in _TOLD and group[0].data.get("bare"):
        return True  # «и нападаем!»: on whom?
    lone = len(group) == 1 and group[0].data.get("bare") and group[0].data.get("beside") == 1
    if lone and kinds & {"utype", "btype"} and Verb.NONE is group[0].verb:
        return True  # «эльфы» as a line of its own
    ahead = context.layout.tokens[group[-1].last].norm if group[-1].last < len(context.layout.tokens) else ""
    if receiver and ahead in _COMPARED:
        return True  # «Радомиру вдвое меньше»
    told = any(a.verb in _TOLD and a.has(*deeds) for a in group)
    if "player" not in kinds and not group[0].kinds.isdisjoint({"together", "apart"}):
        return told and bool(kinds & _OBJECTS)
    named = any(a.has(*_MATTERS) and (a.verb in (Verb.NONE, Verb.SECOND, *_TOLD) or a.has("hire_told")) for a in group)
    return (told or named) and bool(kinds & _OBJECTS)


def strange_subject(context: Context, first: int) -> Span | None:
    """«гоблины на С9»: the noun right before a token, which is nothing of the game."""
    layout = context.layout
    at = first - 1
    if at >= 0 and layout.tokens[at].norm in PREPOSITIONS:
        at -= 1
    if at < 0 or layout.tokens[at].kind is not Kind.WORD or layout.sentence_of[at] != layout.sentence_of[first]:
        return None
    token = layout.tokens[at]
    known = any(a.first <= at < a.last for a in context.by_sentence.get(layout.sentence_of[at], []))
    if known or token.norm in closed_class() | FILLERS or preposition(layout.tokens, at):
        return None
    word = info(token.norm)
    subject = word.verb is Verb.NONE and "nomn" in word.cases and is_noun(token.norm)
    return token.span if subject else None


def _unknown_receiver(context: Context, group: Sequence[Atom]) -> Span | None:
    """«Сарману 10 монет»: a name in the dative beside coins, of no player."""
    layout = context.layout
    first, last = group[0].first, group[-1].last
    for i in [*range(first - 1, max(-1, first - 3), -1), *range(last, min(len(layout.tokens), last + 2))]:
        token = layout.tokens[i]
        if token.kind is not Kind.WORD or layout.sentence_of[i] != layout.sentence_of[first] or token.norm in closed_class():
            continue
        word = info(token.norm)
        if word.verb is Verb.NONE and "datv" in word.cases and not preposition(layout.tokens, i) and is_noun(token.norm):
            span: Span = token.span
            return span
    return _strange_name(context, first)


def _strange_name(context: Context, first: int) -> Span | None:
    """«Боромир: 2 мон.»: a name of nobody, set off from the sum."""
    tokens = context.layout.tokens
    at = first - 2
    if at < 0 or tokens[first - 1].norm not in _SET_OFF or context.layout.sentence_of[at] != context.layout.sentence_of[first]:
        return None
    token = tokens[at]
    text = context.text(token.span)
    named = token.kind is Kind.WORD and text[:1].isupper() and text[1:].islower() and is_name(token.norm)
    return token.span if named else None


_SET_OFF = frozenset({":", "-", "|", "→"})


_FRAME = Frame("left_over")


def _own_units(context: Context) -> list[Unit]:
    return [u for u in context.view.state.units.values() if u.owner == context.view.faction]


def _asked(context: Context, index: int, group: Sequence[Atom]) -> tuple[Match, list[Output]]:
    span = group[0].span.cover(group[-1].span)
    match = Match(_FRAME, tuple(group), (), {}, False, span, group[0].first, group[-1].last, index, "")
    text = " ".join(context.text(span).split())[:120]
    stranger = strange_subject(context, group[0].first) if group[0].has("cell", "path") else None
    if stranger is not None:
        units = ", ".join(unit_name(context.view.state, u.id) for u in _own_units(context)) or "нет"
        message = text_of("no_such_unit", text=context.text(stranger), list=units)
        return match, [Problem("no_such_unit", Severity.ERROR, message, stranger.cover(span), draft={})]
    receiver = _unknown_receiver(context, group) if any(a.has("coins") for a in group) else None
    if receiver is not None:
        players = context.view.state.players.values()
        names = ", ".join(p.name for p in players if p.id != context.view.faction and p.status == "in")
        message = text_of("bad_recipient", list=names)
        return match, [Problem("bad_recipient", Severity.ERROR, message, receiver.cover(span), draft={"type": "send_money"})]
    message = f"Не понял, что сделать: «{text}». Напишите приказ целиком."
    return match, [Problem("ambiguous", Severity.QUESTION, message, span, draft={})]
