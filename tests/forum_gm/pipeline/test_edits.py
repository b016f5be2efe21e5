"""Edits as evidence: every text with the time it was seen, in a chain; what is known of an edit's time, and what counts."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from forum_gm.campaign import Timing
from forum_gm.config import ReviewPart
from forum_gm.pipeline.collect import collect, revision_hash
from forum_gm.pipeline.context import Context
from forum_gm.pipeline.parse import parse, step_posts
from forum_gm.pipeline.review import review
from forum_gm.service import tick
from forum_gm.storage.base import sha256
from forum_gm.storage.models import Notice, Post, Revision
from tests.forum_gm.pipeline.tiny import MemoryBoard, context


@pytest.fixture
def game(tmp_path: Path) -> tuple[Context, MemoryBoard, int]:
    """A step with one order, read an hour before its deadline."""
    ctx, board = context(tmp_path, review=ReviewPart(approve="gm", publish="gm"))
    tick(ctx)
    number = board.say("10", "беру 1")
    board.clock.sleep(47 * 3600)
    tick(ctx, reread=True)
    return ctx, board, number


def close(ctx: Context, board: MemoryBoard) -> None:
    with ctx.store.reading() as session:
        deadline = ctx.step(session, None).deadline
    assert deadline is not None
    board.clock.set(deadline + timedelta(seconds=1))
    assert tick(ctx).trouble == ""


def timings(ctx: Context) -> list[Timing]:
    with ctx.store.reading() as session:
        found = [count for post, count in step_posts(session, ctx.step(session, None)) if post.role == "player"]
    return list(found[0].timings.values())


def told(ctx: Context) -> list[str]:
    with ctx.store.reading() as session:
        return [notice.text for notice in session.scalars(select(Notice).where(Notice.kind == "edit"))]


def counted(ctx: Context) -> str:
    parse(ctx)
    post = next(post for player in review(ctx).players for post in player.posts)
    assert post.counts
    return post.text


def test_edit_found_after_the_look_at_the_close_is_after_the_deadline(game: tuple[Context, MemoryBoard, int]) -> None:
    """No notice is needed: the look at the close still found the old text."""
    ctx, board, number = game
    close(ctx, board)
    board.change(number, "беру 9")
    board.clock.sleep(3600)
    assert collect(ctx, reread=True).changed == 1
    assert timings(ctx) == [Timing.IN_TIME, Timing.AFTER]
    (text,) = told(ctx)
    assert text.startswith("user10 изменил сообщение 103 после срока. Засчитан прежний текст; правка показана на пульте")
    assert counted(ctx) == "беру 1"


def test_edit_between_two_looks_around_the_deadline_is_of_unknown_time(game: tuple[Context, MemoryBoard, int]) -> None:
    ctx, board, number = game
    board.change(number, "беру 9")
    close(ctx, board)
    assert timings(ctx) == [Timing.IN_TIME, Timing.UNKNOWN]
    assert "около срока, когда именно — форум не показал" in told(ctx)[0]
    assert counted(ctx) == "беру 1"


def test_edit_noticed_in_the_minute_of_the_deadline_is_of_unknown_time(game: tuple[Context, MemoryBoard, int]) -> None:
    """The board tells minutes: 13:00 may be 13:00:59."""
    ctx, board, number = game
    with ctx.store.reading() as session:
        deadline = ctx.step(session, None).deadline
    assert deadline is not None
    assert deadline.second == 0
    board.change(number, "беру 9", deadline)
    close(ctx, board)
    assert timings(ctx) == [Timing.IN_TIME, Timing.UNKNOWN]


@pytest.mark.parametrize(
    ("before", "timing", "text"), [(-1, Timing.IN_TIME, "беру 9"), (-30, Timing.IN_TIME, "беру 9"), (1, Timing.AFTER, "беру 1")]
)
def test_noticed_edit_counts_by_its_minute(
    game: tuple[Context, MemoryBoard, int], before: int, timing: Timing, text: str
) -> None:
    ctx, board, number = game
    with ctx.store.reading() as session:
        deadline = ctx.step(session, None).deadline
    assert deadline is not None
    board.change(number, "беру 9", deadline + timedelta(minutes=before))
    board.clock.set(deadline + timedelta(minutes=2))
    tick(ctx)
    assert timings(ctx) == [Timing.IN_TIME, timing]
    assert counted(ctx) == text


def test_the_gm_may_let_the_late_text_count(game: tuple[Context, MemoryBoard, int]) -> None:
    from forum_gm.pipeline.decide import pin

    ctx, board, number = game
    close(ctx, board)
    board.change(number, "беру 9")
    collect(ctx, reread=True)
    post = next(post for player in review(ctx).players for post in player.posts)
    pin(ctx, "Мастер", post.id, 2)
    assert counted(ctx) == "беру 9"


def test_every_text_is_kept_in_a_chain_with_the_times_it_was_seen(game: tuple[Context, MemoryBoard, int]) -> None:
    ctx, board, number = game
    for amount in (2, 3, 4):
        board.change(number, f"беру {amount}")
        board.clock.sleep(60)
        tick(ctx, reread=True)
    board.clock.sleep(60)
    unchanged = board.clock.now()
    tick(ctx, reread=True)
    with ctx.store.reading() as session:
        post = session.scalars(select(Post).where(Post.board_id == number)).one()
        rows = list(session.scalars(select(Revision).where(Revision.post_id == post.id).order_by(Revision.number)))
    assert [row.source for row in rows] == ["беру 1", "беру 2", "беру 3", "беру 4"]
    before = sha256(f"post {number}")
    for row in rows:
        assert row.prev_hash == before
        assert row.hash == revision_hash(row)
        before = row.hash
    assert [row.after_ack for row in rows] == [False, True, True, True]
    assert (rows[-1].last_seen_at, rows[-1].seen_at < unchanged) == (unchanged, True)
