"""`forum-gm demo`: everything on the embedded board."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DEFAULT = Path("demo-out")


def demo(
    folder: Annotated[Path, typer.Option("--dir", help="Куда положить кампанию и результаты.")] = DEFAULT,
    ruleset: Annotated[str, typer.Option("--ruleset", help="Правила: astral, steel_rose, grand_strategy.")] = "astral",
    once: Annotated[bool, typer.Option("--once", help="Сыграть один ход без человека и выйти.", show_default=False)] = False,
    seed: Annotated[str, typer.Option("--seed", help="Другие кости: любое слово.")] = "печати",
) -> None:
    """Показать всё на встроенном форуме: тема с приказами, пульт мастера, карта, PDF."""
    from forum_gm.demo.run import run_once, serve

    if once:
        run_once(folder, ruleset, seed, typer.echo)
    else:
        serve(folder, ruleset, seed, typer.echo)
