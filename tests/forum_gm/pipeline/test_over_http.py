"""The service on the embedded board, over real HTTP: what a look costs, whom reminders reach, and that «пас» is an answer."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from sqlalchemy import select

from forum_gm.config import Account, ChannelsPart, ForumPart, GmPart, PlayerPart, Settings, TimePart
from forum_gm.demo.board import Fault, FaultKind
from forum_gm.forums.phpbb3 import PhpBB3
from forum_gm.pipeline.close import close
from forum_gm.pipeline.collect import collect
from forum_gm.pipeline.context import Context, seeded_secrets
from forum_gm.pipeline.forum_board import ForumBoard
from forum_gm.pipeline.render import silent
from forum_gm.service import tick
from forum_gm.storage import Store
from forum_gm.storage.journal import SqlJournal
from forum_gm.storage.models import Notice
from rules import registry
from rules.base import Ruleset
from tests.forum_gm.forums.rehearsal import PASSWORD, Rehearsal, rehearsal
from tests.forum_gm.pipeline.tiny import TINY, HiddenTiny, settings


@dataclass
class Campaign:
    """A campaign on the board: red has a topic of its own, blue is written to."""

    stage: Rehearsal
    ctx: Context
    room: int

    @property
    def client(self) -> PhpBB3:
        board = self.ctx.board
        assert isinstance(board, ForumBoard)
        assert isinstance(board._forum, PhpBB3)
        return board._forum

    @property
    def requests(self) -> int:
        return self.client.transport.requests

    def cost(self, do: Any) -> int:
        """Requests that an act takes."""
        before = self.requests
        do()
        return self.requests - before

    def deadline(self) -> Any:
        with self.ctx.store.reading() as session:
            found = self.ctx.step(session, None).deadline
        assert found is not None
        return found

    def tick(self) -> None:
        assert tick(self.ctx).trouble == ""

    def public(self) -> list[str]:
        entries = self.stage.world.entries.values()
        return [e.text for e in entries if e.thread == self.stage.topic and e.author == self.stage.bot]

    def in_room(self) -> list[str]:
        entries = self.stage.world.entries.values()
        return [e.text for e in entries if e.thread == self.room and e.author == self.stage.bot]

    def letters(self) -> list[tuple[list[str], str]]:
        """(names, subject) of the bot's messages."""
        world = self.stage.world
        found = [x for x in world.letters.values() if x.author == self.stage.bot]
        return [([world.users[u].name for u in x.to], x.subject) for x in found]


def campaign(
    stage: Rehearsal, folder: Path, ruleset: Ruleset = TINY, sides: tuple[str, str] = ("red", "blue"), **changes: Any
) -> Campaign:
    """The first side has a topic of its own."""
    room = stage.world.room("Закрытая", members=[stage.buyny, stage.bot])
    private = stage.world.topic(stage.gm, "Ставка красных", "Только для своих.", room=room)
    config: Settings = settings(
        **{
            "forum": ForumPart(url=stage.server.url, user="Летописец"),
            "channels": ChannelsPart(topic=stage.topic),
            "gm": GmPart(accounts=(Account(id=str(stage.gm), name="Ведущий"),)),
            "time": TimePart(round_minutes=60, reminders=(24, 3)),
            "players": (
                PlayerPart(faction=sides[0], accounts=(Account(id=str(stage.buyny), name="Буйный"),), topic=private),
                PlayerPart(faction=sides[1], accounts=(Account(id=str(stage.tihiy), name="Тихий & Ко <3"),)),
            ),
            **changes,
        }
    )
    store = Store(config.database_url(folder))

    def connect(ctx: Context) -> ForumBoard:
        client = stage.client(journal=SqlJournal(store, ctx.campaign_id, stage.clock))
        client.login()
        authors = {str(stage.buyny), str(stage.tihiy)}
        return ForumBoard(client, stage.clock, authors=authors)

    return Campaign(stage, Context(folder, config, store, ruleset, stage.clock, connect, seeded_secrets("http")), private)


