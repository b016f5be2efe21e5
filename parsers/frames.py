"""Frames: how one command is said. A frame has triggers (kinds of words that call for it) and typed slots.

A frame reads a stretch of atoms in any order: `Frame.begin()` gives a `Fill` that is fed atom by atom, can say at any point how
good the stretch is as this command, and finally makes the command. Simple commands need no code; a `make` function turns the
filled slots into commands or problems where more is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers import typos
from parsers.atoms import Atom, Sense
from parsers.types import Choice, Problem, Reading, Severity, Span

if TYPE_CHECKING:
    from parsers.context import Context

# What a stretch of atoms is worth as a reading. One place, so that languages can reason about it.
TRIGGER = 2.0
REQUIRED = 2.0
OPTIONAL = 1.2
FURTHER_VALUE = 0.9
SECOND_TRIGGER = 0.3
PARTIAL_NAME = -0.5
PREPOSITION_FITS = 0.4
PREPOSITION_MISSES = -0.4
CASE_FITS = 0.3
MISSING = -2.2
NOISE = -0.15
BASE = -0.6

Output = Reading | Problem
Maker = Callable[["Match", "Context"], Iterable[Output]]


@dataclass(frozen=True, slots=True)
class Missing:
    """What is said when a required slot is empty."""

    code: str
    message: str
    """Russian sentence."""
    severity: Severity = Severity.QUESTION


@dataclass(frozen=True, slots=True)
class Slot:
    """One field of a command."""

    name: str
    kinds: tuple[str, ...]
    """Kinds of atoms it takes, the likeliest first."""
    required: bool = False
    many: bool = False
    """Takes several values. With `Frame.each` they make a command each."""
    preps: frozenset[str] = frozenset()
    """Prepositions it likes («в», «на»); `-` for none."""
    cases: frozenset[str] = frozenset()
    """Cases it likes (`datv`)."""
    strict: bool = False
    """Takes nothing that its prepositions or cases don't fit."""
    refs: tuple[str, ...] = ()
    """Kinds of references it takes (`~place`, `~person`, `~amount`): the last value of its kinds named before."""
    missing: Missing | None = None
    weight: float = 1.0

    def fits(self, atom: Atom, sense: Sense) -> float | None:
        """How well the atom fits beyond its kind; None: not at all."""
        score = 0.0
        if self.preps:
            prep = atom.prep or "-"
            good = prep in self.preps
            if self.strict and not good:
                return None
            score += PREPOSITION_FITS if good else PREPOSITION_MISSES
        if self.cases:
            good = bool(atom.cases & self.cases) or not atom.cases
            if self.strict and not good:
                return None
            score += CASE_FITS if good else -CASE_FITS
        if sense.partial:
            score += PARTIAL_NAME
        if sense.quality < typos.CERTAIN:
            score -= 1.0 - sense.quality
        return score


@dataclass(frozen=True, slots=True)
class Filled:
    """A slot's value as found."""

    atom: Atom
    senses: tuple[Sense, ...]
    """Best first; more than one: ambiguous."""
    ref: bool = False
    """A reference («туда же»)."""

    @property
    def value(self) -> Any:
        """The best value."""
        return self.senses[0].value

    @property
    def sense(self) -> Sense:
        """The best sense."""
        return self.senses[0]


def candidates(atom: Atom, kinds: Sequence[str]) -> tuple[Sense, ...]:
    """The senses of an atom for these kinds that are nearly equally good; whole names beat parts of names."""
    kinds = tuple(kinds)
    if atom.kinds.isdisjoint(kinds):
        return ()
    known = atom.memo.get(kinds)
    if known is None:
        known = atom.memo[kinds] = _candidates(atom, kinds)
    return known


