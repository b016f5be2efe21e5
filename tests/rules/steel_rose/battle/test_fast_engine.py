"""The compiled engine against the reference: draw for draw on 64 battles, and in its distributions.

Power: every ability's number is changed by 5 % (whole numbers by one) in the compiled engine's tables, one after another,
and the comparison must notice."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import hypothesis
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from rules.base import RulesError
from rules.dice import DiceError, Stream, seeded_dice
from rules.steel_rose.battle.abilities import Ability, UnitKind, ability_classes, catalogue, extended
from rules.steel_rose.battle.engine import _Battle, fight
from rules.steel_rose.battle.model import BattleSetup
from rules.steel_rose.data import settings
from rules.steel_rose.fast.encode import encode, tape
from rules.steel_rose.fast.forecast import Counts, forecast, fought
from rules.steel_rose.fast.layout import KIND, REPEATED, RULES
from tests.rules.steel_rose.battle.scenes import M, side
from tests.rules.steel_rose.battle.setups import all_setups, distributions, of_table
from tests.rules.steel_rose.battle.test_invariants import setups as random_setups

# The first test to need it compiles the engine for given draws, for most of a minute; two workers would do so both.
pytestmark = [pytest.mark.timeout(900), pytest.mark.xdist_group("fast-engine")]
SETUPS = all_setups()
N = 20_000


def reference(setup: BattleSetup, seed: str):
    """A battle of the reference engine: its state at the end, and its draws."""
    stream: Stream = seeded_dice(seed).stream("battle")
    battle = _Battle(setup, stream, False)
    return battle, battle.run(), tape(stream.log)


def differs(battle, result, draws, encoded, kinds=None, rules=None) -> str:
    """Where the compiled engine disagrees with a battle, given the same draws; empty: nowhere."""
    changed = replace(
        encoded,
        kinds=encoded.kinds if kinds is None else kinds,
        rules=encoded.rules if rules is None else rules,
    )
    try:
        units, states, used = fought(changed, 0, 0, 1, draws, Counts.empty(encoded.lines))
    except ValueError:
        return "draws"
    state = states[0]
    if used != len(draws):
        return "number of draws"
    if [state["rounds0"], state["rounds1"], state["rounds2"], state["final"]] != [
        *(flank.rounds for flank in result.flank_rounds),
        result.final_rounds,
    ]:
        return "rounds"
    if state["winner"] != (-1 if result.winner is None else result.winner):
        return "winner"
    ours = [f for which in (0, 1) for squad in battle.squads[which] for f in squad.fighters if not f.summoned]
    for name, values in (("hp", [f.hp for f in ours]), ("armor", [f.armor for f in ours])):
        if values != list(units[name][: len(ours)]):
            return name
    return ""


def test_there_are_at_least_sixty_battles_with_every_ability():
    used = {a.key for setup in SETUPS.values() for s in setup.sides for _, g in s.groups() for a in setup.units[g.unit].abilities}
    assert len(SETUPS) >= 60
    assert used == set(ability_classes()) - {NewAbility.key}


@pytest.mark.parametrize("name", SETUPS)
def test_engines_agree_to_the_last_bit_draw_for_draw(name):
    setup = SETUPS[name]
    encoded = encode(setup)
    for seed in range(3):
        battle, result, draws = reference(setup, f"{name} {seed}")
        assert differs(battle, result, draws, encoded) == ""


@hypothesis.settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(random_setups(), st.integers(0, 999))
def test_engines_agree_on_any_battle(setup, seed):
    battle, result, draws = reference(setup, str(seed))
    assert differs(battle, result, draws, encode(setup)) == ""


def test_a_new_unit_of_known_abilities_is_only_toml():
    table = {
        "name_ru": "Знаменосец",
        "plural": "знаменосцы",
        "forms": ["знаменосец", "знаменосца", "знаменосцев"],
        "faction": "empire",
        "level": 1,
        "attack": 9,
        "hp": 40,
        "armor": 2,
        "attacks": 2,
        "aura_out": 0.1,
        "lifesteal": 0.25,
        "poison_back": {"total": 6, "rounds": 2},
        "ranged": 4,
        "weaken": {"out": -0.1, "rounds": 2},
    }
    units = extended({"banner": table})
    own = side("empire", CV={"banner": 3, "spearman": 4}, CR={"banner": 2})
    setup = BattleSetup(own, side("cult", CV={"cultist": 9}, CR={"lower_demon": 3}), units=units)
    encoded = encode(setup)
    for seed in range(4):
        battle, result, draws = reference(setup, f"banner {seed}")
        assert differs(battle, result, draws, encoded) == ""


SEEDS = 6
STATS = ("attack", "attacks", "armor", "hp", "ranged", "volley")
"""Numbers of a unit type that are no ability."""
WHOLE = ("area_den", "sacrifice_den")
"""Denominators: their numerators are changed instead."""
ABILITIES = [(unit, ability.key) for unit, kind in catalogue().items() for ability in kind.abilities]


@cache
def fought_before(name: str, seed: int):
    """A battle of the reference engine, kept for all mutations."""
    return reference(SETUPS[name], f"{name} {seed}")


def changed(encoded, unit, columns):
    """The tables with these numbers of a unit type 5 % off, whole ones by one; None where the battle has no such number."""
    if unit not in encoded.kind_ids:
        return None
    at = encoded.kind_ids.index(unit)
    kinds, units = encoded.kinds.copy(), encoded.units.copy()
    for column in columns:
        value = kinds[column][at]
        if value == 0:
            return None
        kinds[column][at] = value + 1 if KIND[column].kind == "i" else value * 1.05
        mine = units["kind"] == at
        for own in {column} & {"armor", "attack", "min_melee", "regen", "hp"}:
            units[own][mine] = kinds[own][at]
        if column == "hp":
            units["max_hp"][mine] = kinds["hp"][at]
        if column == "attacks":
            kinds["flags"][at] |= REPEATED
            units["flags"][mine] |= REPEATED
    rules = encoded.rules.copy()
    if "weaken" in columns:
        rules["weaken"] *= 1.05
    wider = encoded.width + any(column.endswith("_rounds") for column in columns)
    return replace(encoded, units=units, kinds=kinds, rules=rules, width=wider)


def noticed(unit: str, columns) -> bool:
    """Whether some battle, that around the unit first, tells the changed engine from the reference."""
    for name in (unit, *(name for name in SETUPS if name != unit)):
        wrong = changed(encode(SETUPS[name]), unit, columns)
        if wrong is None:
            continue
        for seed in range(SEEDS):
            battle, result, draws = fought_before(name, seed)
            if differs(battle, result, draws, wrong):
                return True
    return False


def test_every_ability_is_broken_in_turn():
    """The list below is whole: every class of ability, and with each all its columns of the compiled tables."""
    assert {key for _, key in ABILITIES} == set(ability_classes()) - {NewAbility.key}
    columns = {column for kind in catalogue().values() for ability in kind.abilities for column in ability.columns()}
    derived = {"flags", "weight", "summoned", *STATS}
    assert columns == set(KIND.names) - derived


@pytest.mark.parametrize(("unit", "key"), ABILITIES, ids=[f"{unit}-{key}" for unit, key in ABILITIES])
def test_a_slightly_wrong_ability_is_noticed(unit, key):
    """Each number of each unit's ability alone."""
    ability = next(a for a in catalogue()[unit].abilities if a.key == key)
    for column in ability.columns():
        if column == "summons":  # no number, but whom: a unit of its own instead
            setup = SETUPS[unit]
            encoded = encode(setup)
            kinds = encoded.kinds.copy()
            at = encoded.kind_ids.index(unit)
            kinds["summoned"][at] = at
            battle, result, draws = fought_before(unit, 0)
            assert differs(battle, result, draws, replace(encoded, kinds=kinds))
        elif column not in WHOLE:
            assert noticed(unit, (column,)), column


