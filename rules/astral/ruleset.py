"""The `Ruleset` of «Завоевание Астрала: Печати Хаоса»: a thin door to the modules that do the work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import cast

from parsers.types import Json, Problem
from rules.astral import chart, checking, commands, messages, reports, tables, turn
from rules.astral import describe as descriptions
from rules.astral import scenario as scenarios
from rules.astral import state as states
from rules.astral import view as views
from rules.astral.state import State
from rules.astral.view import View
from rules.base import (
    EVERYONE,
    GM,
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
from rules.maps import HeightMap
from rules.report import Report


class Astral:
    """«Завоевание Астрала»: worlds of shards, attacks by energy and height, runes by vote. One step a turn."""

    id = "astral"
    version = "1.0"
    title = "Завоевание Астрала: Печати Хаоса"
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
        owners = ((ident, state.owners[ident]) for ident in state.roster)
        return tuple(Faction(i, o.name, o.color, o.status != "eliminated", tuple(o.aliases)) for i, o in owners)

    def step(self, state: State) -> Step | None:
        """One step a turn: a sheet of every owner (R1). Those in Nothing may come back, but nobody waits for them alone."""
        living = [ident for ident in state.roster if state.owners[ident].status != "eliminated"]
        if state.finished is not None or not living:
            return None
        secret = "orders" in state.visibility.get("world_private", ("orders",))
        words = messages.report_words("step")
        waits = []
        for ident in living:
            active = state.owners[ident].status == "active"
            wait = Wait(
                id=f"orders:{ident}",
                faction=ident,
                title=words["wait" if active else "wait_nothing"],
                types=commands.PLAYER_TYPES if active else commands.NOTHING_TYPES,
                secret=secret,
                hours=state.settings.turn_hours,
                known_to=EVERYONE,
                silence=words["silence" if active else "silence_nothing"],
            )
            waits.append(wait)
        title = words["title"].format(turn=state.turn)
        return Step(f"t{state.turn:02d}", "turn", title, tuple(waits), anytime={GM: commands.GM_TYPES})

    def missing(self, state: State, sheets: Sequence[Sheet]) -> list[Wait]:
        """Active owners who haven't written; a step may close without those in Nothing."""
        step = self.step(state)
        sent = {sheet.issuer for sheet in sheets}
        waiting = [] if step is None else [wait for wait in step.waits if wait.faction not in sent]
        return [wait for wait in waiting if state.owners[wait.faction].status == "active"]

    def resolve(self, state: State, sheets: Sequence[Sheet], dice: Dice, *, closing: bool) -> Outcome:
        return turn.resolve(state, sheets, dice, closing=closing)

    def view(self, state: State, audience: Audience) -> View:
        return views.view(state, audience)

    def order_language(self, view: View, kind: StepKind | None) -> OrderLanguage:
        # Imported at the call: the rules themselves never need the reader of posts.
        language = import_module("rules.astral.language")
        return cast(OrderLanguage, language.order_language(view, kind))

    def check(self, view: View, kind: StepKind | None, commands: Sequence[Command]) -> list[Problem]:
        return checking.check(view, commands)

    def describe(self, view: View, command: Command) -> str:
        return descriptions.describe(view, command)

    def map(self, view: View) -> HeightMap:
        return chart.chart(view)

    def report(self, view: View, events: Sequence[Event], *, step: Step) -> Report:
        return reports.report(view, events, step)

    def standings(self, view: View) -> Report:
        return tables.standings(view)

    def rule_text(self, rule: str) -> str | None:
        return messages.rule_text(rule)
