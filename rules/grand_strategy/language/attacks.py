"""Battles declared: troops and garrisons that attack (R60, R89)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from parsers.atoms import Atom
from parsers.frames import Fill, Frame, Output, Slot, choice
from parsers.russian import Verb
from parsers.types import Reading
from rules.grand_strategy.language.cards import filled
from rules.grand_strategy.language.making import maker
from rules.grand_strategy.language.names import stems
from rules.grand_strategy.language.said import Said, Stop, text_of
from rules.grand_strategy.language.slots import (
    BAD,
    BTYPE,
    CELLS,
    LAND,
    PLACES,
    UNITS,
)
from rules.grand_strategy.language.ways import walk


def _attack_score(fill: Fill) -> float | None:
    slots = fill.slots
    aimed = slots.keys() & {"units", "places", "cells", "btype", "players", "garrison", "bad"}
    if not aimed:
        alone = all(a.data.get("bare") and a.data.get("beside") == len(fill.atoms) for a in fill.atoms)
        return -1.3 if alone and fill.triggers and not slots else None  # «…; атака.»: asks whom
    if fill.triggers and all(a.has("capture") for a in fill.triggers):
        # «захватить Устье», but «при победе захватить», «Броды забираю себе»
        seized = all(a.text.lower().startswith(stems("seizing")) for a in fill.triggers)
        return -0.3 if seized and slots.keys() & {"units", "places"} else None
    if not fill.triggers and _set_against(fill):
        return 0.1
    if not fill.triggers:
        # «Гарнизон Г3 → R1»
        arrow = any(a.has("arrow") for a in fill.atoms) or any(f.atom.prep in _AT for f in slots.get("units", ()))
        return 0.3 if "garrison" in slots and "units" in slots and arrow else None
    beside = [f.atom.prep for n in ("places", "cells") for f in slots.get(n, ())]
    if all(a.has("battle_word") and not a.verb for a in fill.triggers) and set(beside) & _AROUND:
        return None  # «Бой у Лориэна: всадники АОС»
    if slots.keys() <= {"players", "cards"}:
        return -0.6
    return 0.2


def _set_against(fill: Fill) -> bool:
    """«Дружиной по Устью!», «дружина против варваров»: a sentence of a troop and whom it is sent at."""
    places = [f.atom for n in ("units", "places") for f in fill.slots.get(n, ())]
    aimed = [a for a in places if a.prep in _SET or (a.data.get("aimed") and a.prep in _AT)]
    sent = [
        f.atom for f in fill.slots.get("units", ()) if not f.atom.prep and (not f.atom.cases or f.atom.cases & {"nomn", "ablt"})
    ]
    alone = all(a.data.get("bare") and a.data.get("beside") == len(fill.atoms) for a in fill.atoms)
    carded = [a for a in aimed if "cards" in fill.slots and a.data.get("aimed")]  # «Дружиной по варварам: меч, меч, щит!»
    return (alone or bool(carded)) and len(aimed) == 1 and len(sent) == 1 and sent[0].first < aimed[0].first


_SET = frozenset({"по", "против"})
"""Prepositions of whom a troop without a verb is set at."""
_AT = frozenset({"на", "по"})
"""Prepositions of whom a garrison without a verb is sent at («гарнизоном Лориэна по дружине»)."""
_AROUND = frozenset({"у", "под", "за", "при", "возле", "около"})
"""Prepositions of the place where a battle is."""


@maker
def _attack(said: Said) -> Iterable[Output]:
    said.check_cells()
    garrisons = said.atoms("garrison")
    own_garrison = [a for a in garrisons if a.prep not in {"с", "со"} and _is_own(said, a)]
    if own_garrison:
        return _garrison_attack(said, own_garrison[0])
    if garrisons and not said.atoms("places") and not said.atoms("units"):
        last = said.context.readings[-1] if said.context.readings else None
        if last is not None and last.command["type"] == "move" and last.command["path"][-1] in said.state.buildings:
            _assault(said, last)
            return []
    actor, target_units = _sides(said)
    target: str | None = target_units[0] if target_units else None
    allies = [str(s.value) for a in said.atoms("ally") for s in a.all("ally")]
    if target is None and garrisons and garrisons[0].senses[0].value:
        target = str(garrisons[0].senses[0].value)
    if target is None:
        target = _place(said, actor)
    if target is None:
        gone = walk(said, actor, "attack")
        last = said.context.readings[-1] if said.context.readings else None
        if not gone and last is not None and _enters(said, last):
            _assault(said, last)
            return []
        owners = [p for p in (said.player_of(a) for a in said.atoms("players")) if p and p not in allies]
        theirs = _beside_of(said, owners[0], actor) if owners else []
        if len(theirs) != 1:
            stop = _whose(said, owners[0], actor) if owners else _whom(said, actor)
            return [*gone, stop.problem]
        target = theirs[0]
        said.unsure(f"«{said.player_title(owners[0])}» понято как {_title(said, target)}")
    last = said.context.readings[-1] if said.context.readings else None
    if last is not None and _enters(said, last) and last.command["path"][-1] == target and last.command["unit"] == actor:
        _assault(said, last)  # «идёт на З10 и штурмует башню»: the last step is the attack
        return []
    keep = [target, *(u.cell for u in said.state.units.values() if u.id == target)]
    gone = walk(said, actor, "attack", keep=keep)
    beside = said.context.by_sentence.get(said.match.sentence, [])
    men = [b for a, b in itertools.pairwise(beside) if a.has("troops") and a.last == b.first <= said.match.last]
    if any(b.has("house") and not b.prep and _own_house(said, b) for b in men):
        said.unsure("непонятно, войско это или гарнизон")  # «Воины Лориэна рубят дружину»
    struck = said.state.buildings.get(target)
    if (struck is not None and struck.owner == said.me) or said.mine(target):
        if not said.atoms("units") and said.match.triggers and all(a.verb is Verb.THIRD for a in said.match.triggers):
            return []  # «когда по Трону ударят»
        said.unsure("это ваше")
    cards = _cards(said, actor)
    if cards is not None and len(cards) > said.squads(actor):
        said.unsure(f"карточек {len(cards)}, отрядов {said.squads(actor)}")
    command: dict[str, Any] = {"type": "attack", "unit": actor, "target": target, "ally": allies or None, "cards": cards}
    if said.has("no_capture"):
        command["capture"] = False
    if said.has("raze") and not said.has("no_raze"):
        command["preserve"] = False
    return [*gone, said.read(command)]


def _own_house(said: Said, atom: Atom) -> bool:
    building = said.state.buildings.get(said.cell_of(atom))
    return building is not None and building.owner == said.me


def _cards(said: Said, actor: str) -> list[str] | None:
    """All cards told; which squad plays which («первый отряд в атаку, остальные в оборону») asks."""
    lists = [a for a in said.atoms("cards") if not a.data.get("all")] or said.atoms("cards")  # «все в атаку: А А А»
    told = [s for a in lists for s in (a.get("cards", "card"),) if s is not None]
    parted = any(a.data.get("rest") or a.data.get("last_card") for a in lists)
    if not parted and ((len(told) < 2 and len(lists) == len(said.atoms("cards"))) or (lists and lists[0].has("badcard"))):
        return said.cards(unit=actor)
    if not parted and (said.near("~rest", behind=4) is not None or said.near("ordinal") is not None):
        said.unsure("непонятно, какому отряду какая карточка")
    cards = [str(card) for s in told for card in (s.value if s.kind == "cards" else (s.value,))]
    return filled(lists[-1], cards, said.squads(actor))


def _place(said: Said, actor: str) -> str | None:
    """The building or the troop at the place named; a bare cell only behind the verb («атаковать Е7»)."""
    lairs = [c for c in said.cells() if c in said.state.board.data.lairs]
    if lairs:
        return lairs[0]
    target = said.building(foreign=True)
    if target is None or target in said.state.buildings:
        return target
    for cell in said.cells():
        there = [u.id for u in said.state.units.values() if u.cell == cell and u.id != actor]
        if there:
            return there[0]
    behind = said.words_after("attack", "cells")
    return said.cell_of(behind[0]) if behind else None


def _enters(said: Said, reading: Reading) -> bool:
    """True for a movement into somebody else's building."""
    if reading.command["type"] != "move":
        return False
    building = said.state.buildings.get(str(reading.command["path"][-1]))
    return building is not None and building.owner != said.me


