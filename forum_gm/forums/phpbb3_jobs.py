"""phpBB 3 writes that leave a new text, as jobs of the exactly-once machine: reply, new topic."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bs4 import BeautifulSoup

from forum_gm.forums import errors
from forum_gm.forums.addresses import number
from forum_gm.forums.answers import FormAgain, SessionLost, Stored, read_answer
from forum_gm.forums.base import Upload, Visibility
from forum_gm.forums.forms import Form
from forum_gm.forums.journal import WriteKind, digest
from forum_gm.forums.markup import attribute, joined_text
from forum_gm.forums.phpbb3_forms import placed, post_of, press, upload_all
from forum_gm.forums.sources import review_sources, same_source, same_visible, stored_form
from forum_gm.forums.transport import Page
from forum_gm.forums.writing import Found, Sendable

if TYPE_CHECKING:
    from forum_gm.forums.phpbb3 import PhpBB3


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
            form, fetched = upload_all(self.forum, form, self.uploads)
        lost = bool(note.get("lost"))
        if lost and again is None and "cur" in note:
            current = int(note["cur"])
        values = {"message": placed(self.text, form)}
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
        return press(self.forum, sendable.form, "post")

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
            post = post_of(self.forum, answer.post_id)
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
            form, fetched = upload_all(self.forum, form, self.uploads)
        baseline = int(note["baseline"]) if "baseline" in note else max((t for t, _ in self._topics()), default=0)
        return Sendable(form.having(subject=self.subject, message=placed(self.text, form)), fetched, {"baseline": baseline})

    def send(self, sendable: Sendable) -> Page:
        """Presses «Отправить»."""
        return press(self.forum, sendable.form, "post")

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
