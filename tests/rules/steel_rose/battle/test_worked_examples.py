"""The worked battle examples of the rules with their exact numbers; each is named after its rulings."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rules.dice import scripted_dice
from rules.steel_rose.battle.abilities import catalogue
from rules.steel_rose.battle.aftermath import rescued
from rules.steel_rose.battle.damage import Conditions, Formula
from rules.steel_rose.battle.deployment import Force, default_deployment, deploy
from rules.steel_rose.battle.engine import _Battle, bombard_only, fight
from rules.steel_rose.battle.fight import Arena, penalised
from rules.steel_rose.battle.maneuvers import check_maneuvers
from rules.steel_rose.battle.model import BattleSetup, Group
from rules.steel_rose.battle.places import PLACES, neighbours
from rules.steel_rose.battle.powder import allocate
from rules.steel_rose.battle.state import Squad
from rules.steel_rose.commands import Maneuver
from rules.steel_rose.data import game_data
from tests.rules.steel_rose.battle.scenes import M, exact, side, states, strikes

CLOSE = pytest.approx
PLAIN = Conditions()


def hit(attacker, target, roll, kind="melee", *, beside=(), with_target=(), conditions=PLAIN, fatigue=0, weak=0,
        grown=0, hardened=0, cover=False, bonus=0.0, favored=(False, False), picky=False):  # fmt: skip
    """One damage by the formula: an attacker and his squad, a target and his."""
    data = game_data()
    arena = Arena(scripted_dice([])[0].stream("x"), Formula(data.combat, data.maneuvers["cover"], (bonus, 0.0)), catalogue())
    own = Squad(0, "CV", [f for u in (attacker, *beside) for f in arena.enlist(0, Group(u, 1, favored=favored[0]))])
    theirs = Squad(1, "CV", [f for u in (target, *with_target) for f in arena.enlist(1, Group(u, 1, favored=favored[1]))])
    striker, victim = own.fighters[0], theirs.fighters[0]
    striker.squeamish = picky
    own.tire(fatigue)
    for _ in range(weak):
        striker.add_weakness(-0.15, 3)
    for _ in range(grown):
        striker.fury *= 1.05
        striker.magic *= 1.05
    for _ in range(hardened):
        victim.toughness *= 0.95
    blow = arena.blow(kind, striker, victim, conditions)
    out, into = tuple(arena.formula.outgoing(blow, own)), tuple(arena.formula.incoming(blow, theirs, conditions))
    strength = striker.kind.type.attack if kind == "melee" else striker.kind.type.ranged
    return arena.formula.strike(blow, strength, roll, out, into, tuple(arena.formula.products(blow, cover)), "R9").damage


def test_R6_R7_attack_five_deals_one_to_five():
    assert [hit("shieldman", "cultist", roll) for roll in range(1, 6)] == [1, 2, 3, 4, 5]


def test_R7_R9_R30_armour_first_percentages_after():
    assert [hit("archer", "heavy_infantry", 6), hit("archer", "heavy_infantry", 3)] == [2, 0]
    assert hit("archer", "heavy_infantry", 6, fatigue=2) == CLOSE(1.6)


def test_R8_R33_R59_minimum_pierces_armour():
    got = [
        hit("crossbowman", "knight", 1),
        hit("crossbowman", "knight", 9),
        hit("crossbowman", "knight", 1, "bombard", cover=True),
        hit("lead_belcher", "knight", 15, "shot"),
        hit("lead_belcher", "archpriest", 2, "shot"),
        hit("rifleman", "knight", 3, "shot"),
        hit("rifleman", "knight", 3),
    ]
    assert got == CLOSE([2, 4, 1, 10, 3.4, 2, 0])


def test_R9_R10_R11_R41_R51_R56_percentages_of_one_direction_add():
    conditions = Conditions(charger=0, first_shock=True, outnumbered=1)
    assert hit("knight", "spearman", 13, beside=["hero"], conditions=conditions) == CLOSE(19.8)


def test_R10_R29_R62_fatigue_and_weakness_add_down_to_zero():
    assert [hit("knight", "cultist", 10, fatigue=2, weak=n) for n in (0, 3, 6)] == CLOSE([8, 3.5, 0])


def test_R12_R66_R67_R159_growth_multiplies():
    assert [hit("ghost_beast", "cultist", 10, grown=n) for n in (0, 1, 9)] == CLOSE([10, 10.5, 15.5133], abs=1e-4)
    assert [hit("wizard", "cultist", 8, "shot", grown=n) for n in (0, 2, 9)] == CLOSE([8, 8.82, 12.4106], abs=1e-4)
    assert hit("cultist", "ghost_beast", 7, hardened=9) == CLOSE(4.4117, abs=1e-4)


def test_R4_R46_R47_R73_duel_of_two_spearmen():
    result = exact(side("empire", CV={"spearman": 1}), side("empire", CV={"spearman": 1}), [6, 6, 6, 6, 6, 6, 6, 1])
    assert [hp for hp, _ in states(result, "spearman", of=0)] == [15, 10, 5, 5]
    assert [hp for hp, _ in states(result, "spearman", of=1)] == [15, 10, 5, 0]
    assert (result.winner, result.rounds, result.tally(1)[0].fallen, result.tally(1)[0].rescued) == (0, 4, 1, 0)


def test_R47_R73_both_die_in_one_exchange():
    result = exact(side("empire", CV={"spearman": 1}), side("empire", CV={"spearman": 1}), [6] * 8)
    assert (result.winner, result.rounds, result.counts(0, "standing"), result.counts(1, "standing")) == (None, 4, {}, {})


def opening_rounds(a, b, rolls):
    """The protocol of a battle whose dice end before it does."""
    dice, source = scripted_dice(rolls)
    battle = _Battle(BattleSetup(a, b), dice.stream("battle"), True)
    with pytest.raises(Exception, match="Бросков дано"):
        battle.run()
    assert source.left == 0
    return battle


def unfinished(a, b, rolls, unit, rounds, of=None):
    battle = opening_rounds(a, b, rolls)
    partial = type("Partial", (), {"setup": battle.setup, "log": battle.arena.log})
    return states(partial, unit, of=of)[:rounds]


def test_R7_R58_paladin_shreds_and_heals():
    args = side("empire", CV={"paladin": 1}), side("empire", CV={"heavy_infantry": 1}), [10, 9, 10, 11, 16, 1]
    assert [hp for hp, _ in unfinished(*args, "paladin", 3)] == [44, 41, 44]
    assert unfinished(*args, "heavy_infantry", 3) == [(29, 3), (22, 2), (8, 1)]


def test_R13_R53_R54_R63_poison_of_the_infector():
    args = side("empire", CV={"knight": 1}), side("cult", CV={"infector": 1}), [13, 4, 13, 4, 1, 4]
    assert [hp for hp, _ in unfinished(*args, "knight", 3)] == [56, 48, 36]
    assert [hp for hp, _ in unfinished(*args, "infector", 3)] == [41, 32, 35]


def test_R49_R53_R64_three_blows_of_the_archdemon_burn():
    args = side("cult", CV={"archdemon": 1}), side("elves", CV={"ent": 1}), [9, 9, 5, 7, 1, 9, 2, 3]
    assert [hp for hp, _ in unfinished(*args, "archdemon", 2)] == [149, 148]
    assert [hp for hp, _ in unfinished(*args, "ent", 2)] == [60, 36]


def test_R47_R65_life_steal_counts_after_armour_and_caps():
    args = side("cult", CV={"void_knight": 1}), side("principality", CV={"shieldman": 1}), [12, 5, 6, 5]
    assert [hp for hp, _ in unfinished(*args, "void_knight", 2)] == [35, 35]
    assert [hp for hp, _ in unfinished(*args, "shieldman", 2)] == [10, 6]


def test_R50_R53_R55_healer_in_the_rear_heals_the_front():
    args = side("empire", CV={"spearman": 1}, CR={"healer": 1}), side("empire", CV={"horseman": 1}), [1, 8] * 3
    assert [hp for hp, _ in unfinished(*args, "spearman", 3)] == [15, 12, 11]


def test_R3_R13_R61_sacrifice_of_a_cultist():
    rolls = [[0, 1, 2, 3, 4], True, [0, 1, 3, 4], 11]
    result = exact(side("cult", CV={"cultist": 1}), side("empire", CV={"heavy_infantry": 5}), rolls)
    hps = [states(result, "heavy_infantry", number)[-1][0] for number in range(1, 6)]
    assert hps == [28, 28, 35, 28, 28]
    (cultist,) = result.tally(0)
    assert (cultist.fallen, cultist.sacrificed, cultist.rescued) == (1, 1, 0)


def test_R3_R4_rescue_rounds_mathematically():
    got = {share: [rescued(n, Fraction(share)) for n in range(1, 11)] for share in ("0.2", "0.5", "0.6")}
    assert got == {
        "0.2": [0, 0, 1, 1, 1, 1, 1, 2, 2, 2],
        "0.5": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5],
        "0.6": [1, 1, 2, 2, 3, 4, 4, 5, 5, 6],
    }


@pytest.mark.parametrize(("covers", "left"), [(False, [10, 17]), (True, [15, 18.5])])
def test_R26_R33_R34_barrage_with_and_without_cover(covers, left):
    a = side("empire", M("CR", "bombard", "CV"), CV={"spearman": 1}, CR={"archer": 2})
    b = side("empire", *([M("CV", "cover")] if covers else []), CV={"spearman": 2})
    dice, _ = scripted_dice([0, 6, 0, 6, 1, 4, 0, 1])
    battle = _Battle(BattleSetup(a, b), dice.stream("battle"), True)
    battle.planning.cover()
    battle.planning.bombard()
    assert [f.hp for f in battle.squads[1][0].fighters] == left


def test_R36_number_of_units_hit_by_area_shots():
    cannon, hail = (catalogue()[unit].having("shot_targets")[0] for unit in ("cannon", "fire_hail"))
    assert {n: cannon.shot_targets(n) for n in (1, 3, 5, 9, 10, 12, 30, 60)} == {
        1: 1, 3: 1, 5: 1, 9: 1, 10: 2, 12: 2, 30: 5, 60: 5}  # fmt: skip
    assert {n: hail.shot_targets(n) for n in (1, 3, 5, 9, 10, 12, 30, 60)} == {
        1: 1, 3: 1, 5: 1, 9: 3, 10: 3, 12: 4, 30: 10, 60: 15}  # fmt: skip


def full(front, back="archer"):
    return {place: (Group(back if place[1] == "R" else front, 2),) for place in PLACES}


def codes(own, enemy, *orders, powder=None):
    checked = check_maneuvers(own, enemy, [Maneuver(**order) for order in orders], powder)
    return [refusal.code for _, refusal in checked.refusals]


def test_R16_R27_R32_R34_R38_geometry_and_refusals():
    assert set(neighbours("RR")) == {"CR", "RV"}
    archers, riders = full("archer"), full("horseman")
    bombard = {f: codes(archers, riders, {"position": "LV", "maneuver": "bombard", "target": f"{f}V"}) for f in "LCR"}
    assert bombard == {"L": [], "C": [], "R": ["E_FLANK_RANGE"]}
    charge = {f: codes(riders, archers, {"position": "LV", "maneuver": "charge", "target": f"{f}R"}) for f in "LCR"}
    assert charge == {"L": [], "C": [], "R": ["E_FLANK_RANGE"]}
    mixed = {**archers, "CV": (Group("archer", 2), Group("spearman", 1))}
    assert codes(mixed, riders, {"position": "CV", "maneuver": "bombard", "target": "CV"}) == ["E_CANNOT_BOMBARD"]
    assert codes(archers, riders, {"position": "LV", "maneuver": "defend", "target": "CR"}) == ["E_NOT_ADJACENT_CELL"]
    twice = [{"position": p, "maneuver": "defend", "target": "CR"} for p in ("CV", "LR")]
    assert codes(archers, riders, *twice) == ["E_ALREADY_COVERED"]


def moved(a, b=None):
    """Places and fatigue of a side's squads by their first unit, after the moves."""
    setup = BattleSetup(a, b or side("empire", CV={"spearman": 1}))
    battle = _Battle(setup, scripted_dice([])[0].stream("battle"), True)
    battle.planning.moves()
    return {squad.fighters[0].kind.id: (place, squad.fatigue) for place, squad in battle.armies[0].items()}


