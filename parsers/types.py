"""What a reading of a post is made of: spans, problems, readings of commands, ignored parts.

Shared by the parsers, the rules (their `check` returns the same `Problem`) and everything above them. Serves the promise
that nothing is lost: readings, problems and ignored spans together cover every non-blank character of the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

Json = Any
"""A JSON value: None, bool, int, float, str, list or dict with string keys."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of characters, `start <= i < end`, in the plain text of one post."""

    start: int
    end: int

    def __contains__(self, offset: int) -> bool:
        return self.start <= offset < self.end

    def touches(self, other: Span) -> bool:
        """True when the two share a character."""
        return self.start < other.end and other.start < self.end

    def cover(self, other: Span) -> Span:
        """The smallest span that holds both."""
        return Span(min(self.start, other.start), max(self.end, other.end))


class Severity(StrEnum):
    """How a problem bears on the order it is about."""

    ERROR = "error"
    """Not an order until it is fixed."""
    WARNING = "warning"
    """An order, but probably not what was meant, or not possible now."""
    QUESTION = "question"
    """Ambiguous or incomplete: no order until answered."""


class IgnoredReason(StrEnum):
    """Why a part of a post is not an order."""

    PROSE = "prose"
    QUOTE = "quote"
    SIGNATURE = "signature"
    STRUCK = "struck"
    OOC = "ooc"
    HEADING = "heading"
    SEPARATOR = "separator"
    SUMMARY = "summary"
    SUPERSEDED = "superseded"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Choice:
    """One possible answer to a question: what the player would have meant, and the text that says so."""

    text: str
    """Short Russian text shown to the player or GM."""
    command: Mapping[str, Json] | None = None
    """The whole command this answer would make, where it is one."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something the player and the GM must see. A value, never an exception: a user's text is wrong, not the program."""

    code: str
    """The specification's code (`E_ENERGY`, `not_your_turn`, …), or `conditional`, `unknown_order`, `unreadable`, `ambiguous`."""
    severity: Severity
    message: str
    """One or two Russian sentences, with the correct possibility where there is one."""
    span: Span | None = None
    """Place in the post's text. None from `check`: the caller fills in the place of the command (or of its `field`)."""
    command: int | None = None
    """Index of the command it is about, in the sequence that was checked or in `Parse.readings`."""
    field: str | None = None
    """Field of that command, where one is to blame."""
    draft: Mapping[str, Json] | None = None
    """The incomplete command, where no command could be made."""
    choices: tuple[Choice, ...] = ()
    """Possible answers, for a question."""
    correction: str | None = None
    """A corrected line that the player can paste as it is."""
    rule: str | None = None
    """The ruling broken, e.g. `R26`."""
    focus: Span | None = None
    """The very words to blame, where they are fewer than `span`, which accounts for the whole order."""

    def at(self, span: Span) -> Problem:
        """The same problem with its place filled in."""
        return replace(self, span=span)


