"""A board over real HTTP, a clock that costs nothing, and clients for it: what the forum tests share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from forum_gm.demo.board import BoardServer, BoardSettings, FaultKind, World
from forum_gm.demo.board.site import Site
from forum_gm.forums.clock import ManualClock
from forum_gm.forums.journal import Journal, MemoryJournal
from forum_gm.forums.phpbb2 import PhpBB2
from forum_gm.forums.phpbb3 import PhpBB3
from forum_gm.forums.transport import Manners, Transport

START = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
PASSWORD = "тайна-летописца-31415"
# Only a request that is to hang costs real time: a busy machine must not make others look like it.
HOLD, HANGING, PATIENCE = 1.2, 1.0, 20.0
HANGS = frozenset({FaultKind.TIMEOUT_BEFORE, FaultKind.TIMEOUT_AFTER, FaultKind.STORE_LATE})


@dataclass
class Rehearsal:
    """A board with a master, a bot, two players and a topic of four posts."""

    server: BoardServer
    world: World
    clock: ManualClock
    gm: int
    bot: int
    buyny: int
    tihiy: int
    topic: int

    def client(
        self,
        user: str = "Летописец",
        *,
        journal: Journal | None = None,
        transport: Transport | None = None,
        cookie_file: Path | None = None,
        **manners: float,
    ) -> PhpBB3:
        """A client of the board, of whatever version that is."""
        passwords = {"Летописец": PASSWORD, "": ""}
        kind = PhpBB2 if self.world.settings.old else PhpBB3
        return kind(
            self.server.url,
            user=user,
            password=passwords.get(user, "demo"),
            transport=transport or self.transport(cookie_file=cookie_file, **manners),
            journal=journal if journal is not None else MemoryJournal(),
        )

    def transport(self, kind: type[Transport] = Transport, *, cookie_file: Path | None = None, **manners: Any) -> Transport:
        """A transport that lives by the board's clock."""
        return kind(manners=Manners(**{"timeout": self._patience(), **manners}), clock=self.clock, cookie_file=cookie_file)

    def _patience(self) -> float:
        return HANGING if any(fault.kind in HANGS for fault in self.world.faults.waiting) else PATIENCE

    def hurry(self, client: PhpBB3) -> None:
        """Lets a client wait no longer than the faults switched on by now make worthwhile."""
        client.transport.manners = replace(client.transport.manners, timeout=self._patience())

    def mine(self) -> list[int]:
        """Posts of the bot, oldest first."""
        return [entry.id for entry in self.world.entries.values() if entry.author == self.bot]


def fresh_world(clock: ManualClock, *, newcomer: bool = False, **settings: Any) -> tuple[World, list[int]]:
    """A seeded board; returns the accounts and the topic. `newcomer`: the bot's posts await approval."""
    world = World(BoardSettings(hold=HOLD, **settings), clock)
    gm = world.account("Ведущий", "demo", moderator=True)
    bot = world.account("Летописец", PASSWORD, newcomer=newcomer)
    buyny = world.account("Буйный", "demo")
    tihiy = world.account("Тихий & Ко <3", "demo")
    world.room("Партии")
    topic = world.topic(gm, "Печати Хаоса", "Приказы — в этой теме.")
    for author, text in ((buyny, "Атакую [b]000[/b]."), (tihiy, "Стою."), (bot, "Приказы на ход 1: ждём.")):
        clock.sleep(600)
        world.post(author, topic, text)
    clock.sleep(600)
    return world, [gm, bot, buyny, tihiy, topic]


@contextmanager
def rehearsal(**settings: Any) -> Iterator[Rehearsal]:
    """A rehearsal on a free port."""
    clock = ManualClock(START)
    world, ids = fresh_world(clock, **settings)
    with BoardServer(world) as server:
        yield Rehearsal(server, world, clock, *ids)


def anew(stage: Rehearsal, **settings: Any) -> Rehearsal:
    """The same server with a fresh board."""
    clock = ManualClock(START)
    world, ids = fresh_world(clock, **settings)
    stage.server.world = world
    stage.server.site = stage.server.app.site = Site(world)
    return Rehearsal(stage.server, world, clock, *ids)
