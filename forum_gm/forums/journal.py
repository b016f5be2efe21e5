"""The memory of writes that makes «exactly once» survive a crash: an intent is stored before anything is sent (promise 4)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from forum_gm.forums.base import Written


class WriteKind(StrEnum):
    """What is written."""

    REPLY = "reply"
    TOPIC = "topic"
    EDIT = "edit"
    DELETE = "delete"
    MESSAGE = "message"
    LOCK = "lock"
    PIN = "pin"
    PARTS = "parts"
    """A long text as several replies or messages; each part has a record of its own."""


class Phase(StrEnum):
    """How far a write has come."""

    INTENDED = "intended"
    """Nothing is under way: it is safe to send."""
    SENDING = "sending"
    """A request was or is being sent and no answer is stored: the board may have carried it out."""
    UNDECIDED = "undecided"
    """Nothing could tell; the GM is asked."""
    DONE = "done"
    FAILED = "failed"
    """The board refused for good; nothing was written. Running it again tries again."""


@dataclass(frozen=True, slots=True)
class Record:
    """One write, as it must be stored. Plain values only: `to_json` and `from_json` lose nothing."""

    key: str
    """Names the write for ever, e.g. `campaign/step-3/report/public`."""
    kind: WriteKind
    target: str
    """Topic, post or forum id, or recipients."""
    what: str
    """For the GM, in Russian: «ответ в теме 12»."""
    digest: str
    """SHA-256 of the content; the same key with another content is refused."""
    phase: Phase = Phase.INTENDED
    sent_at: datetime | None = None
    """When the request under way was begun."""
    note: Mapping[str, Any] = field(default_factory=dict)
    """What recovery needs: baseline ids, `topic_cur_post_id` of the form sent, the length limit found …"""
    ids: tuple[int, ...] = ()
    topic_id: int | None = None
    awaiting_approval: bool = False
    error: str = ""
    """The last refusal's Russian sentence."""

    def written(self) -> Written:
        """The result, for a record that is done."""
        return Written(self.ids, self.topic_id, self.awaiting_approval)

    def with_note(self, **values: Any) -> Record:
        """The record with notes added."""
        return replace(self, note={**self.note, **values})

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "key": self.key,
            "kind": self.kind.value,
            "target": self.target,
            "what": self.what,
            "digest": self.digest,
            "phase": self.phase.value,
            "sent_at": self.sent_at.isoformat() if self.sent_at else None,
            "note": dict(self.note),
            "ids": list(self.ids),
            "topic_id": self.topic_id,
            "awaiting_approval": self.awaiting_approval,
            "error": self.error,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Record:
        """Back from `to_json`."""
        return cls(
            key=data["key"],
            kind=WriteKind(data["kind"]),
            target=data["target"],
            what=data["what"],
            digest=data["digest"],
            phase=Phase(data["phase"]),
            sent_at=datetime.fromisoformat(data["sent_at"]) if data["sent_at"] else None,
            note=dict(data["note"]),
            ids=tuple(data["ids"]),
            topic_id=data["topic_id"],
            awaiting_approval=data["awaiting_approval"],
            error=data["error"],
        )


class Journal(Protocol):
    """Where records live. `save` returns only when the record would survive a power cut."""

    def find(self, key: str) -> Record | None:
        """The record of a key, or None."""
        ...

    def save(self, record: Record) -> None:
        """Stores a record under its key, replacing the former one."""
        ...


class MemoryJournal:
    """A journal that lives as long as the process: for tests and for reading-only uses."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}

    def find(self, key: str) -> Record | None:
        """The record of a key, or None."""
        return self.records.get(key)

    def save(self, record: Record) -> None:
        """Keeps the record (through JSON, as a database would)."""
        self.records[record.key] = Record.from_json(record.to_json())


def digest(*parts: str | bytes) -> str:
    """SHA-256 over parts, each with its length, so that no two lists of parts look the same."""
    total = hashlib.sha256()
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        total.update(len(raw).to_bytes(8, "big"))
        total.update(raw)
    return total.hexdigest()
