"""Makes the forum client that a campaign's configuration names: one session with its cookies, the journal in the store."""

from __future__ import annotations

from forum_gm.config import password
from forum_gm.errors import UsageProblem
from forum_gm.forums.errors import ForumError
from forum_gm.forums.opening import chosen_engine
from forum_gm.forums.phpbb2 import PhpBB2
from forum_gm.forums.phpbb3 import PhpBB3
from forum_gm.forums.profile import Profile, ProfileForum
from forum_gm.forums.transport import Manners, Transport
from forum_gm.pipeline.board import Board, BoardTrouble
from forum_gm.pipeline.context import Context
from forum_gm.pipeline.forum_board import ForumBoard, ReadOnlyBoard
from forum_gm.storage.journal import SqlJournal

COOKIES = "cookies.txt"
"""The session between two runs, readable by its owner only; never in a backup."""
WRITERS: dict[str, type[PhpBB3]] = {"phpbb3": PhpBB3, "subsilver2": PhpBB3, "phpbb2": PhpBB2}
"""Engines that can be played on. phpBB 3 looks are told apart page by page."""


def connect(ctx: Context, *, keep_session: bool = True) -> Board:
    """The campaign's board, logged in where an account is configured; read by a profile, it is a guest that never writes.

    `keep_session`: cookies are kept in the folder for the next run. Raises `UsageProblem` for a wrong configuration,
    `BoardTrouble` when the board can't be reached."""
    forum = ctx.settings.forum
    if not forum.url:
        raise UsageProblem("Форум не настроен: укажите forum.url в config.toml.")
    engine = _engine(ctx)
    manners = Manners(
        pause=forum.pause, timeout=forum.timeout, form_wait=forum.form_age + 0.2, flood_wait=forum.flood_interval + 1
    )
    cookies = ctx.folder / COOKIES if keep_session else None
    if isinstance(engine, Profile):
        transport = Transport(manners=manners, clock=ctx.clock, cookie_file=cookies, encoding=engine.encoding)
        return ReadOnlyBoard(ProfileForum(forum.url, engine, transport=transport), account_id=forum.account_id)
    secret = password(forum, ctx.folder)
    client = WRITERS[engine](
        forum.url,
        user=forum.user,
        password=secret.get_secret_value() if secret is not None else "",
        transport=Transport(manners=manners, clock=ctx.clock, cookie_file=cookies),
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


def _engine(ctx: Context) -> str | Profile:
    """The engine that the configuration names; a profile's file is looked for in the campaign's folder first."""
    name = ctx.settings.forum.engine
    own = ctx.folder / name
    try:
        engine = chosen_engine(str(own) if name.endswith(".toml") and own.exists() else name)
    except ForumError as error:
        raise UsageProblem(f"forum.engine: {error}") from error
    if engine is None:
        raise UsageProblem("forum.engine: назовите движок, сам собой он узнаётся только при чтении (forum-gm forum read).")
    return engine
