"""The campaign's commands: init, check, run, poll, orders, approve, resolve, publish, rollback, verify, backup, restore."""

from __future__ import annotations

import json
import logging
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from forum_gm.commands.files import print_json, read_json
from forum_gm.config import FILE_NAME, CampaignPart, PlayerPart, Settings, write_settings
from forum_gm.errors import UsageProblem
from rules import registry
from rules.base import Ruleset

Folder = Annotated[Path, typer.Argument(help="Папка кампании; по умолчанию текущая.", metavar="ПАПКА")]
Json = Annotated[bool, typer.Option("--json", help="Вывести один документ JSON.", show_default=False)]
HERE = Path(".")


def _open(folder: Path) -> Any:
    from forum_gm.pipeline.connect import connect
    from forum_gm.pipeline.context import open_folder

    ctx = open_folder(folder)
    if ctx.settings.forum.url:
        ctx.connect = connect
    return ctx


def _who() -> str:
    """Who acts at the command line, for the audit log."""
    return f"мастер ({os.environ.get('USER') or 'командная строка'})"


def init(
    folder: Annotated[Path, typer.Argument(help="Новая папка.", metavar="ПАПКА")],
    ruleset: Annotated[str, typer.Option("--ruleset", help="Правила: astral, steel_rose, grand_strategy.")],
) -> None:
    """Создать папку кампании: настройки с пояснениями и сценарий."""
    rules = registry.get(ruleset)
    if (folder / FILE_NAME).exists():
        raise UsageProblem(f"В папке {folder} уже есть кампания ({FILE_NAME}).")
    folder.mkdir(parents=True, exist_ok=True)
    text = rules.default_scenario_text()
    (folder / "scenario.toml").write_text(text, "utf-8")
    (folder / FILE_NAME).write_text(write_settings(_new_settings(rules, folder)), "utf-8")
    typer.echo(f"Кампания создана: {folder}")
    typer.echo(f"Впишите в {folder / FILE_NAME} адрес форума, номер темы и игроков, потом проверьте: forum-gm check {folder}")


def _new_settings(rules: Ruleset, folder: Path) -> Settings:
    import re

    name = re.sub(r"[^a-z0-9_-]+", "-", folder.resolve().name.lower()).strip("-_")[:64] or rules.id
    scenario = rules.load_scenario(None)
    factions = rules.factions(rules.new_game(scenario))
    return Settings(
        campaign=CampaignPart(id=name, title=scenario.title, ruleset=rules.id),
        players=tuple(PlayerPart(faction=faction.id) for faction in factions),
    )


def check(
    what: Annotated[
        str, typer.Argument(help="Папка кампании; или страница темы (адрес, файл).", metavar="[ПАПКА|СТРАНИЦА]")
    ] = ".",
    engine: Annotated[
        str, typer.Option("--engine", help="Чем читать страницу: auto, phpbb3, phpbb2, ipb, mybb_ru или файл профиля .toml.")
    ] = "auto",
) -> None:
    """Проверить всё, что нужно кампании: по строке на каждое, с советом. Или показать, что извлекается из страницы темы."""
    from forum_gm.forums.opening import is_address
    from forum_gm.pipeline import doctor
    from forum_gm.pipeline.connect import connect

    def reach(ctx: Any) -> None:
        ctx.connect = connect
        _ = ctx.board

    findings: Iterable[object]
    if is_address(what) or Path(what).is_file():
        from forum_gm.forums.extraction import extraction

        findings = extraction(what, engine)
    else:
        findings = doctor.check(Path(what), reach)
    bad = 0
    for finding in findings:
        typer.echo(str(finding))
        bad += not getattr(finding, "good", True)
    raise typer.Exit(1 if bad else 0)


def run(
    folders: Annotated[list[Path] | None, typer.Argument(help="Папки кампаний; по умолчанию текущая.", metavar="ПАПКА…")] = None,
    once: Annotated[bool, typer.Option("--once", help="Сделать всё, что назрело, и выйти.", show_default=False)] = False,
) -> None:
    """Запустить службу: расписание и пульт мастера, пока не остановят."""
    from forum_gm.desk.accounts import Accounts
    from forum_gm.desk.app import ACCOUNTS_FILE, create_app
    from forum_gm.service import Service, tick
    from forum_gm.webserver import WebServer

    campaigns = [_open(folder) for folder in (folders or [HERE])]
    if once:
        raise typer.Exit(max(_tell(tick(ctx, reread=True)) for ctx in campaigns))
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%d.%m %H:%M:%S")
    logging.getLogger("apscheduler").setLevel(logging.WARNING)
    service = Service(campaigns)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    desk = campaigns[0].settings.desk
    accounts = Accounts(campaigns[0].folder / ACCOUNTS_FILE)
    with WebServer(create_app(campaigns, accounts=accounts), desk.host, desk.port) as server:
        service.start()
        typer.echo(f"Служба работает. Пульт мастера: {server.address}desk, архив: {server.address}")
        if accounts.needs_setup():
            typer.echo(f"Задайте пароль мастера: {server.address}desk/setup?token={accounts.setup_token}")
        stopped.wait()
        service.stop()
    typer.echo("Служба остановлена.")


