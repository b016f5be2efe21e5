"""Pages recorded on real boards: exactly the posts, authors, times, edits, quotes and refusals their database knows."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from forum_gm.forums import errors
from forum_gm.forums.base import Visibility
from forum_gm.forums.document import Document
from forum_gm.forums.opening import own_text, parse_page, read_files, to_json
from forum_gm.forums.topicpage import Context, TopicPage
from parsers.bbcode import from_bbcode
from parsers.html import from_html
from parsers.text import Mark

RECORDINGS = Path(__file__).resolve().parents[4] / "shared" / "phpbb"
CAPTURES = RECORDINGS / "captures"
pytestmark = pytest.mark.skipif(not CAPTURES.exists(), reason="no recorded pages beside the project (../shared/phpbb)")
NOW = datetime(2026, 11, 30, 2, 20, tzinfo=UTC)
HIDDEN_ROW = ("legacy_31_subsilver2_viewtopic_page3_gm_softdeleted.html", 22)
"""subsilver2 shows moderators of a deleted post its author and reason only."""


@cache
def expected() -> Any:
    return json.loads((RECORDINGS / "expected.json").read_text("utf-8"))


def names() -> list[str]:
    return sorted(expected()["pages"]) if CAPTURES.exists() else []


@cache
def page_of(name: str) -> TopicPage:
    topic = expected()["pages"].get(name, {}).get("topic", 0)
    return parse_page(
        Document((CAPTURES / name).read_text("utf-8")), Context(f"http://127.0.0.1:8088/viewtopic.php?t={topic}", NOW)
    )


@pytest.mark.parametrize("name", names())
def test_page_yields_what_the_database_holds(name: str) -> None:
    page, wanted = page_of(name), expected()["pages"][name]
    assert [post.id for post in page.posts] == wanted["posts"]
    assert page.topic_id == wanted["topic"]
    assert page.title == expected()["topics"][str(wanted["topic"])]["title"]
    for post in page.posts:
        truth = expected()["posts"][str(post.id)]
        assert post.author == truth["author"]
        if "search_engine_bot_ua" not in name:  # robots are shown names without links
            assert post.author_id == truth["author_id"]
        if (name, post.id) == HIDDEN_ROW:
            assert (post.visibility, post.delete_reason, post.time_step) == (Visibility.DELETED, "дубль", 0)
            continue
        late = datetime.fromisoformat(truth["time"]) - post.time
        assert timedelta(0) <= late < timedelta(seconds=post.time_step)
        assert post.subject == truth["subject"]
        if not name.startswith("legacy_30"):  # 3.0 knows no soft deletion
            assert post.visibility.value == truth["visibility"]
        assert bool(post.attachments) == truth["attachments"]
        edited = truth["edited"]
        assert (post.edited is None) == (edited is None)
        if post.edited is not None:
            assert (post.edited.count, post.edited.by, post.edited.by_id) == (edited["count"], edited["by"], edited["by_id"])
            assert post.edited.reason == edited["reason"]
            assert post.edited.time is not None
            assert timedelta(0) <= datetime.fromisoformat(edited["time"]) - post.edited.time < timedelta(seconds=60)


def comparable(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.split("\n") if line.strip())


SOURCES_DIFFER = {
    9: "the board has custom tags that only it can render",
    14: "an unclosed tag is closed by the board, blanks are run together",
    26: "BBCode is switched off in this post, which its source doesn't tell",
}


def test_html_and_source_give_the_same_order_text() -> None:
    checked = 0
    for name in names():
        if "20x" in name or "hilit" in name:
            continue
        for post in page_of(name).posts:
            if post.id in SOURCES_DIFFER or (name, post.id) == HIDDEN_ROW:
                continue
            source = from_bbcode(expected()["posts"][str(post.id)]["bbcode"])
            shown = from_html(post.html)
            own_source = strip_quotes(source.text, [m for m in source.marks if m.mark is Mark.QUOTE])
            own_shown = strip_quotes(shown.text, [m for m in shown.marks if m.mark is Mark.QUOTE])
            if "[quote" in own_source:
                continue  # a quoted name in brackets
            assert comparable(own_shown) == comparable(own_source), (name, post.id)
            assert comparable(own_text(post)) == comparable(own_source), (name, post.id)
            checked += 1
    assert checked > 400


def strip_quotes(text: str, marks: list[Any]) -> str:
    kept = list(text)
    for mark in marks:
        kept[mark.span.start : mark.span.end] = "\n" * (mark.span.end - mark.span.start)
    return "".join(kept)


def test_quotes_nest_and_keep_their_authors() -> None:
    post = next(p for p in page_of("viewtopic_page1_bot.html").posts if p.id == 7)
    chain, quotes = [], post.quotes
    while quotes:
        assert len(quotes) == 1
        chain.append((quotes[0].author, quotes[0].author_id, quotes[0].post_id))
        quotes = quotes[0].quotes
    assert chain == [("Игрок4", 62, 6), ("Игрок3", 61, 5), ("Игрок1", 59, 3)]
    assert own_text(post) == "И ещё уровень."
    loose = next(p for p in page_of("viewtopic_page1_bot.html").posts if p.id == 8)
    assert [quote.author for quote in loose.quotes] == ["", "Кто-то Неизвестный", "Автор в кавычках"]


def test_poll_is_read() -> None:
    poll = page_of("viewtopic_poll_voted.html").poll
    assert poll is not None
    assert poll.question == "Когда следующий ход?"
    assert [option.text for option in poll.options] == ["Суббота", "Воскресенье", "Понедельник «вечером»"]
    assert sum(option.votes or 0 for option in poll.options) >= 3


REFUSALS: dict[str, type[errors.ForumError]] = {
    "error_topic_not_found.html": errors.NotFound,
    "error_topic_hard_deleted.html": errors.NotFound,
    "error_unapproved_post_other.html": errors.NotFound,
    "error_post_not_found.html": errors.NotFound,
    "viewtopic_merged_away.html": errors.NotFound,
    "viewtopic_shadow_topic.html": errors.NotFound,
    "error_hidden_topic_player.html": errors.Forbidden,
    "error_listonly_topic_bot.html": errors.Forbidden,
    "error_hidden_topic_guest.html": errors.LoginNeeded,
    "error_listonly_topic_guest.html": errors.LoginNeeded,
    "error_board_disabled.html": errors.Maintenance,
    "legacy_30_prosilver_error_topic_not_found.html": errors.NotFound,
    "legacy_31_subsilver2_error_topic_not_found.html": errors.NotFound,
}
STATUS = {errors.NotFound: 404, errors.Forbidden: 403}


@pytest.mark.parametrize("name", sorted(REFUSALS))
def test_refusals_are_recognised_by_name(name: str) -> None:
    kind = REFUSALS[name]
    with pytest.raises(kind) as caught:
        parse_page(
            Document((CAPTURES / name).read_text("utf-8")),
            Context("http://b/viewtopic.php?t=1", NOW),
            status=STATUS.get(kind, 200),
        )
    assert str(caught.value)[0].isupper()


ANSWERS: dict[str, str] = {
    "error_flood.html": "flood",
    "error_form_token_invalid.html": "token",
    "error_form_token_expired.html": "token",
    "post_same_second_error.html": "token",
    "error_too_long.html": "TooLong",
    "error_empty_message.html": "BadInput",
    "error_attachment_too_big.html": "AttachmentRefused",
    "error_attachment_extension.html": "AttachmentRefused",
    "error_pm_no_such_user.html": "NoSuchUser",
    "error_pm_flood.html": "flood",
    "post_review_someone_posted.html": "review",
    "post_review_edit_conflict.html": "review",
    "post_preview.html": "again",
    "pm_compose_names_resolved.html": "again",
    "error_post_session_lost.html": "SessionLost",
    "error_topic_locked_while_writing.html": "TopicLocked",
    "error_edit_time_over.html": "EditTimeOver",
    "error_reply_locked_topic.html": "TopicLocked",
    "error_post_locked_forum.html": "ForumLocked",
    "post_success_awaiting_approval.html": "Queued",
    "pm_sent_success.html": "message 1",
}


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_answers_to_forms_are_understood(name: str) -> None:
    from forum_gm.forums.answers import FormAgain, Queued, Refused, SessionLost, Stored, read_answer
    from forum_gm.forums.transport import Page

    answer = read_answer(
        Page("http://127.0.0.1:8088/posting.php?mode=reply&t=19", 200, (CAPTURES / name).read_text("utf-8"), NOW)
    )
    if isinstance(answer, FormAgain):
        if answer.reviewed:
            said = "review"
        elif answer.flood or answer.token:
            said = "flood" if answer.flood else "token"
        else:
            said = type(answer.error).__name__ if answer.error else "again"
    elif isinstance(answer, Refused):
        said = type(answer.error).__name__
    elif isinstance(answer, Stored):
        said = f"message {answer.message_id}"
    else:
        assert isinstance(answer, Queued | SessionLost)
        said = type(answer).__name__
    assert said == ANSWERS[name]


def test_old_board_in_windows_1251() -> None:
    engine, topic = read_files([CAPTURES / "legacy_20x_subsilver_viewtopic_handrendered.html"])
    data = to_json(engine, topic)
    assert (data["engine"], data["topic"]["title"], len(data["posts"])) == ("phpbb2", "Партия №1", 3)
    first, second, third = data["posts"]
    assert (first["author"], first["time"]) == ("Ведущий", "2009-11-15T17:00:00Z")
    assert second["text"].startswith("А Вена - Галиция\nА Будапешт - Сербия")
    assert "Подпись" not in second["text"]
    assert second["edited"] == {"count": 2, "time": "2009-11-16T06:20:00Z", "by": "Игрок & Ко", "by_id": None, "reason": ""}
    assert third["quotes"][0]["author"] == "Игрок & Ко"
    assert third["quotes"][0]["text"] == "А Вена - Галиция"
    assert "Спорно." in third["text"]
    assert "А Вена" not in third["text"]
