"""Writing on the embedded board: the posting form of phpBB 3.3 with its tokens, review page, flood interval, files and queue."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forum_gm.demo.board.bbcode import render
from forum_gm.demo.board.faults import FaultKind
from forum_gm.demo.board.http import Response, redirect
from forum_gm.demo.board.model import EditMark, Entry, Room, Thread
from forum_gm.demo.board.reading import find_thread
from forum_gm.demo.board.views import body_html, date_text, scene
from forum_gm.forums.sources import stored_form

if TYPE_CHECKING:
    from forum_gm.demo.board.site import Turn

LAST_CLICK = 2
"""phpBB 3.0 silently drops a form sent back within so many seconds."""
FORUM_LOCKED = "Этот форум закрыт, вы не можете создавать и редактировать темы и сообщения в нём."
ENTER = "Для ответа в темах этого форума вы должны быть авторизованы."


@dataclass(slots=True)
class Draft:
    """What is being written."""

    mode: str
    room: Room
    thread: Thread | None = None
    entry: Entry | None = None
    subject: str = ""
    text: str = ""


def posting(turn: Turn) -> Response:
    """posting.php."""
    mode = turn.request.mode
    if mode in ("delete", "soft_delete"):
        return delete(turn, soft=mode == "soft_delete")
    draft = _draft(turn)
    if isinstance(draft, Response):
        return draft
    if turn.request.method == "POST":
        return _sent(turn, draft)
    return _form(turn, draft, _files_of(draft))


def _draft(turn: Turn) -> Draft | Response:
    world, request = turn.world, turn.request
    mode = request.mode
    if mode == "post":
        room = world.rooms.get(request.number("f"))
        if room is None:
            return turn.message("Запрошенного форума не существует.", status=404)
        draft = Draft(mode, room)
    elif mode in ("reply", "quote", "edit"):
        found = find_thread(turn)
        if isinstance(found, Response):
            # phpBB answers to a post that isn't there with 200.
            return found if request.number("t") or found.status != 404 else turn.message("Запрошенного сообщения не существует.")
        thread, entry = found
        draft = Draft(mode, world.rooms[thread.room], thread, entry, f"Re: {thread.title}")
    else:
        return turn.message("Не указан режим сообщения.")
    if turn.user is None:
        return turn.login_box(error=ENTER)
    if turn.struck(FaultKind.FORBIDDEN) or not world.may_write(draft.room, turn.user_id):
        return turn.message("У вас нет прав для ответа в темах этого форума.")
    if (draft.room.locked or turn.struck(FaultKind.FORUM_LOCKED)) and (
        not turn.user.moderator or turn.struck(FaultKind.FORUM_LOCKED)
    ):
        return turn.message(FORUM_LOCKED)
    closed = draft.thread is not None and (draft.thread.locked or turn.struck(FaultKind.LOCKED))
    if closed and (not turn.user.moderator or turn.struck(FaultKind.LOCKED)):
        return turn.message("Эта тема закрыта, вы не можете редактировать и оставлять сообщения в ней.")
    if mode == "edit" and draft.entry is not None:
        if draft.entry.author != turn.user_id and not turn.user.moderator:
            return turn.message("Вы можете редактировать только свои собственные сообщения.")
        limit = world.settings.edit_minutes
        age = (world.clock.now() - draft.entry.time).total_seconds() / 60
        if limit and age > limit and not turn.user.moderator:
            return turn.message("Вы больше не можете редактировать или удалять это сообщение.")
        draft.subject, draft.text = draft.entry.subject, draft.entry.text
    if mode == "quote" and draft.entry is not None:
        draft.text = _quoted(turn, draft.entry)
    return draft


def _quoted(turn: Turn, entry: Entry) -> str:
    name = turn.world.name_of(entry.author)
    shown = f'"{name}"' if re.search(r"[\[\]\"\s&<>']", name) else name
    text = re.sub(r"\[attachment=\d+\](.*?)\[/attachment\]", r"\1", entry.text)
    if turn.world.settings.engine == "3.0":
        return f'[quote="{name}"]{text}[/quote]'
    stamp = int(entry.time.timestamp())
    return f"[quote={shown} post_id={entry.id} time={stamp} user_id={entry.author}]\n{text}\n[/quote]\n\n"


def _files_of(draft: Draft) -> list[int]:
    return list(draft.entry.files) if draft.mode == "edit" and draft.entry is not None else []


def _files_sent(turn: Turn) -> list[int]:
    """Attachments named by the form, in its order."""
    found: dict[int, int] = {}
    for name, value in turn.request.fields:
        match = re.fullmatch(r"attachment_data\[(\d+)\]\[attach_id\]", name)
        if match and value.isdigit() and int(value) in turn.world.files:
            stored = turn.world.files[int(value)]
            if stored.owner == turn.user_id or (turn.user is not None and turn.user.moderator):
                found[int(match[1])] = stored.id
    return [file_id for _, file_id in sorted(found.items())]


def _sent(turn: Turn, draft: Draft) -> Response:
    request, world = turn.request, turn.world
    draft.text = stored_form(request.get("message") or "")
    draft.subject = stored_form(request.get("subject") or "")
    files = _files_sent(turn)
    problems: list[str] = []
    if request.sent("add_file") or "fileupload" in request.files:
        problem = _add_file(turn, files)
        if problem:
            problems.append(problem)
        if request.sent("add_file"):
            if not turn.token_ok("posting"):
                problems.append("Ошибка отправки формы. Попробуйте ещё раз.")
            return _form(turn, draft, files, problems)
    for name, _ in request.fields:
        match = re.fullmatch(r"delete_file\[(\d+)\]", name)
        if match and int(match[1]) < len(files):
            del files[int(match[1])]
            return _form(turn, draft, files, problems)
    newer = _newer(turn, draft)
    if request.sent("preview") or not request.sent("post") or turn.struck(FaultKind.PREVIEW):
        return _form(turn, draft, files, problems, preview=True, newer=newer)
    if not turn.token_ok("posting"):
        problems.append("Ошибка отправки формы. Попробуйте ещё раз.")
    if not draft.text:
        problems.append("Введённое сообщение слишком короткое.")
    limit = world.settings.max_chars if not turn.struck(FaultKind.TOO_LONG) else len(draft.text) * 2 // 3
    if len(draft.text) > limit:
        problems.append(
            f"Ваше сообщение содержит {len(draft.text)} символов. Максимально допустимое количество символов: {limit}."
        )
    if draft.mode == "post" and not draft.subject:
        problems.append("При создании новой темы должен быть указан заголовок.")
    if draft.mode != "edit" and turn.user is not None and (world.wait_left(turn.user) > 0 or turn.struck(FaultKind.FLOOD)):
        problems.append("Вы не можете отправить следующее сообщение сразу после предыдущего. Пожалуйста, попробуйте чуть позже.")
    if draft.thread is not None and draft.mode in ("reply", "quote") and turn.struck(FaultKind.REVIEW):
        world.post(_passer_by(turn), draft.thread.id, "Тоже пишу сюда.")
        newer = _newer(turn, draft)
    if problems:
        return _form(turn, draft, files, problems)
    if newer is not None:
        return _form(turn, draft, files, newer=newer)
    if draft.mode == "edit" and draft.entry is not None:
        if turn.struck(FaultKind.CROSSED):
            world.edit(_passer_by(turn), draft.entry.id, draft.entry.text + " (поправлено)", trace=False)
        sum_sent = request.get("edit_post_message_checksum")
        if sum_sent is not None and sum_sent != checksum(draft.entry.text):
            return _form(turn, draft, files, newer=[draft.entry])
        return _store_edit(turn, draft, draft.entry, files)
    hasty = world.settings.engine == "3.0" and turn.world.clock.now().timestamp() - request.number("lastclick") < LAST_CLICK
    if (turn.struck(FaultKind.SILENT) or hasty) and draft.thread is not None:
        return redirect(f"./viewtopic.php?t={draft.thread.id}")
    return _store_new(turn, draft, files)


def _passer_by(turn: Turn) -> int:
    other = next((user.id for user in turn.world.users.values() if user.id != turn.user_id), None)
    return other if other is not None else turn.world.account("Прохожий")


def _newer(turn: Turn, draft: Draft) -> list[Entry] | None:
    """Posts made since the form was fetched, if the forum wants them reviewed; None: nothing stands in the way."""
    current = turn.request.number("topic_cur_post_id")
    if draft.thread is None or draft.mode not in ("reply", "quote") or not current or not turn.world.review_on(draft.room):
        return None
    last = turn.world.last_of(draft.thread)
    if last is None or last.id == current:
        return None
    return [entry for entry in turn.world.approved_in(draft.thread) if entry.id > current]


def _add_file(turn: Turn, files: list[int]) -> str:
    sent = turn.request.files.get("fileupload")
    settings = turn.world.settings
    if sent is None or not sent.name:
        return ""
    extension = sent.name.rsplit(".", 1)[-1].lower()
    if extension not in settings.extensions:
        return f"Расширение {extension} запрещено."
    if len(sent.data) > settings.max_file:
        return f"Размер файла слишком большой, максимально допустимый размер: {settings.max_file // 1024} КБ."
    if turn.struck(FaultKind.QUOTA) or (settings.quota is not None and turn.world.files_size() + len(sent.data) > settings.quota):
        return "Достигнута квота на вложения, установленная для конференции."
    if len(files) >= settings.max_files:
        return f"Невозможно добавить ещё одно вложение: максимально допустимо {settings.max_files}."
    stored = turn.world.file(turn.user_id, sent.name, sent.data, stored_form(turn.request.get("filecomment") or ""))
    files.insert(0, stored.id)
    return ""


def _store_new(turn: Turn, draft: Draft, files: list[int]) -> Response:
    world, user = turn.world, turn.user
    assert user is not None
    approved = not (user.newcomer or turn.struck(FaultKind.APPROVAL))
    if draft.mode == "post" or draft.thread is None:
        thread = Thread(len(world.threads) + 1, draft.room.id, draft.subject[:120], approved=approved)
        world.threads[thread.id] = thread
    else:
        thread = draft.thread
    entry = Entry(
        world.next_entry(),
        thread.id,
        user.id,
        world.clock.now().replace(microsecond=0),
        (draft.subject or "")[:120],
        draft.text,
        files,
        approved=approved,
        bbcode=not turn.request.sent("disable_bbcode"),
    )
    world.entries[entry.id] = entry
    _keep(turn, files)
    user.last_written = world.clock.now()
    if turn.user is not None and turn.user.moderator and turn.request.get("topic_type") == "1":
        thread.pinned = True
    if not approved:
        return _queued(turn, draft, "отправлено")
    first = draft.mode == "post" and world.settings.engine != "3.0"
    return _posted(turn, f"./viewtopic.php?t={thread.id}" if first else f"./viewtopic.php?p={entry.id}#p{entry.id}")


def _posted(turn: Turn, address: str) -> Response:
    """Success: a redirect; phpBB 3.0 shows a page that leads on."""
    if turn.world.settings.engine == "3.0":
        links = ((address, "Просмотреть ваше сообщение"),)
        return turn.message("Сообщение было успешно отправлено.", refresh=(3, address), links=links)
    return redirect(address)


def _keep(turn: Turn, files: list[int]) -> None:
    for file_id in files:
        stored = turn.world.files[file_id]
        stored.orphan = False


def _store_edit(turn: Turn, draft: Draft, entry: Entry, files: list[int]) -> Response:
    world = turn.world
    own = entry.author == turn.user_id
    reason = stored_form(turn.request.get("edit_reason") or "")
    entry.text, entry.subject, entry.files = draft.text, draft.subject[:120], files
    _keep(turn, files)
    if (own and not world.is_last(entry)) or (not own and reason):
        entry.edit = EditMark(
            (entry.edit.count if entry.edit else 0) + 1, world.clock.now().replace(microsecond=0), turn.user_id, reason
        )
    thread = world.threads[entry.thread]
    first = world.seen_in(thread, entry.author)[0]
    if first.id == entry.id:
        thread.title = entry.subject or thread.title
        if turn.user is not None and turn.user.moderator and turn.request.get("topic_type") in ("0", "1"):
            thread.pinned = turn.request.get("topic_type") == "1"
    if (own and turn.user is not None and turn.user.newcomer) or turn.struck(FaultKind.APPROVAL):
        # An edited post of such an account disappears until a moderator has seen it.
        entry.approved = False
        return _queued(turn, draft, "отредактировано")
    return _posted(turn, f"./viewtopic.php?p={entry.id}#p{entry.id}")


def _queued(turn: Turn, draft: Draft, done: str) -> Response:
    """What a board says that keeps a text back."""
    back = f"./viewtopic.php?t={draft.thread.id}" if draft.thread is not None else f"./viewforum.php?f={draft.room.id}"
    return turn.message(
        f"Сообщение успешно {done}, но должно быть одобрено модератором до того, как будет отображено на конференции. "
        "Вы будете уведомлены об одобрении вашего сообщения.",
        refresh=(10, back),
        links=((f"./viewforum.php?f={draft.room.id}", "Вернуться в форум"),),
    )


def _form(
    turn: Turn,
    draft: Draft,
    files: list[int],
    problems: list[str] | None = None,
    *,
    preview: bool = False,
    newer: list[Entry] | None = None,
) -> Response:
    world = turn.world
    last = world.last_of(draft.thread) if draft.thread is not None else None
    titles = {"post": "Новая тема", "reply": "Ответить", "quote": "Ответить", "edit": "Редактировать сообщение"}
    address = f"./posting.php?mode={draft.mode}"
    if draft.thread is not None and draft.mode != "edit":
        address += f"&t={draft.thread.id}"
    if draft.entry is not None and draft.mode in ("edit", "quote"):
        address += f"&p={draft.entry.id}"
    if draft.mode == "post":
        address += f"&f={draft.room.id}"
    review = []
    if draft.thread is not None and draft.mode in ("reply", "quote"):
        for shown in reversed(world.approved_in(draft.thread)[-world.settings.per_page :]):
            review.append(_review(turn, shown))
    entry = draft.entry
    fragment = Entry(0, 0, turn.user_id, world.clock.now(), "", draft.text, files)
    first = draft.thread is not None and entry is not None and world.approved_in(draft.thread)[:1] == [entry]
    return turn.page(
        "posting.html",
        title=titles[draft.mode],
        section="posting",
        heading=titles[draft.mode],
        action=address,
        draft=draft,
        room=draft.room,
        thread=draft.thread,
        problems=problems or [],
        preview=render(draft.text, scene(world, fragment, turn.links)) if preview and draft.text else "",
        newer=[_review(turn, item) for item in newer or []],
        review_page=newer is not None,
        current=last.id if last is not None and draft.mode in ("reply", "quote") else None,
        checksums=(checksum(entry.text), checksum(entry.subject)) if draft.mode == "edit" and entry is not None else None,
        files=[world.files[file_id] for file_id in files],
        review=review,
        may_pin=turn.user is not None and turn.user.moderator and (draft.mode == "post" or (draft.mode == "edit" and first)),
        pinned=draft.thread is not None and draft.thread.pinned,
        may_reason=turn.user is not None and turn.user.moderator and draft.mode == "edit",
        accept=",".join("." + extension for extension in world.settings.extensions),
        max_kb=world.settings.max_file // 1024,
        tokens=turn.tokens("posting") | _last_click(turn),
    )


def _last_click(turn: Turn) -> dict[str, str]:
    return {"lastclick": str(int(turn.world.clock.now().timestamp()))} if turn.world.settings.engine == "3.0" else {}


def _review(turn: Turn, entry: Entry) -> dict[str, object]:
    return {
        "id": entry.id,
        "subject": entry.subject,
        "author": turn.world.users.get(entry.author),
        "author_name": turn.world.name_of(entry.author),
        "date": date_text(turn.world, entry.time),
        "html": body_html(turn.world, entry, turn.links),
        "source": entry.text,
    }


def checksum(text: str) -> str:
    """phpBB's guard against edits that cross."""
    return hashlib.md5(text.encode()).hexdigest()


