"""An order announced and then given, and what a player leaves of two («тогда только первое»)."""

from __future__ import annotations

from dataclasses import replace

from parsers.context import Context
from parsers.frames import Match, Output
from parsers.structure import Status
from parsers.types import Reading
from rules.grand_strategy.language.names import tables

Outputs = list[tuple[Match, list[Output]]]

_WORDS = tables()["count"]
_ONLY = frozenset(_WORDS["only"])
_FIRST, _SECOND, _SOME = (frozenset(_WORDS[k]) for k in ("first", "second", "some"))
_BACK = 3
"""Sentences back that «только первое» reaches."""
_AGAIN = 2
"""Sentences that a lifted siege and its second telling lie apart at most."""


def said_again(context: Context, outputs: Outputs) -> Outputs:
    """«Идём строить твердыню. … На месте ставим крепость»: one troop works once a turn (R8), so what was announced is the work
    that comes behind the way; «Отпускаю Устье, осада снята» lifts one siege."""
    flat = [(n, k, o) for n, (_, made) in enumerate(outputs) for k, o in enumerate(made) if isinstance(o, Reading)]
    gone: set[tuple[int, int]] = set()
    changed: dict[tuple[int, int], Reading] = {}
    for at, (n, k, later) in enumerate(flat):
        for m, j, earlier in flat[:at]:
            if (m, j) in gone or earlier.command.get("unit") != later.command.get("unit"):
                continue
            kind = later.command["type"]
            if kind == earlier.command["type"] == "build" and dict(earlier.command) == dict(later.command) and m != n:
                gone.add((m, j))
                spans = (*later.extra_spans, *((earlier.span,) if earlier.span else ()), *earlier.extra_spans)
                note = later.note or "сказано дважды: понято как одна постройка"
                changed[n, k] = replace(later, extra_spans=spans, certain=False, note=note)
            again = kind == earlier.command["type"] == "hire" and not outputs[n][0].triggers and _same_hire(earlier, later)
            again = again and not any(a.has("~once_more") for a in context.by_sentence.get(outputs[n][0].sentence, ()))
            if again and outputs[n][0].sentence - outputs[m][0].sentence <= _AGAIN:
                gone.add((n, k))
            besieged = kind == earlier.command["type"] == "siege" and dict(earlier.command) == dict(later.command)
            if besieged and m != n:
                gone.add((n, k))  # «Осадить Устье! Дружина берёт башню в кольцо»
            near = outputs[n][0].sentence - outputs[m][0].sentence <= _AGAIN
            if kind == earlier.command["type"] == "lift_siege" and near and later.command.get("building") is None:
                gone.add((n, k))
                whole = changed.get((m, j), earlier)
                spans = (*whole.extra_spans, *((later.span,) if later.span else ()), *later.extra_spans)
                changed[m, j] = replace(whole, extra_spans=spans)
    return [
        (match, [changed.get((n, k), o) if isinstance(o, Reading) else o for k, o in enumerate(made) if (n, k) not in gone])
        for n, (match, made) in enumerate(outputs)
    ]


def _same_hire(earlier: Reading, later: Reading) -> bool:
    """«Мага школы Мёртвых в Трон. Да, некроманта»: one house hires one troop a year (R84)."""
    a, b = earlier.command, later.command
    same = all(a.get(k) == b.get(k) for k in ("building", "unit_type"))
    return same and b.get("school") in (None, a.get("school"))


def only_one(context: Context, outputs: Outputs) -> Outputs:
    """«Нельзя два? Тогда только первое.»: of the two orders before it one stays; where they aren't two of a kind, all ask."""
    layout = context.layout
    busy = {m.sentence for m, made in outputs if made}
    for index, sentence in enumerate(layout.sentences):
        if index in busy:
            continue
        live = [i for i in range(sentence.first, sentence.last) if layout.status[i] is Status.LIVE]
        norms = [layout.tokens[i].norm for i in live]
        at = next((k for k, w in enumerate(norms) if w in _ONLY), None)
        which = next((w for w in norms[at + 1 : at + 3] if w in _FIRST | _SECOND | _SOME), None) if at is not None else None
        if which is None:
            continue
        before = [n for n, (m, made) in enumerate(outputs) if 0 < index - m.sentence <= _BACK and made]
        last = max((outputs[n][0].sentence for n in before), default=-1)
        said = [(n, o) for n in before if outputs[n][0].sentence == last for o in outputs[n][1] if isinstance(o, Reading)]
        if len(said) < 2:
            continue
        pair = len(said) == 2 and said[0][1].command["type"] == said[1][1].command["type"] and which not in _SOME
        note = f"возможно, отменено: «{which}»"
        dropped = said[1][1] if which in _FIRST else said[0][1]
        for n in {n for n, _ in said}:
            match, made = outputs[n]
            if pair:
                kept = [o for o in made if o is not dropped]
            else:
                kept = [replace(o, certain=False, note=note) if isinstance(o, Reading) else o for o in made]
            outputs = [*outputs[:n], (match, kept), *outputs[n + 1 :]]
    return outputs


def every_turn(context: Context, outputs: Outputs) -> Outputs:
    """«Каждый год Гхашу 2 монеты»: an order is carried out once, so the wish to have it again and again asks."""
    out: Outputs = []
    for match, made in outputs:
        often = next((a for a in context.by_sentence.get(match.sentence, ()) if a.has("repeat") and not a.negated), None)
        if often is not None:
            note = f"«{often.text}»: приказ исполняется один раз"
            made = [_once(o, note) if isinstance(o, Reading) and o.command["type"] in _ONE_OFF else o for o in made]
        out.append((match, made))
    return out


def _once(reading: Reading, note: str) -> Reading:
    return replace(reading, certain=False, note=f"{reading.note}; {note}" if reading.note else note)


_ONE_OFF = frozenset({"send_money", "hire", "build", "cast", "move", "attack", "garrison_attack"})
"""Orders that are done when they are done."""
