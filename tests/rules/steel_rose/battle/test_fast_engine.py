"""The compiled engine against the reference: draw for draw on 64 battles, and in its distributions.

Power: every ability's number is changed by 5 % (whole numbers by one) in the compiled engine's tables, one after another,
and the comparison must notice."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from rules.base import RulesError
from rules.dice import DiceError, Stream, seeded_dice
from rules.steel_rose.battle.abilities import Ability, UnitKind, ability_classes, catalogue
from rules.steel_rose.battle.engine import _Battle, fight
from rules.steel_rose.battle.model import BattleSetup
from rules.steel_rose.fast.encode import encode, tape
from rules.steel_rose.fast.forecast import Counts, forecast, fought
from rules.steel_rose.fast.layout import KIND
from tests.rules.steel_rose.battle.scenes import side
from tests.rules.steel_rose.battle.setups import all_setups, distributions, of_table

pytestmark = pytest.mark.timeout(900)  # the first test to need it compiles the engine
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


COLUMNS = [
    name for name in KIND.names if name not in ("flags", "weight", "summoned", "area_den", "sacrifice_den", "hp", "summons")
]


@pytest.mark.parametrize("column", COLUMNS)
def test_a_slightly_wrong_number_is_noticed(column):
    """5 % off, or one for whole numbers, in one battle that uses it."""
    for name, setup in SETUPS.items():
        encoded = encode(setup)
        users = np.flatnonzero(encoded.kinds[column])
        if not len(users):
            continue
        kinds = encoded.kinds.copy()
        units = encoded.units.copy()
        value = kinds[column]
        kinds[column] = np.where(value != 0, value + 1 if KIND[column].kind == "i" else value * 1.05, value)
        for own in set(units.dtype.names) & {column} & {"armor", "attack", "min_melee", "regen"}:
            units[own] = kinds[own][units["kind"]]
        if column.endswith("_rounds"):
            encoded = _wider(encoded)
        wrong = type(encoded)(**{**vars(encoded), "units": units})
        rules = encoded.rules.copy()
        if column == "weaken":
            rules["weaken"] *= 1.05
        for seed in range(6):
            battle, result, draws = reference(setup, f"{name} {seed}")
            if differs(battle, result, draws, wrong, kinds, rules):
                return
    pytest.fail(f"nobody noticed a wrong {column}")


def _wider(encoded):
    return type(encoded)(**{**vars(encoded), "width": encoded.width + 1})


@pytest.mark.parametrize(
    "constant",
    ["outnumbered_in", "flanked_in", "fatigue_out", "squeamish_out", "favor_out", "favor_in", "walls0", "cover_factor"],
)
def test_a_slightly_wrong_constant_is_noticed(constant):
    for name, setup in SETUPS.items():
        encoded = encode(setup)
        rules = encoded.rules.copy()
        rules[constant] *= 1.05
        for seed in range(2):
            battle, result, draws = reference(setup, f"{name} {seed}")
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