def _candidates(atom: Atom, kinds: tuple[str, ...]) -> tuple[Sense, ...]:
    found = atom.all(*kinds)
    whole = [s for s in found if not s.partial] or found
    best = max(s.quality for s in whole)
    near = [s for s in whole if s.quality >= best - typos.AMBIGUITY_MARGIN]
    seen: dict[tuple[str, str], Sense] = {}
    order = {kind: n for n, kind in enumerate(kinds)}
    for sense in sorted(near, key=lambda s: order[s.kind]):
        seen.setdefault((sense.kind, repr(sense.value)), sense)
    first_kind = next(iter(seen.values())).kind
    return tuple(s for s in seen.values() if s.kind == first_kind)


@dataclass(frozen=True, eq=False)
class Frame:
    """How one command is said."""

    id: str
    """The command's `type` for frames without `make`; else any name."""
    triggers: tuple[str, ...] = ()
    """Kinds of words any of which calls for this command."""
    slots: tuple[Slot, ...] = ()
    bare: tuple[frozenset[str], ...] = ()
    """Sets of slots which, all filled, do without a trigger («011, 11э, лучники 5 …»)."""
    bare_partial: bool = False
    """Parts of names («Прииск») do for `bare` too."""
    inherits: bool = True
    """A following part of the list may leave the trigger out («копы х8, луки х4»)."""
    each: str = ""
    """Slot with `many` whose values make a command each."""
    noise: frozenset[str] = frozenset()
    """Kinds it may hold without meaning («мир», «владыка»)."""
    asides: frozenset[str] = frozenset()
    """Prepositions behind which it is only said what the order is for («6 монет за молчание», «5э на пиво»)."""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the command that are always so."""
    make: Maker | None = None
    weight: float = 0.0
    """Added to the score, to prefer a frame among equals."""
    incomplete: bool = True
    """With a trigger but without a required slot it is a problem (False: no order at all)."""
    alone: tuple[str, ...] = ()
    """Triggers so clear that even alone they are an incomplete order («голосую за Пельмень»); others need a slot."""
    at_most: Mapping[str, int] = field(default_factory=dict)
    """For slots with `many`: how many values."""
    score: Callable[[Fill], float | None] | None = None
    """Adds to the score of a stretch; None: it is no such command."""
    key: Callable[[Mapping[str, Any]], Any] | None = None
    """What a correction replaces: commands with an equal key. Default: the type."""

    def kinds(self) -> frozenset[str]:
        """All kinds of atoms it takes."""
        out = set(self.triggers) | set(self.noise)
        for slot in self.slots:
            out.update(slot.kinds)
            out.update(slot.refs)
        return frozenset(out)

    @cached_property
    def wanted(self) -> frozenset[str]:
        """Slots that must be filled."""
        return frozenset(s.name for s in self.slots if s.required)

    @cached_property
    def _ways(self) -> tuple[tuple[frozenset[str], ...], ...]:
        """For each way to call for the frame, the kinds one of each of which it needs."""
        by_name: dict[str, set[str]] = {}
        for slot in self.slots:
            by_name.setdefault(slot.name, set()).update(slot.kinds, slot.refs)
        bare = tuple(tuple(frozenset(by_name.get(n, ())) for n in sorted(names)) for names in self.bare)
        return ((frozenset(self.triggers),), *bare)

    def possible(self, present: frozenset[str]) -> bool:
        """False where no atoms of these kinds can make the command, unless it goes on from one before."""
        return any(all(not kinds.isdisjoint(present) for kinds in way) for way in self._ways)

    def begin(self, *, inherited: bool = False) -> Fill:
        """An empty fill."""
        return Fill(self, inherited)


Suitability = tuple[bool, bool, tuple[tuple[Slot, tuple[Sense, ...], bool, float], ...]]
"""Whether an atom is a trigger of a frame, whether it is noise in it, and the slots that could take it: with which senses, as a
reference, and how well it fits."""


def suitability(frame: Frame, atom: Atom) -> Suitability:
    """How an atom suits a frame, whatever is filled already. Kept with the atom: a frame meets it once for each beginning."""
    offers = []
    kinds = atom.kinds
    for slot in frame.slots:
        ref = False
        if not kinds.isdisjoint(slot.kinds):
            senses = candidates(atom, slot.kinds)
        elif slot.refs and not kinds.isdisjoint(slot.refs):
            senses = candidates(atom, slot.refs)
            ref = True
        else:
            continue
        fit = slot.fits(atom, senses[0])
        if fit is not None:
            offers.append((slot, senses, ref, fit))
    return atom.has(*frame.triggers), atom.has(*frame.noise), tuple(offers)


class Fill:
    """A frame being filled, atom by atom."""

    __slots__ = ("atoms", "frame", "inherited", "noise", "slots", "triggers", "value")

    def __init__(self, frame: Frame, inherited: bool) -> None:
        self.frame = frame
        self.inherited = inherited
        self.atoms: list[Atom] = []
        self.triggers: list[Atom] = []
        self.slots: dict[str, list[Filled]] = {}
        self.noise = 0
        self.value = BASE + frame.weight

    def feed(self, atom: Atom) -> bool:
        """Takes the next atom. False: this frame can't hold it."""
        frame = self.frame
        suits = atom.suits.get(id(frame))
        if suits is None:
            suits = atom.suits[id(frame)] = suitability(frame, atom)
        is_trigger, is_noise, offers = suits
        best: tuple[float, Slot, tuple[Sense, ...], bool] | None = None
        for slot, senses, ref, fit in offers:
            filled = self.slots.get(slot.name)
            if filled and (not slot.many or len(filled) >= frame.at_most.get(slot.name, 40)):
                continue
            worth = (FURTHER_VALUE if filled else REQUIRED if slot.required else OPTIONAL) * slot.weight + fit
            if best is None or worth > best[0]:
                best = (worth, slot, senses, ref)
        if best is not None and best[2][0].partial and (is_trigger or is_noise):
            best = None  # a word of its own is no part of somebody's name
        if is_trigger and (best is None or not self.triggers):
            self.value += TRIGGER if not self.triggers else SECOND_TRIGGER
            quality = max(s.quality for s in atom.all(*frame.triggers))
            if quality < typos.CERTAIN:
                self.value -= 1.0 - quality
            self.triggers.append(atom)
            self.atoms.append(atom)
            return len(self.triggers) <= 3
        if best is not None:
            worth, slot, senses, ref = best
            self.slots.setdefault(slot.name, []).append(Filled(atom, senses, ref))
            self.atoms.append(atom)
            self.value += worth
            return True
        if is_noise:
            self.value += NOISE
            self.noise += 1
            self.atoms.append(atom)
            return True
        return False

    def missing(self) -> list[Slot]:
        """Required slots that are empty."""
        if self.frame.wanted <= self.slots.keys():
            return []
        return [s for s in self.frame.slots if s.required and s.name not in self.slots]

    def has(self, *names: str) -> bool:
        """True when all these slots are filled."""
        return all(n in self.slots for n in names)

    def _named(self, names: Iterable[str]) -> bool:
        """True when these slots are filled, by whole names unless the frame takes parts."""
        return all(
            n in self.slots and (self.frame.bare_partial or any(not f.sense.partial for f in self.slots[n])) for n in names
        )

    def score(self) -> float | None:
        """How good the atoms so far are as this command; None: not this command."""
        frame = self.frame
        value = self.value
        called = bool(self.triggers)
        if not called and not self.inherited and not any(self._named(names) for names in frame.bare):
            return None
        lacking = self.missing()
        if lacking:
            alone = any(a.has(*frame.alone) for a in self.triggers)
            if not called or not frame.incomplete or not (self.slots or alone):
                return None
            value += MISSING * len(lacking)
            value = max(value, 0.15)
        if frame.score is not None:
            extra = frame.score(self)
            if extra is None:
                return None
            value += extra
        return min(value, 0.15) if lacking and not self.slots else value


