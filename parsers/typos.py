"""How much a word may differ from a known one and still be taken for it. All thresholds of the engine stand here.

A word is compared with every form of every word of the lexicon by the optimal string alignment distance (a letter changed, left
out, added, or two neighbours swapped: 1 each). The nearer the better; words that are equally near are all kept, and the
frames then ask which was meant. A repaired word always makes its reading uncertain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from rapidfuzz import process
from rapidfuzz.distance import OSA

MIN_LENGTH = 4
"""Shorter words are never repaired: every second three-letter word is a neighbour of another."""
ONE_ERROR_UP_TO = 7
"""Words of 4..7 letters may have one error, longer ones two: «дркон», «утоплеников», «некрамонтия»."""
DICTIONARY_WORD_IN_PHRASE_ONLY = True
"""A word that the dictionary of Russian knows is itself, not a typo («помол» is no «помощь»); only inside a longer name whose
other words fit («Белый Борд») is it read as the neighbour."""
EXACT, STEM, LOOKALIKE, SHORTENED, ONE_OFF, TWO_OFF = 1.0, 0.98, 0.9, 0.85, 0.8, 0.65
"""Quality of a match. Below `CERTAIN` a reading asks for confirmation."""
BY_EAR = 1
"""A word spelt by ear («абараняеца») counts as so many errors, however many letters differ (`parsers.phonetics`)."""
SHORTENED_FROM = 4
"""A beginning of at least so many letters («изоб», «некром») may stand for a word when it begins words of one thing only."""
CERTAIN = 0.95
MOST = 12
"""Forms of one length that are looked at; a word with more neighbours is ambiguous anyway."""
AMBIGUITY_MARGIN = 0.04
"""Two senses nearer than this in quality are both kept."""


def allowed_errors(length: int) -> int:
    """How many errors a word of this many letters may have."""
    if length < MIN_LENGTH:
        return 0
    return 1 if length <= ONE_ERROR_UP_TO else 2


@dataclass(frozen=True, slots=True)
class _Shelf:
    """Forms of one length, with the set of letters of each as bits."""

    forms: tuple[str, ...]
    letters: npt.NDArray[np.uint64]


class TypoIndex:
    """Known forms by length, so that a word is compared only with forms of nearly its own length and letters."""

    def __init__(self, forms: Mapping[str, Iterable[int]]) -> None:
        self._by_length: dict[int, list[str]] = {}
        self._shelves: dict[int, _Shelf] = {}
        for form in forms:
            if len(form) >= MIN_LENGTH and form.isalpha() and not form.isascii():
                self._by_length.setdefault(len(form), []).append(form)

    def near(self, word: str) -> dict[str, int]:
        """Known forms within the allowed distance and their distance; only the nearest ones."""
        limit = allowed_errors(len(word))
        best: dict[str, int] = {}
        if not limit or len(word) > 30:
            return best
        first, last, letters = word[0], word[-1], np.uint64(_letters(word))
        for length in range(len(word) - limit, len(word) + limit + 1):
            cap = min(limit, allowed_errors(length))
            if not cap or length not in self._by_length:
                continue
            shelf = self._shelf(length)
            # An error changes the set of letters by two at most (a swap by none): nothing within `cap` errors is lost here.
            alike = np.flatnonzero(np.bitwise_count(shelf.letters ^ letters) <= 2 * cap)
            if not alike.size:
                continue
            forms = [shelf.forms[i] for i in alike]
            for form, distance, _ in process.extract(word, forms, scorer=OSA.distance, score_cutoff=cap, limit=MOST):
                if cap == 1 and form[0] != first and form[-1] != last:
                    continue
                best[form] = int(distance)
        nearest = min(best.values(), default=0)
        return {form: distance for form, distance in best.items() if distance == nearest}

    def _shelf(self, length: int) -> _Shelf:
        shelf = self._shelves.get(length)
        if shelf is None:
            forms = self._by_length[length]
            letters: npt.NDArray[Any] = np.fromiter((_letters(f) for f in forms), np.uint64, len(forms))
            shelf = self._shelves[length] = _Shelf(tuple(forms), letters)
        return shelf


@lru_cache(maxsize=60_000)
def _letters(word: str) -> int:
    """The set of a word's letters as bits: each of the Russian ones has its own, others may share."""
    bits = 0
    for letter in word:
        bits |= 1 << (ord(letter) & 63)
    return bits
