"""The embedded board with the face and habits of phpBB 2.0: subSilver, windows-1251, no form tokens, post review or files."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from html import escape
from typing import TYPE_CHECKING

from markupsafe import Markup

from forum_gm.demo.board.faults import FaultKind
from forum_gm.demo.board.http import Response, redirect
from forum_gm.demo.board.model import EditMark, Entry, Thread
from forum_gm.demo.board.old_letters import private_messages
from forum_gm.demo.board.views import pages
from forum_gm.forums.sources import stored_form

if TYPE_CHECKING:
    from forum_gm.demo.board.site import Turn

DAYS = ("Пн", "Вт", "Ср", "Чт", "Пт", "Сб", "Вс")
MONTHS = ("Янв", "Фев", "Мар", "Апр", "Май", "Июн", "Июл", "Авг", "Сен", "Окт", "Ноя", "Дек")
LOCKED = "Эта тема закрыта, вы не можете писать ответы и редактировать сообщения."
FORUM_LOCKED = "Этот форум закрыт, вы не можете создавать, отвечать и редактировать темы."
FLOOD = "Вы не можете отправить сообщение сразу после предыдущего, пожалуйста, попробуйте чуть позже."
SESSION = "Неверная сессия. Пожалуйста, отправьте форму ещё раз."
TITLE_LENGTH = 60
"""Characters of a topic's title that the board keeps."""
_SIMPLE = {
    "b": ('<span style="font-weight: bold">', "</span>"),
    "i": ('<span style="font-style: italic">', "</span>"),
    "u": ('<span style="text-decoration: underline">', "</span>"),
}
_QUOTE = (
    '</span><table width="90%" cellspacing="1" cellpadding="3" border="0" align="center"><tr><td><span class="genmed"><b>{}'
    '</b></span></td></tr><tr><td class="quote">'
)
_CLOSED = '</td></tr></table><span class="postbody">'


def date_words(turn: Turn, moment: datetime) -> str:
    """«Пн Ноя 16, 2009 9:15 am» in the board's zone."""
    local = moment.astimezone(timezone(timedelta(hours=turn.world.settings.zone_hours)))
    hour = local.hour % 12 or 12
    half = "am" if local.hour < 12 else "pm"
    return f"{DAYS[local.weekday()]} {MONTHS[local.month - 1]} {local.day:02d}, {local.year} {hour}:{local.minute:02d} {half}"


def render(source: str) -> Markup:
    """A source as phpBB 2 shows it: quotes and code break the body's span in pieces."""
    text = escape(re.sub(r"&(#\d+;)", "\0\\1", source), quote=False).replace("\0", "&")
    for name, (opening, closing) in _SIMPLE.items():
        text = re.sub(rf"\[{name}\](.*?)\[/{name}\]", rf"{opening}\1{closing}", text, flags=re.S)
    text = re.sub(r"\[quote=\"([^\"\]]+)\"\]", lambda m: _QUOTE.format(f"{m[1]} писал(а):"), text)
    text = text.replace("[quote]", _QUOTE.format("Цитата:")).replace("[/quote]", _CLOSED)
    text = re.sub(
        r"\[code\](.*?)\[/code\]",
        lambda m: _QUOTE.format("Код:").replace("quote", "code") + m[1].replace("  ", "&nbsp; ") + _CLOSED,
        text,
        flags=re.S,
    )
    return Markup(text.replace("\n", "\n<br />\n"))


def handlers() -> dict[str, Callable[[Turn], Response]]:
    """One function a script."""
    return {
        "": index,
        "index.php": index,
        "viewforum.php": forum,
        "viewtopic.php": topic,
        "posting.php": posting,
        "login.php": login,
        "privmsg.php": private_messages,
        "profile.php": profile,
    }


def index(turn: Turn) -> Response:
    """The forums, and who is online: the only place where one's own account number stands."""
    rooms = [room for room in turn.world.rooms.values() if turn.world.may_read(room, turn.user_id)]
    return turn.page("old_index.html", title="Список форумов", rooms=rooms)


def profile(turn: Turn) -> Response:
    """Somebody's profile."""
    return turn.message(turn.world.name_of(turn.request.number("u")))


def forum(turn: Turn) -> Response:
    """A forum's topics, those with the newest posts first."""
    room = turn.world.rooms.get(turn.request.number("f"))
    if room is None:
        return turn.message("Такого форума не существует.")
    if not turn.world.may_read(room, turn.user_id):
        return turn.login_box() if turn.user is None else turn.message("Извините, только авторизованные пользователи.")
    threads = [(thread, turn.world.last_of(thread)) for thread in turn.world.threads.values() if thread.room == room.id]
    shown = sorted(((t, last) for t, last in threads if last is not None), key=lambda item: -item[1].id)
    return turn.page("old_forum.html", title=room.title, room=room, threads=[thread for thread, _ in shown])


