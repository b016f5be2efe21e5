"""Reading on the embedded board: index, forum, topic with phpBB's paging (bug included), profile, files."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from forum_gm.demo.board.faults import FaultKind
from forum_gm.demo.board.http import Response
from forum_gm.demo.board.model import Entry, Room, Thread
from forum_gm.demo.board.views import TEMPLATES, date_text, pages, poll_view, post_view

if TYPE_CHECKING:
    from forum_gm.demo.board.site import Turn

MEDIA = {"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "pdf": "application/pdf"}


def index(turn: Turn) -> Response:
    """The list of forums with their latest topics."""
    rooms = []
    for room in turn.world.rooms.values():
        if not turn.world.may_read(room, turn.user_id):
            continue
        rooms.append({"room": room, "topics": _rows(turn, room)[:5]})
    return turn.page(
        "index.html", title="Список форумов", section="index", rooms=rooms, now=date_text(turn.world, turn.world.clock.now())
    )


def _rows(turn: Turn, room: Room) -> list[dict[str, object]]:
    rows: list[tuple[bool, Entry, dict[str, object]]] = []
    for thread in turn.world.threads.values():
        last = turn.world.last_of(thread)
        if thread.room != room.id or last is None or thread.deleted or not thread.approved or thread.moved_to:
            continue
        row = {
            "thread": thread,
            "count": len(turn.world.approved_in(thread)),
            "last": last.id,
            "by": turn.world.users.get(last.author),
            "by_name": turn.world.name_of(last.author),
            "stamp": last.time.isoformat(timespec="seconds"),
            "date": date_text(turn.world, last.time),
        }
        rows.append((thread.pinned, last, row))
    rows.sort(key=lambda item: (item[0], item[1].time, item[1].id), reverse=True)
    return [row for _, _, row in rows]


def forum(turn: Turn) -> Response:
    """A forum's topics."""
    room = turn.world.rooms.get(turn.request.number("f"))
    if room is None:
        return turn.message("Запрошенного форума не существует.", status=404)
    refused = _hidden(turn, room)
    if refused is not None:
        return refused
    return turn.page(
        "viewforum.html",
        title=room.title,
        section="viewforum",
        room=room,
        topics=_rows(turn, room),
        may_write=turn.world.may_write(room, turn.user_id) and not room.locked,
    )


def _hidden(turn: Turn, room: Room) -> Response | None:
    if turn.world.may_read(room, turn.user_id):
        return None
    if turn.user is None:
        return turn.login_box(error="Для просмотра этого форума вы должны быть авторизованы.")
    return turn.message("Вы не авторизованы для чтения данного форума.", status=403)


def find_thread(turn: Turn) -> tuple[Thread, Entry | None] | Response:
    """The topic meant by `t=` or `p=` (and the post), or the refusal."""
    world, request = turn.world, turn.request
    post: Entry | None = None
    if request.number("p"):
        post = world.entries.get(request.number("p"))
        # A waiting post can be edited by its author where he sees it, though its own address leads nowhere.
        mine = post is not None and request.mode == "edit" and post.author == turn.user_id and world.settings.own_queue
        visible = post is not None and (post.approved or mine or _moderator(turn))
        visible = visible and (post is None or post.deleted_by is None or _moderator(turn))
        if post is None or not visible:
            return turn.message("Запрошенной темы не существует.", status=404)
        thread = world.threads.get(post.thread)
    else:
        thread = world.threads.get(request.number("t"))
    if thread is None or thread.moved_to is not None or not world.seen_in(thread, turn.user_id):
        return turn.message("Запрошенной темы не существует.", status=404)
    refused = _hidden(turn, world.rooms[thread.room])
    return refused if refused is not None else (thread, post)


def _moderator(turn: Turn) -> bool:
    return turn.user is not None and turn.user.moderator


