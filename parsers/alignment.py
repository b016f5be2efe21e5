"""What a correction puts in the place of what: the right things beside the wrong ones of their kinds.

Serves `parsers.repairs`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

from parsers.atoms import Atom, Sense
from parsers.russian import Verb

BESIDE = 2
"""So many atoms from the thing named again stands what is corrected («в UPD: хранителей не пять, а шесть»)."""
Pairs = list[tuple[Atom, Atom]]
"""Wrong and right."""


def aligned(
    old: Sequence[Atom], new: Sequence[Atom], denied: Mapping[int, Atom], *, line_of: Callable[[Atom], int] | None = None
) -> Pairs | None:
    """Each right thing with the wrong one it replaces; None where it isn't plain. `denied`: by the index of a right thing, the
    wrong one that was told («не в Кронвике, а в Броде»). `line_of`: given where `old` is the whole post; something of it must be
    named again then, and only what stands in one line with that is replaced."""
    far = line_of is not None
    anchors = _named_again(old, new, denied) if far or len(new) > 1 or denied else []
    if far and (not anchors or len(anchors) > len(new) + len(denied) or anchors[-1] - anchors[0] > 2 * BESIDE):
        return None
    if far and any(same(old[m], old[n]) for m, n in combinations(anchors, 2)):
        return None  # named again, but in two places («центральный авангард …, центральный арьергард …»)
    near = list(range(len(old) - 1, -1, -1))
    pairs: Pairs = []
    used: set[int] = set()
    for k in sorted(range(len(new)), key=lambda k: not _is_anchor(old, new[k])):
        right = new[k]
        fitting = [n for n in near if n not in used and _alike(old[n], right)]
        if k in denied:
            fitting = [n for n in fitting if same(old[n], denied[k])]
        elif right.data.get("old") is not None:
            fitting = [n for n in fitting if old[n].senses[0].value == right.data["old"]]
        if anchors:  # «10 копейщиков и 4 лучника, нет, 6 копейщиков»: beside the thing that is named again, on the same side
            at, held, own = _anchor_of(old, new, anchors, k)
            fitting.sort(key=lambda n: (own and not same(old[n], right), abs(n - at), (n > at) is (k < held)))
            if line_of is not None:
                fitting = [n for n in fitting if abs(n - at) <= BESIDE and line_of(old[n]) == line_of(old[at])]
        elif len(new) == 1 and len(fitting) > 1 and not _last_said(old, fitting[0]):
            return None  # two things of the kind, and neither stands right before the correction
        if not fitting:
            return None
        used.add(fitting[0])
        pairs.append((old[fitting[0]], right))
    return pairs if any(not same(*p) for p in pairs) else None


def _last_said(old: Sequence[Atom], at: int) -> bool:
    """The last thing, or the first word of the last («левый авангард, нет, центральный»)."""
    return at == len(old) - 1 or (at == len(old) - 2 and old[at].last == old[at + 1].first)


def broken_off(old: Sequence[Atom], new: Sequence[Atom]) -> int:
    """So many of the last things were begun and left when the right ones were said whole: «левый… центральный авангард»,
    «в левый авангард… в центральный авангард врага»; 0: nothing was broken off."""
    for size in range(min(len(old), len(new) - 1), 0, -1):
        wrong = old[len(old) - size :]
        whole = all(_alike(a, b) or same(a, b) for a, b in zip(wrong, new, strict=False))
        together = all(b.first - a.last <= bool(b.prep) for a, b in [*pairwise(wrong), *pairwise(new)])
        more = all(not (a.kinds & b.kinds) for a in wrong for b in new[size:])
        if whole and together and more and all(a.verb is Verb.NONE for a in new):
            return size if any(not same(a, b) for a, b in zip(wrong, new, strict=False)) else 0
    return 0


def _anchor_of(old: Sequence[Atom], new: Sequence[Atom], anchors: Sequence[int], k: int) -> tuple[int, int, bool]:
    """The thing named again that a right thing stands beside: where in `old`, where in `new`, and whether what is alike comes
    first. With several of them («луки 6, свет 5») each has the number beside it."""
    named = [(m, n) for m, b in enumerate(new) for n in anchors if same(old[n], b)]
    if len({m for m, _ in named}) > 1 and all(m != k for m, _ in named):
        held, at = min(named, key=lambda pair: (abs(pair[0] - k), pair[0] > k))
        return at, held, False
    at = anchors[-1]
    return at, next((m for m, b in enumerate(new) if same(old[at], b)), k), True


def _named_again(old: Sequence[Atom], new: Sequence[Atom], denied: Mapping[int, Atom]) -> list[int]:
    again = [*new, *denied.values()]
    return [n for n, a in enumerate(old) if not a.kinds <= {"number"} and any(same(a, b) for b in again)]


def _is_anchor(old: Sequence[Atom], right: Atom) -> bool:
    return any(same(right, b) for b in old)


def _values(atom: Atom) -> set[tuple[str, str]]:
    """What it means; what it may also be a part of the name of doesn't count beside that."""
    whole = [s for s in atom.senses if not s.partial] or atom.senses
    return {(s.kind, repr(s.value)) for s in whole}


def same(left: Atom, right: Atom) -> bool:
    """True where both mean the same."""
    first, second = _values(left), _values(right)
    return {kind for kind, _ in first} == {kind for kind, _ in second} and bool(first & second)


def _alike(wrong: Atom, right: Atom) -> bool:
    shared = {k for k in wrong.kinds & right.kinds if not k.startswith("~")}
    if any(s.value != k for k in shared for s in right.all(k)):
        return True
    return right.kinds <= {"number"} and isinstance(wrong.senses[0].value, int)


def put_in_place(wrong: Atom, right: Atom, repair: tuple[int, int]) -> Atom:
    """The wrong atom with what is right in it. `repair`: the tokens of the correction, which it explains too."""
    numbers: dict[str, Any] = {
        key: right.data[key] if key == "negative" else None for key in ("negative", "old") if key in right.data
    }
    return replace(
        wrong,
        senses=_senses(wrong, right),
        cases=right.cases or wrong.cases,
        prep=right.prep or wrong.prep,
        data={**right.data, **wrong.data, **numbers, "parts": (*wrong.parts, repair), "repair": True},
    )


def _senses(wrong: Atom, right: Atom) -> tuple[Sense, ...]:
    if right.kinds & wrong.kinds:
        return right.senses
    value = right.senses[0].value
    return tuple(replace(s, value=value) for s in wrong.senses if isinstance(s.value, int))
