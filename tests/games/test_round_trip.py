"""What the echo «понял так» says can be pasted back as an order: `describe(command)`, read again, is the same command."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from forum_gm.understand import understand
from parsers.text import from_text
from rules import registry
from rules.base import Command, command_to_json, only

CORPUS = Path(__file__).parents[1] / "corpus"
OUTSIDE = {"src", "certain", "note", "source"}
FILES = ("astral.toml", "astral_phrases.toml", "astral_voices.toml")
NOT_BACK = {
    "share_info": "«Рассказать владыке Аскольд: …» names the lord as the map does, and no order begins so",
    "use_feature": "the feature's own shard stands in brackets, and is taken for the target",
}
"""Command types whose description is no order text yet, and why."""


def commands() -> list[tuple[str, Command]]:
    """Each command of the corpus once, with its issuer."""
    types = registry.get("astral").commands
    found: dict[str, tuple[str, Command]] = {}
    for name in FILES:
        for post in tomllib.loads((CORPUS / name).read_text(encoding="utf-8"))["post"]:
            for raw in post["commands"]:
                bare: dict[str, Any] = {k: v for k, v in raw.items() if k not in OUTSIDE}
                command = types.parse(bare)
                found.setdefault(f"{post['faction']} {command_to_json(command)}", (post["faction"], command))
    return list(found.values())


def back(faction: str, command: Command) -> tuple[str, list[dict[str, Any]]]:
    """The description, and the commands read from it."""
    ruleset = registry.get("astral")
    state = ruleset.new_game(ruleset.load_scenario(None))
    text = ruleset.describe(ruleset.view(state, only(faction)), command)
    parse = understand(ruleset, state, faction, "turn", from_text(text))
    return text, [command_to_json(ruleset.commands.parse(reading.command)) for reading in parse.readings]


@pytest.mark.parametrize("kind", sorted({command_to_json(c)["type"] for _, c in commands()} - set(NOT_BACK)))
def test_described_order_is_read_back(kind: str) -> None:
    for faction, command in commands():
        raw = command_to_json(command)
        if raw["type"] != kind:
            continue
        text, read = back(faction, command)
        # One share says the other.
        if "troop_share" in raw and "magic_share" not in raw:
            read = [{k: v for k, v in found.items() if k != "magic_share"} for found in read]
        assert read == [raw], text
