"""The edges of the factions' own rules, one ruling a test: what the worked examples don't reach."""

from __future__ import annotations

from typing import Any

from rules.base import only
from rules.steel_rose import RULESET, economy


def attack(city: str, army: int = 1, **more: Any) -> dict[str, Any]:
    return {"type": "army_order", "army": army, "order": "attack", "city": city, **more}


def ritual(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "ritual", "ritual": name, **more}


def knights(game: Any, count: int = 60) -> Any:
    game.faction("empire", units={"knight": count})
    return game


# ------------------------------------------------------------------------------------------------ cities and armies


def test_R78_both_halvings_leave_a_quarter_rounded_down_once(game):
    game.city("ormis", level=2, buildings=["manufactory", "bastion", "recruiting_office"])
    assert economy.nominal_income(game.state.cities["ormis"]) == (600 + 100) // 4
    game.city("ormis", ruin=True)
    assert economy.nominal_income(game.state.cities["ormis"]) == 0


def test_R82_a_city_gained_this_turn_trains_nobody(game):
    game.city("altengrad", buildings=["barracks"], just_taken=True)
    game.close({"empire": [{"type": "hire", "unit": "spearman", "count": 1}]})
    assert game.codes("empire") == ["E_NO_BUILDING"]


def test_R90_two_armies_at_one_city_fight_as_one_force(game):
    game.turn(3)
    game.faction("empire", units={"knight": 10, "archer": 8})
    game.close(
        {"empire": [{"type": "form_army", "army": 2, "units": {"archer": "all"}}, attack("holmgard"), attack("holmgard", 2)]}
    )
    (battle,) = game.state.battles
    assert [(g.source, g.units) for g in battle.attacker.groups] == [("army:1", {"knight": 10}), ("army:2", {"archer": 8})]
    game.close({})
    assert game.told("boards")["boards"]["A"] == {"CR": {"archer": 8}, "CV": {"knight": 10}}


def test_R95_a_colonised_city_keeps_its_level_loses_its_buildings_and_pays_at_once(game):
    game.turn(3)
    knights(game).city("holmgard", level=2, buildings=["manufactory"], corruption=5)
    game.play({"empire": [attack("holmgard", on_capture="colonize")]})
    city = game.state.cities["holmgard"]
    assert (city.owner, city.level, city.buildings, city.corruption) == ("empire", 2, [], 0)
    assert [x["gold"] for x in game.ledger("empire") if x["data"].get("city") == "holmgard" and x["gold"]] == [300]


def test_R97_the_captor_keeps_the_ruins_unless_he_declines(new_game):
    for keep, owner in ((True, "empire"), (False, "principality")):
        game = knights(new_game())
        game.play({"empire": [attack("holmgard", on_capture="destroy", keep_ruins=keep)]})
        city = game.state.cities["holmgard"]
        assert (city.owner, city.ruin, city.garrison) == (owner, True, {})


# ------------------------------------------------------------------------------------------------ principality and elves


def test_R113_every_recruiting_office_gives_its_recruits(game):
    game.faction("principality", units={})
    game.city("ormis", buildings=["recruiting_office"]).city("holmgard", buildings=["recruiting_office"])
    game.close({})
    assert game.units("principality") == {"shieldman": 4, "rifleman": 4}


def test_R122_workshops_and_woods_give_one_a_turn_and_wolves_need_only_a_city(game):
    game.faction("elves", units={}, gold=100)
    game.city("floating_fortress", level=2, buildings=["magic_workshop", "enchanted_woods"])
    game.close({"elves": [{"type": "hire", "unit": "wolf", "count": 3}]})
    assert game.units("elves") == {"golem": 1, "wolf": 3, "ent": 1}
    game.state.settings = {"wolf_requires": "ranger_outpost"}
    game.close({"elves": [{"type": "hire", "unit": "wolf", "count": 3}]})
    assert game.codes("elves") == ["E_NO_BUILDING"]


# ------------------------------------------------------------------------------------------------ cult


