"""What the service itself does at the GM's command: another roll, back to a step, another deadline, a player's order rejected or
changed (`rules.acts`). The same from the desk and from the GM's posts; each is public, with its reason.

A re-roll follows docs/dice.md: the whole step is resolved anew under the next attempt number."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from forum_gm.campaign import in_time
from forum_gm.pipeline.approve import unapproved
from forum_gm.pipeline.context import Context, NotNow, stamp
from forum_gm.pipeline.decide import carried_out, edit_in, gm_command, reject_in, roll_back, typed, undo_outcomes
from forum_gm.pipeline.parse import LIVE, orders_of, own_orders, step_posts
from forum_gm.pipeline.resolve import resolve, resolve_portion
from forum_gm.storage.models import SETTLED, Order, OrderStatus, OutcomeRow, ParseRow, StepRow, StepStatus
from forum_gm.understand import audience_of
from forum_gm.wording import moment_of
from rules.acts import Act, Edit, Reject, Reroll, SetDeadline, Undo
from rules.base import GM, Command, RulesError


def perform(ctx: Context, who: str, command: Command) -> None:
    """Does what a GM's command stands for, at once. Raises `NotNow` with a Russian sentence when it isn't possible."""
    act = command.act()
    if act is None:
        raise NotNow("Это исполняют правила, а не служба.")
    with ctx.exclusive():
        with ctx.store.writing() as session:
            after = _do(ctx, session, who, act, reason_of(command))
        _finish(ctx, who, after)


def enter(ctx: Context, who: str, raw: Mapping[str, Any], *, at_once: bool = False) -> int | None:
    """A GM's command from the desk: what the service does is done now, what the rules do goes with the step, or now too
    (`at_once`). Returns the order's row id; None: there is none. Raises `NotNow`."""
    with ctx.exclusive():
        command = ctx.ruleset.commands.parse(typed(ctx, raw))
        if command.by_gm and command.act() is not None:
            perform(ctx, who, command)
            return None
        number = gm_command(ctx, who, raw)
        if at_once:
            resolve_portion(ctx, who, gm_only=True)
        return number


def perform_posted(ctx: Context) -> list[str]:
    """Does what the GM's posts of the current step ask of the service, each once. What isn't possible is rejected, and the GM
    is told. Returns a line for each."""
    done: list[str] = []
    with ctx.exclusive():
        while True:
            with ctx.store.writing() as session:
                found = next(_posted(ctx, session), None)
                if found is None:
                    return done
                order, command, who = found
                act = command.act()
                assert act is not None
                words = ctx.ruleset.describe(ctx.view(ctx.head(session), audience_of(GM)), command)
                order.decided_by, order.decided_at = who, ctx.clock.now()
                after: Callable[[], object] | None = None
                try:
                    with session.begin_nested():
                        order.status = OrderStatus.PERFORMED
                        after = _do(ctx, session, who, act, reason_of(command))
                    done.append(words)
                except NotNow as error:
                    order.status, order.reason = OrderStatus.REJECTED, str(error)
                    ctx.notice(session, f"gm-act:{order.id}", "act", f"Не сделано: {words}. {error}")
            _finish(ctx, who, after)


def reason_of(command: Command) -> str:
    """The reason that a GM's command gives; empty: none."""
    return str(getattr(command, "reason", None) or "")


def _posted(ctx: Context, session: Session) -> Iterator[tuple[Order, Command, str]]:
    """Acts in the GM's posts that nobody has done or rejected; the doubtful ones wait for the desk."""
    step = ctx.current(session)
    if step is None or step.status not in LIVE:
        return
    for post, _ in step_posts(session, step):
        if post.issuer != GM or not in_time(post, step.deadline):
            continue
        for order in orders_of(session, post):
            if order.status not in (OrderStatus.PROPOSED, OrderStatus.ACCEPTED):
                continue
            command = ctx.ruleset.commands.parse(order.command)
            if command.act() is not None:
                yield order, command, post.author_name


