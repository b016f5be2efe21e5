"""Turns readings into orders. Without a person only certain readings are taken, and what is left out is said."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from forum_gm.campaign import LeftOut, in_time
from forum_gm.pipeline.context import SERVICE, Context, NotNow
from forum_gm.pipeline.parse import counted_posts, orders_of, parse_revision, parse_step, step_posts
from forum_gm.storage.models import Approval, Order, OrderStatus, StepRow, StepStatus
from forum_gm.understand import audience_of
from parsers.types import Severity
from rules.base import GM, FactionId


@dataclass(frozen=True, slots=True)
class Approved:
    """What an approval did."""

    accepted: tuple[int, ...]
    left_out: tuple[LeftOut, ...]


def approve(
    ctx: Context,
    who: str = SERVICE,
    *,
    issuer: FactionId | None = None,
    post_id: int | None = None,
    upto: int | None = None,
    unsure: bool = False,
) -> Approved:
    """Accepts the proposed orders of the current step (of one issuer or one post, where given, there up to a position); with
    `unsure` the doubtful ones too, which only a person may do. Raises `NotNow`."""
    if unsure and who == SERVICE:
        raise NotNow("Неуверенно понятое принимает только мастер.")
    with ctx.exclusive(), ctx.store.writing() as session:
        step = ctx.step(session, None)
        if step.status not in (StepStatus.OPEN, StepStatus.CLOSED):
            raise NotNow(f"{step.title}: приказы уже исполнены; изменить их можно после пересчёта (forum-gm rollback).")
        parse_step(ctx, session, step)
        accepted: list[int] = []
        for order in _candidates(ctx, session, step, issuer, post_id):
            if upto is not None and order.position > upto:
                continue
            if order.status == OrderStatus.PROPOSED or (unsure and order.status == OrderStatus.ASKS):
                order.status, order.decided_by, order.decided_at = OrderStatus.ACCEPTED, who, ctx.clock.now()
                accepted.append(order.id)
        session.flush()
        left_out = [item for item in left_out_of(ctx, session, step) if issuer in (None, item.issuer)]
        session.add(
            Approval(
                campaign_id=ctx.campaign_id,
                step_row=step.id,
                issuer=issuer,
                by=who,
                at=ctx.clock.now(),
                accepted=accepted,
                left_out=[{"issuer": item.issuer, "text": item.text, "why": item.why} for item in left_out],
            )
        )
        ctx.audit(session, who, "approve", {"step": step.step_id, "issuer": issuer, "orders": accepted})
        return Approved(tuple(accepted), tuple(left_out))


def _candidates(ctx: Context, session: Session, step: StepRow, issuer: FactionId | None, post_id: int | None) -> list[Order]:
    posts = [p for p in counted_posts(ctx, session, step) if issuer in (None, p.post.issuer) and post_id in (None, p.post.id)]
    return [order for item in posts for order in item.orders]


def unapproved(ctx: Context, session: Session, step: StepRow) -> list[Order]:
    """Certain readings of counted posts on which nobody has decided."""
    return [o for o in _candidates(ctx, session, step, None, None) if o.status == OrderStatus.PROPOSED]


def left_out_of(ctx: Context, session: Session, step: StepRow) -> list[LeftOut]:
    """Everything that players wrote for a step and that is no order of it: doubtful readings, problems, late posts."""
    out: list[LeftOut] = []
    head = ctx.head(session)
    for post, count in step_posts(session, step):
        if post.issuer is None or post.issuer == GM or count.revision is None:
            continue
        row, _ = parse_revision(ctx, session, step, post.issuer, count.revision)
        if not in_time(post, step.deadline):
            if row.parse["commands"] or row.parse["problems"]:
                why = "отклонено мастером" if post.ruling == "excluded" else "опоздало"
                out.append(LeftOut(post.issuer, f"сообщение {post.board_id}", why))
            continue
        view = ctx.view(head, audience_of(post.issuer))
        for order in orders_of(session, post):
            if order.status in (OrderStatus.ASKS, OrderStatus.REJECTED):
                text = ctx.ruleset.describe(view, ctx.ruleset.commands.parse(order.command))
                unsure = f"прочитано неуверенно: {order.note}" if order.note else "прочитано неуверенно"
                why = unsure if order.status == OrderStatus.ASKS else f"отклонено мастером: {order.reason}".rstrip(": ")
                out.append(LeftOut(post.issuer, text, why, order.id))
        for problem in row.parse["problems"]:
            if problem["severity"] != Severity.WARNING:
                words = row.parse["text"][problem["start"] : problem["end"]].strip()
                out.append(LeftOut(post.issuer, f"«{words}»" if words else f"сообщение {post.board_id}", problem["message"]))
    return out
