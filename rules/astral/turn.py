"""A whole turn: phases 0 to 6 in the order of §4 (R1–R10, R57–R103)."""

from __future__ import annotations

from collections.abc import Sequence

from rules.astral import attacks, effects, gm, runes, victory
from rules.astral import commands as c
from rules.astral.context import Account, Context, Fired
from rules.astral.describe import describe, shard_name
from rules.astral.judging import Judged, judge
from rules.astral.messages import Fault
from rules.astral.state import State, Tactic
from rules.astral.view import view
from rules.base import GM, Command, FactionId, Outcome, RulesError, Sheet, only
from rules.dice import Dice


def resolve(state: State, sheets: Sequence[Sheet], dice: Dice, *, closing: bool) -> Outcome:
    """Carries out the GM's commands and, when closing, the whole turn. Raises `RulesError` for a sheet of nobody.

    A finished game awaits nobody, but can still be played on (an epilogue); its result stands."""
    ctx = Context(state.model_copy(deep=True), dice)
    ctx.accounts = {ident: Account(owner.energy) for ident, owner in ctx.state.owners.items()}
    players: dict[FactionId, list[Command]] = {}
    for order, sheet in enumerate(sheets):
        if sheet.issuer == GM:
            for command in sheet.commands:
                gm.carry_out(ctx, command)
        elif sheet.issuer in ctx.state.owners:
            players.setdefault(sheet.issuer, []).extend(sheet.commands)
            ctx.rank[sheet.issuer] = (sheet.arrived, order)
        else:
            raise RulesError(f"Владыки {sheet.issuer!r} в этой игре нет.")
    if not closing:
        _portion(ctx, players)
    else:
        _close(ctx, players)
    return Outcome(ctx.state, tuple(ctx.events), tuple(dice.draws))


def _portion(ctx: Context, players: dict[FactionId, list[Command]]) -> None:
    """Only the GM acts inside a turn: owners' orders wait for its close (R1, R10)."""
    for owner in ctx.state.roster:
        for index, command in enumerate(players.get(owner, ())):
            _tell_fault(ctx, owner, index, command, Fault("E_LATE_PORTION"), "refused")


def _close(ctx: Context, players: dict[FactionId, list[Command]]) -> None:
    ctx.accounts = {ident: Account(owner.energy) for ident, owner in ctx.state.owners.items()}
    _validate(ctx, players)
    _count_missed(ctx, players)
    runes.choose(ctx)
    _phase_1(ctx)
    for phase, battles in ((2, attacks.neutral_battles), (3, attacks.world_battles)):
        runes.fire(ctx, phase)
        _use(ctx, phase)
        battles(ctx)
    _phase_4(ctx)
    _phase_5(ctx)
    _phase_6(ctx)
    victory.close_turn(ctx)


# ------------------------------------------------------------------------------------------------ before 0


def _validate(ctx: Context, players: dict[FactionId, list[Command]]) -> None:
    """Judges all sheets against the state at the turn's start, in roster order, and reserves the energy (R6, R7)."""
    incoming = _incoming(ctx.state, players)
    for owner in ctx.state.roster:
        if owner not in players:
            continue
        mine = view(ctx.state, only(owner))
        judgement = judge(mine, players[owner], incoming.get(owner, set()))
        ctx.judgements[owner] = judgement
        for verdict in judgement.verdicts:
            if verdict.fault is not None:
                _tell_fault(ctx, owner, verdict.index, verdict.command, verdict.fault, "refused")
        for index, fault in judgement.warnings:
            _tell_fault(ctx, owner, index, players[owner][index], fault, "warned")
        accepted = [{"line": describe(mine, verdict.command), "cost": verdict.cost} for verdict in judgement.accepted()]
        ctx.whisper(owner, "accepted", "R6", orders=accepted, free=judgement.free)
    for owner, judgement in ctx.judgements.items():
        for verdict in judgement.accepted():
            if verdict.cost:
                ctx.reserve(owner, verdict.cost, f"cost_{verdict.command.model_dump()['type']}", _detail(ctx.state, verdict))
            if isinstance(verdict.command, c.SetReserve):
                ctx.reserves.setdefault(owner, {})[int(verdict.command.attack_no)] = verdict.cost


