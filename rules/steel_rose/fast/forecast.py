"""Odds of a battle: thousands of fights on all cores, counted in flat memory; the same seed gives the same odds anywhere.

`forecast(setup).percentile(result)` says how lucky a real outcome was («шансы были 63 : 37, вышло 71-й перцентиль»)."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from parsers.types import Json
from rules.dice import seeded_dice
from rules.steel_rose.battle.engine import fight
from rules.steel_rose.battle.model import GARRISON, BattleResult, BattleSetup, Side
from rules.steel_rose.data import UnitId
from rules.steel_rose.fast.encode import Array, Encoded, Line, UnsupportedAbility, encode
from rules.steel_rose.fast.layout import STATE

BINS = 2001
"""Steps of the margin's histogram, −1..1."""
CHUNK = 1000
"""Battles between two reports of progress."""
SIDES = ("attacker", "defender")


@dataclass(frozen=True)
class LineForecast:
    """What becomes of the units of one type on one side (the garrison apart)."""

    side: Side
    garrison: bool
    unit: UnitId
    fielded: int
    standing: tuple[float, ...]
    """Share of battles with 0, 1, … of them standing at the end."""
    dead: tuple[float, ...]
    """Share of battles with 0, 1, … dead for good, after rescue."""

    @property
    def standing_mean(self) -> float:
        """Mean number standing."""
        return mean(self.standing)

    @property
    def dead_mean(self) -> float:
        """Mean number dead for good."""
        return mean(self.dead)

    def dead_quantile(self, q: float) -> int:
        """The least number of dead that is not exceeded with probability q."""
        total = 0.0
        for number, share in enumerate(self.dead):
            total += share
            if total >= q - 1e-12:
                return number
        return self.fielded


@dataclass(frozen=True)
class Forecast:
    """The odds of a battle."""

    setup: BattleSetup = field(repr=False)
    n: int
    seed: int
    attacker_wins: float
    """Shares of all battles."""
    defender_wins: float
    draws: float
    rounds_mean: float
    lines: tuple[LineForecast, ...]
    margins: tuple[float, ...] = field(repr=False)
    """Histogram of the attacker's margin (see `margin`), `BINS` steps from −1 to 1, shares."""
    blows: int = 0
    """Units struck, by a blow, a shot or a sacrifice, in all battles (fast engine only)."""
    numbers: int = 0
    """Random numbers drawn in all battles (fast engine only)."""
    engine: str = "fast"

    @property
    def ci95(self) -> tuple[float, float]:
        """95 % interval of the attacker's chance (Wilson)."""
        return wilson(self.attacker_wins, self.n)

    def percentile(self, result: BattleResult, side: Side = 0) -> float:
        """How good an actual outcome was for a side, 0..100: the share of forecast outcomes that are worse, ties half."""
        at = bin_of(margin(result))
        worse = sum(self.margins[:at]) + self.margins[at] / 2
        return 100 * (worse if side == 0 else 1 - worse)

    def to_json(self) -> dict[str, Json]:
        """The contract's form, without the time it took."""
        standing: dict[str, dict[str, float]] = {side: {} for side in SIDES}
        dead: dict[str, dict[str, float]] = {side: {} for side in SIDES}
        for line in self.lines:
            for out, value in ((standing, line.standing_mean), (dead, line.dead_mean)):
                own = out[SIDES[line.side]]
                own[line.unit] = own.get(line.unit, 0.0) + value
        return {
            "n": self.n,
            "attacker_wins": self.attacker_wins,
            "defender_wins": self.defender_wins,
            "draws": self.draws,
            "ci95": list(self.ci95),
            "rounds_mean": self.rounds_mean,
            "standing": standing,
            "dead": dead,
            "seed": self.seed,
            "engine": self.engine,
        }


def forecast(
    setup: BattleSetup,
    n: int = 10_000,
    seed: int = 0,
    *,
    progress: Callable[[int], None] | None = None,
    threads: int | None = None,
) -> Forecast:
    """Fights a battle n times. The result depends on the setup, n and seed only, never on the number of threads.

    `progress` is called with the number of battles just fought. Units with an ability that the fast engine does not know
    are fought by the reference engine, some hundreds of times slower. Raises `RulesError` for orders that aim at nobody,
    `ValueError` for n < 1."""
    if n < 1:
        raise ValueError("n must be at least 1")
    try:
        encoded = encode(setup)
    except UnsupportedAbility:
        return by_reference(setup, n, seed, progress)
    chunks = [(first, min(CHUNK, n - first)) for first in range(0, n, CHUNK)]
    total = Counts.empty(encoded.lines)
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for (_, count), part in zip(chunks, pool.map(lambda chunk: run(encoded, seed, *chunk), chunks), strict=True):
            total.add(part)
            if progress is not None:
                progress(count)
    if total.totals[3]:  # more summoned units than there was room for: never with shipped units
        return by_reference(setup, n, seed, progress)
    return total.result(setup, n, seed, "fast")


def prepared() -> bool:
    """True when the compiled engine is on disk, so that `prepare` takes no time to speak of."""
    from rules.steel_rose.fast.compiled import kept
    from rules.steel_rose.fast.kernel import many

    return kept(many)


def prepare(setup: BattleSetup) -> None:
    """Loads the compiled engine; compiles it where it is not on disk yet."""
    try:
        run(encode(setup), 0, 0, 0)
    except UnsupportedAbility:
        return


