"""Phases 2 and 3: the battles for neutral shards and for worlds (R26–R53, R116)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from rules.astral import commands as c
from rules.astral import effects
from rules.astral.battle import Result, Side, fight
from rules.astral.catalog import Effect, raw_data
from rules.astral.context import Context
from rules.astral.judging import Judged, Plan
from rules.astral.numbers import resplit, show
from rules.astral.state import Shard, Tactic
from rules.base import FactionId


@dataclass(frozen=True, slots=True)
class Attacker:
    """An accepted attack in the queue."""

    owner: FactionId
    index: int
    """Place in the owner's sheet."""
    command: c.Attack
    plan: Plan


def group_key(label: str) -> str:
    """A group label as it is compared: no outer spaces and quotation marks, any letter case, ё = е (R118)."""
    return label.strip(" \t\n«»\"'“”„‚‘’").casefold().replace("ё", "е")


def attackers(ctx: Context, kind: type[c.Attack]) -> list[Attacker]:
    """All attacks of a kind that were not cancelled, in the order of R36."""
    found = []
    for owner in ctx.owners_in_order():
        for verdict in ctx.orders(owner, kind):
            if (owner, verdict.index) not in ctx.cancelled and isinstance(verdict.command, c.Attack):
                assert verdict.plan is not None
                found.append(Attacker(owner, verdict.index, verdict.command, verdict.plan))
    return sorted(found, key=lambda attacker: order_key(ctx, attacker))


def order_key(ctx: Context, attacker: Attacker) -> tuple[int, int, tuple[int, int], int]:
    """R36: more energy, more planned additional energy, the earlier sheet, the roster."""
    plan = attacker.plan
    return (-plan.energy, -plan.additional, ctx.rank[attacker.owner], ctx.state.roster.index(attacker.owner))


def cancel_without_extra(ctx: Context) -> None:
    """R116: two attacks without the extra main action coming about: the later one falls away, its energy returns."""
    for owner in ctx.owners_in_order():
        both: list[Judged] = ctx.orders(owner, c.AttackNeutral, c.AttackOwner)
        if len(both) > 1 and owner not in ctx.extra:
            later = both[-1]
            ctx.cancelled.add((owner, later.index))
            ctx.pay_in(owner, later.cost, "returned")
            ctx.whisper(
                owner, "cancelled", "R116", index=later.index, type=later.command.model_dump()["type"], refunded=later.cost
            )


# ------------------------------------------------------------------------------------------------ phase 2


def neutral_battles(ctx: Context) -> None:
    """Phase 2: one by one in the order of R36, each against Местный Лорд."""
    for attacker in attackers(ctx, c.AttackNeutral):
        if ctx.state.owners[attacker.owner].status == "active":
            assert isinstance(attacker.command, c.AttackNeutral)
            _attack_shard(ctx, attacker, attacker.command)


def _attack_shard(ctx: Context, attacker: Attacker, command: c.AttackNeutral) -> None:
    state = ctx.state
    place, me = state.shards[command.shard], state.owners[attacker.owner]
    there = place.height if place.owner is None else state.owners[place.owner].height
    move = effects.move_price(state, attacker.owner, me.height, me.height if there is None else there)
    facts = {"phase": 2, "target_kind": "shard", "shard": command.shard, "name": place.label, "target": command.shard}
    if place.status != "neutral":
        _unavailable(ctx, attacker, move, facts, "R37")
        return
    if attacker.plan.energy < move:
        _no_energy(ctx, attacker, move, facts)
        return
    assert place.tactic is not None
    assert place.height is not None
    troop, magic = split(attacker.plan, move)
    used = battle_items(ctx, attacker.owner, command.items)
    ours = _side(ctx, attacker.owner, command, troop, magic, "neutral", used)
    theirs = lord_side(place, place_bonuses(ctx, place))
    result = fight(state.catalog, state.settings, ours, theirs)
    place.tactic_known = True
    words = raw_data("report")["battle"]
    facts |= {
        "header": words["header_shard"].format(attacker=me.name, shard=place.label),
        "line_d": words["line_lord"].format(energy=show(place.defence), formula=result.defender.text),
        "defender": None,
    }
    if result.won:
        me.height = place.height
    _tell_battle(ctx, attacker, move, troop, magic, result, facts, words["lord"], "R11")
    _spend(ctx, attacker.owner, used)
    if result.won:
        _capture_neutral(ctx, attacker.owner, command.shard)
    elif state.settings.neutral_defence_wears:
        place.defence -= min(Fraction(attacker.plan.energy - move), place.defence)


