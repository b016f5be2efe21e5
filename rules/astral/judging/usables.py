"""Items and features with an action (R90, R91, R98)."""

from __future__ import annotations

from rules.astral import commands as c
from rules.astral.catalog import Usable
from rules.astral.judging.equipment import own_item, require_ready
from rules.astral.judging.hearing import Hearing
from rules.astral.judging.refusal import refuse
from rules.astral.judging.targets import existing_shard, require_owner
from rules.astral.judging.verdicts import Judged


def use_item(hearing: Hearing, command: c.UseItem) -> Judged:
    """The use of an item (R90): as often as it has uses, once where it rests afterwards."""
    item = own_item(hearing, command.item, "item", incoming=True)
    if item.activation != "action":
        refuse("E_ITEM_PASSIVE", "battle" if item.activation == "battle" else "text", "item", name=item.name_ru)
    held = hearing.me.items.get(command.item)
    used = sum(earlier.item == command.item for earlier in hearing.given(c.UseItem))
    require_ready(hearing, command.item, item)
    if used and item.cooldown:
        refuse("E_ITEM_COOLDOWN", at="item", name=item.name_ru, turn=hearing.game.turn + item.cooldown + 1)
    if held is not None and held.uses and used >= held.uses:
        refuse("E_ITEM_NOT_YOURS", at="item", name=item.name_ru)
    _require_target(hearing, item, command)
    return hearing.accept(command, item.price)


def use_feature(hearing: Hearing, command: c.UseFeature) -> Judged:
    """The use of an особенность of an own shard (R98)."""
    place = existing_shard(hearing, command.shard)
    if command.shard not in hearing.me.shards:
        refuse("E_SHARD_NOT_YOURS", at="shard", name=place.label)
    if command.feature not in place.features:
        refuse("E_FEATURE_UNKNOWN", at="feature", name=place.label)
    feature = hearing.view.catalog.features[command.feature]
    if feature.activation != "action":
        refuse("E_ITEM_PASSIVE", at="feature", name=feature.name_ru)
    ready = place.ready.get(command.feature, 0)
    used = {(earlier.shard, earlier.feature) for earlier in hearing.given(c.UseFeature)}
    if (command.shard, command.feature) in used and feature.cooldown:
        ready = hearing.game.turn + feature.cooldown + 1
    if ready > hearing.game.turn:
        refuse("E_ITEM_COOLDOWN", at="feature", name=feature.name_ru, turn=ready)
    _require_target(hearing, feature, command)
    return hearing.accept(command, feature.price)


def _require_target(hearing: Hearing, usable: Usable, command: c.UseItem | c.UseFeature) -> None:
    """R91: the target that the thing needs."""
    if usable.target == "owner":
        if command.target_owner is None:
            refuse("E_ITEM_TARGET", at="target_owner", name=usable.name_ru, absent=True)
        require_owner(hearing, command.target_owner, "target_owner", self_allowed=True)
    elif usable.target == "neutral":
        _require_target_shard(hearing, usable, command, "neutral")
    if usable.target == "own" or usable.has("reorder_shard"):
        _require_target_shard(hearing, usable, command, "own")


def _require_target_shard(hearing: Hearing, usable: Usable, command: c.UseItem | c.UseFeature, kind: str) -> None:
    """A shard of this kind: `neutral` or `own`."""
    if command.target_shard is None:
        refuse("E_ITEM_TARGET", kind, "target_shard", name=usable.name_ru, absent=True)
    place = existing_shard(hearing, command.target_shard, "target_shard")
    fits = place.status == "neutral" if kind == "neutral" else command.target_shard in hearing.me.shards
    if not fits:
        refuse("E_ITEM_TARGET", kind, "target_shard", name=usable.name_ru)
