"""The order language of one view and step, and the last look at a post: deployments put together, choices joined to attacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from rapidfuzz.distance import OSA

from parsers.context import Context
from parsers.discourse import WITHDRAW
from parsers.frames import Frame, Match, Output
from parsers.language import Language, build_lexicon
from parsers.lexicon import Lexicon
from parsers.russian import info
from parsers.structure import Layout, Status, starts_with
from parsers.tokens import Token
from parsers.types import Problem, Reading, Severity
from rules.steel_rose.language import common, gm, names, realm, tactics
from rules.steel_rose.language.amendments import either_fate, items_put_right, kept_city, moved, uncounted_beside, unread_turn
from rules.steel_rose.language.choices import settled, unchosen
from rules.steel_rose.language.cohesion import cohesive
from rules.steel_rose.language.corrections import (
    duplicates,
    either,
    instead,
    one_target,
    only,
    put_right,
    replaced,
    restated,
    said_again,
)
from rules.steel_rose.language.deployment import misplaced, unplaced
from rules.steel_rose.language.doubts import doubted, lost
from rules.steel_rose.language.gathering import betrayals, captures, deployments, fates_unsaid, of_battle, ways
from rules.steel_rose.language.halves import whole
from rules.steel_rose.language.joins import Joins
from rules.steel_rose.language.maneuver_again import left_places, unknown_maneuvers
from rules.steel_rose.language.names import HEARD, tables
from rules.steel_rose.language.outcome import Outputs, readings
from rules.steel_rose.language.parts import parts_of
from rules.steel_rose.language.references import ASIDE
from rules.steel_rose.language.replies import affirmed, unheard_of
from rules.steel_rose.language.senses import is_ogre
from rules.steel_rose.language.stories import allows, phrases_of, refused
from rules.steel_rose.language.suppositions import supposed
from rules.steel_rose.language.taken_back import denied, restarted, unwanted, withdrawn
from rules.steel_rose.language.voices import SPOKEN, answers, read_voice, spoken
from rules.steel_rose.refusals import phase_name, refuse
from rules.steel_rose.view import View

_NAMES = frozenset({"unit", "building", "city", "origin", "faction", "spell", "ritual", "mobile", "squad", "cell", "flank", "row",
    "road", "army", "armyword", "capital", "roadword", "town"})  # fmt: skip
_OF_BATTLES = frozenset({"deploy", "maneuver", "skip_planning", "capture_choice", "allocate_powder", "last_turn"})
_STRONG = frozenset({"squad"})
_NEEDS = frozenset({"city", "unit", "squad", "building", "army", "armyword", "gold"})
_lexicons: dict[Any, Lexicon] = {}


def order_language(view: View, kind: str | None) -> Language:
    """The language of the view's reader in a step (`orders`, `deployment`, `planning`, `capture`; None: unknown)."""
    table = tables()
    keeps = tuple(table["keeps"]["stems"])

    calm, away = phrases_of(table["keeps"]["calm"]), frozenset(table["keeps"]["away"])

    def kept(tokens: Sequence[Token]) -> bool:
        if any(starts_with(tokens, k, len(tokens), calm) for k in range(len(tokens))):
            return True
        won = any(t.norm.startswith(keeps) or _misspelt(t.norm, keeps) for t in tokens)
        return won and not any(t.norm in away for t in tokens)

    return Language(
        _lexicon(view),
        gm.frames() if view.all_seeing else _frames(view.faction, kind),
        guesses=() if view.all_seeing else _guesses(view.faction, kind),
        units={unit: frozenset(words) for unit, words in table["units"].items()},
        wholes=(whole,),
        composites=(Joins(view, kind),),
        strong=_STRONG,
        names=_NAMES | frozenset(table["gm"]) if view.all_seeing else _NAMES,
        persons=frozenset({"faction"}),
        me=view.faction,
        abbreviations=frozenset(table["abbreviations"]["words"]),
        opens=frozenset({"battleword", "planning", "deployword"}),
        harmless=frozenset(table["harmless"]["words"]),
        keeps=kept,
        clauses=gm.told_sums if view.all_seeing else _own_clauses,
        read_clause=Language.read_part if view.all_seeing else _read_clause,
        finish=None if view.all_seeing else lambda context, outputs: _finish(context, outputs, kind),
        allows=None if view.all_seeing else allows,
        view=view,
        unknown_message=table["asks"]["unknown"],
        conditional_message=table["asks"]["conditional"],
        unknown_needs=_NEEDS,
    )


def _misspelt(word: str, stems: tuple[str, ...]) -> bool:
    """«вазьмем»: a word of no dictionary that begins nearly so."""
    return not info(word).known and any(len(s) > 4 and OSA.distance(word[: len(s)], s) == 1 for s in stems)


