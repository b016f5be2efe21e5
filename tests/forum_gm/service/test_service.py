"""The scheduler's jobs are made from the store; a broken tick is reported and does not stop the service."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

from forum_gm.forums.clock import ManualClock, RealClock
from forum_gm.service import Service, Ticked, moments, tick
from tests.forum_gm.pipeline.tiny import HOUR, MemoryBoard, context


def test_jobs_follow_the_open_step(tmp_path: Path) -> None:
    start = datetime.now(UTC) + timedelta(days=300)
    ctx, board = context(tmp_path, board=MemoryBoard(ManualClock(start)))
    assert moments(ctx) == []
    tick(ctx)
    found = moments(ctx)
    with ctx.store.reading() as session:
        deadline = ctx.step(session, None).deadline
    assert deadline is not None
    assert found == [deadline - 24 * HOUR, deadline - 3 * HOUR, deadline + timedelta(seconds=1)]
    service = Service([ctx])
    service.plan(ctx)
    names = {job.id for job in service.scheduler.get_jobs()}
    assert {f"tiny:at:{moment.isoformat()}" for moment in found} < names
    assert "tiny:poll" in names
    board.clock.set(deadline + HOUR)
    tick(ctx)
    service.scheduler.start(paused=True)
    service._plan_moments(ctx)
    after = {job.id for job in service.scheduler.get_jobs() if ":at:" in job.id}
    service.stop()
    assert after == {f"tiny:at:{moment.isoformat()}" for moment in moments(ctx)}
    assert not after & names


def test_the_service_begins_at_once_and_reports_trouble(tmp_path: Path) -> None:
    ctx, board = context(tmp_path)
    board.down = True
    told: list[Ticked] = []
    done = threading.Event()

    def report(_ctx: object, ticked: Ticked) -> None:
        told.append(ticked)
        done.set()

    service = Service([ctx], report)
    service.start()
    assert done.wait(20)
    service.stop()
    assert told[0].trouble == "Форум не отвечает."
    assert told[0].done == ("кампания начата",)


def test_stopping_does_not_wait_for_a_wait(tmp_path: Path) -> None:
    """A tick that waits an hour for the board lets go at once, and what it had begun is done after the next start."""
    ctx, board = context(tmp_path)
    ctx.clock = RealClock()
    waiting = threading.Event()

    def hold(moment: str) -> None:
        if moment == "before write":
            waiting.set()
            ctx.clock.sleep(3600)

    board.tick = hold
    told: list[Ticked] = []
    service = Service([ctx], lambda _ctx, ticked: told.append(ticked))
    service.start()
    assert waiting.wait(60)
    service.stop()
    assert told == []
    assert board.own() == []
    board.tick = lambda moment: None
    ctx.clock = RealClock()
    assert tick(ctx).trouble == ""
    assert len(board.own()) == 2


def test_gm_gets_questions_by_message_once(tmp_path: Path) -> None:
    from forum_gm.pipeline.decide import seat

    ctx, board = context(tmp_path)
    tick(ctx)
    seat(ctx, "Мастер", "blue", "10", "Рыжий", 1)
    board.say("10", "беру 2")
    tick(ctx)
    tick(ctx)
    asked = [body for to, subject, body in board.messages if subject == "Вопросы мастеру"]
    assert len(asked) == 1
    assert "не видно, за какую сторону" in asked[0]
