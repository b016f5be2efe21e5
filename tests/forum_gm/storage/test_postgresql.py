"""The store on PostgreSQL: the same schema, a whole game, seals, concurrent looks; backups move between the two engines."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

from forum_gm.config import CampaignPart, write_settings
from forum_gm.errors import UsageProblem
from forum_gm.pipeline.backup import back_up, restore
from forum_gm.pipeline.context import Context
from forum_gm.pipeline.record import Verified
from forum_gm.pipeline.verify import verify
from forum_gm.service import tick
from forum_gm.storage import Store, StoreProblem
from forum_gm.storage.base import Base
from forum_gm.storage.models import OutcomeRow, Publication
from tests.forum_gm.pipeline.tiny import MemoryBoard, context
from tests.forum_gm.storage.postgresql import server

pytestmark = pytest.mark.xdist_group("postgresql")
NAMES = count(1)
NO_SERVER = "PostgreSQL is not installed (Debian's package postgresql)"
Fresh = Callable[[], str]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with server() as found:
        if found is None:
            pytest.skip(NO_SERVER)
        yield found


@pytest.fixture
def fresh(address: str) -> Fresh:
    """Makes an empty database and tells its address."""

    def make() -> str:
        name = f"game{next(NAMES)}"
        engine = sa.create_engine(address.format("postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(sa.text(f"CREATE DATABASE {name}"))
        engine.dispose()
        return address.format(name)

    return make


def turn(ctx: Context, board: MemoryBoard, red: str) -> None:
    tick(ctx)
    board.clock.sleep(3600)
    board.say("10", red)
    board.say("11", "пас")
    tick(ctx)
    board.clock.sleep(60 * 3600)
    assert tick(ctx).trouble == ""


def campaign(folder: Path, url: str, board: MemoryBoard | None = None) -> tuple[Context, MemoryBoard]:
    """The tiny game whose settings name the database."""
    folder.mkdir(exist_ok=True)
    part = CampaignPart(id="tiny", ruleset="tiny", scenario="", database=url)
    ctx, made = context(folder, board=board, campaign=part)
    (folder / "config.toml").write_text(write_settings(ctx.settings), "utf-8")
    return ctx, made


def outcomes(ctx: Context) -> list[tuple[int, str]]:
    with ctx.store.reading() as session:
        rows = session.scalars(sa.select(OutcomeRow).order_by(OutcomeRow.number))
        return [(row.number, row.hash) for row in rows]


def test_every_table_can_be_said_in_postgresql() -> None:
    """Needs no server."""
    for table in Base.metadata.sorted_tables:
        assert f"CREATE TABLE {table.name}" in str(CreateTable(table).compile(dialect=postgresql.dialect()))


def test_migrations_make_exactly_the_models(fresh: Fresh) -> None:
    store = Store(fresh())
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    store.close()


def test_a_whole_game_and_the_same_outcomes_as_on_sqlite(fresh: Fresh, tmp_path: Path) -> None:
    made = []
    for name, url in (("pg", fresh()), ("lite", "")):
        ctx, board = campaign(tmp_path / name, url)
        for amount in (1, 2, 3):
            turn(ctx, board, f"беру {amount}")
        assert "Всё сходится: итогов пересчитано 3" in verify(ctx)
        with ctx.store.reading() as session:
            assert ctx.campaign(session).over
        made.append((outcomes(ctx), board.own(), board.messages))
        ctx.close()
    assert made[0] == made[1]


def test_a_changed_row_is_found(fresh: Fresh, tmp_path: Path) -> None:
    ctx, board = campaign(tmp_path / "pg", fresh())
    turn(ctx, board, "беру 5")
    with ctx.store.engine.begin() as connection:
        connection.execute(sa.text("UPDATE orders SET command = replace(command, '5', '9')"))
    with pytest.raises(Verified, match="приказ № 1"):
        verify(ctx)
    ctx.close()


def test_one_look_is_of_one_moment(fresh: Fresh, tmp_path: Path) -> None:
    ctx, _ = campaign(tmp_path / "pg", fresh())
    tick(ctx)
    with ctx.store.reading() as session:
        before = session.scalars(sa.select(Publication.subject)).all()
        with ctx.store.writing() as other:
            other.execute(sa.update(Publication).values(subject="изменено"))
        session.expire_all()
        assert session.scalars(sa.select(Publication.subject)).all() == before
    with ctx.store.reading() as session:
        assert set(session.scalars(sa.select(Publication.subject))) == {"изменено"}
    ctx.close()


@pytest.mark.parametrize("to_postgresql", [True, False], ids=["into it", "out of it"])
def test_a_backup_moves_between_engines_and_the_game_goes_on(fresh: Fresh, tmp_path: Path, to_postgresql: bool) -> None:
    first, second = ("", fresh()) if to_postgresql else (fresh(), "")
    ctx, board = campaign(tmp_path / "one", first)
    turn(ctx, board, "беру 5")
    before = outcomes(ctx)
    archive = back_up(ctx, tmp_path / "copy.tar.gz")
    ctx.close()
    assert restore(archive, tmp_path / "two", second) == "tiny"
    assert (tmp_path / "two" / "campaign.sqlite3").exists() is not to_postgresql
    again, _ = context(
        tmp_path / "two", board=board, campaign=CampaignPart(id="tiny", ruleset="tiny", scenario="", database=second)
    )
    assert outcomes(again) == before
    assert "Всё сходится" in verify(again)
    for amount in (1, 2):
        turn(again, board, f"беру {amount}")
    assert "Всё сходится: итогов пересчитано 3" in verify(again)
    assert outcomes(again)[: len(before)] == before
    again.close()


def test_restored_where_the_settings_say_and_never_over_a_campaign_that_is_there(fresh: Fresh, tmp_path: Path) -> None:
    url = fresh()
    ctx, board = campaign(tmp_path / "one", url)
    turn(ctx, board, "беру 5")
    archive = back_up(ctx, tmp_path / "copy.tar.gz")
    known = outcomes(ctx)
    with pytest.raises(StoreProblem, match="уже есть кампания «tiny»"):
        restore(archive, tmp_path / "two")
    assert not (tmp_path / "two").exists()
    assert outcomes(ctx) == known
    ctx.close()
    other = CampaignPart(id="other", ruleset="tiny", scenario="", database="")
    (tmp_path / "neighbour").mkdir()
    neighbour, _ = context(tmp_path / "neighbour", store=Store(fresh()), campaign=other)
    tick(neighbour)
    with pytest.raises(StoreProblem, match="под теми же номерами"):
        restore(archive, tmp_path / "three", neighbour.store.url)
    assert verify(neighbour)
    neighbour.close()


def test_a_backup_of_a_shared_database_holds_its_own_campaign_only(tmp_path: Path) -> None:
    shared = Store(f"sqlite:///{tmp_path / 'both.sqlite3'}")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        ctx, _ = context(tmp_path / name, store=shared, campaign=CampaignPart(id=name, ruleset="tiny", scenario=""))
        tick(ctx)
    restore(back_up(ctx, tmp_path / "b.tar.gz"), tmp_path / "out")
    with closing(sqlite3.connect(tmp_path / "out" / "campaign.sqlite3")) as connection:
        assert connection.execute("SELECT id FROM campaigns").fetchall() == [("b",)]
        assert connection.execute("SELECT DISTINCT campaign_id FROM posts").fetchall() == [("b",)]
    shared.close()


def test_missing_driver_and_unreachable_server_are_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StoreProblem, match="не открывается") as found:
        Store("postgresql+psycopg://nobody:s3cret@127.0.0.1:1/none?connect_timeout=2")
    assert "\n" not in str(found.value)
    assert "s3cret" not in str(found.value)
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(StoreProblem, match=r"forum-gm\[postgresql\]"):
        Store("postgresql+psycopg://nobody@127.0.0.1:1/none")


def test_damaged_copy_leaves_no_folder(tmp_path: Path) -> None:
    ctx, _ = campaign(tmp_path / "one", "")
    tick(ctx)
    with closing(sqlite3.connect(tmp_path / "one" / "campaign.sqlite3", isolation_level=None)) as connection:
        connection.execute("UPDATE dice_secrets SET public_secret = '00'")
    with pytest.raises(UsageProblem, match="Копия повреждена"):
        restore(back_up(ctx, tmp_path / "copy.tar.gz"), tmp_path / "two")
    assert not (tmp_path / "two").exists()
    ctx.close()
