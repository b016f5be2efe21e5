"""Reads the orders out of the posts that count, and keeps the GM's list of orders of each post up to date with its text.

What a person has decided stays until the player changes his text; then it is read anew and the GM is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from forum_gm.campaign import Counting, PostIn, counting, in_time
from forum_gm.pipeline.context import SERVICE, Context
from forum_gm.precedents import Ruling
from forum_gm.storage.base import canonical, sha256
from forum_gm.storage.models import (
    SETTLED,
    Order,
    OrderStatus,
    OutcomeRow,
    ParseRow,
    Post,
    Precedent,
    Revision,
    StepRow,
    StepStatus,
)
from forum_gm.understand import audience_of, post_text, understand_view
from parsers.types import parse_to_json
from rules.base import GM, FactionId

LIVE = (StepStatus.OPEN, StepStatus.CLOSED)
"""Steps whose posts are (still) read as orders."""
OUTSIDE = frozenset({"source", "certain", "note"})
"""Keys of a command in `parse --json` that are no fields of it."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What reading brought."""

    read: int = 0
    """Posts read anew."""
    changed: int = 0
    """Posts whose list of orders was made anew."""


def parse(ctx: Context) -> Parsed:
    """Reads the posts of the current step."""
    with ctx.exclusive(), ctx.store.writing() as session:
        step = ctx.current(session)
        if step is None or step.status not in LIVE:
            return Parsed()
        return parse_step(ctx, session, step)


def parse_step(ctx: Context, session: Session, step: StepRow) -> Parsed:
    """Reads the posts of a step, within the caller's transaction."""
    total = Parsed()
    posts = step_posts(session, step)
    known = Readings.of(ctx, session, step, posts)
    for post, count in posts:
        if post.issuer is None or count.revision is None:
            continue
        row, fresh = parse_revision(ctx, session, step, post.issuer, count.revision, known)
        changed = in_time(post, step.deadline) and _sync_orders(ctx, session, step, post, row)
        total = Parsed(total.read + fresh, total.changed + changed)
    return total


def step_posts(session: Session, step: StepRow) -> list[tuple[Post, Counting]]:
    """The posts of a step by time, each with the text of it that counts."""
    posts = list(session.scalars(select(Post).where(Post.step_row == step.id).order_by(Post.posted_at, Post.board_id)))
    revisions: dict[int, list[Revision]] = {}
    ids = [post.id for post in posts]
    query = select(Revision).where(Revision.post_id.in_(ids)).order_by(Revision.number)
    for revision in session.scalars(query) if ids else ():
        revisions.setdefault(revision.post_id, []).append(revision)
    return [
        (post, counting(revisions[post.id], None if post.ruling == "admitted" else step.deadline, post.pinned)) for post in posts
    ]


def rulings(ctx: Context, session: Session, issuer: FactionId) -> list[Ruling]:
    """The GM's rulings in force for an issuer's posts; his own go before those for everyone."""
    return _rulings_for(issuer, _precedents(ctx, session))


def _precedents(ctx: Context, session: Session) -> list[Precedent]:
    query = select(Precedent).where(Precedent.campaign_id == ctx.campaign_id, Precedent.withdrawn_at.is_(None))
    return sorted(session.scalars(query), key=lambda p: (p.issuer is None, p.id))


def _rulings_for(issuer: FactionId, precedents: Iterable[Precedent]) -> list[Ruling]:
    chosen: dict[str, Ruling] = {}
    for row in precedents:
        if row.issuer in (None, issuer):
            chosen.setdefault(row.phrase.casefold(), Ruling(row.phrase, row.meaning))
    return list(chosen.values())


def language_of(ctx: Context, head: OutcomeRow, step: StepRow, issuer: FactionId, known: Iterable[Ruling]) -> str:
    """Names what a reading depends on: two equal names, the same reading."""
    phrases = sorted((r.phrase, r.meaning) for r in known)
    return sha256(canonical([ctx.ruleset.id, ctx.ruleset.version, head.hash, step.kind, issuer, phrases]))


