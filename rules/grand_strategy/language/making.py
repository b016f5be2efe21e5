"""From a function over `Said` to the `make` of a frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from parsers.context import Context
from parsers.frames import Match, Output
from parsers.types import Reading
from rules.grand_strategy.language.audit import unused
from rules.grand_strategy.language.said import Said, Stop


def maker(read: Callable[[Said], Iterable[Output]]) -> Callable[[Match, Context], Iterable[Output]]:
    """The `make` of a frame: a `Stop` raised inside becomes the problem it carries, a word that went into no command a doubt."""

    def make(match: Match, context: Context) -> Iterable[Output]:
        said = Said(match, context)
        try:
            outputs = list(read(said))
        except Stop as stop:
            return [stop.problem]
        left = unused(said, outputs)
        return outputs if left is None else [_doubted(o, left.text) for o in outputs]

    return make


def _doubted(output: Output, text: str) -> Output:
    if not isinstance(output, Reading):
        return output
    note = f"непонятно, к чему «{text}»"
    return replace(output, certain=False, note=f"{output.note}; {note}" if output.note else note)
