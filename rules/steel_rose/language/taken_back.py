"""The last look: what a post takes back and puts nothing in its place."""

from __future__ import annotations

from dataclasses import replace

from parsers.context import Context
from parsers.frames import Match, Output
from parsers.structure import starts_with
from parsers.types import Reading
from rules.steel_rose.language.names import tables
from rules.steel_rose.language.outcome import Outputs, readings
from rules.steel_rose.language.references import ASIDE
from rules.steel_rose.language.stories import phrases_of

_MOST_DENIED = 8
"""Of several orders that one denial may mean, so many are looked at."""


def withdrawn(context: Context, outputs: Outputs) -> None:
    """«Лучников отменяю»: the order for them is no longer certain."""
    for inside in context.by_sentence.values():
        if not any(a.has("~withdraw") and not a.negated for a in inside):
            continue
        for atom in inside:
            values = {
                str(s.value[0] if s.kind == "squad" else s.value) for s in atom.senses if s.kind in ("squad", "unit", "building")
            }
            for match, made in outputs:
                for n, output in enumerate(made):
                    if isinstance(output, Reading) and match.last <= atom.first:
                        named = output.command.get("unit") or output.command.get("building")
                        if named in values and context.layout.sentence_of[match.first] != context.layout.sentence_of[atom.first]:
                            made[n] = replace(output, certain=False, note=tables()["asks"]["withdrawn"])


def restarted(context: Context, outputs: Outputs) -> Outputs:
    """«Отмена хода, заново: …»: what this very post said before it counts no more either."""
    span = context.memory.get("restart_span")
    if span is None:
        return outputs
    return [(m, made) for m, made in outputs if m.span.start >= span.start]


def denied(context: Context, outputs: Outputs) -> None:
    """«а дозорку не строим вообще»: an order before for what is denied here is taken back; which of several, asks."""
    ordered: dict[str, list[tuple[int, list[Output], Reading]]] = {}
    for match, made in outputs:
        for reading in readings(made):
            if reading.command["type"] in ("build", "hire", "hire_mercenary"):
                named = str(reading.command.get("building") or reading.command.get("unit"))
                ordered.setdefault(named, []).append((match.last, made, reading))
    for inside in context.by_sentence.values():
        for n, atom in enumerate(inside):
            if not atom.negated or not atom.has("building", "unit", "squad") or atom.has(ASIDE):
                continue
            close = inside[max(0, n - 6) : n + 7]
            if not any(a.negated and a.has("build", "hire", "sell", "upgrade") and abs(a.first - atom.first) < 6 for a in close):
                continue
            values = {str(s.value[0] if s.kind == "squad" else s.value) for s in atom.all("building", "unit", "squad")}
            cities = {s.value for a in close if a.negated for s in a.all("city")}
            before = [
                (made, r)
                for value in values
                for last, made, r in ordered.get(value, ())
                if last <= atom.first and r in made and (not cities or r.command.get("city") in cities)
            ][-_MOST_DENIED:]
            for made, reading in before:
                if len(before) == 1:
                    made.remove(reading)
                else:
                    made[made.index(reading)] = replace(reading, certain=False, note=tables()["asks"]["withdrawn"])


def unwanted(context: Context, outputs: Outputs) -> Outputs:
    """«союз не надо», «барак в столице не нужен»: what a denial stands right behind is no order."""
    words = tables()["denials"]
    ends, always = phrases_of(words["behind"]), phrases_of(words["always"])
    ahead = tuple(tuple(phrase.split()) for phrase in words["ahead"])
    tokens = context.layout.tokens
    spared: set[int] = set()

    def forbidden(match: Match) -> bool:
        before = tuple(t.norm for t in tokens[max(0, match.first - 3) : match.first])
        return match.frame.id in words["ahead_of"] and any(before[-len(p) :] == p for p in ahead)

    for match, made in outputs:
        cities = [a for a in match.atoms if a.has("city")]
        if len(cities) > 1 and starts_with(tokens, match.last, len(tokens), ends) and tokens[cities[-1].first - 1].norm == ",":
            denied_one = {s.value for s in cities[-1].all("city")}  # «Сады лучше в Эльвендар, Ручью не надо»
            made[:] = [o for o in made if not (isinstance(o, Reading) and o.command.get("city") in denied_one)]
            spared.add(id(match))
    return [
        (match, made)
        for match, made in outputs
        if id(match) in spared
        or (
            not starts_with(tokens, match.last, len(tokens), always)
            and not forbidden(match)
            and (match.frame.id in words["allowed_in"] or not starts_with(tokens, match.last, len(tokens), ends))
        )
    ]
