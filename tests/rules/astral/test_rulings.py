"""The rulings that no worked example names, and the edges of some that one does. Each test's name carries its ruling."""

from __future__ import annotations

import json
import re
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from rules.astral import RULESET
from rules.astral import state as states
from rules.astral.numbers import resplit, show
from rules.base import EVERYONE, GM_ONLY, only, visible
from rules.sheets import PostOrders, merge
from tests.rules.astral.conftest import World, assault, attack

PASS = [{"type": "pass"}]


def parsed(*raw: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(RULESET.commands.parse(entry) for entry in raw)


def shown_by() -> dict[str, list[str]]:
    """Ruling → the examples and tests that name it."""
    out: dict[str, list[str]] = {f"R{n}": [] for n in range(1, 125)}
    folder = Path(__file__).parent
    examples = [e for path in sorted((folder / "examples").glob("*.json")) for e in json.loads(path.read_text("utf-8"))]
    for example in examples:
        numbers: set[int] = set()
        for low, high in re.findall(r"R(\d+)(?:-R(\d+))?", example["rulings"]):
            numbers.update(range(int(low), int(high or low) + 1))
        if len(numbers) <= 40:  # one example names all rulings at once
            for number in numbers:
                out[f"R{number}"].append(example["id"])
    for path in sorted(folder.glob("test_*.py")):
        for name in re.findall(r"def (test_(?:R\d+_)+\w+)", path.read_text("utf-8")):
            for number in re.findall(r"R(\d+)_", name):
                out[f"R{number}"].append(name)
    return out


def test_every_ruling_has_a_test_and_a_sentence() -> None:
    listed = tomllib.loads((Path(__file__).parent / "rulings.toml").read_text("utf-8"))
    assert {rule: sorted(names) for rule, names in shown_by().items()} == {rule: sorted(names) for rule, names in listed.items()}
    assert all(listed.values())
    assert all(RULESET.rule_text(rule) for rule in listed)
    assert RULESET.rule_text("R125") is None


def test_R1_one_step_a_turn_awaits_every_owner(world: World) -> None:
    step = RULESET.step(world.state)
    assert step is not None
    assert (step.id, step.kind) == ("t01", "turn")
    assert list(step.awaits) == world.state.roster
    assert "attack_neutral" in step.awaits["kael"]
    world.play({"kael": PASS})
    after = RULESET.step(world.state)
    assert after is not None
    assert after.id == "t02"


def test_R2_R104_world_parameters_are_public(world: World) -> None:
    view = RULESET.view(world.state, EVERYONE)
    assert view.worlds["kael"].size == 8
    assert view.worlds["kael"].income == 8
    assert view.worlds["kael"].effective == 5
    assert view.game.owners["kael"].shards == ["h_kael_1", "h_kael_2"]


def test_R3_labels_with_and_without_number(world: World) -> None:
    assert world.state.shards["n000"].label == "000.Таверна Пьяный Дракон"
    assert world.state.shards["h_kael_2"].label == "Янтарный Порт"


@pytest.mark.parametrize("energy", [0, -5, 5.5])
def test_R8_energy_is_a_whole_number_from_1(world: World, energy: float) -> None:
    played = world.play({"kael": [{"type": "invest_defence", "energy": energy}]})
    assert played.rejected == [["kael", "invest_defence", "E_INT"]]


def test_R10_an_eliminated_owner_does_nothing_more(world: World) -> None:
    world.set(owners__rzhavy__shards=["h_rzhavy_1"], owners__buyny__energy=40)
    played = world.play(
        {"buyny": [assault("rzhavy", 15, 15)], "rzhavy": [assault("kael", 5, 5), {"type": "care", "shard": "h_rzhavy_1"}]}
    )
    assert played.state.owners["rzhavy"].status == "eliminated"
    assert [battle["attacker"] for battle in played.battles] == ["buyny"]
    assert not played.of("cared")


@pytest.mark.parametrize(
    ("value", "text"),
    [("45/4", "11,25"), ("21/2", "10,5"), ("29/3", "9,67"), ("-5/2", "-2,5"), ("1/200", "0,01"), ("8", "8"), ("-1/400", "0")],
)
def test_R22_numbers_are_shown_with_two_decimals(value: str, text: str) -> None:
    assert show(Fraction(value)) == text


@pytest.mark.parametrize(
    ("total", "ratio", "split"),
    [
        (9, (6, 4), (6, 3)),
        (9, (5, 5), (5, 4)),
        (11, (4, 6), (4, 7)),
        (10, (7, 3), (7, 3)),
        (7, (0, 5), (0, 7)),
        (5, (0, 0), (3, 2)),
        (1, (1, 1), (1, 0)),
        (13, (2, 5), (3, 10)),
        (9, (100, 0), (9, 0)),
        (8, (60, 40), (5, 3)),
    ],
)
def test_R27_resplit(total: int, ratio: tuple[int, int], split: tuple[int, int]) -> None:
    assert resplit(total, *ratio) == split


@pytest.mark.parametrize(
    ("energy", "shards", "gain"), [(10, 1, "23/2"), (10, 2, "13"), (10, 4, "16"), (7, 3, "203/20"), (1, 6, "19/10")]
)
def test_R50_defence_by_number_of_shards(world: World, energy: int, shards: int, gain: str) -> None:
    own = ["h_kael_1", "h_kael_2", "n001", "n002", "n003", "n004"][:shards]
    world.set(owners__kael__shards=own)
    played = world.play({"kael": [{"type": "invest_defence", "energy": energy}]})
    assert played.one("invested")["gain"] == gain
    assert played.state.owners["kael"].defence == 10 + Fraction(gain)


def test_R61_care_prices_rise(world: World) -> None:
    world.set(owners__kael__energy=80)
    played = world.play({"kael": [{"type": "care", "shard": "h_kael_1"}] * 5})
    assert [-entry["amount"] for entry in ledger(played, "kael") if entry["reason"] == "cost_care"] == [8, 12, 16, 20, 24]


def ledger(played: Any, owner: str) -> list[dict[str, Any]]:
    (data,) = (data for data in played.of("ledger") if data["owner"] == owner)
    return list(data["entries"])


def test_R23_battles_draw_no_dice(world: World) -> None:
    played = world.play({"buyny": [attack("n001")], "morwen": [assault("kael")]}, dice=[])
    assert len(played.battles) == 2


def test_R24_heroes_never_have_levels(world: World) -> None:
    world.set(owners__kael__levels={"warrior": 3, "infantry": 0})
    played = world.play({"kael": [attack("n004", 2, 2)]})
    assert "[Воин](+3)" in played.battles[0]["line_a"]


def test_R25_report_of_a_world_battle(world: World) -> None:
    battle = world.play({"buyny": [assault("kael", 3, 3)]}).battles[0]
    assert battle["header"] == "Владыка Буйный атакует мир владыки Каэль, внешний осколок Янтарный Порт:"
    assert battle["line_d"] == "Каэль — 5э (5 защита + 0 резерв) — [Пехота](2,5)*1 + [Священная](2,5)*1 + [Воин](+3) = 8"
    assert battle["verdict"] == "Победил Владыка Каэль!"


def test_R26_missing_energy_or_component_is_filled_in(world: World) -> None:
    order = {"type": "attack_neutral", "shard": "n007", "troop": "archers", "magic": "necromancy", "hero": "warrior"}
    sums = world.play({"kael": [{**order, "troop_energy": 4, "magic_energy": 5}]}).battles[0]
    assert (sums["energy"], sums["move"]) == (10, 1)
    rest = World().play({"kael": [{**order, "energy": 10, "magic_energy": 5}]}).battles[0]
    assert (rest["troop_energy"], rest["magic_energy"]) == (4, 5)


def test_R38_shard_in_phase_2_world_in_phase_3(world: World) -> None:
    world.hold("buyny", "haste_hourglass").set(owners__buyny__energy=40)
    orders = [{"type": "use_item", "item": "haste_hourglass"}, assault("kael", 5, 5), attack("n001", 6, 6)]
    assert [battle["phase"] for battle in world.play({"buyny": orders}).battles] == [2, 3]


def test_R40_shard_defence_stays_with_the_shard(world: World) -> None:
    played = world.play({"kael": [attack("n001", 10, 10)]})
    assert played.battles[0]["result"] == "win"
    assert played.state.owners["kael"].defence == 10


def test_R77_income_is_never_negative(world: World) -> None:
    world.set(shards__h_kael_1__sacrifice=9, shards__h_kael_2__sacrifice=2)
    (data,) = (data for data in world.play({"kael": PASS}).of("income") if data["owner"] == "kael")
    assert data["income"] == 0


def test_R78_R79_new_shard_pays_this_turn(world: World) -> None:
    world.set(owners__kael__energy=1000)
    played = world.play({"kael": [attack("n002", 10, 10)]})
    assert played.state.owners["kael"].energy == 1000 - 20 + 8 + 2


def test_R92_rituals_never_run_out(world: World) -> None:
    world.hold("kael", "ritual_fog")
    for _ in range(2):
        assert "ritual_fog" in world.play({"kael": [{"type": "use_item", "item": "ritual_fog"}]}).state.owners["kael"].items


def test_R91_fog_makes_the_way_dearer(world: World) -> None:
    world.hold("kael", "ritual_fog")
    played = world.play({"kael": [{"type": "use_item", "item": "ritual_fog"}], "buyny": [assault("kael", 4, 4)]})
    assert played.battles[0]["move"] == 4
    assert played.battles[0]["planned"] == 2


def test_R97_a_trophy_unlocks_a_unit_for_later_turns(world: World) -> None:
    world.set(owners__kael__energy=90, owners__kael__height=3)
    golems = attack("n001", 1, 1, troop="golems")
    taken = world.play({"kael": [golems, attack("n028", 40, 40)]})
    assert taken.rejected == [["kael", "attack_neutral", "E_UNIT_LOCKED"]]
    assert "golems" in taken.state.owners["kael"].unlocked
    assert world.play({"kael": [{**golems, "shard": "n022"}]}).rejected == []


def test_R99_chaos_attacks_nobody(world: World) -> None:
    assert world.play({}).battles == []


def test_R105_R112_refusals_reserves_and_votes_are_private(world: World) -> None:
    orders = [{"type": "invest_defence", "energy": 99}, {"type": "set_reserve", "attack_no": 1, "energy": 5}]
    played = world.play({"kael": [*orders, {"type": "vote_rune", "rune": "tribute"}]}, dice=[1])
    for reader in (EVERYONE, only("buyny")):
        told = json.dumps([event.to_json() for event in visible(played.events, reader)], ensure_ascii=False)
        for secret in ("refused", "E_ENERGY", "accepted", "set_reserve"):
            assert secret not in told
    assert any(event.kind == "refused" for event in visible(played.events, only("kael")))


def test_R106_R107_tactic_opens_with_the_first_battle(world: World) -> None:
    assert RULESET.view(world.state, EVERYONE).game.shards["n001"].tactic is None
    world.play({"kael": [attack("n001", 0, 0, energy=1, troop_energy=1)]})
    view = RULESET.view(world.state, EVERYONE)
    assert view.game.shards["n001"].tactic is not None
    assert view.game.shards["n001"].trophies == []
    assert view.game.shards["n002"].tactic is None


def test_R109_hidden_items_are_seen_by_the_holder_alone(world: World) -> None:
    world.hold("kael", "liar_crown", "rally_horn")
    assert list(RULESET.view(world.state, only("kael")).game.owners["kael"].items) == ["liar_crown", "rally_horn"]
    assert list(RULESET.view(world.state, only("buyny")).game.owners["kael"].items) == ["rally_horn"]


def test_R111_vote_counts_are_public(world: World) -> None:
    played = world.play({"kael": [{"type": "vote_rune", "rune": "tribute"}]}, dice=[1])
    (event,) = (event for event in visible(played.events, EVERYONE) if event.kind == "rune")
    assert event.data["votes"] == {"abundance": 0, "tribute": 1, "homecoming": 0}
    assert "kael" not in json.dumps(dict(event.data))


def test_R113_later_posts_replace_slots_and_add_the_rest() -> None:
    first = parsed(attack("n001"), {"type": "invest_defence", "energy": 3}, {"type": "vote_rune", "rune": "tribute"})
    second = parsed({"type": "enter_nothing"}, {"type": "vote_rune", "rune": "abundance"})
    sheet = merge("kael", [PostOrders(first), PostOrders(second)])
    assert [command.model_dump()["type"] for command in sheet.commands] == ["invest_defence", "enter_nothing", "vote_rune"]


def test_R113_with_an_hourglass_the_attacks_are_two_slots() -> None:
    first = parsed({"type": "use_item", "item": "haste_hourglass"}, attack("n001"), assault("kael"))
    sheet = merge("buyny", [PostOrders(first), PostOrders(parsed(assault("morwen")))])
    kept = [getattr(command, "shard", getattr(command, "target", None)) for command in sheet.commands]
    assert kept == [None, "n001", "morwen"]


def test_R114_cancel_takes_back_what_matches() -> None:
    reserves = parsed(*({"type": "set_reserve", "attack_no": n, "energy": 2} for n in (1, 2)))
    cancel = parsed(
        {"type": "cancel_orders", "orders": [{"type": "set_reserve", "attack_no": 2}]}, {"type": "invest_defence", "energy": 1}
    )
    sheet = merge("kael", [PostOrders(reserves), PostOrders(cancel)])
    assert [command.model_dump()["type"] for command in sheet.commands] == ["set_reserve", "cancel_orders", "invest_defence"]
    everything = merge("kael", [PostOrders(reserves), PostOrders(parsed({"type": "cancel_orders"}))])
    assert [command.model_dump()["type"] for command in everything.commands] == ["cancel_orders"]


def test_R120_care_may_look_ahead_lessons_may_not(world: World) -> None:
    world.set(owners__kael__energy=60)
    orders = [attack("n007", 10, 10, troop="archers"), {"type": "care", "shard": "n007"}]
    played = world.play({"kael": [*orders, {"type": "hire_specialist", "specialist": "sergeant", "unit": "infantry"}]})
    assert played.rejected == [["kael", "hire_specialist", "E_SPECIALIST_NOT_YOURS"]]
    assert played.state.shards["n007"].care == 1


def test_R69_care_for_the_outer_shard_of_the_attacked_world(world: World) -> None:
    world.set(owners__kael__energy=60)
    played = world.play({"kael": [{"type": "care", "shard": "h_buyny_2"}, assault("buyny", 10, 10)]})
    assert played.rejected == []
    assert played.state.shards["h_buyny_2"].care == 1


def test_R121_a_care_sees_what_the_earlier_one_did(world: World) -> None:
    world.set(shards__h_kael_1__sacrifice=1)
    played = world.play({"kael": [{"type": "care", "shard": "h_kael_1"}] * 2})
    place = played.state.shards["h_kael_1"]
    assert (place.sacrifice, place.care, place.care_count) == (0, 1, 2)


def test_R48_setting_gives_the_loot_to_the_winner(world: World) -> None:
    world.set(settings__eliminated_loot="to_winner", owners__rzhavy__shards=["h_rzhavy_1"], owners__buyny__energy=40)
    world.hold("rzhavy", "wind_spurs")
    played = world.play({"buyny": [assault("rzhavy", 19, 19)]})
    assert "wind_spurs" in played.state.owners["buyny"].items
    assert played.state.owners["buyny"].energy == 40 - 40 + 20 + 13


def test_R84_an_immediate_rune_acts_at_once(world: World) -> None:
    raw = states.dump(world.state)
    raw["overrides"] = {
        "runes": {"tribute": {"name_ru": "Руна Дани", "timing": "immediate", "effects": [{"op": "income_bonus", "value": 5}]}}
    }
    world.state = states.load(raw)
    played = world.play({"kael": [{"type": "vote_rune", "rune": "tribute"}]}, dice=[1])
    assert {data["income"] for data in played.of("income")} == {13}
    assert played.state.runes.active == []


def test_R100_the_game_awaits_nobody_when_it_is_over(world: World) -> None:
    world.set(turn=30)
    played = world.play({"kael": PASS})
    assert played.one("finished")["reason"] == "size"
    assert RULESET.step(played.state) is None


def test_R101_all_perished_is_a_draw_of_those_who_died_this_turn(world: World) -> None:
    for owner in world.state.roster:
        world.set(**{f"owners__{owner}__shards": [f"h_{owner}_1"]})
    world.rune("tribute")
    assert world.play({}).one("finished") == {"reason": "all_perished", "winners": world.state.roster}


def test_R6_a_portion_is_the_gms_alone(world: World) -> None:
    gm = [{"type": "gm_grant_item", "owner": "kael", "item": "rally_horn"}]
    played = world.play({"gm": gm, "kael": [{"type": "invest_defence", "energy": 3}]}, closing=False)
    assert "rally_horn" in played.state.owners["kael"].items
    assert played.state.owners["kael"].energy == 20
    assert played.rejected == [["kael", "invest_defence", "E_LATE_PORTION"]]
    step = RULESET.step(played.state)
    assert step is not None
    assert step.id == "t01"


@pytest.mark.parametrize(
    ("command", "path", "value"),
    [
        ({"type": "gm_set_param", "owner": "kael", "field": "energy", "value": 3}, "owners.kael.energy", 3),
        ({"type": "gm_set_param", "owner": "kael", "field": "defence", "value": "7/2"}, "owners.kael.defence", "7/2"),
        (
            {"type": "gm_set_param", "owner": "kael", "field": "level", "unit": "infantry", "value": 2},
            "owners.kael.levels.infantry",
            2,
        ),
        ({"type": "gm_set_param", "shard": "n001", "field": "height", "value": 9}, "shards.n001.height", 9),
        ({"type": "gm_remove_shard", "shard": "n001"}, "shards.n001.status", "destroyed"),
        ({"type": "gm_remove_shard", "shard": "h_kael_2", "fate": "neutral"}, "shards.h_kael_2.status", "neutral"),
        ({"type": "gm_set_rune_board", "runes": ["storm", "calm"]}, "runes.board", ["storm", "calm"]),
        ({"type": "gm_force_nothing", "owner": "kael"}, "owners.kael.status", "nothing"),
        ({"type": "gm_eliminate", "owner": "kael"}, "owners.kael.status", "eliminated"),
        ({"type": "gm_reveal", "owner": "kael", "subject": "n035"}, "known.kael", ["n035"]),
        ({"type": "gm_excuse_missed", "owner": "kael"}, "owners.kael.missed", 0),
        ({"type": "gm_apply_effect", "effect": {"op": "height_set", "value": 2}, "owner": "kael"}, "owners.kael.height", 2),
        ({"type": "gm_grant_item", "owner": "kael", "item": "bounty_big"}, "owners.kael.energy", 30),
        ({"type": "gm_end_game", "winners": ["kael"], "reason": "срок"}, "finished.winners", ["kael"]),
    ],
)
def test_R47_gm_commands_change_the_state(world: World, command: dict[str, Any], path: str, value: Any) -> None:
    played = world.play({"gm": [command]}, closing=False)
    assert not played.of("gm_refused")
    place: Any = states.dump(played.state)
    for name in path.split("."):
        place = place[name]
    assert place == value
    assert RULESET.check(RULESET.view(World().state, GM_ONLY), "turn", parsed(command)) == []


@pytest.mark.parametrize(
    "command",
    [
        {"type": "gm_grant_item", "owner": "nobody", "item": "rally_horn"},
        {"type": "gm_set_param", "owner": "kael", "field": "soul", "value": 1},
        {"type": "gm_set_param", "owner": "kael", "field": "energy", "value": -1},
        {"type": "gm_apply_effect", "effect": {"op": "wish"}},
        {"type": "gm_place_shard", "shard": {"id": "n001"}},
        {"type": "gm_release", "owner": "kael"},
        {"type": "pass"},
    ],
)
def test_R6_a_wrong_gm_command_is_told_to_the_gm(world: World, command: dict[str, Any]) -> None:
    played = world.play({"gm": [command]}, closing=False)
    assert played.of("gm_refused")
    assert played.state == world.state
    assert [p.code for p in RULESET.check(RULESET.view(played.before, GM_ONLY), "turn", parsed(command))] == ["gm_refused"]


def test_R20_care_counts_when_the_shard_is_neutral_again(world: World) -> None:
    world.set(shards__n001__care=2, shards__n001__sacrifice=1)
    battle = world.play({"kael": [attack("n001", 4, 4)]}).battles[0]
    assert battle["line_d"].endswith("+ [эффекты](+6) + [эффекты](-3) = 12")
