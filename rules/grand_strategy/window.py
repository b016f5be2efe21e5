"""Between turns: joining, leaving, service, смута (R11–R14, R33–R39, R195)."""

from __future__ import annotations

from typing import Any

from rules.grand_strategy.actions import room
from rules.grand_strategy.commands import DismissVassal, JoinGame, LeaveGame, LeaveService, Order, SetTurnOrder, Smuta
from rules.grand_strategy.data import word
from rules.grand_strategy.names import building_name, player_name, unit_name
from rules.grand_strategy.play import Play, Refusal
from rules.grand_strategy.players import may_spawn
from rules.grand_strategy.state import Building, Player, State, Unit

COLOURS = ("#6a5acd", "#c71585", "#008b8b", "#b8860b", "#556b2f", "#8b008b", "#4682b4", "#a0522d")


def wait(play: Play, player: str, order: Order) -> None:
    """Keeps a window command until the next window (R195); tells the player when it comes too late for this slot."""
    g = play.g
    check_now(play, player, order)
    me = g.players[player]
    slot = order.slot()
    from rules.grand_strategy.commands import COMMANDS

    me.waiting = [c for c in me.waiting if _parsed(COMMANDS, c).slot() != slot]
    data = order.model_dump(mode="json", exclude_none=True, by_alias=True)
    me.waiting.append({**data, "_age": 0})
    play.private(player, "waits", "R195", command=data, too_late=slot_started(g, player, order))


def _parsed(commands: Any, raw: dict[str, Any]) -> Order:
    command: Order = commands.parse({k: v for k, v in raw.items() if k != "_age"})
    return command


def slot_started(g: State, player: str, order: Order) -> bool:
    """True when the suzerain's slot of this tour has begun (R195)."""
    if isinstance(order, LeaveService):
        suzerain = g.players[player].suzerain
    elif isinstance(order, DismissVassal | SetTurnOrder):
        suzerain = player
    else:
        return False
    slot = next((s for s in g.slots if suzerain in s), [])
    return g.phase in ("turn", "cards") and any(p in g.played or p == g.active for p in slot)


def check_now(play: Play, player: str, order: Order) -> None:
    """Refuses what is clearly impossible already when it is posted."""
    g = play.g
    me = g.players[player]
    if isinstance(order, LeaveGame):
        if not order.confirm:
            raise Refusal("not_confirmed")
    elif isinstance(order, LeaveService):
        if me.suzerain is None:
            raise Refusal("not_vassal")
    elif isinstance(order, DismissVassal):
        if g.players.get(order.player) is None or g.players[order.player].suzerain != player:
            raise Refusal("not_your_vassal", player=player_name(g, order.player))
    elif isinstance(order, SetTurnOrder):
        wanted = [player, *g.vassals_of(player)]
        if sorted(order.order) != sorted(wanted) or me.suzerain is not None:
            raise Refusal("bad_order", list=", ".join(player_name(g, p) for p in wanted))
    elif isinstance(order, Smuta):
        if not order.decline:
            check_smuta(play, player, order)
    elif isinstance(order, JoinGame) and me.status == "in" and not play.dry:
        raise Refusal("already_in_game")


def check_smuta(play: Play, player: str, order: Smuta) -> None:
    """Who may raise a смута (R33)."""
    g = play.g
    if g.players[player].suzerain is not None:
        raise Refusal("in_service")
    right = any(r.commander == player and r.ruler == order.ruler for r in g.smuta)
    if not right and not g.is_commander(player):
        raise Refusal("not_commander", "smuta")
    # A right can still come from this turn's battles: only a window without one refuses for good.
    if not right and (g.phase == "window" or play.dry):
        raise Refusal("no_smuta", "player", player=player_name(g, order.ruler))


# ------------------------------------------------------------------------------------------------ смута