def test_R130_the_ally_gets_the_kind_it_chose_by_the_turns_row_without_upkeep(new_game):
    for turn, choice, given in (
        (1, None, {"lower_demon": 7}),
        (2, "infector", {"lower_demon": 7}),
        (3, "infector", {"infector": 5}),
        (4, None, {"lower_demon": 10}),
        (5, "demonologist", {"demonologist": 1}),
        (6, "infector", {"infector": 8}),
    ):
        game = new_game().turn(turn).ally("cult", "elves").faction("elves", units={}, demons=choice)
        game.close({})
        assert game.units("elves") == given, (turn, choice)
        game.close({})
        assert game.line("elves", "upkeep") == 0


def test_R130_ogres_never_join_the_cult(game):
    game.close(
        {"ogres": [{"type": "propose_alliance", "faction": "cult"}], "cult": [{"type": "propose_alliance", "faction": "ogres"}]}
    )
    assert game.codes("ogres") == game.codes("cult") == ["E_CULT_OGRES"]
    assert not game.state.alliances


def test_R133_slots_are_one_then_more_by_sacrifice_and_three_at_most(game):
    game.faction("cult", gold=2000)
    game.close({"cult": [ritual("oath"), ritual("cursed_gold")]})
    assert game.codes("cult") == ["E_RITUAL_LIMIT"]
    game.faction("cult", ritual_slots=3, res=0)
    game.close({"cult": [ritual("oath"), ritual("oath"), ritual("cursed_gold"), ritual("summon"), ritual("feed_demons")]})
    assert game.codes("cult") == ["E_SAME_RITUAL", "E_RITUAL_CAP"]
    assert game.state.factions["cult"].rituals == []


def test_R136_the_devil_deals_in_small_foreign_living_cities_only(game):
    game.turn(3).faction("cult", gold=1000, units={}).ally("cult", "elves").city("kronvik", level=2, buildings=["chapel"])
    game.city("bely_brod", ruin=True, garrison={})
    for city, code in (
        ("altengrad", "E_SMALL_CITY_ONLY"),
        ("bely_brod", "E_SMALL_CITY_ONLY"),
        ("elvendar", "E_ALLY"),
        ("chernyi_kamen", "E_OWN_CITY"),
    ):
        (problem,) = RULESET.check(
            RULESET.view(game.state, only("cult")),
            "orders",
            [RULESET.commands.parse(ritual("devils_deal", city=city))],
        )
        assert problem.code == code, city
    game.close({"cult": [ritual("devils_deal", city="kronvik")]})
    city, cult = game.state.cities["kronvik"], game.state.factions["cult"]
    assert (city.owner, city.level, city.buildings) == ("cult", 1, [])
    assert (cult.max_hunger, cult.units) == (70, {"lower_demon": 20})


def test_R138_cursed_gold_runs_dry_and_doubles_at_sunset(game):
    game.faction("cult", gold=0, units={})
    given = []
    for use in range(8):
        game.faction("cult", cursed_uses=use, res=0)
        game.close({"cult": [ritual("cursed_gold")]})
        given.append(game.line("cult", "cursed_gold"))
        game.turn(1)
    assert given == [300, 250, 200, 150, 100, 50, 0, 0]
    game.turn(7).faction("cult", cursed_uses=2, res=0)
    game.close({"cult": [ritual("cursed_gold")]})
    assert game.line("cult", "cursed_gold") == 400


def test_R139_the_oath_is_kept_once_a_turn_and_not_by_ruins(new_game):
    for ruins, most in ((False, 110), (True, 100)):
        game = new_game().turn(3).faction("cult", units={"void_knight": 80})
        for city in ("kronvik", "elvendar"):
            game.city(city, garrison={}, ruin=ruins)
        second = {"type": "form_army", "army": 2, "units": {"void_knight": 40}}
        orders = [ritual("oath"), second, attack("kronvik", on_capture="plunder"), attack("elvendar", 2, on_capture="plunder")]
        game.play({"cult": orders})
        assert game.state.factions["cult"].max_hunger == most


