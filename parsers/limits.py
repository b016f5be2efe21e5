"""How much of a post is read. What lies beyond comes back as a problem, never as silence."""

from __future__ import annotations

from parsers.lexicon import Lexicon
from parsers.tokens import Kind, tokenise

MAX_READ = 60_000
"""Characters of a post that are read, the length of the longest post that boards allow."""

MAX_THINGS = 2_000
"""Names and numbers of a post that are read, thirty times those of the fullest posts that players write: a post of nothing but
orders costs its reader seconds and not a minute."""


def readable(text: str, lexicon: Lexicon) -> int:
    """Where reading ends: behind a line, else a sentence, at the end of the text for any post of usual length."""
    end = min(len(text), MAX_READ)
    if end > MAX_THINGS:
        end = _end_of_things(text, end, lexicon)
    if end == len(text):
        return end
    for sign in ("\n", ". ", "; ", ", ", " "):
        at = text.rfind(sign, end // 2, end)
        if at >= 0:
            return at + 1  # an order cut in its middle would mean something else
    return end


def _end_of_things(text: str, end: int, lexicon: Lexicon) -> int:
    """Where the first name or number begins that is one too many."""
    tokens = tokenise(text, 0, end)
    if len(tokens) <= MAX_THINGS:
        return end
    found = {f.first for f in lexicon.find(tokens)} | {i for i, t in enumerate(tokens) if t.kind is Kind.NUMBER}
    return end if len(found) <= MAX_THINGS else tokens[sorted(found)[MAX_THINGS]].start
