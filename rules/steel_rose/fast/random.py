"""Random numbers of the fast engine: SplitMix64, one stream per battle; or a given list of draws, checked one by one.

`tape` is None for random numbers: the compiler then leaves the other branch out. A bounded number is the high part of a
32-bit half times n; its bias is below n / 2**32."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"
from __future__ import annotations

import numpy as np

from rules.steel_rose.fast.compiled import hot, inner

GAMMA = np.uint64(0x9E3779B97F4A7C15)
C1 = np.uint64(0xBF58476D1CE4E5B9)
C2 = np.uint64(0x94D049BB133111EB)
S30, S27, S31, S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)

FEW = 8
"""So many distinct numbers are drawn until they differ; more by a shuffle."""

ROLL, PICK, SHUFFLE, SAMPLE, CHANCE = range(5)
DRAWS = {"roll": ROLL, "pick": PICK, "shuffle": SHUFFLE, "sample": SAMPLE, "chance": CHANCE}


@hot
def mix(z):
    """SplitMix64's finaliser."""
    z = (z ^ (z >> S30)) * C1
    z = (z ^ (z >> S27)) * C2
    return z ^ (z >> S31)


@inner
def seed_stream(rng, seed, battle):
    """The stream of one battle: it depends on the seed and the battle's number only."""
    rng[0] = mix(np.uint64(seed) + GAMMA) ^ mix(mix(np.uint64(battle) + GAMMA))
    rng[1] = np.uint64(0)


@hot
def word(rng):
    """The next 64 bits."""
    rng[0] += GAMMA
    return mix(rng[0])


@hot
def scale(half, n):
    """0..n−1 from 32 bits."""
    return np.int64((half * np.uint64(n)) >> S32)


@hot
def share(half, n):
    """The same as an unsigned number: an index that needs no check for being negative."""
    return (half * np.uint64(n)) >> S32


@inner
def given(rng, tape, kind, a, b):
    """Opens the next draw of the tape: its kind and arguments must be those asked for."""
    at = np.int64(rng[1])
    if at + 3 > tape.shape[0] or tape[at] != kind or tape[at + 1] != a or tape[at + 2] != b:
        raise ValueError("The engines draw differently.")
    return at + 3


@hot
def below(rng, tape, kind, n):
    """A die or a pick as 0..n−1. A pick of one draws nothing."""
    if tape is None:
        return scale(word(rng) >> S32, n)
    if kind == PICK and n == 1:
        return 0
    at = given(rng, tape, kind, n, 0)
    rng[1] = np.uint64(at + 1)
    return tape[at]


@hot
def chance(rng, tape, num, den):
    """True with probability num / den; certainties draw nothing."""
    if num <= 0:
        return False
    if num >= den:
        return True
    if tape is None:
        return scale(word(rng) >> S32, den) < num
    at = given(rng, tape, CHANCE, num, den)
    rng[1] = np.uint64(at + 1)
    return tape[at] != 0


@inner
def permute(rng, tape, items, n):
    """Shuffles items[:n], which hold 0..n−1 in order."""
    if n <= 1:
        return
    if tape is None:
        for i in range(n - 1, 0, -1):
            j = scale(word(rng) >> S32, i + 1)
            items[i], items[j] = items[j], items[i]
    else:
        at = given(rng, tape, SHUFFLE, n, 0)
        for i in range(n):
            items[i] = tape[at + i]
        rng[1] = np.uint64(at + n)


@inner
def choose(rng, tape, items, n, m):
    """Fills items[:m] with m distinct numbers of 0..n−1; m ≥ n gives all in order and draws nothing. `items` has room for n."""
    if tape is None and 2 * m <= n and m <= FEW:
        for i in range(m):
            found = False
            while not found:
                items[i] = scale(word(rng) >> S32, n)
                found = True
                for j in range(i):
                    if items[j] == items[i]:
                        found = False
        return
    for i in range(n):
        items[i] = i
    if m >= n:
        return
    if tape is None:
        for i in range(m):
            j = i + scale(word(rng) >> S32, n - i)
            items[i], items[j] = items[j], items[i]
    else:
        at = given(rng, tape, SAMPLE, n, m)
        for i in range(m):
            items[i] = tape[at + i]
        rng[1] = np.uint64(at + m)