@dataclass(frozen=True)
class Match:
    """A stretch of the post read as a frame."""

    frame: Frame
    atoms: tuple[Atom, ...]
    triggers: tuple[Atom, ...]
    slots: Mapping[str, tuple[Filled, ...]]
    inherited: bool
    span: Span
    first: int
    """Index of its first token."""
    last: int
    sentence: int
    item: str
    """Number of the list item it stands in."""
    correcting: bool = False
    """Stands behind a sign of correction."""

    def first_of(self, name: str) -> Filled | None:
        """The first value of a slot."""
        values = self.slots.get(name)
        return values[0] if values else None

    def value(self, name: str, default: Any = None) -> Any:
        """The first value of a slot, or the default."""
        filled = self.first_of(name)
        return default if filled is None else filled.value

    def notes(self) -> list[str]:
        """Why it is uncertain, if it is."""
        out: list[str] = []
        for atom in self.triggers:
            sense = atom.get(*self.frame.triggers)
            if sense is not None and sense.note and sense.quality < typos.CERTAIN:
                out.append(sense.note)
        for values in self.slots.values():
            for filled in values:
                if filled.sense.note and filled.sense.quality < typos.CERTAIN:
                    out.append(filled.sense.note)
        return list(dict.fromkeys(out))


def make_simple(match: Match, context: Context) -> Iterable[Output]:
    """Makes the command of a frame that has no `make` of its own: `type`, the fixed fields, the slots."""
    frame = match.frame
    problem = missing_problem(match, context) or ambiguous_problem(match, context)
    if problem is not None:
        return [problem]
    fields: dict[str, Any] = {"type": frame.id, **frame.fixed}
    spans: dict[str, Span] = {}
    notes = match.notes()
    for slot in frame.slots:
        values = match.slots.get(slot.name, ())
        if not values or slot.name == frame.each:
            continue
        got: list[Any] = []
        for filled in values:
            value = context.resolve(filled, slot)
            if value is None:
                return [
                    context.problem(match, "ambiguous", f"Непонятно, к чему относится «{filled.atom.text}».", filled.atom.span)
                ]
            got.append(value)
        fields[slot.name] = got if slot.many else got[0]
        spans[slot.name] = values[0].atom.span
    if not frame.each:
        return [context.reading(match, fields, notes=notes, fields=spans)]
    out: list[Output] = []
    start = match.span.start
    for filled in match.slots.get(frame.each, ()):
        slot = next(s for s in frame.slots if s.name == frame.each)
        value = context.resolve(filled, slot)
        span = Span(min(start, filled.atom.span.start), max(filled.atom.span.end, start))
        out.append(
            context.reading(
                match, {**fields, frame.each: value}, notes=notes, fields={**spans, frame.each: filled.atom.span}, span=span
            )
        )
        start = filled.atom.span.end
    if len(out) > 1:
        last = out[-1]
        assert isinstance(last, Reading)
        out[-1] = context.widened(last, Span(last.span.start, match.span.end))
    return out


def missing_problem(match: Match, context: Context) -> Problem | None:
    """The problem of the first empty required slot."""
    for slot in match.frame.slots:
        if slot.required and not match.slots.get(slot.name):
            lack = slot.missing or Missing("ambiguous", "Приказ неполон: уточните.")
            return context.problem(match, lack.code, lack.message, match.span, severity=lack.severity)
    return None


def ambiguous_problem(match: Match, context: Context, code: str = "") -> Problem | None:
    """The question of the first slot whose value is not unique."""
    for slot in match.frame.slots:
        for filled in match.slots.get(slot.name, ()):
            if len(filled.senses) > 1:
                return context.which(match, slot.name, filled, code)
    return None


def choice(text: str, command: Mapping[str, Any] | None = None) -> Choice:
    """One possible answer to a question."""
    return Choice(text, command)
