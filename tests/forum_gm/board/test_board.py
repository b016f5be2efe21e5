"""The embedded board to a client and to a person: forms as strict as phpBB's, BBCode, a saved topic."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from forum_gm.demo.board import BoardSettings, Fault, FaultKind, World
from forum_gm.demo.board.bbcode import Scene, render
from forum_gm.demo.board.http import Request, Response
from forum_gm.demo.board.site import Site
from forum_gm.demo.board.views import date_text, plural
from forum_gm.forums.clock import ManualClock
from forum_gm.forums.forms import Form, form_with
from forum_gm.forums.markup import soup_of, text_of
from forum_gm.forums.opening import own_text, read_files

START = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
SCENE = Scene(lambda user, name: f"<a>{name}</a>", lambda post: f"#p{post}", {})


class Browser:
    """Somebody at the board, without HTTP."""

    def __init__(self, site: Site, user: int = 1) -> None:
        self.site = site
        self.cookies: dict[str, str] = {}
        self.get("index.php")
        self.site.visits[self.cookies["phpbb3_board_sid"]].user = user

    def _keep(self, response: Response) -> Response:
        for name, value in response.headers:
            if name == "Set-Cookie":
                key, _, rest = value.partition("=")
                self.cookies[key] = rest.split(";")[0]
        return response

    def get(self, address: str) -> Response:
        path, _, query = address.partition("?")
        pairs = dict(part.split("=", 1) for part in query.split("&") if part)
        return self._keep(self.site.handle(Request("GET", path, pairs, cookies=self.cookies)))

    def form(self, address: str, *names: str) -> Form:
        body = self.get(address).body
        assert isinstance(body, str)
        form = form_with(soup_of(body), "http://b/", *names)
        assert form is not None
        return form

    def press(self, form: Form, button: str) -> Response:
        path, _, query = form.action.removeprefix("http://b/").partition("?")
        pairs = dict(part.split("=", 1) for part in query.split("&"))
        return self._keep(self.site.handle(Request("POST", path, pairs, tuple(form.pressed(button)), cookies=self.cookies)))


@pytest.fixture
def world() -> World:
    made = World(BoardSettings(), ManualClock(START))
    made.account("Ведущий", "x", moderator=True)
    made.account("Буйный", "x")
    made.account("Тихий", "x")
    made.topic(2, "Тема", "Начало")
    return made


def errors_of(response: Response) -> str:
    assert isinstance(response.body, str)
    return " ".join(text_of(tag) for tag in soup_of(response.body).select(".error"))


def wait(world: World, seconds: float) -> None:
    world.clock.sleep(seconds)


def test_a_form_sent_in_the_same_second_is_refused_and_stores_nothing(world: World) -> None:
    player = Browser(Site(world), 3)
    form = player.form("posting.php?mode=reply&t=1", "message").having(message="Приказ")
    assert "Ошибка отправки формы" in errors_of(player.press(form, "post"))
    wait(world, 1)
    assert player.press(form, "post").status == 302
    assert len(world.entries) == 2


def test_an_old_form_expires(world: World) -> None:
    player = Browser(Site(world), 3)
    form = player.form("posting.php?mode=reply&t=1", "message").having(message="Приказ")
    wait(world, 7201)
    assert "Ошибка отправки формы" in errors_of(player.press(form, "post"))


def test_the_same_form_twice_is_stored_once_where_review_is_on(world: World) -> None:
    player = Browser(Site(world), 3)
    form = player.form("posting.php?mode=reply&t=1", "message").having(message="Приказ")
    wait(world, 20)
    assert player.press(form, "post").status == 302
    wait(world, 20)
    again = player.press(form, "post")
    assert (again.status, "ppr2" in str(again.body)) == (200, True)
    world.settings.review = False
    assert player.press(form, "post").status == 302
    assert len(world.entries) == 3


def test_flood_interval_is_shared_with_messages_and_spares_edits(world: World) -> None:
    player = Browser(Site(world), 3)
    form = player.form("posting.php?mode=reply&t=1", "message").having(message="Приказ")
    wait(world, 2)
    player.press(form, "post")
    letter = player.form("ucp.php?i=pm&mode=compose&u=2", "message").having(subject="А", message="Б")
    edit = player.form("posting.php?mode=edit&p=2", "message").having(message="Иначе")
    wait(world, 2)
    assert "сразу после предыдущего" in errors_of(player.press(letter, "post"))
    assert player.press(edit, "post").status == 302
    wait(world, 15)
    assert "mode=view&amp;p=1" in str(player.press(letter, "post").body)


def test_names_in_the_box_are_resolved_and_never_sent(world: World) -> None:
    player = Browser(Site(world), 3)
    form = player.form("ucp.php?i=pm&mode=compose", "message").having(subject="А", message="Б", username_list="тихий")
    wait(world, 2)
    answer = player.press(form, "post")
    assert 'name="address_list[u][4]" value="to"' in str(answer.body)
    assert world.letters == {}


def test_edit_notice_only_when_somebody_posted_after(world: World) -> None:
    world.post(3, 1, "Раз")
    world.edit(3, 2, "Раз, исправлено")
    assert world.entries[2].edit is None
    world.post(4, 1, "Два")
    world.edit(3, 2, "Раз, ещё исправлено")
    mark = world.entries[2].edit
    assert mark is not None
    assert (mark.count, mark.by) == (1, 3)


def test_first_visit_carries_the_session_in_links_and_the_second_does_not(world: World) -> None:
    site = Site(world)
    browser = Browser.__new__(Browser)
    browser.site, browser.cookies = site, {}
    assert "viewtopic.php?t=1&amp;sid=" in str(browser.get("index.php").body)
    assert "viewtopic.php?t=1&amp;sid=" not in str(browser.get("index.php").body)


def test_status_codes_are_phpbbs(world: World) -> None:
    hidden = world.topic(2, "Тайна", "Тсс", room=world.room("Штаб", members=[2]))
    guest, player = Browser(Site(world)), Browser(Site(world), 3)
    assert (guest.get(f"viewtopic.php?t={hidden}").status, player.get(f"viewtopic.php?t={hidden}").status) == (200, 403)
    assert player.get("viewtopic.php?t=99").status == 404
    world.threads[1].locked = True
    assert player.get("posting.php?mode=reply&t=1").status == 200


def test_late_store_happens_on_the_boards_clock(world: World) -> None:
    site = Site(world)
    player = Browser(site, 3)
    form = player.form("posting.php?mode=reply&t=1", "message").having(message="Поздно")
    wait(world, 2)
    world.faults.add(Fault(FaultKind.STORE_LATE, "reply", delay=30))
    assert player.press(form, "post").hang > 0
    player.get("index.php")
    assert len(world.entries) == 1
    wait(world, 31)
    player.get("index.php")
    assert [entry.text for entry in world.entries.values()] == ["Начало", "Поздно"]


def test_a_fault_from_the_command_line() -> None:
    fault = Fault.parse("502-after@reply*2")
    assert (fault.kind, fault.on, fault.times) == (FaultKind.GATEWAY_AFTER, "reply", 2)
    assert Fault.parse("flood").on == "write"
    with pytest.raises(ValueError, match="есть: timeout-before"):
        Fault.parse("пожар")
    with pytest.raises(ValueError, match="не знаю действия"):
        Fault.parse("flood@кухня")


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("[b]жирно[/b] и [b]нет", '<strong class="text-strong">жирно</strong> и [b]нет'),
        ("[b][i]крест[/b][/i]", '<strong class="text-strong">[i]крест</strong>[/i]'),
        ("<script>&", "&lt;script&gt;&amp;"),
        ("[list][*]раз[*]два[/list]", "<ul><li>раз</li><li>два</li></ul>"),
        ("[quote][list][*]а[/list][/quote]б", '<blockquote class="uncited"><div><ul><li>а</li></ul></div></blockquote>б'),
        ("[quote=Кто-то]да[/quote]", "<blockquote><div><cite>Кто-то писал(а):</cite>да</div></blockquote>"),
        ("[url=javascript:alert(1)]x[/url]", "[url=javascript:alert(1)]x[/url]"),
        ("[color=red;x:y]x[/color]", "[color=red;x:y]x[/color]"),
        ("[code][b]нет[/b][/code]", '<div class="codebox"><p>Код:</p><pre><code>[b]нет[/b]</code></pre></div>'),
        (":) a:)", '<img class="smilies" src="./smile/smile.svg" alt=":)"> a:)'),
        ('[img]http://e.org/a"onerror=x[/img]', '<img src="http://e.org/a&quot;onerror=x" class="postimage" alt="Изображение">'),
    ],
)
def test_bbcode(source: str, html: str) -> None:
    assert render(source, SCENE) == html


def test_dates_and_plurals(world: World) -> None:
    world.settings.relative_dates = True
    assert date_text(world, START - timedelta(minutes=5)) == "5 минут назад"
    assert date_text(world, START - timedelta(hours=2)) == "Сегодня, 10:00"
    assert date_text(world, START - timedelta(hours=20)) == "Вчера, 16:00"
    assert date_text(world, START, relative=False) == "01 май 2026, 12:00"
    assert [plural(n, "пост", "поста", "постов") for n in (1, 3, 11, 21, 25)] == [
        "1 пост",
        "3 поста",
        "11 постов",
        "21 пост",
        "25 постов",
    ]


def test_a_saved_topic_stands_alone_and_reads_back(world: World, tmp_path: Path) -> None:
    world.post(3, 1, "[b]Приказ[/b]\n[attachment=0]map.png[/attachment]", files=[("map.png", b"PNG", "")])
    first, second = tmp_path / "a" / "t.html", tmp_path / "b" / "t.html"
    written = world.export_topic(1, first)
    world.export_topic(1, second)
    assert first.read_bytes() == second.read_bytes()
    assert [path.name for path in written] == ["t.html", "1-map.png"]
    html = first.read_text("utf-8")
    assert ("http://" in html, "sid=" in html, 'src="t_files/1-map.png"' in html) == (False, False, True)
    engine, topic = read_files([first])
    assert (engine, topic.title, [post.author_id for post in topic.posts]) == ("phpbb3", "Тема", [2, 3])
    assert own_text(topic.posts[1]) == "Приказ"
    assert topic.posts[1].time == START
