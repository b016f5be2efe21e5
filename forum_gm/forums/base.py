"""The small interface every forum engine serves: topics, posts, private messages, and writes that happen exactly once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class Visibility(StrEnum):
    """Whether everybody sees a post."""

    APPROVED = "approved"
    UNAPPROVED = "unapproved"
    """Waits for a moderator's approval; seen by moderators and its author."""
    DELETED = "deleted"
    """Softly deleted; seen by moderators."""


@dataclass(frozen=True, slots=True)
class Edit:
    """The board's notice below a post. No notice never proves that there was no edit."""

    count: int
    """How often, as the board counts."""
    time: datetime | None
    """When last, in UTC; None where the board does not say."""
    by: str
    """Who edited last; empty where the board does not say."""
    by_id: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote in a post: somebody's words, never the author's own orders."""

    author: str = ""
    author_id: int | None = None
    post_id: int | None = None
    text: str = ""
    """Its own text, without the quotes inside it."""
    quotes: tuple[Quote, ...] = ()
    """Quotes inside it, to any depth."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file below or inside a post."""

    name: str
    url: str
    """Absolute, without a session id."""
    comment: str = ""
    inline: bool = False


@dataclass(frozen=True, slots=True)
class PollOption:
    """One answer of a poll."""

    text: str
    votes: int | None = None
    """None where the board does not show it (yet)."""


@dataclass(frozen=True, slots=True)
class Poll:
    """A topic's poll."""

    question: str
    options: tuple[PollOption, ...]


@dataclass(frozen=True, slots=True)
class Post:
    """One post as the board showed it."""

    id: int
    author: str
    """Display name: proves nothing; see `author_id`."""
    author_id: int | None
    """None for guests, deleted accounts and engines that do not tell."""
    time: datetime
    """UTC."""
    html: str
    """The body as the board sent it (signature, attachments and notices apart)."""
    subject: str = ""
    time_step: int = 1
    """Seconds of exactness of `time`: 1, or 60 where the page shows minutes only; 0: unknown (the time of deletion)."""
    bbcode: str | None = None
    """The exact source, where it could be read."""
    edited: Edit | None = None
    quotes: tuple[Quote, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    visibility: Visibility = Visibility.APPROVED
    delete_reason: str = ""
    ignored: bool = False
    """Its author is on our ignore list; the body may be missing from the page."""
    topic_id: int | None = None
    forum_id: int | None = None


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic, or the part of it that was read."""

    id: int
    title: str
    posts: tuple[Post, ...]
    forum_id: int | None = None
    locked: bool = False
    pinned: bool = False
    total: int | None = None
    """Posts the board counts in the topic, for whoever may see approved ones only."""
    poll: Poll | None = None
    complete: bool = True
    """False: only a part was asked for."""
    requests: int = 0
    """Requests it cost."""
    missing: int = 0
    """Posts the board counts but shows on no page, even after looking twice (its paging bug)."""

    @property
    def last_id(self) -> int:
        """The highest post id, 0 for none."""
        return max((post.id for post in self.posts), default=0)

    def __iter__(self) -> Iterator[Post]:
        return iter(self.posts)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file to attach. A place for it in the text is written `[attachment]NAME[/attachment]`."""

    name: str
    data: bytes = field(repr=False)
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """What a write left on the board."""

    ids: tuple[int, ...]
    """Post or message ids, in order (several where a long text was split); empty where the board keeps them back for now."""
    topic_id: int | None = None
    awaiting_approval: bool = False
    """The board took it, but moderators must approve it first; the GM should know."""

    @property
    def id(self) -> int:
        """The first id; 0 if there is none yet."""
        return self.ids[0] if self.ids else 0


@dataclass(frozen=True, slots=True)
class PrivateMessage:
    """A private message. `id` is None where the board's list gives none."""

    id: int | None
    sender: str
    sender_id: int | None
    subject: str
    time: datetime | None
    html: str = ""
    bbcode: str | None = None
    recipients: tuple[str, ...] = ()
    unread: bool = False


@dataclass(frozen=True, slots=True)
class PageReport:
    """What a look at a topic shows of our rights in it, for `forum-gm check`."""

    engine: str
    posts: int
    """On its first page."""
    logged_in: bool
    may_reply: bool
    title: str = ""
    locked: bool = False
    may_attach: bool = False
    """The reply form takes files."""
    guarded: bool = False
    """The reply form carries the id that lets the board notice a second sending."""
    sees_sources: bool = False
    """The reply form shows the posts' BBCode."""


class Reader(Protocol):
    """What every engine can do."""

    engine: str

    def read_topic(self, topic_id: int, *, after: int | None = None) -> Topic:
        """All posts of a topic, oldest first.

        `after`: only posts with a higher id are wanted; a topic with nothing new costs one request.
        Raises `NotFound`, `Forbidden`, `LoginNeeded`, `NotATopic`, `Unreachable`, …
        """
        ...


class Forum(Reader, Protocol):
    """What an engine with a login can do. Every write takes a `key`: the same key is never written twice."""

    @property
    def user_id(self) -> int | None:
        """Our account's id once logged in."""
        ...

    def look_at(self, topic_id: int) -> PageReport:
        """What the account may do in a topic; nothing is changed. Two requests."""
        ...

    def login(self) -> None:
        """Logs in if needed, at most once a minute; `LoginFailed`, `LoginCaptcha`, `Banned`, `LoginTooSoon`."""
        ...

    def read_page_of(self, post_id: int) -> Topic:
        """The page that holds a post: the cheap way to look again at a post known by id."""
        ...

    def read_source(self, post_id: int) -> str | None:
        """The exact BBCode of a post, where the account may see it, else None."""
        ...

    def reply(self, key: str, topic_id: int, text: str, *, subject: str = "", uploads: Sequence[Upload] = ()) -> Written:
        """Posts a reply once; a text too long for the board becomes several numbered posts."""
        ...

    def new_topic(self, key: str, forum_id: int, subject: str, text: str, *, uploads: Sequence[Upload] = ()) -> Written:
        """Starts a topic once."""
        ...

    def edit(self, key: str, post_id: int, text: str, *, subject: str | None = None, uploads: Sequence[Upload] = ()) -> Written:
        """Makes a post's source this text, keeping its attachments and adding `uploads`."""
        ...

    def delete(self, key: str, post_id: int) -> Written:
        """Deletes an own post."""
        ...

    def send_message(self, key: str, to: Sequence[str], subject: str, text: str) -> Written:
        """Sends one private message to users by name, once."""
        ...

    def messages(self, folder: str = "inbox", *, after: int = 0) -> list[PrivateMessage]:
        """The first page of `inbox`, `outbox` or `sentbox`, newest first; does not mark anything read. `after`: texts
        are wanted of newer messages only, so a box with nothing new costs one request."""
        ...

    def read_message(self, message_id: int) -> PrivateMessage:
        """One message with its text; marks it read."""
        ...

    def set_locked(self, key: str, topic_id: int, locked: bool) -> Written:
        """Locks or unlocks a topic, where the account may."""
        ...

    def set_pinned(self, key: str, topic_id: int, pinned: bool) -> Written:
        """Pins or unpins a topic, where the account may."""
        ...
