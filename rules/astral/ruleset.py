"""The `Ruleset` of «Завоевание Астрала: Печати Хаоса»."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import cast

from parsers.types import Json
from rules.astral import commands, scenario, state
from rules.astral import view as views
from rules.astral.state import State
from rules.astral.view import View
from rules.base import (
    EVERYONE,
    GM,
    Audience,
    CommandTypes,
    Faction,
    OrderLanguage,
    Scenario,
    Sheet,
    Step,
    StepKind,
    Wait,
)


class Astral:
    """«Завоевание Астрала»: worlds of shards, attacks by energy and height, runes by vote. One step a turn."""

    id = "astral"
    version = "1.0"
    title = "Завоевание Астрала: Печати Хаоса"
    commands: CommandTypes = commands.COMMANDS
    templates = Path(__file__).parent / "templates"

    def load_scenario(self, source: Mapping[str, Json] | None) -> Scenario:
        return scenario.load_scenario(source)

    def default_scenario_text(self) -> str:
        return scenario.default_text()

    def new_game(self, scenario_: Scenario) -> State:
        return scenario.new_game(scenario_)

    def dump(self, state_: State) -> dict[str, Json]:
        return state.dump(state_)

    def load(self, raw: Mapping[str, Json]) -> State:
        return state.load(raw)

    def factions(self, state_: State) -> tuple[Faction, ...]:
        owners = ((ident, state_.owners[ident]) for ident in state_.roster)
        return tuple(Faction(i, o.name, o.color, o.status != "eliminated", tuple(o.aliases)) for i, o in owners)

    def step(self, state_: State) -> Step | None:
        """One step a turn: a sheet of every owner (R1). Those in Nothing may come back, but nobody waits for them alone."""
        living = [ident for ident in state_.roster if state_.owners[ident].status != "eliminated"]
        if state_.finished is not None or not living:
            return None
        secret = "orders" in state_.visibility.get("world_private", ("orders",))
        waits = []
        for ident in living:
            active = state_.owners[ident].status == "active"
            waits.append(
                Wait(
                    id=f"orders:{ident}",
                    faction=ident,
                    title="заявка" if active else "заявка (мир в Ничто)",
                    types=commands.PLAYER_TYPES if active else commands.NOTHING_TYPES,
                    secret=secret,
                    hours=state_.settings.turn_hours,
                    known_to=EVERYONE,
                    silence="пропущенный ход" if active else "мир остаётся в Ничто",
                )
            )
        return Step(
            id=f"t{state_.turn:02d}",
            kind="turn",
            title=f"Ход {state_.turn}: заявки",
            waits=tuple(waits),
            anytime={GM: commands.GM_TYPES},
        )

    def missing(self, state_: State, sheets: Sequence[Sheet]) -> list[Wait]:
        step = self.step(state_)
        if step is None:
            return []
        sent = {sheet.issuer for sheet in sheets}
        waiting = [wait for wait in step.waits if wait.faction not in sent]
        return [wait for wait in waiting if state_.owners[wait.faction].status == "active"]

    def view(self, state_: State, audience: Audience) -> View:
        return views.view(state_, audience)

    def order_language(self, view_: View, kind: StepKind | None) -> OrderLanguage:
        # Imported at the call: the rules themselves never need the reader of posts.
        language = import_module("rules.astral.language")
        return cast(OrderLanguage, language.order_language(view_, kind))
