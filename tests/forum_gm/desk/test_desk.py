"""The desk over HTTP: a GM's whole turn with plain forms, what the public sees, and what an attacker gets (nothing)."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from forum_gm.config import ReviewPart
from forum_gm.desk.accounts import Accounts
from forum_gm.desk.app import create_app
from forum_gm.desk.marks import stretches
from forum_gm.pipeline.context import Context
from forum_gm.pipeline.review import Mark, review
from forum_gm.service import tick
from tests.forum_gm.pipeline.tiny import MemoryBoard, context

PASSWORD = "верная лошадь батарея"
HOSTILE = '<script>alert(1)</script> "><img src=x onerror=alert(2)> {{ 7*7 }} [b]беру 3[/b]'


@pytest.fixture
def game(tmp_path: Path) -> tuple[Context, MemoryBoard]:
    ctx, board = context(tmp_path, review=ReviewPart(approve="gm", publish="gm"))
    tick(ctx)
    board.clock.sleep(3600)
    board.say("10", "беру 5\nкабаны вперёд")
    board.say("11", "наверное беру 9")
    tick(ctx)
    return ctx, board


@pytest.fixture
def clock() -> list[float]:
    return [0.0]


@pytest.fixture
def site(game: tuple[Context, MemoryBoard], clock: list[float]) -> Iterator[TestClient]:
    accounts = Accounts(game[0].folder / "desk-accounts.json")
    accounts.set_password("Мастер", PASSWORD)
    with TestClient(create_app([game[0]], accounts=accounts, now=lambda: clock[0])) as client:
        yield client


def token(client: TestClient, path: str = "/desk/login") -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', client.get(path).text)
    assert found is not None
    return found[1]


def log_in(client: TestClient, password: str = PASSWORD) -> str:
    page = client.post("/desk/login", data={"csrf": token(client), "name": "Мастер", "password": password})
    return page.text


def do(client: TestClient, path: str, **fields: str) -> str:
    page = client.post(f"/desk/tiny/{path}", data={"csrf": token(client, "/desk/tiny"), **fields})
    assert page.status_code == 200, page.text
    return page.text


# ------------------------------------------------------------------------------------------------ the GM's work


def test_gm_takes_a_turn_from_posts_to_published_result(site: TestClient, game: tuple[Context, MemoryBoard]) -> None:
    ctx, board = game
    page = log_in(site)
    assert "Ход 1" in page
    assert '<mark class="certain">беру 5' in page
    assert '<mark class="unsure">наверное беру 9' in page
    assert "Кабанов в игре нет." in page
    unsure = review(ctx).players[1].posts[0].orders[0]
    do(site, f"order/{unsure.id}/accept")
    do(site, "do/approve")
    assert "red: 5 +" in site.get("/desk/tiny/preview").text
    do(site, "do/close")
    page = do(site, "do/resolve")
    assert "посмотрите итоги и опубликуйте" in page
    told = len(board.own())
    page = do(site, "do/publish")
    assert "Итоги опубликованы" in page
    assert len(board.own()) > told
    archive = site.get("/c/tiny").text
    assert "Ход 1" in archive
    number = re.search(r"/c/tiny/turn/(\d+)", archive)
    assert number is not None
    turn = site.get(f"/c/tiny/turn/{number[1]}").text
    assert "Взятое" in turn
    assert "шёпот" not in turn


def test_every_act_on_orders_works_from_its_form(site: TestClient, game: tuple[Context, MemoryBoard]) -> None:
    ctx, _ = game
    log_in(site)
    red, blue = (p.posts[0] for p in review(ctx).players)
    do(site, f"order/{red.orders[0].id}/line", line="беру 2")
    do(site, f"order/{blue.orders[0].id}/fields", command=json.dumps({"type": "take", "amount": 4}))
    do(site, "add", issuer="blue", line="пас", post_id=str(blue.id))
    red, blue = (p.posts[0] for p in review(ctx).players)
    assert [o.text for o in red.orders] == ["взять 2"]
    assert [o.text for o in blue.orders] == ["взять 4", "pass"]
    do(site, f"order/{red.orders[0].id}/reject", reason="не по правилам")
    assert review(ctx).players[0].posts[0].orders[0].status == "rejected"
    do(site, f"post/{blue.id}/exclude")
    assert not review(ctx).players[1].posts[0].counts
    do(site, f"post/{blue.id}/again")
    do(site, "precedent", phrase="кабаны вперёд", meaning="беру 1", issuer="red", public="1")
    assert "беру 1" in site.get("/c/tiny/rulings").text
    do(site, "do/extend", hours="5")
    page = do(site, "gm-command", command=json.dumps({"type": "gm_set", "faction": "red", "points": 40}), at_once="1")
    assert "Приказ мастера записан" in page
    assert "исправлен приказ" in site.get("/desk/tiny/audit").text


@pytest.mark.parametrize(
    ("path", "fields", "sentence"),
    [
        ("do/extend", {"hours": "много"}, "на сколько часов"),
        ("do/resolve", {}, "ещё не закрыт"),
        ("do/rollback", {"number": "9"}, "ещё не было"),
        ("add", {"issuer": "red", "line": "птица"}, "нет приказа"),
        ("gm-command", {"command": "{"}, "не читается"),
        ("order/999/accept", {}, "уже нет"),
    ],
)
def test_what_is_not_possible_is_said_in_russian(site: TestClient, path: str, fields: dict[str, str], sentence: str) -> None:
    log_in(site)
    assert sentence in do(site, path, **fields)


# ------------------------------------------------------------------------------------------------ safety


def test_every_desk_page_and_form_asks_for_the_gm(site: TestClient) -> None:
    for path in ("", "/preview", "/audit", "/preview/map.png"):
        answer = site.get(f"/desk/tiny{path}", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/desk/login")
    answer = site.post("/desk/tiny/do/approve", data={"csrf": token(site)}, follow_redirects=False)
    assert answer.headers["location"] == "/desk/login"


def test_a_form_without_the_sessions_token_does_nothing(site: TestClient, game: tuple[Context, MemoryBoard]) -> None:
    log_in(site)
    for bad in ("", "forged"):
        assert site.post("/desk/tiny/do/approve", data={"csrf": bad}).status_code == 403
    assert review(game[0]).undecided == 2
    assert site.get("/desk/tiny/do/approve").status_code == 405


def test_guessing_passwords_is_slowed_down(site: TestClient, clock: list[float]) -> None:
    for _ in range(5):
        assert "не подходит" in log_in(site, "неверный пароль")
    assert "Слишком много" in log_in(site)
    clock[0] += 1000
    assert "Ход 1" in log_in(site)


def test_what_a_player_wrote_never_becomes_markup(site: TestClient, game: tuple[Context, MemoryBoard]) -> None:
    ctx, board = game
    board.say("10", HOSTILE)
    tick(ctx)
    log_in(site)
    pages = [site.get("/desk/tiny").text]
    pages.append(site.post("/c/tiny/draft", data={"faction": "red", "text": HOSTILE}).text)
    for page in pages:
        assert "&lt;script&gt;" in page
        assert "<script" not in page
        assert "<img src=x" not in page
        assert "49" not in re.findall(r"\{\{ 7\*7 \}\}|\b49\b", page)


def test_answers_carry_headers_that_allow_no_foreign_code(site: TestClient) -> None:
    headers = site.get("/c/tiny").headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"
    assert "set-cookie" not in headers
    log_in(site)
    assert site.get("/desk/tiny").headers["cache-control"] == "no-store"
    page = site.get("/desk/tiny").text
    assert "onclick" not in page


def test_archive_gives_only_what_was_told_to_everyone(site: TestClient, game: tuple[Context, MemoryBoard]) -> None:
    ctx, _ = game
    (ctx.folder / "secret.txt").write_text("x")
    for path in (
        "/c/tiny/turn/1",
        "/c/tiny/files/1/secret.txt",
        "/c/tiny/files/1/..%2Fconfig.toml",
        "/c/other",
        "/c/tiny/turn/0",
    ):
        assert site.get(path).status_code == 404
    assert site.get("/c/tiny/chronicle.pdf").status_code == 409


def test_first_password_needs_the_printed_link_once(tmp_path: Path) -> None:
    ctx, _ = context(tmp_path)
    accounts = Accounts(tmp_path / "desk-accounts.json")
    site = TestClient(create_app([ctx], accounts=accounts))
    assert site.get("/desk/setup?token=guess").status_code == 404
    path = f"/desk/setup?token={accounts.setup_token}"
    fields = {"csrf": token(site, path), "token": accounts.setup_token, "name": "Мастер"}
    assert "не совпали" in site.post("/desk/setup", data={**fields, "password": PASSWORD, "again": "другой пароль"}).text
    assert "короче" in site.post("/desk/setup", data={**fields, "password": "кот", "again": "кот"}).text
    site.post("/desk/setup", data={**fields, "password": PASSWORD, "again": PASSWORD})
    assert accounts.check("Мастер", PASSWORD)
    assert site.get(path).status_code == 404
    stored = accounts.path.read_text("utf-8")
    assert "argon2id" in stored
    assert PASSWORD not in stored
    assert stat.S_IMODE(accounts.path.stat().st_mode) == 0o600


@given(
    st.text(max_size=30),
    st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 30), st.sampled_from(["order", "unsure", "error", "ignored"])), max_size=6
    ),
)
def test_marked_text_is_the_whole_text(text: str, places: list[tuple[int, int, str]]) -> None:
    marks = [Mark(min(a, b, len(text)), min(max(a, b), len(text)), kind, "1") for a, b, kind in places]
    assert "".join(piece.text for piece in stretches(text, marks)) == text


# ------------------------------------------------------------------------------------------------ the forum's troubles


def test_lost_write_is_a_question_with_buttons_that_work(site: TestClient, game: tuple[Context, MemoryBoard]) -> None:
    ctx, board = game
    log_in(site)
    board.undecided = True
    board.say("10", "беру 6")
    board.say("11", "беру 2")
    tick(ctx)
    page = site.get("/desk/tiny").text
    numbers = re.findall(r'id="asked-(\d+)"', page)
    assert len(numbers) == 2
    assert page.count("Не могу узнать, дошло ли.") == 2
    board.undecided = False
    assert (
        "Номер сообщения — число"
        in site.post(
            "/desk/tiny/do/settle",
            data={"csrf": token(site, "/desk/tiny"), "number": numbers[0], "arrived": "yes", "post": "там"},
        ).text
    )
    do(site, "do/settle", number=numbers[0], arrived="yes", post="№102")
    page = do(site, "do/settle", number=numbers[1])
    assert "asked-" not in page
    before = len(board.own()) + len(board.messages)
    tick(ctx)
    tick(ctx)
    # What the GM has seen isn't sent again; the other is, once.
    assert len(board.own()) + len(board.messages) == before + 1
    assert (
        "не ждёт вашего решения"
        in site.post("/desk/tiny/do/settle", data={"csrf": token(site, "/desk/tiny"), "number": numbers[0]}).text
    )


def test_weather_is_told_once_and_clears_by_itself(site: TestClient, game: tuple[Context, MemoryBoard]) -> None:
    ctx, board = game
    log_in(site)
    board.down = True
    tick(ctx)
    assert site.get("/desk/tiny").text.count("Погода на форуме") == 1
    board.down = False
    tick(ctx)
    assert "Погода на форуме" not in site.get("/desk/tiny").text


@pytest.mark.parametrize("noticed", [True, False], ids=["notice", "no-notice"])
def test_edit_around_the_deadline_is_shown_as_a_word_diff(
    site: TestClient, game: tuple[Context, MemoryBoard], noticed: bool
) -> None:
    ctx, board = game
    log_in(site)
    number = next(n for n, post in board.posts.items() if post.author_id == "10")
    board.clock.sleep(60 * 3600)
    board.change(number, "беру 9\nкабаны вперёд", board.clock.now() if noticed else None)
    tick(ctx)
    page = site.get("/desk/tiny").text
    assert "<del>5</del><ins>9</ins>" in page
    assert ("после срока</span>" in page) is noticed
    assert ("время правки неизвестно" in page) is not noticed
    assert "<details open><summary>Правки" in page
    # The GM is asked; what was read before the close counts until he says otherwise.
    assert f"user10 изменил сообщение {number}" in page
    assert [order.text for order in review(ctx).players[0].posts[0].orders] == ["взять 5"]
    do(site, f"post/{review(ctx).players[0].posts[0].id}/pin", revision="2")
    assert [order.text for order in review(ctx).players[0].posts[0].orders] == ["взять 9"]


def test_edit_after_the_answer_is_shown_as_such(site: TestClient, game: tuple[Context, MemoryBoard]) -> None:
    ctx, board = game
    log_in(site)
    number = next(n for n, post in board.posts.items() if post.author_id == "10")
    board.change(number, "беру 7\nкабаны вперёд", board.clock.now())
    tick(ctx, reread=True)
    page = site.get("/desk/tiny").text
    assert "после ответа «понял так»" in page
    assert "<del>5</del><ins>7</ins>" in page
