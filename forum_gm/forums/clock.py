"""The clock the forum clients and the embedded board live by; injected, so that tests and the demo never really wait."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Interrupted(Exception):
    """A wait was broken off because the program stops. What was under way goes on after the next start, as after a crash."""


class Clock(Protocol):
    """Tells the time and waits."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        ...

    def sleep(self, seconds: float) -> None:
        """Waits; a negative or zero number of seconds is no wait. Raises `Interrupted`."""
        ...

    def interrupt(self) -> None:
        """Breaks off every wait, those to come too: the program stops."""
        ...


class RealClock:
    """The system's clock."""

    def __init__(self) -> None:
        self._stopping = threading.Event()

    def now(self) -> datetime:
        """The present moment in UTC."""
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Really waits."""
        if seconds > 0 and self._stopping.wait(seconds):
            raise Interrupted

    def interrupt(self) -> None:
        """Breaks off every wait."""
        self._stopping.set()


class ManualClock:
    """A clock that moves only when somebody waits (or tells it to): waits cost nothing and are the same in every run.

    Safe to share between threads, so a client and an embedded board can live by the same one.
    """

    def __init__(self, start: datetime) -> None:
        self._now = start.astimezone(UTC)
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """The moment it was moved to."""
        with self._lock:
            return self._now

    def sleep(self, seconds: float) -> None:
        """Moves on by that many seconds at once."""
        if seconds > 0:
            with self._lock:
                self._now += timedelta(seconds=seconds)

    def interrupt(self) -> None:
        """Nobody ever waits by this clock."""

    def set(self, moment: datetime) -> None:
        """Jumps to a moment."""
        with self._lock:
            self._now = moment.astimezone(UTC)
