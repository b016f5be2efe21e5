"""Carries a step's orders out by the rules and stores what came of it as the next link of the campaign's chain."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from forum_gm.campaign import Plan, make_plan, wait_deadlines
from forum_gm.pipeline.approve import unapproved
from forum_gm.pipeline.close import public_posts
from forum_gm.pipeline.context import SERVICE, Context, NotNow, moment, stamp
from forum_gm.pipeline.parse import counted_posts, own_orders, parse_step
from forum_gm.pipeline.start import next_step, outcome_hash
from forum_gm.storage.models import DiceSecret, Order, OrderStatus, OutcomeRow, StepRow, StepStatus
from rules.base import GM, GM_ONLY, Outcome, Sheet, command_to_json
from rules.dice import Dice, verifiable_dice


@dataclass(frozen=True, slots=True)
class Resolution:
    """What the rules made of a step (or would make: nothing is stored by a trial)."""

    plan: Plan
    outcome: Outcome
    number: int | None
    """The stored outcome's number; None for a trial."""


def step_dice(secret: DiceSecret, step_id: str, attempt: int, portion: int, posts: list[int]) -> Dice:
    """The dice of a resolution. A portion of a step draws under its own name, so that no roll is ever used twice."""
    name = f"{step_id}#{portion}" if portion else step_id
    return verifiable_dice(bytes.fromhex(secret.public_secret), bytes.fromhex(secret.hidden_secret), name, attempt, posts)


def plan_of(ctx: Context, session: Session, step: StepRow) -> Plan:
    """The sheets of a step as things stand: the approved orders of the posts that count, and the GM's."""
    deadlines = {wait: moment(text) for wait, text in step.deadlines.items()}
    posts = counted_posts(ctx, session, step)
    return make_plan(ctx.ruleset, ctx.rules_step(session, step), deadlines, posts, own_orders(session, step))


def trial(ctx: Context, *, everything: bool = True) -> Resolution:
    """What would come out now. With `everything`, certain readings count as if approved. Stores nothing."""
    with ctx.exclusive(), ctx.store.writing() as session:
        step = ctx.step(session, None)
        if step.status not in (StepStatus.OPEN, StepStatus.CLOSED):
            raise NotNow(f"{step.title}: считать нечего, шаг не открыт.")
        parse_step(ctx, session, step)
        deadlines = {wait: moment(text) for wait, text in step.deadlines.items()}
        statuses = frozenset({OrderStatus.ACCEPTED, OrderStatus.PROPOSED} if everything else {OrderStatus.ACCEPTED})
        plan = make_plan(
            ctx.ruleset,
            ctx.rules_step(session, step),
            deadlines,
            counted_posts(ctx, session, step),
            own_orders(session, step),
            statuses=statuses,
        )
        secret = session.get_one(DiceSecret, step.secret_id)
        posts = step.dice_posts if step.dice_posts is not None else public_posts(session, step)
        dice = step_dice(secret, step.step_id, step.attempt, 0, posts)
        outcome = ctx.ruleset.resolve(ctx.state(ctx.head(session)), plan.sheets, dice, closing=True)
        return Resolution(plan, outcome, None)


def resolve(ctx: Context, who: str = SERVICE) -> Resolution | None:
    """Resolves the closed current step and makes the next one ready. None: it is resolved already.

    Raises `NotNow` when the step is still open, or orders wait for the GM's approval."""
    with ctx.exclusive(), ctx.store.writing() as session:
        step = ctx.step(session, None)
        if step.status == StepStatus.RESOLVED:
            return None
        if step.status != StepStatus.CLOSED:
            raise NotNow(f"{step.title}: приём приказов ещё не закрыт.")
        parse_step(ctx, session, step)
        waiting = unapproved(ctx, session, step)
        if waiting:
            whose = ", ".join(sorted({order.issuer for order in waiting}))
            raise NotNow(f"{step.title}: ждут проверки приказы ({whose}); примите их на пульте или командой forum-gm approve.")
        plan = plan_of(ctx, session, step)
        row, outcome = _carry_out(ctx, session, step, plan, 0)
        step.status = StepStatus.RESOLVED
        following = ctx.ruleset.step(outcome.state)
        if following is None:
            ctx.campaign(session).over = True
        else:
            next_step(ctx, session, following, row, step.number + 1)
        ctx.audit(session, who, "resolve", {"step": step.step_id, "attempt": step.attempt, "outcome": row.number})
        return Resolution(plan, outcome, row.number)


