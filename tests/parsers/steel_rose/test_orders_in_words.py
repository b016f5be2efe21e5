"""Orders of a turn in whatever words: what is ordered for certain, what only asks, what a refusal names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.parsers.steel_rose.test_kinds_of_phrases import Command, build, hire, read, sure


def offer(faction: str, type_: str = "propose_alliance") -> Command:
    return {"type": type_, "faction": faction}


def march(city: str, army: int = 1, **more: Any) -> Command:
    return {"type": "army_order", "army": army, "order": "attack", "city": city, **more}


@pytest.mark.parametrize(
    ("text", "faction", "commands"),
    [
        ("Эльфам — союз, ограм — отказ.", "empire", [offer("elves")]),
        ("Эльфы, мир? Официально предлагаю вам союз.", "principality", [offer("elves")]),
        ("Культ предлагает нам союз. Согласны.", "empire", [offer("cult", "accept_alliance")]),
        ("Предлагаем союз эльфам, Княжество пусть первым просит.", "empire", [offer("elves")]),
        ("Эльфам мы предлагаем союз.\nограм привет, вы норм ребята", "empire", [offer("elves")]),
        ("Нанять 5 следопытов и вдвое больше волков", "elves", [hire("ranger", 5), hire("wolf", 10)]),
        ("волков возьмите двенадцать следопытов шесть", "elves", [hire("wolf", 12), hire("ranger", 6)]),
        ("по десятку копейщиков и лучников", "empire", [hire("spearman", 10), hire("archer", 10)]),
        ("Отряд;Нанять\nЛучник;8\nВсадник;2", "empire", [hire("archer", 8), hire("horseman", 2)]),
        ("Барак (Кронвик), минус 150.\n", "empire", [build("kronvik", "barracks")]),
        ("мануфа в Ормис\n— ещё одна в Хольм", "principality", [build("ormis", "manufactory"), build("holmgard", "manufactory")]),
        ("Вальдхейм — ферма, Кронвик — то же самое.", "empire", [build("valdheim", "farmland"), build("kronvik", "farmland")]),
        ("Ормис (барак), Сталевар (мануфактура), Хольмгард (-).", "principality",
         [build("ormis", "barracks"), build("stalevar", "manufactory")]),
        ("Кронвик;поднять с 1 уровня сразу до 3", "empire", [{"type": "upgrade_city", "city": "kronvik", "levels": 2}]),
        ("Армия 1 «Соколы»: лучники все.", "empire",
         [{"type": "form_army", "army": 1, "units": {"archer": "all"}, "name": "Соколы"}]),
        ("войску идти на Чёрный Камень, град сей разрушить", "principality", [march("chernyi_kamen", on_capture="destroy")]),
        ("Обе армии атакуют Брод.", "principality", [march("bely_brod"), march("bely_brod", army=2)]),
        ("2 армия атакует морвен", "empire", [march("morwen", army=2)]),
        ("2 армией бьём Морвен.", "empire", [march("morwen", army=2)]),
        ("ферма в кронвик\n2 армию на морвен", "empire", [build("kronvik", "farmland"), march("morwen", army=2)]),
        ("1. армия атакует морвен", "empire", [march("morwen")]),
        ("телепортировать армию под Ормис", "empire", []),
        ("вот и сидите в своём Ормисе", "cult", []),
        ("Обороняйте свой Сталевар, трусы!", "cult", []),
        ("Стоим в обороне в своём Морвене.", "cult", [{**march("morwen"), "order": "defend"}]),
        ("Пушкам порох в последнюю очередь, сначала стрелкам.", "principality",
         [{"type": "allocate_powder", "order": ["rifleman", "cannon"]}]),
        ("Четверо гнобларов моют посуду: их в гарнизон города.", "ogres",
         [{"type": "garrison_mobile", "units": {"gnoblar": 4}, "direction": "in"}]),
        ("Город: с дороги Вальдхейм–Роща на Вальдхейм–Альтенград.", "ogres",
         [{"type": "move_mobile_city", "path": [["valdheim", "altengrad"]]}]),
        ("Телепортируем 8 низших демонов из первой армии на Белый Брод.", "cult",
         [{"type": "ritual", "ritual": "teleport", "city": "bely_brod", "army": 1, "units": {"lower_demon": 8}}]),
        ("План на ход:\n- барак в столице", "empire", [build("altengrad", "barracks")]),
        ("Никакого призыва.", "cult", []),
    ],
)  # fmt: skip
def test_what_is_ordered(text: str, faction: str, commands: list[Command]) -> None:
    assert sure(text, faction) == commands


@pytest.mark.parametrize(
    "text",
    ["Копейщиков: 8-10", "5+3 копейщиков", "10 копейщиков. Хм, мало. 15.", "Копейщиков 10, из них 4 в армию 2",
     "Завтра пойдём на Морвен.", "Армия держит оборону."],
)  # fmt: skip
def test_what_is_left_open_asks(text: str) -> None:
    parse = read(text)
    assert not [r for r in parse.readings if r.certain]
    assert parse.problems or parse.readings


@pytest.mark.parametrize(
    ("text", "faction", "code"),
    [
        ("строю мост в Хольмгарде", "principality", "E_FACTION_BUILDING"),
        ("Барак в Обжорище", "ogres", "E_FACTION_BUILDING"),
        ("Нанять 5 драконов", "empire", "E_FACTION_UNIT"),
        ("Гномам предложить союз", "ogres", "E_UNKNOWN_FACTION"),
        ("Заклинание «Огненный дождь» на Морвен.", "elves", "E_UNKNOWN_SPELL"),
        ("ритуал Вечной Ночи", "cult", "E_UNKNOWN_RITUAL"),
        ("Заразить Вальдхейм порчей", "ogres", "E_FACTION"),
    ],
)
def test_what_the_game_lacks_is_named(text: str, faction: str, code: str) -> None:
    parse = read(text, faction)
    assert code in [p.code for p in parse.problems]
    assert not parse.readings
