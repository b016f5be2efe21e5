"""What stands beside an order in a post: another line's places and alternatives never change what is carried out."""

from __future__ import annotations

import pytest

from forum_gm.understand import audience_of
from parsers.bbcode import from_bbcode
from parsers.types import Parse
from rules.astral import RULESET


def parsed(text: str) -> Parse:
    state = RULESET.new_game(RULESET.load_scenario(None))
    view = RULESET.view(state, audience_of("buyny"))
    return RULESET.order_language(view, "turn").parse(from_bbcode(text))


@pytest.mark.parametrize(
    "behind",
    [
        "\nСтрою кабак на Слободе Рубак",
        ".\nСтрою кабак на Слободе Рубак",
        "\nНа Слободе Рубак праздник",
        ", а Слобода Рубак отдыхает",
        "\nСлобода Рубак: жертва",
    ],
)
@pytest.mark.parametrize("head", ["Беру 001: 6э", "Беру 001, 6э", "Атака на 001 — 6э"])
def test_place_named_behind_an_attack_is_not_its_target(head: str, behind: str) -> None:
    found = parsed(f"{head}, пехота 3, священная 3, воин{behind}\n4э на стены").readings
    attack = found[0]
    assert attack.certain
    assert {**attack.command} == {
        "type": "attack_neutral",
        "shard": "n001",
        "energy": 6,
        "troop": "infantry",
        "magic": "sacred",
        "hero": "warrior",
        "troop_energy": 3,
        "magic_energy": 3,
    }
    assert {"type": "invest_defence", "energy": 4} in [reading.command for reading in found]


def test_vote_for_one_rune_or_another_asks() -> None:
    for text in ("Голосую за Дань или за Изобилие.", "Голос: Дань либо Изобилие", "Мой голос за Дань или Изобилие"):
        found = parsed(text)
        assert not any(reading.certain for reading in found.readings), text
        assert found.readings or found.problems, text
