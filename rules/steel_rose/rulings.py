"""What each ruling says, in one short Russian sentence (`data/rulings.toml`); promise 7: every result cites its rule."""

from __future__ import annotations

from functools import cache

from rules.steel_rose.data import raw


@cache
def texts() -> dict[str, str]:
    """Ruling → its sentence."""
    return {str(key): str(value) for key, value in raw("rulings")["rulings"].items()}


def rule_text(rule: str) -> str | None:
    """The sentence of a ruling; None: not known."""
    return texts().get(rule)
