"""Times as boards write them, Russian and English, relative and absolute, into UTC."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo

_MONTHS = {
    **dict(zip(["янв", "фев", "мар", "апр", "май", "июн", "июл", "авг", "сен", "окт", "ноя", "дек"], range(1, 13), strict=True)),
    **dict(zip(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], range(1, 13), strict=True)),
    "мая": 5,
}
_DAYS = {"сегодня": 0, "today": 0, "вчера": -1, "yesterday": -1, "позавчера": -2, "завтра": 1, "tomorrow": 1}

_CLOCK = r"(?P<h>\d{1,2}):(?P<m>\d{2})(?::(?P<s>\d{2}))?(?:\s*(?P<half>[ap]\.?m\.?|дп|пп))?"
_GAP = r"[\s,.]*(?:г\.?|года|в|at|-|—|–|»)?[\s,]*"
_PATTERNS = [
    re.compile(r"(?P<y>\d{4})-(?P<mo>\d{1,2})-(?P<d>\d{1,2})(?:[T\s,]+" + _CLOCK + r"(?P<tz>Z|[+-]\d{2}:?\d{2})?)?", re.I),
    re.compile(r"(?P<d>\d{1,2})[./](?P<mo>\d{1,2})[./](?P<y>\d{4}|\d{2})(?!\d)(?:" + _GAP + _CLOCK + ")?", re.I),
    re.compile(
        r"(?P<d>\d{1,2})(?:-?(?:го|st|nd|rd|th))?[\s.]+(?P<mon>[^\W\d_]{3,9})\.?[\s,]+(?P<y>\d{4})(?:" + _GAP + _CLOCK + ")?",
        re.I,
    ),
    re.compile(r"(?P<mon>[^\W\d_]{3,9})\.?\s+(?P<d>\d{1,2})(?:st|nd|rd|th)?[\s,]+(?P<y>\d{4})(?:" + _GAP + _CLOCK + ")?", re.I),
    re.compile(r"(?P<day>позавчера|вчера|сегодня|завтра|today|yesterday|tomorrow)" + _GAP + _CLOCK, re.I),
]
_AGO = re.compile(
    r"(?:(?P<n>\d+)|(?P<less>менее|less than a|меньше))?\s*(?P<unit>секунд|минут|час|second|minute|hour)\w*\s+(?:назад|ago)", re.I
)
_ZONE = re.compile(r"(?:UTC|GMT)(?:\s*(?P<sign>[+\-−–])\s*(?P<h>\d{1,2})(?::(?P<m>\d{2}))?)?")


@dataclass(frozen=True, slots=True)
class Moment:
    """A time read from text."""

    time: datetime
    """UTC."""
    step: int
    """Exactness in seconds: 1, 60, 3600 or 86400."""


def zone_in(text: str) -> tzinfo | None:
    """The zone a page's footer names («Часовой пояс: UTC+03:00», «GMT + 3»), or None."""
    found = None
    for match in _ZONE.finditer(text):
        found = match
    if found is None:
        return None
    if not found["sign"]:
        return UTC
    minutes = int(found["h"]) * 60 + int(found["m"] or 0)
    return timezone(timedelta(minutes=-minutes if found["sign"] != "+" else minutes))


def read_time(text: str, *, zone: tzinfo = UTC, now: datetime | None = None) -> Moment | None:
    """The first time in a text, or None.

    `zone` is the one the board writes in; `now` (aware) is needed for «вчера» and «5 минут назад»: without it they are not read.
    """
    text = text.replace("\xa0", " ")
    if now is not None and (ago := _AGO.search(text)):
        unit = ago["unit"].lower()
        seconds = 1 if unit in ("секунд", "second") else 3600 if unit in ("час", "hour") else 60
        count = 0 if ago["less"] else int(ago["n"] or 1)
        moment = now.astimezone(UTC) - timedelta(seconds=seconds * count)
        return Moment(moment.replace(microsecond=0), max(seconds, 60))
    best: tuple[int, Moment] | None = None
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            read = _moment(match, zone, now)
            if read is not None:
                if best is None or match.start() < best[0]:
                    best = (match.start(), read)
                break
    return best[1] if best else None


def _moment(match: re.Match[str], zone: tzinfo, now: datetime | None) -> Moment | None:
    groups = match.groupdict()
    if groups.get("day"):
        if now is None:
            return None
        local = now.astimezone(zone) + timedelta(days=_DAYS[groups["day"].lower()])
        year, month, day = local.year, local.month, local.day
    else:
        if groups.get("mon"):
            known = _MONTHS.get(groups["mon"].lower()[:3])
            if known is None:
                return None
            month = known
        else:
            month = int(groups["mo"])
        year, day = int(groups["y"]), int(groups["d"])
        if year < 100:
            year += 2000 if year < 70 else 1900
    hour, minute, second, step = 0, 0, 0, 86400
    if groups.get("h"):
        hour, minute, step = int(groups["h"]), int(groups["m"]), 60
        half = (groups.get("half") or "").lower().replace(".", "")
        if half in ("pm", "пп") and hour < 12:
            hour += 12
        elif half in ("am", "дп") and hour == 12:
            hour = 0
        if groups.get("s"):
            second, step = int(groups["s"]), 1
    if groups.get("tz"):
        offset = groups["tz"]
        zone = (
            UTC if offset.upper() == "Z" else datetime.fromisoformat(f"2000-01-01T00:00{offset[:3]}:{offset[-2:]}").tzinfo or UTC
        )
    try:
        return Moment(datetime(year, month, day, hour, minute, second, tzinfo=zone).astimezone(UTC), step)
    except ValueError:
        return None
