"""What each faction may know, secret by secret: in events, views, maps, standings and reports (R24, R100, R101, §4.6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rules.base import EVERYONE, Audience, Sheet, Step, only, visible
from rules.dice import seeded_dice
from rules.steel_rose import RULESET
from rules.steel_rose.state import State

Orders = dict[str, list[dict[str, Any]]]
FACTIONS = ("empire", "principality", "elves", "cult", "ogres")


def read(state: State, orders: Orders, reader: Audience, step: Step | None = None) -> list[Any]:
    """All that a reader has of a closed step: events, view, map, standings, report, and what its orders would be told."""
    sheets = [Sheet(f, tuple(RULESET.commands.parse(c) for c in cs)) for f, cs in orders.items()]
    at = RULESET.step(state)
    assert at is not None
    outcome = RULESET.resolve(state, sheets, seeded_dice("still", at.id), closing=True)
    view, events = RULESET.view(outcome.state, reader), visible(outcome.events, reader)
    report = RULESET.report(view, events, step=at)
    return [events, view, RULESET.map(view), RULESET.standings(view), report]


def same_for(game: Any, readers: list[Audience], one: Orders, other: Orders) -> None:
    for reader in readers:
        for a, b in zip(read(game.state, one, reader), read(game.state, other, reader), strict=True):
            assert a == b, reader


def strangers(*known: str) -> list[Audience]:
    return [EVERYONE, *(only(f) for f in FACTIONS if f not in known)]


SECRET_ORDERS: list[tuple[str, dict[str, Any]]] = [
    ("elves", {"type": "cast_spell", "spell": "divination", "faction": "ogres"}),
    ("elves", {"type": "cast_spell", "spell": "divination", "faction": "empire"}),
    ("elves", {"type": "build", "city": "elvendar", "building": "nature_shrine"}),
    ("cult", {"type": "ritual", "ritual": "cursed_gold"}),
    ("cult", {"type": "ritual", "ritual": "summon"}),
    ("cult", {"type": "ritual", "ritual": "oath"}),
    ("cult", {"type": "ritual", "ritual": "feed_demons"}),
    ("cult", {"type": "ritual", "ritual": "infect", "city": "shipovnik"}),
    ("empire", {"type": "hire", "unit": "spearman", "count": 1}),
    ("empire", {"type": "disband", "unit": "archer", "count": 2}),
    ("empire", {"type": "army_order", "order": "defend", "city": "kronvik"}),
    ("empire", {"type": "set_garrison_deployment", "city": "kronvik", "positions": {"LV": {"spearman": "all"}}}),
    ("principality", {"type": "allocate_powder", "order": ["rifleman"]}),
    ("ogres", {"type": "garrison_mobile", "units": {"gnoblar": 4}, "direction": "in"}),
    ("ogres", {"type": "hire", "unit": "gnoblar", "count": 5}),
]


@pytest.mark.parametrize(
    ("issuer", "order"), SECRET_ORDERS, ids=[f"{f}-{list(o.values())[1]}-{i}" for i, (f, o) in enumerate(SECRET_ORDERS)]
)
def test_R100_R101_nobody_else_learns_of_a_secret_order(game, issuer, order):
    if issuer == "empire":
        game.city("altengrad", buildings=["barracks"])
    game.city("shipovnik", buildings=[])
    same_for(game, strangers(issuer), {issuer: [order]}, {})


def test_R120_divination_shows_the_end_of_the_turn_before_to_the_elves_alone(game):
    game.play({"ogres": [{"type": "hire", "unit": "gnoblar", "count": 5}]})
    at_end = game.state.factions["ogres"].model_copy(deep=True)
    game.faction("elves", res=200)
    game.close(
        {
            "ogres": [{"type": "hire", "unit": "gnoblar", "count": 7}],
            "elves": [{"type": "cast_spell", "spell": "divination", "faction": "ogres"}],
        }
    )
    (event,) = game.named("divination")
    assert event.audience == only("elves")
    assert (event.data["gold"], event.data["res"]) == (at_end.gold, float(at_end.res))
    assert event.data["units"] == at_end.units == {"gnoblar": 15, "ogre_bull": 6}


def test_R132_R106_an_infection_is_unseen_until_it_is_detected(game):
    for city in ("kronvik", "elvendar"):
        infect = {"cult": [{"type": "ritual", "ritual": "infect", "city": city}]}
        same_for(game, strangers("cult"), infect, {})
    game.seed = "still"
    game.close({"cult": [{"type": "ritual", "ritual": "infect", "city": "kronvik"}]})
    corruption = game.state.cities["kronvik"].corruption
    assert corruption >= 13
    assert RULESET.view(game.state, only("cult")).state.cities["kronvik"].corruption == corruption
    # The owner asks: the answer is that of a clean city, before the step closes and after.
    game.city("altengrad", buildings=["watch_post"])
    for city in ("kronvik", "valdheim"):
        order = RULESET.commands.parse({"type": "cleanse_corruption", "city": city, "pay": "gold"})
        (problem,) = RULESET.check(RULESET.view(game.state, only("empire")), "orders", [order])
        assert problem.code == "E_NOT_DETECTED"
        assert problem.message.replace("Кронвике", "…").replace("Кронвик", "…").replace("Вальдхейм", "…") == (
            "Заражение не обнаружено: …."
        )


def detected(new_game: Callable[[], Any], times: int, **buildings: list[str]) -> int:
    """How often the Empire finds the corruption of Kronvik in so many production steps."""
    found = 0
    for number in range(times):
        game = new_game()
        for city, standing in buildings.items():
            game.city(city, buildings=standing)
        game.city("kronvik", corruption=9).seed = f"watch-{number}"
        game.close({})
        events = game.named("detected", city="kronvik", corruption=9)
        assert all(e.audience == only("empire") for e in events)
        assert (game.state.cities["kronvik"].known_corruption == 9) == bool(events)
        found += len(events)
    return found


def test_R106_buildings_find_corruption_with_their_chances(new_game):
    assert detected(new_game, 10) == 0
    assert detected(new_game, 10, altengrad=["imperial_patrol"]) == 10
    # One road away in an own city, or in the city itself; not two roads away, not another's.
    assert detected(new_game, 10, kronvik=["imperial_patrol"]) == 10
    assert detected(new_game, 10, shipovnik=["watch_post"], morwen=[]) == 0
    times = 160
    assert abs(detected(new_game, times, altengrad=["watch_post"]) / times - 0.5) < 0.16
    # Each building rolls for itself: 1 − ½ × ½.
    assert abs(detected(new_game, times, altengrad=["watch_post"], kronvik=["watch_post"]) / times - 0.75) < 0.14


def test_R101_R24_each_side_reads_the_battle_in_its_own_channel(game):
    game.faction("empire", units={"knight": 30})
    game.close({"empire": [{"type": "army_order", "order": "attack", "city": "holmgard"}]})
    step = RULESET.step(game.state)
    game.close({})
    boards = {f: [e for e in game.events if e.kind == "boards" and e.audience.includes(only(f))] for f in FACTIONS}
    assert {f for f, events in boards.items() if events} == {"empire", "principality"}
    step = RULESET.step(game.state)
    game.close({})
    for faction in FACTIONS:
        report = RULESET.report(RULESET.view(game.state, only(faction)), visible(game.events, only(faction)), step=step)
        fought = [s for s in report.sections if s.id == "battles"]
        assert bool(fought) == (faction in ("empire", "principality"))
    assert not visible(game.events, EVERYONE)


def test_R128_the_camp_is_on_nobody_elses_map(game):
    for city in game.state.owned("cult"):
        game.city(city, owner="empire")
    here, there = ({"cult": [{"type": "move_camp", "road": road}]} for road in (["kronvik", "morwen"], ["shipovnik", "morwen"]))
    same_for(game, strangers("cult"), here, there)
    game.close(here)
    assert [t.at for t in RULESET.map(RULESET.view(game.state, only("cult"))).tokens if t.shape == "camp"] == [
        ("kronvik", "morwen")
    ]