def _incoming(state: State, players: dict[FactionId, list[Command]]) -> dict[FactionId, set[str]]:
    """Items that other sheets transfer to an owner (R124)."""
    found: dict[FactionId, set[str]] = {}
    for giver, orders in players.items():
        for command in orders:
            if isinstance(command, c.TransferItem):
                given, receiver = [command.item], command.to
            elif isinstance(command, c.Exchange):
                given, receiver = list(command.give.items), command.partner
            else:
                continue
            held = [item for item in given if item in state.owners[giver].items and state.catalog.items[item].transferable]
            found.setdefault(receiver, set()).update(held)
    return found


def _tell_fault(ctx: Context, owner: FactionId, index: int, command: Command, fault: Fault, kind: str) -> None:
    data = {"index": index, "type": command.model_dump()["type"], "code": fault.code, "message": fault.message}
    line = describe(view(ctx.state, only(owner)), command)
    ctx.whisper(owner, kind, fault.rule, **data, line=line, correction=fault.correction)


def _detail(state: State, verdict: Judged) -> str:
    """What a cost is for, inside the ledger."""
    command = verdict.command
    if isinstance(command, c.AttackNeutral | c.Care):
        return shard_name(state, command.shard)
    if isinstance(command, c.AttackOwner):
        return state.owners[command.target].name
    if isinstance(command, c.SetReserve):
        return str(int(command.attack_no))
    if isinstance(command, c.TransferEnergy):
        return state.owners[command.to].name
    if isinstance(command, c.Exchange):
        return state.owners[command.partner].name
    if isinstance(command, c.UseItem):
        return state.catalog.items[command.item].name_ru
    if isinstance(command, c.UseFeature):
        return state.catalog.features[command.feature].name_ru
    if isinstance(command, c.HireSpecialist):
        return state.catalog.specialists[command.specialist].name_ru
    return ""


def _count_missed(ctx: Context, players: dict[FactionId, list[Command]]) -> None:
    """R73, R123: an active owner without a sheet; `cancel_orders` alone makes none."""
    for owner in ctx.state.active():
        who = ctx.state.owners[owner]
        orders = players.get(owner)
        silent = orders is None or (orders and all(isinstance(command, c.CancelOrders) for command in orders))
        if silent:
            who.missed += 1
            ctx.tell("missed", "R73", {"owner": owner, "count": who.missed, "limit": ctx.state.settings.missed_limit})
        elif ctx.state.settings.missed_turns_mode == "consecutive":
            who.missed = 0


# ------------------------------------------------------------------------------------------------ phase 1


def _phase_1(ctx: Context) -> None:
    _use(ctx, 0)
    runes.fire(ctx, 1)
    _invest(ctx)
    _transfer_energy(ctx)
    _exchange(ctx)
    _transfer_things(ctx)
    _use(ctx, 1)
    _set_tactics(ctx)
    attacks.cancel_without_extra(ctx)


def _invest(ctx: Context) -> None:
    """R50: the number of shards at that moment counts."""
    for owner in ctx.owners_in_order():
        for verdict in ctx.orders(owner, c.InvestDefence):
            rate = effects.defence_rate(ctx.state, owner)
            gain = rate * verdict.cost
            ctx.state.owners[owner].defence += gain
            ctx.whisper(owner, "invested", "R50", energy=verdict.cost, rate=str(rate), gain=str(gain))


def _transfer_energy(ctx: Context) -> None:
    """R57: usable by the receiver from the next turn."""
    for owner in ctx.owners_in_order():
        for verdict in ctx.orders(owner, c.TransferEnergy):
            command = verdict.command
            assert isinstance(command, c.TransferEnergy)
            if ctx.state.owners[command.to].status != "active":
                _void(ctx, owner, verdict, "R57")
                continue
            ctx.pay_in(command.to, verdict.cost, "received", ctx.state.owners[owner].name)
            data = {"from": owner, "to": command.to, "amount": verdict.cost}
            ctx.tell("sent_energy", "R57", data, only(owner, command.to))


