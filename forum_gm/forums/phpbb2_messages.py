"""Private messages of phpBB 2: one recipient by name, looked for in outbox and sent messages after a lost answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bs4 import Tag

from forum_gm.forums import subsilver
from forum_gm.forums.addresses import number
from forum_gm.forums.answers import FormAgain, Stored
from forum_gm.forums.base import PrivateMessage
from forum_gm.forums.dates import read_time
from forum_gm.forums.document import Document
from forum_gm.forums.errors import NotFound
from forum_gm.forums.journal import WriteKind, digest
from forum_gm.forums.markup import attribute, find_tag, inner_html, joined_text, text_of, user_id
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
        self.what = f"личное сообщение «{self.subject}» (кому: {self.to})"
        self.digest = digest(self.subject, self.text, self.to)

    def look(self, note: Mapping[str, Any]) -> Found | None:
        """Our message in the outbox or among the sent ones, newer than the baseline."""
        for folder in ("outbox", "sentbox"):
            for message in self.forum.messages(folder):
                if message.id is None or message.id <= int(note.get("baseline", 0)) or message.subject != joined(self.subject):
                    continue
                if same_visible(self.text, read_message2(self.forum, message.id, folder).html):
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

    def waits_out(self, note: Mapping[str, Any]) -> bool:
        """It changes nothing that is there."""
        return False

    def check(self, answer: Stored, note: Mapping[str, Any]) -> Found | None:
        """The success page names no message: look for it."""
        return self.look(note)


def joined(text: str) -> str:
    """A subject as lists show it."""
    return " ".join(text.split())


def list_folder2(forum: PhpBB2, folder: str) -> list[PrivateMessage]:
    """A folder's first page, newest first. In the sent boxes the other person is the recipient."""
    page, soup = forum.fetch(forum.address("privmsg.php", folder=folder))
    zone = zone_of(Document(page.text))
    found = []
    for link in soup.select("a[href*='mode=read']"):
        message_id = number(attribute(link, "href"), "p")
        row = link.find_parent("tr")
        if message_id is None or row is None:
            continue
        who = row.select_one("a[href*='mode=viewprofile']")
        image = row.find("img")
        # The subject may look like a date: only the cells after it hold the real one.
        dates = [text_of(tag) for tag in row.select("span.postdetails")]
        moment = next((read for text in dates if (read := read_time(text, zone=zone, now=page.fetched)) is not None), None)
        inbox = folder == "inbox"
        found.append(
            PrivateMessage(
                message_id,
                joined_text(who) if inbox else "",
                user_id(who) if inbox else forum.user_id,
                joined_text(link),
                moment.time if moment else None,
                recipients=() if inbox else (joined_text(who),),
                unread=isinstance(image, Tag) and "_new" in attribute(image, "src"),
            )
        )
    return found


def read_message2(forum: PhpBB2, message_id: int, folder: str = "inbox") -> PrivateMessage:
    """One message. The board shows it under the folder it lies in only."""
    page, soup = forum.fetch(forum.address("privmsg.php", folder=folder, mode="read", p=message_id))
    body = soup.select_one("span.postbody")
    cell = body.find_parent("td") if body is not None else None
    table = cell.find_parent("table") if cell is not None else None
    if cell is None or table is None:
        raise NotFound(where=page.url)
    # Sender, recipient, time, subject: in this order, each in a row «name: value».
    lines = [row.select("span.genmed") for row in table.find_all("tr") if row.find("span", class_="genmed")]
    values = [joined_text(spans[1]) for spans in lines if len(spans) > 1] + [""] * 4
    profile = find_tag(table, "a", href=re.compile(r"mode=viewprofile"))
    moment = read_time(values[2], zone=zone_of(Document(page.text)), now=page.fetched)
    return PrivateMessage(
        message_id,
        values[0],
        user_id(profile),
        values[3],
        moment.time if moment else None,
        inner_html(subsilver.body_in(cell)),
        recipients=(values[1],),
    )
