"""Reads the channels: new posts, and those of the open step again for their edits; every text seen is kept in a hash chain."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from forum_gm.campaign import Timing, speaks_for, timing
from forum_gm.pipeline.board import BoardTrouble, Seen, SeenPost
from forum_gm.pipeline.context import Context
from forum_gm.storage.base import canonical, sha256
from forum_gm.storage.models import Channel, Post, Publication, PublicationStatus, Revision, Seat, StepRow, StepStatus
from forum_gm.understand import post_text
from rules.base import GM, FactionId

OPENING_WORDS = 200
"""How many characters of a post are searched for the name of the faction it speaks for, when its author has several."""


@dataclass(frozen=True, slots=True)
class Collected:
    """What a look at the channels brought."""

    new: int = 0
    changed: int = 0
    gone: int = 0
    troubles: tuple[str, ...] = ()

    def __add__(self, other: Collected) -> Collected:
        return Collected(
            self.new + other.new, self.changed + other.changed, self.gone + other.gone, self.troubles + other.troubles
        )


def collect(ctx: Context, *, reread: bool | None = None) -> Collected:
    """Reads every channel once. `reread`: also the step's posts that are known already; None: when it is time for that.

    A channel that can't be read is noted as its trouble and in the answer; the others are read all the same."""
    with ctx.exclusive():
        with ctx.store.reading() as session:
            query = select(Channel).where(Channel.campaign_id == ctx.campaign_id).order_by(Channel.id)
            channels = list(session.scalars(query))
        total = Collected()
        for channel in channels:
            total += _collect_channel(ctx, channel, reread)
        return total


def _collect_channel(ctx: Context, channel: Channel, reread: bool | None) -> Collected:
    now = ctx.clock.now()
    with ctx.store.reading() as session:
        due = _reread_due(ctx, channel) if reread is None else reread
        oldest = _oldest_of_step(ctx, session, channel) if due and channel.kind == "topic" else None
    try:
        seen = (
            ctx.board.inbox(channel.cursor)
            if channel.kind == "inbox"
            else ctx.board.read(int(channel.ref), channel.cursor, oldest)
        )
        if seen.more:
            seen = _with_older(ctx, channel, seen)
    except BoardTrouble as error:
        with ctx.store.writing() as session:
            row = session.get_one(Channel, channel.id)
            row.trouble = str(error)
            ctx.notice(session, f"weather:{channel.id}", "weather", f"{channel_name(channel)}: {error}")
        return Collected(troubles=(f"{channel_name(channel)}: {error}",))
    with ctx.store.writing() as session:
        row = session.get_one(Channel, channel.id)
        result = _store(ctx, session, row, seen, now)
        row.cursor, row.read_at, row.trouble = dict(seen.cursor), now, ""
        if due:
            row.reread_at = now
        ctx.settle(session, f"weather:{channel.id}")
        return result


def _with_older(ctx: Context, channel: Channel, seen: Seen) -> Seen:
    """Adds the posts that appeared among the old ones: ids don't grow in the order in which posts become visible."""
    with ctx.store.reading() as session:
        known = set(session.scalars(select(Post.board_id).where(Post.channel_id == channel.id, Post.gone_at.is_(None))))
    known |= {item.board_id for item in seen.posts}
    found = ctx.board.older(int(channel.ref), known)
    return replace(seen, posts=(*found.posts, *seen.posts))


def channel_name(channel: Channel) -> str:
    """The channel for a person."""
    if channel.kind == "inbox":
        return "личные сообщения"
    return f"тема {channel.ref}" + (f" ({channel.faction})" if channel.faction else "")


def _reread_due(ctx: Context, channel: Channel) -> bool:
    every = timedelta(minutes=ctx.settings.time.reread_minutes)
    return channel.reread_at is None or ctx.clock.now() - channel.reread_at >= every


