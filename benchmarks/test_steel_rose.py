"""A turn of five factions with six battles (360 units): its resolutions together, and everything rendered of it, on one core.

Goals: resolutions within 1 s; all reports, posts, maps, pictures of battles and the PDF within 6 s. Measured as
CPU time on a 2 GHz server with five times as much to do as cores: 0.09 s; 4.6 s (6.8 s when each picture was drawn for each
reader); the GM's PDF with every blow of the six battles 5.8 s more."""

from __future__ import annotations

import datetime as dt
import os
from typing import Any

import pytest

from renderers import Board, DigestMeta, Picture, draw_png, figures, render_digest, render_posts
from renderers.maps import forget_pictures
from rules.base import EVERYONE, GM_ONLY, Audience, Event, Sheet, Step, only, visible
from rules.dice import seeded_dice
from rules.steel_rose import RULESET
from rules.steel_rose.state import State

UNITS: dict[str, dict[str, int]] = {
    "empire": {"spearman": 40, "archer": 15, "knight": 6},
    "principality": {"shieldman": 40, "rifleman": 12, "mounted_rifleman": 6},
    "elves": {"ranger": 30, "golem": 4, "wolf": 10},
    "cult": {"cultist": 40, "lower_demon": 25},
    "ogres": {"gnoblar": 25, "ogre_bull": 12, "sabertooth": 10},
}
ATTACKS = {
    "empire": ["holmgard", "nightmare_peak"],
    "principality": ["serebryany_ruchey"],
    "elves": ["chernyi_kamen"],
    "cult": ["kronvik"],
    "ogres": ["valdheim"],
}
BATTLES = sum(map(len, ATTACKS.values()))

Played = list[tuple[Step, State, tuple[Event, ...]]]


def start() -> State:
    """Turn 4 with armies of fifty or so everywhere."""
    state: State = RULESET.new_game(RULESET.load_scenario(None))
    state.turn = 4
    for faction, units in UNITS.items():
        owner = state.factions[faction]
        owner.units, owner.gold, owner.opening_gold = dict(units), 3000, 3000
    assert state.mobile_city is not None
    state.mobile_city.road = ("altengrad", "valdheim")
    for city in state.cities.values():
        city.level = 2
    return RULESET.load(RULESET.dump(state))


def orders(state: State, step: Step) -> list[Sheet]:
    """Attacks, then deployments on three flanks, barrages and charges."""
    raw: dict[str, list[dict[str, Any]]] = {f: [] for f in state.factions}
    for faction, targets in ATTACKS.items() if step.kind == "orders" else ():
        for number, target in enumerate(targets, start=1):
            if number > 1:
                raw[faction].append({"type": "form_army", "army": number, "units": dict.fromkeys(UNITS[faction], "half")})
            raw[faction].append({"type": "army_order", "army": number, "order": "attack", "city": target})
    for battle in state.battles if step.kind in ("deployment", "planning") else ():
        for side, foe in ((battle.attacker, battle.defender), (battle.defender, battle.attacker)):
            if side.faction is None or (side is battle.defender and not side.asked and step.kind == "deployment"):
                continue
            named = {"battle": battle.id}
            if step.kind == "deployment":
                first, *rest = side.total()
                cells = {"CV": {first: "all"}, **{cell: {unit: "all"} for cell, unit in zip(("CR", "LV"), rest, strict=False)}}
                raw[side.faction].append({"type": "deploy", **named, "positions": cells})
            elif side is battle.attacker and any(cell["place"] == "CR" for cell in foe.board):
                raw[side.faction].append({"type": "maneuver", **named, "position": "LV", "maneuver": "charge", "target": "CR"})
    return [Sheet(f, tuple(RULESET.commands.parse(c) for c in given)) for f, given in raw.items()]


def play(state: State) -> Played:
    """The whole turn."""
    out: Played = []
    turn = state.turn
    while state.turn == turn:
        step = RULESET.step(state)
        assert step is not None
        outcome = RULESET.resolve(state, orders(state, step), seeded_dice("bench", step.id), closing=True)
        state = outcome.state
        out.append((step, state, outcome.events))
    return out


DATE = dt.date(2026, 1, 1)


def render(played: Played) -> tuple[int, int]:
    """Reports and posts of everybody, public and private maps, the battles' pictures for the sides, the public PDF of each
    step; characters and bytes."""
    chars = size = 0
    for step, state, events in played:
        readers: list[Audience] = [EVERYONE, *(only(f) for f in state.factions), GM_ONLY]
        drawn: list[tuple[Any, bytes]] = []
        for reader in readers:
            view = RULESET.view(state, reader)
            report = RULESET.report(view, visible(events, reader), step=step)
            chars += sum(len(p.text) for p in render_posts(report, Board(), rule_text=RULESET.rule_text))
            for figure in (RULESET.map(view), *(block.figure for block in figures(report))):
                if reader != GM_ONLY and all(figure != known for known, _ in drawn):
                    drawn.append((figure, draw_png(figure, 262_144)))
            if reader == EVERYONE:
                meta = DigestMeta("Игра", RULESET.title, DATE)
                size += len(render_digest(report, [Picture(drawn[0][1])], meta, rule_text=RULESET.rule_text))
        size += sum(len(picture) for _, picture in drawn)
    return chars, size


def gm_digest(played: Played) -> int:
    """The GM's PDF of the step with the battles: every blow of all six; bytes."""
    step, state, events = next(item for item in played if item[0].kind == "planning")
    report = RULESET.report(RULESET.view(state, GM_ONLY), visible(events, GM_ONLY), step=step)
    return len(render_digest(report, [], DigestMeta("Игра", RULESET.title, DATE), rule_text=RULESET.rule_text))


@pytest.fixture(scope="module", autouse=True)
def one_core() -> Any:
    """The figures are those of a single core."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


def test_resolve_a_turn_with_six_battles(benchmark: Any) -> None:
    state = start()
    played = play(state)
    fought = [e for _, _, events in played for e in events if e.kind == "battle" and e.detail == 1]
    assert len(fought) == BATTLES == 6
    benchmark.extra_info["units"] = sum(t["fielded"] for e in fought for side in "AB" for t in e.data["losses"][side])
    benchmark.pedantic(play, args=(state,), rounds=5)


def test_render_a_turn_with_six_battles(benchmark: Any) -> None:
    played = play(start())
    render(played)  # the compiled forecast is loaded once in a process
    from rules.steel_rose import retelling

    def fresh() -> tuple[tuple[Any, ...], dict[str, Any]]:
        retelling._again.cache_clear()
        retelling._odds.cache_clear()
        forget_pictures()
        return (played,), {}

    chars, size = benchmark.pedantic(render, setup=fresh, rounds=3)
    benchmark.extra_info["characters"], benchmark.extra_info["bytes"] = chars, size


def test_gm_digest_with_every_blow_of_six_battles(benchmark: Any) -> None:
    played = play(start())
    gm_digest(played)
    benchmark.extra_info["bytes"] = benchmark.pedantic(gm_digest, args=(played,), rounds=3)
