"""The GM's commands typed as text (§3.3), and that players' orders are none of his."""

from __future__ import annotations

import pytest

from forum_gm.understand import post_text, understand
from rules import registry
from rules.base import GM, Command, command_to_json

RULES = registry.get("steel_rose")
STATE = RULES.new_game(RULES.load_scenario(None))


def read(text: str) -> list[dict[str, object]]:
    return [dict(r.command) for r in understand(RULES, STATE, GM, None, post_text(text, "text")).readings]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Дать Империи 5 рыцарей", {"type": "gm_give_units", "faction": "empire", "unit": "knight", "count": 5}),
        ("Забрать у эльфов 3 волков", {"type": "gm_give_units", "faction": "elves", "unit": "wolf", "count": -3}),
        ("Закрыть фазу планирования", {"type": "gm_close_phase", "phase": "planning"}),
        ("Установить Княжеству 900з", {"type": "gm_set_resource", "faction": "principality", "gold": 900}),
        ("Огры выбывают из игры", {"type": "gm_set_status", "faction": "ogres", "status": "eliminated"}),
        ("Дедлайн расстановки — 12 часов", {"type": "gm_set_deadline", "phase": "deployment", "hours": 12}),
        ("Продлить приём заявок на сутки", {"type": "gm_set_deadline", "phase": "orders", "hours": 24}),
        ("Казна Империи 900з", {"type": "gm_set_resource", "faction": "empire", "gold": 900}),
        ("У Культа максимум голода 120", {"type": "gm_set_resource", "faction": "cult", "max_hunger": 120}),
        ("Хольмгард теперь принадлежит Империи", {"type": "gm_set_city", "city": "holmgard", "owner": "empire"}),
        ("Хольмгард: 2 уровень, владелец империя", {"type": "gm_set_city", "city": "holmgard", "owner": "empire", "level": 2}),
        ("Кронвик ничей", {"type": "gm_set_city", "city": "kronvik", "owner": "none"}),
        ("Хольмгард — руины", {"type": "gm_set_city", "city": "holmgard", "ruin": True}),
        ("Добавь в Кронвик ферму", {"type": "gm_set_city", "city": "kronvik", "buildings": ["farmland"]}),
        ("Кронвик: снять заражение", {"type": "gm_set_city", "city": "kronvik", "corruption": 0}),
        ("Перебросить бой за Хольмгард", {"type": "gm_reroll", "battle": "holmgard"}),
        ("Княжество победило", {"type": "gm_set_status", "faction": "principality", "status": "won"}),
        ("Объявление: завтра хода не будет", {"type": "gm_announce", "text": "завтра хода не будет"}),
        ("настройка rescue_share = 0,25", {"type": "gm_set_setting", "key": "rescue_share", "value": 0.25}),
        ("Поставить Обжорище на дорогу Кронвик - Морвен", {"type": "gm_place_mobile_city", "road": ["kronvik", "morwen"]}),
    ],
)
def test_gm_command_typed_as_text(text: str, command: dict[str, object]) -> None:
    assert read(text) == [command]
    typed: Command = RULES.commands.parse(command)
    assert typed.by_gm
    assert command.items() <= command_to_json(typed).items()


def test_players_orders_are_not_the_gms() -> None:
    assert read("Нанять 5 рыцарей. Армия 1 атакует Хольмгард.") == []


@pytest.mark.parametrize("text", ["Одобрить приказы 3, 4 и 7", "отклонить приказ 5: нарушение", "Откатить ход"])
def test_what_is_done_on_the_desk_says_so(text: str) -> None:
    parse = understand(RULES, STATE, GM, None, post_text(text, "text"))
    assert not parse.readings
    assert "странице проверки" in parse.problems[0].message
