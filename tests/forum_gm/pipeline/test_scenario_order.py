"""The order of a scenario's tables survives the store: a campaign of any game replays from its first state."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forum_gm.forums.clock import ManualClock
from forum_gm.pipeline.context import Context, seeded_secrets
from forum_gm.pipeline.start import start
from forum_gm.pipeline.verify import verify
from forum_gm.storage import Store
from rules import registry
from tests.forum_gm.pipeline.tiny import START, settings


@pytest.mark.parametrize("game", ["astral", "steel_rose", "grand_strategy"])
def test_a_new_campaign_follows_from_its_stored_scenario(tmp_path: Path, game: str) -> None:
    rules = registry.get(game)
    (tmp_path / "scenario.toml").write_text(rules.default_scenario_text(), "utf-8")
    config = settings(players=(), gm=settings().gm)
    campaign = config.campaign.model_copy(update={"ruleset": game, "scenario": "scenario.toml"})
    config = config.model_copy(update={"campaign": campaign})
    ctx = Context(tmp_path, config, Store(config.database_url(tmp_path)), rules, ManualClock(START), None, seeded_secrets("x"))
    start(ctx)
    assert "Всё сходится" in verify(ctx)
    with ctx.store.reading() as session:
        assert json.loads(ctx.campaign(session).scenario["json"])
