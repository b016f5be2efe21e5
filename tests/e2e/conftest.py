"""The demo, played once for all tests here: a whole turn over real HTTP takes some seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from forum_gm.cli import main


def run(*arguments: str) -> int:
    """The command line; its exit code."""
    with pytest.raises(SystemExit) as done:
        main(list(arguments))
    return int(done.value.code or 0)


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `forum-gm demo --once` left. Tests that change something work on a copy."""
    folder = tmp_path_factory.mktemp("demo") / "first"
    assert run("demo", "--once", "--dir", str(folder)) == 0
    return folder
