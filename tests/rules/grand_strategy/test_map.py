"""The map of a year as everybody sees it: what the model says, where the names stand, and the whole picture as a small snapshot.

RECORD_MAPS=1 writes the snapshots anew; look at them before you keep them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from renderers.maps.canvas import Box
from renderers.maps.grid import draw_grid
from rules.base import EVERYONE
from rules.dice import seeded_dice
from rules.grand_strategy import RULESET
from rules.grand_strategy.state import State
from rules.maps import GridMap
from tests.rules.grand_strategy.story import Teller

FOLDER = Path(__file__).parent / "maps"
SMALL = (136, 170)
"""Size of a snapshot: coarse enough for any font rasteriser, fine enough to show a missing layer."""

BATTLE = (
    "turn ghash",
    "unit K orcs ghash П6",
    "unit E elves aelin Н6",
    "unit Z zombies thorgrim О7",
    "unit S ship radomir Ж11",
    "unit W knights thorgrim З4 siege=З6",
    "building П8 outpost ghash",
    "building З6 castle radomir",
    "building К10 fortress thorgrim",
    "building И3 mine_mithril thorgrim",
    "> ghash: move unit=G1 path=С7",
    "> ghash: move unit=G1 path=Р6",
    "> ghash: move unit=K path=О6",
    "> ghash: attack unit=K target=N1 cards=attack,defend",
    "portion",
)


def played(lines: tuple[str, ...]) -> State:
    """The state after the turn of these lines, all cards by the die of a fixed seed."""
    teller = Teller()
    teller.play(lines)
    state = teller.state
    number = teller.state.active
    while state.active == number and state.phase in ("turn", "cards"):
        step = RULESET.step(state)
        assert step is not None
        state = RULESET.resolve(state, [], seeded_dice("map 5", step.id), closing=True).state
    return state


def model_of(state: State) -> GridMap:
    model = RULESET.map(RULESET.view(state, EVERYONE))
    assert isinstance(model, GridMap)
    return model


@pytest.fixture(scope="module")
def battle() -> GridMap:
    return model_of(played(BATTLE))


@pytest.fixture(scope="module")
def start() -> GridMap:
    return model_of(RULESET.new_game(RULESET.load_scenario(None)))


def test_R121_the_map_tells_the_turn_that_has_ended(battle: GridMap) -> None:
    assert battle.subtitle == "Год 2, после хода: Гхаш"
    clash = battle.clashes[0]
    assert (clash.title, clash.result) == ("Битва 1, Н7", "победили нападавшие")
    assert clash.attacks == ((13, 5, "#b22222"),)
    assert [(t.x, t.y, t.kind, t.label) for t in clash.fallen] == [(12, 6, "barbarians", "В")]
    assert {sign.kind for sign in battle.signs} == {
        "lord_house", "fortress", "outpost", "mine", "mine_site", "lair", "strength", "siege", "path", "attack", "fallen",
    }  # fmt: skip


def test_several_orders_of_one_troop_are_one_way(battle: GridMap) -> None:
    assert [path.cells for path in battle.paths] == [((17, 7), (16, 6), (15, 5)), ((14, 5), (13, 5))]


def test_a_map_explains_only_what_stands_on_it(start: GridMap) -> None:
    assert [sign.kind for sign in start.signs] == ["lord_house", "mine_site", "lair", "strength"]
    assert start.subtitle == "Год 1, ход: Аэлин"
    assert start.river_names == ("Серебрянка", "Быстрая")


def test_every_name_is_shown_and_provinces_are_named_within_their_borders(start: GridMap) -> None:
    canvas = draw_grid(start)
    boxes = {label.text: label.box for label in canvas.labels}
    names = [b.name for b in start.buildings if b.name]
    assert set(names) | set(start.provinces.values()) | set(start.river_names) <= set(boxes)
    column = next(label.box for label in canvas.labels if label.text == "А")
    row = next(label.box for label in canvas.labels if label.text == "1" and label.box.x1 < column.x0)
    second = next(label.box for label in canvas.labels if label.text == "Б")
    cell = (second.x0 + second.x1 - column.x0 - column.x1) / 2
    left = (column.x0 + column.x1) / 2 - cell / 2
    top = (row.y0 + row.y1) / 2 - cell / 2

    def province(x: float, y: float) -> int | None:
        return start.rows[int((y - top) // cell)][int((x - left) // cell)].province

    def at_home(number: int, box: Box) -> bool:
        middle = (box.y0 + box.y1) / 2
        return all(province(x, middle) == number for x in (box.x0, (box.x0 + box.x1) / 2, box.x1))

    outside = [name for number, name in start.provinces.items() if not at_home(number, boxes[name])]
    # A land of one column is too narrow for its name.
    assert set(outside) <= {"Остров Туманов"}


@pytest.mark.parametrize("name", ["start", "battle"])
def test_picture_is_as_kept(name: str, request: pytest.FixtureRequest) -> None:
    picture = draw_grid(request.getfixturevalue(name)).finish().resize(SMALL, Image.Resampling.BOX)
    path = FOLDER / f"{name}.png"
    if os.environ.get("RECORD_MAPS"):
        picture.save(path)
    kept = Image.open(path).convert("RGB")
    assert kept.size == SMALL
    difference = np.abs(np.asarray(picture, dtype=np.int16) - np.asarray(kept, dtype=np.int16))
    assert difference.mean() < 0.6
    assert np.percentile(difference.max(axis=2), 99) < 24
