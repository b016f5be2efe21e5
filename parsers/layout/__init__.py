"""Works out the build of a post: zones, lines, sentences, and for each token whether orders may stand there.

Each module finds one thing out and writes it into the `Layout` of `parsers.structure`; their order matters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parsers.layout.conditions import mark_conditionals
from parsers.layout.denials import mark_denials
from parsers.layout.lines import find_lines
from parsers.layout.sentences import find_sentences
from parsers.layout.speech import mark_speech
from parsers.layout.unreal import mark_headed_lists, mark_taken_back
from parsers.layout.weighing import weigh_sentence
from parsers.layout.zones import find_holes
from parsers.structure import Layout, Status
from parsers.text import Mark, PostText
from parsers.tokens import Token, tokenise
from parsers.types import Span

__all__ = ["lay_out"]


def lay_out(
    post: PostText,
    *,
    abbreviations: frozenset[str] = frozenset(),
    unit_words: frozenset[str] = frozenset(),
    keeps: Callable[[Sequence[Token]], bool] | None = None,
    real_words: frozenset[str] = frozenset(),
) -> Layout:
    """Works out the build of a post.

    `abbreviations`: words whose full stop ends no sentence («э», «оск»). `keeps`: whether a conditional stretch is one that the
    game's orders know («если возьмём — колонизировать»): it stays live. `unit_words`: words of units; their full stop ends a
    sentence where a capital follows. `real_words`: words that are no sign of a wish in this game although they are in Russian
    («может» where one permits)."""
    text = post.text
    holes, ignored = find_holes(post)
    tokens = tokenise(text, 0, len(text), holes)
    layout = Layout(text, tokens, [Status.LIVE] * len(tokens), [], [], [-1] * len(tokens), ignored)
    layout.bold = _merged(post.marked(Mark.BOLD))
    layout.italic = _merged(post.marked(Mark.ITALIC))
    mark_denials(layout)
    find_lines(layout, post)
    find_sentences(layout, abbreviations, unit_words)
    for sentence in layout.sentences:
        weigh_sentence(layout, sentence, real_words)
    mark_speech(layout)
    mark_taken_back(layout)
    mark_headed_lists(layout)
    mark_conditionals(layout, keeps)
    return layout


def _merged(spans: list[Span]) -> list[Span]:
    """Spans sorted by start, overlapping ones joined."""
    out: list[Span] = []
    for span in sorted(spans):
        if out and span.start <= out[-1].end:
            out[-1] = Span(out[-1].start, max(out[-1].end, span.end))
        else:
            out.append(span)
    return out
