"""The tables of the store. Every row names its campaign; times are UTC; JSON is canonical; every row is sealed.

Posts and outcomes are kept as chains of hashes: what was read, and what was resolved, can't be changed unseen.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from forum_gm.storage.base import Base


class StepStatus(StrEnum):
    """Where a step stands."""

    WAITING = "waiting"
    """Known, but not yet announced: no orders are taken."""
    OPEN = "open"
    CLOSED = "closed"
    """No more orders; the GM reviews."""
    RESOLVED = "resolved"
    PUBLISHED = "published"
    UNDONE = "undone"
    """Rolled back."""


class OrderStatus(StrEnum):
    """What has been decided of one command."""

    PROPOSED = "proposed"
    """Read with certainty; waits for an approval."""
    ASKS = "asks"
    """A guess: never an order by itself."""
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DONE = "done"
    """Carried out in a portion of the step."""
    PERFORMED = "performed"
    """The GM's, done by the service itself (a re-roll, another deadline)."""


SETTLED = (OrderStatus.DONE, OrderStatus.PERFORMED)
"""What has had its effect: no new reading of its text changes it."""


class PublicationStatus(StrEnum):
    """How far a post of ours has come."""

    INTENT = "intent"
    SENT = "sent"
    """A request has gone out; whether it arrived isn't known yet."""
    CONFIRMED = "confirmed"
    ASKED = "asked"
    """Only the GM can tell whether it was posted."""
    DROPPED = "dropped"


class Campaign(Base):
    """One game on one forum."""

    __tablename__ = "campaigns"
    id: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    title: Mapped[str]
    ruleset: Mapped[str]
    ruleset_version: Mapped[str]
    scenario: Mapped[dict[str, Any]]
    """`{"json": …}`: the scenario as read, as JSON text in the file's own order; the first state follows from it."""
    made_at: Mapped[datetime]
    head_id: Mapped[int | None]
    """The outcome whose state holds now."""
    over: Mapped[bool] = mapped_column(default=False)
    paused: Mapped[bool] = mapped_column(default=False)


def _campaign() -> Mapped[str]:
    return mapped_column(sa.ForeignKey("campaigns.id"), index=True)


class Seat(Base):
    """Who may speak for a faction, and from which step on."""

    __tablename__ = "seats"
    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[str] = _campaign()
    faction: Mapped[str]
    account_id: Mapped[str]
    account_name: Mapped[str]
    since_step: Mapped[int] = mapped_column(default=1)
    until_step: Mapped[int | None]
    """The last step, inclusive; null: still."""