def _exchange(ctx: Context) -> None:
    """R58: mirror deals only, all or nothing; of two deals over one thing the first counts."""
    done: set[tuple[FactionId, int]] = set()
    for owner in ctx.owners_in_order():
        for verdict in ctx.orders(owner, c.Exchange):
            if (owner, verdict.index) in done:
                continue
            command = verdict.command
            assert isinstance(command, c.Exchange)
            mirror = _mirror(ctx, owner, command, done)
            if mirror is None or not _deliverable(ctx, owner, command) or not _deliverable(ctx, command.partner, mirror.command):
                _void(ctx, owner, verdict, "R58")
                continue
            done |= {(owner, verdict.index), (command.partner, mirror.index)}
            for giver, receiver, deal in ((owner, command.partner, verdict), (command.partner, owner, mirror)):
                _deliver(ctx, giver, receiver, deal)


def _mirror(ctx: Context, owner: FactionId, command: c.Exchange, done: set[tuple[FactionId, int]]) -> Judged | None:
    for verdict in ctx.orders(command.partner, c.Exchange):
        other = verdict.command
        assert isinstance(other, c.Exchange)
        same = other.give.key() == command.want.key() and other.want.key() == command.give.key()
        if other.partner == owner and same and (command.partner, verdict.index) not in done:
            return verdict
    return None


def _deliverable(ctx: Context, giver: FactionId, command: Command) -> bool:
    assert isinstance(command, c.Exchange)
    who = ctx.state.owners[giver]
    return who.status == "active" and all(item in who.items for item in command.give.items)


def _deliver(ctx: Context, giver: FactionId, receiver: FactionId, deal: Judged) -> None:
    command = deal.command
    assert isinstance(command, c.Exchange)
    ctx.pay_in(receiver, deal.cost, "received", ctx.state.owners[giver].name)
    for item in command.give.items:
        ctx.give_item(giver, receiver, item)
    for subject in command.give.info:
        _tell_subject(ctx, giver, receiver, subject)
    items = ctx.state.catalog.items
    data = {
        "from": giver,
        "to": receiver,
        "energy": deal.cost,
        "items": [
            {"item": item, "name": items[item].name_ru, "description": items[item].description_ru} for item in command.give.items
        ],
        "info": [shard_name(ctx.state, s) if s in ctx.state.shards else items[s].name_ru for s in command.give.info],
    }
    ctx.tell("exchanged", "R58", data, only(giver, receiver))


def _transfer_things(ctx: Context) -> None:
    """R59, R108: items change hands, knowledge is copied."""
    for owner in ctx.owners_in_order():
        for verdict in ctx.orders(owner, c.TransferItem, c.ShareInfo):
            command = verdict.command
            if isinstance(command, c.TransferItem):
                gone = command.item not in ctx.state.owners[owner].items
                if gone or ctx.state.owners[command.to].status != "active":
                    _void(ctx, owner, verdict, "R59")
                    continue
                ctx.give_item(owner, command.to, command.item)
                item = ctx.state.catalog.items[command.item]
                data = {"from": owner, "to": command.to, "item": command.item, "name": item.name_ru}
                data["description"] = item.description_ru
                ctx.tell("sent_item", "R59", data, only(owner, command.to))
            elif isinstance(command, c.ShareInfo) and ctx.state.owners[command.to].status == "active":
                _tell_subject(ctx, owner, command.to, command.subject)


def _tell_subject(ctx: Context, teller: FactionId, listener: FactionId, subject: str) -> None:
    """Copies knowledge, as far as the teller has it (R108)."""
    items, state = ctx.state.catalog.items, ctx.state
    if subject in items:
        ctx.learn(listener, subject)
        data = {"name": items[subject].name_ru, "description": items[subject].description_ru}
        ctx.whisper(listener, "told", "R108", teller=teller, subject=subject, **data)
        return
    what = [part for part in ("tactic", "trophies", "features") if _can_tell(state, teller, subject, part)]
    ctx.reveal_shard(listener, subject, what, state.owners[teller].name, "R108")


def _can_tell(state: State, teller: FactionId, shard: str, what: str) -> bool:
    place = state.shards[shard]
    openly = {"tactic": place.tactic_known, "trophies": False, "features": True}
    return openly[what] or state.knows(teller, shard, what)


def _void(ctx: Context, owner: FactionId, verdict: Judged, rule: str) -> None:
    """A command that could not be carried out: its cost returns."""
    ctx.pay_in(owner, verdict.cost, "returned", _detail(ctx.state, verdict))
    line = describe(view(ctx.state, only(owner)), verdict.command)
    kind = verdict.command.model_dump()["type"]
    ctx.whisper(owner, "void", rule, index=verdict.index, type=kind, line=line, refunded=verdict.cost)


