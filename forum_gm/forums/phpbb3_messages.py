"""Private messages of phpBB 3: by user name, several recipients, sent once; folders read without marking anything read."""

from __future__ import annotations

import html as html_entities
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bs4 import BeautifulSoup, Tag

from forum_gm.forums import errors
from forum_gm.forums.addresses import number
from forum_gm.forums.answers import FormAgain, Refused, SessionLost, Stored, read_answer
from forum_gm.forums.base import PrivateMessage
from forum_gm.forums.dates import read_time
from forum_gm.forums.document import Document
from forum_gm.forums.forms import Form, form_with
from forum_gm.forums.journal import WriteKind, digest
from forum_gm.forums.markup import attribute, inner_html, joined_text, text_of, user_id
from forum_gm.forums.prosilver import zone_of
from forum_gm.forums.sources import same_source, same_visible, stored_form
from forum_gm.forums.transport import Page
from forum_gm.forums.writing import Found, Sendable

if TYPE_CHECKING:
    from forum_gm.forums.phpbb3 import PhpBB3


@dataclass
class MessageJob:
    """One message. Nothing protects it from going out twice, so only a look at outbox and sent messages does."""

    forum: PhpBB3
    key: str
    to: tuple[str, ...]
    subject: str
    text: str
    kind: WriteKind = WriteKind.MESSAGE
    _recipients: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        self.target = ", ".join(self.to)
        self.what = f"личное сообщение «{self.subject}» (кому: {self.target})"
        self.digest = digest(self.subject, self.text, *self.to)

    def look(self, note: Mapping[str, Any]) -> Found | None:
        """Our message in the outbox (unread yet) or among the sent ones, newer than the baseline."""
        baseline = int(note.get("baseline", 0))
        for folder in ("outbox", "sentbox"):
            for message in list_folder(self.forum, folder):
                if message.id is None or message.id <= baseline or message.subject != " ".join(self.subject[:120].split()):
                    continue
                if message.bbcode is not None:
                    if same_source(self.text, message.bbcode):
                        return Found((message.id,))
                    continue
                shown = read_message(self.forum, message.id, folder)
                if same_visible(self.text, shown.html):
                    return Found((message.id,))
        return None

    def prepare(self, note: Mapping[str, Any], again: FormAgain | None) -> Sendable:
        """The compose form with recipients resolved to ids; names are never sent together with the button."""
        if again is not None:
            form, fetched = again.form, self.forum.now()
        else:
            form, page, _ = self.forum.form(self.forum.address("ucp.php", i="pm", mode="compose"))
            form, fetched = self._resolve(form, page.fetched)
        if "baseline" in note:
            baseline = int(note["baseline"])
        else:
            newest = [m.id for folder in ("outbox", "sentbox") for m in list_folder(self.forum, folder) if m.id is not None]
            baseline = max(newest, default=0)
        ready = form.having(subject=self.subject, message=stored_form(self.text), username_list="")
        return Sendable(ready, fetched, {"baseline": baseline})

    def _resolve(self, form: Form, fetched: datetime) -> tuple[Form, datetime]:
        gone = (self.forum.now() - fetched).total_seconds()
        self.forum.transport.clock.sleep(self.forum.transport.manners.form_wait - gone)
        filled = form.having(username_list="\n".join(self.to), subject=self.subject, message=stored_form(self.text))
        button = "add_to" if "add_to" in form.buttons else "post"
        page = self.forum.transport.post(filled.action, filled.pressed(button))
        answer = read_answer(page)
        if isinstance(answer, SessionLost):
            self.forum.relogin()
            raise errors.Unreachable("сеанс кончился", where=page.url)
        if isinstance(answer, Refused):
            raise answer.error
        if isinstance(answer, FormAgain):
            found = [name for name, _ in answer.form.fields if name.startswith("address_list[")]
            if answer.error is not None and not answer.flood and not (answer.token and found):
                raise answer.error
            missing = len(self.to) - len(found)
            if missing > 0:
                # phpBB drops unknown names silently when another one exists.
                names = {joined_text(tag) for tag in answer.soup.select(".recipients a, .recipients li")}
                lost = [name for name in self.to if name not in names]
                raise errors.NoSuchUser(", ".join(lost or self.to), where=page.url)
            return answer.form, page.fetched
        raise errors.FormRejected("форум отправил сообщение вместо поиска получателя", where=page.url)

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
        """The success page names the new message; its subject is read back."""
        if answer.message_id is not None and answer.message_id > int(note.get("baseline", 0)):
            return Found((answer.message_id,))
        return self.look(note)