def _tell(ticked: Any) -> int:
    collected = ticked.collected
    typer.echo(f"Новых сообщений: {collected.new}, изменённых: {collected.changed}.")
    for line in ticked.done:
        typer.echo(line)
    if ticked.trouble:
        typer.echo(ticked.trouble, err=True)
    return 1 if ticked.trouble else 0


def poll(folder: Folder = HERE) -> None:
    """Прочитать форум, понять приказы, ответить игрокам и сделать то, чему пришёл срок."""
    from forum_gm.service import tick

    raise typer.Exit(_tell(tick(_open(folder), reread=True)))


def orders(
    folder: Folder = HERE,
    step: Annotated[int | None, typer.Option("--step", help="Номер шага; по умолчанию текущий.")] = None,
    as_json: Json = False,
) -> None:
    """Показать, как поняты приказы шага."""
    from forum_gm.pipeline.review import review

    ctx = _open(folder)
    result = review(ctx, step)
    if as_json:
        print_json(json.loads(json.dumps(asdict(result), default=_plain)))
        return
    typer.echo("\n".join(_order_lines(ctx, result)))


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else str(value)


STATUS = {"proposed": "ждёт", "asks": "вопрос", "accepted": "принят", "rejected": "отклонён", "done": "исполнен"}


def _order_lines(ctx: Any, result: Any) -> Iterator[str]:
    from forum_gm.wording import when

    until = f", срок {when(result.deadline, ctx.settings.zone)}" if result.deadline else ""
    yield f"Шаг {result.number}. {result.title}{until}. Дальше: {result.todo or 'ничего'}."
    for player in (*result.players, *((result.gm,) if result.gm else ())):
        state = "ждём: " + ", ".join(player.missing) if player.missing else "ответ есть" if player.posts else "не ждём"
        yield ""
        yield f"{player.name} — {state}"
        for post in player.posts:
            note = "" if post.counts else f" [{post.why_not}]"
            yield f"  сообщение {post.board_id}, {post.author}, {when(post.posted_at, ctx.settings.zone, day=False)}{note}"
            for line in post.orders:
                why = f" — {line.note}" if line.note else ""
                yield f"    {line.id:>4} {STATUS.get(line.status, line.status):<9} {line.text}{why}"
            for problem in post.problems:
                yield f"         строка {problem.line}: {problem.message}"
        for line in player.own:
            yield f"    {line.id:>4} {STATUS.get(line.status, line.status):<9} {line.text} (от мастера)"
    for _, _, text, _ in result.notices:
        yield f"! {text}"


def approve(
    folder: Folder = HERE,
    faction: Annotated[str | None, typer.Option("--as", help="Только приказы этой стороны.")] = None,
    unsure: Annotated[bool, typer.Option("--unsure", help="Принять и то, что понято неуверенно.", show_default=False)] = False,
) -> None:
    """Принять понятые приказы текущего шага; сказать, что осталось за бортом."""
    from forum_gm.pipeline.approve import approve as accept

    result = accept(_open(folder), _who(), issuer=faction, unsure=unsure)
    typer.echo(f"Принято приказов: {len(result.accepted)}.")
    for item in result.left_out:
        typer.echo(f"Не принято: {item.issuer}: {item.text} — {item.why}")


def resolve(
    folder: Folder = HERE,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Только показать, ничего не записывая.", show_default=False)] = False,
    close: Annotated[bool, typer.Option("--close", help="Закрыть приём приказов раньше срока.", show_default=False)] = False,
    portion: Annotated[
        bool, typer.Option("--portion", help="Исполнить принятое и оставить шаг открытым.", show_default=False)
    ] = False,
) -> None:
    """Рассчитать текущий шаг."""
    from forum_gm.pipeline import close as closing
    from forum_gm.pipeline import resolve as resolving

    ctx = _open(folder)
    if dry_run:
        trial = resolving.trial(ctx)
        for sheet in trial.plan.sheets:
            typer.echo(f"{sheet.issuer}: приказов {len(sheet.commands)}")
        typer.echo(_report_text(ctx, trial.outcome))
        return
    if portion:
        made = resolving.resolve_portion(ctx, _who())
        typer.echo(f"Исполнено без закрытия шага: событий {len(made.outcome.events)}.")
        return
    with ctx.store.writing() as session:
        step = ctx.step(session, None)
        ready = step.status == "open" and (close or closing.due(ctx, session, step))
    if ready:
        closing.close(ctx, _who(), early=close)
    result = resolving.resolve(ctx, _who())
    if result is None:
        typer.echo("Шаг уже рассчитан; опубликовать: forum-gm publish.")
        return
    typer.echo(f"Рассчитано: событий {len(result.outcome.events)}, бросков {len(result.outcome.draws)}.")


