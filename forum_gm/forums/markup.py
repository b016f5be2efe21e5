"""What all parsers of forum pages share: soup, a post's own words and its quotes kept apart, attachments."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from typing import Any

from bs4 import BeautifulSoup, NavigableString, Tag

from forum_gm.forums.addresses import number, resolve, strip_sid
from forum_gm.forums.base import Attachment, Quote

_WROTE = re.compile(
    r"\s*(?:\((?:\d|\w)[^)]*\)\s*)?(?:писала?(?:\(а\))?|писали|написала?(?:\(а\))?|сказала?(?:\(а\))?|wrote|said)\s*(?:\(а\))?\s*:?\s*$",
    re.I,
)


def soup_of(html: str) -> BeautifulSoup:
    """A page as a tree (lxml)."""
    return BeautifulSoup(html, "lxml")


def attribute(tag: Tag, name: str) -> str:
    """An attribute as text; empty if absent."""
    value = tag.get(name)
    if isinstance(value, list):
        return " ".join(value)
    return value or ""


def find_tag(tag: Tag, *what: Any, **how: Any) -> Tag | None:
    """`tag.find` for tags only."""
    found = tag.find(*what, **how)
    return found if isinstance(found, Tag) else None


def tags_in(tag: Tag, *names: str) -> list[Tag]:
    """The tags of these names inside (all where none is named), in order; many times cheaper than `find_all`."""
    return [inside for inside in tag.descendants if isinstance(inside, Tag) and (not names or inside.name in names)]


def with_class(tags: Iterable[Tag], *names: str) -> list[Tag]:
    """Those of the tags that have one of these classes."""
    return [tag for tag in tags if not set(names).isdisjoint(tag.get_attribute_list("class"))]


def text_of(tag: Tag | None) -> str:
    """Visible text with runs of blanks as one space; empty for None."""
    return " ".join(tag.get_text(" ", strip=False).split()) if tag is not None else ""


def joined_text(tag: Tag | None) -> str:
    """Text without blanks put between inline tags: for names."""
    return " ".join(tag.get_text().split()) if tag is not None else ""


def inner_html(tag: Tag) -> str:
    """The markup inside a tag, with session ids cut out of links."""
    for inside in tags_in(tag):
        # Not in links alone: a quote's own address stands in its `cite`.
        for name, address in list(inside.attrs.items()):
            if isinstance(address, str) and "sid=" in address:
                inside[name] = strip_sid(address)
    return tag.decode_contents(formatter="minimal")


def user_id(link: Tag | None) -> int | None:
    """The account id of a profile link; None for the anonymous account and for no link."""
    if link is None:
        return None
    found = number(attribute(link, "href"), "u")
    return found if found is not None and found > 1 else None


def is_quote(tag: Tag) -> bool:
    """True for the markup of a quote, in any phpBB style and in IPB and MyBB. Custom `blockquote`s with a class are no quotes."""
    if tag.name == "blockquote":
        classes = set(tag.get_attribute_list("class")) - {None}
        known = {"uncited", "quote", "ipsQuote", "ipsBlockquote", "mycode_quote", "quote-box"}
        return not classes or bool(classes & known)
    classes = set(tag.get_attribute_list("class"))
    if tag.name == "div":
        return bool(classes & {"quotecontent", "quotemain", "quote-box", "answer-box"})
    return tag.name == "td" and "quote" in classes


def quotes_in(body: Tag) -> tuple[Quote, ...]:
    """The outermost quotes of a body, each with those inside it."""
    return tuple(_quote(tag) for tag in _outermost(body))


def _outermost(body: Tag) -> list[Tag]:
    found: list[Tag] = []

    def walk(tag: Tag) -> None:
        for child in tag.children:
            if not isinstance(child, Tag):
                continue
            if is_quote(child):
                found.append(child)
            else:
                walk(child)

    walk(body)
    return found


def _quote(tag: Tag) -> Quote:
    head = quote_head(tag)
    # MyBB.ru wraps a quote's words in a blockquote inside the box that is the quote.
    wrapped = find_tag(tag, "blockquote", recursive=False) if tag.name == "div" else None
    inner = copy.copy(wrapped or tag)
    for cite in tags_in(inner, "cite"):
        if _owner(cite) is inner:
            cite.decompose()
    cut_quotes(inner)
    author, author_id, post_id = "", None, None
    if head is not None:
        for link in tags_in(head, "a"):
            if author_id is None and (found := user_id(link)) is not None:
                author_id, author = found, joined_text(link)
            if attribute(link, "data-post-id").isdigit():
                post_id = int(attribute(link, "data-post-id"))
        if not author:
            plain = copy.copy(head)
            for extra in tags_in(plain, "span", "time"):
                extra.decompose()
            author = _WROTE.sub("", joined_text(plain)).strip()
            if author.rstrip(":").lower() in ("цитата", "quote", "цитировать"):
                author = ""
    return Quote(author, author_id, post_id, simple_text(inner), quotes_in(wrapped or tag))


def _owner(cite: Tag) -> Tag | None:
    for parent in cite.parents:
        if is_quote(parent):
            return parent
    return None


def quote_head(tag: Tag) -> Tag | None:
    """The line above (or first inside) a quote that says whose words they are."""
    for cite in tags_in(tag, "cite"):
        if _owner(cite) is tag:
            return cite
    if tag.name == "div":
        before = tag.find_previous_sibling()
        if isinstance(before, Tag) and set(before.get_attribute_list("class")) & {"quotetitle", "quotetop"}:
            return before
    if tag.name == "td":
        row = tag.find_parent("tr")
        before = row.find_previous_sibling("tr") if row is not None else None
        return find_tag(before, "b") if isinstance(before, Tag) else None
    return None


def without_quotes(body: Tag) -> Tag:
    """A copy of a body in which every quote and its heading is gone."""
    own = copy.copy(body)
    cut_quotes(own)
    return own


def cut_quotes(body: Tag) -> None:
    """Takes every quote and its heading out of a body."""
    for tag in _outermost(body):
        head = quote_head(tag)
        if tag.name == "td" and (table := tag.find_parent("table")) is not None and table is not body:
            table.decompose()
            continue
        if head is not None and not tag.decomposed and head.find_parent() is not None and tag.name == "div":
            head.decompose()
        tag.decompose()


_BLOCKS = frozenset(
    {
        "p",
        "div",
        "li",
        "ul",
        "ol",
        "tr",
        "table",
        "blockquote",
        "dl",
        "dt",
        "dd",
        "pre",
        "h1",
        "h2",
        "h3",
        "h4",
        "details",
        "summary",
    }
)


def simple_text(body: Tag) -> str:
    """Readable text of a piece of markup: line breaks kept, smilies as their text. (Order texts come from `parsers.text`.)"""
    out: list[str] = []

    def walk(tag: Tag, keep: bool) -> None:
        after_break = False
        for child in tag.children:
            if isinstance(child, NavigableString):
                if type(child) is not NavigableString:
                    continue
                piece = str(child)
                if keep:
                    out.append(piece)
                else:
                    if after_break:
                        piece = piece.lstrip(" \t\r\n")
                    out.append(re.sub(r"[ \t\r\n]+", " ", piece))
                after_break = False
            elif isinstance(child, Tag):
                if child.name == "br":
                    out.append("\n")
                    after_break = True
                    continue
                after_break = False
                if child.name == "img":
                    if "smilies" in child.get_attribute_list("class") or "/smil" in attribute(child, "src"):
                        out.append(attribute(child, "alt"))
                    continue
                if child.name in ("script", "style"):
                    continue
                if child.name in _BLOCKS and out and not out[-1].endswith("\n"):
                    out.append("\n")
                walk(child, keep or child.name == "pre")
                if child.name in _BLOCKS and out and not out[-1].endswith("\n"):
                    out.append("\n")

    walk(body, False)
    lines = [line.rstrip() for line in "".join(out).split("\n")]
    return "\n".join(lines).strip()


def set_files_aside(body: Tag) -> None:
    """Takes the boxes of files out of a text: their captions and sizes are nobody's words. Call after `attachments_in`."""
    for box in tags_in(body, "div"):
        if not box.decomposed and with_class([box], "inline-attachment", "attachcontent", "attachtitle"):
            box.decompose()


