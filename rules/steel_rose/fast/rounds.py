"""Compiled: shots, blows and rounds, step by step as in `battle.fight` (arguments: see `factors`)."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"
from __future__ import annotations

import numpy as np

from rules.steel_rose.fast.compiled import inlined, inner
from rules.steel_rose.fast.factors import (
    bury,
    enter,
    heal,
    next_unit,
    refresh_all_in,
    refresh_all_out,
    refresh_in,
    refresh_out,
    stack,
    sweep,
    tick,
)
from rules.steel_rose.fast.layout import AURA, MARKING, SPECIAL, UNKNOWN, VENOMOUS
from rules.steel_rose.fast.random import GAMMA, LOW, PICK, ROLL, S32, below, chance, choose, mix, scale, share


@inner
def weaken(i, kind, u, k, f, s, r, weak):
    """A stack of weakness (R62)."""
    rounds = k[kind].weaken_rounds
    for t in range(rounds):
        weak[i, t] += 1
    if u[i].busy < rounds:
        u[i].busy = rounds
    u[i].weak = weak[i, 0]
    if s.barrage == 0:
        refresh_out(u[i], k[u[i].kind], f[u[i].form], s, r)


@inner
def shoot(i, form, cover, u, k, f, live, s, r, weak, rng, tape, spare):
    """One shot of unit i at a formation with living units (R34, R36)."""
    kind = k[u[i].kind]
    n = f[form].n
    strength = kind.ranged
    count = 1
    if kind.area_den > 0:
        count = min(max((kind.area_num * n) // kind.area_den, kind.area_min), kind.area_max, n)
        choose(rng, tape, spare, n, count)
        for j in range(count):
            spare[j] = live[form, spare[j]]
    else:
        spare[0] = live[form, below(rng, tape, PICK, n)]
    dead = False
    for j in range(count):
        t = spare[j]
        roll = 1 + below(rng, tape, ROLL, strength)
        base = max(roll - u[t].armor, kind.min_shot, 0.0)
        damage = base * u[i].fo_shot * u[t].fi_shot
        damage *= u[i].magic
        damage *= u[t].tough
        damage *= cover
        u[t].hp -= damage
        s.blows += 1
        if kind.weaken_rounds > 0:
            weaken(t, u[i].kind, u, k, f, s, r, weak)
        if u[t].hp <= r.dead_below:
            dead = True
            sweep(form, u, k, f, live, s, r)
    if kind.shot_growth != 0.0:
        u[i].magic *= 1.0 + kind.shot_growth
    return dead


@inlined
def ordinary(striker, target, roll):
    """Damage of a blow without anything out of the ordinary: base × factors (R9)."""
    return max(roll - target.armor, striker.min_melee, 0.0) * striker.fo * target.fi * striker.fury * target.tough


@inlined
def blow(unit, kind, n, living, u, rng, tape, spare):
    """A blow as it is meant: target and damage; a sacrifice: −1 and the number of its victims, who are in spare."""
    target = np.int64(-1)
    result = 0.0
    if kind.sacrifice_den > 0 and chance(rng, tape, kind.sacrifice_num, kind.sacrifice_den):
        count = min(n, kind.sacrifice_targets)
        choose(rng, tape, spare, n, count)
        for j in range(count):
            spare[j] = living[spare[j]]
        result += count
    else:
        target = np.int64(living[below(rng, tape, PICK, n)])
        if unit.attack > 0:
            result = ordinary(unit, u[target], 1 + below(rng, tape, ROLL, unit.attack))
    return target, result


@inner
def marks(unit, mine, target, damage, r):
    """What a blow leaves on its target's armour and on the striker: growth, healing if he is alive (R57, R58, R65, R67)."""
    if mine.growth != 0.0:
        unit.fury *= 1.0 + mine.growth
        unit.tough *= 1.0 - mine.growth
    if mine.shred != 0.0:
        target.armor = max(0.0, target.armor - mine.shred)
    if mine.heal_on_hit != 0.0:
        heal(unit, mine.heal_on_hit, r)
    if mine.lifesteal != 0.0:
        heal(unit, mine.lifesteal * damage, r)


@inlined
def after_blow(i, t, damage, unit, mine, target, theirs, u, r, wound):
    """Consequences of a blow (R47); what it gives to its striker only if he is alive after the exchange (R58, R65)."""
    if target.flags & VENOMOUS and damage > 0.0:
        stack(i, theirs.poison, theirs.poison_rounds, wound, u)
    marks(unit, mine, target, damage, r)
    if mine.burn_rounds > 0:
        stack(t, mine.burn, mine.burn_rounds, wound, u)


