"""«Не» spelt by ear: «ни пускать», «ни абараняеца»."""

from __future__ import annotations

from dataclasses import replace

from parsers.phonetics import respelt
from parsers.russian import Verb, info, words
from parsers.structure import Layout
from parsers.tokens import Kind

_WORDS = words()["denial_by_ear"]
_UNIVERSAL = frozenset(_WORDS["universal"])
_ENDINGS = tuple(_WORDS["endings"])
_BEFORE = 3
"""Words before «ни» among which «кто бы ни …» shows."""


def mark_denials(layout: Layout) -> None:
    """Before a verb «ни» denies as «не» does; «кто бы ни пришёл», «как ни крути» deny nothing."""
    tokens = layout.tokens
    for i, token in enumerate(tokens[:-1]):
        if token.norm != "ни" or tokens[i + 1].kind is not Kind.WORD or not _verb(tokens[i + 1].norm):
            continue
        if not any(t.norm in _UNIVERSAL for t in tokens[max(0, i - _BEFORE) : i]):
            tokens[i] = replace(token, norm="не")


def _verb(norm: str) -> bool:
    word = info(respelt(norm))
    return word.verb is not Verb.NONE or (not word.known and norm.endswith(_ENDINGS))
