"""Tells the players: the opening of the game, the report of each outcome in public and in private, with the next step's terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import quote

from sqlalchemy import select
from sqlalchemy.orm import Session

from forum_gm.campaign import wait_deadlines
from forum_gm.pipeline.acts import told_acts
from forum_gm.pipeline.approve import left_out_of
from forum_gm.pipeline.context import SERVICE, Context, NotNow, moment, stamp
from forum_gm.pipeline.outbox import Sent, capabilities, channel_of, enqueue, send, text_of
from forum_gm.pipeline.pictures import PUBLIC, Drawing, name_of
from forum_gm.pipeline.render import drawings_of, readers, render, shows_pictures, telling
from forum_gm.storage.models import DiceSecret, OutcomeRow, StepRow, StepStatus, StoredFile
from forum_gm.wording import listed, when
from renderers.bbcode import escape, render_posts
from renderers.document import figures as figures_of
from rules.base import EVERYONE, FactionId, Step, Wait, only
from rules.maps import Figure
from rules.report import Bullets, Lines, Paragraph, Report, Section, Strong, para, rich


def announce(ctx: Context, who: str = SERVICE) -> bool:
    """Queues the post that opens the first step (or one reopened with new dice). True when it was queued now."""
    with ctx.exclusive(), ctx.store.writing() as session:
        step = ctx.current(session)
        if step is None or step.status != StepStatus.WAITING or not ctx.settings.channels.topic:
            return False
        head = ctx.head(session)
        fresh = head.number == 0 or step.reopened
        if not fresh:
            return False
        rules_step = ctx.rules_step(session, step)
        deadlines = plan_deadlines(ctx, step, rules_step)
        body = text_of(
            ctx,
            "opening.bbcode.j2",
            title=escape(ctx.campaign(session).title),
            step=escape(step.title),
            again=step.reopened,
            waits=[escape(line) for line in wait_lines(ctx, session, rules_step, deadlines)],
            commitments=commitments(session, step),
            acts=[escape(act) for act in told_acts(ctx, session)],
        )
        return enqueue(
            ctx,
            session,
            f"opening:{step.secret_id}",
            "opening",
            {"topic": ctx.settings.channels.topic},
            step.title,
            body,
            step=step,
        )


def plan_deadlines(ctx: Context, step: StepRow, rules_step: Step) -> dict[str, datetime]:
    """Fixes a waiting step's deadlines, counted from now, and returns them."""
    time = ctx.settings.time
    deadlines = wait_deadlines(
        rules_step, ctx.clock.now(), factor=time.hours_factor, minutes=time.round_minutes, zone=ctx.settings.zone
    )
    step.deadlines = {wait: stamp(until) for wait, until in deadlines.items()}
    step.deadline = max(deadlines.values())
    return deadlines


def commitments(session: Session, step: StepRow) -> tuple[str, str]:
    """The two hashes that bind the step's dice."""
    secret = session.get_one(DiceSecret, step.secret_id)
    return secret.public_commitment, secret.hidden_commitment


def wait_lines(
    ctx: Context,
    session: Session,
    step: Step,
    deadlines: Mapping[str, datetime],
    faction: FactionId | None = None,
) -> list[str]:
    """What is awaited, as the public (or one faction, of itself) may know it: one line per kind of answer and deadline."""
    names = {f.id: f.name for f in ctx.ruleset.factions(ctx.state(ctx.head(session)))}
    reader = EVERYONE if faction is None else only(faction)
    groups: dict[tuple[str, str, str], list[str]] = {}
    for wait in step.waits:
        if wait.known_to.includes(reader) and faction in (None, wait.faction):
            until = when(deadlines[wait.id], ctx.settings.zone) if wait.id in deadlines else ""
            groups.setdefault((wait.title, until, wait.silence), []).append(names.get(wait.faction, wait.faction))
    lines = []
    for (title, until, silence), whose in groups.items():
        line = f"{title}: {listed(whose)}" if faction is None else title
        line += f" — до {until}" if until else ""
        lines.append(line + (f" (молчание: {silence})" if silence else ""))
    return lines


# ---------------------------------------------------------------------------------------------------- outcomes


def publish(ctx: Context, who: str = SERVICE) -> Sent:
    """Publishes what is resolved and not yet told, then sends everything that waits. Raises `NotNow`: nothing to publish."""
    with ctx.exclusive():
        announce(ctx, who)
        with ctx.store.reading() as session:
            untold = [outcome.number for outcome in untold_outcomes(ctx, session)]
        for number in untold:
            render(ctx, number)
            with ctx.store.writing() as session:
                queue_outcome(ctx, session, ctx.outcome(session, number))
                ctx.audit(session, who, "publish", {"outcome": number})
        return send(ctx)


