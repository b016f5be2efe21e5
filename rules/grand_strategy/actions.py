"""Active actions of troops and buildings: attack, siege, build, hire, levels and the rest (R57, R60–R72, R79–R89)."""

from __future__ import annotations

from rules.grand_strategy.commands import (
    Annex,
    Attack,
    Build,
    Deepen,
    Disband,
    Downgrade,
    ForgeMithril,
    GarrisonAttack,
    Hire,
    LiftSiege,
    Siege,
    Upgrade,
)
from rules.grand_strategy.data import plural, word
from rules.grand_strategy.moves import port
from rules.grand_strategy.names import building_name, building_type_name, object_name, player_name, type_name, unit_name
from rules.grand_strategy.play import Play, Refusal
from rules.grand_strategy.state import Building, BuildingType, Declared, State, Unit, Work

LEVELS = {"silver": 1, "gold": 2, "mithril": 3}


def _not_magic(play: Play, unit: Unit) -> None:
    if play.g.utype(unit).magic:
        raise Refusal("magic_cannot")


# ------------------------------------------------------------------------------------------------ battle


def attack(play: Play, player: str, order: Attack) -> None:
    """Declares battle on one adjacent troop or building (R60); a troop that stormed in may add its choices."""
    g = play.g
    play.open_turn()
    unit = play.unit(player, order.unit)
    play.not_engaged(unit)
    target, kind = find_target(play, order.target)
    for declared in g.attacks:
        mine = declared.kind == "unit" and declared.attacker == unit.id
        if mine and (declared.target_kind, declared.target) == (kind, target):
            _choices(declared, order)
            return
    play.need_action(unit)
    if not kind:
        lair = g.lairs.get(target) or g.lairs.get(target.removeprefix("dragon_"))
        if lair is not None and lair.state in ("home", "tamed"):
            raise Refusal("no_such_target", "lair", cell=lair.cell)
        raise Refusal("no_such_target", cell=target)
    if kind == "unit" and target == unit.id:
        raise Refusal("self_target")
    at = g.units[target].cell if kind == "unit" else target
    distance = g.board.gap(unit.cell, at)
    if distance and at not in g.board.near(unit.cell):
        name = unit_name(g, target) if kind == "unit" else building_name(g, target)
        raise Refusal("target_too_far", target=name, d=max(distance - 1, 1), cells=plural(max(distance - 1, 1), "cell"))
    play.block(unit)
    unit.siege = None
    declared = Declared("unit", unit.id, player, "unit" if kind == "unit" else "building", target)
    _choices(declared, order)
    g.attacks.append(declared)
    play.emit("attack_declared", "R60", unit=unit.id, owner=player, target=target, target_kind=kind, assault=False,
              name=unit_name(g, unit), target_name=object_name(g, target))  # fmt: skip
    _own_target(play, player, target, kind)
    play.happened("attack_declared_on", target=target, unit=unit.id)


def _choices(declared: Declared, order: Attack) -> None:
    declared.capture, declared.preserve = order.capture, order.preserve
    declared.ally = list(order.ally or declared.ally)
    declared.cards = list(order.cards) if order.cards is not None else declared.cards


def find_target(play: Play, name: str) -> tuple[str, str]:
    """A target's id or cell and its kind (`unit`, `building`); an empty kind when there is nothing."""
    found = play.unit_id(name)
    if found in play.g.units:
        return found, "unit"
    if found in play.g.buildings:
        return found, "building"
    if found in play.g.board:
        there = play.g.units_at(found)
        if there:
            return there[0].id, "unit"
    return found, ""


def _own_target(play: Play, player: str, target: str, kind: str) -> None:
    """What its own owner attacks becomes neutral at once (R62)."""
    if kind == "unit" and play.g.units[target].owner == player:
        play.set_owner(play.g.units[target], None)
        play.emit("neutral", "R62", object=target, owner=player, name=unit_name(play.g, target))
    elif kind == "building" and play.g.buildings[target].owner == player:
        play.set_building_owner(play.g.buildings[target], None)
        play.emit("neutral", "R62", object=target, owner=player, name=building_name(play.g, target))


