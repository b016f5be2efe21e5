"""Reads the posts of a corpus file and compares with their right reading.

A file holds `[[post]]` tables: `id`, `faction`, `step` (where a game has several), `format` (`bbcode` where absent), `text`, `commands`
(with the verbatim `src` that carries each, where known) and `problems` (`code`, `severity`, the verbatim place `at`).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Any

from forum_gm.understand import audience_of, post_text, understand_view
from parsers.types import Parse
from rules import registry

HERE = Path(__file__).parent
# Fields that a reader may fill in from the rules although the player did not write them.
DERIVABLE = {
    "astral": {"energy", "troop_energy", "magic_energy", "troop_share", "magic_share", "group_position", "items"},
    "steel_rose": {"battle"},
    "grand_strategy": {"battle"},
}
ORDERED = {"path", "cards", "order", "units", "targets", "actions"}
DEFAULTS = {
    "levels": 1, "afloat": False, "assault": False, "once": True, "walls": True, "capture": True, "preserve": True,
    "keep_ruins": True, "regroup": "keep",
}  # fmt: skip


@dataclass
class Score:
    """How well the posts of one file were understood."""

    posts: int = 0
    commands: int = 0
    hits: int = 0
    sure: int = 0
    """Right commands that are certain: the others make the player confirm what was understood anyway."""
    extra: int = 0
    missing: int = 0
    right: int = 0
    silent: int = 0
    wanted: int = 0
    found: int = 0
    coded: int = 0
    accounted: int = 0
    lines: int = 0
    """Non-blank lines of the posts."""
    seconds: float = 0.0
    """Processor time of reading and checking them, without the game's start."""
    wrong: list[str] = field(default_factory=list)
    """What is wrong, one line a finding."""
    asked: list[str] = field(default_factory=list)
    """Right commands that ask, with the reason, one line each."""

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall of commands."""
        return 2 * self.hits / max(1, 2 * self.hits + self.extra + self.missing)

    def figures(self) -> dict[str, float]:
        """The figures that have floors (`silent`: a ceiling)."""
        wanted = max(1, self.wanted)
        return {
            "f1": self.f1,
            "right": self.right / max(1, self.posts),
            "silent": 100 * self.silent / max(1, self.commands),
            "certain": self.sure / self.hits if self.hits else 1.0,
            "problems": self.found / wanted if self.wanted else 1.0,
            "codes": self.coded / wanted if self.wanted else 1.0,
            "accounted": self.accounted / max(1, self.posts),
        }


def load(path: Path) -> list[dict[str, Any]]:
    """The posts of a file."""
    posts: list[dict[str, Any]] = tomllib.loads(path.read_text("utf-8"))["post"]
    return posts


def game_of(path: Path) -> str | None:
    """The ruleset whose posts a file holds, by its name; None: no installed ruleset."""
    return next((name for name in registry.available() if path.stem.startswith(name)), None)


def has_language(ruleset: str) -> bool:
    """Whether the ruleset reads posts already."""
    name = f"rules.{ruleset}.language"
    return find_spec(name) is not None and hasattr(import_module(name), "order_language")


def score(ruleset: str, posts: Sequence[Mapping[str, Any]]) -> Score:
    """Reads each post at the start of the default scenario and compares with its right reading."""
    rules = registry.get(ruleset)
    state = rules.new_game(rules.load_scenario(None))
    views: dict[str, Any] = {}
    total = Score()
    for post in posts:
        if post["faction"] not in views:
            views[post["faction"]] = rules.view(state, audience_of(post["faction"]))
            understand_view(rules, views[post["faction"]], None, post_text("", "text"))
        started = process_time()
        parse = understand_view(
            rules, views[post["faction"]], post.get("step"), post_text(post["text"], post.get("format", "bbcode"))
        )
        total.seconds += process_time() - started
        total.lines += sum(1 for line in parse.text.splitlines() if line.strip())
        _add(total, ruleset, post, parse)
    return total


def _add(total: Score, ruleset: str, post: Mapping[str, Any], parse: Parse) -> None:
    text = parse.text
    left = list(parse.readings)
    missing = []
    for gold in post.get("commands", []):
        hit = next((r for r in left if same(gold, r.command, DERIVABLE[ruleset])), None)
        if hit is None:
            missing.append(gold)
        else:
            left.remove(hit)
            total.sure += hit.certain
            if not hit.certain:
                total.asked.append(f"{post['id']}: «{text[hit.span.start : hit.span.end]}»: {hit.note}")
    places = [(p.span.start, p.span.end) for p in parse.problems if p.span is not None]
    unsure = [(r.span.start, r.span.end) for r in left if not r.certain]
    lost = [g for g in missing if not any(touch(s, places) or touch(s, unsure) for s in places_of(text, g.get("src", "\0")))]
    total.posts += 1
    total.commands += len(post.get("commands", []))
    total.hits += len(post.get("commands", [])) - len(missing)
    total.missing += len(missing)
    total.extra += len(left)
    total.silent += sum(1 for r in left if r.certain) + len(lost)
    good = 0
    for problem in post.get("problems", []):
        at = places_of(text, problem["at"])
        near = [p for p in parse.problems if p.span is not None and any(touch(s, [(p.span.start, p.span.end)]) for s in at)]
        doubted = any(touch(s, [(r.span.start, r.span.end)]) for s in at for r in parse.readings if not r.certain)
        hit_here = bool(near) or (doubted and problem["severity"] != "error")
        good += hit_here
        total.coded += any(p.code == problem["code"] for p in near)
    total.wanted += len(post.get("problems", []))
    total.found += good
    total.accounted += not parse.uncovered()
    if not missing and not left and good == len(post.get("problems", [])):
        total.right += 1
        return
    name = post["id"]
    total.wrong += [f"{name}: missing {json.dumps(g, ensure_ascii=False)}" for g in missing]
    total.wrong += [f"{name}: extra {json.dumps(dict(r.command), ensure_ascii=False)}" for r in left]
    if good != len(post.get("problems", [])):
        total.wrong.append(f"{name}: problems {post['problems']}, got {[(p.code, p.message) for p in parse.problems]}")


def same(gold: Mapping[str, Any], got: Mapping[str, Any], derivable: set[str]) -> bool:
    """Whether a command is the right one; fields that follow from the rules may be added."""
    want, have = (
        {
            k: _norm(v, k in ORDERED)
            for k, v in command.items()
            if k != "src" and not _blank(v) and (k not in DEFAULTS or v != DEFAULTS[k])
        }
        for command in (gold, got)
    )
    return all(have.get(k) == v for k, v in want.items()) and all(k in want or k in derivable for k in have)


def _blank(value: Any) -> bool:
    return value is None or value in ([], "", {}, ())


def _norm(value: Any, ordered: bool = False) -> Any:
    if isinstance(value, Mapping):
        return {k: _norm(v, ordered or k in ORDERED) for k, v in value.items() if not _blank(v)}
    if isinstance(value, list | tuple):
        items = [_norm(v) for v in value]
        return items if ordered else sorted(items, key=lambda v: json.dumps(v, sort_keys=True, ensure_ascii=False))
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def places_of(text: str, fragment: str) -> list[tuple[int, int]]:
    """Everywhere a fragment stands in a text."""
    out, at = [], text.find(fragment)
    while at >= 0:
        out.append((at, at + len(fragment)))
        at = text.find(fragment, at + 1)
    return out


def touch(place: tuple[int, int], spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a place overlaps one of the spans."""
    return any(place[0] < end and start < place[1] for start, end in spans)
