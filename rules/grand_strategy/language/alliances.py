"""Fighting side by side: in one battle, behind one wall (R103, R104)."""

from __future__ import annotations

from collections.abc import Iterable

from parsers.frames import Fill, Frame, Output, Slot
from rules.grand_strategy.language.making import maker
from rules.grand_strategy.language.said import Said
from rules.grand_strategy.language.slots import (
    BATTLE,
    BTYPE,
    CELLS,
    PLACES,
    PLAYERS,
    UNITS,
    called,
)


def _join_score(fill: Fill) -> float | None:
    slots = fill.slots
    if not slots.keys() & {"players", "races"} and not called(fill, "ally"):
        return None
    if len({a.data.get("sentence") for a in fill.atoms if a.has("player", "ally")}) > 1:
        return None  # «Общий бой с Аэлин: нет. С Радомиром: да.»
    if called(fill, "defend_together") or "defending" in slots:
        return None
    if called(fill, "ally"):
        return 0.5
    called_in = {a.data.get("sentence") for a in fill.triggers}
    if not any(f.atom.data.get("sentence") in called_in for n in ("players", "races") for f in slots.get(n, ())):
        return -0.3  # «С Радомиром вместе. С Торгримом — нет.»
    beside = [f for n in ("players", "races") for f in slots.get(n, ()) if f.atom.prep in {"с", "со"} or f.ref]
    if not beside and "answer" not in slots:
        return None
    return 0.5


@maker
def _join(said: Said) -> Iterable[Output]:
    beside = said.context.by_sentence.get(said.match.sentence, ())
    if any(a.has("service", "swear") for a in beside) and not said.has("agree", "refuse", "apart", "battle_word"):
        return []  # «Торгрим, го вместе: беру тебя на службу»
    allies = [str(x.value) for a in said.match.atoms for x in a.all("ally")]
    named = [said.player_of(a) for a in said.atoms("players") + said.atoms("races")]
    player = next((p for p in [*allies, *named] if p and p != said.me), None)
    if player is None and said.has("~person"):
        player = said.addressed()
    if player is None and said.has(*_ABOUT_BATTLE):
        raise said.stop("ambiguous", "С кем вместе биться? Назовите игрока.")
    if player is None:
        return []  # «мы с вами проиграли вместе»
    agree = None
    if said.has("refuse", "apart", "not_fight") and not said.has("agree"):
        agree = False
    if agree is None and said.denied():
        agree = False  # «общего боя с Гхашем не будет»
    people = list(dict.fromkeys(p for p in allies if p != said.me)) or [player]
    return [said.read({"type": "join_consent", "player": p, "battle": said.battle(), "agree": agree}) for p in people]


_ABOUT_BATTLE = ("agree", "refuse", "apart", "not_fight", "attack", "battle_word", "battle", "answer")
"""Words of a common battle, beside «вместе»."""


def _joint_score(fill: Fill) -> float | None:
    slots = fill.slots
    people = slots.get("players", ())
    if called(fill, "not_fight", "not_guard"):
        for_whom = [f for n in ("players", "places", "btype", "units") for f in slots.get(n, ())]
        guarded = any(a.has("not_guard") for a in fill.triggers) and any(not f.atom.prep for f in people)
        return 0.8 if guarded or any(f.atom.prep == "за" for f in for_whom) else None
    if not fill.triggers:
        # «гарнизон Лориэна и гости от Радомира стоят врозь»
        apart = any(f.atom.has("apart") for f in slots.get("side", ()))
        return 0.5 if apart and any(f.atom.prep != "с" for f in people) else None
    if called(fill, "defend_together"):
        if any(a.text.lower().startswith("не ") for a in fill.triggers) and slots.keys() & {"garrison", "units", "places"}:
            return 0.6
        if any(f.atom.prep in {"с", "со", "без", "за"} for f in people):
            return 0.6
        return 0.6 if slots.keys() & {"side"} or ("players" in slots and slots.keys() & {"units", "garrison", "places"}) else None
    return None