def garrison_attack(play: Play, player: str, order: GarrisonAttack) -> None:
    """The garrison attacks a troop on its own cell (R89)."""
    play.open_turn()
    building = play.building(player, order.building)
    play.not_engaged(building, attackers=True)
    play.need_action(building)
    unit = play.g.units.get(play.unit_id(order.target))
    if unit is None or unit.cell != building.cell:
        raise Refusal("target_not_on_cell")
    declare_garrison(play, building, unit, "R89")


def declare_garrison(play: Play, building: Building, unit: Unit, rule: str) -> None:
    """The declaration itself, also for the automatic one (R91)."""
    play.block(building)
    play.g.attacks.append(Declared("garrison", building.cell, building.owner, "unit", unit.id))
    play.emit("attack_declared", rule, garrison=building.cell, owner=building.owner, target=unit.id, target_kind="unit",
              assault=False, name=building_name(play.g, building), target_name=unit_name(play.g, unit))  # fmt: skip
    if building.owner is not None:
        _own_target(play, building.owner, unit.id, "unit")
    play.happened("attack_declared_on", target=unit.id, unit=building.cell)


# ------------------------------------------------------------------------------------------------ siege


def siege(play: Play, player: str, order: Siege) -> None:
    """Besieges a foreign дом лорда within reach (R63)."""
    g = play.g
    play.own_turn(player)
    unit = play.unit(player, order.unit)
    building = play.building(None, order.building)
    _not_magic(play, unit)
    if not g.btype(building).house:
        raise Refusal("not_lord_house", cell=building.cell)
    play.not_engaged(unit)
    play.need_action(unit)
    if building.owner == player:
        raise Refusal("own_building")
    if not 1 <= g.board.gap(unit.cell, building.cell) <= g.settings.siege_range:
        raise Refusal("target_too_far", "siege", building=building_name(g, building))
    play.block(unit)
    unit.siege = building.cell
    play.emit("siege", "R63", unit=unit.id, owner=player, building=building.cell, name=unit_name(g, unit),
              building_name=building_name(g, building, 2))  # fmt: skip


def lift_siege(play: Play, player: str, order: LiftSiege) -> None:
    """Ends a siege; no АД (R64)."""
    play.own_turn(player)
    unit = play.unit(player, order.unit)
    if unit.siege is None or (order.building is not None and unit.siege != order.building):
        target = order.building or "ничего"
        name = building_name(play.g, target, 2) if order.building in play.g.buildings else target
        raise Refusal("target_too_far", "lift", unit=unit_name(play.g, unit), building=name)
    play.emit("siege_lifted", "R64", unit=unit.id, owner=player, building=unit.siege, name=unit_name(play.g, unit))
    unit.siege = None


def besieged(g: State, cell: str) -> bool:
    """True while somebody besieges the house (R88)."""
    return any(u.siege == cell for u in g.units.values())


# ------------------------------------------------------------------------------------------------ building


def build(play: Play, player: str, order: Build) -> None:
    """Orders a building on the troop's cell; it appears after the battles (R65–R68)."""
    g = play.g
    play.own_turn(player)
    unit = play.unit(player, order.unit)
    _not_magic(play, unit)
    if order.what in ("manor", "castle", "city"):
        raise Refusal("cannot_build_directly", what=building_type_name(g, order.what))
    play.not_engaged(unit, attackers=False)
    play.need_action(unit)
    cell = unit.cell
    if g.board.is_sea(cell) or unit.afloat:
        raise Refusal("not_on_land")
    if cell in g.buildings:
        raise Refusal("cell_has_building", cell=cell, building=building_type_name(g, g.buildings[cell].type))
    if any(w.kind == "build" and w.cell == cell for w in g.works):
        raise Refusal("cell_has_building", cell=cell, building="стройка")
    if order.what == "mine":
        kind, sure = _mine(play, cell, order.level)
    else:
        kind, sure = g.building_types[order.what], True
        room(g, kind, cell)
    play.pay(player, kind.cost)
    play.block(unit)
    g.works.append(Work("build", cell, player, kind.id, unit.id, kind.cost, sure))
    play.emit("work_ordered", "R65", kind="build", what=kind.id, cell=cell, unit=unit.id, owner=player, cost=kind.cost,
              name=unit_name(g, unit))  # fmt: skip


