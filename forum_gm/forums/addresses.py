"""Addresses of forum pages: made absolute, their parameters read, session ids never kept."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

SESSION_PARAMETERS = frozenset({"sid", "PHPSESSID", "s"})
_SID = re.compile(r"(?i)\b(sid|PHPSESSID)=[0-9a-z]{8,}")


def strip_sid(url: str) -> str:
    """The same address without session ids."""
    parts = urlsplit(url)
    if not parts.query or not any(name in parts.query for name in SESSION_PARAMETERS):
        return url
    kept = [(k, v) for k, v in parse_qsl(parts.query, keep_blank_values=True) if not (k in SESSION_PARAMETERS and len(v) >= 16)]
    return urlunsplit(parts._replace(query=urlencode(kept)))


def resolve(base: str, href: str) -> str:
    """An absolute address of a link on a page, without a session id."""
    return strip_sid(urljoin(base, href))


def parameter(url: str, name: str) -> str | None:
    """A query parameter, or None."""
    for key, value in parse_qsl(urlsplit(url).query, keep_blank_values=True):
        if key == name:
            return value
    return None


def number(url: str, name: str) -> int | None:
    """A query parameter that is a number, or None."""
    value = parameter(url, name)
    return int(value) if value is not None and value.isascii() and value.isdigit() else None


def hide_secrets(text: str) -> str:
    """A text fit for a log: session ids cut out."""
    return _SID.sub(r"\1=…", text)
