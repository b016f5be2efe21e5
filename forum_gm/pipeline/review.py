"""The GM's picture of a step: each player's posts with the understood parts marked, the commands beside them, what is unclear.

A read model for the desk and for `forum-gm orders`; it changes nothing but readings that are still to be made. The acts are in
`decide`, `approve`, `close`, `resolve` and `publish`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from forum_gm.campaign import Counting, Timing, in_time
from forum_gm.pipeline.close import still_missing
from forum_gm.pipeline.context import Context, NotNow, moment
from forum_gm.pipeline.parse import LIVE, orders_of, own_orders, parse_revision, parse_step, step_posts
from forum_gm.pipeline.resolve import plan_of
from forum_gm.storage.models import Channel, Notice, Order, ParseRow, Post, Revision, StepRow, StepStatus
from forum_gm.understand import audience_of, post_text
from rules.base import GM, FactionId, RulesError, View

NEXT = {
    StepStatus.WAITING: "объявить шаг",
    StepStatus.OPEN: "ждать приказов до срока",
    StepStatus.CLOSED: "проверить приказы и рассчитать",
    StepStatus.RESOLVED: "посмотреть итоги и опубликовать",
    StepStatus.PUBLISHED: "",
}


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a post's text and what it is."""

    start: int
    end: int
    kind: str
    """`order` (certain), `unsure`, `error`, `warning`, `question`, or `ignored`."""
    detail: str
    """Order row id, index of the problem, or the reason it is ignored."""


@dataclass(frozen=True, slots=True)
class OrderLine:
    """One command on the GM's list."""

    id: int
    text: str
    """The command in words."""
    command: dict[str, Any]
    status: str
    """`OrderStatus`."""
    certain: bool
    note: str
    origin: str
    edited: bool
    start: int | None
    end: int | None
    warnings: tuple[int, ...] = ()
    """Indices of the problems about it."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ProblemLine:
    """One problem of a post."""

    index: int
    severity: str
    code: str
    message: str
    start: int
    end: int
    line: int
    words: str
    choices: tuple[str, ...] = ()
    """Answers by their index; an empty text can't be chosen."""
    correction: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class TextVersion:
    """One text of a post."""

    number: int
    seen_at: datetime
    timing: Timing
    edited_at: datetime | None
    edited_by: str
    after_ack: bool
    counts: bool
    diff: tuple[tuple[str, str], ...]
    """Against the version before: (`same` | `gone` | `new`, words)."""


@dataclass(frozen=True, slots=True)
class PostReview:
    """A post beside what was understood of it."""

    id: int
    board_id: int
    channel: str
    author: str
    issuer: FactionId | None
    posted_at: datetime
    counts: bool
    why_not: str
    """`опоздало`, `отклонено мастером`, … where it doesn't count."""
    gone: bool
    text: str
    marks: tuple[Mark, ...]
    orders: tuple[OrderLine, ...]
    problems: tuple[ProblemLine, ...]
    versions: tuple[TextVersion, ...]

    @property
    def doubtful(self) -> bool:
        """Some text of it is of after the deadline, of unknown time, or of after the answer: the GM should see the changes."""
        return any(v.timing is not Timing.IN_TIME or v.after_ack for v in self.versions)


@dataclass(frozen=True, slots=True)
class PlayerReview:
    """A faction's side of a step."""

    faction: FactionId
    name: str
    colour: str
    awaited: tuple[str, ...]
    """Titles of its waits."""
    missing: tuple[str, ...]
    """Those not answered yet."""
    deadline: datetime | None
    posts: tuple[PostReview, ...]
    own: tuple[OrderLine, ...]
    """Orders that the GM entered for it."""
    sheet: tuple[str, ...]
    """What would be carried out now, in words, after merging its posts."""


@dataclass(frozen=True, slots=True)
class StepReview:
    """A step."""

    number: int
    step_id: str
    kind: str
    title: str
    status: str
    attempt: int
    opened_at: datetime | None
    deadline: datetime | None
    todo: str
    """What the GM does next, in Russian."""
    players: tuple[PlayerReview, ...]
    gm: PlayerReview | None
    strays: tuple[PostReview, ...]
    """Posts of seated accounts that nobody can tell for whom they speak."""
    notices: tuple[tuple[int, str, str, datetime], ...] = field(default=())
    """(id, kind, text, when) of what the GM must still see."""

    @property
    def undecided(self) -> int:
        """How many orders wait for a decision."""
        posts = [p for player in self.players for p in player.posts if p.counts]
        return sum(order.status in ("proposed", "asks") for post in posts for order in post.orders)


