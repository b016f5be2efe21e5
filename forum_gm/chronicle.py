"""The chronicle: every published turn of a campaign in one PDF, with the record that `forum-gm verify` checks attached."""

from __future__ import annotations

import json

from sqlalchemy import select

from forum_gm.pipeline.context import Context, NotNow
from forum_gm.pipeline.record import ATTACHED, record
from forum_gm.pipeline.render import PUBLIC, audience, telling
from forum_gm.storage.models import OutcomeRow, StepRow
from forum_gm.wording import counted
from renderers import Chronicle, Picture, Player, Turn, draw_png, render_chronicle
from rules.base import GM


def chronicle_pdf(ctx: Context, *, reader: str = PUBLIC) -> bytes:
    """The campaign so far. `reader`: the public (what the thread was told), or the GM (everything that was resolved).

    Raises `NotNow` while there is nothing to tell."""
    with ctx.store.reading() as session:
        query = select(OutcomeRow).where(
            OutcomeRow.campaign_id == ctx.campaign_id, OutcomeRow.number > 0, OutcomeRow.undone.is_(False)
        )
        rows = [row for row in session.scalars(query.order_by(OutcomeRow.number)) if row.told or reader == GM]
        if not rows:
            raise NotNow("Летописи ещё нет: не опубликован ни один шаг.")
        turns = []
        for row in rows:
            told = telling(ctx, session, row, reader)
            step = session.get(StepRow, row.step_row)
            when = (step.published_at if step is not None else None) or row.made_at
            maps = (Picture(draw_png(told.map), alt=f"Карта: {told.report.title}"),) if told.map is not None else ()
            turns.append(Turn(told.report, when.astimezone(ctx.settings.zone).date(), maps))
        over = ctx.campaign(session).over
        names: dict[str, list[str]] = {}
        for seat in ctx.seats(session):
            if seat.account_name and seat.account_name not in names.setdefault(seat.faction, []):
                names[seat.faction].append(seat.account_name)
        last = ctx.state(rows[-1])
        view = ctx.view(rows[-1], audience(reader))
        evidence = record(ctx, session, everything=reader == GM)
    players = tuple(
        Player(", ".join(names.get(f.id, ())) or "—", f.name, f.colour, "" if f.active else "выбыл")
        for f in ctx.ruleset.factions(last)
    )
    told_steps = counted(len(turns), "шаг", "шага", "шагов")
    chronicle = Chronicle(
        campaign=ctx.settings.campaign.title or ctx.ruleset.title,
        game=ctx.ruleset.title,
        date=turns[-1].date or rows[-1].made_at.date(),
        turns=tuple(turns),
        players=players,
        gm=", ".join(names.get(GM, ())),
        subtitle=f"Игра окончена: {told_steps}" if over else f"Игра продолжается: {told_steps}",
        standings=ctx.ruleset.standings(view),
    )
    return render_chronicle(
        chronicle,
        attachments={ATTACHED: json.dumps(evidence, ensure_ascii=False, sort_keys=True).encode()},
        rule_text=ctx.ruleset.rule_text,
        folders=(ctx.folder / "templates", ctx.ruleset.templates),
    )