def untold_outcomes(ctx: Context, session: Session) -> list[OutcomeRow]:
    """Outcomes that stand and have no publication yet."""
    query = select(OutcomeRow).where(
        OutcomeRow.campaign_id == ctx.campaign_id,
        OutcomeRow.undone.is_(False),
        OutcomeRow.number > 0,
        OutcomeRow.told.is_(False),
    )
    return list(session.scalars(query.order_by(OutcomeRow.number)))


def _files(ctx: Context, session: Session, number: int) -> list[StoredFile]:
    """The files of an outcome, of every reader."""
    query = select(StoredFile).where(StoredFile.campaign_id == ctx.campaign_id, StoredFile.outcome_number == number)
    return list(session.scalars(query.order_by(StoredFile.id)))


def next_of(session: Session, outcome: OutcomeRow) -> StepRow | None:
    """The step that begins with an outcome."""
    query = select(StepRow).where(StepRow.base_id == outcome.id, StepRow.status != StepStatus.UNDONE)
    return session.scalars(query).first()


def queue_outcome(ctx: Context, session: Session, outcome: OutcomeRow) -> None:
    """Stores the intents of everything that tells an outcome, all at once."""
    topic = ctx.settings.channels.topic
    step = session.get_one(StepRow, outcome.step_row)
    following = next_of(session, outcome)
    if following is not None:
        plan_deadlines(ctx, following, ctx.rules_step(session, following))
    posts = public_posts(ctx, session, outcome)
    if topic:
        for index, post in enumerate(posts, start=1):
            enqueue(
                ctx,
                session,
                f"report:{outcome.number}:{index}",
                "report",
                {"topic": topic},
                step.title,
                post.text,
                step=step,
                outcome=outcome.number,
                attachments=_attached(ctx, session, outcome, PUBLIC, post, first=index == 1),
            )
    for faction in readers(ctx, outcome)[1:]:
        target = channel_of(ctx, session, faction, step.number)
        if target is None:
            continue
        for index, post in enumerate(private_posts(ctx, session, outcome, faction), start=1):
            enqueue(
                ctx,
                session,
                f"private:{outcome.number}:{faction}:{index}",
                "private",
                target,
                f"{step.title}: лично",
                post.text,
                step=step,
                outcome=outcome.number,
                attachments=_attached(ctx, session, outcome, faction, post, first=index == 1),
            )
    told_acts(ctx, session, mark=True)
    outcome.told = True


@dataclass(frozen=True, slots=True)
class ReportPost:
    """One post of a report."""

    text: str
    """BBCode."""
    pictures: tuple[str, ...] = ()
    """Names of the files shown in it."""


def public_posts(ctx: Context, session: Session, outcome: OutcomeRow) -> list[ReportPost]:
    """The public report as posts."""
    told = telling(ctx, session, outcome, PUBLIC)
    report = replace(told.report, sections=(*told.report.sections, *_public_sections(ctx, session, outcome)))
    archive = ctx.settings.board.archive_url.rstrip("/")
    files = [file for file in _files(ctx, session, outcome.number) if file.reader == PUBLIC] if archive else []
    links = [f"[url={archive}/files/{outcome.number}/{quote(file.name)}]{escape(file.name)}[/url]" for file in files]
    drawn = _taken(ctx, session, outcome, drawings_of(outcome, told))
    return _bbcode(ctx, report, told.map, drawn, "Файлы хода: " + ", ".join(links) if links else "")


def _bbcode(ctx: Context, report: Report, above: Figure | None, drawn: Sequence[Drawing], links: str = "") -> list[ReportPost]:
    """A report as posts with the pictures that have been `drawn`. `above`: the map that stands over the text, unless the
    report shows it itself."""

    def tag(name: str | None) -> str:
        return f"[attachment]{name}[/attachment]" if name else ""

    inside = above is not None and above in [block.figure for block in figures_of(report)]
    lead = [tag(name_of(above, drawn)) if above is not None and not inside else "", links]
    posts = render_posts(
        report,
        capabilities(ctx),
        picture=lambda _, block: tag(name_of(block.figure, drawn)),
        lead="\n".join(filter(None, lead)),
        rule_text=ctx.ruleset.rule_text,
        folders=(ctx.folder / "templates", ctx.ruleset.templates),
    )
    return [ReportPost(post.text, tuple(d.name for d in drawn if tag(d.name) in post.text)) for post in posts]


def _limit(ctx: Context) -> int:
    """Most bytes of a file that the board takes."""
    return ctx.settings.board.attachment_kb * 1024 if ctx.settings.board.attachments else 0


def _taken(ctx: Context, session: Session, outcome: OutcomeRow, drawn: Sequence[Drawing]) -> list[Drawing]:
    """Those of the pictures whose files are there and that the board takes."""
    there = {file.name for file in _files(ctx, session, outcome.number) if file.size <= _limit(ctx)}
    return [drawing for drawing in drawn if drawing.name in there]