def _capture_neutral(ctx: Context, owner: FactionId, shard: str) -> None:
    """R39–R41: the shard becomes the outer one, its trophies go to the first captor."""
    place, items = ctx.state.shards[shard], ctx.state.catalog.items
    first = not place.trophies_taken
    place.trophies_taken = True
    ctx.move_shard(shard, owner)
    trophies = list(place.trophies) if first else []
    shown = [item for item in trophies if not items[item].hidden]
    data = {"owner": owner, "shard": shard, "name": place.label, "size": place.size, "from": None, "trophies": shown}
    ctx.tell("capture", "R41", {**data, "height": ctx.state.owners[owner].height, "features": list(place.features)})
    for item in trophies:
        ctx.gain_item(owner, item, place.label)


# ------------------------------------------------------------------------------------------------ phase 3


def world_queue(ctx: Context) -> list[Attacker]:
    """R31–R33: units in the order of their strongest member; a group's members in succession."""
    units: dict[tuple[Any, ...], list[Attacker]] = {}
    for attacker in attackers(ctx, c.AttackOwner):
        command = attacker.command
        assert isinstance(command, c.AttackOwner)
        label = None if command.group is None else group_key(command.group)
        key = (command.target, label) if label is not None else (command.target, None, attacker.owner, attacker.index)
        units.setdefault(key, []).append(attacker)
    queue: list[Attacker] = []
    # `attackers` is sorted, so a unit's first member has its key and units stand in the right order already.
    for key, members in units.items():
        by_hand = _hand_order(ctx, str(key[0]), key[1])
        queue += sorted(members, key=lambda member: _inner_key(ctx, member, by_hand))
    return queue


def _hand_order(ctx: Context, target: FactionId, label: Any) -> list[FactionId]:
    """The GM's order of a group, if he gave one (R33)."""
    for order in reversed(ctx.state.pending.groups):
        if label is not None and group_key(order.group) == label and order.target in (None, target):
            return order.owners
    return []


def _inner_key(ctx: Context, member: Attacker, by_hand: list[FactionId]) -> tuple[Any, ...]:
    hand = by_hand.index(member.owner) if member.owner in by_hand else len(by_hand)
    position = member.command.group_position if isinstance(member.command, c.AttackOwner) else None
    return (hand, position is None, position or 0, order_key(ctx, member))


def world_battles(ctx: Context) -> None:
    """Phase 3: one queue over all worlds, then reserves and refunds come back."""
    queue = world_queue(ctx)
    by_hand = any(_group_by_hand(ctx, attacker) for attacker in queue)
    ctx.tell("queue", "R31", {"order": [attacker.owner for attacker in queue], "by_gm": by_hand})
    for attacker in queue:
        if ctx.state.owners[attacker.owner].status == "active":
            assert isinstance(attacker.command, c.AttackOwner)
            _attack_world(ctx, attacker, attacker.command)
    return_reserves(ctx)
    refund_failed(ctx)


def _group_by_hand(ctx: Context, attacker: Attacker) -> bool:
    """The GM ordered this attacker's group."""
    command = attacker.command
    if not isinstance(command, c.AttackOwner) or command.group is None:
        return False
    return bool(_hand_order(ctx, command.target, group_key(command.group)))


