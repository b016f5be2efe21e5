"""Joins of deeds done by force or together: «берёт Устье приступом», «заходим в Устье штурмом», «дружина и Торгрим вместе»."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import between, joined
from parsers.russian import Verb, info
from parsers.structure import Layout
from parsers.tokens import Kind
from rules.grand_strategy.language.names import stems, tables
from rules.grand_strategy.language.spots import atom, merged

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


def allies(owners: Mapping[str, str], layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«вместе с Торгримом», «союзник: Торгрим», «при поддержке Торгрима», «Торгрим мне помогает» → `ally`. `owners`: whose the
    troops of others are («вместе с дружиной Радомира»)."""
    out: list[Atom] = []
    fought = {layout.sentence_of[a.first] for a in atoms if a.has("attack") and not a.negated}
    for here in atoms:
        before = out[-1] if out else None
        index = layout.sentence_of[here.first]
        if here.has("helping"):
            last = len(out)
            while last > 1 and (
                out[last - 1].has("also", "me") or (out[last - 1].has("attack") and out[last - 1].verb is Verb.THIRD)
            ):
                last -= 1
            if last and out[last - 1].has("player"):
                del out[last:]  # «Гхаш тоже дерётся на нашей стороне»
                before = out[-1]
        if here.has("player") and len(out) > 1 and out[-1].has("battle_word") and out[-2].has("ally_word"):
            out[-2:] = [joined(layout, out[-2:], out[-2].all("ally_word")[0])]  # «союзник в этом бою Аэлин»
            before = out[-1]
        if before is None or layout.sentence_of[before.first] != index:
            out.append(here)
            continue
        person, word = (before, here) if _whose(owners, before) else (here, before)
        with_him = person.prep in {"с", "со"} and here.first - before.last <= 1
        together = word.has("together") and with_him and (word is before or here.text.lower() == "вместе")
        near = not fought.isdisjoint({index, index - 1, index - 2})
        owner = _whose(owners, person)
        if owner and (together or (near and person.has("player") and _helps(layout, before, here, person, word))):
            made = joined(layout, [before, here], Sense("ally", owner))
            out[-1] = replace(made, prep=before.prep)
            continue
        out.append(here)
    return out


def _whose(owners: Mapping[str, str], here: Atom) -> str:
    """The player whom a name means, or whose troop it is; empty: none."""
    sense = here.get("player")
    if sense is not None:
        return str(sense.value)
    units = {str(s.value) for s in here.all("unit")}
    return owners.get(next(iter(units)), "") if len(units) == 1 else ""


def _helps(layout: Layout, before: Atom, here: Atom, person: Atom, word: Atom) -> bool:
    gap = between(layout, before, here)
    if word.has("support"):
        return word is before and not gap and not person.prep
    named = not person.prep and (not person.cases or bool(person.cases & {"nomn", "same"}))
    return named and word.has("ally_word", "helping") and len(gap) <= ALLY_REACH and set(gap) <= _HELPED


_HELPED = frozenset(tables()["allies"]["between"])
"""What may stand between an ally and what he is."""


def prize(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Победим — Устье моё», «победим: понизить»: beside a victory, whose a building will be and what becomes of it."""
    won = {layout.sentence_of[a.first] for a in atoms if a.has("victory")}
    fought = {layout.sentence_of[a.first] for a in atoms if a.has("attack") and not a.negated}
    for here in atoms:
        index = layout.sentence_of[here.first]
        if not here.has("no_raze", "no_capture") or fought.isdisjoint({index - 1, index - 2}):
            continue
        if not any(a is not here and a.has(*_WISHES) and layout.sentence_of[a.first] == index for a in atoms):
            here.data["behind"] = True  # «… бьёт Устье. Не ломать.»
    atoms = [a.only("raze") if a.has("raze") and layout.sentence_of[a.first] in won else a for a in atoms]
    found: list[Atom] = []
    for here in atoms:
        if here.has("behind") and here.text.lower().endswith(stems("me")) and layout.sentence_of[here.first] in won:
            found.append(replace(here, senses=(Sense("to_me", "to_me"),)))  # «дом за мной»
            continue
        at = here.last
        building = here.has("btype", "house", "building_word") and layout.sentence_of[here.first] in won
        if not building or at >= len(layout.tokens) or any(a.first <= at < a.last for a in atoms):
            continue
        closes = at + 1 >= len(layout.tokens) or layout.tokens[at + 1].kind is not Kind.WORD
        if closes and info(layout.tokens[at].norm).lemmas & _OURS:
            found.append(atom(layout, at, at + 1, Sense("to_me", "to_me")))
    return merged(atoms, found) if found else atoms


_WISHES = ("victory", "capture", "no_capture", "raze", "no_raze", "battle")
_OURS = frozenset({"мой", "наш"})


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
            if before.has("ally") and ("ablt" in here.cases | _same(here) or not _WITH & set(before.text.lower().split())):
                allies = (*before.all("ally"), Sense("ally", person.value))
                out[-1] = replace(joined(layout, [before, here], allies[0]), senses=allies, prep=before.prep)
                continue
        ally = here.get("ally")
        friend = before.get("player") if before is not None and ally is not None and not before.prep else None
        if before is not None and friend is not None and ally is not None and between(layout, before, here) == ["и"]:
            both = (Sense("ally", friend.value), *here.all("ally"))  # «Радомир и Аэлин идут со мной»
            out[-1] = replace(joined(layout, [before, here], both[0]), senses=both, prep=here.prep)
            continue
        out.append(here)
    return out


_WITH = frozenset({"с", "со"})


def _same(here: Atom) -> frozenset[str]:
    return frozenset({"ablt"}) if "same" in here.cases else frozenset()