def _own_clauses(layout: Layout) -> list[tuple[int, int]]:
    """Stretches that the game reads by itself; where two overlap, the earlier."""
    out: list[tuple[int, int]] = []
    for first, last in sorted([*refused(layout), *answers(layout), *spoken(layout)]):
        if not out or first >= out[-1][1]:
            out.append((first, last))
    return out


def _read_clause(language: Language, context: Context, first: int, last: int) -> Sequence[tuple[Match, list[Output]]]:
    unsaid = context.memory.setdefault("refused", frozenset(refused(context.layout)))
    return [] if (first, last) in unsaid else read_voice(language, context, first, last)


@cache
def _frames(me: str | None, kind: str | None) -> tuple[Frame, ...]:
    orders = realm.frames(me)
    if kind in ("deployment", "planning"):  # a bare «8 копейщиков» stands somewhere there, nobody hires
        weaker = ("hire", "army_order", "disband") if kind == "deployment" else ("hire",)
        orders = tuple(replace(f, weight=f.weight - 0.9) if f.id in weaker else f for f in orders)
    return tuple(cohesive(replace(f, noise=f.noise | {ASIDE})) for f in (*orders, *tactics.frames(me, kind)))


@cache
def _guesses(me: str | None, kind: str | None) -> tuple[Frame, ...]:
    """«барок в Альтене»: a building and a city are hardly ever named but to build; units with numbers often are."""
    if kind not in ("orders", None):
        return ()
    things = frozenset({"building", "city"})
    return tuple(replace(f, bare=(things,), score=None, triggers=()) for f in _frames(me, kind) if f.id == "build")


def _frame(context: Context, kind: str | None, name: str) -> Frame:
    return next(f for f in _frames(context.view.faction, kind) if f.id == name)


def _lexicon(view: View) -> Lexicon:
    """Lexicons are kept by what they name."""
    mobile = view.state.mobile_city
    key = (
        view.all_seeing,
        view.faction,
        tuple((i, c.name_ru, tuple(c.aliases)) for i, c in view.state.cities.items()),
        (mobile.name_ru, tuple(mobile.aliases)) if mobile is not None else None,
    )
    if key not in _lexicons:
        if len(_lexicons) > 24:
            _lexicons.clear()
        _lexicons[key] = build_lexicon(names.entries(view))
    return _lexicons[key]


def _finish(context: Context, outputs: Outputs, kind: str | None) -> Outputs:
    taken = {i for m, made in outputs if made for a in m.atoms for i in range(a.first, a.last)}
    if any(m.frame.id == WITHDRAW or m.correcting for m, _ in context.outputs):  # what was taken back was understood too
        taken |= {i for m, _ in context.outputs for a in m.atoms for i in range(a.first, a.last)}
    joined = {id(m) for m, made in outputs if made}  # what goes into another order was understood
    outputs = _heard(context, outputs, kind)
    outputs = restarted(context, outputs)
    items_put_right(context, outputs, frozenset(taken))
    restated(context, outputs, frozenset(taken))
    moved(context, outputs)
    kept_city(context, outputs)
    denied(context, outputs)
    outputs = only(context, unwanted(context, outputs))
    either(context, outputs)
    outputs = put_right(context, outputs)
    outputs = instead(context, outputs)
    outputs = said_again(context, outputs)
    withdrawn(context, outputs)
    outputs = deployments(context, outputs, kind)
    outputs = replaced(context, outputs)
    outputs = _no_skip(context, _no_deployment(context, outputs)) if kind == "planning" else outputs
    outputs = of_battle(context, outputs, kind)
    if kind == "capture":
        settled(context, outputs)
    outputs = captures(context, outputs, kind)
    either_fate(context, outputs)
    fates_unsaid(context, outputs)
    one_target(context, outputs)
    outputs = ways(outputs)
    outputs = betrayals(outputs)
    outputs = affirmed(context, outputs, _frame(context, kind, "alliance"))
    outputs = unheard_of(context, outputs, _frame(context, kind, "alliance"))
    outputs = _transfers(context, outputs)
    outputs = _as_last_turn(context, outputs)
    outputs = _no_pass(duplicates(context, outputs))
    if kind == "capture":
        outputs = unchosen(context, outputs, _frame(context, kind, "capture_choice"))
    outputs = supposed(context, outputs)
    uncounted_beside(context, outputs)
    unread_turn(context, outputs)
    outputs = [(m, made) for m, made in outputs if made or id(m) in joined]
    _untimely(outputs, kind)
    used = frozenset(
        taken | context.memory.get(HEARD, set()) | {i for m, _ in outputs for a in m.atoms for i in range(a.first, a.last)}
    )
    if kind == "deployment":
        outputs = misplaced(context, outputs, used, _frame(context, kind, "deploy"))
        outputs = unplaced(context, outputs, _frame(context, kind, "deploy"))
    if kind == "planning":
        outputs = left_places(context, outputs, used, _frame(context, kind, "maneuver"))
        outputs = unknown_maneuvers(context, outputs, used, _frame(context, kind, "maneuver"))
    context.read |= frozenset(context.memory.get(HEARD, ()))
    doubted(context, outputs, used)
    return lost(context, outputs, used, _frame(context, kind, "hire"))


