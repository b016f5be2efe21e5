"""An order language: lexicon, frames, recognisers and hooks of one game, and `parse`, which reads a post with them.

`Language.parse` never raises on any text and accounts for every non-blank character (promise 1).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from parsers import accounting, answers, coverage, discourse, guesses, mending, overlooked
from parsers.atoms import Atom, within
from parsers.context import Context
from parsers.frames import Fill, Frame, Match, Output, Slot, make_simple
from parsers.layout import lay_out
from parsers.lexicon import Entry, Lexicon
from parsers.limits import readable
from parsers.reading_atoms import Composite, Recogniser, general_entries, read_atoms
from parsers.repairs import repaired
from parsers.russian import ORDERING
from parsers.segments import materialise, segment
from parsers.structure import Layout, Status
from parsers.text import PostText
from parsers.tokens import Token
from parsers.types import Ignored, Parse, Problem, Severity, Span
from parsers.unknown import unknown_orders

RESTART = "restart"
"""Key of `Context.memory` that a frame sets when the post takes back all earlier ones of its author (`Parse.restart`)."""

Finish = Callable[[Context, list[tuple[Match, list[Output]]]], list[tuple[Match, list[Output]]]]
TakeBack = Callable[[Context, Match], Iterable[Output]]


@dataclass(frozen=True)
class Language:
    """Everything a game says about how its orders are written. Make one per view and keep it: it is immutable."""

    lexicon: Lexicon
    frames: tuple[Frame, ...]
    guesses: tuple[Frame, ...] = ()
    """Frames for what was not understood (see `guesses`): their `bare` says which things an order may be guessed from."""
    units: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Words of units behind numbers: `{"energy": {"э", "эн", "энергии"}}`; such a number is of that kind."""
    recognisers: tuple[Recogniser, ...] = ()
    composites: tuple[Composite, ...] = ()
    wholes: tuple[Composite, ...] = ()
    """Composites before self-repairs are looked for: what is one thing in two words."""
    strong: frozenset[str] = frozenset()
    """Kinds that are hardly ever said but in an order (energy, units): left over beside an order they make it uncertain."""
    names: frozenset[str] = frozenset()
    """Kinds that are names and not words of command: tense says nothing about them."""
    abbreviations: frozenset[str] = frozenset()
    """Words whose full stop ends no sentence."""
    keeps: Callable[[Sequence[Token]], bool] | None = None
    """Whether a conditional stretch is an order of this game (else it becomes a question `conditional`)."""
    real_words: frozenset[str] = frozenset()
    """Words that the engine takes for signs of a wish but this game doesn't."""
    finish: Finish | None = None
    """Last look at everything that was made: duplicates, amounts that depend on each other."""
    take_back: TakeBack | None = None
    """What a withdrawal of something that isn't in this post means («атаку из прошлой заявки снимаю»)."""
    allows: Callable[[Context, Match], bool] | None = None
    """False: this match is a story or somebody else's order after all."""
    clauses: Callable[[Layout], Sequence[tuple[int, int]]] | None = None
    """Stretches of tokens that the game reads by itself (a condition with its deeds): ordinary frames don't see them."""
    read_clause: Callable[[Language, Context, int, int], Sequence[tuple[Match, list[Output]]]] | None = None
    """What such a stretch means; in the order of the text with everything else. `read_part` reads the deeds inside it."""
    view: Any = None
    ambiguous_code: str = "ambiguous"
    unknown_message: str = "Такого приказа в игре нет: «{text}»."
    conditional_message: str = "Условных приказов в игре нет: «{text}». Что сделать?"
    hinted_message: str = "Это приказ или только слова: «{text}»? Если приказ — скажите его прямо."
    overlooked_message: str = "Не понял, приказ ли это: «{text}». Если приказ — напишите его иначе."
    unknown_needs: frozenset[str] = frozenset()
    """Kinds one of which a sentence must hold to be an order that the game doesn't have; default: `strong` and `names`."""

    harmless: frozenset[str] = frozenset()
    """Lemmas that change no order of this game when they stand beside it (see `coverage`)."""

    opens: frozenset[str] = frozenset()
    """Kinds of words that announce what a list is about («Бой за Вальдхейм.»): a line that begins so orders nothing itself."""

    persons: frozenset[str] = frozenset()
    """Kinds of names of players; who is called by name is told to do something himself."""
    me: str | None = None
    """The writer's own value among them."""

    def parse(self, post: PostText) -> Parse:
        """Reads a post."""
        text = post.text
        cut = readable(text, self.lexicon)
        if cut == len(text):
            return self._read(post)
        marks = tuple(replace(m, span=Span(m.span.start, min(m.span.end, cut))) for m in post.marks if m.span.start < cut)
        head = self._read(PostText(text[:cut], marks))
        message = "Сообщение слишком длинное: дальше этого места приказы не прочитаны."
        rest = Problem("unreadable", Severity.ERROR, message, Span(cut, len(text)))
        return replace(head, text=text, problems=(*head.problems, rest))

    # -------------------------------------------------------------------------------------------- steps

    def _read(self, post: PostText) -> Parse:
        return self._read_layout(self._lay_out(post))

    def read_alone(self, line: str) -> Parse:
        """A line by itself, without a look at what could be put right in it."""
        return self._read_layout(self._lay_out(PostText(line)), mend=False)

    def _lay_out(self, post: PostText) -> Layout:
        unit_words = frozenset(w for names in self.units.values() for w in names)
        return lay_out(
            post, abbreviations=self.abbreviations, unit_words=unit_words, keeps=self.keeps, real_words=self.real_words
        )

    def read_line(self, text: str) -> list[tuple[Match, list[Output]]]:
        """Reads one line by itself (a list item with a number replaced); spans refer to `text`."""
        layout = self._lay_out(PostText(text))
        context, _ = self._understand(layout)
        return context.outputs

    def read_part(self, context: Context, first: int, last: int) -> list[tuple[Match, list[Output]]]:
        """Reads the tokens `first <= i < last` as orders of their own, whatever their status (the deed of a condition)."""
        layout = context.layout
        inside = [a for a in within(context.atoms, first, last) if a.last <= last]
        before = context.outputs
        context.outputs = list(before)
        for stretch in segment(layout, inside, self._by_kind, self._strong, _BREAKERS):
            self._make(context, materialise(layout, inside, stretch, ()))
        made, context.outputs = context.outputs[len(before) :], before
        return made

    def matches(self, layout: Layout, atoms: Sequence[Atom]) -> list[Match]:
        """What these atoms would say if they stood where orders may."""
        found = segment(layout, atoms, self._by_kind, self._strong, _BREAKERS)
        return [materialise(layout, atoms, stretch, ()) for stretch in found]

    def _understand(self, layout: Layout) -> tuple[Context, list[Problem]]:
        own = list(self.clauses(layout)) if self.clauses is not None else []
        _claim(layout, own)
        composites = (*self.wholes, repaired, *self.composites, repaired)
        atoms = read_atoms(layout, self.lexicon, self.units, self.recognisers, composites, self._past)
        context = Context(layout, self.lexicon, atoms, self.view, self.ambiguous_code)
        live = [a for a in atoms if all(layout.status[i] is Status.LIVE for i in range(a.first, a.last))]
        corrections = [a.first for a in live if a.has("~correction") and not a.negated]
        for stretch in segment(layout, live, self._by_kind, self._strong, _BREAKERS):
            while own and own[0][0] < live[stretch.first].first:
                self._read_clause(context, *own.pop(0))
            self._make(context, materialise(layout, live, stretch, discourse.in_force(layout, corrections, live, stretch)))
        for first, last in own:
            self._read_clause(context, first, last)
        conditionals = self._conditionals(context)
        return context, conditionals

    def _read_clause(self, context: Context, first: int, last: int) -> None:
        if self.read_clause is not None:
            context.outputs.extend(self.read_clause(self, context, first, last))

    def _make(self, context: Context, match: Match) -> None:
        if self.allows is not None and not self.allows(context, match):
            return
        if match.frame.id == discourse.WITHDRAW:
            context.outputs.append((match, []))
            return
        maker = match.frame.make or make_simple
        context.outputs.append((match, list(maker(match, context))))

    def _read_layout(self, layout: Layout, *, mend: bool = True) -> Parse:
        context, problems = self._understand(layout)
        guesses.guessed(self, context, overlooked.taken(context, context.outputs, problems, ()))
        context.read = frozenset(i for m, made in context.outputs if made for a in m.atoms for i in a.tokens())
        outputs, superseded = discourse.settle(self, context)
        if self.finish is not None:
            outputs = self.finish(context, outputs)
        outputs = coverage.doubted(self, context, outputs, superseded)
        if mend:
            outputs = mending.mended(self, context, outputs)
        problems.extend(unknown_orders(self, context, outputs, problems, superseded))
        explained = overlooked.taken(context, outputs, problems, superseded)
        problems.extend(overlooked.overlooked(self, context, explained))
        problems.extend(overlooked.hinted(self, context, explained))
        problems.extend(overlooked.turned(self, context, explained))
        problems.extend(answers.answered(self, context, overlooked.taken(context, outputs, problems, superseded)))
        parse = accounting.account(layout, outputs, problems, superseded)
        return replace(parse, restart=bool(context.memory.get(RESTART)))

    def _conditionals(self, context: Context) -> list[Problem]:
        layout = context.layout
        out: list[Problem] = []
        for first, last in layout.conditionals:
            inside = [
                a for a in context.atoms if a.first >= first and a.last <= last and layout.status[a.first] is Status.CONDITIONAL
            ]
            if not inside or not (self._may_order(inside) or segment(layout, inside, self._by_kind, self._strong, _BREAKERS)):
                continue
            span = Span(layout.tokens[first].start, layout.tokens[last - 1].end)
            if (
                out
                and out[-1].span is not None
                and context.layout.sentence_of[first] - 1 == layout.sentence_of[_token_at(layout, out[-1].span)]
            ):
                span = out.pop().span.cover(span)  # type: ignore[union-attr]
            message = self.conditional_message.format(text=_short(context.text(span)))
            out.append(Problem("conditional", Severity.QUESTION, message, span))
        return out

    def _may_order(self, atoms: Sequence[Atom]) -> bool:
        """«Если Гхаш согласится, ему 3 монеты», «если проиграем, город не рушить»: an amount of the game, or a verb of order that
        calls for one of the game's, and somebody or something for it."""
        told = any(a.has(*self.units) or (a.verb in ORDERING and a.has(*self.triggers)) for a in atoms)
        return told and (any(a.has(*self.names, "~person") for a in atoms) or all(a.has(*self.triggers) for a in atoms))

    # -------------------------------------------------------------------------------------------- tables

    @property
    def all_frames(self) -> tuple[Frame, ...]:
        """The game's frames and the engine's own."""
        return (*self.frames, self._withdraw)

    @property
    def triggers(self) -> frozenset[str]:
        """Kinds of words that call for an order of the game."""
        return _triggers(self.frames)

    @property
    def amounts(self) -> frozenset[str]:
        """Kinds of numbers, with units or without."""
        return _AMOUNTS | frozenset(self.units)

    @property
    def _withdraw(self) -> Frame:
        return _withdrawal(self.frames, frozenset(self.units))

    @property
    def _by_kind(self) -> Mapping[str, Sequence[Frame]]:
        return _by_kind(self.all_frames)

    @property
    def guesses_by_kind(self) -> Mapping[str, Sequence[Frame]]:
        """By kind of atom, the guesses that can hold it."""
        return _by_kind(self.guesses)

    @cached_property
    def _strong(self) -> frozenset[str]:
        return self.strong | _all_triggers(self.frames)

    @cached_property
    def _past(self) -> frozenset[str]:
        return self.names | self.lexicon.references | _AMOUNTS | {"sum", "arrow"} | set(self.units)


