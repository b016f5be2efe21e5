"""A player's own report: his treasury, troops and buildings after his turn and before it; never everybody's tables again."""

from __future__ import annotations

import pytest

from rules.base import EVERYONE, Sheet, only, visible
from rules.dice import seeded_dice
from rules.grand_strategy import RULESET
from rules.report import Report, Section

ALL = ("aelin", "ghash", "radomir", "thorgrim")


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    """Every reader's report of Аэлин's first turn, in which she hires elves; Торгрим is next."""
    state = RULESET.new_game(RULESET.load_scenario(None))
    step = RULESET.step(state)
    assert step is not None
    orders = (
        {"type": "move", "unit": "A1", "path": ["Г4"]},
        {"type": "hire", "building": "Г3", "unit_type": "elves"},
        {"type": "end_turn"},
    )
    sheet = Sheet("aelin", tuple(RULESET.commands.parse(order) for order in orders))
    outcome = RULESET.resolve(state, [sheet], seeded_dice("own report"), closing=True)
    readers = {"all": EVERYONE, **{player: only(player) for player in ALL}}
    return {
        name: RULESET.report(RULESET.view(outcome.state, reader), visible(outcome.events, reader), step=step)
        for name, reader in readers.items()
    }


def section(report: Report, name: str) -> Section | None:
    return next((s for s in report.sections if s.id == name), None)


@pytest.mark.parametrize(
    ("player", "money"), [("aelin", "30 из 50, доход за год +18"), ("thorgrim", "50 из 50, доход за год +20")]
)
def test_R121_who_has_played_and_who_plays_next_read_of_their_own(reports: dict[str, Report], player: str, money: str) -> None:
    own = section(reports[player], "own")
    assert own is not None
    assert money in str(own)
    others = {"aelin": "Железная стража", "thorgrim": "Аэлин Ясновидящая"}
    assert others[player] not in str(own)


@pytest.mark.parametrize("player", ["ghash", "radomir"])
def test_R186_whom_the_turn_does_not_concern_is_told_nothing_more_than_the_public(
    reports: dict[str, Report], player: str
) -> None:
    public = reports["all"].sections
    assert [s.id for s in reports[player].sections if s not in public] == []


@pytest.mark.parametrize("reader", ["all", *ALL])
def test_everybodys_tables_stand_in_the_public_report_alone(reports: dict[str, Report], reader: str) -> None:
    assert (section(reports[reader], "standings") is not None) == (reader == "all")
    assert section(reports["all"], "own") is None
