"""Doubts: what an order's words name and its command doesn't hold; what stands in an order's place and no order took.

Serves the promise that nothing a player wrote is dropped silently: the first makes the order ask, the second asks by itself.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from parsers import typos
from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Fill, Frame, Match, Output, choice
from parsers.reading_atoms import PREPOSITIONS, preposition
from parsers.russian import Verb, closed_class, info
from parsers.structure import Layout, Status, inside
from parsers.tokens import Kind
from parsers.types import Problem, Reading, Severity, Span
from rules.grand_strategy.language.names import is_noun, tables
from rules.grand_strategy.language.said import Said, text_of
from rules.grand_strategy.names import unit_name
from rules.grand_strategy.state import Unit

Outputs = list[tuple[Match, list[Output]]]

# ------------------------------------------------------------------------------------------------ full stops


def stamped(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """Notes with each atom its sentence, how many atoms that has, whether it is nothing but atoms (`bare`), and a heading
    besides («Лориэн.»): no order by itself."""
    bare: dict[int, bool] = {}
    heads: dict[int, bool] = {}
    counts: dict[int, int] = {}
    opening: dict[int, int] = {}
    spoken: dict[int, set[int]] = {}
    for atom in atoms:
        spoken.setdefault(layout.sentence_of[atom.first], set()).update(range(atom.first, atom.last))
    for atom in atoms:
        index = layout.sentence_of[atom.first]
        if index not in bare:
            sentence = layout.sentences[index]
            words = {
                i
                for i in range(sentence.first, sentence.last)
                if layout.tokens[i].kind is Kind.WORD and layout.tokens[i].norm not in closed_class() | _FILLERS
            }
            inside = [a for a in atoms if layout.sentence_of[a.first] == index]
            counts[index] = len(inside)
            opening[index] = next((a.first for a in inside if _weighty(a)), -1)
            bare[index] = words <= spoken[index] and len(words) <= _HEADING
            ways = [a for a in inside if a.has("cell", "path", "coins")]
            heads[index] = bare[index] and not (ways and (len(inside) > 1 or ways[0].prep))
        atom.data["sentence"] = _stop_of(layout, index)
        atom.data["bare"] = bare[index]
        atom.data["heading"] = heads[index]
        atom.data["beside"] = counts[index]
        atom.data["opens"] = atom.first == opening[index]
    return atoms


_GO_ON = frozenset({"move", "cast", "build"})
"""Orders whose second sentence may tell their place or target."""
_WEIGHTY = frozenset(
    {
        *("cell", "path", "unit", "utype", "personal", "player", "house", "btype", "spell", "coins", "cards", "level"),
        *("garrison", "province"),
    }
)


def _weighty(atom: Atom) -> bool:
    return not atom.kinds.isdisjoint(_WEIGHTY)


def _stop_of(layout: Layout, index: int) -> int:
    """The first of the sentences that no full stop parts from this one: line ends alone part little."""
    while index > 0:
        before = layout.sentences[index - 1]
        ends = layout.tokens[before.last - 1]
        if (ends.kind is Kind.SIGN and ends.norm in _STOPS) or layout.sentences[index].line == before.line:
            break
        index -= 1
    return index


_FILLERS = frozenset(tables()["fillers"]["words"])
_HEADING = 4
"""Words of a heading at most."""
_STOPS = frozenset(".!?…")


def over_a_stop(fill: Fill) -> bool:
    """True where the atoms stand in sentences more than one of which says more than the atoms do."""
    atoms = fill.atoms
    if atoms[0].data.get("sentence") == atoms[-1].data.get("sentence"):
        return False
    home = (fill.triggers or atoms)[-1].data.get("sentence")
    if any(a.data.get("sentence") != home and all(s.kind.startswith("~") for s in a.senses) for a in atoms):
        return True
    told: dict[int, int] = {}
    for atom in atoms:
        told[atom.data["sentence"]] = told.get(atom.data["sentence"], 0) + 1
    headings: set[int] = {a.data["sentence"] for a in atoms if a.data["heading"] and told[a.data["sentence"]] == a.data["beside"]}
    telling = told.keys() - headings
    if len(telling) == 1 and home not in telling:
        # the other sentence must begin with what is taken of it: «Туман сна. Цель: R1 (Ж7), …»
        return fill.frame.id not in _GO_ON or not any(a.data["opens"] for a in atoms if a.data["sentence"] in telling)
    return len(telling) > 1


def within_a_sentence(frame: Frame) -> Frame:
    """The frame, deaf to what another sentence says."""
    score = frame.score

    def guarded(fill: Fill) -> float | None:
        if over_a_stop(fill):
            return None
        return score(fill) if score is not None else 0.0

    return replace(frame, score=guarded)


# ------------------------------------------------------------------------------------------------ unused words


def unused(said: Said, outputs: Iterable[Output]) -> Atom | None:
    """The first word of a match that its commands don't hold in any form; None: all went in."""
    commands = [o.command for o in outputs if isinstance(o, Reading)]
    if not commands or any(not isinstance(o, Reading) for o in outputs):
        return None
    held: set[Any] = set()
    for command in commands:
        _flatten(command, held)
    held.update(said.start_of(str(u)) for u in list(held))
    held.update(said.at(str(u)) for u in list(held))
    prices = _prices(said, held)
    for atom in said.match.atoms:
        if not _explained(said, atom, held, prices):
            return atom
    return None


