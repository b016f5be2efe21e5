"""Makes the forum client that a campaign's configuration names: one session with its cookies, the journal in the store."""

from __future__ import annotations

from forum_gm.config import password
from forum_gm.errors import UsageProblem
from forum_gm.forums.errors import ForumError
from forum_gm.forums.phpbb2 import PhpBB2
from forum_gm.forums.phpbb3 import PhpBB3
from forum_gm.forums.transport import Manners, Transport
from forum_gm.pipeline.board import Board, BoardTrouble
from forum_gm.pipeline.context import Context
from forum_gm.pipeline.forum_board import ForumBoard
from forum_gm.storage.journal import SqlJournal

COOKIES = "cookies.txt"
"""The session between two runs, readable by its owner only; never in a backup."""
ENGINES: dict[str, type[PhpBB3]] = {"phpbb3": PhpBB3, "phpbb30": PhpBB3, "phpbb2": PhpBB2}


def connect(ctx: Context) -> Board:
    """The campaign's board, logged in where an account is configured.

    Raises `UsageProblem` for a wrong configuration, `BoardTrouble` when the board can't be reached."""
    forum = ctx.settings.forum
    if not forum.url:
        raise UsageProblem("Форум не настроен: укажите forum.url в config.toml.")
    if forum.engine not in ENGINES:
        raise UsageProblem(f"Движок «{forum.engine}» писать не умеет; для игры нужен один из: {', '.join(ENGINES)}.")
    secret = password(forum, ctx.folder)
    manners = Manners(
        pause=forum.pause, timeout=forum.timeout, form_wait=forum.form_age + 0.2, flood_wait=forum.flood_interval + 1
    )
    client = ENGINES[forum.engine](
        forum.url,
        user=forum.user,
        password=secret.get_secret_value() if secret is not None else "",
        transport=Transport(manners=manners, clock=ctx.clock, cookie_file=ctx.folder / COOKIES),
        journal=SqlJournal(ctx.store, ctx.campaign_id, ctx.clock),
        max_chars=ctx.settings.board.max_chars,
        forum_id=forum.forum_id or None,
    )
    try:
        if forum.user:
            client.login()
    except ForumError as error:
        raise BoardTrouble(str(error)) from error
    with ctx.store.reading() as session:
        authors = {seat.account_id for seat in ctx.seats(session)}
    return ForumBoard(client, ctx.clock, account_id=forum.account_id, bbcode=forum.bbcode_source, authors=authors)
