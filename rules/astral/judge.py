"""Judges a sheet command by command: refusals, warnings, costs (R6, R7, §8). Serves `check` and the resolution alike.

Everything is judged from the owner's own view: nothing a player is told can depend on what he may not know. Only the
resolution knows which items other sheets bring him (R124) and passes them in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NoReturn, cast

from parsers.types import Choice
from rules.astral import commands as c
from rules.astral import effects
from rules.astral.catalog import Slot, Usable
from rules.astral.describe import describe, main_action
from rules.astral.messages import Fault, ordinal, word, world_gen
from rules.astral.numbers import rational, resplit, show
from rules.astral.state import ShardId, State
from rules.astral.view import View
from rules.base import Command, FactionId

SLOTS: tuple[Slot, ...] = ("troop", "magic", "hero")


class Refused(Exception):
    """Carries the fault of a command out of its judge; never leaves this module."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.code)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Plan:
    """An accepted attack: its energy, the planned way and the split (R9, R26)."""

    energy: int
    move: int
    """Planned price of the way."""
    ratio: tuple[Fraction, Fraction]
    """The declared ratio troops : magic."""
    split: tuple[int, int] | None
    """What goes to troops and magic if the price stays as planned; None: only the ratio is known (R34)."""

    @property
    def additional(self) -> int:
        """Planned additional energy; negative where the way is dearer than the energy."""
        return self.energy - self.move


@dataclass(frozen=True, slots=True)
class Share:
    """A judged defence tactic's split."""

    troop: Fraction


@dataclass(frozen=True, slots=True)
class Judged:
    """One command with its verdict."""

    index: int
    command: Command
    fault: Fault | None = None
    cost: int = 0
    """Energy reserved for it."""
    plan: Plan | None = None
    share: Share | None = None
    unit: str | None = None
    """The unit that a lesson is for."""

    @property
    def accepted(self) -> bool:
        """True when it will be carried out."""
        return self.fault is None


@dataclass(frozen=True, slots=True)
class Judgement:
    """A whole sheet's verdict."""

    verdicts: tuple[Judged, ...]
    warnings: tuple[tuple[int, Fault], ...]
    """Index of the command and the warning."""
    free: int
    """Energy that stays unreserved."""
    extra: bool
    """The sheet uses an extra main action (R4)."""

    def accepted(self) -> list[Judged]:
        """The accepted commands in order."""
        return [verdict for verdict in self.verdicts if verdict.accepted]


def judge(view: View, commands: Sequence[Command], incoming: Set[str] = frozenset()) -> Judgement:
    """The verdict on a sheet of the view's owner. `incoming`: items that other sheets of this turn transfer to him."""
    return _Judge(view, tuple(commands), incoming).run()


def planned_heights(view: View, commands: Sequence[Command]) -> dict[FactionId, int]:
    """All heights as the owner can expect them before the battles: acting runes, then his own height changes (R9)."""
    game = view.game
    heights = {ident: owner.height for ident, owner in game.owners.items()}
    for rune in game.acting_runes():
        for effect in view.catalog.runes[rune].effects:
            if effect.phase == 1 and effect.op in ("height_set", "height_change"):
                for ident in game.active():
                    start = heights[ident] if effect.op == "height_change" else 0
                    heights[ident] = effects.clamp_height(game, start + int(effect.value))
    for command in commands:
        usable = _used(view, command)
        if usable is None or usable.phase > 1:
            continue
        for effect in usable.effects:
            if effect.op in ("height_set", "height_change"):
                target = getattr(command, "target_owner", None) if effect.on == "target" else view.reader
                if target in heights:
                    start = heights[target] if effect.op == "height_change" else 0
                    heights[target] = effects.clamp_height(game, start + int(effect.value))
    return heights


def _used(view: View, command: Command) -> Usable | None:
    """The item or feature that a command uses, if the owner has it ready."""
    game, me = view.game, view.me
    if me is None:
        return None
    if isinstance(command, c.UseItem) and command.item in me.items and me.items[command.item].ready <= game.turn:
        item = view.catalog.items[command.item]
        return item if item.activation == "action" else None
    if isinstance(command, c.UseFeature) and command.shard in me.shards:
        place = game.shards[command.shard]
        if command.feature in place.features and place.ready.get(command.feature, 0) <= game.turn:
            feature = view.catalog.features[command.feature]
            return feature if feature.activation == "action" else None
    return None


