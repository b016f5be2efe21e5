"""Joins of deeds done by force or together: «берёт Устье приступом», «заходим в Устье штурмом», «дружина и Торгрим вместе»."""

from __future__ import annotations

from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import between, joined
from parsers.structure import Layout

ALLY_REACH = 3
"""Words between an ally's name and «вместе»."""


def forced(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«берёт Устье приступом» attacks; «заходим в Устье штурмом» goes, and «штурмом» only says how."""
    out = list(atoms)
    for n, here in enumerate(atoms):
        if not here.has("by_force") or here.verb:
            continue
        sentence = layout.sentence_of[here.first]
        verbs = [k for k, a in enumerate(atoms) if layout.sentence_of[a.first] == sentence and a.verb and k != n]
        at = max((k for k in verbs if k < n), default=min((k for k in verbs if k > n), default=None))
        if at is None:
            continue
        if atoms[at].has("take") and not atoms[at].has("go"):
            out[at] = replace(atoms[at], senses=(Sense("attack", "attack", atoms[at].senses[0].quality),))
            out[n] = here.only("by_force")
        elif atoms[at].has("go"):
            out[n] = here.only("by_force")
    return out


def allies(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«вместе с Торгримом» → `ally`."""
    out: list[Atom] = []
    for here in atoms:
        before = out[-1] if out else None
        beside = before is not None and before.has("player") and before.prep in {"с", "со"} and here.first == before.last
        if before is not None and beside and here.has("together") and here.text.lower() == "вместе":
            out[-1] = replace(joined(layout, [before, here], Sense("ally", before.all("player")[0].value)), prep=before.prep)
            continue
        if (
            before is not None
            and before.has("together")
            and here.has("player")
            and here.prep in {"с", "со"}
            and here.first - before.last <= 1
        ):
            out[-1] = replace(joined(layout, [before, here], Sense("ally", here.all("player")[0].value)), prep=before.prep)
            continue
        out.append(here)
    return out


def side_by_side(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Дружина и Торгрим вместе атакуют Лориэн», «вместе с Торгримом и Гхашем» → each an `ally`."""
    out: list[Atom] = []
    for n, here in enumerate(atoms):
        before = out[-1] if out else None
        following = atoms[n + 1] if n + 1 < len(atoms) else None
        person = here.get("player")
        if person is not None and before is not None and between(layout, before, here) == ["и"]:
            together = following is not None and following.has("together") and following.first == here.last
            if before.has("unit", "personal") and together:
                out.append(replace(here, senses=(Sense("ally", person.value),)))
                continue
            if before.has("ally") and "ablt" in here.cases | _same(here):
                allies = (*before.all("ally"), Sense("ally", person.value))
                out[-1] = replace(joined(layout, [before, here], allies[0]), senses=allies, prep=before.prep)
                continue
        out.append(here)
    return out


def _same(here: Atom) -> frozenset[str]:
    return frozenset({"ablt"}) if "same" in here.cases else frozenset()
