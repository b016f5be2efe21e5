"""Deployment: who stands where, as posted or by default (R15–R22).

Pure functions of what is there and what was written; wrong posts come back as refusals with the sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from rules.steel_rose.battle.model import GARRISON, Group, Squads
from rules.steel_rose.battle.places import FLANKS, PLACES, Place, rear, vanguard
from rules.steel_rose.data import UnitId, UnitType, game_data
from rules.steel_rose.refusals import Refusal, refuse, unit_name, units_text

Amount: TypeAlias = int | Literal["all", "rest", "half"]
Posted: TypeAlias = Mapping[str, Mapping[str, Amount] | Literal["all", "rest"]]
"""Place → unit → number, in the written order; a place may take everything not placed elsewhere."""

SPREAD: tuple[Place, ...] = ("CV", "LV", "RV", "CR", "LR", "RR")
"""Where units go of which a squad may hold only so many (R19)."""


@dataclass(frozen=True, slots=True)
class Force:
    """Units of one origin: an army, or the garrison."""

    origin: str
    """`garrison`, or the army's name."""
    units: Mapping[UnitId, int]
    favored: bool = False

    @property
    def garrison(self) -> bool:
        """True for the city's own defenders."""
        return self.origin == GARRISON


@dataclass(frozen=True, slots=True)
class Deployment:
    """Where a side's units stand."""

    squads: Squads
    benched: tuple[Group, ...] = ()
    """No place left for them: they stay out of the battle, unharmed (R19)."""
    refusals: tuple[Refusal, ...] = ()
    """What was wrong with the post, warnings too."""
    accepted: bool = True
    """False: the post was refused; the squads are the default ones."""


