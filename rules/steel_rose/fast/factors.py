"""Compiled: formations, deaths, and the cached factors of every unit's damage (R9–R12).

Factors are worked out when something they depend on changes, never per blow, with the additions of `battle.damage` in the
same order: the results are the same to the last bit.

Arguments everywhere: u units, k kinds, f formations, live / queue (formation × slot), s state, r rules, e effects (unit ×
tick), rng, tape, spare (scratch)."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"
from __future__ import annotations

from rules.steel_rose.fast.compiled import hot, inner
from rules.steel_rose.fast.layout import AURA, STIRRED
from rules.steel_rose.fast.random import permute


@hot
def weakened(unit, r):
    """The factors of damage dealt, of ΣOUT and the stacks of weakness (R62): the last of its addends."""
    weakness = r.weaken * unit.weak
    unit.fo = max(0.0, 1.0 + (unit.out + weakness))
    unit.fo_shot = max(0.0, 1.0 + (unit.out_shot + weakness))


@hot
def refresh_out(unit, kind, form, s, r):
    """ΣOUT of a unit: melee and shots (R10). Records, not arrays: cheap to pass."""
    melee = 0.0
    if unit.favored != 0:
        melee += r.favor_out
    if unit.squeamish != 0:
        melee += r.squeamish_out
    if unit.fatigue != 0:
        melee += r.fatigue_out * unit.fatigue
    shot = melee
    shot += r.walls0 if unit.side == 0 else r.walls1
    melee += form.aura_out
    shot += form.aura_out
    if s.charger == unit.side:
        melee += kind.charge_all
        if s.first != 0:
            melee += kind.charge_first
    unit.out = melee
    unit.out_shot = shot
    weakened(unit, r)


@hot
def refresh_in(unit, kind, form, s, r):
    """ΣIN of a unit: melee and shots (R11)."""
    melee = 0.0
    if unit.favored != 0:
        melee += r.favor_in
    shot = melee
    melee += kind.in_melee
    shot += kind.in_shot
    if s.charger == 1 - unit.side:
        melee += kind.in_charged
        if s.covering != 0:
            melee += kind.in_covering
    melee += form.aura_in
    shot += form.aura_in
    if s.outnumbered == unit.side:
        melee += r.outnumbered_in
        shot += r.outnumbered_in
    if s.flanked == unit.side:
        melee += r.flanked_in
        shot += r.flanked_in
    unit.fi = max(0.0, 1.0 + melee)
    unit.fi_shot = max(0.0, 1.0 + shot)


@inner
def refresh_auras(form, u, k, f, live):
    """Leadership and blessing of the living; the greatest of each counts once (R56, R57)."""
    out = 0.0
    into = 0.0
    for j in range(f[form].n):
        unit = u[live[form, j]]
        if unit.flags & AURA:
            out = max(out, k[unit.kind].aura_out)
            into = min(into, k[unit.kind].aura_in)
    f[form].aura_out = out
    f[form].aura_in = into


@inner
def refresh_all_out(form, u, k, f, live, s, r):
    """ΣOUT of a whole formation."""
    for j in range(f[form].n):
        unit = u[live[form, j]]
        refresh_out(unit, k[unit.kind], f[form], s, r)


@inner
def refresh_all_in(form, u, k, f, live, s, r):
    """ΣIN of a whole formation."""
    for j in range(f[form].n):
        unit = u[live[form, j]]
        refresh_in(unit, k[unit.kind], f[form], s, r)


@inner
def enter(form, u, k, f, live, s, r):
    """A formation enters an engagement: queue cleared, factors worked out."""
    f[form].queue = 0
    f[form].head = 0
    refresh_auras(form, u, k, f, live)
    refresh_all_out(form, u, k, f, live, s, r)
    refresh_all_in(form, u, k, f, live, s, r)


@inner
def aura_lost(form, u, k, f, live, s, r):
    """After the death of a bearer. While a barrage lasts, the shooters keep the strength they began with (R34)."""
    refresh_auras(form, u, k, f, live)
    if s.barrage == 0:
        refresh_all_out(form, u, k, f, live, s, r)
    refresh_all_in(form, u, k, f, live, s, r)


@hot
def bury(form, j, u, k, f, live, s, r, tape):
    """Removes the dead unit at slot j. Only a tape cares for the order of the living."""
    flags = u[live[form, j]].flags
    last = f[form].n - 1
    if tape is None:
        live[form, j] = live[form, last]
    else:
        for i in range(j, last):
            live[form, i] = live[form, i + 1]
    f[form].n = last
    if flags & AURA:
        aura_lost(form, u, k, f, live, s, r)


@inner
def sweep(form, u, k, f, live, s, r):
    """Removes all dead units of a formation."""
    kept = 0
    lost = False
    for j in range(f[form].n):
        i = live[form, j]
        if u[i].hp > r.dead_below:
            live[form, kept] = i
            kept += 1
        elif u[i].flags & AURA:
            lost = True
    f[form].n = kept
    if lost:
        aura_lost(form, u, k, f, live, s, r)


@inner
def next_unit(form, u, f, live, queue, r, rng, tape):
    """Who strikes next by a tape's shuffles (R48); with random numbers see `rounds.exchanges`."""
    while f[form].queue > 0:
        f[form].queue -= 1
        i = queue[form, f[form].head]
        f[form].head += 1
        if u[i].hp > r.dead_below:
            return i
    n = f[form].n
    for j in range(n):
        queue[form, j] = j
    permute(rng, tape, queue[form], n)
    for j in range(n):
        queue[form, j] = live[form, queue[form, j]]
    f[form].head = 1
    f[form].queue = n - 1
    return queue[form, 0]


