"""The GM's acts: corrections, answers, admission, re-run and rollback; each is in the audit log, public ones in the report."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sqlalchemy import select

from forum_gm.config import ReviewPart
from forum_gm.pipeline import decide
from forum_gm.pipeline.acts import JOURNAL, TEXTS, UNNAMED, act_text
from forum_gm.pipeline.approve import approve
from forum_gm.pipeline.close import close, extend
from forum_gm.pipeline.context import Context, NotNow
from forum_gm.pipeline.publish import publish
from forum_gm.pipeline.record import Verified, record, verify_record
from forum_gm.pipeline.resolve import resolve, resolve_portion, trial
from forum_gm.pipeline.review import review
from forum_gm.pipeline.verify import verify
from forum_gm.service import tick
from forum_gm.storage.models import Audit
from tests.forum_gm.pipeline.tiny import TINY, HiddenTiny, MemoryBoard, context

PIPELINE = Path(decide.__file__).parent
GM_NAME = "Мастер"


@pytest.fixture
def game(tmp_path: Path) -> tuple[Context, MemoryBoard]:
    """The first step is open, both have written, nothing happens without the GM."""
    ctx, board = context(tmp_path, review=ReviewPart(approve="gm", publish="gm"))
    tick(ctx)
    board.clock.sleep(3600)
    board.say("10", "беру 5")
    board.say("11", "наверное беру 9")
    tick(ctx)
    return ctx, board


def past_deadline(ctx: Context, board: MemoryBoard) -> None:
    board.clock.sleep(60 * 3600)
    tick(ctx)


def points(ctx: Context) -> dict[str, int]:
    with ctx.store.reading() as session:
        return dict(ctx.head(session).state["points"])


def test_without_approval_nothing_is_resolved(game: tuple[Context, MemoryBoard]) -> None:
    ctx, board = game
    past_deadline(ctx, board)
    with pytest.raises(NotNow, match="ждут проверки приказы"):
        resolve(ctx, GM_NAME)
    result = approve(ctx, GM_NAME)
    assert len(result.accepted) == 1
    assert [item.issuer for item in result.left_out] == ["blue"]
    assert resolve(ctx, GM_NAME) is not None
    assert resolve(ctx, GM_NAME) is None


def test_only_a_person_accepts_the_doubtful(game: tuple[Context, MemoryBoard]) -> None:
    ctx, _ = game
    with pytest.raises(NotNow):
        approve(ctx, unsure=True)
    assert len(approve(ctx, GM_NAME, unsure=True).accepted) == 2


def test_review_shows_marks_orders_and_what_would_be_done(game: tuple[Context, MemoryBoard]) -> None:
    ctx, _ = game
    approve(ctx, GM_NAME)
    result = review(ctx)
    red, blue = result.players
    assert red.sheet == ("взять 5",)
    assert blue.sheet == ()
    assert [mark.kind for mark in blue.posts[0].marks] == ["unsure"]
    assert blue.posts[0].orders[0].note == "сказано неуверенно"
    assert result.undecided == 1


def test_edit_by_line_reject_and_add(game: tuple[Context, MemoryBoard]) -> None:
    ctx, board = game
    order = review(ctx).players[0].posts[0].orders[0]
    decide.edit_order_text(ctx, GM_NAME, order.id, "беру 7")
    decide.reject_order(ctx, GM_NAME, review(ctx).players[1].posts[0].orders[0].id, "нельзя")
    decide.add_order_text(ctx, GM_NAME, "blue", "беру 1")
    with pytest.raises(NotNow, match="Кабанов в игре нет"):
        decide.add_order_text(ctx, GM_NAME, "blue", "кабанов сюда")
    with pytest.raises(NotNow, match="amount"):
        decide.edit_order(ctx, GM_NAME, order.id, {"type": "take", "amount": "много"})
    past_deadline(ctx, board)
    resolve(ctx, GM_NAME)
    publish(ctx, GM_NAME)
    with ctx.store.reading() as session:
        sheets = ctx.outcome(session, 1).sheets
    assert [sheet["commands"][0]["amount"] for sheet in sheets] == [7, 1]
    report = next(text for text in board.own() if "Решения мастера" in text)
    assert "исправлен приказ: Красные" in report
    assert "отклонён приказ: Синие" in report


def test_players_edit_after_the_gm_corrected_asks_again(game: tuple[Context, MemoryBoard]) -> None:
    ctx, board = game
    order = review(ctx).players[0].posts[0].orders[0]
    decide.edit_order_text(ctx, GM_NAME, order.id, "беру 7")
    number = next(n for n, p in board.posts.items() if p.author_id == "10")
    board.change(number, "беру 8", board.clock.now())
    tick(ctx, reread=True)
    result = review(ctx)
    assert [line.text for line in result.players[0].posts[0].orders] == ["взять 8"]
    assert any("после вашей правки" in text for _, _, text, _ in result.notices)
    assert result.players[0].posts[0].versions[1].diff == (("same", "беру "), ("gone", "5"), ("new", "8"))


def test_precedent_makes_a_phrase_certain_and_can_be_withdrawn(game: tuple[Context, MemoryBoard]) -> None:
    ctx, board = game
    board.say("11", "кабанчики мои")
    tick(ctx)
    number = decide.add_precedent(ctx, GM_NAME, "кабанчики", "беру 3")
    lines = review(ctx).players[1].posts[1].orders
    assert [(line.text, line.certain) for line in lines] == [("взять 3", True)]
    assert "по решению мастера: «кабанчики» — беру 3" in lines[0].note
    decide.withdraw_precedent(ctx, GM_NAME, number)
    assert review(ctx).players[1].posts[1].orders == ()


def test_late_post_admitted_by_the_gm_counts(game: tuple[Context, MemoryBoard]) -> None:
    ctx, board = game
    board.clock.sleep(60 * 3600)
    board.say("10", "беру 2")
    tick(ctx)
    late = review(ctx).players[0].posts[1]
    assert (late.counts, late.why_not) == (False, "опоздало")
    with ctx.store.reading() as session:
        dice = ctx.step(session, None).dice_posts
    decide.admit(ctx, GM_NAME, late.id)
    approve(ctx, GM_NAME)
    assert review(ctx).players[0].sheet == ("взять 2",)
    with ctx.store.reading() as session:
        assert ctx.step(session, None).dice_posts == dice


def test_extension_reopens_a_closed_step(game: tuple[Context, MemoryBoard]) -> None:
    ctx, board = game
    past_deadline(ctx, board)
    assert review(ctx).status == "closed"
    extend(ctx, GM_NAME, 5)
    assert review(ctx).status == "open"
    board.say("10", "беру 2")
    tick(ctx)
    assert review(ctx).players[0].posts[1].counts


def test_rerun_is_a_new_attempt_with_new_rolls_and_told_in_public(game: tuple[Context, MemoryBoard]) -> None:
    ctx, board = game
    past_deadline(ctx, board)
    approve(ctx, GM_NAME)
    resolve(ctx, GM_NAME)
    publish(ctx, GM_NAME)
    decide.rerun(ctx, GM_NAME)
    order = review(ctx).players[0].posts[0].orders[0]
    decide.edit_order_text(ctx, GM_NAME, order.id, "беру 6")
    resolve(ctx, GM_NAME)
    publish(ctx, GM_NAME)
    with ctx.store.reading() as session:
        first, second = ctx.outcome(session, 1), ctx.outcome(session, 2)
        assert (first.undone, second.undone, second.attempt, second.parent_number) == (True, False, 2, 0)
        assert ctx.step(session, None).number == 2
        assert session.scalars(select(Audit).where(Audit.action.in_(("rerun", "rollback")))).all()
    assert any("попытка 2" in text for text in board.own())
    assert "Всё сходится" in verify(ctx)


def test_rollback_reopens_an_earlier_step_under_new_dice(game: tuple[Context, MemoryBoard]) -> None:
    ctx, board = game
    past_deadline(ctx, board)
    approve(ctx, GM_NAME)
    resolve(ctx, GM_NAME)
    publish(ctx, GM_NAME)
    board.clock.sleep(3600)
    board.say("10", "беру 1")
    tick(ctx)
    decide.rollback(ctx, GM_NAME, 1, reopen=True)
    tick(ctx)
    result = review(ctx)
    assert (result.number, result.status, result.attempt) == (1, "open", 2)
    assert any("открывается заново" in text for text in board.own())
    assert points(ctx) == {"red": 0, "blue": 0}
    past_deadline(ctx, board)
    approve(ctx, GM_NAME)
    resolve(ctx, GM_NAME)
    publish(ctx, GM_NAME)
    # What had been written for the undone second step counts again.
    assert [post.text for post in review(ctx).players[0].posts] == ["беру 1"]
    with ctx.store.reading() as session:
        assert ctx.outcome(session, 2).secret_number == 3
    assert "Всё сходится" in verify(ctx)


def test_portion_leaves_the_step_open_and_is_not_carried_out_twice(game: tuple[Context, MemoryBoard]) -> None:
    ctx, board = game
    approve(ctx, GM_NAME)
    resolve_portion(ctx, GM_NAME)
    after = points(ctx)
    assert after["red"] > 5
    publish(ctx, GM_NAME)
    assert review(ctx).status == "open"
    with pytest.raises(NotNow, match="нет принятых приказов"):
        resolve_portion(ctx, GM_NAME)
    past_deadline(ctx, board)
    resolve(ctx, GM_NAME)
    assert points(ctx) == after
    assert "Всё сходится" in verify(ctx)


def test_gm_command_from_the_desk_and_from_a_post(game: tuple[Context, MemoryBoard]) -> None:
    ctx, board = game
    board.say("3", "Всем привет! очки blue 40")
    tick(ctx)
    decide.gm_command(ctx, GM_NAME, {"type": "gm_set", "faction": "red", "points": 100})
    with pytest.raises(NotNow, match="не приказ мастера"):
        decide.gm_command(ctx, GM_NAME, {"type": "take", "amount": 1})
    past_deadline(ctx, board)
    approve(ctx, GM_NAME)
    resolve(ctx, GM_NAME)
    assert points(ctx)["red"] > 105
    assert points(ctx)["blue"] == 40


def test_person_with_two_factions_is_understood_by_the_name_he_writes(tmp_path: Path) -> None:
    ctx, board = context(tmp_path)
    tick(ctx)
    decide.seat(ctx, GM_NAME, "blue", "10", "Рыжий", 1)
    board.say("10", "Синий берёт: беру 1")
    number = board.say("10", "беру 2")
    tick(ctx)
    result = review(ctx)
    assert len(result.players[1].posts) == 1
    assert [post.board_id for post in result.strays] == [number]
    decide.assign(ctx, GM_NAME, result.strays[0].id, "red")
    assert len(review(ctx).players[0].posts) == 1


def test_trial_stores_nothing(game: tuple[Context, MemoryBoard]) -> None:
    ctx, _ = game
    first = trial(ctx)
    assert first.outcome.events == trial(ctx).outcome.events
    assert points(ctx) == {"red": 0, "blue": 0}


def test_closing_early_is_public(game: tuple[Context, MemoryBoard]) -> None:
    ctx, board = game
    with pytest.raises(NotNow, match="срок ещё не вышел"):
        close(ctx)
    close(ctx, GM_NAME, early=True)
    approve(ctx, GM_NAME)
    resolve(ctx, GM_NAME)
    publish(ctx, GM_NAME)
    assert any("закрыт раньше срока" in text for text in board.own())


def test_public_record_checks_itself_and_notices_a_changed_roll(game: tuple[Context, MemoryBoard]) -> None:
    ctx, board = game
    past_deadline(ctx, board)
    approve(ctx, GM_NAME)
    resolve(ctx, GM_NAME)
    with ctx.store.reading() as session:
        assert record(ctx, session)["outcomes"] == []
    publish(ctx, GM_NAME)
    with ctx.store.reading() as session:
        raw = record(ctx, session)
    assert "бросков пересчитано 1" in verify_record(raw)
    assert raw["outcomes"][0]["hidden_secret"] is None
    raw["outcomes"][0]["draws"][0]["result"] = raw["outcomes"][0]["draws"][0]["result"] % 6 + 1
    with pytest.raises(Verified, match="выходит другим"):
        verify_record(raw)


@pytest.mark.parametrize("hidden", [False, True], ids=["known to all", "hidden"])
def test_acts_on_orders_name_only_him_who_is_known_to_be_awaited(tmp_path: Path, hidden: bool) -> None:
    """A step of which only those asked know: what the GM does about their orders is told, but not whose they are."""
    ctx, board = context(tmp_path, review=ReviewPart(approve="gm", publish="gm"))
    ctx.ruleset = HiddenTiny() if hidden else TINY
    tick(ctx)
    number = board.say("10", "беру 5")
    board.say("11", "беру 6")
    tick(ctx)
    red, blue = (player.posts[0] for player in review(ctx).players)
    decide.edit_order_text(ctx, "Мастер", red.orders[0].id, "беру 4")
    decide.reject_order(ctx, "Мастер", blue.orders[0].id, "так нельзя")
    decide.add_order_text(ctx, "Мастер", "blue", "беру 1")
    decide.exclude(ctx, "Мастер", red.id)
    decide.count_again(ctx, "Мастер", red.id)
    extend(ctx, "Мастер", 24, wait="orders:red")
    board.clock.sleep(200 * 3600)
    tick(ctx)
    decide.pin(ctx, "Мастер", red.id, 1)
    resolve(ctx, "Мастер")
    publish(ctx, "Мастер")
    report = next(text for text in board.own() if "Решения мастера" in text)
    acts = report.split("Решения мастера")[1].split("[/list]")[0]
    assert (("Красные" in acts) or ("Синие" in acts) or ("user1" in acts)) is not hidden
    assert ("отклонён тайный приказ" in acts) is hidden
    assert ("срок тайного ответа продлён" in acts) is hidden
    assert "так нельзя" not in acts
    assert "беру" not in acts
    assert number
    with ctx.store.reading() as session:
        full = [act_text(ctx, session, entry) for entry in session.scalars(select(Audit).where(Audit.public.is_(True)))]
    assert "отклонён приказ: Синие" in full


def test_every_act_has_its_line_in_russian() -> None:
    """Whatever the service writes into its journal, a GM reads it there."""
    source = "\n".join(path.read_text("utf-8") for path in PIPELINE.glob("*.py"))
    named = set(re.findall(r'\.audit\(\s*session,\s*\w+,\s*"(\w+)"', source))
    lines = [line for line in source.splitlines() if re.search(r"\baction ?= ?.*\"|_rule_post\(ctx", line)]
    chosen = {word for line in lines for word in re.findall(r'"([a-z_]+)"', line)} - {"message", "reply", "edit", "pin"}
    assert {"close", "reject_order", "reopen", "count_again"} <= named | chosen
    assert {name for name in named | chosen if "_" in name or name in named} <= {*TEXTS, *JOURNAL}
    assert {"reopen", "rollback", "rerun"} & chosen <= {*TEXTS}
    assert set(UNNAMED) <= set(TEXTS)