def _is_own(said: Said, atom: Atom) -> bool:
    cell = atom.senses[0].value
    if not cell:
        return any(said.squads(b.cell) for b in said.state.buildings.values() if b.owner == said.me)
    building = said.state.buildings.get(cell)
    if building is not None and building.owner == said.me:
        return True
    named = [a for a in said.match.atoms if a.has("garrison", "unit", "utype", "personal", "house", "player")]
    return building is None or atom is named[0] or ("ablt" in atom.cases and "accs" not in atom.cases)


def _assault(said: Said, last: Reading) -> None:
    """«заходим в Броды и бьёмся с гарнизоном»: the last step is an assault."""
    for match, outputs in said.context.outputs:
        for n, output in enumerate(outputs):
            if output is last:
                outputs[n] = replace(
                    last, command={**last.command, "assault": True}, extra_spans=(*last.extra_spans, said.match.span)
                )
        del match


def _sides(said: Said) -> tuple[str, list[str]]:
    """Who attacks whom: one's own troop and the others; of two own ones the first attacks."""
    mine: list[str] = []
    others: list[str] = []
    cells = said.cells()
    for atom in said.atoms("units"):
        if atom.has("~person"):
            actor = said.memory.get("actor")
            if atom.text.lower() in {"они же", "она же", "он же", "ими", "ими же", "ею"} and actor:
                mine.append(str(actor))
            continue
        found = said.candidates(atom)
        if cells and len(found) > 1:
            found = [u for u in found if said.at(u) in cells] or found
        own = [u for u in found if said.mine(u)]
        foreign = [u for u in said.state.units if not said.mine(u) and _named_by(said, atom, u)]
        if mine and foreign and (own == mine or not own):
            others.append(_only(said, atom, foreign))
        elif own:
            mine.append(_only(said, atom, own))
        elif foreign:
            others.append(_only(said, atom, foreign))
        elif any(x.value == "dragon" for x in atom.all("utype")) and said.state.board.data.lairs:
            continue
        else:
            others.append(said.unit(atom))
    if len(mine) > 1:
        others = mine[1:] + others
        mine = mine[:1]
    actor = mine[0] if mine else said.default_actor()
    return actor, others


