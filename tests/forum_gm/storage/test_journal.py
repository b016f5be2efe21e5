"""The forum client's journal in the database: a saved record is there again after a restart, with everything in it."""

from __future__ import annotations

from pathlib import Path

from forum_gm.forums.clock import ManualClock
from forum_gm.forums.journal import Phase, Record, WriteKind
from forum_gm.pipeline.start import start
from forum_gm.storage import Store
from forum_gm.storage.journal import SqlJournal
from tests.forum_gm.pipeline.tiny import START, context


def test_record_survives_a_restart_and_is_replaced_not_doubled(tmp_path: Path) -> None:
    ctx, _ = context(tmp_path)
    start(ctx)
    journal = SqlJournal(ctx.store, "tiny", ManualClock(START))
    record = Record("tiny/report:1:1", WriteKind.REPLY, "7", "ответ в теме 7", "d", Phase.SENDING, START, {"last": 5})
    assert journal.find(record.key) is None
    journal.save(record)
    done = Record(record.key, WriteKind.REPLY, "7", "ответ в теме 7", "d", Phase.DONE, START, {"last": 5}, (12, 13), 7)
    journal.save(done)
    ctx.store.close()
    again = SqlJournal(Store(ctx.store.url), "tiny", ManualClock(START))
    assert again.find(record.key) == done
    assert again.find("other") is None
