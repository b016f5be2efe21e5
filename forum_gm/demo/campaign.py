"""The demo campaign: seeds the embedded board with a thread, and plays its scripted turn through the real service, over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal, Protocol, cast

from forum_gm.config import (
    FILE_NAME,
    Account,
    BackupPart,
    BoardPart,
    CampaignPart,
    ChannelsPart,
    ForumPart,
    GmPart,
    PlayerPart,
    ReviewPart,
    Settings,
    TimePart,
    write_settings,
)
from forum_gm.demo.script import Script, ScriptPost, in_turn
from forum_gm.errors import ForumGmError
from forum_gm.pipeline.board import Board
from forum_gm.pipeline.context import Context, seeded_secrets
from forum_gm.service import moments, tick
from forum_gm.storage import Store
from forum_gm.storage.models import StepRow, StepStatus
from rules import registry

CAMPAIGN = "demo"
PASSWORD = "demo-demo-1"
"""Of every account of the embedded board: it lives on loopback and holds nothing."""
PASSWORD_FILE = "demo-password.txt"
URL = "http://127.0.0.1/"
"""Written into the demo's config: the real port is another each time, and the folder must not depend on it."""


class DemoClock(Protocol):
    """A clock that can be moved."""

    def now(self) -> datetime: ...

    def sleep(self, seconds: float) -> None: ...

    def set(self, moment: datetime) -> None: ...

    def interrupt(self) -> None: ...


class Stage(Protocol):
    """The embedded board behind the scenes: things people do there without our client."""

    def account(self, name: str, password: str) -> int:
        """Registers somebody; returns the account's number."""
        ...

    def topic(self, author: int, title: str, text: str) -> int:
        """Starts the thread; returns its number."""
        ...

    def post(self, author: int, topic: int, text: str) -> int:
        """Posts in the thread, now; returns the post's number."""
        ...

    def edit(self, author: int, post: int, text: str) -> object:
        """Edits a post, now."""
        ...

    def message(self, author: int, to: int, text: str) -> object:
        """Sends a private message, now."""
        ...


