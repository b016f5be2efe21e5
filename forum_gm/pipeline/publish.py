"""Tells the players: the opening of the game, the report of each outcome in public and in private, with the next step's terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from forum_gm.campaign import wait_deadlines
from forum_gm.pipeline.acts import told_acts
from forum_gm.pipeline.approve import left_out_of
from forum_gm.pipeline.context import SERVICE, Context, NotNow, moment, stamp
from forum_gm.pipeline.outbox import Sent, capabilities, channel_of, enqueue, send, text_of
from forum_gm.pipeline.render import PUBLIC, Telling, readers, render, telling
from forum_gm.storage.models import DiceSecret, OutcomeRow, StepRow, StepStatus, StoredFile
from forum_gm.wording import listed, when
from renderers.bbcode import escape, render_posts
from renderers.document import figures as figures_of
from rules.base import EVERYONE, FactionId, Step, Wait, only
from rules.report import Bullets, FigureBlock, Lines, Paragraph, Report, Section, Strong, para, rich


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


def _files(ctx: Context, session: Session, number: int, reader: str) -> list[StoredFile]:
    query = select(StoredFile).where(
        StoredFile.campaign_id == ctx.campaign_id, StoredFile.outcome_number == number, StoredFile.reader == reader
    )
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
    public = public_posts(ctx, session, outcome)
    files = _files(ctx, session, outcome.number, PUBLIC)
    for index, (body, names) in enumerate(public, start=1):
        wanted = [file.id for file in files if file.name in names or (index == 1 and file.kind == "digest")]
        if topic:
            enqueue(
                ctx,
                session,
                f"report:{outcome.number}:{index}",
                "report",
                {"topic": topic},
                step.title,
                body,
                step=step,
                outcome=outcome.number,
                attachments=wanted if ctx.settings.board.attachments else (),
            )
    for faction in readers(ctx, outcome)[1:]:
        target = channel_of(ctx, session, faction, step.number)
        if target is None:
            continue
        for index, body in enumerate(private_posts(ctx, session, outcome, faction), start=1):
            enqueue(
                ctx,
                session,
                f"private:{outcome.number}:{faction}:{index}",
                "private",
                target,
                f"{step.title}: лично",
                body,
                step=step,
                outcome=outcome.number,
            )
    told_acts(ctx, session, mark=True)
    outcome.told = True


def public_posts(ctx: Context, session: Session, outcome: OutcomeRow) -> list[tuple[str, list[str]]]:
    """The public report as posts: BBCode and the names of the files shown in each."""
    told = telling(ctx, session, outcome, PUBLIC)
    report = replace(told.report, sections=(*told.report.sections, *_public_sections(ctx, session, outcome)))
    files = _files(ctx, session, outcome.number, PUBLIC)
    return _bbcode(ctx, report, told, files)


def _bbcode(ctx: Context, report: Report, told: Telling, files: Sequence[StoredFile]) -> list[tuple[str, list[str]]]:
    shown = ctx.settings.board.attachments
    archive = ctx.settings.board.archive_url.rstrip("/")
    by_name = {file.name: file for file in files}
    figures = [name for name in by_name if by_name[name].kind == "figure"]
    main = next((name for name in by_name if by_name[name].kind == "map"), None)

    def picture(index: int, block: FigureBlock) -> str:
        name = main if block.figure == told.map else next((n for n in figures if n.endswith(f"-fig{index + 1}.png")), None)
        return f"[attachment]{name}[/attachment]" if name and shown else ""

    # A figure may hold tables, so it is compared, never hashed.
    inside = told.map is not None and told.map in [block.figure for block in figures_of(report)]
    lead = []
    if main and shown and not inside:
        lead.append(f"[attachment]{main}[/attachment]")
    links = [f"[url={archive}/{file.path}]{escape(file.name)}[/url]" for file in files] if archive else []
    if links:
        lead.append("Файлы хода: " + ", ".join(links))
    posts = render_posts(
        report,
        capabilities(ctx),
        picture=picture,
        lead="\n".join(lead),
        rule_text=ctx.ruleset.rule_text,
        folders=(ctx.folder / "templates", ctx.ruleset.templates),
    )
    return [(post.text, [name for name in by_name if f"[attachment]{name}[/attachment]" in post.text]) for post in posts]


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


def private_posts(ctx: Context, session: Session, outcome: OutcomeRow, faction: FactionId) -> list[str]:
    """A faction's own report, where it says more than the public one, with what of its orders fell through and what is
    awaited of it."""
    own = telling(ctx, session, outcome, faction)
    public = telling(ctx, session, outcome, PUBLIC)
    # What stands in the common topic need not come twice.
    told = public.report.sections if ctx.settings.channels.topic else ()
    sections = [section for section in own.report.sections if section not in told]
    more = bool(sections) or own.report.summary != public.report.summary
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
    report = replace(own.report, sections=tuple(sections))
    return [post.text for post in render_posts(report, capabilities(ctx), rule_text=ctx.ruleset.rule_text)]


def preview(ctx: Context, outcome_number: int) -> dict[str, list[str]]:
    """Every reader's posts of a stored outcome as they would be published. Stores nothing."""
    with ctx.store.reading() as session:
        outcome = ctx.outcome(session, outcome_number)
        if outcome.number == 0:
            raise NotNow("У начала игры нет итогов.")
        out = {PUBLIC: [body for body, _ in public_posts(ctx, session, outcome)]}
        for faction in readers(ctx, outcome)[1:]:
            posts = private_posts(ctx, session, outcome, faction)
            if posts:
                out[faction] = posts
        return out
