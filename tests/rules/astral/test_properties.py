"""The invariants of §6 over random games, secrets kept, determinism, and state that survives JSON."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules.astral import RULESET, effects
from rules.astral import state as states
from rules.astral.battle import Side, fight
from rules.astral.catalog import catalog
from rules.astral.catalog import settings as rule_settings
from rules.astral.numbers import resplit
from rules.astral.state import State
from rules.base import EVERYONE, GM_ONLY, only, visible
from tests.rules.astral.conftest import World, assault, attack, fixture_state, play

OWNERS = ["buyny", "morwen", "askold", "tishina", "kael", "rzhavy"]
LAZY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
small = st.integers(0, 9)
troops, magics = st.sampled_from(["infantry", "archers", "cavalry"]), st.sampled_from(["sacred", "elemental", "necromancy"])
heroes = st.sampled_from(["commander", "wizard", "warrior"])
owners = st.sampled_from(OWNERS)
homes = st.sampled_from([f"h_{owner}_{number}" for owner in OWNERS for number in (1, 2)])
free = st.sampled_from([f"n{number:03d}" for number in range(36)])
items = st.sampled_from(["rally_horn", "astral_leech", "levitation_feather", "ritual_descent", "nothing_lantern", "chaos_shard"])


@st.composite
def order(draw: Any) -> dict[str, Any]:
    """One command of any kind, mostly possible."""
    fight_with = {"troop": draw(troops), "magic": draw(magics), "hero": draw(heroes)}
    choice = draw(st.integers(0, 12))
    if choice <= 2:
        return attack(draw(free), draw(small), draw(small), **fight_with)
    if choice <= 5:
        return assault(draw(owners), draw(small), draw(small), **fight_with)
    share = draw(st.integers(0, 100))
    rest: list[dict[str, Any]] = [
        {"type": "invest_defence", "energy": draw(small)},
        {"type": "set_reserve", "attack_no": draw(st.integers(1, 3)), "energy": draw(small)},
        {"type": "set_defence_tactic", "attack_no": "all", "troop_share": share, "magic_share": 100 - share, **fight_with},
        {"type": draw(st.sampled_from(["care", "sacrifice"])), "shard": draw(homes)},
        {"type": "vote_rune", "rune": draw(st.sampled_from(["abundance", "tribute", "homecoming", "rust", "levelling"]))},
        {"type": "transfer_energy", "to": draw(owners), "amount": draw(small)},
        {"type": "use_item", "item": draw(items), "target_owner": draw(owners)},
    ]
    return rest[choice - 6]


sheets = st.dictionaries(owners, st.lists(order(), max_size=5), max_size=6)
games = st.lists(sheets, min_size=1, max_size=4)


def rich_start() -> State:
    """The fixture with items in hands."""
    return (
        World()
        .hold("kael", "rally_horn", "astral_leech", "chaos_shard")
        .hold("buyny", "levitation_feather", "ritual_descent")
        .state
    )


def check_invariants(before: State, after: State, events: list[Any]) -> None:
    rules = after.settings
    placed = [shard for owner in after.owners.values() for shard in owner.shards]
    assert len(placed) == len(set(placed))
    assert len(after.shards) == len(before.shards)
    for ident, place in after.shards.items():
        assert (place.status == "owned") == (ident in placed)
        assert place.owner is None or ident in after.owners[place.owner].shards
        assert place.care >= 0
        assert place.sacrifice >= 0
        assert place.care_count >= before.shards[ident].care_count
    for ident, owner in after.owners.items():
        old = before.owners[ident]
        assert owner.energy >= 0
        assert owner.defence >= 0
        assert rules.height_min <= owner.height <= rules.height_max
        assert effects.income(after, ident) >= 0
        assert (owner.status == "eliminated") == (not owner.shards)
        if owner.status == "eliminated":
            assert (owner.energy, owner.items) == (0, {})
        if old.status == "nothing" and owner.status == "nothing":
            assert owner.model_copy(update={"effects": old.effects}) == old
    assert len(after.runes.board) == len(set(after.runes.board)) == 3
    for event in events:
        data = event.data
        assert event.rule.startswith("R")
        assert RULESET.rule_text(event.rule)
        if event.kind == "ledger":
            assert data["start"] + sum(entry["amount"] for entry in data["entries"]) == data["end"]
        if event.kind == "battle" and data["result"] in ("win", "loss"):
            a, d = Fraction(data["score_a"]), Fraction(data["score_d"])
            assert (data["result"] == "win") == (a > d)
            assert data["troop_energy"] + data["magic_energy"] == data["additional"]
            if data["phase"] == 3:
                worn = Fraction(data["defence_before"]) - Fraction(data["defence_after"])
                assert worn == min(data["additional"], Fraction(data["effective"]))


@LAZY
@given(games)
def test_invariants_hold_in_any_game(turns: list[dict[str, list[dict[str, Any]]]]) -> None:
    state, gained = rich_start(), []
    for number, orders in enumerate(turns):
        played = play(state, orders, seed=f"s{number}")
        check_invariants(state, played.state, played.events)
        # R41: trophies of a shard once a game.
        gained += [data["shard"] for data in played.of("capture") if data["from"] is None]
        # Determinism, and JSON in between changes nothing.
        raw = json.dumps(states.dump(state), sort_keys=True)
        again = play(states.load(json.loads(raw)), orders, seed=f"s{number}")
        assert [event.to_json() for event in again.events] == [event.to_json() for event in played.events]
        assert json.dumps(states.dump(again.state), sort_keys=True) == json.dumps(states.dump(played.state), sort_keys=True)
        # The state given in stays as it was.
        assert json.dumps(states.dump(state), sort_keys=True) == raw
        for reader in (EVERYONE, only("kael"), GM_ONLY):
            view = RULESET.view(played.state, reader)
            step = RULESET.step(state)
            if step is not None:
                RULESET.report(view, visible(played.events, reader), step=step)
            RULESET.map(view)
            RULESET.standings(view)
        state = played.state
    assert len(gained) == len(set(gained))


@LAZY
@given(sheets, st.lists(order(), max_size=4))
def test_an_owner_learns_nothing_of_what_others_hide(
    orders: dict[str, list[dict[str, Any]]], others: list[dict[str, Any]]
) -> None:
    """Two states that differ in Каэль's secrets alone look the same to Буйный and to the public."""
    plain, changed = World(), World()
    changed.set(
        owners__kael__levels={"infantry": 3},
        owners__kael__tactics={"2": {"troop": "archers", "magic": "sacred", "hero": "wizard", "troop_share": 70}},
        owners__kael__unlocked=["golems"],
        owners__kael__items={"chaos_shard": {"uses": 1, "ready": 0}},
        known__kael=["n035"],
        shards__n035__tactic__troop="infantry",
        shards__n035__trophies=["rally_horn"],
        runes__deck=["storm", "calm"],
        pending__rune="tribute",
    )
    for reader in (EVERYONE, only("buyny")):
        one, two = RULESET.view(plain.state, reader), RULESET.view(changed.state, reader)
        assert one == two
        assert RULESET.standings(one) == RULESET.standings(two)
        assert RULESET.map(one) == RULESET.map(two)
        commands = [RULESET.commands.parse(raw) for raw in others]
        assert RULESET.check(one, "turn", commands) == RULESET.check(two, "turn", commands)