def _named_by(said: Said, atom: Atom, unit: str) -> bool:
    kinds = {s.value for s in atom.all("utype")}
    return said.type_of(unit) in kinds or any(s.value == unit for s in atom.all("unit"))


def _only(said: Said, atom: Atom, found: list[str]) -> str:
    if len(found) == 1:
        return found[0]
    names = [said.unit_title(u) for u in found]
    raise said.stop(
        "ambiguous", text_of("ambiguous", options=" или ".join(names)), span=atom.span, choices=[choice(n) for n in names]
    )


def _near(said: Said, actor: str) -> list[str]:
    """Names of what stands next to a troop."""
    place = said.at(actor)
    if place is None:
        return []
    board = said.state.board
    around = {place, *board.near(place)}
    units = [said.unit_title(u.id) for u in said.state.units.values() if u.cell in around and u.owner != said.me]
    houses = [f"{b.name or b.cell} ({b.cell})" for b in said.state.buildings.values() if b.cell in around and b.owner != said.me]
    return units + houses


def _beside_of(said: Said, owner: str, actor: str) -> list[str]:
    """What a player has next to a troop: «нападаю на Радомира» where his troop alone stands there."""
    place = said.at(actor)
    board = said.state.board
    around = {place, *board.near(place)} if place is not None else set()
    units = [u.id for u in said.state.units.values() if u.owner == owner and u.cell in around]
    return units + [b.cell for b in said.state.buildings.values() if b.owner == owner and b.cell in around]


