"""The reference engine: a whole battle, unit by unit, every draw from one stream in the order of §1.18 (R1, R14, R160)."""

from __future__ import annotations

from collections.abc import Sequence

from rules.base import RulesError
from rules.dice import Stream, scripted_dice
from rules.steel_rose.battle.aftermath import tallies
from rules.steel_rose.battle.damage import Conditions, Formula
from rules.steel_rose.battle.fight import SIDES, Arena, other
from rules.steel_rose.battle.log import Note
from rules.steel_rose.battle.model import (
    ATTACKER,
    DEFENDER,
    BattleResult,
    BattleSetup,
    FlankRounds,
    Side,
    SideSetup,
    SquadState,
    Stage,
)
from rules.steel_rose.battle.places import FLANKS, PLACES, Flank, is_rear, rear, vanguard
from rules.steel_rose.battle.planning import Army, Planning, is_long
from rules.steel_rose.battle.state import Fighter, Formation, Squad
from rules.steel_rose.data import game_data


def fight(setup: BattleSetup, stream: Stream, *, detailed: bool = True) -> BattleResult:
    """Fights a battle to its end.

    `detailed=False` keeps no protocol. The manoeuvres must be legal on the deployed boards (`orders.check_maneuvers`), the
    deployment without a rear lacking its vanguard. Raises `RulesError` where a squad or a target isn't there."""
    return _Battle(setup, stream, detailed).run()


def opening(setup: BattleSetup) -> Stage:
    """The boards as revealed, before the first manoeuvre; draws nothing."""
    battle = _Battle(setup, scripted_dice([])[0].stream("opening"), False)
    battle.stage("deployment")
    return battle.stages[0]


def bombard_only(setup: BattleSetup, stream: Stream, *, detailed: bool = True) -> BattleResult:
    """The barrages alone, without any fight: a floating city against the army sent at it (R117). Nobody wins."""
    return _Battle(setup, stream, detailed).run(barrage_only=True)


def squeamish(side: SideSetup, setup: BattleSetup) -> bool:
    """True for a side of elves with a unit of another faction in it (R121)."""
    return side.faction == "elves" and any(setup.units[group.unit].type.faction != "elves" for _, group in side.groups())


