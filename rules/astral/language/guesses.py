"""Orders told by nothing but what they are about: «Морвену 3», «на первую 5э, на вторую 3э». They always ask."""

from __future__ import annotations

from dataclasses import replace

from parsers.frames import Fill, Frame

_GAP = 1
"""A dash or a colon may stand between whom and how much."""


def _gift(fill: Fill) -> float | None:
    """A number right beside somebody in the dative."""
    to, told = fill.slots.get("to"), fill.slots.get("amount")
    if not to or not told or "datv" not in to[0].atom.cases or to[0].atom.prep:
        return None
    left, right = sorted((to[0].atom, told[0].atom), key=lambda a: a.first)
    return 0.0 if right.first - left.last <= _GAP else None


def _reserve(fill: Fill) -> float | None:
    """An amount for a numbered attack."""
    numbered = fill.slots.get("attack_no")
    told = fill.slots.get("energy")
    if not numbered or not told or numbered[0].atom.prep not in {"на", "против", "от"}:
        return None
    return 0.0 if told[0].sense.kind == "energy" or numbered[0].sense.kind == "attack_no" else None


_GUESSED = {
    "transfer_energy": (frozenset({"amount", "to"}), _gift),
    "set_reserve": (frozenset({"attack_no", "energy"}), _reserve),
}


def guesses(frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """The frames that are guessed where no word calls for them."""
    return tuple(
        replace(f, bare=(_GUESSED[f.id][0],), score=_GUESSED[f.id][1], triggers=(), inherits=False)
        for f in frames
        if f.id in _GUESSED
    )
