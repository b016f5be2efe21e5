"""A battle's setup as arrays for the fast engine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rules.base import RulesError
from rules.dice import Draw
from rules.steel_rose.battle.abilities import UnitKind
from rules.steel_rose.battle.engine import squeamish
from rules.steel_rose.battle.model import GARRISON, BattleSetup, Side
from rules.steel_rose.battle.places import PLACES
from rules.steel_rose.data import UnitId, game_data
from rules.steel_rose.fast.layout import (
    AURA,
    BELCHER,
    EFFECT,
    FORM,
    FORMS,
    GIVING,
    HEALER,
    KIND,
    MARKING,
    ORDER_CODES,
    REPEATED,
    RULES,
    SHOOTER,
    STIRRED,
    SUMMONER,
    UNIT,
    VENOMOUS,
)
from rules.steel_rose.fast.random import DRAWS

Array: TypeAlias = NDArray[Any]
MOST_SUMMONED = 20_000
"""Room for summoned units is never more than this."""
LINE = 64
"""Bytes of a cache line."""
FLAGS = {
    VENOMOUS: ("poison_rounds",),
    AURA: ("aura_out", "aura_in"),
    MARKING: ("heal_on_hit", "lifesteal", "shred", "burn_rounds", "growth"),
    GIVING: ("sacrifice_den",),
    STIRRED: ("regen",),
    SUMMONER: ("summons",),
    HEALER: ("cure_rounds",),
    BELCHER: ("belch_rounds",),
    SHOOTER: ("ranged",),
}
"""What sets each flag of a unit type."""


class UnsupportedAbility(RulesError):
    """A unit has an ability that the fast engine does not know; the reference engine does."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the books: units of one type on one side, the garrison apart from the armies."""

    side: Side
    garrison: bool
    unit: UnitId
    fielded: int


@dataclass(frozen=True)
class Encoded:
    """A battle, ready for the kernel."""

    units: Array
    kinds: Array
    forms: Array
    rules: Array
    rescue: Array
    """Line × (numerator, denominator) of the rescued share."""
    lines: tuple[Line, ...]
    kind_ids: tuple[UnitId, ...]
    width: int
    """Ticks of the longest effect."""
    room: int
    """Records for units, summoned ones included."""

    def workspace(self) -> tuple[Array, Array]:
        """Room for the units of one battle at a time, and for what acts on them."""
        return aligned(self.room, UNIT), np.zeros((self.room, self.width), EFFECT)


def aligned(size: int, dtype: np.dtype[Any]) -> Array:
    """Zeroed records that begin with a cache line."""
    raw = np.zeros(size * dtype.itemsize + LINE, np.uint8)
    first = -raw.ctypes.data % LINE
    return raw[first : first + size * dtype.itemsize].view(dtype)


def encode(setup: BattleSetup) -> Encoded:
    """Arrays of a setup.

    Raises `UnsupportedAbility` where a unit has an ability the kernel does not know, `RulesError` for an order that aims at
    nobody."""
    if setup.settings.rescue_rounding != "half_up":
        raise UnsupportedAbility("Быстрый счёт знает только математическое округление спасённых.")
    kinds = closure(setup)
    index = {kind.id: i for i, kind in enumerate(kinds)}
    table = np.zeros(len(kinds), KIND)
    for i, kind in enumerate(kinds):
        fill_kind(table[i], kind, index)
    weakness = {kind["weaken"] for kind in table if kind["weaken_rounds"]}
    if len(weakness) > 1:
        raise UnsupportedAbility("Быстрый счёт знает только одну силу ослабления.")
    forms = np.zeros(FORMS, FORM)
    for name in ("place", "guard", "target", "free", "path0", "path1"):
        forms[name] = -1
    units, lines = muster(setup, index, table, forms)
    orders(setup, forms)
    used = {int(i) for i in units["kind"]}
    summoners = sum(int(table["summons"][i]) * int(np.sum(units["kind"] == i)) for i in used)
    width = max(
        1, *(int(table[name].max()) for name in ("burn_rounds", "poison_rounds", "weaken_rounds", "belch_rounds", "cure_rounds"))
    )
    settings = setup.settings
    fights = 2 * int(np.sum(forms["order"] == ORDER_CODES["charge"]))
    rounds = settings.max_rounds_clash + settings.max_rounds_final + fights * settings.max_rounds_charge
    return Encoded(
        units=units,
        kinds=table,
        forms=forms,
        rules=constants(setup, table, forms, weakness),
        rescue=shares(setup, lines),
        lines=lines,
        kind_ids=tuple(index),
        width=width,
        room=len(units) + min(MOST_SUMMONED, summoners * rounds),
    )


