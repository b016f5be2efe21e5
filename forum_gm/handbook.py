"""`python -m forum_gm.handbook [DIR]`: writes the pages of `docs/` that are made from the program; a test fails on stale ones."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from forum_gm import guide, reference
from renderers.templates import environment
from rules import registry

GUIDES = "как-писать-приказы"


def pages() -> Iterator[tuple[str, str]]:
    """Paths under `docs/` with their texts: the players' pages and their index, then the reference."""
    ready = [name for name in registry.available() if registry.package(name).joinpath("data", guide.FILE).is_file()]
    for name in ready:
        yield f"{GUIDES}/{name}.md", guide.render(name)
    games = [(name, guide.read_guide(name).title) for name in ready]
    index: str = environment().get_template("docs/orders_index.md.j2").render(games=games, folder=GUIDES)
    yield f"{GUIDES}.md", index.rstrip("\n") + "\n"
    yield "команды.md", reference.render()


def write(folder: Path) -> None:
    """Writes every page under `folder`."""
    for name, text in pages():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
