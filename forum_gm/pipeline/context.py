"""What every stage of the pipeline works with: the campaign's folder, settings, store, rules, clock and forum.

A stage is a function of a `Context`; it may be called again at any moment and does only what is still to be done.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from forum_gm.config import Settings, read_settings
from forum_gm.errors import ForumGmError
from forum_gm.forums.clock import Clock, RealClock
from forum_gm.pipeline.board import Board
from forum_gm.storage import Store
from forum_gm.storage.models import Audit, Campaign, Notice, OutcomeRow, Seat, StepRow, StepStatus
from rules import registry
from rules.base import Audience, Ruleset, State, Step, View

SecretSource = Callable[[int], tuple[bytes, bytes]]
"""Number of a secret → the public and the hidden secret, 32 bytes each."""
SERVICE = "программа"
"""Who acts when no person does."""


class NotNow(ForumGmError):
    """The step isn't where this act needs it; the message says where it is and what to do."""


LOCK = ".lock"
"""File in the campaign's folder by which processes take turns."""


def system_secrets(number: int) -> tuple[bytes, bytes]:
    """Secrets from the operating system."""
    return os.urandom(32), os.urandom(32)


def seeded_secrets(seed: str) -> SecretSource:
    """Secrets that follow from a text, for the demo and the tests."""

    def make(number: int) -> tuple[bytes, bytes]:
        public, hidden = (hashlib.sha256(f"{seed}\n{word}\n{number}".encode()).digest() for word in ("public", "hidden"))
        return public, hidden

    return make


