"""An attack's energy and how it is split between troops and magic (R26, R27, R34)."""

from __future__ import annotations

from fractions import Fraction
from typing import NoReturn

from parsers.types import Choice
from rules.astral import commands as c
from rules.astral.describe import describe
from rules.astral.judging.amounts import troop_share, whole
from rules.astral.judging.hearing import Hearing
from rules.astral.judging.refusal import Refused, refuse
from rules.astral.judging.verdicts import Plan
from rules.astral.messages import Fault
from rules.astral.numbers import resplit, show


def plan_attack(hearing: Hearing, command: c.Attack, move: int) -> Plan:
    """The plan of an attack whose way is expected to cost `move` energy."""
    energy, troop, magic = command.energy, command.troop_energy, command.magic_energy
    for name, value, least in (("energy", energy, 1), ("troop_energy", troop, 0), ("magic_energy", magic, 0)):
        if value is not None:
            whole(value, least, name)
    if troop is None and magic is None:
        return _by_shares(command, move)
    if energy is None:
        if troop is None or magic is None:
            refuse("E_ENERGY_MISSING", at="energy")
        energy = whole(int(troop) + int(magic) + move, 1, "energy")
    energy, left = int(energy), int(energy) - move
    given = (int(troop or 0), int(magic or 0))
    if left < 0:
        return Plan(energy, move, (Fraction(given[0]), Fraction(given[1])), None)
    if (troop is None or magic is None) and sum(given) <= left:
        given = (left - given[1], given[1]) if troop is None else (given[0], left - given[0])
    if sum(given) != left:
        _refuse_split(hearing, command, energy, move, given)
    return Plan(energy, move, (Fraction(given[0]), Fraction(given[1])), given)


def _by_shares(command: c.Attack, move: int) -> Plan:
    shares = command.troop_share, command.magic_share
    if command.energy is None:
        refuse("E_ENERGY_MISSING", at="energy")
    energy = int(command.energy)
    left = energy - move
    if shares == (None, None):
        t, m = resplit(max(left, 0), 6, 4)
        refuse("E_SPLIT_MISSING", at="troop_energy", energy=max(left, 0), troop=show(t), magic=show(m))
    share = troop_share(*shares)
    ratio = (share, 100 - share)
    if left < 0:
        return Plan(energy, move, ratio, None)
    t, m = resplit(left, *ratio)
    return Plan(energy, move, ratio, (int(t), int(m)))


def _refuse_split(hearing: Hearing, command: c.Attack, energy: int, move: int, given: tuple[int, int]) -> NoReturn:
    """R27: the sum is wrong; offers the same ratio with the right one."""
    t, m = resplit(energy - move, *given)
    fixed = command.model_copy(update={"energy": energy, "troop_energy": int(t), "magic_energy": int(m)})
    line = describe(hearing.view, fixed)
    params = {"energy": energy, "move": move, "additional": energy - move, "given": sum(given), "troop": t, "magic": m}
    choice = Choice(line, c.as_json(fixed))
    raise Refused(Fault("E_SPLIT", params, field="troop_energy", choices=(choice,), correction=line))
