"""Checks a whole stored campaign: seals, hash chains, dice commitments, and every outcome replayed from the first step."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from forum_gm.pipeline.collect import revision_hash
from forum_gm.pipeline.context import Context
from forum_gm.pipeline.record import Verified
from forum_gm.pipeline.resolve import step_dice
from forum_gm.pipeline.start import GENESIS, outcome_hash
from forum_gm.storage.base import broken_rows, canonical, sha256
from forum_gm.storage.models import Campaign, DiceSecret, Order, OutcomeRow, Post, Revision, StepRow, StepStatus
from rules.base import RulesError, Sheet
from rules.dice import commitment

TABLES = {
    "outcomes": "итог",
    "orders": "приказ",
    "dice_secrets": "секрет костей",
    "posts": "сообщение",
    "revisions": "текст сообщения",
    "campaigns": "запись кампании",
    "steps": "шаг",
    "parses": "прочтение",
    "publications": "публикация",
}


def verify(ctx: Context) -> str:
    """One Russian sentence on what was checked. Raises `Verified` with the first thing that is wrong."""
    try:
        problem = ctx.store.integrity()
        if problem:
            raise Verified(f"Файл базы данных повреждён: {problem}.")
        with ctx.store.engine.connect() as connection:
            for table, key in broken_rows(connection):
                raise Verified(f"Запись изменена после сохранения: {TABLES.get(table, table)} № {key}.")
        with ctx.store.reading() as session:
            for finding in _findings(ctx, session):
                raise Verified(finding)
            outcomes = len(_outcomes(ctx, session)) - 1
            revealed = sum(1 for s in _secrets(ctx, session).values() if s.revealed_at is not None)
    except (SQLAlchemyError, ValueError, KeyError, TypeError, json.JSONDecodeError) as error:
        raise Verified(f"Данные кампании не читаются: {str(error).splitlines()[0]}") from error
    return f"Всё сходится: итогов пересчитано {outcomes}, секретов костей раскрыто {revealed}, приказы и цепочки записей целы."


def _outcomes(ctx: Context, session: Session) -> list[OutcomeRow]:
    query = select(OutcomeRow).where(OutcomeRow.campaign_id == ctx.campaign_id)
    return list(session.scalars(query.order_by(OutcomeRow.number)))


def _secrets(ctx: Context, session: Session) -> dict[int, DiceSecret]:
    return {s.number: s for s in session.scalars(select(DiceSecret).where(DiceSecret.campaign_id == ctx.campaign_id))}


def _findings(ctx: Context, session: Session) -> Iterator[str]:
    campaign = ctx.campaign(session)
    yield from _revisions(ctx, session)
    yield from _commitments(ctx, session)
    yield from _orders(ctx, session)
    yield from _chain(ctx, session)
    yield from _replay(ctx, session, campaign)


def _revisions(ctx: Context, session: Session) -> Iterator[str]:
    for post in session.scalars(select(Post).where(Post.campaign_id == ctx.campaign_id).order_by(Post.id)):
        before = sha256(f"post {post.board_id}")
        rows = session.scalars(select(Revision).where(Revision.post_id == post.id).order_by(Revision.number))
        for number, row in enumerate(rows, start=1):
            if row.number != number or row.prev_hash != before or row.hash != revision_hash(row):
                yield f"Сообщение {post.board_id}: нарушена цепочка его текстов (№ {number})."
            before = row.hash


def _commitments(ctx: Context, session: Session) -> Iterator[str]:
    for secret in _secrets(ctx, session).values():
        pairs = ((secret.public_secret, secret.public_commitment), (secret.hidden_secret, secret.hidden_commitment))
        if any(commitment(bytes.fromhex(value)) != promised for value, promised in pairs):
            yield f"Секрет костей № {secret.number} не соответствует объявленному SHA-256."


def _orders(ctx: Context, session: Session) -> Iterator[str]:
    for outcome in _outcomes(ctx, session):
        step = session.get(StepRow, outcome.step_row) if outcome.step_row is not None else None
        if step is None or outcome.undone or step.status not in (StepStatus.RESOLVED, StepStatus.PUBLISHED):
            continue
        if not outcome.closing:
            continue
        rows = session.scalars(select(Order).where(Order.step_row == step.id).order_by(Order.id))
        if [[row.id, row.digest] for row in rows] != outcome.orders:
            yield f"Приказы шага «{step.title}» не те, по которым он рассчитан."


def _chain(ctx: Context, session: Session) -> Iterator[str]:
    before = GENESIS
    for number, row in enumerate(_outcomes(ctx, session)):
        if row.number != number or row.prev_hash != before or row.hash != outcome_hash(row):
            yield f"Нарушена цепочка итогов на № {number}."
        before = row.hash


def _replay(ctx: Context, session: Session, campaign: Campaign) -> Iterator[str]:
    ruleset = ctx.ruleset
    outcomes = _outcomes(ctx, session)
    secrets = _secrets(ctx, session)
    if campaign.ruleset != ruleset.id:
        yield f"Кампания идёт по правилам «{campaign.ruleset}», а настроены «{ruleset.id}»."
        return
    first = ruleset.new_game(ruleset.load_scenario(json.loads(campaign.scenario["json"])))
    if canonical(ruleset.dump(first)) != canonical(outcomes[0].state):
        yield "Начальное состояние не такое, какое следует из сценария."
    for row in outcomes[1:]:
        yield from _replay_one(ctx, outcomes, secrets, row)


def _replay_one(ctx: Context, outcomes: list[OutcomeRow], secrets: dict[int, DiceSecret], row: OutcomeRow) -> Iterator[str]:
    ruleset = ctx.ruleset
    name = f"Итог № {row.number} ({row.step_id})"
    if row.parent_number is None or row.secret_number not in secrets:
        yield f"{name}: нет его начала или его секрета."
        return
    dice = step_dice(secrets[row.secret_number], row.step_id, row.attempt, row.portion, row.dice_posts)
    try:
        sheets = tuple(_sheet(ctx, raw) for raw in row.sheets)
        made = ruleset.resolve(ruleset.load(outcomes[row.parent_number].state), sheets, dice, closing=row.closing)
    except (RulesError, ValidationError) as error:
        yield f"{name} не пересчитывается: {error}."
        return
    same = (
        canonical(ruleset.dump(made.state)) == canonical(row.state)
        and canonical([event.to_json() for event in made.events]) == canonical(row.events)
        and canonical([draw.to_json() for draw in made.draws]) == canonical(row.draws)
    )
    if not same:
        version = "" if row.ruleset_version == ruleset.version else f" (правила тогда были версии {row.ruleset_version})"
        yield f"{name} при пересчёте выходит другим{version}."


def _sheet(ctx: Context, raw: dict[str, Any]) -> Sheet:
    return Sheet(raw["issuer"], tuple(ctx.ruleset.commands.parse(c) for c in raw["commands"]), raw["arrived"])
