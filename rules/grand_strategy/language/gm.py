"""The GM's commands typed as text (§3): «мастер: поставить нейтральных варваров на Н7», «Гхашу +10 монет за летопись»."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Fill, Frame, Match, Output, Slot, choice
from parsers.structure import Layout
from parsers.tokens import Kind
from parsers.types import Reading
from rules.grand_strategy.language.gm_edits import edit
from rules.grand_strategy.language.names import tables
from rules.grand_strategy.language.said import Said, Stop, text_of

_NUMBER = Slot("amount", ("coins", "number"), weight=1.2)
_PLAYERS = Slot("players", ("player",), many=True, weight=1.2)
_UNITS = Slot("units", ("unit", "utype", "personal"), many=True)
_CELLS = Slot("cells", ("cell",), many=True)
_PLACES = Slot("places", ("house",), many=True)
_BTYPE = Slot("btype", ("btype",))
_RULE = re.compile(r"([a-z_]+)\s*(?:=|:|—|-)\s*([^\s,;]+)")

Reader = Callable[[Said], dict[str, Any] | None]


def _maker(read: Reader) -> Callable[[Match, Context], Iterable[Output]]:
    """The `make` of a GM's frame: its command with the reason that the rest of the sentence gives."""

    def make(match: Match, context: Context) -> Iterable[Output]:
        said = Said(match, context)
        try:
            command = read(said)
        except Stop as stop:
            return [stop.problem]
        if command is None:
            return []
        command.setdefault("reason", _behind(said) or None)
        return [said.read(command)]

    return make


def behind_is_read(context: Context, outputs: Iterable[tuple[Match, Iterable[Output]]]) -> None:
    """A deadline, a name, a reason: what stands behind a GM's command went into it, none of it is left over."""
    for match, made in outputs:
        if any(isinstance(output, Reading) for output in made):
            context.read |= frozenset(_tail(context, match))


def _behind(said: Said, first: int | None = None) -> str:
    """What the sentence says behind the match (or from a token on), without the signs that part it."""
    tail = _tail(said.context, said.match, first)
    layout = said.context.layout
    return " ".join(layout.text[layout.tokens[tail[0]].start : layout.tokens[tail[-1]].end].split()) if tail else ""


def _tail(context: Context, match: Match, first: int | None = None) -> range:
    """Its tokens."""
    layout = context.layout
    first = match.last if first is None else first
    last = layout.sentences[match.sentence].last
    while first < last and layout.tokens[first].kind is Kind.SIGN:
        first += 1
    while last > first and layout.tokens[last - 1].kind is Kind.SIGN:
        last -= 1
    return range(first, last)


def _player(said: Said) -> str | None:
    return next((p for p in map(said.player_of, said.atoms("players")) if p), None)


def _needed(said: Said, player: str | None) -> str:
    if player is None:
        names = ", ".join(p.name for p in said.state.players.values())
        raise said.stop("bad_recipient", text_of("bad_recipient", list=names))
    return player


def _type_of(said: Said, atom: Atom) -> str:
    sense = atom.get("utype")
    if sense is not None:
        return str(sense.value)
    return said.type_of(said.unit(atom))


def _place(said: Said) -> dict[str, Any]:
    cells = said.cells() or [u.cell for a in said.atoms("units") for s in a.all("unit") if (u := said.unit_object(str(s.value)))]
    if not cells:
        raise said.stop("bad_cell", "На какую клетку поставить?")
    owner = _player(said)
    if said.atoms("btype") and not said.atoms("units"):
        what = str(said.value("btype"))
        level = next((s.value for a in said.atoms("level") for s in a.all("level")), None)
        kind = f"mine_{level or 'silver'}" if what == "mine" else what
        return {"type": "gm_set_building", "cell": cells[0], "what": kind, "owner": owner}
    return {"type": "gm_place_unit", "unit_type": _type_of(said, said.atoms("units")[0]), "cell": cells[0], "owner": owner}


def _money(said: Said) -> dict[str, Any] | None:
    amount = said.atoms("amount")[0]
    value = int(amount.get("coins", "number").value)  # type: ignore[union-attr]
    before = said.context.layout.tokens[amount.first - 1].norm if amount.first else ""
    spoken = any(said.has(kind) for kind in ("gm_plus", "gm_minus", "gm_set"))
    if not spoken and amount.get("coins") is None and before not in ("+", "-") and not amount.data.get("negative"):
        # «Гхаш (год 1)»: a bare number beside a name is no money.
        return None
    command: dict[str, Any] = {"type": "gm_set_money", "player": _needed(said, _player(said))}
    if said.has("gm_set") and before != "+":
        return {**command, "amount": abs(value)}
    negative = bool(amount.data.get("negative")) or value < 0 or before == "-" or said.has("gm_minus")
    return {**command, "add": -abs(value) if negative else value}


