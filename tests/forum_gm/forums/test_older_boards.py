"""phpBB 2.0 (windows-1251) and 3.0 over real HTTP: reading, login, posting, private messages."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from forum_gm.demo.board import Fault, FaultKind
from forum_gm.forums import errors
from forum_gm.forums.journal import MemoryJournal
from forum_gm.forums.opening import own_text, read_url
from forum_gm.forums.phpbb2 import PhpBB2
from forum_gm.forums.phpbb3 import PhpBB3
from forum_gm.forums.transport import Manners, Transport
from parsers.bbcode import from_bbcode
from parsers.html import from_html

sys.path.insert(0, str(Path(__file__).parent))
from rehearsal import Rehearsal, rehearsal
from test_order_text import own


@pytest.fixture(params=["2.0", "3.0"])
def stage(request: pytest.FixtureRequest) -> Iterator[Rehearsal]:
    with rehearsal(engine=request.param) as made:
        yield made


@pytest.fixture
def old() -> Iterator[Rehearsal]:
    with rehearsal(engine="2.0") as made:
        yield made


def bot(stage: Rehearsal, journal: MemoryJournal | None = None) -> PhpBB3:
    client = stage.client(journal=journal)
    client.login()
    assert client.user_id == stage.bot
    stage.clock.sleep(120)
    return client


def test_a_long_topic_is_read_whole_and_onwards(stage: Rehearsal) -> None:
    for number in range(31):
        stage.clock.sleep(60)
        stage.world.post(stage.buyny, stage.topic, f"Приказ {number}")
    client = stage.client("")
    topic = client.read_topic(stage.topic)
    truth = [entry for entry in stage.world.entries.values() if entry.thread == stage.topic]
    assert [(post.id, post.author, post.author_id) for post in topic.posts] == [
        (entry.id, stage.world.name_of(entry.author), entry.author) for entry in truth
    ]
    # These boards show minutes only.
    assert all(post.time_step == 60 for post in topic.posts)
    late = [entry.time - post.time for entry, post in zip(truth, topic.posts, strict=True)]
    assert all(timedelta(0) <= gap < timedelta(minutes=1) for gap in late)
    for _ in range(12):
        stage.clock.sleep(60)
        stage.world.post(stage.tihiy, stage.topic, "Ещё")
    news = client.read_topic(stage.topic, after=topic.last_id)
    assert [post.author_id for post in news.posts] == [stage.tihiy] * 12
    nothing = client.read_topic(stage.topic, after=news.last_id)
    assert (nothing.posts, nothing.requests) == ((), 1)


def test_the_engine_is_recognised_by_the_address(stage: Rehearsal) -> None:
    quick = Transport(manners=Manners(pause=0), clock=stage.clock)
    engine, topic = read_url(stage.server.topic_url(stage.topic), transport=quick)
    assert engine == ("phpbb2" if stage.world.settings.old else "phpbb3")
    assert (topic.title, len(topic.posts)) == ("Печати Хаоса", 4)


def test_replies_edits_and_deletions_arrive_as_written(stage: Rehearsal) -> None:
    client = bot(stage)
    text = "[b]Итоги[/b] «хода 1» — № 5\n[quote]чужое[/quote]\nсвоё"
    done = client.reply("k", stage.topic, text)
    assert stage.world.entries[done.id].text == text
    shown = client.read_page_of(done.id)
    words = own_text(next(post for post in shown.posts if post.id == done.id)).split("\n")
    assert [line for line in words if line] == ["Итоги «хода 1» — № 5", "своё"]
    assert client.edit_source(done.id) == text
    stage.clock.sleep(60)
    client.edit("e", done.id, "Исправлено")
    assert stage.world.entries[done.id].text == "Исправлено"
    client.delete("d", done.id)
    assert done.id not in stage.world.entries


def test_a_new_topic_is_started(stage: Rehearsal) -> None:
    done = bot(stage).new_topic("k", 1, "Итоги хода", "Всё — здесь")
    assert stage.world.threads[done.topic_id or 0].title == "Итоги хода"
    assert stage.world.entries[done.id].text == "Всё — здесь"


def test_edit_notices_come_along(stage: Rehearsal) -> None:
    post = stage.world.post(stage.buyny, stage.topic, "Приказ")
    stage.world.post(stage.tihiy, stage.topic, "Хм")
    stage.clock.sleep(3600)
    stage.world.edit(stage.buyny, post, "Приказ иной")
    seen = next(p for p in stage.client("").read_topic(stage.topic).posts if p.id == post).edited
    assert seen is not None
    assert (seen.count, seen.by) == (1, "Буйный")
    assert seen.time is not None
    assert timedelta(0) <= stage.clock.now() - seen.time < timedelta(minutes=1)


def test_closed_topics_and_forums_are_told_apart(stage: Rehearsal) -> None:
    client = bot(stage)
    stage.world.threads[stage.topic].locked = True
    assert client.read_topic(stage.topic).locked
    with pytest.raises(errors.TopicLocked, match="Тема закрыта") as topic:
        client.reply("a", stage.topic, "Поздно")
    assert not isinstance(topic.value, errors.ForumLocked)
    stage.world.threads[stage.topic].locked = False
    stage.world.rooms[1].locked = True
    with pytest.raises(errors.ForumLocked, match="Раздел закрыт"):
        client.reply("b", stage.topic, "Поздно")


def test_a_wrong_password_is_tried_once(stage: Rehearsal) -> None:
    client = type(stage.client())(stage.server.url, user="Летописец", password="нет", transport=stage.transport())
    with pytest.raises(errors.LoginFailed):
        client.login()
    with pytest.raises(errors.LoginTooSoon):
        client.login()
    assert stage.world.users[stage.bot].wrong_passwords == 1


def test_a_throttled_login_is_left_to_the_gm(stage: Rehearsal) -> None:
    stage.world.users[stage.bot].wrong_passwords = 3
    client = stage.client()
    with pytest.raises(errors.LoginCaptcha):
        client.login()
    stage.clock.sleep(3600)
    before = len(stage.server.site.log)
    with pytest.raises(errors.LoginCaptcha):
        client.login()
    assert len(stage.server.site.log) == before


def test_messages_are_listed_read_and_sent(stage: Rehearsal) -> None:
    client = bot(stage)
    done = client.send_message("m", ["Буйный", "Тихий & Ко <3"], "Понял так: ход 1", "Ваш приказ — [b]стою[/b]")
    letters = [stage.world.letters[number] for number in done.ids]
    assert {person for letter in letters for person in letter.to} == {stage.buyny, stage.tihiy}
    assert all(letter.text == "Ваш приказ — [b]стою[/b]" for letter in letters)
    stage.clock.sleep(7200)
    number = stage.world.message(stage.buyny, stage.bot, "Тайный приказ № 1\n2. Стою", "Ход на 01.02.2026")
    (listed,) = client.messages("inbox")
    assert (listed.id, listed.sender_id, listed.sender, listed.subject, listed.unread) == (
        number,
        stage.buyny,
        "Буйный",
        "Ход на 01.02.2026",
        True,
    )
    assert listed.time is not None
    assert timedelta(0) <= stage.clock.now() - listed.time < timedelta(minutes=1)
    read = client.read_message(number)
    assert (read.sender, read.sender_id, read.subject, read.recipients) == (
        "Буйный",
        stage.buyny,
        "Ход на 01.02.2026",
        ("Летописец",),
    )
    assert read.time is not None
    assert timedelta(0) <= stage.clock.now() - read.time < timedelta(minutes=1)
    assert "Тайный приказ № 1" in read.html
    assert not client.messages("inbox")[0].unread
    with pytest.raises(errors.NoSuchUser):
        client.send_message("n", ["Никто"], "а", "б")


def test_a_read_message_is_found_among_the_sent_ones(old: Rehearsal) -> None:
    """The recipient reads faster than the lost answer is looked for: the message has left the outbox."""
    client = bot(old)
    old.world.faults.add(Fault(FaultKind.CUT_AFTER, "message"))
    send = client.transport.post

    def hasty(*arguments: object, **named: object) -> object:
        try:
            return send(*arguments, **named)  # type: ignore[arg-type]
        finally:
            for letter in old.world.letters.values():
                letter.unread.clear()

    client.transport.post = hasty  # type: ignore[assignment,method-assign]
    assert client.send_message("m", ["Буйный"], "Понял", "так").ids == (1,)


def test_one_of_two_messages_undecided_is_asked_about_alone(old: Rehearsal) -> None:
    journal = MemoryJournal()
    client = bot(old, journal)
    old.world.faults.add(Fault(FaultKind.CUT_BEFORE, "message", skip=1))
    with pytest.raises(errors.Undecided, match="Тихий"):
        client.send_message("m", ["Буйный", "Тихий & Ко <3"], "Понял", "так")
    assert [letter.to for letter in old.world.letters.values()] == [(old.buyny,)]
    old.clock.sleep(120)
    from forum_gm.forums.writing import settle

    assert settle(journal, "m", again=True)
    client.send_message("m", ["Буйный", "Тихий & Ко <3"], "Понял", "так")
    assert [letter.to for letter in old.world.letters.values()] == [(old.buyny,), (old.tihiy,)]


def test_what_the_character_set_lacks_arrives_readable(old: Rehearsal) -> None:
    client = bot(old)
    done = client.reply("k", old.topic, "Ход → 5 😀 ½ «ё» — №")
    assert old.world.entries[done.id].text == "Ход -> 5 &#128512; 1/2 «ё» — №"
    shown = next(post for post in client.read_page_of(done.id).posts if post.id == done.id)
    assert own_text(shown) == "Ход -> 5 😀 1/2 «ё» — №"


def test_phpbb2_takes_no_files_and_locks_nothing(old: Rehearsal) -> None:
    from forum_gm.forums.base import Upload

    client = bot(old)
    assert isinstance(client, PhpBB2)
    for refused in (
        lambda: client.reply("k", old.topic, "x", uploads=[Upload("a.txt", b"x")]),
        lambda: client.set_locked("l", old.topic, True),
        lambda: client.set_pinned("p", old.topic, True),
    ):
        with pytest.raises(errors.Unsupported):
            refused()
    assert len(old.mine()) == 1


def test_a_form_sent_back_too_soon_is_not_taken_for_posted() -> None:
    """phpBB 3.0 redirects as if it had posted: the client waits, and looks."""
    with rehearsal(engine="3.0") as made:
        client = made.client(form_wait=0.5, pause=0.0)
        client.login()
        made.clock.sleep(120)
        client.reply("k", made.topic, "Итоги")
        assert [made.world.entries[number].text for number in made.mine()][1:] == ["Итоги"]


def test_source_and_page_give_the_same_order_text(stage: Rehearsal) -> None:
    rng = random.Random(2718)
    lines = ["[b]Атака[/b] {n}: пехота 60/40", "Строю [u]башню[/u] в {n}", "[i]Стою[/i] :) a<b & жду {n}"]
    boxes = [
        "{}",
        "[quote]чужое\nслово[/quote]\n{}",
        '[quote="Тихий & Ко <3"]чужое[/quote]\n{}',
        "[code]А Вена - Тироль\n  Ф Триест[/code]\n{}",
    ]
    sources = {}
    for number in range(60):
        orders = "\n".join(rng.choice(lines).format(n=rng.randrange(1000)) for _ in range(rng.randint(1, 4)))
        stage.clock.sleep(30)
        source = rng.choice(boxes).format(orders) + f"\nИтого {number}"
        sources[stage.world.post(stage.buyny, stage.topic, source)] = source
    client = bot(stage)
    shown = {post.id: post for post in client.read_topic(stage.topic).posts}
    for number, source in sources.items():
        from_source, from_page = from_bbcode(source), from_html(shown[number].html)
        assert own(from_page) == own(from_source)
        assert [" ".join(line.split()) for line in own_text(shown[number]).split("\n") if line] == own(from_source)
    for number in list(sources)[-20:]:
        assert client.read_source(number) == sources[number]
