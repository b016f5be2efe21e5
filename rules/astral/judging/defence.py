"""The defence of one's world: Защита, reserves, tactics."""

from __future__ import annotations

from rules.astral import commands as c
from rules.astral.judging.amounts import troop_share, whole
from rules.astral.judging.equipment import require_battle_items, require_units
from rules.astral.judging.hearing import Hearing
from rules.astral.judging.refusal import refuse
from rules.astral.judging.slots import earlier_in_slot, refuse_second
from rules.astral.judging.verdicts import Judged, Share
from rules.astral.messages import ordinal


def invest(hearing: Hearing, command: c.InvestDefence) -> Judged:
    """Energy put into Защита (R50)."""
    return hearing.accept(command, whole(command.energy, 1, "energy"))


def reserve(hearing: Hearing, command: c.SetReserve) -> Judged:
    """Energy kept for the n-th attack on the world (R52)."""
    number = _attack_number(command.attack_no)
    energy = whole(command.energy, 1, "energy")
    earlier = earlier_in_slot(hearing, command)
    if earlier is not None:
        which = ordinal(number, "acc")
        refuse_second(hearing, earlier, command, "reserve", ordinal=which, first=earlier.energy, second=command.energy)
    return hearing.accept(command, energy)


def tactic(hearing: Hearing, command: c.SetDefenceTactic) -> Judged:
    """The tactic against the n-th attack on the world or all of them (R54–R56)."""
    number = None if command.attack_no == "all" else _attack_number(command.attack_no)
    earlier = earlier_in_slot(hearing, command)
    if earlier is not None and number is None:
        refuse_second(hearing, earlier, command, "tactic_all")
    if earlier is not None and number is not None:
        refuse_second(hearing, earlier, command, "tactic", ordinal=ordinal(number, "gen"))
    require_units(hearing, command)
    require_battle_items(hearing, command.items)
    if command.troop_share is None and command.magic_share is None:
        refuse("E_SPLIT_MISSING", "tactic", "troop_share")
    return hearing.accept(command, share=Share(troop_share(command.troop_share, command.magic_share)))


def _attack_number(number: c.Amount) -> int:
    """Attacks on a world are counted from 1."""
    if number != int(number) or number < 1:
        refuse("E_ATTACK_NO", at="attack_no")
    return int(number)
