"""Whole games by Russian posts, from the opening to the last standings; their public posts are kept as a regression."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from rules import registry
from rules.steel_rose.wording import texts
from tests.games.harness import Game, Happening, Played, Said, Script, path_in, read_script

FOLDER = Path(__file__).parent
GAMES = sorted(p for p in FOLDER.glob("*/*.txt") if "." not in p.stem)
BLOW = re.compile(r"^(Нападение|Оборона): ")
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
    if script.head.get("messages"):
        told = [f"{', '.join(to)}: {subject}\n\n{without_blows(text)}" for to, subject, text in played.messages]
        kept(path.with_suffix(".messages.txt"), "\n\n----\n\n".join(told) + "\n")


def without_blows(text: str) -> str:
    """A report without the blows of its battles: their hundreds of lines would bury everything else."""
    return "\n".join(line for line in text.splitlines() if not BLOW.match(line))


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


def test_every_victory_and_every_way_out_of_steel_rose_has_a_game_R77_R102_R108_R114_R124_R127_R143_R146_R156_R158() -> None:
    """Each faction's list, both ends at midnight, several together, «any»; and out: cities taken, ruined, corrupted, sacked."""
    played = {path.stem: path for path in GAMES if path.parent.name == "steel_rose"}
    start = registry.get("steel_rose").load_scenario(None).data["start"]
    wins = {f"victory_{faction}": {faction} for faction in start}
    wins |= {"victory_midnight": {"empire"}, "victory_midnight_joint": {"empire", "principality"}}
    wins |= {"victory_together": {"elves", "cult"}, "victory_any": {"empire"}}
    for name, winners in wins.items():
        assert set(read_script(played[name]).head["winners"]) == winners, name
    ways = {"out_last_city": "no_cities", "out_ruins": "no_cities", "out_corruption": "no_cities", "out_gm": "gm"}
    ways |= {"out_mobile_city": "mobile_city", "out_hunger": "hunger", "victory_midnight": "midnight"}
    for name, reason in ways.items():
        acts = [act for chapter in read_script(played[name]).chapters for act in chapter.acts]
        assert any(isinstance(a, Happening) and a.kind == "eliminated" and a.facts.get("reason") == reason for a in acts), name
    assert set(ways.values()) == set(texts()["elimination"])


def test_every_fate_of_a_city_is_chosen_after_the_battle_R94_R95_R96_R97() -> None:
    """In the long game the victors are asked, and answer, with each of the three fates."""
    script = read_script(FOLDER / "steel_rose" / "nine_turns.txt")
    acts = [act for chapter in script.chapters if chapter.title == "capture" for act in chapter.acts]
    assert {a.facts["choice"] for a in acts if isinstance(a, Happening)} == {"colonize", "plunder", "destroy"}


def test_rolls_of_a_battle_are_not_told_in_public() -> None:
    """Their ranges tell how many stood where (steel_rose R101): they come from the hidden secret, revealed at the end."""
    text = (FOLDER / "steel_rose" / "nine_turns.posts.txt").read_text("utf-8")
    assert "Бой за город" in text
    assert "битва," not in text