def test_R17_R28_R29_R30_moves_swap_block_march_and_step_up():
    swap = (M("CV", "move", path=("CR",)), M("CR", "move", path=("CV",)))
    march = M("LV", "forced_march", path=("CV", "RV"))
    three = {"LV": {"horseman": 1}, "CV": {"spearman": 1}, "CR": {"archer": 1}}
    assert moved(side("empire", *swap, **three)) == {"horseman": ("LV", 0), "spearman": ("CR", 0), "archer": ("CV", 0)}
    two = {"LV": {"horseman": 1}, "LR": {"archer": 1}}
    followed = moved(side("empire", march, M("LR", "move", path=("LV",)), **two))
    assert followed == {"horseman": ("RV", 2), "archer": ("LV", 0)}
    assert moved(side("empire", march, **two)) == followed
    blocked = moved(side("empire", *swap, march, **three))
    assert blocked == {"horseman": ("LV", 2), "spearman": ("CV", 0), "archer": ("CR", 0)}


def test_R30_R32_R39_R40_R41_charge_meets_its_cover():
    a = side("empire", M("LV", "charge", "CR"), LV={"knight": 1})
    b = side("empire", M("CV", "defend", "CR"), CV={"spearman": 1}, CR={"archer": 1})
    result = exact(a, b, [9, 6, 10, 6, 9, 6, 5, 6, 8, 6, 13, 2])
    by_knight = [s.damage for s in strikes(result) if s.attacker.unit == "knight"]
    assert by_knight == CLOSE([9, 6.75, 6, 4, 7, 12])
    assert states(result, "knight")[-1][0] == CLOSE(55.3)
    assert (result.winner, result.rounds) == (0, 0)


