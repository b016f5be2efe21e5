"""Promise 5 at the service's edge: in a whole war of secret orders, nothing public says what was ordered, nor who is awaited
where only those asked may know it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from unittest.mock import patch

import pytest
from fastapi.testclient import TestClient
from pypdf import PdfReader
from sqlalchemy import select

from forum_gm.desk.accounts import Accounts
from forum_gm.desk.app import create_app
from forum_gm.pipeline.approve import approve
from forum_gm.pipeline.chronicle import chronicle
from forum_gm.pipeline.record import ATTACHED
from forum_gm.service import moments
from forum_gm.storage.models import OutcomeRow, Publication, StepRow
from forum_gm.understand import audience_of
from rules.base import EVERYONE, GM, Audience
from tests.games.harness import BOT, Chapter, Game, Said, read_script

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("war"), pytest.mark.timeout(900)]

WAR = Path(__file__).parents[2] / "games" / "steel_rose" / "nine_turns.txt"
COMMON = 7
ROOMS = {"empire": 20, "ogres": 21, "elves": 22}
"""Private topics; the others are answered by message."""
LONG_ENOUGH = 20
"""Characters of a line that can't stand in a public text by chance."""
REMINDERS = (12.0,)


class Watched(Game):
    """A game that compares what is public at a step's opening with what is public just before its end."""

    def __init__(self, folder: Path) -> None:
        super().__init__(read_script(WAR), folder)
        settings = self.ctx.settings
        players = tuple(p.model_copy(update={"topic": ROOMS.get(p.faction, 0)}) for p in settings.players)
        time = settings.time.model_copy(update={"reminders": REMINDERS})
        self.ctx.settings = settings.model_copy(update={"players": players, "time": time})
        self.opened: dict[int, list[str]] = {}
        self.hidden_steps = 0
        self.pages: dict[str, str] = {}
        self.book = b""

    def public(self) -> list[str]:
        return self.board.own(COMMON)

    def look(self, step: StepRow) -> None:
        """What everybody sees of a step that has just opened."""
        if step.id not in self.opened:
            self.tick()
            self.opened[step.id] = self.public()

    def say(self, said: Said) -> None:
        step = self.step()
        assert step is not None
        self.look(step)
        if said.how == "лично" and said.issuer in ROOMS:
            self.clock.sleep(60)
            self.board.say(self.account[said.issuer], said.text.strip(), topic=ROOMS[said.issuer])
        else:
            super().say(said)

    def read(self, step: StepRow, chapter: Chapter) -> None:
        """How surely the posts are understood is tested elsewhere: here the GM takes the doubtful readings too."""
        self.tick()
        approve(self.ctx, "Мастер", unsure=True)

    def wait(self, step: StepRow) -> None:
        self.look(step)
        with self.ctx.store.reading() as session:
            row = session.get_one(StepRow, step.id)
        assert row.deadline is not None
        for moment in moments(self.ctx):
            if moment < row.deadline:
                self.clock.set(moment)
                self.tick()
        if all(Audience.from_json(w["known_to"]) != EVERYONE for w in row.definition["waits"]):
            self.hidden_steps += 1
            assert self.public() == self.opened[step.id], f"{step.step_id}: в общей теме видно, что кто-то ответил"
        super().wait(step)
        if step.step_id == "t02.w1.planning":
            self.visit()

    def visit(self) -> None:
        """Everything that the archive shows anybody while the game is on."""
        accounts = Accounts(self.ctx.folder / "desk-accounts.json")
        with TestClient(create_app([self.ctx], accounts=accounts)) as client, self.ctx.store.reading() as session:
            numbers = list(session.scalars(select(OutcomeRow.number).where(OutcomeRow.number > 0)))
            for path in ("/", "/c/game", "/c/game/rulings", "/c/game/draft", *(f"/c/game/turn/{n}" for n in numbers)):
                answer = client.get(path)
                assert answer.status_code == 200, path
                self.pages[path] = answer.text
        self.book = chronicle(self.ctx)


