"""Times as boards write them, into UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forum_gm.forums.dates import read_time, zone_in

MOSCOW = timezone(timedelta(hours=3))
NOW = datetime(2026, 11, 30, 2, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "wanted", "step"),
    [
        ("Сегодня, 05:01", "2026-11-30T02:01", 60),
        ("Вчера, 03:10", "2026-11-29T00:10", 60),
        ("вчера в 15:20", "2026-11-29T12:20", 60),
        ("Today, 5:01 am", "2026-11-30T02:01", 60),
        ("Yesterday, 11:20 pm", "2026-11-29T20:20", 60),
        ("5 минут назад", "2026-11-30T02:15", 60),
        ("менее минуты назад", "2026-11-30T02:20", 60),
        ("1 минуту назад", "2026-11-30T02:19", 60),
        ("3 minutes ago", "2026-11-30T02:17", 60),
        ("Пт Июл 26, 2013 16:19", "2013-07-26T13:19", 60),
        ("Вс Ноя 15, 2009 8:00 pm", "2009-11-15T17:00", 60),
        ("Fri Nov 13, 2026 8:23 pm", "2026-11-13T17:23", 60),
        ("26 ноя 2026, 02:36", "2026-11-25T23:36", 60),
        ("5 мая 2026, 00:10", "2026-05-04T21:10", 60),
        ("15 ноября 2009 г. 20:00", "2009-11-15T17:00", 60),
        ("15.11.2009, 20:00:07", "2009-11-15T17:00:07", 1),
        ("01.02.08 9:05", "2008-02-01T06:05", 60),
        ("2026-11-16 04:23:59", "2026-11-16T01:23:59", 1),
        ("2026-11-10T02:01:02+00:00", "2026-11-10T02:01:02", 1),
        ("2026-11-10T02:01:02Z", "2026-11-10T02:01:02", 1),
        ("12:00 am ничего", None, 0),
        ("31 фев 2026, 10:00", None, 0),
        ("ждём 5 дней", None, 0),
    ],
)
def test_times_of_boards(text: str, wanted: str | None, step: int) -> None:
    read = read_time(text, zone=MOSCOW, now=NOW)
    if wanted is None:
        assert read is None
    else:
        assert read is not None
        assert (read.time, read.step) == (datetime.fromisoformat(wanted).replace(tzinfo=UTC), step)


def test_relative_times_are_not_read_without_knowing_when() -> None:
    assert read_time("Вчера, 03:10", zone=MOSCOW) is None
    assert read_time("5 минут назад") is None


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("Часовой пояс: UTC+03:00", 3.0),
        ("Часовой пояс: GMT + 3", 3.0),
        ("All times are UTC", 0.0),
        ("UTC-04:30", -4.5),
        ("UTC − 5 часов", -5.0),
    ],
)
def test_zone_of_the_footer(text: str, hours: float) -> None:
    zone = zone_in(text)
    assert zone is not None
    assert zone.utcoffset(None) == timedelta(hours=hours)


@given(st.datetimes(min_value=datetime(1999, 1, 1), max_value=datetime(2049, 12, 31)))
def test_a_written_time_reads_back(moment: datetime) -> None:
    months = ["янв", "фев", "мар", "апр", "май", "июн", "июл", "авг", "сен", "окт", "ноя", "дек"]
    text = f"{moment.day:02d} {months[moment.month - 1]} {moment.year}, {moment:%H:%M:%S}"
    read = read_time(text, zone=MOSCOW)
    assert read is not None
    assert read.time == moment.replace(microsecond=0, tzinfo=MOSCOW)
