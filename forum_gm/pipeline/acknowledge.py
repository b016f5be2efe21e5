"""Tells players soon what was understood: the echo «понял так», the step's status post, and reminders before the deadline.

Nothing of a secret answer, nor that it is awaited, gets into the common topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from forum_gm.campaign import in_time
from forum_gm.diagnostics import SIGNS
from forum_gm.pipeline.close import still_missing
from forum_gm.pipeline.context import Context, moment
from forum_gm.pipeline.outbox import channel_of, enqueue, gm_channel, text_of
from forum_gm.pipeline.parse import bare, counted_posts, parse_revision, step_posts
from forum_gm.pipeline.publish import wait_lines
from forum_gm.storage.models import Channel, Notice, ParseRow, Post, Publication, PublicationStatus, Revision, StepRow, StepStatus
from forum_gm.understand import audience_of
from forum_gm.wording import left, when
from parsers.types import Severity
from renderers.bbcode import escape
from rules.base import EVERYONE, Step, only

EXCERPT = 60
"""Characters of the player's own line shown on each side of a marked place."""


def acknowledge(ctx: Context) -> int:
    """Queues the answers to posts that have none yet, and the status post when it has changed. How many were queued."""
    with ctx.exclusive(), ctx.store.writing() as session:
        step = ctx.current(session)
        count = sum(_answer_late(ctx, session, row) for row in _lately_told(ctx, session))
        if step is None or step.status not in (StepStatus.OPEN, StepStatus.CLOSED):
            return count
        rules_step = ctx.rules_step(session, step)
        if ctx.settings.review.acknowledge != "none":
            for post, counting in step_posts(session, step):
                if post.role == "player" and post.issuer is not None and counting.timings:
                    newest = max(counting.timings)
                    count += _answer(ctx, session, step, rules_step, post, newest)
        if ctx.settings.review.status_post and ctx.settings.channels.topic:
            count += _status(ctx, session, step, rules_step)
        return count


def _lately_told(ctx: Context, session: Session) -> list[StepRow]:
    """The last step that is resolved or published: somebody may have written for it too late."""
    done = [row for row in ctx.steps(session) if row.status in (StepStatus.RESOLVED, StepStatus.PUBLISHED)]
    return done[-1:]


def _answer_late(ctx: Context, session: Session, step: StepRow) -> int:
    """Answers to late posts of a step that has been carried out already."""
    if ctx.settings.review.acknowledge == "none":
        return 0
    rules_step = ctx.rules_step(session, step)
    late = [
        (post, max(counting.timings))
        for post, counting in step_posts(session, step)
        if post.role == "player" and post.issuer is not None and counting.timings and not in_time(post, step.deadline)
    ]
    return sum(_answer(ctx, session, step, rules_step, post, newest) for post, newest in late)


# ---------------------------------------------------------------------------------------------------- «понял так»


def _answer(ctx: Context, session: Session, step: StepRow, rules_step: Step, post: Post, newest: int) -> bool:
    key = f"ack:{post.id}:{newest}"
    known = select(Publication.id).where(Publication.campaign_id == ctx.campaign_id, Publication.key == key)
    if session.scalar(known) is not None:
        return False
    revision = session.scalars(select(Revision).where(Revision.post_id == post.id, Revision.number == newest)).one()
    row, _ = parse_revision(ctx, session, step, str(post.issuer), revision)
    channel = session.get_one(Channel, post.channel_id)
    private = channel.kind == "inbox" or channel.faction is not None
    if not (row.parse["commands"] or row.parse["problems"] or private):
        return False
    body = answer_text(ctx, session, step, rules_step, post, revision, row, public=not private)
    secret = _secret(rules_step, post, row)
    target = _answer_target(ctx, session, step, post, public=not (private or secret or rules_step.secret))
    if target is None:
        return False
    return enqueue(ctx, session, key, "ack", target, f"{step.title}: понял так", body, step=step)


def _secret(rules_step: Step, post: Post, row: ParseRow) -> bool:
    """True when a reading answers a secret wait."""
    types = {str(command["type"]) for command in row.parse["commands"]}
    own = [wait for wait in rules_step.waits if wait.faction == post.issuer and wait.secret]
    return any(types & set(wait.types) for wait in own)