def _attack_world(ctx: Context, attacker: Attacker, command: c.AttackOwner) -> None:
    state, target = ctx.state, command.target
    me, victim = state.owners[attacker.owner], state.owners[target]
    move = effects.move_price(state, attacker.owner, me.height, victim.height, target)
    facts: dict[str, Any] = {"phase": 3, "target_kind": "world", "target": target, "name": victim.name, "group": command.group}
    if victim.status != "active" or effects.untargetable(state, target):
        _unavailable(ctx, attacker, move, facts, "R30")
        return
    outer = victim.shards[-1]
    facts |= {"shard": outer, "shard_name": state.shards[outer].label}
    if attacker.plan.energy < move:
        _no_energy(ctx, attacker, move, facts)
        return
    number = ctx.attacks_on[target] = ctx.attacks_on.get(target, 0) + 1
    effective = effects.effective_defence(state, target)
    reserve = ctx.reserves.get(target, {}).get(number, 0)
    if reserve and state.settings.reserve_spent_when_used:
        del ctx.reserves[target][number]
    troop, magic = split(attacker.plan, move)
    used = battle_items(ctx, attacker.owner, command.items)
    tactic = tactic_for(ctx, target, number)
    used_d = battle_items(ctx, target, tactic.items)
    ours = _side(ctx, attacker.owner, command, troop, magic, "owner", used)
    theirs = _world_side(ctx, target, tactic, effective + reserve, used_d)
    result = fight(state.catalog, state.settings, ours, theirs)
    additional = attacker.plan.energy - move
    before = victim.defence
    victim.defence = max(Fraction(0), victim.defence - min(Fraction(additional), effective))
    words = raw_data("report")["battle"]
    line = words["line_owner"].format(
        name=victim.name,
        energy=show(effective + reserve),
        effective=show(effective),
        reserve=reserve,
        formula=result.defender.text,
    )
    facts |= {
        "header": words["header_world"].format(attacker=me.name, target=victim.name, shard=state.shards[outer].label),
        "line_d": line,
        "defender": target,
        "attack_no": number,
        "effective": str(effective),
        "reserve": reserve,
        "defence_before": str(before),
        "defence_after": str(victim.defence),
    }
    if result.won:
        me.height = victim.height
    _tell_battle(ctx, attacker, move, troop, magic, result, facts, victim.name, "R53")
    _spend(ctx, attacker.owner, used)
    _spend(ctx, target, used_d)
    if result.won:
        place = state.shards[outer]
        ctx.move_shard(outer, attacker.owner)
        data = {"owner": attacker.owner, "shard": outer, "name": place.label, "size": place.size, "from": target}
        ctx.tell("capture", "R43", {**data, "trophies": [], "height": me.height, "features": list(place.features)})
        ctx.kill_if_empty(target, "R46", attacker.owner)


def tactic_for(ctx: Context, owner: FactionId, number: int) -> Tactic:
    """R55: the tactic of that number, of all, of the nearest lower number, the scenario's."""
    tactics = ctx.state.owners[owner].tactics
    if str(number) in tactics:
        return tactics[str(number)]
    if "all" in tactics:
        return tactics["all"]
    lower = [int(key) for key in tactics if int(key) < number]
    if lower:
        return tactics[str(max(lower))]
    default = ctx.state.settings.default_tactic
    return Tactic(troop=default.troop, magic=default.magic, hero=default.hero, troop_share=default.troop_share)


def return_reserves(ctx: Context) -> None:
    """Reserves of attacks that didn't take place return (R52)."""
    if not ctx.state.settings.unused_reserve_returned:
        return
    for owner in ctx.owners_in_order():
        for number, energy in sorted(ctx.reserves.pop(owner, {}).items()):
            ctx.pay_in(owner, energy, "reserve_back", str(number))


def refund_failed(ctx: Context) -> None:
    """`failed_attack_refund` for the failed attacks of phases 2 and 3 (§2)."""
    for owner, energy, additional, target in ctx.failed:
        back = 0
        for effect in effects.bearing(ctx.state, owner):
            if effect.op == "failed_attack_refund":
                back += floor(effect.value * (energy if effect.basis == "all" else additional))
        back = min(back, energy)
        if back > 0:
            ctx.pay_in(owner, back, "failed_refund", target)
            ctx.whisper(owner, "refunded", "R84", amount=back, target=target)


# ------------------------------------------------------------------------------------------------ shared


def split(plan: Plan, move: int) -> tuple[Fraction, Fraction]:
    """The additional energy's split: as declared, or by R27 if the way costs otherwise than planned (R28)."""
    if move == plan.move and plan.split is not None:
        return Fraction(plan.split[0]), Fraction(plan.split[1])
    return resplit(plan.energy - move, *plan.ratio)


def battle_items(ctx: Context, owner: FactionId, items: Iterable[str]) -> list[str]:
    """The named battle items that the owner still holds ready; the others are skipped (R124)."""
    return [item for item in dict.fromkeys(items) if ctx.holds(owner, item)]


def _item_effects(ctx: Context, items: list[str]) -> list[Effect]:
    return [effect for item in items for effect in ctx.state.catalog.items[item].effects]


def _spend(ctx: Context, owner: FactionId, items: list[str]) -> None:
    for item in items:
        ctx.spend_charge(owner, item)
        held = ctx.state.owners[owner].items.get(item)
        ctx.whisper(owner, "charge", "R90", item=item, name=ctx.state.catalog.items[item].name_ru, left=held.uses if held else 0)


def _side(
    ctx: Context, owner: FactionId, command: c.Attack, troop: Fraction, magic: Fraction, against: Any, used: list[str]
) -> Side:
    me = ctx.state.owners[owner]
    return Side(
        name=me.name,
        troop=str(command.troop),
        magic=str(command.magic),
        hero=str(command.hero),
        troop_energy=troop,
        magic_energy=magic,
        role="attack",
        against=against,
        levels=me.levels,
        effects=[*effects.bearing(ctx.state, owner), *_item_effects(ctx, used)],
    )