def _mine(play: Play, cell: str, level: str | None) -> tuple[BuildingType, bool]:
    g = play.g
    if cell not in g.map.sites:
        raise Refusal("no_mine_site", cell=cell)
    lair = g.lairs.get(cell)
    if lair is not None and lair.state != "dead":
        raise Refusal("dragon_here")
    wanted = level or "silver"
    if LEVELS[wanted] > LEVELS[g.map.sites[cell]]:
        raise Refusal("level_not_available", max=word("level", g.map.sites[cell]))
    # A vein counts from its finder's next turn on (R173).
    fresh = any(e.spell == "find_vein" and cell in e.actions for e in g.effects)
    found = None if fresh else g.veins.get(cell)
    return g.building_types[f"mine_{wanted}"], found is not None and LEVELS[found] >= LEVELS[wanted]


def room(g: State, kind: BuildingType, cell: str) -> None:
    """Distances and one house a province, ordered works counted too (R75, R76, R79). Raises `Refusal`."""
    others = [(b.cell, g.btype(b)) for b in g.buildings.values()]
    others += [(w.cell, g.building_types[w.what]) for w in g.works if w.kind == "build"]
    for there, other in sorted(others, key=lambda item: g.board.order(item[0])):
        if other.mine or kind.mine:
            continue
        outposts = (kind.klass == "outpost") + (other.klass == "outpost")
        if outposts == 1:
            continue
        need = g.settings.min_cells_between_outposts if outposts == 2 else g.settings.min_cells_between_buildings
        if g.board.gap(cell, there) <= need:
            raise Refusal("too_close", cell=there, n=need, cells=plural(need, "cell"))
    if kind.house:
        number = g.board.province[cell]
        for there, other in others:
            if other.house and g.board.province[there] == number:
                name = g.board.provinces[number].name if number in g.board.provinces else str(number)
                raise Refusal("province_has_house", province=name, cell=there)


def upgrade(play: Play, player: str, order: Upgrade) -> None:
    """One level more after the battles (R81)."""
    g = play.g
    play.own_turn(player)
    building = play.building(player, order.building)
    if not g.btype(building).house:
        raise Refusal("not_lord_house", cell=building.cell)
    play.not_engaged(building, attackers=True)
    play.need_action(building)
    if next_house(g, building) is None:
        raise Refusal("max_level")
    play.pay(player, g.settings.upgrade_cost)
    play.block(building)
    g.works.append(Work("upgrade", building.cell, player, paid=g.settings.upgrade_cost))
    play.emit("work_ordered", "R81", kind="upgrade", cell=building.cell, owner=player, cost=g.settings.upgrade_cost,
              name=building_name(g, building))  # fmt: skip


def next_house(g: State, building: Building) -> str | None:
    """The type one level above a дом лорда."""
    level = g.btype(building).level
    return next((t.id for t in g.ladder("lord_house") if t.level > level), None)


