"""How well the posts of `astral` are understood: the figures may only get better."""

from __future__ import annotations

import pytest

from tests.corpus.scoring import HERE, load, score


@pytest.mark.parametrize("name", ["astral", "astral_own", "astral_phrases"])
def test_posts_are_understood(name: str) -> None:
    result = score("astral", load(HERE / f"{name}.toml"))
    assert result.accounted == result.posts
    assert result.f1 >= 0.99, result.wrong
    assert result.right / result.posts >= 0.98, result.wrong
    assert result.silent == 0, result.wrong
    assert result.found / max(1, result.wanted) >= 0.98, result.wrong
    assert result.coded / max(1, result.wanted) >= 0.95, result.wrong
