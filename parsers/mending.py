"""The player's own line put right, ready to paste: a misspelt word, an unknown name that only one known name looks like.

A line is only offered when it reads well: for the repaired order exactly as it was understood, without a question.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

from parsers import typos
from parsers.context import Context
from parsers.coverage import Outputs
from parsers.frames import Output
from parsers.russian import info, normal
from parsers.tokens import Kind
from parsers.types import Problem, Reading, Severity, Span

if TYPE_CHECKING:
    from parsers.language import Language

MOST = 12
"""Lines of a post that are put right: each is read once more."""
_QUOTED = re.compile("«([^«»]+)»")


def mended(language: Language, context: Context, outputs: Outputs) -> Outputs:
    """The outputs, uncertain readings and problems with a corrected line where there is one to be sure of."""
    left = MOST
    out: Outputs = []
    for match, made in outputs:
        new: list[Output] = []
        for output in made:
            if isinstance(output, Problem):
                output = focused(context.layout.text, output)
            if left > 0 and (line := _line(context, output)) is not None:
                left -= 1
                if _reads_well(language, line, output):
                    output = replace(output, correction=line)
            new.append(output)
        out.append((match, new))
    return out


def focused(text: str, problem: Problem) -> Problem:
    """The problem with its focus, where its message quotes words of the player's that stand in its span."""
    if problem.focus is not None or problem.span is None:
        return problem
    said = text[problem.span.start : problem.span.end]
    for quoted in _QUOTED.findall(problem.message):
        at = said.lower().find(quoted.lower())
        if at >= 0 and len(quoted) < len(said.strip()):
            start = problem.span.start + at
            return replace(problem, focus=Span(start, start + len(quoted)))
    return problem


def _line(context: Context, output: Output) -> str | None:
    """The sentence of an output with what is wrong in it replaced; None where that isn't known."""
    if output.correction is not None or output.span is None:
        return None
    if isinstance(output, Reading):
        changes = _misspelt(context, output.span, output.note or "") if not output.certain else {}
    elif output.severity is Severity.WARNING:
        return None
    else:
        changes = _misspelt(context, output.span)
        if output.focus is not None and len(output.choices) == 1 and output.choices[0].command is None:
            changes = {span: word for span, word in changes.items() if not span.touches(output.focus)}
            changes[output.focus] = output.choices[0].text
    if not changes:
        return None
    whole = _sentence(context, output.span)
    return _replaced(context.layout.text, whole, changes) if all(whole.touches(span) for span in changes) else None


def _misspelt(context: Context, span: Span, note: str = "") -> dict[Span, str]:
    """The misspelt words of a stretch and how they are spelt: those that are no Russian, read as another's typo, or that
    a note tells of."""
    layout = context.layout
    noted = {word for quoted in _QUOTED.findall(normal(note)) for word in quoted.split()}
    first, last = (bisect_left(layout.tokens, at, key=lambda t: t.start) for at in (span.start, span.end))
    atoms = context.atoms[max(0, bisect_left(context.atoms, first, key=lambda a: a.first) - 1) :]
    repaired: set[int] = set()
    for atom in atoms:
        if atom.first >= last:
            break
        if any(s.quality < typos.CERTAIN for s in atom.senses):
            repaired.update(range(atom.first, atom.last))
    out: dict[Span, str] = {}
    for i in range(first, last):
        token = layout.tokens[i]
        if token.kind is not Kind.WORD or (i not in repaired and token.norm not in noted and info(token.norm).known):
            continue
        word = context.lexicon.repaired(token.norm, noted)
        if word is not None:
            written = layout.text[token.start : token.end]
            out[token.span] = word.capitalize() if written[:1].isupper() else word
    return out


def _sentence(context: Context, span: Span) -> Span:
    layout = context.layout
    starts = [layout.tokens[s.first].start for s in layout.sentences]
    first = layout.sentences[max(0, bisect_right(starts, span.start) - 1)]
    last = layout.sentences[max(0, bisect_left(starts, span.end) - 1)]
    return Span(layout.tokens[first.first].start, layout.tokens[last.last - 1].end)


def _replaced(text: str, whole: Span, changes: dict[Span, str]) -> str:
    out: list[str] = []
    at = whole.start
    for span, word in sorted(changes.items()):
        out += [text[at : span.start], word]
        at = span.end
    return "".join([*out, text[at : whole.end]]).strip()


def _reads_well(language: Language, line: str, output: Output) -> bool:
    parse = language.read_alone(line)
    if parse.problems or not parse.readings or not all(r.certain for r in parse.readings):
        return False
    return not isinstance(output, Reading) or any(_same(r, output) for r in parse.readings)


def _same(one: Reading, other: Reading) -> bool:
    return dict(one.command) == dict(other.command)
