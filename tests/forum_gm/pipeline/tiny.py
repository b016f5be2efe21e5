"""A game of three turns for testing the service: «беру N» adds N and a die to one's points; and a board that lives in memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar, Literal

from forum_gm.config import (
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
)
from forum_gm.forums.clock import ManualClock
from forum_gm.pipeline.board import BoardTrouble, Seen, SeenPost, Undecided, Writing
from forum_gm.pipeline.context import Context, seeded_secrets
from forum_gm.storage import Store
from parsers.text import PostText
from parsers.types import Ignored, IgnoredReason, Parse, Problem, Reading, Severity, Span
from rules.base import (
    EVERYONE,
    GM_ONLY,
    Audience,
    Command,
    CommandTypes,
    Event,
    Faction,
    Outcome,
    RulesError,
    Scenario,
    Sheet,
    Step,
    Wait,
    only,
)
from rules.dice import Dice
from rules.report import Report, Section, para

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Take(Command):
    type: Literal["take"] = "take"
    title: ClassVar[str] = "беру"
    amount: int

    def slot(self) -> str:
        return "main"


class Pass(Command):
    type: Literal["pass"] = "pass"
    title: ClassVar[str] = "пас"


class GmSet(Command):
    type: Literal["gm_set"] = "gm_set"
    by_gm: ClassVar[bool] = True
    faction: str
    points: int


@dataclass(frozen=True)
class TinyLanguage:
    gm: bool

    def parse(self, text: PostText) -> Parse:
        readings, problems, ignored = [], [], []
        for match in re.finditer(r"[^\n.!]+[\n.!]*", text.text):
            span, words = Span(match.start(), match.end()), match.group()
            take = re.search(r"беру (\d+)", words)
            gm = re.search(r"очки (\w+) (\d+)", words)
            if gm and self.gm:
                readings.append(Reading({"type": "gm_set", "faction": gm[1], "points": int(gm[2])}, span))
            elif take:
                sure = "наверное" not in words
                command = {"type": "take", "amount": int(take[1])}
                readings.append(Reading(command, span, sure, None if sure else "сказано неуверенно"))
            elif "пас" in words:
                readings.append(Reading({"type": "pass"}, span))
            elif "кабан" in words:
                problems.append(Problem("unknown_order", Severity.ERROR, "Кабанов в игре нет.", span))
            else:
                ignored.append(Ignored(span, IgnoredReason.PROSE))
        return Parse(text.text, tuple(readings), tuple(problems), tuple(ignored))


class Tiny:
    id = "tiny"
    version = "1"
    title = "Кто больше"
    commands = CommandTypes([Take, Pass, GmSet])
    templates = Path("/nonexistent")
    secret: ClassVar[bool] = False
    """What is answered is secret."""
    hidden: ClassVar[bool] = False
    """Only he who is asked knows it."""

    def load_scenario(self, source: Mapping[str, Any] | None) -> Scenario:
        return Scenario("tiny", "Кто больше", source or {})

    def default_scenario_text(self) -> str:
        return ""

    def new_game(self, scenario: Scenario) -> Any:
        return {"turn": 1, "points": {"red": 0, "blue": 0}, "bonus": 0}

    def dump(self, state: Any) -> dict[str, Any]:
        return dict(state)

    def load(self, raw: Mapping[str, Any]) -> Any:
        return dict(raw)

    def factions(self, state: Any) -> tuple[Faction, ...]:
        return (
            Faction("red", "Красные", "#aa0000", aliases=("красный",)),
            Faction("blue", "Синие", "#0000aa", aliases=("синий",)),
        )

    def step(self, state: Any) -> Step | None:
        if state["turn"] > 3:
            return None
        waits = tuple(
            Wait(f"orders:{f}", f, "заявка", ("take", "pass"), self.secret, 48, only(f) if self.hidden else EVERYONE, "ничего")
            for f in ("red", "blue")
        )
        return Step(f"t{state['turn']:02}", "turn", f"Ход {state['turn']}", waits)

    def missing(self, state: Any, sheets: Sequence[Sheet]) -> list[Wait]:
        step = self.step(state)
        wrote = {sheet.issuer for sheet in sheets if sheet.commands}
        return [wait for wait in step.waits if wait.faction not in wrote] if step else []

    def resolve(self, state: Any, sheets: Sequence[Sheet], dice: Dice, *, closing: bool) -> Outcome:
        points, events = dict(state["points"]), []
        for sheet in sheets:
            for command in sheet.commands:
                if isinstance(command, GmSet):
                    points[command.faction] = command.points
                if isinstance(command, Take):
                    roll = dice.stream(f"взятие, {sheet.issuer}").roll(6)
                    points[sheet.issuer] += command.amount + roll
                    data = {"who": sheet.issuer, "amount": command.amount, "roll": roll}
                    events.append(Event("take", data, "R1", about=sheet.issuer))
                    events.append(Event("take", {**data, "secret": "шёпот"}, "R1", only(sheet.issuer), sheet.issuer, 1))
        new = {"turn": state["turn"] + closing, "points": points, "bonus": state["bonus"]}
        return Outcome(new, tuple(events), tuple(dice.draws))

    def view(self, state: Any, audience: Audience) -> Any:
        return {"points": state["points"], "gm": audience == GM_ONLY}

    def order_language(self, view: Any, kind: str | None) -> TinyLanguage:
        return TinyLanguage(view["gm"])

    def check(self, view: Any, kind: str | None, commands: Sequence[Command]) -> list[Problem]:
        return [
            Problem("E_MUCH", Severity.WARNING, "Больше девяти не унести.", command=i)
            for i, command in enumerate(commands)
            if isinstance(command, Take) and command.amount > 9
        ]

    def describe(self, view: Any, command: Command) -> str:
        return f"взять {command.amount}" if isinstance(command, Take) else str(command.model_dump()["type"])

    def map(self, view: Any) -> None:
        return None

    def report(self, view: Any, events: Sequence[Event], *, step: Step) -> Report:
        lines = tuple(para(f"{e.data['who']}: {e.data['amount']} + {e.data['roll']} {e.data.get('secret', '')}") for e in events)
        return Report(step.title, (para(f"Очки: {view['points']}"),), (Section("Взятое", lines),))

    def standings(self, view: Any) -> Report:
        return Report("Положение", (para(f"Очки: {view['points']}"),), ())

    def rule_text(self, rule: str) -> str | None:
        return "Бери." if rule == "R1" else None


class SecretTiny(Tiny):
    """With secret answers that everybody knows to be awaited."""

    secret = True


class HiddenTiny(SecretTiny):
    """With secret answers of which only he knows who is asked."""

    hidden = True


TINY = Tiny()


class Crash(BaseException):
    """The process dies here."""


@dataclass
class MemoryBoard:
    """Topics and an outbox. `write` finds what it wrote before by its key, as the real client does through its journal."""

    clock: ManualClock
    posts: dict[int, SeenPost] = field(default_factory=dict)
    messages: list[tuple[tuple[str, ...], str, str]] = field(default_factory=list)
    inbox_posts: list[SeenPost] = field(default_factory=list)
    written: dict[str, int] = field(default_factory=dict)
    files: dict[str, list[str]] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)
    """Attached files by name."""
    topics: dict[int, int] = field(default_factory=dict)
    """Post → topic."""
    reads: list[tuple[int, int | None]] = field(default_factory=list)
    """Topics that were read, each with the post from which on it was read again."""
    down: bool = False
    undecided: bool = False
    tick: Callable[[str], None] = lambda name: None
    account_id: str = "2"

    def say(self, author: str, text: str, at: datetime | None = None, topic: int = 7) -> int:
        number = len(self.posts) + 101
        self.topics[number] = topic
        moment = at or self.clock.now()
        self.posts[number] = SeenPost(number, author, f"user{author}", moment, "bbcode", text)
        return number

    def change(self, number: int, text: str, noticed: datetime | None = None) -> None:
        old = self.posts[number]
        self.posts[number] = SeenPost(
            number, old.author_id, old.author_name, old.posted_at, "bbcode", text, 1 if noticed else 0, noticed
        )

    def read(self, topic: int, cursor: Mapping[str, Any], reread_from: int | None) -> Seen:
        self.tick("read")
        self.reads.append((topic, reread_from))
        if self.down:
            raise BoardTrouble("Форум не отвечает.")
        last = int(cursor.get("last", 0))
        first = last + 1 if reread_from is None else min(last + 1, reread_from)
        found = tuple(
            post for number, post in sorted(self.posts.items()) if number >= first and self.topics.get(number, 7) == topic
        )
        return Seen(found, {"last": max([last, *self.posts])}, first)

    def inbox(self, cursor: Mapping[str, Any]) -> Seen:
        last = int(cursor.get("last", 0))
        found = tuple(post for post in self.inbox_posts if post.board_id > last)
        return Seen(found, {"last": max([last, *(post.board_id for post in found)])})

    def write(self, writing: Writing) -> int:
        self.tick("before write")
        if self.down:
            raise BoardTrouble("Форум не отвечает.")
        if self.undecided:
            raise Undecided("Не могу узнать, дошло ли.")
        if writing.key not in self.written:
            if writing.action == "message":
                self.messages.append((tuple(name for _, name in writing.accounts), writing.subject, writing.body))
                self.written[writing.key] = 0
            elif writing.action == "edit":
                self.change(writing.post, writing.body)
                self.written[writing.key] = writing.post
            else:
                self.written[writing.key] = self.say(self.account_id, writing.body, topic=writing.topic)
            self.files[writing.key] = [file.name for file in writing.attachments]
            self.contents.update({file.name: file.content for file in writing.attachments})
        self.tick("after write")
        return self.written[writing.key]

    def own(self, topic: int = 7) -> list[str]:
        """Texts of the bot's posts in a topic, in order."""
        mine = [(number, post) for number, post in sorted(self.posts.items()) if post.author_id == self.account_id]
        return [post.source for number, post in mine if self.topics.get(number, 7) == topic]