def _answer_target(ctx: Context, session: Session, step: StepRow, post: Post, *, public: bool) -> dict[str, Any] | None:
    """The configured channel. What came privately, and anything of a step with secret answers, is never answered in public: its
    side's own topic takes it then, or a message to the author."""
    mode = ctx.settings.review.acknowledge
    if mode == "public" and public and ctx.settings.channels.topic:
        return {"topic": ctx.settings.channels.topic}
    player = ctx.settings.player(str(post.issuer))
    if mode == "topic" or (mode == "public" and player is not None and player.topic):
        return channel_of(ctx, session, str(post.issuer), step.number)
    return {"accounts": [[post.author_id, post.author_name]]}


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of the player's own line, with the part that is meant."""

    line: int
    before: str
    marked: str
    after: str


def place(text: str, start: int, end: int) -> Place:
    """The line on which a span begins, cut around the span."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", start)
    last = len(text) if last < 0 else last
    stop = max(start, min(end, last))
    before, after = text[first:start], text[stop:last]
    if len(before) > EXCERPT:
        before = "…" + before[-EXCERPT:]
    if len(after) > EXCERPT:
        after = after[:EXCERPT] + "…"
    return Place(text.count("\n", 0, start) + 1, before, text[start:stop], after)


def answer_text(
    ctx: Context,
    session: Session,
    step: StepRow,
    rules_step: Step,
    post: Post,
    revision: Revision,
    row: ParseRow,
    *,
    public: bool,
) -> str:
    """The echo of one text of a post."""
    view = ctx.view(ctx.head(session), audience_of(str(post.issuer)))
    sure: list[str] = []
    unsure: list[tuple[str, str]] = []
    for command in row.parse["commands"]:
        words = escape(ctx.ruleset.describe(view, ctx.ruleset.commands.parse(bare(command))))
        if command["certain"]:
            sure.append(words + (f" ({escape(command['note'])})" if command["note"] else ""))
        else:
            unsure.append((words, escape(command["note"] or "")))
    text = row.parse["text"]
    problems = [
        {
            "sign": SIGNS[Severity(problem["severity"])],
            "message": escape(problem["message"]),
            "place": _escaped(place(text, problem["start"], problem["end"])),
            "choices": [escape(choice["text"]) for choice in problem.get("choices", ())],
            "correction": escape(problem.get("correction") or ""),
        }
        for problem in row.parse["problems"]
    ]
    until = own_deadline(step, rules_step, str(post.issuer))
    secret = _secret(rules_step, post, row)
    return text_of(
        ctx,
        "ack.bbcode.j2",
        step=escape(step.title),
        changed=revision.number > 1,
        late=not in_time(post, until),
        deadline=when(until, ctx.settings.zone) if until else "",
        exposed=public and secret and ctx.settings.channels.secret_in_public == "warn",
        sure=sure,
        unsure=unsure,
        problems=problems,
    )


def own_deadline(step: StepRow, rules_step: Step, faction: str) -> datetime | None:
    """The end of the step as a faction may know it: of the waits that it knows of."""
    deadlines = _deadlines(step)
    known = [deadlines[w.id] for w in rules_step.waits if w.id in deadlines and w.known_to.includes(only(faction))]
    return max(known) if known else step.deadline


def _escaped(found: Place) -> dict[str, Any]:
    # A space at the edge of a piece would be trimmed with it; it belongs between the pieces.
    def piece(text: str) -> str:
        inner = escape(text.strip()) if text.strip() else ""
        return (" " if text[:1].isspace() else "") + inner + (" " if text[-1:].isspace() and text.strip() else "")

    return {"line": found.line, "before": piece(found.before), "marked": piece(found.marked), "after": piece(found.after)}


# ---------------------------------------------------------------------------------------------------- status post


def _status(ctx: Context, session: Session, step: StepRow, rules_step: Step) -> bool:
    query = select(Publication).where(
        Publication.campaign_id == ctx.campaign_id,
        Publication.step_row == step.id,
        Publication.kind == "status",
        Publication.status != PublicationStatus.DROPPED,
    )
    rows = list(session.scalars(query.order_by(Publication.id)))
    body = status_text(ctx, session, step, rules_step)
    subject = f"Приказы: {step.title}"
    if not rows:
        topic = {"topic": ctx.settings.channels.topic}
        return enqueue(ctx, session, f"status:{step.id}", "status", topic, subject, body, step=step)
    first, last = rows[0], rows[-1]
    if first.status != PublicationStatus.CONFIRMED or first.board_id is None or last.body == body:
        return False
    key = f"status:{step.id}:{len(rows) + 1}:{last.id}"
    return enqueue(ctx, session, key, "status", {"post": first.board_id}, subject, body, step=step)


def status_text(ctx: Context, session: Session, step: StepRow, rules_step: Step) -> str:
    """Who has sent orders and who hasn't, as far as everybody may know."""
    names = {f.id: f.name for f in ctx.ruleset.factions(ctx.state(ctx.head(session)))}
    posts = counted_posts(ctx, session, step)
    missing = set(still_missing(ctx, session, step, posts))
    deadlines = _deadlines(step)
    wrote = {item.post.issuer for item in posts if item.wrote}
    known = [wait for wait in rules_step.waits if wait.known_to.includes(EVERYONE)]
    sent = [names.get(w.faction, w.faction) for w in known if w.id not in missing or w.faction in wrote]
    waiting = [names.get(w.faction, w.faction) for w in known if w.id in missing and w.faction not in wrote]
    return text_of(
        ctx,
        "status.bbcode.j2",
        step=escape(step.title),
        open=step.status == StepStatus.OPEN,
        sent=[escape(name) for name in dict.fromkeys(sent)],
        waiting=[escape(name) for name in dict.fromkeys(waiting) if name not in sent],
        lines=[escape(line) for line in wait_lines(ctx, session, rules_step, deadlines)],
    )


