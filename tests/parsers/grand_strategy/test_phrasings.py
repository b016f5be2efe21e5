"""Classes of Russian phrasing that were once read wrong; of each, several different examples."""

from __future__ import annotations

from typing import Any

import pytest

from tests.parsers.grand_strategy.test_language import codes, commands, read

MOVE = {"type": "move", "unit": "T1"}


def types(text: str, faction: str = "thorgrim", **more: Any) -> list[str]:
    return [str(c["type"]) for c in commands(text, faction, **more)]


@pytest.mark.parametrize(
    ("text", "faction", "path", "deed"),
    [
        ("Всадники на С7 и оттуда осаждают Лориэн", "ghash", ["С7"], "siege"),
        ("дружина на З8, там садимся на плоты (5 монет)", "radomir", ["З8"], "embark"),
        ("Стража на Д8, там ставит заставу", "thorgrim", ["Д8"], "build"),
        ("Аэлин на Д4, потом туман сна на дружину Радомира", "aelin", ["Д4"], "cast"),
    ],
)
def test_a_way_before_a_deed_is_a_movement(text: str, faction: str, path: list[str], deed: str) -> None:
    first, second = commands(text, faction)
    assert (first["type"], first["path"], second["type"]) == ("move", path, deed)


@pytest.mark.parametrize("tail", ["входим в башню и забираем её", "силой занимаем башню", "входим с боем", "и штурмуем башню"])
def test_R47_force_at_the_end_of_a_way_into_a_building_is_an_assault(tail: str) -> None:
    found = commands(f"Дружина З9-З10, {tail}", "radomir")
    assert found == [{"type": "move", "unit": "R1", "path": ["З9", "З10"], "assault": True}]


@pytest.mark.parametrize(
    "text",
    [
        "Кровавый Стан просыпается. Барабаны бьют третий день.",
        "крепость строят трусы",
        "Повысить Стан уже некуда",
        "хватит копать рудник на Т12",
        "Никаких орков в Стан не нанимаю",
        "Гхаш спросил, не поставить ли крепость.",
        "Послать бы Радомиру монет!",
        "Я тут первый раз хожу",
    ],
)
def test_a_story_or_a_refusal_orders_nothing(text: str) -> None:
    assert commands(text, "ghash") == []


@pytest.mark.parametrize(
    ("text", "faction"),
    [
        ("гонец поскакал, а на У9 костры", "ghash"),
        ("гоблины на С9", "ghash"),
        ("Сарману 10 монет", "ghash"),
        ("Гхаш, у меня вход в крепости заказан", "thorgrim"),
        ("Аэлин, твою службу я запомню, а предложение обдумаю", "radomir"),
        ("орки, которых наняли на последние двадцать", "ghash"),
    ],
)
def test_what_reads_like_an_order_and_is_in_none_asks(text: str, faction: str) -> None:
    parse = read(text, faction)
    assert not [r for r in parse.readings if r.certain]
    assert parse.problems


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("всадники на С8, гоблины на С9", "no_such_unit"),
        ("Сарману 10 монет", "bad_recipient"),
        ("Аэлин или Торгриму 5 монет", "ambiguous"),
        ("Торгриму 5-7 монет", "ambiguous"),
        ("Торгриму половину казны отправить", "ambiguous"),
        ("Стан закрыт для всех, кроме Радомира", "ambiguous"),
        ("Рыцари в Стан", "ambiguous"),
    ],
)
def test_two_things_or_nobody_asks_with_its_code(text: str, code: str) -> None:
    state = read("всадники на С8", "ghash")
    assert state.commands
    found = codes("всадники на С8\n" + text, "ghash") if text == "Рыцари в Стан" else codes(text, "ghash")
    assert code in found


@pytest.mark.parametrize(
    "text",
    ["Рыцари в Трон, 40", "Каменный Трон: рыцари", "рыцарей в Каменный Трон", "Каменный Трон — рыцари за 40 монет"],
)
def test_a_price_or_a_house_that_leads_hires(text: str) -> None:
    assert commands(text) == [{"type": "hire", "building": "В9", "unit_type": "knights"}]