def settings(**changes: Any) -> Settings:
    """Two players, a GM, everything automatic."""
    parts: dict[str, Any] = {
        "campaign": CampaignPart(id="tiny", ruleset="tiny", scenario="", timezone="Europe/Moscow"),
        "forum": ForumPart(url="http://board.test/", user="Ведущий"),
        "board": BoardPart(attachments=True),
        "channels": ChannelsPart(topic=7),
        "gm": GmPart(accounts=(Account(id="3", name="Мастер"),)),
        "time": TimePart(round_minutes=60, reminders=(24, 3)),
        "review": ReviewPart(approve="auto", publish="auto"),
        "backup": BackupPart(every_hours=0),
        "players": (
            PlayerPart(faction="red", accounts=(Account(id="10", name="Рыжий"),)),
            PlayerPart(faction="blue", accounts=(Account(id="11", name="Синяя"),)),
        ),
    }
    return Settings(**{**parts, **changes})


def context(
    folder: Path, *, store: Store | None = None, board: MemoryBoard | None = None, **changes: Any
) -> tuple[Context, MemoryBoard]:
    """A campaign of the tiny game on a memory board."""
    clock = board.clock if board else ManualClock(START)
    made = board or MemoryBoard(clock)
    config = settings(**changes)
    url = config.database_url(folder)
    return Context(folder, config, store or Store(url), TINY, clock, lambda ctx: made, seeded_secrets("test")), made


HOUR = timedelta(hours=1)
__all__ = ["EVERYONE", "HOUR", "START", "TINY", "Crash", "MemoryBoard", "RulesError", "context", "settings"]
