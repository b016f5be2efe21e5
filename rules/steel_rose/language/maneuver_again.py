"""A manoeuvre that goes on without its verb, and what is ordered of a squad that no manoeuvre is."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Frame, Match, Output
from parsers.russian import Verb, closed_class, info
from parsers.structure import Status
from parsers.tokens import Kind
from parsers.types import Problem, Severity, Span
from rules.steel_rose.data import game_data
from rules.steel_rose.language.maneuver_scores import MANEUVERS
from rules.steel_rose.language.names import tables
from rules.steel_rose.language.outcome import Outputs
from rules.steel_rose.language.parts import parts_of
from rules.steel_rose.language.places import FLANKS
from rules.steel_rose.language.senses import value_of
from rules.steel_rose.refusals import refuse

LAST = "maneuver"
"""Where the command of the manoeuvre said last is kept."""
_DOING = frozenset({Verb.THIRD, Verb.INFINITIVE, Verb.ORDER, Verb.IMPERATIVE})


def goes_on(match: Match, context: Context) -> Iterable[Output]:
    """«левый авангард прикрывает левый арьергард, правый — правый», «и правый арьергард тоже»: the manoeuvre before it again."""
    last: dict[str, Any] | None = context.memory.get(LAST)
    if last is None:
        return []
    places = [f.atom for f in match.slots.get("place", ()) if f.atom.has("cell", "flank")]
    squads = _cells(places[0], last["position"][1])
    command = {k: v for k, v in last.items() if k != "free_move"}
    if len(places) > 1:
        field = "target" if "target" in last else "path"
        old = last.get(field, "")
        targets = _cells(places[1], (old if isinstance(old, str) else old[-1])[1:])
        if len(targets) != 1 or not old or len(old) > 1 + isinstance(old, str):
            return [context.problem(match, "ambiguous", tables()["asks"]["which_target"].format(maneuver=match.atoms[0].text))]
        command[field] = targets[0] if isinstance(old, str) else targets
    out: list[Output] = []
    for squad in squads:
        context.memory[LAST] = {**command, "position": squad}
        out.append(context.reading(match, context.memory[LAST]))
    context.memory["squad"], context.memory["squad_sentence"] = squads[-1], match.sentence
    return out


def _cells(place: Atom, row: str) -> list[str]:
    if place.has("cell"):
        return [str(c) for c in value_of(place, "cell")]
    return [f + row for f in FLANKS.get(str(value_of(place, "flank")), str(value_of(place, "flank")))]


def left_places(context: Context, outputs: Outputs, used: frozenset[int], frame: Frame) -> Outputs:
    """«…, на левый — левым»: places in the sentence of a manoeuvre that nobody understood."""
    layout = context.layout
    moved = {m.sentence for m, made in outputs if m.frame.id == "maneuver" and made}
    spoken = {
        i for _, made in outputs for o in made if isinstance(o, Problem) and o.span is not None for i in _tokens(context, o)
    }
    out: Outputs = []
    parts = parts_of(context)
    for index in sorted(moved):
        inside = context.by_sentence.get(index, ())
        heard = {parts.of.get(a.first) for a in inside if a.first in used or a.has("m_none")}
        left = [a for a in inside if a.has("cell", "flank") and a.first not in used and not a.negated and a.first not in spoken]
        left = [a for a in left if layout.status[a.first] is Status.LIVE and parts.of.get(a.first) not in heard]
        alone = any(a.has("cell") and not a.prep and _says_more(context, parts.spans[parts.of[a.first]], a) for a in left)
        if not left or (len(left) < 2 and not alone):
            continue
        span = left[0].span.cover(left[-1].span)
        match = Match(frame, tuple(left), (), {}, False, span, left[0].first, left[-1].last, index, "")
        text = tables()["asks"]["lost"].format(text=context.text(span))
        out.append((match, [context.problem(match, "ambiguous", text, severity=Severity.QUESTION)]))
    return sorted([*outputs, *out], key=lambda item: item[0].first)


def _says_more(context: Context, clause: tuple[int, int], atom: Atom) -> bool:
    """«левый авнгард в укрытее»: a place with words that nobody knows."""
    words = [t for t in context.layout.tokens[clause[0] : clause[1]] if t.kind is Kind.WORD and t.norm not in closed_class()]
    return len(words) > sum(t.kind is Kind.WORD for t in context.layout.tokens[atom.first : atom.last])


def _tokens(context: Context, problem: Problem) -> range:
    assert problem.span is not None
    starts = [t.start for t in context.layout.tokens]
    return range(bisect_left(starts, problem.span.start), bisect_left(starts, problem.span.end))


def unknown_maneuvers(context: Context, outputs: Outputs, used: frozenset[int], frame: Frame) -> Outputs:
    """«Левый авангард строится черепахой»: a squad is to do something that is no manoeuvre."""
    layout = context.layout
    busy = {m.sentence for m, made in outputs if made}
    out: Outputs = []
    for index, inside in context.by_sentence.items():
        squad = inside[0]
        known = any(a.has(*MANEUVERS, "attack", "free", "squad", "~place", "too", "nobody") for a in inside)
        if index in busy or known or not squad.has("cell") or squad.prep or squad.negated or squad.first in used:
            continue
        sentence = layout.sentences[index]
        rest = range(squad.last, sentence.last)
        words = [i for i in rest if layout.tokens[i].kind is Kind.WORD and layout.tokens[i].norm not in closed_class()]
        told = any(layout.status[i] is not Status.LIVE for i in range(sentence.first, sentence.last))
        verb = words and info(layout.tokens[words[0]].norm).verb in _DOING
        if told or not words or not (verb or layout.tokens[squad.last].norm in {":", "-"}):
            continue
        span = Span(squad.span.start, layout.tokens[words[-1]].end)
        said = context.text(Span(layout.tokens[words[0]].start, span.end))
        match = Match(frame, (squad,), (), {}, False, span, squad.first, words[-1] + 1, index, "")
        no = refuse("E_UNKNOWN_MANEUVER", x=said, list=", ".join(m.name_ru for m in game_data().maneuvers.values()))
        draft = {"type": "maneuver", "position": value_of(squad, "cell")[0]}
        out.append((match, [Problem(no.code, Severity.ERROR, no.message, span, draft=draft, rule=no.rule)]))
    return sorted([*outputs, *out], key=lambda item: item[0].first)
