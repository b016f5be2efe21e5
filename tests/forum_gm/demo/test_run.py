"""`forum-gm demo --once`: a whole turn over real HTTP; the same bytes in any folder; everything verifiable."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from sqlalchemy import select

from forum_gm.cli import main
from forum_gm.errors import UsageProblem
from forum_gm.pipeline.context import open_folder
from forum_gm.storage.models import Post, Publication, Revision

REPEATED = ("thread*.html", "files/**/*.png", "files/**/*.pdf", "posts/*", "chronicle.pdf", "config.toml", "scenario.toml")


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as done:
        main(list(arguments))
    return int(done.value.code or 0)


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for pattern in REPEATED
        for path in sorted(folder.glob(pattern))
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "one"
    assert run("demo", "--once", "--dir", str(path)) == 0
    return path


def test_leaves_thread_map_digest_and_a_campaign_that_verifies(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = digests(folder)
    assert {"thread.html", "files/t01/t01-map.png", "files/t01/t01.pdf", "chronicle.pdf"} <= set(made)
    assert run("verify", str(folder)) == 0
    assert run("verify", str(folder / "chronicle.pdf")) == 0
    assert "Всё сходится" in capsys.readouterr().out
    thread = (folder / "thread.html").read_text("utf-8")
    assert "Круг Седых Камней" in thread
    assert "Выбрана Руна Изобилия" in thread
    assert "sid=" not in thread


def test_again_in_another_folder_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "Другая папка"
    assert run("demo", "--once", "--dir", str(other)) == 0
    assert digests(other) == digests(folder)


def test_everything_players_do_is_in_the_store(folder: Path) -> None:
    ctx = open_folder(folder)
    with ctx.store.reading() as session:
        revisions = session.scalars(select(Revision).where(Revision.number == 2)).all()
        assert len(revisions) >= 1
        step = ctx.steps(session)[0]
        late = [p for p in session.scalars(select(Post).where(Post.role == "player")) if p.posted_at > step.deadline]
        assert [post.issuer for post in late] == ["rzhavy"]
        sheets = {sheet["issuer"]: sheet["commands"] for sheet in ctx.outcome(session, 1).sheets}
        assert "rzhavy" not in sheets
        assert {"type": "invest_defence", "energy": 6} in sheets["askold"]
        assert {"type": "sacrifice", "shard": "h_morwen_2"} in sheets["morwen"]
        answers = session.scalars(select(Publication).where(Publication.kind == "ack")).all()
        mistake = next(answer for answer in answers if "кабак" in answer.body)
        assert "строка 4, ошибка" in mistake.body


def test_other_seed_gives_other_dice(folder: Path, tmp_path: Path) -> None:
    assert run("demo", "--once", "--dir", str(tmp_path / "seed"), "--seed", "другое") == 0
    opening = next((tmp_path / "seed" / "posts").glob("01-*")).read_text("utf-8")
    assert opening != next((folder / "posts").glob("01-*")).read_text("utf-8")


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    from forum_gm.demo.run import fresh

    (tmp_path / "mine.txt").write_text("важное")
    with pytest.raises(UsageProblem, match="не пуста"):
        fresh(tmp_path)
    assert (tmp_path / "mine.txt").exists()
