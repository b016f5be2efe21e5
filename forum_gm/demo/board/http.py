"""Requests and answers of the embedded board, apart from any web server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Sent:
    """An uploaded file."""

    name: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asks."""

    method: str
    path: str
    """Without the leading slash."""
    query: Mapping[str, str] = field(default_factory=dict)
    fields: tuple[tuple[str, str], ...] = ()
    files: Mapping[str, Sent] = field(default_factory=dict)
    cookies: Mapping[str, str] = field(default_factory=dict)
    base: str = "http://127.0.0.1/"

    def get(self, name: str) -> str | None:
        """A form field (the last one of that name), else a query parameter."""
        value = next((v for k, v in reversed(self.fields) if k == name), None)
        return value if value is not None else self.query.get(name)

    def number(self, name: str) -> int:
        """A numeric field or parameter; 0 if it is none."""
        value = self.get(name) or ""
        return int(value) if value.isascii() and value.isdigit() else 0

    def sent(self, name: str) -> bool:
        """Whether a form field (a button) was sent."""
        return any(k == name for k, _ in self.fields)

    @property
    def mode(self) -> str:
        """`mode=`."""
        return self.get("mode") or ""


@dataclass(slots=True)
class Response:
    """What the board answers."""

    body: str | bytes = ""
    status: int = 200
    media: str = "text/html; charset=UTF-8"
    headers: list[tuple[str, str]] = field(default_factory=list)
    hang: float = 0.0
    """Real seconds to let the client wait before the connection breaks without an answer."""
    cut: bool = False
    """The connection breaks in the middle of the answer."""


def redirect(address: str) -> Response:
    """302."""
    return Response("", 302, headers=[("Location", address)])
