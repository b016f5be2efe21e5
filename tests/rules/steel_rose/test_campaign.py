"""A scripted campaign of nine turns, its public story and every faction's story kept as a regression (games/campaign)."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from rules.base import EVERYONE, Audience, Sheet, only, visible
from rules.dice import seeded_dice
from rules.report import Block, Bullets, FigureBlock, Lines, Paragraph, Report, Rich, Section, Table
from rules.steel_rose import RULESET
from rules.steel_rose.state import State

FOLDER = Path(__file__).with_name("games") / "campaign"


def sheets(orders: dict[str, list[dict[str, Any]]], awaited: set[str] | None = None) -> list[Sheet]:
    return [
        Sheet(f, tuple(RULESET.commands.parse(c) for c in commands))
        for f, commands in orders.items()
        if awaited is None or f in awaited
    ]


def plain(rich: Rich) -> str:
    """The words of a rich text; rulings in brackets."""
    return "".join(
        piece if isinstance(piece, str) else f"[{piece.rule}]" if hasattr(piece, "rule") else piece.text for piece in rich
    )


def told(block: Block) -> list[str]:
    """A block as lines, whatever the renderers do."""
    if isinstance(block, Section) and block.id.startswith("blows-"):
        return ["", f"## {block.title}"]
    if isinstance(block, Section):
        return ["", f"## {block.title}", *(line for part in block.blocks for line in told(part))]
    if isinstance(block, Paragraph):
        return [plain(block.text)]
    if isinstance(block, Bullets):
        return [f"- {plain(item)}" for item in block.items]
    if isinstance(block, Lines):
        return [plain(line) for line in block.lines]
    if isinstance(block, Table):
        rows = [*block.rows, *([block.total] if block.total is not None else [])]
        return [" | ".join(c.title for c in block.columns), *(" | ".join(plain(cell) for cell in row) for row in rows)]
    assert isinstance(block, FigureBlock)
    return [f"({block.caption})"]


def story(report: Report) -> str:
    """A report as text."""
    lines = [line for block in (*report.summary, *report.sections) for line in told(block)]
    return "\n".join([f"# {report.title}", *lines])


def played() -> tuple[State, dict[str, str]]:
    """The last state, and the reports of each reader as text."""
    record = tomllib.loads((FOLDER / "nine_turns.toml").read_text(encoding="utf-8"))
    state: State = RULESET.new_game(RULESET.load_scenario(None))
    readers: dict[str, Audience] = {"public": EVERYONE, **{f: only(f) for f in state.factions}}
    pages: dict[str, list[str]] = {name: [] for name in readers}
    for turn in record["turn"]:
        while (step := RULESET.step(state)) is not None:
            key = "orders" if step.kind == "orders" else step.kind
            awaited = None if step.kind == "orders" else {w.faction for w in step.waits}
            given = sheets(turn.get(key, {}), awaited)
            outcome = RULESET.resolve(state, given, seeded_dice(record["seed"], step.id), closing=True)
            for name, reader in readers.items():
                view = RULESET.view(outcome.state, reader)
                pages[name].append(story(RULESET.report(view, visible(outcome.events, reader), step=step)))
            done = outcome.state.turn > state.turn or outcome.state.phase == "over"
            state = RULESET.load(RULESET.dump(outcome.state))
            if done:
                break
    return state, {name: "\n\n".join(texts) + "\n" for name, texts in pages.items()}


def test_nine_turns_end_in_a_victory_R156_R160():
    state, stories = played()
    assert RULESET.step(state) is None
    assert state.turn == 9
    assert state.winners
    for name, text in stories.items():
        path = FOLDER / f"{name}.txt"
        if os.environ.get("RECORD_GAMES"):
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: RECORD_GAMES=1 writes the new story"