def _title(said: Said, target: str) -> str:
    return said.unit_title(target) if target in said.state.units else said.building_title(target)


def _whom(said: Said, actor: str) -> Stop:
    near = _near(said, actor)
    text = "Кого атаковать?" + (f" Рядом: {', '.join(near)}." if near else " Рядом никого нет.")
    return said.stop("ambiguous", text, draft={"type": "attack", "unit": actor}, choices=[choice(n) for n in near])


def _whose(said: Said, owner: str, actor: str) -> Stop:
    things = [said.unit_title(u.id) for u in said.state.units.values() if u.owner == owner]
    things += [f"{b.name or b.cell} ({b.cell})" for b in said.state.buildings.values() if b.owner == owner]
    text = f"На какое войско или строение игрока {said.player_title(owner)}?"
    return said.stop("ambiguous", text, draft={"type": "attack", "unit": actor}, choices=[choice(t) for t in things])


def _garrison_attack(said: Said, garrison: Atom) -> list[Output]:
    cell = str(garrison.senses[0].value)
    if not cell:
        raise said.stop("ambiguous", "Гарнизон какого строения?", draft={"type": "garrison_attack"})
    others: list[str] = []
    for atom in said.atoms("units"):
        found = said.candidates(atom) if not atom.has("~person") else []
        found = [u for u in found if not said.mine(u)] or found
        there = [u for u in found if said.at(u) == cell]
        found = there or found
        if found:
            others.append(_only(said, atom, found))
    if not others:
        owners = [p for p in (said.player_of(a) for a in said.atoms("players")) if p]
        there = [
            u.id for u in said.state.units.values() if u.cell == cell and u.owner != said.me and (not owners or u.owner in owners)
        ]
        if len(there) == 1:
            others = there
        elif owners:
            theirs = [u.id for u in said.state.units.values() if u.owner in owners]
            if len(theirs) == 1:
                others = theirs
    if not others:
        raise said.stop(
            "ambiguous",
            "Какое войско бьёт гарнизон? На его клетке никого нет.",
            draft={"type": "garrison_attack", "building": cell},
        )
    if said.mine(others[0]):
        title = said.unit_title(others[0])
        text = f"Гарнизон бьёт чужих: что сделать гарнизону и что — войску «{title}»?"
        raise said.stop("ambiguous", text, draft={"type": "garrison_attack", "building": cell})
    return [said.read({"type": "garrison_attack", "building": cell, "target": others[0]})]


FRAMES = (
    Frame(
        "attack",
        ("attack", "capture"),
        (
            UNITS,
            PLACES,
            CELLS,
            BAD,
            BTYPE,
            LAND,
            Slot("garrison", ("garrison",), weight=1.1),
            Slot("players", ("player",), many=True, weight=0.6),
            Slot("cards", ("cards", "card", "badcard"), many=True, weight=0.8),
            Slot("ally", ("ally",), many=True, weight=2.2),
            Slot("force", ("by_force",), weight=0.3),
            Slot("wish", ("no_capture", "no_raze", "raze", "capture"), many=True, weight=0.5),
        ),
        bare=(frozenset({"garrison", "units"}), frozenset({"units"})),
        noise=frozenset(
            {
                "go",
                "together",
                "troops",
                "then",
                "cards_word",
                "~all",
                "me",
                "cell_word",
                "siege",
                "arrow",
                "entry",
                "let",
                "there",
            }
        ),
        at_most={"units": 2, "places": 1, "cells": 2, "btype": 1, "cards": 2, "players": 2, "wish": 3},
        score=_attack_score,
        make=_attack,
    ),
)