@dataclass
class Counts:
    """Sums over many battles."""

    lines: tuple[Line, ...]
    wins: Array
    totals: Array
    standing: Array
    dead: Array
    scores: Array
    sacrificed: Array

    @staticmethod
    def empty(lines: tuple[Line, ...]) -> Counts:
        """Nothing fought yet."""
        most = max((line.fielded for line in lines), default=0) + 1
        counts = (np.zeros(shape, np.int64) for shape in (3, 5, (len(lines), most), (len(lines), most), BINS, len(lines)))
        return Counts(lines, *counts)

    def add(self, other: Counts) -> None:
        """Adds another's sums."""
        for name in ("wins", "totals", "standing", "dead", "scores", "sacrificed"):
            getattr(self, name).__iadd__(getattr(other, name))

    def result(self, setup: BattleSetup, n: int, seed: int, engine: str) -> Forecast:
        """The forecast."""
        lines = tuple(
            LineForecast(
                side=line.side,
                garrison=line.garrison,
                unit=line.unit,
                fielded=line.fielded,
                standing=tuple(float(x) / n for x in self.standing[i][: line.fielded + 1]),
                dead=tuple(float(x) / n for x in self.dead[i][: line.fielded + 1]),
            )
            for i, line in enumerate(self.lines)
        )
        return Forecast(
            setup=setup,
            n=n,
            seed=seed,
            attacker_wins=float(self.wins[0]) / n,
            defender_wins=float(self.wins[1]) / n,
            draws=float(self.wins[2]) / n,
            rounds_mean=float(self.totals[0]) / n,
            lines=lines,
            margins=tuple(float(x) / n for x in self.scores),
            blows=int(self.totals[2]),
            numbers=int(self.totals[4]),
            engine=engine,
        )


def run(encoded: Encoded, seed: int, first: int, count: int) -> Counts:
    """Battles first … first + count − 1 of a seed, on this thread."""
    out = Counts.empty(encoded.lines)
    fought(encoded, seed & (2**63 - 1), first, count, None, out)
    return out


def fought(encoded: Encoded, seed: int, first: int, count: int, draws: Array | None, out: Counts) -> tuple[Array, Array, int]:
    """Adds battles to the counts. Gives the units and the state at the end of the last, and how much it used of the given
    draws. Raises `ValueError` where the battle draws otherwise than they say."""
    from rules.steel_rose.fast.kernel import many

    units, effects = encoded.workspace()
    state = np.zeros(1, STATE)
    used = many(
        first,
        count,
        seed,
        draws,
        units,
        effects,
        encoded.units,
        encoded.kinds,
        encoded.forms,
        encoded.rules,
        encoded.rescue,
        out.wins,
        out.totals,
        out.standing,
        out.dead,
        out.scores,
        out.sacrificed,
        state,
    )
    return units, state, used


def by_reference(setup: BattleSetup, n: int, seed: int, progress: Callable[[int], None] | None = None) -> Forecast:
    """The same by the reference engine."""
    lines: dict[tuple[Side, bool, UnitId], int] = {}
    for index, side in enumerate(setup.sides):
        for _, group in side.groups():
            key: tuple[Side, bool, UnitId] = (0 if index == 0 else 1, group.origin == GARRISON, group.unit)
            lines[key] = lines.get(key, 0) + group.count
    counts = Counts.empty(tuple(Line(*key, fielded) for key, fielded in lines.items()))
    keys = list(lines)
    stream = seeded_dice(f"forecast {seed}").stream("battle")
    for number in range(n):
        result = fight(setup, stream, detailed=False)
        stream.log.clear()
        counts.wins[2 if result.winner is None else result.winner] += 1
        counts.totals[0] += result.rounds
        standing, dead = [0] * len(keys), [0] * len(keys)
        for tally in result.tallies:
            at = keys.index((tally.side, tally.origin == GARRISON, tally.unit))
            standing[at] += tally.standing
            dead[at] += tally.dead
            counts.sacrificed[at] += tally.sacrificed
        for at in range(len(keys)):
            counts.standing[at, standing[at]] += 1
            counts.dead[at, dead[at]] += 1
        counts.scores[bin_of(margin(result))] += 1
        if progress is not None and (number + 1) % 50 == 0:
            progress(50)
    return counts.result(setup, n, seed, "reference")


def margin(result: BattleResult) -> float:
    """The attacker's margin, −1..1: the share of health (of whole units) that stands, his minus the defender's."""
    shares = []
    for side in (0, 1):
        tallies = [t for t in result.tallies if t.side == side]
        hp: Mapping[UnitId, int] = {t.unit: result.setup.units[t.unit].type.hp for t in tallies}
        whole = sum(t.fielded * hp[t.unit] for t in tallies)
        shares.append(sum(t.standing * hp[t.unit] for t in tallies) / whole if whole else 0.0)
    return shares[0] - shares[1]


def bin_of(value: float) -> int:
    """The step of the histogram for a margin."""
    return min(BINS - 1, max(0, int((value + 1.0) * 0.5 * (BINS - 1) + 0.5)))


def mean(shares: tuple[float, ...]) -> float:
    """Mean of a distribution over 0, 1, …"""
    return sum(number * share for number, share in enumerate(shares))


def wilson(share: float, n: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson's interval of a share."""
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, centre - half), min(1.0, centre + half)
