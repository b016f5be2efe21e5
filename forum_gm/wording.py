"""Russian words of the service: moments, counts, lists. (Words of the games live in their data.)"""

from __future__ import annotations

import errno
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
