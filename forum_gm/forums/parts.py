"""A text that is too long for the board, written as several numbered posts or messages, each exactly once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from forum_gm.forums.base import Written
from forum_gm.forums.errors import TooLong
from forum_gm.forums.journal import Journal, Phase, Record, WriteKind, digest
from forum_gm.forums.sources import split_source

One = Callable[[str, str, int], Written]
"""(key, text, index from 0) -> what it left."""


def write_in_parts(journal: Journal, key: str, what: str, target: str, text: str, limit: int, one: One) -> Written:
    """Writes `text` whole under `key`, or in parts under `key#1`, `key#2` … when it is longer than the board takes.

    The limit is stored with the first part, so that another run cuts at the same places, even with another configuration."""
    record = journal.find(key)
    if record is not None and record.kind is WriteKind.PARTS:
        if record.phase is Phase.DONE:
            return record.written()
        return _parts(journal, record, text, one)
    if record is not None or len(text) <= limit:
        try:
            return one(key, text, 0)
        except TooLong as error:
            if error.limit is None or error.limit >= len(text) or error.limit < 400:
                raise
            limit = error.limit
    record = Record(key, WriteKind.PARTS, target, what, digest(text), note={"limit": limit})
    journal.save(record)
    return _parts(journal, record, text, one)


def _parts(journal: Journal, record: Record, text: str, one: One) -> Written:
    if record.digest != digest(text):
        raise ValueError(f"key {record.key!r} was used for another content")
    pieces = split_source(text, int(record.note["limit"]))
    ids: list[int] = []
    awaiting = False
    topic: int | None = None
    for index, piece in enumerate(pieces):
        done = one(f"{record.key}#{index + 1}", piece, index)
        ids.extend(done.ids)
        awaiting = awaiting or done.awaiting_approval
        topic = topic or done.topic_id
    record = replace(record, phase=Phase.DONE, ids=tuple(ids), awaiting_approval=awaiting, topic_id=topic)
    journal.save(record)
    return record.written()
