"""Who acts in a manoeuvre, and upon what: places and units before and behind its word (§3.2, R25–R42)."""

from __future__ import annotations

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Match, choice
from parsers.types import Problem
from rules.steel_rose.data import game_data
from rules.steel_rose.language.battlefield import Board
from rules.steel_rose.language.cohesion import BEFORE
from rules.steel_rose.language.common import has
from rules.steel_rose.language.maneuver_scores import MANEUVERS, by_means
from rules.steel_rose.language.names import tables
from rules.steel_rose.language.places import FLANKS
from rules.steel_rose.language.senses import unit_of, value_of


def is_free(match: Match, atom: Atom) -> bool:
    """A free move; «…, бесплатно» at the end tells what it costs."""
    return atom.has("free") and not (atom is match.atoms[-1] and atom.data.get(BEFORE) == ",")


class Told:
    """The words of a manoeuvre."""

    def __init__(self, match: Match, context: Context) -> None:
        self.match, self.context = match, context
        self.notes: list[str] = list(match.notes())
        self.board = Board(context)
        self.free = any(is_free(match, a) for a in match.atoms)
        self.twins: tuple[str, ...] = ()
        """Further squads that were named together: «правый и левый авангард»."""

    def parts(self, kinds: list[str]) -> tuple[str | None, list[Atom], Problem | None]:
        """The squad that acts, and the places or units it acts on."""
        atoms = list(self.match.atoms)
        first = next(i for i, a in enumerate(atoms) if a.has(*MANEUVERS, "free", "attack") and not a.has("cell", "row", "flank"))
        told = any(a.has("cell", "flank", "unit") and a.prep not in {"по", "на", "в", "к"} for a in atoms[:first])
        own: Atom | None = next((a for i, a in enumerate(atoms) if i > first and not told and self._by_means(atoms, i)), None)
        units: list[str] = []
        targets: list[Atom] = []
        plain = any(a.has("cell") and not a.prep for a in atoms[:first])
        for i, atom in enumerate(atoms):
            hostile = self._hostile(atoms, i)
            if atom is own or (plain and i < first and atom.has("flank") and atom.prep in {"на", "в", "с"}):
                continue  # «враг слаб на левом фланге, левый авангард — в натиск …»
            if plain and i < first and atom.has("cell") and atom.prep in {"на", "в", "по"}:
                targets.append(atom)
                continue
            if atom.has("cell", "flank", "row"):
                acting = atom.prep in {"", "по", "с"} or i < first
                behind = i > first and bool(
                    hostile or atom.prep in {"на", "в", "по", "через", "во", "к"} or own is not None or units
                )
                shielded = (
                    kinds == ["m_defend"] and i > first and self.context.memory.get("squad_sentence") == self.match.sentence
                )
                free = not targets or (i < first and not atom.prep and all(t.prep for t in targets))
                if own is None and not hostile and acting and not behind and free and not shielded:
                    own = atom
                elif (own is not None and i < first and not hostile and atom.has("flank") and own.has("row")) or (
                    own is not None and i < first and atom.has("flank") and not own.has("cell") and not hostile
                ):
                    continue
                else:
                    targets.append(atom)
            elif atom.has("~place", "~same"):
                targets += [atom] if not targets else []  # «… на правый авангард, там пусто»
            elif atom.has("unit", "squad"):
                unit = unit_of(atom)
                if unit is not None and (i < first or (own is None and "ablt" in atom.cases)):
                    units.append(unit)
                elif unit is not None and not self._described(atoms, i):
                    targets.append(atom)
        if own is not None and own.has("cell"):
            self.twins = tuple(value_of(own, "cell")[1:])
            return value_of(own, "cell")[0], targets, None
        flank = str(value_of(own, "flank")) if own is not None and own.has("flank") else None
        row = str(value_of(own, "row")) if own is not None and own.has("row") else None
        if units:
            place, sure = self.board.find(units, flank, row)
            if place is None:
                name = tables()["asks"]["which_squad"].format(maneuver=self.match.triggers[0].text)
                choices = [choice(game_data().places[p][0]) for p, inside in self.board.places.items() if inside & set(units)]
                return None, targets, self.context.problem(self.match, "ambiguous", name, choices=choices)
            if not sure:
                text = tables()["asks"]["guessed_squad"]
                self.notes.append(text.format(unit=game_data().units[units[0]].plural, position=game_data().places[place][0]))
            return place, targets, None
        if own is None:
            return None, targets, None
        cells = [f + "V" for f in FLANKS.get(flank, flank)] if flank else []
        if len(cells) > 1 and not row:
            self.twins = tuple(cells[1:])
            cells = cells[:1]
        if row is not None and not flank:
            cells = [f + row for f in "LCR" if not self.board.places or f + row in self.board.places]
        if len(cells) == 1:
            if flank is not None:
                self.notes.append(
                    tables()["asks"]["guessed_squad"].format(unit=own.text, position=game_data().places[cells[0]][0])
                )
            return cells[0], targets, None
        name = tables()["asks"]["which_squad"].format(maneuver=self.match.triggers[0].text)
        return None, targets, self.context.problem(self.match, "ambiguous", name)

    def _by_means(self, atoms: list[Atom], i: int) -> bool:
        """Whether the place behind the manoeuvre is who acts."""
        return atoms[i].has("cell") and not has(self.match, "m_swap") and by_means(atoms[i], atoms[i - 1])

    def _described(self, atoms: list[Atom], i: int) -> bool:
        """«лучников в правом авангарде»: the place behind tells where those units stand."""
        following = atoms[i + 1] if i + 1 < len(atoms) else None
        if following is None or not following.has("cell"):
            return False
        return following.prep in {"в", "на", "из", "с", "со"} or following.cases == {"gent"}

    def _hostile(self, atoms: list[Atom], i: int) -> bool:
        tokens = self.context.layout.tokens
        for left, right in ((i - 1, i), (i, i + 1)):
            if left >= 0 and right < len(atoms):
                other = atoms[left if right == i else right]
                gap = tokens[atoms[left].last : atoms[right].first]
                if other.has("enemy") and len(gap) <= 1 and not any(t.norm in ",;" for t in gap):
                    return True
        return False
