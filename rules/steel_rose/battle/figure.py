"""The picture of a battle: who stands where after each phase, with the arrows of the manoeuvres."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from rules.maps import BattleFigure, Board, Manoeuvre
from rules.maps import Squad as SquadPicture
from rules.steel_rose.battle.engine import opening
from rules.steel_rose.battle.model import BattleResult, BattleSetup, Side, SquadState, Stage
from rules.steel_rose.battle.places import PLACES
from rules.steel_rose.data import counted, game_data, raw


@cache
def texts() -> Mapping[str, Any]:
    """The words of a battle."""
    return raw("battle_texts")


def battle_figure(result: BattleResult, title: str = "") -> BattleFigure:
    """One board per phase that happened; arrows on the first."""
    setup = result.setup
    boards = [board(stage, setup, arrows=index == 0) for index, stage in enumerate(result.stages)]
    said = texts()["result"]
    name = "" if result.winner is None else name_of(setup, result.winner)
    told = said["draw"] if result.winner is None else said["win"].format(side=name)
    return figure(setup, tuple(boards), title, told)


def deployment_figure(setup: BattleSetup, title: str = "") -> BattleFigure:
    """The boards before the battle, with the manoeuvres."""
    return figure(setup, (board(opening(setup), setup, arrows=True),), title, "")


def figure(setup: BattleSetup, boards: tuple[Board, ...], title: str, result: str) -> BattleFigure:
    """Boards with names and colours."""
    names = (name_of(setup, 0), name_of(setup, 1))
    return BattleFigure(
        title=title or texts()["result"]["figure"].format(first=names[0], second=names[1]),
        names=names,
        colours=colours_of(setup),
        boards=boards,
        result=result,
    )


def board(stage: Stage, setup: BattleSetup, *, arrows: bool) -> Board:
    """One stage."""
    sides = (
        tuple(squad(state) for state in stage.squads[0]),
        tuple(squad(state) for state in stage.squads[1]),
    )
    return Board(texts()["stages"][stage.id], sides, arrows_of(setup) if arrows else ())


def squad(state: SquadState) -> SquadPicture:
    """A squad with its units, and cover or fatigue where it has any."""
    units = game_data().units
    lines = tuple(counted(count, units[unit]) if unit in units else f"{count} {unit}" for unit, count in state.alive.items())
    return SquadPicture(state.place, lines, sum(state.alive.values()), state.total)


def arrows_of(setup: BattleSetup) -> tuple[Manoeuvre, ...]:
    """The manoeuvres of both sides; a free move or a march is one arrow per cell."""
    names = texts()["maneuvers"]
    out: list[Manoeuvre] = []
    for side in (0, 1):
        for order in sorted(setup.sides[side].maneuvers, key=lambda o: PLACES.index(o.place)):
            here = order.place
            if order.free_move is not None:
                out.append(Manoeuvre(side, here, order.free_move, side, "move", names["free"]))
                here = order.free_move
            if order.kind in ("move", "forced_march"):
                for cell in order.path:
                    out.append(Manoeuvre(side, here, cell, side, order.kind, names[order.kind]))
                    here = cell
            elif order.kind == "cover":
                out.append(Manoeuvre(side, order.place, order.place, side, "cover", names["cover"]))
            elif order.kind is not None and order.target is not None:
                towards = side if order.kind == "defend" else 1 - side
                out.append(Manoeuvre(side, order.place, order.target, towards, order.kind, names[order.kind]))
    return tuple(out)


def name_of(setup: BattleSetup, side: Side | int) -> str:
    """The faction's name."""
    faction = setup.sides[side].faction
    known = game_data().factions.get(faction)
    return known.name_ru if known is not None else faction


def colours_of(setup: BattleSetup) -> tuple[str, str]:
    """Both sides' colours; the defender's is darker where both are of one faction."""
    factions = game_data().factions
    first, second = (factions[side.faction].colour for side in setup.sides)
    return first, darker(second) if first == second else second


def darker(colour: str) -> str:
    """The same colour, darker."""
    return "#" + "".join(f"{int(colour[i : i + 2], 16) * 3 // 5:02x}" for i in (1, 3, 5))
