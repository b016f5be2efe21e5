"""One match with the words in and beside it, and what may become of it: a reading or a refusal, as a problem."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Match
from parsers.types import Choice, Problem, Reading, Severity, Span
from rules.grand_strategy.data import table
from rules.grand_strategy.language.names import pronouns
from rules.grand_strategy.state import State

HIRED = "<hired {}>"


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


class Matched:
    """A match and its words."""

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

    def put(self, unit: str, cell: str) -> None:
        """A troop has moved."""
        self.memory.setdefault("at", {})[unit] = cell
