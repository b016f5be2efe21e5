"""Writing exactly once: a small state machine around every request that changes something (promise 4).

INTENDED --form fetched, waited--> SENDING --clear answer--> DONE | INTENDED (try again) | FAILED
SENDING --no answer, or a new process--> look at the board: found -> DONE; guarded by `topic_cur_post_id` -> send that form again;
else wait until the board can't be working on it any more, look again, and if still nothing: UNDECIDED, ask the GM.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Protocol

from forum_gm.forums import errors
from forum_gm.forums.answers import Answer, FormAgain, Queued, Refused, SessionLost, Stored, read_answer
from forum_gm.forums.base import Written
from forum_gm.forums.forms import Form
from forum_gm.forums.journal import Journal, Phase, Record, WriteKind
from forum_gm.forums.transport import Page, Transport

log = logging.getLogger(__name__)

MAX_TRIES = 8
"""Requests of one write in one run, whatever the board answers."""
MAX_TOKEN = 3
MAX_FLOOD = 4
MORE_AGE = 1.0
"""Seconds that a form is let age longer for each time the board only looked content."""


@dataclass(frozen=True, slots=True)
class Found:
    """Our text, seen on the board."""

    ids: tuple[int, ...]
    topic_id: int | None = None
    awaiting_approval: bool = False


@dataclass(frozen=True, slots=True)
class Sendable:
    """A form ready to be sent."""

    form: Form
    fetched: datetime
    """When the board made it: it must have a certain age."""
    note: Mapping[str, Any]
    """What recovery must know if the answer is lost: stored before it is sent."""


class Job(Protocol):
    """One kind of write; everything the machine can't know."""

    key: str
    kind: WriteKind
    target: str
    what: str
    digest: str

    def look(self, note: Mapping[str, Any]) -> Found | None:
        """Reads the board: is what we want already there? `note` holds the baseline."""
        ...

    def prepare(self, note: Mapping[str, Any], again: FormAgain | None) -> Sendable | Found:
        """Fetches (or takes over) the form; `Found` where there is nothing to do. Uploads happen here too."""
        ...

    def send(self, sendable: Sendable) -> Page:
        """The one request that changes something."""
        ...

    def guarded(self, note: Mapping[str, Any]) -> bool:
        """True when sending the noted form again can't do the thing twice."""
        ...

    def check(self, answer: Stored, note: Mapping[str, Any]) -> Found | None:
        """Reads back what the board says it stored; None: it isn't there, the board only looked content."""
        ...

    def waits_out(self, note: Mapping[str, Any]) -> bool:
        """True when a lost request, carried out late, could undo what is written after it."""
        ...


def undecided(journal: Journal, key: str) -> list[Record]:
    """What the GM is asked about under a key: the write itself, or those of its parts («key#2», «key@1»)."""
    found = [record] if (record := journal.find(key)) is not None and record.phase is Phase.UNDECIDED else []
    for mark in "#@":
        number = 1
        while (part := journal.find(f"{key}{mark}{number}")) is not None:
            found.extend(undecided(journal, part.key))
            number += 1
    return found


def settle(journal: Journal, key: str, *, posted: int | None = None, again: bool = False) -> bool:
    """The GM's word on an undecided write: it is to be sent `again`, or else it stands on the board, as `posted` if he says so.

    True when only a part was asked about: the rest of the text is still to be written, under the same key. `ValueError` for a
    key under which nothing is undecided. Sent again, the write still looks first for what may have surfaced meanwhile."""
    records = undecided(journal, key)
    if not records:
        raise ValueError(f"nothing to settle under {key!r}")
    for record in records:
        if again:
            journal.save(replace(record, phase=Phase.INTENDED, sent_at=None, note={**record.note, "again": True}))
        else:
            journal.save(replace(record, phase=Phase.DONE, ids=() if posted is None else (posted,)))
    return any(record.key != key for record in records)


