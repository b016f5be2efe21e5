"""The GM's acts: correct, answer, admit, extend, re-run, roll back. Each is one transaction and stands in the audit log.

For the desk and the command line. All take the acting person's name (`who`) and raise `NotNow` with a Russian sentence when the
act isn't possible:

- orders: `accept_order`, `reject_order`, `edit_order` (fields), `edit_order_text` (a line in the order language),
  `add_order_text`, `answer` (a choice of a question), `gm_command`
- posts: `assign`, `admit`, `exclude`, `count_again`, `pin`
- words: `add_precedent`, `withdraw_precedent`
- steps: `close.close`, `close.extend`, `resolve.trial`, `resolve.resolve`, `publish.preview`, `publish.publish`, `rerun`,
  `rollback`; seats: `seat`
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from forum_gm.config import sentence
from forum_gm.pipeline.context import Context, NotNow
from forum_gm.pipeline.outbox import PENDING
from forum_gm.pipeline.parse import bare, parse_revision, parse_step, rulings, step_posts
from forum_gm.pipeline.start import new_secret
from forum_gm.storage.models import (
    SETTLED,
    Notice,
    Order,
    OrderStatus,
    OutcomeRow,
    Post,
    Precedent,
    Publication,
    PublicationStatus,
    Revision,
    Seat,
    StepRow,
    StepStatus,
)
from forum_gm.understand import audience_of, understand_view
from parsers.text import from_text
from parsers.types import parse_to_json
from rules.base import GM, FactionId, RulesError, command_to_json

REVIEWED = (StepStatus.OPEN, StepStatus.CLOSED)


def _reviewed(ctx: Context, session: Session) -> StepRow:
    step = ctx.step(session, None)
    if step.status not in REVIEWED:
        raise NotNow(f"{step.title}: приказы уже исполнены; сначала велите пересчитать шаг.")
    return step


def _order(ctx: Context, session: Session, order_id: int) -> tuple[StepRow, Order]:
    step = _reviewed(ctx, session)
    order = session.get(Order, order_id)
    if order is None or order.step_row != step.id:
        raise NotNow("Этого приказа уже нет: игрок изменил сообщение; обновите страницу.")
    if order.status in SETTLED:
        raise NotNow("Этот приказ уже исполнен; изменить его можно после отката шага.")
    return step, order


def typed(ctx: Context, command: Mapping[str, Any]) -> dict[str, Any]:
    """The command as the ruleset's models write it. Raises `NotNow` naming the field at fault."""
    try:
        return command_to_json(ctx.ruleset.commands.parse(command))
    except ValidationError as error:
        raise NotNow(sentence(error, "Приказ неверен")) from error
    except RulesError as error:
        raise NotNow(str(error)) from error


# ---------------------------------------------------------------------------------------------------- orders


def accept_order(ctx: Context, who: str, order_id: int) -> None:
    """Accepts one command, doubtful or not."""
    with ctx.exclusive(), ctx.store.writing() as session:
        step, order = _order(ctx, session, order_id)
        order.status, order.decided_by, order.decided_at, order.reason = OrderStatus.ACCEPTED, who, ctx.clock.now(), ""
        ctx.audit(session, who, "accept_order", {"step": step.step_id, "issuer": order.issuer, "command": order.command})


def reject_order(ctx: Context, who: str, order_id: int, reason: str = "") -> None:
    """Rejects one command; its author is told the reason."""
    with ctx.exclusive(), ctx.store.writing() as session:
        reject_in(ctx, session, who, *_order(ctx, session, order_id), reason)


def reject_in(ctx: Context, session: Session, who: str, step: StepRow, order: Order, reason: str, *, told: bool = False) -> None:
    """`reject_order` within the caller's transaction; `told`: everybody learns the reason."""
    order.status, order.decided_by, order.decided_at, order.reason = OrderStatus.REJECTED, who, ctx.clock.now(), reason
    detail = {"step": step.step_id, "issuer": order.issuer, "command": order.command}
    detail |= {"reason" if told else "own_reason": reason}
    ctx.audit(session, who, "reject_order", detail, public=True)


def edit_order(ctx: Context, who: str, order_id: int, command: Mapping[str, Any]) -> None:
    """Replaces a command by another and accepts it."""
    with ctx.exclusive(), ctx.store.writing() as session:
        edit_in(ctx, session, who, *_order(ctx, session, order_id), command)