def deepen(play: Play, player: str, order: Deepen) -> None:
    """Pays the difference; one half after the battles (R82)."""
    g = play.g
    play.own_turn(player)
    building = play.building(player, order.building)
    kind = g.btype(building)
    if not kind.mine:
        raise Refusal("not_mine")
    play.not_engaged(building, attackers=True)
    play.need_action(building)
    if LEVELS[order.level] <= kind.level:
        raise Refusal("not_deeper")
    site = g.map.sites.get(building.cell, "mithril")
    if LEVELS[order.level] > LEVELS[site]:
        raise Refusal("level_not_available", max=word("level", site))
    target = g.building_types[f"mine_{order.level}"]
    cost = target.cost - kind.cost
    play.pay(player, cost)
    play.block(building)
    g.works.append(Work("deepen", building.cell, player, target.id, paid=cost))
    play.emit("work_ordered", "R82", kind="deepen", what=target.id, cell=building.cell, owner=player, cost=cost,
              name=building_name(g, building))  # fmt: skip


def downgrade(play: Play, player: str, order: Downgrade) -> None:
    """One level less after the battles (R83)."""
    play.own_turn(player)
    building = play.building(player, order.building)
    play.not_engaged(building, attackers=True)
    play.spend(building)
    play.g.works.append(Work("downgrade", building.cell, player))
    play.emit(
        "work_ordered", "R83", kind="downgrade", cell=building.cell, owner=player, cost=0, name=building_name(play.g, building)
    )


def hire(play: Play, player: str, order: Hire) -> None:
    """Hires a troop, or restores a личное войско (R57, R84–R88)."""
    g = play.g
    play.own_turn(player)
    building = play.building(player, order.building)
    house = g.btype(building)
    if not house.house:
        raise Refusal("not_lord_house", cell=building.cell)
    play.not_engaged(building, attackers=True)
    play.need_action(building)
    kind = g.unit_types.get(order.unit_type)
    if kind is None or kind.hire_level == 0:
        raise Refusal("cannot_hire", unit=type_name(g, order.unit_type, 1))
    if besieged(g, building.cell):
        raise Refusal("besieged", cell=building.cell)
    inside = g.units_at(building.cell)
    if inside:
        raise Refusal("house_occupied", cell=building.cell, unit=unit_name(g, inside[0]))
    terrain = g.board.terrain[building.cell]
    if kind.home is not None and kind.home != terrain:
        raise Refusal("wrong_terrain", unit=type_name(g, kind.id).capitalize(), terrain=word("terrain", kind.home),
                      cell=building.cell, have=word("terrain", terrain))  # fmt: skip
    if house.level < kind.hire_level:
        needed = next((t.id for t in g.ladder("lord_house") if t.level >= kind.hire_level), "city")
        raise Refusal("level_too_low", unit=type_name(g, kind.id).capitalize(), level=building_type_name(g, needed))
    owner = _personal_owner(play, player, order) if order.personal_for else player
    school: str | None = order.school
    if kind.kind == "mage":
        have = g.mage_school(owner)
        school = school or have
        if school is None:
            raise Refusal("school_needed")
        if have is not None and have != school:
            raise Refusal("school_conflict", have=word("school", have))
    if order.afloat and not (port(g, building.cell) or building.cell in g.board.rivers):
        raise Refusal("no_water_here")
    play.pay(player, kind.cost)
    play.block(building)
    unit = Unit(play.new_id(), kind.id, building.cell, owner, school=school if kind.kind == "mage" else None,
                personal=bool(order.personal_for), afloat=order.afloat)  # fmt: skip
    play.block(unit)
    g.units[unit.id] = unit
    play.hired[kind.id] = unit.id
    if owner != player:
        _guest(building, owner, unit)
    play.emit("hire", "R57" if order.personal_for else "R84", unit=unit.id, unit_type=kind.id, owner=owner, payer=player,
              cell=building.cell, cost=kind.cost, personal=unit.personal, school=unit.school, afloat=unit.afloat,
              name=type_name(g, kind.id, 2), building_name=building_name(g, building))  # fmt: skip
    play.happened("arrived", unit=unit.id)


