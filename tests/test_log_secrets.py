"""The watch over the suite's logs does fail when somebody logs a secret: planted in a suite of its own, in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAD = """
import logging
import pytest
from tests.forum_gm.forums.rehearsal import rehearsal
log = logging.getLogger("forum_gm.forums.somewhere")


@pytest.fixture
def client():
    with rehearsal() as stage:
        yield stage.client()
"""
PLANTED = {
    "before_it_is_known": "log.info('вход: %s', client._password); client.login()",
    "nothing": "client.login(); log.debug('вход выполнен')",
    "password": "client.login(); log.debug('пароль: %s', client._password)",
    "cookie": "client.login(); log.debug('кука %s', client.transport.cookie('_sid'))",
    "all_cookies": "client.login(); log.debug('куки %s', {c.name: c.value for c in client.transport._session.cookies})",
    "address": "client.login(); log.debug('GET /viewtopic.php?t=1&sid=%s', client.transport.cookie('_sid'))",
    "traceback": """client.login()
    try:
        raise ValueError(client.transport.cookie('_sid'))
    except ValueError:
        log.exception('беда')""",
    "http_library": """monkeypatch.setattr('forum_gm.forums.transport.hide_secrets', str)
    client.login()""",
}
HARMLESS = {"nothing"}


def test_planted_leaks_are_found_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "test_planted.py"
    tests = "".join(f"\n\ndef test_{name}(client, monkeypatch):\n    {body}\n" for name, body in PLANTED.items())
    file.write_text(HEAD + tests, encoding="utf-8")
    (tmp_path / "conftest.py").write_bytes((ROOT / "tests" / "conftest.py").read_bytes())
    arguments = ["-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "-p", "no:xdist", "--import-mode=importlib", str(file)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    out = done.stdout + done.stderr
    assert f"{len(PLANTED)} passed, {len(PLANTED) - len(HARMLESS)} errors" in out, out
    assert done.returncode == 1
    assert set(re.findall(r"^ERROR test_planted\.py::test_(\w+) - Failed: в журнале тайна", out, re.M)) == set(PLANTED) - HARMLESS
    assert out.count("‹тайна›") >= len(PLANTED) - len(HARMLESS)