@pytest.mark.parametrize(
    ("text", "sums"),
    [
        ("Шесть монет — Радомиру, три — Аэлин", {"radomir": 6, "aelin": 3}),
        ("Гхашу ни монеты, Аэлин 3", {"aelin": 3}),
        ("Радомиру ничего, Аэлин 5 монет", {"aelin": 5}),
        ("Аэлин, лови семь монет", {"aelin": 7}),
        ("Пусть Радомир получит 6 монет", {"radomir": 6}),
        ("Гонца к Гхашу с пятью монетами", {"ghash": 5}),
        ("Аэлин 10 монет. Ой, не 10, а 5!", {"aelin": 5}),
        ("Радомиру десятку, Аэлин пятак", {"radomir": 10, "aelin": 5}),
    ],
)
def test_R31_who_gets_how_much(text: str, sums: dict[str, int]) -> None:
    assert {c["to"]: c["amount"] for c in commands(text)} == sums


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Радомир, твоё предложение принято", {"type": "accept_service", "player": "radomir"}),
        ("На предложение Радомира отвечаю согласием", {"type": "accept_service", "player": "radomir"}),
        ("Аэлин, спасибо за предложение, но нет", {"type": "decline_service", "player": "aelin"}),
        ("Радомир, айда ко мне в вассалы", {"type": "offer_service", "player": "radomir"}),
        ("Снимаю с Радомира присягу", {"type": "dismiss_vassal", "player": "radomir"}),
        ("Радомир мне больше не вассал", {"type": "dismiss_vassal", "player": "radomir"}),
        ("Радомир, я тебе больше не вассал", {"type": "leave_service"}),
        ("Расторгаю договор службы с Радомиром", {"type": "leave_service"}),
    ],
)
def test_R37_service_is_told_by_who_says_what(text: str, command: dict[str, Any]) -> None:
    assert commands(text, step="window") == [command]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Больше никаких эльфов в Каменном Троне", {"type": "deny_entry", "building": "В9", "player": "aelin"}),
        ("Радомир может появиться в Западном кряже", {"type": "allow_spawn", "province": 7, "player": "radomir"}),
        ("Разрешаю Аэлин зайти в Трон", {"type": "allow_entry", "building": "В9", "player": "aelin"}),
        ("Радомир, милости прошу в Каменный Трон", {"type": "allow_entry", "building": "В9", "player": "radomir"}),
    ],
)
def test_R32_permissions_in_other_words(text: str, command: dict[str, Any]) -> None:
    assert commands(text) == [command]


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("Гарнизон обороняется, Аэлин стреляет", {"Г3": ["defend"] * 3, "A1": ["shoot"]}),
        ("Аэлин в атаку, гарнизон в обороне", {"A1": ["attack"], "Г3": ["defend"] * 3}),
        ("гарнизон ООС, маг А", {"Г3": ["defend", "defend", "shoot"], "A1": ["attack"]}),
    ],
)
def test_R119_while_a_battle_waits_deeds_are_cards(text: str, cards: dict[str, list[str]]) -> None:
    (command,) = commands(text, "aelin", step="battle")
    assert {k: list(v) for k, v in command["cards"].items()} == cards


@pytest.mark.parametrize("text", ["Общего боя с Гхашем не будет", "С Гхашем биться вместе не буду"])
def test_R103_a_denied_common_battle_is_a_refusal(text: str) -> None:
    assert commands(text) == [{"type": "join_consent", "player": "ghash", "agree": False}]


@pytest.mark.parametrize(
    "text", ["и всё", "Конец.", "Всё, ждём лета", "ход мой окончен", "С уважением, Подгорное царство. Ход окончен."]
)
def test_ways_to_end_a_turn(text: str) -> None:
    head = "Стража на В10" + (" " if text.startswith("и") else "\n")
    assert types(head + text) == ["move", "end_turn"]


def test_a_correction_replaces_the_order_to_the_same_troop_only() -> None:
    text = "Стража на Г8\nТрон: гномы\nUPD: гномы сразу на В8"
    assert [c.get("unit") for c in commands(text) if c["type"] == "move"] == ["T1", "<hired dwarves>"]
    assert commands("Стража на Г8\nUPD: стража на В10") == [{**MOVE, "path": ["В10"]}]


def test_R24_the_personal_troop_spared_is_last() -> None:
    (command,) = commands("Нанять гномов в Троне. Личное не трогать", "thorgrim")[1:]
    assert (command["type"], list(command["units"])) == ("disband_priority", ["<hired dwarves>"])


def test_R182_the_other_branch_may_be_a_bare_no() -> None:
    _, first, second = commands("Туман сна на дружину. Удалось — иду на Г4, нет — на В4.", "aelin")
    assert (first["path"], first["condition"]["outcome"]) == (["Г4"], "success")
    assert (second["path"], second["condition"]["outcome"]) == (["В4"], "fail")


