"""Freed dragons fly home, fighting whatever stands in their way (R179); zombies without a master crumble (R59)."""

from __future__ import annotations

from rules.grand_strategy.names import unit_name
from rules.grand_strategy.play import Play
from rules.grand_strategy.state import Battle, Unit


def fly(play: Play, dragon: Unit) -> None:
    """The whole flight, step by step; on arrival the dragon sleeps."""
    g = play.g
    board = g.board
    home = dragon.lair or next(iter(g.lairs), dragon.cell)
    dragon.owner, dragon.controller, dragon.leaving, dragon.fly_after, dragon.blocked = None, None, False, None, None
    path, fought = [dragon.cell], 0
    while dragon.cell != home and dragon.id in g.units:
        ways = [c for c in board.near(dragon.cell) if board.distance(c, home) == board.distance(dragon.cell, home) - 1]
        to = ways[play.pick(f"полёт, {dragon.id}", len(ways))]
        while dragon.id in g.units:
            targets = [f"unit:{u.id}" for u in sorted(g.units_at(to), key=lambda u: u.id)]
            building = g.buildings.get(to)
            if building is not None and not g.btype(building).mine:
                targets.append(f"building:{to}")
            if not targets:
                break
            fought += 1
            _attack(play, dragon, targets[play.pick(f"цель, {dragon.id}", len(targets))], targets, to)
            if building is not None and to in g.buildings and dragon.id in g.units and not g.units_at(to):
                # A beaten house still stands one level lower: the dragon has had its fight and flies over it.
                break
        if dragon.id not in g.units:
            break
        dragon.cell, dragon.afloat = to, board.is_sea(to)
        path.append(to)
    if dragon.id in g.units:
        del g.units[dragon.id]
        lair = g.lairs.get(home)
        if lair is not None:
            lair.state, lair.tamer = "home", None
    g.paths.append(["", *path])
    play.emit("dragon_flight", "R179", dragon=dragon.id, path=path, lair=home, battles=fought, home=dragon.cell == home)


def _attack(play: Play, dragon: Unit, target: str, there: list[str], cell: str) -> None:
    from rules.grand_strategy.battles import _together, run

    g = play.g
    number = max([0, *(b.number for b in g.battles)]) + 1
    defenders = [target, *(t for t in there if t != target and _together(g, target, t))]
    battle = Battle(number, [f"unit:{dragon.id}"], defenders, target, cell)
    g.battles.append(battle)
    result = run(play, battle)
    if result != "att" and dragon.id in g.units:
        play.remove_unit(dragon.id)


def after_battles(play: Play) -> None:
    """Neutral zombies without a living mage crumble, freed dragons fly (R59, R179)."""
    g = play.g
    for unit in [u for u in g.units_of(None) if u.type == "zombies" and u.controller is not None]:
        mage = g.units.get(unit.controller or "")
        if mage is None or mage.owner is not None:
            play.crumble(unit, "R59")
    for dragon in sorted((u for u in g.units.values() if u.type == "dragon"), key=lambda u: u.id):
        if dragon.id not in g.units:
            continue
        mage = g.units.get(dragon.controller or "")
        loose = (
            dragon.owner is None
            and dragon.fly_after is None
            and (dragon.controller is None or mage is None or mage.owner is not None)
        )
        if dragon.leaving or (loose and dragon.lair is not None) or dragon.fly_after == g.active:
            fly(play, dragon)


def crumble_orphans(play: Play, player: str) -> None:
    """At the very start of their owner's turn zombies without a living mage of his crumble (R179)."""
    g = play.g
    for unit in g.units_of(player):
        if unit.type == "zombies":
            mage = g.units.get(unit.controller or "")
            if unit.controller is not None and (mage is None or mage.owner != player):
                play.crumble(unit, "R179")


__all__ = ["after_battles", "crumble_orphans", "fly", "unit_name"]
