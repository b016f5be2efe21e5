"""Every fault of the matrix by a word, at the start or while the rehearsal runs, over real HTTP; each told in one Russian sentence."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from forum_gm.demo.board import Fault, FaultKind
from forum_gm.demo.board.faults import RUSSIAN
from forum_gm.forums import errors
from forum_gm.forums.base import Upload
from forum_gm.forums.phpbb3 import PhpBB3

sys.path.insert(0, str(Path(__file__).parent))
from rehearsal import Rehearsal, anew, rehearsal


@pytest.fixture(scope="module")
def first() -> Iterator[Rehearsal]:
    with rehearsal() as made:
        yield made


SAID = {
    FaultKind.TIMEOUT_BEFORE: errors.Undecided,
    FaultKind.GATEWAY_BEFORE: errors.Undecided,
    FaultKind.CUT_BEFORE: errors.Undecided,
    FaultKind.UNAVAILABLE: errors.Undecided,
    FaultKind.STORE_LATE: errors.Undecided,
    FaultKind.INBOX_FULL: errors.InboxFull,
    FaultKind.QUOTA: errors.AttachmentRefused,
    FaultKind.LOCKED: errors.TopicLocked,
    FaultKind.FORUM_LOCKED: errors.ForumLocked,
    FaultKind.FORBIDDEN: errors.Forbidden,
    FaultKind.MAINTENANCE: errors.Maintenance,
    FaultKind.CLOUDFLARE: errors.Protected,
    FaultKind.CROSSED: errors.EditConflict,
    FaultKind.CAPTCHA: errors.LoginCaptcha,
    FaultKind.THROTTLE: errors.LoginCaptcha,
    FaultKind.NEW_LOOK: errors.NotATopic,
    FaultKind.TOO_LONG: errors.TooLong,
}
"""What the GM is told; faults that aren't here are dealt with."""


def do(stage: Rehearsal, client: PhpBB3, fault: Fault) -> None:
    """What somebody does on whom that fault strikes."""
    if fault.on == "login":
        stage.server.site.visits.clear()
        stage.server.site.keys.clear()
        client.relogin()
    elif fault.on == "read":
        client.read_topic(stage.topic)
    elif fault.on == "message":
        client.send_message("k", ["Буйный"], "Понял", "так")
    elif fault.on == "edit":
        client.edit("k", 4, "Пришли двое.")
    else:
        uploads = [Upload("map.png", b"\x89PNG")] if fault.on == "upload" else []
        client.reply("k", stage.topic, "Итоги. " * 40, uploads=uploads)


@pytest.mark.parametrize("kind", list(FaultKind), ids=lambda kind: kind.value)
def test_every_fault_by_its_word(first: Rehearsal, kind: FaultKind) -> None:
    stage = anew(first)
    client = stage.client()
    client.login()
    stage.clock.sleep(120)
    said = stage.world.faults.obey(kind.value)
    assert RUSSIAN[kind] in said
    fault = stage.world.faults.waiting[0]
    if kind is FaultKind.STORE_LATE:
        fault.delay = 600
    stage.hurry(client)
    if kind in SAID:
        with pytest.raises(SAID[kind]) as caught:
            do(stage, client, fault)
        sentence = str(caught.value)
        assert sentence[0].isupper()
        assert sentence.count("http") <= 1
        assert any(
            word in sentence
            for word in (
                "попробую",
                "подождите",
                "проверьте",
                "попросите",
                "укажите",
                "Посмотрите",
                "посмотрите",
                "уменьшите",
                "войдите",
            )
        )
    else:
        do(stage, client, fault)
    assert stage.world.faults.struck[kind] >= 1


def test_the_console_says_what_is_on_and_takes_it_back(first: Rehearsal) -> None:
    faults = anew(first).world.faults
    assert faults.obey("502-after@reply*2\n") == "Ждут своего часа: 502, но сохранено (502-after@reply, раз: 2)."
    assert faults.obey("captcha*-1").endswith("; вход просит код с картинки (captcha@login, всегда).")
    assert faults.obey("пожар").startswith("Не вышло: не понимаю сбой «пожар»")
    assert faults.obey("нет") == "Сбоев больше нет."
    assert faults.obey("что") == "Ждут своего часа: ничего."


@pytest.mark.parametrize("engine", ["3.3", "2.0"])
def test_the_command_runs_a_board_that_obeys_its_keyboard(engine: str) -> None:
    command = [sys.executable, "-c", "from forum_gm.cli import main; main()", "forum", "board"]
    command += ["--engine", engine, "--fault", "429@read", "--queue"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as board:
        assert board.stdin is not None
        assert board.stdout is not None
        try:
            lines: list[str] = []
            while not lines or "Ctrl+C" not in lines[-1]:
                line = board.stdout.readline()
                assert line, "".join(lines)
                lines.append(line)
            topic = next(line.split(": ")[-1].strip() for line in lines if line.startswith("Тема"))
            refused = requests.get(topic, timeout=20)
            assert (refused.status_code, refused.headers["Retry-After"]) == (429, "30")
            page = requests.get(topic, timeout=20)
            page.encoding = "windows-1251" if engine == "2.0" else "utf-8"
            assert (page.status_code, "Здесь можно пробовать всё" in page.text) == (200, True)
            board.stdin.write("cloudflare@read\n")
            board.stdin.flush()
            assert "проверка браузера Cloudflare" in board.stdout.readline()
            assert requests.get(topic, timeout=20).headers["cf-mitigated"] == "challenge"
            assert requests.get(topic, timeout=20).status_code == 200
        finally:
            board.terminate()
