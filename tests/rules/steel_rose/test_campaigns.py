"""Random campaigns of simple bots: the books balance, the invariants hold, nothing secret gets out (§6)."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from rules.base import EVERYONE, GM_ONLY, Event, Outcome, Sheet, Step, only, visible
from rules.dice import seeded_dice
from rules.steel_rose import RULESET, economy
from rules.steel_rose.data import game_data
from rules.steel_rose.state import City, FactionState, March, State, copy_of

Campaign = list[tuple[State, Step, Outcome]]


def steps(campaigns: list[Campaign]) -> Iterator[tuple[State, Step, Outcome]]:
    for campaign in campaigns:
        yield from campaign


def test_ledgers_conserve_gold_and_resources_R83_R155(campaigns):
    for _, _, outcome in steps(campaigns):
        for event in outcome.events:
            if event.kind != "ledger":
                continue
            lines = event.data["lines"]
            for key in ("gold", "res"):
                total = sum((Fraction(str(line[key])) for line in lines), Fraction(str(event.data["opening"][key])))
                assert total == Fraction(str(event.data["closing"][key])), event.data
        for owner in outcome.state.factions.values():
            assert owner.opening_gold + sum(line.gold for line in owner.ledger) == owner.gold >= 0
            assert owner.opening_res + sum(line.res for line in owner.ledger) == owner.res >= 0


def test_the_ledgers_tell_every_change_of_every_treasury_R83(campaigns):
    """From one snapshot of a campaign to the next: what the lines say is what the treasury changed by, each line by its parts."""
    for before, _, outcome in steps(campaigns):
        told = {e.data["faction"]: e.data for e in outcome.events if e.kind == "ledger"}
        for faction, owner in outcome.state.factions.items():
            then = before.factions[faction]
            lines = [(line["gold"], Fraction(str(line["res"]))) for line in told[faction]["lines"]] if faction in told else []
            lines += [(line.gold, line.res) for line in owner.ledger]
            old = [(line.gold, line.res) for line in then.ledger]
            assert lines[: len(old)] == old
            assert owner.gold - then.gold == sum(gold for gold, _ in lines[len(old) :])
            assert owner.res - then.res == sum(res for _, res in lines[len(old) :])
        for line in (line for data in told.values() for line in data["lines"]):
            if parts := line["data"].get("parts"):
                assert sum(value for _, _, value in parts) == (line["gold"] or line["res"]), line


def test_no_unit_from_nothing_R84_R5(campaigns):
    for campaign in campaigns:
        before = {f: economy.kept_units(campaign[0][0], f) for f in campaign[0][0].factions}
        for _, _, outcome in campaign:
            for event in outcome.events:
                if event.kind != "ledger":
                    continue
                faction = event.data["faction"]
                expected = dict(before[faction])
                for line in event.data["lines"]:
                    for unit, change in line["units"].items():
                        expected[unit] = expected.get(unit, 0) + change
                        assert expected[unit] >= 0
                before[faction] = {u: n for u, n in expected.items() if n}
                if outcome.state.phase != "over":
                    assert before[faction] == economy.kept_units(outcome.state, faction)


def test_invariants_of_cities_R80_R97_R132_R153(campaigns):
    for _, _, outcome in steps(campaigns):
        state = outcome.state
        for city in state.cities.values():
            assert 0 <= city.corruption < 20
            assert 1 <= city.level <= max(1, state.max_level)
            assert len(city.buildings) <= economy.slots(city)
            assert len(set(city.buildings)) == len(city.buildings)
            assert city.owner is not None or city.ruin
            assert city.owner != "ogres"
            assert not city.ruin or not (city.buildings or city.garrison or economy.produced(city))
        assert all(f in state.factions for pair in state.alliances for f in pair)
        assert ("cult", "ogres") not in state.alliances


def test_allies_and_winners_are_never_fought_R89_R157_R162(campaigns):
    for before, _, outcome in steps(campaigns):
        for event in outcome.events:
            if event.kind == "battle_found" and event.data["defender"] is not None:
                assert not outcome.state.allied(event.data["attacker"], event.data["defender"])
                assert before.factions[event.data["defender"]].status == "playing"


def test_armies_are_parts_of_the_faction_R87(campaigns):
    for _, _, outcome in steps(campaigns):
        for owner in outcome.state.factions.values():
            inside: dict[str, int] = {}
            for army in owner.armies.values():
                for unit, count in army.units.items():
                    inside[unit] = inside.get(unit, 0) + count
            assert all(owner.units.get(unit, 0) >= count for unit, count in inside.items())


def test_every_game_ends_by_midnight_R156(campaigns):
    for campaign in campaigns:
        last = campaign[-1][2].state
        assert RULESET.step(last) is None
        assert last.turn <= 9
        assert not last.playing()


PUBLIC = {
    "alliance": {"factions"},
    "alliance_ended": {"factions", "reason"},
    "battle": {"battle", "wave", "attacker", "defender", "winner", "fought"},
    "bombarded": {"city", "attacker", "defender"},
    "capture": {"city", "by", "before", "choice", "owner", "level", "ruin", "walkover"},
    "cities_vanished": {"cities"},
    "eliminated": {"faction", "reason"},
    "epoch": {"epoch", "turn"},
    "floating": {"city", "faction"},
    "gift": {"faction", "gold"},
    "hunger_burst": {"city"},
    "midnight": {"winners"},
    "mobile_lost": {"attacker"},
    "mobile_moved": {"road"},
    "mobile_needs_road": {"road"},
    "restored": {"city", "faction"},
    "sacrificed": {"city"},
    "to_cult": {"city", "owner"},
    "victory": {"faction", "conditions"},
}
"""What the public is told, and no fact more (R100)."""


def test_no_secret_in_public_events_R100_R101(campaigns):
    for _, _, outcome in steps(campaigns):
        for event in outcome.events:
            if event.audience == EVERYONE:
                assert set(event.data) <= PUBLIC[event.kind], event


SIDES = {"battle_found", "boards", "battle", "bombarded"}
"""Told in full to both sides of a battle."""
ALWAYS = {
    "betrayal": "cult",
    "camp": "cult",
    "divination": "elves",
    "fed": "cult",
    "honour": "empire",
    "meat": "ogres",
    "mercenary_share": "ogres",
    "mobile_garrison": "ogres",
    "oath_kept": "cult",
    "powder": "principality",
    "powder_back": "principality",
    "quest": "empire",
    "ritual": "cult",
    "spell": "elves",
    "teleport_prevails": "cult",
    "to_cult": "cult",
}
"""Told to this faction alone, whatever happened."""


def readers_of(event: Event, before: State, after: State) -> set[str] | None:
    """Who may hear of an event that isn't public; None: one faction, by no fact of the event."""
    facts = event.data
    if event.kind in SIDES:
        return {facts[side] for side in ("attacker", "defender") if facts[side] is not None}
    if event.kind == "alliance_offer":
        return {facts["offered_by"], facts["offered_to"]}
    if event.kind in ALWAYS:
        return {ALWAYS[event.kind]}
    for key in ("issuer", "faction") if event.kind in ("refused", "ledger") else ():
        if key in facts:
            return {facts[key]}
    if event.kind in ("built", "sold", "upgraded"):
        return {before.cities[facts["city"]].owner or ""}
    if event.kind == "detected":
        return {after.cities[facts["city"]].owner or ""}
    return {game_data().units[facts["unit"]].faction} if event.kind == "hired" else None


