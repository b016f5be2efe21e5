"""What is awaited now, as steps and waits of the campaign (§4.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.base import EVERYONE, Audience, FactionId, Sheet, Step, Wait, only
from rules.steel_rose.commands import COMMANDS
from rules.steel_rose.orders.base import EXECUTORS
from rules.steel_rose.resolve import PHASE_TYPES, answers, awaited
from rules.steel_rose.state import Battle, State
from rules.steel_rose.wording import texts

ONLY: dict[str, tuple[FactionId, ...]] = {
    "cast_spell": ("elves",),
    "ritual": ("cult",),
    "betray_ally": ("cult",),
    "move_camp": ("cult",),
    "move_mobile_city": ("ogres",),
    "garrison_mobile": ("ogres",),
    "allocate_powder": ("principality",),
}
"""Orders of one faction alone."""
NEVER: dict[str, tuple[FactionId, ...]] = {
    "build": ("ogres",),
    "sell_building": ("ogres",),
    "upgrade_city": ("ogres",),
    "restore_ruins": ("ogres",),
    "set_garrison_deployment": ("ogres",),
    "cleanse_corruption": ("ogres", "cult"),
    "hire_mercenary": ("ogres",),
    "choose_demons": ("ogres", "cult"),
}
"""Orders that a faction can never give."""


def words() -> Mapping[str, Any]:
    """Texts of steps and waits."""
    found: Mapping[str, Any] = texts()["steps"]
    return found


def step_id(state: State) -> str:
    """`t03`, `t03.w1.deployment`."""
    if state.phase == "orders":
        return f"t{state.turn:02d}"
    return f"t{state.turn:02d}.w{state.wave}.{state.phase}"


def step(state: State) -> Step | None:
    """The present step; None: the game is over."""
    waiting = awaited(state)
    if not waiting:
        return None
    title = words()[state.phase]["title"].format(turn=state.turn)
    return Step(step_id(state), state.phase, title, tuple(_wait(state, battle, faction) for battle, faction in waiting))


def _types(state: State, battle: Battle | None, faction: FactionId) -> tuple[str, ...]:
    if battle is None:
        names = [name for name in COMMANDS if COMMANDS[name] in EXECUTORS]
        return tuple(n for n in names if faction in ONLY.get(n, (faction,)) and faction not in NEVER.get(n, ()))
    names = [str(t.model_fields["type"].default) for t in PHASE_TYPES[state.phase]]
    if battle.attack.attacker != faction:
        names = [n for n in names if n not in ("skip_planning", "capture_choice")]
    return tuple(n for n in names if n != "allocate_powder" or faction == "principality")


def _wait(state: State, battle: Battle | None, faction: FactionId) -> Wait:
    said = words()[state.phase]
    hours = state.hours.get(state.phase, state.rules.deadline_hours[state.phase])
    known: Audience = EVERYONE if battle is None else only(*battle.sides)
    city = state.target_name(battle.id) if battle is not None else ""
    return Wait(
        id=f"{state.phase}:{faction}" if battle is None else f"{state.phase}:{battle.id}:{faction}",
        faction=faction,
        title=said["wait"].format(city=city),
        types=_types(state, battle, faction),
        secret=True,
        hours=hours,
        known_to=known,
        silence=said["silence"],
    )


def missing(state: State, sheets: Sequence[Sheet]) -> list[Wait]:
    """Waits that these sheets don't answer yet."""
    said = {sheet.issuer: sheet.commands for sheet in sheets}
    return [_wait(state, b, f) for b, f in awaited(state) if not answers(state, b, f, said.get(f, ()))]
