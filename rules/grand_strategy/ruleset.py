"""`RULESET`: the game as the service sees it (rules.base.Ruleset)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from parsers.types import Json, Problem
from rules.base import (
    Audience,
    Command,
    CommandTypes,
    Event,
    Faction,
    OrderLanguage,
    Outcome,
    Scenario,
    Sheet,
    Step,
    StepKind,
    Wait,
)
from rules.dice import Dice
from rules.grand_strategy import data
from rules.grand_strategy import state as states
from rules.grand_strategy.commands import COMMANDS
from rules.grand_strategy.scenario import first_state, scenario_of
from rules.grand_strategy.state import State
from rules.grand_strategy.steps import current_step, missing_waits
from rules.grand_strategy.view import View, make_view
from rules.maps import MapModel
from rules.report import Report


class GrandStrategy:
    """«Правила Великой Стратегической» of 25.11.2004."""

    id = "grand_strategy"
    version = "1"
    title = "Великая Стратегическая"
    commands: CommandTypes = COMMANDS
    templates = Path(__file__).parent / "templates"

    def load_scenario(self, source: Mapping[str, Json] | None) -> Scenario:
        """A checked scenario; None: the default one. Raises `RulesError` that lists every mistake in Russian."""
        return scenario_of(tomllib.loads(self.default_scenario_text()) if source is None else source)

    def default_scenario_text(self) -> str:
        """«Материк Двенадцати Земель»."""
        return data.text("default")

    def new_game(self, scenario: Scenario) -> State:
        """The start of year 1 with the first seat's turn open."""
        from rules.grand_strategy.flow import open_game

        return open_game(first_state(scenario))

    def dump(self, state: State) -> dict[str, Json]:
        """Canonical JSON."""
        return states.dump(state)

    def load(self, raw: Mapping[str, Json]) -> State:
        """The inverse of `dump`. Raises `RulesError`."""
        return states.load(dict(raw))

    def factions(self, state: State) -> tuple[Faction, ...]:
        """All players in roster order."""
        return tuple(
            Faction(p.id, p.name, p.color, p.status == "in", tuple(filter(None, (p.state, *p.aliases))))
            for p in state.players.values()
        )

    def step(self, state: State) -> Step | None:
        """The open turn, card window or window."""
        return current_step(state)

    def missing(self, state: State, sheets: Sequence[Sheet]) -> list[Wait]:
        """Waits still open."""
        return missing_waits(state, sheets)

    def resolve(self, state: State, sheets: Sequence[Sheet], dice: Dice, *, closing: bool) -> Outcome:
        """Carries the sheets out; `closing` runs on until somebody is awaited again."""
        from rules.grand_strategy.flow import resolve

        return resolve(state, sheets, dice, closing=closing)

    def view(self, state: State, audience: Audience) -> View:
        """What the audience may know."""
        return make_view(state, audience)

    def order_language(self, view: View, kind: StepKind | None) -> OrderLanguage:
        """The reader of Russian orders for the view's faction."""
        from importlib import import_module

        language: OrderLanguage = import_module("rules.grand_strategy.language").order_language(view, kind)
        return language

    def check(self, view: View, kind: StepKind | None, commands: Sequence[Command]) -> list[Problem]:
        """The rules' objections, in the validation order of chapter 3."""
        from rules.grand_strategy.checks import check

        return check(view, kind, commands)

    def describe(self, view: View, command: Command) -> str:
        """The command as a short Russian line."""
        from rules.grand_strategy.describe import describe

        return describe(view.state, command)

    def map(self, view: View) -> MapModel | None:
        """The grid with this turn's movements and battles."""
        from rules.grand_strategy.mapview import grid_map

        return grid_map(view)

    def report(self, view: View, events: Sequence[Event], *, step: Step) -> Report:
        """The chronicle entry of a closed step or portion."""
        from rules.grand_strategy.reports import report

        return report(view, events, step)

    def standings(self, view: View) -> Report:
        """Players, lands, troops, buildings."""
        from rules.grand_strategy.standings import standings

        return standings(view)

    def rule_text(self, rule: str) -> str | None:
        """A short Russian sentence about a ruling."""
        found = data.table("rulings").get("ruling", {}).get(rule)
        return str(found) if found is not None else None


RULESET = GrandStrategy()
