"""Verifiable dice: every draw follows from a committed secret, the step, the posts at the close and the draw's own purpose.

The algorithm is published in docs/dice.md, so that a short script in any language can recompute a roll. Serves the promise of
verifiable dice: a correction of orders leaves all other rolls as they were, since each purpose has a stream of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

SCHEME = "forum-gm-dice-1"
WORD = 1 << 64


class DiceError(Exception):
    """The given rolls of an exact example don't fit: out of range, of another shape, or too few."""


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw, for the log and for checking."""

    number: int
    """From 1 within its purpose."""
    purpose: str
    """What it was for («битва, Хольмгард»); names the stream."""
    kind: str
    """`roll`, `pick`, `shuffle`, `sample` or `chance`."""
    args: tuple[int, ...]
    """`roll` n; `pick` k; `shuffle` k; `sample` k m; `chance` numerator denominator."""
    result: int | tuple[int, ...] | bool
    secret: bool = False
    """From the second secret: not everybody may know it yet."""

    def to_json(self) -> dict[str, Any]:
        """JSON form."""
        result = list(self.result) if isinstance(self.result, tuple) else self.result
        return {
            "number": self.number,
            "purpose": self.purpose,
            "kind": self.kind,
            "args": list(self.args),
            "result": result,
            "secret": self.secret,
        }


class Source(Protocol):
    """Where the numbers of one purpose come from."""

    def draw(self, kind: str, args: tuple[int, ...]) -> int | tuple[int, ...] | bool:
        """The result of one draw."""
        ...


def words(key: bytes) -> Iterator[int]:
    """The stream of a key: SHA-256(key ‖ counter as 8 big-endian bytes) for counter 0, 1, …, each block cut into four 64-bit
    big-endian words."""
    counter = 0
    while True:
        block = hashlib.sha256(key + counter.to_bytes(8, "big")).digest()
        for i in range(0, 32, 8):
            yield int.from_bytes(block[i : i + 8], "big")
        counter += 1


class HashSource:
    """The stream of one purpose, with rejection sampling: no value is likelier than another."""

    def __init__(self, key: bytes) -> None:
        self._words = words(key)

    def below(self, n: int) -> int:
        """Uniform in 0..n−1. Draws nothing for n = 1."""
        if n == 1:
            return 0
        limit = WORD - WORD % n
        while True:
            word = next(self._words)
            if word < limit:
                return word % n

    def draw(self, kind: str, args: tuple[int, ...]) -> int | tuple[int, ...] | bool:
        if kind == "roll":
            return 1 + self.below(args[0])
        if kind == "pick":
            return self.below(args[0])
        if kind == "chance":
            return self.below(args[1]) < args[0]
        if kind == "shuffle":
            items = list(range(args[0]))
            for i in range(args[0] - 1, 0, -1):
                j = self.below(i + 1)
                items[i], items[j] = items[j], items[i]
            return tuple(items)
        items = list(range(args[0]))
        for i in range(args[1]):
            j = i + self.below(args[0] - i)
            items[i], items[j] = items[j], items[i]
        return tuple(items[: args[1]])


class ListSource:
    """Given results in the order of drawing, for exact examples. Shared by all purposes."""

    def __init__(self, rolls: Sequence[Any]) -> None:
        self._rolls = list(rolls)
        self.used = 0

    @property
    def left(self) -> int:
        """How many given results were not used."""
        return len(self._rolls) - self.used

    def draw(self, kind: str, args: tuple[int, ...]) -> int | tuple[int, ...] | bool:
        if self.used >= len(self._rolls):
            raise DiceError(f"Бросков дано {len(self._rolls)}, нужен ещё один: {kind} {list(args)}.")
        value = self._rolls[self.used]
        self.used += 1
        if not fits(kind, args, value):
            raise DiceError(f"Бросок {self.used}: {value!r} не подходит для {kind} {list(args)}.")
        return tuple(value) if isinstance(value, list) else value


def fits(kind: str, args: tuple[int, ...], value: Any) -> bool:
    """True when `value` is a possible result of such a draw."""
    if kind == "chance":
        return isinstance(value, bool)
    if kind in ("roll", "pick"):
        low = 1 if kind == "roll" else 0
        return isinstance(value, int) and not isinstance(value, bool) and low <= value < low + args[0]
    if not isinstance(value, list) or not all(isinstance(v, int) and 0 <= v < args[0] for v in value):
        return False
    return len(value) == (args[0] if kind == "shuffle" else args[1]) and len(set(value)) == len(value)


@dataclass
class Stream:
    """The draws of one purpose."""

    purpose: str
    source: Source
    secret: bool
    log: list[Draw]
    count: int = 0

    def _draw(self, kind: str, args: tuple[int, ...]) -> Any:
        result = self.source.draw(kind, args)
        self.count += 1
        self.log.append(Draw(self.count, self.purpose, kind, args, result, self.secret))
        return result

    def roll(self, n: int) -> int:
        """A die: 1..n."""
        return int(self._draw("roll", (n,)))

    def pick(self, k: int) -> int:
        """An index 0..k−1; `pick(1)` draws nothing."""
        return 0 if k == 1 else int(self._draw("pick", (k,)))

    def shuffle(self, k: int) -> tuple[int, ...]:
        """A permutation of 0..k−1; k ≤ 1 draws nothing."""
        return tuple(range(k)) if k <= 1 else tuple(self._draw("shuffle", (k,)))

    def sample(self, k: int, m: int) -> tuple[int, ...]:
        """m distinct indices of 0..k−1 in the order drawn; m ≥ k draws nothing and gives them all in order."""
        return tuple(range(k)) if m >= k else tuple(self._draw("sample", (k, m)))

    def chance(self, p: Fraction) -> bool:
        """True with probability p, an exact fraction. Certainties (p ≤ 0, p ≥ 1) draw nothing."""
        if p <= 0 or p >= 1:
            return p >= 1
        return bool(self._draw("chance", (p.numerator, p.denominator)))


@dataclass
class Dice:
    """All dice of one resolution. `stream` is the only way to draw."""

    make_source: Callable[[str, bool], Source]
    draws: list[Draw] = field(default_factory=list)
    _streams: dict[tuple[str, bool], Stream] = field(default_factory=dict)

    def stream(self, purpose: str, *, secret: bool = False) -> Stream:
        """The stream of a purpose; the same object for the same purpose, so the numbers go on."""
        key = (purpose, secret)
        if key not in self._streams:
            self._streams[key] = Stream(purpose, self.make_source(purpose, secret), secret, self.draws)
        return self._streams[key]


def commitment(secret: bytes) -> str:
    """What is posted before the orders close: the SHA-256 of the secret, in hex."""
    return hashlib.sha256(secret).hexdigest()


def step_key(secret: bytes, step_id: str, attempt: int, post_ids: Sequence[int]) -> bytes:
    """The key of one resolution: SHA-256 of scheme, secret (hex), step, attempt and the sorted ids of the players' public posts
    at the close, joined by line feeds, UTF-8."""
    posts = ",".join(str(i) for i in sorted(set(post_ids)))
    text = "\n".join((SCHEME, secret.hex(), step_id, str(attempt), posts))
    return hashlib.sha256(text.encode()).digest()


def purpose_key(key: bytes, purpose: str) -> bytes:
    """The key of one purpose's stream: SHA-256(step key ‖ purpose in UTF-8)."""
    return hashlib.sha256(key + purpose.encode()).digest()


def verifiable_dice(public: bytes, hidden: bytes, step_id: str, attempt: int, post_ids: Sequence[int]) -> Dice:
    """The dice of a campaign's step from its two committed secrets."""
    keys = {secret: step_key(value, step_id, attempt, post_ids) for secret, value in ((False, public), (True, hidden))}
    return Dice(lambda purpose, secret: HashSource(purpose_key(keys[secret], purpose)))


def seeded_dice(seed: str, step_id: str = "") -> Dice:
    """Dice from a text, for `rules resolve --seed` and tests: the secrets are SHA-256 of the seed with «public» and «hidden»."""
    public, hidden = (hashlib.sha256(f"{word}\n{seed}".encode()).digest() for word in ("public", "hidden"))
    return verifiable_dice(public, hidden, step_id, 0, ())


def scripted_dice(rolls: Sequence[Any]) -> tuple[Dice, ListSource]:
    """Dice that give these results in order, whatever the purpose; and their source, which tells how many are left."""
    source = ListSource(rolls)
    return Dice(lambda purpose, secret: source), source
