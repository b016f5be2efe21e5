"""The desk and the archive in a real browser: a GM's whole turn, a phone, no script, the keyboard; no complaint on any page."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from forum_gm.pipeline.review import review
from tests.browser.conftest import NAME, PASSWORD, Desk, Visitor, late

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
Visit = Callable[..., Visitor]


def log_in(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.address}/desk")
    page.get_by_label("Имя").fill(NAME)
    page.get_by_label("Пароль").fill(PASSWORD)
    page.get_by_role("button", name="Войти").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ход 1: заявки")


def picture_width(page: Page, alt: str) -> int:
    """Pixels of a picture as it came; 0 when it didn't."""
    page.wait_for_load_state("load")
    return int(page.get_by_alt_text(alt, exact=True).evaluate("img => img.naturalWidth"))


@pytest.mark.parametrize("script", [True, False], ids=["", "no-script"])
def test_gm_plays_a_turn(desk: Desk, visit: Visit, script: bool) -> None:
    window = visit(script=script)
    page = window.page
    log_in(page, desk)

    # Each player's words with what was understood, the orders beside them.
    buyny = page.locator("#side-buyny")
    expect(buyny.locator("mark.unsure").first).to_contain_text("Пьяный Дркон")
    expect(buyny.locator("mark.error")).to_have_text("Строю кабак на Слободе Рубак")
    expect(buyny.locator("mark.question")).to_contain_text("Если Ржавый атакует")
    expect(buyny).to_contain_text("понято как «000.Таверна Пьяный Дракон»")
    expect(page.locator("#side-kael mark.certain").first).to_contain_text("Атакую 011.Круг Седых Камней")
    expect(page.locator("#side-askold .tag", has_text="2 текста")).to_be_visible()
    expect(page.locator("#side-rzhavy")).to_contain_text("Сообщений нет.")

    # A doubtful reading is confirmed, an order is put right in words, a mistake is answered, one order is turned down.
    buyny.locator("li.unsure").get_by_role("button", name="Принять").click()
    expect(page.locator("#side-buyny li", has_text="Таверна Пьяный Дракон").first).to_contain_text("принят")
    walls = page.locator("#side-buyny li", has_text="30э в защиту мира")
    walls.get_by_text("исправить или отклонить").click()
    walls.get_by_label("Приказ словами").fill("2э в защиту мира")
    walls.get_by_role("button", name="Заменить").click()
    expect(page.get_by_role("status")).to_have_text("Приказ исправлен.")
    expect(page.locator("#side-buyny li", has_text="2э в защиту мира").first).to_contain_text("исправлен мастером")
    question = page.locator("#side-buyny li.question")
    question.get_by_label("Верный приказ словами").fill("Голос за Дань")
    question.get_by_role("button", name="Добавить").click()
    expect(page.get_by_role("status")).to_have_text("Приказ добавлен.")
    vote = page.locator("#side-tishina li", has_text="Голос: Руна Возвращения")
    vote.get_by_text("исправить или отклонить").click()
    vote.get_by_label("Причина").fill("проспорил")
    vote.get_by_role("button", name="Отклонить").click()
    expect(page.locator("#side-tishina li.rejected")).to_contain_text("проспорил")

    # A look at what would come out, also with a player's eyes.
    page.get_by_role("button", name=re.compile("Принять всё уверенное")).click()
    page.get_by_role("link", name="Предпросмотр").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Предпросмотр: Ход 1")
    page.get_by_text("Не войдёт в расчёт").click()
    expect(page.locator("main")).to_contain_text("Такого приказа в игре нет")
    assert picture_width(page, "Карта") >= 900
    page.get_by_role("link", name="Буйный", exact=True).click()
    expect(page.locator(".report")).to_contain_text("Ваша энергия")
    page.get_by_role("link", name="Назад к приказам").click()

    # The deadline; a late post is admitted; results; publication.
    late(desk)
    page.reload()
    expect(page.locator("#side-rzhavy .tag.bad")).to_contain_text("опоздало")
    rzhavy = page.locator("#side-rzhavy")
    rzhavy.get_by_text("сообщение целиком").click()
    rzhavy.get_by_role("button", name="Засчитать").click()
    expect(page.locator("#side-rzhavy li", has_text="Погост Святой Клары").first).to_be_visible()
    page.get_by_role("button", name=re.compile("Принять всё уверенное")).click()
    page.get_by_role("button", name="Рассчитать").click()
    expect(page.get_by_role("status")).to_contain_text("посмотрите итоги и опубликуйте")
    page.get_by_role("button", name="Опубликовать").click()
    expect(page.get_by_role("status")).to_contain_text("Итоги опубликованы")
    report = next(text for text in desk.board.own() if "Погост Святой Клары" in text and "Победил" in text)
    assert "Таверна Пьяный Дракон" in report
    page.get_by_role("link", name="Журнал").click()
    expect(page.locator("main")).to_contain_text("исправлен приказ")
    page.get_by_role("button", name=re.compile("Выйти")).click()
    page.goto(f"{desk.address}/desk/pechati")
    expect(page.get_by_role("heading", level=1)).to_have_text("Вход для мастера")


PHONE, SMALLEST = (412, 900), (360, 740)


