"""The embedded board's pages from its state: everything a template needs, worked out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from forum_gm.demo.board.bbcode import Scene, render, used_files
from forum_gm.demo.board.model import Entry, Stored, Thread, User
from forum_gm.demo.board.world import World

TEMPLATES = Path(__file__).parent / "templates"
MONTHS = ("янв", "фев", "мар", "апр", "май", "июн", "июл", "авг", "сен", "окт", "ноя", "дек")


@cache
def environment() -> Environment:
    """The templates."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters["plural"] = plural
    return made


def plural(number: int, one: str, few: str, many: str) -> str:
    """«1 сообщение», «2 сообщения», «5 сообщений»."""
    if number % 10 == 1 and number % 100 != 11:
        word = one
    elif number % 10 in (2, 3, 4) and number % 100 not in (12, 13, 14):
        word = few
    else:
        word = many
    return f"{number} {word}"


def date_text(world: World, moment: datetime, *, relative: bool | None = None) -> str:
    """«26 ноя 2026, 02:36» in the board's zone, or relative."""
    zone = timezone(timedelta(hours=world.settings.zone_hours))
    local, now = moment.astimezone(zone), world.clock.now().astimezone(zone)
    clock = f"{local:%H:%M}"
    if world.settings.relative_dates if relative is None else relative:
        minutes = int((now - local).total_seconds() // 60)
        if 0 <= minutes < 60:
            return "менее минуты назад" if minutes == 0 else plural(minutes, "минуту", "минуты", "минут") + " назад"
        days = (now.date() - local.date()).days
        if days == 0:
            return f"Сегодня, {clock}"
        if days == 1:
            return f"Вчера, {clock}"
    return f"{local.day:02d} {MONTHS[local.month - 1]} {local.year}, {clock}"


class Links:
    """Makes addresses; carries the session id in them for visitors whose cookies haven't come back yet."""

    def __init__(self, sid: str | None = None) -> None:
        self._sid = sid

    def __call__(self, address: str) -> str:
        if self._sid is None or address.startswith("#"):
            return address
        path, mark, anchor = address.partition("#")
        joiner = "&" if "?" in path else "?"
        return f"{path}{joiner}sid={self._sid}{mark}{anchor}"


def scene(world: World, entry: Entry | None, links: Links, *, download: Mapping[int, str] | None = None) -> Scene:
    """What BBCode needs to know of the board."""
    files: dict[int, str] = {}
    if entry is not None:
        for number, file_id in enumerate(entry.files):
            if file_id in world.files:
                files[number] = file_html(world.files[file_id], links, download)

    def user_link(user: int, name: str) -> str:
        address = escape(links(f"./memberlist.php?mode=viewprofile&u={user}"))
        return f'<a href="{address}">{escape(world.name_of(user) if user in world.users else name)}</a>'

    return Scene(
        user_link=user_link,
        post_link=lambda post: links(f"./viewtopic.php?p={post}#p{post}"),
        files=files,
        custom=world.settings.custom_tags,
        date=lambda moment: date_text(world, moment),
    )


def file_html(stored: Stored, links: Links, download: Mapping[int, str] | None = None) -> str:
    """A file as it is shown in or below a post."""
    address = escape(download[stored.id] if download else links(f"./download/file.php?id={stored.id}"))
    size = len(stored.data)
    words = f"{size / 1024:.2f} КБ".replace(".", ",") if size >= 1024 else plural(size, "байт", "байта", "байт")
    name = escape(stored.name)
    comment = f"<dd><em>{escape(stored.comment)}</em></dd>" if stored.comment else ""
    if stored.name.lower().endswith((".png", ".jpg", ".jpeg", ".gif")):
        return (
            f'<dl class="file"><dt class="attach-image"><img src="{address}" class="postimage" '
            f'alt="{escape(stored.comment or stored.name)}"></dt>'
            f"{comment}<dd>{name} ({words})</dd></dl>"
        )
    return f'<dl class="file"><dt><a class="postlink" href="{address}">{name}</a></dt>{comment}<dd>({words})</dd></dl>'


def body_html(world: World, entry: Entry, links: Links, *, download: Mapping[int, str] | None = None) -> Markup:
    """A post's text as HTML."""
    return Markup(render(entry.text, scene(world, entry, links, download=download), bbcode=entry.bbcode))


def post_view(
    world: World, entry: Entry, viewer: User | None, links: Links, *, download: Mapping[int, str] | None = None
) -> dict[str, Any]:
    """A post for the template."""
    author = world.users.get(entry.author)
    placed = used_files(entry.text)
    rest = [
        Markup(file_html(world.files[file_id], links, download))
        for number, file_id in enumerate(entry.files)
        if number not in placed and file_id in world.files
    ]
    mine = viewer is not None and viewer.id == entry.author
    moderator = viewer is not None and viewer.moderator
    edit = entry.edit
    return {
        "id": entry.id,
        "subject": entry.subject,
        "author": author,
        "author_name": world.name_of(entry.author),
        "stamp": entry.time.astimezone(UTC).isoformat(timespec="seconds"),
        "date": date_text(world, entry.time),
        "html": body_html(world, entry, links, download=download),
        "files": rest,
        "edit": {
            "by": world.users.get(edit.by),
            "by_name": world.name_of(edit.by),
            "date": date_text(world, edit.time, relative=False),
            "count": plural(edit.count, "раз", "раза", "раз"),
            "reason": edit.reason,
        }
        if edit
        else None,
        "unapproved": not entry.approved,
        "deleted": entry.deleted_by is not None,
        "deleted_by": world.users.get(entry.deleted_by or 0),
        "deleted_date": date_text(world, entry.deleted_at) if entry.deleted_at else "",
        "delete_reason": entry.delete_reason,
        "ignored": viewer is not None and entry.author in viewer.ignores,
        "may_edit": mine or moderator,
        "may_delete": (mine and world.is_last(entry)) or moderator,
        "posts": sum(1 for other in world.entries.values() if other.author == entry.author),
        "signature": author.signature if author else "",
    }


def pages(total: int, per_page: int, start: int) -> list[dict[str, Any]]:
    """The pagination: numbers, the present one, dots where many are left out."""
    count = max(1, -(-total // per_page))
    now = min(start // per_page, count - 1)
    shown: list[dict[str, Any]] = []
    before = -1
    for index in range(count):
        if count > 8 and not (index in (0, count - 1) or abs(index - now) <= 2):
            continue
        if index - before > 1:
            shown.append({"dots": True})
        shown.append({"dots": False, "number": index + 1, "start": index * per_page, "now": index == now})
        before = index
    return shown


def poll_view(thread: Thread, user: int) -> dict[str, Any] | None:
    """A poll for the template."""
    poll = thread.poll
    if poll is None:
        return None
    counts = [sum(1 for choice in poll.votes.values() if choice == i) for i in range(len(poll.options))]
    total = sum(counts)
    return {
        "question": poll.question,
        "total": total,
        "voted": user in poll.votes,
        "options": [
            {"number": i + 1, "text": text, "votes": counts[i], "percent": round(100 * counts[i] / total) if total else 0}
            for i, text in enumerate(poll.options)
        ],
    }