@dataclass(frozen=True, slots=True)
class Readings:
    """What is stored of a step's posts, looked up for all of them at once: where nothing is new, that is nearly all the work."""

    rulings: Mapping[FactionId, list[Ruling]]
    """By issuer."""
    languages: Mapping[FactionId, str]
    """By issuer: the present one."""
    rows: Mapping[tuple[int, FactionId], ParseRow]
    """By revision and issuer: the readings in the present language."""
    carried_out: frozenset[int]
    """Revisions by whose reading something has been carried out."""

    @classmethod
    def of(cls, ctx: Context, session: Session, step: StepRow, posts: Iterable[tuple[Post, Counting]]) -> Readings | None:
        """None where the readings don't depend on the present language."""
        counted = {
            count.revision.id: post.issuer for post, count in posts if post.issuer is not None and count.revision is not None
        }
        if step.status not in LIVE or not counted:
            return None
        head = ctx.head(session)
        precedents = _precedents(ctx, session)
        known = {issuer: _rulings_for(issuer, precedents) for issuer in dict.fromkeys(counted.values())}
        languages = {issuer: language_of(ctx, head, step, issuer, known[issuer]) for issuer in known}
        query = select(ParseRow).where(ParseRow.revision_id.in_(counted), ParseRow.language.in_(set(languages.values())))
        rows = {(row.revision_id, row.issuer): row for row in session.scalars(query) if row.language == languages.get(row.issuer)}
        settled = (
            select(ParseRow.revision_id)
            .join(Order, Order.parse_id == ParseRow.id)
            .where(ParseRow.revision_id.in_(counted), Order.status.in_(SETTLED))
        )
        return cls(known, languages, rows, frozenset(session.scalars(settled)))


def parse_revision(
    ctx: Context, session: Session, step: StepRow, issuer: FactionId, revision: Revision, stored: Readings | None = None
) -> tuple[ParseRow, bool]:
    """The stored reading of a text, made now (true) if there is none for the present language. Posts of a step that has been
    carried out keep the reading that they had then. `stored`: what is known of the step's posts, if it has been looked up."""
    if step.status not in LIVE:
        kept = select(ParseRow).where(ParseRow.revision_id == revision.id, ParseRow.issuer == issuer)
        known_row = session.scalars(kept.order_by(ParseRow.id.desc()).limit(1)).first()
        if known_row is not None:
            return known_row, False
    carried_out = _reading_carried_out(session, revision) if stored is None or revision.id in stored.carried_out else None
    if carried_out is not None and carried_out.issuer == issuer:
        return carried_out, False
    if stored is not None and (revision.id, issuer) in stored.rows:
        return stored.rows[revision.id, issuer], False
    head = ctx.head(session)
    known = rulings(ctx, session, issuer) if stored is None else stored.rulings[issuer]
    language = language_of(ctx, head, step, issuer, known) if stored is None else stored.languages[issuer]
    query = select(ParseRow).where(ParseRow.revision_id == revision.id, ParseRow.issuer == issuer, ParseRow.language == language)
    row = session.scalars(query).first()
    if row is not None:
        return row, False
    view = ctx.view(head, audience_of(issuer))
    result = understand_view(ctx.ruleset, view, step.kind, post_text(revision.source, revision.format), known)
    row = ParseRow(
        campaign_id=ctx.campaign_id,
        revision_id=revision.id,
        issuer=issuer,
        language=language,
        parse=parse_to_json(result),
        made_at=ctx.clock.now(),
    )
    session.add(row)
    session.flush()
    return row, True


def _reading_carried_out(session: Session, revision: Revision) -> ParseRow | None:
    """The reading of a text by which a portion was carried out: what it did has changed the board, and by the new one the same
    words would be judged wrongly."""
    query = (
        select(ParseRow)
        .join(Order, Order.parse_id == ParseRow.id)
        .where(ParseRow.revision_id == revision.id, Order.status.in_(SETTLED))
    )
    return session.scalars(query.order_by(ParseRow.id.desc()).limit(1)).first()


def bare(command: Mapping[str, Any]) -> dict[str, Any]:
    """A command of `parse --json` without its place and note."""
    return {name: value for name, value in command.items() if name not in OUTSIDE}


