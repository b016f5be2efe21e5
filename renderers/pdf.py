"""The PDF digest of a turn and the chronicle of a campaign, by WeasyPrint.

The same input gives the same bytes in any folder, zone and process of one installation (promise 2): shipped faces only, the date
is given, pictures go in by content, and nothing else is fetched.
"""

from __future__ import annotations

import datetime as dt
import io
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from renderers.document import blocks_of, cited_rules, report_to_json
from renderers.document import figures as figures_of
from renderers.fonts import drawable, fontconfig_file
from renderers.maps import draw_png
from renderers.pdf_layout import fitted
from renderers.pdf_pictures import PictureBook, size
from renderers.templates import shared_template
from rules.maps import LineChart
from rules.report import Report

_RENDERING = threading.Lock()
"""WeasyPrint's libraries read two environment variables; only one rendering may set them at a time."""

MONTHS = ("января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября", "декабря")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as it goes into a PDF."""

    data: bytes
    """PNG."""
    caption: str = ""
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Player:
    """Who plays a side."""

    name: str
    side: str
    colour: str = ""
    """`#rrggbb`."""
    note: str = ""
    """«выбыл на 5-м ходу»."""


@dataclass(frozen=True, slots=True)
class DigestMeta:
    """What a digest says beside the report."""

    campaign: str
    game: str
    date: dt.date
    """Of the turn, from the campaign; also the PDF's date."""
    gm: str = ""
    reader: str = ""
    """For whom, where it isn't public («для владыки Буйного»)."""
    silent: tuple[str, ...] = ()
    """Who sent no orders."""
    facts: tuple[tuple[str, str], ...] = ()
    """Further lines, name and value («тема», address)."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn in the chronicle."""

    report: Report
    date: dt.date | None = None
    maps: tuple[Picture, ...] = ()
    silent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chronicle:
    """A campaign so far."""

    campaign: str
    game: str
    date: dt.date
    """Of the last turn; also the PDF's date."""
    turns: tuple[Turn, ...]
    players: tuple[Player, ...] = ()
    gm: str = ""
    subtitle: str = ""
    """«Игра продолжается, позади 9 шагов»."""
    chart: LineChart | None = None
    """Standings over the turns."""
    standings: Report | None = None
    """The state of the game now."""
    facts: tuple[tuple[str, str], ...] = ()
    map: Picture | None = None
    """For the title page; the last turn's first map when None."""
    extra: tuple[Report, ...] = field(default=())
    """Closing chapters (dice and their secrets, GM's notes)."""


def russian_date(day: dt.date) -> str:
    """«26 июля 2013 г.»."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year} г."


def render_digest(
    report: Report,
    maps: Sequence[Picture],
    meta: DigestMeta,
    *,
    attachments: Mapping[str, bytes] | None = None,
    rule_text: Callable[[str], str | None] = lambda rule: None,
    folders: Iterable[Path] = (),
) -> bytes:
    """The digest of one turn as PDF.

    `attachments` are files to carry along, by name; `rule_text` gives the words of the cited rulings for a closing list;
    `folders` are looked through for templates before the shipped ones (campaign's, then ruleset's)."""
    book = PictureBook()
    html = _html(
        "pdf/digest.html.j2",
        folders,
        report=_with_pictures(report, book),
        maps=[_shown(picture, book, f"map-{number}") for number, picture in enumerate(maps, start=1)],
        meta=meta,
        date=russian_date(meta.date),
        iso=meta.date.isoformat(),
        rules=_rules(cited_rules(report), rule_text),
    )
    return _write(html, book, meta.date, attachments or {}, save_last_page=True)


def render_chronicle(
    chronicle: Chronicle,
    *,
    attachments: Mapping[str, bytes] | None = None,
    rule_text: Callable[[str], str | None] = lambda rule: None,
    folders: Iterable[Path] = (),
) -> bytes:
    """The campaign so far as PDF: title page, contents, who played, every turn, standings. `attachments` carries the data that
    `forum-gm verify` reads; the rest as in `render_digest`."""
    book = PictureBook()
    last = next((turn.maps[0] for turn in reversed(chronicle.turns) if turn.maps), None)
    cover = chronicle.map or last
    reports = [turn.report for turn in chronicle.turns]
    cited = cited_rules(Report("", tuple(block for report in reports for block in blocks_of(report)), ()))
    html = _html(
        "pdf/chronicle.html.j2",
        folders,
        chronicle=chronicle,
        date=russian_date(chronicle.date),
        iso=chronicle.date.isoformat(),
        cover=_shown(cover, book, "cover") if cover else None,
        chart=_shown(Picture(draw_png(chronicle.chart), "", chronicle.chart.title), book, "chart") if chronicle.chart else None,
        turns=list(_turns(chronicle.turns, book)),
        standings=_with_pictures(chronicle.standings, book) if chronicle.standings else None,
        extra=[_with_pictures(report, book) for report in chronicle.extra],
        rules=_rules(cited, rule_text),
    )
    return _write(html, book, chronicle.date, attachments or {}, save_last_page=False)


def read_attachments(pdf: bytes) -> dict[str, bytes]:
    """The files that a PDF carries, by name. Raises `ValueError` when it is no readable PDF."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(io.BytesIO(pdf))
        return {name: contents[0] for name, contents in reader.attachments.items()}
    except PyPdfError as error:
        raise ValueError(f"Не читается PDF: {error}") from error


