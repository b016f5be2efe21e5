"""Which manoeuvres are legal on the revealed boards (R25–R38); one small named class for each.

A new manoeuvre is a class here and its step in `planning`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, cast

from rules.steel_rose.battle.model import ManeuverKind, ManeuverOrder, Squads
from rules.steel_rose.battle.places import PLACES, Place, adjacent, flank, is_rear, near
from rules.steel_rose.battle.powder import barrage_cost
from rules.steel_rose.data import UnitId, UnitType, game_data
from rules.steel_rose.refusals import Refusal, refuse


class Ordered(Protocol):
    """A manoeuvre as a player orders it (the `maneuver` command)."""

    @property
    def position(self) -> str: ...
    @property
    def maneuver(self) -> str | None: ...
    @property
    def target(self) -> str | None: ...
    @property
    def path(self) -> Sequence[str] | None: ...
    @property
    def free_move(self) -> str | None: ...


@dataclass
class Board:
    """What an order is judged by."""

    own: Squads
    enemy: Squads
    types: Mapping[UnitId, UnitType]
    powder: int | None = None
    """Left in stock for barrages; None: no matter."""
    covered: set[Place] = field(default_factory=set)

    def unable(self, place: Place, able: str) -> list[UnitType]:
        """Types of a squad that lack an ability: then the whole squad can't (R27)."""
        units = dict.fromkeys(group.unit for group in self.own[place])
        return [self.types[unit] for unit in units if not getattr(self.types[unit], able)]


class Maneuver:
    """A manoeuvre; `refusal` says why a squad can't make it."""

    kind: ClassVar[ManeuverKind]

    def refusal(self, order: Ordered, place: Place, board: Board) -> Refusal | None:
        """None: legal."""
        raise NotImplementedError


class Move(Maneuver):
    """Смена позиции: one adjacent cell (R28)."""

    kind: ClassVar[ManeuverKind] = "move"
    steps: ClassVar[int] = 1

    def refusal(self, order: Ordered, place: Place, board: Board) -> Refusal | None:
        path = list(order.path or ())
        if len(path) != self.steps:
            return refuse("E_PATH_LENGTH", field="path")
        here = cast(Place, order.free_move) if order.free_move is not None else place
        for cell in path:
            if cell not in PLACES:
                return refuse("E_POSITION", field="path")
            if not adjacent(here, cell):
                return refuse("E_NOT_ADJACENT_CELL", field="path", position=name_of(cell))
            here = cell
        return None


class ForcedMarch(Move):
    """Марш-бросок: two changes of position (R29)."""

    kind: ClassVar[ManeuverKind] = "forced_march"
    steps = 2


class Defend(Maneuver):
    """Защита: covers an own rear squad on an adjacent cell (R32)."""

    kind = "defend"

    def refusal(self, order: Ordered, place: Place, board: Board) -> Refusal | None:
        target = order.target
        if target not in board.own or target == place or not is_rear(cast(Place, target)):
            return refuse("E_DEFEND_TARGET", field="target")
        rear = cast(Place, target)
        if not adjacent(place, rear):
            return refuse("E_NOT_ADJACENT_CELL", field="target", position=name_of(rear))
        if rear in board.covered:
            return refuse("E_ALREADY_COVERED", field="target", position=name_of(rear))
        board.covered.add(rear)
        return None


class Cover(Maneuver):
    """В укрытие (R33)."""

    kind = "cover"

    def refusal(self, order: Ordered, place: Place, board: Board) -> Refusal | None:
        return None


class Charge(Maneuver):
    """Натиск on an enemy rear of the same or an adjacent flank (R38)."""

    kind = "charge"

    def refusal(self, order: Ordered, place: Place, board: Board) -> Refusal | None:
        if unable := board.unable(place, "can_charge"):
            return refuse("E_CANNOT_CHARGE", units=plurals(unable))
        target = order.target
        if target not in PLACES or not is_rear(target):
            return refuse("E_CHARGE_TARGET", field="target", position=name_of(target))
        if not near(flank(place), flank(target)):
            return refuse("E_FLANK_RANGE", field="target")
        if target not in board.enemy:
            return refuse("E_CHARGE_TARGET", field="target", position=name_of(target))
        return None


class Bombard(Maneuver):
    """Обстрел of the enemy vanguard on the same or an adjacent flank (R34)."""

    kind = "bombard"

    def refusal(self, order: Ordered, place: Place, board: Board) -> Refusal | None:
        if unable := board.unable(place, "volley"):
            return refuse("E_CANNOT_BOMBARD", units=plurals(unable))
        target = order.target
        if target not in PLACES or is_rear(target):
            return refuse("E_BOMBARD_TARGET", field="target", position=name_of(target))
        if not near(flank(place), flank(target)):
            return refuse("E_FLANK_RANGE", field="target")
        if target not in board.enemy:
            return refuse("E_BOMBARD_TARGET", field="target", position=name_of(target))
        return out_of_powder(place, board)


