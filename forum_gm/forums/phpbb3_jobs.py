"""phpBB 3 writes as jobs of the exactly-once machine: reply, new topic, edit, delete, lock, pin."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from bs4 import BeautifulSoup, Tag

from forum_gm.forums import errors
from forum_gm.forums.addresses import number
from forum_gm.forums.answers import FormAgain, Queued, Refused, SessionLost, Stored, read_answer
from forum_gm.forums.base import Post, Upload, Visibility
from forum_gm.forums.forms import Form, form_with
from forum_gm.forums.journal import WriteKind, digest
from forum_gm.forums.markup import attribute, joined_text
from forum_gm.forums.sources import review_sources, same_source, same_visible, stored_form
from forum_gm.forums.transport import Page
from forum_gm.forums.writing import Found, Sendable

if TYPE_CHECKING:
    from forum_gm.forums.phpbb3 import PhpBB3

_PLACE = re.compile(r"\[attachment\](.+?)\[/attachment\]")


@dataclass
class ReplyJob:
    """A reply in a topic. `topic_cur_post_id` makes sending the same form twice harmless where post review is on."""

    forum: PhpBB3
    key: str
    topic_id: int
    text: str
    subject: str
    uploads: tuple[Upload, ...]
    kind: WriteKind = WriteKind.REPLY
    _kept: tuple[Form, Page, BeautifulSoup] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.target = str(self.topic_id)
        self.what = f"ответ в теме {self.topic_id}"
        self.digest = digest(self.text, self.subject, *(part for u in self.uploads for part in (u.name, u.data)))

    def look(self, note: Mapping[str, Any]) -> Found | None:
        """Our text among the posts that came after the baseline: first in the reply form's sources, then in the topic itself."""
        baseline = int(note.get("baseline", 0))
        try:
            form, page, soup = self.forum.form(self.forum.reply_address(self.topic_id))
            self._kept = (form, page, soup)
            for post_id, (author, source) in sorted(review_sources(soup).items()):
                if post_id > baseline and self._ours(author) and same_source(self.text, source):
                    return Found((post_id,), self.topic_id)
        except (errors.TopicLocked, errors.Forbidden, errors.FormRejected):
            self._kept = None
        # Posts that await approval are shown to their author in the topic only, and only by newer boards.
        for post in reversed(self.forum.newest_posts(self.topic_id, baseline)):
            if self._ours(post.author_id) and same_visible(self.text, post.html):
                return Found((post.id,), self.topic_id, post.visibility is Visibility.UNAPPROVED)
        return None

    def _ours(self, author: int | None) -> bool:
        mine = self.forum.user_id
        return mine is None or author is None or author == mine

    def prepare(self, note: Mapping[str, Any], again: FormAgain | None) -> Sendable:
        """The form, with our text; after a lost answer with the `topic_cur_post_id` of the form that was sent."""
        fetched = self.forum.now()
        if again is not None:
            form, soup = again.form, again.soup
        elif self._kept is not None:
            form, page, soup = self._kept
            fetched = page.fetched
        else:
            form, page, soup = self.forum.form(self.forum.reply_address(self.topic_id))
            fetched = page.fetched
        self._kept = None
        current = form.number("topic_cur_post_id") or max(review_sources(soup), default=0)
        if again is None and self.forum.guarded_replies and self.forum.review_known(self.topic_id) is None:
            self._probe(form, current)
        if self.uploads and not any(name.startswith("attachment_data[") for name, _ in form.fields):
            form, fetched = _upload(self.forum, form, self.uploads)
        lost = bool(note.get("lost"))
        if lost and again is None and "cur" in note:
            current = int(note["cur"])
        values = {"message": _placed(self.text, form)}
        if form.get("topic_cur_post_id") is not None:
            values["topic_cur_post_id"] = str(current)
        if self.subject:
            values["subject"] = self.subject
        if "baseline" in note:
            baseline = int(note["baseline"])
        else:
            # A board whose form tells no last post: the topic itself does.
            baseline = current or max(post.id for post in self.forum.page_at(self.forum.newest_address(self.topic_id)).posts)
        shown_at_once = any(self.forum.known_open(place) for place in self._places(forum_in(soup)))
        guarded = self.forum.review_known(self.topic_id) is True and shown_at_once
        return Sendable(form.having(**values), fetched, {"baseline": baseline, "cur": current, "review": guarded})

    def _places(self, forum_id: int | None) -> list[str]:
        """Where our rights are the same."""
        return [f"t{self.topic_id}", *([] if forum_id is None else [f"f{forum_id}"])]

    def _probe(self, form: Form, current: int) -> None:
        """Finds out once whether post review is on: a preview, which stores nothing, with an outdated `topic_cur_post_id`."""
        if form.get("topic_cur_post_id") is None or current <= 1 or "preview" not in form.buttons:
            self.forum.note_review(self.topic_id, False)
            return
        outdated = form.having(message=stored_form(self.text)[:200] or "…", topic_cur_post_id="1")
        page = self.forum.transport.post(outdated.action, outdated.pressed("preview"))
        answer = read_answer(page)
        if isinstance(answer, FormAgain):
            self.forum.note_review(self.topic_id, bool(answer.reviewed))
        elif isinstance(answer, SessionLost):
            self.forum.relogin()

    def send(self, sendable: Sendable) -> Page:
        """Presses «Отправить»."""
        return _press(self.forum, sendable.form, "post")

    def guarded(self, note: Mapping[str, Any]) -> bool:
        """Post review was seen to be on here, and posts to appear at once."""
        return bool(note.get("review")) and "cur" in note

    def waits_out(self, note: Mapping[str, Any]) -> bool:
        """It changes nothing that is there."""
        return False

    def check(self, answer: Stored, note: Mapping[str, Any]) -> Found | None:
        """A new post's id must be higher than all that were there; the post is read back."""
        baseline = int(note.get("baseline", 0))
        if answer.post_id is not None and answer.post_id > baseline:
            post = _post_of(self.forum, answer.post_id)
            if post is None or not self._ours(post.author_id):
                return self.look(note)
            waiting = post.visibility is Visibility.UNAPPROVED
            if not waiting:
                for place in self._places(post.forum_id):
                    self.forum.note_open(place)
            return Found((answer.post_id,), post.topic_id or self.topic_id, waiting)
        return self.look(note)


