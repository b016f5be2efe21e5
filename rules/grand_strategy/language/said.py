"""One match seen with the eyes of the game: which troop, house, player and cells its words mean; refusals as problems."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from parsers.atoms import Atom, Sense
from parsers.context import Context
from parsers.frames import Match, choice
from parsers.russian import Verb, info
from parsers.types import Choice, Problem, Reading, Severity, Span
from rules.grand_strategy.data import table
from rules.grand_strategy.language.names import pronouns, school_of, stems, tables
from rules.grand_strategy.names import building_name, player_name, unit_name
from rules.grand_strategy.state import Building, State, Unit

HIRED = "<hired {}>"
_STEP = {"n": (0, -1), "s": (0, 1), "w": (-1, 0), "e": (1, 0), "nw": (-1, -1), "ne": (1, -1), "sw": (-1, 1), "se": (1, 1)}
_LEADING = frozenset(tables()["led"]["lemmas"])
FROM = frozenset({"с", "со", "из", "от", "ото", "изо"})


class Stop(Exception):
    """The match is no command: the problem says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.code)
        self.problem = problem


class _Blank(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "?"


def text_of(code: str, variant: str = "", **params: Any) -> str:
    """The game's own sentence for a code (`data/errors.toml`)."""
    texts = table("errors")["error"]
    template = str(texts.get(f"{code}_{variant}" if variant else code) or texts.get(code, code))
    return template.format_map(_Blank(params))


class Said:
    """A match and what the game makes of its words."""

    def __init__(self, match: Match, context: Context) -> None:
        self.match = match
        self.context = context
        self.state: State = context.view.state
        self.me: str = context.view.faction or ""
        self.memory = context.memory
        self.notes: list[str] = list(match.notes())
        self._unsure: list[str] = []
        self.settled: list[Atom] = []
        """Words that stand in no command and need not: «Радомиру — ничего»."""
        for atom in match.atoms:
            archers = atom.has("utype") and atom.text.lower().startswith(stems("archers"))
            if archers and not any(self.type_of(u) == atom.senses[0].value for u in self.own()):
                self.unsure(f"«{atom.text}» понято как {context.title('utype', atom.senses[0].value)}")
        self._before = dict(self.memory.get("at", {}))
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

    # ------------------------------------------------------------------------------------------ words

    def atoms(self, slot: str) -> list[Atom]:
        """Atoms of a slot, in the order of the text."""
        return [f.atom for f in self.match.slots.get(slot, ())]

    def has(self, *kinds: str) -> bool:
        """True when a word of one of these kinds stands in the match."""
        return any(a.has(*kinds) for a in self.match.atoms)

    def words(self, *kinds: str) -> list[Atom]:
        """Words of these kinds in the match."""
        return [a for a in self.match.atoms if a.has(*kinds)]

    def spoken(self, group: str) -> bool:
        """True when one of a group's pronouns (`[pronouns]`) stands in or beside the match."""
        tokens = self.context.layout.tokens[max(0, self.match.first - 2) : self.match.last + 1]
        return any(t.norm in pronouns(group) for t in tokens)

    def beside(self, *kinds: str) -> Atom | None:
        """A word of these kinds in the sentence, outside the match."""
        atoms = self.context.by_sentence.get(self.match.sentence, [])
        return next((a for a in atoms if a.has(*kinds) and not any(a is m for m in self.match.atoms)), None)

    def denied(self) -> bool:
        """True where a «не» that is part of no phrase of the game stands in the match or right behind it."""
        layout, match = self.context.layout, self.match
        last = min(match.last + 2, layout.sentences[match.sentence].last)
        return any(layout.tokens[i].norm == "не" and not self.inside(i) for i in range(match.first, last))

    def inside(self, token: int) -> bool:
        """True for a token of a word of the game: an atom, in the match or not."""
        atoms = self.context.by_sentence.get(self.context.layout.sentence_of[token], [])
        return any(a.first <= token < a.last for a in atoms)

    def words_after(self, verb: str, slot: str) -> list[Atom]:
        """Atoms of a slot that stand behind the first word of a kind."""
        first = min((a.first for a in self.match.triggers if a.has(verb)), default=self.match.last)
        return [a for a in self.atoms(slot) if a.first > first]

    def value(self, slot: str) -> Any:
        """The first value of a slot, or None."""
        return self.match.value(slot)

    def near(self, *kinds: str, behind: int = 0) -> Atom | None:
        """A word of these kinds shortly before, in or behind the match, in the same line."""
        layout = self.context.layout
        sentence = self.match.sentence
        for index in (sentence, sentence + 1):
            if index >= len(layout.sentences) or layout.sentences[index].line != layout.sentences[sentence].line:
                break
            inside = self.context.by_sentence.get(index, [])
            for atom in inside[bisect_left(inside, self.match.first - 4, key=lambda a: a.first) :]:
                if atom.first > self.match.last + behind:
                    break
                if atom.has(*kinds):
                    return atom
        return None

    # ------------------------------------------------------------------------------------------ answers

    def read(
        self,
        command: Mapping[str, Any],
        *,
        note: str | None = None,
        span: Span | None = None,
        extra: Sequence[Span] = (),
    ) -> Reading:
        """A reading; uncertain where something had to be guessed."""
        fields = {k: v for k, v in command.items() if v is not None}
        reading = self.context.reading(self.match, fields, notes=[*self.notes, *self._unsure], note=note, span=span, extra=extra)
        actor = fields.get("unit") or fields.get("mage")
        if fields.get("type") == "hire":
            self.memory["spoken"] = HIRED.format(fields["unit_type"])
            self.put(HIRED.format(fields["unit_type"]), str(fields["building"]))
            if fields.get("personal_for") in (None, self.me):
                self.memory.setdefault("hired", {})[str(fields["unit_type"])] = True
        elif isinstance(actor, str):
            self.memory["spoken"] = actor
        if isinstance(actor, str):
            self.memory["actor"] = actor
            self.memory["actor_at"] = self.match.first
        return reading

    def unsure(self, note: str) -> None:
        """Makes the reading ask."""
        if note not in self._unsure:
            self._unsure.append(note)

    def stop(
        self,
        code: str,
        message: str,
        *,
        severity: Severity = Severity.QUESTION,
        span: Span | None = None,
        choices: Sequence[Choice] = (),
        draft: Mapping[str, Any] | None = None,
        correction: str | None = None,
    ) -> Stop:
        """A problem in the place of the command, to be raised."""
        draft = draft if draft is not None else {"type": self.match.frame.id}
        return Stop(
            self.context.problem(
                self.match, code, message, span, severity=severity, draft=draft, choices=choices, correction=correction
            )
        )

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

    def at(self, unit: str) -> str | None:
        """Where a troop stands after the orders so far."""
        moved = self.memory.setdefault("at", {})
        if unit in moved:
            return str(moved[unit])
        found = self.state.units.get(unit)
        return found.cell if found else None

    def start_of(self, unit: str) -> str | None:
        """Where a troop stood before this match."""
        if unit in self._before:
            return str(self._before[unit])
        found = self.state.units.get(unit)
        return found.cell if found else None

    def put(self, unit: str, cell: str) -> None:
        """A troop has moved."""
        self.memory.setdefault("at", {})[unit] = cell

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

    # ------------------------------------------------------------------------------------------ troops

    def hired(self) -> list[str]:
        """Types hired earlier in the post."""
        return list(self.memory.get("hired", ()))

    @property
    def last(self) -> Mapping[str, Any]:
        """The command read last; empty before the first."""
        for _, outputs in reversed(self.context.outputs):
            for output in reversed(outputs):
                if isinstance(output, Reading):
                    return output.command
        return {}

    def goes_on(self) -> bool:
        """True where the order before it stands in the same sentence, or in the one before it on the same line."""
        if not self.context.outputs:
            return False
        before, sentences = self.context.outputs[-1][0].sentence, self.context.layout.sentences
        same = sentences[before].line == sentences[self.match.sentence].line
        return before == self.match.sentence or (same and self.match.sentence - before == 1)

    def own(self) -> list[str]:
        """One's own troops, those hired in the post too."""
        return [u.id for u in self.state.units.values() if u.owner == self.me and self.me] + [
            HIRED.format(t) for t in self.hired()
        ]

    def type_of(self, unit: str) -> str:
        """The kind of a troop."""
        found = self.state.units.get(unit)
        return found.type if found else unit.removeprefix("<hired ").removesuffix(">")

    def unit_title(self, unit: str) -> str:
        """A troop's name for messages."""
        return (
            unit_name(self.state, unit)
            if unit in self.state.units
            else f"нанятые {self.context.title('utype', self.type_of(unit))}"
        )

    def mine(self, unit: str) -> bool:
        """True for one's own troop."""
        found = self.state.units.get(unit)
        return found.owner == self.me if found else unit.startswith("<hired")

    def candidates(self, atom: Atom) -> list[str]:
        """Troops that a word may mean, one's own first; own ones shut out others."""
        senses = atom.all("unit", "utype", "personal")
        whole = [s for s in senses if s.kind == "unit" and not s.partial]
        if whole:
            return [str(whole[0].value)]
        found: list[str] = []
        for sense in senses:
            if sense.kind == "unit":
                found.append(str(sense.value))
            elif sense.kind == "personal":
                owner = self.me
                found += [u.id for u in self.state.units.values() if u.personal and u.owner == owner]
            else:
                found += [u for u in self.own() if self._is(u, str(sense.value))]
                found += [u.id for u in self.state.units.values() if u.owner != self.me and self._is(u.id, str(sense.value))]
        found = list(dict.fromkeys(found))
        return [u for u in found if self.mine(u)] or found

    def _is(self, unit: str, kind: str) -> bool:
        own = self.type_of(unit)
        if kind == "infantry_any":
            return own in self.state.unit_types and self.state.unit_types[own].kind == "infantry"
        return own == kind

    def unit(self, atom: Atom, cell: str | None = None) -> str:
        """The one troop that a word means; stops with a question or an error."""
        if atom.has("~person"):
            actor = self.memory.get("spoken")
            if actor is None:
                raise self.stop("ambiguous", f"Непонятно, о каком войске речь: «{atom.text}».", span=atom.span)
            return str(actor)
        found = self.candidates(atom)
        if cell is not None and len(found) > 1:
            found = [u for u in found if self.at(u) == cell] or found
        if not found:
            listed = ", ".join(self.unit_title(u) for u in self.own()) or "нет"
            raise self.stop(
                "no_such_unit", text_of("no_such_unit", text=atom.text, list=listed), severity=Severity.ERROR, span=atom.span
            )
        if len(found) > 1:
            hired = [u for u in found if u.startswith("<hired")]
            if len(set(hired)) == 1 and len(found) == len(hired):
                return hired[0]
            others = [self.state.units.get(u) for u in found if u not in hired]
            if len(set(hired)) == 1 and all(u is not None and u.personal and u.name for u in others):
                self.unsure(f"«{atom.text}» понято как {self.unit_title(hired[0])}")
                return hired[0]
            names = [self.unit_title(u) for u in found]
            raise self.stop(
                "ambiguous", text_of("ambiguous", options=" или ".join(names)), span=atom.span, choices=[choice(n) for n in names]
            )
        return found[0]

    def named(self, slot: str = "units") -> list[str]:
        """All troops of a slot."""
        return [self.unit(a) for a in self.atoms(slot)]

    def default_actor(self, fits: Callable[[str], bool] = lambda unit: True) -> str:
        """The troop that goes without saying: the one last spoken of, else the only one that can."""
        own = [u for u in self.own() if fits(u)]
        actor = self.memory.get("actor")
        last = self.context.outputs[-1][0] if self.context.outputs else None
        hired = str(self.memory.get("spoken", ""))
        hiring = last is not None and last.frame.id == "hire" and last.sentence == self.match.sentence
        by_itself = not any(a.verb in (Verb.ORDER, Verb.INFINITIVE) for a in self.match.triggers)
        if hiring and hired in own and (by_itself or self._leads()):
            return hired  # «орки набраны и топают на Т7», «нанять орков и отправить на Т7»
        if actor in own:
            far = self.context.layout.sentence_of[self.match.first] - self.context.layout.sentence_of[self.memory["actor_at"]]
            if len(own) > 1 and far > 2:
                self.unsure(f"войско не названо: понято как {self.unit_title(str(actor))}")
            return str(actor)
        if len(own) == 1:
            return own[0]
        if not own:
            standing = self.own()
            if len(standing) == 1:
                return standing[0]
            raise self.stop("no_such_unit", "Какое войско? У вас подходящего нет.", severity=Severity.ERROR)
        names = [self.unit_title(u) for u in own]
        raise self.stop("ambiguous", text_of("ambiguous", options=" или ".join(names)), choices=[choice(n) for n in names])

    def _leads(self) -> bool:
        """True where the verb needs somebody that is led."""
        tokens = self.context.layout.tokens
        return any(info(tokens[i].norm).lemmas & _LEADING for a in self.match.triggers for i in a.tokens())

    def personal(self, owner: str | None = None) -> str | None:
        """The id of a player's личное войско."""
        return next((u.id for u in self.state.units.values() if u.personal and u.owner == (owner or self.me)), None)

    def unit_object(self, unit: str) -> Unit | None:
        """The troop, unless it was hired in this very post."""
        return self.state.units.get(unit)

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
        """The battle spoken of: in the match, else the last one named before."""
        sentence_of = self.context.layout.sentence_of
        for atom in self.atoms("battle"):
            sense = atom.get("battle")
            late = atom.first > self.match.first and sentence_of[atom.first] != sentence_of[self.match.first]
            if sense is not None and not late:
                return int(sense.value)
        before = self.context.before(self.match.span.start, "battle")
        return int(before.value) if before is not None else None


def lead(atom: Atom, *kinds: str) -> Sense | None:
    """The atom's sense of a kind if that is its likeliest."""
    sense = atom.get(*kinds)
    return sense if sense is not None and atom.senses and atom.senses[0].quality - sense.quality < 0.05 else None
