"""What keeps the desk safe: signed sessions, CSRF tokens, slow-down of guessing, headers that allow no foreign code."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Form, HTTPException, Request
from starlette.responses import Response

SESSION_USER = "gm"
SESSION_TOKEN = "csrf"

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; img-src 'self' data:; style-src 'self'; style-src-attr 'unsafe-inline'; font-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


async def add_headers(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    """Middleware: the security headers on every answer; the desk's own pages are never cached."""
    response = await call_next(request)
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if request.url.path.startswith("/desk"):
        response.headers["Cache-Control"] = "no-store"
    return response


def csrf_token(request: Request) -> str:
    """This session's token, made on first use; every form carries it."""
    if SESSION_TOKEN not in request.session:
        request.session[SESSION_TOKEN] = secrets.token_urlsafe(24)
    return str(request.session[SESSION_TOKEN])


def require_csrf(request: Request, csrf: Annotated[str, Form()] = "") -> None:
    """Dependency of every POST. Raises 403 when the form's token isn't the session's."""
    expected = str(request.session.get(SESSION_TOKEN, ""))
    if not expected or not hmac.compare_digest(csrf.encode(), expected.encode()):
        raise HTTPException(403, "Форма устарела: откройте страницу заново и повторите.")


class NeedLogin(Exception):
    """The page is for the GM; the visitor is sent to the login page."""


def current_gm(request: Request) -> str:
    """Dependency of every desk page: the GM's name. Raises `NeedLogin`."""
    name = request.session.get(SESSION_USER)
    if not name:
        raise NeedLogin
    return str(name)


@dataclass
class Throttle:
    """Slows guessing: after `free` failures in `window` seconds an address has to wait until they are older."""

    now: Callable[[], float]
    free: int = 5
    window: float = 900
    _failures: dict[str, list[float]] = field(default_factory=dict)

    def blocked(self, address: str) -> bool:
        """True when this address may not try now."""
        recent = [t for t in self._failures.get(address, []) if self.now() - t < self.window]
        if recent:
            self._failures[address] = recent
        else:
            self._failures.pop(address, None)
        return len(recent) >= self.free

    def failed(self, address: str) -> None:
        """Notes a failure."""
        self._failures.setdefault(address, []).append(self.now())

    def succeeded(self, address: str) -> None:
        """Forgets this address's failures."""
        self._failures.pop(address, None)
