"""Rounds of fighting by the clash rules: abilities, shots from the rear, exchanges of blows, ticks (R46–R53)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rules.dice import Stream
from rules.steel_rose.battle.abilities import BELCHES, HEALERS, SUMMONS, Catalogue, Sacrifice
from rules.steel_rose.battle.damage import Conditions, Formula, strength_of
from rules.steel_rose.battle.log import BlowKind, Effect, Entry, Modifier, Note, Strike
from rules.steel_rose.battle.model import ATTACKER, DEFENDER, Group, Side
from rules.steel_rose.battle.state import Blow, Fighter, Formation, RoundStart, Squad, Turn
from rules.steel_rose.data import UnitId

SIDES: tuple[Side, Side] = (ATTACKER, DEFENDER)
Pair = tuple[Formation, Formation]


def other(side: Side) -> Side:
    """The opposing side."""
    return DEFENDER if side == ATTACKER else ATTACKER


@dataclass
class Arena:
    """What all fights of one battle share: dice, protocol, formula, the numbering of units."""

    stream: Stream
    formula: Formula
    units: Catalogue
    detailed: bool = True
    """False: no protocol is kept (statistics)."""
    log: list[Entry] = field(default_factory=list)
    numbers: dict[tuple[Side, UnitId], int] = field(default_factory=dict)

    def note(self, entry: Entry) -> None:
        """Adds to the protocol."""
        if self.detailed:
            self.log.append(entry)

    def enlist(self, side: Side, group: Group, *, squeamish: bool = False, summoned: bool = False) -> list[Fighter]:
        """New fighters of a group, numbered on."""
        kind = self.units[group.unit]
        out = []
        for _ in range(group.count):
            number = self.numbers.get((side, group.unit), 0) + 1
            self.numbers[side, group.unit] = number
            out.append(
                Fighter(
                    kind=kind,
                    side=side,
                    number=number,
                    origin=group.origin,
                    hp=float(kind.type.hp),
                    armor=float(kind.type.armor),
                    dead_below=self.formula.combat.dead_below,
                    favored=group.favored,
                    squeamish=squeamish,
                    summoned=summoned,
                )
            )
        return out

    def summon(self, unit: UnitId, into: Formation, by: Fighter) -> Fighter:
        """A summoned unit joins a formation; it is as tired as the squad it joins, in the final as its summoner."""
        (fighter,) = self.enlist(by.side, Group(unit, 1, by.origin), summoned=True)
        fighter.fatigue = into.fatigue if isinstance(into, Squad) else by.fatigue
        into.join(fighter)
        return fighter

    def bury(self, formation: Formation) -> None:
        """Notes and removes a formation's dead."""
        for fighter in formation.refresh():
            self.note(Effect("death", fighter.who, 0.0, "R2"))

    # -------------------------------------------------------------------------------------------- blows

    def blow(self, kind: BlowKind, attacker: Fighter, target: Fighter, conditions: Conditions) -> Blow:
        """A blow as abilities see it."""
        charging = conditions.charger == attacker.side
        return Blow(
            kind=kind,
            attacker=attacker,
            target=target,
            note=self.note,
            attacker_charges=charging,
            first_shock=charging and conditions.first_shock,
            target_charged=charging,
            target_covers=charging and conditions.covering,
        )

    def roll(self, attacker: Fighter, kind: BlowKind) -> tuple[int, int]:
        """Strength and its die; strength 0 rolls nothing (R6)."""
        strength = strength_of(attacker, kind)
        return strength, self.stream.roll(strength) if strength else 0

    def shoot(
        self,
        kind: BlowKind,
        shooter: Fighter,
        out: tuple[Modifier, ...],
        enemy: Formation,
        conditions: Conditions,
        in_cover: bool,
    ) -> None:
        """One shot, at one unit or at an area; applied at once (R34, R36). `out`: ΣOUT, which doesn't depend on the target."""
        wide = max((a.shot_targets(len(enemy.living)) for a in shooter.kind.having("shot_targets")), default=0)
        count = len(enemy.living)
        chosen = self.stream.sample(count, wide) if wide else (self.stream.pick(count),)
        targets = [enemy.living[i] for i in chosen]
        for target in targets:
            blow = self.blow(kind, shooter, target, conditions)
            strength, roll = self.roll(shooter, kind)
            into = tuple(self.formula.incoming(blow, enemy, conditions))
            times = tuple(self.formula.products(blow, in_cover))
            strike = self.formula.strike(blow, strength, roll, out, into, times, "R34" if kind == "bombard" else "R46")
            self.note(strike)
            target.hp -= blow.damage
            for ability in target.kind.having("suffered"):
                ability.suffered(blow)
            for ability in shooter.kind.having("dealt"):
                ability.dealt(blow)
            if not target.alive:
                self.bury(enemy)
        for ability in shooter.kind.having("fired"):
            ability.fired(shooter, self.note)

    # -------------------------------------------------------------------------------------------- rounds

    def round_start(self, number: int, front: Pair, rears: tuple[Formation | None, Formation | None]) -> None:
        """Step 1: summons, then healers, then belches; attacker before defender, vanguard before rear (R46)."""
        for stage in (SUMMONS, HEALERS, BELCHES):
            for side in SIDES:
                own, rear = front[side], rears[side]
                for formation in (own, rear) if rear is not None else (own,):
                    start = RoundStart(
                        number=number,
                        own=formation,
                        front=own,
                        enemy=front[other(side)],
                        in_rear=formation is rear,
                        stream=self.stream,
                        note=self.note,
                        summoner=self.summon,
                    )
                    for fighter in tuple(formation.living):
                        for ability in fighter.kind.having("round_start"):
                            if ability.stage == stage:
                                ability.round_start(fighter, start)

    def rear_shots(self, front: Pair, rears: tuple[Formation | None, Formation | None], conditions: Conditions) -> None:
        """Step 3: every living shooter in the rear fires once at the enemy vanguard (R46)."""
        for side in SIDES:
            rear, enemy = rears[side], front[other(side)]
            if rear is None:
                continue
            for shooter in tuple(rear.living):
                if shooter.kind.type.ranged and enemy.alive:
                    out = tuple(self.formula.outgoing(self.blow("shot", shooter, enemy.living[0], conditions), rear))
                    self.shoot("shot", shooter, out, enemy, conditions, False)

    def exchange(self, front: Pair, conditions: Conditions) -> None:
        """One exchange: each side's next strikes, on the state before; several blows of one unit follow in turn (R47, R49)."""
        drawn = [front[side].next(self.stream) for side in SIDES]
        for number in range(max(fighter.kind.type.attacks for fighter in drawn)):
            blows: list[tuple[Blow, Strike]] = []
            sacrifices: list[Sacrifice] = []
            for side in SIDES:
                attacker, enemy = drawn[side], front[other(side)]
                if number >= attacker.kind.type.attacks or not attacker.alive or not enemy.alive:
                    continue
                turn = Turn(attacker, enemy, self.stream)
                given = next((s for a in attacker.kind.having("instead") if (s := a.instead(turn)) is not None), None)
                if given is not None:
                    sacrifices.append(given)
                else:
                    blows.append(self.prepare(attacker, front[side], enemy, conditions))
            if not blows and not sacrifices:
                break
            self.apply(blows, sacrifices)
            for side in SIDES:
                if any(not f.alive for f in front[side].living):
                    self.bury(front[side])

    def prepare(self, attacker: Fighter, own: Formation, enemy: Formation, conditions: Conditions) -> tuple[Blow, Strike]:
        """Picks the target, rolls, computes; applies nothing."""
        target = enemy.living[self.stream.pick(len(enemy.living))]
        blow = self.blow("melee", attacker, target, conditions)
        strength, roll = self.roll(attacker, "melee")
        out = tuple(self.formula.outgoing(blow, own))
        into = tuple(self.formula.incoming(blow, enemy, conditions))
        return blow, self.formula.strike(blow, strength, roll, out, into, tuple(self.formula.products(blow, False)), "R47")

    def apply(self, blows: Sequence[tuple[Blow, Strike]], sacrifices: Sequence[Sacrifice]) -> None:
        """Applies the damages together, then their consequences (R47)."""
        for blow, strike in blows:
            self.note(strike)
            blow.target.hp -= blow.damage
        for given in sacrifices:
            self.note(Effect("sacrifice", given.attacker.who, given.damage, given.rule))
            for target in given.targets:
                target.hp -= given.damage
                left = target.hp if target.alive else 0.0
                self.note(Effect("hit", target.who, given.damage, given.rule, given.attacker.who, hp_after=left))
            given.attacker.hp = 0.0
            given.attacker.sacrificed = True
        for blow, _ in blows:
            for ability in blow.target.kind.having("suffered"):
                ability.suffered(blow)
            for ability in blow.attacker.kind.having("dealt"):
                ability.dealt(blow)

    def play_round(
        self, number: int, front: Pair, rears: tuple[Formation | None, Formation | None], conditions: Conditions
    ) -> None:
        """One whole round of an engagement (R46). `conditions.outnumbered` is worked out here."""
        self.note(Note("round", "R46", {"number": number, "living": [len(f.living) for f in front]}))
        self.round_start(number, front, rears)
        sizes = [len(formation.living) for formation in front]
        outnumbered = penalised(sizes[0], sizes[1], self.formula.combat.outnumber_ratio)
        if outnumbered is not None:
            self.note(Note("outnumbered", "R51", {"side": outnumbered, "living": sizes}))
        conditions = replace(conditions, outnumbered=outnumbered)
        self.rear_shots(front, rears, conditions)
        for _ in range(max(sizes)):
            if not (front[0].alive and front[1].alive):
                break
            self.exchange(front, conditions)
        for formation in (front[0], rears[0], front[1], rears[1]):
            if formation is None:
                continue
            for fighter in formation.living:
                fighter.tick(self.note)
            self.bury(formation)

    def to_the_death(self, front: Pair, cap: int, conditions: Conditions) -> int:
        """An engagement of two formations without rears: a charge or the final. Returns its rounds, at most `cap` (R52)."""
        for formation in front:
            formation.queue.clear()
        number = 0
        while number < cap and front[0].alive and front[1].alive:
            number += 1
            shock = conditions.first_shock and number == 1
            self.play_round(number, front, (None, None), replace(conditions, first_shock=shock))
        return number


def penalised(attackers: int, defenders: int, ratio: int) -> Side | None:
    """The smaller squad when the other is at least `ratio` times as big (R51)."""
    if attackers >= ratio * defenders:
        return DEFENDER if defenders else None
    if defenders >= ratio * attackers:
        return ATTACKER if attackers else None
    return None
