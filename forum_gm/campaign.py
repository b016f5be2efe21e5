"""A campaign's own rules, the same in every game: who speaks for whom, when a wait ends, which text of a post counts, what a
step's sheets are. Pure: no clock, no disk, no database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum

from forum_gm.storage.models import Order, OrderStatus, Post, Revision, Seat
from rules.base import GM, Command, FactionId, Ruleset, Sheet, Step
from rules.sheets import PostOrders, merge

# ------------------------------------------------------------------------------------------------ who speaks for whom


def speaks_for(seats: Iterable[Seat], account_id: str, step_number: int) -> list[FactionId]:
    """The factions (or `GM`) that an account speaks for in a step, sorted. Accounts are known by id: a name proves nothing."""
    return sorted(
        {
            seat.faction
            for seat in seats
            if seat.account_id == account_id
            and seat.since_step <= step_number
            and (seat.until_step is None or step_number <= seat.until_step)
        }
    )


def accounts_of(seats: Iterable[Seat], faction: FactionId, step_number: int) -> list[tuple[str, str]]:
    """(account id, name) of everyone who speaks for a faction in a step."""
    return [
        (seat.account_id, seat.account_name)
        for seat in seats
        if seat.faction == faction
        and seat.since_step <= step_number
        and (seat.until_step is None or step_number <= seat.until_step)
    ]


# ------------------------------------------------------------------------------------------------ time


def round_up(moment: datetime, minutes: int, zone: tzinfo) -> datetime:
    """The moment, moved forward to a whole number of `minutes` from local midnight; 0: to the whole second."""
    local = moment.astimezone(zone)
    if minutes == 0:
        return (local + timedelta(seconds=1) if local.microsecond else local).replace(microsecond=0)
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    step = timedelta(minutes=minutes)
    passed = local - midnight
    return midnight + -(-passed // step) * step


def wait_deadlines(
    step: Step,
    opened: datetime,
    *,
    factor: float,
    minutes: int,
    zone: tzinfo,
    known: Mapping[str, datetime] | None = None,
) -> dict[str, datetime]:
    """When each wait of a step ends: its hours times `factor` after `opened`, rounded up. Waits already `known` keep their
    time: their hours run on while the step stays open."""
    known = known or {}
    return {
        wait.id: known.get(wait.id) or round_up(opened + timedelta(hours=wait.hours * factor), minutes, zone)
        for wait in step.waits
    }


def command_deadline(step: Step, deadlines: Mapping[str, datetime], faction: FactionId, type_name: str) -> datetime:
    """Until when a command of `faction` is in time: the latest of the waits that it answers; otherwise the step's end."""
    own = [deadlines[w.id] for w in step.waits if w.faction == faction and type_name in w.types and w.id in deadlines]
    return max(own or deadlines.values())


# ------------------------------------------------------------------------------------------------ edits as evidence


class Timing(StrEnum):
    """Whether a text of a post was there before the deadline."""

    IN_TIME = "in_time"
    AFTER = "after"
    UNKNOWN = "unknown"
    """Changed between two looks around the deadline, and the board doesn't say when."""


NOTICE_STEP = timedelta(minutes=1)
"""Boards tell the time of an edit to the minute."""


def timing(revision: Revision, before: Revision | None, deadline: datetime | None) -> Timing:
    """When a text came to be, as far as the board and our own looks can tell. Boards show no notice for an edit of the last
    post, and some edits leave an older notice standing: only a new notice is a proof, and so is a look after the deadline that
    still found the text before."""
    if deadline is None or revision.seen_at <= deadline:
        return Timing.IN_TIME
    if before is None:
        noticed = revision.edited_at is not None
    else:
        if (before.last_seen_at or before.seen_at) >= deadline:
            return Timing.AFTER
        noticed = (revision.edited_at, revision.edit_count) != (before.edited_at, before.edit_count)
    if not noticed or revision.edited_at is None:
        return Timing.IN_TIME if before is None else Timing.UNKNOWN
    if revision.edited_at > deadline:
        return Timing.AFTER
    rounded = revision.edited_at.second == 0 and revision.edited_at.microsecond == 0
    in_time = not rounded or revision.edited_at + NOTICE_STEP <= deadline
    return Timing.IN_TIME if in_time else Timing.UNKNOWN


@dataclass(frozen=True, slots=True)
class Counting:
    """Which text of a post counts."""

    revision: Revision | None
    """None: the post was there, but the only text known is of after the deadline."""
    timings: Mapping[int, Timing]
    """Revision number → timing."""

    @property
    def doubtful(self) -> list[int]:
        """Revisions that the GM must see: later than the one that counts, or of unknown time."""
        return [number for number, when in self.timings.items() if when is not Timing.IN_TIME]