def closure(setup: BattleSetup) -> list[UnitKind]:
    """The kinds in the battle and all that they may summon."""
    found: dict[UnitId, UnitKind] = {}
    waiting = [group.unit for side in setup.sides for _, group in side.groups()]
    while waiting:
        unit = waiting.pop(0)
        if unit not in found:
            found[unit] = setup.units[unit]
            waiting += [str(ability.value) for ability in found[unit].abilities if ability.key == "summon"]
    return list(found.values())


def fill_kind(row: Any, kind: UnitKind, index: dict[UnitId, int]) -> None:
    """A unit type with its abilities' columns."""
    unit = kind.type
    row["hp"] = row["weight"] = unit.hp
    row["armor"], row["attack"], row["attacks"] = unit.armor, unit.attack, unit.attacks
    row["ranged"], row["volley"] = unit.ranged, unit.volley
    for ability in kind.abilities:
        columns = ability.columns()
        if columns is None:
            raise UnsupportedAbility(f"Быстрый счёт не знает свойства «{ability.key}» ({unit.name_ru}).")
        for name, value in columns.items():
            row[name] = value
        if ability.key == "summon":
            row["summoned"] = index[str(ability.value)]
    row["flags"] = sum(flag for flag, names in FLAGS.items() if any(row[name] != 0 for name in names))
    if unit.attacks != 1:
        row["flags"] |= REPEATED
    if unit.attack == 0:
        row["min_melee"] = 0


def muster(setup: BattleSetup, index: dict[UnitId, int], table: Array, forms: Array) -> tuple[Array, tuple[Line, ...]]:
    """Every unit, in the reference engine's order; the lines of the books; the squads' places."""
    rows: list[tuple[int, ...]] = []
    lines: dict[tuple[Side, bool, UnitId], int] = {}
    counts: list[int] = []
    for side_index, side in enumerate(setup.sides):
        which: Side = 0 if side_index == 0 else 1
        picky = squeamish(side, setup)
        taken = {place for place, group in side.groups() if group.count > 0}
        for place, group in side.groups():
            if group.count <= 0:
                continue
            at = PLACES.index(place)
            if at % 2 and PLACES[at - 1] not in taken:  # R17: a rear without a vanguard
                at -= 1
            form = which * 6 + at
            forms[form]["place"] = at
            key = (which, group.origin == GARRISON, group.unit)
            line = lines.setdefault(key, len(lines))
            counts += [0] * (len(lines) - len(counts))
            counts[line] += group.count
            elf = picky and setup.units[group.unit].type.faction == "elves"
            rows += [(index[group.unit], which, form, line, int(group.favored), int(elf))] * group.count
    units = np.zeros(len(rows), UNIT)
    for name, column in zip(("kind", "side", "form", "line", "favored", "squeamish"), zip(*rows, strict=True), strict=False):
        units[name] = column
    for name in ("hp", "armor", "min_melee", "attack", "flags", "regen"):
        units[name] = table[name][units["kind"]]
    units["max_hp"] = units["hp"]
    for name in ("tough", "fury", "magic"):
        units[name] = 1.0
    return units, tuple(Line(*key, counts[line]) for key, line in lines.items())