@pytest.mark.parametrize(
    "text",
    [
        "Всадники на С9 не идут",
        "Не идут всадники на С9",
        "В прошлом году план был идти на С9",
        "Всадники на С9. Отмена. Всадники стоят.",
        "Всадники на С9, а, нет, пусть стоят",
        "Торгриму 10 монет. Хотя нет, не надо.",
        "Кровавый Стан понизить не предлагать",
        "Всадники туда же, что и в прошлом году",
        "За голову Торгрима плачу 20 монет",
        "Торгриму и Радомиру 10 монет на двоих",
        "Шлю Торгриму на две монеты больше",
        "Если стража Торгрима окажется на С7 или С8, атакую всадниками",
    ],
)
def test_what_was_called_off_or_left_open_is_never_certain(text: str) -> None:
    assert not [r for r in read(text, "ghash").readings if r.certain]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Всадников на С8, и если рядом Радомир — атакуем.", ["move", "standing_order"]),
        ("Стража на В10, и когда Торгрим начнёт ход, послать ему 5", ["move", "standing_order"]),
        ("Аэлин 5 монет; если Радомир войдёт в Стан — гарнизон в бой", ["send_money", "standing_order"]),
    ],
)
def test_what_stands_before_a_condition_is_read(text: str, kinds: list[str]) -> None:
    faction = "thorgrim" if text.startswith("Стража") else "ghash"
    assert types(text.replace("Торгрим", "Гхаш") if faction == "thorgrim" else text, faction) == kinds


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Дружина на Е6 — нет, на Ж6", ["Ж6"]),
        ("Дружина на Е6, ой, на Ж6", ["Ж6"]),
        ("Дружина на Ж8, а оттуда на Ж9", ["Ж8", "Ж9"]),
        ("Дружина на Ж8 и уже потом на Ж9", ["Ж8", "Ж9"]),
    ],
)
def test_the_later_cell_takes_the_place_of_the_slip_only(text: str, path: list[str]) -> None:
    assert [list(c["path"]) for c in commands(text, "radomir")] == [path]


def test_a_way_there_and_back_asks() -> None:
    (reading,) = read("Маг сходит на Г4 и обратно", "aelin").readings
    assert (list(reading.command["path"]), reading.certain) == (["Г4", "Г3"], False)


def test_R60_cards_and_prize_said_right_after_an_attack_are_its_own() -> None:
    (command,) = commands("Всадники, в атаку на Броды! Карты: С, С, А. Захватить и не рушить!", "ghash")
    assert (command["type"], list(command["cards"])) == ("attack", ["shoot", "shoot", "attack"])
    assert (command["capture"], command["preserve"]) == (True, True)
    later = commands("Всадники, в атаку на Броды! Карты на битву 2: С, С, А.", "ghash")
    assert [c["type"] for c in later] == ["attack", "battle_cards"]


@pytest.mark.parametrize("text", ["Заставы на Г8 и Д8", "На север до упора", "Обоим по три монеты", "Вот твои 12 монет"])
def test_half_an_order_asks(text: str) -> None:
    parse = read(text)
    assert not parse.readings
    assert parse.problems


@pytest.mark.parametrize("text", ["Стража на В10 и конец", "стража на В10 и баста", "Гномов в Трон, стража на В10 и точка"])
def test_the_end_of_a_post_without_signs_ends_the_turn(text: str) -> None:
    assert types(text)[-1] == "end_turn"


@pytest.mark.parametrize("text", ["Битва раз: стража ААО", "Бой раз. Стража: ААО", "битва раз — стража, ААО"])
def test_R119_a_battle_counted_aloud_is_the_first(text: str) -> None:
    (command,) = commands(text, step="battle")
    assert (command["battle"], list(command["cards"]["T1"])) == (1, ["attack", "attack", "defend"])


@pytest.mark.parametrize(
    "text",
    ["Отпускаю Устье, осада снята.", "Снимаю осаду с Устья. Осады больше нет, снята.", "Осаду с Устья снять. Осада окончена!"],
)
def test_a_siege_lifted_in_two_wordings_is_lifted_once(text: str) -> None:
    assert commands(text, "radomir") == [{"type": "lift_siege", "unit": "R1", "building": "З10"}]


@pytest.mark.parametrize(
    "text",
    ["Идём строить крепость. Всадники: С9, С10. На месте ставим крепость.", "Строим башню. Всадники С9-С10, там строят башню."],
)
def test_R8_a_work_announced_and_given_is_one_work_behind_the_way(text: str) -> None:
    parse = read(text, "ghash")
    assert [r.command["type"] for r in parse.readings] == ["move", "build"]
    assert not parse.readings[-1].certain


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Дорожные тревоги на Гхаша, безопасный путь на Радомира. Тогда только первое.", ["ghash"]),
        ("Торгриму 5 монет, Гхашу 3 монеты. Нет, оставим только последнее.", ["ghash"]),
        ("Торгриму 5 монет и Гхашу 3. Дорого. Ладно, лишь первую.", ["thorgrim"]),
    ],
)
def test_of_two_orders_one_is_left(text: str, left: list[str]) -> None:
    assert [c.get("player") or c.get("to") for c in commands(text, "aelin")] == left


