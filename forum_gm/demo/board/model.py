"""What the embedded board keeps: people, forums, topics, posts, files, messages, sessions; and its settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(slots=True)
class BoardSettings:
    """How the board behaves. Times in seconds of the board's clock."""

    name: str = "Застольный форум"
    motto: str = "Стратегии по переписке: партии, приказы, летописи"
    engine: str = "3.3"
    """Whose face and habits: phpBB `3.3`, `3.0` (no machine-readable times, success pages instead of redirects) or `2.0`
    (subSilver in windows-1251, no tokens, no post review, no files)."""
    per_page: int = 10
    form_age: int = 1
    """A form sent back younger than this is refused, as phpBB does."""
    token_life: int = 7200
    flood: int = 15
    """Least time between two posts or messages of one account (shared)."""
    review: bool = True
    """The «somebody posted in between» page."""
    own_queue: bool = True
    """Authors see their own posts that await approval (phpBB 3.3; older ones show them to moderators only)."""
    max_chars: int = 60_000
    max_file: int = 256 * 1024
    max_files: int = 5
    quota: int | None = None
    """Bytes of all attachments together."""
    extensions: tuple[str, ...] = ("png", "jpg", "jpeg", "gif", "txt", "pdf", "zip", "toml", "csv")
    inbox: int = 50
    """Messages a box holds."""
    login_attempts: int = 3
    """Wrong passwords before the captcha."""
    edit_minutes: int = 0
    """How long a post may be edited; 0: for ever."""
    custom_tags: tuple[str, ...] = ("spoiler", "table")
    """BBCodes beyond phpBB's own that the board knows."""
    zone_hours: int = 3
    """Zone of the dates as text."""
    relative_dates: bool = False
    """«Сегодня», «Вчера», «5 минут назад»."""
    maintenance: bool = False
    hold: float = 60.0
    """Real seconds a request hangs when a fault lets the client wait for nothing."""

    @property
    def old(self) -> bool:
        """phpBB 2."""
        return self.engine == "2.0"

    @property
    def encoding(self) -> str:
        """The character set of pages and forms."""
        return "windows-1251" if self.old else "utf-8"


@dataclass(slots=True)
class User:
    """An account."""

    id: int
    name: str
    password: str
    moderator: bool = False
    newcomer: bool = False
    """Posts wait for approval."""
    no_flood: bool = False
    banned: bool = False
    newest_first: bool = False
    signature: str = ""
    colour: str = ""
    wrong_passwords: int = 0
    last_written: datetime | None = None
    ignores: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Room:
    """A forum of the board."""

    id: int
    title: str
    about: str = ""
    members: frozenset[int] | None = None
    """Who may see it; None: everybody."""
    writers: frozenset[int] | None = None
    """Who may write in it; None: every member."""
    locked: bool = False
    review: bool | None = None
    """Overrides the board's setting."""


@dataclass(slots=True)
class Poll:
    """A topic's poll."""

    question: str
    options: list[str]
    votes: dict[int, int] = field(default_factory=dict)
    """Account → option."""


@dataclass(slots=True)
class Thread:
    """A topic."""

    id: int
    room: int
    title: str
    locked: bool = False
    pinned: bool = False
    approved: bool = True
    deleted: bool = False
    moved_to: int | None = None
    """Merged into another topic."""
    poll: Poll | None = None


@dataclass(slots=True)
class Stored:
    """A file on the board."""

    id: int
    name: str
    data: bytes
    owner: int
    comment: str = ""
    orphan: bool = True


@dataclass(slots=True)
class EditMark:
    """The visible trace of edits."""

    count: int
    time: datetime
    by: int
    reason: str = ""


@dataclass(slots=True)
class Entry:
    """A post."""

    id: int
    thread: int
    author: int
    time: datetime
    subject: str
    text: str
    files: list[int] = field(default_factory=list)
    """In the order of `[attachment=N]`."""
    edit: EditMark | None = None
    approved: bool = True
    deleted_by: int | None = None
    deleted_at: datetime | None = None
    delete_reason: str = ""
    bbcode: bool = True


@dataclass(slots=True)
class Letter:
    """A private message."""

    id: int
    author: int
    to: tuple[int, ...]
    time: datetime
    subject: str
    text: str
    unread: set[int] = field(default_factory=set)
    deleted_for: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Visit:
    """A session."""

    sid: str
    user: int = 1
    """1: a guest."""
    salt: str = ""
