"""The demo's posts: enough of everything that players do."""

from __future__ import annotations

from pathlib import Path

import pytest

from forum_gm.demo.script import available, load
from forum_gm.errors import UsageProblem
from rules import registry


@pytest.mark.parametrize("ruleset", available())
def test_demo_plays_every_faction_of_the_default_scenario(ruleset: str) -> None:
    script = load(ruleset)
    rules = registry.get(ruleset)
    factions = {f.id for f in rules.factions(rules.new_game(rules.load_scenario(None)))}
    assert {player.faction for player in script.players} == factions


def test_astral_demo_shows_what_happens_on_forums() -> None:
    script = load("astral")
    assert len(script.players) == 6
    assert any(post.edits for post in script.posts)
    assert any(post.late is not None for post in script.posts)
    authors = [post.by for post in script.posts]
    assert any(authors.count(author) == 2 for author in authors)


def test_unknown_demo_is_one_sentence() -> None:
    with pytest.raises(UsageProblem, match="показа нет"):
        load("нет такой")


def test_mistake_in_a_script_names_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.toml").write_text("ruleset = 1", "utf-8")
    monkeypatch.setattr("forum_gm.demo.script.POSTS", tmp_path)
    with pytest.raises(UsageProblem, match=r"x\.toml: "):
        load("x")
