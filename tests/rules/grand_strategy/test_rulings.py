"""Every ruling has a sentence for citations and is named by a test or an example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rules.grand_strategy import RULESET, data
from tests.rules.grand_strategy.story import stories

FOLDER = Path(__file__).parent
RULINGS = sorted(data.table("rulings")["ruling"], key=lambda r: int(r[1:]))


def named() -> set[str]:
    found = {rule for path in FOLDER.glob("*/*.txt") for story in stories(path) for rule in story.rules}
    for path in FOLDER.glob("test_*.py"):
        for name in re.findall(r"def (test_\w+)", path.read_text(encoding="utf-8")):
            found.update(re.findall(r"R\d+", name))
    return found


def test_all_rulings_of_the_rules_are_there() -> None:
    numbers = [*range(1, 40), *range(40, 93), 96, *range(100, 123), *range(150, 158), *range(162, 180), *range(180, 196)]
    assert [int(r[1:]) for r in RULINGS] == numbers


@pytest.mark.parametrize("rule", RULINGS)
def test_ruling_is_cited_and_tested(rule: str) -> None:
    text = RULESET.rule_text(rule)
    assert text is not None
    assert text.endswith(".")
    assert rule in named(), f"{rule} is named by no test"


def test_unknown_ruling() -> None:
    assert RULESET.rule_text("R999") is None
