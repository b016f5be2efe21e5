"""`forum-gm check` against a board over HTTP: weather, rights in each topic, the text layout of maps."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from forum_gm.config import Account, BoardPart, ChannelsPart, ForumPart, PlayerPart, Settings, write_settings
from forum_gm.demo.board import Fault, FaultKind
from forum_gm.pipeline import doctor
from forum_gm.pipeline.context import Context
from forum_gm.pipeline.forum_board import ForumBoard
from forum_gm.service import tick
from forum_gm.storage import Store
from forum_gm.storage.journal import SqlJournal
from rules import registry
from tests.forum_gm.forums.rehearsal import Rehearsal, rehearsal
from tests.forum_gm.pipeline.tiny import settings


@pytest.fixture(scope="module")
def stage() -> Iterator[Rehearsal]:
    with rehearsal(flood=0) as stage:
        yield stage


def written(stage: Rehearsal, folder: Path, *, private: int = 0) -> Settings:
    """A campaign of the smallest shipped game on the board; its first two sides have players."""
    rules = registry.get("astral")
    first, second = (f.id for f in rules.factions(rules.new_game(rules.load_scenario(None)))[:2])
    config = settings(
        campaign=settings().campaign.model_copy(update={"ruleset": "astral"}),
        forum=ForumPart(url=stage.server.url, user="Летописец", password_file="secret"),
        channels=ChannelsPart(topic=stage.topic),
        board=BoardPart(),
        players=(
            PlayerPart(faction=first, accounts=(Account(id=str(stage.buyny), name="Буйный"),), topic=private),
            PlayerPart(faction=second, accounts=(Account(id=str(stage.tihiy), name="Тихий & Ко <3"),)),
        ),
    )
    (folder / "config.toml").write_text(write_settings(config), "utf-8")
    secret = folder / "secret"
    secret.write_text("нет", "utf-8")
    secret.chmod(0o600)
    return config


def connected(stage: Rehearsal) -> object:
    def connect(ctx: Context) -> ForumBoard:
        client = stage.client(journal=SqlJournal(ctx.store, ctx.campaign_id, stage.clock))
        client.login()
        return ForumBoard(client, stage.clock)

    def reach(ctx: Context) -> None:
        ctx.clock, ctx.connect = stage.clock, connect
        _ = ctx.board

    return reach


def findings(stage: Rehearsal, folder: Path) -> list[str]:
    return [str(finding) for finding in doctor.check(folder, connected(stage))]  # type: ignore[arg-type]


def test_rights_are_told_for_each_topic(stage: Rehearsal, tmp_path: Path) -> None:
    room = stage.world.room("Объявления", writers=[stage.gm])
    read_only = stage.world.topic(stage.gm, "Только читать", "Слово ведущего.", room=room)
    written(stage, tmp_path, private=read_only)
    lines = findings(stage, tmp_path)
    topic = f"общая тема {stage.topic} «Печати Хаоса»"
    assert f"✓ {topic}: можно читать, писать, прикладывать файлы и видеть исходный текст" in lines
    wrong = next(line for line in lines if f"{read_only} «Только читать»" in line)
    assert "читается, но писать нельзя" in wrong
    assert "→ попросите у администратора право отвечать в теме" in wrong


def test_absent_topic_is_told_with_a_remedy(stage: Rehearsal, tmp_path: Path) -> None:
    written(stage, tmp_path, private=999)
    assert any(line.startswith("✗ тема стороны") and "Такой темы" in line for line in findings(stage, tmp_path))


def test_changed_template_is_weather_on_the_desk_and_in_check(stage: Rehearsal, tmp_path: Path) -> None:
    """A page that looks like a topic and yields no posts is an error, never «no new posts»."""
    config = written(stage, tmp_path)

    reach = connected(stage)
    ctx = Context(tmp_path, config, Store(config.database_url(tmp_path)), registry.get("astral"), stage.clock)
    reach(ctx)  # type: ignore[operator]
    assert tick(ctx).trouble == ""
    assert any(line.startswith("✓ погода на форуме: ясно") for line in findings(stage, tmp_path))
    stage.clock.sleep(600)
    stage.world.faults.add(Fault(FaultKind.NEW_LOOK, "read", -1))
    try:
        trouble = tick(ctx).trouble
    finally:
        stage.world.faults.clear()
    assert "сменилось оформление" in trouble
    assert any("✗ погода на форуме" in line and "сменилось оформление" in line for line in findings(stage, tmp_path))
    stage.clock.sleep(600)
    assert tick(ctx).trouble == ""
    assert any(line.startswith("✓ погода на форуме: ясно") for line in findings(stage, tmp_path))
    ctx.store.close()


def test_missing_raqm_is_said_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    from PIL import features

    known = features.check
    monkeypatch.setattr("renderers.fonts.features.check", lambda name: False if name == "raqm" else known(name))
    lines = [str(finding) for finding in doctor.check_installation()]
    assert any(line.startswith("✗ Pillow не находит Raqm") and "Поставьте" in line for line in lines)


def test_findings_are_plain_lines() -> None:
    assert str(dataclasses.replace(doctor.Finding(False, "а", "б"), good=True)) == "✓ а"
