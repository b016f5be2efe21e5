"""Single rules that need no turn: the corrected die, cells, scenario mistakes, errors, words."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from rules.base import GM_ONLY, RulesError
from rules.grand_strategy import RULESET, data
from rules.grand_strategy.board import LETTERS, column_names
from rules.grand_strategy.commands import COMMANDS, MODELS
from rules.grand_strategy.describe import LINES
from rules.grand_strategy.gm import HANDLERS
from rules.grand_strategy.magic import SPELLS, modified
from rules.grand_strategy.scenario import read
from rules.grand_strategy.state import State, Unit


@pytest.fixture
def start() -> State:
    return RULESET.new_game(RULESET.load_scenario(None))


def dice_table(state: State, mage: Unit, school: str) -> list[int]:
    return [modified(state, mage, school, die) for die in range(1, 7)]


def test_R150_R151_R154_R96_E27_corrections_of_the_die(start: State) -> None:
    mage = start.units["A1"]
    assert dice_table(start, mage, "forest") == [2, 3, 4, 5, 6, 6]
    assert dice_table(start, mage, "desert") == [1, 1, 2, 3, 4, 5]
    assert dice_table(start, mage, "dead") == [1, 1, 2, 3, 4, 5]
    for school in ("mountain", "plains", "grey"):
        assert dice_table(start, mage, school) == [1, 2, 3, 4, 5, 6]
    mage.mithril = True
    assert dice_table(start, mage, "forest") == [3, 4, 5, 6, 6, 6]
    mage.mithril = False
    start.units["D"] = Unit("D", "dragon", "У10", "aelin", controller="A1", lair="У11")
    assert dice_table(start, mage, "forest") == [1, 1, 1, 2, 3, 3]
    start.units["Z"] = Unit("Z", "zombies", "Г4", "aelin", controller="A1")
    assert dice_table(start, mage, "grey") == [1, 1, 1, 1, 1, 2]


def test_R18_columns_and_R17_neighbours(start: State) -> None:
    assert len(LETTERS) == 28
    assert not set("ЁЙЪЫЬ") & set(LETTERS)
    assert column_names(30)[-2:] == ("АА", "АБ")
    assert len(start.board.near("Ж7")) == 8
    assert len(start.board.near("А1")) == 3
    assert start.board.gap("Г3", "Д5") == 2


def test_R190_R191_R192_every_command_and_spell_has_its_place() -> None:
    for model in MODELS:
        assert model.__doc__
        assert model.title
        if model.by_gm:
            assert model in HANDLERS
        else:
            assert model in LINES
    assert set(SPELLS) == set(data.spells())
    assert set(data.table("vocabulary")["alias"]["spell"]) == set(SPELLS)
    assert len(list(COMMANDS)) == len(MODELS)


def test_R192_a_sleeping_dragon_cannot_be_attacked(start: State) -> None:
    from tests.rules.grand_strategy.story import Teller

    teller = Teller(start)
    teller.play(
        (
            "bare",
            "turn ghash",
            "unit P knights ghash Т11",
            "> ghash: attack unit=P target=У11",
            "portion",
            "refused ghash no_such_target",
        )
    )


def test_error_texts_have_no_holes() -> None:
    for code, text in data.table("errors")["error"].items():
        assert re.fullmatch(r"[a-z_]+", code)
        assert text.endswith((".", "?", "}"))


def test_plurals() -> None:
    assert [data.counted(n, "coin") for n in (1, 2, 5, 11, 21, 104)] == [
        "1 монета",
        "2 монеты",
        "5 монет",
        "11 монет",
        "21 монета",
        "104 монеты",
    ]


# ------------------------------------------------------------------------------------------------ scenario mistakes


def source() -> dict[str, Any]:
    return tomllib.loads(RULESET.default_scenario_text())


def test_the_default_scenario_is_right(start: State) -> None:
    assert read(source())[1] == []
    assert len(start.board.provinces) == 12
    assert RULESET.dump(RULESET.load(RULESET.dump(start))) == RULESET.dump(start)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: s["map"]["terrain"].__setitem__(0, "~~ff"), "строка 1: клеток 4, а столбцов 20"),
        (lambda s: s["map"]["terrain"].__setitem__(1, "~fffff?fmmmmm~~~..~~"), "клетка Ж2: знака «?» нет"),
        (lambda s: s["map"]["provinces"].__setitem__(1, "~1111112Q2222~~~33~~"), "клетка И2: на суше стоит «Q»"),
        (lambda s: s["mine_site"].append({"cell": "Д5", "max_level": "gold"}), "жилы и логова бывают только в горах"),
        (lambda s: s["army"].append({"id": "X", "owner": "aelin", "type": "elves", "cell": "Г3"}), "клетка Г3 уже занята"),
        (lambda s: s["army"].append({"id": "X", "owner": "olaf", "type": "elves", "cell": "Г4"}), "игрока «olaf» нет"),
        (lambda s: s["house"].append({"owner": "aelin", "type": "tower", "cell": "Г5"}), "уже есть дом лорда"),
        (lambda s: s["house"].append({"owner": "", "type": "outpost", "cell": "А1"}), "А1 — море"),
        (lambda s: s["map"]["river"][0]["cells"].__setitem__(1, "И9"), "не соседняя"),
        (lambda s: s["province"][0].__setitem__("capital", "Т8"), "столица Т8 не на её земле"),
        (lambda s: s["player"][0].__setitem__("color", "green"), "#rrggbb"),
        (lambda s: s["settings"].__setitem__("goal", 5), "таких настроек нет: goal"),
        (lambda s: s["unit"][0].__setitem__("strength", "два"), "unit → №1 → strength: нужно целое число"),
        (lambda s: s["house"][0].__setitem__("cell", "G3"), "«G3» — не клетка"),
        (lambda s: s["house"][0].__setitem__("cell", "Г77"), "клетки Г77 на карте нет"),
    ],
)
def test_scenario_mistakes_are_explained(change: Any, words: str) -> None:
    raw = source()
    change(raw)
    with pytest.raises(RulesError, match=re.escape(words)):
        RULESET.load_scenario(raw)


def test_broken_states_are_refused(start: State) -> None:
    raw = RULESET.dump(start)
    raw["units"]["A1"]["cell"] = "Я99"
    with pytest.raises(RulesError, match="Я99"):
        RULESET.load(raw)
    with pytest.raises(RulesError):
        RULESET.load({"ruleset": "astral"})
    raw = RULESET.dump(start)
    raw["tour"] = "x"
    with pytest.raises(RulesError, match="tour"):
        RULESET.load(raw)


def test_map_and_standings(start: State) -> None:
    view = RULESET.view(start, GM_ONLY)
    model = RULESET.map(view)
    assert model is not None
    assert len(model.rows) == 14
    assert RULESET.standings(view).summary