def test_R51_outnumbering_thresholds():
    got = {f"{a}v{b}": penalised(a, b, 2) for a, b in ((4, 2), (3, 2), (2, 4), (5, 3), (6, 3))}
    assert got == {"4v2": 1, "3v2": None, "2v4": 0, "5v3": None, "6v3": 1}


def test_R45_R69_R71_R72_flanking_in_the_final():
    a, b = side("empire", LV={"horseman": 1}, CV={"horseman": 1}), side("empire", RV={"knight": 2})
    battle = opening_rounds(a, b, [])
    assert [f.rounds for f in battle.flank_rounds] == [0, 0, 0]
    assert battle.flanked == 1


def test_R109_R110_powder():
    army = Force("army", {"shieldman": 5, "rifleman": 4, "cannon": 2, "steam_tank": 1})
    got = allocate(20, [army])
    assert (got.forces[0].units, got.benched[0].units, got.spent) == (
        {"shieldman": 5, "rifleman": 4, "cannon": 2}, {"steam_tank": 1}, 14)  # fmt: skip
    got = allocate(12, [Force("army", {"rifleman": 4, "cannon": 2})], priority=["cannon", "rifleman"])
    assert (got.forces[0].units, got.benched[0].units, got.spent) == ({"cannon": 2, "rifleman": 2}, {"rifleman": 2}, 12)


