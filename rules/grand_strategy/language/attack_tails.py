"""What is told of an attack behind it, in sentences of their own: its cards, who fights beside, what becomes of the building
(R103, R114, R119): «Объявляю бой Броду. Вместе с Торгримом. Карта: стрельба. Не ломать»."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from parsers.frames import Match, Output
from parsers.types import Problem, Reading

Outputs = list[tuple[Match, list[Output]]]

_FOLLOWING = 2
"""Sentences behind an attack, or behind what was told of it, that may go on about it."""
_ANSWERS = ("agree", "refuse", "apart", "answer", "allow", "take")
"""Words that make «вместе с Торгримом» an answer to him."""


def told_behind(outputs: Outputs) -> Outputs:
    """The outputs with each attack holding what follows it at once; what was ordered by a condition takes its cards alone."""
    out: Outputs = []
    attack: tuple[Match, list[Output]] | None = None
    last = 0
    for match, made in outputs:
        reading = _told(made)
        if reading is not None and attack is not None and 0 <= match.sentence - last <= _FOLLOWING:
            before = attack[1][-1]
            assert isinstance(before, Reading)
            command = _whole(before.command, reading.command, match, match.sentence == attack[0].sentence)
            if command is not None:
                attack[1][-1] = replace(
                    before,
                    command=command,
                    span=before.span.cover(reading.span),
                    certain=before.certain and reading.certain,
                    note="; ".join(n for n in (before.note, reading.note) if n) or None,
                )
                last = match.sentence
                continue
        again = made[0] if len(made) == 1 else None
        if isinstance(again, Problem) and attack is not None and match.sentence - last <= 1 and _said_again(attack[1][-1], again):
            continue  # «Бой Устью! Бьёт стража.»
        entry = (match, list(made))
        out.append(entry)
        if made:
            attack = entry if _fights(made[-1]) else None
            last = match.sentence
    return out


def _told(made: list[Output]) -> Reading | None:
    """The only reading of a match; the first of several allies."""
    readings = [o for o in made if isinstance(o, Reading)]
    one = len(made) == 1 or all(r.command["type"] == "join_consent" for r in readings)
    return readings[0] if readings and one and len(readings) == len(made) else None


def _said_again(attack: Output, asked: Problem) -> bool:
    """True for an attack without a target by the troop that just attacked."""
    told = attack.command if isinstance(attack, Reading) else {}
    return told.get("type") == "attack" and dict(asked.draft or {}) == {"type": "attack", "unit": told["unit"]}


def _fights(output: Output) -> bool:
    return isinstance(output, Reading) and bool(_attack_in(output.command))


def _attack_in(command: Mapping[str, Any]) -> Mapping[str, Any]:
    """The attack that an order is, or that waits for its event; empty: none."""
    if command["type"] == "standing_order":
        command = command["action"]
    return command if command["type"] == "attack" else {}


def _whole(order: Mapping[str, Any], command: Mapping[str, Any], match: Match, same: bool) -> dict[str, Any] | None:
    """An attack with what a later command adds to it; None where that is an order of its own."""
    attack = _attack_in(order)
    more = _added(attack, command, match, same) if "battle" not in command else {}
    if not more:
        return None
    if order is attack:
        return {**order, **more}
    return {**order, "action": {**attack, **more}} if more.keys() == {"cards"} else None


def _added(attack: Mapping[str, Any], command: Mapping[str, Any], match: Match, same: bool) -> dict[str, Any]:
    kind = command.get("type")
    if kind == "victory_choice":
        return {k: v for k, v in command.items() if k in ("capture", "preserve")}
    if kind == "join_consent" and "agree" not in command and not any(a.has(*_ANSWERS) for a in match.atoms):
        named = [s.value for a in match.atoms for s in a.all("ally")] or [command["player"]]
        return {"ally": list(dict.fromkeys([*attack.get("ally", ()), *named]))}
    if kind != "battle_cards" or "regroup" in command or "cards" in attack:
        return {}
    cards = command["cards"]
    if isinstance(cards, Mapping):
        return {"cards": cards[attack["unit"]]} if cards.keys() == {attack["unit"]} else {}
    return {} if same else {"cards": cards}
