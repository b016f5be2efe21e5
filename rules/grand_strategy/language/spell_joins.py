"""Joins of spells whose words something parts: «поднимает там мертвецов»."""

from __future__ import annotations

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import joined
from parsers.structure import Layout
from rules.grand_strategy.language.names import stems

BETWEEN = 2
"""Words between the verb and the dead."""


def raised(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«поднимает там мертвецов», «призвать ещё зомби» → the spell."""
    out: list[Atom] = []
    for here in atoms:
        dead = any(s.value == "zombies" for s in here.all("utype"))
        verbs = [k for k in range(len(out) - 1, max(-1, len(out) - 3), -1) if out[k].verb]
        at = verbs[0] if dead and verbs else None
        if at is not None and out[at].text.lower().startswith(stems("raising")) and here.first - out[at].last <= BETWEEN:
            between = [a for a in out[at + 1 :] if not a.has("there")]
            if not between and layout.sentence_of[out[at].first] == layout.sentence_of[here.first]:
                made = joined(layout, [out[at], here], Sense("spell", "raise_zombies"))
                out[at:] = [made]
                continue
        out.append(here)
    return out
