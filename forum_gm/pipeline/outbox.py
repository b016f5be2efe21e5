"""Everything that is to be written on the board, and its sending: the intent is stored first, then sent, then confirmed.

Whatever crashes when: what is stored is sent, and what was sent is not sent again (promise 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from forum_gm.campaign import accounts_of
from forum_gm.forums.writing import settle as settle_write
from forum_gm.forums.writing import undecided
from forum_gm.pipeline.board import Attachment, BoardTrouble, Refused, Undecided, Writing
from forum_gm.pipeline.context import Context, NotNow
from forum_gm.storage.journal import SqlJournal
from forum_gm.storage.models import DiceSecret, OutcomeRow, Post, Publication, PublicationStatus, StepRow, StepStatus, StoredFile
from renderers.bbcode import Board as Capabilities
from renderers.templates import shared_template
from rules.base import GM, FactionId

PENDING = (PublicationStatus.INTENT, PublicationStatus.SENT)
OPENS = ("report", "opening")
"""Kinds of posts whose first part, once confirmed, opens the step that it announces."""
WAITS_FOR_APPROVAL = (
    "Форум принял сообщение «{}», но покажет его только после одобрения: попросите модератора одобрить его "
    "и больше не проверять сообщения программы."
)


@dataclass(frozen=True, slots=True)
class Sent:
    """What a round of sending did."""

    confirmed: tuple[str, ...] = ()
    """Keys."""
    asked: tuple[str, ...] = ()
    """Keys of what only the GM can settle."""
    trouble: str = ""
    """Why the round stopped; empty: all was sent."""


def capabilities(ctx: Context) -> Capabilities:
    """What the campaign's board can show."""
    board = ctx.settings.board
    tag = board.spoiler
    return Capabilities(
        spoiler=f"[{tag}={{title}}]" if tag else "",
        spoiler_end=f"[/{tag}]" if tag else "",
        tables=board.tables,
        colours=board.colours,
        max_chars=board.max_chars,
        max_attachment_bytes=board.attachment_kb * 1024,
    )


def text_of(ctx: Context, template: str, **values: Any) -> str:
    """A post's text from `templates/posts/`; the campaign's folder, then the ruleset's, may have its own."""
    folders = (ctx.folder / "templates", ctx.ruleset.templates)
    return shared_template(f"posts/{template}", folders).render(**values).strip()


def enqueue(
    ctx: Context,
    session: Session,
    key: str,
    kind: str,
    target: dict[str, Any],
    subject: str,
    body: str,
    *,
    step: StepRow | None = None,
    outcome: int | None = None,
    attachments: Sequence[int] = (),
) -> bool:
    """Stores an intent, once per key. `target`: `{"topic"}`, `{"post"}` or `{"accounts"}`. False: known already."""
    query = select(Publication.id).where(Publication.campaign_id == ctx.campaign_id, Publication.key == key)
    if session.scalar(query) is not None:
        return False
    action = "reply" if "topic" in target else "edit" if "post" in target else "message"
    session.add(
        Publication(
            campaign_id=ctx.campaign_id,
            step_row=step.id if step else None,
            outcome_number=outcome,
            key=key,
            kind=kind,
            action=action,
            target=target,
            subject=subject,
            body=body,
            attachments=list(attachments),
            status=PublicationStatus.INTENT,
            made_at=ctx.clock.now(),
        )
    )
    session.flush()
    return True


def channel_of(ctx: Context, session: Session, faction: FactionId, step_number: int) -> dict[str, Any] | None:
    """Where a faction (or the GM) is told something privately: its own topic, else a message to everyone who speaks for it."""
    player = ctx.settings.player(faction)
    if player is not None and player.topic:
        return {"topic": player.topic}
    accounts = accounts_of(ctx.seats(session), faction, step_number)
    return {"accounts": [list(account) for account in accounts]} if accounts else None


def pending(ctx: Context, session: Session) -> list[Publication]:
    """What is still to be sent, in order."""
    query = select(Publication).where(Publication.campaign_id == ctx.campaign_id, Publication.status.in_(PENDING))
    return list(session.scalars(query.order_by(Publication.id)))


