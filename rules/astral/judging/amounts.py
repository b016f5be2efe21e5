"""Amounts of energy and shares as they were ordered."""

from __future__ import annotations

from fractions import Fraction

from rules.astral import commands as c
from rules.astral.judging.refusal import refuse
from rules.astral.numbers import rational, show


def whole(value: c.Amount, least: int, at: str) -> int:
    """The amount as a whole number, at least `least` (R8)."""
    if value != int(value) or value < least:
        refuse("E_INT", at=at)
    return int(value)


def troop_share(troop: c.Percent | None, magic: c.Percent | None) -> Fraction:
    """The troops' percent of two shares, of which one may be left out (R56)."""
    try:
        parts = [None if share is None else rational(share) for share in (troop, magic)]
    except ValueError:
        refuse("E_SHARE_SUM", "range", "troop_share")
    t = Fraction(100 - (parts[1] or 0)) if parts[0] is None else parts[0]
    m = Fraction(100 - t) if parts[1] is None else parts[1]
    if t + m != 100:
        refuse("E_SHARE_SUM", at="troop_share", sum=show(t + m))
    if not 0 <= t <= 100:
        refuse("E_SHARE_SUM", "range", "troop_share")
    return t
