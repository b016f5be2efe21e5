"""Movement: steps and their stops, water and rivers, ports, assault, flying dragons, the shortest way (R41–R54)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from rules.grand_strategy.commands import Disembark, Embark, Move
from rules.grand_strategy.data import plural, word
from rules.grand_strategy.names import player_name, unit_name
from rules.grand_strategy.play import Play, Refusal
from rules.grand_strategy.state import Building, Declared, State, Unit


@dataclass(frozen=True)
class Where:
    """Where a troop is in its movement."""

    cell: str
    afloat: bool
    steps: int
    stopped: str | None


@dataclass(frozen=True)
class Step:
    """A legal step: where it ends and what it costs."""

    at: Where
    cost: int = 0


def structure(g: State, cell: str) -> Building | None:
    """The постройка on a cell: a building other than a mine (R74)."""
    found = g.buildings.get(cell)
    return found if found is not None and not g.btype(found).mine else None


def port(g: State, cell: str) -> bool:
    """A постройка beside the sea (R52)."""
    return structure(g, cell) is not None and g.board.coast(cell)


def has_effect(g: State, unit: Unit, spell: str) -> bool:
    """True while the spell lasts on the troop."""
    return any(e.spell == spell and e.unit == unit.id for e in g.effects)


def allowance(g: State, unit: Unit, *, water: bool) -> int:
    """Steps a turn on land or water, spells included (R42, R163, R174)."""
    kind = g.utype(unit)
    if water:
        return g.settings.fair_wind_range if has_effect(g, unit, "fair_wind") else kind.move_water
    return g.settings.tireless_range if has_effect(g, unit, "tireless_water") else kind.move_land


def position(play: Play, unit: Unit) -> Where:
    """Where the troop stands with its steps of this turn."""
    if unit.moved != (play.g.tour, play.g.active) and play.g.phase == "turn" and unit.steps == 0:
        return Where(unit.cell, unit.afloat, 0, None)
    return Where(unit.cell, unit.afloat, unit.steps, unit.stopped)


def step_from(g: State, unit: Unit, at: Where, to: str) -> Step:
    """One step by the rules of terrain, water and allowance. Raises `Refusal`."""
    board, kind, cell = g.board, g.utype(unit), at.cell
    if to not in board:
        raise Refusal("no_such_cell", cell=to)
    if to not in board.near(cell):
        raise Refusal("not_adjacent_cell", to=to, frm=cell)
    if at.stopped is not None:
        reason = word("reason", at.stopped)
        raise Refusal("movement_ended", unit_gen=unit_name(g, unit, 1), cell=cell, reason=reason)
    ship = kind.kind == "ship"
    sea_from, sea_to = board.is_sea(cell), board.is_sea(to)
    afloat, cost, stop = False, 0, None
    free = kind.free_mover
    here, there = structure(g, cell), structure(g, to)
    on_river = at.afloat and not sea_from and cell in board.rivers
    if at.afloat and board.linked(cell, to):
        # Along a river, or through its mouth; a mouth always ends the movement (R48).
        afloat = True
        # … unless it sets out from a port that stands on the river's last cell (R52).
        from_port = at.steps == 0 and sea_to and port(g, cell)
        stop = "sea_river" if sea_from != sea_to and not from_port else None
    elif on_river and not (sea_to and port(g, cell)) and not (there and not sea_to and here):
        if sea_to:
            raise Refusal("river_no_exit", mouth=board.mouths.get(cell, "—"))
        raise Refusal("river_no_exit", "land")
    elif sea_to and (sea_from or at.afloat):
        afloat = True
    elif sea_to:
        afloat = True
        cost = 0 if ship or here else g.settings.embark_cost
        stop = None if free else "shore"
    elif sea_from:
        afloat = ship and port(g, to)
        cost = g.settings.embark_cost if ship and not there else 0
        stop = None if free else "shore"
    else:
        cost = g.settings.embark_cost if ship and at.afloat and not here and not there else 0
        tireless = has_effect(g, unit, "tireless_water")
        if not free and not tireless:
            if board.terrain[cell] != board.terrain[to] and here is None and there is None:
                stop = "terrain"
            bridged = g.settings.building_is_bridge and there is not None
            if to in board.rivers and cell not in board.rivers and not bridged:
                stop = "river"
    limit = allowance(g, unit, water=afloat or sea_to)
    if at.steps + 1 > limit:
        raise Refusal("no_moves_left", unit_gen=unit_name(g, unit, 1), used=at.steps, max=limit)
    return Step(Where(to, afloat, at.steps + 1, stop), cost)


def may_stand(g: State, unit: Unit, to: str, *, assault: bool = False) -> None:
    """Whether the troop may end on a cell: nobody else there, and leave to enter a building (R40, R47). Raises `Refusal`."""
    others = [u for u in g.units_at(to) if u.id != unit.id]
    pair = unit.type == "zombies" and len(others) == 1 and others[0].type == "zombies" and others[0].owner == unit.owner
    if others and not pair:
        raise Refusal("cell_occupied", cell=to, unit=unit_name(g, others[0]))
    building = g.buildings.get(to)
    if building is None:
        return
    magic = g.utype(unit).magic
    if building.owner == unit.owner:
        if magic:
            raise Refusal("magic_not_in_building")
        return
    if assault:
        if others:
            raise Refusal("cell_occupied", cell=to, unit=unit_name(g, others[0]))
        return
    permit = building.permits.get(unit.owner or "")
    if magic or permit is None or not (permit.units is None or unit.id in permit.units):
        if building.owner is None:
            raise Refusal("no_permission", "neutral", cell=to)
        raise Refusal("no_permission", cell=to, owner=player_name(g, building.owner))


# ------------------------------------------------------------------------------------------------ orders


def move(play: Play, player: str, order: Move) -> None:
    """Moves a troop step by step; steps already made stand when a later one can't be (R41, R188)."""
    g = play.g
    play.own_turn(player)
    unit = play.unit(player, order.unit)
    play.not_engaged(unit, attackers=True)
    kind = g.utype(unit)
    if kind.act_every_years > 1 and g.tour % kind.act_every_years != 1:
        raise Refusal("rests_this_year", unit=unit_name(g, unit), n=kind.act_every_years)
    for cell in order.path:
        play.cell(cell)
    path = list(order.path)
    if path and path[0] == unit.cell:
        path = path[1:]
    if not path:
        raise Refusal("already")
    if unit.type == "dragon":
        _fly(play, unit, path, order.assault)
        return
    if len(path) == 1 and path[0] not in g.board.near(unit.cell):
        path = _route(play, unit, path[0], order.assault)
    walked = [unit.cell]
    spent = 0
    refusal: Refusal | None = None
    stopped_by = None
    for i, to in enumerate(path):
        assault = order.assault and i == len(path) - 1
        try:
            spent += _step(play, player, unit, to, assault)
        except Refusal as error:
            refusal = error
            break
        walked.append(to)
        if unit.id not in g.units:
            break
        try:
            play.not_engaged(unit, attackers=True)
        except Refusal as error:
            if i < len(path) - 1:
                refusal, stopped_by = error, "engaged"
                break
    if len(walked) > 1:
        g.paths.append([player, *walked])
        play.emit(
            "move", "R41", unit=unit.id, owner=player, path=walked, cost=spent, stopped=unit.stopped,
            ended=refusal.code if refusal else None, interrupted=stopped_by is not None, name=unit_name(g, unit),
        )  # fmt: skip
    if refusal is not None:
        raise refusal


