"""The steps of a turn: whose answer is awaited, until when, what silence means, and that nobody is asked for nothing (§4.1)."""

from __future__ import annotations

from typing import Any

import pytest

from rules.base import EVERYONE, GM, Sheet, Step, only
from rules.dice import seeded_dice
from rules.steel_rose import RULESET
from rules.steel_rose.state import State

ALL = ["empire", "principality", "elves", "cult", "ogres"]


def attack(city: str, **more: Any) -> dict[str, Any]:
    return {"type": "army_order", "order": "attack", "city": city, **more}


def defend(city: str) -> dict[str, Any]:
    return {"type": "army_order", "order": "defend", "city": city}


def step_of(state: State) -> Step:
    step = RULESET.step(state)
    assert step is not None
    return step


def asked(state: State) -> list[tuple[str, str]]:
    """(kind of step, who) of everybody awaited."""
    step = step_of(state)
    return [(step.kind, w.faction) for w in step.waits]


def said(faction: str, *commands: dict[str, Any]) -> Sheet:
    return Sheet(faction, tuple(RULESET.commands.parse(c) for c in commands))


def strong(game: Any) -> Any:
    """The Empire's knights against a defended Holmgard: all four kinds of step come."""
    game.faction("empire", units={"knight": 60})
    return game


def test_R14_each_step_has_its_own_deadline_and_its_own_silence(game):
    orders = {"empire": [attack("holmgard")], "principality": [defend("holmgard")]}
    found = {}
    strong(game)
    for given in (orders, {}, {}, {}):
        step = step_of(game.state)
        assert len({(w.hours, w.silence) for w in step.waits}) == 1
        found[step.kind] = (step.waits[0].hours, step.waits[0].silence)
        game.close(given)
    assert {kind: hours for kind, (hours, _) in found.items()} == {"orders": 72, "deployment": 24, "planning": 24, "capture": 12}
    assert len({silence for _, silence in found.values()}) == 4
    assert game.state.phase == "orders"


def test_R14_R19_R94_what_silence_does_in_each_step(game):
    strong(game).faction("principality", units={"shieldman": 5, "rifleman": 4})
    game.close({"empire": [attack("holmgard")], "principality": [defend("holmgard")]})
    # Nobody else said anything: one army each, dispersed.
    assert {f: {n: a.order for n, a in game.state.factions[f].armies.items()} for f in ("elves", "cult", "ogres")} == {
        "elves": {1: "disperse"},
        "cult": {1: "disperse"},
        "ogres": {1: "disperse"},
    }
    game.close({})
    assert game.told("boards")["boards"] == {
        "A": {"CV": {"knight": 60}},
        "B": {"CR": {"g:rifleman": 6, "rifleman": 4}, "CV": {"g:shieldman": 8, "shieldman": 5}},
    }
    game.close({})
    assert game.told("battle")["maneuvers"] == {"A": [], "B": []}
    game.close({})
    assert game.named("capture", city="holmgard", choice="colonize", owner="empire")


def test_R20_R42_R93_nobody_is_asked_for_nothing(new_game):
    # A garrison alone writes no deployment; both sides plan; only the victor chooses.
    game = strong(new_game())
    game.close({"empire": [attack("holmgard")]})
    assert asked(game.state) == [("deployment", "empire")]
    game.close({})
    assert asked(game.state) == [("planning", "empire"), ("planning", "principality")]
    game.close({})
    assert asked(game.state) == [("capture", "empire")]
    game.close({})
    assert asked(game.state) == [("orders", f) for f in ALL]
    # A choice made in advance leaves the last step out; a skip the planning.
    game = strong(new_game())
    game.close({"empire": [attack("holmgard", on_capture="colonize"), {"type": "skip_planning", "battle": "holmgard"}]})
    assert asked(game.state) == [("deployment", "empire")]
    game.close({})
    assert (game.state.turn, game.state.phase) == (2, "orders")
    # Where nobody defends only the fate of the city is asked for, and of ruins nothing at all.
    game = strong(new_game())
    game.city("holmgard", garrison={})
    game.close({"empire": [attack("holmgard")]})
    assert asked(game.state) == [("capture", "empire")]
    game = strong(new_game())
    game.city("holmgard", ruin=True, garrison={})
    game.close({"empire": [attack("holmgard")]})
    assert game.named("capture", city="holmgard", choice="take_ruins")
    assert (game.state.turn, game.state.phase) == (2, "orders")
    # A battle that the defender holds leaves nothing to choose; a turn without attacks goes on at once.
    game = new_game()
    game.faction("empire", units={"spearman": 1})
    game.close({"empire": [attack("holmgard")]})
    game.close({})
    game.close({})
    assert (game.state.turn, game.state.phase) == (2, "orders")
    game.close({"empire": [defend("altengrad")]})
    assert (game.state.turn, game.state.phase) == (3, "orders")


