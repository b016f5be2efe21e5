"""One polite session with a board: pause, Retry-After, back-off with jitter, a stop after repeated failures, cookies at 0600.

Serves promise 9. Nothing secret is ever logged: addresses without session ids, never bodies, headers or cookies.
"""

from __future__ import annotations

import json
import logging
import os
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import requests
from requests.cookies import create_cookie

from forum_gm.forums.addresses import hide_secrets, strip_sid
from forum_gm.forums.clock import Clock, RealClock
from forum_gm.forums.errors import (
    AnswerLost,
    CircuitOpen,
    LoginCaptcha,
    LoginTooSoon,
    NotSent,
    Protected,
    TooManyRequests,
    Unreachable,
)

log = logging.getLogger(__name__)

USER_AGENT = "forum-gm/0.1"


class _NoSecrets(logging.Filter):
    """Cuts session ids out of what the HTTP library logs of addresses at debug level."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(hide_secrets(value) if isinstance(value, str) else value for value in record.args)
        return True


logging.getLogger("urllib3.connectionpool").addFilter(_NoSecrets())


@dataclass(frozen=True, slots=True)
class Manners:
    """How to behave towards one board. All times in seconds."""

    pause: float = 1.0
    """Least time between two requests."""
    timeout: float = 30.0
    """Time to wait for an answer."""
    retries: int = 3
    """How often reading is tried again after a failure; writing never is by itself."""
    backoff: float = 2.0
    """First wait before another try; doubled each time, plus up to half of it at random."""
    longest_wait: float = 300.0
    """No single wait (of back-off or Retry-After) is longer; a longer Retry-After is an error."""
    failures_allowed: int = 6
    """So many failures in a row, and nothing is sent for `rest`."""
    rest: float = 900.0
    """The stop after repeated failures."""
    form_wait: float = 2.2
    """Least age of a form when it is sent back (boards silently refuse younger ones)."""
    flood_wait: float = 16.0
    """Wait after the board's flood message; doubled when it comes again."""
    settle: float = 90.0
    """After a lost answer: longer than the board could still be working on the request."""
    login_interval: float = 60.0
    """Least time between two login attempts."""


@dataclass(slots=True)
class Page:
    """An answer that is a page."""

    url: str
    """Final address, without session id."""
    status: int
    text: str
    fetched: datetime
    redirected_from: tuple[str, ...] = ()
    """`Location` addresses gone through, without session ids."""
    headers: Mapping[str, str] = field(default_factory=dict)


