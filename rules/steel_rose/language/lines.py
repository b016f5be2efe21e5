"""Lines of a deployment told as headings and tables: the flank and the row above, the columns, who stands in each (R23)."""

from __future__ import annotations

from parsers.atoms import Atom
from parsers.context import Context
from parsers.types import Problem, Severity
from rules.steel_rose.language.grid import between_pipes, by_dashes, by_heads, by_marks, by_slash, by_spaces
from rules.steel_rose.language.names import tables
from rules.steel_rose.language.placed import REST, Who
from rules.steel_rose.language.placing import Field
from rules.steel_rose.language.senses import value_of
from rules.steel_rose.language.units import singular


class Lines:
    """What headings and tables say, and the state from line to line."""

    def __init__(self, context: Context, corrected: frozenset[int]) -> None:
        self.layout = context.layout
        self.flank: str | None = None
        self.row: str | None = None
        self.outer = ""
        """Of headings in each other («Левый фланг», below it «Авангард»), what the outer ones name: flanks or rows."""
        self.above = ""
        """What the heading right above names."""
        self.cells: tuple[str, ...] = ()
        self.columns: list[str] = []
        self.across = False
        """The columns of the table are rows of the field, its lines are flanks."""
        self.field = Field(self.layout, context.view.faction)
        self.out = self.field.out
        self.corrected = corrected
        self.headings: list[str] = []
        self.has_left = False
        self.totals: dict[str, int] = {}
        """Units told with their number and then place by place («лучников четверо: двое слева, двое справа»)."""

    def heading(self, line: list[Atom]) -> None:
        flanks = [str(value_of(a, "flank")) for a in line if a.has("flank")]
        rows = [str(value_of(a, "row")) for a in line if a.has("row")]
        cells = [value_of(a, "cell") for a in line if a.has("cell")]
        if len(flanks) >= 2 and not rows and not cells:
            self.columns, self.flank = flanks, None
            return
        if len(rows) >= 2 and not flanks and not cells:
            self.columns, self.across, self.flank = rows, True, None
            return
        if len(flanks) == 1 and not cells:
            self.flank_heading(flanks[0], line[0])
            inner = self._inside("flank", "row") and not rows
            self.row = self.row if inner else rows[0] if rows else None
        elif rows and not cells and not flanks:
            self.flank = self.flank if self._inside("row", "flank") else None
            self.row = rows[0]
        elif cells:
            self.cells = tuple(cells[-1])
            self.flank = self.cells[0][0]

    def _inside(self, kind: str, outer: str) -> bool:
        """Whether a heading of this kind stands inside one of the outer kind."""
        if self.above == outer and self.outer != kind:
            self.outer = outer
        self.above = kind
        return self.outer == outer

    def flank_heading(self, flank: str, atom: Atom) -> None:
        """R23: the template prints «Центральный фланг» twice; the second is the left one."""
        if flank == "C" and "C" in self.headings:
            if not self.has_left:
                flank = "L"
                self.out.remarks.append(tables()["asks"]["second_centre"])
            else:
                text = tables()["asks"]["two_centres"]
                self.out.problems.append(Problem("ambiguous", Severity.QUESTION, text, atom.span, draft={"type": "deploy"}))
        self.headings.append(flank)
        self.flank, self.cells = flank, ()

    def row_of_table(self, line: list[Atom]) -> bool:
        head = str(value_of(line[0], "flank" if self.across else "row"))
        items = between_pipes(self.layout, line) or by_dashes(self.layout, line)
        if len(items) != len(self.columns):
            items = by_spaces(self.layout, line)
        if len(items) != len(self.columns):
            self.field.ask("no_place", text=line[0].text)
            return False
        for column, inside in zip(self.columns, items, strict=True):
            for atom in inside:
                who = self.who(atom)
                if who is not None:
                    self.field.place((head + column if self.across else column + head,), who, False)
            self.out.atoms += inside
        self.out.atoms.append(line[0])
        return True

    def headed(self, line: list[Atom]) -> bool:
        """«Авангард Л/Ц/П: 3 щита / 5 щитов / -»."""
        columns = by_heads(self.layout, line)
        for cell, inside in columns:
            for who in filter(None, map(self.who, inside)):
                self.field.settle((cell,), who, False)
            self.out.atoms += [*line[: len(columns) + 1], *inside]
        return bool(columns)

    def slashed(self, line: list[Atom]) -> bool:
        """«Центр: 10 копий / 6 луков»: the vanguard and the rear of each flank, which asks."""
        halves = by_slash(self.layout, line)
        for flank, front, rear in halves:
            for row, inside in (("V", front), ("R", rear)):
                for who in filter(None, map(self.who, inside)):
                    self.field.settle((f"{value_of(flank, 'flank')}{row}",), who, False)
            self.out.atoms += [flank, *front, *rear]
        if halves:
            self.field.ask("slash")
        return bool(halves)

    def marked(self, line: list[Atom]) -> bool:
        """«Авангард: 2 копья / 3 копья / -»: from left to right, which asks."""
        columns = by_marks(self.layout, line)
        for flank, inside in zip("LCR", columns, strict=False):
            for who in filter(None, map(self.who, inside)):
                self.field.settle((f"{flank}{value_of(line[0], 'row')}",), who, False)
            self.out.atoms += [line[0], *inside]
        if columns:
            self.field.ask("from_the_left")
        return bool(columns)

    def copy(self, spot: Atom) -> None:
        """«Правый: то же самое»: as on the flank before."""
        cells = value_of(spot, "cell") if spot.has("cell") else ()
        flank = cells[0][0] if cells else str(value_of(spot, "flank") or "")
        old = self.field.cells[0][0]
        for row in "VR":
            held = self.out.positions.get(old + row)
            if flank and flank != old and isinstance(held, dict):
                self.out.positions[flank + row] = dict(held)
        self.out.atoms.append(spot)

    def who(self, atom: Atom) -> Who | None:
        if atom.has("squad"):
            unit, count = value_of(atom, "squad")
            if atom.data.get("minus") and isinstance(count, int):
                count = -abs(count)
            return Who(unit, count, atom, bool(atom.data.get("each")))
        if atom.has("unit"):
            return Who(str(value_of(atom, "unit")), 1 if singular(atom) else None, atom)
        if atom.has("~rest"):
            return Who(REST, "rest", atom)
        if atom.has("~all"):
            told = self.layout.tokens[atom.first - 1].norm if atom.first else ""
            return None if told in tables()["that_is_all"]["words"] else Who(REST, "all", atom)
        return None
