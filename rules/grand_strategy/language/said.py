"""One match seen with the eyes of the game: which troop, house, player and cells its words mean; refusals as problems."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.atoms import Atom, Sense
from parsers.context import Context
from parsers.frames import Match, choice
from parsers.types import Severity
from rules.grand_strategy.language.matched import HIRED, Stop, text_of
from rules.grand_strategy.language.names import school_of
from rules.grand_strategy.language.troops import Troops
from rules.grand_strategy.names import building_name, player_name
from rules.grand_strategy.state import Building

__all__ = ["FROM", "HIRED", "Said", "Stop", "lead", "text_of"]
_STEP = {"n": (0, -1), "s": (0, 1), "w": (-1, 0), "e": (1, 0), "nw": (-1, -1), "ne": (1, -1), "sw": (-1, 1), "se": (1, 1)}
FROM = frozenset({"с", "со", "из", "от", "ото", "изо"})


class Said(Troops):
    """A match and what the game makes of its words."""

    def __init__(self, match: Match, context: Context) -> None:
        super().__init__(match, context)
        self._stray()

    def _stray(self) -> None:
        """«…, а Гхашу — войну»: a list that goes on with something else is no more of the same."""
        tokens, last = self.context.layout.tokens, self.match.last
        if (
            not (self.match.inherited or len(self.match.slots.get("players", ())) > 1)
            or last + 1 >= len(tokens)
            or tokens[last].norm != "-"
        ):
            return
        if self.context.unknown_words(last + 1, last + 2):
            self.unsure(f"непонятно «{tokens[last + 1].norm}»")

    # ------------------------------------------------------------------------------------------ cells

    def check_cells(self) -> None:
        """Stops at something that looks like a cell but is none (R18)."""
        for atom in self.atoms("bad"):
            if atom.has("nocell"):
                cell = str(atom.senses[0].value)[:40]
                raise self.stop("no_such_cell", text_of("no_such_cell", cell=cell), severity=Severity.ERROR, span=atom.span)
            hint = str(atom.data.get("hint", ""))
            text = text_of("bad_cell", text=atom.text) + (f" Вы имели в виду {hint}?" if hint else "")
            severity = Severity.QUESTION if atom.data.get("digits") else Severity.ERROR
            choices = [choice(hint)] if hint else []
            raise self.stop("bad_cell", text, severity=severity, span=atom.span, choices=choices)

    def cells(self, slot: str = "cells") -> list[str]:
        """Cells of a slot, in the order of the text."""
        out: list[str] = []
        for atom in self.atoms(slot):
            way = atom.get("path")
            out += [str(cell) for cell, _ in way.value] if way is not None else [self.cell_of(atom)]
        return out

    def cell_of(self, atom: Atom) -> str:
        """The cell an atom names."""
        sense = atom.get("cell", "house", "garrison")
        assert sense is not None
        return str(sense.value)

    def along(self, start: str, way: str, steps: int) -> list[str]:
        """Cells from a cell in one direction; those on the map only."""
        board = self.state.board
        x, y = board.xy[start]
        dx, dy = _STEP[way]
        out = []
        for n in range(1, min(int(steps), 40) + 1):
            a, b = x + dx * n, y + dy * n
            if not (0 <= a < board.width and 0 <= b < board.height):
                break
            out.append(board.name(a, b))
        return out

    # ------------------------------------------------------------------------------------------ buildings

    def buildings(self, kind: str, owner: str | None = None) -> list[Building]:
        """Buildings of a kind of the vocabulary, of one player."""
        types = self.state.building_types
        return [
            b
            for b in self.state.buildings.values()
            if (owner is None or b.owner == owner)
            and (b.type == kind or (kind == "lord_house" and types[b.type].house) or (kind == "mine" and types[b.type].mine))
        ]

    def building(
        self, *, default_own: bool = False, slots: Sequence[str] = ("places", "cells"), foreign: bool = False
    ) -> str | None:
        """The building that a match names: by name, by cell, by kind («мой город»), by its land; its cell. None: none named."""
        for slot in slots:
            for atom in self.atoms(slot):
                sense = atom.get("house", "cell", "garrison")
                if sense is not None and sense.value and atom.prep not in FROM | {"до"}:
                    if len({s.value for s in atom.all("house")}) > 1 and all(s.partial for s in atom.all("house")):
                        names = [self.context.title("house", s.value) for s in atom.all("house")]
                        raise self.stop("ambiguous", text_of("ambiguous", options=" или ".join(names)), span=atom.span)
                    return str(sense.value)
        for slot in slots:
            for atom in self.atoms(slot):
                sense = atom.get("house", "cell", "garrison")
                if sense is not None and sense.value:
                    return str(sense.value)
        for atom in self.atoms("btype"):
            if atom.prep == "до":
                continue
            kind = str(atom.senses[0].value) if atom.get("btype") is None else str(atom.get("btype").value)  # type: ignore[union-attr]
            lands = [s.value for a in self.atoms("land") for s in a.all("province")]
            found = self.buildings(kind, self.me) or (self.buildings(kind) if foreign else [])
            if lands:
                found = [b for b in self.buildings(kind) if self.state.board.province.get(b.cell) in lands]
            if not found and kind in ("castle", "city", "manor", "tower"):
                found = self.buildings("lord_house", self.me)
                if len(found) == 1:
                    self.unsure(f"«{atom.text}» понято как {building_name(self.state, found[0])}")
            if len(found) == 1:
                return found[0].cell
            if len(found) > 1:
                names = [building_name(self.state, b) for b in found]
                raise self.stop(
                    "ambiguous",
                    text_of("ambiguous", options=" или ".join(names)),
                    span=atom.span,
                    choices=[choice(n) for n in names],
                )
        if default_own:
            found = self.buildings("lord_house", self.me)
            if len(found) == 1:
                return found[0].cell
        return None

    # ------------------------------------------------------------------------------------------ players

    def player_of(self, atom: Atom) -> str | None:
        """The player an atom means; a race is its only player («для гномов»)."""
        sense = atom.get("player")
        if sense is not None:
            return str(sense.value)
        if atom.has("~person"):
            before = self.context.before(atom.span.start, "player")
            return str(before.value) if before is not None else None
        kind = atom.get("utype")
        return self.of_race(str(kind.value)) if kind is not None else None

    def of_race(self, kind: str) -> str | None:
        """The only other player with troops of a kind, else with a house on their native ground."""
        state = self.state
        owners = {u.owner for u in state.units.values() if u.type == kind and u.owner}
        home = state.unit_types[kind].home if kind in state.unit_types else None
        if not owners and home:
            types = state.building_types
            owners = {
                b.owner
                for b in state.buildings.values()
                if b.owner and types[b.type].house and state.board.terrain.get(b.cell) == home
            }
        owners.discard(self.me)
        return str(next(iter(owners))) if len(owners) == 1 else None

    def player(self, slot: str = "players", *, code: str = "bad_recipient", what: str = "") -> str:
        """The first player of a slot; stops where none is named."""
        for atom in self.atoms(slot):
            found = self.player_of(atom)
            if found is not None:
                return found
        names = ", ".join(p.name for p in self.state.players.values() if p.id != self.me and p.status == "in")
        raise self.stop(code, what or text_of("bad_recipient", list=names))

    def addressed(self) -> str | None:
        """The player spoken to or of last before the match («твою службу»)."""
        before = self.context.before(self.match.span.start, "player")
        return str(before.value) if before is not None and before.value != self.me else None

    def building_title(self, cell: str) -> str:
        """A building's name; the cell where none stands."""
        building = self.state.buildings.get(cell)
        return building_name(self.state, building) if building is not None else cell

    def player_title(self, player: str) -> str:
        """A player's name."""
        return player_name(self.state, player)

    # ------------------------------------------------------------------------------------------ rest

    def cards(self, slot: str = "cards", unit: str | None = None) -> list[str] | None:
        """Card orders of a slot: a list, or one word («все в атаку») for every squad of a troop."""
        for atom in self.atoms(slot):
            if atom.has("badcard"):
                raise self.stop(
                    "bad_card", text_of("bad_card", text=atom.senses[0].value), severity=Severity.ERROR, span=atom.span
                )
        for atom in self.atoms(slot):
            sense = atom.get("cards", "card")
            if sense is None:
                continue
            if sense.kind == "cards":
                return list(sense.value)
            count = self.squads(unit) if unit and (atom.data.get("all") or self.near("~all")) else 1
            return [str(sense.value)] * count
        return None

    def squads(self, key: str) -> int:
        """Squads of a troop or of a building's garrison."""
        unit = self.type_of(key)
        if unit in self.state.unit_types:
            return self.state.unit_types[unit].strength
        building = self.state.buildings.get(key)
        return self.state.building_types[building.type].garrison if building else 1

    def school(self, slot: str = "school") -> str | None:
        """A school that was named, or that the mage's name tells."""
        for atom in self.atoms(slot):
            sense = atom.get("school")
            if sense is not None:
                return str(sense.value)
        for atom in self.atoms("units"):
            told = school_of(atom.text)
            if told:
                return told
        return None

    def battle(self) -> int | None:
        """The battle spoken of: in the match, else the last one named before, else one in brackets behind («… (битва 1)»)."""
        sentence_of = self.context.layout.sentence_of
        for atom in self.atoms("battle"):
            sense = atom.get("battle")
            late = atom.first > self.match.first and sentence_of[atom.first] != sentence_of[self.match.first]
            if sense is not None and not late:
                return int(sense.value)
        before = self.context.before(self.match.span.start, "battle")
        if before is not None:
            return int(before.value)
        told = self._bracketed().get(self.context.layout.sentences[self.match.sentence].line, [])
        return told[0] if len(told) == 1 else None

    def _bracketed(self) -> dict[int, list[int]]:
        """Battles told in brackets, by the line; looked for once a post."""
        known: dict[int, list[int]] | None = self.context.memory.get("bracketed_battles")
        if known is None:
            known = self.context.memory["bracketed_battles"] = {}
            layout = self.context.layout
            for atom in self.context.atoms:
                sense = atom.get("battle")
                if sense is not None and atom.first and layout.tokens[atom.first - 1].norm == "(":
                    known.setdefault(layout.sentences[layout.sentence_of[atom.first]].line, []).append(int(sense.value))
        return known


def lead(atom: Atom, *kinds: str) -> Sense | None:
    """The atom's sense of a kind if that is its likeliest."""
    sense = atom.get(*kinds)
    return sense if sense is not None and atom.senses and atom.senses[0].quality - sense.quality < 0.05 else None