@dataclass
class _Board:
    """Units placed so far and what is left of each force."""

    forces: tuple[Force, ...]
    types: Mapping[UnitId, UnitType]
    left: list[dict[UnitId, int]] = field(init=False)
    cells: dict[Place, list[Group]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.left = [{unit: count for unit, count in force.units.items() if count > 0} for force in self.forces]

    def total(self, unit: UnitId) -> int:
        return sum(force.units.get(unit, 0) for force in self.forces)

    def remaining(self, unit: UnitId) -> int:
        return sum(left.get(unit, 0) for left in self.left)

    def standing(self, place: Place, unit: UnitId) -> int:
        """How many of a type stand on a place."""
        return sum(group.count for group in self.cells.get(place, ()) if group.unit == unit)

    def put(self, place: Place, index: int, unit: UnitId, count: int) -> None:
        """Moves units of one force to a place; a type and origin already there grows."""
        force = self.forces[index]
        self.left[index][unit] -= count
        cell = self.cells.setdefault(place, [])
        for i, group in enumerate(cell):
            if (group.unit, group.origin, group.favored) == (unit, force.origin, force.favored):
                cell[i] = replace(group, count=group.count + count)
                return
        cell.append(Group(unit, count, force.origin, force.favored))

    def fill(self, place: Place, unit: UnitId, count: int) -> None:
        """Puts so many of a type, the garrison's first (R21); no more than there are."""
        for index in sorted(range(len(self.forces)), key=lambda i: not self.forces[i].garrison):
            part = min(count, self.left[index].get(unit, 0))
            if part > 0:
                self.put(place, index, unit, part)
                count -= part

    def by_default(self) -> None:
        """Puts everybody left by the default rules (R19): shooters behind the centre, all others in front."""
        order = sorted(range(len(self.forces)), key=lambda i: self.forces[i].garrison)
        rest = [(i, unit) for i in order for unit in self.left[i] if self.left[i][unit] > 0]
        shooters = [(i, unit) for i, unit in rest if self.types[unit].ranged]
        for i, unit in rest:
            if not self.types[unit].ranged:
                self.settle(i, unit, "CV")
        front: list[tuple[int, UnitId]] = []
        if not self.cells.get("CV"):
            front = [(i, unit) for i, unit in shooters if self.types[unit].can_charge] or shooters
        for i, unit in shooters:
            self.settle(i, unit, "CV" if (i, unit) in front else "CR")

    def settle(self, index: int, unit: UnitId, place: Place) -> None:
        """Puts all that a force has left of a type; who is one too many in a squad goes to the next place (R19, R22)."""
        most = self.types[unit].max_per_squad
        if most is None:
            self.put(place, index, unit, self.left[index][unit])
            return
        for cell in SPREAD:
            part = min(self.left[index][unit], most - self.standing(cell, unit))
            if part > 0:
                self.put(cell, index, unit, part)

    def step_up(self) -> list[Place]:
        """Rears without a vanguard become it (R17); gives the rear places."""
        moved = []
        for flank in FLANKS:
            if self.cells.get(rear(flank)) and not self.cells.get(vanguard(flank)):
                self.cells[vanguard(flank)] = self.cells.pop(rear(flank))
                moved.append(rear(flank))
        return moved

    def result(self, refusals: Sequence[Refusal], accepted: bool) -> Deployment:
        benched = tuple(
            Group(unit, count, self.forces[i].origin, self.forces[i].favored)
            for i, left in enumerate(self.left)
            for unit, count in left.items()
            if count > 0
        )
        squads = {place: tuple(self.cells[place]) for place in PLACES if self.cells.get(place)}
        return Deployment(squads, benched, tuple(refusals), accepted)


def default_deployment(
    forces: Sequence[Force], preset: Posted | None = None, types: Mapping[UnitId, UnitType] | None = None
) -> Deployment:
    """The deployment of a side that wrote nothing: the garrison by its preset, everybody else by default (R19, R20).

    Of a preset, units that aren't there are skipped."""
    board = _Board(tuple(forces), types or game_data().units)
    if preset:
        garrison = [i for i, force in enumerate(forces) if force.garrison]
        totals = {unit: sum(forces[i].units.get(unit, 0) for i in garrison) for i in garrison for unit in forces[i].units}
        for place, unit, count in amounts(preset, totals):
            most = board.types[unit].max_per_squad
            free = count if most is None else min(count, most - board.standing(place, unit))
            for i in garrison:
                part = min(free, board.left[i].get(unit, 0))
                if part > 0:
                    board.put(place, i, unit, part)
                    free -= part
    board.by_default()
    board.step_up()
    return board.result((), True)


def deploy(forces: Sequence[Force], posted: Posted, types: Mapping[UnitId, UnitType] | None = None) -> Deployment:
    """The deployment as posted, checked against what is there (R18, R21, R22).

    Units left over are added by the default rules, with a warning. A post that places units that aren't there, or too many
    of a kind in a squad, is not accepted."""
    board = _Board(tuple(forces), types or game_data().units)
    refusals = problems_of(board, posted)
    accepted = not refusals
    for place, unit, count in amounts(posted, {unit: board.total(unit) for force in forces for unit in force.units}):
        board.fill(place, unit, count)
    left = {unit: board.remaining(unit) for force in forces for unit in force.units if board.remaining(unit)}
    if accepted and left:
        refusals.append(refuse("W_LEFTOVER", field="positions", units=units_text(left)))
    board.by_default()
    places = game_data().places
    for place in board.step_up():
        refusals.append(refuse("W_REAR_WITHOUT_VANGUARD", field="positions", position=places[place][0]))
    if accepted:
        return board.result(refusals, True)
    return replace(default_deployment(forces, types=types), refusals=tuple(refusals), accepted=False)


def problems_of(board: _Board, posted: Posted) -> list[Refusal]:
    """Why a post is not accepted: places, numbers, sums, too many of a kind."""
    out = [refuse("E_POSITION", field="positions") for place in posted if place not in PLACES]
    wanted: dict[UnitId, int] = {}
    for units in posted.values():
        for unit, amount in units.items() if not isinstance(units, str) else ():
            if unit not in board.types:
                out.append(refuse("E_NOT_ENOUGH_UNITS", field="positions", unit=unit, n=0, m=amount))
            elif isinstance(amount, int) and amount <= 0:
                out.append(refuse("E_COUNT", field="positions"))
            elif isinstance(amount, int):
                wanted[unit] = wanted.get(unit, 0) + amount
            elif not board.total(unit):
                wanted[unit] = wanted.get(unit, 0) + 1
    for unit, number in wanted.items():
        if number > board.total(unit):
            out.append(refuse("E_NOT_ENOUGH_UNITS", field="positions", unit=unit_name(unit), n=board.total(unit), m=number))
    totals = {unit: board.total(unit) for force in board.forces for unit in force.units} | wanted
    crowded = set()
    for _, unit, count in amounts(posted, totals):
        most = board.types[unit].max_per_squad
        if most is not None and count > most:
            crowded.add(unit)
    return out + [refuse("E_MAX_PER_SQUAD", field="positions", unit=unit_name(unit)) for unit in sorted(crowded)]


def amounts(posted: Posted, totals: Mapping[UnitId, int]) -> list[tuple[Place, UnitId, int]]:
    """A post in plain numbers, in the written order; places and types that don't exist are left out.

    «half» is rounded down; «all» and «rest» take what the numbers of the same post leave, shared evenly where written twice;
    a place that takes the rest gets all types not placed elsewhere."""
    fixed: dict[UnitId, int] = {}
    sharers: dict[UnitId, int] = {}
    for place, units in posted.items():
        for unit, amount in units.items() if not isinstance(units, str) and place in PLACES else ():
            if isinstance(amount, int) or amount == "half":
                fixed[unit] = fixed.get(unit, 0) + (totals.get(unit, 0) // 2 if amount == "half" else max(0, int(amount)))
            else:
                sharers[unit] = sharers.get(unit, 0) + 1
    rest = {unit: max(0, total - fixed.get(unit, 0)) for unit, total in totals.items()}
    takers = [place for place, units in posted.items() if isinstance(units, str) and place in PLACES]
    out: list[tuple[Place, UnitId, int]] = []
    for place, units in posted.items():
        if place not in PLACES:
            continue
        cell: Place = place
        if isinstance(units, str):
            for unit in totals:
                part = -(-rest[unit] // len(takers)) if unit not in sharers else 0
                out.append((cell, unit, part))
            rest = {unit: rest[unit] - (-(-rest[unit] // len(takers)) if unit not in sharers else 0) for unit in rest}
            takers.remove(place)
            continue
        for unit, amount in units.items():
            if unit not in totals:
                continue
            if isinstance(amount, int):
                number = max(0, amount)
            elif amount == "half":
                number = totals[unit] // 2
            else:
                number = -(-rest[unit] // sharers[unit])
                rest[unit] -= number
                sharers[unit] -= 1
            out.append((cell, unit, number))
    return [(place, unit, number) for place, unit, number in out if number > 0]