class Channel(Base):
    """A place that is read: a topic, or the bot's inbox."""

    __tablename__ = "channels"
    __table_args__ = (sa.UniqueConstraint("campaign_id", "kind", "ref"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[str] = _campaign()
    kind: Mapped[str]
    """`topic` or `inbox`."""
    ref: Mapped[str]
    """Topic id; empty for the inbox."""
    faction: Mapped[str | None]
    """Whose private topic it is; null: the common one (or the inbox, where the author tells)."""
    read_at: Mapped[datetime | None]
    reread_at: Mapped[datetime | None]
    cursor: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """What the forum client needs to go on reading."""
    trouble: Mapped[str] = mapped_column(default="")
    """«Погода»: the last reading error, one Russian sentence; empty: fine."""


class Post(Base):
    """A post or message that was read."""

    __tablename__ = "posts"
    __table_args__ = (sa.UniqueConstraint("campaign_id", "channel_id", "board_id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[str] = _campaign()
    channel_id: Mapped[int] = mapped_column(sa.ForeignKey("channels.id"))
    board_id: Mapped[int]
    """The board's own number of the post or message."""
    author_id: Mapped[str]
    author_name: Mapped[str]
    posted_at: Mapped[datetime]
    seen_at: Mapped[datetime]
    step_row: Mapped[int | None] = mapped_column(sa.ForeignKey("steps.id"), index=True)
    """The step it was written for; null: before the game."""
    issuer: Mapped[str | None]
    """Faction, `gm`, or null: not an order post, or it can't be told for whom."""
    role: Mapped[str]
    """`player`, `gm`, `bot`, `other`."""
    ruling: Mapped[str] = mapped_column(default="")
    """The GM's word on whether it counts: empty, `admitted` or `excluded`."""
    pinned: Mapped[int | None]
    """The revision that the GM lets count; null: by the rule."""
    gone_at: Mapped[datetime | None]
    """When it was first missed on the board."""


class Revision(Base):
    """One text of a post as it was seen. A chain of hashes per post."""

    __tablename__ = "revisions"
    __table_args__ = (sa.UniqueConstraint("post_id", "number"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[str] = _campaign()
    post_id: Mapped[int] = mapped_column(sa.ForeignKey("posts.id"), index=True)
    number: Mapped[int]
    seen_at: Mapped[datetime]
    """When it was first read."""
    format: Mapped[str]
    """`bbcode`, `html` or `text`."""
    source: Mapped[str]
    edit_count: Mapped[int] = mapped_column(default=0)
    edited_at: Mapped[datetime | None]
    edited_by: Mapped[str | None]
    after_ack: Mapped[bool] = mapped_column(default=False)
    """Seen after the bot had answered an earlier revision."""
    last_seen_at: Mapped[datetime | None]
    """The beginning of the last look that found it; null: kept by an older version, read at `seen_at`."""
    prev_hash: Mapped[str]
    hash: Mapped[str]


class StepRow(Base):
    """A step of the campaign."""

    __tablename__ = "steps"
    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[str] = _campaign()
    number: Mapped[int]
    """From 1, in the order of play."""
    step_id: Mapped[str]
    kind: Mapped[str]
    title: Mapped[str]
    definition: Mapped[dict[str, Any]]
    """The step as the rules told it (`rules step --json`)."""
    base_id: Mapped[int] = mapped_column(sa.ForeignKey("outcomes.id"))
    """The outcome whose state the step begins with."""
    attempt: Mapped[int] = mapped_column(default=1)
    """Grows when the step is resolved anew."""
    status: Mapped[str]
    secret_id: Mapped[int] = mapped_column(sa.ForeignKey("dice_secrets.id"))
    opened_at: Mapped[datetime | None]
    deadline: Mapped[datetime | None]
    """The latest of `deadlines`."""
    deadlines: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """Wait id → moment (ISO, UTC)."""
    closed_at: Mapped[datetime | None]
    dice_posts: Mapped[list[Any] | None]
    """Ids of the players' public posts at the close."""
    published_at: Mapped[datetime | None]
    reopened: Mapped[bool] = mapped_column(default=False)
    """Opened anew after a rollback: announced by a post of its own."""


class DiceSecret(Base):
    """The two secrets of a step's dice, committed before its orders open."""

    __tablename__ = "dice_secrets"
    __table_args__ = (sa.UniqueConstraint("campaign_id", "number"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[str] = _campaign()
    number: Mapped[int]
    public_secret: Mapped[str]
    hidden_secret: Mapped[str]
    public_commitment: Mapped[str]
    hidden_commitment: Mapped[str]
    made_at: Mapped[datetime]
    committed_at: Mapped[datetime | None]
    """When the commitment was posted."""
    revealed_at: Mapped[datetime | None]
    """When the public secret was posted."""


class ParseRow(Base):
    """How a revision was understood, in one version of the language."""

    __tablename__ = "parses"
    __table_args__ = (sa.UniqueConstraint("revision_id", "issuer", "language"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[str] = _campaign()
    revision_id: Mapped[int] = mapped_column(sa.ForeignKey("revisions.id"), index=True)
    issuer: Mapped[str]
    language: Mapped[str] = mapped_column(sa.String(64))
    """Hash of ruleset version, view, step kind and precedents."""
    parse: Mapped[dict[str, Any]]
    """As `parse --json`."""
    made_at: Mapped[datetime]


class Order(Base):
    """One command of a step, as the GM sees and edits it."""

    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[str] = _campaign()
    step_row: Mapped[int] = mapped_column(sa.ForeignKey("steps.id"), index=True)
    issuer: Mapped[str]
    post_id: Mapped[int | None] = mapped_column(sa.ForeignKey("posts.id"), index=True)
    """Null: the GM's own command, not from a post."""
    parse_id: Mapped[int | None] = mapped_column(sa.ForeignKey("parses.id"))
    position: Mapped[int]
    """Order within the post."""
    command: Mapped[dict[str, Any]]
    original: Mapped[dict[str, Any] | None]
    """What was read, where the GM changed it."""
    start: Mapped[int | None]
    end: Mapped[int | None]
    certain: Mapped[bool]
    note: Mapped[str | None]
    status: Mapped[str]
    origin: Mapped[str]
    """`parse`, `gm`, `answer`."""
    decided_by: Mapped[str | None]
    decided_at: Mapped[datetime | None]
    reason: Mapped[str] = mapped_column(default="")


class Approval(Base):
    """An act of approval: whose orders, by whom, and what it left out."""

    __tablename__ = "approvals"
    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[str] = _campaign()
    step_row: Mapped[int] = mapped_column(sa.ForeignKey("steps.id"), index=True)
    issuer: Mapped[str | None]
    by: Mapped[str]
    at: Mapped[datetime]
    accepted: Mapped[list[Any]]
    """Ids of orders."""
    left_out: Mapped[list[Any]]
    """`{"issuer", "text", "why"}` of each reading or problem that did not become an order."""


class OutcomeRow(Base):
    """A resolution: the state after it, all events and draws. A chain of hashes through the campaign; 0 is the new game."""

    __tablename__ = "outcomes"
    __table_args__ = (sa.UniqueConstraint("campaign_id", "number"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[str] = _campaign()
    number: Mapped[int]
    parent_number: Mapped[int | None]
    """The outcome whose state it began with; null for the new game."""
    step_row: Mapped[int | None]
    step_id: Mapped[str]
    attempt: Mapped[int]
    closing: Mapped[bool]
    portion: Mapped[int] = mapped_column(default=0)
    """From 1 for portions of a step; 0: the step's close."""
    sheets: Mapped[list[Any]]
    """`[{"issuer", "arrived", "commands"}]` as given to the rules."""
    orders: Mapped[list[Any]]
    """`[order id, seal]` of every order row of the step at that moment."""
    dice_posts: Mapped[list[Any]]
    secret_number: Mapped[int | None]
    state: Mapped[dict[str, Any]]
    events: Mapped[list[Any]]
    draws: Mapped[list[Any]]
    ruleset_version: Mapped[str]
    made_at: Mapped[datetime]
    undone: Mapped[bool] = mapped_column(default=False)
    told: Mapped[bool] = mapped_column(default=False)
    """Its publications are stored."""
    prev_hash: Mapped[str]
    hash: Mapped[str]


class Publication(Base):
    """Something to be written on the board, exactly once per `key`."""

    __tablename__ = "publications"
    __table_args__ = (sa.UniqueConstraint("campaign_id", "key"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[str] = _campaign()
    step_row: Mapped[int | None]
    outcome_number: Mapped[int | None]
    key: Mapped[str]
    kind: Mapped[str]
    """`opening`, `report`, `private`, `ack`, `status`, `reminder`, `notice`."""
    action: Mapped[str]
    """`reply`, `edit` or `message`."""
    target: Mapped[dict[str, Any]]
    """`{"topic"}`, `{"post"}` or `{"accounts": [[id, name], …]}`."""
    subject: Mapped[str]
    body: Mapped[str]
    attachments: Mapped[list[Any]] = mapped_column(default=list)
    """Ids of stored files."""
    status: Mapped[str]
    board_id: Mapped[int | None]
    made_at: Mapped[datetime]
    sent_at: Mapped[datetime | None]
    confirmed_at: Mapped[datetime | None]
    trouble: Mapped[str] = mapped_column(default="")
    again: Mapped[int] = mapped_column(default=0)
    """How often the GM has ordered it to be sent once more."""


class Write(Base):
    """The forum client's journal of one write operation."""

    __tablename__ = "writes"
    __table_args__ = (sa.UniqueConstraint("campaign_id", "key"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[str] = _campaign()
    key: Mapped[str]
    state: Mapped[str]
    data: Mapped[dict[str, Any]]
    at: Mapped[datetime]


class StoredFile(Base):
    """A rendered picture or document in the campaign's folder."""

    __tablename__ = "files"
    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[str] = _campaign()
    step_row: Mapped[int | None]
    outcome_number: Mapped[int | None]
    kind: Mapped[str]
    """`map`, `figure`, `digest`."""
    reader: Mapped[str]
    """`all`, `gm` or a faction."""
    name: Mapped[str]
    """File name shown to readers."""
    path: Mapped[str]
    """Relative to the campaign's folder."""
    media: Mapped[str]
    size: Mapped[int]
    sha256: Mapped[str]


class Notice(Base):
    """Something the GM must see: a question of the service, weather, a doubtful edit."""

    __tablename__ = "notices"
    __table_args__ = (sa.UniqueConstraint("campaign_id", "key"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[str] = _campaign()
    key: Mapped[str]
    kind: Mapped[str]
    text: Mapped[str]
    at: Mapped[datetime]
    sent: Mapped[bool] = mapped_column(default=False)
    """The GM has got it as a message."""
    settled_at: Mapped[datetime | None]
    settled_by: Mapped[str | None]


class Precedent(Base):
    """The GM's ruling on a phrase."""

    __tablename__ = "precedents"
    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[str] = _campaign()
    phrase: Mapped[str]
    meaning: Mapped[str]
    """The words it stands for, in the order language."""
    issuer: Mapped[str | None]
    """Whose posts it holds for; null: everyone's."""
    made_by: Mapped[str]
    made_at: Mapped[datetime]
    withdrawn_at: Mapped[datetime | None]
    public: Mapped[bool] = mapped_column(default=True)


class Audit(Base):
    """Who did what, when."""

    __tablename__ = "audit"
    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[str] = _campaign()
    at: Mapped[datetime]
    who: Mapped[str]
    action: Mapped[str]
    detail: Mapped[dict[str, Any]]
    public: Mapped[bool] = mapped_column(default=False)
    """Told in the next report."""
    told: Mapped[bool] = mapped_column(default=False)
