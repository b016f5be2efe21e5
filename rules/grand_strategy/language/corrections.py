"""«Ой, не 10, а 5!»: a sentence that only puts another value in the place of one said just before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Match, Output
from parsers.structure import Status
from parsers.types import Reading, Span

Outputs = list[tuple[Match, list[Output]]]
_BACK = 2
"""Sentences back that a correction reaches."""
_KINDS = ("cell", "player", "unit", "utype", "level", "btype", "house")


def put_right(context: Context, outputs: Outputs) -> Outputs:
    """The orders with the values that a later sentence of its own corrects."""
    layout = context.layout
    busy = {layout.sentence_of[a.first] for m, made in outputs if made for a in m.atoms}
    for index, atoms in sorted(context.by_sentence.items()):
        pair = _pair(context, atoms) if index not in busy else None
        if pair is None:
            continue
        old, new, span = pair
        for n in range(len(outputs) - 1, -1, -1):
            match, made = outputs[n]
            if match.first > span.start or not 0 < index - match.sentence <= _BACK:
                continue
            renewed = [_with(o, old, new, span) for o in made]
            if sum(a is not b for a, b in zip(made, renewed, strict=True)) == 1:
                outputs = [*outputs[:n], (match, renewed), *outputs[n + 1 :]]
                context.memory.setdefault("stories", []).append(_covering(match, atoms, index))
                break
    return outputs


def _pair(context: Context, atoms: list[Atom]) -> tuple[Any, Any, Span] | None:
    """What was wrong, what is right, and the place."""
    layout = context.layout
    live = [a for a in atoms if layout.status[a.first] is Status.LIVE and not a.has("~correction")]
    if len(live) == 1 and live[0].data.get("old") is not None:
        here = live[0]
        return here.data["old"], here.senses[0].value, here.span
    wrong_at = next((n for n, a in enumerate(live[:-1]) if a.negated and not live[n + 1].negated), None)
    if wrong_at is None or len(live) > 4:
        return None
    live = live[wrong_at : wrong_at + 2]
    kind = next((k for k in _KINDS if live[0].has(k) and live[1].has(k)), None)
    if kind is None or layout.tokens[live[1].first - (2 if live[1].prep else 1)].norm != "а":
        return None
    wrong, right = live[0].get(kind), live[1].get(kind)
    assert wrong is not None
    assert right is not None
    return wrong.value, right.value, live[0].span.cover(live[1].span)


def _with(output: Output, old: Any, new: Any, span: Span) -> Output:
    if not isinstance(output, Reading):
        return output
    command, count = _swapped(output.command, old, new)
    return replace(output, command=command, extra_spans=(*output.extra_spans, span)) if count == 1 else output


def _swapped(value: Any, old: Any, new: Any) -> tuple[Any, int]:
    if isinstance(value, Mapping):
        pairs = {k: _swapped(v, old, new) for k, v in value.items()}
        return {k: v for k, (v, _) in pairs.items()}, sum(n for _, n in pairs.values())
    if isinstance(value, list | tuple):
        items = [_swapped(v, old, new) for v in value]
        return [v for v, _ in items], sum(n for _, n in items)
    return (new, 1) if value == old and type(value) is type(old) else (value, 0)


def _covering(match: Match, atoms: list[Atom], index: int) -> Match:
    return replace(match, first=atoms[0].first, last=atoms[-1].last, sentence=index)
