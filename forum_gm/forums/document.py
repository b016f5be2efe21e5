"""A page as two trees: lxml's, built and searched in C, to find things; BeautifulSoup's for the pieces that are read closely."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any

from bs4 import BeautifulSoup, Tag
from bs4.element import Comment
from lxml import etree

MAX_DEPTH = 200
"""Tags nested deeper (nobody does so in good faith) are left out of the soup, their text is kept."""
DEEPEST = 1000
"""A last branch longer than that is no page's end; libxml2 stops at 2048."""
Element = Any
"""An lxml element (its stubs know no HTML)."""


class Document:
    """One page. Each tree is built when it is first asked for."""

    def __init__(self, html: str) -> None:
        self.html = html

    @cached_property
    def root(self) -> Element:
        """lxml's tree; an empty `html` element for an empty page."""
        root, whole = _tree(self.html)
        if not whole:
            root, _ = _tree(_shallow(self.html))
        return root

    @cached_property
    def soup(self) -> BeautifulSoup:
        """BeautifulSoup's tree of the same page."""
        soup = BeautifulSoup("", "lxml")
        soup.reset()
        _replay(soup, self.root, 0)
        soup.endData()
        return soup


def _tree(html: str) -> tuple[Element, bool]:
    """(tree, whether it is all of the page): the parser stops, unsaid, where tags are nested too deep, and later posts would be
    missing."""
    parser = etree.HTMLParser(recover=True, huge_tree=True)
    parser.feed(html or "<html></html>")
    root = parser.close()
    if root is None:
        root = etree.Element("html")
    # Where it stopped, all that was open stands in the last branch.
    depth, last = 0, root
    while len(last):
        last, depth = last[-1], depth + 1
    return root, depth < DEEPEST


_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)\b[^<>]*>")
_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "wbr"})


def _shallow(html: str) -> str:
    """A page without the tags that are nested deeper than anybody could mean."""
    depth = 0

    def keep(match: re.Match[str]) -> str:
        nonlocal depth
        if match[2].lower() in _VOID or match[0].endswith("/>"):
            return match[0]
        if match[1]:
            depth = max(0, depth - 1)
            return match[0] if depth < 2 * MAX_DEPTH else ""
        depth += 1
        return match[0] if depth <= 2 * MAX_DEPTH else ""

    return _TAG.sub(keep, html)


@cache
def _path(path: str) -> etree.XPath:
    return etree.XPath(path)


def has(*names: str) -> str:
    """XPath condition: the element has each of these classes."""
    return "@class and " + " and ".join(f"contains(concat(' ',normalize-space(@class),' '),' {name} ')" for name in names)


def any_of(*names: str) -> str:
    """XPath condition: the element has one of these classes."""
    return "(" + " or ".join(f"({has(name)})" for name in names) + ")"


def every(element: Element, path: str) -> list[Element]:
    """What an XPath finds, in the page's order. Compiled once."""
    found = _path(path)(element)
    return found if isinstance(found, list) else []


def first(element: Element, path: str) -> Element | None:
    """The first thing an XPath finds, or None."""
    found = every(element, path)
    return found[0] if found else None


class Parts:
    """What is in an element, by class and by tag: found by one walk, where a dozen searches would each be one."""

    def __init__(self, element: Element) -> None:
        self._classes: dict[str, list[Element]] = {}
        self._tags: dict[str, list[Element]] = {}
        inside = element.iter("*")
        next(inside)
        for part in inside:
            self._tags.setdefault(part.tag, []).append(part)
            for name in set((part.get("class") or "").split()):
                self._classes.setdefault(name, []).append(part)

    def of_class(self, name: str, *tags: str) -> list[Element]:
        """The elements of a class, in order; with `tags`, those of these tags only."""
        found = self._classes.get(name, [])
        return [part for part in found if part.tag in tags] if tags else found

    def of_tag(self, name: str) -> list[Element]:
        """The elements of a tag, in order."""
        return self._tags.get(name, [])


def classes(element: Element) -> set[str]:
    """Its classes."""
    return set((element.get("class") or "").split())


def texts(element: Element | None) -> Iterator[str]:
    """The pieces of text inside, without those of scripts, styles and comments."""
    if element is None:
        return
    for piece in every(element, ".//text()[not(parent::script or parent::style)]"):
        yield str(piece)


def spaced(element: Element | None) -> str:
    """Visible text, a blank between all pieces, runs of blanks as one; empty for None."""
    return " ".join(" ".join(texts(element)).split())


def joined(element: Element | None) -> str:
    """Text without blanks put between inline elements: for names."""
    return " ".join("".join(texts(element)).split())


_soups = threading.local()


def tag_of(element: Element) -> Tag:
    """An element with all that is in it as a BeautifulSoup tag: the very tree that it would have built itself."""
    soup: BeautifulSoup | None = getattr(_soups, "soup", None)
    if soup is None:
        # One builder for all: making one costs more than most posts.
        soup = _soups.soup = BeautifulSoup("", "lxml")
    soup.reset()
    _replay(soup, element, 0)
    soup.endData()
    made = soup.contents[0].extract()
    assert isinstance(made, Tag)
    return made


def _replay(soup: BeautifulSoup, element: Element, depth: int) -> None:
    if depth == MAX_DEPTH:
        for piece in texts(element):
            soup.handle_data(piece)
        return
    soup.handle_starttag(element.tag, None, None, dict(element.attrib))
    if element.text:
        soup.handle_data(element.text)
    for child in element:
        if isinstance(child.tag, str):
            _replay(soup, child, depth + 1)
        elif child.tag is etree.Comment:
            soup.endData()
            soup.handle_data(child.text or "")
            soup.endData(Comment)
        if child.tail:
            soup.handle_data(child.tail)
    soup.handle_endtag(element.tag)
