"""Plays a text file of a game through the whole service: posts and private messages on a board in memory, read, understood,
approved (certain readings only), closed, resolved, published, verified. README.md says how such a file is written."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sqlalchemy import select

from forum_gm.campaign import Timing
from forum_gm.config import (
    Account,
    BackupPart,
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
from forum_gm.pipeline.approve import approve
from forum_gm.pipeline.board import SeenPost
from forum_gm.pipeline.context import Context, seeded_secrets
from forum_gm.pipeline.gm_acts import enter
from forum_gm.pipeline.parse import parse_revision, step_posts
from forum_gm.pipeline.publish import publish
from forum_gm.pipeline.resolve import resolve_portion
from forum_gm.pipeline.verify import verify
from forum_gm.service import tick
from forum_gm.storage import Store
from forum_gm.storage.models import OutcomeRow, StepRow
from renderers.bbcode import render_posts
from rules import registry
from rules.base import EVERYONE, GM, Ruleset
from tests.forum_gm.pipeline.tiny import START, MemoryBoard

BOT, MASTER = "2", "3"
FIRST_PLAYER = 10
UNSURE = "неуверенно"
"""How a script declares a reading that only asks."""
STEPS_AT_MOST = 500
HEADING = re.compile(r"^==(?P<on>>)? +(?P<title>.+?)\s*$")
SPEAKER = re.compile(r"^(?P<name>[^:()\[\]=?!]{2,40}?)(?: \((?P<how>лично|пульт)\))?:(?: +(?P<rest>.*))?$")


@dataclass
class Said:
    """A post, a private message, or commands that the GM enters on the desk."""

    issuer: str
    how: str
    """`` (common topic), `лично` or `пульт`."""
    text: str
    expected: list[str] = field(default_factory=list)
    """Codes of the problems that it must raise, `UNSURE` for each doubtful reading."""


@dataclass
class Happening:
    """An event that must come of what was said before it."""

    kind: str
    facts: dict[str, str]


@dataclass
class Portion:
    """The GM carries out what has been said so far, and the step stays open."""


@dataclass
class Chapter:
    """What is said while a step is open."""

    title: str
    onward: bool
    """Steps that come before it pass in silence."""
    acts: list[Said | Happening | Portion] = field(default_factory=list)


@dataclass
class Script:
    """A whole file."""

    path: Path
    head: Mapping[str, Any]
    chapters: list[Chapter]


def read_script(path: Path) -> Script:
    """Reads a game's file. Raises `ValueError` for a line outside any post."""
    head: list[str] = []
    chapters: list[Chapter] = []
    said: Said | None = None
    lines = path.read_text(encoding="utf-8").splitlines()
    names = _names(registry.get(tomllib.loads(_before_chapters(lines))["ruleset"]))
    for line in lines:
        heading = HEADING.match(line)
        if heading:
            chapters.append(Chapter(heading["title"], bool(heading["on"])))
            said = None
        elif not chapters:
            head.append(line)
        elif line.startswith("?? "):
            if said is None:
                raise ValueError(f"{path.name}: «{line}» стоит не после сообщения")
            said.expected = [code.strip() for code in line[3:].split(",")]
        elif line.startswith("!! "):
            kind, *facts = line[3:].split()
            chapters[-1].acts.append(Happening(kind, dict(fact.split("=", 1) for fact in facts)))
            said = None
        elif line.strip() == "-- исполнить":
            chapters[-1].acts.append(Portion())
            said = None
        elif (speaker := SPEAKER.match(line)) and speaker["name"].casefold() in names:
            said = Said(names[speaker["name"].casefold()], speaker["how"] or "", speaker["rest"] or "")
            chapters[-1].acts.append(said)
        elif said is not None:
            said.text = f"{said.text}\n{line}" if said.text else line
        elif line.strip() and not line.startswith("#"):
            raise ValueError(f"{path.name}: «{line}» стоит вне сообщения")
    return Script(path, tomllib.loads("\n".join(head)), chapters)


def _before_chapters(lines: list[str]) -> str:
    count = next((i for i, line in enumerate(lines) if HEADING.match(line)), len(lines))
    return "\n".join(lines[:count])


def _names(ruleset: Ruleset) -> dict[str, str]:
    state = ruleset.new_game(ruleset.load_scenario(None))
    found = {"мастер": GM}
    for faction in ruleset.factions(state):
        found.update({name.casefold(): faction.id for name in (faction.id, faction.name, *faction.aliases)})
    return found