def lord_side(place: Shard, bonuses: list[Fraction]) -> Side:
    """Местный Лорд: the shard's Защита in exact shares, levels of his own, no effects (R19); the shard's care counts (R20)."""
    tactic = place.tactic
    assert tactic is not None
    troop = place.defence * tactic.troop_share / 100
    return Side(
        name="",
        troop=tactic.troop,
        magic=tactic.magic,
        hero=tactic.hero,
        troop_energy=troop,
        magic_energy=place.defence - troop,
        role="defence",
        against="owner",
        levels={tactic.troop: tactic.troop_level, tactic.magic: tactic.magic_level},
        place_bonuses=bonuses,
    )


def _world_side(ctx: Context, owner: FactionId, tactic: Tactic, energy: Fraction, used: list[str]) -> Side:
    rules, me = ctx.state.settings, ctx.state.owners[owner]
    if rules.defence_split_rounding == "larger":
        troop, magic = resplit(energy, tactic.troop_share, 100 - tactic.troop_share)
    else:
        troop = energy * tactic.troop_share / 100
        magic = energy - troop
    return Side(
        name=me.name,
        troop=tactic.troop,
        magic=tactic.magic,
        hero=tactic.hero,
        troop_energy=troop,
        magic_energy=magic,
        role="defence",
        against="owner",
        levels=me.levels,
        effects=[*effects.bearing(ctx.state, owner), *_item_effects(ctx, used)],
        place_bonuses=place_bonuses(ctx, ctx.state.shards[me.shards[-1]]),
    )


def place_bonuses(ctx: Context, place: Shard) -> list[Fraction]:
    """Забота and Жертва of the attacked shard (R20)."""
    rules = ctx.state.settings
    return [rules.care_defence * place.care, rules.sacrifice_defence * place.sacrifice]


def _record(attacker: Attacker, move: int, result: str, spent: int, refunded: int, facts: dict[str, Any]) -> dict[str, Any]:
    energy = attacker.plan.energy
    own = {"attacker": attacker.owner, "result": result, "energy": energy, "move": move, "planned": attacker.plan.move}
    return {**own, "spent": spent, "refunded": refunded, **facts}


def _unavailable(ctx: Context, attacker: Attacker, move: int, facts: dict[str, Any], rule: str) -> None:
    """R30, R37: the target is gone; the way is paid, the rest comes back."""
    paid = min(attacker.plan.energy, move)
    back = attacker.plan.energy - paid
    ctx.pay_in(attacker.owner, back, "returned", str(facts["name"]))
    ctx.tell("battle", rule, _record(attacker, move, "unavailable", paid, back, facts))


def _no_energy(ctx: Context, attacker: Attacker, move: int, facts: dict[str, Any]) -> None:
    """R29: not enough for the way; all energy is lost, nothing happens."""
    energy = attacker.plan.energy
    ctx.failed.append((attacker.owner, energy, 0, str(facts["name"])))
    ctx.tell("battle", "R29", _record(attacker, move, "no_energy", energy, 0, facts))


def _tell_battle(
    ctx: Context,
    attacker: Attacker,
    move: int,
    troop: Fraction,
    magic: Fraction,
    result: Result,
    facts: dict[str, Any],
    loser_name: str,
    rule: str,
) -> None:
    """The public report of a battle (R25, R107) and what it costs the loser."""
    state, energy = ctx.state, attacker.plan.energy
    me = state.owners[attacker.owner]
    words = raw_data("report")["battle"]
    line = words["line_attacker"].format(name=me.name, energy=energy, move=move, formula=result.attacker.text)
    owner_won = result.won or facts["defender"] is not None
    winner = me.name if result.won else loser_name
    outcome = "win" if result.won else "loss"
    data = _record(attacker, move, outcome, energy, 0, facts)
    data |= {
        "additional": energy - move,
        "troop_energy": int(troop),
        "magic_energy": int(magic),
        "line_a": line,
        "verdict": words["winner_owner" if owner_won else "winner_lord"].format(name=winner),
        "height": me.height,
        **result.attacker.facts("a"),
        **result.defender.facts("d"),
    }
    ctx.tell("battle", rule, data)
    if not result.won:
        ctx.failed.append((attacker.owner, energy, energy - move, str(facts["name"])))
