"""The GM's commands typed as text (§3.3): units, treasuries, cities, phases and deadlines, settings, dice, announcements."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from parsers.context import Context
from parsers.frames import Fill, Frame, Match, Missing, Output, Slot
from parsers.structure import Layout, Status
from parsers.types import Problem, Severity, Span
from rules.steel_rose.language.common import CITY, ask, called, city_of, has
from rules.steel_rose.language.names import tables
from rules.steel_rose.language.units import counted

FACTION = Slot("faction", ("faction",), required=True, weight=1.4, missing=Missing("E_UNKNOWN_FACTION", "Какой фракции?"))
PHASE = Slot("phase", ("phase_orders", "phase_deployment", "phase_planning", "phase_capture"), required=True)
_CITY_CHANGES = (
    "gm_owner",
    "gm_ruined",
    "gm_intact",
    "gm_nobody",
    "gm_give",
    "gm_take",
    "levelword",
    "ruins",
    "corruption",
    "build",
    "sell",
)
_BESIDE_CITY = frozenset({"gm_owner", "levelword", "gm_treasury", "cleanse", "town", "gm_give", "gm_take", "restore", "rebuild"})
DAY = 24
"""Hours."""
_SETTING = re.compile(r"([a-z][a-z0-9_]+)\s*(?:=|:|—|-|на|в)?\s*([\w.,]+)", re.IGNORECASE)


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


def _score_treasury(fill: Fill) -> float | None:
    if "faction" not in fill.slots:
        return None
    return 0.3 if "money" in fill.slots or (called(fill, "gm_hunger") and "number" in fill.slots) else None


def _make_treasury(match: Match, context: Context) -> Iterable[Output]:
    command: dict[str, Any] = {"type": "gm_set_resource", "faction": match.value("faction")}
    for filled in match.slots.get("money", ()):
        field = "gold" if filled.sense.kind == "gold" else "res"
        command[field] = int(filled.value) if field == "gold" else float(filled.value)
    if has(match, "gm_hunger") and match.slots.get("number"):
        command["max_hunger"] = int(match.value("number"))
    return [context.reading(match, command)]


def _make_close(match: Match, context: Context) -> Iterable[Output]:
    phase = match.value("phase")
    if phase is None:
        return [ask(context, match, "which_phase")]
    return [context.reading(match, {"type": "gm_close_phase", "phase": str(phase).removeprefix("phase_")})]


def _make_deadline(match: Match, context: Context) -> Iterable[Output]:
    phase, number = match.value("phase"), match.value("number")
    if phase is None:
        return [ask(context, match, "which_phase")]
    if not has(match, "gm_hours", "gm_days"):
        return [ask(context, match, "how_long")]
    hours = int(number or 1) * (DAY if has(match, "gm_days") else 1)
    return [context.reading(match, {"type": "gm_set_deadline", "phase": str(phase).removeprefix("phase_"), "hours": hours})]


def _make_status(match: Match, context: Context) -> Iterable[Output]:
    status = next(s for s in ("eliminated", "won", "playing") if has(match, f"gm_{s}"))
    return [context.reading(match, {"type": "gm_set_status", "faction": match.value("faction"), "status": status})]


def _make_road(match: Match, context: Context) -> Iterable[Output]:
    return [context.reading(match, {"type": "gm_place_mobile_city", "road": list(match.value("roads"))})]


def _score_city(fill: Fill) -> float | None:
    if "city" not in fill.slots:
        return None
    change = (
        ("faction" in fill.slots and called(fill, "gm_owner"))
        or "level" in fill.slots
        or ("ordinal" in fill.slots and called(fill, "levelword"))
        or called(fill, "ruins", "gm_ruined", "gm_intact", "gm_nobody")
        or ("building" in fill.slots and called(fill, "gm_give", "gm_take", "build", "sell"))
        or called(fill, "corruption")
    )
    return 0.4 if change else None


def _make_city(match: Match, context: Context) -> Iterable[Output]:
    city = city_of(context, match)
    if city is None or isinstance(city, Problem):
        return [city] if city is not None else []
    command: dict[str, Any] = {"type": "gm_set_city", "city": city}
    if match.slots.get("faction"):
        command["owner"] = match.value("faction")
    elif has(match, "gm_nobody"):
        command["owner"] = "none"
    level = match.value("level") or match.value("ordinal")
    if isinstance(level, int):
        command["level"] = level
    if has(match, "gm_intact"):
        command["ruin"] = False
    elif has(match, "ruins", "gm_ruined"):
        command["ruin"] = True
    if match.slots.get("building"):
        known = context.view.state.cities[city]
        built = [str(f.value) for f in match.slots["building"]]
        kept = [b for b in known.buildings if b not in built]
        command["buildings"] = kept if has(match, "gm_take", "sell") else [*kept, *built]
    if has(match, "corruption"):
        told = match.value("number")
        command["corruption"] = 0 if has(match, "gm_take", "cleanse") else int(told) if told is not None else 1
    return [context.reading(match, command)]


def _make_reroll(match: Match, context: Context) -> Iterable[Output]:
    city = city_of(context, match)
    if city is None or isinstance(city, Problem):
        return [city] if city is not None else [ask(context, match, "which_battle")]
    battles = [b.id for b in context.view.battles if city in (b.id, b.attack.target)]
    return [context.reading(match, {"type": "gm_reroll", "battle": battles[0] if battles else city})]


def _line_after(match: Match, context: Context) -> Span:
    """What stands behind the trigger to the end of its line."""
    layout = context.layout
    end = layout.lines[layout.sentences[match.sentence].line].end
    start = match.triggers[0].span.end
    while start < end and not layout.text[start].isalnum():
        start += 1
    return Span(start, end)


def _make_announce(match: Match, context: Context) -> Iterable[Output]:
    place = _line_after(match, context)
    text = context.text(place).strip()
    span = match.span.cover(place)
    return [context.reading(match, {"type": "gm_announce", "text": text}, span=span)] if text else []


def _make_setting(match: Match, context: Context) -> Iterable[Output]:
    place = _line_after(match, context)
    found = _SETTING.search(context.text(place))
    if found is None:
        return [ask(context, match, "which_setting")]
    key, said = found.group(1), found.group(2).rstrip(".,")
    words = tables()["booleans"]
    value: Any = said
    if said.lower() in words:
        value = words[said.lower()]
    elif re.fullmatch(r"\d+", said):
        value = int(said)
    elif re.fullmatch(r"\d+[.,]\d+", said):
        value = float(said.replace(",", "."))
    return [context.reading(match, {"type": "gm_set_setting", "key": key, "value": value}, span=match.span.cover(place))]


def _make_desk(match: Match, context: Context) -> Iterable[Output]:
    text = tables()["asks"]["on_the_desk"].format(text=context.text(match.span))
    return [context.problem(match, "unknown_order", text, severity=Severity.ERROR, draft={})]


def told_sums(layout: Layout) -> list[tuple[int, int]]:
    """«Казна Империи 900з»: of a player it is his own sum, of the GM a command."""
    out = []
    for sentence in layout.sentences:
        if any(layout.status[i] is Status.SUMMARY for i in range(sentence.first, sentence.last)):
            out.append((sentence.first, sentence.last))
    return out


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
            ("gm_treasury", "gm_hunger"),
            (
                Slot("faction", ("faction",), weight=1.4),
                Slot("money", ("gold", "honor", "mana", "hunger"), many=True),
                Slot("number", ("number",), weight=0.6),
            ),
            noise=frozenset({"levelword", "gm_treasury", "gm_hunger", "gm_give"}),
            inherits=False,
            score=_score_treasury,
            make=_make_treasury,
        ),
        Frame(
            "gm_set_city",
            _CITY_CHANGES,
            (
                Slot("city", CITY, weight=1.5),
                Slot("faction", ("faction",), weight=1.2),
                Slot("building", ("building",), many=True),
                Slot("level", ("level",)),
                Slot("ordinal", ("ordinal", "number"), weight=0.5),
                Slot("number", ("number",), weight=0.3),
            ),
            bare=(frozenset({"city", "level"}),),
            noise=frozenset(
                {"gm_owner", "levelword", "gm_treasury", "cleanse", "town", "gm_give", "gm_take", "restore", "rebuild"}
            ),
            inherits=False,
            score=_score_city,
            make=_make_city,
        ),
        Frame(
            "gm_close_phase",
            ("gm_close",),
            (PHASE,),
            noise=frozenset({"planning", "deployword", "skip", "gm_phase"}),
            inherits=False,
            make=_make_close,
        ),
        Frame(
            "gm_set_deadline",
            ("gm_deadline",),
            (PHASE, Slot("number", ("number",), weight=0.8), Slot("unit", ("gm_hours", "gm_days"), weight=0.8)),
            noise=frozenset({"planning", "deployword", "gm_deadline", "gm_phase"}),
            inherits=False,
            make=_make_deadline,
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
        Frame(
            "gm_reroll",
            ("gm_reroll",),
            (Slot("city", CITY, weight=1.2),),
            noise=frozenset({"battleword", "gm_reroll"}),
            inherits=False,
            make=_make_reroll,
        ),
        Frame("gm_announce", ("gm_announce",), (), inherits=False, make=_make_announce, weight=1.5),
        Frame("gm_set_setting", ("gm_setting",), (), inherits=False, make=_make_setting, weight=1.5),
        Frame("gm_desk", ("gm_desk",), (Slot("what", ("~item", "number"), many=True),), inherits=False, make=_make_desk),
    )
