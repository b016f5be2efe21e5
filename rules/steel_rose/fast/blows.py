"""Compiled: shots and blows, one by one as in `battle.fight` (arguments: see `factors`)."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"
from __future__ import annotations

import numpy as np

from rules.steel_rose.fast.compiled import copied, hot, inner
from rules.steel_rose.fast.factors import bury, heal, next_unit, sweep, weaken, wound
from rules.steel_rose.fast.layout import AURA, GIVING, MARKING, REPEATED, VENOMOUS
from rules.steel_rose.fast.random import GAMMA, LOW, PICK, ROLL, S32, below, chance, choose, mix, scale, share, word


@hot
def hit_by_shot(shooter, kind, unit, roll, cover):
    """A shot's damage (R9)."""
    damage = max(roll - unit.armor, kind.min_shot, 0.0) * shooter.fo_shot * unit.fi_shot
    damage *= shooter.magic
    damage *= unit.tough
    damage *= cover
    unit.hp -= damage


@hot
def shoot(i, form, cover, u, k, f, live, s, r, e, rng, tape, spare):
    """One shot of unit i at a formation with living units (R34, R36)."""
    shooter = u[i]
    kind = k[shooter.kind]
    n = f[form].n
    if kind.area_den == 0:
        if tape is None:
            bits = word(rng)
            slot = scale(bits >> S32, n)
            roll = 1 + scale(bits & LOW, kind.ranged)
        else:
            slot = below(rng, tape, PICK, n)
            roll = 1 + below(rng, tape, ROLL, kind.ranged)
        t = live[form, slot]
        hit_by_shot(shooter, kind, u[t], roll, cover)
        s.blows += 1
        s.draws += 2
        if kind.weaken_rounds > 0:
            weaken(t, kind.weaken_rounds, u, s, r, e)
        if u[t].hp <= r.dead_below:
            bury(form, slot, u, k, f, live, s, r, tape)
    else:
        count = min(max((kind.area_num * n) // kind.area_den, kind.area_min), kind.area_max, n)
        choose(rng, tape, spare, n, count)
        for j in range(count):
            spare[j] = live[form, spare[j]]
        dead = False
        for j in range(count):
            t = spare[j]
            hit_by_shot(shooter, kind, u[t], 1 + below(rng, tape, ROLL, kind.ranged), cover)
            if kind.weaken_rounds > 0:
                weaken(t, kind.weaken_rounds, u, s, r, e)
            if u[t].hp <= r.dead_below:
                dead = True
                if u[t].flags & AURA:  # the next of this shot is struck without it already
                    sweep(form, u, k, f, live, s, r)
        s.blows += count
        s.draws += 2 * count
        if dead:
            sweep(form, u, k, f, live, s, r)
    if kind.shot_growth != 0.0:
        shooter.magic *= 1.0 + kind.shot_growth


@hot
def ordinary(striker, target, roll):
    """Damage of a blow without anything out of the ordinary: base × factors (R9)."""
    return max(roll - target.armor, striker.min_melee, 0.0) * striker.fo * target.fi * striker.fury * target.tough


@hot
def sacrifices(kind, n, living, rng, tape, spare):
    """Victims of a sacrifice, put into spare: how many (R61)."""
    count = min(n, kind.sacrifice_targets)
    choose(rng, tape, spare, n, count)
    for j in range(count):
        spare[j] = living[spare[j]]
    return count


@hot
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


@hot
def after_blow(i, t, damage, u, k, r, e):
    """Consequences of a blow (R47); what it gives to its striker only if he is alive after the exchange (R58, R65)."""
    unit = u[i]
    target = u[t]
    if target.flags & VENOMOUS != 0 and damage > 0.0:
        theirs = k[target.kind]
        wound(i, theirs.poison, theirs.poison_rounds, u, e)
    if unit.flags & MARKING:
        mine = k[unit.kind]
        marks(unit, mine, target, damage, r)
        if mine.burn_rounds > 0:
            wound(t, mine.burn, mine.burn_rounds, u, e)


@inner
def together(a, b, fa, fb, target_a, damage_a, given_a, target_b, damage_b, given_b, u, k, f, live, s, r, e, spare_a, spare_b):
    """Applies what two units have done (R47): a blow at a target (−1: none), or a sacrifice with so many victims in spare."""
    if target_a >= 0:
        u[target_a].hp -= damage_a
        s.blows += 1
    if target_b >= 0:
        u[target_b].hp -= damage_b
        s.blows += 1
    dead_a = given_a > 0
    dead_b = given_b > 0
    if given_a > 0:
        for j in range(given_a):
            u[spare_a[j]].hp -= k[u[a].kind].sacrifice_damage
            dead_b = dead_b or u[spare_a[j]].hp <= r.dead_below
        u[a].hp = 0.0
        u[a].sacrificed = 1
        s.blows += given_a
        s.draws += given_a
    if given_b > 0:
        for j in range(given_b):
            u[spare_b[j]].hp -= k[u[b].kind].sacrifice_damage
            dead_a = dead_a or u[spare_b[j]].hp <= r.dead_below
        u[b].hp = 0.0
        u[b].sacrificed = 1
        s.blows += given_b
        s.draws += given_b
    if target_a >= 0:
        after_blow(a, target_a, damage_a, u, k, r, e)
        dead_b = dead_b or u[target_a].hp <= r.dead_below
    if target_b >= 0:
        after_blow(b, target_b, damage_b, u, k, r, e)
        dead_a = dead_a or u[target_b].hp <= r.dead_below
    if dead_a:
        sweep(fa, u, k, f, live, s, r)
    if dead_b:
        sweep(fb, u, k, f, live, s, r)


@hot
def further_blow(i, enemy, u, k, f, live, s, r, rng, tape, spare):
    """A blow of unit i at a formation with living units: its target, damage, or −1, 0 and the number of its victims (R61)."""
    unit = u[i]
    kind = k[unit.kind]
    n = f[enemy].n
    if unit.flags & GIVING:
        s.draws += 1
        if chance(rng, tape, kind.sacrifice_num, kind.sacrifice_den):
            return np.int64(-1), 0.0, sacrifices(kind, n, live[enemy], rng, tape, spare)
    target = np.int64(live[enemy, below(rng, tape, PICK, n)])
    s.draws += 2
    roll = 1 + below(rng, tape, ROLL, unit.attack) if unit.attack > 0 else 0
    return target, ordinary(unit, u[target], roll), 0


@inner
def further_blows(a, b, fa, fb, u, k, f, live, s, r, e, rng, tape, spare_a, spare_b):
    """The second and further blows of an exchange, simultaneous among themselves (R49)."""
    attacks_a = k[u[a].kind].attacks
    attacks_b = k[u[b].kind].attacks
    for number in range(1, max(attacks_a, attacks_b)):
        acts_a = number < attacks_a and u[a].hp > r.dead_below and f[fb].n > 0
        acts_b = number < attacks_b and u[b].hp > r.dead_below and f[fa].n > 0
        if not acts_a and not acts_b:
            break
        target_a = np.int64(-1)
        target_b = np.int64(-1)
        damage_a = 0.0
        damage_b = 0.0
        given_a = 0
        given_b = 0
        if acts_a:
            target_a, damage_a, given_a = further_blow(a, fb, u, k, f, live, s, r, rng, tape, spare_a)
        if acts_b:
            target_b, damage_b, given_b = further_blow(b, fa, u, k, f, live, s, r, rng, tape, spare_b)
        together(a, b, fa, fb, target_a, damage_a, given_a, target_b, damage_b, given_b, u, k, f, live, s, r, e, spare_a, spare_b)


@copied
def exchanges(n, fa, fb, u, k, f, live, queue, s, r, e, rng, tape, spare_a, spare_b):
    """Up to n exchanges of two formations (R46, R47).

    The hot loop: counts and the generator's state live in registers; a tape goes the same way but for its draws. With random
    numbers the rest of a queue is kept unordered and one of it is drawn, which is the same as a shuffle (R48); which of two
    independent numbers is drawn first does not matter either. What happens seldom is a call."""
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
        either = unit_a.flags | unit_b.flags
        given_a = 0
        given_b = 0
        if tape is None:
            x += GAMMA
            bits = mix(x)
            slot_a = share(bits >> S32, nb)
            roll_a = scale(bits & LOW, unit_a.attack) + (unit_a.attack > 0)
            x += GAMMA
            bits = mix(x)
            slot_b = share(bits >> S32, na)
            roll_b = scale(bits & LOW, unit_b.attack) + (unit_b.attack > 0)
            if either & GIVING:
                rng[0] = x
                if unit_a.flags & GIVING:
                    mine = k[unit_a.kind]
                    s.draws += 1
                    if chance(rng, tape, mine.sacrifice_num, mine.sacrifice_den):
                        given_a = sacrifices(mine, nb, live_b, rng, tape, spare_a)
                if unit_b.flags & GIVING:
                    mine = k[unit_b.kind]
                    s.draws += 1
                    if chance(rng, tape, mine.sacrifice_num, mine.sacrifice_den):
                        given_b = sacrifices(mine, na, live_a, rng, tape, spare_b)
                x = rng[0]
        else:
            slot_a = np.uint64(0)
            slot_b = np.uint64(0)
            roll_a = 0
            roll_b = 0
            mine = k[unit_a.kind]
            if unit_a.flags & GIVING and chance(rng, tape, mine.sacrifice_num, mine.sacrifice_den):
                given_a = sacrifices(mine, nb, live_b, rng, tape, spare_a)
            else:
                slot_a = np.uint64(below(rng, tape, PICK, nb))
                if unit_a.attack > 0:
                    roll_a = 1 + below(rng, tape, ROLL, unit_a.attack)
            mine = k[unit_b.kind]
            if unit_b.flags & GIVING and chance(rng, tape, mine.sacrifice_num, mine.sacrifice_den):
                given_b = sacrifices(mine, na, live_a, rng, tape, spare_b)
            else:
                slot_b = np.uint64(below(rng, tape, PICK, na))
                if unit_b.attack > 0:
                    roll_b = 1 + below(rng, tape, ROLL, unit_b.attack)
        target_a = live_b[slot_a]
        target_b = live_a[slot_b]
        hit_a = u[target_a]
        hit_b = u[target_b]
        damage_a = ordinary(unit_a, hit_a, roll_a)
        damage_b = ordinary(unit_b, hit_b, roll_b)
        if given_a + given_b > 0:
            f[fa].n = na
            f[fb].n = nb
            s.draws += 2
            s.draws += 2 * (given_a == 0) + 2 * (given_b == 0)
            together(
                np.int64(a),
                np.int64(b),
                fa,
                fb,
                np.int64(target_a) if given_a == 0 else np.int64(-1),
                damage_a,
                given_a,
                np.int64(target_b) if given_b == 0 else np.int64(-1),
                damage_b,
                given_b,
                u,
                k,
                f,
                live,
                s,
                r,
                e,
                spare_a,
                spare_b,
            )
            na = f[fa].n
            nb = f[fb].n
        else:
            hp_a = hit_a.hp - damage_a
            hp_b = hit_b.hp - damage_b
            hit_a.hp = hp_a
            hit_b.hp = hp_b
            blows += 2
            if (either & MARKING) | ((hit_a.flags | hit_b.flags) & VENOMOUS):
                for side in range(2):
                    if side == 0:
                        after_blow(a, target_a, damage_a, u, k, r, e)
                    else:
                        after_blow(b, target_b, damage_b, u, k, r, e)
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
        if either & REPEATED:
            if tape is None:
                rng[0] = x
            further_blows(np.int64(a), np.int64(b), fa, fb, u, k, f, live, s, r, e, rng, tape, spare_a, spare_b)
            if tape is None:
                x = rng[0]
            na = f[fa].n
            nb = f[fb].n
    if tape is None:
        rng[0] = x
        f[fa].queue = qa
        f[fb].queue = qb
    s.blows += blows
    s.draws += 3 * blows
