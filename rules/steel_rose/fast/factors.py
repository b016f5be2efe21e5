"""Compiled: formations, deaths, and the cached factors of every unit's damage (R9–R12).

Factors are worked out when something they depend on changes, never per blow, with the additions of `battle.damage` in the
same order: the results are the same to the last bit.

Arguments everywhere: u units, k kinds, f formations, live / queue (formation × slot), s state, r rules, wound / cure / weak
(unit × coming tick), rng, tape, spare (scratch)."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"
from __future__ import annotations

from rules.steel_rose.fast.compiled import inner
from rules.steel_rose.fast.layout import AURA
from rules.steel_rose.fast.random import PICK, below, permute


@inner
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
    if unit.weak != 0:
        melee += r.weaken * unit.weak
        shot += r.weaken * unit.weak
    unit.fo = max(0.0, 1.0 + melee)
    unit.fo_shot = max(0.0, 1.0 + shot)


@inner
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
    for j in range(f[form].n):
        unit = u[live[form, j]]
        unit.form = form
        refresh_out(unit, k[unit.kind], f[form], s, r)
        refresh_in(unit, k[unit.kind], f[form], s, r)


@inner
def aura_lost(form, u, k, f, live, s, r):
    """After the death of a bearer. While a barrage lasts, the shooters keep the strength they began with (R34)."""
    refresh_auras(form, u, k, f, live)
    if s.barrage == 0:
        refresh_all_out(form, u, k, f, live, s, r)
    refresh_all_in(form, u, k, f, live, s, r)


@inner
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
    """Who strikes next (R48).

    With random numbers the rest of the queue is kept unordered and one of it is drawn, which is the same as a shuffle; a tape
    gives the shuffle itself."""
    while f[form].queue > 0:
        left = f[form].queue - 1
        f[form].queue = left
        if tape is None:
            j = below(rng, tape, PICK, left + 1)
            i = queue[form, j]
            queue[form, j] = queue[form, left]
        else:
            i = queue[form, f[form].head]
            f[form].head += 1
        if u[i].hp > r.dead_below:
            return i
    n = f[form].n
    if tape is None:
        for j in range(n):
            queue[form, j] = live[form, j]
        j = below(rng, tape, PICK, n)
        i = queue[form, j]
        queue[form, j] = queue[form, n - 1]
    else:
        for j in range(n):
            queue[form, j] = j
        permute(rng, tape, queue[form], n)
        for j in range(n):
            queue[form, j] = live[form, queue[form, j]]
        f[form].head = 1
        i = queue[form, 0]
    f[form].queue = n - 1
    return i


@inner
def heal(unit, amount, r):
    """Raises the health of a living unit up to its maximum."""
    if unit.hp > r.dead_below:
        unit.hp = min(unit.max_hp, unit.hp + amount)


@inner
def stack(i, amount, rounds, table, u):
    """Adds a stack that acts in the next `rounds` ticks."""
    for t in range(rounds):
        table[i, t] += amount
    if u[i].busy < rounds:
        u[i].busy = rounds


@inner
def tick(form, u, k, f, live, s, r, wound, cure, weak):
    """End of a round (R53): damage over time, deaths, regeneration, timers."""
    width = wound.shape[1]
    dead = False
    for j in range(f[form].n):
        i = live[form, j]
        busy = u[i].busy
        if busy > 0 and wound[i, 0] != 0.0:
            u[i].hp -= wound[i, 0]
            if u[i].hp <= r.dead_below:
                dead = True
                continue
        cured = u[i].regen
        if busy > 0:
            cured += cure[i, 0]
        if cured != 0.0:
            u[i].hp = min(u[i].max_hp, u[i].hp + cured)
        if busy > 0:
            for t in range(width - 1):
                wound[i, t] = wound[i, t + 1]
                cure[i, t] = cure[i, t + 1]
                weak[i, t] = weak[i, t + 1]
            wound[i, width - 1] = 0.0
            cure[i, width - 1] = 0.0
            weak[i, width - 1] = 0
            u[i].busy = busy - 1
            if u[i].weak != weak[i, 0]:
                u[i].weak = weak[i, 0]
                refresh_out(u[i], k[u[i].kind], f[u[i].form], s, r)
    if dead:
        sweep(form, u, k, f, live, s, r)
