"""Deployments and the presets of garrisons: when a stretch is one (§3.1, §3.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Fill, Frame, Match, Output
from parsers.russian import Verb, closed_class, info
from parsers.structure import Status
from parsers.tokens import Kind
from parsers.types import Problem, Severity, Span
from rules.steel_rose.language.battlefield import battle_fields
from rules.steel_rose.language.cohesion import HEADING
from rules.steel_rose.language.common import ask, called, has
from rules.steel_rose.language.outcome import Outputs
from rules.steel_rose.language.placed import PLACES
from rules.steel_rose.refusals import refuse

BELOW = 0.1
"""A line of squads alone."""
PRESET = "set_garrison_deployment"


def score_deploy(weight: float) -> Callable[[Fill], float | None]:
    def score(fill: Fill) -> float | None:
        if "who" in fill.slots and not fill.triggers:  # «4 волка», below a heading that names the place
            alone = all(a.data.get(HEADING) and a.has("squad", "unit") for a in fill.atoms)
            return BELOW if alone and any(a.has("squad") for a in fill.atoms) else None
        return weight if "who" in fill.slots and called(fill, *PLACES) else None

    return score


def make_deploy(match: Match, context: Context) -> Iterable[Output]:
    sentence = context.layout.sentences[match.sentence]
    if not match.triggers and any(_somewhere(context, i) for i in range(sentence.first, sentence.last - 1)):
        return []  # «на крышу — одного лучника»
    return [context.reading(match, {"type": "deploy", **battle_fields(match), "positions": {}}, notes=[])]


def score_garrison(fill: Fill) -> float | None:
    if "city" not in fill.slots and not called(fill, "everywhere", "garrison", "garrisons"):
        return None
    if called(fill, "default") and called(fill, "garrison", "garrisons"):
        return 0.5
    if called(fill, "~same") and called(fill, "garrison") and "city" in fill.slots and "who" not in fill.slots:
        return 0.4  # «гарнизон Ормиса такой же»
    if not called(fill, "garrison", "garrisons"):
        return 0.3 if "who" in fill.slots and "place" in fill.slots and "city" in fill.slots else None
    return 0.7 if "who" in fill.slots and "place" in fill.slots else None


def make_garrison(match: Match, context: Context) -> Iterable[Output]:
    cities: list[Any] = []
    for filled in match.slots.get("city", ()):
        if len(filled.senses) > 1:
            return [context.which(match, "city", filled)]
        cities.append(filled.value)
    if has(match, "everywhere", "garrisons") or not cities:
        cities = ["all"]
    return [context.reading(match, {"type": PRESET, "city": c, "positions": {}}, notes=[]) for c in cities]


def preset_above(context: Context, match: Match) -> list[str]:
    """The cities of a heading («Гарнизон Кронвика:») that stands right above these places; empty: none does."""
    index = match.sentence - 1
    while index >= 0 and not _live(context, index):
        index -= 1
    head = _live(context, index) if index >= 0 else []
    if not head or not head[0].data.get(HEADING) or not any(a.has("garrison", "garrisons") for a in head):
        return []
    if any(a.has("garrisons", "everywhere") for a in head):
        return ["all"]
    return [str(s.value) for a in head for s in a.all("city")[:1]]


def misplaced(context: Context, outputs: Outputs, used: frozenset[int], frame: Frame) -> Outputs:
    """«на крышу — одного щитовика»: a squad that is sent to no place of the field."""
    out: Outputs = []
    tokens = context.layout.tokens
    for index in context.by_sentence:
        inside = _live(context, index)
        squads = [a for a in inside if a.has("squad", "unit") and not a.negated and a.first not in used]
        if not squads or any(a.has(*PLACES) or a.first in used for a in inside):
            continue
        sentence = context.layout.sentences[index]
        own = {i for a in squads for i in a.tokens()}
        at = next((i for i in range(sentence.first, sentence.last - 1) if i + 1 not in own and _somewhere(context, i)), -1)
        if at < 0:
            continue
        first, last = min(at, squads[0].first), max(at + 2, squads[-1].last)
        span = Span(tokens[first].start, tokens[last - 1].end)
        match = Match(frame, tuple(squads), (), {}, False, span, first, last, index, "")
        said = refuse("E_POSITION")
        problem = Problem(said.code, Severity.ERROR, said.message, span, draft={"type": "deploy"}, rule=said.rule)
        out.append((match, [problem]))
    return sorted([*outputs, *out], key=lambda item: item[0].first)


def unplaced(context: Context, outputs: Outputs, frame: Frame) -> Outputs:
    """«Волков восемь: четыре туда, четыре сюда»: squads are told and nothing was understood."""
    squads = [a for a in context.atoms if a.has("squad") and context.layout.status[a.first] is Status.LIVE]
    if not squads or any(made for _, made in outputs):
        return outputs
    first = squads[0]
    index = context.layout.sentence_of[first.first]
    match = Match(frame, (first,), (), {}, False, first.span, first.first, first.last, index, "")
    return [*outputs, (match, [ask(context, match, "nobody_placed")])]


def _somewhere(context: Context, at: int) -> bool:
    """«на крышу», «в лесу»: a preposition of place with a noun."""
    tokens = context.layout.tokens
    noun = info(tokens[at + 1].norm)
    plain = tokens[at + 1].kind is Kind.WORD and noun.verb is Verb.NONE and tokens[at + 1].norm not in closed_class()
    return tokens[at].norm in {"на", "в", "во", "под"} and plain and bool(noun.cases & {"accs", "loct"})


def _live(context: Context, index: int) -> list[Atom]:
    status = context.layout.status
    return [a for a in context.by_sentence.get(index, ()) if status[a.first] is Status.LIVE]
