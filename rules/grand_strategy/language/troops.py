"""The troops that the words of a match mean: one's own first, those hired in the post too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Match, choice
from parsers.russian import Verb, info
from parsers.types import Reading, Severity
from rules.grand_strategy.language.matched import HIRED, Matched, text_of
from rules.grand_strategy.language.names import stems, tables
from rules.grand_strategy.names import unit_name
from rules.grand_strategy.state import Unit

_LEADING = frozenset(tables()["led"]["lemmas"])


class Troops(Matched):
    """A match and the troops it speaks of."""

    def __init__(self, match: Match, context: Context) -> None:
        super().__init__(match, context)
        for atom in match.atoms:
            archers = atom.has("utype") and atom.text.lower().startswith(stems("archers"))
            if archers and not any(self.type_of(u) == atom.senses[0].value for u in self.own()):
                self.unsure(f"«{atom.text}» понято как {context.title('utype', atom.senses[0].value)}")
        self._before = dict(self.memory.get("at", {}))

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
