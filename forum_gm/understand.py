"""One post → what was understood: the order language's reading, typed, then checked by the rules as far as its author may know.

Serves promise 1 (nothing is lost) and promise 6 (one wrong line never drops the others)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce

from pydantic import ValidationError

from forum_gm.precedents import Ruling, restore, rewrite
from parsers.bbcode import from_bbcode
from parsers.html import from_html
from parsers.text import PostText, from_text
from parsers.types import Parse, Problem, Reading, Severity, Span
from rules.base import GM, GM_ONLY, Audience, FactionId, Ruleset, State, StepKind, View, only

FORMATS: dict[str, Callable[[str], PostText]] = {"bbcode": from_bbcode, "html": from_html, "text": from_text}
"""How a post's source becomes its text."""


def post_text(source: str, format_: str) -> PostText:
    """The text of a post's source; `format_` is a key of `FORMATS`."""
    return FORMATS[format_](source)


def audience_of(faction: FactionId) -> Audience:
    """The audience that an issuer is: his faction, or the GM."""
    return GM_ONLY if faction == GM else only(faction)


def understand(ruleset: Ruleset, state: State, faction: FactionId, kind: StepKind | None, post: PostText) -> Parse:
    """Reads and checks a post of `faction`; only what that faction may know of `state` is used."""
    return understand_view(ruleset, ruleset.view(state, audience_of(faction)), kind, post)


def understand_view(ruleset: Ruleset, view: View, kind: StepKind | None, post: PostText, rulings: Sequence[Ruling] = ()) -> Parse:
    """As `understand`, from a view that is at hand already; `rulings` of the GM on phrases are applied."""
    language = ruleset.order_language(view, kind)
    if rulings:
        made = rewrite(post, rulings)
        read = restore(language.parse(made.post), made)
    else:
        read = language.parse(post)
    parse = typed(ruleset, read)
    commands = [ruleset.commands.parse(reading.command) for reading in parse.readings]
    return judged(parse, ruleset.check(view, kind, commands))


def typed(ruleset: Ruleset, parse: Parse) -> Parse:
    """The parse with every reading a valid command of the ruleset; one that isn't becomes an `unreadable` problem with the
    reading as its draft, so that a slip of the language never reaches the rules."""
    good: list[Reading] = []
    bad: list[Problem] = []
    for reading in parse.readings:
        try:
            ruleset.commands.parse(reading.command)
        except ValidationError as error:
            fields = ", ".join(sorted({str(e["loc"][0]) for e in error.errors() if e["loc"]})) or "приказ"
            message = f"Не удалось разобрать приказ до конца ({fields}): уточните, пожалуйста."
            bad.append(Problem("unreadable", Severity.ERROR, message, reading.span, draft=reading.command))
        else:
            good.append(reading)
    if not bad:
        return parse
    kept = [id(r) for r in good]
    index = {i: kept.index(id(r)) for i, r in enumerate(parse.readings) if id(r) in kept}
    problems = [replace(p, command=index.get(p.command)) if p.command is not None else p for p in parse.problems]
    return replace(parse, readings=tuple(good), problems=(*problems, *bad))


def judged(parse: Parse, objections: Sequence[Problem]) -> Parse:
    """The parse with the ruleset's objections. An error or a question means that there is no order: its command becomes the
    problem's draft; a warning leaves the command."""
    dropped = {p.command for p in objections if p.command is not None and p.severity is not Severity.WARNING}
    keep = [i for i in range(len(parse.readings)) if i not in dropped]
    new_index = {old: new for new, old in enumerate(keep)}
    placed = parse.with_problems(objections).problems[len(parse.problems) :]
    problems: list[Problem] = []
    for number, problem in enumerate((*parse.problems, *placed)):
        if problem.command is None:
            problems.append(problem)
        elif problem.command not in dropped:
            problems.append(replace(problem, command=new_index[problem.command]))
        else:
            reading = parse.readings[problem.command]
            span = problem.span
            if number >= len(parse.problems):
                # All its places, a shared verb too, stay accounted for by what is said of the dropped order.
                span = reduce(Span.cover, reading.extra_spans, reading.span)
            problems.append(replace(problem, command=None, draft=problem.draft or reading.command, span=span))
    problems.sort(key=lambda p: p.span.start if p.span else 0)
    return replace(parse, readings=tuple(parse.readings[i] for i in keep), problems=tuple(problems))