def review(ctx: Context, number: int | None = None) -> StepReview:
    """A step (by number; None: the current one, after the end the last). Raises `NotNow` when there is none."""
    with ctx.exclusive(), ctx.store.writing() as session:
        rows = ctx.steps(session)
        if number is None:
            step = ctx.current(session) or (rows[-1] if rows else None)
        else:
            step = next((row for row in rows if row.number == number), None)
        if step is None:
            raise NotNow(f"Нет шага {number}." if number is not None else "Кампания ещё не начата.")
        if step.status in LIVE:
            parse_step(ctx, session, step)
        return _step(ctx, session, step)


def _step(ctx: Context, session: Session, step: StepRow) -> StepReview:
    rules_step = ctx.rules_step(session, step)
    live = step.status in LIVE
    missing = set(still_missing(ctx, session, step)) if live else set()
    head = ctx.head(session)
    posts = [(post, _post(ctx, session, step, post, count)) for post, count in step_posts(session, step) if post.role != "bot"]
    own = own_orders(session, step)
    sheets = {sheet.issuer: sheet for sheet in plan_of(ctx, session, step).sheets} if live else {}

    def player(faction: FactionId, name: str, colour: str) -> PlayerReview:
        waits = [wait for wait in rules_step.waits if wait.faction == faction]
        view = ctx.view(head, audience_of(faction))
        until = [moment(step.deadlines[w.id]) for w in waits if w.id in step.deadlines]
        sheet = sheets.get(faction)
        return PlayerReview(
            faction,
            name,
            colour,
            tuple(wait.title for wait in waits),
            tuple(wait.title for wait in waits if wait.id in missing),
            max(until) if until else None,
            tuple(reviewed for post, reviewed in posts if post.issuer == faction),
            tuple(_order_line(ctx, view, order, {}) for order in own if order.issuer == faction),
            tuple(ctx.ruleset.describe(view, command) for command in sheet.commands) if sheet else (),
        )

    players = tuple(
        player(f.id, f.name, f.colour) for f in ctx.ruleset.factions(ctx.state(head)) if _shown(f.active, f.id, posts)
    )
    gm = player(GM, "Мастер", "#555555")
    notices = session.scalars(
        select(Notice).where(Notice.campaign_id == ctx.campaign_id, Notice.settled_at.is_(None)).order_by(Notice.id)
    )
    return StepReview(
        step.number,
        step.step_id,
        step.kind,
        step.title,
        step.status,
        step.attempt,
        step.opened_at,
        step.deadline,
        NEXT.get(StepStatus(step.status), ""),
        players,
        gm if gm.posts or gm.own else None,
        tuple(reviewed for post, reviewed in posts if post.issuer is None and post.role == "player"),
        tuple((n.id, n.kind, n.text, n.at) for n in notices),
    )


def _shown(active: bool, faction: FactionId, posts: Sequence[tuple[Post, PostReview]]) -> bool:
    return active or any(post.issuer == faction for post, _ in posts)


def _post(ctx: Context, session: Session, step: StepRow, post: Post, count: Counting) -> PostReview:
    channel = session.get_one(Channel, post.channel_id)
    revisions = list(session.scalars(select(Revision).where(Revision.post_id == post.id).order_by(Revision.number)))
    shown = count.revision or revisions[-1]
    counts = post.issuer is not None and in_time(post, step.deadline) and count.revision is not None
    why_not = ""
    if not counts and post.issuer is not None:
        if post.ruling == "excluded":
            why_not = "отклонено мастером"
        else:
            why_not = "опоздало" if count.revision is not None else "до срока текст не прочитан, потом изменён"
    text = post_text(shown.source, shown.format).text
    marks: tuple[Mark, ...] = ()
    orders: tuple[OrderLine, ...] = ()
    problems: tuple[ProblemLine, ...] = ()
    if post.issuer is not None:
        row, _ = parse_revision(ctx, session, step, post.issuer, shown)
        view = ctx.view(ctx.head(session), audience_of(post.issuer))
        rows = orders_of(session, post)
        text = row.parse["text"]
        problems = tuple(_problem(row, i) for i in range(len(row.parse["problems"])))
        about = _about(row, rows)
        orders = tuple(_order_line(ctx, view, order, about) for order in rows)
        marks = tuple(sorted(_marks(row, rows), key=lambda m: (m.start, -m.end)))
    where = "лично" if channel.kind == "inbox" else "закрытая тема" if channel.faction else "общая тема"
    return PostReview(
        post.id,
        post.board_id,
        where,
        post.author_name,
        post.issuer,
        post.posted_at,
        counts,
        why_not,
        post.gone_at is not None,
        text,
        marks,
        orders,
        problems,
        tuple(_versions(revisions, count)),
    )