def test_private_events_reach_those_alone_whom_they_concern_R100_R101_R109_R132(campaigns):
    for before, _, outcome in steps(campaigns):
        for event in outcome.events:
            told = event.audience.factions
            if told is None or event.audience == GM_ONLY:
                continue
            wanted = readers_of(event, before, outcome.state)
            assert told == (wanted if wanted is not None else told), event
            assert wanted is not None or len(told) == 1, event


def secret_words() -> re.Pattern[str]:
    """Names of all units and buildings, in any case: the public hears of none (R101)."""
    data = game_data()
    names = [unit.name_ru for unit in data.units.values()]
    names += [building.name_ru for table in data.buildings.values() for building in table.values()]
    stems = {name.casefold()[: max(4, len(name) - 2)] for name in names}
    return re.compile("|".join(rf"\b{re.escape(stem)}" for stem in sorted(stems)))


def words(value: Any) -> Iterator[str]:
    """Every text of a report, map or chart."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from words(item)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from words(item)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from words(getattr(value, field.name))


def test_no_secret_in_what_the_public_reads_R100_R101(campaigns):
    secret = secret_words()
    for _, step, outcome in steps(campaigns):
        view = RULESET.view(outcome.state, EVERYONE)
        report = RULESET.report(view, visible(outcome.events, EVERYONE), step=step)
        text = "\n".join(words((report, RULESET.map(view), RULESET.standings(view))))
        found = secret.search(text.casefold())
        assert found is None, (step.id, text[found.start() - 80 : found.end() + 80])
        # A sum of gold is told of the gods' gift only (R154).
        gifts = [str(e.data["gold"]) for e in outcome.events if e.kind == "gift"]
        assert re.findall(r"(\d+)з\b", text) == gifts


def scrambled(state: State, reader: str | None) -> State:
    """Another state that differs in everything the reader may not know, and in nothing else."""
    other = state.model_copy()
    other.factions = {f: owner if f == reader else _scrambled_faction(owner) for f, owner in state.factions.items()}
    other.cities = {c: _scrambled_city(city, reader) for c, city in state.cities.items()}
    if reader != "cult":
        other.camp = other.roads[0]
    if reader != "ogres" and other.mobile_city is not None:
        other.mobile_city = other.mobile_city.model_copy(update={"garrison": {"ogre_bull": 50}})
    other.battles = [copy_of(b) for b in other.battles if reader is not None and b.side(reader) is not None]
    for battle in other.battles:
        for side in (battle.attacker, battle.defender):
            if side.faction != reader:
                side.orders = []
                side.places = [("CV", "rest")]
                side.groups = []
    other.waves, other.news, other.rerolls = [], [], {"ormis": 4}
    other.marches = [m for m in other.marches if m.public or (reader is not None and reader in (m.attacker, m.defender))]
    stranger = "empire" if reader != "empire" else "elves"
    other.marches += [March(attacker=stranger, defender=None, target="ormis", at="ormis", start="altengrad")]
    other.ending_alliances = [p for p in other.ending_alliances if p[0] == reader]
    return other


def _scrambled_faction(owner: FactionState) -> FactionState:
    changes: dict[str, Any] = {"gold": owner.gold + 1234, "res": owner.res + 7, "units": {"wolf": 99}}
    changes |= {"armies": {}, "choices": {}, "skips": ["*"], "ledger": [], "powder": [], "rituals": ["infect"]}
    changes |= {"demons": "infector", "ritual_slots": 3, "max_hunger": 40, "cursed_uses": 2, "summon_ready": 9}
    changes |= {"oath": True, "feed": "*", "float_casts": 5, "discount_used": 11, "opening_gold": 1}
    return owner.model_copy(update=changes | {"snapshot": owner.snapshot.model_copy(update={"gold": 5})})


def _scrambled_city(city: City, reader: str | None) -> City:
    changes: dict[str, Any] = {}
    if city.owner != reader:
        changes |= {"buildings": [], "garrison": {"wolf": 1}, "preset": [("CV", [("wolf", 1)])], "garrison_for": "?"}
        changes |= {"known_corruption": 3, "floating": True, "defended": True, "no_income": True}
    if reader != "cult":
        changes["corruption"] = (city.corruption + 5) % 20 if city.owner == reader else 11
    return city.model_copy(update=changes) if changes else city


def test_what_may_not_be_known_changes_nothing_R100_R101_R24(campaigns):
    """At every step, for the public and for each faction: reports, maps and standings are made of views and visible events."""
    for _, _, outcome in steps(campaigns):
        state = outcome.state
        for reader in (None, *state.playing()):
            audience = EVERYONE if reader is None else only(reader)
            assert RULESET.view(state, audience) == RULESET.view(scrambled(state, reader), audience)


def test_all_that_is_shown_is_made_of_views_and_visible_events_R101(campaigns):
    for _, step, outcome in campaigns[0][2::8]:
        for reader in (None, *outcome.state.factions):
            audience = EVERYONE if reader is None else only(reader)
            view, twin = (RULESET.view(s, audience) for s in (outcome.state, scrambled(outcome.state, reader)))
            events = visible(outcome.events, audience)
            assert RULESET.map(view) == RULESET.map(twin)
            assert RULESET.standings(view) == RULESET.standings(twin)
            assert RULESET.report(view, events, step=step) == RULESET.report(twin, events, step=step)


def test_every_event_can_be_told(campaigns):
    for _, step, outcome in steps(campaigns[:1]):
        view = RULESET.view(outcome.state, GM_ONLY)
        report = RULESET.report(view, visible(outcome.events, GM_ONLY), step=step)
        assert report.title
    for _, _, outcome in steps(campaigns):
        for event in outcome.events:
            assert RULESET.rule_text(event.rule), event.rule


def test_the_same_seed_plays_the_same_game_R160(campaigns):
    state, step, outcome = campaigns[0][0]
    again = RULESET.load(RULESET.dump(state))
    for before, at, first in campaigns[0][:6]:
        assert RULESET.dump(again) == RULESET.dump(before)
        again = RULESET.load(RULESET.dump(first.state))
        assert [Event.from_json(e.to_json()) for e in first.events] == list(first.events)
        assert RULESET.step(before) == at
    assert (state.turn, step.id) == (1, "t01")
    assert outcome.draws is not None


def test_a_battle_does_not_depend_on_other_orders_R160(game):
    def protocol(orders: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
        from rules.base import Sheet

        state = game.state
        outcome = None
        while outcome is None or state.phase != "orders":
            step = RULESET.step(state)
            assert step is not None
            given = orders if outcome is None else {}
            sheets = [Sheet(f, tuple(RULESET.commands.parse(c) for c in cs)) for f, cs in given.items()]
            outcome = RULESET.resolve(state, sheets, seeded_dice("one", step.id), closing=True)
            state = outcome.state
            for event in outcome.events:
                if event.kind == "battle" and event.detail == 1 and event.data["battle"] == "holmgard":
                    return dict(event.data)
        raise AssertionError("no battle")

    march = {"type": "army_order", "order": "attack", "city": "holmgard"}
    alone = protocol({"empire": [march]})
    assert alone == protocol(
        {
            "ogres": [{"type": "army_order", "order": "attack", "city": "valdheim"}],
            "cult": [{"type": "ritual", "ritual": "infect", "city": "elvendar"}],
            "empire": [march, {"type": "build", "city": "altengrad", "building": "chapel"}],
        }
    )


def test_scrambling_changes_what_the_owner_sees(campaigns):
    state = campaigns[0][3][2].state
    assert isinstance(state.factions["elves"], FactionState)
    assert RULESET.view(state, only("empire")) != RULESET.view(scrambled(state, "elves"), only("empire"))


def test_hidden_orders_change_nothing_for_others_R100_R101_R132(game):
    """Two turns that differ only in secret orders of others tell the elves the same."""

    def told(orders: dict[str, list[dict[str, Any]]]) -> list[Any]:
        given = [Sheet(f, tuple(RULESET.commands.parse(c) for c in cs)) for f, cs in orders.items()]
        outcome = RULESET.resolve(game.state, given, seeded_dice("secret", "t01"), closing=True)
        assert not [e for e in outcome.events if e.kind == "refused"]
        out: list[Any] = []
        for reader in (EVERYONE, only("elves")):
            view, events = RULESET.view(outcome.state, reader), visible(outcome.events, reader)
            step = RULESET.step(game.state)
            assert step is not None
            out += [view, events, RULESET.map(view), RULESET.standings(view), RULESET.report(view, events, step=step)]
        return out

    own = [{"type": "build", "city": "elvendar", "building": "nature_shrine"}]
    camp = {"type": "army_order", "order": "defend", "city": "kronvik"}
    busy = {
        "empire": [{"type": "build", "city": "altengrad", "building": "barracks"}, camp],
        "principality": [{"type": "pass"}],
        "cult": [{"type": "ritual", "ritual": "infect", "city": "serebryany_ruchey"}],
        "ogres": [{"type": "hire", "unit": "ogre_bull", "count": 4}],
        "elves": own,
    }
    assert told({"elves": own}) == told(busy)
