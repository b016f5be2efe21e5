"""`forum-gm chronicle`: the campaign so far as one PDF."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from forum_gm.errors import UsageProblem


def chronicle(
    folder: Annotated[Path, typer.Argument(help="Папка кампании; по умолчанию текущая.", metavar="ПАПКА")] = Path("."),
    out: Annotated[Path | None, typer.Option("--out", help="Куда записать PDF.")] = None,
    reader: Annotated[str, typer.Option("--for", help="Для кого: all — для всех, gm — всё, для мастера.")] = "all",
) -> None:
    """Летопись кампании одним PDF; пока игра идёт — то, что открыто всем."""
    from rich.progress import Progress

    from forum_gm.pipeline.chronicle import chronicle as render
    from forum_gm.pipeline.context import open_folder
    from forum_gm.pipeline.render import write_file

    if out is None:
        raise UsageProblem("Укажите, куда записать летопись: --out ФАЙЛ.pdf.")
    if reader not in ("all", "gm"):
        raise UsageProblem("Летопись бывает для всех (--for all) и для мастера (--for gm).")
    ctx = open_folder(folder)
    with Progress(transient=True) as bar:
        task = bar.add_task("Летопись", total=None)
        content = render(ctx, reader, lambda done, total: bar.update(task, completed=done, total=total))
    write_file(out, content)
    typer.echo(f"Летопись: {out}")
