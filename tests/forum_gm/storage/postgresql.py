"""A PostgreSQL server of the tests' own, in a temporary folder, reached by a socket only; None where the programs are missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OWNER = "postgres"
"""The account that Debian's package makes; the server refuses to run as root."""


def programs() -> Path | None:
    """The folder with `initdb` and `pg_ctl`."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    on_path = shutil.which("pg_ctl")
    if on_path:
        return Path(on_path).resolve().parent
    return found[-1].parent if found else None


@contextmanager
def server() -> Iterator[str | None]:
    """Address of a database of the server, with `{}` for its name."""
    folder = programs()
    as_owner: list[str] = []
    if folder is not None and os.geteuid() == 0:
        runuser = shutil.which("runuser")
        known = subprocess.run(["id", OWNER], capture_output=True, check=False).returncode == 0
        if runuser is None or not known:
            folder = None
        else:
            as_owner = [runuser, "-u", OWNER, "--"]
    if folder is None:
        yield None
        return
    # A socket's path must be short, so the folder isn't pytest's.
    home = Path(tempfile.mkdtemp(prefix="forum-gm-pg-"))
    if as_owner:
        shutil.chown(home, OWNER)
    data = home / "data"

    def run(program: str, *arguments: str) -> None:
        subprocess.run([*as_owner, str(folder / program), *arguments], check=True, capture_output=True, cwd=home, timeout=120)

    try:
        run("initdb", "-D", str(data), "-U", OWNER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories={home} -c fsync=off"
        run("pg_ctl", "-D", str(data), "-l", str(home / "log"), "-o", options, "-w", "start")
        try:
            yield f"postgresql+psycopg://{OWNER}@/{{}}?host={home}"
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)