def _deadlines(step: StepRow) -> Mapping[str, datetime]:
    return {wait: moment(text) for wait, text in step.deadlines.items()}


# ---------------------------------------------------------------------------------------------------- reminders


def remind(ctx: Context) -> int:
    """Queues reminders for those who owe an answer and whose deadline comes near. How many were queued."""
    with ctx.exclusive(), ctx.store.writing() as session:
        step = ctx.current(session)
        if step is None or step.status != StepStatus.OPEN or step.opened_at is None:
            return 0
        rules_step = ctx.rules_step(session, step)
        posts = counted_posts(ctx, session, step)
        missing = set(still_missing(ctx, session, step, posts))
        wrote = {item.post.issuer for item in posts if item.wrote}
        deadlines = _deadlines(step)
        now = ctx.clock.now()
        count = 0
        asked = [wait.faction for wait in rules_step.waits]
        for wait in rules_step.waits:
            until = deadlines.get(wait.id)
            if wait.id not in missing or until is None or now >= until:
                continue
            # Who wrote has got his echo; but of several things asked of him he may have answered another one.
            if wait.faction in wrote and asked.count(wait.faction) == 1:
                continue
            # A reminder in the first half of the time would only be noise.
            half = step.opened_at + (until - step.opened_at) / 2
            due = [h for h in ctx.settings.time.reminders if half <= until - timedelta(hours=h) <= now]
            target = channel_of(ctx, session, wait.faction, step.number)
            if not due or target is None:
                continue
            body = text_of(
                ctx,
                "reminder.bbcode.j2",
                step=escape(step.title),
                title=escape(wait.title),
                deadline=when(until, ctx.settings.zone),
                left=left(until - now),
                silence=escape(wait.silence),
            )
            key = f"remind:{step.id}:{wait.id}:{min(due):g}:{until:%Y%m%d%H%M}"
            count += enqueue(ctx, session, key, "reminder", target, f"{step.title}: напоминание", body, step=step)
        return count


# ---------------------------------------------------------------------------------------------------- questions to the GM


ASKS = ("whose", "edit", "gone", "publication")
"""Notices that the GM gets as a message. (The weather can't be told on a board that is down.)"""


def ask_gm(ctx: Context) -> int:
    """Queues one message to the GM with everything new that needs him. How many questions it holds."""
    with ctx.exclusive(), ctx.store.writing() as session:
        target = gm_channel(ctx, session)
        query = select(Notice).where(
            Notice.campaign_id == ctx.campaign_id, Notice.settled_at.is_(None), Notice.sent.is_(False), Notice.kind.in_(ASKS)
        )
        notices = list(session.scalars(query.order_by(Notice.id)))
        if not notices or target is None:
            return 0
        body = text_of(ctx, "questions.bbcode.j2", questions=[escape(notice.text) for notice in notices])
        enqueue(
            ctx, session, f"questions:{notices[-1].id}:{notices[-1].at:%Y%m%d%H%M%S}", "notice", target, "Вопросы мастеру", body
        )
        for notice in notices:
            notice.sent = True
        return len(notices)