def _object(said: Said) -> str | None:
    for atom in said.atoms("units"):
        return said.unit(atom)
    for slot in ("places", "cells"):
        for atom in said.atoms(slot):
            return said.cell_of(atom)
    if not said.atoms("btype"):
        return None
    found = said.buildings(str(said.value("btype")), _player(said))
    return found[0].cell if len(found) == 1 else None


def _what(said: Said) -> str:
    found = _object(said)
    if found is None:
        raise said.stop("no_such_unit", "О каком войске или строении речь?")
    return found


def _move(said: Said) -> dict[str, Any]:
    cells = said.cells() or [said.cell_of(a) for a in said.atoms("places")]
    if not cells or not said.atoms("units"):
        raise said.stop("bad_cell", "Какое войско и на какую клетку переставить?")
    return {"type": "gm_move_unit", "unit": said.unit(said.atoms("units")[0]), "cell": cells[-1]}


def _remove(said: Said) -> dict[str, Any]:
    thing = _what(said)
    return {"type": "gm_remove", "unit" if thing in said.state.units else "building": thing}


def _owner(said: Said) -> dict[str, Any]:
    thing = _what(said)
    player = _player(said)
    if player is None and not said.has("gm_neutral"):
        return {"type": "gm_set_owner", "object": thing, "owner": _needed(said, player)}
    return {"type": "gm_set_owner", "object": thing, "owner": player}


def _dispute(said: Said) -> dict[str, Any]:
    return {"type": "gm_resolve_dispute", "object": _what(said), "player": _needed(said, _player(said))}


def _skip(said: Said) -> dict[str, Any]:
    return {"type": "gm_skip_turn", "player": _needed(said, _player(said))}


def _close(said: Said) -> dict[str, Any]:
    return {"type": "gm_close_turn"}


def _end(said: Said) -> dict[str, Any]:
    return {"type": "gm_end_game", "winner": _player(said)}


def _deadline(said: Said) -> dict[str, Any]:
    when = _behind(said)
    if not when:
        raise said.stop("ambiguous", "До какого срока?", draft={"type": "gm_set_deadline"})
    return {"type": "gm_set_deadline", "when": when, "reason": None}


def _named(kind: str, field: str) -> Reader:
    """A command about something that is named by the words behind it, its reason behind a colon."""

    def read(said: Said) -> dict[str, Any]:
        layout = said.context.layout
        last = layout.sentences[said.match.sentence].last
        verb = said.match.triggers[0].last
        colon = next((i for i in range(verb + 1, last) if layout.tokens[i].norm == ":" and not _inside_name(layout, i)), last)
        name = " ".join(layout.text[layout.tokens[verb].start : layout.tokens[colon - 1].end].split()) if verb < colon else ""
        name = name.strip(" .!№#")
        if not name:
            raise said.stop("ambiguous", "Что именно? Назовите событие или приказ.", draft={"type": kind})
        return {"type": kind, field: name, "reason": _behind(said, colon) or None}

    return read


def _inside_name(layout: Layout, colon: int) -> bool:
    """The colon of «ghash:2»."""
    following = layout.tokens[colon + 1] if colon + 1 < len(layout.tokens) else None
    return following is not None and layout.tokens[colon].glued and following.glued and following.kind is Kind.NUMBER


def _vagabond(said: Said) -> dict[str, Any]:
    player = _player(said)
    if player is not None:
        return {"type": "gm_admit_vagabond", "player": player}
    unknown = said.context.unknown_words(said.match.first, said.match.last + 4)
    names = [said.context.text(t.span) for t in unknown]
    raise said.stop("bad_recipient", "Кого принять бродягой?", choices=[choice(n) for n in names])


_TOPICS: Mapping[str, str] = {
    "service": "service",
    "together": "battle",
    "entry": "entry",
    "spawn": "spawn",
    "smuta": "smuta_all",
    "annex": "annex",
    "enter_game": "join",
}


def _consent(said: Said) -> dict[str, Any]:
    players = [p for p in map(said.player_of, said.atoms("players")) if p]
    topic = next((t for kind, t in _TOPICS.items() if said.has(kind)), None)
    if topic is None or not players:
        raise said.stop("ambiguous", "Чьё согласие и на что?", draft={"type": "gm_consent"})
    return {"type": "gm_consent", "topic": topic, "players": players, "value": not said.has("refuse")}


