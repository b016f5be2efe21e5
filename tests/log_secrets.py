"""Watches every log of the whole suite, at debug level, for passwords, cookies and session ids that were used in it.

What is secret is learnt where it passes: in the forms, cookies and pages of the forum client, in the desk's passwords and
cookies. Nothing need be declared by a test; a leak fails the test during which it was found.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any
from urllib.parse import parse_qsl, quote_plus, urlsplit

import pytest

LONG_ENOUGH = 8
"""Shortest cookie or token that can't stand in a log by chance (numbers of accounts are cookies too)."""
TOKEN = re.compile(rf"[\w.~%+/=-]{{{LONG_ENOUGH},}}")
PIECE = re.compile(rf"[A-Za-z0-9_-]{{{LONG_ENOUGH},}}")
SID = re.compile(r"\b(?:sid|PHPSESSID)=([0-9A-Za-z]{8,})")
PASSWORD_FIELDS = re.compile(r"(?i)passw|^pwd$|^pass$")
MULTIPART = re.compile(rb'name="([^"]+)"\r\n\r\n(.*?)\r\n--', re.DOTALL)
QUIET = ("fontTools", "PIL", "weasyprint", "hypothesis", "sqlalchemy", "httpx2", "httpcore2", "numba")
"""Libraries that say thousands of lines and are told no secret, and the tests' own browser. (What the database logs has a test
of its own.)"""


class Watch(logging.Handler):
    """Collects what is logged and what is secret; both grow, and each new one is held against all of the other."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.setFormatter(logging.Formatter("%(name)s: %(message)s"))
        self.secrets: set[str] = set()
        """Cookies and session ids: found as whole words."""
        self.passwords: set[str] = set()
        """Found anywhere in a line."""
        self._words: dict[str, str] = {}
        self._fresh: list[str] = []
        self._checked: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps a line; one that can't be formatted is pytest's own trouble."""
        line = self.format(record)
        self._fresh.append(line)
        for pattern in (TOKEN, PIECE):
            for word in pattern.findall(line):
                self._words.setdefault(word, line)

    def learn(self, *values: str | None) -> None:
        """Adds cookies and session ids."""
        self.secrets |= {value for value in values if value and len(value) >= LONG_ENOUGH}

    def learn_password(self, value: str | None) -> None:
        """Adds a password."""
        if value and len(value) >= 4:
            self.passwords |= {value, quote_plus(value)}

    def leaks(self) -> list[str]:
        """Lines that hold a secret, the secret itself cut out; each is told once."""
        found = [(self._words[secret], secret) for secret in self.secrets & self._words.keys()]
        found += [(line, password) for line in self._fresh for password in self.passwords if password in line]
        self._fresh.clear()
        out = []
        for line, secret in found:
            if line not in self._checked:
                self._checked.add(line)
                out.append(line.replace(secret, "‹тайна›"))
        return out


class LogSecrets:
    """The plugin: hooks the clients, watches the root logger, looks after each test."""

    def __init__(self) -> None:
        self.watch = Watch()
        self._patch = pytest.MonkeyPatch()

    def pytest_sessionstart(self) -> None:
        """From here on everything is watched."""
        root = logging.getLogger()
        root.setLevel(logging.DEBUG)
        root.addHandler(self.watch)
        for name in QUIET:
            logging.getLogger(name).setLevel(logging.WARNING)
        hook(self.watch, self._patch)

    def pytest_sessionfinish(self) -> None:
        """Takes the hooks away."""
        logging.getLogger().removeHandler(self.watch)
        self._patch.undo()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self) -> Iterator[None]:
        """Fails a test that has logged a secret, or made one known that had been logged."""
        yield
        leaks = self.watch.leaks()
        if leaks:
            pytest.fail("в журнале тайна:\n" + "\n".join(leaks), pytrace=False)


def hook(watch: Watch, patch: pytest.MonkeyPatch) -> None:
    """Learns secrets from the forum client's requests and from the desk's passwords and cookies."""
    import httpx2
    import requests

    from forum_gm.desk.accounts import Accounts

    send = requests.Session.send

    @wraps(send)
    def sent(self: requests.Session, request: requests.PreparedRequest, **kwargs: Any) -> requests.Response:
        _learn_request(watch, request.url or "", request.headers, request.body)
        response = send(self, request, **kwargs)
        for answer in (*response.history, response):
            watch.learn(*(cookie.value for cookie in answer.cookies))
            watch.learn(*SID.findall(answer.headers.get("Location", "")))
        if "text/html" in response.headers.get("Content-Type", ""):
            watch.learn(*(sid.decode() for sid in re.findall(SID.pattern.encode(), response.content)))
        return response

    patch.setattr(requests.Session, "send", sent)
    browse = httpx2.Client.send

    @wraps(browse)
    def browsed(self: httpx2.Client, request: httpx2.Request, **kwargs: Any) -> httpx2.Response:
        response = browse(self, request, **kwargs)
        for answer in (*response.history, response):
            watch.learn(*answer.cookies.values())
        return response

    patch.setattr(httpx2.Client, "send", browsed)

    def told(name: str) -> Callable[..., Any]:
        original = getattr(Accounts, name)

        @wraps(original)
        def wrapped(self: Accounts, user: str, password: str) -> Any:
            watch.learn_password(password)
            watch.learn(self.setup_token)
            return original(self, user, password)

        return wrapped

    for name in ("set_password", "check"):
        patch.setattr(Accounts, name, told(name))


def _learn_request(watch: Watch, url: str, headers: Mapping[str, Any], body: Any) -> None:
    watch.learn(*SID.findall(urlsplit(url).query))
    for pair in str(headers.get("Cookie", "")).split(";"):
        watch.learn(pair.partition("=")[2].strip())
    raw = body.encode() if isinstance(body, str) else body if isinstance(body, bytes) else b""
    if b"\r\n\r\n" in raw:
        fields = [(name.decode(), value.decode("utf-8", "replace")) for name, value in MULTIPART.findall(raw)]
    else:
        fields = parse_qsl(raw.decode("utf-8", "replace"))
    for name, value in fields:
        if PASSWORD_FIELDS.search(name):
            watch.learn_password(value)
        elif name == "sid":
            watch.learn(value)
