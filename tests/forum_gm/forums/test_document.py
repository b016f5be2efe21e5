"""The two trees of a page agree: a piece taken out of the fast one is what BeautifulSoup would have made of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forum_gm.forums.document import Document, Parts, any_of, every, first, has, joined, spaced, tag_of
from forum_gm.forums.markup import quotes_in
from forum_gm.forums.oldmarkup import modernise
from forum_gm.forums.opening import own_text
from forum_gm.forums.prosilver import parse
from forum_gm.forums.topicpage import Context
from parsers.html import from_html
from parsers.text import Mark

PIECES = [
    "Приказ: <b>стою</b><br>иду",
    '<blockquote class="uncited x"><div>чужое<blockquote><cite>Кто</cite>глубже</blockquote></div></blockquote>моё',
    "<!-- примечание -->видно<script>alert(1)</script><style>p{}</style>",
    "<p>раз<p>два</span></div>&nbsp;&amp;&lt;i&gt; &#128512;",
    '<img class="smilies" alt=":)" src="./s.gif?sid=0123456789abcdef"><a href="?a=1&amp;b=2">x</a>',
    "<table><tr><td>5<td>6</table><ul><li>a<li>b</ul>",
    "<pre>\n  А Вена - Тироль\n</pre><textarea>\nраз</textarea>",
    "",
]


@given(st.lists(st.sampled_from(PIECES), max_size=5))
def test_a_piece_becomes_the_soup_it_would_have_been(pieces: list[str]) -> None:
    document = Document(f'<html><body><div class="content first">{"".join(pieces)}</div><p>после</p></body></html>')
    element = first(document.root, f"//div[{has('content')}]")
    own = document.soup.find("div", class_="content")
    assert str(tag_of(element)) == str(own)


@pytest.mark.parametrize("html", ["", "   ", "просто текст", "<", "<!-- -->", "\ufeff<html>"])
def test_any_text_is_a_page(html: str) -> None:
    document = Document(html)
    assert every(document.root, "//div") == []
    assert document.soup.find("div") is None


def test_classes_are_whole_words_and_texts_leave_scripts_out() -> None:
    root = Document(
        '<div class="post postbody"><p class="author">Ива<b>н</b><script>x</script></p><i class="unauthor"></i></div>'
    ).root
    assert [found.tag for found in every(root, f"//*[{has('author')}]")] == ["p"]
    assert first(root, f"//*[{has('body')}]") is None
    assert [found.tag for found in every(root, f"//*[{any_of('unauthor', 'author')}]")] == ["p", "i"]
    assert (joined(first(root, "//p")), spaced(first(root, "//p")), spaced(None)) == ("Иван", "Ива н", "")
    parts = Parts(first(root, "//div"))
    assert ([p.tag for p in parts.of_class("author")], parts.of_class("author", "div"), parts.of_class("post")) == (["p"], [], [])


OLD_MARKUP = {
    "3.0": '<dl class="codebox"><dt>Код: <a href="#">Выделить всё</a></dt><dd><code>А Вена<br />&nbsp;&nbsp;Ф Триест</code></dd></dl>моё',
    "3.1": '<div class="codebox"><p>Код: <a href="#">Выделить всё</a></p><code>А Вена\n\xa0\xa0Ф Триест</code></div>моё',
    "subsilver2": '<div class="codetitle"><b>Код:</b></div><div class="codecontent">А Вена<br />&nbsp;&nbsp;Ф Триест</div>моё',
    "2.0": '<table><tr><td><span class="genmed"><b>Код:</b></span></td></tr><tr><td class="code">А Вена\n<br />\n&nbsp; Ф Триест</td></tr>'
    "</table>моё",
}
OLD_QUOTES = {
    "subsilver2": '<div class="quotetitle">Иван писал(а):</div><div class="quotecontent">чужое</div>моё',
    "2.0": '<table><tr><td><span class="genmed"><b>Иван писал(а):</b></span></td></tr><tr><td class="quote">чужое'
    '<table><tr><td><span class="genmed"><b>Цитата:</b></span></td></tr><tr><td class="quote">глубже</td></tr></table>'
    "</td></tr></table>моё",
}


@pytest.mark.parametrize("html", OLD_MARKUP.values(), ids=OLD_MARKUP)
def test_code_of_older_boards_keeps_its_lines_and_loses_its_caption(html: str) -> None:
    body = tag_of(first(Document(f"<div>{html}</div>").root, "//div"))
    modernise(body)
    assert [line.replace("\xa0", " ") for line in from_html(str(body)).text.strip().split("\n")] == [
        "А Вена",
        "  Ф Триест",
        "моё",
    ]


@pytest.mark.parametrize("html", OLD_QUOTES.values(), ids=OLD_QUOTES)
def test_quotes_of_older_boards_keep_their_authors_and_stay_quotes(html: str) -> None:
    body = tag_of(first(Document(f"<div>{html}</div>").root, "//div"))
    before = quotes_in(body)
    modernise(body)
    assert quotes_in(body) == before
    assert (before[0].author, before[0].text) == ("Иван", "чужое")
    read = from_html(str(body))
    quoted = [mark for mark in read.marks if mark.mark is Mark.QUOTE]
    own = list(read.text)
    for mark in quoted:
        own[mark.span.start : mark.span.end] = " " * (mark.span.end - mark.span.start)
    assert "".join(own).split() == ["моё"]


@pytest.mark.parametrize("depth", [100, 255, 300, 2100, 20_000])
@pytest.mark.parametrize("tag", ["b", "blockquote", "div", "ul"])
def test_nesting_without_end_hides_no_later_post(tag: str, depth: int) -> None:
    """Parsers stop where tags are nested too deep: that would be a way to make everybody else's posts disappear."""

    def shown(number: int, body: str) -> str:
        head = '<a class="username" href="?u=5">x</a><time datetime="2026-05-01T00:00:00+00:00"></time>'
        return f'<div id="p{number}" class="post"><p class="author">{head}</p><div class="content">{body}</div></div>'

    deep = f"до {f'<{tag}>' * depth}слово{f'</{tag}>' * depth} после"
    page = f"<html><body>{shown(7, deep)}{shown(8, 'второй')}</body></html>"
    for html in (page, page.replace(f"</{tag}>", "", depth // 2)):
        posts = parse(Document(html), Context("http://b/viewtopic.php?t=1")).posts
        assert "слово" in posts[0].html
        assert own_text(posts[0]) or tag == "blockquote"
        if html == page:
            assert [(post.id, own_text(post)) for post in posts[1:]] == [(8, "второй")]
            assert "после" in own_text(posts[0])