def _oldest_of_step(ctx: Context, session: Session, channel: Channel) -> int | None:
    """The first post of the unpublished step in this channel: from here on edits matter."""
    query = (
        select(Post.board_id)
        .join(StepRow, Post.step_row == StepRow.id)
        .where(
            Post.channel_id == channel.id,
            Post.role.in_(("player", "gm")),
            StepRow.status.in_((StepStatus.OPEN, StepStatus.CLOSED)),
        )
        .order_by(Post.board_id)
        .limit(1)
    )
    return session.scalar(query)


# ---------------------------------------------------------------------------------------------------- storing


def _store(ctx: Context, session: Session, channel: Channel, seen: Seen, begun: datetime) -> Collected:
    """Keeps what a look brought that had `begun` then."""
    numbers = [item.board_id for item in seen.posts] + ([] if seen.whole_from is None else [seen.whole_from])
    if not numbers:
        return Collected()
    query = select(Post).where(Post.channel_id == channel.id, Post.board_id >= min(numbers))
    posts = {post.board_id: post for post in session.scalars(query)}
    strange = any(item.board_id not in posts for item in seen.posts)
    seats = ctx.seats(session) if strange else []
    steps = [row for row in ctx.steps(session) if row.opened_at is not None] if strange else []
    new = changed = gone = 0
    for item in seen.posts:
        post = posts.get(item.board_id)
        if post is None:
            _add(ctx, session, channel, item, seats, steps, begun)
            new += 1
        else:
            post.gone_at = None
            changed += _revise(ctx, session, post, item, begun)
    if seen.whole_from is not None:
        there = {item.board_id for item in seen.posts}
        for post in posts.values():
            if post.board_id >= seen.whole_from and post.board_id not in there and post.gone_at is None:
                post.gone_at = ctx.clock.now()
                gone += 1
                if post.issuer is not None:
                    text = f"Сообщение {post.board_id} ({post.author_name}) исчезло с форума; его приказы пока считаются."
                    ctx.notice(session, f"gone:{post.id}", "gone", text)
    return Collected(new, changed, gone)


def _add(
    ctx: Context,
    session: Session,
    channel: Channel,
    item: SeenPost,
    seats: Iterable[Seat],
    steps: list[StepRow],
    begun: datetime,
) -> None:
    step = next((row for row in reversed(steps) if row.opened_at is not None and row.opened_at <= item.posted_at), None)
    speaks = speaks_for(seats, item.author_id, step.number if step else 1)
    issuer, role = _issuer(ctx, session, channel, item, speaks)
    post = Post(
        campaign_id=ctx.campaign_id,
        channel_id=channel.id,
        board_id=item.board_id,
        author_id=item.author_id,
        author_name=item.author_name,
        posted_at=item.posted_at,
        seen_at=ctx.clock.now(),
        step_row=step.id if step else None,
        issuer=issuer,
        role=role,
    )
    session.add(post)
    session.flush()
    _add_revision(ctx, session, post, item, None, begun)
    if role == "bot":
        _own_post_appeared(ctx, session, channel, item)
    if role == "player" and issuer is None and step is not None:
        names = ", ".join(speaks)
        text = f"Сообщение {item.board_id} ({item.author_name}): не видно, за какую сторону оно ({names}); укажите на пульте."
        ctx.notice(session, f"whose:{post.id}", "whose", text)


def _own_post_appeared(ctx: Context, session: Session, channel: Channel, item: SeenPost) -> None:
    """Learns the id of an own post that the board had taken without naming it (it waited for approval, or the GM only said
    that it is there)."""
    query = select(Publication).where(
        Publication.campaign_id == ctx.campaign_id,
        Publication.action == "reply",
        Publication.status == PublicationStatus.CONFIRMED,
        Publication.board_id.is_(None),
    )
    shown = _letters(item.source, item.format)
    for row in session.scalars(query.order_by(Publication.id)):
        if str(row.target.get("topic")) == channel.ref and _letters(row.body, "bbcode") == shown:
            row.board_id = item.board_id
            ctx.settle(session, f"hidden:{row.id}")
            return


def _letters(source: str, format_: str) -> str:
    return "".join(ch for ch in post_text(source, format_).text.casefold() if ch.isalnum())


