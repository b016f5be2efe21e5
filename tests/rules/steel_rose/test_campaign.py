"""A scripted campaign of nine turns, its public story and every faction's story kept as a regression (games/campaign)."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from renderers.text import render_text
from rules.base import EVERYONE, Audience, Sheet, only, visible
from rules.dice import seeded_dice
from rules.steel_rose import RULESET
from rules.steel_rose.state import State

FOLDER = Path(__file__).with_name("games") / "campaign"


def sheets(orders: dict[str, list[dict[str, Any]]], awaited: set[str] | None = None) -> list[Sheet]:
    return [
        Sheet(f, tuple(RULESET.commands.parse(c) for c in commands))
        for f, commands in orders.items()
        if awaited is None or f in awaited
    ]


def played() -> tuple[State, dict[str, str]]:
    """The last state, and the reports of each reader as text."""
    record = tomllib.loads((FOLDER / "nine_turns.toml").read_text(encoding="utf-8"))
    state: State = RULESET.new_game(RULESET.load_scenario(None))
    readers: dict[str, Audience] = {"public": EVERYONE, **{f: only(f) for f in state.factions}}
    told: dict[str, list[str]] = {name: [] for name in readers}
    for turn in record["turn"]:
        while (step := RULESET.step(state)) is not None:
            key = "orders" if step.kind == "orders" else step.kind
            awaited = None if step.kind == "orders" else {w.faction for w in step.waits}
            given = sheets(turn.get(key, {}), awaited)
            outcome = RULESET.resolve(state, given, seeded_dice(record["seed"], step.id), closing=True)
            for name, reader in readers.items():
                view = RULESET.view(outcome.state, reader)
                told[name].append(render_text(RULESET.report(view, visible(outcome.events, reader), step=step)))
            done = outcome.state.turn > state.turn or outcome.state.phase == "over"
            state = RULESET.load(RULESET.dump(outcome.state))
            if done:
                break
    return state, {name: "\n\n".join(texts) + "\n" for name, texts in told.items()}


def test_nine_turns_end_in_a_victory_R156_R160():
    state, told = played()
    assert RULESET.step(state) is None
    assert state.turn == 9
    assert state.winners
    for name, text in told.items():
        path = FOLDER / f"{name}.txt"
        if os.environ.get("RECORD_GAMES"):
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: RECORD_GAMES=1 writes the new story"