def resolve_portion(ctx: Context, who: str, *, gm_only: bool = False) -> Resolution:
    """Carries out what is approved so far and leaves the step open (a portion of a turn, «+» actions, a GM's correction).

    Raises `NotNow` when there is nothing to carry out."""
    with ctx.exclusive(), ctx.store.writing() as session:
        step = ctx.step(session, None)
        if step.status not in (StepStatus.OPEN, StepStatus.CLOSED):
            raise NotNow(f"{step.title}: исполнять нечего, шаг не открыт.")
        parse_step(ctx, session, step)
        plan = plan_of(ctx, session, step)
        if gm_only:
            orders = {o.id for o in session.scalars(select(Order).where(Order.step_row == step.id, Order.issuer == GM))}
            sheets = tuple(sheet for sheet in plan.sheets if sheet.issuer == GM)
            plan = Plan(sheets, (), tuple(i for i in plan.orders if i in orders))
        if not any(sheet.commands for sheet in plan.sheets):
            raise NotNow(f"{step.title}: нет принятых приказов, которые можно исполнить сейчас.")
        portions = select(OutcomeRow.portion).where(OutcomeRow.step_row == step.id)
        number = max([0, *session.scalars(portions)]) + 1
        row, outcome = _carry_out(ctx, session, step, plan, number)
        for order_id in plan.orders:
            session.get_one(Order, order_id).status = OrderStatus.DONE
        _go_on(ctx, session, step, row, outcome)
        detail = {"step": step.step_id, "portion": number, "outcome": row.number}
        ctx.audit(session, who, "resolve_portion", detail)
        return Resolution(plan, outcome, row.number)


def sheets_to_json(sheets: tuple[Sheet, ...]) -> list[dict[str, Any]]:
    """Sheets as stored."""
    return [
        {"issuer": s.issuer, "arrived": s.arrived, "commands": [command_to_json(command) for command in s.commands]}
        for s in sheets
    ]


def _carry_out(ctx: Context, session: Session, step: StepRow, plan: Plan, portion: int) -> tuple[OutcomeRow, Outcome]:
    head = ctx.head(session)
    secret = session.get_one(DiceSecret, step.secret_id)
    posts = public_posts(session, step) if portion or step.dice_posts is None else step.dice_posts
    dice = step_dice(secret, step.step_id, step.attempt, portion, posts)
    outcome = ctx.ruleset.resolve(ctx.state(head), plan.sheets, dice, closing=not portion)
    session.flush()
    orders = session.scalars(select(Order).where(Order.step_row == step.id).order_by(Order.id))
    last = session.scalars(
        select(OutcomeRow).where(OutcomeRow.campaign_id == ctx.campaign_id).order_by(OutcomeRow.number.desc()).limit(1)
    ).one()
    row = OutcomeRow(
        campaign_id=ctx.campaign_id,
        number=last.number + 1,
        parent_number=head.number,
        step_row=step.id,
        step_id=step.step_id,
        attempt=step.attempt,
        closing=not portion,
        portion=portion,
        sheets=sheets_to_json(plan.sheets),
        orders=[[order.id, order.digest] for order in orders],
        dice_posts=posts,
        secret_number=secret.number,
        state=ctx.ruleset.dump(outcome.state),
        events=[event.to_json() for event in outcome.events],
        draws=[draw.to_json() for draw in outcome.draws],
        ruleset_version=ctx.ruleset.version,
        made_at=ctx.clock.now(),
        prev_hash=last.hash,
        hash="",
    )
    row.hash = outcome_hash(row)
    session.add(row)
    session.flush()
    ctx.campaign(session).head_id = row.id
    # What the rules say to the GM alone (a refused command, a question) stands in no report: he is told of it.
    for number, event in enumerate(outcome.events):
        if event.audience == GM_ONLY and event.data.get("message"):
            ctx.notice(session, f"event:{row.number}:{number}", "event", f"{step.title}: {event.data['message']}")
    return row, outcome


def _go_on(ctx: Context, session: Session, step: StepRow, row: OutcomeRow, outcome: Outcome) -> None:
    """After a portion: the same step with what is awaited now; its known waits keep their time."""
    still = ctx.ruleset.step(outcome.state)
    if still is None:
        step.status = StepStatus.RESOLVED
        ctx.campaign(session).over = True
        return
    if still.id != step.step_id:
        step.status = StepStatus.RESOLVED
        next_step(ctx, session, still, row, step.number + 1)
        return
    step.definition, step.title = still.to_json(), still.title
    settings = ctx.settings
    known: dict[str, datetime] = {wait: moment(text) for wait, text in step.deadlines.items()}
    deadlines = wait_deadlines(
        still,
        ctx.clock.now(),
        factor=settings.time.hours_factor,
        minutes=settings.time.round_minutes,
        zone=settings.zone,
        known=known,
    )
    step.deadlines = {wait: stamp(when) for wait, when in deadlines.items()}
    step.deadline = max(deadlines.values())
