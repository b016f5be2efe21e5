"""The turn itself and provisions: ends, portions, orders of turns, standing orders taken back, who is disbanded first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from parsers.atoms import Atom
from parsers.frames import Fill, Frame, Output, Slot, choice
from parsers.language import RESTART
from parsers.russian import Verb
from parsers.types import Severity
from rules.grand_strategy.language.making import maker
from rules.grand_strategy.language.said import HIRED, Said
from rules.grand_strategy.language.slots import CELLS, PLACES, UNITS, called

# ------------------------------------------------------------------------------------------------ order of turns


def _turns_score(fill: Fill) -> float | None:
    who = len(fill.slots.get("players", ())) + len(fill.slots.get("me", ())) + len(fill.slots.get("vassal", ()))
    if not fill.triggers:
        # «Сначала Радомир, затем я.»
        steps = fill.slots.get("place", ())
        told = any(f.atom.has("first") for f in steps) and any(f.atom.has("then", "last_place", "behind") for f in steps)
        return 0.4 if who > 1 and told and all(a.data.get("beside") == len(fill.atoms) for a in fill.atoms) else None
    if not who or not called(fill, "turn_order"):
        return None
    if who < 2 and not any(f.atom.has("last_place", "first") for f in fill.slots.get("place", ())):
        return None
    return 0.8


@maker
def _turns(said: Said) -> Iterable[Output]:
    order: list[str] = []
    vassals = [p.id for p in said.state.players.values() if p.suzerain == said.me]
    last: list[str] = []
    for atom in said.match.atoms:
        found: list[str] = []
        if any(atom is a for a in said.atoms("players")):
            player = said.player_of(atom)
            found = [player] if player else []
        elif atom.has("turn_order") and atom.verb is Verb.ORDER and not said.atoms("me"):
            found = [said.me]  # «хожу первой»
        elif any(atom is a for a in said.atoms("me")):
            found = [said.me]
        elif any(atom is a for a in said.atoms("vassal")):
            found = vassals if len(vassals) == 1 else []
        (last if _is_last(said, atom) else order).extend(found)
    order = list(dict.fromkeys(order + last))
    if len(order) == 2 and _after(said):
        order.reverse()
    if said.has("last_place") and order == [said.me]:
        order = [*vassals, said.me]
    if said.words("first") and len(order) == 1 and vassals:
        order = [*order, *[p for p in [said.me, *vassals] if p not in order]]
    if order == [said.me] and not vassals and not said.has("last_place"):
        return []  # «я тут первый хожу»: nobody to go before
    if not order:
        raise said.stop("bad_order", "Кто за кем ходит? Назовите всех.")
    return [said.read({"type": "set_turn_order", "order": order})]


def _after(said: Said) -> bool:
    """«Я хожу вслед за Радомиром», «хожу последней, Радомир вперёд»: the second one named goes first."""
    people = sorted([*said.atoms("players"), *said.atoms("me")], key=lambda a: a.first)
    verb = next((a for a in said.words("turn_order") if a.verb is Verb.ORDER), None)
    if verb is not None and not said.atoms("me"):
        return any(a.first == verb.last for a in said.words("last_place"))
    if len(people) != 2 or said.words("first"):
        return False
    tokens = said.context.layout.tokens
    return people[1].first > 0 and tokens[people[1].first - 1].norm in {"за", "после"}


def _is_last(said: Said, atom: Atom) -> bool:
    del said
    return atom.has("last_place")


# ------------------------------------------------------------------------------------------------ standing orders taken back


def _cancel_score(fill: Fill) -> float | None:
    slots = fill.slots
    if "no" in slots:
        return 1.0
    if called(fill, "stop_it"):
        return 0.6 if slots.keys() & {"units", "players", "cells", "places"} or fill.noise else None
    if called(fill, "standing") and ("drop" in slots or called(fill, "drop")):
        return 0.6
    return None


@maker
def _cancel(said: Said) -> Iterable[Output]:
    numbers = [int(s.value) for a in said.atoms("no") for s in a.all("standing_no")]
    numbers += [int(s.value) for a in said.atoms("more") for s in a.all("ordinal", "number")[:1]]
    if numbers:
        return [said.read({"type": "cancel_order", "id": n}) for n in dict.fromkeys(numbers)]
    own = said.state.players[said.me].standing if said.me in said.state.players else []
    if said.has("~all", "everyone"):
        return [said.read({"type": "cancel_order", "all": True})]
    cells = said.cells() + [said.cell_of(a) for a in said.atoms("places")]
    people = [said.player_of(a) for a in said.atoms("players")]
    found = [
        rule.id
        for rule in own
        if (not cells or rule.filter.get("cell") in cells) and (not people or rule.filter.get("player") in people)
    ]
    if len(found) == 1:
        return [said.read({"type": "cancel_order", "id": found[0]})]
    if not own and said.context.readings:
        return []  # «Предыдущие приказы не исполнять» with no standing order: of the post's own lines
    listed = ", ".join(f"№{rule.id}" for rule in own)
    text = "Какой условный приказ отменить? " + (f"Ваши: {listed}." if listed else "Назовите номер.")
    raise said.stop("ambiguous", text, draft={"type": "cancel_order"}, choices=[choice(f"№{rule.id}") for rule in own])


# ------------------------------------------------------------------------------------------------ disbanding first


def _priority_score(fill: Fill) -> float | None:
    if "units" not in fill.slots:
        return None
    if called(fill, "spare"):
        personal = all(f.atom.has("personal") for f in fill.slots["units"])
        return 0.6 if personal or called(fill, "shortage") else None
    if called(fill, "shortage"):
        return 1.0 if "how" in fill.slots or "steps" in fill.slots or called(fill, "disband") else 0.4
    ordered = fill.has("steps") and called(fill, "disband")
    return 0.5 if ordered else None


@maker
def _priority(said: Said) -> Iterable[Output]:
    named = [said.unit(atom) for atom in said.atoms("units")]
    if said.has("spare"):
        # «личное не трогать»: all others go first
        return [said.read({"type": "disband_priority", "units": [u for u in said.own() if u not in named]})]
    late = [a.first for a in said.words("last_place")]
    last = [said.unit(a) for a in said.atoms("units") if late and abs(a.last - late[0]) <= 2]
    units = [u for u in named if u not in last] + last
    if units == last and last:
        units = [u for u in said.own() if u not in last] + last
    return [said.read({"type": "disband_priority", "units": list(dict.fromkeys(units))})]


# ------------------------------------------------------------------------------------------------ ends


def _of_service(said: Said) -> bool:
    """«Насчёт службы: мимо», «к нему на службу больше не хожу»: no word about the turn."""
    return any(a.has("service", "swear", "offer_noun") for a in said.context.by_sentence.get(said.match.sentence, ()))


@maker
def _end(said: Said) -> Iterable[Output]:
    if _of_service(said):
        raise said.stop("ambiguous", "О ходе это или о службе?", draft={"type": "end_turn"})
    return [said.read({"type": "end_turn"})]


@maker
def _pass(said: Said) -> Iterable[Output]:
    if _of_service(said):
        raise said.stop("ambiguous", "О ходе это или о службе?", draft={"type": "pass"})
    if said.beside("leave_game") is not None:
        return []  # «я пас, выхожу из игры»
    return [said.read({"type": "pass"})]


@maker
def _play(said: Said) -> Iterable[Output]:
    return [said.read({"type": "play_now"})]


@maker
def _restart(said: Said) -> Iterable[Output]:
    if said.context.readings:
        text = "Отменить и приказы этого сообщения или только прежние?"
        raise said.stop("ambiguous", text, draft={})
    said.memory[RESTART] = True
    return []


@maker
def _also(said: Said) -> Iterable[Output]:
    """«и на М2 тоже, до золота»: the order before once more, with what is named here in place of its own."""
    said.check_cells()
    before = said.context.readings[-1] if said.context.readings else None
    if before is None:
        return []
    command = dict(before.command)
    changed = False
    cells = said.cells() + [said.cell_of(a) for a in said.atoms("places")]
    if command["type"] == "hire" and said.cells() and said.cells()[0] not in said.state.buildings:
        unit = (said.named() or [HIRED.format(command["unit_type"])])[0]
        return [said.read({"type": "move", "unit": unit, "path": said.cells()})]  # «эльфы тоже на Г4»
    field = next((f for f in ("building", "cell") if f in command), None)
    if cells and command["type"] == "move":
        return []
    if cells and field is not None:
        command[field], changed = cells[0], True
    levels = [str(s.value) for a in said.atoms("level") for s in a.all("level")]
    if levels and "level" in command:
        command["level"], changed = levels[-1], True
    people = [p for p in (said.player_of(a) for a in said.atoms("players")) if p]
    whom = next((f for f in ("player", "to", "ruler") if f in command), None)
    if people and whom is not None:
        command[whom], changed = people[0], True
    units = said.named() if command["type"] in _UNIT_ORDERS else []
    if units:
        command["unit"], changed = units[0], True
    behind = said.context.by_sentence.get(said.match.sentence, [])
    if changed and any(a.has("refuse", "no_word") and said.match.last <= a.first <= said.match.last + 3 for a in behind):
        other = _OTHERWISE.get(str(command["type"]))
        if other is None:
            return []
        command = {**command, **other}  # «Гхашу на то же самое согласия не даю»
    return [said.read(command)] if changed else []


_OTHERWISE: dict[str, dict[str, Any]] = {
    "consent": {"agree": False},
    "join_consent": {"agree": False},
    "allow_entry": {"type": "deny_entry"},
    "allow_spawn": {"type": "deny_spawn"},
    "accept_service": {"type": "decline_service"},
}
"""What «тоже» means with a refusal behind it."""
_UNIT_ORDERS = frozenset({"embark", "disembark", "siege", "disband", "forge_mithril", "default_cards"})


@maker
def _absent(said: Said) -> Iterable[Output]:
    text = " ".join(said.context.text(said.match.span).split())
    raise said.stop("unknown_order", f"Такого приказа в игре нет: «{text[:120]}».", severity=Severity.ERROR, draft={})


def _absent_score(fill: Fill) -> float | None:
    walls = called(fill, "absent") and any(f.atom.has("raze") for f in fill.slots.get("verb", ()))
    ordered = fill.has("verb") or fill.has("cells")
    return 0.0 if ordered and not walls else None  # «…, а стены понижаем» tells of a victory


@maker
def _nothing(said: Said) -> Iterable[Output]:
    return []


def by(*names: str) -> Any:
    """A key of these fields."""
    return lambda command: tuple(str(command.get(n)) for n in names)


FRAMES = (
    Frame(
        "set_turn_order",
        ("turn_order",),
        (
            Slot("players", ("player",), many=True, weight=1.1),
            Slot("me", ("me",), many=True, weight=1.1),
            Slot("vassal", ("commander_word",), many=True, weight=0.8),
            Slot("place", ("first", "last_place", "then", "behind"), many=True, weight=0.5),
        ),
        bare=(frozenset({"players", "me", "place"}),),
        noise=frozenset({"allow", "let", "go"}),
        at_most={"players": 8, "me": 2, "place": 8},
        score=_turns_score,
        make=_turns,
        inherits=False,
        weight=0.2,
    ),
    Frame(
        "cancel_order",
        ("standing", "drop", "stop_it"),
        (
            Slot("no", ("standing_no",), many=True, weight=1.4),
            Slot("more", ("ordinal", "number"), many=True),
            Slot("drop", ("drop", "~withdraw", "lift"), many=True, weight=0.8),
            Slot("everyone", ("~all",), weight=0.6),
            CELLS,
            PLACES,
            Slot("players", ("player",), many=True),
            Slot("units", ("utype", "unit"), many=True),
        ),
        bare=(frozenset({"no", "drop"}),),
        noise=frozenset({"garrison", "battle_word"}),
        at_most={"units": 2, "players": 2, "cells": 2, "more": 4},
        score=_cancel_score,
        make=_cancel,
        inherits=False,
        weight=0.6,
        key=by("id"),
    ),
    Frame(
        "disband_priority",
        ("shortage", "disband", "spare"),
        (
            UNITS,
            Slot("steps", ("first", "then", "last_place"), many=True, weight=0.5),
            Slot("how", ("disband", "fire"), many=True, weight=0.5),
        ),
        noise=frozenset({"go", "confirm", "turn_order", "line_order", "enter_game", "raise_revolt", "build"}),
        at_most={"units": 8},
        score=_priority_score,
        make=_priority,
        inherits=False,
        weight=0.2,
    ),
    Frame("end_turn", ("end_turn",), (), inherits=False, make=_end, noise=frozenset({"me", "nothing"}), weight=0.1),
    Frame("pass", ("pass",), (), inherits=False, make=_pass, noise=frozenset({"me", "nothing"}), weight=0.1),
    Frame("play_now", ("play_now",), (), inherits=False, make=_play, weight=0.2),
    Frame("restart", ("restart",), (Slot("more", ("restart",), many=True),), inherits=False, make=_restart, weight=1.5),
    Frame(
        "also",
        ("also",),
        (CELLS, PLACES, Slot("level", ("level",), many=True), Slot("players", ("player",)), UNITS),
        at_most={"cells": 1, "units": 1, "level": 1},
        score=lambda fill: 0.0 if fill.slots else None,
        make=_also,
        inherits=False,
        weight=-1.8,
    ),
    Frame(
        "absent",
        ("absent",),
        (Slot("verb", ("build", "hire", "downgrade", "upgrade", "cast", "contrive"), weight=0.8), CELLS, PLACES, UNITS),
        at_most={"cells": 1, "units": 1},
        score=_absent_score,
        make=_absent,
        inherits=False,
    ),
    Frame(
        "stay",
        ("stay",),
        (UNITS,),
        inherits=False,
        make=_nothing,
        score=lambda fill: 0.0 if "units" in fill.slots else None,
        weight=-0.5,
    ),
)
