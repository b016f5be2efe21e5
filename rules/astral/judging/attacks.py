"""The main actions (R4): attacks, the way into Nothing and back."""

from __future__ import annotations

from rules.astral import commands as c
from rules.astral import effects
from rules.astral.describe import main_action
from rules.astral.judging.equipment import require_battle_items, require_units
from rules.astral.judging.hearing import Hearing
from rules.astral.judging.plans import plan_attack
from rules.astral.judging.refusal import refuse
from rules.astral.judging.targets import existing_shard, require_owner
from rules.astral.judging.verdicts import Judged
from rules.astral.messages import Fault, world_gen
from rules.base import Command


def attack_neutral(hearing: Hearing, command: c.AttackNeutral) -> Judged:
    """An attack on a neutral shard (R34)."""
    _require_main_action(hearing, command)
    game = hearing.game
    place = existing_shard(hearing, command.shard)
    if place.owner == hearing.me_id:
        refuse("E_SELF", at="shard")
    if place.owner is not None:
        who = game.owners[place.owner].name
        refuse("E_NOT_NEUTRAL", at="shard", name=place.label, owner=who, world=world_gen(game, place.owner))
    if command.group is not None:
        refuse("E_GROUP_NEUTRAL", at="group")
    require_units(hearing, command)
    require_battle_items(hearing, command.items)
    assert place.height is not None
    move = effects.move_price(game, hearing.me_id, hearing.heights[hearing.me_id], place.height, own_effects_only=True)
    plan = plan_attack(hearing, command, move)
    if plan.additional < 0:
        refuse("E_MOVE_COST", at="energy", name=place.label, move=move, energy=plan.energy)
    return hearing.accept(command, plan.energy, plan=plan)


def attack_owner(hearing: Hearing, command: c.AttackOwner) -> Judged:
    """An attack on a world (R43). A way that is dearer than the energy is only a warning: it may become cheaper."""
    _require_main_action(hearing, command)
    game, target = hearing.game, command.target
    require_owner(hearing, target, "target")
    if hearing.view.worlds[target].untargetable:
        refuse("E_TARGET_UNAVAILABLE", at="target", owner=game.owners[target].name)
    require_units(hearing, command)
    require_battle_items(hearing, command.items)
    if command.group_position is not None and command.group_position < 1:
        refuse("E_ATTACK_NO", at="group_position")
    here, there = hearing.heights[hearing.me_id], hearing.heights[target]
    move = effects.move_price(game, hearing.me_id, here, there, target, own_effects_only=True)
    plan = plan_attack(hearing, command, move)
    verdict = hearing.accept(command, plan.energy, plan=plan)
    if plan.additional < 0:
        hearing.warn(hearing.index, Fault("W_MOVE_COST", {"move": move}, field="energy"))
    return verdict


def nothing(hearing: Hearing, command: c.EnterNothing | c.ExitNothing) -> Judged:
    """Into Nothing or out of it (R70)."""
    _require_main_action(hearing, command)
    return hearing.accept(command)


def _require_main_action(hearing: Hearing, command: Command) -> None:
    """R4: one main action; with an extra one, an attack on a shard and an attack on a world."""
    earlier = [verdict.command for verdict in hearing.accepted(c.Attack, c.EnterNothing, c.ExitNothing)]
    kinds = {type(main) for main in earlier}
    both = {c.AttackNeutral, c.AttackOwner}
    if not kinds or (hearing.extra and kinds | {type(command)} == both and type(command) not in kinds):
        return
    accepted = ", ".join(main_action(hearing.game, main) for main in earlier)
    refuse("E_MAIN_ACTION", accepted=accepted, refused=main_action(hearing.game, command))