@dataclass(frozen=True, slots=True)
class Reading:
    """One command as it was understood, with the words that carry it."""

    command: Mapping[str, Json]
    """`type` and the fields of the ruleset's specification, with its identifiers."""
    span: Span
    """The smallest stretch of text that carries the order."""
    certain: bool = True
    """False: a guess (typo repaired, context, unusual word); it asks for confirmation and is never an order by itself."""
    note: str | None = None
    """Why it is uncertain, in Russian; or how a certain reading was completed («остаток: 6э»)."""
    fields: Mapping[str, Span] = field(default_factory=dict)
    """Where each field was read, as far as known."""
    extra_spans: tuple[Span, ...] = ()
    """Further places that belong to the order (a shared verb, a correction elsewhere in the post)."""
    correction: str | None = None
    """For an uncertain one: the player's words put right, which would be read so for certain."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """A part that is no order, and why."""

    span: Span
    reason: IgnoredReason


@dataclass(frozen=True, slots=True)
class Parse:
    """What was understood of one post. Never incomplete: see `uncovered`."""

    text: str
    """The plain text of the post, to which all spans refer."""
    readings: tuple[Reading, ...] = ()
    problems: tuple[Problem, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    restart: bool = False
    """The post takes back everything its author sent before in this step («отмена хода, заново:») in games that have no
    command for that."""

    @property
    def commands(self) -> tuple[Mapping[str, Json], ...]:
        """The commands in the order of the text."""
        return tuple(reading.command for reading in self.readings)

    def spans(self) -> Iterator[Span]:
        """Every span that accounts for some text."""
        for reading in self.readings:
            yield reading.span
            yield from reading.extra_spans
        for problem in self.problems:
            if problem.span is not None:
                yield problem.span
        for ignored in self.ignored:
            yield ignored.span

    def uncovered(self) -> list[Span]:
        """Maximal stretches of non-blank characters that nothing accounts for. Empty, or there is a bug."""
        covered = bytearray(len(self.text))
        for span in self.spans():
            covered[span.start : span.end] = b"\1" * (span.end - span.start)
        out: list[Span] = []
        start: int | None = None
        for i, char in enumerate(self.text):
            open_here = not covered[i] and not char.isspace()
            if open_here and start is None:
                start = i
            elif not open_here and start is not None:
                out.append(Span(start, i))
                start = None
        if start is not None:
            out.append(Span(start, len(self.text)))
        return out

    def with_problems(self, problems: Sequence[Problem]) -> Parse:
        """The same parse with further problems (those of the ruleset's `check`), their places filled in from the readings."""
        placed = []
        for problem in problems:
            if problem.span is None and problem.command is not None:
                reading = self.readings[problem.command]
                span = reading.fields.get(problem.field or "", reading.span)
                problem = problem.at(span)
            placed.append(problem)
        return replace(self, problems=(*self.problems, *placed))


def line_of(text: str, offset: int) -> int:
    """The line number, from 1, of a character offset."""
    return text.count("\n", 0, offset) + 1


def parse_to_json(parse: Parse) -> dict[str, Json]:
    """The `parse --json` form of the contract, without `ruleset` and `faction`."""
    text = parse.text
    commands = []
    for reading in parse.readings:
        source = {"start": reading.span.start, "end": reading.span.end, "text": text[reading.span.start : reading.span.end]}
        commands.append({**reading.command, "source": source, "certain": reading.certain, "note": reading.note})
    problems = []
    for problem in parse.problems:
        span = problem.span or Span(0, len(text))
        item: dict[str, Json] = {
            "severity": problem.severity.value,
            "code": problem.code,
            "message": problem.message,
            "start": span.start,
            "end": span.end,
            "line": line_of(text, span.start),
        }
        if problem.draft is not None:
            item["draft"] = dict(problem.draft)
        if problem.choices:
            item["choices"] = [
                {"text": c.text, **({"command": dict(c.command)} if c.command is not None else {})} for c in problem.choices
            ]
        if problem.focus is not None:
            item["focus"] = {"start": problem.focus.start, "end": problem.focus.end}
        if problem.correction is not None:
            item["correction"] = problem.correction
        if problem.rule is not None:
            item["rule"] = problem.rule
        if problem.command is not None:
            item["command"] = problem.command
        problems.append(item)
    ignored = [{"start": i.span.start, "end": i.span.end, "reason": i.reason.value} for i in parse.ignored]
    # An order often stands in several places (its verb is shared, its choice said later): `source` then reaches over all of
    # them, so that the spans together cover the text, and `also` tells the further ones.
    for reading, command in zip(parse.readings, commands, strict=True):
        if reading.extra_spans:
            hull = reading.span
            for span in reading.extra_spans:
                hull = hull.cover(span)
            command["source"] = {"start": hull.start, "end": hull.end, "text": text[hull.start : hull.end]}
            command["source"]["also"] = [{"start": s.start, "end": s.end} for s in reading.extra_spans]
        if reading.correction is not None:  # beside the text it mends: a command's own keys are the specification's alone
            command["source"]["correction"] = reading.correction
    return {"text": text, "commands": commands, "problems": problems, "ignored": ignored, "restart": parse.restart}
