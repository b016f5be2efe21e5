"""phpBB 2.0 (subSilver, Russian boards in windows-1251): reading, logging in and posting in the board's character set."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

from forum_gm.forums import subsilver
from forum_gm.forums.addresses import number
from forum_gm.forums.base import PrivateMessage, Upload, Written
from forum_gm.forums.charset import fit
from forum_gm.forums.document import Document
from forum_gm.forums.errors import Unsupported
from forum_gm.forums.journal import Journal
from forum_gm.forums.markup import attribute, joined_text
from forum_gm.forums.phpbb3 import PhpBB3
from forum_gm.forums.topicpage import Context, TopicPage
from forum_gm.forums.transport import Page, Transport


class PhpBB2(PhpBB3):
    """One account (or a guest) on a phpBB 2 board. No post review, no files: a lost answer that no look settles asks the GM."""

    engine = "phpbb2"
    guarded_replies = False

    def __init__(
        self,
        url: str,
        *,
        user: str = "",
        password: str = "",
        transport: Transport | None = None,
        journal: Journal | None = None,
        max_chars: int = 60_000,
        forum_id: int | None = None,
        encoding: str = "windows-1251",
    ) -> None:
        transport = transport or Transport()
        transport.encoding = encoding
        self.encoding = encoding
        super().__init__(
            url, user=user, password=password, transport=transport, journal=journal, max_chars=max_chars, forum_id=forum_id
        )

    # -- addresses ----------------------------------------------------------------------------------------------------

    def topic_address(self, topic_id: int, start: int = 0) -> str:
        """A page of a topic, oldest first."""
        return self.address("viewtopic.php", t=topic_id, postdays=0, postorder="asc", start=start or None)

    def newest_address(self, topic_id: int, start: int = 0) -> str:
        """A page of a topic, newest first."""
        return self.address("viewtopic.php", t=topic_id, postdays=0, postorder="desc", start=start or None)

    def post_address(self, post_id: int) -> str:
        """The page that holds a post."""
        return self.address("viewtopic.php", p=post_id, postorder="asc")

    def reply_address(self, topic_id: int) -> str:
        """The reply form."""
        return self.address("posting.php", mode="reply", t=topic_id)

    def new_topic_address(self, forum_id: int) -> str:
        """The form of a new topic."""
        return self.address("posting.php", mode="newtopic", f=forum_id)

    def edit_address(self, post_id: int) -> str:
        """The edit form."""
        return self.address("posting.php", mode="editpost", p=post_id)

    def quote_address(self, post_id: int) -> str:
        """The quote form."""
        return self.address("posting.php", mode="quote", p=post_id)

    def login_address(self) -> str:
        """The login form."""
        return self.address("login.php")

    # -- reading ------------------------------------------------------------------------------------------------------

    def parse(self, page: Page, document: Document) -> TopicPage:
        """A fetched topic page."""
        return subsilver.parse(document, Context(page.url, page.fetched))

    @property
    def user_id(self) -> int | None:
        """Our account's id, from the serialised cookie; else learned at login."""
        if self._user_id is None and (about := self.transport.cookie("_data")):
            match = re.search(r'"userid";(?:s:\d+:"|i:)(\d+)', unquote(about))
            if match and int(match[1]) > 1:
                self._user_id = int(match[1])
        return self._user_id

    def relogin(self) -> None:
        """Logs in and learns our account's id."""
        super().relogin()
        if self.user_id is not None:
            return
        _, soup = self._fetch(self.address("index.php"))
        links = soup.select("a[href*='mode=viewprofile'], a[href*='mode=editprofile']")
        own = [
            found
            for link in links
            if (found := number(attribute(link, "href"), "u")) is not None and joined_text(link) == self._user
        ]
        self._user_id = own[0] if own else None

    def _newest(self, topic_id: int, after: int) -> tuple[list[TopicPage], bool]:
        # A `start` past the end is an error here, so the way goes from the newest post back.
        pages = [self.page_at(self.newest_address(topic_id))]
        while min(post.id for post in pages[-1].posts) > after and pages[-1].next_start is not None:
            pages.append(self.page_at(self.newest_address(topic_id, pages[-1].next_start)))
        return pages, pages[-1].next_start is None

    # -- writing ------------------------------------------------------------------------------------------------------

    def reply(self, key: str, topic_id: int, text: str, *, subject: str = "", uploads: Sequence[Upload] = ()) -> Written:
        """Posts a reply in the board's character set."""
        self._no_files(uploads)
        return super().reply(key, topic_id, self.fit(text), subject=self.fit(subject))

    def new_topic(self, key: str, forum_id: int, subject: str, text: str, *, uploads: Sequence[Upload] = ()) -> Written:
        """Starts a topic in the board's character set."""
        self._no_files(uploads)
        return super().new_topic(key, forum_id, self.fit(subject), self.fit(text))

    def edit(self, key: str, post_id: int, text: str, *, subject: str | None = None, uploads: Sequence[Upload] = ()) -> Written:
        """Edits a post in the board's character set."""
        self._no_files(uploads)
        return super().edit(key, post_id, self.fit(text), subject=None if subject is None else self.fit(subject))

    def fit(self, text: str) -> str:
        """The text with what the board can't hold replaced."""
        return fit(text, self.encoding)

    def _no_files(self, uploads: Sequence[Upload]) -> None:
        if uploads:
            raise Unsupported("на phpBB 2 нет вложений: включите ссылки на архив (board.attachments = false)")

    def set_pinned(self, key: str, topic_id: int, pinned: bool) -> Written:
        """Not here."""
        raise Unsupported

    def set_locked(self, key: str, topic_id: int, locked: bool) -> Written:
        """Not here."""
        raise Unsupported

    # -- private messages ---------------------------------------------------------------------------------------------

    def send_message(self, key: str, to: Sequence[str], subject: str, text: str) -> Written:
        """One message to one user (phpBB 2 takes a single name); several recipients get one message each."""
        from forum_gm.forums.phpbb2_messages import MessageJob2

        ids: list[int] = []
        for index, name in enumerate(to):
            job = MessageJob2(self, f"{key}@{index + 1}" if len(to) > 1 else key, name, self.fit(subject), self.fit(text))
            ids.extend(self.writer.run(job).ids)
        return Written(tuple(ids))

    def messages(self, folder: str = "inbox", *, after: int = 0) -> list[PrivateMessage]:
        """The first page of a folder."""
        from forum_gm.forums.phpbb2_messages import list_folder2

        return list_folder2(self, folder)

    def read_message(self, message_id: int) -> PrivateMessage:
        """One message of the inbox; marks it read."""
        from forum_gm.forums.phpbb2_messages import read_message2

        return read_message2(self, message_id)