def find(turn: Turn) -> tuple[Thread, Entry | None] | Response:
    """The topic (and post) meant, or the refusal: always with status 200."""
    world, request = turn.world, turn.request
    entry = world.entries.get(request.number("p")) if request.number("p") else None
    if request.number("p") and (entry is None or not entry.approved or entry.deleted_by is not None):
        return turn.message("Такой темы или сообщения не существует.")
    thread = world.threads.get(entry.thread if entry is not None else request.number("t"))
    if thread is None or thread.moved_to is not None or not world.approved_in(thread):
        return turn.message("Такой темы или сообщения не существует.")
    if not world.may_read(world.rooms[thread.room], turn.user_id):
        return turn.login_box() if turn.user is None else turn.message("Извините, у вас нет прав читать темы этого форума.")
    return thread, entry


def topic(turn: Turn) -> Response:
    """A page of a topic; a start past the end is an error here."""
    world, request = turn.world, turn.request
    found = find(turn)
    if isinstance(found, Response):
        return found
    thread, post = found
    entries = world.approved_in(thread)
    order = "desc" if request.query.get("postorder") == "desc" else "asc"
    if order == "desc":
        entries = entries[::-1]
    size = world.settings.per_page
    start = request.number("start")
    if post is not None:
        start = next(i for i, entry in enumerate(entries) if entry.id == post.id) // size * size
    if start >= len(entries):
        return turn.message("В этой теме нет сообщений.")
    return turn.page(
        "viewtopic_other.html" if turn.struck(FaultKind.NEW_LOOK) else "old_topic.html",
        title=thread.title,
        thread=thread,
        room=world.rooms[thread.room],
        posts=[_view(turn, entry) for entry in entries[start : start + size]],
        pages=pages(len(entries), size, start),
        params=f"viewtopic.php?t={thread.id}&postdays=0&postorder={order}",
        following=start + size if start + size < len(entries) else None,
        section="viewtopic",
    )


def _view(turn: Turn, entry: Entry) -> dict[str, object]:
    edit = entry.edit
    author = turn.world.users.get(entry.author)
    return {
        "id": entry.id,
        "author": turn.world.name_of(entry.author),
        "author_id": entry.author,
        "date": date_words(turn, entry.time),
        "subject": entry.subject,
        "html": render(entry.text),
        "signature": author.signature if author is not None else "",
        "edit": f"Последний раз редактировалось: {turn.world.name_of(edit.by)} ({date_words(turn, edit.time)}), "
        f"всего редактировалось {edit.count} раз(а)"
        if edit
        else "",
    }


def login(turn: Turn) -> Response:
    """login.php."""
    request, world = turn.request, turn.world
    if request.query.get("logout"):
        turn.visit.user = 1
        return redirect("./index.php")
    if request.method != "POST":
        return turn.page("old_login.html", title="Вход", captcha=turn.struck(FaultKind.CAPTCHA))
    if turn.struck(FaultKind.CAPTCHA):
        return turn.page("old_login.html", title="Вход", captcha=True)
    user = world.user_named(request.get("username") or "")
    if turn.struck(FaultKind.THROTTLE) or (user is not None and user.wrong_passwords >= world.settings.login_attempts):
        return turn.message("Превышено число попыток входа. Вы сможете попробовать ещё раз не раньше чем через 30 минут.")
    if user is None or request.get("password") != user.password:
        if user is not None:
            user.wrong_passwords += 1
        back = "./login.php?redirect="
        return turn.message(
            "Вы ввели неверное/неактивное имя пользователя или неверный пароль.",
            refresh=(3, back),
            links=((back, "Попробовать ещё раз"),),
        )
    user.wrong_passwords = 0
    turn.visit.user = user.id
    return redirect("./index.php")


def posting(turn: Turn) -> Response:
    """posting.php."""
    world, request = turn.world, turn.request
    mode = request.mode
    thread: Thread | None = None
    entry: Entry | None = None
    if mode == "newtopic":
        room = world.rooms.get(request.number("f"))
        if room is None:
            return turn.message("Такого форума не существует.")
    elif mode in ("reply", "quote", "editpost", "delete"):
        found = find(turn)
        if isinstance(found, Response):
            return found
        thread, entry = found
        room = world.rooms[thread.room]
    else:
        return turn.message("Не указан режим сообщения.")
    user = turn.user
    if user is None:
        return turn.login_box()
    if turn.struck(FaultKind.FORBIDDEN) or not world.may_write(room, user.id):
        return turn.message("Извините, только участники с особыми правами могут писать в этом форуме.")
    if not user.moderator and (room.locked or turn.struck(FaultKind.FORUM_LOCKED)):
        return turn.message(FORUM_LOCKED)
    if not user.moderator and thread is not None and (thread.locked or turn.struck(FaultKind.LOCKED)):
        return turn.message(LOCKED)
    if mode in ("editpost", "delete") and (entry is None or (entry.author != user.id and not user.moderator)):
        return turn.message("Извините, вы можете редактировать только свои сообщения.")
    if mode == "delete" and entry is not None:
        return _delete(turn, entry)
    if request.method != "POST" or request.sent("preview") or turn.struck(FaultKind.PREVIEW):
        return _form(turn, mode, room.id, thread, entry, preview=request.method == "POST")
    if not request.sent("post"):
        return _form(turn, mode, room.id, thread, entry)
    return _store(turn, mode, room.id, thread, entry)