@pytest.fixture
def stage() -> Iterator[Rehearsal]:
    with rehearsal(flood=0) as made:
        yield made


@pytest.fixture(autouse=True)
def no_pictures() -> Iterator[None]:
    with patch("forum_gm.pipeline.publish.render", lambda ctx, number: []):
        yield


# ---------------------------------------------------------------------------------------------------- what a look costs


@pytest.mark.parametrize("pages", [1, 4])
def test_a_look_with_nothing_new_is_one_request_a_channel(stage: Rehearsal, tmp_path: Path, pages: int) -> None:
    """Two topics and the inbox, however long the topics are."""
    game = campaign(stage, tmp_path)
    game.tick()
    per_page = stage.world.settings.per_page
    onlooker = stage.world.account("Зевака", "demo")
    for number in range((pages - 1) * per_page):
        stage.clock.sleep(1)
        stage.world.post(onlooker, stage.topic, f"Разговор {number}.")
    stage.world.post(stage.buyny, game.room, "беру 4")
    game.tick()
    game.tick()
    for _ in range(3):
        stage.clock.sleep(60)
        assert game.cost(lambda: collect(game.ctx, reread=False)) == 3
        assert game.cost(lambda: tick(game.ctx, reread=False)) == 3


def test_the_look_at_the_close_reads_the_pages_with_orders_and_each_order_post_once(stage: Rehearsal, tmp_path: Path) -> None:
    """Four pages of talk, orders on the last two: those two pages are read again, the first two aren't."""
    game = campaign(stage, tmp_path)
    game.tick()
    per_page = stage.world.settings.per_page
    talk = iter(range(1000))
    onlooker = stage.world.account("Зевака", "demo")

    def chat(count: int) -> None:
        for _ in range(count):
            stage.clock.sleep(1)
            stage.world.post(onlooker, stage.topic, f"Разговор {next(talk)}.")

    def length() -> int:
        return sum(entry.thread == stage.topic for entry in stage.world.entries.values())

    chat(2 * per_page - length() + 2)
    first = stage.world.post(stage.buyny, stage.topic, "беру 4")
    chat(per_page)
    stage.world.post(stage.tihiy, stage.topic, "беру 2")
    game.tick()
    game.tick()
    quiet = game.cost(lambda: collect(game.ctx, reread=False))
    stage.clock.set(game.deadline() + timedelta(seconds=1))
    stage.world.edit(stage.buyny, first, "беру 9")
    again = game.cost(lambda: close(game.ctx))
    assert quiet == 3
    # One more page of the common topic, and the exact source of the two order posts.
    assert again == quiet + 1 + 2
    with game.ctx.store.reading() as session:
        assert game.ctx.step(session, None).status == "closed"


# ---------------------------------------------------------------------------------------------------- reminders and «пас»


@pytest.mark.parametrize("hidden", [False, True], ids=["known to all", "hidden"])
def test_only_the_silent_are_reminded_once_a_moment_where_nobody_else_reads_it(
    stage: Rehearsal, tmp_path: Path, hidden: bool
) -> None:
    game = campaign(stage, tmp_path, HiddenTiny() if hidden else TINY)
    game.tick()
    game.tick()
    stage.world.post(stage.buyny, game.room, "пас")
    game.tick()
    before = game.public()
    for hours in (24, 3):
        stage.clock.set(game.deadline() - timedelta(hours=hours))
        for _ in range(3):
            game.tick()
            stage.clock.sleep(60)
    reminded = [names for names, subject in game.letters() if "напоминание" in subject]
    assert reminded == [["Тихий & Ко <3"]] * 2
    assert not any("от вас ещё нет ответа" in text for text in (*game.in_room(), *game.public()))
    assert game.public() == before
    if hidden:
        assert not any(name in text for text in before for name in ("Красные", "Синие"))
    stage.clock.set(game.deadline() + timedelta(seconds=1))
    game.tick()
    with game.ctx.store.reading() as session:
        outcome = game.ctx.outcome(session, 1)
        assert outcome.sheets == [{"issuer": "red", "arrived": 0, "commands": [{"type": "pass"}]}]
        assert silent(game.ctx, session, outcome) == (() if hidden else ("Синие",))


