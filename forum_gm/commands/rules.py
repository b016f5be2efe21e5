"""`forum-gm rules …`: the pure engines, without forum and store: new game, current step, one resolution, command schemas."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from forum_gm.cli import RussianCommand, new_app
from forum_gm.commands.files import print_json, read_json, read_toml
from forum_gm.errors import UsageProblem
from rules import registry
from rules.base import GM, Ruleset, Sheet
from rules.complaints import complaint
from rules.dice import DiceError, scripted_dice, seeded_dice

app = new_app("Правила без форума: новая игра, текущий шаг, расчёт шага, виды приказов.")

RulesetId = Annotated[str, typer.Option("--ruleset", help="Правила: astral, steel_rose, grand_strategy.")]
AsJson = Annotated[bool, typer.Option("--json", help="Вывести один документ JSON.", show_default=False)]
StateFile = Annotated[Path, typer.Option("--state", help="Файл состояния (его печатают rules new и rules resolve).")]


@app.command("new", cls=RussianCommand)
def new(
    ruleset: RulesetId,
    scenario: Annotated[Path | None, typer.Option("--scenario", help="Сценарий в TOML; без него — обычный.")] = None,
    as_json: AsJson = True,
) -> None:
    """Состояние новой игры."""
    rules = registry.get(ruleset)
    print_json(rules.dump(rules.new_game(rules.load_scenario(read_toml(scenario) if scenario else None))))


@app.command("step", cls=RussianCommand)
def step(ruleset: RulesetId, state: StateFile, as_json: AsJson = True) -> None:
    """Чего ждёт игра; null — игра окончена."""
    rules = registry.get(ruleset)
    current = rules.step(load_state(rules, state))
    print_json(current.to_json() if current else None)


@app.command("commands", cls=RussianCommand)
def commands(ruleset: RulesetId, as_json: AsJson = True) -> None:
    """JSON Schema всех видов приказов."""
    print_json(registry.get(ruleset).commands.schema())


@app.command("resolve", cls=RussianCommand)
def resolve(
    ruleset: RulesetId,
    state: StateFile,
    orders: Annotated[Path, typer.Option("--orders", help="Приказы: {фракция: [приказ, …]} в порядке поступления.")],
    seed: Annotated[str | None, typer.Option("--seed", help="Текст, из которого следуют броски.")] = None,
    rolls: Annotated[Path | None, typer.Option("--rolls", help="Файл JSON с результатами бросков по порядку.")] = None,
    portion: Annotated[bool, typer.Option("--portion", help="Исполнить, но шаг не закрывать.")] = False,
    as_json: AsJson = True,
) -> None:
    """Рассчитать один шаг."""
    if (seed is None) == (rolls is None):
        raise UsageProblem("Укажите одно из двух: --seed ТЕКСТ или --rolls ФАЙЛ.")
    rules = registry.get(ruleset)
    before = load_state(rules, state)
    current = rules.step(before)
    if current is None:
        raise UsageProblem("Игра окончена: рассчитывать нечего.")
    if rolls is not None:
        given = read_json(rolls)
        if not isinstance(given, list):
            raise UsageProblem(f"В файле {rolls} должен быть список бросков.")
        dice, _ = scripted_dice(given)
    else:
        dice = seeded_dice(seed or "", current.id)
    sheets = read_sheets(rules, read_json(orders))
    try:
        outcome = rules.resolve(before, sheets, dice, closing=not portion)
    except DiceError as error:
        raise UsageProblem(str(error)) from error
    print_json(
        {
            "state": rules.dump(outcome.state),
            "events": [event.to_json() for event in outcome.events],
            "dice": [draw.to_json() for draw in outcome.draws],
        }
    )


def load_state(rules: Ruleset, source: Path) -> Any:
    """The state in a file; also accepts what `rules resolve` printed whole."""
    raw = read_json(source)
    if not isinstance(raw, dict):
        raise UsageProblem(f"В файле {source} не состояние игры.")
    if {"state", "events", "dice"} <= raw.keys():
        raw = raw["state"]
    return rules.load(raw)


def read_sheets(rules: Ruleset, raw: Any) -> list[Sheet]:
    """Sheets from `{faction: [command, …]}`, the GM's first, the others in the order given. Raises `UsageProblem`."""
    if not isinstance(raw, Mapping):
        raise UsageProblem("Приказы — это объект {фракция: [приказ, …]}.")
    sheets = []
    for rank, (issuer, items) in enumerate(raw.items()):
        if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
            raise UsageProblem(f"Приказы фракции {issuer}: нужен список объектов.")
        try:
            typed = tuple(rules.commands.parse(item) for item in items)
        except ValidationError as error:
            place, reason = complaint(error)
            raise UsageProblem(f"Приказ фракции {issuer}: поле {place}: {reason}.") from error
        sheets.append(Sheet(issuer, typed, 0 if issuer == GM else rank + 1))
    return sorted(sheets, key=lambda sheet: sheet.issuer != GM)
