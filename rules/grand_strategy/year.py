"""Money by the year: income, upkeep, treasury, forced disbanding; neutral decay; the goal (R1, R20–R27, R58)."""

from __future__ import annotations

from rules.grand_strategy.names import building_name, unit_name
from rules.grand_strategy.play import Play
from rules.grand_strategy.state import State, Unit, natural


def treasury(g: State, player: str) -> int:
    """What one may hold before the payout (R22)."""
    me = g.players[player]
    if me.vagabond is not None:
        base = me.vagabond.treasury
    else:
        base = g.settings.treasury_ruler if g.is_ruler(player) else g.settings.treasury_commander
    forts = sum(g.btype(b).klass == "fortress" for b in g.buildings_of(player))
    return base + g.settings.treasury_per_fortress * forts


def unit_upkeep(g: State, unit: Unit) -> int:
    """Coins a year for a troop (R27)."""
    if not unit.personal:
        return g.utype(unit).upkeep
    me = g.players.get(unit.owner or "")
    if me is not None and me.vagabond is not None:
        return me.vagabond.personal_upkeep
    return g.settings.personal_upkeep_ruler if g.is_ruler(unit.owner) else g.settings.personal_upkeep_commander


def income(g: State, player: str) -> int:
    """Yearly income less all upkeep; may be negative (R20, R21)."""
    me = g.players[player]
    total = me.vagabond.income if me.vagabond is not None else 0
    for building in g.buildings_of(player):
        total += g.btype(building).income - g.btype(building).upkeep
    return total - sum(unit_upkeep(g, u) for u in g.units_of(player))


def pay(play: Play, player: str, *, first: bool = False) -> None:
    """Confiscates what is above the treasury, pays the income, disbands what can't be paid for (R20, R24)."""
    g = play.g
    me = g.players[player]
    confiscated = 0
    if g.settings.cap_check in ("before_income", "both"):
        confiscated = max(0, me.money - treasury(g, player))
        me.money -= confiscated
    if first:
        return
    removed = force(play, player)
    gain = income(g, player)
    me.money += gain
    play.private(player, "payout", "R20", confiscated=confiscated, income=gain, money=me.money, removed=removed,
                 treasury=treasury(g, player))  # fmt: skip


def cap(play: Play, player: str) -> None:
    """The variant check at one's own turn start (R20)."""
    g = play.g
    me = g.players[player]
    extra = max(0, me.money - treasury(g, player))
    if extra:
        me.money -= extra
        play.private(player, "confiscated", "R20", amount=extra, money=me.money)


def force(play: Play, player: str) -> list[str]:
    """Disbands until the player can pay (R24)."""
    g = play.g
    removed: list[str] = []
    wanted = list(g.players[player].disband_priority)
    while g.players[player].money + income(g, player) < 0:
        key = _next_victim(g, player, wanted)
        if key is None:
            # Nothing left to give up: the debt is forgiven, money never goes below zero.
            g.players[player].money = -income(g, player)
            break
        removed.append(key)
        if key in g.units:
            play.emit("disbanded", "R24", unit=key, owner=player, cell=g.units[key].cell, name=unit_name(g, key, 2), forced=True)
            play.remove_unit(key)
        else:
            play.emit("abandoned", "R24", building=key, owner=player, name=building_name(g, key))
            play.remove_building(key)
    return removed


def _next_victim(g: State, player: str, wanted: list[str]) -> str | None:
    units = g.units_of(player)
    for key in wanted:
        if any(u.id == key and not g.utype(u).magic for u in units):
            return key
        building = g.buildings.get(key)
        if building is not None and building.owner == player and g.btype(building).upkeep:
            return key
    hired = [u for u in units if not u.personal and unit_upkeep(g, u) > 0]
    if hired:
        return min(hired, key=lambda u: (-unit_upkeep(g, u), g.utype(u).cost, natural(u.id))).id
    costly = [b for b in g.buildings_of(player) if g.btype(b).upkeep > 0]
    if costly:
        return min(costly, key=lambda b: (-g.btype(b).upkeep, g.board.order(b.cell))).cell
    personal = g.personal_of(player)
    return personal.id if personal is not None and unit_upkeep(g, personal) > 0 else None


def decay(play: Play) -> None:
    """Neutral troops may vanish by agreement (R58)."""
    g = play.g
    for unit in g.units_of(None):
        if unit.type != "dragon" and play.roll(f"нейтралы, {unit.id}") == 1:
            play.emit("vanished", "R58", unit=unit.id, cell=unit.cell, name=unit_name(g, unit))
            play.remove_unit(unit.id)


def goal(play: Play) -> None:
    """Announces each player who owns enough lands, once (R1)."""
    g = play.g
    total = len(g.board.provinces)
    for player in g.order():
        houses = len(g.houses_of(player))
        reached = houses * 100 >= total * g.settings.goal_share_percent and houses > 0
        me = g.players[player]
        if reached and not me.goal_announced:
            me.goal_announced = True
            play.emit("goal", "R1", player=player, houses=houses, provinces=total)
            if g.winner is None:
                g.winner = player
