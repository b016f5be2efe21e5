"""`forum-gm check`: looks at everything a campaign needs, one line each, with the remedy where something is wrong."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from forum_gm.config import Settings, password, read_settings
from forum_gm.errors import ForumGmError
from forum_gm.pipeline.board import BoardTrouble
from forum_gm.pipeline.context import Context, open_folder
from forum_gm.pipeline.verify import verify
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
    topics = [ctx.settings.channels.topic, *(p.topic for p in ctx.settings.players)]
    for topic in dict.fromkeys(t for t in topics if t):
        try:
            seen = ctx.board.read(topic, {}, None)
        except BoardTrouble as error:
            yield Finding(False, f"тема {topic}: {error}", "проверьте номер темы и права ведущего")
        else:
            yield Finding(True, f"тема {topic}: читается, сообщений {len(seen.posts)}")
