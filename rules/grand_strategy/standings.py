"""The state of the game as tables: everybody's for the public, a player's own for himself (R121)."""

from __future__ import annotations

from collections.abc import Iterable

from rules.grand_strategy.data import spells, word
from rules.grand_strategy.names import building_type_name, object_name, player_name, type_name, unit_name
from rules.grand_strategy.state import Building, Effect, State, Unit, natural
from rules.grand_strategy.strength import strength
from rules.grand_strategy.view import View
from rules.grand_strategy.year import income, treasury
from rules.report import Block, Bullets, Column, Report, Table, para, rich, row


def standings(view: View) -> Report:
    """Players, lands, troops and buildings as tables."""
    g = view.state
    return Report(f"Положение: год {g.tour}", tuple(standing_blocks(view)), (), g.title)


def own_blocks(view: View, player: str) -> list[Block]:
    """What is a player's own; the rest stands in the public report."""
    g = view.state
    me = g.players[player]
    money = f"Казна: {me.money} из {treasury(g, player)}, доход за год {income(g, player):+d}."
    blocks: list[Block] = [para(money)] if me.status == "in" else []
    mine = [unit for unit in g.units.values() if player in (unit.owner, unit.controller)]
    return [*blocks, *_troops(g, mine), *_houses(g, g.buildings_of(player))]


def standing_blocks(view: View) -> list[Block]:
    """Players, troops, buildings and lasting spells as far as the view shows them."""
    g = view.state
    total = len(g.board.provinces)
    rows = []
    for player in g.players.values():
        if player.status == "out":
            continue
        kind = "вышел из игры" if player.status == "left" else word("type", _kind(g, player.id))
        if player.suzerain:
            kind += f", вассал ({player_name(g, player.suzerain)})"
        money = forecast = "—"
        if view.knows_money(player.id) and player.status == "in":
            money = f"{player.money} из {treasury(g, player.id)}"
            forecast = f"{income(g, player.id):+d}"
        rows.append(
            row(
                player.name,
                kind,
                str(len(g.houses_of(player.id))),
                str(len(g.units_of(player.id))),
                str(len(g.buildings_of(player.id))),
                money,
                forecast,
            )
        )
    columns = (
        Column("Игрок"),
        Column("Кто"),
        Column(f"Земли (из {total})", True),
        Column("Войска", True),
        Column("Строения", True),
        Column("Казна", True),
        Column("Доход", True),
    )
    blocks: list[Block] = [Table(columns, tuple(rows), caption=f"Год {g.tour}")]
    blocks += _troops(g, g.units.values())
    blocks += _houses(g, g.buildings.values())
    if g.effects:
        names = spells()
        items = [
            rich(
                f"{names[e.spell].name}: {_touched(g, e)} "
                f"({'до конца хода' if e.until == 'turn' else 'круг, ' + player_name(g, e.caster)})"
            )
            for e in g.effects
        ]
        blocks.append(Bullets(tuple(items)))
    return blocks


def _troops(g: State, units: Iterable[Unit]) -> list[Block]:
    columns = (Column("Войско"), Column("Хозяин"), Column("Клетка"), Column("Сила", True), Column("Действие"))
    rows = tuple(
        row(
            f"{unit_name(g, u)} [{u.id}]" if u.name else f"{type_name(g, u.type)} [{u.id}]",
            player_name(g, u.owner) if u.owner else "ничьё",
            u.cell + (" (на воде)" if u.afloat else ""),
            str(strength(g, u)) + (" мифрил" if u.mithril else ""),
            "—" if u.owner is None else "нет" if u.blocked else "есть",
        )
        for u in sorted(units, key=lambda u: (u.owner or "~", natural(u.id)))
    )
    return [Table(columns, rows, caption="Войска")] if rows else []


def _houses(g: State, buildings: Iterable[Building]) -> list[Block]:
    columns = (Column("Строение"), Column("Хозяин"), Column("Клетка"), Column("Земля"), Column("Действие"))
    rows = tuple(
        row(
            building_type_name(g, b.type) + (f" {b.name}" if b.name else ""),
            player_name(g, b.owner) if b.owner else "ничьё",
            b.cell,
            g.board.provinces[g.board.province[b.cell]].name if g.board.province[b.cell] in g.board.provinces else "—",
            "—" if b.owner is None else "нет" if b.blocked else "есть",
        )
        for b in sorted(buildings, key=lambda b: g.board.order(b.cell))
    )
    return [Table(columns, rows, caption="Строения")] if rows else []


def _kind(g: State, player: str) -> str:
    if g.players[player].vagabond is not None:
        return "vagabond"
    return "ruler" if g.is_ruler(player) else "commander"


def _touched(g: State, effect: Effect) -> str:
    """What a lasting spell lies on: a troop, a player, or a mine's cell."""
    if effect.unit:
        return object_name(g, effect.unit)
    return player_name(g, effect.player) if effect.player else ", ".join(effect.actions)