def edit_in(
    ctx: Context, session: Session, who: str, step: StepRow, order: Order, command: Mapping[str, Any], reason: str = ""
) -> None:
    """`edit_order` within the caller's transaction; the reason is told with it."""
    new = typed(ctx, command)
    detail = {"step": step.step_id, "issuer": order.issuer, "old": order.command, "new": new, "reason": reason}
    order.original = order.original or order.command
    order.command, order.status, order.certain = new, OrderStatus.ACCEPTED, True
    order.decided_by, order.decided_at = who, ctx.clock.now()
    ctx.audit(session, who, "edit_order", detail, public=True)


def read_line(ctx: Context, session: Session, step: StepRow, issuer: FactionId, line: str) -> list[dict[str, Any]]:
    """The commands of a line that the GM typed for an issuer. Raises `NotNow` with the first problem, or when there are none."""
    view = ctx.view(ctx.head(session), audience_of(issuer))
    result = understand_view(ctx.ruleset, view, step.kind, from_text(line), rulings(ctx, session, issuer))
    read = parse_to_json(result)
    stopping = [p for p in read["problems"] if p["severity"] != "warning"]
    if stopping or not read["commands"]:
        raise NotNow(stopping[0]["message"] if stopping else "В этой строке нет приказа.")
    return [bare(command) for command in read["commands"]]


def edit_order_text(ctx: Context, who: str, order_id: int, line: str) -> None:
    """Replaces a command by what a line in the order language says (exactly one command)."""
    with ctx.exclusive():
        with ctx.store.writing() as session:
            step, order = _order(ctx, session, order_id)
            commands = read_line(ctx, session, step, order.issuer, line)
        if len(commands) != 1:
            raise NotNow(f"В строке должен быть один приказ, а понято {len(commands)}.")
        edit_order(ctx, who, order_id, commands[0])


def add_order_text(ctx: Context, who: str, issuer: FactionId, line: str, post_id: int | None = None) -> list[int]:
    """Adds the orders of a line for an issuer (to a post of his, where given) and accepts them. Returns their ids."""
    with ctx.exclusive(), ctx.store.writing() as session:
        step = _reviewed(ctx, session)
        commands = read_line(ctx, session, step, issuer, line)
        return [_add(ctx, session, step, who, issuer, command, post_id, "gm").id for command in commands]


def gm_command(ctx: Context, who: str, command: Mapping[str, Any]) -> int:
    """Enters a `gm_*` command; it goes through the rules with the step (or at once: `resolve.resolve_portion(gm_only=True)`)."""
    with ctx.exclusive(), ctx.store.writing() as session:
        step = _reviewed(ctx, session)
        checked = typed(ctx, command)
        if not ctx.ruleset.commands[str(checked["type"])].by_gm:
            raise NotNow(f"«{checked['type']}» не приказ мастера.")
        return _add(ctx, session, step, who, GM, checked, None, "gm").id


def _add(
    ctx: Context,
    session: Session,
    step: StepRow,
    who: str,
    issuer: FactionId,
    command: dict[str, Any],
    post_id: int | None,
    origin: str,
) -> Order:
    positions = select(Order.position).where(Order.step_row == step.id, Order.issuer == issuer)
    parse_ids = select(Order.parse_id).where(Order.post_id == post_id) if post_id is not None else None
    order = Order(
        campaign_id=ctx.campaign_id,
        step_row=step.id,
        issuer=issuer,
        post_id=post_id,
        parse_id=session.scalars(parse_ids).first() if parse_ids is not None else None,
        position=max([-1, *session.scalars(positions)]) + 1,
        command=command,
        certain=True,
        status=OrderStatus.ACCEPTED,
        origin=origin,
        decided_by=who,
        decided_at=ctx.clock.now(),
    )
    session.add(order)
    session.flush()
    action = "gm_command" if issuer == GM else "add_order"
    ctx.audit(session, who, action, {"step": step.step_id, "issuer": issuer, "command": command}, public=True)
    return order


def answer(ctx: Context, who: str, post_id: int, problem: int, choice: int) -> int:
    """Settles a question of a post (index among its problems) by one of its choices; that command is accepted."""
    with ctx.exclusive(), ctx.store.writing() as session:
        step = _reviewed(ctx, session)
        post = _post(ctx, session, post_id)
        count = next(c for p, c in step_posts(session, step) if p.id == post.id)
        if count.revision is None or post.issuer is None:
            raise NotNow("У этого сообщения нет текста, который считается.")
        row, _ = parse_revision(ctx, session, step, post.issuer, count.revision)
        try:
            command = row.parse["problems"][problem]["choices"][choice]["command"]
        except (IndexError, KeyError) as error:
            raise NotNow("Такого ответа нет; впишите приказ строкой.") from error
        order = _add(ctx, session, step, who, post.issuer, typed(ctx, command), post.id, "answer")
        span = row.parse["problems"][problem]
        order.parse_id, order.start, order.end = row.id, span["start"], span["end"]
        return order.id