@lru_cache(maxsize=64)
def _triggers(frames: tuple[Frame, ...]) -> frozenset[str]:
    return frozenset(kind for kind in _all_triggers(frames) if not kind.startswith("~"))


@lru_cache(maxsize=64)
def _all_triggers(frames: tuple[Frame, ...]) -> frozenset[str]:
    return frozenset(kind for frame in frames for kind in frame.triggers)


@lru_cache(maxsize=64)
def _withdrawal(frames: tuple[Frame, ...], units: frozenset[str]) -> Frame:
    """The engine's own frame of withdrawals, for the words of these frames."""
    kinds = tuple(sorted(_triggers(frames)))
    amounts = _AMOUNTS | units
    values = tuple(sorted({k for f in frames for s in f.slots for k in s.kinds} - set(kinds) - amounts))
    return Frame(
        discourse.WITHDRAW,
        ("~withdraw",),
        (
            Slot("items", ("~item",), many=True),
            Slot("what", kinds, many=True),
            Slot("which", values, many=True, weight=0.6),
        ),
        inherits=False,
        score=_score_withdrawal,
    )


@lru_cache(maxsize=64)
def _by_kind(frames: tuple[Frame, ...]) -> Mapping[str, Sequence[Frame]]:
    """By kind of atom, the frames that can hold it."""
    out: dict[str, list[Frame]] = {}
    for frame in frames:
        for kind in frame.kinds():
            out.setdefault(kind, []).append(frame)
    return out