@pytest.mark.parametrize("column", STATS)
def test_a_slightly_wrong_unit_is_noticed(column):
    users = [unit for unit in SETUPS if unit in catalogue() and getattr(catalogue()[unit].type, column)]
    assert all(noticed(unit, (column,)) for unit in users[::5])


CAPPED = BattleSetup(
    side("empire", M("LV", "charge", "CR"), LV={"horseman": 3}, CV={"spearman": 6}, RV={"healer": 2}),
    side("empire", CV={"spearman": 9}, CR={"knight": 5}, RV={"healer": 1}),
    settings({"max_rounds_charge": 2, "max_rounds_clash": 3, "max_rounds_final": 4}),
)
"""A battle that runs into every cap."""


@pytest.mark.parametrize("constant", [name for name in RULES.names if not name.startswith("has_") and name != "weaken"])
def test_a_slightly_wrong_constant_is_noticed(constant):
    """5 % off, or one for whole numbers; the health below which a unit is dead: by one."""
    for name, setup in {"capped": CAPPED, **SETUPS}.items():
        encoded = encode(setup)
        rules = encoded.rules.copy()
        whole = RULES[constant].kind == "i" or constant == "dead_below"
        rules[constant] = rules[constant] + 1 if whole else rules[constant] * 1.05
        for seed in range(2):
            battle, result, draws = reference(setup, "capped") if setup is CAPPED else fought_before(name, seed)
            if differs(battle, result, draws, encoded, rules=rules):
                return
    pytest.fail(f"nobody noticed a wrong {constant}")


@pytest.mark.parametrize("key", distributions())
def test_distribution_of_the_table(key):
    """|p − p₀| ≤ 3·√(p₀(1−p₀)(1/N+1/8000)) + 0.005; means within 3 standard errors (rounds: 3 %)."""
    row = distributions()[key]
    got = forecast(of_table(key), N, seed=5)
    for share, expected in ((got.attacker_wins, row["win"]), (got.draws, row["draw"])):
        assert abs(share - expected) <= 3 * math.sqrt(expected * (1 - expected) * (1 / N + 1 / 8000)) + 0.005
    assert abs(got.rounds_mean - row["rounds"]) <= 0.03 * row["rounds"]
    for which, name in enumerate(("standing_attacker", "standing_defender")):
        lines = [line for line in got.lines if line.side == which]
        spread = sum(deviation(line.standing) for line in lines)
        value = sum(line.standing_mean for line in lines)
        assert abs(value - row[name]) <= 3 * spread * math.sqrt(1 / N + 1 / 8000) + 0.01


