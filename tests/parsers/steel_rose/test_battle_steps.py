"""How players tell deployments, plans and the fate of a city: kinds of speech, each with several examples."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from forum_gm.understand import post_text, understand
from parsers.types import Parse
from rules import registry
from rules.steel_rose.state import State

RULES = registry.get("steel_rose")
Command = dict[str, Any]


@cache
def start() -> State:
    state: State = RULES.new_game(RULES.load_scenario(None))
    return state


def read(text: str, step: str, faction: str = "empire") -> Parse:
    return understand(RULES, start(), faction, step, post_text(text, "text"))


def sure(text: str, step: str, faction: str = "empire") -> list[Command]:
    return [dict(r.command) for r in read(text, step, faction).readings if r.certain]


def deployed(text: str) -> dict[str, Any]:
    """The positions of a certain deployment."""
    (command,) = sure(text, "deployment")
    positions: dict[str, Any] = command["positions"]
    return positions


def maneuver(position: str, name: str, **fields: Any) -> Command:
    return {"type": "maneuver", "position": position, "maneuver": name, **fields}


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        ("Правый фланг: 2 всадника в авангарде, 3 лучника в арьергарде. Левый фланг: 2 копейщика в авангарде.",
         {"RV": {"horseman": 2}, "RR": {"archer": 3}, "LV": {"spearman": 2}}),
        ("Левый фланг\nАвангард\n4 всадника\nАрьергард\n2 лучника\nПравый фланг\nАвангард\n3 рыцаря",
         {"LV": {"horseman": 4}, "LR": {"archer": 2}, "RV": {"knight": 3}}),
        ("Авангард\nЛевый\n4 всадника\nЦентр\n3 рыцаря", {"LV": {"horseman": 4}, "CV": {"knight": 3}}),
        ("Авангард: Л – 3 рыцаря, Ц – 5 копейщиков. Арьергард: Ц – 4 лучника.",
         {"LV": {"knight": 3}, "CV": {"spearman": 5}, "CR": {"archer": 4}}),
        ("Авангард Л/Ц/П: 3 рыцаря / 5 копейщиков / -", {"LV": {"knight": 3}, "CV": {"spearman": 5}}),
        ("| | Левый | Центр |\n|---|---|---|\n| Авангард | 5 копейщиков | 6 копейщиков |\n| Арьергард | 4 лучника | - |",
         {"LV": {"spearman": 5}, "CV": {"spearman": 6}, "LR": {"archer": 4}}),
        ("Лучников четверо: двое в левом арьергарде, двое в правом. Копейщики: по двое в каждом авангарде.",
         {"LR": {"archer": 2}, "RR": {"archer": 2}, "LV": {"spearman": 2}, "CV": {"spearman": 2}, "RV": {"spearman": 2}}),
        ("Пять копейщиков в левый авангард. Пять в правый.", {"LV": {"spearman": 5}, "RV": {"spearman": 5}}),
        ("Копейщики в центре, лучники у них за спиной", {"CV": {"spearman": "all"}, "CR": {"archer": "all"}}),
        ("Героя с восемью копейщиками — в центральный авангард", {"CV": {"hero": 1, "spearman": 8}}),
        ("Герой поведёт центральный авангард вместе с 5 рыцарями", {"CV": {"hero": 1, "knight": 5}}),
        ("Центральный арьергард — 6 лучников… нет, всех семерых", {"CR": {"archer": 7}}),
        ("По левую руку, в авангард, пять всадников", {"LV": {"horseman": 5}}),
        ("все копейщики в левый авангард лучники в центр а справа никого не ставим",
         {"LV": {"spearman": "all"}, "CV": {"archer": "all"}}),
    ],
)  # fmt: skip
def test_ways_to_tell_who_stands_where(text: str, positions: dict[str, Any]) -> None:
    assert deployed(text) == positions


_TOLD = "Левый авангард: 4 всадника. Центральный авангард: 8 копейщиков. Центральный арьергард: 4 лучника.\n"


@pytest.mark.parametrize(
    ("more", "changed"),
    [
        ("UPD: копейщиков не 8, а 10.", {"CV": {"spearman": 10}}),
        ("UPD: в центральном авангарде 10 копейщиков.", {"CV": {"spearman": 10}}),
        ("Уточнение: копейщиков 10.", {"CV": {"spearman": 10}}),
        ("UPD: ещё 3 рыцаря в правый авангард.", {"RV": {"knight": 3}}),
    ],
)
def test_a_correction_changes_what_it_names_and_leaves_the_rest(more: str, changed: dict[str, Any]) -> None:
    told = {"LV": {"horseman": 4}, "CV": {"spearman": 8}, "CR": {"archer": 4}}
    assert deployed(_TOLD + more) == told | changed


@pytest.mark.parametrize(
    "text",
    [
        "20 копейщиков и 8 лучников в тылу",
        "Центр: 10 копейщиков / 6 лучников",
        "Копейщиков 12 и лучников 6 в центр, лучников сзади",
        "Копейщики стоят позади рыцарей",
        "Правый фланг зеркально левому: 4 всадника впереди",
        "Копейщиков восемь: трое слева, трое справа",
        "3 следопыта в левый авангард",
        "Волков восемь: четыре туда, четыре сюда",
        _TOLD + "UPD: мушкетёров не пять, а шесть!",
    ],
)
def test_a_deployment_that_may_mean_two_things_asks(text: str) -> None:
    parse = read(text, "deployment")
    assert not [r for r in parse.readings if r.certain]
    assert parse.readings or parse.problems


def test_a_squad_sent_to_no_place_of_the_field() -> None:
    parse = read("Центральный авангард: 9 копейщиков. На крышу — одного лучника.", "deployment")
    assert [p.code for p in parse.problems] == ["E_POSITION"]


@pytest.mark.parametrize(
    "text",
    [
        "Гарнизону Кронвика стоять так: копейщики в центральном авангарде, лучники в центральном арьергарде.",
        "Гарнизон Кронвика:\n- центральный авангард: копейщики\n- центральный арьергард: лучники",
        "Гарнизон Кронвика:\nцентральный авангард — копейщики\nцентральный арьергард — лучники",
        "Оборона Кронвика: копейщики в центральном авангарде, лучники в центральном арьергарде.",
    ],
)
def test_ways_to_preset_a_garrison(text: str) -> None:
    positions = {"CV": {"spearman": "all"}, "CR": {"archer": "all"}}
    assert sure(text, "orders") == [{"type": "set_garrison_deployment", "city": "kronvik", "positions": positions}]


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("Левый авангард прикрывает левый арьергард, правый авангард — правый арьергард",
         [maneuver("LV", "defend", target="LR"), maneuver("RV", "defend", target="RR")]),
        ("Левый арьергард обстреливает левый авангард, правый — правый",
         [maneuver("LR", "bombard", target="LV"), maneuver("RR", "bombard", target="RV")]),
        ("Правый авангард — натиск на центральный арьергард, а левый авангард — на левый",
         [maneuver("RV", "charge", target="CR"), maneuver("LV", "charge", target="LR")]),
        ("Центральный арьергард: обстрел левого авангарда. Левый арьергард: обстрел, цель та же.",
         [maneuver("CR", "bombard", target="LV"), maneuver("LR", "bombard", target="LV")]),
        ("Центральный арьергард: обстрел левого авангарда, и левый арьергард тоже.",
         [maneuver("CR", "bombard", target="LV"), maneuver("LR", "bombard", target="LV")]),
        ("Правый авангард: натиск на центральный арьергард врага, а бесплатной сменой позиции — в правый арьергард.",
         [maneuver("RV", "charge", target="CR", free_move="RR")]),
        ("Защищаем центральный арьергард левым арьергардом", [maneuver("LR", "defend", target="CR")]),
        ("Прикрыть центральный арьергард — центральному авангарду", [maneuver("CV", "defend", target="CR")]),
        ("По левому авангарду врага — обстрел силами левого арьергарда", [maneuver("LR", "bombard", target="LV")]),
        ("По центральному авангарду — обстрел из центрального арьергарда", [maneuver("CR", "bombard", target="CV")]),
        ("Натиск на правый арьергард врага — правый авангард", [maneuver("RV", "charge", target="RR")]),
        ("Левый арьергард обстреливает вражеских лучников в левом авангарде", [maneuver("LR", "bombard", target="LV")]),
        ("Левый авангард: марш-бросок в правый авангард через центр", [maneuver("LV", "forced_march", path=["CV", "RV"])]),
        ("Правый авангард — шаг назад, в тыл", [maneuver("RV", "move", path=["RR"])]),
        ("Правый фланг: авангард — в укрытие, арьергард — обстрел правого авангарда",
         [maneuver("RV", "cover"), maneuver("RR", "bombard", target="RV")]),
        ("Авангард:\nлевый — укрытие\nправый — натиск на правый арьергард",
         [maneuver("LV", "cover"), maneuver("RV", "charge", target="RR")]),
        ("Все три авангарда — левый, центральный, правый — в укрытие",
         [maneuver(f"{flank}V", "cover") for flank in "LCR"]),
        ("Левый авангард в укрытие, остальные без манёвров", [maneuver("LV", "cover")]),
        ("Правый арьергард стреляет по ихнему центральному авангарду", [maneuver("RR", "bombard", target="CV")]),
    ],
)  # fmt: skip
def test_ways_to_tell_a_plan(text: str, commands: list[Command]) -> None:
    assert sure(text, "planning") == commands


@pytest.mark.parametrize(
    "text",
    [
        "Лучники из тыла бьют по их центру",
        "Левый арьергард бьёт по левому авангарду",
        "На правый арьергард врага натиск правым авангардом, на левый — левым",
    ],
)
def test_a_plan_without_the_name_of_a_manoeuvre_or_with_more_targets_asks(text: str) -> None:
    parse = read(text, "planning")
    assert parse.readings
    assert not [r for r in parse.readings if r.certain]


@pytest.mark.parametrize("text", ["Левый авангард строится черепахой", "Левый авангард: черепаха", "Левому авангарду рыть окопы"])
def test_what_is_no_manoeuvre(text: str) -> None:
    assert [p.code for p in read(text, "planning").problems] == ["E_UNKNOWN_MANEUVER"]


@pytest.mark.parametrize(
    ("text", "fate"),
    [
        ("Солдаты просили три дня на грабёж. Решение: колонизировать Морвен.", {"city": "morwen", "choice": "colonize"}),
        ("Пик кошмаров грабим. А впрочем, нет. Пик кошмаров разрушить.", {"city": "nightmare_peak", "choice": "destroy"}),
        ("Пик кошмаров грабим. Хотя нет, колонизируем.", {"city": "nightmare_peak", "choice": "colonize"}),
        ("Ломать не надо, грабить не надо, колонизируем.", {"choice": "colonize"}),
        ("Не жечь Хольмгард, а грабить.", {"city": "holmgard", "choice": "plunder"}),
        ("Жители молили о пощаде. Грабёж отменяется, город под нашу корону.", {"choice": "colonize"}),
    ],
)
def test_one_city_has_one_fate(text: str, fate: Command) -> None:
    assert sure(text, "capture") == [{"type": "capture_choice", **fate}]


def test_a_fate_that_is_only_thought_of_asks() -> None:
    parse = read("Колонизировать или грабить? Думаю, грабить.", "capture")
    assert not parse.readings
    assert [p.code for p in parse.problems] == ["ambiguous"]


def test_an_unclear_order_of_another_phase_is_one_of_another_phase() -> None:
    parse = read("Грабить. И город перекатить к Альтенграду.", "capture", "ogres")
    assert "E_PHASE" in [p.code for p in parse.problems]