@hot
def heal(unit, amount, r):
    """Raises the health of a living unit up to its maximum."""
    if unit.hp > r.dead_below:
        unit.hp = min(unit.max_hp, unit.hp + amount)


@hot
def stir(unit, rounds):
    """Effects act on it for so many ticks at least."""
    unit.flags |= STIRRED
    if unit.busy < rounds:
        unit.busy = rounds


@hot
def wound(i, amount, rounds, u, e):
    """A stack of damage in each of the next ticks (R13). The ticks to come are a ring that begins at `phase`."""
    width = e.shape[1]
    at = u[i].phase
    for _ in range(rounds):
        e[i, at].wound += amount
        at += 1
        if at == width:
            at = 0
    stir(u[i], rounds)


@hot
def cure(i, amount, rounds, u, e):
    """A stack of regeneration (R55)."""
    width = e.shape[1]
    at = u[i].phase
    for _ in range(rounds):
        e[i, at].cure += amount
        at += 1
        if at == width:
            at = 0
    stir(u[i], rounds)


@hot
def weaken(i, rounds, u, s, r, e):
    """A stack of weakness (R62), which acts at once; during a barrage, after it (R34)."""
    width = e.shape[1]
    at = u[i].phase
    for _ in range(rounds):
        e[i, at].weak += 1
        at += 1
        if at == width:
            at = 0
    stir(u[i], rounds)
    u[i].weak += 1
    if s.barrage == 0:
        weakened(u[i], r)


@hot
def tick(form, u, f, live, s, r, k, e):
    """End of a round (R53): damage over time, deaths, regeneration, timers."""
    width = e.shape[1]
    dead = False
    for j in range(f[form].n):
        i = live[form, j]
        unit = u[i]
        if unit.flags & STIRRED == 0:
            continue
        cured = unit.regen
        if unit.busy > 0:
            at = unit.phase
            now = e[i, at]
            if now.wound != 0.0:
                unit.hp -= now.wound
                if unit.hp <= r.dead_below:
                    dead = True
                    continue
            cured += now.cure
            now.wound = 0.0
            now.cure = 0.0
            now.weak = 0
            at += 1
            if at == width:
                at = 0
            unit.phase = at
            unit.busy -= 1
            if unit.weak != e[i, at].weak:
                unit.weak = e[i, at].weak
                weakened(unit, r)
            if unit.busy == 0 and unit.regen == 0.0:
                unit.flags &= ~STIRRED
        if cured != 0.0:
            unit.hp = min(unit.max_hp, unit.hp + cured)
    if dead:
        sweep(form, u, k, f, live, s, r)