def attachments_in(post: Tag, body: Tag | None, base: str) -> tuple[Attachment, ...]:
    """The files below a post and inside its text."""
    found: dict[str, Attachment] = {}
    for tag in post.find_all(["a", "img"]):
        address = attribute(tag, "href" if tag.name == "a" else "src")
        if "download/file.php" not in address or number(address, "id") is None or "avatar=" in address:
            continue
        url = resolve(base, address)
        key = str(number(url, "id"))
        box = tag.find_parent("dl", class_="file") or tag.find_parent("div", class_="attachcontent")
        name, comment = "", ""
        if tag.name == "a":
            name = joined_text(tag)
        if isinstance(box, Tag):
            if (note := find_tag(box, "em")) is not None:
                comment = joined_text(note)
            if not name:
                name = _file_name(box)
        if not name:
            name = attribute(tag, "alt") or f"file-{key}"
        if key not in found:
            inline = body is not None and body in tag.parents
            found[key] = Attachment(name, url, comment, inline)
    return tuple(found.values())


def _file_name(box: Tag) -> str:
    """The name in a file box of a picture: «карта.png (99 байт) …»."""
    lines = [text_of(tag) for tag in box.find_all(["dd", "span"])]
    for line in lines:
        match = re.match(r"(.+?\.\w{1,5})\s*[(\[]", line)
        if match:
            return match[1]
    return ""