def _step(play: Play, player: str, unit: Unit, to: str, assault: bool) -> int:
    g = play.g
    step = step_from(g, unit, position(play, unit), to)
    building = g.buildings.get(to)
    storming = assault and building is not None and building.owner != unit.owner
    may_stand(g, unit, to, assault=storming)
    if storming:
        play.need_action(unit)
    play.pay(player, step.cost)
    left = unit.cell
    unit.cell, unit.afloat, unit.steps, unit.stopped = to, step.at.afloat, step.at.steps, step.at.stopped
    arrived(play, unit, left)
    if storming and building is not None:
        unit.intruder = True
        play.block(unit)
        unit.siege = None
        g.attacks.append(Declared("unit", unit.id, player, "building", to))
        play.emit("attack_declared", "R47", unit=unit.id, owner=player, target=to, target_kind="building", assault=True,
                  name=unit_name(g, unit))  # fmt: skip
        play.happened("attack_declared_on", target=to, unit=unit.id)
    if unit.id in g.units:
        play.happened("arrived", unit=unit.id)
    return step.cost


def arrived(play: Play, unit: Unit, left: str) -> None:
    """What follows from a troop's being on a new cell: siege, sleeping dragon, tamed dragon (R64, R165, R166)."""
    g = play.g
    unit.moved = play.now
    unit.intruder = False
    if unit.siege is not None and g.board.gap(unit.cell, unit.siege) > g.settings.siege_range:
        unit.siege = None
    for lair in g.lairs.values():
        if lair.state == "tamed" and lair.tamer == unit.id and lair.cell == left and not g.units_at(left):
            lair.state, lair.tamer = "away", None
            dragon = Unit(f"dragon_{left}", "dragon", left, unit.owner, controller=unit.id, lair=left)
            play.block(dragon)
            g.units[dragon.id] = dragon
            play.emit("dragon_appeared", "R165", unit=dragon.id, owner=unit.owner, cell=left, mage=unit.id)
    sleeper = g.lairs.get(unit.cell)
    if sleeper is not None and sleeper.state == "home" and g.utype(unit).kind != "mage" and unit.type != "dragon":
        g.attacks.append(Declared("lair", unit.cell, None, "unit", unit.id))
        play.emit("dragon_wakes", "R166", cell=unit.cell, unit=unit.id, owner=unit.owner, name=unit_name(g, unit))


