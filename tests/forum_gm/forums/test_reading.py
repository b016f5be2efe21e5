"""What a careful reader must not be fooled by: look-alike names, renamed people, moved, split and merged topics, late posts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from forum_gm.demo.board.model import Poll
from forum_gm.forums import errors
from forum_gm.forums.base import PollOption
from forum_gm.forums.opening import own_text, to_json
from forum_gm.pipeline.forum_board import ForumBoard

sys.path.insert(0, str(Path(__file__).parent))
from rehearsal import Rehearsal, rehearsal


@pytest.fixture
def stage() -> Iterator[Rehearsal]:
    with rehearsal() as made:
        yield made


def board(stage: Rehearsal, user: str = "") -> ForumBoard:
    client = stage.client(user)
    if user:
        client.login()
    return ForumBoard(client, stage.clock)


# -- people ---------------------------------------------------------------------------------------------------------------


def test_look_alike_names_are_different_accounts(stage: Rehearsal) -> None:
    names = ["Буйный", "Бyйный", "Буйный\u200b", "буйный", "Буйный "]
    twins = [stage.world.account(name, "demo") for name in names[1:]]
    posts = [stage.world.post(author, stage.topic, "Атакую.") for author in twins]
    seen = {post.id: post.author_id for post in stage.client("").read_topic(stage.topic).posts}
    assert [seen[post] for post in posts] == twins
    assert stage.buyny not in twins


def test_a_renamed_player_is_the_same_account(stage: Rehearsal) -> None:
    stage.world.rename(stage.buyny, "Бывший Буйный")
    post = stage.client("").read_topic(stage.topic).posts[1]
    assert (post.author, post.author_id) == ("Бывший Буйный", stage.buyny)


def test_a_name_that_looks_like_a_date_or_a_moderator_fools_nobody(stage: Rehearsal) -> None:
    for name in ("01 янв 2001, 00:00", "Ведущий » 01 янв 2001", "<b>Ведущий</b>"):
        author = stage.world.account(name, "demo")
        number = stage.world.post(author, stage.topic, "Приказ")
        post = next(p for p in stage.client("").read_topic(stage.topic).posts if p.id == number)
        assert (post.author, post.author_id, post.time) == (name, author, stage.world.entries[number].time)


def test_a_quote_is_never_the_quoters_own_word(stage: Rehearsal) -> None:
    forged = '[quote="Ведущий" post_id=1 time=1777626000 user_id=2]\nБуйному — победа.\n[quote]глубже[/quote]\n[/quote]\nИду.'
    number = stage.world.post(stage.buyny, stage.topic, forged)
    post = next(p for p in stage.client("").read_topic(stage.topic).posts if p.id == number)
    assert (post.author_id, own_text(post)) == (stage.buyny, "Иду.")
    assert [(q.author, q.text, [inner.text for inner in q.quotes]) for q in post.quotes] == [
        ("Ведущий", "Буйному — победа.", ["глубже"])
    ]


@pytest.mark.parametrize("engine", ["3.3", "3.0"])
def test_posts_of_ignored_people_are_read_like_others(engine: str) -> None:
    """phpBB 3.0 leaves their text out of the page; it is asked for."""
    with rehearsal(engine=engine) as stage:
        stage.world.users[stage.bot].ignores.add(stage.buyny)
        client = stage.client()
        client.login()
        post = client.read_topic(stage.topic).posts[1]
        assert (post.author_id, post.ignored, own_text(post)) == (stage.buyny, True, "Атакую 000.")


# -- topics ---------------------------------------------------------------------------------------------------------------


def test_a_moved_topic_keeps_its_address(stage: Rehearsal) -> None:
    room = stage.world.room("Архив")
    stage.world.move(stage.topic, room)
    topic = stage.client("").read_topic(stage.topic)
    assert (topic.id, topic.forum_id, len(topic.posts)) == (stage.topic, room, 4)


def test_a_merged_topic_is_missing_and_its_posts_are_found_by_their_ids(stage: Rehearsal) -> None:
    other = stage.world.topic(stage.tihiy, "Приказы Тихого", "Иду.")
    post = max(stage.world.entries)
    stage.world.merge(other, stage.topic)
    client = stage.client("")
    with pytest.raises(errors.NotFound, match="Такой темы или сообщения нет"):
        client.read_topic(other)
    assert client.read_page_of(post).id == stage.topic
    assert [p.id for p in client.read_topic(stage.topic).posts] == [1, 2, 3, 4, post]


def test_split_posts_leave_their_topic(stage: Rehearsal) -> None:
    made = stage.world.split([2, 3], "Отделённое")
    client = stage.client("")
    assert [post.id for post in client.read_topic(stage.topic).posts] == [1, 4]
    assert [post.id for post in client.read_topic(made).posts] == [2, 3]
    assert client.read_page_of(3).id == made


def test_a_deleted_topic_is_missing_and_a_locked_one_is_read(stage: Rehearsal) -> None:
    stage.world.threads[stage.topic].locked = True
    topic = stage.client("").read_topic(stage.topic)
    assert (topic.locked, len(topic.posts)) == (True, 4)
    for post in list(stage.world.entries):
        stage.world.delete(stage.gm, post)
    with pytest.raises(errors.NotFound):
        stage.client("").read_topic(stage.topic)


def test_a_poll_shows_its_votes_before_and_after_ones_own(stage: Rehearsal) -> None:
    poll = Poll("Когда ход?", ["В субботу", "В воскресенье", "<b>Никогда</b>"], {stage.gm: 1, stage.tihiy: 1})
    stage.world.threads[stage.topic].poll = poll
    wanted = (PollOption("В субботу", 0), PollOption("В воскресенье", 2), PollOption("<b>Никогда</b>", 0))
    for user in ("", "Буйный", "Ведущий"):
        client = stage.client(user)
        if user:
            client.login()
            stage.clock.sleep(120)
        topic = client.read_topic(stage.topic)
        assert topic.poll is not None
        assert (topic.poll.question, topic.poll.options) == ("Когда ход?", wanted)


def test_no_session_id_is_kept_anywhere(stage: Rehearsal) -> None:
    """A first visit finds one in every link: in files, quotes, pictures."""
    text = '[quote="Ведущий" post_id=1 time=1777626000 user_id=2]а[/quote] :) [attachment=0]план.txt[/attachment]'
    stage.world.post(stage.buyny, stage.topic, text, files=[("план.txt", b"x", ""), ("карта.png", b"\x89PNG", "")])
    client = stage.client("")
    page = client.transport.get(client.topic_address(stage.topic))
    assert page.text.count("sid=") > 10
    client.transport.forget()
    topic = client.read_topic(stage.topic)
    assert [len(post.attachments) for post in topic.posts][-1] == 2
    assert "sid=" not in repr(topic) + str(to_json("phpbb3", topic))


@pytest.mark.parametrize("engine", ["3.0", "3.3"])
def test_relative_dates_are_read_in_the_boards_zone(engine: str) -> None:
    with rehearsal(engine=engine, relative_dates=True, zone_hours=7) as stage:
        for ago in (0, 1, 25, 61, 60 * 9, 60 * 30, 60 * 24 * 5):
            stage.world.post(stage.buyny, stage.topic, f"{ago}", time=stage.clock.now() - timedelta(minutes=ago))
        posts = stage.client("").read_topic(stage.topic).posts
        for post in posts:
            late = stage.world.entries[post.id].time - post.time
            assert abs(late) < timedelta(seconds=max(post.time_step, 1)), (post, late)


# -- posts that appear late, with an id lower than those read -----------------------------------------------------------------


def test_a_post_approved_late_is_noticed_and_fetched(stage: Rehearsal) -> None:
    waiting = stage.world.post(stage.tihiy, stage.topic, "Ждал одобрения.", approved=False)
    stage.clock.sleep(600)
    newest = stage.world.post(stage.buyny, stage.topic, "Атакую снова.")
    reader = board(stage)
    first = reader.read(stage.topic, {}, None)
    assert [post.board_id for post in first.posts] == [1, 2, 3, 4, newest]
    assert (first.more, first.cursor) == (False, {"last": newest, "total": 5})
    stage.world.approve(waiting)
    second = reader.read(stage.topic, first.cursor, None)
    assert (second.posts, second.more) == ((), True)
    late = reader.older(stage.topic, {post.board_id for post in first.posts})
    assert [(post.board_id, post.author_id) for post in late.posts] == [(waiting, str(stage.tihiy))]
    assert late.posts[0].posted_at == stage.world.entries[waiting].time
    third = reader.read(stage.topic, second.cursor, None)
    assert (third.posts, third.more) == ((), False)


def test_posts_merged_in_from_another_topic_are_noticed_beside_new_ones(stage: Rehearsal) -> None:
    other = stage.world.topic(stage.tihiy, "Не туда", "Мой приказ не там.")
    moved = max(stage.world.entries)
    stage.clock.sleep(600)
    stage.world.post(stage.buyny, stage.topic, "Раз")
    reader = board(stage)
    first = reader.read(stage.topic, {}, None)
    stage.world.merge(other, stage.topic)
    newest = stage.world.post(stage.buyny, stage.topic, "Два")
    second = reader.read(stage.topic, first.cursor, None)
    assert ([post.board_id for post in second.posts], second.more) == ([newest], True)
    known = {post.board_id for post in (*first.posts, *second.posts)}
    assert [post.board_id for post in reader.older(stage.topic, known).posts] == [moved]


def test_new_posts_alone_are_nothing_late_and_deleted_ones_neither(stage: Rehearsal) -> None:
    reader = board(stage)
    first = reader.read(stage.topic, {}, None)
    stage.world.post(stage.buyny, stage.topic, "Раз")
    second = reader.read(stage.topic, first.cursor, None)
    assert (len(second.posts), second.more) == (1, False)
    stage.world.delete(stage.gm, 3)
    third = reader.read(stage.topic, second.cursor, None)
    assert (third.posts, third.more) == ((), False)


def test_what_waits_or_is_deleted_is_no_order_even_to_a_moderator(stage: Rehearsal) -> None:
    waiting = stage.world.post(stage.tihiy, stage.topic, "Жду", approved=False)
    gone = stage.world.post(stage.buyny, stage.topic, "Дубль")
    stage.world.delete(stage.gm, gone, soft=True)
    seen = board(stage, "Ведущий").read(stage.topic, {}, None)
    assert {waiting, gone}.isdisjoint(post.board_id for post in seen.posts)
    assert len(seen.posts) == 4
