"""Makes the readable forms of an outcome: reports for each reader, map pictures, the PDF digest. Only views and filtered events
go in, so nothing secret can come out (promise 5); the same outcome gives the same bytes again (promise 2)."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from forum_gm.pipeline.context import Context
from forum_gm.pipeline.pictures import PUBLIC, Drawing, Telling, drawings
from forum_gm.pipeline.record import ATTACHED, record
from forum_gm.storage.base import canonical
from forum_gm.storage.models import DiceSecret, OutcomeRow, StoredFile
from renderers.document import without_figure
from renderers.maps import draw_png
from renderers.pdf import DigestMeta, Picture, render_digest
from rules.base import EVERYONE, GM, GM_ONLY, Audience, Event, FactionId, Step, only, visible
from rules.report import Column, Lines, Section, Table, para, rich, row

PNG, PDF = "image/png", "application/pdf"


def audience(reader: str) -> Audience:
    """The audience that a reader is."""
    return EVERYONE if reader == PUBLIC else GM_ONLY if reader == GM else only(reader)


def step_of(ctx: Context, session: Session, outcome: OutcomeRow) -> Step:
    """The step that an outcome belongs to, as the rules told it."""
    assert outcome.parent_number is not None
    step = ctx.ruleset.step(ctx.state(ctx.outcome(session, outcome.parent_number)))
    assert step is not None
    return step


def telling(ctx: Context, session: Session, outcome: OutcomeRow, reader: str) -> Telling:
    """The report and map of an outcome for a reader."""
    who = audience(reader)
    view = ctx.view(outcome, who)
    events = visible((Event.from_json(raw) for raw in outcome.events), who)
    report = ctx.ruleset.report(view, events, step=step_of(ctx, session, outcome))
    if reader in (PUBLIC, GM):
        report = replace(report, sections=(*report.sections, *_dice_section(ctx, session, outcome, reader)))
    return Telling(reader, report, ctx.ruleset.map(view))


def _dice_section(ctx: Context, session: Session, outcome: OutcomeRow, reader: str) -> Sequence[Section]:
    """What is needed to recompute the rolls: the revealed secret, step, attempt, posts and the draws."""
    if outcome.secret_number is None or not outcome.closing:
        return ()
    query = select(DiceSecret).where(DiceSecret.campaign_id == ctx.campaign_id, DiceSecret.number == outcome.secret_number)
    secret = session.scalars(query).one()
    posts = ", ".join(map(str, outcome.dice_posts)) or "нет"
    facts = Lines(
        (
            rich(f"секрет: {secret.public_secret}"),
            rich(f"его SHA-256, объявленный до приказов: {secret.public_commitment}"),
            rich(f"шаг: {outcome.step_id}, попытка {outcome.attempt}"),
            rich(f"сообщения игроков к сроку: {posts}"),
        ),
        mono=True,
    )
    draws = [d for d in _draws(ctx, session, outcome) if reader == GM or not d["secret"]]
    blocks: list[Any] = [facts]
    if draws:
        columns = (Column("На что"), Column("№", numeric=True), Column("Бросок"), Column("Выпало"))
        blocks.append(Table(columns, tuple(row(d["purpose"], str(d["number"]), _kind(d), _result(d)) for d in draws)))
    else:
        blocks.append(para("Открытых бросков не было."))
    return (Section("Честные кости", tuple(blocks), details=True, id="dice"),)


def _draws(ctx: Context, session: Session, outcome: OutcomeRow) -> list[dict[str, Any]]:
    """The outcome's draws, after those of the step's portions."""
    query = select(OutcomeRow).where(
        OutcomeRow.campaign_id == ctx.campaign_id,
        OutcomeRow.step_row == outcome.step_row,
        OutcomeRow.attempt == outcome.attempt,
        OutcomeRow.undone.is_(False),
        OutcomeRow.portion > 0,
    )
    portions = session.scalars(query.order_by(OutcomeRow.number))
    return [draw for one in (*portions, outcome) for draw in one.draws]


KINDS = {
    "roll": "1 из {0}",
    "pick": "выбор из {0}",
    "shuffle": "порядок {0}",
    "sample": "{1} из {0}",
    "chance": "шанс {0}/{1}",
}


def _kind(draw: dict[str, Any]) -> str:
    return KINDS[str(draw["kind"])].format(*draw["args"])


def _result(draw: dict[str, Any]) -> str:
    result = draw["result"]
    if isinstance(result, bool):
        return "да" if result else "нет"
    if draw["kind"] == "roll":
        return str(result)
    # Places are counted from one for people.
    return ", ".join(str(i + 1) for i in result) if isinstance(result, list) else f"{int(result) + 1}-й"


# ---------------------------------------------------------------------------------------------------- files


def readers(ctx: Context, outcome: OutcomeRow) -> list[str]:
    """Everyone who gets a telling of his own: the public, then the factions in roster order."""
    return [PUBLIC, *(faction.id for faction in ctx.ruleset.factions(ctx.state(outcome)))]


def render(ctx: Context, number: int) -> list[StoredFile]:
    """Draws the pictures and the PDF of an outcome into the campaign's folder. What is there already stays."""
    with ctx.exclusive():
        with ctx.store.reading() as session:
            outcome = ctx.outcome(session, number)
            query = select(StoredFile).where(StoredFile.campaign_id == ctx.campaign_id, StoredFile.outcome_number == number)
            known = list(session.scalars(query.order_by(StoredFile.id)))
            if known and all((ctx.folder / file.path).exists() for file in known):
                return known
            made = _draw_all(ctx, session, outcome)
        for name, _, _, _, content in made:
            write_file(ctx.folder / folder_of(outcome) / name, content)
        with ctx.store.writing() as session:
            for file in session.scalars(query):
                session.delete(file)
            session.flush()
            rows = [
                StoredFile(
                    campaign_id=ctx.campaign_id,
                    step_row=outcome.step_row,
                    outcome_number=number,
                    kind=kind,
                    reader=reader,
                    name=name,
                    path=f"{folder_of(outcome)}/{name}",
                    media=media,
                    size=len(content),
                    sha256=hashlib.sha256(content).hexdigest(),
                )
                for name, kind, reader, media, content in made
            ]
            session.add_all(rows)
            session.flush()
            return rows


