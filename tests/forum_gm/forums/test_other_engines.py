"""phpBB 2 in windows-1251, and boards read by profile files: pages of our own making."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs

import pytest
import requests
import responses

from forum_gm.forums import errors
from forum_gm.forums.charset import fit
from forum_gm.forums.clock import ManualClock
from forum_gm.forums.document import Document
from forum_gm.forums.extraction import extraction
from forum_gm.forums.journal import MemoryJournal
from forum_gm.forums.opening import chosen_engine, engine_of, own_text, read_files, read_url, to_json
from forum_gm.forums.phpbb2 import PhpBB2
from forum_gm.forums.profile import Profile, load_profile
from forum_gm.forums.transport import Manners, Transport

ROOT = "http://old.example/forum/"
START = datetime(2009, 11, 16, 12, 0, tzinfo=UTC)


class OldBoard:
    """As much of a Russian phpBB 2 as a client sees, in windows-1251."""

    def __init__(self) -> None:
        self.posts = [(101, "Ведущий", "Правила: один ход — одно сообщение.")]
        self.user = ""
        self.lose_answers = 0

    def page(self, body: str) -> tuple[int, dict[str, str], bytes]:
        bar = f'<a href="login.php?logout=true">Выход [ {self.user} ]</a>' if self.user else '<a href="login.php">Вход</a>'
        if self.user:
            bar += f'<a href="profile.php?mode=viewprofile&amp;u=7">{self.user}</a>'
        head = '<html><head><meta http-equiv="Content-Type" content="text/html; charset=windows-1251"></head><body>'
        text = f"{head}{bar}{body}<span>Часовой пояс: GMT + 3</span></body></html>"
        return 200, {"Content-Type": "text/html"}, text.encode("cp1251")

    def topic(self, _: requests.PreparedRequest) -> tuple[int, dict[str, str], bytes]:
        rows = ""
        for number, author, text in self.posts:
            shown = re.sub(r"\[b\](.*?)\[/b\]", r'<span style="font-weight: bold">\1</span>', text).replace("\n", "<br />\n")
            user = 7 if author == "Летописец" else 2
            rows += (
                f'<tr><td class="row1"><span class="name"><a name="{number}"></a><b>{author}</b></span></td>'
                f'<td class="row1"><table>'
                f'<tr><td><span class="postdetails">Добавлено: Пн Ноя 16, 2009 9:15 am<span class="gen">&nbsp;</span>'
                f"&nbsp; &nbsp;Заголовок сообщения: </span></td></tr>"
                f'<tr><td colspan="2"><span class="postbody">{shown}<br />_________________<br />Подпись</span>'
                f'<span class="gensmall"></span></td></tr></table></td></tr>'
                f'<tr><td><a href="profile.php?mode=viewprofile&amp;u={user}">профиль</a></td></tr>'
            )
        return self.page(f'<a class="maintitle" href="viewtopic.php?t=7">Партия №1</a><table class="forumline">{rows}</table>')

    def posting(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], bytes]:
        assert request.url is not None
        edited = re.search(r"mode=editpost&p=(\d+)", request.url)
        if request.method == "POST":
            body = request.body if isinstance(request.body, str) else (request.body or b"").decode()
            fields = {key: values[-1] for key, values in parse_qs(body, encoding="cp1251", keep_blank_values=True).items()}
            assert fields["sid"] == "0123456789abcdef0123456789abcdef"
            if fields["mode"] == "editpost":
                index = next(i for i, post in enumerate(self.posts) if post[0] == int(fields["p"]))
                self.posts[index] = (self.posts[index][0], self.posts[index][1], fields["message"])
                number = self.posts[index][0]
            else:
                number = self.posts[-1][0] + 1
                self.posts.append((number, self.user, fields["message"]))
            if self.lose_answers:
                self.lose_answers -= 1
                raise requests.ReadTimeout
            refresh = f'<meta http-equiv="refresh" content="3;url=viewtopic.php?p={number}#{number}">'
            said = '<span class="gen">Сообщение успешно добавлено</span>'
            box = f'<table class="forumline"><tr><td class="row1">{said}</td></tr></table>'
            return self.page(refresh + box)
        text, hidden = "", '<input type="hidden" name="mode" value="reply" /><input type="hidden" name="t" value="7" />'
        if edited:
            text = next(post[2] for post in self.posts if post[0] == int(edited[1]))
            hidden = f'<input type="hidden" name="mode" value="editpost" /><input type="hidden" name="p" value="{edited[1]}" />'
        return self.page(
            f'<form action="posting.php" method="post" name="post"><input type="text" name="subject" value="" />'
            f'<textarea name="message">{html.escape(text)}</textarea>{hidden}'
            f'<input type="hidden" name="sid" value="0123456789abcdef0123456789abcdef" />'
            f'<input type="submit" name="preview" value="Просмотр" /><input type="submit" name="post" value="Отправить" /></form>'
        )

    def login(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], bytes]:
        if request.method == "POST":
            name = "%CB%E5%F2%EE%EF%E8%F1%E5%F6"
            assert request.body == f"username={name}&password=demo&redirect=&autologin=on&login=%C2%F5%EE%E4"
            self.user = "Летописец"
            return self.page("<p>Добро пожаловать</p>")
        return self.page(
            '<form action="login.php" method="post"><input type="text" name="username" />'
            '<input type="password" name="password" />'
            '<input type="checkbox" name="autologin" /><input type="hidden" name="redirect" value="" />'
            '<input type="submit" name="login" value="Вход" /></form>'
        )

    def start(self) -> None:
        for script, handler in (("viewtopic", self.topic), ("posting", self.posting), ("login", self.login)):
            for method in (responses.GET, responses.POST):
                responses.add_callback(method, re.compile(re.escape(f"{ROOT}{script}.php")), callback=handler)
        responses.add_callback(
            responses.GET, re.compile(re.escape(f"{ROOT}index.php")), callback=lambda _: self.page("<p>Форумы</p>")
        )


def old_client(journal: MemoryJournal | None = None) -> PhpBB2:
    transport = Transport(manners=Manners(pause=0), clock=ManualClock(START))
    return PhpBB2(ROOT, user="Летописец", password="demo", transport=transport, journal=journal)


@responses.activate
def test_phpbb2_reads_logs_in_and_posts_in_windows_1251() -> None:
    board = OldBoard()
    board.start()
    client = old_client()
    client.login()
    assert client.user_id == 7
    topic = client.read_topic(7)
    assert (topic.title, topic.posts[0].author, topic.posts[0].author_id) == ("Партия №1", "Ведущий", 2)
    assert own_text(topic.posts[0]) == "Правила: один ход — одно сообщение."
    done = client.reply("k", 7, "[b]Итоги[/b] → ход № 2 😀\nВсё — «живы»")
    assert board.posts[-1] == (102, "Летописец", "[b]Итоги[/b] -> ход № 2 &#128512;\nВсё — «живы»")
    assert done.ids == (102,)
    client.edit("e", 102, "Исправлено")
    assert board.posts[-1][2] == "Исправлено"


@responses.activate
def test_phpbb2_lost_answer_is_found_in_the_topic() -> None:
    board = OldBoard()
    board.start()
    client = old_client()
    client.login()
    board.lose_answers = 1
    assert client.reply("k", 7, "Итоги хода 1").ids == (102,)
    assert len(board.posts) == 2


@responses.activate
def test_phpbb2_topic_is_recognised_by_its_address() -> None:
    OldBoard().start()
    engine, topic = read_url(f"{ROOT}viewtopic.php?t=7", transport=Transport(manners=Manners(pause=0), clock=ManualClock(START)))
    assert (engine, len(topic.posts)) == ("phpbb2", 1)


def test_what_a_board_cannot_hold_never_becomes_a_question_mark() -> None:
    text = "Ход № 1 — «всё» ё € → ≤ ½ 😀 漢 \u2011\u200b"
    fitted = fit(text, "windows-1251")
    assert "?" not in fitted
    fitted.encode("windows-1251")
    assert fitted == "Ход № 1 — «всё» ё € -> <= 1/2 &#128512; &#28450; -"
    assert fit(text, "utf-8") == text


IPB = """<html><body><h1 class="ipsType_pageTitle">Партия №2</h1><div data-role="commentFeed">
<article id="elComment_501" class="ipsComment"><h3 class="cAuthorPane_author">
<a href="http://f.example/profile/12-ivan/">Иван</a></h3>
<time datetime="2026-05-01T09:00:00Z">1 мая</time>
<div data-role="commentContent"><blockquote class="ipsQuote"><p>чужое</p></blockquote>
<p>Приказ: <s>стою</s> иду</p></div></article>
</div><li class="ipsPagination_next"><a rel="next" href="/topic/77-x/page/2/">Следующая</a></li></body></html>"""
RUSFF = """<html><body id="pun-viewtopic"><div id="pun-main"><h1><span>Партия №3</span></h1>
<div class="post" id="p31" data-posted="1777626000" data-user-id="5">
<h3><span><strong>2</strong></span></h3>
<div class="post-author"><ul><li class="pa-author"><span>Автор:</span> <a href="/profile.php?id=5">Мария</a></li></ul></div>
<div class="post-content">
<div class="quote-box answer-box"><cite>Иван написал(а):</cite><blockquote><p>чужое</p></blockquote></div>
<p>Мой приказ</p><p class="lastedit">Отредактировано Мария (2026-05-01 13:00:00)</p></div></div></div></body></html>"""


@responses.activate
def test_ipb_is_read_by_its_profile_over_all_pages() -> None:
    responses.get("http://f.example/topic/77-x/", IPB)
    second = IPB.replace("501", "502").replace("Приказ", "Второй").replace("ipsPagination_next", "ipsPagination_none")
    responses.get("http://f.example/topic/77-x/page/2/", second)
    quick = Transport(manners=Manners(pause=0), clock=ManualClock(START))
    engine, topic = read_url("http://f.example/topic/77-x/", transport=quick)
    data = to_json(engine, topic)
    assert (data["engine"], data["topic"]["id"], data["topic"]["title"]) == ("ipb", 77, "Партия №2")
    assert [(post["id"], post["author"], post["author_id"]) for post in data["posts"]] == [(501, "Иван", 12), (502, "Иван", 12)]
    assert data["posts"][0]["time"] == "2026-05-01T09:00:00Z"
    assert data["posts"][0]["text"].startswith("Приказ:")
    assert "чужое" not in data["posts"][0]["text"]
    assert data["posts"][0]["quotes"][0]["text"] == "чужое"


def test_rusff_saved_page_is_read_by_its_profile(tmp_path: Path) -> None:
    saved = tmp_path / "тема.html"
    saved.write_text(RUSFF, "utf-8")
    engine, topic = read_files([saved])
    post = topic.posts[0]
    assert (engine, topic.title, post.id, post.author, post.author_id) == ("mybb_ru", "Партия №3", 31, "Мария", 5)
    assert post.time == datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
    assert post.edited is not None
    assert (post.edited.by, post.edited.time) == ("Мария", datetime(2026, 5, 1, 10, 0, tzinfo=UTC))
    assert own_text(post) == "Мой приказ"
    assert post.quotes[0].text == "чужое"


def test_a_wrong_profile_says_which_key(tmp_path: Path) -> None:
    wrong = tmp_path / "мой.toml"
    wrong.write_text('name = "x"\n[topic]\ntitle = "h1"\n[post]\nselect = ".p"\nbody = ".b"\n', "utf-8")
    with pytest.raises(errors.BadProfile, match=r"post\.id"):
        load_profile(wrong)
    with pytest.raises(errors.UnknownEngine, match="mybb_ru"):
        chosen_engine("vbulletin")


def test_engines_are_told_apart() -> None:
    found = engine_of(Document(IPB))
    assert isinstance(found, Profile)
    assert found.name == "ipb"
    assert engine_of(Document("<html><body><h1>Новости</h1></body></html>")) is None


def test_check_shows_post_by_post_what_a_profile_extracts(tmp_path: Path) -> None:
    saved = tmp_path / "тема.html"
    saved.write_text(RUSFF, "utf-8")
    lines = [str(line) for line in extraction(str(saved))]
    assert lines[0] == "✓ движок: mybb_ru"
    assert "✓ №31 · Мария [5] · 2026-05-01 09:00:00 UTC" in lines
    assert "✓     правок 1, последняя: Мария, 2026-05-01 10:00:00 UTC" in lines
    assert "✓     цитаты (не его слова): Иван" in lines
    assert "✓     Мой приказ" in lines


def test_check_names_the_key_of_a_profile_that_finds_nothing(tmp_path: Path) -> None:
    saved = tmp_path / "тема.html"
    saved.write_text(RUSFF, "utf-8")
    profile = tmp_path / "мой.toml"
    profile.write_text(
        'name = "x"\n[topic]\ntitle = "h1"\n[post]\nselect = ".post"\nbody = ".post-content"\n'
        'id = { attribute = "id", match = "p(\\\\d+)" }\nauthor = { select = ".автор" }\n'
        'time = { select = ".post-author" }\n',
        "utf-8",
    )
    lines = [line for line in extraction(str(saved), str(profile)) if not line.good]
    assert [str(line) for line in lines][:2] == [
        "✗ сообщение 1 по порядку: post.author ничего не нашёл: внутри нет «.автор»",
        "✗ сообщение 1 по порядку: post.time нашёл «Автор: Мария», но это не дата",
    ]
    assert "post.time" in lines[2].text
