"""The GM's pages: the step with every post beside what was understood, the acts on orders, preview, publication, journal."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from sqlalchemy import select

from forum_gm.desk.marks import stretches
from forum_gm.desk.pages import Pages, go, notice
from forum_gm.desk.security import current_gm, require_csrf
from forum_gm.errors import ForumGmError
from forum_gm.pipeline import acts, decide, publish
from forum_gm.pipeline.approve import approve, left_out_of
from forum_gm.pipeline.board import BoardTrouble
from forum_gm.pipeline.close import close, extend
from forum_gm.pipeline.context import Context, NotNow
from forum_gm.pipeline.gm_acts import enter
from forum_gm.pipeline.outbox import settle
from forum_gm.pipeline.pictures import PUBLIC
from forum_gm.pipeline.resolve import resolve, resolve_portion, trial
from forum_gm.pipeline.review import review
from forum_gm.service import tick
from forum_gm.storage.models import Audit, Notice, OutcomeRow, Precedent, Publication, PublicationStatus
from renderers.document import figures as figures_of
from renderers.document import without_figure
from renderers.html import render_html
from renderers.maps import draw_png
from rules.base import EVERYONE, GM, GM_ONLY, only, visible
from rules.maps import Figure

Campaign = Callable[[str], Context]
Gm = Annotated[str, Depends(current_gm)]
Text = Annotated[str, Form()]


def review_router(pages: Pages, campaign: Campaign) -> APIRouter:
    """Routes below `/desk/{campaign}`; every one asks for the GM, every form for its token."""
    router = APIRouter(prefix="/desk/{cid}", dependencies=[Depends(current_gm)])
    form = [Depends(require_csrf)]

    def back(cid: str, anchor: str = "") -> Response:
        return go(f"/desk/{cid}" + (f"#{anchor}" if anchor else ""))

    def act(request: Request, cid: str, do: Callable[[], object], done: str, anchor: str = "") -> Response:
        """Carries an act out; what hinders it is told on the page, never lost."""
        try:
            do()
        except (NotNow, BoardTrouble, ForumGmError) as error:
            notice(request, str(error), "bad")
        else:
            if done:
                notice(request, done)
        return back(cid, anchor)

    # -------------------------------------------------------------------------------------- reading

    @router.get("", response_class=HTMLResponse)
    def step_page(request: Request, cid: str, step: int | None = None) -> Response:
        ctx = campaign(cid)
        try:
            shown = review(ctx, step)
        except NotNow as error:
            return pages.show(request, "message.html.j2", ctx, title="Пульт", text=str(error), start=True)
        with ctx.store.reading() as session:
            numbers = [row.number for row in ctx.steps(session)]
            stuck = select(Publication).where(
                Publication.campaign_id == ctx.campaign_id, Publication.status == PublicationStatus.ASKED
            )
            asked = [(row.id, row.kind, row.subject, row.trouble) for row in session.scalars(stuck.order_by(Publication.id))]
            keys = [f"asked:{row[0]}" for row in asked]
            same = select(Notice.id).where(Notice.campaign_id == ctx.campaign_id, Notice.key.in_(keys))
            answered_below = set(session.scalars(same))
        return pages.show(
            request,
            "step.html.j2",
            ctx,
            title=shown.title,
            step=shown,
            numbers=numbers,
            answered_below=answered_below,
            asked=asked,
            stretches=lambda post: list(stretches(post.text, post.marks)),
            as_json=lambda command: json.dumps(command, ensure_ascii=False, indent=1),
            factions=ctx.ruleset.factions(ctx.state(_head(ctx))),
            commands=[name for name in ctx.ruleset.commands if ctx.ruleset.commands[name].by_gm],
        )

    @router.get("/preview", response_class=HTMLResponse)
    def preview(request: Request, cid: str, reader: str = PUBLIC) -> Response:
        """The report as it would be told now: nothing is stored, nothing is posted."""
        ctx = campaign(cid)
        with ctx.store.reading() as session:
            rules_step = ctx.rules_step(session, ctx.step(session, None))
        result = trial(ctx)
        with ctx.store.reading() as session:
            left_out = [*result.plan.left_out, *left_out_of(ctx, session, ctx.step(session, None))]
        known = ctx.ruleset.factions(result.outcome.state)
        names = {f.id: f.name for f in known}
        if reader not in (PUBLIC, GM, *(f.id for f in known)):
            raise HTTPException(404, "Такого читателя нет.")
        who = EVERYONE if reader == PUBLIC else GM_ONLY if reader == GM else only(reader)
        view = ctx.ruleset.view(result.outcome.state, who)
        whole = ctx.ruleset.report(view, visible(result.outcome.events, who), step=rules_step)
        report = without_figure(whole, ctx.ruleset.map(view))
        return pages.show(
            request,
            "preview.html.j2",
            ctx,
            title=f"Предпросмотр: {report.title}",
            report=render_html(
                report, picture_url=lambda i: f"/desk/{cid}/preview/{i}.png?reader={reader}", rule_text=ctx.ruleset.rule_text
            ),
            has_map=ctx.ruleset.map(view) is not None,
            reader=reader,
            readers=[(PUBLIC, "Всем"), *((f.id, f.name) for f in known), (GM, "Мастеру")],
            left_out=[(names.get(item.issuer, item.issuer), item.text, item.why) for item in left_out],
        )

    @router.get("/preview/{name}.png")
    def preview_picture(cid: str, name: str, reader: str = PUBLIC) -> Response:
        ctx = campaign(cid)
        with ctx.store.reading() as session:
            rules_step = ctx.rules_step(session, ctx.step(session, None))
        result = trial(ctx)
        who = EVERYONE if reader == PUBLIC else GM_ONLY if reader == GM else only(reader)
        view = ctx.ruleset.view(result.outcome.state, who)
        if name == "map":
            model: Figure | None = ctx.ruleset.map(view)
        else:
            whole = ctx.ruleset.report(view, visible(result.outcome.events, who), step=rules_step)
            figures = figures_of(without_figure(whole, ctx.ruleset.map(view)))
            model = figures[int(name)].figure if name.isdecimal() and int(name) < len(figures) else None
        if model is None:
            raise HTTPException(404, "Такой картинки нет.")
        return Response(draw_png(model), media_type="image/png")

    @router.get("/audit", response_class=HTMLResponse)
    def audit(request: Request, cid: str) -> Response:
        ctx = campaign(cid)
        with ctx.store.reading() as session:
            query = select(Audit).where(Audit.campaign_id == ctx.campaign_id).order_by(Audit.id.desc()).limit(400)
            entries = [(row.at, row.who, acts.act_text(ctx, session, row), row.public) for row in session.scalars(query)]
            words = select(Precedent).where(Precedent.campaign_id == ctx.campaign_id).order_by(Precedent.id)
            precedents = list(session.scalars(words))
        return pages.show(request, "audit.html.j2", ctx, title="Журнал", entries=entries, precedents=precedents)

    # -------------------------------------------------------------------------------------- acts on orders

    @router.post("/order/{order_id}/accept", dependencies=form)
    def accept(request: Request, cid: str, order_id: int, gm: Gm, post: Text = "") -> Response:
        return act(request, cid, lambda: decide.accept_order(campaign(cid), gm, order_id), "", post)

    @router.post("/order/{order_id}/reject", dependencies=form)
    def reject(request: Request, cid: str, order_id: int, gm: Gm, reason: Text = "", post: Text = "") -> Response:
        return act(request, cid, lambda: decide.reject_order(campaign(cid), gm, order_id, reason.strip()), "", post)

    @router.post("/order/{order_id}/line", dependencies=form)
    def edit_line(request: Request, cid: str, order_id: int, gm: Gm, line: Text = "", post: Text = "") -> Response:
        return act(request, cid, lambda: decide.edit_order_text(campaign(cid), gm, order_id, line), "Приказ исправлен.", post)

    @router.post("/order/{order_id}/fields", dependencies=form)
    def edit_fields(request: Request, cid: str, order_id: int, gm: Gm, command: Text = "", post: Text = "") -> Response:
        def do() -> None:
            try:
                fields = json.loads(command)
            except json.JSONDecodeError as error:
                raise NotNow(f"Поля приказа: строка {error.lineno} не читается как JSON.") from error
            decide.edit_order(campaign(cid), gm, order_id, fields)

        return act(request, cid, do, "Приказ исправлен.", post)

    @router.post("/post/{post_id}/answer", dependencies=form)
    def answer(
        request: Request, cid: str, post_id: int, gm: Gm, problem: Annotated[int, Form()], choice: Annotated[int, Form()]
    ) -> Response:
        do: Callable[[], object] = lambda: decide.answer(campaign(cid), gm, post_id, problem, choice)  # noqa: E731
        return act(request, cid, do, "Ответ принят.", f"post-{post_id}")

    @router.post("/add", dependencies=form)
    def add(request: Request, cid: str, gm: Gm, issuer: Text = "", line: Text = "", post_id: Text = "") -> Response:
        number = int(post_id) if post_id.isdecimal() else None
        do: Callable[[], object] = lambda: decide.add_order_text(campaign(cid), gm, issuer, line, number)  # noqa: E731
        return act(request, cid, do, "Приказ добавлен.", f"post-{number}" if number else f"side-{issuer}")

    @router.post("/gm-command", dependencies=form)
    def gm_command(request: Request, cid: str, gm: Gm, command: Text = "", at_once: Text = "") -> Response:
        ctx = campaign(cid)

        def do() -> None:
            try:
                fields = json.loads(command)
            except json.JSONDecodeError as error:
                raise NotNow("Приказ мастера не читается как JSON.") from error
            enter(ctx, gm, fields, at_once=bool(at_once))

        return act(request, cid, do, "Приказ мастера записан.")

    # -------------------------------------------------------------------------------------- acts on posts and words

    @router.post("/post/{post_id}/{what}", dependencies=form)
    def post_act(request: Request, cid: str, post_id: int, what: str, gm: Gm, issuer: Text = "", revision: Text = "") -> Response:
        ctx = campaign(cid)
        table: dict[str, Callable[[], object]] = {
            "admit": lambda: decide.admit(ctx, gm, post_id),
            "exclude": lambda: decide.exclude(ctx, gm, post_id),
            "again": lambda: decide.count_again(ctx, gm, post_id),
            "pin": lambda: decide.pin(ctx, gm, post_id, int(revision) if revision.isdecimal() else None),
            "assign": lambda: decide.assign(ctx, gm, post_id, issuer or None),
            "approve": lambda: approve(ctx, gm, post_id=post_id),
        }
        if what not in table:
            raise HTTPException(404, "Такого действия нет.")
        return act(request, cid, table[what], "", f"post-{post_id}")

    @router.post("/precedent", dependencies=form)
    def precedent(
        request: Request, cid: str, gm: Gm, phrase: Text = "", meaning: Text = "", issuer: Text = "", public: Text = ""
    ) -> Response:
        def do() -> None:
            decide.add_precedent(campaign(cid), gm, phrase, meaning, issuer=issuer or None, public=bool(public))

        return act(request, cid, do, "Решение о словах записано, сообщения перечитаны.")

    @router.post("/precedent/{number}/withdraw", dependencies=form)
    def withdraw(request: Request, cid: str, number: int, gm: Gm) -> Response:
        return act(request, cid, lambda: decide.withdraw_precedent(campaign(cid), gm, number), "Решение отозвано.")

    # -------------------------------------------------------------------------------------- acts on the step

    @router.post("/do/{what}", dependencies=form)
    def step_act(
        request: Request,
        cid: str,
        what: str,
        gm: Gm,
        hours: Text = "",
        number: Text = "",
        reopen: Text = "",
        arrived: Text = "",
        post: Text = "",
    ) -> Response:
        ctx = campaign(cid)

        def add_hours() -> None:
            try:
                value = float(hours.replace(",", "."))
            except ValueError as error:
                raise NotNow("Укажите, на сколько часов продлить.") from error
            if not 0 < value <= 24 * 60:
                raise NotNow("Продлить можно на срок до 60 суток.")
            extend(ctx, gm, value)

        def take_back() -> None:
            if not number.isdecimal():
                raise NotNow("Укажите номер шага.")
            decide.rollback(ctx, gm, int(number), reopen=bool(reopen))

        def tell() -> None:
            sent = publish.publish(ctx, gm)
            if sent.trouble:
                raise NotNow(sent.trouble)

        def was_posted() -> None:
            if not number.isdecimal() or (post.strip() and not post.strip().lstrip("#№").isdecimal()):
                raise NotNow("Номер сообщения — число; его видно в адресе сообщения после «p=».")
            known = post.strip().lstrip("#№")
            settle(ctx, gm, int(number), arrived=arrived == "yes", board_id=int(known) if known else None)

        def look() -> None:
            result = tick(ctx, reread=True)
            if result.trouble:
                raise NotNow(result.trouble)

        table: dict[str, tuple[Callable[[], object], str]] = {
            "poll": (look, "Форум прочитан."),
            "approve": (lambda: approve(ctx, gm), "Уверенно понятые приказы приняты."),
            "close": (lambda: close(ctx, gm, early=True), "Приём приказов закрыт."),
            "extend": (add_hours, "Срок продлён."),
            "resolve": (lambda: resolve(ctx, gm), "Шаг рассчитан: посмотрите итоги и опубликуйте."),
            "portion": (lambda: resolve_portion(ctx, gm), "Принятое исполнено, шаг открыт."),
            "publish": (tell, "Итоги опубликованы."),
            "rerun": (lambda: decide.rerun(ctx, gm), "Расчёт отменён: исправьте приказы и рассчитайте заново."),
            "rollback": (take_back, "Шаги возвращены."),
            "settle": (was_posted, "Записано."),
            "seen": (lambda: decide.settle_notice(ctx, gm, int(number)), ""),
        }
        if what not in table:
            raise HTTPException(404, "Такого действия нет.")
        do, done = table[what]
        return act(request, cid, do, done)

    return router


def _head(ctx: Context) -> OutcomeRow:
    with ctx.store.reading() as session:
        return ctx.head(session)
