"""What no list of words can hold: cells («Г7», «8г», «Г-7», Latin look-alikes, R18), ids of troops, numbers of spells.

Works on the tokens of the layout; what it finds takes the place of the atoms it overlaps.
"""

from __future__ import annotations

from collections.abc import Sequence

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import preposition
from parsers.structure import Layout, Status, inside
from parsers.tokens import Kind
from parsers.types import Span
from rules.grand_strategy.board import LETTERS
from rules.grand_strategy.data import table
from rules.grand_strategy.language.names import stems, tables
from rules.grand_strategy.view import View

LOOK_ALIKES = str.maketrans("ABCEHKMOPTXY", "АВСЕНКМОРТХУ")
_TO_LATIN = {v: k for k, v in zip("ABCEHKMOPTXY", "АВСЕНКМОРТХУ", strict=True)}
TO = frozenset({"на", "в", "во", "к", "ко", "до", "через", "с", "со", "из", "от", "под", "у", "по"})
_UNSURE_BEHIND = frozenset("ехмюяй")
"""Letters that behind a number are more often an ending or «раз»."""
_SPACED_PREPOSITIONS = frozenset("авикосуя")


def atom(layout: Layout, first: int, last: int, *senses: Sense, **data: object) -> Atom:
    """An atom of the game's own over tokens `first <= i < last`."""
    tokens = layout.tokens
    span = Span(tokens[first].start, tokens[last - 1].end)
    bold = inside(layout.bold, span.start)
    text = layout.text[span.start : span.end]
    return Atom(first, last, span, senses, preposition(tokens, first), bold=bold, text=text, data=dict(data))


def merged(atoms: Sequence[Atom], found: Sequence[Atom]) -> list[Atom]:
    """The atoms with `found` in the place of whatever they overlap."""
    taken = {i for a in found for i in range(a.first, a.last)}
    kept = [a for a in atoms if not any(i in taken for i in range(a.first, a.last))]
    return sorted([*kept, *found], key=lambda a: a.first)


