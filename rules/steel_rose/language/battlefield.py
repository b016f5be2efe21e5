"""What the orders of a battle share: which battle, and where the reader's squads stand."""

from __future__ import annotations

from typing import Any

from parsers.context import Context
from parsers.frames import Match
from rules.steel_rose.data import game_data
from rules.steel_rose.state import Battle


def battle_fields(match: Match) -> dict[str, Any]:
    """`battle`, where the match names one."""
    city = match.value("battle")
    return {"battle": city} if city is not None else {}


def belongs_behind(unit: str) -> bool:
    """Units that shoot or heal: where nothing is said they are looked for in the rear."""
    known = game_data().units.get(unit)
    return known is not None and ((bool(known.ranged) and not known.can_charge) or not known.attack)


class Board:
    """Where the reader's squads stand, if the battle is revealed."""

    def __init__(self, context: Context) -> None:
        view = context.view
        self.places: dict[str, set[str]] = {}
        battles: tuple[Battle, ...] = view.battles
        for battle in battles:
            side = battle.side(view.faction) if view.faction else None
            if side is None:
                continue
            for cell in side.board:
                self.places.setdefault(str(cell["place"] if "place" in cell else cell.get("position", "")), set()).update(
                    str(g["unit"]) for g in cell["groups"]
                )

    def find(self, units: list[str], flank: str | None, row: str | None) -> tuple[str | None, bool]:
        """The place of a squad with these units; False: guessed without a board."""
        fitting = [
            p
            for p, inside in self.places.items()
            if inside & set(units) and (flank is None or p[0] == flank) and (row is None or p[1] == row)
        ]
        if len(fitting) == 1:
            return fitting[0], True
        if fitting or self.places:
            return None, False
        guessed = row or ("R" if any(map(belongs_behind, units)) else "V")
        flank = flank or ("C" if row else None)  # «лучники из тыла»: by default they stand in the middle (R19)
        return (flank + guessed if flank else None), False