def deviation(shares) -> float:
    """Standard deviation of a distribution over 0, 1, …"""
    mean = sum(number * share for number, share in enumerate(shares))
    return math.sqrt(sum(share * (number - mean) ** 2 for number, share in enumerate(shares)))


@pytest.mark.parametrize("name", ["S5", "S7", "S16", "wizard", "S22"])
def test_odds_are_those_of_the_reference_engine(name):
    """300 reference battles: within 3.5 standard errors."""
    setup, battles = SETUPS[name], 300
    fast = forecast(setup, N, seed=1)
    stream = seeded_dice(name).stream("battle")
    wins = rounds = 0
    squares = 0
    for _ in range(battles):
        result = fight(setup, stream, detailed=False)
        stream.log.clear()
        wins += result.winner == 0
        rounds += result.rounds
        squares += result.rounds**2
    p = fast.attacker_wins
    assert abs(wins / battles - p) <= 3.5 * math.sqrt(p * (1 - p) * (1 / battles + 1 / N)) + 0.002
    mean = rounds / battles
    spread = math.sqrt(max(squares / battles - mean * mean, 1e-9) / battles)
    assert abs(mean - fast.rounds_mean) <= 3.5 * spread * 1.1 + 0.02


def test_the_same_seed_gives_the_same_odds_on_any_number_of_threads():
    setup = SETUPS["S7"]
    one, two = (forecast(setup, 3500, seed=9, threads=t) for t in (1, 3))
    assert one == two
    assert forecast(setup, 3500, seed=10).attacker_wins != one.attacker_wins


def test_R6_swapping_sides_mirrors_the_odds():
    setup = SETUPS["S5"]
    swapped = forecast(BattleSetup(setup.defender, setup.attacker), N, seed=2)
    straight = forecast(setup, N, seed=3)
    assert abs(straight.attacker_wins - swapped.defender_wins) <= 4 * math.sqrt(0.25 * 2 / N)


def test_percentile_of_an_actual_outcome():
    setup = SETUPS["S1"]
    odds = forecast(setup, 5000, seed=4)
    stream = seeded_dice("percentiles").stream("battle")
    ranks = []
    for _ in range(120):
        ranks.append(odds.percentile(fight(setup, stream, detailed=False)))
        stream.log.clear()
    assert 40 < sum(ranks) / len(ranks) < 60
    assert min(ranks) < 10
    assert max(ranks) > 90


class NewAbility(Ability):
    """Hits one harder when alone: nothing the compiled engine could know."""

    key, rule = "test_lonely", "R9"

    def out(self, blow):
        return float(self.value)


def test_a_new_ability_is_one_class_and_forecasts_fall_back_to_the_reference():
    plain = catalogue()["spearman"]
    units = {**catalogue(), "spearman": UnitKind(plain.type, (*plain.abilities, NewAbility(0.5)))}
    setup = BattleSetup(side("empire", CV={"spearman": 3}), side("empire", CV={"archer": 3}), units=units)
    odds = forecast(setup, 60, seed=1)
    assert odds.engine == "reference"
    assert odds.attacker_wins > 0.5
    assert sum(sum(line.standing) for line in odds.lines) == pytest.approx(len(odds.lines))


def test_orders_that_aim_at_nobody_are_errors():
    from rules.steel_rose.battle.model import ManeuverOrder

    setup = BattleSetup(side("empire", ManeuverOrder("CV", "charge", "LR"), CV={"horseman": 1}), side("empire", CV={"archer": 1}))
    with pytest.raises(RulesError):
        encode(setup)
    with pytest.raises((RulesError, DiceError)):
        fight(setup, seeded_dice("x").stream("battle"))


def test_compiled_code_of_other_sources_is_thrown_away(tmp_path):
    from rules.steel_rose.fast.compiled import forget_stale

    (tmp_path / "kernel.py").write_text("old")
    assert not forget_stale(tmp_path)
    (tmp_path / "__pycache__" / "kernel.x.nbi").write_bytes(b"code")
    assert not forget_stale(tmp_path)
    (tmp_path / "kernel.py").write_text("new")
    assert forget_stale(tmp_path)
    assert not list((tmp_path / "__pycache__").glob("*.nbi"))


def test_without_a_folder_for_compiled_code_it_is_compiled_anew():
    from rules.steel_rose.fast.compiled import can_keep

    def nowhere(**_):
        raise RuntimeError("no locator available")

    assert can_keep()
    assert not can_keep(nowhere)


def test_whether_compiled_code_is_on_disk(tmp_path):
    from types import SimpleNamespace

    from rules.steel_rose.fast.compiled import kept

    entry = SimpleNamespace(stats=SimpleNamespace(cache_path=str(tmp_path)), py_func=forecast)
    assert not kept(entry)
    (tmp_path / "forecast.forecast-1.py311.1.nbc").write_bytes(b"code")
    assert kept(entry)
