"""The echo «понял так»: by the configured channel, never where others could read a secret; problems with the player's own words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from forum_gm.config import Account, PlayerPart, ReviewPart
from forum_gm.pipeline.board import SeenPost
from forum_gm.pipeline.context import Context, seeded_secrets
from forum_gm.service import tick
from forum_gm.understand import understand
from parsers.text import from_text
from parsers.types import parse_to_json
from rules import registry
from tests.forum_gm.pipeline.tiny import MemoryBoard, SecretTiny, context

ROOM = 20
COMMON = 7


def game(folder: Path, mode: str, *, secret: bool = False, room: int = ROOM) -> tuple[Context, MemoryBoard]:
    """Red has a topic of its own; its player has a delegate. Nothing is approved by itself."""
    ctx, board = context(
        folder,
        review=ReviewPart(acknowledge=mode),  # type: ignore[arg-type]
        players=(
            PlayerPart(faction="red", accounts=(Account(id="10", name="Рыжий"), Account(id="12", name="Сосед")), topic=room),
            PlayerPart(faction="blue", accounts=(Account(id="11", name="Синяя"),)),
        ),
    )
    if secret:
        ctx.ruleset = SecretTiny()
    tick(ctx)
    tick(ctx)
    return ctx, board


def echoes(board: MemoryBoard) -> list[tuple[str, str]]:
    """(where, text) of each echo: a topic's number, or the names written to."""
    told = [(str(topic), text) for topic in (COMMON, ROOM) for text in board.own(topic) if "Понял так" in text]
    return told + [(", ".join(to), body) for to, subject, body in board.messages if "понял так" in subject]


@pytest.mark.parametrize(
    ("mode", "author", "secret", "at", "where"),
    [
        ("message", "10", False, COMMON, "user10"),
        ("message", "12", False, COMMON, "user12"),
        ("message", "10", False, ROOM, "user10"),
        ("topic", "10", False, COMMON, "20"),
        ("topic", "12", False, ROOM, "20"),
        ("topic", "11", False, COMMON, "Синяя"),
        ("public", "10", False, COMMON, "7"),
        ("public", "11", False, COMMON, "7"),
        ("public", "10", False, ROOM, "20"),
        ("public", "10", True, COMMON, "20"),
        ("public", "11", True, COMMON, "user11"),
        ("none", "10", False, COMMON, None),
    ],
)
def test_echo_goes_where_the_campaign_says_and_a_secret_never_in_public(
    tmp_path: Path, mode: str, author: str, secret: bool, at: int, where: str | None
) -> None:
    ctx, board = game(tmp_path, mode, secret=secret)
    board.say(author, "беру 5", topic=at)
    tick(ctx)
    tick(ctx)
    assert [place for place, _ in echoes(board)] == ([where] if where else [])
    if secret:
        assert "взять 5" not in "\n".join(board.own(COMMON))


def test_a_message_is_answered_by_message_even_where_echoes_are_public(tmp_path: Path) -> None:
    ctx, board = game(tmp_path, "public", room=0)
    board.inbox_posts.append(SeenPost(1, "10", "Рыжий", board.clock.now(), "bbcode", "беру 5"))
    tick(ctx)
    assert [place for place, _ in echoes(board)] == ["Рыжий"]


def test_author_of_a_secret_order_in_the_common_topic_is_warned_and_it_counts(tmp_path: Path) -> None:
    ctx, board = game(tmp_path, "message", secret=True)
    board.say("11", "беру 5")
    tick(ctx)
    (where, text), *_ = echoes(board)
    assert where == "user11"
    assert "Это тайный приказ, а сообщение видно всем. Он засчитан; в следующий раз пришлите его лично." in text
    assert "взять 5" in text


def test_each_problem_is_marked_in_the_players_own_words(tmp_path: Path) -> None:
    ctx, board = game(tmp_path, "message")
    board.say("11", "беру 5. Трёх кабанов в засаду!\nИ ещё [кабан] на цепи.")
    tick(ctx)
    (_, text), *_ = echoes(board)
    said = re.findall(r"строка (\d), ошибка: Кабанов в игре нет\.\n\[quote\](.*?)\[/quote\]", text)
    assert said == [
        ("1", "беру 5.[b][u] Трёх кабанов в засаду![/u][/b]"),
        ("2", "[b][u]И ещё [кабан] на цепи.[/u][/b]"),
    ]


def test_silence_of_talk_in_the_common_topic_is_not_answered(tmp_path: Path) -> None:
    ctx, board = game(tmp_path, "public")
    board.say("11", "Всем привет")
    tick(ctx)
    assert echoes(board) == []
    assert not any("Приказов в сообщении не нашёл" in text for text in board.own(COMMON))


def test_corrected_line_can_be_pasted_as_it_stands(tmp_path: Path) -> None:
    """Energy that doesn't add up: the echo offers the line put right, and that line is an order without a word against it."""
    ruleset = registry.get("astral")
    ctx, board = context(
        tmp_path,
        players=(PlayerPart(faction="kael", accounts=(Account(id="10", name="Каэль"),)),),
        review=ReviewPart(acknowledge="message"),
    )
    ctx = Context(tmp_path, ctx.settings, ctx.store, ruleset, board.clock, lambda _: board, seeded_secrets("echo"))
    tick(ctx)
    board.say("10", "Атакую 000 на 14э: пехота-некромантия-маг, войска 7, магия 7")
    tick(ctx)
    texts = [body for to, subject, body in board.messages if "понял так" in subject]
    offered = re.findall(r"Можно так: \[b\](.+?)\[/b\]", texts[0])
    assert offered, texts[0]
    state = ruleset.new_game(ruleset.load_scenario(None))
    again = parse_to_json(understand(ruleset, state, "kael", None, from_text(offered[0])))
    assert again["problems"] == []
    (command,) = again["commands"]
    assert command["certain"]
    assert (command["troop_energy"], command["magic_energy"]) == (6, 6)