def _do(ctx: Context, session: Session, who: str, act: Act, reason: str) -> Callable[[], object] | None:
    """One act within the caller's transaction; what it returns is to be called afterwards."""
    match act:
        case Reroll(event):
            return _reroll(ctx, session, who, event, reason)
        case Undo(to_event):
            _undo(ctx, session, who, to_event, reason)
        case SetDeadline(when):
            _set_deadline(ctx, session, who, when, reason)
        case Reject(name):
            step, order = _player_order(ctx, session, name)
            reject_in(ctx, session, who, step, order, reason, told=True)
        case Edit(name, fields):
            step, order = _player_order(ctx, session, name)
            edit_in(ctx, session, who, step, order, {**order.command, **fields}, reason)
    return None


def _finish(ctx: Context, who: str, after: Callable[[], object] | None) -> None:
    """The second half of a re-roll: the step is carried out anew, unless orders wait for the GM's approval."""
    if after is None:
        return
    with ctx.store.writing() as session:
        step = ctx.current(session)
        waiting = step is not None and step.status == StepStatus.CLOSED and unapproved(ctx, session, step)
    if not waiting:
        after()


# ------------------------------------------------------------------------------------------------ steps


def _reroll(ctx: Context, session: Session, who: str, event: str, reason: str) -> Callable[[], object]:
    step = _step_of(ctx, session, event)
    if step.status not in LIVE:
        roll_back(ctx, session, who, step.number, action="rerun", reason=reason)
        return lambda: resolve(ctx, who)
    orders = carried_out(session, step)
    _take_portions_back(ctx, session, who, step, "rerun", reason)
    for order in orders:
        order.status = OrderStatus.ACCEPTED
    return lambda: resolve_portion(ctx, who)


def _undo(ctx: Context, session: Session, who: str, to_event: str, reason: str) -> None:
    step = _step_of(ctx, session, to_event)
    if step.status not in LIVE:
        roll_back(ctx, session, who, step.number, reopen=True, reason=reason)
        return
    orders = carried_out(session, step)
    _take_portions_back(ctx, session, who, step, "portions_undone", reason)
    for order in orders:
        order.status, order.decided_by, order.decided_at = OrderStatus.REJECTED, who, ctx.clock.now()
        order.reason = f"часть хода отменена мастером{': ' + reason if reason else ''}"


def _take_portions_back(ctx: Context, session: Session, who: str, step: StepRow, action: str, reason: str) -> None:
    """The open step begins again from its first state, under the next attempt number."""
    session.flush()
    stand = select(OutcomeRow.id).where(OutcomeRow.step_row == step.id, OutcomeRow.undone.is_(False))
    if session.scalars(stand).first() is None:
        raise NotNow(f"{step.title}: в этом шаге ещё ничего не исполнено.")
    undo_outcomes(session, [step.id])
    ctx.campaign(session).head_id = step.base_id
    step.attempt += 1
    detail = {"step": step.step_id, "number": step.number, "attempt": step.attempt, "title": step.title, "reason": reason}
    ctx.audit(session, who, action, detail, public=True)
    session.flush()


def _step_of(ctx: Context, session: Session, name: str) -> StepRow:
    """The step that a GM's words name: its number, id or title, the words of a roll in it (the latest), words of its
    title, or, without words, that of the last roll. Raises `NotNow`."""
    rows = ctx.steps(session)
    wanted = name.strip().casefold()
    number = re.fullmatch(r"(?:(?:к|до|на) )?(?:шаг\w* )?[№#]? ?(\d+)", wanted)
    for row in rows:
        if wanted in (row.step_id.casefold(), row.title.casefold()) or (number and int(number[1]) == row.number):
            return row
    by_id = {row.id: row for row in rows}
    query = select(OutcomeRow).where(OutcomeRow.campaign_id == ctx.campaign_id, OutcomeRow.undone.is_(False))
    for outcome in session.scalars(query.order_by(OutcomeRow.number.desc())):
        if outcome.step_row not in by_id:
            continue
        purposes = [str(draw["purpose"]) for draw in outcome.draws]
        kinds = [str(event["kind"]) for event in outcome.events]
        if (not wanted and purposes) or wanted in kinds or any(wanted and about(wanted, purpose) for purpose in purposes):
            return by_id[outcome.step_row]
    for row in reversed(rows):
        if wanted and row.status in (StepStatus.RESOLVED, StepStatus.PUBLISHED) and about(wanted, row.title):
            return row
    raise NotNow(f"Не нашёл ни шага, ни броска «{name}». Назовите номер шага или слова броска, как они стоят в отчёте.")


