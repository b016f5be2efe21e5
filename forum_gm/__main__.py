"""`python -m forum_gm`: the same as the command `forum-gm`."""

from __future__ import annotations

from forum_gm.cli import main

if __name__ == "__main__":
    main()
