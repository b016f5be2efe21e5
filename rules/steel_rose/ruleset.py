"""The `Ruleset` of «Война Стальной Розы»: a thin door to the modules that do the work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import cast

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
from rules.maps import GraphMap
from rules.report import Report
from rules.steel_rose import chart, checking, commands, describe, reports, rulings, steps
from rules.steel_rose import resolve as resolver
from rules.steel_rose import scenario as scenarios
from rules.steel_rose import state as states
from rules.steel_rose import view as views
from rules.steel_rose.data import game_data
from rules.steel_rose.state import State
from rules.steel_rose.view import View


class SteelRose:
    """Five factions, cities and roads, waves of battles in two posts each, nine turns."""

    id = "steel_rose"
    version = "1.0"
    title = "Война Стальной Розы"
    commands: CommandTypes = commands.COMMANDS
    templates = Path(__file__).parent / "templates"

    def load_scenario(self, source: Mapping[str, Json] | None) -> Scenario:
        return scenarios.load_scenario(source)

    def default_scenario_text(self) -> str:
        return scenarios.default_text()

    def new_game(self, scenario: Scenario) -> State:
        return scenarios.new_game(scenario)

    def dump(self, state: State) -> dict[str, Json]:
        return states.dump(state)

    def load(self, raw: Mapping[str, Json]) -> State:
        return states.load(raw)

    def factions(self, state: State) -> tuple[Faction, ...]:
        data = game_data().factions
        return tuple(
            Faction(f, owner.name_ru, data[f].colour, owner.playing, data[f].aliases) for f, owner in state.factions.items()
        )

    def step(self, state: State) -> Step | None:
        return steps.step(state)

    def missing(self, state: State, sheets: Sequence[Sheet]) -> list[Wait]:
        return steps.missing(state, sheets)

    def resolve(self, state: State, sheets: Sequence[Sheet], dice: Dice, *, closing: bool) -> Outcome:
        return resolver.resolve(state, sheets, dice, closing=closing)

    def view(self, state: State, audience: Audience) -> View:
        return views.view(state, audience)

    def order_language(self, view: View, kind: StepKind | None) -> OrderLanguage:
        language = import_module("rules.steel_rose.language")
        return cast(OrderLanguage, language.order_language(view, kind))

    def check(self, view: View, kind: StepKind | None, commands: Sequence[Command]) -> list[Problem]:
        return checking.check(view, kind, commands)

    def describe(self, view: View, command: Command) -> str:
        return describe.describe(view, command)

    def map(self, view: View) -> GraphMap:
        return chart.chart(view)

    def report(self, view: View, events: Sequence[Event], *, step: Step) -> Report:
        return reports.report(view, events, step=step)

    def standings(self, view: View) -> Report:
        return reports.standings(view)

    def rule_text(self, rule: str) -> str | None:
        return rulings.rule_text(rule)