def about(words: str, text: str) -> bool:
    """True when every word begins some word of the text, its last two letters apart: «шторма» names «Шторм, A1»."""
    known = re.findall(r"\w+", text.casefold().replace("ё", "е"))
    asked = re.findall(r"\w+", words.casefold().replace("ё", "е"))
    return bool(asked) and all(any(k.startswith(a[: max(3, len(a) - 2)]) for k in known) for a in asked)


def _set_deadline(ctx: Context, session: Session, who: str, words: str, reason: str) -> None:
    step = ctx.step(session, None)
    now = ctx.clock.now()
    until = moment_of(words, now, ctx.settings.zone)
    if until is None:
        raise NotNow(f"Не понял срок «{words}». Пишите так: «воскресенье 21:00», «05.12», «05.12.2026 18:00», «+12» часов.")
    if step.status not in LIVE or step.deadline is None:
        raise NotNow(f"{step.title}: срок назначить нельзя, шаг не ждёт приказов.")
    if until <= now:
        raise NotNow("Этот срок уже прошёл; закрыть шаг сейчас можно на пульте.")
    set_deadline(session, step, until)
    detail = {"step": step.step_id, "deadline": stamp(until), "reason": reason}
    ctx.audit(session, who, "set_deadline", detail, public=True)


def set_deadline(session: Session, step: StepRow, until: datetime) -> None:
    """All waits of a step end at `until`; a closed one that isn't resolved opens again."""
    step.deadlines = {wait: stamp(until) for wait in step.deadlines}
    step.deadline = until
    if step.status == StepStatus.CLOSED:
        step.status, step.closed_at, step.dice_posts = StepStatus.OPEN, None, None
    session.flush()


# ------------------------------------------------------------------------------------------------ orders


def _player_order(ctx: Context, session: Session, name: str) -> tuple[StepRow, Order]:
    """The order of the current step that a GM's words name. Raises `NotNow`, listing what he may have meant."""
    step = ctx.step(session, None)
    if step.status not in LIVE:
        raise NotNow(f"{step.title}: приказы уже исполнены; сначала велите пересчитать шаг.")
    live = [order for post, _ in step_posts(session, step) for order in orders_of(session, post)]
    live = [order for order in (*live, *own_orders(session, step)) if order.issuer != GM and order.status not in SETTLED]
    factions = {f.id: f.name for f in ctx.ruleset.factions(ctx.state(ctx.head(session)))}
    numbered: dict[int, str] = {}
    for faction in factions:
        for number, order in enumerate((o for o in live if o.issuer == faction), start=1):
            numbered[order.id] = f"{faction}:{number}"
    texts = {order.id: f"{factions.get(order.issuer, order.issuer)}: {_words(ctx, session, order)}" for order in live}
    exact = [o for o in live if name.strip().casefold() in (str(o.id), numbered.get(o.id))]
    found = exact or [o for o in live if about(name, f"{texts[o.id]} {_source(ctx, session, o)}")]
    if len(found) == 1:
        return step, found[0]
    shown = "; ".join(f"{numbered[o.id]} — {texts[o.id]}" for o in (found or live)[:8])
    start = "Подходит несколько приказов" if found else f"Не нашёл приказа «{name}»"
    raise NotNow(f"{start}. Есть: {shown}." if shown else f"{start}: приказов ещё нет.")


def _words(ctx: Context, session: Session, order: Order) -> str:
    try:
        command = ctx.ruleset.commands.parse(order.command)
        return ctx.ruleset.describe(ctx.view(ctx.head(session), audience_of(order.issuer)), command)
    except RulesError as error:
        return str(error)


def _source(ctx: Context, session: Session, order: Order) -> str:
    """The player's own words of an order."""
    row = session.get(ParseRow, order.parse_id) if order.parse_id is not None else None
    return str(row.parse["text"][order.start : order.end]) if row is not None and order.start is not None else ""
