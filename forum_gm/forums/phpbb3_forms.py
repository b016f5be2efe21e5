"""What the jobs of phpBB 3 share: pressing buttons, reading a post back, files put into a form and placed in the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from forum_gm.forums import errors
from forum_gm.forums.answers import Queued, Refused, SessionLost, Stored, read_answer
from forum_gm.forums.base import Post, Upload
from forum_gm.forums.forms import Form
from forum_gm.forums.sources import stored_form
from forum_gm.forums.transport import Page

if TYPE_CHECKING:
    from forum_gm.forums.phpbb3 import PhpBB3


_PLACE = re.compile(r"\[attachment\](.+?)\[/attachment\]")


def press(forum: PhpBB3, form: Form, button: str) -> Page:
    """Sends a form as if that button were pressed."""
    return forum.transport.post(form.action, form.pressed(button))


def post_of(forum: PhpBB3, post_id: int) -> Post | None:
    """A post by id, or None if it isn't there (for us)."""
    try:
        topic = forum.read_page_of(post_id)
    except errors.NotFound:
        return None
    return next((post for post in topic.posts if post.id == post_id), None)


def placed(text: str, form: Form) -> str:
    """The text with `[attachment]NAME[/attachment]` given the number the board has for that file."""

    def place(match: re.Match[str]) -> str:
        for name, value in form.fields:
            found = re.fullmatch(r"attachment_data\[(\d+)\]\[real_filename\]", name)
            if found and value == match[1]:
                return f"[attachment={found[1]}]{match[1]}[/attachment]"
        return match[0]

    return _PLACE.sub(place, stored_form(text))


def upload_all(forum: PhpBB3, form: Form, uploads: tuple[Upload, ...]) -> tuple[Form, Any]:
    """Files one by one by «Добавить файл». A lost answer leaves an orphan that nobody sees, so an upload may be repeated."""
    if "fileupload" not in form.file_fields:
        raise errors.AttachmentRefused("форма не принимает файлов")
    text = form.get("message") or ""
    fetched = forum.now()
    for upload in uploads:
        for attempt in range(3):
            gone = (forum.now() - fetched).total_seconds()
            forum.transport.clock.sleep(forum.transport.manners.form_wait - gone)
            ready = form.having(message=text or " ", filecomment=upload.comment)
            try:
                page = forum.transport.post(form.action, ready.pressed("add_file"), [("fileupload", upload.name, upload.data)])
            except errors.AnswerLost:
                if attempt == 2:
                    raise
                forum.transport.clock.sleep(forum.transport.manners.backoff * 2**attempt)
                continue
            fetched = forum.now()
            answer = read_answer(page)
            if isinstance(answer, SessionLost):
                # The form was the former session's: begin anew, later.
                forum.relogin()
                raise errors.Unreachable("сеанс кончился во время загрузки файла")
            if isinstance(answer, Refused):
                raise answer.error
            if isinstance(answer, Stored | Queued):
                raise errors.FormRejected("форум опубликовал форму вместо загрузки файла")
            names = {value for name, value in answer.form.fields if name.endswith("[real_filename]")}
            if upload.name in names:
                form = answer.form
                break
            if answer.token and attempt < 2:
                form = answer.form
                continue
            raise answer.error if answer.error is not None else errors.AttachmentRefused(f"«{upload.name}» не появился в форме")
    return form.having(message=text), fetched
