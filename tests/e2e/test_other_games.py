"""`forum-gm demo --once` of the other two games: a complete game turn with all its steps, from posts to a verified campaign."""

from __future__ import annotations

from pathlib import Path

import pytest
from pypdf import PdfReader
from sqlalchemy import select

from forum_gm.pipeline.context import open_folder
from forum_gm.storage.models import Publication, PublicationStatus, StepStatus
from tests.e2e.conftest import run

GAMES = [pytest.param(game, marks=pytest.mark.xdist_group(f"demo-{game}")) for game in ("steel_rose", "grand_strategy")]
STEPS = {
    "steel_rose": ["t01", "t01.w1.deployment", "t01.w1.planning", "t01.w1.capture"],
    "grand_strategy": ["y1.aelin", "y1.thorgrim", "y1.ghash", "y1.ghash.battles", "y1.radomir"],
}
ORDERS = {
    "steel_rose": {
        "t01": {"empire": 5, "principality": 5, "elves": 4, "cult": 1},
        "t01.w1.deployment": {"empire": 1, "principality": 1},
        "t01.w1.planning": {"empire": 1, "principality": 2},
        "t01.w1.capture": {"empire": 1},
    },
    "grand_strategy": {
        "y1.aelin": {"aelin": 3},
        "y1.thorgrim": {"thorgrim": 4},
        "y1.ghash": {"ghash": 4},
        "y1.ghash.battles": {"ghash": 1},
        "y1.radomir": {},
    },
}
TOLD = {
    "steel_rose": ["Победили нападающие: Империя.", "Город колонизирован."],
    "grand_strategy": [
        "Аэлин нанимает эльфов",
        "серебряный рудник — неудача (кубик 2)",
        "дракон в горе У11 №1: обстрел[/td][td]«Волчьи всадники» №3: оборона",
        "Погибли: «Волчьи всадники»",
        "Радомир пропускает ход",
    ],
}
UNKNOWN = {
    "steel_rose": "Такого приказа в игре нет: «Построить воздушный порт в Сталеваре».",
    "grand_strategy": "Такого приказа в игре нет: «Построить пивоварню у ворот».",
}


@pytest.fixture(scope="module", params=GAMES)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    game = str(request.param)
    folder = tmp_path_factory.mktemp("demo") / game
    assert run("demo", "--once", "--ruleset", game, "--dir", str(folder)) == 0
    return game, folder


def test_every_step_of_the_turn_is_played_and_published(played: tuple[str, Path]) -> None:
    game, folder = played
    ctx = open_folder(folder)
    with ctx.store.reading() as session:
        steps = [step for step in ctx.steps(session) if step.status == StepStatus.PUBLISHED]
        assert [step.step_id for step in steps] == STEPS[game]
        counts = {
            step.step_id: {sheet["issuer"]: len(sheet["commands"]) for sheet in ctx.outcome(session, step.number).sheets}
            for step in steps
        }
        assert {row.status for row in session.scalars(select(Publication))} == {PublicationStatus.CONFIRMED}
    ctx.close()
    assert counts == ORDERS[game]
    assert run("verify", str(folder)) == 0


def test_result_is_told_in_thread_messages_and_books(played: tuple[str, Path]) -> None:
    game, folder = played
    reports = "".join(path.read_text("utf-8") for path in sorted((folder / "posts").glob("*-report-*")))
    for words in TOLD[game]:
        assert words in reports
    answers = [path.read_text("utf-8") for path in sorted((folder / "posts").glob("*-ack-*"))]
    assert sum(UNKNOWN[game] in text for text in answers) == 1
    assert any("пришло после срока" in text for text in answers)
    for path in folder.rglob("*.pdf"):
        assert len(PdfReader(path).pages[0].extract_text()) > 20
    for path in (folder / "files").rglob("*.*"):
        assert not path.is_file() or path.stat().st_size <= 256 * 1024, path.name
    chronicle = " ".join(" ".join(page.extract_text() for page in PdfReader(folder / "chronicle.pdf").pages).split())
    assert TOLD[game][0] in chronicle
