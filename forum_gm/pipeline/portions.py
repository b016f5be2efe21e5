"""Portions of a turn: what a player wants carried out at once, with its reports and dice shown; the step stays open."""

from __future__ import annotations

from sqlalchemy.orm import Session

from forum_gm.campaign import in_time
from forum_gm.pipeline.approve import approve
from forum_gm.pipeline.context import SERVICE, Context
from forum_gm.pipeline.parse import orders_of, parse_revision, step_posts
from forum_gm.pipeline.publish import publish
from forum_gm.pipeline.resolve import resolve_portion
from forum_gm.storage.models import Order, OrderStatus, Post, StepRow, StepStatus
from parsers.types import Severity

AT_MOST = 50
"""Portions in one go; more would be a fault."""


def carry_out_portions(ctx: Context) -> list[str]:
    """Carries out the portions that players of the open step ask for, one after another, and tells them. Where the GM approves
    orders he is told that somebody waits. A post with anything doubtful in it waits until its author or the GM has settled it.

    Returns a line for each. Raises `BoardTrouble` when the telling fails; it is sent with the next look."""
    done: list[str] = []
    with ctx.exclusive():
        while len(done) < AT_MOST:
            with ctx.store.writing() as session:
                found = _asked(ctx, session)
                if found is None:
                    break
                post, order, posts = found
                author, position = post.author_name, order.position
                if ctx.settings.review.approve != "auto":
                    text = f"{author} просит исполнить сказанное в сообщении {post.board_id} сейчас: примите приказы и исполните."
                    ctx.notice(session, f"portion:{order.id}", "portion", text)
                    break
            for earlier in posts:
                approve(ctx, post_id=earlier)
            approve(ctx, post_id=post.id, upto=position)
            resolve_portion(ctx, SERVICE)
            done.append(f"исполнено сейчас: {author}")
            if ctx.settings.review.publish == "auto":
                publish(ctx)
    return done


def _asked(ctx: Context, session: Session) -> tuple[Post, Order, list[int]] | None:
    """The first post that asks, the order by which it does, and the posts before it."""
    step = ctx.current(session)
    if step is None or step.status != StepStatus.OPEN:
        return None
    awaits = ctx.rules_step(session, step).awaits
    before: list[int] = []
    for post, count in step_posts(session, step):
        if post.issuer is None or count.revision is None or not in_time(post, step.deadline):
            continue
        orders = orders_of(session, post)
        for order in orders:
            kind = str(order.command["type"])
            waiting = order.status in (OrderStatus.PROPOSED, OrderStatus.ACCEPTED)
            if waiting and ctx.ruleset.commands[kind].at_once and kind in awaits.get(post.issuer, ()):
                if _doubtful(ctx, session, step, post, orders, order.position):
                    break
                return post, order, before
        before.append(post.id)
    return None


def _doubtful(ctx: Context, session: Session, step: StepRow, post: Post, orders: list[Order], position: int) -> bool:
    """Something in the post is unclear: carrying out the rest now could do what its author never meant."""
    if any(order.status == OrderStatus.ASKS and order.position <= position for order in orders):
        return True
    count = next(count for other, count in step_posts(session, step) if other.id == post.id)
    assert post.issuer is not None
    assert count.revision is not None
    row, _ = parse_revision(ctx, session, step, post.issuer, count.revision)
    return any(problem["severity"] != Severity.WARNING for problem in row.parse["problems"])