def smuta(play: Play, player: str, order: Smuta) -> None:
    """Rolls for the state of a beaten ruler (R34–R36)."""
    g = play.g
    check_smuta(play, player, order)
    right = next((r for r in g.smuta if r.commander == player and r.ruler == order.ruler), None)
    if right is None:
        raise Refusal("no_smuta", "player", player=player_name(g, order.ruler))
    if order.mode == "all" and not g.players[order.ruler].consents.get(f"smuta_all|{player}", False):
        raise Refusal("no_consent", player=player_name(g, order.ruler))
    g.smuta.remove(right)
    units = [u for u in g.units_of(order.ruler) if not g.utype(u).magic]
    things: list[Unit | Building] = [*units, *g.buildings_of(order.ruler)]
    rolls: list[list[object]] = []
    passed: list[str] = []
    once = play.half(f"смута, {player}, {order.ruler}") if order.mode == "all" and things else None
    for thing in things:
        key = thing.id if isinstance(thing, Unit) else thing.cell
        won, die = once if once is not None else play.half(f"смута, {player}, {order.ruler}")
        rolls.append([key, die, won])
        if not won:
            continue
        if isinstance(thing, Unit):
            school = g.mage_school(player)
            if g.utype(thing).kind == "mage" and school is not None and school != thing.school:
                rolls[-1][2] = False
                continue
            followers = [u.id for u in g.units.values() if u.controller == thing.id]
            play.set_owner(thing, player)
            play.block(thing)
            passed += [thing.id, *followers]
        else:
            play.set_building_owner(thing, player)
            passed.append(thing.cell)
    play.emit("smuta", "R34", commander=player, ruler=order.ruler, mode=order.mode, rolls=rolls, passed=passed)


# ------------------------------------------------------------------------------------------------ leaving


def leave_game(play: Play, player: str, order: LeaveGame) -> None:
    """Everything he had becomes neutral; he is out for five tours (R14)."""
    g = play.g
    if not order.confirm:
        raise Refusal("not_confirmed")
    me = g.players[player]
    lost = me.money
    personal = g.personal_of(player)
    vassals = g.vassals_of(player)
    for vassal in vassals:
        g.players[vassal].suzerain = None
    me.suzerain = None
    _free_slots(g, player, vassals)
    g.effects = [e for e in g.effects if e.caster != player]
    if personal is not None:
        followers = [u for u in g.units.values() if u.controller == personal.id]
        play.remove_unit(personal.id)
        for unit in followers:
            if unit.type == "zombies":
                play.crumble(unit, "R14")
    for unit in g.units_of(player):
        play.set_owner(unit, None)
        unit.siege = None
        unit.blocked = None
    for building in g.buildings_of(player):
        play.set_building_owner(building, None)
        building.blocked = None
    from rules.grand_strategy.dragons import fly

    for dragon in [u for u in g.units.values() if u.type == "dragon" and (u.leaving or u.fly_after == player)]:
        fly(play, dragon)
    g.battles = []
    tour = g.last_turn[0] if g.last_turn is not None and g.phase == "window" else g.tour
    me.status, me.left_tour, me.money = "left", tour, 0
    me.standing, me.waiting, me.offers, me.answers = [], [], [], {}
    for other in g.players.values():
        other.offers = [p for p in other.offers if p != player]
        other.answers.pop(player, None)
    g.smuta = [r for r in g.smuta if player not in (r.commander, r.ruler)]
    play.emit("left", "R14", player=player, money_lost=lost, personal=personal.id if personal else None,
              back_from=tour + g.settings.rejoin_skip_years + 1, vassals=vassals)  # fmt: skip


def _free_slots(g: State, player: str, vassals: list[str]) -> None:
    """Takes a player out of the order; his vassals get slots of their own at the old place (R14)."""
    out: list[list[str]] = []
    for slot in g.slots:
        rest = [p for p in slot if p != player]
        if any(p in vassals for p in rest):
            out += [[p] for p in rest]
        elif rest:
            out.append(rest)
    g.slots = out


