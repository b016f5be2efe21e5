"""Maps and figures: every text inside the picture and apart from the others, small files, colours kept."""

from __future__ import annotations

import io
from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from PIL import Image

from renderers import draw_png
from renderers.maps import canvas_of
from renderers.maps.canvas import Box, Canvas
from renderers.maps.charts import number, ticks
from renderers.maps.grid import cut, spline
from renderers.palette import contrast, legible, on, rgb
from rules.maps import Bars, BattleFigure, Board, Figure, GraphMap, HeightMap, LineChart, Outlook, Squad
from tests.renderers import samples

LIMIT = 256 * 1024
MODELS: dict[str, Figure] = {
    "heights": samples.height_map(),
    "heights late": samples.height_map(late=True),
    "roads": samples.road_map(),
    "grid": samples.grid_map(),
    "grid 40": samples.grid_map(40, 40),
    "battle": samples.battle_figure(),
    "battle alone": samples.battle_figure(1),
    "bars": samples.bars(),
    "bars named": Bars("Доля побед", ("Империя", "Княжество", "ничья"), (0.63, 0.36, 0.01), ("#d9a400", "#a83250", "#8c8c8c")),
    "outlook": samples.outlook(),
    "outlook of many": samples.outlook(200),
    "lines": samples.line_chart(),
    "lines, one turn": samples.line_chart(0),
    "empty heights": HeightMap("Пусто", 1, 3, (), ()),
    "empty roads": GraphMap("Пусто", (), ()),
    "no bars": Bars("Пусто", (), (), ()),
    "no outlook": Outlook("Пусто", "", (), ()),
    "no lines": LineChart("Пусто", (), ()),
    "no boards": BattleFigure("Пусто", ("А", "Б"), ("#000000", "#ffffff"), (Board("Пусто", ((), ())),)),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_label_is_inside_and_the_file_is_small(name: str) -> None:
    canvas = canvas_of(MODELS[name])
    outside = [label.text for label in canvas.labels if not label.box.inside(canvas.box)]
    assert outside == []
    data = draw_png(MODELS[name])
    assert len(data) <= LIMIT
    assert Image.open(io.BytesIO(data)).width > 600


@pytest.mark.parametrize(
    "name", ["heights", "heights late", "roads", "grid", "grid 40", "bars", "bars named", "outlook", "lines"]
)
def test_labels_keep_out_of_each_others_way(name: str) -> None:
    def ink(box: Box) -> Box:
        """Where the letters are, without the room for accents and tails."""
        tall = box.y1 - box.y0
        return Box(box.x0 + 1, box.y0 + tall * 0.24, box.x1 - 1, box.y1 - tall * 0.24)

    labels = [label for label in canvas_of(MODELS[name]).labels if label.text not in "★✔✗"]
    touching = [(a.text, b.text) for a, b in combinations(labels, 2) if ink(a.box).overlaps(ink(b.box))]
    assert touching == []


def test_units_of_a_squad_are_named_in_full() -> None:
    names = ("8 тяжёлых пехотинцев", "4 всадника на грифонах", "5 просветлённых", "12 копейщиков")
    squad = Squad("CV", names, 29, 29)
    boards = tuple(Board(f"Этап {n}", ((squad,), (squad,))) for n in range(4))
    model = BattleFigure("Бой", ("Империя", "Культ"), ("#d9a400", "#6a2c91"), boards)
    texts = " ".join(label.text for label in canvas_of(model).labels)
    assert "…" not in texts
    assert all(texts.count(name) == 8 for name in names)


def test_everybody_is_on_the_height_map() -> None:
    model = samples.height_map(late=True)
    texts = " ".join(label.text for label in canvas_of(model).labels)
    assert all(free.shard.label in texts for free in model.free)
    assert all(f"{world.name.split()[0]}" in texts for world in model.worlds)
    assert "Морвен · 24" in texts


def test_worlds_that_share_height_and_lane_stand_apart() -> None:
    model = samples.height_map()
    together = replace(model, worlds=tuple(replace(world, x=0.5) for world in model.worlds))
    boxes = [label.box for label in canvas_of(together).labels if "·" in label.text and label.text != model.subtitle]
    assert len(boxes) == len(model.worlds)
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_worlds_outside_the_range_still_show() -> None:
    model = samples.height_map()
    high = replace(model, worlds=(replace(model.worlds[0], height=14), replace(model.worlds[1], height=-2)))
    texts = [label.text for label in canvas_of(high).labels]
    assert {"14", "−2", "-2"} & set(texts) >= {"14"}


@pytest.mark.parametrize("text", samples.HOSTILE)
def test_hostile_names_are_only_text(text: str) -> None:
    model = samples.road_map()
    nodes = tuple(replace(node, name=text) for node in model.nodes)
    canvas = canvas_of(replace(model, title=text, nodes=nodes))
    assert all(label.box.inside(canvas.box) for label in canvas.labels)


def test_small_areas_keep_their_colour_in_the_palette() -> None:
    image = Image.open(io.BytesIO(draw_png(samples.grid_map()))).convert("RGB")
    colours = {colour for _, colour in image.getcolors(1 << 24) or []}
    for owner in ("#2c6e49", "#8c3b2e", "#35507a", "#b07d12", "#c8641b", "#ffffff"):
        red, green, blue = rgb(owner)
        assert any(abs(red - r) + abs(green - g) + abs(blue - b) <= 24 for r, g, b in colours), owner


def test_png_shrinks_to_any_limit() -> None:
    data = draw_png(samples.grid_map(40, 40), 60_000)
    assert len(data) <= 60_000
    assert Image.open(io.BytesIO(data)).width > 300


def test_coordinates_stand_on_all_four_edges() -> None:
    labels = [label.text for label in canvas_of(replace(samples.grid_map(), clashes=())).labels]
    assert labels.count("Ж") == 2
    assert labels.count("14") == 2


def test_battles_are_shown_enlarged() -> None:
    labels = [label.text for label in canvas_of(samples.grid_map()).labels]
    assert "1. Битва на переправе" in labels
    assert labels.count("1") > 2


def test_cut_keeps_things_in_place() -> None:
    part = cut(samples.grid_map(), 4, 2, 5, 5)
    assert part.columns == ("Д", "Е", "Ж", "З", "И")
    assert [(c.x, c.y) for c in part.clashes] == [(2, 2)]
    assert all(0 <= x < 5 and 0 <= y < 5 for path in part.paths for x, y in path.cells)


def test_rivers_pass_through_their_cells() -> None:
    points = [(0.0, 0.0), (10.0, 5.0), (20.0, 0.0)]
    assert all(point in spline(points) for point in points)


def test_text_is_shortened_to_its_room() -> None:
    canvas = Canvas(100, 20)
    shown = canvas.shorten("Очень длинное название провинции", 14, 90)
    assert shown.endswith("…")
    assert canvas.text_width(shown, 14) <= 90


@pytest.mark.parametrize(
    ("value", "text"), [(1234567, "1\u00a0234\u00a0567"), (-2.5, "−2,5"), (0.37, "0,37"), (float("nan"), "—")]
)
def test_numbers_are_written_the_russian_way(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(("low", "high"), [(0, 29), (0, 0.4), (-13, 1200), (5, 5)])
def test_ticks_enclose_the_values_at_even_steps(low: float, high: float) -> None:
    marks = ticks(low, high)
    assert marks[0] <= low
    assert marks[-1] >= high
    assert len(marks) <= 9
    assert len({round(b - a, 9) for a, b in pairwise(marks)}) <= 1


@pytest.mark.parametrize("colour", ["#d4ac0d", "#7f8c8d", "#ffffff", "#000000", "#c0392b", "нет"])
def test_names_can_be_read_on_paper_and_on_their_own_colour(colour: str) -> None:
    assert contrast(legible(colour), "#ffffff") >= 4.5
    assert contrast(on(colour), colour) >= 3