def orders_of(session: Session, post: Post) -> list[Order]:
    """The order rows of a post, in its order."""
    return list(session.scalars(select(Order).where(Order.post_id == post.id).order_by(Order.position, Order.id)))


def _by_hand(order: Order) -> bool:
    return order.origin != "parse" or order.original is not None or (order.decided_by not in (None, SERVICE))


def _sync_orders(ctx: Context, session: Session, step: StepRow, post: Post, parse_row: ParseRow) -> bool:
    """Makes the post's orders what its counting text says. False: they were already, or the GM's work on this text stays."""
    old = orders_of(session, post)
    before = session.get(ParseRow, old[0].parse_id) if old and old[0].parse_id is not None else None
    if before is not None and before.id == parse_row.id:
        return False
    same_text = before is not None and before.revision_id == parse_row.revision_id
    if same_text and (any(_by_hand(order) for order in old) or any(order.status in SETTLED for order in old)):
        return False
    if not old and not _readings(parse_row, post):
        return False
    done = [order for order in old if order.status in SETTLED]
    if any(_by_hand(order) for order in old):
        text = f"{post.author_name} изменил сообщение {post.board_id} после вашей правки приказов: проверьте их снова."
        ctx.notice(session, f"edited-after-review:{post.id}", "edit", text)
    if old:
        detail = {"post": post.board_id, "issuer": post.issuer, "orders": [order.command for order in old]}
        ctx.audit(session, SERVICE, "reread", detail)
    kept = {canonical(order.command): order.status for order in old if order.status == OrderStatus.ACCEPTED and same_text}
    session.execute(delete(Order).where(Order.post_id == post.id, Order.status.not_in(SETTLED)))
    carried = [canonical(order.command) for order in done]
    for position, reading in enumerate(_readings(parse_row, post)):
        command = bare(reading)
        key = canonical(command)
        if key in carried:
            carried.remove(key)
            continue
        certain = bool(reading["certain"])
        status = OrderStatus.PROPOSED if certain else OrderStatus.ASKS
        session.add(
            Order(
                campaign_id=ctx.campaign_id,
                step_row=step.id,
                issuer=str(post.issuer),
                post_id=post.id,
                parse_id=parse_row.id,
                position=position,
                command=command,
                start=reading["source"]["start"],
                end=reading["source"]["end"],
                certain=certain,
                note=reading["note"],
                status=kept.get(key, status) if certain else status,
                origin="parse",
            )
        )
    session.flush()
    return True


def _readings(parse_row: ParseRow, post: Post) -> list[dict[str, Any]]:
    """The commands of a reading; of a GM's post only the GM's commands (he may also just talk)."""
    commands = parse_row.parse["commands"]
    return [c for c in commands if str(c["type"]).startswith("gm_")] if post.issuer == GM else list(commands)


def counted_posts(ctx: Context, session: Session, step: StepRow) -> list[PostIn]:
    """The posts that make the step's sheets, with their orders."""
    out: list[PostIn] = []
    posts = step_posts(session, step)
    known = Readings.of(ctx, session, step, posts)
    written: dict[int, list[Order]] = {}
    query = select(Order).where(Order.post_id.in_([post.id for post, _ in posts])).order_by(Order.position, Order.id)
    for order in session.scalars(query) if posts else ():
        written.setdefault(order.post_id or 0, []).append(order)
    for post, count in posts:
        if post.issuer is None or count.revision is None or not in_time(post, step.deadline):
            continue
        orders = written.get(post.id, [])
        row, _ = parse_revision(ctx, session, step, post.issuer, count.revision, known)
        tried = bool(row.parse["commands"] or row.parse["problems"])
        wrote = bool(orders) or (tried and post.issuer != GM)
        out.append(PostIn(post, orders, bool(row.parse.get("restart")), wrote))
    return out


def own_orders(session: Session, step: StepRow) -> list[Order]:
    """The commands of a step that stand in no post: entered by the GM."""
    query = select(Order).where(Order.step_row == step.id, Order.post_id.is_(None)).order_by(Order.id)
    return list(session.scalars(query))
