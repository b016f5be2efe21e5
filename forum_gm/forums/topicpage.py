"""One page of a topic, whatever the style: what the parsers make and the readers put together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from forum_gm.forums.base import Poll, Post
from forum_gm.forums.document import Document


@dataclass(frozen=True, slots=True)
class TopicPage:
    """What one page of a topic holds."""

    engine: str
    topic_id: int | None
    title: str
    posts: tuple[Post, ...]
    forum_id: int | None = None
    locked: bool = False
    pinned: bool = False
    total: int | None = None
    """Posts of the topic as counted on the page."""
    start: int = 0
    """Offset of the first post of this page."""
    next_start: int | None = None
    """Offset of the next page; None on the last."""
    last_start: int = 0
    """Offset of the last page named by the pagination (at least `start`)."""
    per_page: int | None = None
    """Posts a page, where the pagination tells."""
    poll: Poll | None = None
    logged_in: bool = False
    may_reply: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """What a parser must know beside the page: where it came from and when."""

    url: str
    now: datetime | None = None
    """The moment it was fetched, for relative dates; None: unknown."""


PageParser = Callable[[Document, Context], TopicPage]