# ------------------------------------------------------------------------------------------------ service


def leave_service(play: Play, player: str, order: LeaveService) -> None:
    """The vassal gets a slot of his own before the suzerain's (R39)."""
    g = play.g
    suzerain = g.players[player].suzerain
    if suzerain is None:
        raise Refusal("not_vassal")
    _part(g, player, before=True)
    play.emit("service_left", "R39", vassal=player, suzerain=suzerain)


def dismiss_vassal(play: Play, player: str, order: DismissVassal) -> None:
    """The vassal gets a slot of his own after the suzerain's (R39)."""
    g = play.g
    if order.player not in g.players or g.players[order.player].suzerain != player:
        raise Refusal("not_your_vassal", player=player_name(g, order.player))
    _part(g, order.player, before=False)
    play.emit("vassal_dismissed", "R39", vassal=order.player, suzerain=player)


def _part(g: State, vassal: str, *, before: bool) -> None:
    g.players[vassal].suzerain = None
    for i, slot in enumerate(g.slots):
        if vassal in slot and len(slot) > 1:
            slot.remove(vassal)
            g.slots.insert(i if before else i + 1, [vassal])
            return


def set_turn_order(play: Play, player: str, order: SetTurnOrder) -> None:
    """The order inside the suzerain's slot (R38)."""
    check_now(play, player, order)
    g = play.g
    for slot in g.slots:
        if player in slot:
            slot[:] = [p for p in order.order if p in slot]
            play.emit("turn_order", "R38", suzerain=player, order=list(slot))


# ------------------------------------------------------------------------------------------------ joining


def newcomer(g: State, player: str) -> Player:
    """The roster entry of somebody who joins."""
    if player not in g.players:
        colour = COLOURS[len(g.players) % len(COLOURS)]
        g.players[player] = Player(player, player.capitalize(), color=colour, status="out")
    return g.players[player]


def join_game(play: Play, player: str, order: JoinGame) -> None:
    """Enters as ruler, commander or бродяга (R11–R14). `no_consent` means: wait for the land's ruler."""
    g = play.g
    check_join(play, player, order)
    me = newcomer(g, player)
    if order.entry == "ruler":
        _join_ruler(play, me, order)
    else:
        _join_commander(play, me, order)


def check_join(play: Play, player: str, order: JoinGame) -> None:
    """What can be said before any draw."""
    g = play.g
    me = g.players.get(player)
    if me is not None and me.status == "left":
        back = (me.left_tour or 0) + g.settings.rejoin_skip_years + 1
        if g.tour < back:
            raise Refusal("rejoin_too_early", year=back)
    if order.entry == "ruler" and g.tour > 1:
        raise Refusal("too_late_for_ruler")
    if order.entry == "vagabond":
        raise Refusal("no_consent", player="всех")
    kind = g.unit_types.get(order.personal_type or (me.personal_type if me else "knights"))
    if kind is None or kind.magic:
        raise Refusal("cannot_hire", unit=order.personal_type or "")
    if kind.kind == "mage" and order.school is None and not (me and me.personal_school):
        raise Refusal("school_needed")
    if order.entry == "ruler":
        if order.province is not None:
            house = g.house_in(order.province)
            if house is not None and house.owner is None:
                raise Refusal("province_taken", "ownerless")
            if house is not None:
                raise Refusal("province_taken", player=player_name(g, house.owner))
        elif not _free_lands(g):
            raise Refusal("province_taken", "none")
    else:
        _spawn_cell(play, player, order)


def capital_cell(g: State, province: int, wanted: str | None = None) -> str | None:
    """Where a new capital may stand: the named cell, the province's capital, or the first fitting one (R11)."""
    kind = g.building_types[g.settings.start_house]

    def fits(cell: str) -> bool:
        if cell in g.buildings or g.units_at(cell) or cell in g.map.lairs or g.board.province.get(cell) != province:
            return False
        try:
            room(g, kind, cell)
        except Refusal:
            return False
        return True

    if wanted is not None:
        return wanted if fits(wanted) else None
    capital = g.board.provinces[province].capital
    return next((c for c in [*([capital] if capital else []), *g.board.province_cells(province)] if fits(c)), None)


