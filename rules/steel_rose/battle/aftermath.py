"""After the battle: who of the fallen is rescued, and the books (R3–R5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from rules.dice import Stream
from rules.steel_rose.battle.model import GARRISON, Side, Tally
from rules.steel_rose.battle.state import Fighter
from rules.steel_rose.data import Settings, UnitId


def rescued(fallen: int, share: Fraction, rounding: str = "half_up", stream: Stream | None = None) -> int:
    """How many of the fallen return (R4). `random` rounding draws a chance of the fraction left over."""
    exact = fallen * share
    if rounding == "half_up":
        return int(exact + Fraction(1, 2))
    whole = int(exact)
    if rounding == "random" and stream is not None:
        whole += stream.chance(exact - whole)
    return whole


def tallies(fighters: Iterable[Fighter], side: Side, settings: Settings, stream: Stream) -> list[Tally]:
    """A side's books by origin and unit type, in order of deployment. Summoned units are not in them, unless they persist.

    Rescue is worked out per type, the garrison apart from all armies together; what the armies get back is handed out in the
    order of their deployment."""
    groups: dict[tuple[str, UnitId], list[Fighter]] = {}
    for fighter in fighters:
        if not fighter.summoned or settings.summoned_persist:
            groups.setdefault((fighter.origin, fighter.kind.id), []).append(fighter)
    fallen = {key: sum(not f.alive and not f.sacrificed and not f.summoned for f in group) for key, group in groups.items()}
    pools: dict[tuple[bool, UnitId], list[tuple[str, UnitId]]] = {}
    for origin, unit in groups:
        pools.setdefault((origin == GARRISON, unit), []).append((origin, unit))
    back: dict[tuple[str, UnitId], int] = {}
    for keys in pools.values():
        share = groups[keys[0]][0].kind.type.rescue
        pool = sum(fallen[key] for key in keys)
        left = rescued(pool, settings.rescue_share if share is None else share, settings.rescue_rounding, stream)
        for key in keys:
            back[key] = min(left, fallen[key])
            left -= back[key]
    return [tally(side, key, group, back[key]) for key, group in groups.items()]


def tally(side: Side, key: tuple[str, UnitId], group: Sequence[Fighter], back: int) -> Tally:
    """One line of the books. A summoned unit that persists counts only while it stands."""
    own = [f for f in group if not f.summoned or f.alive]
    return Tally(
        side=side,
        origin=key[0],
        unit=key[1],
        fielded=len(own),
        standing=sum(f.alive for f in own),
        sacrificed=sum(f.sacrificed for f in own),
        rescued=back,
    )
