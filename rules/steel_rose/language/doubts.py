"""The last look of all: what was left over. An order asks that has more beside it than was understood; so does a thing of the
game that no order took, unless the words around it tell a story."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from parsers import typos
from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Frame, Match, Output
from parsers.reading_atoms import PREPOSITIONS
from parsers.retractions import doubting
from parsers.russian import Verb, closed_class, info
from parsers.structure import Status, inside
from parsers.tokens import Kind
from parsers.types import Problem, Reading, Severity, Span
from rules.steel_rose.data import game_data
from rules.steel_rose.language.cities import atoms_between
from rules.steel_rose.language.cohesion import AFTER, HEADING
from rules.steel_rose.language.names import CULT, tables
from rules.steel_rose.language.outcome import Outputs, readings
from rules.steel_rose.language.parts import parts_of
from rules.steel_rose.language.references import ASIDE
from rules.steel_rose.language.senses import unit_of, value_of

_ORDERING = frozenset({Verb.ORDER, Verb.INFINITIVE, Verb.IMPERATIVE})
_TELLING = frozenset({Verb.PAST, Verb.THIRD, Verb.SECOND})
_THINGS = ("city", "building", "unit", "squad", "spell", "ritual", "cell", "road", "mobile", "army")
"""Kinds whose being left over beside an order casts doubt on it."""
_FREE = frozenset({"deploy", "set_garrison_deployment", "pass", "restart", "last_turn"})
_LET = frozenset(doubting()["let"]["whole"])
_REACH = 40
"""So many tokens on either side of a thing are looked at."""
_NEAR = 4
"""So many words on either side of an order are looked at."""
_SHORT = 3
"""Words of a part that names an army and says nothing that is known."""
_LONGEST = 9
"""A clause of more words that hold no order is a story."""


def doubted(context: Context, outputs: Outputs, used: frozenset[int]) -> None:
    """Makes readings ask that have a verb, a denial or a thing beside them which no order took. `used`: tokens of all orders."""
    search = _Strangers(context, used)
    for match, made in outputs:
        if match.frame.id in _FREE or not any(r.certain for r in readings(made)):
            continue
        strange = search.beside(match)
        if strange is not None:
            note = tables()["asks"]["left_over"].format(text=strange)
            made[:] = [replace(o, certain=False, note=note) if isinstance(o, Reading) and o.certain else o for o in made]


class _Strangers:
    """What stands beside an order and no order took."""

    def __init__(self, context: Context, used: frozenset[int]) -> None:
        table = tables()["neutral"]
        self.layout, self.used, self.parts = context.layout, used, parts_of(context)
        self.left = {i: a for a in context.atoms if a.first not in used and not a.has(ASIDE) for i in range(a.first, a.last)}
        self.neutral = frozenset((*table["words"], *table["beside_orders"]))
        self.denials = frozenset(table["denials"])
        self.won = tuple(tables()["keeps"]["stems"])

    def beside(self, match: Match) -> str | None:
        """The first strange word inside a match or near it in its clauses; None: everything was understood."""
        for first, last in self.parts.around(match.atoms):
            mine = [a for a in match.atoms if first <= a.first < last]
            start, end = mine[0].first, mine[-1].last
            while start > max(first, mine[0].first - _NEAR) and start - 1 not in self.used:
                start -= 1
            while end < min(last, mine[-1].last + _NEAR) and end not in self.used:
                end += 1
            for i in range(start, end):
                if i not in self.used and self._strange(i, match):
                    return self.left[i].text if i in self.left else str(self.layout.tokens[i].norm)
        return None

    def _strange(self, i: int, match: Match) -> bool:
        token = self.layout.tokens[i]
        norm = token.norm
        if token.kind is not Kind.WORD or self.layout.status[i] is not Status.LIVE or norm in self.neutral:
            return False
        atom = self.left.get(i)
        own = frozenset(match.frame.triggers) | match.frame.noise
        if atom is not None and not atom.kinds.isdisjoint(own):
            return False  # a word of this very order, though it did not need it
        wondered = info(self.layout.tokens[i - 1].norm).lemmas & {"какой"} if i else None  # «ой, какую рощу»
        if atom is not None and atom.has(*_THINGS) and not atom.senses[0].partial and not atom.negated and not wondered:
            return True
        if norm in self.denials or (atom is not None and atom.has("~withdraw") and not atom.negated):
            return True
        if atom is not None and atom.has("number") and i and self.layout.tokens[i - 1].norm == "еще":
            return True  # «волков десять и ещё два»
        if atom is not None and not match.triggers and atom.verb is not Verb.NONE and not atom.negated:
            return True  # «двое лучников пусть идут …»: another verb than that of the order
        if norm in closed_class() or norm.startswith(self.won):
            return False
        return info(norm).verb in _ORDERING and (atom is None or atom.senses[0].quality >= typos.CERTAIN)


def lost(context: Context, outputs: Outputs, used: frozenset[int], frame: Frame) -> Outputs:
    """Questions about things of the game that no order took, where the words around them tell no story."""
    layout = context.layout
    parts = parts_of(context)
    problems = [o for _, made in outputs for o in made if isinstance(o, Problem) or not o.certain]
    covered = [o.span for o in problems if o.span is not None]
    asked: set[int] = set()
    out: Outputs = []
    for atom in context.atoms:
        k = parts.of.get(atom.first, -1)
        if k < 0 or k in asked or atom.first in used:
            continue
        blind = _misspelt_alone(atom, context, *parts.spans[k])
        if not blind and not _matters(atom, context.view.faction):
            continue
        first, last = parts.spans[k]
        live = all(layout.status[i] is Status.LIVE for i in range(atom.first, atom.last))
        if not live or inside(layout.italic, atom.span.start):
            continue
        if any(c.touches(atom.span) for c in covered) or not (blind or _ordered(context, atom, first, last, used)):
            continue
        asked.add(k)
        span = Span(layout.tokens[first].start, layout.tokens[last - 1].end)
        match = Match(frame, (atom,), (), {}, False, span, first, last, layout.sentence_of[atom.first], "")
        text = tables()["asks"]["lost"].format(text=" ".join(context.text(span).split())[:120])
        made: list[Output] = [context.problem(match, "ambiguous", text, severity=Severity.QUESTION, draft={})]
        out.append((match, made))
    return sorted([*outputs, *out], key=lambda item: item[0].first)


def _around(context: Context, atom: Atom) -> Sequence[Atom]:
    """The atoms near an atom in its sentence."""
    index = context.layout.sentence_of[atom.first]
    close = atoms_between(context, atom.first - _REACH, atom.first + _REACH)
    return [a for a in close if context.layout.sentence_of[a.first] == index]


def _misspelt_alone(atom: Atom, context: Context, first: int, last: int) -> bool:
    """«быкоф тры!»: a unit of one's own, misspelt, in a part of its own beside one word that nobody knows."""
    unit = unit_of(atom)
    known = game_data().units.get(unit) if unit is not None else None
    best = atom.senses[0]
    if known is None or known.faction != context.view.faction or atom.negated or best.partial or best.quality >= typos.CERTAIN:
        return False
    words = [t for t in context.layout.tokens[first:last] if t.kind is Kind.WORD]
    return len(words) == atom.last - atom.first + 1 and all(info(t.norm).verb is Verb.NONE for t in words)


