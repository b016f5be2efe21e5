"""Spells (§3, chapter 7): each has its own kind of target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from parsers.atoms import Atom
from parsers.frames import Fill, Frame, Output, Slot
from parsers.types import Reading
from rules.grand_strategy.language.making import maker
from rules.grand_strategy.language.names import pronouns
from rules.grand_strategy.language.said import Said, text_of
from rules.grand_strategy.language.slots import BAD, BTYPE, CARDS, PATH, PLACES, PLAYERS, UNITS, called

PLAIN = frozenset({"call_dragon", "find_vein"})
"""Spells without a target."""
AREA = frozenset({"storm"})
ON_PLAYER = frozenset({"safe_road", "road_troubles"})
ON_BUILDING = frozenset({"earthquake"})
ON_CELL = frozenset({"raise_zombies"})
ON_LIST = frozenset({"turn_to_dust", "gift_of_freedom"})


def _cast_score(fill: Fill) -> float | None:
    slots = fill.slots
    if not called(fill, "spell"):
        return None
    aimed = slots.keys() & {"units", "cells", "places", "players", "bad", "btype"}
    spell = next((str(a.get("spell").value) for a in fill.triggers if a.has("spell")), "")  # type: ignore[union-attr]
    numbered = any(a.text[:1].isdigit() for a in fill.triggers)
    if not aimed and spell not in PLAIN | ON_PLAYER | {"gift_of_freedom"} and "verb" not in slots:
        return -1.0 if not numbered else None
    return 0.7 if _holds(fill, spell) else None


def _holds(fill: Fill, spell: str) -> bool:
    """False where the words before or behind are another order's: a way before the spell, a second troop, «в город эльфов»."""
    slots = fill.slots
    at = min(a.first for a in fill.triggers)
    behind = [f for f in slots.get("units", ()) if f.atom.first > at]
    if spell not in ON_LIST and len(behind) > 1:
        return False
    if spell not in AREA | ON_CELL and any(f.atom.first < at and f.atom.prep in _TO for f in slots.get("cells", ())):
        return False
    ways = [f.atom for f in slots.get("cells", ()) if f.atom.first < at]
    if spell not in AREA | ON_CELL and any(
        a.has("path") or a.data.get("sentence") != fill.triggers[0].data.get("sentence") for a in ways
    ):
        return False  # «Аэлин: Г4, Д4. Вода неутомимости на дружину.»
    movers = [a for a in fill.atoms if a.first > at and a.has("unit", "utype", "personal") and not a.prep]
    movers = [a for a in movers if a.cases & {"nomn", "same"}]
    if spell in AREA and any(m.last <= f.atom.first <= m.last + 1 for m in movers for f in slots.get("cells", ())):
        return False  # «на душе буря, а Аэлин на Г4»
    entered = [f for n in ("places", "btype") for f in slots.get(n, ()) if f.atom.prep in {"в", "во"}]
    return spell in ON_BUILDING or all("accs" not in f.atom.cases or "loct" in f.atom.cases for f in entered)


_TO = frozenset({"на", "в", "через", "до"})


@maker
def _cast(said: Said) -> Iterable[Output]:
    said.check_cells()
    atom = next(a for a in said.match.triggers if a.has("spell"))
    spell = str(atom.get("spell").value)  # type: ignore[union-attr]
    mages = [u for u in said.own() if said.type_of(u) == "mage"]
    targets: list[str] = []
    mage: str | None = None
    for word in said.atoms("units"):
        if word.has("~person"):
            continue
        found = said.candidates(word)
        own_mage = [u for u in found if u in mages]
        aimed = word.prep in {"на", "по", "с", "против", "под"} or (
            word.first > atom.first and spell not in PLAIN and word.prep != ""
        )
        before = word.first < atom.first and not word.prep
        subject = not word.cases or "nomn" in word.cases or before
        if own_mage and mage is None and not aimed and subject:
            mage = own_mage[0]
        elif before and mage is None and found and said.mine(found[0]) and "nomn" in word.cases and not aimed:
            mage = found[0]
        else:
            foreign = [u for u in found if not said.mine(u)] if spell in ("sleep_fog",) else []
            targets.append(found[0] if len(found) == 1 else (foreign[0] if len(foreign) == 1 else said.unit(word)))
    if mage is None:
        mage = mages[0] if len(mages) == 1 else None
    if mage is None:
        mage = said.default_actor(lambda u: said.type_of(u) == "mage")
    command: dict[str, Any] = {"type": "cast", "mage": mage, "spell": spell}
    cells = said.cells()
    if spell in PLAIN:
        pass
    elif spell in ON_PLAYER:
        people = [p for p in (said.player_of(a) for a in said.atoms("players") if not _caster(said, a)) if p]
        if not people and (said.has("me") or _himself(said)):
            people = [said.me]
        if not people:
            raise said.stop("bad_recipient", text_of("bad_recipient", "spell", list=_names(said)), draft=command)
        command["player"] = people[0]
    elif spell in AREA:
        cell = cells[0] if cells else said.at(targets[0]) if targets else said.building(foreign=True)
        if cell is None:
            raise said.stop("ambiguous", "Где центр? Назовите клетку.", draft=command)
        command["cell"] = cell
    elif spell in ON_BUILDING:
        cell = said.building(foreign=True)
        if cell is None:
            raise said.stop("ambiguous", "На какое строение?", draft=command)
        command["cell"] = cell
    elif spell in ON_CELL:
        if not cells:
            raise said.stop("ambiguous", "На какой клетке поднять мертвецов?", draft=command)
        command["cell"] = cells[0]
        over = said.value("over")
        if over is not None or len(cells) > 1:
            command["overflow"] = over or cells[1]
    elif spell in ON_LIST:
        there = [u.id for u in said.state.units.values() if u.cell in cells]
        found = targets or there
        if found:
            command["targets"] = found
    else:
        if not targets:
            targets = [u.id for u in said.state.units.values() if u.cell in cells]
        if not targets and _himself(said):
            targets = [mage]
        targets = targets or _his_troop(said)
        if not targets:
            raise said.stop("ambiguous", "На какое войско? Назовите его.", draft=command)
        command["target"] = targets[0]
        if spell == "enchanted_weapon":
            actions = _actions(said)
            if not actions:
                raise said.stop("bad_actions", text_of("bad_actions"), draft=command)
            command["actions"] = actions
    return [said.read(command)]


