"""Private messages of phpBB 2: one recipient by name, looked for in outbox and sent messages after a lost answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from forum_gm.forums.answers import FormAgain, Stored
from forum_gm.forums.base import PrivateMessage
from forum_gm.forums.dates import read_time
from forum_gm.forums.document import Document
from forum_gm.forums.errors import NotFound
from forum_gm.forums.journal import WriteKind, digest
from forum_gm.forums.markup import inner_html, joined_text, text_of
from forum_gm.forums.prosilver import zone_of
from forum_gm.forums.sources import same_visible, stored_form
from forum_gm.forums.transport import Page
from forum_gm.forums.writing import Found, Sendable

if TYPE_CHECKING:
    from forum_gm.forums.phpbb2 import PhpBB2


@dataclass
class MessageJob2:
    """One message to one user."""

    forum: PhpBB2
    key: str
    to: str
    subject: str
    text: str
    kind: WriteKind = WriteKind.MESSAGE

    def __post_init__(self) -> None:
        self.target = self.to
        self.what = f"личное сообщение «{self.subject}» для {self.to}"
        self.digest = digest(self.subject, self.text, self.to)

    def look(self, note: Mapping[str, Any]) -> Found | None:
        """Our message in the outbox or among the sent ones, newer than the baseline."""
        for folder in ("outbox", "sentbox"):
            for message in self.forum.messages(folder):
                if message.id is None or message.id <= int(note.get("baseline", 0)) or message.subject != joined(self.subject):
                    continue
                if same_visible(self.text, self.forum.read_message(message.id).html):
                    return Found((message.id,))
        return None

    def prepare(self, note: Mapping[str, Any], again: FormAgain | None) -> Sendable:
        """The compose form, filled."""
        if again is not None:
            form, fetched = again.form, self.forum.now()
        else:
            form, page, _ = self.forum.form(self.forum.address("privmsg.php", mode="post"))
            fetched = page.fetched
        if "baseline" in note:
            baseline = int(note["baseline"])
        else:
            ids = [m.id for folder in ("outbox", "sentbox") for m in self.forum.messages(folder) if m.id is not None]
            baseline = max(ids, default=0)
        ready = form.having(username=self.to, subject=self.subject, message=stored_form(self.text))
        return Sendable(ready, fetched, {"baseline": baseline})

    def send(self, sendable: Sendable) -> Page:
        """Presses «Отправить»."""
        return self.forum.transport.post(sendable.form.action, sendable.form.pressed("post"))

    def guarded(self, note: Mapping[str, Any]) -> bool:
        """Never."""
        return False

    def check(self, answer: Stored, note: Mapping[str, Any]) -> Found | None:
        """The success page names no message: look for it."""
        return self.look(note)


def joined(text: str) -> str:
    """A subject as lists show it."""
    return " ".join(text.split())


def read_message2(forum: PhpBB2, message_id: int) -> PrivateMessage:
    """One message."""
    page, soup = forum.fetch(forum.address("privmsg.php", folder="inbox", mode="read", p=message_id))
    body = soup.select_one("span.postbody")
    if body is None:
        raise NotFound(where=page.url)
    names = [tag for tag in soup.select("td.row2 span.genmed") if text_of(tag)]
    moment = read_time(" ".join(text_of(tag) for tag in names), zone=zone_of(Document(page.text)), now=page.fetched)
    return PrivateMessage(
        message_id,
        joined_text(names[0]) if names else "",
        None,
        joined_text(names[-1]) if names else "",
        moment.time if moment else None,
        inner_html(body),
    )
