"""Manners of one session: pause, Retry-After, back-off, the stop, cookies, logins, protection pages (against `responses`)."""

from __future__ import annotations

import logging
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
import requests
import responses

from forum_gm.forums import errors
from forum_gm.forums.clock import ManualClock
from forum_gm.forums.transport import Manners, Transport

URL = "http://board.example/viewtopic.php?t=2"
START = datetime(2026, 5, 1, tzinfo=UTC)


def transport(cookie_file: Path | None = None, **manners: float) -> tuple[Transport, ManualClock]:
    clock = ManualClock(START)
    return Transport(manners=Manners(**manners), clock=clock, cookie_file=cookie_file), clock  # type: ignore[arg-type]


def gone(clock: ManualClock) -> float:
    return (clock.now() - START).total_seconds()


@responses.activate
def test_pause_between_requests() -> None:
    responses.get(URL, "ok")
    session, clock = transport(pause=3)
    session.get(URL)
    session.get(URL)
    assert gone(clock) == 3


@responses.activate
def test_retry_after_is_obeyed() -> None:
    responses.get(URL, "later", status=429, headers={"Retry-After": "77"})
    responses.get(URL, "ok")
    session, clock = transport(pause=0)
    assert session.get(URL).text == "ok"
    assert gone(clock) == 77


@responses.activate
def test_retry_after_may_be_a_date() -> None:
    responses.get(URL, "later", status=503, headers={"Retry-After": "Fri, 01 May 2026 00:02:00 GMT"})
    responses.get(URL, "ok")
    session, clock = transport(pause=0)
    assert session.get(URL).text == "ok"
    assert gone(clock) == 120


@responses.activate
def test_retry_after_longer_than_patience_is_an_error() -> None:
    responses.get(URL, "later", status=503, headers={"Retry-After": "86400"})
    session, clock = transport(pause=0)
    with pytest.raises(errors.Unreachable):
        session.get(URL)
    assert gone(clock) == 0


@responses.activate
def test_back_off_grows_with_jitter() -> None:
    responses.get(URL, "bad", status=502)
    session, clock = transport(pause=0, retries=3, backoff=2)
    with pytest.raises(errors.Unreachable):
        session.get(URL)
    assert len(responses.calls) == 4
    assert 2 + 4 + 8 <= gone(clock) <= 1.5 * (2 + 4 + 8)


@responses.activate
def test_stop_after_repeated_failures_then_one_try() -> None:
    responses.get(URL, body=requests.ReadTimeout())
    session, clock = transport(pause=0, retries=0, failures_allowed=3, rest=600)
    for _ in range(3):
        with pytest.raises(errors.Unreachable):
            session.get(URL)
    with pytest.raises(errors.CircuitOpen, match="через 10 мин"):
        session.get(URL)
    assert len(responses.calls) == 3
    clock.sleep(601)
    with pytest.raises(errors.Unreachable):
        session.get(URL)
    with pytest.raises(errors.CircuitOpen):
        session.get(URL)
    assert len(responses.calls) == 4


@responses.activate
def test_a_form_is_never_sent_twice_by_itself() -> None:
    responses.post(URL, body=requests.ReadTimeout())
    session, _ = transport(pause=0)
    with pytest.raises(errors.AnswerLost):
        session.post(URL, [("message", "Приказ")])
    assert len(responses.calls) == 1


def test_a_refused_connection_is_known_not_to_have_arrived() -> None:
    session, _ = transport(pause=0, timeout=2)
    with pytest.raises(errors.NotSent):
        session.post("http://127.0.0.1:9/posting.php", [("message", "Приказ")])


@responses.activate
def test_cloudflare_is_recognised_and_not_hammered() -> None:
    responses.get(
        URL, "<title>Just a moment...</title>", status=403, headers={"Server": "cloudflare", "cf-mitigated": "challenge"}
    )
    session, _ = transport(pause=0)
    with pytest.raises(errors.Protected):
        session.get(URL)
    assert len(responses.calls) == 1


@responses.activate
@pytest.mark.parametrize(
    ("status", "server", "body"),
    [
        (503, "cloudflare", "<div id='cf_chl_opt'></div>"),
        (403, "ddos-guard", "<script src='/__ddg/check.js'></script>"),
        (429, "cloudflare", "<script src='/cdn-cgi/challenge-platform/x.js'></script>"),
    ],
)
def test_protection_pages_of_all_kinds_are_neither_outage_nor_topic(status: int, server: str, body: str) -> None:
    responses.get(URL, body, status=status, headers={"Server": server})
    session, _ = transport(pause=0)
    with pytest.raises(errors.Protected, match="защитой от роботов"):
        session.get(URL)
    assert len(responses.calls) == 1


@responses.activate
def test_cookies_live_on_readable_by_the_owner_only(tmp_path: Path) -> None:
    responses.get(URL, "ok", headers={"Set-Cookie": "phpbb3_x_k=geheim; Path=/"})
    file = tmp_path / "state" / "cookies"
    session, _ = transport(file, pause=0)
    session.get(URL)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again, _ = transport(file, pause=0)
    assert again.cookie("_k") == "geheim"
    again.get(URL)
    assert responses.calls[1].request.headers["Cookie"] == "phpbb3_x_k=geheim"


def test_login_at_most_once_a_minute_and_never_after_a_captcha(tmp_path: Path) -> None:
    file = tmp_path / "cookies"
    session, clock = transport(file)
    session.may_log_in()
    with pytest.raises(errors.LoginTooSoon):
        session.may_log_in()
    # Another process remembers it too.
    with pytest.raises(errors.LoginTooSoon):
        transport(file)[0].may_log_in()
    clock.sleep(61)
    session.may_log_in()
    session.block_login()
    clock.sleep(86400)
    with pytest.raises(errors.LoginCaptcha):
        transport(file)[0].may_log_in()
    session.allow_login()
    clock.sleep(61)
    session.may_log_in()


@responses.activate
def test_windows_1251_both_ways() -> None:
    responses.get(URL, "<meta charset=windows-1251>Привет".encode("cp1251"), content_type="text/html")
    responses.post(URL, "ok")
    session, _ = transport(pause=0)
    session.encoding = "windows-1251"
    assert session.get(URL).text.endswith("Привет")
    session.post(URL, [("message", "Ход № 1 😀")])
    assert responses.calls[1].request.body == "message=%D5%EE%E4+%B9+1+%26%23128512%3B"


@responses.activate
def test_session_ids_stay_out_of_addresses_and_logs(caplog: pytest.LogCaptureFixture) -> None:
    secret = "0123456789abcdef0123456789abcdef"
    responses.get(f"{URL}&sid={secret}", status=302, headers={"Location": f"/index.php?sid={secret}&t=2"})
    responses.get("http://board.example/index.php", "ok")
    session, _ = transport(pause=0)
    with caplog.at_level(logging.DEBUG):
        page = session.get(f"{URL}&sid={secret}")
    assert page.url == "http://board.example/index.php?t=2"
    assert page.redirected_from == ("http://board.example/index.php?t=2",)
    assert secret not in "".join(r.getMessage() for r in caplog.records if r.name.startswith("forum_gm"))
