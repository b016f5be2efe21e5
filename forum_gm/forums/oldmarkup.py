"""Quotes and code as older boards mark them up, made what phpBB 3.2 and later make of them: captions never look like orders."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup, NavigableString, Tag

from forum_gm.forums.markup import find_tag, joined_text, quote_head, tags_in

_maker = BeautifulSoup("", "lxml")
_NAMELESS = re.compile(r"(?:цитата|quote|цитировать):?", re.I)


def modernise(body: Tag) -> None:
    """Rewrites, in place: code boxes without `pre` (3.0, 3.1), `div.quotetitle` and `div.codetitle` with what follows them
    (subsilver2), tables with `td.quote` and `td.code` (2.0)."""
    for tag in tags_in(body, "dl", "div", "td"):
        classes = set(tag.get_attribute_list("class"))
        if "codebox" in classes and find_tag(tag, "pre") is None:
            code = find_tag(tag, "code")
            if code is not None:
                tag.replace_with(_code(code))
        elif tag.name == "div" and classes & {"quotetitle", "codetitle"}:
            content = tag.find_next_sibling()
            if isinstance(content, Tag) and set(content.get_attribute_list("class")) & {"quotecontent", "codecontent"}:
                content.replace_with(_quote(tag, content) if "quotetitle" in classes else _code(content))
                tag.extract()
        elif tag.name == "td" and classes & {"quote", "code"}:
            table = tag.find_parent("table")
            if table is not None:
                # Read before the table is taken apart.
                head = quote_head(tag)
                table.replace_with(_quote(head, tag) if "quote" in classes else _code(tag))


def _quote(head: Tag | None, words: Tag) -> Tag:
    quote, inner = _maker.new_tag("blockquote"), _maker.new_tag("div")
    quote.append(inner)
    said = joined_text(head)
    if said and not _NAMELESS.fullmatch(said):
        cite = _maker.new_tag("cite")
        cite.append(said)
        inner.append(cite)
    else:
        quote["class"] = ["uncited"]
    for child in list(words.children):
        inner.append(child.extract())
    return quote


def _code(words: Tag) -> Tag:
    box, caption, keep, code = (_maker.new_tag(name) for name in ("div", "p", "pre", "code"))
    box["class"] = ["codebox"]
    caption.append("Код:")
    broken = words.find("br") is not None
    for child in list(words.children):
        child.extract()
        if broken and isinstance(child, NavigableString):
            # The line ends are the breaks; those in the source of the page stand beside them.
            child = NavigableString(re.sub(r"[\r\n]+", "", str(child)))
        code.append(child)
    keep.append(code)
    box.append(caption)
    box.append(keep)
    return box
