"""Conditions, standing orders and what is said of battles: what the game can't hold asks."""

from __future__ import annotations

import pytest

from tests.parsers.grand_strategy.test_language import codes, commands, read


@pytest.mark.parametrize(
    "text",
    [
        "Если Гхаш не нападёт на стражу, ему 3 монеты.",
        "Если никто не подойдёт к страже, Гхашу 5 монет.",
        "Если к страже подойдёт любой, кроме Радомира, — атаковать его.",
        "Если стража подойдёт к Гхашу, она его бьёт.",
        "Если Гхаш подойдёт к страже, атаковать, но не в лесу.",
        "Если Гхаш закончит ход без нападения, ему 3 монеты.",
        "Если Гхаш согласится, ему 3 монеты.",
        "Гхашу 5 монет, но только если пришлёт эльфов.",
        "Каждый ход Гхаша слать ему 2 монеты.",
    ],
)
def test_R184_a_condition_that_the_game_lacks_is_a_question(text: str) -> None:
    assert commands(text, "thorgrim") == []
    assert "conditional" in codes(text, "thorgrim")


@pytest.mark.parametrize(
    "text",
    [
        "Если Гхаш подойдёт к страже двумя войсками, стража атакует.",
        "Если Гхаш подойдёт к страже с востока, стража атакует.",
        "Если Гхаш подойдёт к страже, стража атакует Радомира.",
        "Если Гхаш подойдёт к страже и Трону, стража бьёт.",
        "Если на стражу нападёт Гхаш, стража бьёт его.",
        "Если Гхаш пришлёт мне больше 5 монет, вернуть ему 2.",
        "Гхашу 5 монет, если встанет на С9.",
        "Если торгримовские придут на Г8, то гарнизон бессилен, но пусть стража их рубит.",
        "Каждый год Гхашу 2 монеты.",
    ],
)
def test_R184_a_standing_order_that_says_less_than_its_player_asks(text: str) -> None:
    found = read(text, "thorgrim").readings
    assert found
    assert not any(r.certain for r in found)


@pytest.mark.parametrize(
    ("text", "trigger", "filter_"),
    [
        ("Радомир встал на Г10 → T1 его атакует", "unit_on_cell", {"cell": "Г10", "player": "radomir"}),
        ("Кто из людей Гхаша подойдёт к страже, на того стража нападает", "unit_adjacent", {"mine": "T1", "player": "ghash"}),
        ("Если кто-то подойдёт к Трону, стража атакует его.", "unit_adjacent", {"mine": "В9"}),
        ("По завершении хода Аэлин отправить ей 6 монет.", "turn_end", {"player": "aelin"}),
        ("Если Аэлин или кто-то из её войск встанет на Г8, стража бьёт.", "unit_on_cell", {"cell": "Г8", "player": "aelin"}),
        ("Гхаш закончил ход → Гхашу 4 монеты.", "turn_end", {"player": "ghash"}),
        ("Чуть только Гхаш закончит ход, шлите ему 2 монеты.", "turn_end", {"player": "ghash"}),
        ("Дождаться конца хода Аэлин и послать ей 4 монеты.", "turn_end", {"player": "aelin"}),
        ("Начни Радомир ход — ему 3 монеты.", "turn_start", {"player": "radomir"}),
        ("Подкинет нам Гхаш монет — пусть Радомир получит 3.", "money_received", {"from": "ghash"}),
        ("Получены монеты от Гхаша → переслать Радомиру 3.", "money_received", {"from": "ghash"}),
        ("На Каменный Трон объявили нападение → Аэлин 15 монет.", "attack_declared_on", {"target": "В9"}),
        ("Объявит кто бой Трону, немедля переслать Радомиру 4 монеты.", "attack_declared_on", {"target": "В9"}),
        ("При объявлении боя Железной страже — Аэлин 5 монет.", "attack_declared_on", {"target": "T1"}),
        ("Напади кто на Трон — Радомиру 5 монет.", "attack_declared_on", {"target": "В9"}),
        ("Напавшего на Трон стража атакует: А А С.", "attack_declared_on", {"target": "В9"}),
        ("Радомир доберётся до Г8 — стража бьёт его.", "unit_on_cell", {"cell": "Г8", "player": "radomir"}),
        ("встанет чужак на трон гарнизон его бьет", "unit_on_building", {"cell": "В9"}),
        ("Появится враг на В9, гарнизону рубить.", "unit_on_building", {"cell": "В9"}),
        ("Подойдёт Гхаш к страже? Бейте его.", "unit_adjacent", {"mine": "T1", "player": "ghash"}),
        ("Если Гхаш подойдёт к страже. Тогда бьём его.", "unit_adjacent", {"mine": "T1", "player": "ghash"}),
    ],
)
def test_R184_events_in_many_words(text: str, trigger: str, filter_: dict[str, str]) -> None:
    (found,) = commands(text, "thorgrim")
    assert (found["trigger"], dict(found["filter"])) == (trigger, filter_)


