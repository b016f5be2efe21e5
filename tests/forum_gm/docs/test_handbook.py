"""The pages made from the program are current, and every example on them means exactly what it says."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from forum_gm import guide, reference
from forum_gm.cli import COMMANDS, as_command, load
from forum_gm.config import Settings
from forum_gm.handbook import pages
from forum_gm.wording import counted
from parsers.types import Severity
from rules import registry
from rules.base import command_to_json

DOCS = Path(__file__).parents[3] / "docs"
GAMES = [name for name in registry.available() if registry.package(name).joinpath("data", guide.FILE).is_file()]


@cache
def reader(game: str) -> guide.Reader:
    return guide.Reader(game, guide.read_guide(game))


def examples() -> Iterator[tuple[str, guide.Example]]:
    for game in GAMES:
        for section in guide.read_guide(game).sections:
            for example in section.examples:
                yield game, example


@pytest.mark.parametrize(
    ("game", "example"), list(examples()), ids=lambda value: value if isinstance(value, str) else value.say[:40]
)
def test_example_means_exactly_what_the_page_says(game: str, example: guide.Example) -> None:
    read = reader(game)
    parse, types = read.read(example), read.ruleset.commands
    got = [command_to_json(types.parse(reading.command)) for reading in parse.readings]
    assert got == [command_to_json(types.parse(command)) for command in example.commands]
    assert all(reading.certain for reading in parse.readings) is not example.unsure
    codes = {problem.code for problem in parse.problems}
    assert set(example.problems) <= codes
    grave = {problem.code for problem in parse.problems if problem.severity is not Severity.WARNING}
    assert grave <= set(example.problems)


@pytest.mark.parametrize("game", GAMES)
def test_every_order_of_a_player_has_an_example(game: str) -> None:
    types = registry.get(game).commands
    shown = {command["type"] for _, example in examples() if _ == game for command in example.commands}
    missing = [name for name in types if not types[name].by_gm and name not in shown]
    assert not missing, counted(len(missing), "приказ", "приказа", "приказов")


def test_pages_are_current() -> None:
    stale = [name for name, text in pages() if not (DOCS / name).is_file() or (DOCS / name).read_text("utf-8") != text]
    assert not stale, "run: make docs"


def test_every_command_is_in_the_reference_with_words_for_everything() -> None:
    page = reference.render()
    for name in COMMANDS:
        for entry in reference.entries(as_command(load(name), name), f"forum-gm {name}"):
            assert f"\n## {entry['name']}\n" in page
            assert is_russian(entry["help"]), entry["name"]
            for parameter in entry["parameters"]:
                assert is_russian(parameter["help"]), (entry["name"], parameter["written"])


def test_every_setting_is_in_the_reference_with_words() -> None:
    page = reference.render()
    for table in reference.tables(Settings):
        assert f"[{table['name']}]" in page
        assert is_russian(table["title"]), table["name"]
        for key in table["keys"]:
            assert f"| `{key['name']}` |" in page
            assert is_russian(key["help"]), (table["name"], key["name"])


def is_russian(text: str) -> bool:
    return any("а" <= letter <= "я" for letter in text.lower())


def test_forms_of_one_word_are_shown_once() -> None:
    assert guide.distinct(["=деф", "деф", "=дефу", "оборона", "стена", "=стенку", "атак*"]) == [
        "деф",
        "оборона",
        "стена",
        "атак…",
    ]
    assert guide.distinct(["пехотой", "пех.", "пехотинцы"], ["Пехота"]) == ["пех", "пехотинцы"]