def _merged(base: dict[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    for key, value in over.items():
        base[key] = _merged(base.get(key, {}), value) if isinstance(value, Mapping) else value
    return base


@dataclass
class Played:
    """What a game left."""

    public: list[str]
    """The bot's posts in the common topic, in order."""
    messages: list[tuple[tuple[str, ...], str, str]]
    understood: list[str]
    """The orders of each step as the rules got them, one command a line."""
    standings: str
    state: dict[str, Any]
    """The last state, as stored."""
    winners: list[str]
    over: bool
    verified: str


class Game:
    """A campaign on a board in memory, driven by a script."""

    def __init__(self, script: Script, folder: Path) -> None:
        self.script = script
        self.ruleset = registry.get(script.head["ruleset"])
        default = self.ruleset.load_scenario(None)
        raw = _merged(tomllib.loads(self.ruleset.default_scenario_text()), script.head.get("scenario", {}))
        # The file is the game's own way in: what can't be written in it can't be played.
        changed = "scenario" in script.head
        if changed:
            (folder / "scenario.toml").write_text(json_to_toml(raw), encoding="utf-8")
        state = self.ruleset.new_game(self.ruleset.load_scenario(raw) if changed else default)
        self.account = {f.id: str(FIRST_PLAYER + i) for i, f in enumerate(self.ruleset.factions(state))} | {GM: MASTER}
        self.name = {f.id: f.name for f in self.ruleset.factions(state)} | {GM: "Мастер"}
        self.clock = ManualClock(START)
        self.board = MemoryBoard(self.clock, account_id=BOT)
        settings = Settings(
            campaign=CampaignPart(id="game", ruleset=self.ruleset.id, scenario="scenario.toml" if changed else ""),
            forum=ForumPart(url="http://board.test/", user="Ведущий"),
            channels=ChannelsPart(topic=7, messages=True),
            gm=GmPart(accounts=(Account(id=MASTER, name="Мастер"),)),
            time=TimePart(reminders=()),
            review=ReviewPart(approve="auto", publish="auto"),
            backup=BackupPart(every_hours=0),
            players=tuple(
                PlayerPart(faction=f, accounts=(Account(id=number, name=self.name[f]),))
                for f, number in self.account.items()
                if f != GM
            ),
        )
        url = settings.database_url(folder)
        secrets = seeded_secrets(script.head["seed"])
        self.ctx = Context(folder, settings, Store(url), self.ruleset, self.clock, lambda ctx: self.board, secrets)
        self.understood: list[str] = []
        self.told = 0

    # ------------------------------------------------------------------------------------------------ playing

    def play(self) -> Played:
        """The whole script, and the verification."""
        # Pictures and PDFs have tests of their own; here they would only cost time.
        with patch("forum_gm.pipeline.publish.render", lambda ctx, number: []):
            self.tick()
            for chapter in self.script.chapters:
                self.chapter(chapter)
        verified = verify(self.ctx)
        with self.ctx.store.reading() as session:
            head = self.ctx.head(session)
            over = self.ctx.campaign(session).over
            view = self.ctx.view(head, EVERYONE)
            standings = "\n".join(post.text for post in render_posts(self.ruleset.standings(view)))
            state = self.ctx.state(head)
        self.ctx.close()
        winners, dump = winners_of(state), self.ruleset.dump(state)
        return Played(self.board.own(), self.board.messages, self.understood, standings, dump, winners, over, verified)

    def tick(self) -> None:
        trouble = tick(self.ctx).trouble
        assert trouble == "", trouble

    def chapter(self, chapter: Chapter) -> None:
        """Opens at the right step, says what is said, waits until the step is closed and told."""
        for _ in range(STEPS_AT_MOST):
            step = self.step()
            assert step is not None, f"«{chapter.title}»: игра уже окончена"
            if chapter.title in (step.title, step.kind):
                break
            assert chapter.onward, f"ждали «{chapter.title}», а идёт «{step.title}» ({step.kind})"
            self.wait(step)
        else:
            raise AssertionError(f"«{chapter.title}» так и не наступил")
        since = self.told_events()
        # A step in which nobody speaks closes too.
        due = True
        for act in chapter.acts:
            if isinstance(act, Happening):
                if due:
                    self.end(step, chapter)
                    due = False
                self.happened(act, since)
            elif isinstance(act, Portion):
                self.portion(step, chapter)
                due = False
            else:
                self.say(act)
                due = True
        if due:
            self.end(step, chapter)

    def say(self, said: Said) -> None:
        self.clock.sleep(60)
        author = self.account[said.issuer]
        if said.how == "пульт":
            for line in said.text.splitlines():
                if line.strip():
                    enter(self.ctx, "Мастер", json.loads(line))
        elif said.how == "лично":
            number = len(self.board.inbox_posts) + 1
            post = SeenPost(number, author, self.name[said.issuer], self.clock.now(), "bbcode", said.text.strip())
            self.board.inbox_posts.append(post)
        else:
            self.board.say(author, said.text.strip())

    def end(self, step: StepRow, chapter: Chapter) -> None:
        """What was said is read as declared; then the step's time is up."""
        self.read(step, chapter)
        self.wait(step)

    def wait(self, step: StepRow) -> None:
        with self.ctx.store.reading() as session:
            deadline = session.get_one(StepRow, step.id).deadline
        assert deadline is not None
        self.clock.sleep(max(0.0, (deadline - self.clock.now()).total_seconds()) + 1)
        self.tick()
        self.note()

    def portion(self, step: StepRow, chapter: Chapter) -> None:
        before = self.told_events()
        self.read(step, chapter)
        if self.told_events() != before:
            # A player's own words have had it carried out («исполнить сейчас»).
            self.note()
            return
        approve(self.ctx)
        resolve_portion(self.ctx, "Мастер")
        publish(self.ctx)
        self.tick()
        self.note()

    # ------------------------------------------------------------------------------------------------ looking

    def step(self) -> StepRow | None:
        with self.ctx.store.reading() as session:
            return self.ctx.current(session)

    def read(self, step: StepRow, chapter: Chapter) -> None:
        """Everything said in the chapter so far must be read without a doubt, but for what the script declares."""
        self.tick()
        texts = {
            (said.issuer, said.text.strip()): said.expected
            for said in chapter.acts
            if isinstance(said, Said) and said.how != "пульт"
        }
        wrong: list[str] = []
        with self.ctx.store.reading() as session:
            row = session.get_one(StepRow, step.id)
            for post, counting in step_posts(session, row):
                if post.role == "bot" or counting.revision is None:
                    continue
                assert set(counting.timings.values()) == {Timing.IN_TIME}
                assert post.issuer is not None, f"{step.title}: не видно, чьё сообщение:\n{counting.revision.source}"
                parsed, _ = parse_revision(self.ctx, session, row, post.issuer, counting.revision)
                found = [problem["code"] for problem in parsed.parse["problems"]]
                found += [UNSURE for command in parsed.parse["commands"] if not command["certain"]]
                expected = texts.get((post.issuer, counting.revision.source), [])
                if sorted(found) != sorted(expected):
                    wrong += [f"{step.title}, {self.name[post.issuer]}: объявлено {', '.join(expected) or 'чисто'}, а понято:"]
                    wrong += _told(parsed.parse)
        assert not wrong, "\n".join(wrong)

    def note(self) -> None:
        """Writes down the orders of the outcomes that are new."""
        with self.ctx.store.reading() as session:
            query = select(OutcomeRow).where(OutcomeRow.number > self.told).order_by(OutcomeRow.number)
            for row in session.scalars(query):
                self.told = row.number
                self.understood.append(f"== {row.step_id}" + (f", часть {row.portion}" if row.portion else ""))
                for sheet in row.sheets:
                    self.understood.append(f"{sheet['issuer']}:")
                    self.understood += [f"  {json.dumps(c, ensure_ascii=False)}" for c in sheet["commands"]]

    def told_events(self) -> int:
        with self.ctx.store.reading() as session:
            return self.ctx.head(session).number

    def happened(self, happening: Happening, since: int) -> None:
        with self.ctx.store.reading() as session:
            rows = session.scalars(select(OutcomeRow).where(OutcomeRow.number > since).order_by(OutcomeRow.number))
            events = [event for row in rows for event in row.events]
        for event in events:
            data = event["data"]
            if event["kind"] == happening.kind and all(fact(data.get(k)) == v for k, v in happening.facts.items()):
                return
        shown = "\n".join(f"{event['kind']} {json.dumps(event['data'], ensure_ascii=False)}" for event in events)
        raise AssertionError(f"не произошло: {happening.kind} {happening.facts}\n{shown}")


def fact(value: Any) -> str:
    """A fact as a script writes it: words bare, everything else as JSON without blanks."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _told(parse: Mapping[str, Any]) -> Iterator[str]:
    yield parse["text"]
    for command in parse["commands"]:
        bare = {k: v for k, v in command.items() if k not in ("source", "certain", "note")}
        yield f"  {'' if command['certain'] else '?'} {json.dumps(bare, ensure_ascii=False)} {command['note'] or ''}"
    for problem in parse["problems"]:
        where = parse["text"][problem["start"] : problem["end"]]
        yield f"  ! {problem['code']} ({problem['severity']}) «{where}»: {problem['message']}"


def winners_of(state: Any) -> list[str]:
    """Who has won, whatever the game calls it."""
    if hasattr(state, "finished"):
        return list(state.finished.winners) if state.finished else []
    if hasattr(state, "winners"):
        return list(state.winners)
    return [state.winner] if state.winner else []


def json_to_toml(raw: Mapping[str, Any]) -> str:
    """Plain data as TOML: every key of the top level with its value inline."""
    return "\n".join(f"{_key(name)} = {_value(value)}" for name, value in raw.items()) + "\n"


def _key(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def path_in(raw: Any, path: str) -> Any:
    """The value at a dotted path of plain data."""
    for part in path.split("."):
        raw = raw[int(part)] if isinstance(raw, list) else raw.get(part) if isinstance(raw, Mapping) else None
    return raw
