"""«Остаток в стены», «половину в резерв»: amounts that the other orders of the post leave of the energy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from parsers.context import Context
from parsers.frames import Match, Output
from parsers.types import Problem, Reading, Severity
from rules.astral.commands import COMMANDS
from rules.astral.judging import judge
from rules.astral.view import View
from rules.base import RulesError

Outputs = list[tuple[Match, list[Output]]]
REST, HALF = "rest", "half"
_NOTHING_LEFT = "Остатка нет: вся энергия уже занята другими приказами."


def wait(context: Context, match: Match, field: str) -> None:
    """Notes that the amount of a match is to be worked out when all is known: `worked_out`."""
    kind = HALF if match.slots.get("half") else REST
    context.memory.setdefault("rests", []).append((match, field, kind))


def worked_out(context: Context, outputs: Outputs) -> Outputs:
    """The outputs with the amounts that waited."""
    waiting: dict[int, tuple[str, str]] = {id(m): (field, kind) for m, field, kind in context.memory.get("rests", [])}
    view: View = context.view
    if not waiting or view.me is None:
        return outputs
    spent = _spent(view, [o.command for m, outs in outputs for o in outs if isinstance(o, Reading) and id(m) not in waiting])
    left = view.me.energy - spent
    halves = [m for m, _ in outputs if waiting.get(id(m), ("", ""))[1] == HALF]
    out: Outputs = []
    for match, made in outputs:
        if id(match) not in waiting:
            out.append((match, made))
            continue
        field, kind = waiting[id(match)]
        of_rest = _speaks_of_rest(context, match)
        base = left if kind == REST or of_rest or len(halves) == 2 or not spent else view.me.energy
        amount = base - sum(_half(left) for _ in halves) if kind == REST else _half(base)
        whole = any(f.atom.has("~all") for f in match.slots.get("rest", ()))  # «всю энергию» beside other orders
        sure = (kind == REST and not whole) or not spent or (of_rest and not whole)
        sure = sure and not (kind == REST and _loose_amount(context, outputs, match))
        odd = kind == HALF and base % 2 == 1
        out.append(
            (match, [_filled(context, match, o, field, amount, kind, sure=sure and len(halves) <= 2, odd=odd) for o in made])
        )
    return out


def _filled(
    context: Context, match: Match, output: Output, field: str, amount: int, kind: str, *, sure: bool, odd: bool
) -> Output:
    if not isinstance(output, Reading):
        return output
    if amount < 1:
        return context.problem(match, "E_INT", _NOTHING_LEFT, severity=Severity.ERROR)
    if odd:
        return _uneven(context, match, output, amount)
    note = f"остаток: {amount}э" if kind == REST else f"половина: {amount}э"
    return replace(output, command={**output.command, field: amount}, note=note, certain=output.certain and sure)


def _uneven(context: Context, match: Match, output: Reading, amount: int) -> Problem:
    text = f"Пополам не делится: {amount}э или {amount + 1}э?"
    return context.problem(match, "E_INT", text, draft=dict(output.command))


def _half(whole: int) -> int:
    return whole // 2


def _speaks_of_rest(context: Context, match: Match) -> bool:
    """«Остальное пополам: половину в деф, половину в резерв»: halves of the rest."""
    return any(a.has("~rest") for a in context.by_sentence.get(match.sentence, []))


def _loose_amount(context: Context, outputs: Outputs, match: Match) -> bool:
    """«Оставлю себе 4э, остальное в защиту»: an amount before it in the sentence that no order takes."""
    held = {a.first for m, made in outputs if made for a in m.atoms}
    inside = context.by_sentence.get(match.sentence, [])
    return any(a.has("energy") and a.first < match.first and a.first not in held for a in inside)


def _spent(view: View, commands: list[Any]) -> int:
    typed = []
    for command in commands:
        try:
            typed.append(COMMANDS.parse(command))
        except (RulesError, ValueError):
            continue
    return sum(v.cost for v in judge(view, typed).verdicts)