@inlined
def long_exchange(a, b, fa, fb, u, k, f, live, s, r, wound, rng, tape, spare_a, spare_b):
    """An exchange in which something out of the ordinary may happen (R47, R49, R61)."""
    unit_a = u[a]
    unit_b = u[b]
    kind_a = k[unit_a.kind]
    kind_b = k[unit_b.kind]
    for number in range(max(kind_a.attacks, kind_b.attacks)):
        acts_a = number < kind_a.attacks and unit_a.hp > r.dead_below and f[fb].n > 0
        acts_b = number < kind_b.attacks and unit_b.hp > r.dead_below and f[fa].n > 0
        target_a = np.int64(-1)
        target_b = np.int64(-1)
        damage_a = 0.0
        damage_b = 0.0
        if acts_a:
            target_a, damage_a = blow(unit_a, kind_a, f[fb].n, live[fb], u, rng, tape, spare_a)
            s.blows += 1
        if acts_b:
            target_b, damage_b = blow(unit_b, kind_b, f[fa].n, live[fa], u, rng, tape, spare_b)
            s.blows += 1
        sweep_a = False
        sweep_b = False
        if target_a >= 0:
            u[target_a].hp -= damage_a
        if target_b >= 0:
            u[target_b].hp -= damage_b
        if acts_a and target_a < 0:
            for j in range(int(damage_a)):
                u[spare_a[j]].hp -= kind_a.sacrifice_damage
            unit_a.hp = 0.0
            unit_a.sacrificed = 1
            sweep_a = True
            sweep_b = True
        if acts_b and target_b < 0:
            for j in range(int(damage_b)):
                u[spare_b[j]].hp -= kind_b.sacrifice_damage
            unit_b.hp = 0.0
            unit_b.sacrificed = 1
            sweep_a = True
            sweep_b = True
        if target_a >= 0:
            hit = u[target_a]
            after_blow(a, target_a, damage_a, unit_a, kind_a, hit, k[hit.kind], u, r, wound)
            sweep_b = sweep_b or hit.hp <= r.dead_below
        if target_b >= 0:
            hit = u[target_b]
            after_blow(b, target_b, damage_b, unit_b, kind_b, hit, k[hit.kind], u, r, wound)
            sweep_a = sweep_a or hit.hp <= r.dead_below
        if sweep_a:
            sweep(fa, u, k, f, live, s, r)
        if sweep_b:
            sweep(fb, u, k, f, live, s, r)