class Writer:
    """Runs jobs against a journal."""

    def __init__(self, transport: Transport, journal: Journal, login: Callable[[], None], ready: Callable[[], None]) -> None:
        """`login` logs in anew; `ready` makes sure that we are known, so that our own posts can be told from others'."""
        self._transport = transport
        self._journal = journal
        self._login = login
        self._ready = ready

    def run(self, job: Job) -> Written:
        """Carries a job out once, however often and from however many processes it is called (one at a time).

        Raises a `ForumError`; `Undecided` when the GM must look. `ValueError` if the key was used for something else."""
        record = self._journal.find(job.key)
        if record is None:
            record = Record(job.key, job.kind, job.target, job.what, job.digest)
            self._journal.save(record)
        elif record.digest != job.digest:
            if record.phase is not Phase.FAILED:
                raise ValueError(f"key {job.key!r} was used for another content")
            # The board refused the former content and holds nothing of it: the GM has changed something.
            record = Record(job.key, job.kind, job.target, job.what, job.digest)
            self._journal.save(record)
        if record.phase is Phase.DONE:
            return record.written()
        self._ready()
        if record.phase is Phase.UNDECIDED:
            found = job.look(record.note)
            if found is None:
                raise errors.Undecided(job.key, job.what)
            return self._done(record, found)
        if record.phase is Phase.SENDING and record.note.get("answered"):
            if (found := job.look(record.note)) is not None:
                return self._done(record, found)
            record = self._idle(record)
        if record.phase is Phase.SENDING:
            recovered = self._recover(job, record)
            if isinstance(recovered, Written):
                return recovered
            record = recovered
        elif record.note.get("again") and (found := job.look(record.note)) is not None:
            # The GM had it sent again, and it has come to light after all.
            return self._done(record, found)
        try:
            return self._send(job, record)
        except (errors.Undecided, errors.AnswerLost, errors.CircuitOpen):
            raise
        except errors.ForumError as error:
            latest = self._journal.find(job.key) or record
            if latest.phase is Phase.INTENDED and not error.retry:
                self._journal.save(replace(latest, phase=Phase.FAILED, error=str(error)))
            raise

    def settle(self, key: str, *, posted: int | None = None, again: bool = False) -> None:
        """The GM's word on an undecided write; see `settle`."""
        if posted is None and not again:
            raise ValueError("posted or again")
        settle(self._journal, key, posted=posted, again=again)

    # -- sending ------------------------------------------------------------------------------------------------------

    def _send(self, job: Job, record: Record) -> Written:
        again: FormAgain | None = None
        tokens = floods = blanks = 0
        for _ in range(MAX_TRIES):
            ready = job.prepare(record.note, again)
            again = None
            if isinstance(ready, Found):
                return self._done(record, ready)
            self._age(ready, MORE_AGE * blanks)
            record = replace(
                record, phase=Phase.SENDING, sent_at=self._transport.clock.now(), note={**record.note, **ready.note}, error=""
            )
            self._journal.save(record)
            try:
                page = job.send(ready)
            except (errors.NotSent, errors.Protected):
                self._idle(record)
                raise
            except errors.TooManyRequests as refused:
                # The gate before the board turned it away: nothing has arrived.
                record = self._idle(record)
                floods += 1
                wait = refused.retry_after if refused.retry_after is not None else self._transport.manners.flood_wait
                if floods > MAX_FLOOD or wait > self._transport.manners.longest_wait:
                    raise
                self._transport.clock.sleep(wait)
                continue
            except errors.AnswerLost as lost:
                log.info("ответ потерян: %s", job.what)
                recovered = self._recover(job, record, patience=lost.retry_after)
                if isinstance(recovered, Written):
                    return recovered
                record = recovered
                continue
            answer: Answer = read_answer(page)
            if isinstance(answer, Stored | Queued):
                # A text kept back has no id yet, unless it is an edit.
                known = (int(record.target),) if job.kind is WriteKind.EDIT else ()
                found = job.check(answer, record.note) if isinstance(answer, Stored) else Found(known, answer.topic_id, True)
                if found is not None:
                    return self._done(record, found)
                # «Stored», and nothing there: phpBB answers so to a form sent back too soon.
                blanks += 1
                record = self._idle(record)
            elif isinstance(answer, Refused):
                # A deletion's success page looks like a refusal: status and words alone don't tell them apart.
                doubtful = record.note.get("lost") or job.kind is WriteKind.DELETE
                if doubtful and (found := job.look(record.note)) is not None:
                    return self._done(record, found)
                record = self._idle(record)
                # phpBB 2 says these two on pages of their own, without the form.
                if isinstance(answer.error, errors.FormRejected):
                    tokens += 1
                elif isinstance(answer.error, errors.Flood) and floods < MAX_FLOOD:
                    floods += 1
                    self._wait_for_flood(floods)
                else:
                    raise answer.error
            elif isinstance(answer, SessionLost):
                # The board has answered, so it isn't working on it any more: a look settles whether it stored the form.
                # Stored, since logging in may have to wait for another run.
                record = record.with_note(answered=True)
                self._journal.save(record)
                self._login()
                if (found := job.look(record.note)) is not None:
                    return self._done(record, found)
                record = self._idle(record)
            else:
                if (answer.reviewed or record.note.get("lost")) and (found := job.look(record.note)) is not None:
                    return self._done(record, found)
                record = self._idle(record)
                again = answer
                if answer.token:
                    tokens += 1
                elif answer.flood:
                    floods += 1
                    if floods > MAX_FLOOD:
                        raise answer.error or errors.Flood()
                    self._wait_for_flood(floods)
                elif answer.error is not None:
                    raise answer.error
                elif not answer.reviewed:
                    blanks += 1
            if tokens > MAX_TOKEN or blanks > MAX_TOKEN:
                break
        raise errors.FormRejected(where=job.what)

    def _wait_for_flood(self, times: int) -> None:
        manners = self._transport.manners
        self._transport.clock.sleep(min(manners.flood_wait * 2 ** (times - 1), manners.longest_wait))

    def _age(self, ready: Sendable, more: float) -> None:
        gone = (self._transport.clock.now() - ready.fetched).total_seconds()
        self._transport.clock.sleep(self._transport.manners.form_wait + more - gone)

    def _idle(self, record: Record) -> Record:
        """The board said clearly that nothing is stored."""
        note = {name: value for name, value in record.note.items() if name != "answered"}
        record = replace(record, phase=Phase.INTENDED, sent_at=None, note=note)
        self._journal.save(record)
        return record

    def _done(self, record: Record, found: Found) -> Written:
        record = replace(
            record,
            phase=Phase.DONE,
            ids=found.ids,
            topic_id=found.topic_id,
            awaiting_approval=found.awaiting_approval,
            error="",
        )
        self._journal.save(record)
        return record.written()

    # -- after a lost answer ------------------------------------------------------------------------------------------

    def _recover(self, job: Job, record: Record, patience: float | None = None) -> Written | Record:
        """Finds out, or makes sure that sending again is harmless, or asks the GM."""
        record = record.with_note(lost=True)
        self._journal.save(record)
        clock, manners = self._transport.clock, self._transport.manners
        clock.sleep(min(patience or manners.backoff, manners.longest_wait))
        if (found := job.look(record.note)) is not None:
            return self._done(record, found)
        if job.guarded(record.note) and not job.waits_out(record.note):
            return record
        sent = record.sent_at or clock.now()
        clock.sleep((sent + timedelta(seconds=manners.settle) - clock.now()).total_seconds())
        if job.guarded(record.note):
            return record
        if (found := job.look(record.note)) is not None:
            return self._done(record, found)
        self._journal.save(replace(record, phase=Phase.UNDECIDED))
        raise errors.Undecided(job.key, job.what)
