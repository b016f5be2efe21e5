"""Pages of a PDF: maps take the room that is left, no line or heading ends alone, nothing is said twice."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from PIL import Image
from pypdf import PdfReader

from renderers import Chronicle, Picture, Turn, draw_png, render_chronicle, render_digest
from rules.report import Column, FigureBlock, Lines, Paragraph, Report, Rule, Section, Strong, Table, para, rich, row
from tests.renderers import samples
from tests.renderers.test_pdf import DAY, META, bookmarks

CALM = replace(META, silent=(), facts=())


def picture(width: int, height: int, shade: int = 180) -> Picture:
    """A plain picture of a given shape."""
    out = io.BytesIO()
    Image.new("RGB", (width, height), (shade, shade, 90)).save(out, "PNG")
    return Picture(out.getvalue(), alt="Карта")


def pages(pdf: bytes) -> list[str]:
    """The text of each page on one line, without the running head and foot."""
    return [" ".join(page.extract_text().split()) for page in PdfReader(io.BytesIO(pdf)).pages]


def shown(pdf: bytes) -> list[list[float]]:
    """The heights of the pictures of each page, in points."""
    found: list[list[float]] = []
    for page in PdfReader(io.BytesIO(pdf)).pages:
        here: list[float] = []

        def seen(operator: bytes, _: object, matrix: list[float], __: object, into: list[float] = here) -> None:
            if operator == b"Do":
                into.append(abs(matrix[3]))

        page.extract_text(visitor_operand_before=seen)
        found.append(here)
    return found


def lines_above(count: int) -> Report:
    """A report whose summary has so many short paragraphs."""
    return Report("Ход", tuple(para(f"Событие {i}.") for i in range(count)), ())


@pytest.mark.parametrize("shape", [(1200, 900), (700, 1100), (1200, 1200)])
def test_a_map_shrinks_before_it_leaves_a_hole(shape: tuple[int, int]) -> None:
    ((largest,),) = shown(render_digest(lines_above(0), [picture(*shape)], CALM))
    shares = []
    for count in range(2, 24, 3):
        pages_of = shown(render_digest(lines_above(count), [picture(*shape)], CALM))
        (height,) = (height for page in pages_of for height in page)
        assert len(pages_of) <= 2
        if pages_of[0]:
            assert len(pages_of) == 1
            shares.append(height / largest)
        else:
            # It jumps only from a page without room for its smallest size, and is as large as ever then.
            assert height == pytest.approx(largest, abs=0.5)
            assert min(shares) < 0.8
    assert all(0.59 <= share <= 1.001 for share in shares)
    assert any(share < 0.95 for share in shares)


@pytest.mark.parametrize("rulings", range(1, 60, 6))
def test_the_last_page_never_holds_one_ruling_alone(rulings: int) -> None:
    texts = {f"R{i}": f"Слова решения {i}." for i in range(rulings)}
    lines = tuple((f"Строка {name}. ", Rule(name)) for name in texts)
    report = Report("Ход", (), (Section("Хроника", (Lines(lines),)),))
    text = pages(render_digest(report, [picture(1200, 900)], CALM, rule_text=texts.get))
    for page in text:
        assert page.count("Слова решения") != 1 or rulings == 1


@pytest.mark.parametrize("count", range(14, 34, 2))
def test_headings_and_lead_ins_are_never_last_on_a_page(count: int) -> None:
    side = (Paragraph((Strong("Обороняются."),)), Lines((rich("Гхаш — С С О"), rich("Гхаш — С"))))
    report = replace(lines_above(count), sections=(Section("Битва", side, id="b"), Section("Положение", (table(5),), id="p")))
    for page in pages(render_digest(report, (), CALM)):
        body = page.split(" стр. ")[0]
        assert not body.endswith(("Битва", "Обороняются.", "Положение"))


@pytest.mark.parametrize("count", range(12, 32, 4))
def test_a_long_table_leaves_no_single_row_behind(count: int) -> None:
    report = replace(lines_above(count), sections=(Section("Осколки", (table(40),)),))
    for page in pages(render_digest(report, (), CALM)):
        assert page.count("осколок-") != 1


def table(rows: int) -> Table:
    """A table of two columns."""
    return Table((Column("Имя"), Column("Размер", numeric=True)), tuple(row(f"осколок-{i}", str(i)) for i in range(rows)))


def test_a_caption_does_not_repeat_what_is_drawn_in_the_picture() -> None:
    chart = samples.bars()
    same = Report("Ход", (), (Section("Силы", (FigureBlock(chart, chart.title, "Силы"),)),))
    other = Report("Ход", (), (Section("Силы", (FigureBlock(chart, "Силы после битвы", "Силы"),)),))
    assert chart.title not in " ".join(pages(render_digest(same, (), CALM)))
    assert "Силы после битвы" in " ".join(pages(render_digest(other, (), CALM)))


def test_few_lines_do_not_begin_a_last_page() -> None:
    whole = Picture(draw_png(samples.road_map()), alt="Карта")
    for count in range(18, 30):
        pdf = render_digest(
            replace(lines_above(0), sections=(Section("Хроника", (Lines(tuple(rich(f"Строка {i}") for i in range(count))),)),)),
            [whole],
            CALM,
        )
        text = pages(pdf)
        if len(text) > 1:
            assert text[-1].count("Строка") >= 6
            break
    else:
        pytest.fail("the sample never filled a page")


def test_chronicle_shows_a_map_again_only_when_it_changed() -> None:
    first, second = picture(1200, 900), picture(1200, 900, shade=90)
    turns = tuple(
        Turn(Report(f"Ход {i}", (para("Тихо."),), ()), DAY, (seen,)) for i, seen in enumerate((first, first, second, first))
    )
    pdf = render_chronicle(Chronicle("Печати", "Астрал", DAY, turns))
    text = " ".join(pages(pdf))
    assert sum(map(len, shown(pdf))) == 4  # the title page's, then of turns 0, 2 and 3
    assert text.count("Карта не изменилась.") == 1
    assert [mark for mark in bookmarks(pdf) if mark.startswith("Ход")] == ["Ход 0", "Ход 1", "Ход 2", "Ход 3"]