@maker
def _joint(said: Said) -> Iterable[Output]:
    objects: list[str] = []
    foreign: str | None = None
    guests: list[str] = []
    for atom in said.atoms("garrison"):
        cell = str(atom.senses[0].value or "")
        building = said.state.buildings.get(cell)
        if building is not None and building.owner not in (None, said.me) and said.atoms("units"):
            guests.append(str(building.owner))  # «дружина и гарнизон Лориэна обороняются вместе»
        elif cell:
            objects.append(cell)
    for atom in said.atoms("units"):
        found = [] if atom.has("~person") else said.candidates(atom)
        own = [u for u in found if said.mine(u)]
        if own:
            objects.append(own[0])
        elif found and said.unit_object(found[0]) is not None:
            foreign = said.state.units[found[0]].owner or foreign
        elif atom.has("utype"):
            foreign = said.of_race(str(atom.get("utype").value)) or foreign  # type: ignore[union-attr]
    for slot in ("places", "cells"):
        for atom in said.atoms(slot):
            if not objects or atom.prep not in {"в", "во", "на", "под"}:
                objects.append(said.cell_of(atom))
    allies = [str(x.value) for a in said.match.atoms for x in a.all("ally")]
    other = next((p for p in [*allies, *map(said.player_of, said.atoms("players"))] if p and p != said.me), None) or foreign
    other = other or next(iter(guests), None)
    if other is None and not said.has("apart", "denial") and said.has("~person"):
        other = said.addressed()
    if other is None and any(
        t.norm in {"твои", "твой", "твоя", "ваши", "ваш"} for t in said.context.layout.tokens[said.match.first : said.match.last]
    ):
        other = said.addressed()
    denied = said.has("apart", "refuse", "not_fight", "not_guard") or said.denied()
    denied = denied or any(a.prep == "без" for a in said.atoms("players"))
    denied = denied or any(a.negated or said.context.layout.tokens[a.first].norm == "не" for a in said.words(*_DEFENCE))
    denied = denied or any(a.negated for a in said.context.by_sentence.get(said.match.sentence, []) if a.has("defend_together"))
    if not objects:
        actor = said.personal() or said.default_actor()
        objects = [actor]
    kind = {"type": "joint_defense", "object": objects[0], "with": other, "allowed": not denied}
    return [said.read(kind)]


_DEFENCE = ("defend_together", "together")
_BESIDE = frozenset(
    {
        "entry",
        "roof",
        "let",
        "number",
        "land_word",
        "stay",
        "agree",
        "refuse",
        "troops",
        "attack",
        "me",
        "btype",
        "commander_word",
    }
)
"""Words that may stand beside a common defence without meaning."""
FRAMES = (
    Frame(
        "join_consent",
        ("together", "apart", "ally"),
        (
            Slot("players", ("player",), many=True, refs=("~person",), weight=1.2),
            Slot("races", ("utype",), weight=0.8),
            BATTLE,
            Slot("answer", ("agree", "refuse", "apart", "take", "not_fight"), many=True, weight=0.6),
            Slot("defending", ("defend_together",), weight=0.2),
        ),
        noise=frozenset({"attack", "go", "allow", "me", "battle_word", "answer"}),
        at_most={"players": 2, "answer": 2},
        score=_join_score,
        make=_join,
        inherits=False,
    ),
    Frame(
        "joint_defense",
        ("defend_together", "not_fight", "not_guard"),
        (
            UNITS,
            Slot("garrison", ("garrison",), many=True),
            PLACES,
            CELLS,
            PLAYERS,
            BTYPE,
            Slot("side", ("together", "apart", "ally"), many=True, weight=0.7),
        ),
        bare=(frozenset({"garrison", "players", "side"}),),
        noise=_BESIDE,
        at_most={"units": 2, "garrison": 1, "players": 2, "cells": 1, "places": 1},
        score=_joint_score,
        make=_joint,
        inherits=False,
        weight=0.2,
    ),
)