def forum_in(soup: BeautifulSoup) -> int | None:
    """The forum a posting page belongs to, as its path of headings says."""
    crumbs = soup.find_all(attrs={"data-forum-id": True})
    links = crumbs or soup.find_all("a", href=re.compile(r"viewforum\.php"))
    if not links:
        return None
    last = links[-1]
    said = attribute(last, "data-forum-id")
    return int(said) if said.isdigit() else number(attribute(last, "href"), "f")


@dataclass
class TopicJob:
    """A new topic: nothing protects it, so a lost answer that no look settles becomes a question."""

    forum: PhpBB3
    key: str
    forum_id: int
    subject: str
    text: str
    uploads: tuple[Upload, ...]
    kind: WriteKind = WriteKind.TOPIC

    def __post_init__(self) -> None:
        self.target = str(self.forum_id)
        self.what = f"новая тема «{self.subject}»"
        self.digest = digest(self.subject, self.text, *(part for u in self.uploads for part in (u.name, u.data)))

    def _topics(self) -> list[tuple[int, str]]:
        _, soup = self.forum.fetch(self.forum.address("viewforum.php", f=self.forum_id))
        found = []
        for link in soup.select("a.topictitle"):
            topic_id = number(attribute(link, "href"), "t")
            if topic_id is not None:
                found.append((topic_id, joined_text(link)))
        return found

    def look(self, note: Mapping[str, Any]) -> Found | None:
        """A topic newer than the baseline, with our title, begun by us."""
        for topic_id, title in self._topics():
            if topic_id <= int(note.get("baseline", 0)) or title != " ".join(self.subject[:120].split()):
                continue
            first = self.forum.read_topic(topic_id).posts[0]
            if first.author_id == self.forum.user_id and same_visible(self.text, first.html):
                return Found((first.id,), topic_id)
        return None

    def prepare(self, note: Mapping[str, Any], again: FormAgain | None) -> Sendable:
        """The form, with subject and text."""
        if again is not None:
            form, fetched = again.form, self.forum.now()
        else:
            form, page, _ = self.forum.form(self.forum.new_topic_address(self.forum_id))
            fetched = page.fetched
        if self.uploads and not any(name.startswith("attachment_data[") for name, _ in form.fields):
            form, fetched = _upload(self.forum, form, self.uploads)
        baseline = int(note["baseline"]) if "baseline" in note else max((t for t, _ in self._topics()), default=0)
        return Sendable(form.having(subject=self.subject, message=_placed(self.text, form)), fetched, {"baseline": baseline})

    def send(self, sendable: Sendable) -> Page:
        """Presses «Отправить»."""
        return _press(self.forum, sendable.form, "post")

    def guarded(self, note: Mapping[str, Any]) -> bool:
        """Never."""
        return False

    def waits_out(self, note: Mapping[str, Any]) -> bool:
        """It changes nothing that is there."""
        return False

    def check(self, answer: Stored, note: Mapping[str, Any]) -> Found | None:
        """Reads the topic back for its first post's id."""
        if answer.topic_id is not None:
            first = self.forum.read_topic(answer.topic_id).posts[0]
            return Found((first.id,), answer.topic_id)
        if answer.post_id is not None:
            topic = self.forum.read_page_of(answer.post_id)
            return Found((answer.post_id,), topic.id)
        return self.look(note)


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
        if not same_source(_placed(self.text, form), form.get("message") or ""):
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
            form, fetched = _upload(self.forum, form, new)
        values = {"message": _placed(self.text, form)}
        if self.subject is not None:
            values["subject"] = self.subject
        return Sendable(form.having(**values), fetched, {"sum": checksum})

    def send(self, sendable: Sendable) -> Page:
        """Presses «Отправить»."""
        return _press(self.forum, sendable.form, "post")


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
        post = _post_of(self.forum, self.post_id)
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
        return _press(self.forum, sendable.form, "post")


def _press(forum: PhpBB3, form: Form, button: str) -> Page:
    return forum.transport.post(form.action, form.pressed(button))


def _post_of(forum: PhpBB3, post_id: int) -> Post | None:
    """A post by id, or None if it isn't there (for us)."""
    try:
        topic = forum.read_page_of(post_id)
    except errors.NotFound:
        return None
    return next((post for post in topic.posts if post.id == post_id), None)


def _placed(text: str, form: Form) -> str:
    """The text with `[attachment]NAME[/attachment]` given the number the board has for that file."""

    def place(match: re.Match[str]) -> str:
        for name, value in form.fields:
            found = re.fullmatch(r"attachment_data\[(\d+)\]\[real_filename\]", name)
            if found and value == match[1]:
                return f"[attachment={found[1]}]{match[1]}[/attachment]"
        return match[0]

    return _PLACE.sub(place, stored_form(text))


def _upload(forum: PhpBB3, form: Form, uploads: tuple[Upload, ...]) -> tuple[Form, Any]:
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