@LAZY
@given(st.lists(order(), max_size=4))
def test_refused_orders_are_seen_by_their_owner_alone(orders: list[dict[str, Any]]) -> None:
    """A sheet of nothing but impossible orders looks to the others like an empty one."""
    poor = World().set(owners__kael__energy=0)
    kinds = ("attack_neutral", "attack_owner", "invest_defence", "set_reserve", "transfer_energy")
    costly = [entry for entry in orders if entry["type"] in kinds and entry["type"] != "vote_rune"]
    with_orders, without = play(poor.state, {"kael": costly}), play(poor.state, {"kael": []})
    if all(data["code"] for data in with_orders.of("refused")) and len(with_orders.of("refused")) == len(costly):
        step = RULESET.step(poor.state)
        assert step is not None
        for reader in (EVERYONE, only("buyny")):
            told = [
                RULESET.report(RULESET.view(played.state, reader), visible(played.events, reader), step=step)
                for played in (with_orders, without)
            ]
            assert told[0] == told[1]


@given(st.integers(0, 60), st.integers(0, 30), st.integers(0, 30))
def test_R27_resplit_is_whole_and_fair(total: int, troop: int, magic: int) -> None:
    t, m = resplit(total, troop, magic)
    assert t + m == total
    assert t.denominator == m.denominator == 1
    if troop + magic:
        assert abs(t - Fraction(total * troop, troop + magic)) < 1
    if troop == magic:
        assert t >= m


@given(st.lists(st.integers(0, 20), min_size=4, max_size=4), st.lists(st.integers(0, 4), min_size=4, max_size=4), st.data())
def test_R16_more_energy_and_levels_never_hurt(energy: list[int], levels: list[int], data: Any) -> None:
    tables, rules = catalog(), rule_settings()
    picks = [(data.draw(troops), data.draw(magics), data.draw(heroes)) for _ in range(2)]

    def side(number: int, more_energy: int = 0, more_level: int = 0, role: Any = "attack") -> Side:
        troop, magic, hero = picks[number]
        known = {troop: levels[2 * number] + more_level, magic: levels[2 * number + 1]}
        power = [Fraction(energy[2 * number] + more_energy), Fraction(energy[2 * number + 1])]
        return Side(str(number), troop, magic, hero, power[0], power[1], role, "owner", known)

    plain = fight(tables, rules, side(0), side(1))
    assert fight(tables, rules, side(1), side(0)).attacker.score == plain.defender.score
    assert fight(tables, rules, side(0, 1), side(1)).attacker.score >= plain.attacker.score
    better = fight(tables, rules, side(0, 0, 1), side(1))
    assert min(plain.attacker.troop.modifier, plain.attacker.magic.modifier, plain.defender.troop.modifier) >= 1
    if plain.attacker.troop.value >= 0:
        assert better.attacker.score >= plain.attacker.score
    if plain.defender.troop.energy + sum(plain.defender.troop.bonuses) >= plain.defender.troop.penalty:
        assert better.defender.score <= plain.defender.score


def test_R1_the_longest_game_ends_with_the_last_turn() -> None:
    state = fixture_state()
    for _ in range(30):
        assert RULESET.step(state) is not None
        state = play(state, {owner: [{"type": "pass"}] for owner in OWNERS}).state
    assert RULESET.step(state) is None
    assert state.finished is not None
    assert state.owners["kael"].energy == 20 + 30 * 8