@dataclass
class _Judge:
    """The running account of one sheet: as if the accepted commands so far were carried out."""

    view: View
    commands: tuple[Command, ...]
    incoming: Set[str]
    free: int = 0
    main: list[Command] = field(default_factory=list)
    taken: dict[object, Command] = field(default_factory=dict)
    """Slots: vote, reserve[n], tactic[n]."""
    cares: dict[ShardId, int] = field(default_factory=dict)
    care_indices: list[tuple[int, ShardId]] = field(default_factory=list)
    sacrifices: list[tuple[int, ShardId]] = field(default_factory=list)
    lessons: dict[str, int] = field(default_factory=dict)
    teachers: set[str] = field(default_factory=set)
    item_uses: dict[str, int] = field(default_factory=dict)
    feature_uses: set[tuple[ShardId, str]] = field(default_factory=set)
    refused: set[int] = field(default_factory=set)
    warnings: list[tuple[int, Fault]] = field(default_factory=list)
    heights: dict[FactionId, int] = field(default_factory=dict)
    extra: bool = False
    index: int = 0

    def run(self) -> Judgement:
        view = self.view
        if view.me is None:
            raise ValueError("a sheet is judged from its owner's view")
        self.me_id = cast(FactionId, view.reader)
        self.me = view.me
        self.game: State = view.game
        self.free = self.me.energy
        self.heights = planned_heights(view, self.commands)
        self.extra = self._extra_main()
        verdicts = []
        for index, command in enumerate(self.commands):
            self.index = index
            try:
                verdict = self._one(command)
            except Refused as refusal:
                self.refused.add(self.index)
                verdict = Judged(self.index, command, refusal.fault)
            self.free -= verdict.cost
            verdicts.append(verdict)
        self._care_and_sacrifice()
        return Judgement(tuple(verdicts), tuple(sorted(self.warnings, key=lambda entry: entry[0])), self.free, self.extra)

    # -------------------------------------------------------------------------------------------- whole sheet

    def _extra_main(self) -> bool:
        """The sheet uses something that allows a second main action (R4), or a rune gives it to all."""
        for command in self.commands:
            usable = _used(self.view, command)
            if usable is None and isinstance(command, c.UseItem) and command.item in self.incoming:
                usable = self.view.catalog.items[command.item]
            if usable is not None and usable.has("extra_main_action"):
                return True
        runes = (self.view.catalog.runes[rune] for rune in self.game.acting_runes())
        return any(effect.op == "extra_main_action" for rune in runes for effect in rune.effects)

    def _care_and_sacrifice(self) -> None:
        """R68: warns once a sheet."""
        by_owner = self.game.settings.sacrifice_cancels_care == "owner"
        for at, shard in self.sacrifices:
            void = [index for index, cared in self.care_indices if by_owner or cared == shard]
            if void:
                self.warnings.append((max(at, void[0]), Fault("W_SACRIFICE_CANCELS_CARE")))
                return

    # -------------------------------------------------------------------------------------------- one command

    def _one(self, command: Command) -> Judged:
        if command.by_gm:
            self._refuse("E_NOT_PLAYER", "gm")
        self._status(command)
        handler = HANDLERS[type(command)]
        return handler(self, command)

    def _refuse(self, code: str, variant: str = "text", at: str | None = None, **params: Any) -> NoReturn:
        raise Refused(Fault(code, params, variant, at))

    def _status(self, command: Command) -> None:
        if self.me.status == "eliminated":
            self._refuse("E_ELIMINATED")
        voting = isinstance(command, c.VoteRune) and self.game.settings.nothing_can_vote
        allowed = isinstance(command, c.ExitNothing | c.Pass | c.CancelOrders) or voting
        if self.me.status == "nothing" and not allowed:
            self._refuse("E_IN_NOTHING")
        if self.me.status == "active" and isinstance(command, c.ExitNothing):
            self._refuse("E_NOT_IN_NOTHING")

    def _accept(self, command: Command, cost: int = 0, **more: Any) -> Judged:
        """Accepts, if the energy suffices (R7)."""
        if cost > self.free:
            self._refuse("E_ENERGY", need=cost, free=self.free)
        return Judged(self.index, command, cost=cost, **more)

    def _free_action(self, command: Command) -> Judged:
        return self._accept(command)

    # ---- main actions

    def _main(self, command: Command) -> None:
        """R4: one main action; with an extra one, an attack on a shard and an attack on a world."""
        kinds = {type(earlier) for earlier in self.main}
        both = {c.AttackNeutral, c.AttackOwner}
        if not kinds or (self.extra and kinds | {type(command)} == both and type(command) not in kinds):
            return
        accepted = ", ".join(main_action(self.game, earlier) for earlier in self.main)
        self._refuse("E_MAIN_ACTION", accepted=accepted, refused=main_action(self.game, command))

    def _nothing(self, command: Command) -> Judged:
        self._main(command)
        self.main.append(command)
        return self._accept(command)

    def _attack_neutral(self, command: c.AttackNeutral) -> Judged:
        self._main(command)
        shard = self._shard(command.shard)
        place = self.game.shards[shard]
        if place.owner == self.me_id:
            self._refuse("E_SELF", at="shard")
        if place.owner is not None:
            who = self.game.owners[place.owner].name
            self._refuse("E_NOT_NEUTRAL", at="shard", name=place.label, owner=who, world=world_gen(self.game, place.owner))
        if command.group is not None:
            self._refuse("E_GROUP_NEUTRAL", at="group")
        self._units(command)
        self._battle_items(command.items)
        assert place.height is not None
        move = effects.move_price(self.game, self.me_id, self.heights[self.me_id], place.height, own_effects_only=True)
        plan = self._plan(command, move)
        if plan.additional < 0:
            self._refuse("E_MOVE_COST", at="energy", name=place.label, move=move, energy=plan.energy)
        verdict = self._accept(command, plan.energy, plan=plan)
        self.main.append(command)
        return verdict

    def _attack_owner(self, command: c.AttackOwner) -> Judged:
        self._main(command)
        self._owner(command.target, "target")
        if self.view.worlds[command.target].untargetable:
            self._refuse("E_TARGET_UNAVAILABLE", at="target", owner=self.game.owners[command.target].name)
        self._units(command)
        self._battle_items(command.items)
        if command.group_position is not None and command.group_position < 1:
            self._refuse("E_ATTACK_NO", at="group_position")
        here, there = self.heights[self.me_id], self.heights[command.target]
        move = effects.move_price(self.game, self.me_id, here, there, command.target, own_effects_only=True)
        plan = self._plan(command, move)
        verdict = self._accept(command, plan.energy, plan=plan)
        if plan.additional < 0:
            self.warnings.append((self.index, Fault("W_MOVE_COST", {"move": move}, field="energy")))
        self.main.append(command)
        return verdict

    def _plan(self, command: c.Attack, move: int) -> Plan:
        """The energy and its split (R26, R27, R34)."""
        energy, troop, magic = command.energy, command.troop_energy, command.magic_energy
        for name, value, least in (("energy", energy, 1), ("troop_energy", troop, 0), ("magic_energy", magic, 0)):
            if value is not None:
                self._whole(value, least, name)
        if troop is None and magic is None:
            return self._plan_by_shares(command, move)
        if energy is None:
            if troop is None or magic is None:
                self._refuse("E_ENERGY_MISSING", at="energy")
            energy = int(troop or 0) + int(magic or 0) + move
            self._whole(energy, 1, "energy")
        energy, left = int(energy), int(energy) - move
        given = (int(troop or 0), int(magic or 0))
        if left < 0:
            return Plan(energy, move, (Fraction(given[0]), Fraction(given[1])), None)
        if (troop is None or magic is None) and sum(given) <= left:
            given = (left - given[1], given[1]) if troop is None else (given[0], left - given[0])
        if sum(given) != left:
            self._refuse_split(command, energy, move, given)
        return Plan(energy, move, (Fraction(given[0]), Fraction(given[1])), given)

    def _plan_by_shares(self, command: c.Attack, move: int) -> Plan:
        shares = command.troop_share, command.magic_share
        if command.energy is None:
            self._refuse("E_ENERGY_MISSING", at="energy")
        energy = int(command.energy or 0)
        left = energy - move
        if shares == (None, None):
            t, m = resplit(max(left, 0), 6, 4)
            self._refuse("E_SPLIT_MISSING", at="troop_energy", energy=max(left, 0), troop=show(t), magic=show(m))
        share = self._shares(*shares)
        ratio = (share, 100 - share)
        if left < 0:
            return Plan(energy, move, ratio, None)
        t, m = resplit(left, *ratio)
        return Plan(energy, move, ratio, (int(t), int(m)))

    def _refuse_split(self, command: c.Attack, energy: int, move: int, given: tuple[int, int]) -> NoReturn:
        t, m = resplit(energy - move, *given)
        fixed = command.model_copy(update={"energy": energy, "troop_energy": int(t), "magic_energy": int(m)})
        line = describe(self.view, fixed)
        params = {"energy": energy, "move": move, "additional": energy - move, "given": sum(given), "troop": t, "magic": m}
        choice = Choice(line, c.as_json(fixed))
        raise Refused(Fault("E_SPLIT", params, field="troop_energy", choices=(choice,), correction=line))

    # ---- pieces

    def _whole(self, value: c.Amount, least: int, at: str) -> None:
        if value != int(value) or value < least:
            self._refuse("E_INT", at=at)

    def _shares(self, troop: c.Percent | None, magic: c.Percent | None) -> Fraction:
        """The troops' percent of two shares, of which one may be left out (R56)."""
        try:
            parts = [None if share is None else rational(share) for share in (troop, magic)]
        except ValueError:
            raise Refused(Fault("E_SHARE_SUM", {}, "range", "troop_share")) from None
        t = Fraction(100 - (parts[1] or 0)) if parts[0] is None else parts[0]
        m = Fraction(100 - t) if parts[1] is None else parts[1]
        if t + m != 100:
            self._refuse("E_SHARE_SUM", at="troop_share", sum=show(t + m))
        if not 0 <= t <= 100:
            self._refuse("E_SHARE_SUM", "range", "troop_share")
        return t

    def _shard(self, ident: ShardId, at: str = "shard") -> ShardId:
        place = self.game.shards.get(ident)
        if place is None:
            number = ident[1:] if ident[:1] == "n" and ident[1:].isdigit() else f"«{ident}»"
            self._refuse("E_UNKNOWN_TARGET", at=at, name=number)
        elif place.status == "destroyed":
            self._refuse("E_UNKNOWN_TARGET", "destroyed", at, name=place.label)
        return ident

    def _owner(self, ident: FactionId, at: str, *, self_allowed: bool = False) -> None:
        """R30 and R72: a living owner out of Nothing, another than oneself."""
        if ident not in self.game.owners:
            self._refuse("E_UNKNOWN_TARGET", "owner", at, name=ident)
        if ident == self.me_id and not self_allowed:
            self._refuse("E_SELF", at=at)
        who = self.game.owners[ident]
        if who.status == "eliminated":
            self._refuse("E_TARGET_DEAD", at=at, owner=who.name)
        if who.status == "nothing":
            self._refuse("E_TARGET_NOTHING", at=at, owner=who.name)

    def _units(self, command: c.Attack | c.SetDefenceTactic) -> None:
        """R12: one of each kind, known and unlocked."""
        units = self.view.catalog.units
        chosen = {slot: cast("str | None", getattr(command, slot)) for slot in SLOTS}
        for slot, name in chosen.items():
            if name is None:
                self._refuse("E_UNIT_MISSING", at=slot, missing=word(f"missing_{slot}"))
        for slot, name in chosen.items():
            if name not in units or units[name].slot != slot:
                known = [units[i].name_ru for i in self.view.catalog.units_of(slot) if i in self.me.unlocked]
                named = units[name].name_ru if name in units else name
                self._refuse("E_UNIT_UNKNOWN", at=slot, unknown=word(f"unknown_{slot}"), name=named, units=", ".join(known))
        for slot, name in chosen.items():
            if name not in self.me.unlocked:
                unit = units[str(name)]
                self._refuse("E_UNIT_LOCKED", at=slot, name=unit.name_ru, locked=word(f"locked_{unit.gender}"))

    def _battle_items(self, items: Sequence[str]) -> None:
        """R124: battle items at hand, or on their way to him."""
        for name in items:
            item = self._own_item(name, "items", incoming=True)
            if item.activation != "battle":
                self._refuse("E_ITEM_PASSIVE", "action" if item.activation == "action" else "text", "items", name=item.name_ru)
            self._ready(name, item)

    def _own_item(self, name: str, at: str, *, incoming: bool = False) -> Any:
        item = self.view.catalog.items.get(name)
        if item is None or (name not in self.me.items and not (incoming and name in self.incoming)):
            self._refuse("E_ITEM_NOT_YOURS", at=at, name=item.name_ru if item is not None else name)
        return item

    def _ready(self, name: str, item: Usable) -> None:
        held = self.me.items.get(name)
        if held is not None and held.ready > self.game.turn:
            self._refuse("E_ITEM_COOLDOWN", at="item", name=item.name_ru, turn=held.ready)

    def _slot(self, command: Command, variant: str, **params: Any) -> None:
        """R115: one slot twice in a sheet."""
        key = command.slot()
        if key in self.taken:
            raise Refused(Fault("E_DUPLICATE", params, variant, None, self._both(self.taken[key], command)))

    def _both(self, *commands: Command) -> tuple[Choice, ...]:
        return tuple(Choice(describe(self.view, command), c.as_json(command)) for command in commands)

    def _take(self, command: Command) -> None:
        self.taken[command.slot()] = command

    # ---- additional actions

    def _invest(self, command: c.InvestDefence) -> Judged:
        self._whole(command.energy, 1, "energy")
        return self._accept(command, int(command.energy))

    def _reserve(self, command: c.SetReserve) -> Judged:
        if command.attack_no != int(command.attack_no) or command.attack_no < 1:
            self._refuse("E_ATTACK_NO", at="attack_no")
        self._whole(command.energy, 1, "energy")
        earlier = self.taken.get(command.slot())
        if isinstance(earlier, c.SetReserve):
            which = ordinal(int(command.attack_no), "acc")
            self._slot(command, "reserve", ordinal=which, first=earlier.energy, second=command.energy)
        verdict = self._accept(command, int(command.energy))
        self._take(command)
        return verdict

    def _tactic(self, command: c.SetDefenceTactic) -> Judged:
        number = command.attack_no
        if number != "all" and (number != int(number) or number < 1):
            self._refuse("E_ATTACK_NO", at="attack_no")
        if number == "all":
            self._slot(command, "tactic_all")
        else:
            self._slot(command, "tactic", ordinal=ordinal(int(number), "gen"))
        self._units(command)
        self._battle_items(command.items)
        if command.troop_share is None and command.magic_share is None:
            self._refuse("E_SPLIT_MISSING", "tactic", "troop_share")
        share = self._shares(command.troop_share, command.magic_share)
        self._take(command)
        return self._accept(command, share=Share(share))

    def _vote(self, command: c.VoteRune) -> Judged:
        runes, board = self.view.catalog.runes, self.game.runes.board
        if command.rune not in board:
            variant = "text" if board else "empty"
            self._refuse("E_RUNE_NOT_ON_BOARD", variant, "rune", runes=", ".join(runes[rune].short for rune in board))
        earlier = self.taken.get(command.slot())
        if isinstance(earlier, c.VoteRune):
            self._slot(command, "vote", first=runes[earlier.rune].word_ru, second=runes[command.rune].word_ru)
        self._take(command)
        return self._accept(command)

    def _own_or_coming(self, shard: ShardId) -> None:
        """R69: own now, or what an attack of this sheet is to bring."""
        self._shard(shard)
        coming = set()
        for index, command in enumerate(self.commands):
            if index in self.refused:
                continue
            if isinstance(command, c.AttackNeutral):
                coming.add(command.shard)
            elif isinstance(command, c.AttackOwner) and command.target in self.game.owners:
                coming.add(self.view.outer(command.target) or "")
        if shard not in self.me.shards and shard not in coming:
            self._refuse("E_SHARD_NOT_YOURS", at="shard", name=self.game.shards[shard].label)

    def _care(self, command: c.Care) -> Judged:
        self._own_or_coming(command.shard)
        done = self.cares.get(command.shard, 0)
        verdict = self._accept(command, effects.care_price(self.game, self.me_id, command.shard, done))
        self.cares[command.shard] = done + 1
        self.care_indices.append((self.index, command.shard))
        return verdict

    def _sacrifice(self, command: c.Sacrifice) -> Judged:
        if len(self.sacrifices) >= self.game.settings.sacrifice_limit:
            first = self.game.shards[self.sacrifices[0][1]].label
            self._refuse("E_SACRIFICE_LIMIT", at="shard", name=first)
        self._own_or_coming(command.shard)
        self.sacrifices.append((self.index, command.shard))
        return self._accept(command)

    def _transfer_energy(self, command: c.TransferEnergy) -> Judged:
        self._owner(command.to, "to")
        self._whole(command.amount, 1, "amount")
        return self._accept(command, int(command.amount))

    def _transfer_item(self, command: c.TransferItem) -> Judged:
        self._owner(command.to, "to")
        self._given_item(command.item, "item")
        return self._accept(command)

    def _given_item(self, name: str, at: str) -> None:
        item = self._own_item(name, at)
        if not item.transferable:
            self._refuse("E_ITEM_LOCKED", at=at)

    def _exchange(self, command: c.Exchange) -> Judged:
        self._owner(command.partner, "with")
        for name in command.give.items:
            self._given_item(name, "give")
        for subject in command.give.info:
            self._told(subject, "give")
        for goods, at in ((command.give, "give"), (command.want, "want")):
            if goods.energy is not None:
                self._whole(goods.energy, 1, at)
        return self._accept(command, int(command.give.energy or 0))

    def _told(self, subject: str, at: str) -> None:
        if not self.view.knows_subject(subject):
            self._refuse("E_INFO_UNKNOWN", at=at)

    def _share_info(self, command: c.ShareInfo) -> Judged:
        self._owner(command.to, "to")
        self._told(command.subject, "subject")
        return self._accept(command)

    def _use_item(self, command: c.UseItem) -> Judged:
        item = self._own_item(command.item, "item", incoming=True)
        if item.activation != "action":
            self._refuse("E_ITEM_PASSIVE", "battle" if item.activation == "battle" else "text", "item", name=item.name_ru)
        held, used = self.me.items.get(command.item), self.item_uses.get(command.item, 0)
        self._ready(command.item, item)
        if used and item.cooldown:
            self._refuse("E_ITEM_COOLDOWN", at="item", name=item.name_ru, turn=self.game.turn + item.cooldown + 1)
        if held is not None and held.uses and used >= held.uses:
            self._refuse("E_ITEM_NOT_YOURS", at="item", name=item.name_ru)
        self._targets(item, command)
        verdict = self._accept(command, item.price)
        self.item_uses[command.item] = used + 1
        return verdict

    def _use_feature(self, command: c.UseFeature) -> Judged:
        self._shard(command.shard)
        place = self.game.shards[command.shard]
        if command.shard not in self.me.shards:
            self._refuse("E_SHARD_NOT_YOURS", at="shard", name=place.label)
        if command.feature not in place.features:
            self._refuse("E_FEATURE_UNKNOWN", at="feature", name=place.label)
        feature = self.view.catalog.features[command.feature]
        if feature.activation != "action":
            self._refuse("E_ITEM_PASSIVE", at="feature", name=feature.name_ru)
        ready = place.ready.get(command.feature, 0)
        if (command.shard, command.feature) in self.feature_uses and feature.cooldown:
            ready = self.game.turn + feature.cooldown + 1
        if ready > self.game.turn:
            self._refuse("E_ITEM_COOLDOWN", at="feature", name=feature.name_ru, turn=ready)
        self._targets(feature, command)
        verdict = self._accept(command, feature.price)
        self.feature_uses.add((command.shard, command.feature))
        return verdict

    def _targets(self, usable: Usable, command: c.UseItem | c.UseFeature) -> None:
        """R91: the target that the thing needs."""
        name = usable.name_ru
        if usable.target == "owner":
            if command.target_owner is None:
                self._refuse("E_ITEM_TARGET", at="target_owner", name=name, absent=True)
            self._owner(str(command.target_owner), "target_owner", self_allowed=True)
        elif usable.target == "neutral":
            if command.target_shard is None:
                self._refuse("E_ITEM_TARGET", "neutral", "target_shard", name=name, absent=True)
            shard = self._shard(str(command.target_shard), "target_shard")
            if self.game.shards[shard].status != "neutral":
                self._refuse("E_ITEM_TARGET", "neutral", "target_shard", name=name)
        if usable.target == "own" or usable.has("reorder_shard"):
            if command.target_shard is None:
                self._refuse("E_ITEM_TARGET", "own", "target_shard", name=name, absent=True)
            shard = self._shard(str(command.target_shard), "target_shard")
            if shard not in self.me.shards:
                self._refuse("E_ITEM_TARGET", "own", "target_shard", name=name)

    def _hire(self, command: c.HireSpecialist) -> Judged:
        tables = self.view.catalog
        here = any(command.specialist in self.game.shards[shard].specialists for shard in self.me.shards)
        teacher = tables.specialists.get(command.specialist)
        if teacher is None or not here:
            self._refuse("E_SPECIALIST_NOT_YOURS", at="specialist", name=teacher.name_ru if teacher else command.specialist)
        assert teacher is not None
        names = ", ".join(tables.units[unit].name_ru for unit in teacher.units)
        unit = command.unit
        if unit is None:
            if len(teacher.units) > 1:
                self._refuse("E_UNIT_MISSING", "specialist", "unit", specialist=teacher.gen_ru or teacher.name_ru, units=names)
            unit = teacher.units[0]
        if unit not in teacher.units:
            self._refuse("E_SPECIALIST_UNIT", at="unit", name=teacher.name_ru, units=names)
        if command.specialist in self.teachers:
            self._refuse("E_SPECIALIST_BUSY", at="specialist", name=teacher.name_ru)
        if unit not in self.me.unlocked:
            who = tables.units[unit]
            self._refuse("E_UNIT_LOCKED", at="unit", name=who.name_ru, locked=word(f"locked_{who.gender}"))
        level = self.me.levels.get(unit, 0) + self.lessons.get(unit, 0)
        if level >= teacher.max_level:
            gen = tables.units[unit].gen_ru or tables.units[unit].name_ru
            self._refuse("E_MAX_LEVEL", at="unit", name=teacher.name_ru, unit=gen, level=teacher.max_level)
        verdict = self._accept(command, effects.lesson_price(self.game, command.specialist, level), unit=unit)
        self.teachers.add(command.specialist)
        self.lessons[unit] = self.lessons.get(unit, 0) + 1
        return verdict


HANDLERS: dict[type[Command], Callable[[_Judge, Any], Judged]] = {
    c.AttackNeutral: _Judge._attack_neutral,
    c.AttackOwner: _Judge._attack_owner,
    c.EnterNothing: _Judge._nothing,
    c.ExitNothing: _Judge._nothing,
    c.Pass: _Judge._free_action,
    c.CancelOrders: _Judge._free_action,
    c.InvestDefence: _Judge._invest,
    c.SetReserve: _Judge._reserve,
    c.SetDefenceTactic: _Judge._tactic,
    c.Care: _Judge._care,
    c.Sacrifice: _Judge._sacrifice,
    c.VoteRune: _Judge._vote,
    c.TransferEnergy: _Judge._transfer_energy,
    c.TransferItem: _Judge._transfer_item,
    c.Exchange: _Judge._exchange,
    c.ShareInfo: _Judge._share_info,
    c.UseItem: _Judge._use_item,
    c.UseFeature: _Judge._use_feature,
    c.HireSpecialist: _Judge._hire,
}
