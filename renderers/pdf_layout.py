"""Fits a PDF's pages: a map takes the room that is left on a page rather than jump to the next, and a digest's last page is not
begun for a few lines. Works on finished layouts and answers with CSS for the next; the same document gets the same answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

SMALLEST = 0.6
"""A map is shrunk to this share of its size at most; what would need less stays large on the next page."""

SCANT = 0.25
"""A last page that is filled to less than this share is worth a denser setting."""

NARROWEST = 0.6
"""Of the page's width: a map is not made smaller than this to save a page, for its names would no longer be legible."""

AIR = 30.0
"""Left free above and below a shrunk map, in CSS pixels (1/96 inch)."""

MOST_PAGES = 8
"""Longer documents are not set again for the sake of their last page."""

DENSE = (
    "h2 { margin-top: 5mm !important } .lead { margin-bottom: 3.5mm !important; padding-bottom: 3mm !important }"
    " figure { margin: 2.5mm 0 3mm !important } .silent { margin: 3.5mm 0 !important }"
    " th, td { padding-top: .8mm !important; padding-bottom: .8mm !important } table { margin-bottom: 3mm !important }"
    " .facts { margin-top: 4mm !important }"
)
"""The same faces and sizes with less air between the blocks."""

Layout = Callable[[str], Any]
"""Lays the document out with further CSS; gives WeasyPrint's document."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A map on a page."""

    id: str
    page: int
    first: bool
    """Nothing stands above it on the page."""
    height: float
    """Of the whole figure without its margins, CSS pixels."""
    image: float
    """Of the picture alone."""
    width: float
    """Of the picture, as a share of the page's."""


def fitted(layout: Layout, *, save_last_page: bool) -> Any:
    """The document laid out so that maps leave no holes and, with `save_last_page`, the last page is worth its paper."""
    css = ""
    document = layout(css)
    for _ in range(3):
        more = _into_the_room_left(document)
        if not more:
            break
        css += more
        document = layout(css)
    if not save_last_page or not 1 < len(document.pages) <= MOST_PAGES or filled(document.pages[-1]) >= SCANT:
        return document
    for share in (1.0, 0.85, 0.7):
        tighter = css + DENSE
        if share < 1:
            maps = [placed for placed in _maps(document) if placed.width * share >= NARROWEST]
            if not maps:
                break
            tighter += "".join(_limit(placed.id, placed.image * share) for placed in maps)
        shorter = layout(tighter)
        if len(shorter.pages) < len(document.pages) and not _into_the_room_left(shorter):
            return shorter
    return document


def filled(page: Any) -> float:
    """The share of a page's height, between its margins, down to the last thing on it."""
    box = page._page_box  # WeasyPrint offers boxes no other way.
    return (_bottom(box) - float(box.content_box_y())) / float(box.height)


def _into_the_room_left(document: Any) -> str:
    """CSS that brings each map that jumped to a new page back, where it keeps enough of its size."""
    css = []
    for placed in _maps(document):
        if not placed.first or placed.page == 0:
            continue
        before = document.pages[placed.page - 1]._page_box
        room = float(before.content_box_y()) + float(before.height) - _bottom(before) - AIR
        image = room - (placed.height - placed.image)
        if SMALLEST * placed.image <= image < placed.image:
            css.append(_limit(placed.id, image))
    return "".join(css)


def _limit(name: str, height: float) -> str:
    return f" #{name} img {{ max-height: {height:.1f}px !important }}"


def _maps(document: Any) -> Iterator[_Placed]:
    for number, page in enumerate(document.pages):
        top = float(page._page_box.content_box_y())
        seen: set[str] = set()
        for box in _walk(page._page_box):
            element = getattr(box, "element", None)
            name = "" if element is None or element.tag != "figure" else element.get("id") or ""
            # The line around the picture is a box of the figure's too; the outermost comes first.
            if not name.startswith("map-") or name in seen:
                continue
            seen.add(name)
            images = [inner for inner in box.descendants() if inner.element_tag == "img"]
            if images:
                border = float(box.border_box_y())
                first = all(above >= border for above in _bottoms(page._page_box, upto=border)) and border - top < 2 * AIR
                height, width = float(images[0].height), float(images[0].width) / float(page._page_box.width)
                yield _Placed(name, number, first, float(box.border_height()), height, width)


def _walk(page_box: Any) -> Iterator[Any]:
    """All boxes of a page's content, without the running heads."""
    root = page_box.children[0]
    yield from root.descendants()


def _bottoms(page_box: Any, upto: float) -> Iterator[float]:
    """Lower edges of the lines and pictures that begin above a height."""
    for box in _walk(page_box):
        if not getattr(box, "children", ()) and float(box.position_y) < upto:
            yield float(box.position_y) + float(box.margin_height())


def _bottom(page_box: Any) -> float:
    """The lower edge of the lowest line or picture of a page."""
    return max(_bottoms(page_box, float("inf")), default=float(page_box.content_box_y()))
