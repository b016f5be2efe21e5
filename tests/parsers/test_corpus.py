"""The order corpus is understood at least as well as ever before: no figure of any file falls below its floor."""

from __future__ import annotations

from pathlib import Path

import pytest

from forum_gm.understand import post_text
from tests.corpus.floors import Floors, of_file, table
from tests.corpus.scoring import HERE, game_of, has_language, load, score

FILES = [path for path in sorted(HERE.glob("*.toml")) if game_of(path)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_figure_falls_below_its_floor(path: Path) -> None:
    game = game_of(path)
    assert game is not None
    if not has_language(game):
        pytest.skip(f"the order language of {game} does not exist yet")
    result = score(game, load(path))
    floors = of_file(path.stem)
    below = {name: value for name, value in result.figures().items() if not floors.holds(name, value)}
    assert not below, "\n".join([str(below), *result.wrong])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_post_is_well_formed(path: Path) -> None:
    """A mistake in the corpus itself must not hide as a misunderstanding."""
    posts = load(path)
    assert len({post["id"] for post in posts}) == len(posts)
    for post in posts:
        text = post_text(post["text"], post.get("format", "bbcode")).text
        for command in post.get("commands", []):
            assert command.get("src", text) in text, (post["id"], command)
        for problem in post.get("problems", []):
            assert problem["at"] in text, (post["id"], problem)
            assert problem["severity"] in {"error", "warning", "question"}


def test_every_floor_belongs_to_a_file() -> None:
    assert set(table()) - {"goal"} <= {path.stem for path in FILES}


def test_silent_errors_are_a_ceiling_the_rest_floors() -> None:
    floors = Floors({"silent": 0.3, "f1": 0.97})
    assert floors.holds("silent", 0.0)
    assert not floors.holds("silent", 0.31)
    assert floors.holds("f1", 0.97)
    assert not floors.holds("f1", 0.9699)
    assert floors.holds("another", 0.0)


def test_the_share_of_certain_commands_counts_only_right_ones() -> None:
    """Asking about a right command is measured; a missing or wrong one says nothing about asking."""
    sure = {"type": "vote_rune", "rune": "abundance"}
    posts = [
        {"id": "plain", "faction": "buyny", "text": "голос за Изобилие", "commands": [sure]},
        {"id": "misspelt", "faction": "buyny", "text": "голос за изабилие", "commands": [sure]},
        {"id": "wrong", "faction": "buyny", "text": "голос за Дань", "commands": [sure]},
    ]
    result = score("astral", posts)
    assert result.figures()["certain"] == 0.5
    assert [line.split(":")[0] for line in result.asked] == ["misspelt"]
