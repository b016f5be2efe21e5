"""`python -m tests.corpus [--show] [--asked] [--floors] [GAME…]`: how well the posts of every file are understood."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table

from tests.corpus.floors import of_file, write
from tests.corpus.scoring import HERE, Score, game_of, has_language, load, score

FIGURES = ("f1", "right", "silent", "certain", "problems", "codes", "accounted")


def main() -> None:
    """Prints a table, a row a file; marks what is below its floor."""
    options = argparse.ArgumentParser(prog="python -m tests.corpus", description=__doc__)
    options.add_argument("games", nargs="*", metavar="GAME", help="only files whose names begin so")
    options.add_argument("--show", action="store_true", help="what is wrong, post by post")
    options.add_argument("--asked", action="store_true", help="the right commands that ask all the same, and why")
    options.add_argument("--floors", action="store_true", help="raise the floors to what is reached")
    given = options.parse_args()
    table = Table("file", "posts", "commands", *FIGURES, "ms/post", "lines/s", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    reached: dict[str, dict[str, float]] = {}
    wrong: list[str] = []
    asked: list[str] = []
    for path in sorted(HERE.glob("*.toml")):
        game = game_of(path)
        if game is None or (given.games and not path.stem.startswith(tuple(given.games))):
            continue
        if not has_language(game):
            table.add_row(path.stem, *["–"] * (len(FIGURES) + 4))
            continue
        result = score(game, load(path))
        reached[path.stem] = result.figures()
        table.add_row(path.stem, *row(path.stem, result))
        wrong += [f"{path.stem} {line}" for line in result.wrong]
        asked += [f"{path.stem} {line}" for line in result.asked]
    Console(width=130, highlight=False).print(table)
    if given.show:
        print("\n".join(wrong))
    if given.asked:
        print("\n".join(asked))
    if given.floors:
        write(reached)


def row(name: str, result: Score) -> list[str]:
    """The cells of a file's row; `!` marks a figure below its floor."""
    floors = of_file(name)
    cells = [str(result.posts), str(result.commands)]
    for figure, value in result.figures().items():
        cells.append(f"{value:.4f}{'' if floors.holds(figure, value) else '!'}")
    seconds = max(result.seconds, 1e-9)
    return [*cells, f"{1000 * seconds / max(1, result.posts):.1f}", f"{result.lines / seconds:.0f}"]


if __name__ == "__main__":
    main()
