"""The campaign's own rules: seats, deadlines, which text counts, sheets. Pure functions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forum_gm.campaign import (
    OrderSet,
    PostIn,
    Timing,
    accounts_of,
    counting,
    make_plan,
    round_up,
    speaks_for,
    wait_deadlines,
)
from forum_gm.storage.models import Order, OrderStatus, Post, Revision, Seat
from forum_gm.wording import counted, left, listed, when
from rules.base import GM, Step, Wait
from tests.forum_gm.pipeline.tiny import TINY

MOSCOW = ZoneInfo("Europe/Moscow")
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def seat(faction: str, account: str, since: int = 1, until: int | None = None) -> Seat:
    return Seat(campaign_id="c", faction=faction, account_id=account, account_name=account, since_step=since, until_step=until)


def test_a_delegate_speaks_from_his_step_on_and_a_person_may_have_two_sides() -> None:
    seats = [seat("red", "10"), seat("red", "12", since=3, until=4), seat("blue", "10", since=2), seat(GM, "3")]
    assert speaks_for(seats, "12", 2) == []
    assert speaks_for(seats, "12", 3) == ["red"]
    assert speaks_for(seats, "12", 5) == []
    assert speaks_for(seats, "10", 2) == ["blue", "red"]
    assert speaks_for(seats, "3", 1) == [GM]
    assert accounts_of(seats, "red", 4) == [("10", "10"), ("12", "12")]


@pytest.mark.parametrize(
    ("minutes", "expected"),
    [(60, "2026-03-02T16:00:00+03:00"), (0, "2026-03-02T15:00:01+03:00"), (1440, "2026-03-03T00:00:00+03:00")],
)
def test_deadlines_are_rounded_up_in_the_campaigns_zone(minutes: int, expected: str) -> None:
    assert round_up(NOON + timedelta(milliseconds=1), minutes, MOSCOW).isoformat() == expected


@given(st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)), st.sampled_from([0, 1, 15, 60, 720]))
def test_rounding_never_takes_time_away(moment: datetime, minutes: int) -> None:
    moment = moment.replace(tzinfo=UTC)
    rounded = round_up(moment, minutes, UTC)
    assert timedelta(0) <= rounded - moment < timedelta(minutes=minutes or 1)


def two_waits() -> Step:
    return Step(
        "s",
        "battle",
        "Бой",
        (
            Wait("a", "red", "бой 1", ("take",), True, 10),
            Wait("b", "red", "бой 2", ("pass",), True, 20),
        ),
    )


def test_each_wait_has_its_own_hours_and_a_portion_keeps_them() -> None:
    known = {"a": NOON + HOUR}
    made = wait_deadlines(two_waits(), NOON, factor=2, minutes=0, zone=MOSCOW, known=known)
    assert made == {"a": NOON + HOUR, "b": NOON + 40 * HOUR}


def rev(number: int, seen: datetime, edited: datetime | None = None, count: int = 0) -> Revision:
    return Revision(
        campaign_id="c",
        post_id=1,
        number=number,
        seen_at=seen,
        format="text",
        source="",
        edited_at=edited,
        edit_count=count,
        prev_hash="",
        hash="",
    )


@pytest.mark.parametrize(
    ("second", "expected", "counts"),
    [
        (rev(2, NOON - HOUR), Timing.IN_TIME, 2),
        (rev(2, NOON + HOUR, NOON - HOUR, 1), Timing.IN_TIME, 2),
        (rev(2, NOON + HOUR, NOON + timedelta(minutes=1), 1), Timing.AFTER, 1),
        (rev(2, NOON + HOUR), Timing.UNKNOWN, 1),
    ],
)
def test_text_last_known_before_the_close_counts(second: Revision, expected: Timing, counts: int) -> None:
    found = counting([rev(1, NOON - 2 * HOUR), second], NOON)
    assert found.timings[2] is expected
    assert found.revision is not None
    assert found.revision.number == counts
    assert found.doubtful == ([] if expected is Timing.IN_TIME else [2])
    pinned = counting([rev(1, NOON - 2 * HOUR), second], NOON, 1)
    assert pinned.revision is not None
    assert pinned.revision.number == 1


def test_an_old_notice_that_stays_is_no_proof_of_time() -> None:
    first = rev(1, NOON - 2 * HOUR, NOON - 3 * HOUR, 1)
    assert counting([first, rev(2, NOON + HOUR, NOON - 3 * HOUR, 1)], NOON).timings[2] is Timing.UNKNOWN


def test_post_first_read_after_it_was_changed_after_the_deadline_has_no_counting_text() -> None:
    assert counting([rev(1, NOON + HOUR, NOON + HOUR, 1)], NOON).revision is None


def post(issuer: str, board_id: int, at: datetime) -> Post:
    return Post(campaign_id="c", board_id=board_id, issuer=issuer, posted_at=at, ruling="", role="player")


def order(issuer: str, number: int, command: dict[str, object], status: OrderStatus = OrderStatus.ACCEPTED) -> Order:
    return Order(id=number, issuer=issuer, position=number, command=command, status=status)


TAKE = {"type": "take", "amount": 1}


def test_sheets_come_in_order_of_arrival_the_gm_first_and_talk_makes_none() -> None:
    step = TINY.step(TINY.new_game(TINY.load_scenario(None)))
    assert step is not None
    posts = [
        PostIn(post("blue", 5, NOON), [order("blue", 1, TAKE)]),
        PostIn(post("red", 3, NOON), [order("red", 2, TAKE)]),
        PostIn(post("red", 9, NOON + HOUR), [], wrote=False),
    ]
    gm = order(GM, 3, {"type": "gm_set", "faction": "red", "points": 1})
    plan = make_plan(TINY, step, {}, posts, [gm])
    assert [(s.issuer, s.arrived) for s in plan.sheets] == [(GM, 0), ("red", 1), ("blue", 2)]
    assert plan.orders == (2, 1, 3)


def test_only_decided_orders_count_and_who_tried_has_an_empty_sheet() -> None:
    step = TINY.step(TINY.new_game(TINY.load_scenario(None)))
    assert step is not None
    posts = [PostIn(post("red", 3, NOON), [order("red", 1, TAKE, OrderStatus.ASKS)])]
    assert make_plan(TINY, step, {}, posts).sheets[0].commands == ()
    likely = [PostIn(post("red", 3, NOON), [order("red", 1, TAKE, OrderStatus.PROPOSED)])]
    assert len(make_plan(TINY, step, {}, likely, statuses=OrderSet.LIKELY).sheets[0].commands) == 1


def test_an_answer_after_its_own_waits_hours_is_left_out() -> None:
    deadlines = {"a": NOON, "b": NOON + 10 * HOUR}
    posts = [PostIn(post("red", 3, NOON + HOUR), [order("red", 1, TAKE), order("red", 2, {"type": "pass"})])]
    plan = make_plan(TINY, two_waits(), deadlines, posts)
    assert [c.model_dump()["type"] for c in plan.sheets[0].commands] == ["pass"]
    assert [(item.order_id, item.why) for item in plan.left_out] == [(1, "позже срока этого ответа")]


def test_russian_of_the_service() -> None:
    assert [counted(n, "приказ", "приказа", "приказов") for n in (1, 3, 5, 11, 21, 112)] == [
        "1 приказ",
        "3 приказа",
        "5 приказов",
        "11 приказов",
        "21 приказ",
        "112 приказов",
    ]
    assert left(timedelta(days=2, hours=3, minutes=7)) == "2 дня 3 часа"
    assert left(timedelta(minutes=41)) == "41 минута"
    assert left(timedelta(seconds=5)) == "меньше минуты"
    assert when(NOON, MOSCOW) == "2 марта 2026, понедельник, 15:00 мск"
    assert listed(["Каэль", "Морвен", "Тишина"]) == "Каэль, Морвен и Тишина"