def _no_skip(context: Context, outputs: Outputs) -> Outputs:
    """«…, остальные без манёвров» beside manoeuvres skips no planning; elsewhere in a plan it asks."""
    moved = {m.sentence for m, made in outputs if m.frame.id == "maneuver" and made}
    out: Outputs = []
    for match, made in outputs:
        if match.frame.id == "skip_planning" and moved:
            others = any(a.has("~rest", "m_none") for a in context.by_sentence.get(match.sentence, ()))
            if match.sentence in moved or others:
                continue
            made = [
                replace(o, certain=False, note=tables()["asks"]["skip_or_plan"]) if isinstance(o, Reading) else o for o in made
            ]
        out.append((match, made))
    return out


def _no_pass(outputs: Outputs) -> Outputs:
    """«Больше приказов нет»: no turn is passed beside orders."""
    if all(r.command["type"] == "pass" for _, made in outputs for r in readings(made)):
        return outputs
    return [(m, made) for m, made in outputs if m.frame.id != "pass"]


def _untimely(outputs: Outputs, kind: str | None) -> None:
    """«и город перекатить к Альтенграду» in a battle: whatever is unclear of it, it is an order of another phase."""
    if kind in (None, "orders"):
        return
    for match, made in outputs:
        if match.frame.id in _OF_BATTLES:
            continue
        for n, output in enumerate(made):
            if isinstance(output, Problem) and output.code == "ambiguous":
                out = refuse("E_PHASE", now=phase_name(kind), due=phase_name("orders"))
                made[n] = replace(output, code=out.code, message=out.message, severity=Severity.ERROR, rule=out.rule, choices=())


def _no_deployment(context: Context, outputs: Outputs) -> Outputs:
    """«щиты центра (центральный авангард) — в укрытие»: where a squad stands is said beside its manoeuvre."""
    parts = parts_of(context)
    moved = {parts.of.get(a.first) for m, made in outputs if m.frame.id == "maneuver" and made for a in m.atoms}
    said = {m.sentence for m, made in outputs if m.frame.id == "maneuver" and made}

    def beside(match: Match) -> bool:
        near = any(parts.of.get(a.first) in moved for a in match.atoms)
        uncounted = not any(a.has("squad") for a in match.atoms)  # «…; пушки из левого — по левому»
        return match.sentence in said and (near or uncounted)

    return [(m, made) for m, made in outputs if m.frame.id != "deploy" or not beside(m)]


def _heard(context: Context, outputs: Outputs, kind: str | None) -> Outputs:
    """Words in quotation marks are orders only where nothing else of a turn was ordered."""
    quoted = {id(m) for m in context.memory.get(SPOKEN, ())}
    if not quoted or kind not in ("orders", None):
        return outputs
    plain = [(m, made) for m, made in outputs if id(m) not in quoted]
    return plain if any(readings(made) for _, made in plain) else outputs


def _transfers(context: Context, outputs: Outputs) -> Outputs:
    """Ogres hired beside ogres' names are mercenaries whatever the verb; nothing to do for the ogres themselves."""
    if context.view.faction == "ogres":
        return outputs
    for _, made in outputs:
        for n, output in enumerate(made):
            if isinstance(output, Reading) and output.command["type"] == "hire" and is_ogre(output.command.get("unit")):
                made[n] = replace(output, command={**output.command, "type": "hire_mercenary"})
    return outputs


def _as_last_turn(context: Context, outputs: Outputs) -> Outputs:
    """«остальное как в прошлом ходу» stands in a clause of the past, where no frame looks."""
    if any(m.frame.id == "last_turn" for m, _ in outputs):
        return outputs
    for atom in context.atoms:
        if atom.has("lastturn") and context.layout.status[atom.first] is Status.IRREAL:
            frame = next(f for f in _frames(context.view.faction, None) if f.id == "last_turn")
            sentence = context.layout.sentence_of[atom.first]
            match = Match(frame, (atom,), (atom,), {}, False, atom.span, atom.first, atom.last, sentence, "")
            return [*outputs, (match, [common.ask(context, match, "last_turn")])]
    return outputs
