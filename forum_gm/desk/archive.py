"""The public pages: every published turn with its report, map and PDF, the chronicle, the GM's rulings, a try-out for drafts.

Only what the public may know is read here: published outcomes, files made for everyone, public rulings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from forum_gm.desk.marks import stretches
from forum_gm.desk.pages import Pages, title_of
from forum_gm.pipeline.chronicle import chronicle as chronicle_of
from forum_gm.pipeline.context import Context
from forum_gm.pipeline.pictures import PUBLIC
from forum_gm.pipeline.render import telling
from forum_gm.pipeline.review import Mark
from forum_gm.storage.models import Campaign, DiceSecret, OutcomeRow, Precedent, StepRow, StepStatus, StoredFile
from forum_gm.understand import audience_of, typed
from parsers.bbcode import from_bbcode
from parsers.types import Parse, Severity, line_of
from renderers.document import without_figure
from renderers.html import render_html

DRAFT_LIMIT = 20_000
"""Characters of a draft; a forum post is rarely a tenth of it."""


def published(ctx: Context, session: Session) -> list[OutcomeRow]:
    """Outcomes that stand and that the thread has been told, in order."""
    query = (
        select(OutcomeRow)
        .join(StepRow, OutcomeRow.step_row == StepRow.id)
        .where(
            OutcomeRow.campaign_id == ctx.campaign_id,
            OutcomeRow.undone.is_(False),
            OutcomeRow.told.is_(True),
            or_(StepRow.status == StepStatus.PUBLISHED, OutcomeRow.portion > 0),
        )
    )
    return list(session.scalars(query.order_by(OutcomeRow.number)))


def public_files(ctx: Context, session: Session, number: int | None = None) -> list[StoredFile]:
    """Files of published outcomes made for everyone."""
    numbers = [row.number for row in published(ctx, session) if number in (None, row.number)]
    query = select(StoredFile).where(
        StoredFile.campaign_id == ctx.campaign_id, StoredFile.reader == PUBLIC, StoredFile.outcome_number.in_(numbers)
    )
    return list(session.scalars(query.order_by(StoredFile.id)))


def archive_router(pages: Pages, campaign: Callable[[str], Context]) -> APIRouter:
    """Routes below `/c/{campaign}`, open to everyone."""
    router = APIRouter(prefix="/c/{cid}")

    @router.get("", response_class=HTMLResponse)
    def archive(request: Request, cid: str) -> Response:
        ctx = campaign(cid)
        with ctx.store.reading() as session:
            started = session.get(Campaign, ctx.campaign_id) is not None
            told = published(ctx, session)
            steps = {row.id: row for row in ctx.steps(session)} if started else {}
            files: dict[int, list[StoredFile]] = {}
            for file in public_files(ctx, session):
                files.setdefault(file.outcome_number or 0, []).append(file)
            turns = [
                {
                    "number": row.number,
                    "title": steps[row.step_row].title if row.step_row in steps else row.step_id,
                    "published_at": steps[row.step_row].published_at if row.step_row in steps else row.made_at,
                    "map": next((f.name for f in files.get(row.number, []) if f.kind == "map"), None),
                    "pdf": next((f.name for f in files.get(row.number, []) if f.kind == "digest"), None),
                }
                for row in told
            ]
            current = ctx.current(session) if started else None
            secret = session.get(DiceSecret, current.secret_id) if current and current.status != StepStatus.WAITING else None
            over = started and ctx.campaign(session).over
        return pages.show(
            request,
            "archive.html.j2",
            ctx,
            title=title_of(ctx),
            turns=turns[::-1],
            current=current,
            commitment=secret.public_commitment if secret and secret.committed_at else "",
            over=over,
        )

    @router.get("/turn/{number}", response_class=HTMLResponse)
    def turn(request: Request, cid: str, number: int) -> Response:
        ctx = campaign(cid)
        with ctx.store.reading() as session:
            told = published(ctx, session)
            row = next((r for r in told if r.number == number), None)
            if row is None:
                raise HTTPException(404, "Такой ход не опубликован.")
            files = public_files(ctx, session, number)
            told_so = telling(ctx, session, row, PUBLIC)
            numbers = [r.number for r in told]
            step = session.get(StepRow, row.step_row)
        figures = [file for file in files if file.kind == "figure"]
        place = numbers.index(number)
        return pages.show(
            request,
            "turn.html.j2",
            ctx,
            title=told_so.report.title,
            subtitle=told_so.report.subtitle,
            step=step,
            report=render_html(
                without_figure(told_so.report, told_so.map),
                picture_url=lambda i: f"/c/{cid}/files/{number}/{figures[i].name}" if i < len(figures) else None,
                rule_url=lambda rule: f"/c/{cid}/rules#{rule}",
                rule_text=ctx.ruleset.rule_text,
            ),
            map=next((f for f in files if f.kind == "map"), None),
            pdf=next((f for f in files if f.kind == "digest"), None),
            number=number,
            previous=numbers[place - 1] if place else None,
            following=numbers[place + 1] if place + 1 < len(numbers) else None,
        )

    @router.get("/files/{number}/{name}")
    def file(cid: str, number: int, name: str) -> Response:
        ctx = campaign(cid)
        with ctx.store.reading() as session:
            found = next((f for f in public_files(ctx, session, number) if f.name == name), None)
        if found is None:
            raise HTTPException(404, "Такого файла нет.")
        # The address names a stored row; the path comes from the store alone, so nothing outside the folder can be asked for.
        return FileResponse(ctx.folder / found.path, media_type=found.media, filename=name, content_disposition_type="inline")

    @router.get("/chronicle.pdf")
    def chronicle(cid: str) -> Response:
        ctx = campaign(cid)
        content = chronicle_of(ctx)
        headers = {"Content-Disposition": f'inline; filename="{ctx.campaign_id}-chronicle.pdf"'}
        return Response(content, media_type="application/pdf", headers=headers)

    @router.get("/rulings", response_class=HTMLResponse)
    def rulings(request: Request, cid: str) -> Response:
        ctx = campaign(cid)
        shown: list[Precedent] = []
        if ctx.settings.review.show_precedents:
            with ctx.store.reading() as session:
                query = select(Precedent).where(
                    Precedent.campaign_id == ctx.campaign_id, Precedent.public.is_(True), Precedent.withdrawn_at.is_(None)
                )
                shown = list(session.scalars(query.order_by(Precedent.id)))
        names = {f.id: f.name for f in ctx.ruleset.factions(_start(ctx))}
        return pages.show(request, "rulings.html.j2", ctx, title="Решения мастера о словах", rulings=shown, names=names)

    @router.get("/rules", response_class=HTMLResponse)
    def rules(request: Request, cid: str) -> Response:
        ctx = campaign(cid)
        texts = [(rule, text) for n in range(1, 400) if (text := ctx.ruleset.rule_text(rule := f"R{n}"))]
        return pages.show(request, "rules.html.j2", ctx, title="Пункты правил", texts=texts)

    # ------------------------------------------------------------------------------------------ drafts

    @router.get("/draft", response_class=HTMLResponse)
    def draft_page(request: Request, cid: str) -> Response:
        return _draft(pages, request, campaign(cid), "", "")

    @router.post("/draft", response_class=HTMLResponse)
    def draft(request: Request, cid: str, faction: Annotated[str, Form()] = "", text: Annotated[str, Form()] = "") -> Response:
        return _draft(pages, request, campaign(cid), faction, text)

    return router


def _start(ctx: Context) -> object:
    """The state at the start of the campaign: what a try-out may use, for it holds nothing of the game under way."""
    with ctx.store.reading() as session:
        if session.get(Campaign, ctx.campaign_id) is not None:
            return ctx.state(ctx.outcome(session, 0))
    return ctx.ruleset.new_game(ctx.ruleset.load_scenario(None))


def _draft(pages: Pages, request: Request, ctx: Context, faction: str, text: str) -> Response:
    start = _start(ctx)
    factions = ctx.ruleset.factions(start)
    values: dict[str, Any] = {"factions": factions, "faction": faction, "text": text, "parse": None, "too_long": False}
    if text.strip() and faction in {f.id for f in factions}:
        if len(text) > DRAFT_LIMIT:
            values["too_long"] = True
        else:
            step = ctx.ruleset.step(start)
            view = ctx.ruleset.view(start, audience_of(faction))
            parse = typed(ctx.ruleset, ctx.ruleset.order_language(view, step.kind if step else None).parse(from_bbcode(text)))
            words = [ctx.ruleset.describe(view, ctx.ruleset.commands.parse(r.command)) for r in parse.readings]
            values |= {
                "parse": parse,
                "words": words,
                "stretches": list(stretches(parse.text, marks_of(parse))),
                "line_of": line_of,
            }
    return pages.show(request, "draft.html.j2", ctx, title="Примерить приказы", **values)


def marks_of(parse: Parse) -> list[Mark]:
    """The marks of a fresh parse."""
    marks: list[Mark] = []
    for number, reading in enumerate(parse.readings, 1):
        for span in (reading.span, *reading.extra_spans):
            marks.append(Mark(span.start, span.end, "order" if reading.certain else "unsure", str(number)))
    for problem in parse.problems:
        if problem.span is not None and problem.severity is not Severity.WARNING:
            marks.append(Mark(problem.span.start, problem.span.end, problem.severity.value, ""))
    marks.extend(Mark(i.span.start, i.span.end, "ignored", i.reason.value) for i in parse.ignored)
    return marks
