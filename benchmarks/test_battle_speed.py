"""Speed of the battle engines: battles/s, ns per blow, against the reference and against the physical floor.

The floor is a bare compiled loop of one random draw per attack with the same generator, each draw counted in a table: without
any use of it the compiler makes eight draws at once, which no battle can. An attack is a unit struck: by a blow, a shot or a
sacrifice. It takes three draws (who strikes, whom, how hard), and units with abilities take more that strike nobody (chances,
healing, belches): so the cost is also compared draw by draw, which is the floor that a battle of any army could reach. Printed
with `-s`, with the load of the machine: figures are the best of several short runs, in processor time, which other processes
can't take away; the goals are ratios. On both cores the wall clock counts too, and is printed beside. TripleA's battle
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
    """Processor time of the best of some runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


def on_all_cores(run, repeats: int = 5) -> tuple[float, float]:  # type: ignore[no-untyped-def]
    """The best of some runs: seconds by the wall clock, and processor time shared by the cores."""
    wall = processor = float("inf")
    for _ in range(repeats):
        started, start = time.perf_counter(), time.process_time()
        run()
        wall = min(wall, time.perf_counter() - started)
        processor = min(processor, (time.process_time() - start) / (os.cpu_count() or 1))
    return wall, processor


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
    wall, both = (taken / many for taken in on_all_cores(lambda: forecast(setup, many)))
    counted = forecast(setup, n)
    blow, draw = one / (counted.blows / n), one / (counted.numbers / n)
    with capsys.disabled():
        print(f"\n{make.__name__:6} {size}v{size}: reference {1 / slow:.1f}/s, fast {1 / one:.0f}/s on one core, ", end="")
        print(f"{1 / both:.0f}/s on {os.cpu_count()} ({1 / wall:.0f} by the clock); ×{slow / one:.0f}; ", end="")
        print(f"{blow * 1e9:.1f} ns an attack = ×{blow / floor:.1f} of the floor ({floor * 1e9:.2f} ns), ", end="")
        print(f"×{draw / floor:.1f} draw by draw; 20,000 battles: {20_000 * both:.2f} s (TripleA 1–3 s); ", end="")
        print(f"load {os.getloadavg()[0]:.1f}")
    assert slow / one >= 150
    assert draw / floor <= 15
    if make is plain:
        assert blow / floor <= 15


def test_a_hundred_thousand_forecasts_of_50v50(capsys):  # type: ignore[no-untyped-def]
    for setup in (plain(50), mixed(50)):
        wall, processor = on_all_cores(lambda setup=setup: forecast(setup, 100_000))  # type: ignore[misc]
        speed = forecast(setup, 1000).rounds_mean * 100_000 / processor
        with capsys.disabled():
            print(f"\n100,000 of 50v50: {processor:.2f} s of {os.cpu_count()} cores ({wall:.2f} by the clock); ", end="")
            print(f"{speed:,.0f} rounds/s; load {os.getloadavg()[0]:.1f}")
        if setup == plain(50):
            assert processor <= 2.0


def test_cached_start(capsys) -> None:  # type: ignore[no-untyped-def]
    """A new process with the compiled code on disk: from start to the first odds, and of it the import and load of the code."""
    code = (
        "import time; a = time.perf_counter()\n"
        "from rules.steel_rose.fast.forecast import forecast\n"
        "from rules.steel_rose.battle.model import *\n"
        "s = SideSetup('empire', {'CV': (Group('spearman', 20),)})\n"
        "forecast(BattleSetup(s, s), 100); print(time.perf_counter() - a, time.process_time())"
    )
    runs = [subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout for _ in range(5)]
    wall, processor = (min(float(run.split()[i]) for run in runs) for i in (0, 1))
    with capsys.disabled():
        print(f"\ncached start: {processor:.2f} s ({wall:.2f} by the clock); load {os.getloadavg()[0]:.1f}")
    assert processor <= 1.0


def test_memory_is_flat_in_n() -> None:
    """The peak does not grow with the number of battles."""
    forecast(plain(20), 2_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    forecast(plain(20), 200_000)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"\n200,000 battles: +{grown:.1f} MiB")
    assert grown < 8
