"""Exact numbers: rationals, their Russian display and the split of whole energy (R22, R27)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Annotated, Any, TypeAlias

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

Number: TypeAlias = int | Fraction


def rational(value: Any) -> Fraction:
    """An exact rational of an int, `"p/q"`, a decimal text or a float as it is written (`1.2` is 6/5).

    Raises `ValueError` for anything else."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise ValueError(f"не число: {value!r}")
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError) as error:
        raise ValueError(f"не число: {value!r}") from error


Rational: TypeAlias = Annotated[
    Fraction,
    PlainValidator(rational),
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "number"}]}),
]
"""A pydantic field that holds an exact rational; `"p/q"` in JSON."""


def show(value: Number) -> str:
    """At most two decimals, half away from zero, with a comma and without trailing zeros: `11,25`, `8`, `-2,5` (R22)."""
    value = Fraction(value)
    hundredths = floor(abs(value) * 100 + Fraction(1, 2))
    whole, rest = divmod(hundredths, 100)
    text = str(whole) if not rest else f"{whole},{rest:02d}".rstrip("0")
    return f"-{text}" if value < 0 and hundredths else text


def signed(value: Number) -> str:
    """`+2`, `-2,5`; zero is `0`."""
    return f"+{show(value)}" if value > 0 else show(value)


def resplit(total: Number, troop: Number, magic: Number) -> tuple[Fraction, Fraction]:
    """Splits `total` ≥ 0 in the ratio troop : magic: both floored, what is left goes to the larger, in a tie to the troops (R27).

    Of a whole total both parts are whole; of a fractional one the larger part keeps the fraction (R56, rounding `larger`)."""
    if troop + magic == 0:
        troop = magic = 1
    total = Fraction(total)
    exact_troop = total * troop / (Fraction(troop) + magic)
    exact_magic = total - exact_troop
    t, m = Fraction(floor(exact_troop)), Fraction(floor(exact_magic))
    left = total - t - m
    return (t, m + left) if exact_magic > exact_troop else (t + left, m)
