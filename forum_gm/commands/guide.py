"""`forum-gm guide`: the players' page of a game, made from its order language."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from forum_gm.errors import UsageProblem
from forum_gm.wording import trouble


def guide(
    ruleset: Annotated[str, typer.Option("--ruleset", help="Правила: astral, steel_rose, grand_strategy.")],
    out: Annotated[Path | None, typer.Option("--out", help="Куда записать; без него — на экран.")] = None,
) -> None:
    """Страница для игроков «как писать приказы» (Markdown) с проверенными примерами."""
    from forum_gm.guide import render

    text = render(ruleset)
    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        out.write_text(text, "utf-8")
    except OSError as error:
        raise UsageProblem(f"Не записать {out}: {trouble(error)}.") from error
    typer.echo(f"Записано: {out}")
