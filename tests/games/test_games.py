"""Whole games by Russian posts, from the opening to the last standings; their public posts are kept as a regression."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.games.harness import Game, Played, Said, Script, path_in, read_script

FOLDER = Path(__file__).parent
GAMES = sorted(p for p in FOLDER.glob("*/*.txt") if "." not in p.stem)
LONG_ENOUGH = 24
"""Characters of a private line that can't stand in a public post by chance."""


@pytest.mark.parametrize("path", GAMES, ids=[f"{p.parent.name}-{p.stem}" for p in GAMES])
def test_game(path: Path, tmp_path: Path) -> None:
    script = read_script(path)
    played = Game(script, tmp_path).play()
    assert played.winners == script.head.get("winners", [])
    assert played.over == script.head.get("over", bool(played.winners))
    for place, value in script.head.get("end", {}).items():
        assert path_in(played.state, place) == value, place
    assert "Всё сходится" in played.verified
    keeps_secrets(script, played)
    kept(path.with_suffix(".posts.txt"), "\n\n----\n\n".join([*played.public, played.standings]) + "\n")
    kept(path.with_suffix(".orders.txt"), "\n".join(played.understood) + "\n")


def keeps_secrets(script: Script, played: Played) -> None:
    """Nothing that was said in private, and none of the script's secrets, stands in a public post."""
    public = "\n".join(played.public)
    for word in script.head.get("secrets", []):
        assert word.casefold() not in public.casefold(), f"в общей теме: {word}"
    for chapter in script.chapters:
        for said in chapter.acts:
            if isinstance(said, Said) and said.how == "лично":
                for line in said.text.splitlines():
                    assert len(line) < LONG_ENOUGH or line.strip() not in public


def kept(path: Path, text: str) -> None:
    """Compares with what was kept; RECORD_GAMES=1 writes it anew."""
    if os.environ.get("RECORD_GAMES"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, f"{path.name}: RECORD_GAMES=1 запишет заново"


def test_rolls_of_a_battle_are_not_told_in_public() -> None:
    """Their ranges tell how many stood where (steel_rose R101): they come from the hidden secret, revealed at the end."""
    text = (FOLDER / "steel_rose" / "nine_turns.posts.txt").read_text("utf-8")
    assert "Бой за город" in text
    assert "битва," not in text