@dataclass
class Context:
    """A campaign at work."""

    folder: Path
    settings: Settings
    store: Store
    ruleset: Ruleset
    clock: Clock = field(default_factory=RealClock)
    connect: Callable[[Context], Board] | None = None
    """Makes the forum client when it is first needed."""
    secrets: SecretSource = system_secrets
    _board: Board | None = field(default=None, repr=False)
    _states: dict[tuple[int, str], State] = field(default_factory=dict, repr=False)
    _views: dict[tuple[int, str, str], View] = field(default_factory=dict, repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _held: int = field(default=0, repr=False)

    @property
    def campaign_id(self) -> str:
        """The campaign's id in the store."""
        return self.settings.campaign.id

    @property
    def board(self) -> Board:
        """The forum. Raises `NotNow` without a forum address, `BoardTrouble` when it can't be reached."""
        if self._board is None:
            if self.connect is None:
                raise NotNow("Форум не настроен: укажите forum.url в config.toml.")
            self._board = self.connect(self)
        return self._board

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Holds the campaign for one writer: the service, the desk and the command line take turns, also across processes."""
        with self._lock:
            if self._held:
                self._held += 1
                try:
                    yield
                finally:
                    self._held -= 1
                return
            with (self.folder / LOCK).open("a") as handle:
                fcntl.flock(handle, fcntl.LOCK_EX)
                self._held = 1
                try:
                    yield
                finally:
                    self._held = 0
                    fcntl.flock(handle, fcntl.LOCK_UN)

    def close(self) -> None:
        """The last one out: gives the database back and takes the lock's file away."""
        self.store.close()
        (self.folder / LOCK).unlink(missing_ok=True)

    # -------------------------------------------------------------------------------------------- looking things up

    def campaign(self, session: Session) -> Campaign:
        """The campaign's row. Raises `NotNow` when it hasn't been started."""
        row = session.get(Campaign, self.campaign_id)
        if row is None:
            raise NotNow("Кампания ещё не начата: forum-gm run или forum-gm poll начнут её.")
        # A session forgets what nobody holds; this row and the head are looked at again and again, and they are long.
        session.info["campaign"] = row
        return row

    def steps(self, session: Session) -> list[StepRow]:
        """The steps that stand, in the order of play."""
        query = select(StepRow).where(StepRow.campaign_id == self.campaign_id, StepRow.status != StepStatus.UNDONE)
        return list(session.scalars(query.order_by(StepRow.number)))

    def current(self, session: Session) -> StepRow | None:
        """The step that is not yet published; None: the game is over (or hasn't begun)."""
        done = (StepStatus.UNDONE, StepStatus.PUBLISHED)
        query = select(StepRow).where(StepRow.campaign_id == self.campaign_id, StepRow.status.not_in(done))
        return session.scalars(query.order_by(StepRow.number).limit(1)).first()

    def step(self, session: Session, number: int | None) -> StepRow:
        """The step with this number, or the current one. Raises `NotNow`."""
        row = self.current(session) if number is None else next((r for r in self.steps(session) if r.number == number), None)
        if row is None:
            raise NotNow("Шага, который ждал бы приказов, нет: игра окончена." if number is None else f"Нет шага {number}.")
        return row

    def seats(self, session: Session) -> list[Seat]:
        """All seats."""
        return list(session.scalars(select(Seat).where(Seat.campaign_id == self.campaign_id).order_by(Seat.id)))

    def outcome(self, session: Session, number: int) -> OutcomeRow:
        """An outcome by its number."""
        query = select(OutcomeRow).where(OutcomeRow.campaign_id == self.campaign_id, OutcomeRow.number == number)
        return session.scalars(query).one()

    def head(self, session: Session) -> OutcomeRow:
        """The outcome whose state holds now."""
        row = session.get(OutcomeRow, self.campaign(session).head_id)
        if row is None:
            raise NotNow("В базе нет состояния игры: восстановите копию (forum-gm restore).")
        session.info["head"] = row
        return row

    def state(self, outcome: OutcomeRow) -> State:
        """The state after an outcome, from memory where it was loaded before."""
        key = (outcome.number, outcome.hash)
        if key not in self._states:
            if len(self._states) > 8:
                self._states.clear()
            self._states[key] = self.ruleset.load(outcome.state)
        return self._states[key]

    def view(self, outcome: OutcomeRow, audience: Audience) -> View:
        """What an audience may know of the state after an outcome."""
        key = (outcome.number, outcome.hash, str(audience.to_json()))
        if key not in self._views:
            if len(self._views) > 64:
                self._views.clear()
            self._views[key] = self.ruleset.view(self.state(outcome), audience)
        return self._views[key]

    def rules_step(self, session: Session, row: StepRow) -> Step:
        """The rules' step of a row, from the state that holds while it is open; for a finished step, from its base."""
        held = self.head(session) if row.status in (StepStatus.OPEN, StepStatus.CLOSED, StepStatus.WAITING) else None
        step = self.ruleset.step(self.state(held)) if held is not None else None
        if step is not None and step.id == row.step_id:
            return step
        base = session.get_one(OutcomeRow, row.base_id)
        step = self.ruleset.step(self.state(base))
        if step is None:
            raise NotNow(f"Правила больше не знают шага {row.step_id}: проверьте версию правил.")
        return step

    # -------------------------------------------------------------------------------------------- leaving traces

    def audit(self, session: Session, who: str, action: str, detail: dict[str, Any], *, public: bool = False) -> None:
        """Writes an act down; `public` ones are told in the next report."""
        entry = Audit(campaign_id=self.campaign_id, at=self.clock.now(), who=who, action=action, detail=detail, public=public)
        session.add(entry)

    def notice(self, session: Session, key: str, kind: str, text: str) -> None:
        """Tells the GM something, once per key."""
        known = session.scalars(select(Notice).where(Notice.campaign_id == self.campaign_id, Notice.key == key)).first()
        if known is None:
            session.add(Notice(campaign_id=self.campaign_id, key=key, kind=kind, text=text, at=self.clock.now()))
        elif known.text != text or known.settled_at is not None:
            known.text, known.settled_at, known.settled_by, known.at = text, None, None, self.clock.now()
            known.sent = False

    def settle(self, session: Session, key: str, who: str = SERVICE) -> None:
        """Takes a notice back: it no longer matters."""
        known = session.scalars(select(Notice).where(Notice.campaign_id == self.campaign_id, Notice.key == key)).first()
        if known is not None and known.settled_at is None:
            known.settled_at, known.settled_by = self.clock.now(), who

    def next_number(self, session: Session, column: Any) -> int:
        """One more than the greatest number in use in this campaign."""
        model = column.class_
        highest = session.scalar(select(func.max(column)).where(model.campaign_id == self.campaign_id))
        return 0 if highest is None else int(highest) + 1


def open_folder(
    folder: Path,
    *,
    clock: Clock | None = None,
    connect: Callable[[Context], Board] | None = None,
    secrets: SecretSource = system_secrets,
) -> Context:
    """The campaign of a folder. Raises `UsageProblem`, `StoreProblem`, `RulesError`."""
    settings = read_settings(folder)
    ruleset = registry.get(settings.campaign.ruleset)
    store = Store(settings.database_url(folder))
    return Context(folder, settings, store, ruleset, clock or RealClock(), connect, secrets)


def stamp(when: datetime) -> str:
    """A moment as stored inside JSON."""
    return when.astimezone(UTC).isoformat()


def moment(text: str) -> datetime:
    """A stored ISO moment."""
    return datetime.fromisoformat(text)