def _score_withdrawal(fill: Fill) -> float | None:
    """An item by its number needs no words about it: those before it are most likely another order's."""
    if fill.has("items"):
        return -1.5 if fill.has("what") or fill.has("which") else 0.0
    return -1.2 if fill.has("what") else None  # what it takes back stands in its own sentence


_BREAKERS = frozenset({"~correction", "sum"})
_AMOUNTS = frozenset({"number", "ordinal", "percent", "ratio", "times"})


def _claim(layout: Layout, own: Sequence[tuple[int, int]]) -> None:
    """Takes the stretches that a game reads by itself away from the engine."""
    for first, last in own:
        for i in range(first, last):
            if layout.status[i] is not Status.LIST_MARK:
                layout.status[i] = Status.CONDITIONAL
    if own:
        layout.conditionals = [c for c in layout.conditionals if not any(a < c[1] and c[0] < b for a, b in own)]


def _token_at(layout: Layout, span: Span) -> int:
    return bisect_left(layout.tokens, span.start, key=lambda t: t.start)


def _short(text: str, limit: int = 120) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def build_lexicon(entries: Iterable[Entry]) -> Lexicon:
    """A lexicon with the words that every language has."""
    return Lexicon([*entries, *general_entries()])


__all__ = ["Atom", "Context", "Frame", "Ignored", "Language", "Lexicon", "Match", "Output", "build_lexicon"]
