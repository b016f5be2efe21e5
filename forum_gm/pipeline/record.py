"""The campaign's public record: what a chronicle or digest carries along so that anybody can check every roll from it alone."""

from __future__ import annotations

import json
import re
import zlib
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from forum_gm.errors import ForumGmError, UsageProblem
from forum_gm.pipeline.context import Context
from forum_gm.storage.models import DiceSecret, OutcomeRow
from forum_gm.wording import trouble
from rules.dice import commitment, verifiable_dice


class Verified(ForumGmError):
    """Something is not as it was stored or promised; the message names the first thing found."""


RECORD = "forum-gm-record-1"
"""Names the form of the record that goes into chronicles."""


def record(ctx: Context, session: Session, *, upto: int | None = None, everything: bool = False) -> dict[str, Any]:
    """What anybody needs to check the dice: revealed secrets, commitments and draws of the outcomes told so far (or of those up
    to number `upto`, which is just being told); hidden draws and their secrets only once the game is over, or with `everything`,
    for the GM."""
    campaign = ctx.campaign(session)
    query = select(OutcomeRow).where(
        OutcomeRow.campaign_id == ctx.campaign_id, OutcomeRow.undone.is_(False), OutcomeRow.number > 0
    )
    rows = list(session.scalars(query.order_by(OutcomeRow.number)))
    over = campaign.over and (upto is None or not rows or upto >= rows[-1].number)
    hidden = everything or over
    secrets = {s.number: s for s in session.scalars(select(DiceSecret).where(DiceSecret.campaign_id == ctx.campaign_id))}
    outcomes = []
    for row in rows:
        secret = secrets[row.secret_number or 0]
        told = row.number <= upto if upto is not None else secret.revealed_at is not None
        if not (told or everything):
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
    return {
        "format": RECORD,
        "campaign": campaign.title,
        "ruleset": campaign.ruleset,
        "over": over,
        "outcomes": outcomes,
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
    except KeyError as error:
        raise Verified(f"Запись кампании не читается: в ней нет поля {error}.") from error
    except (TypeError, ValueError, IndexError) as error:
        raise Verified("Запись кампании не читается: это не запись forum-gm или она повреждена.") from error
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
        raise UsageProblem(f"Не читается файл {path}: {trouble(error)}.") from error
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