# ---------------------------------------------------------------------------------------------------- posts


def _post(ctx: Context, session: Session, post_id: int) -> Post:
    post = session.get(Post, post_id)
    if post is None or post.campaign_id != ctx.campaign_id:
        raise NotNow("Такого сообщения в кампании нет.")
    return post


def _rule_post(
    ctx: Context, who: str, post_id: int, action: str, *, ruling: str | None = None, pinned: int | None = None
) -> None:
    with ctx.exclusive(), ctx.store.writing() as session:
        step = _reviewed(ctx, session)
        post = _post(ctx, session, post_id)
        if post.step_row != step.id:
            if action != "admit" or post.role != "player":
                raise NotNow("Это сообщение не для текущего шага.")
            post.step_row = step.id
        if ruling is not None:
            post.ruling = ruling
        if action == "pin":
            numbers = set(session.scalars(select(Revision.number).where(Revision.post_id == post.id)))
            if pinned is not None and pinned not in numbers:
                raise NotNow(f"У сообщения нет текста № {pinned}.")
            post.pinned = pinned
        detail = {"step": step.step_id, "post": post.board_id, "author": post.author_name, "issuer": post.issuer, "text": pinned}
        ctx.audit(session, who, action, detail, public=True)
        session.flush()
        parse_step(ctx, session, step)


def admit(ctx: Context, who: str, post_id: int) -> None:
    """Lets a late post count (told in public). It doesn't touch the dice: their posts were fixed at the close."""
    _rule_post(ctx, who, post_id, "admit", ruling="admitted")


def exclude(ctx: Context, who: str, post_id: int) -> None:
    """Lets a post not count (told in public)."""
    _rule_post(ctx, who, post_id, "exclude", ruling="excluded")


def count_again(ctx: Context, who: str, post_id: int) -> None:
    """Takes `admit` or `exclude` back."""
    _rule_post(ctx, who, post_id, "count_again", ruling="")


def pin(ctx: Context, who: str, post_id: int, revision: int | None) -> None:
    """Says which text of a post counts (its number); None: by the rule again."""
    _rule_post(ctx, who, post_id, "pin", pinned=revision)


def assign(ctx: Context, who: str, post_id: int, issuer: FactionId | None) -> None:
    """Says for whom a post speaks; None: for nobody, it is no order post."""
    with ctx.exclusive(), ctx.store.writing() as session:
        step = _reviewed(ctx, session)
        post = _post(ctx, session, post_id)
        known = {f.id for f in ctx.ruleset.factions(ctx.state(ctx.head(session)))} | {GM}
        if issuer is not None and issuer not in known:
            raise NotNow(f"Нет стороны «{issuer}».")
        session.execute(delete(Order).where(Order.post_id == post.id, Order.status.not_in(SETTLED)))
        post.issuer = issuer
        post.role = "other" if issuer is None else "gm" if issuer == GM else "player"
        ctx.settle(session, f"whose:{post.id}", who)
        ctx.audit(session, who, "assign", {"post": post.board_id, "issuer": issuer})
        session.flush()
        parse_step(ctx, session, step)


# ---------------------------------------------------------------------------------------------------- words


def add_precedent(
    ctx: Context, who: str, phrase: str, meaning: str, *, issuer: FactionId | None = None, public: bool = True
) -> int:
    """Rules that a phrase stands for other words («кабаны» — «огры-быки»), for one issuer or for all; posts are read anew."""
    phrase, meaning = " ".join(phrase.split()), " ".join(meaning.split())
    if not phrase or not meaning:
        raise NotNow("Решению о словах нужны и слова игрока, и их значение.")
    with ctx.exclusive(), ctx.store.writing() as session:
        row = Precedent(
            campaign_id=ctx.campaign_id,
            phrase=phrase,
            meaning=meaning,
            issuer=issuer,
            made_by=who,
            made_at=ctx.clock.now(),
            public=public,
        )
        session.add(row)
        session.flush()
        ctx.audit(session, who, "add_precedent", {"phrase": phrase, "meaning": meaning, "issuer": issuer})
        _reread(ctx, session)
        return row.id


def withdraw_precedent(ctx: Context, who: str, precedent_id: int) -> None:
    """Takes a ruling on words back; posts are read anew."""
    with ctx.exclusive(), ctx.store.writing() as session:
        row = session.get(Precedent, precedent_id)
        if row is None or row.campaign_id != ctx.campaign_id or row.withdrawn_at is not None:
            raise NotNow("Такого решения нет.")
        row.withdrawn_at = ctx.clock.now()
        ctx.audit(session, who, "withdraw_precedent", {"phrase": row.phrase, "meaning": row.meaning})
        session.flush()
        _reread(ctx, session)


