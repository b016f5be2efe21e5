"""Which squads belong to which place of a line: a dynamic programme over what stands near together."""

from __future__ import annotations

from itertools import pairwise

from parsers.reading_atoms import between
from parsers.structure import Layout
from rules.steel_rose.language.placed import Spot, Who

ORPHAN_PLACE, ORPHAN_SQUAD, TURN = 3.0, 2.6, 0.3
"""What it costs a pairing to leave a place or a squad alone, and to change between «place — squads» and «squads — place»."""
MOST_TOGETHER = 24
"""Squads and places that stand together, at most."""
UNLINKED = 0.4
"""… and two squads in one place without «и», a comma or a plus between them."""
_LINKS = frozenset({"и", ",", "+", "&", "/"})


def groups(layout: Layout, events: list[Who | Spot]) -> tuple[list[tuple[Spot, list[Who]]], list[Who | Spot]]:
    """The squads of each place, so that what stands near together belongs together; and what stands alone."""
    size = len(events)
    table: list[dict[str, tuple[float, int, str]]] = [{} for _ in range(size + 1)]
    table[0][""] = (0.0, 0, "")
    for end in range(1, size + 1):
        for begin in range(max(0, end - MOST_TOGETHER), end):
            part = events[begin:end]
            places = [k for k, e in enumerate(part) if isinstance(e, Spot)]
            if len(part) == 1:
                cost = ORPHAN_PLACE if places else ORPHAN_SQUAD
                mode = "x"
            elif len(places) == 1 and places[0] in (0, len(part) - 1):
                mode = "first" if places[0] == 0 else "last"
                cost = sum(_gap(layout, part[k], part[k + 1]) for k in range(len(part) - 1))
                cost += sum(
                    UNLINKED
                    for a, b in pairwise(part)
                    if isinstance(a, Who) and isinstance(b, Who) and not set(between(layout, a.atom, b.atom)) & _LINKS
                )
            else:
                continue
            for before, (value, _, _) in table[begin].items():
                turned = TURN if before in ("first", "last") and mode in ("first", "last") and before != mode else 0.0
                total = value + cost + turned
                if mode not in table[end] or total < table[end][mode][0] - 1e-9:
                    table[end][mode] = (total, begin, before)
    out: list[tuple[Spot, list[Who]]] = []
    alone: list[Who | Spot] = []
    at = size
    mode = min(table[size], key=lambda m: table[size][m][0]) if table[size] else ""
    while at > 0:
        _, begin, before = table[at][mode]
        part = events[begin:at]
        if len(part) > 1:
            spot = next(e for e in part if isinstance(e, Spot))
            out.append((spot, [e for e in part if isinstance(e, Who)]))
        else:
            only = part[0]
            if isinstance(only, Spot) and only.bad:
                out.append((only, []))
            else:
                alone += part
        at, mode = begin, before
    return out[::-1], alone


def _gap(layout: Layout, left: Who | Spot, right: Who | Spot) -> float:
    cost = 0.0
    for norm in between(layout, left.atom, right.atom):
        if norm == ",":
            cost += 0.5
        elif norm in {"и", "+", "&"}:
            cost += 0.2
        elif norm in {"-", ":", "(", "="}:
            cost -= 0.1
        elif norm.isalpha():
            cost += 0.12
    return max(cost, -0.2)
