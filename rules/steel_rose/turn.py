"""The working copy of a state while it is resolved: the only place where gold, resources, units and cities change.

Every change of a treasury leaves a ledger line, so that opening + lines = closing at any time (invariant 14)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from parsers.types import Json
from rules.base import EVERYONE, Audience, Event, FactionId, only
from rules.dice import Dice
from rules.steel_rose import economy
from rules.steel_rose.commands import MOBILE_CITY, ArmyOrder, FormArmy, Ritual
from rules.steel_rose.data import CityId, Counts, UnitId
from rules.steel_rose.economy import CULT, OGRES
from rules.steel_rose.state import Army, City, Line, News, State, number, ordered


@dataclass
class Plans:
    """What a faction's sheet means to do later in the resolution; looked ahead to by earlier steps (R119, R135, R151)."""

    wishes: list[FormArmy] = field(default_factory=list)
    """All its compositions, whether they can be or not."""
    forms: list[FormArmy] = field(default_factory=list)
    """Those found possible so far."""
    attacks: list[ArmyOrder] = field(default_factory=list)
    teleports: list[Ritual] = field(default_factory=list)
    favors: list[int] = field(default_factory=list)
    """Armies blessed by a spell that was paid for."""
    refused_forms: set[int] = field(default_factory=set)
    mobile_steps: int = 0