@inner
def exchanges(n, fa, fb, u, k, f, live, queue, s, r, wound, rng, tape, spare_a, spare_b):
    """Up to n exchanges of two formations (R46, R47).

    The hot loop: counts and the generator's state live in registers; a tape goes the same way but for its draws. With random
    numbers the rest of a queue is kept unordered and one of it is drawn, which is the same as a shuffle (R48)."""
    live_a = live[fa]
    live_b = live[fb]
    queue_a = queue[fa]
    queue_b = queue[fb]
    na = f[fa].n
    nb = f[fb].n
    qa = f[fa].queue
    qb = f[fb].queue
    low = r.dead_below
    x = rng[0]
    blows = 0
    for _ in range(n):
        if na == 0 or nb == 0:
            break
        if tape is None:
            x += GAMMA
            bits = mix(x)
            if qa == 0:
                for j in range(na):
                    queue_a[j] = live_a[j]
                qa = na
            pick = share(bits >> S32, qa)
            a = queue_a[pick]
            qa -= 1
            queue_a[pick] = queue_a[qa]
            while u[a].hp <= low:
                if qa == 0:
                    for j in range(na):
                        queue_a[j] = live_a[j]
                    qa = na
                x += GAMMA
                pick = share(mix(x) >> S32, qa)
                a = queue_a[pick]
                qa -= 1
                queue_a[pick] = queue_a[qa]
            if qb == 0:
                for j in range(nb):
                    queue_b[j] = live_b[j]
                qb = nb
            pick = share(bits & LOW, qb)
            b = queue_b[pick]
            qb -= 1
            queue_b[pick] = queue_b[qb]
            while u[b].hp <= low:
                if qb == 0:
                    for j in range(nb):
                        queue_b[j] = live_b[j]
                    qb = nb
                x += GAMMA
                pick = share(mix(x) >> S32, qb)
                b = queue_b[pick]
                qb -= 1
                queue_b[pick] = queue_b[qb]
        else:
            a = next_unit(fa, u, f, live, queue, r, rng, tape)
            b = next_unit(fb, u, f, live, queue, r, rng, tape)
        unit_a = u[a]
        unit_b = u[b]
        if (unit_a.flags | unit_b.flags) & SPECIAL:
            if tape is None:
                rng[0] = x
            long_exchange(a, b, fa, fb, u, k, f, live, s, r, wound, rng, tape, spare_a, spare_b)
            if tape is None:
                x = rng[0]
            na = f[fa].n
            nb = f[fb].n
            continue
        if tape is None:
            x += GAMMA
            bits = mix(x)
            slot_a = share(bits >> S32, nb)
            roll_a = 1 + scale(bits & LOW, unit_a.attack)
            x += GAMMA
            bits = mix(x)
            slot_b = share(bits >> S32, na)
            roll_b = 1 + scale(bits & LOW, unit_b.attack)
        else:
            slot_a = np.uint64(below(rng, tape, PICK, nb))
            roll_a = 1 + below(rng, tape, ROLL, unit_a.attack)
            slot_b = np.uint64(below(rng, tape, PICK, na))
            roll_b = 1 + below(rng, tape, ROLL, unit_b.attack)
        hit_a = u[live_b[slot_a]]
        hit_b = u[live_a[slot_b]]
        damage_a = ordinary(unit_a, hit_a, roll_a)
        damage_b = ordinary(unit_b, hit_b, roll_b)
        hp_a = hit_a.hp - damage_a
        hp_b = hit_b.hp - damage_b
        hit_a.hp = hp_a
        hit_b.hp = hp_b
        blows += 2
        if (hit_a.flags | hit_b.flags) & VENOMOUS:
            if hit_a.flags & VENOMOUS and damage_a > 0.0:
                stack(a, k[hit_a.kind].poison, k[hit_a.kind].poison_rounds, wound, u)
            if hit_b.flags & VENOMOUS and damage_b > 0.0:
                stack(b, k[hit_b.kind].poison, k[hit_b.kind].poison_rounds, wound, u)
        if (unit_a.flags | unit_b.flags) & MARKING:
            if unit_a.flags & MARKING:
                mine = k[unit_a.kind]
                marks(unit_a, mine, hit_a, damage_a, r)
                if mine.burn_rounds > 0:
                    stack(live_b[slot_a], mine.burn, mine.burn_rounds, wound, u)
            if unit_b.flags & MARKING:
                mine = k[unit_b.kind]
                marks(unit_b, mine, hit_b, damage_b, r)
                if mine.burn_rounds > 0:
                    stack(live_a[slot_b], mine.burn, mine.burn_rounds, wound, u)
        if hp_b <= low:
            na -= 1
            if tape is None and not hit_b.flags & AURA:
                live_a[slot_b] = live_a[na]
                f[fa].n = na
            else:
                bury(fa, np.int64(slot_b), u, k, f, live, s, r, tape)
        if hp_a <= low:
            nb -= 1
            if tape is None and not hit_a.flags & AURA:
                live_b[slot_a] = live_b[nb]
                f[fb].n = nb
            else:
                bury(fb, np.int64(slot_a), u, k, f, live, s, r, tape)
    if tape is None:
        rng[0] = x
        f[fa].queue = qa
        f[fb].queue = qb
    s.blows += blows


@inner
def summon(by, form, u, k, f, live, s, r, wound, cure, weak):
    """A summoned unit joins a formation at once; it strikes from the next shuffle on (R48, R69)."""
    i = s.units
    if i >= u.shape[0]:
        s.overflow = 1
        return
    s.units = i + 1
    which = k[u[by].kind].summoned
    kind = k[which]
    u[i].hp = kind.hp
    u[i].max_hp = kind.hp
    u[i].armor = kind.armor
    u[i].tough = 1.0
    u[i].fury = 1.0
    u[i].magic = 1.0
    u[i].min_melee = kind.min_melee
    u[i].attack = kind.attack
    u[i].flags = kind.flags
    u[i].regen = kind.regen
    u[i].weak = 0
    u[i].busy = 0
    u[i].kind = which
    u[i].side = u[by].side
    u[i].form = form
    u[i].line = -1
    u[i].fatigue = f[form].fatigue if form < 12 else u[by].fatigue
    u[i].favored = 0
    u[i].squeamish = 0
    u[i].sacrificed = 0
    for t in range(wound.shape[1]):
        wound[i, t] = 0.0
        cure[i, t] = 0.0
        weak[i, t] = 0
    live[form, f[form].n] = i
    f[form].n += 1
    if kind.aura_out != 0.0 or kind.aura_in != 0.0:
        enter_auras = f[form].queue
        enter(form, u, k, f, live, s, r)
        f[form].queue = enter_auras
    else:
        refresh_out(u[i], kind, f[form], s, r)
        refresh_in(u[i], kind, f[form], s, r)


