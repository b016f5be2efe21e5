"""`forum-gm parse`: one post's text (or a batch of posts) → commands, problems and ignored parts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from forum_gm.commands.files import print_json, read_json, read_text
from forum_gm.diagnostics import parse_lines
from forum_gm.errors import UsageProblem
from forum_gm.understand import FORMATS, audience_of, post_text, understand_view
from parsers.text import PostText
from parsers.types import Parse, parse_to_json
from rules import registry
from rules.base import GM, Ruleset, State, View


def parse(
    file: Annotated[str, typer.Argument(help="Файл с сообщением; «-» — стандартный ввод.", metavar="ФАЙЛ")] = "-",
    ruleset: Annotated[str, typer.Option("--ruleset", help="Правила: astral, steel_rose, grand_strategy.")] = "",
    faction: Annotated[str, typer.Option("--as", help="Чьё сообщение: фракция или gm.")] = "",
    state: Annotated[Path | None, typer.Option("--state", help="Файл состояния игры; без него — начало сценария.")] = None,
    step: Annotated[str | None, typer.Option("--step", help="Шаг хода, которому отвечает сообщение.")] = None,
    format_: Annotated[str, typer.Option("--format", help="Вид текста: bbcode, html или text.")] = "bbcode",
    batch: Annotated[str | None, typer.Option("--batch", help="JSONL с сообщениями, по одному в строке; «-» — ввод.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Вывести один документ JSON.", show_default=False)] = False,
) -> None:
    """Прочитать приказы из сообщения и показать, как они поняты."""
    if batch is not None:
        raise typer.Exit(parse_batch(batch))
    if not ruleset or not faction:
        raise UsageProblem("Укажите правила и автора: --ruleset ID --as ФРАКЦИЯ.")
    rules = registry.get(ruleset)
    loaded = rules.load(read_json(state)) if state else rules.new_game(rules.load_scenario(None))
    view = view_for(rules, loaded, faction)
    result = understand_view(rules, view, step, text_of(read_text(file), format_))
    if as_json:
        print_json({"ruleset": ruleset, "faction": faction, **parse_to_json(result)})
    else:
        print("\n".join(parse_lines(rules, view, result)))
    raise typer.Exit(1 if result.problems else 0)


def text_of(source: str, format_: str) -> PostText:
    """The post's text. Raises `UsageProblem` for an unknown format."""
    if format_ not in FORMATS:
        raise UsageProblem(f"Неизвестный вид текста «{format_}»: нужен bbcode, html или text.")
    return post_text(source, format_)


def view_for(rules: Ruleset, state: State, faction: str) -> View:
    """What that faction may know. Raises `UsageProblem` when the game has no such faction."""
    known = [f.id for f in rules.factions(state)]
    if faction != GM and faction not in known:
        raise UsageProblem(f"Нет фракции «{faction}». Есть: {', '.join(known)} и gm.")
    return rules.view(state, audience_of(faction))


def parse_batch(source: str) -> int:
    """Reads posts line by line and prints one result a line; each at the start of its ruleset's default scenario.

    Returns the exit code: 1 when any post has a problem."""
    states: dict[str, State] = {}
    views: dict[tuple[str, str], View] = {}
    found = 0
    for request in batch_requests(source):
        ruleset_id, faction = request["ruleset"], request["faction"]
        rules = registry.get(ruleset_id)
        if ruleset_id not in states:
            states[ruleset_id] = rules.new_game(rules.load_scenario(None))
        if (ruleset_id, faction) not in views:
            views[ruleset_id, faction] = view_for(rules, states[ruleset_id], faction)
        post = text_of(request["text"], request.get("format") or "bbcode")
        result: Parse = understand_view(rules, views[ruleset_id, faction], request.get("step") or None, post)
        found |= bool(result.problems)
        line = {"id": request["id"], "ruleset": ruleset_id, "faction": faction, **parse_to_json(result)}
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
        sys.stdout.flush()
    return found


def batch_requests(source: str) -> Iterator[Mapping[str, Any]]:
    """The requests of a JSONL source. Raises `UsageProblem` for a line that is none."""
    lines = sys.stdin if source == "-" else iter(read_text(source).splitlines())
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            request = json.loads(line)
        except json.JSONDecodeError as error:
            raise UsageProblem(f"Строка {number}: это не JSON.") from error
        if not isinstance(request, dict) or not {"id", "ruleset", "faction", "text"} <= request.keys():
            raise UsageProblem(f"Строка {number}: нужны поля id, ruleset, faction и text.")
        if not all(isinstance(request[name], str) for name in ("ruleset", "faction", "text")):
            raise UsageProblem(f"Строка {number}: ruleset, faction и text — строки.")
        yield request
