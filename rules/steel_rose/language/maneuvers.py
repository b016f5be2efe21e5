"""Manoeuvres: whose squad, which, against what (§3.2, R25–R42)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Match, Output, choice
from parsers.types import Problem, Reading, Severity
from rules.steel_rose.data import game_data
from rules.steel_rose.language.battlefield import battle_fields, belongs_behind
from rules.steel_rose.language.common import ask, has, refusal
from rules.steel_rose.language.maneuver_again import LAST, goes_on
from rules.steel_rose.language.maneuver_parts import Told, is_free
from rules.steel_rose.language.maneuver_scores import MANEUVERS
from rules.steel_rose.language.names import HEARD, tables
from rules.steel_rose.language.parts import parts_of
from rules.steel_rose.language.senses import unit_of, value_of
from rules.steel_rose.refusals import refuse

NAMES = {
    "m_move": "move",
    "m_swap": "move",
    "m_march": "forced_march",
    "m_defend": "defend",
    "m_cover": "cover",
    "m_charge": "charge",
    "m_bombard": "bombard",
    "m_long": "long_bombard",
}


def maker_maneuver(kind: str | None) -> Callable[[Match, Context], Iterable[Output]]:
    def make(match: Match, context: Context) -> Iterable[Output]:
        if kind == "orders" and not any(a.has("cell") for a in match.atoms):
            return []
        return goes_on(match, context) if match.inherited else Order(match, context).outputs()

    return make


_ABILITIES = {
    "m_charge": ("can_charge", "E_CANNOT_CHARGE"),
    "m_bombard": ("volley", "E_CANNOT_BOMBARD"),
    "m_long": ("long_range", "E_CANNOT_LONG_BOMBARD"),
}
"""The field of a unit that a manoeuvre needs, and the refusal."""


class Order(Told):
    """One manoeuvre as it was said: whose, which, against what."""

    def outputs(self) -> list[Output]:
        """Readings and problems."""
        match, context = self.match, self.context
        kinds = self._kinds()
        if not kinds:
            return []
        if match.slots.get("everyone"):
            return self._everyone(kinds)
        cells = [c for a in match.atoms[1:] if a.has("cell") for c in value_of(a, "cell")]
        if kinds == ["m_cover"] and match.atoms[0] is match.triggers[0] and len(cells) > 1:
            common_: dict[str, Any] = {"type": "maneuver", **battle_fields(match)}
            return [o for c in dict.fromkeys(cells) for o in self._one("m_cover", {**common_, "position": c}, c, [])]
        subject, targets, problem = self.parts(kinds)
        if problem is not None:
            return [problem]
        unable = self._unable(kinds)
        if unable is not None:
            return [unable]
        if subject is None:
            subject = self._of_sentence(kinds)
        if subject is None:
            subject = context.memory.get("squad")
            again = self._goes_on()
            if subject is None and self._denied():
                return []
            if subject is None or not again:
                name = tables()["asks"]["which_squad"].format(maneuver=self.match.triggers[0].text)
                clear = any(a.has("cell") for a in match.atoms) or has(match, "m_charge", "m_bombard", "m_long")
                units = match.slots.get("units")
                return [context.problem(match, "ambiguous", name)] if clear or units else []
        waiting = context.memory.get("free")
        same = context.memory.get("squad") == subject and self._goes_on()
        context.memory["squad"], context.memory["squad_sentence"] = subject, match.sentence
        kind = kinds[0]
        if kind == "m_none":
            context.memory[LAST] = None
            return []
        base: dict[str, Any] = {"type": "maneuver", **battle_fields(match), "position": subject}
        if has(match, "m_swap"):
            return self._swap(base, subject, targets)
        moves = [k for k in kinds if k == "m_move"]
        others = [k for k in kinds if k != "m_move"]
        flying = self.free or any(game_data().units[u].free_move for u in self._units())
        if moves and others and flying and targets:
            base["free_move"] = self._cell(targets[0], subject, subject[1])
            kinds, targets = others, targets[1:]
        elif self.free and moves and targets:
            base["free_move"] = self._cell(targets[0], subject, subject[1])
            targets = targets[1:]
            done: dict[str, Any] | None = context.memory.get(LAST)
            if not targets and same and waiting is None and done is not None and done["position"] == subject:
                context.memory.setdefault("replaced", []).append(match)
                return [context.reading(match, {**done, "free_move": base["free_move"]}, notes=self.notes)]
            if not targets:
                context.memory["free"] = (subject, base["free_move"])
                return [context.reading(match, base, notes=self.notes)]
        elif len({NAMES[k] for k in kinds if k != "m_none"}) > 1:
            return [self._two(base)]
        if same and waiting is not None and waiting[0] == subject and "free_move" not in base:
            base["free_move"] = waiting[1]
            out = self._one(kinds[0], base, waiting[1] if kinds[0] == "m_move" else subject, targets)
            context.memory.setdefault("replaced", []).append(match)
            return out
        out = [*self._one(kinds[0], base, subject, targets), *self._of_twins(kinds[0], base, targets)]
        if same and self._said(out):
            return []
        if same and not self._replaces():
            return [self._two(base)]
        return out

    def _everyone(self, kinds: list[str]) -> list[Output]:
        """«все в укрытие», «весь авангард обстреливает центр»: each squad on the board; no board, and it asks which there are."""
        if kinds == ["m_none"]:
            return []
        atoms = list(self.match.atoms)
        first = next(i for i, a in enumerate(atoms) if any(a.has(k) for k in MANEUVERS))
        mine = [a for a in atoms[:first] if a.has("cell", "flank", "row")]
        targets = [a for a in atoms[first:] if a.has("cell", "flank", "row", "~place")]
        rows, flanks = ({str(value_of(a, kind)) for a in mine if a.has(kind)} for kind in ("row", "flank"))
        places = [p for p in self.board.places if (not rows or p[1] in rows) and (not flanks or p[0] in flanks)]
        if not places:
            name = tables()["asks"]["which_squads"].format(maneuver=self.match.triggers[0].text)
            return [self.context.problem(self.match, "ambiguous", name)]
        base = {"type": "maneuver", **battle_fields(self.match)}
        return [o for place in sorted(places) for o in self._one(kinds[0], {**base, "position": place}, place, targets)]

    def _unable(self, kinds: list[str]) -> Problem | None:
        """Units that the player himself puts into the squad and that can't do this (R27)."""
        known = game_data().units
        start = self.match.triggers[0].first
        told = [unit_of(f.atom) for f in self.match.slots.get("units", ()) if f.atom.first < start]
        units = [known[u] for u in told if u is not None and u in known]
        if self.board.places or not units or not any(a.has("cell") for a in self.match.atoms):
            return None
        needs, code = _ABILITIES.get(kinds[0], ("", ""))
        unable = [u.plural for u in units[:1] if code and not getattr(u, needs)]
        if not unable:
            return None
        out = refuse(code, units=", ".join(unable))
        return refusal(self.context, self.match, out, Severity.ERROR)

    def _denied(self) -> bool:
        """«Обстреливать никого не будем», «ни натисков»: nothing is ordered, and its words have been heard."""
        context, said = self.context, tables()["neutral"]["denials"]
        clauses = parts_of(context).around(self.match.atoms)
        if any(a.has("cell") for a in self.match.atoms) or not clauses:
            return False
        first, last = clauses[0][0], clauses[-1][1]
        if not {t.norm for t in context.layout.tokens[first:last]} & set(said):
            return False
        context.memory.setdefault(HEARD, set()).update(range(first, last))
        return True

    def _said(self, out: Sequence[Output]) -> bool:
        """«прятаться, укрытие»: the same again."""
        earlier = [r.command for r in self.context.readings]
        return bool(out) and all(isinstance(o, Reading) and o.command in earlier for o in out)

    def _replaces(self) -> bool:
        """«…, нет, просто в укрытие»."""
        tokens = self.context.layout.tokens
        before = [m for m, _ in self.context.outputs if m.last <= self.match.first]
        start = before[-1].last if before else max(0, self.match.first - 4)
        said = {t.norm for t in tokens[start : self.match.first]}
        if said & {"нет", "вернее", "точнее", "лучше", "тьфу", "стоп"} or self.match.correcting:
            self.context.memory.setdefault("replaced", []).append(self.match)
            return True
        return False

    def _goes_on(self) -> bool:
        """Whether the squad before is still spoken of; a free move is told in its line."""
        before = self.context.memory.get("squad_sentence")
        if before is None or before == self.match.sentence:
            return before is not None
        lines = self.context.layout.sentences
        return (self.free and lines[before].line == lines[self.match.sentence].line) or self._turned()

    def _turned(self) -> bool:
        """«ЛАв: укрытие. Нет, лучше марш-бросок …»: a sentence that opens with such a word speaks of the squad before it."""
        layout, match = self.context.layout, self.match
        if self.context.memory.get("squad_sentence") != match.sentence - 1:
            return False
        opening = layout.tokens[layout.sentences[match.sentence].first : match.first]
        words = [t.norm for t in opening if t.norm.isalpha()]
        return bool(words) and words[0] in tables()["turns"]["words"] and match.first == match.triggers[0].first

    def _of_sentence(self, kinds: list[str]) -> str | None:
        """«Центральный арьергард не стреляет, а уходит в укрытие»: the squad that the denied verb stood with."""
        match, context = self.match, self.context
        before = [a for a in context.by_sentence.get(match.sentence, []) if a.last <= match.first]
        cells = [a for a in before if a.has("cell") and not a.prep]
        free = not any(m.sentence == match.sentence for m, made in context.outputs if made)
        return str(value_of(cells[0], "cell")[0]) if free and len(cells) == 1 and kinds != ["m_none"] else None

    def _two(self, base: dict[str, Any]) -> Problem:
        out = refuse("E_TWO_MANEUVERS")
        return refusal(self.context, self.match, out, Severity.QUESTION, draft=base)

    def _kinds(self) -> list[str]:
        out: list[str] = []
        for atom in self.match.atoms:
            found = [k for k in MANEUVERS if atom.has(k)] or ["m_move"] * is_free(self.match, atom)
            if not found or atom.has("cell", "row", "flank"):
                continue
            kind = "m_long" if "m_long" in found else found[0]
            if kind not in out:
                out.append(kind)
        if "m_long" in out and "m_bombard" in out:
            out.remove("m_bombard")
        if len(out) > 1 and "m_none" in out:
            out.remove("m_none")
        if not out and has(self.match, "attack"):
            out = self._of_attack()
        placed = any(a.has("cell", "flank", "row", "~place") for a in self.match.atoms[1:])
        if "m_move" in out and ("m_march" in out or ("m_cover" in out and not placed)):
            out.remove("m_move")  # «уходит в укрытие»
        return out

    def _of_attack(self) -> list[str]:
        """«Лучники из тыла бьют по их центру»: shooters and whoever stands behind shoot, the others charge a rear; it asks."""
        aimed = [a for a in self.match.atoms[1:] if a.has("cell", "flank", "row")]
        rows = {c[1] for a in aimed if a.has("cell") for c in value_of(a, "cell")}
        behind = any(a.has("cell") and value_of(a, "cell")[0][1] == "R" for a in self.match.atoms[:1])
        shooters = any(map(belongs_behind, self._units()))
        kind = "m_bombard" if behind or shooters else "m_charge"
        if not aimed or (kind == "m_charge" and rows == {"V"}):
            return []
        word = next(a for a in self.match.atoms if a.has("attack"))
        name = game_data().maneuvers[NAMES[kind]].name_ru
        self.notes.append(tables()["asks"]["attack_as"].format(word=word.text, maneuver=name))
        return [kind]

    def _units(self) -> list[str]:
        return [u for u in (unit_of(f.atom) for f in self.match.slots.get("units", ())) if u is not None]

    def _cell(self, atom: Atom, near: str, row: str) -> str | None:
        """A place as seen from a cell: a flank alone keeps the row, a row alone the flank."""
        if atom.has("cell"):
            return str(value_of(atom, "cell")[0])
        if atom.has("flank"):
            flank = str(value_of(atom, "flank"))
            if atom.text.lower() in ("влево", "вправо", "левее", "правее", "налево", "направо"):
                order = "LCR"
                at = order.index(near[0]) + (-1 if flank == "L" else 1)
                return (order[at] if 0 <= at < 3 else flank) + row
            return flank + row
        if atom.has("row"):
            return near[0] + str(value_of(atom, "row"))
        if atom.has("~place", "~same"):
            found: str | None = self.context.memory.get("target")
            return found
        if atom.has("unit", "squad"):
            unit = unit_of(atom)
            if unit is None:
                return None
            place, sure = self.board.find([unit], None, None)
            if place is None and not self.board.places:
                place = near[0] + "R"
            if place is not None and not sure:
                self.notes.append(tables()["asks"]["guessed_target"].format(position=game_data().places[place][0]))
            return place
        return None

    def _of_twins(self, kind: str, base: dict[str, Any], targets: list[Atom]) -> list[Output]:
        return [o for twin in self.twins for o in self._one(kind, {**base, "position": twin}, twin, targets)]

    def _swap(self, base: dict[str, Any], subject: str, targets: list[Atom]) -> list[Output]:
        other = self._cell(targets[0], subject, subject[1]) if targets else None
        both = [c for a in self.match.atoms if a.has("cell") for c in value_of(a, "cell")]
        if other is None and len(both) == 2:
            subject, other = both
            base = {**base, "position": subject}
        if other is None:
            return [
                self.context.problem(
                    self.match, "ambiguous", tables()["asks"]["which_target"].format(maneuver=self.match.triggers[0].text)
                )
            ]
        first = {**base, "maneuver": "move", "path": [other]}
        second = {**base, "position": other, "maneuver": "move", "path": [subject]}
        return [self.context.reading(self.match, c, notes=self.notes) for c in (first, second)]

    def _one(self, kind: str, base: dict[str, Any], subject: str, targets: list[Atom]) -> list[Output]:
        context, match = self.context, self.match
        name = NAMES[kind]
        command = {**base, "maneuver": name}
        aimed = targets if name in ("move", "forced_march") else sorted(targets, key=lambda a: not a.has("cell"))
        rest = [a for a in aimed[name != "cover" :] if a.has("cell", "flank")]
        targets = aimed  # «вперёд, в натиск на левый арьергард»
        if rest and name not in ("move", "forced_march"):
            self.notes.append(tables()["asks"]["left_over"].format(text=rest[0].text))
        if name == "cover":
            return [self._done(command)]
        if name in ("move", "forced_march"):
            path: list[str] = []
            targets = sorted(targets, key=lambda a: a.prep != "через")  # «в правый авангард через центр»
            for atom in targets[: 3 if name == "forced_march" else 2]:
                cell = self._cell(atom, path[-1] if path else subject, (path[-1] if path else subject)[1])
                if cell is not None and cell not in path[-1:]:  # «шаг назад, в тыл»
                    path.append(cell)
            if not path:
                return [self._which_target()]
            return [self._done({**command, "path": path})]
        if name == "defend":
            target = self._cell(targets[0], subject, "R") if targets else None
            if target is None and subject[1] == "V":
                target = subject[0] + "R"
                self.notes.append(tables()["asks"]["guessed_target"].format(position=game_data().places[target][0]))
            if target is None:
                return [ask(context, match, "which_rear", [game_data().places[f + "R"][0] for f in "LCR" if f != subject[0]])]
            return [self._done({**command, "target": target})]
        row = "R" if name == "charge" else "V"
        target = self._cell(targets[0], subject, row) if targets else None
        if target is None:
            return [self._which_target()]
        context.memory["target"], context.memory["target_of"] = target, name
        if name == "charge" and target[1] == "V":
            text = tables()["asks"]["charge_rear"].format(position=game_data().places[target[0] + "R"][0])
            better = {**command, "target": target[0] + "R"}
            out = refuse("E_CHARGE_TARGET", position=game_data().places[target][0])
            return [
                context.problem(
                    match, out.code, text, draft={**command, "target": target}, choices=[choice(text, better)], rule=out.rule
                )
            ]
        return [self._done({**command, "target": target})]

    def _done(self, command: dict[str, Any]) -> Reading:
        self.context.memory[LAST] = command
        return self.context.reading(self.match, command, notes=self.notes)

    def _which_target(self) -> Problem:
        text = tables()["asks"]["which_target"].format(maneuver=self.match.triggers[0].text)
        return self.context.problem(self.match, "ambiguous", text)