def topic(turn: Turn) -> Response:
    """A page of a topic."""
    world, request = turn.world, turn.request
    found = find_thread(turn)
    if isinstance(found, Response):
        return found
    thread, post = found
    if request.method == "POST" and request.sent("update"):
        return _vote(turn, thread)
    entries = world.seen_in(thread, turn.user_id)
    total = len(entries) if _moderator(turn) else len(world.approved_in(thread))
    size = world.settings.per_page
    newest_first = request.query.get("sd", "d" if turn.user is not None and turn.user.newest_first else "a") == "d"
    if newest_first:
        entries = entries[::-1]
    start = request.number("start")
    if post is not None:
        start = next((i for i, entry in enumerate(entries) if entry.id == post.id), 0) // size * size
    if start >= total:
        start = max(0, (total - 1) // size * size)
    shown = _slice(entries, total, start, size)
    room = world.rooms[thread.room]
    keep = "".join(f"&{name}={request.query[name]}" for name in ("st", "sk", "sd") if name in request.query)
    params = f"./viewtopic.php?t={thread.id}{keep}"
    template = "viewtopic_other.html" if turn.struck(FaultKind.NEW_LOOK) else "viewtopic.html"
    return turn.page(
        template,
        title=thread.title,
        section="viewtopic",
        thread=thread,
        room=room,
        total=total,
        start=start,
        pages=pages(total, size, start),
        size=size,
        params=params,
        posts=[
            post_view(world, entry, turn.user, turn.links)
            | ({"ignored": False} if request.query.get("view") == "show" and entry.id == request.number("p") else {})
            for entry in shown
        ],
        poll=poll_view(thread, turn.user_id),
        may_reply=(world.may_write(room, turn.user_id) or turn.user is None),
        moderator=_moderator(turn),
        tokens=turn.tokens("posting"),
        base=turn.request.base,
    )


def _slice(entries: list[Entry], total: int, start: int, size: int) -> list[Entry]:
    """A page's posts as phpBB finds them: the second half of a topic is counted from its end. Where somebody sees a post that
    isn't in the total (his own, awaiting approval), one post falls between the halves: a real bug that readers must know of."""
    if start > total / 2:
        count = min(size, total - start)
        from_end = total - start - count
        return entries[::-1][from_end : from_end + count][::-1]
    return entries[start : start + size]


def _vote(turn: Turn, thread: Thread) -> Response:
    choice = turn.request.number("vote_id[]")
    if thread.poll is not None and turn.user is not None and 1 <= choice <= len(thread.poll.options) and turn.token_ok("posting"):
        thread.poll.votes[turn.user_id] = choice - 1
        back = f"./viewtopic.php?t={thread.id}"
        return turn.message("Спасибо, ваш голос учтён.", refresh=(5, back), links=((back, "Вернуться в тему"),))
    return turn.message("Голос не учтён.")


def member(turn: Turn) -> Response:
    """A profile."""
    user = turn.world.users.get(turn.request.number("u"))
    if turn.user is None:
        return turn.login_box(error="Для просмотра профилей вы должны быть авторизованы.")
    if user is None:
        return turn.message("Запрошенного пользователя не существует.", status=404)
    count = sum(1 for entry in turn.world.entries.values() if entry.author == user.id)
    return turn.page("member.html", title=user.name, section="memberlist", person=user, count=count)


def download(turn: Turn) -> Response:
    """An attached file."""
    stored = turn.world.files.get(turn.request.number("id"))
    if stored is None:
        return turn.message("Выбранного вложения больше не существует.", status=404)
    for entry in turn.world.entries.values():
        if stored.id in entry.files and not turn.world.may_read(
            turn.world.rooms[turn.world.threads[entry.thread].room], turn.user_id
        ):
            return turn.message("Вы не авторизованы для просмотра этого файла.", status=403)
    media = MEDIA.get(stored.name.rsplit(".", 1)[-1].lower(), "application/octet-stream")
    kind = "inline" if media.startswith("image/") else "attachment"
    return Response(stored.data, media=media, headers=[("Content-Disposition", f"{kind}; filename*=UTF-8''{quote(stored.name)}")])


def style(turn: Turn) -> Response:
    """The style sheet."""
    return Response((TEMPLATES / "board.css").read_text("utf-8"), media="text/css; charset=UTF-8")


def smile(turn: Turn) -> Response:
    """A smiley's picture."""
    mouths = {
        "smile": "M5 10 Q8 13 11 10",
        "sad": "M5 12 Q8 9 11 12",
        "wink": "M5 10 Q8 13 11 10",
        "grin": "M4 9 Q8 15 12 9 Z",
        "lol": "M4 9 Q8 15 12 9 Z",
        "exclaim": "M8 4 L8 10 M8 12 L8 13",
    }
    name = escape(turn.request.path.removeprefix("smile/").removesuffix(".svg"))
    mouth = mouths.get(name)
    if mouth is None:
        return turn.message("Запрошенной страницы не существует.", status=404)
    eyes = "" if name == "exclaim" else '<circle cx="5.5" cy="6" r="1"/><circle cx="10.5" cy="6" r="1"/>'
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" width="16" height="16">'
        '<circle cx="8" cy="8" r="7.5" fill="#f7d154"/>'
        f'{eyes}<path d="{mouth}" fill="none" stroke="#333" stroke-width="1.2"/></svg>'
    )
    return Response(svg, media="image/svg+xml")
