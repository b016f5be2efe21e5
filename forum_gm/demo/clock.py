"""The demo's clock: stands while the script plays (waits cost nothing), then runs on from there in real time."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta

from forum_gm.forums.clock import Interrupted


class DemoClock:
    """Shared by the embedded board, the forum client and the service. Safe between threads."""

    def __init__(self, start: datetime) -> None:
        self._now = start.astimezone(UTC)
        self._running_since: float | None = None
        self._lock = threading.Lock()
        self._stopping = threading.Event()

    def now(self) -> datetime:
        """The demo's moment."""
        with self._lock:
            if self._running_since is None:
                return self._now
            return self._now + timedelta(seconds=time.monotonic() - self._running_since)

    def sleep(self, seconds: float) -> None:
        """Moves the time on at once; once it runs, really waits."""
        if seconds <= 0:
            return
        with self._lock:
            if self._running_since is None:
                self._now += timedelta(seconds=seconds)
                return
        if self._stopping.wait(seconds):
            raise Interrupted

    def interrupt(self) -> None:
        """Breaks off every real wait."""
        self._stopping.set()

    def set(self, moment: datetime) -> None:
        """Jumps to a moment, while the time stands."""
        with self._lock:
            if self._running_since is None:
                self._now = moment.astimezone(UTC)

    def run(self) -> None:
        """Lets the time run from now on."""
        with self._lock:
            self._running_since = time.monotonic()
