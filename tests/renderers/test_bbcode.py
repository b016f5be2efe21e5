"""BBCode posts: faithful, safe, within the board's limits."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from renderers import Board, render_posts, render_text, report_to_json
from renderers.bbcode import ZERO_WIDTH, escape, posted_length
from rules.report import Bullets, Coloured, Column, FigureBlock, Lines, Report, Rule, Section, Strong, Table, para, rich, row
from tests.renderers import samples

RICH_BOARD = Board(spoiler="[spoiler={title}]", tables=True, rule_url="https://example.org/rules#{rule}", rule_list=True)
TAG = re.compile(r"\[(/?)([a-z*]+)(=[^\]]*)?\]")


def balanced(text: str) -> bool:
    """Every tag is closed in its order (`[*]` and the insides of `[code]` aside)."""
    stack: list[str] = []
    for closing, name, _ in TAG.findall(re.sub(r"\[code\].*?\[/code\]", "", text, flags=re.DOTALL)):
        if name == "*":
            continue
        if not closing:
            stack.append(name)
        elif not stack or stack.pop() != name:
            return False
    return not stack


def words(text: str) -> list[str]:
    """The words a reader sees."""
    return re.findall(r"[а-яё]{4,}", TAG.sub(lambda tag: f" {tag[3] or ''} ", text).lower())


def test_plain_phpbb(snapshot: SnapshotAssertion) -> None:
    (post,) = render_posts(samples.report())
    assert post.text == snapshot
    assert balanced(post.text)


def test_board_with_spoilers_and_tables(snapshot: SnapshotAssertion) -> None:
    (post,) = render_posts(samples.report(battles=1), RICH_BOARD, rule_text=lambda rule: f"Слова правила {rule}.")
    assert post.text == snapshot
    assert balanced(post.text)


def test_R25_battle_lines_stand_character_for_character() -> None:
    (post,) = render_posts(samples.report())
    line = "Буйный — 14э (2 перемещ.) — [Пехота-2](6)*1,2 + [Некромантия-2](6+2-2,5)*1,1 + [Волшебник](-2) = 11,25"
    assert line in post.text.split("\n")


@pytest.mark.parametrize("text", samples.HOSTILE)
def test_player_text_never_becomes_markup(text: str) -> None:
    report = Report("Ход", (para(text),), (Section(text, (Bullets((rich(text),)),), details=True),), subtitle=text)
    (post,) = render_posts(report, RICH_BOARD)
    names = {name for _, name, _ in TAG.findall(post.text)}
    assert names <= {"b", "size", "list", "*", "spoiler"}
    assert balanced(post.text)


@given(st.lists(st.text("[]/*b=url ж", max_size=12), min_size=1, max_size=5))
def test_no_tag_arises_from_pieces_side_by_side(pieces: list[str]) -> None:
    (post,) = render_posts(Report("Х", (para(*pieces),), ()))
    body = post.text.split("\n", 1)[1] if "\n" in post.text else ""
    assert not re.search(r"\[[a-zA-Z/*]", body)
    assert body.replace(ZERO_WIDTH, "").strip() == "".join(pieces).strip()


def test_spoiler_title_cannot_break_out_of_its_tag() -> None:
    report = Report("Ход", (), (Section('x]"[/spoiler][b', (para("тайна"),), details=True),))
    (post,) = render_posts(report, Board(spoiler='[spoiler="{title}"]'))
    assert '[spoiler="x)”(/spoiler)(b"]тайна[/spoiler]' in post.text


@given(limit=st.integers(600, 3000), spoiler=st.booleans(), tables=st.booleans(), mono=st.booleans())
@settings(max_examples=25)
def test_every_post_fits_is_balanced_and_nothing_is_lost(limit: int, spoiler: bool, tables: bool, mono: bool) -> None:
    board = Board(spoiler="[spoiler={title}]" if spoiler else "", tables=tables, mono=mono, max_chars=limit)
    whole = render_posts(samples.report(), Board(tables=tables, mono=mono))
    posts = render_posts(samples.report(), board)
    assert all(posted_length(p.text) <= limit for p in posts)
    assert all(balanced(p.text) for p in posts)
    assert [p.number for p in posts] == list(range(1, len(posts) + 1))
    assert {p.total for p in posts} == {len(posts)}
    seen = words(" ".join(p.text for p in posts))
    assert set(words(whole[0].text)) - set(seen) <= set(words(samples.HOSTILE[-1]))


def test_one_endless_word_is_cut_rather_than_refused() -> None:
    posts = render_posts(Report("Ход", (para("а" * 5000),), ()), Board(max_chars=800))
    assert sum(post.text.count("а") for post in posts) >= 5000
    assert all(posted_length(p.text) <= 800 for p in posts)


def test_limit_too_small_for_the_frame_is_an_error() -> None:
    with pytest.raises(ValueError, match="max_chars"):
        render_posts(samples.report(), Board(max_chars=150))


def test_parts_are_numbered_and_reopened_spoilers_say_so() -> None:
    posts = render_posts(samples.report(), Board(spoiler="[spoiler={title}]", max_chars=1500))
    assert f"(часть 2 из {len(posts)})" in posts[1].text
    assert any("(продолжение)]" in post.text for post in posts)


def test_wide_table_becomes_a_list_and_narrow_one_is_aligned() -> None:
    table = Table((Column("Имя"), Column("Золото", True)), (row("Аэлин", "12"), row("Торгрим", "7")), total=row("Всего", "19"))
    (post,) = render_posts(Report("Ход", (table,), ()))
    assert (
        "[code]Имя      Золото\n-------  ------\nАэлин        12\nТоргрим       7\n-------  ------\nВсего        19[/code]"
        in post.text
    )
    (post,) = render_posts(Report("Ход", (table,), ()), Board(code_width=10))
    assert "[*][b]Аэлин[/b] — Золото: 12" in post.text


def test_pale_faction_colours_are_darkened_to_be_read_on_white() -> None:
    (post,) = render_posts(Report("Ход", (para(Coloured("Каэль", "#ffe066"), Coloured("Злодей", "red;x")),), ()))
    assert "#ffe066" not in post.text
    assert "[b]Злодей[/b]" in post.text


def test_neighbouring_citations_share_one_bracket() -> None:
    (post,) = render_posts(Report("Ход", (para("Взят. ", Rule("R21"), " ", Rule("R25"), " ", Rule("R21")),), ()))
    assert "[R21, R25]" in post.text


def test_posts_know_which_pictures_they_show() -> None:
    figure = FigureBlock(samples.bars(), "Прогноз", "Вероятнее всего уцелеют пятеро")
    report = Report("Ход", (para("а"),), (Section("Бой", (figure, FigureBlock(samples.line_chart(), "Счёт"))),))
    (post,) = render_posts(
        report, picture=lambda index, block: f"[img]https://example.org/{index}.png[/img]" if index == 1 else ""
    )
    assert post.figures == (1,)
    assert "Рисунок: Вероятнее всего уцелеют пятеро" in post.text
    assert "[img]https://example.org/1.png[/img]\n[i]Счёт[/i]" in post.text


def test_lead_stands_in_the_first_post_only() -> None:
    posts = render_posts(samples.report(), Board(max_chars=1500), lead="[url=https://example.org]карта[/url]")
    assert [("карта" in post.text) for post in posts] == [True] + [False] * (len(posts) - 1)


def test_escape_keeps_one_line() -> None:
    assert escape("а\nб\tв") == "а б в"


def test_lines_in_code_keep_their_spaces() -> None:
    (post,) = render_posts(Report("Ход", (Lines((rich("а  1"), rich(Strong("б"), "  2")), mono=True),), ()))
    assert "[code]а  1\nб  2[/code]" in post.text


def test_plain_text(snapshot: SnapshotAssertion) -> None:
    assert render_text(samples.report(battles=1)) == snapshot


def test_json(snapshot: SnapshotAssertion) -> None:
    assert report_to_json(samples.report(battles=1), models=False) == snapshot