def test_R73_R109_a_side_that_cannot_fight_is_asked_no_manoeuvres(game):
    game.faction("principality", units={"steam_tank": 1}, res=0)
    game.city("bely_brod", garrison={"spearman": 1})
    game.close({"principality": [attack("bely_brod")]})
    assert asked(game.state) == [("deployment", "principality")]
    game.close({})
    assert (game.state.turn, game.state.phase) == (2, "orders")


def test_R77_R158_R162_who_is_out_is_asked_no_more(game):
    game.state.factions["elves"].status = "eliminated"
    game.state.factions["cult"].status = "won"
    assert asked(game.state) == [("orders", f) for f in ("empire", "principality", "ogres")]
    for faction in game.state.factions.values():
        faction.status = "eliminated"
    game.state.phase = "over"
    assert RULESET.step(game.state) is None


@pytest.mark.parametrize(
    ("kind", "commands"),
    [
        ("orders", [{"type": "pass"}]),
        ("deployment", [{"type": "deploy", "positions": {"CV": {"knight": "all"}}}]),
        ("planning", [{"type": "maneuver", "position": "CV", "maneuver": "cover"}]),
        ("capture", [{"type": "capture_choice", "choice": "destroy"}]),
    ],
)
def test_R14_a_step_has_all_it_waits_for_as_soon_as_each_has_answered(game, kind, commands):
    strong(game)
    given: Any = {"empire": [attack("holmgard")]}
    while step_of(game.state).kind != kind:
        game.close(given)
        given = {}
    waiting = {w.faction for w in step_of(game.state).waits}
    answers = [said(f, *(commands if f == "empire" else [{"type": "pass"}])) for f in sorted(waiting)]
    assert RULESET.missing(game.state, []) == list(step_of(game.state).waits)
    for answered in range(len(answers)):
        assert len(RULESET.missing(game.state, answers[:answered])) == len(answers) - answered
    assert RULESET.missing(game.state, answers) == []


def test_R14_the_gm_merges_all_steps_of_a_turn_into_one(game):
    strong(game)
    gm = [{"type": "gm_close_phase", "phase": phase} for phase in ("deployment", "planning", "capture")]
    game.close({GM: gm, "empire": [attack("holmgard")], "principality": [defend("holmgard")]})
    assert (game.state.turn, game.state.phase) == (2, "orders")
    assert game.named("capture", city="holmgard", choice="colonize")
    # The next turn has its steps again.
    game.close({"empire": [attack("ormis")]})
    assert step_of(game.state).kind == "deployment"


@pytest.mark.parametrize("phase", ["deployment", "planning", "capture"])
def test_R14_the_gm_leaves_one_step_out(new_game, phase):
    game = strong(new_game())
    kinds = []
    given: Any = {
        GM: [{"type": "gm_close_phase", "phase": phase}],
        "empire": [attack("holmgard")],
        "principality": [defend("holmgard")],
    }
    while game.state.turn == 1:
        kinds.append(step_of(game.state).kind)
        game.close(given)
        given = {}
    assert kinds == [kind for kind in ("orders", "deployment", "planning", "capture") if kind != phase]


@pytest.mark.parametrize("kind", ["orders", "deployment", "planning", "capture"])
def test_R14_the_gm_closes_the_open_step_before_its_time(game, kind):
    strong(game)
    given: Any = {"empire": [attack("holmgard")]}
    while step_of(game.state).kind != kind:
        game.close(given)
        given = {}
    before = step_of(game.state)
    outcome = RULESET.resolve(
        game.state,
        [said(GM, {"type": "gm_close_phase", "phase": kind}), *(said(f, *cs) for f, cs in given.items())],
        seeded_dice("closed early"),
        closing=False,
    )
    assert step_of(outcome.state).id != before.id


def test_R101_what_is_awaited_in_battles_only_their_sides_know(campaigns):
    for campaign in campaigns:
        for state, step, _ in campaign:
            for wait in step.waits:
                battle = next((b for b in state.battles if b.id == wait.id.split(":")[1]), None)
                if step.kind == "orders":
                    assert (wait.known_to, battle) == (EVERYONE, None)
                else:
                    assert battle is not None
                    assert wait.known_to == only(*battle.sides)
                    assert wait.faction in battle.sides
                    assert step.kind != "capture" or wait.faction == battle.winner
