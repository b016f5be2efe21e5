"""`forum-gm demo`: plays the demo campaign on the embedded board; then either leaves its results in a folder, or keeps everything
running on loopback for a visitor."""

from __future__ import annotations

import logging
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import select

from forum_gm.demo.board import BoardServer, World
from forum_gm.demo.campaign import PASSWORD, PASSWORD_FILE, Demo
from forum_gm.demo.clock import DemoClock
from forum_gm.demo.script import load
from forum_gm.errors import UsageProblem
from forum_gm.pipeline.board import Board
from forum_gm.pipeline.chronicle import chronicle
from forum_gm.pipeline.connect import connect
from forum_gm.pipeline.context import Context
from forum_gm.pipeline.render import write_file
from forum_gm.pipeline.verify import verify
from forum_gm.service import Service, Ticked
from forum_gm.storage.models import Publication

MARK = ".forum-gm-demo"
"""Says that a folder holds a demo and may be made anew."""
Say = Callable[[str], None]


def fresh(folder: Path) -> None:
    """An empty folder for the demo. Raises `UsageProblem` when it holds something else."""
    if folder.exists() and any(folder.iterdir()):
        if not (folder / MARK).exists():
            raise UsageProblem(f"Папка {folder} не пуста и показом не занята: укажите другую (--dir).")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).write_text("", "utf-8")
    secret = folder / PASSWORD_FILE
    secret.touch(mode=0o600)
    secret.write_text(PASSWORD, "utf-8")


@contextmanager
def played(folder: Path, ruleset: str, seed: str, say: Say) -> Iterator[tuple[Demo, Context, World, str, DemoClock]]:
    """The demo campaign after its turn, with the board still open."""
    script = load(ruleset)
    fresh(folder)
    clock = DemoClock(script.opened)
    world = World(clock=clock)
    with BoardServer(world, seed=seed) as server:

        def reach(ctx: Context) -> Board:
            # The port is another each time; what is written in the folder does not depend on it.
            forum = ctx.settings.forum.model_copy(update={"url": server.url})
            ctx.settings = ctx.settings.model_copy(update={"forum": forum})
            return connect(ctx, keep_session=False)

        demo = Demo(folder, script, world, clock, reach, seed)
        ctx = demo.prepare()
        demo.play(ctx, say)
        yield demo, ctx, world, server.url, clock


def run_once(folder: Path, ruleset: str, seed: str, say: Say) -> None:
    """One complete turn without a person; leaves the thread, the maps, the PDF and the campaign in `folder`."""
    with played(folder, ruleset, seed, lambda line: None) as (demo, ctx, world, _, _):
        pages = world.export_topic(demo.topic, folder / "thread.html")
        save_posts(folder, ctx)
        write_file(folder / "chronicle.pdf", chronicle(ctx))
        checked = verify(ctx)
        ctx.close()
    say(f"Тема с приказами и итогами: {pages[0]}")
    for path in sorted(path for path in (folder / "files").rglob("*") if path.is_file()):
        say(f"{'Отчёт' if path.suffix == '.pdf' else 'Карта'}: {path}")
    say(f"Сообщения ведущего, исходный BBCode: {folder / 'posts'}")
    say(f"Летопись: {folder / 'chronicle.pdf'}")
    say(f"Кампания: {folder} — {checked}")


def save_posts(folder: Path, ctx: Context) -> None:
    """The service's posts and messages as BBCode, in the order in which they were sent."""
    with ctx.store.reading() as session:
        rows = session.scalars(select(Publication).where(Publication.campaign_id == ctx.campaign_id).order_by(Publication.id))
        for number, row in enumerate(rows, start=1):
            name = re.sub(r"[^A-Za-z0-9]+", "-", row.key).strip("-")
            write_file(folder / "posts" / f"{number:02}-{name}.bbcode", (row.body + "\n").encode())


def _tell(ticked: Ticked, say: Say) -> None:
    for line in (*ticked.done, ticked.trouble):
        if line:
            say(line)


def serve(folder: Path, ruleset: str, seed: str, say: Say) -> None:
    """Plays the turn, then keeps board, service and desk running until stopped; the next step waits for the visitor's orders."""
    from forum_gm.desk.accounts import Accounts
    from forum_gm.desk.app import ACCOUNTS_FILE, create_app
    from forum_gm.webserver import WebServer

    say("Играю первый ход…")
    with played(folder, ruleset, seed, lambda line: None) as (demo, ctx, _, url, clock):
        accounts = Accounts(folder / ACCOUNTS_FILE)
        accounts.set_password(demo.script.gm.name, PASSWORD)
        with WebServer(create_app([ctx], accounts=accounts)) as desk:
            clock.run()
            logging.getLogger("apscheduler").setLevel(logging.ERROR)
            service = Service([ctx], lambda _, ticked: _tell(ticked, say))
            service.start()
            say(f"Форум с темой:  {url}viewtopic.php?t={demo.topic}")
            say(f"Пульт мастера:  {desk.address} — «{demo.script.gm.name}», пароль «{PASSWORD}»")
            say(f"Архив для всех: {desk.address}c/{ctx.campaign_id}")
            say(f"Файлы:          {folder}")
            say(f"Войти на форум можно любым игроком (пароль «{PASSWORD}»): {', '.join(p.name for p in demo.script.players)}.")
            say("Напишите приказ в теме — ответ придёт через несколько секунд. Остановить: Ctrl+C.")
            try:
                threading.Event().wait()
            except KeyboardInterrupt:
                say("Останавливаю…")
            finally:
                service.stop()
