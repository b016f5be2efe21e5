"""What else is said of a battle: the line order, the prize (R114, R115, R118)."""

from __future__ import annotations

from collections.abc import Iterable

from parsers.frames import Fill, Frame, Output, Slot
from rules.grand_strategy.language.cards import fighters, participants
from rules.grand_strategy.language.making import maker
from rules.grand_strategy.language.names import stems
from rules.grand_strategy.language.said import Said
from rules.grand_strategy.language.slots import (
    BATTLE,
    BTYPE,
    CELLS,
    PLACES,
    called,
)


def _order_score(fill: Fill) -> float | None:
    slots = fill.slots
    bodies = len({repr(f.value) for f in slots.get("units", ())}) + len(slots.get("garrison", ()))
    who = bodies + len(slots.get("cells", ())) + len(slots.get("places", ()))
    if not who or any(a.prep == "по" for a in fill.triggers):
        return None
    if called(fill, "line_order"):
        return 0.4
    if not bodies or slots.keys() & {"cells", "places"}:
        return None
    last = called(fill, "last_place")
    return 0.3 if bodies > 1 or last or ("verb" in slots and called(fill, "first")) else None


@maker
def _order(said: Said) -> Iterable[Output]:
    people = participants(said)
    keys = [k for k, _ in people]
    heads = {a.first for a in said.words("then", "behind", "last_place")}
    if len(keys) == 2 and heads:
        # «Аэлин за их спинами» keeps the text order; «сзади орки, впереди гномы» turns it
        first_words = [a for a in said.words("first", "line_order") if a.text.lower().startswith(stems("line_first"))]
        if first_words and min(heads) < people[0][1][0].first and first_words[0].first > people[0][1][0].first:
            keys.reverse()
    if len(keys) == 1 and said.has("last_place"):
        rest = [f for f in fighters(said) if f not in keys]
        keys = rest + keys
        if not rest:
            said.unsure("остальные в строю не названы")
    if not keys:
        raise said.stop("ambiguous", "Кто за кем стоит?")
    return [said.read({"type": "battle_order", "battle": said.battle(), "order": list(dict.fromkeys(keys))})]


# ------------------------------------------------------------------------------------------------ the prize


def _victory_score(fill: Fill) -> float | None:
    if called(fill, "victory"):
        return 0.8 if "wishes" in fill.slots else None
    kinds = {k for a in fill.atoms for k in a.kinds}
    if kinds & {"no_capture"} and ("building_word" in kinds or fill.slots.keys() & {"btype", "places", "battle"}):
        return 0.3
    return 0.6 if kinds & {"capture", "no_capture"} and kinds & {"no_raze", "raze"} else None


@maker
def _victory(said: Said) -> Iterable[Output]:
    capture: bool | None = None
    preserve: bool | None = None
    tokens = said.context.layout.tokens
    for atom in said.match.atoms:
        behind = [t.norm for t in tokens[atom.last : atom.last + 2]]
        no = "нет" in behind[:2] and not any(t in {",", "."} for t in behind[:1])
        if atom.has("no_raze"):
            preserve = True
        elif atom.has("no_capture"):
            capture = False
        elif atom.has("capture") and not atom.has("victory"):
            capture = not no
        elif atom.has("raze"):
            preserve = no
    for atom in said.context.by_sentence.get(said.match.sentence, []):
        if atom.negated and atom.first >= said.match.first - 1:
            if atom.has("raze") and preserve is None:
                preserve = True
            elif atom.has("capture") and capture is None:
                capture = False
    return [said.read({"type": "victory_choice", "battle": said.battle(), "capture": capture, "preserve": preserve})]


FRAMES = (
    Frame(
        "battle_order",
        ("line_order", "first", "behind", "last_place"),
        (
            Slot("units", ("unit", "utype", "personal"), many=True),
            Slot("garrison", ("garrison",), many=True),
            Slot("cells", ("cell",), many=True),
            PLACES,
            BATTLE,
            Slot("verb", ("build", "stay"), weight=0.3),
            Slot("steps", ("first", "then", "behind", "last_place"), many=True, weight=0.4),
        ),
        noise=frozenset({"only", "turn_order", "go"}),
        at_most={"units": 5, "garrison": 3, "cells": 4},
        score=_order_score,
        make=_order,
        inherits=False,
    ),
    Frame(
        "victory_choice",
        ("victory", "no_capture", "no_raze", "capture", "raze"),
        (
            BATTLE,
            Slot("wishes", ("no_capture", "no_raze", "capture", "raze"), many=True, weight=0.9),
            BTYPE,
            PLACES,
            CELLS,
        ),
        bare=(),
        noise=frozenset(
            {"take", "attack", "me", "no_word", "yes_word", "building_word", "agree", "refuse", "downgrade", "land_word"}
        ),
        at_most={"wishes": 4, "btype": 2},
        score=_victory_score,
        make=_victory,
        inherits=False,
        weight=0.2,
    ),
)
