"""Kinds of Russian phrasing, each with several different examples: what they order, what they take back, what must ask."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from forum_gm.understand import post_text, understand
from parsers.types import Parse, parse_to_json
from rules import registry
from rules.steel_rose.state import State

RULES = registry.get("steel_rose")
Command = dict[str, Any]


@cache
def start() -> State:
    state: State = RULES.new_game(RULES.load_scenario(None))
    return state


def read(text: str, faction: str = "empire", step: str = "orders") -> Parse:
    return understand(RULES, start(), faction, step, post_text(text, "text"))


def sure(text: str, faction: str = "empire", step: str = "orders") -> list[Command]:
    return [dict(r.command) for r in read(text, faction, step).readings if r.certain]


def hire(unit: str, count: int) -> Command:
    return {"type": "hire", "unit": unit, "count": count}


def build(city: str, building: str) -> Command:
    return {"type": "build", "city": city, "building": building}


def march(order: str, city: str, army: int = 1, **more: Any) -> Command:
    return {"type": "army_order", "army": army, "order": order, "city": city, **more}


def place(**positions: Any) -> Command:
    return {"type": "deploy", "positions": positions}


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("10 копейщиков нанять не получится, возьму 5", [hire("spearman", 5)]),
        ("На 12 лучников денег не хватит, берём 8", [hire("archer", 8)]),
        ("Рыцарей не потянем, возьму 5 копейщиков", [hire("spearman", 5)]),
        ("Волки: было 10, пусть будет 12.", [hire("wolf", 12)]),
    ],
)
def test_what_cannot_be_done_is_no_order(text: str, commands: list[Command]) -> None:
    assert sure(text, "elves" if "Волки" in text else "empire") == commands


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("вместо барака в Кронвике — ферма", [build("kronvik", "farmland")]),
        ("В Кронвике строим не барак, а ферму", [build("kronvik", "farmland")]),
        ("дозорка в Крон — стоп, нет, в Крон лучше ферма, а дозорку не строим", [build("kronvik", "farmland")]),
        ("Барак в Кронвик и Вальдхейм. Нет, только в Кронвик.", [build("kronvik", "barracks")]),
        ("атакуем не Морвен, а Хольмгард", [march("attack", "holmgard")]),
        ("Барак в столице. Белый Брод: -\nКронвик: ферма", [build("altengrad", "barracks"), build("kronvik", "farmland")]),
        ("6 лучников.\nедит: лучников 8", [hire("archer", 8)]),
        ("Предать огров… хотя забудьте. Барак в столице", [build("altengrad", "barracks")]),
        ("барак в столице не надо", []),
        ("10 копейщиков не нужно", []),
        ("Армия идёт на Морвен, ой, нет, на Хольмгард", [march("attack", "holmgard")]),
    ],
)
def test_what_is_put_right_or_set_aside(text: str, commands: list[Command]) -> None:
    assert sure(text) == commands


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("В Хольмгарде гарнизон. Атакуем его!", [march("attack", "holmgard")]),
        ("Хольмгард слаб. Идём на него!", [march("attack", "holmgard")]),
        ("Барак ставим здесь, в столице. Ферму тоже сюда.", [build("altengrad", "barracks"), build("altengrad", "farmland")]),
        ("Идём к Хольмгарду и штурмуем его, берём себе", [march("attack", "holmgard", on_capture="colonize")]),
        ("На Хольмгард, грабить!", [march("attack", "holmgard", on_capture="plunder")]),
    ],
)
def test_words_for_a_place_named_before(text: str, commands: list[Command]) -> None:
    assert sure(text) == commands


@pytest.mark.parametrize("text", ["мануфактуры везде", "мануфактуру в каждом городе", "во всех городах строим мануфактуры"])
def test_all_cities_at_once(text: str) -> None:
    assert sure(text, "principality") == [build(c, "manufactory") for c in ("ormis", "holmgard", "stalevar", "shipovnik")]


def test_the_cities_not_named_yet() -> None:
    got = sure("Ормис: барак. Остальные города — по мануфактуре.", "principality")
    assert got == [build("ormis", "barracks"), *(build(c, "manufactory") for c in ("holmgard", "stalevar", "shipovnik"))]


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("Сталевар поднять на уровень", None),
        ("поднимаем Сталевар до 2 уровня", None),
        ("Сталевар поднять на два уровня", 2),
        ("поднять уровень Сталевара", None),
    ],
)
def test_raising_a_city_is_no_restoring(text: str, levels: int | None) -> None:
    command: Command = {"type": "upgrade_city", "city": "stalevar", **({"levels": levels} if levels else {})}
    assert sure(text, "principality") == [command]


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("— Сколько стрелков обучать?\n— Десять.", [hire("rifleman", 10)]),
        ("— Скольких щитовиков набрать, князь?\n— Восьмерых.", [hire("shieldman", 8)]),
        ("— А войско?\n— На Белый Брод.", [march("attack", "bely_brod")]),
    ],
)
def test_an_answer_completes_its_question(text: str, commands: list[Command]) -> None:
    assert sure(text, "principality") == commands


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("Заключаю союз с эльфами, разрываю с Империей.", [("propose_alliance", "elves"), ("break_alliance", "empire")]),
        ("Предлагаю союз Империи. И эльфам.", [("propose_alliance", "empire"), ("propose_alliance", "elves")]),
        ("Культ предлагает союз — принимаем.", [("accept_alliance", "cult")]),
        ("эльфы нам больше не союзники", [("break_alliance", "elves")]),
        ("Отклоняем предложение Культа.", []),
    ],
)
def test_each_faction_by_its_own_verb(text: str, commands: list[tuple[str, str]]) -> None:
    assert [(c["type"], c["faction"]) for c in sure(text, "principality")] == commands


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        ("Стрелки в тыл: 2 влево, 2 в центр", {"LR": {"rifleman": 2}, "CR": {"rifleman": 2}}),
        ("Щитовики: 3 в центр, по одному на фланги", {"CV": {"shieldman": 3}, "LV": {"shieldman": 1}, "RV": {"shieldman": 1}}),
        ("10 щитов, из них 5 в центр, 5 налево", {"CV": {"shieldman": 5}, "LV": {"shieldman": 5}}),
        ("Щиты 3 слева, стрелки за левыми щитами", {"LV": {"shieldman": 3}, "LR": {"rifleman": "all"}}),
        ("Щиты 6 вперёд по центру, стрелков 4 туда же назад", {"CV": {"shieldman": 6}, "CR": {"rifleman": 4}}),
        (
            "ЛФ: ав 3 щита / ар -\nЦФ: ав 8 щитов / ар 4 стр",
            {"LV": {"shieldman": 3}, "CV": {"shieldman": 8}, "CR": {"rifleman": 4}},
        ),
        (
            "щиты все цф авангард\nстрелки 4 лф авангард\nпушки 1 туда же",
            {"CV": {"shieldman": "all"}, "LV": {"rifleman": 4, "cannon": 1}},
        ),
        (
            "| позиция | авангард | арьергард |\n| левый | 5 щитов | 2 стрелка |\n| центр | 6 щитов | нет |",
            {"LV": {"shieldman": 5}, "LR": {"rifleman": 2}, "CV": {"shieldman": 6}},
        ),
        (
            "Левый: 3 щита и 2 стрелка за ними. Правый: то же самое.",
            {"LV": {"shieldman": 3}, "LR": {"rifleman": 2}, "RV": {"shieldman": 3}, "RR": {"rifleman": 2}},
        ),
        (
            "Все щиты — ЦАв, половина стрелков — левый арьергард, вторая половина — правый арьергард",
            {"CV": {"shieldman": "all"}, "LR": {"rifleman": "half"}, "RR": {"rifleman": "rest"}},
        ),
    ],
)
def test_ways_to_tell_a_deployment(text: str, positions: dict[str, Any]) -> None:
    assert sure(text, "principality", "deployment") == [place(**positions)]


@pytest.mark.parametrize(
    ("text", "maneuvers"),
    [
        ("Обстрел: ЦАр → ЦАв. Защита: ЦАв → ЦАр.", [("CR", "bombard", "CV"), ("CV", "defend", "CR")]),
        ("В укрытие: левый авангард, правый авангард", [("LV", "cover", None), ("RV", "cover", None)]),
        ("натиск: правый авангард на правый арьергард", [("RV", "charge", "RR")]),
        ("Центральный арьергард не стреляет, а уходит в укрытие", [("CR", "cover", None)]),
        (
            "левый авангард натиск на левый арьергард центральный арьергард стреляет по центральному авангарду",
            [("LV", "charge", "LR"), ("CR", "bombard", "CV")],
        ),
    ],
)
def test_ways_to_tell_manoeuvres(text: str, maneuvers: list[tuple[str, str, str | None]]) -> None:
    assert [(c["position"], c["maneuver"], c.get("target")) for c in sure(text, "principality", "planning")] == maneuvers


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("планирование боя за Хольмгард пропускаем", "orders"),
        ("планирования не будет", "deployment"),
        ("от планирования отказываюсь", "planning"),
    ],
)
def test_planning_skipped(text: str, step: str) -> None:
    assert [c["type"] for c in sure(text, step=step)] == ["skip_planning"]


@pytest.mark.parametrize(
    ("text", "faction", "step"),
    [
        ("все в укрытие", "principality", "planning"),
        ("Весь авангард в укрытие", "principality", "planning"),
        ("Волчатник 10 штук приручить", "elves", "orders"),
        ("думаю, барак в столицу", "empire", "orders"),
        ("Атакуем либо Хольмгард, либо Пик кошмаров", "empire", "orders"),
        ("стрелков туда побольше", "principality", "orders"),
        ("Порох — им.", "principality", "orders"),
        ("Армию на отдых", "empire", "orders"),
        ("мастер, а можно барак в столице? если можно, то строю", "empire", "orders"),
        ("Хольмгард: что-нибудь", "empire", "capture"),
        ("Пушки бьют по центральному тылу", "principality", "planning"),
    ],
)
def test_what_must_ask(text: str, faction: str, step: str) -> None:
    parse = read(text, faction, step)
    assert not [r for r in parse.readings if r.certain]
    assert parse.problems


@pytest.mark.parametrize(
    ("text", "faction"),
    [
        ("10 копейщиков сидеть и ждать", "empire"),
        ("Барак в столице никогда", "empire"),
        ("Армия 1 атакует Хольмгард. Армия 1 атакует Морвен.", "empire"),
        ("Всей ордой на Рощу! Разграбить и сжечь!", "ogres"),
        ("втарая армия атакует Хольмгард", "empire"),
        ("Волков докупить до 20", "elves"),
        ("на 300 копейщиков", "empire"),
        ("волков десять и ещё два", "elves"),
        ("десять лучших копейщиков войдут в столицу", "empire"),
        ("Армия: цель — Хольмгард; судьба города — наш.", "empire"),
    ],
)
def test_an_order_with_more_beside_it_than_was_understood_is_not_certain(text: str, faction: str) -> None:
    assert sure(text, faction) == []
    assert read(text, faction).readings or read(text, faction).problems


@pytest.mark.parametrize("text", ["Огров зовём: занимаем руины Кронвика", "Захватим руины Кронвика!"])
def test_ogres_take_no_ruins(text: str) -> None:
    assert "E_OGRES_NO_CAPTURE" in [p.code for p in read(text, "ogres").problems]
    assert sure(text, "ogres") == []


@pytest.mark.parametrize("text", ["Фланги в укрытие", "каждый фланг в укрытие", "на флангах натиск", "фланги обстреливают центр"])
def test_several_flanks_as_one_squad_never_raise(text: str) -> None:
    assert not read(text, "principality", "planning").uncovered()


def test_a_mended_line_is_no_field_of_the_command() -> None:
    commands = parse_to_json(read("нанять 10 копейшиков"))["commands"]
    assert [set(c) for c in commands] == [{"type", "unit", "count", "source", "certain", "note"}]


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        (
            "барак кронвик\n12 копейщиков\nПРАВКА: барак всё-таки в Вальдхейм",
            [hire("spearman", 12), build("valdheim", "barracks")],
        ),
        ("Барак в Кронвике, лучше в Вальдхейме", [build("valdheim", "barracks")]),
        (
            "Ферма в Кронвик.\nБарак в столице.\nФерма лучше в Брод",
            [build("altengrad", "barracks"), build("bely_brod", "farmland")],
        ),
        ("Барак в Кронвике.\nUPD: ещё барак в Вальдхейм", [build("kronvik", "barracks"), build("valdheim", "barracks")]),
        ("Барак в Кронвике. Ещё барак в Вальдхейме.", [build("kronvik", "barracks"), build("valdheim", "barracks")]),
    ],
)
def test_a_building_moved_to_another_place_is_built_there_alone(text: str, commands: list[Command]) -> None:
    assert sure(text) == commands


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("1. Барак в Кронвик\n2. 20 копейщиков\nВ пункте 2 не 20, а 15.", [build("kronvik", "barracks"), hire("spearman", 15)]),
        ("1) 10 копейщиков\n2) 5 лучников\nВ п. 1 не 10, а 12", [hire("spearman", 12), hire("archer", 5)]),
        ("1. 10 копейщиков\n2. 5 лучников\nПункт 2: 7 штук", [hire("spearman", 10), hire("archer", 7)]),
        ("1. Барак в Кронвик\n2. 10 копейщиков и 3 целителя\nВ пункте 2 пусть будет 4", [build("kronvik", "barracks")]),
    ],
)
def test_the_number_of_an_item_is_put_right_or_the_item_asks(text: str, commands: list[Command]) -> None:
    assert sure(text) == commands


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("Предложение эльфов о союзе — принимаем.", "accept_alliance"),
        ("Предложение Культа — принять", "accept_alliance"),
        ("Предложение эльфов о дружбе принимаю", "accept_alliance"),
        ("Ограм предложение о союзе.", "propose_alliance"),
        ("Предложение эльфов о союзе отклоняем", None),
    ],
)
def test_an_answer_to_a_proposal_is_no_proposal(text: str, type_: str | None) -> None:
    assert [c["type"] for c in sure(text, "principality")] == ([type_] if type_ else [])


@pytest.mark.parametrize(
    ("text", "cities"),
    [
        ("Эльфов предаём, берём Лунную Рощу и Ручей... хотя нет, только Рощу.", ["lunnaya_roshcha"]),
        ("Предаём эльфов, забираем Рощу и Ручей. Нет, только Ручей.", ["serebryany_ruchey"]),
        ("Предаём эльфов, забираем Рощу и Ручей.", ["lunnaya_roshcha", "serebryany_ruchey"]),
    ],
)
def test_of_a_traitors_cities_the_one_named_alone_stays(text: str, cities: list[str]) -> None:
    assert [r.command["cities"] for r in read(text, "cult").readings] == [cities]


@pytest.mark.parametrize(
    "text",
    [
        "Чёрный Камень... даже не знаю, то ли разграбить, то ли разрушить.",
        "Морвен то ли грабить, то ли жечь, не решил",
        "Хольмгард или сжечь, или разграбить",
    ],
)
def test_a_choice_between_two_fates_asks(text: str) -> None:
    assert sure(text, "empire", "capture") == []
    assert read(text, "empire", "capture").problems


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("брод жжём и руины себе... не, руины нафиг не нужны", False),
        ("Морвен сжечь, руины не нужны, хотя нет, руины берём", True),
        ("Морвен сжечь, руины нам.", True),
    ],
)
def test_of_two_words_on_the_ruins_the_later_counts(text: str, kept: bool) -> None:
    assert [r.command["keep_ruins"] for r in read(text, "principality", "capture").readings] == [kept]


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        ("Левый авангард — 4 копейщика. Центральный авангард — 6 копейщиков, точнее 7 копейщиков.", {"LV": 4, "CV": 7}),
        ("ЦАв: 6 копейщиков, вернее 8 копейщиков. ПАв: 2 копейщика.", {"CV": 8, "RV": 2}),
        ("ЛАв: 5 копейщиков. ПАв: 5 копейщиков. Нет, в ПАв 7 копейщиков.", {"LV": 5, "RV": 7}),
    ],
)
def test_a_squad_said_anew_takes_the_place_of_the_one_before(text: str, positions: dict[str, int]) -> None:
    assert sure(text, step="deployment") == [place(**{cell: {"spearman": n} for cell, n in positions.items()})]


def test_a_sentence_that_takes_a_manoeuvre_back_speaks_of_the_same_squad() -> None:
    marched = {"type": "maneuver", "position": "LV", "maneuver": "forced_march", "path": ["CV", "RV"]}
    text = "Левый авангард: укрытие. Нет, лучше марш-бросок: сначала в центральный авангард, потом в правый авангард."
    assert sure(text, "elves", "planning") == [marched]
    moved = {"type": "maneuver", "position": "LV", "maneuver": "move", "path": ["CV"]}
    assert sure("ЛАв: укрытие. Лучше смена позиции на центральный авангард.", step="planning") == [moved]
    assert sure("ЦАр: обстрел ЦАв. Нет, всё-таки обстрел левого авангарда.", step="planning") == []


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("В Шиповнике открывается вербовочный пункт, запись с шести утра.", build("shipovnik", "recruiting_office")),
        ("В Ормисе закладывается мануфактура", build("ormis", "manufactory")),
    ],
)
def test_a_building_that_rises_by_itself_is_ordered(text: str, command: Command) -> None:
    assert [dict(r.command) for r in read(text, "principality").readings] == [command]


@pytest.mark.parametrize(
    "text", ["Барак в Альтенграде, ещё один барак в Альтенграде", "Барак в столице.\nИ ещё барак в столице."]
)
def test_one_more_of_the_same_building_is_refused_not_lost(text: str) -> None:
    assert "E_DUPLICATE_BUILDING" in [p.code for p in read(text).problems]


@pytest.mark.parametrize(
    ("text", "faction"),
    [("культистов берем девять просветленных", "cult"), ("быкоф тры!", "ogres"), ("капейщики тры", "empire")],
)
def test_a_number_that_may_be_anothers_or_is_misspelt_asks(text: str, faction: str) -> None:
    parse = read(text, faction)
    assert not [r for r in parse.readings if r.certain]
    assert parse.problems or parse.readings


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        (
            "В левый авангард ставлю пятерых копейщиков, в правый авангард столько же.",
            place(LV={"spearman": 5}, RV={"spearman": 5}),
        ),
        ("Левый авангард: 4 копейщика. Правый — столько же.", place(LV={"spearman": 4}, RV={"spearman": 4})),
        (
            "Слева 5 копейщиков, справа столько же, в центре 6 лучников.",
            place(LV={"spearman": 5}, RV={"spearman": 5}, CV={"archer": 6}),
        ),
    ],
)
def test_as_many_of_the_same_stand_elsewhere(text: str, positions: Command) -> None:
    assert sure(text, step="deployment") == [positions]


@pytest.mark.parametrize(
    "text", ["Центральный авангард: 6 копейщиков. Резерв: 2 всадника.", "ЦАв 6 копейщиков, в засаде 2 всадника"]
)
def test_a_reserve_is_no_place_of_the_field(text: str) -> None:
    parse = read(text, step="deployment")
    assert [r.command["positions"] for r in parse.readings] == [{"CV": {"spearman": 6}}]
    assert [p.code for p in parse.problems] == ["E_POSITION"]


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("Никаких грабежей. Морвен присоединить.", ["colonize"]),
        ("Хольмгард берём под свою руку, без разграбления.", ["colonize"]),
        ("Никакого разрушения, Морвен грабим", ["plunder"]),
    ],
)
def test_a_fate_that_is_not_to_be_is_no_choice(text: str, choices: list[str]) -> None:
    assert [r.command["choice"] for r in read(text, "empire", "capture").readings] == choices


@pytest.mark.parametrize(
    "text",
    [
        "Союз с Культом принимаем. Пусть пришлют низших демонов.",
        "Союз с Культом принимаем. От них пусть шлют низших демонов.",
        "союз с культом принимаем, от них низшие демоны",
    ],
)
def test_demons_that_an_ally_sends_are_chosen(text: str) -> None:
    assert {"type": "choose_demons", "demons": "lower_demon"} in sure(text, "elves")


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("Барак и часовня в столице. Хотя нет, только часовня.", "orders"),
        ("1. Барак в Кронвик\nВ пункте 1 не Кронвик, а Вальдхейм", "orders"),
        ("1. Барак в Кронвик\nПункт 1 — в Вальдхейм", "orders"),
    ],
)
def test_an_order_that_may_be_taken_back_right_behind_asks(text: str, step: str) -> None:
    assert sure(text, step=step) == []
    assert read(text, step=step).readings
