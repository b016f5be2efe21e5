"""Which units stand where: a deployment as a template, a table, a list or prose (R15, R23), read from the atoms of its lines.

`read_positions` goes line by line. A line is a row of places and squads; they are paired so that what stands near
together belongs together. A line of places alone is a heading («Правый фланг:», the head of a table).
"""

from __future__ import annotations

from collections.abc import Sequence

from parsers.atoms import Atom
from parsers.context import Context
from parsers.reading_atoms import between
from parsers.russian import info, normal
from parsers.types import Problem, Severity, Span
from rules.steel_rose.language.battlefield import belongs_behind
from rules.steel_rose.language.lines import Lines
from rules.steel_rose.language.names import tables
from rules.steel_rose.language.pairing import groups
from rules.steel_rose.language.placed import BEHIND, OTHER, PLACES, REST, WHO, Placed, Spot, Who
from rules.steel_rose.language.places import FLANKS
from rules.steel_rose.language.senses import unit_of, value_of
from rules.steel_rose.refusals import refuse


class Reader(Lines):
    """Reads line by line and pairs squads with places."""

    def read(self, atoms: Sequence[Atom]) -> Placed:
        """Reads the atoms of a deployment."""
        atoms = [a for a in atoms if a.has(*PLACES, *WHO, *OTHER)]
        self.has_left = any(
            (a.has("cell") and any(c[0] == "L" for c in value_of(a, "cell"))) or value_of(a, "flank") in ("L", "B") for a in atoms
        )
        for line in self._lines(atoms):
            self._line(line)
        self.field.contradictions()
        for unit, total in self.totals.items():
            told = [h[unit] for h in self.out.positions.values() if isinstance(h, dict) and unit in h]
            if any(not isinstance(n, int) for n in told) or sum(told) != total:
                self.field.ask("whose_number")
        return self.out

    def _lines(self, atoms: Sequence[Atom]) -> list[list[Atom]]:
        out: list[list[Atom]] = []
        for atom in atoms:
            if out and self.layout.sentence_of[out[-1][-1].first] == self.layout.sentence_of[atom.first]:
                out[-1].append(atom)
            else:
                out.append([atom])
        return out

    # -------------------------------------------------------------------------------------------- one line

    def _line(self, line: list[Atom]) -> None:
        who = [a for a in line if a.has(*WHO)]
        spots = [a for a in line if a.has(*PLACES) and not (a.has("unit") and not a.has("cell"))]
        if not who and not any(a.has("~same") for a in line):
            self.heading(line)
            return
        if any(a.has("~same") for a in line) and spots and self.field.cells and not who:
            self.copy(spots[0])
            return
        self.above = ""
        no = line[0].has("nobody") and line[0].text.lower() == "нет"
        self.field.renewed = no or line[0].has("~correction") or any(a.first in self.corrected for a in line)
        anew = [a for a in line[1:] if a.kinds != {"~all"}]  # «нет, всех семерых»
        if anew and (line[0].has("~correction") or (no and self._anew(anew[0]))):
            number = next((a for a in anew if a.has("number", "squad")), None)
            if number is not None and self.field.last is not None and not spots:
                self.field.correct(number)
                return
        head = "flank" if self.across else "row"
        row = bool(self.columns) and len(spots) == 1 and line[0] is spots[0] and line[0].has(head)
        if row and self.row_of_table(line):
            return
        if not self.headed(line) and not self.slashed(line) and not self.marked(line):
            self._pair(self._events(line), line)

    def _anew(self, atom: Atom) -> bool:
        """«3 щита... нет, 2 щита»: the number of the unit before, said again."""
        if self.field.last is None:
            return False
        return value_of(atom, "squad")[0] == self.field.last.unit if atom.has("squad") else atom.has("number")

    def _events(self, line: list[Atom]) -> list[Who | Spot]:
        out: list[Who | Spot] = []
        in_line: list[str] = []  # cells named so far
        row_first: str | None = None
        flank_here: str | None = None
        evenly = any(a.has("evenly") for a in line)
        for n, atom in enumerate(line):
            following = line[n + 1] if n + 1 < len(line) else None
            if atom.has("cell", "row") and self._blank(atom, following):
                continue
            halved = self._half_told(out) if atom.has("~rest") and not atom.has("squad", "unit") else None
            if halved is not None:  # «половина копейщиков налево, остальные направо»
                out.append(Who(halved, "rest", atom))
                continue
            if n and line[n - 1].has("flank") and line[n - 1].prep == "за" and atom.has("unit"):
                continue  # «за левыми щитами»: said with the flank
            behind = atom.prep in BEHIND or (n > 0 and self._behind_whom(line[n - 1], atom))
            if atom.has("unit", "squad") and behind and not atom.has("cell"):
                held = [c for c, inside in self.out.positions.items() if isinstance(inside, dict) and unit_of(atom) in inside]
                held += [c for c in in_line if c[1] == "V"] if not held else []
                if held:
                    out.append(Spot(tuple(dict.fromkeys(c[0] + "R" for c in held)), atom))
                else:
                    self.field.ask("no_place", text=atom.text)
                continue
            if following is not None and self._behind_whom(atom, following):
                continue
            if atom.has("cell"):
                cells = tuple(value_of(atom, "cell"))
                flank_here = cells[0][0]
                row_first = cells[0][1] if atom.data.get("rowfirst") else None
                out.append(Spot(cells, atom, each=bool(atom.data.get("each_flank"))))
                in_line += cells
            elif atom.has("badplace", "reserve"):
                out.append(Spot((), atom, bad=True))
            elif atom.has("flank"):
                flank = str(value_of(atom, "flank"))
                if following is not None and following.has("row"):
                    if not out:
                        self.flank_heading(flank, atom)
                        flank_here = self.flank
                    else:
                        flank_here = flank
                    continue
                flanks = FLANKS.get(flank, flank)
                if row_first is None and in_line and _adjective(atom):
                    row_first = in_line[-1][1]
                row = row_first or (self.row if self.flank is None and self.row else "V")
                row = "R" if atom.prep == "за" else row
                cells = tuple(f + row for f in flanks)
                out.append(Spot(cells, atom, each=flank == "A"))
                in_line += cells
                flank_here = flanks[0]
            elif atom.has("row"):
                row = str(value_of(atom, "row"))
                gap = between(self.layout, atom, following) if following is not None and following.has("flank") else ["и"]
                if gap != ["и"] and not {")", ";"} & set(gap):
                    row_first = row
                    continue
                if self._heads_flanks(line, n, out):
                    row_first = row
                    continue
                loose = flank_here is None and self.flank is None
                flank_here = flank_here or self.flank or "C"
                cells = (flank_here + row,)
                out.append(Spot(cells, atom, loose=loose))
                in_line += cells
            elif atom.has("~place"):
                if following is not None and following.has("row"):
                    flank_here = (in_line[-1:] or list(self.field.cells[-1:]) or ["C"])[0][0]
                elif self.field.cells or in_line:
                    out.append(Spot(tuple(in_line[-1:]) or self.field.cells, atom))
            elif atom.has("they"):
                if following is not None and following.has("cell", "row", "flank"):
                    continue
                front = [c for c in (in_line or list(self.field.cells)) if c[1] == "V"]
                cells = tuple(c[0] + "R" for c in (front if evenly else front[-1:]))
                if cells:
                    out.append(Spot(tuple(dict.fromkeys(cells)), atom))
            elif atom.has("~half") and not atom.has("squad"):
                unit = self.field.unit_told(out)
                if unit:
                    out.append(Who(unit, "rest" if self._halved(unit, out) else "half", atom))
                else:
                    self.field.ask("no_place", text=atom.text)
            elif atom.has("nobody") and self._counted_anew(atom, line[n + 1 :], out):
                break
            elif atom.has("nobody"):
                out.append(Who("", 0, atom))
            elif atom.has("~same") and not atom.has("squad", "unit"):  # «слева 5 копейщиков, справа столько же»
                before = next((e for e in reversed(out) if isinstance(e, Who) and e.unit not in ("", REST)), self.field.last)
                if before is not None and before.unit:
                    out.append(Who(before.unit, before.count, atom))
            elif atom.has("~all") and following is not None and following.has("~rest"):
                continue  # «все остальные»
            elif atom.has("number") and not atom.has("squad"):
                self._bare_number(atom, out, following is not None and following.has("cell", "flank", "row"))
            else:
                who = self.who(atom)
                alone = following is None or not following.has("cell", "row")
                if who is not None and n and alone and self._shielded(line[n - 1], atom):
                    self.field.ask("no_place", text=atom.text)
                    continue
                if who is not None:  # «герой поведёт центральный авангард вместе с 10 пехотинцами»: one place, told between them
                    joins = atom.prep in {"с", "со"} and len(out) > 1 and isinstance(out[-1], Spot) and isinstance(out[-2], Who)
                    out.insert(len(out) - joins, who)
        return out

    def _counted_anew(self, atom: Atom, behind: Sequence[Atom], out: list[Who | Spot]) -> bool:
        """«6 стрелков… нет, всех семерых», «… нет, 5 лучников»: what counts instead of the squad before."""
        wrong = next((e for e in reversed(out) if isinstance(e, Who) and e.unit not in ("", REST)), None)
        right = [a for a in behind if a.kinds != {"~all"}]
        if atom.text.lower() != "нет" or wrong is None or len(right) != 1 or not right[0].has("number", "squad"):
            return False
        if right[0].has("squad"):
            wrong.unit, wrong.count = value_of(right[0], "squad")
        else:
            wrong.count = value_of(right[0], "number")
        return True

    def _shielded(self, before: Atom, atom: Atom) -> bool:
        """«десять копейщиков прикрывают шестерых лучников»: these don't stand beside them."""
        words = self.layout.tokens[before.last : atom.first]
        return any(info(t.norm).lemmas & set(tables()["shielding"]["lemmas"]) for t in words)

    def _behind_whom(self, row: Atom, atom: Atom) -> bool:
        """«позади щитовиков»: the row behind a squad, not the rear of the middle."""
        plain = row.has("row") and row.text.lower() in BEHIND and atom.has("unit") and not atom.has("squad")
        return plain and "gent" in atom.cases and "nomn" not in atom.cases and not between(self.layout, row, atom)

    def _blank(self, place: Atom, following: Atom | None) -> bool:
        """«ав 3 коп / ар -»: a place with a dash and nothing behind it is empty."""
        end = self.layout.sentences[self.layout.sentence_of[place.first]].last
        gap = [t.norm for t in self.layout.tokens[place.last : following.first if following is not None else end]]
        return gap[:1] == ["-"] and ((len(gap) == 1 and following is None) or gap[1:2] in (["/"], ["|"], [","], [";"]))

    def _half_told(self, out: Sequence[Who | Spot]) -> str | None:
        """The unit of which only a half was told right before."""
        last = next((e for e in reversed(out) if isinstance(e, Who)), None)
        return last.unit if last is not None and last.count == "half" and last.unit not in ("", REST) else None

    def _halved(self, unit: str, out: Sequence[Who | Spot]) -> bool:
        """One half of these units stands somewhere already."""
        told = any(isinstance(e, Who) and e.unit == unit and e.count == "half" for e in out)
        return told or any(isinstance(h, dict) and h.get(unit) == "half" for h in self.out.positions.values())

    def _heads_flanks(self, line: list[Atom], n: int, out: list[Who | Spot]) -> bool:
        """«стрелки в тыл: 2 влево, 2 в центр»: the row is that of the flanks that follow."""
        rest = [a for a in line[n + 1 :] if a.has("flank", "cell", "row")]
        if not rest or not rest[0].has("flank") or not line[n + 1].has("number", "squad", "unit"):
            return False
        if any(a.has("row") for a in rest[1:2]):
            return False  # «ар: 6 луч. [Лево] ав: 4 вс.»: that flank has rows of its own
        sign = self.layout.tokens[line[n].last].norm
        unit_first = bool(out) and isinstance(out[-1], Who) and out[-1].count is None and not line[n + 1].has("unit", "squad")
        return sign in {":", "("} or (unit_first and sign in {"-", ",", "", line[n + 1].text.lower()})

    def _bare_number(self, atom: Atom, out: list[Who | Spot], part: bool) -> None:
        """«рыцарей на фланги по двое», «4 щита слева, 4 справа»: a number without a unit. `part`: a place follows."""
        each = atom.first > 0 and self.layout.tokens[atom.first - 1].norm == "по"
        value = value_of(atom, "number")
        if not isinstance(value, int):
            return
        if [t.norm for t in self.layout.tokens[max(0, atom.first - 2) : atom.first]] == ["из", "них"]:
            total = next((e for e in reversed(out) if isinstance(e, Who) and e.unit not in ("", REST)), None)
            if total is not None:  # «10 щитов, из них 5 в центр»
                out.remove(total)
                out.append(Who(total.unit, value, atom, each))
                return
        before = [e for e in out if isinstance(e, Who) and e.unit not in ("", REST)]
        whole = before[-1].count if before and before[-1] is out[-1] else None
        if isinstance(whole, int) and value < whole and part:
            self.totals[before[-1].unit] = whole
            out[-1] = Who(before[-1].unit, value, atom, each)
            return
        if before and before[-1].count is None:
            before[-1].count = value
            before[-1].each = each
            return
        unit = before[-1].unit if before else self.field.last.unit if self.field.last is not None else ""
        if part and not out and unit not in ("", REST):  # «Пять щитов в левый авангард. Пять в правый.»
            out.append(Who(unit, value, atom, each))
            return
        between_ = [t.norm for t in self.layout.tokens[max(0, atom.first - 1) : atom.first]]
        if (
            unit
            and unit != REST
            and (not before or between_ != ["("])
            and out
            and (isinstance(out[-1], Spot) or any(isinstance(e, Spot) for e in out))
        ):
            if between_ == ["("]:
                return
            out.append(Who(unit, value, atom, each))

    # -------------------------------------------------------------------------------------------- pairing

    def _pair(self, events: list[Who | Spot], line: list[Atom]) -> None:
        evenly = any(a.has("evenly") for a in line)
        if not any(isinstance(e, Spot) for e in events):
            cells = self.cells or ((self.flank + (self.row or "V"),) if self.flank else ())
            if cells:
                for event in events:
                    if isinstance(event, Who):
                        self.field.settle(cells, event, evenly)
                        self.out.atoms.append(event.atom)
            else:
                self._orphans(events)
            return
        self.cells = ()
        paired, alone = groups(self.layout, events)
        self._orphans(alone)
        told = {c for spot, members in paired if members for c in spot.cells}
        for lone in [e for e in alone if isinstance(e, Spot) and not e.bad and not told.issuperset(e.cells)]:
            if paired and not any(a.has("~same") for a in line):
                self.field.ask("whose_place", text=lone.atom.text)
        for spot, members in paired:
            if spot.bad:
                end = max([spot.atom.span.end, *(m.atom.span.end for m in members)])
                out = refuse("E_POSITION")
                span = Span(
                    min(spot.atom.span.start, *(m.atom.span.start for m in members)) if members else spot.atom.span.start, end
                )
                self.out.problems.append(
                    Problem(out.code, Severity.ERROR, out.message, span, draft={"type": "deploy"}, rule=out.rule)
                )
                continue
            if spot.loose and _mixed(spot, members):
                self.field.ask("whose_row", text=spot.atom.text)
            for who in members:
                who.each = who.each or (spot.each and not evenly)
                self.field.settle(spot.cells, who, evenly)
                self.out.atoms.append(who.atom)
            if members:
                self.out.atoms.append(spot.atom)
                self.field.cells = spot.cells

    def _orphans(self, events: Sequence[Who | Spot]) -> None:
        """Squads that stand nowhere."""
        for event in events:
            if isinstance(event, Who) and event.unit and event.unit != REST:
                self.field.ask("no_place", text=event.atom.text)


def _mixed(spot: Spot, members: Sequence[Who]) -> bool:
    """«20 копейщиков и 8 лучников в тылу»: a row behind several, of which only the last are at home there."""
    told = [m for m in members if m.unit not in ("", REST) and m.atom.first < spot.atom.first]
    return len({belongs_behind(m.unit) for m in told}) > 1


def _adjective(atom: Atom) -> bool:
    """«в правый», a flank without its noun."""
    word = normal(atom.text)
    return " " not in word and bool(info(word).lemmas & set(tables()["adjective_flanks"]["lemmas"]) - {word})


def read_positions(context: Context, atoms: Sequence[Atom], corrected: frozenset[int]) -> Placed:
    """Positions that the atoms of a deployment name, with problems and notes. `corrected`: tokens of lines that put it right."""
    return Reader(context, corrected).read(atoms)


def units_in(atoms: Sequence[Atom]) -> list[str]:
    """The units that atoms name."""
    return [u for u in map(unit_of, atoms) if u is not None]
