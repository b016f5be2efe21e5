"""HTML of a post's body (as phpBB renders it) -> plain text with marks. A small tag walker: linear, never raises."""

from __future__ import annotations

import re
from html import unescape

from parsers.text import Mark, PostText
from parsers.textbuilder import CELL_BREAK, TextBuilder

_NAME = re.compile(r"/?([a-zA-Z][a-zA-Z0-9]*)")
_ATTR = re.compile(r"([a-zA-Z_:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_BLANKS = re.compile(r"[ \t\r\n\f]+")

_INLINE = {
    "b": Mark.BOLD,
    "strong": Mark.BOLD,
    "i": Mark.ITALIC,
    "em": Mark.ITALIC,
    "u": Mark.UNDERLINE,
    "s": Mark.STRUCK,
    "strike": Mark.STRUCK,
    "del": Mark.STRUCK,
    "a": Mark.LINK,
}
_BLOCK = {
    "blockquote": Mark.QUOTE,
    "pre": Mark.CODE,
    "details": Mark.SPOILER,
    "h1": Mark.HEADING,
    "h2": Mark.HEADING,
    "h3": Mark.HEADING,
    "h4": Mark.HEADING,
    "li": Mark.ITEM,
    "tr": Mark.ROW,
}
_BREAKING = frozenset(
    {"p", "div", "ul", "ol", "table", "tbody", "thead", "section", "article", "center", "fieldset", "dl", "dt", "dd"}
)
_SILENT = frozenset({"script", "style", "cite", "summary", "title", "head", "template", "noscript"})
_VOID = frozenset({"br", "hr", "img", "input", "meta", "link", "wbr", "source", "col"})
_CAPTIONS = frozenset(
    {"spoiler-header", "spoiler-title", "spoiler-head", "spoilertitle", "spoilheader", "sp-head", "spoiler_title"}
)
"""Classes of the board's own heading over a spoiler."""
_PHPBB2_SMILIES = {
    "biggrin": ":D",
    "smile": ":)",
    "sad": ":(",
    "surprised": ":o",
    "eek": ":shock:",
    "confused": ":?",
    "cool": "8)",
    "lol": ":lol:",
    "mad": ":x",
    "razz": ":P",
    "redface": ":oops:",
    "cry": ":cry:",
    "evil": ":evil:",
    "twisted": ":twisted:",
    "rolleyes": ":roll:",
    "wink": ":wink:",
    "exclaim": ":!:",
    "question": ":?:",
    "idea": ":idea:",
    "arrow": ":arrow:",
    "neutral": ":|",
    "mrgreen": ":mrgreen:",
}
"""What is typed for the pictures that come with phpBB 2, by their file names."""
_CLASSES = {
    "spoiler": Mark.SPOILER,
    "spoiler-body": Mark.SPOILER,
    "spoilcontent": Mark.SPOILER,
    "signature": Mark.SIGNATURE,
    "offtop": Mark.OOC,
    "ooc": Mark.OOC,
    "quotetitle": Mark.QUOTE,
    "quotecontent": Mark.QUOTE,
    "quote": Mark.QUOTE,
    "codecontent": Mark.CODE,
}


def from_html(source: str) -> PostText:
    """Reads an HTML fragment. Names of quotes' authors, titles and scripts are not part of the text."""
    out = TextBuilder()
    stack: list[tuple[str, list[Mark]]] = []
    numbering: list[int | None] = []
    silent = 0
    at, size = 0, len(source)
    no_more_ends = False
    while at < size:
        start = source.find("<", at)
        if start < 0:
            start = size
        if start > at and not silent:
            _write(source[at:start], out)
        if start >= size:
            break
        if source.startswith("<!--", start):
            end = source.find("-->", start + 4)
            at = size if end < 0 else end + 3
            continue
        end = -1 if no_more_ends else source.find(">", start)
        named = _NAME.match(source, start + 1)
        if end < 0 or named is None:
            no_more_ends = no_more_ends or end < 0
            if not silent:
                _write("<", out)
            at = start + 1
            continue
        name = named.group(1).lower()
        attributes = source[named.end() : min(end, named.end() + 2000)]
        closing = source[start + 1] == "/"
        at = end + 1
        if closing:
            silent = _close(name, stack, out, numbering, silent)
        else:
            silent = _open(name, attributes, stack, out, numbering, silent)
    return out.finish()


def _write(raw: str, out: TextBuilder) -> None:
    text = unescape(raw)
    if out.is_open(Mark.CODE):
        out.write(text)
        return
    text = _BLANKS.sub(" ", text)  # a no-break space is no blank of HTML: it stays
    if text.startswith(" ") and out.at_line_start:
        text = text[1:]
    out.write(text)


def _attributes(raw: str) -> dict[str, str]:
    return {m.group(1).lower(): unescape(m.group(2) or m.group(3) or m.group(4) or "") for m in _ATTR.finditer(raw)}


def _open(
    name: str, raw: str, stack: list[tuple[str, list[Mark]]], out: TextBuilder, numbering: list[int | None], silent: int
) -> int:
    if name == "br":
        if not silent:
            out.write("\n")
        return silent
    if name in _VOID:
        if name == "hr" and not silent:
            out.new_line()
        if name == "img" and not silent:
            attributes = _attributes(raw)
            out.write(_smiley(attributes))
        return silent
    attributes = _attributes(raw)
    classes = attributes.get("class", "").split()
    marks: list[Mark] = []
    caption = any(c in _CAPTIONS for c in classes)
    if name in _SILENT or caption or (name == "p" and any(entry == "codebox" for entry, _ in stack[-1:])):
        if not silent and (caption and name in _BREAKING):
            out.new_line()
        stack.append(("!" + name, []))
        return silent + 1
    if name in _INLINE:
        marks.append(_INLINE[name])
    elif name in _BLOCK:
        marks.append(_BLOCK[name])
    style = attributes.get("style", "").replace(" ", "").lower()
    if "line-through" in style:
        marks.append(Mark.STRUCK)
    if "text-decoration:underline" in style:
        marks.append(Mark.UNDERLINE)
    if "font-weight:bold" in style or "font-weight:700" in style:
        marks.append(Mark.BOLD)
    if "font-style:italic" in style:
        marks.append(Mark.ITALIC)
    marks.extend(_CLASSES[c] for c in classes if c in _CLASSES and _CLASSES[c] not in marks)
    if not silent:
        if name in {"td", "th"}:
            if not out.at_line_start:
                out.write(CELL_BREAK)
            marks.append(Mark.CELL)
        elif name in _BREAKING or name in _BLOCK:
            out.new_line()
        if name in {"ol", "ul"}:
            numbering.append(0 if name == "ol" else None)
        detail = ""
        if name == "li" and numbering and numbering[-1] is not None:
            numbering[-1] += 1
            detail = str(numbering[-1])
        for mark in marks:
            out.open(mark, attributes.get("href", "") if mark is Mark.LINK else detail)
    stack.append(("codebox" if "codebox" in classes else name, marks if not silent else []))
    return silent


def _smiley(attributes: dict[str, str]) -> str:
    """A smiley as it is typed; phpBB 2 shows only its picture and an English name. Other pictures are no text."""
    kind, source = attributes.get("class", ""), attributes.get("src", "")
    if "smil" in kind or "emoji" in kind:
        return attributes.get("alt", "")
    if "/smil" in source:
        file = source.rsplit("/", 1)[-1].split("?")[0]
        return _PHPBB2_SMILIES.get(file.removeprefix("icon_").removesuffix(".gif"), attributes.get("alt", ""))
    return ""


def _close(name: str, stack: list[tuple[str, list[Mark]]], out: TextBuilder, numbering: list[int | None], silent: int) -> int:
    depth = next((i for i in range(len(stack) - 1, max(-1, len(stack) - 60), -1) if _real(stack[i][0], name)), None)
    if depth is None:
        return silent
    while len(stack) > depth:
        opened, marks = stack.pop()
        for mark in reversed(marks):
            out.close(mark)
        if opened.startswith("!"):
            silent -= 1
        elif not silent:
            if opened in _BREAKING or opened in _BLOCK or opened == "codebox":
                out.new_line()
            if opened in {"ol", "ul"} and numbering:
                numbering.pop()
    return silent


def _real(opened: str, name: str) -> bool:
    return opened.lstrip("!") == name or (opened == "codebox" and name == "div")
