"""Each side's own topic: its own map, the pictures of its own battles and, if asked for, a PDF of its own report; nobody
else's, and none of them in public."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from forum_gm.config import ChannelsPart, Settings
from forum_gm.desk.accounts import Accounts
from forum_gm.desk.app import create_app
from forum_gm.forums.errors import ForumError
from forum_gm.pipeline.pictures import PUBLIC
from forum_gm.pipeline.publish import preview
from forum_gm.pipeline.render import render, telling
from forum_gm.storage.base import canonical
from forum_gm.storage.models import Notice, Publication, StoredFile
from renderers.document import figures, report_to_json
from renderers.maps import draw_png
from rules import registry
from tests.forum_gm.forums.rehearsal import rehearsal
from tests.forum_gm.pipeline.test_over_http import campaign
from tests.forum_gm.pipeline.tiny import settings
from tests.games.harness import Chapter, Game, Said, read_script

WAR = Path(__file__).parents[2] / "games" / "steel_rose" / "nine_turns.txt"
STEPS = 3
"""Orders, deployment, planning of the first turn: with two battles."""
TAG = re.compile(r"\[attachment\]([^\[]+)\[/attachment\]")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def digest(report: Any, maps: Any, meta: Any, **_: Any) -> bytes:
    """What goes into a PDF, without the cost of setting it."""
    return canonical([report_to_json(report, models=False), len(maps), meta.reader]).encode()


class Played(Game):
    """The first steps of the war, with topics for some sides."""

    def __init__(self, folder: Path, rooms: dict[str, int], **board: Any) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        super().__init__(read_script(WAR), folder)
        self.rooms = rooms
        self.ctx.settings = with_rooms(self.ctx.settings, rooms, **board)

    def read(self, step: Any, chapter: Chapter) -> None:
        self.tick()

    def say(self, said: Said) -> None:
        if said.issuer in self.rooms:
            self.clock.sleep(60)
            self.board.say(self.account[said.issuer], said.text.strip(), topic=self.rooms[said.issuer])
        else:
            super().say(said)

    def begin(self) -> Played:
        with patch("forum_gm.pipeline.render.render_digest", digest):
            self.tick()
            for chapter in self.script.chapters[:STEPS]:
                self.chapter(chapter)
        return self

    def published(self, kind: str) -> list[Publication]:
        with self.ctx.store.reading() as session:
            return list(session.scalars(select(Publication).where(Publication.kind == kind).order_by(Publication.id)))

    def attached(self, publication: Publication) -> list[str]:
        return self.board.files[f"game/{publication.key}"]


def with_rooms(settings: Settings, rooms: dict[str, int], **board: Any) -> Settings:
    players = tuple(p.model_copy(update={"topic": rooms.get(p.faction, 0)}) for p in settings.players)
    channels = settings.channels.model_copy(update={"private_pdf": True})
    shown = settings.board.model_copy(update=board)
    return settings.model_copy(update={"players": players, "channels": channels, "board": shown})


ROOMS = {"empire": 20, "ogres": 21, "elves": 22}


@pytest.fixture(scope="module")
def war(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    game = Played(tmp_path_factory.mktemp("rooms"), ROOMS).begin()
    yield game
    game.ctx.close()


def test_every_picture_that_a_private_post_shows_is_attached_to_it(war: Played) -> None:
    shown: dict[str, set[str]] = {}
    for publication in war.published("private"):
        faction = publication.key.split(":")[2]
        names = TAG.findall(publication.body)
        pictures = [name for name in war.attached(publication) if name.endswith(".png")]
        assert sorted(names) == sorted(pictures), publication.key
        shown.setdefault(faction, set()).update(name.split("-")[1] for name in names)
    assert shown["empire"] >= {"map", "fig1", "fig2"}
    assert shown["ogres"] >= {"map", "fig1"}
    assert shown["elves"] == {"map"}
    assert shown["principality"] == shown["cult"] == set(), "a private message takes no files"


def test_the_pictures_are_drawn_from_what_that_side_knows(war: Played) -> None:
    limit = war.ctx.settings.board.attachment_kb * 1024
    with war.ctx.store.reading() as session:
        for number in range(1, STEPS + 1):
            outcome = war.ctx.outcome(session, number)
            public = telling(war.ctx, session, outcome, PUBLIC)
            for faction in ROOMS:
                own = telling(war.ctx, session, outcome, faction)
                query = select(StoredFile).where(StoredFile.outcome_number == number, StoredFile.reader == faction)
                files = {file.name: file for file in session.scalars(query)}
                expected = [f for f in (own.map, *(block.figure for block in figures(own.report))) if f is not None]
                drawn = [draw_png(figure, limit) for figure in expected if figure != public.map]
                pictures = [war.board.contents[name] for name, file in files.items() if file.media == "image/png"]
                assert sorted(drawn) == sorted(pictures)
                assert f"{outcome.step_id}-{faction}.pdf" in files


def test_public_posts_carry_public_files_only_and_the_archive_serves_no_others(war: Played) -> None:
    with war.ctx.store.reading() as session:
        files = list(session.scalars(select(StoredFile)))
    private = [file for file in files if file.reader != PUBLIC]
    assert len(private) >= 12
    public = {file.name for file in files if file.reader == PUBLIC}
    for publication in war.published("report"):
        assert set(war.attached(publication)) <= public
        assert set(TAG.findall(publication.body)) <= public
    accounts = Accounts(war.ctx.folder / "desk-accounts.json")
    with TestClient(create_app([war.ctx], accounts=accounts)) as client:
        for file in files:
            answer = client.get(f"/c/game/files/{file.outcome_number}/{file.name}")
            assert answer.status_code == (200 if file.reader == PUBLIC else 404), file.name


def test_no_side_gets_a_file_of_another(war: Played) -> None:
    with war.ctx.store.reading() as session:
        reader = {file.name: file.reader for file in session.scalars(select(StoredFile))}
    for publication in war.published("private"):
        faction = publication.key.split(":")[2]
        assert {reader[name] for name in war.attached(publication)} <= {faction, PUBLIC}


def test_a_sides_pdf_holds_its_own_report_and_says_for_whom_it_is(war: Played) -> None:
    for faction, there in (("empire", True), ("elves", False)):
        text = war.board.contents[f"t01.w1.deployment-{faction}.pdf"].decode()
        assert ("36 копейщиков" in text) is there
        assert f"только для стороны «{war.name[faction]}»" in text
    public = war.board.contents["t01.w1.deployment.pdf"].decode()
    assert "копейщиков" not in public
    assert "только для" not in public


def test_rendered_again_nothing_is_drawn_anew(war: Played) -> None:
    with patch("forum_gm.pipeline.render.draw_png", side_effect=AssertionError):
        assert render(war.ctx, 2)


def test_preview_shows_the_same_posts(war: Played) -> None:
    shown = preview(war.ctx, 2)
    for publication in war.published("private"):
        _, number, faction, index = publication.key.split(":")
        if number == "2" and faction in ROOMS:
            # The terms of the step that followed have passed by now.
            assert shown[faction][int(index) - 1].split("Ждём от вас")[0] == publication.body.split("Ждём от вас")[0]


def test_what_one_side_gets_does_not_depend_on_what_it_may_not_know(tmp_path: Path) -> None:
    """Promise 5 through the whole service: two campaigns that differ in the Empire's secret orders only."""
    seen = []
    for folder, spears in (("one", "30"), ("two", "20")):
        game = Played(tmp_path / folder, ROOMS)
        for act in game.script.chapters[0].acts:
            if isinstance(act, Said) and act.issuer == "empire":
                assert "30 копейщиков" in act.text
                act.text = act.text.replace("30 копейщиков", f"{spears} копейщиков")
        with patch("forum_gm.pipeline.render.render_digest", digest):
            game.tick()
            for chapter in game.script.chapters[:2]:
                game.chapter(chapter)
        # The Empire fights the Principality and the Ogres, who see its army on the field.
        own = {n: data for n, data in game.board.contents.items() if not re.search(r"-(empire|ogres)\.", n)}
        cult = {game.name["cult"], f"user{game.account['cult']}"}
        told = [message for message in game.board.messages if cult & set(message[0])]
        assert len(told) >= 2
        seen.append((game.board.own(7), game.board.own(ROOMS["elves"]), told, own))
        mine = game.board.own(ROOMS["empire"])
        game.ctx.close()
        assert any(f"{spears} копейщиков" in text for text in mine)
    assert seen[0] == seen[1]


