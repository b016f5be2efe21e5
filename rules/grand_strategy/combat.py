"""The card fight, column by column: pure, without a state (R101, R102, R106–R109)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rules.grand_strategy.strength import Squad

BEATS = {"attack": "shoot", "shoot": "defend", "defend": "attack"}
ROW = 3


@dataclass(frozen=True)
class Duel:
    """One clash of two squads."""

    round: int
    column: int
    attacker: Squad
    defender: Squad
    died: str
    """`A`, `D` or `both`."""


@dataclass(frozen=True)
class Fight:
    """A whole card fight."""

    duels: tuple[Duel, ...]
    attackers: tuple[Squad, ...]
    """Survivors in their line order."""
    defenders: tuple[Squad, ...]

    @property
    def winner(self) -> str:
        """`att`, `def` or `draw` (both empty)."""
        if self.attackers:
            return "att"
        return "def" if self.defenders else "draw"


def duel(attacker: Squad, defender: Squad) -> str:
    """Who dies: `A`, `D` or `both` (R101, R102); a бродяга and a dragon meet without advantages (R30)."""
    if attacker.card != defender.card:
        return "D" if BEATS[attacker.card] == defender.card else "A"
    even = (attacker.even and defender.dragon) or (defender.even and attacker.dragon)
    if even or attacker.advantage == defender.advantage:
        return "both"
    return "D" if attacker.advantage else "A"


def fight(attackers: Sequence[Squad], defenders: Sequence[Squad], *, regroup: tuple[str, str] = ("keep", "keep")) -> Fight:
    """Fights on until one side is empty: attackers stand left to right, defenders right to left (R107); survivors are placed
    again with the same cards, in their order or reversed (R109)."""
    left, right = list(attackers), list(defenders)
    duels: list[Duel] = []
    number = 0
    while left and right:
        number += 1
        if number > 1:
            left = left[::-1] if regroup[0] == "reverse" else left
            right = right[::-1] if regroup[1] == "reverse" else right
        width = ROW if len(left) >= ROW and len(right) >= ROW else min(len(left), len(right))
        dead: set[str] = set()
        for column in range(width):
            ours = left[column::width]
            theirs = [squad for j, squad in enumerate(right) if width - 1 - j % width == column]
            while ours and theirs:
                died = duel(ours[0], theirs[0])
                duels.append(Duel(number, column + 1, ours[0], theirs[0], died))
                if died != "D":
                    dead.add("A" + ours.pop(0).name)
                if died != "A":
                    dead.add("D" + theirs.pop(0).name)
        left = [s for s in left if "A" + s.name not in dead]
        right = [s for s in right if "D" + s.name not in dead]
    return Fight(tuple(duels), tuple(left), tuple(right))
