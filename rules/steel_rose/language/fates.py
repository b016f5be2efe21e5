"""Skipped planning, powder, the fate of a captured city (§3.2, R42, R109)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Fill, Match, Output
from parsers.types import Problem, Severity
from rules.steel_rose.language.battlefield import battle_fields
from rules.steel_rose.language.common import ask, called, city_of, has, refusal
from rules.steel_rose.language.names import HEARD, beginnings, tables
from rules.steel_rose.language.parts import parts_of
from rules.steel_rose.language.replies import stretch
from rules.steel_rose.language.senses import unit_of
from rules.steel_rose.language.units import bad_number
from rules.steel_rose.refusals import refuse

CAPTURES = ("colonize", "plunder", "destroy")
_RUINS_WITHIN = 14
"""So many tokens from the order what is said of the ruins may stand; of two the later counts («себе… не, не нужны»)."""


def score_skip(fill: Fill) -> float | None:
    return 1.0 if called(fill, "skipnow") or (called(fill, "planning") and called(fill, "skip")) else None


def make_skip(match: Match, context: Context) -> Iterable[Output]:
    return [context.reading(match, {"type": "skip_planning", **battle_fields(match)})]


def score_powder(fill: Fill) -> float | None:
    words = [a for a in fill.atoms if a.has("powder", "first", "load", "deny")]
    said = [f.atom for f in fill.slots.get("units", ()) if f.sense.kind == "squad"]
    if words and any(a.first < words[0].first and a.data.get("sentence") != words[0].data.get("sentence") for a in said):
        return None  # «Стрелков — 6.» above is who is hired
    if "units" not in fill.slots:
        return -0.9 if called(fill, "powder") and called(fill, "first") and called(fill, "garrison") else None
    if called(fill, "powder"):
        if called(fill, "first", "deny", "load"):
            return 0.5
        listed = len(fill.slots["units"]) > 1 and all(f.sense.kind == "unit" for f in fill.slots["units"])
        given = all("datv" in f.atom.cases for f in fill.slots["units"])
        if listed and given and fill.atoms[0].has("powder"):
            return 1.2  # «порох драгунам вперёд, потом стрелкам»
        return 0.2 if (listed or given) and fill.atoms[0].has("powder") else None  # «порох: пушки > стрелки», «порох стрелкам»
    plain = all(f.sense.kind == "unit" for f in fill.slots["units"])
    return 0.4 if called(fill, "load") or (called(fill, "first") and (fill.inherited or plain)) else None


def make_powder(match: Match, context: Context) -> Iterable[Output]:
    if not match.slots.get("units"):
        return [ask(context, match, "powder_what")]
    order: list[str] = []
    counts: dict[str, Any] = {}
    later: dict[str, bool] = {}
    for filled in match.slots.get("units", ()):
        if len(filled.senses) > 1:
            return [context.which(match, "units", filled)]
        unit = unit_of(filled.atom)
        if unit is None:
            continue
        if unit not in order:
            order.append(unit)
            later[unit] = _last_of_all(context, filled.atom)
        if filled.sense.kind == "squad" and isinstance(filled.value[1], int):
            counts[unit] = filled.value[1]
    order.sort(key=lambda unit: later[unit])
    rest = context.layout.tokens[match.last : min(match.last + 3, context.layout.sentences[match.sentence].last)]
    more = [t.norm for t in rest if t.norm in tables()["then"]["words"]]
    parted = [a.text for a in context.by_sentence.get(match.sentence, ()) if a.has("~half", "evenly", "percent")]
    notes = [*match.notes(), *(tables()["asks"]["left_over"].format(text=word) for word in [*more, *parted])]
    if has(match, "deny"):
        return _split_powder(match, context, order, counts)
    if not has(match, "first", "load", "powder"):
        return []
    if counts and has(match, "load") and not has(match, "first"):
        if any(bad_number(c) for c in counts.values()):
            return [refusal(context, match, refuse("E_COUNT"), Severity.ERROR)]
        if not any(a.has("load") and a.verb for a in match.atoms):
            return []  # «заряжено: 2 пушки»: the player's own sums
        return [context.reading(match, {"type": "allocate_powder", "units": counts})]
    return [context.reading(match, {"type": "allocate_powder", "order": order}, notes=notes)]


def _last_of_all(context: Context, unit: Atom) -> bool:
    """«пушкам в последнюю очередь, сначала стрелкам»: a unit whose part says that it comes last."""
    first, last = stretch(context, unit)
    return any(t.norm.startswith(beginnings("last")) for t in context.layout.tokens[first:last])


def _split_powder(match: Match, context: Context, order: list[str], counts: dict[str, Any]) -> list[Output]:
    """«порох стрелкам, конным не давать»: each unit by the verb of its own clause; «остальным не давать» needs no words."""
    parts = parts_of(context)
    verbs = [a for a in match.atoms if a.has("deny", "first", "load")]
    denied = []
    for filled in match.slots.get("units", ()):
        verb = parts.nearest(filled.atom, verbs)
        near = verb is not None and parts.of.get(verb.first) == parts.of.get(filled.atom.first)
        if verb is not None and verb.has("deny") and (len(verbs) == 1 or near):
            denied.append(unit_of(filled.atom))
    given = [u for u in order if u not in denied]
    out: list[Output] = []
    if given:
        exact = {u: counts[u] for u in given if u in counts}
        fields: dict[str, Any] = {"units": exact} if exact else {"order": given}
        out.append(context.reading(match, {"type": "allocate_powder", **fields}))
    none = dict.fromkeys([u for u in order if u in denied], 0)
    if none:
        out.append(context.reading(match, {"type": "allocate_powder", "units": none}))
    return out


def score_capture(fill: Fill) -> float | None:
    if "ruins" in fill.slots and not fill.triggers and not fill.inherited:
        return None
    return 0.2 if "capture_city" in fill.slots else -1.15


def make_capture(match: Match, context: Context) -> Iterable[Output]:
    spoken = [a for a in match.atoms if a.has(*CAPTURES) and not _none_of(context, a)]
    now = [a for a in spoken if not _later(context, a)]
    spoken = now or spoken  # «грабить, жечь потом»
    choices = [c for c in CAPTURES if any(a.has(c) for a in spoken)]
    if not choices:
        return []
    city = city_of(context, match, "capture_city")
    if isinstance(city, Problem):
        return [city]
    denied = [a for a in context.by_sentence.get(match.sentence, ()) if a.negated and a.has(*CAPTURES, "~place", "city")]
    if city is None and any(a.has(*CAPTURES) for a in denied):  # «не жечь его, а грабить»
        city = _of_denied(context, match, denied)
    named = match.first_of("capture_city")
    sentence_of = context.layout.sentence_of
    if (
        named is not None
        and named.atom.first > spoken[-1].first
        and sentence_of[named.atom.first] != sentence_of[spoken[-1].first]
    ):
        city = None  # «взять под нашу руку. Ормис подождёт»
    if choices == ["colonize"] and has(match, "ruins"):
        return [context.reading(match, {"type": "capture_choice", "choice": "destroy", "keep_ruins": True})]
    notes = match.notes()
    fates = {c for a in spoken for c in CAPTURES if a.has(c) and len(a.kinds & set(CAPTURES)) == 1}
    if len(fates) > 1 and not match.correcting:
        notes.append(tables()["asks"]["two_fates"])
    command: dict[str, Any] = {"type": "capture_choice", "choice": choices[-1]}
    if city is not None:
        command["city"] = city
    keep = keep_ruins(match, context)
    if keep is not None and command["choice"] == "destroy":
        command["keep_ruins"] = keep
    return [context.reading(match, command, notes=notes)]


def _of_denied(context: Context, match: Match, denied: Sequence[Atom]) -> str | None:
    """The city whose other fate is denied; what is said of it was heard."""
    context.memory.setdefault(HEARD, set()).update(i for a in denied for i in range(a.first - 1, a.last))
    named = next((str(s.value) for a in denied for s in a.all("city")), None)
    before = context.before(match.span.start, "city") if any(a.has("~place") for a in denied) else None
    return named or (str(before.value) if before is not None else None)


def _later(context: Context, atom: Atom) -> bool:
    tokens = context.layout.tokens
    return atom.last < len(tokens) and tokens[atom.last].norm in tables()["later"]["words"]


def _none_of(context: Context, atom: Atom) -> bool:
    """«Никаких грабежей», «без разрушений»: a fate that is not to be."""
    return atom.first > 0 and context.layout.tokens[atom.first - 1].norm in tables()["none_of"]["words"]


def keep_ruins(match: Match, context: Context) -> bool | None:
    """What is said of the ruins in the sentence or right behind it; None: nothing."""
    sentence = match.sentence
    after = [a for s in (sentence, sentence + 1) for a in context.by_sentence.get(s, [])]
    told = None
    for n, atom in enumerate(after):
        if not atom.has("ruins") or abs(atom.first - match.last) >= _RUINS_WITHIN:
            continue
        if told is not None and any(a.has("city") and a.last > match.last for a in after[:n]):
            break  # of another city
        around = after[max(0, n - 1) : n + 4]
        until = next((k for k, a in enumerate(around) if a.has("ruins") and a.first > atom.first), len(around))
        around = around[:until]
        if any(a.has("unwanted") for a in around):
            told = False
        elif any(a.has("wanted") for a in around):
            told = True
        elif told is None:
            break
    return told
