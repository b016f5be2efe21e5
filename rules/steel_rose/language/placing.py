"""The field while a deployment is read: who stands where so far, what a correction changes, what is shared out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parsers.atoms import Atom
from parsers.structure import Layout
from parsers.types import Problem, Severity, Span
from parsers.typos import CERTAIN
from rules.steel_rose.data import game_data
from rules.steel_rose.language.names import OGRES, tables
from rules.steel_rose.language.placed import REST, Placed, Spot, Who
from rules.steel_rose.language.senses import value_of
from rules.steel_rose.language.units import bad_number
from rules.steel_rose.refusals import refuse


class Field:
    """Squads by place, in the order they are told."""

    def __init__(self, layout: Layout, me: str | None) -> None:
        self.layout = layout
        self.me = me
        self.out = Placed()
        self.last: Who | None = None
        self.cells: tuple[str, ...] = ()
        """The places named last."""
        self.renewed = False
        """The line puts right what was told: what it tells of a place counts instead of that, not beside it."""
        self.shared: set[str] = set()
        """Units with a number for each of several places («(по 4)»), or with one that a later word without a number forgets."""
        self.anew: set[tuple[str, str]] = set()
        """Places and units that a correction has told of."""

    def ask(self, key: str, **fields: Any) -> None:
        """A doubt about the whole."""
        self.out.notes.append(tables()["asks"][key].format(**fields))

    def unit_told(self, line: Sequence[Who | Spot] = ()) -> str:
        """The unit named last, in this line or before it."""
        here = (e.unit for e in reversed(line) if isinstance(e, Who) and e.unit)
        return next(here, self.last.unit if self.last is not None else "")

    def holding(self, unit: str) -> list[str]:
        """The places where these units stand."""
        return [c for c, held in self.out.positions.items() if isinstance(held, dict) and unit in held]

    # -------------------------------------------------------------------------------------------- correcting

    def correct(self, number: Atom) -> None:
        """«… Вернее, 12», «UPD: копейщиков 12»: a number without a place is that of the units where they stand."""
        unit = value_of(number, "squad")[0] if number.has("squad") else self.last.unit if self.last is not None else ""
        count = value_of(number, "squad")[1] if number.has("squad") else int(value_of(number, "number"))
        places = [c for c in self.holding(unit) if c in self.cells] or self.holding(unit)
        if len(places) != 1:
            self.ask("no_place", text=number.text)
            return
        self.out.positions[places[0]][unit] = count
        self.out.atoms.append(number)

    def _moved(self, cells: tuple[str, ...], who: Who) -> Any:
        """What a correction leaves of these units elsewhere: told with a number it is unclear, without one they move."""
        elsewhere = [c for c in self.holding(who.unit) if c not in cells and (c, who.unit) not in self.anew]
        if len(cells) > 1 or not elsewhere or who.unit == REST:
            return who.count
        if who.count not in (None, "all") or len(elsewhere) > 1:
            self.ask("moved_or_more", unit=game_data().units[who.unit].plural)
            return who.count
        return self.out.positions[elsewhere[0]].pop(who.unit)

    def _added(self, cell: str, held: dict[str, Any], who: Who) -> None:
        """«UPD: центральный авангард — 6 рыцарей» where others stand: instead of them, or beside them?"""
        tokens = self.layout.tokens
        more = any(t.norm in tables()["again"]["words"] for t in tokens[max(0, who.atom.first - 2) : who.atom.first])
        others = [u for u in held if u != who.unit and (cell, u) not in self.anew]
        if others and who.unit not in held and not more:
            self.ask("instead_or_more", text=who.atom.text)

    # -------------------------------------------------------------------------------------------- placing

    def settle(self, cells: tuple[str, ...], who: Who, evenly: bool) -> None:
        """Puts a squad into its places."""
        if not who.unit:
            return
        if isinstance(who.count, int) and bad_number(who.count):
            out = refuse("E_COUNT")
            draft = {"type": "deploy"}
            self.out.problems.append(Problem(out.code, Severity.ERROR, out.message, self._span(who), draft=draft, rule=out.rule))
            return
        self.place(cells, who, evenly)

    def _span(self, who: Who) -> Span:
        """A number with the «минус» before it."""
        first = who.atom.first
        if first and self.layout.tokens[first - 1].norm in {"минус", "-"}:
            return self.layout.tokens[first - 1].span.cover(who.atom.span)
        return who.atom.span

    def place(self, cells: tuple[str, ...], who: Who, evenly: bool) -> None:
        """Puts a squad into its places, its number being good."""
        if self.renewed:
            who.count = self._moved(cells, who)
        self.last, self.cells = who, cells
        counted = any(isinstance(self.out.positions[c][who.unit], int) for c in self.holding(who.unit))
        if (who.each and len(cells) == 1) or (who.count is None and counted):
            self.shared.add(who.unit)
        for cell, share in zip(cells, self._shares(cells, who, evenly), strict=True):
            if who.unit == REST:
                if not self.out.positions.get(cell):
                    self.out.positions[cell] = "rest" if share == "rest" else "all"
                continue
            held = self.out.positions.get(cell)
            if not isinstance(held, dict):
                held = self.out.positions[cell] = {}
            if self.renewed:
                self._added(cell, held, who)
            old = held.get(who.unit)
            again = (cell, who.unit) in self.anew
            more = isinstance(old, int) and isinstance(share, int) and (not self.renewed or again)
            held[who.unit] = old + share if more else share
            if self.renewed:
                self.anew.add((cell, who.unit))
        known = game_data().units.get(who.unit)
        if known is not None and self.me is not None and known.faction not in (self.me, OGRES) and not known.demon:
            self.ask("foreign_unit", unit=known.name_ru)  # nobody but mercenaries and demons serves another
        for sense in who.atom.senses:
            if sense.kind in ("squad", "unit") and sense.note and sense.quality < CERTAIN:
                self.out.notes.append(sense.note)
                break

    def _shares(self, cells: tuple[str, ...], who: Who, evenly: bool) -> list[Any]:
        """The number of each place."""
        count = who.count if who.count is not None else "all"
        shares: list[Any] = [count] * len(cells)
        if len(cells) > 1 and not who.each:
            if isinstance(count, int):
                if count % len(cells) == 0:
                    shares = [count // len(cells)] * len(cells)
                    if not evenly:
                        self.ask("split", n=shares[0])
                else:
                    self.ask("no_share", n=count, parts=len(cells))
            elif who.unit != REST:
                shares = ["half", *["rest"] * (len(cells) - 1)]
                if not evenly:
                    self.ask("split_all")
        elif evenly and len(cells) == 1 and count == "all":
            earlier = [c for c in self.holding(who.unit) if self.out.positions[c][who.unit] == "all"]
            if earlier:
                self.out.positions[earlier[-1]][who.unit] = "half"
                shares = ["rest"]
        return shares

    def contradictions(self) -> None:
        """All of a kind in one place and some of them in another."""
        held = [h for h in self.out.positions.values() if isinstance(h, dict)]
        for unit in {u: None for h in held for u in h}:
            counts = [h[unit] for h in held if unit in h]
            if "all" in counts and len(counts) > 1 and unit in self.shared:
                self.ask("all_and_more", unit=game_data().units[unit].plural)
