"""Orders guessed from what they are about: always asked about, never where a frame understood the words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parsers.frames import Frame, Slot
from parsers.language import Language, build_lexicon
from parsers.lexicon import Entry
from parsers.text import PostText

CARE = Frame("care", ("care",), (Slot("shard", ("shard",), required=True),))
GIVE = Frame("give", ("give",), (Slot("who", ("player",), required=True), Slot("shard", ("shard",), required=True)))
LEXICON = build_lexicon(
    [
        Entry("care", "care", ("заботиться",)),
        Entry("give", "give", ("отдавать",)),
        Entry("shard", "007", ("Сад Костей",), label="Сад Костей"),
        Entry("shard", "008", ("Маяк Слёз",), label="Маяк Слёз"),
        Entry("player", "kael", ("Каэль",), label="Каэль"),
    ]
)
LANGUAGE = Language(
    LEXICON,
    (CARE, GIVE),
    guesses=(replace(GIVE, triggers=(), bare=(frozenset({"who", "shard"}),)),),
    names=frozenset({"shard", "player"}),
)


def read(text: str) -> list[tuple[str, bool]]:
    parse = LANGUAGE.parse(PostText(text))
    return [(r.command["type"], r.certain) for r in parse.readings]


@pytest.mark.parametrize("text", ["Пусть Каэль получит Сад Костей", "Вручаю Каэлю Сад Костей"])
def test_what_can_hardly_be_another_order_is_read_and_asked_about(text: str) -> None:
    assert read(text) == [("give", False)]


def test_the_note_says_that_it_was_guessed() -> None:
    (reading,) = LANGUAGE.parse(PostText("Вручаю Каэлю Сад Костей")).readings
    assert reading.note is not None
    assert "догадался" in reading.note


@pytest.mark.parametrize(
    "text",
    [
        "Каэлю Сад Костей не вручаю",
        "Каэль бродил по Саду Костей",
        "Вручаю Каэлю Сад Костей и Маяк Слёз",
        "Вручаю Сад Костей",
    ],
)
def test_no_guess_where_it_is_denied_told_leaves_a_thing_out_or_lacks_one(text: str) -> None:
    assert read(text) == []


def test_what_a_frame_reads_is_not_guessed() -> None:
    assert read("Отдаю Каэлю Сад Костей") == [("give", True)]