def delete(turn: Turn, *, soft: bool) -> Response:
    """The confirmation box and what follows it."""
    world, request = turn.world, turn.request
    entry = world.entries.get(request.number("p"))
    if turn.user is None:
        return turn.login_box(error=ENTER)
    if entry is None:
        return turn.message("Запрошенного сообщения не существует.")
    moderator = turn.user.moderator
    if turn.struck(FaultKind.FORBIDDEN) or (not moderator and entry.author != turn.user_id):
        return turn.message("У вас нет прав для удаления этого сообщения.")
    room = world.rooms[world.threads[entry.thread].room]
    if not moderator and (room.locked or turn.struck(FaultKind.FORUM_LOCKED)):
        return turn.message(FORUM_LOCKED)
    if not moderator and (world.threads[entry.thread].locked or turn.struck(FaultKind.LOCKED)):
        return turn.message("Эта тема закрыта, вы не можете редактировать и оставлять сообщения в ней.")
    if not moderator and not world.is_last(entry):
        return turn.message("Вы не можете удалить это сообщение: на него уже ответили.")
    key = turn.site.confirm_key(turn.user_id)
    confirmed = request.method == "POST" and request.get("confirm") == "Да" and request.query.get("confirm_key") == key
    if not confirmed or turn.struck(FaultKind.TOKEN):
        mode = "soft_delete" if soft else "delete"
        return turn.page(
            "confirm.html",
            title="Удалить сообщение",
            heading="Удалить сообщение",
            question="Вы уверены, что хотите удалить это сообщение?",
            action=f"./posting.php?mode={mode}&p={entry.id}&confirm_key={turn.site.confirm_key(turn.user_id, new=True)}",
            hidden_values={"p": str(entry.id), "mode": mode},
            reason=True,
        )
    turn.site.confirm_key(turn.user_id, new=True)
    thread = entry.thread
    world.delete(turn.user_id, entry.id, reason=request.get("delete_reason") or "", soft=soft)
    last = world.last_of(world.threads[thread])
    target = f"./viewtopic.php?p={last.id}#p{last.id}" if last is not None else f"./viewforum.php?f={world.threads[thread].room}"
    return turn.message("Сообщение успешно удалено.", links=((target, "Вернуться в тему"),))