def squads(deployment):
    return {
        place: {("g:" if g.origin == "garrison" else "") + g.unit: g.count for g in groups}
        for place, groups in deployment.squads.items()
    }


def test_R15_R17_R18_R19_R22_default_deployment_and_limits():
    garrison = Force("garrison", {"spearman": 10, "archer": 6, "horseman": 3})
    assert squads(default_deployment([garrison])) == {"CV": {"g:spearman": 10, "g:horseman": 3}, "CR": {"g:archer": 6}}
    assert squads(default_deployment([Force("army", {"archer": 5})])) == {"CV": {"archer": 5}}
    heroes = default_deployment([Force("army", {"hero": 2, "spearman": 4})])
    assert squads(heroes) == {"CV": {"hero": 1, "spearman": 4}, "LV": {"hero": 1}}
    bad = deploy(
        [Force("army", {"spearman": 10, "archer": 3, "hero": 2})],
        {"CV": {"spearman": 12}, "RR": {"archer": 3}, "LV": {"hero": 2}},
    )
    assert not bad.accepted
    assert sorted(r.code for r in bad.refusals) == ["E_MAX_PER_SQUAD", "E_NOT_ENOUGH_UNITS", "W_REAR_WITHOUT_VANGUARD"]
    left = deploy([Force("army", {"spearman": 10, "archer": 2})], {"LV": {"spearman": 4}})
    assert squads(left) == {"LV": {"spearman": 4}, "CV": {"spearman": 6}, "CR": {"archer": 2}}
    assert [r.code for r in left.refusals] == ["W_LEFTOVER"]