class Transport:
    """A session with one board."""

    def __init__(
        self,
        *,
        manners: Manners | None = None,
        clock: Clock | None = None,
        cookie_file: Path | None = None,
        encoding: str = "utf-8",
        rng: random.Random | None = None,
    ) -> None:
        self.manners = manners or Manners()
        self.clock: Clock = clock or RealClock()
        self.encoding = encoding
        self.requests = 0
        """Requests sent so far."""
        self._session = requests.Session()
        self._session.headers["User-Agent"] = USER_AGENT
        self._session.headers["Accept-Language"] = "ru,en;q=0.5"
        self._cookie_file = cookie_file
        self._rng = rng or random.Random()
        self._last: datetime | None = None
        self._failures = 0
        self._open_until: datetime | None = None
        self._login_at: datetime | None = None
        self._login_blocked = False
        self._learned: set[str] = set()
        self._written = ""
        """What the cookie file holds, if this session has written it."""
        self._load()

    # -- reading ------------------------------------------------------------------------------------------------------

    def get(self, url: str, *, tries: int | None = None) -> Page:
        """Fetches a page; repeats after time-outs, lost connections, 5xx and 429. `Unreachable`, `CircuitOpen`, `Protected`, …"""
        attempts = (self.manners.retries if tries is None else tries) + 1
        wait = self.manners.backoff
        for attempt in range(attempts):
            try:
                return self._once("GET", url, {}, ())
            except (Unreachable, TooManyRequests) as error:
                if attempt + 1 == attempts:
                    raise
                asked = error.retry_after
                pause = asked if asked is not None else wait + self._rng.uniform(0, wait / 2)
                if pause > self.manners.longest_wait:
                    raise
                log.info("повтор через %.1f с: %s", pause, type(error).__name__)
                self.clock.sleep(pause)
                wait = min(wait * 2, self.manners.longest_wait)
        raise Unreachable(where=strip_sid(url))

    # -- writing ------------------------------------------------------------------------------------------------------

    def post(self, url: str, fields: Sequence[tuple[str, str]], files: Sequence[tuple[str, str, bytes]] = ()) -> Page:
        """Sends a form exactly once. `NotSent`: it certainly did not arrive; `AnswerLost`: nobody knows."""
        return self._once("POST", url, {"fields": fields}, files)

    def download(self, url: str) -> bytes:
        """A file's bytes."""
        response = self._send("GET", url, {})
        return response.content

    # -- one request --------------------------------------------------------------------------------------------------

    def _once(self, method: str, url: str, body: Mapping[str, Any], files: Sequence[tuple[str, str, bytes]]) -> Page:
        data: dict[str, Any] = {}
        if method == "POST":
            fields: Sequence[tuple[str, str]] = body["fields"]
            if files:
                # Field names and values go as multipart parts too, in the board's character set.
                parts: list[tuple[str, Any]] = [(name, (None, self._encode(value))) for name, value in fields]
                parts += [(name, (filename, content)) for name, filename, content in files]
                data["files"] = parts
            else:
                data["data"] = [(name, self._encode(value)) for name, value in fields]
        response = self._send(method, url, data)
        text = self._decode(response)
        page = Page(
            url=strip_sid(response.url),
            status=response.status_code,
            text=text,
            fetched=self.clock.now(),
            redirected_from=tuple(
                strip_sid(requests.compat.urljoin(r.url, r.headers.get("Location", ""))) for r in response.history
            ),
            headers=dict(response.headers),
        )
        self._recognise_front(response, page)
        return page

    def _send(self, method: str, url: str, data: Mapping[str, Any]) -> requests.Response:
        where = strip_sid(url)
        self._check_circuit(where)
        self._keep_pause()
        self.requests += 1
        log.debug("%s %s", method, hide_secrets(where))
        try:
            response = self._session.request(method, url, timeout=self.manners.timeout, **data)
        except (requests.ConnectTimeout, requests.exceptions.InvalidURL, requests.exceptions.MissingSchema) as error:
            self._failed()
            raise NotSent(where=where) from error
        except requests.ConnectionError as error:
            self._failed()
            if _refused(error):
                raise NotSent(where=where) from error
            raise (AnswerLost if method == "POST" else Unreachable)(where=where) from error
        except requests.RequestException as error:
            self._failed()
            raise (AnswerLost if method == "POST" else Unreachable)(where=where) from error
        finally:
            self._last = self.clock.now()
        self.save()
        # A challenge may come under that number too; whoever says when to come again wants patience, not a browser.
        if response.status_code == 429 and ("Retry-After" in response.headers or not _is_protection(response)):
            self._failed()
            problem = TooManyRequests(where=where)
            problem.retry_after = self._retry_after(response)
            raise problem
        if response.status_code >= 500 and not _is_protection(response) and not _speaks_phpbb(response):
            self._failed()
            error_type = AnswerLost if method == "POST" else Unreachable
            lost = error_type(f"HTTP {response.status_code}", where=where)
            lost.retry_after = self._retry_after(response)
            raise lost
        self._failures = 0
        return response

    def _encode(self, value: str) -> bytes:
        if self.encoding.lower().replace("-", "") == "utf8":
            return value.encode()
        return value.encode(self.encoding, "xmlcharrefreplace")

    def _decode(self, response: requests.Response) -> str:
        declared = response.headers.get("Content-Type", "")
        if "charset=" in declared.lower():
            charset = declared.lower().split("charset=", 1)[1].split(";")[0].strip().strip('"')
        else:
            head = response.content[:2048].decode("ascii", "ignore")
            match = re.search(r"charset=[\"']?([\w-]+)", head, re.I)
            charset = match[1] if match else self.encoding
        try:
            return response.content.decode(charset, "replace")
        except LookupError:
            return response.content.decode(self.encoding, "replace")

    def _recognise_front(self, response: requests.Response, page: Page) -> None:
        if _is_protection(response):
            raise Protected(where=page.url)

    def _keep_pause(self) -> None:
        if self._last is not None:
            gone = (self.clock.now() - self._last).total_seconds()
            self.clock.sleep(self.manners.pause - gone)

    def _retry_after(self, response: requests.Response) -> float | None:
        value = response.headers.get("Retry-After", "").strip()
        if value.isdigit():
            return float(value)
        if value:
            try:
                moment = parsedate_to_datetime(value)
            except ValueError:
                return None
            return max(0.0, (moment - self.clock.now()).total_seconds())
        return None

    # -- the stop after repeated failures -----------------------------------------------------------------------------

    def _failed(self) -> None:
        self._failures += 1
        if self._failures >= self.manners.failures_allowed:
            self._open_until = self.clock.now() + timedelta(seconds=self.manners.rest)
            log.warning("форум не ответил %d раз подряд: перерыв", self._failures)

    def _check_circuit(self, where: str) -> None:
        if self._open_until is None:
            return
        left = self._open_until - self.clock.now()
        if left > timedelta(0):
            raise CircuitOpen(left, where=where)
        # One try is allowed now; if it fails too, the rest starts again.
        self._open_until = None
        self._failures = self.manners.failures_allowed - 1

    # -- login attempts -----------------------------------------------------------------------------------------------

    def may_log_in(self) -> None:
        """Raises `LoginCaptcha` after a captcha, `LoginTooSoon` within a minute of the last attempt; else notes an attempt."""
        if self._login_blocked:
            raise LoginCaptcha
        now = self.clock.now()
        if self._login_at is not None and (now - self._login_at).total_seconds() < self.manners.login_interval:
            raise LoginTooSoon
        self._login_at = now
        self.save()

    def block_login(self) -> None:
        """No further attempt until `allow_login`: the board wants a person."""
        self._login_blocked = True
        self.save()

    def allow_login(self) -> None:
        """The GM has logged in by hand."""
        self._login_blocked = False
        self.save()

    # -- what was learned of the board ---------------------------------------------------------------------------------

    def learn(self, fact: str) -> None:
        """Remembers something about this board and account, for later runs too."""
        if fact not in self._learned:
            self._learned.add(fact)
            self.save()

    def knows(self, fact: str) -> bool:
        """Whether it was learned."""
        return fact in self._learned

    # -- cookies ------------------------------------------------------------------------------------------------------

    def cookie(self, suffix: str) -> str | None:
        """The value of the cookie whose name ends so (board prefixes are random)."""
        for cookie in self._session.cookies:
            if cookie.name.endswith(suffix):
                return cookie.value
        return None

    def forget(self) -> None:
        """Drops all cookies."""
        self._session.cookies.clear()
        self.save()

    def save(self) -> None:
        """Writes cookies and the login memory, readable by the owner only."""
        if self._cookie_file is None:
            return
        cookies = [
            {"name": c.name, "value": c.value, "domain": c.domain, "path": c.path, "expires": c.expires}
            for c in self._session.cookies
        ]
        state = {
            "cookies": cookies,
            "login_at": self._login_at.isoformat() if self._login_at else None,
            "login_blocked": self._login_blocked,
            "learned": sorted(self._learned),
        }
        written = json.dumps(state)
        if written == self._written and self._cookie_file.exists():
            return  # nearly every request leaves the cookies as they were
        target = self._cookie_file
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(target.name + ".new")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(written)
        os.chmod(draft, 0o600)
        os.replace(draft, target)
        self._written = written

    def _load(self) -> None:
        if self._cookie_file is None or not self._cookie_file.exists():
            return
        try:
            state = json.loads(self._cookie_file.read_text(encoding="utf-8"))
        except ValueError:
            log.warning("файл с куками не читается; начинаю без него")
            return
        for item in state.get("cookies", ()):
            self._session.cookies.set_cookie(
                create_cookie(  # type: ignore[no-untyped-call]
                    item["name"], item["value"], domain=item["domain"], path=item["path"], expires=item["expires"]
                )
            )
        if state.get("login_at"):
            self._login_at = datetime.fromisoformat(state["login_at"]).astimezone(UTC)
        self._login_blocked = bool(state.get("login_blocked"))
        self._learned = set(state.get("learned", ()))


def _refused(error: requests.ConnectionError) -> bool:
    """True when no connection came about at all, so that nothing can have arrived."""
    seen: BaseException | None = error
    for _ in range(8):
        if seen is None:
            return False
        if type(seen).__name__ in ("NewConnectionError", "NameResolutionError", "ConnectionRefusedError"):
            return True
        inner = getattr(seen, "reason", None) or (seen.args[0] if seen.args else None) or seen.__cause__ or seen.__context__
        seen = inner if isinstance(inner, BaseException) else None
    return False


def _is_protection(response: requests.Response) -> bool:
    if response.headers.get("cf-mitigated"):
        return True
    if response.status_code not in (403, 429, 503):
        return False
    if (
        "cloudflare" not in response.headers.get("Server", "").lower()
        and "ddos" not in response.headers.get("Server", "").lower()
    ):
        return False
    body = response.content[:20000]
    return any(mark in body for mark in (b"cf-chl", b"cf_chl", b"Just a moment", b"challenge-platform", b"__ddg"))


def _speaks_phpbb(response: requests.Response) -> bool:
    """A 503 that is the board's own message page («конференция недоступна»)."""
    return b'id="message"' in response.content[:200000] or b"message_die" in response.content[:20000]
