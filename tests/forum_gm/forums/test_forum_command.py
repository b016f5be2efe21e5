"""`forum-gm forum read` and `forum-gm forum board` as scripts call them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from forum_gm import cli

sys.path.insert(0, str(Path(__file__).parent))
from rehearsal import rehearsal


def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["forum-gm", *arguments])
    code = 0
    try:
        cli.main()
    except SystemExit as ended:
        code = int(ended.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def test_a_topic_as_one_json_document(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with rehearsal(per_page=3) as stage:
        code, out, _ = call(capsys, monkeypatch, "forum", "read", stage.server.topic_url(stage.topic), "--pause", "0", "--json")
    data: dict[str, Any] = json.loads(out)
    assert code == 0
    assert (data["engine"], data["topic"]["id"], data["topic"]["title"]) == ("phpbb3", 1, "Печати Хаоса")
    assert [(post["id"], post["author_id"]) for post in data["posts"]] == [(1, 2), (2, 4), (3, 5), (4, 3)]
    assert data["posts"][1] == {
        "id": 2,
        "author": "Буйный",
        "author_id": 4,
        "time": "2026-05-01T09:10:00Z",
        "subject": "Re: Печати Хаоса",
        "edited": None,
        "text": "Атакую 000.",
        "quotes": [],
        "attachments": [],
        "visibility": "approved",
    }


def test_saved_pages_in_any_order(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with rehearsal(per_page=3) as stage:
        client = stage.client("")
        for number in (0, 3):
            page, _ = client.fetch(client.topic_address(stage.topic, number))
            (tmp_path / f"{number}.html").write_text(page.text, "utf-8")
    code, out, _ = call(capsys, monkeypatch, "forum", "read", str(tmp_path / "3.html"), str(tmp_path / "0.html"), "--json")
    assert code == 0
    assert [post["id"] for post in json.loads(out)["posts"]] == [1, 2, 3, 4]


def test_what_is_no_topic_is_said_in_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = tmp_path / "новости.html"
    page.write_text("<html><body><h1>Новости</h1></body></html>", "utf-8")
    code, out, err = call(capsys, monkeypatch, "forum", "read", str(page), "--json")
    assert (code, out) == (1, "")
    assert "Не узнаю движок форума" in err
    code, _, err = call(capsys, monkeypatch, "forum", "read", str(tmp_path / "нет.html"))
    assert code == 2
    assert "нет такого файла" in err
    assert "Traceback" not in err


def test_the_rehearsal_board_lists_its_faults_in_russian(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = call(capsys, monkeypatch, "forum", "board", "--faults")
    assert code == 0
    assert "502-after" in out
    assert "502, но сохранено" in out
    code, _, err = call(capsys, monkeypatch, "forum", "board", "--fault", "пожар")
    assert code == 2
    assert "не понимаю сбой «пожар»" in err


def test_check_shows_what_a_profile_of_ones_own_extracts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page, profile = tmp_path / "тема.html", tmp_path / "мой.toml"
    page.write_text(
        '<html><body><h1>Партия</h1><div class="p" id="m7"><i>Мария</i><u>вчера</u><div class="t">Стою</div></div></body></html>',
        "utf-8",
    )
    text = 'name = "мой"\n[topic]\ntitle = "h1"\n[post]\nselect = ".p"\nbody = ".t"\nid = { attribute = "id", match = "m(\\\\d+)" }\n'
    profile.write_text(text + 'author = { select = "i" }\ntime = { select = "u" }\n', "utf-8")
    code, out, _ = call(capsys, monkeypatch, "check", str(page), "--engine", str(profile))
    assert code == 1
    assert "✓ движок: мой" in out
    assert "✗ сообщение 1 по порядку: post.time нашёл «вчера», но это не дата" in out
    page.write_text(page.read_text("utf-8").replace("вчера", "01.05.2026, 12:30"), "utf-8")
    code, out, _ = call(capsys, monkeypatch, "check", str(page), "--engine", str(profile))
    assert code == 0
    assert "✓ №7 · Мария [—] · 2026-05-01 09:30:00 UTC, с точностью до минуты" in out
    assert "✓     Стою" in out