def _matters(atom: Atom, me: str | None) -> bool:
    if atom.negated or atom.has(ASIDE):
        return False
    best = atom.senses[0]
    if best.partial or best.quality < typos.CERTAIN:
        return False
    unit = unit_of(atom)
    if unit is not None:
        known = game_data().units.get(unit)
        return known is not None and known.faction == me
    if atom.has("building"):
        return str(value_of(atom, "building")) in game_data().buildings.get(me or "", {})
    if atom.has("planning"):
        return atom.data.get(AFTER) != ":" and not atom.data.get(HEADING)
    if (atom.has("powder") and me == "principality") or atom.has("army", "armyword"):
        return True
    return atom.has("ritual") if me == CULT else atom.has("spell") if me == "elves" else atom.has("road")


def _ordered(context: Context, atom: Atom, first: int, last: int, used: frozenset[int]) -> bool:
    """True when the clause orders or lists: it has a verb of order, or hardly anything but its things."""
    layout = context.layout
    around = _around(context, atom)
    taken = {i for a in around if first <= a.first < last for i in range(a.first, a.last)}
    words = [
        (i, t) for i, t in enumerate(layout.tokens[first:last], first) if t.kind is Kind.WORD and t.norm not in closed_class()
    ]
    verbs = [info(t.norm).verb for _, t in words]
    let = any(t.norm in _LET for t in layout.tokens[first:last])
    let = let or any(a.norm == "да" and info(b.norm).verb is Verb.THIRD for a, b in pairwise(layout.tokens[first:last]))
    if not let and any(v in _TELLING for v in verbs):
        return False
    direct = atom.has("squad") or not atom.cases or bool(atom.cases & {"nomn", "accs", "gent"}) or atom.prep == "по"
    if any(v in _ORDERING for v in verbs) or let:
        return direct
    if atom.has("army", "armyword") and not atom.has("deployword"):
        sent = any(t.norm in PREPOSITIONS for t in layout.tokens[atom.last : last])  # «армию на отдых»
        return sent and not any(v is not Verb.NONE for v in verbs) and 1 < len(words) <= _SHORT
    strangers = sum(i not in taken for i, _ in words)
    if atom.has("squad"):
        return strangers <= 2 and len(words) <= _LONGEST
    used_near = any(a.first in used for a in around if a.has("squad", "building"))
    most = 2 if used_near and atom.has("unit") else 1  # «10 копейщиков, лучников вполовину меньше»
    return strangers <= most and direct and atom.prep in ("", "по") and len(words) <= 4
