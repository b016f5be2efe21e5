"""BBCode sources: found in the forms that show them, compared, split where a text is too long for a board."""

from __future__ import annotations

import html
import re
import unicodedata

from bs4 import BeautifulSoup, Tag

from forum_gm.forums.markup import attribute, simple_text, soup_of, user_id

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufeff]")
_TAG = re.compile(r"\[/?[a-z*][a-z0-9_*]*(?:=[^\]\n]*)?\]", re.I)
_QUOTE_HEAD = re.compile(r"^\[quote=(?:\"(?:[^\"]*)\"|'(?:[^']*)'|[^\]\"]*?)(?:\s[^\]]*)?\]\n?")


def stored_form(text: str) -> str:
    """A text as phpBB stores it: trimmed, LF, NFC, without BOM and control characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", _CONTROLS.sub("", text)).strip()


def same_source(ours: str, theirs: str) -> bool:
    """True when the board's source is our text."""
    return _comparable(ours) == _comparable(theirs)


def _comparable(text: str) -> str:
    text = stored_form(text)
    # An index of an attachment may be renumbered when files are added to a post.
    text = re.sub(r"\[attachment=\d+\]", "[attachment]", text)
    return html.unescape(text)


def same_visible(ours: str, body_html: str) -> bool:
    """True when a shown body has the letters and digits of our text, in order: for boards that don't show the source."""
    plain = _TAG.sub(" ", html.unescape(stored_form(ours)))
    body = soup_of(f"<div>{body_html}</div>").div
    shown = simple_text(body) if body is not None else ""
    return _letters(plain) == _letters(re.sub(r"(?:Код|Code): (?:Выделить всё|Select all)", "", shown)) and bool(_letters(plain))


def _letters(text: str) -> str:
    # Exact letters: a caption that the board adds makes the texts differ, and then the GM is asked rather than fooled.
    return "".join(ch for ch in unicodedata.normalize("NFC", text).lower() if ch.isalnum())


def textarea(soup: BeautifulSoup) -> str | None:
    """The message in a form, as a browser would show it."""
    tag = soup.find("textarea", attrs={"name": "message"})
    if not isinstance(tag, Tag):
        return None
    text = tag.get_text()
    return text[1:] if text.startswith("\n") else text


def unquoted(source: str) -> str | None:
    """The words inside the single quote that a quote form is filled with, or None if it isn't one."""
    head = _QUOTE_HEAD.match(source)
    end = source.rstrip().rfind("[/quote]")
    if head is None or end < head.end():
        return None
    inner = source[head.end() : end]
    return inner[:-1] if inner.endswith("\n") else inner


def review_sources(soup: BeautifulSoup) -> dict[int, tuple[int | None, str]]:
    """Post id -> (author id, source) of the posts that a reply form shows below itself."""
    found: dict[int, tuple[int | None, str]] = {}
    for tag in soup.find_all(id=re.compile(r"^message_\d+$")):
        post_id = int(attribute(tag, "id")[8:])
        box = tag.find_parent(id=re.compile(r"^pr\d+$")) or tag.parent
        link = box.select_one("p.author a[href*='mode=viewprofile']") if isinstance(box, Tag) else None
        found[post_id] = (user_id(link), tag.get_text())
    return found


# -- long texts -----------------------------------------------------------------------------------------------------------

_PAIRED = re.compile(r"\[(/?)([a-z]+)((?:=[^\]\n]*)?)\]", re.I)
_UNPAIRED = frozenset({"*", "hr", "br", "img"})


def split_source(text: str, limit: int, *, numbered: bool = True) -> list[str]:
    """A BBCode text as parts of at most `limit` characters each, numbered «(1/3)», cut at sensible places.

    Cuts fall between top-level blocks, else at blank lines, line ends, sentence ends, spaces; a tag open at a cut is closed
    and opened again in the next part. A text that fits comes back alone and unnumbered. `ValueError` for a hopeless limit.
    """
    text = stored_form(text)
    if len(text) <= limit:
        return [text]
    if limit < 200:
        raise ValueError("a limit below 200 characters leaves no room for tags and numbers")
    room = limit - (len("(99/99)\n\n") if numbered else 0)
    parts: list[str] = []
    rest = text
    while rest:
        if len(rest) <= room:
            parts.append(rest)
            break
        cut = _cut(rest, room)
        head, tail = rest[:cut].rstrip(), rest[cut:].lstrip("\n")
        opened = _open_tags(head)
        closing = "".join(f"[/{name}]" for name, _ in reversed(opened))
        while len(head) + len(closing) > room:
            cut = _cut(rest, cut - 1)
            head, tail = rest[:cut].rstrip(), rest[cut:].lstrip("\n")
            opened = _open_tags(head)
            closing = "".join(f"[/{name}]" for name, _ in reversed(opened))
        parts.append(head + closing)
        rest = "".join(f"[{name}{value}]" for name, value in opened) + tail
    if not numbered:
        return parts
    return [f"({i}/{len(parts)})\n\n{part}" for i, part in enumerate(parts, 1)]


def _open_tags(text: str) -> list[tuple[str, str]]:
    """Tags open at the end of a text, outermost first."""
    stack: list[tuple[str, str]] = []
    for match in _PAIRED.finditer(text):
        name = match[2].lower()
        if name in _UNPAIRED:
            continue
        inside_code = any(open_name == "code" for open_name, _ in stack)
        if match[1]:
            if inside_code and name != "code":
                continue
            for i in range(len(stack) - 1, -1, -1):
                if stack[i][0] == name:
                    del stack[i:]
                    break
        elif not inside_code and re.search(rf"\[/{name}\]", text[match.end() :] + "[/" + name + "]", re.I):
            stack.append((name, match[3]))
    return stack


def _cut(text: str, room: int) -> int:
    """The best place to cut within `room` characters."""
    window = text[: room + 1]
    low = max(room // 3, 1)
    best_depth: dict[int, int] = {}
    for mark in ("\n\n", "\n", ". ", " "):
        places = [m.start() + (len(mark.rstrip(" ")) if mark != " " else 0) for m in re.finditer(re.escape(mark), window)]
        places = [p for p in places if low <= p <= room and not _inside_tag(text, p)]
        if not places:
            continue
        if mark in ("\n\n", "\n"):
            for p in places[-40:]:
                best_depth[p] = len(_open_tags(text[:p]))
            flat = min(best_depth.values())
            return max(p for p, depth in best_depth.items() if depth == flat)
        return places[-1]
    place = min(room, len(text))
    while place > 1 and _inside_tag(text, place):
        place -= 1
    return max(place, 1)


def _inside_tag(text: str, place: int) -> bool:
    opening = text.rfind("[", 0, place)
    if opening == -1:
        return False
    match = re.compile(r"\[/?[a-z*]+(?:=[^\]\n]*)?\]", re.I).match(text, opening)
    return match is not None and match.end() > place
