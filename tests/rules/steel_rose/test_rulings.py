"""Rulings that no worked example shows, each by a small situation; and the list of those without any test."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rules.base import EVERYONE, GM, GM_ONLY, Sheet, only, visible
from rules.dice import seeded_dice
from rules.report import Lines, Report, Section, Table
from rules.steel_rose import RULESET, economy, rulings
from rules.steel_rose.data import game_data
from rules.steel_rose.resolve import awaited


def attack(city: str, army: int = 1, **more: Any) -> dict[str, Any]:
    return {"type": "army_order", "army": army, "order": "attack", "city": city, **more}


def text_of(section: Section) -> str:
    lines = [b for b in section.blocks if isinstance(b, Lines)]
    return "\n".join("".join(str(getattr(p, "text", p)) for p in line) for b in lines for line in b.lines)


def section(report: Report, ident: str) -> Section:
    return next(s for s in report.sections if s.id == ident)


# ------------------------------------------------------------------------------------------------ cities and money


def test_R75_city_template(game):
    game.city("altengrad", buildings=["barracks", "farmland", "chapel"])
    step = RULESET.step(game.state)
    game.close({})
    view = RULESET.view(game.state, only("empire"))
    text = text_of(section(RULESET.report(view, visible(game.events, only("empire")), step=step), "cities"))
    assert "Альтенград (1 ур.) (Большой)\nДоход: 350з\nПостройки: Барак, Фермерские угодья и Часовня" in text
    assert text.endswith("СУММАРНЫЙ ДОХОД В ХОД: 800з")


def test_R78_R85_R112_R155_the_ledger_tells_what_a_city_yields_part_by_part(game):
    game.turn(7)
    game.city("ormis", level=3, buildings=["industrial_plant", "bastion", "recruiting_office"])
    game.city("holmgard", buildings=["manufactory"])
    step = RULESET.step(game.state)
    game.close({"principality": [{"type": "army_order", "order": "defend", "city": "holmgard"}]})
    parts = {x["data"]["city"]: x["data"]["parts"] for x in game.ledger("principality") if x["kind"] == "income"}
    # A building that gives and takes is one part.
    plant, bastion, office = ("industrial_plant", 200), ("bastion", -550), ("recruiting_office", -275)
    buildings = [["building", name, value] for name, value in (plant, bastion, office)]
    assert parts["ormis"] == [["city", None, 900], *buildings, ["sunset", None, 275]]
    assert parts["holmgard"] == [
        ["city", None, 150],
        ["building", "manufactory", 100],
        ["congestion", None, -75],
        ["sunset", None, 175],
    ]
    (upkeep,) = (x for x in game.ledger("principality") if x["kind"] == "upkeep")
    assert upkeep["data"]["parts"] == [["unit", "shieldman", -25], ["unit", "rifleman", -28]]
    report = RULESET.report(RULESET.view(game.state, GM_ONLY), visible(game.events, GM_ONLY), step=step)
    (table,) = (b for b in section(report, "ledger-principality").blocks if isinstance(b, Table))
    rows = ["".join(map(str, row[0])) for row in table.rows]
    assert "Ормис: Бастион" in rows
    assert "Хольмгард: теснота из-за обороны" in rows
    assert "Содержание: 5 щитовиков" in rows


def test_R81_a_refused_order_leaves_the_later_ones(game):
    farm = {"type": "build", "city": "altengrad", "building": "farmland"}
    hire = {"type": "hire", "unit": "spearman", "count": 1000}
    game.close({"empire": [hire, {"type": "build", "city": "x", "building": "y"}, farm]})
    assert game.codes("empire") == ["E_NO_BUILDING", "E_UNKNOWN_CITY"]
    assert game.named("built", building="farmland")


def test_R83_upkeep_of_garrisons_is_free(game):
    game.faction("empire", units={})
    game.close({})
    assert game.line("empire", "upkeep") == 0


def test_R84_disbanding_pays_nothing(game):
    game.close({"empire": [{"type": "disband", "unit": "archer", "count": 4}, {"type": "disband", "unit": "archer", "count": 1}]})
    assert game.units("empire") == {"spearman": 6}
    assert game.codes("empire") == ["E_NOT_ENOUGH_UNITS"]
    assert game.line("empire", "upkeep") == -30


def test_R85_congestion_counts_once(game):
    game.turn(3)
    defend = {"type": "army_order", "order": "defend", "city": "kronvik"}
    form = {"type": "form_army", "army": 2, "units": {"archer": "all"}}
    game.close({"empire": [form, {**defend, "army": 1}, {**defend, "army": 2}]})
    assert [x["gold"] for x in game.ledger("empire") if x["kind"] == "income" and x["data"]["city"] == "kronvik"] == [75]


def test_R85_captors_do_not_crowd_the_city(game):
    game.city("holmgard", garrison={})
    game.close({"empire": [attack("holmgard", on_capture="colonize")]})
    assert [x["gold"] for x in game.ledger("empire") if x["kind"] == "income" and x["data"]["city"] == "holmgard"] == [150]


def test_R86_there_is_no_order_that_gives_anything_away():
    assert not [
        t for t in RULESET.commands if any(word in t for word in ("give", "send", "transfer")) and not t.startswith("gm_")
    ]


def test_R88_empty_armies_take_no_orders(game):
    game.turn(3)
    game.close({"empire": [attack("holmgard", 2)]})
    assert game.codes("empire") == ["E_NO_ARMY"]


def test_R91_garrisons_follow_buildings_at_once_and_losses_stay(game):
    before = economy.full_garrison(game.state.cities["altengrad"])
    after = {**before, "spearman": before["spearman"] + 4}
    assert economy.garrison_change(before, after, {"spearman": 3}) == {"spearman": 7}
    assert economy.garrison_change(after, before, {"spearman": 3}) == {}
    # A state edited by hand gets the garrisons that belong to it.
    game.city("ormis", level=2).city("holmgard", garrison={"rifleman": 1})
    game.close({"empire": [attack("holmgard")]})
    assert game.state.cities["holmgard"].garrison == {"rifleman": 1}
    assert game.state.cities["ormis"].garrison == {"shieldman": 16, "cannon": 2, "musketeer": 16}


def test_R92_a_later_attacker_meets_the_captors(new_game):
    for seed in range(12):
        game = (
            new_game()
            .city("valdheim", garrison={})
            .faction("elves", units={"ranger": 30})
            .faction("ogres", units={"stonehorn": 9})
        )
        game.seed = f"captors-{seed}"
        game.play(
            {"elves": [attack("valdheim", on_capture="colonize")], "ogres": [attack("valdheim", on_capture="plunder")]},
        )
        battles = [e for e in game.named("battle") if e.detail == 1]
        first = next(e for e in game.events if e.kind == "capture")
        if first.data["by"] == "elves":
            assert [(b.data["attacker"], b.data["defender"]) for b in battles] == [("ogres", "elves")]
            return
    raise AssertionError("the elves never came first")


def test_R93_one_soldier_takes_an_empty_city(game):
    game.city("holmgard", garrison={}).faction("empire", units={"healer": 1})
    game.close({"empire": [attack("holmgard", on_capture="colonize")]})
    assert game.told("capture")["walkover"]
    assert game.state.cities["holmgard"].owner == "empire"


def test_R94_silence_means_the_default_choice(new_game):
    game = new_game().city("holmgard", garrison={})
    game.close({"empire": [attack("holmgard")]})
    assert (game.state.phase, awaited(game.state)[0][1]) == ("capture", "empire")
    game.close({})
    assert game.told("capture")["choice"] == "colonize"
    game = new_game().city("kronvik", garrison={})
    game.close({"cult": [attack("kronvik")]})
    game.close({})
    assert game.told("capture")["choice"] == "plunder"


def test_R96_a_city_without_income_gives_nothing_to_plunder(game):
    game.city("holmgard", garrison={}, no_income=True)
    game.close({"empire": [attack("holmgard", on_capture="plunder")]})
    assert game.line("empire", "plunder") == 0


def test_R99_any_capture_spoils_the_quest(game):
    game.city("holmgard", garrison={}).state.roads.append(("holmgard", "morwen"))
    game.close({"cult": [attack("holmgard", on_capture="plunder")]})
    assert game.state.cities["holmgard"].captured_before


# ------------------------------------------------------------------------------------------------ information


def test_R100_R101_what_a_stranger_sees(game):
    game.city("ormis", buildings=["barracks"], corruption=7).faction("principality", gold=321)
    view = RULESET.view(game.state, only("empire")).state
    ormis = view.cities["ormis"]
    assert (ormis.owner, ormis.type, ormis.level, ormis.buildings, ormis.corruption, ormis.garrison) == (
        "principality", "large", 1, [], 0, {},
    )  # fmt: skip
    assert (view.factions["principality"].gold, view.factions["principality"].units) == (0, {})
    assert RULESET.view(game.state, only("cult")).state.cities["ormis"].corruption == 7
    assert RULESET.view(game.state, only("principality")).state.cities["ormis"].corruption == 0


def test_R101_only_the_sides_know_of_a_battle(game):
    game.close({"empire": [attack("holmgard")]})
    step = RULESET.step(game.state)
    assert {w.faction for w in step.waits} == {"empire"}
    assert all(w.known_to == only("empire", "principality") and w.secret for w in step.waits)
    for reader in (EVERYONE, only("cult")):
        assert not visible(game.events, reader) or all("holmgard" not in str(e.data) for e in visible(game.events, reader))
        assert not RULESET.view(game.state, reader).battles


def test_R14_R24_boards_are_shown_to_both_sides_at_once(game):
    game.close({"empire": [attack("valdheim")], "ogres": [attack("valdheim")]})
    game.close({"ogres": [{"type": "deploy", "positions": {"LV": {"ogre_bull": "all"}, "CV": {"gnoblar": "all"}}}]})
    assert game.told("boards")["boards"]["A"] == {"LV": {"ogre_bull": 6}, "CV": {"gnoblar": 10}}
    assert {e.audience.to_json()[0] for e in game.named("boards")} == {"empire"}
    enemy = RULESET.view(game.state, only("empire")).battles[0].attacker
    assert enemy.board
    assert not enemy.groups
    late = [{"type": "deploy", "positions": {"CV": {"ogre_bull": 6}}}]
    game.close({"ogres": late})
    assert game.codes("ogres") == ["E_PHASE"]


def test_R42_planning_is_skipped_against_a_garrison_alone(new_game):
    skip = {"type": "skip_planning", "battle": "holmgard"}
    game = new_game()
    game.close({"empire": [attack("holmgard"), skip]})
    game.close({})
    assert game.named("battle")
    game = new_game()
    defend = {"type": "army_order", "order": "defend", "city": "holmgard"}
    game.close({"empire": [attack("holmgard")], "principality": [defend]})
    assert {f for _, f in awaited(game.state)} == {"empire", "principality"}
    game.close({"empire": [{"type": "skip_planning"}]})
    assert game.codes("empire") == ["E_SKIP_ARMY"]
    assert game.state.phase == "planning"


# ------------------------------------------------------------------------------------------------ factions


def test_R105_the_archpriest_comes_from_the_paladins_hall(game):
    hire = {"type": "hire", "unit": "archpriest", "count": 1}
    game.turn(5).faction("empire", gold=9000, res=500)
    game.close({"empire": [hire]})
    assert game.codes("empire") == ["E_NO_BUILDING"]
    game.city("altengrad", level=3, buildings=["paladin_hall"])
    game.close({"empire": [hire]})
    assert game.units("empire")["archpriest"] == 1


@pytest.mark.parametrize(
    ("building", "unit"), [("barracks", "rifleman"), ("garrison_barracks", "cannon"), ("military_academy", "steam_tank")]
)
def test_R111_training_by_level(game, building, unit):
    game.turn(5).city("ormis", level=3, buildings=[building]).faction("principality", gold=5000)
    assert economy.can_train(game.state, "principality", game_data().units[unit])
    others = {"rifleman", "cannon", "steam_tank"} - {unit}
    assert not any(economy.can_train(game.state, "principality", game_data().units[u]) for u in others)


def test_R107_the_cheapest_building_sets_the_price(game):
    game.city("altengrad", level=3, buildings=["imperial_patrol", "watch_post"]).city("kronvik", known_corruption=5, corruption=9)
    game.close({"empire": [{"type": "cleanse_corruption", "city": "kronvik"}]}, [])
    assert game.line("empire", "cleanse") == -50
    assert game.state.cities["kronvik"].corruption == 0


def test_R109_a_barrage_costs_the_powder_again(game):
    game.faction("principality", res=4, units={"rifleman": 4, "shieldman": 5})
    game.close({"principality": [attack("bely_brod")]})
    game.close({"principality": [{"type": "deploy", "positions": {"CV": {"shieldman": 5}, "CR": {"rifleman": 4}}}]})
    assert game.res("principality") == 0
    game.close({"principality": [{"type": "maneuver", "position": "CR", "maneuver": "bombard", "target": "CV"}]})
    assert [e.data["code"] for e in game.named("refused")] == ["E_NO_POWDER"]


def test_R119_the_blessing_holds_for_its_own_army(game):
    game.turn(3).faction("elves", res=300, units={"ranger": 10, "wolf": 6})
    game.close(
        {
            "elves": [
                {"type": "cast_spell", "spell": "heavenly_favor", "army": 2},
                {"type": "form_army", "army": 2, "units": {"wolf": "all"}},
                attack("valdheim", 1), attack("valdheim", 2),
            ]
        }
    )  # fmt: skip
    groups = {g.source: g.favored for g in game.state.battles[0].attacker.groups}
    assert groups == {"army:1": False, "army:2": True}


def test_R123_the_cult_starts_smaller(game):
    assert [len(game.state.owned(f)) for f in ("empire", "principality", "elves", "cult")] == [4, 4, 4, 3]


def test_R126_a_held_city_and_a_lost_one_feed_the_gods(new_game):
    game = new_game().faction("cult", res=90).faction("empire", units={"spearman": 1})
    game.play({"empire": [attack("nightmare_peak")]})
    assert game.line("cult", "hunger_defended", "res") == -20
    game = new_game().faction("cult", res=90).city("nightmare_peak", garrison={})
    game.close({"empire": [attack("nightmare_peak", on_capture="colonize")]})
    assert game.line("cult", "hunger_lost", "res") == -50


def test_R132_catacombs_leave_corruption_behind(game):
    game.city("nightmare_peak", buildings=["catacombs"], garrison={})
    game.close({"empire": [attack("nightmare_peak", on_capture="colonize")]})
    assert game.state.cities["nightmare_peak"].corruption == 8


def test_R147_ogres_take_no_ruins(game):
    game.city("valdheim", ruin=True)
    game.close({"ogres": [attack("valdheim")]})
    assert game.codes("ogres") == ["E_OGRES_NO_CAPTURE"]


def test_R151_no_mercenaries_in_war(game):
    game.close({"empire": [{"type": "hire_mercenary", "unit": "gnoblar", "count": 1}], "ogres": [attack("valdheim")]})
    assert game.codes("empire") == ["E_AT_WAR"]


def test_R152_the_fire_eater_costs_thirty():
    unit = game_data().units["fire_eater"]
    assert (unit.cost_gold, unit.upkeep_gold, unit.upkeep_meat) == (30, 15, 1)


def test_R157_two_consents_make_an_alliance_and_leaving_waits(game):
    game.close({"empire": [{"type": "propose_alliance", "faction": "elves"}]})
    assert game.told("alliance_offer")["offered_to"] == "elves"
    assert not game.state.alliances
    both = {
        "empire": [{"type": "propose_alliance", "faction": "elves"}],
        "elves": [{"type": "accept_alliance", "faction": "empire"}],
    }
    game.close(both)
    assert game.state.allied("empire", "elves")
    game.close({"empire": [{"type": "break_alliance", "faction": "elves"}, attack("lunnaya_roshcha")]})
    assert game.codes("empire") == ["E_ALLY"]
    assert not game.state.allied("empire", "elves")


def test_R70_a_tank_without_powder_stays_out(game):
    game.faction("principality", res=5, units={"steam_tank": 1, "shieldman": 3})
    game.close({"principality": [attack("bely_brod")]})
    game.close({})
    assert game.told("powder")["out"] == {"steam_tank": 1}


def test_R73_a_side_that_cannot_fight_loses_unharmed(game):
    game.faction("principality", res=0, units={"rifleman": 4})
    game.play({"principality": [attack("bely_brod")]})
    assert game.told("battle")["winner"] == "B"
    assert game.units("principality") == {"rifleman": 4}


def test_R1_R2_only_numbers_survive_a_battle(game):
    game.faction("empire", units={"knight": 40})
    game.play({"empire": [attack("holmgard", on_capture="colonize")]})
    told = game.told("battle")
    (knights,) = (t for t in told["losses"]["A"] if t["unit"] == "knight")
    assert knights["fielded"] == knights["standing"] + knights["rescued"] + knights["dead"] == 40
    assert game.units("empire")["knight"] == knights["standing"] + knights["rescued"] + 5
    raw = str(RULESET.dump(game.state))
    assert "hp" not in raw


def test_R37_the_enlightened_shoot_but_do_not_bombard(game):
    game.faction("cult", units={"enlightened": 4, "cultist": 4})
    game.close({"cult": [attack("kronvik")]})
    game.close({})
    assert "enlightened" in game.told("boards")["boards"]["A"]["CR"]
    game.close({"cult": [{"type": "maneuver", "position": "CR", "maneuver": "bombard", "target": "CV"}]})
    assert [e.data["code"] for e in game.named("refused")] == ["E_CANNOT_BOMBARD"]


def test_R131_the_betrayed_may_be_attacked_at_once(game):
    game.ally("cult", "empire")
    orders = [
        {"type": "ritual", "ritual": "infect", "city": "elvendar"},
        attack("valdheim", on_capture="destroy", keep_ruins=False),
        {"type": "betray_ally", "faction": "empire", "cities": ["kronvik"]},
    ]
    view = RULESET.view(game.state, only("cult"))
    assert RULESET.check(view, "orders", [RULESET.commands.parse(c) for c in orders]) == []
    game.close({"cult": orders})
    assert game.codes("cult") == []
    assert [b.id for b in game.state.battles] == ["valdheim"]


def test_R92_attacks_that_lost_their_sense_are_called_off(new_game):
    for seed in range(12):
        game = new_game().city("valdheim", garrison={}).ally("elves", "cult")
        game.state.roads.append(("valdheim", "morwen"))
        game.seed = f"sense-{seed}"
        game.play({"elves": [attack("valdheim", on_capture="colonize")], "cult": [attack("valdheim", on_capture="plunder")]})
        first = next(e for e in game.events if e.kind == "capture")
        if first.data["by"] == "elves":
            assert game.told("attack_cancelled")["reason"] == "allied"
            return
    raise AssertionError("the elves never came first")


# ------------------------------------------------------------------------------------------------ steps, GM, checks


def test_waits_of_a_turn_R14(game):
    step = RULESET.step(game.state)
    assert (step.id, step.kind, len(step.waits)) == ("t01", "orders", 5)
    given = [Sheet("empire", (RULESET.commands.parse({"type": "pass"}),))]
    assert [w.faction for w in RULESET.missing(game.state, given)] == ["principality", "elves", "cult", "ogres"]


def test_the_gm_skips_a_phase_and_sets_hours(game):
    gm = [
        {"type": "gm_set_deadline", "phase": "planning", "hours": 5},
        {"type": "gm_close_phase", "phase": "deployment"},
    ]
    game.close({GM: gm, "empire": [attack("holmgard")]})
    step = RULESET.step(game.state)
    assert (step.kind, {w.hours for w in step.waits}) == ("planning", {5})


def test_the_gm_may_not_break_an_invariant(game):
    commands = [
        {"type": "gm_set_city", "city": "kronvik", "buildings": ["chapel", "barracks"]},
        {"type": "gm_set_resource", "faction": "empire", "gold": -1},
        {"type": "gm_set_city", "city": "kronvik", "owner": "none"},
        {"type": "gm_set_setting", "key": "victory_mode", "value": "sometimes"},
    ]
    sheet = Sheet(GM, tuple(RULESET.commands.parse(c) for c in commands))
    outcome = RULESET.resolve(game.state, [sheet], seeded_dice("x"), closing=False)
    assert [e.data["code"] for e in outcome.events] == ["E_INVARIANT"] * 4
    assert outcome.state == game.state


def test_a_portion_keeps_the_step_open(game):
    sheet = Sheet(GM, (RULESET.commands.parse({"type": "gm_give_units", "faction": "elves", "unit": "ent", "count": 2}),))
    outcome = RULESET.resolve(game.state, [sheet], seeded_dice("x"), closing=False)
    assert RULESET.step(outcome.state) == RULESET.step(game.state)
    assert outcome.state.factions["elves"].units["ent"] == 2


def test_check_counts_the_money_of_the_whole_sheet(game):
    view = RULESET.view(game.state, only("empire"))
    commands = [
        {"type": "build", "city": "altengrad", "building": "barracks"},
        {"type": "hire", "unit": "spearman", "count": 20},
        {"type": "hire", "unit": "spearman", "count": 27},
    ]
    (problem,) = RULESET.check(view, "orders", [RULESET.commands.parse(c) for c in commands])
    assert (problem.code, problem.command, problem.rule) == ("E_NO_GOLD", 2, "R81")
    assert problem.message == (
        "27 копейщиков: нужно 405з, есть 400з — не хватает 5з. Хватит на 26. Приказы этого хода уже стоят 855з из 850з."
    )


def test_check_does_not_know_what_is_hidden_R107_R116(game):
    game.city("elvendar", floating=True).city("altengrad", corruption=9, buildings=["watch_post"])
    cult = RULESET.view(game.state, only("cult"))
    infect = RULESET.commands.parse({"type": "ritual", "ritual": "infect", "city": "elvendar"})
    assert RULESET.check(cult, "orders", [infect]) == []
    empire = RULESET.view(game.state, only("empire"))
    cleanse = RULESET.commands.parse({"type": "cleanse_corruption", "city": "altengrad"})
    assert [p.code for p in RULESET.check(empire, "orders", [cleanse])] == ["E_NOT_DETECTED"]


def test_every_command_can_be_described(game):
    view = RULESET.view(game.state, only("empire"))
    for raw in (
        {"type": "form_army", "army": 2, "units": {"spearman": "all", "archer": 3}},
        {"type": "deploy", "positions": {"CV": {"spearman": 10}, "CR": "rest"}},
        {"type": "maneuver", "position": "LV", "maneuver": "forced_march", "path": ["LR", "CR"]},
        {"type": "capture_choice", "city": "ormis", "choice": "destroy", "keep_ruins": False},
        {"type": "move_mobile_city", "path": [["valdheim", "kronvik"]]},
        {"type": "ritual", "ritual": "teleport", "army": 1, "city": "ormis"},
        {"type": "gm_announce", "text": "Перерыв"},
    ):
        text = RULESET.describe(view, RULESET.commands.parse(raw))
        assert text
        assert "{" not in text


def test_reports_hold_a_ledger_that_adds_up_R83(game):
    step = RULESET.step(game.state)
    game.close({"empire": [{"type": "build", "city": "altengrad", "building": "chapel"}]})
    view = RULESET.view(game.state, only("empire"))
    report = RULESET.report(view, visible(game.events, only("empire")), step=step)
    table = next(b for b in section(report, "ledger-empire").blocks if isinstance(b, Table))
    assert table.total is not None
    cells = [row[1] for row in table.rows]
    numbers = [int(str(getattr(c[0], "text", c[0])).replace("−", "-")) for c in cells if c and c[0]]
    assert sum(numbers) == game.gold("empire")


# ------------------------------------------------------------------------------------------------ completeness


def test_every_ruling_has_a_sentence_and_a_test():
    wanted = {f"R{n}" for n in range(1, 163)}
    assert set(rulings.texts()) == wanted
    here, tests = Path(__file__).parent, Path(__file__).parents[2]
    named: set[str] = set()
    # What is about reading posts, and about the whole service, is tested there.
    for folder in (here, tests / "parsers" / "steel_rose", tests / "games"):
        for path in folder.rglob("test_*.py"):
            for name in re.findall(r"def (test_\w+)", path.read_text(encoding="utf-8")):
                named |= set(re.findall(r"R\d+(?!\d)", name))
    assert wanted - named == set()


def test_R159_advice_is_no_rule():
    assert RULESET.rule_text("R159") == "Советы из правил не обязательны."
