"""What a sheet itself changes before the battles, as its owner can foresee it: heights and the extra main action."""

from __future__ import annotations

from collections.abc import Sequence, Set

from rules.astral import commands as c
from rules.astral import effects
from rules.astral.catalog import Usable
from rules.astral.view import View
from rules.base import Command, FactionId


def planned_heights(view: View, commands: Sequence[Command]) -> dict[FactionId, int]:
    """All heights as the owner can expect them before the battles: acting runes, then his own height changes (R9)."""
    game = view.game
    heights = {ident: owner.height for ident, owner in game.owners.items()}
    for rune in game.acting_runes():
        for effect in view.catalog.runes[rune].effects:
            if effect.phase == 1 and effect.op in ("height_set", "height_change"):
                for ident in game.active():
                    start = heights[ident] if effect.op == "height_change" else 0
                    heights[ident] = effects.clamp_height(game, start + int(effect.value))
    for command in commands:
        usable = _used(view, command)
        if usable is None or usable.phase > 1:
            continue
        for effect in usable.effects:
            if effect.op in ("height_set", "height_change"):
                target = getattr(command, "target_owner", None) if effect.on == "target" else view.reader
                if target in heights:
                    start = heights[target] if effect.op == "height_change" else 0
                    heights[target] = effects.clamp_height(game, start + int(effect.value))
    return heights


def extra_main(view: View, commands: Sequence[Command], incoming: Set[str]) -> bool:
    """True when the sheet uses something that allows a second main action (R4), or a rune gives it to all.

    `incoming`: items that other sheets of this turn transfer to the owner."""
    for command in commands:
        usable = _used(view, command)
        if usable is None and isinstance(command, c.UseItem) and command.item in incoming:
            usable = view.catalog.items[command.item]
        if usable is not None and usable.has("extra_main_action"):
            return True
    runes = (view.catalog.runes[rune] for rune in view.game.acting_runes())
    return any(effect.op == "extra_main_action" for rune in runes for effect in rune.effects)


def _used(view: View, command: Command) -> Usable | None:
    """The item or feature that a command uses, if the owner has it ready."""
    game, me = view.game, view.me
    if me is None:
        return None
    if isinstance(command, c.UseItem) and command.item in me.items and me.items[command.item].ready <= game.turn:
        item = view.catalog.items[command.item]
        return item if item.activation == "action" else None
    if isinstance(command, c.UseFeature) and command.shard in me.shards:
        place = game.shards[command.shard]
        if command.feature in place.features and place.ready.get(command.feature, 0) <= game.turn:
            feature = view.catalog.features[command.feature]
            return feature if feature.activation == "action" else None
    return None
