"""How a Russian word sounds, so that one spelt by ear is known: «абараняеца», «вазьмем», «чтоп», «типерь».

`sounded` gives a key that two spellings of one sound share: unstressed vowels, silent and doubled consonants, voiced ones before
voiceless ones and at the end, «-тся», «-ого». It is coarse, so it is asked only of words of no dictionary, and what it finds is
never certain, except for function words, which name nothing (`respelt`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from parsers.russian import closed_class, info, words

SHORTEST = 4
"""Keys of fewer sounds belong to too many words."""
SPREAD = 2
"""One spells a word by ear at most so many letters longer or shorter."""
_CLUSTERS = re.compile(
    r"(?P<ца>[тд]ь?с[яа]$)|(?P<ц>[тд]с(?=к|ч))|(?P<во>(?<=[ое])го$)|(?P<щ>сч|зч|жч|сщ|шч)|(?P<ч>[тдч][шч])|(?P<сн>стн)|(?P<зн>здн)"
    r"|(?P<ств>вств)|(?P<нц>лнц)|(?P<што>^что)|(?P<шн>чн(?=о))|(?P<е>йо|йе)|(?P<я>йа)|(?P<ю>йу)"
)
"""Letters that sound as the name of their group."""
_VOWELS = str.maketrans("оеэыяю", "аииииу")
_SOFT = str.maketrans("яю", "ау")
"""Vowels behind a hissing consonant."""
_VOICELESS = str.maketrans("бвгджз", "пфктшс")
_OBSTRUENTS = frozenset("бвгджзпфктшсхцчщ")
_HISSING = frozenset("жшчщц")
_SHUSHING = frozenset("жшчщ")


@lru_cache(maxsize=120_000)
def sounded(word: str) -> str:
    """The key of a normalised word (see `parsers.russian.normal`)."""
    word = _CLUSTERS.sub(lambda m: m.lastgroup or "", word.replace("ъ", "")).replace("ь", "")
    out: list[str] = []
    last = len(word) - 1
    before = ""
    for i, letter in enumerate(word):
        following = word[i + 1] if i < last else ""
        if letter in "бвгджз":
            heard = letter.translate(_VOICELESS) if not following or (following in _OBSTRUENTS and following != "в") else letter
        else:
            heard = "и" if letter == "о" and before in _SHUSHING else letter.translate(_SOFT) if before in _HISSING else letter
            heard = heard.translate(_VOWELS)
        before = letter
        if heard in "ий" and out and out[-1] == "и":
            continue
        if not out or out[-1] != heard:
            out.append(heard)
    return "".join(out)


class SoundIndex:
    """Forms by their sound; only those of about a word's length are ever worked out."""

    def __init__(self, forms: Iterable[str]) -> None:
        self._by_length: dict[int, list[str]] = {}
        self._sounds: dict[int, dict[str, list[str]]] = {}
        for form in forms:
            self._by_length.setdefault(len(form), []).append(form)

    def alike(self, word: str) -> list[str]:
        """Forms that sound like a word, at most `SPREAD` letters longer or shorter."""
        key = sounded(word)
        if len(key) < SHORTEST or not word.isalpha():
            return []
        lengths = range(len(word) - SPREAD, len(word) + SPREAD + 1)
        return [form for length in lengths if length in self._by_length for form in self._of(length).get(key, ())]

    def _of(self, length: int) -> dict[str, list[str]]:
        found = self._sounds.get(length)
        if found is None:
            found = self._sounds[length] = {}
            for form in self._by_length[length]:
                if form.isalpha() and not form.isascii():
                    found.setdefault(sounded(form), []).append(form)
        return found


@lru_cache(maxsize=60_000)
def respelt(norm: str) -> str:
    """A function word that a word of no dictionary is by its sound («патом», «можна»); else the word itself."""
    spelt = _spelt().get(norm)
    if spelt is not None:
        return spelt
    if len(norm) < SHORTEST - 1 or norm.isascii() or norm in _known() or info(norm).known:
        return norm
    heard = _function_words().get(sounded(norm), norm)
    return heard if abs(len(heard) - len(norm)) <= 1 else norm  # «ниеего» is no «него»


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    return frozenset({*closed_class(), *_listed(words()), *_harmless_forms()})


def _harmless_forms() -> frozenset[str]:
    from parsers.harmless import harmless_forms  # its layout is made of tokens, which are spelt here

    return harmless_forms()


@lru_cache(maxsize=1)
def _spelt() -> Mapping[str, str]:
    table: Mapping[str, str] = words()["spelling"]
    return table


@lru_cache(maxsize=1)
def _function_words() -> Mapping[str, str]:
    """By its sound, the only function word that sounds so."""
    out: dict[str, set[str]] = {}
    for word in {*closed_class(), *_listed(words())}:
        if len(word) >= SHORTEST - 1 and info(word).known:
            out.setdefault(sounded(word), set()).add(word)
    return {key: next(iter(found)) for key, found in out.items() if len(found) == 1 and len(key) >= SHORTEST - 1}


def _listed(table: Any) -> Iterator[str]:
    """Every word of the lists of a table."""
    if isinstance(table, Mapping):
        for inner in table.values():
            yield from _listed(inner)
    elif isinstance(table, list):
        for phrase in table:
            yield from phrase.replace("-", " ").split()