def session_ok(turn: Turn) -> bool:
    """phpBB 2's guard of forms: the session's id must come with them."""
    return turn.request.get("sid") == turn.visit.sid and not turn.struck(FaultKind.TOKEN)


def _store(turn: Turn, mode: str, room: int, thread: Thread | None, entry: Entry | None) -> Response:
    world, request, user = turn.world, turn.request, turn.user
    assert user is not None
    text, subject = stored_form(request.get("message") or ""), stored_form(request.get("subject") or "")
    problems = [] if session_ok(turn) else [SESSION]
    if not text:
        problems.append("Вы должны ввести текст сообщения.")
    if mode == "newtopic" and not subject:
        problems.append("Вы должны указать заголовок новой темы.")
    if mode != "editpost" and (world.wait_left(user) > 0 or turn.struck(FaultKind.FLOOD)):
        return turn.message(FLOOD)
    if problems:
        return _form(turn, mode, room, thread, entry, problems=problems)
    if mode == "editpost" and entry is not None:
        entry.text = text
        if not world.is_last(entry):
            count = entry.edit.count + 1 if entry.edit else 1
            entry.edit = EditMark(count, world.clock.now().replace(microsecond=0), user.id)
        number = entry.id
    else:
        if thread is not None and turn.struck(FaultKind.REVIEW):
            other = next((u.id for u in world.users.values() if u.id != user.id), user.id)
            world.post(other, thread.id, "Тоже пишу сюда.")
        if thread is None:
            thread = Thread(len(world.threads) + 1, room, subject[:TITLE_LENGTH])
            world.threads[thread.id] = thread
        number = world.post(user.id, thread.id, text, subject=subject)
        user.last_written = world.clock.now()
    back = f"./viewtopic.php?p={number}#{number}"
    return turn.message("Сообщение было успешно добавлено.", refresh=(3, back), links=((back, "Просмотреть сообщение"),))


def _form(
    turn: Turn,
    mode: str,
    room: int,
    thread: Thread | None,
    entry: Entry | None,
    *,
    problems: list[str] | None = None,
    preview: bool = False,
) -> Response:
    subject, text = turn.request.get("subject") or "", turn.request.get("message") or ""
    if turn.request.method != "POST" and entry is not None:
        text = entry.text if mode == "editpost" else f'[quote="{turn.world.name_of(entry.author)}"]{entry.text}[/quote]'
        subject = entry.subject if mode == "editpost" else ""
    hidden = {"mode": "reply" if mode == "quote" else mode, "sid": turn.visit.sid}
    if mode == "newtopic":
        hidden["f"] = str(room)
    elif mode == "editpost" and entry is not None:
        hidden["p"] = str(entry.id)
    elif thread is not None:
        hidden["t"] = str(thread.id)
    return turn.page(
        "old_posting.html",
        title="Сообщение",
        action="posting.php",
        subject=subject,
        text=text,
        hidden_values=hidden,
        problems=problems or [],
        preview=render(text) if preview and text else "",
        recipient=None,
        section="posting",
    )


def _delete(turn: Turn, entry: Entry) -> Response:
    world, request = turn.world, turn.request
    assert turn.user is not None
    if not turn.user.moderator and not world.is_last(entry):
        return turn.message("Извините, вы не можете удалить сообщение, на которое уже ответили.")
    if request.method == "POST" and request.sent("confirm"):
        if not session_ok(turn):
            return turn.message(SESSION)
        world.delete(turn.user_id, entry.id)
        back = f"./viewtopic.php?t={entry.thread}"
        return turn.message("Ваше сообщение было успешно удалено.", refresh=(3, back), links=((back, "Вернуться в тему"),))
    return turn.page(
        "old_confirm.html",
        title="Информация",
        action="posting.php",
        question="Вы уверены, что хотите удалить это сообщение?",
        hidden_values={"mode": "delete", "p": str(entry.id), "sid": turn.visit.sid},
    )
