"""A desk with an open step full of everything that a GM meets, and a real browser before it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Response, expect, sync_playwright

from forum_gm.config import Account, BoardPart, CampaignPart, ChannelsPart, GmPart, PlayerPart, ReviewPart
from forum_gm.desk.accounts import Accounts
from forum_gm.desk.app import create_app
from forum_gm.forums.clock import ManualClock
from forum_gm.pipeline.context import Context, seeded_secrets
from forum_gm.service import tick
from forum_gm.storage import Store
from forum_gm.webserver import WebServer
from rules import registry
from tests.forum_gm.pipeline.tiny import HOUR, START, MemoryBoard, settings

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 30_000
"""Milliseconds to wait for a page on a busy machine."""
NAME, PASSWORD = "Старый Летописец", "верная лошадь батарея"
PLAYERS = {
    "kael": ("10", "Ksenia_K"),
    "buyny": ("11", "Буян Степаныч"),
    "tishina": ("12", "тишина_в_эфире"),
    "morwen": ("13", "Леди М."),
    "askold": ("14", "Аскольд-казначей"),
    "rzhavy": ("15", "Ржа"),
}


@dataclass
class Desk:
    """A running desk."""

    ctx: Context
    board: MemoryBoard
    address: str

    def say(self, faction: str, text: str) -> int:
        return self.board.say(PLAYERS[faction][0], text)


def campaign(folder: Path) -> tuple[Context, MemoryBoard]:
    """«Печати Хаоса» on a board in memory; nothing happens without the GM."""
    config = settings(
        campaign=CampaignPart(id="pechati", ruleset="astral", scenario=""),
        board=BoardPart(spoiler="spoiler", tables=True),
        channels=ChannelsPart(topic=7, secret_in_public="accept"),
        gm=GmPart(accounts=(Account(id="3", name=NAME),)),
        review=ReviewPart(approve="gm", publish="gm"),
        players=tuple(PlayerPart(faction=f, accounts=(Account(id=i, name=n),)) for f, (i, n) in PLAYERS.items()),
    )
    board = MemoryBoard(ManualClock(START))
    store = Store(config.database_url(folder))
    ruleset = registry.get("astral")
    return Context(folder, config, store, ruleset, board.clock, lambda ctx: board, seeded_secrets("browser")), board


def everything(desk: Desk) -> None:
    """An open step: certain and unsure readings, questions, mistakes, an edit, a split post, a stranger's words, a late edit."""
    clock = desk.board.clock
    tick(desk.ctx)
    clock.sleep(3600)
    desk.say(
        "kael",
        "[i]Солнечный Трон молчал до полудня. Потом Каэль поднял руку, и лучники на стенах перестали дышать.[/i]\n\n"
        "[b]Атакую 011.Круг Седых Камней: 11э, из них 1 на дорогу, лучники 5, стихийная 5, воин.[/b]\n"
        "Писцу велено записать и остальное: 3э в защиту мира. Голос мой за Изобилие.",
    )
    desk.say(
        "buyny",
        "1. Беру Пьяный Дркон: 14э, из них 2 на дорогу, пехота 6, некра 6, волшебник\n2. Строю кабак на Слободе Рубак\n"
        "3. Если Ржавый атакует, то 4э на стены\n4. 30э в защиту мира\n5. Руна — Изобилие, чтоб всем хватило",
    )
    desk.say("tishina", "беру хутор кривой коготь четыре энергии пехота два некра два воин голос мой за возвращение")
    clock.sleep(3600)
    first = desk.say("askold", "1) Атака: 002. Мельница Ветров — 7 э.: пехота 4, некромантия 3, командир.\n2) Защита мира: 4 э.")
    tick(desk.ctx)
    clock.sleep(HOUR.total_seconds())
    desk.board.change(
        first,
        "1) Атака: 002. Мельница Ветров — 7 э.: пехота 4, некромантия 3, командир.\n2) Защита мира: 6 э.\n3) Голос: руна Дани.",
        clock.now(),
    )
    desk.say("morwen", "Морвен выходит из Шпиля. Жертва населения на Саде Костей.\nГолосую за Дань или за Изобилие.")
    desk.say("morwen", "Нападение на 012: 12э, из них 1 на дорогу, лучники 5, священная 6, воин.")
    tick(desk.ctx)


def late(desk: Desk) -> None:
    """The deadline has gone by; somebody overslept."""
    desk.board.clock.set(START + timedelta(hours=60))
    desk.say("rzhavy", "Здарова, проспал малость\nРжавый топчет Погост (003): 9 эн, кав 5 некр 4, вояка рулит. Руна — возврат.")
    tick(desk.ctx)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    ctx, board = campaign(tmp_path)
    accounts = Accounts(tmp_path / "desk-accounts.json")
    accounts.set_password(NAME, PASSWORD)
    with WebServer(create_app([ctx], accounts=accounts)) as server:
        made = Desk(ctx, board, server.address.rstrip("/"))
        everything(made)
        yield made
    ctx.store.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium: install the package chromium")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Visitor:
    """A window in which every complaint of the browser is a failure."""

    def __init__(self, context: BrowserContext) -> None:
        self.page: Page = context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("response", self._answered)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            self.complaints.append(f"{response.status} {response.url}")

    def overflow(self) -> int:
        """Pixels by which the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


@pytest.fixture
def visit(chromium: Browser) -> Iterator[object]:
    """Maker of windows: `visit(width, height, script=False)`."""
    contexts: list[BrowserContext] = []
    visitors: list[Visitor] = []

    def make(width: int = 1280, height: int = 900, *, script: bool = True, dark: bool = False) -> Visitor:
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            java_script_enabled=script,
            locale="ru-RU",
            color_scheme="dark" if dark else "light",
        )
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        visitors.append(Visitor(context))
        return visitors[-1]

    yield make
    for context in contexts:
        context.close()
    assert [text for visitor in visitors for text in visitor.complaints] == []