class _Battle:
    def __init__(self, setup: BattleSetup, stream: Stream, detailed: bool) -> None:
        data = game_data()
        bonus = (setup.attacker.shot_bonus, setup.defender.shot_bonus)
        self.setup = setup
        self.arena = Arena(stream, Formula(data.combat, data.maneuvers["cover"], bonus), setup.units, detailed)
        self.squads: tuple[list[Squad], list[Squad]] = ([], [])
        for side in SIDES:
            self.muster(side, setup.sides[side])
        armies: tuple[Army, Army] = ({s.place: s for s in self.squads[0]}, {s.place: s for s in self.squads[1]})
        self.armies = armies
        self.planning = Planning(self.arena, armies, data, setup.settings.max_rounds_charge)
        self.reveal()
        self.stages: list[Stage] = []
        self.flank_rounds: list[FlankRounds] = []
        self.final_rounds = 0
        self.flanked: Side | None = None
        self.whole: list[Formation] = []
        """The two formations of the final."""

    def muster(self, side: Side, given: SideSetup) -> None:
        """Puts a side's squads on the board."""
        picky = squeamish(given, self.setup)
        for place in PLACES:
            groups = [group for group in given.squads.get(place, ()) if group.count > 0]
            if not groups:
                continue
            fighters: list[Fighter] = []
            for group in groups:
                elf = self.setup.units[group.unit].type.faction == "elves"
                fighters += self.arena.enlist(side, group, squeamish=picky and elf)
            self.squads[side].append(Squad(side, place, fighters))

    def reveal(self) -> None:
        """Rears without a vanguard have stepped up (R17); orders go to the squads as they are seen, and aim at such."""
        self.planning.promote()
        for side in SIDES:
            army = self.armies[side]
            self.planning.revealed[side].clear()
            self.planning.revealed[side].update(army)
            for order in self.setup.sides[side].maneuvers:
                if order.place not in army:
                    raise RulesError(f"Манёвр отряду, которого нет: {order.place}.")
                army[order.place].order = order
        for side in SIDES:
            for squad in self.squads[side]:
                given = squad.order
                if given is None or given.kind not in ("defend", "charge", "bombard", "long_bombard"):
                    continue
                board = self.armies[side if given.kind == "defend" else other(side)]
                if given.target not in board:
                    raise RulesError(f"Манёвр {given.kind} с {given.place}: на {given.target} нет отряда.")

    def run(self, *, barrage_only: bool = False) -> BattleResult:
        """All phases in turn."""
        self.stage("deployment")
        self.phase("planning", "R26")
        self.planning.cover()
        self.planning.bombard()
        if any(self.planning.ordered("bombard", "long_bombard")):
            self.stage("bombard")
        if barrage_only:
            return self.result(None)
        covers = self.planning.defend()
        self.planning.charge(covers)
        if any(self.planning.ordered("charge")):
            self.stage("charge")
        self.planning.moves()
        if any(s.order and (s.order.path or s.order.free_move) for side in SIDES for s in self.squads[side]):
            self.stage("moves")
        self.phase("clash", "R43")
        for flank in FLANKS:
            self.flank_rounds.append(FlankRounds(flank, self.flank(flank)))
        self.stage("clash")
        if all(self.alive(side) for side in SIDES):
            self.final()
            self.stage("final")
        return self.result(self.winner())

    def phase(self, name: str, rule: str) -> None:
        """Marks a phase in the protocol."""
        self.arena.note(Note("phase", rule, {"phase": name}))

    def flank(self, flank: Flank) -> int:
        """One flank's own fight; its rounds, 0 when it is not paired (R43–R45)."""
        front = [self.armies[side].get(vanguard(flank)) for side in SIDES]
        back = [self.armies[side].get(rear(flank)) for side in SIDES]
        cap = self.setup.settings.max_rounds_clash
        number = 0
        for squad in (*front, *back):
            if squad is not None:
                squad.queue.clear()
        while number < cap:
            for side in SIDES:
                squad, behind = front[side], back[side]
                if squad is not None and not squad.alive:
                    front[side] = None
                if behind is not None and not behind.alive:
                    back[side] = None
                if front[side] is None and back[side] is not None:
                    self.arena.note(Note("stepped_up", "R44", {"side": side, "place": rear(flank), "target": vanguard(flank)}))
                    front[side], back[side] = back[side], None
            a, b = front
            if a is None or b is None:
                break
            if number == 0:
                self.arena.note(Note("flank", "R43", {"flank": flank}))
            number += 1
            self.arena.play_round(number, (a, b), (back[0], back[1]), Conditions())
        else:
            self.arena.note(Note("cap", "R52", {"flank": flank, "rounds": number}))
        for side in SIDES:
            self.settle(side, front[side], back[side], flank)
        return number

    def settle(self, side: Side, front: Squad | None, back: Squad | None, flank: Flank) -> None:
        """Writes a flank's squads back to the board, stepped up where it happened."""
        army = self.armies[side]
        for place, squad in ((vanguard(flank), front), (rear(flank), back)):
            army.pop(place, None)
            if squad is not None and squad.alive:
                squad.place = place
                army[place] = squad
        self.planning.promote_side(side)

    def alive(self, side: Side) -> bool:
        """True while a side has a living unit."""
        return any(squad.alive for squad in self.squads[side])

    def final(self) -> None:
        """All survivors in one melee (R71, R72)."""
        left = [sum(squad.alive for squad in self.squads[side]) for side in SIDES]
        if left[0] != left[1]:
            self.flanked = ATTACKER if left[0] < left[1] else DEFENDER
        self.phase("final", "R71")
        if self.flanked is not None:
            self.arena.note(Note("flanked", "R72", {"side": self.flanked, "squads": left}))
        self.whole = [Formation(side, [f for squad in self.squads[side] for f in squad.living]) for side in SIDES]
        cap = self.setup.settings.max_rounds_final
        pair = (self.whole[0], self.whole[1])
        self.final_rounds = self.arena.to_the_death(pair, cap, Conditions(flanked=self.flanked))
        for side in SIDES:
            for squad in self.squads[side]:
                squad.refresh()
        if all(f.alive for f in pair):
            self.arena.note(Note("cap", "R52", {"rounds": self.final_rounds}))

    def winner(self) -> Side | None:
        """Who is left alone on the field (R73)."""
        alive = [any(f.alive for f in self.everyone(side)) for side in SIDES]
        if alive[0] == alive[1]:
            return None
        return ATTACKER if alive[0] else DEFENDER

    def everyone(self, side: Side) -> Sequence[Fighter]:
        """All fighters of a side that ever were, the summoned of the final too."""
        out = [fighter for squad in self.squads[side] for fighter in squad.fighters]
        if self.whole:
            known = set(map(id, out))
            out += [fighter for fighter in self.whole[side].fighters if id(fighter) not in known]
        return out

    def stage(self, name: str) -> None:
        """Remembers the boards."""
        sides = []
        for side in SIDES:
            states = []
            for squad in self.squads[side]:
                alive: dict[str, int] = {}
                for fighter in squad.living:
                    alive[fighter.kind.id] = alive.get(fighter.kind.id, 0) + 1
                states.append(SquadState(squad.place, alive, squad.total, squad.fatigue))
            sides.append(tuple(states))
        self.stages.append(Stage(name, (sides[0], sides[1])))

    def result(self, winner: Side | None) -> BattleResult:
        """The books and everything else."""
        books = [t for side in SIDES for t in tallies(self.everyone(side), side, self.setup.settings, self.arena.stream)]
        return BattleResult(
            setup=self.setup,
            winner=winner,
            flank_rounds=tuple(self.flank_rounds),
            final_rounds=self.final_rounds,
            tallies=tuple(books),
            stages=tuple(self.stages),
            flanked=self.flanked,
            log=tuple(self.arena.log),
        )


__all__ = ["bombard_only", "fight", "is_long", "is_rear", "squeamish"]