def _use(ctx: Context, phase: int) -> None:
    """Items and особенности of a phase: owners in roster order, commands in sheet order (R91)."""
    for owner in ctx.owners_in_order():
        for verdict in ctx.orders(owner, c.UseItem, c.UseFeature):
            command = verdict.command
            if ctx.state.owners[owner].status != "active":
                continue
            if isinstance(command, c.UseItem) and ctx.state.catalog.items[command.item].phase == phase:
                _use_item(ctx, owner, verdict, command)
            elif isinstance(command, c.UseFeature) and ctx.state.catalog.features[command.feature].phase == phase:
                _use_feature(ctx, owner, verdict, command)


def _targets_stand(ctx: Context, owner: FactionId, command: c.UseItem | c.UseFeature, target: str | None) -> bool:
    """R91: the target is still one."""
    if target == "owner":
        return command.target_owner is not None and ctx.state.owners[command.target_owner].status == "active"
    if target == "neutral":
        return command.target_shard is not None and ctx.state.shards[command.target_shard].status == "neutral"
    return target != "own" or command.target_shard in ctx.state.owners[owner].shards


def _use_item(ctx: Context, owner: FactionId, verdict: Judged, command: c.UseItem) -> None:
    item = ctx.state.catalog.items[command.item]
    if not ctx.holds(owner, command.item) or not _targets_stand(ctx, owner, command, item.target):
        _void(ctx, owner, verdict, "R91")
        return
    ctx.spend_charge(owner, command.item)
    left = ctx.state.owners[owner].items.get(command.item)
    ctx.whisper(
        owner, "used", "R90", item=command.item, name=item.name_ru, left=left.uses if left is not None else 0, gone=left is None
    )
    fired = Fired(owner, item.name_ru, command.item, item.hidden, item.duration)
    fired.target_owner, fired.target_shard, fired.position = command.target_owner, command.target_shard, command.position
    ctx.use(item, fired)


def _use_feature(ctx: Context, owner: FactionId, verdict: Judged, command: c.UseFeature) -> None:
    feature, place = ctx.state.catalog.features[command.feature], ctx.state.shards[command.shard]
    ready = place.ready.get(command.feature, 0) <= ctx.state.turn
    reorder = feature.has("reorder_shard") and command.target_shard not in ctx.state.owners[owner].shards
    stands = _targets_stand(ctx, owner, command, feature.target)
    if command.shard not in ctx.state.owners[owner].shards or not ready or reorder or not stands:
        _void(ctx, owner, verdict, "R91")
        return
    if feature.cooldown:
        place.ready[command.feature] = ctx.state.turn + feature.cooldown + 1
    ctx.whisper(owner, "used", "R98", item=command.feature, name=feature.name_ru, left=0, gone=False)
    fired = Fired(owner, feature.name_ru, command.feature, False, feature.duration, rule="R98")
    fired.target_owner, fired.target_shard, fired.position = command.target_owner, command.target_shard, command.position
    ctx.use(feature, fired)


def _set_tactics(ctx: Context) -> None:
    """New tactics take force; one for all clears the numbered ones of earlier turns (R54, R119)."""
    for owner in ctx.owners_in_order():
        new: dict[str, Tactic] = {}
        for verdict in ctx.orders(owner, c.SetDefenceTactic):
            command = verdict.command
            assert isinstance(command, c.SetDefenceTactic)
            assert verdict.share is not None
            number = command.attack_no if command.attack_no == "all" else int(command.attack_no)
            new[str(number)] = Tactic(
                troop=str(command.troop),
                magic=str(command.magic),
                hero=str(command.hero),
                troop_share=verdict.share.troop,
                items=list(command.items),
                turn=ctx.state.turn,
            )
        kept = {} if "all" in new else ctx.state.owners[owner].tactics
        ctx.state.owners[owner].tactics = {**kept, **new}


# ------------------------------------------------------------------------------------------------ phases 4 to 6


def _phase_4(ctx: Context) -> None:
    for owner in ctx.owners_in_order():
        if ctx.state.owners[owner].status == "active":
            sacrificed = _sacrifice(ctx, owner)
            _care(ctx, owner, sacrificed)
            _lessons(ctx, owner)
    _use(ctx, 4)
    runes.fire(ctx, 4)


