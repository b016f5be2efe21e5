"""Joins of spells whose words something parts or stands for: «поднимает там мертвецов», «бью землетрясением», «колдует щит»."""

from __future__ import annotations

from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import between, joined
from parsers.russian import Verb
from parsers.structure import Layout
from rules.grand_strategy.language.names import stems

BETWEEN = 2
"""Words between the verb and the dead."""


def raised(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«поднимает там мертвецов», «призвать ещё зомби», «зомби поднимаем» → the spell."""
    out: list[Atom] = []
    for here in atoms:
        at = next((k for k in range(len(out) - 1, max(-1, len(out) - 3), -1) if _raise(out[k], here)), None)
        near = at is not None and here.first - out[at].last <= BETWEEN and all(a.has("there") for a in out[at + 1 :])
        if at is not None and near and layout.sentence_of[out[at].first] == layout.sentence_of[here.first]:
            out[at:] = [joined(layout, [out[at], here], Sense("spell", "raise_zombies"))]
            continue
        out.append(here)
    return out


def _raise(left: Atom, right: Atom) -> bool:
    """A verb of raising and the dead, in either order."""
    dead, verb = (right, left) if left.verb else (left, right)
    if not verb.verb or left.negated or right.negated or not any(s.value == "zombies" for s in dead.all("utype")):
        return False
    if verb is right and (dead.prep or (dead.cases and "accs" not in dead.cases)):
        return False
    misspelt = any(s.quality < 1 for s in verb.all("upgrade", "cast"))
    return verb.text.lower().startswith(stems("raising")) or misspelt


def spoken(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Землетрясением бью по Бродам», «буря бьёт по Бродам» cast and attack nobody; «колдует щит на
    дружину» names the spell by its first word."""
    means = {layout.sentence_of[a.first] for a in atoms if a.has("spell") and a.cases and a.cases <= {"ablt", "datv"}}
    out: list[Atom] = []
    for here in atoms:
        before = out[-1] if out else None
        subject = before is not None and before.has("spell") and before.last == here.first and here.verb is Verb.THIRD
        if here.has("attack") and here.verb and (subject or layout.sentence_of[here.first] in means):
            here = replace(here, senses=(Sense("cast", "cast"),))
        elif before is not None and before.has("cast") and before.verb and before.last == here.first and _shield(here):
            here = replace(here, senses=(Sense("spell", "rage_shield"),))
        out.append(here)
    return out


def numbered_twice(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«туман сна (2.1)», «насылает бурю: шторм»: one spell by name and number, or by two names."""
    out: list[Atom] = []
    for here in atoms:
        before = out[-1] if out else None
        spell = before.get("spell") if before is not None else None
        again = here.get("spell")
        same = spell is not None and again is not None and spell.value == again.value
        if before is not None and spell is not None and same and set(between(layout, before, here)) <= {"(", "-", ":"}:
            out[-1] = replace(joined(layout, [before, here], spell), prep=before.prep, cases=before.cases)
            continue
        out.append(here)
    return out


def _shield(here: Atom) -> bool:
    return any(s.value == "defend" for s in here.all("card")) and here.text.lower().startswith(stems("shield"))
