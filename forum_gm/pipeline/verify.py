"""Checks a whole stored campaign: seals, hash chains, dice commitments, and every outcome replayed from the first step."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from forum_gm.errors import ForumGmError, UsageProblem
from forum_gm.pipeline.collect import revision_hash
from forum_gm.pipeline.context import Context
from forum_gm.pipeline.resolve import step_dice
from forum_gm.pipeline.start import GENESIS, outcome_hash
from forum_gm.storage.base import broken_rows, canonical, sha256
from forum_gm.storage.models import Campaign, DiceSecret, Order, OutcomeRow, Post, Revision, StepRow, StepStatus
from rules.base import RulesError, Sheet
from rules.dice import commitment, verifiable_dice

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


class Verified(ForumGmError):
    """The campaign is not as it was stored; the message names the first thing found."""


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
    first = ruleset.new_game(ruleset.load_scenario(campaign.scenario["toml"]))
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


# ---------------------------------------------------------------------------------------------------- from a document


RECORD = "forum-gm-record-1"
"""Names the form of the record that goes into chronicles."""


def record(ctx: Context, *, everything: bool = False) -> dict[str, Any]:
    """What anybody needs to check the dice: revealed secrets, commitments and draws of every outcome told so far; hidden draws
    and their secrets only once the game is over (or with `everything`, for the GM)."""
    with ctx.store.reading() as session:
        campaign = ctx.campaign(session)
        hidden = everything or campaign.over
        secrets = _secrets(ctx, session)
        outcomes = []
        for row in _outcomes(ctx, session)[1:]:
            secret = secrets[row.secret_number or 0]
            if row.undone or not (everything or secret.revealed_at is not None):
                continue
            outcomes.append(
                {
                    "step": row.step_id,
                    "attempt": row.attempt,
                    "portion": row.portion,
                    "posts": row.dice_posts,
                    "secret": secret.public_secret,
                    "hidden_secret": secret.hidden_secret if hidden else None,
                    "commitment": secret.public_commitment,
                    "hidden_commitment": secret.hidden_commitment,
                    "draws": [draw for draw in row.draws if hidden or not draw["secret"]],
                }
            )
        promised = [s for s in secrets.values() if s.committed_at is not None and s.revealed_at is None]
        return {
            "format": RECORD,
            "campaign": campaign.title,
            "ruleset": campaign.ruleset,
            "over": campaign.over,
            "outcomes": outcomes,
            "committed": [[s.public_commitment, s.hidden_commitment] for s in promised],
        }


def verify_record(raw: Any) -> str:
    """Checks a record by itself: every revealed secret against its commitment, every draw recomputed. One Russian sentence;
    raises `Verified`."""
    try:
        if raw["format"] != RECORD:
            raise Verified("Это не запись кампании forum-gm.")
        draws = 0
        for item in raw["outcomes"]:
            draws += _verify_item(item)
        told = len(raw["outcomes"])
        ending = "" if raw["over"] else " Игра ещё идёт: проверено то, что открыто для всех."
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise Verified(f"Запись кампании не читается: {error!r}.") from error
    return f"Всё сходится: шагов {told}, бросков пересчитано {draws}.{ending}"


def _verify_item(item: dict[str, Any]) -> int:
    name = f"Шаг {item['step']}"
    public, hidden = bytes.fromhex(item["secret"]), bytes.fromhex(item["hidden_secret"] or "")
    if commitment(public) != item["commitment"]:
        raise Verified(f"{name}: секрет костей не соответствует объявленному SHA-256.")
    if hidden and commitment(hidden) != item["hidden_commitment"]:
        raise Verified(f"{name}: скрытый секрет костей не соответствует объявленному SHA-256.")
    step = f"{item['step']}#{item['portion']}" if item["portion"] else item["step"]
    dice = verifiable_dice(public, hidden, step, item["attempt"], item["posts"])
    count = 0
    for draw in item["draws"]:
        if draw["secret"] and not hidden:
            continue
        source = dice.stream(draw["purpose"], secret=draw["secret"]).source
        made = source.draw(draw["kind"], tuple(draw["args"]))
        if (list(made) if isinstance(made, tuple) else made) != draw["result"]:
            raise Verified(f"{name}: бросок «{draw['purpose']}» № {draw['number']} выходит другим.")
        count += 1
    return count


ATTACHED = "record.json"
"""Name of the record's attachment in a PDF."""


def record_in_pdf(path: Path) -> Any:
    """The record attached to a chronicle or digest. Raises `Verified` when there is none.

    Reads just enough of PDF for the files we write ourselves: streams packed by Flate."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageProblem(f"Не читается файл {path}: {error.strerror}.") from error
    if not data.startswith(b"%PDF"):
        raise UsageProblem(f"{path}: это не PDF, не JSON и не папка кампании.")
    for match in re.finditer(rb"stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL):
        try:
            content = zlib.decompress(match.group(1))
        except zlib.error:
            content = match.group(1)
        if content.lstrip().startswith(b"{") and RECORD.encode() in content:
            try:
                return json.loads(content)
            except ValueError as error:
                raise Verified(f"{path}: запись кампании в PDF повреждена.") from error
    raise Verified(f"{path}: в этом PDF нет записи кампании.")