def orders(setup: BattleSetup, forms: Array) -> None:
    """The manoeuvres, on the squads as revealed."""
    for side_index, side in enumerate(setup.sides):
        for order in side.maneuvers:
            form = side_index * 6 + PLACES.index(order.place)
            row = forms[form]
            if row["place"] < 0:
                raise RulesError(f"Манёвр отряду, которого нет: {order.place}.")
            row["order"] = ORDER_CODES[order.kind] if order.kind is not None else 0
            if order.kind in ("defend", "charge", "bombard", "long_bombard"):
                if order.target is None:
                    raise RulesError(f"У манёвра отряда {order.place} нет цели.")
                aimed = (side_index if order.kind == "defend" else 1 - side_index) * 6 + PLACES.index(order.target)
                if forms[aimed]["place"] < 0:
                    raise RulesError(f"Манёвр {order.kind} с {order.place}: на {order.target} нет отряда.")
                row["target"] = aimed
            for name, cell in zip(("path0", "path1"), order.path, strict=False):
                row[name] = PLACES.index(cell)
            if order.free_move is not None:
                row["free"] = PLACES.index(order.free_move)


def constants(setup: BattleSetup, table: Array, forms: Array, weakness: Iterable[float]) -> Array:
    """The constants of battle and what of the algorithm this battle needs."""
    data = game_data()
    out = np.zeros(1, RULES)
    row = out[0]
    for name in ("dead_below", "outnumbered_in", "flanked_in", "fatigue_out", "squeamish_out", "favor_out", "favor_in"):
        row[name] = getattr(data.combat, name)
    row["outnumber_ratio"] = data.combat.outnumber_ratio
    row["walls0"], row["walls1"] = setup.attacker.shot_bonus, setup.defender.shot_bonus
    row["cover_factor"] = data.maneuvers["cover"].bombard_factor
    row["weaken"] = next(iter(weakness), 0.0)
    row["defend_fatigue"] = data.maneuvers["defend"].fatigue
    row["march_fatigue"] = data.maneuvers["forced_march"].fatigue
    row["cap_charge"] = setup.settings.max_rounds_charge
    row["cap_clash"] = setup.settings.max_rounds_clash
    row["cap_final"] = setup.settings.max_rounds_final
    row["has_summons"] = table["summons"].any()
    row["has_cures"] = table["cure_rounds"].any()
    row["has_belches"] = table["belch_rounds"].any()
    effects = ("burn_rounds", "poison_rounds", "weaken_rounds", "belch_rounds", "cure_rounds", "regen")
    row["has_ticks"] = any(table[name].any() for name in effects)
    row["has_shots"] = table["ranged"].any()
    row["has_growing_shots"] = table["shot_growth"].any()
    row["has_sacrifices"] = table["sacrifice_den"].any()
    row["has_orders"] = bool((forms["order"] != 0).any() or (forms["free"] >= 0).any())
    return out


def shares(setup: BattleSetup, lines: tuple[Line, ...]) -> Array:
    """The rescued share of each line (R3)."""
    out = np.zeros((len(lines), 2), np.int64)
    for i, line in enumerate(lines):
        own = setup.units[line.unit].type.rescue
        share = setup.settings.rescue_share if own is None else own
        out[i] = share.numerator, share.denominator
    return out


def tape(draws: Iterable[Draw]) -> Array:
    """The draws of a reference battle for the kernel: kind, arguments and results one after another."""
    flat: list[int] = []
    for draw in draws:
        result: Any = draw.result
        first, second = (*draw.args, 0)[:2]
        flat += [DRAWS[draw.kind], first, second]
        if draw.kind == "roll":
            flat.append(int(result) - 1)
        elif draw.kind in ("shuffle", "sample"):
            flat += [int(value) for value in result]
        else:
            flat.append(int(result))
    return np.array(flat, np.int64)
