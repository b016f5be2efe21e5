"""Ends the taking of orders: one last look at the posts, then the step is closed and the ids that feed its dice are fixed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from forum_gm.campaign import OrderSet, PostIn, make_plan
from forum_gm.pipeline.board import BoardTrouble
from forum_gm.pipeline.collect import collect
from forum_gm.pipeline.context import SERVICE, Context, NotNow, moment, stamp
from forum_gm.pipeline.parse import counted_posts, own_orders, parse_step
from forum_gm.storage.models import Channel, Post, StepRow, StepStatus


def due(ctx: Context, session: Session, step: StepRow) -> bool:
    """True when an open step may close: its time is up, or (if so configured) everybody has answered."""
    if step.status != StepStatus.OPEN or step.deadline is None:
        return False
    if ctx.clock.now() >= step.deadline:
        return True
    return ctx.settings.time.close_early and not still_missing(ctx, session, step)


def still_missing(ctx: Context, session: Session, step: StepRow, posts: Sequence[PostIn] | None = None) -> list[str]:
    """Ids of the waits that the orders at hand (approved or not) don't answer yet. `posts`: those that count, if known."""
    rules_step = ctx.rules_step(session, step)
    deadlines = {wait: moment(text) for wait, text in step.deadlines.items()}
    plan = make_plan(
        ctx.ruleset,
        rules_step,
        deadlines,
        counted_posts(ctx, session, step) if posts is None else posts,
        own_orders(session, step),
        statuses=OrderSet.LIKELY,
    )
    return [wait.id for wait in ctx.ruleset.missing(ctx.state(ctx.head(session)), plan.sheets)]


def close(ctx: Context, who: str = SERVICE, *, early: bool = False) -> StepRow:
    """Closes the current step. Before its time only with `early` (the GM's act, told in public): the deadline is then now.

    Reads all channels once more first; raises `BoardTrouble` when that fails, for nothing may be missed, and `NotNow`."""
    with ctx.exclusive():
        now = ctx.clock.now()
        with ctx.store.writing() as session:
            step = ctx.step(session, None)
            if step.status == StepStatus.CLOSED:
                return step
            if step.status != StepStatus.OPEN or step.deadline is None:
                raise NotNow(f"{step.title}: закрывать нечего, шаг не открыт.")
            if now < step.deadline:
                if not early and not due(ctx, session, step):
                    raise NotNow(f"{step.title}: срок ещё не вышел; закрыть раньше может мастер.")
                step.deadlines = {wait: stamp(min(moment(text), now)) for wait, text in step.deadlines.items()}
                step.deadline = now
                if early:
                    ctx.audit(session, who, "close_early", {"step": step.step_id}, public=True)
        if ctx.connect is not None:
            result = collect(ctx, reread=True)
            if result.troubles:
                raise BoardTrouble(f"Шаг не закрыт, форум не дочитан. {result.troubles[0]}")
        with ctx.store.writing() as session:
            step = ctx.step(session, None)
            parse_step(ctx, session, step)
            step.status = StepStatus.CLOSED
            step.closed_at = ctx.clock.now()
            if step.dice_posts is None:
                step.dice_posts = public_posts(session, step)
            ctx.audit(session, who, "close", {"step": step.step_id, "dice_posts": step.dice_posts})
            return step


def public_posts(session: Session, step: StepRow) -> list[int]:
    """Ids of the players' posts in the common topic that came before the deadline: the public's share in the dice."""
    query = (
        select(Post.board_id)
        .join(Channel, Post.channel_id == Channel.id)
        .where(Post.step_row == step.id, Post.role == "player", Channel.kind == "topic", Channel.faction.is_(None))
        .order_by(Post.board_id)
    )
    if step.deadline is not None:
        query = query.where(Post.posted_at <= step.deadline)
    return list(session.scalars(query))


def extend(ctx: Context, who: str, hours: float, *, wait: str | None = None) -> StepRow:
    """Gives the current step (or one wait of it) more hours; a closed step that isn't resolved opens again. Told in public."""
    with ctx.exclusive(), ctx.store.writing() as session:
        step = ctx.step(session, None)
        if step.status not in (StepStatus.OPEN, StepStatus.CLOSED) or step.deadline is None:
            raise NotNow(f"{step.title}: срок продлить нельзя, шаг не ждёт приказов.")
        if wait is not None and wait not in step.deadlines:
            raise NotNow(f"В шаге «{step.title}» нет ожидания {wait}.")
        more = timedelta(hours=hours)
        now = ctx.clock.now()
        step.deadlines = {
            name: stamp(max(moment(text), now) + more) if wait in (None, name) else text for name, text in step.deadlines.items()
        }
        step.deadline = max(moment(text) for text in step.deadlines.values())
        if step.status == StepStatus.CLOSED and step.deadline > now:
            step.status, step.closed_at, step.dice_posts = StepStatus.OPEN, None, None
        detail = {"step": step.step_id, "hours": hours, "wait": wait, "deadline": stamp(step.deadline)}
        ctx.audit(session, who, "extend", detail, public=True)
        return step
