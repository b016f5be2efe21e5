"""Plays every plain-text example: the worked examples of the rules and more, each named by its rulings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.grand_strategy.story import Story, Teller, stories

FOLDER = Path(__file__).parent
ALL = [s for path in sorted(FOLDER.glob("examples/*.txt")) for s in stories(path)]


@pytest.mark.parametrize("story", ALL, ids=[f"{s.name}-{'-'.join(s.rules[:4])}" for s in ALL])
def test_example(story: Story) -> None:
    Teller().play(story.lines)


def test_names_are_unique() -> None:
    assert len({s.name for s in ALL}) == len(ALL)
