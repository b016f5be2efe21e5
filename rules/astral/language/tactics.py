"""Войска–Магия–Герой and how the energy is split: which of the numbers beside the units belongs to which (R12, R26, R56)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import permutations
from typing import Any

from parsers.atoms import Atom
from parsers.frames import Filled, Match
from parsers.reading_atoms import between
from parsers.structure import Layout

Number = int | Fraction


@dataclass
class Split:
    """What was said of a tactic."""

    troop: Atom | None = None
    magic: Atom | None = None
    hero: Atom | None = None
    energy: Number | None = None
    """The whole energy, where it was said."""
    amounts: dict[str, Number] = field(default_factory=dict)
    """By `troop` and `magic`, in energy."""
    shares: dict[str, Number] = field(default_factory=dict)
    """By `troop` and `magic`, in percent."""
    rest: str | None = None
    """`troop` or `magic`: this one gets what is left."""
    stray: list[Atom] = field(default_factory=list)
    """Numbers that belong to nothing."""


def read_split(layout: Layout, match: Match, *, tactic: bool) -> Split:
    """Sorts the numbers of a match. `tactic`: of a defence, where there is no energy but shares."""
    split = Split()
    for name in ("troop", "magic", "hero"):
        filled = match.first_of(name)
        setattr(split, name, filled.atom if filled is not None else None)
    amounts = [_as_amount(f) for f in match.slots.get("amounts", ())]
    amounts.sort(key=lambda a: a.first)
    ratios = [a for a in amounts if a.has("ratio")]
    plain = [a for a in amounts if not a.has("ratio")]
    totals = [_as_amount(t) for t in match.slots.get("total", ())]
    units = [(n, a) for n, a in (("troop", split.troop), ("magic", split.magic)) if a is not None]
    units.sort(key=lambda u: u[1].first)
    rests = [f.atom for f in match.slots.get("rest", ())]
    if ratios:
        order = [n for n, _ in units] or ["troop", "magic"]
        if len(order) == 1:
            order = ["troop", "magic"]
        first, second = ratios[0].senses[0].value
        _put(split, {order[0]: first, order[1]: second}, percent=tactic, whole=None)
        _energy(split, plain, totals, tactic)
        return split
    each = [a for a in plain if a.prep == "по"]
    if each and len(units) == 2 and not tactic:
        others = [a for a in plain if a is not each[0]]
        split.energy = others[0].senses[0].value if others else None
        plain = each
    elif not tactic:
        split.energy, plain = _whole_energy(layout, plain, units, totals)
    if each and len(units) == 2 and len(plain) == 1:
        value = each[0].senses[0].value
        _put(split, {"troop": value, "magic": value}, percent=each[0].has("percent"), whole=split.energy)
        return split
    if rests and units and 0 < len(plain) < len(units):
        nearest = min(units, key=lambda u: min(_distance(layout, u[1], r) for r in rests))
        split.rest = nearest[0]
        units = [u for u in units if u[0] != nearest[0]]
    pairs, split.stray = _pair(layout, units, plain)
    values = {name: a.senses[0].value for name, a in pairs.items()}
    percent = any(a.has("percent") for a in pairs.values()) or tactic
    _put(split, values, percent=percent, whole=split.energy)
    return split


def _as_amount(filled: Filled) -> Atom:
    """The atom read as the number it stands for here: «006» is a shard elsewhere."""
    atom = filled.atom
    if isinstance(atom.senses[0].value, (int, Fraction, tuple)):
        return atom
    return replace(atom, senses=(filled.sense, *(s for s in atom.senses if s is not filled.sense)))


def _energy(split: Split, plain: Sequence[Atom], totals: Sequence[Atom], tactic: bool) -> None:
    if plain and not tactic:
        with_unit = [a for a in plain if a.has("energy")] or list(plain)
        split.energy = with_unit[0].senses[0].value
        split.stray = [a for a in plain if a is not with_unit[0]]
    del totals


def _whole_energy(
    layout: Layout, plain: list[Atom], units: Sequence[tuple[str, Atom]], totals: Sequence[Atom]
) -> tuple[Number | None, list[Atom]]:
    """The number that is the energy of the whole attack, and the others."""
    called = [a for a in plain if any(_told_as(layout, t, a) for t in totals)]
    if called:
        return called[0].senses[0].value, [a for a in plain if a is not called[0]]
    energies = [a for a in plain if a.has("energy")]
    needed = len(units)
    if len(plain) == needed + 1 == 3 and len(energies) != 1:
        whole = _by_sum(layout, plain, units)
        if whole is not None:
            return whole.senses[0].value, [a for a in plain if a is not whole]
    if len(energies) == 1 and not _beside(layout, energies[0], units):
        return energies[0].senses[0].value, [a for a in plain if a is not energies[0]]
    if energies and len(plain) > needed:
        far = max(energies, key=lambda a: min((_distance(layout, a, u) for _, u in units), default=99))
        if len(energies) > 1 and energies[0].first < min((u.first for _, u in units), default=0):
            paired, left = _pair(layout, units, plain)
            loose = [a for a in left if a.has("energy")]
            far = loose[0] if loose else far
            del paired
        return far.senses[0].value, [a for a in plain if a is not far]
    if len(energies) == 1 and len(plain) <= needed and len(plain) < 2:
        # «9 эн кавалерия и воин»: one number, an energy: the whole
        return energies[0].senses[0].value, [a for a in plain if a is not energies[0]]
    if not energies and len(plain) == needed + 1 and units:
        paired, left = _pair(layout, units, plain)
        if len(left) == 1:
            return left[0].senses[0].value, list(paired.values())
    return None, plain


def _told_as(layout: Layout, total: Atom, amount: Atom) -> bool:
    """«всего 12», «12 энергии всего, шесть конным …»: the number that «всего» is said of."""
    if amount.last == total.first:
        following = layout.tokens[total.last].norm if total.last < len(layout.tokens) else ","
        return following in {",", ";", ":", "."}
    return 0 <= amount.first - total.last <= _TOTAL and "," not in between(layout, total, amount)


_TOTAL = 2
"""So many words may stand between «всего» and its number."""
_DEAREST = 12
"""No way costs more energy."""


def _by_sum(layout: Layout, plain: Sequence[Atom], units: Sequence[tuple[str, Atom]]) -> Atom | None:
    """«12 пехота 6 некра 4 воин», «8э пехота 4э некра 4э»: the one number that can hold the other two, where they go with the
    units hardly worse than any others would."""
    best = _pair_cost(_pair(layout, units, plain)[0], layout, units)
    for atom in plain:
        others = [a for a in plain if a is not atom]
        values = [a.senses[0].value for a in (atom, *others)]
        if not all(isinstance(v, int) for v in values) or not 0 <= values[0] - sum(values[1:]) <= _DEAREST:
            continue
        if _pair_cost(_pair(layout, units, others)[0], layout, units) <= best + _SLACK:
            return atom
    return None


_SLACK = 1.0
"""So much farther off the units their numbers may stand if the sum comes out."""


def _pair_cost(pairs: dict[str, Atom], layout: Layout, units: Sequence[tuple[str, Atom]]) -> float:
    named = dict(units)
    return sum(_distance(layout, named[name], amount) for name, amount in pairs.items())


def _beside(layout: Layout, amount: Atom, units: Sequence[tuple[str, Atom]]) -> bool:
    return any(_distance(layout, amount, unit) <= 1.0 for _, unit in units)


def _distance(layout: Layout, left: Atom, right: Atom) -> float:
    """How far apart two atoms stand; punctuation parts them more than words."""
    if left.first > right.first:
        left, right = right, left
    cost = 0.0
    for word in between(layout, left, right):
        if word in {",", ";", "/", "|", "+", "и"}:
            cost += 2.0
        elif word in {"(", ")", "[", "]"}:
            cost += 0.1
        elif word == ":":
            cost += 1.1
        elif word in {"-", "=", "в", "на", "по", "у", "."}:
            cost += 0.4
        else:
            cost += 0.9
    return cost


def _pair(layout: Layout, units: Sequence[tuple[str, Atom]], amounts: Sequence[Atom]) -> tuple[dict[str, Atom], list[Atom]]:
    """The cheapest way to give each unit a number; numbers on the wrong side of another unit cost more."""
    if not units or not amounts:
        return {}, list(amounts)
    amounts = list(amounts)[:6]
    best: tuple[float, dict[str, Atom]] | None = None
    count = min(len(units), len(amounts))
    for chosen in permutations(range(len(amounts)), count):
        for skipped in range(len(units) - count + 1):
            picked = units[skipped : skipped + count]
            cost = 0.0
            for (_, unit), index in zip(picked, chosen, strict=True):
                amount = amounts[index]
                low, high = sorted((unit.first, amount.first))
                crossed = sum(1 for _, u in units if low < u.first < high) + sum(1 for a in amounts if low < a.first < high)
                cost += _distance(layout, unit, amount) + 3.0 * crossed
            if best is None or cost < best[0] - 1e-9:
                best = (cost, {name: amounts[i] for (name, _), i in zip(picked, chosen, strict=True)})
    assert best is not None
    used = set(map(id, best[1].values()))
    return best[1], [a for a in amounts if id(a) not in used]


_TENTHS = 10
"""Shares that make ten are tenths."""


def _put(split: Split, values: dict[str, Any], *, percent: bool, whole: Number | None) -> None:
    if not values:
        return
    total = sum(values.values())
    fractions = any(isinstance(v, Fraction) and v < 1 for v in values.values())
    if fractions and total <= 1:
        split.shares = {n: _plain(Fraction(v) * 100) for n, v in values.items()}
    elif percent and total == _TENTHS:
        split.shares = {n: _plain(Fraction(v) * 10) for n, v in values.items()}  # «6:4» of a defence
    elif percent or (total == 100 and whole is not None and whole < 100):
        split.shares = {n: _plain(v) for n, v in values.items()}
    else:
        split.amounts = {n: _plain(v) for n, v in values.items()}


def _plain(value: Number) -> Number:
    return int(value) if value == int(value) else value


def shown(value: Number | None) -> int | float | None:
    """As JSON: whole numbers as they are, others as decimals."""
    if value is None or isinstance(value, int):
        return value
    return int(value) if value.denominator == 1 else float(value)
