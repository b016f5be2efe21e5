"""Compiled: shots, blows and rounds, step by step as in `battle.fight` (arguments: see `factors`)."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"
from __future__ import annotations

from rules.steel_rose.fast.compiled import inner
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
from rules.steel_rose.fast.layout import SPECIAL, UNKNOWN, VENOMOUS
from rules.steel_rose.fast.random import LOW as LOW_HALF
from rules.steel_rose.fast.random import PICK, ROLL, S32, below, chance, choose, scale, word


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
        refresh_out(i, u, k, f, s, r)


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


@inner
def blow(i, form, number, u, k, f, live, s, r, rng, tape, spare, out):
    """A blow as it is meant: the target and the damage in `out`; a sacrifice: target −1, its victims in spare, their number."""
    kind = k[u[i].kind]
    s.blows += 1
    if kind.sacrifice_den > 0 and chance(rng, tape, kind.sacrifice_num, kind.sacrifice_den):
        n = f[form].n
        count = min(n, kind.sacrifice_targets)
        choose(rng, tape, spare, n, count)
        for j in range(count):
            spare[j] = live[form, spare[j]]
        out[0] = -1.0
        out[1] = count
        return
    t = live[form, below(rng, tape, PICK, f[form].n)]
    damage = 0.0
    if u[i].attack > 0:
        roll = 1 + below(rng, tape, ROLL, u[i].attack)
        damage = max(roll - u[t].armor, u[i].min_melee, 0.0) * u[i].fo * u[t].fi
        damage *= u[i].fury
        damage *= u[t].tough
    out[0] = t
    out[1] = damage


@inner
def after_blow(i, t, damage, u, k, wound):
    """Consequences of a blow (R47)."""
    mine = k[u[i].kind]
    if u[t].flags & VENOMOUS and damage > 0.0:
        theirs = k[u[t].kind]
        stack(i, theirs.poison, theirs.poison_rounds, wound, u)
    if mine.growth != 0.0:
        u[i].fury *= 1.0 + mine.growth
        u[i].tough *= 1.0 - mine.growth
    if mine.shred != 0.0:
        u[t].armor = max(0.0, u[t].armor - mine.shred)
    if mine.burn_rounds > 0:
        stack(t, mine.burn, mine.burn_rounds, wound, u)


@inner
def heal_striker(i, damage, u, k, r):
    """What its own blow gives a unit that is alive after the exchange (R58, R65)."""
    mine = k[u[i].kind]
    if mine.heal_on_hit != 0.0:
        heal(i, mine.heal_on_hit, u, r)
    if mine.lifesteal != 0.0:
        heal(i, mine.lifesteal * damage, u, r)


@inner
def long_exchange(a, b, fa, fb, u, k, f, live, s, r, wound, rng, tape, spare_a, spare_b, out_a, out_b):
    """An exchange in which something out of the ordinary may happen (R47, R49, R61)."""
    times_a = k[u[a].kind].attacks
    times_b = k[u[b].kind].attacks
    for number in range(max(times_a, times_b)):
        acts_a = number < times_a and u[a].hp > r.dead_below and f[fb].n > 0
        acts_b = number < times_b and u[b].hp > r.dead_below and f[fa].n > 0
        if not acts_a and not acts_b:
            break
        if acts_a:
            blow(a, fb, number, u, k, f, live, s, r, rng, tape, spare_a, out_a)
        if acts_b:
            blow(b, fa, number, u, k, f, live, s, r, rng, tape, spare_b, out_b)
        hit_a = acts_a and out_a[0] >= 0.0
        hit_b = acts_b and out_b[0] >= 0.0
        if hit_a:
            u[int(out_a[0])].hp -= out_a[1]
        if hit_b:
            u[int(out_b[0])].hp -= out_b[1]
        if acts_a and not hit_a:
            for j in range(int(out_a[1])):
                u[spare_a[j]].hp -= k[u[a].kind].sacrifice_damage
            u[a].hp = 0.0
            u[a].sacrificed = 1
        if acts_b and not hit_b:
            for j in range(int(out_b[1])):
                u[spare_b[j]].hp -= k[u[b].kind].sacrifice_damage
            u[b].hp = 0.0
            u[b].sacrificed = 1
        if hit_a:
            after_blow(a, int(out_a[0]), out_a[1], u, k, wound)
            heal_striker(a, out_a[1], u, k, r)
        if hit_b:
            after_blow(b, int(out_b[0]), out_b[1], u, k, wound)
            heal_striker(b, out_b[1], u, k, r)
        sweep(fa, u, k, f, live, s, r)
        sweep(fb, u, k, f, live, s, r)


@inner
def exchanges(n, fa, fb, u, k, f, live, queue, s, r, wound, rng, tape, spare_a, spare_b, out_a, out_b):
    """Up to n exchanges of two formations (R46, R47)."""
    for _ in range(n):
        if f[fa].n == 0 or f[fb].n == 0:
            break
        a = next_unit(fa, u, f, live, queue, r, rng, tape)
        b = next_unit(fb, u, f, live, queue, r, rng, tape)
        if (u[a].flags | u[b].flags) & SPECIAL:
            long_exchange(a, b, fa, fb, u, k, f, live, s, r, wound, rng, tape, spare_a, spare_b, out_a, out_b)
            continue
        if tape is None:
            bits = word(rng)
            ja = scale(bits >> S32, f[fb].n)
            roll_a = 1 + scale(bits & LOW_HALF, u[a].attack)
            bits = word(rng)
            jb = scale(bits >> S32, f[fa].n)
            roll_b = 1 + scale(bits & LOW_HALF, u[b].attack)
        else:
            ja = below(rng, tape, PICK, f[fb].n)
            roll_a = 1 + below(rng, tape, ROLL, u[a].attack)
            jb = below(rng, tape, PICK, f[fa].n)
            roll_b = 1 + below(rng, tape, ROLL, u[b].attack)
        ta = live[fb, ja]
        tb = live[fa, jb]
        da = max(roll_a - u[ta].armor, u[a].min_melee, 0.0) * u[a].fo * u[ta].fi * u[a].fury * u[ta].tough
        db = max(roll_b - u[tb].armor, u[b].min_melee, 0.0) * u[b].fo * u[tb].fi * u[b].fury * u[tb].tough
        s.blows += 2
        hp_a = u[ta].hp - da
        hp_b = u[tb].hp - db
        u[ta].hp = hp_a
        u[tb].hp = hp_b
        if u[ta].flags & VENOMOUS and da > 0.0:
            stack(a, k[u[ta].kind].poison, k[u[ta].kind].poison_rounds, wound, u)
        if u[tb].flags & VENOMOUS and db > 0.0:
            stack(b, k[u[tb].kind].poison, k[u[tb].kind].poison_rounds, wound, u)
        if hp_b <= r.dead_below:
            bury(fa, jb, u, k, f, live, s, r, tape)
        if hp_a <= r.dead_below:
            bury(fb, ja, u, k, f, live, s, r, tape)


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
        refresh_out(i, u, k, f, s, r)
        refresh_in(i, u, k, f, s, r)


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
def play_round(number, fa, fb, ra, rb, u, k, f, live, queue, s, r, wound, cure, weak, rng, tape, spare_a, spare_b, out_a, out_b):
    """One round of an engagement (R46); ra, rb: rears, −1 for none."""
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
    exchanges(max(na, nb_), fa, fb, u, k, f, live, queue, s, r, wound, rng, tape, spare_a, spare_b, out_a, out_b)
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
    out_a,
    out_b,
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
        play_round(
            number, fa, fb, -1, -1, u, k, f, live, queue, s, r, wound, cure, weak, rng, tape, spare_a, spare_b, out_a, out_b
        )
    s.charger = -1
    s.covering = 0
    s.first = 0
    s.flanked = -1
    s.outnumbered = -1
    return number
