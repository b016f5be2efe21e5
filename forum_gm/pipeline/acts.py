"""The GM's public acts, told once in the next report («нет тайных решений»): from the audit log to Russian lines."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from forum_gm.pipeline.context import Context, moment
from forum_gm.storage.models import Audit
from forum_gm.wording import when

TEXTS = {
    "close_early": "приём приказов закрыт раньше срока",
    "extend": "срок продлён до {deadline}",
    "admit": "принято опоздавшее сообщение: {author}",
    "exclude": "сообщение не засчитано: {author}",
    "pin": "засчитан другой текст сообщения: {author}",
    "edit_order": "исправлен приказ: {issuer}",
    "reject_order": "отклонён приказ: {issuer}",
    "add_order": "добавлен приказ: {issuer}",
    "answer": "решён неясный приказ: {issuer}",
    "rerun": "шаг «{title}» пересчитан заново, попытка {attempt}",
    "reopen": "шаг «{title}» открыт заново, с новыми костями",
    "rollback": "игра возвращена к шагу «{title}»",
    "gm_command": "решение мастера о состоянии игры",
}


def act_text(ctx: Context, entry: Audit) -> str:
    """One act as a line."""
    detail: dict[str, Any] = dict(entry.detail)
    if "deadline" in detail:
        detail["deadline"] = when(moment(detail["deadline"]), ctx.settings.zone)
    return TEXTS.get(entry.action, entry.action).format_map(detail)


def told_acts(ctx: Context, session: Session, *, mark: bool = False) -> list[str]:
    """The public acts that no report has told yet; with `mark` they are told now."""
    query = select(Audit).where(Audit.campaign_id == ctx.campaign_id, Audit.public.is_(True), Audit.told.is_(False))
    entries = list(session.scalars(query.order_by(Audit.id)))
    if mark:
        for entry in entries:
            entry.told = True
    return [act_text(ctx, entry) for entry in entries]
