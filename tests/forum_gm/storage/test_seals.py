"""Any changed byte of a stored outcome, order or dice secret is found by `verify`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext

from forum_gm.pipeline.backup import back_up, restore
from forum_gm.pipeline.record import Verified
from forum_gm.pipeline.verify import verify
from forum_gm.service import tick
from forum_gm.storage import Store, StoreProblem
from forum_gm.storage.base import Base, row_digest
from forum_gm.storage.store import MIGRATIONS
from tests.forum_gm.pipeline.tiny import context

SEALED = ("outcomes", "orders", "dice_secrets", "revisions", "posts", "steps")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign with one turn played."""
    folder = tmp_path_factory.mktemp("played")
    ctx, board = context(folder)
    tick(ctx)
    board.say("10", "беру 5")
    tick(ctx)
    board.clock.sleep(60 * 3600)
    tick(ctx)
    assert "Всё сходится" in verify(ctx)
    ctx.store.close()
    return folder / "campaign.sqlite3"


def columns(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return [
            (table, str(row[1]))
            for table in SEALED
            for row in connection.execute(f"PRAGMA table_info({table})")
            if row[1] != "campaign_id"
        ]


def test_every_changed_value_is_found(played: Path, tmp_path: Path) -> None:
    ctx, _ = context(tmp_path, store=Store(f"sqlite:///{played}"))
    changed = 0
    with closing(sqlite3.connect(played, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        for table, column in columns(played):
            row = connection.execute(f"SELECT rowid, {column} FROM {table} WHERE {column} IS NOT NULL LIMIT 1").fetchone()
            if row is None:
                continue
            old = row[1]
            new = old + 1000 if isinstance(old, int) else old[:-1] + ("0" if old[-1:] != "0" else "1") if old else "x"
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (new, row[0]))
            key = row[0] if column != "id" else new
            with pytest.raises(Verified) as found:
                verify(ctx)
            assert "\n" not in str(found.value)
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (old, key))
            changed += 1
    assert changed > 60
    assert "Всё сходится" in verify(ctx)


def test_bytes_that_are_no_utf8_are_one_sentence(played: Path, tmp_path: Path) -> None:
    ctx, _ = context(tmp_path, store=Store(f"sqlite:///{played}"))
    with closing(sqlite3.connect(played, isolation_level=None)) as connection:
        old = connection.execute("SELECT events FROM outcomes WHERE number = 1").fetchone()[0]
        connection.execute("UPDATE outcomes SET events = CAST(X'5BFF5D' AS TEXT) WHERE number = 1")
        with pytest.raises(Verified):
            verify(ctx)
        connection.execute("UPDATE outcomes SET events = ? WHERE number = 1", (old,))


def test_a_removed_outcome_is_found(played: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite3"
    copy.write_bytes(played.read_bytes())
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute("DELETE FROM orders")
    ctx, _ = context(tmp_path, store=Store(f"sqlite:///{copy}"))
    with pytest.raises(Verified, match="Приказы шага"):
        verify(ctx)


def test_migrations_make_exactly_the_models(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'new.sqlite3'}")
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_a_migration_seals_anew_what_was_whole_and_heals_nothing(played: Path, tmp_path: Path) -> None:
    """Back to the first schema, as an older version kept it, with one text changed by hand; then opened by this version."""
    old = tmp_path / "old.sqlite3"
    old.write_bytes(played.read_bytes())
    with sa.create_engine(f"sqlite:///{old}").begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        command.downgrade(config, "0001")
    with closing(sqlite3.connect(old, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        rows = [dict(row) for row in connection.execute("SELECT * FROM revisions")]
        assert rows
        assert all("last_seen_at" not in row and row_digest(row) == row["digest"] for row in rows)
        broken = tmp_path / "broken.sqlite3"
        broken.write_bytes(old.read_bytes())
    with closing(sqlite3.connect(broken, isolation_level=None)) as connection:
        connection.execute("UPDATE revisions SET source = 'беру 9' WHERE id = 2")
    ctx, _ = context(tmp_path, store=Store(f"sqlite:///{old}"))
    assert "Всё сходится" in verify(ctx)
    ctx, _ = context(tmp_path, store=Store(f"sqlite:///{broken}"))
    with pytest.raises(Verified, match="текст сообщения № 2"):
        verify(ctx)


def test_every_row_names_its_campaign() -> None:
    for table in Base.metadata.sorted_tables:
        assert table.name == "campaigns" or "campaign_id" in table.c


def test_wrong_address_is_one_sentence() -> None:
    with pytest.raises(StoreProblem, match="Неверный адрес"):
        Store("нет такого")


def test_backup_and_restore_bring_everything_back(tmp_path: Path) -> None:
    from forum_gm.config import write_settings

    folder = tmp_path / "one"
    folder.mkdir()
    ctx, _ = context(folder)
    (folder / "config.toml").write_text(write_settings(ctx.settings), "utf-8")
    (folder / "cookies.json").write_text("secret")
    tick(ctx)
    path = back_up(ctx)
    assert restore(path, tmp_path / "two") == "tiny"
    other, _ = context(tmp_path / "two")
    assert "Всё сходится" in verify(other)
    assert not (tmp_path / "two" / "cookies.json").exists()
    with pytest.raises(Exception, match="не пуста"):
        restore(path, tmp_path / "two")


def test_two_campaigns_share_a_database(tmp_path: Path) -> None:
    from forum_gm.config import CampaignPart

    store = Store(f"sqlite:///{tmp_path / 'both.sqlite3'}")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        ctx, _ = context(tmp_path / name, store=store, campaign=CampaignPart(id=name, ruleset="tiny", scenario=""))
        tick(ctx)
        assert "Всё сходится" in verify(ctx)
    with store.reading() as session:
        assert session.execute(sa.text("SELECT COUNT(*) FROM campaigns")).scalar() == 2
