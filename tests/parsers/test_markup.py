"""BBCode, HTML and plain text of one post give one text; what is struck or quoted is marked."""

from __future__ import annotations

import pytest

from parsers.bbcode import from_bbcode
from parsers.html import from_html
from parsers.text import Mark, from_text

PAIRS = [
    ("[b]Атакую[/b] 001\n8э", '<strong class="text-strong">Атакую</strong> 001<br>\n8э'),
    ("[i]a[/i] [u]б[/u] [s]в[/s]", '<em class="text-italics">a</em> <span style="text-decoration: underline">б</span> <s>в</s>'),
    ("[list]\n[*]Каэлю: 4\n[*]Ржавому 6\n[/list]\nконец", "<ul><li>Каэлю: 4</li>\n<li>Ржавому 6</li></ul>\nконец"),
    ("[list=1][*]раз[*]два[/list]", '<ol style="list-style-type:decimal"><li>раз</li><li>два</li></ol>'),
    ("[quote=Ржавый]мы[/quote]\nя", "<blockquote><div><cite>Ржавый писал(а):</cite>мы</div></blockquote>\nя"),
    (
        "[table][tr][td]А[/td][td]Б[/td][/tr][tr][td]В[/td][td]Г[/td][/tr][/table]\nх",
        "<table><tbody><tr><td>А</td><td>Б</td></tr>\n<tr><td>В</td><td>Г</td></tr></tbody></table>\nх",
    ),
    ("[spoiler=тут]беру[/spoiler]", '<div class="spoiler">беру</div>'),
    (
        "[code]не приказ[/code]",
        '<div class="codebox"><p>Код: <a href="#">Выделить</a></p><pre><code>не приказ</code></pre></div>',
    ),
    ("рад :)", 'рад <img class="smilies" src="x.gif" alt=":)">'),
    ("рад :)", 'рад <img src="images/smiles/icon_smile.gif" alt="Smile" border="0" />'),
    ("рад :shock:", 'рад <img src="/forum/images/smiles/icon_eek.gif" alt="Shocked" border="0">'),
    (
        '[quote="[GM] Иван, мл." post_id=7 time=1794666492 user_id=65]стойте[/quote]\nиду',
        '<blockquote><div><cite><a href="u=65">[GM] Иван, мл.</a> писал(а):</cite>стойте</div></blockquote>\nиду',
    ),
    ("[quote='Иван \"[Рус]\"']стойте[/quote]\nиду", "<blockquote><div><cite>Иван писал(а):</cite>стойте</div></blockquote>\nиду"),
    (
        "[spoiler]беру[/spoiler]\nда",
        (
            '<div class="spoiler"><div class="spoiler-header spoiler-trigger">Спойлер</div>'
            '<div class="spoiler-body">беру</div></div>\nда'
        ),
    ),
    (
        "[spoiler=Планы]беру[/spoiler]",
        '<div class="spoiler"><span class="spoiler-title">Планы</span><div class="spoiler-body">беру</div></div>',
    ),
    ("[url=http://a.b/]сюда[/url]", '<a href="http://a.b/" class="postlink">сюда</a>'),
    ("5 &amp; 6".replace("&amp;", "&"), "5 &amp; 6"),
]


@pytest.mark.parametrize(("bbcode", "html"), PAIRS)
def test_bbcode_and_html_give_the_same_text(bbcode: str, html: str) -> None:
    assert from_bbcode(bbcode).text.strip() == from_html(html).text.strip()
    left = [(m.mark, m.span) for m in from_bbcode(bbcode).marks if m.mark in (Mark.STRUCK, Mark.QUOTE, Mark.ITEM, Mark.CODE)]
    right = [(m.mark, m.span) for m in from_html(html).marks if m.mark in (Mark.STRUCK, Mark.QUOTE, Mark.ITEM, Mark.CODE)]
    assert left == right


def test_square_brackets_that_are_no_tags_stay() -> None:
    assert from_bbcode("[лучники](4) + [некромантия](5)").text == "[лучники](4) + [некромантия](5)"


@pytest.mark.parametrize("name", ["[GM] Иван", "Иван [рус.] [x]", "a]b", "[b]", "[/quote]"])
@pytest.mark.parametrize("mark", ['"', "'"])
def test_a_quote_of_a_name_with_brackets_is_a_quote(name: str, mark: str) -> None:
    post = from_bbcode(f"[quote={mark}{name}{mark} post_id=7]чужое[/quote]моё")
    assert post.text.split() == ["чужое", "моё"]
    assert [post.text[span.start : span.end].strip() for span in post.marked(Mark.QUOTE)] == ["чужое"]


def test_pictures_that_are_no_smilies_are_no_text() -> None:
    assert from_html('иду<img src="map.png" alt="карта">').text.strip() == "иду"


def test_unpaired_tags_stay_in_the_text() -> None:
    post = from_bbcode("[b][i]а [quote] б")
    assert post.text == "[b][i]а [quote] б"
    assert post.marks == ()


def test_nested_quotes_are_one_zone() -> None:
    post = from_bbcode("[quote=А][quote=Б]раз[/quote]два[/quote]три")
    spans = post.marked(Mark.QUOTE)
    assert {post.text[s.start : s.end].strip() for s in spans} == {"раз", "раз\nдва"}


def test_scripts_and_titles_of_quotes_are_no_text() -> None:
    assert from_html("<script>alert(1)</script><p>ход</p>").text.strip() == "ход"


def test_line_ends_are_normalised() -> None:
    assert from_text("а\r\nб\rв").text == "а\nб\nв"
    assert from_bbcode("а\r\nб").text == "а\nб"
