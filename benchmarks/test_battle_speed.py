"""Speed of the battle engines: battles/s, ns per blow, against the reference and against the physical floor.

The floor is a bare compiled loop of one random draw per attack with the same generator, each draw counted in a table: without
any use of it the compiler makes eight draws at once, which no battle can. An attack is a unit struck: by a blow, a shot or a
sacrifice. It takes three draws (who strikes, whom, how hard), and units with abilities take more that strike nobody (chances,
healing, belches): so the cost is also compared draw by draw, which is the floor that a battle of any army could reach. Printed
with `-s`, with the load of the machine: figures are the best of several short runs; the goals are ratios. TripleA's battle
calculator, the peer, makes 20,000 rounds in the 1–3 s that its users accept: the time for as many of our battles is printed
beside it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time

import numpy as np
import pytest

from rules.dice import seeded_dice
from rules.steel_rose.battle.engine import fight
from rules.steel_rose.battle.model import BattleSetup, Group, SideSetup, Squads
from rules.steel_rose.fast.compiled import entry
from rules.steel_rose.fast.forecast import forecast
from rules.steel_rose.fast.random import PICK, below

SIZES = (20, 50, 200)


def plain(size: int) -> BattleSetup:
    """Spearmen against spearmen: exchanges and nothing else."""
    squads: Squads = {"CV": (Group("spearman", size),)}
    side = SideSetup("empire", squads)
    return BattleSetup(side, side)


def mixed(size: int) -> BattleSetup:
    """A bit of everything: shooters, healers, a hero, poison, sacrifices, summons."""
    n = size // 10
    empire: Squads = {
        "CV": (Group("spearman", 6 * n), Group("hero", 1), Group("paladin", n)),
        "CR": (Group("archer", 2 * n), Group("healer", n)),
    }
    cult: Squads = {
        "CV": (Group("cultist", 5 * n), Group("infector", n)),
        "CR": (Group("enlightened", 3 * n), Group("demonologist", 1)),
    }
    return BattleSetup(SideSetup("empire", empire), SideSetup("cult", cult))


@entry
def floor_loop(rng, n, faces, seen):  # type: ignore[no-untyped-def]
    """One draw per blow, counted, and nothing else."""
    for _ in range(n):
        seen[below(rng, None, PICK, faces)] += 1


def seconds(run, repeats: int = 9) -> float:  # type: ignore[no-untyped-def]
    """The best of some runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best


@pytest.fixture(scope="module")
def floor() -> float:
    """Seconds per draw."""
    rng = np.array([1, 0], np.uint64)
    seen = np.zeros(64, np.int64)
    floor_loop(rng, 10, 50, seen)
    n = 2_000_000
    return seconds(lambda: floor_loop(rng, n, 50, seen), 25) / n


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """Loads the compiled code."""
    forecast(plain(2), 10)


@pytest.mark.parametrize("make", [plain, mixed], ids=["plain", "mixed"])
@pytest.mark.parametrize("size", SIZES)
def test_fast_against_reference_and_floor(size, make, floor, capsys):  # type: ignore[no-untyped-def]
    setup = make(size)
    count = max(20, 4000 // size)
    stream = seeded_dice("bench").stream("battle")

    def reference() -> None:
        for _ in range(max(1, 60 // size)):
            fight(setup, stream, detailed=False)
            stream.log.clear()

    slow = seconds(reference, 3) / max(1, 60 // size)
    n = 4 * count
    one = seconds(lambda: forecast(setup, n, threads=1)) / n
    many = 40 * count
    both = seconds(lambda: forecast(setup, many), 5) / many
    counted = forecast(setup, n)
    blow, draw = one / (counted.blows / n), one / (counted.numbers / n)
    with capsys.disabled():
        print(f"\n{make.__name__:6} {size}v{size}: reference {1 / slow:.1f}/s, fast {1 / one:.0f}/s on one core, ", end="")
        print(f"{1 / both:.0f}/s on {os.cpu_count()}; ×{slow / one:.0f}; {blow * 1e9:.1f} ns an attack ", end="")
        print(f"= ×{blow / floor:.1f} of the floor ({floor * 1e9:.2f} ns), ×{draw / floor:.1f} draw by draw; ", end="")
        print(f"20,000 battles: {20_000 * both:.2f} s (TripleA 1–3 s); load {os.getloadavg()[0]:.1f}")
    assert slow / one >= 150
    assert draw / floor <= 15
    if make is plain:
        assert blow / floor <= 15


def test_a_hundred_thousand_forecasts_of_50v50(benchmark):  # type: ignore[no-untyped-def]
    result = benchmark.pedantic(lambda: forecast(plain(50), 100_000), rounds=5)
    taken = benchmark.stats["min"] if benchmark.stats else 0.0
    speed = result.rounds_mean * 100_000 / max(taken, 1e-9)
    print(f"\n100,000 of 50v50: {taken:.2f} s; {speed:,.0f} rounds/s; load {os.getloadavg()[0]:.1f}")
    assert taken <= 2.0


def test_cached_start() -> None:
    """A new process with the compiled code on disk: from start to the first odds, and of it the import and load of the code."""
    code = (
        "import time; a = time.perf_counter()\n"
        "from rules.steel_rose.fast.forecast import forecast\n"
        "from rules.steel_rose.battle.model import *\n"
        "s = SideSetup('empire', {'CV': (Group('spearman', 20),)})\n"
        "forecast(BattleSetup(s, s), 100); print(time.perf_counter() - a)"
    )
    taken = float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    print(f"\ncached start: {taken:.2f} s")
    assert taken <= 1.0


def test_memory_is_flat_in_n() -> None:
    """The peak does not grow with the number of battles."""
    forecast(plain(20), 2_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    forecast(plain(20), 200_000)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"\n200,000 battles: +{grown:.1f} MiB")
    assert grown < 8
