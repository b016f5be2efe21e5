"""`forum-gm check`: looks at everything a campaign needs, one line each, with the remedy where something is wrong."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import func, select

from forum_gm.config import Settings, password, read_settings
from forum_gm.errors import ForumGmError
from forum_gm.pipeline.board import BoardTrouble
from forum_gm.pipeline.context import Context, open_folder
from forum_gm.pipeline.verify import verify
from forum_gm.storage.models import Channel, Notice, Publication, PublicationStatus
from forum_gm.wording import counted, listed, when
from renderers.fonts import missing_faces, text_layout_status
from rules import registry
from rules.base import RulesError


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor."""

    good: bool
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        if self.good:
            return f"✓ {self.what}"
        return f"✗ {self.what}" + (f" → {self.remedy}" if self.remedy else "")


def check(folder: Path, connect: Callable[[Context], None] | None = None) -> Iterator[Finding]:
    """All findings. `connect` tries the forum; it raises `ForumGmError`."""
    yield from check_installation()
    try:
        settings = read_settings(folder)
    except ForumGmError as error:
        yield Finding(False, f"настройки: {error}", "поправьте config.toml (образец: config.example.toml)")
        return
    yield Finding(True, f"настройки: {folder / 'config.toml'}")
    yield from _rules(settings)
    try:
        ctx = open_folder(folder)
    except (ForumGmError, RulesError) as error:
        yield Finding(False, f"база данных: {error}", "проверьте campaign.database и права на папку")
        return
    yield from _database(ctx)
    yield from _players(settings)
    yield from _weather(ctx)
    yield from _forum(ctx, connect)


def check_installation() -> Iterator[Finding]:
    """What doesn't depend on a campaign: fonts, text layout, PDF libraries."""
    missing = missing_faces()
    yield Finding(not missing, "шрифты" + (f": не хватает {', '.join(missing)}" if missing else ""), "переустановите: make setup")
    layout = text_layout_status()
    yield Finding(layout.ok, layout.message)
    try:
        importlib.import_module("weasyprint")
    except OSError as error:
        yield Finding(False, f"PDF: {error}", "apt install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0")
    else:
        yield Finding(True, "PDF: библиотеки на месте")


def _rules(settings: Settings) -> Iterator[Finding]:
    try:
        rules = registry.get(settings.campaign.ruleset)
    except RulesError as error:
        yield Finding(False, f"правила: {error}", "проверьте campaign.ruleset")
    else:
        yield Finding(True, f"правила: {rules.title} ({rules.id} {rules.version})")


def _database(ctx: Context) -> Iterator[Finding]:
    with ctx.store.reading() as session:
        steps = ctx.steps(session)
    if not steps:
        yield Finding(True, "база данных: готова, кампания ещё не начата")
        return
    try:
        yield Finding(True, f"база данных: {verify(ctx)}")
    except ForumGmError as error:
        yield Finding(False, f"база данных: {error}", "восстановите последнюю копию: forum-gm restore")


def _players(settings: Settings) -> Iterator[Finding]:
    idle = [player.faction for player in settings.players if not player.accounts]
    if not settings.players or idle:
        who = f"без игрока: {', '.join(idle)}" if idle else "не записан никто"
        yield Finding(False, f"игроки: {who}", "впишите номера учётных записей в [[players]]")
    else:
        yield Finding(True, f"игроки: {len(settings.players)}")


def _forum(ctx: Context, connect: Callable[[Context], None] | None) -> Iterator[Finding]:
    forum = ctx.settings.forum
    if not forum.url:
        yield Finding(False, "форум: адрес не задан", "впишите forum.url")
        return
    try:
        password(forum, ctx.folder)
    except ForumGmError as error:
        yield Finding(False, f"пароль: {error}", "см. forum.password_env")
        return
    if connect is None:
        return
    try:
        connect(ctx)
    except ForumGmError as error:
        yield Finding(False, f"форум: {error}", "проверьте адрес, имя и пароль")
        return
    yield Finding(True, f"форум: вход выполнен ({forum.user or 'гость'})")
    topics = {ctx.settings.channels.topic: "общая тема", **{p.topic: f"тема стороны {p.faction}" for p in ctx.settings.players}}
    for topic, name in topics.items():
        if topic:
            yield from _topic(ctx, topic, name)


def _topic(ctx: Context, topic: int, name: str) -> Iterator[Finding]:
    """One line on reading and writing in a topic, and one on each right that is missing."""
    try:
        rights = ctx.board.rights(topic)
    except BoardTrouble as error:
        yield Finding(False, f"{name} {topic}: {error}", "проверьте номер темы и права учётной записи")
        return
    head = f"{name} {topic} «{rights.title}»"
    if not rights.write:
        why = f" ({rights.why})" if rights.why else ""
        yield Finding(False, f"{head}: читается, но писать нельзя{why}", "попросите у администратора право отвечать в теме")
        return
    able = ["читать", "писать"] + ["прикладывать файлы"] * rights.attach + ["видеть исходный текст"] * rights.sources
    yield Finding(True, f"{head}: можно {listed(able)}")
    if ctx.settings.board.attachments and not rights.attach:
        remedy = "попросите право прикладывать файлы или выключите board.attachments"
        yield Finding(False, f"{head}: файлы прикладывать нельзя", remedy)
    if not rights.guarded:
        # No fault of anybody's, and the GM should know before the first lost answer.
        yield Finding(True, f"{head}: форум не замечает повторной отправки; если ответ потеряется, программа спросит вас")


def _weather(ctx: Context) -> Iterator[Finding]:
    """What is wrong with the board as the service last saw it."""
    with ctx.store.reading() as session:
        query = select(Notice).where(Notice.campaign_id == ctx.campaign_id, Notice.kind == "weather", Notice.settled_at.is_(None))
        troubles = [(notice.text, notice.at) for notice in session.scalars(query.order_by(Notice.id))]
        last = session.scalar(select(func.max(Channel.read_at)).where(Channel.campaign_id == ctx.campaign_id))
        asked = session.scalar(
            select(func.count()).where(Publication.campaign_id == ctx.campaign_id, Publication.status == PublicationStatus.ASKED)
        )
    zone = ctx.settings.zone
    for text, at in troubles:
        yield Finding(
            False, f"погода на форуме, с {when(at, zone)}: {text}", "см. совет в сообщении; программа пробует снова сама"
        )
    if not troubles and last is not None:
        yield Finding(True, f"погода на форуме: ясно, прочитан {when(last, zone)}")
    if asked:
        many = counted(asked, "публикация ждёт", "публикации ждут", "публикаций ждут")
        yield Finding(False, f"{many} вашего решения: дошла ли", "ответьте на пульте")
