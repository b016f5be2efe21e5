"""Invariants of battles (§6): they end, books add up, health and armour stay in bounds, nobody comes from nothing."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.dice import seeded_dice
from rules.steel_rose.battle.aftermath import rescued
from rules.steel_rose.battle.deployment import Force, deploy
from rules.steel_rose.battle.engine import _Battle, fight
from rules.steel_rose.battle.figure import battle_figure, deployment_figure
from rules.steel_rose.battle.log import Strike
from rules.steel_rose.battle.maneuvers import check_maneuvers
from rules.steel_rose.battle.model import BattleSetup, SideSetup
from rules.steel_rose.battle.places import FLANKS, PLACES, rear, vanguard
from rules.steel_rose.battle.telling import blow_by_blow, paragraph
from rules.steel_rose.commands import Maneuver
from rules.steel_rose.data import game_data

UNITS = list(game_data().units)
KINDS = [*game_data().maneuvers, None]
places = st.sampled_from(PLACES)


@st.composite
def sides(draw):
    """A side as a player could post it, and some manoeuvres, sensible or not."""
    faction = draw(st.sampled_from(list(game_data().factions)))
    posted = draw(
        st.dictionaries(
            places, st.dictionaries(st.sampled_from(UNITS), st.integers(1, 4), min_size=1, max_size=2), min_size=1, max_size=4
        )
    )
    totals: dict[str, int] = {}
    for units in posted.values():
        for unit, count in units.items():
            totals[unit] = totals.get(unit, 0) + count
    force = Force(draw(st.sampled_from(["army", "garrison"])), totals, draw(st.booleans()))
    orders = draw(
        st.lists(
            st.builds(
                Maneuver,
                position=places,
                maneuver=st.sampled_from(KINDS),
                target=places | st.none(),
                path=st.lists(places, max_size=2) | st.none(),
                free_move=st.none() | places,
            ),
            max_size=5,
        )
    )
    return faction, deploy([force], posted), orders


@st.composite
def setups(draw):
    (f1, d1, o1), (f2, d2, o2) = draw(sides()), draw(sides())
    first = check_maneuvers(d1.squads, d2.squads, o1).orders
    second = check_maneuvers(d2.squads, d1.squads, o2).orders
    short = {"max_rounds_charge": 12, "max_rounds_clash": 15, "max_rounds_final": 25}
    caps = game_data().settings.model_copy(update=short)
    return BattleSetup(SideSetup(f1, d1.squads, first), SideSetup(f2, d2.squads, second), caps)


@settings(max_examples=60, deadline=None)
@given(setups(), st.integers(0, 999))
def test_every_battle_ends_and_its_books_add_up(setup, seed):
    battle = _Battle(setup, seeded_dice(str(seed)).stream("battle"), True)
    result = battle.run()
    caps = setup.settings
    assert result.rounds <= caps.max_rounds_clash + caps.max_rounds_final
    for which in (0, 1):
        fielded: dict[str, int] = {}
        for _, group in setup.sides[which].groups():
            fielded[group.unit] = fielded.get(group.unit, 0) + group.count
        assert result.counts(which, "fielded") == fielded
        for tally in result.tally(which):
            share = setup.units[tally.unit].type.rescue or Fraction(1, 5)
            assert tally.rescued == rescued(tally.fallen - tally.sacrificed, share)
            assert 0 <= tally.sacrificed <= tally.fallen <= tally.fielded
            assert tally.returning == tally.fielded - tally.dead
    fighters = [fighter for side in (0, 1) for fighter in battle.everyone(side)]
    for fighter in fighters:
        assert fighter.hp <= fighter.kind.type.hp
        assert fighter.armor >= 0
        assert not fighter.summoned or fighter.kind.id == "lower_demon"
    alive = [any(f.alive for f in battle.everyone(side)) for side in (0, 1)]
    assert result.winner == (None if alive[0] == alive[1] else (0 if alive[0] else 1))
    for entry in result.log:
        if isinstance(entry, Strike):
            assert 0 <= entry.roll <= entry.strength
            assert entry.damage >= 0
            assert entry.base <= max(entry.strength, entry.minimum)
    assert all(paragraph(result))
    assert all(blow_by_blow(result.log))


@settings(max_examples=25, deadline=None)
@given(setups(), st.integers(0, 99))
def test_the_same_dice_give_the_same_battle(setup, seed):
    first, second = (fight(setup, seeded_dice(str(seed)).stream("battle")) for _ in range(2))
    assert first == second


@settings(max_examples=60, deadline=None)
@given(setups(), st.integers(0, 99))
def test_boards_stay_legal_in_every_phase(setup, seed):
    result = fight(setup, seeded_dice(str(seed)).stream("battle"), detailed=False)
    for stage in result.stages:
        if stage.id in ("clash", "final"):
            continue
        for which in (0, 1):
            held = [squad.place for squad in stage.squads[which] if squad.alive]
            assert len(held) == len(set(held))
            for flank in FLANKS:
                assert rear(flank) not in held or vanguard(flank) in held
    assert len(battle_figure(result).boards) == len(result.stages)
    assert deployment_figure(setup).boards[0].sides == battle_figure(result).boards[0].sides


@settings(max_examples=150, deadline=None)
@given(sides())
def test_deployment_places_everybody_once(given_side):
    _, deployment, _ = given_side
    for place, groups in deployment.squads.items():
        assert place in PLACES
        for group in groups:
            most = game_data().units[group.unit].max_per_squad
            assert group.count > 0
            assert most is None or sum(g.count for g in groups if g.unit == group.unit) <= most
    for flank in FLANKS:
        assert rear(flank) not in deployment.squads or vanguard(flank) in deployment.squads
