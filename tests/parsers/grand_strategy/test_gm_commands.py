"""The GM's commands typed as text (§3), and that players' orders are none of his."""

from __future__ import annotations

from typing import Any

import pytest

from forum_gm.understand import post_text, understand
from rules import registry
from rules.base import GM, Command, command_to_json

RULES = registry.get("grand_strategy")
STATE = RULES.new_game(RULES.load_scenario(None))


def read(text: str, who: str = GM) -> list[dict[str, Any]]:
    return [dict(r.command) for r in understand(RULES, STATE, who, None, post_text(text, "text")).readings]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("мастер: поставить нейтральных варваров на Н7", {"type": "gm_place_unit", "unit_type": "barbarians", "cell": "Н7"}),
        ("Поставить Торгриму гномов на Г9", {"type": "gm_place_unit", "unit_type": "dwarves", "cell": "Г9", "owner": "thorgrim"}),
        ("Гхашу +10 монет за летопись", {"type": "gm_set_money", "player": "ghash", "add": 10, "reason": "за летопись"}),
        (
            "Снять с Гхаша 5 монет: просрочил ход",
            {"type": "gm_set_money", "player": "ghash", "add": -5, "reason": "просрочил ход"},
        ),
        ("Казна Аэлин теперь 30", {"type": "gm_set_money", "player": "aelin", "amount": 30}),
        ("срок до воскресенья", {"type": "gm_set_deadline", "when": "до воскресенья"}),
        ("Продлить срок до пятницы 20:00", {"type": "gm_set_deadline", "when": "до пятницы 20:00"}),
        ("пропустить ход Торгрима", {"type": "gm_skip_turn", "player": "thorgrim"}),
        ("закрыть ход", {"type": "gm_close_turn"}),
        ("перебросить шторм: обсчитался", {"type": "gm_reroll", "event": "шторм", "reason": "обсчитался"}),
        ("Переставить T1 на Г8", {"type": "gm_move_unit", "unit": "T1", "cell": "Г8"}),
        ("Убрать вольных варваров", {"type": "gm_remove", "unit": "N1"}),
        ("Убрать поместье Броды", {"type": "gm_remove", "building": "О5"}),
        ("Отдать Броды Радомиру", {"type": "gm_set_owner", "object": "О5", "owner": "radomir"}),
        ("Поставить на Д9 заставу Торгрима", {"type": "gm_set_building", "cell": "Д9", "what": "outpost", "owner": "thorgrim"}),
        ("Спор: Устье — Гхашу", {"type": "gm_resolve_dispute", "object": "З10", "player": "ghash"}),
        ("Принять Радомира бродягой", {"type": "gm_admit_vagabond", "player": "radomir"}),
        (
            "Согласие: Торгрим и Аэлин, общий бой",
            {"type": "gm_consent", "topic": "battle", "players": ["thorgrim", "aelin"], "value": True},
        ),
        ("правило siege_range = 3", {"type": "gm_set_rule", "setting": "siege_range", "value": 3}),
        ("правило neutral_decay = да", {"type": "gm_set_rule", "setting": "neutral_decay", "value": True}),
        ("откатить до 12", {"type": "gm_undo", "to_event": "12"}),
        ("Отклонить приказ 3: нет денег", {"type": "gm_reject", "command": "3", "reason": "нет денег"}),
        ("Отклонить приказ ghash:2: нет денег", {"type": "gm_reject", "command": "ghash:2", "reason": "нет денег"}),
        ("Исправить приказ ghash:2: сумма 5", {"type": "gm_edit", "command": "ghash:2", "fields": {"amount": 5}}),
        (
            "Изменить приказ Гхаша №2: кому Торгриму, сумма = 5",
            {"type": "gm_edit", "command": "ghash:2", "fields": {"to": "thorgrim", "amount": 5}},
        ),
        ("Поправить приказ aelin:1: path = Г4, Д5", {"type": "gm_edit", "command": "aelin:1", "fields": {"path": ["Г4", "Д5"]}}),
        (
            "Исправить приказ Торгрима 3: войско Железная стража",
            {"type": "gm_edit", "command": "thorgrim:3", "fields": {"unit": "T1"}},
        ),
        ("Конец игры, победила Аэлин", {"type": "gm_end_game", "winner": "aelin"}),
    ],
)
def test_gm_command_typed_as_text(text: str, command: dict[str, Any]) -> None:
    assert read(text) == [command]
    typed: Command = RULES.commands.parse(command)
    assert typed.by_gm
    assert command.items() <= command_to_json(typed).items()


@pytest.mark.parametrize("text", ["Стража идёт на Г8", "Нанять гномов в Каменном Троне", "Всем привет, игра начинается"])
def test_players_orders_are_not_the_gms(text: str) -> None:
    assert read(text) == []


def test_gm_words_give_a_player_no_power() -> None:
    assert [c["type"] for c in read("срок до воскресенья\nпропустить ход Торгрима", "aelin")] in ([], ["pass"])
    assert not any(c["type"].startswith("gm_") for c in read("Поставить варваров на Н7. Казна Аэлин теперь 500", "aelin"))


@pytest.mark.parametrize(
    "text", ["Срок до воскресенья 20:00.", "Гхашу +10 монет за летопись.", "Откатить до хода Гхаша: потеряно сообщение"]
)
def test_a_gm_s_own_words_leave_no_doubt(text: str) -> None:
    """A deadline, a name and a reason go into the command: nothing of them is left over to ask about."""
    parse = understand(RULES, STATE, GM, None, post_text(text, "text"))
    assert [(r.certain, r.note) for r in parse.readings] == [(True, None)]
    assert not parse.problems


def test_a_number_beside_a_name_is_no_money() -> None:
    assert [c["type"] for c in read("Откатить Ход: Гхаш (год 1): потеряно сообщение")] == ["gm_undo"]


def test_R181_taking_all_back_is_no_unknown_order() -> None:
    parse = understand(RULES, STATE, "aelin", "turn", post_text("Отменяю приказы. Торгриму 8 монет.", "text"))
    assert parse.restart
    assert [r.command["amount"] for r in parse.readings] == [8]
    assert not parse.problems
