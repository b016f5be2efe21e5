"""Private messages as phpBB 2 has them: one recipient by name, each read under the folder it lies in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forum_gm.demo.board.faults import FaultKind
from forum_gm.demo.board.http import Response
from forum_gm.forums.sources import stored_form

if TYPE_CHECKING:
    from forum_gm.demo.board.site import Turn

FOLDERS = {"inbox": "Входящие", "outbox": "Исходящие", "sentbox": "Отправленные", "savebox": "Сохранённые"}


def private_messages(turn: Turn) -> Response:
    """privmsg.php."""
    if turn.user is None:
        return turn.login_box()
    request = turn.request
    folder = request.get("folder") or "inbox"
    if request.mode == "read":
        return _read(turn, folder)
    if request.mode in ("post", "reply", "quote"):
        return _compose(turn)
    return _folder(turn, folder if folder in FOLDERS else "inbox")


def _folder(turn: Turn, folder: str) -> Response:
    from forum_gm.demo.board.old import date_words

    world = turn.world
    rows = []
    for letter in world.letters_of(turn.user_id, folder)[: world.settings.per_page]:
        other = letter.author if folder == "inbox" else letter.to[0]
        rows.append(
            {
                "id": letter.id,
                "subject": letter.subject,
                "who": world.name_of(other),
                "who_id": other,
                "date": date_words(turn, letter.time),
                "unread": turn.user_id in letter.unread,
            }
        )
    return turn.page("old_folder.html", title=FOLDERS[folder], folder=folder, folders=FOLDERS, rows=rows)


def _read(turn: Turn, folder: str) -> Response:
    """A message, only under the folder it lies in: elsewhere the board leads back to the folder."""
    from forum_gm.demo.board.old import date_words, render

    world = turn.world
    letter = next((item for item in world.letters_of(turn.user_id, folder) if item.id == turn.request.number("p")), None)
    if letter is None:
        return Response("", 302, headers=[("Location", f"./privmsg.php?folder={folder}")])
    if folder == "inbox":
        letter.unread.discard(turn.user_id)
    return turn.page(
        "old_letter.html",
        title="Личное сообщение",
        box=FOLDERS[folder],
        letter=letter,
        author=world.name_of(letter.author),
        recipient=world.name_of(letter.to[0]),
        profile=letter.author,
        date=date_words(turn, letter.time),
        html=render(letter.text),
    )


def _compose(turn: Turn) -> Response:
    from forum_gm.demo.board.old import FLOOD, SESSION, render, session_ok

    world, request, user = turn.world, turn.request, turn.user
    assert user is not None
    name, subject, text = (stored_form(request.get(field) or "") for field in ("username", "subject", "message"))
    problems: list[str] = []
    sent = request.method == "POST" and request.sent("post") and not turn.struck(FaultKind.PREVIEW)
    if sent:
        if turn.struck(FaultKind.FORBIDDEN):
            return turn.message("Извините, администратор запретил вам отправлять личные сообщения.")
        # The flood interval is the messages' own here, and said on a page without the form.
        if world.wait_left(user) > 0 or turn.struck(FaultKind.FLOOD):
            return turn.message(FLOOD)
        recipient = world.user_named(name)
        if recipient is None:
            problems.append("Извините, такого пользователя не существует.")
        if not session_ok(turn):
            problems.append(SESSION)
        if not subject:
            problems.append("Вы должны указать заголовок сообщения.")
        if not text:
            problems.append("Вы должны ввести текст сообщения.")
        full = recipient is not None and len(world.letters_of(recipient.id, "inbox")) >= world.settings.inbox
        if full or turn.struck(FaultKind.INBOX_FULL):
            problems.append("Папка «Входящие» получателя переполнена.")
        if not problems and recipient is not None:
            world.message(user.id, recipient.id, text, subject)
            user.last_written = world.clock.now()
            inbox = "./privmsg.php?folder=inbox"
            return turn.message("Ваше сообщение было отправлено.", refresh=(3, inbox), links=((inbox, "Вернуться во Входящие"),))
    return turn.page(
        "old_posting.html",
        title="Новое сообщение",
        action="privmsg.php",
        subject=subject,
        text=text,
        hidden_values={"folder": "inbox", "mode": "post", "sid": turn.visit.sid},
        problems=problems,
        preview=render(text) if request.method == "POST" and not problems and text else "",
        recipient=name,
        section="privmsg",
    )