def _report_text(ctx: Any, outcome: Any) -> str:
    from renderers.text import render_text
    from rules.base import GM_ONLY, visible

    with ctx.store.reading() as session:
        step = ctx.rules_step(session, ctx.step(session, None))
    view = ctx.ruleset.view(outcome.state, GM_ONLY)
    return render_text(ctx.ruleset.report(view, visible(outcome.events, GM_ONLY), step=step))


def publish(folder: Folder = HERE) -> None:
    """Опубликовать рассчитанное и досылать то, что не ушло."""
    from forum_gm.pipeline.publish import publish as tell

    result = tell(_open(folder), _who())
    typer.echo(f"Отправлено: {len(result.confirmed)}.")
    for key in result.asked:
        typer.echo(f"Решите на пульте, дошло ли: {key}", err=True)
    if result.trouble:
        typer.echo(result.trouble, err=True)
    raise typer.Exit(1 if result.trouble or result.asked else 0)


def rollback(
    folder: Folder = HERE,
    step: Annotated[int | None, typer.Option("--step", help="К какому шагу; по умолчанию последний рассчитанный.")] = None,
    reopen: Annotated[
        bool, typer.Option("--reopen", help="Снова принимать приказы, с новыми костями.", show_default=False)
    ] = False,
) -> None:
    """Вернуться к прежнему шагу: пересчитать его заново или открыть для новых приказов."""
    from forum_gm.pipeline import decide

    ctx = _open(folder)
    row = (
        decide.rerun(ctx, _who())
        if step is None and not reopen
        else decide.rollback(ctx, _who(), _number(ctx, step), reopen=reopen)
    )
    ready = "приказы снова принимаются после объявления" if reopen else "рассчитайте его заново: forum-gm resolve"
    typer.echo(f"Возврат к шагу {row.number} «{row.title}», попытка {row.attempt}: {ready}.")


def _number(ctx: Any, step: int | None) -> int:
    if step is not None:
        return step
    with ctx.store.reading() as session:
        done = [row.number for row in ctx.steps(session) if row.status in ("resolved", "published")]
    if not done:
        raise UsageProblem("Возвращаться некуда: ни один шаг ещё не рассчитан.")
    return int(done[-1])


def verify(
    source: Annotated[Path, typer.Argument(help="Папка кампании, летопись PDF или запись JSON.", metavar="ПАПКА|ФАЙЛ")] = HERE,
) -> None:
    """Пересчитать кампанию с первого шага и проверить все броски."""
    from forum_gm.pipeline import record
    from forum_gm.pipeline.verify import verify as check_campaign

    if not source.exists():
        raise UsageProblem(f"Нет ни файла, ни папки {source}.")
    if source.is_file() and source.suffix.lower() == ".json":
        typer.echo(record.verify_record(read_json(source)))
    elif source.is_file():
        typer.echo(record.verify_record(record.record_in_pdf(source)))
    else:
        typer.echo(check_campaign(_open(source)))


def backup(
    folder: Folder = HERE,
    out: Annotated[Path | None, typer.Option("--out", help="Куда; по умолчанию в папку копий.")] = None,
) -> None:
    """Сохранить кампанию одним файлом."""
    from forum_gm.pipeline.backup import back_up

    typer.echo(f"Копия: {back_up(_open(folder), out)}")


def restore(
    archive: Annotated[Path, typer.Argument(help="Файл копии.", metavar="ФАЙЛ")],
    folder: Annotated[Path, typer.Argument(help="Новая папка.", metavar="ПАПКА")],
    database: Annotated[
        str | None,
        typer.Option(
            "--database",
            help="Адрес базы, в которую её положить (пустой: файл в папке); по умолчанию как в настройках копии.",
            metavar="АДРЕС",
        ),
    ] = None,
) -> None:
    """Восстановить кампанию из файла в новую папку."""
    from forum_gm.pipeline.backup import restore as unpack

    campaign = unpack(archive, folder, database)
    typer.echo(f"Кампания «{campaign}» восстановлена: {folder}. Проверьте её: forum-gm verify {folder}")
