"""One word of an order that nobody knows: the order asks, and is hardly ever lost or turned into another (`tests.corpus.strange`)."""

from __future__ import annotations

import pytest

from tests.corpus.strange import strange

MOST = {"astral": 5.0, "steel_rose": 5.0, "grand_strategy": 10.0}
"""Silent errors per 100 changed words at most: what is reached, not the goal."""
CHANGES = 150


@pytest.mark.parametrize("game", MOST)
def test_an_order_with_a_made_up_word_is_seldom_silently_lost_or_wrong(game: str) -> None:
    found = strange(game, CHANGES)
    assert found.tried > CHANGES // 2
    assert found.silent <= MOST[game], "\n".join([*found.lost, *found.wrong])
