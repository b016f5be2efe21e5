"""The workbench of one resolution: the working copy of the state, energy accounts, events and small happenings shared by all
phases (capture, death, items, instant effects). Nothing here outlives `resolve`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rules.astral import effects
from rules.astral.catalog import Effect, Usable
from rules.astral.judging import Judged, Judgement
from rules.astral.state import Held, Intel, LordTactic, Shard, ShardId, State, TimedEffect, initial_charges
from rules.base import EVERYONE, Audience, Event, FactionId, only
from rules.dice import Dice


@dataclass
class Account:
    """An owner's energy during a turn (R7): what his sheet holds is already out of `owner.energy`."""

    start: int
    entries: list[tuple[str, int, str]] = field(default_factory=list)
    """Reason (a key of the report's ledger words), amount, detail."""

    def add(self, reason: str, amount: int, detail: str = "") -> None:
        """Notes a movement; nothing for 0."""
        if amount:
            self.entries.append((reason, amount, detail))


@dataclass
class Fired:
    """An instant or timed effect on its way: who uses what on whom."""

    bearer: FactionId
    source: str
    """Name of the thing, for people."""
    source_id: str
    hidden: bool = False
    duration: int | None = 1
    target_owner: FactionId | None = None
    target_shard: ShardId | None = None
    position: int | None = None
    rule: str = "R90"


