"""Where orders end: what stands in another sentence belongs to another order, but for headings («Лориэн.»)."""

from __future__ import annotations

from dataclasses import replace

from parsers.atoms import Atom
from parsers.frames import Fill, Frame
from parsers.russian import closed_class
from parsers.structure import Layout
from parsers.tokens import Kind
from rules.grand_strategy.language.names import tables


def stamped(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """Notes with each atom its sentence, how many atoms that has, whether it is nothing but atoms (`bare`), and a heading
    besides («Лориэн.»): no order by itself."""
    bare: dict[int, bool] = {}
    heads: dict[int, bool] = {}
    counts: dict[int, int] = {}
    opening: dict[int, int] = {}
    spoken: dict[int, set[int]] = {}
    for atom in atoms:
        spoken.setdefault(layout.sentence_of[atom.first], set()).update(range(atom.first, atom.last))
    for atom in atoms:
        index = layout.sentence_of[atom.first]
        if index not in bare:
            sentence = layout.sentences[index]
            words = {
                i
                for i in range(sentence.first, sentence.last)
                if layout.tokens[i].kind is Kind.WORD and layout.tokens[i].norm not in closed_class() | FILLERS
            }
            inside = [a for a in atoms if layout.sentence_of[a.first] == index]
            counts[index] = len(inside)
            opening[index] = next((a.first for a in inside if _weighty(a)), -1)
            bare[index] = words <= spoken[index] and len(words) <= _HEADING
            ways = [a for a in inside if a.has("cell", "path", "coins")]
            heads[index] = bare[index] and not (ways and (len(inside) > 1 or ways[0].prep))
        atom.data["sentence"] = _stop_of(layout, index)
        atom.data["bare"] = bare[index]
        atom.data["heading"] = heads[index]
        atom.data["beside"] = counts[index]
        atom.data["opens"] = atom.first == opening[index]
    return atoms


_GO_ON = frozenset({"move", "cast", "build"})
"""Orders whose second sentence may tell their place or target."""
_WEIGHTY = frozenset(
    {
        *("cell", "path", "unit", "utype", "personal", "player", "house", "btype", "spell", "coins", "cards", "level"),
        *("garrison", "province"),
    }
)


def _weighty(atom: Atom) -> bool:
    return not atom.kinds.isdisjoint(_WEIGHTY)


def _stop_of(layout: Layout, index: int) -> int:
    """The first of the sentences that no full stop parts from this one: line ends alone part little."""
    while index > 0:
        before = layout.sentences[index - 1]
        ends = layout.tokens[before.last - 1]
        if (ends.kind is Kind.SIGN and ends.norm in _STOPS) or layout.sentences[index].line == before.line:
            break
        if ends.kind is not Kind.SIGN:
            break
        index -= 1
    return index


FILLERS = frozenset(tables()["fillers"]["words"])
"""Words without meaning in a short sentence."""
_HEADING = 4
"""Words of a heading at most."""
_STOPS = frozenset(".!?…")


def over_a_stop(fill: Fill) -> bool:
    """True where the atoms stand in sentences more than one of which says more than the atoms do."""
    atoms = fill.atoms
    if atoms[0].data.get("sentence") == atoms[-1].data.get("sentence"):
        return False
    home = (fill.triggers or atoms)[-1].data.get("sentence")
    if any(a.data.get("sentence") != home and all(s.kind.startswith("~") for s in a.senses) for a in atoms):
        return True
    told: dict[int, int] = {}
    for atom in atoms:
        told[atom.data["sentence"]] = told.get(atom.data["sentence"], 0) + 1
    headings: set[int] = {a.data["sentence"] for a in atoms if a.data["heading"] and told[a.data["sentence"]] == a.data["beside"]}
    telling = told.keys() - headings
    if len(telling) == 1 and home not in telling:
        # the other sentence must begin with what is taken of it: «Туман сна. Цель: R1 (Ж7), …»
        return fill.frame.id not in _GO_ON or not any(a.data["opens"] for a in atoms if a.data["sentence"] in telling)
    return len(telling) > 1


def within_a_sentence(frame: Frame) -> Frame:
    """The frame, deaf to what another sentence says."""
    score = frame.score

    def guarded(fill: Fill) -> float | None:
        if over_a_stop(fill):
            return None
        return score(fill) if score is not None else 0.0

    return replace(frame, score=guarded)
