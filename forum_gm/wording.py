"""Russian words of the service: moments, counts, lists. (Words of the games live in their data.)"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

MONTHS = ("января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября", "декабря")
DAYS = ("понедельник", "вторник", "среда", "четверг", "пятница", "суббота", "воскресенье")
ZONES = {"Europe/Moscow": "мск", "UTC": "UTC"}


def plural(count: int, one: str, few: str, many: str) -> str:
    """The form that goes with a count: 1 приказ, 2 приказа, 5 приказов, 11 приказов, 21 приказ."""
    tail = abs(count) % 100
    if tail % 10 == 1 and tail != 11:
        return one
    return few if 2 <= tail % 10 <= 4 and not 12 <= tail <= 14 else many


def counted(count: int, one: str, few: str, many: str) -> str:
    """«3 приказа»."""
    return f"{count} {plural(count, one, few, many)}"


def when(moment: datetime, zone: ZoneInfo, *, day: bool = True) -> str:
    """«30 ноября 2026, понедельник, 21:00 мск»; without `day` «30.11.2026 21:00 мск»."""
    local = moment.astimezone(zone)
    name = ZONES.get(zone.key, zone.key)
    if not day:
        return f"{local:%d.%m.%Y %H:%M} {name}"
    return f"{local.day} {MONTHS[local.month - 1]} {local.year}, {DAYS[local.weekday()]}, {local:%H:%M} {name}"


def left(span: timedelta) -> str:
    """How long still: «2 дня 3 часа», «40 минут»."""
    minutes = max(0, round(span.total_seconds() / 60))
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    parts = []
    if days:
        parts.append(counted(days, "день", "дня", "дней"))
    if hours:
        parts.append(counted(hours, "час", "часа", "часов"))
    if minutes and not days:
        parts.append(counted(minutes, "минута", "минуты", "минут"))
    return " ".join(parts) or "меньше минуты"


TROUBLES = {
    errno.ENOENT: "нет такого файла",
    errno.EACCES: "нет прав",
    errno.EPERM: "нет прав",
    errno.EISDIR: "это папка",
    errno.ENOTDIR: "это не папка",
    errno.EEXIST: "уже есть",
    errno.ENOSPC: "нет места на диске",
    errno.EROFS: "диск только для чтения",
    errno.ENAMETOOLONG: "слишком длинное имя",
    errno.EADDRINUSE: "адрес занят",
}


def trouble(error: OSError) -> str:
    """Why the system refused: «нет такого файла»."""
    return TROUBLES.get(error.errno or 0, error.strerror or str(error))


def listed(items: Iterable[str]) -> str:
    """«Каэль, Морвен и Тишина»."""
    names = list(items)
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} и {names[-1]}"


DAYS_ASKED = (
    ("понедельник", "понедельника"),
    ("вторник", "вторника"),
    ("среда", "среды", "среду"),
    ("четверг", "четверга"),
    ("пятница", "пятницы", "пятницу"),
    ("суббота", "субботы", "субботу"),
    ("воскресенье", "воскресенья", "воскресение", "воскресения"),
)
"""The days of the week as they stand after «до», «в», «на»."""
NEAR_DAYS = {"сегодня": 0, "завтра": 1, "послезавтра": 2}
_HOURS = re.compile(r"\+\s*(\d{1,4}(?:[.,]\d+)?)\s*(?:час\w*|ч\.?)?")
_DATE = re.compile(r"(\d{1,2})\.(\d{1,2})(?:\.(\d{4}|\d{2}))?")
_TIME = re.compile(r"(\d{1,2})[:.](\d{2})")
LAST_MINUTE = (23, 59)
"""A day without a time lasts to its end."""


def moment_of(words: str, now: datetime, zone: ZoneInfo) -> datetime | None:
    """The moment that a person names: «до воскресенья», «завтра 21:00», «05.12», «05.12.2026 18:00», «+12 часов», or an ISO
    moment; a time without a zone is local. Days of the week and dates without a year are the next ones. None: not understood."""
    text = " ".join(words.casefold().replace("ё", "е").split())
    hours = _HOURS.fullmatch(text)
    if hours:
        return now + timedelta(hours=float(hours[1].replace(",", ".")))
    try:
        exact = datetime.fromisoformat(words.strip())
    except ValueError:
        exact = None
    if exact is not None and "-" in words:
        if len(words.strip()) <= 10:
            exact = exact.replace(hour=LAST_MINUTE[0], minute=LAST_MINUTE[1])
        return exact if exact.tzinfo is not None else exact.replace(tzinfo=zone)
    return _day_and_time(text, now.astimezone(zone))


def _day_and_time(text: str, local: datetime) -> datetime | None:
    """A day, a time, or both in any order; the next such moment after `local`."""
    day: datetime | None = None
    at: tuple[int, int] | None = None
    again = timedelta(days=1)
    for word in (part.strip(",;.") for part in text.split()):
        if word in ("до", "в", "во", "на", "к"):
            continue
        number = next((i for i, forms in enumerate(DAYS_ASKED) if word in forms), None)
        if day is None and number is not None:
            day, again = local + timedelta(days=(number - local.weekday()) % 7), timedelta(days=7)
        elif day is None and word in NEAR_DAYS:
            day, again = local + timedelta(days=NEAR_DAYS[word]), timedelta(0)
        elif day is None and (date := _DATE.fullmatch(word)):
            year = int(date[3]) % 100 + 2000 if date[3] else local.year
            try:
                day = local.replace(year=year, month=int(date[2]), day=int(date[1]))
                next_year = day.replace(year=year + 1)
            except ValueError:
                return None
            again = timedelta(0) if date[3] else next_year - day
        elif at is None and (time := _TIME.fullmatch(word)) and int(time[1]) < 24 and int(time[2]) < 60:
            at = (int(time[1]), int(time[2]))
        else:
            return None
    if day is None and at is None:
        return None
    hour, minute = at or LAST_MINUTE
    found = (day or local).replace(hour=hour, minute=minute, second=0, microsecond=0)
    return found if found > local else found + again