def send(ctx: Context) -> Sent:
    """Sends what is pending, one by one. Stops at the first trouble with the board; later calls go on from there."""
    confirmed: list[str] = []
    asked: list[str] = []
    with ctx.exclusive():
        advance(ctx)
        while True:
            with ctx.store.writing() as session:
                waiting = pending(ctx, session)
                _drop_overtaken(waiting)
                row = next((p for p in waiting if p.status in PENDING), None)
                if row is None:
                    return Sent(tuple(confirmed), tuple(asked))
                row.status = PublicationStatus.SENT
                row.sent_at = row.sent_at or ctx.clock.now()
                writing = _writing(ctx, session, row)
                row_id = row.id
            try:
                board_id = ctx.board.write(writing)
            except (Undecided, Refused) as error:
                with ctx.store.writing() as session:
                    row = session.get_one(Publication, row_id)
                    row.status, row.trouble = PublicationStatus.ASKED, str(error)
                    ctx.notice(session, f"asked:{row.id}", "publication", str(error))
                asked.append(writing.key)
                continue
            except BoardTrouble as error:
                with ctx.store.writing() as session:
                    session.get_one(Publication, row_id).trouble = str(error)
                    ctx.notice(session, "weather:write", "weather", str(error))
                return Sent(tuple(confirmed), tuple(asked), str(error))
            with ctx.store.writing() as session:
                row = session.get_one(Publication, row_id)
                row.status, row.board_id, row.trouble = PublicationStatus.CONFIRMED, board_id or None, ""
                row.confirmed_at = ctx.clock.now()
                ctx.settle(session, "weather:write")
                ctx.settle(session, f"asked:{row.id}")
                if row.board_id is None and row.action == "reply":
                    ctx.notice(session, f"hidden:{row.id}", "publication", WAITS_FOR_APPROVAL.format(row.subject))
            confirmed.append(writing.key)
            advance(ctx)


def _drop_overtaken(waiting: Sequence[Publication]) -> None:
    """Of several edits of one post that wait, only the last is worth sending."""
    last: dict[int, Publication] = {}
    for row in waiting:
        if row.action == "edit":
            earlier = last.get(row.target["post"])
            if earlier is not None and earlier.status == PublicationStatus.INTENT:
                earlier.status = PublicationStatus.DROPPED
            last[row.target["post"]] = row


def _writing(ctx: Context, session: Session, row: Publication) -> Writing:
    files = [session.get_one(StoredFile, file_id) for file_id in row.attachments]
    return Writing(
        key=_journal_key(ctx, row),
        action=row.action,
        subject=row.subject,
        body=row.body,
        topic=row.target.get("topic", 0),
        post=row.target.get("post", 0),
        accounts=tuple((str(a[0]), str(a[1])) for a in row.target.get("accounts", ())),
        attachments=[Attachment(f.name, f.media, (ctx.folder / f.path).read_bytes()) for f in files],
    )


def _journal_key(ctx: Context, row: Publication) -> str:
    """Under which the forum client's journal knows a publication, for ever."""
    return f"{ctx.campaign_id}/{row.key}"


def advance(ctx: Context) -> None:
    """Draws the consequences of what is confirmed: a told step is published, an announced one opens."""
    with ctx.store.writing() as session:
        waiting = (StepStatus.RESOLVED, StepStatus.WAITING)
        query = select(StepRow).where(StepRow.campaign_id == ctx.campaign_id, StepRow.status.in_(waiting))
        for step in session.scalars(query.order_by(StepRow.number)).all():
            if step.status == StepStatus.RESOLVED and _told(ctx, session, step):
                step.status, step.published_at = StepStatus.PUBLISHED, ctx.clock.now()
                secret = session.get_one(DiceSecret, step.secret_id)
                secret.revealed_at = secret.revealed_at or ctx.clock.now()
            elif step.status == StepStatus.WAITING:
                confirmed = select(Publication).where(
                    Publication.campaign_id == ctx.campaign_id,
                    Publication.kind.in_(OPENS),
                    Publication.status == PublicationStatus.CONFIRMED,
                )
                # Reopened, it needs a post of its own: the old report promised other dice.
                keys = {f"opening:{step.secret_id}"} | (set() if step.reopened else {_announcing_key(session, step)})
                announced = session.scalars(confirmed.where(Publication.key.in_(keys)).order_by(Publication.id)).first()
                if announced is not None:
                    _open(ctx, session, step, announced)


