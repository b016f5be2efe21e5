"""BBCode source of a post -> plain text with marks. Unknown and unpaired tags stay in the text, as boards show them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from parsers.text import Mark, PostText
from parsers.textbuilder import CELL_BREAK, TextBuilder

_TAG = re.compile(
    r"\[(/?)([a-zA-Zа-яА-ЯёЁ*][a-zA-Z0-9а-яА-ЯёЁ_-]{0,19})"
    # A value in quotation marks may hold brackets: [quote="[GM] Иван" post_id=7].
    r"(?:=(?:\"([^\"\n]{0,300})\"|'([^'\n]{0,300})')(?=[\s\]])[^\[\]\n]{0,120}|[=\s:]([^\[\]\n]{0,300}))?\]"
)

_INLINE = {
    "b": Mark.BOLD,
    "bold": Mark.BOLD,
    "strong": Mark.BOLD,
    "i": Mark.ITALIC,
    "em": Mark.ITALIC,
    "u": Mark.UNDERLINE,
    "s": Mark.STRUCK,
    "strike": Mark.STRUCK,
    "del": Mark.STRUCK,
    "url": Mark.LINK,
}
_BLOCK = {
    "quote": Mark.QUOTE,
    "code": Mark.CODE,
    "spoiler": Mark.SPOILER,
    "spoil": Mark.SPOILER,
    "hide": Mark.SPOILER,
    "hidden": Mark.SPOILER,
    "more": Mark.SPOILER,
    "спойлер": Mark.SPOILER,
    "offtop": Mark.OOC,
    "offtopic": Mark.OOC,
    "off": Mark.OOC,
    "ooc": Mark.OOC,
    "оффтоп": Mark.OOC,
    "офф": Mark.OOC,
    "h1": Mark.HEADING,
    "h2": Mark.HEADING,
    "h3": Mark.HEADING,
}
_PLAIN_INLINE = frozenset(
    {"color", "colour", "size", "font", "email", "sub", "sup", "user", "mention", "highlight", "bgcolor", "noparse"}
)
_PLAIN_BLOCK = frozenset({"center", "left", "right", "justify", "align", "indent", "table", "tbody", "thead", "ul", "ol", "list"})
_DROPPED = frozenset({"img", "attachment", "flash", "youtube", "media", "video"})
_ROWS = frozenset({"tr"})
_CELLS = frozenset({"td", "th"})
_ITEMS = frozenset({"*", "li"})
_KNOWN = (
    frozenset(_INLINE)
    | frozenset(_BLOCK)
    | _PLAIN_INLINE
    | _PLAIN_BLOCK
    | _DROPPED
    | _ROWS
    | _CELLS
    | _ITEMS
    | frozenset({"hr", "br"})
)
_SINGLE = frozenset({"*", "hr", "br"})


@dataclass(slots=True)
class _Tag:
    start: int
    end: int
    name: str
    value: str
    closing: bool
    live: bool = False
    """True for a tag that has its partner (or needs none)."""
    partner: int = -1


def from_bbcode(source: str) -> PostText:
    """Reads BBCode. Linear in the length of the source; never raises."""
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    tags = _paired([_tag(m) for m in _TAG.finditer(source) if m.group(2).lower() in _KNOWN])
    out = TextBuilder()
    numbering: list[int | None] = []
    at = 0
    skip_to = -1
    for tag in tags:
        if tag.start < skip_to or not tag.live:
            continue
        out.write(_after_block(source[at : tag.start], out))
        at = tag.end
        if not tag.closing and (tag.name in _DROPPED or tag.name in {"code", "noparse"}):
            closing = tags[tag.partner]
            if tag.name == "code":
                out.new_line()
                out.open(Mark.CODE)
                out.write(source[tag.end : closing.start].strip("\n"))
                out.close(Mark.CODE)
                out.new_line()
            elif tag.name == "noparse":
                out.write(source[tag.end : closing.start])
            at = skip_to = closing.end
            continue
        _apply(tag, out, numbering)
    out.write(_after_block(source[at:], out) if at else source)
    return out.finish()


def _tag(match: re.Match[str]) -> _Tag:
    value = (match.group(3) or match.group(4) or match.group(5) or "").strip().strip("\"'«»").strip()
    return _Tag(match.start(), match.end(), match.group(2).lower(), value, match.group(1) == "/")


def _paired(tags: list[_Tag]) -> list[_Tag]:
    """Marks the tags that have a partner. A stack per name: overlapping pairs are fine, unpaired tags stay text."""
    waiting: dict[str, list[int]] = {}
    for i, tag in enumerate(tags):
        if tag.name in _SINGLE:
            tag.live = not tag.closing
        elif not tag.closing:
            waiting.setdefault(tag.name, []).append(i)
        elif waiting.get(tag.name):
            j = waiting[tag.name].pop()
            tags[j].live = tag.live = True
            tags[j].partner, tag.partner = i, j
    for i, tag in enumerate(tags):  # list items that were closed by the next item
        if tag.name == "li" and not tag.live and not tag.closing:
            tags[i].live = True
    return tags


def _after_block(text: str, out: TextBuilder) -> str:
    """The one line break that the source has after a block tag is the tag's own."""
    return text[1:] if text.startswith("\n") and out.at_line_start else text


def _apply(tag: _Tag, out: TextBuilder, numbering: list[int | None]) -> None:
    name = tag.name
    if name in _INLINE:
        if tag.closing:
            out.close(_INLINE[name])
        else:
            out.open(_INLINE[name], tag.value)
    elif name in _BLOCK:
        if tag.closing:
            out.close(_BLOCK[name])
            out.new_line()
        else:
            out.new_line()
            out.open(_BLOCK[name], tag.value)
    elif name in _ITEMS:
        out.close(Mark.ITEM)
        out.new_line()
        if not tag.closing:
            number = ""
            if numbering and numbering[-1] is not None:
                numbering[-1] += 1
                number = str(numbering[-1])
            out.open(Mark.ITEM, number)
    elif name in _ROWS:
        out.close(Mark.ROW)
        out.new_line()
        if not tag.closing:
            out.open(Mark.ROW)
    elif name in _CELLS:
        if tag.closing:
            out.close(Mark.CELL)
        else:
            if not out.at_line_start:
                out.write(CELL_BREAK)
            out.open(Mark.CELL)
    elif name in {"hr", "br"} or name in _PLAIN_BLOCK:
        if name in {"list", "ol", "ul"}:
            if tag.closing:
                out.close(Mark.ITEM)
                if numbering:
                    numbering.pop()
            else:
                numbering.append(0 if name == "ol" or tag.value in {"1", "a", "A", "i", "I"} else None)
        out.new_line()
