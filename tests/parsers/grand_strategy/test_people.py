"""Permissions, service, смута, entering and leaving: each kind of speech in several wordings."""

from __future__ import annotations

from typing import Any

import pytest

from tests.parsers.grand_strategy.test_language import commands, read


def only(text: str, faction: str, step: str = "other_turn") -> dict[str, Any]:
    (found,) = commands(text, faction, step=step)
    return found


@pytest.mark.parametrize(
    "text",
    [
        "Радомир волен являться в Алых песках",
        "Согласен, чтобы Радомир высадился в Алых песках",
        "Радомиру дозволяю приходить в Алые пески",
        "Не против, чтоб Радомир объявился в Алых песках",
    ],
)
def test_who_may_appear_on_a_land(text: str) -> None:
    assert only(text, "ghash") == {"type": "allow_spawn", "province": 9, "player": "radomir"}


@pytest.mark.parametrize(
    "text",
    [
        "Торгриму в Алых песках появляться не позволю",
        "Против того, чтобы Торгрим появлялся в Алых песках",
        "Торгриму отказано в праве появиться в Алых песках",
    ],
)
def test_who_may_not_appear_on_a_land(text: str) -> None:
    assert only(text, "ghash") == {"type": "deny_spawn", "province": 9, "player": "thorgrim"}


def test_a_verdict_on_a_place_named_before() -> None:
    found = commands("Радомир вправе появиться в Алых песках, Торгриму появляться там запрещено", "ghash", step="window")
    assert [(c["type"], c["province"], c["player"]) for c in found] == [
        ("allow_spawn", 9, "radomir"),
        ("deny_spawn", 9, "thorgrim"),
    ]


@pytest.mark.parametrize("bolt", ["на засов", "на замке", "на засове", "под замком"])
def test_bolted_gates_keep_out(bolt: str) -> None:
    assert only(f"Ворота Стана перед Аэлин — {bolt}", "ghash") == {"type": "deny_entry", "building": "Т8", "player": "aelin"}


def test_R32_walls_are_denied_to_whom_they_are_denied() -> None:
    found = commands("Пускаю в Стан Радомира. Войскам Аэлин туда тоже можно, но без стен.", "ghash", step="other_turn")
    assert [(c["player"], c.get("walls", True)) for c in found] == [("radomir", True), ("aelin", False)]


def test_one_s_own_troops_need_no_permission() -> None:
    parse = read("Мои войска могут заходить в Стан", "ghash", "other_turn")
    assert [c["player"] for c in parse.commands] == ["ghash"]
    assert [p.code for p in parse.problems] == ["own_player"]


def test_both_verdicts_of_one_player_ask() -> None:
    parse = read("Пущу в Стан Торгрима... нет, не пущу.", "ghash", "other_turn")
    assert not any(r.certain for r in parse.readings)


@pytest.mark.parametrize(
    ("text", "agree"),
    [
        ("Радомиру наследовать Орду одним кубиком позволяю, пусть берёт всё разом", True),
        ("Радомир может кинуть один кубик на всё государство", True),
        ("Пусть смуту в моём государстве Радомир решит одним броском", True),
        ("Радомир, смуту разом, одним броском, я тебе не разрешаю", False),
        ("Против смуты одним броском, пусть Радомир кидает на каждого", False),
        ("Радомир, одним кубиком всё взять не дам", False),
    ],
)
def test_R34_who_may_inherit_at_one_throw(text: str, agree: bool) -> None:
    found = only(text, "ghash")
    assert (found["type"], found["topic"], found["player"]) == ("consent", "smuta_all", "radomir")
    assert found.get("agree", True) is agree


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("Смута в Лесном королевстве! Мы с Аэлин ударили по рукам: всё скопом, один бросок.", "all"),
        ("Наследую Лесное королевство, Аэлин не против: одним кубиком", "all"),
        ("государство Лесное наследую смутой, на каждый объект по броску", "each"),
    ],
)
def test_R33_who_raises_it_himself(text: str, mode: str) -> None:
    assert only(text, "radomir", "window") == {"type": "smuta", "ruler": "aelin", "mode": mode}


@pytest.mark.parametrize(
    "text",
    [
        "Согласна, чтобы Радомир присоединил моего мага",
        "Радомир может забрать A1 себе",
        "Аэлин Ясновидящую отпускаю в дружину Радомира",
    ],
)
def test_R70_a_troop_let_go(text: str) -> None:
    assert only(text, "aelin") == {"type": "consent", "topic": "annex", "player": "radomir", "unit": "A1"}


def test_R70_a_troop_not_let_go() -> None:
    found = only("Радомиру стражу забрать не позволю", "thorgrim")
    assert found == {"type": "consent", "topic": "annex", "player": "radomir", "unit": "T1", "agree": False}


