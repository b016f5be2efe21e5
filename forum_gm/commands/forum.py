"""`forum-gm forum`: read a topic or saved pages; run the embedded board for a rehearsal."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Annotated, Literal

import typer

from forum_gm.cli import RussianCommand, new_app
from forum_gm.commands.files import print_json
from forum_gm.demo.board import BoardServer, BoardSettings, Fault, World
from forum_gm.demo.board.faults import RUSSIAN
from forum_gm.errors import UsageProblem
from forum_gm.forums.opening import own_text, read, to_json
from forum_gm.forums.transport import Manners, Transport
from forum_gm.wording import trouble

BoardEngine = Literal["3.3", "3.0", "2.0"]
app = new_app("Форум: прочитать тему или сохранённые страницы; учебный форум для репетиций.")


@app.command("read", cls=RussianCommand)
def read_command(
    sources: Annotated[list[str], typer.Argument(help="Адрес темы или файлы сохранённых страниц.", metavar="АДРЕС|ФАЙЛ…")],
    engine: Annotated[str, typer.Option("--engine", help="auto, phpbb3, phpbb2, ipb, mybb_ru или файл профиля .toml.")] = "auto",
    pause: Annotated[float, typer.Option("--pause", help="Пауза между запросами, секунд.")] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="Вывести один документ JSON.", show_default=False)] = False,
) -> None:
    """Прочитать тему (все страницы) или сохранённые страницы."""
    name, topic = read(sources, engine, transport=Transport(manners=Manners(pause=pause)))
    if as_json:
        print_json(to_json(name, topic))
        return
    print(f"{topic.title} (тема {topic.id}, движок {name})")
    for post in topic.posts:
        edited = f", правок: {post.edited.count}" if post.edited else ""
        print(f"\n№{post.id} {post.author} [{post.author_id or '—'}] {post.time:%Y-%m-%d %H:%M:%S} UTC{edited}")
        print(own_text(post))


@app.command("board", cls=RussianCommand)
def board_command(
    port: Annotated[int, typer.Option("--port", help="Порт на этом компьютере; 0 — любой свободный.")] = 0,
    fault: Annotated[
        list[str] | None,
        typer.Option("--fault", help="Сбой: КАК[@ГДЕ][*СКОЛЬКО], например 502-after@reply*2. Список: --faults."),
    ] = None,
    faults: Annotated[bool, typer.Option("--faults", help="Показать, какие сбои есть.", show_default=False)] = False,
    engine: Annotated[BoardEngine, typer.Option("--engine", help="Каким форумом притвориться: phpBB 3.3, 3.0 или 2.0.")] = "3.3",
    queue: Annotated[
        bool, typer.Option("--queue", help="Сообщения Летописца ждут одобрения модератора.", show_default=False)
    ] = False,
    review: Annotated[bool, typer.Option("--review/--no-review", help="Предупреждать, что кто-то написал раньше.")] = True,
    flood: Annotated[int, typer.Option("--flood", help="Пауза между сообщениями одного автора, секунд.")] = 15,
    seed: Annotated[Path | None, typer.Option("--seed", help="JSON: accounts, topics — кто и что на форуме с начала.")] = None,
) -> None:
    """Учебный форум на этом компьютере: для репетиций, со сбоями по заказу — сразу и по ходу дела, строкой с клавиатуры."""
    if faults:
        for kind, words in RUSSIAN.items():
            print(f"{kind.value:16} {words}")
        return
    world = World(BoardSettings(engine=engine, review=review, flood=flood))
    try:
        world.faults.add(*(Fault.parse(text) for text in fault or ()))
    except ValueError as error:
        raise UsageProblem(f"{error}.") from error
    _settle(world, seed)
    if queue and (chronicler := world.user_named("Летописец")) is not None:
        chronicler.newcomer = True
    with BoardServer(world, port=port) as server:
        print(f"Форум: {server.url}")
        for thread in world.threads.values():
            print(f"Тема «{thread.title}»: {server.topic_url(thread.id)}")
        print("Учётные записи (имя и пароль): " + ", ".join(f"{user.name} / {user.password}" for user in world.users.values()))
        print("Сбой: КАК[@ГДЕ][*СКОЛЬКО] и Enter; «что» — какие включены, «нет» — убрать все. Остановить: Ctrl+C", flush=True)
        try:
            for line in sys.stdin:
                if line.strip():
                    print(world.faults.obey(line), flush=True)
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            return


def _settle(world: World, seed: Path | None) -> None:
    """People and topics of the rehearsal board."""
    if seed is None:
        gm = world.account("Мастер", "demo", moderator=True)
        world.account("Летописец", "demo")
        player = world.account("Игрок", "demo")
        topic = world.topic(gm, "Репетиция", "Здесь можно пробовать всё: [b]приказы[/b], правки, сбои.")
        world.post(player, topic, "Приказы на ход 1:\n1. Стою.")
        return
    try:
        data = json.loads(seed.read_text("utf-8"))
        ids: dict[str, int] = {}
        for account in data["accounts"]:
            ids[account["name"]] = world.account(
                account["name"], account.get("password", "demo"), moderator=account.get("gm", False)
            )
        for item in data.get("topics", ()):
            topic = world.topic(ids[item["author"]], item["title"], item["text"])
            for post in item.get("posts", ()):
                world.post(ids[post["author"]], topic, post["text"])
    except OSError as error:
        raise UsageProblem(f"Не читается файл {seed}: {trouble(error)}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UsageProblem(f"Файл {seed} не подходит: нужны accounts и topics ({error}).") from error
