"""The grid as a view shows it: terrain, rivers, provinces, buildings, troops, this turn's paths and battles."""

from __future__ import annotations

from rules.grand_strategy.data import word
from rules.grand_strategy.state import State
from rules.grand_strategy.strength import strength
from rules.grand_strategy.view import View
from rules.maps import Building, Cell, Clash, GridMap, LegendItem, Path, Troop

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
        subtitle=f"Год {g.tour}",
        columns=g.map.columns,
        rows=rows,
        rivers=rivers,
        provinces={n: p.name for n, p in board.provinces.items()},
        owners=owners,
        buildings=tuple(_buildings(g)),
        troops=tuple(_troops(g)),
        paths=tuple(Path(tuple(board.xy[c] for c in cells), colour_of(g, owner)) for owner, *cells in g.paths if len(cells) > 1),
        clashes=tuple(Clash(*board.xy[cell], f"Битва {number}, {cell}", number) for cell, number in g.clashes),
        legend=tuple(LegendItem(f"{p.name} — {p.state}" if p.state else p.name, p.color) for p in seated),
    )


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
        label = word("unit", unit.type, 3)
        kind = g.utype(unit)
        out.append(
            Troop(
                x,
                y,
                unit.type,
                label[:2] if len(label) <= 2 else kind.name_ru[:1].upper(),
                colour_of(g, unit.owner),
                strength(g, unit),
                afloat=unit.afloat,
                mithril=unit.mithril,
                name=unit.name,
            )
        )
    return out
