"""The book of spells: who may cast what at whom, the die and its corrections, and what each result does (R150–R178)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from rules.grand_strategy.commands import Cast
from rules.grand_strategy.data import Spell, opposite, spells, word
from rules.grand_strategy.moves import structure
from rules.grand_strategy.names import building_name, unit_name
from rules.grand_strategy.play import Play, Refusal
from rules.grand_strategy.state import Building, Effect, State, Unit
from rules.grand_strategy.strength import in_water

LEVEL_ORDER = ("silver", "gold", "mithril")


def modified(g: State, mage: Unit, school: str, die: int) -> int:
    """The corrected result: own or opposite school, amulet, controlled squads, at least 1 (R150, R96, R154)."""
    result = die
    if school == mage.school and result != 6:
        result += 1
    elif mage.school is not None and school in opposite(mage.school) and result != 1:
        result -= 1
    if mage.mithril and school == mage.school and result < 6:
        result += 1
    return max(1, result - penalty(g, mage))


def penalty(g: State, mage: Unit) -> int:
    """One for each controlled zombie squad, three for a dragon (R154)."""
    zombies = sum(u.controller == mage.id and u.type == "zombies" and u.owner == mage.owner for u in g.units.values())
    dragons = sum(u.controller == mage.id and u.type == "dragon" and u.owner is not None for u in g.units.values())
    dragons += sum(lair.state == "tamed" and lair.tamer == mage.id for lair in g.lairs.values())
    return zombies + g.settings.dragon_penalty * dragons


def immune(g: State, unit: Unit) -> bool:
    """Mages, mithril, and magic troops are beyond ordinary magic (R152)."""
    kind = g.utype(unit)
    return kind.kind == "mage" or unit.mithril or kind.magic


def unmoved(play: Play, unit: Unit) -> bool:
    """Hasn't moved in this turn."""
    return unit.steps == 0 or unit.moved != play.now


def cast(play: Play, player: str, order: Cast) -> bool:
    """One spell (R73). True when something came of it; the АД is spent either way (R157)."""
    g = play.g
    play.own_turn(player)
    mage = play.unit(player, order.mage)
    if g.utype(mage).kind != "mage":
        raise Refusal("mage_only")
    play.not_engaged(mage)
    play.need_action(mage)
    spell = spells().get(order.spell)
    if spell is None:
        raise Refusal("unknown_spell", text=order.spell)
    apply = SPELLS[spell.id](play, player, mage, spell, order)
    play.block(mage)
    if play.dry:
        return True
    die = play.roll(f"{spell.name}, {mage.id}")
    result = modified(g, mage, spell.school, die)
    outcome = spell.result[result - 1]
    name = unit_name(g, mage)
    target = unit_name(g, play.unit_id(order.target)) if order.target else None
    details = {"target_name": target, **apply(outcome)}
    play.emit("cast", spell.rule, mage=mage.id, owner=player, spell=spell.id, spell_name=spell.name, die=die, result=result,
              outcome=outcome, name=name, **details)  # fmt: skip
    return outcome not in ("none", "0", "mage_dead")


Apply = Callable[[str], dict[str, Any]]


def _range(play: Play, mage: Unit, spell: Spell, cell: str) -> None:
    distance = play.g.board.gap(mage.cell, cell)
    if spell.range is not None and distance > spell.range:
        raise Refusal("out_of_range", max=spell.range, d=distance)


def _troop(play: Play, player: str, mage: Unit, spell: Spell, order: Cast) -> Unit:
    """The target troop, in reach and not immune."""
    name = order.target or ""
    if not name and order.cell:
        there = play.g.units_at(play.cell(order.cell))
        name = there[0].id if there else order.cell
    unit = play.unit(player, name, own=False)
    _range(play, mage, spell, unit.cell)
    if immune(play.g, unit):
        raise Refusal("magic_immune", target=unit_name(play.g, unit, 2))
    return unit


def _fair_wind(play: Play, player: str, mage: Unit, spell: Spell, order: Cast) -> Apply:
    g = play.g
    unit = _troop(play, player, mage, spell, order)
    if not in_water(g, unit):
        raise Refusal("not_on_water")
    if not unmoved(play, unit):
        raise Refusal("already_moved", unit=unit_name(g, unit))

    def apply(outcome: str) -> dict[str, Any]:
        around = g.board.square(unit.cell) if outcome == "area" else ()
        near = [u for u in g.units.values() if u.cell in around and u.id != unit.id]
        touched = [u for u in near if in_water(g, u) and unmoved(play, u) and not immune(g, u)]
        chosen = [] if outcome == "none" else [unit, *touched]
        for one in chosen:
            _effect(g, Effect(spell.id, player, unit=one.id))
        return {"target": unit.id, "units": [u.id for u in chosen]}

    return apply


