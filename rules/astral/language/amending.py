"""«UPD: луки 6, священная 5»: units named again behind a sign of correction change the attack that they are in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Match, Output
from parsers.structure import Status
from parsers.types import Problem, Reading, Span
from rules.astral.language.names import beside

Outputs = list[tuple[Match, list[Output]]]
_KINDS = ("troop", "magic")
_MARK = 5
"""A sentence of no more tokens that begins with a sign of correction is no more than that («UPD 21:40.»)."""


def amended(context: Context, outputs: Outputs) -> Outputs:
    """The outputs with the amounts of one attack put right by a later line; everything else of it stays."""
    layout = context.layout
    outputs = _with_ratios(context, outputs)
    for index, inside in sorted(context.by_sentence.items()):
        sentence = layout.sentences[index]
        if any(m.sentence == index and any(isinstance(o, Reading) for o in made) for m, made in outputs):
            continue
        if layout.status[sentence.first] is not Status.LIVE or not _corrects(context, sentence.first, inside):
            continue
        told = {kind: found for kind in _KINDS if (found := _told(inside, kind)) is not None}
        if len(told) != len(_KINDS):
            continue
        hero = next((a.get("hero") for a in inside if a.has("hero") and not a.negated), None)
        span = Span(layout.tokens[sentence.first].start, layout.tokens[sentence.last - 1].end)
        outputs = _put(context, outputs, told, str(hero.value) if hero is not None else None, span)
    return outputs


def _corrects(context: Context, first: int, inside: Sequence[Atom]) -> bool:
    layout = context.layout
    here = layout.sentence_of[first]
    if here and layout.sentences[here].first - layout.sentences[here - 1].first <= _MARK:
        before = layout.sentences[here - 1].first  # «UPD. Пехота 3, …»
        if layout.tokens[before].norm.rstrip("0123456789") in beside("correcting"):
            return True
    word = layout.tokens[first].norm.rstrip("0123456789")
    return word in beside("correcting") or any(a.has("~correction") and a.first == first for a in inside)


def _told(inside: Sequence[Atom], kind: str) -> tuple[str, int] | None:
    """A unit of this kind and the whole number right behind it."""
    for unit, amount in pairwise(inside):
        if unit.has(kind) and amount.has("number", "energy") and isinstance(amount.senses[0].value, int):
            sense = unit.get(kind)
            return (str(sense.value), amount.senses[0].value) if sense is not None else None
    return None


def _with_ratios(context: Context, outputs: Outputs) -> Outputs:
    """«Вернее, не 5/4, а 4/5»: the amounts of the attack right before, in the order in which it names its units."""
    tokens = context.layout.tokens
    for mark in context.atoms:
        if not mark.has("~correction") or context.layout.status[mark.first] is not Status.LIVE:
            continue
        sentence = context.layout.sentences[context.layout.sentence_of[mark.first]]
        behind = [a for a in context.by_sentence.get(context.layout.sentence_of[mark.first], []) if a.first > mark.first]
        before = [(m, o) for m, made in outputs for o in made if isinstance(o, Reading) and m.last <= mark.first][-1:]
        if len(behind) != 1 or not behind[0].has("ratio") or not before or "troop_energy" not in before[0][1].command:
            continue
        match, reading = before[0]
        named = sorted(_KINDS, key=lambda kind: match.slots[kind][0].atom.first if match.slots.get(kind) else 0)
        told = {
            kind: (str(reading.command[kind]), int(value)) for kind, value in zip(named, behind[0].senses[0].value, strict=True)
        }
        if sum(v for _, v in told.values()) != sum(reading.command.get(f"{kind}_energy", 0) for kind in _KINDS):
            continue  # «UPD 21:40»
        span = Span(mark.span.start, tokens[sentence.last - 1].end)
        outputs = _put(context, outputs, told, None, span)
    return outputs


def _put(context: Context, outputs: Outputs, told: dict[str, tuple[str, int]], hero: str | None, span: Span) -> Outputs:
    """Only where one attack of the post has both units."""
    fitting = [
        o
        for m, made in outputs
        for o in made
        if isinstance(o, Reading) and m.frame.id == "attack" and all(o.command.get(k) == told[k][0] for k in _KINDS)
    ]
    if len(fitting) != 1:
        return outputs
    old = fitting[0]
    amounts = {f"{kind}_energy": told[kind][1] for kind in _KINDS}
    whole = sum(amounts.values()) == sum(int(old.command.get(name, 0)) for name in amounts)
    note = old.note if not old.certain and not _unsure_of(context, old, span) else None
    new = replace(
        old,
        command={**old.command, **amounts, **({"hero": hero} if hero is not None else {})},
        extra_spans=(*old.extra_spans, span),
        certain=whole and note is None,
        note=note if whole else "исправлено ниже; сходится ли с вложенной энергией?",
    )
    out: Outputs = []
    for match, made in outputs:
        kept = [
            new if o is old else o for o in made if not (isinstance(o, Problem) and o.span is not None and o.span.touches(span))
        ]
        if kept:
            out.append((match, kept))
    return out


def _unsure_of(context: Context, reading: Reading, span: Span) -> bool:
    """True when the reading was uncertain only for this correction."""
    return context.text(span) in (reading.note or "")
