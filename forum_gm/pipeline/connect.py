"""Makes the forum client that a campaign's configuration names."""

from __future__ import annotations

from forum_gm.config import password
from forum_gm.errors import UsageProblem
from forum_gm.pipeline.board import Board
from forum_gm.pipeline.context import Context


def connect(ctx: Context) -> Board:
    """The campaign's board, logged in where an account is configured.

    Raises `UsageProblem` for a wrong configuration, `BoardTrouble` when the board can't be reached."""
    forum = ctx.settings.forum
    if not forum.url:
        raise UsageProblem("Форум не настроен: укажите forum.url в config.toml.")
    password(forum, ctx.folder)
    raise UsageProblem(f"Неизвестный движок форума «{forum.engine}».")
