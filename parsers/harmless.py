"""Words that change no order they stand beside (`data/harmless.toml`): courtesies, fillers, manner, the moment."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib import resources

from parsers.russian import info
from parsers.structure import Layout, Phrases, starts_with


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, list[str]]]:
    source = resources.files("parsers.data").joinpath("harmless.toml").read_text("utf-8")
    return tomllib.loads(source)


@lru_cache(maxsize=1)
def harmless_forms() -> frozenset[str]:
    """Words that count as written."""
    return frozenset(form for table in _tables().values() for form in table.get("forms", ()))


@lru_cache(maxsize=1)
def _lemmas() -> frozenset[str]:
    return frozenset(lemma for table in _tables().values() for lemma in table.get("lemmas", ()))


@lru_cache(maxsize=20_000)
def harmless(word: str) -> bool:
    """True for a normalised word that changes no order it stands beside."""
    return word in harmless_forms() or bool(info(word).lemmas & _lemmas())


@lru_cache(maxsize=1)
def _phrases() -> Phrases:
    out: dict[str, list[tuple[str, ...]]] = {}
    for table in _tables().values():
        for phrase in table.get("phrases", ()):
            parts = tuple(phrase.split())
            out.setdefault(parts[0], []).append(parts)
    return out


def harmless_phrases(layout: Layout) -> dict[int, int]:
    """Tokens of harmless phrases, each with -1."""
    known = _phrases()
    out: dict[int, int] = {}
    for i, token in enumerate(layout.tokens):
        length = starts_with(layout.tokens, i, len(layout.tokens), known) if token.norm in known else 0
        out.update(dict.fromkeys(range(i, i + length), -1))
    return out
