"""Begins a campaign: the scenario, the first state, the first step with its committed dice; and keeps the seats current."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from forum_gm.commands.files import read_toml
from forum_gm.config import Account
from forum_gm.pipeline.context import SERVICE, Context
from forum_gm.storage.base import canonical, sha256
from forum_gm.storage.models import Campaign, Channel, DiceSecret, OutcomeRow, Seat, StepRow, StepStatus
from rules.base import GM, RulesError, Step
from rules.dice import commitment

GENESIS = sha256("forum-gm campaign")
"""What the hash chain of the outcomes begins with."""


def start(ctx: Context) -> bool:
    """Starts the campaign if it isn't in the store yet, and brings seats and channels up to the configuration.

    True when it was started now. Raises `UsageProblem` and `RulesError` for a broken scenario or an unknown faction."""
    with ctx.exclusive(), ctx.store.writing() as session:
        fresh = session.get(Campaign, ctx.campaign_id) is None
        if fresh:
            _new_campaign(ctx, session)
        _sync_seats(ctx, session)
        _sync_channels(ctx, session)
        return fresh


def _scenario(ctx: Context) -> dict[str, Any] | None:
    name = ctx.settings.campaign.scenario
    return read_toml(ctx.folder / name) if name else None


def _new_campaign(ctx: Context, session: Session) -> None:
    raw = _scenario(ctx)
    scenario = ctx.ruleset.load_scenario(raw)
    state = ctx.ruleset.new_game(scenario)
    now = ctx.clock.now()
    title = ctx.settings.campaign.title or scenario.title
    campaign = Campaign(
        id=ctx.campaign_id,
        title=title,
        ruleset=ctx.ruleset.id,
        ruleset_version=ctx.ruleset.version,
        # As text: the store sorts the keys of JSON, and the order of a scenario's tables means something to the rules.
        scenario={"json": json.dumps(raw, ensure_ascii=False, default=str)},
        made_at=now,
    )
    session.add(campaign)
    session.flush()
    first = OutcomeRow(
        campaign_id=ctx.campaign_id,
        number=0,
        parent_number=None,
        step_row=None,
        step_id="",
        attempt=1,
        closing=True,
        sheets=[],
        orders=[],
        dice_posts=[],
        secret_number=None,
        state=ctx.ruleset.dump(state),
        events=[],
        draws=[],
        ruleset_version=ctx.ruleset.version,
        made_at=now,
        prev_hash=GENESIS,
        hash="",
    )
    first.hash = outcome_hash(first)
    session.add(first)
    session.flush()
    campaign.head_id = first.id
    step = ctx.ruleset.step(state)
    if step is None:
        raise RulesError("В этом сценарии никого не ждут: игра кончается до первого хода.")
    next_step(ctx, session, step, first, 1)
    ctx.audit(session, SERVICE, "start", {"title": title, "ruleset": ctx.ruleset.id, "version": ctx.ruleset.version})


def new_secret(ctx: Context, session: Session) -> DiceSecret:
    """A fresh pair of dice secrets, not yet committed."""
    number = max(1, ctx.next_number(session, DiceSecret.number))
    public, hidden = ctx.secrets(number)
    secret = DiceSecret(
        campaign_id=ctx.campaign_id,
        number=number,
        public_secret=public.hex(),
        hidden_secret=hidden.hex(),
        public_commitment=commitment(public),
        hidden_commitment=commitment(hidden),
        made_at=ctx.clock.now(),
    )
    session.add(secret)
    session.flush()
    return secret


def next_step(ctx: Context, session: Session, step: Step, base: OutcomeRow, number: int) -> StepRow:
    """The row of a step that begins with `base`, waiting to be announced, with its own dice."""
    row = StepRow(
        campaign_id=ctx.campaign_id,
        number=number,
        step_id=step.id,
        kind=step.kind,
        title=step.title,
        definition=step.to_json(),
        base_id=base.id,
        status=StepStatus.WAITING,
        secret_id=new_secret(ctx, session).id,
    )
    session.add(row)
    session.flush()
    return row


def outcome_hash(row: OutcomeRow) -> str:
    """The hash of an outcome, which carries that of the one before it."""
    content = [
        row.campaign_id,
        row.number,
        row.parent_number,
        row.step_id,
        row.attempt,
        row.closing,
        row.portion or 0,
        row.sheets,
        row.orders,
        row.dice_posts,
        row.secret_number,
        row.state,
        row.events,
        row.draws,
        row.ruleset_version,
        row.prev_hash,
    ]
    return sha256(canonical(content))


def _sync_seats(ctx: Context, session: Session) -> None:
    """Adds the seats of the configuration that aren't known; changes made on the desk stay."""
    known_factions = {f.id for f in ctx.ruleset.factions(ctx.state(ctx.outcome(session, 0)))}
    wanted: list[tuple[str, Account]] = [(GM, account) for account in ctx.settings.gm.accounts]
    for player in ctx.settings.players:
        if player.faction not in known_factions:
            names = ", ".join(sorted(known_factions))
            raise RulesError(f"config.toml: в сценарии нет стороны «{player.faction}». Есть: {names}.")
        wanted.extend((player.faction, account) for account in player.accounts)
    rows = {(seat.faction, seat.account_id, seat.since_step): seat for seat in ctx.seats(session)}
    for faction, account in wanted:
        seat = rows.get((faction, account.id, account.since))
        if seat is None:
            session.add(
                Seat(
                    campaign_id=ctx.campaign_id,
                    faction=faction,
                    account_id=account.id,
                    account_name=account.name,
                    since_step=account.since,
                    until_step=account.until or None,
                )
            )
        else:
            seat.account_name, seat.until_step = account.name, account.until or None


def _sync_channels(ctx: Context, session: Session) -> None:
    settings = ctx.settings
    wanted: list[tuple[str, str, str | None]] = []
    if settings.channels.topic:
        wanted.append(("topic", str(settings.channels.topic), None))
    wanted.extend(("topic", str(player.topic), player.faction) for player in settings.players if player.topic)
    if settings.channels.messages and settings.forum.user:
        wanted.append(("inbox", "", None))
    query = select(Channel).where(Channel.campaign_id == ctx.campaign_id)
    rows = {(channel.kind, channel.ref): channel for channel in session.scalars(query)}
    for kind, ref, faction in wanted:
        channel = rows.get((kind, ref))
        if channel is None:
            session.add(Channel(campaign_id=ctx.campaign_id, kind=kind, ref=ref, faction=faction, cursor={}))
        else:
            channel.faction = faction