def _about(row: ParseRow, orders: Sequence[Order]) -> dict[int, tuple[int, ...]]:
    """Order id → indices of the problems about it, by the place of the command they name."""
    out: dict[int, tuple[int, ...]] = {}
    commands = row.parse["commands"]
    for index, problem in enumerate(row.parse["problems"]):
        number = problem.get("command")
        if number is None or number >= len(commands):
            continue
        start = commands[number]["source"]["start"]
        for order in orders:
            if order.start == start and order.command.get("type") == commands[number]["type"]:
                out[order.id] = (*out.get(order.id, ()), index)
    return out


def _order_line(ctx: Context, view: View, order: Order, about: dict[int, tuple[int, ...]]) -> OrderLine:
    try:
        words = ctx.ruleset.describe(view, ctx.ruleset.commands.parse(order.command))
    except RulesError as error:
        words = f"{order.command.get('type')}: {error}"
    return OrderLine(
        order.id,
        words,
        order.command,
        order.status,
        order.certain,
        order.note or "",
        order.origin,
        order.original is not None,
        order.start,
        order.end,
        about.get(order.id, ()),
        order.reason,
    )


def _problem(row: ParseRow, index: int) -> ProblemLine:
    raw = row.parse["problems"][index]
    return ProblemLine(
        index,
        raw["severity"],
        raw["code"],
        raw["message"],
        raw["start"],
        raw["end"],
        raw["line"],
        row.parse["text"][raw["start"] : raw["end"]],
        tuple(choice["text"] if "command" in choice else "" for choice in raw.get("choices", ())),
        raw.get("correction", ""),
        raw.get("rule", ""),
    )


def _marks(row: ParseRow, orders: Sequence[Order]) -> Iterator[Mark]:
    ids = {(order.start, order.end): order.id for order in orders if order.origin == "parse"}
    for command in row.parse["commands"]:
        source = command["source"]
        kind = "order" if command["certain"] else "unsure"
        detail = str(ids.get((source["start"], source["end"]), ""))
        for place in (source, *source.get("also", ())):
            yield Mark(place["start"], place["end"], kind, detail)
    for index, problem in enumerate(row.parse["problems"]):
        yield Mark(problem["start"], problem["end"], problem["severity"], str(index))
    for ignored in row.parse["ignored"]:
        yield Mark(ignored["start"], ignored["end"], "ignored", ignored["reason"])


def _versions(revisions: Sequence[Revision], count: Counting) -> Iterator[TextVersion]:
    before = ""
    for revision in revisions:
        text = post_text(revision.source, revision.format).text
        yield TextVersion(
            revision.number,
            revision.seen_at,
            count.timings.get(revision.number, Timing.IN_TIME),
            revision.edited_at,
            revision.edited_by or "",
            revision.after_ack,
            count.revision is not None and count.revision.number == revision.number,
            tuple(word_diff(before, text)) if revision.number > 1 else (),
        )
        before = text


def word_diff(old: str, new: str) -> Iterator[tuple[str, str]]:
    """(`same` | `gone` | `new`, text) pieces that turn `old` into `new`, word by word."""
    a, b = re.findall(r"\s+|\w+|[^\w\s]", old), re.findall(r"\s+|\w+|[^\w\s]", new)
    for op, i1, i2, j1, j2 in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if op == "equal":
            yield "same", "".join(a[i1:i2])
        else:
            if i2 > i1:
                yield "gone", "".join(a[i1:i2])
            if j2 > j1:
                yield "new", "".join(b[j1:j2])
