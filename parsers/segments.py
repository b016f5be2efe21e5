"""Cuts the atoms of a post into stretches, each one command of some frame, so that the whole makes the best sense.

A dynamic programme over the atoms: every stretch gets the score of the best frame that can hold it, less what it costs to reach
over full stops, line ends and unknown words; the best sum wins. Linear: a stretch has at most `WINDOW` atoms.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from parsers.atoms import Atom
from parsers.frames import Fill, Frame, Match
from parsers.russian import closed_class
from parsers.structure import Layout
from parsers.tokens import Kind
from parsers.types import Span

WINDOW = 22
"""Most atoms of one command."""
MAX_GAP = 3.4
"""A command never reaches over a gap that costs more than this."""
MOST_SKIPPED = 4
"""Parts of names and references that a command may pass over."""
COMMA, AND, SENTENCE, LINE, PARAGRAPH, ITEM, UNKNOWN_WORD, COLON = 0.25, 0.3, 1.1, 0.9, 4.0, 4.0, 0.12, 0.05
_SKIPPABLE = frozenset({"~place", "~person", "~amount", "~same", "~reverse", "~rest", "~all", "~half", "~once_more"})
SKIP_STRONG, SKIP_WEAK = 0.45, 0.0
INHERITED_PARTIAL = -1.2
"""A list that goes on with a mere part of a name is hardly one («Жертва: … да напоит Шпиль»)."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Atoms `first <= i < last` read as one command."""

    first: int
    last: int
    fill: Fill
    score: float


@dataclass(slots=True)
class _State:
    score: float
    frame: Frame | None
    end: int
    """Atom index behind the last stretch."""
    back: _State | None
    stretch: Stretch | None


def gap_costs(layout: Layout, atoms: Sequence[Atom]) -> list[float]:
    """What it costs a command to reach from each atom to the next."""
    out: list[float] = []
    known = closed_class()
    for left, right in itertools.pairwise(atoms):
        cost = 0.0
        words = 0
        previous_line = False
        for i in range(left.last, right.first + 1):
            if i in layout.item_starts:
                cost += ITEM
            if i == right.first:
                break
            token = layout.tokens[i]
            if token.kind is Kind.WORD:
                if token.norm in ("и", "а", "но"):
                    cost += AND
                elif token.norm not in known:
                    words += 1
            elif token.kind is Kind.LINE:
                cost += PARAGRAPH if previous_line else LINE
            elif token.norm in (",", "|"):
                cost += COMMA
            elif token.norm in ":-":
                cost += COLON
            previous_line = token.kind is Kind.LINE
        if layout.sentence_of[left.first] != layout.sentence_of[right.first] and cost < LINE:
            cost += SENTENCE
        out.append(cost + min(1.2, words * UNKNOWN_WORD))
    return out


def segment(
    layout: Layout, atoms: Sequence[Atom], frames: Mapping[str, Sequence[Frame]], strong: frozenset[str], breakers: frozenset[str]
) -> list[Stretch]:
    """The best reading of the atoms. `frames`: by kind of atom, the frames that can hold it. `strong`: kinds of atoms that it
    costs to leave out. `breakers`: kinds that no stretch may hold (signs of correction, negated words)."""
    if not atoms:
        return []
    gaps = gap_costs(layout, atoms)
    ends = _stretches(layout, atoms, frames, gaps, breakers)
    states: list[dict[str, _State]] = [{"": _State(0.0, None, 0, None, None)}]
    for k in range(1, len(atoms) + 1):
        here: dict[str, _State] = {}
        skipped = atoms[k - 1]
        cost = SKIP_STRONG if any(s.kind in strong and not s.partial for s in skipped.senses) else SKIP_WEAK
        for name, state in states[k - 1].items():
            _offer(here, name, _State(state.score - cost, state.frame, state.end, state, None))
        for stretch in ends[k]:
            frame = stretch.fill.frame
            for state in states[stretch.first].values():
                goes_on = state.frame is frame and _within_reach(layout, atoms, state.end, stretch.first, gaps)
                if stretch.fill.inherited and not goes_on:
                    continue
                _offer(here, frame.id, _State(state.score + stretch.score, frame, stretch.last, state, stretch))
        states.append(here)
    best: _State | None = max(states[-1].values(), key=lambda s: s.score)
    out: list[Stretch] = []
    while best is not None:
        if best.stretch is not None:
            out.append(best.stretch)
        best = best.back
    return out[::-1]


def _offer(states: dict[str, _State], name: str, state: _State) -> None:
    old = states.get(name)
    if old is None or state.score > old.score + 1e-9:
        states[name] = state


