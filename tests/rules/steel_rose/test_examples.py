"""The worked examples of the rules outside battle, with their exact numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from rules.base import EVERYONE, only
from rules.dice import seeded_dice
from rules.steel_rose import RULESET, economy
from rules.steel_rose.orders.rituals import demons
from rules.steel_rose.orders.spells import float_price
from rules.steel_rose.turn import Turn
from rules.steel_rose.victory import has_won, midnight


def build(city: str, building: str) -> dict[str, Any]:
    return {"type": "build", "city": city, "building": building}


def hire(unit: str, count: int) -> dict[str, Any]:
    return {"type": "hire", "unit": unit, "count": count}


def attack(city: str, army: int = 1, **more: Any) -> dict[str, Any]:
    return {"type": "army_order", "army": army, "order": "attack", "city": city, **more}


def defend(city: str, army: int = 1) -> dict[str, Any]:
    return {"type": "army_order", "army": army, "order": "defend", "city": city}


def ritual(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "ritual", "ritual": name, **more}


def spell(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "cast_spell", "spell": name, **more}


def test_R78_R82_R85_R112_E24_income(game):
    assert sum(economy.produced(game.state.cities[c]) for c in game.state.owned("empire")) == 750
    game.city("valdheim", buildings=["farmland"]).city("kronvik", buildings=["farmland"])
    assert sum(economy.produced(game.state.cities[c]) for c in game.state.owned("empire")) == 850
    game.city("altengrad", defended=True)
    assert sum(economy.produced(game.state.cities[c]) for c in game.state.owned("empire")) == 775
    game.city("ormis", level=3, buildings=["industrial_plant", "bastion", "recruiting_office"])
    assert economy.nominal_income(game.state.cities["ormis"]) == 275


def test_R79_R153_E25_upgrade(game):
    game.turn(3).faction("empire", gold=2000).city("valdheim", buildings=["farmland"])
    up = {"type": "upgrade_city"}
    game.close({"empire": [{**up, "city": "kronvik"}, {**up, "city": "valdheim"}, {**up, "city": "kronvik"}]})
    assert [e.data["gold"] for e in game.named("upgraded")] == [450, 600]
    assert game.codes("empire") == ["E_EPOCH_LEVEL"]
    assert game.line("empire", "upgrade") == -1050


def test_R153_E25_no_upgrade_at_twilight(game):
    game.close({"empire": [{"type": "upgrade_city", "city": "altengrad"}]})
    assert game.codes("empire") == ["E_EPOCH_LEVEL"]


def test_R79_E25_capital_for_900(game):
    game.turn(3).faction("empire", gold=950)
    game.close({"empire": [{"type": "upgrade_city", "city": "altengrad"}]})
    assert game.told("upgraded")["gold"] == 900
    assert game.line("empire", "upgrade") == -900


def test_R80_R81_E26_building_and_selling(game):
    game.close(
        {
            "principality": [
                build("holmgard", "manufactory"),
                build("holmgard", "barracks"),
                build("ormis", "garrison_barracks"),
                build("ormis", "chapel"),
                build("kronvik", "barracks"),
                {"type": "sell_building", "city": "holmgard", "building": "manufactory"},
                build("ormis", "barracks"),
                build("ormis", "barracks"),
            ]
        }
    )
    assert game.codes("principality") == [
        "E_NO_SLOT", "E_BUILDING_LEVEL", "E_FACTION_BUILDING", "E_NOT_OWNER", "E_DUPLICATE_BUILDING",
    ]  # fmt: skip
    assert 850 + sum(game.line("principality", k) for k in ("build", "sale")) == 665


def test_R82_R105_R122_R142_E27_hiring(game):
    game.close(
        {
            "empire": [
                hire("knight", 5), build("altengrad", "barracks"), hire("spearman", 20), hire("spearman", 27), hire("healer", 1),
            ],
            "elves": [hire("wolf", 2), hire("ranger", 2)],
            "cult": [hire("lower_demon", 5), build("morwen", "cultist_refuge"), hire("enlightened", 3)],
            "ogres": [hire("man_eater", 1), hire("ogre_bull", 2)],
        }
    )  # fmt: skip
    assert game.codes("empire") == ["E_NO_BUILDING", "E_NO_GOLD", "E_NO_BUILDING"]
    assert 850 + game.line("empire", "build") + game.line("empire", "hire") == 400
    assert game.codes("elves") == ["E_NO_BUILDING"]
    assert game.codes("cult") == ["E_RITUAL_ONLY"]
    assert 700 + game.line("cult", "build") + game.line("cult", "hire") == 545
    assert game.line("cult", "hire_hunger", "res") == 6
    assert game.codes("ogres") == ["E_MOBILE_LEVEL"]


@pytest.mark.parametrize(
    ("victor", "choice", "gold", "meat", "owner", "ruin", "no_income"),
    [
        ("empire", "colonize", 0, None, "empire", False, False),
        ("empire", "plunder", 750, None, "principality", False, True),
        ("empire", "destroy", 750, None, "empire", True, False),
        ("ogres", "plunder", 1500, 187, "principality", False, True),
        ("ogres", "destroy", 1500, 300, "principality", True, False),
        ("cult", "plunder", 800, None, "principality", False, True),
    ],
)
def test_R95_R96_R97_R142_R149_E28_capture_choices(game, victor, choice, gold, meat, owner, ruin, no_income):
    game.city("holmgard", buildings=["manufactory"], garrison={})
    game.city("morwen", buildings=["torture_dungeon"]).faction("cult", res=90)
    game.state.roads.append(("holmgard", "morwen"))
    if victor == "ogres":
        game.state.mobile_city.road = ("bely_brod", "holmgard")
    game.close({victor: [attack("holmgard", on_capture=choice)]})
    city = game.state.cities["holmgard"]
    assert (city.owner, city.level, city.ruin, city.buildings) == (owner, 1, ruin, [])
    raid = sum(x["gold"] for x in game.ledger(victor) if x["kind"] in ("plunder", "destroy", "raid_bonus"))
    assert raid == gold
    if meat is not None:
        assert game.line("ogres", "meat_raid", "res") == meat
    income = [x for x in game.ledger(owner) if x["kind"] == "income" and x["data"]["city"] == "holmgard"]
    assert bool(income) != (no_income or ruin)
    if victor == "cult":
        assert game.line("cult", "hunger_raid", "res") == -60


def test_R94_R129_E28_the_cult_cannot_colonize(game):
    game.close({"cult": [attack("kronvik", on_capture="colonize")]})
    assert game.codes("cult") == ["E_CANNOT_COLONIZE"]
    assert game.state.battles[0].id == "kronvik"


@pytest.mark.parametrize(
    ("unit", "dead", "honor"), [("spearman", 1, 0.5), ("spearman", 6, 3.0), ("knight", 2, 3.0), ("hero", 1, 3.0)]
)
def test_R103_E29_honour(game, unit, dead, honor):
    from rules.steel_rose.losses import honour

    turn = Turn(game.state, seeded_dice("x"))
    honour(turn, "empire", {unit: dead}, "holmgard")
    assert float(turn.state.factions["empire"].res) == 10 + honor


def test_R104_R99_E30_quest_once_and_only_if_untouched(new_game):
    game = new_game().city("holmgard", garrison={})
    game.close({"empire": [attack("holmgard", on_capture="colonize")]})
    assert game.line("empire", "quest", "res") == 15
    assert game.units("empire")["knight"] == 5
    game = new_game().city("holmgard", garrison={}, captured_before=True)
    game.close({"empire": [attack("holmgard", on_capture="colonize")]})
    assert not game.named("quest")
    game = new_game().turn(7).city("holmgard", garrison={})
    game.close({"empire": [attack("holmgard", on_capture="plunder")]})
    assert game.line("empire", "quest", "res") == 30
    assert game.line("empire", "plunder") == 900


@pytest.mark.parametrize(
    ("kind", "roll", "corruption", "owner", "hunger"),
    [("small", 7, 19, "empire", 50), ("small", 8, 0, "cult", 0), ("large", 6, 12, "empire", 50)],
)
def test_R134_R132_R126_E31_corruption(game, kind, roll, corruption, owner, hunger):
    game.faction("cult", res=20, gold=700).city("kronvik", type=kind)
    game.close({"cult": [ritual("infect", city="kronvik")]}, [roll])
    city = game.state.cities["kronvik"]
    assert (city.corruption, city.owner) == (corruption, owner)
    passive = game.line("cult", "hunger_passive", "res")
    assert game.res("cult") - passive == hunger
    assert game.line("cult", "ritual") == -100


def test_R134_E31_refusals(game):
    game.close(
        {
            "cult": [ritual("infect", city="altengrad"), ritual("infect", city="elvendar")],
            "elves": [spell("float_city", city="elvendar")],
        }
    )
    assert game.codes("cult") == ["E_NOT_ADJACENT", "E_FLOATING"]
    assert game.line("cult", "ritual", "res") == 0


def test_R106_R107_E32_detection_and_cleansing(game):
    game.city("altengrad", buildings=["watch_post"]).city("kronvik", corruption=15)
    cleanse = {"type": "cleanse_corruption", "city": "kronvik", "pay": "honor"}
    game.close({"empire": [cleanse]}, [True])
    assert game.codes("empire") == ["E_NOT_DETECTED"]
    assert game.told("detected") == {"city": "kronvik", "corruption": 15}
    game.close({"empire": [cleanse]}, [])
    assert game.codes("empire") == []
    assert (game.state.cities["kronvik"].corruption, game.res("empire")) == (0, 0)


def test_R125_R127_E33_hunger(new_game):
    game = new_game().city("morwen", buildings=["dark_altar"]).faction("cult", res=100)
    assert economy.passive_hunger(game.state) == 50
    game.close({}, [])
    assert not game.named("hunger_burst")
    game = new_game().faction("cult", res=101)
    game.close({}, [1])
    assert game.told("hunger_burst") == {"city": "nightmare_peak"}
    city = game.state.cities["nightmare_peak"]
    assert (city.owner, city.ruin) == (None, True)
    game = new_game().turn(7)
    assert economy.passive_hunger(game.state) == 110
    game = new_game().faction("cult", res=101)
    for city in ("morwen", "nightmare_peak", "chernyi_kamen"):
        game.city(city, owner="elves")
    game.close()
    assert game.state.factions["cult"].status == "eliminated"


def test_R133_R140_R138_R137_R136_E34_rituals(game):
    game.turn(3).faction("cult", gold=2000, res=0, units={"lower_demon": 8})
    game.close({"cult": [ritual("cursed_gold"), ritual("summon")]})
    assert game.codes("cult") == ["E_RITUAL_LIMIT"]
    assert game.line("cult", "cursed_gold") == 300
    game.faction("cult", res=30, gold=2300)
    game.close(
        {
            "cult": [
                ritual("sacrifice_city", city="chernyi_kamen"), ritual("sacrifice_city", city="nightmare_peak"),
                ritual("summon", demons="infector"), ritual("cursed_gold"),
            ]
        }
    )  # fmt: skip
    assert game.codes("cult") == ["E_SAME_RITUAL", "E_RITUAL_LIMIT"]
    assert game.units("cult")["infector"] == 10
    assert game.line("cult", "ritual") == -150
    assert game.line("cult", "ritual", "res") == 60
    game.faction("cult", res=90, gold=2150, units={"lower_demon": 8}).turn(4)
    game.state.factions["cult"].summon_ready = 5
    game.close({"cult": [ritual("summon"), ritual("cursed_gold"), ritual("devils_deal", city="kronvik")]})
    assert game.codes("cult") == ["E_COOLDOWN"]
    assert game.line("cult", "cursed_gold") == 250
    cult = game.state.factions["cult"]
    assert (cult.max_hunger, game.state.cities["kronvik"].owner, cult.units["lower_demon"]) == (70, "cult", 28)
    assert [x["res"] for x in game.ledger("cult") if x["kind"] == "hunger_city"] == [-120]


def test_R130_R131_R83_E35_union_and_betrayal(game):
    game.ally("cult", "elves").faction("elves", demons="infector")
    game.close({})
    assert game.units("elves")["lower_demon"] == 7
    assert game.line("elves", "upkeep") == -42
    game.close({})
    assert game.line("elves", "upkeep") == -42
    game.close({"cult": [{"type": "betray_ally", "faction": "elves", "cities": ["elvendar"]}]})
    assert game.told("betrayal")["cities"] == ["elvendar"]
    assert "lower_demon" not in game.units("elves")
    assert not game.state.alliances


def test_R131_E35_six_small_and_two_large(game):
    from rules.steel_rose.orders.diplomacy import stolen

    for city in ("holmgard", "stalevar", "shipovnik", "ormis"):
        game.city(city, owner="empire")
    turn = Turn(game.state, None)
    assert stolen(turn, "empire", [])[0] == ["bely_brod", "valdheim", "altengrad"]


def test_R116_E36_floating_prices(game):
    state, city = game.state, game.state.cities["elvendar"]
    elves = state.factions["elves"]
    prices = [float_price(state, city)]
    elves.float_casts, elves.float_turn = 1, 1
    prices.append(float_price(state, city))
    city.buildings = ["floating_spire"]
    prices.append(float_price(state, city))
    city.buildings = []
    state.turn = 2
    prices.append(float_price(state, city))
    state.turn = 3
    prices.append(float_price(state, city))
    assert prices == [100, 150, 100, 150, 100]


def test_R117_E36_bombarding_cultists(new_game):
    dead = 0
    for seed in range(40):
        game = new_game().faction("cult", units={"cultist": 20})
        game.seed = f"float-{seed}"
        game.close({"elves": [spell("float_city", city="elvendar")], "cult": [attack("elvendar")]})
        dead += sum(game.told("bombarded")["dead"].values())
        assert game.state.cities["elvendar"].owner == "elves"
    assert dead / 40 < 0.2


def test_R150_R151_E37_mercenaries(game):
    game.turn(3).faction("empire", gold=850)
    merc = {"type": "hire_mercenary", "unit": "ogre_bull", "count": 3}
    game.close({"empire": [merc], "principality": [{**merc, "count": 1}]})
    assert game.codes("principality") == ["E_MOBILE_FAR"]
    assert (game.line("empire", "mercenaries"), game.line("ogres", "mercenary_share")) == (-240, 120)
    game.ally("empire", "ogres").turn(3)
    game.faction("empire", gold=610)
    game.close({"empire": [merc, {**merc, "unit": "gnoblar", "count": 5}, {**merc, "unit": "stonehorn", "count": 1}]})
    assert game.codes("empire") == ["E_MOBILE_LEVEL"]
    assert [x["gold"] for x in game.ledger("empire") if x["kind"] == "mercenaries" and x["gold"]] == [-40, -100]
    assert [x["gold"] for x in game.ledger("ogres") if x["kind"] == "mercenary_share"] == [20, 50]
    assert game.line("empire", "ogre_share_paid") == -75
    assert game.line("ogres", "ogre_share") == 75


def test_R83_E38_desertion_for_gold(game):
    game.faction("empire", gold=0, units={"knight": 60, "spearman": 10})
    game.close({})
    assert game.told("deserted")["units"] == {"knight": 14}
    assert game.line("empire", "upkeep") == -740
    assert (game.gold("empire"), game.units("empire")) == (10, {"spearman": 10, "knight": 46})


def test_R148_E38_desertion_for_meat(game):
    game.faction("ogres", res=10, units={"ogre_bull": 3, "gnoblar": 2, "lead_belcher": 2})
    game.close({})
    assert game.told("deserted")["units"] == {"lead_belcher": 1}
    assert (game.res("ogres"), game.units("ogres")) == (1, {"gnoblar": 2, "ogre_bull": 3, "lead_belcher": 1})


def test_R155_R83_R115_E39_sunset(game):
    game.turn(7)
    game.close({})
    factions = ("empire", "principality", "elves", "cult", "ogres")
    assert [game.line(f, "income") for f in factions] == [1500, 1500, 1500, 1200, 0]
    assert [-game.line(f, "upkeep") for f in factions] == [50, 53, 42, 46, 80]
    assert (game.res("elves"), game.res("cult")) == (300, 110)


def test_R154_E40_gift(game):
    game.turn(2).faction("elves", gold=100)
    game.close({})
    assert game.told("gift") == {"faction": "elves", "gold": 600}


def test_R156_E40_midnight(new_game):
    game = new_game().turn(8).city("holmgard", owner="empire")
    game.close({})
    assert (game.told("midnight")["winners"], game.state.phase) == (["empire"], "over")
    game = new_game().turn(9).city("kronvik", level=2)
    turn = Turn(game.state, None)
    midnight(turn)
    assert turn.state.winners == ["empire"]


def test_R158_R102_E41_victory_of_the_empire(game):
    for city in ("holmgard", "shipovnik", "stalevar", "ormis", "morwen"):
        game.city(city, owner="empire")
    game.faction("empire", res=60)
    assert not has_won(game.state, "empire")
    game.state.factions["principality"].status = "eliminated"
    assert has_won(game.state, "empire")
    game.faction("empire", res=59.5)
    assert not has_won(game.state, "empire")


def test_R143_E41_victory_of_the_ogres(game):
    game.faction("ogres", gold=1280, res=322, raids=["valdheim", "kronvik", "ormis", "elvendar"])
    game.close({})
    assert game.state.factions["ogres"].status == "won"
    assert (game.gold("ogres"), game.res("ogres")) == (200, 10)


def test_R124_E41_victory_of_the_cult(game):
    for city in ("kronvik", "shipovnik", "elvendar"):
        game.city(city, owner="cult")
    game.faction("cult", gold=1500)
    game.close({})
    assert game.state.factions["cult"].status == "won"
    assert (len(game.state.cities), len(game.state.roads)) == (9, 9)


def test_R89_R94_R157_E42_attack_legality(game):
    from rules.steel_rose.orders.armies import attack_legality

    turn = Turn(game.state, None)

    def code(faction: str, target: str) -> str | None:
        refused = attack_legality(turn, faction, target)
        return refused.code if refused is not None else None

    found = [code("empire", c) for c in ("holmgard", "ormis", "kronvik", "nowhere")]
    found += [code("ogres", c) for c in ("valdheim", "kronvik")]
    game.ally("empire", "principality")
    found.append(code("empire", "holmgard"))
    game.state.factions["cult"].status = "won"
    found.append(code("empire", "morwen"))
    assert found == [None, "E_NOT_ADJACENT", "E_OWN_CITY", "E_UNKNOWN_CITY", None, "E_NOT_ADJACENT", "E_ALLY", "E_WINNER_CITY"]


def test_R92_R146_E43_waves(game):
    from rules.steel_rose.state import Army
    from rules.steel_rose.waves import schedule

    def army(city: str) -> Army:
        return Army(units={"spearman": 1}, order="attack", city=city)

    game.turn(3)
    game.state.factions["empire"].armies = {1: army("morwen"), 2: army("mobile_city")}
    for faction, city in (("elves", "morwen"), ("ogres", "valdheim"), ("cult", "valdheim")):
        game.state.factions[faction].armies = {1: army(city)}
    from rules.dice import scripted_dice

    turn = Turn(game.state, scripted_dice([[1, 0], [0, 1]])[0])
    schedule(turn)
    waves = [[(a.attacker, a.target) for a in sorted(wave, key=lambda a: a.target)] for wave in turn.state.waves]
    assert waves == [
        [("empire", "mobile_city"), ("empire", "morwen"), ("cult", "valdheim")],
        [("elves", "morwen"), ("ogres", "valdheim")],
    ]


def test_R98_R91_E50_restoring_ruins(game):
    game.city("holmgard", garrison={}).faction("empire", gold=0, units={"spearman": 1})
    game.close({"empire": [attack("holmgard", on_capture="destroy")]})
    assert game.line("empire", "destroy") == 450
    assert (game.state.cities["holmgard"].owner, game.state.cities["holmgard"].ruin) == ("empire", True)
    game.faction("empire", gold=1000)
    game.close({"empire": [{"type": "restore_ruins", "city": "holmgard"}]})
    assert game.line("empire", "restore") == -300
    assert not [x for x in game.ledger("empire") if x["kind"] == "income" and x["data"]["city"] == "holmgard"]
    assert game.state.cities["holmgard"].garrison == {"spearman": 10, "archer": 6, "horseman": 3}


def test_R97_R98_R93_E50_ruins_left_and_walked_into(game):
    game.city("holmgard", garrison={}).faction("empire", units={"spearman": 1})
    game.close({"empire": [attack("holmgard", on_capture="destroy", keep_ruins=False)]})
    assert (game.state.cities["holmgard"].owner, game.state.cities["holmgard"].ruin) == ("principality", True)
    game.close({"empire": [attack("holmgard")]})
    assert not game.named("battle")
    assert game.told("capture")["choice"] == "take_ruins"
    assert (game.state.cities["holmgard"].owner, game.state.cities["holmgard"].ruin) == ("empire", True)


def test_R118_E50_forest_call(game):
    game.city("elvendar", ruin=True).faction("elves", res=100)
    game.close({"elves": [spell("forest_call", city="elvendar")]})
    assert game.line("elves", "spell", "res") == -50
    assert not game.state.cities["elvendar"].ruin


def test_R144_R145_R147_E51_mobile_city(new_game):
    def move(*path: list[str]) -> dict[str, Any]:
        return {"type": "move_mobile_city", "path": list(path)}

    game = new_game()
    game.close({"ogres": [move(["altengrad", "valdheim"], ["altengrad", "bely_brod"])]})
    assert list(game.state.mobile_city.road) == ["altengrad", "bely_brod"]
    assert economy.neighbours(game.state, "ogres") == ["altengrad", "bely_brod"]
    for path, code in (
        ([["ormis", "holmgard"]], "E_ROAD_NOT_ADJACENT"),
        ([["altengrad", "ormis"]], "E_NO_ROAD"),
        ([["valdheim", "kronvik"], ["kronvik", "morwen"], ["morwen", "shipovnik"]], "E_TOO_FAR"),
    ):
        game = new_game()
        game.close({"ogres": [move(*path)]})
        assert game.codes("ogres") == [code]
    game = new_game()
    garrison = {"type": "garrison_mobile", "direction": "in"}
    game.close({"ogres": [{**garrison, "units": {"gnoblar": 4}}, {**garrison, "units": {"gnoblar": 9}}]})
    assert (game.state.mobile_city.garrison, game.codes("ogres")) == ({"gnoblar": 4}, ["E_NOT_ENOUGH_UNITS"])


def test_R128_E51_camp(game):
    def camp(*road: str) -> dict[str, Any]:
        return {"type": "move_camp", "road": list(road)}

    game.close({"cult": [camp("kronvik", "morwen")]})
    assert game.codes("cult") == ["E_HAS_CITY"]
    for city in ("morwen", "nightmare_peak", "chernyi_kamen"):
        game.city(city, owner="elves")
    game.close({"cult": [camp("kronvik", "morwen")]})
    assert game.codes("cult") == []
    assert economy.neighbours(game.state, "cult") == ["kronvik", "morwen"]
    game.close({"cult": [camp("ormis", "stalevar")]})
    assert game.codes("cult") == ["E_ROAD_NOT_ADJACENT"]


def test_R120_R115_E52_divination(game):
    game.faction("empire", gold=850)
    game.close({})
    assert game.gold("empire") == 1550
    game.close({"elves": [spell("divination", faction="empire")], "empire": [build("altengrad", "farmland")]})
    told = game.told("divination")
    assert (told["divination"], told["gold"], told["res"], told["units"]) == ("empire", 1550, 10, {"spearman": 6, "archer": 4})
    assert game.line("elves", "spell", "res") == -70


def test_R141_R139_R126_R142_E53_feed_and_oath(game):
    game.turn(2).faction("cult", ritual_slots=2, units={"lower_demon": 8}).city("kronvik", garrison={})
    game.close({"cult": [ritual("oath"), ritual("feed_demons"), attack("kronvik", on_capture="plunder")]})
    assert game.line("cult", "ritual", "res") == 120
    assert (game.line("cult", "plunder"), game.line("cult", "feed")) == (450, 100)
    assert game.line("cult", "hunger_raid", "res") == -60
    assert (game.state.factions["cult"].max_hunger, game.units("cult")["lower_demon"]) == (110, 23)


def test_R114_R108_E54_victories(game):
    for city in ("holmgard", "shipovnik", "stalevar"):
        game.city(city, owner="elves")
    game.faction("elves", res=500)
    assert has_won(game.state, "elves")
    game.city("floating_fortress", ruin=True).city("ormis", owner="elves")
    assert not has_won(game.state, "elves")
    for city in ("holmgard", "shipovnik", "stalevar", "ormis", "altengrad", "kronvik", "valdheim", "bely_brod"):
        game.city(city, owner="principality")
    game.state.factions["empire"].status = "eliminated"
    assert has_won(game.state, "principality")


def test_R113_R122_R142_R78_E55_production(game):
    game.city("ormis", buildings=["recruiting_office", "gun_workshop"]).city("elvendar", buildings=["magic_workshop"])
    game.city("morwen", buildings=["demonic_portal", "dark_altar"])
    game.close({})
    assert game.line("principality", "income") == 600
    assert game.units("principality") == {"shieldman": 7, "rifleman": 6}
    assert (game.res("principality"), game.units("elves")["golem"], game.units("cult")["lower_demon"], game.res("cult")) == (
        55,
        1,
        10,
        50,
    )


def test_R146_R77_R90_E56_losing_the_mobile_city(game):
    game.turn(3).faction("empire", units={"knight": 40})
    form = {"type": "form_army", "units": {"knight": 20}}
    game.play(
        {
            "empire": [{**form, "army": 1}, {**form, "army": 2}, attack("mobile_city", 1), attack("mobile_city", 2)],
            "ogres": [attack("valdheim")],
        }
    )
    battles = [e for e in game.named("battle") if e.detail == 1]
    assert len(battles) == 1
    assert sum(sum(cell.values()) for cell in battles[0].data["boards"]["A"].values()) == 40
    assert battles[0].data["winner"] == "A"
    assert game.state.factions["ogres"].status == "eliminated"
    assert game.state.mobile_city is None


def test_R135_R20_R90_R85_E57_teleport_and_merged_defence(game):
    game.faction("cult", units={"cultist": 1})
    game.play({"cult": [ritual("teleport", army=1, city="altengrad"), attack("altengrad")], "empire": [defend("altengrad")]})
    battle = next(e for e in game.named("battle") if e.detail == 1)
    defenders: dict[str, int] = {}
    for cell in battle.data["boards"]["B"].values():
        for unit, count in cell.items():
            defenders[unit] = defenders.get(unit, 0) + count
    assert defenders == {"spearman": 6, "g:spearman": 20, "g:horseman": 6, "archer": 4, "g:archer": 12}
    assert battle.data["winner"] == "B"
    assert game.line("empire", "income") == 675
    assert 700 + game.line("cult", "ritual") + game.line("cult", "income") == 1100
    assert game.res("cult") == 85


def test_R80_R87_R88_E59_levels_and_army_limit(game):
    game.turn(2).city("altengrad", level=2)
    game.close(
        {
            "empire": [
                build("altengrad", "gold_mine"), build("altengrad", "silver_mine"),
                {"type": "form_army", "army": 2, "units": {"spearman": 3}}, defend("kronvik", 2),
            ]
        }
    )  # fmt: skip
    assert game.codes("empire") == ["E_BUILDING_LEVEL", "E_ARMY_LIMIT", "E_NO_ARMY"]


def test_E61_a_full_turn(game):
    orders = {
        "empire": [
            build("altengrad", "barracks"), hire("spearman", 30), hire("archer", 8), attack("holmgard", on_capture="colonize"),
            {"type": "skip_planning", "battle": "holmgard"},
        ],
        "principality": [build("ormis", "manufactory"), defend("ormis")],
        "elves": [spell("float_city", city="elvendar"), build("floating_fortress", "gardens_of_peace")],
        "cult": [ritual("infect", city="shipovnik"), attack("elvendar")],
        "ogres": [hire("ogre_bull", 4), hire("sabertooth", 10), attack("valdheim", on_capture="plunder")],
    }  # fmt: skip
    game.close(orders, [4, *[1] * 40])
    while game.state.phase != "orders":
        game.close({})
    assert not [e for e in game.all if e.kind == "refused"]
    game.events = game.all
    factions = ("empire", "principality", "elves", "cult", "ogres")
    assert game.state.cities["holmgard"].owner == "empire"
    assert game.state.cities["shipovnik"].corruption == 16
    assert (game.line("ogres", "plunder"), game.line("ogres", "meat_raid", "res")) == (900, 112)
    assert [game.line(f, "income") for f in factions] == [750, 625, 820, 600, 0]
    assert game.gold("principality") == 1252
    assert (game.gold("elves"), game.gold("cult")) == (1428, 1154)
    assert (game.res("cult"), game.res("elves")) == (85, 100)
    killed = game.line("ogres", "meat_battle", "res")
    assert game.res("ogres") == 120 + 112 + killed - 20
    assert game.line("empire", "quest", "res") == 15
    assert 25 <= game.res("empire") <= 35


def test_R135_E63_a_part_teleported(game):
    game.play({"cult": [ritual("teleport", army=1, units={"lower_demon": 5}, city="altengrad"), defend("morwen")]})
    battle = next(e for e in game.named("battle") if e.detail == 1)
    assert battle.data["boards"]["A"] == {"CV": {"lower_demon": 5}}
    assert battle.data["winner"] == "B"
    assert game.line("cult", "income") == 525


def test_R161_R131_E63_a_city_gained_this_turn(game):
    game.turn(3).ally("cult", "empire")
    game.close(
        {
            "cult": [
                {"type": "betray_ally", "faction": "empire", "cities": ["kronvik"]},
                build("kronvik", "dark_altar"), defend("kronvik"),
            ]
        }
    )  # fmt: skip
    assert game.codes("cult") == ["E_JUST_TAKEN"]
    assert game.line("cult", "income") == 600 + 150 - 75
    assert game.state.cities["kronvik"].garrison == {"lower_demon": 4, "cultist": 6, "enlightened": 2}


def test_R162_R157_E63_winners_and_second_alliances(game):
    game.state.factions["elves"].status = "won"
    game.ally("empire", "principality").faction("cult", ritual_slots=3)
    game.close(
        {
            "cult": [
                ritual("infect", city="elvendar"), ritual("devils_deal", city="lunnaya_roshcha"),
                ritual("teleport", city="floating_fortress"),
            ],
            "empire": [{"type": "propose_alliance", "faction": "principality"}],
        }
    )  # fmt: skip
    assert game.codes("cult") == ["E_WINNER_CITY"] * 3
    assert game.line("cult", "ritual", "res") == 0
    assert game.codes("empire") == ["E_ALREADY_ALLIED"]


def test_R104_R99_R127_E64_quest_by_ruins(game):
    game.faction("cult", res=101)
    game.close({}, [0])
    assert game.told("hunger_burst")["city"] == "morwen"
    game.close({"empire": [attack("morwen")]})
    assert game.told("capture")["choice"] == "take_ruins"
    assert (game.state.cities["morwen"].owner, game.res("empire"), game.units("empire")["hero"]) == ("empire", 40, 1)


def test_R131_E64_gifts_of_a_cult_that_is_gone(game):
    for city in ("morwen", "nightmare_peak", "chernyi_kamen"):
        game.city(city, owner="principality")
    game.ally("cult", "elves").faction("cult", res=101).faction("elves", units={"ranger": 6, "wolf": 4, "demonologist": 1})
    game.close({})
    assert game.state.factions["cult"].status == "eliminated"
    assert game.units("elves") == {"ranger": 6, "wolf": 4}


def test_R117_R103_E64_honour_under_bombardment(game):
    game.city("elvendar", owner="elves").faction("empire", units={"spearman": 2})
    game.state.roads.append(("elvendar", "kronvik"))
    rolls: list[Any] = []
    for target in (0, 0, 0, 0):
        rolls += [target, 6]
    rolls += [6] * 4
    game.close({"elves": [spell("float_city", city="elvendar")], "empire": [attack("elvendar")]}, rolls)
    assert game.told("bombarded")["dead"] == {"spearman": 2}
    assert game.res("empire") == 11.0


def test_R110_R109_E23_powder_comes_back(game):
    game.faction("principality", res=12).faction("empire", units={"spearman": 1}).city("holmgard", garrison={"rifleman": 6})
    game.play({"empire": [attack("holmgard")]})
    told = game.told("powder")
    assert (told["spent"], told["out"]) == (6, {})
    assert game.told("powder_back")["powder"] == 6
    assert game.res("principality") == 12


def test_demon_rows_follow_the_turns_R137(game):
    turn = Turn(game.state, None)
    assert demons(turn, None, "ritual") == {"lower_demon": 15}
    game.state.turn = 6
    assert demons(turn, "archdemon", "ritual") == {"archdemon": 1}


def test_honour_is_exact_R76(game):
    game.faction("empire", res="10.8")
    raw = RULESET.dump(game.state)
    assert raw["factions"]["empire"]["res"] == 10.8
    assert RULESET.load(raw).factions["empire"].res == Fraction(54, 5)
    assert RULESET.view(game.state, EVERYONE).state.factions["empire"].res == 0
    assert RULESET.view(game.state, only("empire")).state.factions["empire"].res == Fraction(54, 5)
