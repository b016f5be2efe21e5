"""`python -m tests.corpus [-v]`: the figures of every corpus file; with `-v` also what is wrong."""

from __future__ import annotations

import sys

from tests.corpus.scoring import HERE, load, score

GAMES = ("astral", "steel_rose", "grand_strategy")


def main() -> None:
    """Prints one line a file."""
    for path in sorted(HERE.glob("*.toml")):
        game = next((g for g in GAMES if path.stem.startswith(g)), None)
        if game is None:
            continue
        result = score(game, load(path))
        print(path.stem.ljust(28), result.line())
        if "-v" in sys.argv:
            print("\n".join(f"    {line}" for line in result.wrong))


if __name__ == "__main__":
    main()
