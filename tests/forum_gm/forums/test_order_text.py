"""A post's source and its page give the same order text, whoever wrote it: the author's own words, quotes apart."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forum_gm.demo.board import BoardSettings, World
from forum_gm.demo.board.views import Links, body_html
from forum_gm.forums.clock import ManualClock
from parsers.bbcode import from_bbcode
from parsers.html import from_html
from parsers.text import Mark, PostText

sys.path.insert(0, str(Path(__file__).parent))
from rehearsal import Rehearsal, rehearsal

WORDS = [
    "Атакую",
    "000",
    "→",
    "60/40",
    "«Заря»",
    "т.е.",
    "ё",
    "5%",
    "a<b",
    "&amp;",
    "x&y",
    "(1)",
    "—",
    "№ 7",
    "3:2",
    "[вор",
    "d6]",
]
SMILIES = [":)", ":(", ":lol:"]
INLINE = ["b", "i", "u", "s", "color=#aa0000", "size=150", "color=red"]
BLOCK = ["quote", 'quote="Буйный"', 'quote="Тихий & Ко <3" post_id=3 time=1777626000 user_id=5', "spoiler", "spoiler=Приказ 2"]

word = st.sampled_from(WORDS + SMILIES + ["https://example.org/a?b=1&c=2"])
phrase = st.lists(word, min_size=1, max_size=5).map(" ".join)


def _inline(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    tagged = st.tuples(st.sampled_from(INLINE), inner).map(lambda t: f"[{t[0]}]{t[1]}[/{t[0].split('=')[0]}]")
    return st.lists(st.one_of(phrase, tagged), min_size=1, max_size=3).map(" ".join)


text = st.recursive(phrase, _inline, max_leaves=6)
line = text
paragraph = st.lists(line, min_size=1, max_size=4).map("\n".join)


def _block(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    boxed = st.tuples(st.sampled_from(BLOCK), inner).map(lambda t: f"[{t[0]}]\n{t[1]}\n[/{t[0].split('=')[0].split(' ')[0]}]")
    listed = st.lists(inner, min_size=1, max_size=3).map(
        lambda items: "[list]" + "".join(f"[*]{item}" for item in items) + "[/list]"
    )
    numbered = st.lists(text, min_size=1, max_size=3).map(
        lambda items: "[list=1]\n" + "\n".join(f"[*]{item}" for item in items) + "\n[/list]"
    )
    table = st.lists(st.tuples(text, text), min_size=1, max_size=3).map(
        lambda rows: "[table]" + "".join(f"[tr][td]{a}[/td][td]{b}[/td][/tr]" for a, b in rows) + "[/table]"
    )
    code = phrase.map(lambda inside: f"[code]{inside}\n  ещё строка[/code]")
    return st.lists(st.one_of(paragraph, boxed, listed, numbered, table, code), min_size=1, max_size=3).map("\n".join)


post = st.recursive(paragraph, _block, max_leaves=8)


def own(read: PostText) -> list[str]:
    """The lines of the author's own words: blanks run together, quotes left out."""
    kept = list(read.text)
    for mark in read.marks:
        if mark.mark is Mark.QUOTE:
            kept[mark.span.start : mark.span.end] = "\n" * (mark.span.end - mark.span.start)
    return [" ".join(part.split()) for part in "".join(kept).split("\n") if part.strip()]


def struck(read: PostText) -> str:
    """What is struck out, without blanks."""
    return "".join("".join(read.text[m.span.start : m.span.end].split()) for m in read.marks if m.mark is Mark.STRUCK)


@settings(max_examples=400, deadline=None)
@given(post)
def test_any_post_reads_the_same_from_its_source_and_its_page(source: str) -> None:
    world = World(BoardSettings(), ManualClock(datetime(2026, 5, 1, tzinfo=UTC)))
    author = world.account("Буйный")
    topic = world.topic(author, "Т", source)
    entry = next(entry for entry in world.entries.values() if entry.thread == topic)
    from_source, from_page = from_bbcode(entry.text), from_html(str(body_html(world, entry, Links())))
    assert own(from_page) == own(from_source)
    assert struck(from_page) == struck(from_source)


@pytest.fixture(scope="module")
def stage() -> Iterator[Rehearsal]:
    with rehearsal() as made:
        yield made


def test_hundreds_of_posts_read_the_same_over_http(stage: Rehearsal) -> None:
    """Orders as players write them, by every way the client has to a source."""
    import random

    rng = random.Random(31415)
    bits = ["[b]Атака[/b] {n}: пехота [s]60[/s] 40, маги 5", "[color=red]Строю[/color] башню в {n}", "Стою :) — жду {n}"]
    boxes = ["{}", "[spoiler=Ход]{}[/spoiler]", "[list][*]{}[*]и ещё[/list]", '[quote="Тихий & Ко <3"]чужое[/quote]\n{}']
    sources = []
    for number in range(200):
        lines = "\n".join(rng.choice(bits).format(n=rng.randrange(1000)) for _ in range(rng.randint(1, 5)))
        sources.append(rng.choice(boxes).format(lines) + f"\nИтого {number}")
        stage.clock.sleep(30)
        stage.world.post(stage.buyny, stage.topic, sources[-1])
    client = stage.client()
    client.login()
    posts = client.read_topic(stage.topic).posts[-200:]
    latest = client.latest_sources(stage.topic)
    assert len(latest) == 10
    checked = 0
    for shown, source in zip(posts, sources, strict=True):
        assert own(from_html(shown.html)) == own(from_bbcode(source))
        assert struck(from_html(shown.html)) == struck(from_bbcode(source))
        if shown.id in latest:
            assert latest[shown.id] == source
        if checked < 25:
            assert client.read_source(shown.id) == source
        checked += 1
    assert checked == 200
