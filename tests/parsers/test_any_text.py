"""Whatever is posted: nothing is raised, every character is accounted for (promise 1), the same text is read the same way."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.bbcode import from_bbcode
from parsers.html import from_html
from parsers.language import Language
from parsers.limits import MAX_READ, MAX_THINGS
from parsers.text import PostText, from_text
from parsers.types import Severity
from rules import registry
from rules.base import only
from tests.corpus.scoring import HERE, load

PIECES = [
    "[quote]", "[/quote]", "[b]", "[/b]", "[s]", "[/s]", "[list]", "[*]", "[/list]", "[table][tr][td]", "<b>", "</b>", "<br>", "<li>", "((",
    "))", "«", "»", "если ", "не ", "UPD: ", "вернее ", "п. 2 ", "отмена ", "вместо ", "?", "!", ".", ",", "\n", "\n\n", " - ", "1) ", "2. ",
    "атакую ", "001 ", "Каэля ", "8э ", "пехота 5 ", "некра 3 ", "воин ", "резерв ", "на первую атаку ", "остаток ", "в защиту ", "туда же ",
    "голос ", "за Дань ", "меняю ", "рог ", "на ", "забота ", "Сад Костей ", "0,6 ", "60/40 ", "12 + 3 = 15 ", "х5 ", "-5э ", "\u202e", "\x00", "́",
]  # fmt: skip


@cache
def language(game: str = "astral", faction: str = "buyny", step: str | None = None) -> Language:
    rules = registry.get(game)
    state = rules.new_game(rules.load_scenario(None))
    made: Any = rules.order_language(rules.view(state, only(faction)), step)
    return made


def whole(post: PostText, reader: Language | None = None) -> None:
    reader = reader or language()
    parse = reader.parse(post)
    assert parse.text == post.text
    assert parse.uncovered() == []
    for span in parse.spans():
        assert 0 <= span.start <= span.end <= len(parse.text)
    assert reader.parse(post) == parse


@settings(max_examples=120, deadline=None)
@given(st.text(max_size=300))
def test_any_unicode_is_accounted_for(text: str) -> None:
    whole(from_text(text))
    whole(from_bbcode(text))
    whole(from_html(text))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_soup_of_markup_and_order_words_is_accounted_for(pieces: list[str]) -> None:
    text = "".join(pieces)
    whole(from_bbcode(text))
    whole(from_html(text))


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from(load(HERE / "astral.toml")))
def test_mutated_posts_are_accounted_for(chance: random.Random, post: dict[str, Any]) -> None:
    text = post["text"]
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(text) + 1)
        kind = chance.randrange(3)
        if kind == 0:
            text = text[:at] + text[at + chance.randint(1, 9) :]
        elif kind == 1:
            text = text[:at] + chance.choice(PIECES) + text[at:]
        else:
            text = text[:at] + text[at : at + 20][::-1] + text[at + 20 :]
    whole(from_bbcode(text))


@cache
def posts_of(game: str) -> tuple[dict[str, Any], ...]:
    return tuple(post for path in sorted(HERE.glob(f"{game}*.toml")) for post in load(path))


@pytest.mark.parametrize("game", ["astral", "steel_rose", "grand_strategy"])
@settings(max_examples=30, deadline=None)
@given(st.randoms(use_true_random=False))
def test_posts_with_words_of_other_posts_are_accounted_for(game: str, chance: random.Random) -> None:
    posts = posts_of(game)
    post = chance.choice(posts)
    words = post["text"].split(" ")
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(words) + 1)
        if chance.random() < 0.4 or at == len(words):
            words.insert(at, chance.choice(chance.choice(posts)["text"].split()))
        elif chance.random() < 0.5:
            del words[at]
        else:
            words[at] = chance.choice(chance.choice(posts)["text"].split())
    whole(from_bbcode(" ".join(words)), language(game, post["faction"], post.get("step")))


def test_a_number_that_names_a_shard_elsewhere_may_be_a_share() -> None:
    whole(from_text("1-я 006 — пехота некромантия 30% воин"))


def test_a_post_beyond_the_limit_says_so() -> None:
    text = "в защиту 5э\n" + "это " * (MAX_READ // 3)
    parse = language().parse(from_text(text))
    assert parse.uncovered() == []
    assert parse.readings[0].command == {"type": "invest_defence", "energy": 5}
    assert parse.problems[-1].code == "unreadable"


def test_a_post_of_too_many_orders_is_read_up_to_the_end_of_a_line() -> None:
    """Nothing is silent behind the limit, and no order is cut in its middle."""
    line = "в защиту 5э\n"
    text = line * MAX_THINGS
    parse = language().parse(from_text(text))
    assert parse.uncovered() == []
    rest = parse.problems[-1]
    assert (rest.code, rest.severity) == ("unreadable", Severity.ERROR)
    assert rest.span.end == len(text)
    assert text[rest.span.start - 1] == "\n"
    assert all(r.command["energy"] == 5 for r in parse.readings)


def test_a_long_story_is_read_to_its_end() -> None:
    text = "Ветер выл над башнями, и никто не спал до рассвета. " * 900 + "В защиту 5э"
    parse = language().parse(from_text(text))
    assert [r.command for r in parse.readings] == [{"type": "invest_defence", "energy": 5}]
    assert not any(p.code == "unreadable" for p in parse.problems)


PIECES_OF_ORDERS = {
    "astral": ("атакую 001 8э пехота 5 некра 3 воин ", "если нападут, ", "Морвену 3, ", "на случай атаки "),
    "steel_rose": ("барак в Альтенграде, ", "5 копейщиков и ", "если нападут, "),
    "grand_strategy": ("стража на Г8, ", "Гхашу 3 монеты и ", "если нападут, ", "карты: лук, меч, "),
}


@pytest.mark.parametrize(
    ("game", "piece"),
    [
        (game, piece)
        for game, own in PIECES_OF_ORDERS.items()
        for piece in (",", "[b]", "1 ", "((", "если ", "не ", "> и\n", "вот так: ", *own)
    ],
)
def test_work_grows_with_the_length_only(game: str, piece: str) -> None:
    """Counts the calls that a doubled post costs instead of its seconds."""
    import cProfile
    import pstats

    read = language(game, {"astral": "kael", "steel_rose": "empire", "grand_strategy": "thorgrim"}[game], None)

    def calls(count: int) -> int:
        profile = cProfile.Profile()
        profile.enable()
        read.parse(from_bbcode(piece * count))
        profile.disable()
        return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]

    calls(20)
    assert calls(200) < 2.6 * calls(100) + 5000
