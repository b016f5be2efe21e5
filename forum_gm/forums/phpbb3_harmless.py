"""phpBB 3 writes that may be repeated, as jobs of the exactly-once machine: edit, delete, lock, pin."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from bs4 import Tag

from forum_gm.forums import errors
from forum_gm.forums.answers import FormAgain, Stored
from forum_gm.forums.base import Upload, Visibility
from forum_gm.forums.forms import Form, form_with
from forum_gm.forums.journal import WriteKind, digest
from forum_gm.forums.markup import attribute
from forum_gm.forums.phpbb3_forms import placed, post_of, press, upload_all
from forum_gm.forums.sources import same_source
from forum_gm.forums.transport import Page
from forum_gm.forums.writing import Found, Sendable

if TYPE_CHECKING:
    from forum_gm.forums.phpbb3 import PhpBB3


class Harmless(ABC):
    """A write that may be repeated: done twice it is as if done once, and a look at the board shows whether it is done.

    Only a request that the board still works on could undo what is written later: it is let come to its end."""

    @abstractmethod
    def look(self, note: Mapping[str, Any]) -> Found | None:
        """What the write was to bring about, if it is there already."""

    def guarded(self, note: Mapping[str, Any]) -> bool:
        """Twice is harmless."""
        return True

    def waits_out(self, note: Mapping[str, Any]) -> bool:
        """A late one would set things back."""
        return True

    def check(self, answer: Stored, note: Mapping[str, Any]) -> Found | None:
        """Looks at the board, whatever the answer said."""
        return self.look(note)


@dataclass
class EditJob(Harmless):
    """A post's new source. Writing it twice leaves the same text, so a lost answer may simply be tried again."""

    forum: PhpBB3
    key: str
    post_id: int
    text: str
    subject: str | None
    uploads: tuple[Upload, ...]
    kind: WriteKind = WriteKind.EDIT

    def __post_init__(self) -> None:
        self.target = str(self.post_id)
        self.what = f"правка сообщения {self.post_id}"
        self.digest = digest(self.text, self.subject or "", *(part for u in self.uploads for part in (u.name, u.data)))

    def waits_out(self, note: Mapping[str, Any]) -> bool:
        """phpBB 3 refuses a late edit by the sum of the text it was made for; phpBB 2 has no such guard."""
        return not note.get("sum")

    def look(self, note: Mapping[str, Any]) -> Found | None:
        """Is the text already there?"""
        form, _, _ = self.forum.form(self.forum.edit_address(self.post_id))
        return Found((self.post_id,)) if self._there(form) else None

    def _there(self, form: Form) -> bool:
        if not same_source(placed(self.text, form), form.get("message") or ""):
            return False
        if self.subject is not None and form.get("subject") not in (None, self.subject):
            return False
        names = {value for name, value in form.fields if name.endswith("[real_filename]")}
        return all(upload.name in names for upload in self.uploads)

    def prepare(self, note: Mapping[str, Any], again: FormAgain | None) -> Sendable | Found:
        """The edit form as it is now, with our text; nothing to do if it holds it already."""
        if again is not None and not again.token and not again.flood and again.error is None and note.get("sum"):
            # The form came back without an error: somebody else changed the post between our reading and our writing.
            form, page, _ = self.forum.form(self.forum.edit_address(self.post_id))
            if self._there(form):
                return Found((self.post_id,))
            if form.get("edit_post_message_checksum") != note["sum"] and not note.get("conflict"):
                raise errors.EditConflict(where=self.what)
            fetched = page.fetched
        elif again is not None:
            form, fetched = again.form, self.forum.now()
        else:
            form, page, _ = self.forum.form(self.forum.edit_address(self.post_id))
            fetched = page.fetched
            if self._there(form):
                return Found((self.post_id,))
        names = {value for name, value in form.fields if name.endswith("[real_filename]")}
        new = tuple(upload for upload in self.uploads if upload.name not in names)
        checksum = form.get("edit_post_message_checksum") or ""
        if new:
            form, fetched = upload_all(self.forum, form, new)
        values = {"message": placed(self.text, form)}
        if self.subject is not None:
            values["subject"] = self.subject
        return Sendable(form.having(**values), fetched, {"sum": checksum})

    def send(self, sendable: Sendable) -> Page:
        """Presses «Отправить»."""
        return press(self.forum, sendable.form, "post")