def test_a_file_greater_than_the_board_takes_is_left_out_and_the_gm_is_told(tmp_path: Path) -> None:
    with patch("forum_gm.pipeline.render.draw_png", lambda figure, limit: b"x" * 3000):
        game = Played(tmp_path / "small", {"empire": 20}, attachment_kb=2)
        with patch("forum_gm.pipeline.render.render_digest", digest):
            game.tick()
            game.chapter(game.script.chapters[0])
    report, *_ = game.published("report")
    assert TAG.findall(report.body) == []
    assert not any(name.endswith(".png") for names in game.board.files.values() for name in names)
    with game.ctx.store.reading() as session:
        texts = [notice.text for notice in session.scalars(select(Notice).where(Notice.kind == "publication"))]
    assert "t01-map.png (3 КБ) не приложен: форум берёт не больше 2 КБ. Файл в папке кампании: files/t01/t01-map.png." in texts
    game.ctx.close()


def test_links_of_a_report_open_in_the_archive(tmp_path: Path) -> None:
    game = Played(tmp_path / "links", {}, archive_url="https://gm.example.ru/c/game")
    with patch("forum_gm.pipeline.render.render_digest", digest):
        game.tick()
        game.chapter(game.script.chapters[0])
        game.tick()
    report, *_ = game.published("report")
    links = re.findall(r"\[url=https://gm\.example\.ru(/[^\]]+)\]", report.body)
    assert len(links) == 2
    accounts = Accounts(game.ctx.folder / "desk-accounts.json")
    with TestClient(create_app([game.ctx], accounts=accounts)) as client:
        assert [client.get(link).status_code for link in links] == [200, 200]
    game.ctx.close()