def _fly(play: Play, unit: Unit, path: list[str], assault: bool) -> None:
    """A dragon flies over anything; only the end of each order counts (R51)."""
    g = play.g
    if len(path) == 1 and path[0] not in g.board.near(unit.cell):
        path = _line(g, unit.cell, path[0])
    at, steps = unit.cell, unit.steps
    for to in path:
        if to not in g.board.near(at):
            raise Refusal("not_adjacent_cell", to=to, frm=at)
        at = to
    limit = g.utype(unit).move_land
    if steps + len(path) > limit:
        raise Refusal("no_moves_left", unit_gen=unit_name(g, unit, 1), used=steps, max=limit)
    building = g.buildings.get(at)
    storming = assault and building is not None and building.owner != unit.owner
    may_stand(g, unit, at, assault=storming)
    if storming:
        play.need_action(unit)
    left = unit.cell
    unit.cell, unit.steps, unit.afloat, unit.stopped = at, steps + len(path), g.board.is_sea(at), None
    arrived(play, unit, left)
    g.paths.append([unit.owner or "", left, *path])
    play.emit("move", "R51", unit=unit.id, owner=unit.owner, path=[left, *path], cost=0, stopped=None, ended=None,
              interrupted=False, name=unit_name(g, unit))  # fmt: skip
    if storming and building is not None:
        unit.intruder = True
        play.block(unit)
        g.attacks.append(Declared("unit", unit.id, unit.owner, "building", at))
        play.emit("attack_declared", "R47", unit=unit.id, owner=unit.owner, target=at, target_kind="building", assault=True,
                  name=unit_name(g, unit))  # fmt: skip
        play.happened("attack_declared_on", target=at, unit=unit.id)
    play.happened("arrived", unit=unit.id)


