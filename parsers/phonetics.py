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
_BY_EAR = (
    (re.compile("[ьъ]"), ""),
    (re.compile(r"(?<=[ое])го$"), "во"),
    (re.compile("[тд]с[яа]$"), "ца"),
    (re.compile("[тд]с(?=к|ч)"), "ц"),
    (re.compile("йо|йе"), "е"),
    (re.compile("йа"), "я"),
    (re.compile("йу"), "ю"),
    (re.compile("сч|зч|жч|сщ|шч"), "щ"),
    (re.compile("[тдч][шч]"), "ч"),
    (re.compile("стн"), "сн"),
    (re.compile("здн"), "зн"),
    (re.compile("вств"), "ств"),
    (re.compile("лнц"), "нц"),
    (re.compile("^что"), "што"),
    (re.compile("чн(?=о)"), "шн"),
    (re.compile("(?<=[жшчщц])я"), "а"),
    (re.compile("(?<=[жшчщц])ю"), "у"),
    (re.compile("(?<=[чщжш])о"), "е"),
    (re.compile("[оа]"), "а"),
    (re.compile("[еэиыя]"), "и"),
    (re.compile("ю"), "у"),
    (re.compile("и(?:й|и)"), "и"),
)
_VOICELESS = str.maketrans("бвгджз", "пфктшс")
_OBSTRUENTS = "бвгджзпфктшсхцчщ"


@lru_cache(maxsize=120_000)
def sounded(word: str) -> str:
    """The key of a normalised word (see `parsers.russian.normal`)."""
    for pattern, by in _BY_EAR:
        word = pattern.sub(by, word)
    out: list[str] = []
    for i, letter in enumerate(word):
        following = word[i + 1 : i + 2]
        heard = letter.translate(_VOICELESS) if not following or (following in _OBSTRUENTS and following != "в") else letter
        if not out or out[-1] != heard:
            out.append(heard)
    return "".join(out)


def by_sound(forms: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Forms by their sound."""
    out: dict[str, list[str]] = {}
    for form in forms:
        if form.isalpha() and not form.isascii() and len(key := sounded(form)) >= SHORTEST:
            out.setdefault(key, []).append(form)
    return {key: tuple(found) for key, found in out.items()}


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
