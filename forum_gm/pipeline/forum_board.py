"""The pipeline's board over a forum client: posts with their source, edits, inbox, and writes by key."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from forum_gm.forums.base import Forum, Post, Reader, Topic, Upload, Visibility
from forum_gm.forums.clock import Clock
from forum_gm.forums.errors import (
    AttachmentRefused,
    BadInput,
    EditConflict,
    EditTimeOver,
    ForumError,
    InboxFull,
    NoSuchUser,
    TooLong,
    Unsupported,
)
from forum_gm.forums.errors import Undecided as ForumUndecided
from forum_gm.pipeline.board import BoardTrouble, Refused, Rights, Seen, SeenPost, Undecided, Writing


class ForumBoard:
    """A `forums.base.Forum` as a `Board`. Every forum error comes out as one of the board's, with its sentence."""

    def __init__(
        self, forum: Forum, clock: Clock, *, account_id: str = "", bbcode: bool = True, authors: Collection[str] = ()
    ) -> None:
        """`bbcode`: the exact source is read where the account may see it, for posts of these `authors` (ids) only, since it may
        cost a request each."""
        self._authors = authors
        self._forum = forum
        self._clock = clock
        self._account = account_id
        self._bbcode = bbcode

    @property
    def account_id(self) -> str:
        """The bot's own account."""
        return self._account or str(self._forum.user_id or "")

    def read(self, topic: int, cursor: Mapping[str, Any], reread_from: int | None) -> Seen:
        """New posts of a topic, and again those from `reread_from` on."""
        return _read(self._forum, topic, cursor, reread_from, self._source)

    def rights(self, topic: int) -> Rights:
        """What the account may do in a topic."""
        try:
            seen = self._forum.look_at(topic)
        except ForumError as error:
            raise _translated(error) from error
        why = "тема закрыта" if seen.locked else "" if seen.logged_in else "вход не выполнен"
        return Rights(seen.title, seen.posts, seen.may_reply, seen.may_attach, seen.guarded, seen.sees_sources, why)

    def older(self, topic: int, known: Collection[int]) -> Seen:
        """What appeared among the old posts of a topic."""
        return _older(self._forum, topic, known, self._source)

    def _source(self, post: Post) -> str | None:
        if post.bbcode is None and self._bbcode and str(post.author_id or "") in self._authors:
            return self._forum.read_source(post.id)
        return post.bbcode

    def inbox(self, cursor: Mapping[str, Any]) -> Seen:
        """Messages newer than the last one read. Reading one marks it read."""
        last = int(cursor.get("last", 0))
        posts: list[SeenPost] = []
        try:
            for listed in sorted(self._forum.messages("inbox", after=last), key=lambda m: m.id or 0):
                if listed.id is None or listed.id <= last:
                    continue
                message = self._forum.read_message(listed.id)
                # The list is exported with exact times and sources; the message's own page shows minutes.
                when = listed.time or message.time or self._clock.now()
                source = (listed.bbcode or message.bbcode) if self._bbcode else None
                posts.append(
                    SeenPost(
                        listed.id,
                        str(message.sender_id or ""),
                        message.sender,
                        when,
                        "html" if source is None else "bbcode",
                        message.html if source is None else source,
                    )
                )
        except ForumError as error:
            raise _translated(error) from error
        return Seen(tuple(posts), {"last": max([last, *(post.board_id for post in posts)])})

    def write(self, writing: Writing) -> int:
        """Writes once; the client's journal remembers the key."""
        uploads = [Upload(file.name, file.content) for file in writing.attachments]
        try:
            if writing.action == "message":
                names = [name for _, name in writing.accounts]
                done = self._forum.send_message(writing.key, names, writing.subject, writing.body)
            elif writing.action == "edit":
                done = self._forum.edit(writing.key, writing.post, writing.body, uploads=uploads)
            else:
                done = self._forum.reply(writing.key, writing.topic, writing.body, subject=writing.subject, uploads=uploads)
        except ForumError as error:
            raise _translated(error) from error
        return done.id or (writing.post if writing.action == "edit" else 0)


class ReadOnlyBoard:
    """A board that is only read, as a guest, by a profile: what would be posted is left to the GM."""

    def __init__(self, reader: Reader, *, account_id: str = "") -> None:
        """`account_id`: the account under which the GM posts the results by hand; its posts are never orders."""
        self._reader = reader
        self.account_id = account_id

    def read(self, topic: int, cursor: Mapping[str, Any], reread_from: int | None) -> Seen:
        """New posts of a topic, and again those from `reread_from` on."""
        return _read(self._reader, topic, cursor, reread_from, lambda post: post.bbcode)

    def rights(self, topic: int) -> Rights:
        """A guest only reads."""
        try:
            seen = self._reader.read_topic(topic)
        except ForumError as error:
            raise _translated(error) from error
        return Rights(seen.title, len(seen.posts), False, why="этот движок программа только читает")

    def older(self, topic: int, known: Collection[int]) -> Seen:
        """What appeared among the old posts of a topic."""
        return _older(self._reader, topic, known, lambda post: post.bbcode)

    def inbox(self, cursor: Mapping[str, Any]) -> Seen:
        """A guest has no messages."""
        return Seen((), dict(cursor))

    def write(self, writing: Writing) -> int:
        """Always refused."""
        raise Refused("Этот форум программа только читает: опубликуйте текст сами и отметьте, что он дошёл.")


def _read(
    reader: Reader, topic: int, cursor: Mapping[str, Any], reread_from: int | None, source_of: Callable[[Post], str | None]
) -> Seen:
    last = int(cursor.get("last", 0))
    after = last if reread_from is None else min(last, reread_from - 1)
    try:
        read: Topic = reader.read_topic(topic, after=after or None)
        shown = [post for post in read.posts if post.id > after and post.visibility is Visibility.APPROVED]
        posts = [_seen(post, source_of(post)) for post in shown]
    except ForumError as error:
        raise _translated(error) from error
    whole = after + 1 if reread_from is not None and not read.missing else None
    before, total = cursor.get("total"), read.total
    news = sum(post.id > last for post in shown)
    more = bool(after) and before is not None and total is not None and total - before > news
    newest = {"last": max([last, *(post.id for post in shown)])}
    return Seen(tuple(posts), newest if total is None else {**newest, "total": total}, whole, more)


def _older(reader: Reader, topic: int, known: Collection[int], source_of: Callable[[Post], str | None]) -> Seen:
    try:
        read = reader.read_topic(topic)
        shown = [post for post in read.posts if post.id not in known and post.visibility is Visibility.APPROVED]
        return Seen(tuple(_seen(post, source_of(post)) for post in shown), {})
    except ForumError as error:
        raise _translated(error) from error


def _seen(post: Post, source: str | None) -> SeenPost:
    edited = post.edited
    return SeenPost(
        post.id,
        str(post.author_id or ""),
        post.author,
        post.time,
        "html" if source is None else "bbcode",
        post.html if source is None else source,
        edited.count if edited else 0,
        edited.time if edited else None,
        (edited.by or None) if edited else None,
    )


CONTENT = (
    BadInput,
    TooLong,
    AttachmentRefused,
    NoSuchUser,
    InboxFull,
    EditConflict,
    EditTimeOver,
    Unsupported,
)
"""Refusals of this very text, file or recipient: sending it again would end the same way, other writes may go on."""


def _translated(error: ForumError) -> BoardTrouble:
    if isinstance(error, ForumUndecided):
        return Undecided(str(error))
    return Refused(str(error)) if isinstance(error, CONTENT) else BoardTrouble(str(error))
