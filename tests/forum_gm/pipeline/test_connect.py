"""The configuration's engine becomes the right client; by a profile a board is read and never written."""

from __future__ import annotations

from pathlib import Path

import pytest
import responses

from forum_gm.config import ForumPart
from forum_gm.errors import UsageProblem
from forum_gm.forums.phpbb2 import PhpBB2
from forum_gm.forums.phpbb3 import PhpBB3
from forum_gm.pipeline.board import Refused, Writing
from forum_gm.pipeline.connect import connect
from forum_gm.pipeline.forum_board import ForumBoard, ReadOnlyBoard
from tests.forum_gm.pipeline.tiny import context

URL = "http://rusff.example/"
PAGE = """<html><body id="pun-viewtopic"><div id="pun-main"><h1><span>Партия №3</span></h1>
<div class="post" id="p31" data-posted="1777626000" data-user-id="5">
<h3><span><strong>2</strong></span></h3>
<div class="post-author"><ul><li class="pa-author"><span>Автор:</span> <a href="/profile.php?id=5">Мария</a></li></ul></div>
<div class="post-content"><p>Мой приказ</p></div></div></div></body></html>"""


def board_of(folder: Path, engine: str) -> object:
    ctx, _ = context(folder, forum=ForumPart(engine=engine, url=URL, pause=0))
    return connect(ctx)


@pytest.mark.parametrize(
    ("engine", "client"),
    [("phpbb3", PhpBB3), ("phpbb30", PhpBB3), ("phpbb33", PhpBB3), ("subsilver2", PhpBB3), ("phpbb2", PhpBB2)],
)
def test_every_engine_that_can_post_gets_its_client(tmp_path: Path, engine: str, client: type[PhpBB3]) -> None:
    board = board_of(tmp_path, engine)
    assert isinstance(board, ForumBoard)
    assert type(board._forum) is client


@responses.activate
@pytest.mark.parametrize("own_file", [False, True])
def test_board_of_a_profile_is_read_but_never_written(tmp_path: Path, own_file: bool) -> None:
    engine = "mybb_ru"
    if own_file:
        shipped = Path(__file__).parents[3] / "forum_gm" / "forums" / "profiles" / "mybb_ru.toml"
        (tmp_path / "мой.toml").write_text(shipped.read_text("utf-8"), "utf-8")
        engine = "мой.toml"
    responses.get(f"{URL}viewtopic.php?id=7&p=1", PAGE)
    board = board_of(tmp_path, engine)
    assert isinstance(board, ReadOnlyBoard)
    seen = board.read(7, {}, None)
    assert [(post.board_id, post.author_id, post.format) for post in seen.posts] == [(31, "5", "html")]
    assert "Мой приказ" in seen.posts[0].source
    assert board.read(7, seen.cursor, None).posts == ()
    assert board.inbox({}).posts == ()
    with pytest.raises(Refused, match="только читает"):
        board.write(Writing("k", "reply", "", "Итоги", topic=7))


@pytest.mark.parametrize(
    ("engine", "sentence"),
    [("vbulletin", "mybb_ru"), ("auto", "назовите движок"), ("нет.toml", "нет.toml"), ("../x.toml", "x.toml")],
)
def test_unknown_engine_is_one_sentence(tmp_path: Path, engine: str, sentence: str) -> None:
    with pytest.raises(UsageProblem, match=sentence):
        board_of(tmp_path, engine)
