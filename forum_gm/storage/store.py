"""Opens the database, keeps its schema current, and hands out transactions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from sqlalchemy import event
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from forum_gm.errors import ForumGmError

MIGRATIONS = Path(__file__).parent / "migrations"
READ_ONLY = "forum_gm_read_only"


def newest_migration() -> str:
    """The number of the last migration: their files are named `0001_what_it_does.py`."""
    return max(path.name.split("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


class StoreProblem(ForumGmError):
    """The database can't be used; the message says what to do."""


def sqlite_url(path: Path) -> str:
    """The URL of a database file."""
    return f"sqlite:///{path}"


class Store:
    """A database of campaigns. Safe to use from several threads; each transaction is its own session."""

    def __init__(self, url: str, *, create: bool = True) -> None:
        """Opens `url` and brings its schema up to date. Raises `StoreProblem`."""
        self.url = url
        try:
            self.engine = sa.create_engine(url, pool_pre_ping=not url.startswith("sqlite"))
        except ImportError as error:
            raise StoreProblem(
                f"Нет драйвера базы данных «{error.name}»; для PostgreSQL: pip install 'forum-gm[postgresql]'."
            ) from error
        except (ArgumentError, NoSuchModuleError) as error:
            raise StoreProblem(f"Неверный адрес базы данных: {error}") from error
        if self.engine.dialect.name == "sqlite":
            _prepare_sqlite(self.engine, create=create)
        self._sessions = sessionmaker(self.engine, expire_on_commit=False)
        looking: dict[str, Any] = {READ_ONLY: True}
        if self.engine.dialect.name == "postgresql":
            # As SQLite does it by itself: all of one look is of the same moment.
            looking["isolation_level"] = "REPEATABLE READ"
        self._readers = sessionmaker(self.engine.execution_options(**looking), expire_on_commit=False)
        try:
            self.upgrade()
        except SQLAlchemyError as error:
            raise StoreProblem(f"База данных не открывается: {_short(error)}.") from error

    def upgrade(self) -> None:
        """Applies the migrations that are missing."""
        if self._version() == newest_migration():
            return
        with self.engine.begin() as connection:
            config = Config()
            config.set_main_option("script_location", str(MIGRATIONS))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    def _version(self) -> str | None:
        with self.engine.connect() as connection:
            if not sa.inspect(connection).has_table("alembic_version"):
                return None
            return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction: everything in it happens, or nothing."""
        with self._sessions.begin() as session:
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A consistent look at the data; nothing is written."""
        with self._readers() as session:
            yield session

    def integrity(self) -> str | None:
        """What the database engine itself finds broken; None: nothing."""
        if self.engine.dialect.name != "sqlite":
            return None
        with self.engine.connect() as connection:
            answer = connection.execute(sa.text("PRAGMA integrity_check")).scalars().first()
        return None if answer == "ok" else str(answer)

    def close(self) -> None:
        """Gives back all connections."""
        self.engine.dispose()


def _short(error: SQLAlchemyError) -> str:
    return str(getattr(error, "orig", None) or error).splitlines()[0]


def _prepare_sqlite(engine: sa.Engine, *, create: bool) -> None:
    path = engine.url.database
    if path and path != ":memory:" and not create and not Path(path).exists():
        raise StoreProblem(f"Нет базы данных {Path(path).name}: создайте кампанию командой forum-gm init.")

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions are ours: the driver's own are begun too late
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "foreign_keys=ON", "busy_timeout=20000", "synchronous=NORMAL"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        # A writer takes the lock at once, so that two of them wait for each other instead of failing half-way.
        reader = connection.get_execution_options().get(READ_ONLY)
        connection.exec_driver_sql("BEGIN" if reader else "BEGIN IMMEDIATE")
