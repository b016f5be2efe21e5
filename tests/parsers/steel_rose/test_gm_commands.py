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
