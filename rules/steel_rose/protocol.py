"""A battle's protocol for its two sides: boards, manoeuvres, rounds, losses, and its picture (§4.6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parsers.types import Json
from rules.base import Event
from rules.maps import BattleFigure, Board, Manoeuvre, Squad
from rules.report import Block, Bullets, Column, FigureBlock, Section, Strong, Table, para, rich, row
from rules.steel_rose.battle.model import Side
from rules.steel_rose.battle.places import PLACES
from rules.steel_rose.battle.telling import paragraph
from rules.steel_rose.blows import blows
from rules.steel_rose.data import counted, game_data, plural
from rules.steel_rose.refusals import faction_name, unit_name
from rules.steel_rose.retelling import fought, odds
from rules.steel_rose.view import View
from rules.steel_rose.wording import counts, place_name, word

GREY = "#8c8c8c"


def battle_section(view: View, event: Event) -> Section:
    """The protocol of one battle."""
    data = event.data
    city = place_name(view.state, str(data["battle"]))
    names = tuple(faction_name(f) if f else word("report", "nobody") for f in (data["attacker"], data["defender"]))
    winner = {"A": "battle_won_a", "B": "battle_won_b", None: "battle_draw"}[data["winner"]]
    blocks: list[Block] = [para(Strong(word("report", winner, faction=names[0] if data["winner"] == "A" else names[1])))]
    if data.get("fought") and "flanks" in data:
        result = fought(view.state, data)
        if result is None:
            flanks = data["flanks"]
            blocks.append(para(word("report", "rounds", rounds=data["rounds"], final=data["final"], **flanks)))
        else:
            blocks.append(para(" ".join(paragraph(result)[:-1])))
            blocks += _chances(view, data, names)
        if data["skipped"]:
            blocks.append(para(word("report", "skipped")))
        blocks.append(
            FigureBlock(
                figure(data, names, word("report", winner, faction=names[0 if data["winner"] == "A" else 1]), city),
                word("report", "figure_caption", city=city),
            )
        )
        for side, key, name in (("A", "side_a", names[0]), ("B", "side_b", names[1])):
            blocks.append(_side(data, side, word("report", key, faction=name)))
        if result is not None:
            blocks.append(blows(result, _reader(view, data), f"blows-{data['battle']}"))
    return Section(word("report", "battle_title", city=city), tuple(blocks), id=f"battle-{data['battle']}")


def _reader(view: View, data: Mapping[str, Json]) -> Side | None:
    """The side that reads; None: the GM."""
    if view.faction is None:
        return None
    return 0 if view.faction == data["attacker"] else 1


def _chances(view: View, data: Mapping[str, Json], names: tuple[str, ...]) -> list[Block]:
    """What was to be expected, from the reader's side (the GM reads the attacker's): no part of the public story, for armies
    are hidden (R101)."""
    known = odds(view.state, data)
    if known is None:
        return []
    mine = _reader(view, data) or 0
    chances = (known.attacker, known.defender)
    better = min(99, max(1, round(known.percentile if mine == 0 else 100 - known.percentile)))
    verdict = word("odds", "one" if plural(better, ("1", "2", "2")) == "1" else "lucky", n=better)
    return [
        para(
            word(
                "odds",
                "text",
                own=round(100 * chances[mine]),
                enemy=round(100 * chances[1 - mine]),
                own_name=names[mine],
                enemy_name=names[1 - mine],
                percentile=better,
                verdict=verdict,
            )
        )
    ]


def board_section(view: View, event: Event) -> Section:
    """Both deployments, for the planning (R24)."""
    data, places = event.data, game_data().places
    city = place_name(view.state, str(data["battle"]))
    factions = (data["attacker"], data["defender"])
    names = tuple(faction_name(f) if f else word("report", "nobody") for f in factions)
    known = game_data().factions
    colours = tuple(known[f].colour if f in known else GREY for f in factions)
    first, second = (tuple(_standing(p, units) for p, units in data["boards"][side].items()) for side in ("A", "B"))
    picture = BattleFigure(
        city, (names[0], names[1]), (colours[0], colours[1]), (Board(word("stages", "deployment"), (first, second)),)
    )
    blocks: list[Block] = [FigureBlock(picture, word("report", "boards_caption", city=city))]
    for side, key, name in (("A", "side_a", names[0]), ("B", "side_b", names[1])):
        board = tuple(rich(f"{places[p][0]}: {counts(u)}") for p, u in data["boards"][side].items())
        blocks.append(Section(word("report", key, faction=name), (Bullets(board),)))
    if data["skipped"]:
        blocks.append(para(word("report", "skipped")))
    return Section(word("report", "battle_title", city=city), tuple(blocks), id=f"boards-{data['battle']}")


def _standing(place: str, units: Mapping[str, int]) -> Squad:
    total = sum(units.values())
    return Squad(place, tuple(counts({u: n}) for u, n in units.items()), total, total)


def _side(data: Mapping[str, Json], side: str, title: str) -> Section:
    places = game_data().places
    board = tuple(rich(f"{places[p][0]}: {counts(u)}") for p, u in data["boards"][side].items())
    moves = tuple(rich(_maneuver(m)) for m in data["maneuvers"][side]) or (rich(word("report", "no_maneuvers")),)
    columns = (
        Column(word("report", "unit")),
        *(Column(word("report", key), numeric=True) for key in ("fielded", "standing", "rescued", "dead")),
    )
    rows = tuple(
        row(_unit(t), str(t["fielded"]), str(t["standing"]), str(t["rescued"]), str(t["dead"])) for t in data["losses"][side]
    )
    return Section(title, (Bullets(board), Bullets(moves), Table(columns, rows)), details=True)


def _unit(tally: Mapping[str, Any]) -> str:
    name = unit_name(tally["unit"])
    return word("report", "garrison_mark", unit=name) if tally["garrison"] else name


def _maneuver(order: Mapping[str, Any]) -> str:
    data = game_data()
    known = data.maneuvers.get(order.get("maneuver") or "")
    name = known.name_ru if known is not None else word("words", "free_move", place=data.places[order["free_move"]][0])
    goals = [order["target"]] if order.get("target") else list(order.get("path") or ())
    place = data.places[order["position"]][0]
    if not goals:
        return word("report", "maneuver", place=place, maneuver=name)
    return word("report", "maneuver_to", place=place, maneuver=name, target=", ".join(data.places[g][0] for g in goals))


def figure(data: Mapping[str, Json], names: tuple[str, ...], result: str, title: str) -> BattleFigure:
    """The battle stage by stage."""
    known = game_data().factions
    colours = tuple(known[f].colour if f in known else GREY for f in (data["attacker"], data["defender"]))
    boards = []
    for stage in data["stages"]:
        first, second = (tuple(_squad(s) for s in squads) for squads in stage["sides"])
        arrows = _arrows(data) if stage["id"] == "deployment" else ()
        boards.append(Board(word("stages", stage["id"]), (first, second), arrows))
    return BattleFigure(title, (names[0], names[1]), (colours[0], colours[1]), tuple(boards), result)


def _squad(squad: Mapping[str, Any]) -> Squad:
    units = game_data().units
    lines = tuple(counted(n, units[u]) for u, n in squad["alive"].items() if n)
    return Squad(squad["place"], lines, sum(squad["alive"].values()), squad["total"])


def _arrows(data: Mapping[str, Json]) -> tuple[Manoeuvre, ...]:
    out = []
    for index, side in enumerate(("A", "B")):
        for order in data["maneuvers"][side]:
            kind = order.get("maneuver") or "move"
            hostile = kind in ("charge", "bombard", "long_bombard")
            goals = [order["target"]] if order.get("target") else list(order.get("path") or ())
            if order.get("free_move"):
                goals = [order["free_move"], *([] if hostile else goals)] if not hostile else goals
            start = order["position"]
            for goal in goals:
                if goal in PLACES:
                    out.append(Manoeuvre(index, start, goal, 1 - index if hostile else index, kind))
                    start = goal
    return tuple(out)