def _effect(g: State, effect: Effect) -> None:
    """A spell on the same thing replaces its earlier self, except ghosts, which add up."""
    if effect.spell != "ghost_warrior":
        g.effects = [e for e in g.effects if (e.spell, e.unit, e.player) != (effect.spell, effect.unit, effect.player)]
    g.effects.append(effect)


def _storm(play: Play, player: str, mage: Unit, spell: Spell, order: Cast) -> Apply:
    g = play.g
    centre = order.cell
    if centre is None and order.target is not None:
        centre = play.unit(player, order.target, own=False).cell
    centre = play.cell(centre or "?")
    _range(play, mage, spell, centre)

    def apply(outcome: str) -> dict[str, Any]:
        cells = g.board.square(centre)
        hit = [u for u in g.units.values() if u.cell in cells and in_water(g, u) and not immune(g, u)]
        hit.sort(key=lambda u: g.board.order(u.cell))
        names = {u.id: unit_name(g, u) for u in hit}
        if outcome == "sleep":
            for unit in hit:
                play.block(unit)
        elif outcome == "sunk":
            for unit in hit:
                play.remove_unit(unit.id)
        return {"cell": centre, "units": [u.id for u in hit] if outcome != "none" else [], "names": list(names.values())}

    return apply


def _call_dragon(play: Play, player: str, mage: Unit, spell: Spell, order: Cast) -> Apply:
    g = play.g
    lair = g.lairs.get(mage.cell)
    if lair is None or lair.state != "home":
        raise Refusal("no_dragon_here")

    def apply(outcome: str) -> dict[str, Any]:
        if outcome == "mage_dead":
            play.remove_unit(mage.id)
        elif outcome == "dragon_dead":
            lair.state = "dead"
        elif outcome == "tamed":
            lair.state, lair.tamer = "tamed", mage.id
        return {"cell": lair.cell}

    return apply


def _dispel_dragon(play: Play, player: str, mage: Unit, spell: Spell, order: Cast) -> Apply:
    g = play.g
    dragon = g.units.get(play.unit_id(order.target or ""))
    if dragon is None or dragon.type != "dragon" or dragon.controller is None or dragon.owner is None:
        raise Refusal("not_dragon")
    if dragon.owner == player:
        raise Refusal("own_dragon")
    _range(play, mage, spell, dragon.cell)

    def apply(outcome: str) -> dict[str, Any]:
        if outcome == "freed":
            dragon.fly_after, dragon.owner, dragon.controller, dragon.blocked = dragon.owner, None, None, None
        return {"target": dragon.id, "cell": dragon.cell}

    return apply


def _gift_of_freedom(play: Play, player: str, mage: Unit, spell: Spell, order: Cast) -> Apply:
    g = play.g
    names = list(order.targets or ([order.target] if order.target else []))
    chosen: list[Unit] = []
    if not names:
        chosen = [u for u in g.units_of(player) if u.controller == mage.id]
    for name in names:
        unit = g.units.get(play.unit_id(name))
        if unit is None or unit.controller != mage.id:
            raise Refusal("not_controlled", unit=unit_name(g, unit) if unit else name)
        chosen.append(unit)
    asleep = [lair for lair in g.lairs.values() if lair.state == "tamed" and lair.tamer == mage.id and not names]
    if not chosen and not asleep:
        raise Refusal("not_controlled", unit="Никто")

    def apply(outcome: str) -> dict[str, Any]:
        if outcome == "freed":
            for lair in asleep:
                lair.state, lair.tamer = "home", None
            for unit in chosen:
                if unit.type == "dragon":
                    unit.owner, unit.controller, unit.leaving, unit.blocked = None, None, True, None
                else:
                    play.remove_unit(unit.id)
        return {"units": [u.id for u in chosen]}

    return apply


def _sleep_fog(play: Play, player: str, mage: Unit, spell: Spell, order: Cast) -> Apply:
    g = play.g
    unit = _troop(play, player, mage, spell, order)

    def apply(outcome: str) -> dict[str, Any]:
        cells = g.board.square(unit.cell) if outcome == "area" else ()
        around = [u for u in g.units.values() if u.id != unit.id and u.cell in cells and not immune(g, u)]
        hit = [] if outcome == "none" else [unit, *around]
        for one in hit:
            play.block(one)
        return {"target": unit.id, "units": [u.id for u in hit], "names": [unit_name(g, u) for u in hit]}

    return apply


