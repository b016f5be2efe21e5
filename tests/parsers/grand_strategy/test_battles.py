"""Battles as players speak of them: an attack over several sentences, cards told by deeds, prizes, common defence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.parsers.grand_strategy.test_language import commands

RUINED: dict[str, Any] = {"capture": False, "preserve": False}
SPARED: dict[str, Any] = {"capture": False, "preserve": True}
TAKEN: dict[str, Any] = {"capture": True, "preserve": True}


def of(kind: str, text: str, **more: Any) -> list[dict[str, Any]]:
    """The orders of a kind, without what the type says."""
    found = [c for c in commands(text, **more) if c["type"] == kind]
    return [{k: v for k, v in c.items() if k not in ("type", "certain")} for c in found]


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("Стража бьёт дружину Радомира. Вместе с Гхашем. Карты: меч, лук, щит.", {"ally": ["ghash"], "cards": "ASD"}),
        ("Стража атакует R1. Союзник: Аэлин. Карты: А А О.", {"ally": ["aelin"], "cards": "AAD"}),
        ("Нападаю стражей на дружину Радомира. Помогает мне Гхаш.", {"ally": ["ghash"]}),
        ("Объявляем бой дружине Радомира. Карты страже: щит, меч, меч.", {"cards": "DAA"}),
        ("Стража бьёт дружину Радомира! Пусть первый ряд рубит, второй рубит, а третий стреляет.", {"cards": "AAS"}),
        ("Стража нападает на дружину Радомира. Рубим, рубим, стреляем.", {"cards": "AAS"}),
        ("Стража — в бой на дружину Радомира! Все три отряда рубят.", {"cards": "AAA"}),
        ("Стража бьёт дружину Радомира. Отряды: атака, атака, оборона. Не ломать.", {"cards": "AAD", "preserve": True}),
        ("Бой дружине Радомира! Бьёт стража. С Гхашем сообща.", {"ally": ["ghash"]}),
        (
            "Стража бьёт дружину Радомира. Гхаш и Аэлин идут со мной. Карты: щит, щит, лук.",
            {"ally": ["ghash", "aelin"], "cards": "DDS"},
        ),
        ("Вместе с магом Аэлин стража бьёт дружину Радомира.", {"ally": ["aelin"]}),
        ("Стража бьёт дружину Радомира: первый отряд в атаку, остальные держат щиты.", {"cards": "ADD"}),
    ],
)
def test_R60_what_follows_an_attack_belongs_to_it(text: str, more: dict[str, Any]) -> None:
    letters = {"A": "attack", "D": "defend", "S": "shoot"}
    wanted = {k: [letters[c] for c in v] if k == "cards" else v for k, v in more.items()}
    assert commands(text) == [{"type": "attack", "unit": "T1", "target": "R1", **wanted}]


@pytest.mark.parametrize(
    "text",
    [
        "Битва 2, гарнизон Г3: О А А; A1: О.",
        "Битва 2. Гарнизон держит, рубит, рубит; маг держит.",
        "Во второй битве: маг — оборона; гарнизон города — щит/меч/меч.",
        "Бой №2. Маг: щит. Стены: щит, меч, меч.",
        "битва 2 гарнизон оаа маг о",
        "Битва 2: гарнизону один щит, два меча, магу держать строй.",
    ],
)
def test_R119_cards_of_several_fighters_in_a_line(text: str) -> None:
    wanted = {"battle": 2, "cards": {"Г3": ["defend", "attack", "attack"], "A1": ["defend"]}}
    assert of("battle_cards", text, faction="aelin", step="battle") == [wanted]


@pytest.mark.parametrize(
    "text",
    [
        "Битва 1: первый отряд рубит, второй держит, третий стреляет.",
        "Битва 1: рубим, держим, стреляем.",
        "Битва 1. Один отряд с мечами, один держит щиты, последний стреляет.",
        "Битва 1. Первый отряд в атаку, второй в оборону, остальные стреляют.",
        "Дружина: 1 — А, 2 — О, 3 — С (битва 1).",
    ],
)
def test_R119_deeds_are_cards(text: str) -> None:
    [found] = of("battle_cards", text, faction="radomir", step="battle")
    cards = ["attack", "defend", "shoot"]
    assert found["battle"] == 1
    assert found["cards"] in (cards, {"R1": cards})


@pytest.mark.parametrize(
    "text",
    [
        "Гарнизон по умолчанию пусть рубит, держит и стреляет.",
        "Карты стенам: меч, щит да лук, ежели я вдруг просплю битву.",
        "Без моего слова: гарнизон рубит, держит, стреляет.",
        "При моей неявке гарнизон играет А О С.",
    ],
)
def test_R120_cards_for_who_is_silent(text: str) -> None:
    wanted = {"building": "Т8", "cards": ["attack", "defend", "shoot"]}
    assert of("default_cards", text, faction="ghash") == [wanted]


@pytest.mark.parametrize(
    ("text", "wishes"),
    [
        ("Битва 1, если верх наш: ничего не захватываем и не ломаем.", SPARED),
        ("Битва 1: захват: нет, разрушение: нет", SPARED),
        ("Битва 1. Победим — чужое добро нам ни к чему, пускай строение понизят.", RUINED),
        ("Битва 1. При победе башню сжечь дотла, себе не брать.", RUINED),
        ("Битва 1. В случае победы крепость не нужна, разрушить.", RUINED),
        ("Битва 1. Если выиграем, башню ломать, себе не надо.", RUINED),
        ("Битва 1. Победим — Устье моё, не рушить.", TAKEN),
        ("Битва 1. Возьмём верх — строение пусть остаётся за хозяином, но понизить.", RUINED),
    ],
)
def test_R114_what_becomes_of_the_building(text: str, wishes: dict[str, Any]) -> None:
    assert of("victory_choice", text, faction="radomir", step="battle") == [{"battle": 1, **wishes}]


@pytest.mark.parametrize(
    ("text", "kind", "fields"),
    [
        ("Гарнизон Трона отбивается сам, без Радомира.", "joint_defense", {"object": "В9", "with": "radomir", "allowed": False}),
        ("Гарнизон Трона за Аэлин не вступается.", "joint_defense", {"object": "В9", "with": "aelin", "allowed": False}),
        ("Стены Трона держим вместе с Радомиром.", "joint_defense", {"object": "В9", "with": "radomir", "allowed": True}),
        ("Совместной обороны с Гхашем не будет.", "joint_defense", {"object": "T1", "with": "ghash", "allowed": False}),
        ("С Гхашем вместе не дерусь.", "join_consent", {"player": "ghash", "agree": False}),
        ("Общего боя с Гхашем не ждите.", "join_consent", {"player": "ghash", "agree": False}),
        ("Вместе с Гхашем биться не стану.", "join_consent", {"player": "ghash", "agree": False}),
        ("Вместе с Гхашем биться отказываюсь.", "join_consent", {"player": "ghash", "agree": False}),
    ],
)
def test_R103_R104_who_stands_by_whom(text: str, kind: str, fields: dict[str, Any]) -> None:
    assert of(kind, text, step="other_turn") == [fields]


def test_R103_a_common_battle_with_two() -> None:
    found = of("join_consent", "Согласен биться вместе с Гхашем и Аэлин.", step="other_turn")
    assert found == [{"player": "ghash"}, {"player": "aelin"}]


def test_R119_every_battle_has_its_cards() -> None:
    found = of("battle_cards", "Первая битва: С. Вторая: О О А.", faction="aelin", step="battle")
    assert found == [{"battle": 1, "cards": ["shoot"]}, {"battle": 2, "cards": ["defend", "defend", "attack"]}]


@pytest.mark.parametrize("text", ["Ту башню у моря мы с вами проиграли вместе.", "Мы вместе бились при Бродах."])
def test_stories_of_old_battles_order_nothing(text: str) -> None:
    assert not commands(text, faction="aelin")


@pytest.mark.parametrize(
    ("text", "lifted"),
    [
        ("Больше Броды не осаждаем.", True),
        ("Броды больше осаждать не будем.", True),
        ("Снимать осаду Бродов не буду.", False),
        ("Осаду с Бродов снимать не стану.", False),
    ],
)
def test_R64_a_siege_given_up_or_kept(text: str, lifted: bool) -> None:
    found = commands(text, faction="radomir")
    assert found == ([{"type": "lift_siege", "unit": "R1", "building": "О5"}] if lifted else [])


def test_R60_a_troop_set_at_others_with_its_cards() -> None:
    found = commands("Дружиной по варварам: меч, меч, щит!", faction="radomir")
    assert found == [{"type": "attack", "unit": "R1", "target": "N1", "cards": ["attack", "attack", "defend"]}]
