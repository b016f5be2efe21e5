"""An order that the game doesn't have is said, even when it names nothing of the game; talk is left alone."""

from __future__ import annotations

import pytest

from forum_gm.understand import audience_of
from parsers.bbcode import from_bbcode
from rules import registry


@pytest.mark.parametrize(
    ("ruleset", "faction", "text", "unknown"),
    [
        ("grand_strategy", "thorgrim", "Построить пивоварню у ворот.\nХод окончен.", True),
        ("grand_strategy", "thorgrim", "[i]Построить бы пивоварню у ворот, думал Торгрим.[/i]\nХод окончен.", False),
        ("steel_rose", "empire", "Построить дирижабль", True),
        ("steel_rose", "empire", "Дирижабль бы построить. Альтенград: построить барак.", False),
        ("astral", "buyny", "Строю кабак на Слободе Рубак", True),
    ],
)
def test_order_that_the_game_lacks_is_said(ruleset: str, faction: str, text: str, unknown: bool) -> None:
    rules = registry.get(ruleset)
    view = rules.view(rules.new_game(rules.load_scenario(None)), audience_of(faction))
    found = rules.order_language(view, None).parse(from_bbcode(text))
    assert ("unknown_order" in [problem.code for problem in found.problems]) is unknown