def test_R11_R48_R57_R60_auras_gryphon_shield():
    got = [
        hit("archer", "spearman", 6, with_target=["archpriest"]),
        hit("horseman", "gryphon_rider", 8),
        hit("horseman", "gryphon_rider", 8, with_target=["archpriest"]),
        hit("rifleman", "shieldman", 9, "shot"),
        hit("rifleman", "shieldman", 9, "bombard", cover=True),
        hit("archer", "gryphon_rider", 6, "shot"),
    ]
    assert got == CLOSE([4.25, 2.1, 1.65, 4.9, 2.45, 1.0])
    args = side("empire", CV={"archpriest": 1}), side("empire", CV={"paladin": 1}), [14, 16, 10, 6, 14, 16]
    priest, paladin = unfinished(*args, "archpriest", 3), unfinished(*args, "paladin", 3)
    rows = [[a[0], b[0], a[1], b[1]] for a, b in zip(priest, paladin, strict=True)]
    assert rows == [CLOSE([92.35, 39, 6, 3]), CLOSE([92.35, 35, 5, 1]), CLOSE([83, 25, 4, 0])]


def test_R13_R53_R68_fiery_belch():
    args = side("ogres", CV={"fire_eater": 1}), side("empire", CV={"heavy_infantry": 1}), [4, 1] * 4
    assert [hp for hp, _ in unfinished(*args, "heavy_infantry", 4)] == [32, 29, 26, 23]


def test_R35_R43_R44_R46_rear_steps_up():
    a, b = side("empire", CV={"knight": 1}), side("ogres", CV={"gnoblar": 1}, CR={"archer": 1})
    result = exact(a, b, [6, 13, 4, 2, 6, 13, 6, 13, 6])
    assert [hp for hp, _ in states(result, "knight")] == [59, 58, 57, 56]
    assert [hp for hp, _ in states(result, "archer")] == [20, 19, 7, 0]
    assert (result.flank_rounds[1].rounds, result.final_rounds, result.winner) == (4, 0, 0)


def test_R31_R38_R60_free_move():
    enemy = full("spearman")
    cats = {"LV": (Group("sabertooth", 3),)}
    free = {"position": "LV", "maneuver": "move", "free_move": "LR", "path": ["CR"]}
    assert codes(cats, enemy, free) == []
    assert codes({"LV": (Group("sabertooth", 3), Group("spearman", 1))}, enemy, free) == ["E_FREE_MOVE_NOT_ALLOWED"]
    charge = {"position": "LV", "maneuver": "charge", "target": "CR"}
    assert codes({"LV": (Group("gryphon_rider", 1),)}, enemy, {**charge, "free_move": "CV"}) == []
    assert codes(cats, enemy, charge) == ["E_CANNOT_CHARGE"]
    run = moved(side("ogres", M("LV", "move", path=("RV",), free_move="CV"), LV={"sabertooth": 3}))
    assert run == {"sabertooth": ("RV", 0)}


def test_R9_R112_R119_R121_squeamish_favour_and_walls():
    got = [
        hit("guardian", "spearman", 10, picky=True),
        hit("guardian", "spearman", 9, "shot", picky=True, favored=(True, False)),
        hit("spearman", "golem", 6, favored=(False, True)),
        hit("musketeer", "spearman", 11, "shot", bonus=0.6),
    ]
    assert got == CLOSE([7.65, 8.8, 2.25, 16.0])


def test_R50_R52_R73_R74_stalemate_ends_at_the_caps():
    dice, _ = scripted_dice([])

    class AnyDice:
        left = 0

        def draw(self, kind, args):
            return 0 if kind == "pick" else tuple(range(args[0]))

    stream = dice.stream("battle")
    stream.source = AnyDice()
    result = fight(BattleSetup(side("empire", CV={"healer": 2}), side("empire", CV={"healer": 1})), stream, detailed=False)
    assert (result.flank_rounds[1].rounds, result.final_rounds, result.rounds, result.winner) == (100, 300, 400, None)
    assert result.counts(0, "fallen") == result.counts(1, "fallen") == {}