def test_over_http_a_sides_files_stand_in_its_own_topic_where_no_guest_comes(tmp_path: Path) -> None:
    with rehearsal(flood=0) as stage:
        changes = {
            "campaign": settings().campaign.model_copy(update={"id": "war", "ruleset": "steel_rose"}),
            "channels": ChannelsPart(topic=stage.topic, private_pdf=True),
        }
        game = campaign(stage, tmp_path, registry.get("steel_rose"), ("empire", "elves"), **changes)
        with patch("forum_gm.pipeline.render.render_digest", digest):
            game.tick()
            stage.world.post(stage.buyny, game.room, "Строим барак в Альтенграде. Армия атакует Хольмгард.")
            game.tick()
            stage.clock.set(game.deadline() + timedelta(seconds=1))
            game.tick()
        world = stage.world

        def files(topic: int) -> dict[str, bytes]:
            mine = [e for e in world.entries.values() if e.thread == topic and e.author == stage.bot]
            return {world.files[f].name: world.files[f].data for entry in mine for f in entry.files}

        assert set(files(game.room)) == {"t01-map-empire.png", "t01-empire.pdf"}
        assert set(files(stage.topic)) == {"t01-map.png", "t01.pdf"}
        for name, data in {**files(game.room), **files(stage.topic)}.items():
            assert data == (tmp_path / "files" / "t01" / name).read_bytes()
        (report,) = [text for text in game.in_room() if "приказы исполнены" in text]
        assert re.search(r"\[attachment=\d\]t01-map-empire\.png\[/attachment\]", report)
        member = stage.client().read_topic(game.room)
        assert [a.name for post in member.posts for a in post.attachments] == ["t01-map-empire.png", "t01-empire.pdf"]
        with pytest.raises(ForumError):
            stage.client(user="").read_topic(game.room)