def test_of_orders_that_are_no_pair_what_is_left_is_asked() -> None:
    parse = read("Аэлин на Г4, эльфов в Лориэн. Ладно, только второе.", "aelin")
    assert parse.readings
    assert not [r for r in parse.readings if r.certain]


@pytest.mark.parametrize(
    "text",
    [
        "Я, кажется, ухожу из игры.",
        "Похоже, выхожу из игры",
        "Монет Аэлин отсыпать сколько не жалко",
        "Радомиру послать денег, сколько не лень",
    ],
)
def test_a_guess_and_a_sum_without_number_ask(text: str) -> None:
    assert any(p.code == "ambiguous" for p in read(text, "ghash").problems)


@pytest.mark.parametrize("text", ["Прошусь обратно: бродягой", "Вернусь обратно бродягой", "Попрошусь назад, бродягой"])
def test_R14_asking_to_come_back_is_joining(text: str) -> None:
    assert commands(text, step="window") == [{"type": "join_game", "as": "vagabond"}]


@pytest.mark.parametrize(
    "text",
    [
        "всадники на С9 там башня орков в стан",
        "всадники С9 там застава и орков в Стан",
        "всадники с9 с10 там крепость нанять орков в Стане",
    ],
)
def test_a_work_and_a_hire_without_signs_are_two_orders(text: str) -> None:
    assert types(text, "ghash") == ["move", "build", "hire"]


@pytest.mark.parametrize(
    ("text", "sums"),
    [
        ("Аэлин, благодарю за песню, Радомир, за эль. Обоим по 3 монеты", {"aelin": 3, "radomir": 3}),
        ("Аэлин и Гхаш дерутся. Им обоим по три монеты.", {"aelin": 3, "ghash": 3}),
        ("Гхаш и Радомир, мир! Стража на В10. Обоим шлю по 2 монеты.", {"ghash": 2, "radomir": 2}),
    ],
)
def test_R31_both_are_the_two_named_just_before(text: str, sums: dict[str, int]) -> None:
    assert {c["to"]: c["amount"] for c in commands(text) if c["type"] == "send_money"} == sums


@pytest.mark.parametrize("text", ["Обоим по 3 монеты", "Аэлин, Гхаш, Радомир! Обоим по 3 монеты", "Обоим шлю по монете."])
def test_both_of_nobody_or_of_three_ask(text: str) -> None:
    parse = read(text)
    assert not parse.readings
    assert parse.problems


@pytest.mark.parametrize("text", ["Стража на D8, тьфу, на Д8", "Стража на D8... тьфу, на Д8.", "стража на G8, ой, на Д8"])
def test_R18_a_cell_put_right_at_once_is_no_error(text: str) -> None:
    parse = read(text)
    assert [list(c["path"]) for c in parse.commands] == [["Д8"]]
    assert "bad_cell" not in [p.code for p in parse.problems]


@pytest.mark.parametrize("tail", ["переслать ей обратно 2 монеты", "отправить ей назад 2 монеты", "скинуть ей обратно 2 монеты"])
def test_R182_money_may_be_sent_back_on_a_condition(tail: str) -> None:
    (command,) = commands(f"Если Аэлин пришлёт денег, {tail}.")
    assert (command["trigger"], command["action"]["to"], command["action"]["amount"]) == ("money_received", "aelin", 2)


@pytest.mark.parametrize(
    "text",
    ["Стража: на восток на клетку, потом ещё на одну.", "Стража на север и ещё на две", "Стража на юг, а затем ещё на одну"],
)
def test_a_way_that_goes_on_unread_is_never_certain(text: str) -> None:
    assert not [r for r in read(text).readings if r.certain]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Кто хочет меня нанять, пишите: принимаю службу у Аэлин", ["accept_service"]),
        ("Кому интересно, читайте: шлю Аэлин 3 монеты.", ["send_money"]),
        ("Кто голоден, ешьте: шлю Аэлин 5 монет.", ["send_money"]),
        ("Кто знает: послать ли Аэлин 3 монеты", []),
        ("Кто подскажет: могу послать Аэлин 3 монеты?", []),
    ],
)
def test_what_is_told_behind_a_call_is_no_question(text: str, kinds: list[str]) -> None:
    assert types(text) == kinds