def _rule(said: Said) -> dict[str, Any]:
    found = _RULE.search(_behind(said, said.match.triggers[0].last))
    if found is None:
        raise said.stop("ambiguous", "Правило пишут так: «правило siege_range = 2».", draft={"type": "gm_set_rule"})
    return {"type": "gm_set_rule", "setting": found[1], "value": _value(found[2].rstrip(".")), "reason": None}


def _value(text: str) -> Any:
    truth = {w: v for v, words in ((True, tables()["gm_truth"]["yes"]), (False, tables()["gm_truth"]["no"])) for w in words}
    if text.lower() in truth:
        return truth[text.lower()]
    return int(text) if text.lstrip("-").isdigit() else text


def _placed(fill: Fill) -> float | None:
    slots = fill.slots
    units = any(f.atom.data.get("placed") or "cells" in slots for f in slots.get("units", ()))
    return 0.3 if units or ("units" in slots) or ("btype" in slots and "cells" in slots) else None


def _paid(fill: Fill) -> float | None:
    if "players" not in fill.slots or "amount" not in fill.slots:
        return None
    return 0.3 if fill.triggers else 0.0


def _something(fill: Fill) -> float | None:
    return 0.3 if fill.slots.keys() & {"units", "places", "cells", "btype"} else None


def _with_player(fill: Fill) -> float | None:
    return _something(fill) if "players" in fill.slots or any(a.has("gm_neutral") for a in fill.atoms) else None


_NOISE = frozenset({"gm_neutral", "troops", "gm_unit", "turn_word", "commander_word", "garrison", "state_word"})


def _frame(ident: str, triggers: tuple[str, ...], slots: tuple[Slot, ...], read: Reader, **more: Any) -> Frame:
    noise = _NOISE | more.pop("noise", frozenset())
    return Frame(ident, triggers, slots, make=_maker(read), inherits=False, noise=noise, **more)


FRAMES = (
    _frame(
        "gm_place_unit",
        ("gm_place",),
        (_UNITS, _CELLS, _PLAYERS, _BTYPE, Slot("level", ("level",))),
        _place,
        at_most={"units": 1, "cells": 1, "players": 1},
        score=_placed,
    ),
    _frame(
        "gm_set_money",
        ("gm_plus", "gm_minus", "gm_set"),
        (_PLAYERS, _NUMBER),
        _money,
        bare=(frozenset({"players", "amount"}),),
        at_most={"players": 1},
        score=_paid,
    ),
    _frame("gm_move_unit", ("gm_move",), (_UNITS, _CELLS, _PLACES), _move, at_most={"units": 1, "cells": 2}, score=_something),
    _frame("gm_remove", ("gm_remove",), (_UNITS, _CELLS, _PLACES, _BTYPE, _PLAYERS), _remove, score=_something),
    _frame("gm_set_owner", ("gm_owner",), (_UNITS, _CELLS, _PLACES, _BTYPE, _PLAYERS), _owner, score=_with_player),
    _frame("gm_resolve_dispute", ("gm_dispute",), (_UNITS, _CELLS, _PLACES, _BTYPE, _PLAYERS), _dispute, score=_with_player),
    _frame("gm_skip_turn", ("gm_skip",), (_PLAYERS,), _skip),
    _frame("gm_close_turn", ("gm_close",), (), _close),
    _frame("gm_end_game", ("gm_end",), (_PLAYERS,), _end, noise=frozenset({"gm_won"})),
    _frame("gm_set_deadline", ("gm_deadline",), (Slot("more", ("gm_deadline",), weight=2.0),), _deadline),
    _frame("gm_reroll", ("gm_reroll",), (), _named("gm_reroll", "event")),
    _frame("gm_undo", ("gm_undo",), (), _named("gm_undo", "to_event")),
    _frame("gm_reject", ("gm_reject",), (), _named("gm_reject", "command")),
    _frame("gm_edit", ("gm_edit",), (), edit),
    _frame(
        "gm_admit_vagabond",
        ("gm_admit",),
        (_PLAYERS, Slot("role", ("as_vagabond",), required=True)),
        _vagabond,
        incomplete=False,
    ),
    _frame(
        "gm_consent",
        ("gm_consent",),
        (_PLAYERS, Slot("topic", tuple(_TOPICS), many=True, weight=0.8), Slot("refusal", ("refuse",), weight=0.5)),
        _consent,
        score=lambda fill: 0.3 if "players" in fill.slots else None,
    ),
    _frame("gm_set_rule", ("gm_rule",), (), _rule),
)
KINDS = frozenset(kind for frame in FRAMES for kind in frame.kinds())
"""Kinds of words that the GM's commands are made of."""
DEEDS = frozenset(kind for frame in FRAMES for kind in frame.triggers)
"""Kinds of words that call for a command of the GM."""
