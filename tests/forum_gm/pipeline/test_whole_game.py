"""A whole game of the tiny ruleset through the service: nothing lost, nothing twice, everything verifiable."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from sqlalchemy import select

from forum_gm.pipeline.context import Context
from forum_gm.pipeline.verify import verify
from forum_gm.service import tick
from forum_gm.storage.models import OutcomeRow, Publication, PublicationStatus
from tests.forum_gm.pipeline.tiny import HOUR, START, MemoryBoard, context


def head_state(ctx: Context) -> dict[str, object]:
    with ctx.store.reading() as session:
        return dict(ctx.head(session).state)


def play_turn(ctx: Context, board: MemoryBoard, red: str, blue: str) -> None:
    board.clock.sleep(3600)
    board.say("10", red)
    board.say("11", blue)
    assert tick(ctx).trouble == ""
    board.clock.sleep(60 * 3600)
    assert tick(ctx).trouble == ""


def test_three_turns_to_the_end(tmp_path: Path) -> None:
    ctx, board = context(tmp_path)
    assert "кампания начата" in tick(ctx).done
    assert "Ход 1" in board.own()[0]
    assert "SHA-256" in board.own()[0]
    for turn in range(3):
        play_turn(ctx, board, f"Красный: беру {turn + 1}", "пас")
    state = head_state(ctx)
    assert state["turn"] == 4
    with ctx.store.reading() as session:
        assert ctx.campaign(session).over
        reports = session.scalars(select(Publication).where(Publication.kind == "report")).all()
        assert [r.key for r in reports] == ["report:1:1", "report:2:1", "report:3:1"]
        assert all(r.status == PublicationStatus.CONFIRMED for r in session.scalars(select(Publication)))
        secret = session.scalars(select(OutcomeRow).where(OutcomeRow.number == 2)).one().secret_number
        assert secret == 2
    assert "Всё сходится: итогов пересчитано 3" in verify(ctx)
    assert "Игра окончена" in board.own()[-2] or "Игра окончена" in board.own()[-1]


def test_each_report_reveals_what_the_post_before_its_orders_committed(tmp_path: Path) -> None:
    ctx, board = context(tmp_path)
    tick(ctx)
    play_turn(ctx, board, "беру 1", "беру 2")
    from forum_gm.storage.models import DiceSecret

    with ctx.store.reading() as session:
        first, second = session.scalars(select(DiceSecret).order_by(DiceSecret.number)).all()
    texts = board.own()
    report = next(text for text in texts if first.public_secret in text)
    assert first.public_commitment in texts[0]
    assert first.public_secret not in texts[0]
    assert second.public_commitment in report
    assert not any(second.public_secret in text or first.hidden_secret in text for text in texts)


def test_split_posts_later_one_counts_and_doubtful_reading_is_left_out(tmp_path: Path) -> None:
    ctx, board = context(tmp_path)
    tick(ctx)
    board.clock.sleep(3600)
    board.say("10", "беру 5")
    board.say("10", "Хотя нет: беру 2")
    board.say("11", "наверное беру 9. И ещё кабанов в бой.")
    tick(ctx)
    board.clock.sleep(60 * 3600)
    tick(ctx)
    with ctx.store.reading() as session:
        row = ctx.outcome(session, 1)
        assert row.sheets == [
            {"issuer": "red", "arrived": 0, "commands": [{"type": "take", "amount": 2}]},
            {"issuer": "blue", "arrived": 1, "commands": []},
        ]
    echo = [body for to, _, body in board.messages if to == ("user11",)]
    assert "Не уверен" in echo[0]
    assert "взять 9" in echo[0]
    assert "Кабанов в игре нет." in echo[0]
    private = [body for to, subject, body in board.messages if to == ("Синяя",) and "лично" in subject]
    assert "Не стало приказами" in private[0]
    assert "сказано неуверенно" in private[0]


def test_late_post_does_not_count_and_its_author_is_told(tmp_path: Path) -> None:
    ctx, board = context(tmp_path, review=_manual())
    tick(ctx)
    board.clock.sleep(60 * 3600)
    board.say("10", "беру 5")
    tick(ctx)
    with ctx.store.reading() as session:
        assert ctx.current(session).status == "closed"  # type: ignore[union-attr]
    tick(ctx)
    assert any("после срока" in body for _, _, body in board.messages)


def test_post_that_comes_while_the_results_are_published_is_told_that_it_is_late(tmp_path: Path) -> None:
    ctx, board = context(tmp_path)
    tick(ctx)
    board.clock.sleep(60 * 3600)
    at = board.clock.now()
    board.clock.sleep(5)
    tick(ctx)
    board.say("10", "беру 5", at)
    tick(ctx)
    tick(ctx)
    assert [to for to, _, body in board.messages if "после срока" in body] == [("user10",)]


def _manual() -> object:
    from forum_gm.config import ReviewPart

    return ReviewPart(approve="gm", publish="gm")


def test_edit_after_the_deadline_does_not_count(tmp_path: Path) -> None:
    ctx, board = context(tmp_path)
    tick(ctx)
    board.clock.sleep(3600)
    number = board.say("10", "беру 1")
    tick(ctx)
    board.clock.sleep(50 * 3600)
    board.change(number, "беру 9", board.clock.now())
    tick(ctx)
    with ctx.store.reading() as session:
        assert ctx.outcome(session, 1).sheets[0]["commands"] == [{"type": "take", "amount": 1}]


def test_edit_of_unknown_time_does_not_count_by_itself(tmp_path: Path) -> None:
    ctx, board = context(tmp_path)
    tick(ctx)
    board.clock.sleep(3600)
    number = board.say("10", "беру 1")
    tick(ctx)
    board.clock.sleep(60 * 3600)
    board.change(number, "беру 9")
    tick(ctx)
    with ctx.store.reading() as session:
        assert ctx.outcome(session, 1).sheets[0]["commands"] == [{"type": "take", "amount": 1}]


def test_edit_before_the_deadline_counts_and_is_answered_again(tmp_path: Path) -> None:
    ctx, board = context(tmp_path)
    tick(ctx)
    board.clock.sleep(3600)
    number = board.say("10", "беру 1")
    tick(ctx)
    board.clock.sleep(2 * 3600)
    board.change(number, "беру 3", board.clock.now())
    tick(ctx)
    assert [s for to, s, b in board.messages if to == ("user10",)] == ["Ход 1: понял так"] * 2
    board.clock.sleep(60 * 3600)
    tick(ctx)
    with ctx.store.reading() as session:
        assert ctx.outcome(session, 1).sheets[0]["commands"] == [{"type": "take", "amount": 3}]


def test_status_post_is_one_and_edited_in_place(tmp_path: Path) -> None:
    ctx, board = context(tmp_path)
    tick(ctx)
    before = [text for text in board.own() if text.startswith("[b]Приказы: Ход 1")]
    assert len(before) == 1
    assert "Ждём: Красные, Синие." in before[0]
    board.clock.sleep(3600)
    board.say("10", "беру 1")
    tick(ctx)
    after = [text for text in board.own() if text.startswith("[b]Приказы: Ход 1")]
    assert len(after) == 1
    assert "Прислали: Красные." in after[0]


def test_reminder_only_to_the_silent_and_once(tmp_path: Path) -> None:
    ctx, board = context(tmp_path)
    tick(ctx)
    board.say("10", "пас")
    board.clock.sleep(30 * 3600)
    tick(ctx)
    tick(ctx)
    reminded = [to for to, subject, _ in board.messages if "напоминание" in subject]
    assert reminded == [("Синяя",)]


def test_board_down_at_the_close_keeps_the_step_open(tmp_path: Path) -> None:
    ctx, board = context(tmp_path)
    tick(ctx)
    board.say("10", "беру 4", START + HOUR)
    board.clock.sleep(60 * 3600)
    board.down = True
    assert "не отвечает" in tick(ctx).trouble
    with ctx.store.reading() as session:
        assert ctx.current(session).status == "open"  # type: ignore[union-attr]
    board.down = False
    assert tick(ctx).trouble == ""
    assert head_state(ctx)["turn"] == 2


def test_undecided_write_asks_the_gm_and_never_repeats(tmp_path: Path) -> None:
    ctx, board = context(tmp_path)
    board.undecided = True
    tick(ctx)
    tick(ctx)
    assert board.own() == []
    with ctx.store.reading() as session:
        rows = session.scalars(select(Publication).where(Publication.kind == "opening")).all()
        assert [row.status for row in rows] == ["asked"]
    from forum_gm.pipeline.outbox import settle

    board.undecided = False
    settle(ctx, "Мастер", rows[0].id, arrived=False)
    tick(ctx)
    assert len([text for text in board.own() if "принимаются приказы" in text]) == 1
    with ctx.store.reading() as session:
        assert ctx.current(session).status == "open"  # type: ignore[union-attr]


def test_reread_and_extension_are_moments_of_the_clock(tmp_path: Path) -> None:
    from forum_gm.pipeline.close import extend
    from forum_gm.service import moments

    ctx, _ = context(tmp_path)
    tick(ctx)
    before = moments(ctx)
    extend(ctx, "Мастер", 24)
    assert moments(ctx)[-1] - before[-1] == timedelta(hours=24)