class LongBombard(Maneuver):
    """Дальнобойный обстрел of any enemy squad (R35)."""

    kind = "long_bombard"

    def refusal(self, order: Ordered, place: Place, board: Board) -> Refusal | None:
        if unable := board.unable(place, "long_range"):
            return refuse("E_CANNOT_LONG_BOMBARD", units=plurals(unable))
        if order.target not in board.enemy:
            return refuse("E_BOMBARD_TARGET", field="target", position=name_of(order.target))
        return out_of_powder(place, board)


MANEUVERS: Mapping[str, Maneuver] = {
    m.kind: m for m in (Move(), ForcedMarch(), Defend(), Cover(), Charge(), Bombard(), LongBombard())
}


@dataclass(frozen=True, slots=True)
class Checked:
    """Orders that stand, and what is wrong with the others."""

    orders: tuple[ManeuverOrder, ...]
    refusals: tuple[tuple[int, Refusal], ...]
    """Index of the order, why it is refused (or, `kept`, what will come of it)."""
    powder: int
    """Spent on barrages."""


def check_maneuvers(
    own: Squads,
    enemy: Squads,
    orders: Sequence[Ordered],
    powder: int | None = None,
    types: Mapping[UnitId, UnitType] | None = None,
) -> Checked:
    """Judges a side's manoeuvres in the given order on the boards as revealed.

    A squad's second manoeuvre is refused, its first stands (R25). Two squads that want one cell are told so; they will both
    stay where they are (R28)."""
    board = Board(own, enemy, types or game_data().units, powder)
    legal: dict[Place, ManeuverOrder] = {}
    refusals: list[tuple[int, Refusal]] = []
    aims: dict[tuple[int, str], int] = {}
    for index, order in enumerate(orders):
        found = refusal_of(order, board, legal)
        if found is not None:
            refusals.append((index, found))
            continue
        place = cast(Place, order.position)
        legal[place] = ManeuverOrder(
            place=place,
            kind=cast("ManeuverKind | None", order.maneuver),
            target=cast("Place | None", order.target),
            path=cast("tuple[Place, ...]", tuple(order.path or ())),
            free_move=cast("Place | None", order.free_move),
        )
        cells = [order.free_move] if order.free_move is not None else []
        for step, cell in enumerate([*cells, *(order.path or ())]):
            if (step, cell) in aims:
                refusals.append((index, refuse("E_MOVE_CONFLICT", field="path", kept=True, position=name_of(cell))))
            aims[step, cell] = index
    spent = 0 if powder is None or board.powder is None else powder - board.powder
    return Checked(tuple(legal.values()), tuple(refusals), spent)


def refusal_of(order: Ordered, board: Board, legal: Mapping[Place, ManeuverOrder]) -> Refusal | None:
    """Why one order is refused; None: it stands."""
    place = order.position
    if place not in PLACES:
        return refuse("E_POSITION", field="position")
    if place not in board.own:
        return refuse("E_NO_SQUAD", field="position", position=name_of(place))
    if place in legal:
        return refuse("E_TWO_MANEUVERS")
    if order.maneuver is not None and order.maneuver not in MANEUVERS:
        names = ", ".join(m.name_ru for m in game_data().maneuvers.values())
        return refuse("E_UNKNOWN_MANEUVER", field="maneuver", x=order.maneuver, list=names)
    if order.free_move is not None:
        if board.unable(place, "free_move"):
            return refuse("E_FREE_MOVE_NOT_ALLOWED", field="free_move")
        if order.free_move not in PLACES or not adjacent(place, order.free_move):
            return refuse("E_NOT_ADJACENT_CELL", field="free_move", position=name_of(order.free_move))
    if order.maneuver is None:
        return None if order.free_move is not None else refuse("E_UNKNOWN_MANEUVER", field="maneuver", x="", list="")
    return MANEUVERS[order.maneuver].refusal(order, place, board)


def out_of_powder(place: Place, board: Board) -> Refusal | None:
    """A barrage takes the squad's powder once more (R109)."""
    if board.powder is None:
        return None
    cost = barrage_cost(board.own[place], board.types)
    if cost > board.powder:
        return refuse("E_NO_POWDER", a=cost, b=board.powder)
    board.powder -= cost
    return None


def name_of(place: str | None) -> str:
    """«левый авангард»; an unknown place as it is."""
    names = game_data().places.get(place or "")
    return names[0] if names is not None else (place or "?")


def plurals(types: Sequence[UnitType]) -> str:
    """«копейщики, рыцари»."""
    return ", ".join(unit.plural for unit in types)
