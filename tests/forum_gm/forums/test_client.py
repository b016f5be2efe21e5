"""The phpBB client against the embedded board over real HTTP."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from forum_gm.demo.board import Fault, FaultKind
from forum_gm.demo.board.model import Poll
from forum_gm.forums import errors
from forum_gm.forums.base import Upload, Visibility
from forum_gm.forums.document import Document
from forum_gm.forums.journal import MemoryJournal
from forum_gm.forums.opening import own_text, read_url, to_json
from forum_gm.forums.phpbb3 import PhpBB3
from forum_gm.forums.sources import split_source
from forum_gm.forums.transport import Manners, Transport
from parsers.bbcode import from_bbcode
from parsers.html import from_html

sys.path.insert(0, str(Path(__file__).parent))
from rehearsal import PASSWORD, Rehearsal, rehearsal


@pytest.fixture
def stage() -> Iterator[Rehearsal]:
    with rehearsal() as made:
        yield made


def bot(stage: Rehearsal, journal: MemoryJournal | None = None) -> PhpBB3:
    client = stage.client(journal=journal)
    client.login()
    stage.clock.sleep(60)
    return client


def long_topic(stage: Rehearsal, count: int) -> None:
    for number in range(count):
        stage.clock.sleep(60)
        stage.world.post(stage.buyny if number % 2 else stage.tihiy, stage.topic, f"Приказ {number}")


# -- reading --------------------------------------------------------------------------------------------------------------


def test_guest_reads_every_page_once(stage: Rehearsal) -> None:
    long_topic(stage, 31)
    topic = stage.client("").read_topic(stage.topic)
    assert len(topic.posts) == 35
    assert (topic.total, topic.missing, topic.requests, topic.complete) == (35, 0, 4, True)
    assert [post.id for post in topic.posts] == sorted(post.id for post in topic.posts)
    assert topic.posts[1].time == stage.world.entries[topic.posts[1].id].time
    assert topic.posts[2].author == "Тихий & Ко <3"


def test_a_poll_with_nothing_new_costs_one_request(stage: Rehearsal) -> None:
    long_topic(stage, 31)
    client = stage.client("")
    last = client.read_topic(stage.topic).last_id
    again = client.read_topic(stage.topic, after=last)
    assert (again.posts, again.requests) == ((), 1)
    long_topic(stage, 12)
    new = client.read_topic(stage.topic, after=last)
    assert len(new.posts) == 12
    assert new.requests <= 3


def test_the_accounts_own_order_of_posts_does_not_matter(stage: Rehearsal) -> None:
    long_topic(stage, 12)
    stage.world.users[stage.bot].newest_first = True
    topic = bot(stage).read_topic(stage.topic)
    assert [post.id for post in topic.posts] == sorted(post.id for post in topic.posts)
    assert len(topic.posts) == 16


def test_the_boards_paging_trap_loses_no_post(stage: Rehearsal) -> None:
    long_topic(stage, 30)
    stage.world.post(stage.bot, stage.topic, "Моё, ждёт одобрения", approved=False)
    long_topic(stage, 17)
    client = bot(stage)
    topic = client.read_topic(stage.topic)
    assert topic.missing == 0
    assert len([post for post in topic.posts if post.visibility is Visibility.APPROVED]) == 51


def test_a_new_template_is_an_error_and_never_no_new_posts(stage: Rehearsal) -> None:
    stage.world.faults.add(Fault(FaultKind.NEW_LOOK, "read"))
    with pytest.raises(errors.NotATopic, match="сменилось оформление"):
        stage.client("").read_topic(stage.topic, after=99)


DERIVED = {
    "renamed wrappers": [
        ("action-bar", "toolbar"),
        ("postprofile", "poster"),
        ("topic-title", "t"),
        ('class="inner"', 'class="box"'),
    ],
    "other tags": [('<div id="p', '<article id="p'), ("</div></div></div></div>\n", "</div></div></div></article>\n")],
    "no author paragraph": [('<p class="author">', '<div class="author">'), ("</time></p>", "</time></div>")],
    "other title": [('<h2 class="topic-title">', '<h2 class="first">')],
}


@pytest.mark.parametrize("changes", DERIVED.values(), ids=DERIVED)
def test_styles_made_from_prosilver_are_read_alike(stage: Rehearsal, changes: list[tuple[str, str]]) -> None:
    client = stage.client("")
    page = client.transport.get(client.topic_address(stage.topic))
    plain = client.parse(page, Document(page.text))
    html = page.text
    for old, new in changes:
        assert old in html, old
        html = html.replace(old, new)
    derived = client.parse(page, Document(html))
    assert (derived.title, derived.topic_id, derived.posts) == (plain.title, plain.topic_id, plain.posts)


def test_a_board_that_stays_down_is_left_alone(stage: Rehearsal) -> None:
    stage.world.faults.add(Fault(FaultKind.GATEWAY_BEFORE, "any", -1))
    client = stage.client("")
    before = len(stage.server.site.log)
    for _ in range(20):
        with pytest.raises((errors.Unreachable, errors.CircuitOpen)):
            client.read_topic(stage.topic)
    assert len(stage.server.site.log) - before == client.transport.manners.failures_allowed
    stage.world.faults.clear()
    with pytest.raises(errors.CircuitOpen, match=r"проверьте его в браузере\. Следующая попытка — через \d+ мин"):
        client.read_topic(stage.topic)
    stage.clock.sleep(client.transport.manners.rest + 1)
    assert len(client.read_topic(stage.topic).posts) == 4


def test_what_moderators_see_is_marked(stage: Rehearsal) -> None:
    waiting = stage.world.post(stage.buyny, stage.topic, "Жду", approved=False)
    gone = stage.world.post(stage.buyny, stage.topic, "Дубль")
    stage.world.delete(stage.gm, gone, reason="дубль", soft=True)
    gm = stage.client("Ведущий")
    gm.login()
    posts = {post.id: post for post in gm.read_topic(stage.topic).posts}
    assert posts[waiting].visibility is Visibility.UNAPPROVED
    assert (posts[gone].visibility, posts[gone].delete_reason) == (Visibility.DELETED, "дубль")
    assert posts[gone].author_id == stage.buyny
    assert {waiting, gone}.isdisjoint(post.id for post in stage.client("").read_topic(stage.topic).posts)


def test_edits_quotes_files_and_poll_come_along(stage: Rehearsal) -> None:
    quoting = stage.world.post(
        stage.buyny,
        stage.topic,
        '[quote="Тихий & Ко <3" post_id=3 time=1777626000 user_id=5]\nСтою.\n[/quote]\n\nА я нет.',
        files=[("план боя.png", b"\x89PNG", "мой план")],
    )
    stage.clock.sleep(60)
    stage.world.post(stage.tihiy, stage.topic, "Хм.")
    stage.world.edit(stage.buyny, quoting, stage.world.entries[quoting].text + " Совсем.")
    stage.world.threads[stage.topic].poll = Poll("Когда ход?", ["В субботу", "В воскресенье"], {stage.gm: 1})
    topic = stage.client("").read_topic(stage.topic)
    post = next(p for p in topic.posts if p.id == quoting)
    assert post.edited is not None
    assert (post.edited.count, post.edited.by_id) == (1, stage.buyny)
    assert [(q.author, q.author_id, q.post_id, q.text) for q in post.quotes] == [("Тихий & Ко <3", stage.tihiy, 3, "Стою.")]
    assert [(f.name, f.comment) for f in post.attachments] == [("план боя.png", "мой план")]
    assert own_text(post) == "А я нет. Совсем."
    assert topic.poll is not None
    assert [(o.text, o.votes) for o in topic.poll.options] == [("В субботу", 0), ("В воскресенье", 1)]


ORDERS = [
    "1. Атакую [b]000[/b].\n2. [s]Стою[/s] Иду.",
    "[list][*]раз[*]два[list=1][*]вложенный[/list][*]три[/list]\nпосле",
    "[code]А Вена - Тироль\n  Ф Триест[/code]\nПосле кода.",
    "[spoiler=Приказ]Скрытый приказ[/spoiler]\nи открытый",
    "Смайлик :) и ссылка https://example.org/a?b=1&c=2 конец",
    "[table][tr][th]Отряд[/th][th]Сила[/th][/tr][tr][td]пехота[/td][td]5[/td][/tr][/table]",
    "[color=#ff0000]красный[/color] [size=150]крупный[/size] [i]курсив[/i] [u]черта[/u]",
    'Знаки: <script>alert(1)</script> & "кавычки" [b] без пары, [неведомый]тег[/неведомый]',
]


@pytest.mark.parametrize("source", ORDERS)
def test_source_and_page_give_the_same_order_text(stage: Rehearsal, source: str) -> None:
    post_id = stage.world.post(stage.buyny, stage.topic, source)
    client = bot(stage)
    assert client.read_source(post_id) == source
    shown = next(p for p in client.read_topic(stage.topic).posts if p.id == post_id)

    def lines(text: str) -> list[str]:
        return [" ".join(line.split()) for line in text.split("\n") if line.strip()]

    assert lines(from_html(shown.html).text) == lines(from_bbcode(source).text)


def test_hidden_places_say_what_is_missing(stage: Rehearsal) -> None:
    room = stage.world.room("Штаб", members=[stage.buyny])
    hidden = stage.world.topic(stage.buyny, "Тайный приказ", "Тихо.", room=room)
    with pytest.raises(errors.LoginNeeded):
        stage.client("").read_topic(hidden)
    with pytest.raises(errors.Forbidden):
        bot(stage).read_topic(hidden)
    with pytest.raises(errors.NotFound):
        stage.client("").read_topic(999)


def test_a_topic_address_is_enough(stage: Rehearsal) -> None:
    long_topic(stage, 8)
    quick = Transport(manners=Manners(pause=0), clock=stage.clock)
    engine, topic = read_url(f"{stage.server.url}viewtopic.php?p=5#p5", transport=quick)
    data = to_json(engine, topic)
    assert (data["engine"], data["topic"]["id"], len(data["posts"])) == ("phpbb3", stage.topic, 12)
    assert data["posts"][0]["time"] == "2026-05-01T09:00:00Z"


# -- writing --------------------------------------------------------------------------------------------------------------


def test_a_files_place_in_the_text_is_found(stage: Rehearsal) -> None:
    client = bot(stage)
    text = "Карта: [attachment]map.png[/attachment] и письмо [attachment]a.txt[/attachment]"
    done = client.reply("k", stage.topic, text, uploads=[Upload("map.png", b"\x89PNG", "после хода"), Upload("a.txt", b"x")])
    entry = stage.world.entries[done.id]
    assert entry.text == "Карта: [attachment=1]map.png[/attachment] и письмо [attachment=0]a.txt[/attachment]"
    names = [stage.world.files[number].name for number in entry.files]
    assert names == ["a.txt", "map.png"]
    client.edit("e", done.id, "Новый текст, [attachment]map.png[/attachment]", uploads=[Upload("b.txt", b"y")])
    assert stage.world.entries[done.id].text == "Новый текст, [attachment=2]map.png[/attachment]"
    assert len(stage.world.entries[done.id].files) == 3


def test_a_long_text_becomes_numbered_posts_and_a_second_run_adds_none(stage: Rehearsal) -> None:
    stage.world.settings.max_chars = 1500
    journal = MemoryJournal()
    client = bot(stage, journal)
    text = "\n\n".join(f"[b]Глава {n}[/b]\n" + "Слово за слово. " * 20 for n in range(12))
    done = client.reply("k", stage.topic, text)
    posts = [stage.world.entries[number].text for number in done.ids]
    assert len(posts) > 2
    assert all(len(post) <= 1500 for post in posts)
    assert [post.split("\n")[0] for post in posts] == [f"({n}/{len(posts)})" for n in range(1, len(posts) + 1)]
    assert bot_again(stage, journal).reply("k", stage.topic, text).ids == done.ids
    assert len(stage.mine()) == 1 + len(posts)


def bot_again(stage: Rehearsal, journal: MemoryJournal) -> PhpBB3:
    stage.clock.sleep(120)
    return stage.client(journal=journal)


def test_messages_reach_several_by_name_and_are_read_with_source(stage: Rehearsal) -> None:
    client = bot(stage)
    done = client.send_message("m", ["Тихий & Ко <3", "буйный"], "Понял так: «ход 1» & всё", "Ваш приказ:\n[b]стою[/b]")
    letter = stage.world.letters[done.id]
    assert set(letter.to) == {stage.tihiy, stage.buyny}
    stage.world.message(stage.buyny, stage.bot, "[b]Приказ[/b] <тайный>", "Ход & 2")
    found = client.messages("inbox")
    assert [(m.subject, m.bbcode, m.sender_id, m.unread) for m in found] == [
        ("Ход & 2", "[b]Приказ[/b] <тайный>", stage.buyny, True)
    ]
    read = client.read_message(found[0].id or 0)
    assert (read.sender, read.subject) == ("Буйный", "Ход & 2")
    assert stage.world.letters[found[0].id or 0].unread == set()
    with pytest.raises(errors.NoSuchUser, match="Никто"):
        client.send_message("m2", ["Буйный", "Никто"], "а", "б")
    assert len(stage.world.letters) == 2


def test_a_key_is_for_one_content(stage: Rehearsal) -> None:
    journal = MemoryJournal()
    client = bot(stage, journal)
    client.reply("k", stage.topic, "Раз")
    with pytest.raises(ValueError, match="another content"):
        client.reply("k", stage.topic, "Два")


def test_somebody_elses_edit_is_not_overwritten_unseen(stage: Rehearsal) -> None:
    client = bot(stage)
    post = stage.mine()[0]
    job_edit = client.transport.post
    calls = {"n": 0}

    def crossing(url: str, fields: object, files: object = ()) -> object:
        calls["n"] += 1
        if calls["n"] == 1:
            stage.world.edit(stage.gm, post, "Мастер поправил")
        return job_edit(url, fields, files)  # type: ignore[arg-type]

    client.transport.post = crossing  # type: ignore[assignment,method-assign]
    with pytest.raises(errors.EditConflict):
        client.edit("e", post, "Приказы на ход 1: пришли двое.")
    assert stage.world.entries[post].text == "Мастер поправил"


def test_an_edit_that_must_be_approved_is_known_to_wait(stage: Rehearsal) -> None:
    stage.world.users[stage.bot].newcomer = True
    post = stage.mine()[0]
    done = bot(stage).edit("e", post, "Пришли двое.")
    assert (done.ids, done.awaiting_approval) == ((post,), True)
    assert (stage.world.entries[post].text, stage.world.entries[post].approved) == ("Пришли двое.", False)


def test_the_gm_settles_what_nothing_can_tell(stage: Rehearsal) -> None:
    journal = MemoryJournal()
    client = bot(stage, journal)
    stage.world.faults.add(Fault(FaultKind.CUT_BEFORE, "message"))
    with pytest.raises(errors.Undecided, match="Понял"):
        client.send_message("m", ["Буйный"], "Понял", "так")
    with pytest.raises(errors.Undecided):
        client.send_message("m", ["Буйный"], "Понял", "так")
    assert not stage.world.letters
    client.settle("m", again=True)
    assert client.send_message("m", ["Буйный"], "Понял", "так").ids == (1,)
    assert len(stage.world.letters) == 1


def test_lock_and_pin(stage: Rehearsal) -> None:
    gm = stage.client("Ведущий")
    gm.login()
    gm.set_locked("l", stage.topic, True)
    gm.set_pinned("p", stage.topic, True)
    thread = stage.world.threads[stage.topic]
    assert (thread.locked, thread.pinned) == (True, True)
    stage.clock.sleep(90)
    with pytest.raises(errors.TopicLocked):
        bot(stage).reply("k", stage.topic, "Поздно")


def test_flood_interval_is_waited_for_and_shared_with_messages(stage: Rehearsal) -> None:
    client = bot(stage)
    client.reply("a", stage.topic, "Раз")
    client.send_message("b", ["Буйный"], "Два", "Два")
    client.reply("c", stage.topic, "Три")
    times = [e.time for e in stage.world.entries.values() if e.author == stage.bot][1:]
    assert (times[1] - times[0]).total_seconds() >= 2 * stage.world.settings.flood


# -- login ----------------------------------------------------------------------------------------------------------------


def test_wrong_password_is_tried_once(stage: Rehearsal) -> None:
    client = PhpBB3(stage.server.url, user="Летописец", password="нет", transport=stage.transport())
    with pytest.raises(errors.LoginFailed, match="пароль"):
        client.login()
    assert stage.world.users[stage.bot].wrong_passwords == 1
    with pytest.raises(errors.LoginTooSoon):
        client.login()
    assert stage.world.users[stage.bot].wrong_passwords == 1


def test_captcha_ends_all_attempts(stage: Rehearsal, tmp_path: Path) -> None:
    stage.world.users[stage.bot].wrong_passwords = 3
    client = stage.client(cookie_file=tmp_path / "c")
    with pytest.raises(errors.LoginCaptcha):
        client.login()
    before = len(stage.server.site.log)
    stage.clock.sleep(3600)
    with pytest.raises(errors.LoginCaptcha):
        stage.client(cookie_file=tmp_path / "c").login()
    assert len(stage.server.site.log) == before


def test_a_session_survives_the_process(stage: Rehearsal, tmp_path: Path) -> None:
    stage.client(cookie_file=tmp_path / "c").login()
    again = stage.client(cookie_file=tmp_path / "c")
    again.login()
    assert again.user_id == stage.bot
    assert sum(1 for method, _, op in stage.server.site.log if op == "login" and method == "POST") == 1


def test_where_posts_appear_at_once_is_known_to_the_next_process(stage: Rehearsal, tmp_path: Path) -> None:
    client = stage.client(cookie_file=tmp_path / "c")
    client.login()
    stage.clock.sleep(120)
    assert not client.known_open("f1")
    client.reply("k", stage.topic, "Ход 1 открыт")
    assert stage.client(cookie_file=tmp_path / "c").known_open("f1")
    assert not stage.client("Буйный", cookie_file=tmp_path / "c").known_open("f1")
    assert not stage.client(cookie_file=tmp_path / "other").known_open("f1")


def test_a_remembered_login_outlives_the_boards_sessions(stage: Rehearsal, tmp_path: Path) -> None:
    stage.client(cookie_file=tmp_path / "c").login()
    stage.server.site.visits.clear()
    again = stage.client(cookie_file=tmp_path / "c")
    again.login()
    again.reply("k", stage.topic, "Я всё ещё здесь")
    assert sum(1 for method, _, op in stage.server.site.log if op == "login" and method == "POST") == 1


# -- secrets --------------------------------------------------------------------------------------------------------------


def test_no_password_cookie_or_session_id_in_any_log(stage: Rehearsal, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        client = stage.client(cookie_file=tmp_path / "c")
        client.login()
        client.read_topic(stage.topic)
        stage.world.faults.add(Fault(FaultKind.GATEWAY_AFTER, "reply"), Fault(FaultKind.LOGIN, "message"))
        client.reply("k", stage.topic, "Текст", uploads=[Upload("a.txt", b"x")])
        stage.clock.sleep(120)
        client.send_message("m", ["Буйный"], "Тема", "Текст")
        text = "\n".join(record.getMessage() for record in caplog.records)
    secrets = [
        PASSWORD,
        *stage.server.site.visits,
        *(c.value or "" for c in client.transport._session.cookies if not c.name.endswith("_u")),
    ]
    assert len(secrets) >= 3
    assert [secret for secret in secrets if secret and secret in text] == []
    assert "sid=" not in text.replace("sid=…", "")


# -- splitting ------------------------------------------------------------------------------------------------------------


def test_a_split_closes_and_reopens_tags_and_keeps_every_word() -> None:
    text = "[spoiler=Бой]" + "\n".join(f"Раунд {n}: [b]удар[/b] и ещё слова." for n in range(60)) + "[/spoiler]\nИтог."
    parts = split_source(text, 600)
    assert all(len(part) <= 600 for part in parts)
    for part in parts:
        assert part.count("[spoiler=Бой]") == part.count("[/spoiler]")
        assert part.count("[b]") == part.count("[/b]")
    words = " ".join(part.split("\n\n", 1)[1] for part in parts).replace("[/spoiler]", " ").replace("[spoiler=Бой]", " ").split()
    assert words == text.replace("[/spoiler]", " ").replace("[spoiler=Бой]", " ").split()


def test_a_short_text_is_left_alone() -> None:
    assert split_source("  Привет\r\nмир ", 500) == ["Привет\nмир"]
