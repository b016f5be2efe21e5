"""`forum-gm demo --once`: a whole turn over real HTTP ends as players, GM and archivists expect; everything is verifiable."""

from __future__ import annotations

import json
import re
import shutil
from io import BytesIO
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from PIL import Image
from pypdf import PdfReader
from sqlalchemy import select

from forum_gm.cli import main
from forum_gm.demo import run as demo_run
from forum_gm.demo.script import Script, load
from forum_gm.errors import UsageProblem
from forum_gm.pipeline.context import open_folder
from forum_gm.pipeline.record import record_in_pdf
from forum_gm.pipeline.verify import verify
from forum_gm.storage.models import OutcomeRow, Post, Publication, PublicationStatus, Revision
from tests.e2e.conftest import run

pytestmark = pytest.mark.xdist_group("demo")

LIMIT = 256 * 1024
"""Bytes: the largest attachment that a board takes by default."""


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def posts(folder: Path, kind: str) -> list[str]:
    """Texts of one kind of post of the service, in the order in which they were sent."""
    return [path.read_text("utf-8") for path in sorted((folder / "posts").glob(f"*-{kind}-*"))]


def pdf_text(path: Path) -> str:
    return " ".join(" ".join(page.extract_text() for page in PdfReader(path).pages).split())


def embedded_faces(path: Path) -> set[str]:
    found: set[str] = set()
    for page in PdfReader(path).pages:
        for font in page["/Resources"].get("/Font", {}).values():  # type: ignore[union-attr,attr-defined]
            found.add(str(font.get_object()["/BaseFont"]).split("+")[-1].lstrip("/"))
    return found


# ------------------------------------------------------------------------------------------------ what is left behind


def test_leaves_thread_map_digest_chronicle_and_campaign_and_nothing_else(demo: Path) -> None:
    left = {name for name in files(demo) if not name.startswith(("posts/", "thread_files/"))}
    assert left == {
        ".forum-gm-demo",
        "campaign.sqlite3",
        "chronicle.pdf",
        "config.toml",
        "demo-password.txt",
        "files/t01/t01-map.png",
        "files/t01/t01.pdf",
        "scenario.toml",
        "thread.html",
    }


