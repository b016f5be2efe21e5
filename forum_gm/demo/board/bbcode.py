"""BBCode as the embedded board shows it: phpBB's own tags, its quotes, lists, code and attachments, and optional custom ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape

_TAG = re.compile(r"\[(/?)([a-z*][a-z0-9]*)((?:=|\s)[^\]\n]*)?\]", re.I)
_URL = re.compile(r"(?<![\w\"'=>/])(https?://[^\s<>\"\[\]]+[^\s<>\"\[\].,;:!?)])")
_SMILIES = {":)": "smile", ":(": "sad", ";)": "wink", ":D": "grin", ":lol:": "lol", ":!:": "exclaim"}
_SMILE = re.compile(r"(?<!\S)(" + "|".join(re.escape(code) for code in _SMILIES) + r")(?!\S)")
_QUOTE_AUTHOR = re.compile(r"^=(?:\"([^\"]*)\"|(.+?))((?:\s+(?:post_id|msg_id|time|user_id)=\d+)*)\s*$")
_SIMPLE = {
    "b": ('<strong class="text-strong">', "</strong>"),
    "i": ('<em class="text-italics">', "</em>"),
    "u": ('<span style="text-decoration:underline">', "</span>"),
    "s": ("<del>", "</del>"),
}
_LIST_STYLES = {"1": "decimal", "a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman"}
_TABLE = {"table": "table", "tr": "tr", "td": "td", "th": "th"}


@dataclass(frozen=True, slots=True)
class Scene:
    """What the renderer must know of the board."""

    user_link: Callable[[int, str], str]
    """(account, name) → HTML link."""
    post_link: Callable[[int], str]
    """Post → address."""
    files: Mapping[int, str]
    """Number in `[attachment=N]` → HTML of the file."""
    custom: Iterable[str] = ("spoiler", "table")
    date: Callable[[datetime], str] = str


def render(source: str, scene: Scene, *, bbcode: bool = True) -> str:
    """HTML of a source. Unknown and unpaired tags stay as text."""
    if not bbcode:
        return _plain(source)
    out: list[str] = []
    stack: list[tuple[str, str, int]] = []
    """(tag, closing HTML, index in `out` of its opening, to take it back if it is never closed)"""
    opened: dict[int, str] = {}
    custom = set(scene.custom)
    place = 0
    trim = False

    def text(piece: str) -> None:
        nonlocal trim
        if trim and piece.startswith("\n"):
            piece = piece[1:]
        if piece:
            trim = False
        inside_list = bool(stack) and stack[-1][0] in ("list", "table", "tr")
        if inside_list and not piece.strip():
            return
        out.append(_plain(piece))

    while (match := _TAG.search(source, place)) is not None:
        text(source[place : match.start()])
        place = match.end()
        name, value, closing_tag = match[2].lower(), match[3] or "", bool(match[1])
        if closing_tag:
            names = [top for top, _, _ in stack]
            if name not in names:
                text(match[0])
                continue
            while stack[-1][0] != name:
                top, closing, index = stack.pop()
                if top in ("*", "list", "quote", "table", "tr", "td", "th"):
                    out.append(closing)
                else:
                    out[index] = opened[index]
            out.append(stack.pop()[1])
            if name in ("quote", "list", "code", "spoiler", "table", "tr"):
                trim = True
            continue
        if name in ("code", "img", "email") or (name == "url" and not value) or name == "attachment":
            end = re.compile(rf"\[/{name}\]", re.I).search(source, place)
            if end is not None:
                inner = source[place : end.start()]
                place = end.end()
                out.append(_leaf(name, value, inner, scene))
                trim = name == "code"
                continue
            text(match[0])
            continue
        if name == "*" and any(top == "list" for top, _, _ in stack):
            while stack and stack[-1][0] != "list":
                out.append(stack.pop()[1])
            out.append("<li>")
            stack.append(("*", "</li>", len(out) - 1))
            opened[len(out) - 1] = match[0]
            continue
        pair = _pair(name, value, scene, custom)
        if pair is None or not re.search(rf"\[/{name}\]", source[place:], re.I):
            text(match[0])
            continue
        out.append(pair[0])
        opened[len(out) - 1] = match[0]
        stack.append((name, pair[1], len(out) - 1))
        if name in ("quote", "list", "spoiler", "table", "tr"):
            trim = name != "quote" or source[place : place + 1] == "\n"
    text(source[place:])
    while stack:
        out.append(stack.pop()[1])
    return "".join(out)


def _pair(name: str, value: str, scene: Scene, custom: set[str]) -> tuple[str, str] | None:
    if name in _SIMPLE and not value:
        return _SIMPLE[name]
    argument = value[1:].strip().strip('"') if value.startswith("=") else ""
    if name == "quote":
        return _quote_head(value, scene), "</div></blockquote>"
    if name == "list":
        if not argument:
            return "<ul>", "</ul>"
        style = _LIST_STYLES.get(argument)
        return (f'<ol style="list-style-type:{style}">', "</ol>") if style else None
    if name == "url" and re.match(r"(?:https?://|\.?/)", argument):
        return f'<a href="{escape(argument)}" class="postlink">', "</a>"
    if name == "color" and re.fullmatch(r"#[0-9a-f]{3,6}|[a-z]+", argument, re.I):
        return f'<span style="color:{escape(argument)}">', "</span>"
    if name == "size" and argument.isdigit() and 20 <= int(argument) <= 200:
        return f'<span style="font-size: {argument}%; line-height: 116%;">', "</span>"
    if name == "spoiler" and "spoiler" in custom:
        title = escape(argument or "Спойлер")
        return f'<details class="spoiler"><summary>{title}</summary><div class="spoiler-body">', "</div></details>"
    if name in _TABLE and "table" in custom and not value:
        tag = _TABLE[name]
        return (f'<{tag} class="bbtable">', f"</{tag}>") if tag == "table" else (f"<{tag}>", f"</{tag}>")
    return None


def _quote_head(value: str, scene: Scene) -> str:
    match = _QUOTE_AUTHOR.match(value)
    if match is None:
        return '<blockquote class="uncited"><div>'
    name = match[1] if match[1] is not None else match[2]
    marks = {key: int(number) for key, number in re.findall(r"(\w+)=(\d+)", match[3])}
    who = scene.user_link(marks["user_id"], name) if "user_id" in marks else escape(name)
    if "post_id" not in marks:
        return f"<blockquote><div><cite>{who} писал(а):</cite>"
    address = escape(scene.post_link(marks["post_id"]))
    when = scene.date(datetime.fromtimestamp(marks["time"], UTC)) if "time" in marks else ""
    return (
        f'<blockquote cite="{address}"><div><cite>{who} писал(а): <a href="{address}" data-post-id="{marks["post_id"]}" '
        f'title="Перейти к сообщению">↑</a><span class="responsive-hide">{escape(when)}</span></cite>'
    )


def _leaf(name: str, value: str, inner: str, scene: Scene) -> str:
    if name == "code":
        return f'<div class="codebox"><p>Код:</p><pre><code>{escape(inner.strip(chr(10)), quote=False)}</code></pre></div>'
    if name == "img":
        if re.match(r"https?://\S+$", inner.strip()):
            return f'<img src="{escape(inner.strip())}" class="postimage" alt="Изображение">'
        return escape(f"[img]{inner}[/img]", quote=False)
    if name == "email":
        return f'<a href="mailto:{escape(inner)}">{escape(inner)}</a>'
    if name == "attachment":
        number = value[1:] if value.startswith("=") else ""
        if number.isdigit() and int(number) in scene.files:
            return f'<div class="inline-attachment">{scene.files[int(number)]}</div>'
        return escape(inner, quote=False)
    if re.match(r"https?://\S+$", inner):
        return f'<a href="{escape(inner)}" class="postlink">{escape(inner)}</a>'
    return escape(f"[url]{inner}[/url]", quote=False)


def _plain(piece: str) -> str:
    """Text with links made of addresses, smilies as pictures, line ends as breaks."""
    out = []
    for index, part in enumerate(_URL.split(piece)):
        if index % 2:
            out.append(f'<a href="{escape(part)}" class="postlink">{escape(part, quote=False)}</a>')
            continue
        html = escape(part, quote=False)
        html = _SMILE.sub(lambda m: f'<img class="smilies" src="./smile/{_SMILIES[m[1]]}.svg" alt="{escape(m[1])}">', html)
        out.append(html.replace("\n", "<br>\n"))
    return "".join(out)


def used_files(source: str) -> set[int]:
    """Numbers of the attachments placed in the text."""
    return {int(number) for number in re.findall(r"\[attachment=(\d+)\]", source)}
