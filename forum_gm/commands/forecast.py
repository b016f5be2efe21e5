"""`forum-gm forecast`: the odds of a battle described in a file, as text, JSON and pictures."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forum_gm.commands.files import print_json, read_text
from forum_gm.diagnostics import problem_lines
from forum_gm.errors import UsageProblem
from parsers.types import Problem

if TYPE_CHECKING:
    from rules.steel_rose.fast.forecast import Forecast


def forecast(
    file: Annotated[Path, typer.Argument(help="Описание боя: обычный текст или TOML; «-» — стандартный ввод.", metavar="ФАЙЛ")],
    ruleset: Annotated[str, typer.Option("--ruleset", help="Правила; прогноз есть для steel_rose.")] = "steel_rose",
    n: Annotated[int, typer.Option("-n", "--battles", help="Сколько боёв сыграть.")] = 10_000,
    seed: Annotated[int, typer.Option("--seed", help="Зерно случайности: то же зерно — тот же прогноз.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Вывести один документ JSON.", show_default=False)] = False,
    picture: Annotated[
        Path | None,
        typer.Option("--png", help="Записать сюда картинки: шансы с потерями и рядом расстановку.", show_default=False),
    ] = None,
) -> None:
    """Прогноз боя методом Монте-Карло: шансы, раунды, потери каждого вида юнитов.

    Бой описывают обычным текстом, как приказы: «10 копейщиков и 3 рыцаря против 8 щитовиков и 4 стрелков». Стороны можно
    описать и двумя абзацами, «Империя: …» и «Культ (гарнизон): …»; места и манёвры — если нужны. Непонятное показывается так
    же, как в приказах. Образцы — docs/примеры/бой.txt и бой.toml.
    """
    if n < 1:
        raise UsageProblem("Боёв должно быть не меньше одного (-n).")
    if ruleset != "steel_rose":
        raise UsageProblem(f"Прогноз боя есть только для steel_rose, а не для «{ruleset}».")
    from rules.steel_rose.fast.description import NotUnderstood, read_battle
    from rules.steel_rose.fast.forecast import forecast as run
    from rules.steel_rose.fast.forecast import prepare, prepared

    try:
        described = read_battle(read_text(file))
    except NotUnderstood as error:
        show(error.text, error.problems)
        raise typer.Exit(2) from error
    show(described.text, described.problems)
    for warning in described.warnings:
        typer.echo(warning, err=True)
    if not as_json:
        for line in described.understood:
            typer.echo(line)
    if not prepared():
        typer.echo("Готовлю быстрый счёт: в первый раз это около минуты…", err=True)
    prepare(described.setup)
    started = time.perf_counter()
    if as_json:
        result = run(described.setup, n, seed)
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("Бои"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=n)
            result = run(described.setup, n, seed, progress=lambda done: bar.advance(task, done))
    seconds = time.perf_counter() - started
    if picture is not None:
        _draw(result, picture)
    if as_json:
        print_json({**result.to_json(), "seconds": seconds, "battles_per_second": n / seconds})
        return
    from rules.steel_rose.fast.summary import lines_of

    for line in lines_of(result):
        typer.echo(line)
    speed = f"{n / seconds:,.0f}".replace(",", " ")
    typer.echo(f"Сыграно боёв: {n} за {seconds:.1f} с ({speed} в секунду).".replace(".", ",", 1))
    if picture is not None:
        typer.echo(f"Картинки: {picture} и {deployment_of(picture)}")


def show(text: str, problems: Sequence[Problem]) -> None:
    """Problems of a told battle as the order parser shows them, on standard error."""
    for problem in problems:
        for line in problem_lines(text, problem):
            typer.echo(line, err=True)


def _draw(result: Forecast, path: Path) -> None:
    """Writes the odds with the spread of the losses, and the deployment beside them in a second file."""
    from renderers.maps import draw_png
    from rules.steel_rose.battle.figure import deployment_figure
    from rules.steel_rose.fast.summary import outlook_of

    path.write_bytes(draw_png(outlook_of(result)))
    deployment_of(path).write_bytes(draw_png(deployment_figure(result.setup)))


def deployment_of(path: Path) -> Path:
    """Where the picture of the deployment goes, beside that of the odds."""
    return path.with_name(f"{path.stem}-deployment{path.suffix}")