@dataclass
class Demo:
    """A demo under way."""

    folder: Path
    script: Script
    stage: Stage
    clock: DemoClock
    connect: Callable[[Context], Board]
    seed: str
    accounts: dict[str, int] = field(default_factory=dict)
    """Faction, `gm` or `bot` → account."""
    topic: int = 0
    posts: dict[int, int] = field(default_factory=dict)
    """Index in the script → post."""

    def prepare(self) -> Context:
        """Accounts, the thread, the campaign's folder."""
        script = self.script
        self.clock.set(script.opened)
        self.accounts["gm"] = self.stage.account(script.gm.name, PASSWORD)
        self.accounts["bot"] = self.stage.account(script.bot.name, PASSWORD)
        for player in script.players:
            self.accounts[player.faction] = self.stage.account(player.name, PASSWORD)
        self.topic = self.stage.topic(self.accounts["gm"], script.topic, script.first_post.strip())
        self.clock.sleep(600)
        settings = self.settings()
        self.folder.mkdir(parents=True, exist_ok=True)
        ruleset = registry.get(script.ruleset)
        (self.folder / FILE_NAME).write_text(write_settings(settings), "utf-8")
        (self.folder / "scenario.toml").write_text(ruleset.default_scenario_text(), "utf-8")
        store = Store(settings.database_url(self.folder))
        return Context(self.folder, settings, store, ruleset, self.clock, self.connect, seeded_secrets(self.seed))

    def settings(self) -> Settings:
        """The demo's configuration: everything by itself, short pauses."""
        script = self.script
        return Settings(
            campaign=CampaignPart(id=CAMPAIGN, ruleset=script.ruleset),
            forum=ForumPart(
                url=URL,
                user=script.bot.name,
                account_id=str(self.accounts["bot"]),
                password_file=PASSWORD_FILE,
                password_env="",
                pause=0,
                form_age=2,
                flood_interval=15,
            ),
            board=BoardPart(spoiler="spoiler", tables=True),
            channels=ChannelsPart(
                topic=self.topic,
                secret_in_public=cast(Literal["warn", "accept"], script.secret_in_public),
            ),
            gm=GmPart(accounts=(Account(id=str(self.accounts["gm"]), name=script.gm.name),)),
            time=TimePart(reread_minutes=30, poll_minutes=0.25),
            review=ReviewPart(approve="auto", publish="auto"),
            backup=BackupPart(every_hours=0),
            players=tuple(
                PlayerPart(faction=p.faction, accounts=(Account(id=str(self.accounts[p.faction]), name=p.name),))
                for p in script.players
            ),
        )

    # ---------------------------------------------------------------------------------------- playing

    def play(self, ctx: Context, progress: Callable[[str], None] = lambda line: None) -> None:
        """Plays the script's steps to the end. Raises `ForumGmError` when the service doesn't get on."""
        self._tick(ctx, progress)
        while (step := self._step_of_turn(ctx)) is not None:
            self._play_step(ctx, step, progress)

    def _play_step(self, ctx: Context, step: StepRow, progress: Callable[[str], None]) -> None:
        if step.status != StepStatus.OPEN or step.opened_at is None or step.deadline is None:
            raise ForumGmError(f"Показ остановился: шаг {step.step_id} не открылся ({step.status}).")
        acts = self._acts(step.step_id, step.opened_at, step.deadline)
        for moment, act in acts:
            if moment <= step.deadline:
                self._pass_until(ctx, moment, progress)
                act()
                self._tick(ctx, progress)
        self._pass_until(ctx, step.deadline, progress)
        self._at(step.deadline + timedelta(seconds=1))
        for moment, act in acts:
            if moment > step.deadline:
                self._at(moment)
                act()
        self._at(step.deadline + timedelta(minutes=1))
        self._tick(ctx, progress)
        with ctx.store.reading() as session:
            status = session.get_one(StepRow, step.id).status
        if status != StepStatus.PUBLISHED:
            raise ForumGmError(f"Показ остановился: шаг {step.step_id} не опубликован ({status}).")

    def _step_of_turn(self, ctx: Context) -> StepRow | None:
        """The current step, while it belongs to the turn that is shown."""
        with ctx.store.reading() as session:
            step = ctx.current(session)
        return step if step is not None and in_turn(step.step_id, self.script.turn) else None

    def _pass_until(self, ctx: Context, moment: datetime, progress: Callable[[str], None]) -> None:
        """Lets the time go by; the service does what falls due on the way, as its scheduler would."""
        for due in moments(ctx):
            if due < moment:
                self._at(due)
                self._tick(ctx, progress)
        self._at(moment)

    def _at(self, moment: datetime) -> None:
        # Waiting between two requests has moved the clock too: time never runs backwards.
        self.clock.set(max(self.clock.now(), moment))

    def _tick(self, ctx: Context, progress: Callable[[str], None]) -> None:
        ticked = tick(ctx)
        for line in ticked.done:
            progress(line)
        if ticked.trouble:
            raise ForumGmError(ticked.trouble)

    def _acts(self, step_id: str, opened: datetime, deadline: datetime) -> list[tuple[datetime, Callable[[], None]]]:
        """What people do in a step, by time."""
        acts: list[tuple[datetime, Callable[[], None]]] = []
        for index, post in enumerate(self.script.posts):
            if post.step != step_id:
                continue
            when = opened + timedelta(hours=post.hours) if post.hours is not None else deadline + timedelta(hours=post.late or 0)
            acts.append((when, lambda i=index, p=post: self._say(i, p)))  # type: ignore[misc]
            for edit in post.edits:
                text = edit.text.strip()
                acts.append((opened + timedelta(hours=edit.hours), lambda i=index, p=post, t=text: self._edit(i, p, t)))  # type: ignore[misc]
        return sorted(acts, key=lambda act: act[0])

    def _say(self, index: int, post: ScriptPost) -> None:
        author = self.accounts[post.by]
        if post.private:
            self.stage.message(author, self.accounts["bot"], post.text.strip())
        else:
            self.posts[index] = self.stage.post(author, self.topic, post.text.strip())

    def _edit(self, index: int, post: ScriptPost, text: str) -> None:
        self.stage.edit(self.accounts[post.by], self.posts[index], text)