@dataclass
class DeleteJob(Harmless):
    """An own post deleted; gone is gone, however often it is asked."""

    forum: PhpBB3
    key: str
    post_id: int
    kind: WriteKind = WriteKind.DELETE

    def __post_init__(self) -> None:
        self.target = str(self.post_id)
        self.what = f"удаление сообщения {self.post_id}"
        self.digest = digest("delete", str(self.post_id))

    def waits_out(self, note: Mapping[str, Any]) -> bool:
        """What is gone can't be deleted later."""
        return False

    def look(self, note: Mapping[str, Any]) -> Found | None:
        """Gone, or softly deleted?"""
        post = post_of(self.forum, self.post_id)
        return Found((self.post_id,)) if post is None or post.visibility is Visibility.DELETED else None

    def prepare(self, note: Mapping[str, Any], again: FormAgain | None) -> Sendable | Found:
        """The confirmation box."""
        if (found := self.look(note)) is not None:
            return found
        page, soup = self.forum.fetch(self.forum.delete_address(self.post_id))
        form = form_with(soup, page.url, "confirm")
        if form is None:
            raise errors.FormRejected("нет окна подтверждения", where=page.url)
        return Sendable(form, page.fetched, {})

    def send(self, sendable: Sendable) -> Page:
        """Presses «Да»."""
        return self.forum.transport.post(sendable.form.action, sendable.form.pressed("confirm"))


@dataclass
class LockJob(Harmless):
    """A topic locked or unlocked by a moderator's account."""

    forum: PhpBB3
    key: str
    topic_id: int
    locked: bool
    kind: WriteKind = WriteKind.LOCK

    def __post_init__(self) -> None:
        self.target = str(self.topic_id)
        self.what = f"{'закрытие' if self.locked else 'открытие'} темы {self.topic_id}"
        self.digest = digest("lock", str(self.topic_id), str(self.locked))

    def look(self, note: Mapping[str, Any]) -> Found | None:
        """Is it as wanted?"""
        topic = self.forum.read_topic(self.topic_id, after=2**53)
        return Found((), self.topic_id) if topic.locked == self.locked else None

    def prepare(self, note: Mapping[str, Any], again: FormAgain | None) -> Sendable | Found:
        """The moderators' confirmation box."""
        page, document = self.forum.document(self.forum.topic_address(self.topic_id))
        shown = self.forum.parse(page, document)
        if shown.locked == self.locked:
            return Found((), self.topic_id)
        action = "lock" if self.locked else "unlock"
        link = document.soup.find("a", href=re.compile(rf"mcp\.php[^#]*[?&]action={action}\b|mcp\.php[^#]*action={action}&"))
        if not isinstance(link, Tag):
            raise errors.Forbidden("нет кнопки модератора", where=page.url)
        # The link must keep its session id: moderators' pages check it.
        page, soup = self.forum.fetch(urljoin(page.url, attribute(link, "href")))
        form = form_with(soup, page.url, "confirm")
        if form is None:
            raise errors.FormRejected("нет окна подтверждения", where=page.url)
        return Sendable(form, page.fetched, {})

    def send(self, sendable: Sendable) -> Page:
        """Presses «Да»."""
        return self.forum.transport.post(sendable.form.action, sendable.form.pressed("confirm"))


@dataclass
class PinJob(Harmless):
    """A topic pinned or unpinned through the edit form of its first post."""

    forum: PhpBB3
    key: str
    topic_id: int
    pinned: bool
    kind: WriteKind = WriteKind.PIN

    def __post_init__(self) -> None:
        self.target = str(self.topic_id)
        self.what = f"{'закрепление' if self.pinned else 'открепление'} темы {self.topic_id}"
        self.digest = digest("pin", str(self.topic_id), str(self.pinned))

    def _form(self) -> tuple[Form, Page]:
        shown = self.forum.page_at(self.forum.topic_address(self.topic_id))
        form, page, _ = self.forum.form(self.forum.edit_address(shown.posts[0].id))
        if form.get("topic_type") is None:
            raise errors.Forbidden("в форме нет выбора «Прилепленная»", where=page.url)
        return form, page

    def look(self, note: Mapping[str, Any]) -> Found | None:
        """Is the type as wanted?"""
        form, _ = self._form()
        return Found((), self.topic_id) if (form.get("topic_type") == "1") == self.pinned else None

    def prepare(self, note: Mapping[str, Any], again: FormAgain | None) -> Sendable | Found:
        """The first post's form with the other type."""
        if again is not None and (again.token or again.flood):
            return Sendable(again.form.having(topic_type="1" if self.pinned else "0"), self.forum.now(), {})
        # Whatever else brought the form back: somebody may have edited the post, and his text must stay.
        form, page = self._form()
        if (form.get("topic_type") == "1") == self.pinned:
            return Found((), self.topic_id)
        return Sendable(form.having(topic_type="1" if self.pinned else "0"), page.fetched, {})

    def send(self, sendable: Sendable) -> Page:
        """Presses «Отправить»."""
        return press(self.forum, sendable.form, "post")