def folder_of(outcome: OutcomeRow) -> str:
    """Where an outcome's files are, within the campaign's folder."""
    return f"files/{file_stem(outcome)}"


def file_stem(outcome: OutcomeRow) -> str:
    """A file name's beginning: the step, and the attempt where there were several."""
    step = re.sub(r"[^A-Za-z0-9._-]+", "-", outcome.step_id) or "step"
    portion = f"-p{outcome.portion}" if outcome.portion else ""
    return step + (f"-a{outcome.attempt}" if outcome.attempt > 1 else "") + portion


def write_file(path: Path, content: bytes) -> None:
    """Writes a whole file or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(path.name + ".part")
    half.write_bytes(content)
    os.replace(half, path)


Made = tuple[str, str, str, str, bytes]
"""Name, kind, reader, media type, content."""


def drawings_of(outcome: OutcomeRow, public: Telling, own: Telling | None = None) -> list[Drawing]:
    """The pictures that a telling of an outcome shows: the public's, and for a faction after them its own."""
    stem = file_stem(outcome)
    common = drawings(stem, public)
    return common if own is None else [*common, *drawings(stem, own, common)]


def shows_pictures(ctx: Context, faction: FactionId) -> bool:
    """True when a faction's own posts carry pictures: they need a topic, for a private message takes no files."""
    player = ctx.settings.player(faction)
    return ctx.settings.board.attachments and player is not None and bool(player.topic)


def _draw_all(ctx: Context, session: Session, outcome: OutcomeRow) -> list[Made]:
    limit = ctx.settings.board.attachment_kb * 1024

    def drawn(drawing: Drawing) -> Made:
        return drawing.name, drawing.kind, drawing.reader, PNG, draw_png(drawing.figure, limit)

    stem = file_stem(outcome)
    public = telling(ctx, session, outcome, PUBLIC)
    common = drawings(stem, public)
    out = [drawn(drawing) for drawing in common]
    if outcome.closing:
        out.append((f"{stem}.pdf", "digest", PUBLIC, PDF, _digest(ctx, session, outcome, public, out)))
    for faction in readers(ctx, outcome)[1:]:
        if shows_pictures(ctx, faction):
            own = telling(ctx, session, outcome, faction)
            mine = [drawn(drawing) for drawing in drawings(stem, own, common)]
            out += mine
            if outcome.closing and ctx.settings.channels.private_pdf:
                shown = mine if own.map != public.map else out
                out.append((f"{stem}-{faction}.pdf", "digest", faction, PDF, _digest(ctx, session, outcome, own, shown)))
    return out


def _digest(ctx: Context, session: Session, outcome: OutcomeRow, told: Telling, made: Sequence[Made]) -> bytes:
    """The PDF of a telling; its map is the first among `made`."""
    campaign = ctx.campaign(session)
    facts = [("Попытка", str(outcome.attempt))] if outcome.attempt > 1 else []
    names = {faction.id: faction.name for faction in ctx.ruleset.factions(ctx.state(outcome))}
    meta = DigestMeta(
        campaign=campaign.title,
        game=ctx.ruleset.title,
        date=day_of(ctx, outcome),
        gm=", ".join(account.name for account in ctx.settings.gm.accounts),
        reader="" if told.reader == PUBLIC else f"только для стороны «{names[told.reader]}»",
        silent=silent(ctx, session, outcome),
        facts=tuple(facts),
    )
    title = told.map.title if told.map else ""
    pictures = [content for _, kind, _, _, content in made if kind == "map"][:1] if told.map else []
    return render_digest(
        without_figure(told.report, told.map),
        [Picture(content, alt=title) for content in pictures],
        meta,
        attachments={ATTACHED: canonical(record(ctx, session, upto=outcome.number)).encode()},
        rule_text=ctx.ruleset.rule_text,
        folders=(ctx.folder / "templates", ctx.ruleset.templates),
    )


def day_of(ctx: Context, outcome: OutcomeRow) -> date:
    """The day of an outcome in the campaign's zone."""
    return outcome.made_at.astimezone(ctx.settings.zone).date()


def silent(ctx: Context, session: Session, outcome: OutcomeRow) -> tuple[str, ...]:
    """Names of those from whom an answer was awaited, as everybody knew, and who wrote nothing."""
    names = {f.id: f.name for f in ctx.ruleset.factions(ctx.state(outcome))}
    wrote = {sheet["issuer"] for sheet in outcome.sheets}
    waits = step_of(ctx, session, outcome).waits
    missing = [w.faction for w in waits if w.known_to.includes(EVERYONE) and w.faction not in wrote]
    return tuple(names.get(faction, faction) for faction in dict.fromkeys(missing))
