"""What belongs together: an order hardly reaches over a full stop, unless a heading stands before it («Ормис. Барак.»)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parsers.atoms import Atom
from parsers.frames import Fill, Frame
from parsers.retractions import doubting
from parsers.russian import Verb
from parsers.structure import Layout
from parsers.tokens import Kind

FREE = frozenset({"deploy", "set_garrison_deployment", "restart", "pass", "last_turn"})
"""Frames whose sentences are put together later anyhow, or that have but one word."""
TORN = 3.0
"""What it costs an order to reach from a sentence that says more than a heading into the next."""
_SENTENCE, HEADING, BEFORE, AFTER, LEAD = "sentence", "heading", "before", "after", "lead"
_NOTHING = frozenset(doubting()["nothing"]["behind"])
_BLANK = frozenset(doubting()["nothing"]["blank"])
OBJECT = "object"
"""Key of the data: a place right behind a verb that wants one («прикрывает левый арьергард»)."""
_TAKING = ("m_defend", "m_bombard")
_SPARE = 1
"""So many words besides its atoms a heading may have («В столице:»)."""


def with_sentences(layout: Layout, atoms: Sequence[Atom]) -> list[Atom]:
    """The atoms with the sentence they stand in, and whether that is but a heading."""
    inside: dict[int, int] = {}
    telling: dict[int, int] = {}
    counts: dict[int, int] = {}
    for atom in atoms:
        index = layout.sentence_of[atom.first]
        counts[index] = counts.get(index, 0) + 1
        telling[index] = telling.get(index, 0) + (atom.verb is not Verb.NONE)
        inside[index] = inside.get(index, 0) + sum(t.kind is not Kind.SIGN for t in layout.tokens[atom.first : atom.last])
    heads: dict[int, bool] = {}
    at_end = {a.last: a for a in atoms}
    for index, held in inside.items():
        sentence = layout.sentences[index]
        words = [t for t in layout.tokens[sentence.first : sentence.last] if t.kind is Kind.WORD or t.kind is Kind.NUMBER]
        prepositions = sum(t.kind is Kind.WORD and len(t.norm) <= 2 for t in words)
        says = telling[index] and counts[index] > 1  # «Армия обороняет Шиповник.» is no heading, «Строим.» is
        brief = not says and len(words) <= min(held + prepositions + _SPARE, 5)
        heads[index] = brief or layout.tokens[sentence.last - 1].norm == ":"
    out = []
    for atom in atoms:
        index = layout.sentence_of[atom.first]
        before = layout.tokens[atom.first - 1].norm if atom.first else ""
        after = layout.tokens[atom.last].norm if atom.last < len(layout.tokens) else ""
        if atom.has("city", "building") and (after in _NOTHING or _left_blank(layout, atom)):
            atom = replace(atom, negated=True)  # «в Шиповнике ничего»
        near = at_end.get(atom.first)
        object_ = near is not None and near.verb is not Verb.NONE and near.has(*_TAKING) and not atom.prep
        lead = layout.tokens[atom.first - 2].norm if atom.first > 1 and before == atom.prep else before
        out.append(
            replace(
                atom,
                data={
                    **atom.data,
                    _SENTENCE: index,
                    HEADING: heads.get(index, False),
                    BEFORE: before,
                    AFTER: after,
                    LEAD: lead,
                    OBJECT: object_,
                },
            )
        )
    return out


def _left_blank(layout: Layout, atom: Atom) -> bool:
    """«Белый Брод: -»: nothing is wanted there."""
    line = layout.lines[layout.sentences[layout.sentence_of[atom.first]].line]
    rest = [t.norm for t in layout.tokens[atom.last : line.last]]
    if len(rest) > 2 and rest[0] == "(" and rest[1] in _BLANK and rest[2] == ")":
        return True  # «Ормис (барак), Хольмгард (-)»
    return len(rest) in (2, 3) and rest[0] in {":", "-", "="} and all(w in _BLANK for w in rest[1:])


def cohesive(frame: Frame) -> Frame:
    """The frame, held together."""
    if frame.id in FREE:
        return frame
    own = frame.score

    def score(fill: Fill) -> float | None:
        value = own(fill) if own is not None else 0.0
        if value is None:
            return None
        last = fill.atoms[-1].data.get(_SENTENCE)
        if fill.atoms[0].data.get(_SENTENCE) == last:
            return value
        opened = fill.atoms[-1].data.get(AFTER) == ":" and fill.atoms[-2].data.get(_SENTENCE) != last  # the next heading
        torn = opened or any(a.data.get(_SENTENCE) != last and not a.data.get(HEADING) for a in fill.atoms)
        return value - TORN if torn else value

    return replace(frame, score=score)