def test_the_silent_side_is_reminded_in_its_own_topic(stage: Rehearsal, tmp_path: Path) -> None:
    game = campaign(stage, tmp_path)
    game.tick()
    stage.world.post(stage.tihiy, stage.topic, "беру 2")
    stage.clock.set(game.deadline() - timedelta(hours=24))
    game.tick()
    game.tick()
    assert len([text for text in game.in_room() if "от вас ещё нет ответа" in text]) == 1
    assert [subject for _, subject in game.letters() if "напоминание" in subject] == []


def test_in_astral_a_pass_is_no_missed_turn_and_silence_is(stage: Rehearsal, tmp_path: Path) -> None:
    ruleset = registry.get("astral")
    game = campaign(
        stage,
        tmp_path,
        ruleset,
        ("kael", "morwen"),
        campaign=settings().campaign.model_copy(update={"id": "astral", "ruleset": "astral"}),
    )
    game.tick()
    stage.world.post(stage.buyny, stage.topic, "Пас.")
    game.tick()
    stage.clock.set(game.deadline() - timedelta(hours=3))
    game.tick()
    reminded = [names for names, subject in game.letters() if "напоминание" in subject]
    assert reminded == [["Тихий & Ко <3"]]
    stage.clock.set(game.deadline() + timedelta(seconds=1))
    game.tick()
    with game.ctx.store.reading() as session:
        state = game.ctx.state(game.ctx.outcome(session, 1))
    assert (state.owners["kael"].missed, state.owners["morwen"].missed) == (0, 1)


# ---------------------------------------------------------------------------------------------------- questions and logs


def test_a_lost_message_is_asked_about_in_words_a_gm_can_answer(stage: Rehearsal, tmp_path: Path) -> None:
    game = campaign(stage, tmp_path)
    game.tick()
    stage.world.post(stage.tihiy, stage.topic, "беру 2")
    stage.world.faults.add(Fault(FaultKind.TIMEOUT_BEFORE, "message"))
    stage.hurry(game.client)
    for _ in range(3):
        tick(game.ctx)
        stage.clock.sleep(600)
    with game.ctx.store.reading() as session:
        texts = [notice.text for notice in session.scalars(select(Notice).where(Notice.kind == "publication"))]
    lost = "личное сообщение «Ход 1: понял так» (кому: Тихий & Ко <3)"
    look = "Ни в теме, ни в исходящих этого не видно. Посмотрите сами: если этого там нет, велите отправить ещё раз."
    assert texts == [f"Форум не ответил, и неясно, дошло ли до него: {lost}. {look}"]
    assert (["Ведущий"], "Вопросы мастеру") in game.letters()


def test_what_the_database_logs_at_debug_level_holds_no_secret(
    stage: Rehearsal, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Every statement with its values, the client's journal among them; the suite's watch reads along."""
    log = logging.getLogger("sqlalchemy.engine")
    level = log.level
    log.setLevel(logging.DEBUG)
    try:
        game = campaign(stage, tmp_path)
        game.tick()
        stage.world.post(stage.buyny, game.room, "беру 4")
        game.tick()
        stage.clock.set(game.deadline() + timedelta(seconds=1))
        game.tick()
        lines = [record.getMessage() for record in caplog.records if record.name.startswith("sqlalchemy.engine")]
    finally:
        log.setLevel(level)
    assert any("INSERT INTO writes" in line for line in lines)
    cookies = [cookie.value for cookie in game.client.transport._session.cookies if cookie.value and len(cookie.value) >= 8]
    assert cookies
    for secret in (*cookies, PASSWORD):
        assert not any(secret in line for line in lines)
