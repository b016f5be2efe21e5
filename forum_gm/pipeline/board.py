"""What the pipeline needs of a forum: read what is new, write exactly once. Filled by `forum_gm.forums` and by the tests."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from forum_gm.errors import ForumGmError


class BoardTrouble(ForumGmError):
    """The board can't be used now; try again later. One Russian sentence."""


class Undecided(BoardTrouble):
    """A write may or may not have arrived, and nothing on the board tells: the GM has to look."""


class Refused(BoardTrouble):
    """The board refuses this write for good; the GM has to do something about it."""


@dataclass(frozen=True, slots=True)
class SeenPost:
    """A post or message as read."""

    board_id: int
    author_id: str
    author_name: str
    posted_at: datetime
    format: str
    """`bbcode`, `html` or `text`."""
    source: str
    edit_count: int = 0
    edited_at: datetime | None = None
    edited_by: str | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """One look at a channel."""

    posts: tuple[SeenPost, ...]
    cursor: Mapping[str, Any]
    """Where to go on next time."""
    whole_from: int | None = None
    """Every post with at least this id was seen: one that is missing is gone. None: can't be told."""
    more: bool = False
    """The board counts more posts than that: some appeared among the old ones (approved late, moved here); see `Board.older`."""


@dataclass(frozen=True, slots=True)
class Rights:
    """What the service may do in a topic."""

    title: str
    posts: int
    """On the first page."""
    write: bool
    attach: bool = False
    guarded: bool = False
    """The board itself keeps a reply from being stored twice."""
    sources: bool = False
    """The exact BBCode of posts can be read."""
    why: str = ""
    """Why not to write, where it is known."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file to be attached."""

    name: str
    media: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Writing:
    """Something to write. The same `key` is never written twice."""

    key: str
    action: str
    """`reply` (to `topic`), `edit` (of `post`) or `message` (to `accounts`)."""
    subject: str
    body: str
    topic: int = 0
    post: int = 0
    accounts: tuple[tuple[str, str], ...] = ()
    """(id, name) of the recipients."""
    attachments: Sequence[Attachment] = ()


class Board(Protocol):
    """A forum as the pipeline sees it."""

    @property
    def account_id(self) -> str:
        """The bot's own account; empty: a guest."""
        ...

    def read(self, topic: int, cursor: Mapping[str, Any], reread_from: int | None) -> Seen:
        """The posts of a topic that came since `cursor`; with `reread_from`, also all posts from that id on, for their edits.
        Raises `BoardTrouble`."""
        ...

    def rights(self, topic: int) -> Rights:
        """What may be done in a topic. Changes nothing. Raises `BoardTrouble`."""
        ...

    def older(self, topic: int, known: Collection[int]) -> Seen:
        """The posts of a whole topic whose ids aren't `known`. Raises `BoardTrouble`."""
        ...

    def inbox(self, cursor: Mapping[str, Any]) -> Seen:
        """New private messages. Raises `BoardTrouble`."""
        ...

    def write(self, writing: Writing) -> int:
        """Writes exactly once, however often it is called with the same key, and returns the post's id (0 for a message whose
        id isn't told). Raises `BoardTrouble`, `Undecided`, `Refused`."""
        ...
