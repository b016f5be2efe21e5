"""Private messages of the embedded board: boxes, export, names turned into ids first, flood interval shared with posts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from forum_gm.demo.board.bbcode import render
from forum_gm.demo.board.faults import FaultKind
from forum_gm.demo.board.http import Response
from forum_gm.demo.board.views import date_text, scene
from forum_gm.forums.sources import stored_form

if TYPE_CHECKING:
    from forum_gm.demo.board.site import Turn

FOLDERS = {"inbox": "Входящие", "outbox": "Исходящие", "sentbox": "Отправленные"}


def private_messages(turn: Turn) -> Response:
    """ucp.php?i=pm."""
    if turn.user is None:
        return turn.login_box(error="Для просмотра личных сообщений вы должны быть авторизованы.")
    request = turn.request
    if request.mode == "compose":
        return _compose(turn)
    if request.mode == "view" and request.get("action") != "view_folder" and request.number("p"):
        return _view(turn)
    folder = request.get("folder") or {"0": "inbox", "-1": "sentbox", "-2": "outbox"}.get(request.get("f") or "0", "inbox")
    if request.sent("submit_export"):
        return _export(turn, folder)
    return _folder(turn, folder if folder in FOLDERS else "inbox")


def _folder(turn: Turn, folder: str) -> Response:
    world = turn.world
    rows = []
    letters = world.letters_of(turn.user_id, folder)
    for letter in letters[:25]:
        people = [letter.author] if folder == "inbox" else list(letter.to)
        rows.append(
            {
                "letter": letter,
                "people": [(world.users.get(person), world.name_of(person)) for person in people],
                "date": date_text(world, letter.time),
                "unread": turn.user_id in letter.unread,
            }
        )
    number = {"inbox": 0, "sentbox": -1, "outbox": -2}[folder]
    return turn.page(
        "pm_folder.html",
        title=FOLDERS[folder],
        section="ucp",
        folder=folder,
        folders=FOLDERS,
        number=number,
        rows=rows,
        count=len(letters),
        limit=world.settings.inbox,
        tokens=turn.tokens("ucp_pm_view"),
    )


def _export(turn: Turn, folder: str) -> Response:
    lines = ['<?xml version="1.0"?>', "<phpbb>"]
    for letter in turn.world.letters_of(turn.user_id, folder)[:25]:
        lines += [
            "\t<privmsg>",
            f"\t\t<subject>{escape(letter.subject)}</subject>",
            f"\t\t<sender>{escape(turn.world.name_of(letter.author))}</sender>",
            f"\t\t<date>{letter.time.isoformat(timespec='seconds')}</date>",
            f"\t\t<message>{escape(letter.text)}</message>",
            "\t</privmsg>",
        ]
    lines.append("</phpbb>")
    return Response("\n".join(lines), media="text/xml; charset=UTF-8")


def _view(turn: Turn) -> Response:
    letter = turn.world.letters.get(turn.request.number("p"))
    if letter is None or (turn.user_id not in letter.to and turn.user_id != letter.author):
        return turn.message("Запрошенного личного сообщения не существует.")
    if turn.user_id in letter.unread:
        letter.unread.discard(turn.user_id)
    world = turn.world
    folder = "inbox" if turn.user_id in letter.to else ("outbox" if letter.unread else "sentbox")
    return turn.page(
        "pm_view.html",
        title=letter.subject,
        section="ucp",
        letter=letter,
        folder=folder,
        folders=FOLDERS,
        author=(world.users.get(letter.author), world.name_of(letter.author)),
        people=[(world.users.get(person), world.name_of(person)) for person in letter.to],
        date=date_text(world, letter.time),
        html=render(letter.text, scene(world, None, turn.links)),
    )


def _compose(turn: Turn) -> Response:
    world, request = turn.world, turn.request
    chosen: dict[int, str] = {}
    for name, value in request.fields:
        match = re.fullmatch(r"address_list\[u\]\[(\d+)\]", name)
        if match and value in ("to", "bcc") and int(match[1]) in world.users:
            chosen[int(match[1])] = value
    if request.method != "POST":
        if request.number("u") in world.users:
            chosen[request.number("u")] = "to"
        subject, text = "", ""
        answered = world.letters.get(request.number("p"))
        if answered is not None and turn.user_id in (*answered.to, answered.author):
            chosen[answered.author] = "to"
            subject = answered.subject if answered.subject.startswith("Re: ") else f"Re: {answered.subject}"
            if request.get("action") == "quote":
                stamp = int(answered.time.timestamp())
                who = world.name_of(answered.author)
                shown = f'"{who}"' if re.search(r"[\[\]\"\s&<>']", who) else who
                text = (
                    f"[quote={shown} msg_id={answered.id} time={stamp} user_id={answered.author}]\n{answered.text}\n[/quote]\n\n"
                )
        return _compose_form(turn, chosen, subject, text, [])
    subject, text = stored_form(request.get("subject") or ""), stored_form(request.get("message") or "")
    problems: list[str] = []
    named = stored_form(request.get("username_list") or "")
    if named:
        unknown = False
        for line in named.split("\n"):
            user = world.user_named(line)
            if user is not None:
                chosen[user.id] = "bcc" if request.sent("add_bcc") else "to"
            else:
                unknown = True
        if unknown and not chosen:
            problems.append("Некоторые из указанных пользователей не существуют.")
        # With names in the box a message is never sent.
        return _compose_form(turn, chosen, subject, text, problems, preview=request.sent("post"))
    if request.sent("preview") or not request.sent("post") or turn.struck(FaultKind.PREVIEW):
        return _compose_form(turn, chosen, subject, text, problems, preview=True)
    if not turn.token_ok("ucp_pm_compose"):
        problems.append("Ошибка отправки формы. Попробуйте ещё раз.")
    if not chosen:
        problems.append("Вы должны указать хотя бы одного получателя.")
    if not subject:
        problems.append("Вы должны указать заголовок сообщения.")
    if not text:
        problems.append("Введённое сообщение слишком короткое.")
    limit = world.settings.max_chars if not turn.struck(FaultKind.TOO_LONG) else len(text) * 2 // 3
    if len(text) > limit:
        problems.append(f"Ваше сообщение содержит {len(text)} символов. Максимально допустимое количество символов: {limit}.")
    full = [user for user in chosen if len(world.letters_of(user, "inbox")) >= world.settings.inbox]
    if turn.struck(FaultKind.INBOX_FULL) or full:
        problems.append("Папка личных сообщений получателя переполнена.")
    if turn.struck(FaultKind.FORBIDDEN):
        return turn.message("Вы не авторизованы для отправки личных сообщений.")
    assert turn.user is not None
    if world.wait_left(turn.user) > 0 or turn.struck(FaultKind.FLOOD):
        problems.append("Вы не можете отправить следующее сообщение сразу после предыдущего. Пожалуйста, попробуйте чуть позже.")
    if problems:
        return _compose_form(turn, chosen, subject, text, problems)
    if turn.struck(FaultKind.SILENT):
        box = "./ucp.php?i=pm&folder=outbox"
        return turn.message(
            "Ваше сообщение успешно отправлено.", refresh=(3, box), links=((box, "Вернуться в папку «Исходящие»"),)
        )
    number = world.message(turn.user_id, tuple(chosen), text, subject)
    turn.user.last_written = world.clock.now()
    view = f"./ucp.php?i=pm&mode=view&p={number}"
    return turn.message(
        "Ваше сообщение успешно отправлено.",
        refresh=(3, view),
        links=(
            (view, "Просмотреть отправленные вами личные сообщения"),
            ("./ucp.php?i=pm&folder=outbox", "Вернуться в папку «Исходящие»"),
        ),
    )


def _compose_form(
    turn: Turn, chosen: dict[int, str], subject: str, text: str, problems: list[str], *, preview: bool = False
) -> Response:
    return turn.page(
        "pm_compose.html",
        title="Новое сообщение",
        section="ucp",
        folders=FOLDERS,
        folder="",
        chosen=[(user, turn.world.name_of(user), how) for user, how in chosen.items()],
        subject=subject,
        text=text,
        problems=problems,
        preview=render(text, scene(turn.world, None, turn.links)) if preview and text else "",
        tokens=turn.tokens("ucp_pm_compose"),
    )