_AHEAD, _BEHIND = 3, 3
"""Tokens before and behind a spell among which «себе» may stand."""


def _himself(said: Said) -> bool:
    """«стелет себе безопасный путь», «щит ярости на себя»."""
    layout = said.context.layout
    sentence = layout.sentences[said.match.sentence]
    beside = layout.tokens[max(sentence.first, said.match.first - _AHEAD) : min(sentence.last, said.match.last + _BEHIND)]
    return any(t.norm in pronouns("self") for t in beside)


def _caster(said: Said, person: Atom) -> bool:
    """«Аэлин насылает на Гхаша тревоги»: who casts."""
    return said.player_of(person) == said.me and not person.prep and not said.match.triggers[0].first < person.first


def _his_troop(said: Said) -> list[str]:
    """«туман сна на Аэлин»: the troop that bears a player's name; else his only one, which asks."""
    for atom in said.atoms("players"):
        owner = said.player_of(atom)
        if owner is None or _caster(said, atom):
            continue
        named = [str(s.value) for s in atom.all("unit")]
        theirs = [u.id for u in said.state.units.values() if u.owner == owner]
        if not named and len(theirs) == 1:
            said.unsure(f"«{atom.text}» понято как {said.unit_title(theirs[0])}")
        if len(named) == 1 or len(theirs) == 1:
            return named or theirs
    return []


def _actions(said: Said) -> list[str]:
    """The actions of a weapon: «на защиту, потом на стрельбу»."""
    said.cards()  # refuses what is no action
    out: list[str] = []
    for atom in said.atoms("cards"):
        sense = atom.get("cards", "card")
        if sense is not None:
            out += list(sense.value) if sense.kind == "cards" else [str(sense.value)]
    return out


@maker
def _overflow(said: Said) -> Iterable[Output]:
    """«…; лишние пусть встают на Г4»: told in a sentence of its own."""
    for _, outputs in reversed(said.context.outputs):
        for n, output in enumerate(outputs):
            if isinstance(output, Reading) and output.command.get("spell") in ON_CELL and "overflow" not in output.command:
                command = {**output.command, "overflow": said.value("over")}
                outputs[n] = replace(output, command=command, extra_spans=(*output.extra_spans, said.match.span))
                return []
    raise said.stop("ambiguous", "О каких лишних речь?")


def _names(said: Said) -> str:
    return ", ".join(p.name for p in said.state.players.values() if p.status == "in")


FRAMES = (
    Frame(
        "cast",
        ("spell",),
        (
            UNITS,
            PATH,
            BAD,
            PLACES,
            BTYPE,
            PLAYERS,
            CARDS,
            Slot("verb", ("cast",), many=True, weight=0.5),
            Slot("over", ("over",)),
            Slot("mark", ("overflow", "centre"), many=True, weight=0.4),
        ),
        noise=frozenset(
            {
                "contrive",
                "cell_word",
                "troops",
                "then",
                "arrow",
                "me",
                "attack",
                "give",
                "upgrade",
                "school",
                "go",
                "stay",
                "allow",
                "let",
                "on_arrive",
                "entry",
            }
        ),
        at_most={"units": 3, "cells": 2, "cards": 3, "places": 1, "btype": 1, "players": 2},
        score=_cast_score,
        make=_cast,
        inherits=False,
        weight=0.2,
    ),
    Frame("overflow", (), (Slot("over", ("over",)),), bare=(frozenset({"over"}),), make=_overflow, inherits=False),
)
