"""What goes into a battle and what comes out of it; all immutable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rules.base import FactionId
from rules.steel_rose.battle.abilities import Catalogue, catalogue
from rules.steel_rose.battle.log import Entry
from rules.steel_rose.battle.places import PLACES, Flank, Place
from rules.steel_rose.data import Counts, Settings, UnitId, game_data

ManeuverKind: TypeAlias = Literal["move", "forced_march", "defend", "cover", "charge", "bombard", "long_bombard"]
Side: TypeAlias = Literal[0, 1]
"""0: who attacks the city («A»); 1: who defends it («B»)."""
ATTACKER: Side = 0
DEFENDER: Side = 1
GARRISON = "garrison"
"""Origin of a city's own defenders."""


@dataclass(frozen=True, slots=True)
class Group:
    """Units of one type and origin in a squad."""

    unit: UnitId
    count: int
    origin: str = "army"
    """`garrison`, or a name the caller gives the army; losses are counted by it."""
    favored: bool = False
    """Under Небесное благоволение (R119)."""


Squads: TypeAlias = Mapping[Place, tuple[Group, ...]]


@dataclass(frozen=True, slots=True)
class ManeuverOrder:
    """One squad's manoeuvre, legal on the revealed boards (see `orders.check_maneuvers`)."""

    place: Place
    kind: ManeuverKind | None
    """None: a free move alone."""
    target: Place | None = None
    """Own place for `defend`; the enemy's for `charge`, `bombard`, `long_bombard`."""
    path: tuple[Place, ...] = ()
    """One cell for `move`, two for `forced_march`."""
    free_move: Place | None = None


@dataclass(frozen=True, slots=True)
class SideSetup:
    """One side at the start of the battle."""

    faction: FactionId
    squads: Squads
    maneuvers: tuple[ManeuverOrder, ...] = ()
    shot_bonus: float = 0.0
    """Added to the damage of its shots: walls and bastion of the defended city (R112)."""

    def groups(self) -> Iterator[tuple[Place, Group]]:
        """All groups in the order of places."""
        for place in PLACES:
            for group in self.squads.get(place, ()):
                yield place, group


@dataclass(frozen=True, slots=True)
class BattleSetup:
    """Everything a battle depends on but the dice."""

    attacker: SideSetup
    defender: SideSetup
    settings: Settings = field(default_factory=lambda: game_data().settings)
    units: Catalogue = field(default_factory=catalogue, repr=False, compare=False)
    """Unit types with their abilities."""

    @property
    def sides(self) -> tuple[SideSetup, SideSetup]:
        """Attacker, defender."""
        return self.attacker, self.defender


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of the units of one type and origin."""

    side: Side
    origin: str
    unit: UnitId
    fielded: int
    standing: int
    """Alive at the end of the battle."""
    sacrificed: int
    """Cultists who gave their life: never rescued (R3)."""
    rescued: int
    """Fallen who return (R3, R4)."""

    @property
    def fallen(self) -> int:
        """Fielded − standing."""
        return self.fielded - self.standing

    @property
    def dead(self) -> int:
        """Fallen − rescued: what honour, meat and hunger count (R5)."""
        return self.fallen - self.rescued

    @property
    def returning(self) -> int:
        """Standing + rescued: what the owner keeps."""
        return self.standing + self.rescued


@dataclass(frozen=True, slots=True)
class SquadState:
    """A squad at one moment."""

    place: Place
    alive: Counts
    """Living units by type, summoned ones included."""
    total: int
    """Units it was deployed with."""
    fatigue: int


@dataclass(frozen=True, slots=True)
class Stage:
    """Both sides' squads at one moment: `deployment`, `bombard`, `charge`, `moves`, `clash`, `final`."""

    id: str
    squads: tuple[tuple[SquadState, ...], tuple[SquadState, ...]]


@dataclass(frozen=True, slots=True)
class FlankRounds:
    """One flank's fight."""

    flank: Flank
    rounds: int
    """0: not paired (R45)."""


@dataclass(frozen=True, slots=True)
class BattleResult:
    """The end of a battle."""

    setup: BattleSetup = field(repr=False)
    winner: Side | None
    """None: a draw; the city stays with the defender (R73)."""
    flank_rounds: tuple[FlankRounds, ...]
    final_rounds: int
    tallies: tuple[Tally, ...]
    stages: tuple[Stage, ...]
    flanked: Side | None
    """The side with fewer squads at the final (R72)."""
    log: tuple[Entry, ...] = field(repr=False)

    @property
    def rounds(self) -> int:
        """Rounds of the battle: the longest flank fight plus the final (R74)."""
        return max((f.rounds for f in self.flank_rounds), default=0) + self.final_rounds

    def tally(self, side: Side, *, garrison: bool | None = None) -> tuple[Tally, ...]:
        """A side's tallies; of its garrison only, or all but it."""
        return tuple(t for t in self.tallies if t.side == side and garrison in (None, t.origin == GARRISON))

    def counts(self, side: Side, what: str, *, garrison: bool | None = None) -> Counts:
        """A tally attribute (`dead`, `standing`, `returning`, …) summed by unit type; types at 0 are left out."""
        out: Counts = {}
        for tally in self.tally(side, garrison=garrison):
            number = getattr(tally, what)
            if number:
                out[tally.unit] = out.get(tally.unit, 0) + number
        return out

    def dead(self, side: Side) -> int:
        """All dead units of a side."""
        return sum(t.dead for t in self.tally(side))