def _line(g: State, start: str, end: str) -> list[str]:
    """The shortest flight: each step nearer, first in reading order."""
    out = []
    while start != end:
        start = next(c for c in g.board.near(start) if g.board.distance(c, end) == g.board.distance(start, end) - 1)
        out.append(start)
    return out


def _route(play: Play, unit: Unit, goal: str, assault: bool) -> list[str]:
    """The shortest legal way within this turn; of equal ones the first in reading order."""
    ways = reachable(play, unit, goal, assault)
    if goal in ways:
        return ways[goal]
    g = play.g
    near = min(ways, key=lambda c: (g.board.distance(c, goal), len(ways[c]), g.board.order(c)), default=None)
    raise Refusal("unreachable", cell=goal, reach=near or unit.cell)


def reachable(play: Play, unit: Unit, goal: str | None = None, assault: bool = False) -> dict[str, list[str]]:
    """Every cell the troop can reach this turn and the shortest way to it; may stop once `goal` is found."""
    g = play.g
    money = g.players[unit.owner].money if unit.owner in g.players else 0
    start = position(play, unit)
    queue: deque[tuple[Where, int, list[str]]] = deque([(start, 0, [])])
    seen = {(start.cell, start.afloat, start.stopped is None)}
    out: dict[str, list[str]] = {}
    while queue:
        at, cost, way = queue.popleft()
        if at.stopped is not None:
            continue
        for to in g.board.near(at.cell):
            try:
                step = step_from(g, unit, at, to)
                may_stand(g, unit, to, assault=assault and to == goal)
            except Refusal:
                continue
            key = (to, step.at.afloat, step.at.stopped is None)
            if key in seen or cost + step.cost > money:
                continue
            seen.add(key)
            out.setdefault(to, [*way, to])
            if to == goal:
                return out
            sleeper = g.lairs.get(to)
            if sleeper is not None and sleeper.state == "home" and g.utype(unit).kind != "mage":
                continue
            queue.append((step.at, cost + step.cost, [*way, to]))
    return out


def embark(play: Play, player: str, order: Embark) -> None:
    """Sets a troop afloat on a river cell or in a port; no step, no АД (R52)."""
    g = play.g
    play.own_turn(player)
    unit = play.unit(player, order.unit)
    play.not_engaged(unit, attackers=True)
    if unit.afloat or g.board.is_sea(unit.cell):
        raise Refusal("already")
    inside = structure(g, unit.cell) is not None
    if not (unit.cell in g.board.rivers or port(g, unit.cell)) or unit.type == "dragon":
        raise Refusal("no_water_here")
    cost = 0 if inside or g.utype(unit).kind == "ship" else g.settings.embark_cost
    play.pay(player, cost)
    unit.afloat = True
    if unit.stopped in ("terrain", "river", "shore") and inside and port(g, unit.cell):
        unit.stopped = None if unit.steps == 0 else unit.stopped
    play.emit("embark", "R52", unit=unit.id, owner=player, cell=unit.cell, cost=cost, name=unit_name(g, unit))


def disembark(play: Play, player: str, order: Disembark) -> None:
    """Brings a troop from the river or port water ashore on its cell (R52)."""
    g = play.g
    play.own_turn(player)
    unit = play.unit(player, order.unit)
    play.not_engaged(unit, attackers=True)
    if not unit.afloat or g.board.is_sea(unit.cell):
        raise Refusal("no_water_here")
    inside = structure(g, unit.cell) is not None
    cost = g.settings.embark_cost if g.utype(unit).kind == "ship" and not inside else 0
    play.pay(player, cost)
    unit.afloat = False
    play.emit("disembark", "R52", unit=unit.id, owner=player, cell=unit.cell, cost=cost, name=unit_name(g, unit))


def cells_word(count: int) -> str:
    """«клетка», «клетки», «клеток»."""
    return plural(count, "cell")
