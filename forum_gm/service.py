"""The service: one `tick` does whatever is due now; APScheduler calls it at the moments that the store names."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from apscheduler.schedulers.background import BackgroundScheduler

from forum_gm.errors import ForumGmError
from forum_gm.forums.clock import Interrupted
from forum_gm.pipeline.acknowledge import acknowledge, ask_gm, remind
from forum_gm.pipeline.approve import approve
from forum_gm.pipeline.backup import back_up
from forum_gm.pipeline.board import BoardTrouble
from forum_gm.pipeline.close import close, due
from forum_gm.pipeline.collect import Collected, collect
from forum_gm.pipeline.context import Context, NotNow
from forum_gm.pipeline.gm_acts import perform_posted
from forum_gm.pipeline.outbox import send
from forum_gm.pipeline.parse import parse
from forum_gm.pipeline.portions import carry_out_portions
from forum_gm.pipeline.publish import announce, publish
from forum_gm.pipeline.resolve import resolve
from forum_gm.pipeline.start import start
from forum_gm.storage.models import StepStatus
from rules.base import RulesError

log = logging.getLogger("forum_gm.service")
MISFIRE = 3600
"""Seconds by which a job may be late and is still run."""


@dataclass(frozen=True, slots=True)
class Ticked:
    """What a tick did, for the log and the command line."""

    collected: Collected
    done: tuple[str, ...] = ()
    """Words in Russian for each thing done."""
    trouble: str = ""


def tick(ctx: Context, *, reread: bool | None = None) -> Ticked:
    """Everything that is due now, in order: begin, send what waits, read, understand, do what the GM's
    posts ask of the service and what players want at once, answer, remind, close, resolve, publish.

    Safe to call at any moment and after any crash; a board in trouble is told in the answer and tried again next time."""
    done: list[str] = []
    collected = Collected()
    with ctx.exclusive():
        try:
            if start(ctx):
                done.append("кампания начата")
            announce(ctx)
            done.extend(_sent(ctx))
            collected = collect(ctx, reread=reread)
            parse(ctx)
            done.extend(perform_posted(ctx))
            done.extend(carry_out_portions(ctx))
            acknowledge(ctx)
            remind(ctx)
            ask_gm(ctx)
            done.extend(_sent(ctx))
            done.extend(go_on(ctx))
        except (BoardTrouble, NotNow) as error:
            return Ticked(collected, tuple(done), str(error))
    return Ticked(collected, tuple(done), collected.troubles[0] if collected.troubles else "")


def _sent(ctx: Context) -> list[str]:
    result = send(ctx)
    if result.trouble:
        raise BoardTrouble(result.trouble)
    return [f"отправлено: {key}" for key in result.confirmed]


def go_on(ctx: Context) -> list[str]:
    """Takes the current step as far as the configuration lets it go without a person."""
    done: list[str] = []
    status = _status(ctx)
    with ctx.store.reading() as session:
        step = ctx.current(session)
    if status == StepStatus.OPEN:
        with ctx.store.writing() as session:
            ready = due(ctx, session, ctx.step(session, None))
        if ready:
            close(ctx)
            acknowledge(ctx)
            done.append(f"закрыт: {step.title if step else ''}")
            done.extend(_sent(ctx))
            status = _status(ctx)
    if status == StepStatus.CLOSED and ctx.settings.review.approve == "auto":
        approve(ctx)
        resolve(ctx)
        done.append(f"рассчитан: {step.title if step else ''}")
        status = _status(ctx)
    if status == StepStatus.RESOLVED and ctx.settings.review.publish == "auto":
        result = publish(ctx)
        if result.trouble:
            raise BoardTrouble(result.trouble)
        done.extend(f"отправлено: {key}" for key in result.confirmed)
    return done


def _status(ctx: Context) -> StepStatus | None:
    with ctx.store.reading() as session:
        step = ctx.current(session)
        return StepStatus(step.status) if step else None


# ---------------------------------------------------------------------------------------------------- the scheduler


class Service:
    """The scheduler of one or several campaigns. Its jobs live in memory: each start makes them anew from the store."""

    def __init__(self, campaigns: Sequence[Context], report: Callable[[Context, Ticked], None] | None = None) -> None:
        self.campaigns = list(campaigns)
        self._report = report or _log
        self._busy = {ctx.campaign_id: threading.Lock() for ctx in self.campaigns}
        self._stopping = False
        self.scheduler = BackgroundScheduler(timezone=UTC, job_defaults={"coalesce": True, "misfire_grace_time": MISFIRE})

    def start(self) -> None:
        """Makes the jobs and lets them run; the first look at each forum is at once."""
        for ctx in self.campaigns:
            self.plan(ctx)
        self.scheduler.start()

    def stop(self) -> None:
        """Breaks off the waits of the running ticks (what they had begun goes on after the next start), lets the requests under
        way finish, then stops. (The scheduler's own waiting would hold the lock that the ticks need.)"""
        self._stopping = True
        for ctx in self.campaigns:
            ctx.clock.interrupt()
        with ExitStack() as stack:
            for lock in self._busy.values():
                stack.enter_context(lock)
            if self.scheduler.running:
                self.scheduler.shutdown(wait=False)

    def plan(self, ctx: Context) -> None:
        """The jobs of a campaign: polls, the moments at which something is due, backups."""
        name = ctx.campaign_id
        settings = ctx.settings
        self.scheduler.add_job(
            self._tick,
            "interval",
            args=[ctx],
            id=f"{name}:poll",
            minutes=settings.time.poll_minutes,
            next_run_time=datetime.now(UTC),
            max_instances=1,
            replace_existing=True,
        )
        if settings.backup.every_hours:
            self.scheduler.add_job(
                back_up,
                "interval",
                args=[ctx],
                id=f"{name}:backup",
                hours=settings.backup.every_hours,
                replace_existing=True,
            )
        self._plan_moments(ctx)

    def _plan_moments(self, ctx: Context) -> None:
        """One job at each reminder and deadline of the open step; those of former steps go."""
        prefix = f"{ctx.campaign_id}:at:"
        wanted = {f"{prefix}{moment.isoformat()}": moment for moment in moments(ctx)}
        for job in self.scheduler.get_jobs():
            if job.id.startswith(prefix) and job.id not in wanted:
                job.remove()
        # The scheduler lives by the system's time, the campaign perhaps by another clock (the demo's).
        shift = datetime.now(UTC) - ctx.clock.now()
        for job_id, moment in wanted.items():
            if self.scheduler.get_job(job_id) is None:
                self.scheduler.add_job(self._tick, "date", run_date=moment + shift, args=[ctx], id=job_id)

    def _tick(self, ctx: Context) -> None:
        with self._busy[ctx.campaign_id]:
            if self._stopping:
                return
            try:
                ticked = tick(ctx)
            except (ForumGmError, RulesError) as error:
                ticked = Ticked(Collected(), (), str(error))
            except Interrupted:
                return
            self._plan_moments(ctx)
        self._report(ctx, ticked)


def moments(ctx: Context) -> list[datetime]:
    """The future moments of the open step at which something is due: reminders, and a second after each deadline."""
    with ctx.store.reading() as session:
        try:
            step = ctx.current(session)
        except NotNow:
            return []
        if step is None or step.status != StepStatus.OPEN:
            return []
        untils = {datetime.fromisoformat(text) for text in step.deadlines.values()}
    now = ctx.clock.now()
    hours = ctx.settings.time.reminders
    found = {until - timedelta(hours=h) for until in untils for h in hours} | {until + timedelta(seconds=1) for until in untils}
    return sorted(moment for moment in found if moment > now)


def _log(ctx: Context, ticked: Ticked) -> None:
    for line in ticked.done:
        log.info("%s: %s", ctx.campaign_id, line)
    if ticked.trouble:
        log.warning("%s: %s", ctx.campaign_id, ticked.trouble)
