"""Digest and chronicle: shipped faces alone, real text, bookmarks, contents, attachments, pictures as small as they came."""

from __future__ import annotations

import datetime as dt
import io
from dataclasses import replace
from functools import cache

import pytest
from PIL import Image
from pypdf import PdfReader

from renderers import (
    Chronicle,
    DigestMeta,
    Picture,
    Player,
    Turn,
    draw_png,
    read_attachments,
    render_chronicle,
    render_digest,
)
from renderers.fonts import PDF_NAMES
from renderers.pdf_pictures import PictureBook
from rules.report import Report, para
from tests.renderers import samples

DAY = dt.date(2013, 7, 26)
META = DigestMeta("Печати Хаоса", "Завоевание Астрала", DAY, gm="Тень", silent=("Тишина", "Каэль"), facts=(("тема", "t=14"),))
RECORD = '{"ходы": 3}'.encode()


def rule_text(rule: str) -> str:
    """Words of a ruling."""
    return f"Что значит {rule}."


@cache
def digest() -> bytes:
    """The sample digest."""
    maps = [Picture(draw_png(samples.height_map()), "Астрал после хода")]
    return render_digest(samples.report(), maps, META, attachments={"record.json": RECORD}, rule_text=rule_text)


@cache
def chronicle() -> bytes:
    """A chronicle of three turns."""
    picture = Picture(draw_png(samples.height_map()), "Астрал")
    turns = tuple(
        Turn(
            replace(samples.report(battles=1), title=f"Ход {i}"), DAY + dt.timedelta(i), (picture,), ("Ржавый",) if i == 2 else ()
        )
        for i in (1, 2, 3)
    )
    players = tuple(Player(f"игрок {name}", name, colour) for name, colour, _ in samples.OWNERS)
    book = Chronicle(
        "Печати Хаоса",
        "Завоевание Астрала",
        DAY,
        turns,
        players,
        "Тень",
        "Сыграно 3 хода",
        samples.line_chart(3),
        samples.report(battles=0),
    )
    return render_chronicle(book, attachments={"record.json": RECORD}, rule_text=rule_text)


def text_of(pdf: bytes) -> str:
    """All text of a PDF, spaces and hyphenation levelled."""
    pages = PdfReader(io.BytesIO(pdf)).pages
    return " ".join(" ".join(page.extract_text() for page in pages).replace("-\n", "").split())


def fonts_of(pdf: bytes) -> set[str]:
    """Names of the embedded faces without their subset tags."""
    names = set()
    for page in PdfReader(io.BytesIO(pdf)).pages:
        for font in (page["/Resources"].get("/Font") or {}).values():
            names.add(str(font.get_object()["/BaseFont"]).lstrip("/").split("+")[-1])
    return names


def bookmarks(pdf: bytes) -> list[str]:
    """Titles of all bookmarks in order."""

    def flat(items: list[object]) -> list[str]:
        return [title for item in items for title in (flat(item) if isinstance(item, list) else [item["/Title"]])]  # type: ignore[index]

    return flat(PdfReader(io.BytesIO(pdf)).outline)  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [digest, chronicle])
def test_only_shipped_faces_are_embedded(make: object) -> None:
    names = fonts_of(make())  # type: ignore[operator]
    assert names
    assert [name for name in names if not name.startswith(PDF_NAMES)] == []


def test_hyphenation_and_odd_signs_borrow_no_system_face() -> None:
    words = "превысокомногорассмотрительствующий " * 40 + "→ ▲▼ ★ \u2010 \u2011 ⚔ ☠ ✓ √ ½ 漢字 שלום 👍 \u202f1"
    report = Report("Ход", (para(words),), ())
    names = fonts_of(render_digest(report, (), replace(META, campaign="Каппа ★ 漢")))
    assert [name for name in names if not name.startswith(PDF_NAMES)] == []


def test_text_can_be_selected_and_searched() -> None:
    text = text_of(digest())
    for words in (
        "Выбрана Руна Изобилия",
        "Приказов не прислали: Тишина, Каэль.",
        "= 11,25",
        "[b]жирный[/b]",
        "<script>",
        "Что значит R21.",
    ):
        assert words in text
    assert "стр. 1 из" in text


def test_digest_names_itself() -> None:
    reader = PdfReader(io.BytesIO(digest()))
    assert reader.metadata is not None
    assert reader.metadata.title == "Печати Хаоса — Ход 3"
    assert reader.metadata.author == "Тень"
    assert reader.trailer["/Root"]["/Lang"] == "ru"
    assert reader.metadata.creation_date is not None
    assert reader.metadata.creation_date.date() == DAY


def test_bookmarks_follow_the_sections() -> None:
    marks = bookmarks(digest())
    assert marks[0] == "Ход 3"
    assert {"Руны", "Миры владык", "Сражения за нейтральные осколки"} <= set(marks)


def test_digest_is_small_enough_to_attach() -> None:
    assert len(digest()) <= 256 * 1024


def test_chronicle_tells_everything() -> None:
    text = text_of(chronicle())
    for words in (
        "Хроника кампании. Сыграно 3 хода",
        "Содержание",
        "Кто играл",
        "игрок Буйный",
        "Ход 2, 28 июля 2013 г.",
        "Приказов не прислали: Ржавый.",
    ):
        assert words in text
    marks = bookmarks(chronicle())
    assert [mark for mark in marks if mark.startswith("Ход ")] == ["Ход 1", "Ход 2", "Ход 3"]


def test_contents_give_the_right_pages() -> None:
    pages = [page.extract_text() for page in PdfReader(io.BytesIO(chronicle())).pages]
    contents = next(page for page in pages if page.lstrip().startswith(("Содержание", "Печати")) and "Ход 3, 29 июля" in page)
    line = next(line for line in contents.splitlines() if "Ход 3, 29 июля" in line)
    number = int(line.replace(".", " ").split()[-1])
    assert "29 июля 2013 г." in pages[number - 1]
    assert "Выбрана" in pages[number - 1]


@pytest.mark.parametrize("make", [digest, chronicle])
def test_attachments_come_back(make: object) -> None:
    assert read_attachments(make()) == {"record.json": RECORD}  # type: ignore[operator]


def test_reading_attachments_of_something_else_is_an_error() -> None:
    with pytest.raises(ValueError, match="PDF"):
        read_attachments(b"not a pdf")


def test_pictures_come_out_as_they_went_in() -> None:
    drawn = draw_png(samples.height_map())
    reader = PdfReader(io.BytesIO(digest()))
    sizes = [image.image.size for page in reader.pages for image in page.images if image.image is not None]
    original = Image.open(io.BytesIO(drawn))
    assert original.size in sizes
    found = next(i.image for page in reader.pages for i in page.images if i.image is not None and i.image.size == original.size)
    assert found.convert("RGB").tobytes() == original.convert("RGB").tobytes()


@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA", "1", "LA"])
def test_pictures_of_any_kind_are_taken(mode: str) -> None:
    out = io.BytesIO()
    Image.new(mode, (40, 30)).save(out, "PNG")
    pdf = render_digest(Report("Ход", (), ()), [Picture(out.getvalue()), Picture(draw_png(samples.bars()))], META)
    assert len([image for page in PdfReader(io.BytesIO(pdf)).pages for image in page.images]) == 2


def test_nothing_else_is_ever_fetched() -> None:
    with pytest.raises(ValueError, match="not a picture"):
        PictureBook().get("file:///etc/hostname")


def test_same_picture_twice_is_kept_once() -> None:
    book = PictureBook()
    assert book.add(draw_png(samples.bars())) == book.add(draw_png(samples.bars()))
