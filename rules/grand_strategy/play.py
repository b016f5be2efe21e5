"""The workshop of a resolution: a state being changed, the dice, the events; and what all orders share (R8, R35, R59, R61)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn

from parsers.types import Json
from rules.base import EVERYONE, Audience, Event, only
from rules.dice import Dice
from rules.grand_strategy.data import table, word
from rules.grand_strategy.names import building_name, object_name, player_name, unit_name
from rules.grand_strategy.state import Building, Mark, State, Unit


class Refusal(Exception):
    """An order the rules refuse: a code of chapter 3 and what its Russian text needs. `variant` picks a special text."""

    def __init__(self, code: str, variant: str = "", /, **params: Any) -> None:
        super().__init__(code)
        self.code = code
        self.variant = variant
        self.params = params

    @property
    def message(self) -> str:
        """The Russian sentence."""
        texts = table("errors")["error"]
        template = str(texts.get(f"{self.code}_{self.variant}" if self.variant else self.code) or texts.get(self.code, self.code))
        return template.format_map(_Blank(self.params))


class _Blank(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "?"


@dataclass
class Play:
    """One resolution (or, without dice, one check) at work."""

    g: State
    dice: Dice | None = None
    """None: a check; nothing is rolled and no one else's orders fire."""
    events: list[Event] = field(default_factory=list)
    turn_of: str | None = None
    """Whose orders count as in his own turn; the active player unless a check says otherwise."""
    between: bool = False
    """A check of a window: nobody's turn is open."""
    hired: dict[str, str] = field(default_factory=dict)
    """`<hired TYPE>` → unit id, for the sheet being carried out."""
    results: list[bool | None] = field(default_factory=list)
    """Success of the sheet's commands, for conditions (R182)."""
    depth: int = 0
    """Interrupts within interrupts."""

    @property
    def dry(self) -> bool:
        """True for a check."""
        return self.dice is None

    # ------------------------------------------------------------------ events and dice

    def emit(self, kind: str, rule: str, /, audience: Audience = EVERYONE, **data: Json) -> None:
        """Adds an event."""
        self.events.append(Event(kind, data, rule, audience))

    def private(self, player: str | None, kind: str, rule: str, /, **data: Json) -> None:
        """Adds an event for one player and the GM."""
        audience = only(player) if player and player in self.g.players else only()
        self.events.append(Event(kind, {"player": player, **data}, rule, audience))

    def roll(self, purpose: str) -> int:
        """A d6 of this turn's stream for the purpose."""
        assert self.dice is not None
        return self.dice.stream(self.purpose(purpose)).roll(6)

    def pick(self, purpose: str, n: int) -> int:
        """An index 0…n−1; a single candidate needs no roll."""
        assert self.dice is not None
        return self.dice.stream(self.purpose(purpose)).pick(n)

    def purpose(self, purpose: str) -> str:
        """The full name of a stream: year and turn first, so that no two turns share one."""
        return f"год {self.g.tour}, {self.g.active or '-'}: {purpose}"

    def half(self, purpose: str) -> tuple[bool, int]:
        """«Вероятность 1/2» and the die (R16)."""
        value = self.roll(purpose)
        return value >= self.g.settings.half_chance_success_from, value

    # ------------------------------------------------------------------ time and АД

    @property
    def active(self) -> str | None:
        """Whose turn is open."""
        if self.turn_of is not None:
            return self.turn_of
        return self.g.active if self.g.phase in ("turn", "cards") and not self.between else None

    @property
    def now(self) -> Mark:
        """The moment for АД lost now (R8): the open turn, or the one that has just ended."""
        if self.g.phase in ("turn", "cards"):
            return (self.g.tour, self.g.active)
        return self.g.last_turn or (self.g.tour, None)

    def block(self, thing: Unit | Building) -> None:
        """Spends or takes the АД; an earlier block begins anew (R9)."""
        thing.blocked = self.now

    def spend(self, thing: Unit | Building) -> None:
        """Checks and spends the АД."""
        self.need_action(thing)
        self.block(thing)

    def need_action(self, thing: Unit | Building) -> None:
        """Refuses without АД (R8); neutrals have none (R58, R90)."""
        if thing.owner is None:
            raise Refusal("no_active_action", object_gen=self.name(thing, 1), when=word("restore", "neutral"))
        if thing.blocked is not None:
            tour, who = thing.blocked
            if who is None:
                when = word("restore", "year").format(year=tour + 1)
            else:
                when = word("restore", "turn").format(player=player_name(self.g, who), year=tour + 1)
            raise Refusal("no_active_action", object_gen=self.name(thing, 1), when=when)

    def name(self, thing: Unit | Building, form: int = 0) -> str:
        """Its Russian name."""
        return unit_name(self.g, thing, form) if isinstance(thing, Unit) else building_name(self.g, thing, form)

    # ------------------------------------------------------------------ finding things

    def own_turn(self, player: str) -> None:
        """Refuses what isn't legal outside one's own turn (R4, R5)."""
        if self.active != player or (self.g.phase == "cards" and not self.turn_of):
            self.not_the_turn_of(player)

    def not_the_turn_of(self, player: str) -> NoReturn:
        """Refuses, naming whose turn it is, where it is somebody's else (R4)."""
        if self.g.active is None or self.g.active == player:
            raise Refusal("not_your_turn", "other")
        raise Refusal("not_your_turn", active=player_name(self.g, self.g.active))

    def open_turn(self) -> None:
        """Refuses battles while no turn is open (R6)."""
        if self.between or (self.g.phase != "turn" and self.turn_of is None):
            raise Refusal("not_your_turn", "window")

    def unit_id(self, name: str) -> str:
        """The id behind `<hired TYPE>`; other names as they are."""
        if name.startswith("<hired ") and name.endswith(">"):
            return self.hired.get(name[7:-1], name)
        return name

    def unit(self, player: str, name: str, *, own: bool = True) -> Unit:
        """A troop by id. Refuses with `no_such_unit`, `not_owner`."""
        found = self.g.units.get(self.unit_id(name))
        if found is None:
            mine = ", ".join(unit_name(self.g, u) for u in self.g.units_of(player)) or "нет"
            raise Refusal("no_such_unit", text=name, list=mine)
        if own and found.owner != player:
            raise Refusal("not_owner", object=unit_name(self.g, found))
        return found

    def cell(self, name: str) -> str:
        """A cell of this map. Refuses with `no_such_cell`."""
        if name not in self.g.board:
            raise Refusal("no_such_cell", cell=name)
        return name

    def building(self, player: str | None, cell: str) -> Building:
        """A building by its cell; `player`: it must be his. Refuses with `no_such_cell`, `no_building`, `not_owner`."""
        found = self.g.buildings.get(self.cell(cell))
        if found is None:
            raise Refusal("no_building", cell=cell)
        if player is not None and found.owner != player:
            raise Refusal("not_owner", object=building_name(self.g, found))
        return found

    def player(self, name: str, code: str = "bad_recipient", variant: str = "") -> str:
        """A player who is in the game."""
        found = self.g.players.get(name)
        if found is None or found.status != "in":
            raise Refusal(code, variant, list=", ".join(p.name for p in self.g.players.values() if p.status == "in"))
        return name

    def not_engaged(self, thing: Unit | Building, *, attackers: bool = False) -> None:
        """Refuses what has been attacked this turn (R61); `attackers`: what attacks may not do it either."""
        key = thing.id if isinstance(thing, Unit) else thing.cell
        kind = "unit" if isinstance(thing, Unit) else "building"
        own = "unit" if isinstance(thing, Unit) else "garrison"
        for attack in self.g.attacks:
            if (attack.target_kind == kind and attack.target == key) or (
                attackers and attack.kind == own and attack.attacker == key
            ):
                raise Refusal("engaged", object=f"{word('engaged', kind)} {object_name(self.g, key)}")

    def pay(self, player: str, amount: int) -> None:
        """Takes coins from a treasury. Refuses with `not_enough_money`."""
        have = self.g.players[player].money
        if have < amount:
            raise Refusal("not_enough_money", need=amount, have=have)
        self.g.players[player].money -= amount

    # ------------------------------------------------------------------ changing things

    def new_id(self) -> str:
        """The id of a new troop: `u1`, `u2`, …"""
        while True:
            self.g.counter += 1
            name = f"u{self.g.counter}"
            if name not in self.g.units:
                return name

    def remove_unit(self, unit_id: str) -> None:
        """Takes a troop off the map: five years for a личное войско (R57), its zombies and dragon lose their master (R179)."""
        unit = self.g.units.pop(unit_id)
        if unit.personal and unit.owner in self.g.players:
            self.g.players[unit.owner].personal_lost = self.g.tour
        self.g.effects = [e for e in self.g.effects if e.unit != unit_id]
        for lair in self.g.lairs.values():
            if lair.state == "tamed" and lair.tamer == unit_id:
                lair.state, lair.tamer = "home", None
        for other in self.g.units.values():
            if other.controller == unit_id and other.type == "dragon":
                other.owner, other.leaving, other.blocked = None, True, None
        if unit.type == "dragon" and unit.lair in self.g.lairs and self.g.lairs[unit.lair].state == "away":
            self.g.lairs[unit.lair].state = "dead"

    def set_owner(self, unit: Unit, owner: str | None) -> None:
        """Another owner for a troop; a mage's zombies and dragon follow him and lose their АД (R59)."""
        if unit.personal and owner != unit.owner:
            if unit.owner in self.g.players:
                self.g.players[unit.owner].personal_lost = self.g.tour
            unit.personal = False
        unit.owner = owner
        unit.fly_after = None
        house = self.g.buildings.get(unit.siege) if unit.siege else None
        if owner is None or (house is not None and house.owner == owner):
            unit.siege = None
        if unit.cell in self.g.buildings and self.g.buildings[unit.cell].owner == owner:
            unit.intruder = False
        if self.g.utype(unit).kind == "mage":
            for other in self.g.units.values():
                if other.controller == unit.id and other.owner != owner:
                    other.owner = owner
                    self.block(other)
            for lair in self.g.lairs.values():
                if lair.tamer == unit.id and owner is None:
                    lair.state, lair.tamer = "home", None

    def set_building_owner(self, building: Building, owner: str | None) -> None:
        """Another owner for a building: no АД, no permissions (R115); his own sieges of it end (R64)."""
        building.owner = owner
        building.permits = {}
        self.block(building)
        for unit in self.g.units.values():
            if unit.siege == building.cell and unit.owner == owner:
                unit.siege = None
            if unit.cell == building.cell and unit.owner == owner:
                unit.intruder = False

    def lower(self, building: Building, levels: int = 1) -> str | None:
        """Lowers a building; returns its new type, None when it is gone (R83, R113, R170)."""
        kind = self.g.btype(building)
        ladder = [t for t in self.g.ladder(kind.klass) if t.level < kind.level] if kind.klass in ("lord_house", "mine") else []
        if len(ladder) < levels:
            self.remove_building(building.cell)
            return None
        building.type = ladder[-levels].id
        return building.type

    def remove_building(self, cell: str) -> None:
        """Takes a building off the map; sieges of it end."""
        del self.g.buildings[cell]
        for unit in self.g.units.values():
            if unit.siege == cell:
                unit.siege = None
            if unit.cell == cell:
                unit.intruder = False

    def crumble(self, unit: Unit, rule: str) -> None:
        """Zombies fall to dust."""
        self.emit("crumbled", rule, unit=unit.id, owner=unit.owner, cell=unit.cell, name=unit_name(self.g, unit))
        self.remove_unit(unit.id)

    def happened(self, trigger: str, /, **facts: Any) -> None:
        """Something that standing orders may wait for (R184)."""
        if self.dry or not self.g.settings.interrupts_enabled or self.g.phase != "turn":
            return
        from rules.grand_strategy.standing import scan

        scan(self, trigger, facts)