def test_a_free_entry_dismisses_nobody() -> None:
    found = commands("Гхашу вход в Каменный Трон закрыт, Аэлин — свободен", "thorgrim", step="other_turn")
    assert [(c["type"], c["player"]) for c in found] == [("deny_entry", "ghash"), ("allow_entry", "aelin")]


@pytest.mark.parametrize("text", ["забираю вольных варваров с н7 в орду", "сманиваю варваров с н7 к себе в орду"])
def test_R70_into_one_s_own_state(text: str) -> None:
    assert only(text, "ghash", "turn") == {"type": "annex", "unit": "G1", "target": "N1"}


@pytest.mark.parametrize(
    "text",
    [
        "Гхаша из вассалов выписываю",
        "Гхаша со службы списать",
        "Гхаш, ты свободен от службы",
        "Гхаш вассалом у меня больше не числится",
        "Снимаю Гхаша с довольствия: больше не вассал",
    ],
)
def test_R39_somebody_else_s_service_ends(text: str) -> None:
    assert {"type": "dismiss_vassal", "player": "ghash"} in commands(text, "radomir", step="window")
    assert "leave_service" not in [c["type"] for c in commands(text, "radomir", step="window")]


@pytest.mark.parametrize(
    "text",
    [
        "Вассалом Торгрима быть перестаю",
        "Под началом Торгрима больше не хожу",
        "У Торгрима на службе больше не состою",
        "Прошу меня от присяги Торгриму освободить",
    ],
)
def test_R39_one_s_own_service_ends(text: str) -> None:
    assert only(text, "radomir", "window") == {"type": "leave_service"}


@pytest.mark.parametrize(
    "text",
    ["Гхашу передай отказ", "Гхаш, насчёт службы: тоже мимо", "На службу к Гхашу — никогда", "Передайте Гхашу: служить не стану"],
)
def test_R37_refusals_sent_and_waved_away(text: str) -> None:
    assert only(text, "radomir") == {"type": "decline_service", "player": "ghash"}


def test_R37_an_answer_goes_on_from_the_one_before() -> None:
    found = commands("Гхаш, принимаю твою службу. Торгрим, твою отклоняю.", "radomir", step="other_turn")
    assert [(c["type"], c["player"]) for c in found] == [("accept_service", "ghash"), ("decline_service", "thorgrim")]


@pytest.mark.parametrize("text", ["Гхаш зовёт на службу.", "Плащ у него красивый, да в плаще блохи."])
def test_what_others_do_is_no_answer(text: str) -> None:
    assert commands(f"Торгрим, отказываюсь тебе служить. {text}", "radomir", step="other_turn") == [
        {"type": "decline_service", "player": "thorgrim"}
    ]


@pytest.mark.parametrize(
    "text",
    ["Из игры выхожу насовсем, подтверждаю", "Ухожу. Из партии, из чата. Подтверждаю!", "Удалите меня из партии, подтверждаю"],
)
def test_R14_leaving_the_game_in_whatever_order(text: str) -> None:
    assert only(text, "radomir", "window") == {"type": "leave_game", "confirm": True}


def test_R11_a_state_is_named_in_the_line_below() -> None:
    text = 'Полководцем в землю 3, клетка С3, личное войско рыцари.\nНазвание державы: "Каменные Странники".'
    assert only(text, "thorgrim", "window")["state_name"] == "Каменные Странники"


def test_R38_places_of_turns_are_no_battle_line() -> None:
    found = only("Торгрим ходит первым, следом я, замыкает Аэлин", "radomir", "window")
    assert found == {"type": "set_turn_order", "order": ["thorgrim", "radomir", "aelin"]}


@pytest.mark.parametrize(
    "text", ["прежнее распоряжение за номером 5 утратило силу", "условный приказ 5 утратил силу", "распоряжение номер 5 отменить"]
)
def test_R184_a_standing_order_told_by_its_number(text: str) -> None:
    assert only(text, "radomir") == {"type": "cancel_order", "id": 5}


@pytest.mark.parametrize("text", ["Передаю.", "Приказов нет.", "Всё, отбой."])
def test_R181_words_of_closing_count_only_in_one_s_own_turn(text: str) -> None:
    assert commands(f"Аэлин 5 монет. {text}", "radomir", step="other_turn") == [
        {"type": "send_money", "to": "aelin", "amount": 5}
    ]


@pytest.mark.parametrize("text", ["Всё, отбой", "На сегодня отбой", "Отбой, ждём"])
def test_R181_signing_off_ends_the_turn(text: str) -> None:
    assert [c["type"] for c in commands(f"Дружина на З7.\n{text}", "radomir")] == ["move", "end_turn"]


def test_R181_an_end_spelt_by_ear_asks() -> None:
    last = read("Дружина на З7.\nканец", "radomir", "turn").readings[-1]
    assert (last.command["type"], last.certain) == ("end_turn", False)
