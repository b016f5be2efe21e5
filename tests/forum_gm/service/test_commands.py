"""The campaign's commands at the command line: exit codes, one Russian sentence on standard error, no traceback."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from forum_gm.cli import main


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as done:
        main(list(arguments))
    return int(done.value.code or 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "Кампания 1"
    assert run("init", str(path), "--ruleset", "astral") == 0
    return path


def test_init_writes_a_commented_config_and_the_scenario(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (folder / "config.toml").read_text("utf-8")
    assert "# Номер общей темы" in text
    assert 'faction = "kael"' in text
    assert (folder / "scenario.toml").read_text("utf-8").strip()
    assert run("init", str(folder), "--ruleset", "astral") == 2
    assert "уже есть кампания" in capsys.readouterr().err


def test_check_names_each_thing_and_the_remedy(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", str(folder)) == 1
    out = capsys.readouterr().out
    assert "✗ форум: адрес не задан → впишите forum.url" in out
    assert "✓ правила: " in out


def test_begin_look_backup_restore_verify(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("poll", str(folder)) == 0
    assert run("orders", str(folder)) == 0
    assert "Шаг 1. Ход 1" in capsys.readouterr().out
    assert run("orders", str(folder), "--json") == 0
    assert json.loads(capsys.readouterr().out)["step_id"] == "t01"
    assert run("verify", str(folder)) == 0
    assert run("backup", str(folder), "--out", str(tmp_path / "b.tar.gz")) == 0
    assert run("restore", str(tmp_path / "b.tar.gz"), str(tmp_path / "new")) == 0
    assert run("verify", str(tmp_path / "new")) == 0
    with closing(sqlite3.connect(folder / "campaign.sqlite3", isolation_level=None)) as connection:
        connection.execute("UPDATE dice_secrets SET public_secret = '00' || substr(public_secret, 3)")
    capsys.readouterr()
    assert run("verify", str(folder)) == 1
    error = capsys.readouterr().err.strip()
    assert error == "Запись изменена после сохранения: секрет костей № 1."


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("poll", "нет такой папки"), 2, "forum-gm init"),
        (("resolve", "."), 2, "forum-gm init"),
        (("init", "x", "--ruleset", "шахматы"), 2, "Нет правил «шахматы»"),
        (("chronicle", "."), 2, "--out"),
        (("restore", "нет.tar.gz", "y"), 2, "не читается"),
    ],
)
def test_wrong_use_is_one_sentence(
    arguments: tuple[str, ...],
    code: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == code
    error = capsys.readouterr().err
    assert words in error
    assert len(error.strip().splitlines()) == 1


def test_acts_out_of_place_say_where_the_step_stands(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("poll", str(folder)) == 0
    for command in ("resolve", "approve"):
        assert run(command, str(folder)) == 1
        assert "Ход 1" in capsys.readouterr().err
    assert run("rollback", str(folder)) == 1
    assert "ни один шаг ещё не рассчитан" in capsys.readouterr().err


def test_record_file_is_verified_by_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "record.json"
    path.write_text('{"format": "other"}', "utf-8")
    assert run("verify", str(path)) == 1
    path.write_text('{"format": "forum-gm-record-1", "over": true, "outcomes": []}', "utf-8")
    assert run("verify", str(path)) == 0
    (tmp_path / "x.pdf").write_bytes(b"%PDF-1.7\nnothing")
    assert run("verify", str(tmp_path / "x.pdf")) == 1
    assert "нет записи кампании" in capsys.readouterr().err