def counting(revisions: Sequence[Revision], deadline: datetime | None, pinned: int | None = None) -> Counting:
    """The text last known before the close counts, unless the GM has said otherwise (`pinned`)."""
    ordered = sorted(revisions, key=lambda r: r.number)
    timings: dict[int, Timing] = {}
    chosen: Revision | None = None
    before: Revision | None = None
    for revision in ordered:
        timings[revision.number] = timing(revision, before, deadline)
        if timings[revision.number] is Timing.IN_TIME:
            chosen = revision
        before = revision
    if pinned is not None:
        chosen = next((r for r in ordered if r.number == pinned), chosen)
    return Counting(chosen, timings)


def in_time(post: Post, deadline: datetime | None) -> bool:
    """True when a post counts for its step: sent before the deadline, or admitted; never when the GM has excluded it."""
    if post.ruling == "excluded":
        return False
    return post.ruling == "admitted" or deadline is None or post.posted_at <= deadline


# ------------------------------------------------------------------------------------------------ sheets


@dataclass(frozen=True, slots=True)
class PostIn:
    """A counted post with its decided orders."""

    post: Post
    orders: Sequence[Order]
    restart: bool = False
    wrote: bool = True
    """It holds orders or failed attempts at them; mere talk makes no sheet."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something a player wrote that is not among the orders, and why."""

    issuer: FactionId
    text: str
    why: str
    order_id: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be, or was, given to the rules."""

    sheets: tuple[Sheet, ...]
    left_out: tuple[LeftOut, ...] = ()
    orders: tuple[int, ...] = field(default=())
    """Ids of the order rows that went in (a later post may have replaced some)."""


class OrderSet:
    """Which decisions make a command part of a sheet."""

    COUNTED = frozenset({OrderStatus.ACCEPTED})
    """Approved: what is carried out."""
    LIKELY = frozenset({OrderStatus.ACCEPTED, OrderStatus.PROPOSED, OrderStatus.DONE})
    """Approved or read with certainty: what a player has answered so far."""


def make_plan(
    ruleset: Ruleset,
    step: Step,
    deadlines: Mapping[str, datetime],
    posts: Sequence[PostIn],
    own: Sequence[Order] = (),
    *,
    statuses: frozenset[OrderStatus] = OrderSet.COUNTED,
) -> Plan:
    """The sheets of a step from its counted posts and the GM's own commands (`own`: those that stand in no post; for a
    faction they count as a post after its last one). Sheets come in order of arrival, the GM's first."""
    by_issuer: dict[FactionId, list[PostOrders]] = {}
    arrived: dict[FactionId, tuple[datetime, int]] = {}
    left_out: list[LeftOut] = []
    used: list[int] = []

    def typed(orders: Iterable[Order], when: datetime | None, *, admitted: bool) -> tuple[Command, ...]:
        out: list[Command] = []
        for order in sorted(orders, key=lambda o: o.position):
            if order.status not in statuses:
                continue
            command = ruleset.commands.parse(order.command)
            if when is not None and not admitted and order.issuer != GM and deadlines:
                limit = command_deadline(step, deadlines, order.issuer, str(order.command["type"]))
                if when > limit:
                    left_out.append(LeftOut(order.issuer, str(order.command["type"]), "позже срока этого ответа", order.id))
                    continue
            out.append(command)
            used.append(order.id)
        return tuple(out)

    for item in sorted(posts, key=lambda p: (p.post.posted_at, p.post.board_id)):
        issuer = item.post.issuer
        if issuer is None or not (item.wrote or item.orders):
            continue
        commands = typed(item.orders, item.post.posted_at, admitted=item.post.ruling == "admitted")
        by_issuer.setdefault(issuer, []).append(PostOrders(commands, item.restart))
        arrived[issuer] = (item.post.posted_at, item.post.board_id)
    for issuer in sorted({order.issuer for order in own}):
        commands = typed((o for o in own if o.issuer == issuer), None, admitted=True)
        if commands:
            by_issuer.setdefault(issuer, []).append(PostOrders(commands))
    last = (datetime.max, 0)
    ranked = sorted(
        by_issuer,
        key=lambda i: (i != GM, i not in arrived, arrived[i][0].timestamp() if i in arrived else 0.0, arrived.get(i, last)[1], i),
    )
    sheets = tuple(merge(issuer, by_issuer[issuer], rank) for rank, issuer in enumerate(ranked))
    return Plan(sheets, tuple(left_out), tuple(used))