class Spots:
    """Finds cells, ids and numbers of spells."""

    def __init__(self, view: View) -> None:
        self._board = view.state.board
        self._ids = {u.upper(): u for u in view.state.units}
        self._spells = {
            number: spell for spell, names in table("vocabulary")["alias"]["spell"].items() for number in names if "." in number
        }
        self._hints = tables()["hints"]

    def __call__(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        found: list[Atom] = []
        i = 0
        while i < len(layout.tokens):
            hit = self._at(layout, i)
            if hit is not None:
                found.append(hit)
                i = hit.last
            else:
                i += 1
        return merged(atoms, found) if found else atoms

    def _at(self, layout: Layout, i: int) -> Atom | None:
        token = layout.tokens[i]
        if layout.status[i] is Status.LIST_MARK:
            return None
        if token.kind is Kind.WORD and len(token.norm) <= 2:
            return self._letter_first(layout, i)
        if token.kind is Kind.NUMBER:
            return self._spell(layout, i) or self._number_first(layout, i) or self._zero(layout, i)
        return None

    def _letter_first(self, layout: Layout, i: int) -> Atom | None:
        tokens = layout.tokens
        raw = layout.text[tokens[i].start : tokens[i].end]
        if tokens[i].glued and i and tokens[i - 1].kind in (Kind.NUMBER, Kind.WORD):
            return None
        j = i + 1
        signed = j + 1 < len(tokens) and tokens[j].norm in {"-", "."} and tokens[j].glued
        if signed:
            j += 1
        if j >= len(tokens) or tokens[j].kind is not Kind.NUMBER:
            return None
        glued = tokens[j].glued
        if signed and (not glued or (tokens[j - 1].norm == "." and not raw.isupper())):
            return None
        if not glued and not self._spaced(layout, i, raw):
            return None
        last = j + 1
        digits = tokens[j].norm
        if (
            last + 1 < len(tokens)
            and tokens[last].norm == "-"
            and tokens[last].glued
            and tokens[last + 1].norm in {"ю", "й", "я"}
        ):
            last += 2
        ident = self._ids.get((raw + digits).upper())
        if ident is not None and raw.isascii():
            return atom(layout, i, last, Sense("unit", ident))
        before = preposition(tokens, i) in TO
        cell = self._cell(raw, digits)
        closed = last < len(tokens) and tokens[last].norm in {".", ")"} and layout.sentence_of[i] >= 0
        if closed and raw.lower() == "п" and layout.lines[layout.sentences[layout.sentence_of[i]].line].first == i:
            return None  # «П1. …»: an item of the player's list
        if cell is not None and cell in self._board:
            senses = [Sense("cell", cell)]
            latin = "".join(_TO_LATIN.get(c, c) for c in raw.upper())
            if not before and (latin + digits) in self._ids:
                senses.append(Sense("unit", self._ids[latin + digits]))
            return atom(layout, i, last, *senses)
        if not glued or (raw.lower() in {"х", "x", "п"} and not before):
            return None
        if cell is not None:
            return atom(layout, i, last, Sense("nocell", cell))
        if raw.isupper() or before:
            return atom(layout, i, last, Sense("badcell", raw + digits), hint=self._hint(raw, digits))
        return None

    def _spaced(self, layout: Layout, i: int, raw: str) -> bool:
        """«Г 7»: a capital that is no preposition, or one behind another word of place."""
        if not raw.isupper():
            return False
        before = layout.tokens[i - 1].norm if i else ""
        if before in {"→", "-", ">"} or before in TO or before.startswith(stems("cell")):
            return True
        return raw.lower() not in _SPACED_PREPOSITIONS and raw.translate(LOOK_ALIKES) in self._board.columns

    def _cell(self, raw: str, digits: str) -> str | None:
        """The cell of a column and a row, on this map or not; None: no column of any map."""
        column = raw.upper().translate(LOOK_ALIKES)
        if any(c not in LETTERS for c in column) or "Ё" in column:
            return None
        row = int(digits[:6]) if digits.strip("0") else 0
        if len(digits) > 6:
            return f"{column}{digits[:6]}…"
        return f"{column}{row}" if not digits.startswith("0") or row == 0 else f"{column}{digits}"

    def _hint(self, raw: str, digits: str) -> str:
        column = self._hints.get(raw.upper()[:1], "")
        hint = f"{column}{digits}"
        return hint if hint in self._board else ""

    def _number_first(self, layout: Layout, i: int) -> Atom | None:
        """«7Г»."""
        tokens = layout.tokens
        if i + 1 >= len(tokens) or tokens[i + 1].kind is not Kind.WORD or not tokens[i + 1].glued:
            return None
        if i and tokens[i].glued and tokens[i - 1].kind is Kind.WORD:
            return None
        word = layout.text[tokens[i + 1].start : tokens[i + 1].end]
        if len(word) > 1 or len(tokens[i].norm) > 2:
            return None
        cell = self._cell(word, tokens[i].norm)
        if cell is None or cell not in self._board:
            return None
        if word.lower() in _UNSURE_BEHIND and not word.isupper() and preposition(tokens, i) not in TO:
            return None
        return atom(layout, i, i + 2, Sense("cell", cell))

    def _spell(self, layout: Layout, i: int) -> Atom | None:
        """«3.1»."""
        tokens = layout.tokens
        if i + 2 < len(tokens) and tokens[i + 1].norm == "." and tokens[i + 1].glued and tokens[i + 2].glued:
            number = f"{tokens[i].norm}.{tokens[i + 2].norm}"
            behind = tokens[i + 3] if i + 3 < len(tokens) else None
            if number in self._spells and (behind is None or not (behind.glued and behind.kind is Kind.NUMBER)):
                return atom(layout, i, i + 3, Sense("spell", self._spells[number]))
        return None

    def _zero(self, layout: Layout, i: int) -> Atom | None:
        """«07», «37» where a cell is due: digits only are no cell; asked with the likely one."""
        tokens = layout.tokens
        digits = tokens[i].norm
        if preposition(tokens, i) not in {"на", "к", "до", "через"} or len(digits) != 2:
            return None
        if i + 1 < len(tokens) and (tokens[i + 1].glued or tokens[i + 1].norm in _unit_words()):
            return None
        column = {"0": "О", "3": "З"}.get(digits[0], "")
        hint = f"{column}{digits[1]}"
        sense = Sense("badcell", digits)
        if hint not in self._board:
            return None
        return atom(layout, i, i + 1, sense, Sense("number", int(digits)), hint=hint, digits=True)


def _unit_words() -> frozenset[str]:
    units = tables()["units"]
    return frozenset([*units["coins"], *units["steps"], *units["squads"], "%", "лет", "года", "год"])