def _sacrifice(ctx: Context, owner: FactionId) -> set[str]:
    """R64, R66: the shards on which a sacrifice was really carried out."""
    rules, carried_out = ctx.state.settings, set()
    for verdict in ctx.orders(owner, c.Sacrifice):
        command = verdict.command
        assert isinstance(command, c.Sacrifice)
        if command.shard not in ctx.state.owners[owner].shards:
            _void(ctx, owner, verdict, "R69")
            continue
        place = ctx.state.shards[command.shard]
        place.care = max(0, place.care - 1) if rules.opposite_effect_removal == "one" else 0
        place.sacrifice += 1
        gain = effects.sacrifice_energy(ctx.state, owner)
        ctx.pay_in(owner, gain, "sacrifice", place.label)
        ctx.tell("sacrificed", "R64", {"owner": owner, "shard": command.shard, "name": place.label, "energy": gain})
        carried_out.add(command.shard)
    return carried_out


def _care(ctx: Context, owner: FactionId, sacrificed: set[str]) -> None:
    """R60, R67–R69."""
    rules = ctx.state.settings
    for verdict in ctx.orders(owner, c.Care):
        command = verdict.command
        assert isinstance(command, c.Care)
        place = ctx.state.shards[command.shard]
        void = bool(sacrificed) if rules.sacrifice_cancels_care == "owner" else command.shard in sacrificed
        if void or command.shard not in ctx.state.owners[owner].shards:
            _void(ctx, owner, verdict, "R68" if void else "R69")
            continue
        lifted = place.sacrifice > 0
        if lifted:
            place.sacrifice = place.sacrifice - 1 if rules.opposite_effect_removal == "one" else 0
        else:
            place.care += 1
        place.care_count += 1
        data = {"owner": owner, "shard": command.shard, "name": place.label, "lifted": lifted}
        ctx.tell("cared", "R67" if lifted else "R60", data)


def _lessons(ctx: Context, owner: FactionId) -> None:
    """R94, R95: the specialist's shard must still be his."""
    for verdict in ctx.orders(owner, c.HireSpecialist):
        command = verdict.command
        assert isinstance(command, c.HireSpecialist)
        assert verdict.unit is not None
        who = ctx.state.owners[owner]
        teacher = ctx.state.catalog.specialists[command.specialist]
        here = any(command.specialist in ctx.state.shards[shard].specialists for shard in who.shards)
        if not here or who.levels.get(verdict.unit, 0) >= teacher.max_level:
            _void(ctx, owner, verdict, "R95")
            continue
        ctx.learn_lesson(owner, verdict.unit, teacher.name_ru)


def _phase_5(ctx: Context) -> None:
    """R70–R74: into Nothing, by the third missed turn too, and out of it."""
    _use(ctx, 5)
    runes.fire(ctx, 5)
    for owner in ctx.owners_in_order():
        who = ctx.state.owners[owner]
        auto = who.status == "active" and who.missed >= ctx.state.settings.missed_limit
        if who.status == "active" and (auto or ctx.orders(owner, c.EnterNothing)):
            who.status = "nothing"
            if auto:
                who.missed = 0
            ctx.tell("nothing_entered", "R74" if auto else "R70", {"owner": owner, "auto": auto})
        elif who.status == "nothing" and ctx.orders(owner, c.ExitNothing):
            who.status = "active"
            ctx.tell("nothing_left", "R70", {"owner": owner})


def _phase_6(ctx: Context) -> None:
    """R76–R79: income of the active owners; then the public figures of all worlds and everybody's ledger."""
    _use(ctx, 6)
    runes.fire(ctx, 6)
    for owner in ctx.state.roster:
        who = ctx.state.owners[owner]
        income = effects.income(ctx.state, owner) if who.status == "active" else None
        if income is not None:
            ctx.pay_in(owner, income, "income")
        effective = effects.effective_defence(ctx.state, owner)
        data = {
            "owner": owner,
            "income": income,
            "effective": str(effective),
            "size": ctx.state.size(owner),
            "energy": who.energy,
        }
        ctx.tell("income", "R76" if income is not None else "R75", data)
    for owner, account in ctx.accounts.items():
        entries = [{"reason": reason, "amount": amount, "detail": detail} for reason, amount, detail in account.entries]
        ctx.whisper(owner, "ledger", "R7", start=account.start, entries=entries, end=ctx.state.owners[owner].energy)