def _free_lands(g: State) -> list[int]:
    return [n for n in sorted(g.board.provinces) if g.house_in(n) is None and capital_cell(g, n) is not None]


def _join_ruler(play: Play, me: Player, order: JoinGame) -> None:
    g = play.g
    if play.dry:
        return
    drawn: list[tuple[int, str]] = []
    for _ in range(g.settings.start_lands):
        lands = [order.province] if order.province is not None and not drawn else _free_lands(g)
        if not lands:
            break
        number = lands[play.pick(f"приход, {me.id}", len(lands))]
        cell = capital_cell(g, number, order.cell if g.board.province.get(order.cell or "") == number else None)
        cell = cell or capital_cell(g, number)
        if cell is None:
            raise Refusal("province_taken", "none")
        g.buildings[cell] = Building(cell, g.settings.start_house, me.id)
        drawn.append((number, cell))
    unit = _personal(play, me, order, drawn[0][1])
    _enter(play, me, order, g.settings.start_money_ruler)
    play.emit("joined", "R11", player=me.id, entry="ruler", provinces=[n for n, _ in drawn], cell=drawn[0][1], unit=unit.id)


def _personal(play: Play, me: Player, order: JoinGame, cell: str) -> Unit:
    kind = order.personal_type or me.personal_type
    me.personal_type = kind
    school = (order.school or me.personal_school) if play.g.unit_types[kind].kind == "mage" else None
    unit = Unit(play.new_id(), kind, cell, me.id, school=school, personal=True)
    play.g.units[unit.id] = unit
    return unit


def _enter(play: Play, me: Player, order: JoinGame, money: int) -> None:
    me.status, me.money, me.left_tour, me.missed = "in", money, None, 0
    me.suzerain, me.personal_lost, me.vagabond = None, None, None
    if order.state_name:
        me.state = order.state_name
    play.g.slots.append([me.id])


def _spawn_cell(play: Play, player: str, order: JoinGame) -> str:
    g = play.g
    cell = order.cell
    if cell is None and order.province is not None:
        cell = next(
            (
                c
                for c in g.board.province_cells(order.province)
                if c not in g.buildings and not g.units_at(c) and c not in g.map.lairs
            ),
            None,
        )
    cell = play.cell(cell or "?")
    if g.board.is_sea(cell):
        raise Refusal("not_on_land", "spawn")
    inside = g.units_at(cell)
    if inside:
        raise Refusal("cell_occupied", cell=cell, unit=unit_name(g, inside[0]))
    house = g.house_in(g.board.province[cell])
    building = g.buildings.get(cell)
    if building is not None and (house is None or building.cell != house.cell):
        raise Refusal("cell_has_building", cell=cell, building=building_name(g, building))
    if house is not None:
        if house.owner is None:
            if building is not None:
                raise Refusal("no_permission", "neutral", cell=cell)
        elif not may_spawn(play, house.owner, player, g.board.province[cell], cell):
            raise Refusal("no_consent", player=player_name(g, house.owner))
    return cell


def _join_commander(play: Play, me: Player, order: JoinGame) -> None:
    g = play.g
    cell = _spawn_cell(play, me.id, order)
    unit = _personal(play, me, order, cell)
    play.block(unit)
    building = g.buildings.get(cell)
    if building is not None:
        from rules.grand_strategy.state import Permit

        building.permits.setdefault(me.id, Permit(None))
    _enter(play, me, order, g.settings.start_money_commander)
    play.emit("joined", "R12", player=me.id, entry="commander", provinces=[g.board.province[cell]], cell=cell, unit=unit.id)


def level_word(level: str) -> str:
    """«серебро», «золото», «мифрил»."""
    return word("level", level)
