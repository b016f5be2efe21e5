"""Time for the service: always injected, always UTC, so that tests and the demo tell it what time it is."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Where the service's time comes from."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        ...

    def sleep(self, seconds: float) -> None:
        """Waits."""
        ...


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        time.sleep(max(0.0, seconds))


class ManualClock:
    """A time that stands until it is moved; sleeping moves it."""

    def __init__(self, start: datetime) -> None:
        if start.tzinfo is None:
            raise ValueError("a clock needs an aware time")
        self._now = start.astimezone(UTC)

    def now(self) -> datetime:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._now += timedelta(seconds=max(0.0, seconds))

    def move_to(self, moment: datetime) -> None:
        """Sets the time; never backwards."""
        self._now = max(self._now, moment.astimezone(UTC))
