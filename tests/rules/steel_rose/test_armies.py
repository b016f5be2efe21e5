"""Whatever a player writes about his armies, no unit is lost or doubled (R87), and the map shows what may be known."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.base import EVERYONE, only
from rules.steel_rose import RULESET
from rules.steel_rose.commands import FormArmy
from rules.steel_rose.orders.armies import preview
from rules.steel_rose.orders.base import run
from rules.steel_rose.turn import Turn

AMOUNTS = st.one_of(st.integers(-1, 9), st.sampled_from(["all", "rest", "half"]))
UNITS = st.dictionaries(st.sampled_from(["spearman", "archer", "knight"]), AMOUNTS, max_size=3)
FORMS = st.lists(st.tuples(st.integers(0, 4), st.one_of(UNITS, st.sampled_from(["all", "rest"]))), max_size=6)


@settings(deadline=None, max_examples=200)
@given(FORMS)
def test_armies_share_out_all_units_R87(forms: list[tuple[int, Any]]):
    state = RULESET.new_game(RULESET.load_scenario(None))
    state.turn = 5
    turn = Turn(state, None)
    wishes = [FormArmy(army=army, units=units) for army, units in forms]
    for wish in wishes:
        run(turn, "empire", wish)
    for armies in (preview(turn, "empire", turn.plan("empire").forms), preview(turn, "empire", wishes)):
        total: dict[str, int] = {}
        for number, units in armies.items():
            assert 1 <= number <= state.max_armies
            for unit, count in units.items():
                assert count > 0
                total[unit] = total.get(unit, 0) + count
        assert total == state.factions["empire"].units


def test_rest_goes_after_what_is_named_R87(game):
    game.turn(3)
    game.close(
        {
            "empire": [
                {"type": "form_army", "army": 2, "units": "rest"},
                {"type": "form_army", "army": 1, "units": {"spearman": 2, "archer": "half"}},
            ]
        }
    )
    told = game.told("armies")["armies"]
    assert told["1"]["units"] == {"spearman": 2, "archer": 2}
    assert told["2"]["units"] == {"spearman": 4, "archer": 2}


def test_the_map_of_each_reader_R100_R128_R132(game):
    game.city("kronvik", corruption=9).city("elvendar", ruin=True)
    public, cult = (RULESET.map(RULESET.view(game.state, r)) for r in (EVERYONE, only("cult")))
    badges = {n.id: n.badges for n in cult.nodes}
    assert badges["kronvik"] == ("порча 9",)
    assert not any(n.badges for n in public.nodes)
    assert next(n for n in public.nodes if n.id == "elvendar").ruin
    assert [t.shape for t in public.tokens] == ["wagon"]
    assert (len(public.nodes), len(public.edges)) == (15, 27)
    for city in ("morwen", "nightmare_peak", "chernyi_kamen"):
        game.city(city, owner="elves")
    game.state.camp = ("kronvik", "morwen")
    assert "camp" in {t.shape for t in RULESET.map(RULESET.view(game.state, only("cult"))).tokens}
    assert "camp" not in {t.shape for t in RULESET.map(RULESET.view(game.state, only("empire"))).tokens}
