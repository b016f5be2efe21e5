"""Units and items that a command takes: known ones, the owner's, ready for use."""

from __future__ import annotations

from typing import cast, get_args

from rules.astral import commands as c
from rules.astral.catalog import Item, Slot
from rules.astral.judging.hearing import Hearing
from rules.astral.judging.refusal import refuse
from rules.astral.messages import word

SLOTS: tuple[Slot, ...] = get_args(Slot)


def require_units(hearing: Hearing, command: c.Attack | c.SetDefenceTactic) -> None:
    """R12: one of each kind, known and unlocked."""
    units, unlocked = hearing.view.catalog.units, hearing.me.unlocked
    chosen = {slot: cast("str | None", getattr(command, slot)) for slot in SLOTS}
    for slot, name in chosen.items():
        if name is None:
            refuse("E_UNIT_MISSING", at=slot, missing=word(f"missing_{slot}"))
    for slot, name in chosen.items():
        if name not in units or units[name].slot != slot:
            known = [units[i].name_ru for i in hearing.view.catalog.units_of(slot) if i in unlocked]
            named = units[name].name_ru if name in units else name
            refuse("E_UNIT_UNKNOWN", at=slot, unknown=word(f"unknown_{slot}"), name=named, units=", ".join(known))
    for slot, name in chosen.items():
        if name not in unlocked:
            unit = units[str(name)]
            refuse("E_UNIT_LOCKED", at=slot, name=unit.name_ru, locked=word(f"locked_{unit.gender}"))


def require_battle_items(hearing: Hearing, items: tuple[str, ...]) -> None:
    """R124: battle items at hand, or on their way to him."""
    for name in items:
        item = own_item(hearing, name, "items", incoming=True)
        if item.activation != "battle":
            refuse("E_ITEM_PASSIVE", "action" if item.activation == "action" else "text", "items", name=item.name_ru)
        require_ready(hearing, name, item)


def own_item(hearing: Hearing, name: str, at: str, *, incoming: bool = False) -> Item:
    """An item of the owner; with `incoming` also one on its way to him (R124)."""
    item = hearing.view.catalog.items.get(name)
    if item is None:
        refuse("E_ITEM_NOT_YOURS", at=at, name=name)
    if name not in hearing.me.items and not (incoming and name in hearing.incoming):
        refuse("E_ITEM_NOT_YOURS", at=at, name=item.name_ru)
    return item


def require_ready(hearing: Hearing, name: str, item: Item) -> None:
    """An item that rests from its last use can't be used."""
    held = hearing.me.items.get(name)
    if held is not None and held.ready > hearing.game.turn:
        refuse("E_ITEM_COOLDOWN", at="item", name=item.name_ru, turn=held.ready)