# ------------------------------------------------------------------------------------------------ pictures


def _turns(turns: Sequence[Turn], book: PictureBook) -> Iterator[dict[str, Any]]:
    """The turns as the template needs them. A map that still looks as it did after the turn before is not shown again."""
    before: set[str] = set()
    for number, turn in enumerate(turns, start=1):
        maps = [_shown(picture, book, f"map-{number}-{place}") for place, picture in enumerate(turn.maps, start=1)]
        yield {
            "report": _with_pictures(turn.report, book),
            "date": russian_date(turn.date) if turn.date else "",
            "maps": [shown for shown in maps if shown["url"] not in before],
            "map_stands": bool(maps) and all(shown["url"] in before for shown in maps),
            "silent": turn.silent,
        }
        before = {shown["url"] for shown in maps} or before


def _shown(picture: Picture, book: PictureBook, name: str) -> dict[str, Any]:
    width, height = size(picture.data)
    return {
        "id": name,
        "url": book.add(picture.data),
        "caption": picture.caption,
        "alt": picture.alt or picture.caption,
        "tall": height > width,
    }


def _with_pictures(report: Report, book: PictureBook) -> dict[str, Any]:
    """The report as the templates need it, with the address of each figure."""
    tree = report_to_json(report, models=False)
    shown = figures_of(report)
    tree["pictures"] = [book.add(draw_png(figure.figure)) for figure in shown]
    # A picture has its title drawn in; under it the same words would stand twice.
    tree["titles"] = {index: figure.figure.title for index, figure in enumerate(shown)}
    return tree


def _rules(cited: Sequence[str], rule_text: Callable[[str], str | None]) -> list[tuple[str, str]]:
    return [(rule, words) for rule in cited if (words := rule_text(rule))]


# ------------------------------------------------------------------------------------------------ document


def _html(name: str, folders: Iterable[Path], **values: Any) -> str:
    return shared_template(name, folders, draw=drawable).render(**values)


def _write(html: str, book: PictureBook, date: dt.date, attachments: Mapping[str, bytes], *, save_last_page: bool) -> bytes:
    moment = dt.datetime(date.year, date.month, date.day, tzinfo=dt.UTC)
    with (
        _RENDERING,
        fontconfig_file() as fonts,
        _environment(FONTCONFIG_FILE=str(fonts), SOURCE_DATE_EPOCH=str(int(moment.timestamp()))),
    ):
        # Imported here: its import already reads the font configuration, and only PDFs need it.
        from weasyprint import CSS, HTML, Attachment
        from weasyprint.text.fonts import FontConfiguration
        from weasyprint.urls import URLFetcher, URLFetcherResponse

        class Fetcher(URLFetcher):  # type: ignore[misc]
            """Knows the document's own pictures only."""

            def fetch(self, url: str, headers: object = None) -> URLFetcherResponse:
                return URLFetcherResponse(url, book.get(url), {"Content-Type": "image/png"})

        files = [
            Attachment(file_obj=io.BytesIO(data), name=name, created=moment, modified=moment)
            for name, data in sorted(attachments.items())
        ]
        source = HTML(string=html, url_fetcher=Fetcher())
        faces = FontConfiguration()

        def layout(css: str) -> Any:
            sheets = [CSS(string=css)] if css else None
            return source.render(font_config=faces, pdf_tags=True, stylesheets=sheets)

        document = fitted(layout, save_last_page=save_last_page)
        out: bytes = document.write_pdf(attachments=files or None, pdf_tags=True, finisher=book.finish)
        return out


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
