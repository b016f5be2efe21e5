"""Promise 4: killed at any moment and started again, the service neither loses nor repeats anything.

One calm turn is played; at each commit and each request to the board the whole world is kept as it would be found by the next
process: database, files, board, time. The turn is then taken up again from each of these worlds, and must end like the calm one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from forum_gm.forums.clock import ManualClock
from forum_gm.pipeline.context import Context
from forum_gm.service import tick
from forum_gm.storage import Store
from tests.forum_gm.pipeline.tiny import HOUR, START, MemoryBoard, context

DATABASE = "campaign.sqlite3"
SLICES = 2
"""The worlds are tried in so many tests, for as many workers."""


@dataclass(frozen=True)
class World:
    """What a process that dies here leaves behind."""

    where: str
    database: bytes
    board: MemoryBoard
    files: dict[str, bytes]


class Watched(Store):
    """A store that remembers the world just before each commit (dying there is also dying after the commit before it)."""

    def __init__(self, folder: Path, board: MemoryBoard) -> None:
        super().__init__(f"sqlite:///{folder / DATABASE}")
        self.folder, self.board = folder, board
        self.worlds: dict[object, World] = {}

    @contextmanager
    def writing(self) -> Iterator[Session]:
        with super().writing() as session:
            yield session
            self.remember("commit")

    def remember(self, where: str) -> None:
        database = committed(self.folder / DATABASE)
        key = (database, repr(self.board.posts), repr(self.board.messages), self.board.clock.now())
        if key not in self.worlds:
            self.worlds[key] = World(where, database, copied(self.board), files_in(self.folder))


def copied(board: MemoryBoard) -> MemoryBoard:
    """The board apart from the process that dies: nothing done to the one is seen on the other."""
    return MemoryBoard(
        ManualClock(board.clock.now()),
        dict(board.posts),
        list(board.messages),
        list(board.inbox_posts),
        dict(board.written),
        {key: list(names) for key, names in board.files.items()},
    )


def committed(path: Path) -> bytes:
    """The database as another process would find it now."""
    source, taken = sqlite3.connect(path), sqlite3.connect(":memory:")
    try:
        source.backup(taken)
        return taken.serialize()
    finally:
        source.close()
        taken.close()


def files_in(folder: Path) -> dict[str, bytes]:
    found = (path for path in sorted((folder / "files").rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def turn(ctx: Context, board: MemoryBoard) -> None:
    """One turn, as a function of the clock alone: may be begun again after a crash."""
    tick(ctx)
    if not any(post.author_id == "10" for post in board.posts.values()):
        board.clock.set(START + HOUR)
        board.say("10", "беру 4")
        board.say("11", "беру 2")
    tick(ctx)
    board.clock.set(max(board.clock.now(), START + 50 * HOUR))
    tick(ctx)
    tick(ctx)


def ending(ctx: Context, board: MemoryBoard) -> object:
    """What matters in the end: every post and message once, and the same state of the game."""
    openings = sorted(text.splitlines()[0] for text in board.own())
    messages = sorted(f"{to} {subject}" for to, subject, _ in board.messages)
    with ctx.store.reading() as session:
        return openings, messages, dict(ctx.head(session).state)


@pytest.fixture
def plain_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The PDF's own rendering is tested elsewhere; a hundred of them would be most of what these tests do."""
    monkeypatch.setattr("forum_gm.pipeline.render.render_digest", lambda *_, **__: b"%PDF")


@pytest.mark.usefixtures("plain_digest")
@pytest.mark.parametrize("part", range(SLICES))
def test_killed_at_any_commit_or_request_nothing_is_lost_or_repeated(tmp_path: Path, part: int) -> None:
    board = MemoryBoard(ManualClock(START))
    calm = tmp_path / "calm"
    calm.mkdir()
    store = Watched(calm, board)
    board.tick = store.remember
    ctx, _ = context(calm, store=store, board=board)
    turn(ctx, board)
    expected = ending(ctx, board)
    worlds = list(store.worlds.values())
    assert {"commit", "before write", "after write"} <= {world.where for world in worlds}
    assert len(worlds) > 40
    for number, world in enumerate(worlds[part::SLICES]):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / DATABASE).write_bytes(world.database)
        for name, content in world.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        ctx, _ = context(folder, board=world.board)
        turn(ctx, world.board)
        assert ending(ctx, world.board) == expected, (part, number, world.where)
        ctx.store.close()
