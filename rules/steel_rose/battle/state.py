"""The changing state of a battle: fighters, squads, and what abilities see of a blow, a turn and the start of a round."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from rules.dice import Stream
from rules.steel_rose.battle.abilities import UnitKind
from rules.steel_rose.battle.log import BlowKind, Effect, Entry, Modifier, Who
from rules.steel_rose.battle.model import ManeuverOrder, Side
from rules.steel_rose.battle.places import Place
from rules.steel_rose.data import UnitId

Note: TypeAlias = Callable[[Entry], None]
"""Adds an entry to the protocol."""


@dataclass(slots=True)
class Lasting:
    """One stack of an effect: so much per tick, for so many more ticks."""

    amount: float
    left: int


@dataclass(slots=True, eq=False)
class Fighter:
    """One unit, simulated separately (R1)."""

    kind: UnitKind
    side: Side
    number: int
    origin: str
    hp: float
    armor: float
    dead_below: float
    """Dead at this health or less (R2)."""
    favored: bool = False
    squeamish: bool = False
    summoned: bool = False
    sacrificed: bool = False
    fatigue: int = 0
    """Its squad's fatigue, kept in the final (R30)."""
    fury: float = 1.0
    """Factor of its melee damage that grows (R67)."""
    toughness: float = 1.0
    """Factor of damage it takes that shrinks (R67)."""
    magic: float = 1.0
    """Factor of its shots that grows (R66)."""
    wounds: list[Lasting] = field(default_factory=list)
    """Damage over time."""
    cures: list[Lasting] = field(default_factory=list)
    weaknesses: list[Lasting] = field(default_factory=list)

    @property
    def who(self) -> Who:
        """Its name in the protocol."""
        return Who(self.side, self.kind.id, self.number)

    @property
    def alive(self) -> bool:
        """R2."""
        return self.hp > self.dead_below

    def heal(self, amount: float, rule: str, note: Note) -> None:
        """Raises health up to the maximum; the dead stay dead."""
        if self.alive:
            self.hp = min(float(self.kind.type.hp), self.hp + amount)
            note(Effect("heal", self.who, amount, rule, hp_after=self.hp))

    def add_wound(self, per_tick: float, rounds: int) -> None:
        """A stack of damage over time."""
        self.wounds.append(Lasting(per_tick, rounds))

    def add_cure(self, per_tick: float, rounds: int) -> None:
        """A stack of regeneration."""
        self.cures.append(Lasting(per_tick, rounds))

    def add_weakness(self, out: float, rounds: int) -> None:
        """A stack of less damage dealt."""
        self.weaknesses.append(Lasting(out, rounds))

    def tick(self, note: Note) -> None:
        """End of a round (R53): damage over time, death, regeneration, timers."""
        if not self.alive:
            return
        wounded = sum((w.amount for w in self.wounds), 0.0)
        if wounded:
            self.hp -= wounded
            note(Effect("tick", self.who, wounded, "R53", hp_after=self.hp if self.alive else 0.0))
            if not self.alive:
                return
        cured = self.kind.regeneration + sum((c.amount for c in self.cures), 0.0)
        if cured:
            self.hp = min(float(self.kind.type.hp), self.hp + cured)
            note(Effect("regen", self.who, cured, "R53", hp_after=self.hp))
        for stacks in (self.wounds, self.cures, self.weaknesses):
            if stacks:
                for stack in stacks:
                    stack.left -= 1
                stacks[:] = [stack for stack in stacks if stack.left > 0]


class Formation:
    """Fighters that fight as one: a squad, or a side's survivors in the final."""

    def __init__(self, side: Side, fighters: Iterable[Fighter]) -> None:
        self.side: Side = side
        self.fighters = list(fighters)
        """All that ever belonged to it, in order."""
        self.living = [f for f in self.fighters if f.alive]
        self.queue: list[Fighter] = []
        """Who strikes next, from the front (R48)."""
        self.aura_out: Modifier | None = None
        self.aura_in: Modifier | None = None
        self.refresh()

    @property
    def alive(self) -> bool:
        """True while somebody lives."""
        return bool(self.living)

    def refresh(self) -> list[Fighter]:
        """Removes the dead from `living`, works out the auras anew; gives those removed."""
        gone = [f for f in self.living if not f.alive]
        if gone:
            self.living = [f for f in self.living if f.alive]
        self.aura_out = max((m for f in self.living if (m := f.kind.squad_out)), key=lambda m: m.value, default=None)
        self.aura_in = min((m for f in self.living if (m := f.kind.squad_in)), key=lambda m: m.value, default=None)
        return gone

    def join(self, fighter: Fighter) -> None:
        """A summoned unit steps in; it strikes from the next shuffle on."""
        self.fighters.append(fighter)
        self.living.append(fighter)

    def next(self, stream: Stream) -> Fighter:
        """The next to strike: from the front of the queue, the dead skipped, shuffled anew when it is empty (R48)."""
        while self.queue:
            fighter = self.queue.pop(0)
            if fighter.alive:
                return fighter
        self.queue = [self.living[i] for i in stream.shuffle(len(self.living))]
        return self.queue.pop(0)


class Squad(Formation):
    """A squad on its place."""

    def __init__(self, side: Side, place: Place, fighters: Iterable[Fighter]) -> None:
        super().__init__(side, fighters)
        self.place: Place = place
        self.total = len(self.fighters)
        self.covered = False
        """In cover against the barrage (R33)."""
        self.order: ManeuverOrder | None = None

    @property
    def fatigue(self) -> int:
        """Levels of fatigue (R30)."""
        return self.fighters[0].fatigue

    def tire(self, levels: int) -> None:
        """Adds fatigue."""
        for fighter in self.fighters:
            fighter.fatigue += levels


@dataclass(slots=True)
class Blow:
    """One blow or shot, as abilities see it."""

    kind: BlowKind
    attacker: Fighter
    target: Fighter
    note: Note
    attacker_charges: bool = False
    """The attacker's squad is on its charge."""
    first_shock: bool = False
    """First round of the charge's first fight."""
    target_charged: bool = False
    """The target's squad is charged, or covers the one that is."""
    target_covers: bool = False
    """The target's squad covers another by «Защита» in this charge."""
    damage: float = 0.0
    """Computed damage, overkill included."""


@dataclass(slots=True)
class Turn:
    """A unit about to strike in melee."""

    attacker: Fighter
    enemy: Formation
    stream: Stream


@dataclass(slots=True)
class RoundStart:
    """The start of a round for one formation."""

    number: int
    """Round of this engagement, from 1."""
    own: Formation
    front: Formation
    """The squad in front of it, or itself."""
    enemy: Formation
    """Whom the front fights."""
    in_rear: bool
    stream: Stream
    note: Note
    summoner: Callable[[UnitId, Formation, Fighter], Fighter]

    def summon(self, unit: UnitId, into: Formation, by: Fighter, rule: str) -> None:
        """Adds a full-health unit to a formation."""
        fighter = self.summoner(unit, into, by)
        self.note(Effect("summon", fighter.who, fighter.hp, rule, by.who))