def refused(said: Said) -> Atom | None:
    """«Мага на воду не пускать»: a phrase of refusal right behind an order that doesn't hold it."""
    match = said.match
    for atom in said.context.by_sentence.get(match.sentence, []):
        if match.last <= atom.first <= match.last + 1 and atom.text.lower().startswith(_NOT):
            return atom
    return None


_NOT = "не "


def _flatten(value: Any, into: set[Any]) -> None:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            into.add(key)
            _flatten(inner, into)
    elif isinstance(value, list | tuple):
        for inner in value:
            _flatten(inner, into)
    elif value is not None:
        into.add(value)
        if isinstance(value, str) and value.startswith("<hired "):
            into.add(value.removeprefix("<hired ").removesuffix(">"))


_OF_COURSE = {
    "victory_choice": frozenset({"house", "cell", "player"}),
    "leave_service": frozenset({"player"}),
    "join_game": frozenset({"personal"}),
    "hire": frozenset({"personal"}),
}
"""What some orders name without a field for it."""
_TOWARDS = frozenset({"к", "ко"})
_CELLS = frozenset({"cell", "path", "house", "over"})
_PEOPLE = frozenset({"player", "ally"})
_TROOPS = frozenset({"unit", "utype", "personal"})


def _explained(said: Said, atom: Atom, held: set[Any], prices: set[int]) -> bool:
    kinds = atom.kinds
    if atom.negated or kinds.isdisjoint(_WATCHED) or any(a is atom for a in (*said.match.triggers, *said.settled)):
        return True
    if held & _OF_COURSE.keys() and kinds & _OF_COURSE[next(iter(held & _OF_COURSE.keys()))]:
        return True
    if atom.prep in _TOWARDS and "move" in held:
        return True  # «к Бродам через З6»: only the direction
    state = said.state
    buildings = {c for c in held if c in state.buildings}
    if not kinds.isdisjoint(_TROOPS):
        if any(u in held for u in said.candidates(atom)) or any(s.value in held for s in atom.senses):
            return True
        kinds_held = {state.unit_types[str(t)].kind for t in held if t in state.unit_types}
        if "infantry" in kinds_held and any(s.value == "infantry_any" for s in atom.senses):
            return True
        if held & set(state.board.data.lairs) and any(s.value == "dragon" for s in atom.senses):
            return True
        owners = {state.units[u].owner for u in said.candidates(atom) if u in state.units}
        race = {said.of_race(str(s.value)) for s in atom.all("utype")}
        if held & (owners | race) - {None}:
            return True
    if not kinds.isdisjoint(_PEOPLE):
        people = {str(s.value) for s in atom.all("player", "ally")}
        if people & held or said.me in people or "all" in held:
            return True
        owned = {u for u in held if u in state.units and state.units[str(u)].owner in people}
        if owned or any(state.buildings[str(b)].owner in people for b in buildings):
            return True
    if not kinds.isdisjoint(_CELLS):
        cells = {str(s.value) for s in atom.all("cell", "house", "over")}
        cells |= {str(c) for s in atom.all("path") for c, _ in s.value}
        if cells <= held:
            return True
        lands = {state.board.province.get(c) for c in cells}
        if lands & held - {None}:
            return True
    if "province" in kinds:
        lands = {s.value for s in atom.all("province")}
        if lands & held or any(state.board.province.get(str(c)) in lands for c in held):
            return True
    if "coins" in kinds and any(s.value in held | prices for s in atom.all("coins", "number")):
        return True
    return "spell" in kinds and any(s.value in held for s in atom.all("spell"))


def _prices(said: Said, held: set[Any]) -> set[int]:
    """What the things of a command cost: such a sum is no further order."""
    state, settings = said.state, said.state.settings
    out = {state.unit_types[str(t)].cost for t in held if t in state.unit_types}
    out |= {b.cost for b in state.building_types.values() if b.id in held or (b.mine and held & {"mine", "deepen"})}
    return out | {settings.embark_cost, settings.upgrade_cost, settings.mithril_cost}


