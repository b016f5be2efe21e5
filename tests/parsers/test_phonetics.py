"""Words spelt by ear: function words are known for what they are, names are understood and ask."""

from __future__ import annotations

import pytest

from parsers.phonetics import respelt, sounded
from parsers.text import from_text
from tests.parsers.test_any_text import language


@pytest.mark.parametrize(
    ("by_ear", "word"),
    [
        ("абараняеца", "обороняется"), ("горнизон", "гарнизон"), ("вазьмем", "возьмем"), ("нападаим", "нападаем"),
        ("кагда", "когда"), ("всево", "всего"), ("щитаем", "считаем"), ("лутше", "лучше"), ("зделать", "сделать"),
    ],
)  # fmt: skip
def test_both_spellings_sound_alike(by_ear: str, word: str) -> None:
    assert sounded(by_ear) == sounded(word)


@pytest.mark.parametrize(("one", "other"), [("копейщик", "лучник"), ("атака", "отказ"), ("гномы", "дома"), ("барак", "баран")])
def test_different_words_do_not(one: str, other: str) -> None:
    assert sounded(one) != sounded(other)


@pytest.mark.parametrize(
    ("by_ear", "word"), [("типерь", "теперь"), ("патом", "потом"), ("можна", "можно"), ("ищо", "еще"), ("нильзя", "нельзя")]
)
def test_function_words_are_respelt(by_ear: str, word: str) -> None:
    assert respelt(by_ear) == word


@pytest.mark.parametrize("word", ["теперь", "копейщик", "стража", "рог", "Г7", "щит", "конинца"])
def test_words_of_the_dictionary_and_strange_ones_stay(word: str) -> None:
    assert respelt(word) == word


def test_a_name_spelt_by_ear_is_understood_and_asks() -> None:
    parse = language("grand_strategy", "ghash", "turn").parse(from_text("волчьи всаднеки на с8 патом с9 патом р10"))
    assert [(r.command["path"], r.certain) for r in parse.readings] == [(["С8", "С9", "Р10"], False)]


def test_a_denial_spelt_by_ear_denies() -> None:
    parse = language("grand_strategy", "ghash", "other_turn").parse(from_text("аэлин в стан ни пускать"))
    assert all(r.command["type"] != "allow_entry" for r in parse.readings)