def _ghost_warrior(play: Play, player: str, mage: Unit, spell: Spell, order: Cast) -> Apply:
    unit = _troop(play, player, mage, spell, order)

    def apply(outcome: str) -> dict[str, Any]:
        if outcome != "none":
            _effect(play.g, Effect(spell.id, player, unit=unit.id, value=int(outcome), until="turn"))
        return {"target": unit.id}

    return apply


def _earthquake(play: Play, player: str, mage: Unit, spell: Spell, order: Cast) -> Apply:
    building = play.building(None, order.cell or order.target or "?")
    _range(play, mage, spell, building.cell)

    def apply(outcome: str) -> dict[str, Any]:
        before, name = building.type, building_name(play.g, building)
        after: str | None = building.type
        if outcome != "none":
            after = play.lower(building, int(outcome))
        return {"cell": building.cell, "before": before, "after": after or "removed", "target_name": name}

    return apply


def _enchanted_weapon(play: Play, player: str, mage: Unit, spell: Spell, order: Cast) -> Apply:
    unit = _troop(play, player, mage, spell, order)
    actions = list(dict.fromkeys(order.actions or ()))
    if not 1 <= len(actions) <= 2:
        raise Refusal("bad_actions")

    def apply(outcome: str) -> dict[str, Any]:
        given = actions[: int(outcome)] if outcome != "none" else []
        if given:
            until = "turn" if play.g.settings.enchanted_weapon_duration == "turn_or_first_battle" else "circle"
            _effect(play.g, Effect(spell.id, player, unit=unit.id, actions=list(given), until=until, first_battle=True))  # type: ignore[arg-type]
        return {"target": unit.id, "actions": list(given)}

    return apply


def _rage_shield(play: Play, player: str, mage: Unit, spell: Spell, order: Cast) -> Apply:
    unit = _troop(play, player, mage, spell, order)

    def apply(outcome: str) -> dict[str, Any]:
        if outcome != "none":
            _effect(play.g, Effect(spell.id, player, unit=unit.id, first_battle=outcome == "battle"))
        return {"target": unit.id}

    return apply


def _find_vein(play: Play, player: str, mage: Unit, spell: Spell, order: Cast) -> Apply:
    g = play.g
    cell = mage.cell
    if cell not in g.map.sites or cell in g.buildings:
        raise Refusal("no_mine_site", cell=cell)

    def apply(outcome: str) -> dict[str, Any]:
        found = None
        if outcome != "none":
            best = min(LEVEL_ORDER.index(outcome), LEVEL_ORDER.index(g.map.sites[cell]))
            old = LEVEL_ORDER.index(g.veins[cell]) if cell in g.veins else -1
            found = LEVEL_ORDER[max(best, old)]
            g.veins[cell] = found
            if LEVEL_ORDER.index(found) > old:
                g.effects.append(Effect(spell.id, player, actions=[cell]))
        return {"cell": cell, "found": found}

    return apply


def _tireless_water(play: Play, player: str, mage: Unit, spell: Spell, order: Cast) -> Apply:
    g = play.g
    unit = _troop(play, player, mage, spell, order)
    if not unmoved(play, unit):
        raise Refusal("already_moved", unit=unit_name(g, unit))

    def apply(outcome: str) -> dict[str, Any]:
        cells = g.board.square(unit.cell) if outcome == "area" else ()
        around = [u for u in g.units.values() if u.id != unit.id and u.cell in cells and unmoved(play, u) and not immune(g, u)]
        chosen = [] if outcome == "none" else [unit, *around]
        for one in chosen:
            _effect(g, Effect(spell.id, player, unit=one.id))
        return {"target": unit.id, "units": [u.id for u in chosen]}

    return apply


def _on_player(play: Play, player: str, mage: Unit, spell: Spell, order: Cast) -> Apply:
    target = play.player(order.player or "", "bad_recipient", "spell")

    def apply(outcome: str) -> dict[str, Any]:
        if outcome != "none":
            # The latest of «Безопасный путь» and «Дорожные тревоги» replaces the other (R178).
            play.g.effects = [e for e in play.g.effects if not (e.player == target and e.spell in ("safe_road", "road_troubles"))]
            effect = Effect(spell.id, player, player=target, until="turn" if outcome == "turn" else "circle")
            if spell.id == "road_troubles":
                effect.actions = [outcome]
            play.g.effects.append(effect)
        return {"player": target}

    return apply


