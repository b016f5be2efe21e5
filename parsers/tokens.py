"""A post's text cut into tokens with their place: words, numbers, signs, line ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from parsers.phonetics import respelt
from parsers.russian import normal
from parsers.types import Span

_TOKEN = re.compile(
    r"(?P<leader>(?<=\s)(?:\.{4,}|_{3,})(?=\s))|(?P<word>[^\W\d_]+(?:['’ʼ][^\W\d_]+)*)|(?P<number>\d+)"
    r"|(?P<line>\n)|(?P<blank>[^\S\n]+)|(?P<sign>.)",
    re.DOTALL,
)
DASHES = frozenset("-–—−‒―‐‑")


class Kind(IntEnum):
    """What a token is."""

    WORD = 0
    NUMBER = 1
    SIGN = 2
    LINE = 3


@dataclass(frozen=True, slots=True)
class Token:
    """One token. `norm` is what words are compared by; dashes are all `-`."""

    kind: Kind
    start: int
    end: int
    norm: str
    glued: bool
    """Nothing stands between it and the token before."""

    @property
    def span(self) -> Span:
        """Its place in the text."""
        return Span(self.start, self.end)


def tokenise(text: str, start: int, end: int, holes: Sequence[Span] = ()) -> list[Token]:
    """Tokens of `text[start:end]`; characters inside `holes` (sorted spans: quotes, struck-out parts) are passed over."""
    out: list[Token] = []
    last_end = -1
    at = start
    for hole in (*holes, Span(end, end)):
        stop = min(hole.start, end)
        if at < stop:
            for match in _TOKEN.finditer(text, at, stop):
                group = match.lastgroup
                if group == "blank":
                    continue
                raw = match.group()
                if group == "word":
                    token = Token(Kind.WORD, match.start(), match.end(), respelt(normal(raw)), last_end == match.start())
                elif group == "number":
                    token = Token(Kind.NUMBER, match.start(), match.end(), raw, last_end == match.start())
                elif group == "line":
                    token = Token(Kind.LINE, match.start(), match.end(), "\n", False)
                elif group == "leader":  # «Торгриму ......... 8»: the columns of a table
                    token = Token(Kind.SIGN, match.start(), match.end(), "|", False)
                else:
                    token = Token(Kind.SIGN, match.start(), match.end(), "-" if raw in DASHES else raw, last_end == match.start())
                out.append(token)
                last_end = match.end()
        at = max(at, hole.end)
    return out