def _reread(ctx: Context, session: Session) -> None:
    step = ctx.current(session)
    if step is not None and step.status in REVIEWED:
        parse_step(ctx, session, step)


# ---------------------------------------------------------------------------------------------------- steps


def rollback(ctx: Context, who: str, number: int, *, reopen: bool = False) -> StepRow:
    """Undoes everything from step `number` on. The step is to be resolved anew with the same posts (a new attempt with new
    rolls, in public); with `reopen` it takes orders again, under new dice, after a post that announces it.

    What players wrote for the undone steps is kept and counts again when those steps come again."""
    with ctx.exclusive(), ctx.store.writing() as session:
        return roll_back(ctx, session, who, number, reopen=reopen)


def roll_back(
    ctx: Context, session: Session, who: str, number: int, *, reopen: bool = False, action: str = "", reason: str = ""
) -> StepRow:
    """`rollback` within the caller's transaction, told as `action`, with the reason."""
    steps = ctx.steps(session)
    step = next((row for row in steps if row.number == number), None)
    if step is None or step.status == StepStatus.WAITING:
        raise NotNow(f"Шага {number} ещё не было.")
    undone = [row for row in steps if row.number > number]
    base = session.get_one(OutcomeRow, step.base_id)
    ids = [row.id for row in (step, *undone)]
    for row in undone:
        row.status = StepStatus.UNDONE
    campaign = ctx.campaign(session)
    campaign.head_id, campaign.over = base.id, False
    undo_outcomes(session, ids)
    for order in carried_out(session, step):
        order.status = OrderStatus.ACCEPTED
    waiting = select(Publication).where(
        Publication.campaign_id == ctx.campaign_id,
        Publication.step_row.in_(ids),
        Publication.status.in_((*PENDING, PublicationStatus.ASKED)),
    )
    for publication in session.scalars(waiting):
        if publication.status == PublicationStatus.INTENT:
            publication.status = PublicationStatus.DROPPED
    step.attempt += 1
    step.published_at = None
    action = action or ("reopen" if reopen else "rollback" if undone else "rerun")
    if reopen:
        step.status, step.opened_at, step.closed_at, step.dice_posts = StepStatus.WAITING, None, None, None
        step.secret_id, step.reopened = new_secret(ctx, session).id, True
    else:
        step.status = StepStatus.CLOSED
    detail = {"step": step.step_id, "number": number, "attempt": step.attempt, "title": step.title, "reason": reason}
    ctx.audit(session, who, action, detail, public=True)
    session.flush()
    return step


def undo_outcomes(session: Session, steps: list[int]) -> None:
    """What these steps (row ids) brought no longer stands."""
    for outcome in session.scalars(select(OutcomeRow).where(OutcomeRow.step_row.in_(steps), OutcomeRow.undone.is_(False))):
        outcome.undone = True


def carried_out(session: Session, step: StepRow) -> list[Order]:
    """The orders that went into portions of a step."""
    return list(session.scalars(select(Order).where(Order.step_row == step.id, Order.status == OrderStatus.DONE)))


def rerun(ctx: Context, who: str) -> StepRow:
    """Takes back the resolution of the latest resolved step, so that its orders can be corrected and it is resolved anew."""
    with ctx.store.reading() as session:
        done = [row for row in ctx.steps(session) if row.status in (StepStatus.RESOLVED, StepStatus.PUBLISHED)]
        if not done:
            raise NotNow("Пересчитывать нечего: ни один шаг ещё не рассчитан.")
        number = done[-1].number
    return rollback(ctx, who, number)


def seat(ctx: Context, who: str, faction: FactionId, account_id: str, name: str, since: int, until: int | None = None) -> None:
    """Lets an account speak for a faction from a step on (a delegate, a new player)."""
    with ctx.exclusive(), ctx.store.writing() as session:
        session.add(
            Seat(
                campaign_id=ctx.campaign_id,
                faction=faction,
                account_id=account_id,
                account_name=name,
                since_step=since,
                until_step=until,
            )
        )
        ctx.audit(session, who, "seat", {"faction": faction, "account": account_id, "since": since, "until": until})


def settle_notice(ctx: Context, who: str, notice_id: int) -> None:
    """Marks a notice as seen and done with."""
    with ctx.exclusive(), ctx.store.writing() as session:
        row = session.get(Notice, notice_id)
        if row is not None and row.campaign_id == ctx.campaign_id:
            row.settled_at, row.settled_by = ctx.clock.now(), who
