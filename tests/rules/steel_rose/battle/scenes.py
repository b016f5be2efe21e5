"""Small helpers of the battle tests: setups in one line, exact dice, units after every round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rules.dice import scripted_dice
from rules.steel_rose.battle.engine import fight
from rules.steel_rose.battle.log import Effect, Note, Strike
from rules.steel_rose.battle.model import BattleResult, BattleSetup, Group, ManeuverOrder, SideSetup

M = ManeuverOrder


def side(faction: str, *maneuvers: ManeuverOrder, favored: bool = False, origin: str = "army", **places: Any) -> SideSetup:
    """`side("empire", CV={"spearman": 6})`; `shot_bonus` too."""
    bonus = places.pop("shot_bonus", 0.0)
    squads = {place: tuple(Group(unit, n, origin, favored) for unit, n in units.items()) for place, units in places.items()}
    return SideSetup(faction, squads, maneuvers, bonus)  # type: ignore[arg-type]


def exact(a: SideSetup, b: SideSetup, rolls: Sequence[Any]) -> BattleResult:
    """The battle with these draws; every one of them must be used."""
    dice, source = scripted_dice(rolls)
    result = fight(BattleSetup(a, b), dice.stream("battle"))
    assert source.left == 0
    return result


def states(result: BattleResult, unit: str, number: int = 1, of: int | None = None) -> list[tuple[float, float]]:
    """Health and armour of a unit at the end of each round, as the protocol tells them."""
    kind = result.setup.units[unit].type
    hp, armor = float(kind.hp), float(kind.armor)
    out: list[tuple[float, float]] = []
    started = False
    for entry in result.log:
        if isinstance(entry, Note):
            if entry.kind in ("round", "phase", "charge_end") and started:
                out.append((hp, armor))
                started = False
            if entry.kind == "round":
                started = True
            continue
        who = entry.target if isinstance(entry, Strike) else entry.who
        if (who.unit, who.number) != (unit, number) or (of is not None and who.side != of):
            continue
        if isinstance(entry, Strike):
            hp = entry.hp_after
        elif isinstance(entry, Effect):
            if entry.hp_after is not None:
                hp = entry.hp_after
            if entry.kind == "shred":
                armor = entry.amount
    if started:
        out.append((hp, armor))
    return out


def strikes(result: BattleResult) -> list[Strike]:
    """All blows and shots."""
    return [entry for entry in result.log if isinstance(entry, Strike)]