def _within_reach(layout: Layout, atoms: Sequence[Atom], end: int, first: int, gaps: Sequence[float]) -> bool:
    """True when a list goes on: same sentence, or the next lines of a list that a line with the trigger opened."""
    if end == 0:
        return False
    if layout.sentence_of[atoms[end - 1].first] == layout.sentence_of[atoms[first].first]:
        return True
    return sum(gaps[end - 1 : first]) <= SENTENCE + 0.3


def _stretches(
    layout: Layout,
    atoms: Sequence[Atom],
    frames: Mapping[str, Sequence[Frame]],
    gaps: Sequence[float],
    breakers: frozenset[str],
) -> list[list[Stretch]]:
    """For each position, the stretches that end there: of each beginning the best two frames."""
    ends: list[list[Stretch]] = [[] for _ in range(len(atoms) + 1)]
    latest: dict[Frame, int] = {}
    for begin, end in _runs(gaps, len(atoms)):
        present = frozenset(kind for atom in atoms[begin:end] for kind in atom.kinds)
        likely: dict[Frame, bool] = {}
        for first in range(begin, end):
            for stretch in ends[first]:
                latest[stretch.fill.frame] = first
            atom = atoms[first]
            if atom.negated or not atom.kinds.isdisjoint(breakers):
                continue
            starting: dict[str, Frame] = {}
            for sense in atom.senses:
                for frame in frames.get(sense.kind, ()):
                    starting.setdefault(frame.id, frame)
            found: dict[int, list[Stretch]] = {}
            for frame in starting.values():
                able = likely.get(frame)
                if able is None:
                    able = likely[frame] = frame.possible(present)
                if able:
                    _extend(atoms, first, frame, False, gaps, breakers, found)
                if frame.inherits and frame in latest and _within_reach(layout, atoms, latest[frame], first, gaps):
                    _extend(atoms, first, frame, True, gaps, breakers, found)
            for last, stretches in found.items():
                stretches.sort(key=lambda s: -s.score)
                ends[last].extend(stretches[:4])
    return ends


def _runs(gaps: Sequence[float], size: int) -> Iterator[tuple[int, int]]:
    """The runs of atoms that no command reaches out of."""
    begin = 0
    for at, cost in enumerate(gaps, 1):
        if cost > MAX_GAP:
            yield begin, at
            begin = at
    yield begin, size


def _extend(
    atoms: Sequence[Atom],
    first: int,
    frame: Frame,
    inherited: bool,
    gaps: Sequence[float],
    breakers: frozenset[str],
    found: dict[int, list[Stretch]],
) -> None:
    fill = frame.begin(inherited=inherited)
    cost = 0.0
    skipped = 0
    scores: list[tuple[int, float]] = []
    for last in range(first, min(len(atoms), first + WINDOW)):
        atom = atoms[last]
        if last > first:
            cost += gaps[last - 1]
            if gaps[last - 1] > MAX_GAP:
                break
        if atom.negated or not atom.kinds.isdisjoint(breakers):
            break
        if inherited and atom.has(*frame.triggers):
            break
        size = len(fill.atoms)
        if not fill.feed(atom):
            if last == first or not all(s.partial or s.kind in _SKIPPABLE for s in atom.senses):
                break
            skipped += 1
            if skipped > MOST_SKIPPED:
                break
            cost += 0.3
            continue
        if len(fill.atoms) == size:
            continue
        score = fill.score()
        if score is not None:
            total = score - cost
            if inherited and any(v[0].sense.partial for v in fill.slots.values()):
                total += INHERITED_PARTIAL
            if total > 0:
                scores.append((last + 1, total))
    for last, total in scores:
        fresh = frame.begin(inherited=inherited)
        found.setdefault(last, []).append(Stretch(first, last, fresh, total))


def materialise(layout: Layout, atoms: Sequence[Atom], stretch: Stretch, corrections: Sequence[int]) -> Match:
    """Fills the frame of a chosen stretch again, and gives the match. `corrections`: tokens where a correction begins."""
    fill = stretch.fill
    for atom in atoms[stretch.first : stretch.last]:
        fill.feed(atom)
    first = fill.atoms[0].first
    last = fill.atoms[-1].last
    span = Span(min(a.span.start for a in fill.atoms), max(a.span.end for a in fill.atoms))
    sentence = layout.sentence_of[first]
    item = layout.sentences[sentence].item if sentence >= 0 else ""
    correcting = any(c <= first for c in corrections)
    return Match(
        fill.frame,
        tuple(fill.atoms),
        tuple(fill.triggers),
        {k: tuple(v) for k, v in fill.slots.items()},
        fill.inherited,
        span,
        first,
        last,
        sentence,
        item,
        correcting,
    )