def _attached(ctx: Context, session: Session, outcome: OutcomeRow, reader: str, post: ReportPost, *, first: bool) -> list[int]:
    """Ids of the files that go with a post: the pictures in it, and with the first the reader's PDF. What is greater than the
    board takes stays at home, and the GM is told."""
    out: list[int] = []
    for file in _files(ctx, session, outcome.number):
        own = first and file.reader == reader
        if own and _limit(ctx) and file.size > _limit(ctx):
            size, most = -(-file.size // 1024), _limit(ctx) // 1024
            text = f"{file.name} ({size} КБ) не приложен: форум берёт не больше {most} КБ. Файл в папке кампании: {file.path}."
            ctx.notice(session, f"too-big:{file.id}", "publication", text)
        elif file.name in post.pictures or (own and file.kind == "digest" and _limit(ctx)):
            out.append(file.id)
    return out


def _public_sections(ctx: Context, session: Session, outcome: OutcomeRow) -> list[Section]:
    out: list[Section] = []
    acts = told_acts(ctx, session)
    if acts:
        out.append(Section("Решения мастера", (Bullets(tuple(rich(act) for act in acts)),), id="acts"))
    following = next_of(session, outcome)
    if following is not None:
        out.append(_next_section(ctx, session, following))
    elif outcome.closing and ctx.ruleset.step(ctx.state(outcome)) is None:
        secret = session.get_one(DiceSecret, session.get_one(StepRow, outcome.step_row).secret_id)
        text = para("Игра окончена. Секреты всех скрытых бросков раскрыты в летописи.")
        out.append(Section("Конец игры", (text, Lines((rich(f"скрытый секрет: {secret.hidden_secret}"),), mono=True)), id="end"))
    return out


def _next_section(ctx: Context, session: Session, step: StepRow) -> Section:
    rules_step = ctx.rules_step(session, step)
    deadlines = {wait: moment(text) for wait, text in step.deadlines.items()}
    lines = wait_lines(ctx, session, rules_step, deadlines)
    public, hidden = commitments(session, step)
    blocks: list[Paragraph | Bullets | Lines] = [para(Strong(step.title))]
    if lines:
        blocks.append(Bullets(tuple(rich(line) for line in lines)))
    else:
        blocks.append(para("Ждём ответов, о которых знают те, кого спросили."))
    blocks.append(
        Lines((rich(f"кости следующего шага, SHA-256: {public}"), rich(f"скрытые кости, SHA-256: {hidden}")), mono=True)
    )
    return Section("Дальше", tuple(blocks), id="next")


def private_posts(ctx: Context, session: Session, outcome: OutcomeRow, faction: FactionId) -> list[ReportPost]:
    """A faction's own report, where it says or shows more than the public one, with what of its orders fell through and what
    is awaited of it. In its own topic with its pictures; a private message takes no files, their words stand in."""
    own = telling(ctx, session, outcome, faction)
    public = telling(ctx, session, outcome, PUBLIC)
    # What stands in the common topic need not come twice.
    told = public.report.sections if ctx.settings.channels.topic else ()
    sections = [section for section in own.report.sections if section not in told]
    drawn = _taken(ctx, session, outcome, drawings_of(outcome, public, own)) if shows_pictures(ctx, faction) else []
    above = own.map if own.map is not None and own.map != public.map and name_of(own.map, drawn) else None
    more = bool(sections) or own.report.summary != public.report.summary or above is not None
    step = session.get_one(StepRow, outcome.step_row)
    dropped = [item for item in left_out_of(ctx, session, step) if item.issuer == faction] if outcome.closing else []
    if dropped:
        items = tuple(rich(f"{item.text} — {item.why}") for item in dropped)
        sections.append(Section("Не стало приказами", (Bullets(items),), id="left-out"))
    following = next_of(session, outcome)
    hidden: list[Wait] = []
    if following is not None:
        rules_step = ctx.rules_step(session, following)
        hidden = [w for w in rules_step.waits if w.faction == faction and not w.known_to.includes(EVERYONE)]
        lines = wait_lines(ctx, session, rules_step, {w: moment(t) for w, t in following.deadlines.items()}, faction)
        if lines:
            sections.append(Section("Ждём от вас", (Bullets(tuple(rich(line) for line in lines)),), id="next"))
    if not (more or dropped or hidden):
        return []
    return _bbcode(ctx, replace(own.report, sections=tuple(sections)), above, drawn)


def preview(ctx: Context, outcome_number: int) -> dict[str, list[str]]:
    """Every reader's posts of a stored outcome as they would be published. Stores nothing."""
    with ctx.store.reading() as session:
        outcome = ctx.outcome(session, outcome_number)
        if outcome.number == 0:
            raise NotNow("У начала игры нет итогов.")
        out = {PUBLIC: [post.text for post in public_posts(ctx, session, outcome)]}
        for faction in readers(ctx, outcome)[1:]:
            posts = private_posts(ctx, session, outcome, faction)
            if posts:
                out[faction] = [post.text for post in posts]
        return out
