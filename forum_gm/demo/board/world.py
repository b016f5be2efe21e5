"""The embedded board's state, and what people do on it behind the scenes: registering, posting, editing at given times."""

from __future__ import annotations

import hashlib
import threading
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from forum_gm.demo.board.faults import Faults
from forum_gm.demo.board.model import BoardSettings, EditMark, Entry, Letter, Poll, Room, Stored, Thread, User
from forum_gm.forums.clock import Clock, RealClock
from forum_gm.forums.sources import stored_form

GUEST = 1


class World:
    """Everything on the board. Its methods are the seeding API; clients come through `web.Site`."""

    def __init__(self, settings: BoardSettings | None = None, clock: Clock | None = None) -> None:
        self.settings = settings or BoardSettings()
        self.clock: Clock = clock or RealClock()
        self.faults = Faults()
        self.lock = threading.RLock()
        self.users: dict[int, User] = {}
        self.rooms: dict[int, Room] = {}
        self.threads: dict[int, Thread] = {}
        self.entries: dict[int, Entry] = {}
        self.files: dict[int, Stored] = {}
        self.letters: dict[int, Letter] = {}
        self._next_user = 2

    # -- seeding ------------------------------------------------------------------------------------------------------

    def account(
        self,
        name: str,
        password: str = "",
        *,
        moderator: bool = False,
        newcomer: bool = False,
        no_flood: bool = False,
        colour: str = "",
    ) -> int:
        """Registers somebody; returns the account's id."""
        with self.lock:
            user = User(self._next_user, name, password, moderator, newcomer, no_flood, colour=colour)
            self._next_user += 1
            self.users[user.id] = user
            return user.id

    def room(
        self, title: str, about: str = "", *, members: Sequence[int] | None = None, writers: Sequence[int] | None = None
    ) -> int:
        """Opens a forum; returns its id. `members`: a hidden one."""
        with self.lock:
            room = Room(
                len(self.rooms) + 1,
                title,
                about,
                frozenset(members) if members is not None else None,
                frozenset(writers) if writers is not None else None,
            )
            self.rooms[room.id] = room
            return room.id

    def topic(
        self, author: int, title: str, text: str, *, room: int = 1, time: datetime | None = None, poll: Poll | None = None
    ) -> int:
        """Starts a topic; returns its id."""
        with self.lock:
            if room not in self.rooms:
                self.room("Партии", "Идущие игры")
            thread = Thread(len(self.threads) + 1, room, stored_form(title)[:120], poll=poll)
            self.threads[thread.id] = thread
            self.post(author, thread.id, text, subject=title, time=time)
            return thread.id

    def post(
        self,
        author: int,
        topic: int,
        text: str,
        *,
        subject: str | None = None,
        time: datetime | None = None,
        approved: bool = True,
        files: Sequence[tuple[str, bytes, str]] = (),
    ) -> int:
        """Posts in a topic, now or at a given time; returns the post's id. `files`: (name, content, comment)."""
        with self.lock:
            thread = self.threads[topic]
            first = not any(entry.thread == topic for entry in self.entries.values())
            title = subject if subject is not None else (thread.title if first else f"Re: {thread.title}")
            moment = (time or self.clock.now()).astimezone(UTC).replace(microsecond=0)
            entry = Entry(
                self.next_entry(), topic, author, moment, stored_form(title)[:120], stored_form(text), approved=approved
            )
            for name, data, comment in files:
                stored = self.file(author, name, data, comment)
                stored.orphan = False
                entry.files.append(stored.id)
            self.entries[entry.id] = entry
            return entry.id

    def next_entry(self) -> int:
        """The id the next post gets; ids of deleted posts are never used again."""
        self._last_entry = max(getattr(self, "_last_entry", 0), max(self.entries, default=0)) + 1
        return self._last_entry

    def file(self, owner: int, name: str, data: bytes, comment: str = "") -> Stored:
        """Keeps a file."""
        with self.lock:
            stored = Stored(max(self.files, default=0) + 1, name, data, owner, comment)
            self.files[stored.id] = stored
            return stored

    def edit(
        self, author: int, post: int, text: str, *, time: datetime | None = None, reason: str = "", trace: bool | None = None
    ) -> None:
        """Edits a post. `trace`: whether a notice appears; None: as phpBB decides (none on the topic's last post)."""
        with self.lock:
            entry = self.entries[post]
            moment = (time or self.clock.now()).astimezone(UTC).replace(microsecond=0)
            entry.text = stored_form(text)
            own = author == entry.author
            shown = trace if trace is not None else ((own and not self.is_last(entry)) or (not own and bool(reason)))
            if shown:
                entry.edit = EditMark((entry.edit.count if entry.edit else 0) + 1, moment, author, reason)

    def delete(self, by: int, post: int, *, reason: str = "", soft: bool = False) -> None:
        """Deletes a post; softly: moderators go on seeing it."""
        with self.lock:
            entry = self.entries[post]
            if soft:
                entry.deleted_by, entry.deleted_at, entry.delete_reason = by, self.clock.now(), reason
            else:
                self._last_entry = max(getattr(self, "_last_entry", 0), post)
                del self.entries[post]

    def approve(self, post: int) -> None:
        """A moderator lets a waiting post appear; it keeps its id and time."""
        with self.lock:
            self.entries[post].approved = True

    def rename(self, user: int, name: str) -> None:
        """Somebody takes another name; the account stays the same."""
        with self.lock:
            self.users[user].name = name

    def move(self, topic: int, room: int) -> None:
        """Moves a topic to another forum; it keeps its id."""
        with self.lock:
            self.threads[topic].room = room

    def split(self, posts: Sequence[int], title: str) -> int:
        """Makes a topic of its own of some posts, in the same forum; returns its id."""
        with self.lock:
            room = self.threads[self.entries[posts[0]].thread].room
            thread = Thread(len(self.threads) + 1, room, stored_form(title)[:120])
            self.threads[thread.id] = thread
            for post in posts:
                self.entries[post].thread = thread.id
            return thread.id

    def merge(self, topic: int, into: int) -> None:
        """Puts all posts of a topic into another one; the emptied topic is gone."""
        with self.lock:
            for entry in self.entries.values():
                if entry.thread == topic:
                    entry.thread = into
            self.threads[topic].moved_to = into

    def message(
        self, author: int, to: int | Sequence[int], text: str, subject: str = "Приказ", *, time: datetime | None = None
    ) -> int:
        """Sends a private message; returns its id."""
        with self.lock:
            recipients = (to,) if isinstance(to, int) else tuple(to)
            moment = (time or self.clock.now()).astimezone(UTC).replace(microsecond=0)
            letter = Letter(
                max(self.letters, default=0) + 1,
                author,
                recipients,
                moment,
                stored_form(subject)[:120],
                stored_form(text),
                unread=set(recipients),
            )
            self.letters[letter.id] = letter
            return letter.id

    # -- looking ------------------------------------------------------------------------------------------------------

    def user_named(self, name: str) -> User | None:
        """An account by name, in any case."""
        wanted = unicodedata.normalize("NFC", name.strip()).casefold()
        return next((user for user in self.users.values() if user.name.casefold() == wanted), None)

    def name_of(self, user: int) -> str:
        """A display name; «Гость» for nobody."""
        return self.users[user].name if user in self.users else "Гость"

    def may_read(self, room: Room, user: int) -> bool:
        """Hidden forums are for their members and the moderators."""
        return room.members is None or user in room.members or (user in self.users and self.users[user].moderator)

    def may_write(self, room: Room, user: int) -> bool:
        """Members only, and where the forum names its writers, those."""
        return user in self.users and self.may_read(room, user) and (room.writers is None or user in room.writers)

    def seen_in(self, thread: Thread, user: int) -> list[Entry]:
        """The posts of a topic that somebody sees, oldest first."""
        moderator = user in self.users and self.users[user].moderator
        found = [
            entry
            for entry in self.entries.values()
            if entry.thread == thread.id
            and (
                moderator
                or (
                    entry.deleted_by is None
                    and (entry.approved or (self.settings.own_queue and entry.author == user and user != GUEST))
                )
            )
        ]
        return sorted(found, key=lambda entry: (entry.time, entry.id))

    def approved_in(self, thread: Thread) -> list[Entry]:
        """The posts everybody sees."""
        return self.seen_in(thread, GUEST)

    def last_of(self, thread: Thread) -> Entry | None:
        """The last post everybody sees."""
        entries = self.approved_in(thread)
        return entries[-1] if entries else None

    def is_last(self, entry: Entry) -> bool:
        """Whether it is the last of its topic."""
        last = self.last_of(self.threads[entry.thread])
        return last is None or last.id == entry.id

    def review_on(self, room: Room) -> bool:
        """Whether post review is on in a forum."""
        return self.settings.review if room.review is None else room.review

    def letters_of(self, user: int, folder: str) -> list[Letter]:
        """Messages of a box, newest first."""
        found = []
        for letter in self.letters.values():
            if user in letter.deleted_for:
                continue
            if folder == "inbox" and user in letter.to:
                found.append(letter)
            if letter.author == user and ((folder == "outbox" and letter.unread) or (folder == "sentbox" and not letter.unread)):
                found.append(letter)
        return sorted(found, key=lambda letter: -letter.id)

    def wait_left(self, user: User) -> float:
        """Seconds until the flood interval is over."""
        if user.no_flood or user.last_written is None:
            return 0.0
        gone = self.clock.now() - user.last_written
        return max(0.0, (timedelta(seconds=self.settings.flood) - gone).total_seconds())

    def files_size(self) -> int:
        """Bytes of all files that are in use."""
        return sum(len(stored.data) for stored in self.files.values() if not stored.orphan)

    # -- keeping ------------------------------------------------------------------------------------------------------

    def export_topic(self, topic: int, path: Path) -> list[Path]:
        """Saves a topic as one standalone HTML file with its attachments beside it; returns the files written."""
        from forum_gm.demo.board.export import export_topic

        with self.lock:
            return export_topic(self, topic, path)


def token(created: int, salt: str, form: str) -> str:
    """A form's token."""
    return hashlib.sha1(f"{created}{salt}{form}".encode()).hexdigest()