@dataclass
class Context:
    """Everything a phase needs."""

    state: State
    dice: Dice
    judgements: dict[FactionId, Judgement] = field(default_factory=dict)
    rank: dict[FactionId, tuple[int, int]] = field(default_factory=dict)
    """When an owner's sheet came (R36)."""
    events: list[Event] = field(default_factory=list)
    accounts: dict[FactionId, Account] = field(default_factory=dict)
    reserves: dict[FactionId, dict[int, int]] = field(default_factory=dict)
    """Energy kept for the n-th attack (R52)."""
    attacks_on: dict[FactionId, int] = field(default_factory=dict)
    """Battles that took place at each world this turn (R44)."""
    failed: list[tuple[FactionId, int, int, str]] = field(default_factory=list)
    """Failed attacks: owner, energy, additional energy, name of the target (R84)."""
    extra: set[FactionId] = field(default_factory=set)
    """Who really has an extra main action (R4, R116)."""
    cancelled: set[tuple[FactionId, int]] = field(default_factory=set)
    """Attacks that fall away (R116)."""

    # -------------------------------------------------------------------------------------------- events

    def tell(self, kind: str, rule: str, data: Mapping[str, Any], audience: Audience = EVERYONE) -> None:
        """An event."""
        self.events.append(Event(kind, dict(data), rule, audience))

    def whisper(self, owner: FactionId, kind: str, rule: str, **data: Any) -> None:
        """An event for one owner (and the GM)."""
        self.tell(kind, rule, {"owner": owner, **data}, only(owner))

    # -------------------------------------------------------------------------------------------- orders

    def orders(self, owner: FactionId, *types: type) -> list[Judged]:
        """The owner's accepted commands of these types in sheet order; none once he is gone (R10)."""
        if self.state.owners[owner].status == "eliminated" or owner not in self.judgements:
            return []
        return [verdict for verdict in self.judgements[owner].accepted() if isinstance(verdict.command, types)]

    def owners_in_order(self) -> list[FactionId]:
        """Roster order, without the dead."""
        return [ident for ident in self.state.roster if self.state.owners[ident].status != "eliminated"]

    # -------------------------------------------------------------------------------------------- energy

    def pay_in(self, owner: FactionId, amount: int, reason: str, detail: str = "") -> None:
        """Adds to the stock: usable next turn (R7)."""
        if amount > 0 and self.state.owners[owner].status != "eliminated":
            self.state.owners[owner].energy += amount
            self.accounts[owner].add(reason, amount, detail)

    def drain(self, owner: FactionId, amount: int, reason: str, detail: str = "") -> int:
        """Takes up to that much unreserved energy (R7); returns what was taken."""
        taken = min(amount, self.state.owners[owner].energy)
        self.state.owners[owner].energy -= taken
        self.accounts[owner].add(reason, -taken, detail)
        return taken

    def reserve(self, owner: FactionId, amount: int, reason: str, detail: str = "") -> None:
        """Takes the cost of an accepted command out of the stock (R7)."""
        self.state.owners[owner].energy -= amount
        self.accounts[owner].add(reason, -amount, detail)

    # -------------------------------------------------------------------------------------------- shards and lives

    def move_shard(self, shard: ShardId, winner: FactionId) -> None:
        """The shard becomes the winner's outer one (R41)."""
        place = self.state.shards[shard]
        if place.owner is not None:
            self.state.owners[place.owner].shards.remove(shard)
        place.status, place.owner, place.height = "owned", winner, None
        place.ready = {}
        self.state.owners[winner].shards.append(shard)
        if self.state.settings.captured_shard_adds_defence:
            self.state.owners[winner].defence += place.defence

    def lose_shard(self, shard: ShardId, fate: str) -> None:
        """A shard leaves its world: destroyed, or neutral again at the world's height (R84)."""
        place = self.state.shards[shard]
        if place.owner is not None:
            owner = self.state.owners[place.owner]
            owner.shards.remove(shard)
            place.height = owner.height
            place.x = owner.x if place.x is None else place.x
        place.owner, place.ready = None, {}
        place.status = "neutral" if fate == "neutral" else "destroyed"
        if place.status == "neutral":
            make_neutral(self.state, place)

    def kill_if_empty(self, owner: FactionId, rule: str, killer: FactionId | None = None) -> None:
        """R46–R48: a world without shards ceases to exist."""
        who = self.state.owners[owner]
        if who.shards or who.status == "eliminated":
            return
        who.status, who.died = "eliminated", self.state.turn
        if killer is not None and self.state.settings.eliminated_loot == "to_winner":
            self.pay_in(killer, who.energy, "loot", who.name)
            for item in list(who.items):
                if self.state.catalog.items[item].transferable:
                    self.give_item(owner, killer, item)
        self.accounts[owner].add("lost", -who.energy)
        who.energy, who.items, who.effects, who.tactics = 0, {}, [], {}
        self.reserves.pop(owner, None)
        self.tell("eliminated", rule, {"owner": owner, "killer": killer})

    # -------------------------------------------------------------------------------------------- items

    def gain_item(self, owner: FactionId, item: str, how: str) -> None:
        """A new item comes into somebody's hands; `on_gain` fires at once, bounties vanish (R90, R93)."""
        entry, who = self.state.catalog.items[item], self.state.owners[owner]
        self.learn(owner, item)
        if item not in who.items:
            who.items[item] = initial_charges(self.state, item)
        elif entry.uses:
            who.items[item].uses += entry.uses
        facts = {"item": item, "name": entry.name_ru, "description": entry.description_ru, "how": how}
        self.whisper(owner, "gained", "R41", **facts)
        if entry.activation == "on_gain":
            if entry.kind == "bounty":
                del who.items[item]
            fired = Fired(owner, entry.name_ru, item, entry.hidden, entry.duration, rule="R93")
            self.apply(entry.effects, fired)

    def give_item(self, giver: FactionId, receiver: FactionId, item: str) -> None:
        """An item changes hands with its charges (R59)."""
        held = self.state.owners[giver].items.pop(item)
        mine = self.state.owners[receiver].items.get(item)
        if mine is None:
            self.state.owners[receiver].items[item] = held
        else:
            mine.uses = mine.uses + held.uses if held.uses and mine.uses else 0
        for ident in (giver, receiver):
            self.learn(ident, item)

    def spend_charge(self, owner: FactionId, item: str) -> None:
        """One use: charges fall, the last takes the item along; the cooldown begins (R90)."""
        entry, held = self.state.catalog.items[item], self.state.owners[owner].items[item]
        if entry.cooldown:
            held.ready = self.state.turn + entry.cooldown + 1
        if held.uses:
            held.uses -= 1
            if held.uses == 0:
                del self.state.owners[owner].items[item]

    def holds(self, owner: FactionId, item: str) -> bool:
        """Held and ready now (R91)."""
        held: Held | None = self.state.owners[owner].items.get(item)
        return held is not None and held.ready <= self.state.turn

    def learn(self, owner: FactionId, subject: str) -> None:
        """Adds to what an owner knows (R108)."""
        known = self.state.known.setdefault(owner, [])
        if subject not in known:
            known.append(subject)

    # -------------------------------------------------------------------------------------------- effects

    def use(self, usable: Usable, fired: Fired) -> None:
        """All effects of an item or feature used by an action."""
        self.apply(usable.effects, fired)

    def apply(self, things: Iterable[Effect], fired: Fired) -> None:
        """Instant effects fire; continuous ones become timed effects of their bearer (§2)."""
        for effect in things:
            whom = fired.target_owner if effect.on == "target" else fired.bearer
            if whom is None or self.state.owners[whom].status != "active":
                continue
            if effect.continuous:
                until = None if fired.duration is None else self.state.turn + fired.duration - 1
                timed = TimedEffect(effect=effect, source=fired.source_id, until=until, hidden=fired.hidden)
                self.state.owners[whom].effects.append(timed)
            else:
                getattr(self, f"_do_{effect.op}")(whom, effect, fired)

    def _changed(self, whom: FactionId, fired: Fired, **data: Any) -> None:
        """Tells the owner concerned, and the user if that is another, what an effect did."""
        readers = only(whom) if fired.bearer == whom else only(whom, fired.bearer)
        source = "" if fired.hidden and fired.bearer != whom else fired.source
        self.tell("effect", fired.rule, {"owner": whom, "source": source, **data}, readers)

    def _do_energy_change(self, whom: FactionId, effect: Effect, fired: Fired) -> None:
        if effect.value >= 0:
            self.pay_in(whom, int(effect.value), "effect", fired.source)
        else:
            self.drain(whom, int(-effect.value), "drain", fired.source)

    def _do_defence_change(self, whom: FactionId, effect: Effect, fired: Fired) -> None:
        who = self.state.owners[whom]
        before = who.defence
        who.defence = max(who.defence * 0, who.defence + effect.value)
        self._changed(whom, fired, what="defence", before=str(before), after=str(who.defence))

    def _do_height_change(self, whom: FactionId, effect: Effect, fired: Fired) -> None:
        self._height(whom, self.state.owners[whom].height + int(effect.value), fired)

    def _do_height_set(self, whom: FactionId, effect: Effect, fired: Fired) -> None:
        self._height(whom, int(effect.value), fired)

    def _height(self, whom: FactionId, height: int, fired: Fired) -> None:
        who = self.state.owners[whom]
        before, who.height = who.height, effects.clamp_height(self.state, height)
        if who.height != before:
            self._changed(whom, fired, what="height", before=before, after=who.height)

    def _do_lose_outer_shard(self, whom: FactionId, effect: Effect, fired: Fired) -> None:
        shards = self.state.owners[whom].shards
        if not shards:
            return
        shard = shards[-1]
        self.lose_shard(shard, effect.fate)
        label = self.state.shards[shard].label
        self.tell(
            "lost_shard", "R84", {"owner": whom, "shard": shard, "name": label, "fate": effect.fate, "source": fired.source}
        )
        self.kill_if_empty(whom, "R47")

    def _do_extra_main_action(self, whom: FactionId, effect: Effect, fired: Fired) -> None:
        self.extra.add(whom)

    def _do_upgrade_unit(self, whom: FactionId, effect: Effect, fired: Fired) -> None:
        levels, unit = self.state.owners[whom].levels, effect.unit or ""
        levels[unit] = max(0, levels.get(unit, 0) + int(effect.value))
        self._level(whom, unit, fired.rule, fired.source)

    def _level(self, whom: FactionId, unit: str, rule: str, source: str) -> None:
        name = self.state.catalog.units[unit].name_ru
        self.whisper(whom, "level", rule, unit=unit, name=name, level=self.state.owners[whom].levels[unit], source=source)

    def learn_lesson(self, owner: FactionId, unit: str, source: str) -> None:
        """One more level by a specialist (R94)."""
        levels = self.state.owners[owner].levels
        levels[unit] = levels.get(unit, 0) + 1
        self._level(owner, unit, "R94", source)

    def _do_unlock_unit(self, whom: FactionId, effect: Effect, fired: Fired) -> None:
        unit = effect.unit or ""
        if unit not in self.state.owners[whom].unlocked:
            self.state.owners[whom].unlocked.append(unit)
            self.whisper(whom, "unlocked", "R97", unit=unit, name=self.state.catalog.units[unit].name_ru)

    def _do_grant_item(self, whom: FactionId, effect: Effect, fired: Fired) -> None:
        self.gain_item(whom, effect.item or "", fired.source)

    def _do_steal_energy(self, whom: FactionId, effect: Effect, fired: Fired) -> None:
        victim = fired.target_owner
        if victim is None or self.state.owners[victim].status != "active":
            return
        source = "" if fired.hidden else fired.source
        taken = self.drain(victim, int(effect.value), "stolen", source)
        self.pay_in(fired.bearer, taken, "stealing", self.state.owners[victim].name)
        self.whisper(victim, "robbed", fired.rule, amount=taken, source=source)
        self.whisper(fired.bearer, "stole", fired.rule, amount=taken, victim=victim, source=fired.source)

    def _do_reorder_shard(self, whom: FactionId, effect: Effect, fired: Fired) -> None:
        shards, shard = self.state.owners[whom].shards, fired.target_shard
        if shard is None or shard not in shards:
            return
        shards.remove(shard)
        at = len(shards) if fired.position is None else min(max(fired.position, 1) - 1, len(shards))
        shards.insert(at, shard)
        self.tell("reordered", "R45", {"owner": whom, "shard": shard, "name": self.state.shards[shard].label, "position": at + 1})

    def _do_reveal(self, whom: FactionId, effect: Effect, fired: Fired) -> None:
        if fired.target_shard is not None:
            self.reveal_shard(whom, fired.target_shard, effect.what, fired.source)
        elif fired.target_owner is not None:
            self._reveal_owner(whom, fired.target_owner, effect.what, fired.source)

    def reveal_shard(self, owner: FactionId, shard: ShardId, what: Iterable[str], source: str, rule: str = "R110") -> None:
        """Tactic, trophies, особенности of a shard become known to an owner (R110)."""
        place, parts = self.state.shards[shard], set(what)
        if {"tactic", "trophies"} <= parts:
            self.learn(owner, shard)
        else:
            for part in sorted(parts):
                self.learn(owner, f"{shard}.{part}")
        data: dict[str, Any] = {"shard": shard, "name": place.label, "source": source}
        if "tactic" in parts and place.tactic is not None:
            data["tactic"] = place.tactic.model_dump(mode="json")
        if "trophies" in parts:
            data["trophies"] = list(place.trophies)
            data["trophies_taken"] = place.trophies_taken
        if "features" in parts:
            data["features"] = list(place.features)
        self.whisper(owner, "revealed", rule, **data)

    def _reveal_owner(self, owner: FactionId, victim: FactionId, what: Iterable[str], source: str) -> None:
        who = self.state.owners[victim]
        secrets = {
            "levels": {unit: level for unit, level in who.levels.items() if level},
            "tactics": {number: tactic.model_dump(mode="json") for number, tactic in who.tactics.items()},
            "reserves": {str(number): energy for number, energy in self.reserves.get(victim, {}).items()},
            "items": list(who.items),
        }
        found = {name: secrets[name] for name in what if name in secrets}
        for name, data in found.items():
            self.state.owners[owner].intel.append(Intel(turn=self.state.turn, subject=victim, what=name, data=data))
        self.whisper(owner, "revealed_owner", "R110", subject=victim, source=source, **found)


def make_neutral(state: State, place: Shard) -> None:
    """A home shard has no Lord's tactic of its own: it gets the scenario's default one (R84)."""
    if place.tactic is None:
        tactic = state.settings.default_tactic
        place.tactic = LordTactic(troop=tactic.troop, magic=tactic.magic, hero=tactic.hero, troop_share=tactic.troop_share)
