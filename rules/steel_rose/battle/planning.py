"""The steps of planning: cover, barrages, defence, charges, changes of position (R25–R41)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rules.base import RulesError
from rules.steel_rose.battle.damage import Conditions
from rules.steel_rose.battle.fight import SIDES, Arena, Pair, other
from rules.steel_rose.battle.log import Modifier, Note
from rules.steel_rose.battle.model import Side
from rules.steel_rose.battle.places import FLANKS, PLACES, Place, adjacent, is_rear, rear, vanguard
from rules.steel_rose.battle.state import Fighter, Squad
from rules.steel_rose.data import GameData

Army = dict[Place, Squad]
"""A side's squads by place; the wiped out are taken off."""


def in_order(army: Army) -> Iterator[Squad]:
    """Squads flank by flank, vanguard before rear."""
    return (army[place] for place in PLACES if place in army)


@dataclass
class Planning:
    """Carries out both sides' manoeuvres on the revealed boards."""

    arena: Arena
    armies: tuple[Army, Army]
    data: GameData
    charge_cap: int

    def __post_init__(self) -> None:
        self.revealed: tuple[Army, Army] = (dict(self.armies[0]), dict(self.armies[1]))
        """Orders speak of places as both sides saw them."""

    def ordered(self, *kinds: str) -> Iterator[Squad]:
        """Squads with such an order, the attacker's first."""
        for side in SIDES:
            for squad in in_order(self.revealed[side]):
                if squad.order is not None and squad.order.kind in kinds:
                    yield squad

    # -------------------------------------------------------------------------------------------- steps 1 and 2

    def cover(self) -> None:
        """Step 1 (R33)."""
        for squad in self.ordered("cover"):
            squad.covered = True
            self.arena.note(Note("covered", "R33", {"side": squad.side, "place": squad.place}))

    def bombard(self) -> None:
        """Step 2: all barrages at once; whoever is killed still fires, with the strength he had (R34)."""
        volleys: list[tuple[Squad, Squad, list[tuple[Fighter, tuple[Modifier, ...]]]]] = []
        for squad in self.ordered("bombard", "long_bombard"):
            target = self.revealed[other(squad.side)][aim(squad)]
            volleys.append((squad, target, [(f, self.strength(squad, f)) for f in squad.living]))
        for squad, target, shooters in volleys:
            self.arena.note(
                Note("bombard", "R34", {"side": squad.side, "place": squad.place, "target": target.place, "long": is_long(squad)})
            )
            for fighter, out in shooters:
                for _ in range(fighter.kind.type.volley):
                    if not target.alive:
                        break
                    self.arena.shoot("bombard", fighter, out, target, Conditions(), target.covered)
        self.promote()

    def strength(self, squad: Squad, fighter: Fighter) -> tuple[Modifier, ...]:
        """ΣOUT of a shooter as the barrage begins."""
        blow = self.arena.blow("bombard", fighter, fighter, Conditions())
        return tuple(self.arena.formula.outgoing(blow, squad))

    # -------------------------------------------------------------------------------------------- steps 3 and 4

    def defend(self) -> dict[Squad, Squad]:
        """Step 3: who covers whom (R32)."""
        covers: dict[Squad, Squad] = {}
        for squad in self.ordered("defend"):
            if not squad.alive:
                continue
            squad.tire(self.data.maneuvers["defend"].fatigue)
            covers[self.revealed[squad.side][aim(squad)]] = squad
            self.arena.note(Note("defends", "R32", {"side": squad.side, "place": squad.place, "target": aim(squad)}))
        return covers

    def charge(self, covers: dict[Squad, Squad]) -> None:
        """Step 4: charges one after another in a random order (R38–R41)."""
        charges = list(self.ordered("charge"))
        for i in self.arena.stream.shuffle(len(charges)):
            squad = charges[i]
            target = self.revealed[other(squad.side)][aim(squad)]
            place = {"side": squad.side, "place": squad.place, "target": aim(squad)}
            if not squad.alive or not target.alive or not is_rear(target.place):
                self.arena.note(Note("charge_cancelled", "R40" if not squad.alive else "R38", place))
                continue
            self.arena.note(Note("charge", "R38", place))
            self.charge_one(squad, target, covers.get(target))
            self.promote()

    def charge_one(self, squad: Squad, target: Squad, cover: Squad | None) -> None:
        """First the living cover, then the rear itself (R39)."""
        first = True
        for opponent in (cover, target):
            if opponent is None or not opponent.alive:
                continue
            self.arena.note(
                Note("charge_fight", "R39", {"side": opponent.side, "place": opponent.place, "cover": opponent is cover})
            )
            pair: Pair = (squad, opponent) if squad.side == 0 else (opponent, squad)
            conditions = Conditions(charger=squad.side, first_shock=first, covering=opponent is cover)
            rounds = self.arena.to_the_death(pair, self.charge_cap, conditions)
            self.arena.note(Note("charge_end", "R39", {"rounds": rounds, "living": [len(f.living) for f in pair]}))
            if not squad.alive or opponent.alive:
                return
            first = False

    # -------------------------------------------------------------------------------------------- step 5

    def moves(self) -> None:
        """Step 5: changes of position and forced marches, all at once, cell by cell (R28–R31)."""
        for side in SIDES:
            paths: dict[Squad, list[Place]] = {}
            for squad in in_order(self.armies[side]):
                if squad.order is None:
                    continue
                path = [squad.order.free_move] if squad.order.free_move is not None else []
                if squad.order.kind in ("move", "forced_march"):
                    path += squad.order.path
                if squad.order.kind == "forced_march":
                    squad.tire(self.data.maneuvers["forced_march"].fatigue)
                if path:
                    paths[squad] = path
            while paths:
                self.move_once(side, {squad: path.pop(0) for squad, path in paths.items()})
                paths = {squad: path for squad, path in paths.items() if path}
                self.promote_side(side, waiting=set(paths))
        self.promote()

    def move_once(self, side: Side, wanted: dict[Squad, Place]) -> None:
        """One cell for each; who can't move stays, until nothing changes (R28)."""
        army = self.armies[side]
        going = {}
        for squad, goal in wanted.items():
            if adjacent(squad.place, goal):
                going[squad] = goal
            else:
                self.arena.note(Note("lost_move", "R28", {"side": side, "place": squad.place, "target": goal}))
        stable = False
        while not stable:
            goals = list(going.values())
            held = {squad.place for squad in army.values() if squad not in going}
            blocked = [squad for squad, goal in going.items() if goal in held or goals.count(goal) > 1]
            for squad in blocked:
                goal = going.pop(squad)
                self.arena.note(Note("blocked", "R28", {"side": side, "place": squad.place, "target": goal}))
            stable = not blocked
        for squad in going:
            del army[squad.place]
        for squad, goal in going.items():
            self.arena.note(Note("moved", "R28", {"side": side, "place": squad.place, "target": goal}))
            squad.place = goal
            army[goal] = squad

    # -------------------------------------------------------------------------------------------- stepping up

    def promote(self) -> None:
        """Takes the wiped out off the boards; rears without a vanguard step up (R17)."""
        for side in SIDES:
            self.promote_side(side)

    def promote_side(self, side: Side, waiting: set[Squad] | None = None) -> None:
        """The same for one side; a squad on its march is not promoted yet (R29)."""
        army = self.armies[side]
        for place in [place for place, squad in army.items() if not squad.alive]:
            del army[place]
        for flank in FLANKS:
            front, back = vanguard(flank), rear(flank)
            if front not in army and back in army and army[back] not in (waiting or ()):
                squad = army.pop(back)
                squad.place = front
                army[front] = squad
                self.arena.note(Note("stepped_up", "R17", {"side": side, "place": back, "target": front}))


def aim(squad: Squad) -> Place:
    """The target of its order. Raises `RulesError` without one."""
    if squad.order is None or squad.order.target is None:
        raise RulesError(f"У манёвра отряда {squad.place} нет цели.")
    return squad.order.target


def is_long(squad: Squad) -> bool:
    """True when its barrage is a long-range one."""
    return squad.order is not None and squad.order.kind == "long_bombard"
