"""What a frame's `make` may use: what was said before, names for messages, and constructors of readings and problems."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from parsers.atoms import Atom
from parsers.frames import Filled, Match, Output, Slot
from parsers.lexicon import Lexicon
from parsers.structure import Layout
from parsers.tokens import Kind, Token
from parsers.types import Choice, Problem, Reading, Severity, Span

MEMORY = 300
"""How many atoms back a reference reaches."""


@dataclass
class Context:
    """The state of one reading of a post. Made anew for each post; never shared."""

    layout: Layout
    lexicon: Lexicon
    atoms: Sequence[Atom]
    """All atoms of the post in order, those outside orders too."""
    view: Any
    """The game's view, for recognisers and hooks."""
    ambiguous_code: str = "ambiguous"
    outputs: list[tuple[Match, list[Output]]] = field(default_factory=list)
    """What was made before, in the order of the text."""
    read: frozenset[int] = frozenset()
    """Tokens of everything that was made, before corrections and the game's last look dropped or joined any of it."""
    memory: dict[str, Any] = field(default_factory=dict)
    """Free for a language's hooks."""

    @cached_property
    def by_sentence(self) -> dict[int, list[Atom]]:
        """All atoms by the index of their sentence."""
        out: dict[int, list[Atom]] = {}
        for atom in self.atoms:
            out.setdefault(self.layout.sentence_of[atom.first], []).append(atom)
        return out

    @property
    def readings(self) -> list[Reading]:
        """The readings so far."""
        return [o for _, outs in self.outputs for o in outs if isinstance(o, Reading)]

    def text(self, span: Span) -> str:
        """The player's own words."""
        return self.layout.text[span.start : span.end]

    def title(self, kind: str, value: Any) -> str:
        """Russian name of a value."""
        return self.lexicon.title(kind, value)

    def before(self, offset: int, *kinds: str, live: bool = False) -> Filled | None:
        """The last thing of these kinds named before an offset, also outside orders unless `live`."""
        end = bisect_left(self.atoms, offset, key=lambda a: a.span.start)
        for atom in reversed(self.atoms[max(0, end - MEMORY) : end]):
            if atom.span.end <= offset:
                if live and self.layout.status[atom.first] != 0:
                    continue
                senses = [s for s in atom.senses if s.kind in kinds and not s.partial]
                if senses:
                    return Filled(atom, tuple(senses[:1]))
        return None

    def resolve(self, filled: Filled, slot: Slot) -> Any:
        """A slot's value; a reference is looked up: the last value of the slot's kinds named before. None: nothing named."""
        if not filled.ref:
            return filled.value
        found = self.before(filled.atom.span.start, *slot.kinds)
        return None if found is None else found.value

    def unknown_words(self, first: int, last: int) -> list[Token]:
        """Words of the tokens `first <= i < last` that are part of no atom and are no function words."""
        from parsers.russian import closed_class

        begin = max(0, bisect_left(self.atoms, first, key=lambda a: a.first) - 1)
        end = bisect_left(self.atoms, last, key=lambda a: a.first)
        taken = {i for atom in self.atoms[begin:end] for i in range(atom.first, atom.last)}
        return [
            t
            for i, t in enumerate(self.layout.tokens[first:last], first)
            if t.kind is Kind.WORD and i not in taken and t.norm not in closed_class()
        ]

    # -------------------------------------------------------------------------------------------- constructors

    def reading(
        self,
        match: Match,
        command: Mapping[str, Any],
        *,
        notes: Sequence[str] | None = None,
        certain: bool | None = None,
        note: str | None = None,
        fields: Mapping[str, Span] | None = None,
        span: Span | None = None,
        extra: Sequence[Span] = (),
    ) -> Reading:
        """A command read from a match. Uncertain when there are `notes`, unless `certain` says otherwise."""
        why = list(match.notes() if notes is None else notes)
        sure = not why if certain is None else certain and not why
        said = "; ".join([*why, *([note] if note else [])]) or None
        return Reading(dict(command), span or match.span, sure, said, dict(fields or {}), tuple(extra))

    def widened(self, reading: Reading, span: Span) -> Reading:
        """The same reading over a larger span."""
        return replace(reading, span=span)

    def problem(
        self,
        match: Match,
        code: str,
        message: str,
        span: Span | None = None,
        *,
        severity: Severity = Severity.QUESTION,
        draft: Mapping[str, Any] | None = None,
        choices: Sequence[Choice] = (),
        correction: str | None = None,
        rule: str | None = None,
    ) -> Problem:
        """A problem instead of a command; it covers the whole match, so that nothing is lost. `span`: the words to blame."""
        if draft is None:
            draft = {"type": match.frame.id, **{n: v[0].value for n, v in match.slots.items() if not v[0].ref}}
        draft = {k: v for k, v in draft.items() if isinstance(v, str | int | bool | list | dict | None)}
        place = match.span if span is None else match.span.cover(span)
        focus = span if span is not None and place != span else None
        return Problem(code, severity, message, place, None, None, draft, tuple(choices), correction, rule, focus)

    def which(self, match: Match, slot: str, filled: Filled, code: str = "") -> Problem:
        """The question which of several things was meant."""
        names = [self.title(s.kind, s.value) for s in filled.senses]
        choices = [Choice(name, None) for name in names]
        message = f"Непонятно, что значит «{filled.atom.text}»: {' или '.join(names[:6])}?"
        return self.problem(match, code or self.ambiguous_code, message, filled.atom.span, choices=choices)
