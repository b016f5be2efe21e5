"""Alliances, betrayal, the demons of an alliance (§3.1, R130, R131, R157)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Fill, Match, Output
from parsers.russian import ORDERING, Verb
from rules.steel_rose.data import game_data
from rules.steel_rose.language.common import ask, called, has, nearby
from rules.steel_rose.language.names import CULT
from rules.steel_rose.language.parts import parts_of
from rules.steel_rose.language.replies import beside, goes_on, refused, to_whom
from rules.steel_rose.language.senses import unit_of


def score_alliance(fill: Fill) -> float | None:
    if "faction" not in fill.slots:
        if called(fill, "alliance") and (
            called(fill, "break") or any(a.has("propose") and a.verb in ORDERING for a in fill.atoms)
        ):
            return -0.5
        answers = called(fill, "accept") or any(a.has("propose") and a.verb is Verb.ORDER for a in fill.atoms)
        return -1.2 if len(fill.atoms) == 1 and answers else None
    if any(f.atom.prep in {"из", "изо", "на"} or _wanted_demons(f.atom) for f in fill.slots["faction"] if not f.ref):
        return None  # «… и из демонов берём заразителей»
    if fill.inherited and not fill.triggers:  # «Предлагаю союз Империи. И эльфам.»
        return 0.0 if len(fill.atoms) == len(fill.slots["faction"]) and "datv" in fill.atoms[0].cases else None
    if called(fill, "ended"):
        return 0.6
    verb = called(fill, "propose", "accept", "break")
    noun = called(fill, "alliance")
    proposal = any(a.text.lower().startswith(("предложен", "предлаг", "предлож")) for a in fill.atoms if a.has("propose"))
    if noun and verb:
        return 0.5
    if called(fill, "break") and noun:
        return 0.5
    if proposal and called(fill, "accept"):
        return 0.3
    if noun and fill.triggers and any(a.has("alliance") for a in fill.triggers[:2]):
        others = [a for a in fill.atoms if not a.has("faction", "decline", "alliance")]
        return 0.0 if len(others) <= 1 and len(fill.atoms) <= 3 + called(fill, "decline") else None
    return None


def make_alliance(match: Match, context: Context) -> Iterable[Output]:
    factions = [f for f in named_factions(match, context) if not _refused(match, context, f)]
    if not match.slots.get("faction") and not has(match, "break"):
        return to_whom(match, context)
    if not factions:
        if has(match, "break") and not match.slots.get("faction"):
            mine = context.view.own.alliances if hasattr(context.view.own, "alliances") else ()
            return [ask(context, match, "which_ally", [context.title("faction", f) for f in mine])]
        everyone = has(match, "propose") and not has(match, "decline") and nearby(context, match, "~all")
        return [ask(context, match, "which_faction")] if everyone else []
    if match.inherited and not match.triggers:
        if not all(goes_on(context, f.atom) for f in match.slots["faction"]):
            return []
        before = [r for r in context.readings if r.command["type"] in _KINDS]
        type_ = str(before[-1].command["type"]) if before else "propose_alliance"
        return [context.reading(match, {"type": type_, "faction": f}) for f in factions]
    out: list[Output] = []
    for filled in match.slots.get("faction", ()):
        faction = filled.value
        if filled.ref:
            found = context.before(filled.atom.span.start, "faction")
            faction = found.value if found is not None else None
        if faction not in factions:
            continue
        factions.remove(faction)
        type_ = _deed(match, context, filled.atom)
        if type_:
            out.append(context.reading(match, {"type": type_, "faction": faction}))
    return out


def _deed(match: Match, context: Context, faction: Atom) -> str:
    """What is done with a faction: by the verbs of its own clause, else by those nearest; empty: it is refused."""
    parts = parts_of(context)
    verbs = [a for a in nearby(context, match, "propose", "accept", "break", "ended", "decline") if not a.negated]
    if "nomn" in faction.cases:  # «Культ предлагает союз — принимаем»: that is the Cult's own deed
        ours = [a for a in verbs if a.verb is not Verb.THIRD or a.first - faction.last > 1]
        verbs = ours or verbs
    verbs = beside(context, faction, verbs, [a for a in match.atoms if a.has("faction")])
    here = [a for a in verbs if parts.of.get(a.first) == parts.of.get(faction.first)]
    if not here:
        near = parts.nearest(faction, verbs)
        here = [a for a in verbs if near is not None and parts.of.get(a.first) == parts.of.get(near.first)]
    if here and all(a.has("propose") and a.verb is Verb.NONE for a in here):  # «предложение эльфов о союзе — принимаем»
        answers = [a for a in verbs if a not in here and a.has("accept", "decline") and a.verb is not Verb.NONE]
        follows = answers and answers[0].first > faction.first
        said = context.layout.tokens[faction.last : answers[0].first] if follows else ()
        if follows and not any(t.norm in {",", ";"} for t in said):
            here = answers[:1]
    if faction.prep == "от" and not here and has(match, "hire", "alliance"):
        return "accept_alliance"  # «от Культа союз берём»
    spoken = [a for a in here if a.verb is not Verb.NONE or not a.has("propose")]  # «предложение эльфов принимаем»
    if len(spoken) > 1:
        nearest = min(spoken, key=lambda a: abs(a.first - faction.first))
        spoken = [nearest] if nearest.verb is not Verb.NONE else spoken
    here = spoken or here
    for kind, type_ in (("decline", ""), ("break", "break_alliance"), ("ended", "break_alliance"), ("accept", "accept_alliance")):
        if any(a.has(kind) for a in here):
            return type_
    return "propose_alliance"


_KINDS = ("propose_alliance", "accept_alliance", "break_alliance")


def _refused(match: Match, context: Context, faction: str) -> bool:
    """Everything said of this faction in the match only tells that nothing is offered to it."""
    said = [f.atom for f in match.slots.get("faction", ()) if f.value == faction and not f.ref]
    return any(refused(context, atom) for atom in said)


def named_factions(match: Match, context: Context) -> list[str]:
    out: list[str] = []
    for filled in match.slots.get("faction", ()):
        value: Any = filled.value
        if filled.ref:
            found = context.before(filled.atom.span.start, "faction")
            value = found.value if found is not None else None
        if filled.atom.prep == "против":  # «дружить против Культа»
            continue
        if value is not None and value != context.view.faction and value not in out:
            out.append(str(value))
    return out


def score_betray(fill: Fill) -> float | None:
    """An ally or his cities; the cities that are taken belong to it."""
    if not {"faction", "city"} & set(fill.slots):
        return None
    return 2.2 if "city" in fill.slots and called(fill, "seize", "colonize") else 0.6


def make_betray(match: Match, context: Context) -> Iterable[Output]:
    factions = named_factions(match, context)
    cities: list[str] = []
    for filled in match.slots.get("city", ()):
        if len(filled.senses) > 1:
            return [context.which(match, "city", filled)]
        if filled.value not in cities:
            cities.append(filled.value)
    if not factions and cities:
        owners = {context.view.state.cities[c].owner for c in cities if c in context.view.state.cities}
        factions = [o for o in owners if o is not None]
    if not factions:
        return [ask(context, match, "betray_whom")] if match.triggers else []
    command: dict[str, Any] = {"type": "betray_ally", "faction": factions[0]}
    if cities:
        command["cities"] = cities
    return [context.reading(match, command)]


def make_demons(match: Match, context: Context) -> Iterable[Output]:
    if context.view.faction == CULT:
        return []
    units = [unit_of(f.atom) for f in match.slots.get("squads", ())]
    demons = [u for u in units if (u is not None and game_data().units[u].demon) or u == "demonologist"]
    if not demons:
        return []
    return [context.reading(match, {"type": "choose_demons", "demons": demons[0]})]


def score_demons(fill: Fill) -> float | None:
    if "squads" not in fill.slots or not any(_demonic(f.atom) for f in fill.slots["squads"]):
        return None
    if len({unit_of(f.atom) for f in fill.slots["squads"]}) > 1:
        return None
    if not fill.triggers:  # nobody but the Cult can have them in another way
        return -0.3 if all(f.sense.kind == "unit" for f in fill.slots["squads"]) else None
    if called(fill, "gift", "demonword") or any(f.value == CULT for f in fill.slots.get("faction", ())):
        return 1.2
    plain = fill.slots["squads"][0].sense.kind == "unit"
    return 0.6 if plain and called(fill, "hire", "propose") else None


def _wanted_demons(atom: Atom) -> bool:
    """«демонов» are not the Cult but what it gives."""
    return _demonic(atom) and not atom.cases & {"datv", "ablt"}


def _demonic(atom: Atom) -> bool:
    unit = unit_of(atom)
    return unit is not None and (game_data().units[unit].demon or unit == "demonologist")
