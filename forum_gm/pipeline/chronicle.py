"""The campaign so far as one PDF for archivists: every turn as a reader was told it, who played, and the record of the dice."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import select
from sqlalchemy.orm import Session

from forum_gm.campaign import accounts_of
from forum_gm.pipeline.context import Context, NotNow
from forum_gm.pipeline.pictures import PUBLIC
from forum_gm.pipeline.record import ATTACHED, record
from forum_gm.pipeline.render import audience, day_of, silent, telling
from forum_gm.storage.base import canonical
from forum_gm.storage.models import OutcomeRow, StepRow, StepStatus
from forum_gm.wording import counted
from renderers.document import without_figure
from renderers.maps import draw_png
from renderers.pdf import Chronicle, Picture, Player, Turn, render_chronicle
from rules.base import GM
from rules.report import Report


def chronicle(ctx: Context, reader: str = PUBLIC, progress: Callable[[int, int], None] = lambda done, total: None) -> bytes:
    """The chronicle for a reader: the public, or `gm` (everything). Only steps that have been published; for the GM also one
    that is resolved. Raises `NotNow` while there is none."""
    with ctx.store.reading() as session:
        told = (StepStatus.PUBLISHED, StepStatus.RESOLVED) if reader == GM else (StepStatus.PUBLISHED,)
        query = (
            select(OutcomeRow)
            .join(StepRow, OutcomeRow.step_row == StepRow.id)
            .where(OutcomeRow.campaign_id == ctx.campaign_id, OutcomeRow.undone.is_(False), StepRow.status.in_(told))
            .order_by(OutcomeRow.number)
        )
        outcomes = list(session.scalars(query))
        if not outcomes:
            raise NotNow("Летописи ещё нет: ни один шаг не опубликован.")
        turns = []
        for done, outcome in enumerate(outcomes, start=1):
            turns.append(_turn(ctx, session, outcome, reader))
            progress(done, len(outcomes))
        campaign = ctx.campaign(session)
        last = outcomes[-1]
        steps = counted(len({o.step_row for o in outcomes}), "шаг", "шага", "шагов")
        book = Chronicle(
            campaign=campaign.title,
            game=ctx.ruleset.title,
            date=day_of(ctx, last),
            turns=tuple(turns),
            players=_players(ctx, session, last),
            gm=", ".join(account.name for account in ctx.settings.gm.accounts),
            subtitle=f"Игра окончена, позади {steps}" if campaign.over else f"Игра продолжается, позади {steps}",
            standings=_standings(ctx, last, reader),
        )
        raw = record(ctx, session, everything=True) if reader == GM else record(ctx, session)
    return render_chronicle(
        book,
        attachments={ATTACHED: canonical(raw).encode()},
        rule_text=ctx.ruleset.rule_text,
        folders=(ctx.folder / "templates", ctx.ruleset.templates),
    )


def _standings(ctx: Context, last: OutcomeRow, reader: str) -> Report:
    """How the sides stand, without the map: the title page shows it."""
    view = ctx.view(last, audience(reader))
    return without_figure(ctx.ruleset.standings(view), ctx.ruleset.map(view))


def _turn(ctx: Context, session: Session, outcome: OutcomeRow, reader: str) -> Turn:
    told = telling(ctx, session, outcome, reader)
    limit = ctx.settings.board.attachment_kb * 1024
    maps = (Picture(draw_png(told.map, limit), alt=told.map.title),) if told.map is not None else ()
    return Turn(without_figure(told.report, told.map), day_of(ctx, outcome), maps, silent(ctx, session, outcome))


def _players(ctx: Context, session: Session, last: OutcomeRow) -> tuple[Player, ...]:
    seats = ctx.seats(session)
    number = session.get_one(StepRow, last.step_row).number
    players = []
    for faction in ctx.ruleset.factions(ctx.state(last)):
        names = ", ".join(name for _, name in accounts_of(seats, faction.id, number))
        players.append(Player(names or "—", faction.name, faction.colour, "" if faction.active else "выбыл"))
    return tuple(players)