def list_folder(forum: PhpBB3, folder: str, *, after: int = 0) -> list[PrivateMessage]:
    """A folder's first page, newest first, with exact texts and times where the board's XML export gives them; the export is
    asked for only if there is a message newer than `after`."""
    page, soup = forum.fetch(forum.address("ucp.php", i="pm", folder=folder))
    zone = zone_of(Document(page.text))
    listed: list[PrivateMessage] = []
    for row in soup.select("ul.pmlist li.row"):
        link = row.select_one("a.topictitle")
        message_id = number(attribute(link, "href"), "p") if link is not None else None
        if link is None or message_id is None:
            continue
        users = row.select(".username, .username-coloured")
        text = text_of(row)
        moment = read_time(text.rsplit("»", 1)[-1], zone=zone, now=page.fetched)
        sender = users[0] if users else None
        listed.append(
            PrivateMessage(
                id=message_id,
                sender=joined_text(sender),
                sender_id=user_id(sender),
                subject=joined_text(link),
                time=moment.time if moment else None,
                recipients=tuple(joined_text(user) for user in users) if folder != "inbox" else (),
                unread=row.select_one(".pm_unread") is not None,
            )
        )
    form = form_with(soup, page.url, "export_option", "submit_export")
    if form is None or not any(message.id > after for message in listed if message.id is not None):
        return listed
    return _with_texts(forum, listed, form)


def _with_texts(forum: PhpBB3, listed: list[PrivateMessage], form: Form) -> list[PrivateMessage]:
    """Adds the exported texts. The export has no ids: used only where it is the same list in the same order."""
    gone = forum.transport.manners.form_wait
    forum.transport.clock.sleep(gone)
    try:
        page = forum.transport.post(form.action, form.having(export_option="XML").pressed("submit_export"))
    except errors.Unreachable:
        return listed
    if "<privmsg>" not in page.text:
        return listed
    items = BeautifulSoup(page.text, "xml").find_all("privmsg")
    if len(items) != len(listed):
        return listed
    out = []
    for message, item in zip(listed, items, strict=True):
        fields = {name: tag.get_text() for name in ("subject", "date", "message") if isinstance(tag := item.find(name), Tag)}
        # Emoji in subjects are exported as numeric references.
        if " ".join(html_entities.unescape(fields.get("subject", "")).split()) != message.subject:
            return listed
        moment = read_time(fields.get("date", ""))
        out.append(replace(message, bbcode=stored_form(fields.get("message", "")), time=moment.time if moment else message.time))
    return out


def read_message(forum: PhpBB3, message_id: int, folder: str = "inbox") -> PrivateMessage:
    """One message with its text (and source, where the page shows its history's)."""
    number_of = {"inbox": 0, "outbox": -2, "sentbox": -1}
    page, soup = forum.fetch(forum.address("ucp.php", i="pm", mode="view", f=number_of.get(folder), p=message_id))
    box = soup.find("div", id=f"post-{message_id}") or soup.select_one("div.post.pm, div.post")
    if not isinstance(box, Tag):
        raise errors.NotFound(where=page.url)
    head = box.select_one("p.author")
    body = box.select_one("div.content")
    users = head.select("a[href*='viewprofile'], .username, .username-coloured") if head is not None else []
    seen: dict[str, Tag] = {}
    for user in users:
        seen.setdefault(joined_text(user), user)
    names = list(seen)
    moment = read_time(
        re.sub(r"^.*?(?:Отправлено|Sent):", "", text_of(head)), zone=zone_of(Document(page.text)), now=page.fetched
    )
    title = box.select_one("h3")
    return PrivateMessage(
        id=message_id,
        sender=names[0] if names else "",
        sender_id=user_id(seen[names[0]]) if names else None,
        subject=joined_text(title),
        time=moment.time if moment else None,
        html=inner_html(body) if body is not None else "",
        bbcode=_source(soup, message_id),
        recipients=tuple(names[1:]),
    )


def _source(soup: BeautifulSoup, message_id: int) -> str | None:
    tag = soup.find(id=f"message_{message_id}")
    return stored_form(tag.get_text()) if isinstance(tag, Tag) else None
