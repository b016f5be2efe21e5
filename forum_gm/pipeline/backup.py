"""One file with everything: the campaign's settings, scenario, files and database, in an archive that says what it is."""

from __future__ import annotations

import io
import json
import re
import shutil
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from forum_gm.config import FILE_NAME, read_settings, toml_value
from forum_gm.errors import ForumGmError, UsageProblem
from forum_gm.pipeline.context import Context
from forum_gm.storage.base import Base, row_digest
from forum_gm.storage.store import Store, sqlite_url
from forum_gm.storage.transfer import campaigns_in, copy_campaign
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
    """The campaign's rows as an SQLite file, whatever database they live in; no other campaign's."""
    target = ctx.folder / ".backup.sqlite3"
    target.unlink(missing_ok=True)
    try:
        with ctx.store.engine.connect() as source:
            alone = campaigns_in(source) in ([], [ctx.campaign_id])
            if ctx.store.engine.dialect.name != "sqlite" or not alone:
                store = Store(sqlite_url(target))
                with store.engine.begin() as copy:
                    copy_campaign(source, copy, ctx.campaign_id)
                store.close()
                return target.read_bytes()
        live = ctx.store.engine.url.database
        with closing(sqlite3.connect(str(live))) as whole, closing(sqlite3.connect(target)) as duplicate:
            whole.backup(duplicate)
        return target.read_bytes()
    finally:
        for leftover in target.parent.glob(target.name + "*"):
            leftover.unlink()


def restore(archive_path: Path, folder: Path, database: str | None = None) -> str:
    """Unpacks a backup into a new or empty folder and returns the campaign's id.

    Its rows go where the backup's settings say: into the folder's own file, or into the database that they name. `database`
    says otherwise, and is written into the settings: an address, or empty for the folder's own file.

    Raises `UsageProblem`: not a backup, a folder that holds something, a damaged row; `StoreProblem`: a database that can't be
    reached or has no room for the campaign. The folder is then as it was."""
    if folder.exists() and any(folder.iterdir()):
        raise UsageProblem(f"Папка {folder} не пуста: восстановите копию в новую папку.")
    there = folder.exists()
    try:
        campaign = _unpack(archive_path, folder)
        _check(folder / DATABASE)
        if database is not None:
            _name_database(folder, database)
        _move_in(folder, campaign)
    except ForumGmError:
        _clear(folder, keep=there)
        raise
    return campaign


def _clear(folder: Path, *, keep: bool) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if keep:
        folder.mkdir(parents=True, exist_ok=True)


def _unpack(archive_path: Path, folder: Path) -> str:
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
    return str(about["campaign"])


def _check(path: Path) -> None:
    """Every row is as it was sealed."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        for table in Base.metadata.sorted_tables:
            for row in connection.execute(f'SELECT * FROM "{table.name}"'):  # noqa: S608 (our own table names)
                if row_digest(dict(row)) != row["digest"]:
                    raise UsageProblem(f"Копия повреждена: таблица {table.name}, запись {row[0]}.")


def _name_database(folder: Path, database: str) -> None:
    """Writes into the settings where the data is kept; whatever else its owner wrote there stays."""
    path = folder / FILE_NAME
    text = path.read_text("utf-8")
    line = f"database = {toml_value(database)}"
    changed, count = re.subn(r"^database\s*=.*$", lambda _: line, text, count=1, flags=re.M)
    if not count:
        changed = re.sub(r"^\[campaign\].*$", lambda found: f"{found[0]}\n{line}", text, count=1, flags=re.M)
    path.write_text(changed, "utf-8")
    if read_settings(folder).campaign.database != database:
        raise UsageProblem(f"В {FILE_NAME} не нашлось, куда записать адрес базы: впишите campaign.database сами.")


def _move_in(folder: Path, campaign: str) -> None:
    """Brings the rows into the database that the settings name, where that isn't the folder's own file."""
    if not (folder / FILE_NAME).exists():
        return
    own = folder / DATABASE
    url = read_settings(folder).database_url(folder)
    if url == sqlite_url(own.resolve()):
        return
    source, target = Store(sqlite_url(own)), Store(url)
    try:
        with source.engine.connect() as rows, target.engine.begin() as connection:
            copy_campaign(rows, connection, campaign)
    finally:
        source.close()
        target.close()
    for leftover in folder.glob(f"{DATABASE}*"):
        leftover.unlink()
