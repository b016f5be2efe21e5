"""A 40×40 map, eight players: a tour with ten battles, and its map; a 200×200 map."""

from __future__ import annotations

import random
from typing import Any

from renderers import draw_png
from rules.base import EVERYONE, Sheet
from rules.dice import seeded_dice
from rules.grand_strategy import RULESET
from rules.grand_strategy.board import column_names
from rules.grand_strategy.state import State

SIZE = 40
PLAYERS = 8


def scenario() -> dict[str, Any]:
    """A hand-made big map: 25 provinces of 8×8 cells, every player with a city and armies side by side."""
    default = RULESET.load_scenario(None).data
    rng = random.Random(7)
    terrain = ["".join(rng.choice("....ffdm") for _ in range(SIZE)) for _ in range(SIZE)]
    marks = "ABCDEFGHIJKLMNOPQRSTUVWXY"
    provinces = ["".join(marks[(y // 8) * 5 + x // 8] for x in range(SIZE)) for y in range(SIZE)]
    columns = column_names(SIZE)
    players, houses, armies = [], [], []
    for i in range(PLAYERS):
        x, y = (i % 4) * 8 + 4, (i // 4) * 16 + 4
        name = f"p{i}"
        players.append(
            {"id": name, "name": f"Игрок {i}", "entry": "ruler", "province": (y // 8) * 5 + x // 8 + 1, "color": "#aa0000"}
        )
        houses.append({"owner": name, "type": "city", "cell": f"{columns[x]}{y + 1}"})
        armies.append({"id": f"P{i}", "owner": name, "type": "knights", "personal": True, "cell": f"{columns[x]}{y + 1}"})
        for k in range(3):
            armies.append({"id": f"E{i}{k}", "owner": name, "type": "elves", "cell": f"{columns[x + k]}{y + 3}"})
            enemy = f"p{(i + 1) % PLAYERS}"
            armies.append({"id": f"O{i}{k}", "owner": enemy, "type": "orcs", "cell": f"{columns[x + k]}{y + 4}"})
    return {
        "meta": default["meta"],
        "settings": {"min_cells_between_buildings": 3},
        "unit": default["unit"],
        "building": default["building"],
        "map": {
            "legend": {".": "field", "f": "forest", "d": "desert", "m": "mountain", "~": "sea"},
            "terrain": terrain,
            "provinces": provinces,
        },
        "province": [{"number": i + 1, "char": mark, "name": f"Земля {i + 1}"} for i, mark in enumerate(marks)],
        "player": players,
        "army": armies,
        "house": houses,
    }  # fmt: skip


def orders(state: State) -> list[Sheet]:
    """Two battles for the first two players, one for the others: ten in a tour; cards, hires and marches besides."""
    player = state.active or ""
    number = int(player[1:])
    raw: list[dict[str, Any]] = []
    for k in range(2 if number < 2 else 1):
        raw.append({"type": "attack", "unit": f"E{number}{k}", "target": f"O{number}{k}", "cards": ["attack", "shoot"]})
    raw.append({"type": "move", "unit": f"E{number}2", "path": [state.board.near(state.units[f"E{number}2"].cell)[0]]})
    raw.append({"type": "default_cards", "all": True, "cards": ["defend", "shoot"]})
    return [Sheet(player, tuple(RULESET.commands.parse(c) for c in raw))]


def tour(state: State) -> tuple[State, int]:
    """One whole tour."""
    battles, year = 0, state.tour
    while state.tour == year:
        step = RULESET.step(state)
        assert step is not None
        sheets = orders(state) if step.kind == "turn" else []
        outcome = RULESET.resolve(state, sheets, seeded_dice("bench", step.id), closing=True)
        battles += sum(e.kind == "battle" for e in outcome.events)
        state = outcome.state
    return state, battles


def drawn(state: State) -> Any:
    """The map of a state."""
    model = RULESET.map(RULESET.view(state, EVERYONE))
    assert model is not None
    return model


def test_map_40(benchmark: Any) -> None:
    state = RULESET.new_game(RULESET.load_scenario(scenario()))
    first = state.active
    while state.active == first:
        step = RULESET.step(state)
        assert step is not None
        sheets = orders(state) if step.kind == "turn" else []
        state = RULESET.resolve(state, sheets, seeded_dice("bench", step.id), closing=True).state
    model = drawn(state)
    assert len(model.clashes) == 2
    draw_png(model)
    benchmark(draw_png, model)


def test_map_200(benchmark: Any) -> None:
    from tests.renderers import samples

    model = samples.grid_map(200, 200)
    draw_png(model)
    benchmark(draw_png, model)


def test_tour_with_ten_battles(benchmark: Any) -> None:
    start = RULESET.new_game(RULESET.load_scenario(scenario()))
    _, battles = tour(start)
    assert battles == 10
    benchmark(tour, start)
