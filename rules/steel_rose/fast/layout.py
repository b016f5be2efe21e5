"""Memory of the fast engine: record types, columns, codes. Everything the kernel reads is declared here."""

from __future__ import annotations

import numpy as np

UNIT = np.dtype(
    [
        # first cache line: all that an ordinary exchange touches
        ("hp", "f8"),
        ("armor", "f8"),
        ("fi", "f8"),  # factor of melee damage taken: max(0, 1 + ΣIN)
        ("tough", "f8"),  # R67
        ("fo", "f8"),  # factor of melee damage dealt: max(0, 1 + ΣOUT)
        ("fury", "f8"),  # R67
        ("min_melee", "f8"),
        ("attack", "i4"),
        ("flags", "i4"),
        # second: shots and ticks
        ("fi_shot", "f8"),
        ("fo_shot", "f8"),
        ("magic", "f8"),  # R66
        ("out", "f8"),  # ΣOUT of melee and of shots but for weakness
        ("out_shot", "f8"),
        ("max_hp", "f8"),
        ("regen", "f8"),
        ("weak", "i2"),  # stacks of weakness now
        ("busy", "i2"),  # ticks until no stack is left
        ("phase", "i2"),  # where in the ring of effects the coming tick is
        ("kind", "i2"),
        # third: who it is
        ("side", "i4"),
        ("form", "i4"),  # formation it belongs to at the beginning
        ("line", "i4"),  # line of the books; -1: summoned
        ("fatigue", "i4"),
        ("favored", "i4"),
        ("squeamish", "i4"),
        ("sacrificed", "i4"),
        ("unused", "i4", (9,)),  # three lines a unit: the first lines of all units spread over the whole cache
    ],
    align=True,
)

EFFECT = np.dtype([("wound", "f8"), ("cure", "f8"), ("weak", "i8")], align=True)
"""What acts on a unit in one coming tick."""

KIND = np.dtype(
    [
        # what blows leave behind
        ("heal_on_hit", "f8"),
        ("lifesteal", "f8"),
        ("shred", "f8"),
        ("growth", "f8"),
        ("burn", "f8"),
        ("burn_rounds", "i8"),
        ("poison", "f8"),
        ("poison_rounds", "i8"),
        # shots
        ("ranged", "i8"),
        ("min_shot", "f8"),
        ("shot_growth", "f8"),
        ("weaken_rounds", "i8"),
        ("area_den", "i8"),
        ("area_num", "i8"),
        ("area_min", "i8"),
        ("area_max", "i8"),
        ("volley", "i8"),
        ("weaken", "f8"),
        # other than one blow
        ("attack", "i8"),
        ("attacks", "i8"),
        ("sacrifice_num", "i8"),
        ("sacrifice_den", "i8"),
        ("sacrifice_damage", "f8"),
        ("sacrifice_targets", "i8"),
        # the start of a round
        ("cure", "f8"),
        ("cure_rounds", "i8"),
        ("belch", "f8"),
        ("belch_rounds", "i8"),
        ("belch_every", "i8"),
        ("summons", "i8"),
        ("summoned", "i8"),  # index of the kind it summons
        # factors
        ("charge_all", "f8"),
        ("charge_first", "f8"),
        ("in_charged", "f8"),
        ("in_covering", "f8"),
        ("in_melee", "f8"),
        ("in_shot", "f8"),
        ("aura_out", "f8"),
        ("aura_in", "f8"),
        # as it begins
        ("hp", "f8"),
        ("armor", "f8"),
        ("min_melee", "f8"),
        ("regen", "f8"),
        ("flags", "i8"),
        ("weight", "f8"),  # its worth in the score
    ],
    align=True,
)

# flags of a unit, bits
REPEATED = 1
"""It strikes more than once."""
VENOMOUS = 2
"""Whoever hurts it in melee is poisoned."""
AURA = 4
"""Its death changes its squad's factors."""
MARKING = 8
"""Its blow leaves something behind, on its target or on itself."""
GIVING = 16
"""It may sacrifice itself instead of a blow."""
STIRRED = 32
"""A tick may change it: effects act on it, or it regenerates."""
SUMMONER, HEALER, BELCHER = 64, 128, 256
"""Its ability at the start of a round, in this order (R46)."""
SHOOTER = 512

FORM = np.dtype(
    [
        ("n", "i8"),  # living
        ("queue", "i8"),  # left in the queue
        ("head", "i8"),  # front of the queue, where its order is given
        ("aura_out", "f8"),
        ("aura_in", "f8"),
        # squads only
        ("place", "i8"),  # 0..5, -1: none
        ("fatigue", "i8"),
        ("covered", "i8"),
        ("guard", "i8"),  # squad that covers it, -1: none
        ("order", "i8"),
        ("target", "i8"),  # squad aimed at
        ("free", "i8"),
        ("path0", "i8"),
        ("path1", "i8"),
    ],
    align=True,
)
SQUADS = 12
"""Formations 0..5: the attacker's squads by the place they were deployed on; 6..11 the defender's; 12, 13: the final."""
FORMS = 14

NO_ORDER, MOVE, MARCH, DEFEND, COVER, CHARGE, BOMBARD, LONG_BOMBARD = range(8)
ORDER_CODES = {
    "move": MOVE,
    "forced_march": MARCH,
    "defend": DEFEND,
    "cover": COVER,
    "charge": CHARGE,
    "bombard": BOMBARD,
    "long_bombard": LONG_BOMBARD,
}

RULES = np.dtype(
    [
        ("dead_below", "f8"),
        ("outnumbered_in", "f8"),
        ("flanked_in", "f8"),
        ("fatigue_out", "f8"),
        ("squeamish_out", "f8"),
        ("favor_out", "f8"),
        ("favor_in", "f8"),
        ("walls0", "f8"),
        ("walls1", "f8"),
        ("cover_factor", "f8"),
        ("weaken", "f8"),
        ("outnumber_ratio", "i8"),
        ("defend_fatigue", "i8"),
        ("march_fatigue", "i8"),
        ("cap_charge", "i8"),
        ("cap_clash", "i8"),
        ("cap_final", "i8"),
        ("has_summons", "i8"),
        ("has_cures", "i8"),
        ("has_belches", "i8"),
        ("has_ticks", "i8"),
        ("has_orders", "i8"),
        ("has_shots", "i8"),
        ("has_growing_shots", "i8"),
        ("has_sacrifices", "i8"),
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("units", "i8"),  # records in use
        ("charger", "i8"),
        ("first", "i8"),
        ("covering", "i8"),
        ("outnumbered", "i8"),
        ("flanked", "i8"),
        ("barrage", "i8"),
        ("blows", "i8"),  # blows and shots so far, for the benchmark
        ("draws", "i8"),  # random numbers so far, but for the three of each ordinary blow
        ("rounds0", "i8"),
        ("rounds1", "i8"),
        ("rounds2", "i8"),
        ("final", "i8"),
        ("winner", "i8"),  # 0, 1, -1 draw
        ("overflow", "i8"),  # out of room for summoned units
    ],
    align=True,
)

UNKNOWN = -2
"""Value of `outnumbered` that forces the factors to be worked out anew."""
