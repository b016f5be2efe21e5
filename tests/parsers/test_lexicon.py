"""Names in any form, with typos up to the thresholds of `parsers.typos` and not beyond."""

from __future__ import annotations

import pytest

from parsers import typos
from parsers.lexicon import Entry, Lexicon
from parsers.tokens import tokenise

LEXICON = Lexicon(
    [
        Entry("city", "kronvik", ("Кронвик",)),
        Entry("city", "kronvir", ("Кронвир",)),
        Entry("city", "brod", ("Белый Брод",), partial=True),
        Entry("city", "bor", ("Белый Бор",), partial=True),
        Entry("city", "kamen", ("Чёрный Камень",), partial=True),
        Entry("unit", "hero", ("=ком", "командир")),
        Entry("verb", "attack", ("атаковать", "штурм*")),
        Entry("unit", "necro", ("некромантия",)),
        Entry("unit", "elves", ("эльф",)),
    ]
)


def found(text: str) -> dict[str, float]:
    """Values found in the text and their best quality; the widest reading of each place only."""
    hits = LEXICON.find(tokenise(text, 0, len(text)))
    widest = max((h.last - h.first for h in hits), default=0)
    out: dict[str, float] = {}
    for hit in hits:
        if hit.last - hit.first == widest:
            out[hit.sense.value] = max(hit.sense.quality, out.get(hit.sense.value, 0.0))
    return out


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("в Кронвике", "kronvik"),
        ("Чёрного Камня", "kamen"),
        ("черным камнем", "kamen"),
        ("Камень", "kamen"),
        ("атакуем", "attack"),
        ("штурмуют", "attack"),
        ("некромантией", "necro"),
        ("Кpонвик", "kronvik"),  # Latin p
    ],
)
def test_forms_are_exact(text: str, value: str) -> None:
    assert found(text) == {value: pytest.approx(1.0, abs=0.03)}


@pytest.mark.parametrize(
    ("text", "value"), [("кронвек", "kronvik"), ("атакуеем", "attack"), ("некрамонтия", "necro"), ("белый борд", "brod")]
)
def test_typos_are_repaired_and_never_certain(text: str, value: str) -> None:
    got = found(text)
    assert value in got
    assert got[value] < typos.CERTAIN


def test_one_letter_from_two_cities_is_both() -> None:
    assert set(found("кронвиг")) == {"kronvik", "kronvir"}


def test_border_of_the_thresholds() -> None:
    assert typos.allowed_errors(3) == 0
    assert typos.allowed_errors(typos.MIN_LENGTH) == 1
    assert typos.allowed_errors(typos.ONE_ERROR_UP_TO) == 1
    assert typos.allowed_errors(typos.ONE_ERROR_UP_TO + 1) == 2
    assert found("эьлф") == {"elves": typos.ONE_OFF}
    assert found("эьлв") == {}
    assert found("некрамонтия") == {"necro": typos.ONE_OFF}  # as it sounds
    assert found("некрлмандия") == {"necro": typos.TWO_OFF}
    assert found("никрлмандия") == {}


def test_exact_forms_have_no_other_forms() -> None:
    assert found("ком") == {"hero": 1.0}
    assert found("кому") == {}


def test_dictionary_words_are_no_typos() -> None:
    assert found("помол") == {}
    assert found("борт") == {}


def test_layout_and_transliteration_are_read_but_ask() -> None:
    assert found("fnfre.") == {}
    assert found("ataka") == {}
    assert found("kronvik") == {"kronvik": typos.LOOKALIKE}
    assert found("rhjydbr") == {"kronvik": typos.LOOKALIKE}


def test_a_beginning_stands_for_a_word_of_one_thing_only() -> None:
    assert found("некро") == {"necro": typos.SHORTENED}
    assert found("кронв") == {"kronvik": typos.SHORTENED, "kronvir": typos.SHORTENED}


def test_suggestions_are_nearest_first() -> None:
    assert LEXICON.suggest("Кронвек", ["city"])[0] == "Кронвик"