def _announcing_key(session: Session, step: StepRow) -> str:
    return f"report:{session.get_one(OutcomeRow, step.base_id).number}:1"


def _told(ctx: Context, session: Session, step: StepRow) -> bool:
    """True when the step's outcome has a public report and every part of it stands on the board."""
    query = select(Publication).where(
        Publication.campaign_id == ctx.campaign_id,
        Publication.step_row == step.id,
        Publication.kind == "report",
        Publication.key.startswith(f"report:{_closing_number(ctx, session, step)}:"),
    )
    rows = list(session.scalars(query))
    return bool(rows) and all(row.status == PublicationStatus.CONFIRMED for row in rows)


def _closing_number(ctx: Context, session: Session, step: StepRow) -> int:
    query = (
        select(OutcomeRow.number)
        .where(OutcomeRow.step_row == step.id, OutcomeRow.undone.is_(False))
        .order_by(OutcomeRow.number.desc())
        .limit(1)
    )
    return session.scalar(query) or 0


def _open(ctx: Context, session: Session, step: StepRow, announced: Publication) -> None:
    step.status = StepStatus.OPEN
    step.opened_at = announced.sent_at or ctx.clock.now()
    secret = session.get_one(DiceSecret, step.secret_id)
    secret.committed_at = secret.committed_at or ctx.clock.now()
    # What was written for this step before a rollback undid it counts again: nothing is lost.
    undone = select(StepRow.id).where(
        StepRow.campaign_id == ctx.campaign_id, StepRow.status == StepStatus.UNDONE, StepRow.step_id == step.step_id
    )
    for post in session.scalars(select(Post).where(Post.step_row.in_(undone))):
        post.step_row = step.id


def settle(ctx: Context, who: str, publication_id: int, *, arrived: bool, board_id: int | None = None) -> None:
    """The GM's word on a write that nothing else could settle: it is there (`board_id`, if he knows it), or it is to be sent
    again. Of a text in parts, that is said of the part that was asked about; the others stand, or follow.

    Raises `NotNow` when there is nothing to settle."""
    with ctx.exclusive():
        with ctx.store.reading() as session:
            row = session.get(Publication, publication_id)
            if row is None or row.campaign_id != ctx.campaign_id or row.status != PublicationStatus.ASKED:
                raise NotNow("Эта публикация не ждёт вашего решения.")
            key = _journal_key(ctx, row)
        journal = SqlJournal(ctx.store, ctx.campaign_id, ctx.clock)
        # Settled in the journal first: dying in between only asks once more.
        rest = bool(undecided(journal, key)) and settle_write(
            journal, key, posted=board_id if arrived else None, again=not arrived
        )
        with ctx.store.writing() as session:
            row = session.get_one(Publication, publication_id)
            if arrived and not rest:
                row.status, row.board_id, row.confirmed_at = PublicationStatus.CONFIRMED, board_id, ctx.clock.now()
            else:
                row.status = PublicationStatus.INTENT
                row.sent_at = row.sent_at if arrived else None
                row.again += not arrived
            row.trouble = ""
            ctx.settle(session, f"asked:{row.id}", who)
            ctx.audit(session, who, "settle_publication", {"key": row.key, "arrived": arrived, "post": board_id})
        advance(ctx)


def gm_channel(ctx: Context, session: Session) -> dict[str, Any] | None:
    """Where the GM gets the service's questions."""
    return channel_of(ctx, session, GM, 1) if ctx.settings.gm.notify else None