def _personal_owner(play: Play, player: str, order: Hire) -> str:
    g = play.g
    owner = play.player(player if order.personal_for in ("self", player) else str(order.personal_for), "not_commander")
    if owner != player and not g.is_commander(owner):
        raise Refusal("not_commander")
    if g.personal_of(owner) is not None:
        raise Refusal("has_personal")
    lost = g.players[owner].personal_lost
    if lost is not None and g.tour < lost + g.settings.personal_restore_years:
        raise Refusal("too_early", year=lost + g.settings.personal_restore_years)
    return owner


def _guest(building: Building, owner: str, unit: Unit) -> None:
    from rules.grand_strategy.state import Permit

    permit = building.permits.setdefault(owner, Permit([]))
    if permit.units is not None:
        permit.units.append(unit.id)


# ------------------------------------------------------------------------------------------------ personal troops


def forge_mithril(play: Play, player: str, order: ForgeMithril) -> None:
    """Armour or amulet on a working mithril mine (R71, R72)."""
    g = play.g
    play.own_turn(player)
    unit = play.unit(player, order.unit)
    if not unit.personal:
        raise Refusal("personal_only")
    play.not_engaged(unit)
    play.need_action(unit)
    mine = g.buildings.get(unit.cell)
    if mine is None or mine.type != "mine_mithril" or not _at_home(mine, unit):
        raise Refusal("no_mithril_mine")
    if unit.mithril:
        raise Refusal("already")
    play.pay(player, g.settings.mithril_cost)
    play.block(unit)
    unit.mithril = True
    play.emit("mithril", "R71", unit=unit.id, owner=player, cell=unit.cell, cost=g.settings.mithril_cost, name=unit_name(g, unit))


def _at_home(building: Building, unit: Unit) -> bool:
    permit = building.permits.get(unit.owner or "")
    return building.owner == unit.owner or (permit is not None and (permit.units is None or unit.id in permit.units))


def annex(play: Play, player: str, order: Annex) -> None:
    """The личное войско takes a neighbouring troop into service (R70)."""
    g = play.g
    play.own_turn(player)
    unit = play.unit(player, order.unit)
    target = play.unit(player, order.target, own=False)
    if not unit.personal:
        raise Refusal("personal_only")
    play.not_engaged(unit)
    play.need_action(unit)
    if target.id == unit.id or target.owner == player or g.utype(target).magic or target.personal:
        raise Refusal("cannot_annex")
    distance = g.board.gap(unit.cell, target.cell)
    if target.cell not in g.board.near(unit.cell):
        raise Refusal("target_too_far", target=unit_name(g, target), d=distance - 1, cells=plural(distance - 1, "cell"))
    play.not_engaged(target, attackers=True)
    if g.utype(target).kind == "mage":
        have = g.mage_school(player)
        if have is not None and have != target.school:
            raise Refusal("school_conflict", have=word("school", have))
    if target.owner is not None and not play.dry:
        consents = g.players[target.owner].consents
        if not consents.get(f"annex|{player}|{target.id}", consents.get(f"annex|{player}|", False)):
            raise Refusal("no_consent", player=player_name(g, target.owner))
    play.block(unit)
    before = target.owner
    play.set_owner(target, player)
    play.block(target)
    if before in g.players:
        g.players[before].consents.pop(f"annex|{player}|{target.id}", None)
    play.emit("annex", "R70", unit=unit.id, target=target.id, owner=player, before=before, name=unit_name(g, target, 2))


def disband(play: Play, player: str, order: Disband) -> None:
    """Takes a troop off the map; its upkeep is no longer paid (R69, R26)."""
    play.own_turn(player)
    unit = play.unit(player, order.unit)
    _not_magic(play, unit)
    play.not_engaged(unit, attackers=False)
    play.need_action(unit)
    play.emit("disbanded", "R69", unit=unit.id, owner=player, cell=unit.cell, name=unit_name(play.g, unit, 2))
    play.remove_unit(unit.id)
