"""The GM's public acts, told once in the next report («нет тайных решений»): from the audit log to Russian lines.

Whom an act is about is part of the line only where everybody knows that he is awaited (promise 5)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from forum_gm.pipeline.context import Context, moment
from forum_gm.storage.models import Audit, StepRow
from forum_gm.wording import when
from rules.base import EVERYONE, GM, Audience

TEXTS = {
    "close_early": "приём приказов закрыт раньше срока",
    "extend": "срок продлён до {deadline}",
    "set_deadline": "назначен срок {deadline}",
    "admit": "принято опоздавшее сообщение: {author}",
    "exclude": "сообщение не засчитано: {author}",
    "pin": "засчитан другой текст сообщения: {author}",
    "edit_order": "исправлен приказ: {issuer}",
    "reject_order": "отклонён приказ: {issuer}",
    "add_order": "добавлен приказ: {issuer}",
    "answer": "решён неясный приказ: {issuer}",
    "rerun": "шаг «{title}» пересчитан заново, попытка {attempt}",
    "reopen": "шаг «{title}» открыт заново, с новыми костями",
    "rollback": "игра возвращена к шагу «{title}», попытка {attempt}",
    "portions_undone": "шаг «{title}»: исполненное в этом шаге отменено",
    "gm_command": "решение мастера о состоянии игры",
    "count_again": "сообщение снова считается по общему правилу: {author}",
}
"""What reports tell."""
JOURNAL = {
    "start": "кампания начата: {title}",
    "accept_order": "принят приказ: {issuer}",
    "approve": "приняты уверенно понятые приказы",
    "reread": "сообщение {post} прочитано заново: {issuer}",
    "assign": "сообщение {post} отнесено к стороне: {issuer}",
    "add_precedent": "решение о словах: «{phrase}» значит «{meaning}»",
    "withdraw_precedent": "отозвано решение о словах: «{phrase}»",
    "seat": "за сторону «{faction}» говорит учётная запись {account}, с шага {since}",
    "close": "приём приказов закрыт",
    "resolve": "шаг рассчитан, попытка {attempt}",
    "resolve_portion": "исполнена часть шага, № {portion}",
    "publish": "итог № {outcome} отдан на публикацию",
    "settle_publication": "решено, дошла ли публикация {key}",
}
"""What only the GM's journal tells besides."""
UNNAMED = {
    "admit": "принято опоздавшее тайное сообщение",
    "exclude": "не засчитано тайное сообщение",
    "pin": "засчитан другой текст тайного сообщения",
    "edit_order": "исправлен тайный приказ",
    "reject_order": "отклонён тайный приказ",
    "add_order": "добавлен тайный приказ",
    "answer": "решён неясный тайный приказ",
    "extend": "срок тайного ответа продлён",
    "count_again": "тайное сообщение снова считается по общему правилу",
}
"""What is told where not everybody may know whom it is about."""


def act_text(ctx: Context, session: Session, entry: Audit) -> str:
    """One act as a line, in full: for the GM."""
    detail: dict[str, Any] = dict(entry.detail)
    if "deadline" in detail:
        detail["deadline"] = when(moment(detail["deadline"]), ctx.settings.zone)
    names = {faction.id: faction.name for faction in ctx.ruleset.factions(ctx.state(ctx.head(session)))}
    for key, nobody in (("issuer", "мастер"), ("faction", "мастер")):
        detail[key] = names.get(str(detail.get(key)), nobody)
    line = {**TEXTS, **JOURNAL}.get(entry.action, entry.action).format_map(detail)
    return f"{line}: {detail['reason']}" if detail.get("reason") else line


def public_act_text(ctx: Context, session: Session, entry: Audit) -> str:
    """One act as everybody may know it."""
    if entry.action in UNNAMED and not _known_to_all(ctx, session, entry):
        return UNNAMED[entry.action]
    return act_text(ctx, session, entry)


def _known_to_all(ctx: Context, session: Session, entry: Audit) -> bool:
    """True when everybody may know that the one whom an act is about has something to answer in its step."""
    query = select(StepRow.definition).where(StepRow.campaign_id == ctx.campaign_id, StepRow.step_id == entry.detail.get("step"))
    definition = session.scalars(query.order_by(StepRow.id.desc()).limit(1)).first()
    if definition is None:
        return False
    issuer, wait = entry.detail.get("issuer"), entry.detail.get("wait")
    if issuer == GM or (entry.action == "extend" and wait is None):
        return True
    about = [w for w in definition["waits"] if w["id"] == wait or w["faction"] == issuer]
    # Naming one who is not awaited would tell who is.
    return all(Audience.from_json(w["known_to"]) == EVERYONE for w in about or definition["waits"])


def told_acts(ctx: Context, session: Session, *, mark: bool = False) -> list[str]:
    """The public acts that no report has told yet; with `mark` they are told now."""
    query = select(Audit).where(Audit.campaign_id == ctx.campaign_id, Audit.public.is_(True), Audit.told.is_(False))
    entries = list(session.scalars(query.order_by(Audit.id)))
    if mark:
        for entry in entries:
            entry.told = True
    return [public_act_text(ctx, session, entry) for entry in entries]
