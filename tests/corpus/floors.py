"""`floors.toml`: the figures that understanding has reached and may not fall below."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_suffix(".toml")
CEILINGS = frozenset({"silent"})
"""Figures that may not rise above theirs."""
HEAD = """\
# What understanding has reached, a table a corpus file (`silent` is a ceiling); `goal` is for files without a table of their own.
# Raised by `python -m tests.corpus --floors`, lowered only by hand.
"""


@dataclass(frozen=True)
class Floors:
    """The bounds of one file's figures."""

    bounds: Mapping[str, float]

    def holds(self, figure: str, value: float) -> bool:
        """Whether the value is good enough; a figure without a bound always is."""
        bound = self.bounds.get(figure)
        if bound is None:
            return True
        return value <= bound + 1e-9 if figure in CEILINGS else value >= bound - 1e-9


def table() -> dict[str, dict[str, float]]:
    """The whole file."""
    return tomllib.loads(FILE.read_text("utf-8"))


def of_file(name: str) -> Floors:
    """The bounds of a corpus file, by its stem."""
    known = table()
    return Floors(known.get(name, known["goal"]))


def write(reached: Mapping[str, Mapping[str, float]]) -> None:
    """Raises the floors to the figures reached, rounded to the safe side; none gets worse."""
    known = table()
    for name, figures in reached.items():
        old = known.get(name, {})
        known[name] = {
            figure: min(old.get(figure, math.inf), math.ceil(value * 100) / 100)
            if figure in CEILINGS
            else max(old.get(figure, 0.0), math.floor(value * 1000) / 1000)
            for figure, value in figures.items()
        }
    tables = (
        f"[{name}]\n" + "".join(f"{figure} = {value:g}\n" for figure, value in bounds.items()) for name, bounds in known.items()
    )
    FILE.write_text(HEAD + "\n" + "\n".join(tables), "utf-8")
