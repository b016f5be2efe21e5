"""The GM's rulings on words: read as their meaning, every place in the player's own words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from forum_gm.precedents import Ruling, restore, rewrite
from parsers.text import Mark, Marked, PostText
from parsers.types import Ignored, IgnoredReason, Parse, Reading, Span

BOARS = Ruling("кабаны", "огры-быки")


def test_phrase_is_replaced_and_places_come_back() -> None:
    made = rewrite(PostText("Кабаны идут в Ормис, кабаны!"), [BOARS])
    assert made.post.text == "огры-быки идут в Ормис, огры-быки!"
    assert made.back(Span(0, 9)) == Span(0, 6)
    assert made.back(Span(17, 22)) == Span(14, 19)
    assert made.back(Span(2, 4)) == Span(0, 6)


def test_longer_phrase_goes_first_and_only_whole_words_count() -> None:
    rulings = [Ruling("кабаны", "быки"), Ruling("чёрные кабаны", "тролли")]
    assert rewrite(PostText("черные  кабаны и кабаны, прокабаны"), rulings).post.text == "тролли и быки, прокабаны"


def test_reading_names_the_ruling_it_rests_on() -> None:
    made = rewrite(PostText("кабаны в бой"), [BOARS])
    parse = Parse(made.post.text, (Reading({"type": "x"}, Span(0, len(made.post.text))),))
    reading = restore(parse, made).readings[0]
    assert reading.span == Span(0, 12)
    assert reading.note == "по решению мастера: «кабаны» — огры-быки"


@given(st.text(alphabet="кабны абв\n.", max_size=60), st.lists(st.sampled_from(["кабаны", "а", "аб", "кабаны а"]), max_size=3))
def test_whatever_was_accounted_for_stays_accounted_for(text: str, phrases: list[str]) -> None:
    made = rewrite(PostText(text, (Marked(Span(0, len(text)), Mark.BOLD),)), [Ruling(p, "слово другое") for p in phrases])
    whole = Parse(made.post.text, ignored=(Ignored(Span(0, len(made.post.text)), IgnoredReason.PROSE),))
    back = restore(whole, made)
    assert back.text == text
    assert back.uncovered() == []
    for start in range(len(made.post.text)):
        span = made.back(Span(start, start + 1))
        assert 0 <= span.start <= span.end <= len(text)
    for marked in made.post.marks:
        assert marked.span == Span(0, len(made.post.text))