def test_again_in_another_folder_leaves_the_same_bytes(demo: Path, tmp_path: Path) -> None:
    other = tmp_path / "Другая папка"
    assert run("demo", "--once", "--dir", str(other)) == 0
    first, second = files(demo), files(other)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def test_other_seed_gives_other_dice(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(ruleset: str) -> Script:
        return load(ruleset).model_copy(update={"posts": ()})

    monkeypatch.setattr(demo_run, "load", silent)
    other = tmp_path / "seed"
    assert run("demo", "--once", "--dir", str(other), "--seed", "другое") == 0
    secret = re.compile(r"^секрет: ([0-9a-f]{64})$|\[code\]секрет: ([0-9a-f]{64})", re.M)
    found = [secret.search(posts(folder, "report")[0]) for folder in (demo, other)]
    assert all(found)
    assert found[0][0] != found[1][0]  # type: ignore[index]


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("важное")
    with pytest.raises(UsageProblem, match="не пуста"):
        demo_run.fresh(tmp_path)
    assert (tmp_path / "mine.txt").exists()


# ------------------------------------------------------------------------------------------------ verification


def test_campaign_and_chronicle_verify(demo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("verify", str(demo)) == 0
    assert "Всё сходится: итогов пересчитано 1" in capsys.readouterr().out
    alone = tmp_path / "летопись.pdf"
    alone.write_bytes((demo / "chronicle.pdf").read_bytes())
    assert run("verify", str(alone)) == 0
    assert capsys.readouterr().out


TAMPERED = {
    "outcome: state": b'"energy":',
    "outcome: events": b'"rule":"R',
    "outcome: sheets": b'"issuer":"',
    "order: command": b'"type":"attack_neutral"',
    "order: sacrifice": b'"shard":"h_morwen_2"',
    "what a player wrote": "кабак на Слободе".encode(),
    "seal": None,
}


@pytest.mark.parametrize("what", [*TAMPERED, "dice secret", "dice commitment"])
def test_any_changed_byte_is_found(demo: Path, tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    ctx = open_folder(demo)
    with ctx.store.reading() as session:
        row = session.scalars(select(OutcomeRow).where(OutcomeRow.number == 1)).one()
        seal = row.digest.encode()
    ctx.close()
    report = posts(demo, "report")[0]
    revealed = re.search(r"секрет: ([0-9a-f]{64})", report)
    promised = re.search(r"объявленный до приказов: ([0-9a-f]{64})", report)
    assert revealed is not None
    assert promised is not None
    needle = {**TAMPERED, "seal": seal, "dice secret": revealed[1].encode(), "dice commitment": promised[1].encode()}[what]
    assert needle is not None
    copy = tmp_path / "copy"
    shutil.copytree(demo, copy)
    database = copy / "campaign.sqlite3"
    raw = bytearray(database.read_bytes())
    places = [match.end() - 1 for match in re.finditer(re.escape(needle), bytes(raw))]
    assert places
    # The last byte of the first and of the last place where it stands.
    for place in {places[0], places[-1]}:
        changed = bytearray(raw)
        changed[place] ^= 1
        database.write_bytes(changed)
        assert run("verify", str(copy)) == 1
        told = capsys.readouterr().err.strip()
        assert len(told.splitlines()) == 1
        assert "Traceback" not in told


@pytest.mark.parametrize("changed", ["secret", "posts", "draws"])
def test_changed_record_of_a_chronicle_is_found(demo: Path, tmp_path: Path, changed: str) -> None:
    record = record_in_pdf(demo / "chronicle.pdf")
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record), "utf-8")
    assert run("verify", str(path)) == 0
    first = record["outcomes"][0]
    first["secret"] = first["secret"][::-1] if changed == "secret" else first["secret"]
    first["posts"] = first["posts"][:-1] if changed == "posts" else first["posts"]
    first["draws"][0]["result"] += changed == "draws"
    path.write_text(json.dumps(record), "utf-8")
    assert run("verify", str(path)) == 1


# ------------------------------------------------------------------------------------------------ what happens to posts


def sheets(folder: Path) -> dict[str, list[dict[str, object]]]:
    ctx = open_folder(folder)
    with ctx.store.reading() as session:
        found = {sheet["issuer"]: sheet["commands"] for sheet in ctx.outcome(session, 1).sheets}
    ctx.close()
    return found


def test_nonsense_line_comes_back_in_one_sentence_with_its_place_and_the_others_count(demo: Path) -> None:
    answer = next(text for text in posts(demo, "ack") if "кабак" in text)
    told = [line for line in answer.splitlines() if "кабак" in line and not line.startswith("[quote]")]
    assert told == ["строка 4, ошибка: Такого приказа в игре нет: «Строю кабак на Слободе Рубак»."]
    assert "[quote]2. [b][u]Строю кабак на Слободе Рубак[/u][/b][/quote]" in answer
    assert [command["type"] for command in sheets(demo)["buyny"]] == ["attack_neutral", "invest_defence", "vote_rune"]
    private = next(text for text in posts(demo, "private") if "Ваш мир" in text and "Слобода Рубак" in text)
    assert "Строю кабак" in private


def test_roleplay_around_orders_is_left_alone(demo: Path) -> None:
    assert [command["type"] for command in sheets(demo)["kael"]] == [
        "attack_neutral",
        "invest_defence",
        "set_defence_tactic",
        "vote_rune",
    ]


def test_split_post_adds_to_the_first_and_changes_its_vote(demo: Path) -> None:
    commands = sheets(demo)["morwen"]
    assert {"type": "sacrifice", "shard": "h_morwen_2"} in commands
    assert [command["rune"] for command in commands if command["type"] == "vote_rune"] == ["abundance"]
    assert [command["type"] for command in commands].count("attack_neutral") == 1


def test_edit_before_the_deadline_counts_and_is_answered_again(demo: Path) -> None:
    ctx = open_folder(demo)
    with ctx.store.reading() as session:
        assert len(session.scalars(select(Revision).where(Revision.number == 2)).all()) == 1
    ctx.close()
    assert {"type": "invest_defence", "energy": 6} in sheets(demo)["askold"]
    assert len([text for text in posts(demo, "ack") if "Мельница Ветров" in text]) == 2


def test_late_post_does_not_count_and_its_author_is_told(demo: Path) -> None:
    ctx = open_folder(demo)
    with ctx.store.reading() as session:
        deadline = ctx.steps(session)[0].deadline
        assert deadline is not None
        players = session.scalars(select(Post).where(Post.role == "player")).all()
        assert [post.issuer for post in players if post.posted_at > deadline] == ["rzhavy"]
        assert {row.status for row in session.scalars(select(Publication))} == {PublicationStatus.CONFIRMED}
        assert "Всё сходится" in verify(ctx)
    ctx.close()
    assert "rzhavy" not in sheets(demo)
    told = next(text for text in posts(demo, "ack") if "Погост" in text)
    assert "пришло после срока" in told


# ------------------------------------------------------------------------------------------------ what is shown


def test_report_explains_every_number_and_cites_its_rule(demo: Path) -> None:
    report = posts(demo, "report")[0]
    assert report.index("захватил осколок") < report.index("[spoiler=")
    assert "Морвен — 12э (1 перемещ.) — [Лучники](5)*1 + [Священная](6)*1 + [Воин](+3) = 14" in report
    for rule in ("R11", "R41", "R64", "R73", "R82"):
        assert f"[{rule}]" in report
    assert "SHA-256" in report
    for tag in ("b", "list", "table", "spoiler", "size", "color", "code"):
        assert len(re.findall(rf"\[{tag}(?:=[^\]]*)?\]", report)) == report.count(f"[/{tag}]"), tag


def test_every_lord_gets_his_own_report_and_nobody_elses_secrets(demo: Path) -> None:
    private = posts(demo, "private")
    assert len(private) == 6
    assert all("Ваша энергия" in text for text in private)
    assert sum("+5э" in text and "Кошель эфира" in text for text in private) == 1
    assert "Кошель эфира" not in posts(demo, "report")[0]


def test_thread_is_a_page_of_its_own(demo: Path) -> None:
    page = BeautifulSoup((demo / "thread.html").read_text("utf-8"), "lxml")
    assert "ЗА №14. Печати Хаоса" in page.get_text()
    assert len(page.select(".post")) >= 10
    assert "Выбрана Руна Изобилия" in page.get_text()
    for tag, name in (("img", "src"), ("a", "href"), ("link", "href")):
        for element in page.select(f"{tag}[{name}]"):
            address = str(element[name])
            assert "sid=" not in address
            if address.startswith("thread_files/"):
                assert (demo / address).exists()


def test_map_is_a_picture_that_a_board_takes(demo: Path) -> None:
    raw = (demo / "files/t01/t01-map.png").read_bytes()
    assert len(raw) <= LIMIT
    picture = Image.open(BytesIO(raw))
    assert picture.format == "PNG"
    assert picture.width >= 900
    assert len(picture.convert("RGB").getcolors(1 << 24) or ()) > 20


@pytest.mark.parametrize("name", ["files/t01/t01.pdf", "chronicle.pdf"])
def test_pdf_has_selectable_russian_text_bookmarks_and_shipped_faces_only(demo: Path, name: str) -> None:
    path = demo / name
    assert path.stat().st_size <= LIMIT
    reader = PdfReader(path)
    text = pdf_text(path)
    for words in ("ЗА №14. Печати Хаоса", "Круг Седых Камней", "Миры владык", "Честные кости", "стр. 2 из"):
        assert words in text, words
    assert reader.metadata is not None
    assert "Печати Хаоса" in str(reader.metadata.title)
    assert str(reader.trailer["/Root"]["/Lang"]).startswith("ru")  # type: ignore[index]
    assert reader.outline
    assert all(re.match(r"(PT-?Serif|PT-?Sans|IBM-?Plex-?Mono|forum)", face, re.I) for face in embedded_faces(path)), (
        embedded_faces(path)
    )


def test_mistake_on_the_command_line_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        main(["demo", "--once", "--ruleset", "шашки"])
    assert done.value.code == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