@pytest.mark.parametrize("size", [PHONE, SMALLEST], ids=["phone", "smallest"])
def test_nothing_is_wider_than_a_phone(desk: Desk, visit: Visit, size: tuple[int, int]) -> None:
    window = visit(*size)
    page = window.page
    log_in(page, desk)
    assert window.overflow() <= 0
    for details in page.locator("#side-buyny details").all():
        details.evaluate("d => d.open = true")
    page.locator("#side-askold").get_by_text("Правки").click()
    assert window.overflow() <= 0
    page.goto(f"{desk.address}/desk/pechati/preview")
    assert window.overflow() <= 0
    desk_pages = [f"{desk.address}/desk/pechati/audit", f"{desk.address}/c/pechati/rulings", f"{desk.address}/c/pechati/draft"]
    late(desk)
    for what in ("approve", "resolve", "publish"):
        page.goto(f"{desk.address}/desk/pechati")
        page.locator(f"form[action$='/do/{what}'] button").click()
    for address in [
        *desk_pages,
        f"{desk.address}/c/pechati",
        f"{desk.address}/c/pechati/turn/1",
        f"{desk.address}/c/pechati/rules",
    ]:
        page.goto(address)
        assert window.overflow() <= 0, address
    # The archive gives its treasures to anyone.
    page.context.clear_cookies()
    page.goto(f"{desk.address}/c/pechati")
    page.get_by_role("link", name="Ход 1: заявки", exact=True).click()
    expect(page.locator(".report")).to_contain_text("Победил")
    assert picture_width(page, "Карта после хода") >= 900
    for name, start in (("Сводка (PDF)", b"%PDF"), ("Карта (PNG)", b"\x89PNG")):
        address = page.get_by_role("link", name=name).get_attribute("href")
        assert page.request.get(f"{desk.address}{address}").body().startswith(start)


def test_player_tries_a_draft_without_leaving_a_trace(desk: Desk, visit: Visit) -> None:
    page = visit(*PHONE, script=False).page
    page.goto(f"{desk.address}/c/pechati/draft")
    page.get_by_label("Кто пишет").select_option("buyny")
    page.get_by_label("Черновик").fill(
        "Беру Пьяный Дркон: 14э, из них 2 на дорогу, пехота 6, некра 6, волшебник\nСтрою кабак на Слободе Рубак"
    )
    page.get_by_role("button", name="Показать, как понято").click()
    expect(page.locator("ol.orders li.unsure")).to_contain_text("спросит")
    expect(page.locator("ul.orders li.error")).to_contain_text("Такого приказа в игре нет")
    assert page.context.cookies() == []


def test_keyboard_alone_is_enough_and_its_place_is_seen(desk: Desk, visit: Visit) -> None:
    page = visit().page
    page.goto(f"{desk.address}/desk")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="К содержанию")).to_be_focused()
    expect(page.get_by_role("link", name="К содержанию")).to_be_in_viewport()
    page.get_by_label("Имя").focus()
    page.keyboard.type(NAME)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ход 1: заявки")
    seen: set[str] = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        outline, name = page.evaluate(
            "[getComputedStyle(document.activeElement).outlineStyle + parseInt(getComputedStyle(document.activeElement).outlineWidth),"
            " document.activeElement.textContent.trim() || document.activeElement.ariaLabel]"
        )
        assert outline == "solid3", name
        seen.add(str(name))
    assert {"Буйный", "Принять", "Добавить"} <= seen
    accept = page.locator("#side-buyny li.unsure").get_by_role("button", name="Принять")
    accept.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#side-buyny li", has_text="Таверна Пьяный Дракон").first).to_contain_text("принят")
    assert "accepted" in {order.status for order in review(desk.ctx).players[0].posts[0].orders}


def test_text_is_legible_by_day_and_by_night(desk: Desk, visit: Visit) -> None:
    """Contrast of every text against what lies behind it, after WCAG: at least 4.5 to 1 (unordered words: 3 to 1)."""
    for dark in (False, True):
        page = visit(dark=dark).page
        log_in(page, desk)
        poor = page.evaluate(CONTRAST)
        assert poor == [], dark


CONTRAST = """() => {
  const parse = c => (c.match(/[\\d.]+/g) || []).map(Number);
  const over = (top, below) => { const a = top[3] ?? 1; return [0, 1, 2].map(i => top[i] * a + below[i] * (1 - a)); };
  const light = c => { const [r, g, b] = c.map(v => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b; };
  const behind = e => { const stack = []; for (let n = e; n; n = n.parentElement) stack.push(parse(getComputedStyle(n).backgroundColor));
    return stack.reverse().reduce((below, c) => c.length ? over(c, below) : below, [255, 255, 255]); };
  const out = [];
  for (const e of document.querySelectorAll('main *, header *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest('.skip')) continue;
    let fade = 1; for (let n = e; n; n = n.parentElement) fade *= Number(getComputedStyle(n).opacity);
    const below = behind(e), ink = over([...parse(getComputedStyle(e).color).slice(0, 3), fade], below);
    const [a, b] = [light(ink), light(below)].sort((x, y) => y - x), ratio = (a + .05) / (b + .05);
    if (ratio < (e.matches('mark.ignored') ? 3 : 4.5)) out.push(`${ratio.toFixed(2)} ${e.tagName}.${e.className} ${e.textContent.trim().slice(0, 30)}`);
  }
  return [...new Set(out)];
}"""
