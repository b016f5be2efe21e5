"""The GM's commands typed as text (§3.3): units, treasuries, a phase closed, a status, the mobile city's road."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from parsers.context import Context
from parsers.frames import Frame, Match, Missing, Output, Slot
from parsers.types import Severity
from rules.steel_rose.language.common import called, has
from rules.steel_rose.language.names import tables
from rules.steel_rose.language.units import counted

FACTION = Slot("faction", ("faction",), required=True, weight=1.4, missing=Missing("E_UNKNOWN_FACTION", "Какой фракции?"))


def _make_units(match: Match, context: Context) -> Iterable[Output]:
    found, questions = counted(match, context)
    faction = match.value("faction")
    out: list[Output] = list(questions)
    for unit, count, atom in found:
        if not isinstance(count, int) or count == 0:
            text = tables()["asks"]["no_number"].format(text=atom.text)
            out.append(context.problem(match, "E_COUNT", text, atom.span, severity=Severity.ERROR))
            continue
        if faction is None:
            out.append(context.problem(match, "E_UNKNOWN_FACTION", tables()["asks"]["which_faction"]))
            continue
        signed = -abs(count) if has(match, "gm_take") else count
        out.append(context.reading(match, {"type": "gm_give_units", "faction": faction, "unit": unit, "count": signed}))
    return out


def _make_treasury(match: Match, context: Context) -> Iterable[Output]:
    faction = match.value("faction")
    if faction is None:
        return []
    command: dict[str, Any] = {"type": "gm_set_resource", "faction": faction}
    for filled in match.slots.get("money", ()):
        field = "gold" if filled.sense.kind == "gold" else "res"
        command[field] = int(filled.value) if field == "gold" else float(filled.value)
    return [context.reading(match, command)]


def _make_close(match: Match, context: Context) -> Iterable[Output]:
    phase = match.value("phase")
    if phase is None:
        return []
    return [context.reading(match, {"type": "gm_close_phase", "phase": str(phase).removeprefix("phase_")})]


def _make_status(match: Match, context: Context) -> Iterable[Output]:
    status = next(s for s in ("eliminated", "won", "playing") if has(match, f"gm_{s}"))
    return [context.reading(match, {"type": "gm_set_status", "faction": match.value("faction"), "status": status})]


def _make_road(match: Match, context: Context) -> Iterable[Output]:
    return [context.reading(match, {"type": "gm_place_mobile_city", "road": list(match.value("roads"))})]


def frames() -> tuple[Frame, ...]:
    """The frames of the GM's own posts; players' orders are none of his."""
    return (
        Frame(
            "gm_give_units",
            ("gm_give", "gm_take"),
            (Slot("squads", ("squad", "unit"), many=True), Slot("faction", ("faction",), weight=1.4)),
            inherits=False,
            score=lambda fill: 0.3 if "squads" in fill.slots else None,
            make=_make_units,
        ),
        Frame(
            "gm_set_resource",
            ("gm_treasury",),
            (Slot("faction", ("faction",), weight=1.4), Slot("money", ("gold", "honor", "mana", "hunger"), many=True)),
            noise=frozenset({"levelword"}),
            inherits=False,
            score=lambda fill: 0.3 if "money" in fill.slots and "faction" in fill.slots else None,
            make=_make_treasury,
        ),
        Frame(
            "gm_close_phase",
            ("gm_close",),
            (Slot("phase", ("phase_orders", "phase_deployment", "phase_planning", "phase_capture"), required=True),),
            noise=frozenset({"planning", "deployword", "skip"}),
            inherits=False,
            make=_make_close,
        ),
        Frame(
            "gm_set_status",
            ("gm_eliminated", "gm_won", "gm_playing"),
            (FACTION,),
            inherits=False,
            make=_make_status,
        ),
        Frame(
            "gm_place_mobile_city",
            ("mobile", "town"),
            (Slot("roads", ("road",), required=True),),
            noise=frozenset({"roadword", "build", "go", "gm_give", "mobile", "town"}),
            incomplete=False,
            inherits=False,
            score=lambda fill: 0.3 if called(fill, "mobile", "town") else None,
            make=_make_road,
        ),
    )