def _issuer(
    ctx: Context, session: Session, channel: Channel, item: SeenPost, speaks: list[FactionId]
) -> tuple[FactionId | None, str]:
    """For whom a post speaks, and its author's role. A person with several factions is understood by the channel, or by the one
    faction that the beginning of his post names."""
    if ctx.board.account_id and item.author_id == ctx.board.account_id:
        return None, "bot"
    if not speaks:
        return None, "other"
    if channel.faction is not None:
        if channel.faction in speaks:
            return channel.faction, "player"
        return (GM, "gm") if GM in speaks else (None, "other")
    if len(speaks) == 1:
        return speaks[0], "gm" if speaks[0] == GM else "player"
    beginning = post_text(item.source, item.format).text[:OPENING_WORDS].casefold().replace("ё", "е")
    words = set(re.findall(r"\w+", beginning))
    state = ctx.state(ctx.head(session))
    named = []
    for faction in ctx.ruleset.factions(state):
        aliases = {alias.casefold().replace("ё", "е") for alias in (*faction.aliases, faction.name)}
        if faction.id in speaks and (aliases & words or any(" " in alias and alias in beginning for alias in aliases)):
            named.append(faction.id)
    if len(named) == 1:
        return named[0], "player"
    factions = [f for f in speaks if f != GM]
    return (factions[0], "player") if len(factions) == 1 and not named else (None, "player")


def _revise(ctx: Context, session: Session, post: Post, item: SeenPost, begun: datetime) -> bool:
    """Keeps a changed text as a further revision; of an unchanged one, that it still stood there when the look began."""
    last = session.scalars(select(Revision).where(Revision.post_id == post.id).order_by(Revision.number.desc()).limit(1)).one()
    if last.format == item.format:
        same = last.source == item.source
    else:
        same = post_text(last.source, last.format).text == post_text(item.source, item.format).text
    if same:
        last.last_seen_at = begun
        return False
    _add_revision(ctx, session, post, item, last, begun)
    return True


def _add_revision(ctx: Context, session: Session, post: Post, item: SeenPost, last: Revision | None, begun: datetime) -> None:
    revision = Revision(
        campaign_id=ctx.campaign_id,
        post_id=post.id,
        number=last.number + 1 if last else 1,
        seen_at=ctx.clock.now(),
        format=item.format,
        source=item.source,
        edit_count=item.edit_count,
        edited_at=item.edited_at,
        edited_by=item.edited_by,
        after_ack=last is not None and _acknowledged(session, post),
        last_seen_at=begun,
        prev_hash=last.hash if last else sha256(f"post {post.board_id}"),
        hash="",
    )
    revision.hash = revision_hash(revision)
    session.add(revision)
    if last is not None and post.role == "player":
        _tell_late_edit(ctx, session, post, revision, last)


def _tell_late_edit(ctx: Context, session: Session, post: Post, revision: Revision, last: Revision) -> None:
    """Asks the GM to look at a text that may be of after the deadline; the one read before counts unless he says otherwise."""
    step = session.get(StepRow, post.step_row) if post.step_row is not None else None
    when = timing(revision, last, step.deadline) if step is not None else Timing.IN_TIME
    if when is Timing.IN_TIME:
        return
    how = "после срока" if when is Timing.AFTER else "около срока, когда именно — форум не показал"
    text = (
        f"{post.author_name} изменил сообщение {post.board_id} {how}. Засчитан прежний текст; "
        "правка показана на пульте, засчитать её можете только вы."
    )
    ctx.notice(session, f"late-edit:{post.id}:{revision.number}", "edit", text)


def revision_hash(revision: Revision) -> str:
    """The hash of a revision, which carries that of the one before it."""
    return sha256(
        canonical([revision.prev_hash, revision.number, revision.format, revision.source, revision.seen_at.isoformat()])
    )


def _acknowledged(session: Session, post: Post) -> bool:
    query = select(Publication.id).where(
        Publication.campaign_id == post.campaign_id,
        Publication.key.startswith(f"ack:{post.id}:"),
        Publication.status == PublicationStatus.CONFIRMED,
    )
    return session.scalar(query.limit(1)) is not None