_WATCHED = _CELLS | _PEOPLE | _TROOPS | {"province", "coins", "spell"}


def alternative(said: Said, outputs: Sequence[Output]) -> Output | None:
    """The question which of two things is meant: «Аэлин или Торгриму 5 монет»."""
    tokens, match = said.context.layout.tokens, said.match
    commands = [o for o in outputs if isinstance(o, Reading)]
    for i in range(match.first, match.last):
        if tokens[i].norm not in _OR or not commands:
            continue
        left = next((a for a in reversed(match.atoms) if a.last <= i), None)
        right = next((a for a in match.atoms if a.first > i), None)
        if left is None or right is None or left.kinds.isdisjoint(right.kinds) or right.first - i > 4 or i - left.last > 4:
            continue
        names = [left.text, right.text]
        text = f"Что из двух: {' или '.join(names)}?"
        return said.stop("ambiguous", text, choices=[choice(n) for n in names], draft=commands[0].command).problem
    return None


def exception(said: Said, outputs: Sequence[Output]) -> Output | None:
    """The question whom an order with «кроме» is for."""
    tokens, match = said.context.layout.tokens, said.match
    commands = [o for o in outputs if isinstance(o, Reading)]
    if not commands or not any(t.norm in _EXCEPT for t in tokens[match.first : match.last + 2]):
        return None
    text = "Кому и что, поимённо? «Кроме» понять не могу."
    return said.stop("ambiguous", text, draft=commands[0].command).problem


_EXCEPT = frozenset(tables()["except"]["words"])
_OR = frozenset(tables()["or"]["words"])


# ------------------------------------------------------------------------------------------------ what no order took

_NEAR = 9
"""Tokens that part two leftovers of one order at most."""
_OBJECTS = frozenset({"unit", "utype", "personal", "house", "btype", "player", "level", "garrison", "cell", "path", "way"})
_ALWAYS = frozenset({"~item", "cell", "path", "badcell", "nocell", "spell", "cards"})
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
        if index not in busy and any(a.has(*things) for a in atoms) and _begins_as_order(layout, index):
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
                if _orders(context, group, deeds):
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
        if a.has(*_DOUBTFUL) and not a.negated and a.first not in taken and layout.status[a.first] is Status.LIVE
    ]
    firsts = [a.first for a in free]
    out: Outputs = []
    for match, made in outputs:
        at = bisect_left(firsts, match.first)
        near = [a for a in free[max(0, at - 1) : at + 1] if _touching(layout, match, a)]
        sure = any(isinstance(o, Reading) and o.certain for o in made)
        if near and sure:
            note = f"рядом осталось непонятое: «{near[0].text}»"
            made = [replace(o, certain=False, note=note) if isinstance(o, Reading) and o.certain else o for o in made]
        out.append((match, made))
    return out


_DOUBTFUL = frozenset({"cell", "path", "coins", "spell", "cards"})
_BESIDE = 3
"""Tokens between an order and what may belong to it."""


def _touching(layout: Layout, match: Match, atom: Atom) -> bool:
    first, last = (atom.last, match.first) if atom.first < match.first else (match.last, atom.first)
    between = layout.tokens[first:last]
    if not 0 <= last - first <= _BESIDE or layout.sentence_of[atom.first] != match.sentence:
        return False
    part = any(t.kind is Kind.SIGN and t.norm in ";:.!?" for t in between)
    return not part and not any(t.kind is Kind.LINE for t in between)


def _begins_as_order(layout: Layout, index: int) -> bool:
    sentence = layout.sentences[index]
    words = [t for t in layout.tokens[sentence.first : sentence.last] if t.kind is Kind.WORD][:4]
    verbs = [info(t.norm).verb for t in words if t.norm not in closed_class()]
    first = next((v for v in verbs if v is not Verb.NONE), Verb.NONE)
    return first in _TOLD


def _orders(context: Context, group: Sequence[Atom], deeds: frozenset[str]) -> bool:
    known = [s for a in group for s in a.senses if not s.partial and s.quality >= typos.CERTAIN]
    kinds = {s.kind for s in known}
    if kinds & _ALWAYS:
        return True
    if kinds <= {"coins", "give", "~each"} and "coins" in kinds:
        return _unknown_receiver(context, group) is not None
    if "coins" in kinds and kinds & {"utype", "btype", "level"}:
        return True
    receiver = any(a.has("player") and ("datv" in a.cases or a.prep in {"к", "ко", "для"}) for a in group)
    if receiver and kinds & {"coins", "number"}:
        return True
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
    if known or token.norm in closed_class() | _FILLERS or preposition(layout.tokens, at):
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
    return None


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