@pytest.fixture(scope="module")
def war(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    game = Watched(tmp_path_factory.mktemp("war"))
    with patch.object(game.ctx, "close", lambda: None):
        game.play()
    yield game
    game.ctx.close()


def texts(war: Watched) -> dict[str, str]:
    """Every public text by its place."""
    out = {f"сообщение {number}": text for number, text in enumerate(war.public(), start=1)}
    out |= war.pages
    out["летопись"] = " ".join(" ".join(page.extract_text() for page in PdfReader(BytesIO(war.book)).pages).split())
    assert len(out) > 50
    return out


def assert_nowhere(war: Watched, secrets: set[str]) -> None:
    assert len(secrets) > 10
    for place, text in texts(war).items():
        for secret in secrets:
            assert secret not in text, f"{place}: «{secret}»"


def test_status_and_thread_of_a_hidden_step_stay_the_same_whoever_answers(war: Watched) -> None:
    """Compared within each step by `Watched.wait`; answers, echoes, status and reminders all fell in between."""
    assert war.hidden_steps >= 10
    with war.ctx.store.reading() as session:
        rows = list(session.scalars(select(Publication).order_by(Publication.id)))
        steps = {row.id: row for row in session.scalars(select(StepRow))}
    kinds = {row.kind for row in rows}
    assert {"ack", "status", "reminder", "private", "report", "opening"} <= kinds
    for row in rows:
        if row.kind in ("ack", "reminder", "private"):
            assert row.target.get("topic") != COMMON, row.key
        step = steps.get(row.step_row or 0)
        if row.kind == "status" and step is not None and step.kind != "orders":
            assert not any(name in row.body for name in war.name.values() if name != "Мастер"), row.key


def test_no_public_text_names_a_hidden_wait(war: Watched) -> None:
    with war.ctx.store.reading() as session:
        waits = [wait for row in session.scalars(select(StepRow)) for wait in row.definition["waits"]]
    assert_nowhere(war, {wait["title"] for wait in waits if Audience.from_json(wait["known_to"]) != EVERYONE})


def test_no_public_text_holds_an_order_as_written_or_as_understood(war: Watched) -> None:
    secrets: set[str] = set()
    for chapter in war.script.chapters:
        for said in chapter.acts:
            if isinstance(said, Said) and said.how == "лично":
                secrets |= {line.strip() for line in said.text.splitlines() if len(line.strip()) >= LONG_ENOUGH}
    with war.ctx.store.reading() as session:
        for outcome in session.scalars(select(OutcomeRow).where(OutcomeRow.number > 0)):
            base = war.ctx.outcome(session, outcome.parent_number or 0)
            for sheet in outcome.sheets:
                if sheet["issuer"] == GM:
                    continue
                view = war.ctx.view(base, audience_of(sheet["issuer"]))
                for command in sheet["commands"]:
                    words = war.ruleset.describe(view, war.ruleset.commands.parse(command))
                    secrets |= {words} if len(words) >= LONG_ENOUGH else set()
    assert_nowhere(war, secrets)


def test_private_posts_and_messages_go_to_their_own_side_only(war: Watched) -> None:
    """Every private text in its faction's own topic, or to its own accounts."""
    with war.ctx.store.reading() as session:
        rows = list(session.scalars(select(Publication).where(Publication.kind == "private")))
    sides = {row.key.split(":")[2] for row in rows}
    assert sides == set(war.account) - {GM}
    for row in rows:
        faction = row.key.split(":")[2]
        if faction in ROOMS:
            assert row.target == {"topic": ROOMS[faction]}
        else:
            assert row.target == {"accounts": [[war.account[faction], war.name[faction]]]}
    for room in ROOMS.values():
        written = {post.author_id for number, post in war.board.posts.items() if war.board.topics[number] == room}
        owner = next(faction for faction, topic in ROOMS.items() if topic == room)
        assert written <= {BOT, war.account[owner]}


def test_the_record_in_the_public_chronicle_holds_no_hidden_roll(war: Watched) -> None:
    record = json.loads(PdfReader(BytesIO(war.book)).attachments[ATTACHED][0])
    assert len(record["outcomes"]) >= 6
    assert not record["over"]
    assert all(item["hidden_secret"] is None for item in record["outcomes"])
    assert not any(draw["secret"] for item in record["outcomes"] for draw in item["draws"])


def test_reminders_reach_each_silent_side_once_a_moment_and_in_private(war: Watched) -> None:
    with war.ctx.store.reading() as session:
        rows = list(session.scalars(select(Publication).where(Publication.kind == "reminder")))
        steps = {row.id: row for row in session.scalars(select(StepRow))}
    assert rows
    assert len({row.key for row in rows}) == len(rows)
    for row in rows:
        step = steps[row.step_row or 0]
        wait = next(w for w in step.definition["waits"] if f":{w['id']}:" in row.key)
        room = ROOMS.get(wait["faction"])
        expected = {"topic": room} if room else {"accounts": [[war.account[wait["faction"]], war.name[wait["faction"]]]]}
        assert row.target == expected
        assert step.opened_at is not None
        assert step.deadline is not None
        assert row.made_at >= step.opened_at + (step.deadline - step.opened_at) / 2 - timedelta(hours=1)