@dataclass
class Turn:
    """A resolution under way."""

    state: State
    dice: Dice | None
    """None: a check of orders on what a player knows; nothing random happens."""
    events: list[Event] = field(default_factory=list)
    plans: dict[FactionId, Plans] = field(default_factory=dict)
    proposals: set[tuple[FactionId, FactionId]] = field(default_factory=set)
    """(who, to whom), this turn."""

    @property
    def checking(self) -> bool:
        """True while orders are only judged, not carried out for good."""
        return self.dice is None

    def plan(self, faction: FactionId) -> Plans:
        """The faction's plans."""
        return self.plans.setdefault(faction, Plans())

    # -- telling

    def tell(
        self,
        kind: str,
        rule: str,
        audience: Audience = EVERYONE,
        *,
        about: str | None = None,
        detail: int = 0,
        **facts: Json,
    ) -> None:
        """An event, now."""
        self.events.append(Event(kind, facts, rule, audience, about, detail))

    def later(
        self,
        until: str,
        kind: str,
        rule: str,
        audience: Audience = EVERYONE,
        *,
        about: str | None = None,
        detail: int = 0,
        **facts: Json,
    ) -> None:
        """An event told when the wave (`wave`) or the turn (`turn`) is over; the GM hears of it now."""
        event = Event(kind, facts, rule, audience, about, detail)
        self.state.news.append(News(until="turn" if until == "turn" else "wave", event=event.to_json()))

    def release(self, until: str) -> None:
        """Tells what waited for this."""
        kept = []
        for item in self.state.news:
            if item.until == until or until == "turn":
                self.events.append(Event.from_json(item.event))
            else:
                kept.append(item)
        self.state.news = kept
        for march in self.state.marches:
            march.public = march.public or until in ("turn", march.until)

    # -- treasuries

    def pay(self, faction: FactionId, kind: str, /, *, gold: int = 0, res: Fraction | int = 0, **facts: Json) -> None:
        """Changes a treasury and writes the ledger line. Callers make sure that neither falls below 0."""
        owner = self.state.factions[faction]
        owner.gold += gold
        owner.res += Fraction(res)
        if owner.gold < 0 or owner.res < 0:
            raise AssertionError(f"{faction}: {kind} leaves {owner.gold} gold, {owner.res} of the resource")
        if gold or res:
            owner.ledger.append(Line(kind=kind, data=dict(facts), gold=gold, res=Fraction(res)))

    def hunger(self, change: int, kind: str, **facts: Json) -> int:
        """Changes the cult's hunger, not below 0 (R126); returns what it changed."""
        if CULT not in self.state.factions:
            return 0
        cult = self.state.factions[CULT]
        change = max(change, -int(cult.res))
        self.pay(CULT, kind, res=change, **facts)
        return change

    def hunger_to_zero(self, kind: str, **facts: Json) -> None:
        """ГП → 0: control of a foreign city (R126)."""
        self.hunger(-int(self.state.factions[CULT].res), kind, **facts)

    # -- units

    def units(self, faction: FactionId, kind: str, changes: Mapping[UnitId, int], /, **facts: Json) -> None:
        """Adds to (or, negative, takes from) the faction's reserve and writes the books (invariant 2)."""
        changes = {u: n for u, n in changes.items() if n}
        if not changes:
            return
        owner = self.state.factions[faction]
        total = dict(owner.units)
        for unit, count in changes.items():
            total[unit] = total.get(unit, 0) + count
            if total[unit] < 0:
                raise AssertionError(f"{faction}: {kind} leaves {total[unit]} of {unit}")
        owner.units = ordered(total)
        self.book(faction, kind, changes, **facts)

    def book(self, faction: FactionId, kind: str, changes: Mapping[UnitId, int], /, **facts: Json) -> None:
        """Writes a change of units into the books only."""
        if changes:
            self.state.factions[faction].ledger.append(Line(kind=kind, data=dict(facts), units=ordered(changes)))

    def in_armies(self, faction: FactionId) -> Counts:
        """Units that are in this turn's armies."""
        total: Counts = {}
        for army in self.state.factions[faction].armies.values():
            for unit, count in army.units.items():
                total[unit] = total.get(unit, 0) + count
        return ordered(total)

    def army(self, faction: FactionId, army: int) -> Army | None:
        return self.state.factions[faction].armies.get(army)

    def drop_gifts(self, faction: FactionId) -> None:
        """Demons given by the cult vanish with the alliance (R131)."""
        owner = self.state.factions[faction]
        gifts = {unit: -count for unit, count in owner.units.items() if economy.is_gift(faction, unit)}
        if not gifts:
            return
        self.units(faction, "gifts_vanished", gifts)
        for army in owner.armies.values():
            army.units = {unit: count for unit, count in army.units.items() if unit not in gifts}
        self.tell("gifts_vanished", "R131", only(faction), units={unit: -count for unit, count in gifts.items()})

    # -- alliances

    def end_alliance(self, a: FactionId, b: FactionId, reason: str) -> None:
        """Ends an alliance now; public (R100)."""
        self.state.alliances = [p for p in self.state.alliances if set(p) != {a, b}]
        self.state.ending_alliances = [p for p in self.state.ending_alliances if set(p) != {a, b}]
        self.tell("alliance_ended", "R157", factions=sorted((a, b)), reason=reason)
        if CULT in (a, b):
            self.drop_gifts(b if a == CULT else a)

    def end_alliances(self, faction: FactionId, reason: str) -> None:
        """Ends all alliances of a faction."""
        for ally in self.state.allies(faction):
            self.end_alliance(faction, ally, reason)

    # -- cities

    def transfer(self, city_id: CityId, owner: FactionId | None, *, corruption: int = 0) -> None:
        """A city changes hands: no buildings, no garrison till the next turn, its level kept (R95, R131, R132)."""
        city = self.state.cities[city_id]
        self.clear(city)
        city.owner = owner
        city.just_taken = True
        city.captured_before = True
        city.corruption = corruption
        city.defended = False
        self.disperse(city_id)

    def clear(self, city: City) -> None:
        """Buildings, garrison, corruption and what was known or preset of a city are gone."""
        city.buildings = []
        city.garrison = {}
        city.preset = None
        city.corruption = 0
        city.known_corruption = None
        city.floating = False

    def ruin(self, city_id: CityId, owner: FactionId | None) -> None:
        """A city becomes ruins of this owner (R97)."""
        city = self.state.cities[city_id]
        self.clear(city)
        city.just_taken = city.just_taken or city.owner != owner
        city.owner = owner
        city.ruin = True
        city.level = 1
        city.no_income = False
        city.defended = False

    def disperse(self, city_id: str, keep: FactionId | None = None) -> None:
        """Armies that defended a lost city go home (R73, R132)."""
        for faction, owner in self.state.factions.items():
            if faction == keep:
                continue
            for army in owner.armies.values():
                if army.order == "defend" and army.city == city_id:
                    army.order, army.city = "disperse", None

    def refill(self, city: City, before: Counts) -> None:
        """The garrison after a building or level changed it: at once (R91)."""
        city.garrison = economy.garrison_change(before, economy.full_garrison(city), city.garrison)

    def eliminate(self, faction: FactionId, reason: str, rule: str, *, keep_cities: bool = False) -> None:
        """A faction is out: units disbanded, its ruins ownerless, alliances end (R77)."""
        owner = self.state.factions[faction]
        if owner.status != "playing":
            return
        owner.status = "eliminated"
        self.tell("eliminated", rule, faction=faction, reason=reason)
        self.end_alliances(faction, "eliminated")
        self.units(faction, "disbanded_out", {unit: -count for unit, count in owner.units.items()})
        owner.armies = {}
        if not keep_cities:
            for city_id in self.state.owned(faction, ruins=True):
                self.ruin(city_id, None)
                self.state.cities[city_id].just_taken = False
        if faction == OGRES:
            self.remove_mobile_city()
        if faction == CULT:
            self.state.camp = None

    def remove_mobile_city(self) -> None:
        """The mobile city leaves the map with its garrison; reports may still name it."""
        if self.state.mobile_city is not None:
            self.book(OGRES, "disbanded_out", {unit: -count for unit, count in self.state.mobile_city.garrison.items()})
            self.state.vanished[MOBILE_CITY] = self.state.mobile_city.name_ru
            self.state.mobile_city = None

    def snapshot_units(self, faction: FactionId) -> Counts:
        """What Прорицание counts (R120)."""
        return economy.kept_units(self.state, faction)


def res_json(value: Fraction | int) -> int | float:
    """An exact amount for an event's facts: 33.6."""
    return number(value)


def gain(state: State, value: int) -> int:
    """A receipt, doubled at Закат (R155)."""
    return value * state.sunset