@pytest.mark.parametrize(
    ("text", "capture", "preserve"),
    [
        ("При победе ни захвата, ни понижения.", False, True),
        ("Захватывать Броды не будем, но и ломать ни к чему.", False, True),
        ("При победе Броды брать не будем, а рушить будем.", False, False),
        ("При победе: захват — нет, разрушение — да.", False, False),
    ],
)
def test_R114_R115_wishes_denied_before_and_behind(text: str, capture: bool, preserve: bool) -> None:
    (found,) = commands(text, "aelin", step="battle")
    assert (found.get("capture"), found.get("preserve")) == (capture, preserve)


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("Битва 1. Стража: первый отряд атака, остальные оборона.", ["attack", "defend", "defend"]),
        ("Битва 1. Стража: третий отряд щит, первый меч, второй лук.", ["attack", "shoot", "defend"]),
        ("Битва 1. Стража: 1 — А, 2 — О, 3 — С.", ["attack", "defend", "shoot"]),
        ("Битва 1. Стража: трижды щит.", ["defend", "defend", "defend"]),
    ],
)
def test_R119_cards_told_place_by_place(text: str, cards: list[str]) -> None:
    (found,) = commands(text, "thorgrim", step="battle")
    assert found["cards"] == {"T1": cards}


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("Коли чары лягут, Аэлин на Г4. Коли развеются, Аэлин на Д2.", ["success", "fail"]),
        ("Выгорит — Аэлин на Г4, не выгорит — на Д2.", ["success", "fail"]),
        ("Заснут — Аэлин на Г4. Не заснут — на Д2.", ["success", "fail"]),
        ("При удачном исходе — Аэлин на Г4. При неуспехе: Аэлин на Д2.", ["success", "fail"]),
        ("Аэлин на Г4 — при успехе. Промахнусь — отойду на Д2.", ["success", "fail"]),
        ("В случае удачи Аэлин на Г4, в случае неудачи — на Д2.", ["success", "fail"]),
    ],
)
def test_R182_outcomes_in_many_words(text: str, outcomes: list[str]) -> None:
    found = commands(f"Туман сна на T1. {text}", "aelin")
    assert [c["condition"]["outcome"] for c in found[1:]] == outcomes


def test_R184_the_cards_of_a_standing_order_may_follow_it() -> None:
    (found,) = commands("Кто вылезет на клетку Г8, на того стража нападает. Карты — меч, меч, щит.", "thorgrim")
    assert found["action"]["cards"] == ["attack", "attack", "defend"]


@pytest.mark.parametrize("text", ["Ход Гхаша — Гхашу 2 монеты."])
def test_R184_a_deed_beside_a_condition_not_read_is_no_certain_order(text: str) -> None:
    found = read(text, "thorgrim")
    assert not any(r.certain for r in found.readings)
    assert found.problems


@pytest.mark.parametrize(
    "words",
    [
        "Первые две строки не исполнять.",
        "Две верхние строчки вычеркнуть.",
        "Всё, что выше, не считать.",
    ],
)
def test_orders_whose_lines_are_taken_back_ask(words: str) -> None:
    found = read(f"Аэлин на Г4.\nЭльфов в Г3.\n{words}", "aelin").readings
    assert not any(r.certain for r in found)


@pytest.mark.parametrize("text", ["Плоты: 5 монет, треть казны.", "Плоты — 5 монет."])
def test_what_rafts_cost_is_no_certain_order(text: str) -> None:
    assert not any(r.certain for r in read(text, "radomir").readings)


@pytest.mark.parametrize(
    "text",
    ["Железная стража (личное войско) распускается. Подтверждаю.", "Стража расформировывается, подтверждаю."],
)
def test_troops_that_disband_are_disbanded(text: str) -> None:
    assert [c["type"] for c in commands(text, "thorgrim")] == ["disband"]