def test_R140_a_sacrificed_city_is_ruins_of_the_cult_and_its_slot_works_at_once(game):
    game.faction("cult", gold=500, units={}, res=0)
    game.close({"cult": [ritual("sacrifice_city", city="chernyi_kamen"), ritual("cursed_gold"), ritual("oath")]})
    city = game.state.cities["chernyi_kamen"]
    assert (city.owner, city.ruin) == ("cult", True)
    assert game.codes("cult") == ["E_RITUAL_LIMIT"]
    # −150 and +300; no plunder, no hunger fed by the lost city: 30 + 30, and 10 + 15 × 2.
    assert (game.line("cult", "ritual"), game.line("cult", "cursed_gold")) == (-150, 300)
    assert game.res("cult") == 60 + 40
    assert game.state.factions["cult"].ritual_slots == 2


def test_R141_only_the_first_raid_feeds_the_demons(game):
    game.turn(3).faction("cult", units={"void_knight": 80}, res=0)
    for city in ("kronvik", "elvendar"):
        game.city(city, garrison={})
    second = {"type": "form_army", "army": 2, "units": {"void_knight": 40}}
    orders = [ritual("feed_demons"), second, attack("kronvik", on_capture="plunder"), attack("elvendar", 2, on_capture="destroy")]
    game.play({"cult": orders})
    assert game.line("cult", "feed") == 100
    (fed,) = game.named("fed")
    assert fed.data["units"] == {"lower_demon": 20}


def test_R142_who_serves_the_void_makes_it_hungry(game):
    game.faction("cult", gold=2000, units={}, res=0)
    game.city("morwen", level=3, buildings=["cultist_refuge", "citadel_of_pain", "summoners_cult"])
    hire = [("cultist", 1, 0), ("enlightened", 3, 6), ("void_knight", 2, 10), ("demonologist", 1, 20)]
    game.close({"cult": [{"type": "hire", "unit": unit, "count": count} for unit, count, _ in hire]})
    assert game.line("cult", "hire_hunger", "res") == sum(hunger for *_, hunger in hire)


# ------------------------------------------------------------------------------------------------ ogres


def test_R144_the_mobile_city_goes_two_roads_a_turn_and_trains_by_epoch(new_game):
    game = new_game()
    path = [["valdheim", "kronvik"], ["kronvik", "morwen"], ["elvendar", "morwen"]]
    game.close({"ogres": [{"type": "move_mobile_city", "path": path}]})
    assert game.codes("ogres") == ["E_TOO_FAR"]
    game.close({"ogres": [{"type": "move_mobile_city", "path": path[:2]}]})
    assert set(game.state.mobile_city.road) == {"kronvik", "morwen"}
    for turn, codes in ((2, ["E_MOBILE_LEVEL", "E_MOBILE_LEVEL"]), (4, ["E_MOBILE_LEVEL"]), (5, [])):
        game = new_game().turn(turn).faction("ogres", gold=5000)
        game.close({"ogres": [{"type": "hire", "unit": unit, "count": 1} for unit in ("ogre_bull", "man_eater", "stonehorn")]})
        assert game.codes("ogres") == codes, turn


def test_R145_who_is_in_the_garrison_does_not_march_but_is_fed(game):
    game.city("valdheim", garrison={})
    game.close(
        {
            "ogres": [
                {"type": "garrison_mobile", "units": {"ogre_bull": 4}, "direction": "in"},
                attack("valdheim", on_capture="plunder"),
            ]
        }
    )
    (armies,) = game.named("armies")[-1:]
    assert armies.data["armies"]["1"]["units"] == {"gnoblar": 10, "ogre_bull": 2}
    assert game.state.mobile_city.garrison == {"ogre_bull": 4}
    assert game.line("ogres", "upkeep") == -80
    assert game.line("ogres", "meat_upkeep", "res") == -12


def test_R149_R155_raids_of_ogres_pay_double_and_again_at_sunset(new_game):
    for turn, gold, meat in ((3, 900, 112), (7, 1800, 224)):
        game = new_game().turn(turn).city("valdheim", garrison={})
        game.play({"ogres": [attack("valdheim", on_capture="plunder")]})
        assert game.line("ogres", "plunder") == gold
        assert game.line("ogres", "meat_raid", "res") == meat
    game = new_game().city("valdheim", garrison={})
    game.play({"ogres": [attack("valdheim", on_capture="destroy")]})
    assert (game.line("ogres", "destroy"), game.line("ogres", "meat_raid", "res")) == (900, 180)
    assert game.state.cities["valdheim"].owner == "empire"
