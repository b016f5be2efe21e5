"""One file with everything: the campaign's settings, scenario, files and database, in an archive that says what it is."""

from __future__ import annotations

import io
import json
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from forum_gm.errors import UsageProblem
from forum_gm.pipeline.context import Context
from forum_gm.storage.base import Base, raw_columns, row_digest
from forum_gm.storage.store import Store
from forum_gm.wording import trouble

MARK = "forum-gm.json"
DATABASE = "campaign.sqlite3"
FORMAT = 1
LEFT_OUT = (".lock", DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", "cookies")
"""Names that don't belong into a backup: the live database (a copy of it goes in), locks, sessions."""


def back_up(ctx: Context, out: Path | None = None) -> Path:
    """Writes a backup file and returns its path; without `out` into the backup folder, where only the last ones are kept."""
    settings = ctx.settings.backup
    folder = ctx.folder / settings.folder
    path = out or folder / f"{ctx.campaign_id}-{ctx.clock.now():%Y%m%d-%H%M%S}.tar.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(path.name + ".part")
    with ctx.exclusive(), tarfile.open(half, "w:gz") as archive:
        mark = {"format": FORMAT, "campaign": ctx.campaign_id, "made_at": ctx.clock.now().isoformat()}
        _add(archive, MARK, json.dumps(mark).encode())
        _add(archive, DATABASE, _database(ctx))
        for file in _files(ctx):
            archive.add(file, arcname=str(file.relative_to(ctx.folder)))
    half.replace(path)
    path.chmod(0o600)
    if out is None:
        for old in sorted(folder.glob(f"{ctx.campaign_id}-*.tar.gz"))[: -settings.keep]:
            old.unlink()
    return path


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(content), 0o600
    archive.addfile(info, io.BytesIO(content))


def _files(ctx: Context) -> Iterator[Path]:
    backups = (ctx.folder / ctx.settings.backup.folder).resolve()
    secret = ctx.settings.forum.password_file
    for file in sorted(ctx.folder.rglob("*")):
        inside = file.relative_to(ctx.folder)
        if not file.is_file() or file.is_symlink() or backups in file.resolve().parents:
            continue
        if any(part.startswith(LEFT_OUT) for part in inside.parts) or str(inside) == secret or file.suffix == ".part":
            continue
        yield file


def _database(ctx: Context) -> bytes:
    """The campaign's rows as an SQLite file, whatever database they live in."""
    target = ctx.folder / ".backup.sqlite3"
    target.unlink(missing_ok=True)
    try:
        if ctx.store.engine.dialect.name == "sqlite":
            live = ctx.store.engine.url.database
            with closing(sqlite3.connect(str(live))) as source, closing(sqlite3.connect(target)) as copy:
                source.backup(copy)
        else:
            store = Store(f"sqlite:///{target}")
            with ctx.store.engine.connect() as source_connection:
                _copy(source_connection, store, ctx.campaign_id)
            store.close()
        return target.read_bytes()
    finally:
        for leftover in target.parent.glob(target.name + "*"):
            leftover.unlink()


def _copy(source: sa.Connection, store: Store, campaign_id: str) -> int:
    """Copies one campaign's rows as they are, seals and all; returns how many."""
    count = 0
    with store.engine.begin() as connection:
        for table in Base.metadata.sorted_tables:
            key = table.c.id if table.name == "campaigns" else table.c.campaign_id
            rows = [dict(row) for row in source.execute(sa.select(*raw_columns(table)).where(key == campaign_id)).mappings()]
            for row in rows:
                values = {name: sa.type_coerce(value, sa.types.NullType()) for name, value in row.items()}
                connection.execute(table.insert().values(values))
            count += len(rows)
    return count


def restore(archive_path: Path, folder: Path) -> str:
    """Unpacks a backup into a new or empty folder and returns the campaign's id.

    Raises `UsageProblem`: not a backup, a folder that holds something, a damaged row."""
    if folder.exists() and any(folder.iterdir()):
        raise UsageProblem(f"Папка {folder} не пуста: восстановите копию в новую папку.")
    try:
        with tarfile.open(archive_path, "r:gz") as archive:
            mark = archive.extractfile(MARK)
            about = json.loads(mark.read()) if mark else {}
            if about.get("format") != FORMAT:
                raise UsageProblem(f"{archive_path}: это не копия кампании forum-gm или её сделала другая версия.")
            folder.mkdir(parents=True, exist_ok=True)
            archive.extractall(folder, filter="data")
    except OSError as error:
        raise UsageProblem(f"{archive_path} не читается как копия кампании: {trouble(error)}.") from error
    except (KeyError, tarfile.TarError, ValueError) as error:
        raise UsageProblem(f"{archive_path} не читается как копия кампании: {error}.") from error
    (folder / MARK).unlink()
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        connection.row_factory = sqlite3.Row
        for table in Base.metadata.sorted_tables:
            for row in connection.execute(f'SELECT * FROM "{table.name}"'):  # noqa: S608 (our own table names)
                if row_digest(dict(row)) != row["digest"]:
                    raise UsageProblem(f"Копия повреждена: таблица {table.name}, запись {row[0]}.")
    return str(about["campaign"])
