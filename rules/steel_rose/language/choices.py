"""The fate of a captured city where several are spoken of: what is denied, what was only thought of or asked for, what is said
once more, and what nobody could read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Frame, Match, Output
from parsers.reading_atoms import between
from parsers.russian import ORDERING, Verb, info
from parsers.structure import Layout
from parsers.types import Problem, Reading
from rules.steel_rose.language.common import ask
from rules.steel_rose.language.fates import CAPTURES
from rules.steel_rose.language.names import tables
from rules.steel_rose.language.outcome import Outputs, readings

_WITHDRAW = "~withdraw"
_CHOICE = "capture_choice"
_TOLD = 12
"""So many tokens before a fate a verb of the past makes it a story («солдаты просили три дня на грабёж»)."""


def denied_fates(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«ломать не надо, колонизируем», «грабёж отменяется»: a fate that wasn't ordered before is denied, not taken back."""
    out: list[Atom] = []
    told: set[str] = set()
    for atom in atoms:
        left = out[-1] if out else None
        if atom.kinds == {_WITHDRAW} and _emphatic(layout, atom):
            continue
        fate = left.kinds & set(CAPTURES) if left is not None else set()
        no = atom.has(_WITHDRAW) and (atom.verb is not Verb.NONE or atom.text.lower().startswith("не "))
        if left is not None and fate and no and not between(layout, left, atom) and not fate & told:
            out[-1] = replace(left, negated=True)
            continue
        told |= fate
        if atom.has(_WITHDRAW) and atom.has("unwanted") and any(a.has("ruins") for a in out[-2:]):
            atom = replace(atom, senses=tuple(s for s in atom.senses if s.kind != _WITHDRAW))  # «руины нам не надо»
        out.append(atom)
    return out


def _emphatic(layout: Layout, atom: Atom) -> bool:
    """«разграбим нафиг», «распускаю нафиг»: behind a verb of order it takes nothing back."""
    said = layout.tokens[atom.first].norm in tables()["emphatic"]["words"]
    return said and atom.first > 0 and info(layout.tokens[atom.first - 1].norm).verb in ORDERING


def settled(context: Context, outputs: Outputs) -> None:
    """One city has one fate. Of two the later counts behind a word that turns («хотя нет») or where the earlier is but told of;
    said twice they are one."""
    turns = frozenset(tables()["turns"]["words"])
    tokens = context.layout.tokens
    last: tuple[Match, list[Output], Reading] | None = None
    for match, made in outputs:
        for reading in [r for r in readings(made) if r.command["type"] == _CHOICE]:
            before, last = last, (match, made, reading)
            if before is None or before[2] not in before[1]:
                continue
            first, held, old = before
            cities = {r.command["city"] for r in (old, reading) if "city" in r.command}
            if len(cities) > 1 or (
                old.command["choice"] == reading.command["choice"] and "city" not in old.command and not cities
            ):
                continue
            turned = turns & {t.norm for t in tokens[first.last : match.first]}
            same = old.command["choice"] == reading.command["choice"]
            if not (turned or same or _told(context, first)):
                continue
            held.remove(old)
            joined = {**({"city": next(iter(cities))} if cities else {}), **reading.command}
            spans = (*reading.extra_spans, *old.extra_spans, old.span)
            put = replace(reading, command=joined, extra_spans=spans)
            made[made.index(reading)] = put
            last = (match, made, put)


def _told(context: Context, match: Match) -> bool:
    """Whether the words right before a fate tell of the past."""
    layout = context.layout
    start = max(layout.sentences[match.sentence].first, match.first - _TOLD)
    return any(info(t.norm).verb is Verb.PAST for t in layout.tokens[start : match.first])


def unchosen(context: Context, outputs: Outputs, frame: Frame) -> Outputs:
    """«Думаю, грабить»: a post that speaks of a fate and chooses none asks."""
    if any(
        o.command["type"] == _CHOICE if isinstance(o, Reading) else isinstance(o, Problem) for _, made in outputs for o in made
    ):
        return outputs
    spoken: Sequence[Atom] = [a for a in context.atoms if a.has(*CAPTURES) and not a.negated]
    if not spoken:
        return outputs
    atom = spoken[-1]
    sentence = context.layout.sentence_of[atom.first]
    match = Match(frame, (atom,), (atom,), {}, False, atom.span, atom.first, atom.last, sentence, "")
    return [*outputs, (match, [ask(context, match, "capture_what")])]