def _raise_zombies(play: Play, player: str, mage: Unit, spell: Spell, order: Cast) -> Apply:
    g = play.g
    cell = play.cell(order.cell or "?")
    _range(play, mage, spell, cell)
    if cell not in g.board.near(mage.cell) or g.board.is_sea(cell):
        raise Refusal("out_of_range", max=1, d=g.board.gap(mage.cell, cell))
    if cell in g.buildings or not _grave_room(g, player, cell):
        inside = g.units_at(cell)
        raise Refusal("cell_occupied", cell=cell, unit=unit_name(g, inside[0]) if inside else building_name(g, cell))
    if not _grave(g, cell):
        raise Refusal("no_building_near", cell=cell)

    def apply(outcome: str) -> dict[str, Any]:
        placed = []
        spots = [cell, *([order.overflow] if order.overflow else []), *g.board.near(mage.cell)]
        for _ in range(int(outcome)):
            spot = next((s for s in spots if _valid_grave(g, player, mage, s)), None)
            if spot is None:
                break
            unit = Unit(play.new_id(), "zombies", spot, player, controller=mage.id)
            play.block(unit)
            g.units[unit.id] = unit
            placed.append([unit.id, spot])
        for unit_id, _spot in placed:
            play.happened("arrived", unit=unit_id)
        return {"cell": cell, "placed": placed}

    return apply


def _grave_room(g: State, player: str, cell: str) -> int:
    """How many more squads fit on the cell."""
    there = g.units_at(cell)
    if not there:
        return 2
    return 1 if len(there) == 1 and there[0].type == "zombies" and there[0].owner == player else 0


def _grave(g: State, cell: str) -> bool:
    return any(structure(g, c) is not None for c in g.board.square(cell) if c != cell)


def _valid_grave(g: State, player: str, mage: Unit, cell: str) -> bool:
    return (
        cell in g.board.near(mage.cell)
        and not g.board.is_sea(cell)
        and cell not in g.buildings
        and _grave(g, cell)
        and _grave_room(g, player, cell) > 0
    )


def _turn_to_dust(play: Play, player: str, mage: Unit, spell: Spell, order: Cast) -> Apply:
    g = play.g
    near = [u for u in g.units.values() if u.type == "zombies" and g.board.gap(mage.cell, u.cell) <= (spell.range or 0)]
    if order.targets or order.target:
        names = [play.unit_id(n) for n in (order.targets or (order.target or "",))]
        chosen = [u for n in names for u in near if u.id == n]
    else:
        chosen = sorted(
            (u for u in near if u.owner != player), key=lambda u: (g.board.gap(mage.cell, u.cell), g.board.order(u.cell))
        )
    if not chosen:
        raise Refusal("no_zombies")

    def apply(outcome: str) -> dict[str, Any]:
        gone = [u.id for u in chosen[: int(outcome)]]
        for unit_id in gone:
            play.remove_unit(unit_id)
        return {"units": gone}

    return apply


SPELLS: dict[str, Callable[[Play, str, Unit, Spell, Cast], Apply]] = {
    "fair_wind": _fair_wind,
    "storm": _storm,
    "call_dragon": _call_dragon,
    "dispel_dragon": _dispel_dragon,
    "gift_of_freedom": _gift_of_freedom,
    "sleep_fog": _sleep_fog,
    "ghost_warrior": _ghost_warrior,
    "earthquake": _earthquake,
    "enchanted_weapon": _enchanted_weapon,
    "rage_shield": _rage_shield,
    "find_vein": _find_vein,
    "tireless_water": _tireless_water,
    "safe_road": _on_player,
    "raise_zombies": _raise_zombies,
    "turn_to_dust": _turn_to_dust,
    "road_troubles": _on_player,
}


def transfer_tax(g: State, sender: str) -> Fraction:
    """The share of a sum that is lost on the way (R31, R175, R178)."""
    for effect in g.effects:
        if effect.player == sender:
            if effect.spell == "safe_road":
                return Fraction(0)
            if effect.spell == "road_troubles":
                return Fraction(effect.actions[0])
    return Fraction(*g.settings.transfer_tax)


def school_name(school: str | None) -> str:
    """«Леса», «Гор», …"""
    return word("school", school) if school else ""


__all__ = ["SPELLS", "Building", "cast", "immune", "modified", "transfer_tax"]