@inner
def round_start(number, fa, fb, ra, rb, u, k, f, live, s, r, wound, cure, weak, rng, tape):
    """Summons, healers, belches; attacker before defender, vanguard before rear (R46)."""
    for stage in range(3):
        if (stage == 0 and r.has_summons == 0) or (stage == 1 and r.has_cures == 0) or (stage == 2 and r.has_belches == 0):
            continue
        for side in range(2):
            front = fa if side == 0 else fb
            rear = ra if side == 0 else rb
            enemy = fb if side == 0 else fa
            for row in range(2):
                form = front if row == 0 else rear
                if form < 0:
                    continue
                for j in range(f[form].n):
                    i = live[form, j]
                    kind = k[u[i].kind]
                    if stage == 0 and kind.summons != 0:
                        summon(i, front, u, k, f, live, s, r, wound, cure, weak)
                    elif stage == 1 and kind.cure_rounds > 0:
                        t = live[front, below(rng, tape, PICK, f[front].n)]
                        stack(t, kind.cure, kind.cure_rounds, cure, u)
                    elif stage == 2 and row == 0 and kind.belch_rounds > 0 and (number - 1) % kind.belch_every == 0:
                        t = live[enemy, below(rng, tape, PICK, f[enemy].n)]
                        stack(t, kind.belch, kind.belch_rounds, wound, u)


@inner
def rear_shots(rear, enemy, u, k, f, live, s, r, weak, rng, tape, spare):
    """Every living shooter of a rear fires once at the enemy vanguard (R46)."""
    for j in range(f[rear].n):
        i = live[rear, j]
        if k[u[i].kind].ranged > 0 and f[enemy].n > 0:
            shoot(i, enemy, 1.0, u, k, f, live, s, r, weak, rng, tape, spare)


@inner
def penalised(a, b, ratio):
    """The outnumbered side, −1: neither (R51)."""
    if a >= ratio * b:
        return 1 if b > 0 else -1
    if b >= ratio * a:
        return 0 if a > 0 else -1
    return -1


@inner
def play_round(number, fa, fb, ra, rb, u, k, f, live, queue, s, r, wound, cure, weak, rng, tape, spare_a, spare_b):
    """One round of an engagement (R46); ra, rb: rears, −1 for none."""
    if r.has_summons | r.has_cures | r.has_belches:
        round_start(number, fa, fb, ra, rb, u, k, f, live, s, r, wound, cure, weak, rng, tape)
    na = f[fa].n
    nb_ = f[fb].n
    outnumbered = penalised(na, nb_, r.outnumber_ratio)
    if outnumbered != s.outnumbered:
        s.outnumbered = outnumbered
        refresh_all_in(fa, u, k, f, live, s, r)
        refresh_all_in(fb, u, k, f, live, s, r)
    if ra >= 0:
        rear_shots(ra, fb, u, k, f, live, s, r, weak, rng, tape, spare_a)
    if rb >= 0:
        rear_shots(rb, fa, u, k, f, live, s, r, weak, rng, tape, spare_a)
    exchanges(max(na, nb_), fa, fb, u, k, f, live, queue, s, r, wound, rng, tape, spare_a, spare_b)
    if r.has_ticks != 0:
        tick(fa, u, k, f, live, s, r, wound, cure, weak)
        if ra >= 0:
            tick(ra, u, k, f, live, s, r, wound, cure, weak)
        tick(fb, u, k, f, live, s, r, wound, cure, weak)
        if rb >= 0:
            tick(rb, u, k, f, live, s, r, wound, cure, weak)


@inner
def to_the_death(
    fa,
    fb,
    cap,
    charger,
    covering,
    first,
    flanked,
    u,
    k,
    f,
    live,
    queue,
    s,
    r,
    wound,
    cure,
    weak,
    rng,
    tape,
    spare_a,
    spare_b,
):
    """A charge's fight or the final; its rounds, at most `cap` (R39, R52, R71)."""
    s.charger = charger
    s.covering = covering
    s.first = first
    s.flanked = flanked
    s.outnumbered = UNKNOWN
    enter(fa, u, k, f, live, s, r)
    enter(fb, u, k, f, live, s, r)
    number = 0
    while number < cap and f[fa].n > 0 and f[fb].n > 0:
        number += 1
        if number == 2 and s.first != 0:
            s.first = 0
            refresh_all_out(fa, u, k, f, live, s, r)
            refresh_all_out(fb, u, k, f, live, s, r)
        play_round(number, fa, fb, -1, -1, u, k, f, live, queue, s, r, wound, cure, weak, rng, tape, spare_a, spare_b)
    s.charger = -1
    s.covering = 0
    s.first = 0
    s.flanked = -1
    s.outnumbered = -1
    return number
