"""The grid as a view shows it: terrain, rivers, provinces, buildings, troops, this turn's paths and battles."""

from __future__ import annotations

from collections.abc import Iterator

from rules.grand_strategy.data import word
from rules.grand_strategy.names import player_name
from rules.grand_strategy.state import Fought, State
from rules.grand_strategy.strength import strength
from rules.grand_strategy.view import View
from rules.maps import Building, Cell, Clash, GridMap, LegendItem, Path, Sign, Troop

NEUTRAL = "#8a8a8a"


def colour_of(g: State, player: str | None) -> str:
    """A player's colour; grey for nobody."""
    found = g.players.get(player or "")
    return found.color if found is not None else NEUTRAL


def grid_map(view: View) -> GridMap:
    """The map model. All of it is public (chapter 4, «Visibility»)."""
    g = view.state
    board = g.board
    rows = tuple(
        tuple(Cell(terrain, g.map.province_rows[y][x] or None) for x, terrain in enumerate(row))
        for y, row in enumerate(g.map.terrain)
    )
    rivers = tuple(tuple(board.xy[c] for c in (*r.cells, *((r.mouth,) if r.mouth else ()))) for r in g.map.rivers)
    owners = {}
    for number in board.provinces:
        house = g.house_in(number)
        if house is not None and house.owner is not None:
            owners[number] = colour_of(g, house.owner)
    seated = [p for p in g.players.values() if p.status == "in"]
    return GridMap(
        title=g.title,
        subtitle=_subtitle(g),
        columns=g.map.columns,
        rows=rows,
        rivers=rivers,
        river_names=tuple(r.name for r in g.map.rivers),
        provinces={n: p.name for n, p in board.provinces.items()},
        owners=owners,
        buildings=tuple(_buildings(g)),
        troops=tuple(_troops(g)),
        paths=tuple(_paths(g)),
        clashes=tuple(_clash(g, fought) for fought in g.clashes),
        legend=tuple(LegendItem(f"{p.name} — {p.state}" if p.state else p.name, p.color) for p in seated),
        signs=tuple(_signs(g)),
    )


def _subtitle(g: State) -> str:
    """«Год 3, ход: Гхаш»; the turn whose movements and battles the map shows."""
    player = g.last_turn[1] if g.shown and g.last_turn is not None else g.active
    year = g.last_turn[0] if g.shown and g.last_turn is not None else g.tour
    phase = "window" if g.shown else g.phase
    return word("map", phase).format(year=year, player=player_name(g, player))


def _paths(g: State) -> list[Path]:
    """This turn's movements; several orders of one troop, one after another, are one way."""
    ways: list[list[str]] = []
    for owner, *cells in g.paths:
        if ways and cells and ways[-1][0] == owner and ways[-1][-1] == cells[0]:
            ways[-1] += cells[1:]
        else:
            ways.append([owner, *cells])
    return [Path(tuple(g.board.xy[c] for c in cells), colour_of(g, owner)) for owner, *cells in ways if len(cells) > 1]


def _clash(g: State, fought: Fought) -> Clash:
    xy = g.board.xy
    title = word("map", "battle").format(number=fought.number, cell=fought.cell)
    attacks = tuple((*xy[cell], colour_of(g, owner)) for cell, owner in fought.attackers if cell != fought.cell)
    fallen = tuple(Troop(*xy[f.cell], f.type, _letter(g, f.type), colour_of(g, f.owner), 0) for f in fought.fallen)
    result = word("win", fought.result) if fought.result else ""
    return Clash(*xy[fought.cell], title, fought.number, result, attacks, fallen)


def _letter(g: State, kind: str) -> str:
    """The letters on a banner."""
    label = word("unit", kind, 3)
    return label if len(label) <= 2 else g.unit_types[kind].name_ru[:1].upper()


def _signs(g: State) -> Iterator[Sign]:
    """What stands on this map, explained."""
    kinds = {g.btype(b).klass for b in g.buildings.values()}
    for klass in ("lord_house", "fortress", "outpost", "mine"):
        if klass in kinds:
            yield Sign(klass, word("sign", klass))
    if any(cell not in g.buildings and (cell not in g.lairs or g.lairs[cell].state == "dead") for cell in g.map.sites):
        yield Sign("mine_site", word("sign", "mine_site"))
    if any(lair.state != "dead" for lair in g.lairs.values()):
        yield Sign("lair", word("sign", "lair"))
    if g.units:
        yield Sign("strength", word("sign", "strength"))
    if any(u.siege for u in g.units.values()):
        yield Sign("siege", word("sign", "siege"))
    if g.paths:
        yield Sign("path", word("sign", "path"))
    if any(f.attackers for f in g.clashes):
        yield Sign("attack", word("sign", "attack"))
    if any(f.fallen for f in g.clashes):
        yield Sign("fallen", word("sign", "fallen"))


def _buildings(g: State) -> list[Building]:
    out = []
    sieges = {u.siege for u in g.units.values() if u.siege}
    for building in sorted(g.buildings.values(), key=lambda b: g.board.order(b.cell)):
        x, y = g.board.xy[building.cell]
        out.append(Building(x, y, building.type, colour_of(g, building.owner), building.name, building.cell in sieges))
    for cell in g.map.sites:
        lair = g.lairs.get(cell)
        if cell not in g.buildings and (lair is None or lair.state == "dead"):
            x, y = g.board.xy[cell]
            out.append(Building(x, y, "mine_site", NEUTRAL, word("level", g.veins[cell]) if cell in g.veins else ""))
    for lair in g.lairs.values():
        if lair.state != "dead" and lair.cell not in g.buildings:
            x, y = g.board.xy[lair.cell]
            out.append(Building(x, y, "lair", NEUTRAL, lair.name))
    return out


def _troops(g: State) -> list[Troop]:
    out = []
    for unit in sorted(g.units.values(), key=lambda u: (g.board.order(u.cell), u.id)):
        x, y = g.board.xy[unit.cell]
        out.append(
            Troop(
                x,
                y,
                unit.type,
                _letter(g, unit.type),
                colour_of(g, unit.owner),
                strength(g, unit),
                afloat=unit.afloat,
                mithril=unit.mithril,
                name=unit.name,
            )
        )
    return out
