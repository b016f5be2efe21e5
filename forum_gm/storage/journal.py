"""The forum client's journal of writes in the database: a saved record survives a crash (promise 4)."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from forum_gm.forums.clock import Clock
from forum_gm.forums.journal import Record
from forum_gm.storage.models import Write
from forum_gm.storage.store import Store


class SqlJournal:
    """Records of one campaign's writes. Fulfils `forums.journal.Journal`."""

    def __init__(self, store: Store, campaign_id: str, clock: Clock) -> None:
        self._store = store
        self._campaign = campaign_id
        self._clock = clock

    def find(self, key: str) -> Record | None:
        """The record of a key, or None."""
        with self._store.reading() as session:
            row = self._row(session, key)
            return None if row is None else Record.from_json(row.data)

    def save(self, record: Record) -> None:
        """Stores a record under its key; returns when it is committed."""
        with self._store.writing() as session:
            row = self._row(session, record.key)
            if row is None:
                row = Write(campaign_id=self._campaign, key=record.key)
                session.add(row)
            row.state, row.data, row.at = record.phase.value, record.to_json(), self._clock.now()

    def _row(self, session: Session, key: str) -> Write | None:
        return session.scalars(select(Write).where(Write.campaign_id == self._campaign, Write.key == key)).first()