def test_R27_who_may_bombard():
    enemy = full("spearman")
    got = [
        codes({"CV": (Group(unit, 3),)}, enemy, {"position": "CV", "maneuver": "bombard", "target": "CV"})
        for unit in ("heavy_infantry", "archer", "enlightened")
    ]
    assert got == [["E_CANNOT_BOMBARD"], [], ["E_CANNOT_BOMBARD"]]


def test_R18_R19_R22_shooters_only_and_left_over_units():
    garrison = Force("garrison", {"cannon": 2, "musketeer": 8, "mounted_rifleman": 8})
    got = [
        squads(default_deployment([garrison])),
        squads(deploy([Force("army", {"spearman": 10, "archer": 3})], {"CV": {"spearman": 10}})),
        squads(deploy([Force("army", {"spearman": 10, "hero": 2})], {"CV": {"spearman": 10, "hero": 1}})),
        squads(deploy([Force("army", {"spearman": 4, "archer": 3})], {"LV": {"spearman": 4}})),
    ]
    assert got == [
        {"CV": {"g:mounted_rifleman": 8}, "CR": {"g:cannon": 2, "g:musketeer": 8}},
        {"CV": {"spearman": 10}, "CR": {"archer": 3}},
        {"CV": {"spearman": 10, "hero": 1}, "LV": {"hero": 1}},
        {"LV": {"spearman": 4}, "CV": {"archer": 3}},
    ]


def test_R20_R91_preset_and_joint_defence():
    army, garrison = (
        Force("army:1", {"spearman": 6, "archer": 4}),
        Force("garrison", {"spearman": 20, "horseman": 6, "archer": 12}),
    )
    joint = squads(default_deployment([army, garrison]))
    assert joint == {
        "CV": {"spearman": 6, "g:spearman": 20, "g:horseman": 6},
        "CR": {"archer": 4, "g:archer": 12},
    }
    preset = squads(default_deployment([garrison], {"LV": {"spearman": 5, "knight": 3}, "RV": {"horseman": "all"}}))
    assert preset == {"LV": {"g:spearman": 5}, "CV": {"g:spearman": 15}, "CR": {"g:archer": 12}, "RV": {"g:horseman": 6}}


def test_R21_garrison_fills_the_posted_places_first():
    forces = [Force("army:1", {"spearman": 6}), Force("garrison", {"spearman": 10})]
    got = squads(deploy(forces, {"RV": {"spearman": 12}, "CV": {"spearman": "rest"}}))
    assert got == {"RV": {"g:spearman": 10, "spearman": 2}, "CV": {"spearman": 4}}


def test_R117_R64_floating_city_bombards_eight_shots_and_the_rest_is_lost():
    a = side("empire", CV={"spearman": 2})
    b = side("elves", M("CV", "bombard", "CV"), CV={"ranger": 7}, origin="garrison")
    dice, source = scripted_dice([0, 6, 0, 6, 0, 6, 0, 6, 6, 6, 6, 6])
    result = bombard_only(BattleSetup(a, b), dice.stream("battle"))
    assert source.left == 0
    assert (result.counts(0, "dead"), result.winner, result.rounds) == ({"spearman": 2}, None, 0)


def test_R109_barrage_needs_powder_once_more():
    own = {"CV": (Group("shieldman", 3),), "CR": (Group("cannon", 2),)}
    order = {"position": "CR", "maneuver": "long_bombard", "target": "CV"}
    assert codes(own, full("spearman"), order, powder=4) == ["E_NO_POWDER"]
    assert codes(own, full("spearman"), order, powder=10) == []


def test_R25_R28_second_maneuver_is_refused_a_shared_cell_is_told():
    own, enemy = full("horseman"), full("spearman")
    twice = [{"position": "LV", "maneuver": "cover"}, {"position": "LV", "maneuver": "defend", "target": "LR"}]
    assert codes(own, enemy, *twice) == ["E_TWO_MANEUVERS"]
    same = [{"position": p, "maneuver": "move", "path": ["CV"]} for p in ("LV", "RV")]
    checked = check_maneuvers(own, enemy, [Maneuver(**order) for order in same])
    assert [(at, r.code, r.kept) for at, r in checked.refusals] == [(1, "E_MOVE_CONFLICT", True)]
    assert len(checked.orders) == 2
